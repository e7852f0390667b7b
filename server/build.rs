//! Notes the sources' revision, and makes sure that there is a folder for the web bundle, empty where it was not built.

use std::{env, fs, path::Path, process::Command};

fn main() {
    let bundle = Path::new("../frontend/dist");
    if let Err(error) = fs::create_dir_all(bundle) {
        println!("cargo:warning=no folder for the web bundle: {error}");
    }
    println!("cargo:rerun-if-changed=../frontend/dist");
    println!("cargo:rerun-if-changed=../assets/specs");
    let number = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let version = match revision() {
        Some(revision) => format!("{number}+{revision}"),
        None => number,
    };
    println!("cargo:rustc-env=CROSSPOINT_VERSION={version}");
}

/// The short hash of the commit that is checked out, if git knows one.
fn revision() -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok().filter(|o| o.status.success())?;
        Some(String::from_utf8(output.stdout).ok()?.trim().to_owned()).filter(|text| !text.is_empty())
    };
    // The log of HEAD grows with each commit and each checkout. While developing, an old revision does no harm and saves
    // a build for each commit.
    let release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|log| release && Path::new(log).exists());
    if let Some(log) = log {
        println!("cargo:rerun-if-changed={log}");
    }
    git(&["rev-parse", "--short=7", "HEAD"])
}
