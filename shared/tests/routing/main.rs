//! Routing schemes and what faults take, against slow recomputation.

#[path = "../common/mod.rs"]
mod common;
mod exports;
mod faults;
mod machine;
mod through;
