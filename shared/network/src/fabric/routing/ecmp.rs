//! All minimal paths, as switches with equal-cost multi-path routing use them.
//!
//! A table holds the cost from each node to each destination. Where switches join all hosts, so that none forwards, it has
//! columns for switches only, and one row for all hosts with the same switches: a fat tree of 65,536 hosts has 2,048 rows.

mod around;

pub use around::Neighbourhood;

use super::{
    Routing, RoutingTooLarge,
    shortest::{FORWARD, Graph, NOWHERE},
};
use crate::{
    cancel::{checked, counted},
    fabric::{Fabric, Hops, channel_link, kind::RoutingEntry},
    random::{mix, mix_pair},
    union_find::UnionFind,
};
use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
};

/// Every minimal path of a pair. A path number is the hash of a flow: each node picks one of its equally short ways by it.
/// Consecutive numbers use the ways of each node in turn, so that numbers drawn at random spray evenly.
#[derive(Clone, Debug)]
pub struct Ecmp {
    hosts: u32,
    /// All switches are cables between two hosts.
    only_cables: bool,
    /// Channels that leave node n: `leaving[starts[n]..starts[n + 1]]`.
    starts: Vec<u32>,
    leaving: Vec<u32>,
    /// Channels that leave node n for nodes with a column: `inner[inner_starts[n]..inner_starts[n + 1]]`. Empty if all nodes have
    /// one.
    inner_starts: Vec<u32>,
    inner: Vec<u32>,
    /// The node that each channel reaches.
    reached: Vec<u32>,
    /// The row of each destination.
    rows: Vec<u32>,
    /// The first node with a column: the first switch if hosts never forward, else the first host.
    first: u32,
    /// Per row the cost from each node with a column: hosts that forward times [`HOST`], and links.
    costs: Vec<u32>,
}

/// Cost of a host on a path; a link costs 1.
const HOST: u32 = 1 << 16;
/// Cost without a path.
const NONE: u32 = u32::MAX;
/// Number of hashes.
const HASHES: u32 = 1 << 16;

/// Work space of [`Ecmp::split`].
#[derive(Clone, Debug, Default)]
pub struct Shares {
    ways: Vec<u32>,
    here: Vec<(u32, f64)>,
    next: Vec<(u32, f64)>,
    /// Position of each node in `next`, if it is there.
    at: Vec<u32>,
}

impl Ecmp {
    /// Max entries of the table: one per row and column.
    pub const MAX_ENTRIES: u64 = 1 << 27;

    pub(in crate::fabric) const ENTRY: RoutingEntry = RoutingEntry {
        name: "ecmp",
        label: "All shortest paths, by hash (ECMP)",
        explanation: "all shortest paths: one per pair, chosen by a hash, or with random paths one per frame",
        searches: false,
        build: |_, fabric| Ok(Box::new(Ecmp::of(fabric)?)),
    };

    /// The paths of a fabric.
    ///
    /// # Errors
    /// The table would have more than [`Ecmp::MAX_ENTRIES`] entries.
    pub fn of(fabric: &Fabric) -> Result<Ecmp, RoutingTooLarge> {
        Ecmp::build(&Graph::of(fabric), &[])
    }

    fn build(graph: &Graph, closed: &[u32]) -> Result<Ecmp, RoutingTooLarge> {
        let mut paths = Ecmp::open(graph, closed);
        let (hosts, nodes) = (graph.fabric.hosts, graph.fabric.nodes());
        let accept = |rows: u32, columns: u32| {
            let what = "routing table entries (one per different row of hosts, and node)";
            let fits = u64::from(rows) * u64::from(columns) <= Self::MAX_ENTRIES;
            fits.then_some(()).ok_or(RoutingTooLarge { what, hosts, nodes, most: Self::MAX_ENTRIES })
        };
        if paths.are_joined_by_switches() {
            let attachments = paths.attachments();
            accept(attachments.len() as u32, nodes - hosts)?;
            paths.find_from(attachments);
        } else {
            accept(hosts, nodes)?;
            paths.find_all(graph, closed);
        }
        Ok(paths)
    }

    /// The channels that leave each node, without those of closed links; no costs yet.
    fn open(graph: &Graph, closed: &[u32]) -> Ecmp {
        let fabric = graph.fabric;
        let mut paths = Ecmp {
            hosts: fabric.hosts,
            only_cables: fabric.has_only_cables(),
            starts: Vec::new(),
            leaving: Vec::new(),
            inner_starts: Vec::new(),
            inner: Vec::new(),
            reached: (0..fabric.channels()).map(|channel| fabric.channel_ends(channel).1).collect(),
            rows: Vec::new(),
            first: 0,
            costs: Vec::new(),
        };
        paths.leave(graph, closed);
        paths
    }

