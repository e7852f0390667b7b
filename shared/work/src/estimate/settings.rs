//! Settings of an estimate: what they make of a job's computing, and the assumptions in words.

use crate::{
    compare::Market,
    spec::{
        Spec,
        assumptions::{Attention, EstimateSettings},
        job::{Job, Library, Model},
    },
    text::{number, rounded},
};

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
    passes * (2.0 * model.active_parameters + scores) * tokens
        / f64::from(job.ranks())
        / (settings.teraflops * 1e12)
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

/// The assumptions that matter for a spec's job, or for measured traffic without one, a sentence each.
pub fn assumptions(settings: &EstimateSettings, spec: &Spec, market: &Market) -> Vec<String> {
    let has_racks = !spec.racks.is_empty();
    let models = || spec.jobs.iter().filter_map(|job| Some((job, job.model.as_ref()?)));
    let computing = models().next().map(|_| of_computing(settings)).unwrap_or_default();
    let mut traffic: Vec<String> = Vec::new();
    for line in models().flat_map(|(job, model)| of_traffic(settings, job, model)) {
        if !traffic.contains(&line) {
            traffic.push(line);
        }
    }
    let nodes = match spec.forwards() {
        true => format!("Nodes forward traffic for others, in {} µs.", number(market.model.host_latency)),
        false => "Nodes do not forward traffic for others.".into(),
    };
    let length = settings.host_cable.unwrap_or(market.host_length);
    let cables = match (market.links.is_empty(), has_racks) {
        (true, _) => None,
        (_, true) => Some("Racks of the spec give the lengths of cables.".into()),
        _ => Some(format!("Cables between nodes and switches are {} m long.", number(length))),
    };
    let nics = match spec.jobs[..] {
        [_, ..] => "Any NIC of a node serves any of its GPUs.".into(),
        [] => "A weight of 1, times that of its pattern, is a byte, and half of a pair's bytes go each way."
            .into(),
    };
    let library = Some(spec.library()).filter(|&library| library != Library::Any).map(|library| {
        format!(
            "On this design, transfers follow the rule of {}. Other networks use all of their NICs.",
            library.label()
        )
    });
    let jobs = (spec.jobs.len() > 1).then(|| {
        "On a shared link, a job gets the part that the mean load of the other jobs leaves free, and at least an equal share. The step \
         is the mean over the nodes of all jobs. The times of dimensions are for each job alone."
            .into()
    });
    let bare = |number: &usize| spec.has_model() && spec.jobs[*number].model.is_none();
    let bare = (0..spec.jobs.len())
        .filter(bare)
        .map(|number| format!("Job {number} has no [[model]], so its step is communication only."));
    computing
        .into_iter()
        .chain(traffic)
        .chain([nics])
        .chain(library)
        .chain(jobs)
        .chain(bare)
        .chain([nodes])
        .chain(cables)
        .collect()
}

fn of_computing(settings: &EstimateSettings) -> Vec<String> {
    let bubble = match settings.is_net {
        true => "which includes the pipeline bubble",
        false => "and the pipeline bubble is added",
    };
    let operations = match settings.recomputes {
        true => "A token takes 8 operations per active parameter, since activations are computed again.",
        false => "A token takes 6 operations per active parameter.",
    };
    let attention = match settings.attention {
        Attention::None => "Operations of attention scores are not counted.",
        Attention::Causal => "Operations of causal attention scores are added.",
        Attention::Full => "Operations of full attention scores are added.",
    };
    let rate = format!("A GPU sustains {} Tflop/s, {bubble}.", rounded(settings.teraflops, 3));
    vec![rate, operations.into(), attention.into()]
}

fn of_traffic(settings: &EstimateSettings, job: &Job, model: &Model) -> Vec<String> {
    let mut lines = Vec::new();
    if job.ep > 1 {
        lines.push(match settings.expert_overlap {
            0.0 => "Expert traffic does not overlap with computing.".into(),
            share => format!("Expert traffic runs beside {} % of computing.", rounded(100.0 * share, 1)),
        });
        let bytes = settings.practice.dispatch_bytes.unwrap_or(model.bytes_per_element);
        lines.push(format!("A value of a dispatched token takes {} bytes.", number(bytes)));
    }
    if model.zero == 2 {
        lines.push(match settings.practice.scatters_once {
            true => "Gradients are scattered once per step.".into(),
            false => "Gradients are scattered in every micro-batch.".into(),
        });
    }
    lines
}
