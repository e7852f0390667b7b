//! Labs and plans that list devices and their links: containerlab, NVIDIA Air, DOT, node-link graphs, and wirings of this program.
//!
//! containerlab's nodes are hosts by their kind (`linux` and others that are no network systems), those of Air by their system or
//! function. Names and interfaces decide the rest. Links to the machine itself, to management networks and to nothing are left out.

use super::{
    LinkSpeed, NetworkFile,
    hints::{of_interface, of_name},
    listed::{FileGraph, Role, Rules},
    slurm,
    yaml::{Item, Tree},
};
use crate::{
    cancel::checked,
    form::says,
    spec::{Fault, Faults},
    text::grouped,
};
use std::collections::HashMap;

const LAB: Rules = Rules::partial("nodes of kind `linux`");
const AIR: Rules = Rules::partial(
    "nodes with the system of a server, such as `generic/ubuntu2404`, or the function `server`",
);
const GRAPH: Rules = Rules::partial("the attribute `type` of nodes, `host` or `switch`");
const WIRING: Rules = Rules::partial("the list `pes`");

/// `true` if a file of YAML has one of the topologies that are read.
pub(super) fn is_yaml<'a>(mut lines: impl Iterator<Item = &'a str>) -> bool {
    lines.any(|line| line.starts_with("topology:") || line.starts_with("- topology:"))
}

/// Reads the topology of a YAML or JSON document.
///
/// # Errors
/// Every link that has no two ends, and a document of another kind.
pub(super) fn read_yaml(name: &str, text: &str) -> Result<NetworkFile, Faults> {
    let tree = Tree::read(text).map_err(|(at, sentence)| {
        Faults::from(FileGraph::new(name, text, LAB).fault_at(at, "", says(sentence)))
    })?;
    let root = tree.root();
    let is_slurm = |item: Item| item.get("tree").or(item.get("block")).or(item.get("flat")).is_some();
    if let Some(lab) = root.get("topology").filter(|lab| lab.get("nodes").or(lab.get("links")).is_some()) {
        containerlab(FileGraph::new(name, text, LAB), lab)
    } else if is_lab_data(root) {
        containerlab(FileGraph::new(name, text, LAB), root)
    } else if root.list().is_some_and(|mut topologies| topologies.any(is_slurm)) {
        slurm_yaml(slurm::Topology::new(name, text), root)
    } else if root.word_of("format") == Some("crosspoint-wiring") {
        wiring(FileGraph::new(name, text, WIRING), root)
    } else if let Some(content) =
        [root.get("content"), Some(root)].into_iter().flatten().find(|content| is_air(*content))
    {
        air(FileGraph::new(name, text, AIR), content)
    } else if let Some(edges) =
        root.get("links").or(root.get("edges")).filter(|_| root.get("nodes").is_some())
    {
        node_link(FileGraph::new(name, text, GRAPH), root, edges)
    } else {
        let sentence = "is YAML or JSON, but no topology of containerlab, NVIDIA Air or Slurm, no node-link graph and no wiring of this program.";
        Err(Fault::new(name, "", says(sentence)).into())
    }
}

/// Devices of a lab with the roles that are known, and the interfaces at which links end.
struct Devices<'a> {
    graph: FileGraph<'a>,
    numbers: HashMap<String, u32>,
    /// Votes of the interfaces of each device without a role: for a host, and for a switch.
    votes: Vec<[u32; 2]>,
}

impl<'a> Devices<'a> {
    fn new(graph: FileGraph<'a>) -> Devices<'a> {
        Devices { graph, numbers: HashMap::new(), votes: Vec::new() }
    }

    /// The device of that name, new or not.
    fn device(&mut self, name: &str, at: usize) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.graph.node(name.to_owned().into(), at);
        self.numbers.insert(name.to_owned(), number);
        self.votes.push([0; 2]);
        number
    }

    fn listed(&mut self, name: &str, role: Option<Role>, at: usize) {
        let device = self.device(name, at);
        if let Some(role) = role {
            self.graph.set_role(device, role, at);
        }
    }

