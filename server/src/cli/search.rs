//! `crosspoint search`: find a wiring.

use super::{
    Answer, checkpoint, cores, error_text, files, flags::Flags, output, output::to_stderr, progress,
    uncovered, watch::Watch,
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
use shared::{
    analysis::{
        bounds::{bounds, refuse, standing},
        library::{Connections, Library},
    },
    design::{Design, Verdict, check},
    estimate::{duration, timing::Timing},
    form::FormReader,
    search::{Budget, EndReason, Observer, Outcome, Progress, SearchForm, SearchRequest, StepTime},
    spec::Objective,
};
use std::path::PathBuf;

/// Time between two checkpoints in seconds.
const CHECKPOINT_EVERY: f64 = 10.0;
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
#[command(after_help = ENDING)]
pub struct Search {
    /// Spec file, or - for standard input
    spec: PathBuf,
    #[command(flatten)]
    limits: Flags<SearchForm>,
    #[command(flatten)]
    place: checkpoint::CheckpointFlags,
    /// File for the wiring table; - is standard output, the default
    #[arg(short, long, value_name = "WIRING")]
    output: Option<PathBuf>,
}

/// Reads seed and threads, by default all cores.
pub(super) fn randomness(fields: &mut FormReader) -> Option<(u64, u32)> {
    let (seed, threads) = (fields.whole("seed"), fields.given("threads", FormReader::whole));
    Some((seed?, threads?.unwrap_or_else(|| cores().min(MAX_ISLANDS))))
}

/// Fails if the hardware of the named spec provably cannot serve its demand.
pub(super) fn possible(name: &str, request: &Request) -> Result<()> {
    let Some(refusal) = refuse(&request.spec, &request.demand) else { return Ok(()) };
    let mut text = format!("{name}: this hardware cannot serve the demand");
    refusal.faults.iter().for_each(|fault| text += &format!("\n{fault}"));
    text += &format!("\n{}", refusal.proof);
    let remedy = remedy(&request.spec, &request.demand);
    remedy.iter().for_each(|line| text += &format!("\nadvice: {line}"));
    bail!(text)
}

impl Search {
    pub fn run(self) -> Result<Answer> {
        let (budget, (seed, threads)) =
            self.limits.read(|fields| Budget::read(fields, "budget").zip(randomness(fields)))?;
        // Read before signals are handled, so that Ctrl-C ends the wait for a spec from a pipe.
        let text = files::read_spec_text(&self.spec)?;
        let mut watch = Watch::start()?;
        let request = files::parse_spec(&self.spec, &text)?;
        let name = files::name(&self.spec);
        possible(&name, &request)?;
        // Fail now rather than after the search.
        output::ready(self.output.as_deref(), [&self.spec])?;
        let others = [("the spec", Some(&*self.spec)), ("the output", self.output.as_deref())];
        let saved = watch.resume(self.place.checkpoints((seed, threads), CHECKPOINT_EVERY, &others)?)?;
        let (spec, demand, cancel) = (request.spec.clone(), request.demand.clone(), watch.cancel.clone());
        let asked = SearchRequest { spec, demand, budget, seed, threads };
        let outcome = resume(&asked, &Options::default(), saved.as_deref(), None, &mut watch, &cancel);
        drop(saved);
        let outcome = outcome.map_err(|error| match error {
            SearchError::Checkpoint(_) => watch.checkpoints.refused(&name, &error),
            error => anyhow!("{name}: {error}"),
        })?;
        watch.line.end(&progress::fields(&outcome.progress));
        let answer = self.report(&request, &outcome)?;
        let done = answer == Answer::Yes && outcome.ended == EndReason::Solved;
        watch.checkpoints.close(done, outcome.ended == EndReason::Exhausted);
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

    /// Writes the table, to standard output if the file fails, so that a long search is not lost. Returns `true` if the
    /// table was written to the output file.
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

impl Observer for Watch {
    fn progress(&mut self, progress: &Progress) {
        self.show(|| progress::fields(progress), progress.elapsed, [("moves", progress.moves)]);
    }

    fn better(&mut self, _design: &Design, _uncovered: u64) {}

    fn keeps_checkpoints(&self) -> bool {
        self.checkpoints.is_on()
    }

    fn wants_checkpoint(&mut self) -> bool {
        self.checkpoints.is_due()
    }

    fn checkpoint(&mut self, bytes: Vec<u8>) {
        self.save(&bytes);
    }
}
