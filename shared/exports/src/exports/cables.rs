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
use crate::design::{Design, NiTable, plugged};
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
        let was = before_moves.as_ref().map(|before| before.nis.of(pe));
        // Switches that the PE was on and is not on.
        let is_gone = |switch: &&u32| plan.nis.of(pe).binary_search(switch).is_err();
        let is_direct = |switch: &u32| before_moves.as_ref().is_some_and(|before| before.is_direct(*switch));
        let gone = was.into_iter().flatten().filter(|switch| !is_direct(switch));
        let mut gone = gone.filter(is_gone);
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
            let direct = before_moves.as_ref().filter(|_| cable.direct.is_some());
            match was.map(|was| was.binary_search(&switch)) {
                None => {}
                Some(_) if let Some(before) = direct => write!(out, ",{}", before.change_of(plan, switch))?,
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
        for (old, far) in before_moves.iter().flat_map(|before| before.removed(plan, pe)) {
            let (colour, far) = (field(&plan.colour(old).name()), plan.pe_name(far));
            writeln!(out, "{pe},,{old},,{colour},{name},{far},,,,direct,,,is unplugged")?;
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

/// The wiring that was there.
struct Before {
    design: Design,
    nis: NiTable,
    /// `true` for each switch that is a direct cable.
    cables: Vec<bool>,
}

impl Before {
    fn is_direct(&self, switch: u32) -> bool {
        self.cables.get(switch as usize) == Some(&true)
    }

    /// Both ends of a direct cable that was there.
    fn ends(&self, cable: u32) -> Option<[u32; 2]> {
        let is_there = self.is_direct(cable) && cable < self.design.switch_count();
        is_there.then(|| self.design.members(cable).try_into().ok())?
    }

    /// The change of a direct cable: an end that stays keeps its NIC.
    fn change_of(&self, plan: &DesignPlan, cable: u32) -> String {
        let is = plan.design.members(cable);
        let was = self.ends(cable).filter(|was| was.iter().any(|pe| is.contains(pe)));
        let Some(was) = was else { return "new".into() };
        let ends = was.iter().find(|pe| !is.contains(pe)).zip(is.iter().find(|pe| !was.contains(pe)));
        match ends {
            None => "stays".into(),
            Some((&from, &to)) => format!("moves from {} to {}", plan.pe_name(from), plan.pe_name(to)),
        }
    }

    /// Direct cables that are gone, by their lower PE: number and the other PE.
    fn removed(&self, plan: &DesignPlan, pe: u32) -> impl Iterator<Item = (u32, u32)> {
        let of = move |&cable: &u32| {
            let [lower, far] = self.ends(cable)?;
            let is_there = |pe| plan.nis.of(pe).binary_search(&cable).is_ok();
            (lower == pe && !is_there(lower) && !is_there(far)).then_some((cable, far))
        };
        self.nis.of(pe).iter().filter_map(of)
    }
}

/// The wiring that was there, if PEs were to be renumbered, or if not.
fn before(plan: &DesignPlan, renumbered: bool) -> Option<Before> {
    let fits = plan.design.pes() == plan.spec.pes;
    let start = plan.spec.start.as_ref().filter(|start| fits && start.renumber == renumbered)?;
    let design = Design::from_switches(plan.spec.pes, start.switches.iter().cloned());
    let design = plugged(&plan.spec, &design).into_owned();
    let all = design.used_switches().max(plan.design.used_switches());
    Some(Before { nis: design.nis(), design, cables: plan.spec.grown(all).cables() })
}

/// For each PE the number that it had before PEs were renumbered, if one was cabled like it. PEs that can keep their numbers do.
fn old_numbers(plan: &DesignPlan) -> Option<Vec<Option<u32>>> {
    let before = before(plan, true)?.nis;
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
