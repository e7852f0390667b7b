//! Simulations: from a form to results, for the command line and the studio.

mod run;

use crate::prepare::{Request, TextError};
use shared::{
    api::StartWork,
    demand::Demand,
    design::Design,
    fabric::{
        Fabric, Minimal, NetworkKind, ROUTINGS, Routing, RoutingEntry, RoutingFault, Speeds, Wiring,
        kinds::{build, parse},
    },
    form::{Advice, says, unknown},
    resolve::NoFiles,
    simulation::{
        Collective, GROUP_FORMS, GroupRule, LoadProgress, OpenTraffic, Point, Settings, SimulationForm,
        SimulationRequest, Traffic,
    },
    spec::{Fault, Faults},
    text::{count, fixed, grouped},
};
use simulate::{
    Background, ClosedInput, Cost, CostModel, Destinations, GroupedInput, OpenInput, SimulateError,
    collective_cost, max_load,
};
use std::sync::atomic::AtomicBool;

/// Max loads of a simulation.
pub const MAX_LOADS: usize = 1000;
/// Max hosts times channels of a network whose paths are searched: about an hour at 30 to 50 ns each.
const MAX_STEPS: u64 = 70_000_000_000;
/// Runs estimated to take longer than this get a pilot run to refine the estimate, in seconds.
const PILOT_FROM: f64 = 20.0;
/// Assumed number of simulations in a search for saturation.
const SEARCH_RUNS: f64 = 16.0;

/// Limits of a simulation.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of memory.
    pub bytes: u64,
    /// Seconds.
    pub seconds: f64,
}

/// Limits of a simulation in a studio.
pub const LIMITS: Limits = Limits { bytes: 512 << 20, seconds: 3600.0 };

impl Default for Limits {
    /// 2 GiB and an hour.
    fn default() -> Self {
        Limits { bytes: 2 << 30, seconds: 3600.0 }
    }
}

/// Reason why a simulation has no BookSim 2 files.
#[derive(Debug, thiserror::Error)]
pub enum NoBooksim {
    /// BookSim cannot simulate it.
    #[error(transparent)]
    Fault(#[from] simulate::booksim::BooksimFault),
    /// A collective operation.
    #[error(
        "BookSim has no collective operations such as {0}; choose traffic at an offered load, such as uniform"
    )]
    Collective(Collective),
}

/// The loads of a simulation that may run elsewhere.
pub trait Points: Sync {
    /// Simulates a load, on another machine or with `here` in this process. Calls `watch` with its progress, and several times
    /// per second without any. Stops once that returns `false`, with `None`.
    fn run(
        &self,
        load: f64,
        here: &mut dyn FnMut() -> Result<Point, SimulateError>,
        watch: &mut dyn FnMut(Option<LoadProgress>) -> bool,
    ) -> Option<Result<Point, SimulateError>>;
}

/// A valid simulation.
pub struct Simulation {
    form: SimulationRequest,
    name: String,
    routing_name: String,
    fabric: Fabric,
    routing: Box<dyn Routing>,
    what: Workload,
}

enum Workload {
    Open { traffic: Destinations, loads: Vec<f64> },
    Closed(Operation),
}

/// A collective operation.
struct Operation {
    collective: Collective,
    nodes: u32,
    groups: Vec<Vec<u32>>,
    background: Option<Destinations>,
}

impl Operation {
    /// Number of nodes in groups.
    fn senders(&self) -> u32 {
        let mut nodes: Vec<u32> = self.groups.iter().flatten().copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.len() as u32
    }
}

