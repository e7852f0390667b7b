//! 4. The wiring and nothing else: for every switch the sorted list of its PEs.

mod check;
mod faults;
mod guids;
mod loose;
mod names;
pub mod table;

pub use check::{Breach, IncrementalCheck, Moves, Verdict, broken, check};
pub use faults::{Faults, Path, UnknownPart, UnknownParts, WorkingDesign};
pub use guids::{GivenGuids, Guid, Guids};
pub use loose::{far_ni, is_direct_cable, plugged};
pub use names::{HardwarePart, Names, Node, RackPlace};

/// The PEs of each switch, ascending, distinct and below [`Design::pes`]; [`check()`] compares it with a spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Design {
    pes: u32,
    starts: Vec<u32>,
    members: Vec<u32>,
}

/// The switches of every PE, ascending: NI k of a PE is on the k-th of them (Dietz and Mattox 2000, section 2.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NiTable {
    starts: Vec<u32>,
    switches: Vec<u32>,
}

impl NiTable {
    /// The switches of a PE, by NI.
    pub fn of(&self, pe: u32) -> &[u32] {
        &self.switches[self.starts[pe as usize] as usize..self.starts[pe as usize + 1] as usize]
    }

    /// The number of a PE's first cable, where cables are numbered PE by PE and NI by NI.
    pub fn first_cable(&self, pe: u32) -> usize {
        self.starts[pe as usize] as usize
    }

    /// Number of cables.
    pub fn cables(&self) -> usize {
        self.switches.len()
    }

    /// The switches that two PEs share, ascending.
    pub fn shared(&self, a: u32, b: u32) -> impl Iterator<Item = u32> + '_ {
        let other = self.of(b);
        self.of(a).iter().copied().filter(move |s| other.binary_search(s).is_ok())
    }
}

impl Design {
    /// A wiring from each switch's PEs, in any order; a PE named twice on one switch counts once.
    ///
    /// # Panics
    /// If a PE is not below `pes`.
    pub fn from_switches(pes: u32, switches: impl IntoIterator<Item = Vec<u32>>) -> Design {
        let mut design = Design { pes, starts: vec![0], members: Vec::new() };
        for mut members in switches {
            members.sort_unstable();
            members.dedup();
            assert!(members.last().is_none_or(|&pe| pe < pes), "a node outside 0..{pes}");
            design.members.extend(members);
            design.starts.push(design.members.len() as u32);
        }
        design
    }

    /// Number of PEs.
    pub fn pes(&self) -> u32 {
        self.pes
    }

    /// Number of switches, empty ones included.
    pub fn switch_count(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    /// Number of switches up to the last that is not empty.
    pub fn used_switches(&self) -> u32 {
        (0..self.switch_count()).rev().find(|&s| !self.members(s).is_empty()).map_or(0, |s| s + 1)
    }

    /// The PEs of a switch, ascending.
    pub fn members(&self, switch: u32) -> &[u32] {
        &self.members[self.starts[switch as usize] as usize..self.starts[switch as usize + 1] as usize]
    }

    /// All switches in order.
    pub fn switches(&self) -> impl ExactSizeIterator<Item = &[u32]> + '_ {
        (0..self.switch_count()).map(|s| self.members(s))
    }

    /// Number of cables, one for each used NI.
    pub fn cables(&self) -> usize {
        self.members.len()
    }

    /// Pairs of a switch's PEs, over all switches: a pair on two switches counts twice.
    pub fn switch_pairs(&self) -> u64 {
        let pairs = |members: &[u32]| members.len() as u64 * (members.len() as u64).saturating_sub(1) / 2;
        self.switches().map(pairs).sum()
    }

    /// The switches of every PE.
    pub fn nis(&self) -> NiTable {
        let mut starts = vec![0u32; self.pes as usize + 1];
        for &pe in &self.members {
            starts[pe as usize + 1] += 1;
        }
        for i in 0..self.pes as usize {
            starts[i + 1] += starts[i];
        }
        let (mut next, mut switches) = (starts.clone(), vec![0; self.members.len()]);
        for (s, members) in self.switches().enumerate() {
            for &pe in members {
                switches[next[pe as usize] as usize] = s as u32;
                next[pe as usize] += 1;
            }
        }
        NiTable { starts, switches }
    }
}
