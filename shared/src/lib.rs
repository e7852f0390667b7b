//! Crosspoint's values and pure functions, in the order of its pipeline.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`spec`] | 1 what is asked: as written, validated, resolved |
//! | [`demand`] | 2 the pairs of PEs to serve, with weights |
//! | [`search`] | 3 the contract of a search: request, budget, progress, outcome |
//! | [`design`] | 4 the wiring, its text table, the independent checker |
//! | [`analysis`] | 5 what a wiring does and costs; routing |
//! | [`exports`] | 6 what people and machines build it from |
//! | [`api`] | what travels between server and browser |
//!
//! A module uses earlier ones only. Nothing here knows a clock, a thread, a file or a socket, so that the server
//! and the browser compute from the very same functions.

pub mod analysis;
pub mod api;
pub mod demand;
pub mod design;
pub mod exports;
pub mod search;
pub mod spec;
