//! Names of a machine's parts: `node007`, `sw03`, or as the templates of its spec say.

use super::Design;
use crate::{
    form::plain_digits,
    spec::{
        MAX_NIS, MAX_PORTS, Spec,
        names::{
            self, Interfaces, NODE_PREFIX, NameScheme, NamedRack, PortNames, SWITCH_PREFIX, Value, Variable,
        },
    },
};
use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, OnceLock},
};

/// Min digits of a node's number after a prefix.
const NODE_DIGITS: usize = 3;
/// Prefix of the names of direct cables, unless the spec names switches, or nodes with this prefix.
const CABLE_PREFIX: &str = "cable";
/// Min digits of a switch's or a spare's number after a prefix.
const SWITCH_DIGITS: usize = 2;

/// The names of a machine's nodes, switches, NICs and ports. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Names {
    pes: u32,
    switches: u32,
    parts: Arc<Parts>,
}

impl PartialEq for Names {
    fn eq(&self, other: &Names) -> bool {
        let parts = |names: &Names| (names.pes, names.switches, names.parts.uplinks);
        let (own, others) = (&self.parts, &other.parts);
        parts(self) == parts(other) && (&own.scheme, &own.racks) == (&others.scheme, &others.racks)
    }
}

impl Eq for Names {}

#[derive(Debug)]
struct Parts {
    scheme: NameScheme,
    racks: Vec<NamedRack>,
    /// Switches that are direct cables; see [`Spec::cables`].
    cables: Vec<bool>,
    /// Switches of each plane under `rail`.
    plane: Option<u32>,
    /// Number of separate uplink switches.
    uplinks: u32,
    /// Nodes and switches by name in lower case, for templates that are no prefixes.
    found: OnceLock<HashMap<String, Node>>,
    /// NICs and ports by name.
    nics: OnceLock<HashMap<String, u32>>,
    ports: OnceLock<HashMap<String, u32>>,
}

impl Parts {
    /// The names of no parts.
    fn new(scheme: NameScheme) -> Parts {
        let (found, nics, ports) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        let (racks, cables) = (Vec::new(), Vec::new());
        Parts { scheme, racks, cables, plane: None, uplinks: 0, found, nics, ports }
    }
}

/// A PE or a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Node {
    /// A PE, by number.
    Pe(u32),
    /// A switch, by number.
    Switch(u32),
}

/// A switch, a PE or a NIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HardwarePart {
    /// A switch.
    Switch(u32),
    /// A PE.
    Pe(u32),
    /// An NI of a PE.
    Ni(u32, u32),
}

impl HardwarePart {
    /// Parses a part by number: `sw3` is a switch, `node7` a PE, `node5.nic1` an NI, in any case and with any leading zeros. The
    /// words of the papers, `pe7` and `pe5.ni1`, are the same parts. Does not check that the machine has the part.
    pub fn numbered(word: &str) -> Option<HardwarePart> {
        let word = word.to_ascii_lowercase();
        if let Some(switch) = word.strip_prefix("sw") {
            return plain_digits(switch).map(HardwarePart::Switch);
        }
        let pe = word.strip_prefix("node").or_else(|| word.strip_prefix("pe"))?;
        match pe.split_once('.') {
            Some((pe, ni)) => Some(HardwarePart::Ni(plain_digits(pe)?, numbered_nic(ni)?)),
            None => plain_digits(pe).map(HardwarePart::Pe),
        }
    }
}

impl fmt::Display for HardwarePart {
    /// In the form of [`HardwarePart::numbered`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HardwarePart::Switch(switch) => write!(f, "sw{switch}"),
            HardwarePart::Pe(pe) => write!(f, "node{pe}"),
            HardwarePart::Ni(pe, ni) => write!(f, "node{pe}.nic{ni}"),
        }
    }
}

/// Parses a NIC by number, such as `nic1`, or `ni1` in the words of the papers.
fn numbered_nic(word: &str) -> Option<u32> {
    plain_digits(word.strip_prefix("nic").or_else(|| word.strip_prefix("ni"))?)
}

/// Rack position of a node or a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RackPlace {
    /// The rack, such as `A03`.
    pub rack: String,
    /// The rack unit, from 1 at the bottom, where each node and each switch takes one.
    pub unit: u32,
}

impl Names {
    /// The names of a wiring's parts.
    pub fn of(spec: &Spec, design: &Design) -> Names {
        Names::sized(spec, design.pes(), design.switch_count())
    }

