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

/// Max sockets that NCCL opens for a connection, and max threads that serve it here.
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
        "# netplan. Copy to /etc/nccl.conf, or set these in the environment of a job.\n\n\
         # A node has one address, on all of its working NICs. The routes choose the NIC of each packet, no matter which one\n\
         # NCCL finds the address on.\n\
         NCCL_SOCKET_IFNAME=={}\n\
         # The switches are Ethernet; without this NCCL may look for InfiniBand first.\n\
         NCCL_NET=Socket\n\
         # Sockets per connection, {threads} x {sockets}. Each is a separate flow; the kernel spreads flows over the switches that\n\
         # two nodes share.\n\
         NCCL_SOCKET_NTHREADS={threads}\n\
         NCCL_NSOCKS_PERTHREAD={sockets}\n\
         # There are no rails: NICs with the same number are on different switches.\n\
         NCCL_CROSS_NIC=1",
        names.join(",")
    )?;
    Ok(())
}
