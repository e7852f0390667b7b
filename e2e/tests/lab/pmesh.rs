//! P-Meshes: every pair answers along the switches of its path in dimension order, with as few hosts on the way as there are
//! other dimensions in which the two differ.

use crate::{
    PEER, crossing,
    forms::same,
    machine::{file_of, files, state},
    plan::{Hop, Plan},
    tell,
};
use anyhow::{Context, Result, ensure};
use e2e::{
    lab::{self, Lab, Peers},
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

/// `pairs`: how many ordered pairs go over one switch, over two, and so on.
fn network(kind: &str, pairs: &[usize]) {
    tell(&format!("the network {kind}"), None, |dir| {
        let cables = lab::cables(&fs::read_to_string(export(dir, kind, "cables")?)?)?;
        let lab = Lab::up(cables)?;
        let before = state(&lab)?;
        let plan = plan(dir, kind, lab.pes())?;
        let lengths: Vec<usize> = (1..=pairs.len()).map(|hops| plan.with_hops(hops).len()).collect();
        ensure!(lengths == pairs, "{lengths:?} pairs go over 1, 2, … switches");
        let scripts = files(&export(dir, kind, "script")?)?;
        let run = |order: &str| {
            lab.on_all(|pe| {
                let script = file_of(&scripts, pe)?.display().to_string();
                lab.on(pe, &format!("sh '{script}' {order}"), &[("CROSSPOINT_STATE", &dir.join("state"))])
            })
        };
        ensure!(run("apply").is_err(), "scripts ran on machines of another name");
        same(&state(&lab)?, &before)?;
        run("apply --force")?;
        let once = state(&lab)?;
        crossing::check(&lab, &mut Peers::on(&lab, Path::new(PEER))?, &plan)?;
        run("apply --force")?;
        same(&state(&lab)?, &once)?;
        run("undo")?;
        same(&state(&lab)?, &before)
    });
}

/// What the exported tables say of every pair.
fn plan(dir: &Path, kind: &str, pes: u32) -> Result<Plan> {
    let names = fs::read_to_string(export(dir, kind, "names")?)?;
    let of: BTreeMap<u32, Ipv4Addr> = crate::plan::entries(&names).collect();
    let mut ways = BTreeMap::new();
    for line in fs::read_to_string(export(dir, kind, "paths")?)?.lines().skip(1) {
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
    Plan::told(pes, pairs.collect(), ways)
}

fn export(dir: &Path, kind: &str, format: &str) -> Result<PathBuf> {
    let to = dir.join(format);
    let path = to.display().to_string();
    let out = crosspoint(["fabric", kind, "--format", format, "-o", &path])?;
    ensure!(out.status.success(), "{format}: {}", String::from_utf8_lossy(&out.stderr));
    Ok(to)
}
