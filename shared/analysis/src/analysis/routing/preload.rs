//! Two schemes of addresses.
//!
//! One address per PE with preloaded neighbours (Mattox 2006, section 5.1.2): each PE knows, for every other, the NI that its
//! packets leave by and the NI that they go to. The destination's address does not change on the way, so a PE that shares no
//! switch is reached through the NI of the next PE on the way (section 5.1.4), which forwards.
//!
//! One address per NI (section 5.1.1): every switch is a subnet, and a PE calls another by the address that the other has on the
//! switch of their path. Every PE therefore has its own names for the others.

use super::Routes;
use crate::design::Path;

/// The next hop of packets to a PE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preload {
    /// The destination.
    pub dest: u32,
    /// The next PE: the destination or an intermediary.
    pub next: u32,
    /// The path there: packets leave by [`Path::ni`] and go to the MAC address of NI [`Path::other_ni`].
    pub path: Path,
}

/// Entries of a PE by ascending destination: for every PE with a path, and for `through`, the destinations without a shared
/// switch with the next PE on the way, from [`ThroughRoutes::routes_from`](super::ThroughRoutes::routes_from) of the same design and faults.
pub fn preload(routes: &Routes, through: impl IntoIterator<Item = (u32, u32)>, pe: u32) -> Vec<Preload> {
    let direct = routes.paths(pe).map(|(dest, path)| Preload { dest, next: dest, path });
    let far = through.into_iter();
    let far = far.filter_map(|(dest, next)| Some(Preload { dest, next, path: routes.path(pe, next)? }));
    let mut all: Vec<Preload> = direct.chain(far).collect();
    all.sort_unstable_by_key(|entry| entry.dest);
    all
}

/// Interfaces and names of one PE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeInterfaces {
    /// Working NIs of the PE as (NI, switch), ascending; each has an address in the switch's subnet.
    pub interfaces: Vec<(u32, u32)>,
    /// Every PE with a path, ascending. Its name is the address of its NI [`Path::other_ni`], in the subnet of [`Path::switch`].
    pub hosts: Vec<(u32, Path)>,
}

/// Interfaces and names of a PE; empty for a PE outside the design.
pub fn per_ni(routes: &Routes, pe: u32) -> PeInterfaces {
    let working = routes.working();
    let known = (pe < working.design().pes()).then(|| working.live().of(pe));
    let interfaces = known.into_iter().flatten().map(|&switch| (working.ni(pe, switch), switch));
    PeInterfaces { interfaces: interfaces.collect(), hosts: routes.paths(pe).collect() }
}
