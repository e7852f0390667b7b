//! Export of a simulation to BookSim 2, for cross-checks: its `anynet` topology and a configuration.
//!
//! # How BookSim reads the files
//!
//! According to its `anynet.cpp`, `config.l`, `traffic.cpp`, `iq_router.cpp` and `trafficmanager.cpp`:
//!
//! * The delay of a link applies to the direction it is written in; the other direction takes 1 cycle. So each switch lists
//!   all its links.
//! * A delay after a host on a switch's line becomes a link to the switch with the host's number. Delays of host links work
//!   only on the host's own line, and only if the host has its switch's number. Otherwise host links take 1 cycle.
//! * A host has one link, and two switches have one link. BookSim finds one minimal path per pair by itself, preferring low
//!   switch numbers; it cannot read another routing.
//! * Its pipeline takes 3 cycles after routing. The written routing delay is that much smaller, so that a hop takes the same.
//! * A number without a decimal point is not a fraction, and a file name must not start with a digit.
//! * It stops early once figures are stable; thresholds of 0 make it simulate all cycles.
//!
//! # Differences that remain
//!
//! BookSim uses wormhole switching: a frame moves on before the next buffer has room for all of it. Its uniform traffic
//! includes the sender itself, one frame in N, and its permutations count nodes that send to themselves. It does not detect
//! deadlocks. Where a pair has several shortest paths, as in trees and fat trees with several roots, BookSim takes only one
//! and saturates far earlier. `benches/README.md` has a comparison.

use crate::Open;
use shared::{
    fabric::{Fabric, SwitchKind},
    simulation::{Full, OpenTraffic, Paths, Queue, Settings, Switching},
};
use std::fmt::Write as _;
use thiserror::Error;

/// Cycles of BookSim's pipeline after routing: allocation of the channel, of the crossbar, and the way through it.
const PIPELINE: u32 = 3;
/// BookSim counts cycles and flits in signed 32-bit integers.
const MAX_INTEGER: u64 = i32::MAX as u64;

/// The two files of BookSim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// Topology.
    pub network: String,
    /// Configuration, which names the topology file.
    pub config: String,
}

