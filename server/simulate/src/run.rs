//! The event loop from the first cycle to the last, and its observer.

use crate::{
    SimulateError,
    core::{Core, Source},
    deadlock,
};
use shared::{fabric::Fabric, simulation::Deadlock};
use std::sync::atomic::{AtomicBool, Ordering};

/// Cycles between two checks for deadlocks and cancellation.
const CHECK_EVERY: u64 = 1024;

/// Progress of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Progress {
    /// One offered load.
    Load {
        /// Flits per cycle and sending node.
        offered: f64,
        /// Cycles simulated.
        cycles: u64,
        /// Share of all cycles, 0 to 1.
        share: f64,
    },
    /// A collective operation.
    Collective {
        /// Cycles simulated.
        cycles: u64,
        /// Messages received completely.
        messages: u64,
        /// Share of all messages, 0 to 1.
        share: f64,
        /// Rounds completed by every node.
        rounds: u32,
    },
}

/// Observer of a simulation. Both methods are called about every 1,024 simulated cycles, from the simulating thread. Only
/// cancelling changes a figure.
pub trait Observer: Sync {
    /// `true` if the simulation should stop now.
    fn is_cancelled(&self) -> bool;
    /// Receives the current progress.
    fn report(&self, _progress: Progress) {}
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
    while let Some(time) = core.next() {
        if time >= end {
            return Ok(End::Time);
        }
        if time >= check {
            report(core, source, observer);
            if observer.is_cancelled() {
                return Ok(End::Cancelled);
            }
            if let Some(deadlock) = deadlock::find(core, fabric) {
                return Ok(End::Deadlock(deadlock));
            }
            check = time + CHECK_EVERY;
        }
        core.cycle(time, &mut events, source)?;
    }
    Ok(deadlock::find(core, fabric).map_or(End::Idle, End::Deadlock))
}

fn report<S: Source>(core: &Core, source: &S, observer: &dyn Observer) {
    if let Some(progress) = source.progress(core) {
        observer.report(progress);
    }
}
