//! The contract of a search: request, progress, outcome, observer. The engine is the package `search`.

use crate::{demand::Demand, design::Design, spec::Spec};
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
    /// Present activity, for people.
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
}

/// Reason for the end of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ended {
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
    pub ended: Ended,
    /// Origin of the wiring, for people, such as "greedy, then repair".
    pub method: String,
    /// The last progress.
    pub progress: Progress,
}

/// Observer of a search. The engine calls it from one thread.
pub trait Observer: Send {
    /// Takes the progress, at least four times per second.
    fn progress(&mut self, progress: &Progress);
    /// Takes a better wiring, before the progress that counts it.
    fn better(&mut self, design: &Design, uncovered: u64);
    /// `true` if checkpoints are wanted. A search resumes from one and finds the same wirings, also in another process.
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
