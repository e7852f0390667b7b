//! Sets the version with the source revision, and creates the folder of the web bundle if it is missing.

use std::{env, fs, path::Path, process::Command};

fn main() {
    let bundle = Path::new("../frontend/dist");
    if let Err(error) = fs::create_dir_all(bundle) {
        println!("cargo:warning=cannot create the folder of the web bundle: {error}");
    }
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    if is_release && !bundle.join("index.html").exists() {
        println!(
            "cargo:warning=the program will have no web pages: run `make bundle` first, then build again"
        );
    }
    println!("cargo:rerun-if-changed=../frontend/dist");
    println!("cargo:rerun-if-changed=../assets/specs");
    let number = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let version = match revision(is_release) {
        Some(revision) => format!("{number}+{revision}"),
        None => number,
    };
    println!("cargo:rustc-env=CROSSPOINT_VERSION={version}");
}

/// Short hash of the current commit.
fn revision(is_release: bool) -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok().filter(|o| o.status.success())?;
        Some(String::from_utf8(output.stdout).ok()?.trim().to_owned()).filter(|text| !text.is_empty())
    };
    // Only release builds follow each commit: a rebuild per commit would slow down development.
    let log =
        git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|log| is_release && Path::new(log).exists());
    if let Some(log) = log {
        println!("cargo:rerun-if-changed={log}");
    }
    git(&["rev-parse", "--short=7", "HEAD"])
}
