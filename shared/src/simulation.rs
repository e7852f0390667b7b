//! 5. The contract of a simulation: settings, traffic, results. The simulator is elsewhere.
//!
//! Units: times are cycles; a cycle is what the reference speed takes to carry one flit; traffic is flits a cycle and host.

mod form;
mod result;
mod settings;
mod traffic;

pub use form::{SimulationForm, SimulationReport, SimulationState, SimulationView, StartSimulation};
pub use result::{
    BusyChannel, ClosedResult, Deadlock, Latency, LoadProgress, Point, Saturation, SimulationProgress,
};
pub use settings::{Full, Paths, Queue, Settings, SettingsFault, Switching};
pub use traffic::{Collective, OpenTraffic, TRAFFICS, Traffic, TrafficEntry, TrafficFault, traffic_forms};
