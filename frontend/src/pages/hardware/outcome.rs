//! The outcome of a hardware search: the best hardware, and chart and list of attempts.

use crate::{
    components::TriedChart,
    state::{
        board::{Tried, money, tried},
        words::{clock, count, grouped},
    },
    studio::{Studio, boards::BoardFollower},
};
use leptos::prelude::*;
use shared::hardware::{Attempt, Board, CellState};

/// Number of attempts listed.
const LISTED: usize = 200;

/// Best hardware, chart, list.
#[component]
pub fn Outcomes() -> impl IntoView {
    let studio = Studio::here();
    let chart =
        Memo::new(move |_| studio.result.board.with(|b| b.as_ref().and_then(|b| tried(&b.view.board))));
    let has = Memo::new(move |_| chart.with(Option::is_some));
    view! {
        <div class="outcomes">
            <Frontier/>
            <section class="tried" aria-labelledby="tried-title">
                <h3 id="tried-title">"Attempts over time"</h3>
                {move || if has.get() {
                    view! {
                        <TriedChart tried=chart dark=studio.view.dark/>
                        <Legend chart=chart/>
                    }.into_any()
                } else {
                    view! { <p class="empty">"No attempts yet."</p> }.into_any()
                }}
            </section>
        </div>
        <Attempts/>
    }
}

#[component]
fn Legend(chart: Memo<Option<Tried>>) -> impl IntoView {
    let priced = move || chart.with(|c| c.as_ref().is_some_and(|c| c.priced));
    view! {
        <p class="hint legend">
            <span><span class="sign solved">"●"</span>" solved"</span>
            <span><span class="sign failed">"×"</span>" failed"</span>
            <span><span class="sign refuted">"□"</span>" ruled out"</span>
            <span><span class="line best"></span>{move || if priced() { " cheapest solved" } else { " fewest ports solved" }}</span>
            <span>{move || if priced() { "vertical: cost" } else { "vertical: ports of all switches (the spec has no prices)" }}</span>
        </p>
    }
}

/// Columns of the best hardware.
const FIGURES: [&str; 5] = ["NICs", "Ports", "Switches", "Cables", "Cost"];

