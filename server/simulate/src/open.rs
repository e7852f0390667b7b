//! Traffic that comes whatever becomes of it.

mod destinations;
mod generator;
mod trace;

use generator::Generator;

pub use destinations::Destinations;
pub use trace::{Arrival, Sent, trace};

use crate::{
    SimulateError, Watch,
    core::{Core, Setup},
    dice::Dice,
    measure::{Window, busiest, loads},
    network::Network,
    routes::Routes,
    run::{End, run},
};
use shared::{
    fabric::{Fabric, Routing},
    simulation::{Point, Settings},
};

/// What open-loop simulations of different loads have in common.
#[derive(Clone, Copy)]
pub struct Open<'a> {
    /// The network.
    pub fabric: &'a Fabric,
    /// Its paths.
    pub routing: &'a dyn Routing,
    /// Times and rules.
    pub settings: &'a Settings,
    /// Who sends to whom.
    pub traffic: &'a Destinations,
    /// Where randomness starts.
    pub seed: u64,
}

/// Simulates one offered load, in flits a cycle and sending node. Frames of a node come with a fixed chance each cycle.
///
/// # Errors
/// Settings, fabric or load that cannot be, more nodes than hosts, a pair without a path. A deadlock is no error: the point
/// tells it. After a stop the point tells what has been simulated.
pub fn simulate(open: &Open, load: f64, watch: &dyn Watch) -> Result<Point, SimulateError> {
    let Open { fabric, routing, settings, traffic, .. } = *open;
    settings.check().map_err(SimulateError::Settings)?;
    let network = Network::new(fabric, settings)?;
    if traffic.nodes() > fabric.hosts {
        return Err(SimulateError::Nodes { nodes: traffic.nodes(), hosts: fabric.hosts });
    }
    let frame = settings.frame();
    let most = f64::from(frame) / traffic.most_rate();
    if !(load > 0.0 && load <= most) {
        return Err(SimulateError::Load { load, most });
    }
    let window = Window { from: settings.ignored, end: settings.cycles };
    let routes = Routes::new(routing, settings.paths, fabric.hosts);
    let mut core = Core::new(Setup { network: &network, routes, settings, window, lengths: vec![frame] });
    let mut source = Generator::new(open, load);
    source.start(&mut core)?;
    let end = run(&mut core, fabric, &mut source, settings.cycles, watch)?;
    let point = told(core, settings, &source, load, end);
    Ok(Point { busiest: busiest(fabric, &point.load), ..point })
}

fn told(core: Core, settings: &Settings, source: &Generator, load: f64, end: End) -> Point {
    let cycles = match end {
        End::Time | End::Idle => settings.cycles,
        End::Deadlock(_) | End::Cancelled => core.now.min(settings.cycles),
    };
    let counted = cycles.saturating_sub(settings.ignored) as f64;
    // What a simulation that was ended had come to is over; of one that was not, nothing after its last cycle is.
    let until = if cycles < settings.cycles { cycles + 1 } else { cycles };
    let (frames, generated) = source.made(core.window, until);
    let generated = generated * u64::from(settings.frame());
    let each = counted * f64::from(source.traffic.senders());
    let share = |flits: u64| if each > 0.0 { flits as f64 / each } else { 0.0 };
    let counts = &core.counts;
    Point {
        offered: load,
        generated: share(generated),
        accepted: share(counts.accepted),
        latency: counts.latency.told(),
        lost: counts.lost,
        frames,
        received: counts.received,
        left: frames - counts.received - counts.lost,
        cycles,
        flit_hops: counts.flit_hops,
        load: loads(&core, counted),
        busiest: Vec::new(),
        deadlock: match end {
            End::Deadlock(deadlock) => Some(deadlock),
            End::Time | End::Idle | End::Cancelled => None,
        },
    }
}

/// The nodes of a simulation and the hosts they are placed on, by node.
pub(crate) fn placed(settings: &Settings, nodes: u32, hosts: u32, seed: u64) -> Vec<u32> {
    let mut places: Vec<u32> = (0..hosts).collect();
    if settings.random_placement {
        Dice::new(seed, u64::MAX).shuffle(&mut places);
    }
    places.truncate(nodes as usize);
    places
}
