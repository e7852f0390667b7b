//! Frames that wait for each other for ever.
//!
//! A buffer is stuck if it is full, all frames that could leave it ask for room in buffers that are stuck, and none is on its
//! way out. The largest set of such buffers is found by taking away those with a way out until none has. Waiting for a
//! busy channel is no reason: every frame that is being sent ends.

use crate::core::Core;
use shared::{fabric::Fabric, simulation::Deadlock};

/// A cycle of buffers that wait for each other, if there is one.
pub(crate) fn find(core: &Core, fabric: &Fabric) -> Option<Deadlock> {
    if !core.holds() {
        return None;
    }
    let channels = core.network.channels();
    let mut asking = vec![0; channels as usize];
    let mut waits: Vec<(u32, Option<u32>)> = Vec::new();
    core.asking(|input, wants| {
        if input < channels {
            asking[input as usize] += 1;
            waits.push((input, wants));
        }
    });
    let all_ask = |channel: u32| core.full(channel).is_some_and(|least| asking[channel as usize] >= least);
    let mut stuck: Vec<bool> = (0..channels).map(all_ask).collect();
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

/// The ring that one gets into by going on from `start`.
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
