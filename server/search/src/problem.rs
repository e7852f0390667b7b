//! One instance of the search: a graph of pairs, the NIs of every PE, the ports of every switch.
//!
//! NIs are numbered through all PEs, ports through all switches. A switch never needs more ports than there are PEs,
//! and never more switches than there are NIs can be used; what goes beyond is cut off here, the narrowest switches first,
//! so that a generous budget costs no memory. The switches that stay are numbered anew ([`useful_names`] knows them).

use crate::{
    graph::{Aim, Graph},
    rules::Rules,
};
use shared::{
    demand::Demand,
    spec::{Objective, Spec},
};
use std::sync::Arc;

/// In place of a switch: the NI is not connected. In place of an NI: the port is empty.
pub const NONE: u32 = u32::MAX;

/// A model whose switches are numbered from here on, and past the number of NIs, is left out: a design has a line for every
/// switch up to its last, and millions of empty ones help nobody.
const MAX_SWITCH_NUMBER: u64 = 1 << 20;

/// An instance. Read only, shared by all islands.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The pairs.
    pub graph: Arc<Graph>,
    nis: Arc<Nis>,
    /// Ports of switch s: `ports[s]..ports[s + 1]`.
    ports: Vec<u32>,
    rules: Option<Arc<Rules>>,
    /// Aims that come after this one.
    pending_aims: u32,
}

#[derive(Debug)]
struct Nis {
    /// NIs of p: `starts[p]..starts[p + 1]`.
    starts: Vec<u32>,
    /// PE of each NI.
    owner: Vec<u32>,
    /// NIs of each PE, if all have the same number.
    uniform: Option<u32>,
    /// Where the words of an NI begin in an array of every NI's words.
    words: Vec<usize>,
}

impl Problem {
    /// An instance from a graph, the number of NIs of every PE and the ports of every switch.
    pub fn new(graph: Arc<Graph>, nis_per_pe: impl Iterator<Item = u32>, ports: &[u32]) -> Problem {
        let (mut starts, mut owner, mut words) = (vec![0], Vec::new(), vec![0]);
        for (pe, count) in (0..graph.pes()).zip(nis_per_pe) {
            for _ in 0..count {
                owner.push(pe);
                words.push(words.last().unwrap_or(&0) + graph.words(pe));
            }
            starts.push(owner.len() as u32);
        }
        let first = starts.get(1).copied();
        let uniform = first.filter(|&n| starts.windows(2).all(|pair| pair[1] - pair[0] == n));
        let nis = Arc::new(Nis { starts, owner, uniform, words });
        Problem { ports: running_sum(ports), graph, nis, rules: None, pending_aims: 0 }
    }

    /// The same pairs and NIs with other ports.
    pub fn with_ports(&self, ports: &[u32]) -> Problem {
        Problem { ports: running_sum(ports), ..self.clone() }
    }

    /// The same with another view of the same pairs.
    pub fn with_graph(&self, graph: Arc<Graph>) -> Problem {
        Problem { graph, ..self.clone() }
    }

    /// The same under rules.
    pub fn with_rules(&self, rules: Option<Arc<Rules>>) -> Problem {
        Problem { rules, ..self.clone() }
    }

    /// The same with so many aims to come after it.
    pub fn with_pending_aims(&self, pending_aims: u32) -> Problem {
        Problem { pending_aims, ..self.clone() }
    }

    /// Aims that come after this one.
    pub fn pending_aims(&self) -> u32 {
        self.pending_aims
    }

    /// Whether a wiring is as good as its uncovered pairs are few, and nothing else is to be kept.
    pub fn counts_pairs(&self) -> bool {
        self.graph.levels() == 1 && !self.graph.weighted() && self.rules.is_none()
    }

    /// What a wiring must keep besides its limits, if anything.
    pub fn rules(&self) -> Option<&Rules> {
        self.rules.as_deref()
    }

