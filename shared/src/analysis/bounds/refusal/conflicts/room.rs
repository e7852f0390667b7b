//! Where PEs may and must be, followed to its end.
//!
//! Each PE has the switches that it may be on and those that it must be on. Placements say the first of it; the rest follows
//! by three rules, applied until none says more:
//!
//! * a switch that must hold as many PEs as it has ports takes no other;
//! * a PE that must be on as many switches as it has NIs may be on no other;
//! * a pair that may share no more switches than it wants must share all of these.
//!
//! What is told in vain by then is impossible. Every step is kept, so that the placements behind a contradiction can be
//! named.

use super::placed::Placed;
use crate::demand::Demand;

/// Most bits of all PEs' switches.
const MOST_BITS: usize = 1 << 27;
/// Most words of switches that are looked at; what would follow after that is not proved.
const MOST_WORK: usize = 1 << 28;

/// The switches of every PE, a bit each.
pub(super) struct Rows {
    words: usize,
    bits: Vec<u64>,
}

impl Rows {
    fn new(pes: usize, switches: usize) -> Rows {
        let words = switches.div_ceil(64);
        Rows { words, bits: vec![0; pes * words] }
    }

    pub(super) fn of(&self, pe: u32) -> &[u64] {
        &self.bits[pe as usize * self.words..][..self.words]
    }

    fn of_mut(&mut self, pe: u32) -> &mut [u64] {
        &mut self.bits[pe as usize * self.words..][..self.words]
    }

    pub(super) fn has(&self, pe: u32, switch: u32) -> bool {
        self.of(pe)[switch as usize / 64] >> (switch % 64) & 1 == 1
    }

    fn set(&mut self, pe: u32, switch: u32, to: bool) {
        let word = &mut self.of_mut(pe)[switch as usize / 64];
        *word = *word & !(1 << (switch % 64)) | u64::from(to) << (switch % 64);
    }

    pub(super) fn count(&self, pe: u32) -> u32 {
        self.of(pe).iter().map(|word| word.count_ones()).sum()
    }

    /// The switches that both rows have.
    pub(super) fn common(&self, a: u32, b: u32) -> impl Iterator<Item = u64> + '_ {
        self.of(a).iter().zip(self.of(b)).map(|(a, b)| a & b)
    }
}

/// The numbers of the bits of a row.
pub(super) fn numbers(row: impl IntoIterator<Item = u64>) -> Vec<u32> {
    let of_word = |(index, word): (usize, u64)| {
        (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| index as u32 * 64 + bit)
    };
    row.into_iter().enumerate().flat_map(of_word).collect()
}

/// What followed from what was told before.
pub(super) enum Step {
    /// A switch is full with these PEs.
    Full { switch: u32, pes: Vec<u32> },
    /// A PE's NIs are all on these switches.
    Taken { pe: u32, switches: Vec<u32> },
    /// A pair may share these switches alone, and wants them all.
    Forced { pair: usize, switches: Vec<u32> },
}

/// What cannot be.
pub(super) enum Clash {
    /// More PEs must be on a switch than it has ports.
    Crowded { switch: u32, pes: Vec<u32> },
    /// A PE must be on more switches than it has NIs.
    Busy { pe: u32, switches: Vec<u32> },
    /// A pair may share only these switches, and wants more.
    Apart { pair: usize, switches: Vec<u32> },
}

/// Where PEs may and must be.
pub(super) struct Room<'a> {
    pub(super) placed: &'a Placed<'a>,
    pub(super) demand: &'a Demand,
    pub(super) may: Rows,
    pub(super) must: Rows,
    /// PEs that must be on each switch.
    pub(super) held: Vec<u32>,
    pub(super) steps: Vec<Step>,
    /// The steps that took a switch, or a PE, out of choice.
    pub(super) full: Vec<Option<usize>>,
    pub(super) taken: Vec<Option<usize>>,
    work: usize,
}

