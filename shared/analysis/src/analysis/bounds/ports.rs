//! Lower bounds on the width of switches.

use super::{
    Needs, because, bounds,
    cliques::{Clique, furedi_in_words, furedi_ports},
    components::largest_bundle,
    density::{Density, MAX_STEPS},
    designs::missing,
    source,
    walks::Walks,
};
use crate::{
    demand::Demand,
    spec::Spec,
    text::{fixed, grouped},
};
use serde::{Deserialize, Serialize};

/// The width below which no switch serves the demand with the nodes' NICs, however many switches there are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PortBound {
    /// Ports that NICs may use; reserved ones come on top.
    pub ports: u32,
    /// The bound, with its numbers.
    pub reason: String,
    /// Source of the bound.
    pub source: String,
}

/// The width below which no switch serves the demand, by the strongest of the bounds that apply.
pub fn port_bound(spec: &Spec, demand: &Demand) -> PortBound {
    bounds(spec, demand).ports
}

pub(super) fn bound(
    spec: &Spec,
    demand: &Demand,
    needs: &Needs,
    density: &Density,
    walks: Option<&Walks>,
    clique: &Clique,
) -> PortBound {
    let mut best = PortBound {
        ports: if demand.is_empty() { 1 } else { 2 },
        reason: if demand.is_empty() {
            "no pair is requested"
        } else {
            "a switch must hold both nodes of a pair"
        }
        .into(),
        source: "Crosspoint".into(),
    };
    if demand.is_empty() {
        return best;
    }
    let mut take = |found: Option<PortBound>| {
        if let Some(found) = found.filter(|found| found.ports > best.ports) {
            best = found;
        }
    };
    take(degree(spec, needs));
    take(furedi(clique));
    take(design(needs, clique));
    take(bundle(demand, needs));
    take(dense(&hungriest(demand, needs), density, spec.pes));
    take(one_by_one(needs, density, spec.pes));
    if let Some(found) = walks.and_then(|walks| two_steps(walks, needs, best.ports, spec.pes)) {
        best = found;
    }
    if !density.counted {
        best.reason += &format!("; common partners are not counted (more than {} steps)", grouped(MAX_STEPS));
    }
    best
}

/// The PE that asks most of its NIs.
fn degree(spec: &Spec, needs: &Needs) -> Option<PortBound> {
    let ports = |pe: u32| needs.links[pe as usize].div_ceil(u64::from(needs.nis[pe as usize].max(1))) + 1;
    let pe = (0..spec.pes).max_by_key(|&pe| (ports(pe), std::cmp::Reverse(pe)))?;
    Some(PortBound {
        ports: u32::try_from(ports(pe)).unwrap_or(u32::MAX),
        reason: format!(
            "node {pe} has {} partners and {}: degree / NICs + 1",
            grouped(needs.links[pe as usize]),
            nis(needs.nis[pe as usize])
        ),
        source: "Mattox 2006, section 3.3".into(),
    })
}

fn nis(count: u32) -> String {
    if count == 1 { "1 NIC".into() } else { format!("{count} NICs") }
}

fn furedi(clique: &Clique) -> Option<PortBound> {
    (clique.pes > 1).then(|| PortBound {
        ports: furedi_ports(clique.pes, clique.nis),
        reason: format!(
            "{} pairwise with at most {}: {}",
            clique.whom(),
            nis(clique.nis),
            furedi_in_words(clique.pes, clique.nis)
        ),
        source: "Füredi 1981".into(),
    })
}

/// A block design that would be needed and does not exist.
fn design(needs: &Needs, clique: &Clique) -> Option<PortBound> {
    let (v, eta) = (u64::from(clique.pes), u64::from(clique.nis));
    let all_alike =
        clique.all && needs.total_links == u64::from(needs.most_links) * v * v.saturating_sub(1) / 2;
    let lambda = if all_alike { u64::from(needs.most_links) } else { 1 };
    let others =
        (lambda * v.saturating_sub(1)).checked_div(eta).filter(|others| others * eta == lambda * (v - 1))?;
    let k = others + 1;
    let none = if k > 1 && k < v { missing(v, k, lambda)? } else { return None };
    let links = if lambda == 1 { String::new() } else { format!(" ({lambda} per pair)") };
    Some(PortBound {
        ports: u32::try_from(k + 1).unwrap_or(u32::MAX),
        reason: format!(
            "{} pairwise{links} with at most {}. With {k} ports every switch would be full and no two nodes could share another. That would be {}",
            clique.whom(),
            nis(clique.nis),
            none.what
        ),
        source: none.source.into(),
    })
}

fn bundle(demand: &Demand, needs: &Needs) -> Option<PortBound> {
    let bundle = largest_bundle(demand, needs)?;
    let others = match bundle.single - 1 {
        0 => String::new(),
        1 => " and another with 1 NIC that it must reach".into(),
        more => format!(" and {} more with 1 NIC connected to it", grouped(more.into())),
    };
    Some(PortBound {
        ports: bundle.all,
        reason: format!(
            "node {} has 1 NIC, so it{others} must share one switch with all partners: {} nodes",
            bundle.pe,
            grouped(bundle.all.into())
        ),
        source: "Crosspoint".into(),
    })
}

