//! The figures of a wiring: coverage, paths, bounds, hardware, cost, bandwidth.
//!
//! [`figures`] computes them, [`rows`] puts them into words for a table. Bandwidth is counted in links, one link being
//! what one NI carries in both directions, so that it holds for any speed.

mod notes;

pub use notes::{FigureNote, FigureRow, explain, rows};

use super::{
    bounds::{PortBound, Standing, SwitchBound, bounds, max_paths, standing},
    cost::cost,
    meetings::Meetings,
};
use crate::{
    demand::Demand,
    design::{Design, Moves, check},
    spec::Spec,
};
use serde::{Deserialize, Serialize};

/// Number of pairs that share a number of switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PathCount {
    /// Number of shared switches, equal to the single-switch paths.
    pub paths: u32,
    /// Number of PE pairs.
    pub pairs: u64,
}

/// Coverage, hardware, cost and bandwidth of a wiring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Figures {
    /// Number of PEs.
    pub pes: u32,
    /// Number of requested pairs.
    pub requested: u64,
    /// Max partners of a PE.
    pub degree_max: u32,
    /// Mean number of partners of a PE.
    pub degree_mean: f64,
    /// Min partners of a PE.
    pub degree_min: u32,
    /// Requested pairs that share as many switches as required.
    pub covered: u64,
    /// Share of requested pairs that are covered, 0 to 1; 1 where nothing is requested.
    pub coverage: f64,
    /// Pairs that share a switch, requested or not.
    pub connected: u64,
    /// Pairs that share a switch without being requested.
    pub extra: u64,
    /// Pairs by number of paths, from 0 on, without empty rows.
    pub paths: Vec<PathCount>,
    /// Mean shared switches over all pairs of PEs (LCPC paper, section 4.1).
    pub links_per_pair: f64,
    /// Upper bound of that mean for this hardware (LCPC paper, section 4.1).
    pub links_per_pair_bound: f64,
    /// Mean shared switches over the requested pairs.
    pub links_per_requested_pair: f64,
    /// Switches narrower than this cannot serve the demand.
    pub port_bound: PortBound,
    /// Fewer switches than this cannot serve the demand.
    pub switch_bound: u32,
    /// Bound on the number of switches, with its proof.
    pub switch_proof: SwitchBound,
    /// Distance of the wiring from both bounds.
    pub standing: Standing,
    /// `true` if every NI and every port of the used switches is in use, and no pair shares more switches than required.
    pub nothing_wasted: bool,
    /// Switches with a cable in them.
    pub switches_used: u32,
    /// Switches that may be used.
    pub switches_allowed: u32,
    /// Ports with a cable in them; equally the cables and the NIs used.
    pub ports_used: u64,
    /// Free ports of used switches, without reserved ones.
    pub ports_free: u64,
    /// Reserved ports of used switches.
    pub ports_reserved: u64,
    /// NIs that the PEs have.
    pub nis: u64,
    /// Cables, one for each NI used.
    pub cables: u64,
    /// Moved cables of the existing wiring; `None` without one, or if PEs are renumbered.
    #[serde(default)]
    pub moves: Option<Moves>,
    /// `true` if the spec keeps every cable and permutes PE numbers.
    #[serde(default)]
    pub renumbered: bool,
    /// Cables to the uplink switch, if there is one: from each other used switch, and from each spare.
    pub uplink_cables: u64,
    /// Metres of cable between PEs and switches, and to a folded uplink switch; `None` without racks.
    pub cable_metres: Option<f64>,
    /// Price of all switches and NIs of the spec and of the wiring's cables, as far as prices are given; none if no price
    /// is. See [`Price::of`](super::cost::Price::of).
    pub cost: Option<f64>,
    /// Parts without a price or a length, which `cost` leaves out.
    pub unpriced: Vec<String>,
    /// Expected bisection bandwidth in links: links per pair times PEs (LCPC paper, section 4.2).
    pub bisection_links: f64,
    /// Links that a separate uplink switch adds: one for each used switch (LCPC paper, section 4.2).
    pub uplink_links: u32,
    /// Max links that can carry traffic at once: every NI in use.
    pub total_links: u64,
}

