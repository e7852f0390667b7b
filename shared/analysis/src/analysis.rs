//! 5. What a wiring does and what it costs.

pub mod audit;
pub mod bounds;
pub mod cost;
pub mod figures;
pub mod hops;
pub mod leftout;
pub mod lengths;
pub mod library;
pub mod managers;
pub mod map;
mod meetings;
pub mod orders;
pub mod placing;
pub mod racks;
pub mod rings;
pub mod routing;

pub use figures::{FigureRow, Figures, figures};
