//! A shell script per node that sets up its NICs and a permanent neighbour entry for each route.
//!
//! The program (`assets/script.sh`) is the same everywhere; the node's name, NICs and neighbours come before it as data. Neighbours
//! follow the basic routing (LCPC paper, section 3.2) with computed MAC addresses, so no node broadcasts to find another.

use super::{DesignPlan, Each, Format, Render, SCRIPT, Written, address::mac};
use crate::analysis::routing::per_ni;
use std::fmt;

pub(super) const FORMAT: Format = Format {
    each: Each::Node,
    settings: &["network", "avoid", "interface", "failed"],
    ..Format::new(
        "script",
        "shell script per node: addresses and a permanent neighbour entry for each route; undo removes them",
        SCRIPT,
        Render::Text(render),
    )
};

const NEIGHBOURS: &str = include_str!("assets/neighbours.sh");

fn render(plan: &DesignPlan, pe: u32, out: &mut dyn fmt::Write) -> Written {
    let (routes, addresses) = (plan.routes()?, plan.addresses()?);
    let address = |switch, pe| addresses.address(switch, pe, plan.port(switch, pe));
    begin(plan, pe, &addresses.describe(), out)?;
    let known = per_ni(routes, pe);
    let own = known.interfaces.iter();
    let nis: Vec<_> = own
        .map(|&(ni, switch)| (ni, Some(format!("{}/{}", address(switch, pe), addresses.prefix(switch)))))
        .collect();
    interfaces(plan, pe, known.hosts.len(), &nis, out)?;
    let comment = "# Own NIC, address and MAC address of each node with a path from here.";
    lines(comment, "neighbours", out, |out| {
        for (other, path) in &known.hosts {
            writeln!(out, "{} {} {}", path.ni, address(path.switch, *other), mac(*other, path.other_ni))?;
        }
        Ok(())
    })?;
    Ok(write!(out, "\n{NEIGHBOURS}\n{}", BODY)?)
}

/// The program: what is set beside addresses and neighbours stands in front of it. It ends as all scripts do that apply, undo
/// and check.
pub(super) const BODY: &str = concat!(include_str!("assets/script.sh"), "\n", include_str!("assets/tail.sh"));

/// Writes who the script is for, and what is to be known of it before it runs.
pub(super) fn begin(plan: &DesignPlan, pe: u32, addresses: &str, out: &mut dyn fmt::Write) -> Written {
    let host = plan.pe_name(pe);
    writeln!(out, "#!/bin/sh\n# Network of {host} in {} ({} nodes).", plan.title(), plan.pes())?;
    writeln!(out, "# Addresses: {addresses}.")?;
    if !plan.settings.dead.is_empty() {
        writeln!(out, "# Failed, routed around: {}.", plan.settings.dead)?;
    }
    let left_out = plan.left_out_of(pe);
    if !left_out.is_empty() {
        writeln!(out, "# Requested but not covered by this wiring: {}.", left_out.join(" "))?;
    }
    writeln!(out, "\nHOST={host}")?;
    Ok(())
}

/// Writes the variables that every script has, and its NIs, each with an address or none.
pub(super) fn interfaces(
    plan: &DesignPlan,
    pe: u32,
    neighbours: usize,
    nis: &[(u32, Option<String>)],
    out: &mut dyn fmt::Write,
) -> Written {
    let list: Vec<String> = nis.iter().map(|(ni, _)| ni.to_string()).collect();
    writeln!(out, "NIS='{}'\nNEIGHBOURS={neighbours}", list.join(" "))?;
    for (ni, _) in nis {
        writeln!(out, ": \"${{CROSSPOINT_NI{ni}:={}{ni}}}\"", plan.settings.interface)?;
    }
    lines("# NIC, address, MAC address.", "nis", out, |out| {
        for (ni, address) in nis {
            writeln!(out, "{ni} {} {}", address.as_deref().unwrap_or("-"), mac(pe, *ni))?;
        }
        Ok(())
    })
}

/// Writes a function of the script that prints lines.
pub(super) fn lines(
    comment: &str,
    name: &str,
    out: &mut dyn fmt::Write,
    each: impl FnOnce(&mut dyn fmt::Write) -> Written,
) -> Written {
    write!(out, "\n{comment}\n{name}() {{\n    cat <<'END'\n")?;
    each(out)?;
    Ok(out.write_str("END\n}\n")?)
}
