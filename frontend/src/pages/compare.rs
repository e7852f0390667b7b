//! The design beside every other network for the same number of nodes, at editable prices.
//!
//! The server computes the rows.

use crate::{
    browser,
    components::{
        Choice, ColumnChoice, ColumnHead, Field, FieldView, FilePicker, Icon, Legend, LegendLine, Mark, Plot,
        Progress, Standing, field_id,
    },
    state::{
        columns::Choosable,
        compare::{Action, Prices, add_file, file_of, in_currency, markets},
        place::Room,
    },
    studio::{
        Studio, ValidSpec,
        networks::{NetworkResult, on_networks, prices_currency, read_networks},
    },
};
use leptos::prelude::*;
use shared::{
    api::{CompareForm, WorkKind},
    compare::{
        COLUMNS, Comparison, FabricFigures, FabricRow, RANKED, cells,
        market::{self, CableForm, GoodsForm, MarketChoice, MarketForm, PRESETS},
    },
    form::{self, Described},
    spec::Spec,
    text::{grouped, speed},
};

/// Milliseconds without a change before rows are computed.
const PAUSE: u32 = 150;
/// Max bytes of the file of a network.
const MAX_FILE: usize = 8 << 20;

/// Networks side by side.
#[component]
pub fn Compare() -> impl IntoView {
    let studio = Studio::here();
    let NetworkResult { result, progress, work } =
        on_networks::<Comparison, _>(studio, WorkKind::Compare, PAUSE, || Some(CompareForm::default()));
    let rows = Memo::new(move |_| result.get().map_or_else(Vec::new, |comparison| comparison.rows));
    let unreadable = RwSignal::new(None::<String>);
    let fault = Signal::derive(move || unreadable.get().or_else(|| read_networks(studio).1));
    let typed = move |text| {
        unreadable.set(None);
        studio.session.networks.set(text);
    };
    let chosen = move |name: String, content: Result<String, String>| match content {
        Ok(content) => {
            let (mut files, mut text) =
                (studio.session.network_files.get_untracked(), studio.session.networks.get_untracked());
            add_file(&mut files, &mut text, &name, content);
            studio.session.network_files.set(files);
            typed(text);
        }
        Err(why) => unreadable.set(Some(why)),
    };
    let conclusion = move || result.with(|found| found.as_ref().map(Comparison::conclusion));
    view! {
        <p class="conclusion" id="compare-conclusion" title=RANKED class:outdated=move || progress.with(|p| *p != Progress::Done)>{conclusion}</p>
        <Standing id="compare" going="Computing all networks…" stage="Computing network" progress=progress work=work
            done=move || studio.result.asked.get().as_ref().map(scope).unwrap_or_default()/>
        <PriceForm/>
        <div class="compare-more">
            <Field id="compare-networks" label="More networks (separate with spaces)" mode="text" value=studio.session.networks fault=fault
                placeholder="mesh:16x8 tree:128,24,2" on_input=typed/>
            <FilePicker id="compare-file" words="Open network" label="Open a network from a file" max=MAX_FILE
                wanted="a list of links, a GraphML graph, or a topology of another program as text"
                title="A list of links, GraphML, ibnetdiscover, Slurm, containerlab, NVIDIA Air, NetBox cables, BookSim, ASTRA-sim or SimAI. \
                    The help on Compare explains the formats." on_file=chosen/>
        </div>
        <Side rows=rows/>
    }
}

/// The number of hosts and pairs.
fn scope(asked: &ValidSpec) -> String {
    let (hosts, pairs) = (grouped(asked.spec.pes.into()), grouped(asked.demand.len() as u64));
    format!("For {hosts} hosts and {pairs} requested pairs")
}

