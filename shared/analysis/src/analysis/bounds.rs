//! Lower bounds on hardware: what no wiring can beat, so that the impossible is refused before a search starts and a
//! result can be called optimal.
//!
//! Only proofs count here; a demand that passes may still be impossible. A *block* is the PEs of one switch. These ideas
//! carry all bounds:
//!
//! * **degree**: a switch brings a PE together with at most its width less one others, so that the η widest switches
//!   bound what a PE with η NIs can reach, and a PE needs at least degree / (ρ-1) NIs (Schönheim's bound on coverings,
//!   where every pair is requested);
//! * **pair counting**: a switch of width ρ makes ρ(ρ-1)/2 pairs (Dietz and Mattox 2000, section 4.1), and fewer requested ones
//!   where the demand has no block so dense: `density`;
//! * **paths of two steps**: all switches of a PE together hold few paths to PEs that are not its partners, and pairs in dense
//!   parts of the demand can be counted less than others: `walks`;
//! * **Füredi**: if every pair meets, PEs are pairwise intersecting sets of at most η switches. A weight of 1/ρ on each
//!   PE overloads no switch, and no fractional matching of such sets exceeds η-1+1/η (η-1 where no projective plane of
//!   order η-1 exists). So N/ρ ≤ η-1+1/η, and on a plane whole PEs on its lines need a little more. The same holds for any PEs that all ask for each other: `cliques`;
//! * **designs**: where η(ρ-1) = N-1 the wiring of PEs that all meet is a block design, such as an affine plane, and of
//!   many it is known that there is none (Bruck and Ryser): `designs`;
//! * **connection**: PEs with one NI drag all their partners onto one switch, and blocks that join n PEs have n-1 ports
//!   more than switches: `components`.

mod advice;
mod cliques;
mod components;
mod density;
mod designs;
mod ports;
mod refusal;
mod standing;
mod switches;
mod walks;

pub use advice::advice;
pub use cliques::furedi_ports;
pub use ports::{PortBound, port_bound};
pub use refusal::{Refusal, quick_refusal, refuse};
pub use standing::{Mark, Standing, standing};
pub use switches::{SwitchBound, switch_bound};

use crate::{cancel::checked, demand::Demand, spec::Spec, text::grouped};
use density::{Argument, Density};
use serde::{Deserialize, Serialize};
use walks::Walks;

/// A time that no wiring of a spec beats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TimeBound {
    /// Seconds of a step, or of the delivery of measured traffic.
    pub step: f64,
    /// Seconds of all communication, hidden or not.
    pub communication: f64,
    /// Explanation, as text.
    pub reason: String,
    /// Where the argument is from, as text.
    pub source: String,
}

/// The best lower bounds known on both sides of the hardware.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Bounds {
    /// On the width of switches.
    pub ports: PortBound,
    /// On their number.
    pub switches: SwitchBound,
    /// On time, for a search for time, which the estimate computes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<TimeBound>,
}

/// Both bounds of the hardware; what the two have in common is computed once.
pub fn bounds(spec: &Spec, demand: &Demand) -> Bounds {
    bounds_with(spec, demand, Walks::of)
}

/// [`bounds`] without those of `walks`, which take up to half a second.
fn quick_bounds(spec: &Spec, demand: &Demand) -> Bounds {
    bounds_with(spec, demand, |_, _| None)
}

fn bounds_with(spec: &Spec, demand: &Demand, walks: fn(&Demand, &Needs) -> Option<Walks>) -> Bounds {
    let needs = Needs::of(spec, demand);
    let density = Density::of(demand, needs.complete);
    let walks = walks(demand, &needs);
    let clique = cliques::largest_found(spec, demand, &needs);
    Bounds {
        ports: ports::bound(spec, demand, &needs, &density, walks.as_ref(), &clique),
        switches: switches::bound(spec, demand, &needs, &density, walks.as_ref(), &clique),
        time: None,
    }
}

/// Ports as a whole number; `None` if no number is enough.
fn whole(ports: f64) -> Option<u64> {
    // Sums of fractions are not exact.
    ports.is_finite().then(|| (ports * (1.0 - 1e-9) - 1e-6).ceil().max(0.0) as u64)
}

/// Per width, the least number of cables with which switches of at most that many usable ports can serve the demand.
pub fn least_cables(spec: &Spec, demand: &Demand, widths: &[u32]) -> Vec<u64> {
    let needs = Needs::of(spec, demand);
    let density = Density::of(demand, needs.complete);
    let least = |&width: &u32| {
        let reach = u64::from(width.min(spec.pes).saturating_sub(1)).max(1);
        let by_degree = needs.links.iter().map(|links| links.div_ceil(reach)).sum();
        let by_pairs = whole(density.ports(width.into())).unwrap_or(0);
        by_pairs.max(by_degree)
    };
    checked(widths).map(least).collect()
}

