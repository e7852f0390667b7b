//! The time of a training step on the wirings that a search finds: `cargo bench -p search --bench time [-- WORDS] [seconds=60]`.
//! For each job: a bound, a search for coverage, and a search for time, on two threads.

use search::run;
use shared::{
    analysis::timing::Timing,
    demand::Demand,
    design::check,
    resolve::{NoFiles, read},
    search::{Budget, Observer, Progress, SearchRequest},
    spec::{Objective, Spec},
};
use std::{
    error::Error,
    path::Path,
    sync::{Arc, atomic::AtomicBool},
    time::Instant,
};

struct Watching {
    began: Instant,
    shown: Option<f64>,
    verbose: bool,
}

impl Observer for Watching {
    fn progress(&mut self, progress: &Progress) {
        let best = progress.time.map(|time| time.best);
        if self.verbose && best != self.shown {
            self.shown = best;
            eprintln!(
                "{:6.1} s  {:?}  {}",
                self.began.elapsed().as_secs_f64(),
                progress.time,
                progress.trying
            );
        }
    }

    fn better(&mut self, _: &shared::design::Design, _: u64) {}
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let seconds = words.iter().find_map(|word| word.strip_prefix("seconds=")?.parse().ok()).unwrap_or(60.0);
    let verbose = words.iter().any(|word| word == "verbose");
    for file in words.iter().filter(|word| word.ends_with(".toml")) {
        let text = std::fs::read_to_string(Path::new(file))?;
        let spec = read(&text, &mut NoFiles).map_err(|faults| format!("{file}: {faults:?}"))?;
        let demand = Arc::new(Demand::build(&spec).map_err(|faults| format!("{faults:?}"))?);
        let bound = Timing::of(&spec).ok_or("no bytes")?.bound(&spec);
        println!(
            "{}: at least {:.4} s, {:.4} s of communication",
            spec.name, bound.step, bound.communication
        );
        if let Some(wiring) = words.iter().find_map(|word| word.strip_prefix("wiring=")) {
            let design: shared::design::Design =
                shared::design::table::parse(&std::fs::read_to_string(wiring)?, spec.pes)
                    .map_err(|e| format!("{e:?}"))?;
            let timing = Timing::of(&spec).ok_or("no bytes")?;
            println!("  {wiring}: {:?} {:?}", timing.on(&design), timing.lanes_on(&design));
        }
        for objective in [Objective::Sparse, Objective::Time] {
            let spec = Arc::new(Spec { objective, ..spec.clone() });
            searched(&spec, &demand, seconds, verbose)?;
        }
    }
    Ok(())
}

fn searched(
    spec: &Arc<Spec>,
    demand: &Arc<Demand>,
    seconds: f64,
    verbose: bool,
) -> Result<(), Box<dyn Error>> {
    let (spec, demand) = (spec.clone(), demand.clone());
    let request = SearchRequest { spec, demand, budget: Budget::Seconds(seconds), seed: 1, threads: 2 };
    let began = Instant::now();
    let mut observer = Watching { began, shown: None, verbose };
    let outcome = run(&request, &mut observer, &AtomicBool::new(false))?;
    let held = check(&request.spec, &request.demand, &outcome.design);
    let timing = Timing::of(&request.spec).ok_or("no bytes")?;
    let time = timing.on(&outcome.design).ok_or("some nodes share no switch")?;
    if verbose {
        println!("  {:?}", timing.lanes_on(&outcome.design));
        for (number, members) in outcome.design.switches().enumerate().filter(|(number, _)| number % 32 == 0)
        {
            println!("{number}: {members:?}");
        }
    }
    println!(
        "  {:?}: {:.4} s, {:.4} s of communication, after {:.1} s; valid: {}; {}",
        request.spec.objective,
        time.step,
        time.communication,
        began.elapsed().as_secs_f64(),
        held.holds(),
        outcome.method
    );
    Ok(())
}
