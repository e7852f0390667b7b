//! The working copy of a renumbering: which PE has which slot, and the change of a swap.

use crate::{
    graph::{Graph, PeSet},
    problem::{NONE, Problem, useful_names},
    wiring::Genome,
};
use spec::{
    cancel::checked,
    demand::Demand,
    random::Rng,
    spec::{Objective, Spec, Start},
};
use std::ops::Range;

/// Mean weight of a pair, where weights count.
const UNIT: f64 = 65_536.0;

/// A swap of the slots of two PEs.
pub type PeSwap = (u32, u32);

/// PEs in slots. The cost is the number of missing links, weighted for the fractional objective.
pub struct Permutation<'p> {
    slots: &'p Slots,
    /// The instance.
    pub problem: &'p Problem,
    slot: Vec<u32>,
    pe_at: Vec<u32>,
    /// Missing links of each PE's pairs.
    deficit: Vec<i64>,
    /// For each PE, one bit for each partner with missing links.
    open: Vec<u64>,
    open_count: Vec<u32>,
    /// PEs with uncovered pairs.
    deficient: PeSet,
    open_total: u64,
    deficit_total: i64,
    /// Weight of each PE's pairs, starting at `first`; empty if all are equal.
    weights: Vec<u32>,
    first: Vec<usize>,
}

