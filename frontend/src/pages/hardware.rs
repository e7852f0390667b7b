//! The hardware search: the NIC counts and switch models that cover the spec, and the cheapest of them.

mod board;
mod outcome;
mod settings;

use crate::{
    state::{
        board::Watched,
        draft::Action,
        words::{clock, count, grouped},
    },
    studio::Studio,
};
use leptos::prelude::*;
use shared::{
    api::RunState,
    hardware::CellState,
    resolve::{self, NoFiles},
    search::Budget,
    spec::{Faults, Spec},
};
use std::sync::Arc;

/// The settings, and the results once there are some.
#[component]
pub fn Hardware() -> impl IntoView {
    let studio = Studio::here();
    let has_board = Memo::new(move |_| studio.result.board.with(Option::is_some));
    view! {
            <section class="panel boards" id="hardware" aria-labelledby="hardware-title">
                <div class="heading">
                    <h2 id="hardware-title">"Hardware search"</h2>
                    <p class="run-state" id="board-state" role="status">
                        {move || studio.result.board.with(|b| b.as_ref().map(Watched::state_words))}
                    </p>
                </div>
                <p class="hint about-board">
                    "Tries every NIC count with every switch model, and finds the smallest and the cheapest hardware that covers the spec. \
                     A row gives all nodes the same NIC count, in place of the spec’s. A model’s count is its stock; without one, \
                     stock is unlimited. Wider switches are not always easier."
                </p>
                <settings::Settings/>
                {move || has_board.get().then(|| view! {
                    <Progress/>
                    <Changed/>
                    <board::BoardTable/>
                    <outcome::Outcomes/>
                })}
            </section>
    }
}

/// Time, cells by state, and the attempt in progress.
#[component]
fn Progress() -> impl IntoView {
    let studio = Studio::here();
    let budget = move || {
        studio.result.board.with(|b| {
            let asked = &b.as_ref()?.view.asked;
            let limit = match asked.total {
                Some(Budget::Seconds(seconds)) => format!("of {}", clock(seconds)),
                Some(Budget::Effort(effort)) => format!("of {} M moves", grouped(effort)),
                None => String::new(),
            };
            let threads = asked.threads.map(|n| format!(", {}", count(n.into(), "thread")));
            Some(format!("{limit}, seed {}{}", asked.seed.unwrap_or(1), threads.unwrap_or_default()))
        })
    };
    let known = move || studio.result.board.with(|b| b.as_ref().map(|b| tally(&b.view.board.cells)));
    let trying = move || studio.result.board.with(|b| b.as_ref().map(|b| b.view.board.trying.clone()));
    let message =
        move || studio.result.board.with(|b| b.as_ref().map(|b| b.view.message.clone())).unwrap_or_default();
    let failed =
        move || studio.result.board.with(|b| b.as_ref().is_some_and(|b| b.view.state == RunState::Failed));
    view! {
        <p class="board-clock">
            <span class="clock" id="board-elapsed">{move || studio.result.board.with(|b| b.as_ref().map(|b| clock(b.view.board.elapsed)))}</span>
            <span class="budget">{budget}</span>
            <span class="tally" id="board-tally">{known}</span>
        </p>
        <p class="trying" id="board-trying">{trying}</p>
        <p class="run-message" id="board-message" class:fault=failed hidden=move || message().is_empty()>{message}</p>
    }
}

/// The spec of a text, as a hardware search reads it.
fn read_catalogue(text: &str) -> Result<Arc<Spec>, Faults> {
    resolve::read_catalogue(text, &mut NoFiles).map(Arc::new)
}

/// Number of cells in each state.
fn tally(cells: &[shared::hardware::Cell]) -> String {
    let of = |wanted: fn(CellState) -> bool| cells.iter().filter(|c| wanted(c.state)).count() as u64;
    let parts = [
        (of(CellState::is_solved), "solved"),
        (of(|s| s == CellState::Failed), "failed"),
        (of(|s| s == CellState::Refuted), "ruled out"),
        (of(|s| s == CellState::Stock), "out of stock"),
        (of(|s| matches!(s, CellState::Unknown | CellState::Trying)), "open"),
    ];
    let parts = parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{} {what}", grouped(*n)));
    format!("{}: {}", count(cells.len() as u64, "cell"), parts.collect::<Vec<_>>().join(", "))
}

/// A notice if the results are for another spec than the one on screen.
#[component]
fn Changed() -> impl IntoView {
    let studio = Studio::here();
    let asked =
        Memo::new(move |_| studio.result.board.with(|b| b.as_ref().map(|b| b.view.asked.spec.clone())));
    let spec = Memo::new(move |_| asked.get().and_then(|text| read_catalogue(&text).ok()));
    // Compared by content, not by text.
    let other = Memo::new(move |_| {
        let own = studio.result.resolved.get().ok();
        asked.get().filter(|_| own != spec.get())
    });
    view! {
        {move || other.get().map(|text| view! {
            <p class="changed" id="board-changed">"Computed for a different spec. "
                <button type="button" class="link" on:click=move |_| studio.edit(Action::Replace(text.clone()))>"Use that spec"</button>
            </p>
        })}
    }
}
