//! Unions of small covers: wirings of demands that are products of small graphs.
//!
//! Suppose PE numbers have digits, of any radix, such that the PEs of every pair differ in one digit only: bits for a
//! hypercube, dimensions for a torus. Let each NI partition the values of each digit; PEs whose digits are all in the
//! same parts share a switch. So each digit needs a few partitions that cover the edges of its small graph, and each
//! partition needs an NI such that the sizes on one NI multiply to at most the ports of a switch. Subcubes and lines
//! of a torus are special cases.

use super::{
    Form, Trial,
    blocks::{self, Blocks},
    covers::{self, ALL_MOVES, Cover, Graph},
};
use spec::{
    cancel::{check, checked},
    demand::Demand,
};
use std::collections::{BTreeMap, HashSet};

/// Maximum number of switch widths tried, widest first.
const MAX_WIDTHS: usize = 4;

/// Maximum number of allotments examined per width, and of those tried although their sets seem not to fit.
const MAX_LOOKED_AT: u32 = 2_000;
const MAX_TRIED: u32 = 2;

/// Offers allotments of structured covers, then of covers found by a short search.
pub fn offer(trial: &mut Trial<'_>) {
    let Some(digits) = read_digits(trial.demand, trial.go_on) else { return };
    let degree: u64 = digits.places.iter().map(|p| digits.graphs[p.graph].degree()).sum();
    let widths = trial.widths();
    let mut moves_left = ALL_MOVES;
    for searched in [false, true] {
        for &width in widths.iter().take(MAX_WIDTHS) {
            if u64::from(trial.nis) * u64::from(width - 1) < degree || trial.is_over() {
                break;
            }
            if searched && (digits.places.len() < 2 || !trial.thorough) {
                break;
            }
            let moves_left = searched.then_some(&mut moves_left);
            let Some(covers) = covers(trial, &digits, width, moves_left) else { return };
            if try_allotments(trial, &digits, &covers, width) {
                return;
            }
        }
    }
}

/// Covers of each graph, with a search if moves are given; `None` if the caller stops.
fn covers(
    trial: &mut Trial<'_>,
    digits: &Digits,
    width: u32,
    mut moves_left: Option<&mut u64>,
) -> Option<Vec<Vec<Cover>>> {
    let mut all = Vec::new();
    for graph in &digits.graphs {
        let mut covers = covers::structured(graph, width, trial.nis);
        if let Some(moves_left) = moves_left.as_deref_mut()
            && !covers::annealed(graph, (width, trial.nis), &mut covers, moves_left, trial.go_on)
        {
            return None;
        }
        all.push(covers);
    }
    Some(all)
}

/// Tries allotments whose sets fit on the switches. `true` if the trial is over.
fn try_allotments(trial: &mut Trial<'_>, digits: &Digits, covers: &[Vec<Cover>], width: u32) -> bool {
    let (mut looked_at, mut pruned) = (0, 0);
    let mut over = false;
    let allotment = Allotment::new(digits, covers, width, trial.nis);
    allotment.each(&mut |placements| {
        check();
        looked_at += 1;
        let fits = blocks::fits(&sizes(digits, covers, placements), &trial.ports);
        if fits || pruned < MAX_TRIED {
            pruned += u32::from(!fits);
            let name = name(digits, covers, placements);
            over = trial.offer(&Form { name, blocks: multiplied(digits, covers, placements) });
        }
        over || looked_at == MAX_LOOKED_AT
    });
    over
}

