//! Programs that read exported files in a test, and the list of formats that names them.
//!
//! A test calls [`read_by`] for the formats that its program has read, so a claim of the list fails with its test.

use crate::{studio::crosspoint, target_dir};
use anyhow::{Context, Result, ensure};
use std::{
    collections::BTreeMap,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// The formats of designs, as [`read_by`] takes them; other sources are kinds of networks.
pub const DESIGN: &str = "design";

/// The words that print a program's version; the first number with a dot in it, or of two digits, is the version.
const VERSIONS: [(&str, &[&str]); 38] = [
    ("ansible-core", &["python", "-c", "import ansible.release as r; print(r.__version__)"]),
    ("ansible-lint", &["python", "-c", "import ansiblelint.version as v; print(v.__version__)"]),
    ("BIND", &["named-checkzone", "-v"]),
    ("BusyBox", &["busybox"]),
    ("Chromium", &["chromium", "--version"]),
    (
        "ciscoconfparse2",
        &["python", "-c", "import importlib.metadata as m; print(m.version('ciscoconfparse2'))"],
    ),
    ("cloud-init", &["cloud-init", "--version"]),
    ("dnsmasq", &["dnsmasq", "--version"]),
    ("GCC", &["gcc", "-dumpfullversion"]),
    ("glibc", &["getent", "--version"]),
    ("Graphviz", &["dot", "-V"]),
    ("Ignition", &["dpkg-query", "-W", "-f", "${Version}", "ignition"]),
    ("ibsim", &["dpkg-query", "-W", "-f", "${Version}", "ibsim-utils"]),
    ("infiniband-diags", &["dpkg-query", "-W", "-f", "${Version}", "infiniband-diags"]),
    ("iproute2", &["ip", "-V"]),
    ("iputils", &["arping", "-V"]),
    ("jsonschema", &["python", "-c", "import importlib.metadata as m; print(m.version('jsonschema'))"]),
    ("Kea", &["kea-dhcp4", "-v"]),
    ("LibreOffice", &["soffice", "--version"]),
    ("libyang", &["yanglint", "--version"]),
    ("lldpd", &["lldpd", "-v"]),
    ("netplan", &["dpkg-query", "-W", "-f", "${Version}", "netplan.io"]),
    ("NetworkManager", &["NetworkManager", "--version"]),
    ("networkx", &["python", "-c", "import networkx; print(networkx.__version__)"]),
    ("node_exporter", &["prometheus-node-exporter", "--version"]),
    ("nvueschema", &["python", "-c", "import importlib.metadata as m; print(m.version('nvueschema'))"]),
    (
        "openapi-python-client",
        &["python", "-c", "import importlib.metadata as m; print(m.version('openapi-python-client'))"],
    ),
    (
        "openapi-spec-validator",
        &["python", "-c", "import importlib.metadata as m; print(m.version('openapi-spec-validator'))"],
    ),
    ("OpenSM", &["dpkg-query", "-W", "-f", "${Version}", "opensm"]),
    ("Open MPI", &["mpirun", "--version"]),
    ("pandas", &["python", "-c", "import pandas; print(pandas.__version__)"]),
    ("poppler", &["pdftotext", "-v"]),
    ("Prometheus", &["promtool", "--version"]),
    ("ShellCheck", &["shellcheck", "--version"]),
    ("Slurm", &["slurmctld", "-V"]),
    ("systemd", &["systemctl", "--version"]),
    ("ZBar", &["zbarimg", "--version"]),
    ("zebrafy", &["python", "-c", "import importlib.metadata as m; print(m.version('zebrafy'))"]),
];

/// A program, as a shell of root finds it. Those of Python are in the environment that `e2e/setup.sh` makes.
pub fn tool(program: &str) -> Command {
    let path = std::env::var("PATH").unwrap_or_default();
    let own = python().display().to_string();
    let path = if own.is_empty() { path } else { format!("{own}:{path}:/usr/sbin:/sbin") };
    // Command looks for the program in the path of this process.
    let folders = path.split(':').map(|folder| Path::new(folder).join(program));
    let mut command = Command::new(folders.into_iter().find(|file| file.exists()).unwrap_or(program.into()));
    command.env("PATH", path).env("LC_ALL", "C.UTF-8");
    command
}

/// The folder of Python's programs.
fn python() -> PathBuf {
    target_dir().join("e2e/python/bin")
}

/// Reason why a program cannot be tried here; `None` if all can.
pub fn missing(programs: &[&str]) -> Option<String> {
    let absent = |program: &&&str| {
        let known = VERSIONS.iter().find(|(name, _)| name == *program);
        known.is_none() || version(program).is_err()
    };
    let missing: Vec<_> = programs.iter().filter(absent).copied().collect();
    (!missing.is_empty()).then(|| format!("there is no {}; e2e/setup.sh installs it", missing.join(", no ")))
}

/// Runs a command and returns its output.
///
/// # Errors
/// If it fails; the error has what it printed.
pub fn run(command: &mut Command) -> Result<String> {
    let out = output(command)?;
    let printed = text(&out);
    ensure!(out.status.success(), "{command:?} ended with {}:\n{printed}", out.status);
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}

/// Runs a command that must not complain: returned is its output.
///
/// # Errors
/// If it fails, or writes to standard error.
pub fn run_quietly(command: &mut Command) -> Result<String> {
    let out = output(command)?;
    ensure!(out.status.success() && out.stderr.is_empty(), "{command:?}: {}\n{}", out.status, text(&out));
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}

fn output(command: &mut Command) -> Result<Output> {
    command.output().with_context(|| format!("starting {command:?}"))
}

fn text(out: &Output) -> String {
    String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr)
}

