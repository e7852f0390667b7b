//! Groups of nodes that run timed operations at the same time.

use crate::{
    demand::job::{groups, shares},
    spec::job::{Dimension, Groups, Job},
};
use std::{collections::HashSet, fmt};

/// Accepted texts of [`GroupRule`].
pub const GROUP_FORMS: &str = "all, a number of nodes such as 8, nodes and their distance such as 8x16, or a dimension of the spec's job: tp, cp, ep, dp, edp, pp";

/// The groups of nodes that run an operation at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GroupRule {
    /// One group of all nodes.
    #[default]
    All,
    /// Groups of `size` nodes, `stride` apart: they fill blocks of `size * stride` nodes.
    Blocks {
        /// Nodes per group, at least 2.
        size: u32,
        /// Distance of neighbours in a group, at least 1.
        stride: u32,
    },
    /// The groups of ranks along a dimension of the job.
    Along(Dimension),
}

impl GroupRule {
    /// Parses `all`, `8`, `8x16`, or the name of a dimension; `None` for any other text.
    pub fn parse(text: &str) -> Option<GroupRule> {
        if text == "all" {
            return Some(GroupRule::All);
        }
        if let Some(dimension) = Dimension::ALL.into_iter().find(|dimension| dimension.name() == text) {
            return Some(GroupRule::Along(dimension));
        }
        let (size, stride) = text.split_once('x').unwrap_or((text, "1"));
        let number = |text: &str, min: u32| text.parse().ok().filter(|number| *number >= min);
        Some(GroupRule::Blocks { size: number(size, 2)?, stride: number(stride, 1)? })
    }

    /// The nodes of each group in rank order. Groups of ranks leave out those inside one node, and count a node once. Groups with
    /// the same nodes are one.
    ///
    /// # Errors
    /// A sentence that says what to do, where blocks do not divide the nodes, or no job has such groups.
    pub fn groups(self, nodes: u32, jobs: &[Job]) -> Result<Vec<Vec<u32>>, String> {
        match self {
            GroupRule::All => Ok(vec![(0..nodes).collect()]),
            GroupRule::Blocks { size, stride } => {
                let block = u64::from(size) * u64::from(stride);
                if nodes == 0 || !u64::from(nodes).is_multiple_of(block) {
                    return Err(match stride {
                        1 => format!("{nodes} nodes can't be divided into groups of {size}."),
                        _ => format!(
                            "{nodes} nodes can't be divided into blocks of {size} x {stride} = {block}."
                        ),
                    });
                }
                let firsts = (0..nodes).filter(|node| u64::from(*node) % block < u64::from(stride));
                Ok(firsts.map(|first| (0..size).map(|at| first + at * stride).collect()).collect())
            }
            GroupRule::Along(dimension) => along(dimension, jobs),
        }
    }
}

fn along(dimension: Dimension, jobs: &[Job]) -> Result<Vec<Vec<u32>>, String> {
    let name = dimension.name();
    if jobs.is_empty() {
        return Err(format!("{name} needs a spec with a [job]; else use all, or groups such as 8 or 8x16."));
    }
    let of = |job| {
        let share = shares(job).into_iter().find(|share| share.collective.along == dimension);
        share.map(|share| groups(job, share.collective))
    };
    let groups: Vec<Groups> = jobs.iter().filter_map(of).collect();
    if groups.is_empty() {
        return Err(format!("{name} has one rank in each job; use a dimension with several."));
    }
    let mut known = HashSet::new();
    let mut spanning = Vec::new();
    for (nodes, _) in groups.iter().flat_map(Groups::spanning) {
        let mut seen = HashSet::new();
        let once: Vec<u32> = nodes.into_iter().filter(|node| seen.insert(*node)).collect();
        let mut sorted = once.clone();
        sorted.sort_unstable();
        if known.insert(sorted) {
            spanning.push(once);
        }
    }
    match spanning.is_empty() {
        true => {
            Err(format!("every group of {name} is inside a node; use a dimension whose groups span nodes."))
        }
        false => Ok(spanning),
    }
}

impl fmt::Display for GroupRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GroupRule::All => f.write_str("all"),
            GroupRule::Blocks { size, stride: 1 } => write!(f, "{size}"),
            GroupRule::Blocks { size, stride } => write!(f, "{size}x{stride}"),
            GroupRule::Along(dimension) => f.write_str(dimension.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_parsed_and_written() {
        for text in ["all", "2", "8", "8x16", "tp", "edp", "4294967295x4294967295"] {
            assert_eq!(GroupRule::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "1", "0", "8x0", "x8", "8x", "8x2x2", "-8", "data", "ALL", " 8", "4294967296"] {
            assert_eq!(GroupRule::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn blocks_hold_every_node_once() {
        let of = |text: &str, nodes| GroupRule::parse(text).unwrap().groups(nodes, &[]);
        assert_eq!(of("2", 6).unwrap(), [[0, 1], [2, 3], [4, 5]]);
        assert_eq!(of("2x3", 12).unwrap(), [[0, 3], [1, 4], [2, 5], [6, 9], [7, 10], [8, 11]]);
        assert_eq!(of("all", 3).unwrap(), [[0, 1, 2]]);
        for (text, nodes) in [("2", 7), ("2x3", 9), ("4294967295x4294967295", 8), ("2", 0)] {
            assert!(
                of(text, nodes).unwrap_err().starts_with(&format!("{nodes} nodes can't be divided into ")),
                "{text}"
            );
        }
        assert!(of("dp", 8).unwrap_err().contains("a spec with a [job]"));
    }
}
