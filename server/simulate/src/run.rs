//! The loop, from the first cycle to the last.

use crate::{
    SimulateError,
    core::{Core, Source},
    deadlock,
};
use shared::{fabric::Fabric, simulation::Deadlock};
use std::sync::atomic::{AtomicBool, Ordering};

/// Cycles between two looks for deadlocks and at the flag that cancels.
const LOOK_EVERY: u64 = 1024;

/// How a simulation ended.
#[derive(Debug, PartialEq)]
pub(crate) enum End {
    /// The last cycle is over.
    Time,
    /// Nothing is left to happen.
    Idle,
    Deadlock(Deadlock),
    Cancelled,
}

/// Simulates the cycles before `end`.
pub(crate) fn run<S: Source>(
    core: &mut Core,
    fabric: &Fabric,
    source: &mut S,
    end: u64,
    cancel: &AtomicBool,
) -> Result<End, SimulateError> {
    let mut events = Vec::new();
    let mut look = LOOK_EVERY;
    while let Some(time) = core.next() {
        if time >= end {
            return Ok(End::Time);
        }
        if time >= look {
            if cancel.load(Ordering::Relaxed) {
                return Ok(End::Cancelled);
            }
            if let Some(deadlock) = deadlock::find(core, fabric) {
                return Ok(End::Deadlock(deadlock));
            }
            look = time + LOOK_EVERY;
        }
        core.cycle(time, &mut events, source)?;
    }
    Ok(deadlock::find(core, fabric).map_or(End::Idle, End::Deadlock))
}
