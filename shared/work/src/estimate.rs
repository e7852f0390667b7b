//! The contract of an estimate: the time of a training step on a design and on other networks. Package `simulate` computes it.

mod settings;
pub mod timing;

pub use crate::compare::SAME;
pub use crate::spec::assumptions::{Attention, EstimateForm, EstimateSettings};
pub use settings::{Windows, assumptions, bubble, compute, windows};

use crate::{
    compare::{Bill, differing, subject},
    fabric::kinds::name_of,
    text::{capital, fixed, grouped, rounded},
};
use serde::{Deserialize, Serialize};

/// The time of a training step on several networks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EstimateReport {
    /// Nodes.
    pub hosts: u32,
    /// GPUs; `None` for measured traffic, whose step is its delivery.
    pub ranks: Option<u32>,
    /// Name of the market: speeds, latencies and prices.
    pub market: String,
    /// Speed of hosts' links in Mb/s.
    pub speed: u32,
    /// Seconds per step that a GPU computes; `None` without a model.
    pub compute: Option<f64>,
    /// Seconds per step that it waits for other pipeline stages.
    pub bubble: Option<f64>,
    /// The design first if there is one.
    pub networks: Vec<NetworkStep>,
    /// The design with other orders of its nodes; `None` without an estimate of it.
    pub orders: Option<OrderStep>,
    /// The answer in a sentence or two.
    pub verdict: String,
    /// Assumptions of the model, a sentence each.
    pub assumptions: Vec<String>,
}

/// The communication of a step on the design if nodes are in other orders.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OrderStep {
    /// Groups on several nodes whose algorithm is a ring or a tree; those with the same nodes along a dimension count once.
    pub groups: u32,
    /// Groups whose rings or trees stay on shared switches in the orders that were found.
    pub complete: u32,
    /// Hops without a shared switch in the other groups.
    pub hops_apart: u32,
    /// Rings and pairs of trees of all groups.
    pub orders: u32,
    /// Seconds of communication per step as given.
    pub given: f64,
    /// Seconds with each group's rings and trees in the orders that were found. Phases of rings take each ring's own switches, or
    /// all shared switches, whichever is faster.
    pub ordered: f64,
    /// Share of the bytes between nodes without a shared switch, with ranks as given and with nodes renumbered.
    pub bytes_apart: [f64; 2],
    /// Seconds of communication per step with nodes renumbered, and groups in the order of ranks.
    pub renumbered: f64,
}

impl OrderStep {
    /// A sentence or two on the orders of groups, and on the order of ranks.
    pub fn lines(&self) -> Vec<String> {
        let time = |seconds: f64| {
            let [given, seconds] = [self.given, seconds].map(duration);
            match given == seconds {
                true => format!("communication stays at {given}"),
                false => format!("communication {given} -> {seconds}"),
            }
        };
        let mut lines = Vec::new();
        if self.groups > 0 {
            let missing = match self.hops_apart {
                0 => String::new(),
                1 => " One hop has no shared switch.".into(),
                hops => format!(" {} hops have no shared switch.", grouped(hops.into())),
            };
            let [complete, groups, orders] =
                [self.complete, self.groups, self.orders].map(|count| grouped(count.into()));
            lines.push(format!(
                "Ring orders: {complete} of {groups} groups stay on shared switches (rings and trees: {orders}); {}.{missing}",
                time(self.ordered)
            ));
        }
        lines.push(match self.bytes_apart {
            [0.0, _] => "Rank order: every transfer stays on a shared switch.".into(),
            [given, placed] if placed < given && self.renumbered > self.given => format!(
                "Rank order: {} of the bytes are between nodes without a shared switch, {} with nodes renumbered. Don't renumber: {}.",
                percent(given),
                percent(placed),
                time(self.renumbered)
            ),
            [given, placed] if placed < given => format!(
                "Rank order: {} of the bytes are between nodes without a shared switch, {} with nodes renumbered \
                 (export rankfile); {}.",
                percent(given),
                percent(placed),
                time(self.renumbered)
            ),
            [given, _] => format!(
                "Rank order: {} of the bytes are between nodes without a shared switch; no better order was found.",
                percent(given)
            ),
        });
        lines
    }
}

