//! The kinds of networks, and their text form `kind:parameters`, such as `tree:768,24,2`.
//!
//! A kind is a file with a type that implements [`Kind`], and one line in [`KINDS`].

mod read;

use super::{
    Fabric, Routing, direct::Direct, fat_tree::FatTree, full::Full, host_torus::HostTorus, hub::Hub,
    myrinet::Myrinet, rail::Rail, single::Single, switches::SwitchGrid, tree::Tree,
};
use crate::{spec::Fault, text::grouped};
pub(super) use read::{Numbers, Parameter};
use std::fmt;

/// Most links of a network that is built as a graph.
pub const MOST_LINKS: u64 = 1 << 24;

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
    /// Reads what stands after the colon; else says what would be accepted.
    read: fn(&str) -> Result<Box<dyn Kind>, String>,
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
    SwitchGrid::MESH,
    SwitchGrid::TORUS,
];

impl KindEntry {
    /// An entry, for the file of its kind.
    pub(super) const fn new(
        [name, title, form, example]: [&'static str; 4],
        explanation: &'static str,
        source: &'static str,
        read: fn(&str) -> Result<Box<dyn Kind>, String>,
    ) -> KindEntry {
        KindEntry { name, title, form, example, explanation, source, read }
    }
}

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

/// The graph of a network.
///
/// # Errors
/// It has more than [`MOST_LINKS`] links.
pub fn build(kind: &dyn Kind, speeds: Speeds) -> Result<Fabric, Fault> {
    let links = kind.parts().cables;
    if links > MOST_LINKS {
        let expected =
            format!("at most {} links to build a graph of, this has {}", grouped(MOST_LINKS), grouped(links));
        return Err(Fault::new("fabric", kind.text(), expected));
    }
    Ok(kind.fabric(speeds))
}
