//! Lower bounds on hardware: what no wiring can beat, so that the impossible is refused before a search starts.
//!
//! Only proofs count here; a demand that passes may still be impossible. Three ideas carry all bounds:
//!
//! * **degree**: a switch brings a PE together with at most its width less one others, so that the η widest switches
//!   bound what a PE with η NIs can reach, and a PE needs at least degree / (ρ-1) NIs (Schönheim's bound on coverings,
//!   where every pair is requested);
//! * **pair counting**: a switch of width ρ makes ρ(ρ-1)/2 pairs (LCPC paper, section 4.1);
//! * **Füredi**: if every pair meets, PEs are pairwise intersecting sets of at most η switches. A weight of 1/ρ on each
//!   PE overloads no switch, and no fractional matching of such sets exceeds η-1+1/η (η-1 where no projective plane of
//!   order η-1 exists). So N/ρ ≤ η-1+1/η.

mod advice;
mod refusal;

pub use advice::advice;
pub use refusal::{Refusal, refuse};

use super::figures::most_paths;
use crate::{demand::Demand, spec::Spec};
use serde::{Deserialize, Serialize};

/// The width below which no switch serves the demand with the PEs' NIs, however many switches there are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PortBound {
    /// Ports that NIs may use; reserved ones come on top.
    pub ports: u32,
    /// Which bound says so, with its numbers.
    pub reason: String,
    /// Where the bound is from.
    pub source: String,
}

/// What a demand asks of the hardware, counted once for all bounds.
pub(crate) struct Needs {
    /// For each PE, the shared switches its pairs want together.
    pub links: Vec<u64>,
    /// The same over all pairs.
    pub total_links: u64,
    /// NIs of the PE that has most.
    pub most_nis: u32,
    /// Whether every pair of PEs is requested.
    pub complete: bool,
    /// The widest usable widths, descending.
    pub widths: Vec<u32>,
}

impl Needs {
    pub(crate) fn of(spec: &Spec, demand: &Demand) -> Needs {
        let mut links = vec![0u64; spec.pes.max(demand.pes()) as usize];
        let mut total_links = 0;
        for (index, (a, b)) in demand.pairs().enumerate() {
            let wanted = u64::from(demand.links(index));
            links[a as usize] += wanted;
            links[b as usize] += wanted;
            total_links += wanted;
        }
        let all = u64::from(spec.pes) * u64::from(spec.pes.saturating_sub(1)) / 2;
        let mut widths = spec.usable_ports();
        widths.sort_unstable_by(|a, b| b.cmp(a));
        Needs {
            links,
            total_links,
            most_nis: spec.pe_groups.iter().map(|g| g.nis).max().unwrap_or(1),
            complete: spec.pes > 1 && demand.len() as u64 == all,
            widths,
        }
    }

    /// What the `nis` widest switches can do for one PE: the links they give it to others.
    pub(crate) fn reach(&self, nis: u32, pes: u32) -> u64 {
        let others = u64::from(pes.saturating_sub(1));
        self.widths.iter().take(nis as usize).map(|&w| u64::from(w).saturating_sub(1).min(others)).sum()
    }

    /// Fewest NIs with which a PE can have so many links; `None` if all switches together are too few.
    pub(crate) fn nis_for(&self, links: u64) -> Option<u64> {
        let mut left = links;
        for (used, &width) in self.widths.iter().enumerate() {
            if left == 0 {
                return Some(used as u64);
            }
            left = left.saturating_sub(u64::from(width) - 1);
        }
        (left == 0).then_some(self.widths.len() as u64)
    }
}

/// Orders below 64 of which no projective plane exists: by the theorem of Bruck and Ryser, and 10 by Lam's computation.
const NO_PLANE: [u32; 13] = [6, 10, 14, 21, 22, 30, 33, 38, 42, 46, 54, 57, 62];

/// Fewest ports with which all of `pes` PEs with at most `nis` NIs can meet pairwise, by Füredi's theorem.
pub fn furedi_ports(pes: u32, nis: u32) -> u32 {
    let (n, eta) = (u64::from(pes), u64::from(nis.max(1)));
    let ports = if NO_PLANE.contains(&nis.saturating_sub(1)) {
        n.div_ceil(eta - 1)
    } else {
        // N / (η - 1 + 1/η) without fractions.
        (n * eta).div_ceil(eta * eta - eta + 1)
    };
    ports as u32
}

/// The width below which no switch serves the demand, by the strongest of the bounds that apply.
pub fn port_bound(spec: &Spec, demand: &Demand) -> PortBound {
    let needs = Needs::of(spec, demand);
    let mut best = PortBound {
        ports: if demand.is_empty() { 1 } else { 2 },
        reason: "a switch must hold both PEs of a pair".into(),
        source: "Crosspoint".into(),
    };
    let mut first = 0;
    for group in &spec.pe_groups {
        let last = (first + group.count).min(spec.pes);
        let most = (first..last).map(|pe| (needs.links[pe as usize], std::cmp::Reverse(pe))).max();
        if let Some((links, std::cmp::Reverse(pe))) = most {
            let ports = links.div_ceil(u64::from(group.nis.max(1))) + 1;
            if links > 0 && ports > u64::from(best.ports) {
                best = PortBound {
                    ports: u32::try_from(ports).unwrap_or(u32::MAX),
                    reason: format!("PE {pe} has {links} partners and {} NIs: degree / NIs + 1", group.nis),
                    source: "dissertation, section 3.3".into(),
                };
            }
        }
        first = last;
    }
    let furedi = furedi_ports(spec.pes, needs.most_nis);
    if needs.complete && furedi > best.ports {
        best = PortBound {
            ports: furedi,
            reason: format!(
                "{} PEs that all meet pairwise with at most {} NIs: N / (η-1+1/η)",
                spec.pes, needs.most_nis
            ),
            source: "Füredi 1981, fractional matchings of intersecting families".into(),
        };
    }
    best
}

/// Fewer switches of the catalogue, widest first, cannot serve the demand. Where even all of them are too few,
/// one more than there are.
pub fn switch_bound(spec: &Spec, demand: &Demand) -> u32 {
    if demand.is_empty() {
        return 0;
    }
    let needs = Needs::of(spec, demand);
    let ports: Option<u64> = needs.links.iter().map(|&links| needs.nis_for(links)).sum();
    let most = (0..demand.len()).map(|i| demand.links(i)).max().unwrap_or(0) as usize;
    let past = needs.widths.len() as u32 + 1;
    let Some(ports) = ports else { return past };
    let (mut held, mut pairs) = (0, 0);
    for (used, &width) in needs.widths.iter().enumerate() {
        let width = u64::from(width).min(u64::from(spec.pes));
        held += width;
        pairs += width * width.saturating_sub(1) / 2;
        if held >= ports && pairs >= needs.total_links && used + 1 >= most {
            return used as u32 + 1;
        }
    }
    past
}

/// Most pairs of PEs that the spec's switches can bring together, counted with repetition.
pub(crate) fn pair_budget(spec: &Spec) -> u64 {
    most_paths(spec)
}
