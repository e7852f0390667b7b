//! Which Crosspoint this is.

/// The version, such as `0.1.0+2ae3870` where the sources' revision was known when it was built, or `0.1.0`.
pub const VERSION: &str = env!("CROSSPOINT_VERSION");
