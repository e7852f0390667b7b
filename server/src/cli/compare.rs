//! `crosspoint compare`: a design beside other networks for the same number of hosts.

use super::{Answer, files, output, watch};
use crate::prepare::Request;
use anyhow::{Context, Result, anyhow};
use clap::Args;
use shared::{
    compare::{
        COLUMNS, Column, Comparison, FabricRow, Model, Sources, cells, compare,
        market::{MarketChoice, OWN, PRESETS, chosen, preset, written},
    },
    design::Design,
    fabric::{NetworkKind, kinds},
    spec::{MAX_SPEC_BYTES, Spec},
    text::grouped,
};
use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

/// Compare a design with hub, switch, tree, torus, P-Mesh and other networks
///
/// Every kind is fitted to the spec's number of nodes and the available hardware. Kinds that do not fit are listed with the
/// host counts they accept. Latency and bandwidth follow the model of Nitzberg et al. 1999. Two numbers with ≤ are a
/// lower and an upper bound.
#[derive(Args)]
#[command(after_long_help = explained())]
pub struct Compare {
    /// Spec file, or - for standard input; optional with --prices list
    #[arg(required_unless_present = "prices")]
    spec: Option<PathBuf>,
    /// Wiring table, or - for standard input
    #[arg(value_name = "WIRING")]
    design: Option<PathBuf>,
    /// Prices and hardware: `spec` for the spec's own, a name from `list`, or a TOML file [default: the spec's own if it
    /// has prices, else its `market`]
    #[arg(long, value_name = "NAME|FILE")]
    prices: Option<String>,
    /// Another network, such as tree:768,24,2 or file:PATH; repeatable. `crosspoint fabric list` lists the kinds
    #[arg(long, value_name = "KIND")]
    fabric: Vec<String>,
    /// Print JSON, as the HTTP API does for work of the kind `compare`
    #[arg(long)]
    json: bool,
}

impl Compare {
    pub fn run(self) -> Result<Answer> {
        if self.prices.as_deref() == Some("list") {
            output::print(&presets())?;
            return Ok(Answer::Yes);
        }
        let spec = self.spec.as_deref().context("SPEC is missing; only --prices list works without it")?;
        let networks = Networks::read(spec, self.design.as_deref(), self.prices.as_deref(), &self.fabric)?;
        let comparison = watch::aside("Comparing", |_| compare(&networks.sources(), &networks.others));
        if self.json {
            output::print_json(&comparison)?;
        } else {
            output::print(&text(&comparison, &hardware(&networks.chosen)))?;
        }
        Ok(Answer::Yes)
    }
}

/// Networks to compare: a spec with its design if there is one, a market, and other networks.
pub(super) struct Networks {
    request: Request,
    design: Option<Design>,
    chosen: MarketChoice,
    pub others: Vec<Box<dyn NetworkKind>>,
}

impl Networks {
    pub fn read(
        spec: &Path,
        design: Option<&Path>,
        prices: Option<&str>,
        fabrics: &[String],
    ) -> Result<Networks> {
        let (request, design) = match design {
            Some(design) => {
                files::read_fitting(spec, design).map(|(request, design)| (request, Some(design)))?
            }
            None => (files::read_spec(spec)?, None),
        };
        let others = kinds::parse_all(fabrics, &files::read_network, |_| "--fabric".into())
            .map_err(|faults| anyhow!("{faults}"))?;
        others.iter().for_each(|other| files::warn(other.warnings()));
        let chosen = market(&request.spec, prices, "--prices")?;
        Ok(Networks { request, design, chosen, others })
    }

    pub fn sources(&self) -> Sources<'_> {
        Sources {
            spec: &self.request.spec,
            demand: &self.request.demand,
            design: self.design.as_ref(),
            market: &self.chosen.market,
            own: self.chosen.own,
        }
    }
}

/// The market with that name, or from that file, as a flag gives it.
pub(super) fn market(spec: &Spec, name: Option<&str>, flag: &str) -> Result<MarketChoice> {
    let name = name.unwrap_or_default();
    if name.is_empty() || name == OWN || preset(name).is_some() {
        return chosen(spec, name).map_err(|faults| anyhow!("{faults}"));
    }
    let path = Path::new(name);
    if name != output::STANDARD && !path.exists() {
        let names: Vec<_> = PRESETS.iter().map(|preset| preset.key).collect();
        return Err(anyhow!(
            "{flag}: there is no file {name}; give {OWN}, {} or a TOML file.",
            names.join(", ")
        ));
    }
    let text = files::read_text(path, MAX_SPEC_BYTES as u64)?;
    let market = written(&text).map_err(|faults| files::refused(path, &text, "a market file", &faults))?;
    Ok(MarketChoice { market, own: false })
}

fn presets() -> String {
    let own = format!(
        "{OWN:<6}The spec's own hardware: its switches and prices; speeds and latencies of its market\n"
    );
    PRESETS
        .iter()
        .fold(own, |text, preset| text + &format!("{:<6}{}: {}\n", preset.key, preset.title(), preset.source))
}

/// Columns per table, by key.
const TABLES: [&[&str]; 3] = [
    &[
        "hosts",
        "nics",
        "switches",
        "ports",
        "cables",
        "price",
        "price_per_host",
        "price_per_rank",
        "power",
        "units",
    ],
    &["diameter", "latency", "bandwidth", "demand_latency", "demand_bandwidth", "single_switch", "unreached"],
    &[
        "bisection_links",
        "bisection_bandwidth",
        "switch_loss",
        "link_loss",
        "switches_survived",
        "links_survived",
    ],
];

