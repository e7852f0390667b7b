//! The operator's view: all work of a studio, without the ids that open it.

use super::QueueView;
use serde::{Deserialize, Serialize};

/// All running and waiting work of a studio: `GET /api/operator`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OperatorView {
    /// Searches, hardware searches, simulations and tasks.
    pub jobs: Vec<JobView>,
    /// Limits of the studio, and how much of each is in use.
    pub budgets: Vec<BudgetView>,
}

/// A kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum JobKind {
    /// A search for a wiring.
    Run,
    /// A hardware search.
    Board,
    /// A simulation.
    Simulation,
    /// The computation of a request.
    Task,
}

/// Running or waiting work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct JobView {
    /// Kind of work.
    pub kind: JobKind,
    /// Short hash of its id, as in the log; the number of a task. It opens nothing.
    pub id: String,
    /// Short hash of the client.
    pub owner: String,
    /// `true` if it runs, `false` if it waits.
    pub running: bool,
    /// Seconds that it has been running or waiting.
    pub seconds: f64,
    /// Route of a task's request; empty for other kinds.
    pub route: String,
    /// Threads that it occupies or waits for.
    pub threads: u32,
    /// Share of its limit that it has used, 0 to 1; `None` if unknown.
    pub share: Option<f64>,
    /// Place in the queue, while a search is queued.
    pub queue: Option<QueueView>,
    /// Claimed memory in bytes.
    pub memory: u64,
}

/// A limit of the studio.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BudgetView {
    /// Name, such as `disk`.
    pub name: String,
    /// Name for people, such as `Temporary files`.
    pub label: String,
    /// Amount in use.
    pub used: u64,
    /// The limit; `None` for an amount without one.
    pub max: Option<u64>,
    /// `true` for bytes, `false` for a number.
    pub bytes: bool,
}

/// Work to stop: `POST /api/operator/stop`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StopJob {
    /// Kind of work.
    pub kind: JobKind,
    /// Its id in the operator's view.
    pub id: String,
}
