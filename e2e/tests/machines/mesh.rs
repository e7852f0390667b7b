//! Meshes and tori with VLANs on one machine, whose kernel has 802.1Q and bridges that filter VLANs: hosts and switches are
//! namespaces, set up by the exported scripts.

use crate::{Booted, obstacle};
use anyhow::{Context, Result, bail, ensure};
use e2e::{
    lab::{End, FrameCounts, counts, vlans},
    readers::read_by_version,
    root, story,
    studio::crosspoint,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    time::Instant,
};

#[test]
#[ignore = "minutes; run by `make site-check`"]
fn a_mesh_routes_in_the_vlans_of_the_kernel() {
    network("mesh:4x4", "dor");
}

#[test]
#[ignore = "minutes; run by `make site-check`"]
fn a_torus_routes_in_the_vlans_of_the_kernel() {
    network("torus:3x3", "partial-dor");
}

fn network(kind: &str, method: &str) {
    story(&format!("{kind} by {method} on a booted machine"), obstacle(), |dir| {
        let (files, began) = (dir.join("files"), Instant::now());
        let lab = files.join("lab");
        fs::create_dir_all(&lab)?;
        for file in ["mesh.sh", "count.nft"] {
            fs::copy(root().join("e2e/tests/machines").join(file), lab.join(file))?;
        }
        let cables = export(dir, kind, "cables", None)?;
        fs::write(lab.join("cables.csv"), &cables)?;
        let names = export(dir, kind, "names", None)?;
        let addresses = names.lines().filter(|line| !line.starts_with('#'));
        fs::write(lab.join("addresses"), addresses.map(|line| format!("{line}\n")).collect::<String>())?;
        scripts(dir, kind, method, &lab.join("scripts"))?;
        let mut machine = Booted::start("mesh", &files, &[], dir)?;
        machine.is_up()?;
        eprintln!("{kind}: booted in {} s", began.elapsed().as_secs());

        let began = Instant::now();
        let mut mesh = Mesh { machine, cables: vlans::cables(&cables)? };
        mesh.order("up")?;
        mesh.order("state /run/before")?;
        mesh.order("run apply")?;
        mesh.check_pairs(&export(dir, kind, "paths", Some(method))?)?;
        mesh.check_trees(&export(dir, kind, "vlans", Some(method))?)?;
        mesh.order("uncount")?;
        mesh.order("run undo")?;
        mesh.order("state /run/after")?;
        mesh.machine.on("diff -r /run/before /run/after").context("undo left something")?;
        eprintln!("{kind} by {method}: checked in {} s", began.elapsed().as_secs());
        mesh.is_listed(kind)
    });
}

/// A mesh or torus that is up.
struct Mesh {
    machine: Booted,
    cables: Vec<[End; 2]>,
}

impl Mesh {
    fn order(&mut self, order: &str) -> Result<String> {
        self.machine.on(&format!("sh /lab/mesh.sh {order}"))
    }

    /// Checks that the list of formats names the machine's iproute2 for the scripts.
    fn is_listed(&mut self, kind: &str) -> Result<()> {
        let said = self.machine.on("ip -V")?;
        let (_, version) = said.split_once("iproute2-").with_context(|| said.clone())?;
        read_by_version("iproute2", version.trim(), kind, &["script", "bridge"])
    }

    fn nodes(&self, of: &str) -> BTreeSet<String> {
        let names = self.cables.iter().flatten().map(|(node, _)| node.clone());
        names.filter(|node| node.starts_with(of)).collect()
    }

    /// Frames forwarded by each switch since counting began.
    fn passed(&mut self) -> Result<BTreeMap<String, FrameCounts>> {
        let mut all: BTreeMap<String, FrameCounts> = BTreeMap::new();
        for line in self.order("counted")?.lines().filter(|line| !line.is_empty()) {
            let mut words = line.splitn(3, ' ');
            let mut word = || words.next().with_context(|| line.to_owned());
            let (switch, set, json) = (word()?, word()?, word()?);
            let of_switch = all.entry(switch.to_owned()).or_default();
            match set {
                "seen" => of_switch.frames = counts(json)?,
                "vlans" => of_switch.vlans = counts(json)?,
                _ => bail!("{line}"),
            }
        }
        ensure!(all.keys().eq(&self.nodes("sw")), "{:?} counted", all.keys());
        Ok(all)
    }

    /// Lets each host ask all others, and compares what every switch forwarded with the exported paths.
    fn check_pairs(&mut self, paths: &str) -> Result<()> {
        let mut macs = BTreeMap::new();
        for host in self.nodes("node") {
            let mac = self.machine.on(&format!("ip netns exec {host} cat /sys/class/net/eth0/address"))?;
            macs.insert(host, mac.trim().to_owned());
        }
        self.order("count")?;
        let unanswered = self.order("ask")?;
        ensure!(unanswered.trim().is_empty(), "no answer: {unanswered}");
        let expected = vlans::expected(&self.cables, paths, &macs)?;
        for (switch, passed) in self.passed()? {
            let expected = expected.get(&switch).with_context(|| format!("no path over {switch}"))?;
            ensure!(passed == *expected, "{switch} forwarded {passed:?} instead of {expected:?}");
        }
        Ok(())
    }

