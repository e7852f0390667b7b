//! Crosspoint's studio server and command line.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`prepare`] | from texts to values |
//! | [`counts`] | a demand and a wiring, counted |
//! | [`artifact`] | exports as bytes |
//! | [`simulations`] | from a form to a simulation |
//! | [`help`] | chapters of the help |
//! | [`store`] | what is kept: designs, runs, boards |
//! | [`log`] | log lines, without secrets |
//! | [`jobs`] | start, stream, stop searches |
//! | [`api`] | HTTP, one noun a file |
//! | [`web`] | the page and its files, carried inside the binary |
//! | [`cli`] | the program, one subcommand a file |
//!
//! The command line and HTTP call the same functions of the first four, so that both give the same bytes. Everything
//! that takes long runs off the threads that serve requests. Nothing here decides whether a wiring is valid: that is for
//! `shared::design::check` alone.

pub mod api;
pub mod artifact;
pub mod cli;
pub mod counts;
pub mod help;
pub mod jobs;
pub mod log;
pub mod prepare;
pub mod simulations;
pub mod store;
pub mod web;

/// The version, such as `0.1.0+2ae3870` where the sources' revision was known when it was built, or `0.1.0`.
pub const VERSION: &str = env!("CROSSPOINT_VERSION");
