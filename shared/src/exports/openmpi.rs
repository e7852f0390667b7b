//! Settings of Open MPI that let processes use all NIs of their PEs, and a hostfile.
//!
//! In the forms with one address a PE, the kernel spreads flows over the switches that two PEs share. One connection is one
//! flow, so that Open MPI is told to open several; and to look at no other network of the machines.

use super::{Bundle, EachFile, ExportError, Format, Network, Render};
use std::fmt::Write as _;

pub(super) const FORMAT: Format = Format {
    name: "openmpi",
    purpose: "Open MPI settings that use all NIs, and a hostfile: beside multipath, networkd or netplan",
    media_type: "application/x-tar",
    extension: "tar",
    per_pe: false,
    settings: &["network", "avoid", "dead"],
    render: Render::Files(render),
};

fn render(bundle: &Bundle, _pe: Option<u32>, each: &mut EachFile) -> Result<(), ExportError> {
    let networks: Vec<String> = bundle.pe_addresses()?.networks().iter().map(Network::to_string).collect();
    let networks = networks.join(",");
    let about = format!(
        "# Open MPI over all NIs of {} ({} PEs): for PEs that are set up by multipath, networkd or netplan.\n",
        bundle.title(),
        bundle.pes()
    );
    let links = flows(bundle);
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
    each("hostfile", &hostfile(bundle)?)
}

/// Flows between two processes: twice as many as a PE has NIs, since hashes fill no paths evenly.
pub(super) fn flows(bundle: &Bundle) -> usize {
    match most_nis(bundle) {
        0 | 1 => 1,
        nis => 2 * nis,
    }
}

/// NIs of the PE that has the most.
pub(super) fn most_nis(bundle: &Bundle) -> usize {
    (0..bundle.pes()).map(|pe| bundle.nis.of(pe).len()).max().unwrap_or(0)
}

fn hostfile(bundle: &Bundle) -> Result<String, ExportError> {
    let mut text = String::from(
        "# PEs by the names of the export `names`. `slots=N` after a name starts N processes there.\n",
    );
    let faults = bundle.faults()?;
    for pe in (0..bundle.pes()).filter(|&pe| !faults.is_dead(pe)) {
        writeln!(text, "{}", bundle.pe_name(pe))?;
    }
    Ok(text)
}
