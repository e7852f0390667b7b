//! Export of a simulation to BookSim 2, for cross-checks: its configuration, and a file with network, paths and traffic.
//!
//! BookSim 2 cannot read paths or traffic: its `anynet` takes one shortest path per pair, preferring low switch numbers, and
//! hosts have one link. So [`PATCH`] adds a topology, `flows`, that does. `peers/booksim.sh` applies it, builds BookSim and
//! prints the figures of both simulators.
//!
//! * Each link of a host is a node of BookSim. A path of our routing becomes a *flow* between two of them; its rate is a part
//!   of the offered load of its host.
//! * Where a frame may use some of the virtual channels only, its flow says which.
//! * BookSim's pipeline takes 3 cycles after routing. The written routing delay is that much smaller, so that a hop takes the
//!   same.
//! * A number without a decimal point is not a fraction, and a file name must not start with a digit.
//! * Runs are of `sim_type = throughput`: they end after the simulated cycles. A latency run waits for all frames to arrive,
//!   above saturation without end.
//!
//! # Differences that remain
//!
//! BookSim uses wormhole switching: a frame moves on before the next buffer has room for all of it. Paths in turn
//! (`alternate`) are drawn at random. BookSim does not end at a deadlock.

use crate::{
    OpenInput, SimulateError,
    network::Network,
    open::placed,
    paths::PathTable,
    virtual_channels::{Hop, VirtualChannels},
};
use network::fabric::{Fabric, SwitchKind};
use std::{collections::BTreeMap, fmt::Write as _, ops::Range};
use thiserror::Error;
use work::simulation::{FullBufferRule, Paths, Queue, Settings, Switching};

/// The change of BookSim 2, to apply with `git apply` in its folder. It adds the topology, the traffic and the injection
/// process `flows`.
pub const PATCH: &str = include_str!("../peers/booksim2.patch");

/// Cycles of BookSim's pipeline after routing: allocation of the channel, of the crossbar, and the way through it.
const PIPELINE: u32 = 3;
/// BookSim counts cycles and flits in signed 32-bit integers.
const MAX_INTEGER: u64 = i32::MAX as u64;
/// Largest number of flows, of about 40 bytes each in the file.
const MAX_FLOWS: usize = 4 << 20;

/// Largest number of paths of a pair; ECMP numbers many more, which take its ways in turn.
const MAX_PATHS: u32 = 256;

/// The two files of BookSim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// Switches, links, paths and rates.
    pub network: String,
    /// Configuration, which names the other file.
    pub config: String,
}

/// Reason why BookSim 2 cannot run a simulation.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum BooksimFault {
    /// A link between two hosts.
    #[error("BookSim does not support links between hosts (hosts {0} and {1} are linked)")]
    HostToHost(u32, u32),
    /// A path through a host.
    #[error("BookSim does not support hosts that forward (host {1} does, from {0} to {2})")]
    Forwards(u32, u32, u32),
    /// Links of several speeds, or slower than the reference speed.
    #[error("BookSim needs links of one speed, equal to reference_speed")]
    Speeds,
    /// A hub.
    #[error("BookSim does not support hubs (switch {0} is one)")]
    Hub(u32),
    /// A setting, its value, and the values that BookSim supports.
    #[error("BookSim does not support {0} = {1}; use {2}")]
    Rule(&'static str, String, String),
    /// A file name that BookSim cannot read.
    #[error("BookSim cannot read the file name {0:?}; use letters, digits and _ - . / +")]
    Name(String),
    /// More flows than a file should have.
    #[error(
        "BookSim would need more than {MAX_FLOWS} flows; choose a smaller network, or traffic of fewer pairs"
    )]
    Flows,
    /// A fault of the network or its paths.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
}

/// Writes both files for an offered load; `network` is the file name of the first.
///
/// # Errors
/// Returned for anything BookSim does not support.
pub fn write(open: &OpenInput, load: f64, network: &str) -> Result<Files, BooksimFault> {
    check_settings(open.fabric, open.settings)?;
    check(open.fabric)?;
    let (text, nodes) = self::network(open)?;
    Ok(Files { network: text, config: config(open, load, network, nodes)? })
}

