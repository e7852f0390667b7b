//! Closed forms: wirings that need no search.
//!
//! Families offer sets of PEs that should share a switch. The sets are packed onto the switches of the spec, under rails
//! plane by plane, and the checker decides.

mod blocks;
mod covers;
mod incidence;
mod patterns;
mod product;
mod systems;

use blocks::Blocks;
use spec::{
    cancel::checked,
    demand::Demand,
    design::{Design, check},
    spec::{MAX_SWITCHES, Objective, Spec},
    text::grouped,
};
use work::hardware::crowded;

/// Offers forms until [`Trial::offer`] ends the trial.
type Family = fn(&mut Trial<'_>);

/// The families, cheapest first.
const FAMILIES: [Family; 6] = [
    offer_components,
    incidence::offer_complete,
    incidence::offer_planes,
    systems::offer_systems,
    product::offer,
    patterns::offer,
];

/// The first closed form that serves the whole demand, without extra links, and its name; `None` once `go_on` says
/// no.
pub fn closed(spec: &Spec, demand: &Demand, go_on: &mut dyn FnMut() -> bool) -> Option<(Design, String)> {
    if !spec.placements.is_empty() || spec.start.is_some() || spec.pes != demand.pes() {
        return None;
    }
    attempt(spec, demand, true, go_on)
}

/// The first form of any family. Unless `thorough`, without searches and without combined patterns.
fn attempt(
    spec: &Spec,
    demand: &Demand,
    thorough: bool,
    go_on: &mut dyn FnMut() -> bool,
) -> Option<(Design, String)> {
    let ports = spec.usable_ports();
    let nis = spec.pe_groups.iter().map(|g| g.nis).min()?;
    let multiple_links = checked(0..demand.len()).any(|pair| demand.links(pair) > 1);
    let mut trial = Trial { spec, demand, ports, nis, multiple_links, thorough, go_on, found: None };
    for family in FAMILIES {
        if trial.is_over() {
            break;
        }
        family(&mut trial);
    }
    trial.found
}

/// A wiring as sets of PEs, without switches yet.
struct Form {
    name: String,
    blocks: Blocks,
}

/// An instance while families try their forms.
struct Trial<'a> {
    spec: &'a Spec,
    demand: &'a Demand,
    /// Usable ports of every switch, in switch order.
    ports: Vec<u32>,
    /// NIs of the PE with the fewest.
    nis: u32,
    /// `true` if a pair wants more than one link.
    multiple_links: bool,
    /// `true` for a whole demand, `false` for some of its patterns.
    thorough: bool,
    go_on: &'a mut dyn FnMut() -> bool,
    found: Option<(Design, String)>,
}

impl Trial<'_> {
    fn is_over(&mut self) -> bool {
        self.found.is_some() || !(self.go_on)()
    }

    /// Tries a form as it is, then without members that serve no pair. `true` if the trial is over.
    fn offer(&mut self, form: &Form) -> bool {
        self.try_blocks(form, &form.blocks)
            || self.is_over()
            || (!self.multiple_links && self.try_blocks(form, &form.blocks.pruned(self.demand)))
            || self.is_over()
    }

    fn try_blocks(&mut self, form: &Form, blocks: &Blocks) -> bool {
        let packed = match self.spec.switches_per_plane() {
            None => blocks::pack(self.spec.pes, blocks, &self.ports),
            Some(each) => blocks::pack_by_plane(self.spec.pes, blocks, &self.ports, each as usize),
        };
        let Some(design) = packed else { return false };
        if !check(self.spec, self.demand, &design).holds() {
            return false;
        }
        self.found = Some((design, form.name.clone()));
        true
    }

    fn widths(&self) -> Vec<u32> {
        let mut widths = self.ports.clone();
        widths.sort_unstable_by(|a, b| b.cmp(a));
        widths.dedup();
        widths
    }
}

