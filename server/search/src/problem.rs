//! One instance of the search: a graph of pairs, the NIs of every PE, the ports of every switch.
//!
//! NIs are numbered across PEs, ports across switches. A switch never needs more ports than there are PEs, and no
//! more switches than NIs can be used. The rest is cut off, narrowest switches first, so a generous budget costs no
//! memory. The remaining switches are renumbered; [`useful_names`] maps them back.
//!
//! The stock of a model without a count is unlimited. A search begins with the switches that the spec plans, which give
//! every NI a port. Where these do not serve every pair, instances with [`Problem::further`] switches follow, which are
//! numbered after all others. [`useful_further`] is the number from which on more are of no use.

use crate::graph::{Aim, Graph};
use spec::{
    demand::Demand,
    design::Design,
    random::Rng,
    spec::{Objective, Spec, Start},
};
use std::{ops::Range, sync::Arc};

/// Number of a switch: the NI is not connected. Number of an NI: the port is empty.
pub const NONE: u32 = u32::MAX;

/// Models whose first switch has this number or more, and is past the number of NIs, are left out: a design has a
/// line for every switch up to its last.
const MAX_SWITCH_NUMBER: u64 = 1 << 20;

/// An instance. Read only, shared by all islands.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The pairs.
    pub graph: Arc<Graph>,
    nis: Arc<Nis>,
    /// Ports of switch s: `ports[s]..ports[s + 1]`.
    ports: Vec<u32>,
    rail: Option<Arc<Rail>>,
    rules: Option<Arc<Rules>>,
    /// Number of aims that follow this one.
    pub pending_aims: u32,
    /// Switches of the model without a count beyond those that the spec plans; the last ones.
    pub further: u32,
    /// `true` if an instance of the same aim with another number of switches may be better.
    pub grows: bool,
    /// `true` for the last aim of a search for time, whose pairs are all served.
    pub timed: bool,
}

#[derive(Debug)]
struct Nis {
    /// NIs of p: `starts[p]..starts[p + 1]`.
    starts: Vec<u32>,
    /// PE of each NI.
    owner: Vec<u32>,
    /// NIs per PE, if equal for all.
    uniform: Option<u32>,
    /// Start of each NI's words in an array with the words of all NIs.
    words: Vec<usize>,
}

/// Planes of an instance: NI k of a PE may only go to the switches of plane k.
#[derive(Debug)]
pub struct Rail {
    /// Switches of plane k: `starts[k]..starts[k + 1]`.
    starts: Vec<u32>,
    /// Plane of each switch.
    plane: Vec<u32>,
}

impl Rail {
    /// Planes from the plane of each switch, ascending.
    pub fn new(plane: Vec<u32>) -> Rail {
        let planes = plane.last().map_or(0, |last| last + 1);
        let starts = (0..=planes).map(|k| plane.partition_point(|&p| p < k) as u32).collect();
        Rail { starts, plane }
    }

    /// The planes of a spec's useful switches. `None` without `rail`.
    pub fn of(spec: &Spec) -> Option<Rail> {
        let each = spec.switches_per_plane()?;
        Some(Rail::new(useful_names(spec).into_iter().map(|switch| switch / each).collect()))
    }

    /// Number of planes, up to the last with a switch.
    pub fn planes(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    /// The plane of a switch.
    #[inline]
    pub fn plane_of(&self, switch: u32) -> u32 {
        self.plane[switch as usize]
    }

    /// The switches of a plane.
    pub fn switches_of(&self, plane: u32) -> Range<u32> {
        match self.starts.get(plane as usize..plane as usize + 2) {
            Some(&[start, end]) => start..end,
            _ => 0..0,
        }
    }
}

impl Problem {
    /// An instance from a graph, the NIs per PE and the ports per switch.
    pub fn new(graph: Arc<Graph>, nis_per_pe: impl Iterator<Item = u32>, ports: &[u32]) -> Problem {
        let (mut starts, mut owner, mut words) = (vec![0], Vec::new(), vec![0]);
        for (pe, count) in (0..graph.pes).zip(nis_per_pe) {
            for _ in 0..count {
                owner.push(pe);
                words.push(words.last().unwrap_or(&0) + graph.words(pe));
            }
            starts.push(owner.len() as u32);
        }
        let first = starts.get(1).copied();
        let uniform = first.filter(|&n| starts.windows(2).all(|pair| pair[1] - pair[0] == n));
        let nis = Arc::new(Nis { starts, owner, uniform, words });
        Problem {
            ports: running_sum(ports),
            graph,
            nis,
            rail: None,
            rules: None,
            pending_aims: 0,
            further: 0,
            grows: false,
            timed: false,
        }
    }

