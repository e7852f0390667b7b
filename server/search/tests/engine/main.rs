//! Tests of the engine: its operators, and whole searches.

mod bookkeeping;
mod checkpoint;
mod closed;
mod fractional;
mod hardware;
mod lengths;
mod operators;
mod oracle;
mod renumber;
mod rules;
mod runs;
mod support;
mod wild;
mod wishes;
