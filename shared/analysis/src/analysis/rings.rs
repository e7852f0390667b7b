//! Rings of a group of nodes whose hops stay on shared switches.
//!
//! A ring visits each node once, and consecutive nodes share a switch. A node enters by one NIC and leaves by another, or by the
//! same one if both neighbours are on its switch. No NIC is in two rings, so that all rings run at full speed at once.
//!
//! Rings are found one after another, each on the NICs that are left. A switch with all nodes gives a ring that needs
//! one NIC per node, so these come first. The next rings minimise hops without a shared switch, then changes of switch; see
//! [`tour`]. In the end, rings use NICs that no ring took: a node that enters and leaves by different NICs sends half as much
//! over each, since rings run in both directions. Up to [`EXACT`] nodes, the first ring is exact: if it misses hops, no order misses fewer. That the number of rings
//! is the largest is not claimed.

mod tour;

use crate::{cancel::check, design::NiTable, union_find::UnionFind};
use std::collections::BTreeMap;
use tour::Tours;

/// Max nodes of a group whose first ring is exact.
pub const EXACT: usize = 12;

/// Evaluated changes of orders that are enough for a large group: about half a second.
pub const EFFORT: u64 = 2_000_000;

/// A ring of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ring {
    /// The nodes, each once; the last is followed by the first.
    pub nodes: Vec<u32>,
    /// The switch from each node to the next; `None` if they share none.
    pub switches: Vec<Option<u32>>,
}

impl Ring {
    /// Number of hops without a shared switch.
    pub fn apart(&self) -> usize {
        self.switches.iter().filter(|switch| switch.is_none()).count()
    }
}

/// The rings of a group: all complete, or a single one that misses hops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rings(pub Vec<Ring>);

impl Rings {
    /// Number of hops without a shared switch.
    pub fn apart(&self) -> usize {
        self.0.iter().map(Ring::apart).sum()
    }
}

/// Up to `most` rings of the nodes, at least one, after at most `effort` evaluated changes of orders. The result depends on
/// nothing but the arguments.
///
/// # Panics
/// If there are fewer than two nodes.
pub fn rings(nis: &NiTable, nodes: &[u32], most: usize, effort: u64) -> Rings {
    assert!(nodes.len() >= 2, "a ring of {} nodes", nodes.len());
    let mut free = Free::new(nis, nodes);
    let mut tours = Tours::new(effort.max(1));
    let (mut found, mut places): (Vec<Ring>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
    while found.len() < most.max(1) {
        check();
        if !found.is_empty() && !free.is_connected() {
            break;
        }
        let order = match free.common() {
            Some(_) => (0..nodes.len()).collect(),
            None => match tours.find(&free.switches) {
                Some(order) => order,
                None => break,
            },
        };
        let switches = free.assign(&order, Changes::Few);
        let ring = Ring { nodes: order.iter().map(|&at| nodes[at]).collect(), switches };
        let is_complete = ring.apart() == 0;
        if is_complete || found.is_empty() {
            free.take(&order, &ring.switches);
            found.push(ring);
            places.push(order);
        }
        if !is_complete {
            break;
        }
    }
    for (ring, order) in found.iter_mut().zip(&places).rev() {
        free.give(order, &ring.switches);
        ring.switches = free.assign(order, Changes::Many);
        free.take(order, &ring.switches);
    }
    Rings(found)
}

/// Changes of switch that the hops of a ring should have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Changes {
    /// Few, so that NICs are left for other rings.
    Few,
    /// Many, so that both directions of a ring use different NICs of a node.
    Many,
}

/// The switches of each node of a group that no ring uses yet, ascending.
struct Free {
    switches: Vec<Vec<u32>>,
}

impl Free {
    /// All switches with at least two nodes of the group.
    fn new(nis: &NiTable, nodes: &[u32]) -> Free {
        let mut all: Vec<u32> = nodes.iter().flat_map(|&node| nis.of(node)).copied().collect();
        all.sort_unstable();
        let shared: Vec<u32> = all.chunk_by(|a, b| a == b).filter(|c| c.len() > 1).map(|c| c[0]).collect();
        let of = |&node: &u32| -> Vec<u32> {
            nis.of(node).iter().copied().filter(|switch| shared.binary_search(switch).is_ok()).collect()
        };
        Free { switches: nodes.iter().map(of).collect() }
    }

