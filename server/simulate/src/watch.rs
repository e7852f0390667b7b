//! Who looks on while a simulation goes on, and may end it.

use std::sync::atomic::{AtomicBool, Ordering};

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
