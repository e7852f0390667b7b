//! The report of a simulation as text.

use shared::{
    simulation::{
        BusyChannel, ClosedResult, Deadlock, FullBufferRule, Point, Settings, SimulationReport, time,
    },
    text::{fixed, grouped},
};
use std::fmt::Write as _;

pub fn text(report: &SimulationReport, settings: &Settings) -> String {
    let mut text = format!(
        "{}, routing {}, traffic {}, {} hosts, {} sending; seed {}\n",
        report.fabric, report.routing, report.traffic, report.hosts, report.senders, report.seed
    );
    let _ = writeln!(text, "{}", settings.delays(report.cycle_ns));
    for warning in &report.warnings {
        let _ = writeln!(text, "warning: {warning}");
    }
    if !report.points.is_empty() {
        text += "\n offered accepted     lost  latency      time   median      90%      99%     frames  busiest\n";
    }
    for point in &report.points {
        text += &row(point, report.cycle_ns);
    }
    let mut stuck = report.points.iter().filter_map(|point| Some((point.offered, point.deadlock.as_ref()?)));
    if let Some((load, deadlock)) = stuck.next() {
        let _ = writeln!(text, "\nat an offered load of {}: {}", fixed(load, 4), deadlock_text(deadlock));
    }
    if let Some(found) = &report.saturation {
        let _ = writeln!(
            text,
            "\nsaturation: {} flits per cycle and host{}, at an offered load of {}; at least 98 % is accepted up to {}",
            fixed(found.throughput, 4),
            dropped(found.lost_share, settings),
            fixed(found.offered, 4),
            fixed(found.sustained, 4)
        );
        if let Some(load) = found.deadlock_from {
            let _ = writeln!(text, "deadlocks from an offered load of {}", fixed(load, 4));
        }
    }
    if let Some(collective) = &report.collective {
        text += &closed(collective, report.cycle_ns);
    }
    if report.cancelled {
        text += "\nstopped early: the rest is missing\n";
    }
    text
}

/// The share of dropped frames, where frames can be dropped.
fn dropped(share: f64, settings: &Settings) -> String {
    match settings.full {
        FullBufferRule::Drop => format!(" with {} % of frames lost", fixed(100.0 * share, 1)),
        FullBufferRule::Hold => String::new(),
    }
}

fn row(point: &Point, cycle_ns: f64) -> String {
    let latency = &point.latency;
    let busiest = busiest(point.busiest.get(..1).unwrap_or_default());
    format!(
        "{:>8} {:>8} {:>8} {:>8} {:>9} {:>8} {:>8} {:>8} {:>10}  {}{busiest}\n",
        fixed(point.offered, 4),
        fixed(point.accepted, 4),
        format!("{} %", fixed(100.0 * point.lost_share, 1)),
        latency.figure(|latency| fixed(latency.mean, 1)),
        latency.figure(|latency| time(latency.mean, cycle_ns)),
        latency.figure(|latency| latency.median.to_string()),
        latency.figure(|latency| latency.p90.to_string()),
        latency.figure(|latency| latency.p99.to_string()),
        grouped(point.received),
        if point.deadlock.is_some() { "DEADLOCK; " } else { "" },
    )
}

fn closed(result: &ClosedResult, cycle_ns: f64) -> String {
    let rounds = match result.rounds {
        1 => "1 round".into(),
        rounds => format!("{} rounds", grouped(rounds.into())),
    };
    let latency = |cycles: f64, digits: usize| {
        result.latency.figure(|_| format!("{} cycles ({})", fixed(cycles, digits), time(cycles, cycle_ns)))
    };
    let mut text = format!(
        "\n{}{} with messages of {} bytes in {} cycles ({}): total bandwidth {}\n{} frames received, latency {}, max {}\n",
        if result.complete { "" } else { "Of " },
        rounds,
        grouped(result.message),
        grouped(result.cycles),
        time(result.cycles as f64, cycle_ns),
        result.total(),
        grouped(result.received),
        latency(result.latency.mean, 1),
        latency(result.latency.most as f64, 0),
    );
    text += &groups(result, cycle_ns);
    let _ = writeln!(text, "busiest: {}", busiest(&result.busiest));
    if let Some(deadlock) = &result.deadlock {
        let _ = writeln!(text, "\n{}", deadlock_text(deadlock));
    }
    text
}

/// Completion times, bandwidths per node, and the background.
fn groups(result: &ClosedResult, cycle_ns: f64) -> String {
    let mut text = String::new();
    let timed = |cycles: u64| format!("{} cycles ({})", grouped(cycles), time(cycles as f64, cycle_ns));
    if let Some(completion) = result.completion.filter(|completion| completion.groups > 1) {
        let _ = writeln!(
            text,
            "{} groups: fastest {}, median {}, slowest {}",
            grouped(completion.groups.into()),
            timed(completion.fastest),
            timed(completion.median),
            timed(completion.slowest)
        );
    }
    if let Some((algorithm, bus)) = result.algorithm_bandwidth.zip(result.bus_bandwidth) {
        let [algorithm, bus] = [algorithm, bus].map(|speed| fixed(speed / 8000.0, 3));
        let _ = writeln!(text, "algorithm bandwidth {algorithm} GB/s, bus bandwidth {bus} GB/s");
    }
    if let Some(background) = &result.background {
        let _ = writeln!(
            text,
            "background: {} flits per cycle and host offered, {} accepted; {} % of {} frames delivered",
            fixed(background.offered, 4),
            fixed(background.accepted, 4),
            fixed(100.0 * background.delivered, 1),
            grouped(background.frames)
        );
    }
    text
}

fn busiest(channels: &[BusyChannel]) -> String {
    let named = channels.iter().map(|busy| format!("{:.0}% {}", 100.0 * busy.load, busy.name));
    named.collect::<Vec<_>>().join(", ")
}

fn deadlock_text(deadlock: &Deadlock) -> String {
    let first = deadlock.names.first().map_or("", String::as_str);
    format!(
        "deadlock, found in cycle {}. Full buffers wait for each other: {}, and again {first}",
        grouped(deadlock.cycle),
        deadlock.names.join(", ")
    )
}
