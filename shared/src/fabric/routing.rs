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

use super::{Fabric, Kind, vlan::Method};
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

/// A routing that is chosen by name.
pub struct RoutingEntry {
    /// Its name in forms and flags.
    pub name: &'static str,
    /// Its label.
    pub label: &'static str,
    /// One line, with the networks that it is for.
    pub explanation: &'static str,
    /// `true` if it searches paths from every host, which takes time on large networks.
    pub searches: bool,
    /// Finds the paths of a network; the fabric is its graph.
    pub build: fn(&dyn Kind, &Fabric) -> Result<Box<dyn Routing>, RoutingFault>,
}

/// Every routing that is chosen by name, the default first.
pub const ROUTINGS: &[RoutingEntry] =
    &[Minimal::ENTRY, Disjoint::ENTRY, SpanningTree::ENTRY, Method::Dor.entry(), Method::PartialDor.entry()];

impl RoutingEntry {
    /// The routing with that name.
    pub fn named(name: &str) -> Option<&'static RoutingEntry> {
        ROUTINGS.iter().find(|entry| entry.name == name)
    }
}

/// Why a network has no such routing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RoutingFault {
    /// The routing is not for this network; says which networks it is for.
    #[error("{0}")]
    Network(String),
    /// The network is too large.
    #[error(transparent)]
    TooLarge(#[from] RoutingTooLarge),
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
