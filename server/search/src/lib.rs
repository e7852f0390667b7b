//! Crosspoint's search engine: a memetic genetic search for wirings in which every requested pair meets on a switch.
//!
//! | part | what it is for |
//! | --- | --- |
//! | [`run`], [`request`] | the one entry: a request in, the best wiring out |
//! | [`options`] | the tunables, a row each |
//! | [`graph`], [`problem`] | the instance as the search reads it |
//! | [`wiring`] | the working copy of a wiring: what a change gains and loses |
//! | [`rules`] | what a wiring must keep besides its limits: placements, cables that may not move |
//! | [`construct`] | first designs, one method a file; closed forms, which need no search |
//! | [`moves`] | local moves, one a file |
//! | [`repair`] | the strong local repair that every wiring goes through |
//! | [`renumber`] | every cable stays, PE numbers are permuted |
//! | [`restore`] | moved cables that need not have moved go back |
//! | [`lay`] | shorter cables for a wiring that is found |
//! | [`genetic`] | the main loop: ladder, tournaments, population, selection, crossover, mutation, DNA; all of it can be written down |
//! | [`ledger`] | work spent, best found; the trait by which islands talk |
//! | [`islands`] | the only file that knows threads, and the clock of a search |
//! | [`meta`] | which hardware to try next: one search after another over a board of NIs and switch widths |
//! | [`report`] | from what islands tell to the progress that people see |
//! | [`rng`] | portable randomness |
//!
//! The engine keeps every limit of ports and NIs by construction, but never calls a wiring valid: whoever receives an
//! outcome asks `shared::design::check`. Effort is counted in work, so that the same spec, seed, effort and number of
//! islands give the same wiring on every machine.
//!
//! How fast it is, on two islands of a busy two-core machine (`cargo bench -p search --bench published`; `cancel` goes
//! up to 1,048,576 PEs, `moves` times single moves, `quality` says how narrow switches may be):
//!
//! | instance | uncovered | CPU s |
//! | --- | --- | --- |
//! | KLAT2, 1.859 links a pair | 0 | 0.03 |
//! | KASY0 | 0 | 0.01 |
//! | 1,024 PEs, all that is published: 14 instances, 3 seeds each | 0 | 0.01 to 0.25 |
//! | 65,536 PEs, hypercube and 64x32x32 torus, 5 NIs, 48 ports | 0 | 0.4 |

mod checkpoint;
pub mod closed;

pub mod fill;
mod finish;
pub mod genetic;
pub mod graph;
pub mod greedy;
pub mod hardware;
pub mod islands;
pub mod ledger;
pub mod lengths;
pub mod moves;
pub mod options;
pub mod permutation;
pub mod problem;
pub mod renumber;
pub mod repair;
mod reporter;
pub mod request;
pub mod restore;
pub mod rules;
pub mod scaled;
pub mod wiring;

pub use request::{SearchError, run};
