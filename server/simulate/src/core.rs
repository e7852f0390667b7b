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

mod grants;
mod parts;
mod paths;

pub(crate) use parts::{Frame, Made, NONE, Setup, Source};

use crate::{
    SimulateError,
    measure::Window,
    network::Network,
    routes::Routes,
    wheel::{Event, Wheel},
};
use parts::{Counts, Input, Resource, leads};
use shared::simulation::Full;

/// Kinds of events, in the low bits; the others number the thing.
const ROOM: Event = 0;
const FREE: Event = 1;
const ASKS: Event = 2;
const COMES: Event = 3;
const RECEIVED: Event = 4;
const WAKE: Event = 5;
const KIND_BITS: u32 = 3;

/// The state of a simulation.
pub(crate) struct Core<'a> {
    pub network: &'a Network,
    pub now: u64,
    pub counts: Counts,
    pub routes: Routes<'a>,
    pub window: Window,
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

    /// Flits of frames of a length's number.
    pub fn flits(&self, length: u8) -> u32 {
        self.lengths[length as usize]
    }

    /// Has a node woken in a cycle after this one, or in cycle 0.
    pub fn wake(&mut self, node: u32, time: u64) {
        self.wheel.add(time, node << KIND_BITS | WAKE);
    }

    /// The most frames there were at a time.
    #[cfg(test)]
    pub fn most_frames(&self) -> usize {
        self.frames.len()
    }

    /// Whether a frame waits at its source to be sent over a channel.
    pub fn waits(&self, channel: u32) -> bool {
        self.inputs[(self.network.channels() + channel) as usize].front != NONE
    }

    /// Puts a new frame at the end of its source's queue.
    pub fn inject(&mut self, made: Made) -> Result<(), SimulateError> {
        let Made { born, from, to, choice, length, tag } = made;
        let queue = self.network.channels() + self.first_channel((from, to), choice)?;
        let frame = Frame {
            born,
            head: born,
            asked: born,
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
}
