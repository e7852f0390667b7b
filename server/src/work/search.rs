//! Searches for a wiring.

use super::{
    Body, CheckpointTimer, Context, Detail, KindOfWork, Lane, Live, NewWork, RESUMES, StartError, Works,
    history::History,
    live::{End, raw},
    previous::Previous,
    queue::Control,
    replay::Recording,
    saver::Saver,
};
use crate::{
    cluster::studio::Workers,
    counts::{hardware, remedy},
    lock,
    prepare::Request,
    problem::ApiError,
    store::{Store, StoreError, StoredPart, WorkRecord},
    tasks,
};
use search::{
    SearchError,
    epoch::Machines,
    options::Options,
    request::{memory, resume},
    team::Threads,
};
use serde_json::value::RawValue;
use shared::{
    analysis::{bounds::refuse, leftout::weight_served},
    api::{
        ContinueWork, FormTexts, ListedHardware, MAX_EFFORT, MAX_SECONDS, ReplayFrame, ReplayView,
        SearchReport, StartWork, WorkKind, WorkState,
    },
    cancel::{Token, scope},
    demand::Demand,
    design::{Design, Verdict, check, table},
    resolve::NoFiles,
    search::{Budget, EndReason, Observer, Outcome, Progress, SearchForm, SearchRequest, SearchSettings},
    spec::{Objective, Spec},
};
use std::{
    sync::{Arc, Mutex, OnceLock},
    time::{Duration, Instant},
};

/// Searches.
pub struct Searches;

impl KindOfWork for Searches {
    fn lane(&self) -> Lane {
        Lane::Searches
    }

    fn admit(&self, asked: &StartWork, works: &Works) -> Result<NewWork, StartError> {
        let settings = asked.form.form::<SearchForm>().read()?;
        let request = Request::read(asked.spec(), &mut NoFiles)?;
        if let Some(mut refusal) = refuse(&request.spec, &request.demand) {
            let remedy = remedy(&request.spec, &request.demand);
            remedy.iter().for_each(|line| refusal.proof += &format!("\n{line}"));
            return Err(StartError::Refused(refusal));
        }
        let threads = works.threads(settings.threads);
        let search = LiveSearch::new(settings, threads, works);
        search.count_islands(&request.spec);
        search.set_trying("waiting in the queue");
        Ok(NewWork { body: Box::new(search), threads, foreseen: None })
    }

    fn resume(&self, record: WorkRecord, elapsed: f64, works: &Works) -> Result<Box<dyn Body>, StartError> {
        let WorkRecord { view, wiring, .. } = record;
        let settings = view.asked.form.form::<SearchForm>().read()?;
        let report: SearchReport = serde_json::from_str(view.report.get()).map_err(StoreError::from)?;
        let search = LiveSearch::new(settings, view.threads, works);
        *lock(&search.history) = History::until(elapsed, report.history);
        *lock(&search.previous) = Some(Arc::new(Previous::new(report.progress.clone(), wiring)));
        *lock(&search.resumes_at) = elapsed;
        lock(&search.report).progress = report.progress;
        search.set_trying("waiting to resume");
        Ok(Box::new(search))
    }

    fn extend(&self, record: &WorkRecord, more: &ContinueWork) -> Result<StartWork, StartError> {
        more.form.check(record.view.asked.kind)?;
        let more = more.form.form::<SearchForm>().read()?.budget;
        let report: SearchReport =
            serde_json::from_str(record.view.report.get()).map_err(StoreError::from)?;
        let used = report.progress;
        let budget = match more {
            // Whole seconds, as people type and read a limit.
            Budget::Seconds(seconds) => Budget::Seconds((used.elapsed + seconds).ceil().min(MAX_SECONDS)),
            Budget::Effort(effort) => {
                Budget::Effort((used.moves.div_ceil(1_000_000) + effort).min(MAX_EFFORT))
            }
        };
        let form = record.view.asked.form.form::<SearchForm>().within(budget);
        Ok(StartWork { form: FormTexts::of(&[&form]), ..record.view.asked.clone() })
    }
}

