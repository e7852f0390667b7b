//! What a simulation will take, before it is begun.
//!
//! First from the paths of some pairs, as if nothing waited; where that would be much, from a pilot besides: the first some
//! thousand cycles, which tell how much the network delivers. Both are counted in frames and hops, so that the same
//! simulation is foreseen alike everywhere.

use crate::{
    Open, SimulateError, Watch,
    closed::{self, Closed},
    dice::Dice,
    open::{placed, simulate},
};
use shared::{
    fabric::{Fabric, Routing},
    simulation::{Paths, Settings},
};

/// Pairs whose paths are looked at.
const SAMPLE: u32 = 2000;
/// Nanoseconds a frame takes for a hop in a network that fits the cache, and more for each doubling of its channels; and for
/// being made. Measured on one core, and rounded up to be safe.
const HOP_NANOSECONDS: f64 = 250.0;
const HOP_NANOSECONDS_DOUBLED: f64 = 60.0;
const CACHED_CHANNELS: f64 = 400.0;
const FRAME_NANOSECONDS: f64 = 500.0;
/// Bytes of a frame, of a channel with its buffer and source, of a host.
const FRAME_BYTES: u64 = 80;
const CHANNEL_BYTES: u64 = 160;
const HOST_BYTES: u64 = 128;
/// Half a pilot takes so many times what a frame takes alone.
const PILOT: f64 = 8.0;
/// Most hops of a pilot's frames, each of which counts as some hops itself: some seconds, and some hundred megabytes.
const MOST_PILOT: f64 = 1e7;
const FRAME_HOPS: f64 = 5.0;
/// Nanoseconds for drawing a frame once more, which every network interface of a host does but the one that sends it.
const DRAW_NANOSECONDS: f64 = 80.0;

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

/// What is known of a network and its traffic, for foreseeing several loads.
pub struct Foresight<'a> {
    open: Open<'a>,
    sampled: Sampled,
    pilot: Option<Pilot>,
}

/// What paths are like.
#[derive(Clone, Copy)]
struct Sampled {
    hops: f64,
    /// Whether hosts hand frames on.
    forwards: bool,
}

/// What the beginning of a simulation tells.
#[derive(Clone, Copy)]
struct Pilot {
    /// Frames received in a cycle, once it goes on steadily.
    delivered: f64,
}

/// For one offered load.
///
/// # Errors
/// A pair without a path.
pub fn estimate(open: &Open, load: f64) -> Result<Estimate, SimulateError> {
    Ok(Foresight::new(open)?.at(load))
}

