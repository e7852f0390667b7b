//! Counting: latencies, flits, loads.

use crate::core::Core;
use shared::{
    fabric::Fabric,
    simulation::{BusyChannel, Latency},
};

/// Latencies below this are counted one by one.
const EXACT: u64 = 1 << 12;
/// Steps of each doubling above.
const STEPS: u64 = EXACT / 2;

/// How many frames took how long. Above 4,096 cycles a place holds latencies that differ by at most a 2,048th.
#[derive(Clone, Debug, Default)]
pub(crate) struct Histogram {
    counts: Vec<u64>,
    frames: u64,
    sum: u128,
    most: u64,
}

impl Histogram {
    #[inline]
    pub fn add(&mut self, latency: u64) {
        let place = place(latency);
        if place >= self.counts.len() {
            self.counts.resize(place + 1, 0);
        }
        self.counts[place] += 1;
        self.frames += 1;
        self.sum += u128::from(latency);
        self.most = self.most.max(latency);
    }

    pub fn told(&self) -> Latency {
        let mean = if self.frames == 0 { 0.0 } else { self.sum as f64 / self.frames as f64 };
        let at = |share| self.quantile(share);
        Latency { frames: self.frames, mean, median: at(0.5), p90: at(0.9), p99: at(0.99), most: self.most }
    }

    /// The least latency that this share of the frames did not exceed; the low end of its place.
    fn quantile(&self, share: f64) -> u64 {
        let wanted = (share * self.frames as f64).ceil() as u64;
        let mut seen = 0;
        for (place, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= wanted.max(1) {
                return low_end(place as u64);
            }
        }
        0
    }
}

fn place(latency: u64) -> usize {
    if latency < EXACT {
        return latency as usize;
    }
    let doublings = u64::from(latency.ilog2()) - u64::from(EXACT.ilog2()) + 1;
    (EXACT + (doublings - 1) * STEPS + (latency >> doublings) - STEPS) as usize
}

fn low_end(place: u64) -> u64 {
    if place < EXACT {
        return place;
    }
    let (doublings, step) = ((place - EXACT) / STEPS + 1, (place - EXACT) % STEPS);
    (STEPS + step) << doublings
}

/// The cycles that count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub from: u64,
    pub end: u64,
}

impl Window {
    pub fn holds(self, time: u64) -> bool {
        (self.from..self.end).contains(&time)
    }

    /// How many of `flits` flits, of which flit k comes `after(k)` cycles after `first`, come within.
    #[inline]
    pub fn flits(self, first: u64, flits: u32, after: impl Fn(u32) -> u64) -> u64 {
        if first >= self.from && first + after(flits - 1) < self.end {
            return flits.into();
        }
        (0..flits).filter(|&flit| self.holds(first + after(flit))).count() as u64
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_in_order_and_as_fine_as_told() {
        let mut last = 0;
        for latency in (0..20_000).chain((20_000..5_000_000).step_by(997)) {
            let place = place(latency);
            assert!(place >= last && place - last <= 1000, "{latency}");
            last = place;
            let low = low_end(place as u64);
            assert!(low <= latency && (latency - low) * 2048 <= latency, "{latency} from {low}");
            assert!(latency >= EXACT || low == latency);
        }
    }

    #[test]
    fn quantiles_of_a_hundred() {
        let mut histogram = Histogram::default();
        (1..=100).rev().for_each(|latency| histogram.add(latency));
        let told = Latency { frames: 100, mean: 50.5, median: 50, p90: 90, p99: 99, most: 100 };
        assert_eq!(histogram.told(), told);
        assert_eq!(Histogram::default().told(), Latency::default());
    }
}
