//! Shortest paths with least-used links, for minimal paths and second paths.
//!
//! A path through fewer hosts is shorter, whatever its links, since a host that forwards costs as much as many switches
//! (Nitzberg et al. 1999, section 3). Among paths with equal hosts, the path with fewer links is shorter.

use crate::cancel::check;
use crate::fabric::{Fabric, kind::Hops};

/// Cost of a host on a path; a link costs 1.
pub(super) const FORWARD: u64 = 1 << 32;
pub(super) const NOWHERE: u64 = u64::MAX;

/// A fabric with the channels at every node.
pub(super) struct Graph<'a> {
    pub fabric: &'a Fabric,
    pub leaving: Vec<Vec<u32>>,
}

impl<'a> Graph<'a> {
    pub fn of(fabric: &'a Fabric) -> Graph<'a> {
        Graph { fabric, leaving: fabric.leaving() }
    }

    /// Channels that reach a node.
    pub fn entering(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        self.leaving[node as usize].iter().map(|channel| channel ^ 1)
    }

    /// Cost of passing a node that is not an end of the path.
    pub fn through(&self, node: u32) -> u64 {
        if self.fabric.is_host(node) { FORWARD } else { 0 }
    }

    /// Cost from `end` to every node without closed channels.
    ///
    /// Breadth first, once per number of hosts that forward: the hosts found with one number are where the next begins.
    pub fn costs(&self, end: u32, closed: impl Fn(u32) -> bool, costs: &mut Vec<u64>) {
        costs.clear();
        costs.resize(self.leaving.len(), NOWHERE);
        costs[end as usize] = 0;
        let mut through = 0;
        // Hosts with their links so far, ascending, from which paths go on.
        let mut begin = vec![(0, end)];
        while let Some(&(mut links, _)) = begin.first() {
            let mut waiting = std::mem::take(&mut begin).into_iter().peekable();
            let (mut here, mut next) = (Vec::new(), Vec::new());
            loop {
                check();
                here.extend(
                    std::iter::from_fn(|| waiting.next_if(|host| host.0 == links)).map(|host| host.1),
                );
                links += 1;
                let cost = through + links;
                for node in here.drain(..) {
                    for &channel in self.leaving[node as usize].iter().filter(|&&channel| !closed(channel)) {
                        let reached = self.fabric.channel_ends(channel).1;
                        if cost >= costs[reached as usize] {
                            continue;
                        }
                        costs[reached as usize] = cost;
                        match self.fabric.is_host(reached) {
                            true => begin.push((links, reached)),
                            false => next.push(reached),
                        }
                    }
                }
                std::mem::swap(&mut here, &mut next);
                match waiting.peek() {
                    _ if !here.is_empty() => {}
                    Some(&(further, _)) => links = further,
                    None => break,
                }
            }
            through += FORWARD;
        }
    }
}

/// Hosts and switches on minimal paths, from one host at a time.
pub struct Distances<'a> {
    graph: Graph<'a>,
    costs: Vec<u64>,
}

impl<'a> Distances<'a> {
    /// Distances in a fabric.
    pub fn of(fabric: &'a Fabric) -> Distances<'a> {
        Distances { graph: Graph::of(fabric), costs: Vec::new() }
    }

    /// Hosts and switches between a host and each host; `None` for itself and for unreachable hosts.
    pub fn from(&mut self, host: u32) -> impl Iterator<Item = Option<Hops>> + '_ {
        self.graph.costs(host, |_| false, &mut self.costs);
        let Fabric { hosts, .. } = *self.graph.fabric;
        let only_cables = self.graph.fabric.has_only_cables();
        self.costs[..hosts as usize].iter().map(move |&cost| match cost {
            0 | NOWHERE => None,
            cost => {
                let hosts = (cost / FORWARD) as u32;
                let switches = if only_cables { 0 } else { (cost % FORWARD) as u32 - 1 - hosts };
                Some(Hops::new(hosts, switches))
            }
        })
    }
}

