//! Tests of the engine: its operators, and whole searches.

mod bookkeeping;
mod closed;
mod lay;
mod meta;
mod operators;
mod oracle;
mod renumber;
mod runs;
mod support;
mod wild;
