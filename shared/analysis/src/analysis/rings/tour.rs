//! Circular orders of nodes, given the switches of each.
//!
//! The cost of an order is its hops without a shared switch, then its turns: nodes that share no switch with both of their
//! neighbours together. Up to [`EXACT`] nodes, dynamic programming over subsets (Held and Karp: "A dynamic programming approach
//! to sequencing problems", 1962) gives the fewest hops. Beyond, the starts are the given order and one that fills switch after
//! switch. Local search follows: reversals of a part (2-opt), moves of single nodes, and rotations (Posa: "Hamiltonian
//! circuits in random graphs", 1976), which are reversals that move a missing hop elsewhere.

use super::EXACT;
use crate::{cancel::check, random::Rng};

/// Cost of a hop without a shared switch; a turn costs 1.
const APART: i64 = 1 << 20;
/// Max rotations of a start, per node.
const ROTATIONS: usize = 30;

/// Searches of one group after another, which share the effort.
pub(super) struct Tours {
    rng: Rng,
    left: u64,
}

impl Tours {
    /// Searches that evaluate up to so many changes of orders.
    pub fn new(effort: u64) -> Tours {
        Tours { rng: Rng::new(1, 0), left: effort }
    }

    /// An order of the nodes with these switches; `None` if the effort is used up.
    pub fn find(&mut self, switches: &[Vec<u32>]) -> Option<Vec<usize>> {
        if self.left == 0 {
            return None;
        }
        let given: Vec<usize> = (0..switches.len()).collect();
        let mut starts = vec![given, blocks(switches)];
        if switches.len() <= EXACT {
            starts.push(exact(switches));
        }
        let mut tours: Vec<Tour> = starts.into_iter().map(|order| Tour { switches, order }).collect();
        tours.sort_by_key(Tour::cost);
        // Later rings have a part of the effort, too.
        let mut left = self.left.div_ceil(3);
        self.left -= left;
        // The other starts are for missing hops only.
        for tour in &mut tours {
            tour.improve(&mut self.rng, &mut left);
            if tour.cost() < APART {
                break;
            }
        }
        self.left += left;
        tours.into_iter().min_by_key(Tour::cost).map(|tour| tour.order)
    }
}

/// `true` if two ascending lists have a common number.
fn meet(a: &[u32], b: &[u32]) -> bool {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => return true,
        }
    }
    false
}

/// An order that follows a switch as long as it has new nodes. It then leaves by the node whose other switches have the most.
fn blocks(switches: &[Vec<u32>]) -> Vec<usize> {
    let count = switches.len();
    let mut visited = vec![false; count];
    let mut order: Vec<usize> = Vec::new();
    // Nodes not visited yet, per switch.
    let mut left: std::collections::BTreeMap<u32, usize> = std::collections::BTreeMap::new();
    switches.iter().flatten().for_each(|switch| *left.entry(*switch).or_default() += 1);
    let mut at = 0;
    loop {
        check();
        visited[at] = true;
        order.push(at);
        switches[at].iter().for_each(|switch| *left.entry(*switch).or_default() -= 1);
        let fullest = switches[at].iter().copied().max_by_key(|switch| (left[switch], u32::MAX - switch));
        let Some(switch) = fullest.filter(|switch| left[switch] > 0) else {
            match visited.iter().position(|visited| !visited) {
                Some(next) => at = next,
                None => return order,
            }
            continue;
        };
        let mut block: Vec<usize> =
            (0..count).filter(|&n| !visited[n] && switches[n].binary_search(&switch).is_ok()).collect();
        let beyond = |node: usize| {
            let others = switches[node].iter().filter(|other| **other != switch);
            others.map(|other| left[other]).max().unwrap_or(0)
        };
        block.sort_by_key(|&node| (beyond(node), node));
        let Some(last) = block.pop() else { return order };
        for &node in &block {
            visited[node] = true;
            order.push(node);
            switches[node].iter().for_each(|switch| *left.entry(*switch).or_default() -= 1);
        }
        at = last;
    }
}

