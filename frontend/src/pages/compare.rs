//! The design beside every other network for the same number of nodes, at editable prices.
//!
//! Rows are computed in the browser one by one, so that the page draws in between, shows progress, and stops on request. The
//! server computes the rows of large machines.

use crate::{
    api, browser,
    components::{Choice, Field, FieldView, Icon, Mark, Plot, field_id},
    state::{
        compare::{Action, Prices, markets, networks},
        place::Tab,
        words::{problem_faults, problem_words},
    },
    studio::{Asked, Held, Studio},
    work::{Turn, Work, keep_current},
};
use leptos::prelude::*;
use shared::{
    api::CompareRequest,
    compare::{
        COLUMNS, FabricFigures, FabricRow, Sources, cells,
        market::{Chosen, GoodsForm, MarketForm, PRESETS},
        own_row,
    },
    fabric::{Kind, fit},
    form::{self, Described},
    spec::Spec,
    text::grouped,
};

/// Nodes from which the server computes the rows, since one row may block the page.
const LARGE: u32 = 16_384;
/// Milliseconds without a change before rows are computed: while somebody types, only the last text counts.
const PAUSE: u32 = 150;

/// Progress of the rows.
#[derive(Clone, Debug, Default, PartialEq)]
enum Progress {
    #[default]
    Done,
    /// Rows computed in the browser, and their total.
    Here(usize, usize),
    Server,
    Stopped,
    Failed(String),
}

#[derive(Clone, Copy)]
struct Rows {
    rows: RwSignal<Vec<FabricRow>>,
    progress: RwSignal<Progress>,
}

/// Inputs of a comparison.
struct What {
    asked: Asked,
    design: Option<Held>,
    prices: Prices,
    others: Vec<Box<dyn Kind>>,
}

/// Networks side by side.
#[component]
pub fn Compare() -> impl IntoView {
    let studio = Studio::here();
    let rows = Rows { rows: RwSignal::new(Vec::new()), progress: RwSignal::new(Progress::Done) };
    let work = keep_current(
        move |turn| {
            let (asked, held) = (studio.result.asked.get()?, studio.result.held.get());
            let others = studio.session.networks.with(|text| networks(text)).0;
            let prices = studio.session.prices.get();
            let design = held.filter(|held| held.design.pes() == asked.spec.pes);
            let what = What { asked, design, prices, others };
            Some(async move {
                turn.wait(PAUSE).await?;
                what.prices.market(&what.asked.spec).ok()?;
                match what.asked.spec.pes {
                    ..LARGE => here(rows.progress, turn, what).await,
                    LARGE.. => by_server(studio, rows.progress, turn, what).await,
                }
            })
        },
        move |found| match found {
            Ok(found) => {
                rows.rows.set(found);
                rows.progress.set(Progress::Done);
            }
            Err(why) => rows.progress.set(Progress::Failed(why)),
        },
    );
    let fault = Signal::derive(move || studio.session.networks.with(|text| networks(text).1));
    view! {
        <PriceForm/>
        <div class="compare-more">
            <Field id="compare-networks" label="More networks (separate with spaces)" mode="text" value=studio.session.networks fault=fault
                placeholder="mesh:16x8 tree:128,24,2" on_input=move |text| studio.session.networks.set(text)/>
        </div>
        <Standing progress=rows.progress work=work/>
        <Side rows=rows/>
    }
}

type Found = Result<Vec<FabricRow>, String>;

/// Computes row after row.
async fn here(progress: RwSignal<Progress>, turn: Turn, what: What) -> Option<Found> {
    let chosen = what.prices.market(&what.asked.spec).ok()?;
    let design = what.design.as_ref().map(|held| &*held.design);
    let sources = Sources {
        spec: &what.asked.spec,
        demand: &what.asked.demand,
        design,
        market: &chosen.market,
        own: chosen.own,
    };
    let fits = fit(sources.spec.pes, &sources.market.limits());
    let all = usize::from(design.is_some()) + what.others.len() + fits.len();
    let mut found = Vec::with_capacity(all);
    let mut add = async |row: &dyn Fn() -> FabricRow| {
        progress.set(Progress::Here(found.len(), all));
        turn.pause().await?;
        found.push(row());
        Some(())
    };
    if let Some(design) = design {
        add(&|| own_row(&sources, design)).await?;
    }
    for kind in &what.others {
        add(&|| FabricRow::asked_for(&**kind, &sources)).await?;
    }
    for fit in &fits {
        add(&|| FabricRow::fitted(fit, &sources)).await?;
    }
    Some(Ok(found))
}

