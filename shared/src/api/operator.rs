//! The operator's view: all work of a studio, without the ids that open it.

use super::{QueueView, WorkKind};
use serde::{Deserialize, Serialize};

/// All running and waiting work of a studio: `GET /api/operator`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OperatorView {
    /// Running and waiting work, and the computations of requests.
    pub work: Vec<ListedWork>,
    /// Limits of the studio, and how much of each is in use.
    pub budgets: Vec<BudgetView>,
}

/// Running or waiting work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ListedWork {
    /// Kind of work; `None` for the computation of a request.
    pub kind: Option<WorkKind>,
    /// Short hash of the work's id, as in the log, or the number of a computation. It cannot be used to open the work.
    pub id: String,
    /// Short hash of the client.
    pub owner: String,
    /// `true` if it runs, `false` if it waits.
    pub running: bool,
    /// Seconds that it has been running or waiting.
    pub seconds: f64,
    /// Route of the request; empty for work.
    pub route: String,
    /// Threads that it occupies or waits for.
    pub threads: u32,
    /// Share of its limit that it has used, 0 to 1; `None` if unknown.
    pub share: Option<f64>,
    /// Place in the queue, while it is queued.
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
pub struct StopWork {
    /// Id of the work in the operator's view.
    pub id: String,
}