/// A training step on one network.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NetworkStep {
    /// Kind, `design` for the design.
    pub kind: String,
    /// Label.
    pub title: String,
    /// Text form; empty if the kind is not available.
    pub text: String,
    /// Difference from the hosts of the spec.
    pub unlike: Option<String>,
    /// Why there is no estimate; the other figures are then empty.
    pub missing: Option<String>,
    /// Price, power and height.
    pub bill: Bill,
    /// The dimensions that use the network.
    pub dimensions: Vec<DimensionStep>,
    /// The frame-level check of the dimension that transfers longest.
    pub check: Option<FrameCheck>,
    /// Links with the longest transfers, by the bytes of all dimensions.
    pub busiest: Vec<BusyLink>,
    /// The worst failure of one switch or NIC that was tried.
    pub failure: Option<FailureStep>,
    /// The jobs, if there are several; the dimensions are then those of each job alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<JobStep>,
}

/// The step of one of several jobs on one network.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct JobStep {
    /// First node of the job.
    pub first: u32,
    /// Number of its nodes.
    pub nodes: u32,
    /// Seconds per step if no other job runs.
    pub alone: f64,
    /// Seconds per step beside the other jobs.
    pub step: f64,
    /// Seconds of communication per step beside the other jobs.
    pub communication: f64,
    /// Seconds of communication that computing does not hide; `None` if no job has a model.
    pub exposed: Option<f64>,
}

/// The communication along one dimension of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DimensionStep {
    /// Name in a spec, such as `dp`.
    pub name: String,
    /// Label, such as `Data`.
    pub label: String,
    /// Seconds of latency per step: messages that follow one another.
    pub latency: f64,
    /// Seconds of transfer per step: by the fluid model, or by frames if they take more than [`DOUBTFUL`] times as long.
    pub transfer: f64,
    /// Seconds of transfer per step by the fluid model.
    pub fluid: f64,
    /// `true` if a share of the traffic takes detours over other switches, since that is faster than shortest paths alone.
    pub detour: bool,
    /// Seconds that run beside computing; `None` without a model.
    pub hidden: Option<f64>,
}

/// Frames of a dimension on the network beside the fluid model of the same transfers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FrameCheck {
    /// Label of the dimension.
    pub dimension: String,
    /// Time with frames divided by that of the fluid model; `None` after a deadlock.
    pub ratio: Option<f64>,
    /// Frames.
    pub frames: u64,
}

/// A link with its transfers in one direction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BusyLink {
    /// Both ends, such as `host 3 -> switch 1`.
    pub name: String,
    /// Bytes per step.
    pub bytes: f64,
    /// Seconds per step at full speed.
    pub seconds: f64,
}

/// A training step after a failure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FailureStep {
    /// The failed part.
    pub part: String,
    /// Seconds of communication per step; `None` if some nodes no longer reach each other.
    pub communication: Option<f64>,
    /// Parts that were tried.
    pub tried: u32,
    /// Switches and NICs of the network.
    pub of: u32,
}

/// Ratio of frames to the fluid model above which frames count.
pub const DOUBTFUL: f64 = 1.25;
/// Years over which a network is paid.
pub const YEARS: f64 = 4.0;

impl DimensionStep {
    /// Seconds per step.
    pub fn seconds(&self) -> f64 {
        self.latency + self.transfer
    }

    /// `true` if the transfers take the time of frames, since the fluid model is much faster.
    fn is_by_frames(&self) -> bool {
        self.transfer > self.fluid
    }

    /// Seconds per step that computing does not hide.
    pub fn exposed(&self) -> Option<f64> {
        Some(self.seconds() - self.hidden?)
    }
}

impl NetworkStep {
    /// Seconds of communication per step; `None` without an estimate. With several jobs, the mean over their nodes, beside each other.
    pub fn communication(&self) -> Option<f64> {
        if !self.jobs.is_empty() {
            return self.mean(|job| Some(job.communication));
        }
        self.missing.is_none().then(|| self.dimensions.iter().map(DimensionStep::seconds).sum())
    }

