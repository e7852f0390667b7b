//! Work of a studio, of every kind: queued, run on threads of its own, watched, stopped, stored and resumed.
//!
//! | module | contents |
//! | --- | --- |
//! | [`live`] | work from its start to its end |
//! | `queue` | queued and running work |
//! | `saver` | writes to the store, beside the work |
//! | [`search`], [`hardware`], [`simulation`], [`computed`] | the kinds |
//! | `history` | a search's chart, thinned as it grows |
//! | `previous` | what was known of a search before it resumes |
//! | [`quick`] | searches while people type, which are not kept |
//! | `replay` | some of a search's wirings, for its replay |
//!
//! A kind implements [`KindOfWork`], which says what work needs, and [`Body`], which runs it and has its report. All else is alike.
//! Searches share the threads of the machine, simulations have a few threads beside them, and computations run as
//! [`tasks`]. Work does not depend on watchers. Every wiring passes the checker before anybody sees it.

pub mod computed;
pub mod hardware;
mod history;
pub mod live;
mod previous;
mod queue;
pub mod quick;
pub mod replay;
mod saver;
pub mod search;
pub mod simulation;

pub use live::{Body, Context, Detail, Live};
pub use queue::{MAX_QUEUED, MAX_QUEUED_PER_OWNER, QueueRefusal};

use crate::{
    VERSION,
    cluster::studio::Workers,
    edit::TokenHash,
    lock,
    log::short,
    prepare::TextError,
    problem::ApiError,
    store::{Store, StoreError, StoredView, WorkRecord, counted, new_id},
    tasks::{self, Budget, Load, Owner, Tasks, WaitingTask},
};
use queue::{ListedJob, Queue, QueueJob, Threads};
use serde_json::value::RawValue;
use shared::{
    analysis::bounds::Refusal,
    api::{ContinueWork, ListedWork, MAX_THREADS, StartWork, WorkKind, WorkState},
    spec::{Fault, Faults},
};
use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, atomic::AtomicBool},
    time::{Duration, Instant},
};
use tracing::{error, info, warn};

/// Max bytes of a stored checkpoint. Writing one blocks all other access to the store.
const MAX_CHECKPOINT_BYTES: usize = 64 << 20;
/// Min pause after a checkpoint, as a multiple of the time it took to write.
const REST: u32 = 20;
/// Message of interrupted work that can resume.
const RESUMES: &str = "The studio was stopped during this work. The results until then are saved, and the work resumes when the studio starts again.";

/// Message of a search that paused after these seconds of search.
fn paused(elapsed: f64) -> String {
    format!("Paused for others after {elapsed:.0} s. It resumes from its checkpoint.")
}

/// Times of the work of a studio.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// Time between two checkpoints of a search. Shorter ones save none.
    pub checkpoint_every: Duration,
    /// Time that a search runs before it pauses for others.
    pub slice: Duration,
}

impl Default for Timing {
    fn default() -> Timing {
        Timing { checkpoint_every: Duration::from_secs(10), slice: Duration::from_secs(60) }
    }
}

/// Place where a kind of work runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// In the queue for the threads of the machine, or of its workers.
    Searches,
    /// In a queue with a few threads of its own, at low priority.
    Beside,
    /// Runs as a task: at once while it is short.
    Task,
}

