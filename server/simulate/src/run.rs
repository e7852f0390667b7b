//! The loop, from the first cycle to the last.

use crate::{
    SimulateError,
    core::{Core, Source},
    deadlock,
};
use shared::{fabric::Fabric, simulation::Deadlock};
use std::sync::atomic::{AtomicBool, Ordering};

/// Cycles between two looks for deadlocks and at who watches.
const LOOK_EVERY: u64 = 1024;

/// How far a simulation is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Standing {
    /// One offered load.
    Load {
        /// Flits a cycle and sending node.
        offered: f64,
        /// Cycles simulated.
        cycles: u64,
        /// Their share of all cycles, 0 to 1.
        share: f64,
    },
    /// A collective operation.
    Collective {
        /// Cycles simulated.
        cycles: u64,
        /// Messages received whole.
        messages: u64,
        /// Their share of all messages, 0 to 1.
        share: f64,
        /// Rounds that every node has done.
        rounds: u32,
    },
}

/// Who looks on. Both are called about every 1,024 simulated cycles, from the thread that simulates; neither changes a
/// figure, but for those of a simulation that is stopped.
pub trait Watch: Sync {
    /// Whether the simulation is to end now.
    fn stops(&self) -> bool;
    /// How far it is.
    fn sees(&self, _standing: Standing) {}
}

/// True stops it.
impl Watch for AtomicBool {
    fn stops(&self) -> bool {
        self.load(Ordering::Relaxed)
    }
}

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
