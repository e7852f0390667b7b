//! From a form to a simulation: what the command line and the studio both do.

mod conduct;

use crate::prepare::Request;
use shared::{
    demand::Demand,
    design::Design,
    fabric::{
        Disjoint, Fabric, Kind, Minimal, Routing, SpanningTree, Speeds, Wiring,
        kinds::{build, parse},
        vlan::{MOST_VLANS, Method, Vlans},
    },
    simulation::{Collective, Full, OpenTraffic, ROUTINGS, SimulationForm, Traffic, TrafficFault},
    spec::{Fault, Faults},
    text::grouped,
};
use simulate::{
    Closed, Destinations, Estimate, Open, SimulateError, estimate, estimate_collective, most_load,
};

/// Most loads of one simulation.
pub const MOST_LOADS: usize = 1000;
/// Simulations of one search for saturation, as an estimate counts them.
const SEARCH_RUNS: f64 = 16.0;

/// What a simulation may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of memory.
    pub bytes: u64,
    /// Seconds.
    pub seconds: f64,
}

impl Default for Limits {
    /// 2 GiB and an hour.
    fn default() -> Self {
        Limits { bytes: 2 << 30, seconds: 3600.0 }
    }
}

/// Why a simulation cannot be written out for BookSim 2.
#[derive(Debug, thiserror::Error)]
pub enum NoBooksim {
    /// It cannot simulate it.
    #[error(transparent)]
    Fault(#[from] simulate::booksim::BooksimFault),
    /// Hosts that wait for each other.
    #[error(
        "BookSim has no collective operations; traffic is {0}, and one at an offered load, such as uniform, was expected"
    )]
    Collective(Collective),
    /// Paths of ours.
    #[error("BookSim finds its own minimal paths; routing is {0:?}, and minimal or none was expected")]
    Routing(String),
}

/// A simulation that can be carried out.
pub struct Simulation {
    form: SimulationForm,
    name: String,
    routing_name: String,
    fabric: Fabric,
    routing: Box<dyn Routing>,
    what: What,
}

enum What {
    Open { name: OpenTraffic, traffic: Destinations, loads: Vec<f64> },
    Closed { collective: Collective, nodes: u32 },
}

impl Simulation {
    /// Builds the network, its paths and its traffic. `request` is what the demand is of, and the wiring's spec.
    ///
    /// # Errors
    /// Every fault of the form, with its field; a network or paths that are too large.
    pub fn of(
        form: SimulationForm,
        request: Option<&Request>,
        design: Option<&Design>,
    ) -> Result<Simulation, Faults> {
        form.settings.check().map_err(|faults| {
            Faults(faults.iter().map(|f| Fault::new(f.field, &f.value, &f.accepted)).collect())
        })?;
        let traffic = Traffic::parse(&form.traffic).map_err(|fault| traffic_fault(&fault))?;
        let kind = kind(&form, request, design)?;
        let speeds = Speeds { hosts: form.speed, trunks: form.trunk_speed.unwrap_or(form.speed) };
        if speeds.hosts.min(speeds.trunks) == 0 {
            return Err(Fault::new("speed", 0, "Mb/s, at least 1").into());
        }
        let fabric = build(&*kind, speeds)?;
        let (routing_name, routing) = routing(&form, &*kind, &fabric)?;
        // Demands are among the PEs; everything else is among all hosts.
        let pes = request.map_or(fabric.hosts, |request| request.spec.pes);
        let nodes = if form.fabric.is_none() { pes } else { fabric.hosts };
        let what = match traffic {
            Traffic::Closed(collective) => What::Closed { collective, nodes },
            Traffic::Open(name) => {
                let traffic = destinations(name, nodes, request)?;
                What::Open { name, traffic, loads: Vec::new() }
            }
        };
        if matches!(what, What::Closed { .. }) {
            check_closed(&form)?;
        }
        let mut simulation = Simulation { form, name: kind.text(), routing_name, fabric, routing, what };
        simulation.set_loads()?;
        Ok(simulation)
    }

