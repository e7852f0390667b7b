//! Runs: one search for a wiring each, in memory from start to end.

use super::{
    CheckpointTimer, Jobs, RESUMES, StartError,
    history::History,
    previous::Previous,
    queue::{Control, Job},
};
use crate::{
    VERSION,
    counts::remedy,
    prepare::{Request, TextError},
    store::{RunRecord, SearchKind, Store, StoreError, new_id},
};
use search::{SearchError, options::Options, request::resume};
use shared::{
    analysis::bounds::refuse,
    api::{MAX_SECONDS, RunState, RunView, StartRun},
    demand::Demand,
    design::{Design, Verdict, check, table},
    resolve::NoFiles,
    search::{Budget, Ended, Observer, Outcome, Progress, SearchForm, SearchRequest},
    spec::{Objective, Spec},
};
use std::{
    any::Any,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::watch;
use tracing::error;

/// Time between two writes of a run to the store.
const SAVE_EVERY: Duration = Duration::from_secs(2);

/// A run that is queued, searches or has just ended.
pub struct LiveRun {
    /// The run as first stored.
    start: RunView,
    /// The run as it stands, without its chart.
    status: watch::Sender<RunView>,
    history: Mutex<History>,
    best: Mutex<Best>,
    control: Control,
    /// Spec and demand, set when the search starts: a queued run holds no demand, which may be large.
    problem: OnceLock<(Arc<Spec>, Arc<Demand>)>,
    /// State before the studio stopped, for a resumed run.
    previous: Option<Previous>,
    checkpoint_every: Duration,
}

/// A wiring that passed the checker.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Text table of the wiring.
    pub table: Arc<str>,
    /// The checker's verdict, without breaches.
    pub verdict: Arc<Verdict>,
}

#[derive(Default)]
struct Best {
    /// The engine's latest wiring, not checked yet.
    claimed: Option<Design>,
    checked: Option<Checked>,
    /// First breach of the last wiring that the checker refused.
    breach: Option<String>,
}

impl LiveRun {
    fn new(start: RunView, checkpoint_every: Duration) -> LiveRun {
        LiveRun {
            status: watch::Sender::new(start.clone()),
            start,
            history: Mutex::default(),
            best: Mutex::default(),
            control: Control::default(),
            problem: OnceLock::new(),
            previous: None,
            checkpoint_every,
        }
    }

    /// A queued run that resumes from its checkpoint at `elapsed` seconds; 0 if it has none.
    fn resumed(record: RunRecord, elapsed: f64, checkpoint_every: Duration) -> LiveRun {
        let RunRecord { mut view, table } = record;
        let history = History::until(elapsed, std::mem::take(&mut view.history));
        let previous = Previous::new(view.progress.clone(), table);
        view.state = RunState::Queued;
        view.progress.trying = "waiting to resume".into();
        (view.method, view.message) = (String::new(), String::new());
        let live = LiveRun::new(view, checkpoint_every);
        LiveRun { history: Mutex::new(history), previous: Some(previous), ..live }
    }

    /// The run as it stands, with its chart.
    pub fn view(&self) -> RunView {
        RunView { history: lock(&self.history).samples(), ..self.status.borrow().clone() }
    }

    /// Receiver that is notified of each change. Its value has no chart.
    pub fn watch(&self) -> watch::Receiver<RunView> {
        self.status.subscribe()
    }

    /// Marks the run as running on this problem. A resumed run starts from the wiring known before.
    fn begin(&self, spec: Arc<Spec>, demand: Arc<Demand>) {
        if let Some(previous) = &self.previous {
            let design = previous.table.as_deref().and_then(|table| table::parse(table, spec.pes).ok());
            match design {
                Some(design) => lock(&self.best).claimed = Some(design),
                None => previous.pass(),
            }
        }
        // A run begins once, so that the cell is empty.
        let _ = self.problem.set((spec, demand));
        self.status.send_modify(|s| {
            s.state = RunState::Running;
            s.progress.trying = if self.previous.is_some() { "resuming" } else { "starting" }.into();
        });
    }

