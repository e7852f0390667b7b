//! The time of a training step, or of the delivery of measured traffic, on a design and on other networks.
//!
//! Every dimension of the job becomes transfers between nodes, group by group, on all shortest paths of the network, which
//! frames share evenly, with the best share of [detours] where that is faster. Dimensions do not run at the same time. The time of one is the
//! latency of the messages that follow one another, plus the time of its transfers by the [fluid model](crate::fluid). Any NIC
//! of a node serves any of its GPUs, and traffic inside nodes takes no time.
//!
//! The time that a GPU [computes], and the [bubble] of the pipeline, follow from the settings. Communication that can run beside
//! computing is hidden in its [window](work::estimate::windows).
//!
//! A dimension whose [frame-level check](frames) is much slower than the fluid model takes the time of the frames.
//!
//! [computes]: compute

mod detours;
mod frames;
mod orders;
mod phases;

use analysis::analysis::library::{Connections, Library, SwitchRule};
use frames::check;
use network::{
    compare::{Market, Sources, unlike},
    fabric::{
        Ecmp, Fabric, Fit, Hops, NetworkKind, Wiring, channel_link, fit,
        kinds::{build, title},
    },
};
use phases::{Flow, Network};
use spec::{
    demand::job::{groups, shares, shares_with},
    design::Design,
    form::{Fault, says},
    spec::job::{Job, Model},
    text::bytes,
};
use work::estimate::{
    BusyLink, DOUBTFUL, DimensionStep, EstimateReport, EstimateSettings, FailureStep, JobStep, NetworkStep,
    assumptions, bubble, compute, duration,
    timing::{JobTiming, Lane, Seconds, Timing},
};

/// Kinds that a design is compared with.
pub const BASELINES: [&str; 6] = ["switch", "rail-clos", "fat-tree", "tree", "dragonfly", "torus"];
/// Bytes per link: both channels, their loads, and the sorted parts of a phase.
const CHANNEL_BYTES: u64 = 350;
/// Bytes per link of each job: the use of both channels.
const JOB_CHANNEL_BYTES: u64 = 16;
/// Title of the design.
const DESIGN: &str = "This design";
/// Busiest links to list.
const BUSIEST: usize = 5;

/// A network that is estimated next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Estimating {
    /// Text form of the network, `design` for the design.
    pub network: String,
    /// Number of the network, from 1.
    pub number: usize,
    /// Number of networks.
    pub of: usize,
}

/// Estimates the time of a step of the spec's job, or of the delivery of its measured traffic, on its design, on the [`BASELINES`] and on `others`.
///
/// # Errors
/// The spec has neither a job nor measured traffic alone, or the bytes of a dimension are unknown.
pub fn estimate(
    sources: &Sources,
    others: &[Box<dyn NetworkKind>],
    settings: &EstimateSettings,
) -> Result<EstimateReport, Fault> {
    estimate_watched(sources, others, settings, &mut |_| {})
}

/// [`estimate`] with a call of `watch` before each network.
///
/// # Errors
/// The spec has neither a job nor measured traffic alone, or the bytes of a dimension are unknown.
pub fn estimate_watched(
    sources: &Sources,
    others: &[Box<dyn NetworkKind>],
    settings: &EstimateSettings,
    watch: &mut dyn FnMut(Estimating),
) -> Result<EstimateReport, Fault> {
    let estimation = Estimation::new(sources, others, settings)?;
    let steps = (0..estimation.count()).map(|number| {
        watch(estimation.estimating(number));
        estimation.step(number)
    });
    let steps = steps.collect();
    Ok(estimation.report(steps))
}

/// An estimate whose networks are timed one by one, in any order and on any machine.
pub struct Estimation<'a> {
    given: Sources<'a>,
    /// The market with the settings' length of cables.
    market: Option<Market>,
    timing: Timing,
    settings: EstimateSettings,
    networks: Vec<EstimateNetwork<'a>>,
    /// Baselines that do not fit, each with the number of networks before it.
    missing: Vec<(usize, NetworkStep)>,
}

