//! Files of hosts with RDMA on nodes: systemd-networkd, netplan and NetworkManager set up each NIC, and every NIC reaches the nodes
//! on its switch from its own address. Provisioning: Kea serves the boot waves with dnsmasq's relays; BIND, cloud-init and Ignition
//! check their files.

use crate::{
    boot::{Server, waves},
    lab_story, small,
};
use anyhow::{Context, Result, ensure};
use e2e::{
    lab::{
        Lab,
        machine::{Machine, files},
    },
    readers::{DESIGN, missing, read_by, run, run_quietly, tool},
    root, story,
};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Child, Stdio},
    time::{Duration, Instant},
};

#[test]
fn networkd_gives_each_nic_an_address_and_a_table() {
    lab_story("rdma-networkd", &["systemd"], |dir| {
        let machine = small(dir)?;
        rdma(&machine, &machine.export("rdma-networkd", "")?, Daemon::Networkd)?;
        read_by("systemd", DESIGN, &["rdma-networkd"])
    });
}

#[test]
fn netplan_gives_each_nic_an_address_and_a_table() {
    lab_story("rdma-netplan", &["netplan", "systemd"], |dir| {
        let machine = small(dir)?;
        let folder = machine.export("rdma-netplan", "")?;
        for node in files(&folder)? {
            run(tool("chmod").arg("600").arg(node.join("etc/netplan/60-crosspoint.yaml")))?;
            run_quietly(tool("netplan").args(["generate", "--root-dir"]).arg(node))?;
        }
        rdma(&machine, &folder, Daemon::Networkd)?;
        read_by("netplan", DESIGN, &["rdma-netplan"])?;
        read_by("systemd", DESIGN, &["rdma-netplan"])
    });
}

#[test]
fn network_manager_gives_each_nic_an_address_and_a_table() {
    lab_story("rdma-networkmanager", &["NetworkManager", "systemd"], |dir| {
        let machine = small(dir)?;
        rdma(&machine, &machine.export("rdma-networkmanager", "")?, Daemon::NetworkManager)?;
        read_by("NetworkManager", DESIGN, &["rdma-networkmanager"])
    });
}

/// A program that sets up the NICs of a node.
#[derive(Clone, Copy)]
enum Daemon {
    Networkd,
    NetworkManager,
}

/// It ends with this value.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Errors mean that it has ended already.
        let _ = std::process::Command::new("kill").arg(self.0.id().to_string()).status();
        let _ = self.0.wait();
    }
}

/// Runs the daemon on the files of each node, and checks every NIC when all of them are set.
fn rdma(machine: &Machine, folder: &Path, daemon: Daemon) -> Result<()> {
    let lab = Lab::up(machine.cables().to_vec())?;
    let script = match daemon {
        Daemon::Networkd => "e2e/tests/lab/daemons.sh",
        Daemon::NetworkManager => "e2e/tests/tools/nm.sh",
    };
    let start = |pe: u32| {
        let mut command = lab.enter(pe, Path::new("sh"));
        command.arg(root().join(script)).arg(folder.join(format!("node{pe:03}")));
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        Ok(Running(child))
    };
    let _daemons: Vec<Running> = (0..lab.pes()).map(start).collect::<Result<_>>()?;
    let began = Instant::now();
    loop {
        let unset = lab.cables().iter().find_map(|cable| check(&lab, cable.pe, cable.ni, cable.switch).err());
        match unset {
            None => break,
            Some(why) if began.elapsed() > Duration::from_secs(90) => return Err(why),
            Some(_) => std::thread::sleep(Duration::from_millis(500)),
        }
    }
    meet(&lab)
}

/// Checks address, MTU, rule, table and kernel settings of a NIC.
fn check(lab: &Lab, pe: u32, ni: u32, switch: u32) -> Result<()> {
    let table = 1000 + ni;
    let (address, subnet) = (format!("10.{switch}.0.{}", pe + 1), format!("10.{switch}.0.0/16"));
    let shell = format!(
        "ip -o -4 address show dev eth{ni}; cat /sys/class/net/eth{ni}/mtu; ip rule; ip route show table {table}; \
         cd /proc/sys/net/ipv4/conf/eth{ni}; cat arp_ignore arp_announce rp_filter forwarding"
    );
    let said = lab.on(pe, &shell, &[])?;
    let route = format!("{subnet} dev eth{ni} ");
    let routes: Vec<&str> = said.lines().filter(|line| line.starts_with("10.")).collect();
    let [only] = routes[..] else { anyhow::bail!("pe{pe} eth{ni}: routes {routes:?}:\n{said}") };
    ensure!(only.starts_with(&route) && only.contains("scope link"), "pe{pe} eth{ni}: {only}");
    ensure!(only.contains(&format!("src {address}")), "pe{pe} eth{ni}: {only}");
    let has = |text: &str| ensure_has(&said, pe, ni, text);
    has(&format!("inet {address}/16"))?;
    has("\n9000\n")?;
    has(&format!("{table}:\tfrom {address} lookup {table}"))?;
    ensure!(said.ends_with("\n1\n2\n2\n0\n") || said.ends_with("\n1\n2\n2\n0"), "pe{pe} eth{ni}:\n{said}");
    Ok(())
}

