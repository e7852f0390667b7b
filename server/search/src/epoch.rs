//! Epochs of an island as pure functions, so that they can run on other machines.
//!
//! An [`Epoch`] goes from one state of an island to a later one: to the next exchange, or to a point in between if that is
//! far. [`run`] computes it anywhere: the same epoch gives the same end. [`follow`] is an island whose epochs may run on other
//! [`Machines`]. It takes part in exchanges and checkpoints like an island on a thread, and gives the same wiring.

use crate::{
    genetic::{MAX_DNA_PAIRS, Setup, State},
    islands::lock,
    ledger::{Coordinator, Elite, Ledger, Score, Tally},
    limit::Limit,
    options::Options,
    problem::{Problem, instances, start_genome},
    team::Threads,
    time::{clock::Clock, evolve},
};
use serde::{Deserialize, Serialize};
use spec::{
    demand::Demand,
    spec::{Objective, Spec},
};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering::SeqCst},
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::{Duration, Instant},
};
use work::search::SearchRequest;

/// Work after which an epoch ends between two exchanges: some seconds, which is what a lost worker costs.
pub const PART: u64 = 8 << 20;
/// Memory for all populations together, in bytes; decides their size.
const POPULATIONS: u64 = 512 << 20;
/// Time between two reports of an epoch.
const REPORT_EVERY: Duration = Duration::from_millis(250);
/// Time between two questions whether an epoch shall continue.
const WATCH_EVERY: Duration = Duration::from_millis(50);

/// An epoch to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Epoch {
    /// Number of the island.
    pub island: u32,
    /// Work limit of the island, from its start.
    pub limit: u64,
    /// State of the island.
    pub state: Vec<u8>,
    /// The neighbour's best wiring, if the epoch begins with an exchange.
    pub migrant: Option<Elite>,
}

/// End of an epoch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum EpochEnd {
    /// The state from which the next epoch begins.
    Next(Vec<u8>),
    /// The last state: the island has solved the instance, has spent its work, or found nothing left to do.
    Last(Vec<u8>),
    /// It was stopped.
    Stopped,
    /// The island panicked.
    Crashed,
}

/// Progress of an epoch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EpochProgress {
    /// Counters of the island.
    pub tally: Tally,
    /// Score of each wiring of its population, and their diversity, 0 to 1.
    pub population: (Vec<Score>, f64),
    /// A better wiring.
    pub best: Option<Elite>,
}

/// Machines that run epochs.
pub trait Machines: Sync {
    /// Opens a search whose epochs may run on them.
    fn open<'a>(&'a self, search: &'a SearchRequest) -> Box<dyn Epochs + 'a>;
}

/// The epochs of one search.
pub trait Epochs: Sync {
    /// Runs an epoch to its end, on another machine or with `here` in this process. Calls `watch` with its news, and at least
    /// five times per second without any. Stops the epoch once that returns `false`.
    fn run(&self, epoch: &Epoch, here: EpochRunner, watch: Watch) -> EpochEnd;
}

/// Takes the news of an epoch; `true` if it shall continue.
pub type Watch<'a> = &'a mut dyn FnMut(Option<EpochProgress>) -> bool;
/// Runs an epoch in this process.
pub type EpochRunner<'a> = &'a dyn Fn(Watch) -> EpochEnd;

/// Instances of a search, read once for all epochs that run in this process.
pub struct Instances {
    pub(crate) problems: Vec<Problem>,
    spec: Arc<Spec>,
    demand: Arc<Demand>,
    start: Option<Vec<u32>>,
    clock: Option<Box<Clock>>,
    size: usize,
    threads: Threads,
}

