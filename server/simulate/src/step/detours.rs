//! Detours, where links between switches limit a phase.
//!
//! Traffic between hosts on one switch stays there. A share of all other traffic takes shortest paths. The rest goes to another
//! switch first, to all switches of the plane evenly, with hosts or without (Valiant: "A scheme for fast parallel
//! communication", 1982). The share is the same for the whole phase, and the best one: adaptive routing, which decides per packet
//! (UGAL: Kim et al.: "Technology-driven, highly-scalable Dragonfly topology", 2008, section 4), comes close to it.
//!
//! Let m be the bytes of a channel on shortest paths, and v those if all traffic went over a switch drawn from all M of the plane.
//! Where the drawn switch is at an end of the transfer, the path is a shortest one. So detours over *other* switches put
//! (M v - 2 m) / (M - 2) on the channel, and every share is a weight x of the shortest paths in x m + (1 - x) v, from
//! -2 / (M - 2) to 1. The time of the busiest channel is a convex, piecewise linear function of x.

use super::phases::{Network, directions};
use network::fabric::{Neighbourhood, Shares};
use spec::{cancel::checked, demand::collective::Transfer};

/// Relative difference that counts as none.
const EQUAL: f64 = 1e-9;

/// The traffic of a phase on detours.
pub(super) struct Detours {
    /// Bytes per channel between switches if all traffic went over a switch drawn from all.
    load: Vec<f64>,
    /// Least weight of the shortest paths: all traffic goes over other switches.
    least: f64,
    /// Switches on the longest detour.
    pub switches: u32,
}

impl Network<'_> {
    /// Detours of a phase that has the bytes `load` on shortest paths; `None` if there are none, or hosts forward.
    pub(super) fn detours(&self, groups: &[Vec<Transfer>], load: &[f64]) -> Option<Detours> {
        let [sent, received] = self.between_switches(groups, load)?;
        let mut detours = vec![0.0; self.fabric.channels() as usize];
        let mut amounts = vec![0.0; sent.len()];
        let (mut around, mut largest, mut longest) = (Neighbourhood::default(), 0, 0);
        for middle in checked(0..sent.len() as u32) {
            self.paths.around(middle, &mut around);
            let count = around.switches().len();
            let back = received[middle as usize];
            let (mut is_used, mut farthest) = (back > 0.0, [0, 0]);
            for (switch, links) in around.switches() {
                let [out, into] = [sent[switch as usize], received[switch as usize]];
                is_used |= out > 0.0;
                // From a sender to the middle, and from the middle to a receiver: both of the same number of links.
                for (farthest, _) in farthest.iter_mut().zip([out, into]).filter(|(_, bytes)| *bytes > 0.0) {
                    *farthest = links.max(*farthest);
                }
                // The first legs that end here, and the second legs of what ends here, which start everywhere.
                amounts[switch as usize] = (out + back) / count as f64;
            }
            if is_used {
                self.paths.gather_around(&around, &mut amounts, |channel, bytes| {
                    detours[channel as usize] += bytes;
                });
                largest = count.max(largest);
                longest = (farthest[0] + farthest[1] + 1).max(longest);
            }
        }
        (largest > 2).then(|| Detours {
            load: detours,
            least: -2.0 / (largest - 2) as f64,
            switches: longest,
        })
    }

    /// Bytes that each switch gets from its hosts for hosts of other switches, and those that it gets for its hosts from there;
    /// `None` if hosts forward.
    fn between_switches(&self, groups: &[Vec<Transfer>], load: &[f64]) -> Option<[Vec<f64>; 2]> {
        let hosts = self.fabric.hosts;
        let mut local = vec![0.0; self.fabric.switches.len()];
        let mut shares = Shares::default();
        for (ends, bytes) in checked(groups.iter().flatten()).flat_map(directions) {
            let hops = self.paths.hops(ends[0], ends[1])?;
            if hops.hosts > 0 {
                return None;
            }
            if hops.switches == 1 {
                self.paths.split(ends, &mut shares, |channel, share| {
                    if let Some(switch) = self.fabric.channel_ends(channel).1.checked_sub(hosts) {
                        local[switch as usize] += bytes * share;
                    }
                });
            }
        }
        let mut both = [(); 2].map(|()| vec![0.0; local.len()]);
        for (channel, bytes) in (0..self.fabric.channels()).zip(load) {
            let (from, to) = self.fabric.channel_ends(channel);
            match (from.checked_sub(hosts), to.checked_sub(hosts)) {
                (None, Some(switch)) => both[0][switch as usize] += bytes,
                (Some(switch), None) => both[1][switch as usize] += bytes,
                _ => {}
            }
        }
        for bytes in &mut both {
            for (bytes, local) in bytes.iter_mut().zip(&local) {
                // Only the rounding is left where all traffic is local.
                *bytes = if *bytes > local * (1.0 + EQUAL) { *bytes - local } else { 0.0 };
            }
        }
        Some(both)
    }

    /// `true` if a channel leads from one switch to another.
    pub(super) fn is_between(&self, channel: u32) -> bool {
        let (from, to) = self.fabric.channel_ends(channel);
        !self.fabric.is_host(from) && !self.fabric.is_host(to)
    }
}