/// Requests all rows from the server.
async fn by_server(studio: Studio, progress: RwSignal<Progress>, turn: Turn, what: What) -> Option<Found> {
    let request = CompareRequest {
        spec: studio.session.text_now(),
        table: what.design.map(|held| held.table.to_string()),
        prices: what.prices.text(),
        fabrics: what.others.iter().map(|kind| kind.text()).collect(),
    };
    progress.set(Progress::Server);
    match api::compare(&request, &turn.abort_signal()?).await {
        Ok(comparison) => Some(Ok(comparison?.rows)),
        Err(problem) => {
            let lines = std::iter::once(problem_words(&problem)).chain(problem_faults(&problem));
            Some(Err(lines.collect::<Vec<_>>().join(" ")))
        }
    }
}

/// Progress, and the number of hosts and pairs.
#[component]
fn Standing(progress: RwSignal<Progress>, work: Work) -> impl IntoView {
    let studio = Studio::here();
    let going = Memo::new(move |_| progress.with(|p| matches!(p, Progress::Here(..) | Progress::Server)));
    let words = move || match progress.get() {
        Progress::Stopped => "Stopped. Showing the previous results.".to_owned(),
        Progress::Here(done, all) => format!("Computing {} of {all} networks", done + 1),
        Progress::Server => "The server is computing all networks.".to_owned(),
        Progress::Failed(_) => String::new(),
        Progress::Done => studio.result.asked.get().as_ref().map(scope).unwrap_or_default(),
    };
    let failed =
        move || progress.with(|p| if let Progress::Failed(why) = p { Some(why.clone()) } else { None });
    let stop = move |_| {
        work.cancel();
        progress.set(Progress::Stopped);
    };
    view! {
        <div class="tools compare-standing">
            <p class="hint" role="status" id="compare-standing">{words}</p>
            {move || going.get().then(|| view! { <button type="button" id="compare-stop" on:click=stop>"Stop"</button> })}
            <p class="fault" role="alert" hidden=move || failed().is_none()>{failed}</p>
        </div>
    }
}

/// The number of hosts and pairs.
fn scope(asked: &Asked) -> String {
    let (hosts, pairs) = (grouped(asked.spec.pes.into()), grouped(asked.demand.len() as u64));
    format!("For {hosts} hosts and {pairs} requested pairs")
}

