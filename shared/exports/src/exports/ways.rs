//! The routes of a PE where each PE has one address: every path to PEs with a shared switch (Mattox 2006, section 5.1.3), and the
//! next PE on the way to the rest (section 5.1.4). With uplink switches, the rest is behind the gateways of its switches, and no PE
//! forwards.

use super::{Choice, DesignPlan, ExportError, Setting, SettingOf};
use crate::{
    analysis::routing::{BALANCED_PES, MultiRoutes, Neighbour, ThroughRoutes},
    cancel::checked,
    design::Path,
};
use ipnet::Ipv4Net;
use std::net::Ipv4Addr;

/// By the size of the machine without it.
pub(super) const THROUGH: SettingOf<Reach> = Setting::new(
    "through",
    "pairs without a shared switch that get routes through other nodes; by default all such pairs, or above 1,024 nodes the requested \
     ones",
)
.choice(
    "Forwarding",
    &[
        Choice::new("all", "all pairs"),
        Choice::new("requested", "requested pairs"),
        Choice::new("none", "no pairs"),
    ],
)
.read(|text| {
    Ok(match text {
        "all" => Reach::All,
        "requested" => Reach::Requested,
        _ => Reach::Direct,
    })
});

/// PEs without a shared switch that are reached through others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// All.
    All,
    /// The other PEs of requested pairs.
    Requested,
    /// None.
    Direct,
}

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
    /// Networks behind uplink switches.
    pub uplinked: Vec<UplinkRoutes>,
}

/// Networks that a PE reaches over uplink switches.
pub(super) struct UplinkRoutes {
    /// Subnets of switches, summed up. Those of its own switches may be among them: their routes are more specific.
    pub networks: Vec<Ipv4Net>,
    /// Own NIs that lead there.
    pub gateways: Vec<Gateway>,
}

/// The paths between PEs over uplink switches, over what works.
pub(super) struct UplinkPaths {
    /// By PE its first NI that leads to each set of uplink switches: the set, the NI and its switch.
    firsts: Vec<Vec<(u32, u32, u32)>>,
    /// Names of the uplink switches of each set, separated with spaces.
    names: Vec<String>,
}

/// A path over uplink switches.
#[derive(Clone, Copy)]
pub(super) struct UplinkPath<'a> {
    /// NI of the first PE.
    pub ni: u32,
    /// Switch of the first PE.
    pub switch: u32,
    /// NI of the second PE.
    pub other_ni: u32,
    /// Switch of the second PE.
    pub other_switch: u32,
    /// Names of the uplink switches; each packet takes one of them.
    pub uplinks: &'a str,
}

impl UplinkPaths {
    /// The path of a pair, whether they share a switch or not: over the first NI of the second PE that the first one can reach.
    pub fn path(&self, from: u32, to: u32) -> Option<UplinkPath<'_>> {
        let own = &self.firsts[from as usize];
        let of = |&(set, other_ni, other_switch): &(u32, u32, u32)| {
            let &(_, ni, switch) = own.iter().find(|(other, _, _)| *other == set)?;
            let uplinks = &self.names[set as usize];
            Some(UplinkPath { ni, switch, other_ni, other_switch, uplinks })
        };
        self.firsts[to as usize].iter().find_map(of)
    }
}

/// A gateway of a PE.
#[derive(Clone, Copy)]
pub(super) struct Gateway {
    /// The NI.
    pub ni: u32,
    /// The address of its switch.
    pub address: Ipv4Addr,
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
pub(super) enum RelayRoutes {
    Nothing,
    /// All that there are; how many lead through each PE, where that is cheap to know.
    All(Option<Vec<u64>>),
    /// From a PE to a destination the next PE, ascending, for every PE on the way; and the PEs that come next, ascending.
    Chosen(Vec<(u32, u32, u32)>, Vec<u32>),
}

impl RelayRoutes {
    pub fn new(plan: &DesignPlan) -> Result<RelayRoutes, ExportError> {
        if plan.spec.uplink.is_some() {
            return Ok(RelayRoutes::Nothing);
        }
        if !plan.nodes_forward() {
            may_go_without_others(plan)?;
            return Ok(RelayRoutes::Nothing);
        }
        let small = plan.pes() <= BALANCED_PES;
        Ok(
            match plan.settings.given(&THROUGH).unwrap_or(if small { &Reach::All } else { &Reach::Requested })
            {
                Reach::Direct => RelayRoutes::Nothing,
                Reach::Requested => {
                    let routes = requested(plan)?;
                    let mut next: Vec<u32> = routes.iter().map(|route| route.2).collect();
                    next.sort_unstable();
                    next.dedup();
                    RelayRoutes::Chosen(routes, next)
                }
                Reach::All if small => RelayRoutes::All(Some(plan.through()?.load())),
                Reach::All => RelayRoutes::All(None),
            },
        )
    }

