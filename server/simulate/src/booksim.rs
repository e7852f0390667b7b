//! A simulation written out for BookSim 2, so that others can check: its `anynet` topology and a configuration.
//!
//! BookSim finds minimal paths by itself; a routing of ours cannot be told to it. Its `anynet` knows one link from a node to a
//! router and one between two routers, all of one speed.

use crate::Open;
use shared::{
    fabric::{Fabric, SwitchKind},
    simulation::OpenTraffic,
};
use std::fmt::Write as _;
use thiserror::Error;

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
    /// Several links at a host, or links between hosts.
    #[error(
        "BookSim's anynet has one link from each host to a switch; host {host} has {links} links to switches"
    )]
    Host {
        /// The host.
        host: u32,
        /// Its links to switches.
        links: u32,
    },
    /// Several links between two switches.
    #[error("BookSim's anynet has one link between two switches; switches {0} and {1} have several")]
    Parallel(u32, u32),
    /// Links of several speeds.
    #[error("BookSim's links have one speed; the fabric has several")]
    Speeds,
    /// A shared medium.
    #[error("BookSim has no hubs; switch {switch} is one")]
    Hub {
        /// Which.
        switch: u32,
    },
    /// Traffic it does not have.
    #[error(
        "BookSim has no traffic {name:?} for any network; uniform, bit-reversal, transpose, shuffle, complement or hot-spot was expected"
    )]
    Traffic {
        /// The traffic's name.
        name: String,
    },
}

/// Writes it out for the offered load; `network` is the name under which the topology will be found.
///
/// # Errors
/// What BookSim cannot simulate.
pub fn write(open: &Open, traffic: OpenTraffic, load: f64, network: &str) -> Result<Files, BooksimFault> {
    Ok(Files { network: topology(open)?, config: config(open, traffic, load, network)? })
}

fn topology(open: &Open) -> Result<String, BooksimFault> {
    let Open { fabric, settings, .. } = *open;
    check(fabric)?;
    let mut lines = vec![String::new(); fabric.switches.len()];
    for link in &fabric.links {
        let [a, b] = if link.ends[0] < link.ends[1] { link.ends } else { [link.ends[1], link.ends[0]] };
        let kind = if fabric.is_host(a) { "node" } else { "router" };
        let number = if fabric.is_host(a) { a } else { a - fabric.hosts };
        let _ = write!(lines[(b - fabric.hosts) as usize], " {kind} {number} {}", settings.link_delay);
    }
    let mut text = String::new();
    for (switch, line) in lines.iter().enumerate() {
        let _ = writeln!(text, "router {switch}{line}");
    }
    Ok(text)
}

fn check(fabric: &Fabric) -> Result<(), BooksimFault> {
    let mut links = vec![0; fabric.hosts as usize];
    let mut pairs = Vec::new();
    for link in &fabric.links {
        let (low, high) = (link.ends[0].min(link.ends[1]), link.ends[0].max(link.ends[1]));
        if fabric.is_host(high) {
            return Err(BooksimFault::Host { host: low, links: 0 });
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
    if fabric.links.windows(2).any(|two| two[0].speed != two[1].speed) {
        return Err(BooksimFault::Speeds);
    }
    match (0..).zip(&fabric.switches).find(|(_, switch)| switch.kind == SwitchKind::Hub) {
        Some((switch, _)) => Err(BooksimFault::Hub { switch }),
        None => Ok(()),
    }
}

fn config(open: &Open, traffic: OpenTraffic, load: f64, network: &str) -> Result<String, BooksimFault> {
    let settings = open.settings;
    let name = match traffic {
        OpenTraffic::Uniform => "uniform".into(),
        OpenTraffic::BitReversal => "bitrev".into(),
        OpenTraffic::Transpose => "transpose".into(),
        OpenTraffic::Shuffle => "shuffle".into(),
        OpenTraffic::Complement => "bitcomp".into(),
        OpenTraffic::HotSpot { node, share } => format!("hotspot({{{{{node}}},{{{share}}}}})"),
        _ => return Err(BooksimFault::Traffic { name: traffic.to_string() }),
    };
    let (cycles, ignored) = (settings.cycles - settings.ignored, settings.ignored);
    Ok(format!(
        "// Written by Crosspoint. BookSim finds its own minimal paths, and moves flits by wormhole switching with
// room for whole frames; its pipeline is not ours to the cycle. Where both have the same paths, saturation
// throughput is what can be compared.
topology = anynet;
network_file = {network};
routing_function = min;

traffic = {name};
injection_rate_uses_flits = 1;
injection_rate = {load};
packet_size = {frame};

num_vcs = 1;
vc_buf_size = {buffer};
wait_for_tail_credit = 0;
vc_allocator = islip;
sw_allocator = islip;
routing_delay = {routing};
vc_alloc_delay = 1;
sw_alloc_delay = 1;
st_final_delay = 1;
credit_delay = {credit};
hold_switch_for_packet = 1;

sim_type = latency;
warmup_periods = 1;
sample_period = {period};
max_samples = {samples};
latency_thres = 1000000.0;
seed = {seed};
",
        frame = settings.frame(),
        buffer = u64::from(settings.buffer) * u64::from(settings.frame()),
        routing = settings.routing_delay,
        credit = settings.credit_delay,
        period = ignored.max(1),
        samples = cycles.div_ceil(ignored.max(1)).max(1),
        // BookSim reads a signed number.
        seed = open.seed % (1 << 31),
    ))
}
