//! Cheap cuts between halves of the hosts of a large network.
//!
//! Nodes change sides one by one, the best first, even if that makes the cut dearer; each pass keeps the best cut that it saw
//! (Fiduccia and Mattheyses: "A linear-time heuristic for improving network partitions", 1982). Switches weigh nothing, so they
//! go wherever the cut is cheaper. Hosts with a single link first move together with their switch, as in multilevel
//! partitioning (Karypis and Kumar: "A fast and high quality multilevel scheme for partitioning irregular graphs", 1998).
//! The passes begin with the hosts in two orders: by number, and by distance from host 0. Cutting one half of the hosts off at
//! their own links is always possible.

use crate::{cancel::check, fabric::Fabric};
use std::collections::{BTreeMap, BTreeSet};

/// Max links; beyond, only the hosts' own links are cut.
const MAX_LINKS: usize = 1 << 18;
/// Max passes per start and level.
const PASSES: u32 = 20;
/// Moves without a better cut after which a pass ends, at least.
const PATIENCE: usize = 600;

/// Cost of a cheap cut between halves, by the cost of a link of a speed.
pub(super) fn halved(fabric: &Fabric, cost: impl Fn(u32) -> u64) -> u64 {
    let at_hosts = at_hosts(fabric, &cost);
    if fabric.links.len() > MAX_LINKS {
        return at_hosts;
    }
    let graph = Graph::of(fabric, cost);
    let (coarse, group) = graph.gathered();
    let starts = [(0..fabric.hosts).collect(), graph.by_distance()];
    starts.into_iter().map(|order| graph.halve(&coarse, &group, &order)).fold(at_hosts, u64::min)
}

/// Cost of the own links of the half of the hosts where they cost least.
fn at_hosts(fabric: &Fabric, cost: impl Fn(u32) -> u64) -> u64 {
    let mut own = vec![0; fabric.hosts as usize];
    for link in &fabric.links {
        for end in link.ends.into_iter().filter(|&end| fabric.is_host(end)) {
            own[end as usize] += cost(link.speed);
        }
    }
    own.sort_unstable();
    own.iter().take(own.len() / 2).sum()
}

/// A graph with weights of nodes, and costs of edges.
struct Graph {
    /// Hosts that each node stands for.
    weights: Vec<i64>,
    hosts: i64,
    edges: Vec<Vec<(u32, i64)>>,
}

impl Graph {
    fn of(fabric: &Fabric, cost: impl Fn(u32) -> u64) -> Graph {
        let weights = (0..fabric.nodes()).map(|node| i64::from(fabric.is_host(node))).collect();
        let links = fabric.links.iter().map(|link| (link.ends, cost(link.speed) as i64));
        Graph::from(weights, links)
    }

    fn from(weights: Vec<i64>, links: impl Iterator<Item = ([u32; 2], i64)>) -> Graph {
        let mut sums: Vec<BTreeMap<u32, i64>> = vec![BTreeMap::new(); weights.len()];
        for ([a, b], cost) in links.filter(|([a, b], _)| a != b) {
            *sums[a as usize].entry(b).or_default() += cost;
            *sums[b as usize].entry(a).or_default() += cost;
        }
        let edges = sums.into_iter().map(|of| of.into_iter().collect()).collect();
        Graph { hosts: weights.iter().sum(), weights, edges }
    }

    /// The graph with every host that has a single neighbour in one node with it, and the node of each node.
    fn gathered(&self) -> (Graph, Vec<u32>) {
        let mut group: Vec<u32> = (0..self.weights.len() as u32).collect();
        for (node, edges) in self.edges.iter().enumerate() {
            if let ([(switch, _)], 1) = (&edges[..], self.weights[node])
                && self.weights[*switch as usize] == 0
            {
                group[node] = *switch;
            }
        }
        let mut weights = vec![0; self.weights.len()];
        self.weights.iter().zip(&group).for_each(|(weight, &group)| weights[group as usize] += weight);
        let mut edges = Vec::new();
        for (edges_of, &from) in self.edges.iter().zip(&group) {
            let ends = edges_of.iter().map(|&(to, cost)| ([from, group[to as usize]], cost));
            // Every edge is listed at both ends.
            edges.extend(ends.filter(|([from, to], _)| from < to));
        }
        (Graph::from(weights, edges.into_iter()), group)
    }

