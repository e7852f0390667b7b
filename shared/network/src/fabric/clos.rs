//! Trees of switches whose upper levels may be several switches wide, for trees and fat trees.
//!
//! Level 1 are the leaves, with hosts on them. A subtree at level 1 is a leaf; a subtree above combines as many of the level
//! below as a switch has below itself. Each subtree has some identical switches at its top, its copies: one at level 1, and at
//! each level above, the copies of the level below times the switches above each. This is the "extended generalized fat tree"
//! of Öhring and others (1995), cut off after the last host.
//!
//! With several NICs per host, a leaf becomes a group of leaves, one per NIC: hosts of a group are on all of its leaves. NIC i of
//! every host is then on a leaf of rail i, and the level above takes the leaves of all rails: a rail-optimised network.

use super::{
    Fabric, Link, Switch, SwitchKind,
    kind::{Cut, Hops, NetworkKind, Parts, Speeds, SwitchParts},
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Clos {
    /// Hosts, numbered from leaf to leaf.
    pub hosts: u32,
    /// NICs per host, each on a leaf of its own. Subtrees of the second level hold whole groups of so many leaves.
    pub nics: u32,
    /// Max entries below a switch, level by level: hosts first, then switches.
    pub below: Vec<u32>,
    /// Switches above each switch, level by level up to the last but one.
    pub above: Vec<u32>,
    /// Links from a switch of the last level but one to each switch at the top.
    pub parallel: u32,
    /// `true` if links between switches have the trunks' speed.
    pub trunks: bool,
}

/// A kind of network that is such a tree.
pub(super) trait ClosKind: std::fmt::Debug + Send + Sync {
    fn text(&self) -> String;

    fn name(&self) -> String;

    fn clos(&self) -> Clos;
}

impl<T: ClosKind> NetworkKind for T {
    fn text(&self) -> String {
        ClosKind::text(self)
    }

    fn name(&self) -> String {
        ClosKind::name(self)
    }

    fn parts(&self) -> Parts {
        self.clos().parts()
    }

    fn fabric(&self, speeds: Speeds) -> Fabric {
        self.clos().fabric(speeds)
    }

    fn hops(&self, from: u32, to: u32) -> Option<Hops> {
        Some(self.clos().hops(from, to))
    }

    fn extremes(&self) -> Option<[Hops; 2]> {
        Some(self.clos().extremes())
    }

    fn cut(&self, speeds: Speeds) -> Option<Cut> {
        Some(self.clos().cut(speeds))
    }
}

impl Clos {
    fn levels(&self) -> usize {
        self.below.len()
    }

    /// Leaves of a full subtree with its top at `level`, from 0.
    fn leaves(&self, level: usize) -> u64 {
        self.below[1..=level].iter().map(|&below| u64::from(below)).product()
    }

    /// The leaf of a host's NIC.
    fn leaf(&self, host: u32, nic: u32) -> u32 {
        host / self.below[0] * self.nics + nic
    }

    /// Subtrees with a host at `level`.
    pub fn subtrees(&self, level: usize) -> u32 {
        let leaves = u64::from(self.hosts.div_ceil(self.below[0])) * u64::from(self.nics);
        leaves.div_ceil(self.leaves(level)) as u32
    }

    /// Switches at the top of each subtree of `level`.
    pub fn copies(&self, level: usize) -> u32 {
        self.above[..level].iter().product()
    }

    /// Links from a switch of `level` to each one above it.
    fn links_up(&self, level: usize) -> u32 {
        if level + 2 == self.levels() { self.parallel } else { 1 }
    }

    /// Links to all switches above.
    pub fn uplinks(&self, level: usize) -> u32 {
        self.above.get(level).map_or(0, |above| above * self.links_up(level))
    }

    fn downlinks(&self, level: usize) -> u32 {
        match level {
            0 => self.below[0].min(self.hosts),
            _ => self.below[level].min(self.subtrees(level - 1)) * self.links_up(level - 1),
        }
    }

    fn switches(&self, level: usize) -> u32 {
        self.subtrees(level) * self.copies(level)
    }

    pub fn parts(&self) -> Parts {
        let all = 0..self.levels();
        let part = |level| {
            let (down, up) = (self.downlinks(level), self.uplinks(level));
            let (ports, trunks) = match (self.trunks, level) {
                (false, _) => (down + up, 0),
                (true, 0) => (down, up),
                (true, _) => (0, down + up),
            };
            SwitchParts { count: self.switches(level), ports, trunks, hub: false }
        };
        let up = |level| u64::from(self.switches(level)) * u64::from(self.uplinks(level));
        let nis = u64::from(self.hosts) * u64::from(self.nics);
        let between = all.clone().map(up).sum::<u64>();
        Parts {
            hosts: self.hosts,
            nis,
            trunk_nis: 0,
            cables: nis + between,
            between,
            switches: all.map(part).collect(),
        }
    }

    pub fn fabric(&self, speeds: Speeds) -> Fabric {
        let hosts = self.hosts;
        let speed = if self.trunks { speeds.trunks } else { speeds.hosts };
        let on_leaf = |(host, nic)| Link { ends: [host, hosts + self.leaf(host, nic)], speed: speeds.hosts };
        let nics = (0..hosts).flat_map(|host| (0..self.nics).map(move |nic| (host, nic)));
        let mut links: Vec<Link> = nics.map(on_leaf).collect();
        let mut switches = Vec::new();
        for level in 0..self.levels() {
            let first = hosts + switches.len() as u32;
            let ports = self.downlinks(level) + self.uplinks(level);
            let count = self.switches(level);
            switches.extend((0..count).map(|_| Switch { ports, kind: SwitchKind::Switch }));
            if level + 1 < self.levels() {
                let up = (0..count).flat_map(|switch| self.parents(level, switch).map(move |p| (switch, p)));
                links.extend(up.map(|(switch, p)| Link { ends: [first + switch, first + count + p], speed }));
            }
        }
        Fabric { hosts, switches, links }
    }

    /// Switches up to the lowest subtree that both hosts are in, and down again.
    pub fn hops(&self, from: u32, to: u32) -> Hops {
        let met = |level: &usize| {
            let tree = |host| u64::from(self.leaf(host, 0)) / self.leaves(*level);
            tree(from) == tree(to)
        };
        let level = (0..self.levels()).find(met).unwrap_or(self.levels() - 1);
        Hops::new(0, 2 * level as u32 + 1)
    }

    pub fn extremes(&self) -> [Hops; 2] {
        let nearest = if self.below[0] > 1 { 1 } else { 3 };
        [Hops::new(0, nearest), Hops::new(0, 2 * self.levels() as u32 - 1)]
    }

    /// The minimum cut. Switches above the leaves have as many links up as down, so they pass all that leaves send. The cut is
    /// therefore at the leaves' uplinks and the hosts' own links: some whole leaves on one side with all their uplinks cut,
    /// and the links of as many hosts as the two halves differ by. With several NICs, the same halves are the best for
    /// every rail.
    pub fn cut(&self, speeds: Speeds) -> Cut {
        let (leaf, hosts) = (self.below[0], self.hosts);
        let (whole, part) = (hosts / leaf, hosts % leaf);
        let fast = u64::from(if self.trunks { speeds.trunks } else { speeds.hosts });
        let (uplinks, half) = (u64::from(self.uplinks(0)), hosts / 2);
        let (leaves, nics) = (hosts.div_ceil(leaf), u64::from(self.nics));
        let sides = (0..=whole).flat_map(|full| [(full, 0), (full + u32::from(part > 0), part)]);
        let cut = sides.map(|(here_leaves, part)| {
            let full = here_leaves - u32::from(part > 0);
            let here = full * leaf + part;
            let moved = u64::from(here.abs_diff(half).min(here.abs_diff(hosts - half)));
            let cut = u64::from(here_leaves.min(leaves - here_leaves)) * uplinks;
            (cut + moved, cut * fast + moved * u64::from(speeds.hosts))
        });
        let (links, speed) =
            cut.fold((u64::MAX, u64::MAX), |least, cut| (least.0.min(cut.0), least.1.min(cut.1)));
        let (links, speed) = (links * nics, speed * nics);
        Cut { least_links: links, links, least_speed: speed, speed }
    }

    /// The switches above one, once per link; numbers count from the first of their level.
    fn parents(&self, level: usize, switch: u32) -> impl Iterator<Item = u32> + '_ {
        let copies = self.copies(level);
        let (subtree, copy) = (switch / copies, switch % copies);
        let above = subtree / self.below[level + 1] * self.copies(level + 1) + copy;
        let links = self.links_up(level);
        (0..self.above[level] * links).map(move |link| above + copies * (link / links))
    }
}
