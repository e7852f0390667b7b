//! The exported scripts on real network stacks: a 16-PE laboratory in network namespaces.

use anyhow::{Context, Result, ensure};
use e2e::{
    lab::{self, Lab},
    root,
    studio::crosspoint,
};
use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    net::Ipv4Addr,
    path::{Path, PathBuf},
};

const PES: u32 = 16;

/// What a PE's hosts file says: other PE -> address.
type Hosts = BTreeMap<u32, Ipv4Addr>;

#[test]
fn scripts_connect_every_pair_over_its_switch_and_undo_takes_it_back() {
    if let Some(obstacle) = lab::obstacle() {
        // Straight to the stream: what a passing test prints is hidden otherwise. Nobody may be listening.
        let _ =
            writeln!(std::io::stderr(), "SKIPPED: no route script was run in a laboratory, since {obstacle}");
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    if let Err(error) = story(dir.path()) {
        panic!("{error:#}");
    }
}

fn story(dir: &Path) -> Result<()> {
    let exports = Exports::of("lab16", dir)?;
    let lab = Lab::up(lab::cables(&fs::read_to_string(exports.path("cables"))?)?)?;
    let before = state_of_all(&lab)?;
    for pe in 0..PES {
        lab.on(
            pe,
            &format!("sh '{}' apply --force", exports.file("script", pe)?.display()),
            &exports.state(),
        )?;
    }
    let hosts: Vec<Hosts> = (0..PES).map(|pe| exports.hosts(pe)).collect::<Result<_>>()?;
    ensure!(
        hosts.iter().all(|hosts| hosts.len() == PES as usize - 1),
        "a Universal design connects all pairs"
    );

    let counted = lab.packets()?;
    for (pe, hosts) in (0..PES).zip(&hosts) {
        ping_all(&lab, pe, hosts)?;
    }
    crossed_exactly(&counted, &lab.packets()?, &hosts)?;

    for pe in 0..PES {
        lab.on(pe, &format!("sh '{}' undo", exports.file("script", pe)?.display()), &exports.state())?;
    }
    ensure!(state_of_all(&lab)? == before, "undo left something behind");
    Ok(())
}

/// One echo to every PE of the hosts file, all at once.
fn ping_all(lab: &Lab, pe: u32, hosts: &Hosts) -> Result<()> {
    let list: Vec<_> = hosts.values().map(ToString::to_string).collect();
    let script =
        format!("for a in {}; do ping -n -q -c 1 -W 5 $a >/dev/null || echo $a & done; wait", list.join(" "));
    let lost = lab.on(pe, &script, &[])?;
    ensure!(lost.trim().is_empty(), "PE {pe} gets no answer from {}", lost.trim());
    Ok(())
}

/// Each PE sent, into each switch, one request to every PE it reaches over that switch and one reply to each that
/// reaches it so, and nothing else: no broadcast, no other switch.
fn crossed_exactly(
    before: &BTreeMap<(u32, u32), u64>,
    after: &BTreeMap<(u32, u32), u64>,
    hosts: &[Hosts],
) -> Result<()> {
    let mut expected: BTreeMap<(u32, u32), u64> = before.clone();
    for (pe, hosts) in (0..).zip(hosts) {
        for (&other, address) in hosts {
            let switch = u32::from(address.octets()[1]);
            *expected.get_mut(&(pe, switch)).context("a route over a switch without a cable")? += 1;
            *expected.get_mut(&(other, switch)).context("a route over a switch the other is not on")? += 1;
        }
    }
    ensure!(*after == expected, "packets (PE, switch): {after:?}, expected {expected:?}");
    Ok(())
}

/// Interfaces, addresses and neighbours of every PE.
fn state_of_all(lab: &Lab) -> Result<Vec<String>> {
    // An address that was removed leaves the interface's index and statistics; those are not asked for.
    let ask = "ip -br link; ip -br -4 address; ip neighbour show nud permanent; \
               cat /proc/sys/net/ipv4/conf/eth*/arp_ignore /proc/sys/net/ipv4/conf/eth*/rp_filter";
    (0..PES).map(|pe| lab.on(pe, ask, &[])).collect()
}

/// A design with its files.
struct Exports {
    dir: PathBuf,
}

impl Exports {
    /// Searches for a gallery spec's wiring and writes all files that the lab needs, from the command line.
    fn of(spec: &str, dir: &Path) -> Result<Exports> {
        let spec = root().join(format!("assets/specs/{spec}.toml"));
        let exports = Exports { dir: dir.to_owned() };
        let (spec, design) = (spec.display().to_string(), exports.path("design").display().to_string());
        run(&["search", &spec, "--effort", "5", "-o", &design])?;
        for format in ["cables", "hosts", "script"] {
            let path = exports.path(format).display().to_string();
            run(&["export", &spec, &design, "--format", format, "-o", &path])?;
        }
        Ok(exports)
    }

    fn path(&self, format: &str) -> PathBuf {
        self.dir.join(format)
    }

    /// The file of one PE: files of a folder are in the order of their PEs' names.
    fn file(&self, format: &str, pe: u32) -> Result<PathBuf> {
        let mut files: Vec<_> =
            fs::read_dir(self.path(format))?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
        files.sort();
        files.into_iter().nth(pe as usize).with_context(|| format!("no {format} of PE {pe}"))
    }

    fn state(&self) -> [(&str, &Path); 1] {
        [("CROSSPOINT_STATE", &self.dir)]
    }

    /// Other PEs with their addresses, in the order in which the file names them.
    fn hosts(&self, pe: u32) -> Result<Hosts> {
        let text = fs::read_to_string(self.file("hosts", pe)?)?;
        let (_, others) = text.split_once("# PEs with a path").context("a list of other PEs")?;
        let entries = others.lines().filter_map(|line| line.split_once(' '));
        let entries = entries.filter_map(|(address, name)| Some((number(name)?, address.parse().ok()?)));
        Ok(entries.collect())
    }
}

/// The number that a PE's name ends in.
fn number(name: &str) -> Option<u32> {
    let digits = name.trim_end().rsplit(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

fn run(arguments: &[&str]) -> Result<()> {
    let out = crosspoint(arguments)?;
    ensure!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
    Ok(())
}
