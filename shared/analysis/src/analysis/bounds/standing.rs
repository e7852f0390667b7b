//! Distance of a wiring from the bounds.

use super::Bounds;
use crate::{
    design::{Design, Verdict},
    spec::Spec,
    text::{grouped, noun},
};
use serde::{Deserialize, Serialize};

/// A wiring's hardware beside the bound on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Mark {
    /// Amount that the wiring uses.
    pub used: u32,
    /// Lower bound.
    pub bound: u32,
    /// `true` if the wiring serves every pair within its budget and meets the bound; `false` if no pair is requested.
    pub optimal: bool,
    /// The amount and the bound in words, such as `17 ports; at least 9: a search on narrower switches may need up to 8 fewer`.
    pub words: String,
}

/// A wiring beside the bounds, on both sides of the hardware.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Standing {
    /// The fullest switch, beside the bound on the width of switches for the spec's NICs.
    pub ports: Mark,
    /// Switches with a node on them, beside the bound on their number for the spec's widths.
    pub switches: Mark,
}

/// Compares a wiring with the bounds on the hardware of a spec. Only one that serves every pair within its budget can be optimal.
pub fn standing(spec: &Spec, bounds: &Bounds, design: &Design, verdict: &Verdict) -> Standing {
    let one = spec.switch_noun();
    let more = noun(2, one);
    let fullest = design.switches().map(<[u32]>::len).max().unwrap_or(0) as u32;
    let used = design.switches().filter(|members| !members.is_empty()).count() as u32;
    Standing {
        ports: mark(fullest, bounds.ports.ports, ["port", "ports", "on narrower switches"], verdict),
        switches: mark(used, bounds.switches.switches, [one, &more, &format!("with fewer {more}")], verdict),
    }
}

/// A mark on a noun, in singular and plural, of which a search in these words may need less.
fn mark(used: u32, bound: u32, [one, more, search]: [&str; 3], verdict: &Verdict) -> Mark {
    if verdict.requested == 0 {
        let words = if used == 0 { "none used, none needed" } else { "none is needed" };
        return Mark { used, bound, optimal: false, words: words.into() };
    }
    let optimal = verdict.holds() && used <= bound;
    let noun = if used == 1 { one } else { more };
    let end = if optimal {
        ": optimal".to_string()
    } else if verdict.holds() {
        format!(": a search {search} may need up to {} fewer", grouped(u64::from(used - bound)))
    } else if verdict.breaches.is_empty() {
        " to serve every pair, which this wiring does not".to_string()
    } else {
        " to serve every pair within the budget".to_string()
    };
    let words = format!("{} {noun}; at least {}{end}", grouped(used.into()), grouped(bound.into()));
    Mark { used, bound, optimal, words }
}
