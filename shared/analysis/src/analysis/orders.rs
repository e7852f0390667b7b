//! The orders of a job's nodes in which its communication stays on shared switches.
//!
//! Two freedoms are used. The rings and trees of a group may visit its nodes in any order, each group in its own:
//! [`orders`]. And the ranks may be placed on other nodes, once for all groups, since programs such as NCCL take the order of
//! their rings from the ranks: [`rank_order`].

use super::{
    placing::{self, Placement, place, tree_edges},
    rings::{self, Ring, rings},
};
use crate::{
    cancel::checked,
    demand::job::{MemberOrder, groups, shares},
    design::{Design, NiTable},
    spec::job::{Algorithm, Dimension, Job},
};
use std::collections::{BTreeMap, BTreeSet};

/// Groups that are searched with full effort; more of them share it.
const GROUPS: usize = 16;

/// Orders of nodes, and hops without a shared switch.
type RingOrders = (Vec<Ring>, usize);

/// A group on several nodes, whose order is free.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupOrders {
    /// The dimension of the job.
    pub along: Dimension,
    /// The node of each member, in rank order.
    pub members: Vec<u32>,
    /// `true` if its algorithm is [`Algorithm::Tree`].
    pub is_tree: bool,
    /// Orders of its nodes: one per ring, which runs in both directions, or one for its two trees, without switches.
    pub orders: Vec<Ring>,
    /// Hops without a shared switch.
    pub apart: usize,
}

impl GroupOrders {
    /// Every order with members of one node next to each other, and its switches. The bytes are spread evenly over these orders.
    pub fn members(&self) -> Vec<MemberOrder> {
        let mut count: BTreeMap<u32, usize> = BTreeMap::new();
        self.members.iter().for_each(|node| *count.entry(*node).or_default() += 1);
        let members = |nodes: &[u32]| nodes.iter().flat_map(|n| std::iter::repeat_n(*n, count[n])).collect();
        let mut all = Vec::new();
        for Ring { nodes, switches } in &self.orders {
            all.push((members(nodes), switches.clone()));
            if !self.is_tree {
                let (mut nodes, mut switches) = (nodes.clone(), switches.clone());
                nodes.reverse();
                // The switch from the last node to the first comes last in both directions.
                switches.reverse();
                switches.rotate_left(1);
                all.push((members(&nodes), switches));
            }
        }
        all
    }
}

/// Orders for every group whose algorithm is a ring or a tree. Groups with the same members along a dimension are one.
pub fn orders(job: &Job, design: &Design) -> Vec<GroupOrders> {
    let nis = design.nis();
    let mut all = Vec::new();
    for share in shares(job) {
        let groups = groups(job, share.collective);
        if groups.has_free_order() {
            let is_tree = share.collective.algorithm == Algorithm::Tree;
            let spanning = groups.spanning().into_iter();
            all.extend(spanning.map(|(members, _)| (share.collective.along, is_tree, members)));
        }
    }
    let among = all.len().div_ceil(GROUPS) as u64;
    // Groups of two dimensions may have the same nodes.
    let mut known: BTreeMap<(bool, Vec<u32>), RingOrders> = BTreeMap::new();
    let found = |(along, is_tree, members): (Dimension, bool, Vec<u32>)| {
        let nodes = distinct(&members);
        let search = || match is_tree {
            true => tree(design, &nis, &nodes, placing::EFFORT / among),
            false => circles(&nis, &nodes, rings::EFFORT / among),
        };
        let (orders, apart) = known.entry((is_tree, nodes.clone())).or_insert_with(search).clone();
        GroupOrders { along, members, is_tree, orders, apart }
    };
    checked(all).map(found).collect()
}

/// The nodes in the order in which they first appear.
fn distinct(members: &[u32]) -> Vec<u32> {
    let mut seen = BTreeSet::new();
    members.iter().copied().filter(|node| seen.insert(*node)).collect()
}

fn circles(nis: &NiTable, nodes: &[u32], effort: u64) -> RingOrders {
    let nics = nodes.iter().map(|&node| nis.of(node).len()).max().unwrap_or(0);
    let found = rings(nis, nodes, nics, effort);
    let apart = found.apart();
    (found.0, apart)
}

fn tree(design: &Design, nis: &NiTable, nodes: &[u32], effort: u64) -> RingOrders {
    let Placement { nodes, apart, .. } = place(design, nis, &tree_edges(nodes.len() as u32), nodes, effort);
    (vec![Ring { nodes, switches: Vec::new() }], apart as usize)
}

/// A placement of a job's ranks on nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct RankOrder {
    /// For each node as the job numbers it, the node of the wiring.
    pub nodes: Vec<u32>,
    /// Bytes per step between nodes without a shared switch, as given and on `nodes`; pairs if the bytes are unknown.
    pub apart: [f64; 2],
    /// All bytes, or pairs.
    pub total: f64,
}

impl RankOrder {
    /// The job with its ranks on these nodes.
    pub fn placed(&self, job: &Job) -> Job {
        let node = |rank| self.nodes[job.node_of(rank) as usize];
        Job { nodes: Some((0..job.ranks()).map(node).collect()), ..job.clone() }
    }

    /// Shares of the bytes between nodes without a shared switch, as given and as placed.
    pub fn shares(&self) -> [f64; 2] {
        self.apart.map(|apart| if self.total > 0.0 { apart / self.total } else { 0.0 })
    }
}

/// Renumbers the nodes so that as few bytes as possible are between nodes without a shared switch, over all dimensions of
/// the job. A heuristic, never worse than the given order.
pub fn rank_order(job: &Job, design: &Design) -> RankOrder {
    let nis = design.nis();
    let mut edges: BTreeMap<(u32, u32), f64> = BTreeMap::new();
    for share in shares(job) {
        for (a, b, bytes) in groups(job, share.collective).pairs() {
            *edges.entry((a, b)).or_default() += bytes;
        }
    }
    let edges: Vec<(u32, u32, f64)> = edges.into_iter().map(|((a, b), bytes)| (a, b, bytes)).collect();
    let total = edges.iter().map(|edge| edge.2).sum();
    let start: Vec<u32> = (0..design.pes()).collect();
    let Placement { nodes, apart, given } = place(design, &nis, &edges, &start, placing::EFFORT);
    RankOrder { nodes, apart: [given, apart], total }
}
