//! The programs that build a lab.

use crate::root;
use anyhow::{Context, Result, ensure};
use std::{
    fmt::Write as _,
    io::Write as _,
    process::{Command, Output, Stdio},
};

/// A program that may be outside a user's path.
pub fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{path}:/usr/sbin:/sbin")).current_dir(root());
    command
}

/// Runs `ip` once.
///
/// # Errors
/// If it fails, with its output.
pub fn ip(arguments: &[&str]) -> Result<()> {
    done(command("ip").args(arguments).output()?).map(drop)
}

/// Runs many lines of `ip` or `tc` in one process, which takes them after its options.
///
/// # Errors
/// If a line fails, with the program's output.
pub fn batch(program: &str, options: &[&str], lines: impl IntoIterator<Item = String>) -> Result<()> {
    let mut text = String::new();
    for line in lines {
        writeln!(text, "{line}")?;
    }
    let mut child = command(program)
        .args(options)
        .args(["-batch", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    child.stdin.take().context("a pipe")?.write_all(text.as_bytes())?;
    done(child.wait_with_output()?).map(drop)
}

/// The output of a program.
///
/// # Errors
/// If it did not end well, with its output.
pub fn done(out: Output) -> Result<String> {
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    ensure!(out.status.success(), "{}{said}", String::from_utf8_lossy(&out.stderr));
    Ok(said)
}
