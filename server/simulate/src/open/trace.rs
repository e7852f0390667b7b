//! Frames given one by one, for replaying measured traffic and for comparisons with other simulators.
//!
//! Frames whose paths share no channel, directly or over others, never wait for each other. Such parts of the traffic are simulated
//! one after the other, and only the front frame of each source queue is in the simulation: little memory is in use at a time, so
//! that it stays in the caches of the processor.

use crate::{
    Observer, SimulateError,
    core::{Core, Frame, NONE, NewFrame, Setup, Source, check_length},
    measure::Window,
    network::Network,
    paths::{Chooser, PathTable},
    run::{End, run},
};
use network::fabric::{Fabric, Routing};
use spec::union_find::UnionFind;
use std::collections::HashMap;
use work::simulation::{Deadlock, Settings};

/// A frame to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceFrame {
    /// Cycle of generation.
    pub cycle: u64,
    /// Sending host.
    pub from: u32,
    /// Receiving host, different from `from`.
    pub to: u32,
}

/// Result of a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrival {
    /// Arrival cycle of each frame's last flit; `None` if it did not arrive.
    pub arrived: Vec<Option<u64>>,
    /// Frames dropped at full buffers.
    pub lost: u64,
    /// Deadlock, if there was one.
    pub deadlock: Option<Deadlock>,
}

/// Simulates these full frames, sorted by cycle, until nothing moves or the settings' cycles are over. Frames of the same
/// host and cycle keep their order.
///
/// # Errors
/// Returned for invalid settings or fabric, unknown hosts, unsorted frames, and a pair without a path.
pub fn trace(
    fabric: &Fabric,
    routing: &dyn Routing,
    settings: &Settings,
    frames: &[TraceFrame],
    seed: u64,
    observer: &dyn Observer,
) -> Result<Arrival, SimulateError> {
    settings.check().map_err(SimulateError::Settings)?;
    let network = Network::new(fabric, settings)?;
    for sent in frames {
        if sent.from.max(sent.to) >= fabric.hosts || sent.from == sent.to {
            return Err(SimulateError::NoPath(sent.from, sent.to));
        }
    }
    if let Some(at) = frames.windows(2).position(|two| two[0].cycle > two[1].cycle) {
        return Err(SimulateError::Order(at + 1));
    }
    let window = Window { from: 0, end: settings.cycles };
    let routes = PathTable::new(routing, settings.paths, fabric.hosts);
    let plan = Plan::of(&network, &routes, frames, settings, seed)?;
    let fresh = || {
        let routes = PathTable::new(routing, settings.paths, fabric.hosts);
        Core::new(Setup { network: &network, routes, settings, window, lengths: vec![settings.frame()] })
    };
    let mut core = fresh();
    let mut replay = Replay {
        frames,
        plan: &plan,
        part: &[],
        begin: 0,
        next: 0,
        left: 0,
        arrived: vec![None; frames.len()],
        waiting: vec![FrameList { first: NONE, last: NONE }; network.channels() as usize],
        behind: vec![NONE; frames.len()],
    };
    let (mut lost, mut deadlock) = (0, None);
    for part in plan.parts() {
        replay.start(&mut core, part);
        let over = replay.begin + settings.cycles;
        let end = run(&mut core, fabric, &mut replay, over, observer)?;
        if end == End::Cancelled {
            break;
        }
        if end != End::Idle {
            // Frames of this part are left.
            lost += std::mem::replace(&mut core, fresh()).counts.lost;
        }
        if let End::Deadlock(found) = end {
            deadlock.get_or_insert(found);
        }
    }
    Ok(Arrival { arrived: replay.arrived, lost: lost + core.counts.lost, deadlock })
}

/// The paths of all frames, and the parts of the traffic.
struct Plan {
    /// Place, length, and hops before the random host of each frame's path.
    paths: Vec<(u32, u16, u16)>,
    channels: Vec<u32>,
    /// Numbers of frames, part by part, in the order of frames.
    numbers: Vec<u32>,
    /// Part p: `numbers[starts[p]..starts[p + 1]]`.
    starts: Vec<usize>,
}

impl Plan {
    fn of(
        network: &Network,
        routes: &PathTable,
        frames: &[TraceFrame],
        settings: &Settings,
        seed: u64,
    ) -> Result<Plan, SimulateError> {
        // Hosts choose in the order of their own frames. Few of them send to many others, so that a sort by both ends is quick.
        let mut numbers = by_sender(frames, routes.hosts);
        let ends = |&number: &u32| (frames[number as usize].from, frames[number as usize].to);
        let mut choices = vec![0; frames.len()];
        for own in numbers.chunk_by_mut(|a, b| ends(a).0 == ends(b).0) {
            let mut chooser = Chooser::new(settings.paths, routes.hosts, ends(&own[0]).0, seed);
            for number in &*own {
                let (from, to) = ends(number);
                choices[*number as usize] = chooser.choose(routes, from, to);
            }
            own.sort_by_key(|number| ends(number).1);
        }
        let (mut paths, mut channels) = (vec![(0, 0, 0); frames.len()], Vec::new());
        let mut joined = UnionFind::new(network.channels());
        for same in numbers.chunk_by(|a, b| ends(a) == ends(b)) {
            let chosen: Vec<u32> = same.iter().map(|&number| choices[number as usize]).collect();
            routes.paths(network, ends(&same[0]), &chosen, |at, path, leg| {
                check_length(ends(&same[0]), path)?;
                paths[same[at] as usize] = (channels.len() as u32, path.len() as u16, leg as u16);
                channels.extend_from_slice(path);
                // All channels of a medium are one resource.
                let resources = path.iter().map(|&channel| network.resource[channel as usize]);
                let first = network.resource[path[0] as usize];
                resources.for_each(|resource| _ = joined.join(first, resource));
                Ok(())
            })?;
        }
        let mut plan = Plan { paths, channels, numbers, starts: Vec::new() };
        // Memory that ports share joins frames on different channels.
        plan.divide(|channel| match settings.shared_buffer {
            Some(_) => 0,
            None => joined.root(network.resource[channel as usize]),
        });
        Ok(plan)
    }

