//! What a simulation is made of: frames, inputs, channels, counts; who decides what is sent.

use super::Core;
use crate::{
    SimulateError, Standing,
    measure::{Histogram, Window},
    network::Network,
    routes::Routes,
};
use shared::simulation::Settings;

/// No frame.
pub(crate) const NONE: u32 = u32::MAX;

/// What decides who sends what.
pub(crate) trait Source {
    /// Whether [`Source::received`] is wanted.
    const WATCHES: bool;
    /// How far the simulation is, for who watches it.
    fn standing(&self, _core: &Core) -> Option<Standing> {
        None
    }
    /// A node is awake, as [`Core::wake`] asked for.
    fn wake(&mut self, core: &mut Core, node: u32) -> Result<(), SimulateError>;
    /// A frame begins to leave its source over this channel.
    fn left(&mut self, _core: &mut Core, _channel: u32) -> Result<(), SimulateError> {
        Ok(())
    }
    /// The last flit of a frame is there.
    fn received(&mut self, _core: &mut Core, _frame: &Frame) -> Result<(), SimulateError> {
        Ok(())
    }
}

/// A frame that is to wait at its source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Made {
    /// The cycle of its generation, this one or one before.
    pub born: u64,
    pub from: u32,
    pub to: u32,
    /// Which path.
    pub choice: u32,
    /// The number of its length.
    pub length: u8,
    /// For who sent it.
    pub tag: u32,
}

/// A frame somewhere.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// The cycle of its generation.
    pub born: u64,
    /// The cycle in which its head reaches the buffer it is in or on its way to.
    pub(super) head: u64,
    /// Since when it has asked for a channel.
    pub(super) asked: u64,
    pub from: u32,
    pub to: u32,
    /// Which path.
    pub(super) choice: u32,
    /// For who sent it.
    pub tag: u32,
    /// The next one in the list it is in: of a buffer or of those who ask.
    pub(super) next: u32,
    /// Where its path is kept; none while others are before it at its source.
    pub(super) slot: u32,
    /// Channels of the path that are behind it.
    pub(super) at: u16,
    pub(super) hops: u16,
    pub(super) length: u8,
}

/// A buffer, or the queue of a source: the frame that may leave and those behind it.
#[derive(Clone, Debug)]
pub(super) struct Input {
    pub(super) front: u32,
    pub(super) first: u32,
    pub(super) last: u32,
    /// The cycle from which the frame at the front is routed at the earliest.
    pub(super) clear: u64,
}

/// A channel or medium, and who asks for it.
#[derive(Clone, Debug)]
pub(super) struct Resource {
    pub(super) free: u64,
    pub(super) first: u32,
    pub(super) last: u32,
    /// Who had it last.
    pub(super) input: u32,
    /// Whether it is looked at again when it becomes free.
    pub(super) wakes: bool,
    pub(super) dirty: bool,
}

/// Everything counted since the beginning but for `sent`, `accepted` and `latency`, which count within the window.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub received: u64,
    pub lost: u64,
    pub flit_hops: u64,
    pub accepted: u64,
    pub latency: Histogram,
    /// Flits by channel.
    pub sent: Vec<u64>,
    /// The last cycle in which a flit was received.
    pub last: u64,
}

/// What a simulation is set up from.
pub(crate) struct Setup<'a> {
    pub network: &'a Network,
    pub routes: Routes<'a>,
    pub settings: &'a Settings,
    pub window: Window,
    /// Flits of the frames there will be.
    pub lengths: Vec<u32>,
}

/// By rate in, rate out and length: cycles that a frame waits for its flits if it is to be sent without gaps.
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
