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
        pes: nodes.min(spec.pes - rack * nodes),
        switches: share(rack + 1) - share(rack),
        x: f64::from(rack % PER_ROW) * RACK_PITCH,
        y: f64::from(rack / PER_ROW) * AISLE,
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
        let mut ends: Vec<(usize, usize)> = Vec::with_capacity(design.cables());
        let mut longest = None;
        for (switch, members) in (0..).zip(design.switches()).filter(|(_, members)| !members.is_empty()) {
            let to = places.rack_of_switch(switch)?;
            for &pe in members {
                let from = places.rack_of_pe(pe)?;
                ends.push((from, to));
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
        ends.sort_unstable();
        let bundle = |cables: &[(usize, usize)]| {
            let (from, to) = cables[0];
            let metres = between(&spec.racks[from], &spec.racks[to]) + spec.cable_slack;
            CableBundle { from, to, cables: cables.len() as u64, metres }
        };
        let bundles: Vec<CableBundle> = ends.chunk_by(|a, b| a == b).map(bundle).collect();
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

/// `true` if two switches may change places: they are of one model with equally many usable ports, and the spec refers to no switch by
/// number.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        analysis::lengths::total,
        resolve::{self, NoFiles},
    };

    fn spec(more: &str) -> Spec {
        let text = format!(
            "pes = 6\nnis_per_pe = 2\nobjective = \"sparse\"\nmetre_price = 1\n[[switch]]\nports = 4\ncount = 3\n{more}[[pattern]]\nkind = \"ring\"\n"
        );
        resolve::read(&text, &mut NoFiles).unwrap_or_else(|faults| panic!("{faults}"))
    }

    fn design() -> Design {
        Design::from_switches(6, [vec![0, 1, 2], vec![2, 3, 4], vec![0, 4, 5]])
    }

    #[test]
    fn bundles_add_up_to_all_cables_and_metres() {
        let spec = spec("[[rack]]\npes = 3\nswitches = 2\n[[rack]]\npes = 3\nswitches = 1\nx = 4.0\n");
        let plan = RackPlan::of(&spec, &design()).unwrap();
        assert_eq!(plan.cables, 9);
        assert_eq!(Some(plan.metres), total(&spec, &design()));
        let of = |b: &CableBundle| (b.from, b.to, b.cables);
        assert_eq!(
            plan.bundles.iter().map(of).collect::<Vec<_>>(),
            [(0, 0, 4), (0, 1, 1), (1, 0, 2), (1, 1, 2)]
        );
        assert_eq!(plan.longest, Some(((3, 1), 6.0)));
        let loads: Vec<_> =
            plan.racks.iter().map(|rack| (rack.nodes, rack.switches, rack.inside, rack.outside)).collect();
        assert_eq!(loads, [((0, 3), (0, 2), 4, 3), ((3, 6), (2, 3), 2, 3)]);
    }

    #[test]
    fn default_racks_hold_every_node_and_switch() {
        let spec = spec("");
        assert_eq!(RackPlan::of(&spec, &design()), None);
        for nodes in [1, 2, 4, 5, 6, 7] {
            let racks = even_racks(&spec, nodes);
            assert_eq!(racks.iter().map(|rack| rack.pes).sum::<u32>(), 6);
            assert_eq!(racks.iter().map(|rack| rack.switches).sum::<u32>(), 3);
            let spec = Spec { racks, ..spec.clone() };
            assert_eq!(RackPlan::of(&spec, &design()).unwrap().cables, 9);
        }
    }

    #[test]
    fn switches_change_places_unless_the_spec_names_them() {
        let swapped = with_swapped(&design(), 0, 2);
        assert_eq!(swapped.members(0), [0, 4, 5]);
        assert_eq!(swapped.members(2), [0, 1, 2]);
        assert_eq!(with_swapped(&swapped, 2, 0), design());
        assert_eq!(with_swapped(&design(), 1, 4).members(4), [2, 3, 4]);
        assert!(may_swap(&spec(""), 0, 2) && !may_swap(&spec(""), 1, 1) && !may_swap(&spec(""), 0, 3));
        assert!(!may_swap(&spec("[[keep]]\nswitch = 0\nports = 1\n"), 1, 2));
        assert!(!may_swap(&spec("[uplink]\nkind = \"folded\"\n"), 0, 2));
    }
}