    /// Sorts frames by the part of their first channel, the part of the first frame first.
    fn divide(&mut self, mut part: impl FnMut(u32) -> u32) {
        let mut found: HashMap<u32, u32> = HashMap::new();
        let mut of_frame = |number: u32| {
            let next = found.len() as u32;
            *found.entry(part(self.channels[self.paths[number as usize].0 as usize])).or_insert(next)
        };
        let parts: Vec<u32> = (0..self.paths.len() as u32).map(&mut of_frame).collect();
        let mut starts = vec![0; found.len() + 1];
        parts.iter().for_each(|&part| starts[part as usize + 1] += 1);
        for part in 0..found.len() {
            starts[part + 1] += starts[part];
        }
        let mut next = starts.clone();
        for (number, part) in (0..).zip(parts) {
            let place = &mut next[part as usize];
            self.numbers[*place] = number;
            *place += 1;
        }
        self.starts = starts;
    }

    fn parts(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|ends| &self.numbers[ends[0]..ends[1]])
    }
}

/// Numbers of frames, by sending host and then in their order.
fn by_sender(frames: &[TraceFrame], hosts: u32) -> Vec<u32> {
    let mut next = vec![0; hosts as usize + 1];
    frames.iter().for_each(|sent| next[sent.from as usize + 1] += 1);
    for host in 0..hosts as usize {
        next[host + 1] += next[host];
    }
    let mut numbers = vec![0; frames.len()];
    for (number, sent) in (0..).zip(frames) {
        let place: &mut usize = &mut next[sent.from as usize];
        numbers[*place] = number;
        *place += 1;
    }
    numbers
}

struct Replay<'a> {
    frames: &'a [TraceFrame],
    plan: &'a Plan,
    /// Numbers of the frames of the current part.
    part: &'a [u32],
    /// Cycle in which the part begins.
    begin: u64,
    /// Frames of the part that are sent, or wait behind others.
    next: usize,
    /// Frames of the part that have not arrived.
    left: usize,
    arrived: Vec<Option<u64>>,
    /// Frames behind the front one of the source queue of each channel.
    waiting: Vec<FrameList>,
    /// The frame behind each of them.
    behind: Vec<u32>,
}

/// A list of frames.
#[derive(Clone, Copy)]
struct FrameList {
    first: u32,
    last: u32,
}

impl<'a> Replay<'a> {
    /// Begins the next part of the traffic, after all events so far.
    fn start(&mut self, core: &mut Core, part: &'a [u32]) {
        self.begin = if core.now == 0 { 0 } else { core.now + 1 };
        (self.part, self.next, self.left) = (part, 0, part.len());
        core.wake(0, self.begin + self.frames[part[0] as usize].cycle);
    }

    fn inject(&self, core: &mut Core, number: u32) {
        let TraceFrame { cycle, from, to } = self.frames[number as usize];
        let (start, hops, leg) = self.plan.paths[number as usize];
        let path = &self.plan.channels[start as usize..start as usize + usize::from(hops)];
        let made = NewFrame { born: self.begin + cycle, from, to, choice: 0, length: 0, tag: number };
        core.inject_along(made, path, leg);
    }
}

impl Source for Replay<'_> {
    const WANTS_RECEIVED: bool = true;
    const COUNTS: bool = false;
    const CHECKS_DEADLOCKS: bool = false;

    fn is_done(&self) -> bool {
        self.left == 0
    }

    fn wake(&mut self, core: &mut Core, _: u32) -> Result<(), SimulateError> {
        while let Some(&number) = self.part.get(self.next) {
            let cycle = self.begin + self.frames[number as usize].cycle;
            if cycle > core.now {
                core.wake(0, cycle);
                break;
            }
            let channel = self.plan.channels[self.plan.paths[number as usize].0 as usize];
            if core.has_waiting(channel) {
                let waiting = &mut self.waiting[channel as usize];
                match std::mem::replace(&mut waiting.last, number) {
                    NONE => waiting.first = number,
                    last => self.behind[last as usize] = number,
                }
            } else {
                self.inject(core, number);
            }
            self.next += 1;
        }
        Ok(())
    }

    fn left(&mut self, core: &mut Core, channel: u32, _tag: u32) -> Result<(), SimulateError> {
        let waiting = &mut self.waiting[channel as usize];
        let number = waiting.first;
        if number == NONE {
            return Ok(());
        }
        waiting.first = self.behind[number as usize];
        if waiting.first == NONE {
            waiting.last = NONE;
        }
        self.inject(core, number);
        Ok(())
    }

    fn received(&mut self, core: &mut Core, frame: &Frame) -> Result<(), SimulateError> {
        self.arrived[frame.tag as usize] = Some(core.now - self.begin);
        self.left -= 1;
        Ok(())
    }
}
