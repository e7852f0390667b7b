//! The search over hardware: which numbers of NIs and which switches are enough, and which cost least.

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

/// The spec beside the board.
#[component]
pub fn Hardware() -> impl IntoView {
    let studio = Studio::here();
    let has_board = Memo::new(move |_| studio.result.board.with(Option::is_some));
    view! {
            <section class="panel boards" id="hardware" aria-labelledby="hardware-title">
                <div class="heading">
                    <h2 id="hardware-title">"Search over hardware"</h2>
                    <p class="run-state" id="board-state" role="status">
                        {move || studio.result.board.with(|b| b.as_ref().map(Watched::state_words))}
                    </p>
                </div>
                <p class="hint about-board">
                    "Tries every number of NIs with every switch, and finds the least hardware that serves the spec, and the cheapest. \
                     All PEs have as many NIs as the row says, in place of the spec’s own; a model’s count is its stock, and \
                     without one as many may be bought as it takes. Wider switches are not always easier."
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

/// How far it is: time, cells, what is being tried.
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

/// The spec of a text, as a search over hardware takes it.
fn read_catalogue(text: &str) -> Result<Arc<Spec>, Faults> {
    resolve::read_catalogue(text, &mut NoFiles).map(Arc::new)
}

/// Cells by what is known of them.
fn tally(cells: &[shared::hardware::Cell]) -> String {
    let of = |wanted: fn(CellState) -> bool| cells.iter().filter(|c| wanted(c.state)).count() as u64;
    let parts = [
        (of(CellState::is_solved), "solved"),
        (of(|s| s == CellState::Failed), "failed"),
        (of(|s| s == CellState::Refuted), "ruled out"),
        (of(|s| s == CellState::Stock), "without stock"),
        (of(|s| matches!(s, CellState::Unknown | CellState::Trying)), "not yet known"),
    ];
    let parts = parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{} {what}", grouped(*n)));
    format!("{}: {}", count(cells.len() as u64, "cell"), parts.collect::<Vec<_>>().join(", "))
}

/// That the spec is no longer the one that this board is of.
#[component]
fn Changed() -> impl IntoView {
    let studio = Studio::here();
    let asked =
        Memo::new(move |_| studio.result.board.with(|b| b.as_ref().map(|b| b.view.asked.spec.clone())));
    let spec = Memo::new(move |_| asked.get().and_then(|text| read_catalogue(&text).ok()));
    // By what they ask for, not by how they are written.
    let other = Memo::new(move |_| {
        let own = studio.result.resolved.get().ok();
        asked.get().filter(|_| own != spec.get())
    });
    view! {
        {move || other.get().map(|text| view! {
            <p class="changed" id="board-changed">"This board is of another spec than the one beside it. "
                <button type="button" class="link" on:click=move |_| studio.edit(Action::Replace(text.clone()))>"Take the board’s spec"</button>
            </p>
        })}
    }
}
