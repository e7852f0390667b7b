//! Topology files of the ns-3 back ends of ASTRA-sim and SimAI.
//!
//! Both read numbers only, without comments: counts, the numbers of switches, then `from to rate delay error_rate` per link.
//! They find shortest paths themselves and give each flow one of them by its hash; hosts forward nothing, and a flow without a
//! path ends the simulation. A second link between the same two nodes would replace the first, so parallel links are written as
//! one of their total speed.
//!
//! SimAI wants as many GPUs in every node: as many as the most NICs of a node. A GPU without a NIC reaches its own node only.
//!
//! The delays of links are those with which a path of n switches takes the latency of the market: half of the latency of one
//! switch and its ends on each link of a host, and the latency of a switch on each link between switches.

use super::links::MAX_LINKS;
use crate::{
    compare::market::preset,
    exports::{
        Choice, ExportError, Field, Format, Group, Reason, Render, Setting, SettingOf, Settings, TEXT,
        WriteResult,
    },
    fabric::{Ecmp, NetworkKind},
    form,
    spec::{self, MARKETS},
    text::number,
};
use std::{collections::BTreeMap, fmt};

pub(in crate::exports) const MARKET: SettingOf<&str> =
    Setting::new("market", "market of speeds and latencies; the spec’s by default, or 400g")
        .field(Field::new("Market", form::FieldKind::Choice(MARKETS)))
        .hint("the spec’s")
        .read(|text| word(text, MARKETS));

const GPU: SettingOf<&str> = Setting::new("gpu", "GPU of all nodes, as SimAI names it")
    .choice("GPU", GPUS)
    .or("H100")
    .read(|text| word(text, GPUS));

/// Speed in Gb/s.
const NVLINK: SettingOf<u64> = Setting::new("nvlink", "speed of a GPU to its NVSwitch, in Gb/s")
    .field(Field::whole("NVLink speed", 1, 1_000_000).unit("Gb/s"))
    .or("2880")
    .parsed();

/// GPUs that SimAI knows.
const GPUS: &[Choice] = &[
    Choice::new("H100", "H100"),
    Choice::new("H800", "H800"),
    Choice::new("A100", "A100"),
    Choice::new("A800", "A800"),
];

/// A word as a list has it.
fn word(text: &str, choices: &[Choice]) -> Result<&'static str, Reason> {
    choices.iter().find(|choice| choice.word == text).map(|choice| choice.word).ok_or(None)
}

pub(in crate::exports) const ASTRA_SIM: Format = Format::new(Group::Labs, "astra-sim", "ASTRA-sim", TEXT, Render::Network(astra_sim))
    .purpose("topology of ASTRA-sim's ns-3 back end; parallel links become one link; nodes without a common network have no path")
    .with(&[&MARKET]);

pub(in crate::exports) const SIMAI: Format = Format::new(Group::Labs, "simai", "SimAI", TEXT, Render::Network(simai))
    .purpose(
        "topology of SimAI's ns-3 back end: a GPU per NIC, an NVSwitch per node; its rings need switches that join all rails",
    )
    .with(&[&MARKET, &GPU, &NVLINK]);

/// Delay of a link from a GPU to its NVSwitch, in ns: SimAI's own default.
const NVLINK_DELAY: f64 = 25.0;

/// Links by their ends, which count switches after all hosts; speeds in Mb/s.
struct Topology {
    hosts: u32,
    switches: u32,
    /// The lower end of a host's link is the host.
    links: Vec<((u32, u32), u32)>,
    /// Delay of links of hosts, and of links between switches, in ns.
    delays: [f64; 2],
}

