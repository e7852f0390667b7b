//! The time of a training step on a design and on other networks.
//!
//! Every dimension of the job becomes transfers between nodes, group by group, on all shortest paths of the network, which
//! frames share evenly, with the best share of [detours] where that is faster. Dimensions do not run at the same time. The time of one is the
//! latency of the messages that follow one another, plus the time of its transfers by the [fluid model](crate::fluid). Any NIC
//! of a node serves any of its GPUs, and traffic inside nodes takes no time.
//!
//! A GPU computes 6 operations per token and active parameter (Kaplan et al.: "Scaling laws for neural language models", 2020,
//! section 2.1), and waits (p - 1) / (v m) of that time for other pipeline stages (Narayanan et al. 2021, section 2.2).
//! Communication that can run beside computing is hidden: see [`window`].

mod detours;
mod frames;
mod orders;
mod phases;

use frames::check;
use phases::{Flow, Network, Work};
use shared::{
    analysis::library::{Connections, Library, SwitchRule},
    compare::{Sources, unlike},
    demand::job::{groups, shares},
    design::Design,
    estimate::{
        BusyLink, DimensionStep, EstimateReport, EstimateSettings, FailureStep, NetworkStep, duration,
    },
    fabric::{
        Ecmp, Fabric, Fit, Hops, Kind, Wiring, channel_link, fit,
        kinds::{build, title},
    },
    form::Fault,
    spec::job::{Dimension, Job, Model},
};

/// Kinds that a design is compared with.
pub const BASELINES: [&str; 6] = ["switch", "rail-clos", "fat-tree", "tree", "dragonfly", "torus"];
/// Bytes per link: both channels, their loads, and the sorted parts of a phase.
const CHANNEL_BYTES: u64 = 350;
/// Title of the design.
const DESIGN: &str = "This design";
/// Busiest links to list.
const BUSIEST: usize = 5;

/// Estimates the time of a step of the spec's job on its design, on the [`BASELINES`] and on `others`.
///
/// # Errors
/// The spec has no job, or the bytes of a dimension are unknown.
pub fn estimate(
    sources: &Sources,
    others: &[Box<dyn Kind>],
    settings: &EstimateSettings,
) -> Result<EstimateReport, Fault> {
    let job = sources.spec.job.as_ref().ok_or_else(|| {
        Fault::new(
            "job",
            "",
            "a training job: the table [job] with its degrees and [model] with the model's shape",
        )
    })?;
    let work: Vec<Work> = shares(job).iter().filter_map(|share| Work::of(job, share)).collect();
    if work.iter().any(|work| !work.has_bytes) {
        let expected = "the model's shape in [model], or `bytes` in a [[collective]] of every dimension that uses the network";
        return Err(Fault::new("model", "", expected));
    }
    let compute = job.model.as_ref().map(|model| compute(job, model, settings.flops));
    let steps = Steps { sources, job, work, compute, settings };
    let design = sources.design.map(|design| steps.design(design));
    let orders = design.as_ref().zip(sources.design).and_then(|(step, design)| steps.orders(step, design));
    let asked = others.iter().map(|kind| steps.network(&title(&**kind), &**kind));
    let limits = sources.market.limits(sources.spec.mean_nis());
    let given: Vec<String> = others.iter().map(|kind| kind.text()).collect();
    let mut fits: Vec<NetworkStep> = Vec::new();
    for fitted in fit(sources.spec.pes, &limits).into_iter().filter(is_baseline) {
        let step = match &fitted.kind {
            Ok(kind) if given.contains(&kind.text()) => continue,
            Ok(kind) => steps.network(&title(&**kind), &**kind),
            Err(takes) => {
                let (kind, title) = (fitted.entry.name.into(), fitted.entry.title.into());
                let missing = Some(format!("accepted numbers of nodes: {takes}"));
                NetworkStep { kind, title, missing, ..NetworkStep::default() }
            }
        };
        fits.push(step);
    }
    let mut report = EstimateReport {
        hosts: sources.spec.pes,
        ranks: job.ranks(),
        market: sources.market.name.clone(),
        speed: sources.market.speed,
        compute,
        bubble: job.model.as_ref().zip(compute).map(|(model, compute)| {
            let micro_batches = f64::from(job.micro_batches(model) * job.virtual_stages);
            compute * f64::from(job.pp - 1) / micro_batches
        }),
        networks: design.into_iter().chain(asked).chain(fits).collect(),
        orders,
        verdict: String::new(),
    };
    report.verdict = report.judge();
    if let Some(design) = sources.design {
        report.verdict.push_str(&steps.library(design, &report));
    }
    Ok(report)
}

