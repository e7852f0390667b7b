//! The wiring as a graph: in Graphviz's language, as GraphML, and as a topology for containerlab.
//!
//! Cumulus' prescriptive topology manager reads Graphviz's edges `"node007":"eth2" -- "sw03":"swp5"` as
//! `/etc/ptm.d/topology.dot` and compares them with LLDP.
//!
//! In containerlab nodes are Linux containers, and switches are Linux bridges of the machine that runs it. Containers have no
//! management network, so NI k is `ethk` as on a real node, and the exported scripts run inside unchanged.

use super::{
    DesignPlan, ExportError, FileType, Format, Group, INTERFACE, PALETTE, PORT, Render, WriteResult,
    bundle::slug,
    escape::markup,
    identifiers::Identifiers,
    plugs::Cable,
    uplinks::{End, UplinkEnd},
};
use crate::{design::RackPlace, spec::names::MAX_INTERFACE, text::count};
use std::fmt;

pub(super) const DOT: Format = Format::new(
    Group::Monitoring,
    "dot",
    "Cabling plan for LLDP checkers",
    ("text/vnd.graphviz; charset=utf-8", "dot"),
    Render::Text(dot),
)
.read_by(&["Graphviz 2.43"])
.purpose("cabling plan as Graphviz topology.dot, which cabling checkers compare with LLDP")
.with(&[&INTERFACE, &PORT, &PALETTE]);

fn dot(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    writeln!(out, "// Cabling of {}: one edge per cable.", plan.title())?;
    out.write_str("graph G {\n    rankdir=LR\n    node [shape=record]\n")?;
    dot_nodes(plan, out)?;
    let identifiers = Identifiers::of(plan);
    let mut edge = |[from, to]: [End; 2], switch| {
        write!(out, "    \"{}\":\"{}\" -- \"{}\":\"{}\" ", from.device, from.port, to.device, to.port)?;
        writeln!(out, "[color=\"{}\"]", plan.colour(switch).paint)
    };
    for cable in plan.cables() {
        edge(plan.ends(&identifiers, cable), cable.switch)?;
    }
    if let Some(uplink) = plan.uplink() {
        for &cable in &uplink.cables {
            let ends = uplink.ends(&plan.names, &identifiers, cable);
            edge(ends, uplink.switch_of(cable).number)?;
        }
    }
    Ok(out.write_str("}\n")?)
}

/// Nodes with their ports, so that a drawing has edges end at them.
fn dot_nodes(plan: &DesignPlan, out: &mut dyn fmt::Write) -> WriteResult {
    for pe in 0..plan.pes() {
        let name = plan.pe_name(pe);
        write!(out, "    \"{name}\" [label=\"{name}")?;
        for ni in 0..plan.nis.of(pe).len() as u32 {
            write!(out, "|<{0}>{0}", plan.interface(ni))?;
        }
        out.write_str("\"]\n")?;
    }
    let uplink = plan.uplink();
    let cables = uplink.iter().flat_map(|uplink| &uplink.cables);
    for (switch, members) in (0..).zip(plan.design.switches()).filter(|(switch, _)| !plan.is_cable(*switch)) {
        let name = plan.switch_name(switch);
        write!(out, "    \"{name}\" [label=\"{name}")?;
        let own = cables.clone().filter_map(|cable| match cable.from {
            UplinkEnd::Switch { switch: from, port } if from == switch => Some(port),
            _ if uplink.as_ref().is_some_and(|uplink| uplink.folded == Some(switch)) => Some(cable.port),
            _ => None,
        });
        for port in (1..=members.len() as u32).chain(own) {
            write!(out, "|<{0}>{0}", plan.port_name(port))?;
        }
        out.write_str("\"]\n")?;
    }
    let Some(uplink) = uplink else { return Ok(()) };
    for spare in uplink.spares() {
        let (name, interface) = (plan.names.spare(spare), plan.interface(0));
        writeln!(out, "    \"{name}\" [label=\"{name}|<{interface}>{interface}\"]")?;
    }
    for (at, switch) in (0..).zip(&uplink.switches).filter(|_| uplink.folded.is_none()) {
        write!(out, "    \"{0}\" [label=\"{0}", switch.name)?;
        for cable in uplink.cables_of(at) {
            write!(out, "|<{0}>{0}", plan.port_name(cable.port))?;
        }
        out.write_str("\"]\n")?;
    }
    Ok(())
}