    /// The routes from one PE, and whether others lead through it. Where that is not known, it may be.
    fn of(
        &self,
        pe: u32,
        through: impl Fn() -> Result<Vec<(u32, u32)>, ExportError>,
    ) -> Result<(Vec<(u32, u32)>, bool), ExportError> {
        Ok(match self {
            RelayRoutes::Nothing => (Vec::new(), false),
            RelayRoutes::All(load) => (through()?, load.as_ref().is_none_or(|load| load[pe as usize] > 0)),
            RelayRoutes::Chosen(routes, next) => {
                let first = routes.partition_point(|route| route.0 < pe);
                let own = routes[first..].iter().take_while(|route| route.0 == pe);
                (own.map(|route| (route.1, route.2)).collect(), next.binary_search(&pe).is_ok())
            }
        })
    }
}

/// Pairs that an error names.
const NAMED_PAIRS: usize = 3;

/// Checks that no route has to go through other PEs.
fn may_go_without_others(plan: &DesignPlan) -> Result<(), ExportError> {
    if let Some(reach @ (Reach::All | Reach::Requested)) = plan.settings.given(&THROUGH) {
        let why = "nodes of this spec forward nothing; choose direct, or set forwarding = true in the spec";
        let value = if *reach == Reach::All { "all" } else { "requested" };
        return Err(ExportError::setting("through", value, why));
    }
    let pairs = (0..plan.pes()).flat_map(|a| plan.demand.higher_of(a).iter().map(move |&b| (a, b)));
    let apart: Vec<(u32, u32)> = pairs.filter(|&(a, b)| plan.nis.shared(a, b).next().is_none()).collect();
    if apart.is_empty() {
        return Ok(());
    }
    let named = apart.iter().take(NAMED_PAIRS);
    let named: Vec<String> =
        named.map(|&(a, b)| format!("{}\u{2013}{}", plan.pe_name(a), plan.pe_name(b))).collect();
    Err(ExportError::NoPath { pairs: named.join(", "), more: apart.len() - named.len() })
}

/// The routes of requested pairs that share no switch, from every PE on their ways.
fn requested(plan: &DesignPlan) -> Result<Vec<(u32, u32, u32)>, ExportError> {
    let pairs = apart(plan, plan.multi_routes()?);
    let mut routes = Vec::new();
    if pairs.is_empty() {
        return Ok(routes);
    }
    let through: &ThroughRoutes = plan.through()?;
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
        let (nis, uplinked) = (self.working_nis(pe)?, self.uplinked(pe)?);
        Ok(Ways { nis, neighbours: routes.neighbours(pe), through, forwards, uplinked })
    }

    /// `true` if PEs forward packets of others. With uplink switches, none has to. The library of a job is no reason against it here:
    /// forms with one address per PE are for sockets, over which all libraries take any route.
    pub(super) fn nodes_forward(&self) -> bool {
        self.spec.uplink.is_none() && self.spec.forwarding != Some(false)
    }

    /// Networks that a PE reaches over uplink switches, an item for each set of these that its NIs lead to.
    pub(super) fn uplinked(&self, pe: u32) -> Result<Vec<UplinkRoutes>, ExportError> {
        let mut found: Vec<(u32, UplinkRoutes)> = Vec::new();
        let Some(spine) = self.spec.spine() else { return Ok(Vec::new()) };
        for (ni, switch) in self.working_nis(pe)? {
            let (set, networks) = (spine.set_of(switch), self.networks_beyond(switch)?);
            if networks.is_empty() {
                continue;
            }
            let gateway = Gateway { ni, address: self.addresses()?.gateway(switch) };
            match found.iter_mut().find(|(other, _)| *other == set) {
                Some((_, uplinked)) => uplinked.gateways.push(gateway),
                None => {
                    found.push((set, UplinkRoutes { networks: networks.to_vec(), gateways: vec![gateway] }))
                }
            }
        }
        Ok(found.into_iter().map(|(_, uplinked)| uplinked).collect())
    }

    /// The paths over uplink switches. `None` without any.
    pub(super) fn uplink_paths(&self) -> Result<Option<UplinkPaths>, ExportError> {
        let (Some(spine), Some(uplink)) = (self.spec.spine(), self.uplink()) else { return Ok(None) };
        let firsts = |pe: u32| {
            let mut firsts: Vec<(u32, u32, u32)> = Vec::new();
            for (ni, switch) in self.working_nis(pe)? {
                let set = spine.set_of(switch);
                if firsts.iter().all(|&(other, _, _)| other != set) {
                    firsts.push((set, ni, switch));
                }
            }
            Ok(firsts)
        };
        let names = |set: u32| {
            let switches = uplink.switches.iter().skip((set * spine.each) as usize).take(spine.each as usize);
            switches.map(|switch| switch.name.as_str()).collect::<Vec<_>>().join(" ")
        };
        Ok(Some(UplinkPaths {
            firsts: (0..self.pes()).map(firsts).collect::<Result<_, ExportError>>()?,
            names: (0..spine.sets).map(names).collect(),
        }))
    }

    /// The address of a PE's NI in the subnet of its switch, with the prefix length.
    pub(super) fn subnet_address(&self, pe: u32, switch: u32) -> Result<Ipv4Net, ExportError> {
        Ok(Ipv4Net::new_assert(self.address_on(pe, switch)?, self.addresses()?.prefix(switch)))
    }

    /// The NIs of a PE that work with their switches, ascending.
    pub(super) fn working_nis(&self, pe: u32) -> Result<Vec<(u32, u32)>, ExportError> {
        let working = self.multi_routes()?.working();
        Ok(working.live().of(pe).iter().map(|&switch| (working.ni(pe, switch), switch)).collect())
    }
}