impl<'a> Room<'a> {
    /// What the placements say, none of them contrary to another. `None` if that is too much to look at.
    pub(super) fn of(placed: &'a Placed<'a>, demand: &'a Demand) -> Option<Room<'a>> {
        let (pes, switches) = (placed.nis.len(), placed.usable.len());
        if pes.saturating_mul(switches.next_multiple_of(64)) > MOST_BITS {
            return None;
        }
        let mut may = Rows::new(pes, switches);
        let mut must = Rows::new(pes, switches);
        for pe in 0..pes as u32 {
            (0..switches as u32).for_each(|switch| may.set(pe, switch, true));
        }
        for &(pe, off) in &placed.off {
            let named = placed.spec.placements[off].switches.iter();
            named.filter(|&&switch| (switch as usize) < switches).for_each(|&s| may.set(pe, s, false));
        }
        let mut held = vec![0; switches];
        for place in &placed.on {
            held[place.switch as usize] += u32::from(!must.has(place.pe, place.switch));
            must.set(place.pe, place.switch, true);
        }
        let (full, taken) = (vec![None; switches], vec![None; pes]);
        Some(Room { placed, demand, may, must, held, steps: Vec::new(), full, taken, work: MOST_WORK })
    }

    /// Applies the rules until none says more, or it takes too long.
    pub(super) fn follow(&mut self) -> Result<(), Clash> {
        loop {
            let before = self.steps.len();
            (0..self.may_pes()).try_for_each(|pe| self.nis(pe))?;
            (0..self.held.len() as u32).try_for_each(|switch| self.ports(switch))?;
            for a in 0..self.demand.pes() {
                let first = self.demand.first_pair(a);
                for (at, &b) in self.demand.higher_of(a).iter().enumerate() {
                    self.pair(first + at, a, b)?;
                }
                let looked = self.demand.higher_of(a).len() * self.may.words;
                let Some(left) = self.work.checked_sub(looked) else { return Ok(()) };
                self.work = left;
            }
            let round = self.may.bits.len() / 8 + self.held.len();
            if self.steps.len() == before || self.work < round {
                return Ok(());
            }
            self.work -= round;
        }
    }

    fn may_pes(&self) -> u32 {
        self.placed.nis.len() as u32
    }

    fn nis(&mut self, pe: u32) -> Result<(), Clash> {
        let (told, has) = (self.must.count(pe), self.placed.nis[pe as usize]);
        if told > has {
            let switches = numbers(self.must.of(pe).iter().copied());
            return Err(Clash::Busy { pe, switches });
        }
        if told == has && self.taken[pe as usize].is_none() && self.may.of(pe) != self.must.of(pe) {
            let switches = numbers(self.must.of(pe).iter().copied());
            self.may.of_mut(pe).copy_from_slice(self.must.of(pe));
            self.taken[pe as usize] = Some(self.steps.len());
            self.steps.push(Step::Taken { pe, switches });
        }
        Ok(())
    }

    fn ports(&mut self, switch: u32) -> Result<(), Clash> {
        let (held, has) = (self.held[switch as usize], self.placed.usable[switch as usize]);
        if held < has || self.full[switch as usize].is_some() {
            return Ok(());
        }
        let all = 0..self.may_pes();
        let pes: Vec<u32> = all.clone().filter(|&pe| self.must.has(pe, switch)).collect();
        if held > has {
            return Err(Clash::Crowded { switch, pes });
        }
        self.work = self.work.saturating_sub(self.placed.nis.len());
        let others: Vec<u32> =
            all.filter(|&pe| self.may.has(pe, switch) && !self.must.has(pe, switch)).collect();
        others.iter().for_each(|&pe| self.may.set(pe, switch, false));
        if !others.is_empty() {
            self.full[switch as usize] = Some(self.steps.len());
            self.steps.push(Step::Full { switch, pes });
        }
        Ok(())
    }

    fn pair(&mut self, pair: usize, a: u32, b: u32) -> Result<(), Clash> {
        let wanted = self.demand.links(pair);
        let mut common = 0;
        for word in self.may.common(a, b) {
            common += word.count_ones();
            if common > wanted {
                return Ok(());
            }
        }
        let switches = || numbers(self.may.common(a, b));
        if common < wanted {
            return Err(Clash::Apart { pair, switches: switches() });
        }
        let new = |&switch: &u32| !self.must.has(a, switch) || !self.must.has(b, switch);
        let switches = switches();
        if !switches.iter().any(new) {
            return Ok(());
        }
        for &switch in &switches {
            for pe in [a, b] {
                self.held[switch as usize] += u32::from(!self.must.has(pe, switch));
                self.must.set(pe, switch, true);
            }
        }
        self.steps.push(Step::Forced { pair, switches });
        Ok(())
    }
}