    fn link(&mut self, ends: [(u32, &str); 2], speed: LinkSpeed, at: usize) {
        for (device, interface) in ends {
            match of_interface(interface) {
                Some(Role::Host) => self.votes[device as usize][0] += 1,
                Some(_) => self.votes[device as usize][1] += 1,
                None => {}
            }
        }
        self.graph.link(ends.map(|(device, _)| device), speed, at);
    }

    /// A link of DOT, unless it leads to the management network.
    fn dot_link(&mut self, ends: [(&str, &str); 2], speed: LinkSpeed, at: usize) {
        if let Some((management, _)) = ends.iter().find(|(name, _)| is_management(name)) {
            let sentence = format!("is a link to {management} for management, and is left out.");
            return self.graph.warn(at, sentence);
        }
        let ends = ends.map(|(name, port)| (self.device(name, at), port));
        self.link(ends, speed, at);
    }

    /// The network; devices without a role have that of their interfaces or of their name.
    fn finish(mut self) -> Result<NetworkFile, Faults> {
        for (name, &device) in &self.numbers {
            let role = match (self.graph.role(device), self.votes[device as usize]) {
                (Some(_), _) => None,
                (None, [hosts, switches]) if hosts > switches => Some(Role::Host),
                (None, [hosts, switches]) if switches > hosts => Some(Role::Switch),
                _ => of_name(name),
            };
            if let Some(role) = role {
                self.graph.set_role(device, role, 0);
            }
        }
        self.graph.network()
    }
}

/// Kinds of containerlab's nodes that are no network systems.
const HOST_KINDS: &[&str] = &[
    "linux",
    "ext-container",
    "generic_vm",
    "k8s-kind",
    "openbsd",
    "freebsd",
    "keysight_ixia-c-one",
    "host",
];
/// Routing programs, in the name of an image of a Linux container.
const ROUTERS: &[&str] = &["frr", "bird", "gobgp", "cumulus", "sonic", "quagga", "vyos", "openvswitch"];

/// The role of a node of containerlab.
fn lab_role(name: &str, kind: &str, image: &str) -> Option<Role> {
    if !HOST_KINDS.contains(&kind) {
        return (!kind.is_empty()).then_some(Role::Switch);
    }
    let routes = kind == "linux" && ROUTERS.iter().any(|program| image.contains(program));
    match of_name(name) {
        Some(role) => Some(role),
        None if routes => Some(Role::Switch),
        None => Some(Role::Host),
    }
}

fn containerlab(graph: FileGraph, lab: Item) -> Result<NetworkFile, Faults> {
    let mut devices = Devices::new(graph);
    let (defaults, kinds, groups) = (lab.get("defaults"), lab.get("kinds"), lab.get("groups"));
    for (key, node) in lab.get("nodes").and_then(Item::map).into_iter().flatten() {
        let Some(name) = key.word() else { continue };
        let group = node.word_of("group").and_then(|group| groups?.get(group));
        let of =
            |key: &str| node.word_of(key).or_else(|| group?.word_of(key)).or_else(|| defaults?.word_of(key));
        let kind = of("kind").unwrap_or_default();
        let image = of("image").or_else(|| kinds?.get(kind)?.word_of("image")).unwrap_or_default();
        devices.listed(name, lab_role(name, kind, image), key.at());
    }
    let Some(links) = lab.get("links").and_then(Item::list) else {
        return Err(devices
            .graph
            .fault_at(lab.at(), "", says("has no `links`; list the links of the lab."))
            .into());
    };
    for link in checked(links) {
        let at = link.at();
        if let Some(kind) = link.word_of("type").filter(|kind| !matches!(*kind, "veth")) {
            devices
                .graph
                .warn(at, format!("is a link of type `{kind}`, which leaves the lab, and is left out."));
            continue;
        }
        let given = link.get("endpoints");
        let ends: Vec<Option<(&str, &str)>> = match (given.and_then(Item::list), lettered(link)) {
            (Some(ends), _) => ends.take(3).map(lab_end).collect(),
            (None, Some(ends)) => ends.map(lab_end).into(),
            (None, None) => Vec::new(),
        };
        let [Some(a), Some(b)] = ends[..] else {
            devices.graph.fault(
                at,
                "",
                says("has no two endpoints; write endpoints: [\"a:eth1\", \"b:eth1\"]."),
            );
            continue;
        };
        let leaves =
            |name: &str| matches!(name, "host" | "mgmt-net" | "macvlan" | "vxlan" | "vxlan-stitch" | "dummy");
        if let Some((outside, _)) =
            [a, b].into_iter().find(|(name, _)| leaves(name) && !devices.numbers.contains_key(*name))
        {
            devices
                .graph
                .warn(at, format!("has the endpoint `{outside}`, outside the lab, and is left out."));
            continue;
        }
        if let Some((unknown, _)) = [a, b].into_iter().find(|(name, _)| !devices.numbers.contains_key(*name))
        {
            devices.graph.fault(at, unknown, "the name of one of the `nodes`");
            continue;
        }
        let ends = [a, b].map(|(name, interface)| (devices.device(name, at), interface));
        devices.link(ends, LinkSpeed::Hosts, at);
    }
    devices.finish()
}

