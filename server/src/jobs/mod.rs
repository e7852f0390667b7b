//! Searches that go on whether anybody watches or not: started, queued, streamed, stopped, kept.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `queue` | all that waits for threads, and what has them |
//! | `history` | a run's chart, thinned as it grows |
//! | `live` | a run in memory: how it stands, its best wiring, who watches |
//! | `known` | of a run that goes on after the studio was stopped, what was known before |
//! | `conduct` | one search from start to end, on its own thread |
//! | [`boards`] | searches over hardware |
//! | [`simulations`] | simulations, in memory alone |
//!
//! No wiring of the engine's is shown before the checker has seen it.

pub mod boards;
mod conduct;
mod history;
mod known;
mod live;
mod queue;
pub mod simulations;

pub use live::{Checked, Live, Standing};
pub use queue::MAX_QUEUED;

use crate::{
    prepare::{Request, TextError},
    remedy::remedy,
    store::{RunRecord, Store, StoreError, new_id},
    version,
};
use queue::{Job, Queue, Refused};
use shared::{
    analysis::bounds::{Refusal, refuse},
    api::{MAX_EFFORT, MAX_SECONDS, MAX_THREADS, RunState, RunView, StartRun},
    resolve::NoFiles,
    search::{Budget, Progress},
    spec::{Fault, Faults},
};
use std::{sync::Arc, time::Duration};

/// Seconds of a search that says nothing else.
pub const DEFAULT_SECONDS: f64 = 60.0;
/// Time between two checkpoints of a run, unless a studio says otherwise.
pub const CHECKPOINT_EVERY: Duration = Duration::from_secs(10);

/// All searches of a studio.
#[derive(Clone)]
pub struct Jobs {
    store: Arc<Store>,
    queue: Arc<Queue>,
    checkpoint_every: Duration,
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
    /// A studio's searches on a machine of so many cores; runs that take longer than `checkpoint_every` keep checkpoints so
    /// far from each other. What an earlier studio of this version left behind goes
    /// on from its checkpoint, or begins again if it has none; all else becomes interrupted.
    ///
    /// # Errors
    /// The store refuses.
    pub fn new(store: Arc<Store>, cores: u32, checkpoint_every: Duration) -> Result<Jobs, StoreError> {
        store.interrupt_runs()?;
        store.interrupt_boards()?;
        let jobs = Jobs { queue: Arc::new(Queue::new(store.clone(), cores)), store, checkpoint_every };
        for (id, elapsed) in jobs.store.resumable_runs(version::VERSION)? {
            if let Err(error) = jobs.resume(&id, elapsed) {
                // One that cannot be read is no reason to be without all others.
                eprintln!("crosspoint: run {id} cannot go on: {error}");
            }
        }
        for id in jobs.store.resumable_boards(version::VERSION)? {
            if let Err(error) = jobs.resume_board(&id) {
                eprintln!("crosspoint: board {id} cannot go on: {error}");
            }
        }
        Ok(jobs)
    }

    /// Queues a run from its checkpoint at so many seconds, or from its beginning.
    fn resume(&self, id: &str, elapsed: f64) -> Result<(), StoreError> {
        let Some(record) = self.store.run(id)? else { return Ok(()) };
        let live = Arc::new(Live::resumed(record, elapsed, self.checkpoint_every));
        live.keep(&self.store, RunState::Queued, "")?;
        self.queue.restore(live);
        Ok(())
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
        if let Some(mut refusal) = refuse(&request.spec, &request.demand) {
            let remedy = remedy(&request.spec, &request.demand);
            remedy.iter().for_each(|line| refusal.proof += &format!("\n{line}"));
            return Err(StartError::Refused(refusal));
        }
        let live = Arc::new(Live::new(self.store.add_run(&self.queued_view(start)?)?, self.checkpoint_every));
        self.enqueue(live.clone())?;
        Ok(live.view())
    }

