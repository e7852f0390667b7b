//! Shorter cables for a finished wiring, from its racks, without losing a requested pair.
//!
//! Two steps alternate: [`assign`] gives interchangeable switches their best roles, and NIs swap places where that
//! costs no link. Lengths are whole micrometres, so that sums do not depend on their order.

use crate::{
    problem::{NONE, design as as_design, genome, instances, names as switch_names},
    wiring::{Swap, Wiring},
};
use analysis::analysis::lengths::{Places, between};
use pathfinding::{kuhn_munkres::kuhn_munkres_min, matrix::Matrix};
use spec::{
    demand::Demand,
    design::Design,
    random::Rng,
    spec::{Rack, Spec},
};

/// Occupants of a switch compared to find the best saving.
const CANDIDATES: u32 = 14;
/// Proposals between two calls of `go_on`.
const ASK_EVERY: u64 = 256;
/// Proposals per NI without a saving after which swaps end.
const QUIET: u64 = 100;

/// Shortens the cables of a wiring and returns the metres saved. Does nothing without racks, if every cable stays, or with direct
/// cables, which end at no place of a switch.
pub fn shorten(spec: &Spec, wiring: &mut Wiring, rng: &mut Rng, go_on: &mut dyn FnMut(u64) -> bool) -> f64 {
    let Some(floor) = Floor::new(spec, wiring.problem.switches()) else { return 0.0 };
    if spec.renumbers() || !spec.cables().is_empty() {
        return 0.0;
    }
    let interchangeable = is_interchangeable(spec);
    let mut saved = 0;
    loop {
        let assigned = if interchangeable { assign(spec, &floor, wiring, rng, go_on) } else { 0 };
        let swapped = swap_nis(&floor, wiring, rng, go_on);
        saved += assigned + swapped;
        if swapped == 0 || !go_on(0) {
            return saved as f64 / 1e6;
        }
    }
}

/// The wiring with its switches in the places that make cables shortest, by [`assign`]. Nodes keep their places. Returns `None` if
/// `go_on` said no, or if the wiring exceeds the hardware of the spec, which must have racks.
pub fn placed(
    spec: &Spec,
    demand: &Demand,
    design: &Design,
    go_on: &mut dyn FnMut() -> bool,
) -> Option<Design> {
    let spec = &*spec.grown(design.used_switches());
    if spec.racks.is_empty() {
        return None;
    }
    if !is_interchangeable(spec) {
        return Some(design.clone());
    }
    let problem = instances(spec, demand, go_on)?.into_iter().rfind(|problem| problem.further == 0)?;
    let floor = Floor::new(spec, problem.switches())?;
    let (genome, whole) = genome(spec, design.switches());
    let mut wiring = Wiring::empty(&problem);
    if !whole || !wiring.load(&genome, go_on) {
        return None;
    }
    assign(spec, &floor, &mut wiring, &mut Rng::new(0, 0), &mut |_| go_on());
    Some(as_design(spec, wiring.genome()))
}

/// `true` if switches may change roles: the spec refers to none of them by number.
fn is_interchangeable(spec: &Spec) -> bool {
    spec.placements.is_empty() && spec.kept.is_empty() && spec.start.is_none()
}

/// Positions of PEs and switches, with switches numbered as in the search.
pub struct Floor<'a> {
    /// Number of each switch in the spec.
    pub names: Vec<u32>,
    pes: Vec<&'a Rack>,
    switches: Vec<&'a Rack>,
}

