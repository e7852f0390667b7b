//! A plain model of the network: every flit, every cycle. Slow, and without any of the simulator's short cuts.

use network::fabric::{Fabric, Routing, SwitchKind};
use simulate::TraceFrame;
use std::collections::{BTreeMap, VecDeque};
use work::simulation::{FullBufferRule, Queue, Settings, Switching};

/// What became of the frames: when the last flit arrived, and how many were lost.
#[derive(Debug, PartialEq)]
pub struct Outcome {
    pub arrived: Vec<Option<u64>>,
    pub lost: u64,
}

/// A frame in a buffer.
#[derive(Clone)]
struct Stay {
    frame: usize,
    /// Place in the path of the channel it goes on by.
    at: usize,
    /// The cycle in which each flit that is here arrived.
    came: Vec<u64>,
    /// Since when it has been able to be routed.
    routed: Option<u64>,
    requested: Option<u64>,
    leaves: bool,
}

/// A frame that is being sent.
struct Sending {
    frame: usize,
    input: usize,
    at: usize,
    start: u64,
    flits: u64,
}

struct Flits<'a> {
    fabric: &'a Fabric,
    settings: &'a Settings,
    reference: u64,
    paths: Vec<Vec<u32>>,
    group: Vec<usize>,
    /// The slowest speed of each group.
    speed: Vec<u64>,
    /// Virtual channels, and the numbers of buffers per channel.
    lanes: usize,
    stride: usize,
    /// Virtual channel that each frame takes on each channel of its path.
    lane: Vec<Vec<usize>>,
    /// First cycle in which the crossbar input of each channel is free.
    port: Vec<u64>,
    /// Buffers of all virtual channels, then the source queues.
    inputs: Vec<VecDeque<Stay>>,
    room: Vec<i64>,
    /// Frames in the memory of each switch, and at each port of it.
    used: Vec<i64>,
    held: Vec<i64>,
    last: Vec<usize>,
    sending: Vec<Option<Sending>>,
    busy_until: Vec<u64>,
    /// By cycle: channel, frame, place in its path, flit.
    flying: BTreeMap<u64, Vec<(usize, usize, usize, u64)>>,
    /// By cycle: buffer, and the channel over which a frame left it.
    credits: BTreeMap<u64, Vec<(usize, usize)>>,
    /// The channel at whose end a frame was lost. Its flits may still be on channels before that.
    dropped: Vec<Option<usize>>,
    outcome: Outcome,
}

pub fn simulate(
    fabric: &Fabric,
    routing: &dyn Routing,
    settings: &Settings,
    frames: &[TraceFrame],
) -> Outcome {
    let mut flits = Flits::new(fabric, routing, settings, frames);
    let mut next = 0;
    for cycle in 0..settings.cycles {
        flits.arrive(cycle);
        while next < frames.len() && frames[next].cycle == cycle {
            flits.born(next, cycle);
            next += 1;
        }
        flits.route(cycle);
        for group in flits.order(cycle) {
            flits.arbitrate(group, cycle);
        }
        flits.send(cycle);
    }
    flits.outcome
}

