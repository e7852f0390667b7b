//! The places of a wiring that stays: place p is the set of switches that PE p was on.
//!
//! How many switches two places share never changes, and is asked for more often than anything else. For up to
//! [`MOST_TABLED`] places it is a table of bits, one for each level that some pair wants; for more, two short ascending
//! lists are run through, and memory stays linear.

use crate::{
    graph::Graph,
    problem::{Problem, useful_names},
};
use shared::spec::{Spec, Start};
use std::ops::Range;

/// Most places whose meetings are tabled: 2 MiB a level.
const MOST_TABLED: usize = 4096;
/// How often, in places, a long computation asks whether to go on.
const ASK_EVERY: usize = 64;

/// A cable of the wiring that was there leads to a switch that the search leaves out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the wiring that is there uses switch {switch}, which the search leaves out: it looks at no more switches than there are NIs, \
     the widest first, and at none numbered past {farthest}; a wiring on the others is accepted",
    farthest = (1u64 << 20)
)]
pub struct LeftOut {
    /// The switch, by its number in the spec.
    pub switch: u32,
}

/// Places, the switches of each, and who shares what.
#[derive(Debug)]
pub struct Places {
    /// Switches of place p: `switches[starts[p]..starts[p + 1]]`, ascending.
    starts: Vec<usize>,
    switches: Vec<u32>,
    /// Places on switch s: `members[ends[s]..ends[s + 1]]`.
    ends: Vec<usize>,
    members: Vec<u32>,
    /// For each level from 1, a row of bits for each place: the places that it shares so many switches with.
    tables: Vec<Vec<u64>>,
    row: usize,
}

impl Places {
    /// The places of a wiring that is there, its switches numbered as `problem` does. `None` if `go_on` said no.
    ///
    /// # Errors
    /// A cable to a switch that the problem does not know.
    pub fn new(
        spec: &Spec,
        start: &Start,
        problem: &Problem,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Places>, LeftOut> {
        let names = useful_names(spec);
        let mut of_place: Vec<(u32, u32)> = Vec::new();
        let (mut ends, mut members) = (vec![0; problem.switches() as usize + 1], Vec::new());
        for (name, pes) in start.switches.iter().enumerate().filter(|(_, pes)| !pes.is_empty()) {
            let known = names.binary_search(&(name as u32)).ok().filter(|&s| s + 1 < ends.len());
            let switch = known.ok_or(LeftOut { switch: name as u32 })?;
            of_place.extend(pes.iter().map(|&pe| (pe, switch as u32)));
            members.extend_from_slice(pes);
            ends[switch + 1] = pes.len();
        }
        running_sum(&mut ends);
        of_place.sort_unstable();
        let mut starts = vec![0; spec.pes as usize + 1];
        of_place.iter().for_each(|&(pe, _)| starts[pe as usize + 1] += 1);
        running_sum(&mut starts);
        let switches = of_place.into_iter().map(|(_, switch)| switch).collect();
        let mut places = Places { starts, switches, ends, members, tables: Vec::new(), row: 0 };
        let whole = places.len() > MOST_TABLED || places.table(&problem.graph, go_on);
        Ok(whole.then_some(places))
    }

    /// Fills the tables; no if `go_on` said no.
    fn table(&mut self, graph: &Graph, go_on: &mut dyn FnMut() -> bool) -> bool {
        let row = self.len().div_ceil(64);
        let mut tables = vec![vec![0u64; row * self.len()]; graph.levels()];
        for place in 0..self.len() {
            if place % ASK_EVERY == 0 && !go_on() {
                return false;
            }
            for &switch in self.switches_of(place as u32) {
                for &other in self.on(switch) {
                    let (at, bit) = (place * row + other as usize / 64, 1 << (other % 64));
                    if let Some(table) = tables.iter_mut().find(|table| table[at] & bit == 0) {
                        table[at] |= bit;
                    }
                }
            }
        }
        (self.tables, self.row) = (tables, row);
        true
    }

    /// Number of places.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is no place.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The switches of a place, ascending.
    pub fn switches_of(&self, place: u32) -> &[u32] {
        &self.switches[range(&self.starts, place)]
    }

    /// The places on a switch.
    pub fn on(&self, switch: u32) -> &[u32] {
        &self.members[range(&self.ends, switch)]
    }

    /// Of `wanted` links (at most as many as the graph has levels), those that two places lack.
    #[inline]
    pub fn lacking(&self, a: u32, b: u32, wanted: u32) -> u32 {
        if self.row > 0 {
            let (at, bit) = (a as usize * self.row + b as usize / 64, b % 64);
            return self.tables[..wanted as usize]
                .iter()
                .map(|table| u32::from(table[at] >> bit & 1 == 0))
                .sum();
        }
        wanted.saturating_sub(meetings(self.switches_of(a), self.switches_of(b)))
    }
}

/// Numbers that two ascending lists have in common.
#[inline]
fn meetings(a: &[u32], b: &[u32]) -> u32 {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        common += u32::from(a[i] == b[j]);
        let (left, right) = (a[i] <= b[j], b[j] <= a[i]);
        i += usize::from(left);
        j += usize::from(right);
    }
    common
}

fn range(starts: &[usize], at: u32) -> Range<usize> {
    starts[at as usize]..starts[at as usize + 1]
}

fn running_sum(counts: &mut [usize]) {
    (1..counts.len()).for_each(|i| counts[i] += counts[i - 1]);
}
