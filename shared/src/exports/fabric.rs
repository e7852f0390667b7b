//! Files for networks that are no designs: meshes and tori of switches with VLANs, and P-Meshes.
//!
//! Hosts are called `pe` and their number, switches `sw` and theirs.

pub(super) mod pmesh;
pub(super) mod pmesh_script;
pub(super) mod vlan;
pub(super) mod vlan_bridge;
pub(super) mod vlan_ios;
pub(super) mod vlan_script;

pub(super) use pmesh::PMeshPlan;
pub(super) use vlan::VlanPlan;

use super::{
    Written,
    address::Mac,
    script::shell::{BODY, lines},
};
use crate::design::Names;
use std::{fmt, net::Ipv4Addr};

/// Writes one hosts file for all hosts: the network, how addresses are made, and each host's address.
fn hosts(
    (kind, addresses): (&str, &str),
    names: Names,
    hosts: impl Iterator<Item = Ipv4Addr>,
    out: &mut dyn fmt::Write,
) -> Written {
    writeln!(out, "# Hosts of {kind}\n# Addresses: {addresses}")?;
    for (host, address) in (0..).zip(hosts) {
        writeln!(out, "{address} {}", names.pe(host))?;
    }
    Ok(())
}

/// An NI of a script: how the script calls it, its address or none, its MAC address.
struct ScriptNi {
    name: String,
    address: Option<String>,
    mac: Mac,
}

/// Writes what stands in front of a host's script: who it is for, its NIs, and how many neighbours it will know. Only the NIs
/// that are `real` are looked for before anything is changed.
fn begin_script(
    comment: &str,
    host: &str,
    (real, neighbours): (u32, usize),
    interface: &str,
    nis: &[ScriptNi],
    out: &mut dyn fmt::Write,
) -> Written {
    writeln!(out, "#!/bin/sh\n{comment}\n\nHOST={host}")?;
    let list: Vec<String> = (0..real).map(|ni| ni.to_string()).collect();
    writeln!(out, "NIS='{}'\nNEIGHBOURS={neighbours}", list.join(" "))?;
    for ni in 0..real {
        writeln!(out, ": \"${{CROSSPOINT_NI{ni}:={interface}{ni}}}\"")?;
    }
    lines("# NI, address, MAC address.", "nis", out, |out| {
        nis.iter().try_for_each(|ni| {
            Ok(writeln!(out, "{} {} {}", ni.name, ni.address.as_deref().unwrap_or("-"), ni.mac)?)
        })
    })
}

/// Ends a host's script: the part of its kind, and the program that all scripts share.
fn end_script(own: &str, out: &mut dyn fmt::Write) -> Written {
    Ok(write!(out, "\n{own}\n{BODY}")?)
}
