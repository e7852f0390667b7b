//! Virtual channels: the parts of each buffer, and those that a frame may use on its next hop.
//!
//! A class is a share of the virtual channels. Classes keep frames from waiting for each other in a circle:
//!
//! * Dimension order on rings: in each dimension, frames that cross the link that closes the ring are in the second class, all
//!   others in the first. No frame goes further than half the ring, so the frames of a class never wait for each other all
//!   round. Changing the class only at that link (Dally and Seitz 1987) leaves the second class almost empty.
//! * Paths over a random host: one class before that host, one behind it. On rings this takes four virtual channels, so that
//!   each of the two is split in the same way; with two or three, only the legs have classes.
//!
//! On all other paths a frame may use every virtual channel. Hosts' links belong to no ring.

use network::fabric::{RingChannel, Routing};
use std::ops::Range;
use work::simulation::{Paths, Settings};

/// A hop of a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hop<'a> {
    /// Path of the frame.
    pub path: &'a [u32],
    /// Number of hops before the random host, all if there is none.
    pub leg: usize,
    /// Index in the path of the hop's last channel.
    pub at: usize,
}

/// Virtual channels of a network. The buffer of virtual channel `v` at the end of channel `c` is `c << shift | v`.
#[derive(Clone, Debug)]
pub(crate) struct VirtualChannels {
    pub count: u32,
    pub shift: u32,
    legs: u32,
    /// Classes per leg.
    sides: u32,
    /// By channel, if there are two classes per leg: the dimension's number from 1 times 2, plus 1 if the channel closes a ring;
    /// 0 outside rings.
    rings: Vec<u16>,
}

impl VirtualChannels {
    /// The virtual channels for a routing.
    pub fn new(channels: u32, routing: &dyn Routing, settings: &Settings) -> VirtualChannels {
        let count = settings.virtual_channels;
        let detour = settings.paths == Paths::RandomIntermediate;
        let legs = if detour && count >= 2 { 2 } else { 1 };
        let rings = if count >= 2 * legs { rings(channels, &routing.rings()) } else { Vec::new() };
        let sides = if rings.is_empty() { 1 } else { 2 };
        VirtualChannels { count, shift: count.next_power_of_two().trailing_zeros(), legs, sides, rings }
    }

    /// Buffers that a frame may enter at the end of a hop.
    #[inline]
    pub fn buffers(&self, hop: Hop) -> Range<u32> {
        let first = hop.path[hop.at] << self.shift;
        if self.legs * self.sides == 1 {
            return first..first + self.count;
        }
        let leg = if self.legs == 2 { u32::from(hop.at >= hop.leg) } else { 0 };
        let classes = match self.closes_ring(hop) {
            None => leg * self.sides..(leg + 1) * self.sides,
            Some(closes) => {
                let class = leg * self.sides + u32::from(closes);
                class..class + 1
            }
        };
        first + self.start(classes.start)..first + self.start(classes.end)
    }

    /// `true` if a frame crosses the link that closes the ring of a hop; `None` outside rings.
    fn closes_ring(&self, hop: Hop) -> Option<bool> {
        let Hop { path, leg, at } = hop;
        let ring = |channel: &u32| self.rings.get(*channel as usize).copied().unwrap_or(0);
        let own = Some(ring(&path[at])).filter(|&own| own > 0)?;
        let same = |channel: &&u32| ring(channel) / 2 == own / 2;
        let (before, after) =
            if at < leg { (&path[..at], &path[at..leg]) } else { (&path[leg..at], &path[at..]) };
        let mut along = before.iter().rev().take_while(same).chain(after.iter().take_while(same));
        Some(along.any(|channel| ring(channel) % 2 == 1))
    }

    /// First virtual channel of a class; earlier classes are larger by up to one.
    fn start(&self, class: u32) -> u32 {
        (class * self.count).div_ceil(self.legs * self.sides)
    }
}

