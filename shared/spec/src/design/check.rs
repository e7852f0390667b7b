//! The independent checker: the only place that may call a wiring valid.
//!
//! It looks up each requested pair in the wiring's lists and shares nothing with the search: no bit masks, no increments.

use super::{Design, NiTable};
use crate::{
    cancel::checked,
    demand::Demand,
    spec::{Objective, Spec, Start, ports::Spine},
    text::grouped,
};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A way in which a wiring breaks its hardware budget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case", tag = "breach")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Breach {
    /// Wiring and spec differ in their number of nodes.
    #[error("the wiring is for {has} nodes; the spec has {allowed}")]
    Pes {
        /// Nodes of the wiring.
        has: u32,
        /// Nodes of the spec.
        allowed: u32,
    },
    /// More switches than may be used.
    #[error("{has} switches; the spec allows {allowed}")]
    Switches {
        /// Switches of the wiring, up to the last that is not empty.
        has: u32,
        /// Switches that may be used.
        allowed: u32,
    },
    /// More nodes on a switch than it has usable ports.
    #[error("switch {switch} has {has} nodes; {allowed} of its ports are usable")]
    Ports {
        /// The switch.
        switch: u32,
        /// Nodes on it.
        has: u32,
        /// Usable ports of the switch.
        allowed: u32,
    },
    /// A node on more switches than it has NICs.
    #[error("node {pe} is on {has} switches; it has {allowed} NICs")]
    Nis {
        /// The node.
        pe: u32,
        /// Switches it is on.
        has: u32,
        /// NICs of the node.
        allowed: u32,
    },
    /// Under `rail`, a node on two switches of one plane, or on a plane for which it has no NIC.
    #[error("node {pe} is on {has} switch{} of plane {plane}; `rail` allows {allowed}", if *has == 1 { "" } else { "es" })]
    Rail {
        /// The node.
        pe: u32,
        /// The plane.
        plane: u32,
        /// Switches of the plane that the node is on.
        has: u32,
        /// NICs of the node for the plane: 1 or 0.
        allowed: u32,
    },
    /// Under `rail`, a node on a plane but not on an earlier one. Its NICs count from plane 0, so labels would be wrong.
    #[error(
        "node {pe} has a cable on plane {later}, but none on plane {plane}; under `rail`, NIC {plane} is on plane {plane}"
    )]
    Skipped {
        /// The node.
        pe: u32,
        /// The first plane without a cable.
        plane: u32,
        /// The next one with a cable.
        later: u32,
    },
    /// A node that is on a switch that it must not be on, or not on one that it must be on.
    #[error("node {pe} is {} switch {switch}, where it must {}", if *on { "not on" } else { "on" }, if *on { "be" } else { "not be" })]
    Placement {
        /// The node.
        pe: u32,
        /// The switch.
        switch: u32,
        /// `true` if it must be on it.
        on: bool,
    },
    /// More cables moved than the limit allows.
    #[error("{has} cable{} moved; the limit is {allowed}", if *has == 1 { "" } else { "s" })]
    Moves {
        /// Cables moved.
        has: u32,
        /// Cables that may be moved.
        allowed: u32,
    },
    /// The wiring is not the existing one with permuted node numbers.
    #[error("the wiring is not the existing one with permuted node numbers")]
    Renumbering,
}

/// Moved cables of an existing wiring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Moves {
    /// Number of cables.
    pub has: u64,
    /// Limit; `None` for no limit.
    pub allowed: Option<u32>,
}

impl Moves {
    /// Returns the count as text, such as `2 cables moved (limit 20)`.
    pub fn words(&self) -> String {
        let s = if self.has == 1 { "" } else { "s" };
        let limit =
            self.allowed.map_or("no limit".into(), |allowed| format!("limit {}", grouped(allowed.into())));
        format!("{} cable{s} moved ({limit})", grouped(self.has))
    }

    /// In numbers, such as `2 of 20`; without a limit, `2`.
    pub fn share(&self) -> String {
        let limit = self.allowed.map(|allowed| format!(" of {}", grouped(allowed.into())));
        grouped(self.has) + &limit.unwrap_or_default()
    }
}

