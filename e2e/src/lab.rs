//! A wiring in network namespaces: a namespace is a PE, a veth pair a cable, a Linux bridge a switch.
//!
//! The lab knows the cable list alone; addresses and routes come from the exported scripts, run as on a real PE.

use crate::root;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::Write as _,
    path::Path,
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

/// Why no lab can be built here, if so.
pub fn obstacle() -> Option<String> {
    let id = Command::new("id").arg("-u").output().map(|out| out.stdout).unwrap_or_default();
    if id.trim_ascii() != b"0" {
        return Some("network namespaces take root".to_owned());
    }
    for (program, argument) in [("ip", "-V"), ("ping", "-V")] {
        if !command(program).arg(argument).output().is_ok_and(|out| out.status.success()) {
            return Some(format!("there is no {program}; e2e/setup.sh installs it"));
        }
    }
    let probe = format!("crosspoint-probe-{}", std::process::id());
    let script = format!(
        "netns add {probe}\n-n {probe} link add b0 type bridge\n-n {probe} link add e0 type veth peer name e1\n"
    );
    let made = script.lines().try_for_each(|line| ip(&line.split(' ').collect::<Vec<_>>()));
    // It may not have been made.
    let _ = ip(&["netns", "del", &probe]);
    made.err().map(|error| format!("the kernel refuses: {error:#}"))
}

/// One cable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cable {
    /// The PE.
    pub pe: u32,
    /// Its NI.
    pub ni: u32,
    /// The switch at the other end.
    pub switch: u32,
}

/// The cables of an exported cable list.
///
/// # Errors
/// If a column is missing or a line is not numbers.
pub fn cables(csv: &str) -> Result<Vec<Cable>> {
    let mut lines = csv.lines().filter(|line| !line.starts_with('#'));
    let header: Vec<_> = lines.next().unwrap_or_default().split(',').map(str::to_lowercase).collect();
    let column = |name: &str| {
        header
            .iter()
            .position(|title| title == name)
            .with_context(|| format!("no column {name} in {header:?}"))
    };
    let (pe, ni, switch) = (column("pe")?, column("ni")?, column("switch")?);
    lines
        .map(|line| {
            let cells: Vec<_> = line.split(',').collect();
            let number =
                |at: usize| cells.get(at).and_then(|cell| cell.parse().ok()).context(line.to_owned());
            Ok(Cable { pe: number(pe)?, ni: number(ni)?, switch: number(switch)? })
        })
        .collect()
}

/// A wiring that is up; it is taken down with this value.
pub struct Lab {
    prefix: String,
    cables: Vec<Cable>,
    pes: u32,
}

impl Lab {
    /// Connects the cables and waits until every NI is up.
    ///
    /// # Errors
    /// If the kernel refuses.
    pub fn up(cables: Vec<Cable>) -> Result<Lab> {
        let pes = cables.iter().map(|cable| cable.pe + 1).max().unwrap_or(0);
        let lab = Lab { prefix: format!("xp{}", std::process::id()), cables, pes };
        let fabric = lab.fabric();
        let mut names: Vec<_> = (0..pes).map(|pe| lab.namespace(pe)).collect();
        names.push(fabric.clone());
        batch(&[], names.iter().map(|name| format!("netns add {name}")))?;
        for name in &names {
            // Router solicitations would count as traffic.
            let quiet = "for f in /proc/sys/net/ipv6/conf/*/disable_ipv6; do echo 1 >$f; done";
            ensure_done(command("ip").args(["netns", "exec", name, "sh", "-c", quiet]).output()?)?;
        }
        let mut switches: Vec<_> = lab.cables.iter().map(|cable| cable.switch).collect();
        switches.sort_unstable();
        switches.dedup();
        let bridge = |s| {
            format!(
                "link add b{s} type bridge stp_state 0 mcast_snooping 0 forward_delay 0\nlink set b{s} up"
            )
        };
        batch(&["-n", &fabric], switches.into_iter().map(bridge))?;
        for cable in &lab.cables {
            lab.connect(cable)?;
        }
        lab.wait_for_carriers()?;
        Ok(lab)
    }