/// A kind of work.
pub trait KindOfWork: Sync {
    /// Place where it runs.
    fn lane(&self) -> Lane;
    /// Min time between two events.
    fn pace(&self) -> Duration {
        Duration::from_millis(50)
    }
    /// New work, with `threads` of the machine where the form leaves them open. Blocks while the request is read.
    ///
    /// # Errors
    /// The request has faults, provably no solution, or needs more than the studio has.
    fn admit(&self, asked: &StartWork, works: &Works) -> Result<NewWork, StartError>;
    /// Stored work, to resume from its checkpoint at `elapsed` seconds, or from the start.
    ///
    /// # Errors
    /// This version cannot read the request or the report.
    fn resume(&self, record: WorkRecord, elapsed: f64, works: &Works) -> Result<Box<dyn Body>, StartError>;
    /// Work whose units other machines do, and the bytes of memory for one unit at a time.
    ///
    /// # Errors
    /// The request has faults, or the kind has no units.
    fn units(&self, asked: StartWork) -> Result<(Box<dyn Units>, u64), StartError> {
        Err(no_units(asked.kind))
    }
    /// The report of work that was interrupted.
    ///
    /// # Errors
    /// The report is unreadable.
    fn settle(&self, report: &RawValue) -> Result<Box<RawValue>, serde_json::Error> {
        Ok(report.to_owned())
    }
    /// The request of ended work with more time or effort.
    ///
    /// # Errors
    /// The limit is out of range, or nothing is left to do.
    fn extend(&self, record: &WorkRecord, _more: &ContinueWork) -> Result<StartWork, StartError> {
        let fault = Fault::new("kind", record.view.asked.kind.entry().name, "search");
        Err(TextError::from(fault).into())
    }
}

/// The error for work that cannot run on another machine.
fn no_units(kind: WorkKind) -> StartError {
    let expected = "a kind of work that has units";
    TextError::from(Fault::new("kind", kind.entry().name, expected)).into()
}

/// Work on another machine, which does some of its units: loads of a simulation, networks of an estimate.
pub trait Units: Send + Sync {
    /// Does a unit, and reports its news; `None` if it was stopped.
    ///
    /// # Errors
    /// The unit cannot be done here.
    fn unit(
        &self,
        unit: &[u8],
        stop: &AtomicBool,
        report: &(dyn Fn(Vec<u8>) + Sync),
    ) -> Result<Option<Vec<u8>>, String>;
}

/// The kinds of work.
pub fn kind(kind: WorkKind) -> &'static dyn KindOfWork {
    match kind {
        WorkKind::Search => &search::Searches,
        WorkKind::Hardware => &hardware::HardwareSearches,
        WorkKind::Simulation => &simulation::Simulations,
        WorkKind::Compare => &computed::COMPARE,
        WorkKind::Estimate => &computed::ESTIMATE,
        WorkKind::Placement => &computed::PLACEMENT,
        WorkKind::Analysis => &computed::ANALYSIS,
    }
}

/// New work.
pub struct NewWork {
    /// Body of the work.
    pub body: Box<dyn Body>,
    /// Threads that it occupies.
    pub threads: u32,
    /// Expected seconds on one core, if known.
    pub foreseen: Option<f64>,
}

