//! The minimum cut between halves of the hosts.
//!
//! Kinds with an exact formula use it. With few switches every split of the switches is tried, each host on the cheaper side.
//! Otherwise the cut lies between two bounds, and is exact where they meet. The upper one is the best cut found: the kind's
//! formula, or [`super::halving`]. The lower one is congestion: pairs of hosts in different halves, over the most that shortest
//! paths put on a link.
//!
//! If switches pass less in all than their ports send (Nitzberg et al. 1999, section 1.1), bandwidth is computed separately: a
//! switch may then be cut through instead of its links, at the rate that it passes. See [`super::cuts`].

use super::{
    cuts::{climbed_through, every_cut, every_cut_through},
    halving::halved,
    market::Market,
};
use crate::cancel::checked;
use crate::fabric::{Cut, Ecmp, Fabric, NetworkKind, channel_link};
use serde::{Deserialize, Serialize};

/// Max hosts times channels for the bound by congestion, about two seconds.
const MAX_CONGESTED: u64 = 1 << 29;

/// The cut between halves of the hosts, which differ by one if the number of hosts is odd.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Bisection {
    /// Lower bound of the links.
    pub least_links: u64,
    /// Links of a known cut; `None` if no cut is known.
    pub links: Option<u64>,
    /// Lower bound of the bandwidth per host, both directions together, in MB/s, within the limits of switches.
    pub least_bandwidth: f64,
    /// Bandwidth per host of a known cut; `None` if no cut is known.
    pub bandwidth: Option<f64>,
    /// `true` if both links and bandwidth are exact.
    pub exact: bool,
    /// The method, in words.
    pub how: String,
}

/// The bisection of a network. `fabric` is its graph, if it was built.
pub fn bisection(kind: &dyn NetworkKind, fabric: Option<&Fabric>, market: &Market) -> Bisection {
    let apart = fabric.and_then(|_| kind.apart(market.speeds()));
    let graph = apart.as_ref().map(|apart| &apart.fabric).or(fabric);
    let known = kind.cut(market.speeds());
    let (cut, how) = match (known.filter(Cut::is_exact), graph.and_then(every_cut)) {
        (Some(cut), _) => (Some(cut), "by formula"),
        (None, Some(cut)) => (Some(cut), "all cuts tried"),
        (None, None) => bounds(known, graph),
    };
    let found = cut.unwrap_or(UNKNOWN);
    let some = found.links != u64::MAX;
    let by_links = Range { least: 2 * found.least_speed, most: some.then(|| 2 * found.speed) };
    // Rows that share a switch are several switches in the graph, which does not know their common limit.
    let passed = passed(kind, graph.filter(|_| apart.is_none()), market, by_links);
    let range = passed.unwrap_or(by_links);
    let each = |speed: u64| speed as f64 / 8.0 / f64::from(kind.parts().hosts.max(1));
    Bisection {
        least_links: found.least_links,
        links: some.then_some(found.links),
        least_bandwidth: each(range.least),
        bandwidth: range.most.map(each),
        exact: some && found.is_exact() && range.most == Some(range.least),
        how: match passed.filter(|&passed| passed != by_links) {
            Some(Range { least, most }) if most == Some(least) => {
                format!("{how}, with the switches' total rate")
            }
            Some(_) => format!("{how}, with bounds by the switches' total rate"),
            None => how.into(),
        },
    }
}

/// Bounds in Mb/s of both directions together.
#[derive(Clone, Copy, PartialEq)]
struct Range {
    least: u64,
    /// `None` if no cut is known.
    most: Option<u64>,
}

/// The bounds if switches pass less in all than their ports send; `None` if none does. `by_links` are the bounds by links.
fn passed(kind: &dyn NetworkKind, graph: Option<&Fabric>, market: &Market, by_links: Range) -> Option<Range> {
    let backplane = market.backplane?;
    let passed = limits(kind, market.speed, backplane);
    let tightest = passed.iter().filter_map(|&(ports, limit)| Some((u64::from(ports), limit?)));
    // The limit of a switch over the sum of its ports' rates.
    let share = tightest.map(|(ports, limit)| limit as f64 / (ports * u64::from(market.speed)) as f64);
    let share = share.fold(1.0, f64::min);
    if share == 1.0 {
        return None;
    }
    let known = kind.passed(market.speeds(), backplane);
    if let Some([least, most]) = known.filter(|[least, most]| least == most) {
        return Some(Range { least, most: Some(most) });
    }
    let limits: Vec<Option<u64>> = passed.into_iter().map(|(_, limit)| limit).collect();
    if let Some(exact) = graph.and_then(|graph| every_cut_through(graph, &limits)) {
        return Some(Range { least: exact, most: Some(exact) });
    }
    // A cut through a switch may instead cut its links to the smaller side, at most half of its ports.
    let by_share = (by_links.least as f64 * share * (1.0 - 1e-12)) as u64;
    // A cut through no switch is one of links; any other costs at least one switch's limit.
    let by_one = by_links.least.min(backplane.into());
    let least = known.map_or(0, |[least, _]| least).max(by_share).max(by_one);
    let climbed = graph.and_then(|graph| climbed_through(graph, &limits));
    let most = [by_links.most, known.map(|[_, most]| most), climbed].into_iter().flatten().min();
    Some(Range { least, most })
}

/// Ports of each switch, and its limit in Mb/s if that is less than its ports send and receive.
fn limits(kind: &dyn NetworkKind, speed: u32, backplane: u32) -> Vec<(u32, Option<u64>)> {
    let limit = |ports: u32| {
        let sent = u64::from(ports) * u64::from(speed);
        (sent > u64::from(backplane)).then_some(u64::from(backplane))
    };
    let limits = kind.parts().switches.into_iter().flat_map(|switch| {
        let limited = !switch.hub && switch.trunks == 0;
        let limit = if limited { limit(switch.ports) } else { None };
        std::iter::repeat_n((switch.ports, limit), switch.count as usize)
    });
    limits.collect()
}

