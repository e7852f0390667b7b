//! The strong local repair that every individual goes through: simulated annealing on uncovered pairs.
//!
//! Nearly all moves serve an uncovered pair ([`crate::moves::serve`]); what a move loses in exchange is accepted by the
//! usual rule at a temperature that falls geometrically. The loss that will be accepted is drawn first, so that a move
//! that is certain to lose more needs no exact evaluation. All arithmetic that decides is done on integers made by
//! `libm`, which gives the same everywhere.

use crate::{
    dice::Dice,
    ledger::Ledger,
    moves::{gather, serve, swap, vacate},
    options::Options,
    wiring::Wiring,
};

/// In so many moves, two random swaps, one NI that goes idle, one pair that goes to a third switch.
const RARE_EVERY: u32 = 128;

/// How a repair cools, and how long it may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// First temperature, in thousandths of a lost pair.
    pub hot: u32,
    /// Last temperature, in thousandths.
    pub cool: u32,
    /// Number of temperatures.
    pub steps: u32,
    /// Moves in all.
    pub moves: u64,
}

/// Repairs a wiring in place. Ends when nothing is uncovered, when the schedule is through, or when the ledger says so.
/// Given a `method`, the best wiring on the way is noted in the ledger under that name.
pub fn repair(
    wiring: &mut Wiring,
    schedule: &Schedule,
    options: &Options,
    method: Option<&'static str>,
    dice: &mut Dice,
    ledger: &mut Ledger,
) {
    ledger.tally.of = schedule.moves;
    // A look at the wiring as it is costs a copy when it is the best so far: rarely enough to be a small part.
    let look_every = u64::from(wiring.problem.nis() / 4).max(512);
    let mut done = 0;
    'cooling: for step in 0..schedule.steps {
        let losses = accepted_losses(schedule, step);
        let end = schedule.moves * u64::from(step + 1) / u64::from(schedule.steps);
        while done < end {
            if wiring.uncovered() == 0 || !ledger.spend_move() {
                break 'cooling;
            }
            try_move(wiring, &losses, options, dice);
            done += 1;
            if done % look_every == 0 {
                ledger.tally.done = done;
                note(wiring, method, ledger);
            }
        }
    }
    note(wiring, method, ledger);
}

fn note(wiring: &Wiring, method: Option<&'static str>, ledger: &mut Ledger) {
    if let Some(method) = method {
        ledger.consider(wiring.uncovered(), wiring.genome(), method);
    }
}

#[inline]
fn try_move(wiring: &mut Wiring, losses: &[u32; 16], options: &Options, dice: &mut Dice) {
    let draw = dice.bits();
    let limit = losses.iter().take_while(|&&chance| draw < chance).count() as i64;
    let trade = match draw % RARE_EVERY {
        0 | 1 => swap::propose(wiring, dice),
        2 => return vacate(wiring, limit, dice),
        3 => return gather::attempt(wiring, limit, options.candidates, dice),
        _ => serve::propose(wiring, options.candidates, dice),
    };
    if let Some(trade) = trade
        && wiring.delta(&trade, limit) <= limit
    {
        wiring.apply(&trade);
    }
}

fn vacate(wiring: &mut Wiring, limit: i64, dice: &mut Dice) {
    if let Some(ni) = vacate::propose(wiring, limit, dice) {
        wiring.disconnect(ni);
    }
}

/// Entry d: the chance of accepting a loss of d + 1, in units of 2^-32.
fn accepted_losses(schedule: &Schedule, step: u32) -> [u32; 16] {
    let (hot, cool) = (f64::from(schedule.hot), f64::from(schedule.cool));
    let share = f64::from(step) / f64::from(schedule.steps.max(2) - 1);
    let temperature = hot * libm::pow(cool / hot, share) / 1000.0;
    std::array::from_fn(|d| (libm::exp(-(d as f64 + 1.0) / temperature) * 4_294_967_296.0) as u32)
}
