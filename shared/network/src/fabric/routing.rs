//! Channels that a frame takes from host to host.

mod dimension;
mod disjoint;
mod ecmp;
mod minimal;
mod shortest;
mod spanning_tree;

pub use dimension::DimensionOrder;
pub(super) use dimension::step;
pub use disjoint::Disjoint;
pub use ecmp::{Ecmp, Neighbourhood, Shares};
pub use minimal::Minimal;
pub use shortest::Distances;
pub use spanning_tree::SpanningTree;

use super::Way;
use crate::{random::mix_pair, text::grouped};
use thiserror::Error;

/// Paths on a fabric: the channels from source to destination in order. Hosts on the way forward.
pub trait Routing: Send + Sync {
    /// Number of paths from one host to another; 0 if there is none.
    fn choices(&self, from: u32, to: u32) -> u32;

    /// Appends the channels of path `choice`, below [`Routing::choices`]; nothing from a host to itself.
    fn path(&self, from: u32, to: u32, choice: u32, channels: &mut Vec<u32>);

    /// Calls `each(at, channels)` with [`Routing::path`] for each of some choices of the same hosts.
    fn paths(&self, [from, to]: [u32; 2], choices: &[u32], each: &mut dyn FnMut(usize, &[u32])) {
        let mut channels = Vec::new();
        for (at, &choice) in choices.iter().enumerate() {
            channels.clear();
            self.path(from, to, choice, &mut channels);
            each(at, &channels);
        }
    }

    /// The channels of rings, if all paths cross rings the shorter way, one dimension after another; empty for other paths.
    fn rings(&self) -> Vec<RingChannel> {
        Vec::new()
    }

    /// Bytes of its tables; 0 if paths are computed.
    fn bytes(&self) -> u64 {
        0
    }
}

impl<R: Routing + ?Sized> Routing for Box<R> {
    fn choices(&self, from: u32, to: u32) -> u32 {
        (**self).choices(from, to)
    }

    fn path(&self, from: u32, to: u32, choice: u32, channels: &mut Vec<u32>) {
        (**self).path(from, to, choice, channels);
    }

    fn paths(&self, ends: [u32; 2], choices: &[u32], each: &mut dyn FnMut(usize, &[u32])) {
        (**self).paths(ends, choices, each);
    }

    fn rings(&self) -> Vec<RingChannel> {
        (**self).rings()
    }

    fn bytes(&self) -> u64 {
        (**self).bytes()
    }
}

/// A channel of a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingChannel {
    /// The channel.
    pub channel: u32,
    /// Dimension of the ring, from 0.
    pub dimension: usize,
    /// `true` if the channel closes the ring.
    pub closes: bool,
}

/// Directions where both are equally short: one bit per tie of the hash of a pair, changed by the number of the path.
pub(super) struct Ties(u64);

impl Ties {
    pub(super) fn of(from: u32, to: u32, choice: u32) -> Ties {
        Ties(mix_pair(from, to) ^ u64::from(choice))
    }

    pub(super) fn next(&mut self) -> Way {
        let way = if self.0 & 1 == 0 { Way::Up } else { Way::Down };
        self.0 >>= 1;
        way
    }
}

/// Reason why a network has no such routing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RoutingFault {
    /// The routing is not for this network; the text names the networks it is for.
    #[error("{0}")]
    Network(String),
    /// The network is too large.
    #[error(transparent)]
    TooLarge(#[from] RoutingTooLarge),
}

/// A fabric whose paths do not fit in memory or take too long to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("at most {2} {what}; this network has {0} hosts and {1} nodes in all", grouped((*hosts).into()), grouped((*nodes).into()), grouped(*most))]
pub struct RoutingTooLarge {
    /// The limited quantity.
    pub what: &'static str,
    /// Hosts of the fabric.
    pub hosts: u32,
    /// Hosts and switches.
    pub nodes: u32,
    /// Max of the quantity.
    pub most: u64,
}
