//! One search from start to end, on the thread that calls.

use super::{
    Live,
    queue::{GOES_ON, INTERRUPTED, Job},
};
use crate::{
    prepare::Request,
    remedy::remedy,
    store::{RunResult, Store},
};
use search::{SearchError, options::Options, request::resume};
use shared::{
    api::{MAX_SECONDS, RunState},
    design::Design,
    resolve::NoFiles,
    search::{Budget, Ended, Observer, Outcome, Progress, SearchRequest},
};
use std::time::{Duration, Instant};

/// How often the best wiring so far is kept, so that a crash loses little.
const KEEP_EVERY: Duration = Duration::from_secs(2);
/// Most bytes of a checkpoint that is kept: the store has one writer, and whoever else writes waits.
const MOST_CHECKPOINT: usize = 64 << 20;

/// Searches, and says how it ended, with a message if it failed.
pub fn conduct(store: &Store, live: &Live) -> (RunState, String) {
    match search(store, live) {
        Ok((outcome, remedy)) => judge(live, &outcome, remedy),
        Err(over) => over,
    }
}

/// The outcome, with what would serve every pair if that is known and it does not; or how the run ended without one.
fn search(store: &Store, live: &Live) -> Result<(Outcome, Option<String>), (RunState, String)> {
    let failed = |error: &dyn std::fmt::Display| (RunState::Failed, error.to_string());
    let request = Request::read(&live.start().spec, &mut NoFiles).map_err(|e| failed(&e))?;
    live.begin(request.spec.clone(), request.demand.clone());
    let asked = SearchRequest {
        spec: request.spec,
        demand: request.demand,
        budget: live.start().budget,
        seed: live.start().seed,
        threads: live.threads(),
    };
    let taken_up = live.known().map(|_| store.take_up_checkpoint(live.id())).transpose();
    let saved = taken_up.map_err(|e| failed(&e))?.flatten().map(|checkpoint| checkpoint.state);
    let mut watcher = Watcher::new(store, live);
    watcher.keep();
    let cancel = live.orders().cancelled();
    let outcome = resume(&asked, &Options::default(), saved.as_deref(), &mut watcher, cancel);
    let outcome = outcome.map_err(|error| match error {
        SearchError::Checkpoint { .. } => unusable(store, live, &error),
        error => failed(&error),
    })?;
    live.known().into_iter().for_each(|known| known.end(&outcome));
    live.claim(&outcome.design);
    live.found_by(&outcome.method);
    let lacks = outcome.ended == Ended::Exhausted && outcome.uncovered > 0;
    let remedy = if lacks { remedy(&asked.spec, &asked.demand) } else { None };
    Ok((outcome, remedy))
}

/// A run whose checkpoint the engine refuses stays as it was, for good.
fn unusable(store: &Store, live: &Live, why: &SearchError) -> (RunState, String) {
    if let Err(error) = store.drop_checkpoint(live.id()) {
        eprintln!("crosspoint: a checkpoint of no use could not be removed: {error}");
    }
    (RunState::Interrupted, format!("{INTERRUPTED}; it cannot go on: {why}"))
}

/// The checker has the last word on how the search ended.
fn judge(live: &Live, outcome: &Outcome, remedy: Option<String>) -> (RunState, String) {
    let checked = live.checked();
    if let Some(breach) = live.breach() {
        return (RunState::Failed, format!("the search made a wiring that breaks a limit: {breach}"));
    }
    let Some(verdict) = checked.map(|checked| checked.verdict) else {
        return (RunState::Failed, "the search made no wiring".into());
    };
    let mut progress = outcome.progress.clone();
    progress.best = verdict.uncovered.len() as u64;
    progress.covered = 1.0 - progress.best as f64 / verdict.requested.max(1) as f64;
    live.progress(&progress);
    match outcome.ended {
        _ if verdict.holds() => (RunState::Solved, String::new()),
        Ended::Solved => (RunState::Failed, "the search claimed full coverage, the checker disagrees".into()),
        Ended::Exhausted => (RunState::Exhausted, remedy.unwrap_or_default()),
        Ended::Cancelled if live.orders().is_interrupted() => (RunState::Interrupted, GOES_ON.into()),
        Ended::Cancelled if outcome.progress.elapsed > MAX_SECONDS => (RunState::Exhausted, String::new()),
        Ended::Cancelled => (RunState::Cancelled, String::new()),
    }
}

struct Watcher<'a> {
    store: &'a Store,
    live: &'a Live,
    /// When, and at which revision.
    kept: Option<(Instant, u64)>,
    /// When the next checkpoint is wanted; never if the run is too short for one, or its checkpoints too large.
    next: Option<Instant>,
}

