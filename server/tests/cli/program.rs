//! Running the program, and what holds for all of it.

use std::{
    ffi::OsStr,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
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

/// Result of running the program.
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
    ran(program(folder).args(arguments).output().unwrap())
}

/// Runs the program with this on its standard input.
pub fn run_with(input: &str, folder: &Path, arguments: &[impl AsRef<OsStr>]) -> Ran {
    let mut command = program(folder);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that does not read on is judged by its answer.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    ran(child.wait_with_output().unwrap())
}

/// Runs the program where files take 1 KiB at most, as on a disk that is nearly full.
#[cfg(unix)]
pub fn run_on_full_disk(folder: &Path, arguments: &[impl AsRef<OsStr>]) -> Ran {
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_crosspoint")]);
    ran(command.args(arguments).current_dir(folder).stdin(Stdio::null()).output().unwrap())
}

/// Runs the program and kills it without warning once `is_due`.
#[cfg(unix)]
pub fn kill_once(mut command: Command, is_due: impl Fn() -> bool) {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !is_due() {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before it was killed");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().code(), None, "it ended before it was killed");
}

/// Attempts that the first line of a checkpoint of a board tells of; 0 without a file.
pub fn attempts_in(checkpoint: &Path) -> u64 {
    let Ok(bytes) = std::fs::read(checkpoint) else { return 0 };
    let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let head: serde_json::Value = serde_json::from_slice(line).unwrap();
    head["attempts"].as_u64().unwrap()
}

/// Runs the program until it tells this on standard error, then sends it what ctrl-C sends.
#[cfg(unix)]
pub fn run_interrupted(mut command: Command, told: &str) -> Ran {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut progress = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains(told) {
        line.clear();
        assert_ne!(progress.read_line(&mut line).unwrap(), 0, "no progress was told");
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    std::thread::spawn(move || std::io::copy(&mut progress, &mut std::io::sink()));
    ran(child.wait_with_output().unwrap())
}

fn ran(output: Output) -> Ran {
    Ran {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The names of what is in a folder.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_command_line_that_is_none_of_ours_is_bad_input() {
    let folder = folder(&[]);
    for arguments in [&[][..], &["frobnicate"], &["check"], &["search", "a", "--seconds", "-1"]] {
        assert_eq!(run(folder.path(), arguments).code, 2, "{arguments:?}");
    }
}

#[test]
fn a_flag_with_a_wrong_value_names_the_accepted_values() {
    let folder = folder(&[]);
    for (arguments, told) in [
        (
            &["serve", "--keep-days", "x"][..],
            "--keep-days: must be a whole number from 0 to 36,500, not `x`.",
        ),
        (&["serve", "--quick", "-1"], "--quick: must be a whole number from 0 to 10,000, not -1."),
        (
            &["serve", "--trusted-proxy", "a"],
            "--trusted-proxy: must be a network such as 10.0.0.0/24, or an address, not `a`.",
        ),
        (
            &["serve", "--host", "http://studio.example"],
            "--host: must be a name such as studio.example, without http:// and port, not `http://studio.example`.",
        ),
        (&["serve", "--log", "all"], "--log: must be error, warn, info, debug or trace, not `all`."),
        (
            &["worker", "--nats", "n", "--memory", "63"],
            "--memory: must be a whole number from 64 to 16,777,216, not 63.",
        ),
        (
            &["import", "a", "--ranks-per-node", "0"],
            "--ranks-per-node: must be a whole number from 1 to 4,294,967,295, not 0.",
        ),
        (&["import", "a", "--bytes", "x"], "--bytes: must be a number from 0, not `x`."),
        (
            &["simulate", "--limit-memory", "x"],
            "--limit-memory: must be a whole number from 1 to 16,777,216, not `x`.",
        ),
        (&["check", "a", "b", "--library", "gloo"], "--library: must be nccl, mpi or any, not `gloo`."),
    ] {
        let ran = run(folder.path(), arguments);
        assert_eq!((ran.code, &*ran.err), (2, &*format!("crosspoint: {told}\n")), "{arguments:?}");
    }
}

#[test]
fn help_and_version_are_told() {
    let folder = folder(&[]);
    let help = run(folder.path(), &["--help"]);
    assert_eq!(help.code, 0);
    for name in ["serve", "demand", "search", "hardware", "check", "analyze", "export"] {
        assert!(help.out.contains(name), "{name}");
    }
    let told =
        |of: &str| run(folder.path(), &[of, "--help"]).out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told("search").contains("Ctrl-C stops the search and writes the best wiring so far"));
    assert!(told("export").contains("not needed for --format list and --format spec"));
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
