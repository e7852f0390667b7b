//! Runs: one search for a wiring each, in memory from start to end.

use super::{
    CheckpointTimer, Jobs, RESUMES, StartError,
    history::History,
    previous::Previous,
    queue::{Control, Job},
    replay::Recording,
    saver::{Saver, Writer},
};
use crate::{
    VERSION,
    counts::remedy,
    edit::TokenHash,
    lock,
    prepare::{Request, TextError},
    store::{RunRecord, SearchKind, Store, StoreError, new_id},
    tasks::{self, Owner},
};
use search::{
    SearchError,
    epoch::Machines,
    options::Options,
    request::{memory, resume},
};
use shared::{
    analysis::{bounds::refuse, leftout::weight_served},
    api::{MAX_EFFORT, MAX_SECONDS, QueueView, ReplayFrame, ReplayView, RunState, RunView, StartRun},
    cancel::{Token, scope},
    demand::Demand,
    design::{Design, Verdict, check, table},
    resolve::NoFiles,
    search::{Budget, Ended, Observer, Outcome, Progress, SearchForm, SearchRequest},
    spec::{Fault, Objective, Spec},
};
use std::{
    any::Any,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};
use tokio::sync::watch;

/// A run that is queued, searches or has just ended.
pub struct LiveRun {
    /// The run as first stored.
    start: RunView,
    owner: Owner,
    /// The run as it stands, without its chart.
    status: watch::Sender<RunView>,
    history: Mutex<History>,
    /// `None` before the search begins: stored frames are still in the store alone.
    recording: Mutex<Option<Recording>>,
    best: Mutex<Best>,
    /// Held during a check.
    checking: Mutex<()>,
    control: Control,
    /// Spec and demand of a running search: a queued run holds no demand, which may be large.
    problem: Mutex<Option<(Arc<Spec>, Arc<Demand>)>>,
    /// State before the studio stopped or the search paused, for a resumed run.
    previous: Mutex<Option<Arc<Previous>>>,
    /// Seconds of search at the checkpoint to resume from.
    resumes_at: Mutex<f64>,
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

impl Checked {
    /// Errors: the first breach.
    fn by_checker(spec: &Spec, demand: &Demand, design: &Design) -> Result<Checked, String> {
        let verdict = check(spec, demand, design);
        match verdict.breaches.first() {
            Some(breach) => Err(breach.to_string()),
            None => Ok(Checked { table: table::write(design).into(), verdict: Arc::new(verdict) }),
        }
    }
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
    fn new(start: RunView, owner: Owner, checkpoint_every: Duration) -> LiveRun {
        LiveRun {
            status: watch::Sender::new(start.clone()),
            start,
            owner,
            history: Mutex::default(),
            recording: Mutex::default(),
            best: Mutex::default(),
            checking: Mutex::default(),
            control: Control::default(),
            problem: Mutex::default(),
            previous: Mutex::default(),
            resumes_at: Mutex::default(),
            checkpoint_every,
        }
    }

    /// A queued run that resumes from its checkpoint at `elapsed` seconds; 0 if it has none.
    fn resumed(record: RunRecord, owner: Owner, elapsed: f64, checkpoint_every: Duration) -> LiveRun {
        let RunRecord { mut view, table } = record;
        let history = History::until(elapsed, std::mem::take(&mut view.history));
        let previous = Previous::new(view.progress.clone(), table);
        view.state = RunState::Queued;
        view.progress.trying = "waiting to resume".into();
        (view.method, view.message) = (String::new(), String::new());
        let live = LiveRun::new(view, owner, checkpoint_every);
        LiveRun {
            history: Mutex::new(history),
            previous: Mutex::new(Some(Arc::new(previous))),
            resumes_at: Mutex::new(elapsed),
            ..live
        }
    }

    /// The run as it stands, with its chart.
    pub fn view(&self) -> RunView {
        RunView { history: lock(&self.history).samples(), ..self.status.borrow().clone() }
    }

    /// Receiver that is notified of each change. Its value has no chart.
    pub fn watch(&self) -> watch::Receiver<RunView> {
        self.status.subscribe()
    }