/// A search that is queued, runs or has just ended.
pub struct LiveSearch {
    settings: SearchSettings,
    threads: u32,
    /// Number of islands, once the spec is read.
    islands: OnceLock<u32>,
    workers: Option<Arc<Workers>>,
    /// The report without its chart.
    report: Mutex<SearchReport>,
    history: Mutex<History>,
    /// `None` before the search begins: stored frames are still in the store alone.
    recording: Mutex<Option<Recording>>,
    best: Mutex<Best>,
    /// Held during a check.
    checking: Mutex<()>,
    /// Spec and demand of a running search: a queued one holds no demand, which may be large.
    problem: Mutex<Option<(Arc<Spec>, Arc<Demand>)>>,
    /// State before the studio stopped or the search paused, for a resumed search.
    previous: Mutex<Option<Arc<Previous>>>,
    /// Seconds of search at the checkpoint to resume from.
    resumes_at: Mutex<f64>,
    /// Revision of the wiring in the store.
    stored: Mutex<Option<u64>>,
    checkpoint_every: Duration,
}

/// A wiring that passed the checker.
#[derive(Clone, Debug)]
pub struct CheckedWiring {
    /// Text table of the wiring.
    pub table: Arc<str>,
    /// The checker's verdict, without breaches.
    pub verdict: Arc<Verdict>,
}

impl CheckedWiring {
    /// Checks a wiring.
    ///
    /// # Errors
    /// The first breach.
    pub(super) fn by_checker(spec: &Spec, demand: &Demand, design: &Design) -> Result<CheckedWiring, String> {
        let verdict = check(spec, demand, design);
        match verdict.breaches.first() {
            Some(breach) => Err(breach.to_string()),
            None => Ok(CheckedWiring { table: table::write(design).into(), verdict: Arc::new(verdict) }),
        }
    }
}

#[derive(Default)]
struct Best {
    /// The engine's latest wiring, not checked yet.
    claimed: Option<Design>,
    checked: Option<CheckedWiring>,
    /// Hardware, price and objective of that wiring.
    hardware: Option<ListedHardware>,
    /// First breach of the last wiring that the checker refused.
    breach: Option<String>,
}

impl LiveSearch {
    fn new(settings: SearchSettings, threads: u32, works: &Works) -> LiveSearch {
        LiveSearch {
            settings,
            threads,
            islands: OnceLock::new(),
            workers: works.workers().cloned(),
            report: Mutex::default(),
            history: Mutex::default(),
            recording: Mutex::default(),
            best: Mutex::default(),
            checking: Mutex::default(),
            problem: Mutex::default(),
            previous: Mutex::default(),
            resumes_at: Mutex::default(),
            stored: Mutex::default(),
            checkpoint_every: works.timing.checkpoint_every,
        }
    }

    fn count_islands(&self, spec: &Spec) {
        self.islands.get_or_init(|| Threads::of(spec, self.threads, &Options::default()).islands);
    }

    /// Number of islands, and threads of each worker. `None` before the spec is read, and without workers.
    fn machines(&self) -> Option<(u32, Vec<u32>)> {
        let machines = self.workers.as_ref()?.machines();
        Some((*self.islands.get()?, machines)).filter(|(_, machines)| !machines.is_empty())
    }

    fn set_trying(&self, trying: &str) {
        lock(&self.report).progress.trying = trying.into();
    }

    fn latest(&self) -> Progress {
        lock(&self.report).progress.clone()
    }

    /// Prepares the search for this problem. A resumed search starts from the wiring known before.
    fn begin(&self, spec: Arc<Spec>, demand: Arc<Demand>) {
        let previous = self.previous();
        if let Some(previous) = &previous {
            let design = previous.table.as_deref().and_then(|table| table::parse(table, spec.pes).ok());
            match design {
                Some(design) => lock(&self.best).claimed = Some(design),
                None => previous.pass(),
            }
        }
        self.count_islands(&spec);
        *lock(&self.problem) = Some((spec, demand));
        self.set_trying(if previous.is_some() { "resuming" } else { "starting" });
    }

    /// Begins the record, or continues the stored one up to the checkpoint.
    fn begin_recording(&self, id: &str, store: &Store, has_checkpoint: bool) -> Result<(), StoreError> {
        let until = if has_checkpoint { Some(*lock(&self.resumes_at)) } else { None };
        let parts = match self.previous() {
            Some(_) => store.rewind_parts(id, until)?,
            None => Vec::new(),
        };
        *lock(&self.recording) = Some(Recording::after(frames(parts)?));
        Ok(())
    }

    /// Updates the record, if there is one by now.
    fn record(&self, update: impl FnOnce(&mut Recording)) {
        if let Some(recording) = lock(&self.recording).as_mut() {
            update(recording);
        }
    }