/// Reason why BookSim 2 cannot run a simulation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BooksimFault {
    /// A host without exactly one link, and its number of links.
    #[error("BookSim needs exactly one link per host (host {0} has {1})")]
    Host(u32, u32),
    /// A link between two hosts.
    #[error("BookSim does not support links between hosts (hosts {0} and {1} are linked)")]
    HostToHost(u32, u32),
    /// Several links between two switches.
    #[error("BookSim supports one link between two switches (switches {0} and {1} have several)")]
    Parallel(u32, u32),
    /// Links of several speeds, or slower than the reference speed.
    #[error("BookSim needs links of one speed, equal to reference_speed")]
    Speeds,
    /// A hub.
    #[error("BookSim does not support hubs (switch {0} is one)")]
    Hub(u32),
    /// A switch that switch 0 cannot reach.
    #[error("BookSim needs a connected network (switch {0} cannot be reached from switch 0)")]
    Apart(u32),
    /// Fewer nodes than hosts.
    #[error("in BookSim every host sends; the traffic has {0} nodes, but the fabric {1} hosts")]
    Nodes(u32, u32),
    /// A setting, its value, and the values that BookSim supports.
    #[error("BookSim does not support {0} = {1}; expected {2}")]
    Rule(&'static str, String, String),
    /// A file name that BookSim cannot read.
    #[error("BookSim cannot read the file name {0:?}; expected letters, digits and _ - . / +")]
    Name(String),
    /// Traffic that BookSim does not support for this number of nodes, and what it supports.
    #[error("BookSim does not support the traffic {0:?} among {1} nodes; expected {2}")]
    Traffic(String, u32, &'static str),
}

/// Writes both files for an offered load; `network` is the file name of the topology.
///
/// # Errors
/// Returned for anything BookSim does not support.
pub fn write(open: &Open, traffic: OpenTraffic, load: f64, network: &str) -> Result<Files, BooksimFault> {
    check_settings(open)?;
    check(open.fabric)?;
    let config = config(open, traffic, load, network)?;
    Ok(Files { network: topology(open.fabric, open.settings), config })
}

fn topology(fabric: &Fabric, settings: &Settings) -> String {
    let delay = settings.link_delay;
    let mut switches = vec![String::new(); fabric.switches.len()];
    let mut hosts = Vec::new();
    for link in &fabric.links {
        let (low, high) = (link.ends[0].min(link.ends[1]), link.ends[0].max(link.ends[1]));
        let high = high - fabric.hosts;
        if fabric.is_host(low) {
            hosts.push((low, high));
            continue;
        }
        let low = low - fabric.hosts;
        let _ = write!(switches[low as usize], " router {high} {delay}");
        let _ = write!(switches[high as usize], " router {low} {delay}");
    }
    hosts.sort_unstable();
    let delayed = hosts.iter().all(|(host, switch)| host == switch);
    let mut text = String::new();
    for (host, switch) in hosts {
        let _ = match delayed {
            true => writeln!(text, "node {host} router {switch} {delay}"),
            false => writeln!(text, "router {switch} node {host}"),
        };
    }
    for (switch, links) in switches.iter().enumerate() {
        let _ = writeln!(text, "router {switch}{links}");
    }
    text
}

fn check_settings(open: &Open) -> Result<(), BooksimFault> {
    let Open { fabric, settings, traffic, .. } = *open;
    let rule = |field, value: String, accepted: &str| Err(BooksimFault::Rule(field, value, accepted.into()));
    if settings.switching != Switching::CutThrough {
        return rule("switching", "store-and-forward".into(), "cut-through");
    }
    if settings.queue != Queue::Input {
        return rule("queue", "shared".into(), "input");
    }
    if settings.full != Full::Hold {
        return rule("full", "drop".into(), "hold");
    }
    if settings.paths != Paths::First {
        return rule("paths", format!("{:?}", settings.paths).to_lowercase(), "first");
    }
    if settings.half_duplex_hosts || settings.random_placement {
        let field = if settings.half_duplex_hosts { "half_duplex_hosts" } else { "random_placement" };
        return rule(field, "true".into(), "false");
    }
    let buffer = u64::from(settings.buffer) * u64::from(settings.frame());
    for (field, value) in [("cycles", settings.cycles), ("buffer", buffer)] {
        if value > MAX_INTEGER {
            return rule(field, value.to_string(), &format!("a number up to {MAX_INTEGER}"));
        }
    }
    if traffic.nodes() != fabric.hosts {
        return Err(BooksimFault::Nodes(traffic.nodes(), fabric.hosts));
    }
    let reference = settings.reference_speed;
    let slow = |speed: u32| reference.is_some_and(|reference| reference != speed);
    let mut speeds = fabric.links.iter().map(|link| link.speed);
    match speeds.next().is_some_and(|first| slow(first) || speeds.any(|speed| speed != first)) {
        true => Err(BooksimFault::Speeds),
        false => Ok(()),
    }
}

fn check(fabric: &Fabric) -> Result<(), BooksimFault> {
    let mut links = vec![0u32; fabric.hosts as usize];
    let mut pairs = Vec::new();
    for link in &fabric.links {
        let (low, high) = (link.ends[0].min(link.ends[1]), link.ends[0].max(link.ends[1]));
        if fabric.is_host(high) {
            return Err(BooksimFault::HostToHost(low, high));
        }
        match fabric.is_host(low) {
            true => links[low as usize] += 1,
            false => pairs.push((low - fabric.hosts, high - fabric.hosts)),
        }
    }
    if let Some((host, &links)) = (0..).zip(&links).find(|(_, links)| **links != 1) {
        return Err(BooksimFault::Host(host, links));
    }
    pairs.sort_unstable();
    if let Some(two) = pairs.windows(2).find(|two| two[0] == two[1]) {
        return Err(BooksimFault::Parallel(two[0].0, two[0].1));
    }
    if let Some(switch) = (0..).zip(&fabric.switches).find(|(_, switch)| switch.kind == SwitchKind::Hub) {
        return Err(BooksimFault::Hub(switch.0));
    }
    apart(fabric.switches.len(), &pairs).map_or(Ok(()), |switch| Err(BooksimFault::Apart(switch)))
}

/// First switch that switch 0 cannot reach.
fn apart(switches: usize, pairs: &[(u32, u32)]) -> Option<u32> {
    let mut neighbours = vec![Vec::new(); switches];
    for &(a, b) in pairs {
        neighbours[a as usize].push(b);
        neighbours[b as usize].push(a);
    }
    let mut reached = vec![false; switches];
    let mut next: Vec<u32> = if switches > 0 { vec![0] } else { Vec::new() };
    while let Some(switch) = next.pop() {
        if !std::mem::replace(&mut reached[switch as usize], true) {
            next.extend(&neighbours[switch as usize]);
        }
    }
    reached.iter().position(|reached| !reached).map(|switch| switch as u32)
}

/// File name in the form BookSim's lexer reads.
fn name(network: &str) -> Result<String, BooksimFault> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./+".contains(c);
    if network.is_empty() || !network.chars().all(plain) {
        return Err(BooksimFault::Name(network.into()));
    }
    Ok(if network.starts_with('/') { network.into() } else { format!("./{network}") })
}