/// Computes every figure. The time is that of the connected pairs, the memory that of the PEs.
///
/// A wiring for another number of PEs than the spec's has no figures that mean anything; PEs that one of them lacks
/// count as unconnected.
pub fn figures(spec: &Spec, demand: &Demand, design: &Design) -> Figures {
    let counts = Counts::of(spec, demand, design);
    let pes = f64::from(spec.pes);
    let all = u64::from(spec.pes) * u64::from(spec.pes.saturating_sub(1)) / 2;
    let degrees = demand.degrees();
    let hardware = Hardware::of(spec, design);
    let (price, cable_metres) = cost(spec, design);
    let links_per_pair = share(counts.path_sum, all, 0.0);
    let bounds = bounds(spec, demand);
    let wanted: u64 = (0..demand.len()).map(|pair| u64::from(demand.links(pair))).sum();
    let verdict = check(spec, demand, design);
    let cables = design.cables() as u64;
    let full = cables > 0 && cables == spec.total_nis() && hardware.free == 0;
    Figures {
        pes: spec.pes,
        requested: demand.len() as u64,
        degree_max: degrees.iter().copied().max().unwrap_or(0),
        degree_mean: if spec.pes == 0 { 0.0 } else { 2.0 * demand.len() as f64 / pes },
        degree_min: degrees.iter().copied().min().unwrap_or(0),
        covered: counts.covered,
        coverage: share(counts.covered, demand.len() as u64, 1.0),
        connected: counts.connected,
        extra: counts.connected - counts.requested_connected,
        paths: counts.histogram(all),
        links_per_pair,
        links_per_pair_bound: share(max_paths(spec), all, 0.0),
        links_per_requested_pair: share(counts.requested_path_sum, demand.len() as u64, 0.0),
        switch_bound: bounds.switches.switches,
        standing: standing(&bounds, design, &verdict),
        nothing_wasted: full && verdict.holds() && counts.path_sum == wanted,
        port_bound: bounds.ports,
        switch_proof: bounds.switches,
        switches_used: hardware.switches,
        switches_allowed: spec.switch_budget(),
        ports_used: cables,
        ports_free: hardware.free,
        ports_reserved: hardware.reserved,
        nis: spec.total_nis(),
        cables,
        moves: verdict.moves,
        renumbered: spec.start.as_ref().is_some_and(|start| start.renumber),
        uplink_cables: price.uplink_cables,
        cable_metres,
        cost: price.total,
        unpriced: price.unpriced,
        bisection_links: links_per_pair * pes,
        uplink_links: hardware.switches,
        total_links: cables,
    }
}

fn share(part: u64, whole: u64, of_none: f64) -> f64 {
    if whole == 0 { of_none } else { part as f64 / whole as f64 }
}

#[derive(Default)]
struct Counts {
    covered: u64,
    connected: u64,
    requested_connected: u64,
    path_sum: u64,
    requested_path_sum: u64,
    /// Pairs by paths, from one path on.
    by_paths: Vec<u64>,
}

impl Counts {
    fn of(spec: &Spec, demand: &Demand, design: &Design) -> Counts {
        let mut counts = Counts::default();
        let pes = spec.pes.min(design.pes()).min(demand.pes());
        let nis = design.nis();
        let mut meetings = Meetings::new(design.pes().max(demand.pes()));
        for pe in 0..pes {
            meetings.count(design, &nis, pe, pe + 1, pes);
            counts.connected += meetings.met_unsorted().len() as u64;
            for &other in meetings.met_unsorted() {
                let paths = meetings.with(other) as usize;
                if counts.by_paths.len() < paths {
                    counts.by_paths.resize(paths, 0);
                }
                counts.by_paths[paths - 1] += 1;
            }
            for (at, &other) in demand.higher_of(pe).iter().enumerate() {
                let paths = meetings.with(other);
                counts.covered += u64::from(paths >= demand.links(demand.first_pair(pe) + at));
                counts.requested_connected += u64::from(paths > 0);
                counts.requested_path_sum += u64::from(paths);
            }
        }
        counts.path_sum = counts.by_paths.iter().zip(1..).map(|(pairs, paths)| pairs * paths).sum();
        counts
    }

    fn histogram(&self, all: u64) -> Vec<PathCount> {
        let none = PathCount { paths: 0, pairs: all - self.connected };
        let some = self.by_paths.iter().zip(1..).map(|(&pairs, paths)| PathCount { paths, pairs });
        std::iter::once(none).chain(some).filter(|row| row.pairs > 0).collect()
    }
}

struct Hardware {
    switches: u32,
    free: u64,
    reserved: u64,
}

impl Hardware {
    fn of(spec: &Spec, design: &Design) -> Hardware {
        let mut hardware = Hardware { switches: 0, free: 0, reserved: 0 };
        let usable = spec.usable_ports();
        let models = spec.switches.iter().zip(spec.switch_counts());
        let mut ports = models.flat_map(|(m, count)| std::iter::repeat_n(m.ports, count as usize));
        for (switch, members) in design.switches().enumerate() {
            let ports = ports.next().unwrap_or(0);
            if members.is_empty() {
                continue;
            }
            hardware.switches += 1;
            let usable = usable.get(switch).copied().unwrap_or(0);
            hardware.free += u64::from(usable).saturating_sub(members.len() as u64);
            hardware.reserved += u64::from(ports.saturating_sub(usable));
        }
        hardware
    }
}
