//! A simulation as it is asked for, and all that it told.

use super::{ClosedResult, Point, Saturation, Settings, SimulationProgress};
use serde::{Deserialize, Serialize};

/// What to simulate. Every field has a default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SimulationForm {
    /// The network, as `mesh:8x8`; none is the wiring.
    pub fabric: Option<String>,
    /// How frames find their way: one of [`ROUTINGS`](crate::fabric::ROUTINGS); none is what belongs to the network.
    pub routing: Option<String>,
    /// What hosts send to whom, as [`Traffic::parse`](super::Traffic::parse) reads it.
    pub traffic: String,
    /// Offered loads, in flits a cycle and sending host; none are ten up to all that a host can send.
    pub loads: Vec<f64>,
    /// Whether to search for the most accepted traffic.
    pub saturate: bool,
    /// Bytes of each message of a collective operation.
    pub message: u64,
    /// How often a collective operation is done.
    pub rounds: u32,
    /// Speed of hosts' links, in Mb/s.
    pub speed: u32,
    /// Speed of uplinks and of the links inside a domain, in Mb/s; none is that of hosts' links.
    pub trunk_speed: Option<u32>,
    /// Where randomness starts.
    pub seed: u64,
    /// Times and rules.
    pub settings: Settings,
}

impl Default for SimulationForm {
    fn default() -> Self {
        SimulationForm {
            fabric: None,
            routing: None,
            traffic: "uniform".into(),
            loads: Vec::new(),
            saturate: false,
            message: 65_536,
            rounds: 10,
            speed: 1000,
            trunk_speed: None,
            seed: 1,
            settings: Settings::default(),
        }
    }
}

/// What is known of a simulation, during it and at its end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SimulationReport {
    /// The network, in its text form; `design` is a wiring.
    pub fabric: String,
    /// The routing.
    pub routing: String,
    /// The traffic.
    pub traffic: String,
    /// Hosts of the network.
    pub hosts: u32,
    /// Nodes that send.
    pub senders: u32,
    /// Where randomness started.
    pub seed: u64,
    /// Loads that are simulated, by offered load.
    pub points: Vec<Point>,
    /// The most accepted traffic, if it was searched for and found.
    pub saturation: Option<Saturation>,
    /// A collective operation.
    pub collective: Option<ClosedResult>,
    /// Somebody stopped it: some of it is missing.
    pub cancelled: bool,
    /// How far what goes on now is, told some times a second; none before it has begun and when all of it is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<SimulationProgress>,
}

/// Starts a simulation: `POST /api/simulations`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StartSimulation {
    /// The spec's TOML text: for traffic along its demand, and for a wiring.
    pub spec: Option<String>,
    /// The wiring's text table; needed where `form` names no network.
    pub table: Option<String>,
    /// What to simulate.
    pub form: SimulationForm,
}

/// How a simulation stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum SimulationState {
    /// Points come as they finish.
    #[default]
    Running,
    /// All of it is there.
    Done,
    /// Somebody stopped it; what was done is there.
    Cancelled,
    /// It came upon what no simulation can be of; `message` says what.
    Failed,
}

/// A simulation as its events and `GET /api/simulations/{id}` tell it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SimulationView {
    /// Its name.
    pub id: String,
    /// How it stands.
    pub state: SimulationState,
    /// What went wrong, if it failed.
    pub message: String,
    /// What was asked.
    pub form: SimulationForm,
    /// Seconds on one core that it was foreseen to take, roughly.
    pub foreseen_seconds: f64,
    /// What is known so far. Events leave out the loads of channels.
    pub report: SimulationReport,
}
