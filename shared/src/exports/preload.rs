//! A shell script for each PE that preloads its neighbour table, with one address a PE (dissertation, section 5.1.2).
//!
//! Every other PE is a permanent neighbour on the NI that its basic route leaves by. One that shares no switch has the MAC
//! address of the next PE on the way to it (section 5.1.4), which hands packets on. The program is that of `multipath`.

use super::{
    DesignPlan, Each, Format, Render, SCRIPT, Written,
    address::mac,
    multipath::{MULTIPATH, SETTINGS},
    script::shell,
};
use crate::analysis::routing::preload;
use std::fmt;

pub(super) const FORMAT: Format = Format {
    each: Each::Node,
    settings: &SETTINGS,
    ..Format::new(
        "preload",
        "a shell script for each PE: one address a PE and one path a pair, by permanent neighbour entries; its undo takes them back",
        SCRIPT,
        Render::Text(render),
    )
};

fn render(plan: &DesignPlan, pe: u32, out: &mut dyn fmt::Write) -> Written {
    let (ways, addresses) = (plan.ways(pe)?, plan.pe_addresses()?);
    let entries = preload(plan.routes()?, ways.through, pe);
    shell::begin(plan, pe, &addresses.describe(), out)?;
    let own = addresses.of(pe);
    writeln!(out, "ADDRESS={own}\nFORWARD={}", u8::from(ways.forwards))?;
    // Every NI has the address, too. One without any address drops what comes in from PEs that it has no route back to, even
    // where `rp_filter` is loose, and the two directions of a pair may go through different PEs.
    let nis: Vec<_> = ways.nis.iter().map(|&(ni, _)| (ni, Some(format!("{own}/32")))).collect();
    shell::nis(plan, pe, entries.len(), &nis, out)?;
    let comment = "# Own NI, address of each PE that is reached, MAC address that it is sent to: its own, or the next PE's.";
    shell::lines(comment, "neighbours", out, |out| {
        for entry in &entries {
            let to = mac(entry.next, entry.path.other_ni);
            writeln!(out, "{} {} {to}", entry.path.ni, addresses.of(entry.dest))?;
        }
        Ok(())
    })?;
    shell::lines("# Address of each of them, and the own NI.", "routes", out, |out| {
        for entry in &entries {
            writeln!(out, "{} {}", addresses.of(entry.dest), entry.path.ni)?;
        }
        Ok(())
    })?;
    Ok(write!(out, "\n{MULTIPATH}\n{}", shell::BODY)?)
}
