//! Data of a simulation: frames, inputs, channels, counters, and the source of frames.

use super::Core;
use crate::{
    SimulateError,
    measure::{Histogram, Window},
    network::Network,
    paths::PathTable,
};
use work::simulation::{Settings, SimulationProgress};

/// Absent frame, slot or channel.
pub(crate) const NONE: u32 = u32::MAX;

/// Source of the frames that hosts send.
pub(crate) trait Source {
    /// `true` if [`Source::received`] should be called.
    const WANTS_RECEIVED: bool;
    /// `true` if the loads of channels, accepted flits and latencies are counted.
    const COUNTS: bool = true;
    /// `true` if deadlocks are looked for while frames still move, not only when none does.
    const CHECKS_DEADLOCKS: bool = true;
    fn progress(&self, _core: &Core) -> Option<SimulationProgress> {
        None
    }
    /// `true` if counters of received frames and latencies include frames with this tag.
    fn is_counted(_tag: u32) -> bool {
        true
    }
    /// `true` if the simulation ends, whatever is still under way.
    fn is_done(&self) -> bool {
        false
    }
    /// Called in the cycle given to [`Core::wake`].
    fn wake(&mut self, core: &mut Core, node: u32) -> Result<(), SimulateError>;
    /// Called when a frame starts to leave its source over this channel.
    fn left(&mut self, _core: &mut Core, _channel: u32, _tag: u32) -> Result<(), SimulateError> {
        Ok(())
    }
    /// Called when the last flit of a frame has arrived.
    fn received(&mut self, _core: &mut Core, _frame: &Frame) -> Result<(), SimulateError> {
        Ok(())
    }
}

/// A new frame for a source queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewFrame {
    /// Cycle of generation, not later than now.
    pub born: u64,
    pub from: u32,
    pub to: u32,
    pub choice: u32,
    /// Number of its length in [`Setup::lengths`].
    pub length: u16,
    /// For use by the source.
    pub tag: u32,
}

impl NewFrame {
    /// The frame in a source queue, before it has a path.
    pub(super) fn at_source(self, queue: u32) -> Frame {
        let NewFrame { born, from, to, choice, length, tag } = self;
        Frame {
            born,
            head: born,
            requested: born,
            from,
            to,
            choice,
            tag,
            next: NONE,
            slot: NONE,
            at: 0,
            hops: 0,
            leg: 0,
            length,
            input: queue,
        }
    }
}

/// A frame in the network or at its source.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub born: u64,
    /// Cycle in which its head reaches its current or next buffer.
    pub(super) head: u64,
    /// Cycle of its current request.
    pub(super) requested: u64,
    pub from: u32,
    pub to: u32,
    pub(super) choice: u32,
    /// For use by the source.
    pub tag: u32,
    /// Next frame in its list: of an input, of requests, or of unused frames.
    pub(super) next: u32,
    /// Slot of its path; none while others precede it at its source.
    pub(super) slot: u32,
    pub(super) at: u16,
    pub(super) hops: u16,
    /// Hops before the random host of its path, all if there is none.
    pub(super) leg: u16,
    pub(super) length: u16,
    /// Buffer that it is in or on its way to, or its source queue.
    pub(super) input: u32,
}

/// A list of frames, linked by [`Frame::next`].
#[derive(Clone, Debug)]
pub(super) struct List {
    pub(super) first: u32,
    pub(super) last: u32,
}

impl List {
    pub(super) const EMPTY: List = List { first: NONE, last: NONE };

    pub(super) fn append(&mut self, frames: &mut [Frame], number: u32) {
        match std::mem::replace(&mut self.last, number) {
            NONE => self.first = number,
            last => frames[last as usize].next = number,
        }
    }

    /// Removes a frame behind `before`, or the first one if that is [`NONE`].
    pub(super) fn remove(&mut self, frames: &mut [Frame], before: u32, number: u32) {
        let next = std::mem::replace(&mut frames[number as usize].next, NONE);
        match before {
            NONE => self.first = next,
            before => frames[before as usize].next = next,
        }
        if next == NONE {
            self.last = before;
        }
    }
}

/// The buffer of a virtual channel, or a source queue: the front frame and those behind it.
#[derive(Clone, Debug)]
pub(super) struct Input {
    pub(super) front: u32,
    pub(super) behind: List,
    /// First cycle in which the front frame can be routed.
    pub(super) clear: u64,
}

/// A channel or medium.
#[derive(Clone, Debug)]
pub(super) struct Resource {
    pub(super) free: u64,
    pub(super) requests: List,
    /// Input served last.
    pub(super) input: u32,
    /// `true` if an event is scheduled for when it becomes free.
    pub(super) wakes: bool,
    pub(super) dirty: bool,
}

/// End of the hops over a resource, which tells without a look at each request whether it can be granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It depends on the frame: the resource is a medium, or leads to a hub.
    Varies,
    /// The buffer at the end of the only channel, which all frames enter.
    Buffer,
    /// A host, which receives frames or forwards them.
    Host,
}

/// The end of each resource, without virtual channels, shared memories and drops.
pub(super) fn ends(network: &Network) -> Vec<End> {
    let mut channels = vec![0; network.to.len()];
    network.resource.iter().for_each(|&resource| channels[resource as usize] += 1);
    let end = |(channels, &to): (u32, &u32)| match channels {
        1 if network.nodes[to as usize].hub => End::Varies,
        1 if to < network.hosts => End::Host,
        1 => End::Buffer,
        _ => End::Varies,
    };
    channels.into_iter().zip(&network.to).map(end).collect()
}

/// Counters. `sent`, `accepted` and `latency` count within the window, the others from the start.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub received: u64,
    pub lost: u64,
    pub flit_hops: u64,
    pub accepted: u64,
    pub latency: Histogram,
    pub sent: Vec<u64>,
    /// Last cycle in which a flit was received.
    pub last: u64,
}

/// Input of [`Core::new`].
pub(crate) struct Setup<'a> {
    pub network: &'a Network,
    pub routes: PathTable<'a>,
    pub settings: &'a Settings,
    pub window: Window,
    pub lengths: Vec<u32>,
}

/// Cycles between a head's arrival and its departure without later gaps, by rate in, rate out and length.
pub(super) fn leads(network: &Network, lengths: &[u32]) -> Vec<u64> {
    let mut leads = Vec::with_capacity(network.rates.len().pow(2) * lengths.len());
    for came in &network.rates {
        for goes in &network.rates {
            leads.extend(lengths.iter().map(|&length| {
                let late = |flit| came.after(flit).saturating_sub(goes.after(flit));
                if came == goes { 0 } else { (0..length).map(late).max().unwrap_or(0) }
            }));
        }
    }
    leads
}
