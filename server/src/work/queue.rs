//! A queue of work.
//!
//! Clients take turns, each with its oldest work. Work that does not fit into the free threads lets others pass until
//! it has waited for a minute. Running work of clients with more threads pause for it after a slice of time, from a
//! checkpoint, and return to the end of the queue.

#[cfg(test)]
mod fake;
mod state;

use super::RESUMES;
use crate::{
    cluster::studio::Workers,
    lock,
    log::short,
    store::{Store, StoreError},
    tasks::{self, Budget, Load, Owner, TaskError, share},
};
use shared::{
    api::{QueueView, WorkState},
    cancel::Token,
};
use state::{State, WaitingJob};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak},
    time::{Duration, Instant},
};
use tracing::{Span, error, info, info_span};

/// Message of a search that paused.
const PAUSED: &str = "Paused for others. It resumes from its checkpoint.";
/// Max number of queued computations. Each holds the text of its spec.
pub const MAX_QUEUED: usize = 64;
/// Max number of queued computations of one client, or half of the places that others leave if that is less.
pub const MAX_QUEUED_PER_OWNER: usize = 16;
/// Time between two updates of expected waits.
const REFRESH: Duration = Duration::from_secs(5);

/// Work in a queue.
pub trait QueueJob: Send + Sync + 'static {
    /// Kind of work, for the log.
    fn kind(&self) -> &'static str;
    /// Id in the store.
    fn id(&self) -> &str;
    /// The client that started it.
    fn owner(&self) -> &Owner;
    /// Threads that it occupies.
    fn threads(&self) -> u32;
    /// Requests to stop.
    fn control(&self) -> &Control;
    /// Expected seconds until it ends, if known.
    fn seconds_left(&self) -> Option<f64>;
    /// Shows the place of the job in the queue; `None` if it starts.
    fn set_place(&self, place: Option<QueueView>);
    /// Works on the calling thread, and on `workers` if there are any. Returns the final state and its reason; the state is
    /// `QueueJob` if it paused.
    fn run(&self, store: &Store, workers: Option<&Workers>) -> (WorkState, String);
    /// Settles the report of a job that has ended, before it is saved.
    fn settle(&self, _state: WorkState) {}
    /// Writes the job to the store.
    ///
    /// # Errors
    /// The store fails.
    fn save(&self, store: &Store, state: WorkState, message: &str) -> Result<(), StoreError>;
    /// Prepares the next slice of work that paused, and notifies watchers.
    fn pause(&self, message: &str);
    /// Notifies watchers of the end.
    fn end(&self, state: WorkState, message: &str);
}

/// Requests to running work.
#[derive(Default)]
pub struct Control(Mutex<Requests>);

#[derive(Default)]
struct Requests {
    /// Polled by the engine. Each slice of a search has its own.
    token: Token,
    stop: Option<Stop>,
    /// Time at which the search pauses for others.
    pause_at: Option<Instant>,
    cannot_pause: bool,
}

/// Reason for a stop; later ones prevail.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stop {
    /// Others wait.
    Pause,
    /// A client or a limit.
    Cancel,
    /// The studio shuts down.
    Interrupt,
}

