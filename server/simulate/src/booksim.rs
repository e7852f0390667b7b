//! A simulation written out for BookSim 2, so that others can check: its `anynet` topology and a configuration.
//!
//! # What BookSim reads, and what it cannot be told
//!
//! As its `anynet.cpp`, `config.l`, `traffic.cpp`, `iq_router.cpp` and `trafficmanager.cpp` have it:
//!
//! * A link's cycles count in the direction they are told in, the other way takes 1. So each switch tells all its links.
//! * Cycles behind a host on a switch's line become a link from that switch to the switch of the host's number. They can be
//!   told only on a host's own line, and only where it has its switch's number. Elsewhere links of hosts take 1 cycle.
//! * There is one link from a host to a switch and one between two switches. It finds minimal paths by itself, the first by
//!   the switches' numbers; a routing of ours cannot be told to it.
//! * Its pipeline takes 3 cycles after routing, so it is told that many less: a hop takes what it takes here.
//! * A number without a point is no fraction to it, and a name of a file must not begin with a digit.
//! * It would stop as soon as figures keep still; thresholds of 0 have it simulate as long as we do.
//!
//! # What stays different
//!
//! It moves flits by wormhole switching: a frame goes on before the next buffer has room for all of it. Its uniform traffic
//! goes to the sender as well, one frame in N; its permutations have nodes that send to themselves, and are averaged over
//! them. Deadlocks it warns of, and goes on for ever.
//!
//! How much that is, with the written files and these parts of BookSim, followed function by function: accepted flits a cycle
//! and host at most, and mean latency in cycles. Where both take the same paths they are within 6 %; on meshes its own
//! paths, of which the lowest numbers get more, are full sooner.
//!
//! | network, uniform traffic | load | ours | BookSim | BookSim, paths in dimension order |
//! | --- | --- | --- | --- | --- |
//! | one switch, 8 hosts | 1 | 0.606 | 0.616 | |
//! | tree of 64 hosts, one uplink for 8 | 0.2 | 0.085 | 0.087 | |
//! | 4x4 mesh | 1 | 0.625 | 0.493 | 0.661 |
//! | 8x8 mesh | 0.6 | 0.350 | 0.204 at 0.3 | 0.358 |
//! | tree of 64 hosts | 0.05 | 294 cycles | 278 cycles | |
//! | 4x4 mesh | 0.4 | 393 cycles | 480 cycles | 374 cycles |
//! | 8x8 mesh | 0.2 | 399 cycles | 540 cycles | 389 cycles |

use crate::Open;
use shared::{
    fabric::{Fabric, SwitchKind},
    simulation::{Full, OpenTraffic, Paths, Queue, Settings, Switching},
};
use std::fmt::Write as _;
use thiserror::Error;

/// Cycles of BookSim's pipeline after routing: allocation of the channel, of the crossbar, and the way through it.
const PIPELINE: u32 = 3;
/// BookSim's integers, cycles among them, are signed ones of 32 bits.
const MOST: u64 = i32::MAX as u64;

/// The two files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// The topology.
    pub network: String,
    /// The configuration, which names the topology's file.
    pub config: String,
}

/// Why BookSim 2 cannot simulate it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BooksimFault {
    /// Not one link at a host.
    #[error("BookSim's anynet has one link from each host to a switch; host {host} has {links}")]
    Host {
        /// The host.
        host: u32,
        /// Its links to switches.
        links: u32,
    },
    /// A link between hosts.
    #[error("BookSim's anynet has links from hosts to switches alone; one joins hosts {0} and {1}")]
    HostToHost(u32, u32),
    /// Several links between two switches.
    #[error("BookSim's anynet has one link between two switches; switches {0} and {1} have several")]
    Parallel(u32, u32),
    /// Links of several speeds, or slower than a flit a cycle.
    #[error(
        "BookSim's links carry a flit a cycle; links of one speed, which is reference_speed, were expected"
    )]
    Speeds,
    /// A shared medium.
    #[error("BookSim has no hubs; switch {switch} is one")]
    Hub {
        /// Which.
        switch: u32,
    },
    /// A network in parts.
    #[error("BookSim's anynet must be in one piece; there is no way from switch 0 to switch {switch}")]
    Apart {
        /// A switch of another part.
        switch: u32,
    },
    /// Hosts that take no part.
    #[error("all of BookSim's nodes send; the traffic has {nodes} nodes, and the fabric {hosts} hosts")]
    Nodes {
        /// Nodes of the traffic.
        nodes: u32,
        /// Hosts of the fabric.
        hosts: u32,
    },
    /// A setting that it does not have.
    #[error("BookSim has no {field} of {value}; {accepted} was expected")]
    Rule {
        /// The setting.
        field: &'static str,
        /// What it holds.
        value: String,
        /// What would be accepted.
        accepted: String,
    },
    /// A file's name that its configuration cannot hold.
    #[error(
        "BookSim cannot read {name:?} as a file's name; letters, digits and the characters _-./+ were expected"
    )]
    Name {
        /// The name.
        name: String,
    },
    /// Traffic it does not have.
    #[error("BookSim has no traffic {name:?} among {nodes} nodes; {accepted} was expected")]
    Traffic {
        /// The traffic's name.
        name: String,
        /// How many nodes there are.
        nodes: u32,
        /// What would be accepted.
        accepted: &'static str,
    },
}