    /// A switch that all nodes are on.
    fn common(&self) -> Option<u32> {
        let on_all = |switch: &&u32| self.switches.iter().all(|of| of.binary_search(switch).is_ok());
        self.switches[0].iter().find(on_all).copied()
    }

    /// `true` if shared switches join all nodes.
    fn is_connected(&self) -> bool {
        let mut first: BTreeMap<u32, u32> = BTreeMap::new();
        let mut sets = UnionFind::new(self.switches.len() as u32);
        for (node, of) in (0..).zip(&self.switches) {
            for switch in of {
                sets.join(node, *first.entry(*switch).or_insert(node));
            }
        }
        // The root of a set is its lowest member.
        (0..self.switches.len() as u32).all(|node| sets.root(node) == 0)
    }

    /// The switches of the hops of a ring, with as few or as many changes of switch as possible.
    fn assign(&self, order: &[usize], changes: Changes) -> Vec<Option<u32>> {
        let count = order.len();
        let options: Vec<Vec<Option<u32>>> = (0..count)
            .map(|hop| {
                let (a, b) = (&self.switches[order[hop]], &self.switches[order[(hop + 1) % count]]);
                let shared: Vec<_> =
                    a.iter().filter(|switch| b.binary_search(switch).is_ok()).map(|&s| Some(s)).collect();
                if shared.is_empty() { vec![None] } else { shared }
            })
            .collect();
        let ways = options[0].iter().map(|&first| chosen(&options, first, changes));
        ways.min_by_key(|(cost, _)| *cost).map(|(_, switches)| switches).unwrap_or_default()
    }

    /// Gives the NICs of a ring back.
    fn give(&mut self, order: &[usize], switches: &[Option<u32>]) {
        let next = order.iter().cycle().skip(1);
        for ((&from, &to), switch) in order.iter().zip(next).zip(switches) {
            for node in [from, to] {
                self.switches[node].extend(switch);
                self.switches[node].sort_unstable();
                self.switches[node].dedup();
            }
        }
    }

    /// Takes the NICs of a ring.
    fn take(&mut self, order: &[usize], switches: &[Option<u32>]) {
        let next = order.iter().cycle().skip(1);
        for ((&from, &to), switch) in order.iter().zip(next).zip(switches) {
            for node in [from, to] {
                self.switches[node].retain(|other| Some(*other) != *switch);
            }
        }
    }
}

/// Cheapest choice of switches that begins with `first`, and its cost: the number of hops that change the switch, or with
/// `Changes::Many` that keep it. Dynamic
/// programming over the hops.
fn chosen(options: &[Vec<Option<u32>>], first: Option<u32>, changes: Changes) -> (usize, Vec<Option<u32>>) {
    let change = |a: Option<u32>, b: Option<u32>| {
        usize::from(a.is_some() && b.is_some() && (a != b) == (changes == Changes::Few))
    };
    // For each hop, the least cost up to each of its options, and the option before.
    let mut table: Vec<Vec<(usize, usize)>> =
        vec![options[0].iter().map(|&o| (if o == first { 0 } else { usize::MAX / 2 }, 0)).collect()];
    for hop in 1..options.len() {
        let best = |&option: &Option<u32>| {
            let before = table[hop - 1].iter().zip(&options[hop - 1]).enumerate();
            let ways = before.map(|(at, ((cost, _), &other))| (cost + change(other, option), at));
            ways.min().expect("every hop has an option")
        };
        let row = options[hop].iter().map(best).collect();
        table.push(row);
    }
    let last = options.len() - 1;
    let closing = table[last].iter().zip(&options[last]).enumerate();
    let closing = closing.map(|(at, ((cost, _), &option))| (cost + change(option, first), at));
    let (cost, mut at) = closing.min().expect("every hop has an option");
    let mut switches = vec![None; options.len()];
    for hop in (0..options.len()).rev() {
        switches[hop] = options[hop][at];
        at = table[hop][at].1;
    }
    (cost, switches)
}
