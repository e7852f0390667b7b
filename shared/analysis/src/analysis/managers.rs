//! Nodes that run the subnet managers of InfiniBand switches, where each switch is a subnet of its own.
//!
//! Each switch has a master and a standby on different nodes. The most managers per node are as few as the wiring allows: a
//! manager that finds all nodes of its switch busy moves others along a shortest augmenting path, and the limit per node grows
//! only where there is none.

use crate::design::Design;
use std::collections::BTreeMap;

/// Nodes that run the managers of a switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Managers {
    /// The one that manages; `None` for a switch without nodes.
    pub master: Option<u32>,
    /// The one that takes over; `None` if the switch has one node or none.
    pub standby: Option<u32>,
}

/// Managers of each switch.
pub fn managers(design: &Design) -> Vec<Managers> {
    let switches = design.switch_count();
    let mut plan = Plan {
        design,
        limit: 1,
        of_switch: vec![Vec::new(); switches as usize],
        of_pe: vec![Vec::new(); design.pes() as usize],
    };
    for needed in 1..=2 {
        for switch in (0..switches).filter(|&switch| design.members(switch).len() >= needed) {
            plan.add(switch);
        }
    }
    let mut masters = vec![0u32; design.pes() as usize];
    let of_switch = plan.of_switch.into_iter().map(|mut pes| {
        // Who is the master of fewer switches is this one's.
        pes.sort_unstable_by_key(|&pe| (masters[pe as usize], pe));
        let mut pes = pes.into_iter();
        let managers = Managers { master: pes.next(), standby: pes.next() };
        managers.master.inspect(|&pe| masters[pe as usize] += 1);
        managers
    });
    of_switch.collect()
}

struct Plan<'a> {
    design: &'a Design,
    /// Max managers per node.
    limit: usize,
    of_switch: Vec<Vec<u32>>,
    of_pe: Vec<Vec<u32>>,
}

impl Plan<'_> {
    /// Adds a manager to a switch that has a node for it.
    fn add(&mut self, switch: u32) {
        while !self.augment(switch) {
            self.limit += 1;
        }
    }

    /// Adds a manager to a switch within the limit, and moves others if needed. Returns `false` if that is impossible.
    fn augment(&mut self, start: u32) -> bool {
        // Nodes with the switch that would take them, and switches with the node that they would give up.
        let (mut taken, mut given) = (BTreeMap::new(), BTreeMap::from([(start, None)]));
        let mut queue = vec![start];
        let mut next = 0;
        while let Some(&switch) = queue.get(next) {
            next += 1;
            for &pe in self.design.members(switch) {
                if taken.contains_key(&pe) || self.of_switch[switch as usize].contains(&pe) {
                    continue;
                }
                taken.insert(pe, switch);
                if self.of_pe[pe as usize].len() < self.limit {
                    self.shift(pe, &taken, &given);
                    return true;
                }
                for &other in &self.of_pe[pe as usize] {
                    given.entry(other).or_insert_with(|| {
                        queue.push(other);
                        Some(pe)
                    });
                }
            }
        }
        false
    }

    /// Assigns a node to a switch. The node that loses this switch moves to another switch in turn.
    fn shift(&mut self, pe: u32, taken: &BTreeMap<u32, u32>, given: &BTreeMap<u32, Option<u32>>) {
        let mut free = Some(pe);
        while let Some(pe) = free {
            let switch = taken[&pe];
            self.of_switch[switch as usize].push(pe);
            self.of_pe[pe as usize].push(switch);
            free = given[&switch];
            if let Some(up) = free {
                self.of_switch[switch as usize].retain(|&other| other != up);
                self.of_pe[up as usize].retain(|&other| other != switch);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Rng;

    fn most(design: &Design, managers: &[Managers]) -> u32 {
        let mut count = vec![0; design.pes() as usize];
        for pe in managers.iter().flat_map(|m| [m.master, m.standby]).flatten() {
            count[pe as usize] += 1;
        }
        count.into_iter().max().unwrap_or(0)
    }

    /// By Hall's theorem for every set of switches: their managers fit onto their nodes.
    fn fewest(design: &Design) -> u32 {
        let switches = design.switch_count();
        let sets = 1u32..1 << switches;
        let of_set = |set: u32| {
            // A node takes one manager per switch, so a limit bounds what each node takes from the set.
            let needed: usize =
                (0..switches).filter(|s| set >> s & 1 == 1).map(|s| design.members(s).len().min(2)).sum();
            (1u32..)
                .find(|&limit| {
                    let room: u32 = (0..design.pes())
                        .map(|pe| {
                            let on = (0..switches)
                                .filter(|&s| set >> s & 1 == 1 && design.members(s).contains(&pe))
                                .count();
                            limit.min(on as u32)
                        })
                        .sum();
                    room as usize >= needed
                })
                .unwrap_or(0)
        };
        sets.map(of_set).max().unwrap_or(0)
    }

    #[test]
    fn each_switch_has_two_nodes_of_its_own_and_no_node_has_more_managers_than_needed() {
        let mut rng = Rng::seeded(7);
        for round in 0..300 {
            let (pes, switches) = (1 + rng.below(8), 1 + rng.below(7));
            let wiring = (0..switches).map(|_| (0..pes).filter(|_| rng.below(3) == 0).collect::<Vec<_>>());
            let design = Design::from_switches(pes, wiring.collect::<Vec<_>>());
            let managers = managers(&design);
            for (switch, m) in (0..).zip(&managers) {
                let members = design.members(switch);
                let pes: Vec<u32> = [m.master, m.standby].into_iter().flatten().collect();
                assert_eq!(pes.len(), members.len().min(2), "round {round}, switch {switch}: {design:?}");
                assert!(pes.iter().all(|pe| members.contains(pe)) && m.master != m.standby || pes.is_empty());
            }
            assert!(most(&design, &managers) <= fewest(&design).max(1), "round {round}: {design:?}");
        }
    }
}
