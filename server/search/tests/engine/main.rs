//! Tests of the engine: its operators, and whole searches.

mod operators;
mod oracle;
mod runs;
mod support;
