//! Crosspoint's network simulator: frames and flits on any fabric, cycle by cycle.
//!
//! | part | what it is for |
//! | --- | --- |
//! | [`simulate`], [`open`] | traffic at an offered load: accepted traffic, latency, loads |
//! | [`saturate`] | the offered load at which accepted traffic ends to grow |
//! | [`collective`], [`closed`] | collective operations and their total bandwidth |
//! | [`trace`] | frames told one by one |
//! | [`estimate`](fn@estimate) | what a simulation will take, before it is begun |
//! | [`booksim`] | the same, written out for BookSim 2 |
//! | `core` | the model: buffers, requests, grants |
//! | `network`, `routes` | the fabric as arrays; which path a frame takes |
//! | [`Watch`] | who looks on, and may end it |
//! | `wheel`, `measure`, `dice` | events in time, counting, randomness |
//! | `load` | how busy the channels were |
//! | `deadlock` | frames that wait for each other for ever |
//!
//! Only what moves costs time: the loop goes from event to event, a frame's hop is three of them, and nothing is allocated
//! once the arrays have their size. The same settings, traffic and seed give the same figures on every machine.
//!
//! How fast it is, on one core of a two-core machine, with uniform traffic at all that hosts can send
//! (`cargo bench -p simulate --bench speed`; `figure9` and `bisection` do what the VLAN and topology papers did):
//!
//! | network | cycles | million flit-hops a second | s | MiB |
//! | --- | --- | --- | --- | --- |
//! | 8x8 mesh | 1,000,000 | 758 | 0.21 | 3 |
//! | 8x8 torus | 1,000,000 | 733 | 0.35 | 3 |
//! | 64x64 mesh, 4,096 hosts | 100,000 | 320 | 1.8 | 33 |
//! | 16x16x16 torus, 4,096 hosts | 100,000 | 182 | 12 | 33 |

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
pub use estimate::{Estimate, Foresight, estimate, estimate_collective};
pub use open::{Arrival, Destinations, Open, Sent, simulate, trace};
pub use run::{Standing, Watch};
pub use saturation::{most_load, saturate};
