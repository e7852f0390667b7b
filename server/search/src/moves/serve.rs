//! The move that does the work: serve an uncovered pair.
//!
//! A random PE with an uncovered pair, one of the partners it misses, one of that partner's switches: an NI of the PE
//! moves there and takes the port of the occupant that loses least, of a sample of neighbouring ports. Looking at the
//! sample costs a table look-up each; only the chosen trade is evaluated exactly. Taking uncovered pairs and the best
//! of about 14 was by far the strongest of the moves tried.

use crate::{
    dice::Dice,
    problem::NONE,
    wiring::{Trade, Wiring},
};

/// A trade that would put a PE of an uncovered pair on a switch of the other, if one was found.
#[inline]
pub fn propose(wiring: &Wiring, candidates: u32, dice: &mut Dice) -> Option<Trade> {
    let pe = wiring.troubled(dice)?;
    let partner = wiring.missing_partner(pe, dice)?;
    let problem = wiring.problem;
    let theirs = problem.nis_of(partner);
    let ni = theirs.start as u32 + dice.below(theirs.len() as u32);
    let mut switch = wiring.switch_of(ni);
    if switch == NONE {
        switch = dice.below(problem.switches());
    }
    if switch >= problem.switches() || wiring.is_on(pe, switch) {
        return None;
    }
    let own = problem.nis_of(pe);
    let ni = own.start as u32 + dice.below(own.len() as u32);
    let port = cheapest_port(wiring, switch, wiring.switch_of(ni), candidates, dice)?;
    Some(Trade { ni, switch, port })
}

/// The port of `switch`, of a sample, whose occupant loses least and may go to switch `from`.
#[inline]
pub fn cheapest_port(
    wiring: &Wiring,
    switch: u32,
    from: u32,
    candidates: u32,
    dice: &mut Dice,
) -> Option<u32> {
    let ports = wiring.problem.ports_of(switch);
    let width = ports.len() as u32;
    let start = dice.below(width);
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
