//! Frames on their way: buffers, requests, grants.
//!
//! # The model
//!
//! A frame waits in a buffer at the end of the channel it came by, or at its source. When its head is routed it asks for
//! the next channel. A free channel goes to the frame that has asked for longest; among those that asked in the same cycle
//! to the next input after the one that had it last, in a circle: nobody waits for ever while others pass. A frame is sent
//! only if the next buffer has room for all of it (unless full buffers drop), and then without gaps: a flit a cycle on a
//! link of the reference speed, flit k after `ceil(k * reference / speed)` cycles on a slower one. A flit sent in cycle t
//! arrives in cycle t + link delay. With cut-through, the routing of a frame begins in the cycle its head arrives or, in an
//! input buffer, in the one after the last flit of the frame before it has left; with store-and-forward when its last flit
//! is there. The room of a frame is given back the cycle after its last flit has left, and the sender knows a credit delay
//! later. Hosts take in what is for them at the speed of the link.
//!
//! # Why frames are moved whole
//!
//! Since a frame, once sent, is never stopped, the cycles of all its flits follow from that of its first. So a hop is three
//! events (asks, channel free, room free) and not one for each flit, and the cycles are the same: the tests hold them against
//! a simulator that moves flit by flit.

use crate::{
    SimulateError,
    measure::{Histogram, Window},
    network::Network,
    routes::Routes,
    wheel::{Event, Wheel},
};
use shared::simulation::{Full, Settings};

/// No frame.
pub(crate) const NONE: u32 = u32::MAX;

/// Kinds of events, in the low bits; the others number the thing.
const ROOM: Event = 0;
const FREE: Event = 1;
const ASKS: Event = 2;
const COMES: Event = 3;
const RECEIVED: Event = 4;
const WAKE: Event = 5;
const KIND_BITS: u32 = 3;

/// What decides who sends what.
pub(crate) trait Source {
    /// Whether [`Source::received`] and [`Source::left`] are wanted.
    const WATCHES: bool;
    /// A node is awake, as [`Core::wake`] asked for.
    fn wake(&mut self, core: &mut Core, node: u32) -> Result<(), SimulateError>;
    /// A frame begins to leave its source.
    fn left(&mut self, _core: &mut Core, _host: u32) -> Result<(), SimulateError> {
        Ok(())
    }
    /// The last flit of a frame is there.
    fn received(&mut self, _core: &mut Core, _frame: &Frame) -> Result<(), SimulateError> {
        Ok(())
    }
}

/// A frame somewhere.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// The cycle of its generation.
    pub born: u64,
    /// The cycle in which its head reaches the buffer it is in or on its way to.
    head: u64,
    /// Since when it has asked for a channel.
    asked: u64,
    pub from: u32,
    pub to: u32,
    /// Which path.
    choice: u32,
    /// For who sent it.
    pub tag: u32,
    /// The next one in the list it is in: of a buffer or of those who ask.
    next: u32,
    /// Where its path is kept; none while others are before it at its source.
    slot: u32,
    /// Channels of the path that are behind it.
    at: u16,
    hops: u16,
    length: u8,
}

/// A buffer, or the queue of a source: the frame that may leave and those behind it.
#[derive(Clone, Debug)]
struct Input {
    front: u32,
    first: u32,
    last: u32,
    /// The cycle from which the frame at the front is routed at the earliest.
    clear: u64,
}

/// A channel or medium, and who asks for it.
#[derive(Clone, Debug)]
struct Resource {
    free: u64,
    first: u32,
    last: u32,
    /// Who had it last.
    input: u32,
    /// Whether it is looked at again when it becomes free.
    wakes: bool,
    dirty: bool,
}

/// Everything counted since the beginning but for `sent`, `accepted` and `latency`, which count within the window.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub frames: u64,
    pub generated: u64,
    pub received: u64,
    pub lost: u64,
    pub flit_hops: u64,
    pub accepted: u64,
    pub latency: Histogram,
    /// Flits by channel.
    pub sent: Vec<u64>,
    /// The last cycle in which a flit was received.
    pub last: u64,
}

