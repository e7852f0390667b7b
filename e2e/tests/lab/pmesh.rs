//! P-Meshes: every pair answers along the switches of its path in dimension order, with as few hosts on the way as there are
//! other dimensions in which the two differ.

use crate::{
    PEER, crossing,
    machine::{file_of, files, same, state},
    plan::{Hop, Plan},
    run_story,
};
use anyhow::{Context, Result, ensure};
use e2e::{
    lab::{self, Lab, Peers},
    readers::read_by,
    studio::crosspoint,
};
use std::{
    collections::BTreeMap,
    fs,
    net::Ipv4Addr,
    path::{Path, PathBuf},
};

#[test]
fn a_square_of_16_answers_through_one_host_at_most() {
    network("pmesh:4x4", &[2 * 3 * 16, 3 * 3 * 16]);
}

#[test]
fn unequal_sides_in_three_dimensions_answer_through_two_hosts_at_most() {
    // Of each host: 1 + 2 + 1 in one dimension, 1*2 + 1*1 + 2*1 in two, 1*2*1 in all three.
    network("pmesh:2x3x2", &[4 * 12, 5 * 12, 2 * 12]);
}

#[test]
fn switches_of_several_rows_change_no_path() {
    network("pmesh:4x4,2", &[2 * 3 * 16, 3 * 3 * 16]);
}

#[test]
fn dead_switches_are_routed_around() {
    // Those of the row that has no switch go through other rows.
    dead("pmesh:4x4", "sw1", 0);
    // Host 6 is on switch 1 of dimension 0 and on switch 6 of dimension 1, and nobody else is on both.
    dead("pmesh:4x4", "sw1 sw6", 2 * 15);
}

#[test]
fn rows_of_one_switch_reach_each_other_where_nothing_else_joins_them() {
    dead("pmesh:3x4,4x1", "sw1 sw2 sw3", 0);
}

/// `lost`: how many ordered pairs have no way.
fn dead(kind: &str, dead: &str, lost: usize) {
    run_story(&format!("the network {kind} without {dead}"), None, |dir| {
        let cables = lab::cables(&fs::read_to_string(export(dir, kind, "cables", "")?)?)?;
        let lab = Lab::up(cables)?;
        let before = state(&lab)?;
        let mut peers = Peers::on(&lab, Path::new(PEER))?;
        run(dir, &lab, kind, "", "apply --force")?;
        crossing::check(&lab, &mut peers, &plan(dir, kind, lab.pes(), "", 0)?)?;
        for switch in switches(dead)? {
            lab.silence(switch, true)?;
        }
        run(dir, &lab, kind, dead, "apply --force")?;
        crossing::check(&lab, &mut peers, &plan(dir, kind, lab.pes(), dead, lost)?)?;
        for switch in switches(dead)? {
            lab.silence(switch, false)?;
        }
        run(dir, &lab, kind, "", "apply --force")?;
        crossing::check(&lab, &mut peers, &plan(dir, kind, lab.pes(), "", 0)?)?;
        run(dir, &lab, kind, "", "undo")?;
        same(&state(&lab)?, &before)
    });
}

fn switches(dead: &str) -> Result<Vec<u32>> {
    dead.split(' ').map(|word| Ok(word.trim_start_matches("sw").parse()?)).collect()
}

/// `pairs`: how many ordered pairs go over one switch, over two, and so on.
fn network(kind: &str, pairs: &[usize]) {
    run_story(&format!("the network {kind}"), None, |dir| {
        let cables = lab::cables(&fs::read_to_string(export(dir, kind, "cables", "")?)?)?;
        let lab = Lab::up(cables)?;
        let before = state(&lab)?;
        let plan = plan(dir, kind, lab.pes(), "", 0)?;
        let lengths: Vec<usize> = (1..=pairs.len()).map(|hops| plan.with_hops(hops).len()).collect();
        ensure!(lengths == pairs, "{lengths:?} pairs go over 1, 2, … switches");
        let run = |order: &str| run(dir, &lab, kind, "", order);
        ensure!(run("apply").is_err(), "scripts ran on machines of another name");
        same(&state(&lab)?, &before)?;
        run("apply --force")?;
        let once = state(&lab)?;
        crossing::check(&lab, &mut Peers::on(&lab, Path::new(PEER))?, &plan)?;
        run("apply --force")?;
        same(&state(&lab)?, &once)?;
        run("undo")?;
        same(&state(&lab)?, &before)?;
        read_by("iproute2", kind, &["script"])
    });
}

/// Runs every host's script.
fn run(dir: &Path, lab: &Lab, kind: &str, dead: &str, order: &str) -> Result<()> {
    let scripts = files(&export(dir, kind, "script", dead)?)?;
    let all = lab.on_all(|pe| {
        let script = file_of(&scripts, pe)?.display().to_string();
        lab.on(pe, &format!("sh '{script}' {order}"), &[("CROSSPOINT_STATE", &dir.join("state"))])
    });
    all.map(drop)
}

/// What the exported tables say of every pair.
fn plan(dir: &Path, kind: &str, pes: u32, dead: &str, lost: usize) -> Result<Plan> {
    let names = fs::read_to_string(export(dir, kind, "names", "")?)?;
    let of: BTreeMap<u32, Ipv4Addr> = crate::plan::entries(&names).collect();
    let mut ways = BTreeMap::new();
    for line in fs::read_to_string(export(dir, kind, "paths", dead)?)?.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [from, to, through, switches] = cells[..] else { anyhow::bail!("{line}") };
        let numbers = |text: &str| -> Result<Vec<u32>> {
            text.split_whitespace().map(|word| word.parse().context(line.to_owned())).collect()
        };
        let (from, to) = (from.parse::<u32>()?, to.parse::<u32>()?);
        let senders = [vec![from], numbers(through)?].concat();
        let switches = numbers(switches)?;
        ensure!(senders.len() == switches.len(), "{line}");
        let hops =
            senders.into_iter().zip(switches).map(|(from, switch)| Hop { from, switches: [switch].into() });
        ways.insert((from, to), hops.collect());
    }
    let pairs = (0..pes).flat_map(|from| of.iter().map(move |(&to, &address)| ((from, to), address)));
    Plan::told(pes, pairs.collect(), ways, lost)
}

fn export(dir: &Path, kind: &str, format: &str, dead: &str) -> Result<PathBuf> {
    let to = dir.join([format, dead].concat());
    let path = to.display().to_string();
    let with = format!("dead={dead}");
    let with = if dead.is_empty() { vec![] } else { vec!["--with", &with] };
    let out = crosspoint([vec!["fabric", kind, "--format", format, "-o", &path], with].concat())?;
    ensure!(out.status.success(), "{format}: {}", String::from_utf8_lossy(&out.stderr));
    Ok(to)
}
