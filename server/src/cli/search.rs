//! `crosspoint search`: find a wiring.

use super::{
    Answer, checkpoint, cores, error_text, files,
    flags::{FlagForm, Flags},
    output,
    output::to_stderr,
    progress, uncovered,
    watch::{BoardWatch, Watch},
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
    hardware::{
        self, BoardError,
        minimise::{Figure, placed},
    },
    options::Options,
    request::{MAX_ISLANDS, resume},
};
use shared::{
    analysis::{
        bounds::{Bounds, bounds, refuse, standing},
        library::{Connections, Library},
    },
    design::{Design, Verdict, check},
    estimate::{duration, timing::Timing},
    form::{Field, FieldKind, FormReader, form},
    hardware::{Board, HardwareRequest, is_no_less},
    search::{Budget, EndReason, Observer, Outcome, Progress, SearchForm, SearchRequest, StepTime},
    spec::Objective,
    text::{fixed, noun},
};
use std::{path::PathBuf, sync::atomic::Ordering::SeqCst};

/// Time between two checkpoints in seconds.
const CHECKPOINT_EVERY: f64 = 10.0;
/// Max uncovered pairs to print; `crosspoint check` prints all.
const SHOWN: usize = 20;

const ENDING: &str = "\
Ctrl-C stops the search and writes the best wiring so far. A second Ctrl-C exits at once.

Use --checkpoint FILE for long searches. If the program or the machine stops, rerun the same command to resume; the result is
identical. Rerun with a larger --seconds or --effort to continue a search that has ended.

Example: the fewest switches of the spec's models, each with its stock in `count`:
  crosspoint search spec.toml --minimise switches --seconds 300 -o wiring.txt";

form! {
    /// The goal of a search besides full coverage.
    pub struct GoalForm {
        /// Find the wiring that covers every pair with the least of this, on the switches of the spec. Other switches and NICs stay
        /// free.
        minimise: Field::new("Minimise", FieldKind::Choice(Figure::CHOICES)),
    }
}

impl FlagForm for GoalForm {}

