//! Networks of simulators: BookSim's anynet, and the ns-3 topologies of ASTRA-sim and SimAI.
//!
//! A line of anynet is `router N`, then the nodes and routers that it has links to, each with a latency if its next word is a
//! number. Latencies have no place in a network. A node has one router.
//!
//! A topology of ns-3 has counts, then the numbers of the switches, then a line `from to rate delay error_rate` per link. A link
//! that comes again replaces the first. SimAI counts GPUs per server and NVSwitches as well: if the network goes beyond one server,
//! a server is a host, with a NIC per link of its GPUs; NVLink is inside it.

use super::{
    LinkSpeed, NetworkFile,
    listed::{FileGraph, Role, Rules},
};
use crate::{
    cancel::checked,
    form::says,
    spec::Faults,
    text::{count, grouped},
};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

const ROUTERS: Rules = Rules::partial("words `node N` in the line of a router");
const NUMBERS: Rules = Rules::partial("the second line, which has the numbers of the switches");

/// `true` if a file starts as a network of BookSim does.
pub(super) fn is_booksim(words: &[&str]) -> bool {
    let kind = |word: Option<&&str>| matches!(word, Some(&("router" | "node")));
    kind(words.first()) && words.get(1).is_some_and(|word| word.parse::<u32>().is_ok()) && kind(words.get(2))
}

/// Reads a network of BookSim.
///
/// # Errors
/// Every line that has something else, and a node with two routers.
pub(super) fn read_booksim(name: &str, text: &str) -> Result<NetworkFile, Faults> {
    let mut graph = FileGraph::new(name, text, ROUTERS);
    // Parts with the first byte of their line.
    let mut routers: BTreeMap<[u32; 2], usize> = BTreeMap::new();
    let mut nodes: BTreeMap<u32, (u32, usize)> = BTreeMap::new();
    let mut alone: BTreeMap<u32, usize> = BTreeMap::new();
    let mut latency = None;
    for line in checked(text.lines()) {
        let at = graph.at(line);
        let mut words = line.split(['#', '/']).next().unwrap_or_default().split_whitespace().peekable();
        let mut head: Option<(bool, u32)> = None;
        while let Some(word) = words.next() {
            let is_router = match word {
                "router" => true,
                "node" => false,
                _ => {
                    graph.fault(at, word, "`router N` or `node N`, with a latency after it or not");
                    break;
                }
            };
            let Some(number) = words.peek().and_then(|word| word.parse::<u32>().ok()) else {
                let found = words.peek().copied().unwrap_or("the end of the line");
                graph.fault(at, found, format!("the number of a {word}, such as `{word} 0`"));
                break;
            };
            words.next();
            if head.is_some() && words.next_if(|word| word.parse::<f64>().is_ok()).is_some() {
                latency.get_or_insert(at);
            }
            let Some((head_is_router, first)) = head else {
                head = Some((is_router, number));
                if is_router {
                    alone.entry(number).or_insert(at);
                }
                continue;
            };
            match (head_is_router, is_router) {
                (true, true) if first == number => {
                    graph.fault(
                        at,
                        "",
                        says(format!("links router {number} to itself; name two different routers.")),
                    );
                }
                (true, true) => {
                    routers.entry([first.min(number), first.max(number)]).or_insert(at);
                }
                (false, false) => {
                    graph.fault(
                        at,
                        "",
                        says(format!("links node {first} to node {number}; a node has a link to a router.")),
                    );
                }
                (router_first, _) => {
                    let (router, node) = if router_first { (first, number) } else { (number, first) };
                    let (other, _) = *nodes.entry(node).or_insert((router, at));
                    if other != router {
                        let sentence = format!(
                            "links node {node} to router {router}, but it has router {other}; a node has one router."
                        );
                        graph.fault(at, "", says(sentence));
                    }
                }
            }
        }
    }
    if let Some(at) = latency {
        graph.warn(at, "has latencies of links, which are not read.");
    }
    for (node, (_, at)) in &nodes {
        let node = graph.node(format!("node{node}").into(), *at);
        graph.set_role(node, Role::Host, *at);
    }
    let router = |graph: &mut FileGraph, number: u32, at: usize| {
        let node = graph.node(format!("router{number}").into(), at);
        graph.set_role(node, Role::Switch, at);
        node
    };
    let all: BTreeMap<u32, usize> = alone
        .into_iter()
        .chain(nodes.values().copied())
        .chain(routers.iter().flat_map(|(ends, &at)| ends.map(|end| (end, at))))
        .collect();
    for (number, at) in all {
        router(&mut graph, number, at);
    }
    for (node, (of, at)) in nodes {
        let ends = [graph.node(format!("node{node}").into(), at), router(&mut graph, of, at)];
        graph.link(ends, LinkSpeed::Hosts, at);
    }
    for (ends, at) in routers {
        let ends = ends.map(|end| router(&mut graph, end, at));
        graph.link(ends, LinkSpeed::Hosts, at);
    }
    graph.network()
}

