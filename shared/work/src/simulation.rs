//! The contract of a simulation: settings, traffic, results. The simulator is package `simulate`.
//!
//! Times are cycles: the time per flit at the reference speed. Traffic is in flits per cycle and host.

mod form;
mod groups;
mod preset;
mod result;
mod settings;
mod traffic;

pub use form::{SimulationForm, SimulationReport, SimulationRequest};
pub use groups::{GROUP_FORMS, GroupRule};
pub use preset::CURRENT_SWITCHES;
pub use result::{
    BackgroundResult, BusyChannel, ClosedResult, Completion, Deadlock, GroupTime, Latency, LoadProgress,
    Point, Saturation, SimulationProgress,
};
pub use settings::{FullBufferRule, Paths, Queue, Settings, Switching, time};
pub use traffic::{Collective, OpenTraffic, TRAFFICS, Traffic, TrafficEntry, TrafficFault, traffic_forms};
