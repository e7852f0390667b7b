//! `crosspoint demand`: the requested pairs of a spec.

use super::{Answer, files, output};
use crate::{counts, prepare::Request};
use anyhow::Result;
use clap::Args;
use shared::{
    analysis::bounds::Bounds,
    api::DemandView,
    text::{fixed, grouped},
};
use std::{fmt::Write as _, path::PathBuf};

/// Count or list the requested pairs of a spec
#[derive(Args)]
pub struct Demand {
    /// Spec file, or - for standard input
    spec: PathBuf,
    /// List the pairs, one per line
    #[arg(long)]
    pairs: bool,
}

impl Demand {
    pub fn run(self) -> Result<Answer> {
        let request = files::read_spec(&self.spec)?;
        if self.pairs {
            list(&request)?;
        } else {
            let view = counts::demand(&request);
            output::print(&(counted(&view) + &bounded(&view.bounds)))?;
        }
        Ok(Answer::Yes)
    }
}

fn list(request: &Request) -> Result<()> {
    output::to(None, |out| {
        for (a, b) in request.demand.pairs() {
            writeln!(out, "{a} {b}")?;
        }
        Ok(())
    })
}

fn counted(view: &DemandView) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "nodes   {}", grouped(view.pes.into()));
    let _ = writeln!(text, "pairs   {}", grouped(view.pairs));
    let (least, most) = (grouped(view.degree_min.into()), grouped(view.degree_max.into()));
    let _ = writeln!(text, "degree  {least} to {most}, mean {}", fixed(view.degree_mean, 2));
    if view.patterns.is_empty() {
        return text;
    }
    let width = view.patterns.iter().map(|p| p.label.chars().count()).max().unwrap_or(0);
    let _ = writeln!(text, "\npattern{:1$}      pairs", "", width.saturating_sub(4));
    for (number, pattern) in view.patterns.iter().enumerate() {
        let _ = writeln!(text, "{number:>2} {:width$} {:>11}", pattern.label, grouped(pattern.pairs));
    }
    let _ = write!(text, "\nsynergy: share of the row's pairs that the column also requests\n  ");
    for column in 0..view.patterns.len() {
        let _ = write!(text, " {column:>6}");
    }
    for (number, pattern) in view.patterns.iter().enumerate() {
        let _ = write!(text, "\n{number:>2}");
        for share in &pattern.synergy {
            let _ = write!(text, " {:>5.1}%", 100.0 * share);
        }
    }
    text.push('\n');
    for fault in &view.refusal {
        let _ = writeln!(text, "\nimpossible: {fault}");
    }
    if !view.proof.is_empty() {
        let _ = writeln!(text, "{}", view.proof);
    }
    text
}

fn bounded(Bounds { ports, switches }: &Bounds) -> String {
    let line = |what: &str, least: u32, reason: &str, source: &str| {
        format!("{what} at least {}: {reason} ({source})\n", grouped(least.into()))
    };
    format!(
        "\n{}{}",
        line("ports   ", ports.ports, &ports.reason, &ports.source),
        line("switches", switches.switches, &switches.reason, &switches.source)
    )
}
