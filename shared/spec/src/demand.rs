//! 2. The pairs of PEs to serve: a weighted graph.
//!
//! A pair is unordered, between two different PEs. A pattern is a set of pairs; a demand is their union. A pair's
//! weight is the sum of its patterns' weights, its links the most that any of them wants, its extra links the most that
//! any of them wishes for.

mod build;
pub mod collective;
pub mod job;
pub mod trace;

pub use crate::spec::{matrix, patterns};
pub use build::{Building, MAX_UNIVERSAL_PES};

pub use crate::spec::matrix::key;
use crate::{
    cancel::checked,
    spec::{Faults, Spec},
};

/// The union of a spec's patterns. Pairs are numbered in ascending order of (lower PE, higher PE).
#[derive(Clone, Debug, PartialEq)]
pub struct Demand {
    pes: u32,
    /// Pairs whose lower PE is p: `starts[p]..starts[p + 1]`.
    starts: Vec<u32>,
    higher: Vec<u32>,
    weights: Vec<f32>,
    links: Vec<u8>,
    /// Empty where nothing is wished for.
    extra: Vec<u8>,
    patterns: Vec<u32>,
}

/// Every PE's partners, in both directions; partners ascend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adjacency {
    /// Partners of p are `partners[starts[p]..starts[p + 1]]`.
    pub starts: Vec<u32>,
    /// All partners, PE by PE.
    pub partners: Vec<u32>,
    /// For each entry of `partners`, the number of the pair.
    pub pair: Vec<u32>,
}

impl Adjacency {
    /// The partners of a PE, ascending.
    pub fn of(&self, pe: u32) -> &[u32] {
        &self.partners[self.starts[pe as usize] as usize..self.starts[pe as usize + 1] as usize]
    }
}

impl Demand {
    /// The union of the spec's patterns; with the universal objective also every other pair, with weight 1.
    ///
    /// # Errors
    /// A pattern that does not admit the number of PEs, or more than [`MAX_PAIRS`](crate::spec::MAX_PAIRS) pairs.
    pub fn build(spec: &Spec) -> Result<Demand, Faults> {
        let mut building = Building::new(spec)?;
        building.step(spec.pes)?;
        Ok(building.finish())
    }

    /// Upper limit of the bytes that [`Demand::build`] takes while it builds.
    pub fn max_bytes(spec: &Spec) -> u64 {
        // A list that grows holds twice its entries at the most, and its old half while it is copied.
        const BYTES_PER_PAIR: u64 = 3 * (4 + 4 + 1 + 1 + 4);
        build::max_pairs(spec).saturating_mul(BYTES_PER_PAIR) + 8 * u64::from(spec.pes)
    }

    /// A demand of these pairs, each with weight 1, one link and pattern 0. Order and direction do not matter.
    ///
    /// # Panics
    /// If a PE is not below `pes` or is paired with itself.
    pub fn from_pairs(pes: u32, pairs: impl IntoIterator<Item = (u32, u32)>) -> Demand {
        let sorted = |(a, b): (u32, u32)| {
            assert!(a != b && a.max(b) < pes, "pair {a}-{b} of {pes} nodes");
            key(a, b)
        };
        let mut keys: Vec<u64> = pairs.into_iter().map(sorted).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut demand = Self::empty(pes);
        for key in keys {
            demand.push((key >> 32) as u32, key as u32, 1.0, 1, 1);
        }
        demand.finish()
    }

    fn empty(pes: u32) -> Demand {
        Demand {
            pes,
            starts: Vec::with_capacity(pes as usize + 1),
            higher: Vec::new(),
            weights: Vec::new(),
            links: Vec::new(),
            extra: Vec::new(),
            patterns: Vec::new(),
        }
    }

    /// Appends a pair; pairs must come in ascending order.
    fn push(&mut self, a: u32, b: u32, weight: f32, links: u8, patterns: u32) {
        self.starts.resize(self.starts.len().max(a as usize + 1), self.higher.len() as u32);
        self.higher.push(b);
        self.weights.push(weight);
        self.links.push(links);
        self.patterns.push(patterns);
    }

    fn finish(mut self) -> Demand {
        self.starts.resize(self.pes as usize + 1, self.higher.len() as u32);
        self
    }