/// The order with the fewest hops without a shared switch.
fn exact(switches: &[Vec<u32>]) -> Vec<usize> {
    let others = switches.len() - 1;
    let apart = |a: usize, b: usize| u8::from(!meet(&switches[a], &switches[b]));
    // Fewest such hops on a path from the last node through a set of others to its end, and the node before that.
    let mut table = vec![(u8::MAX, 0); others << others];
    for end in 0..others {
        table[(1 << end) * others + end] = (apart(others, end), end);
    }
    for set in 1..1usize << others {
        check();
        for end in (0..others).filter(|end| set >> end & 1 == 1) {
            let (cost, _) = table[set * others + end];
            for next in (0..others).filter(|next| set >> next & 1 == 0) {
                let place = &mut table[(set | 1 << next) * others + next];
                let through = cost + apart(end, next);
                if through < place.0 {
                    *place = (through, end);
                }
            }
        }
    }
    let mut set = (1usize << others) - 1;
    let closed = (0..others).min_by_key(|&end| table[set * others + end].0 + apart(end, others));
    let mut order = vec![others];
    let mut end = closed.unwrap_or(0);
    while set != 0 {
        order.push(end);
        let before = table[set * others + end].1;
        set &= !(1 << end);
        end = before;
    }
    order
}

/// An order that local search improves.
struct Tour<'a> {
    switches: &'a [Vec<u32>],
    order: Vec<usize>,
}

