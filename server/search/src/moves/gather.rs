//! Both PEs of an uncovered pair move to a third switch.
//!
//! [`serve`](super::serve) brings one to a switch of the other, which fails where both sit on switches with no room for
//! one more: a switch of one port, or one whose occupants all lose too much. Two trades in a row, judged together, go
//! around that. The switch is one that a partner of the two sits on, or a random one.

use super::serve::cheapest_port;
use crate::{
    dice::Dice,
    problem::NONE,
    wiring::{Back, Trade, Wiring},
};

/// The links that the second trade is hoped to gain: a first trade that loses more than this above the limit is not tried.
const HOPE: f64 = 4.0;

/// Moves both PEs of an uncovered pair to a third switch if that loses at most `limit` links in all.
pub fn attempt(wiring: &mut Wiring, limit: i64, candidates: u32, dice: &mut Dice) {
    let Some((pe, partner)) =
        wiring.troubled(dice).and_then(|pe| Some((pe, wiring.missing_partner(pe, dice)?)))
    else {
        return;
    };
    let switch = third_switch(wiring, [pe, partner], dice);
    let Some(first) = trade_to(wiring, pe, switch, candidates, dice) else { return };
    let most = limit.saturating_add((HOPE * wiring.problem.graph.scale()) as i64);
    let loss = wiring.delta(&first, most);
    if loss > most {
        return;
    }
    let back = Back::of(wiring, &first);
    wiring.apply(&first);
    match trade_to(wiring, partner, switch, candidates, dice) {
        Some(second) if wiring.delta(&second, limit - loss) <= limit - loss => wiring.apply(&second),
        _ => back.apply(wiring),
    }
}

/// A switch of another partner of one of the two, or a random one.
fn third_switch(wiring: &Wiring, pair: [u32; 2], dice: &mut Dice) -> u32 {
    let problem = wiring.problem;
    let anywhere = dice.below(problem.switches());
    let &member = dice.pick(&pair).unwrap_or(&pair[0]);
    if dice.chance(500) {
        return anywhere;
    }
    let other = dice.pick(problem.graph.partners(member)).copied().unwrap_or(member);
    let theirs = problem.nis_of(other);
    let switch = wiring.switch_of(theirs.start as u32 + dice.below(theirs.len() as u32));
    if switch == NONE { anywhere } else { switch }
}

/// A trade that puts a PE on a switch, if it is not there yet.
fn trade_to(wiring: &Wiring, pe: u32, switch: u32, candidates: u32, dice: &mut Dice) -> Option<Trade> {
    if switch >= wiring.problem.switches() || wiring.is_on(pe, switch) {
        return None;
    }
    let own = wiring.problem.nis_of(pe);
    let ni = own.start as u32 + dice.below(own.len() as u32);
    let port = cheapest_port(wiring, switch, wiring.switch_of(ni), candidates, dice)?;
    Some(Trade { ni, switch, port })
}
