//! A random NI with a random port anywhere: the papers' first mutation as a move. It has no aim; as one move in many it
//! takes wirings sideways where every aimed move is blocked.

use crate::{
    dice::Dice,
    problem::NONE,
    wiring::{Trade, Wiring},
};

/// A trade between random places, if it is allowed.
pub fn propose(wiring: &Wiring, dice: &mut Dice) -> Option<Trade> {
    let problem = wiring.problem;
    let (ni, switch) = (dice.below(problem.nis()), dice.below(problem.switches()));
    let ports = problem.ports_of(switch);
    if ports.is_empty() || wiring.is_on(problem.owner(ni), switch) {
        return None;
    }
    let port = ports.start as u32 + dice.below(ports.len() as u32);
    let (from, occupant) = (wiring.switch_of(ni), wiring.ni_at(port));
    let allowed = occupant == NONE || from == NONE || !wiring.is_on(problem.owner(occupant), from);
    allowed.then_some(Trade { ni, switch, port })
}
