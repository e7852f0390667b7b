//! Upper bounds on the requested pairs in a block of PEs.
//!
//! Let a block have s PEs and e requested pairs among them, let two partners have at most t partners in common and two
//! PEs that do not ask for each other at most c. Then
//!
//! * e ≤ s(s-1)/2, and e ≤ s·Δ/2 where no PE has more than Δ partners;
//! * **common partners**: partners u and v have together at most s + t partners in the block. Summed over all pairs that
//!   is Σ d² ≤ e(s+t), and as Σ d² ≥ (2e)²/s: e ≤ s(s+t)/4 (Mantel 1907 for t = 0);
//! * **paths of two steps**: Σ d(d-1)/2 ≤ e·t + (s(s-1)/2 - e)·c, where the left side is least if all d are alike (Kővári,
//!   Sós and Turán 1954);
//! * **subcubes**: pairs whose PE numbers differ in one bit are a subgraph of a hypercube, of which s PEs hold at most as
//!   many as the numbers below s have ones (Hart 1976, Harper 1964). The rest is counted by itself and added.
//!
//! Pairs can also be counted one by one. Let each PE pay for its port on a switch, in equal parts for its requested pairs
//! there. A pair whose PEs have a and b partners in the block costs 1/a + 1/b, where a, b ≤ ρ-1 and a + b ≤ ρ + t with
//! the pair's own t; summed over all pairs that is at most the number of ports.

use crate::cancel::{check, checked};
use crate::demand::{Adjacency, Demand};

/// Steps that counting common partners may take: about a quarter of a second.
pub(super) const MAX_STEPS: u64 = 100_000_000;

pub(super) struct Density {
    whole: Graph,
    /// The pairs whose PE numbers do not differ in exactly one bit, if some do.
    beyond_cube: Option<Graph>,
    /// Pairs that are alike, with how many links they want together.
    kinds: Vec<(PairKind, u64)>,
    /// `true` if common partners were counted, `false` if that would take too long.
    pub counted: bool,
}

/// Values that decide the cost of a pair.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PairKind {
    /// Partners of the PE that has fewer, and of the other.
    degrees: (u32, u32),
    common: u32,
}

struct Graph {
    degree: u64,
    /// Max partners in common, of partners and of others.
    common: Option<(u64, u64)>,
}

impl Density {
    /// Looks at a demand. Where every pair is requested there is nothing to find.
    pub fn of(demand: &Demand, complete: bool) -> Density {
        let degrees = demand.degrees();
        let degree = degrees.iter().copied().max().unwrap_or(0).into();
        let steps: u64 = degrees.iter().map(|&d| u64::from(d) * u64::from(d)).sum();
        let counted = complete || steps <= MAX_STEPS;
        let mut density =
            Density { whole: Graph { degree, common: None }, beyond_cube: None, kinds: Vec::new(), counted };
        if complete {
            return density;
        }
        let in_cube = |(a, b): &(u32, u32)| (a ^ b).is_power_of_two();
        if demand.pairs().any(|pair| in_cube(&pair)) {
            let rest = Demand::from_pairs(demand.pes(), demand.pairs().filter(|pair| !in_cube(pair)));
            density.beyond_cube = Some(Graph::of(&rest, counted));
        }
        if counted {
            density.count(demand);
        }
        density
    }

    fn count(&mut self, demand: &Demand) {
        let adjacency = demand.adjacency();
        let degree = |pe: u32| adjacency.of(pe).len() as u32;
        let mut kinds: Vec<(PairKind, u64)> = Vec::with_capacity(demand.len());
        let most = common_partners(&adjacency, |a, b, pair, common| {
            let degrees = (degree(a).min(degree(b)), degree(a).max(degree(b)));
            kinds.push((PairKind { degrees, common }, demand.links(pair as usize).into()));
        });
        kinds.sort_unstable_by_key(|kind| kind.0);
        let same = kinds.chunk_by(|a, b| a.0 == b.0);
        self.kinds = same.map(|of| (of[0].0, of.iter().map(|kind| kind.1).sum())).collect();
        self.whole.common = Some(most);
    }