/// The ends `a` and `z` of a link of `topology-data.json`.
fn lettered<'t, 'a>(link: Item<'t, 'a>) -> Option<[Item<'t, 'a>; 2]> {
    let ends = link.get("endpoints").unwrap_or(link);
    Some([ends.get("a")?, ends.get("z")?])
}

/// `true` if a document is the `topology-data.json` that containerlab writes.
fn is_lab_data(root: Item) -> bool {
    let first = root.get("links").and_then(Item::list).and_then(|mut links| links.next());
    root.get("nodes").is_some_and(|nodes| nodes.map().is_some()) && first.and_then(lettered).is_some()
}

/// Node and interface of an endpoint: `node:interface`, or a map of both.
fn lab_end<'t>(end: Item<'t, '_>) -> Option<(&'t str, &'t str)> {
    match end.word() {
        Some(word) => word.split_once(':').filter(|(name, _)| !name.is_empty()),
        None => Some((end.word_of("node")?, end.word_of("interface").unwrap_or_default())),
    }
}

/// `true` if a map has links that are lists of ends, as in Air.
fn is_air(content: Item) -> bool {
    let first = content.get("links").and_then(Item::list).and_then(|mut links| links.next());
    content.get("nodes").is_some_and(|nodes| nodes.map().is_some())
        && first.is_none_or(|link| link.list().is_some())
        && content.get("links").is_some()
}

/// The role of a node by the name of its system and its function, if these say.
fn system_role(system: &str, function: &str) -> Option<Role> {
    let system = system.to_ascii_lowercase();
    let is_switch = ["cumulus", "sonic", "onyx", "nvos", "eos", "srlinux", "junos", "ios"];
    match function.to_ascii_lowercase().as_str() {
        "leaf" | "spine" | "tor" | "superspine" | "exit" | "border" | "switch" | "oob-switch" => {
            return Some(Role::Switch);
        }
        "server" | "host" => return Some(Role::Host),
        _ => {}
    }
    if is_switch.iter().any(|name| system.contains(name)) {
        return Some(Role::Switch);
    }
    ["ubuntu", "debian", "rocky", "rhel", "centos", "alma", "windows", "suse"]
        .iter()
        .any(|name| system.contains(name))
        .then_some(Role::Host)
}

/// `true` for the management network that Air adds.
fn is_management(name: &str) -> bool {
    name.starts_with("oob-mgmt-") || name == "netq-ts"
}

fn air(graph: FileGraph, content: Item) -> Result<NetworkFile, Faults> {
    let mut devices = Devices::new(graph);
    for (key, node) in content.get("nodes").and_then(Item::map).into_iter().flatten() {
        let Some(name) = key.word() else { continue };
        let role = match is_management(name) {
            true => Some(Role::Outside),
            false => system_role(
                node.word_of("os").unwrap_or_default(),
                node.word_of("function").unwrap_or_default(),
            ),
        };
        devices.listed(name, role, key.at());
    }
    for link in checked(content.get("links").and_then(Item::list).into_iter().flatten()) {
        let at = link.at();
        let ends: Vec<Item> = link.list().into_iter().flatten().take(3).collect();
        let [a, b] = ends[..] else {
            devices.graph.fault(
                at,
                "",
                says("has no two ends; write a list of two maps with `node` and `interface`."),
            );
            continue;
        };
        if let Some(word) = [a, b].into_iter().find_map(Item::word) {
            devices.graph.warn(at, format!("has the end `{word}`, outside the network, and is left out."));
            continue;
        }
        let name = |end: Item| end.word_of("node").map(str::to_owned);
        let (Some(from), Some(to)) = (name(a), name(b)) else {
            devices.graph.fault(
                at,
                "",
                says("has an end without `node`; write a map with `node` and `interface`."),
            );
            continue;
        };
        if let Some(management) = [&from, &to].into_iter().find(|name| is_management(name)) {
            devices.graph.warn(at, format!("is a link to {management} for management, and is left out."));
            continue;
        }
        let ends = [(from, a), (to, b)]
            .map(|(name, end)| (devices.device(&name, at), end.word_of("interface").unwrap_or_default()));
        devices.link(ends, LinkSpeed::Hosts, at);
    }
    devices.finish()
}

