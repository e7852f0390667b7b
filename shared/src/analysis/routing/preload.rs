//! One address a PE and preloaded neighbours (dissertation, section 5.1.2): each PE holds, for every other, out of which of
//! its NIs a packet goes and which NI of whom it is sent to.
//!
//! With one address a PE the destination's address does not change on the way, so that a PE that shares no switch
//! is reached by sending to the NI of the next PE on the way there (section 5.1.4), which forwards.

use super::Routes;
use crate::design::Path;

/// Where packets to a PE are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preload {
    /// Where they shall arrive in the end.
    pub dest: u32,
    /// Who receives them next: the destination, or an intermediary.
    pub next: u32,
    /// The path to that one: they leave by [`Path::ni`], and go to the MAC address of its NI [`Path::other_ni`].
    pub path: Path,
}

/// An entry for every PE that a PE has a path to, and for `through`: destinations that it shares no switch with, each with
/// the next PE on the way, as [`Through::routes_from`](super::Through::routes_from) tells them for the same wiring with the
/// same faults. By ascending destination.
pub fn preload(routes: &Routes, through: impl IntoIterator<Item = (u32, u32)>, pe: u32) -> Vec<Preload> {
    let direct = routes.paths(pe).map(|(dest, path)| Preload { dest, next: dest, path });
    let far = through.into_iter();
    let far = far.filter_map(|(dest, next)| Some(Preload { dest, next, path: routes.path(pe, next)? }));
    let mut all: Vec<Preload> = direct.chain(far).collect();
    all.sort_unstable_by_key(|entry| entry.dest);
    all
}

/// What one PE knows in this scheme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerNi {
    /// Its NIs that work, as (NI, switch), ascending; each has an address in its switch's subnet.
    pub interfaces: Vec<(u32, u32)>,
    /// Every PE that it has a path to, ascending. It is called by the address of its NI [`Path::other_ni`], which is in
    /// the subnet of [`Path::switch`].
    pub hosts: Vec<(u32, Path)>,
}

/// What a PE knows; nothing for a PE outside the machine.
pub fn per_ni(routes: &Routes, pe: u32) -> PerNi {
    let working = routes.working();
    let known = (pe < working.design().pes()).then(|| working.live().of(pe));
    let interfaces = known.into_iter().flatten().map(|&switch| (working.ni(pe, switch), switch));
    PerNi { interfaces: interfaces.collect(), hosts: routes.paths(pe).collect() }
}
