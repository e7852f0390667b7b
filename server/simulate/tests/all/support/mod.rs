//! Small networks and paths for the tests.

pub mod flits;

use network::fabric::{Fabric, Link, Routing, Switch, SwitchKind};
use simulate::TraceFrame;
use spec::random::Rng;

/// A path for each pair of hosts, by `from * hosts + to`.
pub struct Table {
    pub hosts: u32,
    pub paths: Vec<Vec<u32>>,
}

impl Routing for Table {
    fn choices(&self, from: u32, to: u32) -> u32 {
        u32::from(!self.paths[(from * self.hosts + to) as usize].is_empty())
    }

    fn path(&self, from: u32, to: u32, _choice: u32, channels: &mut Vec<u32>) {
        channels.extend(&self.paths[(from * self.hosts + to) as usize]);
    }
}

impl Table {
    /// Paths that are shortest by these lengths of channels.
    pub fn shortest(fabric: &Fabric, lengths: &[u32]) -> Table {
        let mut paths = Vec::new();
        for from in 0..fabric.hosts {
            let by = tree(fabric, from, lengths);
            paths.extend((0..fabric.hosts).map(|to| back(fabric, &by, from, to)));
        }
        Table { hosts: fabric.hosts, paths }
    }
}

/// Channel that reaches each node (Bellman-Ford).
fn tree(fabric: &Fabric, from: u32, lengths: &[u32]) -> Vec<Option<u32>> {
    let nodes = fabric.nodes() as usize;
    let (mut far, mut by) = (vec![u32::MAX / 2; nodes], vec![None; nodes]);
    far[from as usize] = 0;
    for _ in 0..nodes {
        for channel in 0..fabric.channels() {
            let (a, b) = fabric.channel_ends(channel);
            let length = far[a as usize] + lengths[channel as usize];
            if length < far[b as usize] {
                (far[b as usize], by[b as usize]) = (length, Some(channel));
            }
        }
    }
    by
}

fn back(fabric: &Fabric, by: &[Option<u32>], from: u32, to: u32) -> Vec<u32> {
    let (mut path, mut at) = (Vec::new(), to);
    while let (true, Some(channel)) = (at != from, by[at as usize]) {
        path.push(channel);
        at = fabric.channel_ends(channel).0;
    }
    path.reverse();
    path
}

/// Ingredients of random networks.
#[derive(Clone, Copy)]
pub struct Parts<'a> {
    pub speeds: &'a [u32],
    /// Hubs per ten switches.
    pub hubs: u32,
    /// Hosts per ten that hang on another host.
    pub behind: u32,
}

/// A connected network of a few hosts and switches, with loops.
pub fn random_fabric(parts: Parts, rng: &mut Rng) -> Fabric {
    let (hosts, switches) = (2 + rng.below(7), 1 + rng.below(5));
    let mut links = Vec::new();
    let mut join = |a: u32, b: u32, rng: &mut Rng| {
        if a != b {
            links.push(Link {
                ends: if rng.below(2) == 0 { [a, b] } else { [b, a] },
                speed: *rng.pick(parts.speeds).unwrap(),
            });
        }
    };
    for host in 0..hosts {
        let behind = host > 0 && rng.below(10) < parts.behind;
        join(host, if behind { rng.below(host) } else { hosts + rng.below(switches) }, rng);
        if rng.below(3) == 0 {
            join(host, hosts + rng.below(switches), rng);
        }
    }
    for switch in 1..switches {
        join(hosts + switch, hosts + rng.below(switch), rng);
    }
    for _ in 0..rng.below(4) {
        join(hosts + rng.below(switches), hosts + rng.below(switches), rng);
    }
    let kind = |rng: &mut Rng| if rng.below(10) < parts.hubs { SwitchKind::Hub } else { SwitchKind::Switch };
    let switches = (0..switches).map(|_| Switch { ports: 64, kind: kind(rng) }).collect();
    Fabric { hosts, switches, links }
}

/// Frames between random hosts, in bursts.
pub fn random_frames(fabric: &Fabric, frames: u32, apart: u32, rng: &mut Rng) -> Vec<TraceFrame> {
    let mut cycle = 0;
    (0..frames)
        .map(|_| {
            cycle += if rng.below(3) == 0 { u64::from(rng.below(apart)) } else { 0 };
            let from = rng.below(fabric.hosts);
            let to = (from + 1 + rng.below(fabric.hosts - 1)) % fabric.hosts;
            TraceFrame { cycle, from, to }
        })
        .collect()
}

/// Switches in a ring, a host at each, and the paths that go round upwards.
pub fn ring(switches: u32) -> (Fabric, Table) {
    let link = |a, b| Link { ends: [a, b], speed: 1000 };
    let hosts = (0..switches).map(|host| link(host, switches + host));
    let around = (0..switches).map(|s| link(switches + s, switches + (s + 1) % switches));
    let links = hosts.chain(around).collect();
    let fabric = Fabric {
        hosts: switches,
        switches: vec![Switch { ports: 3, kind: SwitchKind::Switch }; switches as usize],
        links,
    };
    let path = |from: u32, to: u32| {
        let hops = (to + switches - from) % switches;
        let on = (0..hops).map(|hop| 2 * (switches + (from + hop) % switches));
        std::iter::once(2 * from).chain(on).chain([2 * to + 1]).collect()
    };
    let pairs = (0..switches).flat_map(|from| (0..switches).map(move |to| (from, to)));
    let paths = pairs.map(|(from, to)| if from == to { Vec::new() } else { path(from, to) }).collect();
    (fabric, Table { hosts: switches, paths })
}
