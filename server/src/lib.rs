//! Crosspoint's studio server and command line: the binary `crosspoint` is a thin `main` over this library.
//!
//! # Rooms
//!
//! | module | contents | invariant |
//! | --- | --- | --- |
//! | [`prepare`], [`counts`], [`artifact`] | specs and wirings as read, counts and analysis, exports as bytes | command line and API call the same functions, so both give the same bytes |
//! | [`simulations`], [`frontier`] | a simulation from a form to results; the cheapest network for a job | the same seed and settings give the same report |
//! | `problem` | errors as problem details | an internal error goes to the log, not to the client |
//! | [`store`] | designs, work and workspaces in one SQLite file | what was acknowledged survives a power cut; only an owner deletes a design |
//! | [`cluster`] | units of work on other machines, through NATS | the same unit gives the same result, so one that ran twice does no harm |
//! | [`tasks`] | computations of requests, and the budgets of threads and memory | a client has a share, so that one more client always finds room |
//! | [`work`] | work of every kind: queue, state, watchers, store, resume | work does not depend on watchers, and every wiring passes the checker before anybody sees it |
//! | [`api`], [`listener`], [`web`] | HTTP, one noun per file; connections; the embedded page | ids are secrets: nothing lists them to strangers |
//! | [`cli`], [`help`] | one subcommand per file, the chapters | exit codes: 0 done, 1 the answer is no, 2 bad input |
//! | [`edit`], [`log`] | edit tokens, log lines without secrets | a token is kept as its hash |
//!
//! # What is deliberately absent
//!
//! * No accounts. A link opens what it names, an edit token changes what it started, and a proxy has the rest.
//! * No second path for a kind of work: a new kind is one file in `work/`, one line in [`work::kind`], and its entry in `shared`.
//! * No state in the browser that the server needs: it sends forms as typed, and follows events.
//!
//! # A walk: a search from click to chart
//!
//! 1. *Start* posts a [`StartWork`](shared::api::StartWork): kind `search`, the spec's text, the fields as typed. `api/work.rs` reads it.
//! 2. [`work::search::Searches`] reads the form and the spec, refuses what is provably impossible, and returns a body.
//!    [`Works::start`](work::Works::start) reserves a place in the queue, adds the work to the [`store`], and fills the place.
//! 3. The queue starts it when its threads are free. The body runs the engine, which reports progress and better wirings. A thread
//!    beside it saves both, and a checkpoint from time to time.
//! 4. `GET /api/work/{id}/events` sends the view at the start and at each change of state, and changes in between, each encoded once
//!    for all watchers. The page adds a point to its chart per change, and fetches the table when the revision grows.
//! 5. At the end the checker judges the wiring. The state is `solved` or `exhausted`, whatever the engine said.
//!
//! # A walk: a part of a search on a worker
//!
//! 1. With workers, the engine hands each epoch of an island to [`cluster::studio::Workers`], which stores the search once as an object
//!    and publishes a task with the epoch.
//! 2. A worker takes the task, reads the object, and compares the fingerprint of the search with its own. It computes, and sends news
//!    several times per second.
//! 3. The studio takes the result and lets the island go on. If the worker falls silent, another one gets the task; without any worker, the
//!    epoch runs in the studio. The wiring is the same in all cases.
//!
//! Loads of a simulation and networks of an estimate go the same way, as units of [`work::Units`].

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
