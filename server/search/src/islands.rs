//! Islands on threads: exchange, winner, crashes.
//!
//! Each island has its own thread and random numbers. At the end of an epoch, counted in work, all wait for each
//! other, and each gets its neighbour's best wiring: an island depends on seed and work alone. The island that solves
//! the instance with the least work wins. Others stop only after more work than that, so the winner does not depend
//! on speed. Without a solution, the best score wins. An island that panics ends alone.

use crate::{
    checkpoint::{Checkpoint, Migration},
    ledger::{Coordinator, Elite, Ledger, Score, Tally},
    limit::Limit,
    wiring::Genome,
};
use spec::cancel::{Token, scope};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};

/// Time between two checks of a waiting island for a cancel or deadline.
const RECHECK: Duration = Duration::from_millis(50);

/// Settings of a run.
pub struct Settings<'a> {
    /// Work limit of each island.
    pub limits: &'a [u64],
    /// Cancel and time limit.
    pub limit: Limit<'a>,
    /// Start of the search, or of its part in this process.
    pub began: Instant,
    /// Requested pairs.
    pub requested: u64,
    /// Time between two reports.
    pub tick: Duration,
    /// Identifies the search in checkpoints.
    pub fingerprint: u64,
    /// The checkpoint to resume from.
    pub resumed: Option<Checkpoint>,
}

/// State of an island's population.
#[derive(Clone, Debug, Default)]
pub struct PopulationReport {
    /// Score of each wiring.
    pub scores: Vec<Score>,
    /// Diversity, 0 to 1.
    pub diversity: f64,
}

/// A wiring or design with its score.
pub type ScoredItem<T> = (Score, T);

/// The work of an island, from its saved state if there is one.
pub type IslandFn<'a> = &'a (dyn Fn(u32, Option<&[u8]>, &mut Ledger) + Sync);

/// Frees up to hundreds of MiB on another thread.
pub fn drop_in_background<T: Send + 'static>(value: T) {
    drop(thread::Builder::new().spawn(move || drop(value)));
}

/// End of an island.
pub(crate) struct IslandEnd {
    pub(crate) number: u32,
    /// Work at its solution.
    pub(crate) solved: Option<u64>,
    /// Best wiring.
    pub(crate) best: Option<Elite>,
    /// `true` if it panicked.
    pub(crate) crashed: bool,
}

/// Runs an island until it ends, panics, or is inside a long step when `stop` is cancelled. Its best wiring counts in
/// any case.
pub(crate) fn run_island(
    coordinator: &LocalCoordinator,
    number: u32,
    limit: u64,
    stop: &Token,
    island: impl FnOnce(&mut Ledger),
) -> IslandEnd {
    // Others must not wait for an island that panics.
    let _guard = EndGuard { coordinator, number };
    let mut ledger = Ledger::new(coordinator, number, limit);
    let ended = catch_unwind(AssertUnwindSafe(|| scope(stop, || island(&mut ledger))));
    IslandEnd { number, solved: ledger.solved_at, best: ledger.close(), crashed: ended.is_err() }
}

struct EndGuard<'a> {
    coordinator: &'a LocalCoordinator<'a>,
    number: u32,
}

impl Drop for EndGuard<'_> {
    fn drop(&mut self) {
        lock(&self.coordinator.exchange).migrations[self.number as usize].ended = true;
        self.coordinator.arrived.notify_all();
    }
}

/// State shared by the islands of one process.
pub(crate) struct LocalCoordinator<'a> {
    limit: Limit<'a>,
    pub(crate) began: Instant,
    /// Least work with which an island has solved the instance.
    pub(crate) solved_with: AtomicU64,
    pub(crate) tallies: Vec<Mutex<Tally>>,
    pub(crate) populations: Vec<Mutex<PopulationReport>>,
    /// Key of the best wiring shown ([`Score::key`]); a better one is wanted when the reporter is ready.
    pub(crate) shown: AtomicU64,
    pub(crate) ready: AtomicBool,
    pub(crate) fresh: Mutex<Option<ScoredItem<Genome>>>,
    pub(crate) exchange: Mutex<Exchange>,
    pub(crate) arrived: Condvar,
    pub(crate) elapsed_before: f64,
    pub(crate) keeps_checkpoints: bool,
    pub(crate) slots: Vec<StateSlot>,
}

