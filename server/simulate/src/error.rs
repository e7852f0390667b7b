//! Errors of simulations.

use network::fabric::FabricFault;
use spec::form::Faults;
use std::fmt::Display;
use thiserror::Error;
use work::simulation::TrafficFault;

/// Reason why a simulation cannot start or go on.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SimulateError {
    /// Settings outside their range.
    #[error(transparent)]
    Settings(Faults),
    /// A graph that is not a valid fabric.
    #[error("{}", lines(.0))]
    Fabric(Vec<FabricFault>),
    /// Traffic that does not fit the number of nodes.
    #[error(transparent)]
    Traffic(TrafficFault),
    /// A reference speed below that of the fastest link: both in Mb/s.
    #[error("reference_speed must be at least {1} Mb/s, the speed of the fastest link (got {0})")]
    Reference(u32, u32),
    /// Links of more than 200 different speeds.
    #[error("the fabric has links of more than 200 different speeds; up to 200 are supported")]
    Speeds,
    /// More nodes than hosts.
    #[error("the traffic has {0} nodes, but the fabric has only {1} hosts")]
    Nodes(u32, u32),
    /// An offered load out of range, and the maximum: one frame per cycle and sender.
    #[error("load must be above 0 and up to {1} flits per cycle and host (got {0})")]
    Load(f64, f64),
    /// A pair of hosts without a path.
    #[error("there is no path from host {0} to host {1}")]
    NoPath(u32, u32),
    /// A pair of hosts, and the first channel that does not continue the path before it.
    #[error("the path from host {0} to host {1} uses channel {2}, which does not continue the path")]
    Path(u32, u32, u32),
    /// A pair of hosts with a path of more than 65,535 links.
    #[error("the path from host {0} to host {1} has more than 65,535 links")]
    Hops(u32, u32),
    /// A frame of a trace, from 0, that is not sorted by cycle.
    #[error("frame {0} of the trace has an earlier cycle than the frame before it; sort frames by cycle")]
    Order(usize),
    /// A collective operation on a network that drops frames: a node would wait forever for a lost frame.
    #[error("collective operations need full = \"hold\": a frame lost with \"drop\" is never sent again")]
    Lossy,
    /// An empty message, or one that is too large, in bytes.
    #[error("a message must have 1 byte to 4,294,967,295 frames (got {0} bytes)")]
    Message(u64),
    /// A message with fewer bytes than a group has nodes, each of which sends a chunk of it.
    #[error("a message must have at least a byte per node of a group (got {0} bytes for {1} nodes)")]
    Chunks(u64, u32),
    /// No rounds.
    #[error("rounds must be at least 1 (got 0)")]
    Rounds,
}

fn lines(faults: &[impl Display]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