/// The state of a simulation.
pub(crate) struct Core<'a> {
    pub network: &'a Network,
    pub now: u64,
    pub counts: Counts,
    routes: Routes<'a>,
    window: Window,
    link_delay: u64,
    credit_delay: u64,
    drops: bool,
    lengths: Vec<u32>,
    /// By rate and length: cycles from the first flit to the last, and to the end.
    tail: Vec<u64>,
    span: Vec<u64>,
    /// By rate in, rate out and length: cycles a frame waits for its flits if it is to be sent without gaps.
    lead: Vec<u64>,
    frames: Vec<Frame>,
    unused: u32,
    alive: u64,
    /// `stride` channels for each slot.
    paths: Vec<u32>,
    stride: usize,
    slots: Vec<u32>,
    path: Vec<u32>,
    /// First the buffers at the ends of channels, then the sources that send over each channel.
    inputs: Vec<Input>,
    resources: Vec<Resource>,
    /// Free room at the end of each channel, as its sender knows it.
    room: Vec<u32>,
    /// Frames in each buffer or on their way there, but for those that have begun to leave.
    held: Vec<u32>,
    wheel: Wheel,
    dirty: Vec<u32>,
}

/// What a simulation is set up from.
pub(crate) struct Setup<'a> {
    pub network: &'a Network,
    pub routes: Routes<'a>,
    pub settings: &'a Settings,
    pub window: Window,
    /// Flits of the frames there will be.
    pub lengths: Vec<u32>,
}