/// Upper bound in bytes of the memory of an estimate, without the spec and its demand: routes of the largest network with and without
/// a failed part, its channels, the transfers, and the parts of their paths.
pub fn memory(sources: &Sources, others: &[Box<dyn Kind>]) -> u64 {
    let Some(job) = &sources.spec.job else { return 0 };
    let of = |kind: &dyn Kind| {
        let parts = kind.parts();
        let nodes = u64::from(parts.hosts) + parts.switch_count();
        let routes = (u64::from(parts.hosts) * nodes).min(Ecmp::MAX_ENTRIES) * 4;
        2 * routes + parts.cables * CHANNEL_BYTES
    };
    let limits = sources.market.limits(sources.spec.mean_nis());
    let fits = fit(sources.spec.pes, &limits).into_iter().filter(is_baseline).filter_map(|fit| fit.kind.ok());
    let networks = fits.map(|kind| of(&*kind)).chain(others.iter().map(|kind| of(&**kind)));
    let design = sources.design.map(|design| of(&Wiring::of(sources.spec, design)));
    let transfers: u64 = shares(job).iter().map(|share| groups(job, share.collective).max_pairs()).sum();
    networks.chain(design).max().unwrap_or(0) + phases::memory(transfers) + orders::memory(sources, transfers)
}

fn is_baseline(fit: &Fit) -> bool {
    BASELINES.contains(&fit.entry.name)
}

/// Seconds per step that a GPU computes.
fn compute(job: &Job, model: &Model, flops: f64) -> f64 {
    let tokens = f64::from(model.global_batch) * f64::from(model.sequence);
    6.0 * model.active_parameters * tokens / f64::from(job.ranks()) / flops
}

/// Share of the computing beside which a dimension communicates: with ZeRO 2 and 3 all of it for data parallelism, else one
/// micro-batch, since gradients are reduced behind the last one and parameters gathered before the first; all of it for the
/// pipeline, whose stages work on other micro-batches meanwhile; none for the others, whose results the next operation needs.
fn window(job: &Job, model: &Model, dimension: Dimension) -> f64 {
    match dimension {
        Dimension::Dp | Dimension::Edp if model.zero < 2 => 1.0 / f64::from(job.micro_batches(model)),
        Dimension::Dp | Dimension::Edp | Dimension::Pp => 1.0,
        Dimension::Tp | Dimension::Cp | Dimension::Ep => 0.0,
    }
}

/// `true` if every host has one NIC, or one per plane, and switches are linked.
fn has_detours(kind: &dyn Kind) -> bool {
    let parts = kind.planes().map_or_else(|| kind.parts(), |(_, plane)| plane.parts());
    parts.nis == u64::from(parts.hosts)
        && parts.trunk_nis == 0
        && parts.between > 0
        && kind.text() != "design"
}

struct Steps<'a> {
    sources: &'a Sources<'a>,
    job: &'a Job,
    work: Vec<Work>,
    /// Seconds per step that a GPU computes; `None` without a model.
    compute: Option<f64>,
    settings: &'a EstimateSettings,
}

