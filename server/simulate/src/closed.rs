//! Collective operations: every node repeats a program of sends and waits, and the whole is timed.
//!
//! Groups of nodes run the operation at the same time, each for itself, beside background traffic.
//! Total bandwidth follows Etsion et al. 2000, section 3: the bits of all messages, divided by the time from the first
//! start to the last end. Nodes start the next round by themselves, without barriers.

mod background;
mod members;
mod node;
mod programs;

pub(crate) use programs::Program;

use crate::{
    Destinations, Observer, OpenInput, SimulateError,
    core::{Core, Setup},
    max_load,
    measure::{Window, busiest, loads},
    network::{Network, reference_speed},
    paths::PathTable,
    run::{End, run},
};
use members::Members;
use network::fabric::{Fabric, Routing};
use spec::form::says;
use std::collections::BTreeSet;
use work::simulation::{
    ClosedResult, Collective, Completion, FullBufferRule, GroupTime, Settings, TrafficFault,
};

/// A collective operation on a fabric.
#[derive(Clone, Copy)]
pub struct ClosedInput<'a> {
    /// The network.
    pub fabric: &'a Fabric,
    /// Paths of the network.
    pub routing: &'a dyn Routing,
    /// Settings of the simulation; `cycles` and `ignored` are not used.
    pub settings: &'a Settings,
    /// Operation.
    pub collective: Collective,
    /// Number of participating nodes, up to the number of hosts.
    pub nodes: u32,
    /// Bytes per message, sent as full frames and one for the rest; of the buffer where [`Collective`] divides it.
    pub message: u64,
    /// Number of repetitions.
    pub rounds: u32,
    /// Random seed.
    pub seed: u64,
}

/// A collective operation in groups of nodes at the same time, beside background traffic.
#[derive(Clone, Copy)]
pub struct GroupedInput<'a> {
    /// The operation of each group.
    pub closed: ClosedInput<'a>,
    /// Nodes of each group, all different, in the order of their ranks. A node may be in several groups.
    pub groups: &'a [Vec<u32>],
    /// Traffic beside it.
    pub background: Option<Background<'a>>,
}

/// Traffic at an offered load, from the start of an operation to its end.
#[derive(Clone, Copy)]
pub struct Background<'a> {
    /// Destinations of each node, up to as many as the operation has.
    pub traffic: &'a Destinations,
    /// Offered load in flits per cycle and sending node.
    pub load: f64,
}

/// Simulates a collective operation of all nodes to its end. A deadlock is part of the result. After a cancellation the result
/// covers the simulated cycles.
///
/// # Errors
/// Returned for invalid settings, fabric or numbers, and for a pair without a path.
pub fn collective(closed: &ClosedInput, observer: &dyn Observer) -> Result<ClosedResult, SimulateError> {
    let groups = [(0..closed.nodes).collect()];
    collective_in_groups(&GroupedInput { closed: *closed, groups: &groups, background: None }, observer)
}

/// Simulates a collective operation in groups to the end of the last one, as [`collective`] does.
///
/// # Errors
/// Returned for invalid settings, fabric, groups or numbers, and for a pair without a path.
pub fn collective_in_groups(
    grouped: &GroupedInput,
    observer: &dyn Observer,
) -> Result<ClosedResult, SimulateError> {
    check(grouped)?;
    let ClosedInput { fabric, routing, settings, message, rounds, .. } = grouped.closed;
    let network = Network::new(fabric, settings)?;
    let window = Window { from: 0, end: u64::MAX };
    let routes = PathTable::new(routing, settings.paths, fabric.hosts);
    let (mut members, lengths) = Members::new(grouped);
    let mut core = Core::new(Setup { network: &network, routes, settings, window, lengths });
    members.start(&mut core);
    let end = run(&mut core, fabric, &mut members, u64::MAX, observer)?;
    let until = core.now.max(core.counts.last) + 1;
    // An operation that did not complete has taken all simulated cycles so far.
    let cycles = if members.is_complete() { core.counts.last + 1 } else { until };
    let reference = f64::from(reference_speed(fabric, settings));
    let speed = |bytes: f64, cycles: u64| bytes / cycles as f64 * reference / f64::from(settings.flit_bytes);
    let load = loads(&network, &core.counts.sent, cycles as f64);
    let groups = members.times();
    let (completion, slowest) = completion(&groups).unzip();
    let [algorithm_bandwidth, bus_bandwidth] = bandwidths(&grouped.closed, slowest, speed);
    Ok(ClosedResult {
        message,
        rounds,
        cycles,
        bandwidth: speed(members.bytes as f64, cycles),
        complete: completion.is_some(),
        completion,
        groups,
        algorithm_bandwidth,
        bus_bandwidth,
        background: members.background.map(|background| background.result(settings.frame(), until)),
        latency: core.counts.latency.latency(),
        received: core.counts.received,
        flit_hops: core.counts.flit_hops,
        busiest: busiest(fabric, &load),
        load,
        deadlock: if let End::Deadlock(deadlock) = end { Some(deadlock) } else { None },
    })
}

