//! Work and best wiring of one island, and its contact to the others. Work is counted in move evaluations and
//! construction steps, never in time, so runs repeat.

use crate::{
    graph::Aim,
    problem::Problem,
    wiring::{Genome, Wiring},
};
use serde::{Deserialize, Serialize};
use work::estimate::timing::Seconds;

/// Quality of a wiring, best first: fewer or lighter uncovered pairs, then fewer missing extra links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Score {
    /// Number of aims still queued after the current one.
    pub pending_aims: u32,
    /// The quantity that the search lowers: missing links or weight.
    pub cost: u64,
    /// Uncovered pairs.
    pub uncovered: u64,
    /// What decides between equal ones, in a search for time.
    pub ties: [u64; 2],
}

impl Score {
    /// Ties that have not been computed.
    pub const UNTOLD: [u64; 2] = [u64::MAX; 2];

    /// The worst score.
    pub const NONE: Score =
        Score { pending_aims: u32::MAX, cost: u64::MAX, uncovered: u64::MAX, ties: Score::UNTOLD };

    /// Score of a wiring whose missing links all count the same, for the last aim.
    pub fn uncovered(uncovered: u64) -> Score {
        Score { pending_aims: 0, cost: uncovered, uncovered, ties: [0; 2] }
    }

    /// Score of a wiring.
    pub fn of(wiring: &Wiring) -> Score {
        let (mut cost, uncovered) = (wiring.cost(), wiring.uncovered());
        if wiring.problem.graph.aim == Aim::Extra {
            // No number of extra links makes up for a pair.
            cost += uncovered.min(1 << 20) << 40;
        }
        Score { pending_aims: wiring.problem.pending_aims, cost, ..Score::uncovered(uncovered) }
    }

    /// Returns the score as one number of the same order.
    pub fn key(self) -> u64 {
        u64::from(self.pending_aims.min(3)) << 62 | self.cost.min((1 << 62) - 1)
    }

    /// `true` if nothing can be better.
    pub fn is_perfect(self) -> bool {
        self.pending_aims == 0 && self.cost == 0
    }
}

/// Activity of an island.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stage {
    /// Reads the demand.
    #[default]
    Reading,
    /// Solves a scaled-down problem with this many ports per switch.
    Scaled(u32),
    /// Runs the greedy heuristic, ties to the lowest PE number.
    Greedy,
    /// Runs the greedy heuristic, ties by DNA.
    GreedyByDna,
    /// Repairs a first design.
    Repair,
    /// Anneals a wiring, at a temperature in thousandths.
    Annealing(u32),
    /// Renumbers PEs.
    Renumbering,
    /// Lays out rectangles of a job's dimensions.
    Rectangles,
    /// Anneals a wiring that serves every pair for time.
    Time,
    /// Waits for other islands.
    Waiting,
}

/// Counters of an island.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Present activity.
    pub stage: Stage,
    /// Moves evaluated.
    pub moves: u64,
    /// Wirings made.
    pub individuals: u64,
    /// Generations of its population.
    pub generation: u64,
    /// Steps done in this stage.
    pub done: u64,
    /// Steps of this stage, 0 if unknown.
    pub of: u64,
    /// Constructions after the first.
    pub restarts: u64,
    /// Score of its best wiring.
    pub best: Option<Score>,
    /// Cost of a wiring that covers nothing, where costs are weights; else 0.
    pub most: u64,
    /// Times of its best wiring, in a search for time.
    pub time: Option<Times>,
}

/// Times of a wiring, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Times {
    /// A step, or the delivery of measured traffic.
    pub step: u64,
    /// All communication, hidden or not.
    pub communication: u64,
    /// A step that no wiring beats.
    pub bound: u64,
}

impl Times {
    /// The times of a wiring, and those that no wiring beats.
    pub fn of(seconds: Seconds, bound: Seconds) -> Times {
        let whole = |seconds: f64| (seconds * 1e9) as u64;
        Times {
            step: whole(seconds.step),
            communication: whole(seconds.communication),
            bound: whole(bound.step),
        }
    }
}