#[component]
fn Side(rows: Rows) -> impl IntoView {
    let studio = Studio::here();
    let numbered = Memo::new(move |_| {
        let all = rows.rows.get().into_iter();
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
    let cut = marks(|f| Some((f.price_per_host()?, f.bisection.bandwidth?)));
    let late = marks(|f| Some((f.price_per_host()?, f.worst?.latency)));
    let on_paper = move || {
        let asked = studio.result.asked.get()?;
        let Chosen { market, .. } = with(studio, |prices, spec| prices.market(spec).ok())??;
        let (links, trunks) = (grouped(market.speed.into()), grouped(market.trunk_speed.into()));
        let prices = format!("prices: {}, links and trunks {links} and {trunks} Mb/s", market.name);
        Some(format!("{}; {prices}.", scope(&asked)))
    };
    // Prices of today beside speeds of another year would mislead without a word.
    let basis = move || {
        let Chosen { market, .. } = with(studio, |prices, spec| prices.market(spec).ok())??;
        let (links, trunks) = (grouped(market.speed.into()), grouped(market.trunk_speed.into()));
        Some(format!("Prices and speeds below: {}. Links {links} Mb/s, trunks {trunks} Mb/s.", market.name))
    };
    view! {
        <p class="on-paper">{on_paper}</p>
        <p class="hint" id="compare-basis">{basis}</p>
        {move || (!numbered.with(Vec::is_empty)).then(|| view! {
            <div class="scroll" tabindex="0" role="region" aria-label="Comparison of networks">
                <table class="data compare" id="compare-table">
                    <thead><tr>
                        <th scope="col" class="number">"No."</th>
                        <th scope="col">"Network"</th>
                        {COLUMNS.iter().map(|column| view! {
                            <th scope="col" class="number" title=column.explanation>{column.title}
                                {(!column.unit.is_empty()).then(|| view! { <span class="unit">{column.unit}</span> })}</th>
                        }).collect_view()}
                    </tr></thead>
                    <tbody>{move || numbered.with(|rows| rows.iter().map(|row| line(studio, row)).collect_view())}</tbody>
                </table>
            </div>
            <Elsewhere rows=rows/>
            <div class="compare-plots">
                <figure><Plot items=cut axes=["Price per host", "Bisection per host, MB/s"] dark=studio.view.dark/>
                    <figcaption class="hint">"Numbers refer to the table. If the bisection has two bounds, the upper one is drawn."</figcaption></figure>
                <figure><Plot items=late axes=["Price per host", "Worst latency, us"] dark=studio.view.dark/>
                    <figcaption class="hint">"Computed with the model's constants above."</figcaption></figure>
            </div>
            <details class="compare-columns">
                <summary>"Column explanations"</summary>
                <dl>{COLUMNS.iter().map(|column| view! {
                    <dt>{column.title}</dt><dd>{column.explanation}" "<cite>"Source: "{column.source}"."</cite></dd>
                }).collect_view()}</dl>
            </details>
        })}
    }
}

fn line(studio: Studio, (row, number): &(FabricRow, usize)) -> impl IntoView + use<> {
    let own = row.kind == "design";
    let network = if own { String::new() } else { row.text.clone() };
    let simulate = move |_| {
        let market = untrack(|| with(studio, |prices, spec| prices.market(spec).ok())).flatten();
        studio.session.simulate.update(|form| {
            form.set("fabric", network.clone());
            if let Some(Chosen { market, .. }) = market {
                form.set("speed", market.speed.to_string());
                form.set("trunk_speed", market.trunk_speed.to_string());
            }
        });
        studio.view.tab.set(Tab::Simulate);
        browser::focus(&Tab::Simulate.id());
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
            <th scope="row"><details><summary>{row.title.clone()}</summary><p>{bill.unwrap_or_default()}". "{how}</p>
                <button type="button" class="plain" on:click=simulate>"Simulate traffic"</button></details>
                <code>{(!own).then(|| row.text.clone())}</code></th>
            {cells(row).into_iter().map(|cell| view! { <td class="number">{cell}</td> }).collect_view()}
        </tr>
    }
}

/// Networks that are not available for this number of hosts.
#[component]
fn Elsewhere(rows: Rows) -> impl IntoView {
    let others = move || {
        rows.rows.with(|rows| {
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
    let source = move || {
        let preset = PRESETS.iter().find(|preset| preset.key == key.get());
        match (preset, key.get().as_str()) {
            (Some(preset), _) => format!("Source: {}.", preset.source),
            (None, CHANGED) => "Edited here; the spec link includes it.".into(),
            (None, _) => "Specs have no speeds: those of the P-Mesh paper stand in.".into(),
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
            <div class="price-boxes">
                {move || (0..boxes.get()).map(|number| view! {
                    <div class="row box">
                        {GoodsForm::SCHEMA.fields.iter().map(|field| entry(studio, field, format!("box[{number}].{}", field.key))).collect_view()}
                        <button type="button" class="plain" aria-label=format!("Remove box {}", number + 1)
                            on:click=move |_| act(studio, Action::RemoveBox(number))><Icon name="close"/></button>
                    </div>
                }).collect_view()}
                <button type="button" class="add" id="compare-add-box" on:click=move |_| act(studio, Action::AddBox)>"Add box"</button>
            </div>
        </details>
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
