//! Crosspoint's studio, drawn in the browser. A module uses only those above it in this list.
//!
//! | module | holds |
//! | --- | --- |
//! | [`state`] | values, actions and updates, one noun per file; tested natively |
//! | `browser` | the browser's interfaces: storage, files, clipboard, address bar |
//! | `rights` | the edit token of this browser, and what it started |
//! | `api` | HTTP: one function per call, and event streams |
//! | `work` | running work in the page: pauses, outdated results, cancelling |
//! | `components` | widgets that know no page |
//! | `studio` | the signals all pages share, and everything that keeps them up to date |
//! | `pages` | panels and pages, one per file or folder; they do not import each other |
//! | `parts` | the pages and views that load after the start page |
//! | `app` | the page, put together |
//!
//! Counts, maps, bounds, figures and faults come from package `shared`, which the server uses too. The server searches, simulates,
//! stores designs, and computes for machines too large for the browser.

pub mod state;

#[cfg(target_arch = "wasm32")]
mod api;
#[cfg(target_arch = "wasm32")]
mod app;
#[cfg(target_arch = "wasm32")]
mod browser;
#[cfg(target_arch = "wasm32")]
mod components;
#[cfg(target_arch = "wasm32")]
mod pages;
#[cfg(target_arch = "wasm32")]
mod parts;
#[cfg(target_arch = "wasm32")]
mod rights;
#[cfg(target_arch = "wasm32")]
mod studio;
#[cfg(target_arch = "wasm32")]
mod work;

/// Draws the studio into the page.
#[cfg(target_arch = "wasm32")]
pub fn start() {
    console_error_panic_hook::set_once();
    // The instance of the module was made in this task.
    wasm_bindgen_futures::spawn_local(async {
        browser::breathe().await;
        app::mount();
    });
}
