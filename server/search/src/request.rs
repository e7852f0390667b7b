//! From a request to islands, and from their best wiring to an outcome.

use crate::{
    checkpoint::{self, Checkpoint},
    closed,
    epoch::{Instances, Machines, follow},
    fill::connect_rest_of,
    finish::{End, seconds_left},
    genetic::{Setup, State},
    islands::{Settings, drop_in_background, lock},
    ledger::{Elite, Ledger, Score},
    limit::Limit,
    options::Options,
    problem::{NONE, design, genome, nis_per_pe, useful_ports},
    renumber::{Cooling, renumber},
    reporter,
    team::Threads,
    time::{evolve, improve},
};
use spec::{
    cancel::{Token, scope},
    demand::Demand,
    design::Design,
    random::Rng,
    spec::{Objective, Spec},
    text::grouped,
};
use std::{
    sync::{Mutex, OnceLock, atomic::AtomicBool},
    time::{Duration, Instant},
};
use work::search::{Budget, EndReason, Observer, Outcome, Progress, SearchRequest};

/// Memory limit of a search, in bytes, by its own estimate.
pub const MEMORY_CAP: u64 = 4 << 30;
/// Maximum number of islands.
pub const MAX_ISLANDS: u32 = 256;

/// Reasons why the engine refuses a search.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SearchError {
    /// The search cannot resume from this checkpoint.
    #[error("the checkpoint {0}")]
    Checkpoint(&'static str),
    /// The demand was built for another number of PEs.
    #[error("the demand is for {demand} nodes, but the spec has {spec}")]
    Mismatch {
        /// PEs of the demand.
        demand: u32,
        /// PEs of the spec.
        spec: u32,
    },
    /// Number of islands out of range.
    #[error("number of threads must be 1–256 (got {0})")]
    Threads(u32),
    /// A time limit that is no time.
    #[error("time limit must be 0 seconds or more (got {0})")]
    Seconds(f64),
    /// The estimated memory in bytes is above the limit.
    #[error(
        "this search needs about {} MiB of memory (limit {} MiB): use fewer threads, NICs or pairs",
        grouped(.0 >> 20),
        grouped(MEMORY_CAP >> 20)
    )]
    Memory(u64),
}

/// Searches for a wiring.
///
/// Calls the observer about ten times per second, always from the calling thread. Ends within 200 ms of a cancel, and
/// within about a second of the time limit, and returns the best wiring seen. Connects unused NIs to free ports if
/// there is time for it.
///
/// # Errors
/// [`SearchError`]. Does not check whether the hardware can suffice.
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
    resume(request, options, None, None, observer, cancel)
}

/// [`run_with`], from a checkpoint if one is given. The budget counts from the search's first start and may differ
/// from then; everything else must match. With
/// `machines`, islands also run elsewhere, and find the same wiring.
///
/// # Errors
/// As [`run`], and a checkpoint of another search or version.
pub fn resume(
    request: &SearchRequest,
    options: &Options,
    checkpoint: Option<&[u8]>,
    machines: Option<&dyn Machines>,
    observer: &mut dyn Observer,
    cancel: &AtomicBool,
) -> Result<Outcome, SearchError> {
    // A cancelled scope of the caller would take the best wiring along.
    let outcome =
        scope(&Token::default(), || searched(request, options, checkpoint, machines, observer, cancel));
    outcome.unwrap_or_else(|_| unreachable!("a scope that nobody cancels"))
}

