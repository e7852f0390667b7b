//! Every kind of network and routing, and the text form `kind:parameters`, such as `tree:768,24,2`.
//!
//! A kind is one file, with a type that implements [`Kind`] and an entry, and one line in [`KINDS`].

use super::{
    Disjoint, Fabric, Minimal, SpanningTree,
    direct::Direct,
    fat_tree::FatTree,
    full::Full,
    host_torus::HostTorus,
    kind::{Kind, KindEntry, Limits, RoutingEntry, Speeds},
    myrinet::Myrinet,
    pmesh::PMesh,
    rail::Rail,
    star::Star,
    switch_grid::SwitchGrid,
    tree::Tree,
    vlan::Method,
};
use crate::{
    spec::{Fault, Faults},
    text::grouped,
};

/// Max links of a network that is built as a graph.
pub const MAX_LINKS: u64 = 1 << 24;

/// Every kind with a text form. Designs have none: see [`Wiring`](super::Wiring).
pub const KINDS: &[KindEntry] = &[
    Direct::ENTRY,
    Star::HUB,
    Star::SWITCH,
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

/// Parses the text form of a network, such as `torus:8x8` or `tree:768,24,2`.
///
/// # Errors
/// The kind is unknown or its parameters are wrong; the error names what is accepted.
pub fn parse(text: &str) -> Result<Box<dyn Kind>, Fault> {
    let (name, parameters) = text.split_once(':').unwrap_or((text, ""));
    let fault = |expected: String| Fault::new("fabric", text, expected);
    let Some(entry) = KINDS.iter().find(|entry| entry.name == name.trim()) else {
        let forms: Vec<_> = KINDS.iter().map(|entry| entry.form).collect();
        return Err(fault(forms.join(", ")));
    };
    (entry.read)(parameters).map_err(|expected| fault(format!("{}: {expected}", entry.form)))
}

/// Parses several networks; `path` gives the path of each fault. Errors: every text that is no network.
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

/// Builds the graph of a network. Errors: it has more than [`MAX_LINKS`] links.
pub fn build(kind: &dyn Kind, speeds: Speeds) -> Result<Fabric, Fault> {
    let links = kind.parts().cables;
    if links > MAX_LINKS {
        let expected = format!(
            "a network of at most {} links to build (this one has {})",
            grouped(MAX_LINKS),
            grouped(links)
        );
        return Err(Fault::new("fabric", kind.text(), expected));
    }
    Ok(kind.fabric(speeds))
}

/// A kind with its network for a number of hosts.
pub struct Fit {
    /// The kind.
    pub entry: &'static KindEntry,
    /// The network, or the numbers of hosts that the kind takes.
    pub kind: Result<Box<dyn Kind>, String>,
}

/// Every kind for N hosts, in the order of [`KINDS`]; a kind with several networks comes once per network.
pub fn fit(hosts: u32, limits: &Limits) -> Vec<Fit> {
    let fitted = |entry: &'static KindEntry| {
        let kinds = match (entry.fit)(hosts, limits) {
            Ok(kinds) => kinds.into_iter().map(Ok).collect(),
            Err(takes) => vec![Err(takes)],
        };
        kinds.into_iter().map(move |kind| Fit { entry, kind })
    };
    KINDS.iter().flat_map(fitted).collect()
}

/// Every routing that is chosen by name, the default first.
pub const ROUTINGS: &[RoutingEntry] =
    &[Minimal::ENTRY, Disjoint::ENTRY, SpanningTree::ENTRY, Method::Dor.entry(), Method::PartialDor.entry()];

impl RoutingEntry {
    /// The routing with that name.
    pub fn named(name: &str) -> Option<&'static RoutingEntry> {
        ROUTINGS.iter().find(|entry| entry.name == name)
    }
}