    /// The names of a spec's parts, if the machine has that many.
    pub fn sized(spec: &Spec, pes: u32, switches: u32) -> Names {
        let grown = spec.grown(switches);
        let (uplinks, cables) = (grown.separate_uplinks(), grown.cables());
        let (racks, plane) = (names::racks(spec), spec.switches_per_plane());
        let parts = Parts { racks, cables, plane, uplinks, ..Parts::new(spec.names.clone()) };
        Names { pes, switches, parts: Arc::new(parts) }
    }

    /// Number of PEs.
    pub fn pes(&self) -> u32 {
        self.pes
    }

    /// The default names of that many nodes and switches.
    pub fn new(pes: u32, switches: u32) -> Names {
        Names { pes, switches, parts: Arc::new(Parts::new(NameScheme::default())) }
    }

    /// Sets the names of NICs and ports that are given.
    #[must_use]
    pub fn with(self, interface: Option<&Interfaces>, port: Option<&PortNames>) -> Names {
        if interface.is_none() && port.is_none() {
            return self;
        }
        let Parts { scheme, racks, cables, plane, uplinks, .. } = &*self.parts;
        let mut scheme = scheme.clone();
        if let Some(interface) = interface {
            scheme.interface = interface.clone();
        }
        if let Some(port) = port {
            scheme.port = Some(port.clone());
        }
        let (racks, cables) = (racks.clone(), cables.clone());
        let parts = Parts { racks, cables, plane: *plane, uplinks: *uplinks, ..Parts::new(scheme) };
        Names { parts: Arc::new(parts), ..self }
    }

    /// The host name of a PE.
    pub fn pe(&self, pe: u32) -> String {
        let width = digits(self.pes.saturating_sub(1)).max(NODE_DIGITS);
        self.parts.scheme.nodes.name(width, |variable| match variable {
            Variable::Rack => Value::Text(self.rack_of_pe(pe).map_or("", |rack| &rack.name)),
            Variable::Slot => Value::Whole(self.pe_unit(pe).unwrap_or(0)),
            _ => Value::Whole(pe.into()),
        })
    }

    /// `true` if a switch is a direct cable between two PEs.
    pub fn is_cable(&self, switch: u32) -> bool {
        self.parts.cables.get(switch as usize).is_some_and(|is_cable| *is_cable)
    }

    /// `true` if a switch is a direct cable with a name of [`CABLE_PREFIX`].
    fn is_named_cable(&self, switch: u32) -> bool {
        let NameScheme { nodes, switches, .. } = &self.parts.scheme;
        let is_free = switches.prefix() == Some(SWITCH_PREFIX) && nodes.prefix() != Some(CABLE_PREFIX);
        is_free && self.is_cable(switch)
    }

    /// A switch's host name, or the name of a direct cable.
    pub fn switch(&self, switch: u32) -> String {
        let width = digits(self.switches.saturating_sub(1)).max(SWITCH_DIGITS);
        if self.is_named_cable(switch) {
            return format!("{CABLE_PREFIX}{switch:0width$}");
        }
        self.parts.scheme.switches.name(width, |variable| match variable {
            Variable::Rack => Value::Text(self.rack_of_switch(switch).map_or("", |rack| &rack.name)),
            Variable::Slot => Value::Whole(self.switch_unit(switch).unwrap_or(0)),
            Variable::Plane => Value::Whole(self.parts.plane.map_or(0, |each| switch / each).into()),
            _ => Value::Whole(switch.into()),
        })
    }

    /// `true` if a switch's number says nothing about its name, which is no prefix with a number.
    pub fn has_named_switches(&self) -> bool {
        self.parts.scheme.switches.prefix().is_none()
    }

    /// The shortest text that tells switches apart: the number in its name, or the whole name.
    pub fn switch_mark(&self, switch: u32) -> String {
        if self.has_named_switches() { self.switch(switch) } else { switch.to_string() }
    }

