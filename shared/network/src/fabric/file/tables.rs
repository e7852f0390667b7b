//! Tables of cables: NetBox's cables as CSV, and the cable lists and wirings of this program.
//!
//! NetBox's import form has a column `side_a_device`, its export a column `Device A`. Cables for power, consoles and circuits are no
//! links, and a cable list does not state where a patch panel leads, so these rows are left out.

use super::{
    LinkSpeed, NetworkFile,
    hints::{of_interface, of_name},
    listed::{FileGraph, Role, Rules},
};
use crate::{cancel::checked, csv::Fields, form::says, spec::Faults, text::count};
use std::collections::BTreeMap;

const DEVICES: Rules =
    Rules::partial("device names such as `node01` and `sw01`, or interfaces such as `eth0` and `swp1`")
        .sorted();
const CABLES: Rules = Rules::partial("the column `pe`");

/// Columns of both ends: device, interface, type.
struct Columns {
    device: [usize; 2],
    interface: [Option<usize>; 2],
    kind: [Option<usize>; 2],
    status: Option<usize>,
}

/// Beginnings of the names of ports and devices for power or consoles.
const UNLINKED: &[&str] = &["psu", "pdu", "ups", "power", "pwr", "outlet", "console", "serial"];

/// `true` if a port or device has a name of those for power or consoles, such as `PSU1`.
fn is_unlinked(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    UNLINKED.iter().any(|start| {
        let rest = name.strip_prefix(start);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphabetic()))
    })
}

/// The ends that a cell lists, separated by commas.
fn listed(cell: &str) -> Vec<&str> {
    cell.split(',').map(str::trim).filter(|name| !name.is_empty()).collect()
}

/// The separator of a table with that header.
fn separator(header: &str) -> char {
    [',', ';', '\t'].into_iter().max_by_key(|&separator| header.matches(separator).count()).unwrap_or(',')
}

/// Names of columns in small letters, with `_` for other signs.
fn heads(header: &str) -> Vec<String> {
    let plain = |cell: &str| cell.to_lowercase().replace([' ', '-', '.'], "_");
    Fields::default().between(header, separator(header)).into_iter().map(plain).collect()
}

/// `true` if a line is the header of NetBox's cables.
pub(super) fn is_netbox(header: &str) -> bool {
    let heads = heads(header);
    let has = |names: &[&str]| names.iter().any(|name| heads.iter().any(|head| head == name));
    has(&["a_port"]) && has(&["b_port"])
        || has(&["side_a_device", "device_a", "a_device", "termination_a_device"])
        || has(&["termination_a_id", "termination_a", "side_a_name", "a_terminations"])
            && has(&["termination_b_id", "termination_b", "side_b_name", "b_terminations"])
}

impl Columns {
    fn of(heads: &[String]) -> Option<Columns> {
        let find = |names: &[String]| heads.iter().position(|head| names.contains(head));
        let side = |side: &str, of: &[&str]| {
            find(&of.iter().map(|name| name.replace('@', side)).collect::<Vec<_>>())
        };
        let device =
            |of: &str| side(of, &["side_@_device", "device_@", "@_device", "termination_@_device", "@"]);
        let interface = |of: &str| {
            side(
                of,
                &["side_@_name", "termination_@", "@_name", "@_terminations", "termination_@_name", "@_port"],
            )
        };
        let kind = |of: &str| side(of, &["side_@_type", "termination_@_type", "@_type", "type_@"]);
        Some(Columns {
            device: [device("a")?, device("b")?],
            interface: ["a", "b"].map(interface),
            kind: ["a", "b"].map(kind),
            status: find(&["status".to_owned()]),
        })
    }
}

