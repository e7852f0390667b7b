//! The columns of a comparison as text.

use super::{beside::FabricRow, figures::FabricFigures};
use crate::text::{fixed, grouped};

/// A column.
pub struct Column {
    /// Its key.
    pub key: &'static str,
    /// Title.
    pub title: &'static str,
    /// Unit; empty for plain numbers.
    pub unit: &'static str,
    /// Explanation, one line.
    pub explanation: &'static str,
    /// Paper and section, or author.
    pub source: &'static str,
    cell: fn(&FabricFigures) -> String,
}

const UNKNOWN: &str = "?";

/// All columns, after the network's name.
pub const COLUMNS: &[Column] = &[
    Column {
        key: "hosts",
        title: "Hosts",
        unit: "",
        explanation: "Hosts of the network.",
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
        explanation: "Ports needed on switches and hubs. Identical switches are sized for the busiest one.",
        source: "P-Mesh paper, section 3",
        cell: |f| grouped(f.ports),
    },
    Column {
        key: "cables",
        title: "Cables",
        unit: "",
        explanation: "One per link.",
        source: "topology paper, section 6",
        cell: |f| grouped(f.cables),
    },
    Column {
        key: "price",
        title: "Price",
        unit: "",
        explanation: "NICs, switches and cables at the chosen prices; + if some parts have no price.",
        source: "P-Mesh paper, table 2",
        cell: |f| price(f, f.bill.total),
    },
    Column {
        key: "price_per_host",
        title: "Price per host",
        unit: "",
        explanation: "Price divided by the number of hosts.",
        source: "P-Mesh paper, table 2",
        cell: |f| price(f, f.price_per_host()),
    },
    Column {
        key: "diameter",
        title: "Diameter",
        unit: "switches + hosts",
        explanation: "Switches and forwarding hosts between the two hosts that are farthest apart.",
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
        explanation: "Best and worst pair by the model: base latency plus that of switches and forwarding hosts.",
        source: "P-Mesh paper, tables 2 and 3",
        cell: |f| range(f.best.map(|p| p.latency), f.worst.map(|p| p.latency)),
    },
    Column {
        key: "bandwidth",
        title: "Bandwidth",
        unit: "MB/s",
        explanation: "Best and worst pair by the model: base bandwidth less the loss at switches and forwarding hosts, at least 0.",
        source: "P-Mesh paper, tables 2 and 3",
        cell: |f| range(f.best.map(|p| p.bandwidth), f.worst.map(|p| p.bandwidth)),
    },
    Column {
        key: "demand_latency",
        title: "Latency, requested pairs",
        unit: "us",
        explanation: "Mean over reachable requested pairs, by weight.",
        source: "Crosspoint",
        cell: |f| number(f.demand.and_then(|d| d.latency)),
    },
    Column {
        key: "demand_bandwidth",
        title: "Bandwidth, requested pairs",
        unit: "MB/s",
        explanation: "Mean over reachable requested pairs, by weight.",
        source: "Crosspoint",
        cell: |f| number(f.demand.and_then(|d| d.bandwidth)),
    },
    Column {
        key: "single_switch",
        title: "Single-switch pairs",
        unit: "%",
        explanation: "Requested pairs with at most one switch and no host between them.",
        source: "dissertation, section 2.4",
        cell: |f| f.demand.map_or(UNKNOWN.into(), |d| share(d.single_switch)),
    },
    Column {
        key: "unreached",
        title: "Unreachable",
        unit: "pairs",
        explanation: "Requested pairs without any path; the means exclude them.",
        source: "Crosspoint",
        cell: |f| f.demand.and_then(|d| d.unreached).map_or(UNKNOWN.into(), grouped),
    },
    Column {
        key: "bisection_links",
        title: "Bisection",
        unit: "links",
        explanation: "Fewest links between halves of the hosts, including the hosts' own links. Two numbers are a lower and an upper bound.",
        source: "topology paper, section 5",
        cell: |f| {
            let (least, most) = (f.bisection.least_links, f.bisection.links);
            bounds(most == Some(least), grouped(least), most.map(grouped))
        },
    },
    Column {
        key: "bisection_bandwidth",
        title: "Bisection per host",
        unit: "MB/s",
        explanation: "Bandwidth between halves, both ways, divided by the number of hosts. Two numbers are a lower and an upper bound.",
        source: "P-Mesh paper, section 3.0",
        cell: |f| {
            let (least, most) =
                (some_digits(f.bisection.least_bandwidth), f.bisection.bandwidth.map(some_digits));
            bounds(most.as_ref() == Some(&least), least, most)
        },
    },
    Column {
        key: "switch_loss",
        title: "One failed switch",
        unit: "hosts cut off",
        explanation: "Hosts that the worst switch failure cuts off, if hosts forward frames.",
        source: "P-Mesh paper, section 5",
        cell: |f| {
            f.survival.map_or(UNKNOWN.into(), |s| s.losses.switch.map_or("–".into(), |n| grouped(n.into())))
        },
    },
    Column {
        key: "link_loss",
        title: "One failed link",
        unit: "hosts cut off",
        explanation: "Hosts that the worst link or NIC failure cuts off, if hosts forward frames.",
        source: "P-Mesh paper, section 3.3",
        cell: |f| f.survival.map_or(UNKNOWN.into(), |s| grouped(s.losses.link.max(s.losses.ni).into())),
    },
    Column {
        key: "switches_survived",
        title: "Switch failures survived",
        unit: "",
        explanation: "Number of switches that may fail at once, whichever they are, while all working hosts reach each other; hosts forward frames.",
        source: "Crosspoint; Menger 1927",
        cell: |f| f.survival.map_or(UNKNOWN.into(), |s| survived(s.switches, s.exact)),
    },
    Column {
        key: "links_survived",
        title: "Link failures survived",
        unit: "",
        explanation: "Number of links that may fail at once, whichever they are, while all hosts reach each other; hosts forward frames.",
        source: "Crosspoint; Menger 1927",
        cell: |f| f.survival.map_or(UNKNOWN.into(), |s| survived(s.links, s.exact)),
    },
];

/// The cells of a row, one per column; none if the network is not available for this number of hosts.
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

/// Up to one decimal.
fn short(number: f64) -> String {
    let text = fixed(number, 1);
    text.strip_suffix(".0").map_or(text.clone(), Into::into)
}

/// One decimal, or two digits if that would read 0.
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

/// A share in percent; anything below 100 % reads at most 99.9.
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
