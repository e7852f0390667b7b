//! Link-layer routing (Mattox 2006, section 5.1.3): all paths of a pair, used at the same time.
//!
//! A pair has a path over each shared switch. Mattox 2006 alternates between them packet by packet; today's systems spread
//! flows over them as multipath next hops. The NI of the other PE decides the destination MAC address, so a path names both NIs.
//!
//! Nothing is stored per pair: paths follow from the NIs of the two PEs, so memory grows with the cables only.

use super::{RoutingError, basic::fits};
use crate::{
    demand::Demand,
    design::{Design, Faults, Path, WorkingDesign},
    spec::Spec,
};

/// All paths of all connected pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MultiRoutes {
    working: WorkingDesign,
}

/// A PE that shares switches with another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// The PE.
    pub pe: u32,
    /// A path per shared switch, by ascending switch; at least one.
    pub paths: Vec<Path>,
}

/// Finds the paths of every connected pair over the working part.
///
/// # Errors
/// Spec, demand and design differ in PEs, or a PE has too many cables.
pub fn link_layer(
    spec: &Spec,
    demand: &Demand,
    design: &Design,
    faults: &Faults,
) -> Result<MultiRoutes, RoutingError> {
    fits(spec, demand, design)?;
    Ok(MultiRoutes { working: WorkingDesign::new(design, faults) })
}

impl MultiRoutes {
    /// The working part of the design.
    pub fn working(&self) -> &WorkingDesign {
        &self.working
    }

    /// The paths from one PE to another, by ascending switch; none from a PE to itself or outside the design.
    pub fn paths(&self, from: u32, to: u32) -> impl Iterator<Item = Path> + '_ {
        self.working.paths(from, to)
    }

    /// Every PE that a PE has paths to, ascending. Empty for a PE outside the design. Time: sorting the paths.
    pub fn neighbours(&self, pe: u32) -> Vec<Neighbour> {
        if pe >= self.working.design().pes() {
            return Vec::new();
        }
        let on = |&switch: &u32| {
            let others = self.working.design().members(switch).iter().filter(|&&other| other != pe);
            others.map(move |&other| (other, self.working.path(pe, other, switch)))
        };
        let mut paths: Vec<(u32, Path)> = self.working.live().of(pe).iter().flat_map(on).collect();
        // Paths ascend by switch for each PE, since tuples compare by the other PE and then by the path's switch.
        paths.sort_unstable();
        let neighbour =
            |of: &[(u32, Path)]| Neighbour { pe: of[0].0, paths: of.iter().map(|p| p.1).collect() };
        paths.chunk_by(|a, b| a.0 == b.0).map(neighbour).collect()
    }
}