/// Number of sets by size in an allotment.
fn sizes(digits: &Digits, covers: &[Vec<Cover>], placements: &[Placement]) -> BTreeMap<u32, u64> {
    let mut all = BTreeMap::new();
    for ni in 0..used(placements) {
        let mut product = vec![(1u32, 1u64)];
        for (place, placement) in digits.places.iter().zip(placements) {
            let alone = [(1, u64::from(digits.graphs[place.graph].size))];
            let layer = placement.nis.iter().position(|&at| at == ni);
            let counts = layer.map_or(&alone[..], |l| &covers[place.graph][placement.cover].counts[l]);
            let mut next = BTreeMap::new();
            for (size, count) in product {
                counts.iter().for_each(|(s, c)| *next.entry(size * s).or_insert(0) += count * c);
            }
            product = next.into_iter().collect();
        }
        product.into_iter().filter(|&(size, _)| size > 1).for_each(|(s, c)| *all.entry(s).or_insert(0) += c);
    }
    all
}

fn used(placements: &[Placement]) -> usize {
    placements.iter().flat_map(|s| &s.nis).max().map_or(0, |&ni| ni + 1)
}

/// Sets of PEs of an allotment: for each NI the product of its partitions; digits without one keep their values.
fn multiplied(digits: &Digits, covers: &[Vec<Cover>], placements: &[Placement]) -> Blocks {
    let mut blocks = Blocks::default();
    let (mut starts, mut sorted) = (Vec::new(), vec![0u32; digits.pes as usize]);
    for ni in 0..used(placements) {
        // Contribution of each digit to the number of a PE's set.
        let parts: Vec<(u32, u32, Option<&[u32]>)> = digits
            .places
            .iter()
            .zip(placements)
            .map(|(place, placement)| {
                let layer = placement.nis.iter().position(|&at| at == ni);
                let layers = &covers[place.graph][placement.cover].layers;
                (place.stride, digits.graphs[place.graph].size, layer.map(|l| &layers[l][..]))
            })
            .collect();
        let set = |pe: u32| {
            let part = |&(stride, size, layer): &(u32, u32, Option<&[u32]>)| {
                let value = pe / stride % size;
                stride * layer.map_or(value, |parts| parts[value as usize])
            };
            parts.iter().map(part).sum::<u32>() as usize
        };
        starts.clear();
        starts.resize(digits.pes as usize + 1, 0u32);
        checked(0..digits.pes).for_each(|pe| starts[set(pe) + 1] += 1);
        (0..digits.pes as usize).for_each(|i| starts[i + 1] += starts[i]);
        for pe in checked(0..digits.pes) {
            let at = &mut starts[set(pe)];
            sorted[*at as usize] = pe;
            *at += 1;
        }
        // By now each start is the next set's.
        let mut from = 0;
        for &to in &starts[..digits.pes as usize] {
            blocks.push(sorted[from as usize..to as usize].iter().copied());
            from = to;
        }
    }
    blocks
}

fn name(digits: &Digits, covers: &[Vec<Cover>], placements: &[Placement]) -> String {
    let sizes = |at: usize| &covers[digits.places[at].graph][placements[at].cover].sizes;
    let all = 0..digits.places.len();
    let size = |at: usize| digits.graphs[digits.places[at].graph].size;
    if all.clone().all(|at| size(at) == 2 && sizes(at).len() == 1) {
        let mut dimensions: Vec<usize> = (0..used(placements))
            .map(|ni| placements.iter().filter(|s| s.nis.contains(&ni)).count())
            .collect();
        dimensions.sort_unstable_by(|a, b| b.cmp(a));
        return format!("subcubes of {} dimensions", joined(dimensions.iter(), "+"));
    }
    if all.clone().all(|at| sizes(at)[..] == [size(at)]) {
        return format!("lines of a {} torus", joined(all.rev().map(size), "x"));
    }
    let of = |at: usize| format!("{} values in sets of {}", size(at), joined(sizes(at).iter(), ", "));
    format!("unions of small covers: {}", joined(all.rev().map(of), "; "))
}

fn joined<T: ToString>(items: impl Iterator<Item = T>, with: &str) -> String {
    items.map(|item| item.to_string()).collect::<Vec<_>>().join(with)
}

