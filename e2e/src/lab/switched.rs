//! Hosts and switches in network namespaces, with cables between any two of them: for networks whose switches run scripts.
//!
//! The lab knows the cable list alone. Switches are plain machines until their scripts have run; the programs in
//! [`standin`](super::standin) stand in for what the kernel lacks.

use super::{
    next_prefix,
    shell::{batch, command, done},
    standin, vlans,
};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// An end of a cable: a host or switch, and its name of the port.
pub type End = (String, String);

/// Frames forwarded by a switch since its script ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrameCounts {
    /// Frames by ports in and out and MAC addresses of source and destination.
    pub frames: BTreeMap<[String; 4], u64>,
    /// Frames by VLAN, MAC address of the destination, and port out.
    pub vlans: BTreeMap<[String; 3], u64>,
}

/// A network that is up; it is taken down with this value.
pub struct SwitchedLab {
    prefix: String,
    cables: Vec<[End; 2]>,
    standins: TempDir,
}

impl SwitchedLab {
    /// Connects the cables of a list with the columns a, a_port, b and b_port, and waits until every port is up.
    ///
    /// # Errors
    /// If the kernel refuses.
    pub fn up(csv: &str) -> Result<SwitchedLab> {
        let cables = vlans::cables(csv)?;
        let lab = SwitchedLab { prefix: next_prefix(), cables, standins: TempDir::new()? };
        standin::fill(lab.standins.path())?;
        let nodes = lab.nodes();
        batch("ip", &[], nodes.iter().map(|node| format!("netns add {}", lab.namespace(node))))?;
        // Router solicitations would count as traffic.
        let quiet = "for f in /proc/sys/net/ipv6/conf/*/disable_ipv6; do echo 1 >$f; done; ip link set lo up";
        for node in &nodes {
            lab.on(node, quiet, &[])?;
        }
        let link = |[(a, a_port), (b, b_port)]: &[End; 2]| {
            let (a, b) = (lab.namespace(a), lab.namespace(b));
            // A host's only NI, which the stand-ins find by its number.
            let index =
                if a_port == "eth0" { format!("index {} ", standin::NI_NUMBER) } else { String::new() };
            let add =
                format!("link add name {a_port} {index}netns {a} type veth peer name {b_port} netns {b}");
            let up = |node: &str, port: &str| format!("-n {node} link set {port} up");
            [add, up(&a, a_port), up(&b, b_port)]
        };
        for [add, a_up, b_up] in lab.cables.iter().map(link) {
            for line in [add, a_up, b_up] {
                super::shell::ip(&line.split(' ').collect::<Vec<_>>())?;
            }
        }
        lab.wait_for_carriers()?;
        Ok(lab)
    }

    /// Names of hosts and switches, each once, ascending.
    pub fn nodes(&self) -> BTreeSet<String> {
        self.cables.iter().flatten().map(|(node, _)| node.clone()).collect()
    }

    /// The cables.
    pub fn cables(&self) -> &[[End; 2]] {
        &self.cables
    }

    /// Carriers come and go in a queue of the kernel; what is sent before one came is lost.
    fn wait_for_carriers(&self) -> Result<()> {
        let began = Instant::now();
        for node in self.nodes() {
            while self
                .on(&node, "ip -br link show type veth", &[])?
                .lines()
                .any(|line| !line.contains(" UP "))
            {
                if began.elapsed() > Duration::from_secs(60) {
                    bail!("not every port of {node} came up");
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        Ok(())
    }

    fn namespace(&self, node: &str) -> String {
        format!("{}-{node}", self.prefix)
    }

    /// A program that is to run on a node, as its root, with the stand-ins before other programs.
    pub fn enter(&self, node: &str, program: &Path) -> Command {
        let mut run = command("ip");
        // The path is for the program: the `ip` that enters the namespace is the real one.
        let path = format!("PATH={}", standin::path(self.standins.path()));
        run.args(["netns", "exec", &self.namespace(node), "env", &path]).arg(program);
        run
    }

    /// Runs a shell command on a node.
    ///
    /// # Errors
    /// If it fails.
    pub fn on(&self, node: &str, shell: &str, variables: &[(&str, &Path)]) -> Result<String> {
        let mut run = self.enter(node, Path::new("sh"));
        run.args(["-c", shell]);
        run.envs(variables.iter().map(|(name, value)| (name, value.as_os_str())));
        done(run.stdin(Stdio::null()).output()?).with_context(|| format!("on {node}: {shell}"))
    }

    /// Traffic that a switch forwarded.
    ///
    /// # Errors
    /// If it keeps no such lists.
    pub fn passed(&self, switch: &str) -> Result<FrameCounts> {
        let list = |name: &str| self.on(switch, &format!("nft -j list set bridge crosspoint {name}"), &[]);
        Ok(FrameCounts { frames: counts(&list("seen")?)?, vlans: counts(&list("hosts")?)? })
    }
}

/// Elements that counted packets of a set of nftables, as `nft -j list set` prints it.
///
/// # Errors
/// If the text is no such list.
pub fn counts<const N: usize>(text: &str) -> Result<BTreeMap<[String; N], u64>> {
    let list: Value = serde_json::from_str(text)?;
    let set = list["nftables"].as_array().into_iter().flatten().find_map(|entry| entry.get("set"));
    let elements = set.context("a set")?["elem"].as_array().into_iter().flatten();
    let count = |element: &Value| {
        let words = element["elem"]["val"]["concat"].as_array()?.iter();
        let words = words.map(|word| word.as_str().map_or_else(|| word.to_string(), str::to_owned));
        let key = <[String; N]>::try_from(words.collect::<Vec<_>>()).ok()?;
        Some((key, element["elem"]["counter"]["packets"].as_u64()?))
    };
    let all = elements.map(|element| count(element).with_context(|| element.to_string()));
    Ok(all.collect::<Result<BTreeMap<_, _>>>()?.into_iter().filter(|(_, count)| *count > 0).collect())
}

impl Drop for SwitchedLab {
    fn drop(&mut self) {
        let names = self.nodes();
        // One that was never made cannot be removed; the others are.
        let _ =
            batch("ip", &["-force"], names.iter().map(|node| format!("netns del {}", self.namespace(node))));
    }
}