/// A wiring on its way to another island or out of the search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Elite {
    /// The switch of every NI.
    pub genome: Genome,
    /// Score.
    pub score: Score,
    /// Origin of the wiring, for people.
    pub method: String,
}

/// Connects islands with each other and with the caller. By default an island is alone and unobserved.
pub trait Coordinator: Sync {
    /// `true` to continue after this much work: not after a cancel, a deadline, or a solution by another island with
    /// less work.
    fn should_continue(&self, island: u32, work: u64) -> bool;
    /// Takes an island's counters.
    fn report(&self, _island: u32, _tally: &Tally) {}
    /// Takes the state of an island's population: score of each wiring, and diversity (0 to 1).
    fn report_population(&self, _island: u32, _population: &[Score], _diversity: f64) {}
    /// `true` if a wiring with this score would be used now.
    fn wants(&self, _score: Score) -> bool {
        false
    }
    /// Takes a better wiring.
    fn offer(&self, _score: Score, _genome: &[u32]) {}
    /// Takes the work after which an island has solved the instance.
    fn solved(&self, _island: u32, _work: u64) {}
    /// Swaps an island's best wiring for another island's. Blocks until all islands have reached this epoch.
    fn exchange(&self, _island: u32, _epoch: u64, _elite: Elite) -> Option<Elite> {
        None
    }
    /// `true` if checkpoints are kept.
    fn keeps_checkpoints(&self) -> bool {
        false
    }
    /// `true` if a checkpoint waits for this island's state.
    fn wants_state(&self, _island: u32) -> bool {
        false
    }
    /// Takes an island's state; `last` if the island has ended.
    fn take_state(&self, _island: u32, _state: Vec<u8>, _last: bool) {}
}

/// The part of a ledger that a checkpoint keeps.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Account {
    work: u64,
    solved_at: Option<u64>,
    best: Option<Elite>,
    tally: Tally,
}

impl Account {
    /// Work done.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Score of the best wiring.
    pub fn best_score(&self) -> Score {
        self.best.as_ref().map_or(Score::NONE, |best| best.score)
    }
}

/// Accounts of one island.
pub struct Ledger<'a> {
    coordinator: &'a dyn Coordinator,
    island: u32,
    limit: u64,
    /// Work done so far.
    pub work: u64,
    next_ask: u64,
    ask_every: u64,
    stopped: bool,
    /// Work after which this island solved the instance, if it did.
    pub solved_at: Option<u64>,
    /// The best wiring so far.
    pub best: Option<Elite>,
    /// Counters.
    pub tally: Tally,
}

/// Maximum work between two reports to the coordinator.
const ASK_EVERY: u64 = 1 << 11;
/// Maximum words of a wiring that are rewritten between two reports: a few milliseconds.
const ASK_EVERY_WORDS: u64 = 1 << 18;

impl<'a> Ledger<'a> {
    /// Accounts of island number `island`, with a work limit.
    pub fn new(coordinator: &'a dyn Coordinator, island: u32, limit: u64) -> Self {
        Ledger {
            coordinator,
            island,
            limit,
            work: 0,
            next_ask: 0,
            ask_every: ASK_EVERY,
            stopped: limit == 0,
            solved_at: None,
            best: None,
            tally: Tally::default(),
        }
    }

    /// Adapts the time between two reports to the moves of this instance.
    pub fn pace(&mut self, problem: &Problem) {
        self.ask_every = (ASK_EVERY_WORDS / problem.words_per_move().max(1)).clamp(1, ASK_EVERY);
        self.next_ask = self.next_ask.min(self.work + self.ask_every);
        self.tally.most = if problem.graph.aim == Aim::Weight { problem.graph.total } else { 0 };
    }

    /// Counts moves; `true` to continue.
    #[inline]
    pub fn spend_moves(&mut self, moves: u64) -> bool {
        self.tally.moves += moves;
        self.spend(moves)
    }

