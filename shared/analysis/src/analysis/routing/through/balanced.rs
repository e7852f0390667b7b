//! The whole table of a small design, with the load spread over the intermediaries.
//!
//! Pairs with one intermediary go first, both directions at once, each to the candidate with the least load. Later passes remove
//! each pair's load and choose again: the incremental rebalancing of Mattox 2006 with the loads known. Routes with more
//! intermediaries follow by ascending distance; each adds its load to every PE on its way.

use super::{
    WorkingDesign,
    search::{Costs, FAR, Search},
};
use crate::cancel::checked;

/// Passes over the pairs with one intermediary. More of them change almost nothing.
const PASSES: usize = 4;

/// The next PE from each PE (row) to each destination (column); [`FAR`] with a shared switch or without a route.
pub(super) fn table(working: &WorkingDesign, costs: &Costs) -> Vec<u32> {
    let pes = working.design().pes() as usize;
    let mut table = Table { working, costs, pes, next: vec![FAR; pes * pes], load: vec![0; pes] };
    let mut search = Search::new(working);
    for _ in 0..PASSES {
        for pe in 0..pes as u32 {
            search.run(working, pe);
            table.choose_one(&search, pe);
        }
    }
    for dest in checked(0..pes as u32) {
        search.run(working, dest);
        table.choose_more(&search, dest);
    }
    table.next
}

struct Table<'a> {
    working: &'a WorkingDesign,
    costs: &'a Costs,
    pes: usize,
    next: Vec<u32>,
    load: Vec<u64>,
}

impl Table<'_> {
    /// Routes the pairs of a PE with higher ones at one intermediary.
    fn choose_one(&mut self, search: &Search, pe: u32) {
        let two = search.order().iter().filter(|&&other| other > pe && search.distance(other) == 2);
        for &other in two {
            let (there, back) = (self.at(pe, other), self.at(other, pe));
            if let Some(load) = self.load.get_mut(self.next[there] as usize) {
                *load -= 2;
            }
            if let Some(best) = self.least(search, other, pe) {
                self.load[best as usize] += 2;
                (self.next[there], self.next[back]) = (best, best);
            }
        }
    }

    /// Routes from all PEs to a destination at several intermediaries.
    fn choose_more(&mut self, search: &Search, dest: u32) {
        for &pe in search.order().iter().filter(|&&pe| search.distance(pe) > 2) {
            let Some(best) = self.least(search, pe, dest) else { continue };
            let at = self.at(pe, dest);
            self.next[at] = best;
            let mut on_way = best;
            while on_way != FAR {
                self.load[on_way as usize] += 1;
                on_way = self.next[self.at(on_way, dest)];
            }
        }
    }

    /// The neighbour of `pe` nearer to the start of the search with the least load.
    fn least(&self, search: &Search, pe: u32, began: u32) -> Option<u32> {
        search.nearer(self.working, pe, |candidate| {
            (self.load[candidate as usize], self.costs.key(pe, began, candidate))
        })
    }

    fn at(&self, pe: u32, dest: u32) -> usize {
        pe as usize * self.pes + dest as usize
    }
}
