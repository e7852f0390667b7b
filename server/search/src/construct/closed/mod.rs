//! Closed forms: wirings that are written down, not searched for.
//!
//! Each family below offers forms, a form being sets of PEs that should share a switch. A form is only *tried*: its sets are
//! packed onto the switches of the spec, and the independent checker decides. Families turn down what cannot be theirs
//! before they build anything, so that an instance without a closed form costs little.

mod blocks;
mod components;
pub mod field;
mod intersecting;
mod more;
mod pack;
mod patterns;
mod product;

pub use more::{More, most, with_more};

use blocks::Blocks;
use shared::{
    demand::Demand,
    design::{Design, check},
    spec::Spec,
};

/// Offers forms until [`Trial::offer`] says that enough is enough.
type Family = fn(&mut Trial<'_>);

/// The families, cheapest first.
const FAMILIES: [Family; 5] = [
    components::offer,
    intersecting::complete::offer,
    intersecting::planes::offer,
    product::offer,
    patterns::offer,
];

/// The first closed form that serves the whole demand within the spec's hardware, and its name; links that are only
/// wished for are not looked at. `go_on` is asked between steps; once it says no, nothing is returned.
pub fn closed(spec: &Spec, demand: &Demand, go_on: &mut dyn FnMut() -> bool) -> Option<(Design, String)> {
    if !spec.placements.is_empty() || spec.start.is_some() || spec.pes != demand.pes() {
        return None;
    }
    attempt(spec, demand, true, go_on)
}

/// The first form of any family; without the searches, and with patterns only as they are, unless `whole`.
fn attempt(
    spec: &Spec,
    demand: &Demand,
    whole: bool,
    go_on: &mut dyn FnMut() -> bool,
) -> Option<(Design, String)> {
    let ports = spec.usable_ports();
    let nis = spec.pe_groups.iter().map(|g| g.nis).min()?;
    let twice = (0..demand.len()).any(|pair| demand.links(pair) > 1);
    let mut trial = Trial { spec, demand, ports, nis, twice, whole, go_on, found: None };
    for family in FAMILIES {
        if trial.over() {
            break;
        }
        family(&mut trial);
    }
    trial.found
}

/// A wiring as sets of PEs, before anybody says which switch each is on.
struct Form {
    name: String,
    blocks: Blocks,
}

/// One instance while families try their forms on it.
struct Trial<'a> {
    spec: &'a Spec,
    demand: &'a Demand,
    /// Usable ports of every switch, in switch order.
    ports: Vec<u32>,
    /// NIs that every PE has.
    nis: u32,
    /// Whether a pair wants more than one link.
    twice: bool,
    /// Whether this is all that is asked, not some of its patterns.
    whole: bool,
    go_on: &'a mut dyn FnMut() -> bool,
    found: Option<(Design, String)>,
}

impl Trial<'_> {
    /// Whether a form was found, or the caller wants to stop.
    fn over(&mut self) -> bool {
        self.found.is_some() || !(self.go_on)()
    }

    /// Tries a form: as it is and, if its sets do not go onto the switches, without the members that serve no pair.
    /// Whether that is the end of the trial.
    fn offer(&mut self, form: &Form) -> bool {
        self.settle(form, &form.blocks)
            || self.over()
            || (!self.twice && self.settle(form, &form.blocks.pruned(self.demand)))
            || self.over()
    }

    fn settle(&mut self, form: &Form, blocks: &Blocks) -> bool {
        let Some(design) = pack::pack(self.spec.pes, blocks, &self.ports) else { return false };
        if !check(self.spec, self.demand, &design).holds() {
            return false;
        }
        self.found = Some((design, form.name.clone()));
        true
    }

    /// The widths of switches there are, widest first.
    fn widths(&self) -> Vec<u32> {
        let mut widths = self.ports.clone();
        widths.sort_unstable_by(|a, b| b.cmp(a));
        widths.dedup();
        widths
    }
}
