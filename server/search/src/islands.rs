//! Islands on threads, and the strait between them: the only file that knows threads and clocks.
//!
//! Each island searches on its own thread with its own dice. At the end of an epoch, counted in work, all wait for each
//! other, and each gets its neighbour's best: so what an island does depends on seed and work alone. The one that solves
//! the instance with least work wins (among equals the first); an island stops once another has solved it with less, and
//! not before, so that the winner does not depend on which thread ran faster. If none does, the least uncovered wins.
//!
//! The calling thread watches: it hands better wirings and progress to the observer, and is the only one to call it.

use crate::{
    ledger::{Elite, Ledger, Mainland, Tally},
    report::{Census, Standing, progress},
};
use shared::search::Progress;
use std::{
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::SeqCst},
        mpsc::{Receiver, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

/// Time between two reports.
const TICK: Duration = Duration::from_millis(100);
/// Showing a better wiring may take this share of the watcher's time.
const SHOW_SHARE: u32 = 4;

/// What the watcher hands on.
pub trait Watcher {
    /// A better wiring: the switch of every NI, and its uncovered pairs.
    fn better(&mut self, genome: &[u32], uncovered: u64);
    /// How things stand.
    fn progress(&mut self, progress: &Progress);
}

/// How the islands ended.
pub struct Ending {
    /// The best wiring, if any was made.
    pub best: Option<Elite>,
    /// The last progress.
    pub progress: Progress,
}

/// Runs `island` on each of `limits.len()` threads; each may spend its limit of work. Ends when all have.
pub fn run(
    limits: &[u64],
    deadline: Option<Duration>,
    requested: u64,
    cancel: &AtomicBool,
    watcher: &mut dyn Watcher,
    island: &(dyn Fn(u32, &mut Ledger) + Sync),
) -> Ending {
    let strait = Strait::new(limits.len(), deadline, requested, cancel);
    let (done, finished) = channel();
    let mut watch =
        Watch { strait: &strait, watcher, requested, best: requested, revision: 0, quiet_until: None };
    watch.report();
    let ends = thread::scope(|scope| {
        for (number, &limit) in limits.iter().enumerate() {
            let (strait, done) = (&strait, done.clone());
            scope.spawn(move || live(strait, number as u32, limit, island, &done));
        }
        drop(done);
        watch.until_all_end(limits.len(), &finished)
    });
    let best = winner(ends);
    watch.last(best.as_ref());
    let progress = watch.report();
    Ending { best, progress }
}

/// How one island ended: its number, when it solved the instance, its best.
type End = (u32, Option<u64>, Option<Elite>);

fn live(
    strait: &Strait,
    number: u32,
    limit: u64,
    island: &(dyn Fn(u32, &mut Ledger) + Sync),
    done: &Sender<End>,
) {
    // Even if the island panics the others must not wait for it.
    let _leave = Leave { strait, number };
    let mut ledger = Ledger::new(strait, number, limit);
    island(number, &mut ledger);
    let solved = ledger.solved_at();
    // The receiver outlives the threads: nothing can be lost.
    let _ = done.send((number, solved, ledger.close()));
}

fn winner(mut ends: Vec<End>) -> Option<Elite> {
    ends.retain(|end| end.2.is_some());
    ends.sort_by_key(|(number, solved, elite)| {
        (solved.unwrap_or(u64::MAX), elite.as_ref().map_or(u64::MAX, |e| e.uncovered), *number)
    });
    ends.into_iter().next().and_then(|end| end.2)
}

struct Leave<'a> {
    strait: &'a Strait<'a>,
    number: u32,
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        lock(&self.strait.harbour).berths[self.number as usize].gone = true;
        self.strait.arrival.notify_all();
    }
}

/// What the islands share.
struct Strait<'a> {
    cancel: &'a AtomicBool,
    began: Instant,
    deadline: Option<Duration>,
    /// Least work with which an island has solved the instance.
    solved_with: AtomicU64,
    tallies: Vec<Mutex<Tally>>,
    censuses: Vec<Mutex<Census>>,
    /// Uncovered pairs of the best wiring shown; a better one is wanted when the watcher is ready.
    shown: AtomicU64,
    ready: AtomicBool,
    fresh: Mutex<Option<(u64, Vec<u32>)>>,
    harbour: Mutex<Harbour>,
    arrival: Condvar,
}

struct Harbour {
    berths: Vec<Berth>,
}

#[derive(Clone, Default)]
struct Berth {
    /// Epochs this island has come to the end of.
    epochs: u64,
    gone: bool,
    /// Its best at the end of even and odd epochs.
    elites: [Option<Elite>; 2],
}