    /// Sets the planes.
    pub fn with_rail(&self, rail: Option<Arc<Rail>>) -> Problem {
        Problem { rail, ..self.clone() }
    }

    /// Planes, under rails.
    #[inline]
    pub fn rail(&self) -> Option<&Rail> {
        self.rail.as_deref()
    }

    /// `true` unless rails keep an NI from a switch.
    #[inline]
    pub fn keeps_rail(&self, ni: u32, switch: u32) -> bool {
        self.rail().is_none_or(|rail| self.place(ni) == rail.plane_of(switch))
    }

    /// Number of an NI among those of its PE: its plane, under rails.
    pub fn place(&self, ni: u32) -> u32 {
        ni - self.nis.starts[self.owner(ni) as usize]
    }

    /// Switches that an NI may go to, as far as rails say so.
    pub fn switches_for(&self, ni: u32) -> Range<u32> {
        self.rail().map_or(0..self.switches(), |rail| rail.switches_of(self.place(ni)))
    }

    /// An NI of a PE that may go to a switch: under rails the one of its plane, otherwise a random one.
    #[inline]
    pub fn ni_for(&self, pe: u32, switch: u32, rng: &mut Rng) -> Option<u32> {
        let own = self.nis_of(pe);
        match self.rail() {
            None => Some(own.start as u32 + rng.below(own.len() as u32)),
            Some(rail) => own.clone().nth(rail.plane_of(switch) as usize).map(|ni| ni as u32),
        }
    }

    /// Sets the ports.
    pub fn with_ports(&self, ports: &[u32]) -> Problem {
        Problem { ports: running_sum(ports), ..self.clone() }
    }

    /// Adds further switches of the spec's model without a count.
    pub fn grown(&self, spec: &Spec, further: u32) -> Problem {
        Problem { further, ..self.with_ports(&ports_with(spec, further)) }
    }

    /// Sets the rules.
    pub fn with_rules(&self, rules: Option<Arc<Rules>>) -> Problem {
        Problem { rules, ..self.clone() }
    }

    /// `true` if only uncovered pairs count and there are no rules.
    pub fn counts_pairs(&self) -> bool {
        self.graph.levels() == 1 && !self.graph.weighted() && self.rules.is_none()
    }

    /// Rules beyond the limits of ports and NIs.
    pub fn rules(&self) -> Option<&Rules> {
        self.rules.as_deref()
    }

    /// Number of PEs.
    pub fn pes(&self) -> u32 {
        self.graph.pes
    }

    /// Number of NIs.
    pub fn nis(&self) -> u32 {
        self.nis.owner.len() as u32
    }

    /// Number of switches.
    pub fn switches(&self) -> u32 {
        self.ports.len() as u32 - 1
    }

    /// The NIs of a PE.
    pub fn nis_of(&self, pe: u32) -> Range<usize> {
        self.nis.starts[pe as usize] as usize..self.nis.starts[pe as usize + 1] as usize
    }

    /// The PE of an NI.
    pub fn owner(&self, ni: u32) -> u32 {
        self.nis.owner[ni as usize]
    }

    /// NIs per PE, if equal for all.
    pub fn uniform(&self) -> Option<u32> {
        self.nis.uniform
    }

    /// Words of an NI in an array with the words of all NIs: one bit per partner of its PE.
    pub fn words_of(&self, ni: usize) -> Range<usize> {
        self.nis.words[ni]..self.nis.words[ni + 1]
    }

    /// Number of words of all NIs.
    pub fn all_words(&self) -> usize {
        self.nis.words[self.nis.owner.len()]
    }

    /// The ports of a switch.
    pub fn ports_of(&self, switch: u32) -> Range<usize> {
        self.ports[switch as usize] as usize..self.ports[switch as usize + 1] as usize
    }

