//! The report of a simulation as text.

use shared::{
    simulation::{BusyChannel, ClosedResult, Deadlock, Point, SimulationReport},
    text::{fixed, grouped},
};
use std::fmt::Write as _;

pub fn text(report: &SimulationReport) -> String {
    let mut text = format!(
        "{}, routing {}, traffic {}, {} hosts, {} sending; seed {}\n",
        report.fabric, report.routing, report.traffic, report.hosts, report.senders, report.seed
    );
    if !report.points.is_empty() {
        text += "\n offered accepted  latency   median      90%      99%     frames     lost  busiest\n";
    }
    for point in &report.points {
        text += &row(point);
    }
    let mut stuck = report.points.iter().filter_map(|point| Some((point.offered, point.deadlock.as_ref()?)));
    if let Some((load, deadlock)) = stuck.next() {
        let _ = writeln!(text, "\nat an offered load of {}: {}", fixed(load, 4), deadlock_text(deadlock));
    }
    if let Some(found) = &report.saturation {
        let _ = writeln!(
            text,
            "\nsaturation: {} flits per cycle and host, at an offered load of {}; at least 98 % is accepted up to {}",
            fixed(found.throughput, 4),
            fixed(found.offered, 4),
            fixed(found.sustained, 4)
        );
        if let Some(load) = found.deadlock_from {
            let _ = writeln!(text, "deadlocks from an offered load of {}", fixed(load, 4));
        }
    }
    if let Some(collective) = &report.collective {
        text += &closed(collective);
    }
    if report.cancelled {
        text += "\nstopped early: the rest is missing\n";
    }
    text
}

fn row(point: &Point) -> String {
    let latency = &point.latency;
    let busiest = busiest(point.busiest.get(..1).unwrap_or_default());
    format!(
        "{:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>10} {:>8}  {}{busiest}\n",
        fixed(point.offered, 4),
        fixed(point.accepted, 4),
        fixed(latency.mean, 1),
        latency.median,
        latency.p90,
        latency.p99,
        grouped(point.received),
        grouped(point.lost),
        if point.deadlock.is_some() { "DEADLOCK; " } else { "" },
    )
}

fn closed(result: &ClosedResult) -> String {
    let mut text = format!(
        "\n{} rounds with messages of {} bytes in {} cycles: {} Gb/s in all\n{} frames received, latency {} cycles, max {}\n",
        grouped(result.rounds.into()),
        grouped(result.message),
        grouped(result.cycles),
        fixed(result.bandwidth / 1000.0, 3),
        grouped(result.received),
        fixed(result.latency.mean, 1),
        grouped(result.latency.most),
    );
    let _ = writeln!(text, "busiest: {}", busiest(&result.busiest));
    if let Some(deadlock) = &result.deadlock {
        let _ = writeln!(text, "\n{}", deadlock_text(deadlock));
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
