//! Shared switches of one PE with all others, one PE at a time.
//!
//! A table of all pairs is too large at 65,536 PEs. Instead, one counter per PE is filled from the members of a PE's
//! switches, read, and cleared by the list of touched counters.

use crate::design::{Design, NiTable};

/// Counts, for one PE after the other, the switches it shares with the PEs of a range.
pub struct Meetings {
    counts: Vec<u16>,
    touched: Vec<u32>,
}

impl Meetings {
    /// Counters for a machine of `pes` PEs.
    pub fn new(pes: u32) -> Meetings {
        Meetings { counts: vec![0; pes as usize], touched: Vec::new() }
    }

    /// Forgets the PE before and counts for `pe` the PEs from `low` up to, but not including, `high`; at most 65,535 each.
    pub fn count(&mut self, design: &Design, nis: &NiTable, pe: u32, low: u32, high: u32) {
        for &other in &self.touched {
            self.counts[other as usize] = 0;
        }
        self.touched.clear();
        for &switch in nis.of(pe) {
            let members = design.members(switch);
            let from = if low == 0 { 0 } else { members.partition_point(|&m| m < low) };
            for &other in members[from..].iter().take_while(|&&m| m < high) {
                let count = &mut self.counts[other as usize];
                if *count == 0 && other != pe {
                    self.touched.push(other);
                }
                *count = count.saturating_add(u16::from(other != pe));
            }
        }
    }

    /// The PEs met, each once, in no particular order.
    pub fn met_unsorted(&self) -> &[u32] {
        &self.touched
    }

    /// Puts the PEs met in ascending order, for callers whose result depends on it.
    pub fn sort(&mut self) -> &[u32] {
        self.touched.sort_unstable();
        &self.touched
    }

    /// Switches shared with `other`; 0 for PEs not met or outside the range.
    pub fn with(&self, other: u32) -> u32 {
        u32::from(self.counts[other as usize])
    }
}