    fn set_progress(&self, progress: &Progress) {
        let objective = self.problem.get().map(|(spec, _)| spec.objective);
        let by_number = objective != Some(Objective::Fractional);
        let merged = self.previous.as_ref().map(|previous| previous.merge(progress, by_number));
        let merged = merged.as_ref().unwrap_or(progress);
        lock(&self.history).add(merged);
        self.status.send_modify(|s| s.progress = merged.clone());
    }

    /// Takes a better wiring from the engine, to be checked when somebody asks for it.
    fn claim(&self, design: &Design) {
        if self.previous.as_ref().is_none_or(Previous::is_passed) {
            lock(&self.best).claimed = Some(design.clone());
        }
    }

    /// The best wiring that passed the checker. Checks the engine's latest wiring first, and blocks for that time: checking
    /// on request costs less than checking each better wiring.
    pub fn checked(&self) -> Option<Checked> {
        let mut best = lock(&self.best);
        if let (Some(design), Some((spec, demand))) = (best.claimed.take(), self.problem.get()) {
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

    /// Runs the engine. Returns the outcome and a remedy if pairs stay uncovered, or the end of a run without outcome.
    fn search(&self, store: &Store) -> Result<(Outcome, Option<String>), (RunState, String)> {
        let failed = |error: &dyn std::fmt::Display| (RunState::Failed, error.to_string());
        let request = Request::read(&self.start.spec, &mut NoFiles).map_err(|e| failed(&e))?;
        self.begin(request.spec.clone(), request.demand.clone());
        let asked = SearchRequest {
            spec: request.spec,
            demand: request.demand,
            budget: self.start.budget,
            seed: self.start.seed,
            threads: self.start.threads,
        };
        let saved = self.previous.as_ref().map(|_| store.take_checkpoint(SearchKind::Run, self.id()));
        let saved = saved.transpose().map_err(|e| failed(&e))?.flatten();
        let mut recorder = Recorder::new(store, self);
        recorder.save();
        let cancel = self.control.cancelled();
        let outcome = resume(&asked, &Options::default(), saved.as_deref(), &mut recorder, cancel);
        let outcome = outcome.map_err(|error| match error {
            SearchError::Checkpoint { .. } => super::cannot_resume(store, SearchKind::Run, self.id(), &error),
            error => failed(&error),
        })?;
        self.previous.iter().for_each(|previous| previous.end(&outcome));
        self.claim(&outcome.design);
        self.status.send_modify(|s| s.method.clone_from(&outcome.method));
        let lacks = outcome.ended == Ended::Exhausted && outcome.uncovered > 0;
        let remedy = if lacks { remedy(&asked.spec, &asked.demand) } else { None };
        Ok((outcome, remedy))
    }

    /// State and message of an ended run. The checker decides, not the engine.
    fn judge(&self, outcome: &Outcome, remedy: Option<String>) -> (RunState, String) {
        let checked = self.checked();
        if let Some(breach) = &lock(&self.best).breach {
            return (RunState::Failed, format!("The search returned an invalid wiring: {breach}."));
        }
        let Some(verdict) = checked.map(|checked| checked.verdict) else {
            return (RunState::Failed, "The search returned no wiring.".into());
        };
        let mut progress = outcome.progress.clone();
        progress.best = verdict.uncovered.len() as u64;
        progress.covered = 1.0 - progress.best as f64 / verdict.requested.max(1) as f64;
        self.set_progress(&progress);
        match outcome.ended {
            _ if verdict.holds() => (RunState::Solved, String::new()),
            Ended::Solved => {
                (RunState::Failed, "The search reported full coverage, but pairs are uncovered.".into())
            }
            Ended::Exhausted => (RunState::Exhausted, remedy.unwrap_or_default()),
            Ended::Cancelled if self.control.is_interrupted() => (RunState::Interrupted, RESUMES.into()),
            Ended::Cancelled if outcome.progress.elapsed > MAX_SECONDS => {
                (RunState::Exhausted, String::new())
            }
            Ended::Cancelled => (RunState::Cancelled, String::new()),
        }
    }
}

impl Job for LiveRun {
    fn kind(&self) -> SearchKind {
        SearchKind::Run
    }

    fn id(&self) -> &str {
        &self.start.id
    }

    fn threads(&self) -> u32 {
        self.start.threads
    }

    fn control(&self) -> &Control {
        &self.control
    }

    fn run(&self, store: &Store) -> (RunState, String) {
        self.search(store).map_or_else(|end| end, |(outcome, remedy)| self.judge(&outcome, remedy))
    }

    fn save(&self, store: &Store, state: RunState, message: &str) -> Result<(), StoreError> {
        let checked = self.checked();
        let view = RunView { state, message: message.into(), ..self.view() };
        store.update_run(&view, checked.as_ref().map(|checked| &*checked.table))
    }

    fn end(&self, state: RunState, message: &str) {
        self.status.send_modify(|s| {
            s.state = state;
            s.message = message.into();
        });
    }

    fn any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

/// Publishes the progress of a run and saves it to the store.
struct Recorder<'a> {
    store: &'a Store,
    run: &'a LiveRun,
    /// Time and revision of the last save.
    saved: Option<(Instant, u64)>,
    checkpoints: CheckpointTimer,
}

impl<'a> Recorder<'a> {
    fn new(store: &'a Store, run: &'a LiveRun) -> Self {
        let every = run.checkpoint_every;
        let short = matches!(run.start.budget, Budget::Seconds(seconds) if seconds <= every.as_secs_f64());
        let next = (!short).then(|| Instant::now() + every);
        Recorder { store, run, saved: None, checkpoints: CheckpointTimer { next, every } }
    }

    fn save(&mut self) {
        let view = self.run.view();
        let revision = view.progress.revision;
        let checked = self.run.checked();
        let changed = self.saved.is_none_or(|(_, saved)| saved != revision);
        let table = checked.as_ref().filter(|_| changed).map(|checked| &*checked.table);
        if let Err(error) = self.store.update_run(&view, table) {
            error!(%error, "cannot save progress");
        }
        self.saved = Some((Instant::now(), revision));
    }
}

impl Observer for Recorder<'_> {
    fn progress(&mut self, progress: &Progress) {
        self.run.set_progress(progress);
        // An effort budget has no time limit of its own.
        if progress.elapsed > MAX_SECONDS {
            self.run.control.cancel();
        }
        if self.saved.is_none_or(|(at, _)| at.elapsed() >= SAVE_EVERY) {
            self.save();
        }
    }

    fn better(&mut self, design: &Design, _uncovered: u64) {
        self.run.claim(design);
    }

    fn keeps_checkpoints(&self) -> bool {
        self.checkpoints.is_on()
    }

    fn wants_checkpoint(&mut self) -> bool {
        self.checkpoints.is_due()
    }

    fn checkpoint(&mut self, bytes: Vec<u8>) {
        if !self.checkpoints.accepts(&bytes) {
            return;
        }
        let (id, elapsed) = (self.run.id(), self.run.status.borrow().progress.elapsed);
        // The saved wiring must not be older than the checkpoint.
        self.save();
        self.checkpoints.write(|| self.store.save_checkpoint(id, elapsed, &bytes));
    }
}

impl Jobs {
    /// Queues a run. Blocks while the demand is built and the run is stored.
    ///
    /// # Errors
    /// The spec has faults or provably no solution, a limit is exceeded, the queue is full, or the store fails.
    pub fn start(&self, start: &StartRun) -> Result<RunView, StartError> {
        let start = SearchForm::of(start).read(&start.spec).map_err(TextError::Spec)?;
        let (Some(budget), Some(seed)) = (start.budget, start.seed) else {
            unreachable!("fields with defaults")
        };
        let request = Request::read(&start.spec, &mut NoFiles)?;
        if let Some(mut refusal) = refuse(&request.spec, &request.demand) {
            let remedy = remedy(&request.spec, &request.demand);
            remedy.iter().for_each(|line| refusal.proof += &format!("\n{line}"));
            return Err(StartError::Refused(refusal));
        }
        let view = RunView {
            id: new_id()?,
            state: RunState::Queued,
            threads: self.threads(start.threads),
            spec: start.spec,
            budget,
            seed,
            progress: Progress { trying: "waiting in the queue".into(), ..Progress::default() },
            history: Vec::new(),
            method: String::new(),
            message: String::new(),
            created: String::new(),
            version: VERSION.into(),
        };
        let live = Arc::new(LiveRun::new(self.store.add_run(&view)?, self.checkpoint_every));
        self.queue.add(live.clone())?;
        Ok(live.view())
    }

