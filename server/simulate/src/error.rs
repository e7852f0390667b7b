//! Errors of simulations.

use shared::{
    fabric::FabricFault,
    simulation::{SettingsFault, TrafficFault},
};
use std::fmt::Display;
use thiserror::Error;

/// Reason why a simulation cannot start or go on.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SimulateError {
    /// Settings outside their range.
    #[error("{}", lines(.0))]
    Settings(Vec<SettingsFault>),
    /// A graph that is not a valid fabric.
    #[error("{}", lines(.0))]
    Fabric(Vec<FabricFault>),
    /// Traffic that does not fit the number of nodes.
    #[error(transparent)]
    Traffic(TrafficFault),
    /// A link faster than one flit per cycle.
    #[error(
        "reference_speed must be at least {fastest} Mb/s, the speed of the fastest link (got {reference})"
    )]
    Reference {
        /// The given value.
        reference: u32,
        /// The fastest link's speed.
        fastest: u32,
    },
    /// Links of more than 200 different speeds.
    #[error("the fabric has links of more than 200 different speeds; up to 200 are supported")]
    Speeds,
    /// More nodes than hosts.
    #[error("the traffic has {nodes} nodes, but the fabric has only {hosts} hosts")]
    Nodes {
        /// Nodes of the traffic.
        nodes: u32,
        /// Hosts of the fabric.
        hosts: u32,
    },
    /// An offered load out of range.
    #[error("load must be above 0 and up to {max} flits per cycle and host (got {load})")]
    Load {
        /// The given value.
        load: f64,
        /// The maximum: every sender generates a frame in every cycle.
        max: f64,
    },
    /// A pair of hosts without a path.
    #[error("there is no path from host {from} to host {to}")]
    NoPath {
        /// Sending host.
        from: u32,
        /// Receiving host.
        to: u32,
    },
    /// A path whose channels do not follow one another.
    #[error(
        "the path from host {from} to host {to} uses channel {channel}, which does not continue the path"
    )]
    Path {
        /// Sending host.
        from: u32,
        /// Receiving host.
        to: u32,
        /// The channel.
        channel: u32,
    },
    /// A path of more than 65,535 links.
    #[error("the path from host {from} to host {to} has more than 65,535 links")]
    Hops {
        /// Sending host.
        from: u32,
        /// Receiving host.
        to: u32,
    },
    /// Frames of a trace that are not sorted by cycle.
    #[error("frame {frame} of the trace has an earlier cycle than the frame before it; sort frames by cycle")]
    Order {
        /// Index of the frame, from 0.
        frame: usize,
    },
    /// A collective operation on a network that drops frames: a node would wait forever for a lost frame.
    #[error("collective operations need full = \"hold\": a frame lost with \"drop\" is never sent again")]
    Lossy,
    /// An empty message, or one that is too large.
    #[error("a message must have 1 byte to 4,294,967,295 frames (got {bytes} bytes)")]
    Message {
        /// The given value.
        bytes: u64,
    },
    /// No rounds.
    #[error("rounds must be at least 1 (got 0)")]
    Rounds,
}

fn lines(faults: &[impl Display]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
