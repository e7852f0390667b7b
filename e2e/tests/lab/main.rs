//! The exported files on real network stacks: laboratories of up to 64 PEs in network namespaces.
//!
//! | module | what it shows |
//! | --- | --- |
//! | [`first_machine`] | the chapter of the help that leads from a spec to a ping is true, line by line |
//! | [`forms`] | each form of script connects every pair that it can over the switch that the design says; undo takes it back |
//! | [`daemons`] | systemd-networkd sets the same from its own files and from netplan's |
//! | [`frr`] | FRR sets the same, and leaves a switch out that forwards nothing |
//! | [`uplinks`] | switches route over uplink switches, also when links and uplink switches fail |
//! | [`faults`] | a dead switch and the new files leave nothing unreachable that need not be |
//! | [`pmesh`] | P-Meshes: every pair answers in dimension order, or around what is dead |
//! | [`vlans`] | meshes and tori: every pair answers in its VLAN over a minimal path |
//! | [`bandwidth`] | pairs that share several switches use all of them at once |
//! | [`open_mpi`] | programs run with the exported settings and rank files; what Open MPI monitors is imported as it was sent |
//!
//! What the design says is read from exported tables ([`plan`]) and held against the cable list; what packets do is
//! read from counters of switch ports ([`crossing`]).

mod bandwidth;
mod crossing;
mod daemons;
mod faults;
mod first_machine;
mod forms;
mod frr;
mod open_mpi;
mod plan;
mod pmesh;
mod uplinks;
mod vlans;

use anyhow::Result;
use e2e::lab::{self, machine};
use std::{
    path::Path,
    sync::{Mutex, PoisonError},
};

/// The program that answers, asks and carries flows on each PE.
const PEER: &str = env!("CARGO_BIN_EXE_lab-peer");

/// One laboratory at a time: the kernel's lock on network devices is one for all of them.
static TURN: Mutex<()> = Mutex::new(());

/// Runs a story with a folder of its own, or says why it cannot.
fn run_story(what: &str, obstacle: Option<String>, story: impl FnOnce(&Path) -> Result<()>) {
    // A story that failed leaves nothing that the next one could meet.
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    e2e::story(what, lab::obstacle().or(obstacle), story);
}