#[component]
fn Side(rows: Memo<Vec<FabricRow>>) -> impl IntoView {
    let studio = Studio::here();
    let numbered = Memo::new(move |_| {
        let all = rows.get().into_iter();
        all.filter(|row| row.figures.is_some()).zip(1usize..).collect::<Vec<_>>()
    });
    let marks = move |of: fn(&FabricFigures) -> Option<(f64, f64)>| {
        Signal::derive(move || {
            numbered.with(|rows| {
                let mark = |(row, number): &(FabricRow, usize)| {
                    let (x, y) = of(row.figures.as_ref()?)?;
                    Some(Mark { name: number.to_string(), x, y, own: row.kind == "design" })
                };
                rows.iter().filter_map(mark).collect::<Vec<_>>()
            })
        })
    };
    let cut = marks(|f| Some((whole_price_per_host(f)?, f.bisection.bandwidth?)));
    // Mean latency, like the conclusion, unless the pairs of a huge network take too long to walk.
    let mean = marks(|f| Some((whole_price_per_host(f)?, f.latency()?)));
    let worst = marks(|f| Some((whole_price_per_host(f)?, f.worst?.latency)));
    let has_means = Memo::new(move |_| mean.with(|marks| !marks.is_empty()));
    let late = Signal::derive(move || if has_means.get() { mean.get() } else { worst.get() });
    let on_paper = move || {
        let asked = studio.result.asked.get()?;
        let MarketChoice { market, .. } = with(studio, |prices, spec| prices.market(spec).ok())??;
        let (links, trunks) = (speed(market.speed), speed(market.trunk_speed));
        let prices = format!("prices: {}, links and trunks {links} and {trunks}", market.name);
        Some(format!("{}; {prices}.", scope(&asked)))
    };
    // Prices of today beside speeds of another year would mislead without a word.
    let basis = move || {
        let MarketChoice { market, .. } = with(studio, |prices, spec| prices.market(spec).ok())??;
        let (links, trunks) = (speed(market.speed), speed(market.trunk_speed));
        let currency = match market.currency.as_str() {
            "" => "their currency is not given".into(),
            currency => format!("in {currency}"),
        };
        let name = &market.name;
        Some(format!("Prices and speeds below: {name}; {currency}. Links {links}, trunks {trunks}."))
    };
    let legend = Signal::derive(move || {
        let line = |(row, number): &(FabricRow, usize)| LegendLine {
            number: *number as u32,
            name: row.title.clone(),
            code: if row.kind == "design" { String::new() } else { row.text.clone() },
            own: row.kind == "design",
        };
        numbered.with(|rows| rows.iter().map(line).collect::<Vec<_>>())
    });
    let price = Signal::derive(move || in_currency("Price per host", &prices_currency(studio)));
    let axes = move |up: Signal<&'static str>| Signal::derive(move || [price.get(), up.get().to_owned()]);
    let latency = Signal::derive(move || {
        if has_means.get() { "Mean latency of requested pairs, µs" } else { "Worst latency, µs" }
    });
    let all = columns();
    let shown = {
        let all = all.clone();
        Memo::new(move |_| studio.view.columns.with(|columns| columns.shown(TABLE, &all)))
    };
    let unit = move |unit: &'static str, key: &str| match (unit, key.starts_with("price")) {
        ("", true) => prices_currency(studio),
        _ => unit.to_owned(),
    };
    let head = move || {
        let columns = COLUMNS.iter().zip(shown.get()).filter(|(_, is_shown)| *is_shown);
        let column = |(column, _): (&shared::compare::Column, bool)| {
            view! { <ColumnHead title=column.title.into() about=column.explanation unit=unit(column.unit, column.key)/> }
        };
        columns.map(column).collect_view()
    };
    view! {
        <p class="on-paper">{on_paper}</p>
        <p class="hint" id="compare-basis">{basis}</p>
        {move || (!numbered.with(Vec::is_empty)).then(|| view! {
            <div class="compare-plots">
                <figure><Plot items=cut axes=axes(Signal::stored("Bisection per host, MB/s")) dark=studio.view.dark/>
                    <figcaption class="hint">"Higher and further left is better. If the bisection has two bounds, the upper one is drawn."</figcaption></figure>
                <figure><Plot items=late axes=axes(latency) dark=studio.view.dark/>
                    <figcaption class="hint">"Lower and further left is better. Networks without a price for all parts are not drawn."</figcaption></figure>
            </div>
            <Legend lines=legend dark=studio.view.dark/>
            <ColumnChoice table=TABLE all=all.clone() columns=studio.view.columns/>
            <div class="scroll pinning" tabindex="0" role="region" aria-label="Comparison of networks">
                <table class="data compare" id="compare-table">
                    <thead><tr>
                        <th scope="col" class="number">"No."</th>
                        <th scope="col">"Network"</th>
                        {head}
                    </tr></thead>
                    <tbody>{move || numbered.with(|rows| rows.iter().map(|row| line(studio, row, &shown.get())).collect_view())}</tbody>
                </table>
            </div>
            <Elsewhere rows=rows/>
            <LeftOut rows=rows/>
            <details class="compare-columns">
                <summary>"Column explanations"</summary>
                <dl>{COLUMNS.iter().map(|column| view! {
                    <dt>{column.title}</dt><dd>{column.explanation}" "<cite>"Source: "{column.source}"."</cite></dd>
                }).collect_view()}</dl>
            </details>
        })}
    }
}

