//! Running the program, and what holds for all of it.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};
use tempfile::TempDir;

/// KASY0's spec among the gallery's.
pub fn kasy0() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/specs/kasy0.toml")
}

/// KASY0's published wiring.
pub fn kasy0_wiring() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/wirings/kasy0.txt")
}

/// Four PEs that one switch serves.
pub const SMALL: &str =
    "name = \"Small\"\npes = 4\nnis_per_pe = 1\nobjective = \"universal\"\n\n[[switch]]\nports = 4\n";

/// A folder with files in it.
pub fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

/// What a run of the program came to.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// The program, to be run in a folder.
pub fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crosspoint"));
    command.current_dir(folder).stdin(Stdio::null());
    command
}

/// Runs the program with these arguments in a folder.
pub fn run(folder: &Path, arguments: &[impl AsRef<OsStr>]) -> Ran {
    let output = program(folder).args(arguments).output().unwrap();
    Ran {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn a_command_line_that_is_none_of_ours_is_bad_input() {
    let folder = folder(&[]);
    for arguments in [&[][..], &["frobnicate"], &["check"], &["search", "a", "--seconds", "-1"]] {
        assert_eq!(run(folder.path(), arguments).code, 2, "{arguments:?}");
    }
}

#[test]
fn help_and_version_are_told() {
    let folder = folder(&[]);
    let help = run(folder.path(), &["--help"]);
    assert_eq!(help.code, 0);
    for name in ["serve", "demand", "search", "check", "analyze", "export"] {
        assert!(help.out.contains(name), "{name}");
    }
    let version = run(folder.path(), &["--version"]);
    assert!(version.out.starts_with(&format!("crosspoint {}", env!("CARGO_PKG_VERSION"))), "{}", version.out);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let folder = folder(&[]);
    let mut command = program(folder.path());
    command.arg("demand").arg(kasy0()).arg("--pairs").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}
