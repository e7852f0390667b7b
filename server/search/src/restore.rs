//! Moved cables that need not have moved go back to where they were.
//!
//! A search that may move cables moves them as it likes: it asks whether it may, never whether it must. What it found is
//! therefore gone through once more. A cable *goes back* when its PE returns to its old switch; whoever makes room for it
//! takes the place that it leaves. Where that costs a link, others may go back too until nothing lacks any more: chains of up
//! to [`DEPTH`] returns, tried depth first. Then the whole search is *tightened*: the repair of [`crate::repair`] with fewer
//! cables that may move, from the wiring that was there or from the best one with a random part of its cables put back, by
//! bisection and for longer each time.
//!
//! A wiring is never given up for a worse one: fewer moves count only among wirings that are at least as good.

use crate::{
    ledger::{Ledger, Score},
    options::Options,
    problem::NONE,
    repair::{Schedule, repair},
    wiring::{FORBIDDEN, Genome, Swap, Undo, Wiring},
};
use shared::random::Rng;

/// Most returns in a chain.
const DEPTH: u32 = 3;
/// Trades tried at each link of a chain.
const WIDTH: usize = 6;
/// PEs that lack something whose returns may mend it.
const OTHERS: usize = 6;
/// Trades looked at for one moved cable.
const MAX_TRIALS: u64 = 1 << 13;
/// Links that a first return may lose in the hope that another wins them back.
const HOPE: f64 = 4.0;

/// Lets every cable go back that can. Whether any did.
pub fn restore_cables(wiring: &mut Wiring, ledger: &mut Ledger) -> bool {
    let (base, begun) = (Score::of(wiring), wiring.moved());
    loop {
        let before = wiring.moved();
        for pe in 0..wiring.problem.pes() {
            for original in missing_originals(wiring, pe) {
                wiring.limit_moved(wiring.moved());
                let mut chain = Chain { base, trials: 0 };
                // A cable that went back meanwhile as part of another one's chain is at home.
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

/// Searches for wirings as good as this one with fewer moved cables, until the ledger says stop: `start` is the wiring that
/// was there, as a genome. The wiring at hand ends as the best found.
pub fn reduce_moved(
    wiring: &mut Wiring,
    start: &[u32],
    options: &Options,
    rng: &mut Rng,
    ledger: &mut Ledger,
) {
    let base = Score::of(wiring);
    let mut best = (wiring.moved(), wiring.genome().clone());
    // So few are known not to do, with this patience; and how patient a repair is, in moves for each NI.
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

/// Loads a wiring and brings back each of its moved cables with a chance of one in two, whatever that costs.
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
    /// No worse than this it has to end.
    base: Score,
    trials: u64,
}

impl Chain {
    /// Brings a PE back to a switch, and others after it if need be. Whether that ended well; if not, nothing has changed.
    fn restore_one(&mut self, wiring: &mut Wiring, pe: u32, original: u32, depth: u32) -> bool {
        let hope = (HOPE * wiring.problem.graph.scale()) as i64;
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

    /// Brings back one more: who has just made room, or a PE that lacks something.
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

/// Switches that a PE was on and is not on.
fn missing_originals(wiring: &Wiring, pe: u32) -> Genome {
    let homes = wiring.problem.rules().map(|rules| rules.originals_of(pe));
    homes.into_iter().flatten().filter(|&original| !wiring.is_on(pe, original)).collect()
}

/// Trades that bring a PE back to a switch at a cost of at most `max`, least first. Nobody who is where it was makes room.
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
