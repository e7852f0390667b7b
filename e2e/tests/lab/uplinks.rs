//! Eight nodes on four switches that two uplink switches join: the scripts and BGP of the switches, and the scripts of the nodes.
//!
//! Every switch is a Linux bridge with FRR, so the files are those of `linux-switch` and `frr-switch`. The laboratory has no bonds: each
//! switch has one cable to each uplink switch.

use crate::{
    daemons::Daemon,
    frr::debian,
    machine::{Machine, files},
    run_story,
};
use anyhow::{Context, Result, bail, ensure};
use e2e::{
    lab::SwitchedLab,
    readers::{DESIGN, read_by_version},
    root,
};
use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs::{self, File},
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

const SPEC: &str = "\
name = \"uplinks\"
pes = 8
nis_per_pe = 2

[[switch]]
ports = 6
count = 4

[uplink]
links = 2
ports = 4

[[pattern]]
kind = \"ring\"
";
const WIRING: &str = "0: 0 1 2 3\n1: 4 5 6 7\n2: 0 1 4 5\n3: 2 3 6 7\n";
/// Long, for machines that are busy.
const PATIENCE: Duration = Duration::from_secs(90);
/// Hops of IPv4 between nodes that share no switch: the receiver, two switches and one uplink switch.
const HOPS: u32 = 4;

#[test]
#[ignore = "takes FRR of Debian 13; run by `make site-check`"]
fn traffic_goes_on_when_links_and_uplink_switches_fail() {
    let obstacle = (!debian().join("usr/lib/frr/bgpd").exists())
        .then(|| "there is no FRR of Debian 13; e2e/setup.sh --machines installs it".to_owned());
    run_story("uplink switches", obstacle, |dir| {
        let machine = Machine::wired(dir, SPEC, WIRING)?;
        let lab = SwitchedLab::up(&cables(&machine)?)?;
        set_up_switches(&machine, &lab, dir)?;
        let folder = machine.export("frr-switch", "")?;
        let _daemons =
            switches(&lab).iter().map(|name| bgp(&lab, name, &folder, dir)).collect::<Result<Vec<_>>>()?;
        for form in ["multipath", "script"] {
            let addresses = set_up_nodes(&machine, &lab, dir, form)?;
            all_answer(&lab, &addresses).with_context(|| format!("{form}: at first"))?;
            one_uplink_switch(&lab, &addresses)?;
            a_broadcast_stays(&lab)?;

            lab.on("sw00", "ip link set dev swp5 down", &[])?;
            all_answer(&lab, &addresses).with_context(|| format!("{form}: without a link"))?;
            one_uplink_switch(&lab, &addresses)?;

            lab.on("sw00", "ip link set dev swp5 up", &[])?;
            let ports = "for port in swp1 swp2 swp3 swp4";
            lab.on("uplink0", &format!("{ports}; do ip link set dev $port down; done"), &[])?;
            all_answer(&lab, &addresses).with_context(|| format!("{form}: without an uplink switch"))?;
            one_uplink_switch(&lab, &addresses)?;

            lab.on("uplink0", &format!("{ports}; do ip link set dev $port up; done"), &[])?;
            set_up_switches(&machine, &lab, dir)?;
            all_answer(&lab, &addresses).with_context(|| format!("{form}: with all again"))?;
            for (pe, script) in scripts(&machine, form)? {
                lab.on(&pe, &format!("sh '{script}' undo"), &[("CROSSPOINT_STATE", dir)])?;
            }
        }
        let query = Command::new("chroot")
            .arg(debian())
            .args(["dpkg-query", "-W", "-f", "${Version}", "frr"])
            .output()?;
        read_by_version("FRR", &String::from_utf8(query.stdout)?, DESIGN, &["frr-switch"])
    });
}

/// Both ends of each cable.
fn cables(machine: &Machine) -> Result<String> {
    let mut wired = String::from("a,a_port,b,b_port\n");
    for row in machine.table("cables", "")? {
        let device = |at: usize| row[at].split(' ').next().unwrap_or_default().to_owned();
        writeln!(wired, "{},{},{},{}", device(5), row[11], device(6), row[12])?;
    }
    Ok(wired)
}

fn switches(lab: &SwitchedLab) -> Vec<String> {
    lab.nodes().into_iter().filter(|name| !name.starts_with("node")).collect()
}

/// Runs the scripts of the switches.
fn set_up_switches(machine: &Machine, lab: &SwitchedLab, dir: &Path) -> Result<()> {
    let folder = dir.join("switches");
    if !folder.exists() {
        // Virtual cables have neither pause frames nor priorities.
        machine.export_to(&folder, "linux-switch", &["flow-control=none", "mtu=1500"])?;
    }
    let scripts = files(&folder)?;
    for name in switches(lab) {
        let end = format!("-{name}.sh");
        let script = scripts.iter().find(|path| path.to_string_lossy().ends_with(&end)).context(end)?;
        lab.on(&name, &format!("unshare --uts sh '{}'", script.display()), &[])?;
    }
    Ok(())
}

