//! Files that people and machines build a wiring from: see [`exports`].

pub mod exports;

use ::spec::{cancel, checksum, demand, design, form, random, resolve, spec, text};

use ::analysis::analysis;

use ::network::{compare, fabric};