impl Steps<'_> {
    /// The estimate of the design, over the switches that the job's library uses.
    fn design(&self, design: &Design) -> NetworkStep {
        let wiring = Wiring::of(self.sources.spec, design);
        let nis = design.nis();
        let rule = SwitchRule::of(self.job, &nis);
        if rule.library() == Library::Any {
            return self.network(DESIGN, &wiring);
        }
        let connections = Connections::by(self.job, &rule);
        match connections.hold() {
            true => self.network_by(DESIGN, &wiring, Some(rule)),
            false => NetworkStep { missing: Some(connections.counts()), ..self.step(DESIGN, &wiring) },
        }
    }

    /// Sentences for the verdict on the settings that the job's library needs, and on the design's step over all shared switches;
    /// empty if the job may use any library.
    fn library(&self, design: &Design, report: &EstimateReport) -> String {
        let connections = Connections::of(self.job, &design.nis());
        if connections.library == Library::Any {
            return String::new();
        }
        let any = self.network(DESIGN, &Wiring::of(self.sources.spec, design));
        let over_all = report.seconds(&any).map_or_else(String::new, |seconds| {
            format!(" Over all shared switches, this design's step takes {}.", duration(seconds))
        });
        format!(" {}{over_all}", connections.settings())
    }

    fn network(&self, title: &str, kind: &dyn Kind) -> NetworkStep {
        self.network_by(title, kind, None)
    }

    fn network_by(&self, title: &str, kind: &dyn Kind, rule: Option<SwitchRule>) -> NetworkStep {
        let step = self.step(title, kind);
        if kind.parts().hosts != self.sources.spec.pes {
            let missing = format!("{} hosts instead of {}", kind.parts().hosts, self.sources.spec.pes);
            return NetworkStep { missing: Some(missing), ..step };
        }
        let found = build(kind, self.sources.market.speeds())
            .map_err(|fault| fault.expected)
            .and_then(|fabric| self.on(&fabric, has_detours(kind), rule, &step));
        found.unwrap_or_else(|missing| NetworkStep { missing: Some(missing), ..step })
    }

    /// A network without its figures.
    fn step(&self, title: &str, kind: &dyn Kind) -> NetworkStep {
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
        let (dimensions, flows) = self
            .dimensions(&network, &self.work, &mut load)
            .ok_or("some nodes have no path to each other")?;
        let longest =
            (0..flows.len()).max_by(|&a, &b| dimensions[a].transfer.total_cmp(&dimensions[b].transfer));
        // The simulator's detours would pass through hosts from one plane to another, and its frames take all shortest paths.
        let is_alike = |at: &usize| !dimensions[*at].detour && network.rule.is_none();
        let check = longest.filter(is_alike).map(|at| {
            check(&network, &self.work[at], &flows[at], self.sources.market)
                .map_err(|error| error.to_string())
        });
        let check = check.transpose()?;
        Ok(NetworkStep {
            busiest: busiest(&network, &load),
            failure: self.failure(&network, &load),
            dimensions,
            check,
            ..step.clone()
        })
    }

    /// Every dimension with its phases; adds the bytes to the load of each channel. `None` if some transfer has no
    /// path.
    fn dimensions(
        &self,
        network: &Network,
        work: &[Work],
        load: &mut [f64],
    ) -> Option<(Vec<DimensionStep>, Vec<Vec<Flow>>)> {
        let mut hideable = self.job.model.as_ref().zip(self.compute).map(|(model, seconds)| {
            // Both kinds of data parallelism share one window.
            [Dimension::Dp, Dimension::Pp].map(|of| window(self.job, model, of) * seconds)
        });
        let (mut steps, mut all) = (Vec::new(), Vec::new());
        for work in work {
            // Before any path is walked: some may have none.
            let farthest = network.farthest(work)?;
            let (flows, latency) = on_paths(network, work, farthest);
            for flow in &flows {
                flow.add_to(load);
            }
            let transfer = flows.iter().map(|flow| flow.seconds).sum();
            let detour = flows.iter().any(|flow| flow.detour.is_some());
            all.push(flows);
            let hidden = hideable.as_mut().map(|left| match work.dimension {
                Dimension::Dp | Dimension::Edp => hide(&mut left[0], latency + transfer),
                Dimension::Pp => hide(&mut left[1], latency + transfer),
                _ => 0.0,
            });
            steps.push(DimensionStep {
                name: work.dimension.name().into(),
                label: work.dimension.label().into(),
                latency,
                transfer,
                detour,
                hidden,
            });
        }
        Some((steps, all))
    }

    /// The worst of the failures that are tried.
    fn failure(&self, network: &Network, load: &[f64]) -> Option<FailureStep> {
        let parts = network.parts(load, self.settings.failures as usize);
        let of = network.part_count();
        let tried = parts.len() as u32;
        let after = parts.into_iter().map(|part| {
            let mut load = vec![0.0; load.len()];
            let steps = self.dimensions(&network.without(&part.links), &self.work, &mut load);
            let communication = steps.map(|(steps, _)| steps.iter().map(DimensionStep::seconds).sum());
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
fn on_paths(network: &Network, work: &Work, farthest: Hops) -> (Vec<Flow>, f64) {
    let latency = |switches: u32| {
        work.messages * network.latency(Hops::new(farthest.hosts, switches.max(farthest.switches)))
    };
    let flows = network.flows(work, true);
    let detours = || flows.iter().filter_map(|flow| flow.detour);
    let longest = latency(detours().map(|detour| detour.switches).max().unwrap_or(0));
    let saved: f64 = detours().map(|detour| detour.saved).sum();
    match longest - latency(0) <= saved {
        true => (flows, longest),
        false => (network.flows(work, false), latency(0)),
    }
}

/// Takes as much of `left` as `seconds` need.
fn hide(left: &mut f64, seconds: f64) -> f64 {
    let hidden = seconds.min(*left);
    *left -= hidden;
    hidden
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
