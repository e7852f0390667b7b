//! Settings of Open MPI that let processes use all NIs of their PEs, and a hostfile.
//!
//! In the forms with one address a PE, the kernel spreads flows over the switches that two PEs share. One connection is one
//! flow, so that Open MPI is told to open several; and to look at no other network of the machines.

use super::{DesignPlan, EachFile, ExportError, FOLDER, Format, Render, Written};
use std::fmt::Write as _;

pub(super) const FORMAT: Format = Format {
    settings: &["network", "avoid", "failed"],
    ..Format::new(
        "openmpi",
        "Open MPI settings that use all NIs, and a hostfile: beside multipath, networkd or netplan",
        FOLDER,
        Render::Files(render),
    )
};

fn render(plan: &DesignPlan, _: u32, each: &mut EachFile) -> Written {
    let networks: Vec<String> = plan.pe_addresses()?.networks().iter().map(ToString::to_string).collect();
    let networks = networks.join(",");
    let about = format!(
        "# Open MPI over all NIs of {} ({} PEs): for PEs that are set up by multipath, networkd or netplan.\n",
        plan.title(),
        plan.pes()
    );
    let links = flows(plan);
    each(
        "openmpi-mca-params.conf",
        &format!(
            "{about}# Goes to etc/ of Open MPI's folder, or to ~/.openmpi/mca-params.conf.\n\n\
             # The networks of the PEs' addresses. Other networks of the machines are not used.\n\
             btl_tcp_if_include = {networks}\n\
             # The same for the messages by which versions up to 4 start processes; prte-mca-params.conf says it to later ones.\n\
             oob_tcp_if_include = {networks}\n\
             # Connections between two processes. Each is a flow of its own, and the kernel spreads flows over the switches\n\
             # that two PEs share.\n\
             btl_tcp_links = {links}\n"
        ),
    )?;
    each(
        "prte-mca-params.conf",
        &format!(
            "{about}# For Open MPI 5 and later: goes to etc/ of its folder, or to ~/.prte/mca-params.conf.\n\n\
             prte_if_include = {networks}\n"
        ),
    )?;
    each("hostfile", &hostfile(plan)?)
}

/// Flows between two processes: twice as many as a PE has NIs, since hashes fill no paths evenly.
pub(super) fn flows(plan: &DesignPlan) -> usize {
    match most_nis(plan) {
        0 | 1 => 1,
        nis => 2 * nis,
    }
}

/// NIs of the PE that has the most.
pub(super) fn most_nis(plan: &DesignPlan) -> usize {
    (0..plan.pes()).map(|pe| plan.nis.of(pe).len()).max().unwrap_or(0)
}

fn hostfile(plan: &DesignPlan) -> Result<String, ExportError> {
    let mut text = String::from(
        "# PEs by the names of the export `names`. `slots=N` after a name starts N processes there.\n",
    );
    let faults = plan.faults()?;
    for pe in (0..plan.pes()).filter(|&pe| !faults.is_dead(pe)) {
        writeln!(text, "{}", plan.pe_name(pe))?;
    }
    Ok(text)
}