impl<'a> Watcher<'a> {
    fn new(store: &'a Store, live: &'a Live) -> Self {
        let every = live.checkpoint_every();
        let short = matches!(live.start().budget, Budget::Seconds(seconds) if seconds <= every.as_secs_f64());
        let next = (!short).then(|| Instant::now() + every);
        Watcher { store, live, kept: None, next }
    }

    fn keep(&mut self) {
        let standing = self.live.standing();
        let revision = standing.progress.revision;
        let checked = self.live.checked();
        let changed = self.kept.is_none_or(|(_, kept)| kept != revision);
        let table = checked.as_ref().filter(|_| changed).map(|c| &*c.table);
        let history = self.live.history();
        let result = RunResult {
            state: RunState::Running,
            progress: &standing.progress,
            history: &history,
            table,
            method: "",
            message: "",
        };
        if let Err(error) = self.store.update_run(self.live.id(), result) {
            eprintln!("crosspoint: a running search could not be kept: {error}");
        }
        self.kept = Some((Instant::now(), revision));
    }
}

impl Observer for Watcher<'_> {
    fn progress(&mut self, progress: &Progress) {
        self.live.progress(progress);
        // A budget of effort knows no time; a day is the most that a studio gives.
        if progress.elapsed > MAX_SECONDS {
            self.live.orders().cancel();
        }
        if self.kept.is_none_or(|(at, _)| at.elapsed() >= KEEP_EVERY) {
            self.keep();
        }
    }

    fn better(&mut self, design: &Design, _uncovered: u64) {
        self.live.claim(design);
    }

    fn keeps_checkpoints(&self) -> bool {
        self.next.is_some()
    }

    fn wants_checkpoint(&mut self) -> bool {
        self.next.is_some_and(|next| Instant::now() >= next)
    }

    fn checkpoint(&mut self, bytes: Vec<u8>) {
        let (id, elapsed) = (self.live.id(), self.live.standing().progress.elapsed);
        if bytes.len() > MOST_CHECKPOINT {
            let (has, most) = (bytes.len() >> 20, MOST_CHECKPOINT >> 20);
            eprintln!("crosspoint: checkpoints of run {id} take {has} MiB and are not kept; {most} MiB are");
            self.next = None;
            return;
        }
        // The best wiring with it, so that what is known is never less than where the search goes on.
        self.keep();
        if let Err(error) = self.store.keep_checkpoint(id, elapsed, &bytes) {
            eprintln!("crosspoint: a checkpoint could not be kept: {error}");
        }
        self.next = Some(Instant::now() + self.live.checkpoint_every());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::api::RunView;

    const SPEC: &str = "pes = 4\nnis_per_pe = 1\nobjective = \"universal\"\n[[switch]]\nports = 4\n";

    fn live() -> Live {
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
        let live = Live::new(view, Duration::from_secs(10));
        live.begin(request.spec, request.demand);
        live
    }

    /// How a run ends whose engine hands over this wiring.
    fn judged(switches: &[&[u32]], ended: Ended) -> (RunState, Live) {
        let live = live();
        let design = Design::from_switches(4, switches.iter().map(|members| members.to_vec()));
        live.claim(&design);
        let progress = Progress { best: 0, covered: 1.0, ..Progress::default() };
        let outcome = Outcome { design, uncovered: 0, moved: None, ended, method: String::new(), progress };
        (judge(&live, &outcome, None).0, live)
    }

    #[test]
    fn the_checkers_word_counts_not_the_engines() {
        let whole: &[&[u32]] = &[&[0, 1, 2, 3]];
        assert_eq!(judged(whole, Ended::Solved).0, RunState::Solved);
        assert_eq!(judged(whole, Ended::Cancelled).0, RunState::Solved);
        let holes: &[&[u32]] = &[&[0, 1, 2]];
        assert_eq!(judged(holes, Ended::Solved).0, RunState::Failed);
        let (state, live) = judged(holes, Ended::Exhausted);
        assert_eq!((state, live.standing().progress.best), (RunState::Exhausted, 3));
        assert!((live.standing().progress.covered - 0.5).abs() < 1e-12);
    }

    #[test]
    fn a_wiring_that_breaks_a_limit_is_never_shown() {
        let (state, live) = judged(&[&[0, 1, 2, 3], &[0, 1]], Ended::Solved);
        assert_eq!(state, RunState::Failed);
        assert!(live.checked().is_none());
        assert!(live.breach().is_some());
    }
}
