//! Open-loop traffic: frames are generated whatever the network accepts.

mod destinations;
mod generator;
mod trace;

use generator::Generator;
pub(crate) use generator::{gap, scale};

pub use destinations::Destinations;
pub use trace::{Arrival, TraceFrame, trace};

use crate::{
    Observer, SimulateError,
    core::{Core, Setup},
    measure::{Window, busiest, loads},
    network::Network,
    paths::PathTable,
    random_stream,
    run::{End, run},
};
use network::fabric::{Fabric, Routing};
use work::simulation::{Point, Settings};

/// Input shared by simulations of different loads.
#[derive(Clone, Copy)]
pub struct OpenInput<'a> {
    /// The network.
    pub fabric: &'a Fabric,
    /// Paths of the network.
    pub routing: &'a dyn Routing,
    /// Settings of the simulation.
    pub settings: &'a Settings,
    /// Destinations of each node.
    pub traffic: &'a Destinations,
    /// Random seed.
    pub seed: u64,
}

/// Simulates one offered load, in flits per cycle and sending node. Each node generates frames with a fixed probability per
/// cycle. A deadlock is part of the result. After a cancellation the result covers the simulated cycles.
///
/// # Errors
/// Returned for invalid settings, fabric or load, for more nodes than hosts, and for a pair without a path.
pub fn simulate(open: &OpenInput, load: f64, observer: &dyn Observer) -> Result<Point, SimulateError> {
    let OpenInput { fabric, routing, settings, traffic, .. } = *open;
    settings.check().map_err(SimulateError::Settings)?;
    let network = Network::new(fabric, settings)?;
    if traffic.nodes() > fabric.hosts {
        return Err(SimulateError::Nodes(traffic.nodes(), fabric.hosts));
    }
    let frame = settings.frame();
    let max = f64::from(frame) / traffic.max_rate();
    if !(load > 0.0 && load <= max) {
        return Err(SimulateError::Load(load, max));
    }
    let window = Window { from: settings.ignored, end: settings.cycles };
    let routes = PathTable::new(routing, settings.paths, fabric.hosts);
    let mut core = Core::new(Setup { network: &network, routes, settings, window, lengths: vec![frame] });
    let mut source = Generator::new(open, load);
    source.start(&mut core, observer)?;
    let end = run(&mut core, fabric, &mut source, settings.cycles, observer)?;
    let point = point(core, settings, &source, load, end);
    Ok(Point { busiest: busiest(fabric, &point.load), ..point })
}

fn point(core: Core, settings: &Settings, source: &Generator, load: f64, end: End) -> Point {
    let cycles = match end {
        End::Time | End::Idle => settings.cycles,
        End::Deadlock(_) | End::Cancelled => core.now.min(settings.cycles),
    };
    let counted = cycles.saturating_sub(settings.ignored) as f64;
    // A simulation that ended early has processed its current cycle.
    let until = if cycles < settings.cycles { cycles + 1 } else { cycles };
    let (frames, generated) = source.generated(core.window, until);
    let generated = generated * u64::from(settings.frame());
    let each = counted * f64::from(source.traffic.senders());
    let share = |flits: u64| if each > 0.0 { flits as f64 / each } else { 0.0 };
    let counts = &core.counts;
    Point {
        offered: load,
        generated: share(generated),
        accepted: share(counts.accepted),
        latency: counts.latency.latency(),
        lost: counts.lost,
        lost_share: counts.lost as f64 / (counts.lost + counts.received).max(1) as f64,
        frames,
        received: counts.received,
        left: frames - counts.received - counts.lost,
        cycles,
        flit_hops: counts.flit_hops,
        load: loads(core.network, &counts.sent, counted),
        busiest: Vec::new(),
        deadlock: match end {
            End::Deadlock(deadlock) => Some(deadlock),
            End::Time | End::Idle | End::Cancelled => None,
        },
    }
}

/// Host of each node.
pub(crate) fn placed(settings: &Settings, nodes: u32, hosts: u32, seed: u64) -> Vec<u32> {
    let mut places: Vec<u32> = (0..hosts).collect();
    if settings.random_placement {
        random_stream(seed, u64::MAX).shuffle(&mut places);
    }
    places.truncate(nodes as usize);
    places
}