    /// `true` if no path of a fabric leads through a host, and switches join all hosts that have links.
    pub fn is_joined_by_switches(fabric: &Fabric) -> bool {
        Ecmp::open(&Graph::of(fabric), &[]).are_joined_by_switches()
    }

    /// `true` if no path leads through a host: no cable joins two hosts, and one part of the switches reaches every host that
    /// has links.
    fn are_joined_by_switches(&self) -> bool {
        let nodes = self.starts.len() as u32 - 1;
        let mut parts = UnionFind::new(nodes - self.hosts);
        for (node, next) in (0..nodes).flat_map(|node| self.next(node).map(move |next| (node, next))) {
            match (node.checked_sub(self.hosts), next.checked_sub(self.hosts)) {
                (None, None) => return false,
                (Some(switch), Some(next)) => {
                    parts.join(switch, next);
                }
                _ => {}
            }
        }
        let mut common: Option<Vec<u32>> = None;
        for host in 0..self.hosts {
            let mut own: Vec<u32> = self.next(host).map(|switch| parts.root(switch - self.hosts)).collect();
            own.sort_unstable();
            own.dedup();
            match &mut common {
                _ if own.is_empty() => {}
                Some(common) => common.retain(|part| own.binary_search(part).is_ok()),
                None => common = Some(own),
            }
        }
        common.is_some_and(|common| !common.is_empty())
    }

    /// The nodes that the channels of a node reach.
    fn next(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        self.channels(node).iter().map(|&channel| self.reached[channel as usize])
    }