/// Completion times, and the slowest group, the first of several; `None` if a group did not complete.
fn completion(groups: &[GroupTime]) -> Option<(Completion, GroupTime)> {
    let mut times = groups.iter().map(|group| Some((group.cycles?, *group))).collect::<Option<Vec<_>>>()?;
    times.sort_by_key(|(cycles, _)| *cycles);
    let at = |index: usize| times.get(index).map(|(cycles, _)| *cycles);
    let slowest = at(times.len().checked_sub(1)?)?;
    let of = times.partition_point(|(cycles, _)| *cycles < slowest);
    let completion = Completion {
        groups: times.len() as u32,
        fastest: at(0)?,
        median: at((times.len() - 1) / 2)?,
        slowest,
    };
    Some((completion, times[of].1))
}

/// Algorithm and bus bandwidth of a group in the unit of `speed`, as nccl-tests defines them (`doc/PERFORMANCE.md`).
fn bandwidths(
    closed: &ClosedInput,
    group: Option<GroupTime>,
    speed: impl Fn(f64, u64) -> f64,
) -> [Option<f64>; 2] {
    let passes = match closed.collective {
        Collective::AllReduceRing | Collective::AllReduceTree | Collective::AllReduceHierarchical { .. } => {
            2.0
        }
        Collective::ReduceScatter | Collective::AllGather => 1.0,
        _ => return [None; 2],
    };
    let Some(GroupTime { nodes, cycles: Some(cycles), .. }) = group else { return [None; 2] };
    let algorithm = speed(closed.message as f64 * f64::from(closed.rounds), cycles);
    [algorithm, algorithm * passes * f64::from(nodes - 1) / f64::from(nodes)].map(Some)
}

/// Number of messages per round of a group; slices along trees count as one.
pub fn messages(collective: Collective, nodes: u32) -> u64 {
    Program::new(collective, nodes, 0, &Settings::default()).messages()
}

/// Number of frames of so many bytes.
pub fn frames(settings: &Settings, bytes: u64) -> u64 {
    bytes.div_ceil(u64::from(settings.payload) * u64::from(settings.flit_bytes))
}

/// Flits of the payload of the last frame of so many bytes, at least 1.
fn last_payload(settings: &Settings, bytes: u64) -> u32 {
    let full = u64::from(settings.payload) * u64::from(settings.flit_bytes);
    let rest = bytes - (frames(settings, bytes) - 1) * full;
    rest.div_ceil(settings.flit_bytes.into()) as u32
}

/// Checks a collective operation in groups.
///
/// # Errors
/// Returned for invalid settings, groups or numbers.
pub fn check(grouped: &GroupedInput) -> Result<(), SimulateError> {
    let GroupedInput { closed, groups, background } = *grouped;
    let ClosedInput { fabric, routing, settings, nodes, message, rounds, seed, .. } = closed;
    settings.check().map_err(SimulateError::Settings)?;
    let last = groups.iter().flatten().max().map_or(0, |last| last + 1);
    let senders = background.map_or(0, |background| background.traffic.nodes());
    if nodes > fabric.hosts || last.max(senders) > nodes {
        return Err(SimulateError::Nodes(nodes.max(last).max(senders), fabric.hosts));
    }
    let mut sizes: BTreeSet<usize> = groups.iter().map(Vec::len).collect();
    if sizes.is_empty() {
        sizes.insert(0);
    }
    for size in sizes {
        check_size(&closed, size as u32, groups.len() > 1)?;
    }
    if settings.full == FullBufferRule::Drop {
        return Err(SimulateError::Lossy);
    }
    if message == 0 || frames(settings, message) > u64::from(u32::MAX) {
        return Err(SimulateError::Message(message));
    }
    if let Some(Background { traffic, load }) = background {
        let most = max_load(&OpenInput { fabric, routing, settings, traffic, seed });
        if !(load > 0.0 && load <= most) {
            return Err(SimulateError::Load(load, most));
        }
    }
    if rounds == 0 { Err(SimulateError::Rounds) } else { Ok(()) }
}

/// Checks that the operation fits groups of `size` nodes.
fn check_size(closed: &ClosedInput, size: u32, several: bool) -> Result<(), SimulateError> {
    let ClosedInput { collective, message, .. } = *closed;
    let fault = |accepted: &str| {
        let there = if several { format!("groups have {size}") } else { format!("there are {size}") };
        let sentence = format!("{collective} needs {accepted}; {there}.");
        Err(SimulateError::Traffic(TrafficFault { name: collective.to_string(), advice: says(sentence) }))
    };
    if size < 2 {
        return fault("two or more nodes");
    }
    match collective {
        Collective::Exchange if !size.is_multiple_of(2) => return fault("an even number of nodes"),
        Collective::AllReduceHierarchical { size: part } if part < 2 || !size.is_multiple_of(part) => {
            return fault("subgroups of 2 or more nodes that divide the nodes");
        }
        _ => {}
    }
    let divided = Program::new(collective, size, message, closed.settings).divisions() != [1];
    if divided && message < size.into() { Err(SimulateError::Chunks(message, size)) } else { Ok(()) }
}
