//! Applying a change to a wiring.

use super::{EMPTY, Swap, Wiring};
use crate::problem::NONE;
use spec::cancel::check;

/// Missing links of one PE's pairs.
#[derive(Default)]
pub(super) struct Count {
    /// Pairs with missing links.
    pub(super) open: u32,
    /// Pairs with required links missing.
    pub(super) uncovered: u32,
    /// Value of the missing links.
    pub(super) deficit: u32,
}

impl Wiring<'_> {
    /// Applies a swap.
    pub fn apply(&mut self, swap: &Swap) {
        let (from, place) = (self.switch[swap.ni as usize], self.port[swap.ni as usize]);
        let occupant = self.ni_at[swap.port as usize];
        self.leave(swap.ni);
        if occupant != NONE {
            self.leave(occupant);
        }
        self.clear(swap.port);
        self.clear(place);
        self.put(swap.ni, swap.switch, swap.port);
        self.join(swap.ni);
        if occupant != NONE {
            self.put(occupant, from, place);
            self.join(occupant);
            self.refresh(self.problem.owner(occupant));
        }
        self.refresh(self.problem.owner(swap.ni));
    }

    /// Disconnects an NI. Costs [`Wiring::sole`].
    pub fn disconnect(&mut self, ni: u32) {
        let port = self.port[ni as usize];
        if port != NONE {
            self.leave(ni);
            self.clear(port);
            self.refresh(self.problem.owner(ni));
        }
    }

    /// Notes that a switch gains or loses an NI.
    #[inline]
    pub(super) fn switch_changes(&mut self, switch: u32) {
        if let Some(stamp) = self.changed.switches.get_mut(switch as usize) {
            *stamp = self.changed.batch;
        }
    }

    /// Notes that a PE moves or meets other partners.
    #[inline]
    pub(super) fn pe_changes(&mut self, pe: u32) {
        self.changed.pes[pe as usize] = self.changed.batch;
    }

    pub(super) fn clear(&mut self, port: u32) {
        if port != NONE {
            self.ni_at[port as usize] = NONE;
            self.sole_at[port as usize] = EMPTY;
        }
    }

    /// Counts a cable of the start wiring that moves (+1) or returns (-1).
    fn count_move(&mut self, ni: u32, by: i32) {
        if let Some(rules) = self.problem.rules()
            && rules.is_original(self.problem.owner(ni), self.switch[ni as usize])
        {
            self.moved = self.moved.saturating_add_signed(by);
        }
    }

    /// Takes an NI off its switch.
    fn leave(&mut self, ni: u32) {
        self.count_move(ni, 1);
        for (w, at) in self.problem.words_of(ni as usize).enumerate() {
            let word = std::mem::take(&mut self.met[at]);
            self.update_met(ni, w, word, false);
        }
        self.switch_changes(self.switch[ni as usize]);
        self.switch[ni as usize] = NONE;
        self.port[ni as usize] = NONE;
    }

    /// Records the partners on an NI's new switch.
    fn join(&mut self, ni: u32) {
        let (pe, switch) = (self.problem.owner(ni), self.switch[ni as usize]);
        if switch == NONE {
            return;
        }
        self.count_move(ni, -1);
        self.switch_changes(switch);
        for (w, at) in self.problem.words_of(ni as usize).enumerate() {
            let word = self.partners_on(pe, w, switch);
            self.met[at] = word;
            self.update_met(ni, w, word, true);
        }
    }

    /// Sets or clears the bit of an NI's PE at the partners in word `w` that are on the NI's switch.
    fn update_met(&mut self, ni: u32, w: usize, mut word: u64, here: bool) {
        let (pe, switch) = (self.problem.owner(ni), self.switch[ni as usize]);
        if word != 0 {
            check();
        }
        while word != 0 {
            let bit = w * 64 + word.trailing_zeros() as usize;
            word &= word - 1;
            let other = self.problem.graph.partners(pe)[bit];
            let mirror = self.problem.graph.mirrors(pe)[bit] as usize;
            let nis = self.problem.nis_of(other);
            if let Some(theirs) = nis.clone().find(|&n| self.switch[n] == switch) {
                let at = self.problem.words_of(theirs).start + mirror / 64;
                let mask = 1 << (mirror % 64);
                self.met[at] = if here { self.met[at] | mask } else { self.met[at] & !mask };
                self.refresh(other);
            }
        }
    }

    /// Recounts the links that a PE's NIs provide and its pairs lack.
    pub(super) fn refresh(&mut self, pe: u32) {
        self.pe_changes(pe);
        let plain = self.problem.graph.levels() == 1 && !self.problem.graph.weighted();
        let count = if plain { self.count(pe) } else { self.count_values(pe) };
        self.record(pe, &count);
    }

    /// Stores the recount of a PE.
    #[inline]
    pub(super) fn record(&mut self, pe: u32, count: &Count) {
        let p = pe as usize;
        self.uncovered_total =
            self.uncovered_total + u64::from(count.uncovered) - u64::from(self.uncovered[p]);
        self.deficit_total = self.deficit_total + u64::from(count.deficit) - u64::from(self.deficit[p]);
        (self.open[p], self.uncovered[p], self.deficit[p]) = (count.open, count.uncovered, count.deficit);
        self.deficient.set(pe, count.open > 0);
    }

    fn count(&mut self, pe: u32) -> Count {
        let (nis, words) = (self.problem.nis_of(pe), self.problem.graph.words(pe));
        let first = self.problem.words_of(nis.start).start;
        let mut open = 0;
        self.forget_soles(nis.clone());
        for w in 0..words {
            let (mut any, mut twice) = (0u64, 0u64);
            for k in 0..nis.len() {
                let word = self.met[first + k * words + w];
                twice |= any & word;
                any |= word;
            }
            for k in 0..nis.len() {
                let alone = (self.met[first + k * words + w] & !twice).count_ones();
                self.add_sole(nis.start + k, alone);
            }
            open += (self.problem.graph.full(pe, w) & !any).count_ones();
        }
        Count { open, uncovered: open, deficit: open }
    }

    fn count_values(&mut self, pe: u32) -> Count {
        let nis = self.problem.nis_of(pe);
        let graph = &self.problem.graph;
        let mut count = Count::default();
        self.forget_soles(nis.clone());
        for w in 0..graph.words(pe) {
            for ni in nis.clone() {
                let word = self.met[self.problem.words_of(ni).start + w];
                let alone = self.worth(pe, w, word, ni);
                self.add_sole(ni, alone);
            }
            let (mut open, mut uncovered) = (0, 0);
            for (l, reached) in self.levels(pe, w, usize::MAX).into_iter().enumerate() {
                let mut missing = graph.wanting(pe, w, l + 1) & !reached;
                open |= missing;
                uncovered |= graph.requiring(pe, w, l + 1) & !reached;
                if !graph.weighted() {
                    count.deficit += missing.count_ones();
                    continue;
                }
                while missing != 0 {
                    count.deficit += graph.value(pe, w * 64 + missing.trailing_zeros() as usize, l + 1);
                    missing &= missing - 1;
                }
            }
            count.open += open.count_ones();
            count.uncovered += uncovered.count_ones();
        }
        count
    }

    fn forget_soles(&mut self, nis: std::ops::Range<usize>) {
        for ni in nis {
            if self.port[ni] != NONE {
                self.sole_at[self.port[ni] as usize] = 0;
            }
        }
    }

    fn add_sole(&mut self, ni: usize, more: u32) {
        if self.port[ni] != NONE {
            self.sole_at[self.port[ni] as usize] += more as i32;
        }
    }
}
