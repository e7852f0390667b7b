//! A shell script for each PE that preloads its neighbour table, with one address a PE (dissertation, section 5.1.2).
//!
//! Every other PE is a permanent neighbour on the NI that its basic route leaves by. One that shares no switch has the MAC
//! address of the next PE on the way to it (section 5.1.4), which hands packets on. The program is that of `multipath`.

use super::{
    Bundle, ExportError, Format, Render,
    address::mac,
    multipath::{MULTIPATH, SETTINGS},
    script::shell,
};
use crate::analysis::routing::preload;
use std::fmt;

pub(super) const FORMAT: Format = Format {
    name: "preload",
    purpose: "a shell script for each PE: one address a PE and one path a pair, by permanent neighbour entries; its undo takes them back",
    media_type: "text/x-shellscript; charset=utf-8",
    extension: "sh",
    per_pe: true,
    settings: &SETTINGS,
    render: Render::Text(render),
};

fn render(bundle: &Bundle, pe: Option<u32>, out: &mut dyn fmt::Write) -> Result<(), ExportError> {
    let pe = pe.unwrap_or(0);
    let (ways, addresses) = (bundle.ways(pe)?, bundle.pe_addresses()?);
    let entries = preload(bundle.routes()?, ways.through, pe);
    shell::begin(bundle, pe, &addresses.describe(), out)?;
    let own = addresses.of(pe);
    writeln!(out, "ADDRESS={own}\nFORWARD={}", u8::from(ways.forwards))?;
    // Programs that look for the network by its interfaces find the address on the first NI, too.
    let nis: Vec<_> =
        ways.nis.iter().zip(0..).map(|(&(ni, _), at)| (ni, (at == 0).then(|| format!("{own}/32")))).collect();
    shell::nis(bundle, pe, entries.len(), &nis, out)?;
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
