//! Searches that go on whether anybody watches or not: started, queued, streamed, stopped, kept.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `history` | a run's chart, thinned as it grows |
//! | `live` | a run in memory: how it stands, its best wiring, who watches |
//! | `conduct` | one search from start to end, on its own thread |
//!
//! Runs wait in one queue and start in its order, as long as the running ones leave threads of the machine free. No
//! wiring of the engine's is shown before the checker has seen it.

mod conduct;
mod history;
mod live;

pub use live::{Checked, Live, Standing};

use crate::{
    prepare::{Request, TextError},
    store::{RunRecord, RunResult, Store, StoreError, new_id},
    version,
};
use shared::{
    analysis::bounds::{Refusal, refuse},
    api::{MAX_EFFORT, MAX_SECONDS, MAX_THREADS, RunState, RunView, StartRun},
    search::{Budget, Progress},
    spec::{Fault, Faults, NoFiles, Objective},
};
use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Most searches that wait; each holds its spec's text.
pub const MAX_QUEUED: usize = 64;
/// Seconds of a search that says nothing else.
pub const DEFAULT_SECONDS: f64 = 60.0;

/// All searches of a studio.
#[derive(Clone)]
pub struct Jobs {
    inner: Arc<Inner>,
}

struct Inner {
    store: Arc<Store>,
    cores: u32,
    state: Mutex<State>,
    /// Told whenever a run ends.
    ended: Condvar,
}

#[derive(Default)]
struct State {
    /// Queued and running ones. What is over is in the store.
    live: HashMap<String, Arc<Live>>,
    queue: VecDeque<Arc<Live>>,
    busy_threads: u32,
    shutting_down: bool,
}

