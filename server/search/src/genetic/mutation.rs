//! The LCPC paper's two mutations (section 2.2), both closed: exchanges of single connections between random places, and
//! exchanges of all connections of two PEs, that is, of their numbers.

use crate::{
    dice::Dice,
    moves::swap,
    problem::NONE,
    wiring::{Trade, Wiring},
};

/// Applies one of the two a random number of times, on at most about a share of 1 in `part` of the places. Returns how
/// many exchanges it tried.
pub fn mutate(wiring: &mut Wiring, part: u32, dice: &mut Dice) -> u64 {
    let problem = wiring.problem;
    if dice.chance(500) {
        let times = 1 + dice.below(problem.nis() / part);
        exchange_connections(wiring, times, dice);
        u64::from(times)
    } else {
        let times = 1 + dice.below(problem.pes() / part);
        for _ in 0..times {
            let (a, b) = (dice.below(problem.pes()), dice.below(problem.pes()));
            exchange_pes(wiring, a, b);
        }
        u64::from(times)
    }
}

/// The first mutation: tries so many exchanges of single connections.
pub fn exchange_connections(wiring: &mut Wiring, times: u32, dice: &mut Dice) {
    for _ in 0..times {
        if let Some(trade) = swap::propose(wiring, dice) {
            attempt(wiring, &trade);
        }
    }
}

/// Carries a trade out if it keeps the rules.
fn attempt(wiring: &mut Wiring, trade: &Trade) {
    if wiring.may(trade) {
        wiring.apply(trade);
    }
}

/// The second mutation: two PEs exchange all connections that only one of them has. If they have different numbers of
/// NIs, the one with more keeps what the other cannot take.
pub fn exchange_pes(wiring: &mut Wiring, a: u32, b: u32) {
    let problem = wiring.problem;
    if a == b {
        return;
    }
    let own = |wiring: &Wiring, pe: u32, other: u32| -> Vec<u32> {
        let apart = |ni: &usize| {
            wiring.switch_of(*ni as u32) == NONE || !wiring.is_on(other, wiring.switch_of(*ni as u32))
        };
        problem.nis_of(pe).filter(apart).map(|ni| ni as u32).collect()
    };
    for (x, y) in own(wiring, a, b).into_iter().zip(own(wiring, b, a)) {
        let (from, to) = (wiring.switch_of(x), wiring.switch_of(y));
        if to != NONE {
            attempt(wiring, &Trade { ni: x, switch: to, port: wiring.port_of(y) });
        } else if from != NONE {
            attempt(wiring, &Trade { ni: y, switch: from, port: wiring.port_of(x) });
        }
    }
}
