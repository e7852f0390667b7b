//! Which path each pair takes, one scheme a file, and what is left when parts die.

mod basic;
mod faults;
mod link_layer;
mod losses;
mod per_ni;
mod preload;
mod through;
mod worst;

pub use basic::{MAX_CONNECTED, Routes, RoutingError, basic};
pub use faults::{Faults, Path, Unknown, UnknownParts, Working};
pub use link_layer::{MultiRoutes, Neighbour, link_layer};
pub use losses::{Damage, Left, Loss, Tally, damage, losses, try_losses};
pub use per_ni::{PerNi, per_ni};
pub use preload::{Preload, preload};
pub use through::{BALANCED_PES, Through, ThroughRoute, Towards, through};
pub use worst::{Single, Singles, singles};