    /// Seconds of search, and the place in the queue.
    pub fn standing(&self) -> (f64, Option<QueueView>) {
        let status = self.status.borrow();
        (status.progress.elapsed, status.queue)
    }

    /// Marks the run as running on this problem. A resumed run starts from the wiring known before.
    fn begin(&self, spec: Arc<Spec>, demand: Arc<Demand>) {
        let previous = self.previous();
        if let Some(previous) = &previous {
            let design = previous.table.as_deref().and_then(|table| table::parse(table, spec.pes).ok());
            match design {
                Some(design) => lock(&self.best).claimed = Some(design),
                None => previous.pass(),
            }
        }
        *lock(&self.problem) = Some((spec, demand));
        self.status.send_modify(|s| {
            s.state = RunState::Running;
            s.message = String::new();
            s.progress.trying = if previous.is_some() { "resuming" } else { "starting" }.into();
        });
    }

    /// Begins the record, or continues the stored one up to the checkpoint.
    fn begin_recording(&self, store: &Store, has_checkpoint: bool) -> Result<(), StoreError> {
        let until = if has_checkpoint { Some(*lock(&self.resumes_at)) } else { None };
        let frames = match self.previous() {
            Some(_) => store.rewind_frames(self.id(), until)?,
            None => Vec::new(),
        };
        *lock(&self.recording) = Some(Recording::after(frames));
        Ok(())
    }

    /// Updates the record, if there is one by now.
    fn record(&self, update: impl FnOnce(&mut Recording)) {
        if let Some(recording) = lock(&self.recording).as_mut() {
            update(recording);
        }
    }

    /// Saves new frames of the record.
    fn save_frames(&self, store: &Store) -> Result<(), StoreError> {
        let frames = lock(&self.recording).as_mut().and_then(Recording::unsaved);
        frames.map_or(Ok(()), |frames| store.save_frames(self.id(), &frames))
    }

    fn previous(&self) -> Option<Arc<Previous>> {
        lock(&self.previous).clone()
    }

    fn set_progress(&self, progress: &Progress) {
        let objective = lock(&self.problem).as_ref().map(|(spec, _)| spec.objective);
        let by_number = objective != Some(Objective::Fractional);
        let merged = self.previous().map(|previous| previous.merge(progress, by_number));
        let merged = merged.as_ref().unwrap_or(progress);
        lock(&self.history).add(merged);
        self.status.send_modify(|s| s.progress = merged.clone());
    }

    /// Checkpoints of this run: none if it is too short for one.
    fn checkpoint_timer(&self) -> CheckpointTimer {
        let every = self.checkpoint_every;
        let short = matches!(self.start.budget, Budget::Seconds(seconds) if seconds <= every.as_secs_f64());
        CheckpointTimer { next: (!short).then(|| Instant::now() + every), every }
    }

    /// Takes a better wiring from the engine, to be checked when somebody asks for it.
    fn claim(&self, design: &Design) {
        if self.previous().is_none_or(|previous| previous.is_passed()) {
            lock(&self.best).claimed = Some(design.clone());
        }
    }

    /// The best wiring that passed the checker. Checks the engine's latest wiring first, and blocks for that time: checking
    /// on request costs less than checking each better wiring.
    pub fn checked(&self) -> Option<Checked> {
        // One check at a time. The engine does not wait for it.
        let _checking = lock(&self.checking);
        let claimed = lock(&self.best).claimed.take();
        let problem = lock(&self.problem).clone();
        if let (Some(design), Some((spec, demand))) = (claimed, problem) {
            // The run needs the verdict even if this request is cancelled.
            let checked = scope(&Token::default(), || Checked::by_checker(&spec, &demand, &design));
            let mut best = lock(&self.best);
            match checked.unwrap_or_else(|_| unreachable!("a scope that nobody cancels")) {
                Ok(checked) => (best.checked, best.breach) = (Some(checked), None),
                Err(breach) => best.breach = Some(breach),
            }
        }
        lock(&self.best).checked.clone()
    }

