//! The kinds of networks, and their text form `kind:parameters`, such as `tree:768,24,2`.
//!
//! A kind is a file with a type that implements [`Kind`], and one line in [`KINDS`].

use super::{
    Fabric, Grid, Limits, Routing, direct::Direct, fat_tree::FatTree, fit::Fitted, full::Full,
    host_torus::HostTorus, hub::Hub, myrinet::Myrinet, pmesh::PMesh, rail::Rail, single::Single,
    switches::SwitchGrid, tree::Tree,
};
use crate::{
    spec::{Fault, Faults},
    text::grouped,
};
use std::fmt;

/// Most links of a network that is built as a graph.
pub const MAX_LINKS: u64 = 1 << 24;

/// A kind of network with its parameters.
pub trait Kind: fmt::Debug + Send + Sync {
    /// Its text form, as [`parse()`] reads it.
    fn text(&self) -> String;

    /// What is bought for it. Known without building it, so at once for any size.
    fn parts(&self) -> Parts;

    /// The network as a graph. Hosts and links of the graph are those of [`Kind::parts`]; [`build()`] refuses what would not
    /// fit in memory.
    fn fabric(&self, speeds: Speeds) -> Fabric;

    /// The routing that belongs to it, where it is not minimal paths with least-used links.
    fn routing(&self) -> Option<Box<dyn Routing>> {
        None
    }

    /// The mesh or torus of switches that it is, where it is one.
    fn grid(&self) -> Option<&Grid> {
        None
    }

    /// The P-Mesh that it is, where it is one.
    fn pmesh(&self) -> Option<&PMesh> {
        None
    }

    /// What a frame passes from one host to another by its routing. `None` where only the graph tells.
    fn hops(&self, _from: u32, _to: u32) -> Option<Hops> {
        None
    }

    /// The least and the most that a frame passes between two different hosts. `None` where only the graph tells.
    fn extremes(&self) -> Option<[Hops; 2]> {
        None
    }

    /// The least cut between halves of the hosts, as far as a formula knows it.
    fn cut(&self, _speeds: Speeds) -> Option<Cut> {
        None
    }

    /// The same where a switch without trunks passes no more than `backplane` Mb/s in all: no cut passes less than the first
    /// number in Mb/s of both directions together, and there is one that passes the second. `None` where only the graph tells.
    fn passed(&self, _speeds: Speeds, _backplane: u32) -> Option<[u64; 2]> {
        None
    }

    /// Whether it has no switches and looks the same from every host. Then only all links of a host separate any (Mader 1971).
    fn alike(&self) -> bool {
        false
    }

    /// The network as it is for cuts and faults, where switches keep some of their ports apart.
    fn apart(&self, _speeds: Speeds) -> Option<Apart> {
        None
    }
}

/// A network whose switches keep some of their ports apart, so that each is several to the hosts.
#[derive(Clone, Debug, PartialEq)]
pub struct Apart {
    /// The graph with a switch for each of those.
    pub fabric: Fabric,
    /// Hosts that the worst dead switch cuts off, with all that it is.
    pub switch_loss: u32,
}

/// What a frame passes on its way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hops {
    /// Hosts that hand it on.
    pub hosts: u32,
    /// Switches; a hub is none, since it adds nothing to latency in the P-Mesh paper's model.
    pub switches: u32,
}

impl Hops {
    /// So many hosts and switches.
    pub const fn new(hosts: u32, switches: u32) -> Hops {
        Hops { hosts, switches }
    }
}

/// What lies between two halves of the hosts, which differ by one where hosts are odd in number: links in one direction. A
/// hub counts as one link, as in the P-Mesh paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// No cut has fewer links.
    pub least_links: u64,
    /// There is a cut of so many links.
    pub links: u64,
    /// No cut is slower, in Mb/s.
    pub least_speed: u64,
    /// There is a cut of so many Mb/s.
    pub speed: u64,
}

impl Cut {
    /// So many links of one speed, exactly.
    pub fn exact(links: u64, speed: u32) -> Cut {
        Cut::between(links, links, speed)
    }

    /// Between so many links of one speed.
    pub fn between(least: u64, links: u64, speed: u32) -> Cut {
        let speed = u64::from(speed);
        Cut { least_links: least, links, least_speed: least * speed, speed: links * speed }
    }

    /// Whether both bounds meet.
    pub fn is_exact(&self) -> bool {
        self.least_links == self.links && self.least_speed == self.speed
    }
}

