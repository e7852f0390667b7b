//! The topology paper's experiments: `cargo bench -p simulate --bench bisection` prints total bandwidth, in Gb/s, of collective
//! operations on its clusters of 16 hosts, beside what the paper prints.
//!
//! Its cables carry 1,280 Mb/s each way. Between a host's memory and the card that the cable ends in are 600 Mb/s (figure 5),
//! and one direction at a time: so a host here has a link of 600 Mb/s, half duplex, to a card, which is a switch of two ports.
//! Packets have 1,536 bytes. Times in switches are the VLAN paper's, for want of others.
//!
//! How much waits where is not in the paper. Cards have 512 KB, Myrinet's switches hardly any memory, and its Fast Messages let
//! a host have only so many packets on the way, a number that is not told. So both ends are printed: buffers with room for a
//! single packet, in cards as in switches, where a packet that waits has all behind it wait; and buffers that hold all there
//! are. A card's priority for what comes in, and the time it needs to turn round, are not modelled: the paper has no figure.

use rand_xoshiro::{
    SplitMix64,
    rand_core::{Rng, SeedableRng},
};
use shared::{
    fabric::{Disjoint, Fabric, Kind, Link, Minimal, Myrinet, Routing, Speeds, Switch, SwitchKind},
    simulation::{Collective, Paths, Settings},
};
use simulate::{Closed, Sent, collective, trace};
use std::{error::Error, sync::atomic::AtomicBool};

type Failure = Box<dyn Error>;

const HOSTS: u32 = 16;
/// Mb/s of cables, and between a host and its card.
const CABLE: u32 = 1280;
const HOST: u32 = 600;
/// Packets that a buffer has room for: the least there can be, and all there are.
const ONE: u32 = 1;
const ALL: u32 = 1 << 16;
/// Bytes of a packet.
const PACKET: u64 = 1536;
/// Bytes of messages that are tried, as in the paper's figures; the best counts.
const MESSAGES: [u64; 5] = [512, 1536, 6144, 24_576, 65_536];
/// Bytes that a pair of streams moves, and a node in an operation for all others, so that the beginning and the end hardly count.
const BYTES: u64 = 1 << 20;
/// Placements that are drawn.
const SEEDS: u64 = 20;

fn main() -> Result<(), Failure> {
    paths()?;
    bisections(HOST, ONE)?;
    bisections(HOST, ALL)?;
    bisections(CABLE, ALL)?;
    println!(
        "\nPublished (figures lost): all-to-all the same from bisection 4 on, 4.2 Gb/s there; one-to-all by loop and all-to-one"
    );
    println!(
        "do not gain by bisection; at bisection 1 all-to-all with phases is better than without, at higher ones worse."
    );
    Ok(())
}

/// A cluster with a card between each host and its cable, and how its paths lengthen.
struct Cluster {
    bare: Fabric,
    fabric: Fabric,
}

impl Cluster {
    /// With `host` Mb/s between hosts and their cards.
    fn new(bisection: u32, host: u32) -> Result<Cluster, Failure> {
        let bare = Myrinet::new(HOSTS, bisection)?.fabric(Speeds { hosts: CABLE, trunks: CABLE });
        let cards = HOSTS + bare.switches.len() as u32;
        let mut switches = bare.switches.clone();
        switches.extend((0..HOSTS).map(|_| Switch { ports: 2, kind: SwitchKind::Switch }));
        let card = |end| if end < HOSTS { cards + end } else { end };
        let mut links: Vec<Link> =
            bare.links.iter().map(|link| Link { ends: link.ends.map(card), ..*link }).collect();
        links.extend((0..HOSTS).map(|at| Link { ends: [at, cards + at], speed: host }));
        Ok(Cluster { bare, fabric: Fabric { hosts: HOSTS, switches, links } })
    }
}

/// Paths between cards, and from and to their hosts.
struct ByCard<R> {
    between: R,
    /// Links without those between hosts and cards.
    cables: u32,
}

impl<R: Routing> Routing for ByCard<R> {
    fn choices(&self, from: u32, to: u32) -> u32 {
        self.between.choices(from, to)
    }

    fn path(&self, from: u32, to: u32, choice: u32, channels: &mut Vec<u32>) {
        channels.push(2 * (self.cables + from));
        self.between.path(from, to, choice, channels);
        channels.push(2 * (self.cables + to) + 1);
    }
}

fn settings(buffer: u32) -> Settings {
    Settings {
        header: 4,
        payload: 384,
        half_duplex_hosts: true,
        buffer,
        reference_speed: Some(CABLE),
        ..Settings::default()
    }
}

/// The best bandwidth over message sizes, in Gb/s; none if every size ends in a deadlock.
fn best(
    fabric: &Fabric,
    routing: &dyn Routing,
    settings: &Settings,
    what: Collective,
    seed: u64,
) -> Result<Option<f64>, Failure> {
    let mut best: Option<f64> = None;
    for message in MESSAGES {
        let rounds = (BYTES / u64::from(HOSTS) / message).max(2);
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
        if result.deadlock.is_none() {
            best = Some(best.unwrap_or(0.0).max(result.bandwidth / 1000.0));
        }
    }
    Ok(best)
}

