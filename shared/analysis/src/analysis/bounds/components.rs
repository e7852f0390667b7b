//! Bounds from connected PEs.

use super::Needs;
use crate::{demand::Demand, union_find::UnionFind};

/// PEs with one NI that requested pairs connect, and all their partners: one switch must hold them.
pub(super) struct Bundle {
    /// The lowest of the PEs with one NI.
    pub pe: u32,
    pub single: u32,
    /// PEs of the bundle, their partners included.
    pub all: u32,
}

/// The largest bundle; `None` where no PE with a partner has one NI only.
pub(super) fn largest_bundle(demand: &Demand, needs: &Needs) -> Option<Bundle> {
    let single = |pe: u32| needs.nis[pe as usize] == 1;
    if !(0..demand.pes()).any(single) {
        return None;
    }
    let mut sets = UnionFind::new(demand.pes());
    demand.pairs().filter(|&(a, b)| single(a) && single(b)).for_each(|(a, b)| _ = sets.join(a, b));
    let mut members: Vec<(u32, u32)> = Vec::new();
    for (a, b) in demand.pairs() {
        for (one, other) in [(a, b), (b, a)] {
            if single(one) {
                let root = sets.root(one);
                members.extend([(root, one), (root, other)]);
            }
        }
    }
    members.sort_unstable();
    members.dedup();
    let bundle = |of: &[(u32, u32)]| Bundle {
        pe: of.iter().map(|m| m.1).find(|&pe| single(pe)).unwrap_or(of[0].1),
        single: of.iter().filter(|m| single(m.1)).count() as u32,
        all: of.len() as u32,
    };
    let bundles = members.chunk_by(|a, b| a.0 == b.0).map(bundle);
    bundles.max_by_key(|b| (b.all, std::cmp::Reverse(b.pe)))
}

/// Number of PEs with a partner, and of the parts that requested pairs connect them to.
pub(super) fn parts(demand: &Demand) -> (u64, u64) {
    let mut sets = UnionFind::new(demand.pes());
    let mut asks = vec![false; demand.pes() as usize];
    for (a, b) in demand.pairs() {
        sets.join(a, b);
        (asks[a as usize], asks[b as usize]) = (true, true);
    }
    let asking = (0..demand.pes()).filter(|&pe| asks[pe as usize]);
    asking.fold((0, 0), |(pes, parts), pe| (pes + 1, parts + u64::from(sets.root(pe) == pe)))
}
