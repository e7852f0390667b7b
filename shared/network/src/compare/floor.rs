//! Lengths of a network's cables, if the spec has racks.
//!
//! Nodes, and switches of a wiring, stand where the racks of the spec have them. Other networks have switches of their own. Each of them
//! stands in the rack of a neighbour from which its cables are shortest in all: first the switches with hosts, then those next
//! to them, and so on. Every cable has the slack of the spec.

use crate::{
    analysis::lengths::{Places, between},
    cancel::checked,
    design::Design,
    fabric::{Fabric, NetworkKind, Speeds, kinds::build},
    spec::{Rack, Spec},
};
use std::collections::BTreeMap;

/// Max links whose lengths are measured.
const MAX_LINKS: u64 = 1 << 20;

/// Cables of one kind by length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CableLengths {
    /// Number of cables by length in millimetres.
    pub by_length: BTreeMap<u64, u64>,
    /// Cables of unknown length, since an end stands in no rack.
    pub unknown: u64,
}

/// The lengths of a network's cables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lengths {
    /// Cables with an end at a host.
    pub to_hosts: CableLengths,
    /// Cables between switches.
    pub between: CableLengths,
}

impl CableLengths {
    fn add(&mut self, metres: Option<f64>) {
        match metres {
            Some(metres) => *self.by_length.entry((metres * 1000.0).round() as u64).or_default() += 1,
            None => self.unknown += 1,
        }
    }

    /// Lengths in metres with their numbers of cables.
    pub fn metres(&self) -> impl Iterator<Item = (f64, u64)> + '_ {
        self.by_length.iter().map(|(&length, &count)| (length as f64 / 1000.0, count))
    }
}

impl Lengths {
    /// The lengths of a network in the racks of a spec, whose wiring is `design` if the network is that; `None` without racks.
    pub fn of(
        kind: &dyn NetworkKind,
        spec: &Spec,
        design: Option<&Design>,
        speeds: Speeds,
    ) -> Option<Lengths> {
        if spec.racks.is_empty() {
            return None;
        }
        let parts = kind.parts();
        let is_known = parts.hosts == spec.pes && parts.cables <= MAX_LINKS;
        let Some(fabric) = is_known.then(|| build(kind, speeds).ok()).flatten() else {
            let unknown = |unknown: u64| CableLengths { unknown, ..CableLengths::default() };
            return Some(Lengths {
                to_hosts: unknown(parts.cables - parts.between),
                between: unknown(parts.between),
            });
        };
        let places = Places::of(spec);
        let mut racks: Vec<Option<usize>> = (0..fabric.hosts).map(|host| places.rack_of_pe(host)).collect();
        match design {
            Some(design) => {
                // An uplink switch that is none of the wiring's comes last.
                let uplink = spec.uplink_switch().and_then(|uplink| places.rack_of_switch(uplink));
                racks.extend((0..fabric.switches.len() as u32).map(|switch| {
                    if switch < design.switch_count() { places.rack_of_switch(switch) } else { uplink }
                }));
            }
            None => place(&fabric, &spec.racks, &mut racks),
        }
        let mut lengths = Lengths::default();
        for link in &fabric.links {
            let [from, to] = link.ends.map(|node| racks[node as usize]);
            let metres =
                from.zip(to).map(|(from, to)| between(&spec.racks[from], &spec.racks[to]) + spec.cable_slack);
            match link.ends.iter().any(|&end| fabric.is_host(end)) {
                true => lengths.to_hosts.add(metres),
                false => lengths.between.add(metres),
            }
        }
        Some(lengths)
    }

    /// Metres of all cables of known length, and the number of the others.
    pub fn total(&self) -> (f64, u64) {
        let all = [&self.to_hosts, &self.between];
        let metres =
            all.iter().flat_map(|cables| cables.metres()).map(|(length, count)| length * count as f64);
        (metres.sum(), all.iter().map(|cables| cables.unknown).sum())
    }
}

/// Adds the racks of switches, in the order of their numbers of links from a host.
fn place(fabric: &Fabric, racks: &[Rack], placed: &mut Vec<Option<usize>>) {
    let nodes = fabric.nodes() as usize;
    let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); nodes];
    for [a, b] in fabric.links.iter().map(|link| link.ends) {
        neighbours[a as usize].push(b);
        neighbours[b as usize].push(a);
    }
    placed.resize(nodes, None);
    loop {
        let mut next: Vec<(usize, usize)> = Vec::new();
        for node in checked(fabric.hosts as usize..nodes).filter(|&node| placed[node].is_none()) {
            let mut cables: BTreeMap<usize, u64> = BTreeMap::new();
            for rack in neighbours[node].iter().filter_map(|&other| placed[other as usize]) {
                *cables.entry(rack).or_default() += 1;
            }
            let metres = |at: usize| -> f64 {
                let to = |(&rack, &count): (&usize, &u64)| count as f64 * between(&racks[at], &racks[rack]);
                cables.iter().map(to).sum()
            };
            let sums = cables.keys().map(|&at| (metres(at), at));
            if let Some((_, rack)) = sums.min_by(|a, b| a.0.total_cmp(&b.0)) {
                next.push((node, rack));
            }
        }
        if next.is_empty() {
            return;
        }
        for (node, rack) in next {
            placed[node] = Some(rack);
        }
    }
}
