//! Which hardware to try next: the board of NIs and switch widths (dissertation, section 3.4.5).
//!
//! What bounds or stocks rule out is marked first. Then each width is walked from the fewest NIs upward until a wiring is
//! found, widest switches first. A wiring found answers other cells, too: those with more NIs, and those of wider switches
//! that its own fit on when they are put together. Until the budget ends, failed cells beside the frontier are then tried
//! again, each time for twice as long, those first that would be cheaper than the cheapest known.
//!
//! A model without a stock may be bought as often as it takes: where ceil(Nη/ρ) switches are provably too few, the search
//! has as many as no bound rules out; and where it fails, a closed form that takes more is the cell's answer.
//!
//! It departs from the dissertation in that no cell is passed over because a wider switch has failed with as many NIs: wider
//! switches are fewer, so that feasibility is not monotone in the width.

mod answer;
mod more;
mod pack;
mod saved;
mod trim;
mod walk;
mod watch;

pub use saved::BoardError;

use crate::dice::Dice;
use shared::{
    hardware::{Board, BoardObserver, CellState, HardwareRequest},
    search::Budget,
    spec::Faults,
};
use std::sync::atomic::AtomicBool;
use walk::Walk;

/// Searches over hardware.
///
/// The observer hears of every change and of running attempts about ten times a second, from the calling thread only. A
/// cancel is noticed within milliseconds where the search itself is at work. However it ends, the board holds what was
/// found. With budgets counted in work the board is the same again for the same seed and threads, but for seconds.
///
/// # Errors
/// What is refused before anything is tried: see [`HardwareRequest::faults`].
pub fn run(
    request: &HardwareRequest,
    observer: &mut dyn BoardObserver,
    cancel: &AtomicBool,
) -> Result<Board, BoardError> {
    resume(request, None, observer, cancel)
}

/// [`run`] from a checkpoint, if there is one: the wirings in it are handed over again first. What the request has in all,
/// time or work, counts from the first beginning and may be more than it was; all else must be as it was.
///
/// # Errors
/// As [`run`], and a checkpoint that is damaged or of another search.
pub fn resume(
    request: &HardwareRequest,
    saved: Option<&[u8]>,
    observer: &mut dyn BoardObserver,
    cancel: &AtomicBool,
) -> Result<Board, BoardError> {
    Faults::of(request.faults()).map_or(Ok(()), |faults| Err(BoardError::Faults(faults)))?;
    let mut walk = Walk::new(request, observer, cancel);
    match saved {
        Some(bytes) => walk.take_up(saved::read(bytes, request)?),
        None => {
            walk.rule_out();
            walk.keep();
        }
    }
    for column in 0..request.catalogue.len() {
        for nis in request.nis_from..=request.nis_to {
            let Some(index) = walk.board().index(nis, column) else { break };
            let cell = &walk.board().cells[index];
            match cell.state {
                state if state.is_solved() => break,
                CellState::Refuted | CellState::Stock => {}
                // It was tried before the checkpoint.
                _ if cell.attempts > 0 => {}
                _ => walk.attempt(index),
            }
        }
    }
    while let Some(index) = walk.next_retry() {
        walk.attempt(index);
    }
    Ok(walk.finish())
}

/// The seed of an attempt: a board's cells differ, and so do the attempts at one of them, whatever else is on the board.
/// Short, so that people can type it.
fn seed_of(board: u64, nis: u32, usable: u32, attempt: u32) -> u64 {
    let cell = u64::from(nis) << 48 | u64::from(usable) << 32 | u64::from(attempt);
    Dice::new(board, cell).bits().into()
}

/// What an attempt may spend: twice as much each time, within what is left. `None` if nothing is.
fn allotted(request: &HardwareRequest, attempts: u32, seconds: f64, millions: u64) -> Option<Budget> {
    let times = 2u64.saturating_pow(attempts);
    let has_left = match request.total {
        Budget::Seconds(total) => seconds < total,
        Budget::Effort(total) => millions < total,
    };
    let budget = match (request.cell, request.total) {
        (Budget::Seconds(one), Budget::Seconds(total)) => {
            Budget::Seconds((one * times as f64).min(total - seconds))
        }
        (Budget::Seconds(one), Budget::Effort(_)) => Budget::Seconds(one * times as f64),
        (Budget::Effort(one), Budget::Effort(total)) => {
            Budget::Effort(one.saturating_mul(times).min(total.saturating_sub(millions)))
        }
        (Budget::Effort(one), Budget::Seconds(_)) => Budget::Effort(one.saturating_mul(times)),
    };
    has_left.then_some(budget)
}
