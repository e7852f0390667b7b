//! Every kind of network and routing, and the text form `kind:parameters`, such as `tree:768,24,2`.
//!
//! A kind is one file, with a type that implements [`NetworkKind`] and an entry, and one line in [`KINDS`].

use super::{
    Disjoint, Ecmp, Fabric, Minimal, NetworkFile, SpanningTree,
    direct::Direct,
    dragonfly::{Dragonfly, DragonflyPlus},
    fat_tree::FatTree,
    full::Full,
    hamming_mesh::HammingMesh,
    host_torus::HostTorus,
    hyperx::HyperX,
    jellyfish::Jellyfish,
    kind::{KindEntry, Limits, NetworkKind, RoutingEntry, Speeds},
    myrinet::Myrinet,
    planes::Planes,
    pmesh::PMesh,
    polarfly::PolarFly,
    rail::Rail,
    slim_fly::SlimFly,
    star::Star,
    switch_grid::SwitchGrid,
    tree::Tree,
    vlan::Method,
};
use crate::{
    form::{no_such, says, shown},
    spec::{Fault, Faults},
    text::{capital, closest, grouped},
};

/// Max links of a network that is built as a graph.
pub const MAX_LINKS: u64 = 1 << 24;

/// Path of the faults of a text form.
const PATH: &str = "fabric";

/// Every kind with parameters. Designs have none: see [`Wiring`](super::Wiring). Networks from files are read by
/// [`parse_with`].
pub const KINDS: &[KindEntry] = &[
    Direct::ENTRY,
    Star::HUB,
    Star::SWITCH,
    Full::ENTRY,
    HostTorus::ENTRY,
    Tree::ENTRY,
    FatTree::ENTRY,
    FatTree::RAILS,
    Rail::ENTRY,
    Myrinet::ENTRY,
    PMesh::ENTRY,
    SwitchGrid::MESH,
    SwitchGrid::TORUS,
    HyperX::ENTRY,
    Dragonfly::ENTRY,
    DragonflyPlus::ENTRY,
    SlimFly::ENTRY,
    PolarFly::ENTRY,
    Jellyfish::ENTRY,
    HammingMesh::ENTRY,
    PLANES,
];

/// Planes of any other kind, so it is read here.
const PLANES: KindEntry = KindEntry {
    name: "planes",
    title: "Planes",
    form: "planes:PLANES,NETWORK",
    example: "planes:8,fat-tree:128,16,2",
    explanation: "A network several times, with a NIC of every host on each plane.",
    source: "Zhao et al. 2025, section 5.1",
    read: |text| {
        let (count, plane) = Planes::split(text)?;
        let plane = parse(plane).map_err(|fault| format!("a network after the comma ({})", fault.message))?;
        Ok(Box::new(Planes::new(count, plane)))
    },
    // With several NICs, every kind comes in planes.
    fit: |_, limits| match limits.nics {
        1 => Err("hosts with several NICs".into()),
        _ => Ok(Vec::new()),
    },
};

/// Parses the text form of a network, such as `torus:8x8` or `tree:768,24,2`.
///
/// # Errors
/// The kind is unknown or its parameters are wrong; the error names what is accepted.
pub fn parse(text: &str) -> Result<Box<dyn NetworkKind>, Fault> {
    match text.contains(NetworkFile::PREFIX) {
        true => Err(Fault::new(PATH, text, says(NO_FILES))),
        false => parse_kind(text, None),
    }
}

/// Parses the text form of a network of [`KINDS`]; `file` is the form of a network from a file where one is accepted.
fn parse_kind(text: &str, file: Option<&'static str>) -> Result<Box<dyn NetworkKind>, Fault> {
    let (name, parameters) = text.split_once(':').unwrap_or((text, ""));
    let fault = |sentence: String| Fault::new(PATH, text, says(sentence));
    let Some(entry) = KINDS.iter().find(|entry| entry.name == name.trim()) else {
        let names = || KINDS.iter().map(|entry| entry.name).chain(file);
        let near = closest(name.trim(), names());
        let form =
            near.map(|near| KINDS.iter().find(|entry| entry.name == near).map_or(near, |entry| entry.form));
        let word = if form.is_some() { name } else { text };
        return Err(Fault::new(PATH, text, no_such("network", word, form, names())));
    };
    (entry.read)(parameters)
        .map_err(|expected| fault(format!("`{}`: write `{}` with {expected}.", shown(text), entry.form)))
}

/// Accepted instead of a network from a file.
const NO_FILES: &str = "networks from files work in `compare` and on the command line only.";

