//! Estimates of the time and memory of a simulation.
//!
//! A first estimate uses the paths of a sample of pairs and assumes that no frame waits. For long simulations a pilot run of
//! some thousand cycles measures how much the network delivers. Both count frames and hops, so that the same simulation has
//! the same estimate on every machine.

use crate::{
    Background, ClosedInput, GroupedInput, Observer, OpenInput, SimulateError,
    closed::{self, Program},
    network::reference_speed,
    open::{placed, simulate},
    random_stream,
};
use network::fabric::{Fabric, Routing};
use work::simulation::{Paths, Settings};

/// Number of sampled pairs.
const SAMPLE: u32 = 2000;
/// Nanoseconds per frame and hop in a network that fits the cache, extra nanoseconds per doubling of its channels, and
/// nanoseconds to generate a frame. Measured on one core and rounded up.
const HOP_NANOSECONDS: f64 = 250.0;
const HOP_NANOSECONDS_DOUBLED: f64 = 60.0;
const CACHED_CHANNELS: f64 = 400.0;
/// Factor on the time per hop with several virtual channels or shared memories, whose grants are sorted.
const SORTED: f64 = 2.5;
const FRAME_NANOSECONDS: f64 = 500.0;
/// Bytes per frame, per channel with its source queue, per virtual channel with its buffer, and per host.
const FRAME_BYTES: u64 = 80;
const CHANNEL_BYTES: u64 = 112;
const VC_BYTES: u64 = 48;
const HOST_BYTES: u64 = 128;
/// Bytes per member of a group with its message, and per node with background traffic.
const MEMBER_BYTES: u64 = 200;
const STREAM_BYTES: u64 = 96;
/// Length of half a pilot run, in transit times of a lone frame.
const PILOT: f64 = 8.0;
/// Maximum work of a pilot run in hops (a frame counts as `FRAME_HOPS` more): some seconds and some hundred megabytes.
const MAX_PILOT_WORK: f64 = 1e7;
const FRAME_HOPS: f64 = 5.0;
/// Nanoseconds to draw a frame once more, which every NIC of a host does except the one that sends it.
const DRAW_NANOSECONDS: f64 = 80.0;

/// Estimated cost of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Number of frames sent.
    pub frames: f64,
    /// Mean channels per path over a sample.
    pub hops: f64,
    /// Upper bound on memory in bytes.
    pub bytes: u64,
    /// Approximate seconds on one core.
    pub seconds: f64,
}

/// CostModel for several loads of the same network and traffic.
pub struct CostModel<'a> {
    open: OpenInput<'a>,
    sampled: PathSample,
    /// Frames received per cycle in steady state, by a pilot run.
    delivered: Option<f64>,
}

/// Properties of sampled paths.
#[derive(Clone, Copy)]
struct PathSample {
    hops: f64,
    /// `true` if hosts forward frames.
    forwards: bool,
}

