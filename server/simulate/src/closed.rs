//! Collective operations: every node repeats a program of sends and waits, and the whole is timed.
//!
//! Total bandwidth follows section 3 of the topology paper: the bits of all messages, divided by the time from the first
//! start to the last end. Nodes start the next round by themselves, without barriers.

use crate::{
    Observer, SimulateError,
    core::{Core, Frame, Made, NONE, Setup, Source},
    measure::{Window, busiest, loads},
    network::{Network, reference_speed},
    open::placed,
    routes::{Chooser, Routes},
    run::{End, run},
};
use shared::{
    fabric::{Fabric, Routing},
    simulation::{ClosedResult, Collective, Full, Settings, SimulationProgress, TrafficFault},
};

/// Frames that a host keeps queued per NIC.
const READY: u32 = 2;

/// A collective operation on a fabric.
#[derive(Clone, Copy)]
pub struct Closed<'a> {
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
    /// Bytes per message, sent as full frames and one for the rest.
    pub message: u64,
    /// Number of repetitions.
    pub rounds: u32,
    /// Random seed.
    pub seed: u64,
}

/// Simulates a collective operation to its end. A deadlock is part of the result. After a cancellation the result covers the
/// simulated cycles.
///
/// # Errors
/// Returned for invalid settings, fabric or numbers, and for a pair without a path.
pub fn collective(closed: &Closed, observer: &dyn Observer) -> Result<ClosedResult, SimulateError> {
    check(closed)?;
    let Closed { fabric, routing, settings, .. } = *closed;
    let network = Network::new(fabric, settings)?;
    let window = Window { from: 0, end: u64::MAX };
    let routes = Routes::new(routing, settings.paths, fabric.hosts);
    let lengths = vec![settings.frame(), last_frame(settings, closed.message)];
    let mut core = Core::new(Setup { network: &network, routes, settings, window, lengths });
    let mut programs = Programs::new(closed);
    (0..closed.nodes).for_each(|node| core.wake(node, 0));
    let end = run(&mut core, fabric, &mut programs, u64::MAX, observer)?;
    let cycles = core.counts.last + 1;
    let bits = 8.0 * programs.delivered as f64 * closed.message as f64;
    let reference = reference_speed(fabric, settings);
    let load = loads(&network, &core.counts.sent, cycles as f64);
    Ok(ClosedResult {
        message: closed.message,
        rounds: closed.rounds,
        cycles,
        bandwidth: bits / cycles as f64 * f64::from(reference) / f64::from(8 * settings.flit_bytes),
        latency: core.counts.latency.latency(),
        received: core.counts.received,
        flit_hops: core.counts.flit_hops,
        busiest: busiest(fabric, &load),
        load,
        complete: programs.done == closed.nodes,
        deadlock: if let End::Deadlock(deadlock) = end { Some(deadlock) } else { None },
    })
}

/// Number of messages per round.
pub fn messages(collective: Collective, nodes: u32) -> u64 {
    let nodes = u64::from(nodes);
    match collective {
        Collective::AllToAll | Collective::AllToAllPhases => nodes * (nodes - 1),
        Collective::OneToAll | Collective::OneToAllTree | Collective::AllToOne => nodes - 1,
        Collective::Exchange => nodes,
    }
}

/// Number of frames per message.
pub fn frames(settings: &Settings, message: u64) -> u64 {
    message.div_ceil(u64::from(settings.payload) * u64::from(settings.flit_bytes))
}

fn last_frame(settings: &Settings, message: u64) -> u32 {
    let full = u64::from(settings.payload) * u64::from(settings.flit_bytes);
    let rest = message - (frames(settings, message) - 1) * full;
    settings.header + rest.div_ceil(settings.flit_bytes.into()) as u32
}

