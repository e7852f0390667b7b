//! A GraphML graph, as networkx, yEd and this program's exports write it.
//!
//! Nodes and edges may have attributes (`key` and `data`), whose names are read in any case. Of a node: `type`, `kind` or `role`
//! with the value `host` (or `pe`) or `switch`. Of an edge: `speed`, `bandwidth`, `capacity` or `weight` in Gb/s, the first of
//! them if there are several, and `trunk`. In a directed graph, an edge and its opposite edge are one link.
//!
//! The text is read once, from start to end. Document types and entities that they would define are an error, and the depth of
//! elements and the number of their attributes have limits, so the work and the memory are proportional to the text.

use super::{
    LinkSpeed, NetworkFile,
    listed::{FileGraph, Role, Rules},
};
use crate::{
    cancel::{check, checked},
    form::says,
    spec::{Fault, Faults},
    text::grouped,
};
use quick_xml::{
    Error, Reader, XmlVersion,
    errors::IllFormedError,
    escape::{EscapeError, resolve_xml_entity},
    events::{
        BytesRef, Event,
        attributes::{Attribute, Attributes},
    },
};
use std::{borrow::Cow, collections::HashMap};

/// Names of the attributes that are read: of a node, then of an edge.
const NAMES: [&str; 8] = ["type", "kind", "role", "speed", "bandwidth", "capacity", "weight", "trunk"];
/// Places of the names in [`NAMES`].
const ROLES: std::ops::Range<usize> = 0..3;
const SPEEDS: std::ops::Range<usize> = 3..7;
const TRUNK: usize = 7;
/// Max elements inside each other.
const MAX_DEPTH: usize = 100;
/// Max attributes of an element, such as `id`.
const MAX_ATTRIBUTES: usize = 64;
/// Max bytes of a tag with its attributes.
const MAX_TAG: usize = 1 << 20;
const DOCTYPE: &str = "<!DOCTYPE";
const ENTITIES: &str = "one of `&amp;`, `&lt;`, `&gt;`, `&quot;` and `&apos;`, or the number of a character";

/// Reads a GraphML graph.
///
/// # Errors
/// The text is no GraphML, or the line of each element without what it needs or with another value.
pub(super) fn read(name: &str, text: &str) -> Result<NetworkFile, Faults> {
    let mut graph = Graph::new(name, text);
    graph.elements(text)?;
    if graph.graphs != 1 {
        let value = format!("<{}> with {} graphs", graph.root, graph.graphs);
        return Err(Fault::new(name, value, "<graphml> with one <graph>").into());
    }
    graph.links();
    graph.listed.network()
}

/// A text of the file, or its copy where it has entities.
type Text<'a> = Cow<'a, str>;

/// A declared attribute.
struct Key {
    /// Place in [`NAMES`].
    name: usize,
    is_for_node: bool,
    is_for_edge: bool,
}

/// Values of attributes, in the order of [`NAMES`].
type Values<'a> = [Option<Text<'a>>; NAMES.len()];

