//! PEs that all ask for each other: Füredi's and Schönheim's bounds, and those on coverings by few blocks.

use super::{Needs, designs::no_plane};
use crate::{
    cancel::check,
    demand::{Adjacency, Demand},
    spec::Spec,
    text::grouped,
};

/// Steps that looking for cliques may take: far below a tenth of a second.
const MAX_STEPS: usize = 4_000_000;
const STARTS: usize = 64;

/// Min ports with which `pes` PEs with at most `nis` NIs can all share switches pairwise.
///
/// With q = η - 1, the switches of the PEs are the points and lines of a projective plane of order q, or no switch can have
/// fewer than N/q ports (Füredi 1981). On a plane, the switches of a line with n PEs have N + qn ports in use together, at most
/// ηρ. So no line has more than ⌊(ηρ - N)/q⌋ PEs, and the q² + q + 1 lines must hold all.
pub fn furedi_ports(pes: u32, nis: u32) -> u32 {
    let (n, q) = (u64::from(pes), u64::from(nis.max(1)) - 1);
    let elsewhere = if q == 0 { n } else { n.div_ceil(q) };
    let ports = match no_plane(q) {
        Some(_) => elsewhere,
        None => elsewhere.min((n + q * n.div_ceil(q * q + q + 1)).div_ceil(q + 1)),
    };
    ports as u32
}

/// The bound of [`furedi_ports`] in words.
pub(super) fn furedi_in_words(pes: u32, nis: u32) -> String {
    let order = u64::from(nis.max(1)) - 1;
    if order == 0 {
        return "with one NIC each, all share one switch".into();
    }
    let (n, lines) = (grouped(pes.into()), order * order + order + 1);
    match no_plane(order) {
        Some(source) => {
            format!("{n} / {order}, since no projective plane has the order {order} ({source})")
        }
        None => format!(
            "({n} + {order}·⌈{n}/{lines}⌉) / {nis}, reached only on a projective plane of order {order}"
        ),
    }
}

/// PEs that all ask for each other.
pub(super) struct Clique {
    pub pes: u32,
    /// NIs of the one that has most.
    pub nis: u32,
    /// `true` if they are all PEs of the machine.
    pub all: bool,
}

impl Clique {
    pub fn whom(&self) -> String {
        let pes = grouped(self.pes.into());
        if self.all {
            format!("all {pes} nodes must share switches")
        } else {
            format!("{pes} of the nodes must share switches")
        }
    }
}

/// A clique that needs wide switches: all PEs if every pair is requested, else grown from those with most partners.
pub(super) fn largest_found(spec: &Spec, demand: &Demand, needs: &Needs) -> Clique {
    if needs.complete {
        return Clique { pes: spec.pes, nis: needs.most_nis, all: true };
    }
    let nis = |clique: &[u32]| clique.iter().map(|&pe| needs.nis[pe as usize]).max().unwrap_or(1);
    let mut best = Clique { pes: 0, nis: 1, all: false };
    if demand.is_empty() {
        return best;
    }
    let adjacency = demand.adjacency();
    let mut starts: Vec<u32> = (0..demand.pes()).collect();
    let degree = |pe: u32| adjacency.of(pe).len();
    let most = STARTS.min(starts.len());
    starts.select_nth_unstable_by_key(most - 1, |&pe| (std::cmp::Reverse(degree(pe)), pe));
    starts.truncate(most);
    starts.sort_unstable_by_key(|&pe| (std::cmp::Reverse(degree(pe)), pe));
    let mut steps = 0;
    for start in starts {
        let clique = grow(&adjacency, start, &mut steps);
        let found = Clique { pes: clique.len() as u32, nis: nis(&clique), all: false };
        if (furedi_ports(found.pes, found.nis), found.pes) > (furedi_ports(best.pes, best.nis), best.pes) {
            best = found;
        }
        if steps > MAX_STEPS {
            break;
        }
    }
    best
}

/// Adds partners in ascending order as long as they ask for all before them.
fn grow(adjacency: &Adjacency, start: u32, steps: &mut usize) -> Vec<u32> {
    let mut clique = vec![start];
    let mut candidates = adjacency.of(start).to_vec();
    while let Some(&next) = candidates.first() {
        check();
        clique.push(next);
        let partners = adjacency.of(next);
        *steps += candidates.len() + partners.len();
        if *steps > 2 * MAX_STEPS {
            break;
        }
        let mut at = 0;
        candidates.retain(|&pe| {
            while at < partners.len() && partners[at] < pe {
                at += 1;
            }
            partners.get(at) == Some(&pe)
        });
    }
    clique
}

/// v/k above which so many blocks of k points do not cover all pairs of v, from 3 blocks on (Mills 1979, Todorov 1985).
const FEW_BLOCKS: [(u64, u64); 11] =
    [(3, 2), (5, 3), (9, 5), (2, 1), (7, 3), (12, 5), (5, 2), (8, 3), (14, 5), (3, 1), (13, 4)];

/// A lower bound on the blocks of at most `k` points that cover all pairs of `v`, with its name and its numbers.
pub(super) fn covering(v: u64, k: u64) -> (u64, String, &'static str) {
    if v < 2 {
        return (0, "no pair".into(), "Crosspoint");
    }
    if k < 2 {
        return (u64::MAX, "no switch holds two nodes".into(), "Crosspoint");
    }
    if k >= v {
        return (1, "one switch can hold them all".into(), "Crosspoint");
    }
    let each = (v - 1).div_ceil(k - 1);
    let schonheim = (v * each).div_ceil(k);
    let formula = format!("⌈{v}/{k}·⌈{}/{}⌉⌉ = {schonheim}", v - 1, k - 1);
    // With ports for every point but one, that point is in one block too many. It meets k-1 points twice, but these meet
    // no point twice. And a block with a port free leaves the points in it a partner short.
    let exact = (v - 1).is_multiple_of(k - 1) && (v * each) % k == k - 1;
    let mut best = if exact {
        let why = format!("{formula}, plus one since only one port would be left");
        (schonheim + 1, why, "Schönheim 1964; Mills and Mullin 1992")
    } else {
        (schonheim, formula, "Schönheim 1964")
    };
    let few = FEW_BLOCKS.iter().rposition(|(p, q)| v * q > k * p);
    if let Some((&(p, q), blocks)) = few.map(|at| (&FEW_BLOCKS[at], at as u64 + 3))
        && blocks + 1 > best.0
    {
        let most = if q == 1 { p.to_string() } else { format!("{p}/{q}") };
        let why = format!("{v}/{k} is more than {most}, and {blocks} blocks cover no more");
        best = (blocks + 1, why, "Mills 1979; Todorov 1985");
    }
    best
}