/// Checks the settings of a collective operation.
///
/// # Errors
/// Returned for invalid settings or numbers.
pub fn check(closed: &Closed) -> Result<(), SimulateError> {
    let Closed { fabric, settings, collective, nodes, message, rounds, .. } = *closed;
    settings.check().map_err(SimulateError::Settings)?;
    if nodes > fabric.hosts {
        return Err(SimulateError::Nodes(nodes, fabric.hosts));
    }
    let fault = |accepted: &str| {
        Err(SimulateError::Traffic(TrafficFault {
            name: collective.to_string(),
            accepted: format!("{accepted}; there are {nodes}"),
        }))
    };
    if nodes < 2 {
        return fault("two or more nodes");
    }
    if collective == Collective::Exchange && !nodes.is_multiple_of(2) {
        return fault("an even number of nodes");
    }
    if settings.full == Full::Drop {
        return Err(SimulateError::Lossy);
    }
    if message == 0 || frames(settings, message) > u64::from(u32::MAX) {
        return Err(SimulateError::Message(message));
    }
    if rounds == 0 { Err(SimulateError::Rounds) } else { Ok(()) }
}

/// Position of a node in its program.
#[derive(Clone, Debug, Default)]
struct Place {
    round: u32,
    op: u32,
    /// Frames of the current message that are not queued yet, and its number; `None` between messages.
    unsent: u32,
    message: Option<u32>,
    /// Frames in its source queues.
    queued: u32,
    received: u64,
}

#[derive(Clone, Debug)]
struct Message {
    frames: u32,
    to: u32,
    round: u32,
    phase: u32,
    next: u32,
}

struct Programs<'a> {
    closed: Closed<'a>,
    frames: u32,
    hosts: Vec<u32>,
    nodes: Vec<u32>,
    limits: Vec<u32>,
    choosers: Vec<Chooser>,
    places: Vec<Place>,
    messages: Vec<Message>,
    unused: u32,
    /// One bit per node and phase of this round and the next, set when received. Empty without phases.
    phases: Vec<u64>,
    words: usize,
    /// Nodes that have completed all rounds.
    done: u32,
    /// Messages received completely.
    delivered: u64,
}

impl<'a> Programs<'a> {
    fn new(closed: &Closed<'a>) -> Self {
        let Closed { fabric, settings, nodes, .. } = *closed;
        let hosts = placed(settings, nodes, fabric.hosts, closed.seed);
        let mut node_of = vec![NONE; fabric.hosts as usize];
        for (node, &host) in (0..).zip(&hosts) {
            node_of[host as usize] = node;
        }
        let mut limits = vec![0; fabric.hosts as usize];
        for end in fabric.links.iter().flat_map(|link| link.ends) {
            if let Some(limit) = limits.get_mut(end as usize) {
                *limit += READY;
            }
        }
        let choosers =
            hosts.iter().map(|&host| Chooser::new(settings.paths, fabric.hosts, host, closed.seed));
        let phased = closed.collective == Collective::AllToAllPhases;
        let words = if phased { (nodes as usize).div_ceil(64) } else { 0 };
        Programs {
            closed: *closed,
            frames: frames(settings, closed.message) as u32,
            choosers: choosers.collect(),
            hosts,
            nodes: node_of,
            limits,
            places: vec![Place::default(); nodes as usize],
            messages: Vec::new(),
            unused: NONE,
            phases: vec![0; 2 * words * nodes as usize],
            words,
            done: 0,
            delivered: 0,
        }
    }

    /// Runs a node's program until it has to wait.
    fn step(&mut self, core: &mut Core, node: u32) -> Result<(), SimulateError> {
        let Closed { collective, nodes, rounds, .. } = self.closed;
        while self.places[node as usize].round < rounds {
            let place = &mut self.places[node as usize];
            match op(collective, nodes, node, place.op) {
                Op::Send { to, phase } => {
                    if !self.send(core, node, to, phase)? {
                        return Ok(());
                    }
                }
                Op::Await(count) => {
                    if place.received < u64::from(count) * (u64::from(place.round) + 1) {
                        return Ok(());
                    }
                    place.op += 1;
                }
                Op::AwaitPhase(phase) => {
                    let (word, bit) = self.phase(node, self.places[node as usize].round, phase);
                    if self.phases[word] & bit == 0 {
                        return Ok(());
                    }
                    self.phases[word] &= !bit;
                    self.places[node as usize].op += 1;
                }
                Op::End => {
                    (place.op, place.round) = (0, place.round + 1);
                    self.done += u32::from(place.round == rounds);
                }
            }
        }
        Ok(())
    }