/// The version of an installed program.
///
/// # Errors
/// If it is not installed.
pub fn version(name: &str) -> Result<String> {
    let (_, words) = VERSIONS.iter().find(|(known, _)| *known == name).with_context(|| name.to_owned())?;
    let out = output(tool(words[0]).args(&words[1..]))?;
    let said = text(&out);
    let numbers = said.split(|c: char| !c.is_ascii_digit() && c != '.').map(|word| word.trim_matches('.'));
    let is_version = |word: &&str| word.contains('.') || word.len() > 1;
    let first = numbers.into_iter().find(is_version).with_context(|| format!("{words:?}: {said}"))?;
    Ok(first.to_owned())
}

/// Programs that read each format of a source, as the list of formats names them.
///
/// # Errors
/// If there is no such list.
pub fn listed(source: &str) -> Result<BTreeMap<String, Vec<String>>> {
    let words = if source == DESIGN { vec!["export"] } else { vec!["fabric", source] };
    let out = crosspoint(words.into_iter().chain(["--format", "list"]))?;
    ensure!(out.status.success(), "no formats of {source}: {}", text(&out));
    let mut formats = BTreeMap::new();
    let mut name = String::new();
    for line in String::from_utf8(out.stdout)?.lines() {
        if let Some(programs) = line.trim_start().strip_prefix("Read in tests by: ") {
            formats.insert(name.clone(), programs.split(", ").map(str::to_owned).collect());
        } else if line.trim_start() == "Not tested with the target tool" {
            formats.insert(name.clone(), Vec::new());
        } else if !line.starts_with(' ') {
            name = line.split(' ').next().unwrap_or_default().to_owned();
        }
    }
    Ok(formats)
}

/// Checks that the list of formats names a program with the version that has read them, which is not the one of this machine.
///
/// # Errors
/// If the list names no such version.
pub fn read_by_version(program: &str, version: &str, source: &str, formats: &[&str]) -> Result<()> {
    let listed = listed(source)?;
    for format in formats {
        let named = listed.get(*format).with_context(|| format!("no format {format} of {source}"))?;
        let claimed = named.iter().find_map(|name| name.strip_prefix(program)?.strip_prefix(' '));
        let is_named = claimed.is_some_and(|claimed| version.starts_with(claimed));
        ensure!(
            is_named,
            "{format} of {source} is read by {program} {version}, and the list names {named:?}"
        );
    }
    Ok(())
}

/// Checks that the list of formats names a program that has read them, and prints the program's version.
///
/// # Errors
/// If the list does not name it.
pub fn read_by(program: &str, source: &str, formats: &[&str]) -> Result<()> {
    let listed = listed(source)?;
    for format in formats {
        let named = listed.get(*format).with_context(|| format!("no format {format} of {source}"))?;
        let is_named = named.iter().any(|name| name.starts_with(program));
        ensure!(is_named, "{format} of {source} is read by {program}, and the list names {named:?}");
    }
    // Nobody may be listening.
    let _ = writeln!(std::io::stderr(), "{program} {} read {}", version(program)?, formats.join(", "));
    Ok(())
}
