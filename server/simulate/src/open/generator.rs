//! Frames made at random, each only when it is its turn to leave.
//!
//! A frame that waits at its source behind another need not exist yet: what it will be follows from the dice alone. So a
//! network that takes in less than it is offered costs no more memory than one that takes in all of it. Where frames of a
//! host leave over a few channels, each channel goes through all frames of the host, and takes those that are its own. Where
//! they leave over many, as in fully connected networks, that would take longer than it saves: frames are made as they come.

use super::{Destinations, Open, placed};
use crate::{
    SimulateError, Standing,
    core::{Core, Made, NONE, Source},
    dice::Dice,
    measure::Window,
    routes::Chooser,
};

/// Most channels of a host that go through all its frames.
const MOST_STREAMS: usize = 8;

/// Makes frames at random.
pub(super) struct Generator<'a> {
    pub traffic: &'a Destinations,
    load: f64,
    cycles: u64,
    seed: u64,
    places: Vec<u32>,
    /// By node: 1 / ln(1 - chance of a frame in a cycle); 0 where there is one in every cycle.
    scale: Vec<f64>,
    streams: Vec<Stream>,
    /// By channel, the stream of the frames that leave their source over it; none for those that leave no sending host.
    of_channel: Vec<u32>,
}

/// The frames of a node that leave its host over one channel, in order; without a channel, all that leave over any.
struct Stream {
    node: u32,
    channel: u32,
    /// Whether all frames of the node belong to it.
    all: bool,
    dice: Dice,
    chooser: Chooser,
    /// When the node's frame after those that were gone through comes.
    clock: u64,
    /// The next one of the stream; none if none comes any more.
    next: Option<Made>,
    /// Whether that is due, and has another before it.
    waits: bool,
}

impl<'a> Generator<'a> {
    pub fn new(open: &Open<'a>, load: f64) -> Self {
        let Open { fabric, settings, traffic, seed, .. } = *open;
        let nodes = traffic.nodes();
        let chance = load / f64::from(settings.frame());
        let scale = |node| {
            let chance = chance * traffic.rate(node);
            if chance < 1.0 { 1.0 / libm::log1p(-chance) } else { 0.0 }
        };
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
            // From a host without a link goes no path, as its first frame will find.
            let several = (1..=MOST_STREAMS).contains(&channels.len());
            for &channel in if several { &channels[..] } else { &[NONE] } {
                if let Some(stream) = generator.of_channel.get_mut(channel as usize) {
                    *stream = generator.streams.len() as u32;
                }
                let (dice, chooser, all) =
                    (Dice::new(seed, node.into()), chooser.clone(), channels.len() == 1 || !several);
                let stream = Stream { node, channel, all, dice, chooser, clock: 0, next: None, waits: false };
                generator.streams.push(stream);
            }
        }
        generator
    }

    /// Has the first frames come.
    pub fn start(&mut self, core: &mut Core) -> Result<(), SimulateError> {
        for number in 0..self.streams.len() {
            let stream = &mut self.streams[number];
            stream.clock = gap(&mut stream.dice, self.scale[stream.node as usize]) - 1;
            self.advance(core, number)?;
            if let Some(first) = self.streams[number].next {
                core.wake(number as u32, first.born);
            }
        }
        Ok(())
    }

    /// How many frames have been made before a cycle, and how many of those within the window.
    pub fn made(&self, window: Window, until: u64) -> (u64, u64) {
        let (mut frames, mut within) = (0, 0);
        let senders = (0..self.traffic.nodes()).filter(|&node| self.traffic.rate(node) > 0.0);
        for node in senders {
            let (mut dice, scale) = (Dice::new(self.seed, node.into()), self.scale[node as usize]);
            let mut born = gap(&mut dice, scale) - 1;
            while born < until {
                frames += 1;
                within += u64::from(window.holds(born));
                self.traffic.draw(node, &mut dice);
                born += gap(&mut dice, scale);
            }
        }
        (frames, within)
    }

    /// Goes on to the next frame of a stream.
    fn advance(&mut self, core: &mut Core, number: usize) -> Result<(), SimulateError> {
        let stream = &mut self.streams[number];
        let from = self.places[stream.node as usize];
        stream.next = None;
        while stream.next.is_none() && stream.clock < self.cycles {
            let born = stream.clock;
            let to = self.places[self.traffic.draw(stream.node, &mut stream.dice) as usize];
            stream.clock += gap(&mut stream.dice, self.scale[stream.node as usize]);
            let choice = stream.chooser.choose(&core.routes, from, to);
            if stream.all || core.first_channel((from, to), choice)? == stream.channel {
                stream.next = Some(Made { born, from, to, choice, length: 0, tag: 0 });
            }
        }
        Ok(())
    }

    /// Puts a stream's next frame into the queue of its source, where none waits now.
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

