//! `crosspoint search`: find a wiring.

use super::{
    Answer,
    checkpoint::{self, Checkpoints, Reached},
    cores, error_text, files, output,
    output::to_stderr,
    progress::{self, ProgressLine},
    signals, uncovered,
};
use crate::{
    artifact,
    counts::{advise, remedy},
    prepare::Request,
};
use anyhow::{Result, anyhow, bail};
use clap::Args;
use search::{
    SearchError,
    options::Options,
    request::{MAX_ISLANDS, resume},
};
use serde::{Deserialize, Serialize};
use shared::{
    analysis::{
        bounds::{bounds, refuse, standing},
        library::{Connections, Library},
    },
    design::{Design, Verdict, check},
    estimate::{duration, timing::Timing},
    form::{Described, Field},
    search::{
        Budget, EFFORT, Ended, Observer, Outcome, Progress, SECONDS, SearchForm, SearchRequest, StepTime,
        THREADS,
    },
    spec::Objective,
    text::grouped,
};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// Max uncovered pairs to print; `crosspoint check` prints all.
const SHOWN: usize = 20;

const ENDING: &str = "\
Ctrl-C stops the search and writes the best wiring so far. A second Ctrl-C exits at once.

Use --checkpoint FILE for long searches. If the program or the machine stops, rerun the same command to resume; the result is
identical. Rerun with a larger --seconds or --effort to continue a search that has ended.";

/// Find a wiring that covers every requested pair
///
/// Progress goes to standard error, the wiring table to standard output or to the file given with -o. The search ends as soon
/// as every requested pair is covered. At the end it prints the uncovered pairs, the method that found the wiring, and how
/// close the hardware is to the known lower bounds.
///
/// Exit codes: 0 every requested pair is covered, or the objective is fractional; 1 some pairs are uncovered; 2 bad input or
/// insufficient hardware. With 0 and 1, the best wiring is written.
#[derive(Args)]
#[command(after_help = ENDING, mut_arg("seconds", |arg| arg.required(false).default_value(SearchForm::field("budget.seconds").default)))]
#[command(mut_arg("checkpoint_every", |arg| arg.required(false).default_value("10")))]
pub struct Search {
    /// Spec file, or - for standard input
    spec: PathBuf,
    #[command(flatten)]
    run: Run,
    /// File for the wiring table; - is standard output, the default
    #[arg(short, long, value_name = "DESIGN")]
    output: Option<PathBuf>,
}

/// Parser of a decimal number within the range of a field.
pub(super) fn number(field: &Field) -> impl Fn(&str) -> Result<f64, String> + Clone + use<> {
    let field = *field;
    move |text| field.read_number(text).map_err(|expected| format!("expected {expected}"))
}

/// Parser of a whole number within the range of a field.
pub(super) fn whole<N: TryFrom<u64>>(field: &Field) -> impl Fn(&str) -> Result<N, String> + Clone + use<N> {
    let field = *field;
    move |text| {
        let number = field.read_whole(text).ok().and_then(|number| N::try_from(number).ok());
        number.ok_or_else(|| format!("expected {}", field.kind.expected()))
    }
}

/// Limit, randomness and checkpoints of a search for wirings or hardware. The command sets the default limit.
#[derive(Args)]
pub(super) struct Run {
    /// Time limit of the search in seconds
    #[arg(long, value_name = "S", value_parser = number(&SECONDS), conflicts_with = "effort")]
    seconds: f64,
    /// Effort limit of the search in million moves: gives the same result on every machine
    #[arg(long, value_name = "W", value_parser = whole::<u64>(&EFFORT))]
    effort: Option<u64>,
    /// Seed of the random numbers
    #[arg(long, value_name = "N", value_parser = whole::<u64>(SearchForm::field("seed")),
        default_value = SearchForm::field("seed").default)]
    pub(super) seed: u64,
    /// Threads, one per island [default: number of cores]
    #[arg(long, value_name = "T", value_parser = whole::<u32>(&THREADS))]
    threads: Option<u32>,
    /// Save a checkpoint to this file every few seconds; resume from the file if it exists
    ///
    /// All other arguments and the version of Crosspoint must be the same. Only --seconds and --effort may grow; they include
    /// the work before the checkpoint. The file is removed once nothing is left to search.
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Time between two checkpoints in seconds
    #[arg(long, value_name = "S", value_parser = number(&SECONDS), hide = true)]
    checkpoint_every: f64,
}