impl Tour<'_> {
    /// The node at a place; places go round.
    fn at(&self, place: usize) -> usize {
        self.order[place % self.order.len()]
    }

    fn hop(&self, a: usize, b: usize) -> i64 {
        if meet(&self.switches[a], &self.switches[b]) { 0 } else { APART }
    }

    fn turn(&self, a: usize, b: usize, c: usize) -> i64 {
        let (first, last) = (&self.switches[a], &self.switches[c]);
        let shared = |switch: &u32| first.binary_search(switch).is_ok() && last.binary_search(switch).is_ok();
        i64::from(!self.switches[b].iter().any(shared))
    }

    fn cost(&self) -> i64 {
        let of = |at: usize| {
            self.hop(self.at(at), self.at(at + 1)) + self.turn(self.at(at), self.at(at + 1), self.at(at + 2))
        };
        (0..self.order.len()).map(of).sum()
    }

    /// Change of the cost if the nodes after place `i`, up to place `j`, are reversed. `i < j`.
    fn reversal(&self, i: usize, j: usize) -> i64 {
        let count = self.order.len();
        let (before, a, b, after_b) = (self.at(i + count - 1), self.at(i), self.at(i + 1), self.at(i + 2));
        let (before_c, c, d, after) = (self.at(j + count - 1), self.at(j), self.at(j + 1), self.at(j + 2));
        let old = self.hop(a, b)
            + self.hop(c, d)
            + self.turn(before, a, b)
            + self.turn(a, b, after_b)
            + self.turn(before_c, c, d)
            + self.turn(c, d, after);
        let new = self.hop(a, c)
            + self.hop(b, d)
            + self.turn(before, a, c)
            + self.turn(a, c, before_c)
            + self.turn(after_b, b, d)
            + self.turn(b, d, after);
        new - old
    }

    /// Change of the cost if the node at place `i` moves between places `j` and `j + 1`, at least five places away.
    fn relocation(&self, i: usize, j: usize) -> i64 {
        let count = self.order.len();
        let [a, b, node, c, d] = [count - 2, count - 1, 0, 1, 2].map(|by| self.at(i + by));
        let [o, p, q, r] = [count - 1, 0, 1, 2].map(|by| self.at(j + by));
        let old = self.hop(b, node)
            + self.hop(node, c)
            + self.turn(a, b, node)
            + self.turn(b, node, c)
            + self.turn(node, c, d)
            + self.hop(p, q)
            + self.turn(o, p, q)
            + self.turn(p, q, r);
        let new = self.hop(b, c)
            + self.turn(a, b, c)
            + self.turn(b, c, d)
            + self.hop(p, node)
            + self.hop(node, q)
            + self.turn(o, p, node)
            + self.turn(p, node, q)
            + self.turn(node, q, r);
        new - old
    }

    fn relocate(&mut self, i: usize, j: usize) {
        let node = self.order.remove(i);
        self.order.insert(if j < i { j + 1 } else { j }, node);
    }

    /// Improves the order until nothing helps, or the effort is used up.
    fn improve(&mut self, rng: &mut Rng, left: &mut u64) {
        let count = self.order.len();
        if count < 4 {
            return;
        }
        let (mut cost, mut rotations) = (self.cost(), ROTATIONS * count);
        let (mut best, mut best_order) = (cost, self.order.clone());
        loop {
            let mut from = 0;
            while let Some((gain, at)) = self.step(from, left) {
                cost += gain;
                from = at;
            }
            if cost < best {
                (best, best_order) = (cost, self.order.clone());
            }
            let bad: Vec<usize> =
                (0..count).filter(|&at| self.hop(self.at(at), self.at(at + 1)) > 0).collect();
            let Some(&at) = rng.pick(&bad).filter(|_| rotations > 0 && *left > 0) else { break };
            rotations -= 1;
            // The node before the missing hop gets a neighbour that it shares a switch with.
            self.order.rotate_left(at);
            let met: Vec<usize> = (2..count - 1).filter(|&j| self.hop(self.at(0), self.at(j)) == 0).collect();
            *left = left.saturating_sub(count as u64);
            let Some(&j) = rng.pick(&met) else { continue };
            cost += self.reversal(0, j);
            self.order[1..=j].reverse();
        }
        self.order = best_order;
    }

    /// Applies the first change that helps, at a place from `from` on, and returns it with the place.
    fn step(&mut self, from: usize, left: &mut u64) -> Option<(i64, usize)> {
        let count = self.order.len();
        for i in (from..count).chain(0..from) {
            check();
            let [before, a, b, after] = [count - 1, 0, 1, 2].map(|by| self.at(i + by));
            if self.hop(a, b) + self.turn(before, a, b) + self.turn(a, b, after) == 0 {
                continue;
            }
            *left = left.saturating_sub(3 * count as u64);
            if *left == 0 {
                return None;
            }
            for j in 0..count {
                let (low, high) = (i.min(j), i.max(j));
                let gain =
                    if high - low > 1 && high - low < count - 1 { self.reversal(low, high) } else { 0 };
                if gain < 0 {
                    self.order[low + 1..=high].reverse();
                    return Some((gain, i));
                }
                let apart = high - low;
                // The node at the bad place moves away, or another one moves into the gap behind it.
                for (from, to) in [(i, j), (j, i)] {
                    let gain = if apart > 4 && count - apart > 4 { self.relocation(from, to) } else { 0 };
                    if gain < 0 {
                        self.relocate(from, to);
                        return Some((gain, i));
                    }
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_the_cost_are_those_of_the_order() {
        let mut rng = Rng::new(3, 0);
        for count in [4, 5, 7, 11, 16] {
            let switches: Vec<Vec<u32>> = (0..count)
                .map(|_| {
                    let mut of: Vec<u32> = (0..2).map(|_| rng.below(count as u32 / 2)).collect();
                    of.sort_unstable();
                    of.dedup();
                    of
                })
                .collect();
            let mut order: Vec<usize> = (0..count).collect();
            rng.shuffle(&mut order);
            let tour = || Tour { switches: &switches, order: order.clone() };
            for (i, j) in (0..count).flat_map(|i| (0..count).map(move |j| (i, j))) {
                if i + 1 < j && j - i < count - 1 {
                    let mut changed = tour();
                    changed.order[i + 1..=j].reverse();
                    assert_eq!(changed.cost() - tour().cost(), tour().reversal(i, j), "{count} {i} {j}");
                }
                if i.abs_diff(j) > 4 && count - i.abs_diff(j) > 4 {
                    let mut changed = tour();
                    changed.relocate(i, j);
                    assert_eq!(changed.cost() - tour().cost(), tour().relocation(i, j), "{count} {i} {j}");
                }
            }
        }
    }
}
