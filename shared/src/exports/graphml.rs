//! The wiring as a GraphML graph: nodes are PEs and switches, edges cables.

use super::{DesignPlan, Format, Render, Written, escape::markup, identifiers::Identifiers, machine};
use std::fmt;

pub(super) const FORMAT: Format = Format {
    settings: &["interface", "port", "palette"],
    ..Format::new(
        "graphml",
        "the wiring as a GraphML graph, for network analysis and drawing programs",
        ("application/graphml+xml; charset=utf-8", "graphml"),
        Render::Text(render),
    )
};

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

fn render(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    out.write_str(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
         xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns \
         http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n",
    )?;
    for (of, name, kind) in KEYS {
        writeln!(out, "<key id=\"{name}\" for=\"{of}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>")?;
    }
    writeln!(out, "<graph id=\"G\" edgedefault=\"undirected\">")?;
    writeln!(out, "<data key=\"name\">{}</data>", markup(&plan.title()))?;
    nodes(plan, out)?;
    edges(plan, out)?;
    Ok(out.write_str("</graph>\n</graphml>\n")?)
}

fn nodes(plan: &DesignPlan, out: &mut dyn fmt::Write) -> Written {
    let identifiers = Identifiers::of(plan);
    for pe in 0..plan.pes() {
        write!(out, "<node id=\"{}\"><data key=\"kind\">pe</data>", plan.pe_name(pe))?;
        write!(out, "<data key=\"number\">{pe}</data>")?;
        if let Some(place) = identifiers.pe_place(pe) {
            write!(out, "<data key=\"rack\">{}</data><data key=\"unit\">{}</data>", place.rack, place.unit)?;
        }
        out.write_str("</node>\n")?;
    }
    for (switch, ports) in (0..).zip(machine::ports(plan)) {
        write!(out, "<node id=\"{}\"><data key=\"kind\">switch</data>", plan.switch_name(switch))?;
        write!(out, "<data key=\"number\">{switch}</data><data key=\"ports\">{}</data>", ports.all)?;
        if let Some(place) = identifiers.switch_place(switch) {
            write!(out, "<data key=\"rack\">{}</data><data key=\"unit\">{}</data>", place.rack, place.unit)?;
        }
        out.write_str("</node>\n")?;
    }
    Ok(())
}

fn edges(plan: &DesignPlan, out: &mut dyn fmt::Write) -> Written {
    let identifiers = Identifiers::of(plan);
    for pe in 0..plan.pes() {
        let name = plan.pe_name(pe);
        for (ni, &switch) in plan.nis.of(pe).iter().enumerate() {
            let (interface, port) = (machine::interface(plan, ni), plan.port(switch, pe));
            write!(out, "<edge source=\"{name}\" target=\"{}\">", plan.switch_name(switch))?;
            write!(out, "<data key=\"ni\">{ni}</data><data key=\"port\">{port}</data>")?;
            write!(out, "<data key=\"interface\">{interface}</data>")?;
            write!(out, "<data key=\"switchport\">{}</data>", machine::port(plan, port))?;
            write!(out, "<data key=\"colour\">{}</data>", machine::colour(plan, switch).paint)?;
            if let Some(metres) = identifiers.length(pe, switch) {
                write!(out, "<data key=\"length\">{metres:.2}</data>")?;
            }
            out.write_str("</edge>\n")?;
        }
    }
    Ok(())
}