    fn connect(&self, cable: &Cable) -> Result<()> {
        let (fabric, port) = (self.fabric(), port(cable));
        let lines = [
            format!("link add eth{} type veth peer name {port} netns {fabric}", cable.ni),
            format!("link set eth{} up", cable.ni),
            "link set lo up".to_owned(),
        ];
        batch(&["-n", &self.namespace(cable.pe)], lines)?;
        let lines = [format!("link set {port} master b{}", cable.switch), format!("link set {port} up")];
        batch(&["-n", &fabric], lines)
    }

    /// Carriers come up in a queue of the kernel; what is sent before is lost.
    fn wait_for_carriers(&self) -> Result<()> {
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(20) {
            let links = self.links()?;
            let up =
                links.iter().filter(|link| link["master"].is_string() && link["operstate"] == "UP").count();
            if up == self.cables.len() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        bail!("not every NI came up")
    }

    fn links(&self) -> Result<Vec<Value>> {
        let out = command("ip").args(["-n", &self.fabric(), "-s", "-j", "-d", "link"]).output()?;
        Ok(serde_json::from_slice(&out.stdout)?)
    }

    /// The name of a PE's namespace.
    pub fn namespace(&self, pe: u32) -> String {
        format!("{}-pe{pe}", self.prefix)
    }

    fn fabric(&self) -> String {
        format!("{}-fabric", self.prefix)
    }

    /// Runs a shell command on a PE.
    ///
    /// # Errors
    /// If it fails.
    pub fn on(&self, pe: u32, shell: &str, variables: &[(&str, &Path)]) -> Result<String> {
        let mut run = command("ip");
        run.args(["netns", "exec", &self.namespace(pe), "sh", "-c", shell]);
        run.envs(variables.iter().map(|(name, value)| (name, value.as_os_str())));
        ensure_done(run.stdin(Stdio::null()).output()?).with_context(|| format!("on PE {pe}: {shell}"))
    }

    /// Packets that came in from each PE at each switch so far.
    ///
    /// # Errors
    /// If the counters cannot be read.
    pub fn packets(&self) -> Result<BTreeMap<(u32, u32), u64>> {
        let counted: BTreeMap<String, u64> = self
            .links()?
            .iter()
            .filter_map(|link| {
                Some((link["ifname"].as_str()?.to_owned(), link["stats64"]["rx"]["packets"].as_u64()?))
            })
            .collect();
        let at = |cable: &Cable| ((cable.pe, cable.switch), counted.get(&port(cable)).copied().unwrap_or(0));
        Ok(self.cables.iter().map(at).collect())
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        let names = (0..self.pes).map(|pe| self.namespace(pe)).chain([self.fabric()]);
        for name in names {
            // One that was never made cannot be removed.
            let _ = ip(&["netns", "del", &name]);
        }
    }
}

/// The switch's end of a cable.
fn port(cable: &Cable) -> String {
    format!("p{}n{}", cable.pe, cable.ni)
}

/// A program that may be outside a user's path.
fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{path}:/usr/sbin:/sbin")).current_dir(root());
    command
}

fn ip(arguments: &[&str]) -> Result<()> {
    ensure_done(command("ip").args(arguments).output()?).map(drop)
}

/// Runs many lines of `ip` in one process.
fn batch(options: &[&str], lines: impl IntoIterator<Item = String>) -> Result<()> {
    let mut text = String::new();
    for line in lines {
        writeln!(text, "{line}")?;
    }
    let mut child = command("ip")
        .args(options)
        .args(["-batch", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    child.stdin.take().context("a pipe")?.write_all(text.as_bytes())?;
    ensure_done(child.wait_with_output()?).map(drop)
}

fn ensure_done(out: Output) -> Result<String> {
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    ensure!(out.status.success(), "{}{said}", String::from_utf8_lossy(&out.stderr));
    Ok(said)
}
