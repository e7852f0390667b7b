//! From a request to islands, and from the islands' best to an outcome.

use crate::{
    construct::{fill::connect_rest, seat::seat_idle},
    dice::Dice,
    genetic::{MOST_DNA_PAIRS, evolve},
    graph::Graph,
    islands,
    ledger::{Elite, Ledger},
    options::Options,
    problem::{NONE, Problem, concentrated, nis_per_pe, useful_names, useful_ports},
    wiring::{Genome, Wiring},
};
use shared::{
    demand::Demand,
    design::Design,
    search::{Budget, Ended, Observer, Outcome, Progress, SearchRequest},
    spec::{Objective, Spec},
};
use std::{
    sync::{Arc, OnceLock, atomic::AtomicBool, atomic::Ordering::SeqCst},
    time::Duration,
};

/// Most memory, in bytes, that a search may need by its own estimate.
pub const MEMORY_CAP: u64 = 4 << 30;
/// Memory, in bytes, for all populations together: it decides how many wirings they hold.
const POPULATIONS: u64 = 512 << 20;
/// Most islands.
const MOST_ISLANDS: u32 = 256;
/// Above this many NIs a wiring is handed over as it stands, since counting it anew would delay a cancel.
const MOST_RECOUNTED: u32 = 1 << 19;

/// Up to so many pairs, a search that was stopped before it began still returns a filled wiring.
const MOST_REREAD: usize = 1 << 20;

/// What the engine refuses before it starts.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SearchError {
    /// The objective is not one it knows.
    #[error("objective fractional is not searched in this version; universal and sparse are")]
    Fractional,
    /// The demand was built for another number of PEs.
    #[error("the demand is for {demand} PEs, the spec for {spec}")]
    Mismatch {
        /// PEs of the demand.
        demand: u32,
        /// PEs of the spec.
        spec: u32,
    },
    /// Too few or too many islands.
    #[error("{threads} threads; 1 to 256 are accepted")]
    Threads {
        /// What was asked for.
        threads: u32,
    },
    /// A budget that is not a time.
    #[error("a budget of {seconds} seconds; a number from 0 is accepted")]
    Seconds {
        /// What was asked for.
        seconds: f64,
    },
    /// It would need too much memory.
    #[error(
        "this search would need about {} MiB of memory, and at most {} MiB are allowed: fewer threads, NIs or pairs would do",
        needed >> 20,
        MEMORY_CAP >> 20
    )]
    Memory {
        /// Estimated need, in bytes.
        needed: u64,
    },
}

/// Searches for a wiring.
///
/// The observer hears of the start at once and then about ten times a second, from the calling thread only. A cancel is
/// noticed within milliseconds. However the search ends, the outcome holds the best wiring it has seen; NIs and ports that
/// nothing needed are connected to each other, which can only add paths.
///
/// # Errors
/// What is refused up front: see [`SearchError`]. Whether the hardware can suffice at all is not asked here.
pub fn run(
    request: &SearchRequest,
    observer: &mut dyn Observer,
    cancel: &AtomicBool,
) -> Result<Outcome, SearchError> {
    run_with(request, &Options::default(), observer, cancel)
}

/// [`run`] with other tunables.
///
/// # Errors
/// As [`run`].
pub fn run_with(
    request: &SearchRequest,
    options: &Options,
    observer: &mut dyn Observer,
    cancel: &AtomicBool,
) -> Result<Outcome, SearchError> {
    refuse(request)?;
    let (limits, deadline) = limits(request.budget, request.threads);
    let (spec, demand) = (&*request.spec, &*request.demand);
    let size = population_size(spec, demand, request.threads, options);
    let instances: OnceLock<Option<Vec<Problem>>> = OnceLock::new();
    let island = |number: u32, ledger: &mut Ledger| {
        let problems = instances.get_or_init(|| read(spec, demand, &mut || ledger.goes_on()));
        if let Some(problems) = problems {
            let mut dice = Dice::new(request.seed, u64::from(number));
            evolve(problems, size, options, &mut dice, ledger, number == 0);
        }
    };
    let translate = |genome: &[u32]| design(spec, genome);
    let ending = islands::run(&limits, deadline, demand.len() as u64, cancel, observer, &translate, &island);
    let mut problems = instances.into_inner().flatten();
    if problems.is_none() && spec.total_nis() <= u64::from(MOST_RECOUNTED) && demand.len() <= MOST_REREAD {
        problems = read(spec, demand, &mut || true);
    }
    let problem = problems.as_ref().and_then(|all| all.last());
    let outcome = outcome(request, ending.best, ending.progress, problem, observer, cancel);
    islands::discard(problems);
    Ok(outcome)
}

