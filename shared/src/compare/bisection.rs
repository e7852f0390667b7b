//! The minimum cut between halves of the hosts.
//!
//! Kinds with an exact formula use it. With few switches every split of the switches is tried, each host on the cheaper side.
//! Otherwise the cut lies between two bounds. The upper one is the best cut found: the kind's formula, or switches moved to the
//! other side one by one while that helps. The lower one is congestion: pairs of hosts in different halves, over the max pairs
//! that minimal paths put on a link.
//!
//! If switches pass less in all than their ports send (P-Mesh paper, section 1.1), bandwidth is computed separately: a switch
//! may then be cut through instead of its links, at the rate that it passes. See [`super::cuts`].

use super::{
    cuts::{climbed, climbed_through, every_cut, every_cut_through},
    market::Market,
};
use crate::cancel::checked;
use crate::fabric::{Cut, Fabric, Kind, Minimal, Routing};
use serde::{Deserialize, Serialize};

/// Max hosts for the bound by congestion.
const MAX_CONGESTED: u32 = 256;

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
pub fn bisection(kind: &dyn Kind, fabric: Option<&Fabric>, market: &Market) -> Bisection {
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
fn passed(kind: &dyn Kind, graph: Option<&Fabric>, market: &Market, by_links: Range) -> Option<Range> {
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
fn limits(kind: &dyn Kind, speed: u32, backplane: u32) -> Vec<(u32, Option<u64>)> {
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
    if let Some((links, speed)) = climbed(fabric) {
        (cut.links, cut.speed) = (cut.links.min(links), cut.speed.min(speed));
    }
    if let Some((links, speed)) = congestion(fabric) {
        (cut.least_links, cut.least_speed) = (cut.least_links.max(links), cut.least_speed.max(speed));
    }
    (Some(cut), "by the best cut found and a congestion bound")
}

/// Lower bounds of every cut in links and Mb/s; `None` if they take too long.
fn congestion(fabric: &Fabric) -> Option<(u64, u64)> {
    if fabric.hosts > MAX_CONGESTED {
        return None;
    }
    let routing = Minimal::of(fabric).ok()?;
    let mut load = vec![0u64; fabric.channels() as usize];
    let mut path = Vec::new();
    for from in checked(0..fabric.hosts) {
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