/// `true` if a file starts as a topology of ns-3 does.
pub(super) fn is_ns3<'a>(words: &[&str], rest: impl Iterator<Item = &'a str>) -> bool {
    let counts = words.iter().take_while(|word| word.parse::<u32>().is_ok()).count();
    let is_head = matches!((counts, words.len()), (3, 3) | (5, 5) | (5, 6) | (6, 6));
    let is_link = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().take(6).collect();
        words.len() >= 4
            && words[..2].iter().all(|word| word.parse::<u32>().is_ok())
            && words[2..4].iter().all(|word| word.ends_with(|c: char| c.is_ascii_alphabetic()))
    };
    is_head && rest.take(4).any(is_link)
}

/// A rate as ns-3 writes it, such as `400Gbps`, in Mb/s. Bytes have a capital B.
fn rate(text: &str) -> Option<LinkSpeed> {
    let end = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(end);
    let (prefix, bits) = ["bps", "b/s", "Bps", "B/s"]
        .iter()
        .enumerate()
        .find_map(|(at, end)| Some((unit.strip_suffix(end)?, if at < 2 { 1.0 } else { 8.0 })))?;
    let factor = match prefix {
        "" => 1e-6,
        "k" | "K" => 1e-3,
        "M" | "m" => 1.0,
        "G" | "g" => 1e3,
        "T" | "t" => 1e6,
        "Ki" => 1024.0 * 1e-6,
        "Mi" => 1024.0 * 1024.0 * 1e-6,
        "Gi" => 1024.0 * 1024.0 * 1024.0 * 1e-6,
        _ => return None,
    };
    let speed = (number.trim().parse::<f64>().ok()? * bits * factor).round();
    (1.0..=4e9).contains(&speed).then_some(LinkSpeed::Fixed(speed as u32))
}

/// Counts of the first line.
#[derive(Default)]
struct Counts {
    nodes: u32,
    /// GPUs of a server; 0 for a topology of ASTRA-sim.
    gpus: u32,
    nvswitches: u32,
    switches: u32,
    links: usize,
}

impl Counts {
    fn of(line: &str) -> Option<Counts> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |at: usize| words.get(at)?.parse::<u32>().ok();
        match words.len() {
            3 => Some(Counts {
                nodes: number(0)?,
                switches: number(1)?,
                links: number(2)? as usize,
                ..Counts::default()
            }),
            5 | 6 => Some(Counts {
                nodes: number(0)?,
                gpus: number(1)?,
                nvswitches: number(2)?,
                switches: number(3)?,
                links: number(4)? as usize,
            }),
            _ => None,
        }
    }

    fn is_switch(&self) -> u64 {
        u64::from(self.nvswitches) + u64::from(self.switches)
    }
}

/// A link with its rate, and the first byte of its line.
type Ns3Link = ([u32; 2], LinkSpeed, usize);

