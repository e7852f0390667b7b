//! Hosts files: per node, with the address that its route to each other node leads to (Mattox 2006, section 5.1.1; a node has one
//! address per switch), and one for all nodes of the forms with one address per node.

use super::{
    AVOID, DesignPlan, FAILED, FileScope, Format, Group, HOSTS, INTERFACE, NETWORK, Render, WriteResult,
    dns::nic_host, ways::UplinkPaths,
};
use crate::{analysis::routing::per_ni, design::Names};
use std::{fmt, net::Ipv4Addr};

pub(super) const FORMAT: Format =
    Format::new(Group::Nodes, "hosts", "Hosts file per node", HOSTS, Render::Text(render))
        .read_by(&["glibc 2.36"])
        .purpose(
            "hosts file per node: all nodes that it has a path to, each with the address that its route uses",
        )
        .per(FileScope::Node)
        .with(&[&NETWORK, &AVOID, &INTERFACE, &FAILED]);

fn render(plan: &DesignPlan, pe: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let (routes, addresses) = (plan.routes()?, plan.addresses()?);
    let own = plan.pe_name(pe);
    writeln!(out, "# Hosts of {own} in {} ({} nodes)", plan.title(), plan.pes())?;
    writeln!(out, "# {}", addresses.describe())?;
    out.write_str("127.0.0.1 localhost\n::1 localhost\n\n")?;
    writeln!(out, "# {own} itself")?;
    let known = per_ni(routes, pe);
    let address = |switch, pe| addresses.address(switch, pe, plan.port(switch, pe));
    for (i, &(ni, switch)) in known.interfaces.iter().enumerate() {
        let name = nic_host(FORMAT.name, &own, &plan.interface(ni))?;
        let first = if i == 0 { format!("{own} ") } else { String::new() };
        writeln!(out, "{} {first}{name}", address(switch, pe))?;
    }
    let paths = known.hosts.len();
    writeln!(out, "\n# Nodes with a path from {own}: {paths}")?;
    for (other, path) in known.hosts {
        writeln!(out, "{} {}", address(path.switch, other), plan.pe_name(other))?;
    }
    if let Some(paths) = plan.uplink_paths()? {
        return over_uplinks(plan, pe, &paths, out);
    }
    let without = plan.pes() as usize - 1 - paths;
    let noun = plan.spec.switch_noun();
    writeln!(out, "\n# Nodes without a shared {noun} with {own}: {without}")?;
    let left_out = plan.left_out_of(pe);
    if !left_out.is_empty() {
        writeln!(out, "# Requested, but without a path: {}", left_out.join(" "))?;
    }
    Ok(())
}

/// The other nodes, each at the address of its first NIC that uplink switches join to one of the own NICs.
fn over_uplinks(plan: &DesignPlan, pe: u32, paths: &UplinkPaths, out: &mut dyn fmt::Write) -> WriteResult {
    let (mut far, mut without) = (Vec::new(), 0);
    let mut near = plan.routes()?.neighbours(pe).map(|(other, _)| other).peekable();
    for other in (0..plan.pes()).filter(|&other| other != pe) {
        if near.next_if_eq(&other).is_some() {
            continue;
        }
        match paths.path(pe, other) {
            Some(path) => far.push((plan.address_on(other, path.other_switch)?, other)),
            None => without += 1,
        }
    }
    writeln!(out, "\n# Nodes over uplink switches: {}", far.len())?;
    far.iter().try_for_each(|&(address, other)| writeln!(out, "{address} {}", plan.pe_name(other)))?;
    writeln!(out, "\n# Nodes without a path: {without}")?;
    Ok(())
}

pub(super) const NAMES: Format =
    Format::new(Group::Nodes, "names", "Hosts file, one for all nodes", HOSTS, Render::Text(names))
        .read_by(&["glibc 2.36"])
        .purpose("one hosts file for all nodes, one address per node; for multipath, networkd and netplan")
        .with(&[&NETWORK, &AVOID]);

fn names(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let addresses = plan.pe_addresses()?;
    let about = (format!("Nodes of {} ({} nodes)", plan.title(), plan.pes()), addresses.describe());
    list(about, &plan.names, (0..plan.pes()).map(|pe| addresses.of(pe)), out)
}

/// Writes one hosts file for all nodes: the network, how addresses are made, and each node's address.
pub(super) fn list(
    (network, addresses): (String, String),
    names: &Names,
    nodes: impl Iterator<Item = Ipv4Addr>,
    out: &mut dyn fmt::Write,
) -> WriteResult {
    writeln!(out, "# {network}\n# Addresses: {addresses}")?;
    for (node, address) in (0..).zip(nodes) {
        writeln!(out, "{address} {}", names.pe(node))?;
    }
    Ok(())
}
