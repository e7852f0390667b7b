//! What a simulation will take, before it is begun.

use crate::{
    Open, SimulateError,
    closed::{self, Closed},
    dice::Dice,
    open::placed,
};
use shared::{
    fabric::{Fabric, Routing},
    simulation::{Paths, Settings},
};

/// Pairs whose paths are looked at.
const SAMPLE: u32 = 2000;
/// Nanoseconds a frame takes for a hop, and for being made; measured on one core, and rounded up to be safe.
const HOP_NANOSECONDS: f64 = 300.0;
const FRAME_NANOSECONDS: f64 = 500.0;
/// Bytes of a frame, of a channel with its buffer and source, of a host.
const FRAME_BYTES: u64 = 80;
const CHANNEL_BYTES: u64 = 160;
const HOST_BYTES: u64 = 128;

/// What a simulation will take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Frames it sends.
    pub frames: f64,
    /// Channels a frame passes, on average over a sample.
    pub hops: f64,
    /// Bytes of memory, at most.
    pub bytes: u64,
    /// Seconds on one core, roughly.
    pub seconds: f64,
}

/// For one offered load.
///
/// # Errors
/// A pair without a path.
pub fn estimate(open: &Open, load: f64) -> Result<Estimate, SimulateError> {
    let Open { fabric, routing, settings, traffic, seed } = *open;
    let places = placed(settings, traffic.nodes(), fabric.hosts, seed);
    let mut dice = Dice::new(seed, u64::MAX - 1);
    let senders: Vec<u32> = (0..traffic.nodes()).filter(|&node| traffic.rate(node) > 0.0).collect();
    let hops = mean_hops(routing, settings, || {
        let from = senders[dice.below(senders.len() as u32) as usize];
        let to = traffic.draw(from, &mut dice);
        (places[from as usize], places[to as usize])
    })?;
    let rate = load.max(0.0) * f64::from(traffic.senders()) / f64::from(settings.frame());
    let frames = rate * settings.cycles as f64;
    // At the worst nobody receives anything.
    Ok(taken(fabric, settings, frames, hops, frames))
}

/// For a collective operation.
///
/// # Errors
/// A pair without a path.
pub fn estimate_collective(closed: &Closed) -> Result<Estimate, SimulateError> {
    let Closed { fabric, routing, settings, nodes, message, rounds, seed, .. } = *closed;
    let places = placed(settings, nodes, fabric.hosts, seed);
    let mut dice = Dice::new(seed, u64::MAX - 1);
    let hops = mean_hops(routing, settings, || {
        let from = dice.below(nodes);
        let to = (from + 1 + dice.below(nodes - 1)) % nodes;
        (places[from as usize], places[to as usize])
    })?;
    let each = closed::frames(settings, message) as f64;
    let frames = closed::messages(closed.collective, nodes) as f64 * f64::from(rounds) * each;
    Ok(taken(fabric, settings, frames, hops, 4.0 * fabric.links.len() as f64))
}

fn mean_hops(
    routing: &dyn Routing,
    settings: &Settings,
    mut pair: impl FnMut() -> (u32, u32),
) -> Result<f64, SimulateError> {
    let mut path = Vec::new();
    for _ in 0..SAMPLE {
        let (from, to) = pair();
        if routing.choices(from, to) == 0 {
            return Err(SimulateError::NoPath { from, to });
        }
        routing.path(from, to, 0, &mut path);
    }
    let detour = if settings.paths == Paths::RandomIntermediate { 2.0 } else { 1.0 };
    Ok(detour * path.len() as f64 / f64::from(SAMPLE))
}

fn taken(fabric: &Fabric, settings: &Settings, frames: f64, hops: f64, waiting: f64) -> Estimate {
    let channels = u64::from(fabric.channels());
    let hosts = u64::from(fabric.hosts);
    let room = |channel| {
        let host = fabric.is_host(fabric.channel_ends(channel).1);
        u64::from(if host { settings.host_buffer } else { settings.buffer })
    };
    let buffers: u64 = (0..fabric.channels()).map(room).sum();
    let inside = (buffers + 2 * channels).min(frames as u64 + 1);
    let path = 4 * (4.0 * hops).max(8.0) as u64;
    let pairs = if settings.paths == Paths::Alternate { hosts * hosts } else { 0 };
    // Memory that grows is twice as large at times.
    let moving = 2 * (inside * (FRAME_BYTES + path) + waiting as u64 * FRAME_BYTES);
    Estimate {
        frames,
        hops,
        bytes: moving + channels * CHANNEL_BYTES + hosts * HOST_BYTES + pairs,
        seconds: frames * (FRAME_NANOSECONDS + hops * HOP_NANOSECONDS) / 1e9,
    }
}
