//! What an island has spent and found, and how it talks to the rest of the world.
//!
//! Work is counted in move evaluations, with a construction's steps counted like moves: never in time, so that a run
//! can be repeated. What depends on time (cancel, a deadline) comes through [`Coordinator`] alone.

use crate::{
    graph::Aim,
    wiring::{Genome, Wiring},
};
use serde::{Deserialize, Serialize};

/// How good a wiring is, best first: fewer uncovered pairs or less weight of them, then more wishes granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Score {
    /// Aims that come after the one it is measured by.
    pub pending_aims: u32,
    /// What the search lowers: links or weight that pairs lack.
    pub cost: u64,
    /// Uncovered pairs.
    pub uncovered: u64,
}

impl Score {
    /// The worst there is.
    pub const NONE: Score = Score { pending_aims: u32::MAX, cost: u64::MAX, uncovered: u64::MAX };

    /// Of a wiring whose every missing link counts the same, with no aim after it.
    pub fn uncovered(uncovered: u64) -> Score {
        Score { pending_aims: 0, cost: uncovered, uncovered }
    }

    /// How good a wiring is.
    pub fn of(wiring: &Wiring) -> Score {
        let (mut cost, uncovered) = (wiring.cost(), wiring.uncovered());
        if wiring.problem.graph.aim() == Aim::Extra {
            // No number of wishes makes up for a pair.
            cost += uncovered.min(1 << 20) << 40;
        }
        Score { pending_aims: wiring.problem.pending_aims(), cost, uncovered }
    }

    /// The same order in one number.
    pub fn key(self) -> u64 {
        u64::from(self.pending_aims.min(3)) << 62 | self.cost.min((1 << 62) - 1)
    }

    /// Whether nothing can be better.
    pub fn is_perfect(self) -> bool {
        self.pending_aims == 0 && self.cost == 0
    }
}

/// What an island is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stage {
    /// Preparing the instance.
    #[default]
    Reading,
    /// A scaled-down problem with this many ports on a switch.
    Scaled(u32),
    /// The greedy heuristic, ties to the lowest PE number.
    Greedy,
    /// The greedy heuristic, ties by DNA.
    GreedyByDna,
    /// Repair of a first design.
    Repair,
    /// Repair of one of several wirings, of which the best will go on; at so many thousandths.
    Tournament(u32),
    /// Another numbering of the PEs.
    Renumbering,
    /// Waiting for other islands.
    Waiting,
}

/// What an island has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// What it is doing.
    pub stage: Stage,
    /// Moves evaluated.
    pub moves: u64,
    /// Wirings made.
    pub individuals: u64,
    /// Generations of its population.
    pub generation: u64,
    /// Of the present stage, how many steps are done.
    pub done: u64,
    /// How many steps it has, 0 if that is unknown.
    pub of: u64,
    /// Wirings made anew, after the first.
    pub restarts: u64,
    /// How good its best wiring is, if it has one.
    pub best: Option<Score>,
}

/// A wiring that travels: between islands, or out of the search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Elite {
    /// The switch of every NI.
    pub genome: Genome,
    /// How good it is.
    pub score: Score,
    /// How it was made, in words.
    pub method: String,
}

/// What the islands talk through. In one process it is [`crate::islands`]; a studio that outgrows its machine puts
/// another one in its place.
pub trait Coordinator: Sync {
    /// Whether an island that has done this much work should go on. No after a cancel or a deadline, or once another
    /// island has solved the instance with less work in the same epoch.
    fn should_continue(&self, island: u32, work: u64) -> bool;
    /// Hears what an island has done.
    fn report(&self, island: u32, tally: &Tally);
    /// Hears how an island's population stands: uncovered pairs of each wiring, and how unlike they are (0 to 1).
    fn report_population(&self, island: u32, population: &[u64], diversity: f64);
    /// Whether a wiring as good as this would be looked at now.
    fn wants(&self, score: Score) -> bool;
    /// Takes a better wiring.
    fn offer(&self, score: Score, genome: &[u32]);
    /// Hears that an island has solved the instance with this much work.
    fn solved(&self, island: u32, work: u64);
    /// Gives away an island's best and gets another island's. Waits until all islands have come to this epoch.
    fn exchange(&self, island: u32, epoch: u64, elite: Elite) -> Option<Elite>;
    /// Whether checkpoints are kept at all.
    fn keeps_checkpoints(&self) -> bool {
        false
    }
    /// Whether an island's state is wanted for a checkpoint now.
    fn wants_state(&self, _island: u32) -> bool {
        false
    }
    /// Takes an island's state, and whether it is the last.
    fn take_state(&self, _island: u32, _state: Vec<u8>, _last: bool) {}
}

/// What accounts are made of, for a checkpoint.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Account {
    work: u64,
    solved_at: Option<u64>,
    best: Option<Elite>,
    tally: Tally,
}

/// One island's accounts.
pub struct Ledger<'a> {
    coordinator: &'a dyn Coordinator,
    island: u32,
    limit: u64,
    work: u64,
    next_ask: u64,
    stopped: bool,
    solved_at: Option<u64>,
    best: Option<Elite>,
    /// What it has done.
    pub tally: Tally,
}

