//! The queue of searches. They start in order while the running ones leave enough cores free.

use super::RESUMES;
use crate::{
    log::short,
    store::{SearchKind, Store, StoreError},
};
use shared::api::RunState;
use std::{
    any::Any,
    collections::{HashMap, VecDeque},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};
use tracing::{Span, error, info, info_span};

/// Max number of queued searches. Each holds the text of its spec.
pub const MAX_QUEUED: usize = 64;

/// A search in the queue: a run or a board.
pub trait Job: Any + Send + Sync {
    /// Kind of search.
    fn kind(&self) -> SearchKind;
    /// Id in the store.
    fn id(&self) -> &str;
    /// Islands, each a thread.
    fn threads(&self) -> u32;
    /// Requests to stop.
    fn control(&self) -> &Control;
    /// Searches on the calling thread. Returns the final state and its reason.
    fn run(&self, store: &Store) -> (RunState, String);
    /// Writes the job to the store.
    ///
    /// # Errors
    /// The store fails.
    fn save(&self, store: &Store, state: RunState, message: &str) -> Result<(), StoreError>;
    /// Notifies watchers of the end.
    fn end(&self, state: RunState, message: &str);
    /// The job as [`Any`], to be cast to its type.
    fn any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

/// Requests to a running search.
#[derive(Default)]
pub struct Control {
    cancel: AtomicBool,
    interrupted: AtomicBool,
}

impl Control {
    /// Asks the search to stop.
    pub fn cancel(&self) {
        self.cancel.store(true, Ordering::Relaxed);
    }

    /// Asks the search to stop because the studio shuts down.
    pub fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Relaxed);
        self.cancel();
    }

    /// `true` if the search stops because the studio shuts down.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// The flag that the engine polls.
    pub fn cancelled(&self) -> &AtomicBool {
        &self.cancel
    }
}

/// Reason why a job is not queued.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// The queue is full.
    #[error("{MAX_QUEUED} searches are queued already; stop one or try again later")]
    Full,
    /// The studio is shutting down.
    #[error("the studio is shutting down")]
    ShuttingDown,
}

/// Queued and running searches.
pub struct Queue {
    store: Arc<Store>,
    /// Cores of the machine.
    pub cores: u32,
    state: Mutex<State>,
    /// Notified whenever a job ends.
    ended: Condvar,
}

#[derive(Default)]
struct State {
    /// Queued and running jobs. Ended ones are in the store.
    live: HashMap<String, Arc<dyn Job>>,
    queue: VecDeque<Arc<dyn Job>>,
    busy_threads: u32,
    shutting_down: bool,
}

impl State {
    fn push(&mut self, job: Arc<dyn Job>) {
        self.live.insert(job.id().to_owned(), job.clone());
        self.queue.push_back(job);
    }
}

impl Queue {
    /// An empty queue for a machine with `cores` cores.
    pub fn new(store: Arc<Store>, cores: u32) -> Queue {
        Queue { store, cores: cores.max(1), state: Mutex::default(), ended: Condvar::new() }
    }

    /// The job with this id, if it is of type `J` and queued or running.
    pub fn find<J: Job>(&self, id: &str) -> Option<Arc<J>> {
        let job = self.lock().live.get(id).cloned()?;
        job.any().downcast().ok()
    }

    /// Queues a stored job. A refused one is stored as failed.
    pub fn add(self: &Arc<Self>, job: Arc<dyn Job>) -> Result<(), Refused> {
        let span = span(&*job);
        {
            let mut state = self.lock();
            let refused = if state.shutting_down {
                Some(Refused::ShuttingDown)
            } else {
                (state.queue.len() >= MAX_QUEUED).then_some(Refused::Full)
            };
            if let Some(refused) = refused {
                drop(state);
                self.save(&*job, RunState::Failed, &refused.to_string());
                return Err(refused);
            }
            state.push(job);
        }
        info!(parent: &span, "queued");
        self.advance();
        Ok(())
    }

