//! `crosspoint estimate`: the time of a training step on a design and on other networks.

use super::{
    Answer,
    compare::Networks,
    flags::{Flags, named},
    output, watch,
};
use anyhow::{Result, anyhow};
use clap::Args;
use shared::{
    estimate::{COLUMNS, EstimateForm, EstimateReport, JOB_COLUMNS, JobStep, NetworkStep, duration},
    text::{bytes, grouped},
};
use simulate::step::{Estimating, estimate_watched};
use std::{fmt::Write as _, path::PathBuf};

const ENDING: &str = "\
The spec needs a training job, tables [job] and [model], or measured traffic alone. Each dimension of the job, or all traffic, becomes
transfers between nodes. Transfers spread evenly over all shortest paths. Where links between switches limit them, the estimate sends the best share over detours. Two models are shown: a fluid model (max-min fair link sharing), and a frame-level simulation that checks it.
An assumption without a flag has its value from the table [assumptions] of the spec, and its default if the table lacks it.

  crosspoint estimate spec.toml wiring.txt
  crosspoint estimate spec.toml wiring.txt --prices 800g --fabric planes:8,jellyfish:82,40,0,25,2048";

/// Estimate the time of a training step, on a design and on other networks
///
/// Baselines are a switch per plane (rail-only), the rail-optimised Clos, multi-plane fat tree, oversubscribed tree, Dragonfly
/// and torus, fitted to the spec's number of nodes and NICs. Prices, speeds and latencies come from one market.
///
/// Exit codes: 0 done, 1 the wiring has no estimate, since some nodes have no path to each other, 2 bad input.
#[derive(Args)]
#[command(after_help = explained())]
pub struct Estimate {
    /// Spec file with a training job or measured traffic, or - for standard input
    spec: PathBuf,
    /// Wiring table, or - for standard input
    #[arg(value_name = "WIRING")]
    design: Option<PathBuf>,
    /// Prices, speeds and latencies, as --prices of `crosspoint compare`
    #[arg(long, value_name = "NAME|FILE")]
    prices: Option<String>,
    /// Another network, such as planes:8,dragonfly:32,16,4; repeatable
    #[arg(long, value_name = "KIND")]
    fabric: Vec<String>,
    #[command(flatten)]
    assumptions: Flags<EstimateForm>,
    /// Print JSON, as the HTTP API does for work of the kind `estimate`
    #[arg(long)]
    json: bool,
}

impl Estimate {
    pub fn run(self) -> Result<Answer> {
        let prices = self.prices.as_deref();
        let networks = Networks::read(&self.spec, self.design.as_deref(), prices, &self.fabric)?;
        let sources = networks.sources();
        let settings = self.assumptions.typed.read(&sources.spec.assumptions);
        let settings = settings.map_err(named::<EstimateForm>)?;
        let report = watch::aside("Estimating", |show| {
            let mut next = |Estimating { network, number, of }| {
                show(format!("Estimating {network}, {number} of {of}"));
            };
            estimate_watched(&sources, &networks.others, &settings, &mut next)
        });
        let report = report.map_err(|fault| anyhow!("{fault}"))?;
        if self.json {
            output::print_json(&report)?;
        } else {
            output::print(&text(&report))?;
        }
        let design = report.networks.iter().find(|network| network.kind == "design");
        Ok(match design.and_then(|design| design.missing.as_ref()) {
            Some(why) => {
                output::to_stderr(&format!("crosspoint: no estimate of this design: {why}\n"));
                Answer::No
            }
            None => Answer::Yes,
        })
    }
}

