//! How busy the channels were.

use crate::core::Core;
use shared::{fabric::Fabric, simulation::BusyChannel};

/// Channels that are named as the busiest.
const NAMED: usize = 3;

/// The share of `cycles` that each channel was sending.
pub(crate) fn loads(core: &Core, cycles: f64) -> Vec<f32> {
    let rate = |channel: usize| core.network.rates[usize::from(core.network.rate[channel])].speed();
    let load = |(channel, &flits): (usize, &u64)| (flits as f64 / (cycles.max(1.0) * rate(channel))) as f32;
    core.counts.sent.iter().enumerate().map(load).collect()
}

/// The channels that were sending most, the busiest first; of those alike the first. Channels that never sent are none.
pub(crate) fn busiest(fabric: &Fabric, load: &[f32]) -> Vec<BusyChannel> {
    let mut most: Vec<(u32, f32)> = Vec::with_capacity(NAMED + 1);
    for (channel, &load) in (0..).zip(load).filter(|(_, load)| **load > 0.0) {
        let at = most.partition_point(|&(_, other)| other >= load);
        most.insert(at, (channel, load));
        most.truncate(NAMED);
    }
    let named = |(channel, load)| BusyChannel { channel, name: fabric.channel_name(channel), load };
    most.into_iter().map(named).collect()
}
