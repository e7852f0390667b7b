//! The parts that all shell scripts share: the data in front, and the body that reads it.

use crate::exports::{DesignPlan, Written, address::mac};
use std::fmt;

/// The program: what is set beside addresses and neighbours stands in front of it. It ends as all scripts do that apply, undo
/// and check.
pub(in crate::exports) const BODY: &str = concat!(include_str!("body.sh"), "\n", include_str!("tail.sh"));

/// Writes who the script is for, and what is to be known of it before it runs.
pub(in crate::exports) fn begin(
    plan: &DesignPlan,
    pe: u32,
    addresses: &str,
    out: &mut dyn fmt::Write,
) -> Written {
    let host = plan.pe_name(pe);
    writeln!(out, "#!/bin/sh\n# Network of {host} in {} ({} PEs).", plan.title(), plan.pes())?;
    writeln!(out, "# Addresses: {addresses}.")?;
    if !plan.settings.dead.is_empty() {
        writeln!(out, "# Dead, and routed around: {}.", plan.settings.dead)?;
    }
    let left_out = plan.left_out_of(pe);
    if !left_out.is_empty() {
        writeln!(out, "# Requested, and not served by this wiring: {}.", left_out.join(" "))?;
    }
    writeln!(out, "\nHOST={host}")?;
    Ok(())
}

/// Writes the variables that every script has, and its NIs, each with an address or none.
pub(in crate::exports) fn nis(
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
    lines("# NI, address, MAC address.", "nis", out, |out| {
        for (ni, address) in nis {
            writeln!(out, "{ni} {} {}", address.as_deref().unwrap_or("-"), mac(pe, *ni))?;
        }
        Ok(())
    })
}

/// Writes a function of the script that prints lines.
pub(in crate::exports) fn lines(
    comment: &str,
    name: &str,
    out: &mut dyn fmt::Write,
    each: impl FnOnce(&mut dyn fmt::Write) -> Written,
) -> Written {
    write!(out, "\n{comment}\n{name}() {{\n    cat <<'END'\n")?;
    each(out)?;
    Ok(out.write_str("END\n}\n")?)
}