/// The file of the network, and the number of its nodes.
fn network(open: &OpenInput) -> Result<(String, u32), BooksimFault> {
    let OpenInput { fabric, settings, traffic, routing, seed } = *open;
    let delay = settings.link_delay;
    let compiled = Network::new(fabric, settings)?;
    let mut text = format!("routers {}\n", fabric.switches.len());
    // The node or channel in the file of each channel of the fabric.
    let mut numbers = vec![0u32; fabric.channels() as usize];
    let (mut nodes, mut channels) = (0, String::new());
    let mut between = 0;
    for link in 0..fabric.links.len() as u32 {
        let ways = [2 * link, 2 * link + 1];
        let host = ways.into_iter().find(|&way| fabric.is_host(compiled.from[way as usize]));
        if let Some(way) = host {
            let switch = compiled.to[way as usize] - fabric.hosts;
            let _ = writeln!(text, "node {switch} {delay}");
            numbers[2 * link as usize..][..2].fill(nodes);
            nodes += 1;
            continue;
        }
        for way in ways {
            let [from, to] = [&compiled.from, &compiled.to].map(|end| end[way as usize] - fabric.hosts);
            let _ = writeln!(channels, "channel {from} {to} {delay}");
            numbers[way as usize] = between;
            between += 1;
        }
    }
    text += &channels;
    let places = placed(settings, traffic.nodes(), fabric.hosts, seed);
    let vcs = VirtualChannels::new(compiled.channels(), routing, settings);
    let routes = PathTable::new(routing, settings.paths, fabric.hosts);
    let (mut path, mut flows) = (Vec::new(), 0);
    for node in 0..traffic.nodes() {
        let from = places[node as usize];
        for (to, share) in traffic.shares(node).into_iter().filter(|(_, share)| *share > 0.0) {
            let to = places[to as usize];
            let choices = match settings.paths {
                Paths::First => 1,
                _ => routing.choices(from, to).clamp(1, MAX_PATHS),
            };
            let rate = share * traffic.rate(node) / f64::from(choices);
            // Numbers of paths may repeat a path.
            let mut rates: BTreeMap<Vec<u32>, f64> = BTreeMap::new();
            for choice in 0..choices {
                routes.path(&compiled, (from, to), choice, &mut path)?;
                *rates.entry(path.clone()).or_insert(0.0) += rate;
            }
            for (path, rate) in rates {
                let [first, inner @ .., last] = &path[..] else { continue };
                let forwards = |&&way: &&u32| fabric.is_host(compiled.from[way as usize]);
                if let Some(&way) = path[1..].iter().find(forwards) {
                    return Err(BooksimFault::Forwards(from, compiled.from[way as usize], to));
                }
                let [source, destination] = [first, last].map(|&way| numbers[way as usize]);
                let _ = write!(text, "flow {source} {destination} {rate:?}");
                for (at, &way) in (1..).zip(inner) {
                    let _ = write!(text, " {}", numbers[way as usize]);
                    let Range { start, end } = vcs.buffers(Hop { path: &path, leg: path.len(), at });
                    if end - start < vcs.count {
                        let first = way << vcs.shift;
                        let _ = write!(text, ":{}-{}", start - first, end - first - 1);
                    }
                }
                text.push('\n');
                flows += 1;
                if flows > MAX_FLOWS {
                    return Err(BooksimFault::Flows);
                }
            }
        }
    }
    Ok((text, nodes))
}

fn check_settings(fabric: &Fabric, settings: &Settings) -> Result<(), BooksimFault> {
    let rule = |field, value: String, accepted: &str| Err(BooksimFault::Rule(field, value, accepted.into()));
    if settings.switching != Switching::CutThrough {
        return rule("switching", "store-and-forward".into(), "cut-through");
    }
    if settings.queue != Queue::Input {
        return rule("queue", "shared".into(), "input");
    }
    if settings.full != FullBufferRule::Hold {
        return rule("full", "drop".into(), "hold");
    }
    if settings.paths == Paths::RandomIntermediate {
        return rule("paths", "random-intermediate".into(), "first, alternate or random");
    }
    if settings.half_duplex_hosts {
        return rule("half_duplex_hosts", "true".into(), "false");
    }
    let buffer = u64::from(settings.buffer) * u64::from(settings.frame());
    for (field, value) in [("cycles", settings.cycles), ("buffer", buffer)] {
        if value > MAX_INTEGER {
            return rule(field, value.to_string(), &format!("a number up to {MAX_INTEGER}"));
        }
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
    if let Some(link) = fabric.links.iter().find(|link| link.ends.iter().all(|&end| fabric.is_host(end))) {
        return Err(BooksimFault::HostToHost(link.ends[0], link.ends[1]));
    }
    match (0..).zip(&fabric.switches).find(|(_, switch)| switch.kind == SwitchKind::Hub) {
        Some((switch, _)) => Err(BooksimFault::Hub(switch)),
        None => Ok(()),
    }
}

/// File name in the form BookSim's lexer reads.
fn name(network: &str) -> Result<String, BooksimFault> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./+".contains(c);
    if network.is_empty() || !network.chars().all(plain) {
        return Err(BooksimFault::Name(network.into()));
    }
    Ok(if network.starts_with('/') { network.into() } else { format!("./{network}") })
}

fn config(open: &OpenInput, load: f64, network: &str, nodes: u32) -> Result<String, BooksimFault> {
    let settings = open.settings;
    let period = if settings.ignored > 0 { settings.ignored } else { settings.cycles.div_ceil(10) };
    Ok(format!(
        "// Written by Crosspoint for BookSim 2 with its patch, which adds the topology flows. Each link of a host is a node.
// Accepted load per sending host = accepted flit rate average * {nodes} nodes / {senders} senders.
// BookSim uses wormhole switching and does not end at a deadlock.
topology = flows;
network_file = {network};
routing_function = given;

traffic = flows;
injection_process = flows;
injection_rate_uses_flits = 1;
injection_rate = {load:?};
packet_size = {frame};

num_vcs = {vcs};
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

// ends after the simulated cycles, above saturation too
sim_type = throughput;
// the first sample is not counted
sample_period = {period};
warmup_periods = 1;
max_samples = {samples};
stopping_thres = 0.0;
acc_stopping_thres = 0.0;
seed = {seed};
",
        senders = open.traffic.senders(),
        network = name(network)?,
        vcs = settings.virtual_channels,
        frame = settings.frame(),
        buffer = u64::from(settings.buffer) * u64::from(settings.frame()),
        pipeline = PIPELINE,
        routing = settings.routing_delay.saturating_sub(PIPELINE).max(1),
        credit = settings.credit_delay.saturating_sub(settings.link_delay),
        samples = 1 + (settings.cycles - settings.ignored).div_ceil(period),
        seed = open.seed % (1 << 31),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_readable_by_its_lexer() {
        assert_eq!(name("8x8.cfg.network").unwrap(), "./8x8.cfg.network");
        assert_eq!(name("/srv/a.network").unwrap(), "/srv/a.network");
        for bad in ["", "my net", "a;b", "netz\u{e4}"] {
            assert!(matches!(name(bad), Err(BooksimFault::Name(_))), "{bad}");
        }
    }
}