impl<'a> Foresight<'a> {
    /// Looks at paths.
    ///
    /// # Errors
    /// A pair without a path.
    pub fn new(open: &Open<'a>) -> Result<Foresight<'a>, SimulateError> {
        let Open { fabric, routing, settings, traffic, seed } = *open;
        let places = placed(settings, traffic.nodes(), fabric.hosts, seed);
        let place = |(from, to): (u32, u32)| (places[from as usize], places[to as usize]);
        joined(routing, traffic.pairs().map(place))?;
        let mut dice = Dice::new(seed, u64::MAX - 1);
        let senders: Vec<u32> = (0..traffic.nodes()).filter(|&node| traffic.rate(node) > 0.0).collect();
        let sampled = sample(fabric, routing, settings, || {
            let from = senders[dice.below(senders.len() as u32) as usize];
            place((from, traffic.draw(from, &mut dice)))
        });
        Ok(Foresight { open: *open, sampled, pilot: None })
    }

    /// Knows besides how a pilot goes at this load, which should be the largest that is to be foreseen; unless the whole is
    /// hardly longer than a pilot, or the pilot itself would take long or ends in a deadlock.
    ///
    /// # Errors
    /// As those of [`simulate`].
    pub fn with_pilot(mut self, load: f64, watch: &dyn Watch) -> Result<Self, SimulateError> {
        let settings = self.open.settings;
        let Sampled { hops, forwards } = self.sampled;
        let node = if forwards { settings.host_delay } else { settings.routing_delay };
        let alone = f64::from(settings.frame()) + hops * f64::from(settings.link_delay + node);
        let half = (PILOT * alone) as u64;
        let rate = self.rate(load);
        // Half a pilot and a whole one.
        let work = 3.0 * half as f64 * (FRAME_HOPS * rate + hops * rate.min(self.capacity()));
        if settings.cycles < 4 * half || work > MOST_PILOT {
            return Ok(self);
        }
        let until = |cycles| {
            let settings = Settings { cycles, ignored: 0, ..settings.clone() };
            simulate(&Open { settings: &settings, ..self.open }, load, watch)
        };
        let (first, both) = (until(half)?, until(2 * half)?);
        if both.deadlock.is_none() && first.deadlock.is_none() {
            let delivered = (both.received + both.lost - first.received - first.lost) as f64 / half as f64;
            self.pilot = Some(Pilot { delivered });
        }
        Ok(self)
    }

    /// For one offered load.
    pub fn at(&self, load: f64) -> Estimate {
        let Open { fabric, settings, .. } = self.open;
        let rate = self.rate(load);
        let cycles = settings.cycles as f64;
        let frames = rate * cycles;
        // Without a pilot, at the worst: as many are moved as channels carry.
        let most = self.pilot.map_or(self.capacity(), |pilot| pilot.delivered);
        let mut whole = taken(fabric, settings, self.sampled, [frames, rate.min(most) * cycles]);
        let interfaces = self.streams() / f64::from(fabric.hosts.max(1));
        whole.seconds += frames * (interfaces - 1.0).max(0.0) * DRAW_NANOSECONDS / 1e9;
        whole
    }

    /// Channels that leave hosts.
    fn streams(&self) -> f64 {
        let fabric = self.open.fabric;
        let from_host = |channel: &u32| fabric.is_host(fabric.channel_ends(*channel).0);
        (0..fabric.channels()).filter(from_host).count() as f64
    }

    /// Frames that all channels together carry over all their hops in a cycle, at most.
    fn capacity(&self) -> f64 {
        let Open { fabric, settings, .. } = self.open;
        f64::from(fabric.channels()) / f64::from(settings.frame()) / self.sampled.hops.max(1.0)
    }

    /// Frames made in a cycle.
    fn rate(&self, load: f64) -> f64 {
        let Open { settings, traffic, .. } = self.open;
        load.max(0.0) * f64::from(traffic.senders()) / f64::from(settings.frame())
    }
}

/// For a collective operation.
///
/// # Errors
/// A pair without a path, or numbers that cannot be.
pub fn estimate_collective(closed: &Closed) -> Result<Estimate, SimulateError> {
    closed::check(closed)?;
    let Closed { fabric, routing, settings, nodes, message, rounds, seed, .. } = *closed;
    let places = placed(settings, nodes, fabric.hosts, seed);
    let place = |from: u32, to: u32| (places[from as usize], places[to as usize]);
    joined(routing, (0..nodes).map(|node| place(node, (node + 1) % nodes)))?;
    let mut dice = Dice::new(seed, u64::MAX - 1);
    let sampled = sample(fabric, routing, settings, || {
        let from = dice.below(nodes);
        place(from, (from + 1 + dice.below(nodes - 1)) % nodes)
    });
    let each = closed::frames(settings, message) as f64;
    let frames = closed::messages(closed.collective, nodes) as f64 * f64::from(rounds) * each;
    Ok(taken(fabric, settings, sampled, [frames, frames]))
}

fn joined(routing: &dyn Routing, mut pairs: impl Iterator<Item = (u32, u32)>) -> Result<(), SimulateError> {
    match pairs.find(|&(from, to)| routing.choices(from, to) == 0) {
        Some((from, to)) => Err(SimulateError::NoPath { from, to }),
        None => Ok(()),
    }
}

fn sample(
    fabric: &Fabric,
    routing: &dyn Routing,
    settings: &Settings,
    mut pair: impl FnMut() -> (u32, u32),
) -> Sampled {
    let mut path = Vec::new();
    let (mut channels, mut forwards) = (0, settings.paths == Paths::RandomIntermediate);
    for _ in 0..SAMPLE {
        let (from, to) = pair();
        if routing.choices(from, to) == 0 {
            // Told by the simulation, if it comes to it.
            continue;
        }
        path.clear();
        routing.path(from, to, 0, &mut path);
        channels += path.len();
        let inner = path.split_last().map_or(&[][..], |(_, inner)| inner);
        forwards |= inner.iter().any(|&channel| fabric.is_host(fabric.channel_ends(channel).1));
    }
    let detour = if settings.paths == Paths::RandomIntermediate { 2.0 } else { 1.0 };
    Sampled { hops: detour * channels as f64 / f64::from(SAMPLE), forwards }
}

/// `frames` are made, and as many as `moved` go all their way. Frames that wait at their sources take no memory, but for
/// some at each channel.
fn taken(fabric: &Fabric, settings: &Settings, sampled: Sampled, [frames, moved]: [f64; 2]) -> Estimate {
    let Sampled { hops, forwards } = sampled;
    let channels = u64::from(fabric.channels());
    let hosts = u64::from(fabric.hosts);
    let room = |channel| match fabric.is_host(fabric.channel_ends(channel).1) {
        true => u64::from(if forwards { settings.host_buffer } else { 0 }),
        false => u64::from(settings.buffer),
    };
    let buffers: u64 = (0..fabric.channels()).map(room).sum();
    let inside = (buffers + 4 * channels).min((frames as u64).saturating_add(1));
    let path = 4 * (4.0 * hops).max(8.0) as u64;
    let pairs = if settings.paths == Paths::Alternate { hosts * hosts } else { 0 };
    // Memory that grows is twice as large at times.
    let moving = 2 * inside * (FRAME_BYTES + path);
    let doublings = (channels as f64 / CACHED_CHANNELS).max(1.0).log2();
    let hop = HOP_NANOSECONDS + doublings * HOP_NANOSECONDS_DOUBLED;
    Estimate {
        frames,
        hops,
        bytes: moving + channels * CHANNEL_BYTES + hosts * HOST_BYTES + pairs,
        seconds: (frames * FRAME_NANOSECONDS + moved * hops * hop) / 1e9,
    }
}
