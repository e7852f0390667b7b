//! The cables of each node as people plug them in: colours, places and lengths. Needs no demand, so a phone computes it at once.

use super::{
    colours::Palette,
    identifiers::Identifiers,
    uplinks::{UplinkPlan, with_uplink_switch},
};
use crate::{
    design::{Design, Names, NiTable, far_ni, plugged},
    spec::Spec,
    text::fixed,
};
use std::{ops::Range, sync::Arc};

/// Max groups of nodes without racks.
const MAX_GROUPS: u32 = 64;
/// Min nodes of such a group.
const MIN_GROUP: u32 = 16;

/// A design for those who plug in its cables.
#[derive(Clone, Debug, PartialEq)]
pub struct CablingPlan {
    spec: Spec,
    design: Design,
    nis: NiTable,
    groups: Vec<NodeGroup>,
}

/// Nodes whose progress is counted together: those of a rack, or neighbours if no racks are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeGroup {
    /// Name, such as `Rack A03` or `node000–node015`.
    pub name: String,
    /// Nodes of the group.
    pub nodes: Range<u32>,
    /// Number of their cables.
    pub cables: u64,
}

/// A cable of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeCable {
    /// The NIC.
    pub nic: u32,
    /// The switch.
    pub switch: u32,
    /// Name of the switch, such as `sw03`.
    pub switch_name: String,
    /// The other end: the switch and its port, such as `sw03 port 5`, or another node and its NIC.
    pub far: String,
    /// Number of the switch, as its cable's label has it; empty if the switch has a name of its own.
    pub number: String,
    /// Port of the switch, from 1.
    pub port: u32,
    /// Rack position of the other end, such as `A04-41:05`; `None` if its rack is unknown.
    pub place: Option<String>,
    /// Metres, if both racks are known.
    pub metres: Option<f64>,
    /// Colour in words, such as `transparent blue ×2`.
    pub colour: String,
    /// Printed colour, as `#rrggbb`.
    pub paint: &'static str,
    /// Colour of legible text on it.
    pub ink: &'static str,
}

impl NodeCable {
    /// Both ends, such as `NIC 0 → sw03 port 5`.
    pub fn ends(&self) -> String {
        format!("NIC {} → {}", self.nic, self.far)
    }

    /// Colour, place and length, such as `blue · A04-41:05 · 2.6 m`.
    pub fn details(&self) -> String {
        let metres = self.metres.map(|metres| format!("{} m", fixed(metres, 1)));
        let parts = [Some(self.colour.clone()), self.place.clone(), metres];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
    }
}

/// A cable to an uplink switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UplinkEnds {
    /// The switch or spare node and its port, such as `sw03 port 24`.
    pub from: String,
    /// The uplink switch and its port.
    pub to: String,
    /// The plane that the uplink switch joins, if each has its own.
    pub plane: Option<u32>,
    /// Colour in words.
    pub colour: String,
    /// Printed colour, as `#rrggbb`.
    pub paint: &'static str,
}

impl CablingPlan {
    /// The plan of a wiring.
    pub fn new(spec: Spec, design: Design) -> CablingPlan {
        let design = plugged(&spec, &design).into_owned();
        let nis = design.nis();
        let groups = groups(&spec, &design, &nis);
        CablingPlan { spec, design, nis, groups }
    }

    /// Name of the design; empty if it has none.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// Names of nodes and switches.
    pub fn names(&self) -> Names {
        Names::of(&self.spec, &self.design)
    }

    /// The wiring.
    pub fn design(&self) -> &Design {
        &self.design
    }

    /// Number of nodes.
    pub fn nodes(&self) -> u32 {
        self.design.pes()
    }

    /// The switches of a node, by NIC.
    pub fn switches(&self, node: u32) -> &[u32] {
        self.nis.of(node)
    }

