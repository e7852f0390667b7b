//! What a kind of network or routing is: the trait, its values, its entry in a list.

use super::{Fabric, Grid, Routing, RoutingFault, Switch, SwitchKind, pmesh::PMesh};
use crate::spec::Fault;
use std::fmt;

/// A kind of network with its parameters.
pub trait NetworkKind: fmt::Debug + Send + Sync {
    /// Text form, as [`parse`](super::kinds::parse()) reads it.
    fn text(&self) -> String;

    /// Name for people in the middle of a sentence, such as `fat tree, 3 levels, 1:2`.
    fn name(&self) -> String;

    /// Parts list; known without building the network, so immediate for any size.
    fn parts(&self) -> Parts;

    /// The network as a graph, with the hosts and links of [`NetworkKind::parts`]. [`build`](super::kinds::build()) refuses graphs that are too large.
    fn fabric(&self, speeds: Speeds) -> Fabric;

    /// What a file has that the network has not, and why, by line.
    fn warnings(&self) -> &[Fault] {
        &[]
    }

    /// The network's own routing; `None` for minimal paths with least-used links.
    fn routing(&self) -> Option<Box<dyn Routing>> {
        None
    }

    /// The mesh or torus of switches, if it is one.
    fn grid(&self) -> Option<&Grid> {
        None
    }

    /// The P-Mesh, if it is one.
    fn pmesh(&self) -> Option<&PMesh> {
        None
    }

    /// Number of planes and the network of each, if it has planes.
    fn planes(&self) -> Option<(u32, &dyn NetworkKind)> {
        None
    }

    /// Hosts and switches between two hosts by its routing; `None` if that takes the graph.
    fn hops(&self, _from: u32, _to: u32) -> Option<Hops> {
        None
    }

    /// Min and max of [`NetworkKind::hops`] over all pairs; `None` if that takes the graph.
    fn extremes(&self) -> Option<[Hops; 2]> {
        None
    }

    /// The minimum cut between halves of the hosts, as far as a formula gives it.
    fn cut(&self, _speeds: Speeds) -> Option<Cut> {
        None
    }

    /// Bounds of the minimum cut in Mb/s, both directions together, if a switch without trunks passes at most `backplane` Mb/s
    /// in all: no cut passes less than the first, and one passes the second. `None` if that takes the graph.
    fn passed(&self, _speeds: Speeds, _backplane: u32) -> Option<[u64; 2]> {
        None
    }

    /// `true` if it has no switches and looks the same from every host: only all links of a host separate any (Mader 1971).
    fn alike(&self) -> bool {
        false
    }

    /// The network for cuts and faults, if its switches keep some ports apart.
    fn apart(&self, _speeds: Speeds) -> Option<SplitNetwork> {
        None
    }
}

/// A network whose switches keep some ports apart, so that each acts as several switches.
#[derive(Clone, Debug, PartialEq)]
pub struct SplitNetwork {
    /// The graph with one switch per group of ports.
    pub fabric: Fabric,
    /// Hosts that the worst failed switch cuts off, with all its groups of ports.
    pub switch_loss: u32,
}

/// Hosts and switches between two hosts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hops {
    /// Hosts that forward.
    pub hosts: u32,
    /// Switches; a hub does not count, since it adds no latency in the model of Nitzberg et al. 1999.
    pub switches: u32,
}

impl Hops {
    /// Counts these hosts and switches.
    pub const fn new(hosts: u32, switches: u32) -> Hops {
        Hops { hosts, switches }
    }
}

/// A cut between two halves of the hosts, which differ by one if the number of hosts is odd: links in one direction. A hub
/// counts as one link, as in Nitzberg et al. 1999.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Lower bound of the links.
    pub least_links: u64,
    /// Links of a known cut.
    pub links: u64,
    /// Lower bound of the speed, in Mb/s.
    pub least_speed: u64,
    /// Speed of a known cut, in Mb/s.
    pub speed: u64,
}

impl Cut {
    /// An exact number of links of one speed.
    pub fn exact(links: u64, speed: u32) -> Cut {
        Cut::between(links, links, speed)
    }

    /// Bounds of the number of links of one speed.
    pub fn between(least: u64, links: u64, speed: u32) -> Cut {
        let speed = u64::from(speed);
        Cut { least_links: least, links, least_speed: least * speed, speed: links * speed }
    }

