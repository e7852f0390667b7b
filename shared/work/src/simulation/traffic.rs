//! Traffic: pairs of hosts that communicate.

use crate::{
    form::{Advice, says, shown},
    text::closest,
};
use Traffic::{Closed, Open};
use serde::{Deserialize, Serialize};
use std::fmt;
use thiserror::Error;

/// Traffic at an offered load, or a collective operation that is timed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Traffic {
    /// Frames are generated at random, independent of earlier ones.
    Open(OpenTraffic),
    /// Hosts wait for each other.
    Closed(Collective),
}

/// Destinations of randomly generated frames. N is the number of logical nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OpenTraffic {
    /// To any other node, uniformly.
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
    /// Node p to p + N/2 mod N; N even. The pairs of Etsion et al. 2000, section 4.
    Opposite,
    /// A share of the frames to one node, the others uniformly.
    HotSpot {
        /// The node.
        node: u32,
        /// The share, 0 to 1.
        share: f64,
    },
    /// Along the pairs of the demand, in proportion to their weights.
    Demand,
    /// Along the pairs of one pattern of the spec, counted from 0, uniformly.
    Pattern(u32),
}

/// An operation of all nodes of a group, repeated without barriers. A group has n members.
///
/// In the first six operations, every message has the given size. In the other operations, the given size is the whole buffer: of each
/// member for an all-reduce, before a reduce-scatter, after an all-gather. Its chunks differ by up to one byte. Adding up takes no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Collective {
    /// Every node sends to all others, then receives.
    AllToAll,
    /// Nodes exchange in pairs, which change in each phase.
    AllToAllPhases,
    /// Node 0 sends to the others one by one.
    OneToAll,
    /// From node 0 along a binomial tree: nodes with the message pass it on.
    OneToAllTree,
    /// All send to node 0.
    AllToOne,
    /// Nodes p and p + N/2 exchange; N even.
    Exchange,
    /// Reduce-scatter, then all-gather, in a ring: 2(n - 1) steps, each with a chunk of 1/n to the next member (Patarasuk,
    /// Yuan: "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009).
    AllReduceRing,
    /// Double binary tree: two trees at the same time, each with half of the buffer in up to 32 slices, up to the root and
    /// down again (Sanders, Speck, Träff: "Two-tree algorithms for full bandwidth broadcast, reduction and scan", 2009;
    /// positions as in NCCL).
    AllReduceTree,
    /// Ring reduce-scatter in subgroups, ring all-reduce of each chunk between members of the same position in all subgroups,
    /// ring all-gather in subgroups (Mikami et al.: "Massively distributed SGD: ImageNet/ResNet-50 training in a flash", 2018,
    /// the 2D-torus all-reduce).
    AllReduceHierarchical {
        /// Consecutive members of a subgroup, at least 2; it divides n.
        size: u32,
    },
    /// The first half of the ring: n - 1 steps with chunks of 1/n.
    ReduceScatter,
    /// The second half of the ring: n - 1 steps with chunks of 1/n.
    AllGather,
}

/// Traffic that is chosen by name.
pub struct TrafficEntry {
    /// Name.
    pub name: &'static str,
    /// Parameters after a colon, such as `NODE,SHARE`; empty for none.
    pub parameters: &'static str,
    /// Label, one line.
    pub label: &'static str,
    /// Parses the parameters.
    read: fn(&str) -> Option<Traffic>,
}

const fn entry(
    name: &'static str,
    parameters: &'static str,
    label: &'static str,
    read: fn(&str) -> Option<Traffic>,
) -> TrafficEntry {
    TrafficEntry { name, parameters, label, read }
}

/// All traffic, in the order of lists.
pub const TRAFFICS: &[TrafficEntry] = &[
    entry("demand", "", "The demand: requested pairs by weight", |_| Some(Open(OpenTraffic::Demand))),
    entry("pattern", "NUMBER", "One pattern of the spec, counted from 0", |number| {
        Some(Open(OpenTraffic::Pattern(number.parse().ok()?)))
    }),
    entry("uniform", "", "Uniform: to any other host", |_| Some(Open(OpenTraffic::Uniform))),
    entry("bit-reversal", "", "Bit reversal", |_| Some(Open(OpenTraffic::BitReversal))),
    entry("transpose", "", "Transpose of a square matrix", |_| Some(Open(OpenTraffic::Transpose))),
    entry("shuffle", "", "Perfect shuffle", |_| Some(Open(OpenTraffic::Shuffle))),
    entry("neighbour", "", "To the next host", |_| Some(Open(OpenTraffic::Neighbour))),
    entry("complement", "", "Complement: p to N − 1 − p", |_| Some(Open(OpenTraffic::Complement))),
    entry("opposite", "", "Opposite: p to p + N/2", |_| Some(Open(OpenTraffic::Opposite))),
    entry("hot-spot", "NODE,SHARE", "Hot spot: a share (0–1) of the frames to one host", hot_spot),
    entry("all-to-all", "", "All-to-all, timed", |_| Some(Closed(Collective::AllToAll))),
    entry("all-to-all-phases", "", "All-to-all in phases, timed", |_| {
        Some(Closed(Collective::AllToAllPhases))
    }),
    entry("one-to-all", "", "One-to-all by a loop, timed", |_| Some(Closed(Collective::OneToAll))),
    entry("one-to-all-tree", "", "One-to-all by a tree, timed", |_| Some(Closed(Collective::OneToAllTree))),
    entry("all-to-one", "", "All-to-one, timed", |_| Some(Closed(Collective::AllToOne))),
    entry("exchange", "", "Exchange with the opposite host, timed", |_| Some(Closed(Collective::Exchange))),
    entry("all-reduce-ring", "", "All-reduce in a ring, timed", |_| Some(Closed(Collective::AllReduceRing))),
    entry("all-reduce-tree", "", "All-reduce along two binary trees, timed", |_| {
        Some(Closed(Collective::AllReduceTree))
    }),
    entry("all-reduce-hierarchical", "SIZE", "All-reduce in subgroups and between them, timed", |size| {
        let size = size.parse().ok().filter(|size| *size >= 2)?;
        Some(Closed(Collective::AllReduceHierarchical { size }))
    }),
    entry("reduce-scatter", "", "Reduce-scatter in a ring, timed", |_| {
        Some(Closed(Collective::ReduceScatter))
    }),
    entry("all-gather", "", "All-gather in a ring, timed", |_| Some(Closed(Collective::AllGather))),
];