/// Digits, and the small graph of each. Digits with equal graphs share one.
pub struct Digits {
    pub pes: u32,
    /// Lowest digit first.
    pub places: Vec<Digit>,
    pub graphs: Vec<Graph>,
}

/// One digit, `pe / stride % size`, where `size` is that of its graph.
pub struct Digit {
    pub stride: u32,
    pub graph: usize,
}

/// Pairs between two calls of `go_on`.
const CHUNK: usize = 1 << 16;

/// Maximum number of pairs of a demand that is a single digit.
const MAX_WHOLE: usize = 1 << 22;

/// The finest digits of a demand; `None` if it is empty or the caller stops. A divisor D of the number of PEs cuts
/// numbers in p / D and p mod D; the cut is clean if the PEs of every pair agree in one half. Clean cuts that divide
/// one another define the digits.
fn read_digits(demand: &Demand, go_on: &mut dyn FnMut() -> bool) -> Option<Digits> {
    let pes = demand.pes();
    if demand.is_empty() {
        return None;
    }
    let mut cuts: Vec<u32> = (2..=pes / 2).filter(|d| pes.is_multiple_of(*d)).collect();
    for (done, (a, b)) in checked(demand.pairs()).enumerate() {
        if cuts.is_empty() {
            break;
        }
        if done % CHUNK == CHUNK - 1 && !go_on() {
            return None;
        }
        cuts.retain(|d| a / d == b / d || a % d == b % d);
    }
    if cuts.is_empty() && demand.len() > MAX_WHOLE {
        return None;
    }
    let mut strides = chain(&cuts);
    strides.insert(0, 1);
    let mut digits = Digits { pes, places: Vec::new(), graphs: Vec::new() };
    for (edges, at) in edges(demand, &strides).into_iter().zip(0..) {
        let above = strides.get(at + 1).copied().unwrap_or(pes);
        let graph = Graph::new(above / strides[at], edges);
        let known = digits.graphs.iter().position(|g| *g == graph);
        let graph = known.unwrap_or_else(|| {
            digits.graphs.push(graph);
            digits.graphs.len() - 1
        });
        digits.places.push(Digit { stride: strides[at], graph });
    }
    Some(digits)
}

/// A longest sequence of numbers of which each divides the next; ascending.
fn chain(cuts: &[u32]) -> Vec<u32> {
    let mut best: Vec<(usize, Option<usize>)> = Vec::new();
    for (at, cut) in cuts.iter().enumerate() {
        let before = (0..at).filter(|&i| cut.is_multiple_of(cuts[i])).max_by_key(|&i| best[i].0);
        best.push((before.map_or(1, |i| best[i].0 + 1), before));
    }
    let mut at = (0..cuts.len()).max_by_key(|&i| best[i].0);
    let mut chain = Vec::new();
    while let Some(i) = at {
        chain.push(cuts[i]);
        at = best[i].1;
    }
    chain.reverse();
    chain
}

/// Edges on each digit's values, ascending. Every pair differs in one digit only.
fn edges(demand: &Demand, strides: &[u32]) -> Vec<Vec<(u32, u32)>> {
    let mut edges: Vec<Vec<(u32, u32)>> = vec![Vec::new(); strides.len()];
    for (a, b) in checked(demand.pairs()) {
        // The digit is the last one whose stride leaves a difference: below it the PEs are equal.
        let at = strides.iter().rposition(|&d| a / d != b / d).unwrap_or(0);
        let above = strides.get(at + 1).copied().unwrap_or(demand.pes());
        let list = &mut edges[at];
        list.push((a % above / strides[at], b % above / strides[at]));
        // A few edges repeat often: duplicates are removed before they take memory.
        if list.len() == list.capacity() {
            list.sort_unstable();
            list.dedup();
        }
    }
    for list in &mut edges {
        list.sort_unstable();
        list.dedup();
    }
    edges
}

/// Maximum number of partial allotments examined.
const MAX_STEPS: u32 = 100_000;