impl Run {
    pub(super) fn budget(&self) -> Budget {
        self.effort.map_or(Budget::Seconds(self.seconds), Budget::Effort)
    }

    pub(super) fn islands(&self) -> u32 {
        self.threads.unwrap_or_else(|| cores().min(MAX_ISLANDS))
    }

    /// Checkpoints of this run, in a file that is none of `others`, each given with its name.
    pub(super) fn checkpoints<R: Reached>(
        &self,
        others: &[(&str, Option<&Path>)],
    ) -> Result<Checkpoints<'_, R>> {
        let file = self.checkpoint.as_deref();
        checkpoint::distinct(file, others)?;
        let every = Duration::from_secs_f64(self.checkpoint_every);
        Ok(Checkpoints::new(file, self.seed, self.islands(), every))
    }
}

impl Search {
    pub fn run(self) -> Result<Answer> {
        // Read before signals are handled, so that Ctrl-C ends the wait for a spec from a pipe.
        let text = files::read_spec_text(&self.spec)?;
        let cancel = signals::cancel()?;
        let request = files::parse_spec(&self.spec, &text)?;
        let name = files::name(&self.spec);
        if let Some(refusal) = refuse(&request.spec, &request.demand) {
            let mut text = format!("{name}: this hardware cannot serve the demand");
            refusal.faults.iter().for_each(|fault| text += &format!("\n{fault}"));
            text += &format!("\n{}", refusal.proof);
            remedy(&request.spec, &request.demand)
                .iter()
                .for_each(|line| text += &format!("\nadvice: {line}"));
            bail!(text);
        }
        // Fail now rather than after the search.
        self.output.as_deref().map_or(Ok(()), output::ready)?;
        let others = [("the spec", Some(&*self.spec)), ("the output", self.output.as_deref())];
        let checkpoints = self.run.checkpoints(&others)?;
        let asked = SearchRequest {
            spec: request.spec.clone(),
            demand: request.demand.clone(),
            budget: self.run.budget(),
            seed: self.run.seed,
            threads: self.run.islands(),
        };
        let mut watcher = Watcher { line: ProgressLine::new(), checkpoints, progress: Progress::default() };
        let saved = watcher.checkpoints.open()?;
        let outcome = resume(&asked, &Options::default(), saved.as_deref(), None, &mut watcher, &cancel);
        drop(saved);
        let Watcher { mut line, checkpoints, .. } = watcher;
        let outcome = outcome.map_err(|error| match error {
            SearchError::Checkpoint(_) => checkpoints.refused(&name, &error),
            error => anyhow!("{name}: {error}"),
        })?;
        line.end(&progress::fields(&outcome.progress));
        let answer = self.report(&request, &outcome)?;
        let done = answer == Answer::Yes && outcome.ended == Ended::Solved;
        let larger =
            if outcome.ended == Ended::Exhausted { " with a larger --seconds or --effort" } else { "" };
        checkpoints.close(done, larger).iter().for_each(|text| to_stderr(&format!("{text}\n")));
        Ok(answer)
    }

