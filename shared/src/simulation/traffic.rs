//! What hosts send to whom.

use serde::{Deserialize, Serialize};
use std::fmt;
use thiserror::Error;

/// Traffic by name: at an offered load, or a collective operation that is timed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Traffic {
    /// Frames come at random, whatever becomes of those before.
    Open(OpenTraffic),
    /// Hosts wait for each other.
    Closed(Collective),
}

/// Who sends to whom when frames come at random. N is the number of logical nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OpenTraffic {
    /// To any other node, all alike.
    Uniform,
    /// Node p to p with its bits in reverse order; N a power of 2.
    BitReversal,
    /// Element (r, c) of a square matrix to (c, r); N a square.
    Transpose,
    /// Node p to 2p mod (N - 1), N - 1 to itself; N even.
    Shuffle,
    /// Node p to p + 1 mod N.
    Neighbour,
    /// Node p to N - 1 - p.
    Complement,
    /// Node p to p + N/2 mod N; N even. The pairs of the topology paper's section 4.
    Opposite,
    /// This share of the frames to one node, the others uniformly.
    HotSpot {
        /// The node.
        node: u32,
        /// The share, 0 to 1.
        share: f64,
    },
    /// Along the pairs of the demand, in proportion to their weights.
    Demand,
    /// Along the pairs of one of the spec's patterns, counted from 0, all alike.
    Pattern(u32),
}

/// An operation in which every node takes part, repeated without barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Collective {
    /// Every node sends to all others, then takes in what has come.
    AllToAll,
    /// Nodes are paired anew in each phase, and exchange.
    AllToAllPhases,
    /// Node 0 sends to one after the other.
    OneToAll,
    /// From node 0 along a binomial tree: who has the message passes it on.
    OneToAllTree,
    /// All send to node 0.
    AllToOne,
    /// Nodes p and p + N/2 exchange; N even.
    Exchange,
}

/// Names of open-loop traffic, as [`Traffic::parse`] reads them.
pub const OPEN_NAMES: [&str; 10] = [
    "uniform",
    "bit-reversal",
    "transpose",
    "shuffle",
    "neighbour",
    "complement",
    "opposite",
    "hot-spot:NODE,SHARE",
    "demand",
    "pattern:NUMBER",
];

const COLLECTIVES: [(&str, Collective); 6] = [
    ("all-to-all", Collective::AllToAll),
    ("all-to-all-phases", Collective::AllToAllPhases),
    ("one-to-all", Collective::OneToAll),
    ("one-to-all-tree", Collective::OneToAllTree),
    ("all-to-one", Collective::AllToOne),
    ("exchange", Collective::Exchange),
];

/// All names of traffic.
pub fn traffic_names() -> Vec<&'static str> {
    OPEN_NAMES.into_iter().chain(COLLECTIVES.iter().map(|(name, _)| *name)).collect()
}

/// Traffic that there is not, or that the number of nodes does not admit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("traffic {name:?}: {accepted} was expected")]
pub struct TrafficFault {
    /// The traffic's name.
    pub name: String,
    /// What would be accepted.
    pub accepted: String,
}

impl Traffic {
    /// Reads a name such as `uniform` or `hot-spot:0,0.1`.
    ///
    /// # Errors
    /// There is no such traffic; those there are are named.
    pub fn parse(text: &str) -> Result<Traffic, TrafficFault> {
        let (kind, parameters) = text.split_once(':').unwrap_or((text, ""));
        let fault = |accepted: String| TrafficFault { name: text.into(), accepted };
        let open = match kind {
            "hot-spot" => hot_spot(parameters).ok_or_else(|| {
                fault("hot-spot:NODE,SHARE with a share from 0 to 1, such as hot-spot:0,0.1".into())
            }),
            "pattern" => parameters
                .parse()
                .map(OpenTraffic::Pattern)
                .map_err(|_| fault("pattern:NUMBER, patterns counted from 0".into())),
            _ if text != kind => Err(fault(format!("a name without parameters, such as {kind}"))),
            _ => match plain(kind) {
                Some(traffic) => return Ok(traffic),
                None => Err(fault(format!("one of {}", traffic_names().join(", ")))),
            },
        };
        open.map(Traffic::Open)
    }
}

fn hot_spot(parameters: &str) -> Option<OpenTraffic> {
    let (node, share) = parameters.split_once(',')?;
    let share = share.parse().ok().filter(|share| (0.0..=1.0).contains(share))?;
    Some(OpenTraffic::HotSpot { node: node.parse().ok()?, share })
}

fn plain(name: &str) -> Option<Traffic> {
    let open = match name {
        "uniform" => OpenTraffic::Uniform,
        "bit-reversal" => OpenTraffic::BitReversal,
        "transpose" => OpenTraffic::Transpose,
        "shuffle" => OpenTraffic::Shuffle,
        "neighbour" => OpenTraffic::Neighbour,
        "complement" => OpenTraffic::Complement,
        "opposite" => OpenTraffic::Opposite,
        "demand" => OpenTraffic::Demand,
        _ => {
            let collective = COLLECTIVES.iter().find(|(known, _)| *known == name);
            return collective.map(|(_, collective)| Traffic::Closed(*collective));
        }
    };
    Some(Traffic::Open(open))
}

impl fmt::Display for Traffic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Traffic::Open(open) => open.fmt(f),
            Traffic::Closed(closed) => closed.fmt(f),
        }
    }
}

impl fmt::Display for OpenTraffic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenTraffic::Uniform => f.write_str("uniform"),
            OpenTraffic::BitReversal => f.write_str("bit-reversal"),
            OpenTraffic::Transpose => f.write_str("transpose"),
            OpenTraffic::Shuffle => f.write_str("shuffle"),
            OpenTraffic::Neighbour => f.write_str("neighbour"),
            OpenTraffic::Complement => f.write_str("complement"),
            OpenTraffic::Opposite => f.write_str("opposite"),
            OpenTraffic::HotSpot { node, share } => write!(f, "hot-spot:{node},{share}"),
            OpenTraffic::Demand => f.write_str("demand"),
            OpenTraffic::Pattern(number) => write!(f, "pattern:{number}"),
        }
    }
}

impl fmt::Display for Collective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = COLLECTIVES.iter().find(|(_, collective)| collective == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        let names = traffic_names().into_iter().filter(|name| !name.contains(':'));
        for name in names.chain(["hot-spot:3,0.25", "pattern:2"]) {
            assert_eq!(Traffic::parse(name).unwrap().to_string(), name);
        }
    }

    #[test]
    fn what_is_no_name_says_what_is() {
        for name in ["", "unifrom", "uniform:3", "hot-spot", "hot-spot:1,2", "pattern:x", "pattern"] {
            let fault = Traffic::parse(name).unwrap_err().to_string();
            assert!(fault.contains(&format!("{name:?}")) && fault.ends_with("was expected"), "{fault}");
        }
    }
}
