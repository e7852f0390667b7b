//! All figures of one network on a market.

use super::{
    bill::{Bill, bill},
    bisection::{Bisection, bisection},
    faults::{Survival, survival, survival_apart},
    market::{Market, Model, Performance},
};
use crate::{
    cancel::checked,
    demand::Demand,
    fabric::{Distances, Fabric, Hops, NetworkKind, kinds::build},
};
use serde::{Deserialize, Serialize};

/// Max links of a graph that is built for figures; larger networks use formulas.
const MAX_LINKS: u64 = 1 << 20;

/// Cost and performance of a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FabricFigures {
    /// Hosts.
    pub hosts: u32,
    /// NICs with a cable.
    pub nis: u64,
    /// Switches and hubs.
    pub switches: u64,
    /// Ports needed on switches and hubs.
    pub ports: u64,
    /// Cables.
    pub cables: u64,
    /// Cost, power and height.
    pub bill: Bill,
    /// Ranks (GPUs) per host, if a training job says.
    pub ranks: Option<u32>,
    /// Switches between the two hosts that are farthest apart; `None` if it takes too long to find.
    pub diameter_switches: Option<u32>,
    /// Forwarding hosts between these two hosts.
    pub diameter_hosts: Option<u32>,
    /// Latency and bandwidth between the two nearest hosts.
    pub best: Option<Performance>,
    /// Latency and bandwidth between the two hosts that are farthest apart.
    pub worst: Option<Performance>,
    /// Between requested pairs.
    pub demand: Option<DemandFigures>,
    /// The minimum cut between halves.
    pub bisection: Bisection,
    /// Effect of failures; `None` if the graph is too large.
    pub survival: Option<Survival>,
}

/// Means over the pairs of a demand, by weight.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DemandFigures {
    /// Requested pairs.
    pub pairs: u64,
    /// Mean latency in microseconds of reachable pairs; `None` if it takes too long to find.
    pub latency: Option<f64>,
    /// Mean bandwidth in MB/s of reachable pairs.
    pub bandwidth: Option<f64>,
    /// Share of pairs with at most one switch and no host between them, 0 to 1; `None` if it takes too long to find.
    pub single_switch: Option<f64>,
    /// Unreachable pairs; `None` if it takes too long to find.
    pub unreached: Option<u64>,
}

/// Computes the figures of a network.
pub fn figures(kind: &dyn NetworkKind, demand: Option<&Demand>, market: &Market) -> FabricFigures {
    let parts = kind.parts();
    let fabric = (parts.cables <= MAX_LINKS).then(|| build(kind, market.speeds()).ok()).flatten();
    let (extremes, demand) = walks(kind, fabric.as_ref(), demand, &market.model);
    let [best, worst] = extremes.map_or([None; 2], |extremes| extremes.map(Some));
    let performance = |hops: Hops| market.model.performance(hops);
    FabricFigures {
        hosts: parts.hosts,
        nis: parts.nis + parts.trunk_nis,
        switches: parts.switches.iter().filter(|s| s.ports + s.trunks > 0).map(|s| u64::from(s.count)).sum(),
        ports: parts.ports(),
        cables: parts.cables,
        bill: bill(&parts, market),
        ranks: None,
        diameter_switches: worst.map(|hops| hops.switches),
        diameter_hosts: worst.map(|hops| hops.hosts),
        best: best.map(performance),
        worst: worst.map(performance),
        demand,
        bisection: bisection(kind, fabric.as_ref(), market),
        survival: fabric.as_ref().map(|fabric| survival_of(kind, fabric, market)),
    }
}

fn survival_of(kind: &dyn NetworkKind, fabric: &Fabric, market: &Market) -> Survival {
    match kind.apart(market.speeds()) {
        Some(apart) => survival_apart(&apart),
        None if kind.alike() => Survival { exact: true, ..survival(fabric) },
        None => survival(fabric),
    }
}

impl FabricFigures {
    /// Price per host.
    pub fn price_per_host(&self) -> Option<f64> {
        self.bill.total.map(|total| total / f64::from(self.hosts.max(1)))
    }