impl Topology {
    fn of(kind: &dyn NetworkKind, settings: &Settings) -> Result<Topology, ExportError> {
        let parts = kind.parts();
        if parts.cables > MAX_LINKS {
            return Err(ExportError::Links { kind: kind.text(), links: parts.cables, max: MAX_LINKS });
        }
        if parts.switches.iter().any(|switch| switch.hub) {
            return Err(ExportError::Hub { kind: kind.text() });
        }
        let market = preset(settings.given(&MARKET).copied().unwrap_or(spec::MARKET))
            .expect("a market of specs")
            .market();
        let fabric = kind.fabric(market.speeds());
        let ends = |[a, b]: [u32; 2]| (a.min(b), a.max(b));
        let joined = fabric.links.iter().any(|link| link.ends.iter().all(|&end| fabric.is_host(end)));
        // In a wiring, some pairs may share no switch.
        if joined || kind.text() != "design" && !Ecmp::is_joined_by_switches(&fabric) {
            return Err(ExportError::Forwarding { kind: kind.text() });
        }
        let model = &market.model;
        Ok(Topology {
            hosts: fabric.hosts,
            switches: fabric.switches.len() as u32,
            links: fabric.links.iter().map(|link| (ends(link.ends), link.speed)).collect(),
            delays: [(model.latency + model.switch_latency) / 2.0, model.switch_latency].map(|us| us * 1e3),
        })
    }

    fn delay(&self, low: u32) -> f64 {
        self.delays[usize::from(low >= self.hosts)]
    }
}

/// One link, with its speed in Mb/s and its delay in ns.
fn link(out: &mut dyn fmt::Write, (from, to): (u32, u32), speed: u64, delay: f64) -> fmt::Result {
    writeln!(out, "{from} {to} {}Gbps {}ns 0", number(speed as f64 / 1e3), number(delay))
}

fn row(out: &mut dyn fmt::Write, numbers: std::ops::Range<u32>) -> fmt::Result {
    writeln!(out, "{}", numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(" "))
}

/// Parallel links as one of their total speed.
fn merged(links: impl IntoIterator<Item = ((u32, u32), u32)>) -> BTreeMap<(u32, u32), u64> {
    let mut merged = BTreeMap::new();
    for (ends, speed) in links {
        *merged.entry(ends).or_insert(0) += u64::from(speed);
    }
    merged
}

fn astra_sim(kind: &dyn NetworkKind, settings: &Settings, out: &mut dyn fmt::Write) -> WriteResult {
    let topology = Topology::of(kind, settings)?;
    let links = merged(topology.links.iter().copied());
    let nodes = topology.hosts + topology.switches;
    writeln!(out, "{nodes} {} {}", topology.switches, links.len())?;
    row(out, topology.hosts..nodes)?;
    for (ends, speed) in links {
        link(out, ends, speed, topology.delay(ends.0))?;
    }
    Ok(())
}

fn simai(kind: &dyn NetworkKind, settings: &Settings, out: &mut dyn fmt::Write) -> WriteResult {
    let topology = Topology::of(kind, settings)?;
    let mut nics = vec![0u32; topology.hosts as usize];
    // A link of a host is one of its next GPU.
    let mut own = Vec::new();
    for &((low, high), speed) in &topology.links {
        let gpu = nics.get_mut(low as usize).map(|nics| std::mem::replace(nics, *nics + 1));
        own.push((low, gpu, high, speed));
    }
    let gpus = nics.into_iter().max().unwrap_or(0);
    let all = topology.hosts * gpus;
    // GPUs first, then an NVSwitch per host, then the switches.
    let end = |(low, gpu, high, speed): (u32, Option<u32>, u32, u32)| match gpu {
        Some(gpu) => ((low * gpus + gpu, all + high), speed),
        None => ((all + low, all + high), speed),
    };
    let links = merged(own.into_iter().map(end));
    let nodes = all + topology.hosts + topology.switches;
    let count = links.len() + all as usize;
    writeln!(out, "{nodes} {gpus} {} {} {count} {}", topology.hosts, topology.switches, settings.get(&GPU))?;
    row(out, all..nodes)?;
    for gpu in 0..all {
        link(out, (gpu, all + gpu / gpus), settings.get(&NVLINK) * 1000, NVLINK_DELAY)?;
    }
    for (ends, speed) in links {
        let delay = topology.delays[usize::from(ends.0 >= all)];
        link(out, ends, speed, delay)?;
    }
    Ok(())
}