/// One NI per PE: connected parts of the demand each share a switch (Mattox 2006, chapter 3, the case of one NI).
fn offer_components(trial: &mut Trial<'_>) {
    let pes = trial.spec.pes;
    let Some(&widest) = trial.widths().first() else { return };
    let Some(parts) = covers::components(pes, trial.demand.pairs(), widest) else { return };
    let mut members: Vec<(u32, u32)> = parts.into_iter().zip(0..pes).collect();
    members.sort_unstable();
    let mut blocks = Blocks::default();
    for component in members.chunk_by(|a, b| a.0 == b.0) {
        blocks.push(component.iter().map(|&(_, pe)| pe));
    }
    let name = match blocks.len() {
        0 => "no cable is needed".to_string(),
        1 => "one switch for all connected nodes".to_string(),
        many => format!("{many} separate parts, each on one switch"),
    };
    trial.offer(&Form { name, blocks });
}

/// Maximum number of NIs for forms with more switches; each form takes a few steps per NI.
const MAX_NIS: u64 = 1 << 18;

/// A closed form and the switches it needs.
pub struct LargerForm {
    /// The spec with a count on the model that had none.
    pub spec: Spec,
    /// The wiring, accepted by the checker for that spec.
    pub design: Design,
    /// Name of the form.
    pub name: String,
    /// The model that has the count now.
    model: usize,
}

impl LargerForm {
    /// The advice that people see.
    pub fn words(&self) -> String {
        format!(
            "Search longer: {} switches serve every pair, by construction: {}.",
            grouped(self.spec.switch_budget().into()),
            self.name
        )
    }

    /// The wiring with the numbers that the switches have in the spec without that count.
    pub fn design_for(&self, spec: &Spec) -> Design {
        let (planned, model) = (spec.switch_counts(), self.model);
        let first = |at: usize| planned[..at].iter().sum::<u32>();
        // Switches of each model so far.
        let mut before = vec![0; planned.len()];
        let mut switches = vec![Vec::new(); spec.switch_budget() as usize];
        for (members, at) in self.design.switches().zip(self.spec.models()) {
            let number = before[at];
            before[at] += 1;
            if at == model && number >= planned[at] {
                switches.push(members.to_vec());
            } else {
                switches[(first(at) + number) as usize] = members.to_vec();
            }
        }
        Design::from_switches(spec.pes, switches)
    }
}

/// Maximum number of switches to try for a model of which `few` give each NI a port.
pub fn max_switches(few: u32) -> u32 {
    few.saturating_mul(2).saturating_add(16).min(MAX_SWITCHES)
}

/// Closed form that uses more switches than the NI count requires (only if the model has no `count`): a projective plane with points
/// removed. Uses about as few switches as any. `None` if it needs no more, or if the spec refers to
/// switches by number.
pub fn with_more(spec: &Spec, demand: &Demand, go_on: &mut dyn FnMut() -> bool) -> Option<LargerForm> {
    // One switch more would break up the planes.
    let named = spec.rail || !(spec.placements.is_empty() && spec.kept.is_empty() && spec.racks.is_empty());
    let small = spec.pes == demand.pes() && spec.total_nis() <= MAX_NIS;
    if named || spec.start.is_some() || !small || spec.objective == Objective::Fractional {
        return None;
    }
    let model = spec.open_model()?;
    let few = spec.switch_counts()[model];
    let mut form = |count: u32| {
        let mut spec = spec.clone();
        spec.switches[model].count = Some(count);
        spec.switches.iter_mut().for_each(|other| other.count = other.count.or(Some(0)));
        let (design, name) = attempt(&spec, demand, false, go_on).filter(|_| crowded(&spec).is_none())?;
        Some(LargerForm { spec, design, name, model })
    };
    if form(few).is_some() {
        return None;
    }
    let mut best = form(max_switches(few))?;
    let (mut low, mut high) = (few, max_switches(few));
    // The number it used is the best guess.
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
