//! Experiments of Etsion et al. 2000: `cargo bench -p simulate --bench bisection` prints the total bandwidth in Gb/s of
//! collective operations on its clusters of 16 hosts, next to the published figures.
//!
//! Cables carry 1,280 Mb/s each way. A host exchanges 600 Mb/s with its network card (figure 5), in one direction at a time. So a
//! host here has a half-duplex link of 600 Mb/s to a card, which is a switch with two ports. Packets have 1,536 bytes. Delays of
//! switches are those of Otsuka et al. 2005, since this paper gives none.
//!
//! The paper does not give buffer sizes: cards have 512 KB, Myrinet switches hardly any memory, and Fast Messages limits the
//! packets in flight per host to an unknown number. So the bench prints both extremes: buffers for a single packet, and buffers
//! for all packets. A card's priority for incoming packets and its turnaround time are not modelled, as the paper gives no figures.

use network::fabric::{Disjoint, Fabric, Link, Minimal, Routing, Speeds, Switch, SwitchKind, kinds};
use rand_xoshiro::{
    SplitMix64,
    rand_core::{Rng, SeedableRng},
};
use simulate::{ClosedInput, TraceFrame, collective, trace};
use std::{error::Error, sync::atomic::AtomicBool};
use work::simulation::{Collective, Paths, Settings};

type Failure = Box<dyn Error>;

const HOSTS: u32 = 16;
/// Mb/s of cables, and between a host and its card.
const CABLE: u32 = 1280;
const HOST: u32 = 600;
/// Packets per buffer: the minimum, and more than there are.
const ONE: u32 = 1;
const ALL: u32 = 1 << 16;
/// Bytes of a packet.
const PACKET: u64 = 1536;
/// Message sizes in bytes, as in the paper's figures; the best one counts.
const MESSAGES: [u64; 5] = [512, 1536, 6144, 24_576, 65_536];
/// Bytes per stream, and per node and operation: enough that start and end hardly count.
const BYTES: u64 = 1 << 20;
/// Number of random placements.
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

/// A cluster without and with a card between each host and its cable.
struct Cluster {
    bare: Fabric,
    fabric: Fabric,
}

impl Cluster {
    /// Cluster with `host` Mb/s between hosts and cards.
    fn new(bisection: u32, host: u32) -> Result<Cluster, Failure> {
        let bare = kinds::parse(&format!("myrinet:{HOSTS},{bisection}"))
            .map_err(|fault| fault.to_string())?
            .fabric(Speeds { hosts: CABLE, trunks: CABLE });
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

/// Paths of the bare cluster, extended by the links between hosts and cards.
struct ByCard<R> {
    between: R,
    /// Number of links without those between hosts and cards.
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

/// Best bandwidth over all message sizes in Gb/s; `None` if every size ends in a deadlock.
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
        let closed = ClosedInput {
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

/// Section 4: hosts 0 to 7 each send to the host 8 higher, on the complete graph of four switches. Hosts are half duplex, since
/// "combining four data streams of 0.6 Gb/s each does not lead to full utilization" of a link.
fn paths() -> Result<(), Failure> {
    let Cluster { bare, fabric } = Cluster::new(4, HOST)?;
    let cables = bare.links.len() as u32;
    let one = ByCard { between: Minimal::of(&bare)?, cables };
    let two = ByCard { between: Disjoint::of(&bare, true)?, cables };
    println!(
        "Pairs that differ by 8, bisection 4; random ones are means of {SEEDS} draws. Packets per buffer:\n"
    );
    println!("| paths | one | all | published |");
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

/// Total bandwidth in Gb/s when nodes 0 to 7 each send a megabyte to the node 8 higher; `None` if it ends in a deadlock.
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
    let pair =
        |node: usize| TraceFrame { cycle: 0, from: places[node], to: places[node + HOSTS as usize / 2] };
    let frames: Vec<TraceFrame> = (0..each).flat_map(|_| (0..HOSTS as usize / 2).map(pair)).collect();
    let result = trace(fabric, routing, settings, &frames, seed, &AtomicBool::new(false))?;
    let Some(last) =
        result.arrived.into_iter().collect::<Option<Vec<u64>>>().and_then(|all| all.into_iter().max())
    else {
        return Ok(None);
    };
    let bits = frames.len() as f64 * 8.0 * PACKET as f64;
    // A cable carries one flit of 32 bits per cycle.
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
    let room = if buffer == ONE { "one packet" } else { "all packets" };
    println!("\nGb/s by bisection; hosts {host} Mb/s, cables {CABLE} Mb/s; buffers have room for {room}.\n");
    println!("| bisection | {} |", patterns.map(|pattern| pattern.to_string()).join(" | "));
    println!("| --- | --- | --- | --- | --- | --- |");
    for bisection in [1, 2, 4, 5, 6, 9] {
        let Cluster { bare, fabric } = Cluster::new(bisection, host)?;
        let routing = ByCard { between: Minimal::of(&bare)?, cables: bare.links.len() as u32 };
        let each = patterns.map(|pattern| best(&fabric, &routing, &settings(buffer), pattern, 1));
        let text =
            |best: Option<f64>| best.map_or_else(|| "deadlock".to_string(), |best| format!("{best:.2}"));
        let row = each.into_iter().map(|each| each.map(text)).collect::<Result<Vec<_>, Failure>>()?;
        println!("| {bisection} | {} |", row.join(" | "));
    }
    Ok(())
}
