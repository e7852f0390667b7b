//! Why a simulation cannot be.

use shared::{
    fabric::FabricFault,
    simulation::{SettingsFault, TrafficFault},
};
use std::fmt::Display;
use thiserror::Error;

/// Why a simulation cannot be.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SimulateError {
    /// Settings outside their range.
    #[error("{}", lines(.0))]
    Settings(Vec<SettingsFault>),
    /// A graph that is no network.
    #[error("{}", lines(.0))]
    Fabric(Vec<FabricFault>),
    /// Traffic that the number of nodes does not admit.
    #[error(transparent)]
    Traffic(TrafficFault),
    /// A link is faster than a flit a cycle.
    #[error(
        "reference_speed is {reference} Mb/s; at least {fastest}, the speed of the fastest link, was expected"
    )]
    Reference {
        /// What is given.
        reference: u32,
        /// The fastest link's speed.
        fastest: u32,
    },
    /// Too many kinds of links.
    #[error("the fabric has links of more than 200 speeds; at most 200 different speeds were expected")]
    Speeds,
    /// More nodes than hosts.
    #[error(
        "the traffic has {nodes} nodes, but the fabric {hosts} hosts; at least as many hosts were expected"
    )]
    Nodes {
        /// Nodes of the traffic.
        nodes: u32,
        /// Hosts of the fabric.
        hosts: u32,
    },
    /// An offered load that is none.
    #[error("load is {load}; a number of flits a cycle and host above 0, at most {most}, was expected")]
    Load {
        /// What is given.
        load: f64,
        /// The most: every sender makes a frame in every cycle.
        most: f64,
    },
    /// Two hosts that cannot reach each other.
    #[error("there is no path from host {from} to host {to}")]
    NoPath {
        /// One.
        from: u32,
        /// The other.
        to: u32,
    },
    /// A routing that goes where no link goes.
    #[error(
        "the path from host {from} to host {to} goes over channel {channel}, which does not begin where it is then"
    )]
    Path {
        /// One host.
        from: u32,
        /// The other.
        to: u32,
        /// The channel.
        channel: u32,
    },
    /// A path that is too long.
    #[error("the path from host {from} to host {to} has more than 65,535 links")]
    Hops {
        /// One host.
        from: u32,
        /// The other.
        to: u32,
    },
    /// Frames of a trace out of order.
    #[error(
        "frame {frame} of the trace comes into being before the one in front of it; ascending cycles were expected"
    )]
    Order {
        /// Which frame, from 0.
        frame: usize,
    },
    /// Who waits for a frame that is lost waits for ever.
    #[error(
        "full is \"drop\"; with collective operations \"hold\" was expected, since nobody sends lost frames again"
    )]
    Lossy,
    /// A message of no size, or too large.
    #[error("message is {bytes} bytes; at least 1 byte, and at most 4,294,967,295 frames, was expected")]
    Message {
        /// What is given.
        bytes: u64,
    },
    /// Nothing to be done.
    #[error("rounds is 0; at least 1 was expected")]
    Rounds,
}

fn lines(faults: &[impl Display]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
