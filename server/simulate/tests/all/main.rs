//! The simulator against arithmetic and against a plain reference simulator.

mod model;
mod reference;
mod support;
