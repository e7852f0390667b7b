//! A second path per pair, over other links than the first (Etsion et al. 2000, section 4).
//!
//! The first path is the minimal one with least-used links. The second leaves out the links of the first and may be longer.
//! Hosts with one link keep it in both. Two hosts on one switch then have no second path; the paper's search gave them "a
//! needless loop" over another switch and back, which `loops` adds.

use super::{
    Minimal, Routing, RoutingTooLarge,
    shortest::{Graph, LeastUsed, NOWHERE, Paths},
};
use crate::{
    cancel::counted,
    fabric::{Fabric, channel_link, kind::RoutingEntry},
};

/// Up to two paths per pair: path 0 is minimal, path 1 shares no link with it except a host's only one.
#[derive(Clone, Debug)]
pub struct Disjoint {
    first: Minimal,
    second: Paths,
}

impl Disjoint {
    pub(in crate::fabric) const ENTRY: RoutingEntry = RoutingEntry {
        name: "two-paths",
        label: "Two paths over different links",
        explanation: "shortest paths, and a second path over other links; `paths` chooses between them",
        searches: true,
        build: |_, fabric| Ok(Box::new(Disjoint::of(fabric, false)?)),
    };

    /// Max hosts, since each pair takes its own search.
    pub const MAX_HOSTS: u32 = 512;

    /// The paths of a fabric; with `loops`, hosts of one switch have a second path over another switch and back.
    ///
    /// # Errors
    /// More than [`Disjoint::MAX_HOSTS`] hosts.
    pub fn of(fabric: &Fabric, loops: bool) -> Result<Disjoint, RoutingTooLarge> {
        let (hosts, nodes) = (fabric.hosts, fabric.nodes());
        if hosts > Self::MAX_HOSTS {
            return Err(RoutingTooLarge {
                what: "hosts with second paths",
                hosts,
                nodes,
                most: Self::MAX_HOSTS.into(),
            });
        }
        let first = Minimal::of(fabric)?;
        let second = Seconds::of(fabric, &first, loops).all();
        Ok(Disjoint { first, second })
    }
}

struct Seconds<'a> {
    graph: Graph<'a>,
    first: &'a Minimal,
    loops: bool,
    used: LeastUsed,
}

impl<'a> Seconds<'a> {
    /// Starts with the uses of the first paths.
    fn of(fabric: &'a Fabric, first: &'a Minimal, loops: bool) -> Seconds<'a> {
        let mut used = LeastUsed::new(fabric);
        let mut path = Vec::new();
        for (from, to) in pairs(fabric.hosts) {
            if first.choices(from, to) > 0 {
                first.path(from, to, 0, &mut path);
            }
            path.drain(..).for_each(|channel| used.count(channel, 1));
        }
        Seconds { graph: Graph::of(fabric), first, loops, used }
    }

    fn all(mut self) -> Paths {
        let hosts = self.graph.fabric.hosts;
        let mut paths = Paths::new(hosts);
        let mut first = Vec::new();
        let mut costs = Vec::new();
        for pair in counted(0..hosts * hosts) {
            let (from, to) = (pair / hosts, pair % hosts);
            first.clear();
            if from != to && self.first.choices(from, to) > 0 {
                self.first.path(from, to, 0, &mut first);
                self.second([from, to], &first, &mut costs, &mut paths.channels);
            }
            paths.end();
        }
        paths
    }

    /// Appends the second path of a pair, if there is one.
    fn second(&mut self, ends: [u32; 2], first: &[u32], costs: &mut Vec<u64>, channels: &mut Vec<u32>) {
        let mut links: Vec<u32> = first.iter().map(|&channel| channel_link(channel)).collect();
        let needed = |link: &u32| {
            let ends = self.graph.fabric.links[*link as usize].ends;
            ends.iter()
                .any(|&node| self.graph.fabric.is_host(node) && self.graph.leaving[node as usize].len() == 1)
        };
        links.retain(|link| !needed(link));
        let closed = |channel: u32| links.contains(&channel_link(channel));
        if links.is_empty() {
            if self.loops {
                self.around(first, channels);
            }
            return;
        }
        self.graph.costs(ends[0], closed, costs);
        if costs[ends[1] as usize] != NOWHERE {
            self.used.path(&self.graph, costs, closed, ends, channels);
        }
    }

    /// The first path with a detour to a neighbouring switch and back in its middle, over least-used channels.
    fn around(&mut self, first: &[u32], channels: &mut Vec<u32>) {
        let &[out, back] = first else { return };
        let fabric = self.graph.fabric;
        let switch = fabric.channel_ends(out).1;
        let aside = |channel: &u32| !fabric.is_host(fabric.channel_ends(*channel).1);
        let there = self.graph.leaving[switch as usize].iter().copied().filter(aside);
        let Some(there) = there.min_by_key(|&c| (self.used.uses(c), c)) else { return };
        let path = [out, there, there ^ 1, back];
        path.iter().for_each(|&channel| self.used.count(channel, 1));
        channels.extend(path);
    }
}

fn pairs(hosts: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..hosts).flat_map(move |from| (0..hosts).map(move |to| (from, to)))
}

impl Routing for Disjoint {
    fn bytes(&self) -> u64 {
        self.first.bytes() + self.second.bytes()
    }

    fn choices(&self, from: u32, to: u32) -> u32 {
        self.first.choices(from, to) + u32::from(!self.second.of(from, to).is_empty())
    }

    fn path(&self, from: u32, to: u32, choice: u32, channels: &mut Vec<u32>) {
        match choice {
            0 => self.first.path(from, to, 0, channels),
            _ => channels.extend_from_slice(self.second.of(from, to)),
        }
    }
}
