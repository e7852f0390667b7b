//! Settings of an estimate: the assumptions of its model, and what they make of a job's computing.

use crate::{
    compare::Market,
    demand::job::Practice,
    form::{Choice, Faults, Field, Kind, Reader, form},
    spec::job::{Job, Model},
    text::{number, rounded},
};
use serde::{Deserialize, Serialize};

const ON_OFF: Kind = Kind::Choice(&[Choice::new("on", "On"), Choice::new("off", "Off")]);

form! {
    /// Settings of an estimate as typed.
    #[derive(Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
    pub struct EstimateForm {
        /// Computing rate that a GPU sustains. The default is 40 % of the 989 Tflop/s that an H100 reaches in BF16.
        teraflops: Field::number("Sustained rate per GPU", 0.001, 1e6).unit("Tflop/s").or("400"),
        /// Switches, and NICs, that fail one at a time. Those with the most traffic are tried first. 0 tries none.
        failures: Field::whole("Failures to try", 0, 64).or("2"),
        /// Time over which the rate is measured. A gross rate is the rate while a GPU computes, and the pipeline bubble is added. A net
        /// rate, as reports of runs publish it, includes the bubble.
        rate: Field::new(
            "Rate",
            Kind::Choice(&[Choice::new("gross", "Gross, bubble added"), Choice::new("net", "Net, with the bubble")]),
        )
        .or("gross"),
        /// Operations of attention scores: 12 per layer, hidden unit and token of the sequence, half of them if attention is causal
        /// (Narayanan et al. 2021, appendix).
        attention: Field::new(
            "Attention operations",
            Kind::Choice(&[
                Choice::new("none", "Not counted"),
                Choice::new("causal", "Causal, half"),
                Choice::new("full", "Full"),
            ]),
        )
        .or("none"),
        /// Activations are computed again before the backward pass: 8 operations per parameter and token instead of 6.
        recomputation: Field::new("Activation recomputation", ON_OFF).or("off"),
        /// Share of computing beside which expert traffic can run, from 0 to 1. DualPipe of DeepSeek-V3 overlaps all of it.
        expert_overlap: Field::number("Expert overlap", 0.0, 1.0).or("0"),
        /// Bytes per value of tokens, and of their gradients, on the way to experts. FP8 takes 1. Results of experts keep the bytes of
        /// the model.
        dispatch_bytes: Field::number("Bytes per dispatched value", 0.25, 8.0).hint("as [model]"),
        /// Gradients of ZeRO 2 are scattered in every micro-batch, or once per step by frameworks that accumulate them.
        scatter: Field::new(
            "Gradients of ZeRO 2",
            Kind::Choice(&[
                Choice::new("micro-batch", "Every micro-batch"),
                Choice::new("step", "Once per step"),
            ]),
        )
        .or("micro-batch"),
        /// Nodes pass on the traffic of nodes without a common switch. RoCE and InfiniBand NICs do not; choose off for them.
        forwarding: Field::new("Forwarding by nodes", ON_OFF).or("on"),
        /// Length of cables between nodes and switches. Racks of the spec give the lengths instead.
        host_cable: Field::number("Cables to nodes", 0.1, 10_000.0).unit("m").hint("as the market"),
    }
}

/// Settings of an estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EstimateSettings {
    /// Floating-point operations per second and GPU.
    pub flops: f64,
    /// `true` if the rate includes the pipeline bubble.
    pub is_net: bool,
    /// Operations of attention that are counted.
    pub attention: Attention,
    /// `true` if activations are computed again before the backward pass.
    pub recomputes: bool,
    /// Share of computing beside which expert traffic can run, 0 to 1.
    pub expert_overlap: f64,
    /// Choices of the training framework that change the bytes of a job.
    pub practice: Practice,
    /// `true` if nodes forward traffic for others.
    pub forwarding: bool,
    /// Length of cables between nodes and switches in m; `None` for the length of the market.
    pub host_cable: Option<f64>,
    /// Max switches, and max NICs, that are tried as failed.
    pub failures: u32,
}

