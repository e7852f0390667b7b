//! The search's working copy of a wiring, and what a change to it would gain or lose.
//!
//! For each NI, one bit for each partner of its PE says whether that partner is on the NI's switch too (`met`). A pair
//! is served when the OR over a PE's NIs has its bit; losses and gains are popcounts. Nothing of size PEs x switches
//! is kept. An empty port is the NI of a dummy PE without partners, and an unconnected NI is on a dummy switch: so every
//! change is an exchange of two places, and no limit of ports or NIs can be broken.
//!
//! A pair that wants several links is counted by levels: `served` then holds the bits whose count reaches what they
//! want, computed word-parallel; with one link for every pair it is the plain OR.
//!
//! This type guards the limits. Whether a wiring serves its demand is for `shared::design::check` to say.

use crate::{
    dice::Dice,
    problem::{NONE, Problem},
};

/// A wiring without its bookkeeping: the switch of every NI, or [`NONE`].
pub type Genome = Vec<u32>;

/// One exchange: NI `ni` goes to port `port`, and what is there goes to where the NI was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trade {
    /// The NI that moves.
    pub ni: u32,
    /// The switch it moves to; its PE is not there yet.
    pub switch: u32,
    /// The port it takes; what is there may go to the NI's old switch.
    pub port: u32,
}

/// A wiring being worked on.
#[derive(Clone, Debug)]
pub struct Wiring<'p> {
    /// The instance.
    pub problem: &'p Problem,
    /// Switch of each NI.
    switch: Genome,
    /// Port of each NI.
    port: Vec<u32>,
    /// NI at each port.
    ni_at: Vec<u32>,
    /// For each NI, the partners on its switch.
    met: Vec<u64>,
    /// For each NI, how many links it alone provides.
    sole: Vec<u16>,
    /// For each PE, its uncovered pairs.
    open: Vec<u32>,
    /// For each PE, the links its pairs lack.
    lack: Vec<u32>,
    /// PEs with uncovered pairs, unsorted.
    troubled: Vec<u32>,
    /// Where a PE is in `troubled`, or [`NONE`].
    place: Vec<u32>,
    open_total: u64,
    lack_total: u64,
}

