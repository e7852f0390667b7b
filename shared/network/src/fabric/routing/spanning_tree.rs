//! One tree for all traffic, as the spanning tree protocol leaves it: the baseline of Otsuka et al. 2005.
//!
//! The protocol builds a tree of shortest paths from one switch, the root; ties go to the lowest link. Every switch is tried as
//! the root, and the tree with the shortest average path is kept (Otsuka et al. 2005, section 5). Other trees are not tried,
//! since the protocol does not build them.

use super::Routing;
use crate::{
    cancel::counted,
    fabric::{Fabric, kind::RoutingEntry},
};
use std::collections::VecDeque;

/// Paths over a tree of switches; hosts do not forward. A host with several links takes the one with the shortest path.
#[derive(Clone, Debug)]
pub struct SpanningTree {
    hosts: u32,
    /// Of each switch: depth in its tree, and the channel towards the root with the switch at its end.
    up: Vec<ParentLink>,
    /// Tree of each switch; switches that are not connected are in different ones.
    tree: Vec<u32>,
    /// Channels of each host to switches, with the switch.
    links: Vec<Vec<(u32, u32)>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct ParentLink {
    depth: u32,
    /// `None` for a root.
    parent: Option<(u32, u32)>,
}

impl SpanningTree {
    pub(in crate::fabric) const ENTRY: RoutingEntry = RoutingEntry {
        name: "spanning-tree",
        label: "One spanning tree",
        explanation: "one spanning tree for all traffic, the one with the shortest average path",
        searches: false,
        build: |_, fabric| Ok(Box::new(SpanningTree::of(fabric))),
    };

    /// The tree of a fabric. Time grows with switches times links between them.
    pub fn of(fabric: &Fabric) -> SpanningTree {
        let switches = fabric.switches.len();
        let (mut links, mut between) = (vec![Vec::new(); fabric.hosts as usize], vec![Vec::new(); switches]);
        for channel in 0..fabric.channels() {
            let (from, to) = fabric.channel_ends(channel);
            match (fabric.is_host(from), fabric.is_host(to)) {
                (true, false) => links[from as usize].push((channel, to - fabric.hosts)),
                (false, false) => between[(from - fabric.hosts) as usize].push((channel, to - fabric.hosts)),
                _ => {}
            }
        }
        let mut hosts_on = vec![0; switches];
        links
            .iter()
            .filter_map(|links| links.first())
            .for_each(|&(_, switch)| hosts_on[switch as usize] += 1);
        let mut trees = SpanningTree {
            hosts: fabric.hosts,
            up: vec![ParentLink::default(); switches],
            tree: vec![NO_TREE; switches],
            links,
        };
        for switch in 0..switches as u32 {
            if trees.tree[switch as usize] == NO_TREE {
                trees.plant(switch, &between, &hosts_on);
            }
        }
        trees
    }

    /// Adds the best tree of all switches connected with this one.
    fn plant(&mut self, switch: u32, between: &[Vec<(u32, u32)>], hosts_on: &[u64]) {
        let mut up = vec![ParentLink::default(); between.len()];
        let connected = grow(switch, between, &mut up);
        let mut best = (u64::MAX, switch);
        for &root in counted(&connected) {
            let order = grow(root, between, &mut up);
            best = best.min((path_sum(&order, &up, hosts_on), root));
        }
        for member in grow(best.1, between, &mut up) {
            (self.up[member as usize], self.tree[member as usize]) = (up[member as usize], switch);
        }
    }

    /// Links between two switches in their tree.
    fn distance(&self, mut a: u32, mut b: u32) -> Option<u32> {
        if self.tree[a as usize] != self.tree[b as usize] {
            return None;
        }
        let mut steps = 0;
        while a != b {
            let deeper = if self.up[a as usize].depth >= self.up[b as usize].depth { &mut a } else { &mut b };
            *deeper = self.up[*deeper as usize].parent?.1;
            steps += 1;
        }
        Some(steps)
    }

    /// The links of both hosts on the shortest path: channel and switch of each.
    fn ends(&self, from: u32, to: u32) -> Option<[(u32, u32); 2]> {
        let both = |&out: &(u32, u32)| self.links[to as usize].iter().map(move |&back| [out, back]);
        let all = self.links[from as usize].iter().flat_map(both);
        let reached = all.filter_map(|ends| Some((self.distance(ends[0].1, ends[1].1)?, ends)));
        reached.min().map(|(_, ends)| ends)
    }
}

const NO_TREE: u32 = u32::MAX;

/// Writes the tree of shortest paths from a root and returns its switches, parents before children.
fn grow(root: u32, between: &[Vec<(u32, u32)>], up: &mut [ParentLink]) -> Vec<u32> {
    up.fill(ParentLink { depth: u32::MAX, parent: None });
    up[root as usize].depth = 0;
    let (mut edge, mut order) = (VecDeque::from([root]), Vec::new());
    while let Some(switch) = edge.pop_front() {
        order.push(switch);
        for &(channel, next) in &between[switch as usize] {
            if up[next as usize].depth == u32::MAX {
                up[next as usize] =
                    ParentLink { depth: up[switch as usize].depth + 1, parent: Some((channel ^ 1, switch)) };
                edge.push_back(next);
            }
        }
    }
    order
}

/// Links on all paths between two hosts: every link of the tree counts once per pair on different sides.
fn path_sum(order: &[u32], up: &[ParentLink], hosts_on: &[u64]) -> u64 {
    let mut below = hosts_on.to_vec();
    let all: u64 = order.iter().map(|&switch| hosts_on[switch as usize]).sum();
    let mut sum = 0;
    for &switch in order.iter().rev() {
        if let Some((_, parent)) = up[switch as usize].parent {
            let here = below[switch as usize];
            below[parent as usize] += here;
            sum += here * (all - here);
        }
    }
    sum
}

impl Routing for SpanningTree {
    fn choices(&self, from: u32, to: u32) -> u32 {
        u32::from(from == to || from.max(to) < self.hosts && self.ends(from, to).is_some())
    }

    fn path(&self, from: u32, to: u32, _choice: u32, channels: &mut Vec<u32>) {
        let Some([(out, mut a), (back, mut b)]) =
            Some((from, to)).filter(|_| from != to).and_then(|_| self.ends(from, to))
        else {
            return;
        };
        channels.push(out);
        let mut down = vec![back ^ 1];
        while a != b {
            let climbs = self.up[a as usize].depth >= self.up[b as usize].depth;
            let at = if climbs { &mut a } else { &mut b };
            let Some((channel, parent)) = self.up[*at as usize].parent else { break };
            *at = parent;
            if climbs { channels.push(channel) } else { down.push(channel ^ 1) }
        }
        channels.extend(down.into_iter().rev());
    }
}