    /// `true` if both bounds meet.
    pub fn is_exact(&self) -> bool {
        self.least_links == self.links && self.least_speed == self.speed
    }
}

/// Speeds of links, in Mb/s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speeds {
    /// Links to hosts, and all links that are not trunks.
    pub hosts: u32,
    /// Uplinks of trees, and links inside the domains of rails.
    pub trunks: u32,
}

impl Default for Speeds {
    /// 1 Gb/s for all links.
    fn default() -> Speeds {
        Speeds { hosts: 1000, trunks: 1000 }
    }
}

/// Parts of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Hosts.
    pub hosts: u32,
    /// NICs of the hosts' speed with a cable, in all hosts.
    pub nis: u64,
    /// NICs of the trunks' speed with a cable, in all hosts.
    pub trunk_nis: u64,
    /// Switches and hubs, by number.
    pub switches: Vec<SwitchParts>,
    /// Cables, one per link.
    pub cables: u64,
    /// Cables between switches.
    pub between: u64,
}

/// Identical switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwitchParts {
    /// Number of switches.
    pub count: u32,
    /// Ports of the hosts' speed needed per switch.
    pub ports: u32,
    /// Ports of the trunks' speed needed per switch.
    pub trunks: u32,
    /// `true` if a hub suffices.
    pub hub: bool,
}

impl Parts {
    /// Number of switches and hubs.
    pub fn switch_count(&self) -> u64 {
        self.switches.iter().map(|s| u64::from(s.count)).sum()
    }

    /// Every switch and hub as a node of the graph, by number.
    pub(super) fn all_switches(&self) -> Vec<Switch> {
        let of = |part: &SwitchParts| {
            let kind = if part.hub { SwitchKind::Hub } else { SwitchKind::Switch };
            std::iter::repeat_n(Switch { ports: part.ports + part.trunks, kind }, part.count as usize)
        };
        self.switches.iter().flat_map(of).collect()
    }

    /// Ports needed on switches and hubs.
    pub fn ports(&self) -> u64 {
        self.switches.iter().map(|s| u64::from(s.count) * u64::from(s.ports + s.trunks)).sum()
    }
}

/// A kind of network, with all that is particular to it.
pub struct KindEntry {
    /// Name, before the colon of the text form.
    pub name: &'static str,
    /// Label.
    pub title: &'static str,
    /// Text form with its parameters, such as `tree:HOSTS,LEAF,UPLINKS`.
    pub form: &'static str,
    /// A valid text form.
    pub example: &'static str,
    /// One line of explanation.
    pub explanation: &'static str,
    /// Paper and section, or author.
    pub source: &'static str,
    /// Reads the text after the colon; the error names what is accepted.
    pub(super) read: fn(&str) -> Result<Box<dyn NetworkKind>, String>,
    /// The networks of this kind with N hosts, at least one; the error names the numbers of hosts that it takes.
    pub(super) fit: fn(u32, &Limits) -> FitResult,
}

/// Limits of the hardware that networks are built from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Max ports of the hosts' speed per switch.
    pub ports: u32,
    /// Max ports of the trunks' speed per switch.
    pub trunk_ports: u32,
    /// Max ports per hub; 0 without hubs.
    pub hub_ports: u32,
    /// Hosts per leaf of a tree.
    pub leaf: u32,
    /// Uplinks per leaf of a tree.
    pub uplinks: u32,
    /// NICs per host; at least 1.
    pub nics: u32,
}

/// The networks of one kind, or the numbers of hosts that it takes.
pub(super) type FitResult = Result<Vec<Box<dyn NetworkKind>>, String>;

/// A routing that is chosen by name.
pub struct RoutingEntry {
    /// Name in forms and flags.
    pub name: &'static str,
    /// Label.
    pub label: &'static str,
    /// One line, with the networks that it is for.
    pub explanation: &'static str,
    /// `true` if it searches paths from every host, which takes time on large networks.
    pub searches: bool,
    /// Finds the paths of a network with that graph.
    pub build: fn(&dyn NetworkKind, &Fabric) -> RoutingResult,
}

/// The paths of a network, or why it has none.
pub type RoutingResult = Result<Box<dyn Routing>, RoutingFault>;
