//! What frames pass: at best, at worst, and weighted by a demand.

use super::{
    figures::DemandFigures,
    model::{Model, Performance},
};
use crate::{
    demand::Demand,
    fabric::{Distances, Fabric, Hops, Kind},
};

/// Work of finding all distances in a graph: hosts times links.
const MOST_WORK: u64 = 1 << 26;

/// What frames pass in a network.
pub(super) struct Walks {
    /// The least and the most between two hosts that reach each other; none where it takes too long to find.
    pub extremes: Option<[Hops; 2]>,
    /// With a demand for so many hosts.
    pub demand: Option<DemandFigures>,
}

/// Walks of a network: by formula where it has one, else over its graph.
pub(super) fn walks(
    kind: &dyn Kind,
    fabric: Option<&Fabric>,
    demand: Option<&Demand>,
    model: &Model,
) -> Walks {
    let mut sums = Sums::new(model);
    let demand = demand.filter(|demand| demand.pes() == kind.parts().hosts);
    if let Some(extremes) = kind.extremes() {
        for (index, (a, b)) in demand.into_iter().flat_map(|demand| demand.pairs().enumerate()) {
            sums.add(kind.hops(a, b), demand.map_or(0.0, |d| d.weight(index).into()));
        }
        return Walks { extremes: Some(extremes), demand: demand.map(|_| sums.figures(true)) };
    }
    let small = |fabric: &&Fabric| u64::from(fabric.hosts) * fabric.links.len() as u64 <= MOST_WORK;
    let Some(fabric) = fabric.filter(small) else {
        for (index, (a, b)) in demand.into_iter().flat_map(|demand| demand.pairs().enumerate()) {
            sums.add(kind.hops(a, b), demand.map_or(0.0, |d| d.weight(index).into()));
        }
        return Walks { extremes: None, demand: demand.map(|_| sums.figures(false)) };
    };
    let mut distances = Distances::of(fabric);
    let mut extremes: Option<[Hops; 2]> = None;
    for from in 0..fabric.hosts {
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
    Walks { extremes, demand: demand.map(|_| sums.figures(true)) }
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

    /// Without the whole graph, pairs that the formula does not know may have paths; then there are no means.
    fn figures(&self, whole: bool) -> DemandFigures {
        let known = self.found > 0.0 && (whole || self.missing == 0);
        DemandFigures {
            pairs: self.pairs,
            latency: known.then(|| self.latency / self.found),
            bandwidth: known.then(|| self.bandwidth / self.found),
            single_switch: if self.pairs == 0 { 1.0 } else { self.single as f64 / self.pairs as f64 },
            unreached: whole.then_some(self.missing),
        }
    }
}