    /// The cables of a node, by NIC.
    pub fn cables(&self, node: u32) -> Vec<NodeCable> {
        let (names, identifiers) = (self.names(), Identifiers::new(&self.spec, self.names()));
        let cable = |(nic, &switch): (u32, &u32)| {
            let colour = Palette::Papers.of(switch);
            let port = self.design.members(switch).partition_point(|&member| member < node) as u32 + 1;
            let (far, place, metres) = match far_ni((&names, &self.design, &self.nis), node, switch) {
                Some((other, ni)) => (
                    format!("{} NIC {ni}", names.pe(other)),
                    identifiers.pe_place(other).map(|_| identifiers.pe_end(other, ni)),
                    identifiers.length_between_pes(node, other),
                ),
                None => (
                    format!("{} port {port}", names.switch(switch)),
                    identifiers.switch_place(switch).map(|_| identifiers.switch_end(switch, port)),
                    identifiers.length(node, switch),
                ),
            };
            NodeCable {
                nic,
                switch,
                switch_name: names.switch(switch),
                far,
                number: if names.has_named_switches() { String::new() } else { switch.to_string() },
                port,
                place,
                metres,
                colour: colour.name(),
                paint: colour.paint,
                ink: colour.text(),
            }
        };
        (0..).zip(self.nis.of(node)).map(cable).collect()
    }

    /// The cables to uplink switches, by uplink switch and port; none if the spec has no uplink.
    pub fn uplinks(&self) -> Vec<UplinkEnds> {
        if self.spec.uplink.is_none() {
            return Vec::new();
        }
        let spec = &*self.spec.grown(self.design.used_switches());
        let design = with_uplink_switch(spec, Arc::new(self.design.clone()));
        let names = Names::of(spec, &design);
        let Some(uplink) = UplinkPlan::of(spec, &design, &names) else { return Vec::new() };
        let identifiers = Identifiers::new(spec, names.clone());
        let ends = |&cable| {
            let [from, to] = uplink.ends(&names, &identifiers, cable).map(|end| end.label);
            let switch = uplink.switch_of(cable);
            let colour = Palette::Papers.of(switch.number);
            UplinkEnds { from, to, plane: switch.plane, colour: colour.name(), paint: colour.paint }
        };
        uplink.cables.iter().map(ends).collect()
    }

    /// Rack position of a node, such as `Rack A03, unit 17`; `None` if its rack is unknown.
    pub fn place(&self, node: u32) -> Option<String> {
        let place = Identifiers::new(&self.spec, self.names()).pe_place(node)?;
        Some(format!("Rack {}, unit {}", place.rack, place.unit))
    }

    /// Groups of nodes that together have all nodes, ascending.
    pub fn groups(&self) -> &[NodeGroup] {
        &self.groups
    }

    /// Number of a node's group.
    pub fn group_of(&self, node: u32) -> usize {
        self.groups.partition_point(|group| group.nodes.end <= node)
    }
}