impl Instances {
    /// Reads the instances of a search; `None` if `go_on` returns `false` meanwhile.
    pub fn read(
        request: &SearchRequest,
        options: &Options,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Option<Instances> {
        let (spec, demand) = (&*request.spec, &*request.demand);
        let problems = instances(spec, demand, go_on)?;
        let threads = Threads::of(spec, request.threads, options);
        let size = population_size(spec, demand, threads.islands, options);
        let start = start_genome(spec);
        let clock = if spec.objective == Objective::Time { Clock::of(spec).map(Box::new) } else { None };
        let (spec, demand) = (request.spec.clone(), request.demand.clone());
        Some(Instances { problems, spec, demand, start, clock, size, threads })
    }

    /// Inputs of an island.
    pub(crate) fn setup<'a>(&'a self, options: &'a Options, number: u32) -> Setup<'a> {
        let Instances { problems, spec, demand, start, clock, size, threads } = self;
        let (start, clock) = (start.as_deref(), clock.as_deref());
        let helpers = threads.helpers(number);
        Setup { problems, spec, demand, start, clock, size: *size, options, helpers, number }
    }
}

/// Wirings in the population of each island.
fn population_size(spec: &Spec, demand: &Demand, islands: u32, options: &Options) -> usize {
    let pairs = demand.len() as u64;
    let dna = if pairs <= MAX_DNA_PAIRS && matches!(spec.objective, Objective::Sparse | Objective::Time) {
        4 * pairs
    } else {
        0
    };
    let one = 4 * spec.total_nis() + dna;
    let fit = POPULATIONS / (u64::from(islands) * one.max(1));
    (fit.min(u64::from(options.population)) as usize).max(2)
}

/// Runs an epoch on this thread until it ends or `stop` is set; it ends after about `part` of work, or at an exchange. Calls
/// `report` about four times per second.
pub fn run(
    instances: &Instances,
    options: &Options,
    epoch: &Epoch,
    part: u64,
    stop: &AtomicBool,
    report: &(dyn Fn(EpochProgress) + Sync),
) -> EpochEnd {
    let Some((mut state, account)) = State::restore(&epoch.state) else { return EpochEnd::Stopped };
    let coordinator = Station {
        stop,
        is_over: AtomicBool::new(false),
        over_at: account.work().saturating_add(part.max(1)),
        work: AtomicU64::new(account.work()),
        migrant: Mutex::new(state.exchanging().map(|_| epoch.migrant.clone())),
        shown: Mutex::new(account.best_score()),
        kept: Mutex::default(),
        news: Mutex::default(),
        reported: Mutex::new(Instant::now()),
        report,
    };
    let setup = instances.setup(options, epoch.island);
    let work = || {
        let mut ledger = Ledger::new(&coordinator, epoch.island, epoch.limit);
        ledger.resume(account);
        evolve(&setup, &mut state, &mut ledger);
    };
    match catch_unwind(AssertUnwindSafe(|| Limit::new(stop, Instant::now(), None).run(work))) {
        Err(_) => EpochEnd::Crashed,
        Ok(Err(_)) => EpochEnd::Stopped,
        Ok(Ok(())) => match lock(&coordinator.kept).take() {
            Some((state, true)) => EpochEnd::Last(state),
            Some((state, false)) if coordinator.is_over.load(SeqCst) => EpochEnd::Next(state),
            _ => EpochEnd::Stopped,
        },
    }
}

/// The coordinator of one epoch: its island meets the others only at the ends.
struct Station<'a> {
    stop: &'a AtomicBool,
    /// `true` once the island has reached its next exchange, or has left its state after enough work.
    is_over: AtomicBool,
    /// Work after which the epoch ends.
    over_at: u64,
    /// Work of the island when it last asked.
    work: AtomicU64,
    /// Answer to the exchange with which the epoch begins, if it begins with one.
    migrant: Mutex<Option<Option<Elite>>>,
    /// Score of the best wiring reported.
    shown: Mutex<Score>,
    /// The island's last state, and whether it has ended.
    kept: Mutex<Option<(Vec<u8>, bool)>>,
    news: Mutex<EpochProgress>,
    reported: Mutex<Instant>,
    report: &'a (dyn Fn(EpochProgress) + Sync),
}

impl Station<'_> {
    fn report_if_due(&self) {
        let mut reported = lock(&self.reported);
        if reported.elapsed() >= REPORT_EVERY {
            *reported = Instant::now();
            let mut news = lock(&self.news);
            let best = news.best.take();
            (self.report)(EpochProgress { best, ..news.clone() });
        }
    }
}