/// NIs that can be of use: no PE needs more than it wants links.
fn useful_nis(needs: &Needs) -> u64 {
    needs.links.iter().zip(&needs.nis).map(|(&links, &nis)| links.min(nis.into())).sum()
}

/// Some PEs, with the links and the useful NIs among them.
struct PeSet {
    pes: u64,
    links: u64,
    nis: u64,
}

/// Among the PEs with the most links per NI, the subset with the most links per NI inside the subset.
fn hungriest(demand: &Demand, needs: &Needs) -> PeSet {
    let useful = |pe: u32| needs.links[pe as usize].min(needs.nis[pe as usize].into());
    let asked = |pe: u32| needs.links[pe as usize] as f64 / useful(pe).max(1) as f64;
    let mut order: Vec<u32> = (0..demand.pes()).filter(|&pe| needs.links[pe as usize] > 0).collect();
    order.sort_by(|&a, &b| asked(b).total_cmp(&asked(a)));
    let mut rank = vec![0u32; demand.pes() as usize];
    order.iter().zip(0..).for_each(|(&pe, at)| rank[pe as usize] = at);
    let mut gained = vec![0u64; order.len()];
    for (pair, (a, b)) in demand.pairs().enumerate() {
        gained[rank[a as usize].max(rank[b as usize]) as usize] += u64::from(demand.links(pair));
    }
    let mut part = PeSet { pes: 0, links: 0, nis: 0 };
    let mut best = PeSet { pes: 0, links: 0, nis: 1 };
    for (&pe, gained) in order.iter().zip(gained) {
        part = PeSet { pes: part.pes + 1, links: part.links + gained, nis: part.nis + useful(pe) };
        if u128::from(part.links) * u128::from(best.nis) >= u128::from(best.links) * u128::from(part.nis) {
            best = PeSet { ..part };
        }
    }
    best
}

/// All NIs of these PEs together, on switches as dense as the demand allows.
fn dense(part: &PeSet, density: &Density, pes: u32) -> Option<PortBound> {
    let PeSet { pes: among, links, nis } = *part;
    // Links a port, as a fraction.
    let mut densest = (0u64, 1u64);
    let enough = |(pairs, size): (u64, u64)| {
        u128::from(pairs) * u128::from(nis) >= u128::from(links) * u128::from(size)
    };
    let mut short = None;
    for size in 2..=u64::from(pes) {
        let (pairs, argument) = density.pairs(size);
        let denser = u128::from(pairs) * u128::from(densest.1) > u128::from(densest.0) * u128::from(size);
        let now = if denser { (pairs, size) } else { densest };
        if enough(now) {
            break;
        }
        densest = now;
        short = Some((size, argument));
    }
    let (size, argument) = short?;
    Some(PortBound {
        ports: u32::try_from(size + 1).unwrap_or(u32::MAX).min(pes),
        reason: format!(
            "{} links among {} nodes with {} NICs are {} per NIC. Fewer than {} ports give at most {} per port ({} on {}): {}",
            grouped(links),
            grouped(among),
            grouped(nis),
            fixed(links as f64 / nis as f64, 3),
            grouped(size + 1),
            fixed(densest.0 as f64 / densest.1 as f64, 3),
            grouped(densest.0),
            grouped(densest.1),
            because(argument, density)
        ),
        source: source(argument).into(),
    })
}

/// Each pair at its own cost in ports.
fn one_by_one(needs: &Needs, density: &Density, pes: u32) -> Option<PortBound> {
    let nis = useful_nis(needs);
    // Sums of fractions are not exact.
    let enough = |width: u32| density.ports(width.into()) <= nis as f64 * (1.0 + 1e-9) + 1e-6;
    let (mut low, mut high) = (2, pes);
    while low < high {
        let middle = low + (high - low) / 2;
        if enough(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    (low > 2).then(|| PortBound {
        ports: low,
        reason: format!(
            "given the partners that nodes have in common, the pairs need {} ports of {}-port switches; there are {} NICs",
            grouped(density.ports(u64::from(low) - 1).ceil() as u64),
            low - 1,
            grouped(nis)
        ),
        source: "Crosspoint; Mantel 1907".into(),
    })
}

/// Paths of two steps, on switches that the bounds before allow.
fn two_steps(walks: &Walks, needs: &Needs, from: u32, pes: u32) -> Option<PortBound> {
    let found = walks.too_narrow(&needs.nis, from, pes)?;
    Some(PortBound {
        ports: found.width + 1,
        reason: format!(
            "{} links on {} NICs imply more paths of two steps than {}-port switches can hold ({} times as many, weighted per pair and per node)",
            grouped(needs.total_links),
            grouped(useful_nis(needs)),
            found.width,
            fixed(found.excess, 3)
        ),
        source: "Crosspoint; Kővári et al. 1954".into(),
    })
}
