//! The common case again: every PE has the same number of NIs and at most 64 partners, and all pairs count the same.
//! Then a PE's NIs are one short row and a set of partners is one machine word.
//!
//! Same draws and results as [`judge_serving`](crate::moves::judge_serving), [`Wiring::delta`] and [`Wiring::apply`], several times
//! as fast.

use super::{Changed, EMPTY, Swap, Wiring, apply::Count};
use crate::problem::NONE;
use spec::random::Rng;

impl Wiring<'_> {
    /// Number of NIs per PE, if this is the common case.
    pub fn fast_nis(&self) -> Option<u32> {
        let graph = &self.problem.graph;
        self.problem.uniform().filter(|_| self.problem.counts_pairs() && graph.max_partners <= 64)
    }

    /// A swap that serves an uncovered pair at a loss of at most `limit`, if one was found.
    #[inline]
    pub fn judge_fast<const NIS: usize>(&self, limit: i32, candidates: u32, rng: &mut Rng) -> Option<Swap> {
        let swap = self.propose_fast::<NIS>(candidates, rng)?;
        (self.delta_fast::<NIS>(&swap, limit) <= limit).then_some(swap)
    }

    /// Applies a swap that was judged before other changes, if it is still possible and loses at most `limit`.
    pub fn retry_fast<const NIS: usize>(&mut self, swap: &Swap, limit: i32) {
        let (pe, from) = (swap.ni / NIS as u32, self.switch[swap.ni as usize]);
        let occupant = self.ni_at[swap.port as usize];
        if self.is_as_judged::<NIS>(swap, from, occupant) {
            return self.apply_fast::<NIS>(swap);
        }
        let fits = !self.is_on_fast::<NIS>(pe, swap.switch)
            && (occupant == NONE || from == NONE || !self.is_on_fast::<NIS>(occupant / NIS as u32, from));
        if fits && self.delta_fast::<NIS>(swap, limit) <= limit {
            self.apply_fast::<NIS>(swap);
        }
    }

    /// `true` if nothing has changed in this batch that the change of a swap depends on.
    fn is_as_judged<const NIS: usize>(&self, swap: &Swap, from: u32, occupant: u32) -> bool {
        let Changed { batch, pes, switches } = &self.changed;
        pes[swap.ni as usize / NIS] != *batch
            && switches[swap.switch as usize] != *batch
            && switches.get(from as usize) != Some(batch)
            && (occupant == NONE || pes[occupant as usize / NIS] != *batch)
    }

    fn propose_fast<const NIS: usize>(&self, candidates: u32, rng: &mut Rng) -> Option<Swap> {
        let pe = self.random_deficient(rng)?;
        let graph = &self.problem.graph;
        let mut missing = graph.full(pe, 0) & !self.any::<NIS>(pe);
        for _ in 0..rng.below(missing.count_ones()) {
            missing &= missing - 1;
        }
        let partner = *graph.partners(pe).get(missing.trailing_zeros() as usize)?;
        let mut switch = self.switch[partner as usize * NIS + rng.below(NIS as u32) as usize];
        if switch == NONE {
            switch = rng.below(self.problem.switches());
        }
        if switch >= self.problem.switches() || self.is_on_fast::<NIS>(pe, switch) {
            return None;
        }
        let ni = match self.problem.rail() {
            None => pe * NIS as u32 + rng.below(NIS as u32),
            Some(rail) => pe * NIS as u32 + rail.plane_of(switch),
        };
        let port = self.cheapest_fast::<NIS>(switch, self.switch[ni as usize], candidates, rng)?;
        Some(Swap { ni, switch, port })
    }

    fn cheapest_fast<const NIS: usize>(
        &self,
        switch: u32,
        from: u32,
        candidates: u32,
        rng: &mut Rng,
    ) -> Option<u32> {
        let ports = self.problem.ports_of(switch);
        let soles = &self.sole_at[ports.clone()];
        let width = soles.len();
        let start = rng.below(width as u32) as usize;
        let (mut least, mut best) = (i32::MAX, None);
        let mut at = start;
        for _ in 0..(candidates as usize).min(width) {
            let loss = soles[at];
            if loss < least {
                let port = ports.start + at;
                if loss == EMPTY {
                    return Some(port as u32);
                }
                if from == NONE || !self.is_on_fast::<NIS>(self.ni_at[port] / NIS as u32, from) {
                    (least, best) = (loss, Some(port as u32));
                }
            }
            at = if at + 1 == width { 0 } else { at + 1 };
        }
        best
    }

    #[inline]
    fn delta_fast<const NIS: usize>(&self, swap: &Swap, limit: i32) -> i32 {
        let (pe, from) = (swap.ni / NIS as u32, self.switch[swap.ni as usize]);
        let occupant = self.ni_at[swap.port as usize];
        let loss = self.sole(swap.ni) as i32;
        if occupant == NONE {
            return loss - self.gain_fast::<NIS>(pe, swap.ni, swap.switch, NONE);
        }
        let other = occupant / NIS as u32;
        let theirs = self.sole_at[swap.port as usize];
        let delta = loss + theirs - self.gain_fast::<NIS>(pe, swap.ni, swap.switch, other);
        // At best, the occupant gains all its missing links and regains what it loses.
        if from == NONE || delta - self.deficit[other as usize] as i32 - theirs > limit {
            return delta;
        }
        delta - self.gain_fast::<NIS>(other, occupant, from, pe)
    }

    /// Pairs that `pe` gains if NI `except` moves to `switch`, ignoring PE `without` there.
    #[inline]
    fn gain_fast<const NIS: usize>(&self, pe: u32, except: u32, switch: u32, without: u32) -> i32 {
        let first = pe as usize * NIS;
        let mut served = 0;
        for ni in first..first + NIS {
            served |= if ni == except as usize { 0 } else { self.met[ni] };
        }
        // A few of its partners are left to look at.
        let mut unserved = self.problem.graph.full(pe, 0) & !served;
        let partners = self.problem.graph.partners(pe);
        let mut gain = 0;
        while unserved != 0 {
            let Some(&partner) = partners.get(unserved.trailing_zeros() as usize) else { break };
            unserved &= unserved - 1;
            gain += i32::from(self.is_on_fast::<NIS>(partner, switch) & (partner != without));
        }
        gain
    }

    /// Partners on a switch.
    #[inline]
    fn partners_there<const NIS: usize>(&self, pe: u32, switch: u32) -> u64 {
        let mut word = 0;
        for (bit, &partner) in self.problem.graph.partners(pe).iter().enumerate() {
            word |= u64::from(self.is_on_fast::<NIS>(partner, switch)) << (bit & 63);
        }
        word
    }

    #[inline]
    fn is_on_fast<const NIS: usize>(&self, pe: u32, switch: u32) -> bool {
        let row = self.switch[pe as usize * NIS..].first_chunk::<NIS>();
        row.is_some_and(|row| row.iter().fold(false, |hit, &s| hit | (s == switch)))
    }

    #[inline]
    fn any<const NIS: usize>(&self, pe: u32) -> u64 {
        let row = self.met[pe as usize * NIS..].first_chunk::<NIS>();
        row.map_or(0, |row| row.iter().fold(0, |any, word| any | word))
    }

    /// Applies a swap.
    pub fn apply_fast<const NIS: usize>(&mut self, swap: &Swap) {
        let (from, place) = (self.switch[swap.ni as usize], self.port[swap.ni as usize]);
        let occupant = self.ni_at[swap.port as usize];
        self.leave_fast::<NIS>(swap.ni);
        if occupant != NONE {
            self.leave_fast::<NIS>(occupant);
        }
        self.clear(swap.port);
        self.clear(place);
        self.put(swap.ni, swap.switch, swap.port);
        self.join_fast::<NIS>(swap.ni);
        if occupant != NONE {
            self.put(occupant, from, place);
            if from != NONE {
                self.join_fast::<NIS>(occupant);
            }
            self.refresh_fast::<NIS>(occupant / NIS as u32);
        }
        self.refresh_fast::<NIS>(swap.ni / NIS as u32);
    }

    fn leave_fast<const NIS: usize>(&mut self, ni: u32) {
        let word = std::mem::take(&mut self.met[ni as usize]);
        self.update_met_fast::<NIS>(ni, word, false);
        self.switch_changes(self.switch[ni as usize]);
        self.switch[ni as usize] = NONE;
        self.port[ni as usize] = NONE;
    }

    fn join_fast<const NIS: usize>(&mut self, ni: u32) {
        let word = self.partners_there::<NIS>(ni / NIS as u32, self.switch[ni as usize]);
        self.switch_changes(self.switch[ni as usize]);
        self.met[ni as usize] = word;
        self.update_met_fast::<NIS>(ni, word, true);
    }

    fn update_met_fast<const NIS: usize>(&mut self, ni: u32, mut word: u64, here: bool) {
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
                self.count_meeting::<NIS>(other, k, mask, here);
            }
        }
    }

    /// Counts a partner that NI `k` of a PE now meets, or no longer meets.
    #[inline]
    fn count_meeting<const NIS: usize>(&mut self, pe: u32, k: usize, partner: u64, here: bool) {
        self.pe_changes(pe);
        let first = pe as usize * NIS;
        let meets = |&j: &usize| j != k && self.met[first + j] & partner != 0;
        let mut others = (0..NIS).filter(meets);
        let by = if here { 1 } else { -1 };
        match (others.next(), others.next()) {
            (None, _) => {
                self.sole_at[self.port[first + k] as usize] += by;
                let open = self.open[pe as usize].wrapping_add_signed(-by);
                self.record(pe, &Count { open, uncovered: open, deficit: open });
            }
            (Some(other), None) => self.sole_at[self.port[first + other] as usize] -= by,
            _ => {}
        }
    }

    fn refresh_fast<const NIS: usize>(&mut self, pe: u32) {
        self.pe_changes(pe);
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
            self.record(pe, &Count { open, uncovered: open, deficit: open });
        }
    }
}
