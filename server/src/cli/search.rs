//! `crosspoint search`: find a wiring.

mod keeper;

use super::{
    Answer,
    checkpoint::{self, Checkpoints},
    files, output,
    progress::{self, ProgressLine},
    signals, standing, tell, told, uncovered,
};
use crate::{artifact, counts::advise, jobs::DEFAULT_SECONDS, prepare::Request, remedy::remedy};
use anyhow::{Result, bail};
use clap::Args;
use keeper::Keeper;
use search::{options::Options, request::resume};
use shared::{
    analysis::bounds::refuse,
    api::MAX_EFFORT,
    design::{Design, check},
    search::{Budget, Ended, Outcome, SearchRequest},
    spec::Objective,
};
use std::{path::PathBuf, time::Duration};

/// Uncovered pairs that are shown; `crosspoint check` names all.
const SHOWN: usize = 20;

const ENDING: &str = "\
Ctrl-C ends the search and keeps the best wiring found so far; a second one ends the program at once.

A search of hours is best given --checkpoint FILE: should the program or the machine be stopped, the same command goes on
from the file and comes to the same wirings. With a larger --seconds or --effort it also goes on with what has ended.";

/// Find a wiring that covers every requested pair
///
/// Progress goes to standard error, the wiring table to standard output or to the file that -o names. The search ends as
/// soon as every requested pair is covered. What is told at the end: the pairs left uncovered, how the wiring was found, and
/// how close its hardware is to the best lower bounds known.
///
/// Exit codes: 0 every requested pair is covered, or the objective is fractional and a wiring is written; 1 some pairs are
/// not covered, and the best wiring found is written; 2 bad input, hardware that cannot do it, or a file that cannot be
/// written.
#[derive(Args)]
#[command(after_help = ENDING)]
pub struct Search {
    /// The spec file, or - for standard input
    spec: PathBuf,
    /// Give up after so many seconds [default: 60]
    #[arg(long, value_name = "S", value_parser = seconds, conflicts_with = "effort")]
    seconds: Option<f64>,
    /// Give up after so many million moves: the same wiring on every machine
    #[arg(long, value_name = "W", value_parser = million_moves)]
    effort: Option<u64>,
    #[command(flatten)]
    origin: Origin,
    /// The file that the wiring table goes to; - is standard output, as without it
    #[arg(short, long, value_name = "DESIGN")]
    output: Option<PathBuf>,
    /// Write what the search can go on from to this file about every 10 s; go on from it if it is there
    ///
    /// Spec, seed, threads and the version of Crosspoint must be the same; --seconds and --effort count from the first
    /// beginning. The file is removed once a wiring is found that covers every requested pair.
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Seconds between two checkpoints
    #[arg(long, value_name = "S", value_parser = seconds, default_value = "10", hide = true)]
    checkpoint_every: f64,
}

/// How a wiring was found, in words that follow "found".
fn by(method: &str) -> String {
    if method.starts_with("by ") { method.into() } else { format!("by {method}") }
}

/// A number of seconds on the command line.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse::<f64>().ok().filter(|s| *s > 0.0 && *s <= 1e9);
    seconds.ok_or_else(|| "a number of seconds above 0, at most 1000000000".into())
}

/// A number of million moves on the command line.
pub(super) fn million_moves(text: &str) -> Result<u64, String> {
    let effort = text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten();
    let effort = effort.filter(|effort| (1..=MAX_EFFORT).contains(effort));
    effort.ok_or_else(|| format!("a whole number of million moves, from 1 to {MAX_EFFORT}, in plain digits"))
}

/// What makes a search the same again, besides its spec and effort.
#[derive(Args)]
pub(super) struct Origin {
    /// Where randomness starts
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// Islands to search on [default: the machine's cores]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: Option<u32>,
}

impl Origin {
    /// Islands to search on.
    pub(super) fn islands(&self) -> u32 {
        let cores = || std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
        self.threads.unwrap_or_else(|| cores().min(256))
    }
}

/// Effort if it is given, else seconds.
pub(super) fn budget(effort: Option<u64>, seconds: Option<f64>, default: f64) -> Budget {
    effort.map_or_else(|| Budget::Seconds(seconds.unwrap_or(default)), Budget::Effort)
}