    /// Counts work; `true` to continue.
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
        self.next_ask = self.work + self.ask_every;
        self.coordinator.report(self.island, &self.tally);
        if self.work >= self.limit || !self.coordinator.should_continue(self.island, self.work) {
            self.stopped = true;
        }
    }

    /// `true` to continue with uncounted work.
    pub fn should_continue(&mut self) -> bool {
        self.stopped = self.stopped || !self.coordinator.should_continue(self.island, self.work);
        !self.stopped
    }

    /// Enters a stage of `of` steps (0 if unknown).
    pub fn enter(&mut self, stage: Stage, of: u64) {
        (self.tally.stage, self.tally.done, self.tally.of) = (stage, 0, of);
        self.coordinator.report(self.island, &self.tally);
    }

    /// Score of the best wiring so far.
    pub fn best_score(&self) -> Score {
        self.best.as_ref().map_or(Score::NONE, |best| best.score)
    }

    /// Records a wiring if it is the best so far. A perfect one ends the search.
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

    /// Offers a wiring to the coordinator.
    pub fn offer(&self, score: Score, genome: &[u32]) {
        if self.coordinator.wants(score) {
            self.coordinator.offer(score, genome);
        }
    }

    /// `true` if checkpoints are kept.
    pub fn keeps_checkpoints(&self) -> bool {
        self.coordinator.keeps_checkpoints()
    }

    /// `true` if a checkpoint waits for this island's state.
    pub fn wants_state(&self) -> bool {
        self.coordinator.wants_state(self.island)
    }

    /// Hands over this island's state; `last` if the island has ended.
    pub fn hand_over(&self, state: Vec<u8>, last: bool) {
        self.coordinator.take_state(self.island, state, last);
    }

    /// `true` if the island ends because its work is done or spent, not because of a cancel or deadline.
    pub fn ends_by_itself(&mut self) -> bool {
        self.work >= self.limit || self.solved_at.is_some() || self.should_continue()
    }

    /// The part that a checkpoint keeps.
    pub fn account(&self) -> Account {
        let (work, solved_at) = (self.work, self.solved_at);
        Account { work, solved_at, best: self.best.clone(), tally: self.tally }
    }

    /// Restores accounts from a checkpoint.
    pub fn resume(&mut self, account: Account) {
        (self.work, self.solved_at, self.best) = (account.work, account.solved_at, account.best);
        self.tally = account.tally;
        self.next_ask = 0;
        self.stopped = self.work >= self.limit;
        if let Some(best) = &self.best {
            self.offer(best.score, &best.genome);
        }
    }

    /// Takes over accounts that were kept elsewhere.
    pub fn adopt(&mut self, account: Account) {
        self.resume(account);
        self.coordinator.report(self.island, &self.tally);
        if let Some(work) = self.solved_at {
            self.stopped = true;
            self.coordinator.solved(self.island, work);
        }
    }

    /// Takes news of accounts that are kept elsewhere. They count only if these accounts never come.
    pub fn hear(&mut self, tally: Tally, best: Option<Elite>) {
        self.tally = tally;
        self.coordinator.report(self.island, &self.tally);
        if let Some(best) = best.filter(|best| best.score < self.best_score()) {
            self.offer(best.score, &best.genome);
            let method = self.best.take().map(|best| best.method);
            self.best = Some(Elite { method: method.unwrap_or(best.method), ..best });
        }
    }

    /// Limit of work.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Reports the population.
    pub fn report_population(&self, population: &[Score], diversity: f64) {
        self.coordinator.report_population(self.island, population, diversity);
    }

    /// Swaps the best wiring for another island's.
    pub fn exchange(&mut self, epoch: u64) -> Option<Elite> {
        let stage = self.tally.stage;
        self.enter(Stage::Waiting, 0);
        let other = self.best.clone().and_then(|elite| self.coordinator.exchange(self.island, epoch, elite));
        self.tally.stage = stage;
        self.should_continue();
        other
    }

    /// Closes the accounts and returns the best wiring.
    pub fn close(self) -> Option<Elite> {
        self.coordinator.report(self.island, &self.tally);
        self.best
    }
}
