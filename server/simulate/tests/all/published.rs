//! Steps of published training runs, each with the assumptions under which the estimate reproduces it.

use crate::step::{Case, of};
use network::compare::market::chosen;
use spec::demand::job::Practice;
use work::estimate::{Attention, EstimateSettings, NetworkStep, bubble, compute, windows};

const LLAMA: &str = include_str!("../../../../assets/specs/llama405b.toml");
const DEEPSEEK: &str = include_str!("../../../../assets/specs/deepseek-v3.toml");
const GPT3: &str = include_str!("../../../../assets/specs/gpt3-175b.toml");

/// Settings without failures.
fn usual() -> EstimateSettings {
    EstimateSettings { failures: 0, ..EstimateSettings::default() }
}

/// Seconds per step on the fitted multi-plane fat tree.
fn on_fat_tree(case: &Case, settings: &EstimateSettings) -> f64 {
    let report = case.estimate_with(settings, None, &[]);
    let is_fat_tree = |network: &&NetworkStep| network.text.starts_with("planes:8,fat-tree:");
    let network = report.networks.iter().find(is_fat_tree).expect("a fat tree");
    report.seconds(network).expect("a step")
}

fn within_a_tenth(found: f64, published: f64) {
    assert!((found / published - 1.0).abs() < 0.1, "{found} instead of {published}");
}

/// Checks that the figure is within a tenth, and that the preset's comment has these figures.
fn is_as_written(preset: &str, found: f64, published: f64) {
    within_a_tenth(found, published);
    let comment = preset.replace("\n# ", " ");
    let more = 100.0 * (found / published - 1.0);
    for figure in [format!("a step of {published:.2} s."), format!("takes {found:.2} s, {more:.1} % more")] {
        assert!(comment.contains(&figure), "{figure}");
    }
}

#[test]
fn llama_3_405b_at_the_net_rate_of_its_report() {
    // "The Llama 3 herd of models" (arXiv 2407.21783), table 4: 400 Tflop/s per GPU on 16,384 GPUs, 16 M tokens per batch. The
    // report counts 6 operations per parameter and token: 3.8e25 in all for 15.6 T tokens.
    let published = 6.0 * 405e9 * 2048.0 * 8192.0 / (16384.0 * 400e12);
    let settings = EstimateSettings { is_net: true, ..usual() };
    let case = of(LLAMA);
    let job = &case.spec.jobs[0];
    let model = job.model.as_ref().expect("a model");
    let step = compute(job, model, &settings) + bubble(job, model, &settings);
    is_as_written(LLAMA, step, published);
    // With attention, the same rate is 4 % slower.
    let attention = EstimateSettings { attention: Attention::Causal, ..settings };
    within_a_tenth(compute(job, model, &attention), published);
    let windows = windows(job, &settings).expect("a model");
    assert_eq!((windows.data, windows.pipeline, windows.experts), (step / 16.0, step, 0.0));
}

#[test]
fn deepseek_v3_with_dualpipe_and_fp8_dispatch() {
    // "DeepSeek-V3 technical report" (arXiv 2412.19437), section 1: 180,000 GPU hours per trillion tokens on 2,048 GPUs.
    let published = 180e3 * 3600.0 / 1e12 * 15360.0 * 4096.0 / 2048.0;
    let settings = EstimateSettings {
        attention: Attention::Causal,
        expert_overlap: 1.0,
        practice: Practice { dispatch_bytes: Some(1.0), ..Practice::default() },
        ..usual()
    };
    is_as_written(DEEPSEEK, on_fat_tree(&of(DEEPSEEK), &settings), published);
}

#[test]
fn gpt_3_175b_with_recomputation() {
    // Narayanan et al. (arXiv 2104.04473), table 2: 141 Tflop/s per A100 on 1,536 GPUs, 23 days for 300 billion tokens.
    let published = 23.0 * 86400.0 / (300e9 / (1536.0 * 2048.0));
    let settings = EstimateSettings {
        teraflops: 141.0,
        is_net: true,
        attention: Attention::Full,
        recomputes: true,
        ..usual()
    };
    let mut case = of(GPT3);
    // Selene has 200 Gb/s links.
    case.market = chosen(&case.spec, "200g").expect("a market").market;
    is_as_written(GPT3, on_fat_tree(&case, &settings), published);
}
