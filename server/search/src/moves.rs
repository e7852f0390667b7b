//! The move that does the work: serve an uncovered pair.
//!
//! A random PE with an uncovered pair, one of the partners it misses, one of that partner's switches: an NI of the PE
//! moves there and takes the port of the occupant that loses least, of a sample of neighbouring ports. Looking at the
//! sample costs a table look-up each; only the chosen trade is evaluated exactly. Taking uncovered pairs and the best
//! of about 14 was by far the strongest of the moves tried.

use crate::{
    problem::NONE,
    wiring::{Swap, Undo, Wiring},
};
use shared::random::Rng;

/// A trade that would put a PE of an uncovered pair on a switch of the other, if one was found.
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
    let own = problem.nis_of(pe);
    let ni = own.start as u32 + rng.below(own.len() as u32);
    let port = cheapest_port(wiring, switch, wiring.switch_of(ni), candidates, rng)?;
    Some(Swap { ni, switch, port })
}

/// The port of `switch`, of a sample, whose occupant loses least and may go to switch `from`.
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

// Both PEs of an uncovered pair move to a third switch.
//
// [`propose_serving`] brings one to a switch of the other, which fails where both sit on switches with no room for
// one more: a switch of one port, or one whose occupants all lose too much. Two trades in a row, judged together, go
// around that. The switch is one that a partner of the two sits on, or a random one.

/// The links that the second trade is hoped to gain: a first trade that loses more than this above the limit is not tried.
const HOPE: f64 = 4.0;

/// Moves both PEs of an uncovered pair to a third switch if that loses at most `limit` links in all.
pub fn gather(wiring: &mut Wiring, limit: i64, candidates: u32, rng: &mut Rng) {
    let Some((pe, partner)) =
        wiring.random_deficient(rng).and_then(|pe| Some((pe, wiring.missing_partner(pe, rng)?)))
    else {
        return;
    };
    let switch = third_switch(wiring, [pe, partner], rng);
    let Some(first) = trade_to(wiring, pe, switch, candidates, rng) else { return };
    let max = limit.saturating_add((HOPE * wiring.problem.graph.scale()) as i64);
    let loss = wiring.delta(&first, max);
    if loss > max {
        return;
    }
    let undo = Undo::of(wiring, &first);
    wiring.apply(&first);
    match trade_to(wiring, partner, switch, candidates, rng) {
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

/// A trade that puts a PE on a switch, if it is not there yet.
fn trade_to(wiring: &Wiring, pe: u32, switch: u32, candidates: u32, rng: &mut Rng) -> Option<Swap> {
    if switch >= wiring.problem.switches() || wiring.is_on(pe, switch) {
        return None;
    }
    let own = wiring.problem.nis_of(pe);
    let ni = own.start as u32 + rng.below(own.len() as u32);
    let port = cheapest_port(wiring, switch, wiring.switch_of(ni), candidates, rng)?;
    Some(Swap { ni, switch, port })
}

// A random NI with a random port anywhere: the papers' first mutation as a move. It has no aim; as one move in many it
// takes wirings sideways where every aimed move is blocked.

/// A trade between random places, if it is allowed.
pub fn propose_random(wiring: &Wiring, rng: &mut Rng) -> Option<Swap> {
    let problem = wiring.problem;
    let (ni, switch) = (rng.below(problem.nis()), rng.below(problem.switches()));
    let ports = problem.ports_of(switch);
    if ports.is_empty() || wiring.is_on(problem.owner(ni), switch) {
        return None;
    }
    let port = ports.start as u32 + rng.below(ports.len() as u32);
    let (from, occupant) = (wiring.switch_of(ni), wiring.ni_at(port));
    let allowed = occupant == NONE || from == NONE || !wiring.is_on(problem.owner(occupant), from);
    allowed.then_some(Swap { ni, switch, port })
}

// An NI that serves nothing goes idle: its port is then there for an NI that has use of it, and it goes wherever it is
// wanted. Where a PE has more NIs than it needs, an exchange alone would keep all of them on switches for ever.

/// A random connected NI that may go idle at a cost of at most `limit` links.
#[inline]
pub fn propose_idling(wiring: &Wiring, limit: i64, rng: &mut Rng) -> Option<u32> {
    let ni = rng.below(wiring.problem.nis());
    let idle = wiring.switch_of(ni) != NONE && i64::from(wiring.sole(ni)) <= limit;
    (idle && wiring.allows_idle(ni)).then_some(ni)
}
