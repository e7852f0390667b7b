//! Time from a cancel to the outcome, and time between reports, up to 1,048,576 PEs: `cargo bench -p search --bench
//! cancel` prints a table. Each search is cancelled at several moments, to hit each of its stages.

use search::run;
use spec::{
    demand::Demand,
    design::Design,
    resolve::{self, NoFiles},
};
use std::{
    error::Error,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};
use work::search::{Budget, Observer, Progress, SearchRequest};

/// Seconds after which a search is cancelled.
const MOMENTS: [f64; 5] = [0.05, 0.5, 2.0, 6.0, 20.0];

fn main() -> Result<(), Box<dyn Error>> {
    println!("| PEs | cancelled at s | stage | took s | longest silence s | uncovered | peak MiB |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (pes, ports) in [(1024, 5), (65_536, 16), (1 << 20, 16)] {
        let text = format!(
            "pes = {pes}\nnis_per_pe = 4\nobjective = \"sparse\"\n[[switch]]\nports = {ports}\n\
             [[pattern]]\nkind = \"hypercube\"\n[[pattern]]\nkind = \"torus\"\ndimensions = 3\nfactorizations = \"balanced\"\n"
        );
        let spec = Arc::new(resolve::read(&text, &mut NoFiles)?);
        let demand = Arc::new(Demand::build(&spec)?);
        for moment in MOMENTS {
            let budget = Budget::Seconds(600.0);
            let request =
                SearchRequest { spec: spec.clone(), demand: demand.clone(), budget, seed: 1, threads: 2 };
            println!("| {pes} | {moment} | {} |", cancelled(&request, moment)?);
        }
    }
    Ok(())
}

fn cancelled(request: &SearchRequest, moment: f64) -> Result<String, Box<dyn Error>> {
    let cancel = AtomicBool::new(false);
    let mut silence = Silence { last: Instant::now(), longest: Duration::ZERO, stage: String::new() };
    let (outcome, ended, told) = thread::scope(|scope| {
        let watch = scope.spawn(|| {
            thread::sleep(Duration::from_secs_f64(moment));
            cancel.store(true, SeqCst);
            Instant::now()
        });
        let outcome = run(request, &mut silence, &cancel);
        (outcome, Instant::now(), watch.join())
    });
    let outcome = outcome?;
    let told = told.map_err(|_| "the watch failed")?;
    Ok(format!(
        "{} | {:.3} | {:.3} | {} | {}",
        silence.stage,
        ended.saturating_duration_since(told).as_secs_f64(),
        silence.longest.as_secs_f64(),
        outcome.uncovered,
        peak_mebibytes()
    ))
}

struct Silence {
    last: Instant,
    longest: Duration,
    stage: String,
}

impl Observer for Silence {
    fn progress(&mut self, progress: &Progress) {
        self.longest = self.longest.max(self.last.elapsed());
        self.last = Instant::now();
        self.stage.clone_from(&progress.trying);
    }

    fn better(&mut self, _design: &Design, _uncovered: u64) {}
}

/// Peak memory of this process in bytes, or 0 if unknown.
fn peak_mebibytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap_or("");
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) / 1024
}