fn refuse(request: &SearchRequest) -> Result<(), SearchError> {
    let (spec, demand) = (&request.spec, &request.demand);
    if spec.objective == Objective::Fractional {
        return Err(SearchError::Fractional);
    }
    if spec.pes != demand.pes() {
        return Err(SearchError::Mismatch { demand: demand.pes(), spec: spec.pes });
    }
    if !(1..=MOST_ISLANDS).contains(&request.threads) {
        return Err(SearchError::Threads { threads: request.threads });
    }
    if let Budget::Seconds(seconds) = request.budget
        && (seconds.is_nan() || seconds < 0.0)
    {
        return Err(SearchError::Seconds { seconds });
    }
    let needed = memory(spec, demand, request.threads);
    if needed > MEMORY_CAP { Err(SearchError::Memory { needed }) } else { Ok(()) }
}

/// Bytes that a search needs at least, without its populations.
fn memory(spec: &Spec, demand: &Demand, islands: u32) -> u64 {
    let (pes, nis, pairs) = (u64::from(spec.pes), spec.total_nis(), demand.len() as u64);
    let counts = spec.switches.iter().zip(spec.switch_counts());
    let ports: u64 = counts.map(|(m, c)| u64::from(c).min(nis) * u64::from(m.usable().min(spec.pes))).sum();
    let mut degrees = demand.degrees().into_iter();
    let met: u64 =
        nis_per_pe(spec).map(|n| u64::from(n) * u64::from(degrees.next().unwrap_or(0).div_ceil(64))).sum();
    let graph = pairs * 16 + pes * 40;
    let wiring = 8 * met + 10 * nis + 4 * ports + 16 * pes;
    // Besides: the best so far, a first design, two parents, what travels.
    let island = wiring + 6 * 4 * nis + 40 * pes;
    graph + 16 * nis + 8 * ports + u64::from(islands) * island
}

fn population_size(spec: &Spec, demand: &Demand, islands: u32, options: &Options) -> usize {
    let pairs = demand.len() as u64;
    let dna = if pairs <= MOST_DNA_PAIRS && spec.objective == Objective::Sparse { 4 * pairs } else { 0 };
    let one = 4 * spec.total_nis() + dna;
    let fit = POPULATIONS / (u64::from(islands) * one.max(1));
    (fit.min(u64::from(options.population)) as usize).max(2)
}

/// Work for each island, and the deadline.
fn limits(budget: Budget, islands: u32) -> (Vec<u64>, Option<Duration>) {
    match budget {
        Budget::Seconds(seconds) => {
            (vec![u64::MAX; islands as usize], Some(Duration::from_secs_f64(seconds.min(1e9))))
        }
        Budget::Effort(millions) => {
            let (all, n) = (millions.saturating_mul(1_000_000), u64::from(islands));
            ((0..n).map(|i| all / n + u64::from(i < all % n)).collect(), None)
        }
    }
}

/// The instances to search, stricter ones first; `None` if `go_on` said no.
fn read(spec: &Spec, demand: &Demand, go_on: &mut dyn FnMut() -> bool) -> Option<Vec<Problem>> {
    let graph = Arc::new(Graph::new(demand, go_on)?);
    let ports = useful_ports(spec);
    let free = Problem::new(graph, nis_per_pe(spec), &ports);
    if spec.objective != Objective::Universal {
        return Some(vec![free]);
    }
    // As many links a pair as the NIs can give take full switches; only if that does not work out are loads free.
    let full = concentrated(&ports, free.nis());
    Some(vec![free.with_ports(&full), free])
}