/// Operations of attention scores that are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attention {
    /// None.
    None,
    /// Scores of each token with earlier tokens.
    Causal,
    /// Scores of each token with all tokens of the sequence.
    Full,
}

impl Default for EstimateSettings {
    fn default() -> EstimateSettings {
        EstimateSettings {
            flops: 400e12,
            is_net: false,
            attention: Attention::None,
            recomputes: false,
            expert_overlap: 0.0,
            practice: Practice::default(),
            forwarding: true,
            host_cable: None,
            failures: 2,
        }
    }
}

impl EstimateForm {
    /// The settings.
    ///
    /// # Errors
    /// Every field that is not accepted.
    pub fn read(&self) -> Result<EstimateSettings, Faults> {
        let mut reader = Reader::default();
        let mut fields = reader.form(self, "");
        let (teraflops, failures) = (fields.number("teraflops"), fields.whole("failures"));
        let is_net = fields.choice("rate", &[("gross", false), ("net", true)]);
        let attention = [("none", Attention::None), ("causal", Attention::Causal), ("full", Attention::Full)];
        let attention = fields.choice("attention", &attention);
        let on_off = [("on", true), ("off", false)];
        let recomputes = fields.choice("recomputation", &on_off);
        let expert_overlap = fields.number("expert_overlap");
        let dispatch_bytes = fields.given("dispatch_bytes", |fields, key| fields.number(key));
        let scatters_once = fields.choice("scatter", &[("micro-batch", false), ("step", true)]);
        let forwarding = fields.choice("forwarding", &on_off);
        let host_cable = fields.given("host_cable", |fields, key| fields.number(key));
        let settings = || {
            Some(EstimateSettings {
                flops: teraflops? * 1e12,
                is_net: is_net?,
                attention: attention?,
                recomputes: recomputes?,
                expert_overlap: expert_overlap?,
                practice: Practice { dispatch_bytes: dispatch_bytes?, scatters_once: scatters_once? },
                forwarding: forwarding?,
                host_cable: host_cable?,
                failures: failures?,
            })
        };
        reader.finish(settings())
    }
}

/// Seconds per step of computing beside which the traffic of some dimensions is hidden.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Windows {
    /// Data parallelism, of dense layers and of experts together.
    pub data: f64,
    /// Transfers between pipeline stages.
    pub pipeline: f64,
    /// Tokens to and from experts.
    pub experts: f64,
}

/// The windows of a job; `None` without a model.
///
/// With ZeRO 2 and 3, data parallelism has all of the computing. Otherwise, and if gradients of ZeRO 2 are scattered once, it has
/// one micro-batch, since gradients are reduced behind the last one and parameters gathered before the first. Pipeline transfers have
/// all of it, since stages work on other micro-batches meanwhile. Expert traffic has the share of the settings. Other dimensions have
/// none, since the next operation needs their results.
pub fn windows(job: &Job, settings: &EstimateSettings) -> Option<Windows> {
    let model = job.model.as_ref()?;
    let compute = compute(job, model, settings);
    let is_once = model.zero < 2 || (model.zero == 2 && settings.practice.scatters_once);
    let micro_batches = f64::from(job.micro_batches(model));
    Some(Windows {
        data: if is_once { 1.0 / micro_batches * compute } else { compute },
        pipeline: compute,
        experts: settings.expert_overlap * compute,
    })
}

