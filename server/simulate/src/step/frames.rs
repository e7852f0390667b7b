//! The frame-level check of the fluid model: the same transfers, scaled down, frame by frame.

use super::phases::{Flow, Network, directions};
use crate::{
    Observer, SimulateError,
    open::{TraceFrame, trace},
};
use analysis::analysis::library::{Library, SwitchRule};
use network::{compare::Market, fabric::Routing};
use spec::{
    cancel::{self, checked},
    demand::collective::Transfer,
    random::mix_pair,
};
use std::collections::BTreeMap;
use work::{
    estimate::{DOUBTFUL, FrameCheck, timing::Lane},
    simulation::{FullBufferRule, Paths, Queue, Settings},
};

/// Frames times channels.
const WORK: f64 = 1.2e6;
/// Times as much work if the ratio is doubtful.
const AGAIN: f64 = 3.0;
/// Max frames of the largest transfer.
const MAX_FRAMES: f64 = 1024.0;
/// Numbers of frames above are multiples of this: as many go over every NIC, and almost as many over every uplink.
const EVEN: f64 = 128.0;
/// Bytes of a flit, and flits of a frame's payload: frames of 4 KiB, as with RDMA.
const FLIT: u32 = 64;
const PAYLOAD: u32 = 64;
/// Frames that a switch, or a forwarding host, has room for at each incoming link.
const BUFFER: u32 = 64;
const SEED: u64 = 1;
/// Limit of the settings; no check lasts that long.
const MAX_CYCLES: u64 = 1_000_000_000_000;

/// Paths that the job's library uses.
struct LibraryPaths {
    /// Channels of each path of a pair, a path as often as its share of the bytes asks for.
    of: BTreeMap<[u32; 2], Vec<Vec<u32>>>,
}

impl LibraryPaths {
    fn of(network: &Network, rule: &SwitchRule, phase: &[Vec<Transfer>]) -> LibraryPaths {
        let mut of = BTreeMap::new();
        for (ends, _) in checked(phase.iter().flatten().flat_map(directions)) {
            of.entry(ends).or_insert_with(|| paths(network, rule, ends));
        }
        LibraryPaths { of }
    }
}

