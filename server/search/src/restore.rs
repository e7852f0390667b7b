//! Returns moved cables that need not have moved.
//!
//! A search moves as many cables of a start wiring as it may. This pass goes through its result once more. A cable
//! *returns* when its PE goes back to its original switch; the PE that makes room takes the other place. If that
//! costs a link, further cables may return until nothing is missing: chains of up to [`DEPTH`] returns, depth first.
//! Then [`reduce_moved`] repeats the [`crate::repair`] with a lower limit of moved cables, from the start wiring or
//! from the best one with random cables returned, by bisection and for longer each time.
//!
//! Fewer moves count only among wirings that are at least as good.

use crate::{
    ledger::{Ledger, Score},
    options::Options,
    problem::NONE,
    repair::repair,
    schedule::Schedule,
    wiring::{FORBIDDEN, Genome, Swap, Undo, Wiring},
};
use spec::{cancel::check, random::Rng};

/// Maximum length of a chain.
const DEPTH: u32 = 3;
/// Swaps tried per link of a chain.
const WIDTH: usize = 6;
/// PEs with missing links whose returns may help.
const OTHERS: usize = 6;
/// Limit of swaps evaluated for one moved cable.
const MAX_TRIALS: u64 = 1 << 13;
/// Links that a first return may lose in the hope that another regains them.
const MAX_REGAINED: f64 = 4.0;

/// Returns every cable that can return; `true` if any did.
pub fn restore_cables(wiring: &mut Wiring, ledger: &mut Ledger) -> bool {
    let (base, begun) = (Score::of(wiring), wiring.moved());
    loop {
        let before = wiring.moved();
        for pe in 0..wiring.problem.pes() {
            for original in missing_originals(wiring, pe) {
                wiring.limit_moved(wiring.moved());
                let mut chain = Chain { base, trials: 0 };
                // It may have returned already, in another cable's chain.
                if !wiring.is_on(pe, original) {
                    chain.restore_one(wiring, pe, original, DEPTH);
                }
                if !ledger.spend(1 + chain.trials) {
                    return wiring.moved() < begun;
                }
            }
        }
        if wiring.moved() == before {
            return wiring.moved() < begun;
        }
    }
}

/// Searches for wirings as good as this one with fewer moved cables, until the ledger stops. `start` is the start
/// wiring as a genome. Leaves the best wiring found.
pub fn reduce_moved(
    wiring: &mut Wiring,
    start: &[u32],
    options: &Options,
    rng: &mut Rng,
    ledger: &mut Ledger,
) {
    let base = Score::of(wiring);
    let mut best = (wiring.moved(), wiring.genome().clone());
    // `low`: fewer moved cables than this failed, with this patience. `patience`: moves per NI of a repair.
    let (mut low, mut patience, mut turn) = (0, u64::from(options.brief), 0);
    while best.0 > 0 && ledger.should_continue() {
        if low >= best.0 {
            (low, patience) = (0, patience * 2);
        }
        let max = low + (best.0 - low) / 2;
        turn += 1;
        start_from(wiring, if turn % 2 == 1 { start } else { &best.1 }, rng);
        wiring.limit_moved(max);
        let moves = patience * u64::from(wiring.problem.nis());
        let schedule =
            Schedule { hot: options.warm, cool: options.cool.min(options.warm), steps: options.steps, moves };
        repair(wiring, &schedule, options, None, rng, ledger);
        if Score::of(wiring) <= base {
            restore_cables(wiring, ledger);
        }
        if Score::of(wiring) <= base && wiring.moved() < best.0 {
            best = (wiring.moved(), wiring.genome().clone());
        } else {
            low = max + 1;
        }
    }
    wiring.load(&best.1, &mut || true);
    wiring.limit_moved(best.0);
}

/// Loads a wiring and returns each moved cable with a chance of one half, at any cost.
fn start_from(wiring: &mut Wiring, genome: &[u32], rng: &mut Rng) {
    wiring.load(genome, &mut || true);
    wiring.limit_moved(wiring.moved());
    for pe in 0..wiring.problem.pes() {
        for original in missing_originals(wiring, pe) {
            if rng.chance(500)
                && let Some((_, swap)) = candidate_swaps(wiring, pe, original, i64::MAX - 1, &mut 0).first()
            {
                wiring.apply(swap);
            }
        }
    }
}

/// One chain of returns.
struct Chain {
    /// The chain must end no worse than this.
    base: Score,
    trials: u64,
}

impl Chain {
    /// Returns a PE to a switch, and others after it if needed. On `false`, nothing has changed.
    fn restore_one(&mut self, wiring: &mut Wiring, pe: u32, original: u32, depth: u32) -> bool {
        let hope = (MAX_REGAINED * wiring.problem.graph.scale) as i64;
        for (_, swap) in candidate_swaps(wiring, pe, original, hope, &mut self.trials).into_iter().take(WIDTH)
        {
            let undo = Undo::of(wiring, &swap);
            let occupant = wiring.ni_at(swap.port);
            wiring.apply(&swap);
            if Score::of(wiring) <= self.base || self.restore_next(wiring, occupant, depth - 1) {
                return true;
            }
            undo.apply(wiring);
            if self.trials > MAX_TRIALS {
                break;
            }
        }
        false
    }

    /// Returns one more cable: of the PE that made room, or of one with missing links.
    fn restore_next(&mut self, wiring: &mut Wiring, occupant: u32, depth: u32) -> bool {
        if depth == 0 {
            return false;
        }
        let mut next: Vec<u32> = wiring.deficient().iter().copied().take(OTHERS).collect();
        if occupant != NONE {
            next.insert(0, wiring.problem.owner(occupant));
        }
        for pe in next {
            for original in missing_originals(wiring, pe) {
                if self.trials <= MAX_TRIALS && self.restore_one(wiring, pe, original, depth) {
                    return true;
                }
            }
        }
        false
    }
}

/// Original switches that a PE is not on.
fn missing_originals(wiring: &Wiring, pe: u32) -> Genome {
    let homes = wiring.problem.rules().map(|rules| rules.originals_of(pe));
    homes.into_iter().flatten().filter(|&original| !wiring.is_on(pe, original)).collect()
}

/// Swaps that return a PE to a switch at a cost of at most `max`, cheapest first. No PE on an original switch makes
/// room.
fn candidate_swaps(wiring: &Wiring, pe: u32, original: u32, max: i64, trials: &mut u64) -> Vec<(i64, Swap)> {
    let (problem, Some(rules)) = (wiring.problem, wiring.problem.rules()) else { return Vec::new() };
    let mut found = Vec::new();
    for ni in problem.nis_of(pe).map(|ni| ni as u32) {
        let from = wiring.switch_of(ni);
        if from != NONE && rules.is_original(pe, from) {
            continue;
        }
        for port in problem.ports_of(original).map(|port| port as u32) {
            let other = Some(wiring.ni_at(port)).filter(|&ni| ni != NONE).map(|ni| problem.owner(ni));
            let stays =
                |other| rules.is_original(other, original) || (from != NONE && wiring.is_on(other, from));
            if other.is_some_and(stays) {
                continue;
            }
            check();
            *trials += 1;
            let swap = Swap { ni, switch: original, port };
            let delta = wiring.delta(&swap, i64::MAX);
            if delta != FORBIDDEN && delta <= max {
                found.push((delta, swap));
            }
        }
    }
    found.sort_by_key(|&(delta, _)| delta);
    found
}
