//! The routes of a PE where each PE has one address: every path to PEs with a shared switch (dissertation, section 5.1.3), and the
//! next PE on the way to the rest (section 5.1.4).

use super::{DesignPlan, ExportError, Reach};
use crate::{
    analysis::routing::{BALANCED_PES, MultiRoutes, Neighbour, Through},
    cancel::checked,
    design::Path,
};

/// The ways out of one PE, over what works.
pub(super) struct Ways {
    /// NIs that work with their switches, ascending.
    pub nis: Vec<(u32, u32)>,
    /// PEs that it shares switches with, ascending.
    pub neighbours: Vec<Neighbour>,
    /// Other PEs that are reached, ascending, each with the next PE, which is a neighbour.
    pub through: Vec<(u32, u32)>,
    /// `true` if routes of others go through this PE.
    pub forwards: bool,
}

impl Ways {
    /// The paths to a neighbour, by ascending switch; none to another PE.
    pub fn paths(&self, other: u32) -> &[Path] {
        let at = self.neighbours.binary_search_by_key(&other, |neighbour| neighbour.pe);
        at.map_or(&[], |at| &self.neighbours[at].paths)
    }

    /// Number of paths to neighbours.
    pub fn entries(&self) -> usize {
        self.neighbours.iter().map(|neighbour| neighbour.paths.len()).sum()
    }
}

/// Routes through other PEs, as far as they are written.
pub(super) enum Beyond {
    Nothing,
    /// All that there are; how many lead through each PE, where that is cheap to know.
    All(Option<Vec<u64>>),
    /// From a PE to a destination the next PE, ascending, for every PE on the way; and the PEs that come next, ascending.
    Chosen(Vec<(u32, u32, u32)>, Vec<u32>),
}

impl Beyond {
    pub fn new(plan: &DesignPlan) -> Result<Beyond, ExportError> {
        let small = plan.pes() <= BALANCED_PES;
        Ok(match plan.settings.through.unwrap_or(if small { Reach::All } else { Reach::Requested }) {
            Reach::Direct => Beyond::Nothing,
            Reach::Requested => {
                let routes = requested(plan)?;
                let mut next: Vec<u32> = routes.iter().map(|route| route.2).collect();
                next.sort_unstable();
                next.dedup();
                Beyond::Chosen(routes, next)
            }
            Reach::All if small => Beyond::All(Some(plan.through()?.load())),
            Reach::All => Beyond::All(None),
        })
    }

    /// The routes from one PE, and whether others lead through it. Where that is not known, it may be.
    fn of(
        &self,
        pe: u32,
        through: impl Fn() -> Result<Vec<(u32, u32)>, ExportError>,
    ) -> Result<(Vec<(u32, u32)>, bool), ExportError> {
        Ok(match self {
            Beyond::Nothing => (Vec::new(), false),
            Beyond::All(load) => (through()?, load.as_ref().is_none_or(|load| load[pe as usize] > 0)),
            Beyond::Chosen(routes, next) => {
                let first = routes.partition_point(|route| route.0 < pe);
                let own = routes[first..].iter().take_while(|route| route.0 == pe);
                (own.map(|route| (route.1, route.2)).collect(), next.binary_search(&pe).is_ok())
            }
        })
    }
}

/// The routes of requested pairs that share no switch, from every PE on their ways.
fn requested(plan: &DesignPlan) -> Result<Vec<(u32, u32, u32)>, ExportError> {
    let pairs = apart(plan, plan.multi_routes()?);
    let mut routes = Vec::new();
    if pairs.is_empty() {
        return Ok(routes);
    }
    let through: &Through = plan.through()?;
    for of_dest in checked(pairs.chunk_by(|a, b| a.0 == b.0)) {
        let towards = through.towards(of_dest[0].0);
        for &(dest, pe) in of_dest {
            let way = towards.path(pe).unwrap_or_default();
            // The last PE before the destination shares a switch with it.
            let hops = way.windows(2).take(way.len().saturating_sub(2));
            routes.extend(hops.map(|hop| (hop[0], dest, hop[1])));
        }
    }
    routes.sort_unstable();
    routes.dedup();
    Ok(routes)
}

/// Requested pairs that share no switch, both ways, in ascending order.
fn apart(plan: &DesignPlan, routes: &MultiRoutes) -> Vec<(u32, u32)> {
    let pairs = (0..plan.pes()).flat_map(|a| plan.demand.higher_of(a).iter().map(move |&b| (a, b)));
    let apart = pairs.filter(|&(a, b)| routes.paths(a, b).next().is_none());
    let mut both: Vec<(u32, u32)> = apart.flat_map(|(a, b)| [(a, b), (b, a)]).collect();
    both.sort_unstable();
    both
}

impl DesignPlan {
    /// The ways out of a PE.
    pub(super) fn ways(&self, pe: u32) -> Result<Ways, ExportError> {
        let routes = self.multi_routes()?;
        let all =
            || Ok(self.through()?.routes_from(pe).iter().map(|route| (route.dest, route.next)).collect());
        let (through, forwards) = self.beyond()?.of(pe, all)?;
        Ok(Ways { nis: self.working_nis(pe)?, neighbours: routes.neighbours(pe), through, forwards })
    }

    /// The NIs of a PE that work with their switches, ascending.
    pub(super) fn working_nis(&self, pe: u32) -> Result<Vec<(u32, u32)>, ExportError> {
        let working = self.multi_routes()?.working();
        Ok(working.live().of(pe).iter().map(|&switch| (working.ni(pe, switch), switch)).collect())
    }
}
