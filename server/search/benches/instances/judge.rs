//! A search, judged by the independent checker.

use search::{options::Options, request::run_with};
use spec::{
    demand::Demand,
    design::{Design, check},
    spec::Spec,
};
use std::{
    error::Error,
    sync::{Arc, atomic::AtomicBool},
    time::Instant,
};
use work::search::{Budget, Observer, Outcome, Progress, SearchRequest};

/// An outcome confirmed by the checker.
pub struct Judged {
    /// The outcome.
    pub outcome: Outcome,
    /// Wall-clock seconds.
    pub wall: f64,
    /// User CPU seconds, or 0 if unknown.
    pub cpu: f64,
}

/// Searches within a budget.
///
/// # Errors
/// The engine refuses the search, limits are broken, or pairs are miscounted.
pub fn judged(
    spec: &Arc<Spec>,
    demand: &Arc<Demand>,
    seed: u64,
    budget: Budget,
    threads: u32,
    options: &Options,
) -> Result<Judged, Box<dyn Error>> {
    let request = SearchRequest { spec: spec.clone(), demand: demand.clone(), budget, seed, threads };
    let (began, cpu) = (Instant::now(), cpu_seconds());
    let outcome = run_with(&request, options, &mut Silent, &AtomicBool::new(false))?;
    let (wall, cpu) = (began.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    let verdict = check(spec, demand, &outcome.design);
    if !verdict.breaches.is_empty() || verdict.uncovered.len() as u64 != outcome.uncovered {
        let found = verdict.uncovered.len();
        return Err(
            format!("{:?}; {found} pairs uncovered, not {}", verdict.breaches, outcome.uncovered).into()
        );
    }
    Ok(Judged { outcome, wall, cpu })
}

/// User CPU seconds of this process, or 0 if unknown.
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