/// Reads cables of NetBox.
///
/// # Errors
/// Columns without devices, and every row without two devices.
pub(super) fn read_netbox(name: &str, text: &str) -> Result<NetworkFile, Faults> {
    let mut graph = FileGraph::new(name, text, DEVICES);
    let mut lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let header = lines.next().unwrap_or_default();
    let (separator, heads) = (separator(header), heads(header));
    let Some(columns) = Columns::of(&heads) else {
        let at = graph.at(header);
        let sentence = "has no columns with the devices of cables, such as side_a_device and side_b_device or Device A and Device B; \
                        export the cables with these columns.";
        return Err(graph.fault_at(at, "", says(sentence)).into());
    };
    let mut fields = Fields::default();
    // The first cable for power or consoles, and the number of all.
    let mut unlinked: Option<(usize, u64)> = None;
    // Votes of interfaces, for a host and for a switch.
    let mut votes: BTreeMap<u32, ([u32; 2], String)> = BTreeMap::new();
    for line in checked(lines) {
        let at = graph.at(line);
        let cells = fields.between(line, separator);
        let cell =
            |column: Option<usize>| column.and_then(|column| cells.get(column)).map_or("", |cell| *cell);
        let devices = columns.device.map(|column| cell(Some(column)));
        let kinds = columns.kind.map(|column| cell(column).trim_start_matches("dcim.").to_lowercase());
        if let Some(kind) = kinds.iter().find(|kind| !kind.is_empty() && *kind != "interface") {
            graph.warn(at, format!("has an end of type `{kind}`, not `interface`, and is left out."));
            continue;
        }
        if cell(columns.status).eq_ignore_ascii_case("decommissioning") {
            graph.warn(at, "is a cable that is being removed, and is left out.");
            continue;
        }
        if devices.iter().any(|device| listed(device).is_empty()) {
            graph.warn(at, "has no device at one end, and is left out.");
            continue;
        }
        let interfaces = columns.interface.map(|column| listed(cell(column)));
        let devices = devices.map(listed);
        let is_other =
            |side: usize| interfaces[side].iter().chain(&devices[side]).any(|name| is_unlinked(name));
        if kinds.iter().all(String::is_empty) && (is_other(0) || is_other(1)) {
            unlinked.get_or_insert((at, 0)).1 += 1;
            continue;
        }
        // A cable that fans out has one device at one end. Ports at both ends of a single pair of devices are lanes.
        let [a, b] = [0, 1].map(|side| devices[side].len());
        let lanes = interfaces[0].len().max(interfaces[1].len()).max(1);
        let pairs: Vec<[&str; 2]> = match (a, b) {
            (1, 1) => vec![[devices[0][0], devices[1][0]]; lanes],
            (1, _) => devices[1].iter().map(|device| [devices[0][0], *device]).collect(),
            (_, 1) => devices[0].iter().map(|device| [*device, devices[1][0]]).collect(),
            _ => {
                graph.warn(at, "has several devices at both ends, which are not paired, and is left out.");
                continue;
            }
        };
        for pair in pairs {
            let ends = pair.map(|device| graph.node(device.to_owned().into(), at));
            for side in 0..2 {
                let (votes, _) = votes.entry(ends[side]).or_insert_with(|| ([0; 2], pair[side].to_owned()));
                match interfaces[side].first().and_then(|interface| of_interface(interface)) {
                    Some(Role::Host) => votes[0] += 1,
                    Some(_) => votes[1] += 1,
                    None => {}
                }
            }
            match ends[0] == ends[1] {
                true => graph.warn(at, format!("joins two ports of {}, and is left out.", pair[0])),
                false => graph.link(ends, LinkSpeed::Hosts, at),
            }
        }
    }
    if let Some((at, number)) = unlinked {
        let sentence = match number {
            1 => "is a cable for power or a console, and is left out.".into(),
            _ => {
                format!("is the first of {} for power or consoles; all are left out.", count(number, "cable"))
            }
        };
        graph.warn(at, sentence);
    }
    for (node, ([hosts, switches], name)) in votes {
        // Interfaces of hosts have names that few switches have; `Ethernet1` is no sign against the name of the device.
        let role = match (of_name(&name), hosts.cmp(&switches)) {
            (Some(role), _) => Some(role),
            (None, std::cmp::Ordering::Greater) => Some(Role::Host),
            (None, std::cmp::Ordering::Less) => Some(Role::Switch),
            (None, std::cmp::Ordering::Equal) => None,
        };
        if let Some(role) = role {
            graph.set_role(node, role, 0);
        }
    }
    graph.network()
}