impl Coordinator for Station<'_> {
    fn should_continue(&self, _island: u32, work: u64) -> bool {
        self.work.store(work, SeqCst);
        !self.stop.load(SeqCst) && !self.is_over.load(SeqCst)
    }

    fn report(&self, _island: u32, tally: &Tally) {
        lock(&self.news).tally = *tally;
        self.report_if_due();
    }

    fn report_population(&self, _island: u32, population: &[Score], diversity: f64) {
        lock(&self.news).population = (population.to_vec(), diversity);
    }

    fn wants(&self, score: Score) -> bool {
        score < *lock(&self.shown) && lock(&self.news).best.is_none()
    }

    fn offer(&self, score: Score, genome: &[u32]) {
        *lock(&self.shown) = score;
        // The end of the epoch gives the origin.
        let best = Elite { genome: genome.to_vec(), score, method: String::new() };
        lock(&self.news).best = Some(best);
    }

    fn exchange(&self, _island: u32, _epoch: u64, _elite: Elite) -> Option<Elite> {
        let migrant = lock(&self.migrant).take();
        if migrant.is_none() {
            self.is_over.store(true, SeqCst);
        }
        migrant.flatten()
    }

    fn keeps_checkpoints(&self) -> bool {
        true
    }

    fn wants_state(&self, _island: u32) -> bool {
        self.work.load(SeqCst) >= self.over_at
    }

    fn take_state(&self, _island: u32, state: Vec<u8>, last: bool) {
        *lock(&self.kept) = Some((state, last));
        // Before an exchange, the island hands over its state for that exchange.
        if self.wants_state(0) {
            self.is_over.store(true, SeqCst);
        }
    }
}

/// [`run`] on another thread of this process, until the epoch ends or `watch` stops it.
pub fn run_watched(
    instances: &Instances,
    options: &Options,
    epoch: &Epoch,
    part: u64,
    watch: Watch,
) -> EpochEnd {
    let stop = &AtomicBool::new(false);
    let (sender, reports) = channel();
    thread::scope(|threads| {
        let running = threads.spawn(move || {
            // The receiver outlives this thread.
            run(instances, options, epoch, part, stop, &|news| _ = sender.send(news))
        });
        loop {
            let news = match reports.recv_timeout(WATCH_EVERY) {
                Ok(news) => Some(news),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if !watch(news) {
                stop.store(true, SeqCst);
            }
        }
        running.join().unwrap_or(EpochEnd::Crashed)
    })
}

/// An island from this state, whose epochs may run elsewhere. `read` returns the instances for those that run here.
pub fn follow<'a>(
    epochs: &dyn Epochs,
    options: &Options,
    read: &dyn Fn(&mut dyn FnMut() -> bool) -> Option<&'a Instances>,
    number: u32,
    mut state: Vec<u8>,
    ledger: &mut Ledger,
) {
    while let Some((saved, account)) = State::restore(&state) {
        ledger.adopt(account);
        ledger.hand_over(state.clone(), false);
        let migrant = saved.exchanging().and_then(|epoch| ledger.exchange(epoch));
        if !ledger.should_continue() {
            return;
        }
        let epoch = Epoch { island: number, limit: ledger.limit(), state, migrant };
        let here = |watch: Watch| match read(&mut || watch(None)) {
            Some(instances) => run_watched(instances, options, &epoch, PART, watch),
            None => EpochEnd::Stopped,
        };
        let end = epochs.run(&epoch, &here, &mut |news| {
            if let Some(EpochProgress { tally, population: (scores, diversity), best }) = news {
                ledger.hear(tally, best);
                ledger.report_population(&scores, diversity);
            }
            if ledger.wants_state() {
                ledger.hand_over(epoch.state.clone(), false);
            }
            ledger.should_continue()
        });
        state = match end {
            EpochEnd::Next(next) => next,
            EpochEnd::Last(last) => {
                let Some((_, account)) = State::restore(&last) else { break };
                ledger.adopt(account);
                return ledger.hand_over(last, true);
            }
            EpochEnd::Stopped if !ledger.should_continue() => return,
            EpochEnd::Stopped | EpochEnd::Crashed => break,
        };
    }
    panic!("an epoch crashed");
}
