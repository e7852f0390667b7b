//! Lower bounds on the number of switches.

use super::{
    Needs, because, bounds,
    cliques::{Clique, covering},
    components::parts,
    density::Density,
    source,
    walks::Walks,
    whole,
};
use crate::{demand::Demand, spec::Spec, text::grouped};
use serde::{Deserialize, Serialize};

/// The number below which switches in stock, widest first, cannot serve the demand, whatever NICs the nodes have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SwitchBound {
    /// Switches; one more than there are where even all of them are too few.
    pub switches: u32,
    /// The bound, with its numbers.
    pub reason: String,
    /// Source of the bound.
    pub source: String,
}

/// Fewer switches than this cannot serve the demand, by the strongest of the bounds that apply.
pub fn switch_bound(spec: &Spec, demand: &Demand) -> SwitchBound {
    bounds(spec, demand).switches
}

pub(super) fn bound(
    spec: &Spec,
    demand: &Demand,
    needs: &Needs,
    density: &Density,
    walks: Option<&Walks>,
    clique: &Clique,
) -> SwitchBound {
    let mut best = SwitchBound {
        switches: u32::from(!demand.is_empty()),
        reason: if demand.is_empty() { "no pair is requested" } else { "a pair must meet somewhere" }.into(),
        source: "Crosspoint".into(),
    };
    let Some(&(widest, _)) = needs.widths.first().filter(|_| !demand.is_empty()) else { return best };
    let stock = Stock { widths: &needs.widths, pes: spec.pes };
    let mut take = |switches: u64, reason: String, source: &str| {
        // More than all prove no more than that all are too few.
        let switches = switches.min(needs.switches() + 1) as u32;
        if switches > best.switches {
            best = SwitchBound { switches, reason, source: source.into() };
        }
    };
    let links = format!("two nodes need {} shared switches", needs.most_links);
    take(needs.most_links.into(), links, "Crosspoint");
    by_ports(needs, density, &stock, widest, &mut take);
    if let Some(walks) = walks {
        let cost = whole(walks.ports(widest)).unwrap_or(u64::MAX);
        let reason = format!(
            "given the paths of two steps from each node, the pairs need {} ports, at most {widest} per switch",
            grouped(cost)
        );
        take(stock.reach(cost, |width| width), reason, "Crosspoint; Kővári et al. 1954");
    }
    by_pairs(needs, density, &stock, widest, &mut take);
    by_parts(demand, &stock, &mut take);
    if clique.pes > 1 {
        let (switches, why, source) = covering(clique.pes.into(), widest.into());
        take(switches, format!("{} on switches with {widest} ports: {why}", clique.whom()), source);
    }
    best
}

type BoundSink<'a> = dyn FnMut(u64, String, &str) + 'a;

/// The switches there are, widest first.
struct Stock<'a> {
    widths: &'a [(u32, u64)],
    pes: u32,
}

impl Stock<'_> {
    /// Min switches that reach `needed`; one more than available if all of them do not.
    fn reach(&self, needed: u64, each: impl Fn(u64) -> u64) -> u64 {
        let (mut used, mut sum) = (0, 0u64);
        for &(width, switches) in self.widths {
            let one = each(u64::from(width.min(self.pes)));
            let left = needed.saturating_sub(sum);
            if left <= one.saturating_mul(switches) {
                return used + if left == 0 { 0 } else { left.div_ceil(one) };
            }
            sum += one * switches;
            used += switches;
        }
        used + u64::from(sum < needed)
    }
}

/// Ports that PEs need by their degrees, and that pairs cost.
fn by_ports(needs: &Needs, density: &Density, stock: &Stock, widest: u32, take: &mut BoundSink) {
    let needed: Option<u64> = needs.links.iter().map(|&links| needs.nis_for(links)).sum();
    let Some(needed) = needed else {
        let reason = "a node needs more links than all switches provide".into();
        return take(u64::MAX, reason, "Mattox 2006, section 3.3");
    };
    let switches = stock.reach(needed, |width| width);
    let reason =
        format!("given their degrees, the nodes need {} ports, at most {widest} per switch", grouped(needed));
    take(switches, reason, "Schönheim 1964");
    let each = needs.links.iter().filter_map(|&links| needs.nis_for(links)).max().unwrap_or(0);
    take(each, format!("a node needs {each} switches for its partners"), "Mattox 2006, section 3.3");
    let cost = whole(density.ports(widest.into())).unwrap_or(u64::MAX);
    let reason = format!(
        "given the partners that nodes have in common, the pairs need {} ports, at most {widest} per switch",
        grouped(cost)
    );
    take(stock.reach(cost, |width| width), reason, "Crosspoint; Mantel 1907");
}

/// Pairs that full switches make.
fn by_pairs(needs: &Needs, density: &Density, stock: &Stock, widest: u32, take: &mut BoundSink) {
    let switches = stock.reach(needs.total_links, |width| density.pairs(width).0);
    let (most, argument) = density.pairs(u64::from(widest.min(stock.pes)));
    let reason = format!(
        "{} links; on {widest} ports there are at most {}: {}",
        grouped(needs.total_links),
        grouped(most),
        because(argument, density)
    );
    take(switches, reason, source(argument));
}

/// Each switch joins as many parts as it has ports into one.
fn by_parts(demand: &Demand, stock: &Stock, take: &mut BoundSink) {
    let (pes, parts) = parts(demand);
    let switches = stock.reach(pes - parts, |width| width.saturating_sub(1));
    let into = if parts == 1 { "all together".into() } else { format!("to {} parts", grouped(parts)) };
    let reason = format!(
        "{} nodes have partners, connected {into}; a switch with ρ ports replaces ρ-1 such links",
        grouped(pes)
    );
    take(switches, reason, "Crosspoint");
}