/// Find a wiring that covers every requested pair
///
/// Progress goes to standard error, the wiring table to standard output or to the file given with -o. The search ends as soon
/// as every requested pair is covered. At the end it prints the uncovered pairs, the method that found the wiring, and how
/// close the hardware is to the known lower bounds.
///
/// With --minimise, the search then goes on: it looks for the fewest switches, the fewest NICs per node or the lowest price. It ends
/// when nothing less is possible, or at its limit. The spec must be sparse or universal, and all its nodes need the same number of
/// NICs. `cost` needs a price for every part.
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
    goal: Flags<GoalForm>,
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
        let words = [Figure::Switches, Figure::Nis, Figure::Cost].map(|figure| (figure.word(), figure));
        let figure =
            self.goal.read(|fields| fields.given("minimise", |fields, key| fields.choice(key, &words)))?;
        // Read before signals are handled, so that Ctrl-C ends the wait for a spec from a pipe.
        let text = files::read_spec_text(&self.spec)?;
        let mut watch = Watch::start()?;
        let request = files::parse_spec(&self.spec, &text)?;
        let name = files::name(&self.spec);
        possible(&name, &request)?;
        let (spec, demand) = (request.spec.clone(), request.demand.clone());
        let asked = SearchRequest { spec, demand, budget, seed, threads };
        let minimised = figure.map(|figure| Minimiser::new(figure, &asked, &name)).transpose()?;
        // Fail now rather than after the search.
        output::ready(self.output.as_deref(), [&self.spec])?;
        let others = [("the spec", Some(&*self.spec)), ("the output", self.output.as_deref())];
        let saved = watch.resume(self.place.checkpoints((seed, threads), CHECKPOINT_EVERY, &others)?)?;
        let (outcome, least) = match minimised {
            Some(minimiser) => minimiser.run(&asked, saved.as_deref(), &mut watch, &name)?,
            None => (searched(&asked, saved.as_deref(), &mut watch, &name)?, None),
        };
        drop(saved);
        let answer = self.report(&request, &outcome, figure.map(|figure| (figure, least)))?;
        let done = answer == Answer::Yes && outcome.ended == EndReason::Solved;
        watch.checkpoints.close(done, outcome.ended == EndReason::Exhausted);
        Ok(answer)
    }

    /// Writes the wiring and prints the checker's verdict.
    fn report(
        &self,
        request: &Request,
        outcome: &Outcome,
        minimised: Option<(Figure, Option<f64>)>,
    ) -> Result<Answer> {
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
        let bounds = bounds(&request.spec, &request.demand);
        let mut proven = None;
        if let Some((figure, least)) = minimised.filter(|_| verdict.holds()) {
            let own = (figure == Figure::Switches).then(|| f64::from(bounds.switches.switches));
            let least = least.into_iter().chain(own).reduce(f64::max);
            let value = figure.of(&request.spec, design);
            value.iter().for_each(|&value| to_stderr(&format!("minimised {}\n", figure.words(value, least))));
            proven = least.filter(|_| figure == Figure::Switches);
        }
        to_stderr(&bound_lines(request, design, &verdict, &bounds, proven));
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

/// Distance of the ports and the number of switches from their lower bounds, one line each; empty without demand. A number of switches
/// that is `proven` to be needed replaces a lower bound.
fn bound_lines(
    request: &Request,
    design: &Design,
    verdict: &Verdict,
    bounds: &Bounds,
    proven: Option<f64>,
) -> String {
    if request.demand.is_empty() {
        return String::new();
    }
    let standing = standing(&request.spec, bounds, design, verdict);
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
    let ports = line("fullest switch", &standing.ports.words, &bounds.ports.reason, &bounds.ports.source);
    if proven.is_some_and(|least| least > f64::from(bounds.switches.switches)) {
        return time + &ports;
    }
    time + &ports
        + &line(
            &noun(2, request.spec.switch_noun()),
            &standing.switches.words,
            &bounds.switches.reason,
            &bounds.switches.source,
        )
}

/// Searches for a wiring of the named spec.
fn searched(asked: &SearchRequest, saved: Option<&[u8]>, watch: &mut Watch, name: &str) -> Result<Outcome> {
    let cancel = watch.cancel.clone();
    let outcome = resume(asked, &Options::default(), saved, None, watch, &cancel);
    let outcome = outcome.map_err(|error| match error {
        SearchError::Checkpoint(_) => watch.checkpoints.refused(name, &error),
        error => anyhow!("{name}: {error}"),
    })?;
    watch.line.end(&progress::fields(&outcome.progress));
    Ok(outcome)
}

/// A search for the least of a figure.
struct Minimiser {
    figure: Figure,
    request: HardwareRequest,
}

impl Minimiser {
    /// Fails if the figure cannot be minimised for the named spec.
    fn new(figure: Figure, asked: &SearchRequest, name: &str) -> Result<Minimiser> {
        let request = figure.board(asked);
        let request = request
            .map_err(|faults| anyhow!("{name}: --minimise {} needs changes:\n{faults}", figure.word()));
        Ok(Minimiser { figure, request: request? })
    }

    /// The best wiring for the spec, and the least of the figure that any wiring needs, if it is known.
    fn run(
        self,
        asked: &SearchRequest,
        saved: Option<&[u8]>,
        watch: &mut Watch,
        name: &str,
    ) -> Result<(Outcome, Option<f64>)> {
        let Minimiser { figure, request } = &self;
        let cancel = watch.cancel.clone();
        // Once the best wiring is proven to be the least.
        let mut is_proven = false;
        let on_board = |watch: &mut Watch, board: &Board| {
            let attempts = board.attempts.len() as u64;
            watch.show(|| self.fields(board), board.elapsed, [("attempts", attempts)]);
            let (found, least) = figure.progress(request, board);
            if found.zip(least).is_some_and(|(found, least)| is_no_less(least, found)) {
                is_proven = true;
                watch.cancel.store(true, SeqCst);
            }
        };
        let mut watcher = BoardWatch::new(watch, on_board);
        let board = hardware::resume(request, saved, None, &mut watcher, &cancel);
        let mut builds = watcher.builds;
        let board = board.map_err(|error| match error {
            BoardError::Checkpoint(_) => watch.checkpoints.refused(name, &error),
            BoardError::Faults(faults) => anyhow!("{name}: --minimise {}: {faults}", figure.word()),
        })?;
        let best = board.cheapest.or_else(|| {
            let failed = builds.iter().map(|(index, (uncovered, ..))| (*uncovered, *index));
            failed.min().map(|(_, index)| index)
        });
        let Some((index, (uncovered, build, design))) =
            best.and_then(|index| Some((index, builds.remove(&index)?)))
        else {
            // No model alone has enough switches, and no mix of them was found.
            let asked = SearchRequest { budget: request.cell, ..asked.clone() };
            // The file keeps the checkpoint of the board.
            let checkpoints = std::mem::take(&mut watch.checkpoints);
            let outcome = searched(&asked, None, watch, name);
            watch.checkpoints = checkpoints;
            let mut outcome = outcome?;
            if outcome.ended == EndReason::Solved {
                outcome.ended = EndReason::Exhausted;
            }
            return Ok((outcome, None));
        };
        watch.line.end(&self.fields(&board));
        let Some(design) = placed(&request.spec, &build, &design) else {
            bail!("the search returned more switches than the spec has, which is a bug in Crosspoint");
        };
        let is_over = is_proven || board.complete;
        let ended = match (is_over && uncovered == 0, !is_proven && cancel.load(SeqCst)) {
            (true, _) => EndReason::Solved,
            (_, true) => EndReason::Cancelled,
            _ => EndReason::Exhausted,
        };
        let method = format!("a hardware search ({})", board.cells[index].note);
        let progress = Progress { elapsed: board.elapsed, best: uncovered, ..Progress::default() };
        let outcome = Outcome { design, uncovered, moved: None, ended, method, progress, crashed: 0 };
        Ok((outcome, figure.progress(request, &board).1))
    }

    /// Fields of the progress line, the most important first.
    fn fields(&self, board: &Board) -> Vec<String> {
        let (found, least) = self.figure.progress(&self.request, board);
        let figure =
            found.map_or_else(|| "not all pairs covered".into(), |found| self.figure.words(found, least));
        vec![format!("{:>7} s", fixed(board.elapsed, 1)), figure, board.trying.clone()]
    }
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