/// Cover of a digit, and the NI of each of its partitions.
#[derive(Clone, Debug, Default)]
pub struct Placement {
    pub cover: usize,
    pub nis: Vec<usize>,
}

/// Assigns partitions to NIs by branching: digit by digit, cover by cover, NI by NI with enough room. NIs with equal
/// room count as one, and hopeless remainders are remembered.
pub struct Allotment<'a> {
    digits: &'a Digits,
    covers: &'a [Vec<Cover>],
    /// Digits, those with most values first.
    order: Vec<usize>,
    rooms: Vec<u32>,
}

struct Run<'a> {
    offer: &'a mut dyn FnMut(&[Placement]) -> bool,
    placements: Vec<Placement>,
    hopeless: HashSet<(usize, Vec<u32>)>,
    steps: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Nothing,
    Something,
    Stop,
}

impl<'a> Allotment<'a> {
    /// For `nis` NIs, each with partitions whose sizes multiply to at most `width`.
    pub fn new(digits: &'a Digits, covers: &'a [Vec<Cover>], width: u32, nis: u32) -> Allotment<'a> {
        let mut order: Vec<usize> = (0..digits.places.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(digits.graphs[digits.places[at].graph].size));
        Allotment { digits, covers, order, rooms: vec![width; nis as usize] }
    }

    /// Passes allotments to `offer`, placements in digit order, until it returns `true`.
    pub fn each(&self, offer: &mut dyn FnMut(&[Placement]) -> bool) {
        let placements = vec![Placement::default(); self.order.len()];
        let mut run = Run { offer, placements, hopeless: HashSet::new(), steps: 0 };
        self.digit(0, &mut self.rooms.clone(), &mut run);
    }

    fn digit(&self, at: usize, rooms: &mut Vec<u32>, run: &mut Run<'_>) -> End {
        let Some(&digit) = self.order.get(at) else {
            return if (run.offer)(&run.placements) { End::Stop } else { End::Something };
        };
        let mut key = rooms.clone();
        key.sort_unstable();
        run.steps += 1;
        if run.steps > MAX_STEPS {
            return End::Stop;
        }
        check();
        let key = (at, key);
        if run.hopeless.contains(&key) {
            return End::Nothing;
        }
        let mut end = End::Nothing;
        for cover in 0..self.covers[self.digits.places[digit].graph].len() {
            run.placements[digit] = Placement { cover, nis: Vec::new() };
            match self.layer(at, rooms, run) {
                End::Stop => return End::Stop,
                End::Something => end = End::Something,
                End::Nothing => {}
            }
        }
        if end == End::Nothing {
            run.hopeless.insert(key);
        }
        end
    }

    /// Puts the next partition of digit `at` on an NI, the one with least room first.
    fn layer(&self, at: usize, rooms: &mut Vec<u32>, run: &mut Run<'_>) -> End {
        let digit = self.order[at];
        let placement = &run.placements[digit];
        let sizes = &self.covers[self.digits.places[digit].graph][placement.cover].sizes;
        let Some(&size) = sizes.get(placement.nis.len()) else { return self.digit(at + 1, rooms, run) };
        let mut nis: Vec<usize> =
            (0..rooms.len()).filter(|ni| rooms[*ni] >= size && !placement.nis.contains(ni)).collect();
        nis.sort_by_key(|&ni| (rooms[ni], ni));
        nis.dedup_by_key(|ni| rooms[*ni]);
        let mut end = End::Nothing;
        for ni in nis {
            let room = rooms[ni];
            rooms[ni] = room / size;
            run.placements[digit].nis.push(ni);
            let branch = self.layer(at, rooms, run);
            run.placements[digit].nis.pop();
            rooms[ni] = room;
            match branch {
                End::Stop => return End::Stop,
                End::Something => end = End::Something,
                End::Nothing => {}
            }
        }
        end
    }
}