/// A row: index of the cell, figures, reason for listing, note.
type Row = (usize, [String; 5], &'static str, String);

fn rows(board: &Board) -> Vec<Row> {
    let mut listed = board.frontier.clone();
    listed.extend(board.cheapest);
    listed.sort_unstable();
    listed.dedup();
    let row = |index: usize| {
        let cell = board.cells.get(index)?;
        let figures = [
            cell.nis.to_string(),
            cell.ports.to_string(),
            grouped(cell.switches.into()),
            grouped(cell.cables),
            cell.cost.map_or_else(|| "–".into(), money),
        ];
        let mark = match (board.cheapest == Some(index), board.frontier.contains(&index)) {
            (true, true) => "cheapest, frontier",
            (true, false) => "cheapest",
            _ => "frontier",
        };
        Some((index, figures, mark, cell.note.clone()))
    };
    listed.into_iter().filter_map(row).collect()
}

/// The frontier and the cheapest cell.
#[component]
fn Frontier() -> impl IntoView {
    let studio = Studio::here();
    let follower = BoardFollower::here();
    let rows = Memo::new(move |_| {
        studio.result.board.with(|b| b.as_ref().map(|b| rows(&b.view.board))).unwrap_or_default()
    });
    let over = Memo::new(move |_| studio.result.board.with(|b| b.as_ref().is_some_and(|b| b.is_over())));
    view! {
        <section class="frontier" aria-labelledby="frontier-title">
            <h3 id="frontier-title">"Best hardware"</h3>
            {move || if rows.with(Vec::is_empty) {
                let words = if over.get() {
                    "No cell was solved. Try more time per cell, more NICs or wider switches."
                } else {
                    "No cell solved yet."
                };
                view! { <p class="empty">{words}</p> }.into_any()
            } else {
                view! {
                    <div class="scroll" tabindex="0" role="region" aria-label="Best hardware">
                    <table class="data" id="frontier-table">
                        <thead><tr>
                            {FIGURES.map(|name| view! { <th scope="col" class="number">{name}</th> }).collect_view()}
                            <th scope="col">"Reason"</th>
                            <th scope="col">"Method"</th><th scope="col"><span class="sr">"Design"</span></th>
                        </tr></thead>
                        <tbody>{move || rows.get().into_iter().map(|(index, figures, mark, note)| {
                            let name = format!("Open design: {} NICs, {} ports", figures[0], figures[1]);
                            view! {
                                <tr>
                                    {FIGURES.into_iter().zip(figures).map(|(name, figure)| view! { <td class="number" data-name=name>{figure}</td> }).collect_view()}
                                    <td class="why">{mark}</td><td class="note">{note}</td>
                                    <td class="open"><button type="button" class="link" aria-label=name on:click=move |_| follower.open_cell(studio, index)>"Open"</button></td>
                                </tr>
                            }
                        }).collect_view()}</tbody>
                    </table>
                    </div>
                }.into_any()
            }}
        </section>
    }
}

/// Every attempt, newest first.
#[component]
fn Attempts() -> impl IntoView {
    let studio = Studio::here();
    let total = Memo::new(move |_| {
        studio.result.board.with(|b| b.as_ref().map_or(0, |b| b.view.board.attempts.len()))
    });
    let open = RwSignal::new(false);
    let lines = move || {
        total.track();
        let of = |b: &Board| b.attempts.iter().rev().take(LISTED).map(|a| line(b, a)).collect::<Vec<_>>();
        studio.result.board.with_untracked(|b| b.as_ref().map(|b| of(&b.view.board))).unwrap_or_default()
    };
    let toggled =
        move |event: web_sys::Event| open.set(event_target::<web_sys::HtmlDetailsElement>(&event).open());
    view! {
        <details class="attempts" id="attempts" hidden=move || total.get() == 0 on:toggle=toggled>
            <summary>{move || count(total.get() as u64, "attempt")}</summary>
            {move || open.get().then(|| view! {
                <div class="scroll" tabindex="0" role="region" aria-label="Attempts">
                <table class="data" id="attempts-table">
                    <thead><tr>
                        <th scope="col" class="number">"After"</th><th scope="col" class="number">"NICs"</th>
                        <th scope="col" class="number">"Ports"</th><th scope="col" class="number">"Cost"</th>
                        <th scope="col">"Outcome"</th><th scope="col" class="number">"Uncovered pairs"</th>
                    </tr></thead>
                    <tbody>{move || lines().into_iter().map(|[after, nis, ports, cost, outcome, left]| view! {
                        <tr>
                            <td class="number">{after}</td><td class="number">{nis}</td><td class="number">{ports}</td>
                            <td class="number">{cost}</td><td>{outcome}</td><td class="number">{left}</td>
                        </tr>
                    }).collect_view()}</tbody>
                </table>
                </div>
                {move || (total.get() > LISTED).then(|| view! { <p class="hint">{format!("Showing the last {LISTED}.")}</p> })}
            })}
        </details>
    }
}

fn line(board: &Board, attempt: &Attempt) -> [String; 6] {
    let cell = board.index(attempt.nis, attempt.model).and_then(|index| board.cells.get(index));
    let outcome = match attempt.state {
        CellState::Solved | CellState::Implied => "solved",
        CellState::Refuted => "ruled out",
        CellState::Stock => "out of stock",
        CellState::Failed | CellState::Unknown | CellState::Trying => "failed",
    };
    [
        clock(attempt.elapsed),
        attempt.nis.to_string(),
        cell.map(|c| c.ports.to_string()).unwrap_or_default(),
        cell.and_then(|c| c.cost).map_or_else(|| "–".into(), money),
        outcome.into(),
        grouped(attempt.uncovered),
    ]
}
