//! Crosspoint's studio: everything a person sees and touches, drawn in the browser.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`state`] | what the studio knows and what can be done to it, one noun a file; tested natively |
//! | `components` | widgets that know no page |
//! | `pages` | the panels and pages, one a noun |
//! | `api` | the only file that knows HTTP |
//! | `browser` | the other edges: storage, files, clipboard, the address bar |
//!
//! Counts, maps, bounds, figures and faults come from package `shared`, which the server computes with too. The server
//! is asked for three things only: to search, to keep a design, and to write exports.

pub mod state;

#[cfg(target_arch = "wasm32")]
mod api;
#[cfg(target_arch = "wasm32")]
mod browser;
#[cfg(target_arch = "wasm32")]
mod components;
#[cfg(target_arch = "wasm32")]
mod pages;

/// Draws the studio into the page it was loaded by.
#[cfg(target_arch = "wasm32")]
pub fn start() {
    console_error_panic_hook::set_once();
    pages::mount();
}