impl<'p> Wiring<'p> {
    /// A wiring with nothing connected.
    pub fn empty(problem: &'p Problem) -> Wiring<'p> {
        let (nis, pes) = (problem.nis() as usize, problem.pes() as usize);
        Wiring {
            problem,
            switch: vec![NONE; nis],
            port: vec![NONE; nis],
            ni_at: vec![NONE; problem.ports() as usize],
            met: vec![0; problem.all_words()],
            sole: vec![0; nis],
            open: vec![0; pes],
            lack: vec![0; pes],
            troubled: Vec::new(),
            place: vec![NONE; pes],
            open_total: 0,
            lack_total: 0,
        }
    }

    /// Replaces the whole wiring. A connection that breaks a limit is left out. Says no, with everything
    /// disconnected but consistent, if `go_on` did.
    pub fn load(&mut self, genome: &[u32], go_on: &mut dyn FnMut() -> bool) -> bool {
        self.connect_all(genome);
        let whole = self.meet_all(go_on);
        if !whole {
            self.connect_all(&[]);
            self.met.fill(0);
        }
        (0..self.problem.pes()).for_each(|pe| self.refresh(pe));
        whole
    }

    fn connect_all(&mut self, genome: &[u32]) {
        self.switch.fill(NONE);
        self.port.fill(NONE);
        self.ni_at.fill(NONE);
        let mut next: Vec<usize> =
            (0..self.problem.switches()).map(|s| self.problem.ports_of(s).start).collect();
        for (ni, &switch) in genome.iter().enumerate().take(self.switch.len()) {
            let pe = self.problem.owner(ni as u32);
            if switch < self.problem.switches()
                && next[switch as usize] < self.problem.ports_of(switch).end
                && !self.is_on(pe, switch)
            {
                self.put(ni as u32, switch, next[switch as usize] as u32);
                next[switch as usize] += 1;
            }
        }
    }

    fn put(&mut self, ni: u32, switch: u32, port: u32) {
        self.switch[ni as usize] = switch;
        self.port[ni as usize] = port;
        if port != NONE {
            self.ni_at[port as usize] = ni;
        }
    }

    fn meet_all(&mut self, go_on: &mut dyn FnMut() -> bool) -> bool {
        for pe in 0..self.problem.pes() {
            if pe % 1024 == 0 && !go_on() {
                return false;
            }
            for ni in self.problem.nis_of(pe) {
                let switch = self.switch[ni];
                for (w, at) in self.problem.words_of(ni).enumerate() {
                    self.met[at] = if switch == NONE { 0 } else { self.partners_on(pe, w, switch) };
                }
            }
        }
        true
    }

    /// The switch of every NI.
    pub fn genome(&self) -> &Genome {
        &self.switch
    }

    /// Number of uncovered pairs: those that share fewer switches than they want.
    pub fn uncovered(&self) -> u64 {
        self.open_total / 2
    }

    /// Links that all pairs together lack: what the search lowers. The same as [`Wiring::uncovered`] if each pair
    /// wants one.
    pub fn cost(&self) -> u64 {
        self.lack_total / 2
    }

    /// The switch of an NI, or [`NONE`].
    pub fn switch_of(&self, ni: u32) -> u32 {
        self.switch[ni as usize]
    }

    /// The port of an NI, or [`NONE`].
    pub fn port_of(&self, ni: u32) -> u32 {
        self.port[ni as usize]
    }

    /// The NI at a port, or [`NONE`].
    pub fn ni_at(&self, port: u32) -> u32 {
        self.ni_at[port as usize]
    }

    /// How many links would be missed without this NI.
    pub fn sole(&self, ni: u32) -> u32 {
        u32::from(self.sole[ni as usize])
    }

    /// Whether a PE has an NI on a switch.
    #[inline]
    pub fn is_on(&self, pe: u32, switch: u32) -> bool {
        self.switch[self.problem.nis_of(pe)].contains(&switch)
    }

    /// A PE with uncovered pairs, if there is one.
    pub fn troubled(&self, dice: &mut Dice) -> Option<u32> {
        dice.pick(&self.troubled).copied()
    }

    /// A partner that a PE is not served with, if there is one.
    pub fn missing_partner(&self, pe: u32, dice: &mut Dice) -> Option<u32> {
        let graph = &self.problem.graph;
        let mut skip = dice.below(self.open[pe as usize]);
        for w in 0..graph.words(pe) {
            let mut word = graph.full(pe, w) & !self.served(pe, w, usize::MAX);
            let here = word.count_ones();
            if skip < here {
                (0..skip).for_each(|_| word &= word - 1);
                return Some(graph.partners(pe)[w * 64 + word.trailing_zeros() as usize]);
            }
            skip -= here;
        }
        None
    }

    /// Word `w` of a PE: partners that are served without NI `except`.
    #[inline]
    fn served(&self, pe: u32, w: usize, except: usize) -> u64 {
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

    /// For each level from 1, the partners met at least that often.
    fn levels(&self, pe: u32, w: usize, except: usize) -> Vec<u64> {
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
    fn partners_on(&self, pe: u32, w: usize, switch: u32) -> u64 {
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

    /// The same with the number of NIs known to the compiler: several times as fast.
    #[inline]
    fn scan<const NIS: usize>(&self, chunk: &[u32], switch: u32) -> u64 {
        let row = |q: u32| self.switch[q as usize * NIS..].first_chunk::<NIS>();
        bits(
            chunk
                .iter()
                .map(|&q| row(q).is_some_and(|r| r.iter().fold(false, |hit, &s| hit | (s == switch)))),
        )
    }

    /// Links that pairs of `pe` would gain by being on `switch` in place of NI `except`.
    #[inline]
    fn gain(&self, pe: u32, except: usize, switch: u32, without: u32) -> u32 {
        let graph = &self.problem.graph;
        let ports = self.problem.ports_of(switch);
        if self.scan_is_cheaper(pe, ports.len()) {
            let gone = if without == NONE { None } else { graph.bit_of(pe, without) };
            return (0..graph.words(pe))
                .map(|w| {
                    let mut word = self.partners_on(pe, w, switch) & !self.served(pe, w, except);
                    if let Some(bit) = gone.filter(|bit| bit / 64 == w) {
                        word &= !(1 << (bit % 64));
                    }
                    word.count_ones()
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

    /// Whether to look through a PE's partners rather than through a switch's ports.
    fn scan_is_cheaper(&self, pe: u32, ports: usize) -> bool {
        let graph = &self.problem.graph;
        let dear = if graph.complete() { 1 } else { 8 };
        graph.degree(pe) * self.problem.nis_of(pe).len() / 4 <= ports * dear
    }

    /// The change of [`Wiring::cost`] that a trade would bring, exact if it is at most `limit`; if it is certain to be
    /// above, some number above.
    #[inline]
    pub fn delta(&self, trade: &Trade, limit: i64) -> i64 {
        let (pe, from) = (self.problem.owner(trade.ni), self.switch[trade.ni as usize]);
        let occupant = self.ni_at[trade.port as usize];
        let mut delta = i64::from(self.sole[trade.ni as usize]);
        if occupant == NONE {
            return delta - i64::from(self.gain(pe, trade.ni as usize, trade.switch, NONE));
        }
        let other = self.problem.owner(occupant);
        delta += i64::from(self.sole[occupant as usize]);
        delta -= i64::from(self.gain(pe, trade.ni as usize, trade.switch, other));
        // The occupant can at best gain what its pairs lack and win back what it gives up.
        let hope = i64::from(self.lack[other as usize]) + i64::from(self.sole[occupant as usize]);
        if from == NONE || delta - hope > limit {
            return delta;
        }
        delta - i64::from(self.gain(other, occupant as usize, from, pe))
    }

    /// Carries out a trade.
    pub fn apply(&mut self, trade: &Trade) {
        let (from, place) = (self.switch[trade.ni as usize], self.port[trade.ni as usize]);
        let occupant = self.ni_at[trade.port as usize];
        self.leave(trade.ni);
        if occupant != NONE {
            self.leave(occupant);
        }
        self.ni_at[trade.port as usize] = NONE;
        if place != NONE {
            self.ni_at[place as usize] = NONE;
        }
        self.put(trade.ni, trade.switch, trade.port);
        self.join(trade.ni);
        if occupant != NONE {
            self.put(occupant, from, place);
            self.join(occupant);
            self.refresh(self.problem.owner(occupant));
        }
        self.refresh(self.problem.owner(trade.ni));
    }

    /// Leaves an NI idle, and its port empty. Costs what [`Wiring::sole`] says.
    pub fn disconnect(&mut self, ni: u32) {
        let port = self.port[ni as usize];
        if port != NONE {
            self.leave(ni);
            self.ni_at[port as usize] = NONE;
            self.refresh(self.problem.owner(ni));
        }
    }

    /// Takes an NI off its switch and tells the partners there.
    fn leave(&mut self, ni: u32) {
        for (w, at) in self.problem.words_of(ni as usize).enumerate() {
            let word = std::mem::take(&mut self.met[at]);
            self.tell(ni, w, word, false);
        }
        self.switch[ni as usize] = NONE;
        self.port[ni as usize] = NONE;
    }

    /// Meets the partners on an NI's new switch.
    fn join(&mut self, ni: u32) {
        let (pe, switch) = (self.problem.owner(ni), self.switch[ni as usize]);
        if switch == NONE {
            return;
        }
        for (w, at) in self.problem.words_of(ni as usize).enumerate() {
            let word = self.partners_on(pe, w, switch);
            self.met[at] = word;
            self.tell(ni, w, word, true);
        }
    }

    /// Sets or clears the bit that stands for an NI's PE at the partners in word `w`, on the NI's switch.
    fn tell(&mut self, ni: u32, w: usize, mut word: u64, here: bool) {
        let (pe, switch) = (self.problem.owner(ni), self.switch[ni as usize]);
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

    /// Counts anew what a PE's NIs provide and what its pairs lack.
    fn refresh(&mut self, pe: u32) {
        let (open, lack) =
            if self.problem.graph.levels() == 1 { self.count(pe) } else { self.count_levels(pe) };
        let p = pe as usize;
        self.open_total = self.open_total + u64::from(open) - u64::from(self.open[p]);
        self.lack_total = self.lack_total + u64::from(lack) - u64::from(self.lack[p]);
        (self.open[p], self.lack[p]) = (open, lack);
        let at = self.place[p];
        if open > 0 && at == NONE {
            self.place[p] = self.troubled.len() as u32;
            self.troubled.push(pe);
        } else if open == 0 && at != NONE {
            self.troubled.swap_remove(at as usize);
            if let Some(&moved) = self.troubled.get(at as usize) {
                self.place[moved as usize] = at;
            }
            self.place[p] = NONE;
        }
    }

    fn count(&mut self, pe: u32) -> (u32, u32) {
        let (nis, words) = (self.problem.nis_of(pe), self.problem.graph.words(pe));
        let first = self.problem.words_of(nis.start).start;
        let mut open = 0;
        self.sole[nis.clone()].fill(0);
        for w in 0..words {
            let (mut any, mut twice) = (0u64, 0u64);
            for k in 0..nis.len() {
                let word = self.met[first + k * words + w];
                twice |= any & word;
                any |= word;
            }
            for k in 0..nis.len() {
                let alone = (self.met[first + k * words + w] & !twice).count_ones();
                self.sole[nis.start + k] += alone as u16;
            }
            open += (self.problem.graph.full(pe, w) & !any).count_ones();
        }
        (open, open)
    }

    fn count_levels(&mut self, pe: u32) -> (u32, u32) {
        let (nis, words) = (self.problem.nis_of(pe), self.problem.graph.words(pe));
        let graph = &self.problem.graph;
        let (mut open, mut lack) = (0, 0);
        self.sole[nis.clone()].fill(0);
        for w in 0..words {
            for ni in nis.clone() {
                let word = self.met[self.problem.words_of(ni).start + w];
                self.sole[ni] += (word & !self.served(pe, w, ni)).count_ones() as u16;
            }
            open += (graph.full(pe, w) & !self.served(pe, w, usize::MAX)).count_ones();
            for (l, reached) in self.levels(pe, w, usize::MAX).into_iter().enumerate() {
                lack += (graph.wanting(pe, w, l + 1) & !reached).count_ones();
            }
        }
        (open, lack)
    }
}

#[inline]
fn bits(flags: impl Iterator<Item = bool>) -> u64 {
    flags.enumerate().fold(0, |word, (i, flag)| word | u64::from(flag) << i)
}