    /// Words of the wiring that an applied swap rewrites, at most: of all PEs on the two switches, before and after.
    pub fn words_per_move(&self) -> u64 {
        let ports = u64::from(self.ports()).div_ceil(u64::from(self.switches()).max(1));
        let nis = u64::from(self.nis()).div_ceil(u64::from(self.pes()).max(1));
        4 * ports * nis * self.graph.max_partners.div_ceil(64) as u64
    }

    /// Number of ports of all switches.
    pub fn ports(&self) -> u32 {
        self.ports[self.switches() as usize]
    }
}

fn running_sum(ports: &[u32]) -> Vec<u32> {
    let mut sums = Vec::with_capacity(ports.len() + 1);
    sums.push(0);
    for &count in ports {
        sums.push(sums.last().unwrap_or(&0) + count);
    }
    sums
}

/// NIs of every PE, in PE order.
pub fn nis_per_pe(spec: &Spec) -> impl Iterator<Item = u32> + '_ {
    spec.pe_groups.iter().flat_map(|g| std::iter::repeat_n(g.nis, g.count as usize))
}

/// Ports of every useful switch.
pub fn useful_ports(spec: &Spec) -> Vec<u32> {
    ports_with(spec, 0)
}

/// Ports of every useful switch, and of this many further ones.
pub fn ports_with(spec: &Spec, further: u32) -> Vec<u32> {
    let ports = spec.grown(spec.switch_budget() + further).usable_ports();
    let useful = useful_names(spec);
    let switches = useful.len() as u32 + further;
    names_with(spec, useful, switches).into_iter().map(|s| ports[s as usize].min(spec.pes)).collect()
}

/// Numbers in the spec of this many switches of an instance: the useful ones and further ones.
pub fn names(spec: &Spec, switches: u32) -> Vec<u32> {
    names_with(spec, useful_names(spec), switches)
}

fn names_with(spec: &Spec, mut useful: Vec<u32>, switches: u32) -> Vec<u32> {
    let further = switches.saturating_sub(useful.len() as u32);
    let first = spec.switch_budget();
    useful.extend(first..first + further);
    useful
}

/// Maximum number of NIs with which a search uses further switches.
const MAX_GROWN: u64 = 1 << 19;

/// The number of further switches from which on more are of no use.
///
/// Let a wiring have as few switches of the model without a count as any that serves its pairs. Each of these holds two PEs or
/// more, and a pair that needs it. Two of them with no more PEs together than ports ρ could be one, unless a pair is on
/// both and needs both. So if every pair wants one link, at most one of them is at most half full, and the others have more
/// than ρ/2 of the NIs each. If pairs want more links, the at most half full ones share two PEs with the emptiest of
/// them, whose at most ρ/2 PEs are on η-1 others.
pub fn useful_further(spec: &Spec, demand: &Demand) -> u32 {
    let renumbers = spec.renumbers();
    let (nis, budget) = (spec.total_nis(), spec.switch_budget());
    let room = spec.max_switches() - budget;
    let (Some(model), Some(width)) = (spec.unlimited(), spec.usable_of(budget)) else { return 0 };
    if room == 0 || renumbers || nis > MAX_GROWN {
        return 0;
    }
    let width = u64::from(width.min(spec.pes));
    let wanted = |pair: usize| u64::from(demand.links(pair)) + u64::from(demand.extra(pair));
    let (all, most) = (0..demand.len()).map(wanted).fold((0, 0), |(all, most), n| (all + n, n.max(most)));
    let each = spec.pe_groups.iter().map(|group| u64::from(group.nis)).max().unwrap_or(0);
    let half_empty = if most > 1 { width * each / 4 + 1 } else { 1 };
    let enough = (2 * nis / (width + 1) + half_empty).min(nis / 2).min(all);
    // Planned ones of the model are as good, unless the spec says more of some.
    let alike =
        spec.placements.is_empty() && spec.kept.is_empty() && spec.start.is_none() && spec.uplink.is_none();
    let planned = if alike { spec.switch_counts()[model] } else { 0 };
    u32::try_from(enough).unwrap_or(u32::MAX).saturating_sub(planned).min(room)
}