fn slurm_yaml(mut topology: slurm::Topology, root: Item) -> Result<NetworkFile, Faults> {
    let all: Vec<Item> = root.list().into_iter().flatten().collect();
    let is_default =
        |item: &Item| item.word_of("cluster_default").is_some_and(|word| word.eq_ignore_ascii_case("true"));
    let has_parts = |item: &Item| item.get("tree").or(item.get("block")).is_some();
    let chosen = all
        .iter()
        .find(|item| is_default(item) && has_parts(item))
        .or_else(|| all.iter().find(|item| has_parts(item)));
    let Some(&chosen) = chosen else {
        let sentence = "has only flat topologies, which name no switches; give one with `tree` or `block`.";
        return Err(topology.graph.fault_at(root.at(), "", says(sentence)).into());
    };
    if all.len() > 1 {
        let name = chosen.word_of("topology").unwrap_or("without a name");
        topology.graph.warn(chosen.at(), format!("starts the topology {name}; the others are not read."));
    }
    let tree = chosen.get("tree").map(|tree| (tree, "switches", "switch", false));
    let block = chosen.get("block").map(|block| (block, "blocks", "block", true));
    let Some((of, list, key, is_block)) = tree.or(block) else { return topology.finish() };
    match of.get(list).and_then(Item::list) {
        None => topology.graph.fault(of.at(), "", says(format!("has no list `{list}`; add it."))),
        Some(parts) => parts_of(&mut topology, parts, key, is_block),
    }
    topology.finish()
}

/// Adds the switches or blocks of a list.
fn parts_of<'t, 'a: 't>(
    topology: &mut slurm::Topology,
    parts: impl Iterator<Item = Item<'t, 'a>>,
    key: &str,
    is_block: bool,
) {
    for part in checked(parts) {
        let (nodes, switches) = (part.word_of("nodes"), part.word_of("children"));
        let name = part.word_of(key).unwrap_or_default();
        topology.part(&slurm::Part { name, is_block, nodes, switches }, part.at());
    }
}

/// A node-link graph, as networkx and d3 write it.
fn node_link(graph: FileGraph, root: Item, edges: Item) -> Result<NetworkFile, Faults> {
    let mut devices = Devices::new(graph);
    if root.word_of("directed").is_some_and(|word| word.eq_ignore_ascii_case("true")) {
        devices.graph.set_directed();
    }
    let mut order: Vec<&str> = Vec::new();
    for node in checked(root.get("nodes").and_then(Item::list).into_iter().flatten()) {
        let name = node.word().or(node.word_of("id")).or(node.word_of("name"));
        let Some(name) = name else {
            devices.graph.fault(node.at(), "", says("is a node without `id`; add it."));
            continue;
        };
        let role = ["type", "kind", "role"].iter().find_map(|key| node.word_of(key));
        let role = role.and_then(|role| match role.to_ascii_lowercase().as_str() {
            "host" | "pe" | "server" => Some(Role::Host),
            "switch" | "router" => Some(Role::Switch),
            other => of_name(other),
        });
        devices.listed(name, role, node.at());
        order.push(name);
    }
    // Nodes without ids are numbered from 0.
    let named = |devices: &Devices, name: &'_ str| {
        let numbered = name.parse::<usize>().ok().filter(|_| !devices.numbers.contains_key(name));
        numbered.and_then(|number| order.get(number).copied()).map(str::to_owned)
    };
    for edge in checked(edges.list().into_iter().flatten()) {
        let at = edge.at();
        let (Some(from), Some(to)) = (edge.word_of("source"), edge.word_of("target")) else {
            devices.graph.fault(at, "", says("has no `source` and `target`; add the ids of two nodes."));
            continue;
        };
        let given = ["speed", "bandwidth", "capacity"].iter().find_map(|key| edge.word_of(key));
        let Some(speed) = given.map_or(Some(LinkSpeed::Hosts), LinkSpeed::read) else {
            devices.graph.fault(at, given.unwrap_or_default(), LinkSpeed::EXPECTED);
            continue;
        };
        let ends = [from, to].map(|name| {
            let name = named(&devices, name).unwrap_or_else(|| name.to_owned());
            (devices.device(&name, at), "")
        });
        devices.link(ends, speed, at);
    }
    devices.finish()
}