const UNKNOWN: Cut = Cut { least_links: 0, links: u64::MAX, least_speed: 0, speed: u64::MAX };

fn bounds(known: Option<Cut>, fabric: Option<&Fabric>) -> (Option<Cut>, &'static str) {
    let Some(fabric) = fabric else {
        return (known, "bounds by formula");
    };
    let mut cut = known.unwrap_or(UNKNOWN);
    let speeds = || fabric.links.iter().map(|link| link.speed);
    let slowest = u64::from(speeds().min().unwrap_or(0));
    let links = halved(fabric, |_| 1);
    let speed = match speeds().all(|speed| u64::from(speed) == slowest) {
        true => links * slowest,
        false => halved(fabric, u64::from),
    };
    (cut.links, cut.speed) = (cut.links.min(links), cut.speed.min(speed));
    if let Some((links, speed)) = congestion(fabric) {
        let least = cut.least_links.max(links);
        (cut.least_links, cut.least_speed) = (least, cut.least_speed.max(speed).max(least * slowest));
    }
    (Some(cut), "by the best cut found and a congestion bound")
}

/// Lower bounds of every cut in links and Mb/s; `None` if they take too long.
///
/// Every host sends 1 to every other, split evenly over all shortest paths. What crosses from half to half passes the links of the
/// cut. If a host forwards nothing, its links carry at most 1 per host of the other half.
fn congestion(fabric: &Fabric) -> Option<(u64, u64)> {
    if u64::from(fabric.hosts) * u64::from(fabric.channels()) > MAX_CONGESTED {
        return None;
    }
    let routing = Ecmp::of(fabric).ok()?;
    let mut load = vec![0.0; fabric.channels() as usize];
    let mut senders: Vec<(u32, f64)> = (0..fabric.hosts).map(|host| (host, 1.0)).collect();
    for to in checked(0..fabric.hosts) {
        if (to > 0 && routing.hops(0, to).is_none()) || senders.len() < 2 {
            return Some((0, 0));
        }
        senders[to as usize].1 = 0.0;
        routing.gather(to, &senders, |channel, amount| load[channel as usize] += amount);
        senders[to as usize].1 = 1.0;
    }
    let hosts = u64::from(fabric.hosts);
    let (half, apart) = (hosts.div_ceil(2) as f64, (hosts / 2 * hosts.div_ceil(2)) as f64);
    let mut sent = vec![0.0; fabric.nodes() as usize];
    for (channel, load) in (0..).zip(&load) {
        sent[fabric.channel_ends(channel).0 as usize] += load;
    }
    let forwards_nothing = |node: u32| fabric.is_host(node) && sent[node as usize] < hosts as f64 - 0.5;
    let mut most = [0.0_f64; 2];
    for (channel, load) in (0..).zip(load) {
        let (from, to) = fabric.channel_ends(channel);
        let crossing = if forwards_nothing(from) || forwards_nothing(to) { load.min(half) } else { load };
        let speed = f64::from(fabric.links[channel_link(channel) as usize].speed);
        most = [most[0].max(crossing), most[1].max(crossing / speed)];
    }
    let bound = |most: f64| ((apart / most) * (1.0 - 1e-9)).ceil() as u64;
    (most[0] > 0.0).then(|| (bound(most[0]), bound(most[1])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        compare::cuts::every_cut,
        fabric::{Speeds, kinds},
    };

    /// The bounds, and the exact numbers if every cut can be tried.
    fn both(text: &str) -> ([u64; 2], Option<u64>) {
        let fabric = kinds::build(&*kinds::parse(text).unwrap(), Speeds::default()).unwrap();
        let least = congestion(&fabric).unwrap().0;
        ([least, halved(&fabric, |_| 1)], every_cut(&fabric).map(|cut| cut.links))
    }

    #[test]
    fn bounds_hold_against_every_cut_of_small_networks() {
        let seeded = (1..=12).flat_map(|seed| {
            let hosts = 1 + seed % 3;
            [format!("jellyfish:14,3,{seed},{hosts}"), format!("jellyfish:11,4,{seed},{hosts}")]
        });
        let others = [
            "tree:18,3",
            "fat-tree:16,4,3",
            "fat-tree:16,8,2,3",
            "rail-clos:8,2,8,2",
            "pmesh:4x4",
            "mesh:3x3,3",
            "torus:4x4",
            "hyperx:3x4",
            "hyperx:6,1,3",
            "dragonfly:2,1",
            "dragonfly-plus:2,2,1,3",
            "host-torus:4x4",
            "host-torus:3x3x2",
        ];
        let (mut tight, mut all) = ([0, 0], 0);
        for text in others.map(String::from).into_iter().chain(seeded) {
            let ([least, most], exact) = both(&text);
            let exact = exact.unwrap_or_else(|| panic!("{text}: too many cuts to try"));
            assert!(least <= exact && exact <= most, "{text}: {least} {exact} {most}");
            all += 1;
            tight[0] += u32::from(least == exact);
            tight[1] += u32::from(most == exact);
        }
        assert!(tight[0] > all / 3 && tight[1] == all, "{tight:?} of {all}");
    }

    #[test]
    fn large_networks_are_cut_exactly_where_both_bounds_meet() {
        for (text, links) in [
            ("torus:16x16,4", 32),
            ("hyperx:32", 256),
            ("hyperx:8x8x8,1,1", 256),
            ("torus:8x8x8", 128),
            ("host-torus:32x32", 64),
        ] {
            assert_eq!(both(text), ([links; 2], None), "{text}");
        }
    }
}
