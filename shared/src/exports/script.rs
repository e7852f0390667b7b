//! A shell script for each PE that sets up its NIs and one permanent neighbour entry for each route.
//!
//! The program is the same everywhere (`script/body.sh`); in front of it stand this PE's name, its NIs and its
//! neighbours as data. Neighbours are set along the basic routing (LCPC paper, section 3.2) with computed MAC
//! addresses, so that no PE ever broadcasts to find another.

use super::{Bundle, ExportError, Format, Render, address::mac};
use std::fmt;

pub(super) const FORMAT: Format = Format {
    name: "script",
    purpose: "a shell script for each PE: addresses and a permanent neighbour entry for each route; its undo takes them back",
    media_type: "text/x-shellscript; charset=utf-8",
    extension: "sh",
    per_pe: true,
    settings: &["dead"],
    render: Render::Text(render),
};

const BODY: &str = include_str!("script/body.sh");

fn render(bundle: &Bundle, pe: Option<u32>, out: &mut dyn fmt::Write) -> Result<(), ExportError> {
    let pe = pe.unwrap_or(0);
    let (routes, addresses) = (bundle.routes()?, bundle.addresses()?);
    let switches = bundle.nis.of(pe);
    let host = bundle.pe_name(pe);
    writeln!(out, "#!/bin/sh\n# Network of {host} in {} ({} PEs).", bundle.title(), bundle.pes())?;
    writeln!(out, "# Addresses: {}.", addresses.describe())?;
    let left_out = bundle.left_out_of(pe);
    if !left_out.is_empty() {
        writeln!(out, "# Requested, and not served by this wiring: {}.", left_out.join(" "))?;
    }
    let list: Vec<String> = (0..switches.len()).map(|ni| ni.to_string()).collect();
    writeln!(out, "\nHOST={host}\nNIS='{}'\nNEIGHBOURS={}", list.join(" "), routes.neighbours(pe).len())?;
    for ni in 0..switches.len() {
        writeln!(out, ": \"${{CROSSPOINT_NI{ni}:=eth{ni}}}\"")?;
    }
    out.write_str("\n# NI, address, MAC address.\nnis() {\n    cat <<'END'\n")?;
    for (ni, &switch) in (0u32..).zip(switches) {
        let address = addresses.address(switch, pe, bundle.port(switch, pe));
        writeln!(out, "{ni} {address}/{} {}", addresses.prefix(switch), mac(pe, ni))?;
    }
    out.write_str("END\n}\n\n# Own NI, address and MAC address of each PE with a path from here.\nneighbours() {\n    cat <<'END'\n")?;
    for (other, switch) in routes.neighbours(pe) {
        let own = position(switches, switch);
        let address = addresses.address(switch, other, bundle.port(switch, other));
        writeln!(out, "{own} {address} {}", mac(other, position(bundle.nis.of(other), switch)))?;
    }
    out.write_str("END\n}\n\n")?;
    Ok(out.write_str(BODY)?)
}

/// The NI that is on a switch.
fn position(switches: &[u32], switch: u32) -> u32 {
    switches.partition_point(|&s| s < switch) as u32
}
