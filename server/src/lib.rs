//! Crosspoint's studio server and command line.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`prepare`] | from texts to values |
//! | [`remedy`] | advice that takes the engine |
//! | [`counts`] | a demand and a wiring, counted |
//! | [`artifact`] | exports as bytes |
//! | [`simulations`] | from a form to a simulation |
//! | [`gallery`] | the ready specs |
//! | [`store`] | what is kept: designs, runs, boards |
//! | [`jobs`] | start, stream, stop searches |
//! | [`api`] | HTTP, one noun a file |
//! | [`web`] | the page and its files, carried inside the binary |
//! | [`cli`] | the program, one subcommand a file |
//!
//! The command line and HTTP call the same functions of the first five, so that both give the same bytes. Everything
//! that takes long runs off the threads that serve requests. Nothing here decides whether a wiring is valid: that is for
//! `shared::design::check` alone.

pub mod api;
pub mod artifact;
pub mod cli;
pub mod counts;
pub mod gallery;
pub mod jobs;
pub mod prepare;
pub mod remedy;
pub mod simulations;
pub mod store;
pub mod version;
pub mod web;
