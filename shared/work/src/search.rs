//! The contract of a search: request, progress, outcome, observer. The engine is the package `search`.

use crate::{
    demand::Demand,
    design::Design,
    estimate::{duration, timing::Seconds},
    form::{Choice, Faults, Field, FieldKind, FormReader, Reader, form},
    spec::Spec,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A search: problem, budget and seed.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// The hardware and objective.
    pub spec: Arc<Spec>,
    /// The requested pairs, built from `spec`.
    pub demand: Arc<Demand>,
    /// Time or work limit.
    pub budget: Budget,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Number of islands, 1 to 256. A result depends on it.
    pub threads: u32,
}

/// Limit of a search, which ends earlier when everything is covered.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Budget {
    /// Time limit in seconds; results are not reproducible.
    Seconds(f64),
    /// Work limit in million moves, for all threads together; results are reproducible.
    Effort(u64),
}

/// Progress of a running search, sent at least four times per second.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Progress {
    /// Current activity, as text.
    pub trying: String,
    /// Generations of the population so far.
    pub generation: u64,
    /// Number of uncovered pairs of the best wiring so far.
    pub best: u64,
    /// Median number of uncovered pairs in the population.
    pub median: u64,
    /// Diversity of the population, 0 (all equal) to 1.
    pub diversity: f64,
    /// Share of requested pairs that the best wiring covers, 0 to 1.
    pub covered: f64,
    /// Wirings made so far.
    pub individuals: u64,
    /// Wirings made per second.
    pub individuals_per_second: f64,
    /// Moves evaluated so far.
    pub moves: u64,
    /// Moves evaluated per second.
    pub moves_per_second: f64,
    /// Seconds since the search started.
    pub elapsed: f64,
    /// Number of better wirings so far: when it grows, a better one is available.
    pub revision: u64,
    /// Constructions after the first one of each island.
    #[serde(default)]
    pub restarts: u64,
    /// Number of uncovered pairs of each island's best wiring.
    #[serde(default)]
    pub islands: Vec<u64>,
    /// Coverage by weight, for a fractional objective.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<Weights>,
    /// Time of the best wiring, in a search for time that has one which serves every pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<StepTime>,
}

/// Seconds of a training step, or of the delivery of measured traffic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StepTime {
    /// On the best wiring so far.
    pub best: f64,
    /// All of its communication, hidden or not.
    pub communication: f64,
    /// A time that no wiring beats.
    pub bound: f64,
}

impl StepTime {
    /// The times of a wiring, and those that no wiring beats.
    pub fn of(own: Seconds, bound: Seconds) -> StepTime {
        StepTime { best: own.step, communication: own.communication, bound: bound.step }
    }

    /// The time and its bound, such as `step 12.11 s, at least 12.05 s`.
    pub fn words(&self) -> String {
        format!("step {}, at least {}", duration(self.best), duration(self.bound))
    }
}

/// Shares of the requested weight that wirings cover, each 0 to 1. A pair with some of its wanted links counts in part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Weights {
    /// Share that the best wiring so far covers.
    pub best: f64,
    /// Share that the wiring of the progress's revision covers; the best wiring may be a later one.
    pub shown: f64,
    /// Median over the population.
    pub median: f64,
    /// Share that each island's best wiring covers.
    pub islands: Vec<f64>,
}

/// Reason for the end of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EndReason {
    /// Every requested pair is served.
    Solved,
    /// The budget was spent.
    Exhausted,
    /// It was cancelled.
    Cancelled,
}

/// Outcome of a search: the best wiring so far, however it ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The best wiring.
    pub design: Design,
    /// Number of uncovered pairs.
    pub uncovered: u64,
    /// Number of moved cables of the start wiring; `None` without a start wiring, or if PEs are renumbered.
    pub moved: Option<u32>,
    /// Reason for the end.
    pub ended: EndReason,
    /// Origin of the wiring, for people, such as "greedy, then repair".
    pub method: String,
    /// The last progress.
    pub progress: Progress,
    /// Number of islands that crashed; the wiring is of the others, or the best before the crash.
    pub crashed: u32,
}

impl Outcome {
    /// Message about crashed islands, if there are any.
    pub fn crash(&self) -> Option<String> {
        let all = self.progress.islands.len();
        let rest = if self.crashed as usize == all {
            "Its best wiring until then is kept."
        } else {
            "The others finished."
        };
        (self.crashed > 0).then(|| {
            format!("{} of {all} islands crashed. {rest} This is a bug in Crosspoint.", self.crashed)
        })
    }
}

