//! The strong local repair that every individual goes through: simulated annealing on uncovered pairs.
//!
//! Nearly all moves serve an uncovered pair ([`crate::moves::propose_serving`]); what a move loses in exchange is accepted by the
//! usual rule at a temperature that falls geometrically. The loss that will be accepted is drawn first, so that a move
//! that is certain to lose more needs no exact evaluation. All arithmetic that decides is done on integers made by
//! `libm`, which gives the same everywhere.

use crate::{
    dice::Dice,
    ledger::{Ledger, Score},
    moves::{gather, propose_idling, propose_random, propose_serving},
    options::Options,
    wiring::{Trade, Wiring},
};
use serde::{Deserialize, Serialize};

/// In so many moves, two random swaps, one NI that goes idle, one pair that goes to a third switch.
const RARE_EVERY: u32 = 128;

/// How a repair cools, and how long it may take.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
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

/// A repair that can be interrupted: how far it is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Repair {
    /// How it cools.
    pub schedule: Schedule,
    /// Moves done.
    pub done: u64,
}

/// What one stretch of a repair may use besides the wiring.
pub struct Bench<'a, 'l> {
    /// The tunables.
    pub options: &'a Options,
    /// Randomness.
    pub dice: &'a mut Dice,
    /// The accounts.
    pub ledger: &'a mut Ledger<'l>,
    /// Under which name the best wiring on the way is noted, if it is.
    pub method: Option<&'static str>,
}

impl Repair {
    /// A repair that has not begun.
    pub fn new(schedule: Schedule) -> Repair {
        Repair { schedule, done: 0 }
    }

    /// Goes on for about so many moves. Whether there is more to do: no once nothing lacks, the schedule is through, or the
    /// ledger says so.
    pub fn stretch<'p>(&mut self, wiring: &mut Wiring<'p>, bench: &mut Bench<'_, '_>, moves: u64) -> bool {
        let end = self.schedule.moves.min(self.done.saturating_add(moves));
        bench.ledger.tally.of = self.schedule.moves;
        while self.done < end {
            let step = self.schedule.step_at(self.done);
            let until = self.schedule.end_of(step).min(end);
            let losses = Losses::at(self.schedule.temperature(step), wiring.problem.graph.scale());
            let went_on = match wiring.lean() {
                Some(2) => self.moves(wiring, bench, until, &losses, Wiring::<'p>::serve_lean::<2>),
                Some(3) => self.moves(wiring, bench, until, &losses, Wiring::<'p>::serve_lean::<3>),
                Some(4) => self.moves(wiring, bench, until, &losses, Wiring::<'p>::serve_lean::<4>),
                Some(5) => self.moves(wiring, bench, until, &losses, Wiring::<'p>::serve_lean::<5>),
                Some(6) => self.moves(wiring, bench, until, &losses, Wiring::<'p>::serve_lean::<6>),
                Some(8) => self.moves(wiring, bench, until, &losses, Wiring::<'p>::serve_lean::<8>),
                _ => self.moves(wiring, bench, until, &losses, serve_any),
            };
            if !went_on {
                note(wiring, bench);
                return false;
            }
        }
        if self.done >= self.schedule.moves {
            note(wiring, bench);
        }
        self.done < self.schedule.moves
    }

    /// Moves at one temperature.
    #[inline]
    fn moves<'p>(
        &mut self,
        wiring: &mut Wiring<'p>,
        bench: &mut Bench<'_, '_>,
        until: u64,
        losses: &Losses,
        serve: impl Fn(&mut Wiring<'p>, i32, u32, &mut Dice),
    ) -> bool {
        // A look at the wiring as it is costs a copy when it is the best so far: rarely enough to be a small part.
        let look_every = u64::from(wiring.problem.nis() / 4).max(512);
        while self.done < until {
            if wiring.cost() == 0 || !bench.ledger.spend_move() {
                return false;
            }
            let draw = bench.dice.bits();
            let limit = losses.accepted(draw, bench.dice);
            match draw % RARE_EVERY {
                0 | 1 => random_swap(wiring, limit, bench.dice),
                2 => vacate(wiring, limit, bench.dice),
                3 => gather(wiring, i64::from(limit), bench.options.candidates, bench.dice),
                _ => serve(wiring, limit, bench.options.candidates, bench.dice),
            }
            self.done += 1;
            if self.done.is_multiple_of(look_every) {
                bench.ledger.tally.done = self.done;
                note(wiring, bench);
            }
        }
        true
    }
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
    let mut bench = Bench { options, dice, ledger, method };
    Repair::new(*schedule).stretch(wiring, &mut bench, u64::MAX);
}

fn note(wiring: &Wiring, bench: &mut Bench) {
    if let Some(method) = bench.method {
        bench.ledger.consider_score(Score::of(wiring), wiring.genome(), method);
    }
}

fn serve_any(wiring: &mut Wiring, limit: i32, candidates: u32, dice: &mut Dice) {
    try_trade(wiring, propose_serving(wiring, candidates, dice), limit);
}

fn random_swap(wiring: &mut Wiring, limit: i32, dice: &mut Dice) {
    try_trade(wiring, propose_random(wiring, dice), limit);
}

fn try_trade(wiring: &mut Wiring, trade: Option<Trade>, limit: i32) {
    let limit = i64::from(limit);
    if let Some(trade) = trade
        && wiring.delta(&trade, limit) <= limit
    {
        wiring.apply(&trade);
    }
}

fn vacate(wiring: &mut Wiring, limit: i32, dice: &mut Dice) {
    if let Some(ni) = propose_idling(wiring, i64::from(limit), dice) {
        wiring.disconnect(ni);
    }
}

impl Schedule {
    fn steps(&self) -> u64 {
        u64::from(self.steps.max(1))
    }

    fn end_of(&self, step: u64) -> u64 {
        (u128::from(self.moves) * u128::from(step + 1) / u128::from(self.steps())) as u64
    }

    /// The step that a move belongs to.
    fn step_at(&self, done: u64) -> u64 {
        let guess = (u128::from(done) * u128::from(self.steps()) / u128::from(self.moves.max(1))) as u64;
        (guess.saturating_sub(1)..self.steps())
            .find(|&step| self.end_of(step) > done)
            .unwrap_or(self.steps() - 1)
    }

    fn temperature(&self, step: u64) -> f64 {
        let (hot, cool) = (f64::from(self.hot), f64::from(self.cool));
        let share = step as f64 / (self.steps().max(2) - 1) as f64;
        hot * libm::pow(cool / hot, share) / 1000.0
    }
}

/// How large a loss is accepted at one temperature.
struct Losses {
    /// Entry d: the chance of accepting a loss of d + 1, in units of 2^-32; where all links count the same.
    table: Option<[u32; 16]>,
    temperature: f64,
}

impl Losses {
    fn at(temperature: f64, scale: f64) -> Losses {
        let entry = |d: usize| (libm::exp(-(d as f64 + 1.0) / temperature) * 4_294_967_296.0) as u32;
        let table = (scale == 1.0).then(|| std::array::from_fn(entry));
        Losses { table, temperature: temperature * scale }
    }

    /// The loss that a random draw accepts.
    #[inline]
    fn accepted(&self, draw: u32, dice: &mut Dice) -> i32 {
        match &self.table {
            Some(table) => table.iter().take_while(|&&chance| draw < chance).count() as i32,
            None => (-self.temperature * libm::log((f64::from(dice.bits()) + 1.0) / 4_294_967_297.0)) as i32,
        }
    }
}
