//! Broadcast and multicast (Mattox 2006, section 5.2.2): a spanning tree of broadcast domains, with one gateway PE between
//! two of them.
//!
//! A domain is a switch: every other PE on it receives a PE's broadcast there. The tree connects PEs and switches. Most PEs are
//! on one switch of it, the one that they listen on. A PE on several is a gateway: it forwards from one of them to all others. In
//! a tree this holds wherever a broadcast begins: nothing loops, and a PE that listens only on its switches of the tree receives
//! everything once. A PE sends its own broadcasts on all of these.
//!
//! Two things differ from Mattox 2006. There the tree spans all switches; this one spans all PEs and leaves out switches that
//! add none, so that fewer copies are sent. There PEs receive a packet once per NI in the tree; here a PE listens on one switch
//! and ignores the others.
//!
//! The tree grows from the switch with the most PEs, each time by the reachable switch with the most PEs outside the tree; ties
//! go to the one nearest to the first switch, then to the lowest. Its gateway is the PE nearest to the first switch, then the one
//! that forwards to the fewest so far, then the lowest. Needless switches are then removed. Every PE computes the same tree from
//! the design alone.

use crate::cancel::check;
use crate::design::{Design, Faults, NiTable, WorkingDesign};
use std::{
    cmp::Reverse,
    collections::{BinaryHeap, VecDeque},
};

/// The spanning trees of a design, one per connected part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BroadcastTree {
    working: WorkingDesign,
    /// PEs that listen on each switch, gateways included.
    tree: Design,
    joined: NiTable,
}

/// A PE sends on a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmission {
    /// The sender.
    pub pe: u32,
    /// The switch that it received on; `None` for the origin.
    pub from: Option<u32>,
    /// The switch that it sends on.
    pub to: u32,
    /// Switches crossed by the copy when it is received, 1 or more.
    pub hop: u32,
}

/// A PE receives a broadcast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reception {
    /// The receiver.
    pub pe: u32,
    /// The switch that it listens on.
    pub on: u32,
    /// Switches crossed by the copy, 1 or more.
    pub hop: u32,
}

/// The spread of a broadcast from one PE.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    /// Transmissions by ascending hop; those of the origin come first.
    pub sends: Vec<Transmission>,
    /// Receptions by ascending hop; every PE at most once.
    pub heard: Vec<Reception>,
}

/// Grows the trees over the working part. Time grows with cables times NIs per PE.
pub fn broadcast(design: &Design, faults: &Faults) -> BroadcastTree {
    let working = WorkingDesign::new(design, faults);
    let tree = grown_tree(&working);
    BroadcastTree::of(working, tree)
}

impl BroadcastTree {
    fn of(working: WorkingDesign, tree: Design) -> BroadcastTree {
        let joined = tree.nis();
        BroadcastTree { working, tree, joined }
    }

    /// The working part of the design.
    pub fn working(&self) -> &WorkingDesign {
        &self.working
    }

    /// The switches that a PE listens on, ascending: one, none if it reaches no other PE, or several for a gateway, which forwards
    /// from one of them to the others.
    ///
    /// # Panics
    /// If there is no such PE.
    pub fn switches_of(&self, pe: u32) -> &[u32] {
        self.joined.of(pe)
    }

    /// The PEs that listen on a switch, gateways included, ascending. Panics if there is no such switch.
    pub fn listeners(&self, switch: u32) -> &[u32] {
        self.tree.members(switch)
    }

