//! The demand as the search reads it: each PE's partners, numbered, so that a set of partners is a few machine words.
//!
//! Partner number i of a PE is bit i of that PE's words. Of each pair both directions are kept, and each direction
//! knows the bit that the other one has in the partner's words: that is what makes a change on one side cheap to
//! repeat on the other.

use shared::demand::Demand;

/// How often, in PEs, a long computation asks whether to go on.
const ASK_EVERY: u32 = 1 << 12;

/// Partners of every PE. Read only, shared by all islands.
#[derive(Debug)]
pub struct Graph {
    pes: u32,
    /// Partners of p: `starts[p]..starts[p + 1]`.
    starts: Vec<usize>,
    partners: Vec<u32>,
    /// For each entry of `partners`, the bit of this PE among the partner's own.
    mirrors: Vec<u32>,
    /// The number of the first pair whose lower PE is p.
    first_pair: Vec<usize>,
    /// Words of p: `words[p]..words[p + 1]`.
    words: Vec<usize>,
    /// For each level from 2: the words of pairs that want at least that many links.
    wants: Vec<Vec<u64>>,
    /// Whether every pair is requested, so that bits follow from PE numbers.
    complete: bool,
    pairs: u64,
}

impl Graph {
    /// Reads a demand; `None` if `go_on` said no.
    pub fn new(demand: &Demand, go_on: &mut dyn FnMut() -> bool) -> Option<Graph> {
        let pes = demand.pes();
        let mut starts = vec![0usize; pes as usize + 1];
        for pe in 0..pes {
            starts[pe as usize + 1] += demand.higher_of(pe).len();
            demand.higher_of(pe).iter().for_each(|&q| starts[q as usize + 1] += 1);
            if pe % ASK_EVERY == 0 && !go_on() {
                return None;
            }
        }
        for pe in 0..pes as usize {
            starts[pe + 1] += starts[pe];
        }
        let (partners, mirrors) = both_directions(demand, &starts, go_on)?;
        let mut words = vec![0; pes as usize + 1];
        for pe in 0..pes as usize {
            words[pe + 1] = words[pe] + (starts[pe + 1] - starts[pe]).div_ceil(64);
        }
        let pairs = demand.len() as u64;
        let all = u64::from(pes) * u64::from(pes.saturating_sub(1)) / 2;
        let complete = pairs == all;
        let first_pair = (0..pes).map(|pe| demand.first_pair(pe)).chain([demand.len()]).collect();
        let wants = Vec::new();
        let mut graph = Graph { pes, starts, partners, mirrors, first_pair, words, wants, complete, pairs };
        graph.read_wants(demand, go_on)?;
        Some(graph)
    }

    fn read_wants(&mut self, demand: &Demand, go_on: &mut dyn FnMut() -> bool) -> Option<()> {
        for pe in 0..self.pes {
            if pe % ASK_EVERY == 0 && !go_on() {
                return None;
            }
            let lower = self.degree(pe) - demand.higher_of(pe).len();
            for at in 0..demand.higher_of(pe).len() {
                let links = demand.links(demand.first_pair(pe) + at) as usize;
                for level in 2..=links {
                    let other = self.partners(pe)[lower + at];
                    let mirror = self.mirrors(pe)[lower + at] as usize;
                    self.want(level, pe, lower + at);
                    self.want(level, other, mirror);
                }
            }
        }
        Some(())
    }

    fn want(&mut self, level: usize, pe: u32, bit: usize) {
        let total = *self.words.last().unwrap_or(&0);
        while self.wants.len() < level - 1 {
            self.wants.push(vec![0; total]);
        }
        self.wants[level - 2][self.words[pe as usize] + bit / 64] |= 1 << (bit % 64);
    }

    /// Number of PEs.
    pub fn pes(&self) -> u32 {
        self.pes
    }

    /// Number of requested pairs.
    pub fn pairs(&self) -> u64 {
        self.pairs
    }

    /// Whether every pair is requested.
    pub fn complete(&self) -> bool {
        self.complete
    }

