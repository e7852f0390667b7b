//! Gain and loss of a change to a wiring.

use super::{FORBIDDEN, Swap, Wiring};
use crate::problem::NONE;

impl Wiring<'_> {
    /// Word `w` of a PE: partners served without NI `except`.
    #[inline]
    pub(super) fn served(&self, pe: u32, w: usize, except: usize) -> u64 {
        let graph = &self.problem.graph;
        if graph.levels() == 1 {
            return self.meetings(pe, w, except).fold(0, |any, word| any | word);
        }
        self.levels(pe, w, except)
            .iter()
            .enumerate()
            .fold(u64::MAX, |served, (l, &reached)| served & (reached | !graph.wanting(pe, w, l + 1)))
    }

    fn meetings(&self, pe: u32, w: usize, except: usize) -> impl Iterator<Item = u64> + '_ {
        let nis = self.problem.nis_of(pe);
        let words = self.problem.graph.words(pe);
        let first = self.problem.words_of(nis.start).start;
        let start = nis.start;
        nis.filter(move |&ni| ni != except).map(move |ni| self.met[first + (ni - start) * words + w])
    }

    /// For each level from 1, partners met at least that often.
    pub(super) fn levels(&self, pe: u32, w: usize, except: usize) -> Vec<u64> {
        let mut reached = vec![0u64; self.problem.graph.levels()];
        for word in self.meetings(pe, w, except) {
            for level in (1..reached.len()).rev() {
                reached[level] |= reached[level - 1] & word;
            }
            reached[0] |= word;
        }
        reached
    }

    /// Word `w` of a PE: partners with an NI on a switch.
    #[inline]
    pub(super) fn partners_on(&self, pe: u32, w: usize, switch: u32) -> u64 {
        let partners = self.problem.graph.partners(pe);
        let chunk = &partners[w * 64..partners.len().min(w * 64 + 64)];
        match self.problem.uniform() {
            Some(2) => self.scan::<2>(chunk, switch),
            Some(3) => self.scan::<3>(chunk, switch),
            Some(4) => self.scan::<4>(chunk, switch),
            Some(5) => self.scan::<5>(chunk, switch),
            Some(6) => self.scan::<6>(chunk, switch),
            Some(8) => self.scan::<8>(chunk, switch),
            _ => bits(chunk.iter().map(|&q| self.is_on(q, switch))),
        }
    }

    /// Scans with the number of NIs known to the compiler: several times as fast.
    #[inline]
    fn scan<const NIS: usize>(&self, chunk: &[u32], switch: u32) -> u64 {
        let row = |q: u32| self.switch[q as usize * NIS..].first_chunk::<NIS>();
        bits(
            chunk
                .iter()
                .map(|&q| row(q).is_some_and(|r| r.iter().fold(false, |hit, &s| hit | (s == switch)))),
        )
    }

    /// Value to a PE of meeting the partners in `word` once more, not counting NI `except`.
    #[inline]
    pub(super) fn worth(&self, pe: u32, w: usize, word: u64, except: usize) -> u32 {
        let graph = &self.problem.graph;
        let mut gained = word & !self.served(pe, w, except);
        if !graph.weighted() {
            return gained.count_ones();
        }
        let reached = if graph.levels() > 1 { self.levels(pe, w, except) } else { Vec::new() };
        let mut worth = 0;
        while gained != 0 {
            let bit = gained.trailing_zeros() as usize;
            gained &= gained - 1;
            let level = reached.iter().take_while(|plane| *plane >> bit & 1 == 1).count();
            worth += graph.value(pe, w * 64 + bit, level + 1);
        }
        worth
    }

    /// Value that pairs of `pe` gain if NI `except` moves to `switch`, ignoring PE `without` there.
    #[inline]
    fn gain(&self, pe: u32, except: usize, switch: u32, without: u32) -> u32 {
        let graph = &self.problem.graph;
        let ports = self.problem.ports_of(switch);
        if self.problem.graph.weighted() || self.scan_is_cheaper(pe, ports.len()) {
            let gone = if without == NONE { None } else { graph.bit_of(pe, without) };
            return (0..graph.words(pe))
                .map(|w| {
                    let mut word = self.partners_on(pe, w, switch);
                    if let Some(bit) = gone.filter(|bit| bit / 64 == w) {
                        word &= !(1 << (bit % 64));
                    }
                    self.worth(pe, w, word, except)
                })
                .sum();
        }
        let (mut gain, mut at, mut served) = (0, usize::MAX, 0);
        for &ni in self.ni_at[ports].iter().filter(|&&ni| ni != NONE) {
            let other = self.problem.owner(ni);
            if other == without {
                continue;
            }
            let Some(bit) = graph.bit_of(pe, other) else { continue };
            if bit / 64 != at {
                at = bit / 64;
                served = self.served(pe, at, except);
            }
            gain += u32::from(served >> (bit % 64) & 1 == 0);
        }
        gain
    }

    /// `true` if scanning the PE's partners is cheaper than scanning the switch's ports.
    fn scan_is_cheaper(&self, pe: u32, ports: usize) -> bool {
        let graph = &self.problem.graph;
        let dear = if graph.complete { 1 } else { 8 };
        graph.degree(pe) * self.problem.nis_of(pe).len() / 4 <= ports * dear
    }

    /// Change of [`Wiring::cost`] by a swap. Exact up to `limit`, otherwise any number above it; [`FORBIDDEN`] if the
    /// swap breaks a rule.
    #[inline]
    pub fn delta(&self, swap: &Swap, limit: i64) -> i64 {
        if !self.allows(swap) {
            return FORBIDDEN;
        }
        let (pe, from) = (self.problem.owner(swap.ni), self.switch[swap.ni as usize]);
        let occupant = self.ni_at[swap.port as usize];
        let mut delta = i64::from(self.sole(swap.ni));
        if occupant == NONE {
            return delta - i64::from(self.gain(pe, swap.ni as usize, swap.switch, NONE));
        }
        let other = self.problem.owner(occupant);
        delta += i64::from(self.sole(occupant));
        delta -= i64::from(self.gain(pe, swap.ni as usize, swap.switch, other));
        // At best, the occupant gains all its missing links and regains what it loses.
        let hope = i64::from(self.deficit[other as usize]) + i64::from(self.sole(occupant));
        if from == NONE || delta - hope > limit {
            return delta;
        }
        delta - i64::from(self.gain(other, occupant as usize, from, pe))
    }
}

#[inline]
fn bits(flags: impl Iterator<Item = bool>) -> u64 {
    flags.enumerate().fold(0, |word, (i, flag)| word | u64::from(flag) << i)
}
