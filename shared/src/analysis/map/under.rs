//! The pair of PEs under the pointer.

use crate::demand::patterns;
use crate::{demand::Demand, design::Design, spec::Spec};
use serde::{Deserialize, Serialize};

/// One pair of PEs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Under {
    /// The patterns that ask for the pair, in words; for a universal objective also "universal".
    pub requested_by: Vec<String>,
    /// Shared switches wanted; 0 for a pair nobody asked for.
    pub links: u32,
    /// Switches that the two share, ascending.
    pub switches: Vec<u32>,
}

/// Tells about the pair of `a` and `b`. Empty for a PE with itself or outside the machine. The time is that of two PEs'
/// partners and switches, not of the whole machine's.
pub fn under(spec: &Spec, demand: &Demand, design: Option<&Design>, a: u32, b: u32) -> Under {
    let mut found = Under::default();
    if a == b || a.max(b) >= demand.pes() {
        return found;
    }
    if let Some(pair) = demand.index_of(a, b) {
        let mask = demand.patterns_of(pair);
        found.links = demand.links(pair);
        let asking = spec.patterns.iter().enumerate().filter(|(p, _)| mask >> p & 1 == 1);
        found.requested_by = asking.map(|(_, pattern)| patterns::label(pattern)).collect();
        if spec.objective == crate::spec::Objective::Universal {
            found.requested_by.push("universal".into());
        }
    }
    if let Some(design) = design.filter(|d| a.max(b) < d.pes()) {
        let on = |s: u32, pe: u32| design.members(s).binary_search(&pe).is_ok();
        found.switches = (0..design.switch_count()).filter(|&s| on(s, a) && on(s, b)).collect();
    }
    found
}
