//! How far a simulation is that goes on.

use serde::{Deserialize, Serialize};

/// What goes on now: loads, or a collective operation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SimulationProgress {
    /// The share of the whole that is done, 0 to 1: of a collective operation's messages, or of the cycles of all loads,
    /// each weighted by its load since frames take the time. None during a search for saturation: nobody knows how many
    /// loads it will try.
    pub share: Option<f64>,
    /// Loads that are being simulated, by offered load; empty with a collective operation.
    pub loads: Vec<LoadProgress>,
    /// Cycles that a collective operation has taken so far; 0 with loads, which tell their own.
    pub cycles: u64,
    /// Messages of a collective operation that have been received whole.
    pub messages: u64,
    /// Rounds of a collective operation that every node has done.
    pub rounds: u32,
}

/// One load that is being simulated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LoadProgress {
    /// Offered load: flits a cycle and sending host.
    pub offered: f64,
    /// Cycles simulated so far.
    pub cycles: u64,
    /// Their share of all cycles, 0 to 1.
    pub share: f64,
}
