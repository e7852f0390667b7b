//! Time to a complete wiring by number of threads, beside a plain annealer:
//! `cargo bench -p search --bench threads [-- WORDS] [seeds=10] [seconds=120] [threads=1,2]`. With words, only rows
//! with all of them in demand, PEs, NIs and width run, such as `PEs=1024 ports=16`. A run that ends without a
//! complete wiring counts as its limit. Every wiring is judged by the independent checker.

#[path = "instances/annealer.rs"]
mod annealer;
#[path = "instances/judge.rs"]
mod judge;
#[path = "instances/median.rs"]
mod median;
#[path = "instances/patterns.rs"]
mod patterns;
#[path = "instances/text.rs"]
mod text;

use annealer::anneal;
use judge::judged;
use median::median;
use patterns::*;
use search::options::Options;
use spec::{demand::Demand, design::check, spec::Spec};
use std::{error::Error, sync::Arc};
use work::search::Budget;

struct Row {
    demand: &'static str,
    pes: u32,
    nis: u32,
    ports: u32,
    patterns: &'static [&'static str],
}

const fn row(demand: &'static str, pes: u32, nis: u32, ports: u32, patterns: &'static [&'static str]) -> Row {
    Row { demand, pes, nis, ports, patterns }
}

const ROWS: &[Row] = &[
    row("2D all, with diagonals", 1024, 4, 17, &["2 all diagonal"]),
    row("2D all, with diagonals", 1024, 4, 16, &["2 all diagonal"]),
    row("2D all", 1024, 4, 6, &["2 all nearest"]),
    row("2D single, 2^k", 1024, 4, 14, &["2 balanced power-of-two"]),
    row("3D all", 1024, 4, 10, &["3 all nearest"]),
    row("3D single, 2^k", 1024, 4, 8, &["3 balanced power-of-two"]),
    row("H + single 2D, 3D, 4D", 1024, 4, 14, H_SINGLE),
    row("H + single 2D, 3D, 4D, 2^k", 1024, 4, 17, H_SINGLE_POWER),
    row("H + all 2D, 3D, 4D", 1024, 4, 16, H_ALL),
    row("H + all 2D, 3D, 4D, 2^k", 1024, 4, 26, H_ALL_POWER),
    row("H + all 2D, 3D, 4D + BS", 1024, 4, 31, ALL_BS),
    row("H + all 2D, 3D, 4D + BS", 1024, 4, 30, ALL_BS),
    row("H + all 2D, 3D, 4D + BS", 1024, 5, 15, ALL_BS),
    row("H + all 2D, 3D, 4D, 2^k + BS", 1024, 4, 40, ALL_POWER_BS),
    row("H + all 2D, 3D, 4D, 2^k + BS", 1024, 5, 23, ALL_POWER_BS),
    row("KASY0", 128, 3, 16, KASY0),
    row("2D all", 1000, 4, 11, &["2 all nearest"]),
    row("3D all", 729, 4, 7, &["3 all nearest"]),
    row("H + single 2D, 3D, 4D", 512, 3, 26, H_SINGLE),
    row("H + single 2D, 3D, 4D", 512, 3, 25, H_SINGLE),
    row("H + all 2D, 3D, 4D", 2048, 4, 24, H_ALL),
    row("Band of 12, 0.6", 768, 3, 12, &["band 12 600"]),
    row("Band of 12, 0.6", 768, 3, 11, &["band 12 600"]),
    row("Band of 12, 0.6", 768, 3, 10, &["band 12 600"]),
    row("H + all 2D, 3D, 4D", 8192, 4, 40, H_ALL),
    row("H + all 2D, 3D, 4D", 16384, 4, 48, H_ALL),
];

struct Settings {
    seeds: u64,
    seconds: f64,
    plain: bool,
    threads: Vec<u32>,
    options: Options,
    words: Vec<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let settings = settings()?;
    let mut head = "| demand | PEs | NIs | ports | annealer CPU s |".to_owned();
    for threads in &settings.threads {
        head += &format!(" {threads} threads s | CPU s | solved | ratio |");
    }
    println!("{head}\n|{}", " --- |".repeat(head.matches('|').count() - 1));
    for row in ROWS {
        let name = format!("{} PEs={} NIs={} ports={}", row.demand, row.pes, row.nis, row.ports);
        if settings.words.iter().all(|word| name.contains(word.as_str())) {
            let line = line(row, &settings).map_err(|error| format!("{name}: {error}"))?;
            println!("{line}");
        }
    }
    Ok(())
}

fn settings() -> Result<Settings, Box<dyn Error>> {
    let mut settings = Settings {
        seeds: 10,
        seconds: 120.0,
        plain: true,
        threads: vec![1, 2],
        options: Options::default(),
        words: Vec::new(),
    };
    for argument in std::env::args().skip(1).filter(|a| !a.starts_with("--")) {
        let Some((name, value)) = argument.split_once('=').filter(|(name, _)| !ROW_WORDS.contains(name))
        else {
            settings.words.push(argument);
            continue;
        };
        match name {
            "seeds" => settings.seeds = value.parse()?,
            "seconds" => settings.seconds = value.parse()?,
            "plain" => settings.plain = value.parse()?,
            "threads" => settings.threads = value.split(',').map(str::parse).collect::<Result<_, _>>()?,
            _ if settings.options.set(name, value.parse()?) => {}
            _ => return Err(format!("{argument}: not a setting, or out of its range").into()),
        }
    }
    if settings.seeds == 0 {
        return Err("seeds=0; a whole number from 1 is accepted".into());
    }
    Ok(settings)
}

/// Names in rows, which are words and not settings.
const ROW_WORDS: [&str; 3] = ["PEs", "NIs", "ports"];

fn line(row: &Row, settings: &Settings) -> Result<String, Box<dyn Error>> {
    let spec = Arc::new(text::spec(row.pes, row.nis, row.ports, row.patterns)?);
    let demand = Arc::new(Demand::build(&spec)?);
    let mut line = format!("| {} | {} | {} | {} |", row.demand, row.pes, row.nis, row.ports);
    let plain: Vec<f64> = (1..=if settings.plain { settings.seeds } else { 0 })
        .map(|seed| annealed(&spec, &demand, row, seed, settings.seconds))
        .collect::<Result<_, _>>()?;
    let plain = if settings.plain { median(&plain) } else { f64::NAN };
    line += &format!(" {plain:.2} |");
    let mut one = None;
    for &threads in &settings.threads {
        let (mut wall, mut cpu, mut solved) = (Vec::new(), Vec::new(), 0);
        for seed in 1..=settings.seeds {
            let budget = Budget::Seconds(settings.seconds);
            let run = judged(&spec, &demand, seed, budget, threads, &settings.options)?;
            solved += u32::from(run.outcome.uncovered == 0);
            wall.push(run.wall);
            cpu.push(run.cpu);
        }
        let (wall, cpu) = (median(&wall), median(&cpu));
        let base = *one.get_or_insert(if threads == 1 { cpu } else { wall });
        let ratio = if threads == 1 { cpu / plain } else { base / wall };
        line += &format!(" {wall:.2} | {cpu:.2} | {solved} | {ratio:.2} |");
    }
    Ok(line)
}

/// Seconds of the plain annealer.
fn annealed(
    spec: &Arc<Spec>,
    demand: &Arc<Demand>,
    row: &Row,
    seed: u64,
    limit: f64,
) -> Result<f64, Box<dyn Error>> {
    let annealed =
        anneal(demand, row.nis, row.ports, seed, limit).ok_or("more partners than the annealer takes")?;
    let verdict = check(spec, demand, &annealed.design);
    let solved = verdict.breaches.is_empty() && verdict.uncovered.is_empty();
    if !solved && annealed.seconds < limit {
        return Err(format!("the annealer broke {:?}", verdict.breaches).into());
    }
    Ok(annealed.seconds)
}