/// A wiring as this program writes it.
fn wiring(graph: FileGraph, root: Item) -> Result<NetworkFile, Faults> {
    let mut devices = Devices::new(graph);
    let mut names: [HashMap<&str, &str>; 2] = Default::default();
    for (at, (list, key)) in [("pes", "pe"), ("switches", "switch")].into_iter().enumerate() {
        let role = [Role::Host, Role::Switch][at];
        for part in checked(root.get(list).and_then(Item::list).into_iter().flatten()) {
            let (Some(number), Some(name)) = (part.word_of(key), part.word_of("name")) else { continue };
            names[at].insert(number, name);
            devices.listed(name, Some(role), part.at());
        }
    }
    for cable in checked(root.get("cables").and_then(Item::list).into_iter().flatten()) {
        let end = |at: usize, key: &str| names[at].get(cable.word_of(key)?).copied();
        let (Some(pe), Some(switch)) = (end(0, "pe"), end(1, "switch")) else {
            devices.graph.fault(
                cable.at(),
                "",
                says("is a cable without a known `pe` and `switch`; give numbers of both lists."),
            );
            continue;
        };
        let ends = [pe, switch].map(|name| (devices.device(name, cable.at()), ""));
        devices.link(ends, LinkSpeed::Hosts, cable.at());
    }
    devices.finish()
}

/// Max bytes of memory that the words and marks of DOT take for each byte.
pub(super) const BYTES_PER_BYTE: u64 = 128;

/// Max links of a file between groups in braces, of which few words make many.
const MAX_GROUPED: usize = 1 << 18;
/// Max bytes of memory that these links take.
pub(super) const MAX_GROUPED_BYTES: u64 = 64 * MAX_GROUPED as u64;

/// `true` if a file starts as one of DOT does, by its first two lines.
pub(super) fn is_dot(first: &str, next: &str) -> bool {
    let mut words =
        first.split(|c: char| c.is_whitespace() || "{\"".contains(c)).filter(|word| !word.is_empty());
    let word = words.next().unwrap_or_default().to_ascii_lowercase();
    let is_graph = matches!(word.as_str(), "graph" | "digraph");
    let rest = first.get(word.len()..).unwrap_or_default().trim_start();
    let has_brace = rest.starts_with(['"', '{']) || rest.contains('{') || next.starts_with('{');
    (is_graph && (rest.is_empty() || has_brace))
        || word == "strict" && matches!(words.next(), Some("graph" | "digraph"))
}

const STATEMENT: &str = "a node with attributes, or a link such as \"a\":\"eth0\" -- \"b\":\"swp1\"";