/// Observer of a search. The engine calls it from one thread.
pub trait Observer: Send {
    /// Takes the progress, at least four times per second.
    fn progress(&mut self, progress: &Progress);
    /// Takes a better wiring, before the progress that counts it.
    fn better(&mut self, design: &Design, uncovered: u64);
    /// `true` if checkpoints are wanted. A search that resumes from a checkpoint, also in another process, finds the same
    /// wirings.
    fn keeps_checkpoints(&self) -> bool {
        false
    }
    /// `true` if a checkpoint is wanted now. Called several times per second.
    fn wants_checkpoint(&mut self) -> bool {
        false
    }
    /// Takes a checkpoint, which only an engine of the same version can read.
    fn checkpoint(&mut self, _bytes: Vec<u8>) {}
}

/// Max seconds of a search in a studio.
pub const MAX_SECONDS: f64 = 86_400.0;
/// Max effort in million moves: more than a day's work of 64 threads.
pub const MAX_EFFORT: u64 = 100_000_000;
/// Max islands of one search in a studio.
pub const MAX_THREADS: u32 = 64;
/// Shortest time limit, in seconds.
const MIN_SECONDS: f64 = 0.001;

/// Time limit at the command line.
pub const SECONDS: Field = Field::number("Time limit", MIN_SECONDS, 1e9).unit("s");
/// Effort.
pub const EFFORT: Field = Field::whole("Effort", 1, MAX_EFFORT).unit("million moves");
/// Islands at the command line.
pub const THREADS: Field = Field::whole("Threads", 1, 256);
/// Time limit in a studio.
pub const STUDIO_SECONDS: Field =
    Field { kind: FieldKind::Number { min: MIN_SECONDS, max: MAX_SECONDS }, ..SECONDS };
/// Islands in a studio.
pub const STUDIO_THREADS: Field =
    Field { kind: FieldKind::Whole { min: 1, max: MAX_THREADS as u64 }, ..THREADS.hint("all") };
/// Start of randomness.
pub const SEED: Field = Field::whole("Seed", 0, u64::MAX).or("1");
/// Unit of a limit.
pub const UNIT: Field = Field::new(
    "Limit in",
    FieldKind::Choice(&[Choice::new("seconds", "seconds"), Choice::new("effort", "million moves")]),
)
.or("seconds");

/// Settings of a search in a studio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchSettings {
    /// Time or effort limit.
    pub budget: Budget,
    /// Seed.
    pub seed: u64,
    /// Islands to search on; the machine's cores if not given.
    pub threads: Option<u32>,
}

form! {
    /// A search as typed.
    pub struct SearchForm {
        /// Time after which the search gives up.
        seconds as "budget.seconds": STUDIO_SECONDS.or("60"),
        /// Million moves after which the search gives up.
        effort as "budget.effort": EFFORT.or("1000"),
        /// Only the limit in this unit counts. Seconds depend on the machine. Million moves give the same design everywhere.
        unit as "budget.unit": UNIT,
        /// Start of randomness. The same seed, effort and threads give the same design.
        seed: SEED,
        /// Islands to search on at once.
        threads: STUDIO_THREADS,
    }
}

impl SearchForm {
    /// The settings. Errors: every field that is not accepted.
    pub fn read(&self) -> Result<SearchSettings, Faults> {
        let mut reader = Reader::default();
        let mut fields = reader.form(self, "");
        let budget = Budget::read(&mut fields, "budget");
        let (seed, threads) = (fields.whole("seed"), fields.given("threads", FormReader::whole));
        let settings = || Some(SearchSettings { budget: budget?, seed: seed?, threads: threads? });
        reader.finish(settings())
    }

    /// Sets the limit.
    pub fn within(&self, budget: Budget) -> SearchForm {
        let [unit, seconds, effort] = match budget {
            Budget::Seconds(seconds) => ["seconds".into(), seconds.to_string(), String::new()],
            Budget::Effort(effort) => ["effort".into(), String::new(), effort.to_string()],
        };
        SearchForm { unit, seconds, effort, ..self.clone() }
    }
}

impl Budget {
    /// The budget that is called `key`, in its unit. An effort needs the unit, since the default is seconds.
    pub fn read(fields: &mut FormReader, key: &str) -> Option<Budget> {
        let [unit, seconds, effort] = ["unit", "seconds", "effort"].map(|name| format!("{key}.{name}"));
        if fields.is_given(&effort) && !fields.is_given(&unit) {
            return fields.fault(&unit, format!("`effort` or `seconds`, since `{effort}` is given"));
        }
        match fields.choice(&unit, &[("seconds", false), ("effort", true)])? {
            true => fields.whole(&effort).map(Budget::Effort),
            false => fields.number(&seconds).map(Budget::Seconds),
        }
    }
}
