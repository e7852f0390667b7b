//! Simulations of traffic: the form as it is typed, and the curves that came of it.

mod curves;
mod entries;
mod form;
mod packed;

pub use curves::{Curve, Curves, MOST_CURVES, Stage, StoredCurve};
pub use entries::{Entry, Input, MAIN, RULES, entry};
pub use form::SimulateForm;
pub use packed::{pack, unpack};