impl Simulation {
    /// Builds paths and traffic on `network`, which the form names, or on the wiring. The demand and the wiring's spec come from
    /// `request`.
    ///
    /// # Errors
    /// Every fault of the form; a network or paths that are too large.
    pub fn of(
        form: SimulationRequest,
        network: Option<Box<dyn NetworkKind>>,
        request: Option<&Request>,
        design: Option<&Design>,
    ) -> Result<Simulation, Faults> {
        let traffic =
            Traffic::parse(&form.traffic).map_err(|fault| simulate_fault(&SimulateError::Traffic(fault)))?;
        let kind = kind(network, request, design)?;
        let speeds = Speeds { hosts: form.speed, trunks: form.trunk_speed.unwrap_or(form.speed) };
        for (field, speed) in [("speed", speeds.hosts), ("trunk_speed", speeds.trunks)] {
            if speed == 0 {
                return Err(Fault::new(field, 0, "at least 1 Mb/s").into());
            }
        }
        let fabric = build(&*kind, speeds)?;
        let (routing_name, routing) = routing(&form, &*kind, &fabric)?;
        // A demand has PEs as nodes, all other traffic has hosts.
        let pes = request.map_or(fabric.hosts, |request| request.spec.pes);
        let nodes = if form.fabric.is_none() { pes } else { fabric.hosts };
        let what = match traffic {
            Traffic::Closed(collective) => Workload::Closed(operation(&form, collective, nodes, request)?),
            Traffic::Open(name) => {
                let traffic = destinations(name, nodes, request)?;
                Workload::Open { traffic, loads: Vec::new() }
            }
        };
        let mut simulation = Simulation { form, name: kind.text(), routing_name, fabric, routing, what };
        simulation.check()?;
        simulation.set_loads()?;
        Ok(simulation)
    }

    /// A simulation as asked for, and the estimate of one load at a time.
    ///
    /// # Errors
    /// Every fault of spec, wiring and form; more memory or time than the limits.
    pub fn prepare(start: &StartWork, limits: Limits) -> Result<(Simulation, Cost), TextError> {
        let form = start.form.form::<SimulationForm>().read()?;
        let request = start.spec.as_deref().map(|spec| Request::read(spec, &mut NoFiles)).transpose()?;
        let design = match (&request, &start.table) {
            (Some(request), Some(table)) => Some(request.wiring(table)?),
            _ => None,
        };
        let network = form.fabric.as_deref().map(parse).transpose().map_err(Faults::from)?;
        let simulation = Simulation::of(form, network, request.as_ref(), design.as_ref())?;
        let estimate = simulation.estimate(1, limits)?;
        Ok((simulation, estimate))
    }

    /// Offered loads to simulate, without the search for saturation.
    pub fn loads(&self) -> &[f64] {
        match &self.what {
            Workload::Open { loads, .. } => loads,
            Workload::Closed(_) => &[],
        }
    }

    /// Times and rules.
    pub fn settings(&self) -> &Settings {
        &self.form.settings
    }

    /// BookSim 2 files for the first load, 0.1 by default. The file of the network is called `network`.
    pub fn booksim(&self, network: &str) -> Result<simulate::booksim::Files, NoBooksim> {
        match &self.what {
            Workload::Closed(operation) => Err(NoBooksim::Collective(operation.collective)),
            Workload::Open { traffic, loads, .. } => {
                let load = loads.first().copied().unwrap_or(0.1);
                Ok(simulate::booksim::write(&self.open(traffic), load, network)?)
            }
        }
    }

    /// Faults that the simulator would report.
    fn check(&self) -> Result<(), Faults> {
        let mut faults = Vec::new();
        let nodes = match &self.what {
            Workload::Closed(Operation { nodes, background, .. }) => {
                background.as_ref().map_or(0, Destinations::nodes).max(*nodes)
            }
            Workload::Open { traffic, .. } => traffic.nodes(),
        };
        if nodes > self.fabric.hosts {
            let hosts = count(self.fabric.hosts as u64, "host");
            let sentence = format!(
                "{} has {hosts}, and the traffic has {nodes} nodes; use a larger network.",
                self.name
            );
            faults.push(Fault::new("fabric", &self.name, says(sentence)));
        }
        let fastest = self.fabric.links.iter().map(|link| link.speed).max().unwrap_or(1);
        if let Some(reference) = self.form.settings.reference_speed.filter(|&speed| speed < fastest) {
            faults.push(simulate_fault(&SimulateError::Reference(reference, fastest)));
        }
        if let (true, Workload::Closed(operation)) = (faults.is_empty(), &self.what) {
            let checked = simulate::closed::check(&self.closed(operation));
            faults.extend(checked.err().map(|error| simulate_fault(&error)));
        }
        Faults::of(faults).map_or(Ok(()), Err)
    }

