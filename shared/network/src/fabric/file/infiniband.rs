//! An InfiniBand subnet as `ibnetdiscover` (plain or with `-p`) prints it and ibsim reads it; several subnets follow each other.
//!
//! A record is a line `Switch 36 "S-0002c90300000010" # "leaf01" …` with a line `[port] "peer"[port]` per link below it. The names in
//! quotes are GUIDs or, for ibsim, any names. Both ends list a link, or one of them if the other's record is missing.
//!
//! Adapters are ports of one host if their descriptions are the name of a node and of a device, such as `node007 mlx5_0`. Adapters
//! with another description, such as that of a vendor, are a host each.

use super::{
    LinkSpeed, NetworkFile,
    listed::{FileGraph, Role, Rules},
};
use crate::{cancel::checked, spec::Faults};
use analysis::analysis::audit::{PortReport, Printed, SubnetLink, SubnetRecord, quoted};
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

const RULES: Rules = Rules::partial("records `Ca` or `Hca`").sorted();

/// `true` if a line begins a record.
pub(super) fn is_record(line: &str) -> bool {
    let (Printed { content: line, .. }, _) = Printed::of_subnet(line);
    PortReport::of(line).is_some()
        || record(line).is_some()
        || line.starts_with("switchguid=")
        || line.starts_with("caguid=")
}

/// Role, id and description of a line that begins a record.
fn record(line: &str) -> Option<(Role, &str, &str)> {
    let SubnetRecord { kind, id, description } = SubnetRecord::of(line)?;
    let role = match kind {
        "Switch" => Role::Switch,
        "Ca" | "Hca" | "CA" | "HCA" => Role::Host,
        // A router joins subnets.
        "Rt" | "Router" => Role::Switch,
        _ => return None,
    };
    Some((role, id, description))
}

/// The speed of `4xHDR`, of all lanes.
fn speed(comment: &str) -> Option<u32> {
    let word = comment
        .split_whitespace()
        .rev()
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('x'))?;
    let (lanes, rate) = word.split_once('x')?;
    // In Mb/s for each lane.
    let each = match rate.to_ascii_uppercase().as_str() {
        "SDR" => 2_500,
        "DDR" => 5_000,
        "QDR" | "FDR10" => 10_000,
        "FDR" => 14_000,
        "EDR" => 25_000,
        "HDR" => 50_000,
        "NDR" => 100_000,
        "XDR" => 200_000,
        _ => return None,
    };
    lanes.parse::<u32>().ok().filter(|lanes| (1..=16).contains(lanes)).map(|lanes| lanes * each)
}

/// The host of an adapter with that description, if it names one.
fn host_of(description: &str) -> Option<&str> {
    let mut words = description.split_whitespace();
    let (name, device, rest) = (words.next()?, words.next(), words.next());
    let is_device = |word: &str| {
        let lower = word.to_ascii_lowercase();
        ["hca", "mlx", "mthca", "hfi", "ib", "qib", "ipath", "bnxt", "roce", "rdma", "irdma"]
            .iter()
            .any(|start| lower.starts_with(start))
    };
    // Of two words, the second is the device, with its model in brackets on old systems.
    let names_host = match (device, rest) {
        (None, _) => !is_device(name),
        (Some(device), None) => is_device(device),
        (Some(device), Some(rest)) => is_device(device) && rest.starts_with('('),
    };
    (names_host && !matches!(name, "localhost" | "(none)" | "localhost.localdomain")).then_some(name)
}

/// Record and port of both ends, the speed in Mb/s if known, and the first byte of the line.
type SeenLink<'a> = ([(&'a str, &'a str); 2], Option<u32>, usize);

#[derive(Default)]
struct Adapter<'a> {
    role: Option<Role>,
    description: &'a str,
    at: usize,
}

