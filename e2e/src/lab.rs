//! A wiring in network namespaces: a namespace is a PE, a veth pair a cable, a Linux bridge a switch.
//!
//! The lab knows the cable list alone; addresses and routes come from the exported files, run as on a real PE. Switches
//! count what comes in at each port, links can be limited to a rate, and switches can be silenced or lose their power.

pub mod machine;
mod peers;
mod shell;
pub mod standin;
mod switched;
pub mod vlans;

pub use peers::{ANSWER, HEADERS, PORT, Peers, QUESTION};
pub use switched::{End, FrameCounts, SwitchedLab, counts};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use shell::{batch, command, done, ip};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    process::{Command, Stdio},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

/// Reason why no lab can be built here; `None` if it can.
pub fn obstacle() -> Option<String> {
    let id = Command::new("id").arg("-u").output().map(|out| out.stdout).unwrap_or_default();
    if id.trim_ascii() != b"0" {
        return Some("network namespaces take root".to_owned());
    }
    for (program, argument) in [("ip", "-V"), ("tc", "-V")] {
        if !command(program).arg(argument).output().is_ok_and(|out| out.status.success()) {
            return Some(format!("there is no {program}; e2e/setup.sh installs it"));
        }
    }
    let probe = format!("{}-probe", next_prefix());
    let script = format!(
        "netns add {probe}\n-n {probe} link add b0 type bridge\n-n {probe} link add e0 type veth peer name e1\n"
    );
    let made = script.lines().try_for_each(|line| ip(&line.split(' ').collect::<Vec<_>>()));
    // An error means that it was not created.
    let _ = ip(&["netns", "del", &probe]);
    made.err().map(|error| format!("the kernel refuses: {error:#}"))
}

/// Prefix of the names of a lab's namespaces, unique per lab.
fn next_prefix() -> String {
    static SO_FAR: AtomicU32 = AtomicU32::new(0);
    format!("xp{}-{}", std::process::id(), SO_FAR.fetch_add(1, Ordering::Relaxed))
}

/// One cable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cable {
    /// The PE.
    pub pe: u32,
    /// NI of the PE.
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
    // Cables to an uplink switch have no node.
    lines
        .filter(|line| !line.starts_with(','))
        .map(|line| {
            let cells: Vec<_> = line.split(',').collect();
            let number =
                |at: usize| cells.get(at).and_then(|cell| cell.parse().ok()).context(line.to_owned());
            Ok(Cable { pe: number(pe)?, ni: number(ni)?, switch: number(switch)? })
        })
        .collect()
}