/// Numbers of further switches to search with: from a sixteenth of the useful ones on, twice as many each time.
fn growth(spec: &Spec, demand: &Demand) -> Vec<u32> {
    let most = useful_further(spec, demand);
    let first = (most / 16).max(1);
    let doubled = std::iter::successors(Some(first), |&more| Some(2 * more)).take_while(|&more| more < most);
    doubled.chain((most > 0).then_some(most)).collect()
}

/// For every switch of [`useful_ports`], its number in the spec: those with required or original cables, then the
/// widest, no more than there are NIs; under rails, in each plane.
pub fn useful_names(spec: &Spec) -> Vec<u32> {
    let ports = spec.usable_ports();
    if let Some(each) = spec.switches_per_plane() {
        let planes =
            (0..spec.planes()).map(|plane| (plane, plane * each..(plane * each).saturating_add(each)));
        let useful = |(plane, switches)| widest(spec, &ports, switches, spec.pes_on_plane(plane) as usize);
        return planes.flat_map(useful).collect();
    }
    let reach = spec.total_nis().max(MAX_SWITCH_NUMBER);
    let max = usize::try_from(spec.total_nis()).unwrap_or(usize::MAX);
    let near = first_models(spec, reach).min(ports.len());
    widest(spec, &ports, 0..near as u32, max)
}

/// Up to `max` of these switches, ascending: those with required or original cables, then the widest.
fn widest(spec: &Spec, ports: &[u32], switches: Range<u32>, max: usize) -> Vec<u32> {
    if switches.len() <= max {
        return switches.collect();
    }
    let near = switches.end as usize;
    let mut named = vec![false; near];
    let placed = spec.placements.iter().filter(|p| p.on).flat_map(|p| &p.switches);
    let there = spec.start.iter().flat_map(|start| (0..).zip(start.switches.iter()));
    let in_use = there.filter(|(_, members)| !members.is_empty()).map(|(switch, _)| switch);
    for switch in placed.copied().chain(in_use).filter(|&s| (s as usize) < near) {
        named[switch as usize] = true;
    }
    let mut widest: Vec<u32> = switches.collect();
    let width = |s: u32| ports[s as usize].min(spec.pes);
    widest.sort_by_key(|&s| (!named[s as usize], std::cmp::Reverse(width(s)), s));
    widest.truncate(max);
    widest.sort_unstable();
    widest
}

/// Number of switches of the models whose first switch is numbered below `reach`.
fn first_models(spec: &Spec, reach: u64) -> usize {
    let mut before = 0u64;
    for count in spec.switch_counts() {
        if before >= reach {
            break;
        }
        before += u64::from(count);
    }
    usize::try_from(before).unwrap_or(usize::MAX)
}

/// A wiring as the switch of every NI, from the PEs of each switch; `false` if it leaves out connections.
pub fn genome<'a>(spec: &Spec, switches: impl Iterator<Item = &'a [u32]>) -> (Vec<u32>, bool) {
    let names = useful_names(spec);
    let mut next = Vec::with_capacity(spec.pes as usize);
    let mut total = 0;
    for count in nis_per_pe(spec) {
        next.push(total);
        total += count as usize;
    }
    let (mut genome, mut whole) = (vec![NONE; total], true);
    let compact = |switch: u32| match switch.checked_sub(spec.switch_budget()) {
        Some(further) => Some(names.len() + further as usize).filter(|_| switch < spec.max_switches()),
        None => names.binary_search(&switch).ok(),
    };
    let each = spec.switches_per_plane();
    let first = next.clone();
    for (switch, members) in (0..).zip(switches).filter(|(_, members)| !members.is_empty()) {
        let Some(compact) = compact(switch) else {
            whole = false;
            continue;
        };
        for &pe in members {
            if let Some(each) = each {
                let at = first[pe as usize] + (switch / each) as usize;
                if at >= first.get(pe as usize + 1).copied().unwrap_or(total) || genome[at] != NONE {
                    whole = false;
                    continue;
                }
                next[pe as usize] = at;
            }
            genome[next[pe as usize]] = compact as u32;
            next[pe as usize] += 1;
        }
    }
    (genome, whole)
}

