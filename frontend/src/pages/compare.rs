//! The wiring beside every other network for as many PEs, at prices that are edited in place.
//!
//! Rows are computed in the browser one by one, so that the page draws in between, tells how far it is, and stops on request.

mod prices;

use super::studio::{Asked, Held, Studio};
use crate::{
    browser,
    components::{Mark, Scatter},
    state::compare::Prices,
};
use leptos::{prelude::*, task::spawn_local};
use prices::PriceForm;
use shared::{
    compare::{COLUMNS, FabricFigures, FabricRow, Sources, cells, fit, market::Chosen, own_row},
    design::Design,
    text::grouped,
};
use std::sync::Arc;

/// Machines from this size on are compared by the command, since a row may take minutes here.
const LARGE: u32 = 16_384;
/// How long nothing may change before rows are computed anew: while somebody types, only the last text counts.
const PAUSE: u32 = 150;

/// How far the rows are.
#[derive(Clone, Copy, Default, PartialEq)]
struct Progress {
    done: usize,
    all: usize,
    stopped: bool,
}

#[derive(Clone, Copy)]
struct Rows {
    rows: RwSignal<Vec<FabricRow>>,
    progress: RwSignal<Progress>,
    turn: StoredValue<u64>,
}

/// Networks side by side.
#[component]
pub fn Compare() -> impl IntoView {
    let studio = Studio::here();
    let rows = Rows {
        rows: RwSignal::new(Vec::new()),
        progress: RwSignal::new(Progress::default()),
        turn: StoredValue::new(0),
    };
    Effect::new(move |_| {
        let (asked, held, prices) = (studio.asked.get(), studio.held.get(), studio.prices.get());
        let Some(asked) = asked.filter(|asked| asked.spec.pes < LARGE) else { return };
        rows.turn.update_value(|turn| *turn += 1);
        let turn = rows.turn.get_value();
        spawn_local(side_by_side(rows, turn, asked, held, prices));
    });
    on_cleanup(move || {
        rows.turn.try_update_value(|turn| *turn += 1);
    });
    let large = Memo::new(move |_| studio.asked.with(|a| a.as_ref().is_some_and(|a| a.spec.pes >= LARGE)));
    view! {
        {move || if large.get() {
            view! { <p class="hint">"A machine of this size is compared at the command line: "<code>"crosspoint compare SPEC DESIGN"</code></p> }.into_any()
        } else {
            view! {
                <PriceForm/>
                <Standing rows=rows/>
                <Side rows=rows/>
            }.into_any()
        }}
    }
}

/// Computes row after row, as long as nothing has changed.
async fn side_by_side(rows: Rows, turn: u64, asked: Asked, held: Option<Held>, prices: Prices) {
    browser::sleep(PAUSE).await;
    let current = || rows.turn.try_get_value() == Some(turn);
    let Ok(chosen) = prices.market(&asked.spec) else { return };
    if !current() {
        return;
    }
    let design = held.filter(|held| held.design.pes() == asked.spec.pes).map(|held| held.design);
    let fits = fit(asked.spec.pes, &chosen.market);
    let all = fits.len() + usize::from(design.is_some());
    rows.progress.set(Progress { done: 0, all, stopped: false });
    let mut found = Vec::with_capacity(all);
    let fitted = fits.iter().map(Some);
    for fit in design.iter().map(|_| None).chain(fitted) {
        browser::breathe().await;
        if !current() {
            return;
        }
        found.push(row(&asked, design.as_ref(), &chosen, fit));
        rows.progress.update(|progress| progress.done += 1);
    }
    rows.rows.set(found);
}

