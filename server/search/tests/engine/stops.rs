//! A cancel and the time limit reach every part of a search.

use crate::support::{Log, problem, request, spec};
use search::{
    closed::closed,
    fill::fill,
    genetic::operators::{crossover, exchange_connections, mutate},
    graph::{Aim, Graph},
    greedy::greedy,
    ledger::{Coordinator, Ledger},
    limit::Limit,
    options::Options,
    permutation::{Permutation, Slots},
    problem::Problem,
    repair::repair,
    restore::restore_cables,
    run,
    schedule::Schedule,
    wiring::Wiring,
};
use spec::{
    cancel::{Cancelled, Token, scope},
    demand::Demand,
    design::{Design, check},
    random::Rng,
};
use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst},
    time::{Duration, Instant},
};
use work::search::{Budget, EndReason, Observer, Progress};

/// Every pair of many nodes: one swap of two NICs rewrites a large part of the wiring.
const COMPLETE: &str = "pes = 1536\nnis_per_pe = 8\nobjective = \"fractional\"\n[[switch]]\nports = 64\n\
    [[pattern]]\nkind = \"all-pairs\"\n";
const SPARSE: &str = "pes = 128\nnis_per_pe = 3\nobjective = \"sparse\"\n[[switch]]\nports = 8\n\
    [[pattern]]\nkind = \"hypercube\"\n[[pattern]]\nkind = \"ring\"\n";

/// Generous: the engine takes 200 ms where it is compiled with optimisation and has a core to itself.
const PATIENCE: Duration = Duration::from_secs(5);

fn stopped<T>(work: impl FnOnce() -> T) -> bool {
    let token = Token::default();
    token.cancel();
    matches!(scope(&token, work), Err(Cancelled))
}

#[test]
fn every_long_step_leaves_a_cancelled_scope() {
    let whole = spec("pes = 96\nnis_per_pe = 3\nobjective = \"universal\"\n[[switch]]\nports = 12\n");
    let [complete, sparse] = [problem(&whole), problem(&spec(SPARSE))];
    let demand = Demand::build(&whole).expect("a demand");
    let mut rng = Rng::new(1, 0);
    for problem in [&complete, &sparse] {
        let genome = fill(problem);
        let mut wiring = Wiring::empty(problem);
        assert!(stopped(|| fill(problem)));
        assert!(stopped(|| wiring.load(&genome, &mut || true)));
        assert!(wiring.load(&genome, &mut || true));
        let snapshot = wiring.snapshot();
        assert!(stopped(|| wiring.clone().restore(&snapshot)));
        assert!(stopped(|| exchange_connections(&mut wiring.clone(), 9, &mut rng)));
        assert!(stopped(|| mutate(&mut wiring.clone(), 2, &mut rng)));
        assert!(stopped(|| crossover(&mut wiring.clone(), &genome, 4, &mut rng)));
        assert!(stopped(|| greedy(problem, None, 8, &mut Ledger::new(&Limit::NONE, 0, u64::MAX))));
        let schedule = Schedule { hot: 900, cool: 500, steps: 4, moves: 4000 };
        let mut ledger = Ledger::new(&Limit::NONE, 0, u64::MAX);
        if wiring.fast_nis().is_none() {
            // The slow way of a swap.
            let options = Options::default();
            assert!(stopped(|| repair(
                &mut wiring.clone(),
                &schedule,
                &options,
                None,
                &mut rng,
                &mut ledger
            )));
        }
    }
    for aim in [Aim::Cover, Aim::Weight, Aim::Extra] {
        assert!(stopped(|| Graph::with_aim(&demand, aim, &mut || true)));
    }
    assert!(stopped(|| closed(&whole, &demand, &mut || true)));
    assert!(stopped(|| check(&whole, &demand, &Design::from_switches(96, [vec![0, 1]]))));
}

#[test]
fn restoring_and_renumbering_leave_a_cancelled_scope() {
    let start = "[start]\ntable = \"\"\"\n0: 0 1 2\n1: 3 4 5\n2: 0 3\n3: 1 4\n4: 2 5\n\"\"\"\n";
    let text = "pes = 6\nnis_per_pe = 2\nobjective = \"fractional\"\n";
    let pairs = "[[switch]]\nports = 3\ncount = 5\n[[pattern]]\nkind = \"ring\"\n";
    let moved = spec(&format!("{text}{pairs}{start}moves = 9\n"));
    let instance = problem(&moved);
    let mut wiring = Wiring::empty(&instance);
    assert!(wiring.load(&fill(&instance), &mut || true) && wiring.moved() > 0);
    assert!(stopped(|| restore_cables(&mut wiring, &mut Ledger::new(&Limit::NONE, 0, u64::MAX))));
    let renumbered = spec(&format!("{text}{pairs}{start}renumber = true\n"));
    let (demand, instance) = (Demand::build(&renumbered).expect("a demand"), problem(&renumbered));
    let start = renumbered.start.as_ref().expect("a start");
    let slots = Slots::new(&renumbered, start, &instance, &mut || true).expect("known").expect("not stopped");
    assert!(stopped(|| Permutation::new(&renumbered, &demand, &instance, &slots, &mut || true)));
}