    /// Limits of the model that the settings touch, and settings that the network has no use for.
    fn warnings(&self) -> Vec<String> {
        let mut warnings = self.form.settings.warnings();
        let trunk = self.form.trunk_speed;
        if trunk.is_some_and(|speed| self.fabric.links.iter().all(|link| link.speed != speed)) {
            warnings.push("The network has no trunks, so the trunk speed has no effect.".into());
        }
        warnings
    }

    fn set_loads(&mut self) -> Result<(), Faults> {
        let Workload::Open { traffic, .. } = &self.what else { return Ok(()) };
        let most = max_load(&self.open(traffic));
        let given = &self.form.loads;
        if given.len() > MAX_LOADS {
            return Err(Fault::new(
                "loads",
                given.len(),
                format!("up to {} loads", grouped(MAX_LOADS as u64)),
            )
            .into());
        }
        let expected = || format!("above 0 and at most {most}, the flits per cycle that a host can send");
        let bad = given.iter().enumerate().filter(|(_, load)| !(**load > 0.0 && **load <= most));
        let faults = bad.map(|(at, load)| Fault::new(format!("loads[{at}]"), load, expected())).collect();
        Faults::of(faults).map_or(Ok(()), Err)?;
        let steps = || (1..=10).map(|step| most * f64::from(step) / 10.0).collect();
        let mut chosen = if given.is_empty() && !self.form.saturate { steps() } else { Vec::new() };
        for &load in given {
            if !chosen.contains(&load) {
                chosen.push(load);
            }
        }
        if let Workload::Open { loads, .. } = &mut self.what {
            *loads = chosen;
        }
        Ok(())
    }

    fn open<'a>(&'a self, traffic: &'a Destinations) -> OpenInput<'a> {
        let Simulation { form, fabric, routing, .. } = self;
        OpenInput { fabric, routing: &**routing, settings: &form.settings, traffic, seed: form.seed }
    }

    fn closed<'a>(&'a self, operation: &'a Operation) -> GroupedInput<'a> {
        let Simulation { form, fabric, routing, .. } = self;
        let SimulationRequest { message, rounds, seed, background_load: load, .. } = *form;
        let Operation { collective, nodes, ref groups, ref background } = *operation;
        let (routing, settings) = (&**routing, &form.settings);
        let closed = ClosedInput { fabric, routing, settings, collective, nodes, message, rounds, seed };
        let background = background.as_ref().map(|traffic| Background { traffic, load });
        GroupedInput { closed, groups, background }
    }

    /// Time of all loads on one core, and memory of `threads` loads at once. Long simulations get a pilot run first.
    ///
    /// # Errors
    /// The estimate exceeds the limits, or a pair has no path.
    pub fn estimate(&self, threads: usize, limits: Limits) -> Result<Cost, Faults> {
        let fault = |error: SimulateError| Faults::from(simulate_fault(&error));
        let at_once = threads.min(self.loads().len()).max(1);
        let (mut whole, seconds) = match &self.what {
            Workload::Closed(operation) => {
                let whole = collective_cost(&self.closed(operation)).map_err(fault)?;
                (whole, whole.seconds)
            }
            Workload::Open { traffic, .. } => {
                let open = self.open(traffic);
                let most = max_load(&open);
                let estimator = CostModel::new(&open).map_err(fault)?;
                let rough = self.total(&estimator, most, at_once);
                if rough.0.seconds > PILOT_FROM {
                    let largest = self.loads().iter().copied().fold(0.0, f64::max);
                    let largest = if self.form.saturate { most } else { largest };
                    let never = AtomicBool::new(false);
                    let estimator = estimator.with_pilot(largest, &never).map_err(fault)?;
                    self.total(&estimator, most, at_once)
                } else {
                    rough
                }
            }
        };
        // A result has a load per channel, held by the run and by those who show it.
        let results = match &self.what {
            Workload::Open { loads, .. } => {
                loads.len() as u64 + if self.form.saturate { SEARCH_RUNS as u64 } else { 0 }
            }
            Workload::Closed(_) => 1,
        };
        whole.bytes += 64 * self.fabric.links.len() as u64 + self.routing.bytes();
        whole.bytes += 2 * 4 * results * u64::from(self.fabric.channels());
        let mib = |bytes: u64| grouped(bytes.div_ceil(1 << 20));
        let mut faults = Vec::new();
        if whole.bytes > limits.bytes {
            let (about, most) = (mib(whole.bytes), mib(limits.bytes));
            let sentence = format!(
                "this takes about {about} MiB, and at most {most} MiB are allowed; use fewer hosts or links, or smaller buffers."
            );
            faults.push(Fault::new("memory", format!("about {about} MiB"), says(sentence)));
        }
        if seconds > limits.seconds {
            let about = grouped(seconds.ceil() as u64);
            let most = fixed(limits.seconds, if limits.seconds < 10.0 { 3 } else { 0 });
            let sentence = format!(
                "this takes about {about} s, and at most {most} s are allowed; use fewer hosts, cycles or loads."
            );
            faults.push(Fault::new("time", format!("about {about} s"), says(sentence)));
        }
        Faults::of(faults).map_or(Ok(()), Err)?;
        Ok(whole)
    }

