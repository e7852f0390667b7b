//! Assumptions on the time of a training step: table `[assumptions]` of a spec, and the settings of an estimate.

use crate::form::{Choice, Described, Faults, Field, FieldKind, Form, Reader, Record, form, record};
use serde::{Deserialize, Serialize};

const ON_OFF: FieldKind = FieldKind::Choice(&[Choice::new("on", "On"), Choice::new("off", "Off")]);

form! {
    /// Settings of an estimate as typed.
    #[derive(Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
    pub struct EstimateForm {
        /// Computing rate that a GPU sustains. The default is 40 % of the 989 Tflop/s that an H100 reaches in BF16.
        teraflops: Field::number("Sustained rate per GPU", 0.001, 1e6).unit("Tflop/s").or("400"),
        /// Number of switches to try as failed, and of NICs, one at a time. The busiest are tried first. 0 tries none.
        failures: Field::whole("Failures to try", 0, 64).or("2"),
        /// A gross rate is the rate while a GPU computes; the estimate adds the pipeline bubble. A net rate, as published for training runs,
        /// includes the bubble.
        rate: Field::new(
            "Rate",
            FieldKind::Choice(&[Choice::new("gross", "Gross, bubble added"), Choice::new("net", "Net, with the bubble")]),
        )
        .or("gross"),
        /// Operations of attention scores per token: 12 × layers × hidden size × sequence, or half as many with causal attention
        /// (Narayanan et al. 2021, appendix).
        attention: Field::new(
            "Attention operations",
            FieldKind::Choice(&[
                Choice::new("none", "Not counted"),
                Choice::new("causal", "Causal, half"),
                Choice::new("full", "Full"),
            ]),
        )
        .or("none"),
        /// Activations are computed again before the backward pass: 8 operations per parameter and token instead of 6.
        recomputation: Field::new("Activation recomputation", ON_OFF).or("off"),
        /// Share of computing that can overlap with expert traffic, from 0 to 1. DualPipe of DeepSeek-V3 overlaps all of it.
        expert_overlap: Field::number("Expert overlap", 0.0, 1.0).or("0"),
        /// Bytes per value of tokens that go to experts, and of the gradients of these tokens; 1 with FP8. Results of experts have the
        /// model's bytes per value.
        dispatch_bytes: Field::number("Bytes per dispatched value", 0.25, 8.0).hint("as [model]"),
        /// Time at which gradients of ZeRO 2 are scattered: in every micro-batch, or once per step by frameworks that accumulate them.
        scatter: Field::new(
            "Gradients of ZeRO 2",
            FieldKind::Choice(&[
                Choice::new("micro-batch", "Every micro-batch"),
                Choice::new("step", "Once per step"),
            ]),
        )
        .or("micro-batch"),
        /// Length of cables between nodes and switches, for a spec without racks.
        host_cable: Field::number("Cables to nodes", 0.1, 10_000.0).unit("m").hint("as the market"),
    }
}

/// The words of each choice.
const RATES: [(&str, bool); 2] = [("gross", false), ("net", true)];
const ATTENTION: [(&str, Attention); 3] =
    [("none", Attention::None), ("causal", Attention::Causal), ("full", Attention::Full)];
const SWITCHED: [(&str, bool); 2] = [("on", true), ("off", false)];
const SCATTERS: [(&str, bool); 2] = [("micro-batch", false), ("step", true)];

record! {
    /// Settings of an estimate.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct EstimateSettings {
        /// Computing rate of a GPU in Tflop/s.
        pub teraflops: f64,
        /// Max switches, and max NICs, that are tried as failed.
        pub failures: u32,
        /// `true` if the rate includes the pipeline bubble.
        pub is_net as "rate" in RATES: bool,
        /// Operations of attention that are counted.
        pub attention in ATTENTION: Attention,
        /// `true` if activations are computed again before the backward pass.
        pub recomputes as "recomputation" in SWITCHED: bool,
        /// Share of computing beside which expert traffic can run, 0 to 1.
        pub expert_overlap: f64,
        /// Choices of the training framework that change the bytes of a job.
        pub practice: Practice,
        /// Length of cables between nodes and switches in m; `None` for the length of the market.
        pub host_cable: Option<f64>,
    }
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

record! {
    /// Choices of the training framework that change the bytes of a job.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Practice {
        /// Bytes per value of tokens, and of their gradients, on the way to experts; `None` for those of the model.
        pub dispatch_bytes: Option<f64>,
        /// `true` if gradients of ZeRO 2 are scattered once per step, not in every micro-batch.
        pub scatters_once as "scatter" in SCATTERS: bool,
    }
}

impl Default for EstimateSettings {
    /// The settings of an empty form.
    fn default() -> EstimateSettings {
        EstimateForm::default().record()
    }
}

impl EstimateSettings {
    /// The settings as a form, without defaults.
    pub fn form(&self) -> EstimateForm {
        EstimateForm::short_of(self)
    }

    /// The settings on which a wiring's time depends; the others have their defaults.
    pub fn of_wiring(&self) -> EstimateSettings {
        let EstimateSettings { host_cable, failures, .. } = EstimateSettings::default();
        EstimateSettings { host_cable, failures, ..*self }
    }
}

impl EstimateForm {
    /// The settings. An empty field has the value of the spec's settings.
    ///
    /// # Errors
    /// Every field that is not accepted.
    pub fn read(&self, spec: &EstimateSettings) -> Result<EstimateSettings, Faults> {
        let mut form = spec.form();
        for field in self.schema().fields {
            if let (Some(typed), Some(text)) = (self.get(field.key), form.get_mut(field.key))
                && !typed.trim().is_empty()
            {
                typed.clone_into(text);
            }
        }
        let mut reader = Reader::default();
        let settings = EstimateSettings::read(&mut reader.form(&form, ""), "");
        reader.finish(settings)
    }
}
