//! Room in buffers: that of each buffer, or of a memory that all links of a switch share.
//!
//! A port of a shared memory holds up to alpha times the free part (Choudhury and Hahne, "Dynamic queue length thresholds for
//! shared-memory packet switches", 1998). If senders wait for room, the port is the incoming link, as for PFC. If frames are
//! dropped, it is the outgoing one.

use super::{ARRIVE, Core, KIND_BITS, POOL_FREE, ROOM_FREE};
use crate::wheel::Event;
use work::simulation::Settings;

/// Shared memories; all lists are empty if there are none.
pub(super) struct Pools {
    pub alpha: f64,
    /// Frames in the memory of each node and at each port, as known to senders.
    used: Vec<u32>,
    held: Vec<u32>,
    /// Channels that end at each node.
    arriving: Vec<Vec<u32>>,
}

impl Pools {
    pub fn new(nodes: usize, to: &[u32], settings: &Settings) -> Pools {
        let (nodes, channels) = match settings.shared_buffer {
            Some(_) => (nodes, to.len()),
            None => (0, 0),
        };
        let mut arriving = vec![Vec::new(); nodes];
        for (channel, &node) in (0..).zip(&to[..channels]) {
            arriving[node as usize].push(channel);
        }
        Pools { alpha: settings.alpha, used: vec![0; nodes], held: vec![0; channels], arriving }
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.used.is_empty()
    }
}

impl Core<'_> {
    /// Node at which a buffer is, if its links share a memory.
    #[inline]
    fn pool(&self, buffer: u32) -> Option<u32> {
        if self.pools.is_empty() {
            return None;
        }
        let node = self.network.to[self.link(buffer) as usize];
        self.network.nodes[node as usize].pool.then_some(node)
    }

    /// Port that holds a frame in the buffer of a shared memory that will leave over a channel.
    fn port(&self, buffer: u32, over: u32) -> u32 {
        if self.drops { over } else { self.link(buffer) }
    }

    /// `true` if a buffer has room for a frame that will leave over a channel, as known to its sender.
    #[inline]
    pub fn has_room(&self, buffer: u32, over: u32) -> bool {
        let Some(node) = self.pool(buffer) else { return self.room[buffer as usize] > 0 };
        let free = self.network.nodes[node as usize].room - self.pools.used[node as usize];
        let held = self.pools.held[self.port(buffer, over) as usize];
        free > 0 && f64::from(held) < self.pools.alpha * f64::from(free)
    }

    /// Free space in a buffer, used to choose a virtual channel.
    pub(super) fn preference(&self, buffer: u32) -> u32 {
        match self.pool(buffer) {
            Some(_) => u32::MAX - self.held[buffer as usize],
            None => self.room[buffer as usize],
        }
    }

    /// Takes room for a frame that will leave over a channel.
    #[inline]
    pub(super) fn take_room(&mut self, buffer: u32, over: u32) {
        self.held[buffer as usize] += 1;
        let Some(node) = self.pool(buffer) else {
            self.room[buffer as usize] -= 1;
            return;
        };
        let port = self.port(buffer, over);
        self.pools.used[node as usize] += 1;
        self.pools.held[port as usize] += 1;
    }

    /// Frees, a credit delay after `clear`, the room of a frame that leaves over a channel.
    #[inline]
    pub(super) fn free_room(&mut self, buffer: u32, over: u32, clear: u64) {
        self.held[buffer as usize] -= 1;
        let event = match self.pool(buffer) {
            Some(_) => self.port(buffer, over) << KIND_BITS | POOL_FREE,
            None => buffer << KIND_BITS | ROOM_FREE,
        };
        self.wheel.add(clear + self.credit_delay, event);
    }

    /// Handles free room at the port of a shared memory, which raises the threshold of all its ports.
    pub(super) fn pool_freed(&mut self, port: u32) {
        let ends = if self.drops { &self.network.from } else { &self.network.to };
        let node = ends[port as usize] as usize;
        self.pools.used[node] -= 1;
        self.pools.held[port as usize] -= 1;
        for at in 0..self.pools.arriving[node].len() {
            self.mark(self.network.resource[self.pools.arriving[node][at] as usize]);
        }
    }

    /// Sorts heads that reach shared memories in one cycle by their links.
    pub(super) fn sort_arrivals(&self, events: &mut [Event]) {
        if self.drops && !self.pools.is_empty() {
            events.sort_unstable_by_key(|&event| match event & ((1 << KIND_BITS) - 1) {
                ARRIVE => (Some(self.input(event >> KIND_BITS)), event),
                _ => (None, event),
            });
        }
    }

    /// Buffer that stands for all that share its memory.
    pub fn place(&self, buffer: u32) -> u32 {
        self.pool(buffer).map_or(buffer, |node| self.pools.arriving[node as usize][0] << self.vcs.shift)
    }

    /// Number of blocked requests that make a buffer, or the memory for which it stands, stuck; `None` while it is not full.
    pub fn full(&self, place: u32) -> Option<u32> {
        let node = self.network.to[self.link(place) as usize];
        let Some(_) = self.pool(place) else {
            let node = &self.network.nodes[node as usize];
            let full = node.room > 0 && self.held[place as usize] == node.room;
            return full.then_some(if node.shared { node.room } else { 1 });
        };
        let buffers = |&channel: &u32| channel << self.vcs.shift..(channel + 1) << self.vcs.shift;
        let arriving = self.pools.arriving[node as usize].iter().flat_map(buffers);
        let frames = arriving.map(|buffer| self.held[buffer as usize]).sum();
        (frames > 0).then_some(frames)
    }
}
