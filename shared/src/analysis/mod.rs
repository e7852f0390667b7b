//! 5. What a wiring does and what it costs.

pub mod bounds;
pub mod routing;
