//! Racks of a machine: what stands in each, and the bundles of cables between them.

use super::lengths::{Places, between};
use crate::{
    design::Design,
    spec::{RACK_PITCH, Rack, Spec},
};

/// Racks in a row of a default floor plan, and metres from row to row.
const PER_ROW: u32 = 16;
const AISLE: f64 = 2.4;

/// Racks for a spec that has none: `nodes` nodes in each, switches spread evenly, rows of 16 racks.
pub fn even_racks(spec: &Spec, nodes: u32) -> Vec<Rack> {
    let nodes = nodes.max(1);
    let (count, switches) = (spec.pes.div_ceil(nodes), u64::from(spec.switch_budget()));
    let share = |rack: u32| (u64::from(rack) * switches / u64::from(count)) as u32;
    let rack = |rack: u32| Rack {
        x: f64::from(rack % PER_ROW) * RACK_PITCH,
        y: f64::from(rack / PER_ROW) * AISLE,
        ..Rack::of(nodes.min(spec.pes - rack * nodes), share(rack + 1) - share(rack))
    };
    (0..count).map(rack).collect()
}

/// Cables from the nodes of one rack to the switches of another, or of the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CableBundle {
    /// The rack of the nodes.
    pub from: usize,
    /// The rack of the switches.
    pub to: usize,
    /// Number of cables.
    pub cables: u64,
    /// Metres of each, slack included.
    pub metres: f64,
}

/// What one rack holds and what leaves it.
#[derive(Clone, Debug, PartialEq)]
pub struct RackLoad {
    /// First node and the one after the last.
    pub nodes: (u32, u32),
    /// First switch and the one after the last.
    pub switches: (u32, u32),
    /// Cables within the rack.
    pub inside: u64,
    /// Cables to or from other racks.
    pub outside: u64,
}

/// The cables of a wiring, by racks.
#[derive(Clone, Debug, PartialEq)]
pub struct RackPlan {
    /// The racks, in the spec's order.
    pub racks: Vec<RackLoad>,
    /// Bundles, by rack of the nodes, then of the switches.
    pub bundles: Vec<CableBundle>,
    /// Number of cables.
    pub cables: u64,
    /// Metres of all cables.
    pub metres: f64,
    /// The longest cable, as (node, switch), and its metres.
    pub longest: Option<((u32, u32), f64)>,
}

impl RackPlan {
    /// The cables of a wiring in the racks of a spec; `None` if a node or a used switch is in no rack.
    pub fn of(spec: &Spec, design: &Design) -> Option<RackPlan> {
        let places = Places::of(spec);
        let racks_of_pes: Vec<usize> =
            (0..spec.racks.len()).flat_map(|rack| (0..spec.racks[rack].pes).map(move |_| rack)).collect();
        // Per rack of nodes: racks of switches and cables, ascending, as switches do.
        let mut leaving: Vec<Vec<(usize, u64)>> = vec![Vec::new(); spec.racks.len()];
        let mut longest = None;
        for (switch, members) in (0..).zip(design.switches()).filter(|(_, members)| !members.is_empty()) {
            let to = places.rack_of_switch(switch)?;
            for &pe in members {
                let from = *racks_of_pes.get(pe as usize)?;
                match leaving[from].last_mut() {
                    Some((last, cables)) if *last == to => {
                        *cables += 1;
                        continue;
                    }
                    _ => leaving[from].push((to, 1)),
                }
                let metres = between(&spec.racks[from], &spec.racks[to]) + spec.cable_slack;
                if longest.is_none_or(|(_, most)| metres > most) {
                    longest = Some(((pe, switch), metres));
                }
            }
        }
        let (mut first_pe, mut first_switch) = (0, 0);
        let mut racks: Vec<RackLoad> = Vec::with_capacity(spec.racks.len());
        for rack in &spec.racks {
            let (nodes, switches) =
                ((first_pe, first_pe + rack.pes), (first_switch, first_switch + rack.switches));
            racks.push(RackLoad { nodes, switches, inside: 0, outside: 0 });
            (first_pe, first_switch) = (nodes.1, switches.1);
        }
        let bundle = |(from, to, cables): (usize, usize, u64)| {
            let metres = between(&spec.racks[from], &spec.racks[to]) + spec.cable_slack;
            CableBundle { from, to, cables, metres }
        };
        let by_racks = leaving.iter().enumerate();
        let by_racks =
            by_racks.flat_map(|(from, all)| all.iter().map(move |&(to, cables)| (from, to, cables)));
        let bundles: Vec<CableBundle> = by_racks.map(bundle).collect();
        for bundle in &bundles {
            if bundle.from == bundle.to {
                racks[bundle.from].inside += bundle.cables;
            } else {
                racks[bundle.from].outside += bundle.cables;
                racks[bundle.to].outside += bundle.cables;
            }
        }
        let cables = bundles.iter().map(|bundle| bundle.cables).sum();
        let metres = bundles.iter().map(|bundle| bundle.cables as f64 * bundle.metres).sum();
        Some(RackPlan { racks, bundles, cables, metres, longest })
    }
}

/// `true` if two switches may change places: they are of one model with equally many usable ports, under rails of one plane, and
/// the spec refers to no switch by number.
pub fn may_swap(spec: &Spec, a: u32, b: u32) -> bool {
    let unnamed = spec.placements.is_empty() && spec.kept.is_empty() && spec.start.is_none();
    let model = |switch: u32| spec.model_of(switch).map(std::ptr::from_ref);
    let uplink = spec.uplink_switch();
    unnamed
        && a != b
        && ![a, b].iter().any(|&switch| uplink == Some(switch))
        && model(a).is_some()
        && model(a) == model(b)
        && spec.usable_of(a) == spec.usable_of(b)
        && spec.plane_of(a) == spec.plane_of(b)
}

/// The wiring with the nodes of two switches exchanged.
pub fn with_swapped(design: &Design, a: u32, b: u32) -> Design {
    let count = design.switch_count().max(a + 1).max(b + 1);
    let members = |switch: u32| {
        let from = if switch == a {
            b
        } else if switch == b {
            a
        } else {
            switch
        };
        if from < design.switch_count() { design.members(from).to_vec() } else { Vec::new() }
    };
    Design::from_switches(design.pes(), (0..count).map(members))
}