    /// The word for [`switch_mark`](Names::switch_mark).
    pub fn switch_sign(&self) -> &'static str {
        if self.has_named_switches() { "name" } else { "number" }
    }

    /// A switch's name, followed by its number where the name does not have it.
    pub fn switch_title(&self, switch: u32) -> String {
        let name = self.switch(switch);
        if self.has_named_switches() { format!("{name} ({switch})") } else { name }
    }

    /// The name of either.
    pub fn node(&self, node: Node) -> String {
        match node {
            Node::Pe(pe) => self.pe(pe),
            Node::Switch(switch) => self.switch(switch),
        }
    }

    /// The host name of a separate uplink switch, by its number among these. Of several, each has its number at the end.
    pub fn uplink(&self, number: u32) -> String {
        let (name, last) = (self.parts.scheme.uplink.written(), self.parts.uplinks.saturating_sub(1));
        match last {
            0 => name.into(),
            _ => format!("{name}{number:0width$}", width = digits(last)),
        }
    }

    /// Number of separate uplink switches.
    pub fn uplinks(&self) -> u32 {
        self.parts.uplinks
    }

    /// The host name of a spare node.
    pub fn spare(&self, spare: u32) -> String {
        self.parts.scheme.spares.name(SWITCH_DIGITS, |_| Value::Whole(spare.into()))
    }

    /// The name of a NIC in the operating system of its node.
    pub fn interface(&self, ni: u32) -> String {
        self.parts.scheme.interface.of(ni)
    }

    /// Names of NICs, as a prefix, a template or a list.
    pub fn interfaces(&self) -> String {
        self.parts.scheme.interface.written()
    }

    /// The NIC of that name.
    pub fn nic(&self, name: &str) -> Option<u32> {
        let interface = &self.parts.scheme.interface;
        let all = || {
            let count = interface.count().map_or(MAX_NIS, |count| count as u32);
            (0..count).map(|ni| (interface.of(ni), ni)).collect()
        };
        self.parts.nics.get_or_init(all).get(name).copied()
    }

    /// The name of a port on its switch.
    pub fn port(&self, port: u32) -> String {
        self.parts.scheme.port.as_ref().unwrap_or(&PortNames::default()).of(port)
    }

    /// The names of ports as they were written; `None` if each format has its own.
    pub fn ports(&self) -> Option<&str> {
        self.parts.scheme.port.as_ref().map(PortNames::written)
    }

    /// `true` if ports have names of their own, in place of those of each format.
    pub fn has_own_ports(&self) -> bool {
        self.ports().is_some()
    }

    /// The port of that name.
    pub fn port_of(&self, name: &str) -> Option<u32> {
        let all = || (1..=MAX_PORTS).map(|port| (self.port(port), port)).collect();
        self.parts.ports.get_or_init(all).get(name).copied()
    }

    /// The racks, in the spec's order; none if the spec has none.
    pub fn racks(&self) -> &[NamedRack] {
        &self.parts.racks
    }

    /// Rack position of a PE. `None` if its rack is unknown.
    pub fn pe_place(&self, pe: u32) -> Option<RackPlace> {
        Some(RackPlace { rack: self.rack_of_pe(pe)?.name.clone(), unit: self.pe_unit(pe)? as u32 })
    }

    /// Rack position of a switch. `None` if its rack is unknown.
    pub fn switch_place(&self, switch: u32) -> Option<RackPlace> {
        Some(RackPlace {
            rack: self.rack_of_switch(switch)?.name.clone(),
            unit: self.switch_unit(switch)? as u32,
        })
    }

    fn rack_of_pe(&self, pe: u32) -> Option<&NamedRack> {
        let racks = &self.parts.racks;
        racks.get(racks.partition_point(|rack| rack.first_pe + rack.pes <= pe.into()))
    }

    fn rack_of_switch(&self, switch: u32) -> Option<&NamedRack> {
        let racks = &self.parts.racks;
        racks.get(racks.partition_point(|rack| rack.first_switch + rack.switches <= switch.into()))
    }

    fn pe_unit(&self, pe: u32) -> Option<u64> {
        Some(u64::from(pe) - self.rack_of_pe(pe)?.first_pe + 1)
    }

    /// Switches are above the PEs of their rack.
    fn switch_unit(&self, switch: u32) -> Option<u64> {
        let rack = self.rack_of_switch(switch)?;
        Some(rack.pes + u64::from(switch) - rack.first_switch + 1)
    }

    /// The PE or switch of a name, in any case and with or without a domain, if the machine has it. A number after a prefix may have
    /// fewer or more leading zeros.
    pub fn find(&self, name: &str) -> Option<Node> {
        let host = name.split('.').next()?.to_ascii_lowercase();
        let NameScheme { nodes, switches, .. } = &self.parts.scheme;
        let (Some(node), Some(switch)) = (nodes.prefix(), switches.prefix()) else {
            return self.parts.found.get_or_init(|| self.all()).get(&host).copied();
        };
        let number = |prefix: &str| {
            let number = host.strip_prefix(&prefix.to_ascii_lowercase())?;
            plain_digits::<u32>(number).filter(|_| number.len() <= 10)
        };
        // Machines cabled before the default changed have the word of the papers on their labels.
        let papers = || (node == NODE_PREFIX).then(|| number("pe")).flatten();
        let of_node = number(node).or_else(papers).filter(|&pe| pe < self.pes).map(Node::Pe);
        let cable = || number(CABLE_PREFIX).filter(|&cable| self.is_named_cable(cable));
        let of_switch = || number(switch).or_else(cable).filter(|&switch| switch < self.switches);
        of_node.or_else(|| of_switch().map(Node::Switch))
    }

    /// The part of a word: by the machine's own names, such as `leaf3`, `gpu7` and `gpu7.eth1`, else by number as in
    /// [`HardwarePart::numbered`]. NIC 1 of a node is `nic1`, too, unless another one has that name.
    pub fn part(&self, word: &str) -> Option<HardwarePart> {
        let (host, nic) = match word.split_once('.') {
            Some((host, nic)) => (host, Some(nic)),
            None => (word, None),
        };
        let ni = |nic: &str| {
            let number = numbered_nic(&nic.to_ascii_lowercase());
            let named = self.nic(nic).or(number)?;
            number.is_none_or(|number| number == named).then_some(named)
        };
        let own = match (self.find(host), nic) {
            (Some(Node::Pe(pe)), Some(nic)) => return ni(nic).map(|ni| HardwarePart::Ni(pe, ni)),
            (Some(Node::Pe(pe)), None) => Some(HardwarePart::Pe(pe)),
            (Some(Node::Switch(switch)), None) => Some(HardwarePart::Switch(switch)),
            _ => None,
        };
        own.or_else(|| HardwarePart::numbered(word))
    }

    /// The word of a part that [`Names::part`] reads: its own name, such as `sw03`, `node007` and `gpu7.eth1`. Under the default
    /// names, a NIC is `node007.nic1`.
    pub fn word(&self, part: HardwarePart) -> String {
        match part {
            HardwarePart::Switch(switch) => self.switch(switch),
            HardwarePart::Pe(pe) => self.pe(pe),
            HardwarePart::Ni(pe, ni) if self.parts.scheme == NameScheme::default() => {
                format!("{}.nic{ni}", self.pe(pe))
            }
            HardwarePart::Ni(pe, ni) => format!("{}.{}", self.pe(pe), self.interface(ni)),
        }
    }

    /// The PE of a word: its own name, `node7` or `7`.
    pub fn pe_of(&self, word: &str) -> Option<u32> {
        match self.part(word) {
            Some(HardwarePart::Pe(pe)) => Some(pe),
            Some(_) => None,
            None => plain_digits(word),
        }
    }

    /// The switch of a word: its own name, `sw3` or `3`. Separate uplink switches come after the last switch.
    pub fn switch_of(&self, word: &str) -> Option<u32> {
        match self.part(word) {
            Some(HardwarePart::Switch(switch)) => Some(switch),
            Some(_) => None,
            None => {
                let is = |&uplink: &u32| word.eq_ignore_ascii_case(&self.uplink(uplink));
                let uplink = (0..self.parts.uplinks).find(is).map(|uplink| self.switches + uplink);
                uplink.or_else(|| plain_digits(word))
            }
        }
    }

    fn all(&self) -> HashMap<String, Node> {
        let nodes = (0..self.pes).map(|pe| (self.pe(pe).to_ascii_lowercase(), Node::Pe(pe)));
        let switches =
            (0..self.switches).map(|switch| (self.switch(switch).to_ascii_lowercase(), Node::Switch(switch)));
        nodes.chain(switches).collect()
    }
}

