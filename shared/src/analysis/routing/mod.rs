//! Which path each pair takes, one scheme a file.

mod basic;

pub use basic::{MAX_CONNECTED, Routes, RoutingError, basic};