    /// Returns the seconds of communication that computing does not hide.
    pub fn exposed(&self) -> Option<f64> {
        self.communication()?;
        if !self.jobs.is_empty() {
            return self.mean(|job| job.exposed);
        }
        self.dimensions.iter().map(DimensionStep::exposed).sum()
    }

    /// Mean over the nodes of all jobs.
    fn mean(&self, of: impl Fn(&JobStep) -> Option<f64>) -> Option<f64> {
        let values: Option<Vec<_>> = self.jobs.iter().map(|job| Some((job.nodes, of(job)?))).collect();
        values.map(timing::mean)
    }

    /// The times of the jobs in a few words, such as `job 0: 1.20 s, job 1: 900 ms`; `None` for a single job.
    pub fn jobs_text(&self) -> Option<String> {
        let job = |(number, job): (usize, &JobStep)| format!("job {number}: {}", duration(job.step));
        let jobs: Vec<String> = self.jobs.iter().enumerate().map(job).collect();
        (!jobs.is_empty()).then(|| jobs.join(", "))
    }

    /// A sentence on the job that loses most beside the others; `None` for a single job.
    pub fn contention(&self) -> Option<String> {
        let loss =
            |(_, job): &(usize, &JobStep)| if job.alone > 0.0 { job.step / job.alone - 1.0 } else { 0.0 };
        let worst =
            self.jobs.iter().enumerate().max_by(|a, b| loss(a).total_cmp(&loss(b)).then(b.0.cmp(&a.0)))?;
        let (number, job) = worst;
        Some(match loss(&worst) < SAME {
            true => format!("{}: no job slows another.", capital(&self.name())),
            false => format!(
                "{}: job {number} loses most beside the others, its step takes {} instead of {}.",
                capital(&self.name()),
                duration(job.step),
                duration(job.alone)
            ),
        })
    }
}

impl EstimateReport {
    /// What the nodes do, such as `16,384 GPUs`.
    pub fn load(&self) -> String {
        self.ranks.map_or("measured traffic".into(), |ranks| format!("{} GPUs", grouped(ranks.into())))
    }

    /// What a step is without computing.
    pub fn what_a_step_is(&self) -> &'static str {
        match self.ranks {
            Some(_) => "Without [model] there is no computing: a step is its communication.",
            None => "A step is the delivery of the measured traffic.",
        }
    }

    /// Seconds per step on a network; without a model, those of the communication.
    pub fn seconds(&self, network: &NetworkStep) -> Option<f64> {
        match (self.compute, self.bubble) {
            (Some(compute), Some(bubble)) => Some(compute + bubble + network.exposed()?),
            _ => network.communication(),
        }
    }

    /// Energy of the network per 1,000 steps, in kWh.
    pub fn energy(&self, network: &NetworkStep) -> Option<f64> {
        Some(1000.0 * network.bill.power? * self.seconds(network)? / 3.6e6)
    }

    /// Price of the network per 1,000 steps, if it is paid over [`YEARS`] of nothing but steps.
    pub fn price_of_steps(&self, network: &NetworkStep) -> Option<f64> {
        let seconds = YEARS * 365.25 * 24.0 * 3600.0;
        Some(1000.0 * network.price()? * self.seconds(network)? / seconds)
    }

    /// Says whether another network is the better buy than the design, which comes first. Other networks on which frames end in a
    /// deadlock are left out.
    pub fn judge(&self) -> String {
        let all: Vec<PricedStep> = self
            .networks
            .iter()
            .filter(|network| network.kind == "design" || !network.has_deadlock())
            .filter_map(|network| {
                Some(PricedStep { network, price: network.price()?, seconds: self.seconds(network)? })
            })
            .collect();
        let own = self.networks.iter().find(|network| network.kind == "design");
        let verdict = match (own, all.iter().find(|priced| priced.network.kind == "design")) {
            (Some(NetworkStep { missing: Some(missing), .. }), _) => {
                format!("This design has no estimate: {missing}. {}", cheapest(&all))
            }
            (Some(_), None) => {
                format!("Parts of this design have no price, so there is no better buy. {}", cheapest(&all))
            }
            (None, _) => cheapest(&all),
            (Some(_), Some(own)) => own.judge(&all),
        };
        let is_unknown =
            |network: &&NetworkStep| network.price().is_none() || self.seconds(network).is_none();
        let others =
            self.networks.iter().filter(|network| network.kind != "design" && !network.text.is_empty());
        match others.filter(is_unknown).count() {
            0 => verdict,
            1 => {
                format!("{verdict} 1 other network is not compared, since its price or its step is unknown.")
            }
            many => {
                format!(
                    "{verdict} {many} other networks are not compared, since a price or a step is unknown."
                )
            }
        }
    }
}

