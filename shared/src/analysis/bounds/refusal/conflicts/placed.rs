//! The placements of a spec, sorted by PE.

use crate::spec::Spec;

/// A PE that must be on a switch, and which placement says so.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) pe: u32,
    pub(super) switch: u32,
    pub(super) placement: usize,
}

pub(super) struct Placed<'a> {
    pub(super) spec: &'a Spec,
    /// Usable ports of every switch.
    pub(super) usable: Vec<u32>,
    /// NIs of every PE.
    pub(super) nis: Vec<u32>,
    /// Where PEs must be, ascending by PE and switch.
    pub(super) on: Vec<Place>,
    /// Where PEs must be though there is no such switch, as when fewer are tried than the placements are written for.
    pub(super) absent: Vec<Place>,
    /// PEs with the placements that say where they must not be, ascending.
    pub(super) off: Vec<(u32, usize)>,
}

impl<'a> Placed<'a> {
    pub(super) fn of(spec: &'a Spec) -> Placed<'a> {
        let (mut on, mut off) = (Vec::new(), Vec::new());
        for (index, placement) in spec.placements.iter().enumerate() {
            if placement.on {
                let places = |&pe: &u32| {
                    let place = move |&switch: &u32| Place { pe, switch, placement: index };
                    placement.switches.iter().map(place)
                };
                on.extend(placement.pes.iter().flat_map(places));
            } else {
                off.extend(placement.pes.iter().map(|&pe| (pe, index)));
            }
        }
        on.sort_unstable();
        off.sort_unstable();
        let usable = spec.usable_ports();
        let (on, absent) = on.into_iter().partition(|place: &Place| (place.switch as usize) < usable.len());
        Placed { spec, usable, nis: spec.nis_per_pe().collect(), on, absent, off }
    }

    /// Where a PE must be.
    pub(super) fn on_of(&self, pe: u32) -> &[Place] {
        let first = self.on.partition_point(|p| p.pe < pe);
        let count = self.on[first..].partition_point(|p| p.pe == pe);
        &self.on[first..first + count]
    }

    /// The placements that say where a PE must not be.
    pub(super) fn off_of(&self, pe: u32) -> impl Iterator<Item = usize> + '_ {
        let first = self.off.partition_point(|o| o.0 < pe);
        self.off[first..].iter().take_while(move |o| o.0 == pe).map(|o| o.1)
    }

    /// Whether a placement names a switch.
    pub(super) fn names(&self, placement: usize, switch: u32) -> bool {
        self.spec.placements[placement].switches.binary_search(&switch).is_ok()
    }
}