/// Seconds per step that a GPU computes: 6 operations per token and active parameter (Kaplan et al.: "Scaling laws for neural
/// language models", 2020, section 2.1), and those of attention (Narayanan et al. 2021, appendix), if the hidden size is that of
/// all heads together. Recomputation adds a third.
pub fn compute(job: &Job, model: &Model, settings: &EstimateSettings) -> f64 {
    let tokens = f64::from(model.global_batch) * f64::from(model.sequence);
    let passes = if settings.recomputes { 4.0 } else { 3.0 };
    let scores = f64::from(model.layers) * f64::from(model.hidden) * f64::from(model.sequence);
    let scores = match settings.attention {
        Attention::None => 0.0,
        Attention::Causal => 2.0 * scores,
        Attention::Full => 4.0 * scores,
    };
    passes * (2.0 * model.active_parameters + scores) * tokens / f64::from(job.ranks()) / settings.flops
}

/// Seconds per step that a GPU waits for other pipeline stages: (p - 1) / (v m) of the computing (Narayanan et al. 2021, section
/// 2.2); 0 if the rate includes them.
pub fn bubble(job: &Job, model: &Model, settings: &EstimateSettings) -> f64 {
    if settings.is_net {
        return 0.0;
    }
    let micro_batches = f64::from(job.micro_batches(model) * job.virtual_stages);
    compute(job, model, settings) * f64::from(job.pp - 1) / micro_batches
}

impl EstimateSettings {
    /// The assumptions that matter for a job, or for measured traffic without one, a sentence each. `has_racks` is `true` if racks give
    /// the lengths of cables.
    pub fn assumptions(&self, job: Option<&Job>, market: &Market, has_racks: bool) -> Vec<String> {
        let model = job.and_then(|job| Some((job, job.model.as_ref()?)));
        let computing = model.map(|_| self.of_computing()).unwrap_or_default();
        let traffic = model.map(|(job, model)| self.of_traffic(job, model)).unwrap_or_default();
        let nodes = match self.forwarding {
            true => format!("Nodes forward traffic for others, in {} us.", number(market.model.host_latency)),
            false => "Nodes do not forward traffic for others.".into(),
        };
        let length = self.host_cable.unwrap_or(market.host_length);
        let cables = match (market.links.is_empty(), has_racks) {
            (true, _) => None,
            (_, true) => Some("Racks of the spec give the lengths of cables.".into()),
            _ => Some(format!("Cables between nodes and switches are {} m long.", number(length))),
        };
        let nics = match job {
            Some(_) => "Any NIC of a node serves any of its GPUs.".into(),
            None => "A weight of 1 is a byte, and half of a pair's bytes go each way.".into(),
        };
        computing.into_iter().chain(traffic).chain([nics, nodes]).chain(cables).collect()
    }

    fn of_computing(&self) -> Vec<String> {
        let bubble = match self.is_net {
            true => "which includes the pipeline bubble",
            false => "and the pipeline bubble is added",
        };
        let operations = match self.recomputes {
            true => "A token takes 8 operations per active parameter, since activations are computed again.",
            false => "A token takes 6 operations per active parameter.",
        };
        let attention = match self.attention {
            Attention::None => "Operations of attention scores are not counted.",
            Attention::Causal => "Operations of causal attention scores are added.",
            Attention::Full => "Operations of full attention scores are added.",
        };
        let rate = format!("A GPU sustains {} Tflop/s, {bubble}.", rounded(self.flops / 1e12, 3));
        vec![rate, operations.into(), attention.into()]
    }

    fn of_traffic(&self, job: &Job, model: &Model) -> Vec<String> {
        let mut lines = Vec::new();
        if job.ep > 1 {
            lines.push(match self.expert_overlap {
                0.0 => "Expert traffic does not overlap with computing.".into(),
                share => format!("Expert traffic runs beside {} % of computing.", rounded(100.0 * share, 1)),
            });
            let bytes = self.practice.dispatch_bytes.unwrap_or(model.bytes_per_element);
            lines.push(format!("A value of a dispatched token takes {} bytes.", number(bytes)));
        }
        if model.zero == 2 {
            lines.push(match self.practice.scatters_once {
                true => "Gradients are scattered once per step.".into(),
                false => "Gradients are scattered in every micro-batch.".into(),
            });
        }
        lines
    }
}