/// A network with its price and the seconds per step.
#[derive(Clone, Copy)]
struct PricedStep<'a> {
    network: &'a NetworkStep,
    price: f64,
    seconds: f64,
}

impl PricedStep<'_> {
    fn per_step(&self) -> f64 {
        self.price * self.seconds
    }

    /// Step time and price beside another network's, such as `same step time, 26 % cheaper`.
    fn beside(&self, other: &PricedStep) -> String {
        let time = differing(self.seconds, other.seconds, ["faster", "same step time", "slower"]);
        let price = differing(self.price, other.price, ["cheaper", "no more expensive", "more expensive"]);
        format!("{time}, {price}")
    }

    /// `true` if step time and price are the same.
    fn ties_with(&self, other: &PricedStep) -> bool {
        let same = |own: f64, other: f64| (own / other - 1.0).abs() < SAME;
        same(self.seconds, other.seconds) && same(self.price, other.price)
    }

    fn is_as_fast_as(&self, other: &PricedStep) -> bool {
        self.seconds <= other.seconds * (1.0 + SAME)
    }

    /// The judgement of this design beside all networks.
    fn judge(&self, all: &[PricedStep]) -> String {
        let others = || all.iter().filter(|other| other.network.kind != "design");
        let is_better = |other: &&PricedStep| {
            let (price, seconds) = (other.price / self.price, other.seconds / self.seconds);
            price <= 1.0 && seconds <= 1.0 + SAME && (price < 1.0 - SAME || seconds < 1.0 - SAME)
        };
        if let Some(best) = others().filter(is_better).min_by(|a, b| a.per_step().total_cmp(&b.per_step())) {
            let (name, beside) = (subject(&best.network.name()), best.beside(self));
            return format!("{name} is a better buy than this design: {beside}.{}", best.network.caveats());
        }
        let by_price = |a: &&PricedStep, b: &&PricedStep| a.price.total_cmp(&b.price);
        if let Some(next) = others().filter(|other| other.is_as_fast_as(self)).min_by(by_price) {
            let (name, beside) = (next.network.name(), self.beside(next));
            return match next.seconds < self.seconds * (1.0 - SAME) {
                true => format!(
                    "This design is the cheaper one: {beside} than the cheapest faster network ({name}).{}",
                    next.network.caveats()
                ),
                false if self.ties_with(next) => {
                    format!("This design has the same step time and price as the next network ({name}).")
                }
                false => format!("This design is the better buy: {beside} than the next network ({name})."),
            };
        }
        match others().min_by(|a, b| a.seconds.total_cmp(&b.seconds)) {
            Some(next) => {
                let (name, beside) = (next.network.name(), self.beside(next));
                format!("This design has the fastest step: {beside} than the next network ({name}).")
            }
            None => "No other network has both a price and a step time, so nothing is compared.".into(),
        }
    }
}

/// The network with the lowest price per step beside the next one, and the fastest.
fn cheapest(all: &[PricedStep]) -> String {
    let mut sorted: Vec<&PricedStep> = all.iter().collect();
    sorted.sort_by(|a, b| a.per_step().total_cmp(&b.per_step()));
    let Some((cheapest, rest)) = sorted.split_first() else {
        return "No network has both a price and an estimate.".into();
    };
    let next = rest.first().map_or(String::new(), |next| {
        let (name, beside) = (next.network.name(), cheapest.beside(next));
        match cheapest.ties_with(next) {
            true => format!("; same step time and price as the next ({name})"),
            false => format!("; {beside} than the next ({name})"),
        }
    });
    let text = format!("Lowest network price per step: {}{next}.", cheapest.network.name());
    let fastest = all.iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds));
    match fastest.filter(|fastest| fastest.seconds < cheapest.seconds * (1.0 - SAME)) {
        Some(fastest) => format!(
            "{text} The fastest is {}: {}.{}",
            fastest.network.name(),
            fastest.beside(cheapest),
            fastest.network.caveats()
        ),
        None => text,
    }
}

