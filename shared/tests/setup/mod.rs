//! Tests of network setup: addresses, and equivalent forms for different programs.

mod addresses;
mod forms;
mod hosts;
