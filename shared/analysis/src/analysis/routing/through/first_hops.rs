//! One row of a large table: the next PE from one PE to each destination, computed separately.
//!
//! With one intermediary, the candidates of a pair are its common neighbours, which one search from the PE finds. Farther away,
//! a candidate is a neighbour of the PE that is one step nearer to the destination. The search carries these neighbours outwards,
//! 64 at a time, one bit each, so that memory grows with the PEs only.

use super::{
    WorkingDesign,
    search::{Costs, Search},
};

/// Each destination of a search without a shared switch, and the next PE on the way there.
pub(super) fn from(working: &WorkingDesign, costs: &Costs, search: &Search, pe: u32) -> Vec<(u32, u32)> {
    let order = search.order();
    let beyond = |distance| order.partition_point(|&other| search.distance(other) < distance);
    let (second, third) = (beyond(2), beyond(3));
    let mut hops: Vec<(u32, u32)> = order[second..third]
        .iter()
        .filter_map(|&dest| {
            Some((dest, search.nearer(working, dest, |candidate| costs.key(pe, dest, candidate))?))
        })
        .collect();
    if third < order.len() {
        hops.extend(far(working, search, &order[1..second], &order[third..], |dest, candidate| {
            costs.key(pe, dest, candidate)
        }));
    }
    hops
}

/// Collects first hops to destinations at two intermediaries and more.
fn far(
    working: &WorkingDesign,
    search: &Search,
    neighbours: &[u32],
    dests: &[u32],
    key: impl Fn(u32, u32) -> u128,
) -> Vec<(u32, u32)> {
    let mut best = vec![(u128::MAX, u32::MAX); dests.len()];
    let mut bits = vec![0u64; working.design().pes() as usize];
    for chunk in neighbours.chunks(64) {
        carry(working, search, chunk, &mut bits);
        for (best, &dest) in best.iter_mut().zip(dests) {
            let mut left = bits[dest as usize];
            while left != 0 {
                let candidate = chunk[left.trailing_zeros() as usize];
                *best = (*best).min((key(dest, candidate), candidate));
                left &= left - 1;
            }
        }
    }
    dests.iter().zip(best).map(|(&dest, (_, next))| (dest, next)).collect()
}

/// Sets, per PE, the bits of the neighbours that a shortest route may begin with.
fn carry(working: &WorkingDesign, search: &Search, chunk: &[u32], bits: &mut [u64]) {
    search.order().iter().for_each(|&pe| bits[pe as usize] = 0);
    chunk.iter().enumerate().for_each(|(bit, &pe)| bits[pe as usize] = 1 << bit);
    // Switches come by ascending distance, so the bits of their nearest PEs are complete.
    for (switch, depth) in search.switches().filter(|&(_, depth)| depth > 0) {
        let carried = search.nearest(switch).iter().fold(0, |all, &pe| all | bits[pe as usize]);
        if carried != 0 {
            let members = working.design().members(switch);
            let outer = members.iter().filter(|&&pe| search.distance(pe) > depth);
            outer.for_each(|&pe| bits[pe as usize] |= carried);
        }
    }
}
