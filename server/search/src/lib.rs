//! Crosspoint's search engine: a memetic genetic search for wirings in which every requested pair shares a switch.
//!
//! | part | purpose |
//! | --- | --- |
//! | [`run`], [`request`] | the entry: a request in, the best wiring out |
//! | [`options`] | the tunables |
//! | [`graph`], [`problem`] | the instance as the search reads it: pairs, NIs, ports, rules |
//! | [`wiring`] | the working copy of a wiring: gains and losses of a change |
//! | [`closed`] | closed forms: wirings that need no search |
//! | [`fill`], [`greedy`], [`scaled`] | constructions |
//! | [`moves`], [`repair`] | local moves, and the simulated annealing that uses them |
//! | [`schedule`] | temperatures of a repair, and losses accepted |
//! | [`team`] | several threads that judge the moves of one repair |
//! | [`genetic`] | one island: ladder, tournaments, population, crossover, mutation, DNA |
//! | [`ledger`] | work spent and best wiring of an island; the trait through which islands cooperate |
//! | [`limit`] | the end from outside: a cancel or the time limit |
//! | [`epoch`] | epochs of an island on other machines |
//! | [`islands`] | islands on threads and the exchange between them |
//! | [`time`] | the search for time: rectangles of a job's dimensions, annealing |
//! | [`renumber`], [`permutation`] | keep every cable, permute PE numbers |
//! | [`restore`] | returns moved cables that need not have moved |
//! | [`lengths`] | shorter cables for a finished wiring |
//! | [`hardware`] | hardware search: one search after another over NI counts and switch models |
//!
//! The engine keeps every limit of ports and NIs, and the planes of rails, by construction. Only `spec::design::check` says that a wiring is
//! valid. Effort is counted in work, so the same spec, seed, effort and number of islands give the same wiring on
//! every machine.
//!
//! Figures and the benches that produce them: `benches/README.md`.

pub mod checkpoint;
pub mod closed;
pub mod epoch;
pub mod fill;
mod finish;
pub mod genetic;
pub mod graph;
pub mod greedy;
pub mod hardware;
pub mod islands;
pub mod ledger;
pub mod lengths;
pub mod limit;
pub mod moves;
pub mod options;
pub mod permutation;
pub mod problem;
pub mod renumber;
pub mod repair;
pub mod reporter;
pub mod request;
pub mod restore;
pub mod scaled;
pub mod schedule;
pub mod team;
pub mod time;
pub mod wiring;

pub use request::{SearchError, run};