    /// Max requested pairs among up to `size` PEs, with the argument.
    pub fn pairs(&self, size: u64) -> (u64, Argument) {
        let mut most = self.whole.pairs(size);
        if let Some(rest) = &self.beyond_cube {
            let split = cube_pairs(size) + rest.pairs(size).0;
            if split < most.0 {
                most = (split, Argument::Subcubes);
            }
        }
        most
    }

    /// Ports that the pairs cost by themselves, on switches with at most `width` ports; nothing if they were not counted.
    pub fn ports(&self, width: u64) -> f64 {
        if width < 2 {
            return if self.kinds.is_empty() { 0.0 } else { f64::INFINITY };
        }
        self.kinds.iter().map(|&(kind, links)| links as f64 * kind.cost(width)).sum()
    }

    /// Max partners that two partners have in common, if known.
    pub fn most_common(&self) -> Option<u64> {
        self.whole.common.map(|(partners, _)| partners)
    }

    /// Max partners that two other PEs have in common, if known.
    pub fn most_common_apart(&self) -> Option<u64> {
        self.whole.common.map(|(_, others)| others)
    }
}

/// Argument that limits the pairs of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Argument {
    /// Every two PEs are one pair.
    AllPairs,
    /// No PE has more partners.
    Degree,
    /// Partners share few partners.
    Common,
    /// Paths of two steps.
    TwoSteps,
    /// Numbers that differ in one bit.
    Subcubes,
}

impl PairKind {
    /// The least of 1/a + 1/b.
    fn cost(self, width: u64) -> f64 {
        let (a, b) = (u64::from(self.degrees.0).min(width - 1), u64::from(self.degrees.1).min(width - 1));
        let both = width + u64::from(self.common);
        let a = a.min(both / 2);
        let b = b.min(both - a);
        1.0 / a as f64 + 1.0 / b as f64
    }
}

impl Graph {
    fn of(demand: &Demand, count: bool) -> Graph {
        let degree = demand.degrees().into_iter().max().unwrap_or(0).into();
        let common = count.then(|| common_partners(&demand.adjacency(), |_, _, _, _| {}));
        Graph { degree, common }
    }

    /// Every limit grows with the size, so that a smaller block holds no more.
    fn pairs(&self, size: u64) -> (u64, Argument) {
        let mut most = (size * size.saturating_sub(1) / 2, Argument::AllPairs);
        let mut limit = |pairs: u64, argument| {
            if pairs < most.0 {
                most = (pairs, argument);
            }
        };
        limit(size * self.degree / 2, Argument::Degree);
        if let Some((partners, others)) = self.common {
            limit(size * (size + partners) / 4, Argument::Common);
            limit(two_steps(size, partners, others), Argument::TwoSteps);
        }
        most
    }
}

