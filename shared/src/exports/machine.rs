//! Ports, colours and interface names of a design.

use super::{DesignPlan, colours::Colour};

/// Ports of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ports {
    /// All it has.
    pub all: u32,
    /// Those that NIs may use, which come first.
    pub usable: u32,
}

/// The ports of every switch of the wiring, in order. A switch that the spec does not allow has as many as are used.
pub(super) fn ports(plan: &DesignPlan) -> impl Iterator<Item = Ports> + '_ {
    let spec = &*plan.spec;
    let models = spec.switches.iter().zip(spec.switch_counts());
    let mut widths = models.flat_map(|(m, count)| std::iter::repeat_n(m.ports, count as usize));
    let mut usable = spec.usable_ports().into_iter();
    plan.design.switches().map(move |members| {
        let used = members.len() as u32;
        let all = widths.next().unwrap_or(0).max(used);
        Ports { all, usable: usable.next().unwrap_or(0).clamp(used, all) }
    })
}

/// The colour of a switch's cables, in the palette that labels are printed in.
pub(super) fn colour(plan: &DesignPlan, switch: u32) -> Colour {
    plan.settings.labels.palette.of(switch)
}

/// Name of an NI.
pub(super) fn interface(plan: &DesignPlan, ni: usize) -> String {
    format!("{}{ni}", plan.settings.interface)
}

/// Name of a port.
pub(super) fn port(plan: &DesignPlan, port: u32) -> String {
    format!("{}{port}", plan.settings.port.as_deref().unwrap_or("swp"))
}