fn config(open: &Open, traffic: OpenTraffic, load: f64, network: &str) -> Result<String, BooksimFault> {
    let settings = open.settings;
    let period = if settings.ignored > 0 { settings.ignored } else { settings.cycles.div_ceil(10) };
    Ok(format!(
        "// Written by Crosspoint. BookSim takes one minimal path per pair, even where a pair has several, and uses wormhole
// switching. Uniform and permuted traffic may send frames to their own sender. Deadlocks are not detected.
topology = anynet;
network_file = {network};
routing_function = min;

traffic = {traffic};
injection_rate_uses_flits = 1;
injection_rate = {load:?};
packet_size = {frame};

num_vcs = 1;
vc_buf_size = {buffer};
wait_for_tail_credit = 0;
vc_allocator = islip;
sw_allocator = islip;
// the pipeline adds {pipeline} cycles
routing_delay = {routing};
vc_alloc_delay = 1;
sw_alloc_delay = 1;
st_final_delay = 1;
// in addition to the link delay
credit_delay = {credit};
hold_switch_for_packet = 1;

sim_type = latency;
// the first sample is not counted
sample_period = {period};
warmup_periods = 1;
max_samples = {samples};
stopping_thres = 0.0;
acc_stopping_thres = 0.0;
latency_thres = 1000000000.0;
seed = {seed};
",
        network = name(network)?,
        traffic = traffic_name(traffic, open.fabric.hosts)?,
        frame = settings.frame(),
        buffer = u64::from(settings.buffer) * u64::from(settings.frame()),
        pipeline = PIPELINE,
        routing = settings.routing_delay.saturating_sub(PIPELINE).max(1),
        credit = settings.credit_delay.saturating_sub(settings.link_delay),
        samples = 1 + (settings.cycles - settings.ignored).div_ceil(period),
        seed = open.seed % (1 << 31),
    ))
}

/// Traffic by its name in BookSim. Hot spots are left out, since BookSim sends all frames to them instead of a share.
fn traffic_name(traffic: OpenTraffic, nodes: u32) -> Result<String, BooksimFault> {
    let fault = |accepted| BooksimFault::Traffic(traffic.to_string(), nodes, accepted);
    let bits = |name: &str| match nodes.is_power_of_two() {
        true => Ok(name.to_string()),
        false => Err(fault("a power of 2")),
    };
    match traffic {
        OpenTraffic::Uniform => Ok("uniform".into()),
        OpenTraffic::BitReversal => bits("bitrev"),
        OpenTraffic::Shuffle => bits("shuffle"),
        OpenTraffic::Complement => bits("bitcomp"),
        OpenTraffic::Transpose if nodes.is_power_of_two() && nodes.trailing_zeros().is_multiple_of(2) => {
            Ok("transpose".into())
        }
        OpenTraffic::Transpose => Err(fault("an even power of 2")),
        // One digit to the base of all nodes: the next node, and node 0 after the last.
        OpenTraffic::Neighbour => Ok(format!("neighbor({{{nodes},1,1}})")),
        _ => Err(fault("uniform, bit-reversal, transpose, shuffle, neighbour or complement")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_readable_by_its_lexer() {
        assert_eq!(name("8x8.cfg.anynet").unwrap(), "./8x8.cfg.anynet");
        assert_eq!(name("/srv/a.anynet").unwrap(), "/srv/a.anynet");
        for bad in ["", "my net", "a;b", "netz\u{e4}"] {
            assert!(matches!(name(bad), Err(BooksimFault::Name(_))), "{bad}");
        }
    }

    #[test]
    fn disconnected_parts_are_found() {
        assert_eq!(apart(0, &[]), None);
        assert_eq!(apart(1, &[]), None);
        assert_eq!(apart(4, &[(0, 2), (2, 3), (1, 3)]), None);
        assert_eq!(apart(4, &[(0, 2), (1, 3)]), Some(1));
    }

    #[test]
    fn traffic_has_its_name_in_booksim() {
        assert_eq!(traffic_name(OpenTraffic::Neighbour, 12).unwrap(), "neighbor({12,1,1})");
        assert_eq!(traffic_name(OpenTraffic::Transpose, 64).unwrap(), "transpose");
        for (traffic, nodes) in [
            (OpenTraffic::Complement, 12),
            (OpenTraffic::Transpose, 36),
            (OpenTraffic::Transpose, 32),
            (OpenTraffic::Shuffle, 6),
            (OpenTraffic::HotSpot { node: 0, share: 0.5 }, 16),
            (OpenTraffic::Opposite, 16),
        ] {
            let message = traffic_name(traffic, nodes).unwrap_err().to_string();
            assert!(message.contains("; expected "), "{message}");
        }
    }
}
