//! Detection of deadlocks: frames that wait for each other forever.
//!
//! A buffer is stuck if it is full and every frame that could leave it requests room in a stuck buffer. The search starts
//! with all full buffers and removes those with a way out until nothing changes. Waiting for a busy channel does not count:
//! every transmission ends.

use crate::core::Core;
use shared::{fabric::Fabric, simulation::Deadlock};

/// Finds a cycle of buffers that wait for each other.
pub(crate) fn find(core: &Core, fabric: &Fabric) -> Option<Deadlock> {
    if !core.blocks() {
        return None;
    }
    let channels = core.network.channels();
    let mut requests = vec![0; channels as usize];
    let mut waits: Vec<(u32, Option<u32>)> = Vec::new();
    core.requests(|input, wants| {
        if input < channels {
            requests[input as usize] += 1;
            waits.push((input, wants));
        }
    });
    let blocked = |channel: u32| core.full(channel).is_some_and(|least| requests[channel as usize] >= least);
    let mut stuck: Vec<bool> = (0..channels).map(blocked).collect();
    loop {
        let out = |stuck: &[bool], wants: Option<u32>| wants.is_none_or(|buffer| !stuck[buffer as usize]);
        let mut changed = false;
        for &(input, wants) in &waits {
            if stuck[input as usize] && out(&stuck, wants) {
                stuck[input as usize] = false;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let mut next = vec![None; channels as usize];
    for &(input, wants) in waits.iter().filter(|(input, _)| stuck[*input as usize]) {
        next[input as usize] = next[input as usize].or(wants);
    }
    let start = stuck.iter().position(|&stuck| stuck)? as u32;
    let channels = ring(start, &next);
    let names = channels.iter().map(|&channel| fabric.channel_name(channel)).collect();
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
