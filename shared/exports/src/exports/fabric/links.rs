//! The links of any network, as lines and as GraphML. [`NetworkFile`](crate::fabric::NetworkFile) reads both.

use crate::{
    design::Names,
    exports::{
        ExportError, Format, Group, Render, Settings, TEXT, WriteResult,
        graphs::{GRAPHML_FILE, begin_graphml, end_graphml},
    },
    fabric::{Fabric, NetworkKind, Speeds},
    text::number,
};
use std::fmt;

pub(in crate::exports) const LINKS: Format =
    Format::new(Group::Programs, "links", "List of links", TEXT, Render::Network(links))
        .read_by(&["Crosspoint"])
        .purpose("a line per link: both ends, then its speed in Gb/s if it has a fixed one, or trunk");

pub(in crate::exports) const GRAPHML: Format =
    Format::new(Group::Programs, "graphml", "Graph, GraphML", GRAPHML_FILE, Render::Network(graphml))
        .read_by(&["Crosspoint", "networkx 3.6"])
        .purpose("the network as a GraphML graph, for network analysis and drawing programs");

/// Max links of a network that is written.
pub(super) const MAX_LINKS: u64 = 1 << 20;
/// Max names on a line.
const MAX_NAMES: usize = 16;

/// Nodes and links by name.
struct Graph {
    title: String,
    hosts: Vec<String>,
    switches: Vec<String>,
    fabric: Fabric,
    speeds: Vec<Speed>,
}

/// Speed of a link.
enum Speed {
    Hosts,
    Trunks,
    /// In Gb/s.
    Fixed(f64),
}

impl Graph {
    fn of(kind: &dyn NetworkKind) -> Result<Graph, ExportError> {
        let links = kind.parts().cables;
        if links > MAX_LINKS {
            return Err(ExportError::Links { kind: kind.text(), links, max: MAX_LINKS });
        }
        if kind.parts().switches.iter().any(|switch| switch.hub) {
            return Err(ExportError::Hub { kind: kind.text() });
        }
        // A link follows the speed of hosts or of trunks if it changes with it.
        let [fabric, other] = [(1, 2), (2, 1)].map(|(hosts, trunks)| kind.fabric(Speeds { hosts, trunks }));
        let speeds =
            fabric.links.iter().zip(&other.links).map(|(link, other)| match (link.speed, other.speed) {
                (1, 2) => Speed::Hosts,
                (2, 1) => Speed::Trunks,
                (fixed, _) => Speed::Fixed(f64::from(fixed) / 1e3),
            });
        let (hosts, switches) = (fabric.hosts, fabric.switches.len() as u32);
        let names = Names::new(hosts, switches);
        Ok(Graph {
            title: format!(
                "{}: {hosts} hosts, {switches} switches, {} links",
                kind.text(),
                fabric.links.len()
            ),
            hosts: (0..hosts).map(|host| names.pe(host)).collect(),
            switches: (0..switches).map(|switch| names.switch(switch)).collect(),
            speeds: speeds.collect(),
            fabric,
        })
    }

    /// The ends of each link, and its speed.
    fn links(&self) -> impl Iterator<Item = ([&str; 2], &Speed)> {
        let name = |node: u32| match node.checked_sub(self.fabric.hosts) {
            Some(switch) => self.switches[switch as usize].as_str(),
            None => &self.hosts[node as usize],
        };
        self.fabric.links.iter().map(move |link| link.ends.map(name)).zip(&self.speeds)
    }
}

fn links(kind: &dyn NetworkKind, _: &Settings, out: &mut dyn fmt::Write) -> WriteResult {
    let graph = Graph::of(kind)?;
    writeln!(out, "# {}", graph.title)?;
    for (role, names) in [("host", &graph.hosts), ("switch", &graph.switches)] {
        for names in names.chunks(MAX_NAMES) {
            writeln!(out, "{role} {}", names.join(" "))?;
        }
    }
    for ([from, to], speed) in graph.links() {
        match speed {
            Speed::Hosts => writeln!(out, "{from} {to}")?,
            Speed::Trunks => writeln!(out, "{from} {to} trunk")?,
            Speed::Fixed(speed) => writeln!(out, "{from} {to} {}", number(*speed))?,
        }
    }
    Ok(())
}

/// Attributes: what they belong to, name, type.
const KEYS: [(&str, &str, &str); 4] = [
    ("graph", "name", "string"),
    ("node", "kind", "string"),
    ("edge", "speed", "double"),
    ("edge", "trunk", "boolean"),
];

fn graphml(kind: &dyn NetworkKind, _: &Settings, out: &mut dyn fmt::Write) -> WriteResult {
    let graph = Graph::of(kind)?;
    begin_graphml(&KEYS, &graph.title, out)?;
    for (role, names) in [("host", &graph.hosts), ("switch", &graph.switches)] {
        for name in names {
            writeln!(out, "<node id=\"{name}\"><data key=\"kind\">{role}</data></node>")?;
        }
    }
    for ([from, to], speed) in graph.links() {
        write!(out, "<edge source=\"{from}\" target=\"{to}\">")?;
        match speed {
            Speed::Hosts => {}
            Speed::Trunks => out.write_str("<data key=\"trunk\">true</data>")?,
            Speed::Fixed(speed) => write!(out, "<data key=\"speed\">{}</data>", number(*speed))?,
        }
        out.write_str("</edge>\n")?;
    }
    Ok(end_graphml(out)?)
}
