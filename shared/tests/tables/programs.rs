//! Programs of the system that read what is exported.

use std::{
    env, fs,
    io::{ErrorKind, Write as _, stderr},
    path::PathBuf,
    process::{Command, Output, Stdio},
};

/// Runs a program on a text; `None`, told on standard error past the test's capture, where it is not installed.
pub fn run(program: &str, arguments: &[&str], input: &str) -> Option<Output> {
    let mut command = Command::new(program);
    let piped = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match piped.spawn() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let _ =
                writeln!(stderr(), "SKIPPED: {program} is not installed, so that nothing was tried with it");
            return None;
        }
        child => child.unwrap(),
    };
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    Some(child.wait_with_output().unwrap())
}

/// Compiles a C program with all warnings as errors and runs it; what it prints. `None` as for [`run`].
pub fn c(name: &str, source: &str) -> Option<String> {
    let program: PathBuf =
        [env!("CARGO_TARGET_TMPDIR"), &format!("{name}-{}", std::process::id())].iter().collect();
    let path = program.to_str().unwrap();
    let warnings = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"];
    let arguments = [&warnings[..], &["-x", "c", "-", "-o", path]].concat();
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".into());
    let compiled = run(&compiler, &arguments, source)?;
    assert!(compiled.status.success(), "{}\n{source}", String::from_utf8_lossy(&compiled.stderr));
    let printed = Command::new(&program).output().unwrap();
    assert!(printed.status.success(), "{name} ended with {}", printed.status);
    remove(&program);
    Some(String::from_utf8(printed.stdout).unwrap())
}

#[expect(clippy::disallowed_methods, reason = "compiled programs are files")]
fn remove(program: &PathBuf) {
    fs::remove_file(program).unwrap();
}
