//! `crosspoint demand`: the requested pairs of a spec.

use super::{Answer, files, output, search::possible};
use crate::{counts, prepare::Request};
use anyhow::Result;
use clap::Args;
use shared::{
    analysis::bounds::Bounds,
    api::DemandView,
    demand::job,
    estimate::duration,
    spec::job::{Collective, Job},
    text::{bytes, fixed, grouped, number},
};
use std::{fmt::Write as _, ops::Range, path::PathBuf};

/// Count or list the requested pairs of a spec
///
/// Exit codes: 0 done; 2 bad input, or hardware that provably cannot serve the pairs.
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
            let jobs = &request.spec.jobs;
            let about = |(number, job): (usize, &Job)| volumes(job, (jobs.len() > 1).then_some(number));
            let volumes: String = jobs.iter().enumerate().map(about).collect();
            output::print(&(counted(&view) + &volumes + &bounded(&view.bounds)))?;
            possible(&files::name(&self.spec), &request)?;
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
    let _ = write!(text, "\noverlap: share of the row's pairs that the column also requests\n  ");
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
    text
}

/// The bytes of each dimension of a job, with the factors that they are the product of. `of` is the number of the job, of several.
fn volumes(job: &Job, of: Option<usize>) -> String {
    let of = of.map_or_else(String::new, |number| {
        let Range { start, end } = job.span();
        match end - start {
            1 => format!(", job {number} on node {start}"),
            _ => format!(", job {number} on nodes {start}-{}", end - 1),
        }
    });
    let mut text = format!(
        "\nbytes per step{of}\n{:14}{:34}{:>18}{:>12}{:>12}\n",
        "", "", "groups", "per rank", "on network"
    );
    for share in job::shares(job) {
        let Collective { along, operation, algorithm, .. } = share.collective;
        let how = format!("{}, {}", operation.name(), algorithm.name());
        let groups = format!("{} of {}", grouped(share.groups.into()), grouped(share.members.into()));
        let own = share.collective.bytes.map_or_else(|| "unknown".into(), bytes);
        let network = match (share.collective.bytes, job::groups(job, share.collective).on_network()) {
            (None, _) => String::new(),
            (Some(_), Some((_, sum))) => bytes(sum),
            (Some(_), None) => "in nodes".into(),
        };
        let _ = writeln!(text, "{:14}{how:34}{groups:>18}{own:>12}{network:>12}", along.label());
        for term in &share.terms {
            let rounded = |value: f64| if value < 1000.0 { number(value) } else { fixed(value, 0) };
            // The first word of a factor is the noun of its number.
            let factor = |(name, value): &(&'static str, f64)| {
                let (noun, rest) = name.split_at(name.find(' ').unwrap_or(name.len()));
                let noun = if *value == 1.0 { noun.strip_suffix('s').unwrap_or(noun) } else { noun };
                format!("{} {noun}{rest}", rounded(*value))
            };
            let factors = term.factors.iter().map(factor).collect::<Vec<_>>().join(" x ");
            let _ = writeln!(text, "    {}: {factors}", term.about);
        }
    }
    text
}

fn bounded(Bounds { ports, switches, time }: &Bounds) -> String {
    let line = |what: &str, least: u32, reason: &str, source: &str| {
        format!("{what} at least {}: {reason} ({source})\n", grouped(least.into()))
    };
    let time = time.as_ref().map(|bound| {
        format!("step     at least {}: {} ({})\n", duration(bound.step), bound.reason, bound.source)
    });
    format!(
        "\n{}{}{}",
        line("ports   ", ports.ports, &ports.reason, &ports.source),
        line("switches", switches.switches, &switches.reason, &switches.source),
        time.unwrap_or_default()
    )
}
