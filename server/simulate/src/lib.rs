//! Network simulator of Crosspoint: frames on any fabric, cycle by cycle.
//!
//! | part | purpose |
//! | --- | --- |
//! | [`simulate`], [`open`] | traffic at an offered load: accepted traffic, latency, channel loads |
//! | [`saturate`] | the offered load at which accepted traffic stops growing |
//! | [`collective`], [`collective_in_groups`], [`closed`] | collective operations, in groups, beside background traffic |
//! | [`trace`] | frames given one by one |
//! | [`CostModel`], [`collective_cost`] | time and memory of a simulation before it starts |
//! | [`step`], [`fluid`] | time of a training step on a network |
//! | [`booksim`] | the same simulation as input files of BookSim 2 |
//! | [`Observer`] | progress reports and cancellation |
//! | `run`, `core` | the event loop; the model: buffers, requests, grants |
//! | `network`, `paths`, `virtual_channels` | the fabric as arrays; the path of each frame and its buffers |
//! | `wheel`, `measure`, `deadlock` | event queue, counters, detection of deadlocks |
//!
//! The loop jumps from event to event, a hop of a frame takes three events, and nothing is allocated once the arrays have
//! reached their size. The same settings, traffic and seed give the same figures on every machine. `benches/README.md` has
//! measured speeds and the reproduced figures of the papers.

pub mod booksim;
pub mod closed;
mod core;
mod cost;
mod deadlock;
mod error;
pub mod fluid;
mod measure;
mod network;
pub mod open;
mod paths;
mod run;
pub mod saturation;
pub mod step;
mod virtual_channels;
mod wheel;

pub use closed::{Background, ClosedInput, GroupedInput, collective, collective_in_groups};
pub use cost::{Cost, CostModel, collective_cost};
pub use error::SimulateError;
pub use network::reference_speed;
pub use open::{Arrival, Destinations, OpenInput, TraceFrame, simulate, trace};
pub use run::Observer;
pub use saturation::{max_load, saturate};

use spec::random::{Rng, STRIDE};

/// Random stream number `stream` of a seed.
fn random_stream(seed: u64, stream: u64) -> Rng {
    Rng::seeded(seed.wrapping_add(stream.wrapping_mul(STRIDE)))
}