/// An element that is open.
enum OpenElement<'a> {
    Root,
    Key(Option<Key>),
    /// A default of the key around it.
    Default(Text<'a>),
    Graph,
    Node(Node<'a>),
    Edge(Edge<'a>),
    /// A value of the node or edge around it, by its place in [`NAMES`].
    Data(usize, Text<'a>),
    Other,
}

struct Node<'a> {
    id: Option<Text<'a>>,
    at: usize,
    /// `true` if it has nodes of its own.
    is_group: bool,
    values: Values<'a>,
}

struct Edge<'a> {
    ends: [Text<'a>; 2],
    at: usize,
    values: Values<'a>,
}

/// An edge that has been read.
struct Listing<'a> {
    ends: [Text<'a>; 2],
    at: usize,
    speed: LinkSpeed,
}

struct Graph<'a> {
    listed: FileGraph<'a>,
    open: Vec<OpenElement<'a>>,
    /// Name of the outer element.
    root: &'a str,
    /// Graphs of the outer element.
    graphs: u32,
    keys: HashMap<Text<'a>, Key>,
    /// Default values of nodes and of edges.
    defaults: [Values<'a>; 2],
    edges: Vec<Listing<'a>>,
}

impl<'a> Graph<'a> {
    fn new(name: &'a str, text: &'a str) -> Graph<'a> {
        Graph {
            listed: FileGraph::new(name, text, Rules::WHOLE),
            open: Vec::new(),
            root: "",
            graphs: 0,
            keys: HashMap::new(),
            defaults: Default::default(),
            edges: Vec::new(),
        }
    }

    /// Reads all elements.
    fn elements(&mut self, text: &'a str) -> Result<(), Fault> {
        let mut xml = Reader::from_str(text);
        xml.config_mut().expand_empty_elements = true;
        loop {
            check();
            let at = xml.buffer_position() as usize;
            // Before its declarations are looked at, which may be long.
            if text.get(at..at + DOCTYPE.len()).is_some_and(|start| start.eq_ignore_ascii_case(DOCTYPE)) {
                let sentence =
                    "has a document type, <!DOCTYPE>; remove it, and write the text of its entities.";
                return Err(self.listed.fault_at(at, "", says(sentence)));
            }
            let event = xml.read_event();
            match event.map_err(|error| self.wrong(at.max(xml.error_position() as usize), &error))? {
                Event::Start(_) => {
                    let tag = text.get(at..xml.buffer_position() as usize).unwrap_or_default();
                    self.start(tag, at)?;
                }
                Event::End(_) => self.end(),
                Event::Text(piece) => self.text(piece.into_inner(), at)?,
                Event::CData(piece) => self.text(piece.into_inner(), at)?,
                Event::GeneralRef(reference) => {
                    self.text(resolved(&reference).map_err(|error| self.wrong(at, &error))?, at)?
                }
                Event::Eof if !self.open.is_empty() || self.root.is_empty() => {
                    return Err(self.listed.fault_at(
                        at,
                        "",
                        says("the file ends before the graph does; give the whole file."),
                    ));
                }
                Event::Eof => return Ok(()),
                // An empty element comes as a start and an end, and a document type is a fault already.
                Event::Empty(_) | Event::DocType(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
            }
        }
    }

    /// The fault for an error of the XML.
    fn wrong(&self, at: usize, error: &Error) -> Fault {
        match error {
            Error::Escape(EscapeError::UnrecognizedEntity(_, name)) => {
                self.listed.fault_at(at, &format!("&{name};"), ENTITIES)
            }
            Error::IllFormed(IllFormedError::UnclosedReference) => {
                self.listed.fault_at(at, "`&` without `;`", ENTITIES)
            }
            error => self.listed.fault_at(at, "", says(format!("is not well-formed XML: {error}."))),
        }
    }

    /// Takes the start of an element.
    fn start(&mut self, tag: &'a str, at: usize) -> Result<(), Fault> {
        if tag.len() > MAX_TAG {
            let limit = grouped(MAX_TAG as u64);
            let sentence = format!("a tag has {} bytes; the limit is {limit}.", grouped(tag.len() as u64));
            return Err(self.listed.fault_at(at, "", says(sentence)));
        }
        let inside = tag.trim_start_matches('<').trim_end_matches('>').trim_end_matches('/');
        let name = inside.split(|c: char| c.is_ascii_whitespace()).next().unwrap_or_default();
        let attributes = self.attributes(Attributes::new(inside, name.len()), at)?;
        let of = |name: &str| {
            let found = attributes.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| value.clone())
        };
        if self.open.len() == MAX_DEPTH {
            let sentence =
                format!("has more than {MAX_DEPTH} elements inside each other, which is the limit.");
            return Err(self.listed.fault_at(at, "", says(sentence)));
        }
        let local = name.split_once(':').map_or(name, |(_, local)| local);
        let has_root = !self.root.is_empty();
        let is_in_graph = matches!(self.open.get(1), Some(OpenElement::Graph));
        let open = match (self.open.last_mut(), local) {
            (None, _) if has_root => {
                let sentence = says(format!("<{name}> is a second outer element; keep one <graphml>."));
                return Err(self.listed.fault_at(at, "", sentence));
            }
            (None, _) => {
                self.root = local;
                OpenElement::Root
            }
            (Some(OpenElement::Root), "key") => self.key(at, of("id"), of("attr.name"), of("for"))?,
            (Some(OpenElement::Key(Some(_))), "default") => OpenElement::Default(Text::default()),
            (Some(OpenElement::Root), "graph") => {
                self.graphs += 1;
                if of("edgedefault").as_deref() == Some("directed") {
                    self.listed.set_directed();
                }
                OpenElement::Graph
            }
            (Some(OpenElement::Node(node)), "graph") => {
                node.is_group = true;
                OpenElement::Other
            }
            (Some(OpenElement::Node(_) | OpenElement::Edge(_)), "data") => {
                let key = of("key").and_then(|id| self.keys.get(&id));
                key.map_or(OpenElement::Other, |key| OpenElement::Data(key.name, Text::default()))
            }
            _ if !is_in_graph => OpenElement::Other,
            (_, "node") => {
                OpenElement::Node(Node { id: of("id"), at, is_group: false, values: Values::default() })
            }
            (_, "edge") => {
                let ends = ["source", "target"].map(|end| of(end).unwrap_or_default());
                OpenElement::Edge(Edge { ends, at, values: Values::default() })
            }
            (_, "hyperedge") => {
                self.listed.fault(at, "<hyperedge>", "<edge source=... target=...>");
                OpenElement::Other
            }
            _ => OpenElement::Other,
        };
        self.open.push(open);
        Ok(())
    }

    /// The attributes of an element, up to [`MAX_ATTRIBUTES`].
    fn attributes(&self, found: Attributes<'a>, at: usize) -> Result<Vec<(&'a str, Text<'a>)>, Fault> {
        let mut attributes = Vec::new();
        for attribute in found {
            if attributes.len() == MAX_ATTRIBUTES {
                let sentence =
                    format!("an element has more than {MAX_ATTRIBUTES} attributes, which is the limit.");
                return Err(self.listed.fault_at(at, "", says(sentence)));
            }
            let value = |attribute: Attribute<'a>| {
                Ok((attribute.key.into_inner(), attribute.normalized_value(XmlVersion::Implicit1_0)?))
            };
            let read = attribute.map_err(Error::from).and_then(value);
            attributes.push(read.map_err(|error| self.wrong(at, &error))?);
        }
        Ok(attributes)
    }

    /// Takes a declared attribute, which is kept only if it is one of [`NAMES`].
    fn key(
        &mut self,
        at: usize,
        id: Option<Text<'a>>,
        name: Option<Text<'a>>,
        of: Option<Text<'a>>,
    ) -> Result<OpenElement<'a>, Fault> {
        if self.graphs > 0 {
            let sentence = says("<key> stands after <graph>; put every <key> before it.");
            return Err(self.listed.fault_at(at, "", sentence));
        }
        let name = name.and_then(|name| NAMES.iter().position(|known| known.eq_ignore_ascii_case(&name)));
        let (Some(id), Some(name)) = (id, name) else { return Ok(OpenElement::Key(None)) };
        let of = of.as_deref().unwrap_or("all");
        let key = || Key {
            name,
            is_for_node: matches!(of, "all" | "node"),
            is_for_edge: matches!(of, "all" | "edge"),
        };
        self.keys.insert(id, key());
        Ok(OpenElement::Key(Some(key())))
    }

    /// Takes a piece of text.
    fn text(&mut self, piece: Text<'a>, at: usize) -> Result<(), Fault> {
        match self.open.last_mut() {
            Some(OpenElement::Default(text) | OpenElement::Data(_, text)) if text.is_empty() => *text = piece,
            Some(OpenElement::Default(text) | OpenElement::Data(_, text)) => text.to_mut().push_str(&piece),
            None if !piece.trim().is_empty() => {
                let sentence = says(format!("text stands outside of <{}>; remove it.", self.root));
                return Err(self.listed.fault_at(at, "", sentence));
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes the end of the element that was opened last.
    fn end(&mut self) {
        match self.open.pop() {
            Some(OpenElement::Node(node)) => self.node(node),
            Some(OpenElement::Edge(edge)) => self.edge(edge),
            Some(OpenElement::Default(text)) => {
                let Some(OpenElement::Key(Some(key))) = self.open.last() else { return };
                for (values, is_own) in self.defaults.iter_mut().zip([key.is_for_node, key.is_for_edge]) {
                    if is_own && values[key.name].is_none() {
                        values[key.name] = Some(text.clone());
                    }
                }
            }
            Some(OpenElement::Data(name, text)) => {
                let (Some(OpenElement::Node(Node { values, .. }))
                | Some(OpenElement::Edge(Edge { values, .. }))) = self.open.last_mut()
                else {
                    return;
                };
                values[name].get_or_insert(text);
            }
            _ => {}
        }
    }

    fn node(&mut self, node: Node<'a>) {
        let Node { id, at, is_group, values } = node;
        let Some(id) = id else {
            return self.listed.fault(at, "<node> without id", "<node id=...>");
        };
        // A group of nodes is none itself.
        if is_group {
            return;
        }
        if self.listed.find(&id).is_some() {
            return self.listed.fault(at, &id, "an id that no other node has");
        }
        let node = self.listed.node(id.clone(), at);
        for name in ROLES {
            let Some(value) = values[name].as_ref().or(self.defaults[0][name].as_ref()) else { continue };
            match value.trim().to_ascii_lowercase().as_str() {
                "host" | "pe" => self.listed.set_role(node, Role::Host, at),
                // An uplink switch, and a spare that carries no traffic, of an exported wiring.
                "switch" | "uplink" => self.listed.set_role(node, Role::Switch, at),
                "spare" => self.listed.set_role(node, Role::Outside, at),
                _ => {
                    let value = format!("{} {:?} of node {id}", NAMES[name], value.trim());
                    self.listed.fault(at, &value, "host or switch");
                }
            }
        }
    }

    fn edge(&mut self, edge: Edge<'a>) {
        let Edge { ends, at, values } = edge;
        let value =
            |name: usize| values[name].as_deref().or(self.defaults[1][name].as_deref()).map(str::trim);
        let speed = match SPEEDS.into_iter().find_map(value) {
            Some(text) => LinkSpeed::read(text).ok_or_else(|| text.to_owned()),
            None if matches!(value(TRUNK), Some("true" | "1")) => Ok(LinkSpeed::Trunks),
            None => Ok(LinkSpeed::Hosts),
        };
        match speed {
            Ok(speed) => self.edges.push(Listing { ends, at, speed }),
            Err(text) => self.listed.fault(at, &text, LinkSpeed::EXPECTED),
        }
    }

    /// Lists the links of all edges, which may come before their nodes.
    fn links(&mut self) {
        for Listing { ends, at, speed } in checked(std::mem::take(&mut self.edges)) {
            let [a, b] = [("source", &ends[0]), ("target", &ends[1])].map(|(end, id)| {
                let node = self.listed.find(id);
                if node.is_none() {
                    self.listed.fault(at, &format!("{end} {id:?}"), "the id of a node");
                }
                node
            });
            if let Some((a, b)) = a.zip(b) {
                self.listed.link([a, b], speed, at);
            }
        }
    }
}

/// The text of an entity that every XML file has, or of a character by its number.
fn resolved<'a>(reference: &BytesRef) -> Result<Text<'a>, Error> {
    match reference.resolve_char_ref()? {
        Some(character) => Ok(Text::Owned(character.to_string())),
        None => match resolve_xml_entity(reference) {
            Some(text) => Ok(Text::Borrowed(text)),
            None => Err(EscapeError::UnrecognizedEntity(0..0, reference.to_string()).into()),
        },
    }
}