/// Result of the checker.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Verdict {
    /// Every broken limit.
    pub breaches: Vec<Breach>,
    /// Requested pairs that share fewer switches than they want, ascending, lower node first; in a search for time, without those that
    /// uplink switches join.
    pub uncovered: Vec<(u32, u32)>,
    /// Weight of the uncovered pairs.
    pub uncovered_weight: f64,
    /// Cables of the spec's `start` that the wiring moves; `None` without `start`, or if nodes are renumbered.
    #[serde(default)]
    pub moves: Option<Moves>,
    /// Number of requested pairs that only uplink switches join, where these serve pairs: in a search for time with uplinks.
    #[serde(default)]
    pub over_uplinks: u64,
    /// Number of requested pairs.
    pub requested: u64,
    /// Weight of the requested pairs.
    #[serde(default)]
    pub requested_weight: f64,
    /// Wanted links beyond the required ones (a pattern's `extra`), over all pairs.
    #[serde(default)]
    pub wished: u64,
    /// Number of those pairs.
    #[serde(default)]
    pub granted: u64,
}

impl Verdict {
    /// `true` if the wiring fits its budget and serves every requested pair.
    pub fn holds(&self) -> bool {
        self.breaches.is_empty() && self.uncovered.is_empty()
    }
}

/// Judges a wiring by its spec and demand. For a universal objective the demand holds every pair.
pub fn check(spec: &Spec, demand: &Demand, design: &Design) -> Verdict {
    let mut checking = IncrementalCheck::new(spec, demand, design);
    checking.step(spec.pes);
    checking.finish()
}

/// The limits of the spec that a wiring breaks: the first one, and the number of others; `None` if it fits. Uncovered pairs break none.
pub fn broken(spec: &Spec, demand: &Demand, design: &Design) -> Option<String> {
    match &IncrementalCheck::new(spec, demand, design).finish().breaches[..] {
        [] => None,
        [breach] => Some(breach.to_string()),
        [breach, more @ ..] => Some(format!("{breach} (and {} more)", grouped(more.len() as u64))),
    }
}

/// A check that looks at the pairs of some PEs at a time, for callers that must not block.
pub struct IncrementalCheck<'a> {
    demand: &'a Demand,
    nis: NiTable,
    /// The uplink switches, if these serve pairs.
    spine: Option<Spine>,
    verdict: Verdict,
    /// The next PE whose pairs are looked up, and the one after the last.
    pes: Range<u32>,
}

