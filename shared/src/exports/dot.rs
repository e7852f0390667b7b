//! The cabling plan in Graphviz's language, one edge per cable: `"pe007":"eth2" -- "sw03":"swp5"`. Cumulus' prescriptive topology
//! manager reads it as `/etc/ptm.d/topology.dot` and compares it with LLDP.

use super::{DesignPlan, Format, Render, Written, machine};
use std::fmt;

pub(super) const FORMAT: Format = Format {
    settings: &["interface", "port", "palette"],
    ..Format::new(
        "dot",
        "cabling plan as Graphviz topology.dot, which cabling checkers compare with LLDP",
        ("text/vnd.graphviz; charset=utf-8", "dot"),
        Render::Text(render),
    )
};

fn render(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    writeln!(out, "// Cabling of {}: one edge per cable.", plan.title())?;
    out.write_str("graph G {\n    rankdir=LR\n    node [shape=record]\n")?;
    nodes(plan, out)?;
    for pe in 0..plan.pes() {
        let name = plan.pe_name(pe);
        for (ni, &switch) in plan.nis.of(pe).iter().enumerate() {
            let (interface, port) = (machine::interface(plan, ni), plan.port(switch, pe));
            writeln!(
                out,
                "    \"{name}\":\"{interface}\" -- \"{}\":\"{}\" [color=\"{}\"]",
                plan.switch_name(switch),
                machine::port(plan, port),
                machine::colour(plan, switch).paint,
            )?;
        }
    }
    Ok(out.write_str("}\n")?)
}

/// Nodes with their ports, so that a drawing has edges end at them.
fn nodes(plan: &DesignPlan, out: &mut dyn fmt::Write) -> Written {
    for pe in 0..plan.pes() {
        let name = plan.pe_name(pe);
        write!(out, "    \"{name}\" [label=\"{name}")?;
        for ni in 0..plan.nis.of(pe).len() {
            write!(out, "|<{0}>{0}", machine::interface(plan, ni))?;
        }
        out.write_str("\"]\n")?;
    }
    for (switch, members) in (0..).zip(plan.design.switches()) {
        let name = plan.switch_name(switch);
        write!(out, "    \"{name}\" [label=\"{name}")?;
        for port in 1..=members.len() {
            write!(out, "|<{0}>{0}", machine::port(plan, port as u32))?;
        }
        out.write_str("\"]\n")?;
    }
    Ok(())
}
