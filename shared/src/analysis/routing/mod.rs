//! Which path each pair takes, one scheme a file.

mod basic;
mod faults;
mod link_layer;
mod through;

pub use basic::{MAX_CONNECTED, Routes, RoutingError, basic};
pub use faults::{Faults, Path, Unknown, UnknownParts, Working};
pub use link_layer::{MultiRoutes, Neighbour, link_layer};
pub use through::{BALANCED_PES, Through, ThroughRoute, Towards, through};
