//! The topology paper's experiments: `cargo bench -p simulate --bench bisection` prints total bandwidth, in Gb/s, of collective
//! operations on its clusters of 16 hosts, beside what the paper prints.
//!
//! Its links carry 1,280 Mb/s each way, its hosts 600 Mb/s, and a host sends or receives at any one time. Packets have 1,536
//! bytes. Times in switches are the VLAN paper's, for want of others. Its Fast Messages let a host have only so many packets on
//! the way, which keeps second paths from standing still; here buffers hold all there are.

use shared::{
    fabric::{Disjoint, Fabric, Kind, Minimal, Myrinet, Routing, Speeds},
    simulation::{Collective, Paths, Settings},
};
use simulate::{Closed, collective};
use std::{error::Error, sync::atomic::AtomicBool};

type Failure = Box<dyn Error>;

const HOSTS: u32 = 16;
/// Bytes of messages that are tried, as in the paper's figures; the best counts.
const MESSAGES: [u64; 5] = [512, 1536, 6144, 24_576, 65_536];
/// Bytes that each operation moves for a pair, so that the beginning and the end hardly count.
const BYTES: u64 = 1 << 20;
/// Placements that are drawn.
const SEEDS: u64 = 20;

fn main() -> Result<(), Failure> {
    paths()?;
    for (host, what) in [(600, "links outrun nodes"), (1280, "nodes as fast as links")] {
        bisections(host, what)?;
    }
    Ok(())
}

fn settings() -> Settings {
    Settings {
        header: 4,
        payload: 384,
        half_duplex_hosts: true,
        buffer: 1 << 16,
        reference_speed: Some(1280),
        ..Settings::default()
    }
}

/// The best bandwidth over message sizes, in Gb/s.
fn best(
    fabric: &Fabric,
    routing: &dyn Routing,
    settings: &Settings,
    what: Collective,
    seed: u64,
) -> Result<f64, Failure> {
    let mut best = 0.0f64;
    for message in MESSAGES {
        let rounds = if matches!(what, Collective::Exchange) {
            BYTES / message
        } else {
            (BYTES / 16 / message).max(2)
        };
        let closed = Closed {
            fabric,
            routing,
            settings,
            collective: what,
            nodes: HOSTS,
            message,
            rounds: rounds as u32,
            seed,
        };
        let result = collective(&closed, &AtomicBool::new(false))?;
        if let Some(deadlock) = result.deadlock {
            return Err(format!("{what}: deadlock of {:?}", deadlock.names).into());
        }
        best = best.max(result.bandwidth / 1000.0);
    }
    Ok(best)
}

/// Section 4: hosts whose numbers differ by 8 exchange, on the complete graph of four switches.
fn paths() -> Result<(), Failure> {
    let fabric = Myrinet::new(HOSTS, 4)?.fabric(Speeds { hosts: 600, trunks: 1280 });
    let (one, two) = (Minimal::of(&fabric)?, Disjoint::of(&fabric, true)?);
    let mean = |routing: &dyn Routing, paths, random_placement| -> Result<f64, Failure> {
        let settings = Settings { paths, random_placement, ..settings() };
        let seeds = if random_placement || paths == Paths::Random { SEEDS } else { 1 };
        let each = (1..=seeds).map(|seed| best(&fabric, routing, &settings, Collective::Exchange, seed));
        Ok(each.sum::<Result<f64, Failure>>()? / seeds as f64)
    };
    println!("Pairs that differ by 8, myrinet:16,4; random ones are means of {SEEDS} draws.\n");
    println!("| paths | Gb/s | published |");
    println!("| --- | --- | --- |");
    println!("| one, minimal | {:.2} | 1.96 |", mean(&one, Paths::First, false)?);
    println!("| two in alternation | {:.2} | 2.78 |", mean(&two, Paths::Alternate, false)?);
    println!("| one of two at random | {:.2} | |", mean(&two, Paths::Random, false)?);
    println!("| over a random host's switch | {:.2} | |", mean(&one, Paths::RandomIntermediate, false)?);
    println!("| one, nodes placed at random | {:.2} | 4.53 |", mean(&one, Paths::First, true)?);
    println!(
        "| two in alternation, nodes placed at random | {:.2} | 8 % less |",
        mean(&two, Paths::Alternate, true)?
    );
    Ok(())
}

/// Section 5: bandwidth by bisection.
fn bisections(host: u32, what: &str) -> Result<(), Failure> {
    let patterns = [
        Collective::AllToAll,
        Collective::AllToAllPhases,
        Collective::OneToAll,
        Collective::OneToAllTree,
        Collective::AllToOne,
    ];
    println!("\nBandwidth in Gb/s by bisection; {what}: hosts {host} Mb/s, links 1,280 Mb/s.\n");
    println!("| bisection | {} |", patterns.map(|pattern| pattern.to_string()).join(" | "));
    println!("| --- | --- | --- | --- | --- | --- |");
    for bisection in [1, 2, 4, 5, 6, 9] {
        let fabric = Myrinet::new(HOSTS, bisection)?.fabric(Speeds { hosts: host, trunks: 1280 });
        let routing = Minimal::of(&fabric)?;
        let each = patterns.map(|pattern| best(&fabric, &routing, &settings(), pattern, 1));
        let row =
            each.into_iter().map(|each| Ok(format!("{:.2}", each?))).collect::<Result<Vec<_>, Failure>>()?;
        println!("| {bisection} | {} |", row.join(" | "));
    }
    println!(
        "\nPublished (figures lost): all-to-all the same from bisection 4 on, 4.2 Gb/s there; one-to-all by loop and all-to-one"
    );
    println!("do not gain by bisection; at bisection 1 all-to-all with phases is better than without.");
    Ok(())
}