impl Control {
    fn requests(&self) -> MutexGuard<'_, Requests> {
        lock(&self.0)
    }

    fn stop(&self, reason: Stop) {
        let mut requests = self.requests();
        requests.stop = requests.stop.max(Some(reason));
        requests.token.cancel();
    }

    /// Asks the search to stop.
    pub fn cancel(&self) {
        self.stop(Stop::Cancel);
    }

    /// Asks the search to stop because the studio shuts down.
    pub fn interrupt(&self) {
        self.stop(Stop::Interrupt);
    }

    /// Stops the search for others. It resumes from the checkpoint that it has just taken.
    pub fn pause(&self) {
        self.stop(Stop::Pause);
    }

    /// `true` if the search stops because the studio shuts down.
    pub fn is_interrupted(&self) -> bool {
        self.requests().stop == Some(Stop::Interrupt)
    }

    /// `true` if the search stops for others.
    pub fn is_paused(&self) -> bool {
        self.requests().stop == Some(Stop::Pause)
    }

    /// `true` if the search stops and resumes later.
    pub fn resumes(&self) -> bool {
        self.is_interrupted() || self.is_paused()
    }

    /// `true` if the search shall take a checkpoint and pause.
    pub fn wants_pause(&self) -> bool {
        let requests = self.requests();
        requests.stop.is_none() && requests.pause_at.is_some_and(|at| Instant::now() >= at)
    }

    /// State and message of a search that stopped as requested.
    pub fn end(&self) -> (WorkState, String) {
        match self.requests().stop {
            Some(Stop::Interrupt) => (WorkState::Interrupted, RESUMES.into()),
            Some(Stop::Pause) => (WorkState::Queued, PAUSED.into()),
            Some(Stop::Cancel) | None => (WorkState::Cancelled, String::new()),
        }
    }

    /// Lets the work be stopped by the token of the task that runs it.
    pub fn adopt(&self, token: Token) {
        let mut requests = self.requests();
        if requests.stop.is_some() {
            token.cancel();
        }
        requests.token = token;
    }

    /// Declares that the search takes no checkpoints, so that it cannot pause.
    pub fn forbid_pause(&self) {
        let mut requests = self.requests();
        (requests.cannot_pause, requests.pause_at) = (true, None);
    }

    /// The token that the engine polls.
    pub fn token(&self) -> Token {
        self.requests().token.clone()
    }

    /// Prepares a paused search for its next slice. `false` if it was asked to stop meanwhile.
    fn renew(&self) -> bool {
        let mut requests = self.requests();
        let renewed = requests.stop.is_none_or(|stop| stop == Stop::Pause);
        if renewed {
            *requests = Requests::default();
        }
        renewed
    }
}

/// Reason why work is not queued.
#[derive(Debug, thiserror::Error)]
pub enum QueueRefusal {
    /// The queue is full.
    #[error("{MAX_QUEUED} computations are queued already; stop one or try again later")]
    Full,
    /// The client has its share of the queue.
    #[error(
        "{own} of your computations are queued already, and a client may queue {max} now; stop one, or try again when one has started"
    )]
    Share {
        /// Queued computations of the client.
        own: usize,
        /// Max number of them now.
        max: usize,
    },
    /// The studio is shutting down.
    #[error("the studio is shutting down")]
    ShuttingDown,
}

/// A free place in the queue, for a job that is being stored.
pub struct QueuePlace<'a, J: QueueJob> {
    queue: &'a Arc<Queue<J>>,
    owner: Owner,
}

impl<J: QueueJob> QueuePlace<'_, J> {
    /// Queues a stored job.
    pub fn fill(self, job: Arc<J>) {
        let queue = self.queue.clone();
        drop(self);
        let span = span(&*job);
        let late = {
            let mut state = queue.lock();
            state.push(job.clone());
            if state.shutting_down { state.waiting.pop() } else { None }
        };
        info!(parent: &span, "queued");
        match late {
            Some(late) => queue.retire(&*late.job, WorkState::Interrupted, RESUMES),
            None => queue.advance(),
        }
    }
}

impl<J: QueueJob> Drop for QueuePlace<'_, J> {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        let at = state.reserved.iter().position(|owner| *owner == self.owner);
        at.map(|at| state.reserved.swap_remove(at));
    }
}

/// Queued and running work.
pub struct Queue<J: QueueJob> {
    store: Arc<Store>,
    memory: Arc<Budget>,
    threads: Threads,
    pub workers: Option<Arc<Workers>>,
    /// Time that work runs before it pauses for others.
    slice: Duration,
    state: Mutex<State<J>>,
    /// Notified whenever a running job ends.
    ended: Condvar,
}

