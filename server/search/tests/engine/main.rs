//! Tests of the engine: its operators, and whole searches.

mod bookkeeping;
mod checkpoint;
mod closed;
mod epochs;
mod extra_links;
mod fractional;
mod hardware;
mod lengths;
mod operators;
mod oracle;
mod rail;
mod random_specs;
mod renumber;
mod rules;
mod runs;
mod stops;
mod support;
mod time;
mod unlimited;
