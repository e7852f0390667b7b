//! A shell script for each switch that runs Linux: a bridge with VLAN filtering, the VLANs of each port, and for each VLAN the
//! port to each host.

use super::{
    lines,
    vlan::{VlanPlan, ranges},
};
use crate::exports::{Each, ExportError, Format, Render, SCRIPT, Written};
use std::fmt;

pub const FORMAT: Format = Format {
    each: Each::Switch,
    settings: &["method", "first-vlan", "most-vlans", "port"],
    ..Format::new(
        "bridge",
        "a shell script for each switch that runs Linux: a bridge, the VLANs of its ports, and the port to each host in each VLAN; its undo takes them back",
        SCRIPT,
        Render::Vlan(render),
    )
};

/// Most characters of an interface's name.
const MAX_NAME: usize = 15;

/// The program, which ends as those of hosts do.
const BODY: &str = concat!(include_str!("bridge.sh"), "\n", include_str!("../script/tail.sh"));

fn render(plan: &VlanPlan, switch: u32, out: &mut dyn fmt::Write) -> Written {
    let name = plan.names.switch(switch);
    let ports = plan.ports(switch)?;
    check(plan, ports.len())?;
    let list: Vec<String> = ports.iter().map(|(number, _, _)| plan.port(*number, "swp")).collect();
    writeln!(out, "#!/bin/sh\n# Switch {name} of {}.", plan.title())?;
    writeln!(out, "\nHOST={name}\nPORTS='{}'", list.join(" "))?;
    lines("# Port, and the VLANs that it is in, all tagged.", "members", out, |out| {
        for (number, _, vlans) in &ports {
            writeln!(out, "{} {}", plan.port(*number, "swp"), ranges(vlans, " "))?;
        }
        Ok(())
    })?;
    lines("# VLAN, MAC address of a host, port to it.", "hosts", out, |out| {
        for (vlan, mac, port) in plan.static_entries(switch)? {
            writeln!(out, "{vlan} {mac} {}", plan.port(port, "swp"))?;
        }
        Ok(())
    })?;
    Ok(write!(out, "\n{BODY}")?)
}

/// That the kernel can have ports of such names, of which the last is the longest.
fn check(plan: &VlanPlan, ports: usize) -> Written {
    let last = plan.port(ports, "swp");
    if last.len() <= MAX_NAME && !last.contains('/') {
        return Ok(());
    }
    let prefix = last.trim_end_matches(|c: char| c.is_ascii_digit());
    let most = MAX_NAME - (last.len() - prefix.len());
    let why = format!("Linux calls no port {last}: up to {most} characters, none of them /, are accepted");
    Err(ExportError::Setting { choice: format!("port={prefix}"), why })
}