/// Reads the file of that name; the error says why it cannot be read.
pub type ReadFile<'a> = &'a dyn Fn(&str) -> Result<String, String>;

/// Parses the text form of a network, or reads `file:PATH` by `read`, alone or in planes.
///
/// # Errors
/// Errors of [`parse`]; a file that cannot be read, or every fault of its text, at its name and the line.
pub fn parse_with(text: &str, read: ReadFile) -> Result<Box<dyn NetworkKind>, Faults> {
    let text = text.trim();
    if let Some(name) = text.strip_prefix(NetworkFile::PREFIX) {
        let content = read(name).map_err(|why| Fault::new(PATH, text, says(format!("{why}."))))?;
        return Ok(Box::new(NetworkFile::read(name, &content)?));
    }
    let planes = text.strip_prefix("planes:").filter(|planes| planes.contains(NetworkFile::PREFIX));
    let planes =
        planes.map(Planes::split).transpose().map_err(|expected| Fault::new(PATH, text, expected))?;
    match planes {
        Some((count, plane)) => Ok(Box::new(Planes::new(count, parse_with(plane, read)?))),
        None => Ok(parse_kind(text, Some(NetworkFile::FORM))?),
    }
}

/// Parses several networks as [`parse_with`] does; `path` gives the path of each that is none.
///
/// # Errors
/// Every text that is no network, and every fault of a file.
pub fn parse_all(
    texts: &[String],
    read: ReadFile,
    path: impl Fn(usize) -> String,
) -> Result<Vec<Box<dyn NetworkKind>>, Faults> {
    let (mut kinds, mut faults) = (Vec::new(), Vec::new());
    for (number, text) in texts.iter().enumerate() {
        match parse_with(text, read) {
            Ok(kind) => kinds.push(kind),
            Err(Faults(own)) => faults.extend(own.into_iter().map(|fault| match fault.path.as_str() {
                PATH => Fault { path: path(number), ..fault },
                _ => fault,
            })),
        }
    }
    Faults::of(faults).map_or(Ok(kinds), Err)
}

/// Label of a network.
pub fn title(kind: &dyn NetworkKind) -> String {
    capital(&kind.name())
}

/// Name of the network of a text form, in the middle of a sentence; the text itself if it is no network.
pub fn name_of(text: &str) -> String {
    if let Some(file) = text.strip_prefix(NetworkFile::PREFIX) {
        return NetworkFile::name_of(file);
    }
    parse(text).map_or_else(|_| text.to_owned(), |kind| kind.name())
}

/// Builds the graph of a network. Errors: it has more than [`MAX_LINKS`] links.
pub fn build(kind: &dyn NetworkKind, speeds: Speeds) -> Result<Fabric, Fault> {
    let links = kind.parts().cables;
    if links > MAX_LINKS {
        let (links, most) = (grouped(links), grouped(MAX_LINKS));
        let sentence = format!("{} has {links} links; at most {most} can be built.", kind.text());
        return Err(Fault::new("fabric", kind.text(), says(sentence)));
    }
    Ok(kind.fabric(speeds))
}

/// A kind with its network for a number of hosts.
pub struct Fit {
    /// The kind.
    pub entry: &'static KindEntry,
    /// The network, or the numbers of hosts that the kind takes.
    pub kind: Result<Box<dyn NetworkKind>, String>,
}

/// Every kind for N hosts, in the order of [`KINDS`]; a kind with several networks comes once per network. If hosts have several
/// NICs, networks that use one of them come in as many planes.
pub fn fit(hosts: u32, limits: &Limits) -> Vec<Fit> {
    let fitted = |entry: &'static KindEntry| {
        let kinds = match (entry.fit)(hosts, limits) {
            Ok(kinds) => kinds.into_iter().map(|kind| Ok(Planes::of(kind, limits.nics))).collect(),
            Err(takes) => vec![Err(takes)],
        };
        kinds.into_iter().map(move |kind| Fit { entry, kind })
    };
    KINDS.iter().flat_map(fitted).collect()
}

/// Every routing that is chosen by name, the default first.
pub const ROUTINGS: &[RoutingEntry] = &[
    Minimal::ENTRY,
    Ecmp::ENTRY,
    Disjoint::ENTRY,
    SpanningTree::ENTRY,
    Method::Dor.entry(),
    Method::PartialDor.entry(),
];

impl RoutingEntry {
    /// The routing with that name.
    pub fn named(name: &str) -> Option<&'static RoutingEntry> {
        ROUTINGS.iter().find(|entry| entry.name == name)
    }
}
