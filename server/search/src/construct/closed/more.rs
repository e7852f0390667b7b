//! Closed forms that take more switches than give each NI a port: a plane that lacks some points leaves ports free on many
//! lines. Where nobody has said how many switches there may be, such a form is an answer, too.

use super::attempt;
use shared::{
    demand::Demand,
    design::Design,
    hardware::crowded,
    spec::{MAX_SWITCHES, Objective, Spec},
    text::grouped,
};

/// Most NIs of a machine that forms are tried for; each takes a few steps an NI.
const MOST_NIS: u64 = 1 << 18;

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
pub fn most(few: u32) -> u32 {
    few.saturating_mul(2).saturating_add(16).min(MAX_SWITCHES)
}

/// A closed form that serves the whole demand with more switches of the model without a count than would give each NI a
/// port, at most [`most`] of them, and about as few as any. `None` where it does not take more, without such a model, where
/// switches have numbers that the spec speaks of, and once `go_on` says no.
pub fn with_more(spec: &Spec, demand: &Demand, go_on: &mut dyn FnMut() -> bool) -> Option<More> {
    let named = !(spec.placements.is_empty() && spec.kept.is_empty() && spec.racks.is_empty());
    let small = spec.pes == demand.pes() && spec.total_nis() <= MOST_NIS;
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
    let mut best = form(most(few))?;
    let (mut low, mut high) = (few, most(few));
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
