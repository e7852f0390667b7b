//! Broadcast and multicast (dissertation, section 5.2.2): a spanning tree of broadcast domains, with one gateway PE between
//! two of them.
//!
//! A domain is a switch: what a PE sends to all on it, every other PE there hears. The tree joins PEs and switches: most PEs
//! are on one switch of it, the one that they listen on; a PE on several is a gateway and sends on what it hears on
//! one of them over all others. Since it is a tree, this holds wherever a broadcast begins: nothing turns in circles, and who
//! listens on its switches of the tree alone hears everything once. A PE that broadcasts itself does so on all of these.
//!
//! Two things differ from the dissertation. Its tree spans all switches; this one spans all PEs and leaves out switches that
//! add none, so that as few copies as possible are sent. And its PEs hear a packet as often as they have NIs in the tree;
//! here a PE has one switch to listen on, and passes over what it hears elsewhere.
//!
//! The tree grows from the switch with the most PEs, each time by the reachable switch with the most PEs that are not in it
//! yet, ties to the one that is the fewest switches away from the first one, then to the lowest. Its gateway is the PE that
//! is the fewest switches away from the first one, then the one that sends on the least so far, then the lowest. Then
//! switches that turned out to be needless are taken out again. Every PE finds the same tree by itself, from the wiring
//! alone.

mod grow;

use crate::design::{Design, Faults, NiTable, Working};
use std::collections::VecDeque;

/// The spanning trees of a wiring, one for each part of it that is connected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BroadcastTree {
    working: Working,
    /// On each switch the PEs that listen there, gateways included.
    tree: Design,
    joined: NiTable,
}

/// One PE sends to all on a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sending {
    /// Who sends.
    pub pe: u32,
    /// The switch that it heard it on; `None` where the broadcast begins.
    pub from: Option<u32>,
    /// The switch that it sends on.
    pub to: u32,
    /// How many switches a copy has crossed when it is heard, 1 or more.
    pub hop: u32,
}

/// One PE hears a broadcast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heard {
    /// Who hears it.
    pub pe: u32,
    /// The switch that it listens on.
    pub on: u32,
    /// How many switches the copy has crossed, 1 or more.
    pub hop: u32,
}

/// How a broadcast spreads from one PE.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    /// Who sends, by ascending hop; those of the PE that it begins at come first.
    pub sends: Vec<Sending>,
    /// Who hears it, by ascending hop; nobody twice.
    pub heard: Vec<Heard>,
}

/// Grows the trees over what works. The time is that of the cables times NIs of a PE.
pub fn broadcast(design: &Design, faults: &Faults) -> BroadcastTree {
    let working = Working::new(design, faults);
    let tree = grow::tree(&working);
    BroadcastTree::of(working, tree)
}

impl BroadcastTree {
    fn of(working: Working, tree: Design) -> BroadcastTree {
        let joined = tree.nis();
        BroadcastTree { working, tree, joined }
    }

    /// What the trees lead over.
    pub fn working(&self) -> &Working {
        &self.working
    }

    /// The switches that a PE listens on, ascending: one, or none if no other PE can be reached, or several for a gateway,
    /// which sends what it hears on one of them over the others.
    ///
    /// # Panics
    /// If there is no such PE.
    pub fn switches_of(&self, pe: u32) -> &[u32] {
        self.joined.of(pe)
    }

    /// The PEs that listen on a switch, gateways included, ascending.
    ///
    /// # Panics
    /// If there is no such switch.
    pub fn listeners(&self, switch: u32) -> &[u32] {
        self.tree.members(switch)
    }

    /// Every gateway, ascending, with its number of switches.
    pub fn gateways(&self) -> impl Iterator<Item = (u32, usize)> + '_ {
        (0..self.tree.pes()).map(|pe| (pe, self.joined.of(pe).len())).filter(|&(_, switches)| switches > 1)
    }

    /// The trees for a multicast group: what is left when everything is cut off that leads to none of these PEs. PEs outside
    /// the machine are passed over.
    #[must_use]
    pub fn pruned(&self, group: &[u32]) -> BroadcastTree {
        let mut kept = vec![false; self.tree.pes() as usize];
        group.iter().filter(|&&pe| pe < self.tree.pes()).for_each(|&pe| kept[pe as usize] = true);
        let mut pe_ends: Vec<usize> = (0..self.tree.pes()).map(|pe| self.joined.of(pe).len()).collect();
        let mut switch_ends: Vec<usize> = self.tree.switches().map(<[u32]>::len).collect();
        let mut cut = vec![false; switch_ends.len()];
        // A leaf that is no member goes, and with it what becomes a leaf.
        let mut leaves: VecDeque<u32> = (0..self.tree.pes()).collect();
        while let Some(pe) = leaves.pop_front() {
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

    /// How a broadcast of one PE spreads. Nothing spreads from a PE outside the machine.
    pub fn from(&self, root: u32) -> Spread {
        let mut spread = Spread::default();
        if root >= self.tree.pes() {
            return spread;
        }
        let begin = |&to| Sending { pe: root, from: None, to, hop: 1 };
        spread.sends.extend(self.joined.of(root).iter().map(begin));
        let mut at = 0;
        while let Some(&send) = spread.sends.get(at) {
            for &pe in self.tree.members(send.to).iter().filter(|&&pe| pe != send.pe) {
                spread.heard.push(Heard { pe, on: send.to, hop: send.hop });
                let others = self.joined.of(pe).iter().filter(|&&to| to != send.to);
                let on = |&to| Sending { pe, from: Some(send.to), to, hop: send.hop + 1 };
                spread.sends.extend(others.map(on));
            }
            at += 1;
        }
        spread
    }
}