/// Reason why work was not started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The spec or another field of the request has faults.
    #[error("{0}")]
    Text(#[from] TextError),
    /// The spec's hardware provably cannot serve the demand.
    #[error("{}", .0.proof)]
    Refused(Refusal),
    /// The queue is full, or the studio is shutting down.
    #[error("{0}")]
    Busy(#[from] QueueRefusal),
    /// The memory is in use.
    #[error("{0}")]
    Memory(#[from] tasks::TaskRefusal),
    /// The work could not be stored.
    #[error("{0}")]
    Store(#[from] StoreError),
}

impl From<Faults> for StartError {
    fn from(faults: Faults) -> StartError {
        TextError::from(faults).into()
    }
}

impl From<StartError> for ApiError {
    fn from(error: StartError) -> ApiError {
        match error {
            StartError::Text(error) => error.into(),
            StartError::Refused(refusal) => ApiError::Impossible(refusal),
            StartError::Busy(error @ QueueRefusal::Share { .. }) => ApiError::Share(error.to_string()),
            StartError::Busy(error) => ApiError::Busy(error.to_string()),
            StartError::Memory(refused) => refused.into(),
            StartError::Store(error) => error.into(),
        }
    }
}

/// All work of a studio. Its methods fail if the store does, and those that read the store block.
#[derive(Clone)]
pub struct Works {
    store: Arc<Store>,
    searches: Arc<Queue<Live>>,
    beside: Arc<Queue<Live>>,
    /// Running and waiting computations.
    computations: Arc<Mutex<HashMap<String, Arc<Live>>>>,
    timing: Timing,
}

impl Works {
    /// The work of a studio on a machine with `cores` cores, and on its `workers` if it has any. Resumes what an earlier studio left
    /// unfinished; computations need a runtime.
    ///
    /// # Errors
    /// The store fails.
    pub fn new(
        store: Arc<Store>,
        tasks: &Tasks,
        cores: u32,
        timing: Timing,
        workers: Option<Arc<Workers>>,
    ) -> Result<Works, StoreError> {
        store.interrupt_work(|of, report| kind(of).settle(report))?;
        let queue =
            |threads| Queue::new(store.clone(), tasks.memory.clone(), threads, timing.slice, workers.clone());
        let (searches, beside) =
            (queue(Threads::OfMachines(cores)), queue(Threads::Own(simulation::MAX_RUNNING)));
        let works = Works { searches, beside, store, computations: Arc::default(), timing };
        works.resume_all(tasks)?;
        Ok(works)
    }

    /// Resumes work that an earlier studio of this version left unfinished, from its checkpoint or from the start. Work of other
    /// versions stays interrupted.
    fn resume_all(&self, tasks: &Tasks) -> Result<(), StoreError> {
        let mut resumed = BTreeMap::new();
        for (id, elapsed) in self.store.resumable(VERSION)? {
            // Unreadable work must not keep the rest from resuming.
            match self.resume(&id, elapsed, tasks) {
                Ok(Some(kind)) => *resumed.entry(kind).or_default() += 1,
                Ok(None) => {}
                Err(error) => error!(id = short(&id), %error, "cannot resume"),
            }
        }
        if !resumed.is_empty() {
            info!(resumed = counted(&resumed), "resumed work");
        }
        Ok(())
    }

    /// Resumes stored work, and returns its kind.
    fn resume(&self, id: &str, elapsed: f64, tasks: &Tasks) -> Result<Option<WorkKind>, StartError> {
        let Some(record) = self.store.work(id)? else { return Ok(None) };
        let of = record.view.asked.kind;
        let live = self.restore(record, elapsed)?;
        match self.queue(kind(of).lane()) {
            Some(queue) => queue.restore(live),
            None => {
                let caller = tasks::Caller { owner: live.owner.clone(), route: "/api/work".into() };
                self.compute(tasks, tasks.admit(caller, tasks::Lane::Ordinary)?, live);
            }
        }
        Ok(Some(of))
    }

    /// Stored work, queued again.
    fn restore(&self, record: WorkRecord, elapsed: f64) -> Result<Arc<Live>, StartError> {
        let (view, owner) = (record.view.clone(), record.owner.clone());
        let body = kind(view.asked.kind).resume(record, elapsed, self)?;
        let live = Arc::new(Live::new(view, owner, None, body));
        live.keep();
        live.save_as(&self.store, WorkState::Queued, "")?;
        Ok(live)
    }

    fn queue(&self, lane: Lane) -> Option<&Arc<Queue<Live>>> {
        match lane {
            Lane::Searches => Some(&self.searches),
            Lane::Beside => Some(&self.beside),
            Lane::Task => None,
        }
    }

    fn queues(&self) -> [&Arc<Queue<Live>>; 2] {
        [&self.searches, &self.beside]
    }

    /// Threads of a search; by default as many as the machine has.
    fn threads(&self, asked: Option<u32>) -> u32 {
        asked.unwrap_or_else(|| self.cores().min(MAX_THREADS))
    }

    /// The studio's workers on other machines, if it may have any.
    pub fn workers(&self) -> Option<&Arc<Workers>> {
        self.searches.workers.as_ref()
    }

    /// Starts work of a client, who may stop it with the edit token of this hash. Queues it, or returns a computation that is not
    /// running yet and not in the store. Blocks while the request is read and stored.
    ///
    /// # Errors
    /// The request has faults or provably no solution, a limit is exceeded, the queue is full, or the store fails.
    pub fn start(&self, client: &Owner, edit: TokenHash, asked: StartWork) -> Result<Arc<Live>, StartError> {
        asked.form.check(asked.kind)?;
        let of = kind(asked.kind);
        let NewWork { body, threads, foreseen } = of.admit(&asked, self)?;
        let mut view = StoredView {
            id: new_id()?,
            asked,
            threads,
            foreseen,
            version: VERSION.into(),
            report: body.report(Detail::Full),
            ..StoredView::default()
        };
        let Some(queue) = self.queue(of.lane()) else {
            return Ok(Arc::new(Live::new(view, client.clone(), Some(edit), body)));
        };
        let place = queue.reserve(client)?;
        view.created = self.store.add_work(&view, client, Some(edit))?;
        let live = Arc::new(Live::new(view, client.clone(), None, body));
        live.keep();
        place.fill(live.clone());
        Ok(live)
    }

    /// Runs a computation as a task that was admitted.
    pub fn compute(&self, tasks: &Tasks, waiting: WaitingTask, live: Arc<Live>) {
        lock(&self.computations).insert(live.id.clone(), live.clone());
        let (works, tasks) = (self.clone(), tasks.clone());
        tokio::spawn(async move {
            let (state, message) = live.compute(&works, &tasks, waiting).await;
            let retired = tokio::task::spawn_blocking(move || {
                live.retire(&works.store, state, &message);
                lock(&works.computations).remove(&live.id);
            });
            if let Err(error) = retired.await {
                error!(%error, "the end of a computation panicked");
            }
        });
    }

    /// Keeps a computation that may go on for longer, unless it has ended. Blocks.
    ///
    /// # Errors
    /// The store fails.
    pub fn keep(&self, live: &Live) -> Result<(), StoreError> {
        live.keep_in(&self.store)
    }

    /// Queues ended work again, with more time or effort than it has used; `None` without such work. It goes on from its last
    /// checkpoint, or repeats the same moves. Blocks.
    ///
    /// # Errors
    /// The work is not over or has nothing left to do, the limit is out of range, the queue is full, or the store fails.
    pub fn extend(&self, id: &str, more: &ContinueWork) -> Result<Option<Arc<Live>>, StartError> {
        let Some(mut record) = self.store.work(id)? else { return Ok(None) };
        let state = self.find(id).map_or(record.view.state, |live| live.state());
        let of = kind(record.view.asked.kind);
        let asked = of.extend(&record, more);
        if !matches!(state, WorkState::Exhausted | WorkState::Cancelled) {
            let found = serde_json::to_value(state).ok().and_then(|s| Some(s.as_str()?.to_owned()));
            let expected = "a search that was stopped or reached its limit";
            let mut faults = vec![Fault::new("state", found.unwrap_or_default(), expected)];
            if let Err(StartError::Text(TextError::Spec(Faults(more)))) = asked {
                faults.extend(more);
            }
            return Err(Faults(faults).into());
        }
        record.view.asked = asked?;
        record.view.version = VERSION.into();
        let Some(queue) = self.queue(of.lane()) else { return Ok(None) };
        let place = queue.reserve(&record.owner)?;
        let elapsed = self.store.extend_work(id, &record.view.asked, VERSION)?;
        let live = self.restore(record, elapsed)?;
        place.fill(live.clone());
        Ok(Some(live))
    }

    /// The work with this id, if it is queued or running.
    pub fn find(&self, id: &str) -> Option<Arc<Live>> {
        let queued = self.queues().into_iter().find_map(|queue| queue.find(id));
        queued.or_else(|| lock(&self.computations).get(id).cloned())
    }

    /// The work with this id. Blocks.
    pub fn view(&self, id: &str) -> Result<Option<StoredView>, StoreError> {
        match self.find(id) {
            Some(live) => Ok(Some(live.view(Detail::Full))),
            None => Ok(self.store.work(id)?.map(|record| record.view)),
        }
    }

    /// Stops work and returns it. Ended work stays unchanged; running work ends shortly after. Blocks.
    pub fn stop(&self, id: &str) -> Result<Option<StoredView>, StoreError> {
        let Some(live) = self.find(id) else { return self.view(id) };
        self.stop_live(&live);
        Ok(Some(live.view(Detail::Full)))
    }

    fn stop_live(&self, live: &Live) {
        match self.queue(kind(live.asked.kind).lane()) {
            Some(queue) => queue.stop(live),
            None => live.cancel(),
        }
    }

    /// Work as the operator sees it: of each queue the running and then the waiting works in the order of their turns, then computations.
    pub fn list(&self, memory: &Budget) -> Vec<ListedWork> {
        let queued = self.queues().into_iter().flat_map(|queue| {
            let cores = queue.cores();
            queue.list().into_iter().map(move |listed| (listed, cores))
        });
        let listed = queued.map(|(ListedJob { job, running, age, memory }, cores)| {
            job.listed(running, age, job.threads().min(cores), memory)
        });
        let mut all: Vec<ListedWork> = listed.collect();
        let mut computations: Vec<Arc<Live>> = lock(&self.computations).values().cloned().collect();
        computations.sort_by_key(|live| live.since());
        all.extend(computations.iter().map(|live| {
            let running = live.state() == WorkState::Running;
            live.listed(running, live.since().elapsed(), 1, memory.used_by(&live.token()))
        }));
        all
    }

    /// Stops the work with this short hash; `false` if there is none. Blocks.
    pub fn stop_listed(&self, hash: &str) -> bool {
        let queued = self.queues().into_iter().flat_map(|queue| queue.list()).map(|listed| listed.job);
        let computations: Vec<Arc<Live>> = lock(&self.computations).values().cloned().collect();
        let found = queued.chain(computations).find(|live| short(&live.id) == hash);
        found.inspect(|live| self.stop_live(live)).is_some()
    }

    /// Numbers of the tasks of computations.
    pub fn tasks(&self) -> Vec<u64> {
        lock(&self.computations).values().filter_map(|live| live.task()).collect()
    }

    /// Threads for searches.
    pub fn cores(&self) -> u32 {
        self.searches.cores()
    }

    /// Threads of running searches.
    pub fn searching(&self) -> u32 {
        let running = self.searches.list().into_iter().filter(|listed| listed.running);
        running.map(|listed| listed.job.threads().min(self.cores())).sum()
    }

    /// Running and waiting searches, then simulations.
    pub fn loads(&self) -> [Load; 2] {
        self.queues().map(|queue| queue.load())
    }

    /// `true` once the studio shuts down. Interrupted work may resume with the next one.
    pub fn is_shutting_down(&self) -> bool {
        self.searches.is_shutting_down()
    }

    /// Stops all work and waits up to `patience` until its results are saved. Blocks.
    pub fn shut_down(&self, patience: Duration) {
        let end = Instant::now() + patience;
        lock(&self.computations).values().for_each(|live| live.interrupt());
        for queue in self.queues() {
            queue.shut_down(end.saturating_duration_since(Instant::now()));
        }
        while !lock(&self.computations).is_empty() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Decides when a search writes its next checkpoint.
struct CheckpointTimer {
    /// `None` if the search writes no more checkpoints.
    next: Option<Instant>,
    every: Duration,
}

impl CheckpointTimer {
    fn is_on(&self) -> bool {
        self.next.is_some()
    }

    fn is_due(&self) -> bool {
        self.next.is_some_and(|next| Instant::now() >= next)
    }

    /// `false` if a checkpoint is too large. The search then writes no more.
    fn accepts(&mut self, checkpoint: &[u8]) -> bool {
        let fits = checkpoint.len() <= MAX_CHECKPOINT_BYTES;
        if !fits {
            let (size, max) = (checkpoint.len() >> 20, MAX_CHECKPOINT_BYTES >> 20);
            warn!(size, max, "no more checkpoints: they are too large (MiB)");
            self.next = None;
        }
        fits
    }

    /// Waits after a checkpoint that took this long to write.
    fn rest(&mut self, took: Duration) {
        self.next = self.next.map(|_| Instant::now() + self.every.max(took * REST));
    }
}
