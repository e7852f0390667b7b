//! How close a wiring is to what is possible, as text.

use crate::prepare::Request;
use shared::{
    analysis::bounds::{bounds, standing},
    design::{Design, Verdict},
};

/// A line for ports and one for switches, each with the bound's proof.
pub fn lines(request: &Request, design: &Design, verdict: &Verdict) -> String {
    let bounds = bounds(&request.spec, &request.demand);
    let standing = standing(&bounds, design, verdict);
    let line = |mark: &str, reason: &str, source: &str| format!("bound: {mark} ({reason}; {source})\n");
    line(&standing.ports.words, &bounds.ports.reason, &bounds.ports.source)
        + &line(&standing.switches.words, &bounds.switches.reason, &bounds.switches.source)
}