    /// Queues frames of a message while the queues are short. Returns `true` once all are queued.
    fn send(&mut self, core: &mut Core, node: u32, to: u32, phase: u32) -> Result<bool, SimulateError> {
        let message = match self.places[node as usize].message {
            Some(message) => message,
            None => self.begin(node, to, phase),
        };
        let (from, limit) = (self.hosts[node as usize], self.limits[self.hosts[node as usize] as usize]);
        while self.places[node as usize].unsent > 0 && self.places[node as usize].queued < limit {
            let place = &mut self.places[node as usize];
            place.unsent -= 1;
            place.queued += 1;
            let length = u8::from(place.unsent == 0);
            let to = self.hosts[to as usize];
            let choice = self.choosers[node as usize].choose(&core.routes, from, to);
            core.inject(Made { born: core.now, from, to, choice, length, tag: message })?;
        }
        let place = &mut self.places[node as usize];
        let all = place.unsent == 0;
        if all {
            (place.op, place.message) = (place.op + 1, None);
        }
        Ok(all)
    }

    fn begin(&mut self, node: u32, to: u32, phase: u32) -> u32 {
        let place = &mut self.places[node as usize];
        let message = Message { frames: self.frames, to, round: place.round, phase, next: NONE };
        let number = match self.unused {
            NONE => {
                self.messages.push(message);
                self.messages.len() as u32 - 1
            }
            number => {
                self.unused = std::mem::replace(&mut self.messages[number as usize], message).next;
                number
            }
        };
        (place.unsent, place.message) = (self.frames, Some(number));
        number
    }

    /// Word and bit of a received phase. No node is more than one round ahead of a node that waits for it.
    fn phase(&self, node: u32, round: u32, phase: u32) -> (usize, u64) {
        let row = 2 * node as usize + round as usize % 2;
        (row * self.words + phase as usize / 64, 1 << (phase % 64))
    }
}

impl Source for Programs<'_> {
    const WANTS_RECEIVED: bool = true;

    fn progress(&self, core: &Core) -> Option<SimulationProgress> {
        let Closed { collective, nodes, rounds, .. } = self.closed;
        let all = messages(collective, nodes) as f64 * f64::from(rounds);
        Some(SimulationProgress {
            share: Some(self.delivered as f64 / all),
            loads: Vec::new(),
            cycles: core.now,
            messages: self.delivered,
            rounds: self.places.iter().map(|place| place.round).min().unwrap_or(0),
        })
    }

    fn wake(&mut self, core: &mut Core, node: u32) -> Result<(), SimulateError> {
        self.step(core, node)
    }

    fn left(&mut self, core: &mut Core, channel: u32) -> Result<(), SimulateError> {
        let node = self.nodes[core.network.from[channel as usize] as usize];
        self.places[node as usize].queued -= 1;
        self.step(core, node)
    }

    fn received(&mut self, core: &mut Core, frame: &Frame) -> Result<(), SimulateError> {
        let message = &mut self.messages[frame.tag as usize];
        message.frames -= 1;
        if message.frames > 0 {
            return Ok(());
        }
        let Message { to, round, phase, .. } = *message;
        message.next = std::mem::replace(&mut self.unused, frame.tag);
        self.delivered += 1;
        self.places[to as usize].received += 1;
        if self.words > 0 {
            let (word, bit) = self.phase(to, round, phase);
            self.phases[word] |= bit;
        }
        self.step(core, to)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Send {
        to: u32,
        phase: u32,
    },
    /// Wait until this many messages have arrived in the round, from any node.
    Await(u32),
    /// Wait for the message of a phase.
    AwaitPhase(u32),
    End,
}

/// Operation number `at` of a node's program.
pub(crate) fn op(collective: Collective, nodes: u32, node: u32, at: u32) -> Op {
    let send = |to| Op::Send { to, phase: 0 };
    match collective {
        // Each node starts with its neighbour; if all started with node 0, they would queue for it.
        Collective::AllToAll if at < nodes - 1 => send((node + 1 + at) % nodes),
        Collective::AllToAll if at == nodes - 1 => Op::Await(nodes - 1),
        Collective::AllToAllPhases => in_phases(nodes, node, at),
        Collective::OneToAll if node == 0 && at < nodes - 1 => send(at + 1),
        Collective::OneToAll if node > 0 && at == 0 => Op::Await(1),
        Collective::OneToAllTree => along_tree(nodes, node, at),
        Collective::AllToOne if node == 0 && at == 0 => Op::Await(nodes - 1),
        Collective::AllToOne if node > 0 && at == 0 => send(0),
        Collective::Exchange if at == 0 => {
            send(if node < nodes / 2 { node + nodes / 2 } else { node - nodes / 2 })
        }
        Collective::Exchange if at == 1 => Op::Await(1),
        _ => Op::End,
    }
}

