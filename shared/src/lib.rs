//! Crosspoint's values and pure functions, in the order of its pipeline.
//!
//! | module | holds |
//! | --- | --- |
//! | [`cancel`] | cancellation and progress of long computations |
//! | [`text`] | numbers, lists and quoted words as people read them |
//! | [`random`] | seeded random numbers, a stable hash |
//! | [`sorted`] | one sort by numbers for all types |
//! | [`galois`] | finite fields |
//! | [`union_find`] | disjoint sets |
//! | [`form`] | forms as typed: fields described once, their TOML language, faults |
//! | [`spec`] | 1 the request: as written and as resolved |
//! | [`demand`] | 2 the pairs of PEs to serve, with weights |
//! | [`design`] | 3 the wiring, its text table, its failed parts, the independent checker |
//! | [`fabric`] | 4 any network of hosts, switches and links, with its routing |
//! | [`analysis`] | 5 coverage, bounds, cost and routing of a wiring |
//! | [`compare`] | 5 price and performance of other networks for the same hosts |
//! | [`resolve`] | 6 a spec as written to a valid one, or every fault |
//! | [`exports`] | 7 the files that people and machines build a wiring from |
//! | [`estimate`] | the contract of an estimate: the time of a training step on several networks |
//! | [`search`] | the contract of a search: request, budget, progress, outcome |
//! | [`hardware`] | the contract of a search over hardware |
//! | [`simulation`] | the contract of a simulation: settings, traffic, results |
//! | [`work`] | computations that may take long: forms, states, reports |
//! | [`api`] | the values that travel between server and browser |
//!
//! A module uses only modules above it in this table; `tests/order.rs` checks that. Nothing here knows a clock, a thread, a
//! file or a socket, so the server and the browser compute from the same functions.
//!
//! # A walk through
//!
//! Four nodes in a ring, two NIs each, and switches with four ports of which one stays free:
//!
//! ```
//! use shared::{demand::Demand, design::{check, table}, resolve, spec};
//!
//! let text = "
//!     pes = 4
//!     nis_per_pe = 2
//!     [[switch]]
//!     ports = 4
//!     reserve = 1
//!     [[pattern]]
//!     kind = 'ring'
//! ";
//! let spec = resolve::read(text, &mut resolve::NoFiles)?;
//! assert_eq!(spec.usable_ports(), [3, 3, 3]);
//!
//! let demand = Demand::build(&spec)?;
//! assert_eq!(demand.pairs().collect::<Vec<_>>(), [(0, 1), (0, 3), (1, 2), (2, 3)]);
//!
//! // PE 0 meets its neighbours 1 and 3 on switch 0, PE 2 meets them on switch 1.
//! let design = table::parse("0: 0 1 3\n1: 1 2 3\n", spec.pes).unwrap();
//! assert!(check(&spec, &demand, &design).holds());
//!
//! // Without the last cable, one requested pair shares no switch.
//! let short = table::parse("0: 0 1 3\n1: 1 2\n", spec.pes).unwrap();
//! assert_eq!(check(&spec, &demand, &short).uncovered, [(2, 3)]);
//! # Ok::<(), spec::Faults>(())
//! ```

pub mod analysis;
pub mod api;
pub mod cancel;
pub mod compare;
pub mod demand;
pub mod design;
pub mod estimate;
pub mod exports;
pub mod fabric;
pub mod form;
pub mod galois;
pub mod hardware;
pub mod random;
pub mod resolve;
pub mod search;
pub mod simulation;
pub mod sorted;
pub mod spec;
pub mod text;
pub mod union_find;
pub mod work;
