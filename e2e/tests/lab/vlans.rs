//! Meshes and tori with VLANs: scripts of hosts and switches, and the way of every frame.

use crate::{PEER, run_story};
use anyhow::{Context, Result, anyhow, ensure};
use e2e::{
    lab::{Passed, Peers, SwitchedLab, standin},
    studio::crosspoint,
};
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
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
            let node = "pe000";
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
    let expected = expected(lab, &paths, addresses.len())?;
    for (switch, expected) in &expected {
        let passed = lab.passed(switch)?;
        ensure!(passed == *expected, "{switch} let through {passed:?} instead of {expected:?}");
    }
    Ok(())
}

/// What each switch lets through when each host asks each other once: a question and an answer for each ordered pair, both of
/// which take the same path.
fn expected(lab: &SwitchedLab, paths: &str, hosts: usize) -> Result<BTreeMap<String, Passed>> {
    let neighbours = neighbours(lab);
    let mut macs = BTreeMap::new();
    let mut expected: BTreeMap<String, Passed> = BTreeMap::new();
    let mut pairs = BTreeSet::new();
    for line in paths.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [from, to, vlan, switches] = cells[..] else { anyhow::bail!("{line}") };
        ensure!(from != to && pairs.insert((from, to)), "{line}: twice");
        for host in [from, to] {
            if !macs.contains_key(host) {
                macs.insert(host.to_owned(), mac(lab, host)?);
            }
        }
        let nodes: Vec<&str> = [from].into_iter().chain(switches.split(' ')).chain([to]).collect();
        let fewest = distance(&neighbours, from, to).context("a way")?;
        ensure!(nodes.len() - 1 == fewest, "{line}: {fewest} links would do");
        for way in nodes.windows(3) {
            let port = |other: &str| {
                let port = neighbours[way[1]].get(other);
                port.cloned().with_context(|| format!("{line}: {} and {other} are not joined", way[1]))
            };
            let (came, goes) = (port(way[0])?, port(way[2])?);
            let passed = expected.entry(way[1].to_owned()).or_default();
            let (source, destination) = (macs[from].clone(), macs[to].clone());
            let frame = [came, goes.clone(), source, destination.clone()];
            ensure!(passed.frames.insert(frame, 2).is_none(), "{line}: twice over {}", way[1]);
            *passed.vlans.entry([vlan.to_owned(), destination, goes]).or_default() += 2;
        }
    }
    ensure!(pairs.len() == hosts * (hosts - 1), "{} pairs have a path", pairs.len());
    Ok(expected)
}

/// Of each node its neighbours, with the port to each.
type Neighbours = BTreeMap<String, BTreeMap<String, String>>;

fn neighbours(lab: &SwitchedLab) -> Neighbours {
    let mut neighbours = Neighbours::new();
    for [a, b] in lab.cables() {
        for (own, other) in [(a, b), (b, a)] {
            neighbours.entry(own.0.clone()).or_default().insert(other.0.clone(), own.1.clone());
        }
    }
    neighbours
}

/// Min links between two nodes.
fn distance(neighbours: &Neighbours, from: &str, to: &str) -> Option<usize> {
    let mut distance = BTreeMap::from([(from, 0)]);
    let mut edge = VecDeque::from([from]);
    while let Some(node) = edge.pop_front() {
        for other in neighbours[node].keys() {
            if !distance.contains_key(other.as_str()) {
                distance.insert(other, distance[node] + 1);
                edge.push_back(other);
            }
        }
    }
    distance.get(to).copied()
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
