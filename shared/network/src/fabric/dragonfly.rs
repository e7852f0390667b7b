//! Dragonfly and Dragonfly+: groups of switches that are connected all to all, by one link between two groups or several.
//!
//! In a Dragonfly, all switches of a group are connected to each other, and each has hosts and links to other groups. In a
//! Dragonfly+, a group is a leaf and spine network: leaves have the hosts, spines the links to other groups.

use super::{
    kind::{FitResult, KindEntry, Limits},
    parameters::{Numbers, Parameter, split},
    switched::{SwitchGraph, SwitchedNetwork},
};
use crate::{spec::MAX_PORTS, text::count};
use std::sync::OnceLock;

const MAX_GROUPS: u32 = 1 << 16;
/// Max work of finding the diameter: links to other groups of the pairs of switches that are looked at.
const MAX_WORK: u64 = 1 << 24;

/// Links between groups. Port `p` of each group leads to the group that is `offsets[p]` further on, and arrives at the port
/// whose offset leads back.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Groups {
    count: u32,
    /// Ports to other groups, per group.
    ports: u32,
    /// See [`Groups::offsets`]; found when needed.
    offsets: OnceLock<Vec<u32>>,
}

impl Groups {
    fn new(count: u32, ports: u32) -> Result<Groups, String> {
        match (2..=ports + 1).contains(&count) {
            true => Ok(Groups { count, ports, offsets: OnceLock::new() }),
            false => Err(format!("2 to {} groups for {ports} links to other groups", ports + 1)),
        }
    }

    /// Every other group as often as all of them can be reached, and the rest of the ports in pairs of opposite offsets.
    fn offsets(&self) -> &[u32] {
        self.offsets.get_or_init(|| self.spread())
    }

    fn spread(&self) -> Vec<u32> {
        let others = self.count - 1;
        let (each, mut rest) = (self.ports / others, self.ports % others);
        let mut times = vec![each; others as usize];
        // Half way around leads back to the same port.
        if rest % 2 == 1 && self.count.is_multiple_of(2) {
            times[self.count as usize / 2 - 1] += 1;
        }
        // Otherwise a port of each group stays free.
        rest -= rest % 2;
        let pairs = (1..).take_while(|offset| 2 * offset < self.count).take(rest as usize / 2);
        for offset in pairs {
            times[offset as usize - 1] += 1;
            times[(self.count - offset) as usize - 1] += 1;
        }
        (1..self.count).flat_map(|offset| (0..times[offset as usize - 1]).map(move |_| offset)).collect()
    }

    /// The port at the other end of one.
    fn back(&self, port: u32) -> u32 {
        let offsets = self.offsets();
        let first = |offset: u32| offsets.partition_point(|&other| other < offset) as u32;
        let offset = offsets[port as usize];
        first(self.count - offset) + port - first(offset)
    }

    /// Number of links between groups.
    fn between(&self) -> u64 {
        let rest = self.ports % (self.count - 1);
        let free = u32::from(rest % 2 == 1 && self.count % 2 == 1);
        u64::from(self.count) * u64::from(self.ports - free) / 2
    }

    /// Links as pairs of a group and its port.
    fn links(&self) -> Vec<[(u32, u32); 2]> {
        let mut links = Vec::with_capacity(self.between() as usize);
        for (port, &offset) in (0..).zip(self.offsets()) {
            let back = self.back(port);
            for group in 0..self.count {
                let to = (group + offset) % self.count;
                // Each link is met from both ends.
                if (group, port) < (to, back) {
                    links.push([(group, port), (to, back)]);
                }
            }
        }
        links
    }
}

/// A Dragonfly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dragonfly {
    /// Switches per group.
    switches: u32,
    /// Links to other groups per switch.
    global: u32,
    groups: Groups,
}

impl Dragonfly {
    pub(super) const ENTRY: KindEntry = KindEntry {
        name: Dragonfly::NAME,
        title: "Dragonfly",
        form: "dragonfly:SWITCHES,GLOBAL[,GROUPS[,HOSTS PER SWITCH[,HOSTS]]]",
        example: "dragonfly:8,4",
        explanation: "Groups of switches connected all to all inside, with links from every group to every other; GLOBAL links per switch.",
        source: "Kim et al. 2008",
        read: |text| {
            let (own, rest) = split(text, 3);
            let parameters = [
                Parameter::new("switches per group", 2, MAX_PORTS),
                Parameter::new("links to other groups per switch", 1, MAX_PORTS),
                Parameter::new("groups (0: as many as possible)", 0, MAX_GROUPS).or(0),
            ];
            let [switches, global, groups] = Numbers::read(own, parameters)?;
            Ok(Box::new(SwitchedNetwork::read(Dragonfly::new(switches, global, groups)?, rest)?))
        },
        fit: Dragonfly::fit,
    };

