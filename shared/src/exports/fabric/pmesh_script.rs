//! A shell script for each host of a P-Mesh: an address on each NI, the hosts of the own rows as permanent neighbours, and a
//! route for each subnet (P-Mesh paper, section 4.2).

use super::{
    Each, FabricFormat, Render, ScriptNi, Written, begin_script, end_script, lines, pmesh::PMeshPlan,
};
use crate::exports::address::mac;
use std::fmt;

pub(super) const FORMAT: FabricFormat = FabricFormat {
    name: "script",
    purpose: "a shell script for each host: addresses, neighbours in its rows, and a route for each subnet; its undo takes them back",
    media_type: "text/x-shellscript; charset=utf-8",
    extension: "sh",
    each: Each::Host,
    settings: &["network", "avoid", "room", "interface"],
    render: Render::PMesh(render),
};

const PMESH: &str = include_str!("pmesh.sh");

fn render(plan: &PMeshPlan, host: u32, out: &mut dyn fmt::Write) -> Written {
    let (name, sides) = (plan.names.pe(host), plan.mesh.sides());
    let nis: Vec<ScriptNi> = (0..sides.dimensions())
        .map(|ni| ScriptNi {
            name: ni.to_string(),
            address: Some(format!("{}/{}", plan.address(host, ni), plan.prefix(ni))),
            mac: mac(host, ni as u32),
        })
        .collect();
    let in_row = |ni: usize| (0..sides.sizes()[ni]).map(move |at| (ni, sides.moved(host, ni, at)));
    let neighbours: Vec<(usize, u32)> =
        (0..sides.dimensions()).flat_map(in_row).filter(|&(_, other)| other != host).collect();
    let comment =
        format!("# Network of {name} in {}.\n# Addresses: {}.", plan.title(), plan.describe_addresses());
    let counts = (sides.dimensions() as u32, neighbours.len());
    begin_script(&comment, &name, counts, &plan.settings.base.interface, &nis, out)?;
    writeln!(out, "\nADDRESS={}", plan.main_address(host))?;
    lines("# Own NI, address and MAC address of each host in the own rows.", "neighbours", out, |out| {
        for &(ni, other) in &neighbours {
            writeln!(out, "{ni} {} {}", plan.address(other, ni), mac(other, ni as u32))?;
        }
        Ok(())
    })?;
    lines("# Each other subnet, the next host's address, own NI.", "routes", out, |out| {
        for entry in plan.mesh.table(host) {
            if let Some((ni, next)) = entry.via {
                writeln!(out, "{} {} {ni}", plan.network(entry.net), plan.address(next, ni))?;
            }
        }
        Ok(())
    })?;
    end_script(PMESH, out)
}
