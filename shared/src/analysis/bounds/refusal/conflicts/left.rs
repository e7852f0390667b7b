//! What the placements leave of the hardware, held against the demand.
//!
//! Where no PE's places are contradictory by themselves, all together may still be too few:
//!
//! * **reach**: a PE meets its partners only where it and they may be;
//! * **ports**: each PE needs some ports, and finds them only on switches where it may be. Whether all do is a flow from
//!   PEs through switches to ports, and a smallest cut shows who is short of what (Hall's theorem, with capacities);
//! * **confined PEs**: PEs that may be on some switches only meet there, so that these switches must do for the pairs
//!   among them: every bound on hardware holds for them alone.

use super::{
    Conflict,
    chain::{pes_named, switches_named},
    flow::{Network, SINK, SOURCE},
    named, place_fault,
    placed::Placed,
    room::{Room, numbers},
};
use crate::{
    demand::Demand,
    spec::{Fault, PeGroup, Spec, SwitchModel},
};
use std::collections::{BTreeMap, BTreeSet};

/// Most switches looked at for the partners of all PEs together.
const MOST_MEETINGS: usize = 1 << 26;
/// Most arcs of the flow.
const MOST_ARCS: usize = 1 << 18;
/// Most different sets of switches that PEs are confined to.
const MOST_CONFINED: usize = 16;
/// Most pairs that are judged again to see which placements it takes.
const MOST_AGAIN: usize = 1 << 21;

/// The placements that leave too little of hardware that would otherwise be enough.
pub(super) fn conflict(spec: &Spec, demand: &Demand) -> Option<Conflict> {
    let mut proof = proof(spec, demand)?;
    let mut least = spec.clone();
    let mut judged = 0;
    for index in 0..spec.placements.len() {
        judged += demand.len() + spec.pes as usize;
        if judged > MOST_AGAIN {
            break;
        }
        let placement = std::mem::take(&mut least.placements[index].pes);
        match self::proof(&least, demand) {
            Some(without) => proof = without,
            None => least.placements[index].pes = placement,
        }
    }
    let placements: BTreeSet<usize> =
        (0..least.placements.len()).filter(|&i| !least.placements[i].pes.is_empty()).collect();
    if placements.is_empty() {
        return None;
    }
    let expected = "places that leave enough switches and ports to these PEs";
    let mut faults: Vec<Fault> = placements.iter().map(|&i| place_fault(spec, i, expected)).collect();
    let budget = format!("{} switches", spec.switch_budget());
    faults.push(Fault::new("switch", budget, "more or wider ones, or fewer patterns"));
    Some((faults, format!("By {}: {proof}", named(&placements))))
}

/// Why too little is left, in sentences; `None` proves nothing.
fn proof(spec: &Spec, demand: &Demand) -> Option<String> {
    let placed = Placed::of(spec);
    let mut room = Room::of(&placed, demand)?;
    room.follow().ok()?;
    let left = Left::of(&room);
    left.reach().or_else(|| left.ports()).or_else(|| left.confined())
}

struct Left<'a> {
    room: &'a Room<'a>,
    /// PEs that each switch can hold.
    widths: Vec<u32>,
    /// For each PE, the links it wants and the most it can have; fewest switches that give it those it wants.
    wants: Vec<(u64, u64, u32)>,
}