    /// Sends a broadcast in each VLAN, which passes each link of its tree once and no other, and one without a tag, which passes
    /// no switch.
    fn check_trees(&mut self, vlans: &str) -> Result<()> {
        for line in vlans.lines().skip(1) {
            let (vlan, links) = (line.split(',').next(), line.rsplit(',').next());
            let (vlan, links) = (vlan.context("a VLAN")?, links.context("links")?);
            let tree: BTreeSet<BTreeSet<String>> =
                links.split(' ').map(|link| link.split('-').map(str::to_owned).collect()).collect();
            let hosts = self.nodes("node").into_iter();
            let host = hosts
                .into_iter()
                .find(|host| self.machine.on(&format!("ip -n {host} link show vlan{vlan}")).is_ok());
            let host = host.with_context(|| format!("no host is in VLAN {vlan}"))?;
            let passed = self.flood(&host, &format!("vlan{vlan}"))?;
            let once: BTreeSet<BTreeSet<String>> = passed.iter().cloned().collect();
            ensure!(once.len() == passed.len(), "VLAN {vlan} has a loop: {passed:?}");
            let between: BTreeSet<_> =
                once.into_iter().filter(|link| link.iter().all(|node| node.starts_with("sw"))).collect();
            ensure!(between == tree, "VLAN {vlan} of {host} passed {between:?} instead of {tree:?}");
        }
        let received = "ip netns exec sw00 cat /sys/class/net/swp1/statistics/rx_packets";
        let before: u64 = self.machine.on(received)?.trim().parse()?;
        let passed = self.flood("node000", "eth0")?;
        let after: u64 = self.machine.on(received)?.trim().parse()?;
        ensure!(passed.is_empty(), "frames without a tag passed {passed:?}");
        ensure!(after == before + 1, "{} frames came to sw00 instead of one", after - before);
        Ok(())
    }

    /// Sends a broadcast. Returns the ends of each link that it passed, as often as it left a switch there.
    fn flood(&mut self, host: &str, interface: &str) -> Result<Vec<BTreeSet<String>>> {
        self.order("count")?;
        self.order(&format!("flood {host} {interface}"))?;
        let mut passed = Vec::new();
        for (switch, FrameCounts { frames, vlans }) in self.passed()? {
            let is_own = |[vlan, _, _]: &[String; 3]| interface == format!("vlan{vlan}");
            ensure!(vlans.keys().all(is_own), "{switch} forwarded in other VLANs: {vlans:?}");
            ensure!(
                vlans.values().sum::<u64>() == frames.values().sum::<u64>(),
                "{switch}: {vlans:?}, {frames:?}"
            );
            for ([_, goes, _, to], frames) in frames {
                ensure!(to == "ff:ff:ff:ff:ff:ff", "{switch} forwarded something to {to}");
                let end = (switch.clone(), goes);
                let link = self.cables.iter().find(|link| link.contains(&end)).context(end.1.clone())?;
                let ends: BTreeSet<String> = link.iter().map(|(node, _)| node.clone()).collect();
                passed.extend((0..frames).map(|_| ends.clone()));
            }
        }
        Ok(passed)
    }
}

/// Writes a format of a network, with a way of routing, and returns its text.
fn export(dir: &Path, kind: &str, format: &str, method: Option<&str>) -> Result<String> {
    let to = dir.join(format!("{format}-{}", method.unwrap_or_default()));
    write(&to, kind, format, method)?;
    Ok(fs::read_to_string(to)?)
}

fn write(to: &Path, kind: &str, format: &str, method: Option<&str>) -> Result<()> {
    let (path, with) = (to.display().to_string(), format!("method={}", method.unwrap_or_default()));
    let mut words = vec!["fabric", kind, "--format", format, "-o", &path];
    if method.is_some() {
        words.extend(["--with", &with]);
    }
    let out = crosspoint(&words)?;
    ensure!(out.status.success(), "{words:?}: {}", String::from_utf8_lossy(&out.stderr));
    Ok(())
}

/// Writes the script of each host and switch under its name.
fn scripts(dir: &Path, kind: &str, method: &str, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for format in ["script", "bridge"] {
        let folder = dir.join(format!("{format}-{method}"));
        write(&folder, kind, format, Some(method))?;
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let stem = path.file_stem().context("a name")?.to_string_lossy().into_owned();
            let node = stem.rsplit('-').next().context("a name")?;
            fs::copy(&path, to.join(format!("{node}.sh")))?;
        }
    }
    Ok(())
}
