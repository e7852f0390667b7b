//! The same network, plainly: every flit, every cycle. Slow, and without any of the simulator's short cuts.

use shared::{
    fabric::{Fabric, Routing, SwitchKind},
    simulation::{Full, Queue, Settings, Switching},
};
use simulate::Sent;
use std::collections::{BTreeMap, VecDeque};

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
    inputs: Vec<VecDeque<Stay>>,
    room: Vec<i64>,
    last: Vec<usize>,
    sending: Vec<Option<Sending>>,
    busy_until: Vec<u64>,
    /// By cycle: channel, frame, place in its path, flit.
    flying: BTreeMap<u64, Vec<(usize, usize, usize, u64)>>,
    credits: BTreeMap<u64, Vec<usize>>,
    /// The channel at whose end a frame was lost. Its flits may still be on channels before that.
    dropped: Vec<Option<usize>>,
    outcome: Outcome,
}

pub fn simulate(fabric: &Fabric, routing: &dyn Routing, settings: &Settings, frames: &[Sent]) -> Outcome {
    let mut flits = Flits::new(fabric, routing, settings, frames);
    let mut next = 0;
    for cycle in 0..settings.cycles {
        flits.arrive(cycle);
        while next < frames.len() && frames[next].cycle == cycle {
            flits.born(next, cycle);
            next += 1;
        }
        flits.route(cycle);
        (0..flits.group.len()).for_each(|group| flits.arbitrate(group, cycle));
        flits.send(cycle);
    }
    flits.outcome
}

impl<'a> Flits<'a> {
    fn new(fabric: &'a Fabric, routing: &dyn Routing, settings: &'a Settings, frames: &[Sent]) -> Flits<'a> {
        let channels = fabric.channels() as usize;
        let group = groups(fabric, settings.half_duplex_hosts);
        let mut speed = vec![u64::MAX; channels];
        for channel in 0..channels {
            let speed = &mut speed[group[channel]];
            *speed = (*speed).min(fabric.links[channel / 2].speed.into());
        }
        let fastest = fabric.links.iter().map(|link| link.speed).max().unwrap();
        let room = |channel: usize| {
            let to = fabric.channel_ends(channel as u32).1;
            i64::from(if fabric.is_host(to) { settings.host_buffer } else { settings.buffer })
        };
        let path = |sent: &Sent| {
            let mut path = Vec::new();
            routing.path(sent.from, sent.to, 0, &mut path);
            path
        };
        Flits {
            fabric,
            settings,
            reference: settings.reference_speed.unwrap_or(fastest).into(),
            paths: frames.iter().map(path).collect(),
            group,
            speed,
            inputs: vec![VecDeque::new(); 2 * channels],
            room: (0..channels).map(room).collect(),
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
        let input = self.group.len() + self.paths[frame][0] as usize;
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
        for channel in self.credits.remove(&cycle).unwrap_or_default() {
            self.room[channel] += 1;
        }
        let mut due: VecDeque<_> = self.flying.remove(&cycle).unwrap_or_default().into();
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
        if flit > 0 {
            let stay = self.inputs[channel].iter_mut().find(|stay| stay.frame == frame).unwrap();
            return stay.came.push(cycle);
        }
        if self.settings.full == Full::Drop {
            if self.room[channel] == 0 {
                self.dropped[frame] = Some(channel);
                self.outcome.lost += 1;
                return;
            }
            self.room[channel] -= 1;
        }
        let stay =
            Stay { frame, at: at + 1, came: vec![cycle], routed: None, requested: None, leaves: false };
        self.inputs[channel].push_back(stay);
    }

    fn route(&mut self, cycle: u64) {
        for input in 0..self.inputs.len() {
            let source = input >= self.group.len();
            let host = !source && self.fabric.is_host(self.to(input));
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
        if input >= self.group.len() {
            return true;
        }
        let out = self.group[self.paths[stay.frame][stay.at] as usize];
        let on_time = |flit| cycle + self.due(out, flit) >= stay.came[0] + self.due(self.group[input], flit);
        self.speed[out] <= self.speed[self.group[input]] || (0..self.flits()).all(on_time)
    }

    /// The place in the path of the last channel of the hop that begins at `at`.
    fn hop_end(&self, frame: usize, mut at: usize) -> usize {
        while self.is_hub(self.to(self.paths[frame][at] as usize)) {
            at += 1;
        }
        at
    }

    fn arbitrate(&mut self, group: usize, cycle: u64) {
        if self.busy_until[group] > cycle {
            return;
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
            let room = self.room[self.paths[stay.frame][end] as usize] > 0;
            if final_hop || room || self.settings.full == Full::Drop {
                let key = (requested, (input + inputs - 1 - self.last[group]) % inputs, place);
                best = best.filter(|(least, _)| *least < key).or(Some((key, (input, place, final_hop, end))));
            }
        }
        let Some((_, (input, place, final_hop, end))) = best else { return };
        let stay = &mut self.inputs[input][place];
        stay.leaves = true;
        let (frame, at) = (stay.frame, stay.at);
        if !final_hop && self.settings.full == Full::Hold {
            self.room[self.paths[frame][end] as usize] -= 1;
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
                    self.give_back(input, cycle);
                    continue;
                }
            }
            self.sending[group] = Some(sending);
        }
    }

    fn give_back(&mut self, input: usize, cycle: u64) {
        if input < self.group.len() {
            let known = if self.settings.full == Full::Drop { 0 } else { self.settings.credit_delay };
            self.credits.entry(cycle + 1 + u64::from(known)).or_default().push(input);
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
