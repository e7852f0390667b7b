//! Shell scripts per node that set up its NICs. Their program (`assets/script.sh`) is the same everywhere; the node's name, NICs,
//! neighbours and routes come before it as data. MAC addresses are computed, so no node broadcasts to find another.
//!
//! `script` has a permanent neighbour for each basic route (Dietz and Mattox 2000, section 3.2), and an address per NIC. The
//! others have one address per node, and reach nodes without a shared switch through others (Mattox 2006, section 5.1.4).
//!
//! `multipath`: link-layer routing (Mattox 2006, section 5.1.3) alternates between paths in a kernel module. Today's kernels
//! need none: the other nodes are permanent neighbours on every NIC that shares a switch with them, and a route to each spreads
//! flows over these NICs.
//!
//! `preload` has one path per pair (section 5.1.2). A node without a shared switch gets the MAC address of the next node on the way.

use super::{
    AVOID, DesignPlan, ExportError, FAILED, FileScope, Format, Group, INTERFACE, NETWORK, Render, SCRIPT,
    Setting, WriteResult,
    address::{Mac, mac},
    ways::{THROUGH, UplinkRoutes, Ways},
};
use crate::{
    analysis::routing::{self, per_ni},
    design::Path,
};
use std::fmt;

pub(super) const NEIGHBOURS: Format = Format::new(
    Group::Nodes,
    "script",
    "Script with one address per NIC",
    SCRIPT,
    Render::Text(basic),
)
.read_by(&["iproute2 6.1", "ShellCheck 0.9"])
.purpose("shell script per node: addresses and a permanent neighbour entry for each route; undo removes them")
.per(FileScope::Node)
.with(&[&NETWORK, &AVOID, &INTERFACE, &FAILED]);

const BASIC: &str = include_str!("assets/neighbours.sh");
/// Functions for routes of a form whose subnets bring them.
const SUBNETS: &str = include_str!("assets/subnets.sh");
/// Functions for routes with gateways.
const GATEWAYS: &str = include_str!("assets/gateways.sh");

fn basic(plan: &DesignPlan, pe: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let (routes, addresses) = (plan.routes()?, plan.addresses()?);
    let address = |switch, pe| addresses.address(switch, pe, plan.port(switch, pe));
    begin(plan, pe, &addresses.describe(), out)?;
    let known = per_ni(routes, pe);
    let own = known.interfaces.iter().map(|&(ni, switch)| ScriptNi {
        name: ni.to_string(),
        interface: plan.interface(ni),
        address: format!("{}/{}", address(switch, pe), addresses.prefix(switch)),
        mac: mac(pe, ni),
    });
    let own: Vec<ScriptNi> = own.collect();
    interfaces((own.len(), known.hosts.len()), &own, out)?;
    let comment = "# Own NIC, address and MAC address of each node with a path from here.";
    lines(comment, "neighbours", out, |out| {
        for (other, path) in &known.hosts {
            writeln!(out, "{} {} {}", path.ni, address(path.switch, *other), mac(*other, path.other_ni))?;
        }
        Ok(())
    })?;
    if plan.spec.uplink.is_none() {
        return Ok(write!(out, "\n{BASIC}{SUBNETS}\n{BODY}")?);
    }
    out.write_str(
        "\n# Several addresses: packets have the address of the NIC that they leave by.\nADDRESS=\n",
    )?;
    let comment = "# Networks behind uplink switches, with each NIC and the gateway of its switch.";
    lines(comment, "routes", out, |out| uplinked(&plan.uplinked(pe)?, out))?;
    Ok(write!(out, "\n{BASIC}{GATEWAYS}\n{BODY}")?)
}

/// Lines of routes over uplink switches.
fn uplinked(all: &[UplinkRoutes], out: &mut dyn fmt::Write) -> WriteResult {
    for UplinkRoutes { networks, gateways } in all {
        for network in networks {
            write!(out, "{network}")?;
            gateways.iter().try_for_each(|gateway| write!(out, " {}@{}", gateway.ni, gateway.address))?;
            out.write_str("\n")?;
        }
    }
    Ok(())
}

