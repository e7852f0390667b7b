//! Cuts through a graph: switches on two sides, and every host on the cheaper side, half of them on each.
//!
//! A switch with a limit on its total rate may also be cut through: its links then cost nothing, and it costs the limit.

use crate::cancel::check;
use crate::fabric::{Cut, Fabric};

/// Max steps to try every cut: sides of switches times cables and hosts.
const MAX_STEPS: u64 = 1 << 26;
/// Max hosts of a network without switches for every half to be tried.
const MAX_HALVED: u32 = 20;
/// Max steps per round of moving switches one by one.
const MAX_CLIMBED: u64 = 1 << 22;

/// Links of hosts to switches and between switches, with their speeds.
struct Sides {
    /// Switch and speed of each link, by host.
    hosts: Vec<Vec<(u32, u64)>>,
    between: Vec<(u32, u32, u64)>,
}

impl Sides {
    /// `None` if hosts are connected directly.
    fn of(fabric: &Fabric) -> Option<Sides> {
        let mut sides = Sides { hosts: vec![Vec::new(); fabric.hosts as usize], between: Vec::new() };
        for link in &fabric.links {
            let speed = u64::from(link.speed);
            match link.ends.map(|node| node.checked_sub(fabric.hosts)) {
                [None, None] => return None,
                [Some(a), Some(b)] => sides.between.push((a, b, speed)),
                [Some(switch), None] => sides.hosts[link.ends[1] as usize].push((switch, speed)),
                [None, Some(switch)] => sides.hosts[link.ends[0] as usize].push((switch, speed)),
            }
        }
        Some(sides)
    }

    /// Cost of the links between the sides, with every host on the cheaper side. A switch on no side is cut through.
    fn cost(
        &self,
        side: impl Fn(u32) -> Option<bool>,
        weight: impl Fn(u64) -> u64,
        more: &mut Vec<i64>,
    ) -> u64 {
        let parted = |a: u32, b: u32| side(a).zip(side(b)).is_some_and(|(a, b)| a != b);
        let between = self.between.iter().filter(|&&(a, b, _)| parted(a, b));
        let mut cost: u64 = between.map(|&(_, _, speed)| weight(speed)).sum();
        more.clear();
        for links in &self.hosts {
            let (mut here, mut there) = (0u64, 0u64);
            for &(switch, speed) in links {
                match side(switch) {
                    Some(true) => here += weight(speed),
                    Some(false) => there += weight(speed),
                    None => {}
                }
            }
            cost += there;
            more.push(here as i64 - there as i64);
        }
        // All hosts are on the first side; the half with the largest gain moves to the other.
        let half = more.len() / 2;
        let moved = |more: &mut Vec<i64>, count: usize| -> i64 {
            if count > 0 && count < more.len() {
                more.select_nth_unstable(count - 1);
            }
            more[..count].iter().sum()
        };
        let (low, high) = (moved(more, half), moved(more, self.hosts.len() - half));
        (cost as i64 + low.min(high)) as u64
    }

    fn cut(&self, side: impl Fn(u32) -> bool + Copy, more: &mut Vec<i64>) -> (u64, u64) {
        let side = |switch| Some(side(switch));
        (self.cost(side, |_| 1, more), self.cost(side, |speed| speed, more))
    }

    /// Links and hosts.
    fn work(&self) -> u64 {
        let links = self.hosts.iter().map(Vec::len).sum::<usize>() + self.between.len();
        (links + self.hosts.len()) as u64
    }

    /// Moves switches one by one while that makes the cut cheaper. Mb/s of both directions, with the limits of switches.
    fn climb(&self, sides: &mut [Option<bool>], limits: &[Option<u64>], more: &mut Vec<i64>) -> u64 {
        let mut cost = self.through(sides, limits, more);
        let mut better = limits.len() as u64 * self.work() <= MAX_CLIMBED;
        while std::mem::take(&mut better) {
            check();
            for switch in 0..limits.len() {
                let through = limits[switch].map(|_| None);
                for place in [Some(Some(false)), Some(Some(true)), through].into_iter().flatten() {
                    let before = std::mem::replace(&mut sides[switch], place);
                    if before == place {
                        continue;
                    }
                    let now = self.through(sides, limits, more);
                    match now < cost {
                        true => (cost, better) = (now, true),
                        false => sides[switch] = before,
                    }
                }
            }
        }
        cost
    }

    /// Mb/s of both directions, with the limits of the switches that are cut through.
    fn through(&self, sides: &[Option<bool>], limits: &[Option<u64>], more: &mut Vec<i64>) -> u64 {
        let passed = sides.iter().zip(limits).filter(|(side, _)| side.is_none());
        let passed: u64 = passed.filter_map(|(_, limit)| *limit).sum();
        passed + self.cost(|switch| sides[switch as usize], |speed| 2 * speed, more)
    }
}

