//! Report of a search for a wiring.

use crate::search::{Progress, StepTime, Weights};
use serde::{Deserialize, Serialize};

/// Report of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SearchReport {
    /// Latest progress.
    pub progress: Progress,
    /// The chart so far, at most 600 points, thinned evenly in time as it grows; empty in a change.
    pub history: Vec<Sample>,
    /// Method that found the wiring, once the search is over.
    pub method: String,
}

/// One point of a search's chart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Sample {
    /// Seconds since the search began.
    pub elapsed: f64,
    /// Uncovered pairs of the best wiring.
    pub best: u64,
    /// Median of uncovered pairs over the population.
    pub median: u64,
    /// Restarts so far.
    #[serde(default)]
    pub restarts: u64,
    /// Uncovered pairs of the best wiring of each island.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub islands: Vec<u64>,
    /// Coverage by weight, for a fractional objective.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<Weights>,
    /// Times, in a search for time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<StepTime>,
}

impl From<&Progress> for Sample {
    fn from(progress: &Progress) -> Sample {
        Sample {
            elapsed: progress.elapsed,
            best: progress.best,
            median: progress.median,
            restarts: progress.restarts,
            islands: progress.islands.clone(),
            weight: progress.weight.clone(),
            time: progress.time,
        }
    }
}

/// A chart of half as many points: one of each two neighbours, the first, or the one at which wirings were made anew.
pub fn thinned(points: &[Sample]) -> Vec<Sample> {
    let mut restarts = points.first().map_or(0, |first| first.restarts);
    let mut kept = Vec::with_capacity(points.len() / 2 + 2);
    for pair in points.chunks(2) {
        let later =
            pair.last().filter(|last| last.restarts > pair[0].restarts && pair[0].restarts == restarts);
        let stays = later.unwrap_or(&pair[0]);
        restarts = stays.restarts;
        kept.push(stays.clone());
    }
    kept
}

/// A wiring that a search found on its way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReplayFrame {
    /// Progress at that time. `best` and `revision` describe this wiring. Other counts of uncovered pairs in the progress are not less
    /// than `best`.
    pub progress: Progress,
    /// The wiring's text table.
    pub table: String,
}

/// The wirings that a search found on its way: `GET /api/work/{id}/replay`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReplayView {
    /// At most 61 wirings in the order of time, thinned as they grow in number. The last one is the best so far.
    pub frames: Vec<ReplayFrame>,
}
