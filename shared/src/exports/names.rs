//! One hosts file for all PEs, for the forms in which each PE has one address.

use super::{DesignPlan, Format, HOSTS, Render, Written};
use std::fmt;

pub(super) const FORMAT: Format = Format {
    settings: &["network", "avoid"],
    ..Format::new(
        "names",
        "one hosts file for all PEs, each at its one address: for multipath, networkd and netplan",
        HOSTS,
        Render::Text(render),
    )
};

fn render(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    let addresses = plan.pe_addresses()?;
    writeln!(out, "# PEs of {} ({} PEs)", plan.title(), plan.pes())?;
    writeln!(out, "# Addresses: {}", addresses.describe())?;
    for pe in 0..plan.pes() {
        writeln!(out, "{} {}", addresses.of(pe), plan.pe_name(pe))?;
    }
    Ok(())
}
