//! Networks of any kind.
//!
//! | module | holds |
//! | --- | --- |
//! | [`fabric`] | any network of hosts, switches and links, with its routing; one kind per file |
//! | [`compare`] | price and performance of networks for the same hosts |

pub mod compare;
pub mod fabric;

use ::spec::{cancel, csv, demand, design, form, galois, random, spec, text, union_find};

use ::analysis::analysis;
