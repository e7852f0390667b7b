//! An NI that serves nothing goes idle: its port is then there for an NI that has use of it, and it goes wherever it is
//! wanted. Where a PE has more NIs than it needs, an exchange alone would keep all of them on switches for ever.

use crate::{dice::Dice, problem::NONE, wiring::Wiring};

/// A random connected NI that may go idle at a cost of at most `limit` links.
#[inline]
pub fn propose(wiring: &Wiring, limit: i64, dice: &mut Dice) -> Option<u32> {
    let ni = dice.below(wiring.problem.nis());
    let idle = wiring.switch_of(ni) != NONE && i64::from(wiring.sole(ni)) <= limit;
    (idle && wiring.may_disconnect(ni)).then_some(ni)
}
