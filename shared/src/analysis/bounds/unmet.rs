//! The best bounds known as a refusal, where the plain ones pass.

use super::{Needs, bounds};
use crate::{
    demand::Demand,
    spec::{Fault, Spec},
    text::grouped,
};

/// Hardware that falls short of the best bound on ports, or else on switches. `model` is the model of a switch with most
/// usable ports, of which such a switch keeps `kept` free.
pub(super) fn unmet(
    spec: &Spec,
    demand: &Demand,
    needs: &Needs,
    (model, kept): (usize, u32),
) -> Option<(Fault, String)> {
    let (bounds, there) = (bounds(spec, demand), needs.widths.len() as u64);
    let usable = needs.widths.first().copied().unwrap_or(0);
    let (ports, switches) = (bounds.ports, bounds.switches);
    if ports.ports > usable {
        let least = ports.ports.saturating_add(kept);
        let enough = format!("at least {least} ports, or more NIs a PE, or fewer patterns");
        let proof = format!(
            "With these NIs no switches with fewer than {} usable ports can do, and the widest has {usable}. Known by: {} \
             ({}).",
            ports.ports, ports.reason, ports.source
        );
        return Some((Fault::new(format!("switch[{model}].ports"), usable + kept, enough), proof));
    }
    if u64::from(switches.switches) > there {
        let proof = format!(
            "The {} switches that may be used are too few. Known by: {} ({}).",
            grouped(there),
            switches.reason,
            switches.source
        );
        let enough = "more switches, by more NIs a PE or a larger `count`, or wider ones, or fewer patterns";
        let count = spec.switch_counts().get(model).copied().unwrap_or(0);
        return Some((Fault::new(format!("switch[{model}].count"), count, enough), proof));
    }
    None
}
