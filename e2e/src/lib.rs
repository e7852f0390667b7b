//! Crosspoint tried from outside, as a person would.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`studio`] | the program itself, serving on a port and a folder of its own |
//! | [`chromium`] | the browser's process, which all tests of a program share |
//! | [`browser`] | a fresh context in it, as a person who has never seen the studio |
//! | [`tab`] | one page in it: find by role and name, click, type, read, print |
//! | [`looks`] | what holds of every screen: names, contrast, width, focus |
//! | [`meter`] | long tasks of a page |
//! | [`paper`] | printed pages |
//! | [`visit`] | one test: a studio, a browser, and a picture if it fails |
//! | [`webdriver`] | Firefox and WebKit |
//! | [`http`] | plain requests, from clients with addresses of their own |
//! | [`cluster`] | a NATS server and workers |
//! | [`lab`] | a wiring in network namespaces: PEs, cables, switches |
//! | [`readers`] | programs that read exported files, and the list of formats that names them |
//!
//! Things are found as a person finds them, by role and accessible name; so a test that finds a control has also
//! shown that a screen reader does. Pictures and prints are left in `target/e2e` for people to look at.

pub mod browser;
pub mod chromium;
pub mod cluster;
pub mod http;
pub mod lab;
pub mod looks;
pub mod meter;
pub mod paper;
pub mod readers;
pub mod studio;
pub mod tab;
pub mod visit;
pub mod webdriver;

use anyhow::Result;
use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

/// Runs a test with a folder of its own, or says on standard error that an obstacle stops it.
///
/// # Panics
/// If the test fails.
pub fn story(what: &str, obstacle: Option<String>, test: impl FnOnce(&Path) -> Result<()>) {
    if let Some(obstacle) = obstacle {
        // Straight to the stream: what a passing test prints is hidden otherwise. Nobody may be listening.
        let _ = writeln!(std::io::stderr(), "SKIPPED: {what} was not tried, since {obstacle}");
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    if let Err(error) = test(dir.path()) {
        panic!("{what}: {error:#}");
    }
}

/// The repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// Where cargo builds.
pub fn target_dir() -> PathBuf {
    let named = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    root().join(named)
}

/// A file to look at, under `target/e2e`; its folder exists afterwards.
///
/// # Errors
/// If the folder cannot be made.
pub fn to_look_at(name: &str) -> std::io::Result<PathBuf> {
    let dir = target_dir().join("e2e");
    std::fs::create_dir_all(&dir)?;
    Ok(dir.join(name))
}

/// The text of a spec of the gallery, such as `kasy0`.
///
/// # Errors
/// If there is no such spec.
pub fn gallery_spec(id: &str) -> anyhow::Result<String> {
    let path = root().join("assets/specs").join(format!("{id}.toml"));
    std::fs::read_to_string(&path).map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))
}
