//! A GraphML graph, as networkx, yEd and this program's exports write it.
//!
//! Nodes and edges may have attributes (`key` and `data`), whose names are read in any case. Of a node: `type`, `kind` or `role`
//! with the value `host` (or `pe`) or `switch`. Of an edge: `speed`, `bandwidth`, `capacity` or `weight` in Gb/s, the first of
//! them if there are several, and `trunk`. If every edge of a directed graph has an opposite one, each two of them are a link;
//! if none has, every edge is a link.

use super::{
    LinkSpeed, NetworkFile,
    listed::{Listed, Role},
};
use crate::{
    cancel::checked,
    spec::{Fault, Faults},
};
use roxmltree::{Document, Node, ParsingOptions};
use std::collections::HashMap;

const ROLES: [&str; 3] = ["type", "kind", "role"];
const SPEEDS: [&str; 4] = ["speed", "bandwidth", "capacity", "weight"];
const TRUNK: &str = "trunk";

/// Reads a GraphML graph.
///
/// # Errors
/// The text is no GraphML, or the line of each element without what it needs or with another value.
pub(super) fn read(name: &str, text: &str) -> Result<NetworkFile, Faults> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        let line = format!("{name} line {}", error.pos().row);
        Fault::new(line, error, "well-formed XML")
    })?;
    let root = document.root_element();
    let graphs: Vec<Node> = root.children().filter(|child| child.has_tag_name("graph")).collect();
    let [graph] = graphs[..] else {
        let value = format!("<{}> with {} graphs", root.tag_name().name(), graphs.len());
        return Err(Fault::new(name, value, "<graphml> with one <graph>").into());
    };
    let mut reader = Reader { keys: keys(root), listed: Listed::new(name, text) };
    for node in checked(graph.descendants()).filter(|node| node.has_tag_name("node")) {
        reader.node(node);
    }
    let is_directed = graph.attribute("edgedefault") == Some("directed");
    reader.edges(graph, is_directed);
    reader.listed.network()
}

/// A declared attribute.
struct Key<'a> {
    /// Kind of element that has it, or `all`.
    of: &'a str,
    /// In lower case.
    name: String,
    default: Option<&'a str>,
}

type Keys<'a> = HashMap<&'a str, Key<'a>>;

fn keys<'a>(root: Node<'a, '_>) -> Keys<'a> {
    let keys = root.children().filter(|child| child.has_tag_name("key"));
    let key = |key: Node<'a, '_>| {
        let name = key.attribute("attr.name")?.to_ascii_lowercase();
        let default = key.children().find(|child| child.has_tag_name("default"));
        let default = default.and_then(|default| default.text());
        Some((key.attribute("id")?, Key { of: key.attribute("for").unwrap_or("all"), name, default }))
    };
    keys.filter_map(key).collect()
}

struct Reader<'a> {
    keys: Keys<'a>,
    listed: Listed<'a>,
}

impl<'a> Reader<'a> {
    /// The value of an attribute.
    fn value(&self, element: Node<'a, '_>, name: &str) -> Option<&'a str> {
        let of = |data: &Node<'a, '_>| {
            let key = self.keys.get(data.attribute("key")?)?;
            (data.has_tag_name("data") && key.name == name).then(|| data.text().unwrap_or_default().trim())
        };
        let written = element.children().find_map(|child| of(&child));
        let is_own = |key: &&Key| key.name == name && (key.of == "all" || element.has_tag_name(key.of));
        written.or_else(|| self.keys.values().filter(is_own).find_map(|key| key.default).map(str::trim))
    }

    fn node(&mut self, element: Node<'a, '_>) {
        let at = element.range().start;
        let Some(id) = element.attribute("id") else {
            return self.listed.fault(at, "<node> without id", "<node id=...>");
        };
        // A group of nodes is none itself.
        if element.children().any(|child| child.has_tag_name("graph")) {
            return;
        }
        if self.listed.find(id).is_some() {
            return self.listed.fault(at, id, "an id that no other node has");
        }
        let node = self.listed.node(id, at);
        for name in ROLES {
            let Some(value) = self.value(element, name) else { continue };
            match value.to_ascii_lowercase().as_str() {
                "host" | "pe" => self.listed.set_role(node, Role::Host, at),
                "switch" => self.listed.set_role(node, Role::Switch, at),
                _ => self.listed.fault(at, &format!("{name} {value:?} of node {id}"), "host or switch"),
            }
        }
    }

    /// Reads all edges.
    fn edges(&mut self, graph: Node<'a, '_>, is_directed: bool) {
        let mut edges = Vec::new();
        for element in checked(graph.descendants()) {
            let at = element.range().start;
            if element.has_tag_name("hyperedge") {
                self.listed.fault(at, "<hyperedge>", "<edge source=... target=...>");
            } else if element.has_tag_name("edge")
                && let Some((ends, speed)) = self.edge(element)
            {
                edges.push((ends, speed, at));
            }
        }
        let mut counts: HashMap<[usize; 2], usize> = HashMap::new();
        edges.iter().for_each(|(ends, ..)| *counts.entry(*ends).or_default() += 1);
        let count = |ends: [usize; 2]| counts.get(&ends).copied().unwrap_or(0);
        let opposite = |[a, b]: [usize; 2]| count([b, a]);
        let is_paired = is_directed && edges.iter().any(|&(ends, ..)| opposite(ends) > 0);
        for (ends, speed, at) in edges {
            if is_paired && opposite(ends) != count(ends) {
                let expected = "an opposite edge, as other edges have, or edgedefault=\"undirected\"";
                self.listed.fault(at, "<edge> in one direction", expected);
            } else if !is_paired || ends[0] <= ends[1] {
                self.listed.link(ends, speed, at);
            }
        }
    }

    fn edge(&mut self, element: Node<'a, '_>) -> Option<([usize; 2], LinkSpeed)> {
        let at = element.range().start;
        let [a, b] = ["source", "target"].map(|end| {
            let id = element.attribute(end).unwrap_or_default();
            let node = self.listed.find(id);
            if node.is_none() {
                self.listed.fault(at, &format!("{end} {id:?}"), "the id of a node");
            }
            node
        });
        let speed = match SPEEDS.iter().find_map(|name| self.value(element, name)) {
            Some(text) => LinkSpeed::read(text).or_else(|| {
                self.listed.fault(at, text, LinkSpeed::EXPECTED);
                None
            }),
            None => match self.value(element, TRUNK) {
                Some("true" | "1") => Some(LinkSpeed::Trunks),
                _ => Some(LinkSpeed::Hosts),
            },
        };
        Some(([a?, b?], speed?))
    }
}
