//! `crosspoint analyze`: performance and cost of a design.

use super::{Answer, files, output, uncovered, watch};
use crate::{counts, prepare::Request};
use anyhow::{Context, Result};
use clap::Args;
use shared::{
    analysis::routing::FaultReport,
    api::AnalysisView,
    design::{Faults, Names},
};
use std::{fmt::Write as _, path::PathBuf};

/// Max uncovered pairs shown; `crosspoint check` and `--json` list all.
const SHOWN: usize = 20;

/// Show coverage, bounds, cost and bandwidth of a design, and the effect of failed parts
#[derive(Args)]
pub struct Analyze {
    /// Spec file, or - for standard input
    spec: PathBuf,
    /// Wiring table, or - for standard input
    #[arg(value_name = "WIRING")]
    design: PathBuf,
    /// Failed parts, separated with spaces, such as "sw03 node007 node005.nic1": lists the pairs that lose paths and their remaining routes
    ///
    /// A part has the name that the spec gives it, or `sw3`, `node7` or `node5.nic1` with its number. A bare number is an error. With or
    /// without failed parts, the worst single switch and node to fail next are shown.
    #[arg(long, alias = "dead", value_name = "PARTS", default_value = "", hide_default_value = true)]
    failed: String,
    /// Print JSON, as the HTTP API does for work of the kind `analysis`, with `faults`
    #[arg(long)]
    json: bool,
}

impl Analyze {
    pub fn run(self) -> Result<Answer> {
        let (request, design) = files::read_both(&self.spec, &self.design)?;
        let faults =
            Faults::parse(&self.failed, &design, &Names::of(&request.spec, &design)).context("--failed")?;
        let shown = if self.json { usize::MAX } else { SHOWN };
        let (mut view, report) = watch::aside("Analyzing", |_| {
            (counts::analysis(&request, &design), counts::faults(&request, &design, &faults, shown))
        });
        if self.json {
            view.faults = Some(report);
            output::print_json(&view)?;
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
        let _ = writeln!(text, "broken rule: {breach}");
    }
    if view.uncovered > 0 {
        text.push('\n');
        text += &uncovered::coverage(request, &view.verdict, SHOWN, &view.advice);
    } else {
        text += &uncovered::extras(&view.verdict);
    }
    text.push('\n');
    text + &faults.words(view.verdict.requested)
}
