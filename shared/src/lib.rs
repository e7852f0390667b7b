//! Crosspoint's values and pure functions. Nothing here knows a clock, a thread, a file or a socket, so the server and the browser
//! compute from the same functions.
//!
//! # Rooms
//!
//! The values stand in crates below this one, and the compiler keeps them in order: each uses only crates above it. This crate is all
//! of them under one name, for those who use several.
//!
//! | crate | modules | holds | invariant |
//! | --- | --- | --- | --- |
//! | `spec` | [`form`], [`mod@spec`], [`demand`], [`design`], [`resolve`] | what is asked for, and the wiring that answers it | a field of a form is described once; only [`design::check`] says that a wiring is valid |
//! | `analysis` | [`analysis`] | coverage, bounds, cost, routing, faults, figures | a bound is proved, and says by what |
//! | `network` | [`fabric`], [`compare`] | any network with its routing, and networks side by side | an unknown price is unknown, never 0 |
//! | `work` | [`search`], [`hardware`], [`simulation`], [`estimate`], [`work`] | the kinds of work: form, request, progress, report | the form as typed is what travels and what is stored |
//! | `exports` | [`exports`] | one format per file | the same wiring gives the same bytes, on the server and in the browser |
//! | `shared` | [`api`] | what travels between server and browser besides work | a spec travels as its TOML text, a wiring as its text table |
//!
//! Files inside a crate import each other in no circle. A test in `tests/order.rs` reads all crates of the workspace for that.
//!
//! # What is deliberately absent
//!
//! * No network of a *design*: a design is the wiring and nothing else. Prices, names and racks are in the spec.
//! * No failed parts in a file that people build from, unless its settings name them.
//! * No state: the server has all of it in its store, the browser in `state/`.
//!
//! # A walk: from a spec to a label file
//!
//! Four nodes in a ring, two NIs each, and switches with four ports of which one stays free. [`resolve::read`] parses the text into a
//! form, reads every field with all of its faults, and returns a [`Spec`](spec::Spec) that is valid by construction.
//! [`Demand::build`](demand::Demand::build) asks each pattern for its pairs. A search or a person gives the wiring, and the checker
//! judges it. A [`Bundle`](exports::Bundle) holds all three for the exports: [`format`](exports::format) finds the format by name,
//! and its file writes the labels.
//!
//! ```
//! use shared::{demand::Demand, design::{check, table}, exports::{Bundle, format}, resolve, spec};
//! use std::sync::Arc;
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
//!
//! let (spec, demand) = (Arc::new(spec), Arc::new(demand));
//! let bundle = Bundle::new(spec, text, demand, Arc::new(design));
//! let mut sheet = Vec::new();
//! bundle.write(format("labels")?, None, &mut sheet)?;
//! assert!(String::from_utf8(sheet)?.contains("<svg"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod api;

pub use ::analysis::analysis;
pub use ::exports::exports;
pub use ::network::{compare, fabric};
pub use ::spec::{
    cancel, checksum, demand, design, form, galois, random, resolve, sorted, spec, text, union_find,
};
pub use ::work::{estimate, hardware, search, simulation, work};
