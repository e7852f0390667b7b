//! Narrowest switches: `cargo bench -p search --bench quality [-- WORDS] [seeds=10] [seconds=60 | effort=M]` searches
//! each demand on the narrowest switches reached so far and on narrower ones, on two threads (`threads=2`). Each row
//! appears once its seeds are done. With words, only rows with all of them in demand, NIs and width run, such as `4D NIs=5`,
//! `NIs=3` or `ports=16`, so a table can be made in parts. Every wiring is judged by the independent checker.
//!
//! A second table has demands without structure (`-- Random`, `-- Power`, `-- Band`): widths are tried from wide to
//! narrow, with the first seed, until a search leaves pairs uncovered.

#[path = "instances/judge.rs"]
mod judge;
#[path = "instances/median.rs"]
mod median;
#[path = "instances/patterns.rs"]
mod patterns;
#[path = "instances/text.rs"]
mod text;

use analysis::analysis::bounds::port_bound;
use judge::{Judged, judged};
use median::median;
use patterns::{ALL_BS, ALL_POWER_BS, H_ALL, H_ALL_POWER, H_SINGLE, H_SINGLE_POWER, KASY0, LARGEST};
use search::options::Options;
use spec::demand::Demand;
use std::{error::Error, sync::Arc};
use work::search::Budget;

/// A demand with a number of NIs.
struct Target {
    demand: &'static str,
    pes: u32,
    nis: u32,
    patterns: &'static [&'static str],
    /// The narrowest switch in the papers, after days on a cluster of 128 PEs.
    published: Option<u32>,
    /// The narrowest switch reached so far.
    reached: u32,
    /// The widths to try.
    widths: &'static [u32],
}

/// A demand of 1,024 PEs.
const fn n1024(
    demand: &'static str,
    nis: u32,
    patterns: &'static [&'static str],
    published: u32,
    widths: &'static [u32],
) -> Target {
    Target { demand, pes: 1024, nis, patterns, published: Some(published), reached: widths[0], widths }
}

const fn largest(nis: u32, published: Option<u32>, reached: u32, widths: &'static [u32]) -> Target {
    Target { demand: "65,536: H + 64x32x32", pes: 65_536, nis, patterns: LARGEST, published, reached, widths }
}

/// Every pair: the widths are optimal.
const fn universal(
    demand: &'static str,
    pes: u32,
    nis: u32,
    published: Option<u32>,
    widths: &'static [u32],
) -> Target {
    Target { demand, pes, nis, patterns: &[], published, reached: widths[0], widths }
}

/// All demands; H is hypercube and ring, BS bit reversal and perfect shuffle.
const TARGETS: &[Target] = &[
    n1024("2D all, with diagonals", 4, &["2 all diagonal"], 48, &[16, 15, 14]),
    n1024("2D all", 4, &["2 all nearest"], 8, &[6, 5]),
    n1024("2D single, 2^k", 4, &["2 balanced power-of-two"], 24, &[14, 13, 12, 11]),
    n1024("3D all", 4, &["3 all nearest"], 16, &[9, 8]),
    n1024("3D single, 2^k", 4, &["3 balanced power-of-two"], 16, &[8, 7, 6]),
    n1024("H + single 2D, 3D, 4D", 4, H_SINGLE, 24, &[14, 13, 12]),
    n1024("H + single 2D, 3D, 4D, 2^k", 4, H_SINGLE_POWER, 32, &[17, 16, 15]),
    n1024("H + all 2D, 3D, 4D", 4, H_ALL, 32, &[16, 15, 14]),
    n1024("H + all 2D, 3D, 4D, 2^k", 4, H_ALL_POWER, 48, &[25, 24, 23]),
    n1024("H + all 2D, 3D, 4D + BS", 4, ALL_BS, 64, &[29, 28, 27]),
    n1024("H + all 2D, 3D, 4D + BS", 5, ALL_BS, 32, &[15, 14, 13]),
    n1024("H + all 2D, 3D, 4D, 2^k + BS", 4, ALL_POWER_BS, 80, &[40, 39, 38]),
    n1024("H + all 2D, 3D, 4D, 2^k + BS", 5, ALL_POWER_BS, 48, &[22, 21, 20]),
    Target {
        demand: "KASY0",
        pes: 128,
        nis: 3,
        patterns: KASY0,
        published: Some(16),
        reached: 16,
        widths: &[16, 15, 14],
    },
    largest(5, Some(48), 16, &[32, 24, 20, 18, 16, 15]),
    largest(4, None, 32, &[32, 28, 24]),
    largest(3, None, 64, &[64, 56, 48]),
    universal("Universal 64", 64, 4, Some(31), &[20]),
    universal("Universal 64", 64, 3, None, &[28]),
    universal("Universal 128", 128, 4, None, &[40]),
    universal("Universal 256", 256, 5, None, &[62]),
    universal("Universal 576", 576, 4, None, &[178]),
];

/// A demand without structure, with PEs and NIs.
struct Unstructured {
    demand: &'static str,
    pes: u32,
    nis: u32,
    pattern: &'static str,
}

const fn unstructured(demand: &'static str, pes: u32, nis: u32, pattern: &'static str) -> Unstructured {
    Unstructured { demand, pes, nis, pattern }
}