    /// Saves new frames of the record.
    fn save_frames(&self, id: &str, store: &Store) -> Result<(), StoreError> {
        let Some(frames) = lock(&self.recording).as_mut().and_then(Recording::unsaved) else { return Ok(()) };
        let part = |ReplayFrame { progress, table }: ReplayFrame| {
            let note = serde_json::to_string(&progress)?;
            Ok(StoredPart { number: progress.revision, elapsed: progress.elapsed, note, wiring: table })
        };
        let parts: Result<Vec<StoredPart>, StoreError> = frames.into_iter().map(part).collect();
        store.save_parts(id, &parts?)
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
        lock(&self.report).progress.clone_from(merged);
    }

    /// Checkpoints of this search: none if it is too short for one.
    fn checkpoint_timer(&self) -> CheckpointTimer {
        let every = self.checkpoint_every;
        let short =
            matches!(self.settings.budget, Budget::Seconds(seconds) if seconds <= every.as_secs_f64());
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
    pub fn checked(&self) -> Option<CheckedWiring> {
        // One check at a time. The engine does not wait for it.
        let _checking = lock(&self.checking);
        let claimed = lock(&self.best).claimed.take();
        let problem = lock(&self.problem).clone();
        if let (Some(design), Some((spec, demand))) = (claimed, problem) {
            // The search needs the verdict even if this request is cancelled.
            let checked = scope(&Token::default(), || CheckedWiring::by_checker(&spec, &demand, &design));
            let checked = checked.unwrap_or_else(|_| unreachable!("a scope that nobody cancels"));
            let hardware = hardware(&spec, &design);
            let mut best = lock(&self.best);
            match checked {
                Ok(checked) => {
                    (best.checked, best.hardware, best.breach) = (Some(checked), Some(hardware), None);
                }
                Err(breach) => best.breach = Some(breach),
            }
        }
        lock(&self.best).checked.clone()
    }

    /// Runs the engine. Returns the outcome and a remedy if pairs stay uncovered, or the end of a search without outcome.
    fn search(&self, context: &Context<'_>) -> Result<(Outcome, Option<String>), End> {
        let Context { live, store, workers, ref saved } = *context;
        let request = Request::read(live.asked.spec(), &mut NoFiles).map_err(|error| live.failed(error))?;
        let needs = memory(&request.spec, &request.demand, self.threads);
        let _claim = tasks::claim(needs).map_err(|error| live.failed(error))?;
        self.begin(request.spec.clone(), request.demand.clone());
        live.begin();
        let SearchSettings { budget, seed, .. } = self.settings;
        let Request { spec, demand, .. } = request;
        let asked = SearchRequest { spec, demand, budget, seed, threads: self.threads };
        let saved = saved.as_deref().filter(|_| self.previous().is_some());
        self.begin_recording(&live.id, store, saved.is_some()).map_err(|error| live.failed(error))?;
        let (timer, cancel) = (self.checkpoint_timer(), live.token());
        if !timer.is_on() {
            live.control.forbid_pause();
        }
        let machines = workers.map(|workers| workers as &dyn Machines);
        let outcome = live.saved(store, timer, |saver| {
            saver.save();
            let mut recorder = Recorder { search: self, live, saver };
            tasks::priority::lower();
            resume(&asked, &Options::default(), saved, machines, &mut recorder, cancel.flag())
        });
        let outcome = outcome.map_err(|error| match error {
            SearchError::Checkpoint(_) => live.cannot_resume(store, &error),
            error => (WorkState::Failed, error.to_string()),
        })?;
        self.previous().iter().for_each(|previous| previous.end(&outcome));
        self.claim(&outcome.design);
        lock(&self.report).method.clone_from(&outcome.method);
        let lacks = outcome.ended == EndReason::Exhausted && outcome.uncovered > 0;
        let remedy = if lacks { remedy(&asked.spec, &asked.demand) } else { None };
        Ok((outcome, remedy))
    }

    /// State and message of an ended search. The checker decides, not the engine.
    fn judge(&self, control: &Control, outcome: &Outcome, remedy: Option<String>) -> End {
        let checked = self.checked();
        if let Some(breach) = &lock(&self.best).breach {
            return (WorkState::Failed, format!("The search returned an invalid wiring: {breach}."));
        }
        let Some(verdict) = checked.map(|checked| checked.verdict) else {
            return (WorkState::Failed, "The search returned no wiring.".into());
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
        let all_crashed = outcome.crashed > 0 && outcome.crashed == self.threads;
        match outcome.ended {
            _ if verdict.holds() => (WorkState::Solved, crash.unwrap_or_default()),
            EndReason::Solved => {
                (WorkState::Failed, "The search reported full coverage, but pairs are uncovered.".into())
            }
            _ if all_crashed => (WorkState::Failed, crash.unwrap_or_default()),
            EndReason::Exhausted => {
                let lines: Vec<String> = crash.into_iter().chain(remedy).collect();
                (WorkState::Exhausted, lines.join("\n"))
            }
            EndReason::Cancelled if control.is_interrupted() => (WorkState::Interrupted, RESUMES.into()),
            EndReason::Cancelled if outcome.progress.elapsed > MAX_SECONDS => {
                (WorkState::Exhausted, crash.unwrap_or_default())
            }
            EndReason::Cancelled if control.is_paused() => {
                (WorkState::Queued, super::paused(outcome.progress.elapsed))
            }
            EndReason::Cancelled => (WorkState::Cancelled, crash.unwrap_or_default()),
        }
    }
}

impl Body for LiveSearch {
    fn report(&self, detail: Detail) -> Box<RawValue> {
        let history = if detail == Detail::Change { Vec::new() } else { lock(&self.history).samples() };
        raw(&SearchReport { history, ..lock(&self.report).clone() })
    }

    fn run(&self, context: &Context<'_>) -> End {
        let ended = self.search(context);
        ended.map_or_else(|end| end, |(outcome, remedy)| self.judge(&context.live.control, &outcome, remedy))
    }

    fn save(&self, live: &Live, store: &Store) -> Result<Option<Arc<str>>, StoreError> {
        // The wiring is at least as new as the progress.
        let revision = Some(self.latest().revision);
        let checked = self.checked();
        self.save_frames(&live.id, store)?;
        let is_new = std::mem::replace(&mut *lock(&self.stored), revision) != revision;
        Ok(checked.filter(|_| is_new || live.state() != WorkState::Running).map(|checked| checked.table))
    }

    fn hardware(&self) -> Option<ListedHardware> {
        lock(&self.best).hardware.clone()
    }

    fn max_threads(&self) -> u32 {
        self.machines().map_or(u32::MAX, |(islands, machines)| max_threads(islands, &machines))
    }

    fn seconds_left(&self) -> Option<f64> {
        let progress = self.latest();
        let left = match self.settings.budget {
            Budget::Seconds(seconds) => seconds - progress.elapsed,
            Budget::Effort(millions) => {
                let moves = (millions as f64 * 1e6 - progress.moves as f64).max(0.0);
                moves / Some(progress.moves_per_second).filter(|rate| *rate > 0.0)?
            }
        };
        Some(left.clamp(0.0, MAX_SECONDS))
    }

    fn elapsed(&self) -> f64 {
        lock(&self.report).progress.elapsed
    }

    fn pause(&self, _live: &Live) {
        let table = self.checked().map(|checked| checked.table.to_string());
        *lock(&self.problem) = None;
        // The store has it.
        *lock(&self.recording) = None;
        let mut history = lock(&self.history);
        *history = History::until(*lock(&self.resumes_at), history.samples());
        drop(history);
        *lock(&self.previous) = Some(Arc::new(Previous::new(self.latest(), table)));
        self.set_trying("waiting to resume");
    }
}

/// Max threads of a search on these workers: an island runs on one worker, and uses no more than the threads of that.
fn max_threads(islands: u32, machines: &[u32]) -> u32 {
    islands.saturating_mul(machines.iter().copied().max().unwrap_or(u32::MAX))
}

/// Message about the workers that a search leaves to others; empty if it can use all.
fn place_words(islands: u32, workers: usize) -> String {
    match islands {
        _ if islands as usize >= workers => String::new(),
        1 => "This search runs on one worker. Other workers serve other searches.".into(),
        _ => format!("This search runs on up to {islands} workers. Other workers serve other searches."),
    }
}

/// Publishes the progress of a search, and has it saved.
struct Recorder<'a> {
    search: &'a LiveSearch,
    live: &'a Live,
    saver: &'a Saver,
}

impl Observer for Recorder<'_> {
    fn progress(&mut self, progress: &Progress) {
        self.search.set_progress(progress);
        self.search.record(|recording| recording.progress(progress));
        let place = self.search.machines();
        self.live
            .note(place.map_or_else(String::new, |(islands, machines)| place_words(islands, machines.len())));
        self.live.changed();
        // An effort budget has no time limit of its own.
        if progress.elapsed > MAX_SECONDS {
            self.live.control.cancel();
        }
        self.saver.save_if_due();
    }

