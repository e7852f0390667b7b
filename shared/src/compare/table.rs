//! The columns of a comparison, in words.

use super::{beside::FabricRow, figures::FabricFigures};
use crate::text::{fixed, grouped};

/// A column.
pub struct Column {
    /// Its key.
    pub key: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// Its unit; empty for a plain number.
    pub unit: &'static str,
    /// One line.
    pub explanation: &'static str,
    /// Paper and section, or who defines it.
    pub source: &'static str,
    cell: fn(&FabricFigures) -> String,
}

const UNKNOWN: &str = "?";

/// All columns, after the network's own.
pub const COLUMNS: &[Column] = &[
    Column {
        key: "hosts",
        title: "Hosts",
        unit: "",
        explanation: "Hosts that the network joins.",
        source: "P-Mesh paper, table 2",
        cell: |f| grouped(f.hosts.into()),
    },
    Column {
        key: "switches",
        title: "Switches",
        unit: "",
        explanation: "Switches and hubs.",
        source: "P-Mesh paper, section 3",
        cell: |f| grouped(f.switches),
    },
    Column {
        key: "ports",
        title: "Ports",
        unit: "",
        explanation: "Ports that switches and hubs need, switches that are alike as many as the one with most.",
        source: "P-Mesh paper, section 3",
        cell: |f| grouped(f.ports),
    },
    Column {
        key: "cables",
        title: "Cables",
        unit: "",
        explanation: "One for each link.",
        source: "topology paper, section 6",
        cell: |f| grouped(f.cables),
    },
    Column {
        key: "price",
        title: "Price",
        unit: "",
        explanation: "NIs, switches and cables at the prices beside; + where something has no price.",
        source: "P-Mesh paper, table 2",
        cell: |f| price(f, f.bill.total),
    },
    Column {
        key: "price_per_host",
        title: "A host",
        unit: "",
        explanation: "The price over the hosts.",
        source: "P-Mesh paper, table 2",
        cell: |f| price(f, f.price_per_host()),
    },
    Column {
        key: "diameter",
        title: "Diameter",
        unit: "switches + hosts",
        explanation: "Switches, and hosts that forward, between the two hosts that are farthest apart.",
        source: "P-Mesh paper, section 3",
        cell: |f| match (f.diameter_switches, f.diameter_hosts) {
            (Some(switches), Some(hosts)) => {
                format!("{} + {}", grouped(switches.into()), grouped(hosts.into()))
            }
            _ => UNKNOWN.into(),
        },
    },
    Column {
        key: "latency",
        title: "Latency",
        unit: "us",
        explanation: "At best and at worst, by the model: base, and what switches and forwarding hosts add.",
        source: "P-Mesh paper, tables 2 and 3",
        cell: |f| range(f.best.map(|p| p.latency), f.worst.map(|p| p.latency)),
    },
    Column {
        key: "bandwidth",
        title: "Bandwidth",
        unit: "MB/s",
        explanation: "From one host to another, at best and at worst, by the model; 0 where that takes all.",
        source: "P-Mesh paper, tables 2 and 3",
        cell: |f| range(f.best.map(|p| p.bandwidth), f.worst.map(|p| p.bandwidth)),
    },
    Column {
        key: "demand_latency",
        title: "Latency asked for",
        unit: "us",
        explanation: "Mean over the pairs of the demand that reach each other, by weight.",
        source: "Crosspoint",
        cell: |f| number(f.demand.and_then(|d| d.latency)),
    },
    Column {
        key: "demand_bandwidth",
        title: "Bandwidth asked for",
        unit: "MB/s",
        explanation: "Mean over the pairs of the demand that reach each other, by weight.",
        source: "Crosspoint",
        cell: |f| number(f.demand.and_then(|d| d.bandwidth)),
    },
    Column {
        key: "single_switch",
        title: "At one switch",
        unit: "%",
        explanation: "Pairs of the demand with at most one switch and no host between them.",
        source: "dissertation, section 2.4",
        cell: |f| f.demand.map_or(UNKNOWN.into(), |d| share(d.single_switch)),
    },
    Column {
        key: "unreached",
        title: "No path",
        unit: "pairs",
        explanation: "Pairs of the demand that cannot reach each other at all; means leave them out.",
        source: "Crosspoint",
        cell: |f| f.demand.and_then(|d| d.unreached).map_or(UNKNOWN.into(), grouped),
    },
    Column {
        key: "bisection_links",
        title: "Bisection",
        unit: "links",
        explanation: "Fewest links between halves of the hosts, hosts' own among them; two numbers are bounds.",
        source: "topology paper, section 5",
        cell: |f| {
            let (least, most) = (f.bisection.least_links, f.bisection.links);
            bounds(most == Some(least), grouped(least), most.map(grouped))
        },
    },
    Column {
        key: "bisection_bandwidth",
        title: "Bisection a host",
        unit: "MB/s",
        explanation: "Bandwidth between halves, both ways, over all hosts; two numbers are bounds.",
        source: "P-Mesh paper, section 3.0",
        cell: |f| {
            let (least, most) =
                (some_digits(f.bisection.least_bandwidth), f.bisection.bandwidth.map(some_digits));
            bounds(most.as_ref() == Some(&least), least, most)
        },
    },
    Column {
        key: "switch_loss",
        title: "One switch dead",
        unit: "hosts lost",
        explanation: "Hosts that the worst dead switch cuts off from the rest, hosts forwarding.",
        source: "P-Mesh paper, section 5",
        cell: |f| {
            f.survival.map_or(UNKNOWN.into(), |s| s.losses.switch.map_or("–".into(), |n| grouped(n.into())))
        },
    },
    Column {
        key: "link_loss",
        title: "One link dead",
        unit: "hosts lost",
        explanation: "Hosts that the worst dead link or NI cuts off from the rest.",
        source: "P-Mesh paper, section 3.3",
        cell: |f| f.survival.map_or(UNKNOWN.into(), |s| grouped(s.losses.link.max(s.losses.ni).into())),
    },
    Column {
        key: "switches_survived",
        title: "Survives dead switches",
        unit: "",
        explanation: "Any so many may be dead at once, and all hosts still reach each other, hosts forwarding.",
        source: "Crosspoint; Menger 1927",
        cell: |f| f.survival.map_or(UNKNOWN.into(), |s| survived(s.switches, s.exact)),
    },
    Column {
        key: "links_survived",
        title: "Survives dead links",
        unit: "",
        explanation: "Any so many may be dead at once, and all hosts still reach each other, hosts forwarding.",
        source: "Crosspoint; Menger 1927",
        cell: |f| f.survival.map_or(UNKNOWN.into(), |s| survived(s.links, s.exact)),
    },
];