/// Counts the looks of a search.
#[derive(Default)]
struct Looks(AtomicU64);

impl Coordinator for Looks {
    fn should_continue(&self, _island: u32, _work: u64) -> bool {
        self.0.fetch_add(1, SeqCst);
        true
    }
}

#[test]
fn the_larger_a_move_the_more_often_a_repair_looks() {
    let moves_per_look = |problem: &Problem| {
        let looks = Looks::default();
        let mut ledger = Ledger::new(&looks, 0, u64::MAX);
        ledger.pace(problem);
        let mut wiring = Wiring::empty(problem);
        assert!(wiring.load(&fill(problem), &mut || true));
        let schedule = Schedule { hot: 900, cool: 500, steps: 4, moves: 4096 };
        repair(&mut wiring, &schedule, &Options::default(), None, &mut Rng::new(1, 0), &mut ledger);
        assert_eq!(ledger.work, 4096);
        4096 / looks.0.into_inner()
    };
    let text = |ports: u32| {
        spec(&format!("pes = 256\nnis_per_pe = 4\nobjective = \"universal\"\n[[switch]]\nports = {ports}\n"))
    };
    // Words per move: 4 ways to go, ports, 4 NICs and 4 words per NIC.
    for ports in [16, 64] {
        let (problem, words) = (problem(&text(ports)), u64::from(4 * ports * 4 * 4));
        assert_eq!(problem.words_per_move(), words);
        assert!(moves_per_look(&problem) * words <= 1 << 18, "{ports} ports");
    }
    assert!(moves_per_look(&problem(&spec(SPARSE))) >= 1024, "small moves need few looks");
}

/// Cancels some time after the start.
struct Canceller<'a> {
    cancel: &'a AtomicBool,
    after: Duration,
    began: Instant,
    cancelled: Option<Instant>,
}

impl Observer for Canceller<'_> {
    fn progress(&mut self, _: &Progress) {
        if self.cancelled.is_none() && self.began.elapsed() >= self.after {
            self.cancel.store(true, SeqCst);
            self.cancelled = Some(Instant::now());
        }
    }

    fn better(&mut self, _design: &Design, _uncovered: u64) {}
}

#[test]
fn a_cancel_ends_a_complete_demand_at_any_moment() {
    for objective in ["fractional", "universal"] {
        let text = COMPLETE.replace("fractional", objective);
        let request = request(&text, Budget::Seconds(3600.0), 1, 2);
        for after in [0, 100, 500, 2000, 8000].map(Duration::from_millis) {
            let cancel = AtomicBool::new(false);
            let mut canceller = Canceller { cancel: &cancel, after, began: Instant::now(), cancelled: None };
            let outcome = run(&request, &mut canceller, &cancel).expect("accepted");
            let took = canceller.cancelled.expect("cancelled").elapsed();
            assert!(took < PATIENCE, "{objective}, cancelled after {after:?}: {took:?}");
            assert_eq!(outcome.ended, EndReason::Cancelled);
            let verdict = check(&request.spec, &request.demand, &outcome.design);
            assert_eq!((verdict.breaches.len(), verdict.uncovered.len() as u64), (0, outcome.uncovered));
        }
    }
}

#[test]
fn a_time_limit_ends_a_complete_demand() {
    let request = request(COMPLETE, Budget::Seconds(0.5), 1, 2);
    let began = Instant::now();
    let outcome = run(&request, &mut Log::default(), &AtomicBool::new(false)).expect("accepted");
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
    assert_eq!(outcome.ended, EndReason::Exhausted);
}

#[test]
fn a_cancel_in_another_scope_keeps_the_best() {
    let (token, cancel) = (Token::default(), AtomicBool::new(true));
    token.cancel();
    let request = request(SPARSE, Budget::Seconds(3600.0), 1, 1);
    let outcome = scope(&token, || run(&request, &mut Log::default(), &cancel));
    assert_eq!(outcome.expect("not cancelled").expect("accepted").ended, EndReason::Cancelled);
}