/// Speeds of links, in Mb/s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speeds {
    /// Of links to hosts, and of all others that nothing else is said of.
    pub hosts: u32,
    /// Of uplinks in a tree and of the links inside a domain of rails.
    pub trunks: u32,
}

impl Default for Speeds {
    /// Links of 1 Gb/s throughout.
    fn default() -> Speeds {
        Speeds { hosts: 1000, trunks: 1000 }
    }
}

/// What a network is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Hosts.
    pub hosts: u32,
    /// NIs in all hosts with a cable in them, of the hosts' speed.
    pub nis: u64,
    /// NIs in all hosts with a cable in them, of the trunks' speed.
    pub trunk_nis: u64,
    /// Switches and hubs, in the order of their numbers.
    pub switches: Vec<SwitchParts>,
    /// Cables, one for each link.
    pub cables: u64,
}

/// Switches that are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwitchParts {
    /// How many.
    pub count: u32,
    /// Ports of the hosts' speed that each needs.
    pub ports: u32,
    /// Ports of the trunks' speed that each needs.
    pub trunks: u32,
    /// Whether a hub will do.
    pub hub: bool,
}

impl Parts {
    /// Number of switches and hubs.
    pub fn switch_count(&self) -> u64 {
        self.switches.iter().map(|s| u64::from(s.count)).sum()
    }

    /// Ports that switches and hubs need.
    pub fn ports(&self) -> u64 {
        self.switches.iter().map(|s| u64::from(s.count) * u64::from(s.ports + s.trunks)).sum()
    }
}

/// A kind and how to write it.
pub struct KindEntry {
    /// What stands before the colon.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// Its parameters, as in `tree:HOSTS,LEAF,UPLINKS`.
    pub form: &'static str,
    /// One that is accepted.
    pub example: &'static str,
    /// One line.
    pub explanation: &'static str,
    /// Paper and section, or who defines it.
    pub source: &'static str,
    /// Reads the text after the colon; the error names what is accepted.
    pub(super) read: fn(&str) -> Result<Box<dyn Kind>, String>,
    /// The networks of this kind with N hosts, at least one; the error names the numbers of hosts that it takes.
    pub(super) fit: fn(u32, &Limits) -> Fitted,
}

/// Every kind that has a text form. Wirings found here have none: see [`Wiring`](super::Wiring).
pub const KINDS: &[KindEntry] = &[
    Direct::ENTRY,
    Hub::ENTRY,
    Single::ENTRY,
    Full::ENTRY,
    HostTorus::ENTRY,
    Tree::ENTRY,
    FatTree::ENTRY,
    Rail::ENTRY,
    Myrinet::ENTRY,
    PMesh::ENTRY,
    SwitchGrid::MESH,
    SwitchGrid::TORUS,
];

/// Reads the text form of a network, such as `torus:8x8` or `tree:768,24,2`.
///
/// # Errors
/// There is no such kind, or its parameters are none: says which are accepted.
pub fn parse(text: &str) -> Result<Box<dyn Kind>, Fault> {
    let (name, parameters) = text.split_once(':').unwrap_or((text, ""));
    let fault = |expected: String| Fault::new("fabric", text, expected);
    let Some(entry) = KINDS.iter().find(|entry| entry.name == name.trim()) else {
        let forms: Vec<_> = KINDS.iter().map(|entry| entry.form).collect();
        return Err(fault(forms.join(", ")));
    };
    (entry.read)(parameters).map_err(|expected| fault(format!("{}: {expected}", entry.form)))
}

/// Several of them; `path` says where each stands.
///
/// # Errors
/// Every one that is none, at its path.
pub fn parse_all(texts: &[String], path: impl Fn(usize) -> String) -> Result<Vec<Box<dyn Kind>>, Faults> {
    let (mut kinds, mut faults) = (Vec::new(), Vec::new());
    for (number, text) in texts.iter().enumerate() {
        match parse(text) {
            Ok(kind) => kinds.push(kind),
            Err(fault) => faults.push(Fault { path: path(number), ..fault }),
        }
    }
    Faults::of(faults).map_or(Ok(kinds), Err)
}

/// The graph of a network.
///
/// # Errors
/// It has more than [`MAX_LINKS`] links.
pub fn build(kind: &dyn Kind, speeds: Speeds) -> Result<Fabric, Fault> {
    let links = kind.parts().cables;
    if links > MAX_LINKS {
        let expected =
            format!("at most {} links to build a graph of, this has {}", grouped(MAX_LINKS), grouped(links));
        return Err(Fault::new("fabric", kind.text(), expected));
    }
    Ok(kind.fabric(speeds))
}
