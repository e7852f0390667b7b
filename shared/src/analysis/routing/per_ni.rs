//! An address for each NI (dissertation, section 5.1.1): every switch is a subnet, and a PE calls another by the address
//! that the other has on the switch where their path is. So every PE has names of its own for the others.

use super::Routes;
use crate::design::Path;

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