    /// Runs the engine. Returns the outcome and a remedy if pairs stay uncovered, or the end of a run without outcome.
    fn search(
        &self,
        store: &Store,
        machines: Option<&dyn Machines>,
    ) -> Result<(Outcome, Option<String>), (RunState, String)> {
        let failed = |error: &dyn std::fmt::Display| (RunState::Failed, error.to_string());
        let request = Request::read(&self.start.spec, &mut NoFiles).map_err(|e| failed(&e))?;
        let needs = memory(&request.spec, &request.demand, self.start.threads);
        let _claim = tasks::claim(needs).map_err(|e| failed(&e))?;
        self.begin(request.spec.clone(), request.demand.clone());
        let asked = SearchRequest {
            spec: request.spec,
            demand: request.demand,
            budget: self.start.budget,
            seed: self.start.seed,
            threads: self.start.threads,
        };
        let saved = self.previous().map(|_| store.take_checkpoint(SearchKind::Run, self.id()));
        let saved = saved.transpose().map_err(|e| failed(&e))?.flatten();
        self.begin_recording(store, saved.is_some()).map_err(|e| failed(&e))?;
        let writer = RunWriter { store, run: self, revision: None };
        let (timer, cancel) = (self.checkpoint_timer(), self.control.token());
        if !timer.is_on() {
            self.control.forbid_pause();
        }
        let outcome = Saver::run(timer, writer, |saver| {
            saver.save();
            let mut recorder = Recorder { run: self, saver };
            tasks::priority::lower();
            resume(&asked, &Options::default(), saved.as_deref(), machines, &mut recorder, cancel.flag())
        });
        let outcome = outcome.map_err(|error| match error {
            SearchError::Checkpoint(_) => super::cannot_resume(store, SearchKind::Run, self.id(), &error),
            error => failed(&error),
        })?;
        self.previous().iter().for_each(|previous| previous.end(&outcome));
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
        if let Some(weight) = &mut progress.weight {
            weight.best = weight_served(&verdict);
            weight.shown = weight.best;
        }
        self.set_progress(&progress);
        let crash = outcome.crash();
        let all_crashed = outcome.crashed > 0 && outcome.crashed == self.start.threads;
        match outcome.ended {
            _ if verdict.holds() => (RunState::Solved, crash.unwrap_or_default()),
            Ended::Solved => {
                (RunState::Failed, "The search reported full coverage, but pairs are uncovered.".into())
            }
            _ if all_crashed => (RunState::Failed, crash.unwrap_or_default()),
            Ended::Exhausted => {
                let lines: Vec<String> = crash.into_iter().chain(remedy).collect();
                (RunState::Exhausted, lines.join("\n"))
            }
            Ended::Cancelled if self.control.is_interrupted() => (RunState::Interrupted, RESUMES.into()),
            Ended::Cancelled if outcome.progress.elapsed > MAX_SECONDS => {
                (RunState::Exhausted, crash.unwrap_or_default())
            }
            Ended::Cancelled if self.control.is_paused() => {
                (RunState::Queued, super::paused(outcome.progress.elapsed))
            }
            Ended::Cancelled => (RunState::Cancelled, crash.unwrap_or_default()),
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

    fn owner(&self) -> &Owner {
        &self.owner
    }

    fn threads(&self) -> u32 {
        self.start.threads
    }

    fn control(&self) -> &Control {
        &self.control
    }

    fn run(&self, store: &Store, machines: Option<&dyn Machines>) -> (RunState, String) {
        self.search(store, machines).map_or_else(|end| end, |(outcome, remedy)| self.judge(&outcome, remedy))
    }

    fn save(&self, store: &Store, state: RunState, message: &str) -> Result<(), StoreError> {
        let checked = self.checked();
        let view = RunView { state, message: message.into(), ..self.view() };
        self.save_frames(store)?;
        store.update_run(&view, checked.as_ref().map(|checked| &*checked.table))
    }

    fn seconds_left(&self) -> Option<f64> {
        let status = self.status.borrow();
        let progress = &status.progress;
        let left = match self.start.budget {
            Budget::Seconds(seconds) => seconds - progress.elapsed,
            Budget::Effort(millions) => {
                let moves = (millions as f64 * 1e6 - progress.moves as f64).max(0.0);
                moves / Some(progress.moves_per_second).filter(|rate| *rate > 0.0)?
            }
        };
        Some(left.clamp(0.0, MAX_SECONDS))
    }

    fn set_place(&self, place: Option<QueueView>) {
        self.status.send_if_modified(|s| std::mem::replace(&mut s.queue, place) != place);
    }

    fn pause(&self, message: &str) {
        let table = self.checked().map(|checked| checked.table.to_string());
        *lock(&self.problem) = None;
        // The store has it.
        *lock(&self.recording) = None;
        let mut history = lock(&self.history);
        *history = History::until(*lock(&self.resumes_at), history.samples());
        drop(history);
        let progress = self.status.borrow().progress.clone();
        *lock(&self.previous) = Some(Arc::new(Previous::new(progress, table)));
        self.status.send_modify(|s| {
            (s.state, s.message) = (RunState::Queued, message.into());
            s.progress.trying = "waiting to resume".into();
        });
    }

    fn end(&self, state: RunState, message: &str) {
        self.status.send_modify(|s| {
            s.state = state;
            s.message = message.into();
            s.queue = None;
        });
    }

    fn any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

/// Publishes the progress of a run, and has it saved.
struct Recorder<'a> {
    run: &'a LiveRun,
    saver: &'a Saver,
}

impl Observer for Recorder<'_> {
    fn progress(&mut self, progress: &Progress) {
        self.run.set_progress(progress);
        self.run.record(|recording| recording.progress(progress));
        // An effort budget has no time limit of its own.
        if progress.elapsed > MAX_SECONDS {
            self.run.control.cancel();
        }
        self.saver.save_if_due();
    }

    fn better(&mut self, design: &Design, uncovered: u64) {
        self.run.claim(design);
        self.run.record(|recording| recording.better(design, uncovered));
    }

    fn keeps_checkpoints(&self) -> bool {
        self.saver.keeps_checkpoints()
    }

    fn wants_checkpoint(&mut self) -> bool {
        self.saver.wants_checkpoint(self.run.control.wants_pause())
    }

    fn checkpoint(&mut self, bytes: Vec<u8>) {
        let elapsed = self.run.status.borrow().progress.elapsed;
        let control = &self.run.control;
        if !self.saver.checkpoint(elapsed, bytes) {
            control.forbid_pause();
        } else if control.wants_pause() {
            *lock(&self.run.resumes_at) = elapsed;
            control.pause();
        }
    }
}

/// Writes a run to the store.
struct RunWriter<'a> {
    store: &'a Store,
    run: &'a LiveRun,
    /// Revision of the wiring in the store.
    revision: Option<u64>,
}

impl Writer for RunWriter<'_> {
    fn save(&mut self) -> Result<(), StoreError> {
        let view = self.run.view();
        let revision = Some(view.progress.revision);
        // The wiring is at least as new as the progress.
        let checked = self.run.checked();
        let table = checked.as_ref().filter(|_| self.revision != revision).map(|checked| &*checked.table);
        self.run.save_frames(self.store)?;
        self.store.update_run(&view, table)?;
        self.revision = revision;
        Ok(())
    }