fn searched(
    request: &SearchRequest,
    options: &Options,
    checkpoint: Option<&[u8]>,
    machines: Option<&dyn Machines>,
    observer: &mut dyn Observer,
    cancel: &AtomicBool,
) -> Result<Outcome, SearchError> {
    refuse(request)?;
    let began = Instant::now();
    let prints = observer.keeps_checkpoints() || checkpoint.is_some();
    let fingerprint = if prints { checkpoint::fingerprint(request, options) } else { 0 };
    let islands = Threads::of(&request.spec, request.threads, options).islands;
    let resumed = checkpoint
        .map(|bytes| checkpoint::read(bytes, fingerprint, islands))
        .transpose()
        .map_err(SearchError::Checkpoint)?;
    let (spec, demand) = (&*request.spec, &*request.demand);
    let (limits, time) = limits(request.budget, islands, &resumed);
    let limit = Limit::new(cancel, began, time);
    // Also when resuming: a checkpoint does not hold the closed form.
    let form = limit.run(|| {
        let (design, name) = closed::closed(spec, demand, &mut || !limit.is_reached())?;
        judged_closed(request, &design, &name)
    });
    let known = match form {
        Ok(Some(ClosedOutcome::Final(outcome))) => return Ok(finished(*outcome, observer)),
        Ok(Some(ClosedOutcome::Begun(elite))) => Some(elite),
        _ => None,
    };
    let renumbers = spec.renumbers();
    let epochs = machines.filter(|_| !renumbers).map(|machines| machines.open(request));
    let (read, reading) = (OnceLock::<Instances>::new(), Mutex::new(()));
    // Reads the instances for all islands. One that is stopped meanwhile leaves this to the next.
    let instances = |go_on: &mut dyn FnMut() -> bool| {
        let _alone = lock(&reading);
        if read.get().is_none() {
            let _ = read.set(Instances::read(request, options, go_on)?);
        }
        read.get()
    };
    let island = |number: u32, saved: Option<&[u8]>, ledger: &mut Ledger| {
        let all_begin = spec.objective == Objective::Time;
        if let Some(elite) = known.as_ref().filter(|_| number == 0 || all_begin) {
            ledger.consider(elite.score, &elite.genome, &elite.method);
        }
        let fresh = || State::new(Rng::new(request.seed, u64::from(number)), options);
        if let Some(epochs) = &epochs {
            let state = saved.map_or_else(|| fresh().save(ledger), <[u8]>::to_vec);
            return follow(&**epochs, options, &instances, number, state, ledger);
        }
        let Some(instances) = instances(&mut || ledger.should_continue()) else { return };
        let mut state = match saved.and_then(State::restore) {
            Some((state, account)) => {
                ledger.resume(account);
                state
            }
            None => fresh(),
        };
        if renumbers {
            return renumbered(request, &instances.setup(options, number), &mut state, ledger);
        }
        evolve(&instances.setup(options, number), &mut state, ledger);
    };
    let translate = |genome: &[u32]| (!skips_plane(spec, genome)).then(|| design(spec, genome));
    let tick = Duration::from_millis(options.tick.into());
    let settings = Settings {
        limits: &limits,
        limit,
        began,
        requested: demand.len() as u64,
        tick,
        fingerprint,
        resumed,
    };
    let ending = reporter::run(&settings, observer, &translate, &island);
    // Islands elsewhere have left the instances unread.
    drop(epochs);
    let read = read.into_inner().or_else(|| {
        let go_on = &mut || !limit.is_reached();
        machines.and_then(|_| limit.run(|| Instances::read(request, options, go_on)).ok()?)
    });
    let problems = read.map(|instances| instances.problems);
    let end = End { request, options, ending, cancel, limit };
    let outcome = end.outcome(problems.as_deref(), observer);
    drop_in_background(problems);
    Ok(outcome)
}

enum ClosedOutcome {
    /// Nothing can be better.
    Final(Box<Outcome>),
    /// It serves every pair, but extra links are wanted.
    Begun(Elite),
}

/// The closed form with free NIs connected; `None` if it uses switches that the search leaves out.
fn judged_closed(request: &SearchRequest, made: &Design, name: &str) -> Option<ClosedOutcome> {
    let (spec, demand) = (&request.spec, &request.demand);
    let (mut genome, whole) = genome(spec, made.switches());
    if !whole {
        return None;
    }
    connect_rest_of(spec, &useful_ports(spec), &mut genome);
    let method = format!("by construction: {name}");
    if demand.has_extra() || spec.objective == Objective::Time {
        let score = Score { pending_aims: 1, ..Score::uncovered(0) };
        return Some(ClosedOutcome::Begun(Elite { genome, score, method }));
    }
    let progress = Progress { trying: method.clone(), covered: 1.0, individuals: 1, ..Progress::default() };
    Some(ClosedOutcome::Final(Box::new(Outcome {
        design: design(spec, &genome),
        uncovered: 0,
        moved: None,
        ended: EndReason::Solved,
        method,
        progress,
        crashed: 0,
    })))
}

