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

/// A transfer between two different nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transfer {
    /// The nodes.
    pub ends: [u32; 2],
    /// Bytes from the first to the second, and back.
    pub bytes: [f64; 2],
    /// Number of its phase; each begins when the one before has ended.
    pub phase: u32,
    /// The only switch that it takes; `None` if it takes any path.
    pub switch: Option<u32>,
}

/// The members of a group by their nodes.
struct Stops {
    /// Members.
    members: f64,
    /// Nodes in the order in which they first appear, with their numbers of members.
    nodes: Vec<(u32, f64)>,
}

/// Calls `add(a, b, bytes)` for the pairs of different nodes that an operation of `bytes` uses, with the bytes of both
/// directions; a pair may come repeatedly. See [`transfers`].
pub fn exchange(
    operation: Operation,
    algorithm: Algorithm,
    members: &[u32],
    bytes: f64,
    closing: f64,
    mut add: impl FnMut(u32, u32, f64),
) {
    transfers(operation, algorithm, members, bytes, closing, |Transfer { ends: [a, b], bytes, .. }| {
        add(a, b, bytes[0] + bytes[1]);
    });
}

/// Calls `add` for the transfers of an operation of `bytes`; those of a ring in the order of its nodes.
///
/// `members` has the node of each member. An algorithm that cannot do the operation has no transfer, nor does recursive
/// doubling on a number of members that is not a power of two: see [`fits`]. `closing` is the share of the bytes that a ring of
/// point-to-point transfers has between its last member and its first.
pub fn transfers(
    operation: Operation,
    algorithm: Algorithm,
    members: &[u32],
    bytes: f64,
    closing: f64,
    mut add: impl FnMut(Transfer),
) {
    if !operation.accepts(algorithm) || !algorithm.fits(members.len()) {
        return;
    }
    let mut apart = |ends: [u32; 2], bytes: [f64; 2], phase: u32| {
        if ends[0] != ends[1] {
            add(Transfer { ends, bytes, phase, switch: None });
        }
    };
    let passes = passes(operation);
    let stops = stops(members);
    match algorithm {
        Algorithm::Ring if operation == Operation::PointToPoint => {
            line(members, bytes, &mut apart);
            if let [first, .., last] = members {
                apart([*first, *last], [closing * bytes; 2], 0);
            }
        }
        Algorithm::Neighbours => line(members, bytes, &mut apart),
        Algorithm::Ring => circle(&stops.nodes, passes * others(stops.members) * bytes, &mut apart),
        Algorithm::Rail if operation != Operation::AllToAll => {
            circle(&stops.nodes, passes * others(stops.nodes.len() as f64) * bytes, &mut apart);
        }
        Algorithm::Tree => trees(&stops.nodes, bytes / 2.0, &mut apart),
        Algorithm::RecursiveDoubling => doubling(members, passes * bytes, &mut apart),
        Algorithm::AllPairs | Algorithm::Rail => {
            all_pairs(&stops.nodes, passes * bytes / stops.members, &mut apart);
        }
    }
}

/// An all-reduce is a reduce-scatter and an all-gather.
fn passes(operation: Operation) -> f64 {
    if operation == Operation::AllReduce { 2.0 } else { 1.0 }
}

/// Messages that follow one another over the network in an operation on that number of nodes, at least 2: a ring passes every
/// part through all nodes, a tree goes up and down, and point-to-point transfers go forward and back.
pub fn rounds(operation: Operation, algorithm: Algorithm, nodes: u32) -> f64 {
    let depth = f64::from(nodes.max(2).next_power_of_two().ilog2());
    match algorithm {
        Algorithm::Ring if operation == Operation::PointToPoint => 2.0,
        Algorithm::Neighbours => 2.0,
        Algorithm::Rail if operation == Operation::AllToAll => 1.0,
        Algorithm::Ring | Algorithm::Rail => passes(operation) * f64::from(nodes.max(2) - 1),
        Algorithm::Tree => 2.0 * depth,
        Algorithm::RecursiveDoubling => passes(operation) * depth,
        Algorithm::AllPairs => passes(operation),
    }
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

fn line(members: &[u32], bytes: f64, add: &mut impl FnMut([u32; 2], [f64; 2], u32)) {
    members.windows(2).for_each(|pair| add([pair[0], pair[1]], [bytes; 2], 0));
}

fn circle(stops: &[(u32, f64)], bytes: f64, add: &mut impl FnMut([u32; 2], [f64; 2], u32)) {
    let next = stops.iter().cycle().skip(1);
    stops.iter().zip(next).for_each(|(a, b)| add([a.0, b.0], [bytes, 0.0], 0));
}

/// Two trees over positions, with `bytes` up and down on each link. In the first, a position's parent differs in its lowest set
/// bit and the one above; the second is the first mirrored, or shifted by one if the number of positions is odd.
fn trees(stops: &[(u32, f64)], bytes: f64, add: &mut impl FnMut([u32; 2], [f64; 2], u32)) {
    let count = stops.len();
    for child in 1..count {
        let bit = child & child.wrapping_neg();
        let above = (child ^ bit) | bit << 1;
        let parent = if above < count { above } else { child ^ bit };
        let other = |position: usize| match count % 2 {
            0 => count - 1 - position,
            _ => (position + 1) % count,
        };
        add([stops[child].0, stops[parent].0], [bytes; 2], 0);
        add([stops[other(child)].0, stops[other(parent)].0], [bytes; 2], 0);
    }
}

fn doubling(members: &[u32], bytes: f64, add: &mut impl FnMut([u32; 2], [f64; 2], u32)) {
    let (mut apart, mut phase) = (1, 0);
    while apart < members.len() {
        let share = bytes * apart as f64 / members.len() as f64;
        let lower = (0..members.len()).filter(|position| position & apart == 0);
        lower.for_each(|position| add([members[position], members[position | apart]], [share; 2], phase));
        (apart, phase) = (apart * 2, phase + 1);
    }
}

fn all_pairs(stops: &[(u32, f64)], bytes: f64, add: &mut impl FnMut([u32; 2], [f64; 2], u32)) {
    for (index, (a, here)) in stops.iter().enumerate() {
        stops[index + 1..].iter().for_each(|(b, there)| add([*a, *b], [here * there * bytes; 2], 0));
    }
}