    /// Writes the wiring and prints the checker's verdict.
    fn report(&self, request: &Request, outcome: &Outcome) -> Result<Answer> {
        let Outcome { design, method, .. } = outcome;
        let verdict = check(&request.spec, &request.demand, design);
        if let Some(breach) = verdict.breaches.first() {
            bail!("the search returned an invalid wiring, which is a bug in Crosspoint: {breach}");
        }
        let written = self.write(design)?;
        let fractional = request.spec.objective == Objective::Fractional;
        let advice = || advise(&request.spec, &request.demand, &verdict);
        let advice = if fractional { Vec::new() } else { advice() };
        to_stderr(&uncovered::coverage(request, &verdict, SHOWN, &advice));
        to_stderr(&format!("found by {}\n", method.trim_start_matches("by ")));
        outcome.crash().iter().for_each(|crash| to_stderr(&format!("{crash}\n")));
        to_stderr(&bound_lines(request, design, &verdict));
        if request.spec.library() != Library::Any {
            let found = Connections::of(request.spec.spine(), &request.spec.jobs, &design.nis());
            let lines = std::iter::once(found.counts()).chain(found.remedies());
            lines.for_each(|line| to_stderr(&format!("{line}\n")));
        }
        // A fractional objective does not ask for full coverage.
        Ok(match (written, verdict.holds() || fractional) {
            (false, _) => Answer::Failed,
            (true, true) => Answer::Yes,
            (true, false) => Answer::No,
        })
    }

    /// Writes the table, to standard output if the file fails, so that a long search is not lost. Returns `true` if the table
    /// is where it was asked for.
    fn write(&self, design: &Design) -> Result<bool> {
        let to = |path| output::to(path, |out| Ok(artifact::write_table(design, out)?));
        match to(self.output.as_deref()) {
            Err(error) if self.output.as_deref().is_some_and(|path| !output::is_standard(path)) => {
                let error = error_text(&error);
                to_stderr(&format!("crosspoint: {error}; writing the wiring to standard output instead\n"));
                to(None).map(|()| false)
            }
            written => written.map(|()| true),
        }
    }
}

/// Distance of the ports and the number of switches from their lower bounds, one line each; empty without demand.
fn bound_lines(request: &Request, design: &Design, verdict: &Verdict) -> String {
    if request.demand.is_empty() {
        return String::new();
    }
    let bounds = bounds(&request.spec, &request.demand);
    let standing = standing(&bounds, design, verdict);
    let line =
        |what: &str, mark: &str, reason: &str, source: &str| format!("{what}: {mark} ({reason}; {source})\n");
    let timing = Timing::of(&request.spec).filter(|_| request.spec.objective == Objective::Time);
    let time = timing.map_or_else(String::new, |timing| {
        let bound = timing.bound(&request.spec);
        match timing.on(design) {
            Some(own) => StepTime::of(own, bound).words() + "\n",
            None => format!(
                "no step, since not all pairs connect; with all connected, at least {}\n",
                duration(bound.step)
            ),
        }
    });
    time + &line("fullest switch", &standing.ports.words, &bounds.ports.reason, &bounds.ports.source)
        + &line("switches", &standing.switches.words, &bounds.switches.reason, &bounds.switches.source)
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Moves {
    moves: u64,
}

impl Reached for Moves {
    fn words(&self) -> String {
        format!("{} moves", grouped(self.moves))
    }
}

/// Prints the progress of a search and writes its checkpoints.
struct Watcher<'a> {
    line: ProgressLine,
    checkpoints: Checkpoints<'a, Moves>,
    progress: Progress,
}

impl Observer for Watcher<'_> {
    fn progress(&mut self, progress: &Progress) {
        self.checkpoints.accepted(&mut self.line);
        self.progress.clone_from(progress);
        self.line.write(|| progress::fields(progress));
    }

    fn better(&mut self, _design: &Design, _uncovered: u64) {}

    fn keeps_checkpoints(&self) -> bool {
        self.checkpoints.is_on()
    }

    fn wants_checkpoint(&mut self) -> bool {
        self.checkpoints.is_due()
    }

    fn checkpoint(&mut self, bytes: Vec<u8>) {
        let reached = Moves { moves: self.progress.moves };
        self.checkpoints.save(&mut self.line, self.progress.elapsed, reached, &bytes);
    }
}