/// Cycles until a node's next frame: 1 with the chance of a frame, and so on.
fn gap(dice: &mut Dice, scale: f64) -> u64 {
    let cycles = libm::log(dice.unit()) * scale;
    // As good as never: the number stays one that can be added to.
    1 + cycles.min(1e15) as u64
}

impl Source for Generator<'_> {
    const WATCHES: bool = false;

    fn standing(&self, core: &Core) -> Option<Standing> {
        let share = core.now as f64 / self.cycles as f64;
        Some(Standing::Load { offered: self.load, cycles: core.now, share })
    }

    fn wake(&mut self, core: &mut Core, number: u32) -> Result<(), SimulateError> {
        let stream = &mut self.streams[number as usize];
        if stream.channel != NONE && core.waits(stream.channel) {
            stream.waits = true;
            return Ok(());
        }
        self.supply(core, number as usize)
    }

    fn left(&mut self, core: &mut Core, channel: u32) -> Result<(), SimulateError> {
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
        routes::Routes,
        run::{End, run},
    };
    use shared::{
        fabric::{Minimal, Speeds, kinds},
        simulation::{OpenTraffic, Settings},
    };
    use std::sync::atomic::AtomicBool;

    /// The most frames there were at a time, of a network that is offered all that its hosts can send.
    fn most_frames(kind: &str, cycles: u64) -> usize {
        let settings = Settings { cycles, ..Settings::default() };
        let fabric = kinds::parse(kind).unwrap().fabric(Speeds::default());
        let routing = Minimal::of(&fabric).unwrap();
        let traffic = Destinations::new(OpenTraffic::HotSpot { node: 0, share: 0.9 }, fabric.hosts).unwrap();
        let open =
            Open { fabric: &fabric, routing: &routing, settings: &settings, traffic: &traffic, seed: 3 };
        let network = Network::new(&fabric, &settings).unwrap();
        let window = Window { from: 0, end: cycles };
        let routes = Routes::new(&routing, settings.paths, fabric.hosts);
        let lengths = vec![settings.frame()];
        let mut core = Core::new(Setup { network: &network, routes, settings: &settings, window, lengths });
        let mut source = Generator::new(&open, 1.0);
        source.start(&mut core).unwrap();
        let end = run(&mut core, &fabric, &mut source, cycles, &AtomicBool::new(false)).unwrap();
        assert_eq!(end, End::Time);
        let (made, _) = source.made(window, cycles);
        assert!(made > 3 * core.counts.received, "the hot spot took in {} of {made}", core.counts.received);
        core.most_frames()
    }

    #[test]
    fn what_waits_at_sources_takes_no_memory() {
        for kind in ["tree:48,12,2,1", "pmesh:6x4", "rail:6x8"] {
            let (short, long) = (most_frames(kind, 50_000), most_frames(kind, 1_000_000));
            assert!(
                long <= short + short / 10,
                "{kind}: {short} frames in 50,000 cycles, {long} in a million"
            );
        }
    }
}