fn finished(mut outcome: Outcome, observer: &mut dyn Observer) -> Outcome {
    observer.progress(&outcome.progress);
    outcome.progress.revision = 1;
    observer.better(&outcome.design, 0);
    observer.progress(&outcome.progress);
    outcome
}

/// `true` if a PE's NI is idle under rails and a later one is not: tables number NIs without gaps.
fn skips_plane(spec: &Spec, genome: &[u32]) -> bool {
    let mut rest = genome;
    spec.rail
        && nis_per_pe(spec).any(|count| {
            let (own, others) = rest.split_at(count as usize);
            rest = others;
            own.windows(2).any(|pair| pair[0] == NONE && pair[1] != NONE)
        })
}

/// Permutes PE numbers on the only island; others have nothing to add.
fn renumbered(request: &SearchRequest, setup: &Setup, state: &mut State, ledger: &mut Ledger) {
    let (Some(start), Some(problem)) = (&request.spec.start, setup.problems.last()) else { return };
    if state.time.round == 0 {
        let (spec, demand, rng) = (&request.spec, &request.demand, &mut state.rng);
        // Only a switch beyond the budget is unknown here, and such a spec is refused before.
        let _ = renumber(spec, demand, start, problem, &Cooling::default(), rng, ledger);
    }
    if let Some(clock) = setup.clock.filter(|_| problem.timed && ledger.best_score().uncovered == 0) {
        improve(setup, problem, clock, state, ledger);
    }
}

fn refuse(request: &SearchRequest) -> Result<(), SearchError> {
    let (spec, demand) = (&request.spec, &request.demand);
    if spec.pes != demand.pes() {
        return Err(SearchError::Mismatch { demand: demand.pes(), spec: spec.pes });
    }
    if !(1..=MAX_ISLANDS).contains(&request.threads) {
        return Err(SearchError::Threads(request.threads));
    }
    if let Budget::Seconds(seconds) = request.budget
        && (seconds.is_nan() || seconds < 0.0)
    {
        return Err(SearchError::Seconds(seconds));
    }
    let needed = memory(spec, demand, request.threads);
    if needed > MEMORY_CAP { Err(SearchError::Memory(needed)) } else { Ok(()) }
}

/// Bytes that a search needs, without its populations.
pub fn memory(spec: &Spec, demand: &Demand, threads: u32) -> u64 {
    let Threads { all, islands } = Threads::of(spec, threads, &Options::default());
    let (pes, nis, pairs) = (u64::from(spec.pes), spec.total_nis(), demand.len() as u64);
    let ports: u64 = spec.usable_ports().into_iter().map(|p| u64::from(p.min(spec.pes))).sum();
    let mut degrees = demand.degrees().into_iter();
    let met: u64 =
        nis_per_pe(spec).map(|n| u64::from(n) * u64::from(degrees.next().unwrap_or(0).div_ceil(64))).sum();
    let graph = pairs * 16 + pes * 40;
    let wiring = 8 * met + 10 * nis + 4 * ports + 16 * pes;
    // Plus the best so far, a first design, two parents, and the wiring being exchanged.
    let island = wiring + 6 * 4 * nis + 40 * pes;
    // A transfer in up to three dimensions of a job for each pair, and the bytes on each NIC.
    let time = u64::from(spec.objective == Objective::Time);
    let (clock, loads) = (time * pairs * 3 * 40, time * nis * 16 * 8);
    let copies = u64::from(all - islands) * wiring;
    graph + clock + 16 * nis + 8 * ports + u64::from(islands) * (island + loads) + copies
}

fn limits(budget: Budget, islands: u32, resumed: &Option<Checkpoint>) -> (Vec<u64>, Option<Duration>) {
    let before = resumed.as_ref().map_or(0.0, |resumed| resumed.elapsed);
    match budget {
        Budget::Seconds(_) => (vec![u64::MAX; islands as usize], seconds_left(budget, before)),
        Budget::Effort(millions) => {
            let (all, n) = (millions.saturating_mul(1_000_000), u64::from(islands));
            ((0..n).map(|i| all / n + u64::from(i < all % n)).collect(), None)
        }
    }
}
