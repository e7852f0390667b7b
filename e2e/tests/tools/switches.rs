//! Configurations of switches in parsers and schemas that others keep, and the script for Linux switches in namespaces.

use crate::{lab_story, python, small};
use anyhow::{Context, Result, ensure};
use e2e::{
    lab::{
        SwitchedLab,
        machine::{Machine, files},
    },
    readers::{DESIGN, missing, read_by, run},
    story,
};
use serde_json::Value;
use std::{fmt::Write as _, path::Path};

pub const MANAGEMENT: &str = "management=192.168.7.0/24";
/// The kinds of flow control.
const FLOWS: [&str; 3] = ["none", "pause", "pfc"];

/// The small machine with an uplink switch of its own.
pub fn joined(dir: &Path) -> Result<Machine> {
    let spec = crate::SPEC.replacen("[[rack]]", "[uplink]\nkind = \"separate\"\nspares = 1\n\n[[rack]]", 1);
    Machine::wired(dir, &spec.replace("ports = 5", "ports = 6"), crate::WIRING)
}

#[test]
fn parsers_and_schemas_find_every_port_as_it_is_cabled() {
    let readers = ["ciscoconfparse2", "nvueschema"];
    story("configurations of switches", missing(&readers), |dir| {
        let machine = joined(dir)?;
        let wiring = machine.export("json", "")?;
        for flow in FLOWS {
            for dialect in ["eos", "nxos", "nvue"] {
                let folder = dir.join(format!("{dialect}-{flow}"));
                machine.export_to(&folder, dialect, &[MANAGEMENT, &format!("flow-control={flow}")])?;
                let mut reader = python("read_switches.py");
                let switches = run(reader.arg(dialect).arg(&wiring).arg(&folder).arg(flow))?;
                ensure!(switches == "7\n" && files(&folder)?.len() == 7, "{dialect} {flow}: {switches}");
            }
        }
        read_by("ciscoconfparse2", DESIGN, &["eos", "nxos"])?;
        read_by("nvueschema", DESIGN, &["nvue"])
    });
}

/// Runs the script of a switch twice, where its ports are virtual cables to nodes.
#[test]
fn a_linux_switch_joins_its_nodes() {
    lab_story("linux-switch", &["iproute2"], |dir| {
        let machine = small(dir)?;
        let folder = dir.join("switches");
        // Virtual cables have neither pause frames nor priorities.
        machine.export_to(&folder, "linux-switch", &["flow-control=none", "mtu=4000"])?;
        let cables: Vec<_> =
            machine.table("cables", "")?.into_iter().filter(|cable| cable[2] == "0").collect();
        let mut wired = String::from("a,a_port,b,b_port\n");
        for cable in &cables {
            writeln!(wired, "node{:0>3},eth0,sw00,swp{}", cable[0], cable[3])?;
        }
        // The port without a cable.
        wired.push_str("nobody,eth0,sw00,swp5\n");
        let lab = SwitchedLab::up(&wired)?;
        let script = files(&folder)?.into_iter().next().context("a script")?;
        let shell = format!("unshare --uts sh -c '. \"{}\"; hostname'", script.display());
        for _ in 0..2 {
            ensure!(lab.on("sw00", &shell, &[])?.trim() == "sw00", "the host name");
        }
        let state = lab.on("sw00", "ip -d -j link show", &[])?;
        let links: Value = serde_json::from_str(&state)?;
        let link = |name: &str| links.as_array()?.iter().find(|link| link["ifname"] == name);
        for cable in &cables {
            let port = link(&format!("swp{}", cable[3])).context("a port")?;
            let far = format!("sw00 swp{} to node{:0>3} eth{}", cable[3], cable[0], cable[1]);
            ensure!(port["ifalias"] == far && port["master"] == "br0" && port["mtu"] == 4000, "{port}");
        }
        let unused = link("swp5").context("a port")?;
        ensure!(unused["operstate"] == "DOWN" && unused["master"].is_null(), "{unused}");
        for (number, cable) in cables.iter().enumerate() {
            let own = format!("ip link set eth0 mtu 4000; ip address add 10.0.0.{}/16 dev eth0", number + 1);
            lab.on(&format!("node{:0>3}", cable[0]), &own, &[])?;
        }
        for other in 2..=cables.len() {
            lab.on("node000", &format!("ping -c 1 -W 5 -M do -s 3972 10.0.0.{other}"), &[])?;
        }
        read_by("iproute2", DESIGN, &["linux-switch"])
    });
}