#[derive(Default)]
pub(crate) struct StateSlot {
    pub(crate) wanted: AtomicBool,
    /// `true` if the island has ended by itself.
    pub(crate) last: AtomicBool,
    pub(crate) state: Mutex<Option<Vec<u8>>>,
}

pub(crate) struct Exchange {
    pub(crate) migrations: Vec<Migration>,
    /// `true` for each island inside [`Coordinator::exchange`]: it has handed over its state before.
    pub(crate) waiting: Vec<bool>,
}

impl<'a> LocalCoordinator<'a> {
    pub(crate) fn new(settings: &Settings<'a>, keeps_checkpoints: bool) -> Self {
        let islands = settings.limits.len();
        // With a larger budget, an island that had ended continues.
        let here = |migration: &Migration| Migration { ended: false, ..migration.clone() };
        let migrations =
            settings.resumed.as_ref().map(|resumed| resumed.migrations.iter().map(here).collect());
        LocalCoordinator {
            limit: settings.limit,
            began: settings.began,
            solved_with: AtomicU64::new(u64::MAX),
            tallies: (0..islands).map(|_| Mutex::default()).collect(),
            populations: (0..islands).map(|_| Mutex::default()).collect(),
            shown: AtomicU64::new(u64::MAX),
            ready: AtomicBool::new(true),
            fresh: Mutex::new(None),
            exchange: Mutex::new(Exchange {
                migrations: migrations.unwrap_or(vec![Migration::default(); islands]),
                waiting: vec![false; islands],
            }),
            arrived: Condvar::new(),
            elapsed_before: settings.resumed.as_ref().map_or(0.0, |resumed| resumed.elapsed),
            keeps_checkpoints,
            slots: (0..islands).map(|_| StateSlot::default()).collect(),
        }
    }
}

impl Coordinator for LocalCoordinator<'_> {
    fn should_continue(&self, _island: u32, work: u64) -> bool {
        self.solved_with.load(SeqCst) >= work && !self.limit.is_reached()
    }

    fn report(&self, island: u32, tally: &Tally) {
        *lock(&self.tallies[island as usize]) = *tally;
    }

    fn report_population(&self, island: u32, population: &[Score], diversity: f64) {
        *lock(&self.populations[island as usize]) =
            PopulationReport { scores: population.to_vec(), diversity };
    }

    fn wants(&self, score: Score) -> bool {
        self.ready.load(SeqCst) && score.key() < self.shown.load(SeqCst)
    }

    fn offer(&self, score: Score, genome: &[u32]) {
        let mut fresh = lock(&self.fresh);
        if fresh.as_ref().is_none_or(|(best, _)| score < *best) {
            *fresh = Some((score, genome.to_vec()));
        }
        self.ready.store(false, SeqCst);
    }

    fn solved(&self, _island: u32, work: u64) {
        self.solved_with.fetch_min(work, SeqCst);
    }

    fn exchange(&self, island: u32, epoch: u64, elite: Elite) -> Option<Elite> {
        let (own, slot) = (island as usize, (epoch % 2) as usize);
        let mut exchange = lock(&self.exchange);
        exchange.waiting[own] = true;
        exchange.migrations[own].elites[slot] = Some(elite);
        exchange.migrations[own].epochs = epoch + 1;
        self.arrived.notify_all();
        // Only a cancel or deadline ends this early: results must not depend on speed.
        while exchange.migrations.iter().any(|m| !m.ended && m.epochs <= epoch)
            && self.should_continue(island, 0)
        {
            let waited = self.arrived.wait_timeout(exchange, RECHECK);
            exchange = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        exchange.waiting[own] = false;
        let neighbour = &exchange.migrations[(own + 1) % exchange.migrations.len()];
        if neighbour.epochs > epoch { neighbour.elites[slot].clone() } else { None }
    }

    fn keeps_checkpoints(&self) -> bool {
        self.keeps_checkpoints
    }

    fn wants_state(&self, island: u32) -> bool {
        self.keeps_checkpoints && self.slots[island as usize].wanted.load(SeqCst)
    }

    fn take_state(&self, island: u32, state: Vec<u8>, last: bool) {
        let slot = &self.slots[island as usize];
        *lock(&slot.state) = Some(state);
        slot.last.store(last, SeqCst);
        slot.wanted.store(false, SeqCst);
    }
}

/// Locks in spite of a panicked island: guarded values are replaced as a whole.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