/// Reads a topology of ns-3.
///
/// # Errors
/// Every line that has something else, and a number beyond the count of nodes.
pub(super) fn read_ns3(name: &str, text: &str) -> Result<NetworkFile, Faults> {
    let mut graph = FileGraph::new(name, text, NUMBERS);
    let mut lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim())
        .filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let at = if first.is_empty() { 0 } else { graph.at(first) };
    let Some(counts) = Counts::of(first) else {
        let advice = "`nodes switches links`, or `nodes GPUs-per-server NVSwitches switches links GPU`, in whole numbers";
        return Err(graph.fault_at(at, first, advice).into());
    };
    let (mut ids, mut known): (Vec<u32>, HashSet<u32>) = Default::default();
    let (mut links, mut places): (Vec<Ns3Link>, HashMap<[u32; 2], usize>) = Default::default();
    let mut rows = 0;
    for line in checked(lines) {
        let at = graph.at(line);
        let words: Vec<&str> = line.split_whitespace().collect();
        // The simulator reads as many links as stated. HPCC's files go on with help.
        if rows == counts.links && !words[0].starts_with(|c: char| c.is_ascii_digit()) {
            break;
        }
        if (ids.len() as u64) < counts.is_switch() {
            for word in words {
                match word.parse::<u32>().ok().filter(|id| *id < counts.nodes && known.insert(*id)) {
                    Some(id) => ids.push(id),
                    None => {
                        graph.fault(at, word, format!("the number of another switch, below {}", counts.nodes))
                    }
                }
            }
            continue;
        }
        rows += 1;
        let (Some(Ok(a)), Some(Ok(b)), Some(speed), 3..=5) = (
            words.first().map(|w| w.parse::<u32>()),
            words.get(1).map(|w| w.parse::<u32>()),
            words.get(2),
            words.len(),
        ) else {
            graph.fault(at, line, "`from to rate delay error_rate`, such as 0 8 400Gbps 500ns 0");
            continue;
        };
        if let Some(beyond) = [a, b].into_iter().find(|&id| id >= counts.nodes) {
            graph.fault(
                at,
                beyond.to_string().as_str(),
                format!("a number below {}, the count of nodes", counts.nodes),
            );
        } else if a == b {
            graph.fault(at, "", says(format!("links node {a} to itself; name two different nodes.")));
        } else if let Some(speed) = rate(speed) {
            let ends = [a.min(b), a.max(b)];
            match places.get(&ends) {
                Some(&place) => {
                    graph.warn(
                        at,
                        format!("links {a} and {b} again; the simulator keeps the last of these links."),
                    );
                    links[place].1 = speed;
                }
                None => {
                    places.insert(ends, links.len());
                    links.push((ends, speed, at));
                }
            }
        } else {
            graph.fault(at, speed, "a rate such as 400Gbps, 25Gbps or 1Tbps");
        }
    }
    let found = links.len();
    if (ids.len() as u64) < counts.is_switch() {
        let wanted = grouped(counts.is_switch());
        graph.fault(
            at,
            "",
            says(format!("states {wanted} switches, but the file names {}.", grouped(ids.len() as u64))),
        );
    } else if found != counts.links {
        let (stated, found) = (count(counts.links as u64, "link"), grouped(found as u64));
        graph.warn(at, format!("states {stated}, but the file has {found} between different nodes."));
    }
    let servers = Servers::of(&counts, &ids, &links);
    // Hosts and switches by their numbers, whatever the order of the links.
    let mut named: BTreeSet<(bool, u32)> = BTreeSet::new();
    for end in links.iter().flat_map(|(ends, ..)| ends) {
        named.insert(servers.part(*end, &known));
    }
    let mut numbers: HashMap<(bool, u32), u32> = HashMap::new();
    for part in named {
        let (is_switch, number) = part;
        let node = graph.node(format!("{}{number}", if is_switch { "switch" } else { "host" }).into(), 0);
        graph.set_role(node, if is_switch { Role::Switch } else { Role::Host }, 0);
        numbers.insert(part, node);
    }
    for (ends, speed, at) in checked(links) {
        let [a, b] = ends.map(|end| numbers[&servers.part(end, &known)]);
        if a != b {
            graph.link([a, b], speed, at);
        }
    }
    graph.network()
}

/// Servers of SimAI that count as hosts.
struct Servers {
    gpus: Option<u32>,
    /// Server of each NVSwitch.
    of_nvswitch: HashMap<u32, u32>,
}

impl Servers {
    fn of(counts: &Counts, ids: &[u32], links: &[Ns3Link]) -> Servers {
        let none = Servers { gpus: None, of_nvswitch: HashMap::new() };
        let all = u64::from(counts.nodes).saturating_sub(counts.is_switch());
        if counts.gpus == 0 || counts.switches == 0 || all <= u64::from(counts.gpus) {
            return none;
        }
        let nvswitches: HashSet<u32> = ids.iter().take(counts.nvswitches as usize).copied().collect();
        let switches: HashSet<u32> = ids.iter().copied().collect();
        let mut of_nvswitch = HashMap::new();
        for (ends, ..) in links {
            for [nvswitch, gpu] in [[ends[0], ends[1]], [ends[1], ends[0]]] {
                if nvswitches.contains(&nvswitch) && !switches.contains(&gpu) {
                    let server = *of_nvswitch.entry(nvswitch).or_insert(gpu / counts.gpus);
                    // An NVSwitch of several servers is a switch of the network.
                    if server != gpu / counts.gpus {
                        return none;
                    }
                }
            }
        }
        Servers { gpus: Some(counts.gpus), of_nvswitch }
    }

    /// `true` and the number of a switch, or `false` and the number of a host.
    fn part(&self, node: u32, switches: &HashSet<u32>) -> (bool, u32) {
        match (self.gpus, switches.contains(&node)) {
            (Some(_), true) if self.of_nvswitch.contains_key(&node) => (false, self.of_nvswitch[&node]),
            (_, true) => (true, node),
            (Some(gpus), false) => (false, node / gpus),
            (None, false) => (false, node),
        }
    }
}