impl NetworkStep {
    /// `true` if frames wait for each other forever.
    fn has_deadlock(&self) -> bool {
        self.check.as_ref().is_some_and(|check| check.ratio.is_none())
    }

    /// A sentence if frames take more than [`DOUBTFUL`] times as long as the fluid model says, or end in a deadlock.
    pub fn doubt(&self) -> Option<String> {
        let check = self.check.as_ref()?;
        let Some(ratio) = check.ratio else {
            return Some(format!(
                "{}: frames wait for each other forever ({}), with one virtual channel per link.",
                capital(&self.name()),
                check.dimension
            ));
        };
        if ratio <= DOUBTFUL {
            return None;
        }
        Some(format!(
            "{}: frames take {} times as long as in the fluid model ({}), so the step uses the time with frames. Frames wait at shared \
             links, buffers and hosts, which the fluid model leaves out.",
            capital(&self.name()),
            fixed(ratio, 2),
            check.dimension
        ))
    }

    /// Sentences on detours and frames for a verdict; empty without any.
    fn caveats(&self) -> String {
        let detours = match self.dimensions.iter().any(|dimension| dimension.detour) {
            true => {
                " The step assumes adaptive routing with detours, which the frame-level check leaves out."
            }
            false => "",
        };
        let frames = match self.dimensions.iter().find(|dimension| dimension.is_by_frames()) {
            Some(dimension) => {
                format!(" For {}, the step uses the time with frames, which is longer.", dimension.name)
            }
            None => String::new(),
        };
        format!("{detours}{frames}")
    }

    /// Time of a dimension for people, with the part that computing hides.
    pub fn dimension_text(dimension: &DimensionStep) -> String {
        let seconds = dimension.seconds();
        let hidden = match dimension.hidden {
            // JSON may round the last bit.
            Some(hidden) if hidden >= seconds * (1.0 - 1e-9) => ", hidden".into(),
            Some(hidden) if hidden > 0.0 => format!(", {} hidden", duration(hidden)),
            _ => String::new(),
        };
        let detour = if dimension.detour { ", detours" } else { "" };
        let frames = if dimension.is_by_frames() { ", by frames" } else { "" };
        format!("{}{detour}{frames}{hidden}", duration(seconds))
    }

    /// The worst failure in a sentence.
    pub fn failure_text(&self) -> Option<String> {
        let failure = self.failure.as_ref()?;
        let after = match failure.communication {
            Some(seconds) => format!("communication takes {}", duration(seconds)),
            None => "some pairs that communicate have no path left".into(),
        };
        Some(format!(
            "Worst of {} failures tried, of {} switches and NICs: {} fails, {after}.",
            failure.tried,
            grouped(failure.of.into()),
            failure.part
        ))
    }

    /// The price; `None` if parts have none.
    pub fn price(&self) -> Option<f64> {
        self.bill.total.filter(|_| self.bill.unpriced.is_empty())
    }

    /// Name in the middle of a sentence.
    pub fn name(&self) -> String {
        match (self.kind.as_str(), self.text.as_str()) {
            ("design", _) => "this design".into(),
            (_, "") => self.title.clone(),
            (_, text) => name_of(text),
        }
    }
}

/// Columns of the table of several jobs, after the network's name.
pub const JOB_COLUMNS: [&str; 5] = ["Job", "Nodes", "Step alone", "Beside the others", "Longer by"];

impl JobStep {
    /// Returns the cells of the table, for the job of that number, from 0.
    pub fn cells(&self, number: usize) -> [String; 5] {
        let last = self.first + self.nodes - 1;
        let longer = if self.alone > 0.0 { self.step / self.alone - 1.0 } else { 0.0 };
        [
            number.to_string(),
            format!("{}–{}", self.first, last),
            duration(self.alone),
            duration(self.step),
            if longer < 0.0005 { "–".into() } else { percent(longer) },
        ]
    }
}

