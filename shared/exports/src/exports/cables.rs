//! The cable list, and a shell script that finds cables that are not where the design says.
//!
//! The list has the labels, [`identifiers`](super::identifiers) and port names of both ends of a cable, and its length if racks are
//! known. After a rewiring it also has which cables stay, move or are unplugged, and after a renumbering the old number of each PE.
//!
//! The script's program (`assets/audit.sh`) uses LLDP, or ARP: each switch is a subnet (Mattox 2006, section 5.1.1).

use super::{
    AVOID, CSV, DesignPlan, Format, Group, INTERFACE, NETWORK, PALETTE, PORT, Render, SCRIPT, WriteResult,
    escape::field, identifiers::Identifiers, plugs::Cable, uplinks::UplinkEnd,
};
use crate::design::{Design, NiTable};
use std::{collections::HashMap, fmt};

pub(super) const LIST: Format = Format::new(Group::Rack, "cables", "Cable list", CSV, Render::Text(list))
    .read_by(&["pandas 3.1", "LibreOffice 7.4"])
    .recommended()
    .purpose("cable list: node, NIC, switch or other node, port, colour, label, identifier and port name of both ends, length, and which cables move")
    .with(&[&PALETTE, &INTERFACE, &PORT]);

fn list(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let before_moves = before(plan, false);
    let numbers = old_numbers(plan);
    let last = if before_moves.is_some() {
        ",change"
    } else if numbers.is_some() {
        ",was_pe"
    } else {
        ""
    };
    writeln!(
        out,
        "pe,ni,switch,port,colour,pe_end,switch_end,pe_id,switch_id,length_m,kind,interface,switchport{last}"
    )?;
    let identifiers = Identifiers::of(plan);
    for pe in 0..plan.pes() {
        let name = plan.pe_name(pe);
        let was = before_moves.as_ref().map(|before| before.of(pe));
        // Switches that the PE was on and is not on.
        let is_gone = |switch: &&u32| plan.nis.of(pe).binary_search(switch).is_err();
        let mut gone = was.into_iter().flatten().filter(is_gone);
        for (ni, &switch) in plan.nis.of(pe).iter().enumerate() {
            let Some(cable) = plan.listed_cable(pe, ni as u32) else { continue };
            let [from, to] = plan.ends(&identifiers, cable);
            let colour = field(&plan.colour(switch).name());
            let (kind, port) = match cable.direct {
                Some(_) => ("direct", String::new()),
                None => ("node", cable.port.to_string()),
            };
            write!(out, "{pe},{ni},{switch},{port},{colour},{},{},", from.label, to.label)?;
            write!(out, "{},{},", from.identifier, to.identifier)?;
            if let Some(metres) = plan.length(&identifiers, cable) {
                write!(out, "{metres:.2}")?;
            }
            write!(out, ",{kind},{},{}", from.port, to.port)?;
            match was.map(|was| was.binary_search(&switch)) {
                None => {}
                Some(Ok(_)) => out.write_str(",stays")?,
                Some(Err(_)) => match gone.next() {
                    Some(&old) => write!(out, ",moves from {}", plan.switch_name(old))?,
                    None => out.write_str(",new")?,
                },
            }
            if let Some(numbers) = &numbers {
                out.write_str(",")?;
                numbers[pe as usize].map_or(Ok(()), |old| write!(out, "{old}"))?;
            }
            out.write_str("\n")?;
        }
        for &old in gone {
            let (colour, switch_name) = (field(&plan.colour(old).name()), plan.switch_name(old));
            writeln!(out, "{pe},,{old},,{colour},{name},{switch_name},,,,node,,,is unplugged")?;
        }
    }
    uplinks(plan, &identifiers, if last.is_empty() { "" } else { "," }, out)
}

