//! `crosspoint search`: find a wiring.

use super::{Answer, files, output, signals, uncovered};
use crate::{
    jobs::{DEFAULT_SECONDS, MAX_EFFORT},
    prepare::Request,
};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use shared::{
    analysis::bounds::{advice, refuse},
    design::{Design, check, table},
    search::{Budget, Observer, Progress, SearchRequest},
    text::{fixed, grouped},
};
use std::{
    io::{IsTerminal, Write},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// Uncovered pairs that are shown; `crosspoint check` names all.
const SHOWN: usize = 20;

/// Find a wiring that covers every requested pair; progress goes to standard error, the table to standard output
#[derive(Args)]
pub struct Search {
    /// The spec file
    spec: PathBuf,
    /// Give up after so many seconds [default: 60]
    #[arg(long, value_name = "S", value_parser = seconds, conflicts_with = "effort")]
    seconds: Option<f64>,
    /// Give up after so many million moves: the same wiring on every machine
    #[arg(long, value_name = "W", value_parser = clap::value_parser!(u64).range(1..=MAX_EFFORT))]
    effort: Option<u64>,
    /// Where randomness starts
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Islands to search on [default: the machine's cores]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: Option<u32>,
    /// Where the wiring table goes instead of standard output
    #[arg(short, long, value_name = "DESIGN")]
    output: Option<PathBuf>,
}

/// A number of seconds on the command line.
fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse::<f64>().ok().filter(|s| *s > 0.0 && *s <= 1e9);
    seconds.ok_or_else(|| "a number of seconds above 0, at most 1000000000".into())
}

impl Search {
    /// Searches, writes the best wiring and says what it leaves uncovered.
    pub fn run(self) -> Result<Answer> {
        let request = files::read_spec(&self.spec)?;
        if let Some(refusal) = refuse(&request.spec, &request.demand) {
            let mut text =
                format!("{}: no wiring of this hardware can serve the demand", self.spec.display());
            refusal.faults.iter().for_each(|fault| text += &format!("\n{fault}"));
            bail!("{text}\n{}", refusal.proof);
        }
        // Better now than after the search.
        self.output.as_deref().map_or(Ok(()), output::writable)?;
        let asked = self.asked(&request);
        let mut progress = ProgressLine::new();
        let outcome = search::run(&asked, &mut progress, &*cancel_on_signal()?);
        let outcome = outcome.map_err(|error| anyhow!("{}: {error}", self.spec.display()))?;
        progress.end(&outcome.progress);
        self.report(&request, &outcome.design, &outcome.method)
    }

    fn asked(&self, request: &Request) -> SearchRequest {
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
        let seconds = || Budget::Seconds(self.seconds.unwrap_or(DEFAULT_SECONDS));
        SearchRequest {
            spec: request.spec.clone(),
            demand: request.demand.clone(),
            budget: self.effort.map_or_else(seconds, Budget::Effort),
            seed: self.seed,
            threads: self.threads.unwrap_or(cores.min(256)),
        }
    }

    /// The checker has the last word.
    fn report(&self, request: &Request, design: &Design, method: &str) -> Result<Answer> {
        let verdict = check(&request.spec, &request.demand, design);
        if let Some(breach) = verdict.breaches.first() {
            bail!("the search made a wiring that breaks a limit, which is a fault of Crosspoint's: {breach}");
        }
        output::to(self.output.as_deref(), |out| Ok(out.write_all(table::write(design).as_bytes())?))?;
        let told = if verdict.holds() {
            format!("every one of {} requested pairs is covered ({method})\n", grouped(verdict.requested))
        } else {
            let advice = advice(&request.spec, &request.demand, &verdict.uncovered);
            uncovered::report(&verdict.uncovered, verdict.requested, SHOWN, &advice)
        };
        tell(&told);
        Ok(if verdict.holds() { Answer::Yes } else { Answer::No })
    }
}

/// Set on ctrl-C and SIGTERM, by a thread that waits for them.
fn cancel_on_signal() -> Result<Arc<AtomicBool>> {
    let cancel = Arc::new(AtomicBool::new(false));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("signals cannot be waited for")?;
    let flag = cancel.clone();
    std::thread::spawn(move || {
        runtime.block_on(signals::stopped());
        flag.store(true, Ordering::Relaxed);
    });
    Ok(cancel)
}

/// Standard error may be closed; the wiring is worth more than what is told about it.
fn tell(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// One line that is written over on a terminal, a line a second elsewhere.
struct ProgressLine {
    terminal: bool,
    told: Option<Instant>,
}

impl ProgressLine {
    fn new() -> Self {
        ProgressLine { terminal: std::io::stderr().is_terminal(), told: None }
    }

    fn end(&mut self, last: &Progress) {
        self.told = None;
        self.progress(last);
        if self.terminal {
            tell("\n");
        }
    }
}

impl Observer for ProgressLine {
    fn progress(&mut self, progress: &Progress) {
        let pause = if self.terminal { Duration::from_millis(100) } else { Duration::from_secs(1) };
        if self.told.is_some_and(|told| told.elapsed() < pause) {
            return;
        }
        self.told = Some(Instant::now());
        let line = line(progress);
        // Back to the start of the line, and clear to its end.
        tell(&if self.terminal { format!("\r{line}\x1b[K") } else { format!("{line}\n") });
    }

    fn better(&mut self, _design: &Design, _uncovered: u64) {}
}

fn line(progress: &Progress) -> String {
    format!(
        "{:>7} s  uncovered {} (median {})  covered {:.2}%  generation {}  {} M moves/s  {}",
        fixed(progress.elapsed, 1),
        grouped(progress.best),
        grouped(progress.median),
        100.0 * progress.covered,
        grouped(progress.generation),
        fixed(progress.moves_per_second / 1e6, 1),
        progress.trying,
    )
}
