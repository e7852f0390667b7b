//! The least cut between halves of the hosts.
//!
//! By formula where the kind has an exact one; else, where there are few switches, by trying every way to put switches on two
//! sides, and for each the hosts where they cost least; else between two bounds. The upper one is the best cut found: of the
//! kind's formula, and of switches moved to the other side one by one while that helps. The lower one is by congestion: no cut
//! has fewer links than pairs of hosts in different halves over the pairs that minimal paths put on a link at the most.
//!
//! Where switches pass less in all than their ports send (P-Mesh paper, section 1.1), bandwidth is found by itself: a switch
//! may then be cut through instead of its links, at what it passes. See [`super::cuts`].

use super::{
    cuts::{climbed, climbed_through, every_cut, every_cut_through},
    market::Market,
};
use crate::fabric::{Cut, Fabric, Kind, Minimal, Routing};
use serde::{Deserialize, Serialize};

/// Most hosts for the bound by congestion.
const MAX_CONGESTED: u32 = 256;

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
    /// Whether both links and bandwidth are known exactly.
    pub exact: bool,
    /// How it is known.
    pub how: String,
}

/// The bisection of a network. `fabric` is its graph, if it was built.
pub fn bisection(kind: &dyn Kind, fabric: Option<&Fabric>, market: &Market) -> Bisection {
    let apart = fabric.and_then(|_| kind.apart(market.speeds()));
    let graph = apart.as_ref().map(|apart| &apart.fabric).or(fabric);
    let known = kind.cut(market.speeds());
    let (cut, how) = match (known.filter(Cut::is_exact), graph.and_then(every_cut)) {
        (Some(cut), _) => (Some(cut), "a formula"),
        (None, Some(cut)) => (Some(cut), "every cut tried"),
        (None, None) => bounds(known, graph),
    };
    let unknown = Cut { least_links: 0, links: u64::MAX, least_speed: 0, speed: u64::MAX };
    let found = cut.unwrap_or(unknown);
    let some = found.links != u64::MAX;
    let by_links = Range { least: 2 * found.least_speed, most: some.then(|| 2 * found.speed) };
    // Rows that share a switch are several switches in the graph, which does not know what they pass together.
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
                format!("{how}, and what switches pass in all")
            }
            Some(_) => format!("{how}, and bounds by what switches pass in all"),
            None => how.into(),
        },
    }
}

/// Bounds in Mb/s of both directions together.
#[derive(Clone, Copy, PartialEq)]
struct Range {
    least: u64,
    /// None where no cut is known.
    most: Option<u64>,
}

/// The same where switches pass less in all than their ports send; `None` where none does. `by_links` is what links alone let
/// through.
fn passed(kind: &dyn Kind, graph: Option<&Fabric>, market: &Market, by_links: Range) -> Option<Range> {
    let backplane = market.backplane?;
    let passed = limits(kind, market.speed, backplane);
    let tightest = passed.iter().filter_map(|&(ports, limit)| Some((u64::from(ports), limit?)));
    // What a switch passes over what all its ports send.
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
    // Whoever cuts through a switch may cut its links to the smaller side instead, half of its ports at the most.
    let by_share = (by_links.least as f64 * share * (1.0 - 1e-12)) as u64;
    // And a cut through no switch at all is one of links, any other at least what one switch passes.
    let by_one = by_links.least.min(backplane.into());
    let least = known.map_or(0, |[least, _]| least).max(by_share).max(by_one);
    let climbed = graph.and_then(|graph| climbed_through(graph, &limits));
    let most = [by_links.most, known.map(|[_, most]| most), climbed].into_iter().flatten().min();
    Some(Range { least, most })
}

/// Of each switch its ports and the Mb/s that it passes in all, where that is less than what they send and receive.
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

/// Links and Mb/s that every cut has at least. `None` where it takes too long.
fn congestion(fabric: &Fabric) -> Option<(u64, u64)> {
    if fabric.hosts > MAX_CONGESTED {
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
