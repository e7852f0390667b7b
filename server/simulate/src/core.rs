//! The model: frames in buffers request channels and are granted them.
//!
//! # Model
//!
//! A frame waits at its source or in the buffer at the end of the channel it came by. Once its head is routed, it requests
//! the next channel. A free channel goes to the oldest request. Requests of the same cycle are served round-robin, starting
//! with the input after the one served last. A frame is sent only if the next buffer has room for all of it, unless full
//! buffers drop frames. It is sent without gaps: one flit per cycle on a link of the reference speed, flit k after
//! `ceil(k * reference / speed)` cycles on a slower one. A flit sent in cycle t arrives in cycle t + link delay.
//!
//! Each virtual channel of a link has its own buffer, unless the links of a switch share a memory. A frame enters the one with
//! most room of those that it may use. The frames of all virtual channels share the link, and the crossbar behind it, one after the other.
//! In both cases, output channels choose in the order of their oldest request that can be granted.
//!
//! With cut-through, routing starts when the head arrives, and in an input buffer not before the previous frame has left.
//! With store-and-forward it starts when the last flit has arrived. The room of a frame is free in the cycle after its last
//! flit has left, and its sender learns of it a credit delay later. A destination host receives at the speed of its link.
//!
//! # Frames move whole
//!
//! A frame that is being sent never stops, so the cycles of all its flits follow from the first one. A hop takes three
//! events (request, channel free, room free) instead of one per flit. The tests compare all arrival cycles with a simulator
//! that moves single flits.

mod grants;
mod memory;
mod parts;
mod paths;

pub(crate) use parts::{Frame, NONE, NewFrame, Setup, Source};
pub(crate) use paths::check_length;

use crate::{
    SimulateError,
    measure::Window,
    network::Network,
    paths::PathTable,
    virtual_channels::VirtualChannels,
    wheel::{Event, Wheel},
};
use memory::Pools;
use parts::{Counts, End, Input, List, Resource, ends, leads};
use work::simulation::FullBufferRule;

/// Kinds of events, in the low bits; the other bits number the object.
const ROOM_FREE: Event = 0;
const CHANNEL_FREE: Event = 1;
const REQUEST: Event = 2;
const ARRIVE: Event = 3;
const RECEIVED: Event = 4;
const WAKE: Event = 5;
const PORT_FREE: Event = 6;
const POOL_FREE: Event = 7;
const KIND_BITS: u32 = 3;

pub(crate) struct Core<'a> {
    pub network: &'a Network,
    pub now: u64,
    pub counts: Counts,
    pub routes: PathTable<'a>,
    pub window: Window,
    link_delay: u64,
    credit_delay: u64,
    drops: bool,
    lengths: Vec<u32>,
    /// Cycles from the first flit to the last, and to the end of the last, by rate and length.
    tail: Vec<u64>,
    span: Vec<u64>,
    /// Cycles between a head's arrival and its departure without later gaps, by rate in, rate out and length.
    lead: Vec<u64>,
    frames: Vec<Frame>,
    unused: u32,
    /// `stride` channels per slot.
    paths: Vec<u32>,
    stride: usize,
    slots: Vec<u32>,
    path: Vec<u32>,
    vcs: VirtualChannels,
    /// The buffers at the ends of all channels, then the source queues of all channels.
    inputs: Vec<Input>,
    /// Cycle from which the crossbar input of each channel is free; empty with one virtual channel, whose frames leave one by
    /// one anyway.
    ports: Vec<u64>,
    resources: Vec<Resource>,
    /// Where the hops over each resource end.
    ends: Vec<End>,
    /// Free room of each buffer, as known to its sender.
    room: Vec<u32>,
    /// Frames in each buffer or on their way to it, without those already leaving.
    held: Vec<u32>,
    pools: Pools,
    wheel: Wheel,
    dirty: Vec<u32>,
    /// Work space of [`Core::sort_dirty`].
    order: Vec<(u64, u32)>,
}