/// Threads for the work of a queue.
#[derive(Clone, Copy, Debug)]
pub enum Threads {
    /// The cores of this machine, or the threads of the workers if there are any.
    OfMachines(u32),
    /// A number of their own, beside the other queues, of which each client has a share: their work does not pause.
    Own(u32),
}

/// A running or waiting job.
pub struct ListedJob<J> {
    /// The job.
    pub job: Arc<J>,
    /// `true` if it runs.
    pub running: bool,
    /// Time since it began to run, or to wait.
    pub age: Duration,
    /// Claimed memory in bytes.
    pub memory: u64,
}

impl<J: QueueJob> Queue<J> {
    /// An empty queue whose work runs for a `slice` of time while others wait, and on `workers` whenever there are any.
    pub fn new(
        store: Arc<Store>,
        memory: Arc<Budget>,
        threads: Threads,
        slice: Duration,
        workers: Option<Arc<Workers>>,
    ) -> Arc<Queue<J>> {
        let has_shares = matches!(threads, Threads::Own(_));
        let (state, ended) = (Mutex::new(State::new(has_shares)), Condvar::new());
        let queue = Arc::new(Queue { store, memory, threads, workers, slice, state, ended });
        let refreshed = Arc::downgrade(&queue);
        let refresher = std::thread::Builder::new().name("queue".into());
        if let Err(error) = refresher.spawn(move || refresh(&refreshed)) {
            error!(%error, "expected waits are not updated");
        }
        queue
    }

    /// Threads for the work.
    pub fn cores(&self) -> u32 {
        let of_workers =
            || self.workers.as_ref().map(|workers| workers.threads()).filter(|&threads| threads > 0);
        match self.threads {
            Threads::OfMachines(cores) => of_workers().unwrap_or(cores).max(1),
            Threads::Own(threads) => threads,
        }
    }

    /// The job with this id, if it is queued or running.
    pub fn find(&self, id: &str) -> Option<Arc<J>> {
        self.lock().live.get(id).cloned()
    }

