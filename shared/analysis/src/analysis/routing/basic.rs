//! Basic routing (Dietz and Mattox 2000, section 3.2): one path for every connected pair.
//!
//! Pairs are taken by decreasing importance (the demand's weight; pairs without a request come last), then by number of
//! alternatives, fewest first, then in ascending order. Each gets the shared switch whose two NIs together appear in the fewest
//! paths so far; ties go to the lowest switch. Two counting passes make the order, so time and memory are linear in the
//! connected pairs.

use crate::{
    analysis::meetings::Meetings,
    demand::Demand,
    design::{Design, Faults, Path, WorkingDesign},
    spec::{MAX_NIS, Spec},
};

/// Max connected pairs, so that no design exhausts memory.
pub const MAX_CONNECTED: u64 = 1 << 26;

/// Reason why there are no routes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RoutingError {
    /// The design is for another number of PEs.
    #[error("the design is for {design} nodes; the spec has {spec} and the demand {demand}")]
    Pes {
        /// PEs of the design.
        design: u32,
        /// PEs of the spec.
        spec: u32,
        /// PEs of the demand.
        demand: u32,
    },
    /// A PE is on more switches than the max of NIs.
    #[error("node {pe} is on {has} switches; routing supports at most {MAX_NIS} NICs per node")]
    Nis {
        /// The PE.
        pe: u32,
        /// NIs of the PE.
        has: usize,
    },
    /// Too many pairs share a switch.
    #[error("more than {MAX_CONNECTED} pairs share a switch, the max for routing")]
    TooMany,
}

/// One path for every connected pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routes {
    working: WorkingDesign,
    /// PEs connected with p: `starts[p]..starts[p + 1]`.
    starts: Vec<usize>,
    /// Numbers of the other PEs, ascending.
    others: Vec<u32>,
    /// For each of these paths, its switch's index among the working switches of p.
    ni: Vec<u8>,
}

impl Routes {
    /// The shared switch of a pair's path; `None` if they share none, or for a PE outside the design.
    pub fn switch_for(&self, a: u32, b: u32) -> Option<u32> {
        let range = self.range(a)?;
        let at = self.others[range.clone()].binary_search(&b).ok()?;
        Some(self.working.live().of(a)[usize::from(self.ni[range.start + at])])
    }

    /// The path from one PE to another; `None` as for [`Routes::switch_for`].
    pub fn path(&self, from: u32, to: u32) -> Option<Path> {
        Some(self.working.path(from, to, self.switch_for(from, to)?))
    }

    /// Every PE that `pe` has a path to, ascending, with the switch of the path. Empty for a PE outside the design.
    pub fn neighbours(&self, pe: u32) -> impl ExactSizeIterator<Item = (u32, u32)> + '_ {
        let range = self.range(pe).unwrap_or(0..0);
        let switches = if range.is_empty() { &[] } else { self.working.live().of(pe) };
        let paths = self.others[range.clone()].iter().zip(&self.ni[range]);
        paths.map(move |(&other, &ni)| (other, switches[usize::from(ni)]))
    }

    /// Every PE that `pe` has a path to, ascending, with the path.
    pub fn paths(&self, pe: u32) -> impl ExactSizeIterator<Item = (u32, Path)> + '_ {
        self.neighbours(pe).map(move |(other, switch)| (other, self.working.path(pe, other, switch)))
    }

    /// The working part of the design.
    pub fn working(&self) -> &WorkingDesign {
        &self.working
    }

    /// Number of pairs with a path.
    pub fn pairs(&self) -> usize {
        self.others.len() / 2
    }

    /// Number of paths per NI of a PE, by NI; 0 for failed ones.
    pub fn load(&self, pe: u32) -> Vec<u32> {
        let Some(range) = self.range(pe) else { return Vec::new() };
        let mut load = vec![0; self.working.whole().of(pe).len()];
        for &place in &self.ni[range] {
            let switch = self.working.live().of(pe)[usize::from(place)];
            load[self.working.ni(pe, switch) as usize] += 1;
        }
        load
    }

    fn range(&self, pe: u32) -> Option<std::ops::Range<usize>> {
        let end = *self.starts.get(pe as usize + 1)?;
        Some(self.starts[pe as usize]..end)
    }
}

/// Routes every connected pair over the working part.
///
/// # Errors
/// Spec, demand and design differ in PEs, a PE has too many cables, or more than [`MAX_CONNECTED`] pairs are connected.
pub fn basic(spec: &Spec, demand: &Demand, design: &Design, faults: &Faults) -> Result<Routes, RoutingError> {
    fits(spec, demand, design)?;
    let working = WorkingDesign::new(design, faults);
    let connected = ConnectedPairs::of(demand, &working)?;
    let order = connected.order();
    Ok(connected.routes(working, &order))
}

pub(super) fn fits(spec: &Spec, demand: &Demand, design: &Design) -> Result<(), RoutingError> {
    if design.pes() != spec.pes || demand.pes() != spec.pes {
        let (design, demand) = (design.pes(), demand.pes());
        return Err(RoutingError::Pes { design, spec: spec.pes, demand });
    }
    let nis = design.nis();
    match (0..spec.pes).find(|&pe| nis.of(pe).len() > MAX_NIS as usize) {
        Some(pe) => Err(RoutingError::Nis { pe, has: nis.of(pe).len() }),
        None => Ok(()),
    }
}

/// The connected pairs, ascending, with the keys of their order.
struct ConnectedPairs {
    /// Pairs whose lower PE is p: `starts[p]..starts[p + 1]`.
    starts: Vec<usize>,
    higher: Vec<u32>,
    /// Rank, 0 for the most important.
    rank: Vec<u32>,
    ranks: usize,
    /// Shared switches less one.
    alternatives: Vec<u16>,
}