/// FRR on a switch; it ends with this value.
fn bgp(lab: &SwitchedLab, name: &str, files: &Path, dir: &Path) -> Result<Daemon> {
    let mut command = lab.enter(name, Path::new("unshare"));
    command.args(["--mount", "--pid", "--fork", "--kill-child", "sh"]);
    command.arg(root().join("e2e/tests/lab/frr.sh")).arg(debian()).arg(files.join(name));
    let file = File::create(dir.join(format!("frr-{name}.log")))?;
    command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
    Ok(Daemon(command.spawn().with_context(|| format!("FRR on {name}"))?))
}

/// The script of each node.
fn scripts(machine: &Machine, form: &str) -> Result<Vec<(String, String)>> {
    let script =
        |(pe, path): (usize, std::path::PathBuf)| (format!("node{pe:03}"), path.display().to_string());
    Ok(files(&machine.export(form, "")?)?.into_iter().enumerate().map(script).collect())
}

/// Runs the scripts of the nodes, and returns where each sends what is for another.
fn set_up_nodes(
    machine: &Machine,
    lab: &SwitchedLab,
    dir: &Path,
    form: &str,
) -> Result<BTreeMap<(u32, u32), String>> {
    for (pe, script) in scripts(machine, form)? {
        lab.on(&pe, &format!("sh '{script}' apply --force"), &[("CROSSPOINT_STATE", dir)])?;
    }
    let mut addresses = BTreeMap::new();
    let names = if form == "script" { machine.export("hosts", "")? } else { machine.export("names", "")? };
    for from in 0..8 {
        let text = match form {
            "script" => fs::read_to_string(&files(&names)?[from as usize])?,
            _ => fs::read_to_string(&names)?,
        };
        for (to, address) in crate::plan::entries(&text).filter(|(to, _)| *to != from) {
            addresses.insert((from, to), address.to_string());
        }
    }
    ensure!(addresses.len() == 56, "{addresses:?}");
    Ok(addresses)
}

/// Waits until each node answers each other.
fn all_answer(lab: &SwitchedLab, addresses: &BTreeMap<(u32, u32), String>) -> Result<()> {
    let began = Instant::now();
    loop {
        let silent: Vec<(u32, u32)> = addresses
            .iter()
            .filter(|((from, _), to)| {
                lab.on(&format!("node{from:03}"), &format!("ping -c 1 -W 1 {to}"), &[]).is_err()
            })
            .map(|(&pair, _)| pair)
            .collect();
        if silent.is_empty() {
            return Ok(());
        }
        if began.elapsed() > PATIENCE {
            bail!("these pairs do not answer: {silent:?}");
        }
    }
}

/// Checks that nodes with a shared switch meet there, and that others cross one uplink switch and no node.
fn one_uplink_switch(lab: &SwitchedLab, addresses: &BTreeMap<(u32, u32), String>) -> Result<()> {
    let homes: Vec<Vec<u32>> = (0..8)
        .map(|pe: u32| {
            let lines = WIRING.lines().map(|line| line.split(' ').any(|word| word == pe.to_string()));
            (0..).zip(lines).filter(|(_, is_on)| *is_on).map(|(switch, _)| switch).collect()
        })
        .collect();
    for (&(from, to), address) in addresses {
        let shared = homes[from as usize].iter().any(|switch| homes[to as usize].contains(switch));
        let host = format!("node{from:03}");
        let least = if shared { 1 } else { HOPS };
        lab.on(&host, &format!("ping -c 1 -W 5 -t {least} {address}"), &[])?;
        if !shared {
            let fewer = lab.on(&host, &format!("ping -c 1 -W 1 -t {} {address}", least - 1), &[]);
            ensure!(fewer.is_err(), "{from} reaches {to} over fewer switches");
        }
    }
    Ok(())
}

/// Sends a broadcast on one switch, and counts it at both ends of every cable.
fn a_broadcast_stays(lab: &SwitchedLab) -> Result<()> {
    for (node, port) in lab.cables().iter().flatten() {
        let count = format!(
            "nft add table netdev flood; nft \"add chain netdev flood {port} {{ type filter hook ingress device {port} priority 0; }}\"; \
             nft add rule netdev flood {port} ether daddr ff:ff:ff:ff:ff:ff ether type ip counter"
        );
        lab.on(node, &count, &[])?;
    }
    lab.on("node000", "ping -b -c 1 -W 1 -I eth0 10.0.255.255 || true", &[])?;
    let mut seen = BTreeMap::new();
    for (node, port) in lab.cables().iter().flatten() {
        let rules = lab.on(node, &format!("nft list chain netdev flood {port}"), &[])?;
        let packets = rules.split("packets ").nth(1).and_then(|rest| rest.split(' ').next());
        let packets: u32 = packets.context("a counter")?.parse()?;
        if packets > 0 {
            seen.insert(format!("{node} {port}"), packets);
        }
    }
    for node in lab.nodes() {
        lab.on(&node, "nft delete table netdev flood", &[])?;
    }
    // The switch's port of the sender, and the three other nodes on it.
    let expected = ["sw00 swp1", "node001 eth0", "node002 eth0", "node003 eth0"];
    let expected: BTreeMap<String, u32> = expected.into_iter().map(|end| (end.to_owned(), 1)).collect();
    ensure!(seen == expected, "a broadcast was seen at {seen:?}");
    Ok(())
}