    /// Queues a job of an earlier studio, however long the queue is.
    pub fn restore(self: &Arc<Self>, job: Arc<dyn Job>) {
        self.lock().push(job);
        self.advance();
    }

    /// Stops a job. A running one ends shortly after.
    pub fn stop(&self, job: &dyn Job) {
        job.control().cancel();
        let queued = {
            let mut state = self.lock();
            let at = state.queue.iter().position(|queued| queued.id() == job.id());
            at.and_then(|at| state.queue.remove(at))
        };
        if let Some(job) = queued {
            let _span = span(&*job).entered();
            self.retire(&*job, RunState::Cancelled, "");
        }
    }

    /// `true` once the studio shuts down.
    pub fn is_shutting_down(&self) -> bool {
        self.lock().shutting_down
    }

    /// Stops all jobs and waits up to `patience` until they are saved.
    pub fn shut_down(&self, patience: Duration) {
        let queued: Vec<Arc<dyn Job>> = {
            let mut state = self.lock();
            state.shutting_down = true;
            state.live.values().for_each(|job| job.control().interrupt());
            state.queue.drain(..).collect()
        };
        for job in queued {
            let _span = span(&*job).entered();
            self.retire(&*job, RunState::Interrupted, RESUMES);
        }
        let end = Instant::now() + patience;
        let mut state = self.lock();
        while !state.live.is_empty() {
            let Some(left) = end.checked_duration_since(Instant::now()) else { return };
            let waited = self.ended.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts queued jobs while cores are free. A job with more threads than cores runs alone.
    fn advance(self: &Arc<Self>) {
        loop {
            let (job, threads) = {
                let mut state = self.lock();
                let Some(next) = state.queue.front() else { return };
                let threads = next.threads().min(self.cores);
                if state.busy_threads + threads > self.cores {
                    return;
                }
                state.busy_threads += threads;
                let Some(next) = state.queue.pop_front() else { return };
                (next, threads)
            };
            let (queue, running) = (self.clone(), job.clone());
            let spawned = std::thread::Builder::new().name("search".into()).spawn(move || {
                let _span = span(&*running).entered();
                info!(threads, "started");
                let (state, message) = queue.run(&*running);
                queue.finish(&*running, threads, state, &message);
            });
            if let Err(error) = spawned {
                let message = format!("The system cannot start more threads: {error}.");
                self.finish(&*job, threads, RunState::Failed, &message);
            }
        }
    }

    /// Runs a job. A panic fails this job alone.
    fn run(&self, job: &dyn Job) -> (RunState, String) {
        let ended = catch_unwind(AssertUnwindSafe(|| job.run(&self.store)));
        let panicked = "The search crashed. This is a bug in Crosspoint.";
        ended.unwrap_or_else(|_| (RunState::Failed, panicked.into()))
    }

    fn finish(self: &Arc<Self>, job: &dyn Job, threads: u32, state: RunState, message: &str) {
        self.retire(job, state, message);
        self.lock().busy_threads -= threads;
        self.advance();
    }

    /// Saves an ended job, notifies its watchers and removes it.
    fn retire(&self, job: &dyn Job, state: RunState, message: &str) {
        let saved = self.save(job, state, message);
        job.end(state, message);
        info!(?state, "ended");
        let mut held = self.lock();
        // A job that is not saved stays in memory, where clients can still get it.
        if saved {
            held.live.remove(job.id());
        }
        self.ended.notify_all();
    }

    fn save(&self, job: &dyn Job, state: RunState, message: &str) -> bool {
        let saved = job.save(&self.store, state, message);
        if let Err(error) = &saved {
            error!(%error, "cannot save a search");
        }
        saved.is_ok()
    }
}

/// Span of all events of a job.
fn span(job: &dyn Job) -> Span {
    info_span!("job", kind = ?job.kind(), id = short(job.id()))
}