impl Search {
    /// Searches, writes the best wiring and says what it leaves uncovered.
    pub fn run(self) -> Result<Answer> {
        // A spec from a terminal or a pipe may be waited for as long as it takes, and ctrl-C ends the waiting.
        let text = files::read_spec_text(&self.spec)?;
        let cancel = signals::cancel()?;
        let request = files::parse_spec(&self.spec, &text)?;
        let name = files::name(&self.spec);
        if let Some(refusal) = refuse(&request.spec, &request.demand) {
            let mut text = format!("{name}: no wiring of this hardware can serve the demand");
            refusal.faults.iter().for_each(|fault| text += &format!("\n{fault}"));
            text += &format!("\n{}", refusal.proof);
            remedy(&request.spec, &request.demand)
                .iter()
                .for_each(|line| text += &format!("\nadvice: {line}"));
            bail!(text);
        }
        // Better now than after the search.
        self.output.as_deref().map_or(Ok(()), output::ready)?;
        if let Some(file) = &self.checkpoint {
            let others = [("the spec", Some(&*self.spec)), ("the wiring's place", self.output.as_deref())];
            checkpoint::distinct(file, &others)?;
        }
        let mut line = ProgressLine::new();
        let asked = self.asked(&request);
        let every = Duration::from_secs_f64(self.checkpoint_every);
        let file = self.checkpoint.as_deref();
        let file = file.map(|path| Checkpoints::new(path, asked.seed, asked.threads, every));
        let mut keeper = Keeper::new(&mut line, file);
        let saved = keeper.open()?;
        let outcome = resume(&asked, &Options::default(), saved.as_deref(), &mut keeper, &cancel);
        drop(saved);
        let outcome = outcome.map_err(|error| keeper.refused(&name, &error))?;
        keeper.end(&progress::fields(&outcome.progress));
        let answer = self.report(&request, &outcome)?;
        let done = answer == Answer::Yes && outcome.ended == Ended::Solved;
        keeper.close(outcome.ended, done).iter().for_each(|told| tell(&format!("{told}\n")));
        Ok(answer)
    }

    fn asked(&self, request: &Request) -> SearchRequest {
        SearchRequest {
            spec: request.spec.clone(),
            demand: request.demand.clone(),
            budget: budget(self.effort, self.seconds, DEFAULT_SECONDS),
            seed: self.origin.seed,
            threads: self.origin.islands(),
        }
    }

    /// The checker has the last word.
    fn report(&self, request: &Request, outcome: &Outcome) -> Result<Answer> {
        let Outcome { design, method, .. } = outcome;
        let verdict = check(&request.spec, &request.demand, design);
        if let Some(breach) = verdict.breaches.first() {
            bail!("the search made a wiring that breaks a limit, which is a fault of Crosspoint's: {breach}");
        }
        let written = self.write(design)?;
        let fractional = request.spec.objective == Objective::Fractional;
        let advice = || advise(&request.spec, &request.demand, &verdict);
        let advice = if fractional { Vec::new() } else { advice() };
        tell(&uncovered::told(request, &verdict, SHOWN, &advice));
        tell(&format!("found {}\n", by(method)));
        tell(&standing::lines(request, design, &verdict));
        // As much weight as can be had is what a fractional objective asks for.
        Ok(match (written, verdict.holds() || fractional) {
            (false, _) => Answer::Failed,
            (true, true) => Answer::Yes,
            (true, false) => Answer::No,
        })
    }

    /// Writes the table; to standard output if its file takes no more, so that a long search is not lost. Returns
    /// whether it is where it was asked for.
    fn write(&self, design: &Design) -> Result<bool> {
        let to = |path| output::to(path, |out| Ok(artifact::write_table(design, out)?));
        match to(self.output.as_deref()) {
            Err(error) if self.output.as_deref().is_some_and(|path| !output::is_standard(path)) => {
                let error = told(&error);
                tell(&format!("crosspoint: {error}; the wiring goes to standard output instead\n"));
                to(None).map(|()| false)
            }
            written => written.map(|()| true),
        }
    }
}
