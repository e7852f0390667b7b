//! The simulator, held against arithmetic and against a plain one.

mod model;
mod reference;
mod support;