fn two_steps(size: u64, partners: u64, others: u64) -> u64 {
    let all = size * size.saturating_sub(1) / 2;
    let others = others.max(partners);
    let fits = |pairs: u64| {
        let (each, more) = (2 * pairs / size.max(1), 2 * pairs % size.max(1));
        let steps = (size - more) * (each * each.saturating_sub(1) / 2) + more * ((each + 1) * each / 2);
        steps <= pairs * partners + (all - pairs) * others
    };
    // The left side grows with the pairs, the right side does not.
    let (mut low, mut high) = (0, all);
    while low < high {
        check();
        let middle = (low + high).div_ceil(2);
        if fits(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

/// Ones in the numbers below `size`: the most pairs of `size` vertices of a hypercube.
fn cube_pairs(size: u64) -> u64 {
    let ones = |bit: u32| {
        let (whole, part) = (size >> (bit + 1), size & ((1 << (bit + 1)) - 1));
        (whole << bit) + part.saturating_sub(1 << bit)
    };
    (0..size.max(1).ilog2() + 1).map(ones).sum()
}

/// Calls `each` with every pair and its partners in common, unsorted; returns their max for partners and for others.
fn common_partners(adjacency: &Adjacency, mut each: impl FnMut(u32, u32, u32, u32)) -> (u64, u64) {
    let pes = adjacency.starts.len() as u32 - 1;
    let mut counts = vec![0u32; pes as usize];
    let mut touched: Vec<u32> = Vec::new();
    let (mut of_partners, mut of_others) = (0, 0);
    for a in checked(0..pes) {
        for &middle in adjacency.of(a) {
            for &b in adjacency.of(middle).iter().rev().take_while(|&&b| b > a) {
                if counts[b as usize] == 0 {
                    touched.push(b);
                }
                counts[b as usize] += 1;
            }
        }
        let own = adjacency.starts[a as usize] as usize..adjacency.starts[a as usize + 1] as usize;
        let partners = adjacency.partners[own.clone()].iter().zip(&adjacency.pair[own]);
        for (&b, &pair) in partners.filter(|(b, _)| **b > a) {
            let common = std::mem::take(&mut counts[b as usize]);
            of_partners = of_partners.max(common);
            each(a, b, pair, common);
        }
        for b in touched.drain(..) {
            of_others = of_others.max(std::mem::take(&mut counts[b as usize]));
        }
    }
    (of_partners.into(), of_others.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PES: u32 = 9;

    /// A random graph, or one of those that the arguments are sharp on.
    fn graph(chosen: u64, shape: u8) -> Demand {
        let all = (0..PES).flat_map(|a| (a + 1..PES).map(move |b| (a, b)));
        let keep = move |&(i, (a, b)): &(usize, (u32, u32))| match shape {
            0 => chosen >> i & 1 == 1,
            1 => (a ^ b).is_power_of_two(),
            2 => (a ^ b).is_power_of_two() || chosen >> i & 7 == 1,
            3 => a % 2 != b % 2,
            4 => a / 3 == b / 3 || a % 3 == b % 3,
            _ => b == a + 1 || (a == 0 && b == PES - 1),
        };
        Demand::from_pairs(PES, all.enumerate().filter(keep).map(|(_, pair)| pair))
    }

    fn inside(block: u32, (a, b): (u32, u32)) -> bool {
        block >> a & block >> b & 1 == 1
    }

    #[test]
    fn cubes_hold_the_ones_below() {
        for size in 0..200u64 {
            assert_eq!(cube_pairs(size), (0..size).map(|n| u64::from(n.count_ones())).sum::<u64>());
        }
    }

    #[test]
    fn the_limits_are_met_where_they_are_sharp() {
        let pairs = |demand: &Demand, size| Density::of(demand, false).pairs(size).0;
        // A square of the cube, a bipartite block, a row of a 3x3 torus and a path.
        assert_eq!(pairs(&graph(0, 1), 4), 4);
        assert_eq!(pairs(&graph(0, 3), 6), 9);
        assert_eq!(pairs(&graph(0, 4), 3), 3);
        assert_eq!(pairs(&graph(0, 5), 3), 2);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_block_holds_more_pairs(chosen in any::<u64>(), shape in 0u8..6) {
            let demand = graph(chosen, shape);
            let density = Density::of(&demand, false);
            for block in 0u32..1 << PES {
                let pairs = demand.pairs().filter(|&pair| inside(block, pair)).count() as u64;
                let most = density.pairs(block.count_ones().into());
                prop_assert!(pairs <= most.0, "{block:b}: {pairs} pairs, {most:?}");
            }
        }

        #[test]
        fn no_wiring_needs_fewer_ports(
            chosen in any::<u64>(), shape in 0u8..6, blocks in prop::collection::vec(1u32..1 << PES, 1..8),
        ) {
            let met = |pair: &(u32, u32)| blocks.iter().any(|&block| inside(block, *pair));
            let demand = Demand::from_pairs(PES, graph(chosen, shape).pairs().filter(met));
            let width = blocks.iter().map(|b| b.count_ones()).max().unwrap_or(0);
            let ports: u32 = blocks.iter().map(|b| b.count_ones()).sum();
            let cost = Density::of(&demand, false).ports(width.into());
            prop_assert!(cost <= f64::from(ports) + 1e-9, "{cost} for {ports}");
        }
    }
}
