//! Files for the switches of a mesh or torus with VLANs: shell scripts for Linux bridges, and configurations in the command
//! language of Cisco IOS.

use super::{
    lines,
    vlan::{FIRST_VLAN, METHOD, MOST_VLANS, VlanPlan, ranges},
};
use crate::exports::{
    Choice, ExportError, FileScope, Format, Group, PORT, Render, SCRIPT, Setting, SettingOf, WriteResult,
    address::Mac,
};
use std::fmt;

/// `true` if ports of IOS are set to IEEE 802.1Q before they become trunks. Switches without ISL have no such command.
const ENCAPSULATION: SettingOf<bool> =
    Setting::new("encapsulation", "trunk encapsulation command; switches that also support ISL need dot1q")
        .choice(
            "Trunk encapsulation",
            &[Choice::new("none", "no command"), Choice::new("dot1q", "IEEE 802.1Q")],
        )
        .or("none")
        .read(|text| Ok(text == "dot1q"));

pub const BRIDGE: Format = Format::new(Group::Switches, "bridge", "Linux switch, VLANs", SCRIPT, Render::Vlan(bridge))
    .read_by(&["iproute2 6.1", "ShellCheck 0.9"])
    .purpose("shell script per Linux switch: a bridge, the VLANs of its ports, and the port to each node in each VLAN; undo removes them")
    .per(FileScope::Switch)
    .with(&[&METHOD, &FIRST_VLAN, &MOST_VLANS, &PORT]);

/// Max characters of an interface's name.
const MAX_NAME: usize = 15;

/// The program, which ends as those of hosts do.
const PROGRAM: &str = concat!(include_str!("../assets/bridge.sh"), "\n", include_str!("../assets/tail.sh"));

fn bridge(plan: &VlanPlan, switch: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let name = plan.names.switch(switch);
    let ports = plan.ports(switch)?;
    check_names(plan, ports.len())?;
    let list: Vec<String> = ports.iter().map(|(number, _, _)| plan.port(*number, "swp")).collect();
    writeln!(out, "#!/bin/sh\n# Switch {name} of {}.", plan.title())?;
    writeln!(out, "\nHOST={name}\nPORTS='{}'", list.join(" "))?;
    lines("# Port and its VLANs, all tagged.", "members", out, |out| {
        for (number, _, vlans) in &ports {
            writeln!(out, "{} {}", plan.port(*number, "swp"), ranges(vlans, " "))?;
        }
        Ok(())
    })?;
    lines("# VLAN, MAC address of a node, port to it.", "hosts", out, |out| {
        for (vlan, mac, port) in plan.static_entries(switch)? {
            writeln!(out, "{vlan} {mac} {}", plan.port(port, "swp"))?;
        }
        Ok(())
    })?;
    Ok(write!(out, "\n{PROGRAM}")?)
}

/// Checks that the kernel accepts the port names, of which the last is the longest.
fn check_names(plan: &VlanPlan, ports: usize) -> WriteResult {
    let last = plan.port(ports, "swp");
    if last.len() <= MAX_NAME && !last.contains('/') {
        return Ok(());
    }
    let prefix = last.trim_end_matches(|c: char| c.is_ascii_digit());
    let most = MAX_NAME - (last.len() - prefix.len());
    let why = format!("Linux does not accept the port name {last}; use up to {most} characters without /.");
    Err(ExportError::setting("port", prefix, why))
}

pub const IOS: Format = Format::new(
    Group::Switches,
    "ios",
    "Cisco IOS",
    ("text/plain; charset=utf-8", "cfg"),
    Render::Vlan(configure),
)
.purpose("Cisco IOS configuration per switch: VLANs, trunk ports, static MAC addresses")
.per(FileScope::Switch)
.with(&[&METHOD, &FIRST_VLAN, &MOST_VLANS, &PORT, &ENCAPSULATION]);

pub const IOS_UNDO: Format = Format::new(
    Group::Switches,
    "ios-undo",
    "Cisco IOS, removal",
    ("text/plain; charset=utf-8", "cfg"),
    Render::Vlan(undo),
)
.purpose("Cisco IOS commands per switch that remove the ios configuration and reset the ports")
.per(FileScope::Switch)
.with(&[&METHOD, &FIRST_VLAN, &MOST_VLANS, &PORT]);