    /// Takes a place for a job that is then stored, so that a refused job leaves nothing in the store.
    pub fn reserve(self: &Arc<Self>, owner: &Owner) -> Result<QueuePlace<'_, J>, QueueRefusal> {
        let mut state = self.lock();
        if state.shutting_down {
            return Err(QueueRefusal::ShuttingDown);
        }
        let owners = state.waiting.iter().map(|waiting| waiting.job.owner()).chain(&state.reserved);
        let own = owners.filter(|other| *other == owner).count();
        let all = state.waiting.len() + state.reserved.len();
        let max = share(MAX_QUEUED, all - own).min(MAX_QUEUED_PER_OWNER);
        if own >= max {
            return Err(if own == 0 { QueueRefusal::Full } else { QueueRefusal::Share { own, max } });
        }
        state.reserved.push(owner.clone());
        Ok(QueuePlace { queue: self, owner: owner.clone() })
    }

    /// Queues a job of an earlier studio, however long the queue is.
    pub fn restore(self: &Arc<Self>, job: Arc<J>) {
        self.lock().push(job);
        self.advance();
    }

    /// Stops a job. A running one ends shortly after.
    pub fn stop(&self, job: &J) {
        job.control().cancel();
        let queued = {
            let mut state = self.lock();
            let at = state.waiting.iter().position(|waiting| waiting.job.id() == job.id());
            at.map(|at| state.waiting.remove(at))
        };
        if let Some(WaitingJob { job, .. }) = queued {
            let _span = span(&*job).entered();
            self.retire(&*job, WorkState::Cancelled, "");
            self.refresh(&self.lock());
        }
    }

    /// Running jobs, then the waiting ones in the order of their turns, each with its time since then.
    pub fn list(&self) -> Vec<ListedJob<J>> {
        let state = self.lock();
        let listed = |job: &Arc<J>, running: bool, since: &Instant| ListedJob {
            memory: self.memory.used_by(&job.control().token()),
            job: job.clone(),
            running,
            age: since.elapsed(),
        };
        let running =
            state.running.iter().map(|state::RunningJob { job, since, .. }| listed(job, true, since));
        let waiting = state.order().into_iter().map(|(at, _)| &state.waiting[at]);
        running.chain(waiting.map(|WaitingJob { job, since }| listed(job, false, since))).collect()
    }

    /// Running and waiting jobs.
    pub fn load(&self) -> Load {
        let state = self.lock();
        let oldest = state.waiting.iter().map(|waiting| waiting.since.elapsed()).max().unwrap_or_default();
        Load { running: state.running.len(), waiting: state.waiting.len(), oldest }
    }

    /// `true` once the studio shuts down.
    pub fn is_shutting_down(&self) -> bool {
        self.lock().shutting_down
    }

    /// Stops all jobs and waits up to `patience` until they are saved.
    pub fn shut_down(&self, patience: Duration) {
        let queued = {
            let mut state = self.lock();
            state.shutting_down = true;
            state.live.values().for_each(|job| job.control().interrupt());
            std::mem::take(&mut state.waiting)
        };
        for WaitingJob { job, .. } in queued {
            let _span = span(&*job).entered();
            self.retire(&*job, WorkState::Interrupted, RESUMES);
        }
        let end = Instant::now() + patience;
        let mut state = self.lock();
        while !state.running.is_empty() {
            let Some(left) = end.checked_duration_since(Instant::now()) else { return };
            let waited = self.ended.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<J>> {
        lock(&self.state)
    }

    /// Starts queued jobs while they fit into the free threads.
    fn advance(self: &Arc<Self>) {
        loop {
            let job = {
                let mut state = self.lock();
                let Some(job) = state.start(self.cores()) else {
                    self.refresh(&state);
                    return;
                };
                job
            };
            let (queue, running) = (self.clone(), job.clone());
            let spawned = std::thread::Builder::new().name("work".into()).spawn(move || {
                let _span = span(&*running).entered();
                info!(threads = running.threads(), "started");
                let (state, message) = queue.run(&*running);
                queue.finish(&*running, state, &message);
            });
            if let Err(error) = spawned {
                let message = format!("The system cannot start more threads: {error}.");
                self.finish(&*job, WorkState::Failed, &message);
            }
        }
    }

    /// Runs a job. A panic fails this job alone.
    fn run(&self, job: &J) -> (WorkState, String) {
        let control = job.control();
        let ended = tasks::within(&self.memory, &control.token(), job.owner(), tasks::WORK_PATIENCE, || {
            job.run(&self.store, self.workers.as_deref())
        });
        ended.unwrap_or_else(|stopped| stopped_state(control, stopped))
    }

    /// Saves an ended job and frees its threads. A paused one returns to the queue.
    fn finish(self: &Arc<Self>, job: &J, state: WorkState, message: &str) {
        if state != WorkState::Queued {
            self.retire(job, state, message);
        } else if !self.requeue(job, message) {
            let (state, message) = job.control().end();
            self.retire(job, state, &message);
        }
        self.lock().running.retain(|running| running.job.id() != job.id());
        self.ended.notify_all();
        self.advance();
    }

    /// `false` if a paused job was asked to stop.
    fn requeue(&self, job: &J, message: &str) -> bool {
        let _ = unharmed(|| job.pause(message));
        save(job, &self.store, WorkState::Queued, message);
        let mut state = self.lock();
        let renewed = job.control().renew();
        if renewed {
            state.requeue(job);
            info!("paused");
        }
        renewed
    }

    /// Plans pauses and shows places.
    fn refresh(&self, state: &State<J>) {
        state.plan_pauses(self.cores(), self.slice);
        state.show_places(self.cores());
    }

    /// Retires a job, and removes it. A job that is not saved stays in memory, where clients can still get it.
    fn retire(&self, job: &J, state: WorkState, message: &str) {
        if retire(job, Some(&self.store), state, message) {
            self.lock().live.remove(job.id());
        }
    }
}

/// Saves an ended job in the store, if it is in one, and notifies watchers. `false` if it cannot be saved. Does not panic, whatever the
/// job does.
pub fn retire(job: &impl QueueJob, store: Option<&Store>, state: WorkState, message: &str) -> bool {
    let _ = unharmed(|| job.settle(state));
    let saved = store.is_none_or(|store| save(job, store, state, message));
    let _ = unharmed(|| job.end(state, message));
    info!(?state, "ended");
    saved
}

/// `false` if the job cannot be saved.
fn save(job: &impl QueueJob, store: &Store, state: WorkState, message: &str) -> bool {
    let save = || {
        job.save(store, state, message)?;
        if state == WorkState::Interrupted { store.forgive(job.id()) } else { Ok(()) }
    };
    match unharmed(save) {
        Some(Ok(())) => return true,
        Some(Err(error)) => error!(%error, "cannot save work"),
        None => {}
    }
    false
}

/// Refreshes a queue until it is dropped. New workers may have room for the next job.
fn refresh<J: QueueJob>(queue: &Weak<Queue<J>>) {
    loop {
        std::thread::sleep(REFRESH);
        let Some(queue) = queue.upgrade() else { return };
        queue.advance();
    }
}

/// Result of `work`, or `None` if it panics.
fn unharmed<T>(work: impl FnOnce() -> T) -> Option<T> {
    let ended = catch_unwind(AssertUnwindSafe(work));
    if ended.is_err() {
        error!("the end of work panicked");
    }
    ended.ok()
}

/// State and message of work without an end of its own.
fn stopped_state(control: &Control, stopped: TaskError) -> (WorkState, String) {
    match stopped {
        TaskError::Cancelled => control.end(),
        TaskError::Refused(refused) => (WorkState::Failed, refused.to_string()),
        TaskError::Panicked => (WorkState::Failed, "The work crashed. This is a bug in Crosspoint.".into()),
    }
}

/// Span of all events of a job.
pub fn span(job: &impl QueueJob) -> Span {
    info_span!("work", kind = job.kind(), id = short(job.id()))
}

#[cfg(test)]
mod tests {
    use super::{
        fake::{Fake, running},
        *,
    };
    use crate::tasks::{Limits, Tasks};
    use std::{
        collections::HashMap,
        sync::mpsc::{Sender, channel},
    };

    /// Long enough for a test to look at a running job.
    const SLICE: Duration = Duration::from_millis(100);

    struct Bench {
        queue: Arc<Queue<Fake>>,
        release: HashMap<String, Sender<()>>,
    }

    impl Bench {
        fn new(cores: u32) -> Bench {
            let store = Arc::new(Store::temporary().unwrap());
            let (memory, threads) = (Tasks::new(Limits::of(2)).memory, Threads::OfMachines(cores));
            Bench { queue: Queue::new(store, memory, threads, SLICE, None), release: HashMap::new() }
        }

        fn states(&self) -> (usize, usize) {
            let state = self.queue.lock();
            (state.running.len(), state.waiting.len())
        }

        /// Queues a job.
        fn add(&mut self, id: &str, threads: u32) -> Arc<Fake> {
            self.add_panicking(id, threads, "")
        }

        fn add_panicking(&mut self, id: &str, threads: u32, panics: &'static str) -> Arc<Fake> {
            let (sender, release) = channel();
            self.release.insert(id.into(), sender);
            let job = Fake::new(id, threads, release, panics);
            let place = self.queue.reserve(job.owner()).unwrap();
            place.fill(job.clone());
            job
        }

        /// Lets a running job end.
        fn end(&mut self, id: &str) {
            self.release.remove(id);
            until(|| self.queue.lock().running.iter().all(|running| running.job.id() != id));
        }

        fn running(&self) -> Vec<String> {
            running(&self.queue.lock())
        }
    }

    fn until(mut holds: impl FnMut() -> bool) {
        for _ in 0..10_000 {
            if holds() {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        panic!("never");
    }

    #[test]
    fn a_client_has_a_share_of_the_queue() {
        let mut bench = Bench::new(1);
        bench.add("a0", 1);
        for number in 1..=MAX_QUEUED_PER_OWNER {
            bench.add(&format!("a{number}"), 1);
        }
        let refused = bench.queue.reserve(&Owner("a".into())).map(drop).unwrap_err();
        assert!(refused.to_string().starts_with("16 of your computations"), "{refused}");
        bench.add("b1", 1);
        bench.queue.shut_down(Duration::ZERO);
    }

    #[test]
    fn threads_and_places_come_back_after_any_panic() {
        let mut bench = Bench::new(1);
        let jobs: Vec<_> = ["run", "save", "end"]
            .into_iter()
            .zip(["a1", "a2", "a3"])
            .map(|(panics, id)| bench.add_panicking(id, 1, panics))
            .collect();
        let last = bench.add("b1", 1);
        for id in ["a1", "a2", "a3", "b1"] {
            bench.end(id);
        }
        // Watchers learn of every end.
        until(|| jobs.iter().chain([&last]).all(|job| job.ended.lock().unwrap().is_some()));
        until(|| bench.running().is_empty());
        let stopped = bench.add("c1", 1);
        let queued = bench.add_panicking("c2", 1, "save");
        bench.queue.stop(&*queued);
        assert_eq!(*queued.ended.lock().unwrap(), Some(WorkState::Cancelled));
        bench.end("c1");
        assert_eq!(*stopped.ended.lock().unwrap(), Some(WorkState::Exhausted));
        let state = bench.queue.lock();
        assert!(state.running.is_empty() && state.waiting.is_empty() && state.reserved.is_empty());
        assert_eq!(state.live.len(), 2, "those that could not be saved stay readable");
    }

    #[test]
    fn searches_of_clients_alternate_in_slices() {
        let mut bench = Bench::new(4);
        let (large, other) = (bench.add("a1", 4), bench.add("b1", 3));
        let pauses = |job: &Fake| *job.pauses.lock().unwrap();
        until(|| pauses(&large) >= 2 && pauses(&other) >= 2);
        assert_eq!(bench.states(), (1, 1));
        bench.queue.stop(&*other);
        until(|| other.ended.lock().unwrap().is_some() && bench.running() == ["a1"]);
        let before = pauses(&large);
        bench.add("a2", 4);
        std::thread::sleep(3 * SLICE);
        assert_eq!(pauses(&large), before, "no pause for another search of the same client");
        bench.end("a1");
        bench.end("a2");
    }

    #[test]
    fn clients_with_as_many_threads_do_not_wait_for_each_other() {
        let mut bench = Bench::new(2);
        let jobs = [bench.add("a1", 1), bench.add("b1", 1), bench.add("a2", 1)];
        std::thread::sleep(3 * SLICE);
        assert!(jobs.iter().all(|job| *job.pauses.lock().unwrap() == 0));
        let late = bench.add("c1", 1);
        until(|| late.place.lock().unwrap().is_none() && bench.running().contains(&"c1".to_owned()));
        bench.queue.shut_down(Duration::from_secs(10));
        assert_eq!(bench.states(), (0, 0));
    }

    #[test]
    fn a_search_without_checkpoints_is_not_paused_and_a_panic_at_a_pause_loses_no_thread() {
        let mut bench = Bench::new(2);
        let (fixed, panics) = (bench.add("a1", 1), bench.add_panicking("b1", 1, "pause"));
        fixed.control.forbid_pause();
        let waiting = bench.add("c1", 1);
        until(|| bench.running() == ["a1", "c1"]);
        assert_eq!((*fixed.pauses.lock().unwrap(), *panics.pauses.lock().unwrap()), (0, 1));
        assert!(waiting.place.lock().unwrap().is_none());
        bench.queue.shut_down(Duration::from_secs(10));
        assert_eq!(*panics.ended.lock().unwrap(), Some(WorkState::Interrupted));
    }
}
