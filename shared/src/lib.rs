//! Crosspoint's values and pure functions, in the order of its pipeline.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`spec`] | 1 what is asked: as written, validated, resolved |
//! | [`demand`] | 2 the pairs of PEs to serve, with weights |
//! | [`search`] | 3 the contract of a search: request, budget, progress, outcome |
//! | [`hardware`] | 3 the contract of a search over hardware |
//! | [`design`] | 4 the wiring, its text table, the independent checker |
//! | [`analysis`] | 5 what a wiring does and costs; routing |
//! | [`fabric`] | 5 other networks beside a wiring, and the paths frames take on any of them |
//! | [`simulation`] | 5 the contract of a simulation: settings, traffic, results |
//! | [`compare`] | 5 what other networks for as many hosts cost and do |
//! | [`exports`] | 6 what people and machines build it from |
//! | [`api`] | what travels between server and browser |
//!
//! A module uses earlier ones only. Nothing here knows a clock, a thread, a file or a socket, so that the server
//! and the browser compute from the very same functions.
//!
//! # A walk through
//!
//! Four nodes in a ring, two NIs each, and switches with four ports of which one stays free:
//!
//! ```
//! use shared::{demand::Demand, design::{check, table}, spec};
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
//! let form = spec::language::parse(text)?;
//! let spec = spec::resolve(&form, &mut spec::NoFiles)?;
//! assert_eq!(spec.usable_ports(), [3, 3, 3]);
//!
//! let demand = Demand::build(&spec)?;
//! assert_eq!(demand.pairs().collect::<Vec<_>>(), [(0, 1), (0, 3), (1, 2), (2, 3)]);
//!
//! // PE 0 meets its neighbours 1 and 3 on switch 0, PE 2 does on switch 1.
//! let design = table::parse("0: 0 1 3\n1: 1 2 3\n", spec.pes).unwrap();
//! assert!(check(&spec, &demand, &design).holds());
//!
//! // Without the last cable one pair that was asked for shares no switch.
//! let short = table::parse("0: 0 1 3\n1: 1 2\n", spec.pes).unwrap();
//! assert_eq!(check(&spec, &demand, &short).uncovered, [(2, 3)]);
//! # Ok::<(), spec::Faults>(())
//! ```

pub mod analysis;
pub mod api;
pub mod compare;
pub mod demand;
pub mod design;
pub mod exports;
pub mod fabric;
pub mod hardware;
pub mod search;
pub mod simulation;
pub mod spec;
pub mod text;
