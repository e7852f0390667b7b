//! The fluid model of simultaneous transfers: bytes flow at rates that links share.
//!
//! The members of a group wait for each other, so all transfers of a group move at the rate of its slowest one. Groups share
//! links max-min fair: no group gets more bytes per second where that would take from one that has less (Bertsekas, Gallager:
//! "Data Networks", 1992, section 6.5.2).

use spec::cancel::checked;
use std::{cmp::Reverse, collections::BinaryHeap};

/// Groups that end within this share of each other end together, the early ones late.
const TOGETHER: f64 = 0.02;
/// Relative difference of rates that counts as none.
const EQUAL: f64 = 1e-9;

/// Bytes of every group on the channels of a network.
#[derive(Clone, Debug, Default)]
pub struct Loads {
    /// Entries of group g: `entries[starts[g]..starts[g + 1]]`.
    starts: Vec<usize>,
    /// A channel and the group's bytes on it; a channel may come repeatedly.
    entries: Vec<(u32, f32)>,
    /// Bytes of the largest transfer of each group: groups share by the rate of that one.
    largest: Vec<f64>,
}

impl Loads {
    /// No groups.
    pub fn new() -> Loads {
        Loads { starts: vec![0], ..Loads::default() }
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// `true` without entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds bytes of the next group on a channel.
    pub fn add(&mut self, channel: u32, bytes: f64) {
        self.entries.push((channel, bytes as f32));
    }

    /// Ends a group whose largest transfer has that many bytes.
    pub fn end(&mut self, largest: f64) {
        self.starts.push(self.entries.len());
        self.largest.push(largest);
    }

    /// Multiplies the bytes on each channel.
    pub fn scale(&mut self, factor: impl Fn(u32) -> f64) {
        for (channel, bytes) in &mut self.entries {
            *bytes = (f64::from(*bytes) * factor(*channel)) as f32;
        }
    }

    fn of(&self, group: usize) -> &[(u32, f32)] {
        &self.entries[self.starts[group]..self.starts[group + 1]]
    }

    /// Seconds until all groups have ended, if they begin together and channel c carries `capacity[c]` bytes per second.
    pub fn seconds(&self, capacity: &[f64]) -> f64 {
        let mut left: Vec<f64> =
            (0..self.largest.len()).map(|group| if self.of(group).is_empty() { 0.0 } else { 1.0 }).collect();
        let mut now = 0.0;
        loop {
            let active: Vec<usize> = (0..left.len()).filter(|&group| left[group] > 0.0).collect();
            if active.is_empty() {
                return now;
            }
            let rates = self.rates(&active, capacity);
            let ends = |(&group, rate): (&usize, &f64)| left[group] * self.largest[group] / rate;
            let ends: Vec<f64> = active.iter().zip(&rates).map(ends).collect();
            let first = ends.iter().copied().fold(f64::INFINITY, f64::min);
            let together = |end: f64| end <= first * (1.0 + TOGETHER);
            let step = ends.iter().copied().filter(|&end| together(end)).fold(0.0, f64::max);
            for ((&group, end), rate) in active.iter().zip(&ends).zip(rates) {
                left[group] =
                    if together(*end) { 0.0 } else { left[group] - step * rate / self.largest[group] };
            }
            now += step;
        }
    }

    /// Max-min fair rates of the largest transfers of some groups, in bytes per second: all rates grow together until a channel
    /// is full, then those of other groups.
    fn rates(&self, active: &[usize], capacity: &[f64]) -> Vec<f64> {
        let mut channels = Channels::new(self, active, capacity);
        let mut rates = vec![f64::INFINITY; active.len()];
        let mut level = 0.0_f64;
        while let Some((channel, full)) = channels.next_full() {
            level = level.max(full);
            for at in channels.groups_on(channel) {
                if rates[at as usize].is_finite() {
                    continue;
                }
                rates[at as usize] = level;
                let group = active[at as usize];
                for &(channel, bytes) in self.of(group) {
                    channels.freeze(channel, f64::from(bytes) / self.largest[group], level);
                }
            }
        }
        rates
    }
}

/// Channels while rates grow.
struct Channels {
    /// Capacity that groups with a final rate leave.
    left: Vec<f64>,
    /// Bytes on the channel per byte of the largest transfer, summed over all groups that still grow.
    growth: Vec<f64>,
    /// Rates at which channels are full, as bits, which order as the rates do: none is negative or NaN. Those of channels that
    /// lost a group since are too low.
    full: BinaryHeap<(Reverse<u64>, u32)>,
    /// Groups on channel c, by position: `groups[starts[c]..starts[c + 1]]`.
    starts: Vec<u32>,
    groups: Vec<u32>,
}

impl Channels {
    fn new(loads: &Loads, active: &[usize], capacity: &[f64]) -> Channels {
        let mut growth = vec![0.0; capacity.len()];
        let mut starts = vec![0; capacity.len() + 1];
        for &group in checked(active) {
            for &(channel, bytes) in loads.of(group) {
                growth[channel as usize] += f64::from(bytes) / loads.largest[group];
                starts[channel as usize + 1] += 1;
            }
        }
        for channel in 1..starts.len() {
            starts[channel] += starts[channel - 1];
        }
        let mut next = starts.clone();
        let mut groups = vec![0; starts[capacity.len()] as usize];
        for (at, &group) in (0..).zip(active) {
            for &(channel, _) in loads.of(group) {
                let place = &mut next[channel as usize];
                groups[*place as usize] = at;
                *place += 1;
            }
        }
        let used = (0..capacity.len() as u32).filter(|&channel| growth[channel as usize] > 0.0);
        let level = |channel: u32| (capacity[channel as usize] / growth[channel as usize]).to_bits();
        let full = used.map(|channel| (Reverse(level(channel)), channel)).collect();
        Channels { left: capacity.to_vec(), growth, full, starts, groups }
    }