    /// Number of PEs.
    pub fn pes(&self) -> u32 {
        self.graph.pes()
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
    pub fn nis_of(&self, pe: u32) -> std::ops::Range<usize> {
        self.nis.starts[pe as usize] as usize..self.nis.starts[pe as usize + 1] as usize
    }

    /// The PE of an NI.
    pub fn owner(&self, ni: u32) -> u32 {
        self.nis.owner[ni as usize]
    }

    /// NIs of every PE, if all have the same number.
    pub fn uniform(&self) -> Option<u32> {
        self.nis.uniform
    }

    /// The words of an NI in an array of every NI's words: one bit for each partner of its PE.
    pub fn words_of(&self, ni: usize) -> std::ops::Range<usize> {
        self.nis.words[ni]..self.nis.words[ni + 1]
    }

    /// Number of words of all NIs.
    pub fn all_words(&self) -> usize {
        self.nis.words[self.nis.owner.len()]
    }

    /// The ports of a switch.
    pub fn ports_of(&self, switch: u32) -> std::ops::Range<usize> {
        self.ports[switch as usize] as usize..self.ports[switch as usize + 1] as usize
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

/// Ports of every switch that can be of use.
pub fn useful_ports(spec: &Spec) -> Vec<u32> {
    let ports = spec.usable_ports();
    useful_names(spec).into_iter().map(|s| ports[s as usize].min(spec.pes)).collect()
}

/// For every switch of [`useful_ports`], its number among all that the spec allows: those that somebody must be on, then the
/// widest, no more in all than there are NIs.
pub fn useful_names(spec: &Spec) -> Vec<u32> {
    let ports = spec.usable_ports();
    let reach = spec.total_nis().max(MAX_SWITCH_NUMBER);
    let max = usize::try_from(spec.total_nis()).unwrap_or(usize::MAX);
    let near = first_models(spec, reach).min(ports.len());
    if near <= max {
        return (0..near as u32).collect();
    }
    let mut named = vec![false; near];
    let placed = spec.placements.iter().filter(|p| p.on).flat_map(|p| &p.switches);
    let there = spec.start.iter().flat_map(|start| (0..).zip(start.switches.iter()));
    let in_use = there.filter(|(_, members)| !members.is_empty()).map(|(switch, _)| switch);
    for switch in placed.copied().chain(in_use).filter(|&s| (s as usize) < near) {
        named[switch as usize] = true;
    }
    let mut widest: Vec<u32> = (0..near as u32).collect();
    let width = |s: u32| ports[s as usize].min(spec.pes);
    widest.sort_by_key(|&s| (!named[s as usize], std::cmp::Reverse(width(s)), s));
    widest.truncate(max);
    widest.sort_unstable();
    widest
}

/// How many switches the models have whose first one is numbered below `reach`.
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

/// A wiring as the search writes it, the switch of every NI, from the PEs of each switch of the spec; and whether that is
/// all of it: connections to switches that the search leaves out are not there.
pub fn genome<'a>(spec: &Spec, switches: impl Iterator<Item = &'a [u32]>) -> (Vec<u32>, bool) {
    let names = useful_names(spec);
    let mut next = Vec::with_capacity(spec.pes as usize);
    let mut total = 0;
    for count in nis_per_pe(spec) {
        next.push(total);
        total += count as usize;
    }
    let (mut genome, mut whole) = (vec![NONE; total], true);
    for (switch, members) in (0..).zip(switches).filter(|(_, members)| !members.is_empty()) {
        let Ok(compact) = names.binary_search(&switch) else {
            whole = false;
            continue;
        };
        for &pe in members {
            genome[next[pe as usize]] = compact as u32;
            next[pe as usize] += 1;
        }
    }
    (genome, whole)
}

/// As many NIs on as few switches as possible: the widest switches full, one with the rest, the others empty. For given
/// NIs this gives the most links a pair (the LCPC paper's KLAT2 has eight full switches and a ninth with 8 of 31).
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

// From a spec to the instances that are searched one after the other.

/// The instances to search, stricter ones first; `None` if `go_on` said no. Where links are wished for, the last one
/// counts them too, and begins where the others have served every pair.
pub fn instances(spec: &Spec, demand: &Demand, go_on: &mut dyn FnMut() -> bool) -> Option<Vec<Problem>> {
    let fractional = spec.objective == Objective::Fractional;
    let aim = if fractional { Aim::Weight } else { Aim::Cover };
    let graph = Arc::new(Graph::with_aim(demand, aim, go_on)?);
    let ports = useful_ports(spec);
    let rules = Rules::of(spec).map(Arc::new);
    let ruled = rules.is_some();
    let wishes = demand.has_extra() && !fractional;
    let free =
        Problem::new(graph, nis_per_pe(spec), &ports).with_rules(rules).with_pending_aims(u32::from(wishes));
    let mut instances = Vec::new();
    if spec.objective == Objective::Universal && !ruled && spec.start.is_none() {
        // As many links a pair as the NIs can give take full switches; only if that does not work out are loads free.
        instances.push(free.with_ports(&concentrated(&ports, free.nis())));
    }
    if wishes {
        let graph = Arc::new(Graph::with_aim(demand, Aim::Extra, go_on)?);
        instances.extend([free.clone(), free.with_graph(graph).with_pending_aims(0)]);
    } else {
        instances.push(free);
    }
    Some(instances)
}