impl<'a> Floor<'a> {
    /// For an instance with this many switches. `None` unless every PE and switch is in a rack.
    pub fn new(spec: &'a Spec, switches: u32) -> Option<Floor<'a>> {
        let (places, names) = (Places::of(spec), switch_names(spec, switches));
        let pes = (0..spec.pes).map(|pe| places.pe(pe)).collect::<Option<_>>()?;
        let switches = names.iter().map(|&switch| places.switch(switch)).collect::<Option<_>>()?;
        Some(Floor { names, pes, switches })
    }

    /// Micrometres from a PE to a switch, without slack, which is the same for all cables.
    pub fn micrometres(&self, pe: u32, switch: u32) -> i64 {
        micrometres(self.pes[pe as usize], self.switches[switch as usize])
    }

    /// Micrometres from a switch to another.
    pub fn across(&self, from: u32, to: u32) -> i64 {
        micrometres(self.switches[from as usize], self.switches[to as usize])
    }
}

fn micrometres(from: &Rack, to: &Rack) -> i64 {
    (between(from, to) * 1e6).round() as i64
}

/// Swaps NIs until that saves nothing for long; returns the micrometres saved.
fn swap_nis(floor: &Floor, wiring: &mut Wiring, rng: &mut Rng, go_on: &mut dyn FnMut(u64) -> bool) -> i64 {
    let (mut saved, mut quiet) = (0, 0);
    let patience = QUIET * u64::from(wiring.problem.nis());
    while quiet < patience {
        if quiet % ASK_EVERY == 0 && !go_on(ASK_EVERY) {
            break;
        }
        quiet += 1;
        if let Some((swap, gain)) = propose(floor, wiring, rng)
            && keeps_pairs(wiring, &swap)
        {
            wiring.apply(&swap);
            if gain > 0 {
                saved += gain;
                quiet = 0;
            }
        }
    }
    saved
}

/// A swap of a random NI with an occupant of a random switch that does not lengthen their cables in all, and its
/// saving.
fn propose(floor: &Floor, wiring: &Wiring, rng: &mut Rng) -> Option<(Swap, i64)> {
    let problem = wiring.problem;
    let ni = rng.below(problem.nis());
    let switches = problem.switches_for(ni);
    let switch = switches.start + rng.below(switches.len() as u32);
    let (pe, from) = (problem.owner(ni), wiring.switch_of(ni));
    let ports = problem.ports_of(switch);
    if from == NONE || ports.is_empty() || wiring.is_on(pe, switch) {
        return None;
    }
    let own = floor.micrometres(pe, from) - floor.micrometres(pe, switch);
    let (width, start) = (ports.len() as u32, rng.below(ports.len() as u32));
    let mut best: Option<(Swap, i64)> = None;
    for k in 0..CANDIDATES.min(width) {
        let port = ports.start as u32 + (start + k) % width;
        let swap = Swap { ni, switch, port };
        let gain = match wiring.ni_at(port) {
            // An unused switch stays unused: it may not have to be bought.
            NONE if in_use(wiring, switch) => own,
            NONE => continue,
            occupant => {
                let other = problem.owner(occupant);
                if wiring.is_on(other, from) {
                    continue;
                }
                own + floor.micrometres(other, switch) - floor.micrometres(other, from)
            }
        };
        if gain >= best.map_or(0, |(_, max)| max + 1) && wiring.allows(&swap) {
            best = Some((swap, gain));
        }
    }
    best
}

fn in_use(wiring: &Wiring, switch: u32) -> bool {
    wiring.problem.ports_of(switch).any(|port| wiring.ni_at(port as u32) != NONE)
}

/// `true` if every served pair stays served. Where links are missing, a swap at no cost may give to one pair what it
/// takes from another, so both NIs must be idle in effect.
fn keeps_pairs(wiring: &Wiring, swap: &Swap) -> bool {
    let occupant = wiring.ni_at(swap.port);
    let idle = wiring.sole(swap.ni) == 0 && (occupant == NONE || wiring.sole(occupant) == 0);
    idle || (wiring.cost() == 0 && wiring.delta(swap, 0) <= 0)
}

/// Number of switches assigned at once: 10 to 30 ms of work.
const WINDOW: usize = 256;
/// Maximum number of rounds over all windows.
const ROUNDS: u32 = 32;
/// The last round saves less than 1/`SHARE` of the best one.
const SHARE: i64 = 50;

/// Gives every role the switch that makes cables shortest and returns the micrometres saved. Exact for up to
/// [`WINDOW`] switches of a kind (Kuhn and Munkres); more are assigned in random windows.
pub fn assign(
    spec: &Spec,
    floor: &Floor,
    wiring: &mut Wiring,
    rng: &mut Rng,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> i64 {
    let mut roles = Roles::new(spec, floor, wiring);
    let mut saved = 0;
    for mut kind in kinds(spec, floor, wiring) {
        saved += roles.assign_kind(&mut kind, rng, go_on);
    }
    if saved > 0 {
        let rename = |&switch: &u32| if switch == NONE { NONE } else { roles.holder[switch as usize] };
        let genome: Vec<u32> = wiring.genome().iter().map(rename).collect();
        // Not stoppable: a wiring that is stopped while it loads is empty.
        wiring.load(&genome, &mut || true);
    }
    saved
}

/// Switches of one model with equally many ports, under rails of one plane; one list for each kind with more than one.
fn kinds(spec: &Spec, floor: &Floor, wiring: &Wiring) -> Vec<Vec<u32>> {
    let models: Vec<Option<usize>> = floor.names.iter().map(|&name| spec.model_index(name)).collect();
    let model = |switch: u32| models[switch as usize];
    let problem = wiring.problem;
    let plane = |switch: u32| problem.rail().map_or(0, |rail| rail.plane_of(switch));
    let kind = |&switch: &u32| (plane(switch), model(switch), problem.ports_of(switch).len());
    let mut switches: Vec<u32> = (0..problem.switches()).filter(|&s| kind(&s).2 > 0).collect();
    switches.sort_by_key(kind);
    let kinds = switches.chunk_by(|a, b| kind(a) == kind(b)).filter(|kind| kind.len() > 1);
    kinds.map(<[u32]>::to_vec).collect()
}

/// Roles of the wiring's switches, and the switch that holds each role.
struct Roles<'a> {
    floor: &'a Floor<'a>,
    members: Vec<Vec<u32>>,
    holder: Vec<u32>,
    /// The folded uplink switch, with a cable to every other switch in use.
    uplink: Option<u32>,
}

impl<'a> Roles<'a> {
    fn new(spec: &Spec, floor: &'a Floor, wiring: &Wiring) -> Self {
        let problem = wiring.problem;
        let occupants = |switch: u32| {
            let nis = problem.ports_of(switch).map(|port| wiring.ni_at(port as u32)).filter(|&ni| ni != NONE);
            nis.map(|ni| problem.owner(ni)).collect()
        };
        let uplink = spec.uplink_switch().and_then(|name| floor.names.binary_search(&name).ok());
        Roles {
            floor,
            members: (0..problem.switches()).map(occupants).collect(),
            holder: (0..problem.switches()).collect(),
            uplink: uplink.map(|switch| switch as u32),
        }
    }

