//! Crosspoint's studio server and command line.
//!
//! | module | contents |
//! | --- | --- |
//! | [`prepare`] | specs and wirings, read |
//! | `problem` | errors as problem details |
//! | [`counts`] | counts and analysis of a demand and a wiring |
//! | [`artifact`] | exports as bytes |
//! | [`simulations`] | simulations, from a form to results |
//! | [`help`] | chapters of the help |
//! | [`edit`] | tokens that give the right to stop work |
//! | [`frontier`] | the cheapest network for a job: estimates and searches |
//! | [`store`] | designs and work on disk |
//! | [`log`] | log lines without secrets |
//! | [`cluster`] | work on other machines |
//! | [`work`] | searches, simulations and computations: queue, state, store, resume |
//! | [`tasks`] | the computations of requests, and the budgets of all work |
//! | [`api`] | the HTTP API |
//! | [`listener`] | connections and their limits |
//! | [`web`] | the embedded page |
//! | [`cli`] | the command line |
//!
//! The command line and the API call the same functions, so that both give the same bytes. Long work runs on threads of its
//! own. Only `shared::design::check` decides whether a wiring is valid.

pub mod api;
pub mod artifact;
pub mod cli;
pub mod cluster;
pub mod counts;
pub mod edit;
pub mod frontier;
pub mod help;
pub mod listener;
pub mod log;
pub mod prepare;
mod problem;
mod routing;
pub mod simulations;
pub mod store;
pub mod tasks;
pub mod web;
pub mod work;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Version, with the source revision if the build knew it: `0.1.0+2ae3870` or `0.1.0`.
pub const VERSION: &str = env!("CROSSPOINT_VERSION");

/// Locks in spite of a panicked thread: it leaves guarded values whole, and SQLite rolls back its transaction.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