    /// The trees for a multicast group: without all branches that lead to none of these PEs. PEs outside the design are skipped.
    #[must_use]
    pub fn pruned(&self, group: &[u32]) -> BroadcastTree {
        let mut kept = vec![false; self.tree.pes() as usize];
        group.iter().filter(|&&pe| pe < self.tree.pes()).for_each(|&pe| kept[pe as usize] = true);
        let mut pe_ends: Vec<usize> = (0..self.tree.pes()).map(|pe| self.joined.of(pe).len()).collect();
        let mut switch_ends: Vec<usize> = self.tree.switches().map(<[u32]>::len).collect();
        let mut cut = vec![false; switch_ends.len()];
        // Removing a leaf outside the group may create new leaves.
        let mut leaves: VecDeque<u32> = (0..self.tree.pes()).collect();
        while let Some(pe) = leaves.pop_front() {
            check();
            if kept[pe as usize] || pe_ends[pe as usize] != 1 {
                continue;
            }
            pe_ends[pe as usize] = 0;
            let Some(&switch) = self.joined.of(pe).iter().find(|&&switch| !cut[switch as usize]) else {
                continue;
            };
            switch_ends[switch as usize] -= 1;
            if switch_ends[switch as usize] == 1 {
                cut[switch as usize] = true;
                let mut members = self.tree.members(switch).iter();
                if let Some(&last) = members.find(|&&last| pe_ends[last as usize] > 0) {
                    pe_ends[last as usize] -= 1;
                    leaves.push_back(last);
                }
            }
        }
        let listeners = |(switch, cut): (u32, &bool)| {
            let members = self.tree.members(switch).iter().copied();
            members.filter(|&pe| !cut && pe_ends[pe as usize] > 0).collect()
        };
        let tree = Design::from_switches(self.tree.pes(), (0..).zip(&cut).map(listeners));
        BroadcastTree::of(self.working.clone(), tree)
    }

    /// The spread of a broadcast from one PE; empty for a PE outside the design.
    pub fn from(&self, root: u32) -> Spread {
        let mut spread = Spread::default();
        if root >= self.tree.pes() {
            return spread;
        }
        let begin = |&to| Transmission { pe: root, from: None, to, hop: 1 };
        spread.sends.extend(self.joined.of(root).iter().map(begin));
        let mut at = 0;
        while let Some(&send) = spread.sends.get(at) {
            for &pe in self.tree.members(send.to).iter().filter(|&&pe| pe != send.pe) {
                spread.heard.push(Reception { pe, on: send.to, hop: send.hop });
                let others = self.joined.of(pe).iter().filter(|&&to| to != send.to);
                let on = |&to| Transmission { pe, from: Some(send.to), to, hop: send.hop + 1 };
                spread.sends.extend(others.map(on));
            }
            at += 1;
        }
        spread
    }
}

const NONE: u32 = u32::MAX;

fn grown_tree(working: &WorkingDesign) -> Design {
    let mut grown = GrowingTree::new(working);
    let mut first: Vec<u32> = (0..working.design().switch_count()).collect();
    first.sort_by_key(|&switch| Reverse(working.design().members(switch).len()));
    for switch in first {
        // A part is grown to its end, so that PEs of other parts stay uncovered.
        if grown.gain[switch as usize] > 1 {
            grown.part(switch);
        }
    }
    grown.thin();
    grown.listeners()
}

struct GrowingTree<'a> {
    working: &'a WorkingDesign,
    /// PEs of each switch outside the tree.
    gain: Vec<u32>,
    covered: Vec<u32>,
    /// Parent of each switch, itself for the first, [`NONE`] outside the tree.
    parent: Vec<u32>,
    depth: Vec<u32>,
    /// Gateway between each switch and its parent.
    gateway: Vec<u32>,
    /// For each gateway the switch that it receives on first, and the number that it forwards to.
    up: Vec<u32>,
    load: Vec<u32>,
    order: Vec<u32>,
    /// Candidate switches by gain, then depth, then number; the gain can be out of date, but only too high.
    next: BinaryHeap<(u32, Reverse<u32>, Reverse<u32>)>,
}

impl GrowingTree<'_> {
    fn new(working: &WorkingDesign) -> GrowingTree<'_> {
        let (pes, switches) = (working.design().pes() as usize, working.design().switch_count() as usize);
        GrowingTree {
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
            check();
            let now = self.gain[switch as usize];
            if now == gain && self.parent[switch as usize] == NONE {
                self.hang(switch);
            } else if 0 < now && now < gain {
                self.next.push((now, depth, Reverse(switch)));
            }
        }
    }

    /// Adds a switch to the tree, below the best gateway.
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

    /// The switch that a PE of the tree receives on if it is a gateway: the one it has, or the highest it may have.
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
        // A candidate may already be listed with a higher gain, which is corrected when it is taken.
        let below = Reverse(self.depth[switch as usize] + 1);
        for &pe in self.working.design().members(switch) {
            for &other in self.working.live().of(pe) {
                if self.gain[other as usize] > 0 {
                    self.next.push((self.gain[other as usize], below, Reverse(other)));
                }
            }
        }
    }

    /// Removes leaf switches whose PEs are all on others, the latest first.
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

    /// Gateways listen on the switches that they connect, others on their highest one, ties to the emptiest.
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
