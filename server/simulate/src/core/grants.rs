//! Arbitration: which request gets a free channel, and what follows.

use super::{ARRIVE, CHANNEL_FREE, Core, End, Frame, KIND_BITS, NONE, RECEIVED, Source};
use crate::{SimulateError, virtual_channels::Hop};
use std::{cmp::Reverse, ops::Range};

impl Core<'_> {
    /// Grants a free channel to one of its requests.
    pub(super) fn arbitrate<S: Source>(
        &mut self,
        resource: u32,
        source: &mut S,
    ) -> Result<(), SimulateError> {
        let state = &mut self.resources[resource as usize];
        if state.requests.first == NONE {
            return Ok(());
        }
        if state.free > self.now {
            if !state.wakes {
                state.wakes = true;
                self.wheel.add(state.free, resource << KIND_BITS | CHANNEL_FREE);
            }
            return Ok(());
        }
        match self.winner(resource) {
            Some((before, number, end)) => self.grant(resource, before, number, end, source),
            None => Ok(()),
        }
    }

    /// Request to grant: the frame before it in the list, the frame, and the index in its path where the hop ends.
    fn winner(&self, resource: u32) -> Option<(u32, u32, u16)> {
        let inputs = self.inputs.len() as u32;
        let last = self.resources[resource as usize].input;
        let end = self.ends[resource as usize];
        let has_room = end == End::Varies || self.room[resource as usize] > 0;
        if end == End::Buffer && !has_room {
            return None;
        }
        let mut best: Option<(u32, u32, u16)> = None;
        let mut best_turn = u32::MAX;
        let (mut before, mut number) = (NONE, self.resources[resource as usize].requests.first);
        while number != NONE {
            let frame = &self.frames[number as usize];
            if best.is_some_and(|(_, best, _)| self.frames[best as usize].requested != frame.requested) {
                break;
            }
            let (hop_end, is_admitted) = match end {
                End::Varies => {
                    let hop_end = self.hop_end(number);
                    (hop_end, self.admits(number, hop_end) && self.may_leave(number))
                }
                End::Buffer | End::Host => (frame.at + 1, has_room || frame.hops == frame.at + 1),
            };
            if is_admitted {
                let turn = (self.input(number) + inputs - 1 - last) % inputs;
                if turn < best_turn {
                    (best, best_turn) = (Some((before, number, hop_end)), turn);
                }
            }
            (before, number) = (number, frame.next);
        }
        best
    }

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
        let (at, length, hops, tag) = (frame.at, frame.length, frame.hops, frame.tag);
        let over = self.channel(number, at);
        let timed = self.timed(over, length);
        let (tail, span) = (self.tail[timed], self.span[timed]);
        let state = &mut self.resources[resource as usize];
        state.requests.remove(&mut self.frames, before, number);
        (state.free, state.input) = (now + span, input);
        if state.requests.first != NONE && !state.wakes {
            state.wakes = true;
            self.wheel.add(now + span, resource << KIND_BITS | CHANNEL_FREE);
        }
        if S::COUNTS {
            self.count(number, (at, end));
        }
        let next = if end == hops { NONE } else { self.roomiest(number, end) };
        self.leave(input, over, now + tail + 1)?;
        let links = u64::from(end - at);
        let frame = &mut self.frames[number as usize];
        frame.head = now + links * self.link_delay;
        (frame.at, frame.input) = (end, next);
        let head = frame.head;
        if end == hops {
            self.deliver::<S>(number, head, tail);
        } else if self.drops {
            self.wheel.add(head, number << KIND_BITS | ARRIVE);
        } else {
            self.enter(number);
        }
        if at == 0 { source.left(self, input - self.buffers(), tag) } else { Ok(()) }
    }

    /// Counts a frame on its last link.
    fn deliver<S: Source>(&mut self, number: u32, head: u64, tail: u64) {
        let end = head + tail;
        if S::COUNTS {
            let frame = &self.frames[number as usize];
            let (born, channel) = (frame.born, self.channel(number, frame.at - 1));
            let rate = self.network.rates[usize::from(self.network.rate[channel as usize])];
            let flits = self.flits(frame.length);
            self.counts.accepted += self.window.flits(head, flits, |flit| rate.after(flit));
            if end < self.window.end && S::is_counted(frame.tag) {
                self.counts.received += 1;
                self.counts.last = self.counts.last.max(end);
                if self.window.contains(born) {
                    self.counts.latency.add(end - born);
                }
            }
        }
        if S::WANTS_RECEIVED {
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

    /// `true` if there is room at the end of a frame's next hop.
    #[inline]
    fn admits(&self, number: u32, end: u16) -> bool {
        let last = self.frames[number as usize].hops == end;
        if last || self.drops {
            return true;
        }
        if self.vcs.count == 1 && self.pools.is_empty() {
            return self.room[self.channel(number, end - 1) as usize] > 0;
        }
        self.wanted(number, end).any(|buffer| self.has_room(buffer, NONE))
    }

    /// Buffers that a frame may enter at the end of its next hop.
    #[inline]
    fn wanted(&self, number: u32, end: u16) -> Range<u32> {
        let Frame { slot, hops, leg, .. } = self.frames[number as usize];
        let start = slot as usize * self.stride;
        let path = &self.paths[start..start + usize::from(hops)];
        self.vcs.buffers(Hop { path, leg: leg.into(), at: usize::from(end) - 1 })
    }

    /// Buffer that a frame enters: the one with most room, the first of several.
    fn roomiest(&self, number: u32, end: u16) -> u32 {
        if self.vcs.count == 1 {
            return self.channel(number, end - 1);
        }
        let wanted = self.wanted(number, end);
        let first = wanted.start;
        wanted.max_by_key(|&buffer| (self.preference(buffer), Reverse(buffer))).unwrap_or(first)
    }

    /// `true` unless another virtual channel of a frame's link is using the crossbar.
    #[inline]
    fn may_leave(&self, number: u32) -> bool {
        if self.ports.is_empty() {
            return true;
        }
        let Frame { at, .. } = self.frames[number as usize];
        at == 0 || self.ports.get(self.channel(number, at - 1) as usize).is_none_or(|&free| free <= self.now)
    }

    /// Sorts the channels to arbitrate by their oldest request that can be granted, if they compete: for the crossbar behind a
    /// link with several virtual channels, or for a shared memory.
    pub(super) fn sort_dirty(&mut self) {
        if self.ports.is_empty() && self.pools.is_empty() {
            return;
        }
        let mut order = std::mem::take(&mut self.order);
        order.extend(self.dirty.iter().map(|&resource| {
            let busy = self.resources[resource as usize].free > self.now;
            let winner = if busy { None } else { self.winner(resource) };
            (winner.map_or(u64::MAX, |(_, number, _)| self.frames[number as usize].requested), resource)
        }));
        order.sort_unstable();
        self.dirty.clear();
        self.dirty.extend(order.drain(..).map(|(_, resource)| resource));
        self.order = order;
    }

    /// Calls `each` for every request with its input and the buffers it needs room in one of, `None` on its last hop.
    pub fn requests(&self, mut each: impl FnMut(u32, Option<Range<u32>>)) {
        for resource in &self.resources {
            let mut number = resource.requests.first;
            while number != NONE {
                let frame = &self.frames[number as usize];
                let end = self.hop_end(number);
                let wants = (end != frame.hops).then(|| self.wanted(number, end));
                each(self.input(number), wants);
                number = frame.next;
            }
        }
    }

    /// Number of a buffer's virtual channel, if there are several.
    pub fn virtual_channel(&self, buffer: u32) -> Option<u32> {
        (self.vcs.count > 1).then_some(buffer & ((1 << self.vcs.shift) - 1))
    }

    /// `true` if senders wait for room in full buffers.
    pub fn blocks(&self) -> bool {
        !self.drops
    }
}