fn row(
    asked: &Asked,
    design: Option<&Arc<Design>>,
    chosen: &Chosen,
    fit: Option<&shared::compare::Fit>,
) -> FabricRow {
    let sources = Sources {
        spec: &asked.spec,
        demand: &asked.demand,
        design: design.map(|design| &**design),
        market: &chosen.market,
        own: chosen.own,
    };
    match (fit, design) {
        (Some(fit), _) => FabricRow::fitted(fit, &sources),
        (None, Some(design)) => own_row(&sources, design),
        (None, None) => unreachable!("the wiring's row without a wiring"),
    }
}

/// What is being computed, and what it was computed for.
#[component]
fn Standing(rows: Rows) -> impl IntoView {
    let studio = Studio::here();
    let progress = rows.progress;
    let going = Memo::new(move |_| progress.with(|p| p.done < p.all && !p.stopped));
    let words = move || match progress.get() {
        Progress { stopped: true, .. } => "Stopped; what is shown is from before.".to_owned(),
        Progress { done, all, .. } if done < all => format!("Computing {} of {all} networks", done + 1),
        _ => studio.asked.with(|asked| {
            asked.as_ref().map_or(String::new(), |asked| {
                let (hosts, pairs) = (grouped(asked.spec.pes.into()), grouped(asked.demand.len() as u64));
                format!("For {hosts} hosts and {pairs} requested pairs")
            })
        }),
    };
    let stop = move |_| {
        rows.turn.update_value(|turn| *turn += 1);
        progress.update(|p| p.stopped = true);
    };
    view! {
        <div class="tools compare-standing">
            <p class="hint" role="status" id="compare-standing">{words}</p>
            {move || going.get().then(|| view! { <button type="button" id="compare-stop" on:click=stop>"Stop"</button> })}
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
    view! {
        {move || (!numbered.with(Vec::is_empty)).then(|| view! {
            <div class="scroll" tabindex="0" role="region" aria-label="Networks side by side">
                <table class="data compare" id="compare-table">
                    <thead><tr>
                        <th scope="col" class="number">"No."</th>
                        <th scope="col">"Network"</th>
                        {COLUMNS.iter().map(|column| view! {
                            <th scope="col" class="number" title=column.explanation>{column.title}
                                {(!column.unit.is_empty()).then(|| view! { <span class="unit">{column.unit}</span> })}</th>
                        }).collect_view()}
                    </tr></thead>
                    <tbody>{move || numbered.with(|rows| rows.iter().map(line).collect_view())}</tbody>
                </table>
            </div>
            <Elsewhere rows=rows/>
            <div class="compare-plots">
                <figure><Scatter marks=cut axes=["Price a host", "Bisection a host, MB/s"] dark=studio.dark/>
                    <figcaption class="hint">"Numbers are those of the table; where the bisection has bounds, the upper one is drawn."</figcaption></figure>
                <figure><Scatter marks=late axes=["Price a host", "Latency at worst, us"] dark=studio.dark/>
                    <figcaption class="hint">"By the model whose constants stand with the prices."</figcaption></figure>
            </div>
            <details class="compare-columns">
                <summary>"What the columns mean"</summary>
                <dl>{COLUMNS.iter().map(|column| view! {
                    <dt>{column.title}</dt><dd>{column.explanation}" "<cite>"Source: "{column.source}"."</cite></dd>
                }).collect_view()}</dl>
            </details>
        })}
    }
}

fn line((row, number): &(FabricRow, usize)) -> impl IntoView + use<> {
    let own = row.kind == "design";
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
            <th scope="row"><details><summary>{row.title.clone()}</summary><p>{bill.unwrap_or_default()}". "{how}</p></details>
                <code>{(!own).then(|| row.text.clone())}</code></th>
            {cells(row).into_iter().map(|cell| view! { <td class="number">{cell}</td> }).collect_view()}
        </tr>
    }
}

/// Networks that do not take so many hosts.
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
            <p class="hint compare-elsewhere">"Other numbers of hosts are taken by: "
                {others().into_iter().map(|(title, takes)| format!("{title} ({takes})")).collect::<Vec<_>>().join(", ")}"."</p>
        })}
    }
}
