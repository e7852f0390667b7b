//! Routing schemes and what faults take, against slow recomputation.

mod exports;
mod faults;
mod machine;
mod through;
