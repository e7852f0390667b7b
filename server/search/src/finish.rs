//! From the islands' best wiring to an outcome: returns cables, connects free NIs, shortens cables.

use crate::{
    fill::{connect_rest, seat_idle},
    ledger::{Elite, Ledger, Score},
    lengths::shorten,
    limit::Limit,
    options::Options,
    problem::{NONE, Problem, Rules, design, instances, start_genome},
    reporter::{Ending, share},
    restore::{reduce_moved, restore_cables},
    time::clock::Clock,
    wiring::Wiring,
};
use spec::{
    design::check,
    random::Rng,
    spec::{Objective, Spec},
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    time::{Duration, Instant},
};
use work::search::{Budget, EndReason, Observer, Outcome, SearchRequest};

/// Above this many NIs a wiring is returned as it stands, since recounting would delay a cancel.
const MAX_RECOUNTED: u32 = 1 << 19;
/// Up to this many pairs, a search that was stopped before it began still returns a filled wiring.
const MAX_REREAD: usize = 1 << 20;
/// Work limit for shorter cables after a search.
const SHORTENING_WORK: u64 = 20_000_000;
/// Work limit for returning cables one by one.
const RESTORING_WORK: u64 = 1 << 21;
/// Work limit for searching again with fewer moved cables; the second one is per NI.
const REDUCING_WORK: u64 = 8_000_000;
const REDUCING_WORK_PER_NI: u64 = 10_000;

/// Time to finish a wiring after a search that had a time limit.
const FINISHING: Duration = Duration::from_secs(1);

/// The end of a search.
pub struct End<'a> {
    pub request: &'a SearchRequest,
    pub options: &'a Options,
    pub ending: Ending,
    pub cancel: &'a AtomicBool,
    /// Limit of the search.
    pub limit: Limit<'a>,
}

