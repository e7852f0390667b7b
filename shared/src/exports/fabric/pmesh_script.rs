//! A shell script for each host of a P-Mesh: an address on each NI, the hosts of the own rows as permanent neighbours, and a
//! route for each subnet (P-Mesh paper, section 4.2).

use super::{PMeshPlan, ScriptNi, begin_script, end_script, lines};
use crate::exports::{Each, Format, Render, SCRIPT, Written, address::mac};
use std::{collections::BTreeSet, fmt};

pub const FORMAT: Format = Format {
    each: Each::Node,
    settings: &["network", "avoid", "room", "interface", "dead"],
    ..Format::new(
        "script",
        "a shell script for each host: addresses, neighbours in its rows, and a route for each subnet, around what is dead; its undo takes them back",
        SCRIPT,
        Render::PMesh(render),
    )
};

const PMESH: &str = include_str!("pmesh.sh");

/// Most hosts out of reach that a script names.
const MAX_NAMED: usize = 20;

fn render(plan: &PMeshPlan, host: u32, out: &mut dyn fmt::Write) -> Written {
    let (name, dimensions) = (plan.names.pe(host), plan.mesh.sides().dimensions());
    let nis: Vec<ScriptNi> = (0..dimensions)
        .map(|ni| ScriptNi {
            name: ni.to_string(),
            address: Some(format!("{}/{}", plan.address(host, ni), plan.prefix(ni))),
            mac: mac(host, ni as u32),
        })
        .collect();
    let known = neighbours(plan, host);
    let mut comment =
        format!("# Network of {name} in {}.\n# Addresses: {}.", plan.title(), plan.describe_addresses());
    comment.extend(dead(plan, host));
    let counts = (dimensions as u32, known.len());
    begin_script(&comment, &name, counts, &plan.settings.interface, &nis, out)?;
    writeln!(out, "\nADDRESS={}", plan.main_address(host))?;
    lines("# Own NI, address and MAC address of each host that is sent to.", "neighbours", out, |out| {
        for &(ni, other) in &known {
            writeln!(out, "{ni} {} {}", plan.address(other, ni), mac(other, ni as u32))?;
        }
        Ok(())
    })?;
    let comment = "# Each other subnet, the next host's address, own NI; onlink where that address is in none of the own.";
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
    end_script(PMESH, out)
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

/// What is dead, and who is out of reach by it.
fn dead(plan: &PMeshPlan, host: u32) -> Option<String> {
    let around = plan.around.as_ref()?;
    let mut text = format!("\n# Dead, and routed around: {}.", around.dead());
    let lost = around.lost(host);
    if !lost.is_empty() {
        let told: Vec<_> = lost.iter().take(MAX_NAMED).map(|&other| plan.names.pe(other)).collect();
        text += &format!("\n# Out of reach: {}", told.join(" "));
        if lost.len() > MAX_NAMED {
            text += &format!(" and {} more", lost.len() - MAX_NAMED);
        }
        text.push('.');
    }
    Some(text)
}
