//! A run in memory: how it stands, its best wiring, who watches.

use super::{
    conduct,
    history::History,
    known::Known,
    queue::{GOES_ON, Job, Orders},
};
use crate::store::{RunRecord, RunResult, Store, StoreError};
use shared::{
    api::{RunState, RunView, Sample},
    demand::Demand,
    design::{Design, Verdict, check, table},
    search::Progress,
    spec::{Objective, Spec},
};
use std::{
    any::Any,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};
use tokio::sync::watch;

/// A run that waits, searches or has just ended.
pub struct Live {
    /// As it was kept at first; what changes is in `standing`.
    start: RunView,
    standing: watch::Sender<Standing>,
    history: Mutex<History>,
    best: Mutex<Best>,
    orders: Orders,
    /// Set when the search begins; demands may be large, so that none is held while waiting.
    judge: OnceLock<(Arc<Spec>, Arc<Demand>)>,
    /// Of a run that was interrupted.
    known: Option<Known>,
    checkpoint_every: Duration,
}

/// How a run stands, as its watchers are told.
#[derive(Clone, Debug)]
pub struct Standing {
    /// How far it is.
    pub state: RunState,
    /// Its last progress.
    pub progress: Progress,
    /// How the wiring was found, once it is over.
    pub method: String,
    /// Why it failed, if it did.
    pub message: String,
}

/// A wiring that the checker has seen.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The wiring's text table.
    pub table: Arc<str>,
    /// What the checker says; no limit is broken.
    pub verdict: Arc<Verdict>,
}

#[derive(Default)]
struct Best {
    /// The engine's latest, not looked at yet.
    claimed: Option<Design>,
    checked: Option<Checked>,
    /// What the checker said of the last wiring that broke limits.
    breach: Option<String>,
}

impl Live {
    /// A run that waits. It keeps checkpoints at least so far from each other.
    pub fn new(start: RunView, checkpoint_every: Duration) -> Live {
        let standing = Standing {
            state: start.state,
            progress: start.progress.clone(),
            method: String::new(),
            message: String::new(),
        };
        Live {
            start,
            standing: watch::Sender::new(standing),
            history: Mutex::default(),
            best: Mutex::default(),
            orders: Orders::default(),
            judge: OnceLock::new(),
            known: None,
            checkpoint_every,
        }
    }

    /// A run that waits to go on from its checkpoint at so many seconds, or at none to begin again.
    pub fn resumed(record: RunRecord, elapsed: f64, checkpoint_every: Duration) -> Live {
        let RunRecord { mut view, table } = record;
        let history = History::until(elapsed, std::mem::take(&mut view.history));
        let known = Known::new(view.progress.clone(), table);
        view.state = RunState::Queued;
        view.progress.trying = "waiting for its turn to go on".into();
        (view.method, view.message) = (String::new(), String::new());
        let live = Live::new(view, checkpoint_every);
        Live { history: Mutex::new(history), known: Some(known), ..live }
    }

    /// What was asked.
    pub fn start(&self) -> &RunView {
        &self.start
    }

    /// How it stands, with its chart.
    pub fn view(&self) -> RunView {
        let standing = self.standing();
        RunView {
            state: standing.state,
            progress: standing.progress,
            history: self.history(),
            method: standing.method,
            message: standing.message,
            ..self.start.clone()
        }
    }

    /// How it stands.
    pub fn standing(&self) -> Standing {
        self.standing.borrow().clone()
    }

    /// Its chart so far.
    pub fn history(&self) -> Vec<Sample> {
        lock(&self.history).samples()
    }

    /// Told of every change from now on.
    pub fn watch(&self) -> watch::Receiver<Standing> {
        self.standing.subscribe()
    }

    /// What was known before, if it was interrupted.
    pub fn known(&self) -> Option<&Known> {
        self.known.as_ref()
    }

    /// Least time between two checkpoints.
    pub fn checkpoint_every(&self) -> Duration {
        self.checkpoint_every
    }

    /// The search begins, or goes on with what was known.
    pub fn begin(&self, spec: Arc<Spec>, demand: Arc<Demand>) {
        if let Some(known) = &self.known {
            let design = known.table.as_deref().and_then(|table| table::parse(table, spec.pes).ok());
            match design {
                Some(design) => lock(&self.best).claimed = Some(design),
                // Whatever the search finds is more than nothing.
                None => known.pass(),
            }
        }
        // A run begins once, so that nothing is there yet.
        let _ = self.judge.set((spec, demand));
        self.standing.send_modify(|s| {
            s.state = RunState::Running;
            s.progress.trying = if self.known.is_some() { "going on" } else { "starting" }.into();
        });
    }

    /// The search goes on.
    pub fn progress(&self, progress: &Progress) {
        let objective = self.judge.get().map(|(spec, _)| spec.objective);
        let by_number = objective != Some(Objective::Fractional);
        let told = self.known.as_ref().map(|known| known.told(progress, by_number));
        let told = told.as_ref().unwrap_or(progress);
        lock(&self.history).add(told);
        self.standing.send_modify(|s| s.progress = told.clone());
    }

    /// The engine claims a better wiring.
    pub fn claim(&self, design: &Design) {
        if self.known.as_ref().is_none_or(Known::is_passed) {
            lock(&self.best).claimed = Some(design.clone());
        }
    }

    /// How it was found.
    pub fn found_by(&self, method: &str) {
        self.standing.send_modify(|s| s.method = method.into());
    }

    /// The best wiring that the checker has seen, after it has seen the engine's latest. Blocks for as long as a check
    /// takes: the work is done when somebody wants the wiring, not whenever the engine finds a better one.
    pub fn checked(&self) -> Option<Checked> {
        let mut best = lock(&self.best);
        if let (Some(design), Some((spec, demand))) = (best.claimed.take(), self.judge.get()) {
            let verdict = check(spec, demand, &design);
            match verdict.breaches.first() {
                None => {
                    let table = table::write(&design).into();
                    best.checked = Some(Checked { table, verdict: Arc::new(verdict) });
                    best.breach = None;
                }
                Some(breach) => best.breach = Some(breach.to_string()),
            }
        }
        best.checked.clone()
    }

    /// What the last wiring broke, if the checker refused it.
    pub fn breach(&self) -> Option<String> {
        lock(&self.best).breach.clone()
    }
}

impl Job for Live {
    fn id(&self) -> &str {
        &self.start.id
    }

    fn threads(&self) -> u32 {
        self.start.threads
    }

    fn orders(&self) -> &Orders {
        &self.orders
    }

    fn conduct(&self, store: &Store) -> (RunState, String) {
        conduct::conduct(store, self)
    }

    fn interrupted(&self) -> &'static str {
        GOES_ON
    }

    fn keep(&self, store: &Store, state: RunState, message: &str) -> Result<(), StoreError> {
        let standing = self.standing();
        let checked = self.checked();
        let result = RunResult {
            state,
            progress: &standing.progress,
            history: &self.history(),
            table: checked.as_ref().map(|c| &*c.table),
            method: &standing.method,
            message,
        };
        store.update_run(&self.start.id, result)
    }

    fn end(&self, state: RunState, message: &str) {
        self.standing.send_modify(|s| {
            s.state = state;
            s.message = message.into();
        });
    }

    fn any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