    /// The channels that leave a node, ascending.
    fn channels(&self, node: u32) -> &[u32] {
        &self.leaving[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    /// The channels of a node that reach nodes with a column, ascending.
    fn inner_channels(&self, node: u32) -> &[u32] {
        if self.first == 0 {
            return self.channels(node);
        }
        let range = self.inner_starts[node as usize] as usize..self.inner_starts[node as usize + 1] as usize;
        &self.inner[range]
    }

    /// The sets of switches that hosts are on, with their hosts.
    fn attachments(&self) -> BTreeMap<Vec<u32>, Vec<u32>> {
        let mut attachments: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        for host in 0..self.hosts {
            let mut switches: Vec<u32> = self.next(host).collect();
            switches.sort_unstable();
            switches.dedup();
            attachments.entry(switches).or_default().push(host);
        }
        attachments
    }

    /// One row per set of switches, with the costs from each switch to its hosts, breadth first.
    fn find_from(&mut self, attachments: BTreeMap<Vec<u32>, Vec<u32>>) {
        self.first = self.hosts;
        (self.inner_starts, self.inner) = (vec![0], Vec::new());
        for node in 0..self.starts.len() as u32 - 1 {
            let range = self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize;
            let leads_in = |channel: &u32| self.reached[*channel as usize] >= self.hosts;
            self.inner.extend(self.leaving[range].iter().copied().filter(leads_in));
            self.inner_starts.push(self.inner.len() as u32);
        }
        self.rows = vec![0; self.hosts as usize];
        let columns = self.starts.len() - 1 - self.hosts as usize;
        let mut costs = vec![NONE; attachments.len() * columns];
        let sets = counted(attachments.into_iter().enumerate());
        for ((number, (switches, hosts)), row) in sets.zip(costs.chunks_mut(columns.max(1))) {
            hosts.into_iter().for_each(|host| self.rows[host as usize] = number as u32);
            let (mut here, mut next) = (switches, Vec::new());
            for cost in 1.. {
                here.retain(|&switch| {
                    let own = &mut row[(switch - self.hosts) as usize];
                    *own == NONE && {
                        *own = cost;
                        true
                    }
                });
                for &switch in &here {
                    let switches = self.next(switch).filter(|&next| next >= self.hosts);
                    next.extend(switches.filter(|&next| row[(next - self.hosts) as usize] == NONE));
                }
                if next.is_empty() {
                    break;
                }
                std::mem::swap(&mut here, &mut next);
                next.clear();
            }
        }
        self.costs = costs;
    }

    /// Sets the costs from every node to every host.
    fn find_all(&mut self, graph: &Graph, closed: &[u32]) {
        self.rows = (0..self.hosts).collect();
        let nodes = self.starts.len() - 1;
        self.costs = vec![NONE; self.rows.len() * nodes];
        // Hosts with the same neighbours are as far from all others.
        let mut first: HashMap<Vec<u32>, u32> = HashMap::new();
        for to in counted(0..self.hosts) {
            let mut neighbours: Vec<u32> = self.next(to).collect();
            neighbours.sort_unstable();
            match first.get(&neighbours) {
                Some(&twin) => {
                    let row = twin as usize * nodes;
                    self.costs.copy_within(row..row + nodes, to as usize * nodes);
                    self.costs[to as usize * nodes..][..nodes].swap(twin as usize, to as usize);
                }
                None => {
                    self.find(graph, to, closed);
                    first.insert(neighbours, to);
                }
            }
        }
    }

    /// The paths without some links. Where switches no longer join all hosts, hosts forward if the table fits, else the others
    /// are out of reach.
    pub fn without(&self, fabric: &Fabric, links: &[u32]) -> Ecmp {
        let graph = Graph::of(fabric);
        if self.first > 0 {
            return Ecmp::build(&graph, links).unwrap_or_else(|_| {
                let mut paths = Ecmp::open(&graph, links);
                paths.find_from(paths.attachments());
                paths
            });
        }
        let mut paths = self.clone();
        paths.leave(&graph, links);
        let mut ends: Vec<u32> = links.iter().flat_map(|&link| fabric.links[link as usize].ends).collect();
        ends.sort_unstable();
        ends.dedup();
        // No path leads through a switch without links.
        let has_links = |node: u32| paths.starts[node as usize] < paths.starts[node as usize + 1];
        ends.retain(|&node| node < self.hosts || has_links(node));
        for to in checked(0..self.hosts) {
            // Costs stay as long as every end keeps a way.
            let lost = |&node: &u32| {
                node != to && paths.cost(node, to) != NONE && paths.ways(node, to).next().is_none()
            };
            if ends.iter().any(lost) {
                paths.find(&graph, to, links);
            }
        }
        paths
    }

    /// Sets the channels that leave each node, without those of closed links.
    fn leave(&mut self, graph: &Graph, closed: &[u32]) {
        (self.starts, self.leaving) = (vec![0], Vec::new());
        for channels in &graph.leaving {
            self.leaving.extend(channels.iter().filter(|&&channel| !closed.contains(&channel_link(channel))));
            self.starts.push(self.leaving.len() as u32);
        }
    }

    /// Sets the costs to a host. A path has fewer links than there are nodes, and those fit [`HOST`] in any table that is not too
    /// large.
    fn find(&mut self, graph: &Graph, to: u32, closed: &[u32]) {
        let mut costs = Vec::new();
        graph.costs(to, |channel| closed.contains(&channel_link(channel)), &mut costs);
        let nodes = costs.len();
        let row = &mut self.costs[to as usize * nodes..][..nodes];
        for (own, cost) in row.iter_mut().zip(costs) {
            *own = match cost {
                NOWHERE => NONE,
                cost => (cost / FORWARD) as u32 * HOST + (cost % FORWARD) as u32,
            };
        }
    }

    /// The cost from a node to a host.
    fn cost(&self, node: u32, to: u32) -> u32 {
        match node.checked_sub(self.first) {
            _ if node == to => 0,
            Some(column) => self.row(to)[column as usize],
            None => {
                let next = self.next(node).map(|next| self.cost(next, to)).min().unwrap_or(NONE);
                if next == NONE { NONE } else { next + 1 }
            }
        }
    }

    /// The costs to a host from each node with a column.
    fn row(&self, to: u32) -> &[u32] {
        let columns = self.starts.len() - 1 - self.first as usize;
        &self.costs[self.rows[to as usize] as usize * columns..][..columns]
    }

    /// The channels from a node on minimal paths to a host, ascending.
    fn ways(&self, node: u32, to: u32) -> impl Iterator<Item = u32> + '_ {
        self.ways_at(self.cost(node, to), node, to)
    }

    /// [`Ecmp::ways`] from a node with the cost `own`. Next to the host, they are found from there, since a switch has many more
    /// channels.
    fn ways_at(&self, own: u32, node: u32, to: u32) -> impl Iterator<Item = u32> + '_ {
        let row = self.row(to);
        let is_last = own == 1;
        let channels = if is_last { self.channels(to) } else { self.inner_channels(node) };
        let leads_on = move |channel: &u32| {
            let next = self.reached[*channel as usize];
            if is_last {
                return next == node;
            }
            let link = if next < self.hosts { HOST + 1 } else { 1 };
            // Without a path, the sum is no cost of any.
            next != to && row[(next - self.first) as usize].wrapping_add(link) == own
        };
        let reverse = u32::from(is_last);
        channels.iter().copied().filter(leads_on).map(move |channel| channel ^ reverse)
    }

