//! Traffic that comes whatever becomes of it.

mod destinations;
mod trace;

pub use destinations::Destinations;
pub use trace::{Arrival, Sent, trace};

use crate::{
    SimulateError, Standing, Watch,
    core::{Core, Setup, Source},
    dice::Dice,
    load::{busiest, loads},
    measure::Window,
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
    let Open { fabric, routing, settings, traffic, seed } = *open;
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
    let routes = Routes::new(routing, settings.paths, fabric.hosts, seed);
    let mut core = Core::new(Setup { network: &network, routes, settings, window, lengths: vec![frame] });
    let mut source = Generator::new(open, load);
    source.start(&mut core);
    let end = run(&mut core, fabric, &mut source, settings.cycles, watch)?;
    let point = told(core, settings, traffic, load, end);
    Ok(Point { busiest: busiest(fabric, &point.load), ..point })
}

fn told(core: Core, settings: &Settings, traffic: &Destinations, load: f64, end: End) -> Point {
    let cycles = match end {
        End::Time | End::Idle => settings.cycles,
        End::Deadlock(_) | End::Cancelled => core.now.min(settings.cycles),
    };
    let counted = cycles.saturating_sub(settings.ignored) as f64;
    let each = counted * f64::from(traffic.senders());
    let share = |flits: u64| if each > 0.0 { flits as f64 / each } else { 0.0 };
    let counts = &core.counts;
    Point {
        offered: load,
        generated: share(counts.generated),
        accepted: share(counts.accepted),
        latency: counts.latency.told(),
        lost: counts.lost,
        frames: counts.frames,
        received: counts.received,
        left: core.alive(),
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

/// Makes frames at random.
struct Generator<'a> {
    load: f64,
    cycles: u64,
    traffic: &'a Destinations,
    places: Vec<u32>,
    dice: Vec<Dice>,
    /// By node: 1 / ln(1 - chance of a frame in a cycle); 0 where there is one in every cycle.
    scale: Vec<f64>,
}

impl<'a> Generator<'a> {
    fn new(open: &Open<'a>, load: f64) -> Self {
        let Open { fabric, settings, traffic, seed, .. } = *open;
        let nodes = traffic.nodes();
        let chance = load / f64::from(settings.frame());
        let scale = |node| {
            let chance = chance * traffic.rate(node);
            if chance < 1.0 { 1.0 / libm::log1p(-chance) } else { 0.0 }
        };
        Generator {
            load,
            cycles: settings.cycles,
            traffic,
            places: placed(settings, nodes, fabric.hosts, seed),
            dice: (0..nodes).map(|node| Dice::new(seed, node.into())).collect(),
            scale: (0..nodes).map(scale).collect(),
        }
    }

    fn start(&mut self, core: &mut Core) {
        for node in 0..self.traffic.nodes() {
            if self.traffic.rate(node) > 0.0 {
                let gap = self.gap(node);
                core.wake(node, gap - 1);
            }
        }
    }

    /// Cycles until a node's next frame: 1 with the chance of a frame, and so on.
    fn gap(&mut self, node: u32) -> u64 {
        let cycles = libm::log(self.dice[node as usize].unit()) * self.scale[node as usize];
        // As good as never: the number stays one that can be added to.
        1 + cycles.min(1e15) as u64
    }
}

impl Source for Generator<'_> {
    const WATCHES: bool = false;

    fn standing(&self, core: &Core) -> Option<Standing> {
        let share = core.now as f64 / self.cycles as f64;
        Some(Standing::Load { offered: self.load, cycles: core.now, share })
    }

    fn wake(&mut self, core: &mut Core, node: u32) -> Result<(), SimulateError> {
        let to = self.traffic.draw(node, &mut self.dice[node as usize]);
        core.inject(self.places[node as usize], self.places[to as usize], 0, 0)?;
        let next = core.now + self.gap(node);
        core.wake(node, next);
        Ok(())
    }
}