impl Detours {
    /// The weight of shortest paths with which the busiest channel is done first, and no larger part takes detours than that needs.
    pub(super) fn best(&self, network: &Network, load: &[f64]) -> f64 {
        let (mut lines, mut floor) = (Vec::new(), 0.0_f64);
        for channel in 0..network.fabric.channels() {
            let at = channel as usize;
            match network.is_between(channel) {
                true => lines.push(Line {
                    start: self.load[at] / network.capacity[at],
                    slope: (load[at] - self.load[at]) / network.capacity[at],
                }),
                false => floor = floor.max(load[at] / network.capacity[at]),
            }
        }
        lowest(&lines, floor, self.least)
    }

    /// Bytes per channel, and then those of hubs, if shortest paths have that weight.
    pub(super) fn mixed(&self, network: &Network, load: &[f64], weight: f64) -> Vec<f64> {
        let mix = |(at, &bytes): (usize, &f64)| match self.load.get(at) {
            Some(detours) if network.is_between(at as u32) => {
                (weight * bytes + (1.0 - weight) * detours).max(0.0)
            }
            _ => bytes,
        };
        load.iter().enumerate().map(mix).collect()
    }
}

/// Seconds of a channel: `start` plus `slope` times the weight of shortest paths.
#[derive(Clone, Copy, Debug)]
struct Line {
    start: f64,
    slope: f64,
}

impl Line {
    fn at(&self, weight: f64) -> f64 {
        self.start + self.slope * weight
    }
}

/// The largest weight, of those between `least` and 1, at which the highest line is as low as anywhere, or as low as `floor`.
fn lowest(lines: &[Line], floor: f64, least: f64) -> f64 {
    let highest = |weight: f64| lines.iter().copied().max_by(|a, b| a.at(weight).total_cmp(&b.at(weight)));
    let (Some(mut falling), Some(mut rising)) = (highest(least), highest(1.0)) else { return 1.0 };
    let mut value = if falling.slope < 0.0 { rising.at(1.0) } else { falling.at(least) };
    while falling.slope < 0.0 && rising.slope > 0.0 {
        let cross = (falling.start - rising.start) / (rising.slope - falling.slope);
        value = falling.at(cross);
        match highest(cross) {
            Some(line) if line.at(cross) > value * (1.0 + EQUAL) => {
                value = line.at(cross);
                *(if line.slope > 0.0 { &mut rising } else { &mut falling }) = line;
            }
            _ => break,
        }
    }
    let value = value.max(floor) * (1.0 + EQUAL);
    let up_to = lines.iter().filter(|line| line.slope > 0.0).map(|line| (value - line.start) / line.slope);
    up_to.fold(1.0, f64::min).max(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_weight_is_that_of_the_hull() {
        let lines = |of: &[[f64; 2]]| -> Vec<Line> {
            of.iter().map(|&[start, slope]| Line { start, slope }).collect()
        };
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-6, "{found}");
        // Both cross at 1/4; a third is higher there, and crosses the rising one at 1/2.
        near(lowest(&lines(&[[2.0, -2.0], [1.0, 2.0]]), 0.0, 0.0), 0.25);
        near(lowest(&lines(&[[2.0, -2.0], [1.0, 2.0], [4.0, -4.0]]), 0.0, 0.0), 0.5);
        // Up to the floor, fewer detours cost nothing; from 1 on there are none.
        near(lowest(&lines(&[[2.0, -2.0], [1.0, 2.0]]), 2.0, 0.0), 0.5);
        near(lowest(&lines(&[[2.0, -2.0], [1.0, 2.0]]), 9.0, 0.0), 1.0);
        near(lowest(&lines(&[[2.0, -2.0]]), 0.0, 0.0), 1.0);
        // Only rising lines: as few shortest paths as possible.
        near(lowest(&lines(&[[1.0, 2.0], [0.5, 1.0]]), 0.0, -0.25), -0.25);
        near(lowest(&[], 0.0, 0.0), 1.0);
    }
}