impl<'p> Permutation<'p> {
    /// Every PE in its original slot. `None` if `go_on` said no.
    pub fn new(
        spec: &Spec,
        demand: &Demand,
        problem: &'p Problem,
        slots: &'p Slots,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Option<Permutation<'p>> {
        let pes = problem.pes();
        let (weights, first) = if spec.objective == Objective::Fractional {
            weights(demand, problem)
        } else {
            Default::default()
        };
        let mut permutation = Permutation {
            slots,
            problem,
            slot: (0..pes).collect(),
            pe_at: (0..pes).collect(),
            deficit: vec![0; pes as usize],
            open: vec![0; problem.graph.all_words()],
            open_count: vec![0; pes as usize],
            deficient: PeSet::empty(pes),
            open_total: 0,
            deficit_total: 0,
            weights,
            first,
        };
        permutation.recount(go_on).then_some(permutation)
    }

    /// Puts PEs into random slots of PEs with as many NIs; `false` if `go_on` said no.
    pub fn shuffle(&mut self, rng: &mut Rng, go_on: &mut dyn FnMut() -> bool) -> bool {
        let mut by_nis: Vec<u32> = (0..self.problem.pes()).collect();
        by_nis.sort_by_key(|&pe| self.nis(pe));
        let nis = |pe: &u32| self.problem.nis_of(*pe).len();
        for class in by_nis.chunk_by(|a, b| nis(a) == nis(b)) {
            let mut taken = class.to_vec();
            rng.shuffle(&mut taken);
            for (&pe, &slot) in class.iter().zip(&taken) {
                self.slot[pe as usize] = slot;
                self.pe_at[slot as usize] = pe;
            }
        }
        self.recount(go_on)
    }

    fn recount(&mut self, go_on: &mut dyn FnMut() -> bool) -> bool {
        self.deficit.fill(0);
        self.open.fill(0);
        self.open_count.fill(0);
        self.deficient.reset(&[]);
        (self.open_total, self.deficit_total) = (0, 0);
        checked(0..self.problem.pes()).all(|pe| {
            self.add(pe, |partner| partner > pe);
            pe % 64 != 0 || go_on()
        })
    }

    fn nis(&self, pe: u32) -> usize {
        self.problem.nis_of(pe).len()
    }

    /// `true` if every permutation costs the same: every pair is requested and counts the same.
    pub fn is_invariant(&self) -> bool {
        let graph = &self.problem.graph;
        let wanted = |pe: u32| (0..graph.degree(pe)).map(move |bit| graph.links(pe, bit));
        graph.complete
            && (graph.levels() == 1
                || (0..graph.pes).flat_map(wanted).all(|links| links as usize == graph.levels()))
            && self.weights.windows(2).all(|pair| pair[0] == pair[1])
    }

    /// Number of pairs with missing links.
    pub fn uncovered(&self) -> u64 {
        self.open_total / 2
    }

    /// The quantity that the search lowers.
    pub fn cost(&self) -> i64 {
        self.deficit_total / 2
    }

    /// Estimate of the temperature at which order sets in: the mean loss of a PE in a random slot, over the entropy
    /// ln N - 1 per PE.
    pub fn order_temperature(&self) -> f64 {
        let pes = f64::from(self.problem.pes());
        self.cost() as f64 / (pes * (libm::log(pes) - 1.0).max(1.0))
    }

    /// The slot of every PE.
    pub fn slots(&self) -> &[u32] {
        &self.slot
    }

    /// A swap that puts a PE of an uncovered pair on a switch of its partner, if one was found.
    #[inline]
    pub fn propose(&self, rng: &mut Rng) -> Option<PeSwap> {
        let &pe = rng.pick(self.deficient.list())?;
        let partner = self.missing_partner(pe, rng)?;
        let &switch = rng.pick(self.slots.switches_of(self.slot[partner as usize]))?;
        let &slot = rng.pick(self.slots.on_switch(switch))?;
        let swap = (pe, self.pe_at[slot as usize]);
        (self.allows(swap) && swap.1 != partner).then_some(swap)
    }

    /// A swap of two random PEs, if it is allowed.
    #[inline]
    pub fn propose_any(&self, rng: &mut Rng) -> Option<PeSwap> {
        let pes = self.problem.pes();
        Some((rng.below(pes), rng.below(pes))).filter(|&swap| self.allows(swap))
    }

    /// `true` if two PEs may swap slots.
    #[inline]
    pub fn allows(&self, (a, b): PeSwap) -> bool {
        a != b && self.nis(a) == self.nis(b)
    }

    fn missing_partner(&self, pe: u32, rng: &mut Rng) -> Option<u32> {
        let graph = &self.problem.graph;
        let open = |w| self.open[graph.first_word(pe) + w];
        graph.partner_among(pe, rng.below(self.open_count[pe as usize]), open)
    }

    /// Change of [`Permutation::cost`] by a swap. Exact up to `limit`, otherwise any number above it.
    #[inline]
    pub fn delta(&self, (a, b): PeSwap, limit: i64) -> i64 {
        let before = self.deficit[a as usize] + self.deficit[b as usize];
        let max = limit.saturating_add(before);
        let after = self.deficit_at(a, b, max);
        if after > max {
            return after - before;
        }
        after + self.deficit_at(b, a, max - after) - before
    }

    /// Pairs examined to evaluate a swap.
    pub fn size(&self, (a, b): PeSwap) -> usize {
        self.problem.graph.degree(a) + self.problem.graph.degree(b)
    }

    /// Missing links of `pe` in the slot of `other`; stops above `max`.
    #[inline]
    fn deficit_at(&self, pe: u32, other: u32, max: i64) -> i64 {
        let graph = &self.problem.graph;
        let (old, slot) = (self.slot[pe as usize], self.slot[other as usize]);
        let mut deficit = 0;
        for (bit, &partner) in graph.partners(pe).iter().enumerate() {
            let theirs = if partner == other { old } else { self.slot[partner as usize] };
            let missing = self.slots.missing_links(slot, theirs, graph.links(pe, bit));
            if missing > 0 {
                deficit += i64::from(missing) * self.weight(pe, bit);
                if deficit > max {
                    break;
                }
            }
        }
        deficit
    }

    #[inline]
    fn weight(&self, pe: u32, bit: usize) -> i64 {
        if self.weights.is_empty() { 1 } else { i64::from(self.weights[self.first[pe as usize] + bit]) }
    }

    /// Applies a swap.
    pub fn apply(&mut self, (a, b): PeSwap) {
        self.subtract(a);
        self.subtract(b);
        self.slot.swap(a as usize, b as usize);
        self.pe_at[self.slot[a as usize] as usize] = a;
        self.pe_at[self.slot[b as usize] as usize] = b;
        self.add(a, |_| true);
        self.add(b, |partner| partner != a);
    }

    fn subtract(&mut self, pe: u32) {
        let graph = &self.problem.graph;
        for w in 0..graph.words(pe) {
            let mut word = self.open[graph.first_word(pe) + w];
            while word != 0 {
                let bit = w * 64 + word.trailing_zeros() as usize;
                word &= word - 1;
                let deficit = self.deficit_of(pe, bit);
                self.account(pe, bit, -deficit);
            }
        }
    }

    fn add(&mut self, pe: u32, with: impl Fn(u32) -> bool) {
        for bit in 0..self.problem.graph.degree(pe) {
            if with(self.problem.graph.partners(pe)[bit]) {
                let deficit = self.deficit_of(pe, bit);
                if deficit > 0 {
                    self.account(pe, bit, deficit);
                }
            }
        }
    }

    fn deficit_of(&self, pe: u32, bit: usize) -> i64 {
        let graph = &self.problem.graph;
        let partner = graph.partners(pe)[bit];
        let (own, theirs) = (self.slot[pe as usize], self.slot[partner as usize]);
        i64::from(self.slots.missing_links(own, theirs, graph.links(pe, bit))) * self.weight(pe, bit)
    }

    /// Changes the missing links of a pair on both sides, from or to 0.
    fn account(&mut self, pe: u32, bit: usize, deficit: i64) {
        let graph = &self.problem.graph;
        let (other, mirror) = (graph.partners(pe)[bit], graph.mirrors(pe)[bit] as usize);
        for (side, bit) in [(pe, bit), (other, mirror)] {
            self.open[graph.first_word(side) + bit / 64] ^= 1 << (bit % 64);
            self.deficit[side as usize] += deficit;
            let count = &mut self.open_count[side as usize];
            *count = if deficit > 0 { *count + 1 } else { *count - 1 };
            self.deficit_total += deficit;
        }
        self.open_total = if deficit > 0 { self.open_total + 2 } else { self.open_total - 2 };
        for pe in [pe, other] {
            self.deficient.set(pe, self.open_count[pe as usize] > 0);
        }
    }

    /// The switch of every NI, for PEs in these slots.
    pub fn genome(&self, slots: &[u32], genome: &mut Genome) {
        genome.clear();
        genome.resize(self.problem.nis() as usize, NONE);
        for (pe, &slot) in (0..self.problem.pes()).zip(slots) {
            let nis = self.problem.nis_of(pe);
            let first = nis.start;
            for (ni, &switch) in nis.zip(self.slots.switches_of(slot)) {
                // A slot may skip planes.
                let ni = self.problem.rail().map_or(ni, |rail| first + rail.plane_of(switch) as usize);
                genome[ni] = switch;
            }
        }
    }
}

/// Integer weights of the pairs on both sides, [`UNIT`] on average and at least 1, and where each PE's start.
fn weights(demand: &Demand, problem: &Problem) -> (Vec<u32>, Vec<usize>) {
    let graph = &problem.graph;
    let total: f64 = (0..demand.len()).map(|pair| f64::from(demand.weight(pair))).sum();
    let scale = UNIT * demand.len() as f64 / total.max(f64::MIN_POSITIVE);
    let (mut weights, mut first) = (Vec::with_capacity(2 * demand.len()), Vec::new());
    for pe in checked(0..problem.pes()) {
        first.push(weights.len());
        let weight = |bit| (f64::from(demand.weight(graph.pair(pe, bit))) * scale).round().max(1.0) as u32;
        weights.extend((0..graph.degree(pe)).map(weight));
    }
    (weights, first)
}

/// Maximum number of slots with tables: 2 MiB per level.
const MAX_TABLED: usize = 4096;
/// Slots between two calls of `go_on`.
const ASK_EVERY: usize = 64;

/// The start wiring uses a switch that the search leaves out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the existing wiring uses switch {switch}, which this search cannot use; use the widest switches, up to one per NIC, numbered up to \
     {farthest}",
    farthest = (1u64 << 20)
)]
pub struct UnknownSwitch {
    /// Number of the switch in the spec.
    pub switch: u32,
}