/// The table among those whose columns are chosen.
const TABLE: &str = "compare";

fn columns() -> Vec<Choosable> {
    let column = |column: &shared::compare::Column| Choosable {
        key: column.key.into(),
        title: column.title.into(),
        decides: column.decides,
    };
    COLUMNS.iter().map(column).collect()
}

fn line(studio: Studio, (row, number): &(FabricRow, usize), shown: &[bool]) -> impl IntoView + use<> {
    let own = row.kind == "design";
    let network = if own { String::new() } else { row.text.clone() };
    let code = (!own).then(|| row.text.clone());
    let simulate = move |_| {
        let market = untrack(|| with(studio, |prices, spec| prices.market(spec).ok())).flatten();
        studio.session.simulate.update(|form| {
            form.set("fabric", network.clone());
            if let Some(MarketChoice { market, .. }) = market {
                form.set("speed", market.speed.to_string());
                form.set("trunk_speed", market.trunk_speed.to_string());
            }
        });
        studio.view.show(Room::Simulate);
        browser::focus(&Room::Simulate.id());
    };
    let how = row.figures.as_ref().map(|f| format!("Bisection: {}.", f.bisection.how)).unwrap_or_default();
    let bill = row.figures.as_ref().map(|f| {
        let lines =
            f.bill.lines.iter().map(|line| format!("{} {} at {}", grouped(line.count), line.what, line.each));
        let without = f.bill.unpriced.iter().map(|what| format!("{what}: no price"));
        lines.chain(without).collect::<Vec<_>>().join("; ")
    });
    view! {
        <tr class:own=own>
            <td class="number">{*number}</td>
            <th scope="row"><details><summary title=code>{row.title.clone()}</summary>
                {(!own).then(|| view! { <p>"Code: "<code>{row.text.clone()}</code></p> })}
                <p>{bill.unwrap_or_default()}". "{how}</p>
                // The page of simulations has no files.
                {file_of(&row.text).is_none().then(|| view! {
                    <button type="button" class="plain" on:click=simulate>"Simulate traffic"</button>
                })}</details>
                {row.unlike.clone().map(|unlike| view! { <span class="hint unlike">{unlike}</span> })}</th>
            {cells(row).into_iter().zip(shown).filter(|(_, is_shown)| **is_shown).map(|(cell, _)| view! { <td class="number">{cell}</td> }).collect_view()}
        </tr>
    }
}

/// Networks that are not available for this number of hosts.
#[component]
fn Elsewhere(rows: Memo<Vec<FabricRow>>) -> impl IntoView {
    let others = move || {
        rows.with(|rows| {
            let takes = |row: &FabricRow| Some(format!("{} ({})", row.title, row.takes.as_ref()?));
            rows.iter().filter_map(takes).collect::<Vec<_>>()
        })
    };
    view! {
        {move || (!others().is_empty()).then(|| view! {
            <p class="hint compare-elsewhere">"Not available for this number of hosts: "{others().join(", ")}"."</p>
        })}
    }
}

/// Parts of the networks' files that are left out.
#[component]
fn LeftOut(rows: Memo<Vec<FabricRow>>) -> impl IntoView {
    let warnings = move || {
        // Planes of one network have its warnings, too.
        let mut all = rows.with(|rows| rows.iter().flat_map(|row| row.warnings.clone()).collect::<Vec<_>>());
        all.sort_unstable();
        all.dedup();
        all
    };
    view! {
        {move || (!warnings().is_empty()).then(|| view! {
            <ul class="hint" id="compare-warnings">{warnings().into_iter().map(|warning| view! { <li>{warning}</li> }).collect_view()}</ul>
        })}
    }
}

/// Price per host, if every part has a price. A network with unpriced parts costs more than the sum of its prices.
fn whole_price_per_host(figures: &FabricFigures) -> Option<f64> {
    figures.price_per_host().filter(|_| figures.bill.unpriced.is_empty())
}