    /// Most links that any pair wants; at least 1.
    pub fn levels(&self) -> usize {
        self.wants.len() + 1
    }

    /// Number of partners of a PE.
    pub fn degree(&self, pe: u32) -> usize {
        self.starts[pe as usize + 1] - self.starts[pe as usize]
    }

    /// Partners of a PE, ascending: bit i is `partners(pe)[i]`.
    pub fn partners(&self, pe: u32) -> &[u32] {
        &self.partners[self.starts[pe as usize]..self.starts[pe as usize + 1]]
    }

    /// For each partner of a PE, the bit of the PE among that partner's.
    pub fn mirrors(&self, pe: u32) -> &[u32] {
        &self.mirrors[self.starts[pe as usize]..self.starts[pe as usize + 1]]
    }

    /// The number, among all pairs, of a PE's pair with its partner number `bit`.
    pub fn pair(&self, pe: u32, bit: usize) -> usize {
        let other = self.partners(pe)[bit];
        let (low, bit) = if pe < other { (pe, bit) } else { (other, self.mirrors(pe)[bit] as usize) };
        let first = self.first_pair[low as usize];
        let higher = self.first_pair[low as usize + 1] - first;
        first + bit - (self.degree(low) - higher)
    }

    /// Number of words of a PE.
    pub fn words(&self, pe: u32) -> usize {
        self.words[pe as usize + 1] - self.words[pe as usize]
    }

    /// Where a PE's words begin in an array of everybody's words.
    pub fn first_word(&self, pe: u32) -> usize {
        self.words[pe as usize]
    }

    /// Number of words of all PEs.
    pub fn all_words(&self) -> usize {
        *self.words.last().unwrap_or(&0)
    }

    /// Word `w` of a PE with every partner's bit set.
    pub fn full(&self, pe: u32, w: usize) -> u64 {
        let bits = self.degree(pe) - w * 64;
        if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
    }

    /// Word `w` of a PE with the bits of partners that want at least `level` links (`level` from 1).
    pub fn wanting(&self, pe: u32, w: usize, level: usize) -> u64 {
        match level {
            1 => self.full(pe, w),
            _ => self.wants[level - 2][self.words[pe as usize] + w],
        }
    }

    /// Links that partner number `bit` of a PE wants.
    pub fn links(&self, pe: u32, bit: usize) -> u32 {
        let wanted = |plane: &&Vec<u64>| plane[self.words[pe as usize] + bit / 64] >> (bit % 64) & 1 == 1;
        1 + self.wants.iter().take_while(wanted).count() as u32
    }

    /// The bit of `other` among the partners of `pe`, if it is one.
    pub fn bit_of(&self, pe: u32, other: u32) -> Option<usize> {
        if !self.complete {
            return self.partners(pe).binary_search(&other).ok();
        }
        (pe != other).then(|| other as usize - usize::from(other > pe))
    }
}

type Directions = (Vec<u32>, Vec<u32>);

fn both_directions(demand: &Demand, starts: &[usize], go_on: &mut dyn FnMut() -> bool) -> Option<Directions> {
    let mut next = starts.to_vec();
    let total = *starts.last().unwrap_or(&0);
    let (mut partners, mut mirrors) = (vec![0; total], vec![0; total]);
    // Ascending pairs put, for each PE, its lower partners first and its higher ones after, each ascending; the place
    // of a pair on both sides is known the moment it is placed.
    for low in 0..demand.pes() {
        if low % ASK_EVERY == 0 && !go_on() {
            return None;
        }
        // The lower partners of `low` are in already: they came with lower PEs.
        for &high in demand.higher_of(low) {
            let (l, h) = (low as usize, high as usize);
            let (at, back) = (next[l], next[h]);
            (partners[at], partners[back]) = (high, low);
            (mirrors[at], mirrors[back]) = ((back - starts[h]) as u32, (at - starts[l]) as u32);
            next[l] += 1;
            next[h] += 1;
        }
    }
    Some((partners, mirrors))
}
