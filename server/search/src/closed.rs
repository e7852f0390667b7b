//! Closed forms: wirings that are written down, not searched for.
//!
//! Each family below offers forms, a form being sets of PEs that should share a switch. A form is only *tried*: its sets are
//! packed onto the switches of the spec, and the independent checker decides. Families turn down what cannot be theirs
//! before they build anything, so that an instance without a closed form costs little.

mod blocks;
mod covers;
pub mod incidence;
mod patterns;
mod product;

use blocks::{Blocks, root};
use shared::{
    demand::Demand,
    design::{Design, check},
    hardware::crowded,
    spec::{MAX_SWITCHES, Objective, Spec},
    text::grouped,
};

/// Offers forms until [`Trial::offer`] says that enough is enough.
type Family = fn(&mut Trial<'_>);

/// The families, cheapest first.
const FAMILIES: [Family; 5] =
    [offer_components, incidence::offer_complete, incidence::offer_planes, product::offer, patterns::offer];

/// The first closed form that serves the whole demand within the spec's hardware, and its name; links that are only
/// wished for are not looked at. `go_on` is asked between steps; once it says no, nothing is returned.
pub fn closed(spec: &Spec, demand: &Demand, go_on: &mut dyn FnMut() -> bool) -> Option<(Design, String)> {
    if !spec.placements.is_empty() || spec.start.is_some() || spec.pes != demand.pes() {
        return None;
    }
    attempt(spec, demand, true, go_on)
}

/// The first form of any family; without the searches, and with patterns only as they are, unless `thorough`.
fn attempt(
    spec: &Spec,
    demand: &Demand,
    thorough: bool,
    go_on: &mut dyn FnMut() -> bool,
) -> Option<(Design, String)> {
    let ports = spec.usable_ports();
    let nis = spec.pe_groups.iter().map(|g| g.nis).min()?;
    let multiple_links = (0..demand.len()).any(|pair| demand.links(pair) > 1);
    let mut trial = Trial { spec, demand, ports, nis, multiple_links, thorough, go_on, found: None };
    for family in FAMILIES {
        if trial.is_over() {
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
    multiple_links: bool,
    /// Whether this is all that is asked, not some of its patterns.
    thorough: bool,
    go_on: &'a mut dyn FnMut() -> bool,
    found: Option<(Design, String)>,
}

impl Trial<'_> {
    /// Whether a form was found, or the caller wants to stop.
    fn is_over(&mut self) -> bool {
        self.found.is_some() || !(self.go_on)()
    }

    /// Tries a form: as it is and, if its sets do not go onto the switches, without the members that serve no pair.
    /// Whether that is the end of the trial.
    fn offer(&mut self, form: &Form) -> bool {
        self.try_blocks(form, &form.blocks)
            || self.is_over()
            || (!self.multiple_links && self.try_blocks(form, &form.blocks.pruned(self.demand)))
            || self.is_over()
    }

    fn try_blocks(&mut self, form: &Form, blocks: &Blocks) -> bool {
        let Some(design) = blocks::pack(self.spec.pes, blocks, &self.ports) else { return false };
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

// One NI a PE: PEs that are connected by requests, however indirectly, share a switch (dissertation, chapter 3, the case of
// one NI). Where they are all connected that is one switch for everybody.

/// Offers the one form there is.
fn offer_components(trial: &mut Trial<'_>) {
    let pes = trial.spec.pes;
    let Some(&widest) = trial.widths().first() else { return };
    let mut parent: Vec<u32> = (0..pes).collect();
    let mut sizes = vec![1u32; pes as usize];
    for (a, b) in trial.demand.pairs() {
        let (one, other) = (root(&mut parent, a), root(&mut parent, b));
        if one != other {
            sizes[one as usize] += sizes[other as usize];
            parent[other as usize] = one;
            if sizes[one as usize] > widest {
                return;
            }
        }
    }
    let mut members: Vec<(u32, u32)> = (0..pes).map(|pe| (root(&mut parent, pe), pe)).collect();
    members.sort_unstable();
    let mut blocks = Blocks::default();
    for component in members.chunk_by(|a, b| a.0 == b.0) {
        blocks.push(component.iter().map(|&(_, pe)| pe));
    }
    let name = match blocks.len() {
        0 => "no cable is needed".to_string(),
        1 => "one switch for all that have partners".to_string(),
        many => format!("{many} separate parts, each on one switch"),
    };
    trial.offer(&Form { name, blocks });
}

// Closed forms that take more switches than give each NI a port: a plane that lacks some points leaves ports free on many
// lines. Where nobody has said how many switches there may be, such a form is an answer, too.

/// Most NIs of a machine that forms are tried for; each takes a few steps an NI.
const MAX_NIS: u64 = 1 << 18;

/// A closed form with the switches that it takes.
pub struct More {
    /// The spec with a count on the model that had none.
    pub spec: Spec,
    /// The wiring; the checker has accepted it for that spec.
    pub design: Design,
    /// What it is.
    pub name: String,
    /// The model that has the count now.
    model: usize,
}

impl More {
    /// What it takes, in a sentence.
    pub fn words(&self) -> String {
        let count = self.spec.switches[self.model].count.unwrap_or(0);
        format!(
            "Give switch[{}] `count = {count}`: {} switches serve every pair, by construction: {}.",
            self.model,
            grouped(self.spec.switch_budget().into()),
            self.name
        )
    }
}

/// Most switches of a model of which so many give each NI a port.
pub fn max_switches(few: u32) -> u32 {
    few.saturating_mul(2).saturating_add(16).min(MAX_SWITCHES)
}

/// A closed form that serves the whole demand with more switches of the model without a count than would give each NI a
/// port, at most [`max`] of them, and about as few as any. `None` where it does not take more, without such a model, where
/// switches have numbers that the spec speaks of, and once `go_on` says no.
pub fn with_more(spec: &Spec, demand: &Demand, go_on: &mut dyn FnMut() -> bool) -> Option<More> {
    let named = !(spec.placements.is_empty() && spec.kept.is_empty() && spec.racks.is_empty());
    let small = spec.pes == demand.pes() && spec.total_nis() <= MAX_NIS;
    if named || spec.start.is_some() || !small || spec.objective == Objective::Fractional {
        return None;
    }
    let model = spec.switches.iter().position(|model| model.count.is_none())?;
    let few = spec.switch_counts()[model];
    let mut form = |count: u32| {
        let mut spec = spec.clone();
        spec.switches[model].count = Some(count);
        let (design, name) = attempt(&spec, demand, false, go_on).filter(|_| crowded(&spec).is_none())?;
        Some(More { spec, design, name, model })
    };
    if form(few).is_some() {
        return None;
    }
    let mut best = form(max_switches(few))?;
    let (mut low, mut high) = (few, max_switches(few));
    // What it has used is the best guess.
    let used = best.design.switches().filter(|members| !members.is_empty()).count() as u32;
    let others: u32 = best.spec.switch_budget() - high;
    let mut next = used.saturating_sub(others).clamp(low + 1, high);
    while low + 1 < high {
        match form(next) {
            Some(better) => (best, high) = (better, next),
            None => low = next,
        }
        next = low + (high - low) / 2;
    }
    Some(best)
}