/// Section 4: hosts 0 to 7 send to those 8 higher, on the complete graph of four switches. That it is one way at any one time
/// follows from "combining four data streams of 0.6 Gb/s each does not lead to full utilization" of a link.
fn paths() -> Result<(), Failure> {
    let Cluster { bare, fabric } = Cluster::new(4, HOST)?;
    let cables = bare.links.len() as u32;
    let one = ByCard { between: Minimal::of(&bare)?, cables };
    let two = ByCard { between: Disjoint::of(&bare, true)?, cables };
    println!(
        "Pairs that differ by 8, bisection 4; random ones are means of {SEEDS} draws. Room for packets in a buffer:\n"
    );
    println!("| paths | one | all there are | published |");
    println!("| --- | --- | --- | --- |");
    let row = |name: &str, routing: &dyn Routing, paths, placed: bool, published: &str| {
        let drawn = placed || matches!(paths, Paths::Random | Paths::RandomIntermediate);
        let mean = |buffer| -> Result<String, Failure> {
            let settings = Settings { paths, cycles: 1 << 30, ..settings(buffer) };
            let seeds = if drawn { SEEDS } else { 1 };
            let each = (1..=seeds).map(|seed| streams(&fabric, routing, &settings, placed, seed));
            let sum = each.sum::<Result<Option<f64>, Failure>>()?;
            Ok(sum.map_or("deadlock".into(), |sum| format!("{:.2}", sum / seeds as f64)))
        };
        println!("| {name} | {} | {} | {published} |", mean(ONE)?, mean(ALL)?);
        Ok::<(), Failure>(())
    };
    row("one, minimal", &one, Paths::First, false, "1.96")?;
    row("two in alternation", &two, Paths::Alternate, false, "2.78")?;
    row("one of two at random", &two, Paths::Random, false, "")?;
    row("over a random host's card", &one, Paths::RandomIntermediate, false, "")?;
    row("one, nodes placed at random", &one, Paths::First, true, "4.53")?;
    row("two in alternation, nodes placed at random", &two, Paths::Alternate, true, "8 % less")
}

/// Total bandwidth in Gb/s of a megabyte from each of nodes 0 to 7 to the one 8 higher; none if it ends in a deadlock.
fn streams(
    fabric: &Fabric,
    routing: &dyn Routing,
    settings: &Settings,
    placed: bool,
    seed: u64,
) -> Result<Option<f64>, Failure> {
    let mut places: Vec<u32> = (0..HOSTS).collect();
    if placed {
        let mut dice = SplitMix64::seed_from_u64(seed);
        (1..places.len()).rev().for_each(|at| places.swap(at, (dice.next_u64() % (at as u64 + 1)) as usize));
    }
    let each = BYTES / PACKET;
    let pair = |node: usize| Sent { cycle: 0, from: places[node], to: places[node + HOSTS as usize / 2] };
    let frames: Vec<Sent> = (0..each).flat_map(|_| (0..HOSTS as usize / 2).map(pair)).collect();
    let told = trace(fabric, routing, settings, &frames, seed)?;
    let Some(last) =
        told.arrived.into_iter().collect::<Option<Vec<u64>>>().and_then(|all| all.into_iter().max())
    else {
        return Ok(None);
    };
    let bits = frames.len() as f64 * 8.0 * PACKET as f64;
    // A flit of 32 bits a cycle is what a cable carries.
    Ok(Some(bits / (last + 1) as f64 * f64::from(CABLE) / 32.0 / 1000.0))
}

/// Section 5: bandwidth by bisection.
fn bisections(host: u32, buffer: u32) -> Result<(), Failure> {
    let patterns = [
        Collective::AllToAll,
        Collective::AllToAllPhases,
        Collective::OneToAll,
        Collective::OneToAllTree,
        Collective::AllToOne,
    ];
    let room = if buffer == ONE { "a packet" } else { "all packets" };
    println!("\nGb/s by bisection; hosts {host} Mb/s, cables {CABLE} Mb/s; buffers have room for {room}.\n");
    println!("| bisection | {} |", patterns.map(|pattern| pattern.to_string()).join(" | "));
    println!("| --- | --- | --- | --- | --- | --- |");
    for bisection in [1, 2, 4, 5, 6, 9] {
        let Cluster { bare, fabric } = Cluster::new(bisection, host)?;
        let routing = ByCard { between: Minimal::of(&bare)?, cables: bare.links.len() as u32 };
        let each = patterns.map(|pattern| best(&fabric, &routing, &settings(buffer), pattern, 1));
        let told =
            |best: Option<f64>| best.map_or_else(|| "deadlock".to_string(), |best| format!("{best:.2}"));
        let row = each.into_iter().map(|each| each.map(told)).collect::<Result<Vec<_>, Failure>>()?;
        println!("| {bisection} | {} |", row.join(" | "));
    }
    Ok(())
}
