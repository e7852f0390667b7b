//! The common case once more: every PE has the same number of NIs, at most 64 partners, and all pairs count the same. A
//! PE's NIs are then one short row, a set of partners is one machine word, and nothing has to be looked up to know where.
//!
//! The same moves with the same meaning as [`serve`](crate::moves::propose_serving), [`Wiring::delta`] and [`Wiring::apply`]; only
//! the speed differs.

use super::{EMPTY, Trade, Wiring, apply::Count};
use crate::{dice::Dice, problem::NONE};

impl Wiring<'_> {
    /// NIs of every PE if this case is the common one.
    pub fn lean(&self) -> Option<u32> {
        let graph = &self.problem.graph;
        self.problem.uniform().filter(|_| self.problem.counts_pairs() && graph.most_partners() <= 64)
    }

    /// Tries to serve an uncovered pair at a loss of at most `limit`.
    #[inline]
    pub fn serve_lean<const NIS: usize>(&mut self, limit: i32, candidates: u32, dice: &mut Dice) {
        let Some(trade) = self.propose_lean::<NIS>(candidates, dice) else { return };
        if self.delta_lean::<NIS>(&trade, limit) <= limit {
            self.apply_lean::<NIS>(&trade);
        }
    }

    fn propose_lean<const NIS: usize>(&self, candidates: u32, dice: &mut Dice) -> Option<Trade> {
        let pe = *self.troubled.get(dice.below(self.troubled.len() as u32) as usize)?;
        let graph = &self.problem.graph;
        let mut missing = graph.full(pe, 0) & !self.any::<NIS>(pe);
        for _ in 0..dice.below(missing.count_ones()) {
            missing &= missing - 1;
        }
        let partner = *graph.partners(pe).get(missing.trailing_zeros() as usize)?;
        let mut switch = self.switch[partner as usize * NIS + dice.below(NIS as u32) as usize];
        if switch == NONE {
            switch = dice.below(self.problem.switches());
        }
        if switch >= self.problem.switches() || self.stands_on::<NIS>(pe, switch) {
            return None;
        }
        let ni = pe * NIS as u32 + dice.below(NIS as u32);
        let port = self.cheapest_lean::<NIS>(switch, self.switch[ni as usize], candidates, dice)?;
        Some(Trade { ni, switch, port })
    }

    fn cheapest_lean<const NIS: usize>(
        &self,
        switch: u32,
        from: u32,
        candidates: u32,
        dice: &mut Dice,
    ) -> Option<u32> {
        let ports = self.problem.ports_of(switch);
        let soles = &self.sole_at[ports.clone()];
        let width = soles.len();
        let start = dice.below(width as u32) as usize;
        let (mut least, mut best) = (i32::MAX, None);
        let mut at = start;
        for _ in 0..(candidates as usize).min(width) {
            let loss = soles[at];
            if loss < least {
                let port = ports.start + at;
                if loss == EMPTY {
                    return Some(port as u32);
                }
                if from == NONE || !self.stands_on::<NIS>(self.ni_at[port] / NIS as u32, from) {
                    (least, best) = (loss, Some(port as u32));
                }
            }
            at = if at + 1 == width { 0 } else { at + 1 };
        }
        best
    }

    #[inline]
    fn delta_lean<const NIS: usize>(&self, trade: &Trade, limit: i32) -> i32 {
        let (pe, from) = (trade.ni / NIS as u32, self.switch[trade.ni as usize]);
        let occupant = self.ni_at[trade.port as usize];
        let loss = self.sole(trade.ni) as i32;
        if occupant == NONE {
            return loss - self.gain_lean::<NIS>(pe, trade.ni, trade.switch, NONE);
        }
        let other = occupant / NIS as u32;
        let theirs = self.sole_at[trade.port as usize];
        let delta = loss + theirs - self.gain_lean::<NIS>(pe, trade.ni, trade.switch, other);
        // The occupant can at best gain what its pairs lack and win back what it gives up.
        if from == NONE || delta - self.lack[other as usize] as i32 - theirs > limit {
            return delta;
        }
        delta - self.gain_lean::<NIS>(other, occupant, from, pe)
    }

    /// Pairs that `pe` would gain on `switch` in place of NI `except`, `without` one other PE there.
    #[inline]
    fn gain_lean<const NIS: usize>(&self, pe: u32, except: u32, switch: u32, without: u32) -> i32 {
        let first = pe as usize * NIS;
        let mut served = 0;
        for ni in first..first + NIS {
            served |= if ni == except as usize { 0 } else { self.met[ni] };
        }
        let there = self.there::<NIS>(pe, switch, without);
        (there & !served).count_ones() as i32
    }

    /// Partners on a switch, one PE apart.
    #[inline]
    fn there<const NIS: usize>(&self, pe: u32, switch: u32, without: u32) -> u64 {
        let mut word = 0;
        for (bit, &partner) in self.problem.graph.partners(pe).iter().enumerate() {
            let hit = self.stands_on::<NIS>(partner, switch) & (partner != without);
            word |= u64::from(hit) << (bit & 63);
        }
        word
    }

    #[inline]
    fn stands_on<const NIS: usize>(&self, pe: u32, switch: u32) -> bool {
        let row = self.switch[pe as usize * NIS..].first_chunk::<NIS>();
        row.is_some_and(|row| row.iter().fold(false, |hit, &s| hit | (s == switch)))
    }

    #[inline]
    fn any<const NIS: usize>(&self, pe: u32) -> u64 {
        let row = self.met[pe as usize * NIS..].first_chunk::<NIS>();
        row.map_or(0, |row| row.iter().fold(0, |any, word| any | word))
    }

    fn apply_lean<const NIS: usize>(&mut self, trade: &Trade) {
        let (from, place) = (self.switch[trade.ni as usize], self.port[trade.ni as usize]);
        let occupant = self.ni_at[trade.port as usize];
        self.leave_lean::<NIS>(trade.ni);
        if occupant != NONE {
            self.leave_lean::<NIS>(occupant);
        }
        self.clear(trade.port);
        self.clear(place);
        self.put(trade.ni, trade.switch, trade.port);
        self.join_lean::<NIS>(trade.ni);
        if occupant != NONE {
            self.put(occupant, from, place);
            if from != NONE {
                self.join_lean::<NIS>(occupant);
            }
            self.refresh_lean::<NIS>(occupant / NIS as u32);
        }
        self.refresh_lean::<NIS>(trade.ni / NIS as u32);
    }

    fn leave_lean<const NIS: usize>(&mut self, ni: u32) {
        let word = std::mem::take(&mut self.met[ni as usize]);
        self.tell_lean::<NIS>(ni, word, false);
        self.switch[ni as usize] = NONE;
        self.port[ni as usize] = NONE;
    }

    fn join_lean<const NIS: usize>(&mut self, ni: u32) {
        let word = self.there::<NIS>(ni / NIS as u32, self.switch[ni as usize], NONE);
        self.met[ni as usize] = word;
        self.tell_lean::<NIS>(ni, word, true);
    }

    fn tell_lean<const NIS: usize>(&mut self, ni: u32, mut word: u64, here: bool) {
        let (pe, switch) = (ni / NIS as u32, self.switch[ni as usize]);
        let problem = self.problem;
        let (partners, mirrors) = (problem.graph.partners(pe), problem.graph.mirrors(pe));
        while word != 0 {
            let bit = word.trailing_zeros() as usize;
            word &= word - 1;
            let other = partners[bit];
            let mask = 1u64 << (mirrors[bit] & 63);
            let first = other as usize * NIS;
            if let Some(k) = (0..NIS).find(|&k| self.switch[first + k] == switch) {
                let met = &mut self.met[first + k];
                *met = if here { *met | mask } else { *met & !mask };
                self.refresh_lean::<NIS>(other);
            }
        }
    }

    fn refresh_lean<const NIS: usize>(&mut self, pe: u32) {
        let first = pe as usize * NIS;
        let (mut any, mut twice) = (0u64, 0u64);
        for &word in &self.met[first..first + NIS] {
            twice |= any & word;
            any |= word;
        }
        for ni in first..first + NIS {
            let port = self.port[ni];
            if port != NONE {
                self.sole_at[port as usize] = (self.met[ni] & !twice).count_ones() as i32;
            }
        }
        let open = (self.problem.graph.full(pe, 0) & !any).count_ones();
        if open != self.open[pe as usize] {
            self.record(pe, &Count { open, bare: open, lack: open });
        }
    }
}
