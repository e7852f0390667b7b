//! The wiring as a GraphML graph: nodes are PEs and switches, edges cables.

use super::{Bundle, ExportError, Format, Render, escape::markup, identifiers::Identifiers, machine};
use std::fmt;

pub(super) const FORMAT: Format = Format {
    name: "graphml",
    purpose: "the wiring as a GraphML graph, for network analysis and drawing programs",
    media_type: "application/graphml+xml; charset=utf-8",
    extension: "graphml",
    per_pe: false,
    settings: &["interface", "port", "palette"],
    render: Render::Text(render),
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

fn render(bundle: &Bundle, _pe: Option<u32>, out: &mut dyn fmt::Write) -> Result<(), ExportError> {
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
    writeln!(out, "<data key=\"name\">{}</data>", markup(&bundle.title()))?;
    nodes(bundle, out)?;
    edges(bundle, out)?;
    Ok(out.write_str("</graph>\n</graphml>\n")?)
}

fn nodes(bundle: &Bundle, out: &mut dyn fmt::Write) -> Result<(), ExportError> {
    let identifiers = Identifiers::of(bundle);
    for pe in 0..bundle.pes() {
        write!(out, "<node id=\"{}\"><data key=\"kind\">pe</data>", bundle.pe_name(pe))?;
        write!(out, "<data key=\"number\">{pe}</data>")?;
        if let Some(place) = identifiers.pe_place(pe) {
            write!(out, "<data key=\"rack\">{}</data><data key=\"unit\">{}</data>", place.rack, place.unit)?;
        }
        out.write_str("</node>\n")?;
    }
    for (switch, ports) in (0..).zip(machine::ports(bundle)) {
        write!(out, "<node id=\"{}\"><data key=\"kind\">switch</data>", bundle.switch_name(switch))?;
        write!(out, "<data key=\"number\">{switch}</data><data key=\"ports\">{}</data>", ports.all)?;
        if let Some(place) = identifiers.switch_place(switch) {
            write!(out, "<data key=\"rack\">{}</data><data key=\"unit\">{}</data>", place.rack, place.unit)?;
        }
        out.write_str("</node>\n")?;
    }
    Ok(())
}

fn edges(bundle: &Bundle, out: &mut dyn fmt::Write) -> Result<(), ExportError> {
    let identifiers = Identifiers::of(bundle);
    for pe in 0..bundle.pes() {
        let name = bundle.pe_name(pe);
        for (ni, &switch) in bundle.nis.of(pe).iter().enumerate() {
            let (interface, port) = (machine::interface(bundle, ni), bundle.port(switch, pe));
            write!(out, "<edge source=\"{name}\" target=\"{}\">", bundle.switch_name(switch))?;
            write!(out, "<data key=\"ni\">{ni}</data><data key=\"port\">{port}</data>")?;
            write!(out, "<data key=\"interface\">{interface}</data>")?;
            write!(out, "<data key=\"switchport\">{}</data>", machine::port(bundle, port))?;
            write!(out, "<data key=\"colour\">{}</data>", machine::colour(bundle, switch).paint)?;
            if let Some(metres) = identifiers.length(pe, switch) {
                write!(out, "<data key=\"length\">{metres:.2}</data>")?;
            }
            out.write_str("</edge>\n")?;
        }
    }
    Ok(())
}
