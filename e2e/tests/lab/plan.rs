//! What the design says of every pair: which switches its packets cross, and whom they go through.

use crate::machine::{Form, Machine, file_of, files};
use anyhow::{Context, Result, ensure};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    net::Ipv4Addr,
};

/// One crossing of a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The PE that sends.
    pub from: u32,
    /// The switches that may be crossed; one of them is.
    pub switches: BTreeSet<u32>,
}

/// The ways of all ordered pairs under one form.
pub struct Plan {
    pes: u32,
    /// Address by the PE that asks and the PE that answers.
    addresses: BTreeMap<(u32, u32), Ipv4Addr>,
    ways: BTreeMap<(u32, u32), Vec<Hop>>,
    /// Requested pairs, both ways.
    requested: BTreeSet<(u32, u32)>,
}

impl Plan {
    /// Reads what exports say, and holds it against the cables: a switch is shared by both ends of a hop and is not dead, and a
    /// way goes through as few PEs as there can be.
    pub fn of(machine: &Machine, form: Form, dead: &[u32]) -> Result<Plan> {
        let words: Vec<_> = dead.iter().map(|switch| format!("sw{switch}")).collect();
        let words = words.join(" ");
        let wiring = Wiring::of(machine, dead);
        let basic = basic(machine, &words)?;
        for (&(a, b), route) in &basic {
            ensure!(wiring.shared(a, b).contains(&route.switch), "{a} and {b} do not share {route:?}");
        }
        let mut plan = Plan {
            pes: wiring.pes(),
            addresses: addresses(machine, form, &words, wiring.pes())?,
            ways: BTreeMap::new(),
            requested: basic.iter().filter(|(_, route)| route.requested).map(|(&pair, _)| pair).collect(),
        };
        let steps = steps(machine, form, &words, &basic)?;
        for (pair, step) in steps {
            let hop = |ends: &[u32]| {
                let (from, to) = (ends[0], ends[1]);
                let switches = match form {
                    Form::Multipath => wiring.shared(from, to),
                    _ => basic.get(&(from, to)).map(|route| route.switch).into_iter().collect(),
                };
                ensure!(!switches.is_empty(), "{pair:?} goes from {from} to {to}, which share no switch");
                Ok(Hop { from, switches })
            };
            let hops: Vec<Hop> = step.windows(2).map(hop).collect::<Result<_>>()?;
            ensure!(
                wiring.distance(pair) == Some(hops.len()),
                "{pair:?} could have fewer hops than {step:?}"
            );
            plan.ways.insert(pair, hops);
        }
        plan.leaves_out_none(&wiring, form)?;
        Ok(plan)
    }

    /// Takes addresses and ways as they are told; so many pairs are lost, and every other has a way.
    pub fn told(
        pes: u32,
        addresses: BTreeMap<(u32, u32), Ipv4Addr>,
        ways: BTreeMap<(u32, u32), Vec<Hop>>,
        lost: usize,
    ) -> Result<Plan> {
        let plan = Plan { pes, addresses, ways, requested: BTreeSet::new() };
        let without: Vec<_> = plan.pairs().filter(|&pair| plan.way(pair).is_none()).collect();
        ensure!(without.len() == lost, "{without:?} have no way");
        Ok(plan)
    }

    /// Every pair that the wiring joins has a way: those that share a switch, and, but for addresses per NI, all others.
    fn leaves_out_none(&self, wiring: &Wiring, form: Form) -> Result<()> {
        let most = if form == Form::Script { 1 } else { usize::MAX };
        for pair in self.pairs() {
            let can = wiring.distance(pair).is_some_and(|hops| hops <= most);
            ensure!(can == self.ways.contains_key(&pair), "{pair:?}: the cables join them: {can}");
        }
        Ok(())
    }

    /// Number of PEs.
    pub fn pes(&self) -> u32 {
        self.pes
    }

    /// All ordered pairs.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> {
        let pes = self.pes;
        (0..pes).flat_map(move |a| (0..pes).filter(move |&b| b != a).map(move |b| (a, b)))
    }

    /// The way of an ordered pair; none if they cannot reach each other.
    pub fn way(&self, pair: (u32, u32)) -> Option<&[Hop]> {
        self.ways.get(&pair).map(Vec::as_slice)
    }

    /// Pairs with a way over so many switches.
    pub fn with_hops(&self, hops: usize) -> Vec<(u32, u32)> {
        self.ways.iter().filter(|(_, way)| way.len() == hops).map(|(&pair, _)| pair).collect()
    }

    /// Requested pairs that share a switch, both ways.
    pub fn requested(&self) -> &BTreeSet<(u32, u32)> {
        &self.requested
    }

    /// Where a PE sends what is for another.
    pub fn address(&self, (from, to): (u32, u32)) -> Result<Ipv4Addr> {
        self.addresses
            .get(&(from, to))
            .copied()
            .with_context(|| format!("PE {from} knows no address of PE {to}"))
    }
}