/// Requirements of a demand, counted once for all bounds.
pub(crate) struct Needs {
    /// For each PE, the shared switches its pairs want together.
    pub links: Vec<u64>,
    pub nis: Vec<u32>,
    /// Max shared switches that a pair requires.
    pub most_links: u32,
    /// Shared switches that all pairs require together.
    pub total_links: u64,
    pub most_nis: u32,
    pub complete: bool,
    /// Usable widths, descending, each with the max number of switches that have it.
    pub widths: Vec<(u32, u64)>,
}

impl Needs {
    pub(crate) fn of(spec: &Spec, demand: &Demand) -> Needs {
        let mut links = vec![0u64; spec.pes.max(demand.pes()) as usize];
        let (mut total_links, mut most_links) = (0, 0);
        for (index, (a, b)) in demand.pairs().enumerate() {
            let wanted = u64::from(demand.links(index));
            links[a as usize] += wanted;
            links[b as usize] += wanted;
            total_links += wanted;
            most_links = most_links.max(demand.links(index));
        }
        let all = u64::from(spec.pes) * u64::from(spec.pes.saturating_sub(1)) / 2;
        let mut nis: Vec<u32> = spec.nis_per_pe().collect();
        nis.resize(links.len(), 1);
        Needs {
            links,
            nis,
            most_links,
            total_links,
            most_nis: spec.pe_groups.iter().map(|g| g.nis).max().unwrap_or(1),
            complete: spec.pes > 1 && demand.len() as u64 == all,
            widths: spec.widths(),
        }
    }

    /// Links that the `nis` widest switches give one PE.
    pub(crate) fn reach(&self, nis: u32, pes: u32) -> u64 {
        let (mut left, mut reach, others) = (u64::from(nis), 0, u64::from(pes.saturating_sub(1)));
        for &(width, switches) in &self.widths {
            let used = left.min(switches);
            reach += used * u64::from(width).saturating_sub(1).min(others);
            left -= used;
        }
        reach
    }

    /// Max number of switches.
    pub(crate) fn switches(&self) -> u64 {
        self.widths.iter().map(|&(_, switches)| switches).sum()
    }

    /// Min NIs with which a PE can have that many links; `None` if all switches together are too few.
    pub(crate) fn nis_for(&self, links: u64) -> Option<u64> {
        let (mut left, mut used) = (links, 0);
        for &(width, switches) in &self.widths {
            let each = u64::from(width).saturating_sub(1);
            if left <= each.saturating_mul(switches) {
                return Some(used + if left == 0 { 0 } else { left.div_ceil(each) });
            }
            left -= each * switches;
            used += switches;
        }
        (left == 0).then_some(used)
    }
}

/// Upper limit of shared switches over all pairs: all switches are full but the last (Dietz and Mattox 2000, section 4.1).
pub fn max_paths(spec: &Spec) -> u64 {
    let widths = spec.widths();
    let switches: u64 = widths.iter().map(|&(_, switches)| switches).sum();
    let mut nis: u64 =
        spec.pe_groups.iter().map(|g| u64::from(g.count) * u64::from(g.nis).min(switches)).sum();
    let pairs = |members: u64| members * members.saturating_sub(1) / 2;
    let mut paths = 0;
    for (width, switches) in widths {
        let members = u64::from(width.min(spec.pes));
        let full = nis.checked_div(members).unwrap_or(0).min(switches);
        nis -= full * members;
        paths += full * pairs(members);
        if full < switches {
            // The rest does not fill the next switch of this width.
            return paths + pairs(nis.min(members));
        }
    }
    paths
}

/// Reason why a block holds no more requested pairs.
fn because(argument: Argument, density: &Density) -> String {
    let common = |most: Option<u64>| grouped(most.unwrap_or(0));
    match argument {
        Argument::AllPairs => "every two of them once".into(),
        Argument::Degree => "no node has more partners".into(),
        Argument::Common => {
            format!("two partners have at most {} partners in common", common(density.most_common()))
        }
        Argument::TwoSteps => format!(
            "two nodes have at most {} partners in common",
            common(density.most_common().max(density.most_common_apart()))
        ),
        Argument::Subcubes => "pairs that differ in one bit form a hypercube".into(),
    }
}

fn source(argument: Argument) -> &'static str {
    match argument {
        Argument::AllPairs => "Dietz and Mattox 2000, section 4.1",
        Argument::Degree => "Mattox 2006, section 3.3",
        Argument::Common => "Mantel 1907",
        Argument::TwoSteps => "Kővári et al. 1954",
        Argument::Subcubes => "Harper 1964; Hart 1976",
    }
}