impl<'a> Core<'a> {
    pub fn new(setup: Setup<'a>) -> Core<'a> {
        let Setup { network, routes, settings, window, lengths } = setup;
        let channels = network.channels() as usize;
        let drops = settings.full == Full::Drop;
        let rates = &network.rates;
        let each = |of: &dyn Fn(usize, u32) -> u64| {
            let lengths = &lengths;
            (0..rates.len()).flat_map(|rate| lengths.iter().map(move |&l| of(rate, l))).collect::<Vec<u64>>()
        };
        let tail = each(&|rate, length| rates[rate].after(length - 1));
        let span = each(&|rate, length| rates[rate].after(length));
        let room = network.to.iter().map(|&node| network.nodes[node as usize].room).collect();
        let input = Input { front: NONE, first: NONE, last: NONE, clear: 0 };
        let resource = Resource { free: 0, first: NONE, last: NONE, input: 0, wakes: false, dirty: false };
        Core {
            network,
            now: 0,
            counts: Counts { sent: vec![0; channels], ..Counts::default() },
            routes,
            window,
            link_delay: settings.link_delay.into(),
            // Who drops looks at the buffer itself.
            credit_delay: if drops { 0 } else { settings.credit_delay.into() },
            drops,
            lead: leads(network, &lengths),
            lengths,
            tail,
            span,
            frames: Vec::new(),
            unused: NONE,
            alive: 0,
            paths: Vec::new(),
            stride: 8,
            slots: Vec::new(),
            path: Vec::new(),
            inputs: vec![input; 2 * channels],
            resources: vec![resource; channels],
            room,
            held: vec![0; channels],
            wheel: Wheel::new(),
            dirty: Vec::new(),
        }
    }

    /// Frames on their way or waiting at their sources.
    pub fn alive(&self) -> u64 {
        self.alive
    }

    /// Flits of frames of a length's number.
    pub fn flits(&self, length: u8) -> u32 {
        self.lengths[length as usize]
    }

    /// Has a node woken in a cycle after this one, or in cycle 0.
    pub fn wake(&mut self, node: u32, time: u64) {
        self.wheel.add(time, node << KIND_BITS | WAKE);
    }

    /// Puts a new frame at the end of its source's queue.
    pub fn inject(&mut self, from: u32, to: u32, length: u8, tag: u32) -> Result<(), SimulateError> {
        let choice = self.routes.choose(from, to);
        let queue = self.network.channels() + self.first_channel((from, to), choice)?;
        self.counts.frames += 1;
        if self.window.holds(self.now) {
            self.counts.generated += u64::from(self.flits(length));
        }
        let (born, now) = (self.now, self.now);
        let frame = Frame {
            born,
            head: now,
            asked: now,
            from,
            to,
            choice,
            tag,
            next: NONE,
            slot: NONE,
            at: 0,
            hops: 0,
            length,
        };
        let number = self.new_frame(frame);
        if self.inputs[queue as usize].front == NONE {
            self.keep_path(number)?;
            self.bring_forward(queue, number);
        } else {
            self.append(queue, number);
        }
        Ok(())
    }

    /// The channel by which a frame leaves its source. Where there is only one, its path is not looked for before it is at the
    /// front: frames that wait cost next to nothing.
    fn first_channel(&mut self, (from, to): (u32, u32), choice: u32) -> Result<u32, SimulateError> {
        if let Some(only) = self.network.only[from as usize] {
            return Ok(only);
        }
        let mut path = std::mem::take(&mut self.path);
        let found = self.routes.path(self.network, (from, to), choice, &mut path);
        self.path = path;
        found.map(|()| self.path[0])
    }

    /// The next cycle in which anything happens.
    pub fn next(&self) -> Option<u64> {
        self.wheel.next()
    }

    /// Everything that happens in a cycle that [`Core::next`] told.
    pub fn cycle<S: Source>(
        &mut self,
        time: u64,
        events: &mut Vec<Event>,
        source: &mut S,
    ) -> Result<(), SimulateError> {
        self.wheel.take(time, events);
        self.now = time;
        // What becomes free first: it is there for what comes in the same cycle.
        for &event in events.iter() {
            let thing = event >> KIND_BITS;
            match event & ((1 << KIND_BITS) - 1) {
                ROOM => {
                    self.room[thing as usize] += 1;
                    self.mark(self.network.resource[thing as usize]);
                }
                FREE => {
                    self.resources[thing as usize].wakes = false;
                    self.mark(thing);
                }
                _ => {}
            }
        }
        for &event in events.iter() {
            let thing = event >> KIND_BITS;
            match event & ((1 << KIND_BITS) - 1) {
                ASKS => self.ask(thing),
                COMES => self.come(thing),
                RECEIVED => {
                    let frame = self.frames[thing as usize].clone();
                    self.forget(thing);
                    source.received(self, &frame)?;
                }
                WAKE => source.wake(self, thing)?,
                _ => {}
            }
        }
        // Sources may inject in reply, and thereby have more looked at.
        let mut next = 0;
        while let Some(&resource) = self.dirty.get(next) {
            next += 1;
            self.resources[resource as usize].dirty = false;
            self.arbitrate(resource, source)?;
        }
        self.dirty.clear();
        Ok(())
    }

    #[inline]
    fn mark(&mut self, resource: u32) {
        let state = &mut self.resources[resource as usize];
        if !state.dirty && state.first != NONE {
            state.dirty = true;
            self.dirty.push(resource);
        }
    }

    /// A frame asks for its next channel.
    #[inline]
    fn ask(&mut self, number: u32) {
        let now = self.now;
        let channel = self.channel(number, self.frames[number as usize].at);
        let resource = self.network.resource[channel as usize];
        let frame = &mut self.frames[number as usize];
        (frame.asked, frame.next) = (now, NONE);
        let state = &mut self.resources[resource as usize];
        let last = std::mem::replace(&mut state.last, number);
        if last == NONE {
            state.first = number;
        } else {
            self.frames[last as usize].next = number;
        }
        self.mark(resource);
    }

    /// Gives a free channel to one of those that ask.
    fn arbitrate<S: Source>(&mut self, resource: u32, source: &mut S) -> Result<(), SimulateError> {
        let state = &mut self.resources[resource as usize];
        if state.first == NONE {
            return Ok(());
        }
        if state.free > self.now {
            if !state.wakes {
                state.wakes = true;
                self.wheel.add(state.free, resource << KIND_BITS | FREE);
            }
            return Ok(());
        }
        match self.winner(resource) {
            Some((before, number, end)) => self.grant(resource, before, number, end, source),
            None => Ok(()),
        }
    }

    /// Who gets a free channel: the frame before it in the list, the frame, and where in its path the hop ends.
    fn winner(&self, resource: u32) -> Option<(u32, u32, u16)> {
        let inputs = self.inputs.len() as u32;
        let last = self.resources[resource as usize].input;
        let mut best: Option<(u32, u32, u16)> = None;
        let mut best_turn = u32::MAX;
        let (mut before, mut number) = (NONE, self.resources[resource as usize].first);
        while number != NONE {
            let frame = &self.frames[number as usize];
            if best.is_some_and(|(_, best, _)| self.frames[best as usize].asked != frame.asked) {
                break;
            }
            let end = self.hop_end(number);
            if self.admits(number, end) {
                let turn = (self.input(number) + inputs - 1 - last) % inputs;
                if turn < best_turn {
                    (best, best_turn) = (Some((before, number, end)), turn);
                }
            }
            (before, number) = (number, frame.next);
        }
        best
    }

    /// Sends a frame.
    fn grant<S: Source>(
        &mut self,
        resource: u32,
        before: u32,
        number: u32,
        end: u16,
        source: &mut S,
    ) -> Result<(), SimulateError> {
        let now = self.now;
        let input = self.input(number);
        let frame = &self.frames[number as usize];
        let (at, length, hops) = (frame.at, frame.length, frame.hops);
        let timed = self.timed(self.channel(number, at), length);
        let (tail, span) = (self.tail[timed], self.span[timed]);
        self.unlist(resource, before, number);
        let state = &mut self.resources[resource as usize];
        (state.free, state.input) = (now + span, input);
        if state.first != NONE && !state.wakes {
            state.wakes = true;
            self.wheel.add(now + span, resource << KIND_BITS | FREE);
        }
        self.count(number, (at, end));
        self.leave(input, now + tail + 1)?;
        let links = u64::from(end - at);
        let frame = &mut self.frames[number as usize];
        frame.head = now + links * self.link_delay;
        frame.at = end;
        let (head, from) = (frame.head, frame.from);
        if end == hops {
            self.deliver::<S>(number, head, tail);
        } else if self.drops {
            self.wheel.add(head, number << KIND_BITS | COMES);
        } else {
            self.enter(number);
        }
        if S::WATCHES && at == 0 { source.left(self, from) } else { Ok(()) }
    }

    /// What a frame leaves behind: the next one comes to the front, and its room becomes free.
    fn leave(&mut self, input: u32, clear: u64) -> Result<(), SimulateError> {
        let buffer = input < self.network.channels();
        if buffer {
            self.held[input as usize] -= 1;
            self.wheel.add(clear + self.credit_delay, input << KIND_BITS | ROOM);
        }
        if buffer && self.network.nodes[self.network.to[input as usize] as usize].shared {
            return Ok(());
        }
        let state = &mut self.inputs[input as usize];
        state.clear = clear;
        let next = state.first;
        state.front = NONE;
        if next == NONE {
            return Ok(());
        }
        state.first = self.frames[next as usize].next;
        if state.first == NONE {
            state.last = NONE;
        }
        if !buffer {
            self.keep_path(next)?;
        }
        self.bring_forward(input, next);
        Ok(())
    }

    /// A frame takes its place in the next buffer, whose room is taken from now on.
    fn enter(&mut self, number: u32) {
        let buffer = self.channel(number, self.frames[number as usize].at - 1);
        self.room[buffer as usize] -= 1;
        self.held[buffer as usize] += 1;
        if self.network.nodes[self.network.to[buffer as usize] as usize].shared {
            let head = self.frames[number as usize].head;
            self.ask_from(self.ready(number, head), number);
        } else if self.inputs[buffer as usize].front == NONE {
            self.bring_forward(buffer, number);
        } else {
            self.append(buffer, number);
        }
    }

    /// The head of a frame reaches a buffer that may be full.
    fn come(&mut self, number: u32) {
        let buffer = self.channel(number, self.frames[number as usize].at - 1);
        if self.room[buffer as usize] > 0 {
            self.enter(number);
        } else {
            self.counts.lost += 1;
            self.forget(number);
        }
    }

    fn append(&mut self, input: u32, number: u32) {
        let state = &mut self.inputs[input as usize];
        let last = std::mem::replace(&mut state.last, number);
        if last == NONE {
            state.first = number;
        } else {
            self.frames[last as usize].next = number;
        }
    }

    /// A frame is the next to leave an input.
    fn bring_forward(&mut self, input: u32, number: u32) {
        let state = &mut self.inputs[input as usize];
        state.front = number;
        self.frames[number as usize].next = NONE;
        let clear = state.clear.max(self.frames[number as usize].head);
        let ready = if input < self.network.channels() { self.ready(number, clear) } else { clear };
        self.ask_from(ready, number);
    }

    fn ask_from(&mut self, time: u64, number: u32) {
        if time <= self.now {
            self.ask(number);
        } else {
            self.wheel.add(time, number << KIND_BITS | ASKS);
        }
    }

    /// When a frame in a buffer can ask for its next channel, if it is at the front from the cycle `front` on.
    fn ready(&self, number: u32, front: u64) -> u64 {
        let Frame { at, head, length, .. } = self.frames[number as usize];
        let (came, goes) = (self.channel(number, at - 1), self.channel(number, at));
        let node = &self.network.nodes[self.network.to[came as usize] as usize];
        let rate = |channel: u32| usize::from(self.network.rate[channel as usize]);
        if node.stores {
            return front.max(head + self.tail[self.timed(came, length)]) + node.delay;
        }
        let pair = rate(came) * self.network.rates.len() + rate(goes);
        let lead = self.lead[pair * self.lengths.len() + usize::from(length)];
        (front + node.delay).max(head + lead)
    }

    /// A frame is on the link to where it goes.
    fn deliver<S: Source>(&mut self, number: u32, head: u64, tail: u64) {
        let frame = &self.frames[number as usize];
        let (born, channel) = (frame.born, self.channel(number, frame.at - 1));
        let rate = self.network.rates[usize::from(self.network.rate[channel as usize])];
        let flits = self.flits(frame.length);
        self.counts.accepted += self.window.flits(head, flits, |flit| rate.after(flit));
        let end = head + tail;
        if end < self.window.end {
            self.counts.received += 1;
            self.counts.last = self.counts.last.max(end);
            if self.window.holds(born) {
                self.counts.latency.add(end - born);
            }
        }
        if S::WATCHES {
            self.wheel.add(end, number << KIND_BITS | RECEIVED);
        } else if end < self.window.end {
            self.forget(number);
        }
    }

    fn count(&mut self, number: u32, (at, end): (u16, u16)) {
        let flits = self.flits(self.frames[number as usize].length);
        self.counts.flit_hops += u64::from(flits) * u64::from(end - at);
        for (passed, at) in (at..end).enumerate() {
            let channel = self.channel(number, at);
            let rate = self.network.rates[usize::from(self.network.rate[channel as usize])];
            let first = self.now + passed as u64 * self.link_delay;
            self.counts.sent[channel as usize] += self.window.flits(first, flits, |flit| rate.after(flit));
        }
    }

    /// Whether there is room where a frame's next hop ends.
    #[inline]
    fn admits(&self, number: u32, end: u16) -> bool {
        let last = self.frames[number as usize].hops == end;
        last || self.drops || self.room[self.channel(number, end - 1) as usize] > 0
    }

    /// The place in the path after a frame's next hop.
    #[inline]
    fn hop_end(&self, number: u32) -> u16 {
        let frame = &self.frames[number as usize];
        let start = frame.slot as usize * self.stride;
        self.network.hop_end(&self.paths[start..start + usize::from(frame.hops)], frame.at.into()) as u16
    }

    /// The buffer or source queue that a frame is in.
    #[inline]
    fn input(&self, number: u32) -> u32 {
        let at = self.frames[number as usize].at;
        if at == 0 { self.network.channels() + self.channel(number, 0) } else { self.channel(number, at - 1) }
    }

    #[inline]
    fn channel(&self, number: u32, at: u16) -> u32 {
        self.paths[self.frames[number as usize].slot as usize * self.stride + usize::from(at)]
    }

    #[inline]
    fn timed(&self, channel: u32, length: u8) -> usize {
        usize::from(self.network.rate[channel as usize]) * self.lengths.len() + usize::from(length)
    }

    fn unlist(&mut self, resource: u32, before: u32, number: u32) {
        let next = std::mem::replace(&mut self.frames[number as usize].next, NONE);
        let state = &mut self.resources[resource as usize];
        if before == NONE {
            state.first = next;
        } else {
            self.frames[before as usize].next = next;
        }
        if next == NONE {
            state.last = before;
        }
    }

    fn new_frame(&mut self, frame: Frame) -> u32 {
        self.alive += 1;
        if self.unused == NONE {
            self.frames.push(frame);
            return self.frames.len() as u32 - 1;
        }
        let number = self.unused;
        self.unused = self.frames[number as usize].next;
        self.frames[number as usize] = frame;
        number
    }

    fn forget(&mut self, number: u32) {
        self.alive -= 1;
        let frame = &mut self.frames[number as usize];
        self.slots.push(frame.slot);
        frame.next = self.unused;
        self.unused = number;
    }

    /// Writes down a frame's path, which stays until it is received.
    fn keep_path(&mut self, number: u32) -> Result<(), SimulateError> {
        let Frame { from, to, choice, .. } = self.frames[number as usize];
        let mut path = std::mem::take(&mut self.path);
        self.routes.path(self.network, (from, to), choice, &mut path)?;
        let hops = u16::try_from(path.len()).map_err(|_| SimulateError::Hops { from, to })?;
        self.frames[number as usize].hops = hops;
        self.widen(path.len());
        let slot = self.slots.pop().unwrap_or_else(|| {
            let slot = self.paths.len() / self.stride;
            self.paths.resize(self.paths.len() + self.stride, 0);
            slot as u32
        });
        self.frames[number as usize].slot = slot;
        let start = slot as usize * self.stride;
        self.paths[start..start + path.len()].copy_from_slice(&path);
        self.path = path;
        Ok(())
    }

    /// Makes slots as long as the longest path.
    fn widen(&mut self, hops: usize) {
        if hops <= self.stride {
            return;
        }
        let stride = hops.next_power_of_two();
        let mut paths = Vec::with_capacity(self.paths.len() / self.stride * stride);
        for path in self.paths.chunks(self.stride) {
            paths.extend_from_slice(path);
            paths.resize(paths.len() + stride - self.stride, 0);
        }
        (self.paths, self.stride) = (paths, stride);
    }

    /// Every frame that asks: the input it is in, and the buffer it wants room in, none if it goes no further.
    pub fn asking(&self, mut each: impl FnMut(u32, Option<u32>)) {
        for resource in &self.resources {
            let mut number = resource.first;
            while number != NONE {
                let frame = &self.frames[number as usize];
                let end = self.hop_end(number);
                let wants = (end != frame.hops).then(|| self.channel(number, end - 1));
                each(self.input(number), wants);
                number = frame.next;
            }
        }
    }

    /// How many frames of a buffer must be able to leave for it to be stuck, none while it is not full.
    pub fn full(&self, channel: u32) -> Option<u32> {
        let node = &self.network.nodes[self.network.to[channel as usize] as usize];
        let full = node.room > 0 && self.held[channel as usize] == node.room;
        full.then_some(if node.shared { node.room } else { 1 })
    }

    /// Whether senders wait for room.
    pub fn holds(&self) -> bool {
        !self.drops
    }
}

fn leads(network: &Network, lengths: &[u32]) -> Vec<u64> {
    let mut leads = Vec::with_capacity(network.rates.len().pow(2) * lengths.len());
    for came in &network.rates {
        for goes in &network.rates {
            leads.extend(lengths.iter().map(|&length| {
                let late = |flit| came.after(flit).saturating_sub(goes.after(flit));
                if came == goes { 0 } else { (0..length).map(late).max().unwrap_or(0) }
            }));
        }
    }
    leads
}
