//! Random frames, each created only when it is its turn to leave its source.
//!
//! A frame that waits behind another at its source need not exist yet, since the random stream alone determines it. So a
//! saturated network needs no more memory than an unsaturated one. If a host has a few channels, each channel goes through
//! all frames of the host and takes its own. With many channels that would cost more than it saves, so frames are created
//! at once.

use super::{Destinations, OpenInput, placed};
use crate::{
    Observer, SimulateError,
    core::{Core, NONE, NewFrame, Source},
    measure::Window,
    paths::Chooser,
    random_stream,
};
use spec::random::Rng;
use work::simulation::{LoadProgress, SimulationProgress};

/// Maximum channels of a host with a stream each.
const MAX_STREAMS: usize = 8;

pub(super) struct Generator<'a> {
    pub traffic: &'a Destinations,
    load: f64,
    cycles: u64,
    seed: u64,
    places: Vec<u32>,
    /// 1 / ln(1 - probability of a frame per cycle), by node; 0 if every cycle has one.
    scale: Vec<f64>,
    streams: Vec<Stream>,
    /// Stream of each channel that leaves a sending host.
    of_channel: Vec<u32>,
}

/// Frames of a node that leave over one channel, in order; without a channel, all frames of the node.
struct Stream {
    node: u32,
    channel: u32,
    /// `true` if all frames of the node belong to it.
    all: bool,
    rng: Rng,
    chooser: Chooser,
    /// Cycle of the node's first frame not yet looked at.
    clock: u64,
    next: Option<NewFrame>,
    /// `true` if the next frame is due but another one is before it.
    waits: bool,
}

impl<'a> Generator<'a> {
    pub fn new(open: &OpenInput<'a>, load: f64) -> Self {
        let OpenInput { fabric, settings, traffic, seed, .. } = *open;
        let nodes = traffic.nodes();
        let chance = load / f64::from(settings.frame());
        let scale = |node| scale(chance * traffic.rate(node));
        let mut generator = Generator {
            traffic,
            load,
            cycles: settings.cycles,
            seed,
            places: placed(settings, nodes, fabric.hosts, seed),
            scale: (0..nodes).map(scale).collect(),
            streams: Vec::new(),
            of_channel: vec![NONE; fabric.channels() as usize],
        };
        let leaving = fabric.leaving();
        for node in (0..nodes).filter(|&node| traffic.rate(node) > 0.0) {
            let host = generator.places[node as usize];
            let channels = &leaving[host as usize];
            let chooser = Chooser::new(settings.paths, fabric.hosts, host, seed);
            // A host without links has no path, which its first frame reports.
            let several = (1..=MAX_STREAMS).contains(&channels.len());
            for &channel in if several { &channels[..] } else { &[NONE] } {
                if let Some(stream) = generator.of_channel.get_mut(channel as usize) {
                    *stream = generator.streams.len() as u32;
                }
                let (rng, chooser, all) =
                    (random_stream(seed, node.into()), chooser.clone(), channels.len() == 1 || !several);
                let stream = Stream { node, channel, all, rng, chooser, clock: 0, next: None, waits: false };
                generator.streams.push(stream);
            }
        }
        generator
    }

    /// Finds the first frame of each stream. Stops once the observer cancels, since that takes long in large networks.
    pub fn start(&mut self, core: &mut Core, observer: &dyn Observer) -> Result<(), SimulateError> {
        for number in 0..self.streams.len() {
            if observer.is_cancelled() {
                break;
            }
            let stream = &mut self.streams[number];
            stream.clock = gap(&mut stream.rng, self.scale[stream.node as usize]) - 1;
            self.advance(core, number)?;
            if let Some(first) = self.streams[number].next {
                core.wake(number as u32, first.born);
            }
        }
        Ok(())
    }

    /// Number of frames generated before a cycle, and of those within the window.
    pub fn generated(&self, window: Window, until: u64) -> (u64, u64) {
        let (mut frames, mut within) = (0, 0);
        let senders = (0..self.traffic.nodes()).filter(|&node| self.traffic.rate(node) > 0.0);
        for node in senders {
            let (mut rng, scale) = (random_stream(self.seed, node.into()), self.scale[node as usize]);
            let mut born = gap(&mut rng, scale) - 1;
            while born < until {
                frames += 1;
                within += u64::from(window.contains(born));
                self.traffic.draw(node, &mut rng);
                born += gap(&mut rng, scale);
            }
        }
        (frames, within)
    }

