//! One search from start to end, on the thread that calls.

use super::{
    Live,
    queue::{INTERRUPTED, Job},
};
use crate::{
    prepare::Request,
    store::{RunResult, Store},
};
use shared::{
    api::{MAX_SECONDS, RunState},
    design::Design,
    search::{Ended, Observer, Outcome, Progress, SearchRequest},
    spec::NoFiles,
};
use std::time::{Duration, Instant};

/// How often the best wiring so far is kept, so that a crash loses little.
const KEEP_EVERY: Duration = Duration::from_secs(2);

/// Searches, and says how it ended, with a message if it failed.
pub fn conduct(store: &Store, live: &Live) -> (RunState, String) {
    match search(store, live) {
        Ok(outcome) => judge(live, &outcome),
        Err(message) => (RunState::Failed, message),
    }
}

fn search(store: &Store, live: &Live) -> Result<Outcome, String> {
    let request = Request::read(&live.start().spec, &mut NoFiles).map_err(|e| e.to_string())?;
    live.begin(request.spec.clone(), request.demand.clone());
    let asked = SearchRequest {
        spec: request.spec,
        demand: request.demand,
        budget: live.start().budget,
        seed: live.start().seed,
        threads: live.threads(),
    };
    let mut watcher = Watcher { store, live, kept: None };
    watcher.keep();
    let outcome = search::run(&asked, &mut watcher, live.orders().cancelled()).map_err(|e| e.to_string())?;
    live.claim(&outcome.design);
    live.found_by(&outcome.method);
    Ok(outcome)
}

/// The checker has the last word on how the search ended.
fn judge(live: &Live, outcome: &Outcome) -> (RunState, String) {
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
        Ended::Exhausted => (RunState::Exhausted, String::new()),
        Ended::Cancelled if live.orders().is_interrupted() => (RunState::Interrupted, INTERRUPTED.into()),
        Ended::Cancelled if outcome.progress.elapsed > MAX_SECONDS => (RunState::Exhausted, String::new()),
        Ended::Cancelled => (RunState::Cancelled, String::new()),
    }
}

struct Watcher<'a> {
    store: &'a Store,
    live: &'a Live,
    /// When, and at which revision.
    kept: Option<(Instant, u64)>,
}

impl Watcher<'_> {
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::{api::RunView, search::Budget};

    const SPEC: &str = "pes = 4\nnis_per_pe = 1\nobjective = \"universal\"\n[[switch]]\nports = 4\n";

    fn live() -> Live {
        let request = Request::read(SPEC, &mut NoFiles).unwrap();
        let live = Live::new(RunView {
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
        });
        live.begin(request.spec, request.demand);
        live
    }

    /// How a run ends whose engine hands over this wiring.
    fn judged(switches: &[&[u32]], ended: Ended) -> (RunState, Live) {
        let live = live();
        let design = Design::from_switches(4, switches.iter().map(|members| members.to_vec()));
        live.claim(&design);
        let progress = Progress { best: 0, covered: 1.0, ..Progress::default() };
        let outcome = Outcome { design, uncovered: 0, ended, method: String::new(), progress };
        (judge(&live, &outcome).0, live)
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
