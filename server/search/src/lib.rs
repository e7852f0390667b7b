//! Crosspoint's search engine: a memetic genetic search for wirings in which every requested pair meets on a switch.
//!
//! | part | what it is for |
//! | --- | --- |
//! | [`run`], [`request`] | the one entry: a request in, the best wiring out |
//! | [`options`] | the tunables, a row each |
//! | [`graph`], [`problem`] | the instance as the search reads it |
//! | [`wiring`] | the working copy of a wiring: what a change gains and loses |
//! | [`construct`] | first designs, one method a file |
//! | [`moves`] | local moves, one a file |
//! | [`repair`] | the strong local repair that every wiring goes through |
//! | [`genetic`] | population, selection, crossover, mutation, DNA: the main loop |
//! | [`ledger`] | work spent, best found; the trait by which islands talk |
//! | [`islands`] | the only file that knows threads and clocks |
//! | [`report`] | from what islands tell to the progress that people see |
//! | [`dice`] | portable randomness |
//!
//! The engine keeps every limit of ports and NIs by construction, but never calls a wiring valid: whoever receives an
//! outcome asks `shared::design::check`. Effort is counted in work, so that the same spec, seed, effort and number of
//! islands give the same wiring on every machine.

pub mod construct;
pub mod dice;
pub mod genetic;
pub mod graph;
pub mod islands;
pub mod ledger;
pub mod moves;
pub mod options;
pub mod problem;
pub mod repair;
pub mod report;
pub mod request;
pub mod wiring;

pub use request::{SearchError, run};