impl<'a> IncrementalCheck<'a> {
    /// Checks the hardware budget.
    pub fn new(spec: &Spec, demand: &'a Demand, design: &Design) -> IncrementalCheck<'a> {
        let mut verdict = Verdict { requested: demand.len() as u64, ..Verdict::default() };
        verdict.requested_weight = checked(0..demand.len()).map(|pair| f64::from(demand.weight(pair))).sum();
        let nis = design.nis();
        let spine = spec.spine().filter(|_| spec.serves_over_uplinks());
        if design.pes() != spec.pes || demand.pes() != spec.pes {
            verdict.breaches.push(Breach::Pes { has: design.pes(), allowed: spec.pes });
            return IncrementalCheck { demand, nis, spine, verdict, pes: 0..0 };
        }
        budget(spec, design, &nis, &mut verdict.breaches);
        rails(spec, &nis, &mut verdict.breaches);
        placements(spec, &nis, &mut verdict.breaches);
        if let Some(start) = &spec.start {
            changes(start, spec.pes, &nis, &mut verdict);
        }
        debug_assert!(spec.objective != Objective::Universal || demand.len() as u64 == all_pairs(spec.pes));
        IncrementalCheck { demand, nis, spine, verdict, pes: 0..spec.pes }
    }

    /// Looks up the pairs of up to `pes` more PEs. Returns `true` if it was the last step.
    pub fn step(&mut self, pes: u32) -> bool {
        let end = self.pes.start.saturating_add(pes).min(self.pes.end);
        for a in self.pes.start..end {
            let first = self.demand.first_pair(a);
            for (pair, &b) in checked((first..).zip(self.demand.higher_of(a))) {
                self.look_up(pair, a, b);
            }
        }
        self.pes.start = end;
        end == self.pes.end
    }

    fn look_up(&mut self, pair: usize, a: u32, b: u32) {
        let (demand, nis, verdict) = (self.demand, &self.nis, &mut self.verdict);
        let (has, wanted) = (shared(nis.of(a), nis.of(b)), u64::from(demand.links(pair)));
        if has < wanted && self.spine.is_some_and(|spine| spine.joins_any(nis.of(a), nis.of(b))) {
            verdict.over_uplinks += 1;
        } else if has < wanted {
            verdict.uncovered.push((a, b));
            verdict.uncovered_weight += f64::from(demand.weight(pair));
        }
        let extra = u64::from(demand.extra(pair));
        verdict.wished += extra;
        verdict.granted += has.saturating_sub(wanted).min(extra);
    }

    /// The verdict, after the last step.
    pub fn finish(self) -> Verdict {
        self.verdict
    }
}

fn budget(spec: &Spec, design: &Design, nis: &NiTable, breaches: &mut Vec<Breach>) {
    let used = design.used_switches();
    let spec = &*spec.grown(used);
    let ports = spec.usable_ports();
    if used as usize > ports.len() {
        breaches.push(Breach::Switches { has: used, allowed: ports.len() as u32 });
    }
    for (switch, members) in design.switches().enumerate() {
        let has = members.len() as u32;
        if let Some(&allowed) = ports.get(switch)
            && has > allowed
        {
            breaches.push(Breach::Ports { switch: switch as u32, has, allowed });
        }
    }
    for (pe, allowed) in (0..spec.pes).zip(spec.nis_per_pe()) {
        let has = nis.of(pe).len() as u32;
        if has > allowed {
            breaches.push(Breach::Nis { pe, has, allowed });
        }
    }
}

/// Breaches of the rails: a PE twice on a plane, a PE on a plane without an NI for it (reported once per plane), a PE that
/// skips a plane.
fn rails(spec: &Spec, nis: &NiTable, breaches: &mut Vec<Breach>) {
    let Some(each) = spec.switches_per_plane() else { return };
    let planes = spec.planes();
    for (pe, nis_of_pe) in checked((0..spec.pes).zip(spec.nis_per_pe())) {
        let mut next = Some(0);
        for same in nis.of(pe).chunk_by(|a, b| a / each == b / each) {
            let (plane, has) = (same[0] / each, same.len() as u32);
            let allowed = u32::from(plane < nis_of_pe);
            // A switch past the budget is in no plane, and has a breach already.
            if plane >= planes {
                continue;
            }
            if has > allowed {
                breaches.push(Breach::Rail { pe, plane, has, allowed });
                next = None;
            }
            if let Some(skipped) = next.filter(|&next| next < plane) {
                breaches.push(Breach::Skipped { pe, plane: skipped, later: plane });
                next = None;
            }
            next = next.map(|next: u32| next + 1);
        }
    }
}

/// PEs missing where they must be, and there where they must not be; each pair of PE and switch once.
fn placements(spec: &Spec, nis: &NiTable, breaches: &mut Vec<Breach>) {
    let mut broken = Vec::new();
    for placement in &spec.placements {
        for &pe in &placement.pes {
            let is_on = |switch: &u32| nis.of(pe).binary_search(switch).is_ok();
            if placement.on {
                let missing = placement.switches.iter().filter(|&switch| !is_on(switch));
                broken.extend(missing.map(|&switch| (pe, switch, true)));
            } else {
                let there = nis.of(pe).iter().filter(|&s| placement.switches.binary_search(s).is_ok());
                broken.extend(there.map(|&switch| (pe, switch, false)));
            }
        }
    }
    broken.sort_unstable();
    broken.dedup();
    breaches.extend(broken.into_iter().map(|(pe, switch, on)| Breach::Placement { pe, switch, on }));
}

/// Changes of the existing wiring.
fn changes(start: &Start, pes: u32, nis: &NiTable, verdict: &mut Verdict) {
    let old = Design::from_switches(pes, start.switches.iter().cloned()).nis();
    if !start.renumber {
        let gone = |pe: u32| {
            old.of(pe).iter().filter(move |switch| nis.of(pe).binary_search(switch).is_err()).count()
        };
        let has = (0..pes).map(|pe| gone(pe) as u64).sum::<u64>();
        verdict.moves = Some(Moves { has, allowed: start.moves });
        if let Some(allowed) = start.moves.filter(|&allowed| has > u64::from(allowed)) {
            verdict.breaches.push(Breach::Moves { has: u32::try_from(has).unwrap_or(u32::MAX), allowed });
        }
    }
    if start.renumber {
        let sets = |table: &NiTable| {
            let mut sets: Vec<Vec<u32>> = (0..pes).map(|pe| table.of(pe).to_vec()).collect();
            sets.sort_unstable();
            sets
        };
        if sets(&old) != sets(nis) {
            verdict.breaches.push(Breach::Renumbering);
        }
    }
}

/// Number of switches that two PEs share; a search of the longer list limits the time for a PE on every switch.
fn shared(a: &[u32], b: &[u32]) -> u64 {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    short.iter().filter(|switch| long.binary_search(switch).is_ok()).count() as u64
}

fn all_pairs(pes: u32) -> u64 {
    u64::from(pes) * u64::from(pes.saturating_sub(1)) / 2
}