/// A network of an estimate.
enum EstimateNetwork<'a> {
    Design(&'a Design, Box<Wiring>),
    Other(&'a dyn NetworkKind),
    Fitted(Box<dyn NetworkKind>),
}

impl EstimateNetwork<'_> {
    fn kind(&self) -> &dyn NetworkKind {
        match self {
            EstimateNetwork::Design(_, wiring) => &**wiring,
            EstimateNetwork::Other(kind) => *kind,
            EstimateNetwork::Fitted(kind) => &**kind,
        }
    }
}

impl<'a> Estimation<'a> {
    /// Lists the networks: the design if there is one, `others`, and the baselines that fit.
    ///
    /// # Errors
    /// The spec has neither a job nor measured traffic alone, or the bytes of a dimension are unknown.
    pub fn new(
        sources: &Sources<'a>,
        others: &'a [Box<dyn NetworkKind>],
        settings: &EstimateSettings,
    ) -> Result<Estimation<'a>, Fault> {
        let market = settings.host_cable.map(|host_length| Market { host_length, ..sources.market.clone() });
        let timing = Timing::with(sources.spec, settings, market.as_ref().unwrap_or(sources.market)).ok_or_else(|| {
            let (path, sentence) = match sources.spec.jobs[..] {
                [_, ..] => (
                    "model",
                    "missing; add the model's shape, or `bytes` in a [[collective]] of every dimension that uses the network.",
                ),
                [] => (
                    "job",
                    "missing; step time needs a training job ([job] and [model]), or measured traffic alone (patterns of kind `matrix`).",
                ),
            };
            Fault::new(path, "", says(sentence))
        })?;
        let design = sources
            .design
            .map(|design| EstimateNetwork::Design(design, Box::new(Wiring::of(sources.spec, design))));
        let networks =
            design.into_iter().chain(others.iter().map(|kind| EstimateNetwork::Other(&**kind))).collect();
        let (given, settings, missing) = (Sources { ..*sources }, *settings, Vec::new());
        let mut estimation = Estimation { given, market, timing, settings, networks, missing };
        for fit in estimation.fits(others) {
            match fit.kind {
                Ok(kind) => estimation.networks.push(EstimateNetwork::Fitted(kind)),
                Err(takes) => {
                    let (kind, title) = (fit.entry.name.into(), fit.entry.title.into());
                    let missing = Some(format!("accepted numbers of nodes: {takes}"));
                    let step = NetworkStep { kind, title, missing, ..NetworkStep::default() };
                    estimation.missing.push((estimation.networks.len(), step));
                }
            }
        }
        Ok(estimation)
    }

    /// Baselines for the number of nodes that are not among `others`.
    fn fits(&self, others: &[Box<dyn NetworkKind>]) -> Vec<Fit> {
        let limits = self.sources().market.limits(self.given.spec.mean_nis());
        let given: Vec<String> = others.iter().map(|kind| kind.text()).collect();
        let is_given = |fit: &Fit| fit.kind.as_ref().is_ok_and(|kind| given.contains(&kind.text()));
        let fits = fit(self.given.spec.pes, &limits).into_iter().filter(is_baseline);
        fits.filter(|fit| !is_given(fit)).collect()
    }

    fn sources(&self) -> Sources<'_> {
        Sources { market: self.market.as_ref().unwrap_or(self.given.market), ..self.given }
    }

    /// Number of networks.
    pub fn count(&self) -> usize {
        self.networks.len()
    }

    /// The network of that number, which is estimated next.
    pub fn estimating(&self, number: usize) -> Estimating {
        let network = self.networks[number].kind().text();
        Estimating { network, number: number + 1, of: self.count() }
    }

    /// The step on the network of that number.
    pub fn step(&self, number: usize) -> NetworkStep {
        let sources = &self.sources();
        let steps = Steps { sources, timing: &self.timing, settings: &self.settings };
        match &self.networks[number] {
            EstimateNetwork::Design(design, wiring) => steps.design(design, wiring),
            listed => steps.network(&title(listed.kind()), listed.kind()),
        }
    }

    /// The report from the steps of all networks in order.
    pub fn report(&self, steps_of: Vec<NetworkStep>) -> EstimateReport {
        let (sources, timing, settings) = (&self.sources(), &self.timing, &self.settings);
        let steps = Steps { sources, timing, settings };
        let jobs = &sources.spec.jobs;
        let mut networks = steps_of;
        let orders =
            networks.first().zip(sources.design).and_then(|(step, design)| steps.orders(step, design));
        for (before, step) in self.missing.iter().rev() {
            networks.insert(*before, step.clone());
        }
        let mean = |of: fn(&Job, &Model, &EstimateSettings) -> f64| {
            let of = |job: &Job| job.model.as_ref().map_or(0.0, |model| of(job, model, settings));
            sources.spec.has_model().then(|| timing.mean(jobs.iter().map(of)))
        };
        let mut report = EstimateReport {
            hosts: sources.spec.pes,
            ranks: (!jobs.is_empty()).then(|| jobs.iter().map(Job::ranks).sum()),
            market: sources.market.name.clone(),
            speed: sources.market.speed,
            compute: mean(compute),
            bubble: mean(bubble),
            networks,
            orders,
            verdict: String::new(),
            assumptions: assumptions(settings, sources.spec, sources.market),
        };
        report.verdict = report.judge();
        report.verdict.extend(jobs.iter().flat_map(|job| left_out(job, settings)));
        if let Some(contention) = report.networks.iter().find_map(NetworkStep::contention) {
            report.verdict = format!("{} {contention}", report.verdict);
        }
        if let Some(design) = sources.design {
            report.verdict.push_str(&steps.library(design));
        }
        report
    }
}

