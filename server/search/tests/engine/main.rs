//! Tests of the engine: its operators, and whole searches.

mod operators;
mod runs;
mod support;