/// The cells of a row, one for each column; a network that does not take so many hosts has none.
pub fn cells(row: &FabricRow) -> Vec<String> {
    row.figures.iter().flat_map(|figures| COLUMNS.iter().map(|column| (column.cell)(figures))).collect()
}

fn price(figures: &FabricFigures, price: Option<f64>) -> String {
    match (price, figures.bill.unpriced.is_empty()) {
        (None, _) => UNKNOWN.into(),
        (Some(price), true) => fixed(price, 0),
        (Some(price), false) => format!("{}+", fixed(price, 0)),
    }
}

/// One decimal where there is one.
fn short(number: f64) -> String {
    let text = fixed(number, 1);
    text.strip_suffix(".0").map_or(text.clone(), Into::into)
}

/// One decimal, or two digits where that would be nothing.
fn some_digits(number: f64) -> String {
    let decimals = if number > 0.0 && number < 0.1 { 1.0 - number.log10().floor() } else { 1.0 };
    fixed(number, decimals as usize)
}

fn number(number: Option<f64>) -> String {
    number.map_or(UNKNOWN.into(), |number| fixed(number, 1))
}

fn range(best: Option<f64>, worst: Option<f64>) -> String {
    match (best, worst) {
        (Some(best), Some(worst)) if short(best) == short(worst) => short(best),
        (Some(best), Some(worst)) => format!("{} – {}", short(best), short(worst)),
        _ => UNKNOWN.into(),
    }
}

/// A share in percent; what is not all of it does not read 100.
fn share(share: f64) -> String {
    match fixed(100.0 * share, 1) {
        text if text == "100.0" && share < 1.0 => "99.9".into(),
        text => text,
    }
}

fn bounds(exact: bool, least: String, most: Option<String>) -> String {
    match most {
        _ if exact => least,
        Some(most) => format!("{least} ≤ … ≤ {most}"),
        None => format!("≥ {least}"),
    }
}

fn survived(count: Option<u32>, exact: bool) -> String {
    match count {
        None => "–".into(),
        Some(count) if exact => grouped(count.into()),
        Some(count) => format!("≤ {}", grouped(count.into())),
    }
}