/// Slots of a start wiring: slot p is the set of switches of PE p.
///
/// The number of switches that two slots share never changes and is needed often. For up to [`MAX_TABLED`] slots it
/// is a table of bits for each level that some pair wants. For more, two short ascending lists are compared, and
/// memory stays linear.
#[derive(Debug)]
pub struct Slots {
    /// Switches of slot p: `switches[starts[p]..starts[p + 1]]`, ascending.
    starts: Vec<usize>,
    switches: Vec<u32>,
    /// Slots on switch s: `members[ends[s]..ends[s + 1]]`.
    ends: Vec<usize>,
    members: Vec<u32>,
    /// For each level from 1 and each slot, a bit for every slot that shares that many switches with it.
    tables: Vec<Vec<u64>>,
    row: usize,
}

impl Slots {
    /// The slots of a start wiring, with switches numbered as in `problem`. `None` if `go_on` said no.
    ///
    /// # Errors
    /// A cable to a switch that `problem` does not know.
    pub fn new(
        spec: &Spec,
        start: &Start,
        problem: &Problem,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Slots>, UnknownSwitch> {
        let names = useful_names(spec);
        let mut of_place: Vec<(u32, u32)> = Vec::new();
        let (mut ends, mut members) = (vec![0; problem.switches() as usize + 1], Vec::new());
        for (name, pes) in start.switches.iter().enumerate().filter(|(_, pes)| !pes.is_empty()) {
            let known = names.binary_search(&(name as u32)).ok().filter(|&s| s + 1 < ends.len());
            let switch = known.ok_or(UnknownSwitch { switch: name as u32 })?;
            of_place.extend(pes.iter().map(|&pe| (pe, switch as u32)));
            members.extend_from_slice(pes);
            ends[switch + 1] = pes.len();
        }
        running_sum(&mut ends);
        of_place.sort_unstable();
        let mut starts = vec![0; spec.pes as usize + 1];
        of_place.iter().for_each(|&(pe, _)| starts[pe as usize + 1] += 1);
        running_sum(&mut starts);
        let switches = of_place.into_iter().map(|(_, switch)| switch).collect();
        let mut slots = Slots { starts, switches, ends, members, tables: Vec::new(), row: 0 };
        let whole = slots.len() > MAX_TABLED || slots.table(&problem.graph, go_on);
        Ok(whole.then_some(slots))
    }

    /// Fills the tables; `false` if `go_on` said no.
    fn table(&mut self, graph: &Graph, go_on: &mut dyn FnMut() -> bool) -> bool {
        let row = self.len().div_ceil(64);
        let mut tables = vec![vec![0u64; row * self.len()]; graph.levels()];
        for slot in 0..self.len() {
            if slot % ASK_EVERY == 0 && !go_on() {
                return false;
            }
            for &switch in self.switches_of(slot as u32) {
                for &other in self.on_switch(switch) {
                    let (at, bit) = (slot * row + other as usize / 64, 1 << (other % 64));
                    if let Some(table) = tables.iter_mut().find(|table| table[at] & bit == 0) {
                        table[at] |= bit;
                    }
                }
            }
        }
        (self.tables, self.row) = (tables, row);
        true
    }

    /// Number of slots.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// `true` if there is no slot.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The switches of a slot, ascending.
    pub fn switches_of(&self, slot: u32) -> &[u32] {
        &self.switches[range(&self.starts, slot)]
    }

    /// The slots on a switch.
    pub fn on_switch(&self, switch: u32) -> &[u32] {
        &self.members[range(&self.ends, switch)]
    }

    /// Missing links of two slots, out of `wanted` (up to the graph's levels).
    #[inline]
    pub fn missing_links(&self, a: u32, b: u32, wanted: u32) -> u32 {
        if self.row > 0 {
            let (at, bit) = (a as usize * self.row + b as usize / 64, b % 64);
            return self.tables[..wanted as usize]
                .iter()
                .map(|table| u32::from(table[at] >> bit & 1 == 0))
                .sum();
        }
        wanted.saturating_sub(meetings(self.switches_of(a), self.switches_of(b)))
    }
}

/// Number of common values in two ascending lists.
#[inline]
fn meetings(a: &[u32], b: &[u32]) -> u32 {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        common += u32::from(a[i] == b[j]);
        let (left, right) = (a[i] <= b[j], b[j] <= a[i]);
        i += usize::from(left);
        j += usize::from(right);
    }
    common
}

fn range(starts: &[usize], at: u32) -> Range<usize> {
    starts[at as usize]..starts[at as usize + 1]
}

fn running_sum(counts: &mut [usize]) {
    (1..counts.len()).for_each(|i| counts[i] += counts[i - 1]);
}