    fn new(switches: u32, global: u32, groups: u32) -> Result<Dragonfly, String> {
        let ports = switches * global;
        let groups = if groups == 0 { (ports + 1).min(MAX_GROUPS) } else { groups };
        Ok(Dragonfly { switches, global, groups: Groups::new(groups, ports)? })
    }

    /// Balanced: as many hosts as links to other groups per switch, and twice as many switches per group.
    fn fit(hosts: u32, limits: &Limits) -> FitResult {
        let graphs = |least: u32| {
            (1..=limits.ports.div_ceil(4)).filter_map(move |global| {
                let group = 2 * global * global;
                let groups = hosts.div_ceil(group).clamp(2, group + 1);
                Dragonfly::new(2 * global, global, groups).ok().filter(|_| groups >= least)
            })
        };
        // A few large groups have many links between two of them, and are no Dragonfly that anybody builds.
        SwitchedNetwork::fit_preferred(hosts, limits.ports, graphs(4), graphs(2))
    }

    /// The switches of other groups that one is connected to.
    fn global_of(&self, switch: u32) -> impl Iterator<Item = u32> + '_ {
        let (group, own) = (switch / self.switches, switch % self.switches);
        let ports = own * self.global..(own + 1) * self.global;
        ports.zip(self.groups.offsets().iter().skip((own * self.global) as usize)).map(
            move |(port, offset)| {
                (group + offset) % self.groups.count * self.switches + self.groups.back(port) / self.global
            },
        )
    }
}

impl SwitchGraph for Dragonfly {
    const NAME: &'static str = "dragonfly";

    fn text(&self, whole: bool) -> String {
        let Dragonfly { switches, global, groups } = self;
        match groups.count == switches * global + 1 && !whole {
            true => format!("{switches},{global}"),
            false => format!("{switches},{global},{}", groups.count),
        }
    }

    fn name(&self) -> String {
        format!(
            "Dragonfly, {} of {}",
            count(self.groups.count.into(), "group"),
            count(self.switches.into(), "switch")
        )
    }

    fn balanced(&self) -> u32 {
        self.global
    }

    fn levels(&self) -> Vec<(u32, u32)> {
        vec![(self.switches * self.groups.count, self.switches - 1 + self.global)]
    }

    fn between(&self) -> u64 {
        let inside = u64::from(self.switches) * u64::from(self.switches - 1) / 2;
        inside * u64::from(self.groups.count) + self.groups.between()
    }

    fn links(&self) -> Vec<[u32; 2]> {
        let mut links = Vec::with_capacity(self.between() as usize);
        for first in (0..self.groups.count).map(|group| group * self.switches) {
            let all = first..first + self.switches;
            links.extend(all.clone().flat_map(|a| (a + 1..all.end).map(move |b| [a, b])));
        }
        let node = |(group, port): (u32, u32)| group * self.switches + port / self.global;
        links.extend(self.groups.links().into_iter().map(|ends| ends.map(node)));
        links
    }

    fn distance(&self, a: u32, b: u32) -> Option<u32> {
        let group = |switch: u32| switch / self.switches;
        if a == b || group(a) == group(b) {
            return Some(u32::from(a != b));
        }
        let mut far: Vec<u32> = self.global_of(b).collect();
        far.sort_unstable();
        let two = |middle: u32| group(middle) == group(b) || far.binary_search(&middle).is_ok();
        Some(match () {
            () if far.binary_search(&a).is_ok() => 1,
            () if self.global_of(a).any(two) || far.iter().any(|&middle| group(middle) == group(a)) => 2,
            () => 3,
        })
    }

    /// All groups look alike, so the distances from the first one tell.
    fn diameter(&self) -> Option<u32> {
        let all = self.switches * self.groups.count;
        if u64::from(self.switches) * u64::from(all) * u64::from(self.global) > MAX_WORK {
            return None;
        }
        let pairs = (0..self.switches).flat_map(|a| (0..all).map(move |b| (a, b)));
        let mut farthest = 0;
        for distance in pairs.filter_map(|(a, b)| self.distance(a, b)) {
            farthest = farthest.max(distance);
            if farthest == 3 {
                break;
            }
        }
        Some(farthest)
    }
}