/// The program of scripts that apply, undo and check; the data of a node stand in front of it.
pub(super) const BODY: &str = concat!(include_str!("assets/script.sh"), "\n", include_str!("assets/tail.sh"));

/// Writes who the script is for, and what is to be known of it before it runs.
fn begin(plan: &DesignPlan, pe: u32, addresses: &str, out: &mut dyn fmt::Write) -> WriteResult {
    let host = plan.pe_name(pe);
    writeln!(out, "#!/bin/sh\n# Network of {host} in {} ({} nodes).", plan.title(), plan.pes())?;
    writeln!(out, "# Addresses: {addresses}.")?;
    if !plan.faults()?.is_empty() {
        writeln!(out, "# Failed, routed around: {}.", plan.failed()?)?;
    }
    let left_out = plan.left_out_of(pe);
    if !left_out.is_empty() {
        writeln!(out, "# Requested, but without a path: {}.", left_out.join(" "))?;
    }
    writeln!(out, "\nHOST={host}")?;
    Ok(())
}

/// An NI of a script.
pub(super) struct ScriptNi {
    /// The script's name for it: a number, or more for one without hardware of its own.
    pub name: String,
    /// Interface, unless the script is given another one. Not used for an NI without hardware.
    pub interface: String,
    /// Address with the prefix length, or `-`.
    pub address: String,
    pub mac: Mac,
}

/// Writes a script's NIs, and how many neighbours it has. The program looks for the `real` first ones before it changes anything.
pub(super) fn interfaces(
    (real, neighbours): (usize, usize),
    nis: &[ScriptNi],
    out: &mut dyn fmt::Write,
) -> WriteResult {
    let names: Vec<&str> = nis[..real].iter().map(|ni| ni.name.as_str()).collect();
    writeln!(out, "NIS='{}'\nNEIGHBOURS={neighbours}", names.join(" "))?;
    for ScriptNi { name, interface, .. } in &nis[..real] {
        writeln!(out, ": \"${{CROSSPOINT_NI{name}:={interface}}}\"")?;
    }
    lines("# NIC, address, MAC address.", "nis", out, |out| {
        for ScriptNi { name, address, mac, .. } in nis {
            writeln!(out, "{name} {address} {mac}")?;
        }
        Ok(())
    })
}

/// Writes a function of the script that prints lines.
pub(super) fn lines(
    comment: &str,
    name: &str,
    out: &mut dyn fmt::Write,
    each: impl FnOnce(&mut dyn fmt::Write) -> WriteResult,
) -> WriteResult {
    write!(out, "\n{comment}\n{name}() {{\n    cat <<'END'\n")?;
    each(out)?;
    Ok(out.write_str("END\n}\n")?)
}

/// Settings of forms with one address per PE.
const SETTINGS: &[&Setting] = &[&NETWORK, &AVOID, &INTERFACE, &FAILED, &THROUGH];

pub(super) const MULTIPATH: Format = Format::new(Group::Nodes, "multipath", "Script with one address per node", SCRIPT, Render::Text(multipath))
    .read_by(&["iproute2 6.1", "ShellCheck 0.9"])
    .purpose("shell script per node: one address per node, routes over all shared switches at once and through other nodes; undo removes them")
    .per(FileScope::Node)
    .with(SETTINGS);

const ROUTED: &str = concat!(include_str!("assets/loopback.sh"), include_str!("assets/multipath.sh"));
/// Functions for designs whose uplink switches join all nodes.
const UPLINKED: &str = concat!(
    include_str!("assets/loopback.sh"),
    include_str!("assets/uplinked.sh"),
    include_str!("assets/gateways.sh")
);

