//! Ansible and its linter read the playbook. It runs on nodes with a network, mounts and a name of their own, which a stand-in for
//! ssh enters.

use crate::{lab_story, small};
use anyhow::{Context, Result, ensure};
use e2e::{
    lab::{
        Lab,
        machine::{same, state},
    },
    readers::{DESIGN, missing, read_by, run, tool},
    root, story, target_dir,
};
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

#[test]
fn the_inventory_is_the_design_and_the_linter_finds_nothing() {
    story("the playbook", missing(&["ansible-core", "ansible-lint"]), |dir| {
        let machine = small(dir)?;
        let folder = machine.export("ansible", "")?;
        let listed = run(ansible("ansible-inventory", &folder, dir).args(["-i", "inventory.yml", "--list"]))?;
        let listed: Value = serde_json::from_str(&listed)?;
        let wiring: Value = serde_json::from_str(&fs::read_to_string(machine.export("json", "")?)?)?;
        let nodes = wiring["pes"].as_array().context("nodes")?;
        let names: Vec<_> = nodes.iter().map(|node| node["name"].clone()).collect();
        ensure!(listed["crosspoint"]["hosts"] == json!(names), "{listed}");
        let cables = wiring["cables"].as_array().context("cables")?;
        for (number, name) in names.iter().enumerate() {
            let own = cables.iter().filter(|cable| cable["pe"] == number);
            let nics = own.map(|cable| {
                let switch = &wiring["switches"][cable["switch"].as_u64().unwrap_or(u64::MAX) as usize]["name"];
                let (interface, mac) = (&cable["interface"], &cable["mac"]);
                json!({"ni": cable["ni"], "interface": interface, "mac": mac, "switch": switch, "port": cable["port"]})
            });
            let variables = &listed["_meta"]["hostvars"][name.as_str().unwrap_or_default()];
            ensure!(variables["crosspoint_nis"] == nics.collect::<Value>(), "{name}: {variables}");
            ensure!(variables["crosspoint_pe"] == number, "{name}: {variables}");
        }
        let check = ["-i", "inventory.yml", "crosspoint.yml", "--syntax-check"];
        run(ansible("ansible-playbook", &folder, dir).args(check))?;
        let lint = ["--offline", "--strict", "--profile", "production", "crosspoint.yml", "inventory.yml"];
        run(ansible("ansible-lint", &folder, dir).args(lint))?;
        let rdma = machine.export("rdma-ansible", "")?;
        run(ansible("ansible-lint", &rdma, dir).args(lint))?;
        let listed = run(ansible("ansible-inventory", &rdma, dir).args(["-i", "inventory.yml", "--list"]))?;
        let listed: Value = serde_json::from_str(&listed)?;
        let nic = &listed["_meta"]["hostvars"]["node000"]["crosspoint_nis"][0];
        ensure!(nic["address"] == "10.0.0.1/16" && nic["interface"] == "eth0", "{nic}");
        read_by("ansible-core", DESIGN, &["ansible"])?;
        read_by("ansible-lint", DESIGN, &["ansible", "rdma-ansible"])
    });
}

/// A program of Ansible in a folder, without the user's own settings.
fn ansible(program: &str, folder: &Path, dir: &Path) -> Command {
    let mut command = tool(program);
    command
        .current_dir(folder)
        .env("ANSIBLE_HOME", dir.join("home"))
        .env("ANSIBLE_NOCOLOR", "1")
        .env("NO_COLOR", "1");
    command
}

/// Nodes with three and with two NICs.
const NODES: [u32; 2] = [0, 4];
/// Forms, and the nodes that are set up in them.
const FORMS: [(&str, &str); 3] =
    [("multipath", "node000,node004"), ("networkd", "node000"), ("netplan", "node004")];
/// Forms of the playbook for RDMA.
const RDMA_FORMS: [(&str, &str); 3] =
    [("rdma-networkd", "node000"), ("rdma-netplan", "node004"), ("rdma-networkmanager", "node000")];

#[test]
fn the_playbook_changes_nothing_twice_and_takes_everything_back() {
    lab_story("the playbook on nodes", &["ansible-core"], |dir| forms(dir, "ansible", &FORMS));
}

#[test]
fn the_playbook_takes_the_forms_for_rdma() {
    lab_story("the playbook for RDMA", &["ansible-core"], |dir| forms(dir, "rdma-ansible", &RDMA_FORMS));
}