    /// The hosts by their distance from the first, those without a path last.
    fn by_distance(&self) -> Vec<u32> {
        let (mut queue, mut seen) = (Vec::new(), vec![false; self.weights.len()]);
        for start in 0..self.hosts as u32 {
            if std::mem::replace(&mut seen[start as usize], true) {
                continue;
            }
            let mut next = queue.len();
            queue.push(start);
            while let Some(&node) = queue.get(next) {
                next += 1;
                for &(to, _) in &self.edges[node as usize] {
                    if !std::mem::replace(&mut seen[to as usize], true) {
                        queue.push(to);
                    }
                }
            }
        }
        queue.retain(|node| self.weights[*node as usize] > 0);
        queue
    }

    /// Cost of the best cut that is found from the first half of the hosts in an order.
    fn halve(&self, coarse: &Graph, group: &[u32], order: &[u32]) -> u64 {
        let mut sides = vec![false; self.weights.len()];
        for &host in &order[..order.len() / 2] {
            // A group is where its last host is, which unbalances the halves a little.
            (sides[host as usize], sides[group[host as usize] as usize]) = (true, true);
        }
        coarse.refine(&mut sides, coarse.weights.iter().copied().max().unwrap_or(1));
        for (node, &group) in group.iter().enumerate() {
            sides[node] = sides[group as usize];
        }
        self.refine(&mut sides, 1);
        self.cost(&sides) as u64
    }

    fn cost(&self, sides: &[bool]) -> i64 {
        let of = |node: usize| {
            let crossing = self.edges[node].iter().filter(move |edge| sides[edge.0 as usize] != sides[node]);
            crossing.map(|edge| edge.1).sum::<i64>()
        };
        (0..sides.len()).map(of).sum::<i64>() / 2
    }

    /// Improves a cut until a pass finds none that is better. The halves may differ by up to `slack` hosts.
    fn refine(&self, sides: &mut [bool], slack: i64) {
        let mut best = (i64::MAX, i64::MAX);
        for _ in 0..PASSES {
            check();
            let found = self.pass(sides, slack);
            if found >= best {
                break;
            }
            best = found;
        }
    }

    /// One pass. Leaves the best cut, and returns by how much its halves differ beyond `slack`, and its cost.
    fn pass(&self, sides: &mut [bool], slack: i64) -> (i64, i64) {
        let gain = |sides: &[bool], node: usize| -> i64 {
            let of = |&(to, cost): &(u32, i64)| if sides[to as usize] == sides[node] { -cost } else { cost };
            self.edges[node].iter().map(of).sum()
        };
        let mut gains: Vec<i64> = (0..sides.len()).map(|node| gain(sides, node)).collect();
        // Nodes by gain: without weight, and with weight on each side.
        let place = |sides: &[bool], node: usize| match self.weights[node] {
            0 => 2,
            _ => usize::from(sides[node]),
        };
        let mut free: [BTreeSet<(i64, u32)>; 3] = Default::default();
        for (node, edges) in self.edges.iter().enumerate() {
            if !edges.is_empty() || self.weights[node] > 0 {
                free[place(sides, node)].insert((gains[node], node as u32));
            }
        }
        let mut more: i64 = sides.iter().zip(&self.weights).map(|(&s, &w)| if s { w } else { -w }).sum();
        let mut cost = self.cost(sides);
        let beyond = |more: i64| (more.abs() - slack).max(0);
        let (mut best, mut kept, mut moves) = ((beyond(more), cost), 0, Vec::new());
        let patience = PATIENCE.max(sides.len() / 8);
        while moves.len() - kept < patience {
            // The larger half gives; in balance both may.
            let may = |side: usize, node: u32| {
                let weight = 2 * self.weights[node as usize];
                let then = if side == 1 { more - weight } else { more + weight };
                then.abs() <= slack.max(more.abs() - 1).max(if slack > 1 { 2 * slack } else { slack + 1 })
            };
            let tops = free.iter().enumerate().filter_map(|(side, nodes)| {
                let &(gain, node) = nodes.last()?;
                (side == 2 || may(side, node)).then_some((gain, node, side))
            });
            let Some((gain, node, side)) = tops.max() else { break };
            free[side].remove(&(gain, node));
            let node = node as usize;
            let weight = 2 * self.weights[node];
            more += if sides[node] { -weight } else { weight };
            cost -= gain;
            sides[node] = !sides[node];
            for &(to, edge) in &self.edges[node] {
                let at = to as usize;
                let change = if sides[at] == sides[node] { -2 * edge } else { 2 * edge };
                // Moved nodes are in no set.
                if free[place(sides, at)].remove(&(gains[at], to)) {
                    gains[at] += change;
                    free[place(sides, at)].insert((gains[at], to));
                }
            }
            moves.push(node);
            if (beyond(more), cost) < best {
                (best, kept) = ((beyond(more), cost), moves.len());
            }
        }
        for node in moves.drain(kept..) {
            sides[node] = !sides[node];
        }
        best
    }
}
