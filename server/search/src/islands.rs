//! Islands on threads, and the strait between them: the only file that knows threads and clocks.
//!
//! Each island searches on its own thread with its own dice. At the end of an epoch, counted in work, all wait for each
//! other, and each gets its neighbour's best: so what an island does depends on seed and work alone. The one that solves
//! the instance with least work wins (among equals the first); an island stops once another has solved it with less, and
//! not before, so that the winner does not depend on which thread ran faster. If none does, the least uncovered wins.
//!
//! The calling thread watches: it hands better wirings and progress to the observer, and is the only one to call it. A
//! scribe on a thread of its own turns wirings into designs, so that a wiring of a million PEs does not hold up a report.

use crate::{
    ledger::{Coordinator, Elite, Ledger, Score, Tally},
    reporter::{DesignBuilder, PopulationReport, Reporter, Scored},
    wiring::Genome,
};
use serde::{Deserialize, Serialize};
use shared::{
    design::Design,
    search::{Observer, Progress},
};
use std::{
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::SeqCst},
        mpsc::{Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

/// An island that waits for others looks this often whether there is still reason to.
const RECHECK: Duration = Duration::from_millis(50);

/// How the islands ended.
pub struct Ending {
    /// The best wiring, if any was made.
    pub best: Option<Elite>,
    /// The last progress.
    pub progress: Progress,
}

/// A search that was written down, to be gone on with.
#[derive(Serialize, Deserialize)]
pub struct Checkpoint {
    /// Which search it is.
    pub fingerprint: u64,
    /// Seconds it has taken so far.
    pub elapsed: f64,
    /// How good the best wiring was that had been shown, if any had been, and how many had been.
    pub shown: (Option<Score>, u64),
    /// Each island's state.
    pub islands: Vec<Vec<u8>>,
    /// What each island has given to others, of its last two epochs.
    pub migrations: Vec<Migration>,
}

/// The terms of a search.
pub struct Settings<'a> {
    /// Work that each island may do.
    pub limits: &'a [u64],
    /// When to end.
    pub deadline: Option<Duration>,
    /// Requested pairs.
    pub requested: u64,
    /// Time between two reports.
    pub tick: Duration,
    /// Which search it is, for checkpoints.
    pub fingerprint: u64,
    /// Where it goes on.
    pub resumed: Option<Checkpoint>,
}

/// What every island does, from its state in a checkpoint if there is one.
pub type IslandFn<'a> = &'a (dyn Fn(u32, Option<&[u8]>, &mut Ledger) + Sync);
/// From the switch of every NI to a design.
pub type Translate<'a> = &'a (dyn Fn(&[u32]) -> Design + Sync);

/// Runs `island_fn` on each of `settings.limits.len()` threads; each may spend its limit of work. Ends when all have. The best
/// wiring is left to the caller to show.
pub fn run(
    settings: &Settings,
    cancel: &AtomicBool,
    observer: &mut dyn Observer,
    translate: Translate,
    island_fn: IslandFn,
) -> Ending {
    let coordinator = LocalCoordinator::new(settings, cancel, observer.keeps_checkpoints());
    let (done, finished) = channel();
    thread::scope(|scope| {
        for (number, &limit) in settings.limits.iter().enumerate() {
            let (coordinator, done) = (&coordinator, done.clone());
            let saved = settings.resumed.as_ref().map(|resumed| &*resumed.islands[number]);
            scope.spawn(move || run_island(coordinator, number as u32, limit, saved, island_fn, &done));
        }
        drop(done);
        let builder = DesignBuilder::begin(scope, translate);
        let mut reporter = Reporter::new(&coordinator, observer, settings);
        let ends = reporter.run(&finished, builder);
        Ending { best: winner(ends), progress: reporter.report() }
    })
}

/// Frees what may be hundreds of MiB without anybody waiting for it.
pub fn drop_in_background<T: Send + 'static>(value: T) {
    // Where no thread is to be had, the closure is dropped, and the value with it.
    drop(thread::Builder::new().spawn(move || drop(value)));
}

/// How one island ended: its number, when it solved the instance, its best.
pub(crate) type IslandEnd = (u32, Option<u64>, Option<Elite>);

fn run_island(
    coordinator: &LocalCoordinator,
    number: u32,
    limit: u64,
    saved: Option<&[u8]>,
    island_fn: IslandFn,
    done: &Sender<IslandEnd>,
) {
    // Even if the island panics the others must not wait for it.
    let _guard = EndGuard { coordinator, number };
    let mut ledger = Ledger::new(coordinator, number, limit);
    island_fn(number, saved, &mut ledger);
    let solved = ledger.solved_at();
    // The receiver outlives the threads: nothing can be lost.
    let _ = done.send((number, solved, ledger.close()));
}