const UNSTRUCTURED: &[Unstructured] = &[
    unstructured("Random, degree 8", 256, 4, "regular 8"),
    unstructured("Random, degree 8", 1024, 4, "regular 8"),
    unstructured("Random, degree 8", 4096, 4, "regular 8"),
    unstructured("Random, degree 12", 256, 4, "regular 12"),
    unstructured("Random, degree 12", 1024, 4, "regular 12"),
    unstructured("Random, degree 12", 4096, 4, "regular 12"),
    unstructured("Random, degree 16", 256, 4, "regular 16"),
    unstructured("Random, degree 16", 1024, 4, "regular 16"),
    unstructured("Random, degree 16", 4096, 4, "regular 16"),
    unstructured("Random, degree 16", 256, 8, "regular 16"),
    unstructured("Random, degree 16", 1024, 8, "regular 16"),
    unstructured("Random, degree 16", 4096, 8, "regular 16"),
    unstructured("Power law, 4 pairs per PE", 256, 4, "power-law 4"),
    unstructured("Power law, 4 pairs per PE", 1024, 4, "power-law 4"),
    unstructured("Power law, 4 pairs per PE", 1024, 8, "power-law 4"),
    unstructured("Band of 12, 0.6", 768, 3, "band 12 600"),
    unstructured("Band of 24, 0.6", 1024, 4, "band 24 600"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let (mut seeds, mut budget, mut threads, mut words) = (10, Budget::Seconds(60.0), 2, Vec::new());
    for argument in std::env::args().skip(1).filter(|a| !a.starts_with("--")) {
        match argument.split_once('=') {
            Some(("seeds", number)) => {
                seeds =
                    number.parse().map_err(|_| format!("{argument}: a whole number from 1 is accepted"))?
            }
            Some(("threads", number)) => {
                threads =
                    number.parse().map_err(|_| format!("{argument}: a whole number from 1 is accepted"))?
            }
            Some(("seconds", number)) => {
                let seconds =
                    number.parse().map_err(|_| format!("{argument}: a number from 0 is accepted"))?;
                budget = Budget::Seconds(seconds);
            }
            Some(("effort", number)) => {
                let millions =
                    number.parse().map_err(|_| format!("{argument}: a whole number is accepted"))?;
                budget = Budget::Effort(millions);
            }
            _ => words.push(argument),
        }
    }
    if seeds == 0 {
        return Err("seeds=0; a whole number from 1 is accepted".into());
    }
    println!(
        "| demand | NIs | published ρ | reached ρ | our ρ | best uncovered | median uncovered | share solved | median s | median CPU s | how |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for target in TARGETS {
        for &ports in target.widths {
            let name = format!("{} NIs={} ports={ports}", target.demand, target.nis);
            if words.iter().all(|word| name.contains(word)) {
                let line = line(target, ports, seeds, budget, threads)
                    .map_err(|error| format!("{name}: {error}"))?;
                println!("{line}");
            }
        }
    }
    println!("\n| demand | PEs | NIs | pairs | bound ρ | our ρ | gap | s | CPU s |\n|{}", " --- |".repeat(9));
    for row in UNSTRUCTURED {
        let name = format!("{} PEs={} NIs={}", row.demand, row.pes, row.nis);
        if words.iter().all(|word| name.contains(word)) {
            println!("{}", narrowest(row, budget, threads).map_err(|error| format!("{name}: {error}"))?);
        }
    }
    Ok(())
}

/// The narrowest switch that covers every pair, sought from 32 times the bound in steps of a twentieth.
fn narrowest(row: &Unstructured, budget: Budget, threads: u32) -> Result<String, Box<dyn Error>> {
    let instance = |ports| {
        let spec = text::spec(row.pes, row.nis, ports, &[row.pattern])?;
        let demand = Demand::build(&spec)?;
        Ok::<_, Box<dyn Error>>((Arc::new(spec), Arc::new(demand)))
    };
    let (spec, demand) = instance(row.pes)?;
    let (bound, pairs) = (port_bound(&spec, &demand).ports, demand.len());
    let (mut ports, mut best) = ((32 * bound).min(row.pes), None);
    while ports >= bound {
        let (spec, demand) = instance(ports)?;
        let run = judged(&spec, &demand, 1, budget, threads, &Options::default())?;
        if run.outcome.uncovered > 0 {
            break;
        }
        best = Some((ports, run));
        ports -= (ports / 20).max(1);
    }
    let Some((ports, run)) = best else { return Err(format!("not covered with {ports} ports").into()) };
    let gap = f64::from(ports) / f64::from(bound);
    Ok(format!(
        "| {} | {} | {} | {pairs} | {bound} | {ports} | {gap:.2} | {:.2} | {:.2} |",
        row.demand, row.pes, row.nis, run.wall, run.cpu
    ))
}

/// One row: a width of a demand over all seeds.
fn line(
    target: &Target,
    ports: u32,
    seeds: u64,
    budget: Budget,
    threads: u32,
) -> Result<String, Box<dyn Error>> {
    let spec = Arc::new(text::spec(target.pes, target.nis, ports, target.patterns)?);
    let demand = Arc::new(Demand::build(&spec)?);
    let options = Options::default();
    let runs: Vec<Judged> = (1..=seeds)
        .map(|seed| judged(&spec, &demand, seed, budget, threads, &options))
        .collect::<Result<_, _>>()?;
    let over = |value: fn(&Judged) -> f64| {
        let mut values: Vec<f64> = runs.iter().map(value).collect();
        values.sort_by(f64::total_cmp);
        values
    };
    let uncovered = over(|run| run.outcome.uncovered as f64);
    let solved = uncovered.iter().filter(|&&pairs| pairs == 0.0).count();
    let best = runs.iter().min_by_key(|run| run.outcome.uncovered).map_or("", |run| &run.outcome.method);
    let published = target.published.map_or_else(|| "–".into(), |ports| ports.to_string());
    Ok(format!(
        "| {} | {} | {published} | {} | {ports} | {} | {} | {solved} of {seeds} | {:.2} | {:.2} | {best} |",
        target.demand,
        target.nis,
        target.reached,
        uncovered[0],
        median(&uncovered),
        median(&over(|run| run.wall)),
        median(&over(|run| run.cpu)),
    ))
}
