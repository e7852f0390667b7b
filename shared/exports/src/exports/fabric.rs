//! Files for networks that are no designs: meshes and tori of switches with VLANs, P-Meshes, and the links of any network.
//!
//! Hosts are named `node` and a number, switches `sw` and a number.

pub(super) mod links;
pub(super) mod pmesh;
pub(super) mod switches;
pub(super) mod topologies;
pub(super) mod vlan;

pub(super) use pmesh::PMeshPlan;
pub(super) use vlan::VlanPlan;

use super::{
    AVOID, FAILED, FileScope, Format, Group, INTERFACE, NETWORK, Render, SCRIPT, WriteResult,
    address::mac,
    scripts::{BODY, ScriptNi, interfaces, lines},
};
use pmesh::ROOM;
use std::{collections::BTreeSet, fmt};
use vlan::{FIRST_VLAN, METHOD, MOST_VLANS};

pub(super) const VLAN_SCRIPT: Format = Format::new(
    Group::Nodes,
    "script",
    "Script per node",
    SCRIPT,
    Render::Vlan(vlan_script),
)
.read_by(&["iproute2 6.1", "ShellCheck 0.9"])
.purpose("shell script per node: an interface per VLAN, and the VLAN of each other node; undo removes them")
.per(FileScope::Node)
.with(&[&METHOD, &FIRST_VLAN, &MOST_VLANS, &NETWORK, &AVOID, &INTERFACE]);

const VLAN: &str = include_str!("assets/vlan.sh");

fn vlan_script(plan: &VlanPlan, host: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let (name, own) = (plan.names.pe(host), plan.address(host));
    let grid = plan.vlans.grid();
    let vlans = plan.host_vlans(grid.switch_of(host))?;
    let own_mac = mac(host, 0);
    let interface = plan.settings.interfaces().of(0);
    let ni = |name, address| ScriptNi { name, interface: interface.clone(), address, mac: own_mac };
    let tagged = vlans.iter().map(|vlan| ni(format!("0_{vlan}"), format!("{own}/32")));
    let nis: Vec<ScriptNi> = std::iter::once(ni("0".into(), "-".into())).chain(tagged).collect();
    let comment =
        format!("# Network of {name} in {}.\n# Addresses: {}.", plan.title(), plan.describe_addresses());
    let neighbours = grid.hosts() as usize - 1;
    writeln!(out, "#!/bin/sh\n{comment}\n\nHOST={name}")?;
    interfaces((1, neighbours), &nis, out)?;
    let list: Vec<String> = vlans.iter().map(u32::to_string).collect();
    writeln!(out, "\nADDRESS={own}\nMAC={own_mac}\nVLANS='{}'", list.join(" "))?;
    for vlan in &vlans {
        writeln!(out, "export CROSSPOINT_NI0_{vlan}=vlan{vlan}")?;
    }
    let comment = "# VLAN, address and MAC address of each other node.";
    lines(comment, "neighbours", out, |out| {
        for other in (0..grid.hosts()).filter(|&other| other != host) {
            let (vlan, address) = (plan.vlan_between(host, other), plan.address(other));
            writeln!(out, "0_{vlan} {address} {}", mac(other, 0))?;
        }
        Ok(())
    })?;
    Ok(write!(out, "\n{VLAN}\n{BODY}")?)
}

pub(super) const PMESH_SCRIPT: Format = Format::new(Group::Nodes, "script", "Script per node", SCRIPT, Render::PMesh(pmesh_script))
    .read_by(&["iproute2 6.1", "ShellCheck 0.9"])
    .purpose("shell script per node: addresses, neighbours in its rows, and a route per subnet, around failed parts; undo removes them")
    .per(FileScope::Node)
    .with(&[&NETWORK, &AVOID, &ROOM, &INTERFACE, &FAILED]);

const PMESH: &str = include_str!("assets/pmesh.sh");

/// Max hosts out of reach that a script names.
const MAX_NAMED: usize = 20;

fn pmesh_script(plan: &PMeshPlan, host: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let (name, dimensions) = (plan.names.pe(host), plan.mesh.sides().dimensions());
    let nis: Vec<ScriptNi> = (0..dimensions)
        .map(|ni| ScriptNi {
            name: ni.to_string(),
            interface: plan.settings.interfaces().of(ni as u32),
            address: format!("{}/{}", plan.address(host, ni), plan.prefix(ni)),
            mac: mac(host, ni as u32),
        })
        .collect();
    let known = neighbours(plan, host);
    let mut comment =
        format!("# Network of {name} in {}.\n# Addresses: {}.", plan.title(), plan.describe_addresses());
    comment.extend(dead(plan, host));
    writeln!(out, "#!/bin/sh\n{comment}\n\nHOST={name}")?;
    interfaces((dimensions, known.len()), &nis, out)?;
    writeln!(out, "\nADDRESS={}", plan.main_address(host))?;
    lines("# Own NIC, address and MAC address of each neighbour.", "neighbours", out, |out| {
        for &(ni, other) in &known {
            writeln!(out, "{ni} {} {}", plan.address(other, ni), mac(other, ni as u32))?;
        }
        Ok(())
    })?;
    let comment = "# Subnet, address of the next node, own NIC; onlink if that address is in no own subnet.";
    lines(comment, "routes", out, |out| {
        if plan.is_dead(host) {
            return Ok(());
        }
        for entry in plan.table(host) {
            if let Some((ni, next)) = entry.via {
                writeln!(out, "{} {} {ni}", plan.network(entry.net), plan.address(next, ni))?;
            }
        }
        for (address, (ni, next)) in plan.detours(host) {
            let how = if plan.mesh.is_in_row(host, next, ni) { "" } else { " onlink" };
            writeln!(out, "{address}/32 {} {ni}{how}", plan.address(next, ni))?;
        }
        Ok(())
    })?;
    Ok(write!(out, "\n{PMESH}\n{BODY}")?)
}

/// The hosts of the own rows, and those of other rows that something is handed to; each with the dimension.
fn neighbours(plan: &PMeshPlan, host: u32) -> Vec<(usize, u32)> {
    let sides = plan.mesh.sides();
    let in_row = |ni: usize| (0..sides.sizes()[ni]).map(move |at| (ni, sides.moved(host, ni, at)));
    let own = (0..sides.dimensions()).flat_map(in_row);
    let own = own.filter(|&(ni, other)| other != host && plan.joins(ni, host, other));
    let all: BTreeSet<_> = own.chain(plan.detours(host).map(|(_, via)| via)).collect();
    all.into_iter().collect()
}

/// Failed parts, and hosts that they make unreachable.
fn dead(plan: &PMeshPlan, host: u32) -> Option<String> {
    let around = plan.around.as_ref()?;
    let failed = around.dead().words(|part| plan.names.word(part));
    let mut text = format!("\n# Failed, routed around: {failed}.");
    let lost = around.lost(host);
    if !lost.is_empty() {
        let told: Vec<_> = lost.iter().take(MAX_NAMED).map(|&other| plan.names.pe(other)).collect();
        text += &format!("\n# Unreachable: {}", told.join(" "));
        if lost.len() > MAX_NAMED {
            text += &format!(" and {} more", lost.len() - MAX_NAMED);
        }
        text.push('.');
    }
    Some(text)
}
