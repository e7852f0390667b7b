//! Direct cables with a free end.

use super::Design;
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