    /// Price per rank of the training job.
    pub fn price_per_rank(&self) -> Option<f64> {
        Some(self.price_per_host()? / f64::from(self.ranks?))
    }

    /// Mean latency of requested pairs in microseconds, if all are reachable.
    pub fn latency(&self) -> Option<f64> {
        self.demand?.latency.filter(|_| self.reaches())
    }

    /// `true` if every requested pair is known to be reachable.
    pub fn reaches(&self) -> bool {
        self.demand.and_then(|demand| demand.unreached) == Some(0)
    }
}

/// Max work of finding all distances in a graph: hosts times links.
const MAX_WORK: u64 = 1 << 29;

/// Hops between the nearest and the farthest hosts, if known, and means over a demand; by formula if there is one, else by the graph.
fn walks(
    kind: &dyn NetworkKind,
    fabric: Option<&Fabric>,
    demand: Option<&Demand>,
    model: &Model,
) -> (Option<[Hops; 2]>, Option<DemandFigures>) {
    let mut sums = Sums::new(model);
    let demand = demand.filter(|demand| demand.pes() == kind.parts().hosts);
    let mut extremes = kind.extremes();
    let by_formula = extremes.is_some() && kind.hops(0, 1).is_some();
    let small = |fabric: &Fabric| u64::from(fabric.hosts) * fabric.links.len() as u64 <= MAX_WORK;
    let Some(fabric) = fabric.filter(|fabric| !by_formula && small(fabric)) else {
        for (index, (a, b)) in demand.into_iter().flat_map(|demand| demand.pairs().enumerate()) {
            sums.add(kind.hops(a, b), demand.map_or(0.0, |d| d.weight(index).into()));
        }
        return (extremes, demand.map(|_| sums.figures(by_formula)));
    };
    let mut distances = Distances::of(fabric);
    for from in checked(0..fabric.hosts) {
        let hops: Vec<Option<Hops>> = distances.from(from).collect();
        for &hops in hops.iter().flatten() {
            let [least, most] = extremes.unwrap_or([hops; 2]);
            extremes = Some([least.min(hops), most.max(hops)]);
        }
        let Some(demand) = demand else { continue };
        for (at, &to) in demand.higher_of(from).iter().enumerate() {
            sums.add(hops[to as usize], demand.weight(demand.first_pair(from) + at).into());
        }
    }
    (extremes, demand.map(|_| sums.figures(true)))
}

/// Sums over the pairs of a demand, by weight.
struct Sums<'a> {
    model: &'a Model,
    weight: f64,
    found: f64,
    latency: f64,
    bandwidth: f64,
    pairs: u64,
    single: u64,
    missing: u64,
}

impl<'a> Sums<'a> {
    fn new(model: &'a Model) -> Sums<'a> {
        Sums { model, weight: 0.0, found: 0.0, latency: 0.0, bandwidth: 0.0, pairs: 0, single: 0, missing: 0 }
    }

    fn add(&mut self, hops: Option<Hops>, weight: f64) {
        self.pairs += 1;
        self.weight += weight;
        let Some(hops) = hops else {
            self.missing += 1;
            return;
        };
        let Performance { latency, bandwidth } = self.model.performance(hops);
        self.found += weight;
        self.latency += weight * latency;
        self.bandwidth += weight * bandwidth;
        self.single += u64::from(hops.hosts == 0 && hops.switches <= 1);
    }

    /// Means; `None` if some pairs may have paths that only the whole graph shows.
    fn figures(&self, whole: bool) -> DemandFigures {
        let known = self.found > 0.0 && (whole || self.missing == 0);
        DemandFigures {
            pairs: self.pairs,
            latency: known.then(|| self.latency / self.found),
            bandwidth: known.then(|| self.bandwidth / self.found),
            single_switch: match self.pairs {
                0 => Some(1.0),
                pairs => (whole || self.missing == 0).then(|| self.single as f64 / pairs as f64),
            },
            unreached: whole.then_some(self.missing),
        }
    }
}