    fn advance(&mut self, core: &mut Core, number: usize) -> Result<(), SimulateError> {
        let stream = &mut self.streams[number];
        let from = self.places[stream.node as usize];
        stream.next = None;
        while stream.next.is_none() && stream.clock < self.cycles {
            let born = stream.clock;
            let to = self.places[self.traffic.draw(stream.node, &mut stream.rng) as usize];
            stream.clock += gap(&mut stream.rng, self.scale[stream.node as usize]);
            let choice = stream.chooser.choose(&core.routes, from, to);
            if stream.all || core.first_channel((from, to), choice)? == stream.channel {
                stream.next = Some(NewFrame { born, from, to, choice, length: 0, tag: 0 });
            }
        }
        Ok(())
    }

    /// Puts a stream's next frame into its source queue, which has no frame for this channel.
    fn supply(&mut self, core: &mut Core, number: usize) -> Result<(), SimulateError> {
        self.streams[number].waits = false;
        let Some(made) = self.streams[number].next else { return Ok(()) };
        core.inject(made)?;
        self.advance(core, number)?;
        match self.streams[number].next {
            Some(next) if next.born > core.now => core.wake(number as u32, next.born),
            next => self.streams[number].waits = next.is_some(),
        }
        Ok(())
    }
}

/// Parameter of [`gap`] for a chance of a frame per cycle.
pub(crate) fn scale(chance: f64) -> f64 {
    if chance < 1.0 { 1.0 / libm::log1p(-chance) } else { 0.0 }
}

/// Draws the cycles until a node's next frame, from a geometric distribution.
pub(crate) fn gap(rng: &mut Rng, scale: f64) -> u64 {
    let cycles = libm::log(rng.unit()) * scale;
    // Bounded so that sums of cycles do not overflow.
    1 + cycles.min(1e15) as u64
}

impl Source for Generator<'_> {
    const WANTS_RECEIVED: bool = false;

    fn progress(&self, core: &Core) -> Option<SimulationProgress> {
        let share = core.now as f64 / self.cycles as f64;
        let load = LoadProgress { offered: self.load, cycles: core.now, share };
        Some(SimulationProgress { loads: vec![load], ..SimulationProgress::default() })
    }

    fn wake(&mut self, core: &mut Core, number: u32) -> Result<(), SimulateError> {
        let stream = &mut self.streams[number as usize];
        if stream.channel != NONE && core.has_waiting(stream.channel) {
            stream.waits = true;
            return Ok(());
        }
        self.supply(core, number as usize)
    }

    fn left(&mut self, core: &mut Core, channel: u32, _tag: u32) -> Result<(), SimulateError> {
        match self.of_channel[channel as usize] {
            NONE => Ok(()),
            number if self.streams[number as usize].waits => self.supply(core, number as usize),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        core::Setup,
        network::Network,
        paths::PathTable,
        run::{End, run},
    };
    use network::fabric::{Minimal, Speeds, kinds};
    use std::sync::atomic::AtomicBool;
    use work::simulation::{OpenTraffic, Settings};

    /// Largest number of frames at any one time at maximum load.
    fn max_frames(kind: &str, cycles: u64) -> usize {
        let settings = Settings { cycles, ..Settings::default() };
        let fabric = kinds::parse(kind).unwrap().fabric(Speeds::default());
        let routing = Minimal::of(&fabric).unwrap();
        let traffic = Destinations::new(OpenTraffic::HotSpot { node: 0, share: 0.9 }, fabric.hosts).unwrap();
        let open =
            OpenInput { fabric: &fabric, routing: &routing, settings: &settings, traffic: &traffic, seed: 3 };
        let network = Network::new(&fabric, &settings).unwrap();
        let window = Window { from: 0, end: cycles };
        let routes = PathTable::new(&routing, settings.paths, fabric.hosts);
        let lengths = vec![settings.frame()];
        let mut core = Core::new(Setup { network: &network, routes, settings: &settings, window, lengths });
        let mut source = Generator::new(&open, 1.0);
        let never = AtomicBool::new(false);
        source.start(&mut core, &never).unwrap();
        let end = run(&mut core, &fabric, &mut source, cycles, &never).unwrap();
        assert_eq!(end, End::Time);
        let (made, _) = source.generated(window, cycles);
        assert!(made > 3 * core.counts.received, "the hot spot took in {} of {made}", core.counts.received);
        core.max_frames()
    }

    #[test]
    fn frames_waiting_at_sources_take_no_memory() {
        for kind in ["tree:48,12,2,1", "pmesh:6x4", "rail:6x8"] {
            let (short, long) = (max_frames(kind, 50_000), max_frames(kind, 1_000_000));
            assert!(
                long <= short + short / 10,
                "{kind}: {short} frames in 50,000 cycles, {long} in a million"
            );
        }
    }
}