    /// The cost behind a channel of a minimal path, whose cost from its start is `own`.
    fn left(&self, own: u32, channel: u32) -> u32 {
        own - if self.reached[channel as usize] < self.hosts && own > HOST { HOST + 1 } else { 1 }
    }

    /// Hosts and switches on a minimal path; `None` without one, and from a host to itself.
    pub fn hops(&self, from: u32, to: u32) -> Option<Hops> {
        match self.cost(from, to) {
            0 | NONE => None,
            cost if self.only_cables => Some(Hops::new(cost / HOST, 0)),
            cost => Some(Hops::new(cost / HOST, cost % HOST - 1 - cost / HOST)),
        }
    }

    /// Calls `add(channel, share)` for the channels of all minimal paths from one host to another, if every node splits evenly
    /// among its ways. The shares that leave `from` sum to 1.
    pub fn split(&self, [from, to]: [u32; 2], work: &mut Shares, mut add: impl FnMut(u32, f64)) {
        if self.cost(from, to) == NONE {
            return;
        }
        work.at.resize(self.starts.len() - 1, NONE);
        work.here.clear();
        work.here.push((from, 1.0));
        // All minimal paths have the same number of links.
        while work.here.first().is_some_and(|&(node, _)| node != to) {
            for &(node, share) in &work.here {
                work.ways.clear();
                work.ways.extend(self.ways(node, to));
                let each = share / work.ways.len() as f64;
                for &channel in &work.ways {
                    add(channel, each);
                    let next = self.reached[channel as usize];
                    match work.at[next as usize] {
                        NONE => {
                            work.at[next as usize] = work.next.len() as u32;
                            work.next.push((next, each));
                        }
                        at => work.next[at as usize].1 += each,
                    }
                }
            }
            std::mem::swap(&mut work.here, &mut work.next);
            work.next.clear();
            work.here.iter().for_each(|&(node, _)| work.at[node as usize] = NONE);
        }
    }

    /// [`Ecmp::split`] over a switch that both hosts are on. Returns `false` if one is not.
    pub fn split_through(&self, [from, to]: [u32; 2], switch: u32, mut add: impl FnMut(u32, f64)) -> bool {
        let switch = self.hosts + switch;
        let joining = |from: u32, to: u32| {
            self.channels(from).iter().copied().filter(move |&channel| self.reached[channel as usize] == to)
        };
        let ways = [joining(from, switch), joining(switch, to)];
        let counts = ways.clone().map(Iterator::count);
        if counts.contains(&0) {
            return false;
        }
        for (ways, count) in ways.into_iter().zip(counts) {
            ways.for_each(|channel| add(channel, 1.0 / count as f64));
        }
        true
    }

    /// The paths from one host over a switch that it is on, and a switch of the other host, over uplink switches that join the two, or
    /// directly; empty if nothing joins them.
    pub fn paths_over(&self, [from, to]: [u32; 2], switches: [u32; 2]) -> Vec<Vec<u32>> {
        let [first, last] = switches.map(|switch| self.hosts + switch);
        let joining = |from: u32, to: u32| {
            self.channels(from).iter().copied().filter(move |&channel| self.reached[channel as usize] == to)
        };
        let mut between: Vec<Vec<u32>> = joining(first, last).map(|channel| vec![channel]).collect();
        if between.is_empty() {
            for &up in self.channels(first) {
                let uplink = self.reached[up as usize];
                if uplink >= self.hosts {
                    between.extend(joining(uplink, last).map(|down| vec![up, down]));
                }
            }
        }
        let mut paths = Vec::new();
        for begin in joining(from, first) {
            for end in joining(last, to) {
                paths.extend(between.iter().map(|between| [&[begin], &between[..], &[end]].concat()));
            }
        }
        paths
    }

    /// [`Ecmp::split`] over [`Ecmp::paths_over`], which are used evenly. Returns `false` if there are none.
    pub fn split_over(&self, ends: [u32; 2], switches: [u32; 2], mut add: impl FnMut(u32, f64)) -> bool {
        let paths = self.paths_over(ends, switches);
        let share = 1.0 / paths.len() as f64;
        paths.iter().flatten().for_each(|&channel| add(channel, share));
        !paths.is_empty()
    }