/// Reads the cable list of a wiring.
///
/// # Errors
/// Every row without a node and a switch.
pub(super) fn read_cables(name: &str, text: &str) -> Result<NetworkFile, Faults> {
    let mut graph = FileGraph::new(name, text, CABLES);
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let heads = heads(lines.next().unwrap_or_default());
    let column = |name: &str| heads.iter().position(|head| head == name);
    let (from, to, kind, ni) = (column("pe_end"), column("switch_end"), column("kind"), column("ni"));
    // Ends, `true` from a node to a switch, numbers of the ends, line.
    let mut links = Vec::new();
    let mut fields = Fields::default();
    for line in checked(lines) {
        let at = graph.at(line);
        let cells = fields.between(line, ',');
        let cell =
            |column: Option<usize>| column.and_then(|column| cells.get(column)).map_or("", |cell| *cell);
        let (kind, ni) = (if kind.is_some() { cell(kind) } else { "node" }, cell(ni));
        let is_direct = kind == "direct";
        if kind == "spare" || kind == "node" && ni.is_empty() {
            graph.warn(
                at,
                if kind == "spare" {
                    "is the cable of a spare, and is left out."
                } else {
                    "is unplugged, and is left out."
                },
            );
            continue;
        }
        let without =
            |label: &str, word: &str| label.rsplit_once(word).map_or(label, |(name, _)| name).to_owned();
        let named = |label: Option<usize>, kind: &str, number: &str| match (label, cell(column(number))) {
            (None, number) if number.parse::<u32>().is_ok() => format!("{kind}{number}"),
            _ => without(&without(cell(label), " NIC"), " port "),
        };
        let names = [named(from, "node", "pe"), named(to, "switch", "switch")];
        if names.iter().any(String::is_empty) {
            graph.fault(at, "", says("is a cable without its two ends; give the whole row."));
            continue;
        }
        let number = |name: &str| cell(column(name)).parse::<u32>().unwrap_or(u32::MAX);
        // A direct cable is listed with its lower node.
        let numbers = [number("pe"), if is_direct { u32::MAX } else { number("switch") }];
        links.push((names, if is_direct { None } else { Some(kind == "node") }, numbers, at));
    }
    // Nodes and switches by their numbers, uplink switches last.
    let mut order: BTreeMap<(bool, u32, String), usize> = BTreeMap::new();
    for (names, is_node, numbers, at) in &links {
        let [from, to] = names.clone();
        if *is_node != Some(false) {
            order.entry((false, numbers[0], from)).or_insert(*at);
            order.entry((is_node.is_some(), numbers[1], to)).or_insert(*at);
        }
    }
    for ((is_switch, _, name), at) in order {
        let node = graph.node(name.into(), at);
        graph.set_role(node, if is_switch { Role::Switch } else { Role::Host }, at);
    }
    for (names, is_node, _, at) in links {
        let ends = names.map(|name| graph.node(name.into(), at));
        if is_node == Some(false) {
            ends.iter().for_each(|&end| graph.set_role(end, Role::Switch, at));
        }
        graph.link(ends, LinkSpeed::Hosts, at);
    }
    graph.network()
}

/// `true` if a line is one of a wiring table.
pub(super) fn is_wiring(line: &str) -> bool {
    let Some((switch, nodes)) = line.split('#').next().unwrap_or_default().split_once(':') else {
        return false;
    };
    switch.trim().parse::<u32>().is_ok() && nodes.split_whitespace().all(|node| node.parse::<u32>().is_ok())
}

/// Reads a wiring table.
///
/// # Errors
/// Every line that is none of a table.
pub(super) fn read_wiring(name: &str, text: &str) -> Result<NetworkFile, Faults> {
    const TABLE: Rules = Rules::partial("their numbers after the colon");
    let mut graph = FileGraph::new(name, text, TABLE);
    let mut hosts: BTreeMap<u32, usize> = BTreeMap::new();
    let mut links = Vec::new();
    for line in checked(text.lines()) {
        let at = graph.at(line);
        let content = line.split('#').next().unwrap_or_default().trim();
        if content.is_empty() {
            continue;
        }
        if !is_wiring(content) {
            graph.fault(at, content, "`switch: node node node` in numbers");
            continue;
        }
        let (switch, nodes) = content.split_once(':').unwrap_or_default();
        let switch = switch.trim().parse::<u32>().unwrap_or_default();
        for host in nodes.split_whitespace().filter_map(|node| node.parse::<u32>().ok()) {
            hosts.entry(host).or_insert(at);
            links.push((host, switch, at));
        }
    }
    for (&host, &at) in &hosts {
        let node = graph.node(format!("node{host}").into(), at);
        graph.set_role(node, Role::Host, at);
    }
    for (host, switch, at) in checked(links) {
        let ends =
            [graph.node(format!("node{host}").into(), at), graph.node(format!("switch{switch}").into(), at)];
        graph.set_role(ends[1], Role::Switch, at);
        graph.link(ends, LinkSpeed::Hosts, at);
    }
    graph.network()
}
