//! Every form of script on every PE.

use crate::{
    PEER, crossing,
    machine::{Form, Machine, file_of, files, same, state},
    plan::Plan,
    run_story,
};
use anyhow::{Result, ensure};
use e2e::{
    lab::{Lab, Peers},
    readers::{DESIGN, read_by},
};
use std::path::Path;

#[test]
fn scripts_run_twice_are_as_run_once_and_refuse_another_host() {
    run_story("a script run twice, or on the wrong host,", None, |dir| {
        let machine = Machine::of_gallery(dir, "lab16")?;
        let lab = Lab::up(machine.cables().to_vec())?;
        let before = state(&lab)?;
        for form in Form::ALL {
            let scripts = files(&machine.export(form.name(), "")?)?;
            let refused = machine.run(&lab, 0, file_of(&scripts, 0)?, "apply");
            ensure!(refused.is_err(), "{form:?} ran on a machine of another name");
            ensure!(state(&lab)? == before, "{form:?} refused, and changed something");
            machine.apply(&lab, form, "")?;
            let once = state(&lab)?;
            ensure!(once != before, "{form:?} did nothing");
            machine.apply(&lab, form, "")?;
            same(&state(&lab)?, &once)?;
            machine.undo(&lab, form, "")?;
            same(&state(&lab)?, &before)?;
            read_by("iproute2", DESIGN, &[form.name()])?;
        }
        Ok(())
    });
}

#[test]
fn sixteen_pes_all_meet_over_one_switch() {
    run_story("a machine of 16 PEs", None, |dir| universal(&Machine::of_gallery(dir, "lab16")?, 16));
}

#[test]
fn klat2_s_64_pes_all_meet_over_one_switch() {
    run_story("KLAT2's machine of 64 PEs", None, |dir| universal(&Machine::of_gallery(dir, "klat2")?, 64));
}

#[test]
fn a_sparse_machine_s_pairs_meet_over_one_switch_or_through_others() {
    run_story("a sparse machine of 32 PEs", None, |dir| {
        let machine = Machine::of_spec(dir, CUBE)?;
        forms(&machine, |plan, form| {
            let cube: Vec<_> = plan.pairs().filter(|(a, b)| (a ^ b).count_ones() == 1).collect();
            ensure!(plan.requested().iter().eq(&cube), "requested pairs are those of the hypercube");
            ensure!(cube.iter().all(|&pair| plan.way(pair).is_some_and(|way| way.len() == 1)));
            ensure!(form == Form::Script || plan.with_hops(2).len() > 100, "few pairs go through others");
            Ok(())
        })
    });
}

#[test]
fn rings_are_crossed_through_several_pes() {
    run_story("a ring of 12 PEs", None, |dir| {
        let machine = Machine::wired(dir, RING, RING_WIRING)?;
        forms(&machine, |plan, form| {
            ensure!(form == Form::Script || plan.with_hops(3).len() > 10, "no long ways");
            Ok(())
        })
    });
}

/// Five dimensions on three NIs: partners in the same or in a neighbouring subcube share switches, others do not.
pub const CUBE: &str = "name = \"Cube of 32\"\npes = 32\nnis_per_pe = 3\nobjective = \"sparse\"\n\n\
    [[switch]]\nports = 8\n\n[[pattern]]\nkind = \"hypercube\"\n";

/// Six switches in a ring, with two PEs between each two neighbours.
pub const RING: &str = "name = \"Ring of 12\"\npes = 12\nnis_per_pe = 2\nobjective = \"sparse\"\n\n\
    [[switch]]\nports = 4\ncount = 6\n\n[[pattern]]\nkind = \"matrix\"\npairs = [[0, 1], [0, 2], [2, 4]]\n";

/// The ring's wiring.
pub const RING_WIRING: &str = "0: 0 1 10 11\n1: 0 1 2 3\n2: 2 3 4 5\n3: 4 5 6 7\n4: 6 7 8 9\n5: 8 9 10 11\n";

/// Every pair shares a switch.
fn universal(machine: &Machine, pes: u32) -> Result<()> {
    forms(machine, |plan, form| {
        ensure!(plan.pes() == pes, "{} PEs", plan.pes());
        let direct = plan.with_hops(1).len();
        ensure!(direct as u32 == pes * (pes - 1), "{form:?}: {direct} pairs have a direct way");
        Ok(())
    })
}

/// Runs each form, checks every pair, and takes the form back.
fn forms(machine: &Machine, holds: impl Fn(&Plan, Form) -> Result<()>) -> Result<()> {
    let lab = Lab::up(machine.cables().to_vec())?;
    let mut peers = Peers::on(&lab, Path::new(PEER))?;
    let before = state(&lab)?;
    for form in Form::ALL {
        let plan = Plan::of(machine, form, &[])?;
        holds(&plan, form)?;
        machine.apply(&lab, form, "")?;
        crossing::check(&lab, &mut peers, &plan)?;
        machine.undo(&lab, form, "")?;
        same(&state(&lab)?, &before)?;
    }
    Ok(())
}
