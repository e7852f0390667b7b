//! The local repair that every individual goes through: simulated annealing on uncovered pairs, with the moves of
//! [`crate::moves`].
//!
//! The accepted loss is drawn before the move, so that a move that certainly loses more needs no exact evaluation.
//! All deciding arithmetic is on integers made by `libm`, which gives the same results everywhere.

use crate::{
    ledger::{Ledger, Score},
    moves::{DRAWS, RARE, serve},
    options::Options,
    wiring::Wiring,
};
use serde::{Deserialize, Serialize};
use spec::random::Rng;

/// Cooling schedule and length of a repair.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    /// First temperature, in thousandths of an uncovered pair.
    pub hot: u32,
    /// Last temperature, in thousandths.
    pub cool: u32,
    /// Number of temperatures.
    pub steps: u32,
    /// Moves in all.
    pub moves: u64,
}

/// An interruptible repair.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Repair {
    /// Temperature schedule.
    pub schedule: Schedule,
    /// Moves done.
    pub done: u64,
}

/// Everything a repair uses apart from the wiring.
pub struct Context<'a, 'l> {
    /// The tunables.
    pub options: &'a Options,
    /// Random numbers.
    pub rng: &'a mut Rng,
    /// Counts the work and takes the best wiring.
    pub ledger: &'a mut Ledger<'l>,
    /// Name under which the ledger records the best wiring on the way, if it does.
    pub method: Option<&'static str>,
}

impl Repair {
    /// A repair that has not started.
    pub fn new(schedule: Schedule) -> Repair {
        Repair { schedule, done: 0 }
    }

    /// Does about `moves` moves. Returns `true` if more is left: not if nothing is missing, the schedule has ended,
    /// or the ledger stops.
    pub fn advance<'p>(
        &mut self,
        wiring: &mut Wiring<'p>,
        context: &mut Context<'_, '_>,
        moves: u64,
    ) -> bool {
        let end = self.schedule.moves.min(self.done.saturating_add(moves));
        context.ledger.tally.of = self.schedule.moves;
        while self.done < end {
            let step = self.schedule.step_at(self.done);
            let until = self.schedule.end_of(step).min(end);
            let acceptance = Acceptance::at(self.schedule.temperature(step), wiring.problem.graph.scale);
            let went_on = match wiring.fast_nis() {
                Some(2) => self.moves(wiring, context, until, &acceptance, Wiring::<'p>::serve_fast::<2>),
                Some(3) => self.moves(wiring, context, until, &acceptance, Wiring::<'p>::serve_fast::<3>),
                Some(4) => self.moves(wiring, context, until, &acceptance, Wiring::<'p>::serve_fast::<4>),
                Some(5) => self.moves(wiring, context, until, &acceptance, Wiring::<'p>::serve_fast::<5>),
                Some(6) => self.moves(wiring, context, until, &acceptance, Wiring::<'p>::serve_fast::<6>),
                Some(8) => self.moves(wiring, context, until, &acceptance, Wiring::<'p>::serve_fast::<8>),
                _ => self.moves(wiring, context, until, &acceptance, serve),
            };
            if !went_on {
                note(wiring, context);
                return false;
            }
        }
        if self.done >= self.schedule.moves {
            note(wiring, context);
        }
        self.done < self.schedule.moves
    }

    /// Moves at one temperature.
    #[inline]
    fn moves<'p>(
        &mut self,
        wiring: &mut Wiring<'p>,
        context: &mut Context<'_, '_>,
        until: u64,
        acceptance: &Acceptance,
        serve: impl Fn(&mut Wiring<'p>, i32, u32, &mut Rng),
    ) -> bool {
        // Recording the best wiring costs a copy, so this is done rarely.
        let look_every = u64::from(wiring.problem.nis() / 4).max(512);
        while self.done < until {
            if wiring.cost() == 0 || !context.ledger.spend_move() {
                return false;
            }
            let draw = context.rng.bits();
            let limit = acceptance.accepted(draw, context.rng);
            let candidates = context.options.candidates;
            match RARE.get((draw % DRAWS) as usize) {
                Some(rare) => rare(wiring, limit, candidates, context.rng),
                None => serve(wiring, limit, candidates, context.rng),
            }
            self.done += 1;
            if self.done.is_multiple_of(look_every) {
                context.ledger.tally.done = self.done;
                note(wiring, context);
            }
        }
        true
    }
}

/// Repairs a wiring in place until nothing is missing, the schedule has ended, or the ledger stops. With a `method`,
/// the ledger records the best wiring on the way.
pub fn repair(
    wiring: &mut Wiring,
    schedule: &Schedule,
    options: &Options,
    method: Option<&'static str>,
    rng: &mut Rng,
    ledger: &mut Ledger,
) {
    let mut context = Context { options, rng, ledger, method };
    Repair::new(*schedule).advance(wiring, &mut context, u64::MAX);
}

fn note(wiring: &Wiring, context: &mut Context) {
    if let Some(method) = context.method {
        context.ledger.consider(Score::of(wiring), wiring.genome(), method);
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

/// Losses accepted at one temperature.
struct Acceptance {
    /// Entry d: chance of accepting a loss of d + 1, in units of 2^-32; where all links count the same.
    table: Option<[u32; 16]>,
    temperature: f64,
}

impl Acceptance {
    fn at(temperature: f64, scale: f64) -> Acceptance {
        let entry = |d: usize| (libm::exp(-(d as f64 + 1.0) / temperature) * 4_294_967_296.0) as u32;
        let table = (scale == 1.0).then(|| std::array::from_fn(entry));
        Acceptance { table, temperature: temperature * scale }
    }

    /// The loss accepted for a random draw.
    #[inline]
    fn accepted(&self, draw: u32, rng: &mut Rng) -> i32 {
        match &self.table {
            Some(table) => table.iter().take_while(|&&chance| draw < chance).count() as i32,
            None => (-self.temperature * libm::log((f64::from(rng.bits()) + 1.0) / 4_294_967_297.0)) as i32,
        }
    }
}