/// Key of edited prices.
const CHANGED: &str = "";

fn with<T>(studio: Studio, read: impl Fn(&Prices, &Spec) -> T) -> Option<T> {
    let asked = studio.result.asked.get()?;
    Some(studio.session.prices.with(|prices| read(prices, &asked.spec)))
}

fn act(studio: Studio, action: Action) {
    if let Some(asked) = studio.result.asked.get_untracked() {
        studio.session.prices.update(|prices| prices.update(&asked.spec, action));
    }
}

/// The choice of a market, and its fields.
#[component]
fn PriceForm() -> impl IntoView {
    let studio = Studio::here();
    let key = Memo::new(move |_| with(studio, Prices::key).unwrap_or_default());
    let boxes = Memo::new(move |_| with(studio, |prices, spec| prices.form(spec).boxes.len()).unwrap_or(0));
    let cables = Memo::new(move |_| with(studio, |prices, spec| prices.form(spec).links.len()).unwrap_or(0));
    let source = move || {
        let preset = PRESETS.iter().find(|preset| preset.key == key.get());
        match (preset, key.get().as_str()) {
            (Some(preset), _) => format!("Source: {}.", preset.source),
            (None, CHANGED) => "Edited here; the spec link includes it.".into(),
            (None, _) => {
                let base = with(studio, |_, spec| market::preset(spec.market)).flatten();
                base.map(|base| format!("Speeds and latencies: {}.", base.title())).unwrap_or_default()
            }
        }
    };
    let mut options = markets();
    options.push((CHANGED, "Edited"));
    view! {
        <div class="tools compare-market">
            <Choice id="compare-prices" label="Prices and speeds" value=key options=options fault=None
                on_choice=move |key| if key != CHANGED { act(studio, Action::Pick(key)) }/>
            <p class="hint">{source}</p>
        </div>
        <details class="compare-prices">
            <summary>"Edit prices, speeds and latencies"</summary>
            <div class="price-fields">{MarketForm::SCHEMA.fields[1..].iter().map(|field| entry(studio, field, field.key.to_owned())).collect_view()}</div>
            <h4>"Switch boxes"</h4>
            <p class="hint">"Trunks are ports at trunk speed. Without switch boxes, each port is priced separately."</p>
            {goods(studio, boxes, GoodsForm::SCHEMA.fields, "box", Action::AddBox, Action::RemoveBox)}
            <h4>"Kinds of cable"</h4>
            <p class="hint">"Each link uses the cheapest cable that is long enough. If you list no cables, all cables cost the same."</p>
            {goods(studio, cables, CableForm::SCHEMA.fields, "link", Action::AddCable, Action::RemoveCable)}
        </details>
    }
}

/// Rows of a market: its boxes, or its kinds of cable.
fn goods(
    studio: Studio,
    count: Memo<usize>,
    fields: &'static [form::Field],
    key: &'static str,
    add: Action,
    remove: fn(usize) -> Action,
) -> impl IntoView {
    let what = if key == "box" { "box" } else { "kind of cable" };
    view! {
        <div class="price-boxes">
            {move || (0..count.get()).map(|number| view! {
                <div class="row box">
                    {fields.iter().map(|field| entry(studio, field, format!("{key}[{number}].{}", field.key))).collect_view()}
                    <button type="button" class="plain" aria-label=format!("Remove {what} {}", number + 1)
                        on:click=move |_| act(studio, remove(number))><Icon name="close"/></button>
                </div>
            }).collect_view()}
            <button type="button" class="add" id=format!("compare-add-{key}") on:click=move |_| act(studio, add.clone())>{format!("Add {what}")}</button>
        </div>
    }
}

fn entry(studio: Studio, field: &'static form::Field, path: String) -> impl IntoView {
    let id = field_id("price", &path);
    let (read, judged) = (path.clone(), path.clone());
    let value =
        Memo::new(move |_| with(studio, |prices, spec| prices.field(spec, &read)).unwrap_or_default());
    let fault = Memo::new(move |_| with(studio, |prices, spec| prices.fault(spec, &judged)).flatten());
    view! {
        <FieldView field=field id=id value=value fault=fault on_input=move |text| act(studio, Action::Set(path.clone(), text))/>
    }
}
