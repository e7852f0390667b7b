//! Whole searches with a work limit: published results are reached, runs repeat, a cancel loses nothing.

use crate::support::{Log, request, search, search_watched, zoo};
use search::{options::Options, request::run_with, team::Threads};
use spec::{demand::Demand, design::Design, spec::Objective};
use std::{
    sync::atomic::{AtomicBool, Ordering::SeqCst},
    thread,
    time::Duration,
};
use work::search::{Budget, EndReason, Observer, Progress};

const KASY0: &str = include_str!("../../../../assets/specs/kasy0.toml");

const KLAT2: &str =
    "pes = 64\nnis_per_pe = 4\nobjective = \"universal\"\n[[switch]]\nports = 32\nreserve = 1\n";

/// The 2D tori of 1,024 PEs with eight ports.
const TORI: &str = "pes = 1024\nnis_per_pe = 4\nobjective = \"sparse\"\n[[switch]]\nports = 8\n\
    [[pattern]]\nkind = \"torus\"\ndimensions = 2\nfactorizations = \"all\"\n";

/// Not solvable: 16 PEs, every pair, two NIs on 4-port switches.
const HOPELESS: &str = "pes = 16\nnis_per_pe = 2\nobjective = \"universal\"\n[[switch]]\nports = 4\n";

/// Hard, but solved once after minutes.
const HARD: &str = "pes = 1024\nnis_per_pe = 4\nobjective = \"sparse\"\n[[switch]]\nports = 6\n\
    [[pattern]]\nkind = \"torus\"\ndimensions = 2\nfactorizations = \"all\"\n";

#[test]
fn threads_of_a_team_change_nothing() {
    let runs = [1, 2, 5].map(|threads| search(&request(HARD, Budget::Effort(2), 3, threads)));
    let [alone, others @ ..] = &runs;
    assert_eq!(alone.progress.islands.len(), 1);
    for run in others {
        assert_eq!((run.uncovered, run.progress.moves), (alone.uncovered, alone.progress.moves));
        assert_eq!(run.design, alone.design);
    }
}

#[test]
fn threads_beyond_a_team_have_islands_of_their_own() {
    for (text, threads, islands) in [(HARD, 8, 1), (HARD, 9, 2), (HARD, 24, 3), (HOPELESS, 3, 3)] {
        let spec = crate::support::spec(text);
        let threads = Threads::of(&spec, threads, &Options::default());
        assert_eq!(threads.islands, islands);
    }
    let nine = Threads::of(&crate::support::spec(HARD), 9, &Options::default());
    assert_eq!([0, 1].map(|island| nine.helpers(island)), [4, 3]);
}

#[test]
fn kasy0_is_solved() {
    let outcome = search(&request(KASY0, Budget::Effort(4), 1, 2));
    assert_eq!((outcome.uncovered, outcome.ended), (0, EndReason::Solved));
}

#[test]
fn klat2_is_solved_with_the_most_links_a_pair() {
    for seed in 0..5 {
        let outcome = search(&request(KLAT2, Budget::Effort(4), seed, 2));
        assert_eq!(outcome.ended, EndReason::Solved);
        let meetings: usize = outcome.design.switches().map(|m| m.len() * m.len().saturating_sub(1)).sum();
        assert_eq!(meetings, 31 * 30 * 8 + 8 * 7, "seed {seed}");
    }
}

#[test]
fn small_planes_are_found() {
    for (pes, nis, ports) in [(7, 3, 3), (9, 4, 3), (13, 4, 4), (21, 5, 5)] {
        let text = format!(
            "pes = {pes}\nnis_per_pe = {nis}\nobjective = \"universal\"\n[[switch]]\nports = {ports}\n"
        );
        assert_eq!(search(&request(&text, Budget::Effort(8), 1, 2)).ended, EndReason::Solved, "{pes} PEs");
    }
}

#[test]
fn a_published_instance_of_1024_pes_is_solved() {
    assert_eq!(search(&request(TORI, Budget::Effort(20), 1, 2)).ended, EndReason::Solved);
}

#[test]
fn the_same_seed_gives_the_same_design_on_any_number_of_islands() {
    for threads in 1..=3 {
        let [first, again] = [0, 1].map(|_| search(&request(HARD, Budget::Effort(1), 7, threads)));
        assert_eq!((first.uncovered, &first.design), (again.uncovered, &again.design), "{threads} islands");
    }
    let [first, again] = [0, 1].map(|_| search(&request(KASY0, Budget::Effort(9), 3, 3)));
    assert_eq!(first.design, again.design);
}

