//! 3. The contract of a search: what goes in, what is told on the way, what comes out. The engine is elsewhere.

use crate::{demand::Demand, design::Design, spec::Spec};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What to search for, and how hard.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// The hardware and objective.
    pub spec: Arc<Spec>,
    /// The pairs to serve; built from `spec`.
    pub demand: Arc<Demand>,
    /// When to give up.
    pub budget: Budget,
    /// Where randomness starts.
    pub seed: u64,
    /// Islands to search on at once, 1 to 256. Part of what makes a result reproducible.
    pub threads: u32,
}

/// When a search gives up; it ends earlier when everything is covered.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Budget {
    /// Wall-clock seconds: not reproducible.
    Seconds(f64),
    /// Million move evaluations over all threads together: reproducible.
    Effort(u64),
}

/// How a running search stands. Sent at least four times a second.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Progress {
    /// What is being tried, in words.
    pub trying: String,
    /// Generations of the population so far.
    pub generation: u64,
    /// Uncovered requested pairs of the best wiring so far.
    pub best: u64,
    /// Median of the same over the population.
    pub median: u64,
    /// How unlike the population's wirings are, 0 (all the same) to 1.
    pub diversity: f64,
    /// Share of requested pairs the best wiring covers, 0 to 1.
    pub covered: f64,
    /// Wirings made so far.
    pub individuals: u64,
    /// Wirings made a second.
    pub individuals_per_second: f64,
    /// Moves evaluated so far.
    pub moves: u64,
    /// Moves evaluated a second.
    pub moves_per_second: f64,
    /// Seconds since the search began.
    pub elapsed: f64,
    /// Counts the best wirings seen: when it grows there is a better one to fetch.
    pub revision: u64,
    /// Wirings made anew, from a construction, after the first one of each island.
    #[serde(default)]
    pub restarts: u64,
    /// Uncovered pairs of the best wiring of each island.
    #[serde(default)]
    pub islands: Vec<u64>,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ended {
    /// Every requested pair is served.
    Solved,
    /// The budget ran out.
    Exhausted,
    /// Somebody stopped it.
    Cancelled,
}

/// What a search found: always the best wiring so far, whatever ended it.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The best wiring.
    pub design: Design,
    /// Requested pairs it leaves uncovered.
    pub uncovered: u64,
    /// Cables of the spec's `start` that it moves; none where there is no wiring at the start, or where PEs are renumbered.
    pub moved: Option<u32>,
    /// Why the search ended.
    pub ended: Ended,
    /// How it was found, in words, such as "greedy, then repair".
    pub method: String,
    /// The last progress.
    pub progress: Progress,
}

/// Who watches a search. Called from one thread of the engine, never from two at once.
pub trait Observer: Send {
    /// At least four times a second.
    fn progress(&mut self, progress: &Progress);
    /// On each better wiring, before the progress that counts it.
    fn better(&mut self, design: &Design, uncovered: u64);
    /// Whether checkpoints are wanted at all: what [`Observer::checkpoint`] gets lets a search go on after its process has
    /// ended, to the same wirings.
    fn keeps_checkpoints(&self) -> bool {
        false
    }
    /// Whether one is wanted now. Asked several times a second.
    fn wants_checkpoint(&mut self) -> bool {
        false
    }
    /// Takes a checkpoint. What it holds is for the engine of the same version alone to read.
    fn checkpoint(&mut self, _bytes: Vec<u8>) {}
}