/// Sentences on the dimensions of a job whose groups are all inside nodes: their traffic takes no time in the estimate.
fn left_out(job: &Job, settings: &EstimateSettings) -> Vec<String> {
    let inside = shares_with(job, &settings.practice).into_iter();
    let inside = inside.filter(|share| !groups(job, share.collective).has_pairs()).map(|share| {
        let bytes = share.collective.bytes.map_or("unknown bytes".into(), bytes);
        let label = share.collective.along.label();
        format!(" Not counted: {label} parallelism inside nodes ({bytes} per GPU and step).")
    });
    inside.collect()
}

/// The step on one network: on the design of `sources` if `kind` is its wiring. `timing` is the traffic of the spec, perhaps with its
/// nodes renumbered; the settings' length of cables is ignored, since prices are those of the market as it is.
pub fn step_on(
    sources: &Sources,
    kind: &dyn NetworkKind,
    timing: &Timing,
    settings: &EstimateSettings,
) -> NetworkStep {
    let steps = Steps { sources, timing, settings };
    match sources.design.filter(|_| kind.text() == "design") {
        Some(design) => steps.design(design, &Wiring::of(sources.spec, design)),
        None => steps.network(&title(kind), kind),
    }
}

/// Upper bound in bytes of the memory of an estimate, without the spec and its demand: routes of the largest network with and without
/// a failed part, its channels, the transfers, and the parts of their paths.
pub fn memory(sources: &Sources, others: &[Box<dyn NetworkKind>]) -> u64 {
    let jobs = sources.spec.jobs.len() as u64;
    let of = |kind: &dyn NetworkKind| {
        let parts = kind.parts();
        let nodes = u64::from(parts.hosts) + parts.switch_count();
        let routes = (u64::from(parts.hosts) * nodes).min(Ecmp::MAX_ENTRIES) * 4;
        2 * routes + parts.cables * (CHANNEL_BYTES + jobs * JOB_CHANNEL_BYTES)
    };
    let limits = sources.market.limits(sources.spec.mean_nis());
    let fits = fit(sources.spec.pes, &limits).into_iter().filter(is_baseline).filter_map(|fit| fit.kind.ok());
    let networks = fits.map(|kind| of(&*kind)).chain(others.iter().map(|kind| of(&**kind)));
    let design = sources.design.map(|design| of(&Wiring::of(sources.spec, design)));
    let of = |job: &Job| -> u64 {
        shares(job).iter().map(|share| groups(job, share.collective).max_pairs()).sum()
    };
    let transfers: u64 = match &sources.spec.jobs[..] {
        [] => sources.demand.len() as u64,
        jobs => jobs.iter().map(of).sum(),
    };
    networks.chain(design).max().unwrap_or(0) + phases::memory(transfers) + orders::memory(sources, transfers)
}

