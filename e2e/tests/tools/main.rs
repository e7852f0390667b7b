//! The exported files, and the description of the HTTP API, in the programs that they are for.
//!
//! | module | programs |
//! | --- | --- |
//! | [`shells`] | ShellCheck on every script |
//! | [`tables`] | Graphviz, networkx, jsonschema, pandas, LibreOffice, the resolver of names |
//! | [`ansible`] | ansible-core and ansible-lint: the playbook on a machine of its own mounts and network |
//! | [`boot`] | dnsmasq and a DHCP client |
//! | [`client`] | openapi-spec-validator and openapi-python-client on the description of the HTTP API |
//! | [`deploy`] | systemd-analyze on the units of `server/deploy` |
//! | [`hosts`] | systemd-networkd, netplan, NetworkManager, Kea, BIND, cloud-init, Ignition |
//! | [`infiniband`] | OpenSM and infiniband-diags on subnets that ibsim simulates |
//! | [`slurm`] | Slurm's controller and its commands |
//! | [`lldp`] | lldpd on a machine with swapped cables |
//! | [`monitoring`] | Prometheus and node_exporter |
//! | [`switches`] | ciscoconfparse2, nvueschema, yanglint and iproute2 on configurations of switches |
//! | [`labels`] | ZBar, poppler and zebrafy on labels |
//!
//! The list of formats names these programs; see [`e2e::readers`].

mod ansible;
mod boot;
mod client;
mod deploy;
mod hosts;
mod infiniband;
mod labels;
mod lldp;
mod monitoring;
mod peers;
mod shells;
mod slurm;
mod switches;
mod tables;

use anyhow::{Context, Result, ensure};
use e2e::{
    lab::{self, machine::Machine},
    readers::{self, DESIGN, listed, missing, version},
    root, story,
};
use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::{Mutex, PoisonError},
};

/// Eight nodes with two or three NICs in two racks, reserved ports, a training job, and a name with every kind of quote.
const SPEC: &str = r##"name = "Ü \"lab\" #1, it's <8> & $(x)"
pes = 8
nis_per_pe = 3
objective = "sparse"

[[switch]]
ports = 5
reserve = 1
count = 6

[[pattern]]
kind = "ring"

[[rack]]
pes = 6
switches = 2

[[rack]]
pes = 2
switches = 4
x = 1.5

[job]
ranks_per_pe = 2
dp = 16

[[collective]]
along = "dp"
bytes = 1e9
"##;
const WIRING: &str = "0: 0 1 2 3\n1: 4 5 6 7\n2: 0 1 4 5\n3: 2 3 6 7\n4: 0 2 7\n5: 1 3 5\n";
/// Networks that are no designs, with all their formats.
const FABRICS: [&str; 3] = ["torus:3x2,2", "pmesh:2x3x2", "dragonfly:2,1"];

/// The small machine.
fn small(dir: &Path) -> Result<Machine> {
    Machine::wired(dir, SPEC, WIRING)
}

/// Exports a format of a network that is no design into a folder.
fn fabric(dir: &Path, kind: &str, format: &str) -> Result<PathBuf> {
    let to = dir.join(format!("{kind} {format}"));
    let out = e2e::studio::crosspoint(["fabric", kind, "--format", format, "-o", &to.display().to_string()])?;
    ensure!(out.status.success(), "{kind} {format}: {}", String::from_utf8_lossy(&out.stderr));
    Ok(to)
}

/// A script of this folder, for Python.
fn python(script: &str) -> Command {
    let mut command = readers::tool("python");
    command.arg(root().join("e2e/tests/tools").join(script));
    command
}

/// Every file below a folder.
fn all_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() { all.extend(all_files(&path)?) } else { all.push(path) }
    }
    all.sort();
    Ok(all)
}

/// Runs a test in network namespaces, one at a time.
fn lab_story(what: &str, programs: &[&str], test: impl FnOnce(&Path) -> Result<()>) {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    story(what, lab::obstacle().or_else(|| missing(programs)), test);
}

/// Readers of the list that other tests install or start, or that a variable names.
const UNVERSIONED: [&str; 8] = [
    "Butane",
    "Chromium",
    "containerlab's schema",
    "Crosspoint",
    "FRR",
    "NetBox",
    "SONiC's YANG models",
    "xCAT",
];

/// Debian 12 and the versions of `e2e/setup.sh` are what the list of formats names.
#[test]
fn the_list_names_versions_that_are_installed() {
    story("the list of readers", None, |_| {
        let debian = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
        let is_debian_12 = debian.contains("ID=debian") && debian.contains("VERSION_ID=\"12\"");
        for source in [&[DESIGN], &FABRICS[..]].concat() {
            for (format, named) in listed(source)? {
                for name in
                    named.iter().filter(|name| !UNVERSIONED.iter().any(|other| name.starts_with(other)))
                {
                    let (program, claimed) = name.rsplit_once(' ').context(name.clone())?;
                    if let Some(obstacle) = missing(&[program]) {
                        eprintln!("SKIPPED: the version of {program}, since {obstacle}");
                        continue;
                    }
                    let installed = version(program)?;
                    let holds = installed.starts_with(claimed) || !is_debian_12;
                    ensure!(holds, "{format} names {name}, and {installed} is installed");
                }
            }
        }
        Ok(())
    });
}
