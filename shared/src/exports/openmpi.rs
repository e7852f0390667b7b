//! Open MPI settings that use all NICs, and a hostfile.
//!
//! In forms with one address per node the kernel spreads flows over shared switches. A connection is one flow, so Open MPI opens
//! several, and uses no other network.

use super::{DesignPlan, EachFile, ExportError, FOLDER, Format, Render, Written};
use std::fmt::Write as _;

pub(super) const FORMAT: Format = Format {
    settings: &["network", "avoid", "failed"],
    ..Format::new(
        "openmpi",
        "Open MPI settings that use all NICs, and a hostfile; for multipath, networkd or netplan",
        FOLDER,
        Render::Files(render),
    )
};

fn render(plan: &DesignPlan, _: u32, each: &mut EachFile) -> Written {
    let networks: Vec<String> = plan.pe_addresses()?.networks().iter().map(ToString::to_string).collect();
    let networks = networks.join(",");
    let about = format!(
        "# Open MPI over all NICs of {} ({} nodes), for nodes configured by multipath, networkd or netplan.\n",
        plan.title(),
        plan.pes()
    );
    let links = flows(plan);
    each(
        "openmpi-mca-params.conf",
        &format!(
            "{about}# Copy to etc/ in Open MPI's folder, or to ~/.openmpi/mca-params.conf.\n\n\
             # The networks of the node addresses. Other networks are not used.\n\
             btl_tcp_if_include = {networks}\n\
             # The same for starting processes in versions up to 4; later ones read prte-mca-params.conf.\n\
             oob_tcp_if_include = {networks}\n\
             # Connections between two processes. Each is a flow, and the kernel spreads flows over the shared switches\n\
             # of two nodes.\n\
             btl_tcp_links = {links}\n"
        ),
    )?;
    each(
        "prte-mca-params.conf",
        &format!(
            "{about}# For Open MPI 5 and later: copy to etc/ in its folder, or to ~/.prte/mca-params.conf.\n\n\
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
        "# Node names as in the export `names`. Add `slots=N` after a name to start N processes there.\n",
    );
    let faults = plan.faults()?;
    for pe in (0..plan.pes()).filter(|&pe| !faults.is_dead(pe)) {
        writeln!(text, "{}", plan.pe_name(pe))?;
    }
    Ok(text)
}