/// Uses of each channel, with work space to find least-used paths.
pub(super) struct LeastUsed {
    uses: Vec<u64>,
    /// The sum of uses on the best path to each node, and the last channel.
    best: Vec<(u64, u32)>,
    seen: Vec<bool>,
    nodes: Vec<u32>,
}

impl LeastUsed {
    pub fn new(fabric: &Fabric) -> LeastUsed {
        let nodes = fabric.nodes() as usize;
        LeastUsed {
            uses: vec![0; fabric.channels() as usize],
            best: vec![(0, 0); nodes],
            seen: vec![false; nodes],
            nodes: Vec::new(),
        }
    }

    pub fn uses(&self, channel: u32) -> u64 {
        self.uses[channel as usize]
    }

    pub fn count(&mut self, channel: u32, paths: u64) {
        self.uses[channel as usize] += paths;
    }

    /// Appends the cheapest path with the least sum of uses, and counts it; `costs` are those from `from`, as closed.
    pub fn path(
        &mut self,
        graph: &Graph,
        costs: &[u64],
        closed: impl Fn(u32) -> bool,
        [from, to]: [u32; 2],
        channels: &mut Vec<u32>,
    ) {
        let cheapest = |channel: &u32| {
            let (before, node) = graph.fabric.channel_ends(*channel);
            let on = if before == from { 0 } else { graph.through(before) };
            let cost = costs[before as usize];
            !closed(*channel) && cost != NOWHERE && cost + 1 + on == costs[node as usize]
        };
        self.collect(graph, to, cheapest);
        for &node in self.nodes.iter().filter(|&&node| node != from) {
            let ways = graph.entering(node).filter(cheapest).map(|channel| {
                let before = graph.fabric.channel_ends(channel).0;
                (self.best[before as usize].0 + self.uses[channel as usize], channel)
            });
            self.best[node as usize] = ways.min().expect("a node that was reached");
        }
        let (first, mut at) = (channels.len(), to);
        while at != from {
            let channel = self.best[at as usize].1;
            self.uses[channel as usize] += 1;
            channels.push(channel);
            at = graph.fabric.channel_ends(channel).0;
        }
        channels[first..].reverse();
        for node in self.nodes.drain(..) {
            (self.seen[node as usize], self.best[node as usize]) = (false, (0, 0));
        }
    }

    /// Puts all nodes of cheapest paths to `to` into `nodes`, earlier ones first.
    fn collect(&mut self, graph: &Graph, to: u32, cheapest: impl Fn(&u32) -> bool) {
        let mut open = vec![(to, false)];
        while let Some((node, done)) = open.pop() {
            if done {
                self.nodes.push(node);
                continue;
            }
            if std::mem::replace(&mut self.seen[node as usize], true) {
                continue;
            }
            open.push((node, true));
            open.extend(
                graph.entering(node).filter(&cheapest).map(|c| (graph.fabric.channel_ends(c).0, false)),
            );
        }
    }
}

/// One stored path from each host to each other one.
#[derive(Clone, Debug)]
pub(super) struct Paths {
    hosts: u32,
    /// Path of pair p: `channels[starts[p]..starts[p + 1]]`.
    starts: Vec<u32>,
    pub channels: Vec<u32>,
}

impl Paths {
    pub fn bytes(&self) -> u64 {
        4 * (self.starts.len() + self.channels.len()) as u64
    }

    pub fn new(hosts: u32) -> Paths {
        let pairs = hosts as usize * hosts as usize;
        let mut starts = Vec::with_capacity(pairs + 1);
        starts.push(0);
        Paths { hosts, starts, channels: Vec::new() }
    }

    /// Ends the path of the next pair, in order of sources and then of destinations.
    pub fn end(&mut self) {
        check();
        self.starts.push(self.channels.len() as u32);
    }

    /// The path of a pair; empty without one.
    pub fn of(&self, from: u32, to: u32) -> &[u32] {
        let pair = from as usize * self.hosts as usize + to as usize;
        &self.channels[self.starts[pair] as usize..self.starts[pair + 1] as usize]
    }
}