    /// Queues a stored run, to resume from its checkpoint at `elapsed` seconds, or from the start.
    pub(super) fn resume(&self, id: &str, elapsed: f64) -> Result<(), StoreError> {
        let Some(record) = self.store.run(id)? else { return Ok(()) };
        let live = Arc::new(LiveRun::resumed(record, elapsed, self.checkpoint_every));
        live.save(&self.store, RunState::Queued, "")?;
        self.queue.restore(live);
        Ok(())
    }

    /// The run with this id, if it is queued or running.
    pub fn live(&self, id: &str) -> Option<Arc<LiveRun>> {
        self.queue.find(id)
    }

    /// The run with this id. Blocks.
    pub fn view(&self, id: &str) -> Result<Option<RunView>, StoreError> {
        match self.live(id) {
            Some(live) => Ok(Some(live.view())),
            None => Ok(self.store.run(id)?.map(|record| record.view)),
        }
    }

    /// Text table of the best wiring so far: outer `None` without such a run, inner without a wiring yet. Blocks.
    pub fn table(&self, id: &str) -> Result<Option<Option<Arc<str>>>, StoreError> {
        if let Some(checked) = self.live(id).and_then(|live| live.checked()) {
            return Ok(Some(Some(checked.table)));
        }
        // A run that waits to resume has its wiring in the store.
        Ok(self.store.run(id)?.map(|record| record.table.map(Into::into)))
    }

