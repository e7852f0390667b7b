//! Dead switches: what they take, and that the new files leave nothing unreachable that need not be.

use crate::{
    PEER, crossing,
    forms::{CUBE, RING, RING_WIRING},
    machine::{Form, Machine, same, state},
    plan::{Hop, Plan},
    run_story,
};
use anyhow::{Result, ensure};
use e2e::lab::{Lab, Peers};
use std::{net::Ipv4Addr, path::Path, time::Duration};

/// Long, for machines that are busy.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long those that cannot answer are waited for. None of them can, so that no machine is too slow for it.
const SILENCE: Duration = Duration::from_millis(500);

#[test]
fn a_dead_switch_is_routed_around() {
    run_story("a dead switch of a sparse machine", None, |dir| {
        let machine = Machine::of_spec(dir, CUBE)?;
        let lab = Lab::up(machine.cables().to_vec())?;
        let mut peers = Peers::on(&lab, Path::new(PEER))?;
        let before = state(&lab)?;
        for form in Form::ALL {
            // Switch 4 joins subcubes: what it takes of pairs has to go through others.
            machine.apply(&lab, form, "")?;
            let plan = Plan::of(&machine, form, &[])?;
            lab.silence(4, true)?;
            told(&mut peers, &plan, 4, false)?;
            machine.apply(&lab, form, "sw4")?;
            crossing::check(&lab, &mut peers, &Plan::of(&machine, form, &[4])?)?;
            lab.silence(4, false)?;
            machine.undo(&lab, form, "sw4")?;
            same(&state(&lab)?, &before)?;
        }
        Ok(())
    });
}

#[test]
fn what_two_dead_switches_cut_off_is_all_that_is_lost() {
    run_story("two dead switches of a ring", None, |dir| {
        let machine = Machine::wired(dir, RING, RING_WIRING)?;
        let lab = Lab::up(machine.cables().to_vec())?;
        let mut peers = Peers::on(&lab, Path::new(PEER))?;
        for form in [Form::Preload, Form::Multipath] {
            machine.apply(&lab, form, "")?;
            lab.silence(1, true)?;
            lab.silence(4, true)?;
            machine.apply(&lab, form, "sw1 sw4")?;
            // Switches 2 and 3 hold six PEs together, and 5 and 0 the other six.
            let plan = Plan::of(&machine, form, &[1, 4])?;
            let cut = plan.pairs().filter(|&pair| plan.way(pair).is_none()).count();
            ensure!(cut == 2 * 6 * 6, "{cut} ordered pairs are cut off");
            crossing::check(&lab, &mut peers, &plan)?;
            lab.silence(1, false)?;
            lab.silence(4, false)?;
            machine.apply(&lab, form, "")?;
            crossing::check(&lab, &mut peers, &Plan::of(&machine, form, &[])?)?;
            machine.undo(&lab, form, "")?;
        }
        Ok(())
    });
}

#[test]
fn a_switch_without_power_leaves_pairs_that_share_another() {
    run_story("a switch without power", None, |dir| {
        let machine = Machine::of_spec(dir, CUBE)?;
        let lab = Lab::up(machine.cables().to_vec())?;
        let mut peers = Peers::on(&lab, Path::new(PEER))?;
        machine.apply(&lab, Form::Multipath, "")?;
        let plan = Plan::of(&machine, Form::Multipath, &[])?;
        // No file changes: the kernel leaves NIs without a carrier out. Switch 0 has a twin, and some pairs share 4 alone.
        for switch in [0, 4] {
            lab.power(switch, false)?;
            told(&mut peers, &plan, switch, true)?;
            lab.power(switch, true)?;
        }
        crossing::check(&lab, &mut peers, &plan)
    });
}

/// Checks that pairs that need the dead switch do not answer, and that others do: those that no packet crosses it for, and those
/// that could take another switch where their PEs know of the fault.
fn told(peers: &mut Peers, plan: &Plan, dead: u32, known: bool) -> Result<()> {
    let on = |hop: &Hop, alone: bool| hop.switches.contains(&dead) && (!alone || hop.switches.len() == 1);
    let crosses = |pair, alone| plan.way(pair).is_some_and(|way| way.iter().any(|hop| on(hop, alone)));
    let either = |(a, b), alone| crosses((a, b), alone) || crosses((b, a), alone);
    let pairs: Vec<_> = plan.pairs().filter(|&pair| plan.way(pair).is_some()).collect();
    let live: Vec<_> = pairs.iter().copied().filter(|&pair| !either(pair, known)).collect();
    let lost: Vec<_> = pairs.iter().copied().filter(|&pair| either(pair, true)).collect();
    ensure!(!live.is_empty(), "switch {dead} takes all {} pairs", pairs.len());
    ensure!(!lost.is_empty() || dead == 0, "switch {dead} takes nothing");
    ensure!(!known || live.iter().any(|&pair| either(pair, false)), "no pair has switch {dead} and another");
    let unanswered = ask(peers, plan, &live, PATIENCE)?;
    ensure!(unanswered == 0, "{unanswered} pairs do not answer that could without switch {dead}");
    let unanswered = ask(peers, plan, &lost, SILENCE)?;
    ensure!(unanswered == lost.len(), "{} pairs answer over the dead switch {dead}", lost.len() - unanswered);
    Ok(())
}

/// How many of the pairs do not answer.
fn ask(peers: &mut Peers, plan: &Plan, pairs: &[(u32, u32)], patience: Duration) -> Result<usize> {
    let mut lists: Vec<Vec<Ipv4Addr>> = vec![Vec::new(); plan.pes() as usize];
    for &pair in pairs {
        lists[pair.0 as usize].push(plan.address(pair)?);
    }
    Ok(peers.ask(&lists, patience)?.iter().map(Vec::len).sum())
}