impl<'a> Left<'a> {
    fn of(room: &'a Room<'a>) -> Left<'a> {
        let mut may_hold = vec![0u32; room.held.len()];
        for pe in 0..room.placed.nis.len() as u32 {
            numbers(room.may.of(pe).iter().copied()).iter().for_each(|&s| may_hold[s as usize] += 1);
        }
        let widths: Vec<u32> =
            room.placed.usable.iter().zip(may_hold).map(|(&w, most)| w.min(most)).collect();
        let wants = wants(room, &widths);
        Left { room, widths, wants }
    }

    /// A PE that cannot have its links.
    fn reach(&self) -> Option<String> {
        let pe = self.wants.iter().position(|&(wanted, most, _)| wanted > most)?;
        let (wanted, most, _) = self.wants[pe];
        let nis = self.room.placed.nis[pe];
        let word = if nis == 1 { "NI reaches" } else { "NIs reach" };
        Some(format!(
            "PE {pe} wants {wanted} links to others, and where it and they may be its {nis} {word} at most {most}."
        ))
    }

    /// PEs that find too few ports.
    fn ports(&self) -> Option<String> {
        let pes = self.classes();
        if pes.len() * self.widths.len() > MOST_ARCS {
            return None;
        }
        let switches = self.groups(&pes);
        let mut network = Network::new(pes.len() + switches.len());
        let switch_node = |group: usize| 2 + pes.len() + group;
        let mut wanted = 0;
        for (class, (of, members)) in pes.iter().enumerate() {
            wanted += u64::from(of.need) * members.len() as u64;
            network.join(SOURCE, 2 + class, u64::from(of.need) * members.len() as u64);
            for (group, alike) in switches.iter().enumerate() {
                // Alike switches take, or do not take, all PEs of a class.
                if of.takes(alike[0]) {
                    network.join(2 + class, switch_node(group), (members.len() * alike.len()) as u64);
                }
            }
        }
        for (group, alike) in switches.iter().enumerate() {
            network.join(switch_node(group), SINK, self.free_ports(alike));
        }
        let (sent, near) = network.send();
        if sent == wanted {
            return None;
        }
        // On the source's side of the cut: PEs that want more than finds a way out of it.
        let short = || pes.iter().enumerate().filter(|(class, _)| near[2 + class]).map(|(_, class)| class);
        let need: u64 = short().map(|(of, members)| u64::from(of.need) * members.len() as u64).sum();
        let mut who: Vec<u32> = short().flat_map(|(_, members)| members.iter().copied()).collect();
        who.sort_unstable();
        let cut = switches.iter().enumerate().filter(|(group, _)| near[switch_node(*group)]);
        let mut places: Vec<u32> = cut.flat_map(|(_, alike)| alike.iter().copied()).collect();
        places.sort_unstable();
        let (there, found) = (self.free_ports(&places), need - (wanted - sent));
        let told = who.iter().any(|&pe| self.room.must.count(pe) > 0);
        let besides = if told { " besides those that they must be on anyway" } else { "" };
        let have = if places.len() == 1 { "has" } else { "have" };
        let places = match found - there {
            _ if places.is_empty() => format!("the switches where they may be give them {found}"),
            0 => format!("{} {have} {there} left, where alone they may be", switches_named(&places)),
            more => format!("{} {have} {there} left; elsewhere they find {more}", switches_named(&places)),
        };
        Some(format!("{} need {need} ports for their links{besides}, and {places}.", pes_named(&who)))
    }

    fn free_ports(&self, switches: &[u32]) -> u64 {
        switches
            .iter()
            .map(|&s| u64::from(self.widths[s as usize].saturating_sub(self.room.held[s as usize])))
            .sum()
    }

    /// PEs that need something and are alike in what and where.
    fn classes(&self) -> Vec<(Class, Vec<u32>)> {
        let mut classes: BTreeMap<Class, Vec<u32>> = BTreeMap::new();
        for (pe, &(_, _, switches)) in (0..).zip(&self.wants) {
            let need = switches.saturating_sub(self.room.must.count(pe));
            if need > 0 {
                let free =
                    self.room.may.of(pe).iter().zip(self.room.must.of(pe)).map(|(may, must)| may & !must);
                classes.entry(Class { need, free: free.collect() }).or_default().push(pe);
            }
        }
        classes.into_iter().collect()
    }

    /// Switches that take the same PEs, and have as many free ports.
    fn groups(&self, classes: &[(Class, Vec<u32>)]) -> Vec<Vec<u32>> {
        let mut groups: BTreeMap<(u64, Vec<bool>), Vec<u32>> = BTreeMap::new();
        for switch in 0..self.widths.len() as u32 {
            let takes = classes.iter().map(|(of, _)| of.takes(switch)).collect();
            groups.entry((self.free_ports(&[switch]), takes)).or_default().push(switch);
        }
        groups.into_values().collect()
    }

    /// PEs that may be on some switches only, which are too few or too narrow for the pairs among them.
    fn confined(&self) -> Option<String> {
        let room = self.room;
        let rows = 0..room.placed.nis.len() as u32;
        let mut places: BTreeSet<Vec<u64>> = rows.map(|pe| room.may.of(pe).to_vec()).collect();
        while places.len() > MOST_CONFINED {
            places.pop_last();
        }
        let words = room.held.len().div_ceil(64);
        let anywhere =
            (0..words).map(|w| (0..64).filter(|b| w * 64 + b < room.held.len()).map(|b| 1 << b).sum());
        places.insert(anywhere.collect());
        places.iter().find_map(|place| self.within(place))
    }

    /// The bounds on hardware for the PEs that may be on these switches only.
    fn within(&self, place: &[u64]) -> Option<String> {
        let (room, all) = (self.room, 0..self.room.placed.nis.len() as u32);
        let stays = |&pe: &u32| room.may.of(pe).iter().zip(place).all(|(may, place)| may & !place == 0);
        let inside: Vec<bool> = all.clone().map(|pe| stays(&pe)).collect();
        let pes: Vec<u32> = all.filter(|&pe| inside[pe as usize]).collect();
        let demand = room.demand.within(|pe| inside[pe as usize]);
        if demand.is_empty() {
            return None;
        }
        let switches = numbers(place.iter().copied());
        let width = |&switch: &u32| {
            let may = pes.iter().filter(|&&pe| room.may.has(pe, switch)).count() as u32;
            let must = pes.iter().filter(|&&pe| room.must.has(pe, switch)).count() as u32;
            let others = room.held[switch as usize] - must;
            room.placed.usable[switch as usize].saturating_sub(others).min(may)
        };
        let mut widths: Vec<u32> = switches.iter().map(width).filter(|&width| width > 0).collect();
        widths.sort_unstable();
        let nis = |pe: u32| match inside[pe as usize] {
            true => room.placed.nis[pe as usize].min(room.may.count(pe)),
            false => 0,
        };
        let spec = hardware(room.placed.spec, (0..room.placed.spec.pes).map(nis), &widths)?;
        let (_, proof) = super::super::short(&spec, &demand).into_iter().next()?;
        let who = if pes.len() == inside.len() { "the PEs".into() } else { pes_named(&pes) };
        let (nis, ports): (u64, u64) = (spec.total_nis(), widths.iter().map(|&w| u64::from(w)).sum());
        Some(format!(
            "{who} may be on no more than {}, where they have use for {nis} NIs and {ports} ports. {proof}",
            switches_named(&switches)
        ))
    }
}