impl<'a> CostModel<'a> {
    /// Samples paths.
    ///
    /// # Errors
    /// Returned if a pair has no path.
    pub fn new(open: &OpenInput<'a>) -> Result<CostModel<'a>, SimulateError> {
        let OpenInput { fabric, routing, settings, traffic, seed } = *open;
        let places = placed(settings, traffic.nodes(), fabric.hosts, seed);
        let place = |(from, to): (u32, u32)| (places[from as usize], places[to as usize]);
        joined(routing, traffic.pairs().map(place))?;
        let mut rng = random_stream(seed, u64::MAX - 1);
        let senders: Vec<u32> = (0..traffic.nodes()).filter(|&node| traffic.rate(node) > 0.0).collect();
        let sampled = sample(fabric, routing, settings, || {
            let from = senders[rng.below(senders.len() as u32) as usize];
            place((from, traffic.draw(from, &mut rng)))
        });
        Ok(CostModel { open: *open, sampled, delivered: None })
    }

    /// Adds a pilot run at this load, which should be the largest one to estimate. Skips it if the simulation is hardly longer
    /// than a pilot, if the pilot itself would take long, or if it ends in a deadlock.
    ///
    /// # Errors
    /// Same as for [`simulate`].
    pub fn with_pilot(mut self, load: f64, observer: &dyn Observer) -> Result<Self, SimulateError> {
        let settings = self.open.settings;
        let PathSample { hops, forwards } = self.sampled;
        let node = if forwards { settings.host_delay } else { settings.routing_delay };
        let alone = f64::from(settings.frame()) + hops * f64::from(settings.link_delay + node);
        let half = (PILOT * alone) as u64;
        let rate = self.rate(load);
        // Two runs: half a pilot and a whole one.
        let work = 3.0 * half as f64 * (FRAME_HOPS * rate + hops * rate.min(self.capacity()));
        if settings.cycles < 4 * half || work > MAX_PILOT_WORK {
            return Ok(self);
        }
        let until = |cycles| {
            let settings = Settings { cycles, ignored: 0, ..settings.clone() };
            simulate(&OpenInput { settings: &settings, ..self.open }, load, observer)
        };
        let (first, both) = (until(half)?, until(2 * half)?);
        if both.deadlock.is_none() && first.deadlock.is_none() {
            let delivered = both.received + both.lost - first.received - first.lost;
            self.delivered = Some(delivered as f64 / half as f64);
        }
        Ok(self)
    }

    /// Cost for one offered load.
    pub fn at(&self, load: f64) -> Cost {
        let OpenInput { fabric, settings, .. } = self.open;
        let rate = self.rate(load);
        let cycles = settings.cycles as f64;
        let frames = rate * cycles;
        // Without a pilot, the worst case: the network moves as many frames as its channels carry.
        let delivered = self.delivered.unwrap_or_else(|| self.capacity());
        let mut whole = cost(fabric, settings, self.sampled, [frames, rate.min(delivered) * cycles]);
        let interfaces = self.streams() / f64::from(fabric.hosts.max(1));
        whole.seconds += frames * (interfaces - 1.0).max(0.0) * DRAW_NANOSECONDS / 1e9;
        whole
    }

    /// Number of channels that leave hosts.
    fn streams(&self) -> f64 {
        let fabric = self.open.fabric;
        let from_host = |channel: &u32| fabric.is_host(fabric.channel_ends(*channel).0);
        (0..fabric.channels()).filter(from_host).count() as f64
    }

    /// Maximum frames per cycle that all channels together carry over all their hops.
    fn capacity(&self) -> f64 {
        let OpenInput { fabric, settings, .. } = self.open;
        f64::from(fabric.channels()) / f64::from(settings.frame()) / self.sampled.hops.max(1.0)
    }

    /// Frames generated per cycle.
    fn rate(&self, load: f64) -> f64 {
        let OpenInput { settings, traffic, .. } = self.open;
        load.max(0.0) * f64::from(traffic.senders()) / f64::from(settings.frame())
    }
}

/// Estimates a collective operation in groups, and its background traffic for as long as the operation takes in an empty
/// network, which is a lower bound.
///
/// # Errors
/// Returned for invalid settings, or if a pair has no path.
pub fn collective_cost(grouped: &GroupedInput) -> Result<Cost, SimulateError> {
    closed::check(grouped)?;
    let GroupedInput { closed, groups, background } = *grouped;
    let ClosedInput { fabric, routing, settings, collective, nodes, message, rounds, seed } = closed;
    let places = placed(settings, nodes, fabric.hosts, seed);
    let place = |from: u32, to: u32| (places[from as usize], places[to as usize]);
    let around = groups.iter().flat_map(|group| group.iter().zip(group.iter().cycle().skip(1)));
    joined(routing, around.map(|(&from, &to)| place(from, to)))?;
    let mut rng = random_stream(seed, u64::MAX - 1);
    let sampled = sample(fabric, routing, settings, || {
        // Not drawn if there is one, so that its sample stays the same.
        let group = if groups.len() == 1 { 0 } else { rng.below(groups.len() as u32) };
        let group = &groups[group as usize];
        let from = rng.below(group.len() as u32);
        let program = Program::new(collective, group.len() as u32, message, settings);
        let to = program.partner(from, |bound| rng.below(bound));
        place(group[from as usize], group[to as usize])
    });
    let (frame, nics) = nics(fabric, settings);
    let delay = sampled.hops * f64::from(settings.link_delay + settings.routing_delay);
    let (mut frames, mut cycles, mut bits) = (0.0, 0.0f64, 0);
    for group in groups {
        let program = Program::new(collective, group.len() as u32, message, settings);
        let each = mean_frames(&program, settings, message);
        frames += program.messages() as f64 * f64::from(rounds) * each;
        bits += 2 * u64::from(program.phases()) * group.len() as u64;
        // In an empty network: the frames of the busiest member, or the longest chain of messages.
        let (sends, chain) = program.chain();
        let (busy, waits) = (sends as f64 * each * frame / nics, chain as f64 * (each * frame + delay));
        cycles = cycles.max(f64::from(rounds) * busy.max(waits));
    }
    let mut whole = cost(fabric, settings, sampled, [frames, frames]);
    whole.bytes += bits / 8 + MEMBER_BYTES * groups.iter().map(|group| group.len() as u64).sum::<u64>();
    if let Some(Background { traffic, load }) = background {
        // Channels carry both.
        let carried = frames * sampled.hops * f64::from(settings.frame()) / f64::from(fabric.channels());
        let settings = Settings { cycles: cycles.max(carried) as u64, ..settings.clone() };
        let open = OpenInput { fabric, routing, settings: &settings, traffic, seed };
        let beside = CostModel::new(&open)?.at(load);
        whole.frames += beside.frames;
        whole.seconds += beside.seconds;
        whole.bytes = whole.bytes.max(beside.bytes) + u64::from(nodes) * STREAM_BYTES;
    }
    Ok(whole)
}

/// Mean frames of a program's messages.
fn mean_frames(program: &Program, settings: &Settings, message: u64) -> f64 {
    let divisions = program.divisions();
    let frames = |of: &u32| closed::frames(settings, message.div_ceil(u64::from(*of))) as f64;
    divisions.iter().map(frames).sum::<f64>() / divisions.len() as f64
}

/// Cycles of a frame on the slowest link of a host, and the mean number of links of a host.
fn nics(fabric: &Fabric, settings: &Settings) -> (f64, f64) {
    let own = || fabric.links.iter().filter(|link| link.ends.iter().any(|&end| fabric.is_host(end)));
    let slowest = own().map(|link| link.speed).min().unwrap_or(1);
    let speed = f64::from(slowest) / f64::from(reference_speed(fabric, settings));
    (f64::from(settings.frame()) / speed, (own().count() as f64 / f64::from(fabric.hosts)).max(1.0))
}

fn joined(routing: &dyn Routing, mut pairs: impl Iterator<Item = (u32, u32)>) -> Result<(), SimulateError> {
    match pairs.find(|&(from, to)| routing.choices(from, to) == 0) {
        Some((from, to)) => Err(SimulateError::NoPath(from, to)),
        None => Ok(()),
    }
}

fn sample(
    fabric: &Fabric,
    routing: &dyn Routing,
    settings: &Settings,
    mut pair: impl FnMut() -> (u32, u32),
) -> PathSample {
    let mut path = Vec::new();
    let (mut channels, mut forwards) = (0, settings.paths == Paths::RandomIntermediate);
    for _ in 0..SAMPLE {
        let (from, to) = pair();
        if routing.choices(from, to) == 0 {
            // The simulation reports the pair if it uses it.
            continue;
        }
        path.clear();
        routing.path(from, to, 0, &mut path);
        channels += path.len();
        let inner = path.split_last().map_or(&[][..], |(_, inner)| inner);
        forwards |= inner.iter().any(|&channel| fabric.is_host(fabric.channel_ends(channel).1));
    }
    let detour = if settings.paths == Paths::RandomIntermediate { 2.0 } else { 1.0 };
    PathSample { hops: detour * channels as f64 / f64::from(SAMPLE), forwards }
}

/// Cost of generating `frames` and moving `moved` of them all the way. Frames that wait at their sources take no memory,
/// except for some per channel.
fn cost(fabric: &Fabric, settings: &Settings, sampled: PathSample, [frames, moved]: [f64; 2]) -> Cost {
    let PathSample { hops, forwards } = sampled;
    let channels = u64::from(fabric.channels());
    let hosts = u64::from(fabric.hosts);
    let vcs = u64::from(settings.virtual_channels);
    let room = |channel| match fabric.is_host(fabric.channel_ends(channel).1) {
        true => u64::from(if forwards { settings.host_buffer } else { 0 }),
        false => u64::from(if settings.shared_buffer.is_some() { 0 } else { settings.buffer }),
    };
    let shared = u64::from(settings.shared_buffer.unwrap_or(0)) * fabric.switches.len() as u64;
    let buffers = vcs * (0..fabric.channels()).map(room).sum::<u64>() + shared;
    let inside = (buffers + 4 * channels).min((frames as u64).saturating_add(1));
    let path = 4 * (4.0 * hops).max(8.0) as u64;
    let pairs = if settings.paths == Paths::Alternate { hosts * hosts } else { 0 };
    // Growing arrays are twice as large at times.
    let moving = 2 * inside * (FRAME_BYTES + path);
    let doublings = (channels as f64 / CACHED_CHANNELS).max(1.0).log2();
    let sorted = settings.virtual_channels > 1 || settings.shared_buffer.is_some();
    let hop = (HOP_NANOSECONDS + doublings * HOP_NANOSECONDS_DOUBLED) * if sorted { SORTED } else { 1.0 };
    Cost {
        frames,
        hops,
        bytes: moving
            + channels * (CHANNEL_BYTES + vcs.next_power_of_two() * VC_BYTES)
            + hosts * HOST_BYTES
            + pairs,
        seconds: (frames * FRAME_NANOSECONDS + moved * hops * hop) / 1e9,
    }
}