impl End<'_> {
    /// Finishes the best wiring and shows it. `problems` are the instances, if they were read. After a cancel the wiring
    /// stays as it is unless that is quick.
    pub fn outcome(mut self, problems: Option<&[Problem]>, observer: &mut dyn Observer) -> Outcome {
        let spec = &*self.request.spec;
        let requested = self.request.demand.len() as u64;
        let best = self.ending.best.take();
        let time = matches!(self.request.budget, Budget::Seconds(_)).then_some(FINISHING);
        let limit = Limit::new(self.cancel, Instant::now(), time);
        let finished = limit.run(|| self.finished(best.clone(), problems, &limit));
        let (elite, moved) = finished.unwrap_or_else(|_| {
            let elite = best.unwrap_or_else(|| first(spec, requested));
            let moved = problems.and_then(planned).and_then(|problem| {
                Rules::with_originals(spec).map(|rules| rules.moved(problem, &elite.genome))
            });
            (elite, moved)
        });
        let design = design(spec, &elite.genome);
        let uncovered = match spec.serves_over_uplinks() {
            true => check(spec, &self.request.demand, &design).uncovered.len() as u64,
            false => elite.score.uncovered,
        };
        let mut progress = self.ending.progress;
        progress.best = uncovered;
        progress.revision += 1;
        progress.covered = if requested == 0 { 1.0 } else { 1.0 - uncovered as f64 / requested as f64 };
        if let Some(weight) = &mut progress.weight {
            weight.best = share(elite.score.cost, self.ending.most);
            weight.shown = weight.best;
        }
        observer.better(&design, uncovered);
        observer.progress(&progress);
        let ended = match uncovered {
            0 => EndReason::Solved,
            _ if self.cancel.load(SeqCst) => EndReason::Cancelled,
            _ => EndReason::Exhausted,
        };
        let (method, crashed) = (elite.method, self.ending.crashed);
        Outcome { design, uncovered, moved, ended, method, progress, crashed }
    }

    fn finished(
        &self,
        best: Option<Elite>,
        problems: Option<&[Problem]>,
        limit: &Limit,
    ) -> (Elite, Option<u32>) {
        let found = best.is_some();
        let read = if problems.is_none() { self.read_late() } else { None };
        let problem = problems.or(read.as_deref()).and_then(planned);
        let mut elite = best.unwrap_or_else(|| first(&self.request.spec, self.request.demand.len() as u64));
        let Some(problem) = problem else { return (elite, None) };
        let spec = &*self.request.spec;
        drop_needless(spec, problem, &mut elite, limit);
        let further = further_switches(problem, &elite.genome);
        let problem = &match further {
            0 => problem.clone(),
            _ => problem.grown(spec, further),
        };
        if !found {
            recount(problem, &mut elite);
        }
        let before = elite.clone();
        let moved = self.finish(problem, &mut elite, limit);
        // Shorter or fewer moved cables are not worth a slower wiring.
        let clock = if spec.objective == Objective::Time { Clock::of(spec) } else { None };
        if let Some(clock) = clock.filter(|_| before.score.uncovered == 0 && before.genome != elite.genome) {
            let cost = |elite: &Elite| clock.cost(&clock.loads(problem, &elite.genome));
            if cost(&elite) > cost(&before) {
                let rules = Rules::with_originals(spec);
                let moved =
                    rules.map(|rules| rules.moved(problem, &before.genome)).filter(|_| moved.is_some());
                return (before, moved);
            }
        }
        (elite, moved)
    }

    /// The instances of a search that was stopped before it read them.
    fn read_late(&self) -> Option<Vec<Problem>> {
        let (spec, demand) = (&self.request.spec, &self.request.demand);
        let small = spec.total_nis() <= u64::from(MAX_RECOUNTED) && demand.len() <= MAX_REREAD;
        if small { instances(spec, demand, &mut || true) } else { None }
    }

    /// Finishes a wiring; returns the number of cables moved from the start wiring, if there is one.
    fn finish(&self, problem: &Problem, elite: &mut Elite, limit: &Limit) -> Option<u32> {
        let spec = &*self.request.spec;
        if spec.renumbers() {
            return None;
        }
        let Some(rules) = Rules::with_originals(spec) else {
            connect_free(spec, problem, elite, limit);
            return None;
        };
        let problem = &problem.with_rules(Some(Arc::new(rules)));
        if problem.nis() <= MAX_RECOUNTED {
            self.restore(problem, elite, limit);
        }
        connect_free(spec, problem, elite, limit);
        problem.rules().map(|rules| rules.moved(problem, &elite.genome))
    }

    /// Returns moved cables where possible.
    fn restore(&self, problem: &Problem, elite: &mut Elite, limit: &Limit) {
        let mut wiring = Wiring::empty(problem);
        wiring.load(&elite.genome, &mut || true);
        restore_cables(&mut wiring, &mut Ledger::new(limit, 0, RESTORING_WORK));
        if wiring.cost() == 0
            && let Some(start) = start_genome(&self.request.spec)
        {
            let work = REDUCING_WORK.min(REDUCING_WORK_PER_NI * u64::from(problem.nis()));
            let (mut rng, mut ledger) =
                (Rng::new(self.request.seed, u64::MAX), Ledger::new(&self.limit, 0, work));
            reduce_moved(&mut wiring, &start, self.options, &mut rng, &mut ledger);
        }
        (elite.score.uncovered, elite.score.cost) = (wiring.uncovered(), wiring.cost());
        elite.genome.clone_from(wiring.genome());
    }
}

/// The instance with the planned switches, of the last aim.
fn planned(problems: &[Problem]) -> Option<&Problem> {
    problems.iter().rfind(|problem| problem.further == 0)
}

/// Number of further switches, up to the last that a wiring uses.
fn further_switches(planned: &Problem, genome: &[u32]) -> u32 {
    let last = genome.iter().filter(|&&switch| switch != NONE).max();
    last.map_or(0, |last| (last + 1).saturating_sub(planned.switches()))
}

