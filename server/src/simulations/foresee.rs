//! What a simulation will take, and whether that is too much.

use super::{Limits, Simulation, What, simulate_fault};
use shared::{
    spec::{Fault, Faults},
    text::grouped,
};
use simulate::{Estimate, Estimator, SimulateError, estimate_collective, max_load};
use std::sync::atomic::AtomicBool;

/// Seconds from which on a pilot is worth its time.
const PILOT_FROM: f64 = 20.0;
/// Simulations of one search for saturation, as an estimate counts them.
const SEARCH_RUNS: f64 = 16.0;

impl Simulation {
    /// What it will take: all loads together, on one core; the memory is that of `threads` loads at once. What looks long is
    /// tried for some thousand cycles first.
    ///
    /// # Errors
    /// It would take more than the limits, or there is a pair without a path.
    pub fn estimate(&self, threads: usize, limits: Limits) -> Result<Estimate, Faults> {
        let told = |error: SimulateError| Faults::from(simulate_fault(&error));
        let at_once = threads.min(self.loads().len()).max(1);
        let (mut whole, seconds) = match &self.what {
            What::Closed { collective, nodes } => {
                let whole = estimate_collective(&self.closed(*collective, *nodes)).map_err(told)?;
                (whole, whole.seconds)
            }
            What::Open { traffic, .. } => {
                let open = self.open(traffic);
                let most = max_load(&open);
                let foresight = Estimator::new(&open).map_err(told)?;
                let rough = self.foreseen(&foresight, most, at_once);
                if rough.0.seconds > PILOT_FROM {
                    let largest = self.loads().iter().copied().fold(0.0, f64::max);
                    let largest = if self.form.saturate { most } else { largest };
                    let go_on = AtomicBool::new(false);
                    let foresight = foresight.with_pilot(largest, &go_on).map_err(told)?;
                    self.foreseen(&foresight, most, at_once)
                } else {
                    rough
                }
            }
        };
        whole.bytes += 64 * self.fabric.links.len() as u64;
        let mib = |bytes: u64| grouped(bytes.div_ceil(1 << 20));
        let mut faults = Vec::new();
        if whole.bytes > limits.bytes {
            let expected = format!(
                "a simulation of at most {} MiB: fewer hosts or links, or smaller buffers",
                mib(limits.bytes)
            );
            faults.push(Fault::new("memory", format!("about {} MiB", mib(whole.bytes)), expected));
        }
        if seconds > limits.seconds {
            let expected =
                format!("a simulation of at most {} s: fewer hosts, cycles or loads", limits.seconds);
            faults.push(Fault::new("time", format!("about {} s", grouped(seconds.ceil() as u64)), expected));
        }
        Faults::of(faults).map_or(Ok(()), Err)?;
        Ok(whole)
    }

    /// All loads together, and how many seconds that is with so many of them at once.
    fn foreseen(&self, foresight: &Estimator, most: f64, at_once: usize) -> (Estimate, f64) {
        let loads = self.loads().iter().map(|&load| foresight.at(load));
        let largest = |a: Estimate, b: Estimate| if b.frames > a.frames { b } else { a };
        let (mut seconds, mut longest, mut whole) = (0.0, 0.0f64, foresight.at(0.0));
        for each in loads {
            (seconds, longest, whole) =
                (seconds + each.seconds, longest.max(each.seconds), largest(whole, each));
        }
        let mut elapsed = longest.max(seconds / at_once as f64);
        whole.bytes = whole.bytes.saturating_mul(at_once as u64);
        if self.form.saturate {
            let full = foresight.at(most);
            let search = SEARCH_RUNS * full.seconds / 2.0;
            (seconds, elapsed) = (seconds + search, elapsed + search);
            whole = Estimate { bytes: whole.bytes.max(full.bytes), ..largest(whole, full) };
        }
        (Estimate { seconds, ..whole }, elapsed)
    }
}