/// Why a search was not started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The spec, or what was asked besides, breaks rules.
    #[error("{0}")]
    Text(#[from] TextError),
    /// No hardware of this spec can do it.
    #[error("{}", .0.proof)]
    Refused(Refusal),
    /// Too many wait already.
    #[error("{MAX_QUEUED} searches wait already; stop one or try again later")]
    Full,
    /// The studio is going down.
    #[error("the studio is being stopped")]
    ShuttingDown,
    /// It could not be kept.
    #[error("{0}")]
    Store(#[from] StoreError),
}

impl Jobs {
    /// A studio's searches on a machine of so many cores. Runs that an earlier studio left behind become interrupted.
    ///
    /// # Errors
    /// The store refuses.
    pub fn new(store: Arc<Store>, cores: u32) -> Result<Jobs, StoreError> {
        store.interrupt_runs()?;
        let (state, ended) = (Mutex::default(), Condvar::new());
        Ok(Jobs { inner: Arc::new(Inner { store, cores: cores.max(1), state, ended }) })
    }

    /// Queues a search. Blocks while the demand is built and the run is kept.
    ///
    /// # Errors
    /// The spec is faulty or provably impossible, a limit is broken, too many wait, or the store refuses.
    pub fn start(&self, start: &StartRun) -> Result<RunView, StartError> {
        let faults = limit_faults(start);
        if !faults.is_empty() {
            return Err(TextError::Spec(Faults(faults)).into());
        }
        let request = Request::read(&start.spec, &mut NoFiles)?;
        if request.spec.objective == Objective::Fractional {
            let fault =
                Fault::new("objective", "fractional", "universal or sparse, which this version searches");
            return Err(TextError::Spec(fault.into()).into());
        }
        if let Some(refusal) = refuse(&request.spec, &request.demand) {
            return Err(StartError::Refused(refusal));
        }
        let view = self.inner.store.add_run(&self.queued_view(start)?)?;
        let live = Arc::new(Live::new(view));
        {
            let mut state = self.inner.lock();
            let refused = if state.shutting_down {
                Some(StartError::ShuttingDown)
            } else {
                (state.queue.len() >= MAX_QUEUED).then_some(StartError::Full)
            };
            if let Some(error) = refused {
                drop(state);
                self.inner.keep(&live, RunState::Failed, &error.to_string());
                return Err(error);
            }
            state.live.insert(live.id().to_owned(), live.clone());
            state.queue.push_back(live.clone());
        }
        self.inner.advance();
        Ok(live.view())
    }

    fn queued_view(&self, start: &StartRun) -> Result<RunView, StoreError> {
        let progress = Progress { trying: "waiting for its turn".into(), ..Progress::default() };
        Ok(RunView {
            id: new_id()?,
            state: RunState::Queued,
            spec: start.spec.clone(),
            budget: start.budget.unwrap_or(Budget::Seconds(DEFAULT_SECONDS)),
            seed: start.seed.unwrap_or(1),
            threads: start.threads.unwrap_or(self.inner.cores.min(MAX_THREADS)),
            progress,
            history: Vec::new(),
            method: String::new(),
            message: String::new(),
            created: String::new(),
            version: version::VERSION.into(),
        })
    }

    /// The run, if it waits or searches.
    pub fn live(&self, id: &str) -> Option<Arc<Live>> {
        self.inner.lock().live.get(id).cloned()
    }

    /// A run as it stands or stood, with its best wiring if that is kept. Blocks.
    ///
    /// # Errors
    /// The store refuses.
    pub fn view(&self, id: &str) -> Result<Option<RunView>, StoreError> {
        match self.live(id) {
            Some(live) => Ok(Some(live.view())),
            None => Ok(self.inner.store.run(id)?.map(|record| record.view)),
        }
    }

    /// The best wiring's text table so far: outer `None` if there is no such run, inner if it has none yet. Blocks.
    ///
    /// # Errors
    /// The store refuses.
    pub fn table(&self, id: &str) -> Result<Option<Option<Arc<str>>>, StoreError> {
        if let Some(live) = self.live(id) {
            return Ok(Some(live.checked().map(|checked| checked.table)));
        }
        let record: Option<RunRecord> = self.inner.store.run(id)?;
        Ok(record.map(|r| r.table.map(Into::into)))
    }

    /// Stops a run; one that is over stays as it is. Blocks. Returns how the run stands, if there is such a run: one that
    /// searches stops a little later.
    ///
    /// # Errors
    /// The store refuses.
    pub fn stop(&self, id: &str) -> Result<Option<RunView>, StoreError> {
        let Some(live) = self.live(id) else { return self.view(id) };
        live.cancel();
        let waited = {
            let mut state = self.inner.lock();
            let at = state.queue.iter().position(|queued| queued.id() == id);
            at.and_then(|at| state.queue.remove(at))
        };
        if let Some(live) = waited {
            self.inner.retire(&live, RunState::Cancelled, "");
        }
        Ok(Some(live.view()))
    }

    /// Stops everything and waits until each best wiring is kept, but no longer than `patience`. Blocks.
    pub fn shut_down(&self, patience: Duration) {
        let queued: Vec<Arc<Live>> = {
            let mut state = self.inner.lock();
            state.shutting_down = true;
            state.live.values().for_each(|live| live.interrupt());
            state.queue.drain(..).collect()
        };
        for live in queued {
            self.inner.retire(&live, RunState::Interrupted, INTERRUPTED);
        }
        let end = Instant::now() + patience;
        let mut state = self.inner.lock();
        while !state.live.is_empty() {
            let Some(left) = end.checked_duration_since(Instant::now()) else { return };
            let waited = self.inner.ended.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

const INTERRUPTED: &str = "the studio was stopped in the middle; the best wiring until then is kept";

impl Inner {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts what waits, as far as threads are free. A search that wants more than there are gets the machine alone.
    fn advance(self: &Arc<Self>) {
        loop {
            let (live, threads) = {
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
            let inner = self.clone();
            let run = live.clone();
            let conducted = std::thread::Builder::new().name("search".into()).spawn(move || {
                let (state, message) = conduct::conduct(&inner.store, &run);
                inner.finish(&run, threads, state, &message);
            });
            if let Err(error) = conducted {
                self.finish(
                    &live,
                    threads,
                    RunState::Failed,
                    &format!("no thread could be started: {error}"),
                );
            }
        }
    }

    fn finish(self: &Arc<Self>, live: &Arc<Live>, threads: u32, state: RunState, message: &str) {
        self.retire(live, state, message);
        self.lock().busy_threads -= threads;
        self.advance();
    }

    /// Keeps how a run ended, then tells its watchers, then forgets it.
    fn retire(&self, live: &Live, state: RunState, message: &str) {
        let kept = self.keep(live, state, message);
        live.end(state, message);
        let mut held = self.lock();
        if kept {
            held.live.remove(live.id());
        }
        self.ended.notify_all();
    }

    fn keep(&self, live: &Live, state: RunState, message: &str) -> bool {
        let standing = live.standing();
        let checked = live.checked();
        let result = RunResult {
            state,
            progress: &standing.progress,
            history: &live.history(),
            table: checked.as_ref().map(|c| &*c.table),
            method: &standing.method,
            message,
        };
        let kept = self.store.update_run(live.id(), result);
        if let Err(error) = &kept {
            // The run stays in memory, where it can still be fetched.
            eprintln!("crosspoint: a search could not be kept: {error}");
        }
        kept.is_ok()
    }
}

fn limit_faults(start: &StartRun) -> Vec<Fault> {
    let mut faults = Vec::new();
    match start.budget {
        Some(Budget::Seconds(s)) if !(s > 0.0 && s <= MAX_SECONDS) => {
            faults.push(Fault::new(
                "budget.seconds",
                s,
                format!("more than 0, at most {MAX_SECONDS} seconds"),
            ));
        }
        Some(Budget::Effort(e)) if e == 0 || e > MAX_EFFORT => {
            faults.push(Fault::new("budget.effort", e, format!("1 to {MAX_EFFORT} million moves")));
        }
        _ => {}
    }
    if let Some(threads) = start.threads.filter(|t| !(1..=MAX_THREADS).contains(t)) {
        faults.push(Fault::new("threads", threads, format!("1 to {MAX_THREADS}")));
    }
    faults
}