/// Reads a graph in Graphviz's language.
///
/// # Errors
/// Every statement that is none, by its line.
pub(super) fn read_dot(name: &str, text: &str) -> Result<NetworkFile, Faults> {
    let mut devices = Devices::new(FileGraph::new(name, text, GRAPH));
    let tokens = match tokens(text) {
        Ok(tokens) => tokens,
        Err((at, sentence)) => return Err(devices.graph.fault_at(at, "", says(sentence)).into()),
    };
    let count = |sign: &str| tokens.iter().filter(|token| token.is(sign)).count();
    if count("{") > count("}") {
        let at = tokens.last().map_or(0, |token| token.at);
        let sentence = "is cut off: braces are open at its end. Give the whole file.";
        return Err(devices.graph.fault_at(at, "", says(sentence)).into());
    }
    // The head, up to the brace.
    let head = tokens.iter().position(|token| token.is("{")).map_or(tokens.len(), |at| at + 1);
    let (head, mut rest) = tokens.split_at(head);
    if head.iter().any(|token| token.is_word("digraph")) {
        devices.graph.set_directed();
    }
    let mut grouped_links = 0;
    while let Some(token) = rest.first() {
        let at = token.at;
        let mut after = rest;
        let mut ends: Vec<Vec<(&str, &str)>> = Vec::new();
        let mut is_open = false;
        while let Some(end) = end_of_link(&mut after) {
            ends.push(end);
            is_open = after.first().is_some_and(|token| token.is("--") || token.is("->"));
            if !is_open {
                break;
            }
            after = &after[1..];
        }
        let is_link = ends.len() > 1 || is_open;
        // The statements of a group stand for themselves.
        if !is_link && (token.is("{") || token.is("}") || token.is(";") || token.is_word("subgraph")) {
            rest = &rest[1..];
            continue;
        }
        if ends.is_empty() {
            devices.graph.fault(at, &token.text, STATEMENT);
            rest = &rest[1..];
            continue;
        }
        rest = after;
        if is_open {
            let found = rest.first().map_or("the end of the file", |token| &*token.text);
            devices.graph.fault(at, found, "the name of a node, or names in braces, at both ends of a link");
        }
        let attributes = attributes(&mut rest);
        let of = |names: &[&str]| {
            names.iter().find_map(|name| attributes.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)))
        };
        if is_link {
            let given = of(&["speed", "bandwidth", "capacity"]).map(|(_, value)| *value);
            let Some(speed) = given.map_or(Some(LinkSpeed::Hosts), LinkSpeed::read) else {
                devices.graph.fault(at, given.unwrap_or_default(), LinkSpeed::EXPECTED);
                continue;
            };
            for pair in ends.windows(2) {
                if pair.iter().any(|end| end.len() > 1) {
                    grouped_links += pair[0].len().saturating_mul(pair[1].len());
                }
                if grouped_links > MAX_GROUPED {
                    let limit = grouped(MAX_GROUPED as u64);
                    let sentence =
                        format!("has more than {limit} links between groups in braces, which is the limit.");
                    return Err(devices.graph.fault_at(at, "", says(sentence)).into());
                }
                for (&a, &b) in pair[0].iter().flat_map(|a| pair[1].iter().map(move |b| (a, b))) {
                    devices.dot_link([a, b], speed, at);
                }
            }
        } else if rest.first().is_some_and(|token| token.is("=")) {
            rest = rest.get(2..).unwrap_or_default();
        } else if let [(name, "")] = ends[0][..]
            && !matches!(name.to_ascii_lowercase().as_str(), "graph" | "node" | "edge")
            && !rest.first().is_some_and(|token| token.is("{"))
        {
            let role = of(&["function", "type", "kind", "role"]).map_or("", |(_, value)| *value);
            let system = of(&["os"]).map_or("", |(_, value)| *value);
            let role = if is_management(name) { Some(Role::Outside) } else { system_role(system, role) };
            devices.listed(name, role, at);
        }
    }
    devices.finish()
}

/// The nodes at an end of a link, with their ports: one, or names in braces. Nothing is passed over if there is no end.
fn end_of_link<'t>(rest: &mut &'t [Token]) -> Option<Vec<(&'t str, &'t str)>> {
    let mut inside = *rest;
    if inside.first()?.is_word("subgraph") {
        inside = &inside[1..];
        inside = &inside[usize::from(!inside.first()?.is_mark())..];
    }
    if !inside.first()?.is("{") {
        return (inside.len() == rest.len()).then(|| node_and_port(rest)).flatten().map(|node| vec![node]);
    }
    inside = &inside[1..];
    let mut nodes = Vec::new();
    loop {
        match inside.first()? {
            token if token.is("}") => break,
            token if token.is(";") || token.is(",") => inside = &inside[1..],
            _ => nodes.push(node_and_port(&mut inside)?),
        }
    }
    let is_end = !nodes.is_empty();
    is_end.then(|| {
        *rest = &inside[1..];
        nodes
    })
}

