//! NCCL settings that use all NICs.

use super::{
    DesignPlan, Format, Render, Written,
    openmpi::{flows, most_nis},
};
use std::fmt;

pub(super) const FORMAT: Format = Format {
    settings: &["interface"],
    ..Format::new(
        "nccl",
        "NCCL settings that use all NICs, as /etc/nccl.conf; for multipath, networkd or netplan",
        ("text/plain; charset=utf-8", "conf"),
        Render::Text(render),
    )
};

/// Most sockets that NCCL opens for a connection, and most threads that serve it here.
const MAX_SOCKETS: usize = 64;
const MAX_THREADS: usize = 4;

fn render(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    let nis = most_nis(plan);
    let names: Vec<String> = (0..nis).map(|ni| format!("{}{ni}", plan.settings.interface)).collect();
    let threads = nis.clamp(1, MAX_THREADS);
    let sockets = flows(plan).div_ceil(threads).min(MAX_SOCKETS / threads);
    writeln!(
        out,
        "# NCCL over all NICs of {} ({} nodes), for nodes configured by multipath, networkd or",
        plan.title(),
        plan.pes()
    )?;
    writeln!(
        out,
        "# netplan. Goes to /etc/nccl.conf, or into the environment of a job.\n\n\
         # A PE has one address, on all of its NIs that work. Which of them a packet takes is for the routes to say, whichever of\n\
         # them NCCL finds it on.\n\
         NCCL_SOCKET_IFNAME=={}\n\
         # The switches are Ethernet; without this NCCL may look for InfiniBand first.\n\
         NCCL_NET=Socket\n\
         # Sockets of a connection, {threads} x {sockets}: each is a flow of its own, and the kernel spreads flows over the switches that\n\
         # two PEs share.\n\
         NCCL_SOCKET_NTHREADS={threads}\n\
         NCCL_NSOCKS_PERTHREAD={sockets}\n\
         # NIs of one number are on different switches from PE to PE: there are no rails to keep to.\n\
         NCCL_CROSS_NIC=1",
        names.join(",")
    )?;
    Ok(())
}
