//! Background traffic: frames at an offered load, generated until the operation ends.
//!
//! A host queues at most as many of them as of the operation, so that both get their share of a busy NIC. Frames beyond wait
//! without taking memory, since the random stream alone determines them.

use super::{Background, node::Node};
use crate::{
    SimulateError,
    core::{Core, NONE, NewFrame},
    open::{gap, scale},
    random_stream,
};
use spec::random::Rng;
use work::simulation::BackgroundResult;

/// Frames of every node.
pub(super) struct Generators<'a> {
    background: Background<'a>,
    streams: Vec<Stream>,
    /// Number of the first node's [`Core::wake`].
    first: u32,
    received: u64,
}

struct Stream {
    rng: Rng,
    scale: f64,
    /// Cycle of the next frame's generation; `u64::MAX` if there is none.
    clock: u64,
    /// Frames that were queued.
    frames: u64,
    /// Frames in source queues.
    queued: u32,
    /// `true` if the next frame is due but the queues are full.
    waits: bool,
}

impl<'a> Generators<'a> {
    pub fn new(background: Background<'a>, frame: u32, seed: u64, first: u32) -> Self {
        let Background { traffic, load } = background;
        let stream = |node| {
            let mut rng = random_stream(seed, u64::from(node));
            let scale = scale(load / f64::from(frame) * traffic.rate(node));
            let clock = if traffic.rate(node) > 0.0 { gap(&mut rng, scale) - 1 } else { u64::MAX };
            Stream { rng, scale, clock, frames: 0, queued: 0, waits: false }
        };
        let streams = (0..traffic.nodes()).map(stream).collect();
        Generators { background, streams, first, received: 0 }
    }

    pub fn start(&self, core: &mut Core) {
        for (number, stream) in (self.first..).zip(&self.streams).filter(|(_, s)| s.clock < u64::MAX) {
            core.wake(number, stream.clock);
        }
    }

    /// Queues the frames of a node that are due, up to its limit.
    pub fn fill(&mut self, core: &mut Core, node: u32, nodes: &mut [Node]) -> Result<(), SimulateError> {
        let stream = &mut self.streams[node as usize];
        let Node { host, limit, .. } = nodes[node as usize];
        while stream.clock <= core.now && stream.queued < limit {
            let to = self.background.traffic.draw(node, &mut stream.rng);
            let to = nodes[to as usize].host;
            let choice = nodes[node as usize].chooser.choose(&core.routes, host, to);
            core.inject(NewFrame { born: stream.clock, from: host, to, choice, length: 0, tag: NONE })?;
            stream.clock += gap(&mut stream.rng, stream.scale);
            stream.frames += 1;
            stream.queued += 1;
        }
        stream.waits = stream.clock <= core.now;
        if !stream.waits {
            core.wake(self.first + node, stream.clock);
        }
        Ok(())
    }

    /// Handles a frame that starts to leave its source.
    pub fn left(&mut self, core: &mut Core, node: u32, nodes: &mut [Node]) -> Result<(), SimulateError> {
        let stream = &mut self.streams[node as usize];
        stream.queued -= 1;
        if stream.waits { self.fill(core, node, nodes) } else { Ok(()) }
    }

    pub fn receive(&mut self) {
        self.received += 1;
    }

    /// Figures of the cycles before `end`.
    pub fn result(mut self, frame: u32, end: u64) -> BackgroundResult {
        let Background { traffic, load } = self.background;
        let mut frames = 0;
        for (node, stream) in (0..).zip(&mut self.streams) {
            while stream.clock < end {
                traffic.draw(node, &mut stream.rng);
                stream.clock += gap(&mut stream.rng, stream.scale);
                stream.frames += 1;
            }
            frames += stream.frames;
        }
        let each = end as f64 * f64::from(traffic.senders());
        BackgroundResult {
            offered: load,
            accepted: (self.received * u64::from(frame)) as f64 / each.max(1.0),
            delivered: self.received as f64 / frames.max(1) as f64,
            frames,
            received: self.received,
        }
    }
}
