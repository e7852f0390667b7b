//! The local moves of a repair. Each evaluates its change and applies it only if that loses at most a limit.
//!
//! | move | share | change |
//! | --- | --- | --- |
//! | [`judge_serving`] | 124 of 128 | a PE of an uncovered pair goes to a switch of its partner |
//! | [`judge_random`] | 2 | a random NI and a random port: takes wirings sideways where every aimed move is blocked |
//! | [`idle`] | 1 | an NI that serves nothing frees its port |
//! | [`gather`] | 1 | both PEs of an uncovered pair go to a third switch |
//!
//! Serving uncovered pairs, with the cheapest of about 14 occupants giving way, was by far the strongest move tried.

use crate::{
    problem::NONE,
    wiring::{Swap, Undo, Wiring},
};
use spec::random::Rng;

/// Number of equally likely draws of a move.
pub const DRAWS: u32 = 128;

/// A swap that serves an uncovered pair at a loss of at most `limit`, if one was found.
pub fn judge_serving(wiring: &Wiring, limit: i32, candidates: u32, rng: &mut Rng) -> Option<Swap> {
    let swap = propose_serving(wiring, candidates, rng)?;
    (wiring.delta(&swap, limit.into()) <= limit.into()).then_some(swap)
}

/// Applies a swap that was judged before other changes, if it is still possible and loses at most `limit`.
pub fn retry(wiring: &mut Wiring, swap: &Swap, limit: i32) {
    let (pe, from) = (wiring.problem.owner(swap.ni), wiring.switch_of(swap.ni));
    let occupant = wiring.ni_at(swap.port);
    let fits = !wiring.is_on(pe, swap.switch)
        && (occupant == NONE || from == NONE || !wiring.is_on(wiring.problem.owner(occupant), from));
    if fits && wiring.delta(swap, limit.into()) <= limit.into() {
        wiring.apply(swap);
    }
}

/// A swap of a random NI with a random port, at a loss of at most `limit` (the first mutation of Dietz and Mattox 2000 as
/// a move).
pub fn judge_random(wiring: &Wiring, limit: i32, rng: &mut Rng) -> Option<Swap> {
    let swap = propose_random(wiring, rng)?;
    (wiring.delta(&swap, limit.into()) <= limit.into()).then_some(swap)
}

/// Disconnects an NI at a loss of at most `limit`. Without this, a PE with more NIs than it needs would keep all of them on
/// switches for ever.
pub fn idle(wiring: &mut Wiring, ni: u32, limit: i64) {
    if may_idle(wiring, ni, limit) {
        wiring.disconnect(ni);
    }
}

/// A swap that puts a PE of an uncovered pair on a switch of its partner, if one was found. The sample of occupants costs
/// a table look-up each; only the chosen swap is evaluated exactly.
#[inline]
pub fn propose_serving(wiring: &Wiring, candidates: u32, rng: &mut Rng) -> Option<Swap> {
    let pe = wiring.random_deficient(rng)?;
    let partner = wiring.missing_partner(pe, rng)?;
    let problem = wiring.problem;
    let theirs = problem.nis_of(partner);
    let ni = theirs.start as u32 + rng.below(theirs.len() as u32);
    let mut switch = wiring.switch_of(ni);
    if switch == NONE {
        switch = rng.below(problem.switches());
    }
    if switch >= problem.switches() || wiring.is_on(pe, switch) {
        return None;
    }
    let ni = problem.ni_for(pe, switch, rng)?;
    let port = cheapest_port(wiring, switch, wiring.switch_of(ni), candidates, rng)?;
    Some(Swap { ni, switch, port })
}

/// The port of `switch`, from a random sample of neighbouring ones, whose occupant loses least and may go to `from`.
#[inline]
pub fn cheapest_port(wiring: &Wiring, switch: u32, from: u32, candidates: u32, rng: &mut Rng) -> Option<u32> {
    let ports = wiring.problem.ports_of(switch);
    let width = ports.len() as u32;
    let start = rng.below(width);
    let mut best = None;
    let mut least = u32::MAX;
    for k in 0..candidates.min(width) {
        let at = start + k;
        let port = ports.start as u32 + if at < width { at } else { at - width };
        let occupant = wiring.ni_at(port);
        if occupant == NONE {
            return Some(port);
        }
        let loss = wiring.sole(occupant);
        if loss < least && (from == NONE || !wiring.is_on(wiring.problem.owner(occupant), from)) {
            (least, best) = (loss, Some(port));
        }
    }
    best
}