    fn assign_kind(&mut self, kind: &mut [u32], rng: &mut Rng, go_on: &mut dyn FnMut(u64) -> bool) -> i64 {
        let (mut saved, mut first) = (0, 0);
        for round in 0..ROUNDS {
            if kind.len() > WINDOW {
                rng.shuffle(kind);
            }
            let mut gained = 0;
            for window in kind.chunks(WINDOW) {
                if !go_on((window.len() * window.len()) as u64) {
                    return saved + gained;
                }
                gained += self.assign_window(window);
            }
            saved += gained;
            first = first.max(gained);
            if kind.len() <= WINDOW || round > 0 && gained <= first / SHARE || gained == 0 {
                break;
            }
        }
        saved
    }

    fn assign_window(&mut self, roles: &[u32]) -> i64 {
        let holders: Vec<u32> = roles.iter().map(|&role| self.holder[role as usize]).collect();
        let costs =
            Matrix::from_fn(roles.len(), roles.len(), |(row, column)| self.cost(roles[row], holders[column]));
        let before: i64 = (0..roles.len()).map(|i| costs[(i, i)]).sum();
        let (after, chosen) = kuhn_munkres_min(&costs);
        if after < before {
            for (&role, column) in roles.iter().zip(chosen) {
                self.holder[role as usize] = holders[column];
            }
        }
        (before - after).max(0)
    }

    /// Micrometres of a role's cables if this switch holds it.
    fn cost(&self, role: u32, switch: u32) -> i64 {
        let members = &self.members[role as usize];
        let cables: i64 = members.iter().map(|&pe| self.floor.micrometres(pe, switch)).sum();
        match self.uplink {
            Some(uplink) if uplink != switch && !members.is_empty() => {
                cables + self.floor.across(switch, uplink)
            }
            _ => cables,
        }
    }
}