/// A column of the table of networks.
pub struct Column {
    /// Title.
    pub title: &'static str,
    /// Explanation, one line.
    pub explanation: &'static str,
    /// `true` for one of the eight columns that decide.
    pub decides: bool,
    cell: fn(&EstimateReport, &NetworkStep) -> String,
}

impl Column {
    /// Returns the cell for a network.
    pub fn cell(&self, report: &EstimateReport, network: &NetworkStep) -> String {
        (self.cell)(report, network)
    }
}

const UNKNOWN: &str = "–";

fn known(value: Option<f64>, text: impl Fn(f64) -> String) -> String {
    value.map_or(UNKNOWN.into(), text)
}

/// All columns, after the network's name.
pub const COLUMNS: &[Column] = &[
    Column {
        title: "Price",
        explanation: "NICs, switches and cables; – if some parts have no price.",
        decides: true,
        cell: |_, network| known(network.price(), |price| grouped(price.round() as u64)),
    },
    Column {
        title: "Power",
        explanation: "NICs, switches and ends of cables.",
        decides: true,
        cell: |_, network| known(network.bill.power, |watts| format!("{} kW", fixed(watts / 1000.0, 1))),
    },
    Column {
        title: "Communication",
        explanation: "Latency and transfers of all dimensions per step, one after the other, by the fluid model, or by frames where they \
            are slower.",
        decides: true,
        cell: |_, network| known(network.communication(), duration),
    },
    Column {
        title: "Exposed",
        explanation: "Communication that computing does not hide; – without a model.",
        decides: true,
        cell: |_, network| known(network.exposed(), duration),
    },
    Column {
        title: "Step",
        explanation: "Computing, pipeline bubble and exposed communication; without a model, the communication.",
        decides: true,
        cell: |report, network| known(report.seconds(network), duration),
    },
    Column {
        title: "Frames / fluid",
        explanation: "Frame-level simulation of the longest dimension, scaled down, divided by the fluid model. Above 1.25, \
            the dimension takes the time of frames. Deadlock: frames wait for each other forever with one virtual channel per link. –: not simulated on detours.",
        decides: true,
        cell: |_, network| {
            let ratio = |check: &FrameCheck| check.ratio.map_or("deadlock".into(), |ratio| fixed(ratio, 2));
            network.check.as_ref().map_or("–".into(), ratio)
        },
    },
    Column {
        title: "After a failure",
        explanation: "Communication after the worst of the failures that were tried. Pairs cut off: some pairs that communicate have no path left.",
        decides: true,
        cell: |_, network| {
            let after =
                |failure: &FailureStep| failure.communication.map_or("pairs cut off".into(), duration);
            network.failure.as_ref().map_or("–".into(), after)
        },
    },
    Column {
        title: "Price per 1,000 steps",
        explanation: "Network price, depreciated over four years of steps. Excludes GPUs.",
        decides: true,
        cell: |report, network| known(report.price_of_steps(network), significant),
    },
    Column {
        title: "Energy per 1,000 steps",
        explanation: "The network's power times the steps.",
        decides: false,
        cell: |report, network| {
            known(report.energy(network), |energy| format!("{} kWh", significant(energy)))
        },
    },
];

/// Three significant digits.
fn significant(number: f64) -> String {
    let digits = if number > 0.0 { 2 - number.log10().floor() as i32 } else { 0 };
    if digits <= 0 { grouped(number.round() as u64) } else { fixed(number, digits as usize) }
}

fn percent(share: f64) -> String {
    format!("{} %", fixed(100.0 * share, if share < 0.1 { 1 } else { 0 }))
}

