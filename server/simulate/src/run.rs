//! The event loop from the first cycle to the last, and its observer.

use crate::{
    SimulateError,
    core::{Core, Source},
    deadlock,
};
use network::fabric::Fabric;
use std::sync::atomic::{AtomicBool, Ordering};
use work::simulation::{Deadlock, SimulationProgress};

/// Cycles between two reports and checks for deadlocks.
const CHECK_EVERY: u64 = 1024;

/// Observer of a simulation, called from the simulating thread. Only cancelling changes a figure.
pub trait Observer: Sync {
    /// `true` if the simulation should stop now. Called in every cycle with events: in large networks a cycle takes long.
    fn is_cancelled(&self) -> bool;
    /// Receives the current progress about every 1,024 cycles: of one load, or of a collective operation.
    fn report(&self, _progress: SimulationProgress) {}
}

/// `true` cancels the simulation.
impl Observer for AtomicBool {
    fn is_cancelled(&self) -> bool {
        self.load(Ordering::Relaxed)
    }
}

/// Outcome of a simulation.
#[derive(Debug, PartialEq)]
pub(crate) enum End {
    /// The last cycle was simulated.
    Time,
    /// Nothing is left to do.
    Idle,
    Deadlock(Deadlock),
    Cancelled,
}

/// Simulates all cycles before `end`.
pub(crate) fn run<S: Source>(
    core: &mut Core,
    fabric: &Fabric,
    source: &mut S,
    end: u64,
    observer: &dyn Observer,
) -> Result<End, SimulateError> {
    let mut events = Vec::new();
    let mut check = CHECK_EVERY;
    report(core, source, observer);
    // A source that stopped early may have no event.
    if observer.is_cancelled() {
        return Ok(End::Cancelled);
    }
    while let Some(time) = core.next() {
        if time >= end {
            return Ok(End::Time);
        }
        if observer.is_cancelled() {
            return Ok(End::Cancelled);
        }
        if time >= check {
            report(core, source, observer);
            if S::CHECKS_DEADLOCKS
                && let Some(deadlock) = deadlock::find(core, fabric)
            {
                return Ok(End::Deadlock(deadlock));
            }
            check = time + CHECK_EVERY;
        }
        core.cycle(time, &mut events, source)?;
        if source.is_done() {
            return Ok(End::Idle);
        }
    }
    Ok(deadlock::find(core, fabric).map_or(End::Idle, End::Deadlock))
}

fn report<S: Source>(core: &Core, source: &S, observer: &dyn Observer) {
    if let Some(progress) = source.progress(core) {
        observer.report(progress);
    }
}
