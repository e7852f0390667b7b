//! Which channels a frame takes from host to host.

mod dimension;
mod disjoint;
mod minimal;
mod shortest;
mod spanning_tree;

pub use dimension::DimensionOrder;
pub use disjoint::Disjoint;
pub use minimal::Minimal;
pub use shortest::Distances;
pub use spanning_tree::SpanningTree;

use crate::text::grouped;
use thiserror::Error;

/// Paths on a fabric, one scheme a file.
///
/// A path is the list of channels from the source to the destination in order; it may lead through other hosts, which then
/// forward. A scheme that knows several paths for a pair numbers them from 0.
pub trait Routing: Send + Sync {
    /// How many paths there are from one host to another; 0 where there is none.
    fn choices(&self, from: u32, to: u32) -> u32;

    /// Appends the channels of path `choice`, which is less than [`Routing::choices`]. Nothing is appended for a host and itself.
    fn path(&self, from: u32, to: u32, choice: u32, channels: &mut Vec<u32>);
}

impl<R: Routing + ?Sized> Routing for Box<R> {
    fn choices(&self, from: u32, to: u32) -> u32 {
        (**self).choices(from, to)
    }

    fn path(&self, from: u32, to: u32, choice: u32, channels: &mut Vec<u32>) {
        (**self).path(from, to, choice, channels);
    }
}

/// A fabric whose paths would not fit in memory, or take too long to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{what} of {} hosts and {} nodes in all: at most {} are accepted", grouped((*hosts).into()), grouped((*nodes).into()), grouped(*most))]
pub struct RoutingTooLarge {
    /// What there would be too many of.
    pub what: &'static str,
    /// Hosts of the fabric.
    pub hosts: u32,
    /// Hosts and switches.
    pub nodes: u32,
    /// Most that is accepted.
    pub most: u64,
}