/// All NIs on as few switches as possible: the widest full, one with the rest, the others empty. This gives the
/// maximum number of links per pair (KLAT2 in Dietz and Mattox 2000 has eight full switches and a ninth with 8 of 31).
pub fn concentrated(ports: &[u32], nis: u32) -> Vec<u32> {
    let mut widest: Vec<usize> = (0..ports.len()).collect();
    widest.sort_by_key(|&s| (std::cmp::Reverse(ports[s]), s));
    let (mut loads, mut rest) = (vec![0; ports.len()], nis);
    for s in widest {
        loads[s] = ports[s].min(rest);
        rest -= loads[s];
    }
    loads
}

/// The instances to search in order, stricter ones first, those with further switches later, one with extra links last; `None` if `go_on` said no.
pub fn instances(spec: &Spec, demand: &Demand, go_on: &mut dyn FnMut() -> bool) -> Option<Vec<Problem>> {
    let fractional = spec.objective == Objective::Fractional;
    let aim = if fractional { Aim::Weight } else { Aim::Cover };
    let graph = Arc::new(Graph::with_aim(demand, aim, go_on)?);
    let ports = useful_ports(spec);
    let rules = Rules::of(spec).map(Arc::new);
    let ruled = rules.is_some();
    let timed = spec.objective == Objective::Time;
    let has_extra = demand.has_extra() && !fractional && !timed;
    let rail = Rail::of(spec).map(Arc::new);
    let free = Problem {
        rail,
        rules,
        pending_aims: (has_extra || timed).into(),
        ..Problem::new(graph, nis_per_pe(spec), &ports)
    };
    let mut instances = Vec::new();
    if spec.objective == Objective::Universal && !ruled && spec.start.is_none() {
        // Full switches give the most links per pair. Free loads follow only if that fails.
        let loads = match free.rail() {
            None => concentrated(&ports, free.nis()),
            Some(rail) => {
                let plane = |plane: u32| {
                    let switches = rail.switches_of(plane);
                    let ports = &ports[switches.start as usize..switches.end as usize];
                    concentrated(ports, spec.pes_on_plane(plane))
                };
                (0..spec.planes()).flat_map(plane).collect()
            }
        };
        instances.push(free.with_ports(&loads));
    }
    let growth = if spec.serves_over_uplinks() { Vec::new() } else { growth(spec, demand) };
    instances.push(Problem { grows: !growth.is_empty(), ..free.clone() });
    for further in growth {
        instances.push(Problem { grows: true, ..free.grown(spec, further) });
    }
    if timed {
        instances.push(Problem { pending_aims: 0, timed, ..free.clone() });
    }
    if has_extra {
        let graph = Arc::new(Graph::with_aim(demand, Aim::Extra, go_on)?);
        instances.push(Problem { graph, pending_aims: 0, ..free });
    }
    Some(instances)
}

/// Rules of an instance, with renumbered switches.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// (PE, switch) that must be connected, ascending.
    required: Vec<(u32, u32)>,
    /// (PE, switch) that must not be connected, ascending.
    forbidden: Vec<(u32, u32)>,
    /// (PE, switch) of the start wiring, ascending.
    original: Vec<(u32, u32)>,
    /// Max cables that may leave the start wiring, if limited.
    pub max_moved: Option<u32>,
}

impl Rules {
    /// The rules of a spec, if it has any. The start wiring counts where the number of moved cables is limited.
    pub fn of(spec: &Spec) -> Option<Rules> {
        let limited = spec.start.as_ref().filter(|start| start.moves.is_some() && !start.renumber);
        (limited.is_some() || !spec.placements.is_empty()).then(|| Rules::build(spec, limited))
    }

    /// Returns rules with the start wiring even if any number of cables may move; `None` without a start wiring.
    pub fn with_originals(spec: &Spec) -> Option<Rules> {
        let start = spec.start.as_ref().filter(|start| !start.renumber)?;
        Some(Rules::build(spec, Some(start)))
    }

    fn build(spec: &Spec, start: Option<&Start>) -> Rules {
        let names = useful_names(spec);
        let compact = |switch: u32| names.binary_search(&switch).ok().map(|s| s as u32);
        let mut rules = Rules { max_moved: start.and_then(|start| start.moves), ..Rules::default() };
        for placement in &spec.placements {
            let pairs = placement.pes.iter().flat_map(|&pe| placement.switches.iter().map(move |&s| (pe, s)));
            let pairs = pairs.filter_map(|(pe, s)| Some((pe, compact(s)?)));
            if placement.on { rules.required.extend(pairs) } else { rules.forbidden.extend(pairs) }
        }
        if let Some(start) = start {
            for (switch, members) in (0..).zip(start.switches.iter()) {
                rules
                    .original
                    .extend(compact(switch).into_iter().flat_map(|s| members.iter().map(move |&pe| (pe, s))));
            }
        }
        for list in [&mut rules.required, &mut rules.forbidden, &mut rules.original] {
            list.sort_unstable();
            list.dedup();
        }
        rules
    }