fn text(report: &EstimateReport) -> String {
    let mut text = format!(
        "{} nodes, {}; {}, links {} Mb/s\n",
        grouped(report.hosts.into()),
        report.load(),
        report.market,
        grouped(report.speed.into())
    );
    if let (Some(compute), Some(bubble)) = (report.compute, report.bubble) {
        let _ =
            writeln!(text, "Computing {}, pipeline bubble {} per step.", duration(compute), duration(bubble));
    } else {
        text += report.what_a_step_is();
        text.push('\n');
    }
    let networks: Vec<&NetworkStep> = report.networks.iter().filter(|n| n.missing.is_none()).collect();
    if !networks.is_empty() {
        let tables = [costs(report, &networks), jobs(&networks), dimensions(&networks)];
        let tables: Vec<String> =
            tables.iter().filter(|table| table.len() > 1).map(|table| output::table(table)).collect();
        let _ = write!(text, "\n{}", tables.join("\n"));
    }
    let doubts: String = networks.iter().filter_map(|n| Some(format!("  {}\n", n.doubt()?))).collect();
    if !doubts.is_empty() {
        let _ = write!(text, "\nThe two models disagree:\n{doubts}");
    }
    let unlike =
        |network: &&NetworkStep| Some(format!("  {}: {}\n", name(network), network.unlike.as_ref()?));
    let unlike: String = networks.iter().filter_map(unlike).collect();
    if !unlike.is_empty() {
        let _ = write!(text, "\nNot like for like:\n{unlike}");
    }
    text += &networks.first().map_or(String::new(), |network| details(network));
    if let Some(orders) = &report.orders {
        let _ = writeln!(text, "\n{}", orders.lines().join("\n"));
    }
    let missing = report.networks.iter().filter_map(|n| Some((n, n.missing.as_ref()?)));
    let missing: String = missing.map(|(n, why)| format!("  {}: {why}\n", n.name())).collect();
    if !missing.is_empty() {
        let _ = write!(text, "\nNo estimate for {} nodes:\n{missing}", grouped(report.hosts.into()));
    }
    let assumptions: String = report.assumptions.iter().map(|line| format!("  {line}\n")).collect();
    let _ = write!(text, "\n{}\n\nAssumptions:\n{assumptions}", report.verdict);
    text
}

fn name(network: &NetworkStep) -> String {
    if network.kind == "design" { network.title.clone() } else { network.text.clone() }
}

fn costs(report: &EstimateReport, networks: &[&NetworkStep]) -> Vec<Vec<String>> {
    let head = std::iter::once("Network").chain(COLUMNS.iter().map(|column| column.title));
    let line = |network: &&NetworkStep| {
        let cells = COLUMNS.iter().map(|column| column.cell(report, network));
        std::iter::once(name(network)).chain(cells).collect()
    };
    std::iter::once(head.map(Into::into).collect()).chain(networks.iter().map(line)).collect()
}

/// A line for each job on each network; only the head without several jobs.
fn jobs(networks: &[&NetworkStep]) -> Vec<Vec<String>> {
    let line = |network: &NetworkStep, (number, job): (usize, &JobStep)| {
        std::iter::once(name(network)).chain(job.cells(number)).collect::<Vec<_>>()
    };
    let lines = networks
        .iter()
        .flat_map(|network| network.jobs.iter().enumerate().map(move |job| line(network, job)));
    let head = std::iter::once("Network").chain(JOB_COLUMNS).map(Into::into).collect();
    std::iter::once(head).chain(lines).collect()
}

/// Communication per step by dimension.
fn dimensions(networks: &[&NetworkStep]) -> Vec<Vec<String>> {
    let Some(first) = networks.first() else { return Vec::new() };
    let head = first.dimensions.iter().map(|d| format!("{} ({})", d.label, d.name));
    let line = |network: &&NetworkStep| {
        let cells = network.dimensions.iter().map(NetworkStep::dimension_text);
        std::iter::once(name(network)).chain(cells).collect()
    };
    std::iter::once(std::iter::once("Dimension".into()).chain(head).collect())
        .chain(networks.iter().map(line))
        .collect()
}

/// Busiest links and the worst failure of a network.
fn details(network: &NetworkStep) -> String {
    let mut text = format!("\nBusiest links of {}:\n", network.name());
    for link in &network.busiest {
        let _ = writeln!(text, "  {}: {} in {}", link.name, bytes(link.bytes), duration(link.seconds));
    }
    text + &network.failure_text().map_or(String::new(), |failure| failure + "\n")
}

/// Explanations of the columns, for the help.
fn explained() -> String {
    let lines: String =
        COLUMNS.iter().map(|column| format!("  {}: {}\n", column.title, column.explanation)).collect();
    format!("{ENDING}\n\nColumns:\n{lines}")
}
