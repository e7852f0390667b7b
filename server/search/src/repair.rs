//! The local repair that every individual goes through: simulated annealing on uncovered pairs, with the moves of
//! [`crate::moves`].
//!
//! The accepted loss is drawn before the move, so that a move that certainly loses more needs no exact evaluation. Moves
//! are judged in batches, by several threads if there are any ([`crate::team`]).

use crate::{
    ledger::{Ledger, Score},
    options::Options,
    schedule::{Acceptance, Schedule},
    team::{Cores, Setup, Team, batch_for, with_team},
    wiring::Wiring,
};
use serde::{Deserialize, Serialize};
use spec::random::Rng;

/// An interruptible repair.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Repair {
    /// Temperature schedule.
    pub schedule: Schedule,
    /// Moves done.
    pub done: u64,
    /// Sum of the costs after each batch in the second half, and number of these batches.
    late: (u64, u64),
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
    /// Number of further threads that judge moves. The wiring does not depend on it.
    pub helpers: u32,
}

impl Repair {
    /// A repair that has not started.
    pub fn new(schedule: Schedule) -> Repair {
        Repair { schedule, done: 0, late: (0, 0) }
    }

    /// Mean cost in the second half; 0 before it.
    pub fn mean_cost(&self) -> f64 {
        let (sum, batches) = self.late;
        sum as f64 / batches.max(1) as f64
    }

    /// Does about `moves` moves. Returns `true` if more is left: not if nothing is missing, the schedule has ended,
    /// or the ledger stops.
    pub fn advance(&mut self, wiring: &mut Wiring, context: &mut Context<'_, '_>, moves: u64) -> bool {
        let end = self.schedule.moves.min(self.done.saturating_add(moves));
        context.ledger.tally.of = self.schedule.moves;
        let mut setup = Setup {
            schedule: self.schedule,
            seed: u64::from(context.rng.bits()) << 32,
            candidates: context.options.candidates,
            helpers: 0,
        };
        while self.done < end {
            let cores = Cores::claim(context.helpers);
            setup.helpers = cores.helpers();
            if !self.advance_with(wiring, context, &mut setup, end) {
                note(wiring, context);
                return false;
            }
        }
        if self.done >= self.schedule.moves {
            note(wiring, context);
        }
        self.done < self.schedule.moves
    }

    /// Moves with one team, until its helpers need new copies; `false` if the repair ends.
    pub(crate) fn advance_with(
        &mut self,
        wiring: &mut Wiring,
        context: &mut Context<'_, '_>,
        setup: &mut Setup,
        end: u64,
    ) -> bool {
        with_team(wiring, *setup, |wiring, team| {
            let went_on = self.batches(wiring, context, end, team);
            setup.seed += team.rounds();
            went_on
        })
    }

    /// Batches of moves, until the team is spent; `false` if the repair ends.
    fn batches<'p>(
        &mut self,
        wiring: &mut Wiring<'p>,
        context: &mut Context<'_, '_>,
        end: u64,
        team: &mut Team<'_, 'p>,
    ) -> bool {
        // Recording the best wiring costs a copy, so this is done rarely.
        let look_every = u64::from(wiring.problem.nis() / 4).max(512);
        let size = batch_for(wiring.problem.nis());
        while self.done < end && !team.is_spent() {
            let step = self.schedule.step_at(self.done);
            let until = self.schedule.end_of(step).min(end);
            let acceptance = Acceptance::at(self.schedule.temperature(step), wiring.problem.graph.scale);
            while self.done < until && !team.is_spent() {
                let moves = size.min(until - self.done);
                if wiring.cost() == 0 || !context.ledger.spend_moves(moves) {
                    return false;
                }
                team.batch(wiring, (step, &acceptance), moves);
                self.done += moves;
                if self.done > self.schedule.moves / 2 {
                    self.late = (self.late.0 + wiring.cost(), self.late.1 + 1);
                }
                if self.done % look_every < moves {
                    context.ledger.tally.done = self.done;
                    note(wiring, context);
                }
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
    let mut context = Context { options, rng, ledger, method, helpers: 0 };
    Repair::new(*schedule).advance(wiring, &mut context, u64::MAX);
}

fn note(wiring: &Wiring, context: &mut Context) {
    if let Some(method) = context.method {
        context.ledger.consider(Score::of(wiring), wiring.genome(), method);
    }
}