impl<'a> Flits<'a> {
    fn new(
        fabric: &'a Fabric,
        routing: &dyn Routing,
        settings: &'a Settings,
        frames: &[TraceFrame],
    ) -> Flits<'a> {
        let channels = fabric.channels() as usize;
        let group = groups(fabric, settings.half_duplex_hosts);
        let mut speed = vec![u64::MAX; channels];
        for channel in 0..channels {
            let speed = &mut speed[group[channel]];
            *speed = (*speed).min(fabric.links[channel / 2].speed.into());
        }
        let fastest = fabric.links.iter().map(|link| link.speed).max().unwrap();
        let lanes = settings.virtual_channels as usize;
        let stride = lanes.next_power_of_two();
        let room = |buffer: usize| {
            let to = fabric.channel_ends((buffer / stride) as u32).1;
            i64::from(if fabric.is_host(to) { settings.host_buffer } else { settings.buffer })
        };
        let path = |sent: &TraceFrame| {
            let mut path = Vec::new();
            routing.path(sent.from, sent.to, 0, &mut path);
            path
        };
        let paths: Vec<Vec<u32>> = frames.iter().map(path).collect();
        Flits {
            fabric,
            settings,
            reference: settings.reference_speed.unwrap_or(fastest).into(),
            lanes,
            stride,
            lane: paths.iter().map(|path| vec![0; path.len()]).collect(),
            port: vec![0; channels],
            paths,
            group,
            speed,
            inputs: vec![VecDeque::new(); (stride + 1) * channels],
            room: (0..stride * channels).map(room).collect(),
            used: vec![0; fabric.nodes() as usize],
            held: vec![0; channels],
            last: vec![0; channels],
            sending: (0..channels).map(|_| None).collect(),
            busy_until: vec![0; channels],
            flying: BTreeMap::new(),
            credits: BTreeMap::new(),
            dropped: vec![None; frames.len()],
            outcome: Outcome { arrived: vec![None; frames.len()], lost: 0 },
        }
    }

    fn flits(&self) -> u64 {
        self.settings.frame().into()
    }

    fn buffers(&self) -> usize {
        self.group.len() * self.stride
    }

    fn to(&self, channel: usize) -> u32 {
        self.fabric.channel_ends(channel as u32).1
    }

    fn is_hub(&self, node: u32) -> bool {
        !self.fabric.is_host(node)
            && self.fabric.switches[(node - self.fabric.hosts) as usize].kind == SwitchKind::Hub
    }

    /// Cycles until a flit may be sent, counted from the first.
    fn due(&self, group: usize, flit: u64) -> u64 {
        (0..).find(|cycles| cycles * self.speed[group] >= flit * self.reference).unwrap()
    }

    fn born(&mut self, frame: usize, cycle: u64) {
        let input = self.buffers() + self.paths[frame][0] as usize;
        let came = vec![cycle; self.flits() as usize];
        self.inputs[input].push_back(Stay {
            frame,
            at: 0,
            came,
            routed: None,
            requested: None,
            leaves: false,
        });
    }

    fn arrive(&mut self, cycle: u64) {
        for (buffer, over) in self.credits.remove(&cycle).unwrap_or_default() {
            self.add_room(buffer, over, 1);
        }
        let mut due = self.flying.remove(&cycle).unwrap_or_default();
        due.sort_by_key(|&(channel, ..)| channel);
        let mut due = VecDeque::from(due);
        while let Some((channel, frame, at, flit)) = due.pop_front() {
            if self.dropped[frame] == Some(channel) {
                continue;
            }
            if at + 1 == self.paths[frame].len() {
                if flit + 1 == self.flits() {
                    self.outcome.arrived[frame] = Some(cycle);
                }
            } else if self.is_hub(self.to(channel)) {
                // A hub repeats a flit at once.
                let next = self.paths[frame][at + 1] as usize;
                let later = cycle + u64::from(self.settings.link_delay);
                self.flying.entry(later).or_default().push((next, frame, at + 1, flit));
            } else {
                self.take_in(channel, frame, at, flit, cycle);
            }
        }
    }

    fn take_in(&mut self, channel: usize, frame: usize, at: usize, flit: u64, cycle: u64) {
        let buffer = channel * self.stride + self.lane[frame][at];
        if flit > 0 {
            let stay = self.inputs[buffer].iter_mut().find(|stay| stay.frame == frame).unwrap();
            return stay.came.push(cycle);
        }
        if self.settings.full == FullBufferRule::Drop {
            let over = self.paths[frame][at + 1] as usize;
            if !self.has_room(buffer, over) {
                self.dropped[frame] = Some(channel);
                self.outcome.lost += 1;
                return;
            }
            self.add_room(buffer, over, -1);
        }
        let stay =
            Stay { frame, at: at + 1, came: vec![cycle], routed: None, requested: None, leaves: false };
        self.inputs[buffer].push_back(stay);
    }

    fn route(&mut self, cycle: u64) {
        for input in 0..self.inputs.len() {
            let source = input >= self.buffers();
            let host = !source && self.fabric.is_host(self.to(input / self.stride));
            let stores = host || self.settings.switching == Switching::StoreAndForward;
            let all = !source && (host || self.settings.queue == Queue::Shared);
            let delay = match (source, host) {
                (true, _) => 0,
                (_, true) => self.settings.host_delay,
                _ => self.settings.routing_delay,
            };
            for place in 0..if all { self.inputs[input].len() } else { 1.min(self.inputs[input].len()) } {
                let mut stay = self.inputs[input][place].clone();
                if stay.leaves || stay.requested.is_some() {
                    continue;
                }
                let there = !stores || source || stay.came.len() as u64 == self.flits();
                if there && stay.routed.is_none() {
                    stay.routed = Some(cycle);
                }
                let routed = stay.routed.is_some_and(|since| cycle >= since + u64::from(delay));
                if routed && self.flows(input, &stay, cycle) {
                    stay.requested = Some(cycle);
                }
                self.inputs[input][place] = stay;
            }
        }
    }

    /// Whether a frame that begins to leave now never waits for a flit.
    fn flows(&self, input: usize, stay: &Stay, cycle: u64) -> bool {
        if input >= self.buffers() {
            return true;
        }
        let came = self.group[input / self.stride];
        let out = self.group[self.paths[stay.frame][stay.at] as usize];
        let on_time = |flit| cycle + self.due(out, flit) >= stay.came[0] + self.due(came, flit);
        self.speed[out] <= self.speed[came] || (0..self.flits()).all(on_time)
    }

    /// The place in the path of the last channel of the hop that begins at `at`.
    fn hop_end(&self, frame: usize, mut at: usize) -> usize {
        while self.is_hub(self.to(self.paths[frame][at] as usize)) {
            at += 1;
        }
        at
    }

    /// The groups by the request that each would grant first, the oldest first.
    fn order(&self, cycle: u64) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.group.len()).collect();
        if self.lanes > 1 || self.settings.shared_buffer.is_some() {
            order.sort_by_key(|&group| {
                let best = self.best(group, cycle);
                best.map_or(u64::MAX, |(input, place, ..)| self.inputs[input][place].requested.unwrap())
            });
        }
        order
    }

    /// `true` if frames leave a buffer through one input of a crossbar.
    fn queues(&self, input: usize) -> bool {
        input < self.buffers()
            && self.settings.queue == Queue::Input
            && !self.fabric.is_host(self.to(input / self.stride))
    }

    /// The request to grant: its input and place there, whether the hop is the last, and the place in the path of its last channel.
    fn best(&self, group: usize, cycle: u64) -> Option<(usize, usize, bool, usize)> {
        if self.busy_until[group] > cycle {
            return None;
        }
        let inputs = self.inputs.len();
        let mut best = None;
        for (input, place) in
            (0..inputs).flat_map(|input| (0..self.inputs[input].len()).map(move |p| (input, p)))
        {
            let stay = &self.inputs[input][place];
            let (Some(requested), false) = (stay.requested, stay.leaves) else { continue };
            if self.group[self.paths[stay.frame][stay.at] as usize] != group {
                continue;
            }
            let end = self.hop_end(stay.frame, stay.at);
            let final_hop = end + 1 == self.paths[stay.frame].len();
            let wanted = self.roomiest(self.paths[stay.frame][end]);
            if self.queues(input) && self.port[input / self.stride] > cycle {
                continue;
            }
            if final_hop || self.settings.full == FullBufferRule::Drop || self.has_room(wanted, usize::MAX) {
                let key = (requested, (input + inputs - 1 - self.last[group]) % inputs, place);
                best = best.filter(|(least, _)| *least < key).or(Some((key, (input, place, final_hop, end))));
            }
        }
        best.map(|(_, best)| best)
    }

    /// The switch of a buffer whose links share a memory of this size.
    fn memory(&self, buffer: usize) -> Option<(usize, i64)> {
        let node = self.to(buffer / self.stride);
        let size =
            self.settings.shared_buffer.filter(|_| !self.fabric.is_host(node) && !self.is_hub(node))?;
        Some((node as usize, size.into()))
    }

    /// The port of a shared memory at which a frame counts that leaves over a channel.
    fn port(&self, buffer: usize, over: usize) -> usize {
        if self.settings.full == FullBufferRule::Drop { over } else { buffer / self.stride }
    }

    fn has_room(&self, buffer: usize, over: usize) -> bool {
        let Some((node, size)) = self.memory(buffer) else { return self.room[buffer] > 0 };
        let free = size - self.used[node];
        free > 0 && (self.held[self.port(buffer, over)] as f64) < self.settings.alpha * free as f64
    }

    fn add_room(&mut self, buffer: usize, over: usize, frames: i64) {
        let Some((node, _)) = self.memory(buffer) else { return self.room[buffer] += frames };
        let port = self.port(buffer, over);
        self.used[node] -= frames;
        self.held[port] -= frames;
    }

    /// The buffer with most room at the end of a channel.
    fn roomiest(&self, channel: u32) -> usize {
        let first = channel as usize * self.stride;
        (first..first + self.lanes).rev().max_by_key(|&buffer| self.room[buffer]).unwrap()
    }

    fn arbitrate(&mut self, group: usize, cycle: u64) {
        let Some((input, place, final_hop, end)) = self.best(group, cycle) else { return };
        let stay = &mut self.inputs[input][place];
        stay.leaves = true;
        let (frame, at) = (stay.frame, stay.at);
        if !final_hop {
            let buffer = self.roomiest(self.paths[frame][end]);
            self.lane[frame][end] = buffer % self.stride;
            if self.settings.full == FullBufferRule::Hold {
                self.add_room(buffer, usize::MAX, -1);
            }
        }
        if self.queues(input) {
            self.port[input / self.stride] = cycle + self.due(group, self.flits() - 1) + 1;
        }
        self.last[group] = input;
        self.busy_until[group] = cycle + self.due(group, self.flits());
        assert!(self.sending[group].is_none());
        self.sending[group] = Some(Sending { frame, input, at, start: cycle, flits: 0 });
    }

    fn send(&mut self, cycle: u64) {
        for group in 0..self.group.len() {
            let Some(mut sending) = self.sending[group].take() else { continue };
            let Sending { frame, input, at, start, flits } = sending;
            if (cycle - start) * self.speed[group] >= flits * self.reference {
                let stay = self.inputs[input].iter().position(|stay| stay.frame == frame).unwrap();
                assert!(self.inputs[input][stay].came.len() as u64 > flits, "a frame is sent with gaps");
                let later = cycle + u64::from(self.settings.link_delay);
                let channel = self.paths[frame][at] as usize;
                self.flying.entry(later).or_default().push((channel, frame, at, flits));
                sending.flits += 1;
                if sending.flits == self.flits() {
                    self.inputs[input].remove(stay);
                    self.give_back(input, channel, cycle);
                    continue;
                }
            }
            self.sending[group] = Some(sending);
        }
    }

    fn give_back(&mut self, input: usize, over: usize, cycle: u64) {
        if input < self.buffers() {
            let known =
                if self.settings.full == FullBufferRule::Drop { 0 } else { self.settings.credit_delay };
            self.credits.entry(cycle + 1 + u64::from(known)).or_default().push((input, over));
        }
    }
}

/// The lowest channel that each one excludes.
fn groups(fabric: &Fabric, half_duplex_hosts: bool) -> Vec<usize> {
    let channels = fabric.channels() as usize;
    let mut group: Vec<usize> = (0..channels).collect();
    let hub = |node: u32| {
        !fabric.is_host(node) && fabric.switches[(node - fabric.hosts) as usize].kind == SwitchKind::Hub
    };
    let excludes = |a: usize, b: usize| {
        let ends = |channel: usize| <[u32; 2]>::from(fabric.channel_ends(channel as u32));
        let common = ends(a).into_iter().any(|node| ends(b).contains(&node) && hub(node));
        let host = half_duplex_hosts && ends(a).into_iter().any(|node| fabric.is_host(node));
        common || (host && a / 2 == b / 2 && !ends(a).into_iter().any(hub))
    };
    // As often as it takes for the lowest number to get everywhere.
    for _ in 0..channels {
        for (a, b) in (0..channels).flat_map(|a| (0..channels).map(move |b| (a, b))) {
            if excludes(a, b) {
                group[b] = group[b].min(group[a]);
            }
        }
    }
    group
}