    /// `true` if a PE must be on a switch.
    pub fn is_required(&self, pe: u32, switch: u32) -> bool {
        self.required.binary_search(&(pe, switch)).is_ok()
    }

    /// `true` if a PE may be on a switch.
    pub fn is_allowed(&self, pe: u32, switch: u32) -> bool {
        self.forbidden.is_empty() || self.forbidden.binary_search(&(pe, switch)).is_err()
    }

    /// `true` if the start wiring has this cable.
    pub fn is_original(&self, pe: u32, switch: u32) -> bool {
        self.original.binary_search(&(pe, switch)).is_ok()
    }

    /// Switches that a PE must be on.
    pub fn required_of(&self, pe: u32) -> impl Iterator<Item = u32> + '_ {
        of(&self.required, pe)
    }

    /// Switches of a PE in the start wiring.
    pub fn originals_of(&self, pe: u32) -> impl Iterator<Item = u32> + '_ {
        of(&self.original, pe)
    }

    /// Number of cables of the start wiring that a genome does not have.
    pub fn moved(&self, problem: &Problem, genome: &[u32]) -> u32 {
        let gone = |&&(pe, switch): &&(u32, u32)| !genome[problem.nis_of(pe)].contains(&switch);
        self.original.iter().filter(gone).count() as u32
    }
}

fn of(list: &[(u32, u32)], pe: u32) -> impl Iterator<Item = u32> + '_ {
    let from = list.partition_point(|&(p, _)| p < pe);
    list[from..].iter().take_while(move |&&(p, _)| p == pe).map(|&(_, s)| s)
}

/// The start wiring as a genome.
pub fn start_genome(spec: &Spec) -> Option<Vec<u32>> {
    let start = spec.start.as_ref()?;
    Some(genome(spec, start.switches.iter().map(Vec::as_slice)).0)
}

/// A wiring as a design: one line per switch of the spec, without empty ones at the end.
pub fn design(spec: &Spec, genome: &[u32]) -> Design {
    let used = genome.iter().filter(|&&switch| switch != NONE).max().map_or(0, |&last| last + 1);
    let names = names(spec, used);
    let (starts, members) = by_switch(spec, genome, names.len());
    let mut useful = names.iter().zip(starts.windows(2)).peekable();
    let used = names.iter().zip(starts.windows(2)).rfind(|(_, ends)| ends[0] < ends[1]);
    let count = used.map_or(0, |(last, _)| last + 1);
    let lines = (0..count).map(|number| match useful.next_if(|(name, _)| **name == number) {
        Some((_, ends)) => members[ends[0]..ends[1]].to_vec(),
        None => Vec::new(),
    });
    Design::from_switches(spec.pes, lines)
}

/// Members of all switches in one vector, and the start of each switch's: faster than a list per switch.
fn by_switch(spec: &Spec, genome: &[u32], switches: usize) -> (Vec<usize>, Vec<u32>) {
    // `at[s + 2]` counts the load of switch s, then `at[s + 1]` is its next free place, and finally `at[s]` its
    // start.
    let mut at = vec![0; switches + 2];
    genome.iter().filter(|&&s| s != NONE).for_each(|&s| at[s as usize + 2] += 1);
    (1..at.len()).for_each(|s| at[s] += at[s - 1]);
    let mut members = vec![0; at[switches + 1]];
    let mut rest = genome;
    for (pe, count) in (0..spec.pes).zip(nis_per_pe(spec)) {
        let (own, others) = rest.split_at((count as usize).min(rest.len()));
        for &switch in own.iter().filter(|&&s| s != NONE) {
            let next = &mut at[switch as usize + 1];
            members[*next] = pe;
            *next += 1;
        }
        rest = others;
    }
    at.truncate(switches + 1);
    (at, members)
}
