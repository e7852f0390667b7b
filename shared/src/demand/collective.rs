//! The bytes that an operation puts on each pair of a group, for every algorithm.
//!
//! A group is the list of its members' nodes, in the order of their positions. Members of one node are reached inside the
//! node and count once as a stop of a ring or tree, as NCCL builds them. With n members, m nodes and S bytes:
//!
//! | algorithm | pairs | bytes per pair, both directions together |
//! | --- | --- | --- |
//! | ring | consecutive nodes, in a circle | all-reduce 2(n-1)/n S, gather-scatter (n-1)/n S |
//! | tree | child and parent in two binary trees | all-reduce S per tree |
//! | recursive doubling | positions 2^k apart | all-reduce 4 2^k S/n, gather-scatter 2 2^k S/n |
//! | all pairs | all | all-reduce 4 S/n, gather-scatter and all-to-all 2 S/n |
//! | rail | consecutive nodes, for an all-to-all every two nodes | as ring with m for n; as all pairs |
//! | neighbours, ring | consecutive members | point-to-point 2 S |
//!
//! Two nodes in a circle have both of its links. Sources: Thakur, Rabenseifner, Gropp: "Optimization of collective
//! communication operations in MPICH", 2005, sections 3 and 4; for the trees see [`Algorithm::Tree`].

use crate::spec::job::{Algorithm, Operation};
use std::collections::HashMap;

/// The members of a group by their nodes.
struct Stops {
    /// Members.
    members: f64,
    /// Nodes in the order in which they first appear, with their numbers of members.
    nodes: Vec<(u32, f64)>,
}

/// Calls `add(a, b, bytes)` for the pairs of different nodes that an operation of `bytes` uses; a pair may come repeatedly.
///
/// `members` has the node of each member. An algorithm that cannot do the operation uses no pair, nor does recursive
/// doubling on a number of members that is not a power of two: see [`fits`].
pub fn exchange(
    operation: Operation,
    algorithm: Algorithm,
    members: &[u32],
    bytes: f64,
    mut add: impl FnMut(u32, u32, f64),
) {
    if !operation.accepts(algorithm) || !fits(algorithm, members.len()) {
        return;
    }
    let mut apart = |a: u32, b: u32, bytes: f64| {
        if a != b {
            add(a, b, bytes);
        }
    };
    // An all-reduce is a reduce-scatter and an all-gather.
    let passes = if operation == Operation::AllReduce { 2.0 } else { 1.0 };
    let stops = stops(members);
    match algorithm {
        Algorithm::Ring if operation == Operation::PointToPoint => {
            line(members, 2.0 * bytes, &mut apart);
            if let [first, _, .., last] = members {
                apart(*first, *last, 2.0 * bytes);
            }
        }
        Algorithm::Neighbours => line(members, 2.0 * bytes, &mut apart),
        Algorithm::Ring => circle(&stops.nodes, passes * others(stops.members) * bytes, &mut apart),
        Algorithm::Rail if operation != Operation::AllToAll => {
            circle(&stops.nodes, passes * others(stops.nodes.len() as f64) * bytes, &mut apart);
        }
        Algorithm::Tree => trees(&stops.nodes, bytes, &mut apart),
        Algorithm::RecursiveDoubling => doubling(members, 2.0 * passes * bytes, &mut apart),
        Algorithm::AllPairs | Algorithm::Rail => {
            all_pairs(&stops.nodes, 2.0 * passes * bytes / stops.members, &mut apart);
        }
    }
}

/// `true` if the algorithm works with that number of members.
pub fn fits(algorithm: Algorithm, members: usize) -> bool {
    algorithm != Algorithm::RecursiveDoubling || members.is_power_of_two()
}

/// Upper limit of the pairs of one group.
pub fn max_pairs(algorithm: Algorithm, members: u64) -> u64 {
    let all = members * members.saturating_sub(1) / 2;
    let used = match algorithm {
        Algorithm::Ring | Algorithm::Neighbours => members,
        Algorithm::Tree => 2 * members,
        Algorithm::RecursiveDoubling => members * u64::from(members.max(1).ilog2()) / 2,
        Algorithm::AllPairs | Algorithm::Rail => all,
    };
    used.min(all)
}

fn stops(members: &[u32]) -> Stops {
    let mut nodes: Vec<(u32, f64)> = Vec::new();
    let mut at = HashMap::new();
    for &node in members {
        let index = *at.entry(node).or_insert(nodes.len());
        if index == nodes.len() {
            nodes.push((node, 0.0));
        }
        nodes[index].1 += 1.0;
    }
    Stops { members: members.len() as f64, nodes }
}

/// (n - 1) / n.
fn others(members: f64) -> f64 {
    (members - 1.0) / members
}

fn line(members: &[u32], bytes: f64, add: &mut impl FnMut(u32, u32, f64)) {
    members.windows(2).for_each(|pair| add(pair[0], pair[1], bytes));
}

fn circle(stops: &[(u32, f64)], bytes: f64, add: &mut impl FnMut(u32, u32, f64)) {
    let next = stops.iter().cycle().skip(1);
    stops.iter().zip(next).for_each(|(a, b)| add(a.0, b.0, bytes));
}

/// Two trees over positions. In the first, a position's parent differs in its lowest set bit and the one above; the second is
/// the first mirrored, or shifted by one if the number of positions is odd.
fn trees(stops: &[(u32, f64)], bytes: f64, add: &mut impl FnMut(u32, u32, f64)) {
    let count = stops.len();
    for child in 1..count {
        let bit = child & child.wrapping_neg();
        let above = (child ^ bit) | bit << 1;
        let parent = if above < count { above } else { child ^ bit };
        let other = |position: usize| match count % 2 {
            0 => count - 1 - position,
            _ => (position + 1) % count,
        };
        add(stops[child].0, stops[parent].0, bytes);
        add(stops[other(child)].0, stops[other(parent)].0, bytes);
    }
}

fn doubling(members: &[u32], bytes: f64, add: &mut impl FnMut(u32, u32, f64)) {
    let mut apart = 1;
    while apart < members.len() {
        let share = bytes * apart as f64 / members.len() as f64;
        let lower = (0..members.len()).filter(|position| position & apart == 0);
        lower.for_each(|position| add(members[position], members[position | apart], share));
        apart *= 2;
    }
}

fn all_pairs(stops: &[(u32, f64)], bytes: f64, add: &mut impl FnMut(u32, u32, f64)) {
    for (index, (a, here)) in stops.iter().enumerate() {
        stops[index + 1..].iter().for_each(|(b, there)| add(*a, *b, here * there * bytes));
    }
}