/// Media type and extension of GraphML.
pub(super) const GRAPHML_FILE: FileType = ("application/graphml+xml; charset=utf-8", "graphml");

pub(super) const GRAPHML: Format =
    Format::new(Group::Programs, "graphml", "Graph, GraphML", GRAPHML_FILE, Render::Text(graphml))
        .read_by(&["Crosspoint", "networkx 3.6"])
        .purpose("the wiring as a GraphML graph, for network analysis and drawing programs")
        .of_any_wiring()
        .with(&[&INTERFACE, &PORT, &PALETTE]);

/// Attributes: what they belong to, name, type.
const KEYS: [(&str, &str, &str); 12] = [
    ("graph", "name", "string"),
    ("node", "kind", "string"),
    ("node", "number", "int"),
    ("node", "rack", "string"),
    ("node", "unit", "int"),
    ("node", "ports", "int"),
    ("edge", "ni", "int"),
    ("edge", "port", "int"),
    ("edge", "interface", "string"),
    ("edge", "switchport", "string"),
    ("edge", "colour", "string"),
    ("edge", "length", "double"),
];

fn graphml(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    begin_graphml(&KEYS, &plan.title(), out)?;
    nodes(plan, out)?;
    edges(plan, out)?;
    Ok(end_graphml(out)?)
}

/// The beginning of a GraphML graph with those attributes.
pub(super) fn begin_graphml(
    keys: &[(&str, &str, &str)],
    title: &str,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    out.write_str(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
         xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns \
         http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n",
    )?;
    for (of, name, kind) in keys {
        writeln!(out, "<key id=\"{name}\" for=\"{of}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>")?;
    }
    writeln!(out, "<graph id=\"G\" edgedefault=\"undirected\">")?;
    writeln!(out, "<data key=\"name\">{}</data>", markup(title))
}

/// The end of a GraphML graph.
pub(super) fn end_graphml(out: &mut dyn fmt::Write) -> fmt::Result {
    out.write_str("</graph>\n</graphml>\n")
}

fn nodes(plan: &DesignPlan, out: &mut dyn fmt::Write) -> WriteResult {
    let identifiers = Identifiers::of(plan);
    for pe in 0..plan.pes() {
        write!(out, "<node id=\"{}\"><data key=\"kind\">pe</data>", plan.pe_name(pe))?;
        write!(out, "<data key=\"number\">{pe}</data>")?;
        end_node(identifiers.pe_place(pe), out)?;
    }
    for (switch, ports) in (0..).zip(plan.ports()) {
        write!(out, "<node id=\"{}\"><data key=\"kind\">switch</data>", plan.switch_name(switch))?;
        write!(out, "<data key=\"number\">{switch}</data><data key=\"ports\">{}</data>", ports.all)?;
        end_node(identifiers.switch_place(switch), out)?;
    }
    let Some(uplink) = plan.uplink() else { return Ok(()) };
    for spare in uplink.spares() {
        writeln!(out, "<node id=\"{}\"><data key=\"kind\">spare</data></node>", plan.names.spare(spare))?;
    }
    for switch in uplink.switches.iter().filter(|_| uplink.folded.is_none()) {
        write!(out, "<node id=\"{}\"><data key=\"kind\">uplink</data>", switch.name)?;
        writeln!(out, "<data key=\"ports\">{}</data></node>", switch.ports)?;
    }
    Ok(())
}

fn end_node(place: Option<RackPlace>, out: &mut dyn fmt::Write) -> fmt::Result {
    if let Some(RackPlace { rack, unit }) = place {
        write!(out, "<data key=\"rack\">{rack}</data><data key=\"unit\">{unit}</data>")?;
    }
    out.write_str("</node>\n")
}