fn groups(spec: &Spec, design: &Design, nis: &NiTable) -> Vec<NodeGroup> {
    let (names, pes) = (Names::of(spec, design), design.pes());
    let identifiers = Identifiers::new(spec, names.clone());
    let mut groups: Vec<(String, Range<u32>)> = Vec::new();
    let mut next = 0;
    for (name, nodes, _) in identifiers.racks() {
        let end = pes.min(next + u32::try_from(nodes).unwrap_or(pes));
        if end > next {
            groups.push((format!("Rack {name}"), next..end));
            next = end;
        }
    }
    let size = pes.div_ceil(MAX_GROUPS).max(MIN_GROUP) as usize;
    for first in (next..pes).step_by(size) {
        let end = pes.min(first + size as u32);
        groups.push((format!("{}–{}", names.pe(first), names.pe(end - 1)), first..end));
    }
    let cables = |nodes: &Range<u32>| nodes.clone().map(|node| nis.of(node).len() as u64).sum();
    groups.into_iter().map(|(name, nodes)| NodeGroup { name, cables: cables(&nodes), nodes }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        design::table,
        resolve::{self, NoFiles},
    };

    fn plan(racks: &str) -> CablingPlan {
        let text = format!(
            "pes = 20\nnis_per_pe = 2\n[[switch]]\nports = 24\ncount = 2\n[[pattern]]\nkind = \"ring\"\n{racks}"
        );
        let spec = resolve::read(&text, &mut NoFiles).unwrap_or_else(|faults| panic!("{faults}"));
        let all: Vec<String> = (0..20).map(|pe| pe.to_string()).collect();
        let design = table::parse(&format!("0: {0}\n1: {0}\n", all.join(" ")), 20).unwrap();
        CablingPlan::new(spec, design)
    }

    fn listed(plan: &CablingPlan) -> Vec<(&str, Range<u32>, u64)> {
        plan.groups().iter().map(|group| (group.name.as_str(), group.nodes.clone(), group.cables)).collect()
    }

    #[test]
    fn racks_are_groups_and_lengths_are_known() {
        let plan = plan(
            "[[rack]]\npes = 12\nswitches = 1\n[[rack]]\npes = 8\nx = 0.6\n[[rack]]\nswitches = 1\nx = 1.2\n",
        );
        assert_eq!(listed(&plan), [("Rack A01", 0..12, 24), ("Rack A02", 12..20, 16)]);
        assert_eq!([0, 11, 12, 19].map(|node| plan.group_of(node)), [0, 0, 1, 1]);
        assert_eq!(plan.place(13).as_deref(), Some("Rack A02, unit 2"));
        let cables = plan.cables(13);
        assert_eq!(
            cables.iter().map(|cable| (cable.nic, cable.switch)).collect::<Vec<_>>(),
            [(0, 0), (1, 1)]
        );
        assert_eq!((cables[1].port, cables[1].place.as_deref()), (14, Some("A03-01:14")));
        assert!(cables[1].metres.is_some_and(|metres| metres > 0.6), "{:?}", cables[1]);
        assert_eq!(
            (cables[0].colour.as_str(), cables[0].paint, cables[0].ink),
            ("blue", "#1055ea", "#ffffff")
        );
    }

    #[test]
    fn cables_to_uplink_switches_have_their_ends() {
        let ends = plan("[uplink]\nlinks = 2\nports = 2\nspares = 0\n").uplinks();
        let ends: Vec<(&str, &str)> =
            ends.iter().map(|cable| (cable.from.as_str(), cable.to.as_str())).collect();
        assert_eq!(
            ends,
            [
                ("sw00 port 23", "uplink0 port 1"),
                ("sw01 port 23", "uplink0 port 2"),
                ("sw00 port 24", "uplink1 port 1"),
                ("sw01 port 24", "uplink1 port 2")
            ]
        );
        assert!(plan("").uplinks().is_empty());
    }

    #[test]
    fn patches_have_numbers_unless_switches_have_names_of_their_own() {
        let marks = |more: &str| {
            plan(more).cables(3).iter().map(|c| (c.number.clone(), c.switch_name.clone())).collect::<Vec<_>>()
        };
        let pair = |number: &str, name: &str| (number.to_owned(), name.to_owned());
        assert_eq!(marks(""), [pair("0", "sw00"), pair("1", "sw01")]);
        assert_eq!(marks("[names]\nswitches = \"leaf\"\n"), [pair("0", "leaf00"), pair("1", "leaf01")]);
        let racks = "[[rack]]\npes = 20\nswitches = 2\n[names]\nswitches = \"{rack}-leaf-{slot}\"\n";
        assert_eq!(marks(racks), [pair("", "A01-leaf-21"), pair("", "A01-leaf-22")]);
    }

    #[test]
    fn without_racks_neighbours_are_groups() {
        let plan = plan("");
        assert_eq!(listed(&plan), [("node000–node015", 0..16, 32), ("node016–node019", 16..20, 8)]);
        assert_eq!(
            (plan.place(3), plan.cables(3)[0].place.clone(), plan.cables(3)[0].metres),
            (None, None, None)
        );
    }
}
