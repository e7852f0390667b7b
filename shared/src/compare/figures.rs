//! All figures of one network on a market.

use super::{
    bill::{Bill, bill},
    bisection::{Bisection, bisection},
    faults::{Survival, survival, survival_apart},
    market::Market,
    model::Performance,
    walks::walks,
};
use crate::{
    demand::Demand,
    fabric::{Fabric, Hops, Kind, kinds::build},
};
use serde::{Deserialize, Serialize};

/// Most links of a graph that is built for figures; beyond, figures are those of formulas.
const MOST_LINKS: u64 = 1 << 20;

/// What a network is, costs and does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FabricFigures {
    /// Hosts.
    pub hosts: u32,
    /// NIs with a cable in them.
    pub nis: u64,
    /// Switches and hubs.
    pub switches: u64,
    /// Ports that switches and hubs need.
    pub ports: u64,
    /// Cables.
    pub cables: u64,
    /// What it costs.
    pub bill: Bill,
    /// Switches on the way between the two hosts that are farthest apart; none where it takes too long to find.
    pub diameter_switches: Option<u32>,
    /// Hosts on that way that forward.
    pub diameter_hosts: Option<u32>,
    /// Between the two hosts that are nearest.
    pub best: Option<Performance>,
    /// Between the two hosts that are farthest apart.
    pub worst: Option<Performance>,
    /// Between the pairs that are asked for.
    pub demand: Option<DemandFigures>,
    /// The least cut between halves.
    pub bisection: Bisection,
    /// What faults take; none where the graph is too large to be built.
    pub survival: Option<Survival>,
}

/// Means over the pairs of a demand, by weight.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DemandFigures {
    /// Pairs that are asked for.
    pub pairs: u64,
    /// Mean latency in microseconds of those that reach each other; none where it takes too long to find.
    pub latency: Option<f64>,
    /// Mean bandwidth in MB/s of those.
    pub bandwidth: Option<f64>,
    /// Share of pairs with at most one switch and no host between them, 0 to 1.
    pub single_switch: f64,
    /// Pairs without any path; none where it takes too long to find.
    pub unreached: Option<u64>,
}

/// Computes every figure of a network.
pub fn figures(kind: &dyn Kind, demand: Option<&Demand>, market: &Market) -> FabricFigures {
    let parts = kind.parts();
    let fabric = (parts.cables <= MOST_LINKS).then(|| build(kind, market.speeds()).ok()).flatten();
    let walks = walks(kind, fabric.as_ref(), demand, &market.model);
    let [best, worst] = match walks.extremes {
        Some(extremes) => extremes.map(Some),
        None => [None; 2],
    };
    let performance = |hops: Hops| market.model.performance(hops);
    FabricFigures {
        hosts: parts.hosts,
        nis: parts.nis + parts.trunk_nis,
        switches: parts.switches.iter().filter(|s| s.ports + s.trunks > 0).map(|s| u64::from(s.count)).sum(),
        ports: parts.ports(),
        cables: parts.cables,
        bill: bill(&parts, market),
        diameter_switches: worst.map(|hops| hops.switches),
        diameter_hosts: worst.map(|hops| hops.hosts),
        best: best.map(performance),
        worst: worst.map(performance),
        demand: walks.demand,
        bisection: bisection(kind, fabric.as_ref(), market),
        survival: fabric.as_ref().map(|fabric| survival_of(kind, fabric, market)),
    }
}

fn survival_of(kind: &dyn Kind, fabric: &Fabric, market: &Market) -> Survival {
    match kind.apart(market.speeds()) {
        Some(apart) => survival_apart(&apart),
        None if kind.alike() => Survival { exact: true, ..survival(fabric) },
        None => survival(fabric),
    }
}

impl FabricFigures {
    /// Price for each host.
    pub fn price_per_host(&self) -> Option<f64> {
        self.bill.total.map(|total| total / f64::from(self.hosts.max(1)))
    }
}