    /// The channel that is full next, and the rate at which it is.
    fn next_full(&mut self) -> Option<(u32, f64)> {
        while let Some((Reverse(level), channel)) = self.full.pop() {
            let growth = self.growth[channel as usize];
            if growth <= EQUAL {
                continue;
            }
            let now = self.left[channel as usize] / growth;
            if now <= f64::from_bits(level) * (1.0 + EQUAL) {
                return Some((channel, now));
            }
            self.full.push((Reverse(now.to_bits()), channel));
        }
        None
    }

    fn groups_on(&self, channel: u32) -> Vec<u32> {
        let range = self.starts[channel as usize] as usize..self.starts[channel as usize + 1] as usize;
        self.groups[range].to_vec()
    }

    /// A group's rate is final.
    fn freeze(&mut self, channel: u32, growth: f64, level: f64) {
        self.left[channel as usize] = (self.left[channel as usize] - growth * level).max(0.0);
        self.growth[channel as usize] -= growth;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Groups of one transfer each, with its bytes and channels.
    fn loads(groups: &[(f64, &[u32])]) -> Loads {
        let mut loads = Loads::new();
        for (bytes, channels) in groups {
            channels.iter().for_each(|&channel| loads.add(channel, *bytes));
            loads.end(*bytes);
        }
        loads
    }

    #[test]
    fn rates_are_max_min_fair() {
        // The example of Bertsekas and Gallager, figure 6.10, scaled: three share a link, one of them and another the next.
        let loads = loads(&[(1.0, &[0]), (1.0, &[0]), (1.0, &[0, 1]), (1.0, &[1])]);
        let rates = loads.rates(&[0, 1, 2, 3], &[1.0, 1.0]);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-6;
        assert!(near(rates[0], 1.0 / 3.0) && near(rates[2], 1.0 / 3.0), "{rates:?}");
        assert!(near(rates[3], 2.0 / 3.0), "{rates:?}");
    }

    #[test]
    fn who_ends_leaves_its_share_to_others() {
        // Both at 1/2 until the short one ends at 2; the long one has 2 bytes left.
        let seconds = loads(&[(1.0, &[0]), (3.0, &[0])]).seconds(&[1.0]);
        assert!((seconds - 4.0).abs() < 1e-6, "{seconds}");
        assert_eq!(loads(&[(1.0, &[])]).seconds(&[1.0]), 0.0);
    }

    #[test]
    fn a_group_moves_at_its_slowest_transfer() {
        // Two transfers of one group; the second shares its link with another group.
        let mut both = Loads::new();
        both.add(0, 1.0);
        both.add(1, 1.0);
        both.end(1.0);
        both.add(1, 1.0);
        both.end(1.0);
        assert!((both.seconds(&[1.0, 1.0]) - 2.0).abs() < 1e-6);
        let mut sums = [0.0; 3];
        both.entries.iter().for_each(|&(channel, bytes)| sums[channel as usize] += bytes);
        assert_eq!(sums, [1.0, 2.0, 0.0]);
    }
}