    fn better(&mut self, design: &Design, uncovered: u64) {
        self.search.claim(design);
        self.search.record(|recording| recording.better(design, uncovered));
    }

    fn keeps_checkpoints(&self) -> bool {
        self.saver.keeps_checkpoints()
    }

    fn wants_checkpoint(&mut self) -> bool {
        self.saver.wants_checkpoint(self.live.control.wants_pause())
    }

    fn checkpoint(&mut self, bytes: Vec<u8>) {
        let (elapsed, control) = (self.search.elapsed(), &self.live.control);
        if !self.saver.checkpoint(elapsed, bytes) {
            control.forbid_pause();
        } else if control.wants_pause() {
            *lock(&self.search.resumes_at) = elapsed;
            control.pause();
        }
    }
}

/// The frames of a replay in the store.
fn frames(parts: Vec<StoredPart>) -> Result<Vec<ReplayFrame>, StoreError> {
    let frame = |part: StoredPart| {
        Ok(ReplayFrame { progress: serde_json::from_str(&part.note)?, table: part.wiring })
    };
    parts.into_iter().map(frame).collect()
}

impl Works {
    /// Wirings that a search found on its way, the best one so far last. Blocks.
    ///
    /// # Errors
    /// There is no such search, or the store fails.
    pub fn replay(&self, id: &str) -> Result<ReplayView, ApiError> {
        let live = self.find(id);
        let (progress, recorded) = match live.as_ref().and_then(|live| live.body::<LiveSearch>()) {
            Some(search) => {
                let recorded = lock(&search.recording).as_ref().map(|recording| recording.frames().to_vec());
                (search.latest(), recorded)
            }
            None => {
                let view = self.store.work(id)?.ok_or_else(ApiError::no_work)?.view;
                if view.asked.kind != WorkKind::Search {
                    return Err(ApiError::lacks(view.asked.kind, "replay"));
                }
                let report: SearchReport =
                    serde_json::from_str(view.report.get()).map_err(StoreError::from)?;
                (report.progress, None)
            }
        };
        let mut frames = recorded.map_or_else(|| frames(self.store.parts(id)?), Ok)?;
        frames.retain(|frame| frame.progress.elapsed < progress.elapsed);
        let table = self.table(id)?;
        frames.extend(table.map(|table| ReplayFrame { progress, table: table.to_string() }));
        Ok(ReplayView { frames })
    }