    /// Cost of all loads together, and its seconds with `at_once` loads at a time.
    fn total(&self, estimator: &CostModel, most: f64, at_once: usize) -> (Cost, f64) {
        let loads = self.loads().iter().map(|&load| estimator.at(load));
        let largest = |a: Cost, b: Cost| if b.frames > a.frames { b } else { a };
        let (mut seconds, mut longest, mut whole) = (0.0, 0.0f64, estimator.at(0.0));
        for each in loads {
            (seconds, longest, whole) =
                (seconds + each.seconds, longest.max(each.seconds), largest(whole, each));
        }
        let mut elapsed = longest.max(seconds / at_once as f64);
        whole.bytes = whole.bytes.saturating_mul(at_once as u64);
        if self.form.saturate {
            let full = estimator.at(most);
            let search = SEARCH_RUNS * full.seconds / 2.0;
            (seconds, elapsed) = (seconds + search, elapsed + search);
            whole = Cost { bytes: whole.bytes.max(full.bytes), ..largest(whole, full) };
        }
        (Cost { seconds, ..whole }, elapsed)
    }
}

fn kind(
    network: Option<Box<dyn NetworkKind>>,
    request: Option<&Request>,
    design: Option<&Design>,
) -> Result<Box<dyn NetworkKind>, Faults> {
    match (network, request, design) {
        (Some(network), ..) => Ok(network),
        (None, Some(request), Some(design)) => {
            request.fits(design)?;
            Ok(Box::new(Wiring::of(&request.spec, design)))
        }
        _ => Err(Fault::new("fabric", "", "a network such as mesh:8x8, or a spec with its wiring").into()),
    }
}

fn routing(
    form: &SimulationRequest,
    kind: &dyn NetworkKind,
    fabric: &Fabric,
) -> Result<(String, Box<dyn Routing>), Faults> {
    let fault = |advice: Advice| {
        let given = form.routing.clone().unwrap_or_default();
        Faults::from(Fault::new("routing", given, advice))
    };
    let entry = match form.routing.as_deref() {
        Some(name) => RoutingEntry::named(name)
            .ok_or_else(|| fault(unknown(name, ROUTINGS.iter().map(|entry| entry.name))))?,
        None => match kind.routing() {
            Some(routing) => return Ok(("its own".into(), routing)),
            None if Minimal::fits(fabric) => &ROUTINGS[0],
            // Large networks spread their traffic by hash.
            None => RoutingEntry::named("ecmp").expect("a routing of every network"),
        },
    };
    if entry.searches {
        check_steps(kind, fabric)?;
    }
    let routing = (entry.build)(kind, fabric).map_err(|error| match error {
        RoutingFault::Network(expected) => fault(expected.into()),
        RoutingFault::TooLarge(error) => {
            let sentence = format!("{error}; use a smaller network or another routing.");
            Fault::new("fabric", kind.text(), says(sentence)).into()
        }
    })?;
    Ok((entry.name.into(), routing))
}

