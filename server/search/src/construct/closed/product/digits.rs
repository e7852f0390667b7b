//! Which digits of PE numbers a demand is a product of.
//!
//! A divisor D of the number of PEs cuts numbers in two, p / D and p mod D. The cut is clean if the PEs of every pair
//! agree in one of the halves. Clean cuts that divide one another cut numbers into digits of which every pair changes one
//! alone: for any two cuts, a pair that keeps to its side of both keeps to one of three parts. So each cut is looked at by
//! itself, all in one pass over the pairs.

use super::cover::Graph;
use shared::demand::Demand;

/// Digits, and the small graph on the values of each. Digits with equal graphs share one.
pub struct Digits {
    pub pes: u32,
    /// Lowest digit first.
    pub places: Vec<Place>,
    pub graphs: Vec<Graph>,
}

/// One digit: `pe / stride % size`, with the size of its graph.
pub struct Place {
    pub stride: u32,
    pub graph: usize,
}

/// Pairs between two questions whether to go on.
const CHUNK: usize = 1 << 16;

/// Most pairs of a demand that is looked at as one digit.
const MOST_WHOLE: usize = 1 << 22;

/// The finest digits there are; none if the demand is empty or the caller wants to stop.
pub fn read(demand: &Demand, go_on: &mut dyn FnMut() -> bool) -> Option<Digits> {
    let pes = demand.pes();
    if demand.is_empty() {
        return None;
    }
    let mut cuts: Vec<u32> = (2..=pes / 2).filter(|d| pes.is_multiple_of(*d)).collect();
    for (done, (a, b)) in demand.pairs().enumerate() {
        if cuts.is_empty() {
            break;
        }
        if done % CHUNK == CHUNK - 1 && !go_on() {
            return None;
        }
        cuts.retain(|d| a / d == b / d || a % d == b % d);
    }
    if cuts.is_empty() && demand.len() > MOST_WHOLE {
        return None;
    }
    let mut strides = chain(&cuts);
    strides.insert(0, 1);
    let mut digits = Digits { pes, places: Vec::new(), graphs: Vec::new() };
    for (edges, at) in edges(demand, &strides).into_iter().zip(0..) {
        let above = strides.get(at + 1).copied().unwrap_or(pes);
        let graph = Graph::new(above / strides[at], edges);
        let known = digits.graphs.iter().position(|g| *g == graph);
        let graph = known.unwrap_or_else(|| {
            digits.graphs.push(graph);
            digits.graphs.len() - 1
        });
        digits.places.push(Place { stride: strides[at], graph });
    }
    Some(digits)
}

/// A longest sequence of numbers of which each divides the next; the numbers ascend.
fn chain(cuts: &[u32]) -> Vec<u32> {
    let mut best: Vec<(usize, Option<usize>)> = Vec::new();
    for (at, cut) in cuts.iter().enumerate() {
        let before = (0..at).filter(|&i| cut.is_multiple_of(cuts[i])).max_by_key(|&i| best[i].0);
        best.push((before.map_or(1, |i| best[i].0 + 1), before));
    }
    let mut at = (0..cuts.len()).max_by_key(|&i| best[i].0);
    let mut chain = Vec::new();
    while let Some(i) = at {
        chain.push(cuts[i]);
        at = best[i].1;
    }
    chain.reverse();
    chain
}

/// The edges on each digit's values, ascending. Every pair differs in one digit alone.
fn edges(demand: &Demand, strides: &[u32]) -> Vec<Vec<(u32, u32)>> {
    let mut edges: Vec<Vec<(u32, u32)>> = vec![Vec::new(); strides.len()];
    for (a, b) in demand.pairs() {
        // The digit is the last whose stride leaves a difference: below it the PEs are equal.
        let at = strides.iter().rposition(|&d| a / d != b / d).unwrap_or(0);
        let above = strides.get(at + 1).copied().unwrap_or(demand.pes());
        let list = &mut edges[at];
        list.push((a % above / strides[at], b % above / strides[at]));
        // Copies of the same few edges come all the time: thin them out before they take memory.
        if list.len() == list.capacity() {
            list.sort_unstable();
            list.dedup();
        }
    }
    for list in &mut edges {
        list.sort_unstable();
        list.dedup();
    }
    edges
}
