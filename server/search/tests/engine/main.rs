//! Tests of the engine: its operators, and whole searches.

mod closed;
mod meta;
mod operators;
mod oracle;
mod runs;
mod support;
