//! Sets of PEs in one list, so that memory is linear in their members.

use shared::{demand::Demand, design::Design};

/// Sets of distinct PEs; those of one PE or none are never kept, for they serve nothing.
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    ends: Vec<usize>,
    members: Vec<u32>,
}

impl Blocks {
    /// Adds a set.
    pub fn push(&mut self, members: impl IntoIterator<Item = u32>) {
        let start = self.members.len();
        self.members.extend(members);
        if self.members.len() < start + 2 {
            self.members.truncate(start);
        } else {
            self.ends.push(self.members.len());
        }
    }

    /// Number of sets.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Members of all sets together.
    pub fn total(&self) -> usize {
        self.members.len()
    }

    /// The members of a set.
    pub fn of(&self, block: usize) -> &[u32] {
        let start = if block == 0 { 0 } else { self.ends[block - 1] };
        &self.members[start..self.ends[block]]
    }

    /// The sets by falling size; equal ones in their order.
    pub fn by_size(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_by_key(|&b| std::cmp::Reverse(self.of(b as usize).len()));
        order
    }

    /// The same sets with what serves nothing left out: each pair is left to the largest set that holds it, and a set falls
    /// apart into the parts that its pairs connect.
    pub fn pruned(&self, demand: &Demand) -> Blocks {
        let order = self.by_size();
        // As a wiring, so that the sets of a PE are at hand, the largest first. Its members ascend.
        let sorted = Design::from_switches(demand.pes(), order.iter().map(|&b| self.of(b as usize).to_vec()));
        let starts: Vec<usize> = (0..sorted.switch_count())
            .scan(0, |next, s| {
                let start = *next;
                *next += sorted.members(s).len();
                Some(start)
            })
            .collect();
        let mut parent: Vec<u32> = (0..sorted.cables() as u32).collect();
        let nis = sorted.nis();
        for (a, b) in demand.pairs() {
            let Some(block) = nis.shared(a, b).next() else { continue };
            let seat = |pe: &u32| {
                sorted.members(block).binary_search(pe).map_or(0, |at| (starts[block as usize] + at) as u32)
            };
            let (one, other) = (root(&mut parent, seat(&a)), root(&mut parent, seat(&b)));
            parent[one.max(other) as usize] = one.min(other);
        }
        gathered(&sorted, &starts, &mut parent)
    }
}

/// The parts of every set as sets.
fn gathered(sorted: &Design, starts: &[usize], parent: &mut [u32]) -> Blocks {
    let mut blocks = Blocks::default();
    let mut parts: Vec<(u32, u32)> = Vec::new();
    for (members, &start) in sorted.switches().zip(starts) {
        parts.clear();
        parts.extend(members.iter().enumerate().map(|(at, &pe)| (root(parent, (start + at) as u32), pe)));
        parts.sort_unstable();
        for part in parts.chunk_by(|a, b| a.0 == b.0) {
            blocks.push(part.iter().map(|&(_, pe)| pe));
        }
    }
    blocks
}

/// The representative of an element's set, with the path to it halved.
pub fn root(parent: &mut [u32], mut at: u32) -> u32 {
    while parent[at as usize] != at {
        let above = parent[parent[at as usize] as usize];
        parent[at as usize] = above;
        at = above;
    }
    at
}
