//! The cabling plan in Graphviz's language, in the form that cabling checkers compare with LLDP: an edge a cable,
//! `"pe007":"eth2" -- "sw03":"swp5"`. Cumulus' prescriptive topology manager reads it as `/etc/ptm.d/topology.dot`; it knows
//! hosts by name and ports by what LLDP announces.

use super::{Bundle, ExportError, Format, Render, machine};
use std::fmt;

pub(super) const FORMAT: Format = Format {
    name: "dot",
    purpose: "the cabling plan as Graphviz's topology.dot, which cabling checkers compare with LLDP",
    media_type: "text/vnd.graphviz; charset=utf-8",
    extension: "dot",
    per_pe: false,
    settings: &["interface", "port", "palette"],
    render: Render::Text(render),
};

fn render(bundle: &Bundle, _pe: Option<u32>, out: &mut dyn fmt::Write) -> Result<(), ExportError> {
    writeln!(out, "// Cabling of {}: one edge a cable.", bundle.title())?;
    out.write_str("graph G {\n    rankdir=LR\n    node [shape=record]\n")?;
    nodes(bundle, out)?;
    for pe in 0..bundle.pes() {
        let name = bundle.pe_name(pe);
        for (ni, &switch) in bundle.nis.of(pe).iter().enumerate() {
            let (interface, port) = (machine::interface(bundle, ni), bundle.port(switch, pe));
            writeln!(
                out,
                "    \"{name}\":\"{interface}\" -- \"{}\":\"{}\" [color=\"{}\"]",
                bundle.switch_name(switch),
                machine::port(bundle, port),
                machine::colour(bundle, switch).paint,
            )?;
        }
    }
    Ok(out.write_str("}\n")?)
}

/// Nodes with their ports, so that a drawing has edges end at them.
fn nodes(bundle: &Bundle, out: &mut dyn fmt::Write) -> Result<(), ExportError> {
    for pe in 0..bundle.pes() {
        let name = bundle.pe_name(pe);
        write!(out, "    \"{name}\" [label=\"{name}")?;
        for ni in 0..bundle.nis.of(pe).len() {
            write!(out, "|<{0}>{0}", machine::interface(bundle, ni))?;
        }
        out.write_str("\"]\n")?;
    }
    for (switch, members) in (0..).zip(bundle.design.switches()) {
        let name = bundle.switch_name(switch);
        write!(out, "    \"{name}\" [label=\"{name}")?;
        for port in 1..=members.len() {
            write!(out, "|<{0}>{0}", machine::port(bundle, port as u32))?;
        }
        out.write_str("\"]\n")?;
    }
    Ok(())
}