/// Leaves out further switches that no pair needs, emptiest first, and numbers the others without gaps.
fn drop_needless(spec: &Spec, planned: &Problem, elite: &mut Elite, limit: &Limit) {
    let further = further_switches(planned, &elite.genome);
    if further == 0 || planned.nis() > MAX_RECOUNTED {
        return;
    }
    let (first, problem) = (planned.switches(), planned.grown(spec, further));
    let mut wiring = Wiring::empty(&problem);
    wiring.load(&elite.genome, &mut || true);
    let on = |genome: &[u32], switch: u32| genome.iter().filter(|&&s| s == switch).count();
    let mut order: Vec<u32> = (first..first + further).collect();
    order.sort_by_key(|&switch| on(wiring.genome(), switch));
    for switch in order {
        if limit.is_reached() {
            break;
        }
        let (score, mut without) = (Score::of(&wiring), wiring.genome().clone());
        without.iter_mut().filter(|s| **s == switch).for_each(|s| *s = NONE);
        let before = std::mem::replace(&mut elite.genome, without);
        wiring.load(&elite.genome, &mut || true);
        if Score::of(&wiring) > score {
            elite.genome = before;
            wiring.load(&elite.genome, &mut || true);
        }
    }
    let mut number = vec![NONE; further as usize];
    let mut next = first;
    for (at, switch) in (0..).zip(first..first + further) {
        if on(&elite.genome, switch) > 0 {
            number[at] = next;
            next += 1;
        }
    }
    for switch in elite.genome.iter_mut().filter(|s| **s != NONE && **s >= first) {
        *switch = number[(*switch - first) as usize];
    }
}

/// Outcome without a wiring: the start wiring, or an empty one to be filled.
fn first(spec: &Spec, requested: u64) -> Elite {
    let start = start_genome(spec);
    let method = if start.is_some() { "start wiring" } else { "lowest-numbered-switch fill" };
    let genome = start.unwrap_or_default();
    Elite { genome, score: Score { cost: u64::MAX, ..Score::uncovered(requested) }, method: method.into() }
}

/// Recounts a wiring that no island has loaded, with required connections added.
fn recount(problem: &Problem, elite: &mut Elite) {
    if problem.nis() <= MAX_RECOUNTED {
        let mut wiring = Wiring::empty(problem);
        wiring.load(&elite.genome, &mut || true);
        (elite.score.uncovered, elite.score.cost) = (wiring.uncovered(), wiring.cost());
        elite.genome.clone_from(wiring.genome());
    }
}

/// Connects free NIs to free ports, shortens cables where racks are known, and recounts if needed. Moves no further
/// cables of a start wiring, except for shorter cables where any number may move.
fn connect_free(spec: &Spec, problem: &Problem, elite: &mut Elite, limit: &Limit) {
    let small = problem.nis() <= MAX_RECOUNTED;
    let shortens = small && !spec.racks.is_empty();
    if !(shortens || elite.genome.contains(&NONE)) {
        return;
    }
    connect_rest(problem, &mut elite.genome);
    let idle = elite.genome.iter().filter(|&&s| s == NONE).count();
    // Ports of switches that the idle NIs' PEs are on already.
    let connectable = problem.ports() as usize + idle > elite.genome.len();
    if shortens || (small && (elite.score.uncovered > 0 || (idle > 0 && connectable))) {
        let mut wiring = Wiring::empty(problem);
        wiring.load(&elite.genome, &mut || true);
        wiring.limit_moved(wiring.moved());
        seat_idle(&mut wiring);
        if shortens {
            if spec.start.as_ref().is_some_and(|start| start.moves.is_none()) {
                wiring.limit_moved(u32::MAX);
            }
            let mut work = 0;
            shorten(spec, &mut wiring, &mut Rng::new(1, 0), &mut |more| {
                work += more;
                work < SHORTENING_WORK && !limit.is_reached()
            });
        }
        (elite.score.uncovered, elite.score.cost) = (wiring.uncovered(), wiring.cost());
        elite.genome.clone_from(wiring.genome());
    }
}

/// Rest of a time budget after `elapsed` seconds; `None` for a work budget.
pub fn seconds_left(budget: Budget, elapsed: f64) -> Option<Duration> {
    match budget {
        Budget::Seconds(seconds) => Some(Duration::from_secs_f64((seconds - elapsed).clamp(0.0, 1e9))),
        Budget::Effort(_) => None,
    }
}
