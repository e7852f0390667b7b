//! What is asked for, and the wiring that answers it.
//!
//! | module | holds |
//! | --- | --- |
//! | [`cancel`] | cancellation and progress of long computations |
//! | [`checksum`] | CRC-32 |
//! | [`text`] | numbers, lists and quoted words as people read them |
//! | [`csv`] | fields of lines |
//! | [`random`] | seeded random numbers, a stable hash |
//! | [`sorted`] | one sort by numbers for all types |
//! | [`galois`] | finite fields |
//! | [`union_find`] | disjoint sets |
//! | [`form`] | forms as typed: fields described once, their TOML language, faults |
//! | [`spec`] | the request: as written and as resolved |
//! | [`demand`] | the pairs of PEs to serve, with weights |
//! | [`design`] | the wiring, its text table, its failed parts, the independent checker |
//! | [`resolve`] | a spec as written to a valid one, or every fault |

pub mod cancel;
pub mod checksum;
pub mod csv;
pub mod demand;
pub mod design;
pub mod form;
pub mod galois;
pub mod random;
pub mod resolve;
pub mod sorted;
pub mod spec;
pub mod text;
pub mod union_find;