/// The PEs of each way, both ends included.
type Steps = BTreeMap<(u32, u32), Vec<u32>>;

fn steps(machine: &Machine, form: Form, dead: &str, basic: &Basic) -> Result<Steps> {
    let mut steps: Steps = basic.keys().map(|&(a, b)| ((a, b), vec![a, b])).collect();
    if form != Form::Script {
        for row in machine.table("through", dead)? {
            let [to, from, number, via] = &row[..] else { anyhow::bail!("through: {row:?}") };
            let (to, from) = (to.parse()?, from.parse()?);
            if number != "unreachable" {
                let mut step = vec![from];
                for pe in via.split(' ') {
                    step.push(pe.parse()?);
                }
                step.push(to);
                ensure!(steps.insert((from, to), step).is_none(), "{from} and {to} have two ways");
            }
        }
    }
    Ok(steps)
}

/// A basic route.
#[derive(Debug)]
struct Route {
    switch: u32,
    requested: bool,
}

type Basic = BTreeMap<(u32, u32), Route>;

fn basic(machine: &Machine, dead: &str) -> Result<Basic> {
    let route = |row: &Vec<String>| {
        let [pe, to, _, _, switch, requested] = &row[..] else { anyhow::bail!("routes: {row:?}") };
        Ok(((pe.parse()?, to.parse()?), Route { switch: switch.parse()?, requested: requested == "yes" }))
    };
    machine.table("routes", dead)?.iter().map(route).collect()
}

fn addresses(machine: &Machine, form: Form, dead: &str, pes: u32) -> Result<BTreeMap<(u32, u32), Ipv4Addr>> {
    let mut addresses = BTreeMap::new();
    if form == Form::Script {
        let all = files(&machine.export("hosts", dead)?)?;
        for pe in 0..pes {
            let text = fs::read_to_string(file_of(&all, pe)?)?;
            let (_, others) = text.split_once("# Nodes with a path").context("a list of other nodes")?;
            addresses.extend(entries(others).map(|(other, address)| ((pe, other), address)));
        }
        return Ok(addresses);
    }
    let text = fs::read_to_string(machine.export("names", "")?)?;
    for (pe, address) in entries(&text) {
        addresses.extend((0..pes).map(|from| ((from, pe), address)));
    }
    Ok(addresses)
}

/// PEs and their addresses, as a hosts file tells them.
pub fn entries(text: &str) -> impl Iterator<Item = (u32, Ipv4Addr)> {
    let entries = text.lines().filter_map(|line| line.split_once(' '));
    entries.filter_map(|(address, name)| {
        Some((name.trim().strip_prefix("node")?.parse().ok()?, address.parse().ok()?))
    })
}

/// The cables that work, by themselves.
struct Wiring {
    switches: Vec<BTreeSet<u32>>,
}

impl Wiring {
    fn of(machine: &Machine, dead: &[u32]) -> Wiring {
        let pes = machine.cables().iter().map(|cable| cable.pe + 1).max().unwrap_or(0);
        let mut switches = vec![BTreeSet::new(); pes as usize];
        for cable in machine.cables().iter().filter(|cable| !dead.contains(&cable.switch)) {
            switches[cable.pe as usize].insert(cable.switch);
        }
        Wiring { switches }
    }

    fn pes(&self) -> u32 {
        self.switches.len() as u32
    }

    fn shared(&self, a: u32, b: u32) -> BTreeSet<u32> {
        &self.switches[a as usize] & &self.switches[b as usize]
    }

    /// Min switches between two PEs.
    fn distance(&self, (from, to): (u32, u32)) -> Option<usize> {
        let (mut seen, mut edge) = (BTreeSet::from([from]), vec![from]);
        for hops in 0.. {
            if edge.contains(&to) {
                return Some(hops);
            }
            let near = |pe: u32| (0..self.pes()).filter(move |&other| !self.shared(pe, other).is_empty());
            edge = edge.into_iter().flat_map(near).filter(|&pe| seen.insert(pe)).collect();
            if edge.is_empty() {
                break;
            }
        }
        None
    }
}