/// [`VirtualChannels::rings`]; empty without rings.
fn rings(channels: u32, rings: &[RingChannel]) -> Vec<u16> {
    let mut by_channel = vec![0; if rings.is_empty() { 0 } else { channels as usize }];
    for ring in rings {
        by_channel[ring.channel as usize] = 2 * (ring.dimension as u16 + 1) + u16::from(ring.closes);
    }
    by_channel
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{network::Network, paths::PathTable};
    use network::fabric::{
        DimensionOrder, Fabric, Grid, GridShape, Minimal, Speeds, kinds,
        vlan::{Method, Vlans},
    };
    use std::collections::BTreeSet;

    fn settings(virtual_channels: u32, paths: Paths) -> Settings {
        Settings { virtual_channels, paths, ..Settings::default() }
    }

    /// Buffers that frames may pass one after the other, over all paths: the channel dependency graph.
    fn dependencies(fabric: &Fabric, routing: &dyn Routing, settings: &Settings) -> Vec<BTreeSet<u32>> {
        let network = Network::new(fabric, settings).unwrap();
        let vcs = VirtualChannels::new(network.channels(), routing, settings);
        let routes = PathTable::new(routing, settings.paths, fabric.hosts);
        let detour = settings.paths == Paths::RandomIntermediate;
        let mut next = vec![BTreeSet::new(); (network.channels() << vcs.shift) as usize];
        let mut path = Vec::new();
        for (from, to) in (0..fabric.hosts).flat_map(|from| (0..fabric.hosts).map(move |to| (from, to))) {
            for choice in 0..if detour { fabric.hosts } else { routing.choices(from, to) } {
                if from == to || (detour && choice == from) {
                    continue;
                }
                let leg = routes.path(&network, (from, to), choice, &mut path).unwrap();
                let mut here = 0..0;
                // A host takes in whatever arrives.
                for at in 0..path.len() - 1 {
                    let there = vcs.buffers(Hop { path: &path, leg, at });
                    for buffer in here {
                        next[buffer as usize].extend(there.clone());
                    }
                    here = there;
                }
            }
        }
        next
    }

    /// `true` if some buffers follow one another in a circle: some remain when those without a successor are removed.
    fn has_circle(next: &[BTreeSet<u32>]) -> bool {
        let mut left: Vec<usize> = next.iter().map(BTreeSet::len).collect();
        let mut before = vec![Vec::new(); next.len()];
        for (buffer, after) in next.iter().enumerate() {
            after.iter().for_each(|&after| before[after as usize].push(buffer));
        }
        let mut ends: Vec<usize> = (0..next.len()).filter(|&buffer| left[buffer] == 0).collect();
        let mut removed = 0;
        while let Some(end) = ends.pop() {
            removed += 1;
            for &buffer in &before[end] {
                left[buffer] -= 1;
                if left[buffer] == 0 {
                    ends.push(buffer);
                }
            }
        }
        removed < next.len()
    }

    #[test]
    fn classes_break_all_circles_of_tori() {
        for sides in [&[3][..], &[4, 4], &[8, 8], &[5, 7], &[4, 2], &[4, 4, 4], &[3, 4, 5]] {
            let grid = Grid::new(GridShape::Torus, sides, 1).unwrap();
            let fabric = grid.fabric(1000);
            let order = DimensionOrder::new(grid.clone());
            let vlans = Vlans::new(&grid, Method::Dor, 4094).unwrap();
            for routing in [&order as &dyn Routing, &vlans] {
                for count in [1, 2, 3, 8] {
                    let next = dependencies(&fabric, routing, &settings(count, Paths::First));
                    // A ring of three is crossed in one step, which waits for nothing.
                    let expected = count == 1 && sides != [3];
                    assert_eq!(has_circle(&next), expected, "{sides:?} with {count} virtual channels");
                }
            }
        }
    }

    #[test]
    fn detours_need_a_class_per_leg_and_on_rings_four() {
        let circle = |shape, count| {
            let grid = Grid::new(shape, &[3, 4], 1).unwrap();
            let (fabric, routing) = (grid.fabric(1000), DimensionOrder::new(grid));
            has_circle(&dependencies(&fabric, &routing, &settings(count, Paths::RandomIntermediate)))
        };
        assert_eq!([1, 2, 3, 8].map(|count| circle(GridShape::Mesh, count)), [true, false, false, false]);
        assert_eq!(
            [1, 2, 3, 4, 7].map(|count| circle(GridShape::Torus, count)),
            [true, true, true, false, false]
        );
    }

    #[test]
    fn hosts_that_forward_have_fewer_circles_than_on_least_used_paths() {
        for (kind, alone) in [
            ("host-torus:5", false),
            ("host-torus:7", true),
            ("host-torus:4x4", true),
            // Frames over two links of the last dimension wait in one host only.
            ("host-torus:3x2x4", false),
            ("host-torus:4x2x3", true),
            ("host-torus:3x3", false),
            ("hamming-mesh:1x1,3x3", false),
            ("hamming-mesh:2x2,3x3", false),
            ("hamming-mesh:3x3,2x3", false),
            ("hamming-mesh:4x2,2x2", true),
            ("hamming-mesh:5x4,2x2", true),
            ("planes:2,host-torus:4x3", true),
        ] {
            let kind = kinds::parse(kind).unwrap();
            let fabric = kind.fabric(Speeds::default());
            let routing = kind.routing().unwrap();
            let circle = |routing: &dyn Routing, count, paths| {
                has_circle(&dependencies(&fabric, routing, &settings(count, paths)))
            };
            assert_eq!(circle(&routing, 1, Paths::Random), alone, "{kind:?}");
            // Least-used paths of a pair take one of the planes.
            let compares = alone && kind.planes().is_none();
            let least_used = Minimal::of(&fabric).unwrap();
            assert!(!compares || circle(&least_used, 1, Paths::First), "{kind:?} was free of circles");
            for count in [2, 3] {
                assert!(!circle(&routing, count, Paths::Random), "{kind:?} with {count} virtual channels");
            }
            assert!(!circle(&routing, 4, Paths::RandomIntermediate), "{kind:?} with detours");
        }
    }

    #[test]
    fn classes_share_the_virtual_channels() {
        let grid = Grid::new(GridShape::Torus, &[4, 4], 1).unwrap();
        let routing = DimensionOrder::new(grid);
        let path = |from, to| {
            let mut path = Vec::new();
            routing.path(from, to, 0, &mut path);
            path
        };
        // One hop before the link that closes the first ring, then one over it, then two in the second dimension.
        let (closes, other) = (path(2, 8), path(0, 9));
        for count in 2..=8 {
            let vcs = VirtualChannels::new(96, &routing, &settings(count, Paths::First));
            let number = |path: &[u32], at| {
                let buffers = vcs.buffers(Hop { path, leg: path.len(), at });
                let first = path[at] << vcs.shift;
                buffers.start - first..buffers.end - first
            };
            let first = count.div_ceil(2);
            assert_eq!(
                [1, 2, 3, 4].map(|at| number(&closes, at)),
                [first..count, first..count, 0..first, 0..first]
            );
            assert_eq!([0, 1, 3].map(|at| number(&other, at)), [0..count, 0..first, 0..first]);
        }
    }
}
