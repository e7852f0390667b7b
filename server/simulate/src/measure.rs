//! Counters: latencies, flits in a window, channel loads.

use crate::network::Network;
use network::fabric::Fabric;
use work::simulation::{BusyChannel, Latency};

/// Latencies below this have a bucket each.
const EXACT: u64 = 1 << 12;
/// Buckets per doubling above.
const STEPS: u64 = EXACT / 2;

/// Histogram of frame latencies. Buckets above 4,096 cycles are up to 1/2,048 wide.
#[derive(Clone, Debug, Default)]
pub(crate) struct Histogram {
    counts: Vec<u64>,
    frames: u64,
    sum: u128,
    max: u64,
}

impl Histogram {
    #[inline]
    pub fn add(&mut self, latency: u64) {
        let bucket = bucket(latency);
        if bucket >= self.counts.len() {
            self.counts.resize(bucket + 1, 0);
        }
        self.counts[bucket] += 1;
        self.frames += 1;
        self.sum += u128::from(latency);
        self.max = self.max.max(latency);
    }

    pub fn latency(&self) -> Latency {
        let mean = if self.frames == 0 { 0.0 } else { self.sum as f64 / self.frames as f64 };
        let at = |share| self.quantile(share);
        Latency { frames: self.frames, mean, median: at(0.5), p90: at(0.9), p99: at(0.99), most: self.max }
    }

    /// Smallest latency that this share of the frames did not exceed, rounded down to its bucket.
    fn quantile(&self, share: f64) -> u64 {
        let wanted = (share * self.frames as f64).ceil() as u64;
        let mut seen = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= wanted.max(1) {
                return low_end(bucket as u64);
            }
        }
        0
    }
}

fn bucket(latency: u64) -> usize {
    if latency < EXACT {
        return latency as usize;
    }
    let doublings = u64::from(latency.ilog2()) - u64::from(EXACT.ilog2()) + 1;
    (EXACT + (doublings - 1) * STEPS + (latency >> doublings) - STEPS) as usize
}

fn low_end(bucket: u64) -> u64 {
    if bucket < EXACT {
        return bucket;
    }
    let (doublings, step) = ((bucket - EXACT) / STEPS + 1, (bucket - EXACT) % STEPS);
    (STEPS + step) << doublings
}

/// Range of cycles that figures count, without `end`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub from: u64,
    pub end: u64,
}

impl Window {
    pub fn contains(self, time: u64) -> bool {
        (self.from..self.end).contains(&time)
    }

    /// Number of flits within the window: flit k of `flits` arrives `after(k)` cycles after `first`.
    #[inline]
    pub fn flits(self, first: u64, flits: u32, after: impl Fn(u32) -> u64) -> u64 {
        if first >= self.from && first + after(flits - 1) < self.end {
            return flits.into();
        }
        (0..flits).filter(|&flit| self.contains(first + after(flit))).count() as u64
    }
}

/// Number of busiest channels reported.
const BUSIEST: usize = 3;

/// Share of `cycles` in which each channel was sending, from the flits it sent. A frame counts whole once it is sent, so a run
/// that ends early may count some that it did not see leave.
pub(crate) fn loads(network: &Network, sent: &[u64], cycles: f64) -> Vec<f32> {
    let speed = |channel: usize| network.rates[usize::from(network.rate[channel])].speed();
    let load = |(channel, &flits): (usize, &u64)| {
        (flits as f64 / (cycles.max(1.0) * speed(channel))).min(1.0) as f32
    };
    sent.iter().enumerate().map(load).collect()
}

/// The busiest channels, busiest first, ties by number. Channels that never sent are left out.
pub(crate) fn busiest(fabric: &Fabric, load: &[f32]) -> Vec<BusyChannel> {
    let mut top: Vec<(u32, f32)> = Vec::with_capacity(BUSIEST + 1);
    for (channel, &load) in (0..).zip(load).filter(|(_, load)| **load > 0.0) {
        let at = top.partition_point(|&(_, other)| other >= load);
        top.insert(at, (channel, load));
        top.truncate(BUSIEST);
    }
    let named = |(channel, load)| BusyChannel { channel, name: fabric.channel_name(channel), load };
    top.into_iter().map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_in_order_and_as_fine_as_documented() {
        let mut last = 0;
        for latency in (0..20_000).chain((20_000..5_000_000).step_by(997)) {
            let bucket = bucket(latency);
            assert!(bucket >= last && bucket - last <= 1000, "{latency}");
            last = bucket;
            let low = low_end(bucket as u64);
            assert!(low <= latency && (latency - low) * 2048 <= latency, "{latency} from {low}");
            assert!(latency >= EXACT || low == latency);
        }
    }

    #[test]
    fn quantiles_of_a_hundred() {
        let mut histogram = Histogram::default();
        (1..=100).rev().for_each(|latency| histogram.add(latency));
        let expected = Latency { frames: 100, mean: 50.5, median: 50, p90: 90, p99: 99, most: 100 };
        assert_eq!(histogram.latency(), expected);
        assert_eq!(Histogram::default().latency(), Latency::default());
    }
}