/// VLANs reserved by IOS, in addition to VLAN 1 for untagged frames.
const RESERVED: std::ops::RangeInclusive<u32> = 1002..=1005;
/// Max characters of a list of VLANs: IOS takes lines of up to 254.
const MAX_LIST: usize = 200;

const OWN_PORT: &str = "GigabitEthernet1/0/";

fn configure(plan: &VlanPlan, switch: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let vlans = list(plan)?;
    writeln!(out, "! Switch {} of {}", plan.names.switch(switch), plan.title())?;
    if !plan.settings.get(&ENCAPSULATION) {
        writeln!(
            out,
            "! Switches that also support ISL, such as Catalyst 3560 and 3750, need encapsulation=dot1q."
        )?;
    }
    writeln!(out, "hostname {}\nvtp mode transparent", plan.names.switch(switch))?;
    writeln!(out, "vlan {vlans}\nexit\nno spanning-tree vlan {vlans}")?;
    for (number, other, vlans) in plan.ports(switch)? {
        writeln!(out, "interface {}\n description {other}", plan.port(number, OWN_PORT))?;
        if plan.settings.get(&ENCAPSULATION) {
            writeln!(out, " switchport trunk encapsulation dot1q")?;
        }
        writeln!(out, " switchport mode trunk")?;
        allow(&vlans, out)?;
        writeln!(out, " no shutdown\nexit")?;
    }
    for (vlan, mac, port) in plan.static_entries(switch)? {
        writeln!(out, "{}", entry(vlan, mac, &plan.port(port, OWN_PORT)))?;
    }
    Ok(out.write_str("end\n")?)
}

/// The VLANs of a trunk, on as many lines as they take.
fn allow(vlans: &[u32], out: &mut dyn fmt::Write) -> WriteResult {
    let list = ranges(vlans, ",");
    let (mut rest, mut add) = (&*list, "");
    while rest.len() > MAX_LIST {
        let (line, after) =
            rest[..MAX_LIST].rfind(',').map_or((rest, ""), |at| (&rest[..at], &rest[at + 1..]));
        writeln!(out, " switchport trunk allowed vlan {add}{line}")?;
        (rest, add) = (after, "add ");
    }
    Ok(writeln!(out, " switchport trunk allowed vlan {add}{rest}")?)
}

fn undo(plan: &VlanPlan, switch: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let vlans = list(plan)?;
    writeln!(out, "! Removes the configuration of switch {} of {}", plan.names.switch(switch), plan.title())?;
    for (vlan, mac, port) in plan.static_entries(switch)? {
        writeln!(out, "no {}", entry(vlan, mac, &plan.port(port, OWN_PORT)))?;
    }
    for (number, _, _) in plan.ports(switch)? {
        writeln!(out, "default interface {}", plan.port(number, OWN_PORT))?;
    }
    writeln!(out, "! The host name and VTP mode stay.")?;
    Ok(write!(out, "spanning-tree vlan {vlans}\nno vlan {vlans}\nend\n")?)
}

/// All VLANs, none of which is IOS's own.
fn list(plan: &VlanPlan) -> Result<String, ExportError> {
    let all = plan.all_vlans();
    if let Some(own) = all.iter().find(|vlan| **vlan == 1 || RESERVED.contains(vlan)) {
        let (first, count) = (plan.vlan(0), all.len() as u32);
        let why = format!(
            "IOS reserves VLAN {own}: 1 and {} to {} are its own; these {count} fit from {} on.",
            RESERVED.start(),
            RESERVED.end(),
            if count <= RESERVED.start() - 2 { 2 } else { RESERVED.end() + 1 }
        );
        return Err(ExportError::setting("first-vlan", first, why));
    }
    Ok(ranges(&all, ","))
}

fn entry(vlan: u32, Mac([a, b, c, d, e, f]): Mac, port: &str) -> String {
    let mac = format!("{a:02x}{b:02x}.{c:02x}{d:02x}.{e:02x}{f:02x}");
    format!("mac address-table static {mac} vlan {vlan} interface {port}")
}