fn edges(plan: &DesignPlan, out: &mut dyn fmt::Write) -> WriteResult {
    let identifiers = Identifiers::of(plan);
    for Cable { pe, ni, switch, port, .. } in plan.plugs() {
        let (name, switch_name) = (plan.pe_name(pe), plan.switch_name(switch));
        write!(out, "<edge source=\"{name}\" target=\"{switch_name}\">")?;
        write!(out, "<data key=\"ni\">{ni}</data><data key=\"port\">{port}</data>")?;
        write!(out, "<data key=\"interface\">{}</data>", plan.interface(ni))?;
        write!(out, "<data key=\"switchport\">{}</data>", plan.port_name(port))?;
        write!(out, "<data key=\"colour\">{}</data>", plan.colour(switch).paint)?;
        if let Some(metres) = identifiers.length(pe, switch) {
            write!(out, "<data key=\"length\">{metres:.2}</data>")?;
        }
        out.write_str("</edge>\n")?;
    }
    let Some(uplink) = plan.uplink() else { return Ok(()) };
    for &cable in &uplink.cables {
        let [from, to] = uplink.ends(&plan.names, &identifiers, cable);
        write!(out, "<edge source=\"{}\" target=\"{}\">", from.device, to.device)?;
        write!(out, "<data key=\"port\">{}</data>", cable.port)?;
        write!(out, "<data key=\"interface\">{}</data>", from.port)?;
        write!(out, "<data key=\"switchport\">{}</data>", to.port)?;
        write!(out, "<data key=\"colour\">{}</data>", plan.colour(uplink.switch_of(cable).number).paint)?;
        if let Some(metres) = uplink.length(&identifiers, cable) {
            write!(out, "<data key=\"length\">{metres:.2}</data>")?;
        }
        out.write_str("</edge>\n")?;
    }
    Ok(())
}

pub(super) const CONTAINERLAB: Format = Format::new(
    Group::Labs,
    "containerlab",
    "containerlab",
    ("application/yaml; charset=utf-8", "clab.yml"),
    Render::Text(containerlab),
)
.read_by(&["containerlab's schema 39ff2b7cc"])
.purpose("containerlab topology: nodes as Linux containers, switches as bridges")
.with(&[&INTERFACE]);

/// Has iproute2 and ping.
const IMAGE: &str = "ghcr.io/srl-labs/network-multitool:latest";

fn containerlab(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let (noun, all) = (plan.spec.switch_noun(), plan.design.switch_count());
    let switches: Vec<u32> = (0..all).filter(|&switch| !plan.is_cable(switch)).collect();
    writeln!(out, "# {}: {} nodes, {}.", plan.title(), plan.pes(), count(all.into(), noun))?;
    if !switches.is_empty() {
        out.write_str(
            "#\n# Create the bridges first; containerlab does not remove them:\n\
             #   for sw in $(awk '/kind: bridge/ { print last } { last = $1 }' FILE | tr -d :); do\n\
             #       sudo ip link add $sw type bridge && sudo ip link set $sw up\n\
             #   done\n",
        )?;
    }
    out.write_str("#   sudo containerlab deploy -t FILE\n")?;
    if plan.uplink().is_some() {
        out.write_str("#\n# Uplink switches and their cables are left out: switches are bridges here, which route nothing.\n")?;
    }
    writeln!(
        out,
        "name: {}\n\ntopology:\n  kinds:\n    linux:\n      image: {IMAGE}",
        slug(&plan.spec.name)
    )?;
    out.write_str("      network-mode: none\n  nodes:\n")?;
    for switch in switches {
        writeln!(out, "    {}:\n      kind: bridge", plan.switch_name(switch))?;
    }
    for pe in 0..plan.pes() {
        writeln!(out, "    {}:\n      kind: linux", plan.pe_name(pe))?;
    }
    out.write_str("  links:")?;
    if plan.cable_count() == 0 {
        out.write_str(" []")?;
    }
    out.write_str("\n")?;
    for Cable { pe, ni, switch, port, direct } in plan.cables() {
        if let Some((far, far_ni)) = direct {
            let [near, far] = [(pe, ni), (far, far_ni)]
                .map(|(pe, ni)| format!("\"{}:{}\"", plan.pe_name(pe), plan.interface(ni)));
            writeln!(out, "    - endpoints: [{near}, {far}]")?;
            continue;
        }
        // Ports of all bridges are interfaces of one machine, which names them in at most 15 characters.
        let (name, interface, bridge) = (plan.pe_name(pe), plan.interface(ni), plan.switch_name(switch));
        let end = format!("{bridge}p{port}");
        if end.len() > MAX_INTERFACE {
            let why = format!(
                "switches are bridges here, and {end} has more than the {MAX_INTERFACE} characters of an interface"
            );
            return Err(ExportError::Name { format: "containerlab", name: bridge, why });
        }
        writeln!(out, "    - endpoints: [\"{name}:{interface}\", \"{bridge}:{end}\"]")?;
    }
    Ok(())
}
