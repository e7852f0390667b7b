//! The least cut between halves of the hosts.
//!
//! By formula where the kind has an exact one; else, where there are few switches, by trying every way to put switches on two
//! sides, and for each the hosts where they cost least; else between two bounds. The upper one is the best cut found: of the
//! kind's formula, and of switches moved to the other side one by one while that helps. The lower one is by congestion: no cut
//! has fewer links than pairs of hosts in different halves over the pairs that minimal paths put on a link at the most.

use super::market::Market;
use crate::fabric::{Cut, Fabric, Kind, Minimal, Routing};
use serde::{Deserialize, Serialize};

/// Steps that trying every cut may take: sides of switches times cables and hosts.
const MOST_STEPS: u64 = 1 << 26;
/// Most hosts without switches of which every half is tried.
const MOST_HALVED: u32 = 20;
/// Most hosts for the bound by congestion.
const MOST_CONGESTED: u32 = 256;
/// Steps that moving switches one by one may take in a round.
const MOST_CLIMBED: u64 = 1 << 22;

/// What lies between halves of the hosts; where hosts are odd in number, between two parts that differ by one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Bisection {
    /// Every cut has so many links or more.
    pub least_links: u64,
    /// There is a cut of so many links; none where no cut is known.
    pub links: Option<u64>,
    /// Bandwidth of the cut for each host, both directions together, in MB/s, with what switches pass in all: at least.
    pub least_bandwidth: f64,
    /// The same: at most; none where no cut is known.
    pub bandwidth: Option<f64>,
    /// Whether it is known exactly.
    pub exact: bool,
    /// How it is known.
    pub how: String,
}

/// The bisection of a network. `fabric` is its graph, if it was built.
pub fn bisection(kind: &dyn Kind, fabric: Option<&Fabric>, market: &Market) -> Bisection {
    let known = kind.cut(market.speeds());
    let (cut, how) = match (known.filter(Cut::is_exact), fabric.and_then(every_cut)) {
        (Some(cut), _) => (Some(cut), "a formula"),
        (None, Some(cut)) => (Some(cut), "every cut tried"),
        (None, None) => bounds(known, fabric),
    };
    let hosts = kind.parts().hosts;
    let each = |speed: u64| 2.0 * speed as f64 / 8.0 / f64::from(hosts.max(1));
    let through = kind.switches_between_halves().zip(market.backplane);
    let passed =
        through.map(|(switches, speed)| switches as f64 * f64::from(speed) / 8.0 / f64::from(hosts.max(1)));
    let limited = |bandwidth: f64| passed.map_or(bandwidth, |passed| bandwidth.min(passed));
    let no_links = Cut { least_links: 0, links: u64::MAX, least_speed: 0, speed: u64::MAX };
    let found = cut.unwrap_or(no_links);
    let some = found.links != u64::MAX;
    let bandwidth = some.then(|| limited(each(found.speed)));
    // Switches that all traffic passes are known to be a cut; that none is slower is known of one switch only.
    let shared =
        passed.is_some_and(|passed| passed < each(found.least_speed)) && kind.parts().switch_count() > 1;
    Bisection {
        least_links: found.least_links,
        links: some.then_some(found.links),
        least_bandwidth: limited(each(found.least_speed)),
        bandwidth,
        exact: some && found.is_exact(),
        how: match shared {
            true => format!("{how}, and what switches pass in all"),
            false => how.into(),
        },
    }
}

/// Hosts' links to switches and links between switches, with their speeds.
struct Sides {
    /// Host by host: switch and speed of each link.
    hosts: Vec<Vec<(u32, u64)>>,
    between: Vec<(u32, u32, u64)>,
}

impl Sides {
    /// `None` where hosts are joined directly.
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

    /// Links, or their speeds, that are cut where switches stand on those sides and hosts where they cost least.
    fn cost(&self, side: impl Fn(u32) -> bool, weight: impl Fn(u64) -> u64, more: &mut Vec<i64>) -> u64 {
        let between = self.between.iter().filter(|&&(a, b, _)| side(a) != side(b));
        let mut cost: u64 = between.map(|&(_, _, speed)| weight(speed)).sum();
        more.clear();
        for links in &self.hosts {
            let (mut here, mut there) = (0u64, 0u64);
            for &(switch, speed) in links {
                *if side(switch) { &mut here } else { &mut there } += weight(speed);
            }
            cost += there;
            more.push(here as i64 - there as i64);
        }
        // All hosts on the first side; half of them, those that gain most or lose least, go to the other.
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
        (self.cost(side, |_| 1, more), self.cost(side, |speed| speed, more))
    }
}

