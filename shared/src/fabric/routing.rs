//! Channels that a frame takes from host to host.

mod dimension;
mod disjoint;
mod ecmp;
mod minimal;
mod shortest;
mod spanning_tree;

pub use dimension::DimensionOrder;
pub use disjoint::Disjoint;
pub use ecmp::{Ecmp, Shares};
pub use minimal::Minimal;
pub use shortest::Distances;
pub use spanning_tree::SpanningTree;

use super::Grid;
use crate::text::grouped;
use thiserror::Error;

/// Paths on a fabric: the channels from source to destination in order. Hosts on the way forward.
pub trait Routing: Send + Sync {
    /// Number of paths from one host to another; 0 if there is none.
    fn choices(&self, from: u32, to: u32) -> u32;

    /// Appends the channels of path `choice`, below [`Routing::choices`]; nothing from a host to itself.
    fn path(&self, from: u32, to: u32, choice: u32, channels: &mut Vec<u32>);

    /// The mesh or torus of switches whose dimension order all paths follow, each ring the shorter way; `None` for other paths.
    fn dimension_order(&self) -> Option<&Grid> {
        None
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

    fn dimension_order(&self) -> Option<&Grid> {
        (**self).dimension_order()
    }

    fn bytes(&self) -> u64 {
        (**self).bytes()
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