fn ensure_has(said: &str, pe: u32, ni: u32, text: &str) -> Result<()> {
    ensure!(said.contains(text), "pe{pe} eth{ni} has no {text:?}:\n{said}");
    Ok(())
}

/// Checks that each NIC reaches all others on its switch, and that a NIC answers for no address of another.
fn meet(lab: &Lab) -> Result<()> {
    for cable in lab.cables() {
        let own = format!("10.{}.0.{}", cable.switch, cable.pe + 1);
        let others = lab.cables().iter().filter(|other| other.switch == cable.switch && other.pe != cable.pe);
        for other in others {
            let to = format!("10.{}.0.{}", other.switch, other.pe + 1);
            lab.on(cable.pe, &format!("ping -c 1 -W 5 -I {own} {to}"), &[])?;
            // Another address of that node, asked for on this switch.
            let Some(elsewhere) =
                lab.cables().iter().find(|third| third.pe == other.pe && third.switch != other.switch)
            else {
                continue;
            };
            let wrong = format!("10.{}.0.{}", elsewhere.switch, elsewhere.pe + 1);
            let shell = format!("! arping -c 1 -w 1 -I eth{} {wrong}", cable.ni);
            if cable.pe == 0 {
                lab.on(cable.pe, &shell, &[])
                    .with_context(|| format!("{wrong} is answered for elsewhere"))?;
            }
        }
    }
    Ok(())
}

#[test]
fn a_shell_reads_the_environment_of_jobs() {
    story("rdma-env", missing(&["BusyBox"]), |dir| {
        let folder = small(dir)?.export("rdma-env", "sw1")?;
        let mut nodes = 0;
        for file in files(&folder)? {
            let shell = "set -aeu; . \"$1\"; env | grep -E '^(NCCL|UCX)_'";
            let said = run(tool("busybox").args(["sh", "-c", shell, "sh"]).arg(&file))?;
            let set: BTreeMap<&str, &str> = said.lines().filter_map(|line| line.split_once('=')).collect();
            let devices = set["NCCL_IB_HCA"].strip_prefix('=').context("an exact list")?;
            let ports: Vec<String> = devices.split(',').map(|device| format!("{device}:1")).collect();
            ensure!(set["UCX_NET_DEVICES"] == ports.join(","), "{file:?}: {said}");
            ensure!(set["NCCL_IB_SUBNET_PREFIX_LEN"] == "16" && set["NCCL_IB_GID_INDEX"] == "3", "{said}");
            let excluded = set["NCCL_SOCKET_IFNAME"].strip_prefix("^=").context("an exact exclusion")?;
            ensure!(excluded.split(',').count() == ports.len() + 2, "{file:?}: {said}");
            nodes += 1;
        }
        ensure!(nodes == 8, "{nodes} files");
        read_by("BusyBox", DESIGN, &["rdma-env"])
    });
}

#[test]
fn kea_gives_every_node_its_address_in_its_wave() {
    lab_story("Kea", &["Kea", "dnsmasq", "BusyBox"], |dir| {
        let machine = small(dir)?;
        let configuration = machine.export("kea", "")?;
        waves(&machine, dir, |lab, pe, relay| {
            let text = fs::read_to_string(relay)?;
            if text.contains("dhcp-host=") {
                lab.on(pe, &format!("sed -n 's/^# run: //p' '{}' | sh", relay.display()), &[])?;
                return kea(lab, pe, &configuration, dir);
            }
            Server::dnsmasq(lab, pe, relay, dir)
        })?;
        read_by("Kea", DESIGN, &["kea"])
    });
}