    /// Stops a run and returns it. An ended run stays unchanged; a running one ends shortly after. Blocks.
    pub fn stop(&self, id: &str) -> Result<Option<RunView>, StoreError> {
        let Some(live) = self.live(id) else { return self.view(id) };
        self.queue.stop(&*live);
        Ok(Some(live.view()))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = "pes = 4\nnis_per_pe = 1\nobjective = \"universal\"\n[[switch]]\nports = 4\n";

    fn live() -> LiveRun {
        let request = Request::read(SPEC, &mut NoFiles).unwrap();
        let view = RunView {
            id: "a".into(),
            state: RunState::Queued,
            spec: SPEC.into(),
            budget: Budget::Effort(1),
            seed: 1,
            threads: 1,
            progress: Progress::default(),
            history: Vec::new(),
            method: String::new(),
            message: String::new(),
            created: String::new(),
            version: String::new(),
        };
        let live = LiveRun::new(view, Duration::from_secs(10));
        live.begin(request.spec, request.demand);
        live
    }

    /// State of a run whose engine returned this wiring.
    fn judged(switches: &[&[u32]], ended: Ended) -> (RunState, LiveRun) {
        let live = live();
        let design = Design::from_switches(4, switches.iter().map(|members| members.to_vec()));
        live.claim(&design);
        let progress = Progress { best: 0, covered: 1.0, ..Progress::default() };
        let outcome = Outcome { design, uncovered: 0, moved: None, ended, method: String::new(), progress };
        (live.judge(&outcome, None).0, live)
    }

    #[test]
    fn the_checkers_word_counts_not_the_engines() {
        let whole: &[&[u32]] = &[&[0, 1, 2, 3]];
        assert_eq!(judged(whole, Ended::Solved).0, RunState::Solved);
        assert_eq!(judged(whole, Ended::Cancelled).0, RunState::Solved);
        let holes: &[&[u32]] = &[&[0, 1, 2]];
        assert_eq!(judged(holes, Ended::Solved).0, RunState::Failed);
        let (state, live) = judged(holes, Ended::Exhausted);
        assert_eq!((state, live.status.borrow().progress.best), (RunState::Exhausted, 3));
        assert!((live.status.borrow().progress.covered - 0.5).abs() < 1e-12);
    }

    #[test]
    fn a_wiring_that_breaks_a_limit_is_never_shown() {
        let (state, live) = judged(&[&[0, 1, 2, 3], &[0, 1]], Ended::Solved);
        assert_eq!(state, RunState::Failed);
        assert!(live.checked().is_none());
        assert!(lock(&live.best).breach.is_some());
    }
}