impl ConnectedPairs {
    fn of(demand: &Demand, working: &WorkingDesign) -> Result<ConnectedPairs, RoutingError> {
        let (design, nis) = (working.design(), working.live());
        let (rank_of, ranks) = importance(demand);
        let mut connected = ConnectedPairs {
            starts: vec![0],
            higher: Vec::new(),
            rank: Vec::new(),
            ranks,
            alternatives: Vec::new(),
        };
        let mut meetings = Meetings::new(design.pes());
        for pe in 0..design.pes() {
            meetings.count(design, nis, pe, pe + 1, design.pes());
            meetings.sort();
            let mut asked = demand.higher_of(pe).iter().zip(demand.first_pair(pe)..).peekable();
            for &other in meetings.met_unsorted() {
                while asked.next_if(|(partner, _)| **partner < other).is_some() {}
                let pair = asked.next_if(|(partner, _)| **partner == other);
                connected.higher.push(other);
                connected.rank.push(pair.map_or(ranks as u32 - 1, |(_, pair)| rank_of[pair]));
                connected.alternatives.push((meetings.with(other) - 1) as u16);
            }
            connected.starts.push(connected.higher.len());
            if connected.higher.len() as u64 > MAX_CONNECTED {
                return Err(RoutingError::TooMany);
            }
        }
        Ok(connected)
    }

    fn order(&self) -> Vec<u32> {
        let most = self.alternatives.iter().max().map_or(1, |&a| usize::from(a) + 1);
        let by_alternatives = counting_sort(0..self.higher.len() as u32, most, |pair| {
            usize::from(self.alternatives[pair as usize])
        });
        counting_sort(by_alternatives.iter().copied(), self.ranks, |pair| self.rank[pair as usize] as usize)
    }

    fn routes(self, working: WorkingDesign, order: &[u32]) -> Routes {
        let lower = self.lower();
        let nis = working.live();
        let mut used = vec![0u32; nis.cables()];
        let mut chosen = vec![(0u8, 0u8); self.higher.len()];
        for &pair in order {
            let (a, b) = (lower[pair as usize], self.higher[pair as usize]);
            let (first_a, first_b) = (nis.first_cable(a), nis.first_cable(b));
            let load = |&(i, j): &(usize, usize)| u64::from(used[first_a + i]) + u64::from(used[first_b + j]);
            // `min_by_key` returns the first of equals, and shared switches ascend.
            if let Some((i, j)) = shared(nis.of(a), nis.of(b)).min_by_key(load) {
                used[first_a + i] += 1;
                used[first_b + j] += 1;
                chosen[pair as usize] = (i as u8, j as u8);
            }
        }
        self.both_ways(working, &lower, &chosen)
    }

    fn lower(&self) -> Vec<u32> {
        let spans = self.starts.windows(2).zip(0..);
        spans.flat_map(|(span, pe)| std::iter::repeat_n(pe, span[1] - span[0])).collect()
    }

    fn both_ways(&self, working: WorkingDesign, lower: &[u32], chosen: &[(u8, u8)]) -> Routes {
        let pes = self.starts.len() - 1;
        let mut starts = vec![0usize; pes + 1];
        for (&a, &b) in lower.iter().zip(&self.higher) {
            starts[a as usize + 1] += 1;
            starts[b as usize + 1] += 1;
        }
        (0..pes).for_each(|pe| starts[pe + 1] += starts[pe]);
        let mut next = starts.clone();
        let (mut others, mut ni) = (vec![0u32; 2 * lower.len()], vec![0u8; 2 * lower.len()]);
        // Ascending pairs put, for each PE, its lower neighbours first and its higher ones after, each ascending.
        for ((&a, &b), &(i, j)) in lower.iter().zip(&self.higher).zip(chosen) {
            for (pe, other, own) in [(b, a, j), (a, b, i)] {
                let at = &mut next[pe as usize];
                (others[*at], ni[*at]) = (other, own);
                *at += 1;
            }
        }
        Routes { working, starts, others, ni }
    }
}

/// Rank of each requested pair by weight, 0 for the heaviest, and the number of ranks, one of them for other pairs.
fn importance(demand: &Demand) -> (Vec<u32>, usize) {
    let mut weights: Vec<f32> = (0..demand.len()).map(|pair| demand.weight(pair)).collect();
    weights.sort_unstable_by(|a, b| b.total_cmp(a));
    weights.dedup();
    let rank = |pair| {
        let weight = demand.weight(pair);
        weights.partition_point(|w| w.total_cmp(&weight).is_gt()) as u32
    };
    ((0..demand.len()).map(rank).collect(), weights.len() + 1)
}

fn counting_sort(
    items: impl Iterator<Item = u32> + Clone,
    keys: usize,
    key: impl Fn(u32) -> usize,
) -> Vec<u32> {
    let mut next = vec![0usize; keys + 1];
    let mut count = 0;
    for item in items.clone() {
        next[key(item) + 1] += 1;
        count += 1;
    }
    (0..keys).for_each(|k| next[k + 1] += next[k]);
    let mut sorted = vec![0; count];
    for item in items {
        let at = &mut next[key(item)];
        sorted[*at] = item;
        *at += 1;
    }
    sorted
}

/// The NIs of two PEs on each switch they share; both lists ascend.
fn shared<'a>(a: &'a [u32], b: &'a [u32]) -> impl Iterator<Item = (usize, usize)> + 'a {
    let mut j = 0;
    a.iter().enumerate().filter_map(move |(i, switch)| {
        while j < b.len() && b[j] < *switch {
            j += 1;
        }
        (j < b.len() && b[j] == *switch).then_some((i, j))
    })
}
