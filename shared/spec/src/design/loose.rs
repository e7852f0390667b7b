//! The ends of direct cables.

use super::{Design, Names, NiTable};
use crate::spec::Spec;
use std::borrow::Cow;

/// The wiring without nodes that are alone on a direct cable: such a NIC has no cable. Under `rail` nothing changes, as the planes of
/// a node's cables give its NICs.
pub fn plugged<'a>(spec: &Spec, design: &'a Design) -> Cow<'a, Design> {
    let cables = spec.grown(design.used_switches()).cables();
    let is_loose = |switch: usize, members: &[u32]| members.len() == 1 && cables.get(switch) == Some(&true);
    if spec.rail || !design.switches().enumerate().any(|(switch, members)| is_loose(switch, members)) {
        return Cow::Borrowed(design);
    }
    let switches = design.switches().enumerate();
    let kept = |(switch, members)| if is_loose(switch, members) { Vec::new() } else { members.to_vec() };
    Cow::Owned(Design::from_switches(design.pes(), switches.map(kept)))
}

/// `true` if a switch is a direct cable. A wiring that breaks the spec may have more PEs on it.
pub fn is_direct_cable(names: &Names, design: &Design, switch: u32) -> bool {
    names.is_cable(switch) && design.members(switch).len() <= 2
}

/// The NI at the other end of a direct cable. `None` on switches, and if that end is free.
pub fn far_ni((names, design, nis): (&Names, &Design, &NiTable), pe: u32, switch: u32) -> Option<(u32, u32)> {
    let far = *design
        .members(switch)
        .iter()
        .find(|member| **member != pe && is_direct_cable(names, design, switch))?;
    Some((far, nis.of(far).binary_search(&switch).ok()? as u32))
}
