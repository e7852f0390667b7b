//! One queue for all that takes threads: jobs start in its order, as long as the running ones leave threads of the machine
//! free.

use crate::store::{Store, StoreError};
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

/// Most jobs that wait; each holds its spec's text.
pub const MAX_QUEUED: usize = 64;

/// Why a job is over that a studio has left behind.
pub const INTERRUPTED: &str = "the studio was stopped in the middle; the best wiring until then is kept";
/// The same of a job that goes on by itself.
pub const GOES_ON: &str = "the studio was stopped in the middle; the best wiring until then is kept, and the search goes on after the next start";

/// What waits for threads and then takes them: a run or a board.
pub trait Job: Any + Send + Sync {
    /// Its name.
    fn id(&self) -> &str;
    /// Islands it searches on.
    fn threads(&self) -> u32;
    /// What it is told.
    fn orders(&self) -> &Orders;
    /// Searches on the thread that calls, and says how it ended, with a message if it failed.
    fn conduct(&self, store: &Store) -> (RunState, String);
    /// Why it is over if the studio is stopped while it waits.
    fn interrupted(&self) -> &'static str;
    /// Keeps how it stands.
    ///
    /// # Errors
    /// The store refuses.
    fn keep(&self, store: &Store, state: RunState, message: &str) -> Result<(), StoreError>;
    /// Tells its watchers that it is over.
    fn end(&self, state: RunState, message: &str);
    /// Itself, to be asked of which kind it is.
    fn any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

/// What a job is told to do.
#[derive(Default)]
pub struct Orders {
    cancel: AtomicBool,
    interrupted: AtomicBool,
}

impl Orders {
    /// Asks the job to end.
    pub fn cancel(&self) {
        self.cancel.store(true, Ordering::Relaxed);
    }

    /// Asks the job to end because the studio does.
    pub fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Relaxed);
        self.cancel();
    }

    /// Whether it was asked to end because the studio does.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// What the engine looks at.
    pub fn cancelled(&self) -> &AtomicBool {
        &self.cancel
    }
}

/// Why a job cannot wait here.
pub enum Refused {
    /// Too many wait already.
    Full,
    /// The studio is going down.
    ShuttingDown,
}

/// The queue, and what runs.
pub struct Queue {
    store: Arc<Store>,
    /// Threads of the machine.
    pub cores: u32,
    state: Mutex<State>,
    /// Told whenever a job ends.
    ended: Condvar,
}

#[derive(Default)]
struct State {
    /// Queued and running ones. What is over is in the store.
    live: HashMap<String, Arc<dyn Job>>,
    queue: VecDeque<Arc<dyn Job>>,
    busy_threads: u32,
    shutting_down: bool,
}

impl State {
    fn take_in(&mut self, job: Arc<dyn Job>) {
        self.live.insert(job.id().to_owned(), job.clone());
        self.queue.push_back(job);
    }
}

impl Queue {
    /// An empty queue before a machine of so many cores.
    pub fn new(store: Arc<Store>, cores: u32) -> Queue {
        Queue { store, cores: cores.max(1), state: Mutex::default(), ended: Condvar::new() }
    }

    /// The job of that name and kind, if it waits or searches.
    pub fn find<J: Job>(&self, id: &str) -> Option<Arc<J>> {
        let job = self.lock().live.get(id).cloned()?;
        job.any().downcast().ok()
    }

    /// Takes in a job that is kept already. One that is refused is kept as failed.
    ///
    /// # Errors
    /// Too many wait, or the studio is going down.
    pub fn add(
        self: &Arc<Self>,
        job: Arc<dyn Job>,
        told: impl Fn(&Refused) -> String,
    ) -> Result<(), Refused> {
        {
            let mut state = self.lock();
            let refused = if state.shutting_down {
                Some(Refused::ShuttingDown)
            } else {
                (state.queue.len() >= MAX_QUEUED).then_some(Refused::Full)
            };
            if let Some(refused) = refused {
                drop(state);
                self.keep(&*job, RunState::Failed, &told(&refused));
                return Err(refused);
            }
            state.take_in(job);
        }
        self.advance();
        Ok(())
    }

    /// Takes in a job that an earlier studio had let in: it is not refused again.
    pub fn restore(self: &Arc<Self>, job: Arc<dyn Job>) {
        self.lock().take_in(job);
        self.advance();
    }

    /// Stops a job. One that searches stops a little later.
    pub fn stop(&self, job: &dyn Job) {
        job.orders().cancel();
        let waited = {
            let mut state = self.lock();
            let at = state.queue.iter().position(|queued| queued.id() == job.id());
            at.and_then(|at| state.queue.remove(at))
        };
        if let Some(job) = waited {
            self.retire(&*job, RunState::Cancelled, "");
        }
    }

    /// Whether the studio is going down.
    pub fn is_shutting_down(&self) -> bool {
        self.lock().shutting_down
    }

    /// Stops everything and waits until each is kept, but no longer than `patience`.
    pub fn shut_down(&self, patience: Duration) {
        let queued: Vec<Arc<dyn Job>> = {
            let mut state = self.lock();
            state.shutting_down = true;
            state.live.values().for_each(|job| job.orders().interrupt());
            state.queue.drain(..).collect()
        };
        for job in queued {
            self.retire(&*job, RunState::Interrupted, job.interrupted());
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

    /// Starts what waits, as far as threads are free. A search that wants more than there are gets the machine alone.
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
            let (queue, searching) = (self.clone(), job.clone());
            let conducted = std::thread::Builder::new().name("search".into()).spawn(move || {
                let (state, message) = queue.conduct(&*searching);
                queue.finish(&*searching, threads, state, &message);
            });
            if let Err(error) = conducted {
                let message = format!("no thread could be started: {error}");
                self.finish(&*job, threads, RunState::Failed, &message);
            }
        }
    }

    /// A panic of the engine fails this job alone.
    fn conduct(&self, job: &dyn Job) -> (RunState, String) {
        let conducted = catch_unwind(AssertUnwindSafe(|| job.conduct(&self.store)));
        let broken = "the search broke down; this is a fault of Crosspoint's";
        conducted.unwrap_or_else(|_| (RunState::Failed, broken.into()))
    }

    fn finish(self: &Arc<Self>, job: &dyn Job, threads: u32, state: RunState, message: &str) {
        self.retire(job, state, message);
        self.lock().busy_threads -= threads;
        self.advance();
    }

    /// Keeps how a job ended, then tells its watchers, then forgets it.
    fn retire(&self, job: &dyn Job, state: RunState, message: &str) {
        let kept = self.keep(job, state, message);
        job.end(state, message);
        let mut held = self.lock();
        if kept {
            held.live.remove(job.id());
        }
        self.ended.notify_all();
    }

    fn keep(&self, job: &dyn Job, state: RunState, message: &str) -> bool {
        let kept = job.keep(&self.store, state, message);
        if let Err(error) = &kept {
            // The job stays in memory, where it can still be fetched.
            eprintln!("crosspoint: a search could not be kept: {error}");
        }
        kept.is_ok()
    }
}