fn winner(mut ends: Vec<IslandEnd>) -> Option<Elite> {
    ends.retain(|end| end.2.is_some());
    ends.sort_by_key(|(number, solved, elite)| {
        (solved.unwrap_or(u64::MAX), elite.as_ref().map_or(Score::NONE, |e| e.score), *number)
    });
    ends.into_iter().next().and_then(|end| end.2)
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

/// What the islands share.
pub(crate) struct LocalCoordinator<'a> {
    pub(crate) cancel: &'a AtomicBool,
    pub(crate) began: Instant,
    pub(crate) deadline: Option<Duration>,
    /// Least work with which an island has solved the instance.
    pub(crate) solved_with: AtomicU64,
    pub(crate) tallies: Vec<Mutex<Tally>>,
    pub(crate) populations: Vec<Mutex<PopulationReport>>,
    /// How good the best wiring shown is ([`Score::key`]); a better one is wanted when the watcher is ready.
    pub(crate) shown: AtomicU64,
    pub(crate) ready: AtomicBool,
    pub(crate) fresh: Mutex<Option<Scored<Genome>>>,
    pub(crate) exchange: Mutex<Exchange>,
    pub(crate) arrived: Condvar,
    /// Seconds before this process.
    pub(crate) elapsed_before: f64,
    /// Whether checkpoints are kept at all.
    pub(crate) keeps_checkpoints: bool,
    pub(crate) slots: Vec<StateSlot>,
}

/// An island's part of a checkpoint.
#[derive(Default)]
pub(crate) struct StateSlot {
    pub(crate) wanted: AtomicBool,
    /// Whether the island has ended by itself, and left this.
    pub(crate) last: AtomicBool,
    pub(crate) state: Mutex<Option<Vec<u8>>>,
}

/// What the exchange between islands guards with one lock.
pub(crate) struct Exchange {
    pub(crate) migrations: Vec<Migration>,
    /// `true` for an island inside [`Coordinator::exchange`]: it has handed over its state before.
    pub(crate) waiting: Vec<bool>,
}

/// What an island has given to others.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Migration {
    /// Epochs this island has come to the end of.
    epochs: u64,
    ended: bool,
    /// Its best at the end of even and odd epochs.
    elites: [Option<Elite>; 2],
}

impl<'a> LocalCoordinator<'a> {
    fn new(settings: &Settings, cancel: &'a AtomicBool, keeps_checkpoints: bool) -> Self {
        let (islands, deadline) = (settings.limits.len(), settings.deadline);
        // An island that had ended lives again: with a larger budget it may have more to give.
        let here = |migration: &Migration| Migration { ended: false, ..migration.clone() };
        let migrations =
            settings.resumed.as_ref().map(|resumed| resumed.migrations.iter().map(here).collect());
        LocalCoordinator {
            cancel,
            began: Instant::now(),
            deadline,
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
        !self.cancel.load(SeqCst)
            && self.solved_with.load(SeqCst) >= work
            && self.deadline.is_none_or(|deadline| self.began.elapsed() < deadline)
    }

    fn report(&self, island: u32, tally: &Tally) {
        *lock(&self.tallies[island as usize]) = *tally;
    }

    fn report_population(&self, island: u32, population: &[u64], diversity: f64) {
        *lock(&self.populations[island as usize]) =
            PopulationReport { counts: population.to_vec(), diversity };
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
        // Leaving early is for a cancel or a deadline only: what an island gets must not depend on anybody's speed.
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

/// A lock that a panicking island cannot take with it: what it guards is replaced whole, never half.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

// An island without others: what is searched before or after the islands live, or in a test.

/// Where nobody else is. Says stop after a cancel or at a time, if there are any; nothing that it hears goes further.
#[derive(Clone, Copy, Debug)]
pub struct SoloCoordinator<'a> {
    cancel: Option<&'a AtomicBool>,
    until: Option<Instant>,
}

impl<'a> SoloCoordinator<'a> {
    /// Never says stop.
    pub const UNLIMITED: SoloCoordinator<'static> = SoloCoordinator { cancel: None, until: None };

    /// Says stop after a cancel, and after this time from now on if one is given.
    pub fn within(cancel: &'a AtomicBool, time: Option<Duration>) -> SoloCoordinator<'a> {
        SoloCoordinator {
            cancel: Some(cancel),
            until: time.and_then(|time| Instant::now().checked_add(time)),
        }
    }
}

impl Coordinator for SoloCoordinator<'_> {
    fn should_continue(&self, _island: u32, _work: u64) -> bool {
        !self.cancel.is_some_and(|cancel| cancel.load(SeqCst))
            && self.until.is_none_or(|until| Instant::now() < until)
    }

    fn report(&self, _island: u32, _tally: &Tally) {}

    fn report_population(&self, _island: u32, _population: &[u64], _diversity: f64) {}

    fn wants(&self, _score: Score) -> bool {
        false
    }

    fn offer(&self, _score: Score, _genome: &[u32]) {}

    fn solved(&self, _island: u32, _work: u64) {}

    fn exchange(&self, _island: u32, _epoch: u64, _elite: Elite) -> Option<Elite> {
        None
    }
}