    /// What it will take: all loads together, on one core; the memory is that of `threads` loads at once.
    ///
    /// # Errors
    /// It would take more than the limits, or there is a pair without a path.
    pub fn estimate(&self, threads: usize, limits: Limits) -> Result<Estimate, Faults> {
        let told = |error: SimulateError| Faults::from(simulate_fault(&error));
        let mut whole = match &self.what {
            What::Closed { collective, nodes } => {
                estimate_collective(&self.closed(*collective, *nodes)).map_err(told)?
            }
            What::Open { traffic, loads, .. } => {
                let open = self.open(traffic);
                let most = most_load(&open);
                let mut whole =
                    estimate(&open, most.min(loads.iter().copied().fold(0.0, f64::max))).map_err(told)?;
                whole.seconds = 0.0;
                for &load in loads {
                    whole.seconds += estimate(&open, load).map_err(told)?.seconds;
                }
                if self.form.saturate {
                    let full = estimate(&open, most).map_err(told)?;
                    whole = Estimate { seconds: whole.seconds + SEARCH_RUNS * full.seconds / 2.0, ..full };
                }
                whole.bytes *= threads.min(loads.len()).max(1) as u64;
                whole
            }
        };
        whole.bytes += 64 * self.fabric.links.len() as u64;
        let mib = |bytes: u64| grouped(bytes.div_ceil(1 << 20));
        let mut faults = Vec::new();
        if whole.bytes > limits.bytes {
            let expected = format!(
                "a simulation of at most {} MiB: fewer hosts, cycles or a lower load",
                mib(limits.bytes)
            );
            faults.push(Fault::new("memory", format!("about {} MiB", mib(whole.bytes)), expected));
        }
        if whole.seconds > limits.seconds {
            let expected =
                format!("a simulation of at most {} s: fewer hosts, cycles or loads", limits.seconds);
            faults.push(Fault::new(
                "time",
                format!("about {} s", grouped(whole.seconds.ceil() as u64)),
                expected,
            ));
        }
        Faults::of(faults).map_or(Ok(()), Err)?;
        Ok(whole)
    }

    /// Offered loads that it simulates, apart from a search for saturation.
    pub fn loads(&self) -> &[f64] {
        match &self.what {
            What::Open { loads, .. } => loads,
            What::Closed { .. } => &[],
        }
    }

    /// The first load, 0.1 if there is none, written out for BookSim 2; the topology is to be found under the name
    /// `network`.
    ///
    /// # Errors
    /// BookSim cannot simulate it.
    pub fn booksim(&self, network: &str) -> Result<simulate::booksim::Files, NoBooksim> {
        if let Some(routing) = self.form.routing.as_ref().filter(|routing| *routing != "minimal") {
            return Err(NoBooksim::Routing(routing.clone()));
        }
        match &self.what {
            What::Closed { collective, .. } => Err(NoBooksim::Collective(*collective)),
            What::Open { name, traffic, loads } => {
                let load = loads.first().copied().unwrap_or(0.1);
                Ok(simulate::booksim::write(&self.open(traffic), *name, load, network)?)
            }
        }
    }

    fn set_loads(&mut self) -> Result<(), Faults> {
        let What::Open { traffic, .. } = &self.what else { return Ok(()) };
        let most = most_load(&self.open(traffic));
        let given = &self.form.loads;
        if given.len() > MOST_LOADS {
            return Err(Fault::new("loads", given.len(), format!("at most {MOST_LOADS} loads")).into());
        }
        let expected = || format!("flits a cycle and host above 0, at most {most}, all that a host can send");
        let bad = given.iter().enumerate().filter(|(_, load)| !(**load > 0.0 && **load <= most));
        let faults = bad.map(|(at, load)| Fault::new(format!("loads[{at}]"), load, expected())).collect();
        Faults::of(faults).map_or(Ok(()), Err)?;
        let steps = || (1..=10).map(|step| most * f64::from(step) / 10.0).collect();
        let chosen = if given.is_empty() && !self.form.saturate { steps() } else { given.clone() };
        if let What::Open { loads, .. } = &mut self.what {
            *loads = chosen;
        }
        Ok(())
    }

    fn open<'a>(&'a self, traffic: &'a Destinations) -> Open<'a> {
        let Simulation { form, fabric, routing, .. } = self;
        Open { fabric, routing: &**routing, settings: &form.settings, traffic, seed: form.seed }
    }

    fn closed(&self, collective: Collective, nodes: u32) -> Closed<'_> {
        let Simulation { form, fabric, routing, .. } = self;
        let SimulationForm { message, rounds, seed, .. } = *form;
        Closed {
            fabric,
            routing: &**routing,
            settings: &form.settings,
            collective,
            nodes,
            message,
            rounds,
            seed,
        }
    }
}

fn kind(
    form: &SimulationForm,
    request: Option<&Request>,
    design: Option<&Design>,
) -> Result<Box<dyn Kind>, Faults> {
    match (&form.fabric, request, design) {
        (Some(fabric), ..) => Ok(parse(fabric)?),
        (None, Some(request), Some(design)) => Ok(Box::new(Wiring::of(&request.spec, design))),
        _ => Err(Fault::new("fabric", "", "a network such as mesh:8x8, or a spec with its wiring").into()),
    }
}