impl<'a> Strait<'a> {
    fn new(islands: usize, deadline: Option<Duration>, requested: u64, cancel: &'a AtomicBool) -> Self {
        Strait {
            cancel,
            began: Instant::now(),
            deadline,
            solved_with: AtomicU64::new(u64::MAX),
            tallies: (0..islands).map(|_| Mutex::default()).collect(),
            censuses: (0..islands).map(|_| Mutex::default()).collect(),
            shown: AtomicU64::new(requested),
            ready: AtomicBool::new(true),
            fresh: Mutex::new(None),
            harbour: Mutex::new(Harbour { berths: vec![Berth::default(); islands] }),
            arrival: Condvar::new(),
        }
    }
}

impl Mainland for Strait<'_> {
    fn heeds(&self, _island: u32, work: u64) -> bool {
        !self.cancel.load(SeqCst)
            && self.solved_with.load(SeqCst) >= work
            && self.deadline.is_none_or(|deadline| self.began.elapsed() < deadline)
    }

    fn hears(&self, island: u32, tally: &Tally) {
        *lock(&self.tallies[island as usize]) = *tally;
    }

    fn counts(&self, island: u32, population: &[u64], diversity: f64) {
        *lock(&self.censuses[island as usize]) = Census { counts: population.to_vec(), diversity };
    }

    fn wants(&self, uncovered: u64) -> bool {
        self.ready.load(SeqCst) && uncovered < self.shown.load(SeqCst)
    }

    fn sees(&self, uncovered: u64, genome: &[u32]) {
        let mut fresh = lock(&self.fresh);
        if fresh.as_ref().is_none_or(|(best, _)| uncovered < *best) {
            *fresh = Some((uncovered, genome.to_vec()));
        }
        self.ready.store(false, SeqCst);
    }

    fn solved(&self, _island: u32, work: u64) {
        self.solved_with.fetch_min(work, SeqCst);
    }

    fn trades(&self, island: u32, epoch: u64, elite: Elite) -> Option<Elite> {
        let (own, slot) = (island as usize, (epoch % 2) as usize);
        let mut harbour = lock(&self.harbour);
        harbour.berths[own].elites[slot] = Some(elite);
        harbour.berths[own].epochs = epoch + 1;
        self.arrival.notify_all();
        // Leaving early is for a cancel or a deadline only: what an island gets must not depend on anybody's speed.
        while harbour.berths.iter().any(|b| !b.gone && b.epochs <= epoch) && self.heeds(island, 0) {
            let waited = self.arrival.wait_timeout(harbour, TICK / 2);
            harbour = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let neighbour = &harbour.berths[(own + 1) % harbour.berths.len()];
        if neighbour.epochs > epoch { neighbour.elites[slot].clone() } else { None }
    }
}

/// A lock that a panicking island cannot take with it: what it guards is replaced whole, never half.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Watch<'a, 'w> {
    strait: &'a Strait<'a>,
    watcher: &'w mut dyn Watcher,
    requested: u64,
    best: u64,
    revision: u64,
    quiet_until: Option<Instant>,
}

impl Watch<'_, '_> {
    fn until_all_end(&mut self, islands: usize, finished: &Receiver<End>) -> Vec<End> {
        let mut ends = Vec::new();
        let mut next = Instant::now() + TICK;
        while ends.len() < islands {
            match finished.recv_timeout(next.saturating_duration_since(Instant::now())) {
                Ok(end) => ends.push(end),
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {
                    self.look();
                    self.report();
                    next = Instant::now() + TICK;
                }
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => break,
            }
        }
        ends
    }

    /// Hands on a better wiring, if there is one and the last one did not take too long.
    fn look(&mut self) {
        if self.quiet_until.is_some_and(|until| Instant::now() < until) {
            return;
        }
        let fresh = lock(&self.strait.fresh).take();
        if let Some((uncovered, genome)) = fresh.filter(|(uncovered, _)| *uncovered < self.best) {
            let began = Instant::now();
            self.show(uncovered, &genome);
            self.quiet_until = Some(Instant::now() + began.elapsed() * SHOW_SHARE);
        }
        self.strait.ready.store(true, SeqCst);
    }

    fn show(&mut self, uncovered: u64, genome: &[u32]) {
        self.best = uncovered;
        self.revision += 1;
        self.strait.shown.store(uncovered, SeqCst);
        self.watcher.better(genome, uncovered);
    }

    /// The final wiring is always shown.
    fn last(&mut self, best: Option<&Elite>) {
        if let Some(elite) = best {
            self.show(elite.uncovered, &elite.genome);
        }
    }

    fn report(&mut self) -> Progress {
        let tallies: Vec<Tally> = self.strait.tallies.iter().map(|t| *lock(t)).collect();
        let censuses: Vec<Census> = self.strait.censuses.iter().map(|c| lock(c).clone()).collect();
        let elapsed = self.strait.began.elapsed().as_secs_f64();
        let (best, revision) = (self.best, self.revision);
        let standing = Standing { requested: self.requested, best, revision, elapsed };
        let progress = progress(&standing, &tallies, &censuses);
        self.watcher.progress(&progress);
        progress
    }
}