fn is_baseline(fit: &Fit) -> bool {
    BASELINES.contains(&fit.entry.name)
}

/// `true` if every host has one NIC, or one per plane, and switches are linked.
fn has_detours(kind: &dyn NetworkKind) -> bool {
    let parts = kind.planes().map_or_else(|| kind.parts(), |(_, plane)| plane.parts());
    parts.nis == u64::from(parts.hosts)
        && parts.trunk_nis == 0
        && parts.between > 0
        && kind.text() != "design"
}

struct Steps<'a> {
    sources: &'a Sources<'a>,
    timing: &'a Timing,
    settings: &'a EstimateSettings,
}

impl Steps<'_> {
    /// The estimate of the design, over the switches that the job's library uses.
    fn design(&self, design: &Design, wiring: &Wiring) -> NetworkStep {
        let jobs = &self.sources.spec.jobs;
        if self.sources.spec.library() == Library::Any {
            return self.network(DESIGN, wiring);
        }
        let nis = design.nis();
        let connections = Connections::of(self.sources.spec.spine(), jobs, &nis);
        match connections.hold() {
            true => {
                self.network_by(DESIGN, wiring, Some(SwitchRule::of(self.sources.spec.spine(), jobs, &nis)))
            }
            false => NetworkStep { missing: Some(connections.counts()), ..self.step(DESIGN, wiring) },
        }
    }

    /// Sentences for the verdict on the settings that the jobs' library needs, and on the design's step over all shared switches;
    /// empty if they may use any library.
    fn library(&self, design: &Design) -> String {
        let spec = self.sources.spec;
        if spec.library() == Library::Any {
            return String::new();
        }
        let connections = Connections::of(spec.spine(), &spec.jobs, &design.nis());
        let any = Timing { library: Library::Any, ..self.timing.clone() };
        let over_all = any.on(design).map(|seconds| {
            format!(
                "Over all shared switches (`library = \"any\"`), this design's step takes {} by the fluid model.",
                duration(seconds.step)
            )
        });
        let sentences = connections.remedies().into_iter().chain([connections.settings()]).chain(over_all);
        sentences.map(|sentence| format!(" {sentence}")).collect()
    }

    fn network(&self, title: &str, kind: &dyn NetworkKind) -> NetworkStep {
        self.network_by(title, kind, None)
    }

    fn network_by(&self, title: &str, kind: &dyn NetworkKind, rule: Option<SwitchRule>) -> NetworkStep {
        let step = self.step(title, kind);
        if kind.parts().hosts != self.sources.spec.pes {
            let missing = format!("{} hosts instead of {}", kind.parts().hosts, self.sources.spec.pes);
            return NetworkStep { missing: Some(missing), ..step };
        }
        let found = build(kind, self.sources.market.speeds())
            .map_err(|fault| fault.message)
            .and_then(|fabric| self.on(&fabric, has_detours(kind), rule, &step));
        found.unwrap_or_else(|missing| NetworkStep { missing: Some(missing), ..step })
    }

    /// A network without its figures.
    fn step(&self, title: &str, kind: &dyn NetworkKind) -> NetworkStep {
        let text = kind.text();
        NetworkStep {
            kind: text.split(':').next().unwrap_or_default().into(),
            title: title.into(),
            text,
            unlike: unlike(kind, self.sources),
            bill: self.sources.bill(kind),
            ..NetworkStep::default()
        }
    }

    /// The estimate on a network; the error says why there is none.
    fn on(
        &self,
        fabric: &Fabric,
        has_detours: bool,
        rule: Option<SwitchRule>,
        step: &NetworkStep,
    ) -> Result<NetworkStep, String> {
        let network = Network::of(fabric, has_detours, self.sources.market)
            .map_err(|error| error.to_string())?
            .by(rule);
        let mut load = vec![0.0; fabric.channels() as usize];
        let (mut dimensions, flows) = self.dimensions(&network, &self.timing.lanes, &mut load)?;
        let longest =
            (0..flows.len()).max_by(|&a, &b| dimensions[a].transfer.total_cmp(&dimensions[b].transfer));
        // The simulator's detours would pass through hosts from one plane to another.
        let checked = longest.filter(|&at| !dimensions[at].detour);
        let check = checked.map(|at| {
            check(&network, &self.timing.lanes[at], &flows[at], self.sources.market)
                .map_err(|error| error.to_string())
        });
        let check = check.transpose()?;
        let ratio = check.as_ref().and_then(|check| check.ratio).filter(|&ratio| ratio > DOUBTFUL);
        let slower = checked.zip(ratio);
        self.finish(&mut dimensions, slower);
        let jobs = self.jobs(&network, &dimensions, &flows);
        Ok(NetworkStep {
            jobs,
            busiest: busiest(&network, &load),
            failure: self.failure(&network, &load, slower),
            dimensions,
            check,
            ..step.clone()
        })
    }

    /// Every dimension with its phases, by the fluid model; adds the bytes to the load of each channel. The error says why some
    /// transfer has no path.
    fn dimensions(
        &self,
        network: &Network,
        lanes: &[Lane],
        load: &mut [f64],
    ) -> Result<(Vec<DimensionStep>, Vec<Vec<Flow>>), String> {
        let (mut steps, mut all) = (Vec::new(), Vec::new());
        for lane in lanes {
            // Before any path is walked: some may have none.
            let farthest = network.farthest(lane, self.sources.spec.forwards())?;
            let (flows, latency) = on_paths(network, lane, farthest);
            for flow in &flows {
                flow.add_to(load);
            }
            let fluid = flows.iter().map(|flow| flow.seconds).sum();
            let detour = flows.iter().any(|flow| flow.detour.is_some());
            all.push(flows);
            steps.push(DimensionStep {
                name: match self.sources.spec.jobs.len() {
                    0 | 1 => lane.name.into(),
                    _ => format!("{} of job {}", lane.name, lane.job),
                },
                label: lane.label.into(),
                latency,
                transfer: fluid,
                fluid,
                detour,
                hidden: None,
            });
        }
        Ok((steps, all))
    }

    /// Sets what computing hides, after the transfers of one dimension take longer by a factor.
    fn finish(&self, dimensions: &mut [DimensionStep], slower: Option<(usize, f64)>) {
        if let Some((at, ratio)) = slower {
            dimensions[at].transfer *= ratio;
        }
        let seconds: Vec<f64> = dimensions.iter().map(DimensionStep::seconds).collect();
        let hidden = self.timing.hidden(&seconds);
        for ((dimension, lane), hidden) in dimensions.iter_mut().zip(&self.timing.lanes).zip(hidden) {
            let job = self.sources.spec.jobs.get(lane.job);
            dimension.hidden = job.and_then(|job| job.model.as_ref()).map(|_| hidden);
        }
    }

    /// The step of each job, alone and beside the others; empty for a single job.
    ///
    /// Beside others, a job has what the mean load of theirs leaves of a channel, but at least an equal share of it. A phase then takes
    /// as long as alone, or as its most loaded channel does at that capacity.
    fn jobs(&self, network: &Network, dimensions: &[DimensionStep], flows: &[Vec<Flow>]) -> Vec<JobStep> {
        let jobs = &self.sources.spec.jobs;
        if jobs.len() < 2 {
            return Vec::new();
        }
        let lanes = &self.timing.lanes;
        let alone = self.timing.each(dimensions.iter().map(DimensionStep::seconds));
        // Mean share of each channel that a job uses.
        let mut used = vec![vec![0.0; network.capacity.len()]; jobs.len()];
        for (lane, flows) in lanes.iter().zip(flows) {
            flows.iter().for_each(|flow| flow.add_to(&mut used[lane.job]));
        }
        for (used, alone) in used.iter_mut().zip(&alone) {
            let capacity = network.capacity.iter().map(|capacity| capacity * alone.step);
            used.iter_mut()
                .zip(capacity)
                .filter(|(used, _)| **used > 0.0)
                .for_each(|(used, most)| *used /= most);
        }
        let left = |job: usize, channel: usize| {
            let others = (0..jobs.len()).filter(|&other| other != job).map(|other| used[other][channel]);
            let (count, sum) =
                others.filter(|&used| used > 0.0).fold((1.0, 0.0), |(n, sum), used| (n + 1.0, sum + used));
            (1.0_f64 - sum).max(1.0 / count)
        };
        let seconds = |((lane, dimension), flows): ((&Lane, &DimensionStep), &Vec<Flow>)| {
            let fluid: f64 =
                flows.iter().map(|flow| flow.beside(network, |channel| left(lane.job, channel))).sum();
            let by_frames = if dimension.fluid > 0.0 { dimension.transfer / dimension.fluid } else { 1.0 };
            dimension.latency + fluid * by_frames
        };
        let beside = self.timing.each(lanes.iter().zip(dimensions).zip(flows).map(seconds));
        let has_model = self.sources.spec.has_model();
        let step = |(((job, timing), alone), beside): (((&Job, &JobTiming), &Seconds), &Seconds)| JobStep {
            first: job.span().start,
            nodes: timing.nodes,
            alone: alone.step,
            step: beside.step,
            communication: beside.communication,
            exposed: has_model.then_some(beside.step - timing.base),
        };
        jobs.iter().zip(&self.timing.jobs).zip(&alone).zip(&beside).map(step).collect()
    }

    /// The worst of the failures that are tried. One dimension may be slower by a factor.
    fn failure(&self, network: &Network, load: &[f64], slower: Option<(usize, f64)>) -> Option<FailureStep> {
        let parts = network.parts(load, self.settings.failures as usize);
        let of = network.part_count();
        let tried = parts.len() as u32;
        let after = parts.into_iter().map(|part| {
            let mut load = vec![0.0; load.len()];
            let steps = self.dimensions(&network.without(&part.links), &self.timing.lanes, &mut load);
            let communication = steps.ok().map(|(mut steps, _)| {
                self.finish(&mut steps, slower);
                self.timing.total(steps.iter().map(DimensionStep::seconds)).communication
            });
            FailureStep { part: part.name, communication, tried, of }
        });
        // The first of several that are equally bad.
        after.rev().max_by(|a, b| {
            let key = |step: &FailureStep| step.communication.unwrap_or(f64::INFINITY);
            key(a).total_cmp(&key(b))
        })
    }
}

