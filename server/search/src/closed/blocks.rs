//! Sets of PEs in one list, so that memory is linear in their members.

use spec::{cancel::checked, demand::Demand, design::Design, union_find::UnionFind};
use std::collections::BTreeMap;

/// Sets of distinct PEs. Sets with fewer than two members are dropped.
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    ends: Vec<usize>,
    members: Vec<u32>,
}

impl Blocks {
    pub fn push(&mut self, members: impl IntoIterator<Item = u32>) {
        let start = self.members.len();
        self.members.extend(members);
        if self.members.len() < start + 2 {
            self.members.truncate(start);
        } else {
            self.ends.push(self.members.len());
        }
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn total(&self) -> usize {
        self.members.len()
    }

    pub fn of(&self, block: usize) -> &[u32] {
        let start = if block == 0 { 0 } else { self.ends[block - 1] };
        &self.members[start..self.ends[block]]
    }

    /// The sets by falling size; equal ones in order.
    pub fn by_size(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_by_key(|&b| std::cmp::Reverse(self.of(b as usize).len()));
        order
    }

    /// The sets without unneeded members: each pair belongs to the largest set that holds it, and sets split into
    /// connected parts.
    pub fn pruned(&self, demand: &Demand) -> Blocks {
        let order = self.by_size();
        // A design gives the sets of each PE quickly, the largest first. Its members ascend.
        let sorted = Design::from_switches(demand.pes(), order.iter().map(|&b| self.of(b as usize).to_vec()));
        let starts: Vec<usize> = (0..sorted.switch_count())
            .scan(0, |next, s| {
                let start = *next;
                *next += sorted.members(s).len();
                Some(start)
            })
            .collect();
        let mut parts = UnionFind::new(sorted.cables() as u32);
        let nis = sorted.nis();
        for (a, b) in checked(demand.pairs()) {
            let Some(block) = nis.shared(a, b).next() else { continue };
            let seat = |pe: &u32| {
                sorted.members(block).binary_search(pe).map_or(0, |at| (starts[block as usize] + at) as u32)
            };
            parts.join(seat(&a), seat(&b));
        }
        gathered(&sorted, &starts, &mut parts)
    }
}

fn gathered(sorted: &Design, starts: &[usize], sets: &mut UnionFind) -> Blocks {
    let mut blocks = Blocks::default();
    let mut parts: Vec<(u32, u32)> = Vec::new();
    for (members, &start) in sorted.switches().zip(starts) {
        parts.clear();
        parts.extend(members.iter().enumerate().map(|(at, &pe)| (sets.root((start + at) as u32), pe)));
        parts.sort_unstable();
        for part in parts.chunk_by(|a, b| a.0 == b.0) {
            blocks.push(part.iter().map(|&(_, pe)| pe));
        }
    }
    blocks
}

/// Packs whole sets onto switches, if all fit: the largest first, each on the switch with the fewest free ports that
/// suffice.
pub fn pack(pes: u32, blocks: &Blocks, ports: &[u32]) -> Option<Design> {
    let widest = ports.iter().copied().max()? as usize;
    let room: u64 = ports.iter().map(|&p| u64::from(p)).sum();
    if blocks.total() as u64 > room {
        return None;
    }
    // Switches by free ports, the lowest numbers on top.
    let mut free: Vec<Vec<u32>> = vec![Vec::new(); widest + 1];
    for (switch, &count) in ports.iter().enumerate().rev() {
        free[count as usize].push(switch as u32);
    }
    let mut seats: Vec<(u32, u32)> = Vec::with_capacity(blocks.len());
    for block in blocks.by_size() {
        let size = blocks.of(block as usize).len();
        let at = (size..=widest).find(|&f| !free[f].is_empty())?;
        let switch = free[at].pop()?;
        free[at - size].push(switch);
        seats.push((switch, block));
    }
    seats.sort_unstable();
    Some(by_switch(pes, blocks, &seats))
}

/// Packs whole sets onto switches in planes of `each`, if all fit and none of them meets another on its plane's switches:
/// the largest first, each on the first plane with room, there on the switch with the fewest free ports that suffice.
pub fn pack_by_plane(pes: u32, blocks: &Blocks, ports: &[u32], each: usize) -> Option<Design> {
    let mut free = ports.to_vec();
    let mut is_on = vec![vec![false; pes as usize]; ports.len() / each];
    let mut seats: Vec<(u32, u32)> = Vec::with_capacity(blocks.len());
    for block in blocks.by_size() {
        let members = blocks.of(block as usize);
        let seat = checked(0..is_on.len()).find_map(|plane| {
            let apart = members.iter().all(|&pe| !is_on[plane][pe as usize]);
            let room = |&switch: &usize| free[switch] as usize >= members.len();
            let switches = (plane * each..(plane + 1) * each).filter(|_| apart);
            Some((plane, switches.filter(room).min_by_key(|&switch| free[switch])?))
        });
        let (plane, switch) = seat?;
        members.iter().for_each(|&pe| is_on[plane][pe as usize] = true);
        free[switch] -= members.len() as u32;
        seats.push((switch as u32, block));
    }
    seats.sort_unstable();
    Some(by_switch(pes, blocks, &seats))
}

/// `true` if [`pack`] would succeed for sets of these sizes and counts.
pub fn fits(sizes: &BTreeMap<u32, u64>, ports: &[u32]) -> bool {
    let widest = ports.iter().copied().max().unwrap_or(0) as usize;
    let mut free = vec![0u64; widest + 1];
    ports.iter().for_each(|&count| free[count as usize] += 1);
    for (&size, &count) in sizes.iter().rev() {
        let (size, mut left) = (size as usize, count);
        for at in size..=widest {
            // A switch takes sets of one size until no further one fits.
            let each = (at / size) as u64;
            let filled = free[at].min(left / each);
            free[at] -= filled;
            free[at % size] += filled;
            left -= filled * each;
            if left > 0 && free[at] > 0 {
                free[at] -= 1;
                free[at - left as usize * size] += 1;
                left = 0;
            }
        }
        if left > 0 {
            return false;
        }
    }
    true
}

fn by_switch(pes: u32, blocks: &Blocks, seats: &[(u32, u32)]) -> Design {
    let used = seats.last().map_or(0, |&(switch, _)| switch + 1);
    let mut next = 0;
    let switches = (0..used).map(|switch| {
        let start = next;
        while next < seats.len() && seats[next].0 == switch {
            next += 1;
        }
        seats[start..next].iter().flat_map(|&(_, block)| blocks.of(block as usize)).copied().collect()
    });
    Design::from_switches(pes, switches.collect::<Vec<Vec<u32>>>())
}