fn digits(number: u32) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nics_and_ports_are_found_by_their_names() {
        let list = Interfaces::parse("enp26s0np0 enp60s0np0").unwrap();
        let ports = PortNames::parse("Ethernet{port*4-4}").unwrap();
        let names = Names::new(2, 2).with(Some(&list), Some(&ports));
        assert_eq!((names.nic("enp60s0np0"), names.nic("eth0")), (Some(1), None));
        assert_eq!((names.port_of("Ethernet16"), names.port_of("Ethernet17")), (Some(5), None));
    }

    #[test]
    fn a_part_has_the_name_that_labels_have() {
        let names = Names::new(128, 17);
        for (part, word) in [
            (HardwarePart::Switch(3), "sw03"),
            (HardwarePart::Pe(7), "node007"),
            (HardwarePart::Ni(5, 1), "node005.nic1"),
        ] {
            assert_eq!((names.word(part).as_str(), names.part(word)), (word, Some(part)));
            assert_eq!(names.part(&part.to_string()), Some(part));
        }
    }

    #[test]
    fn names_are_found_as_people_write_them() {
        let names = Names::new(1200, 3);
        assert_eq!((names.pe(7).as_str(), names.switch(2).as_str()), ("node0007", "sw02"));
        assert_eq!(names.find("node0007"), Some(Node::Pe(7)));
        assert_eq!(names.find("PE7.cluster.example.org"), Some(Node::Pe(7)));
        assert_eq!(names.find("sw2"), Some(Node::Switch(2)));
        for not in ["node1200", "sw03", "pe", "sw+1", "spine1", "p", "", "ä1", "node00000000000001"] {
            assert_eq!(names.find(not), None, "{not}");
        }
    }
}