/// The phases of a dimension, and the seconds of its messages one after another. Detours that cost more in longer paths than they
/// save are left out.
fn on_paths(network: &Network, lane: &Lane, farthest: Hops) -> (Vec<Flow>, f64) {
    let latency = |switches: u32| {
        lane.messages * network.latency(Hops::new(farthest.hosts, switches.max(farthest.switches)))
    };
    let flows = network.flows(lane, true);
    let detours = || flows.iter().filter_map(|flow| flow.detour);
    let longest = latency(detours().map(|detour| detour.switches).max().unwrap_or(0));
    let saved: f64 = detours().map(|detour| detour.saved).sum();
    match longest - latency(0) <= saved {
        true => (flows, longest),
        false => (network.flows(lane, false), latency(0)),
    }
}

fn busiest(network: &Network, load: &[f64]) -> Vec<BusyLink> {
    let seconds = |channel: u32| load[channel as usize] / network.capacity[channel as usize];
    let mut channels: Vec<u32> = (0..load.len() as u32).filter(|&c| load[c as usize] > 0.0).collect();
    channels.sort_by(|&a, &b| seconds(b).total_cmp(&seconds(a)).then(a.cmp(&b)));
    // One line per link: its busier direction.
    let mut links: Vec<u32> = Vec::new();
    channels.retain(|&channel| {
        let new = links.len() < BUSIEST && !links.contains(&channel_link(channel));
        if new {
            links.push(channel_link(channel));
        }
        new
    });
    let link = |channel: u32| BusyLink {
        name: network.fabric.channel_name(channel),
        bytes: load[channel as usize],
        seconds: seconds(channel),
    };
    channels.into_iter().map(link).collect()
}