/// Cables to uplink switches, which are the switches of each; a switch as the other end has its port there.
fn uplinks(plan: &DesignPlan, identifiers: &Identifiers, end: &str, out: &mut dyn fmt::Write) -> WriteResult {
    let Some(uplink) = plan.uplink() else { return Ok(()) };
    let number = uplink.folded.map_or_else(String::new, |switch| switch.to_string());
    for &cable in &uplink.cables {
        let [from, to] = uplink.ends(&plan.names, identifiers, cable);
        let (kind, ni) = match cable.from {
            UplinkEnd::Switch { .. } => ("uplink", ""),
            UplinkEnd::Spare(_) => ("spare", "0"),
        };
        let colour = field(&plan.colour(uplink.switch_of(cable).number).name());
        write!(out, ",{ni},{number},{},{colour},{},{},", cable.port, from.label, to.label)?;
        write!(out, "{},{},", from.identifier, to.identifier)?;
        if let Some(metres) = uplink.length(identifiers, cable) {
            write!(out, "{metres:.2}")?;
        }
        writeln!(out, ",{kind},{},{}{end}", from.port, to.port)?;
    }
    Ok(())
}

/// The wiring that was there, if PEs were to be renumbered, or if not.
fn before(plan: &DesignPlan, renumbered: bool) -> Option<NiTable> {
    let fits = plan.design.pes() == plan.spec.pes;
    let start = plan.spec.start.as_ref().filter(|start| fits && start.renumber == renumbered)?;
    Some(Design::from_switches(plan.spec.pes, start.switches.iter().cloned()).nis())
}

/// For each PE the number that it had before PEs were renumbered, if one was cabled like it. PEs that can keep their numbers do.
fn old_numbers(plan: &DesignPlan) -> Option<Vec<Option<u32>>> {
    let before = before(plan, true)?;
    let pes = plan.spec.pes;
    let keeps = |pe: u32| before.of(pe) == plan.nis.of(pe);
    let mut free: HashMap<&[u32], Vec<u32>> = HashMap::new();
    for old in (0..pes).rev().filter(|&pe| !keeps(pe)) {
        free.entry(before.of(old)).or_default().push(old);
    }
    let old = |pe: u32| {
        if keeps(pe) { Some(pe) } else { free.get_mut(plan.nis.of(pe)).and_then(Vec::pop) }
    };
    Some((0..pes).map(old).collect())
}

pub(super) const AUDIT: Format =
    Format::new(Group::Rack, "audit", "Cable check on nodes", SCRIPT, Render::Text(audit))
        .read_by(&["iputils 20221126", "ShellCheck 0.9", "lldpd 1.0.16"])
        .purpose(
            "shell script for every node: finds cables that are not where the design says, by LLDP or ARP",
        )
        .with(&[&INTERFACE, &NETWORK, &AVOID]);

const CHECK: &str = include_str!("assets/audit.sh");

fn audit(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let (addresses, identifiers) = (plan.addresses()?, Identifiers::of(plan));
    writeln!(out, "#!/bin/sh\n# Checks the cables of {} ({} nodes).", plan.title(), plan.pes())?;
    writeln!(out, "# Addresses, for --arp: {}.", addresses.describe())?;
    writeln!(out, "\nINTERFACE='{}'", plan.names.interfaces())?;
    out.write_str("\n# Node, NIC, switch, port, address of the NIC, its interface, name of the port.\n")?;
    out.write_str("cables() {\n    cat <<'END'\n")?;
    for cable in plan.plugs() {
        let Cable { pe, ni, switch, port, .. } = cable;
        // Host names are the same in any case, and LLDP may show either.
        let (name, switch_name) = (plan.pe_name(pe), plan.switch_name(switch));
        let (name, switch_name) = (name.to_ascii_lowercase(), switch_name.to_ascii_lowercase());
        let (address, interface) = (addresses.address(switch, pe, port), plan.interface(ni));
        let [_, far] = plan.ends(&identifiers, cable);
        let port = if cable.direct.is_some() { far.identifier } else { port.to_string() };
        writeln!(out, "{name} {ni} {switch_name} {port} {address} {interface} {}", far.port)?;
    }
    out.write_str("END\n}\n\n")?;
    Ok(out.write_str(CHECK)?)
}
