//! What an island has spent and found, and how it talks to the rest of the world.
//!
//! Work is counted in move evaluations, with a construction's steps counted like moves: never in time, so that a run
//! can be repeated. What depends on time (cancel, a deadline) comes through [`Mainland`] alone.

use crate::wiring::Genome;

/// What an island is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// Preparing the instance.
    #[default]
    Reading,
    /// The lowest-numbered-switch fill.
    Fill,
    /// A scaled-down problem with this many ports on a switch.
    Scaled(u32),
    /// The greedy heuristic, ties to the lowest PE number.
    Greedy,
    /// The greedy heuristic, ties by DNA.
    GreedyByDna,
    /// Repair of a first design.
    Repair,
    /// Repair of a crossover's child.
    Crossover,
    /// Repair of a mutant.
    Mutation,
    /// Waiting for other islands.
    Waiting,
}

/// What an island has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
}

/// A wiring that travels: between islands, or out of the search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elite {
    /// The switch of every NI.
    pub genome: Genome,
    /// Pairs it leaves uncovered.
    pub uncovered: u64,
    /// How it was made, in words.
    pub method: &'static str,
}

/// What the islands talk through. In one process it is [`crate::islands`]; a studio that outgrows its machine puts
/// another one in its place.
pub trait Mainland: Sync {
    /// Whether an island that has done this much work should go on. No after a cancel or a deadline, or once another
    /// island has solved the instance with less work in the same epoch.
    fn heeds(&self, island: u32, work: u64) -> bool;
    /// Hears what an island has done.
    fn hears(&self, island: u32, tally: &Tally);
    /// Hears how an island's population stands: uncovered pairs of each wiring, and how unlike they are (0 to 1).
    fn counts(&self, island: u32, population: &[u64], diversity: f64);
    /// Whether a wiring with this many uncovered pairs would be looked at now.
    fn wants(&self, uncovered: u64) -> bool;
    /// Takes a better wiring.
    fn sees(&self, uncovered: u64, genome: &[u32]);
    /// Hears that an island has solved the instance with this much work.
    fn solved(&self, island: u32, work: u64);
    /// Gives away an island's best and gets another island's. Waits until all islands have come to this epoch.
    fn trades(&self, island: u32, epoch: u64, elite: Elite) -> Option<Elite>;
}

/// One island's accounts.
pub struct Ledger<'a> {
    land: &'a dyn Mainland,
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
    pub fn new(land: &'a dyn Mainland, island: u32, limit: u64) -> Self {
        Ledger {
            land,
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
        self.land.hears(self.island, &self.tally);
        if self.work >= self.limit || !self.land.heeds(self.island, self.work) {
            self.stopped = true;
        }
    }

    /// Whether to go on with something whose work is not counted.
    pub fn goes_on(&mut self) -> bool {
        self.stopped = self.stopped || !self.land.heeds(self.island, self.work);
        !self.stopped
    }

    /// Enters a stage of so many steps (0 if unknown).
    pub fn enter(&mut self, stage: Stage, of: u64) {
        (self.tally.stage, self.tally.done, self.tally.of) = (stage, 0, of);
        self.land.hears(self.island, &self.tally);
    }

    /// Work done so far.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Whether this island has solved the instance, and with how much work.
    pub fn solved_at(&self) -> Option<u64> {
        self.solved_at
    }

    /// Uncovered pairs of the best wiring so far.
    pub fn best(&self) -> u64 {
        self.best.as_ref().map_or(u64::MAX, |b| b.uncovered)
    }

    /// The best wiring so far, if any was made.
    pub fn best_genome(&self) -> Option<Genome> {
        self.best.as_ref().map(|b| b.genome.clone())
    }

    /// Notes a wiring if it is the best so far. One without uncovered pairs ends the search.
    pub fn consider(&mut self, uncovered: u64, genome: &[u32], method: &'static str) {
        if uncovered < self.best() {
            match &mut self.best {
                Some(best) => {
                    best.genome.copy_from_slice(genome);
                    (best.uncovered, best.method) = (uncovered, method);
                }
                None => self.best = Some(Elite { genome: genome.to_vec(), uncovered, method }),
            }
        }
        self.show(uncovered, genome);
        if uncovered == 0 && self.solved_at.is_none() {
            self.solved_at = Some(self.work);
            self.stopped = true;
            self.land.solved(self.island, self.work);
        }
    }

    /// Shows a wiring to whoever watches, if it would be looked at.
    pub fn show(&self, uncovered: u64, genome: &[u32]) {
        if self.land.wants(uncovered) {
            self.land.sees(uncovered, genome);
        }
    }

    /// Tells how the population stands.
    pub fn census(&self, population: &[u64], diversity: f64) {
        self.land.counts(self.island, population, diversity);
    }

    /// Gives away the best so far for another island's.
    pub fn trade(&mut self, epoch: u64) -> Option<Elite> {
        let stage = self.tally.stage;
        self.enter(Stage::Waiting, 0);
        let other = self.best.clone().and_then(|elite| self.land.trades(self.island, epoch, elite));
        self.tally.stage = stage;
        self.goes_on();
        other
    }

    /// Closes the accounts: the best wiring, if any was made.
    pub fn close(self) -> Option<Elite> {
        self.land.hears(self.island, &self.tally);
        self.best
    }
}
