//! Frames given one by one, for replaying measured traffic and for comparisons with other simulators.

use crate::{
    Observer, SimulateError,
    core::{Core, Frame, Made, Setup, Source},
    measure::Window,
    network::Network,
    routes::{Chooser, Routes},
    run::{End, run},
};
use shared::{
    fabric::{Fabric, Routing},
    simulation::{Deadlock, Settings},
};

/// A frame to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Cycle of generation.
    pub cycle: u64,
    /// Sending host.
    pub from: u32,
    /// Receiving host, different from `from`.
    pub to: u32,
}

/// Result of a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrival {
    /// Arrival cycle of each frame's last flit; `None` if it did not arrive.
    pub arrived: Vec<Option<u64>>,
    /// Frames dropped at full buffers.
    pub lost: u64,
    /// Deadlock, if there was one.
    pub deadlock: Option<Deadlock>,
}

/// Simulates these full frames, sorted by cycle, until nothing moves or the settings' cycles are over. Frames of the same
/// host and cycle keep their order.
///
/// # Errors
/// Returned for invalid settings or fabric, unknown hosts, unsorted frames, and a pair without a path.
pub fn trace(
    fabric: &Fabric,
    routing: &dyn Routing,
    settings: &Settings,
    frames: &[Sent],
    seed: u64,
    observer: &dyn Observer,
) -> Result<Arrival, SimulateError> {
    settings.check().map_err(SimulateError::Settings)?;
    let network = Network::new(fabric, settings)?;
    for sent in frames {
        if sent.from.max(sent.to) >= fabric.hosts || sent.from == sent.to {
            return Err(SimulateError::NoPath(sent.from, sent.to));
        }
    }
    if let Some(at) = frames.windows(2).position(|two| two[0].cycle > two[1].cycle) {
        return Err(SimulateError::Order(at + 1));
    }
    let window = Window { from: 0, end: settings.cycles };
    let routes = Routes::new(routing, settings.paths, fabric.hosts);
    let lengths = vec![settings.frame()];
    let mut core = Core::new(Setup { network: &network, routes, settings, window, lengths });
    let choosers = (0..fabric.hosts).map(|host| Chooser::new(settings.paths, fabric.hosts, host, seed));
    let mut replay =
        Replay { frames, next: 0, arrived: vec![None; frames.len()], choosers: choosers.collect() };
    if let Some(first) = frames.first() {
        core.wake(0, first.cycle);
    }
    let end = run(&mut core, fabric, &mut replay, settings.cycles, observer)?;
    let deadlock = if let End::Deadlock(deadlock) = end { Some(deadlock) } else { None };
    Ok(Arrival { arrived: replay.arrived, lost: core.counts.lost, deadlock })
}

struct Replay<'a> {
    frames: &'a [Sent],
    next: usize,
    arrived: Vec<Option<u64>>,
    choosers: Vec<Chooser>,
}

impl Source for Replay<'_> {
    const WANTS_RECEIVED: bool = true;

    fn wake(&mut self, core: &mut Core, _: u32) -> Result<(), SimulateError> {
        while let Some(sent) = self.frames.get(self.next) {
            if sent.cycle > core.now {
                core.wake(0, sent.cycle);
                break;
            }
            let Sent { from, to, .. } = *sent;
            let choice = self.choosers[from as usize].choose(&core.routes, from, to);
            core.inject(Made { born: core.now, from, to, choice, length: 0, tag: self.next as u32 })?;
            self.next += 1;
        }
        Ok(())
    }

    fn received(&mut self, core: &mut Core, frame: &Frame) -> Result<(), SimulateError> {
        self.arrived[frame.tag as usize] = Some(core.now);
        Ok(())
    }
}