fn routing(
    form: &SimulationForm,
    kind: &dyn Kind,
    fabric: &Fabric,
) -> Result<(String, Box<dyn Routing>), Faults> {
    let fault = |expected: String| {
        let given = form.routing.clone().unwrap_or_default();
        Faults::from(Fault::new("routing", given, expected))
    };
    let vlans = |method| {
        let grid = kind
            .grid()
            .ok_or_else(|| fault("a mesh or torus of switches as the fabric, or minimal".into()))?;
        Vlans::new(grid, method, MOST_VLANS).map_err(|error| fault(error.to_string()))
    };
    let named = |name: &str, routing| Ok((name.to_string(), routing));
    match form.routing.as_deref() {
        None => match kind.routing() {
            Some(routing) => named("its own", routing),
            None => {
                named("minimal", Box::new(Minimal::of(fabric).map_err(|error| fault(error.to_string()))?))
            }
        },
        Some("minimal") => {
            named("minimal", Box::new(Minimal::of(fabric).map_err(|error| fault(error.to_string()))?))
        }
        Some("two-paths") => named(
            "two-paths",
            Box::new(Disjoint::of(fabric, false).map_err(|error| fault(error.to_string()))?),
        ),
        Some("spanning-tree") => named("spanning-tree", Box::new(SpanningTree::of(fabric))),
        Some("dor") => named("dor", Box::new(vlans(Method::Dor)?)),
        Some("partial-dor") => named("partial-dor", Box::new(vlans(Method::PartialDor)?)),
        Some(_) => Err(fault(ROUTINGS.map(|(name, _)| name).join(", "))),
    }
}

fn destinations(name: OpenTraffic, nodes: u32, request: Option<&Request>) -> Result<Destinations, Faults> {
    let of = |demand: &Demand, weighted| {
        Destinations::of_demand(demand, weighted).map_err(|error| Faults::from(simulate_fault(&error)))
    };
    match (name, request) {
        (OpenTraffic::Demand, Some(request)) => of(&request.demand, true),
        (OpenTraffic::Pattern(number), Some(request)) => {
            let demand = &request.demand;
            let patterns = request.spec.patterns.len() as u32;
            if number >= patterns {
                let expected = format!("pattern:NUMBER with a number below {patterns}, the spec's patterns");
                return Err(Fault::new("traffic", name, expected).into());
            }
            let asks = |index: &usize| demand.patterns_of(*index) >> number & 1 == 1;
            let pairs = (0..demand.len()).filter(asks).map(|index| demand.pair(index));
            of(&Demand::from_pairs(demand.pes(), pairs), false)
        }
        _ => Destinations::new(name, nodes).map_err(|error| simulate_fault(&error).into()),
    }
}

/// What an estimate needs to be right before the simulator can say so.
fn check_closed(form: &SimulationForm) -> Result<(), Faults> {
    let mut faults = Vec::new();
    if form.message == 0 {
        faults.push(simulate_fault(&SimulateError::Message { bytes: 0 }));
    }
    if form.rounds == 0 {
        faults.push(simulate_fault(&SimulateError::Rounds));
    }
    if form.settings.full == Full::Drop {
        faults.push(simulate_fault(&SimulateError::Lossy));
    }
    Faults::of(faults).map_or(Ok(()), Err)
}

fn traffic_fault(fault: &TrafficFault) -> Faults {
    Fault::new("traffic", &fault.name, &fault.accepted).into()
}

/// The same as a fault of a field.
fn simulate_fault(error: &SimulateError) -> Fault {
    match error {
        SimulateError::Traffic(fault) => Fault::new("traffic", &fault.name, &fault.accepted),
        SimulateError::NoPath { from, to } => {
            let expected = "a network and a routing that join all that have traffic";
            Fault::new("fabric", format!("without a path from host {from} to host {to}"), expected)
        }
        SimulateError::Reference { reference, fastest } => Fault::new(
            "reference_speed",
            reference,
            format!("Mb/s, at least {fastest}, the speed of the fastest link"),
        ),
        SimulateError::Message { bytes } => Fault::new("message", bytes, "bytes, at least 1"),
        SimulateError::Rounds => Fault::new("rounds", 0, "at least 1"),
        SimulateError::Lossy => {
            Fault::new("full", "drop", "hold: with collective operations nobody sends lost frames again")
        }
        other => Fault::new("fabric", other.to_string(), "a network that can be simulated"),
    }
}
