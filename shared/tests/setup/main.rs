//! Tests of network setup: addresses, and equivalent forms for different programs.

#[path = "../common/mod.rs"]
mod common;

mod addresses;
mod forms;
mod hosts;
