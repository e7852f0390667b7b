//! What a network is set up by: addresses, and the forms that say the same to different programs.

#[path = "../common/mod.rs"]
mod common;

mod addresses;
mod forms;