/// The paths between two hosts. Shares are those of devices, each on one or two switches, or over the paths between two.
fn paths(network: &Network, rule: &SwitchRule, ends: [u32; 2]) -> Vec<Vec<u32>> {
    let route = rule.route(ends[0], ends[1]);
    let through = |&(switch, share): &(u32, f64)| {
        let mut channels = Vec::new();
        network.paths.split_through(ends, switch, |channel, _| channels.push(channel));
        (vec![channels], share)
    };
    let over = |&(switches, share): &([u32; 2], f64)| (network.paths.paths_over(ends, switches), share);
    let parts: Vec<(Vec<Vec<u32>>, f64)> =
        route.switches.iter().map(through).chain(route.over.iter().map(over)).collect();
    let each = match rule.library() {
        Library::Nccl => 2 * route.devices as usize,
        Library::Mpi | Library::Any => parts.len(),
    };
    let most = parts.iter().map(|(paths, _)| paths.len()).max().unwrap_or(0);
    // A transfer of few frames takes paths of all parts in turn, and begins where others do not.
    let begin = mix_pair(ends[0], ends[1]) as usize;
    let mut all: Vec<(f64, Vec<u32>)> = Vec::new();
    for (paths, share) in parts {
        let times = (share * (each * most) as f64 / paths.len().max(1) as f64).round() as usize;
        let own = (times * paths.len()) as f64;
        let turn =
            |number: usize| ((number as f64 + 0.5) / own, paths[(begin + number) % paths.len()].clone());
        all.extend((0..times * paths.len()).map(turn));
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.into_iter().map(|(_, path)| path).collect()
}

impl Routing for LibraryPaths {
    fn choices(&self, from: u32, to: u32) -> u32 {
        self.of.get(&[from, to]).map_or(0, Vec::len) as u32
    }

    fn path(&self, from: u32, to: u32, choice: u32, channels: &mut Vec<u32>) {
        let path = self.of.get(&[from, to]).and_then(|paths| paths.get(choice as usize));
        path.into_iter().for_each(|path| channels.extend(path));
    }
}

/// Stops with the task that it runs in.
struct Task;

impl Observer for Task {
    fn is_cancelled(&self) -> bool {
        cancel::check();
        false
    }
}

/// Simulates the longest phase of a lane, by the seconds of each, and compares the last arrival, without the latency of its
/// path, with the fluid model. The frames of a pair take its shortest paths, or those that the job's library uses, in turn, through
/// switches with shared buffers.
///
/// # Errors
/// The simulator does not take the network or the market's delays.
pub(super) fn check(
    network: &Network,
    lane: &Lane,
    flows: &[Flow],
    market: &Market,
) -> Result<FrameCheck, SimulateError> {
    let phases = flows.iter().zip(&lane.phases);
    let longest = phases.max_by(|a, b| a.0.seconds.total_cmp(&b.0.seconds)).map(|(_, phase)| phase);
    let phase = longest.map_or(&[][..], Vec::as_slice);
    let first = simulated(network, phase, WORK, market)?;
    let mut ratio = first.by_frames.map(|taken| taken / first.fluid);
    let mut frames = first.frames;
    if ratio.is_some_and(|ratio| ratio > DOUBTFUL) {
        // Of few frames, some links have many by chance, which does not grow with their number: the difference is without it.
        let second = simulated(network, phase, AGAIN * WORK, market)?;
        if second.frames > first.frames {
            let longer = second.by_frames.zip(first.by_frames).map(|(second, first)| second - first);
            ratio = longer.map(|longer| longer / (second.fluid - first.fluid));
            frames = second.frames;
        }
    }
    Ok(FrameCheck { dimension: lane.label.into(), ratio, frames })
}

/// Seconds of the same transfers by both means.
struct TransferTimes {
    /// `None` after a deadlock.
    by_frames: Option<f64>,
    fluid: f64,
    frames: u64,
}

/// Simulates a phase with about `work` frames times channels.
fn simulated(
    network: &Network,
    phase: &[Vec<Transfer>],
    work: f64,
    market: &Market,
) -> Result<TransferTimes, SimulateError> {
    let frames = scaled(network, phase, work);
    let fastest = network.fabric.links.iter().map(|link| link.speed).max().unwrap_or(1);
    let cycle = f64::from(8 * FLIT) / (f64::from(fastest) * 1e6);
    let settings = settings(market, cycle);
    let sent = sent(&frames);
    let chosen = network.rule.as_ref().map(|rule| LibraryPaths::of(network, rule, &frames));
    let routing: &dyn Routing = chosen.as_ref().map_or(&network.paths, |chosen| chosen);
    let arrival = trace(network.fabric, routing, &settings, &sent, SEED, &Task)?;
    let arrived: Option<Vec<u64>> = arrival.arrived.iter().copied().collect();
    let alone = |sent: &TraceFrame| {
        let hops = network.paths.hops(sent.from, sent.to).unwrap_or_default();
        let links = (hops.hosts + hops.switches + 1) * settings.link_delay;
        u64::from(links + hops.switches * settings.routing_delay + hops.hosts * settings.host_delay)
    };
    let cycles = arrived
        .filter(|_| arrival.deadlock.is_none())
        .and_then(|ends| ends.iter().zip(&sent).map(|(&end, sent)| end.saturating_sub(alone(sent))).max());
    let bytes = |count: f64| count * f64::from(settings.frame() * FLIT);
    let of = |transfer: &Transfer| Transfer { bytes: transfer.bytes.map(bytes), ..*transfer };
    let whole: Vec<Vec<Transfer>> = frames.iter().map(|group| group.iter().map(of).collect()).collect();
    // Frames fill links; the model's messages do not.
    let fluid = network.plain(&whole) * network.efficiency;
    let by_frames = cycles.map(|cycles| cycles as f64 * cycle);
    Ok(TransferTimes { by_frames, fluid, frames: sent.len() as u64 })
}

/// The transfers of a phase with numbers of frames instead of bytes, at least 1 each; `work` is frames times channels.
fn scaled(network: &Network, phase: &[Vec<Transfer>], work: f64) -> Vec<Vec<Transfer>> {
    let flows = || phase.iter().flatten().flat_map(directions);
    let largest = flows().map(|flow| flow.1).fold(0.0, f64::max);
    let links = |[from, to]: [u32; 2]| {
        network.paths.hops(from, to).map_or(0.0, |hops| f64::from(hops.hosts + hops.switches + 1))
    };
    let whole: f64 = flows().map(|(ends, bytes)| bytes / largest * links(ends)).sum();
    let most = (work / whole).clamp(1.0, MAX_FRAMES).floor();
    let most = if most > EVEN { most - most % EVEN } else { most };
    let frames = |bytes: f64| if bytes > 0.0 { (bytes / largest * most).round().max(1.0) } else { 0.0 };
    let of = |transfer: &Transfer| Transfer { bytes: transfer.bytes.map(frames), ..*transfer };
    phase.iter().map(|group| group.iter().map(of).collect()).collect()
}

/// All frames; every host takes its transfers in turn.
fn sent(frames: &[Vec<Transfer>]) -> Vec<TraceFrame> {
    let flows = frames.iter().flatten().flat_map(directions);
    let mut left: Vec<([u32; 2], u64)> = flows.map(|(ends, count)| (ends, count as u64)).collect();
    let mut sent = Vec::new();
    while !left.is_empty() {
        cancel::check();
        left.retain_mut(|([from, to], count)| {
            sent.push(TraceFrame { cycle: 0, from: *from, to: *to });
            *count -= 1;
            *count > 0
        });
    }
    sent
}

fn settings(market: &Market, cycle: f64) -> Settings {
    let cycles = |microseconds: f64| (microseconds * 1e-6 / cycle).round() as u32;
    Settings {
        header: 1,
        payload: PAYLOAD,
        flit_bytes: FLIT,
        routing_delay: cycles(market.model.switch_latency),
        host_delay: cycles(market.model.host_latency),
        buffer: BUFFER,
        host_buffer: BUFFER,
        queue: Queue::Shared,
        full: FullBufferRule::Hold,
        cycles: MAX_CYCLES,
        ignored: 0,
        paths: Paths::Alternate,
        ..Settings::default()
    }
}
