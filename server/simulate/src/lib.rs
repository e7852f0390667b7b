//! Crosspoint's network simulator: frames and flits on any fabric, cycle by cycle.
//!
//! | part | what it is for |
//! | --- | --- |
//! | [`simulate`], [`open`] | traffic at an offered load: accepted traffic, latency, loads |
//! | [`saturate`] | the offered load at which accepted traffic ends to grow |
//! | [`collective`], [`closed`] | collective operations and their total bandwidth |
//! | [`trace`] | frames told one by one |
//! | [`estimate()`] | what a simulation will take, before it is begun |
//! | [`booksim`] | the same, written out for BookSim 2 |
//! | `core` | the model: buffers, requests, grants |
//! | `network`, `routes` | the fabric as arrays; which path a frame takes |
//! | `wheel`, `measure`, `dice` | events in time, counting, randomness |
//! | `deadlock` | frames that wait for each other for ever |
//!
//! Only what moves costs time: the loop goes from event to event, a frame's hop is three of them, and nothing is allocated
//! once the arrays have their size. The same settings, traffic and seed give the same figures on every machine.

pub mod booksim;
pub mod closed;
mod core;
mod deadlock;
mod dice;
mod error;
pub mod estimate;
mod measure;
mod network;
pub mod open;
mod routes;
mod run;
pub mod saturation;
mod wheel;

pub use closed::{Closed, collective};
pub use error::SimulateError;
pub use estimate::{Estimate, estimate, estimate_collective};
pub use open::{Arrival, Destinations, Open, Sent, simulate, trace};
pub use saturation::{most_load, saturate};
