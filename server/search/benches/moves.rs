//! Cost of single moves: `cargo bench -p search --bench moves [-- WORD]` prints a table; with a word, only rows with
//! it in their names. Instances have 1,024 and 65,536 PEs. Wirings are greedy designs with one connection in fifty
//! swapped at random.

#[path = "instances/text.rs"]
mod text;

use divan::Bencher;
use search::{
    genetic::operators,
    graph::Graph,
    greedy::greedy,
    ledger::Ledger,
    limit::Limit,
    moves,
    options::Options,
    problem::{NONE, Problem, nis_per_pe, useful_ports},
    repair::repair,
    schedule::Schedule,
    wiring::{Swap, Wiring},
};
use spec::{demand::Demand, random::Rng};
use std::{
    error::Error,
    sync::{Arc, OnceLock},
};

/// Numbers of PEs, each with a hypercube and a balanced 3D torus, 4 NIs, switches of 16 ports.
const PES: [u32; 2] = [1024, 65_536];
/// Number of swaps evaluated in turn.
const TRADES: usize = 1 << 12;
/// Occupants compared by a move.
const CANDIDATES: u32 = 14;

fn main() {
    divan::main();
}

/// Finding a swap that serves an uncovered pair.
#[divan::bench(args = PES)]
fn serve_propose(bencher: Bencher, pes: u32) {
    let (wiring, mut rng) = (wiring(pes), Rng::new(1, 1));
    bencher.bench_local(|| moves::propose_serving(&wiring, CANDIDATES, &mut rng));
}

/// Finding a random swap.
#[divan::bench(args = PES)]
fn swap_propose(bencher: Bencher, pes: u32) {
    let (wiring, mut rng) = (wiring(pes), Rng::new(1, 1));
    bencher.bench_local(|| moves::propose_random(&wiring, &mut rng));
}

/// Finding an NI to disconnect.
#[divan::bench(args = PES)]
fn vacate_propose(bencher: Bencher, pes: u32) {
    let (wiring, mut rng) = (wiring(pes), Rng::new(1, 1));
    bencher.bench_local(|| moves::propose_idling(&wiring, 1, &mut rng));
}

/// Evaluating a swap with a limit of one link.
#[divan::bench(args = PES)]
fn delta(bencher: Bencher, pes: u32) {
    let wiring = wiring(pes);
    let (swaps, mut next) = (swaps(&wiring), 0);
    bencher.bench_local(|| {
        next = (next + 1) % swaps.len();
        wiring.delta(&swaps[next], 1)
    });
}

/// Evaluating a swap without a limit.
#[divan::bench(args = PES)]
fn delta_exact(bencher: Bencher, pes: u32) {
    let wiring = wiring(pes);
    let (swaps, mut next) = (swaps(&wiring), 0);
    bencher.bench_local(|| {
        next = (next + 1) % swaps.len();
        wiring.delta(&swaps[next], i64::MAX)
    });
}

/// Applying a swap and its inverse.
#[divan::bench(args = PES)]
fn apply_and_back(bencher: Bencher, pes: u32) {
    let mut wiring = wiring(pes);
    let (swaps, mut next) = (swaps(&wiring), 0);
    bencher.bench_local(|| {
        next = (next + 1) % swaps.len();
        let swap = swaps[next];
        let back = Swap { ni: swap.ni, switch: wiring.switch_of(swap.ni), port: wiring.port_of(swap.ni) };
        wiring.apply(&swap);
        wiring.apply(&back);
    });
}

/// Moving both PEs of an uncovered pair to a third switch, at no loss.
#[divan::bench(args = PES)]
fn gather_attempt(bencher: Bencher, pes: u32) {
    let (mut wiring, mut rng) = (wiring(pes), Rng::new(1, 1));
    bencher.bench_local(|| moves::gather(&mut wiring, 0, CANDIDATES, &mut rng));
}

/// A thousand moves of a repair.
#[divan::bench(args = PES, sample_count = 20, sample_size = 1)]
fn repair_1000_moves(bencher: Bencher, pes: u32) {
    let (wiring, mut rng, options) = (wiring(pes), Rng::new(1, 1), Options::default());
    let schedule = Schedule { hot: 650, cool: 650, steps: 1, moves: 1000 };
    let mut ledger = Ledger::new(&Limit::NONE, 0, u64::MAX);
    bencher.with_inputs(|| wiring.clone()).bench_local_values(|mut wiring| {
        repair(&mut wiring, &schedule, &options, None, &mut rng, &mut ledger);
        wiring
    });
}

/// Loading a wiring.
#[divan::bench(args = PES, sample_count = 20)]
fn load(bencher: Bencher, pes: u32) {
    let mut wiring = wiring(pes);
    let genome = wiring.genome().clone();
    bencher.bench_local(|| wiring.load(&genome, &mut || true));
}

/// The greedy heuristic, ties to the lowest PE number.
#[divan::bench(args = PES, sample_count = 5, sample_size = 1)]
fn greedy_design(bencher: Bencher, pes: u32) {
    let problem = problem(pes);
    let columns = Options::default().columns as usize;
    bencher.bench_local(|| {
        greedy(problem, None, columns, &mut Ledger::new(&Limit::NONE, 0, u64::MAX)).genome.len()
    });
}

/// The instance of this many PEs, read once.
fn problem(pes: u32) -> &'static Problem {
    static PROBLEMS: [OnceLock<Problem>; PES.len()] = [const { OnceLock::new() }; PES.len()];
    PROBLEMS[index(pes)].get_or_init(|| read(pes).expect("an instance that resolves"))
}

fn index(pes: u32) -> usize {
    PES.iter().position(|&known| known == pes).expect("one of the sizes")
}

fn read(pes: u32) -> Result<Problem, Box<dyn Error>> {
    let spec = text::spec(pes, 4, 16, &["hypercube", "3 balanced nearest"])?;
    let demand = Demand::build(&spec)?;
    let graph = Graph::new(&demand, &mut || true).ok_or("stopped")?;
    Ok(Problem::new(Arc::new(graph), nis_per_pe(&spec), &useful_ports(&spec)))
}

/// A wiring with something to repair.
fn wiring(pes: u32) -> Wiring<'static> {
    static GREEDY: [OnceLock<Vec<u32>>; PES.len()] = [const { OnceLock::new() }; PES.len()];
    let problem = problem(pes);
    let genome = GREEDY[index(pes)].get_or_init(|| {
        let columns = Options::default().columns as usize;
        greedy(problem, None, columns, &mut Ledger::new(&Limit::NONE, 0, u64::MAX)).genome
    });
    let mut wiring = Wiring::empty(problem);
    wiring.load(genome, &mut || true);
    operators::exchange_connections(&mut wiring, problem.nis() / 50, &mut Rng::new(1, 0));
    wiring
}

/// Swaps that serve uncovered pairs, of connected NIs.
fn swaps(wiring: &Wiring) -> Vec<Swap> {
    let mut rng = Rng::new(1, 2);
    let mut swaps = Vec::with_capacity(TRADES);
    while swaps.len() < TRADES {
        let swap = moves::propose_serving(wiring, CANDIDATES, &mut rng);
        swaps.extend(swap.filter(|swap| wiring.port_of(swap.ni) != NONE));
    }
    swaps
}