/// The least cut, where trying every one is little work.
fn every_cut(fabric: &Fabric) -> Option<Cut> {
    if fabric.switches.is_empty() {
        return every_half(fabric);
    }
    let sides = Sides::of(fabric)?;
    let work = fabric.links.len() as u64 + u64::from(fabric.hosts);
    let ways = 1u64.checked_shl(fabric.switches.len() as u32 - 1)?;
    if fabric.switches.len() > 40 || ways.saturating_mul(work) > MOST_STEPS {
        return None;
    }
    let mut more = Vec::new();
    let speed = fabric.links.first().map_or(0, |link| u64::from(link.speed));
    let alike = fabric.links.iter().all(|link| u64::from(link.speed) == speed);
    let cut = |ways: u64, more: &mut Vec<i64>| {
        let side = |switch: u32| ways >> switch & 1 == 1;
        match alike {
            true => {
                let links = sides.cost(side, |_| 1, more);
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

/// The same of few hosts that are joined directly.
fn every_half(fabric: &Fabric) -> Option<Cut> {
    let hosts = fabric.hosts;
    if hosts > MOST_HALVED {
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

fn bounds(known: Option<Cut>, fabric: Option<&Fabric>) -> (Option<Cut>, &'static str) {
    let Some(fabric) = fabric else {
        return (known, "bounds by formula");
    };
    let mut cut = known.unwrap_or(Cut { least_links: 0, links: u64::MAX, least_speed: 0, speed: u64::MAX });
    if let Some((links, speed)) = climbed(fabric) {
        (cut.links, cut.speed) = (cut.links.min(links), cut.speed.min(speed));
    }
    if let Some((links, speed)) = congestion(fabric) {
        (cut.least_links, cut.least_speed) = (cut.least_links.max(links), cut.least_speed.max(speed));
    }
    (Some(cut), "the best cut found, and a bound by congestion")
}

/// A cut that moving one switch does not make smaller: from all switches on one side, and from the first half.
fn climbed(fabric: &Fabric) -> Option<(u64, u64)> {
    let sides = Sides::of(fabric)?;
    let switches = fabric.switches.len();
    let mut more = Vec::new();
    let mut best = (u64::MAX, u64::MAX);
    for first in [0, switches / 2] {
        let mut side: Vec<bool> = (0..switches).map(|switch| switch < first).collect();
        let mut cost = sides.cost(|s| side[s as usize], |speed| speed, &mut more);
        let mut better =
            switches as u64 * (fabric.links.len() as u64 + u64::from(fabric.hosts)) <= MOST_CLIMBED;
        while better {
            better = false;
            for switch in 0..switches {
                side[switch] = !side[switch];
                let now = sides.cost(|s| side[s as usize], |speed| speed, &mut more);
                if now < cost {
                    (cost, better) = (now, true);
                } else {
                    side[switch] = !side[switch];
                }
            }
        }
        let cut = sides.cut(|s| side[s as usize], &mut more);
        best = (best.0.min(cut.0), best.1.min(cut.1));
    }
    Some(best)
}

/// Links and Mb/s that every cut has at least. `None` where it takes too long.
fn congestion(fabric: &Fabric) -> Option<(u64, u64)> {
    if fabric.hosts > MOST_CONGESTED {
        return None;
    }
    let routing = Minimal::of(fabric).ok()?;
    let mut load = vec![0u64; fabric.channels() as usize];
    let mut path = Vec::new();
    for from in 0..fabric.hosts {
        for to in (0..fabric.hosts).filter(|&to| to != from) {
            if routing.choices(from, to) == 0 {
                return Some((0, 0));
            }
            routing.path(from, to, 0, &mut path);
            path.drain(..).for_each(|channel| load[channel as usize] += 1);
        }
    }
    let hosts = u64::from(fabric.hosts);
    let apart = hosts / 2 * hosts.div_ceil(2);
    let busiest = load.iter().copied().max().filter(|&load| load > 0)?;
    let loads = load.iter().zip(0u32..);
    let slowest = loads.map(|(&load, channel)| {
        load as f64 / f64::from(fabric.links[crate::fabric::channel_link(channel) as usize].speed)
    });
    let slowest = slowest.fold(0.0, f64::max);
    Some((apart.div_ceil(busiest), (apart as f64 / slowest - 1e-6).ceil() as u64))
}
