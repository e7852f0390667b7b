//! The design beside every other network for the same number of nodes, at editable prices.
//!
//! Rows are computed in the browser one by one, so that the page draws in between, shows progress, and stops on request. The
//! server computes the rows of large machines.

mod prices;

use crate::{
    api, browser,
    components::{Field, Mark, Scatter},
    state::{
        compare::{Prices, besides},
        place::Tab,
        words::{problem_faults, problem_words},
    },
    studio::{Asked, Held, Studio},
    work::{Turn, Work, keep_current},
};
use leptos::prelude::*;
use prices::PriceForm;
use shared::{
    api::CompareRequest,
    compare::{COLUMNS, FabricFigures, FabricRow, Sources, cells, market::Chosen, own_row},
    design::Design,
    fabric::{Fit, Kind, fit},
    text::grouped,
};

/// Nodes from which the server computes the rows, since one row may block the page.
const LARGE: u32 = 16_384;
/// Milliseconds without a change before rows are computed: while somebody types, only the last text counts.
const PAUSE: u32 = 150;

/// Progress of the rows.
#[derive(Clone, Debug, Default, PartialEq)]
enum Progress {
    /// All rows are shown.
    #[default]
    Done,
    /// Rows computed in the browser, and their total.
    Here(usize, usize),
    /// The server computes all of them.
    Server,
    /// The user stopped it.
    Stopped,
    /// The server's error.
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
            let others = studio.session.networks.with(|text| besides(text)).ok()?;
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
    let fault = Signal::derive(move || studio.session.networks.with(|text| besides(text).err()));
    view! {
        <PriceForm/>
        <div class="compare-besides">
            <Field id="compare-besides" label="More networks (separate with spaces)" mode="text" value=studio.session.networks fault=fault
                placeholder=Signal::stored("mesh:16x8 tree:128,24,2".to_owned()) on_input=move |text| studio.session.networks.set(text)/>
        </div>
        <Standing progress=rows.progress work=work/>
        <Side rows=rows/>
    }
}

/// The rows, or why there are none.
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
    let own = design.into_iter().map(Row::Own);
    for row in
        own.chain(what.others.iter().map(|kind| Row::Other(&**kind))).chain(fits.iter().map(Row::Fitted))
    {
        progress.set(Progress::Here(found.len(), all));
        turn.pause().await?;
        found.push(match row {
            Row::Own(design) => own_row(&sources, design),
            Row::Other(kind) => FabricRow::asked_for(kind, &sources),
            Row::Fitted(fit) => FabricRow::fitted(fit, &sources),
        });
    }
    Some(Ok(found))
}

/// Requests all rows from the server.
async fn by_server(studio: Studio, progress: RwSignal<Progress>, turn: Turn, what: What) -> Option<Found> {
    let request = CompareRequest {
        spec: studio.session.draft.with_untracked(|d| d.document().text.clone()),
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

/// Source of a row.
enum Row<'a> {
    Own(&'a Design),
    Other(&'a dyn Kind),
    Fitted(&'a Fit),
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
        Progress::Done => studio.result.asked.with(|asked| {
            asked.as_ref().map_or(String::new(), |asked| {
                let (hosts, pairs) = (grouped(asked.spec.pes.into()), grouped(asked.demand.len() as u64));
                format!("For {hosts} hosts and {pairs} requested pairs")
            })
        }),
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

/// Table and plots.
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
        let Chosen { market, .. } = studio.session.prices.with(|prices| prices.market(&asked.spec).ok())?;
        let (hosts, pairs) = (grouped(asked.spec.pes.into()), grouped(asked.demand.len() as u64));
        let speeds =
            format!("{} and {} Mb/s", grouped(market.speed.into()), grouped(market.trunk_speed.into()));
        Some(format!(
            "For {hosts} hosts and {pairs} requested pairs; prices: {}, links and trunks {speeds}.",
            market.name
        ))
    };
    view! {
        <p class="on-paper">{on_paper}</p>
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
                <figure><Scatter marks=cut axes=["Price per host", "Bisection per host, MB/s"] dark=studio.view.dark/>
                    <figcaption class="hint">"Numbers refer to the table. If the bisection has two bounds, the upper one is drawn."</figcaption></figure>
                <figure><Scatter marks=late axes=["Price per host", "Worst latency, us"] dark=studio.view.dark/>
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
        let asked = studio.result.asked.get_untracked();
        let market =
            asked.and_then(|asked| studio.session.prices.with_untracked(|p| p.market(&asked.spec).ok()));
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
            let takes = |row: &FabricRow| Some((row.title.clone(), row.takes.clone()?));
            rows.iter().filter_map(takes).collect::<Vec<_>>()
        })
    };
    view! {
        {move || (!others().is_empty()).then(|| view! {
            <p class="hint compare-elsewhere">"Not available for this number of hosts: "
                {others().into_iter().map(|(title, takes)| format!("{title} ({takes})")).collect::<Vec<_>>().join(", ")}"."</p>
        })}
    }
}
