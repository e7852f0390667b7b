//! One hosts file for all PEs, for the forms in which each PE has one address.

use super::{Bundle, ExportError, Format, Render};
use std::fmt;

pub(super) const FORMAT: Format = Format {
    name: "names",
    purpose: "one hosts file for all PEs, each at its one address: for multipath, networkd and netplan",
    media_type: "text/plain; charset=utf-8",
    extension: "hosts",
    per_pe: false,
    settings: &["network", "avoid"],
    render: Render::Text(render),
};

fn render(bundle: &Bundle, _pe: Option<u32>, out: &mut dyn fmt::Write) -> Result<(), ExportError> {
    let addresses = bundle.pe_addresses()?;
    writeln!(out, "# PEs of {} ({} PEs)", bundle.title(), bundle.pes())?;
    writeln!(out, "# Addresses: {}", addresses.describe())?;
    for pe in 0..bundle.pes() {
        writeln!(out, "{} {}", addresses.of(pe), bundle.pe_name(pe))?;
    }
    Ok(())
}