/// Prices, speeds and times that the figures use.
fn hardware(MarketChoice { market, own }: &MarketChoice) -> String {
    let Model { latency, bandwidth, switch_latency, switch_bandwidth, host_latency, host_bandwidth } =
        market.model;
    let name = if market.name.is_empty() { "unnamed prices" } else { &market.name };
    let mut text = format!(
        "prices: {name}\nLinks {} Mb/s, trunks {} Mb/s. Direct connection: {latency} µs, {bandwidth} MB/s. Per switch: \
         +{switch_latency} µs, -{switch_bandwidth} MB/s.\nPer forwarding host: +{host_latency} µs, -{host_bandwidth} MB/s.",
        grouped(market.speed.into()),
        grouped(market.trunk_speed.into())
    );
    if let Some(backplane) = market.backplane {
        let _ = write!(text, " Total rate of a switch without trunks: {} Mb/s.", grouped(backplane.into()));
    }
    if *own {
        text += "\nSpeeds and times are those of the spec's `market`; choose others with --prices.";
    }
    text
}

fn text(comparison: &Comparison, hardware: &str) -> String {
    let mut text = format!(
        "{} hosts, {} requested {}; {hardware}\n",
        grouped(comparison.hosts.into()),
        grouped(comparison.pairs),
        if comparison.pairs == 1 { "pair" } else { "pairs" }
    );
    let rows: Vec<&FabricRow> = comparison.rows.iter().filter(|row| row.figures.is_some()).collect();
    for keys in TABLES {
        text.push('\n');
        text += &table(&rows, keys);
    }
    let _ = write!(text, "\n{}\n", comparison.conclusion());
    text += &unpriced(&rows);
    text += &unlike(&rows);
    let missing = comparison.rows.iter().filter_map(|row| Some((&row.title, row.takes.as_ref()?)));
    let missing: Vec<String> = missing.map(|(title, takes)| format!("  {title}: {takes}\n")).collect();
    if !missing.is_empty() {
        let _ = write!(
            text,
            "\nNot available for {} hosts; accepted numbers of hosts:\n{}",
            grouped(comparison.hosts.into()),
            missing.concat()
        );
    }
    text
}

/// Networks with parts without a price, grouped by those parts.
fn unpriced(rows: &[&FabricRow]) -> String {
    let mut parts: Vec<(String, Vec<String>)> = Vec::new();
    for (row, figures) in rows.iter().filter_map(|row| Some((row, row.figures.as_ref()?))) {
        let missing = figures.bill.unpriced.join(", ");
        match parts.iter_mut().find(|(same, _)| *same == missing) {
            _ if missing.is_empty() => {}
            Some((_, names)) => names.push(name(row)),
            None => parts.push((missing, vec![name(row)])),
        }
    }
    let lines = parts.iter().map(|(missing, names)| match names.len() == rows.len() {
        true => format!("  every network: {missing}\n"),
        false => format!("  {}: {missing}\n", names.join(", ")),
    });
    let lines: String = lines.collect();
    match lines.is_empty() {
        true => lines,
        false => format!("\nPrices marked + leave out these parts:\n{lines}"),
    }
}

/// Networks with other hosts than the spec.
fn unlike(rows: &[&FabricRow]) -> String {
    let lines: String =
        rows.iter().filter_map(|row| Some(format!("  {}: {}\n", name(row), row.unlike.as_ref()?))).collect();
    match lines.is_empty() {
        true => lines,
        false => {
            format!(
                "\nDifferent hardware (no requested-pair figures if the number of hosts differs):\n{lines}"
            )
        }
    }
}

/// Explanations of the columns, for the help.
fn explained() -> String {
    let line = |column: &Column| {
        let unit = if column.unit.is_empty() { String::new() } else { format!(" ({})", column.unit) };
        format!("  {}{unit}: {} [{}]\n", column.title, column.explanation, column.source)
    };
    let columns: String = COLUMNS.iter().map(line).collect();
    format!(
        "Columns:\n{columns}\n– is unknown, takes too long to compute, or does not apply.\n\n\
         Table 3 of Nitzberg et al. 1999, for a spec with 16 nodes:\n  \
         crosspoint compare SPEC --prices 1998 --fabric direct --fabric hub:16 --fabric switch:16 --fabric tree:768,24,2 --fabric pmesh:4x4,4"
    )
}

fn name(row: &FabricRow) -> String {
    if row.kind == "design" { row.title.clone() } else { row.text.clone() }
}

fn table(rows: &[&FabricRow], keys: &[&str]) -> String {
    let columns: Vec<usize> =
        keys.iter().filter_map(|key| COLUMNS.iter().position(|column| column.key == *key)).collect();
    let head = columns.iter().map(|&column| COLUMNS[column].title.to_string());
    let units = columns.iter().map(|&column| COLUMNS[column].unit.to_string());
    let mut lines = vec![
        std::iter::once("Network".to_string()).chain(head).collect::<Vec<_>>(),
        std::iter::once(String::new()).chain(units).collect(),
    ];
    lines.extend(rows.iter().map(|row| {
        let cells = cells(row);
        std::iter::once(name(row)).chain(columns.iter().map(|&column| cells[column].clone())).collect()
    }));
    output::table(&lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_have_every_column_once() {
        let columns: Vec<_> = COLUMNS.iter().map(|column| column.key).collect();
        assert_eq!(TABLES.concat(), columns);
    }
}