/// The minimum cut, if trying every one is little work.
pub(super) fn every_cut(fabric: &Fabric) -> Option<Cut> {
    if fabric.switches.is_empty() {
        return every_half(fabric);
    }
    let sides = Sides::of(fabric)?;
    let ways = 1u64.checked_shl(fabric.switches.len() as u32 - 1)?;
    if fabric.switches.len() > 40 || ways.saturating_mul(sides.work()) > MAX_STEPS {
        return None;
    }
    let mut more = Vec::new();
    let speed = fabric.links.first().map_or(0, |link| u64::from(link.speed));
    let alike = fabric.links.iter().all(|link| u64::from(link.speed) == speed);
    let cut = |ways: u64, more: &mut Vec<i64>| {
        let side = |switch: u32| ways >> switch & 1 == 1;
        match alike {
            true => {
                let links = sides.cost(|switch| Some(side(switch)), |_| 1, more);
                (links, links * speed)
            }
            false => sides.cut(side, more),
        }
    };
    let all = (0..ways).map(|ways| cut(ways, &mut more));
    let (links, speed) =
        all.fold((u64::MAX, u64::MAX), |least, cut| (least.0.min(cut.0), least.1.min(cut.1)));
    Some(Cut { least_links: links, links, least_speed: speed, speed })
}

/// The minimum cut of few hosts that are connected directly.
fn every_half(fabric: &Fabric) -> Option<Cut> {
    let hosts = fabric.hosts;
    if hosts > MAX_HALVED {
        return None;
    }
    let halves = (0u32..1 << hosts.saturating_sub(1)).filter(|half| {
        let here = half.count_ones();
        here == hosts / 2 || here == hosts - hosts / 2
    });
    let cut = |half: u32| {
        let crossing =
            fabric.links.iter().filter(|link| (half >> link.ends[0] ^ half >> link.ends[1]) & 1 == 1);
        crossing.fold((0, 0), |(links, speed), link| (links + 1, speed + u64::from(link.speed)))
    };
    let least =
        halves.map(cut).fold((u64::MAX, u64::MAX), |least, cut| (least.0.min(cut.0), least.1.min(cut.1)));
    Some(Cut { least_links: least.0, links: least.0, least_speed: least.1, speed: least.1 })
}

/// The minimum cut in Mb/s of both directions, if trying every one is little work. `limits` are the switches' total rates.
pub(super) fn every_cut_through(fabric: &Fabric, limits: &[Option<u64>]) -> Option<u64> {
    let network = Sides::of(fabric)?;
    let ways =
        limits.iter().try_fold(1u64, |ways, limit| ways.checked_mul(if limit.is_some() { 3 } else { 2 }));
    if ways.and_then(|ways| ways.checked_mul(network.work())).is_none_or(|steps| steps > MAX_STEPS) {
        return None;
    }
    let mut sides = vec![Some(false); limits.len()];
    let mut more = Vec::new();
    let mut least = network.through(&sides, limits, &mut more);
    while next(&mut sides, limits) {
        check();
        let passed: u64 =
            sides.iter().zip(limits).filter_map(|(side, limit)| limit.filter(|_| side.is_none())).sum();
        if passed < least {
            least = least.min(network.through(&sides, limits, &mut more));
        }
    }
    Some(least)
}

/// The next way; false after the last. The first switch is never on the second side, since sides can be swapped.
fn next(sides: &mut [Option<bool>], limits: &[Option<u64>]) -> bool {
    for (number, (side, limit)) in sides.iter_mut().zip(limits).enumerate() {
        *side = match *side {
            Some(false) if number > 0 => Some(true),
            Some(_) if limit.is_some() => None,
            _ => Some(false),
        };
        if *side != Some(false) {
            return true;
        }
    }
    false
}

/// Mb/s of both directions of a locally minimal cut, starting with all switches on one side, with the first half there, and with
/// all limited switches cut through.
pub(super) fn climbed_through(fabric: &Fabric, limits: &[Option<u64>]) -> Option<u64> {
    let network = Sides::of(fabric)?;
    let mut more = Vec::new();
    let through = limits.iter().map(|limit| if limit.is_some() { None } else { Some(false) }).collect();
    let switches = limits.len();
    let first = |count: usize| (0..switches).map(|switch| Some(switch < count)).collect::<Vec<_>>();
    let starts = [first(0), first(switches / 2), through].into_iter();
    starts.map(|mut sides| network.climb(&mut sides, limits, &mut more)).min()
}
