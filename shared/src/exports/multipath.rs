//! Shell scripts for forms with one address per node.
//!
//! The dissertation's link-layer routing (section 5.1.3) alternates between paths in a kernel module. Today's kernels need none: the
//! other nodes are permanent neighbours on every NIC that shares a switch with them, and a route to each spreads flows over these
//! NICs. Nodes without a shared switch are reached through others (section 5.1.4).
//!
//! `preload` has one path per pair (section 5.1.2). A node without a shared switch gets the MAC address of the next node on the way.

use super::{
    DesignPlan, Each, Format, Render, SCRIPT, Written,
    address::mac,
    script::{BODY, begin, interfaces, lines},
    ways::Ways,
};
use crate::{analysis::routing, design::Path};
use std::fmt;

/// Settings of forms with one address per PE.
pub(super) const SETTINGS: [&str; 5] = ["network", "avoid", "interface", "failed", "through"];

pub(super) const FORMAT: Format = Format {
    each: Each::Node,
    settings: &SETTINGS,
    ..Format::new(
        "multipath",
        "shell script per node: one address per node, routes over all shared switches at once and through other nodes; undo removes them",
        SCRIPT,
        Render::Text(render),
    )
};

pub(super) const MULTIPATH: &str = include_str!("assets/multipath.sh");

fn render(plan: &DesignPlan, pe: u32, out: &mut dyn fmt::Write) -> Written {
    let (ways, addresses) = (plan.ways(pe)?, plan.pe_addresses()?);
    begin(plan, pe, &addresses.describe(), out)?;
    let own = addresses.of(pe);
    writeln!(out, "ADDRESS={own}\nFORWARD={}", u8::from(ways.forwards))?;
    // Every NI has the address, too. One without any address drops what comes in from PEs that it has no route back to, even
    // where `rp_filter` is loose, and the two directions of a pair may go through different PEs.
    let nis: Vec<_> = ways.nis.iter().map(|&(ni, _)| (ni, Some(format!("{own}/32")))).collect();
    interfaces(plan, pe, ways.entries(), &nis, out)?;
    let comment = "# Own NIC, address and MAC address of each node, once per shared switch.";
    lines(comment, "neighbours", out, |out| {
        for neighbour in &ways.neighbours {
            let address = addresses.of(neighbour.pe);
            for path in &neighbour.paths {
                writeln!(out, "{} {address} {}", path.ni, mac(neighbour.pe, path.other_ni))?;
            }
        }
        Ok(())
    })?;
    let comment = "# Address of each reachable node, with the own NICs; `via` the address of the next node if others are on the path.";
    lines(comment, "routes", out, |out| routes(plan, &ways, out))?;
    Ok(write!(out, "\n{MULTIPATH}\n{}", BODY)?)
}

fn routes(plan: &DesignPlan, ways: &Ways, out: &mut dyn fmt::Write) -> Written {
    let addresses = plan.pe_addresses()?;
    for neighbour in &ways.neighbours {
        write!(out, "{}", addresses.of(neighbour.pe))?;
        over(&neighbour.paths, out)?;
    }
    for &(dest, next) in &ways.through {
        write!(out, "{} via {}", addresses.of(dest), addresses.of(next))?;
        over(ways.paths(next), out)?;
    }
    Ok(())
}

fn over(paths: &[Path], out: &mut dyn fmt::Write) -> fmt::Result {
    paths.iter().try_for_each(|path| write!(out, " {}", path.ni))?;
    out.write_char('\n')
}

pub(super) const PRELOAD: Format = Format {
    each: Each::Node,
    settings: &SETTINGS,
    ..Format::new(
        "preload",
        "shell script per node: one address per node and one path per pair, as permanent neighbour entries; undo removes them",
        SCRIPT,
        Render::Text(preload),
    )
};

fn preload(plan: &DesignPlan, pe: u32, out: &mut dyn fmt::Write) -> Written {
    let (ways, addresses) = (plan.ways(pe)?, plan.pe_addresses()?);
    let entries = routing::preload(plan.routes()?, ways.through, pe);
    begin(plan, pe, &addresses.describe(), out)?;
    let own = addresses.of(pe);
    writeln!(out, "ADDRESS={own}\nFORWARD={}", u8::from(ways.forwards))?;
    // Every NI has the address, too. One without any address drops what comes in from PEs that it has no route back to, even
    // where `rp_filter` is loose, and the two directions of a pair may go through different PEs.
    let nis: Vec<_> = ways.nis.iter().map(|&(ni, _)| (ni, Some(format!("{own}/32")))).collect();
    interfaces(plan, pe, entries.len(), &nis, out)?;
    let comment = "# Own NIC, address of each reachable node, MAC address to send to: its own, or that of the next node.";
    lines(comment, "neighbours", out, |out| {
        for entry in &entries {
            let to = mac(entry.next, entry.path.other_ni);
            writeln!(out, "{} {} {to}", entry.path.ni, addresses.of(entry.dest))?;
        }
        Ok(())
    })?;
    lines("# Address of each reachable node, and the own NIC.", "routes", out, |out| {
        for entry in &entries {
            writeln!(out, "{} {}", addresses.of(entry.dest), entry.path.ni)?;
        }
        Ok(())
    })?;
    Ok(write!(out, "\n{MULTIPATH}\n{}", BODY)?)
}
