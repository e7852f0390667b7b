//! Time to reach published results: `cargo bench -p search --bench published [-- WORD]` prints a table; with a word,
//! only instances with it in their names; `name=value` sets a tunable. Two islands; every wiring is judged by the
//! independent checker.
//!
//! Times are wall and user CPU seconds, since other work on the machine extends wall times.

#[path = "instances/judge.rs"]
mod judge;
#[path = "instances/patterns.rs"]
mod patterns;
#[path = "instances/text.rs"]
mod text;

use judge::judged;
use patterns::{ALL_BS, ALL_POWER_BS, H_ALL, H_ALL_POWER, H_SINGLE, H_SINGLE_POWER, KASY0, LARGEST};
use search::options::Options;
use spec::{demand::Demand, design::Design};
use std::{error::Error, sync::Arc};
use work::search::Budget;

/// A published instance (Mattox 2006, chapter 4; Dietz and Mattox 2000).
struct Instance {
    /// Name in the table.
    name: &'static str,
    /// PEs.
    pes: u32,
    /// NIs per PE.
    nis: u32,
    /// Usable ports per switch.
    ports: u32,
    /// Patterns in short form: see [`text::spec`].
    patterns: &'static [&'static str],
    /// Time limit in seconds, on two threads.
    limit: f64,
    /// Number of seeds.
    seeds: u64,
}

const fn n1024(name: &'static str, nis: u32, ports: u32, patterns: &'static [&'static str]) -> Instance {
    Instance { name, pes: 1024, nis, ports, patterns, limit: 5.0, seeds: 3 }
}

/// All instances, small ones first.
const INSTANCES: &[Instance] = &[
    Instance { name: "KLAT2", pes: 64, nis: 4, ports: 31, patterns: &[], limit: 1.0, seeds: 3 },
    Instance { name: "KASY0", pes: 128, nis: 3, ports: 23, patterns: KASY0, limit: 1.0, seeds: 3 },
    n1024("2D all diagonal", 4, 48, &["2 all diagonal"]),
    n1024("2D all", 4, 8, &["2 all nearest"]),
    n1024("2D single 2^k", 4, 24, &["2 balanced power-of-two"]),
    n1024("3D all", 4, 16, &["3 all nearest"]),
    n1024("3D single 2^k", 4, 16, &["3 balanced power-of-two"]),
    n1024("H + single", 4, 24, H_SINGLE),
    n1024("H + single 2^k", 4, 32, H_SINGLE_POWER),
    n1024("H + all", 4, 32, H_ALL),
    n1024("H + all 2^k", 4, 48, H_ALL_POWER),
    n1024("H + all + BS, 4 NIs", 4, 64, ALL_BS),
    n1024("H + all + BS, 5 NIs", 5, 32, ALL_BS),
    n1024("H + all 2^k + BS, 4 NIs", 4, 80, ALL_POWER_BS),
    n1024("H + all 2^k + BS, 5 NIs", 5, 48, ALL_POWER_BS),
    Instance { name: "65536 PEs", pes: 65536, nis: 5, ports: 48, patterns: LARGEST, limit: 60.0, seeds: 1 },
];

fn main() -> Result<(), Box<dyn Error>> {
    let (settings, words): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).filter(|a| !a.starts_with("--")).partition(|a| a.contains('='));
    let word = words.join(" ");
    let options = options(&settings)?;
    println!(
        "| instance | seed | limit s | uncovered | links a pair | wall s | CPU s | million moves | how |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for instance in INSTANCES.iter().filter(|i| i.name.contains(&word)) {
        let spec = Arc::new(text::spec(instance.pes, instance.nis, instance.ports, instance.patterns)?);
        let demand = Arc::new(Demand::build(&spec)?);
        for seed in 1..=instance.seeds {
            let run = judged(&spec, &demand, seed, Budget::Seconds(instance.limit), 2, &options)
                .map_err(|error| format!("{}: {error}", instance.name))?;
            println!(
                "| {} | {seed} | {} | {} | {:.3} | {:.2} | {:.2} | {:.2} | {} |",
                instance.name,
                instance.limit,
                run.outcome.uncovered,
                links_a_pair(&run.outcome.design),
                run.wall,
                run.cpu,
                run.outcome.progress.moves as f64 / 1e6,
                run.outcome.method
            );
        }
    }
    Ok(())
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

/// Mean number of switches that two PEs share.
fn links_a_pair(design: &Design) -> f64 {
    let meetings: u64 = design.switches().map(|m| m.len() as u64 * (m.len() as u64).saturating_sub(1)).sum();
    let pes = u64::from(design.pes());
    meetings as f64 / (pes * (pes - 1)).max(1) as f64
}