    fn save_checkpoint(&mut self, elapsed: f64, bytes: &[u8]) -> Result<(), StoreError> {
        self.store.save_checkpoint(self.run.id(), elapsed, bytes)
    }

    fn resumes(&self) -> bool {
        self.run.control.resumes()
    }
}

impl Jobs {
    /// Queues a run of a client, who may stop it with the edit token of this hash. Blocks while
    /// the demand is built and the run is stored.
    ///
    /// # Errors
    /// The spec has faults or provably no solution, a limit is exceeded, the queue is full, or the store fails.
    pub fn start(&self, client: &Owner, edit: TokenHash, start: &StartRun) -> Result<RunView, StartError> {
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
        let threads = self.threads(start.threads);
        let owner = client.clone();
        let place = self.queue.reserve(&owner)?;
        let view = RunView {
            progress: Progress { trying: "waiting in the queue".into(), ..Progress::default() },
            version: VERSION.into(),
            ..RunView::queued(new_id()?, start.spec, budget, seed, threads)
        };
        let view = self.store.add_run(&view, &owner, Some(edit))?;
        let live = Arc::new(LiveRun::new(view, owner, self.checkpoint_every));
        place.fill(live.clone());
        Ok(live.view())
    }

    /// Queues a stored run, to resume from its checkpoint at `elapsed` seconds, or from the start.
    pub(super) fn resume(&self, id: &str, elapsed: f64) -> Result<(), StoreError> {
        let Some(record) = self.store.run(id)? else { return Ok(()) };
        let owner = self.store.owner(SearchKind::Run, id)?.unwrap_or_default();
        let live = Arc::new(LiveRun::resumed(record, owner, elapsed, self.checkpoint_every));
        live.save(&self.store, RunState::Queued, "")?;
        self.queue.restore(live);
        Ok(())
    }