/// Links that the second swap of [`gather`] may win back: a first swap that loses more than this above the limit is not tried.
const MAX_REGAINED: f64 = 4.0;

/// Moves both PEs of an uncovered pair to a third switch. [`judge_serving`] fails where both sit on switches without room for one
/// more; two swaps judged together go around that.
pub fn gather(wiring: &mut Wiring, limit: i32, candidates: u32, rng: &mut Rng) {
    let limit = i64::from(limit);
    let Some((pe, partner)) =
        wiring.random_deficient(rng).and_then(|pe| Some((pe, wiring.missing_partner(pe, rng)?)))
    else {
        return;
    };
    let switch = third_switch(wiring, [pe, partner], rng);
    let Some(first) = swap_to(wiring, pe, switch, candidates, rng) else { return };
    let max = limit.saturating_add((MAX_REGAINED * wiring.problem.graph.scale) as i64);
    let loss = wiring.delta(&first, max);
    if loss > max {
        return;
    }
    let undo = Undo::of(wiring, &first);
    wiring.apply(&first);
    match swap_to(wiring, partner, switch, candidates, rng) {
        Some(second) if wiring.delta(&second, limit - loss) <= limit - loss => wiring.apply(&second),
        _ => undo.apply(wiring),
    }
}

/// A switch of another partner of one of the two, or a random one.
fn third_switch(wiring: &Wiring, pair: [u32; 2], rng: &mut Rng) -> u32 {
    let problem = wiring.problem;
    let anywhere = rng.below(problem.switches());
    let &member = rng.pick(&pair).unwrap_or(&pair[0]);
    if rng.chance(500) {
        return anywhere;
    }
    let other = rng.pick(problem.graph.partners(member)).copied().unwrap_or(member);
    let theirs = problem.nis_of(other);
    let switch = wiring.switch_of(theirs.start as u32 + rng.below(theirs.len() as u32));
    if switch == NONE { anywhere } else { switch }
}

/// A swap that puts a PE on a switch, unless it is there.
fn swap_to(wiring: &Wiring, pe: u32, switch: u32, candidates: u32, rng: &mut Rng) -> Option<Swap> {
    if switch >= wiring.problem.switches() || wiring.is_on(pe, switch) {
        return None;
    }
    let ni = wiring.problem.ni_for(pe, switch, rng)?;
    let port = cheapest_port(wiring, switch, wiring.switch_of(ni), candidates, rng)?;
    Some(Swap { ni, switch, port })
}

/// A swap between random places, if no PE ends on one switch twice.
pub fn propose_random(wiring: &Wiring, rng: &mut Rng) -> Option<Swap> {
    let problem = wiring.problem;
    let ni = rng.below(problem.nis());
    let switches = problem.switches_for(ni);
    let switch = switches.start + rng.below(switches.len() as u32);
    let ports = problem.ports_of(switch);
    if ports.is_empty() || wiring.is_on(problem.owner(ni), switch) {
        return None;
    }
    let port = ports.start as u32 + rng.below(ports.len() as u32);
    let (from, occupant) = (wiring.switch_of(ni), wiring.ni_at(port));
    let allowed = occupant == NONE || from == NONE || !wiring.is_on(problem.owner(occupant), from);
    allowed.then_some(Swap { ni, switch, port })
}

/// A random connected NI that may go idle at a cost of at most `limit` links.
#[inline]
pub fn propose_idling(wiring: &Wiring, limit: i64, rng: &mut Rng) -> Option<u32> {
    let ni = rng.below(wiring.problem.nis());
    may_idle(wiring, ni, limit).then_some(ni)
}

fn may_idle(wiring: &Wiring, ni: u32, limit: i64) -> bool {
    wiring.switch_of(ni) != NONE && i64::from(wiring.sole(ni)) <= limit && wiring.allows_idle(ni)
}