/// Traffic with a wrong name, or for another number of nodes.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("traffic: {}", .advice.clone().about(.name))]
pub struct TrafficFault {
    /// The traffic's name.
    pub name: String,
    /// What to do.
    pub advice: Advice,
}

impl TrafficEntry {
    /// The name with its parameters, such as `hot-spot:NODE,SHARE`.
    pub fn form(&self) -> String {
        if self.parameters.is_empty() {
            self.name.into()
        } else {
            format!("{}:{}", self.name, self.parameters)
        }
    }
}

/// The forms of all traffic, separated by commas.
pub fn traffic_forms() -> String {
    TRAFFICS.iter().map(TrafficEntry::form).collect::<Vec<_>>().join(", ")
}

impl Traffic {
    /// Parses a name such as `uniform` or `hot-spot:0,0.1`.
    ///
    /// # Errors
    /// No traffic has that name or those parameters; the error names what is accepted.
    pub fn parse(text: &str) -> Result<Traffic, TrafficFault> {
        let (name, parameters) = text.split_once(':').unwrap_or((text, ""));
        let fault = |advice| TrafficFault { name: text.into(), advice };
        let entry = TRAFFICS.iter().find(|entry| entry.name == name);
        let entry = entry.ok_or_else(|| match closest(name, TRAFFICS.iter().map(|entry| entry.name)) {
            Some(near) => fault(says(format!("Unknown traffic `{}`. Did you mean `{near}`?", shown(name)))),
            None => fault(format!("one of {}", traffic_forms()).into()),
        })?;
        let surplus = entry.parameters.is_empty() && text != name;
        let read = if surplus { None } else { (entry.read)(parameters) };
        read.ok_or_else(|| fault(says(format!("must be `{}`, not {}.", entry.form(), shown(text)))))
    }
}

fn hot_spot(parameters: &str) -> Option<Traffic> {
    let (node, share) = parameters.split_once(',')?;
    let share = share.parse().ok().filter(|share| (0.0..=1.0).contains(share))?;
    Some(Traffic::Open(OpenTraffic::HotSpot { node: node.parse().ok()?, share }))
}

impl fmt::Display for Traffic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Traffic::Open(OpenTraffic::HotSpot { node, share }) => write!(f, "hot-spot:{node},{share}"),
            Traffic::Open(OpenTraffic::Pattern(number)) => write!(f, "pattern:{number}"),
            Traffic::Closed(Collective::AllReduceHierarchical { size }) => {
                write!(f, "all-reduce-hierarchical:{size}")
            }
            plain => {
                let entry = TRAFFICS.iter().find(|entry| (entry.read)("").as_ref() == Some(plain));
                f.write_str(entry.map_or("", |entry| entry.name))
            }
        }
    }
}

impl fmt::Display for OpenTraffic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Traffic::Open(*self).fmt(f)
    }
}

impl fmt::Display for Collective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Traffic::Closed(*self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_parsed_and_written() {
        for entry in TRAFFICS {
            let parameters =
                ["", "2", "3,0.25"].into_iter().find(|text| (entry.read)(text).is_some()).unwrap();
            let text = if entry.parameters.is_empty() {
                entry.name.into()
            } else {
                format!("{}:{parameters}", entry.name)
            };
            assert_eq!(Traffic::parse(&text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_wrong_name_is_an_error_with_the_accepted_forms() {
        for name in ["", "unifrom", "uniform:3", "hot-spot", "hot-spot:1,2", "pattern:x", "pattern"] {
            let fault = Traffic::parse(name).unwrap_err().to_string();
            let is_named = fault.ends_with(&format!(", not {name}.")) || fault.contains("Did you mean `");
            assert!(is_named || name.is_empty() && fault.starts_with("traffic: missing;"), "{fault}");
        }
    }
}