/// A wiring as a design: one line for each switch that the spec allows, without empty ones at the end.
pub fn design(spec: &Spec, genome: &[u32]) -> Design {
    let names = useful_names(spec);
    let (starts, members) = by_switch(spec, genome, names.len());
    let mut useful = names.iter().zip(starts.windows(2)).peekable();
    let used = names.iter().zip(starts.windows(2)).rfind(|(_, ends)| ends[0] < ends[1]);
    let count = used.map_or(0, |(last, _)| last + 1);
    let lines = (0..count).map(|number| match useful.next_if(|(name, _)| **name == number) {
        Some((_, ends)) => members[ends[0]..ends[1]].to_vec(),
        None => Vec::new(),
    });
    Design::from_switches(spec.pes, lines)
}

/// The members of all switches in one piece, and where each switch's begin: for a million PEs several times as fast as a
/// list for each.
fn by_switch(spec: &Spec, genome: &[u32], switches: usize) -> (Vec<usize>, Vec<u32>) {
    // Two places on from a switch its load is counted; one place on is where its next member goes; in the end its own
    // place says where it begins.
    let mut at = vec![0; switches + 2];
    genome.iter().filter(|&&s| s != NONE).for_each(|&s| at[s as usize + 2] += 1);
    (1..at.len()).for_each(|s| at[s] += at[s - 1]);
    let mut members = vec![0; at[switches + 1]];
    let mut rest = genome;
    for (pe, count) in (0..spec.pes).zip(nis_per_pe(spec)) {
        let (own, others) = rest.split_at((count as usize).min(rest.len()));
        for &switch in own.iter().filter(|&&s| s != NONE) {
            let next = &mut at[switch as usize + 1];
            members[*next] = pe;
            *next += 1;
        }
        rest = others;
    }
    at.truncate(switches + 1);
    (at, members)
}

fn outcome(
    request: &SearchRequest,
    best: Option<Elite>,
    mut progress: Progress,
    problem: Option<&Problem>,
    observer: &mut dyn Observer,
    cancel: &AtomicBool,
) -> Outcome {
    let spec = &request.spec;
    let requested = request.demand.len() as u64;
    let mut elite = best.unwrap_or(Elite {
        genome: Genome::new(),
        uncovered: requested,
        method: "lowest-numbered-switch fill",
    });
    if let Some(problem) = problem {
        connect_free(problem, &mut elite);
    }
    let design = design(spec, &elite.genome);
    progress.best = elite.uncovered;
    progress.revision += 1;
    progress.covered = if requested == 0 { 1.0 } else { 1.0 - elite.uncovered as f64 / requested as f64 };
    observer.better(&design, elite.uncovered);
    observer.progress(&progress);
    let ended = match elite.uncovered {
        0 => Ended::Solved,
        _ if cancel.load(SeqCst) => Ended::Cancelled,
        _ => Ended::Exhausted,
    };
    Outcome { design, uncovered: elite.uncovered, ended, method: elite.method.into(), progress }
}

/// Connects NIs that are free to ports that are free, and counts again if that may have served another pair.
fn connect_free(problem: &Problem, elite: &mut Elite) {
    let small = problem.nis() <= MOST_RECOUNTED;
    if elite.genome.is_empty() && small {
        elite.genome = vec![NONE; problem.nis() as usize];
    }
    if !elite.genome.contains(&NONE) {
        return;
    }
    connect_rest(problem, &mut elite.genome);
    let idle = elite.genome.iter().filter(|&&s| s == NONE).count();
    // Ports of switches that the idle NIs' PEs are on.
    let seats = problem.ports() as usize + idle > elite.genome.len();
    if small && (elite.uncovered > 0 || (idle > 0 && seats)) {
        let mut wiring = Wiring::empty(problem);
        wiring.load(&elite.genome, &mut || true);
        seat_idle(&mut wiring);
        elite.uncovered = wiring.uncovered();
        elite.genome.clone_from(wiring.genome());
    }
}