    /// [`Ecmp::split`] of the amounts of several hosts to one, all together; each channel comes once.
    pub fn gather(&self, to: u32, sources: &[(u32, f64)], mut add: impl FnMut(u32, f64)) {
        let count = self.starts.len() as u32 - 1;
        let mut amounts = vec![0.0; count as usize];
        let senders = sources.iter().map(|&(from, _)| from).filter(|&from| from < self.first);
        let mut nodes: Vec<(u32, u32)> =
            senders.chain(self.first..count).map(|node| (self.cost(node, to), node)).collect();
        // Every way leads to a lower cost.
        nodes.retain(|&(cost, node)| node != to && cost != NONE);
        nodes.sort_unstable_by_key(|&(cost, node)| (std::cmp::Reverse(cost), node));
        nodes.dedup();
        for &(from, amount) in sources.iter().filter(|&&(from, _)| self.cost(from, to) != NONE) {
            amounts[from as usize] += amount;
        }
        let mut ways = Vec::new();
        for (_, node) in nodes {
            let amount = amounts[node as usize];
            if amount == 0.0 {
                continue;
            }
            ways.clear();
            ways.extend(self.ways(node, to));
            let each = amount / ways.len() as f64;
            for &channel in &ways {
                add(channel, each);
                amounts[self.reached[channel as usize] as usize] += each;
            }
        }
    }
}

impl Routing for Ecmp {
    fn bytes(&self) -> u64 {
        let channels = self.starts.len() + self.leaving.len() + self.inner_starts.len() + self.inner.len();
        4 * (channels + self.reached.len() + self.rows.len() + self.costs.len()) as u64
    }

    fn choices(&self, from: u32, to: u32) -> u32 {
        // A host without a column reaches what one of its switches reaches.
        let reaches = from != to
            && match from < self.first {
                true => self.next(from).any(|next| self.cost(next, to) != NONE),
                false => self.cost(from, to) != NONE,
            };
        if reaches { HASHES } else { 0 }
    }

    fn path(&self, from: u32, to: u32, choice: u32, channels: &mut Vec<u32>) {
        let mut pick = Pick::new(from, to, choice);
        let (mut node, mut cost, mut ways) = (from, self.cost(from, to), Vec::new());
        while node != to {
            ways.clear();
            ways.extend(self.ways_at(cost, node, to));
            let channel = ways[pick.way(node, ways.len())];
            channels.push(channel);
            cost = self.left(cost, channel);
            node = self.reached[channel as usize];
        }
    }

    /// Finds the ways of each node once for all choices.
    fn paths(&self, [from, to]: [u32; 2], choices: &[u32], each: &mut dyn FnMut(usize, &[u32])) {
        let mut crossings = vec![Crossing { node: from, cost: self.cost(from, to), ways: 0..0 }];
        // Each way with the number of the crossing that it leads to, once that is known.
        let mut ways: Vec<(u32, u32)> = Vec::new();
        let mut known: HashMap<u32, u32> = HashMap::from([(from, 0)]);
        let mut channels = Vec::new();
        for (at, &choice) in choices.iter().enumerate() {
            channels.clear();
            let (mut pick, mut here) = (Pick::new(from, to, choice), 0);
            while crossings[here as usize].node != to {
                let Crossing { node, cost, ways: own } = &mut crossings[here as usize];
                if own.start == own.end {
                    let start = ways.len();
                    ways.extend(self.ways_at(*cost, *node, to).map(|channel| (channel, NONE)));
                    *own = start..ways.len();
                }
                let (channel, next) = &mut ways[own.start + pick.way(*node, own.len())];
                channels.push(*channel);
                if *next == NONE {
                    let (node, cost) = (self.reached[*channel as usize], self.left(*cost, *channel));
                    *next = *known.entry(node).or_insert_with(|| {
                        crossings.push(Crossing { node, cost, ways: 0..0 });
                        crossings.len() as u32 - 1
                    });
                }
                here = *next;
            }
            each(at, &channels);
        }
    }
}

/// A node on paths to a host.
struct Crossing {
    node: u32,
    /// Cost of the way to the host.
    cost: u32,
    /// Range of its ways; empty until a path needs them.
    ways: Range<usize>,
}

/// The ways that the nodes of a path pick by its number.
struct Pick {
    flow: u64,
    choice: u32,
    turn: u64,
    hop: u32,
}

impl Pick {
    fn new(from: u32, to: u32, choice: u32) -> Pick {
        Pick { flow: mix_pair(from, to), choice, turn: u64::from(choice), hop: 0 }
    }

    /// The number of the way that the next node of the path picks among `count`.
    fn way(&mut self, node: u32, count: usize) -> usize {
        let count = count as u64;
        let hash = mix(self.flow ^ u64::from(node));
        // Few numbers cover all ways of two nodes in turn; further on, a hash spreads better.
        let picked =
            if self.hop < 2 { hash.wrapping_add(self.turn) } else { mix(hash ^ u64::from(self.choice)) };
        self.turn /= count;
        self.hop += 1;
        (picked % count) as usize
    }
}
