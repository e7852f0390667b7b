//! The demands of Mattox 2006, chapter 4; its hypercube column always includes the ring.

/// The pairs of the FFT's first step.
pub const BS: &str = "bit-reversal";
/// The network of the first machine with a sparse flat neighbourhood.
pub const KASY0: &[&str] = &["hypercube", BS, "ring", "16x8 axis", "8x4x4 axis"];
/// The largest instance published.
#[allow(dead_code, reason = "one bench has no row of it")]
pub const LARGEST: &[&str] = &["hypercube", "64x32x32 nearest"];
/// Hypercube, ring and the balanced tori of 2, 3 and 4 dimensions.
pub const H_SINGLE: &[&str] =
    &["hypercube", "ring", "2 balanced nearest", "3 balanced nearest", "4 balanced nearest"];
/// Demands of [`H_SINGLE`] with steps of powers of two.
pub const H_SINGLE_POWER: &[&str] =
    &["hypercube", "ring", "2 balanced power-of-two", "3 balanced power-of-two", "4 balanced power-of-two"];
/// Hypercube, ring and all tori of 2, 3 and 4 dimensions.
pub const H_ALL: &[&str] = &["hypercube", "ring", "2 all nearest", "3 all nearest", "4 all nearest"];
/// Demands of [`H_ALL`] with steps of powers of two.
pub const H_ALL_POWER: &[&str] =
    &["hypercube", "ring", "2 all power-of-two", "3 all power-of-two", "4 all power-of-two"];
/// [`H_ALL`] with bit reversal and perfect shuffle.
pub const ALL_BS: &[&str] =
    &["hypercube", "ring", "2 all nearest", "3 all nearest", "4 all nearest", BS, "perfect-shuffle"];
/// [`H_ALL_POWER`] with bit reversal and perfect shuffle.
pub const ALL_POWER_BS: &[&str] = &[
    "hypercube",
    "ring",
    "2 all power-of-two",
    "3 all power-of-two",
    "4 all power-of-two",
    BS,
    "perfect-shuffle",
];