/// Refuses networks whose paths take too long to find.
fn check_steps(kind: &dyn NetworkKind, fabric: &Fabric) -> Result<(), Faults> {
    let steps = u64::from(fabric.hosts) * u64::from(fabric.channels());
    if steps <= MAX_STEPS {
        return Ok(());
    }
    let sentence = format!(
        "finding its paths takes over an hour: {} hosts times {} channels are {}, and at most {} are allowed.",
        grouped(fabric.hosts.into()),
        grouped(fabric.channels().into()),
        grouped(steps),
        grouped(MAX_STEPS)
    );
    Err(Fault::new("fabric", kind.text(), says(sentence)).into())
}

/// Groups and background of a collective operation.
fn operation(
    form: &SimulationRequest,
    collective: Collective,
    nodes: u32,
    request: Option<&Request>,
) -> Result<Operation, Faults> {
    let fault = |advice: Advice| Faults::from(Fault::new("groups", &form.groups, advice));
    let rule = GroupRule::parse(&form.groups).ok_or_else(|| fault(GROUP_FORMS.into()))?;
    let jobs = request.map_or(&[][..], |request| &request.spec.jobs);
    let groups = rule.groups(nodes, jobs).map_err(|sentence| fault(says(sentence)))?;
    let of_background = |advice: Advice| {
        Faults::from(Fault::new("background", form.background.as_deref().unwrap_or_default(), advice))
    };
    let background = match form.background.as_deref().map(Traffic::parse) {
        None => None,
        Some(Ok(Traffic::Open(name))) => {
            let renamed = |mut faults: Faults| {
                faults.0.iter_mut().for_each(|fault| fault.path = "background".into());
                faults
            };
            Some(destinations(name, nodes, request).map_err(renamed)?)
        }
        Some(Ok(Traffic::Closed(name))) => {
            let sentence =
                format!("{name} is timed; background traffic has an offered load, such as uniform.");
            return Err(of_background(says(sentence)));
        }
        Some(Err(fault)) => return Err(of_background(fault.advice)),
    };
    Ok(Operation { collective, nodes, groups, background })
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
                let sentence = match patterns {
                    0 => format!("the spec has no patterns, so there is no {name}; use other traffic."),
                    1 => format!("the spec has one pattern, so there is no {name}; use pattern:0."),
                    _ => format!("there is no {name}; the spec has pattern:0 to pattern:{}.", patterns - 1),
                };
                return Err(Fault::new("traffic", name, says(sentence)).into());
            }
            let asks = |index: &usize| demand.patterns_of(*index) >> number & 1 == 1;
            let pairs = (0..demand.len()).filter(asks).map(|index| demand.pair(index));
            of(&Demand::from_pairs(demand.pes(), pairs), false)
        }
        _ => Destinations::new(name, nodes).map_err(|error| simulate_fault(&error).into()),
    }
}

/// A simulator error as the fault of a field.
fn simulate_fault(error: &SimulateError) -> Fault {
    match error {
        SimulateError::Traffic(fault) => Fault::new("traffic", &fault.name, fault.advice.clone()),
        SimulateError::NoPath(from, to) => {
            let sentence =
                format!("host {from} has no path to host {to}; use another wiring, network or routing.");
            Fault::new("fabric", "", says(sentence))
        }
        SimulateError::Reference(reference, fastest) => Fault::new(
            "reference_speed",
            reference,
            format!("at least {fastest} Mb/s, the speed of the fastest link"),
        ),
        SimulateError::Message(bytes) => {
            Fault::new("message", bytes, "at least 1 byte, in up to 4,294,967,295 frames")
        }
        SimulateError::Chunks(bytes, nodes) => {
            Fault::new("message", bytes, format!("at least {nodes} bytes, one per node of a group"))
        }
        SimulateError::Load(load, most) => Fault::new(
            "background_load",
            load,
            format!("above 0 and at most {most}, the flits per cycle that a host can send"),
        ),
        SimulateError::Rounds => Fault::new("rounds", 0, "at least 1"),
        SimulateError::Lossy => Fault::new(
            "full",
            "drop",
            says("must be hold: in collective operations, dropped frames are not sent again."),
        ),
        SimulateError::Nodes(nodes, hosts) => Fault::new(
            "fabric",
            format!("{hosts} hosts"),
            format!("at least {nodes}, the nodes of the traffic"),
        ),
        other => Fault::new("fabric", "", says(format!("{other}."))),
    }
}
