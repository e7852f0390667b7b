//! How close a wiring is to what is possible, as text.

use crate::prepare::Request;
use shared::{
    analysis::bounds::{bounds, standing},
    design::{Design, Verdict},
};

/// A line for ports and one for switches, each with the bound's proof; nothing where no pair is requested.
pub fn lines(request: &Request, design: &Design, verdict: &Verdict) -> String {
    if request.demand.is_empty() {
        return String::new();
    }
    let bounds = bounds(&request.spec, &request.demand);
    let standing = standing(&bounds, design, verdict);
    let line =
        |what: &str, mark: &str, reason: &str, source: &str| format!("{what}: {mark} ({reason}; {source})\n");
    line("fullest switch", &standing.ports.words, &bounds.ports.reason, &bounds.ports.source)
        + &line("switches", &standing.switches.words, &bounds.switches.reason, &bounds.switches.source)
}
