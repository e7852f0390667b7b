//! What a change of cables must leave alone: placements, and a wiring that may change only so far.

use crate::{
    problem::NONE,
    wiring::{Trade, Wiring},
};
use shared::spec::{Placement, Spec};

/// The constraints of a spec, switches numbered as in the search.
pub struct Rules<'a> {
    spec: &'a Spec,
    /// The spec's number of each switch.
    names: &'a [u32],
    /// For each PE that a placement names, the placement; ascending.
    placed: Vec<(u32, u32)>,
    /// The cables that were there, PE and the spec's switch, ascending; empty unless moves are limited.
    old: Vec<(u32, u32)>,
    /// Cables that may yet be moved.
    left: Option<i64>,
}

impl<'a> Rules<'a> {
    /// The constraints that a wiring is to keep. `None` where no cable may be changed.
    pub fn new(spec: &'a Spec, names: &'a [u32], wiring: &Wiring) -> Option<Rules<'a>> {
        let start = spec.start.as_ref();
        if start.is_some_and(|start| start.renumber) {
            return None;
        }
        let number = |placement: &Placement| placement.pes.clone();
        let mut placed: Vec<(u32, u32)> = (0..)
            .zip(&spec.placements)
            .flat_map(|(index, placement)| number(placement).into_iter().map(move |pe| (pe, index)))
            .collect();
        placed.sort_unstable();
        let mut rules = Rules { spec, names, placed, old: Vec::new(), left: None };
        if let Some(start) = start
            && let Some(allowed) = start.moves
        {
            let lines = (0u32..).zip(start.switches.iter());
            rules.old = lines.flat_map(|(switch, pes)| pes.iter().map(move |&pe| (pe, switch))).collect();
            rules.old.sort_unstable();
            let stay = (0..wiring.problem.nis())
                .filter(|&ni| rules.was(wiring.problem.owner(ni), wiring.switch_of(ni)))
                .count();
            rules.left = Some(i64::from(allowed) - (rules.old.len() - stay) as i64);
        }
        Some(rules)
    }

    /// Whether a switch may take the part of another of its kind.
    pub fn interchangeable(&self) -> bool {
        self.spec.placements.is_empty() && self.spec.kept.is_empty() && self.spec.start.is_none()
    }

    /// Whether a PE may leave a switch for another.
    pub fn allow(&self, pe: u32, from: u32, to: u32) -> bool {
        let (from, to) = (self.names[from as usize], self.names[to as usize]);
        let first = self.placed.partition_point(|&(placed, _)| placed < pe);
        self.placed[first..].iter().take_while(|&&(placed, _)| placed == pe).all(|&(_, index)| {
            let placement = &self.spec.placements[index as usize];
            let named = if placement.on { from } else { to };
            placement.switches.binary_search(&named).is_err()
        })
    }

    /// Whether the cables that a trade moves are within what may be moved.
    pub fn affords(&self, wiring: &Wiring, trade: &Trade) -> bool {
        self.left.is_none_or(|left| self.moved(wiring, trade) <= left.max(0))
    }

    /// Notes a trade that is about to be carried out.
    pub fn note(&mut self, wiring: &Wiring, trade: &Trade) {
        if let Some(left) = self.left {
            self.left = Some(left - self.moved(wiring, trade));
        }
    }

    /// Cables of the wiring that was there that a trade takes away, less those it puts back.
    fn moved(&self, wiring: &Wiring, trade: &Trade) -> i64 {
        let one = |ni: u32, to: u32| {
            let (pe, from) = (wiring.problem.owner(ni), wiring.switch_of(ni));
            i64::from(self.was(pe, from)) - i64::from(self.was(pe, to))
        };
        let occupant = wiring.ni_at(trade.port);
        let other = if occupant == NONE { 0 } else { one(occupant, wiring.switch_of(trade.ni)) };
        one(trade.ni, trade.switch) + other
    }

    fn was(&self, pe: u32, switch: u32) -> bool {
        switch != NONE && self.old.binary_search(&(pe, self.names[switch as usize])).is_ok()
    }
}