/// Reads the records of subnets.
///
/// # Errors
/// No link between two nodes, or no way between two hosts.
pub(super) fn read(name: &str, text: &str) -> Result<NetworkFile, Faults> {
    let mut graph = FileGraph::new(name, text, RULES);
    let mut adapters: HashMap<&str, Adapter> = HashMap::new();
    let mut order: Vec<&str> = Vec::new();
    let mut links: Vec<SeenLink> = Vec::new();
    // The record of each process and node whose lines are mixed.
    let mut open: HashMap<(&str, &str), &str> = HashMap::new();
    for line in checked(text.lines()) {
        let at = graph.at(line);
        let (Printed { process, content }, node) = Printed::of_subnet(line);
        let (content, source) = (content.trim(), (process, node));
        if let Some(report) = PortReport::of(content) {
            let ends: Vec<(&str, &str)> = std::iter::once(report.own)
                .chain(report.peer)
                .map(|end| {
                    let adapter = adapters.entry(end.guid).or_insert_with(|| {
                        order.push(end.guid);
                        let role = if matches!(end.kind, "SW" | "RT") { Role::Switch } else { Role::Host };
                        Adapter { role: Some(role), description: end.description, at }
                    });
                    if adapter.description.is_empty() {
                        adapter.description = end.description;
                    }
                    (end.guid, end.port)
                })
                .collect();
            if let [own, peer] = ends[..] {
                links.push(([own, peer], speed(&report.speed.concat()), at));
            }
        } else if let Some((role, id, description)) = record(content) {
            let adapter = adapters.entry(id).or_insert_with(|| {
                order.push(id);
                Adapter::default()
            });
            (adapter.role, adapter.at) = (Some(role), at);
            if !description.is_empty() {
                adapter.description = description;
            }
            open.insert(source, id);
        } else if let Some(SubnetLink { port, peer, peer_port: other, comment, .. }) =
            SubnetLink::of(content).filter(|link| !link.peer_port.is_empty())
        {
            let Some(&own) = open.get(&source) else {
                graph.warn(at, "is a link without a record above it, and is left out.");
                continue;
            };
            let adapter = adapters.entry(peer).or_insert_with(|| {
                order.push(peer);
                Adapter { at, ..Adapter::default() }
            });
            // The other end's record is the better source, and may be missing.
            let of_adapter = comment.split_once("lmc").map_or(comment, |(_, rest)| rest);
            if adapter.description.is_empty() {
                adapter.description = quoted(of_adapter);
            }
            links.push(([(own, port), (peer, other)], speed(comment), at));
        } else if content.starts_with('[') {
            graph.warn(at, "is cut off, and is left out.");
        }
    }
    let mut nodes: HashMap<&str, u32> = HashMap::new();
    let mut switches: HashSet<&str> = HashSet::new();
    for id in order {
        let Adapter { role, description, at } = adapters[id];
        let role = role.unwrap_or(match id.get(..2) {
            Some("H-") => Role::Host,
            _ => Role::Switch,
        });
        let node = match role {
            Role::Switch => {
                // Switches of one model may have the same description.
                let is_new = !description.is_empty() && switches.insert(description);
                graph.node(
                    Cow::Borrowed(if is_new && graph.find(description).is_none() { description } else { id }),
                    at,
                )
            }
            _ => graph.node(Cow::Borrowed(host_of(description).unwrap_or(id)), at),
        };
        // A switch computes sums (SHARP) through an adapter of its own.
        let is_inner = role == Role::Host && description.contains("Aggregation Node");
        if is_inner {
            graph.warn(at, format!("{description:?} is inside a switch, and is left out."));
        }
        graph.set_role(node, if is_inner { Role::Outside } else { role }, at);
        nodes.insert(id, node);
    }
    let mut seen: HashSet<[(&str, &str); 2]> = HashSet::new();
    for (ends, speed, at) in checked(links) {
        let [a, b] = ends.map(|(id, _)| nodes[id]);
        let mut key = ends;
        key.sort_unstable();
        if !seen.insert(key) {
            continue;
        }
        match a == b {
            true => graph.warn(at, format!("joins two ports of {}, and is left out.", ends[0].0)),
            false => graph.link([a, b], speed.map_or(LinkSpeed::Hosts, LinkSpeed::Fixed), at),
        }
    }
    graph.network()
}