/// Writes it out for the offered load; `network` is the name under which the topology will be found.
///
/// # Errors
/// What BookSim cannot simulate.
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
    let rule = |field, value: String, accepted: &str| {
        Err(BooksimFault::Rule { field, value, accepted: accepted.into() })
    };
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
        if value > MOST {
            return rule(field, value.to_string(), &format!("at most {MOST} cycles, and flits of a buffer,"));
        }
    }
    if traffic.nodes() != fabric.hosts {
        return Err(BooksimFault::Nodes { nodes: traffic.nodes(), hosts: fabric.hosts });
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
        return Err(BooksimFault::Host { host, links });
    }
    pairs.sort_unstable();
    if let Some(two) = pairs.windows(2).find(|two| two[0] == two[1]) {
        return Err(BooksimFault::Parallel(two[0].0, two[0].1));
    }
    if let Some(switch) = (0..).zip(&fabric.switches).find(|(_, switch)| switch.kind == SwitchKind::Hub) {
        return Err(BooksimFault::Hub { switch: switch.0 });
    }
    apart(fabric.switches.len(), &pairs).map_or(Ok(()), |switch| Err(BooksimFault::Apart { switch }))
}

/// A switch that switch 0 cannot reach.
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

/// A file's name as BookSim's lexer reads it.
fn name(network: &str) -> Result<String, BooksimFault> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./+".contains(c);
    if network.is_empty() || !network.chars().all(plain) {
        return Err(BooksimFault::Name { name: network.into() });
    }
    Ok(if network.starts_with('/') { network.into() } else { format!("./{network}") })
}

fn config(open: &Open, traffic: OpenTraffic, load: f64, network: &str) -> Result<String, BooksimFault> {
    let settings = open.settings;
    let period = if settings.ignored > 0 { settings.ignored } else { settings.cycles.div_ceil(10) };
    Ok(format!(
        "// Written by Crosspoint. BookSim finds its own minimal paths and moves flits by wormhole switching. A frame is sent
// to its own sender where uniform or permuted traffic has it so. It does not notice deadlocks.
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
// {pipeline} more cycles are its pipeline's
routing_delay = {routing};
vc_alloc_delay = 1;
sw_alloc_delay = 1;
st_final_delay = 1;
// besides those of the link
credit_delay = {credit};
hold_switch_for_packet = 1;

sim_type = latency;
// the first is not counted
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

/// The same traffic by its name. Its hot spots get all frames and not a share, so there are none.
///
/// # Errors
/// There is no such traffic, or not among so many nodes.
fn traffic_name(traffic: OpenTraffic, nodes: u32) -> Result<String, BooksimFault> {
    let fault = |accepted| BooksimFault::Traffic { name: traffic.to_string(), nodes, accepted };
    let bits = |name: &str| match nodes.is_power_of_two() {
        true => Ok(name.to_string()),
        false => Err(fault("a power of 2 of them")),
    };
    match traffic {
        OpenTraffic::Uniform => Ok("uniform".into()),
        OpenTraffic::BitReversal => bits("bitrev"),
        OpenTraffic::Shuffle => bits("shuffle"),
        OpenTraffic::Complement => bits("bitcomp"),
        OpenTraffic::Transpose if nodes.is_power_of_two() && nodes.trailing_zeros().is_multiple_of(2) => {
            Ok("transpose".into())
        }
        OpenTraffic::Transpose => Err(fault("an even power of 2 of them")),
        // The digits of one number to the base of all nodes: the next node, and the first after the last.
        OpenTraffic::Neighbour => Ok(format!("neighbor({{{nodes},1,1}})")),
        _ => Err(fault("uniform, bit-reversal, transpose, shuffle, neighbour or complement")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_its_lexer_reads() {
        assert_eq!(name("8x8.cfg.anynet").unwrap(), "./8x8.cfg.anynet");
        assert_eq!(name("/srv/a.anynet").unwrap(), "/srv/a.anynet");
        for bad in ["", "my net", "a;b", "netz\u{e4}"] {
            assert!(matches!(name(bad), Err(BooksimFault::Name { .. })), "{bad}");
        }
    }

    #[test]
    fn parts_that_are_apart_are_found() {
        assert_eq!(apart(0, &[]), None);
        assert_eq!(apart(1, &[]), None);
        assert_eq!(apart(4, &[(0, 2), (2, 3), (1, 3)]), None);
        assert_eq!(apart(4, &[(0, 2), (1, 3)]), Some(1));
    }

    #[test]
    fn names_and_numbers_of_nodes_are_its_own() {
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
            let told = traffic_name(traffic, nodes).unwrap_err().to_string();
            assert!(told.ends_with("was expected"), "{told}");
        }
    }
}