/// The next node, with its port.
fn node_and_port<'t>(rest: &mut &'t [Token]) -> Option<(&'t str, &'t str)> {
    let node = rest.first().filter(|token| !token.is_mark())?;
    *rest = &rest[1..];
    let mut port = "";
    while rest.first().is_some_and(|token| token.is(":")) {
        if port.is_empty() {
            port = rest.get(1).map_or("", |token| &token.text);
        }
        *rest = rest.get(2..).unwrap_or_default();
    }
    Some((&node.text, port))
}

/// The attributes in brackets that follow, which are passed over.
fn attributes<'t>(rest: &mut &'t [Token]) -> Vec<(&'t str, &'t str)> {
    let mut found = Vec::new();
    while rest.first().is_some_and(|token| token.is("[")) {
        let end = rest.iter().position(|token| token.is("]")).unwrap_or(rest.len() - 1);
        let inside = &rest[1..end.max(1)];
        let pairs = inside.windows(3).filter(|three| three[1].is("="));
        found.extend(pairs.map(|three| (&*three[0].text, &*three[2].text)));
        *rest = &rest[end + 1..];
    }
    found
}

/// A word or a mark of DOT.
struct Token {
    text: String,
    at: usize,
    is_quoted: bool,
}

impl Token {
    fn is(&self, mark: &str) -> bool {
        !self.is_quoted && self.text == mark
    }

    /// `true` for a keyword, in letters of any case.
    fn is_word(&self, word: &str) -> bool {
        !self.is_quoted && self.text.eq_ignore_ascii_case(word)
    }

    fn is_mark(&self) -> bool {
        !self.is_quoted && matches!(&*self.text, "{" | "}" | "[" | "]" | ";" | "," | ":" | "=" | "--" | "->")
    }
}

/// The words and marks of a text.
fn tokens(text: &str) -> Result<Vec<Token>, (usize, String)> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let unclosed = |at: usize, what: &str| (at, format!("starts a {what} that does not end; close it."));
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let (length, found): (usize, Option<(String, bool)>) = match first {
            c if c.is_whitespace() => (c.len_utf8(), None),
            '#' => (rest.find('\n').unwrap_or(rest.len()), None),
            '/' if rest.starts_with("//") => (rest.find('\n').unwrap_or(rest.len()), None),
            '/' if rest.starts_with("/*") => {
                (rest.find("*/").ok_or_else(|| unclosed(at, "comment"))? + 2, None)
            }
            '"' => {
                let mut word = String::new();
                let mut is_escaped = false;
                let end = rest[1..].char_indices().find(|&(_, c)| {
                    let is_end = c == '"' && !is_escaped;
                    let is_escape = c == '\\' && !is_escaped;
                    if !is_end && !is_escape {
                        word.push(c);
                    }
                    is_escaped = is_escape;
                    is_end
                });
                (end.ok_or_else(|| unclosed(at, "quoted word"))?.0 + 2, Some((word, true)))
            }
            '<' => {
                let mut depth = 0;
                let end = rest.char_indices().find(|&(_, c)| {
                    depth += i32::from(c == '<') - i32::from(c == '>');
                    depth == 0
                });
                (
                    end.ok_or_else(|| unclosed(at, "label in angle brackets"))?.0 + 1,
                    Some((String::new(), true)),
                )
            }
            '-' if rest.starts_with("--") || rest.starts_with("->") => {
                (2, Some((rest[..2].to_owned(), false)))
            }
            c if "{}[];,:=".contains(c) => (1, Some((c.to_string(), false))),
            c => {
                let is_end = |c: char| c.is_whitespace() || "{}[];,:=\"#<".contains(c);
                let length = rest.find(is_end).unwrap_or(rest.len());
                let length = rest[..length]
                    .find("--")
                    .or(rest[..length].find("->"))
                    .filter(|at| *at > 0)
                    .unwrap_or(length);
                (length.max(c.len_utf8()), Some((rest[..length.max(c.len_utf8())].to_owned(), false)))
            }
        };
        tokens.extend(found.map(|(text, is_quoted)| Token { text, at, is_quoted }));
        at += length;
    }
    Ok(tokens)
}
