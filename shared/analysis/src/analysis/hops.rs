//! Compares the NICs of NCCL's connections with a wiring, by the logs of a job.
//!
//! A connection is right if its NICs are on a common switch. NIC k of a merged device sends to NIC k of the other device (NCCL,
//! `src/transport/net_ib/connect.cc`), so all of these have one. With sockets and with `NCCL_IB_SUBNET_AWARE_ROUTING=1`, the sender
//! takes any of its NICs on a switch of the receiver's device, of whose NICs the first two count.

use crate::{
    demand::trace::{Hop, Hops, NicEnd},
    design::{Names, NiTable, Node},
    form::printable,
    text::{count, grouped},
};
use std::{collections::BTreeSet, fmt};

/// Max names in a line.
const MAX_NAMES: usize = 10;
/// NICs whose subnets a receiver offers (`listenGids`).
const OFFERED: usize = 2;

/// The connections of a job, compared with a wiring.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HopAudit {
    /// Connections whose NICs are on a common switch.
    pub right: u64,
    /// Other connections.
    pub wrong: Vec<WrongHop>,
    /// Connections that have the log of one end only.
    pub halves: u64,
    /// `true` if NICs of merged devices that send to each other are on different switches.
    pub pairs_nics: bool,
    /// Nodes that the wiring does not have.
    pub nodes: BTreeSet<String>,
    /// Names that no NIC has.
    pub nics: BTreeSet<String>,
}

/// A connection without a common switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongHop {
    /// The connection.
    pub hop: Hop,
    /// Switches of the NICs of both ends; `None` for a NIC without a cable.
    pub switches: [Vec<Option<u32>>; 2],
}

/// Compares connections with a wiring. `nic` finds the number of a NIC by its name.
pub fn audit_hops(nis: &NiTable, names: &Names, nic: impl Fn(&str) -> Option<u32>, hops: &Hops) -> HopAudit {
    let mut audit = HopAudit { halves: hops.halves, ..HopAudit::default() };
    for hop in &hops.list {
        let ends = [&hop.from, &hop.to].map(|end| places(nis, names, &nic, end, &mut audit));
        let [Some((sender, from)), Some((_, to))] = ends else { continue };
        let is_right = match hops.finds_nics {
            true => to.iter().take(OFFERED).flatten().any(|switch| nis.of(sender).contains(switch)),
            false => {
                let mut both = from.iter().cycle().zip(to.iter().cycle()).take(from.len().max(to.len()));
                both.all(|(from, to)| from.is_some() && from == to)
            }
        };
        match is_right {
            true => audit.right += hop.channels,
            false => {
                audit.pairs_nics |= !hops.finds_nics && from.len().max(to.len()) > 1;
                audit.wrong.push(WrongHop { hop: hop.clone(), switches: [from, to] });
            }
        }
    }
    audit
}

/// The node of an end and the switches of its NICs. What has another name is noted.
fn places(
    nis: &NiTable,
    names: &Names,
    nic: &impl Fn(&str) -> Option<u32>,
    end: &NicEnd,
    audit: &mut HopAudit,
) -> Option<(u32, Vec<Option<u32>>)> {
    let Some(Node::Pe(pe)) = names.find(&end.node) else {
        audit.nodes.insert(printable(end.node.clone()));
        return None;
    };
    let numbers: Vec<Option<u32>> = end.nics.iter().map(|name| nic(name)).collect();
    for (name, _) in end.nics.iter().zip(&numbers).filter(|(_, number)| number.is_none()) {
        audit.nics.insert(printable(name.clone()));
    }
    let switch = |ni: u32| nis.of(pe).get(ni as usize).copied();
    let switches = numbers.into_iter().map(|number| number.map(switch)).collect::<Option<_>>()?;
    Some((pe, switches))
}

/// The first names and the number of the others.
fn first(names: &BTreeSet<String>) -> String {
    let mut text: Vec<String> = names.iter().take(MAX_NAMES).cloned().collect();
    if let Some(more) = names.len().checked_sub(MAX_NAMES).filter(|&more| more > 0) {
        text.push(format!("{} more", grouped(more as u64)));
    }
    text.join(", ")
}

impl HopAudit {
    /// `true` if both ends of every connection are known and on a common switch.
    pub fn holds(&self) -> bool {
        self.wrong.is_empty() && self.halves == 0 && self.nodes.is_empty() && self.nics.is_empty()
    }

    /// Writes the result, a line each.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, names: &Names, out: &mut dyn fmt::Write) -> fmt::Result {
        let wrong: u64 = self.wrong.iter().map(|wrong| wrong.hop.channels).sum();
        let all = count(self.right + wrong, "connection");
        writeln!(out, "{} of {all} between nodes: both NICs are on a common switch", grouped(self.right))?;
        for WrongHop { hop: Hop { from, to, channels }, switches } in &self.wrong {
            let of = |end: &NicEnd| printable(format!("{} {}", end.node, end.nics.join("+")));
            let on = |switch: &Option<u32>| switch.map_or("no switch".into(), |switch| names.switch(switch));
            let on = |switches: &Vec<_>| switches.iter().map(on).collect::<Vec<_>>().join("+");
            let (channels, [on_from, on_to]) = (count(*channels, "channel"), switches.each_ref().map(on));
            writeln!(out, "  {} -> {} ({channels}): {on_from} and {on_to}", of(from), of(to))?;
        }
        if !self.nodes.is_empty() {
            let nodes = first(&self.nodes);
            writeln!(out, "not in the wiring: {nodes}. NCCL_HOSTID sets the name of a node.")?;
        }
        if !self.nics.is_empty() {
            let nics = first(&self.nics);
            writeln!(
                out,
                "unknown NICs: {nics}. --hca and --interface set the names; NCCL_DEBUG_SUBSYS=INIT,NET,ENV logs those of all devices."
            )?;
        }
        if self.pairs_nics {
            writeln!(
                out,
                "NIC k of a merged device sends to NIC k of the other. With NCCL_IB_SUBNET_AWARE_ROUTING=1 it may use any that reaches it."
            )?;
        }
        match self.halves {
            0 => Ok(()),
            halves => {
                let halves = count(halves, "connection");
                writeln!(out, "{halves} with the log of one end only. Give the logs of all processes.")
            }
        }
    }
}
