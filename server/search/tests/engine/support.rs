//! Shared by the tests: small specs, and recounts that do not use the search's bookkeeping.

use search::{
    graph::Graph,
    ledger::Ledger,
    limit::Limit,
    problem::{NONE, Problem, Rules, design, nis_per_pe, useful_ports},
};
use spec::{
    demand::Demand,
    design::{Design, check},
    random::Rng,
    resolve::{self, NoFiles},
    spec::Spec,
};
use std::sync::{Arc, atomic::AtomicBool};
use work::search::{Budget, Observer, Outcome, Progress, SearchRequest};

/// A spec from its file's text.
pub fn spec(toml: &str) -> Spec {
    resolve::read(toml, &mut NoFiles).expect("a spec that resolves")
}

/// A spec and its demand.
pub fn request(toml: &str, budget: Budget, seed: u64, threads: u32) -> SearchRequest {
    let spec = spec(toml);
    let demand = Demand::build(&spec).expect("a demand");
    SearchRequest { spec: Arc::new(spec), demand: Arc::new(demand), budget, seed, threads }
}

/// Searches, and checks the outcome: limits hold, and the number of uncovered pairs is right.
pub fn search(request: &SearchRequest) -> Outcome {
    search_watched(request, &mut Log::default(), &AtomicBool::new(false))
}

/// Searches with an observer and a cancel flag.
pub fn search_watched(request: &SearchRequest, log: &mut Log, cancel: &AtomicBool) -> Outcome {
    let outcome = search::run(request, log, cancel).expect("a search that is not refused");
    let verdict = check(&request.spec, &request.demand, &outcome.design);
    assert_eq!(verdict.breaches, []);
    assert_eq!(verdict.uncovered.len() as u64, outcome.uncovered);
    assert_eq!(verdict.moves.map(|moves| moves.has), outcome.moved.map(u64::from));
    outcome
}

/// An observer that records all calls.
#[derive(Default)]
pub struct Log {
    pub progress: Vec<Progress>,
    pub better: Vec<(Design, u64)>,
}

impl Observer for Log {
    fn progress(&mut self, progress: &Progress) {
        self.progress.push(progress.clone());
    }

    fn better(&mut self, design: &Design, uncovered: u64) {
        self.better.push((design.clone(), uncovered));
    }
}

/// The instance of a spec, as the search reads it.
pub fn problem(spec: &Spec) -> Problem {
    let demand = Demand::build(spec).expect("a demand");
    let graph = Graph::new(&demand, &mut || true).expect("not stopped");
    let rules = Rules::of(spec).map(Arc::new);
    Problem::new(Arc::new(graph), nis_per_pe(spec), &useful_ports(spec)).with_rules(rules)
}

/// Checks that a wiring keeps all limits, and returns its uncovered pairs.
pub fn recount(spec: &Spec, genome: &[u32]) -> u64 {
    let mut ni = 0;
    for count in nis_per_pe(spec) {
        let mut own: Vec<u32> =
            genome[ni..ni + count as usize].iter().copied().filter(|&s| s != NONE).collect();
        let connected = own.len();
        own.sort_unstable();
        own.dedup();
        assert_eq!(own.len(), connected, "a PE with two NIs on one switch");
        ni += count as usize;
    }
    let demand = Demand::build(spec).expect("a demand");
    let verdict = check(spec, &demand, &design(spec, genome));
    assert_eq!(verdict.breaches, []);
    verdict.uncovered.len() as u64
}

/// No other island, never stops.
pub static SOLO: Limit = Limit::NONE;

/// A ledger without a limit.
pub fn ledger() -> Ledger<'static> {
    Ledger::new(&SOLO, 0, u64::MAX)
}

/// Small hardware and demands of all kinds: PEs with different NIs, switches of different widths, too few and too
/// many ports, more NIs than switches, several links per pair, universal and sparse.
pub fn zoo(seed: u64) -> String {
    let mut rng = Rng::new(seed, 0);
    let pes = 2 + rng.below(30);
    let first = 1 + rng.below(pes - 1);
    let universal = rng.chance(200);
    let mut text =
        format!("pes = {pes}\nobjective = \"{}\"\n", if universal { "universal" } else { "sparse" });
    let (some, rest) = (1 + rng.below(5), 1 + rng.below(7));
    let most = some.min(rest).min(3);
    text += &format!("[[pe_group]]\ncount = {first}\nnis = {some}\n");
    text += &format!("[[pe_group]]\ncount = {}\nnis = {rest}\n", pes - first);
    text += &format!("[[switch]]\nports = {}\ncount = {}\n", 2 + rng.below(9), 1 + rng.below(8));
    text += &format!("[[switch]]\nports = {}\ncount = {}\n", 3 + rng.below(9), 1 + rng.below(12));
    text += &format!("[[pattern]]\nkind = \"ring\"\nlinks = {}\n", 1 + rng.below(most));
    let mut pairs = String::new();
    for _ in 0..rng.below(3 * pes) {
        let a = rng.below(pes - 1);
        pairs += &format!("{a} {}\n", a + 1 + rng.below(pes - 1 - a));
    }
    if !pairs.is_empty() {
        text += &format!(
            "[[pattern]]\nkind = \"matrix\"\nlinks = {}\npairs = \"\"\"\n{pairs}\"\"\"\n",
            1 + rng.below(most.min(2))
        );
    }
    text
}