/// All-to-all in phases: each pair meets once. The lower node of a pair sends first, the higher one after receiving.
fn in_phases(nodes: u32, node: u32, at: u32) -> Op {
    let phases = nodes - 1 + nodes % 2;
    let phase = at / 2;
    if phase >= phases {
        return Op::End;
    }
    match partner(nodes, node, phase) {
        // With an odd number of nodes, one node pauses in each phase.
        None => Op::Await(0),
        Some(to) if (node < to) == at.is_multiple_of(2) => Op::Send { to, phase },
        Some(_) => Op::AwaitPhase(phase),
    }
}

/// Partner of a node in a phase, by the circle method of round-robin tournaments.
fn partner(nodes: u32, node: u32, phase: u32) -> Option<u32> {
    let circle = nodes - 1 + nodes % 2;
    let even = nodes.is_multiple_of(2);
    if even && node == circle {
        // The node that would meet itself (2q = phase) meets the node outside the circle.
        let half = u64::from(circle).div_ceil(2);
        return Some((u64::from(phase) * half % u64::from(circle)) as u32);
    }
    let to = (phase + circle - node) % circle;
    match to == node {
        false => Some(to),
        true => even.then_some(circle),
    }
}

/// Binomial tree: node p > 0 receives from p without its highest bit, then sends to p + 2^j for every 2^j above that bit.
fn along_tree(nodes: u32, node: u32, at: u32) -> Op {
    let waits = u32::from(node > 0);
    if at < waits {
        return Op::Await(1);
    }
    let bit = 32 - node.leading_zeros() + at - waits;
    match 1u32.checked_shl(bit).and_then(|bit| node.checked_add(bit)) {
        Some(to) if to < nodes => Op::Send { to, phase: 0 },
        _ => Op::End,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn sends(collective: Collective, nodes: u32) -> Vec<(u32, u32)> {
        let ops = |node| (0..).map(move |at| op(collective, nodes, node, at)).take_while(|op| *op != Op::End);
        let to = |op| if let Op::Send { to, .. } = op { Some(to) } else { None };
        (0..nodes).flat_map(|node| ops(node).filter_map(to).map(move |to| (node, to))).collect()
    }

    #[test]
    fn every_node_sends_to_every_other_once() {
        for collective in [Collective::AllToAll, Collective::AllToAllPhases] {
            for nodes in 2..20 {
                let sends = sends(collective, nodes);
                let pairs: BTreeSet<_> =
                    sends.iter().copied().filter(|(a, b)| a != b && *b < nodes).collect();
                assert_eq!((sends.len(), pairs.len()), (pairs.len(), (nodes * (nodes - 1)) as usize));
            }
        }
    }

    #[test]
    fn partners_are_mutual() {
        for nodes in 2..20 {
            for (node, phase) in
                (0..nodes).flat_map(|node| (0..nodes - 1 + nodes % 2).map(move |k| (node, k)))
            {
                let partner = super::partner(nodes, node, phase);
                assert!(
                    partner.is_none_or(|p| super::partner(nodes, p, phase) == Some(node)),
                    "{node} of {nodes}"
                );
                assert!(partner.is_some() || nodes % 2 == 1);
            }
        }
    }

    #[test]
    fn a_tree_reaches_every_node_once() {
        for nodes in 2..40 {
            let sends = sends(Collective::OneToAllTree, nodes);
            let reached: BTreeSet<_> = sends.iter().map(|(_, to)| *to).collect();
            assert_eq!((sends.len(), reached.len()), (nodes as usize - 1, nodes as usize - 1));
            assert!(sends.iter().all(|(from, to)| from < to && to - from == 1 << to.ilog2()));
        }
    }
}
