//! Pairs that share several switches use all of them at once, with links limited to 10 Mbit/s.

use crate::{
    PEER,
    forms::CUBE,
    machine::{Form, Machine},
    plan::{Hop, Plan},
    run_story,
};
use anyhow::{Context, Result, ensure};
use e2e::lab::{Lab, Peers, Traffic};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    time::Duration,
};

/// Rate of a link in Mbit/s: far below what one core carries, so that links are what limits flows.
const LINK: u32 = 10;

/// Flows of one measurement. Each takes a path by a hash of its ports: all of 32 take the same of two with a chance of 2^-31.
const FLOWS: u32 = 32;

#[test]
fn two_shared_switches_carry_two_links_worth() {
    run_story("the bandwidth of several shared switches", None, |dir| {
        let machine = Machine::of_spec(dir, CUBE)?;
        let lab = Lab::up(machine.cables().to_vec())?;
        let peers = Peers::on(&lab, Path::new(PEER))?;
        machine.apply(&lab, Form::Multipath, "")?;
        let plan = Plan::of(&machine, Form::Multipath, &[])?;
        let mut measured = Measured { lab, peers, plan };
        let (one, _) = measured.rate(1, FLOWS)?;
        let (single_flow, _) = measured.rate(2, 1)?;
        let (two, used) = measured.rate(2, FLOWS)?;
        eprintln!(
            "links of {LINK} Mbit/s: {one:.1} over one switch, {two:.1} over two, {single_flow:.1} in one flow over two"
        );
        // The token bucket lets through the link's rate and a burst of 32 KiB, a tenth of a Mbit/s over the window. A busy
        // machine may slow flows down, so that there is no lower limit but the ratio: it is 1 where flows take one path and 2
        // where they take both. Headers and losses take the same share of both.
        let most = f64::from(LINK) * 1.1;
        ensure!(one < most, "one link carried {one:.1} Mbit/s");
        ensure!(two < 2.0 * most, "two links carried {two:.1} Mbit/s");
        ensure!(single_flow < most, "one flow is on one link, and carried {single_flow:.1} Mbit/s");
        ensure!(two > 1.5 * one, "two switches carried {two:.1} Mbit/s where one carries {one:.1}");
        ensure!(used.len() == 2, "all went over {used:?}");
        Ok(())
    });
}

struct Measured {
    lab: Lab,
    peers: Peers,
    plan: Plan,
}

impl Measured {
    /// Mbit/s between two PEs that share so many switches, and the switches that carried a tenth of it or more.
    fn rate(&mut self, shared: usize, flows: u32) -> Result<(f64, BTreeSet<u32>)> {
        let direct =
            |pair: &(u32, u32)| matches!(self.plan.way(*pair), Some([hop]) if hop.switches.len() == shared);
        let pair =
            self.plan.pairs().find(direct).with_context(|| format!("no pair shares {shared} switches"))?;
        self.lab.limit(pair.0, LINK)?;
        self.lab.limit(pair.1, LINK)?;
        let before = self.lab.traffic()?;
        let times = (Duration::from_secs(1), Duration::from_secs(3));
        let bits = self.peers.rate(pair, self.plan.address(pair)?, flows, times)?;
        let carried = carried(pair.0, &before, &self.lab.traffic()?);
        let all: u64 = carried.values().sum();
        let used: BTreeSet<u32> =
            carried.into_iter().filter(|&(_, bytes)| bytes * 10 >= all).map(|(switch, _)| switch).collect();
        let Some([Hop { switches, .. }]) = self.plan.way(pair) else {
            anyhow::bail!("{pair:?} has no direct way")
        };
        ensure!(used.is_subset(switches), "{pair:?} shares {switches:?}, and used {used:?}");
        Ok((bits / 1e6, used))
    }
}

/// Bytes that a PE sent into each switch.
fn carried(
    pe: u32,
    before: &BTreeMap<(u32, u32), Traffic>,
    after: &BTreeMap<(u32, u32), Traffic>,
) -> BTreeMap<u32, u64> {
    let of_pe = after.iter().filter(|(at, _)| at.0 == pe);
    of_pe.map(|(at, after)| (at.1, after.bytes - before.get(at).map_or(0, |before| before.bytes))).collect()
}