/// Applies forms twice by the playbook of a format, and removes them.
fn forms(dir: &Path, format: &str, forms: &[(&str, &str)]) -> Result<()> {
    let machine = small(dir)?;
    let lab = Lab::up(machine.cables().to_vec())?;
    let nodes = NODES.iter().map(|&pe| Node::start(&lab, pe, dir)).collect::<Result<Vec<_>>>()?;
    let folder = machine.export(format, "")?;
    ssh(&nodes, dir)?;
    for pe in NODES {
        // As before anything has set it up.
        lab.on(pe, "for dev in /sys/class/net/eth*; do ip link set ${dev##*/} down; done", &[])?;
    }
    for &(form, on) in forms {
        machine.export_to(&folder.join(form), form, &[])?;
        let playbook = |more: &[&str]| {
            play(&folder, dir, &[&["-l", on, "-e", &format!("crosspoint_form={form}")], more].concat())
        };
        let untouched = seen(&lab, &nodes)?;
        let first = playbook(&[])?;
        ensure!(first.iter().all(|&changed| changed > 0), "{form}: {first:?}");
        let set = seen(&lab, &nodes)?;
        ensure!(set != untouched, "{form} did nothing");
        let second = playbook(&[])?;
        ensure!(second.iter().all(|&changed| changed == 0), "{form}: {second:?} changes when it ran again");
        same(&seen(&lab, &nodes)?, &set).with_context(|| form.to_owned())?;
        playbook(&["-e", "crosspoint_state=absent"])?;
        let left = seen(&lab, &nodes)?;
        same(&left, &untouched).with_context(|| form.to_owned())?;
    }
    read_by("ansible-core", DESIGN, &[format])
}

/// Runs the playbook on the nodes: how much it changed on each.
fn play(folder: &Path, dir: &Path, more: &[&str]) -> Result<Vec<u32>> {
    let mut command = ansible("ansible-playbook", folder, dir);
    let python = target_dir().join("e2e/python/bin/python");
    command
        .env("ANSIBLE_PIPELINING", "1")
        .env("ANSIBLE_SSH_EXECUTABLE", dir.join("ssh"))
        .env("ANSIBLE_SSH_TRANSFER_METHOD", "piped")
        .env("ANSIBLE_REMOTE_TMP", "/run/ansible")
        .env("ANSIBLE_PYTHON_INTERPRETER", python)
        .args(["-i", "inventory.yml", "crosspoint.yml", "-u", "root"])
        .args(more);
    let printed = run(&mut command)?;
    let (_, recap) = printed.split_once("PLAY RECAP").with_context(|| printed.clone())?;
    let lines =
        recap.lines().filter_map(|line| line.split_once("changed=")?.1.split(' ').next()?.parse().ok());
    let changes: Vec<u32> = lines.collect();
    ensure!(!changes.is_empty(), "{printed}");
    Ok(changes)
}

/// A stand-in for ssh that enters a node. Whatever is not an option is the node, and then a command.
fn ssh(nodes: &[Node], dir: &Path) -> Result<()> {
    let cases: String =
        nodes.iter().map(|node| format!("    {}) process={} ;;\n", node.name, node.keeper.id())).collect();
    let script = format!(
        "#!/bin/sh\nwhile :; do\n    case $1 in\n    -o) shift 2 ;;\n    -*) shift ;;\n    *) break ;;\n    esac\ndone\n\
         case $1 in\n{cases}    esac\nshift\n\
         exec nsenter --target \"$process\" --mount --uts --net env SYSTEMD_OFFLINE=1 \
         PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin sh -c \"$*\"\n"
    );
    fs::write(dir.join("ssh"), script)?;
    run(Command::new("chmod").arg("+x").arg(dir.join("ssh")))?;
    Ok(())
}

/// A node with mounts and a name of its own; it ends with this value.
struct Node {
    name: String,
    own: PathBuf,
    keeper: Child,
}

impl Node {
    fn start(lab: &Lab, pe: u32, dir: &Path) -> Result<Node> {
        let name = format!("node{pe:03}");
        let own: PathBuf = dir.join(&name);
        fs::create_dir(&own)?;
        let mut command = lab.enter(pe, Path::new("unshare"));
        command
            .args(["--mount", "--uts", "sh"])
            .arg(root().join("e2e/tests/tools/node.sh"))
            .arg(&name)
            .arg(&own);
        let mut node =
            Node { name, own, keeper: command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()? };
        let mut line = String::new();
        BufReader::new(node.keeper.stdout.take().context("its output")?).read_line(&mut line)?;
        ensure!(line == "ready\n", "{} did not start: {line}", node.name);
        Ok(node)
    }

    /// The files that were written on it: their names, permissions and sums.
    fn files(&self) -> Result<String> {
        let list = "cd \"$1\" && find etc usr var '(' -type f -o -type l ! -lname '*/systemd-network*' ')' ! -path '*/bin/*' | sort |\
            while read -r file; do echo \"$(stat -c '%A %N' \"$file\") $(md5sum <\"$file\")\"; done";
        let mut command = Command::new("nsenter");
        command.args(["--mount", "--target"]).arg(self.keeper.id().to_string());
        run(command.args(["sh", "-c", list, "sh"]).arg(&self.own))
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // An error means that it has ended already.
        let _ = self.keeper.kill();
        let _ = self.keeper.wait();
    }
}

/// The network and the files of the nodes.
fn seen(lab: &Lab, nodes: &[Node]) -> Result<Vec<String>> {
    let mut seen = state(lab)?;
    for node in nodes {
        seen.push(node.files()?);
    }
    Ok(seen)
}
