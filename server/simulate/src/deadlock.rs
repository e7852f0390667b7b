//! Detection of deadlocks: frames that wait for each other forever.
//!
//! A buffer is stuck if it is full and every frame that could leave it requests room in stuck buffers. The search starts
//! with all full buffers and all shared memories in which every frame waits, and removes those with a way out until nothing changes. Waiting for a busy channel does not count:
//! every transmission ends.

use crate::core::Core;
use network::fabric::Fabric;
use std::ops::Range;
use work::simulation::Deadlock;

/// Finds a cycle of buffers that wait for each other.
pub(crate) fn find(core: &Core, fabric: &Fabric) -> Option<Deadlock> {
    if !core.blocks() {
        return None;
    }
    let buffers = core.buffers();
    let mut requests = vec![0; buffers as usize];
    let mut waits: Vec<(u32, Option<Range<u32>>)> = Vec::new();
    core.requests(|input, wants| {
        if input < buffers {
            let place = core.place(input);
            requests[place as usize] += 1;
            waits.push((place, wants));
        }
    });
    let blocked = |buffer: u32| core.full(buffer).is_some_and(|least| requests[buffer as usize] >= least);
    let mut stuck: Vec<bool> = (0..buffers).map(blocked).collect();
    loop {
        let mut changed = false;
        for (input, wants) in &waits {
            let out = wants.clone().is_none_or(|mut wants| {
                wants.any(|buffer| !stuck[core.place(buffer) as usize] || core.has_room(buffer, u32::MAX))
            });
            if stuck[*input as usize] && out {
                stuck[*input as usize] = false;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let mut next = vec![None; buffers as usize];
    // A buffer that a frame waits for, for each memory.
    let mut wanted: Vec<u32> = (0..buffers).collect();
    for (input, wants) in waits.iter().filter(|(input, _)| stuck[*input as usize]) {
        let Some(buffer) = wants.as_ref().map(|wants| wants.start) else { continue };
        let place = core.place(buffer);
        wanted[place as usize] = buffer;
        next[*input as usize] = next[*input as usize].or(Some(place));
    }
    let start = stuck.iter().position(|&stuck| stuck)? as u32;
    let ring: Vec<u32> = ring(start, &next).into_iter().map(|place| wanted[place as usize]).collect();
    let channels: Vec<u32> = ring.iter().map(|&buffer| core.link(buffer)).collect();
    let name = |&buffer: &u32| {
        let name = fabric.channel_name(core.link(buffer));
        match core.virtual_channel(buffer) {
            Some(number) => format!("{name} (virtual channel {number})"),
            None => name,
        }
    };
    let names = ring.iter().map(name).collect();
    Some(Deadlock { cycle: core.now, channels, names })
}

/// Follows `next` from `start` and returns the cycle it ends in.
fn ring(start: u32, next: &[Option<u32>]) -> Vec<u32> {
    let mut seen = vec![None; next.len()];
    let mut walk = Vec::new();
    let mut at = start;
    while seen[at as usize].is_none() {
        seen[at as usize] = Some(walk.len());
        walk.push(at);
        match next[at as usize] {
            Some(on) => at = on,
            None => return walk,
        }
    }
    walk.split_off(seen[at as usize].unwrap_or(0))
}
