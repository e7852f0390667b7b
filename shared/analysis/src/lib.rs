//! Coverage, bounds, cost, routing, faults and figures of a wiring: see [`analysis`].

pub mod analysis;

use ::spec::{cancel, demand, design, form, random, resolve, spec, text, union_find};
