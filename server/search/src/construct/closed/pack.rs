//! Sets of PEs onto switches: each whole set on one switch, several sets on one where they fit.
//!
//! Largest set first, each on the switch with the fewest free ports that will do. For the sizes that closed forms have
//! (many equal ones, most of them divisors of each other) that leaves no port free where none may be.

use super::blocks::Blocks;
use shared::design::Design;
use std::collections::BTreeMap;

/// The wiring, if all sets find room.
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

/// Whether sets of these sizes, so many of each, find room: what [`pack`] would say, without the sets.
pub fn fits(sizes: &BTreeMap<u32, u64>, ports: &[u32]) -> bool {
    let widest = ports.iter().copied().max().unwrap_or(0) as usize;
    let mut free = vec![0u64; widest + 1];
    ports.iter().for_each(|&count| free[count as usize] += 1);
    for (&size, &count) in sizes.iter().rev() {
        let (size, mut left) = (size as usize, count);
        for at in size..=widest {
            // A switch takes sets of one size until it has no room for another.
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