#[test]
fn islands_that_meet_at_epochs_give_the_same_design_again() {
    let ask = request(HOPELESS, Budget::Effort(3), 5, 3);
    let options = Options { epoch: 50, ..Options::default() };
    let [first, again] = [0, 1].map(|_| {
        run_with(&ask, &options, &mut Log::default(), &AtomicBool::new(false)).expect("accepted").design
    });
    assert_eq!(first, again);
}

#[test]
fn another_seed_gives_another_design() {
    let [first, other] = [1, 2].map(|seed| search(&request(HARD, Budget::Effort(2), seed, 1)));
    assert_ne!(first.design, other.design);
}

#[test]
fn an_exhausted_search_keeps_its_best() {
    let mut log = Log::default();
    let outcome =
        search_watched(&request(HOPELESS, Budget::Effort(2), 1, 2), &mut log, &AtomicBool::new(false));
    assert_eq!(outcome.ended, EndReason::Exhausted);
    assert!(outcome.uncovered > 0);
    let last = log.better.last().expect("at least the final wiring");
    assert_eq!(last, &(outcome.design, outcome.uncovered));
    assert!(log.better.windows(2).all(|w| w[1].1 <= w[0].1));
}

/// Cancels at the first progress with something to lose.
struct Canceller<'a> {
    log: Log,
    cancel: &'a AtomicBool,
}

impl Observer for Canceller<'_> {
    fn progress(&mut self, progress: &Progress) {
        self.log.progress(progress);
        if progress.individuals > 1 {
            self.cancel.store(true, SeqCst);
        }
    }

    fn better(&mut self, design: &Design, uncovered: u64) {
        self.log.better(design, uncovered);
    }
}

#[test]
fn a_cancelled_search_returns_the_best_so_far() {
    let cancel = AtomicBool::new(false);
    let mut observer = Canceller { log: Log::default(), cancel: &cancel };
    let outcome =
        search::run(&request(HARD, Budget::Seconds(600.0), 1, 2), &mut observer, &cancel).expect("accepted");
    assert_eq!(outcome.ended, EndReason::Cancelled);
    let least = observer.log.better.iter().map(|b| b.1).min().expect("a better wiring");
    assert_eq!(outcome.uncovered, least);
    assert!(outcome.uncovered < 2000, "{}", outcome.uncovered);
}

#[test]
fn a_cancel_before_the_start_ends_at_once_with_a_wiring() {
    let mut log = Log::default();
    let outcome =
        search_watched(&request(HARD, Budget::Seconds(600.0), 1, 2), &mut log, &AtomicBool::new(true));
    assert_eq!(outcome.ended, EndReason::Cancelled);
    assert!(!log.progress.is_empty());
}

#[test]
fn a_cancel_comes_through_during_a_long_construction() {
    let text = "pes = 131072\nnis_per_pe = 3\nobjective = \"sparse\"\n[[switch]]\nports = 16\n[[pattern]]\nkind = \"hypercube\"\n";
    let request = request(text, Budget::Seconds(600.0), 1, 2);
    let cancel = AtomicBool::new(false);
    let mut log = Log::default();
    let outcome = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(150));
            cancel.store(true, SeqCst);
        });
        search_watched(&request, &mut log, &cancel)
    });
    assert_eq!(outcome.ended, EndReason::Cancelled);
}

#[test]
fn progress_tells_what_is_true() {
    let mut log = Log::default();
    let ask = request(HARD, Budget::Effort(4), 1, 2);
    let outcome = search_watched(&ask, &mut log, &AtomicBool::new(false));
    let last = log.progress.last().expect("progress");
    assert_eq!(last, &outcome.progress);
    assert_eq!(last.best, outcome.uncovered);
    assert!(last.moves > 1_000_000 && last.moves <= 4_000_000, "{}", last.moves);
    assert!(
        last.individuals >= 2 && last.median >= last.best && last.diversity > 0.0 && last.diversity <= 1.0
    );
    assert!((last.covered - (1.0 - last.best as f64 / ask.demand.len() as f64)).abs() < 1e-9);
    assert!(log.progress.windows(2).all(|w| w[1].best <= w[0].best && w[1].revision >= w[0].revision));
    assert!(log.progress.iter().all(|p| !p.trying.is_empty()));
}

