//! Work that may take long: what it is asked for, and what it reports.
//!
//! | module | holds |
//! | --- | --- |
//! | [`estimate`] | the contract of an estimate: the time of a training step on several networks |
//! | [`search`] | the contract of a search: request, budget, progress, outcome |
//! | [`hardware`] | the contract of a search over hardware |
//! | [`simulation`] | the contract of a simulation: settings, traffic, results |
//! | [`work`] | the kinds of work: their forms, one lifecycle, one view |

pub mod estimate;
pub mod hardware;
pub mod search;
pub mod simulation;
pub mod work;

use ::spec::{cancel, demand, design, form, resolve, spec, text, union_find};

use ::analysis::analysis;

use ::network::{compare, fabric};
