//! Priority and CPU time of threads, by the system's calls.

use rustix::{
    process::setpriority_process,
    time::{ClockId, clock_gettime},
};
use std::{sync::Once, time::Duration};
use tracing::warn;

/// Niceness of threads with long work: about a tenth of the CPU time of one with short work on the same core.
const LONG: i32 = 10;

/// Gives the calling thread, and threads that it starts, the low priority of long work. Threads keep the low priority until
/// they end.
///
/// Only Linux has a priority per thread; elsewhere this changes nothing.
pub fn lower() {
    if !cfg!(target_os = "linux") {
        return;
    }
    if let Err(error) = setpriority_process(None, LONG) {
        static WARNED: Once = Once::new();
        WARNED.call_once(|| warn!(%error, "long work keeps the priority of short work"));
    }
}

/// CPU time of the calling thread.
pub fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}
