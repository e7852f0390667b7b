//! Unions of small covers: wirings of demands that are products of small ones.
//!
//! Where PE numbers have digits, of any radices, such that the PEs of every pair differ in one digit only, a demand is a
//! product of small graphs, one on each digit: a hypercube of bits, a torus of its dimensions, both together of a torus's
//! dimensions whose sizes are powers of two. Then let each NI, for each digit, part the digit's values into sets: PEs whose
//! digits all are in the same sets share a switch. A pair shares one if some NI has both values of its digit in one set.
//! So it takes, for each digit, a few partitions that together hold all edges of a small graph, and a place for each
//! partition on an NI such that the sizes on one NI multiply to no more than a switch has ports.
//!
//! Subcubes are the case of digits that are bits, the lines of a torus that of one partition with one part a digit.

mod allot;
mod anneal;
mod cover;
mod digits;
mod structured;

use super::{Form, Trial, blocks::Blocks, pack};
use allot::{Allotment, Seating};
use anneal::Effort;
use cover::Cover;
use digits::Digits;
use std::collections::BTreeMap;

/// Most widths of switches that are tried, widest first.
const MOST_WIDTHS: usize = 4;

/// Most allotments that are looked at for one width, and most that are tried though their sets seem not to go onto the
/// switches: fewer of their members may do.
const MOST_LOOKED_AT: u32 = 2_000;
const MOST_TRIED: u32 = 2;

/// Offers allotments of known partitions, then of those that a short search for each digit finds.
pub fn offer(trial: &mut Trial<'_>) {
    let Some(digits) = digits::read(trial.demand, trial.go_on) else { return };
    let degree: u64 = digits.places.iter().map(|p| digits.graphs[p.graph].degree()).sum();
    let widths = trial.widths();
    let mut effort = Effort::new();
    for searched in [false, true] {
        for &width in widths.iter().take(MOST_WIDTHS) {
            if u64::from(trial.nis) * u64::from(width - 1) < degree || trial.over() {
                break;
            }
            if searched && (digits.places.len() < 2 || !trial.whole) {
                break;
            }
            let effort = searched.then_some(&mut effort);
            let Some(covers) = covers(trial, &digits, width, effort) else { return };
            if tried(trial, &digits, &covers, width) {
                return;
            }
        }
    }
}

/// The covers of each graph, searched for where there is an effort; none if the caller wants to stop.
fn covers(
    trial: &mut Trial<'_>,
    digits: &Digits,
    width: u32,
    mut effort: Option<&mut Effort>,
) -> Option<Vec<Vec<Cover>>> {
    let mut all = Vec::new();
    for graph in &digits.graphs {
        let mut covers = structured::covers(graph, width, trial.nis);
        if let Some(effort) = effort.as_deref_mut()
            && !anneal::more(graph, (width, trial.nis), &mut covers, effort, trial.go_on)
        {
            return None;
        }
        all.push(covers);
    }
    Some(all)
}

/// Tries allotments whose sets find room on the switches. Whether that is the end of the trial.
fn tried(trial: &mut Trial<'_>, digits: &Digits, covers: &[Vec<Cover>], width: u32) -> bool {
    let (mut looked_at, mut pruned) = (0, 0);
    let mut over = false;
    let allotment = Allotment::new(digits, covers, width, trial.nis);
    allotment.each(&mut |seatings| {
        looked_at += 1;
        let fits = pack::fits(&sizes(digits, covers, seatings), &trial.ports);
        if fits || pruned < MOST_TRIED {
            pruned += u32::from(!fits);
            let name = name(digits, covers, seatings);
            over = trial.offer(&Form { name, blocks: multiplied(digits, covers, seatings) });
        }
        over || looked_at == MOST_LOOKED_AT
    });
    over
}

/// How many sets of PEs of each size an allotment has.
fn sizes(digits: &Digits, covers: &[Vec<Cover>], seatings: &[Seating]) -> BTreeMap<u32, u64> {
    let mut all = BTreeMap::new();
    for ni in 0..used(seatings) {
        let mut product = vec![(1u32, 1u64)];
        for (place, seating) in digits.places.iter().zip(seatings) {
            let alone = [(1, u64::from(digits.graphs[place.graph].size))];
            let layer = seating.nis.iter().position(|&at| at == ni);
            let counts = layer.map_or(&alone[..], |l| &covers[place.graph][seating.cover].counts[l]);
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

/// How many NIs have partitions.
fn used(seatings: &[Seating]) -> usize {
    seatings.iter().flat_map(|s| &s.nis).max().map_or(0, |&ni| ni + 1)
}

/// The sets of PEs of an allotment: for each NI the product of its partitions, digits without one keeping their values.
fn multiplied(digits: &Digits, covers: &[Vec<Cover>], seatings: &[Seating]) -> Blocks {
    let mut blocks = Blocks::default();
    let (mut starts, mut sorted) = (Vec::new(), vec![0u32; digits.pes as usize]);
    for ni in 0..used(seatings) {
        // What each digit contributes to the number of the set that a PE is in.
        let parts: Vec<(u32, u32, Option<&[u32]>)> = digits
            .places
            .iter()
            .zip(seatings)
            .map(|(place, seating)| {
                let layer = seating.nis.iter().position(|&at| at == ni);
                let layers = &covers[place.graph][seating.cover].layers;
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
        (0..digits.pes).for_each(|pe| starts[set(pe) + 1] += 1);
        (0..digits.pes as usize).for_each(|i| starts[i + 1] += starts[i]);
        for pe in 0..digits.pes {
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

fn name(digits: &Digits, covers: &[Vec<Cover>], seatings: &[Seating]) -> String {
    let sizes = |at: usize| &covers[digits.places[at].graph][seatings[at].cover].sizes;
    let all = 0..digits.places.len();
    let size = |at: usize| digits.graphs[digits.places[at].graph].size;
    if all.clone().all(|at| size(at) == 2 && sizes(at).len() == 1) {
        let mut dimensions: Vec<usize> =
            (0..used(seatings)).map(|ni| seatings.iter().filter(|s| s.nis.contains(&ni)).count()).collect();
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