/// Work between two questions to the mainland.
const ASK_EVERY: u64 = 1 << 11;

impl<'a> Ledger<'a> {
    /// Accounts of island number `island`, which may spend `limit` work.
    pub fn new(coordinator: &'a dyn Coordinator, island: u32, limit: u64) -> Self {
        Ledger {
            coordinator,
            island,
            limit,
            work: 0,
            next_ask: 0,
            stopped: limit == 0,
            solved_at: None,
            best: None,
            tally: Tally::default(),
        }
    }

    /// Counts one move evaluation. Whether to go on.
    #[inline]
    pub fn spend_move(&mut self) -> bool {
        self.tally.moves += 1;
        self.spend(1)
    }

    /// Counts work. Whether to go on.
    #[inline]
    pub fn spend(&mut self, work: u64) -> bool {
        self.work += work;
        if self.work >= self.next_ask || self.work >= self.limit {
            self.ask();
        }
        !self.stopped
    }

    #[cold]
    fn ask(&mut self) {
        self.next_ask = self.work + ASK_EVERY;
        self.coordinator.report(self.island, &self.tally);
        if self.work >= self.limit || !self.coordinator.should_continue(self.island, self.work) {
            self.stopped = true;
        }
    }

    /// Whether to go on with something whose work is not counted.
    pub fn should_continue(&mut self) -> bool {
        self.stopped = self.stopped || !self.coordinator.should_continue(self.island, self.work);
        !self.stopped
    }

    /// Enters a stage of so many steps (0 if unknown).
    pub fn enter(&mut self, stage: Stage, of: u64) {
        (self.tally.stage, self.tally.done, self.tally.of) = (stage, 0, of);
        self.coordinator.report(self.island, &self.tally);
    }

    /// Work done so far.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Whether this island has solved the instance, and with how much work.
    pub fn solved_at(&self) -> Option<u64> {
        self.solved_at
    }

    /// The best wiring so far, if any was made.
    pub fn best(&self) -> Option<&Elite> {
        self.best.as_ref()
    }

    /// How good the best wiring so far is.
    pub fn best_score(&self) -> Score {
        self.best.as_ref().map_or(Score::NONE, |best| best.score)
    }

    /// Notes a wiring if it is the best so far. One that nothing can be better than ends the search.
    pub fn consider(&mut self, score: Score, genome: &[u32], method: &str) {
        if score < self.best_score() {
            self.tally.best = Some(score);
            match &mut self.best {
                Some(best) => {
                    best.genome.copy_from_slice(genome);
                    best.score = score;
                    if best.method != method {
                        best.method = method.into();
                    }
                }
                None => self.best = Some(Elite { genome: genome.to_vec(), score, method: method.into() }),
            }
        }
        self.offer(score, genome);
        if score.is_perfect() && self.solved_at.is_none() {
            self.solved_at = Some(self.work);
            self.stopped = true;
            self.coordinator.solved(self.island, self.work);
        }
    }

    /// Shows a wiring to whoever watches, if it would be looked at.
    pub fn offer(&self, score: Score, genome: &[u32]) {
        if self.coordinator.wants(score) {
            self.coordinator.offer(score, genome);
        }
    }

    /// Whether checkpoints are kept at all.
    pub fn keeps_checkpoints(&self) -> bool {
        self.coordinator.keeps_checkpoints()
    }

    /// Whether a checkpoint waits for this island's state.
    pub fn wants_state(&self) -> bool {
        self.coordinator.wants_state(self.island)
    }

    /// Hands over this island's state, and whether it is the last.
    pub fn hand_over(&self, state: Vec<u8>, last: bool) {
        self.coordinator.take_state(self.island, state, last);
    }

    /// Whether this island ends, if it does now, because its work is done or spent and not because somebody said so.
    pub fn ends_by_itself(&mut self) -> bool {
        self.work >= self.limit || self.solved_at.is_some() || self.should_continue()
    }

    /// What a checkpoint keeps of these accounts.
    pub fn account(&self) -> Account {
        let (work, solved_at) = (self.work, self.solved_at);
        Account { work, solved_at, best: self.best.clone(), tally: self.tally }
    }

    /// Goes on from a checkpoint.
    pub fn resume(&mut self, account: Account) {
        (self.work, self.solved_at, self.best) = (account.work, account.solved_at, account.best);
        self.tally = account.tally;
        self.next_ask = 0;
        self.stopped = self.work >= self.limit;
        if let Some(best) = &self.best {
            self.offer(best.score, &best.genome);
        }
    }

    /// Tells how the population stands.
    pub fn report_population(&self, population: &[u64], diversity: f64) {
        self.coordinator.report_population(self.island, population, diversity);
    }

    /// Gives away the best so far for another island's.
    pub fn exchange(&mut self, epoch: u64) -> Option<Elite> {
        let stage = self.tally.stage;
        self.enter(Stage::Waiting, 0);
        let other = self.best.clone().and_then(|elite| self.coordinator.exchange(self.island, epoch, elite));
        self.tally.stage = stage;
        self.should_continue();
        other
    }

    /// Closes the accounts: the best wiring, if any was made.
    pub fn close(self) -> Option<Elite> {
        self.coordinator.report(self.island, &self.tally);
        self.best
    }
}