    /// Text table of the best wiring of a search so far; `None` without a wiring yet. Blocks.
    ///
    /// # Errors
    /// There is no such search, or the store fails.
    pub fn table(&self, id: &str) -> Result<Option<Arc<str>>, ApiError> {
        let live = self.find(id);
        let checked = live.as_ref().and_then(|live| live.body::<LiveSearch>()?.checked());
        if let Some(checked) = checked {
            return Ok(Some(checked.table));
        }
        // A search that waits to resume has its wiring in the store.
        let record = self.store.work(id)?.ok_or_else(ApiError::no_work)?;
        match record.view.asked.kind {
            WorkKind::Search => Ok(record.wiring.map(Into::into)),
            kind => Err(ApiError::lacks(kind, "wiring")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::Timing, *};
    use crate::{edit::TokenHash, tasks::Owner};

    const SPEC: &str = "pes = 4\nnis_per_pe = 1\nobjective = \"universal\"\n[[switch]]\nports = 4\n";

    fn live() -> LiveSearch {
        let request = Request::read(SPEC, &mut NoFiles).unwrap();
        let settings = SearchForm::default().read().unwrap();
        let tasks = tasks::Tasks::new(tasks::Limits::of(2));
        let store = Arc::new(Store::temporary().unwrap());
        let works = Works::new(store, &tasks, 2, Timing::default(), None).unwrap();
        let live = LiveSearch::new(settings, 1, &works);
        live.begin(request.spec, request.demand);
        live
    }

    /// State of a run whose engine returned this wiring.
    fn judged(switches: &[&[u32]], ended: EndReason) -> (WorkState, LiveSearch) {
        let live = live();
        let design = Design::from_switches(4, switches.iter().map(|members| members.to_vec()));
        live.claim(&design);
        let progress = Progress { best: 0, covered: 1.0, ..Progress::default() };
        let method = String::new();
        let outcome = Outcome { design, uncovered: 0, moved: None, ended, method, progress, crashed: 0 };
        (live.judge(&Control::default(), &outcome, None).0, live)
    }

    #[test]
    fn the_checkers_word_counts_not_the_engines() {
        let whole: &[&[u32]] = &[&[0, 1, 2, 3]];
        assert_eq!(judged(whole, EndReason::Solved).0, WorkState::Solved);
        assert_eq!(judged(whole, EndReason::Cancelled).0, WorkState::Solved);
        let holes: &[&[u32]] = &[&[0, 1, 2]];
        assert_eq!(judged(holes, EndReason::Solved).0, WorkState::Failed);
        let (state, live) = judged(holes, EndReason::Exhausted);
        assert_eq!((state, live.latest().best), (WorkState::Exhausted, 3));
        assert!((live.latest().covered - 0.5).abs() < 1e-12);
    }

    #[test]
    fn a_run_whose_islands_crashed_says_so_and_keeps_its_wiring() {
        let live = live();
        let design = Design::from_switches(4, [vec![0, 1, 2]]);
        live.claim(&design);
        let progress = Progress { islands: vec![3], ..Progress::default() };
        let (method, ended) = (String::new(), EndReason::Exhausted);
        let outcome = Outcome { design, uncovered: 3, moved: None, ended, method, progress, crashed: 1 };
        let (state, message) = live.judge(&Control::default(), &outcome, None);
        assert_eq!(state, WorkState::Failed);
        assert!(message.starts_with("1 of 1 islands crashed."), "{message}");
        assert_eq!(live.checked().map(|checked| checked.table.to_string()).as_deref(), Some("0: 0 1 2\n"));
    }

    #[test]
    fn a_search_occupies_no_more_threads_than_its_islands_have_on_their_workers() {
        assert_eq!(live().max_threads(), u32::MAX, "without workers");
        // One island of eight threads, on workers of two and of sixteen.
        assert_eq!(max_threads(1, &[2, 2, 2]), 2);
        assert_eq!(max_threads(1, &[2, 16]), 16);
        assert_eq!(max_threads(3, &[2; 12]), 6);
    }

    #[test]
    fn workers_beside_those_of_a_search_are_told_to_serve_others() {
        assert_eq!(place_words(1, 1), "");
        assert_eq!(place_words(1, 2), "This search runs on one worker. Other workers serve other searches.");
        assert_eq!(
            place_words(2, 3),
            "This search runs on up to 2 workers. Other workers serve other searches."
        );
        assert_eq!(place_words(8, 3), "");
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
        let tasks = tasks::Tasks::new(tasks::Limits::of(2));
        let timing = Timing { checkpoint_every: Duration::from_millis(500), ..Timing::default() };
        let works = Works::new(store.clone(), &tasks, 2, timing, None).unwrap();
        let form = SearchForm { seconds: "600".into(), threads: "1".into(), ..SearchForm::default() };
        let asked = StartWork { spec: Some(hopeless), form: FormTexts::of(&[&form]), ..StartWork::default() };
        let work = works.start(&Owner("somebody".into()), TokenHash::of(""), asked).unwrap();
        let live = work.body::<LiveSearch>().unwrap();
        let moves_after = |moves: u64| {
            let began = Instant::now();
            while live.latest().moves <= moves {
                assert!(began.elapsed() < Duration::from_secs(30), "no move after {moves}");
                std::thread::sleep(Duration::from_millis(20));
            }
            live.latest().moves
        };
        moves_after(0);
        let slow = store.delay_writes();
        // A save and a checkpoint are due by then.
        std::thread::sleep(Duration::from_secs(4));
        let moves = live.latest().moves;
        moves_after(moves_after(moves));
        assert!(live.checked().is_some(), "the wiring is there meanwhile");
        drop(slow);
        works.stop(&work.id).unwrap();
        works.shut_down(Duration::from_secs(30));
        assert!(store.work(&work.id).unwrap().unwrap().wiring.is_some());
    }

    #[test]
    fn a_wiring_that_breaks_a_limit_is_never_shown() {
        let (state, live) = judged(&[&[0, 1, 2, 3], &[0, 1]], EndReason::Solved);
        assert_eq!(state, WorkState::Failed);
        assert!(live.checked().is_none());
        assert!(lock(&live.best).breach.is_some());
    }
}