/// PEs that need so many ports more on the switches that they may, and not must, be on.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Class {
    need: u32,
    free: Vec<u64>,
}

impl Class {
    fn takes(&self, switch: u32) -> bool {
        self.free[switch as usize / 64] >> (switch % 64) & 1 == 1
    }
}

/// The spec with these NIs and these usable widths, ascending, and no rules; `None` without a switch.
fn hardware(spec: &Spec, nis: impl Iterator<Item = u32>, widths: &[u32]) -> Option<Spec> {
    let mut groups: Vec<PeGroup> = Vec::new();
    for nis in nis {
        match groups.last_mut() {
            Some(last) if last.nis == nis => last.count += 1,
            _ => groups.push(PeGroup { count: 1, nis }),
        }
    }
    let model = |alike: &[u32]| SwitchModel {
        ports: alike[0],
        reserve: 0,
        price: None,
        count: Some(alike.len() as u32),
    };
    let switches: Vec<SwitchModel> = widths.chunk_by(|a, b| a == b).map(model).collect();
    let bare = Spec {
        pe_groups: groups,
        switches,
        uplink: None,
        kept: Vec::new(),
        placements: Vec::new(),
        racks: Vec::new(),
        start: None,
        ..spec.clone()
    };
    (!bare.switches.is_empty()).then_some(bare)
}

/// For each PE, the links it wants, the most it can have, and the fewest switches that give it those it wants.
fn wants(room: &Room<'_>, widths: &[u32]) -> Vec<(u64, u64, u32)> {
    let adjacency = room.demand.adjacency();
    let counted = 2 * room.demand.len() * widths.len() <= MOST_MEETINGS;
    let mut meets = vec![0u32; widths.len()];
    let mut wants = Vec::with_capacity(room.placed.nis.len());
    for pe in 0..room.placed.nis.len() as u32 {
        let (first, last) = (adjacency.starts[pe as usize], adjacency.starts[pe as usize + 1]);
        let pairs = &adjacency.pair[first as usize..last as usize];
        let wanted: u64 = pairs.iter().map(|&pair| u64::from(room.demand.links(pair as usize))).sum();
        if wanted == 0 {
            wants.push((0, 0, 0));
            continue;
        }
        meets.fill(if counted { 0 } else { u32::MAX });
        for &partner in adjacency.of(pe).iter().filter(|_| counted) {
            numbers(room.may.common(pe, partner)).iter().for_each(|&s| meets[s as usize] += 1);
        }
        let others =
            |switch: &u32| u64::from(widths[*switch as usize].saturating_sub(1).min(meets[*switch as usize]));
        let told = numbers(room.must.of(pe).iter().copied());
        let may = room.may.of(pe).iter().zip(room.must.of(pe)).map(|(may, must)| may & !must);
        let mut free: Vec<u64> = numbers(may).iter().map(others).collect();
        free.sort_unstable_by(|a, b| b.cmp(a));
        free.truncate((room.placed.nis[pe as usize] as usize).saturating_sub(told.len()));
        let (mut most, mut switches) = (told.iter().map(others).sum::<u64>(), told.len() as u32);
        for more in free {
            switches += u32::from(most < wanted);
            most += more;
        }
        wants.push((wanted, most, switches));
    }
    wants
}