pub(super) fn multipath(plan: &DesignPlan, pe: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let (ways, addresses) = (plan.ways(pe)?, plan.pe_addresses()?);
    begin_routed(plan, pe, &ways, ways.entries(), out)?;
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
    let comment = match plan.spec.uplink {
        Some(_) => {
            "# Address of each node on the own switches, with the own NICs. Networks behind uplink switches have each NIC and its gateway."
        }
        None => {
            "# Address of each reachable node, with the own NICs; `via` the address of the next node if others are on the path."
        }
    };
    lines(comment, "routes", out, |out| routes(plan, &ways, out))?;
    Ok(write!(out, "\n{}\n{BODY}", routed(plan))?)
}

/// Functions for routes of forms with one address per node.
fn routed(plan: &DesignPlan) -> &'static str {
    if plan.spec.uplink.is_some() { UPLINKED } else { ROUTED }
}

/// Begins a script with one address per node.
fn begin_routed(
    plan: &DesignPlan,
    pe: u32,
    ways: &Ways,
    neighbours: usize,
    out: &mut dyn fmt::Write,
) -> WriteResult {
    let addresses = plan.pe_addresses()?;
    begin(plan, pe, &addresses.describe(), out)?;
    let own = addresses.of(pe);
    writeln!(out, "ADDRESS={own}")?;
    if plan.spec.uplink.is_none() {
        writeln!(out, "FORWARD={}", u8::from(ways.forwards))?;
    }
    // Every NI has the address, too. One without any address drops what comes in from PEs that it has no route back to, even
    // where `rp_filter` is loose, and the two directions of a pair may go through different PEs.
    let ni = |&(ni, switch): &(u32, u32)| {
        Ok(ScriptNi {
            name: ni.to_string(),
            interface: plan.interface(ni),
            address: match plan.spec.uplink {
                Some(_) => plan.subnet_address(pe, switch)?.to_string(),
                None => format!("{own}/32"),
            },
            mac: mac(pe, ni),
        })
    };
    let nis: Vec<ScriptNi> = ways.nis.iter().map(ni).collect::<Result<_, ExportError>>()?;
    interfaces((nis.len(), neighbours), &nis, out)
}

fn routes(plan: &DesignPlan, ways: &Ways, out: &mut dyn fmt::Write) -> WriteResult {
    let addresses = plan.pe_addresses()?;
    for neighbour in &ways.neighbours {
        write!(out, "{}", addresses.of(neighbour.pe))?;
        over(&neighbour.paths, out)?;
    }
    for &(dest, next) in &ways.through {
        write!(out, "{} via {}", addresses.of(dest), addresses.of(next))?;
        over(ways.paths(next), out)?;
    }
    uplinked(&ways.uplinked, out)
}

fn over(paths: &[Path], out: &mut dyn fmt::Write) -> fmt::Result {
    paths.iter().try_for_each(|path| write!(out, " {}", path.ni))?;
    out.write_char('\n')
}

pub(super) const PRELOAD: Format = Format::new(Group::Nodes, "preload", "Script with one path per pair", SCRIPT, Render::Text(preload))
    .read_by(&["iproute2 6.1", "ShellCheck 0.9"])
    .purpose("shell script per node: one address per node and one path per pair, as permanent neighbour entries; undo removes them")
    .per(FileScope::Node)
    .with(SETTINGS);

fn preload(plan: &DesignPlan, pe: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let (ways, addresses) = (plan.ways(pe)?, plan.pe_addresses()?);
    let entries = routing::preload(plan.routes()?, ways.through.iter().copied(), pe);
    begin_routed(plan, pe, &ways, entries.len(), out)?;
    let comment = "# Own NIC, address of each reachable node, MAC address to send to: of the reachable node, or of the next node on the path to it.";
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
        uplinked(&ways.uplinked, out)
    })?;
    Ok(write!(out, "\n{}\n{BODY}", routed(plan))?)
}
