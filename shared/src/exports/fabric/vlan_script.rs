//! A shell script for each host of a mesh or torus with VLANs: an interface for each VLAN, and for each other host a route
//! through the interface of the VLAN that its frames are to take.
//!
//! A host has one address, which all of these interfaces have. Neighbours are permanent, with computed MAC addresses: what a
//! host gets from another may come in another VLAN than what it sends, where nobody would answer a question for an address.

use super::{ScriptNi, VlanPlan, begin_script, end_script, lines};
use crate::exports::{Each, Format, Render, SCRIPT, Written, address::mac};
use std::fmt;

pub const FORMAT: Format = Format {
    each: Each::Node,
    settings: &["method", "first-vlan", "most-vlans", "network", "avoid", "interface"],
    ..Format::new(
        "script",
        "a shell script for each host: an interface for each VLAN, and which VLAN to send to each other host in; its undo takes them back",
        SCRIPT,
        Render::Vlan(render),
    )
};

const VLAN: &str = include_str!("vlan.sh");

fn render(plan: &VlanPlan, host: u32, out: &mut dyn fmt::Write) -> Written {
    let (name, own) = (plan.names.pe(host), plan.address(host));
    let grid = plan.vlans.grid();
    let vlans = plan.host_vlans(grid.switch_of(host))?;
    let own_mac = mac(host, 0);
    let real = ScriptNi { name: "0".into(), address: None, mac: own_mac };
    let tagged = vlans.iter().map(|vlan| ScriptNi {
        name: format!("0_{vlan}"),
        address: Some(format!("{own}/32")),
        mac: own_mac,
    });
    let nis: Vec<ScriptNi> = std::iter::once(real).chain(tagged).collect();
    let comment =
        format!("# Network of {name} in {}.\n# Addresses: {}.", plan.title(), plan.describe_addresses());
    let neighbours = grid.hosts() as usize - 1;
    begin_script(&comment, &name, (1, neighbours), &plan.settings.interface, &nis, out)?;
    let list: Vec<String> = vlans.iter().map(u32::to_string).collect();
    writeln!(out, "\nADDRESS={own}\nMAC={own_mac}\nVLANS='{}'", list.join(" "))?;
    for vlan in &vlans {
        writeln!(out, "CROSSPOINT_NI0_{vlan}=vlan{vlan}")?;
    }
    let comment = "# VLAN to send in, address and MAC address of each other host.";
    lines(comment, "neighbours", out, |out| {
        for other in (0..grid.hosts()).filter(|&other| other != host) {
            let (vlan, address) = (plan.vlan_between(host, other), plan.address(other));
            writeln!(out, "0_{vlan} {address} {}", mac(other, 0))?;
        }
        Ok(())
    })?;
    end_script(VLAN, out)
}