/// Traffic received at a port of a switch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Packets.
    pub packets: u64,
    /// Bytes of them, Ethernet headers included.
    pub bytes: u64,
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
        let lab = Lab { prefix: next_prefix(), cables, pes };
        let fabric = lab.fabric();
        let names = (0..pes).map(|pe| lab.namespace(pe)).chain([fabric.clone()]);
        batch("ip", &[], names.map(|name| format!("netns add {name}")))?;
        // Router solicitations would count as traffic.
        let quiet = "for f in /proc/sys/net/ipv6/conf/*/disable_ipv6; do echo 1 >$f; done";
        done(command("ip").args(["netns", "exec", &fabric, "sh", "-c", quiet]).output()?)?;
        let switches: BTreeSet<u32> = lab.cables.iter().map(|cable| cable.switch).collect();
        let bridge = |s| {
            format!(
                "link add b{s} type bridge stp_state 0 mcast_snooping 0 forward_delay 0\nlink set b{s} up"
            )
        };
        batch("ip", &["-n", &fabric], switches.into_iter().map(bridge))?;
        lab.on_all(|pe| {
            lab.on(pe, quiet, &[])?;
            let own = lab.cables.iter().filter(|cable| cable.pe == pe);
            let lines = own.map(|cable| {
                let (ni, port) = (cable.ni, port(cable));
                format!("link add eth{ni} type veth peer name {port} netns {fabric}\nlink set eth{ni} up")
            });
            batch("ip", &["-n", &lab.namespace(pe)], lines.chain(["link set lo up".to_owned()]))
        })?;
        let plug = |cable: &Cable| format!("link set {} master b{} up", port(cable), cable.switch);
        batch("ip", &["-n", &fabric], lab.cables.iter().map(plug))?;
        lab.wait_for_carriers(lab.cables.len())?;
        Ok(lab)
    }

    /// Number of PEs.
    pub fn pes(&self) -> u32 {
        self.pes
    }

    /// The cables.
    pub fn cables(&self) -> &[Cable] {
        &self.cables
    }

    /// The kernel queues carrier changes; packets sent before a carrier are lost.
    fn wait_for_carriers(&self, number: usize) -> Result<()> {
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(60) {
            let links = self.links()?;
            let up = links.iter().filter(|link| link["master"].is_string() && link["operstate"] == "UP");
            if up.count() == number {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        bail!("not every NI came up, or went down")
    }

    fn links(&self) -> Result<Vec<Value>> {
        let out = command("ip").args(["-n", &self.fabric(), "-s", "-j", "link"]).output()?;
        Ok(serde_json::from_str(&done(out)?)?)
    }

    /// The name of a PE's namespace.
    pub fn namespace(&self, pe: u32) -> String {
        format!("{}-pe{pe}", self.prefix)
    }

    fn fabric(&self) -> String {
        format!("{}-fabric", self.prefix)
    }

    /// A program to run on a PE as root.
    pub fn enter(&self, pe: u32, program: &Path) -> Command {
        let mut run = command("ip");
        run.args(["netns", "exec", &self.namespace(pe)]).arg(program);
        run
    }

    /// Runs a shell command on a PE.
    ///
    /// # Errors
    /// If it fails.
    pub fn on(&self, pe: u32, shell: &str, variables: &[(&str, &Path)]) -> Result<String> {
        let mut run = self.enter(pe, Path::new("sh"));
        run.args(["-c", shell]);
        run.envs(variables.iter().map(|(name, value)| (name, value.as_os_str())));
        done(run.stdin(Stdio::null()).output()?).with_context(|| format!("on PE {pe}: {shell}"))
    }

    /// Runs `each` for every PE, on all cores, and returns the results in the order of PEs.
    ///
    /// # Errors
    /// The first that failed.
    pub fn on_all<T: Send>(&self, each: impl Fn(u32) -> Result<T> + Sync) -> Result<Vec<T>> {
        let results: Mutex<BTreeMap<u32, Result<T>>> = Mutex::default();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            for first in 0..cores {
                let (each, results) = (&each, &results);
                scope.spawn(move || {
                    for pe in (0..self.pes).skip(first).step_by(cores) {
                        let result = each(pe);
                        results.lock().unwrap_or_else(PoisonError::into_inner).insert(pe, result);
                    }
                });
            }
        });
        results.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect()
    }

    /// Traffic received from each PE at each switch so far.
    ///
    /// # Errors
    /// If the counters cannot be read.
    pub fn traffic(&self) -> Result<BTreeMap<(u32, u32), Traffic>> {
        let links = self.links()?;
        let counted = |link: &Value| {
            let came = &link["stats64"]["rx"];
            let traffic = Traffic { packets: came["packets"].as_u64()?, bytes: came["bytes"].as_u64()? };
            Some((link["ifname"].as_str()?.to_owned(), traffic))
        };
        let ports: BTreeMap<String, Traffic> = links.iter().filter_map(counted).collect();
        let at = |cable: &Cable| {
            let traffic = ports.get(&port(cable)).with_context(|| format!("no counters of {cable:?}"))?;
            Ok(((cable.pe, cable.switch), *traffic))
        };
        self.cables.iter().map(at).collect()
    }

    /// Makes a switch drop everything with its links up, or work again: a fault without a signal.
    ///
    /// # Errors
    /// If there is no such switch.
    pub fn silence(&self, switch: u32, dead: bool) -> Result<()> {
        let state = if dead { "down" } else { "up" };
        ip(&["-n", &self.fabric(), "link", "set", &format!("b{switch}"), state])
    }

    /// Cuts a switch's power, so that all its links go down, or gives it back.
    ///
    /// # Errors
    /// If its links do not follow.
    pub fn power(&self, switch: u32, on: bool) -> Result<()> {
        let state = if on { "up" } else { "down" };
        let ports = self.cables.iter().filter(|cable| cable.switch == switch);
        batch("ip", &["-n", &self.fabric()], ports.map(|cable| format!("link set {} {state}", port(cable))))?;
        let others = self.cables.iter().filter(|cable| on || cable.switch != switch).count();
        self.wait_for_carriers(others)
    }

    /// Limits the rate of a PE on each of its links, in Mbit/s.
    ///
    /// # Errors
    /// If the kernel has no token bucket filter.
    pub fn limit(&self, pe: u32, megabits: u32) -> Result<()> {
        let own: Vec<_> = self.cables.iter().filter(|cable| cable.pe == pe).collect();
        ensure!(!own.is_empty(), "there is no PE {pe}");
        let line = |cable: &Cable| {
            format!("qdisc replace dev eth{} root tbf rate {megabits}mbit burst 32kb latency 100ms", cable.ni)
        };
        batch("tc", &["-n", &self.namespace(pe)], own.into_iter().map(line))
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        let names = (0..self.pes).map(|pe| self.namespace(pe)).chain([self.fabric()]);
        // An error means that some were never created; the others are removed.
        let _ = batch("ip", &["-force"], names.map(|name| format!("netns del {name}")));
    }
}

/// The switch's end of a cable.
fn port(cable: &Cable) -> String {
    format!("p{}n{}", cable.pe, cable.ni)
}
