//! The columns of a comparison as text.

use super::{beside::FabricRow, figures::FabricFigures};
use crate::text::{fixed, grouped, rounded};

/// A column.
pub struct Column {
    /// Key of the column.
    pub key: &'static str,
    /// Title.
    pub title: &'static str,
    /// Unit; empty for plain numbers.
    pub unit: &'static str,
    /// Explanation, one line.
    pub explanation: &'static str,
    /// Paper and section, or author.
    pub source: &'static str,
    /// `true` for one of the eight columns that decide.
    pub decides: bool,
    cell: fn(&FabricFigures) -> String,
}

impl Column {
    const fn new(key: &'static str, title: &'static str, unit: &'static str, source: &'static str) -> Column {
        Column { key, title, unit, explanation: "", source, decides: false, cell: |_| String::new() }
    }

    const fn deciding(self) -> Column {
        Column { decides: true, ..self }
    }

    const fn explanation(self, explanation: &'static str) -> Column {
        Column { explanation, ..self }
    }

    const fn cell(self, cell: fn(&FabricFigures) -> String) -> Column {
        Column { cell, ..self }
    }
}

const UNKNOWN: &str = "–";

/// All columns, after the network's name.
pub const COLUMNS: &[Column] = &[
    Column::new("hosts", "Hosts", "", "Nitzberg et al. 1999, table 2")
        .explanation("Hosts of the network.")
        .cell(|f| grouped(f.hosts.into())),
    Column::new("nics", "NICs per host", "", "Crosspoint")
        .deciding()
        .explanation("NICs with a cable, divided by the number of hosts.")
        .cell(|f| rounded(f.nis as f64 / f64::from(f.hosts.max(1)), 1)),
    Column::new("switches", "Switches", "", "Nitzberg et al. 1999, section 3")
        .deciding()
        .explanation("Switches and hubs.")
        .cell(|f| grouped(f.switches)),
    Column::new("ports", "Ports", "", "Nitzberg et al. 1999, section 3")
        .explanation("Ports needed on switches and hubs. Identical switches are sized for the busiest one.")
        .cell(|f| grouped(f.ports)),
    Column::new("cables", "Cables", "", "Etsion et al. 2000, section 6")
        .explanation("One per link.")
        .cell(|f| grouped(f.cables)),
    Column::new("price", "Price", "", "Nitzberg et al. 1999, table 2")
        .deciding()
        .explanation("NICs, switches and cables at the chosen prices; + if some parts have no price.")
        .cell(|f| price(f, f.bill.total)),
    Column::new("price_per_host", "Price per host", "", "Nitzberg et al. 1999, table 2")
        .explanation("Price divided by the number of hosts.")
        .cell(|f| price(f, f.price_per_host())),
    Column::new("price_per_rank", "Price per GPU", "", "Crosspoint")
        .explanation("Price divided by the number of GPUs (ranks) of the training job.")
        .cell(|f| f.ranks.map_or("–".into(), |_| price(f, f.price_per_rank()))),
    Column::new("power", "Power", "kW", "Crosspoint")
        .deciding()
        .explanation("NICs, switches and ends of cables at the chosen market.")
        .cell(|f| f.bill.power.map_or(UNKNOWN.into(), |watts| fixed(watts / 1000.0, 1))),
    Column::new("units", "Rack units", "U", "Crosspoint")
        .explanation("Height of the switches.")
        .cell(|f| f.bill.units.map_or(UNKNOWN.into(), grouped)),
    Column::new("diameter", "Diameter", "switches + hosts", "Nitzberg et al. 1999, section 3")
        .explanation("Switches and forwarding hosts between the two hosts that are farthest apart.")
        .cell(|f| match (f.diameter_switches, f.diameter_hosts) {
            (Some(switches), Some(hosts)) => {
                format!("{} + {}", grouped(switches.into()), grouped(hosts.into()))
            }
            _ => UNKNOWN.into(),
        }),
    Column::new("latency", "Latency", "µs", "Nitzberg et al. 1999, tables 2 and 3")
        .explanation(
            "Best and worst pair by the model: base latency plus the latency of switches and forwarding hosts.",
        )
        .cell(|f| range(f.best.map(|p| p.latency), f.worst.map(|p| p.latency))),
    Column::new("bandwidth", "Bandwidth", "MB/s", "Nitzberg et al. 1999, tables 2 and 3")
        .explanation(
            "Best and worst pair by the model: base bandwidth less the loss at switches and \
             forwarding hosts, at least 0.",
        )
        .cell(|f| range(f.best.map(|p| p.bandwidth), f.worst.map(|p| p.bandwidth))),
    Column::new("demand_latency", "Latency, requested pairs", "µs", "Crosspoint")
        .deciding()
        .explanation("Mean over reachable requested pairs, by weight.")
        .cell(|f| number(f.demand.and_then(|d| d.latency))),
    Column::new("demand_bandwidth", "Bandwidth, requested pairs", "MB/s", "Crosspoint")
        .explanation("Mean over reachable requested pairs, by weight.")
        .cell(|f| number(f.demand.and_then(|d| d.bandwidth))),
    Column::new("single_switch", "Single-switch pairs", "%", "Mattox 2006, section 2.4")
        .deciding()
        .explanation("Requested pairs with at most one switch and no host between them.")
        .cell(|f| f.demand.and_then(|d| d.single_switch).map_or(UNKNOWN.into(), share)),
    Column::new("unreached", "Unreachable", "pairs", "Crosspoint")
        .explanation("Requested pairs without any path; the means exclude them.")
        .cell(|f| f.demand.and_then(|d| d.unreached).map_or(UNKNOWN.into(), grouped)),
    Column::new("bisection_links", "Bisection", "links", "Etsion et al. 2000, section 5")
        .explanation(
            "Fewest links between any two halves of the hosts, including the hosts' own links. The Figures view has the \
             expected bandwidth between halves, a mean over random pairs. Two numbers are a lower and an upper bound.",
        )
        .cell(|f| {
            let (least, most) = (f.bisection.least_links, f.bisection.links);
            bounds(most == Some(least), grouped(least), most.map(grouped))
        }),
    Column::new("bisection_bandwidth", "Bisection per host", "MB/s", "Nitzberg et al. 1999, section 3.0")
        .deciding()
        .explanation(
            "Bandwidth between halves, both ways, divided by the number of hosts. Two numbers are \
             a lower and an upper bound.",
        )
        .cell(|f| {
            let (least, most) =
                (some_digits(f.bisection.least_bandwidth), f.bisection.bandwidth.map(some_digits));
            bounds(most.as_ref() == Some(&least), least, most)
        }),
    Column::new("switch_loss", "One failed switch", "hosts cut off", "Nitzberg et al. 1999, section 5")
        .deciding()
        .explanation("Hosts that the worst switch failure cuts off, if hosts forward frames.")
        .cell(|f| {
            f.survival.map_or(UNKNOWN.into(), |s| s.losses.switch.map_or("–".into(), |n| grouped(n.into())))
        }),
    Column::new("link_loss", "One failed link", "hosts cut off", "Nitzberg et al. 1999, section 3.3")
        .explanation("Hosts that the worst link or NIC failure cuts off, if hosts forward frames.")
        .cell(|f| f.survival.map_or(UNKNOWN.into(), |s| grouped(s.losses.link.max(s.losses.ni).into()))),
    Column::new("switches_survived", "Switch failures survived", "through other hosts", "Crosspoint; Menger 1927")
        .explanation(
            "How many switches can fail at once, in any combination, before two working hosts lose contact (hosts may forward).",
        )
        .cell(|f| f.survival.map_or(UNKNOWN.into(), |s| survived(s.switches, s.exact))),
    Column::new("links_survived", "Link failures survived", "through other hosts", "Crosspoint; Menger 1927")
        .explanation(
            "Number of links that may fail at once, whichever they are, while all hosts reach each \
             other, if need be through other hosts, which forward frames.",
        )
        .cell(|f| f.survival.map_or(UNKNOWN.into(), |s| survived(s.links, s.exact))),
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

/// One decimal, or two digits if that would read 0.
fn some_digits(number: f64) -> String {
    let decimals = if number > 0.0 && number < 0.1 { 1.0 - number.log10().floor() } else { 1.0 };
    fixed(number, decimals as usize)
}

fn number(number: Option<f64>) -> String {
    number.map_or(UNKNOWN.into(), |number| fixed(number, 1))
}

fn range(best: Option<f64>, worst: Option<f64>) -> String {
    match [best, worst].map(|number| Some(rounded(number?, 1))) {
        [Some(best), Some(worst)] if best == worst => best,
        [Some(best), Some(worst)] => format!("{best} – {worst}"),
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
        None if least.starts_with('0') => UNKNOWN.into(),
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