    /// Queues an ended run again, with more time or effort than it has used; `None` without such a run. It goes on from its last
    /// checkpoint, or repeats the same moves. Blocks.
    ///
    /// # Errors
    /// The run is not over or has nothing left to search, the limit is out of range, the queue is full, or the store fails.
    pub fn extend(&self, id: &str, more: Budget) -> Result<Option<RunView>, StartError> {
        let asked = StartRun { spec: String::new(), budget: Some(more), seed: None, threads: None };
        let more = SearchForm::of(&asked).read("").map_err(TextError::Spec)?.budget.unwrap_or(more);
        let Some(mut record) = self.store.run(id)? else { return Ok(None) };
        let state = self.live(id).map_or(record.view.state, |live| live.view().state);
        if !matches!(state, RunState::Exhausted | RunState::Cancelled) {
            let found = serde_json::to_value(state).ok().and_then(|s| Some(s.as_str()?.to_owned()));
            let fault = Fault::new(
                "state",
                found.unwrap_or_default(),
                "a search that was stopped or reached its limit",
            );
            return Err(TextError::from(fault).into());
        }
        let used = &record.view.progress;
        record.view.budget = match more {
            // Whole seconds, as people type and read a limit.
            Budget::Seconds(seconds) => Budget::Seconds((used.elapsed + seconds).ceil().min(MAX_SECONDS)),
            Budget::Effort(effort) => {
                Budget::Effort((used.moves.div_ceil(1_000_000) + effort).min(MAX_EFFORT))
            }
        };
        record.view.version = VERSION.into();
        let owner = self.store.owner(SearchKind::Run, id)?.unwrap_or_default();
        let place = self.queue.reserve(&owner)?;
        let elapsed = self.store.extend_run(id, record.view.budget, VERSION)?;
        let live = Arc::new(LiveRun::resumed(record, owner, elapsed, self.checkpoint_every));
        live.save(&self.store, RunState::Queued, "")?;
        place.fill(live.clone());
        Ok(Some(live.view()))
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

    /// Wirings that the run found on its way, the best one so far last; `None` without such a run. Blocks.
    pub fn replay(&self, id: &str) -> Result<Option<ReplayView>, StoreError> {
        let Some(view) = self.view(id)? else { return Ok(None) };
        let recorded = self
            .live(id)
            .and_then(|live| lock(&live.recording).as_ref().map(|recording| recording.frames().to_vec()));
        let mut frames = recorded.map_or_else(|| self.store.frames(id), Ok)?;
        frames.retain(|frame| frame.progress.elapsed < view.progress.elapsed);
        let table = self.table(id)?.flatten();
        frames.extend(table.map(|table| ReplayFrame { progress: view.progress, table: table.to_string() }));
        Ok(Some(ReplayView { frames }))
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

#[cfg(test)]
mod tests {
    use super::{super::Timing, *};

    const SPEC: &str = "pes = 4\nnis_per_pe = 1\nobjective = \"universal\"\n[[switch]]\nports = 4\n";

    fn live() -> LiveRun {
        let request = Request::read(SPEC, &mut NoFiles).unwrap();
        let view = RunView::queued("a".into(), SPEC.into(), Budget::Effort(1), 1, 1);
        let live = LiveRun::new(view, Owner::default(), Duration::from_secs(10));
        live.begin(request.spec, request.demand);
        live
    }

    /// State of a run whose engine returned this wiring.
    fn judged(switches: &[&[u32]], ended: Ended) -> (RunState, LiveRun) {
        let live = live();
        let design = Design::from_switches(4, switches.iter().map(|members| members.to_vec()));
        live.claim(&design);
        let progress = Progress { best: 0, covered: 1.0, ..Progress::default() };
        let method = String::new();
        let outcome = Outcome { design, uncovered: 0, moved: None, ended, method, progress, crashed: 0 };
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
    fn a_run_whose_islands_crashed_says_so_and_keeps_its_wiring() {
        let live = live();
        let design = Design::from_switches(4, [vec![0, 1, 2]]);
        live.claim(&design);
        let progress = Progress { islands: vec![3], ..Progress::default() };
        let (method, ended) = (String::new(), Ended::Exhausted);
        let outcome = Outcome { design, uncovered: 3, moved: None, ended, method, progress, crashed: 1 };
        let (state, message) = live.judge(&outcome, None);
        assert_eq!(state, RunState::Failed);
        assert!(message.starts_with("1 of 1 islands crashed."), "{message}");
        assert_eq!(live.checked().map(|checked| checked.table.to_string()).as_deref(), Some("0: 0 1 2\n"));
    }

    #[test]
    fn a_check_under_way_does_not_delay_the_engine() {
        let live = live();
        let _checking = lock(&live.checking);
        live.claim(&Design::from_switches(4, [vec![0, 1, 2]]));
        assert!(lock(&live.best).claimed.is_some());
    }

    #[test]
    fn a_slow_disk_stops_no_move() {
        let hopeless = include_str!("../../../assets/specs/kasy0.toml").replace("ports = 24", "ports = 12");
        let store = Arc::new(Store::temporary().unwrap());
        let memory = tasks::Tasks::new(tasks::Limits::of(2)).memory.clone();
        let timing = Timing { checkpoint_every: Duration::from_millis(500), ..Timing::default() };
        let jobs = Jobs::new(store.clone(), memory, 2, timing, None).unwrap();
        let budget = Some(Budget::Seconds(600.0));
        let asked = StartRun { spec: hopeless, budget, seed: None, threads: Some(1) };
        let id = jobs.start(&Owner("somebody".into()), TokenHash::of(""), &asked).unwrap().id;
        let live = jobs.live(&id).unwrap();
        let moves_after = |moves: u64| {
            let began = Instant::now();
            while live.view().progress.moves <= moves {
                assert!(began.elapsed() < Duration::from_secs(30), "no move after {moves}");
                std::thread::sleep(Duration::from_millis(20));
            }
            live.view().progress.moves
        };
        moves_after(0);
        let slow = store.delay_writes();
        // A save and a checkpoint are due by then.
        std::thread::sleep(Duration::from_secs(4));
        let moves = live.view().progress.moves;
        moves_after(moves_after(moves));
        assert!(live.checked().is_some(), "the wiring is there meanwhile");
        drop(slow);
        jobs.stop(&id).unwrap();
        jobs.shut_down(Duration::from_secs(30));
        assert!(store.run(&id).unwrap().unwrap().table.is_some());
    }

    #[test]
    fn a_wiring_that_breaks_a_limit_is_never_shown() {
        let (state, live) = judged(&[&[0, 1, 2, 3], &[0, 1]], Ended::Solved);
        assert_eq!(state, RunState::Failed);
        assert!(live.checked().is_none());
        assert!(lock(&live.best).breach.is_some());
    }
}