/// Seconds for people, such as `1.25 s` or `38.1 ms`.
pub fn duration(seconds: f64) -> String {
    match seconds {
        0.0 => "0".into(),
        s if s >= 100.0 => format!("{} s", grouped(s.round() as u64)),
        s if s >= 1.0 => format!("{} s", fixed(s, 2)),
        s if s >= 1e-3 => format!("{} ms", fixed(s * 1e3, if s < 0.1 { 2 } else { 1 })),
        s if s >= 1e-6 => format!("{} µs", fixed(s * 1e6, 1)),
        s => format!("{} ns", rounded(s * 1e9, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DESIGN: &str = "design";
    const RAILS: &str = "planes:8,switch:64";
    const TREE: &str = "fat-tree:128,8,3,2";

    fn network(text: &str, price: Option<f64>, seconds: f64) -> NetworkStep {
        let dimension = DimensionStep {
            name: "dp".into(),
            label: "Data".into(),
            latency: 0.0,
            transfer: seconds,
            fluid: seconds,
            detour: false,
            hidden: None,
        };
        NetworkStep {
            kind: text.split(':').next().unwrap_or_default().into(),
            text: text.into(),
            bill: Bill { total: price, ..Bill::default() },
            dimensions: vec![dimension],
            ..NetworkStep::default()
        }
    }

    fn said(networks: &[(&str, Option<f64>, f64)]) -> String {
        let report = EstimateReport {
            hosts: 64,
            ranks: None,
            market: String::new(),
            speed: 1000,
            compute: None,
            bubble: None,
            networks: networks.iter().map(|&(text, price, seconds)| network(text, price, seconds)).collect(),
            orders: None,
            verdict: String::new(),
            assumptions: Vec::new(),
        };
        report.judge()
    }

    #[test]
    fn a_verdict_says_the_difference_of_prices_and_steps() {
        let cases = [
            (
                vec![(DESIGN, 74.0, 1.0), (TREE, 100.0, 1.0)],
                "This design is the better buy: same step time, 26 % cheaper than the next network (fat tree, 3 levels, 1:2).",
            ),
            (
                vec![(DESIGN, 100.0, 1.0), (RAILS, 74.0, 1.001)],
                "8 rails, one 64-port switch each, is a better buy than this design: same step time, 26 % cheaper.",
            ),
            (
                vec![(DESIGN, 100.0, 1.0), (RAILS, 100.0, 0.5)],
                "8 rails, one 64-port switch each, is a better buy than this design: 50 % faster, no more expensive.",
            ),
            (
                vec![(DESIGN, 100.0, 1.0), (RAILS, 100.1, 1.0), (TREE, 300.0, 1.0)],
                "This design has the same step time and price as the next network (8 rails, one 64-port switch each).",
            ),
            (
                vec![(DESIGN, 50.0, 1.5), (RAILS, 100.0, 1.0)],
                "This design is the cheaper one: 50 % slower, 50 % cheaper than the cheapest faster network (8 rails, one 64-port switch each).",
            ),
            (
                vec![(DESIGN, 130.0, 1.0), (RAILS, 100.0, 2.0)],
                "This design has the fastest step: 50 % faster, 30 % more expensive than the next network (8 rails, one 64-port switch each).",
            ),
            (
                vec![(DESIGN, 130.0, 1.0)],
                "No other network has both a price and a step time, so nothing is compared.",
            ),
            (
                vec![(RAILS, 74.0, 1.0), (TREE, 100.0, 1.0)],
                "Lowest network price per step: 8 rails, one 64-port switch each; same step time, 26 % cheaper than the next (fat tree, 3 levels, 1:2).",
            ),
            (
                vec![(RAILS, 100.0, 1.0), (TREE, 100.0, 1.0)],
                "Lowest network price per step: 8 rails, one 64-port switch each; same step time and price as the next (fat tree, 3 levels, 1:2).",
            ),
        ];
        for (networks, verdict) in cases {
            let networks: Vec<_> =
                networks.into_iter().map(|(text, price, seconds)| (text, Some(price), seconds)).collect();
            assert_eq!(said(&networks), verdict);
        }
    }

    #[test]
    fn a_verdict_ranks_nothing_by_an_unknown_price() {
        let unknown = said(&[(DESIGN, None, 1.0), (RAILS, Some(74.0), 1.0), (TREE, None, 0.1)]);
        assert_eq!(
            unknown,
            "Parts of this design have no price, so there is no better buy. Lowest network price per step: 8 rails, one 64-port switch each. \
             1 other network is not compared, since its price or its step is unknown."
        );
        assert_eq!(said(&[]), "No network has both a price and an estimate.");
    }
}
