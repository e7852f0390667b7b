//! How fast the search reaches what has been published: `cargo bench -p search [-- WORD]` prints a table; with a word,
//! only instances whose name contains it; `name=value` sets a tunable; the word `reached` runs the narrowest switches known instead. Two islands; every wiring is judged by the independent checker.
//!
//! The dissertation's hypercube column always includes the ring. Times are wall and user CPU seconds, since machines that
//! build something else at the same time make wall times lie.

mod instances;

use instances::{INSTANCES, Instance, REACHED};
use search::{options::Options, request::run_with};
use shared::{
    demand::Demand,
    design::{Design, check},
    search::{Budget, Observer, Progress, SearchRequest},
    spec::{NoFiles, Spec, language, resolve},
};
use std::{
    error::Error,
    sync::{Arc, atomic::AtomicBool},
    time::Instant,
};

fn main() -> Result<(), Box<dyn Error>> {
    let (settings, words): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).filter(|a| !a.starts_with("--")).partition(|a| a.contains('='));
    let word = words.join(" ");
    let options = options(&settings)?;
    println!(
        "| instance | seed | limit s | uncovered | links a pair | wall s | CPU s | million moves | how |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let all = if word.starts_with("reached") { REACHED } else { INSTANCES };
    for instance in all.iter().filter(|i| i.name.contains(&word)) {
        for seed in 1..=instance.seeds {
            println!("{}", line(instance, seed, &options)?);
        }
    }
    Ok(())
}

fn line(instance: &Instance, seed: u64, options: &Options) -> Result<String, Box<dyn Error>> {
    let spec = spec(instance)?;
    let demand = Demand::build(&spec)?;
    let (spec, demand) = (Arc::new(spec), Arc::new(demand));
    let budget = Budget::Seconds(instance.limit);
    let request = SearchRequest { spec: spec.clone(), demand: demand.clone(), budget, seed, threads: 2 };
    let (began, cpu) = (Instant::now(), cpu_seconds());
    let outcome = run_with(&request, options, &mut Silent, &AtomicBool::new(false))?;
    let (wall, cpu) = (began.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    let verdict = check(&spec, &demand, &outcome.design);
    assert!(verdict.breaches.is_empty(), "{}: {:?}", instance.name, verdict.breaches);
    assert_eq!(verdict.uncovered.len() as u64, outcome.uncovered, "{}", instance.name);
    Ok(format!(
        "| {} | {seed} | {} | {} | {:.3} | {wall:.2} | {cpu:.2} | {:.2} | {} |",
        instance.name,
        instance.limit,
        outcome.uncovered,
        links_a_pair(&outcome.design),
        outcome.progress.moves as f64 / 1e6,
        outcome.method
    ))
}

fn options(settings: &[String]) -> Result<Options, Box<dyn Error>> {
    let mut options = Options::default();
    for setting in settings {
        let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
        if !options.set(name, value.parse()?) {
            return Err(format!("{setting}: not a tunable, or out of its range").into());
        }
    }
    Ok(options)
}

fn spec(instance: &Instance) -> Result<Spec, Box<dyn Error>> {
    Ok(resolve(&language::parse(&instance.toml())?, &mut NoFiles)?)
}

/// Mean number of switches that two PEs share.
fn links_a_pair(design: &Design) -> f64 {
    let meetings: u64 = design.switches().map(|m| m.len() as u64 * (m.len() as u64).saturating_sub(1)).sum();
    let pes = u64::from(design.pes());
    meetings as f64 / (pes * (pes - 1)).max(1) as f64
}

/// User CPU time of this process where the system tells it, else 0.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or("");
    after_name.split_whitespace().nth(11).and_then(|ticks| ticks.parse::<f64>().ok()).unwrap_or(0.0) / 100.0
}

struct Silent;

impl Observer for Silent {
    fn progress(&mut self, progress: &Progress) {
        if std::env::var_os("PROGRESS").is_some() {
            eprintln!("{progress:?}");
        }
    }

    fn better(&mut self, _design: &Design, _uncovered: u64) {}
}
