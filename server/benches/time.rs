//! The time of a training step on wirings that a search finds, and on other networks:
//! `cargo bench -p server --bench time [-- WORDS] [seconds=60]` prints the table of `search/benches/README.md`. With words, only
//! jobs with one of them in their names run.

mod common;

use shared::{
    compare::{Sources, market::chosen},
    demand::Demand,
    design::{Design, check},
    estimate::{EstimateReport, NetworkStep, duration, timing::Timing},
    resolve::{NoFiles, read},
    search::{Budget, Observer, Progress, SearchRequest},
    spec::{
        Objective, Spec,
        job::{Job, Library},
    },
    text::fixed,
};
use simulate::step::estimate;
use std::{
    error::Error,
    sync::{Arc, atomic::AtomicBool},
    time::Instant,
};

struct Silent;

impl Observer for Silent {
    fn progress(&mut self, _: &Progress) {}

    fn better(&mut self, _: &Design, _: u64) {}
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let seconds = words.iter().find_map(|word| word.strip_prefix("seconds=")?.parse().ok()).unwrap_or(60.0);
    let wanted: Vec<&String> = words.iter().filter(|word| !word.contains('=')).collect();
    println!(
        "| job | for coverage | all shared switches: at least | for time | seconds | NCCL: at least | for time | seconds | price | tree | price | \
         rail-optimised Clos | price | frames / fluid |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    for (name, text) in common::jobs()? {
        let spec = read(&text, &mut NoFiles).map_err(|faults| format!("{name}: {faults:?}"))?;
        let name = if name.is_empty() { spec.name.clone() } else { name };
        if wanted.is_empty() || wanted.iter().any(|word| name.contains(&***word)) {
            row(&name, &spec, seconds)?;
        }
    }
    Ok(())
}

fn row(name: &str, spec: &Spec, seconds: f64) -> Result<(), Box<dyn Error>> {
    let demand = Arc::new(Demand::build(spec).map_err(|faults| format!("{faults:?}"))?);
    let words = |seconds: Option<f64>| seconds.map_or("–".into(), duration);
    let mut cells = vec![name.to_owned()];
    let mut last = None;
    for library in [Library::Any, Library::Nccl] {
        let jobs = spec.jobs.iter().map(|job| Job { library, ..job.clone() }).collect();
        let spec = Spec { jobs, ..spec.clone() };
        let timing = Timing::of(&spec).ok_or("no bytes")?;
        if library == Library::Any {
            let (plain, _) = searched(&spec, &demand, Objective::Sparse, seconds)?;
            cells.push(words(timing.on(&plain).map(|seconds| seconds.step)));
        }
        let (timed, took) = searched(&spec, &demand, Objective::Time, seconds)?;
        let report = estimated(&spec, &demand, &timed)?;
        let own = report.networks.first().and_then(|own| report.seconds(own));
        let fluid = timing.on(&timed).map(|seconds| seconds.step);
        if let (Some(own), Some(fluid)) = (own, fluid)
            && (fluid / own - 1.0).abs() > 1e-3
        {
            eprintln!("{name}: the search says {fluid} s for it, the estimate {own} s");
        }
        cells.extend([duration(timing.bound(&spec).step), words(own), fixed(took, 1)]);
        last = Some(report);
    }
    let report = last.ok_or("no estimate")?;
    let of = |kind: &str| {
        let is = |network: &&NetworkStep| network.kind == kind || network.text.contains(&format!(",{kind}:"));
        report.networks.iter().find(is)
    };
    let million = |price: f64| format!("{} M", fixed(price / 1e6, 2));
    let price =
        |network: Option<&NetworkStep>| network.and_then(NetworkStep::price).map_or("–".into(), million);
    let (own, tree, clos) = (of("design"), of("tree"), of("rail-clos"));
    cells.push(price(own));
    for other in [tree, clos] {
        cells.extend([words(other.and_then(|other| report.seconds(other))), price(other)]);
    }
    cells.push(own.and_then(|own| own.check.as_ref()?.ratio).map_or("–".into(), |ratio| fixed(ratio, 2)));
    println!("| {} |", cells.join(" | "));
    Ok(())
}

/// A wiring for an objective, judged by the checker, and the seconds until it was found.
fn searched(
    spec: &Spec,
    demand: &Arc<Demand>,
    objective: Objective,
    seconds: f64,
) -> Result<(Design, f64), Box<dyn Error>> {
    let spec = Arc::new(Spec { objective, ..spec.clone() });
    let request =
        SearchRequest { spec, demand: demand.clone(), budget: Budget::Seconds(seconds), seed: 1, threads: 2 };
    let began = Instant::now();
    let outcome = search::run(&request, &mut Silent, &AtomicBool::new(false))?;
    if !check(&request.spec, demand, &outcome.design).holds() {
        return Err(format!("{} pairs uncovered", outcome.uncovered).into());
    }
    Ok((outcome.design, began.elapsed().as_secs_f64()))
}

fn estimated(spec: &Spec, demand: &Demand, design: &Design) -> Result<EstimateReport, Box<dyn Error>> {
    let market = chosen(spec, "").map_err(|faults| format!("{faults:?}"))?;
    let sources = Sources { spec, demand, design: Some(design), market: &market.market, own: market.own };
    Ok(estimate(&sources, &[], &spec.assumptions).map_err(|fault| format!("{fault:?}"))?)
}