#[test]
fn what_has_an_obvious_answer_gets_it() {
    for text in [
        "pes = 1\nnis_per_pe = 3\nobjective = \"universal\"\n[[switch]]\nports = 2\n",
        "pes = 2\nnis_per_pe = 1\nobjective = \"universal\"\n[[switch]]\nports = 2\n",
        "pes = 7\nnis_per_pe = 1\nobjective = \"universal\"\n[[switch]]\nports = 8\n",
        "pes = 8\nnis_per_pe = 64\nobjective = \"universal\"\n[[switch]]\nports = 8\ncount = 2\n",
        "pes = 9\nnis_per_pe = 1\nobjective = \"sparse\"\n[[switch]]\nports = 3\n[[pattern]]\nkind = \"matrix\"\npairs = \"\"\"\n0 8\n1 7\n\"\"\"\n",
        "pes = 6\nnis_per_pe = 3\nobjective = \"sparse\"\n[[switch]]\nports = 6\ncount = 3\n[[pattern]]\nkind = \"ring\"\nlinks = 3\n",
    ] {
        for threads in [1, 3] {
            let outcome = search(&request(text, Budget::Effort(2), 1, threads));
            assert_eq!(outcome.ended, EndReason::Solved, "{text}");
        }
    }
}

#[test]
fn switches_behind_millions_of_others_are_left_out() {
    let text = "pes = 4\nnis_per_pe = 2\nobjective = \"sparse\"\n[[switch]]\nports = 2\ncount = 16000000\n\
        [[switch]]\nports = 4\ncount = 1\n[[pattern]]\nkind = \"ring\"\n";
    let outcome = search(&request(text, Budget::Effort(1), 1, 1));
    assert_eq!(outcome.ended, EndReason::Solved);
    assert!(outcome.design.switch_count() <= 8, "{}", outcome.design.switch_count());
}

#[test]
fn nothing_requested_is_solved_at_once() {
    for pes in [1, 5, 300] {
        let mut ask = request(KLAT2, Budget::Effort(1), 1, 2);
        let spec = std::sync::Arc::make_mut(&mut ask.spec);
        (spec.pes, spec.pe_groups[0].count, spec.objective) = (pes, pes, Objective::Sparse);
        ask.demand = Demand::from_pairs(pes, []).into();
        assert_eq!(search(&ask).ended, EndReason::Solved);
    }
}

#[test]
fn hardware_of_any_kind_ends_within_its_limits() {
    for seed in 0..12 {
        search(&request(&zoo(seed), Budget::Effort(1), seed, 2));
    }
}

#[test]
fn no_effort_at_all_still_gives_a_wiring() {
    let outcome = search(&request(KASY0, Budget::Effort(0), 1, 2));
    assert_eq!(outcome.ended, EndReason::Exhausted);
    assert!(
        outcome.design.cables() > 300
            && outcome.uncovered < request(KASY0, Budget::Effort(0), 1, 2).demand.len() as u64
    );
}

#[test]
fn several_links_a_pair_are_honoured() {
    let text = "pes = 32\nnis_per_pe = 6\nobjective = \"sparse\"\n[[switch]]\nports = 8\n\
        [[pattern]]\nkind = \"ring\"\nlinks = 3\n[[pattern]]\nkind = \"hypercube\"\n";
    assert_eq!(search(&request(text, Budget::Effort(20), 1, 2)).ended, EndReason::Solved);
}

#[test]
fn what_cannot_be_searched_is_refused() {
    let refused = |ask: &work::search::SearchRequest| {
        search::run(ask, &mut Log::default(), &AtomicBool::new(false)).expect_err("a refusal").to_string()
    };
    assert!(refused(&request(KLAT2, Budget::Effort(1), 1, 0)).contains("1–256"));
    assert!(refused(&request(KLAT2, Budget::Seconds(f64::NAN), 1, 1)).contains("NaN"));
    let huge = "pes = 1048576\nnis_per_pe = 64\nobjective = \"sparse\"\n[[switch]]\nports = 64\n[[pattern]]\nkind = \"ring\"\n";
    assert!(refused(&request(huge, Budget::Effort(1), 1, 4)).contains("MiB"));
}