/// A Dragonfly+.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DragonflyPlus {
    /// Leaves per group.
    leaves: u32,
    /// Spines per group.
    spines: u32,
    /// Links to other groups per spine.
    global: u32,
    groups: Groups,
}

impl DragonflyPlus {
    pub(super) const ENTRY: KindEntry = KindEntry {
        name: DragonflyPlus::NAME,
        title: "Dragonfly+",
        form: "dragonfly-plus:LEAVES,SPINES,GLOBAL[,GROUPS[,HOSTS PER LEAF[,HOSTS]]]",
        example: "dragonfly-plus:4,4,4,9",
        explanation: "Groups of leaf and spine switches, with links from every group's spines to every other group; GLOBAL links per spine.",
        source: "Shpiner et al. 2017",
        read: |text| {
            let (own, rest) = split(text, 4);
            let parameters = [
                Parameter::new("leaves per group", 1, MAX_PORTS),
                Parameter::new("spines per group", 1, MAX_PORTS),
                Parameter::new("links to other groups per spine", 1, MAX_PORTS),
                Parameter::new("groups (0: as many as possible)", 0, MAX_GROUPS).or(0),
            ];
            let [leaves, spines, global, groups] = Numbers::read(own, parameters)?;
            Ok(Box::new(SwitchedNetwork::read(DragonflyPlus::new(leaves, spines, global, groups)?, rest)?))
        },
        fit: DragonflyPlus::fit,
    };

    fn new(leaves: u32, spines: u32, global: u32, groups: u32) -> Result<DragonflyPlus, String> {
        if leaves + global > MAX_PORTS {
            return Err(format!("leaves and links to other groups of at most {MAX_PORTS} together"));
        }
        let ports = spines * global;
        let groups = if groups == 0 { (ports + 1).min(MAX_GROUPS) } else { groups };
        Ok(DragonflyPlus { leaves, spines, global, groups: Groups::new(groups, ports)? })
    }

    /// Equal switches with half of their ports down and half up, on both levels.
    fn fit(hosts: u32, limits: &Limits) -> FitResult {
        let graphs = |least: u32| {
            (1..=limits.ports / 2).filter_map(move |half| {
                let groups = hosts.div_ceil(half * half).clamp(2, half * half + 1);
                DragonflyPlus::new(half, half, half, groups).ok().filter(|_| groups >= least)
            })
        };
        SwitchedNetwork::fit_preferred(hosts, limits.ports, graphs(4), graphs(2))
    }
}

impl SwitchGraph for DragonflyPlus {
    const NAME: &'static str = "dragonfly-plus";

    fn text(&self, whole: bool) -> String {
        let DragonflyPlus { leaves, spines, global, groups } = self;
        match groups.count == spines * global + 1 && !whole {
            true => format!("{leaves},{spines},{global}"),
            false => format!("{leaves},{spines},{global},{}", groups.count),
        }
    }

    fn name(&self) -> String {
        let DragonflyPlus { leaves, spines, groups, .. } = self;
        let groups = count(groups.count.into(), "group");
        format!("Dragonfly+, {groups} of {leaves} leaf and {spines} spine switches")
    }

    fn balanced(&self) -> u32 {
        self.spines
    }

    fn levels(&self) -> Vec<(u32, u32)> {
        let groups = self.groups.count;
        vec![(self.leaves * groups, self.spines), (self.spines * groups, self.leaves + self.global)]
    }

    fn between(&self) -> u64 {
        u64::from(self.groups.count) * u64::from(self.leaves) * u64::from(self.spines) + self.groups.between()
    }

    fn links(&self) -> Vec<[u32; 2]> {
        let first_spine = self.leaves * self.groups.count;
        let mut links = Vec::with_capacity(self.between() as usize);
        for group in 0..self.groups.count {
            let spines = (0..self.spines).map(|spine| first_spine + group * self.spines + spine);
            let leaves = group * self.leaves..(group + 1) * self.leaves;
            links.extend(leaves.flat_map(|leaf| spines.clone().map(move |spine| [leaf, spine])));
        }
        let node = |(group, port): (u32, u32)| first_spine + group * self.spines + port / self.global;
        links.extend(self.groups.links().into_iter().map(|ends| ends.map(node)));
        links
    }

    /// In a group over any spine, between groups over the spines of a link between the two: every leaf is connected to all.
    fn distance(&self, a: u32, b: u32) -> Option<u32> {
        Some(match a / self.leaves == b / self.leaves {
            true => 2 * u32::from(a != b),
            false => 3,
        })
    }

    fn diameter(&self) -> Option<u32> {
        Some(3)
    }
}