    /// Number of PEs.
    pub fn pes(&self) -> u32 {
        self.pes
    }

    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.higher.len()
    }

    /// `true` if nothing is requested.
    pub fn is_empty(&self) -> bool {
        self.higher.is_empty()
    }

    /// All pairs, ascending, lower PE first.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        checked(0..self.pes).flat_map(|a| self.higher_of(a).iter().map(move |&b| (a, b)))
    }

    /// The partners of a PE that have higher numbers, ascending; the first is pair number `first_pair(pe)`.
    pub fn higher_of(&self, pe: u32) -> &[u32] {
        &self.higher[self.starts[pe as usize] as usize..self.starts[pe as usize + 1] as usize]
    }

    /// The number of the first pair whose lower PE is `pe`.
    pub fn first_pair(&self, pe: u32) -> usize {
        self.starts[pe as usize] as usize
    }

    /// The number of a pair, if it is requested.
    pub fn index_of(&self, a: u32, b: u32) -> Option<usize> {
        let (low, high) = (a.min(b), a.max(b));
        let at = self.higher_of(low).binary_search(&high).ok()?;
        Some(self.first_pair(low) + at)
    }

    /// The PEs of a pair, lower first.
    pub fn pair(&self, index: usize) -> (u32, u32) {
        let a = self.starts.partition_point(|&s| s as usize <= index) - 1;
        (a as u32, self.higher[index])
    }

    /// Weight of a pair.
    pub fn weight(&self, index: usize) -> f32 {
        self.weights[index]
    }

    /// Shared switches wanted for a pair.
    pub fn links(&self, index: usize) -> u32 {
        u32::from(self.links[index])
    }

    /// Shared switches wished for a pair on top of [`Demand::links`], once every pair has those.
    pub fn extra(&self, index: usize) -> u32 {
        self.extra.get(index).copied().map_or(0, u32::from)
    }

    /// `true` if any pair has [`Demand::extra`] links.
    pub fn has_extra(&self) -> bool {
        !self.extra.is_empty()
    }

    /// Patterns that request a pair: bit i for pattern i. 0 for a pair that only the universal objective requests.
    pub fn patterns_of(&self, index: usize) -> u32 {
        self.patterns[index]
    }

    /// Every PE's partners in both directions.
    pub fn adjacency(&self) -> Adjacency {
        let mut starts = vec![0u32; self.pes as usize + 1];
        for (a, b) in self.pairs() {
            starts[a as usize + 1] += 1;
            starts[b as usize + 1] += 1;
        }
        for i in 0..self.pes as usize {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let (mut partners, mut pair) = (vec![0; 2 * self.len()], vec![0; 2 * self.len()]);
        let mut place = |pe: u32, other: u32, index: usize| {
            let at = next[pe as usize] as usize;
            (partners[at], pair[at]) = (other, index as u32);
            next[pe as usize] += 1;
        };
        // Ascending pairs put, for each PE, its lower partners first and its higher ones after, each ascending.
        for (index, (a, b)) in self.pairs().enumerate() {
            place(b, a, index);
            place(a, b, index);
        }
        Adjacency { starts, partners, pair }
    }

    /// The number of partners of every PE.
    pub fn degrees(&self) -> Vec<u32> {
        let mut degrees = vec![0; self.pes as usize];
        for (a, b) in self.pairs() {
            degrees[a as usize] += 1;
            degrees[b as usize] += 1;
        }
        degrees
    }

    /// Pairs of each of the first `patterns` patterns, with the share of them that each requests (Mattox 2006, section 2.3.4).
    pub fn synergy(&self, patterns: usize) -> Vec<(u64, Vec<f64>)> {
        let bits = |mask: u32| (0..patterns).filter(move |bit| mask >> bit & 1 == 1);
        let mut both = vec![vec![0u64; patterns]; patterns];
        for &mask in &self.patterns {
            for row in bits(mask) {
                bits(mask).for_each(|column| both[row][column] += 1);
            }
        }
        let shares = |(row, shared): (usize, Vec<u64>)| {
            let pairs = shared[row];
            (
                pairs,
                shared.into_iter().map(|n| if pairs == 0 { 0.0 } else { n as f64 / pairs as f64 }).collect(),
            )
        };
        both.into_iter().enumerate().map(shares).collect()
    }
}
