//! The loop, from the first cycle to the last.

use crate::{
    SimulateError, Watch,
    core::{Core, Source},
    deadlock,
};
use shared::{fabric::Fabric, simulation::Deadlock};

/// Cycles between two looks for deadlocks and at who watches.
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
    watch: &dyn Watch,
) -> Result<End, SimulateError> {
    let mut events = Vec::new();
    let mut look = LOOK_EVERY;
    see(core, source, watch);
    while let Some(time) = core.next() {
        if time >= end {
            return Ok(End::Time);
        }
        if time >= look {
            see(core, source, watch);
            if watch.stops() {
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

fn see<S: Source>(core: &Core, source: &S, watch: &dyn Watch) {
    if let Some(standing) = source.standing(core) {
        watch.sees(standing);
    }
}
