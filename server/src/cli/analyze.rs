//! `crosspoint analyze`: what a wiring does and costs.

use super::{Answer, files, output, uncovered};
use crate::{counts, prepare::Request};
use anyhow::{Context, Result};
use clap::Args;
use shared::{analysis::routing::FaultReport, api::AnalysisView, design::Faults};
use std::{fmt::Write as _, path::PathBuf};

/// Uncovered pairs that are shown; `crosspoint check` and `--json` name all.
const SHOWN: usize = 20;

/// Tell coverage, bounds, cost and bandwidth of a wiring, and what faults take
#[derive(Args)]
pub struct Analyze {
    /// The spec file, or - for standard input
    spec: PathBuf,
    /// The wiring table, or - for standard input
    design: PathBuf,
    /// What is dead: switches, PEs and NIs such as "sw3 pe7 pe5.ni1"; tells which pairs lose which paths, and what they
    /// have instead. Without it, only the worst single switch and PE to lose are told
    #[arg(long, value_name = "PARTS", default_value = "", hide_default_value = true)]
    dead: String,
    /// Print JSON, as `POST /api/analysis` answers, with `faults` besides
    #[arg(long)]
    json: bool,
}

impl Analyze {
    /// Prints the figures.
    pub fn run(self) -> Result<Answer> {
        let (request, design) = files::read_both(&self.spec, &self.design)?;
        let faults = Faults::parse(&self.dead, &design).context("--dead")?;
        let mut view = counts::analysis(&request, &design);
        let report = counts::faults(&request, &design, &faults, if self.json { usize::MAX } else { SHOWN });
        if self.json {
            view.faults = Some(report);
            output::to(None, |out| {
                serde_json::to_writer_pretty(&mut *out, &view).map_err(std::io::Error::from)?;
                Ok(out.write_all(b"\n")?)
            })?;
        } else {
            output::print(&table(&request, &view, &report))?;
        }
        Ok(Answer::Yes)
    }
}

fn table(request: &Request, view: &AnalysisView, faults: &FaultReport) -> String {
    let mut text = String::new();
    let width = |of: fn(&shared::analysis::FigureRow) -> &str| {
        view.rows.iter().map(|row| of(row).chars().count()).max().unwrap_or(0)
    };
    let (titles, values) = (width(|r| &r.title), width(|r| &r.value).min(24));
    for row in &view.rows {
        let line = format!("{:titles$}  {:>values$} {}", row.title, row.value, row.unit);
        let _ = writeln!(text, "{}", line.trim_end());
    }
    for breach in &view.verdict.breaches {
        let _ = writeln!(text, "over budget: {breach}");
    }
    if view.uncovered > 0 {
        text.push('\n');
        text += &uncovered::told(request, &view.verdict, SHOWN, &view.advice);
    } else {
        text += &uncovered::besides(&view.verdict);
    }
    text.push('\n');
    text + &faults.words(view.verdict.requested)
}
