//! Minimal paths over least-used links, as Fast Messages finds them (Etsion et al. 2000, section 1.2).
//!
//! Sources are taken by number, and per source its destinations; among minimal paths, the one with the least-used links so far
//! is chosen. Every pair's path is stored for up to [`Minimal::MAX_PAIRED`] hosts. Beyond, a table per destination holds each
//! node's next channel: paths to a destination then merge where they meet, and the least-used channel is chosen by the number
//! of its paths.

use super::{
    Routing, RoutingTooLarge,
    shortest::{Graph, LeastUsed, NOWHERE, Paths},
};
use crate::cancel::{checked, counted};
use crate::fabric::{Fabric, kind::RoutingEntry};

/// One minimal path per pair.
#[derive(Clone, Debug)]
pub struct Minimal(Store);

#[derive(Clone, Debug)]
enum Store {
    Paths(Paths),
    Tables(Tables),
}

/// Per destination the next channel from each node; [`NONE`] without a path.
#[derive(Clone, Debug)]
struct Tables {
    nodes: usize,
    next: Vec<u32>,
    /// The node that each channel reaches.
    reached: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Minimal {
    /// Max hosts whose pairs each have their own path.
    pub const MAX_PAIRED: u32 = 256;
    /// Max channels of all paths together; beyond, there are tables too.
    const MAX_CHANNELS: usize = 1 << 25;
    /// Max entries of all tables together.
    pub const MAX_ENTRIES: u64 = 1 << 26;

    pub(in crate::fabric) const ENTRY: RoutingEntry = RoutingEntry {
        name: "minimal",
        label: "Shortest paths, least-used links",
        explanation: "shortest paths over the links used least so far",
        searches: true,
        build: |_, fabric| Ok(Box::new(Minimal::of(fabric)?)),
    };

    /// The paths of a fabric.
    ///
    /// # Errors
    /// The tables would have more than [`Minimal::MAX_ENTRIES`] entries: one per host and node.
    pub fn of(fabric: &Fabric) -> Result<Minimal, RoutingTooLarge> {
        let graph = Graph::of(fabric);
        if fabric.hosts <= Self::MAX_PAIRED
            && let Some(paths) = each_pair(&graph)
        {
            return Ok(Minimal(Store::Paths(paths)));
        }
        if !Minimal::fits(fabric) {
            let (hosts, nodes) = (fabric.hosts, fabric.nodes());
            let what = "routing table entries (one per host and node)";
            return Err(RoutingTooLarge { what, hosts, nodes, most: Self::MAX_ENTRIES });
        }
        Ok(Minimal(Store::Tables(tables(&graph))))
    }

    /// `true` if the tables have at most [`Minimal::MAX_ENTRIES`] entries.
    pub fn fits(fabric: &Fabric) -> bool {
        u64::from(fabric.hosts) * u64::from(fabric.nodes()) <= Self::MAX_ENTRIES
    }
}

/// The path of every pair; `None` if they have too many channels.
fn each_pair(graph: &Graph) -> Option<Paths> {
    let hosts = graph.fabric.hosts;
    let mut paths = Paths::new(hosts);
    let mut used = LeastUsed::new(graph.fabric);
    let mut costs = Vec::new();
    for from in counted(0..hosts) {
        graph.costs(from, |_| false, &mut costs);
        for to in 0..hosts {
            if from != to && costs[to as usize] != NOWHERE {
                used.path(graph, &costs, |_| false, [from, to], &mut paths.channels);
            }
            paths.end();
        }
        if paths.channels.len() > Minimal::MAX_CHANNELS {
            return None;
        }
    }
    Some(paths)
}

fn tables(graph: &Graph) -> Tables {
    let fabric = graph.fabric;
    let nodes = fabric.nodes() as usize;
    let mut tables = Tables { nodes, next: vec![NONE; nodes * fabric.hosts as usize], reached: Vec::new() };
    tables.reached = (0..fabric.channels()).map(|channel| fabric.channel_ends(channel).1).collect();
    let mut used = LeastUsed::new(fabric);
    let mut costs = Vec::new();
    for to in counted(0..fabric.hosts) {
        graph.costs(to, |_| false, &mut costs);
        let mut far: Vec<u32> = (0..fabric.nodes()).filter(|&node| node != to).collect();
        far.retain(|&node| costs[node as usize] != NOWHERE);
        far.sort_by_key(|&node| std::cmp::Reverse(costs[node as usize]));
        let mut paths = vec![1; fabric.hosts as usize];
        paths.resize(nodes, 0);
        for node in checked(far) {
            let cheapest = |channel: &u32| {
                let next = fabric.channel_ends(*channel).1;
                let on = if next == to { 0 } else { graph.through(next) };
                costs[next as usize] != NOWHERE && costs[next as usize] + 1 + on == costs[node as usize]
            };
            let ways = graph.leaving[node as usize].iter().copied().filter(cheapest);
            let Some(channel) = ways.min_by_key(|&channel| (used.uses(channel), channel)) else { continue };
            used.count(channel, paths[node as usize]);
            paths[fabric.channel_ends(channel).1 as usize] += paths[node as usize];
            tables.next[to as usize * nodes + node as usize] = channel;
        }
    }
    tables
}

impl Routing for Minimal {
    fn bytes(&self) -> u64 {
        match &self.0 {
            Store::Paths(paths) => paths.bytes(),
            Store::Tables(tables) => 4 * (tables.next.len() + tables.reached.len()) as u64,
        }
    }

    fn choices(&self, from: u32, to: u32) -> u32 {
        u32::from(match &self.0 {
            _ if from == to => true,
            Store::Paths(paths) => !paths.of(from, to).is_empty(),
            Store::Tables(tables) => tables.next[to as usize * tables.nodes + from as usize] != NONE,
        })
    }

    fn path(&self, from: u32, to: u32, _choice: u32, channels: &mut Vec<u32>) {
        match &self.0 {
            Store::Paths(paths) => channels.extend_from_slice(paths.of(from, to)),
            Store::Tables(tables) => {
                let table = &tables.next[to as usize * tables.nodes..][..tables.nodes];
                let mut at = from;
                while at != to {
                    channels.push(table[at as usize]);
                    at = tables.reached[table[at as usize] as usize];
                }
            }
        }
    }
}
