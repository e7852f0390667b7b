//! Meshes and tori with VLANs: scripts of hosts and switches, and the way of every frame.

use crate::{PEER, run_story};
use anyhow::{Context, Result, anyhow, ensure};
use e2e::{
    lab::{Peers, SwitchedLab, standin, vlans},
    studio::crosspoint,
};
use std::{
    collections::BTreeMap,
    fs,
    net::Ipv4Addr,
    path::{Path, PathBuf},
    time::Duration,
};

const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn every_pair_of_a_mesh_answers_over_a_minimal_path() {
    for sides in ["3x3", "4x4"] {
        network(&format!("mesh:{sides}"));
    }
}

#[test]
fn every_pair_of_a_torus_answers_over_a_minimal_path() {
    for sides in ["3x3", "4x4"] {
        network(&format!("torus:{sides}"));
    }
}

#[test]
fn hosts_of_one_switch_answer_each_other_too() {
    network("torus:3x2,2");
}

fn network(kind: &str) {
    run_story(&format!("the network {kind}"), standin::obstacle(), |dir| {
        let lab = SwitchedLab::up(&fs::read_to_string(export(dir, kind, "cables", "")?)?)?;
        let before = state(&lab)?;
        for method in ["dor", "partial-dor"] {
            let scripts = Scripts::export(dir, kind, method)?;
            let node = "node000";
            ensure!(scripts.run(&lab, node, "apply").is_err(), "it ran on a machine of another name");
            ensure!(state(&lab)? == before, "it refused, and changed something");
            scripts.run_all(&lab, "apply --force")?;
            let once = state(&lab)?;
            every_pair(&lab, dir, kind, method).with_context(|| format!("{kind} by {method}"))?;
            if lab.nodes().len() < 20 {
                scripts.run_all(&lab, "apply --force")?;
                ensure!(state(&lab)? == once, "run twice is not as run once");
            }
            scripts.run_all(&lab, "undo")?;
            let after = state(&lab)?;
            ensure!(after == before, "undo left something: {after:#?}\n{before:#?}");
        }
        Ok(())
    });
}

/// Lets each host ask all others at once, and holds what each switch let through against the paths that the tables tell.
fn every_pair(lab: &SwitchedLab, dir: &Path, kind: &str, method: &str) -> Result<()> {
    let names = fs::read_to_string(export(dir, kind, "names", "")?)?;
    let addresses: BTreeMap<String, Ipv4Addr> = names
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let (address, name) = line.split_once(' ').context(line.to_owned())?;
            Ok((name.to_owned(), address.parse()?))
        })
        .collect::<Result<_>>()?;
    let mut peers = Peers::of(addresses.keys().map(|host| lab.enter(host, Path::new(PEER))))?;
    let lists: Vec<Vec<Ipv4Addr>> = addresses
        .keys()
        .map(|host| {
            addresses.iter().filter(|(other, _)| *other != host).map(|(_, address)| *address).collect()
        })
        .collect();
    for (host, unanswered) in addresses.keys().zip(peers.ask(&lists, PATIENCE)?) {
        ensure!(unanswered.is_empty(), "{host} gets no answer from {unanswered:?}");
    }
    let paths = fs::read_to_string(export(dir, kind, "paths", method)?)?;
    let macs = addresses.keys().map(|host| Ok((host.clone(), mac(lab, host)?)));
    let expected = vlans::expected(lab.cables(), &paths, &macs.collect::<Result<_>>()?)?;
    for (switch, expected) in &expected {
        let passed = lab.passed(switch)?;
        ensure!(passed == *expected, "{switch} let through {passed:?} instead of {expected:?}");
    }
    Ok(())
}

fn mac(lab: &SwitchedLab, host: &str) -> Result<String> {
    Ok(lab.on(host, "cat /sys/class/net/eth0/address", &[])?.trim().to_owned())
}

/// What every node is set to: interfaces, addresses, routes, permanent neighbours and kernel settings.
fn state(lab: &SwitchedLab) -> Result<Vec<String>> {
    let ask = "ip -br link; ip -br -4 address; ip route show table all; ip neighbour show nud permanent; \
               grep -rs '' /proc/sys/net/ipv4/conf; nft list tables";
    lab.nodes().iter().map(|node| lab.on(node, ask, &[])).collect()
}

/// Writes a format of a network; returned is the file, or the folder of a format of several files.
fn export(dir: &Path, kind: &str, format: &str, method: &str) -> Result<PathBuf> {
    let to = dir.join(format!("{format}{method}"));
    let (path, with) = (to.display().to_string(), format!("method={method}"));
    let mut words = vec!["fabric", kind, "--format", format, "-o", &path];
    if !method.is_empty() {
        words.extend(["--with", &with]);
    }
    let out = crosspoint(&words)?;
    ensure!(out.status.success(), "{words:?}: {}", String::from_utf8_lossy(&out.stderr));
    Ok(to)
}

/// The scripts of all hosts and switches.
struct Scripts {
    state: PathBuf,
    of: BTreeMap<String, PathBuf>,
}

impl Scripts {
    fn export(dir: &Path, kind: &str, method: &str) -> Result<Scripts> {
        let mut of = BTreeMap::new();
        for format in ["bridge", "script"] {
            for entry in fs::read_dir(export(dir, kind, format, method)?)? {
                let path = entry?.path();
                let stem = path.file_stem().context("a name")?.to_string_lossy().into_owned();
                let node = stem.rsplit('-').next().context("a name")?.to_owned();
                of.insert(node, path);
            }
        }
        Ok(Scripts { state: dir.join("state"), of })
    }

    fn run(&self, lab: &SwitchedLab, node: &str, order: &str) -> Result<String> {
        let script = self.of.get(node).with_context(|| format!("no script of {node}"))?;
        lab.on(node, &format!("sh '{}' {order}", script.display()), &[("CROSSPOINT_STATE", &self.state)])
    }

    fn run_all(&self, lab: &SwitchedLab, order: &str) -> Result<()> {
        ensure!(self.of.keys().eq(&lab.nodes()), "there is a script for each node");
        let nodes: Vec<&String> = self.of.keys().collect();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            let each =
                |part: &[&String]| part.iter().try_for_each(|node| self.run(lab, node, order).map(drop));
            let parts = nodes.chunks(nodes.len().div_ceil(cores));
            let running: Vec<_> = parts.map(|part| scope.spawn(move || each(part))).collect();
            running.into_iter().try_for_each(|part| part.join().map_err(|_| anyhow!("a thread panicked"))?)
        })
    }
}
