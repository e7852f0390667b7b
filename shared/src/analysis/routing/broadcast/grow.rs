//! Grows the spanning trees, switch by switch.

use crate::design::{Design, Working};
use std::{cmp::Reverse, collections::BinaryHeap};

const NONE: u32 = u32::MAX;

/// On each switch the PEs that listen there.
pub(super) fn tree(working: &Working) -> Design {
    let mut grown = Grown::new(working);
    let mut first: Vec<u32> = (0..working.design().switch_count()).collect();
    first.sort_by_key(|&switch| Reverse(working.design().members(switch).len()));
    for switch in first {
        // A part of the wiring is grown to its end, so that nobody of another part is covered.
        if grown.gain[switch as usize] > 1 {
            grown.part(switch);
        }
    }
    grown.thin();
    grown.listeners()
}

struct Grown<'a> {
    working: &'a Working,
    /// PEs of each switch that are on no switch of the tree.
    gain: Vec<u32>,
    /// Switches of the tree that each PE is on.
    covered: Vec<u32>,
    /// For each switch the one it hangs from, itself for the first, [`NONE`] outside the tree.
    parent: Vec<u32>,
    depth: Vec<u32>,
    /// For each switch the gateway that it hangs from its parent by.
    gateway: Vec<u32>,
    /// For each gateway the switch that it hears on first, and how many it sends on over.
    up: Vec<u32>,
    load: Vec<u32>,
    /// Switches of the tree as they came.
    order: Vec<u32>,
    /// Switches next to the tree by gain, then by how deep they would hang, then by number; their gain may have sunk since.
    next: BinaryHeap<(u32, Reverse<u32>, Reverse<u32>)>,
}

impl Grown<'_> {
    fn new(working: &Working) -> Grown<'_> {
        let (pes, switches) = (working.design().pes() as usize, working.design().switch_count() as usize);
        Grown {
            working,
            gain: working.design().switches().map(|members| members.len() as u32).collect(),
            covered: vec![0; pes],
            parent: vec![NONE; switches],
            depth: vec![0; switches],
            gateway: vec![NONE; switches],
            up: vec![NONE; pes],
            load: vec![0; pes],
            order: Vec::new(),
            next: BinaryHeap::new(),
        }
    }

    fn part(&mut self, first: u32) {
        self.parent[first as usize] = first;
        self.cover(first);
        while let Some((gain, depth, Reverse(switch))) = self.next.pop() {
            let now = self.gain[switch as usize];
            if now == gain && self.parent[switch as usize] == NONE {
                self.hang(switch);
            } else if 0 < now && now < gain {
                self.next.push((now, depth, Reverse(switch)));
            }
        }
    }

    /// Takes a switch into the tree, below the best gateway.
    fn hang(&mut self, switch: u32) {
        let inside =
            self.working.design().members(switch).iter().filter(|&&pe| self.covered[pe as usize] > 0);
        let best = inside.filter_map(|&pe| {
            let up = self.up_of(pe)?;
            Some((self.depth[up as usize], self.load[pe as usize], pe, up))
        });
        if let Some((depth, _, pe, up)) = best.min() {
            (self.parent[switch as usize], self.gateway[switch as usize]) = (up, pe);
            self.depth[switch as usize] = depth + 1;
            self.up[pe as usize] = up;
            self.load[pe as usize] += 1;
            self.cover(switch);
        }
    }

    /// The switch that a PE of the tree hears on if it is a gateway: the one it has, or the highest it may have.
    fn up_of(&self, pe: u32) -> Option<u32> {
        if self.up[pe as usize] != NONE {
            return Some(self.up[pe as usize]);
        }
        let on = self.working.live().of(pe).iter().copied();
        on.filter(|&switch| self.parent[switch as usize] != NONE)
            .min_by_key(|&switch| (self.depth[switch as usize], switch))
    }

    fn cover(&mut self, switch: u32) {
        self.order.push(switch);
        for &pe in self.working.design().members(switch) {
            self.covered[pe as usize] += 1;
            if self.covered[pe as usize] == 1 {
                for &other in self.working.live().of(pe) {
                    self.gain[other as usize] -= 1;
                }
            }
        }
        // What came next to the tree: a switch may be there already with a higher gain, which is corrected when it is met.
        let below = Reverse(self.depth[switch as usize] + 1);
        for &pe in self.working.design().members(switch) {
            for &other in self.working.live().of(pe) {
                if self.gain[other as usize] > 0 {
                    self.next.push((self.gain[other as usize], below, Reverse(other)));
                }
            }
        }
    }

    /// Takes out switches that nothing hangs from and whose PEs are all on others, the latest first.
    fn thin(&mut self) {
        let mut hanging = vec![0u32; self.parent.len()];
        for &switch in self.order.iter().filter(|&&switch| self.gateway[switch as usize] != NONE) {
            hanging[self.parent[switch as usize] as usize] += 1;
        }
        for &switch in self.order.iter().rev() {
            let members = self.working.design().members(switch);
            let parent = self.parent[switch as usize];
            let needless = members.iter().all(|&pe| self.covered[pe as usize] > 1);
            if parent == switch || hanging[switch as usize] > 0 || !needless {
                continue;
            }
            hanging[parent as usize] -= 1;
            members.iter().for_each(|&pe| self.covered[pe as usize] -= 1);
            let gateway = self.gateway[switch as usize] as usize;
            self.load[gateway] -= 1;
            if self.load[gateway] == 0 {
                self.up[gateway] = NONE;
            }
            self.parent[switch as usize] = NONE;
        }
    }

    /// Gateways listen on the switches that they join, others on the highest they are on, the emptiest of equals.
    fn listeners(self) -> Design {
        let mut listeners: Vec<Vec<u32>> = vec![Vec::new(); self.parent.len()];
        for &switch in self.order.iter().filter(|&&switch| self.parent[switch as usize] != NONE) {
            if self.gateway[switch as usize] != NONE {
                listeners[switch as usize].push(self.gateway[switch as usize]);
            }
        }
        for pe in 0..self.working.design().pes() {
            let up = self.up[pe as usize];
            let on = self.working.live().of(pe).iter().copied();
            let own = on.filter(|&switch| self.parent[switch as usize] != NONE);
            let key = |&switch: &u32| (self.depth[switch as usize], listeners[switch as usize].len(), switch);
            let home = if up == NONE { own.min_by_key(key) } else { Some(up) };
            if let Some(home) = home {
                listeners[home as usize].push(pe);
            }
        }
        Design::from_switches(self.working.design().pes(), listeners)
    }
}