    fn enqueue(&self, job: Arc<dyn queue::Job>) -> Result<(), StartError> {
        let error = |refused: &Refused| match refused {
            Refused::Full => StartError::Full,
            Refused::ShuttingDown => StartError::ShuttingDown,
        };
        self.queue.add(job, |refused| error(refused).to_string()).map_err(|refused| error(&refused))
    }

    /// Islands, if nobody said how many.
    fn threads(&self, asked: Option<u32>) -> u32 {
        asked.unwrap_or(self.queue.cores.min(MAX_THREADS))
    }

    fn queued_view(&self, start: &StartRun) -> Result<RunView, StoreError> {
        let progress = Progress { trying: "waiting for its turn".into(), ..Progress::default() };
        Ok(RunView {
            id: new_id()?,
            state: RunState::Queued,
            spec: start.spec.clone(),
            budget: start.budget.unwrap_or(Budget::Seconds(DEFAULT_SECONDS)),
            seed: start.seed.unwrap_or(1),
            threads: self.threads(start.threads),
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
        self.queue.find(id)
    }

    /// A run as it stands or stood, with its best wiring if that is kept. Blocks.
    ///
    /// # Errors
    /// The store refuses.
    pub fn view(&self, id: &str) -> Result<Option<RunView>, StoreError> {
        match self.live(id) {
            Some(live) => Ok(Some(live.view())),
            None => Ok(self.store.run(id)?.map(|record| record.view)),
        }
    }

    /// The best wiring's text table so far: outer `None` if there is no such run, inner if it has none yet. Blocks.
    ///
    /// # Errors
    /// The store refuses.
    pub fn table(&self, id: &str) -> Result<Option<Option<Arc<str>>>, StoreError> {
        if let Some(checked) = self.live(id).and_then(|live| live.checked()) {
            return Ok(Some(Some(checked.table)));
        }
        // Also of a run that waits to go on.
        let record: Option<RunRecord> = self.store.run(id)?;
        Ok(record.map(|r| r.table.map(Into::into)))
    }

    /// Stops a run; one that is over stays as it is. Blocks. Returns how the run stands, if there is such a run: one that
    /// searches stops a little later.
    ///
    /// # Errors
    /// The store refuses.
    pub fn stop(&self, id: &str) -> Result<Option<RunView>, StoreError> {
        let Some(live) = self.live(id) else { return self.view(id) };
        self.queue.stop(&*live);
        Ok(Some(live.view()))
    }

    /// Whether the studio is going down. What it has interrupted may go on with the next one.
    pub fn is_shutting_down(&self) -> bool {
        self.queue.is_shutting_down()
    }

    /// Stops everything and waits until each best wiring is kept, but no longer than `patience`. Blocks.
    pub fn shut_down(&self, patience: Duration) {
        self.queue.shut_down(patience);
    }
}

fn limit_faults(start: &StartRun) -> Vec<Fault> {
    budget_fault("budget", start.budget).into_iter().chain(threads_fault(start.threads)).collect()
}

/// A budget beyond what a studio gives.
fn budget_fault(path: &str, budget: Option<Budget>) -> Option<Fault> {
    match budget? {
        Budget::Seconds(s) if !(s > 0.0 && s <= MAX_SECONDS) => {
            let expected = format!("more than 0, at most {MAX_SECONDS} seconds");
            Some(Fault::new(format!("{path}.seconds"), s, expected))
        }
        Budget::Effort(e) if e == 0 || e > MAX_EFFORT => {
            Some(Fault::new(format!("{path}.effort"), e, format!("1 to {MAX_EFFORT} million moves")))
        }
        _ => None,
    }
}

fn threads_fault(threads: Option<u32>) -> Option<Fault> {
    let threads = threads.filter(|t| !(1..=MAX_THREADS).contains(t))?;
    Some(Fault::new("threads", threads, format!("1 to {MAX_THREADS}")))
}