impl<'a> Core<'a> {
    pub fn new(setup: Setup<'a>) -> Core<'a> {
        let Setup { network, routes, settings, window, lengths } = setup;
        let channels = network.channels() as usize;
        let drops = settings.full == FullBufferRule::Drop;
        let rates = &network.rates;
        let each = |of: &dyn Fn(usize, u32) -> u64| {
            let lengths = &lengths;
            (0..rates.len()).flat_map(|rate| lengths.iter().map(move |&l| of(rate, l))).collect::<Vec<u64>>()
        };
        let tail = each(&|rate, length| rates[rate].after(length - 1));
        let span = each(&|rate, length| rates[rate].after(length));
        let vcs = VirtualChannels::new(network.channels(), routes.routing, settings);
        let buffers = channels << vcs.shift;
        let room = |buffer: usize| network.nodes[network.to[buffer >> vcs.shift] as usize].room;
        let input = Input { front: NONE, behind: List::EMPTY, clear: 0 };
        let resource = Resource { free: 0, requests: List::EMPTY, input: 0, wakes: false, dirty: false };
        // Several virtual channels, shared memories and drops have rules of their own.
        let is_plain = vcs.count == 1 && settings.shared_buffer.is_none() && !drops;
        Core {
            network,
            now: 0,
            counts: Counts { sent: vec![0; channels], ..Counts::default() },
            routes,
            window,
            link_delay: settings.link_delay.into(),
            // A network that drops frames checks the buffer itself.
            credit_delay: if drops { 0 } else { settings.credit_delay.into() },
            drops,
            lead: leads(network, &lengths),
            lengths,
            tail,
            span,
            frames: Vec::new(),
            unused: NONE,
            paths: Vec::new(),
            stride: 8,
            slots: Vec::new(),
            path: Vec::new(),
            inputs: vec![input; buffers + channels],
            ports: vec![0; if vcs.count > 1 { channels } else { 0 }],
            resources: vec![resource; channels],
            ends: if is_plain { ends(network) } else { vec![End::Varies; channels] },
            room: (0..buffers).map(room).collect(),
            held: vec![0; buffers],
            pools: Pools::new(network.nodes.len(), &network.to, settings),
            vcs,
            wheel: Wheel::new(),
            dirty: Vec::new(),
            order: Vec::new(),
        }
    }

    /// Flits of a frame, by the number of its length.
    pub fn flits(&self, length: u16) -> u32 {
        self.lengths[length as usize]
    }

    /// Schedules a call of [`Source::wake`] in a later cycle, or in cycle 0.
    pub fn wake(&mut self, node: u32, time: u64) {
        self.wheel.add(time, node << KIND_BITS | WAKE);
    }

    /// Largest number of frames at any one time.
    #[cfg(test)]
    pub fn max_frames(&self) -> usize {
        self.frames.len()
    }

    /// `true` if a frame waits at its source for this channel.
    pub fn has_waiting(&self, channel: u32) -> bool {
        self.inputs[(self.buffers() + channel) as usize].front != NONE
    }

    /// Appends a new frame to its source queue.
    pub fn inject(&mut self, made: NewFrame) -> Result<(), SimulateError> {
        let queue = self.buffers() + self.first_channel((made.from, made.to), made.choice)?;
        let frame = made.at_source(queue);
        let number = self.new_frame(frame);
        if self.inputs[queue as usize].front == NONE {
            self.keep_path(number)?;
            self.bring_forward(queue, number);
        } else {
            self.inputs[queue as usize].behind.append(&mut self.frames, number);
        }
        Ok(())
    }

    /// Puts a new frame with a known path at the front of its source queue, which is empty. `leg` is the number of hops before its
    /// random host, all if there is none.
    pub fn inject_along(&mut self, made: NewFrame, path: &[u32], leg: u16) {
        let queue = self.buffers() + path[0];
        let frame = Frame { leg, ..made.at_source(queue) };
        let number = self.new_frame(frame);
        self.store_path(number, path);
        self.bring_forward(queue, number);
    }

    pub fn next(&self) -> Option<u64> {
        self.wheel.next()
    }

    /// Processes all events of the cycle returned by [`Core::next`].
    pub fn cycle<S: Source>(
        &mut self,
        time: u64,
        events: &mut Vec<Event>,
        source: &mut S,
    ) -> Result<(), SimulateError> {
        self.wheel.take(time, events);
        self.now = time;
        // First what becomes free: requests of the same cycle can use it.
        for &event in events.iter() {
            let thing = event >> KIND_BITS;
            match event & ((1 << KIND_BITS) - 1) {
                ROOM_FREE => {
                    self.room[thing as usize] += 1;
                    self.mark(self.network.resource[self.link(thing) as usize]);
                }
                POOL_FREE => self.pool_freed(thing),
                PORT_FREE => self.wake_port(thing),
                CHANNEL_FREE => {
                    self.resources[thing as usize].wakes = false;
                    self.mark(thing);
                }
                _ => {}
            }
        }
        self.sort_arrivals(events);
        for &event in events.iter() {
            let thing = event >> KIND_BITS;
            match event & ((1 << KIND_BITS) - 1) {
                REQUEST => self.request(thing),
                ARRIVE => self.arrive(thing),
                RECEIVED => {
                    let frame = self.frames[thing as usize].clone();
                    self.forget(thing);
                    source.received(self, &frame)?;
                }
                WAKE => source.wake(self, thing)?,
                _ => {}
            }
        }
        self.sort_dirty();
        // Sources may inject frames in response, which adds to `dirty`.
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
        if !state.dirty && state.requests.first != NONE {
            state.dirty = true;
            self.dirty.push(resource);
        }
    }

    /// Arbitrates the channels that the virtual channels of a link request.
    fn wake_port(&mut self, link: u32) {
        for vc in 0..self.vcs.count {
            let front = self.inputs[(link << self.vcs.shift | vc) as usize].front;
            if front != NONE {
                let next = self.channel(front, self.frames[front as usize].at);
                self.mark(self.network.resource[next as usize]);
            }
        }
    }

    /// Adds a frame to the requests for its next channel.
    #[inline]
    fn request(&mut self, number: u32) {
        let now = self.now;
        let channel = self.channel(number, self.frames[number as usize].at);
        let resource = self.network.resource[channel as usize];
        let frame = &mut self.frames[number as usize];
        (frame.requested, frame.next) = (now, NONE);
        self.resources[resource as usize].requests.append(&mut self.frames, number);
        self.mark(resource);
    }

    /// Removes a frame that leaves over a channel from its input: its room becomes free, and the next frame moves to the front.
    fn leave(&mut self, input: u32, over: u32, clear: u64) -> Result<(), SimulateError> {
        let buffer = input < self.buffers();
        if buffer {
            let link = self.link(input);
            self.free_room(input, over, clear);
            if self.network.nodes[self.network.to[link as usize] as usize].shared {
                return Ok(());
            }
            if let Some(port) = self.ports.get_mut(link as usize) {
                *port = clear;
                self.wheel.add(clear, link << KIND_BITS | PORT_FREE);
            }
        }
        let state = &mut self.inputs[input as usize];
        state.clear = clear;
        let next = state.behind.first;
        state.front = NONE;
        if next == NONE {
            return Ok(());
        }
        state.behind.remove(&mut self.frames, NONE, next);
        if !buffer {
            self.keep_path(next)?;
        }
        self.bring_forward(input, next);
        Ok(())
    }

    /// Puts a frame into the next buffer and takes its room.
    fn enter(&mut self, number: u32) {
        let buffer = self.input(number);
        self.take_room(buffer, self.channel(number, self.frames[number as usize].at));
        if self.network.nodes[self.network.to[self.link(buffer) as usize] as usize].shared {
            let head = self.frames[number as usize].head;
            self.request_at(self.ready(number, head), number);
        } else if self.inputs[buffer as usize].front == NONE {
            self.bring_forward(buffer, number);
        } else {
            self.inputs[buffer as usize].behind.append(&mut self.frames, number);
        }
    }

    /// Handles a head that reaches a buffer which may be full.
    fn arrive(&mut self, number: u32) {
        let buffer = self.input(number);
        if self.has_room(buffer, self.channel(number, self.frames[number as usize].at)) {
            self.enter(number);
        } else {
            self.counts.lost += 1;
            self.forget(number);
        }
    }

    /// Makes a frame the next one to leave its input.
    fn bring_forward(&mut self, input: u32, number: u32) {
        let state = &mut self.inputs[input as usize];
        state.front = number;
        self.frames[number as usize].next = NONE;
        let clear = state.clear.max(self.frames[number as usize].head);
        let ready = if input < self.buffers() { self.ready(number, clear) } else { clear };
        self.request_at(ready, number);
    }

    fn request_at(&mut self, time: u64, number: u32) {
        if time <= self.now {
            self.request(number);
        } else {
            self.wheel.add(time, number << KIND_BITS | REQUEST);
        }
    }

    /// Cycle from which a buffered frame can request its next channel, if it is at the front from cycle `front` on.
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

    /// Index in the path after a frame's next hop.
    #[inline]
    fn hop_end(&self, number: u32) -> u16 {
        let frame = &self.frames[number as usize];
        let start = frame.slot as usize * self.stride;
        self.network.hop_end(&self.paths[start..start + usize::from(frame.hops)], frame.at.into()) as u16
    }

    /// Buffer or source queue of a frame.
    #[inline]
    fn input(&self, number: u32) -> u32 {
        self.frames[number as usize].input
    }

    /// Number of buffers.
    #[inline]
    pub fn buffers(&self) -> u32 {
        self.network.channels() << self.vcs.shift
    }

    /// Channel at whose end a buffer is.
    #[inline]
    pub fn link(&self, buffer: u32) -> u32 {
        buffer >> self.vcs.shift
    }

    #[inline]
    fn channel(&self, number: u32, at: u16) -> u32 {
        self.paths[self.frames[number as usize].slot as usize * self.stride + usize::from(at)]
    }

    #[inline]
    fn timed(&self, channel: u32, length: u16) -> usize {
        usize::from(self.network.rate[channel as usize]) * self.lengths.len() + usize::from(length)
    }
}