/// Kea on a node, with its leases in memory and its locks in the folder.
fn kea(lab: &Lab, pe: u32, configuration: &Path, dir: &Path) -> Result<Server> {
    let mut value: Value = serde_json::from_str(&fs::read_to_string(configuration)?)?;
    let commands = value["Dhcp4"]["user-context"]["crosspoint"]["routes to run first, as root"].take();
    for command in commands.as_array().context("routes")? {
        lab.on(pe, command.as_str().unwrap_or("false"), &[])?;
    }
    let enter = |program: &str| {
        let mut command = lab.enter(pe, Path::new(program));
        let own = dir.display().to_string();
        command.env("KEA_LOCKFILE_DIR", &own).env("KEA_PIDFILE_DIR", &own).env("KEA_DHCP_DATA_DIR", own);
        command
    };
    run(enter("kea-dhcp4").arg("-t").arg(configuration))?;
    // Leases of an earlier run would be in its usual file.
    let local = dir.join("kea-here.json");
    let mut here: Value = serde_json::from_str(&fs::read_to_string(configuration)?)?;
    here["Dhcp4"]["lease-database"]["persist"] = Value::Bool(false);
    fs::write(&local, here.to_string())?;
    Server::of(enter("kea-dhcp4").arg("-c").arg(local))
}

#[test]
fn bind_loads_the_zones() {
    story("BIND", missing(&["BIND"]), |dir| {
        let machine = small(dir)?;
        for (form, names) in [("routed", 8), ("rdma", 44)] {
            let folder = dir.join(form);
            machine.export_to(&folder, "dns-zone", &[&format!("form={form}"), "domain=Lab.Example"])?;
            let said =
                run(tool("named-checkconf").current_dir(&folder).args(["-z", "named.conf.crosspoint"]))?;
            let loaded = said.lines().filter(|line| line.contains("loaded serial")).count();
            ensure!(loaded == files(&folder)?.len() - 1, "{form}: {said}");
            let dump = ["-q", "-D", "-o", "-", "lab.example", "lab.example.zone"];
            let zone = run(tool("named-checkzone").current_dir(&folder).args(dump))?;
            let records = zone.lines().filter(|line| line.split_whitespace().any(|word| word == "A")).count();
            ensure!(records == names, "{form}: {records} records\n{zone}");
        }
        read_by("BIND", DESIGN, &["dns-zone"])
    });
}

#[test]
fn cloud_init_takes_the_files() {
    story("cloud-init", missing(&["cloud-init", "netplan"]), |dir| {
        let machine = small(dir)?;
        for form in ["routed", "rdma"] {
            let folder = dir.join(form);
            let with =
                [format!("form={form}"), "paths=pci-0000:03:00.0 pci-0000:04:00.0 pci-0000:05:00.0".into()];
            let with: Vec<&str> = with.iter().map(String::as_str).collect();
            machine.export_to(&folder, "cloud-init", &[&with[..], &["interface=ni"]].concat())?;
            for node in files(&folder)? {
                let said =
                    run(tool("cloud-init").args(["schema", "--config-file"]).arg(node.join("user-data")))?;
                ensure!(said.contains("Valid"), "{said}");
                let out = dir.join("converted");
                run(tool("cloud-init")
                    .args([
                        "devel",
                        "net-convert",
                        "--kind",
                        "yaml",
                        "--output-kind",
                        "netplan",
                        "-D",
                        "debian",
                    ])
                    .arg("--network-data")
                    .arg(node.join("network-config"))
                    .arg("--directory")
                    .arg(&out))?;
                run(tool("chmod").arg("-R").arg("go-rwx").arg(out.join("etc/netplan")))?;
                run_quietly(tool("netplan").args(["generate", "--root-dir"]).arg(&out))?;
                let generated = files(&out.join("run/systemd/network"))?;
                ensure!(
                    generated.iter().any(|file| file.ends_with("10-netplan-ni0.network")),
                    "{generated:?}"
                );
                fs::remove_dir_all(&out)?;
            }
        }
        read_by("cloud-init", DESIGN, &["cloud-init"])?;
        read_by("netplan", DESIGN, &["cloud-init"])
    });
}

#[test]
fn ignition_takes_the_configuration() {
    story("Ignition", missing(&["Ignition"]), |dir| {
        let machine = small(dir)?;
        for form in ["routed", "rdma"] {
            let folder = dir.join(form);
            machine.export_to(&folder, "ignition", &[&format!("form={form}")])?;
            for file in files(&folder)? {
                run_quietly(tool("ignition-validate").arg(&file))?;
            }
        }
        read_by("Ignition", DESIGN, &["ignition"])
    });
}
