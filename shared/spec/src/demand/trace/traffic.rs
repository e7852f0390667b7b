//! Measured traffic: between ranks, then between nodes, then the pairs that matter.

use super::{LineError, MAX_RANKS, TraceFault, rank};
use crate::{
    demand::{
        collective::exchange,
        key,
        matrix::{WeightedPair, write_list},
    },
    form::toml,
    spec::{
        MAX_PAIRS, MAX_SPEC_BYTES, MAX_WEIGHT, PatternForm, SpecForm, blank,
        job::{self, Algorithm},
    },
    text::{count, grouped},
};
use std::collections::{BTreeSet, HashMap};

/// What the amounts of a trace count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// Bytes sent.
    #[default]
    Bytes,
    /// Connections, where a log has no bytes.
    Connections,
    /// The weights of a matrix or a list, in whatever unit it has.
    Weight,
}

impl Unit {
    /// The unit in words.
    pub fn words(self) -> &'static str {
        match self {
            Unit::Bytes => "bytes",
            Unit::Connections => "connections",
            Unit::Weight => "weight",
        }
    }
}

/// Amounts per ordered pair of ranks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Traffic {
    /// What the amounts count.
    pub unit: Unit,
    /// Number of ranks.
    pub ranks: u32,
    /// Sender, receiver and amount, ascending; no rank sends to itself.
    pub flows: Vec<(u32, u32, f64)>,
    /// Collectives, whose pairs depend on the nodes of their members.
    pub collectives: Vec<Collective>,
    /// Host of each rank; empty if the trace does not say.
    pub hosts: Vec<String>,
    /// NICs of connections between nodes, if the log has them.
    pub hops: Hops,
    /// Places that were left out or concluded from others, and why.
    pub warnings: Vec<TraceFault>,
}

/// NICs that connections between nodes use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hops {
    /// By nodes and NICs.
    pub list: Vec<Hop>,
    /// Connections that have the log of one end only.
    pub halves: u64,
    /// `true` if the sender takes any NIC that reaches the receiver's: with sockets, and with `NCCL_IB_SUBNET_AWARE_ROUTING=1`.
    pub finds_nics: bool,
}

/// A connection between two nodes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hop {
    /// The sender.
    pub from: NicEnd,
    /// The receiver.
    pub to: NicEnd,
    /// Channels that use these NICs.
    pub channels: u64,
}

/// The NICs of one device, several if they are merged.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NicEnd {
    /// Name of the node.
    pub node: String,
    /// Names of the NICs.
    pub nics: Vec<String>,
}

/// What a group of ranks did with one operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Collective {
    /// The operation.
    pub operation: Operation,
    /// Ranks, by their positions.
    pub members: Vec<u32>,
    /// Bytes that a member gives, the mean of what its members report.
    pub bytes: f64,
}

impl Collective {
    /// The operation and its algorithm as [`exchange`] takes them: rings, and direct messages for an all-to-all.
    fn expanded(&self) -> (job::Operation, Algorithm, f64) {
        let (ring, scatter) = (Algorithm::Ring, job::Operation::GatherScatter);
        match self.operation {
            Operation::AllReduce => (job::Operation::AllReduce, ring, self.bytes),
            Operation::AllGather => (scatter, ring, self.bytes * self.members.len() as f64),
            // Every link of the ring but the one to the root carries all, on the mean as much as a gather.
            Operation::ReduceScatter | Operation::Rooted => (scatter, ring, self.bytes),
            Operation::AllToAll => (job::Operation::AllToAll, Algorithm::AllPairs, self.bytes),
        }
    }
}

/// An operation of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// Every member gets the sum.
    AllReduce,
    /// Every member gets what all give.
    AllGather,
    /// Every member gets its share of the sum.
    ReduceScatter,
    /// A broadcast or a reduction, along a ring: nobody says which member is the root.
    Rooted,
    /// Every member gives each other an equal share.
    AllToAll,
}

/// How ranks become nodes.
#[derive(Clone, Debug, PartialEq)]
pub enum Placement {
    /// By the trace's host names; one rank per node where it has none.
    Hosts,
    /// So many ranks per node, in order.
    PerNode(u32),
    /// The node of each rank.
    Listed(HashMap<u32, u32>),
}

/// Amounts per pair of nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Nodes {
    /// What the amounts count.
    pub unit: Unit,
    /// Number of nodes.
    pub nodes: u32,
    /// Host of each node; empty if the placement has no names.
    pub names: Vec<String>,
    /// Pairs, lower node first, ascending, with both directions together.
    pub pairs: Vec<WeightedPair>,
    /// Amount between ranks of the same node, without collectives.
    pub inside: f64,
}

/// The pairs to keep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Threshold {
    /// Pairs with at least this amount.
    Amount(f64),
    /// The fewest that carry this share of the amount between nodes, in percent; equal pairs in order.
    Share(f64),
}

impl Default for Threshold {
    /// All pairs.
    fn default() -> Threshold {
        Threshold::Amount(0.0)
    }
}

impl Threshold {
    /// The pairs with at least this amount.
    ///
    /// # Errors
    /// Values that are accepted.
    pub fn amount(least: f64) -> Result<Threshold, &'static str> {
        match least >= 0.0 && least.is_finite() {
            true => Ok(Threshold::Amount(least)),
            false => Err("a number from 0"),
        }
    }

    /// The fewest pairs that carry this percentage.
    ///
    /// # Errors
    /// Values that are accepted.
    pub fn share(percent: f64) -> Result<Threshold, &'static str> {
        match percent > 0.0 && percent <= 100.0 {
            true => Ok(Threshold::Share(percent)),
            false => Err("a number above 0, at most 100"),
        }
    }
}

/// Pairs that were kept, and those that were not.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptPairs {
    /// Pairs to give to a pattern `matrix`: weights are the amounts of both directions together.
    pub pairs: Vec<WeightedPair>,
    /// What the amounts count.
    pub unit: Unit,
    /// Number of pairs left out.
    pub dropped: usize,
    /// Amount of the dropped pairs.
    pub dropped_amount: f64,
}

impl KeptPairs {
    /// A spec for so many nodes with a pattern `matrix` of these pairs. Its search is for time if the amounts are bytes.
    ///
    /// # Errors
    /// It has more than [`MAX_SPEC_BYTES`] bytes.
    ///
    /// # Panics
    /// Never: a blank spec has no fault.
    pub fn spec(&self, nodes: u32) -> Result<String, TraceFault> {
        let mut form: SpecForm =
            toml::parse(&blank(nodes), "spec", |_| Vec::new()).expect("a blank spec has no fault");
        if self.unit == Unit::Bytes {
            form.objective = "time".into();
        }
        let pairs = write_list(&self.pairs);
        form.pattern.push(PatternForm::of([("kind", "matrix"), ("pairs", &pairs)]));
        let text = toml::write(&form);
        match text.len() {
            0..=MAX_SPEC_BYTES => Ok(text),
            bytes => {
                let (bytes, limit) = (grouped(bytes as u64), grouped(MAX_SPEC_BYTES as u64));
                let sentence =
                    format!("the spec has {bytes} bytes, and the limit is {limit}; keep fewer pairs");
                Err(LineError::says(sentence).in_file(""))
            }
        }
    }
}

impl Placement {
    /// Reads a rank file: lines of `rank node`. Blank lines and everything after `#` are skipped.
    ///
    /// # Errors
    /// The first faulty line.
    pub fn parse(text: &str, file: &str) -> Result<Placement, TraceFault> {
        let mut nodes = HashMap::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or("");
            let words: Vec<&str> =
                line.split([' ', '\t', ',', ';']).filter(|word| !word.is_empty()).collect();
            let read = match words[..] {
                [] => continue,
                [a, b] => rank(a).and_then(|a| Ok((a, node(b)?))),
                _ => Err(LineError::new(format!("{:?}", line.trim()), "`rank node`")),
            };
            let read = read.and_then(|(rank, node)| match nodes.insert(rank, node) {
                Some(_) => Err(LineError::says(format!("rank {rank} is listed twice; list each rank once"))),
                None => Ok(()),
            });
            read.map_err(|wrong| wrong.at(super::FaultPlace::Line(index as u64 + 1)).in_file(file))?;
        }
        Ok(Placement::Listed(nodes))
    }
}

fn node(word: &str) -> Result<u32, LineError> {
    let number = crate::form::plain_digits(word).filter(|&node| node < MAX_RANKS);
    number.ok_or_else(|| LineError::new(format!("{word:?}"), format!("a node, 0 to {}", MAX_RANKS - 1)))
}

impl Traffic {
    /// The traffic between nodes. `limit` is the number of nodes to fit on, if there is one.
    ///
    /// # Errors
    /// A rank has no node or one beyond the limit, or there are more than [`MAX_PAIRS`] pairs.
    pub fn nodes(&self, placement: &Placement, limit: Option<u32>) -> Result<Nodes, TraceFault> {
        self.placed(placement, limit).map_err(|wrong| wrong.in_file(""))
    }

    fn placed(&self, placement: &Placement, limit: Option<u32>) -> Result<Nodes, LineError> {
        let (of, names) = self.node_of(placement)?;
        let nodes = of.iter().max().map_or(0, |last| last + 1);
        if let Some(limit) = limit
            && let Some(rank) = of.iter().position(|&node| node >= limit)
        {
            let sentence = format!(
                "rank {rank} of {} is on node {}; with {}, the last one is {}. Allow {nodes} nodes, or more ranks per node",
                self.ranks,
                of[rank],
                count(limit.into(), "node"),
                limit.saturating_sub(1)
            );
            return Err(LineError::says(sentence));
        }
        let (mut sums, mut inside): (HashMap<u64, f64>, f64) = (HashMap::new(), 0.0);
        for collective in &self.collectives {
            let members: Vec<u32> = collective.members.iter().map(|&rank| of[rank as usize]).collect();
            let (operation, algorithm, bytes) = collective.expanded();
            exchange(operation, algorithm, &members, bytes, 1.0, |a, b, bytes| {
                *sums.entry(key(a, b)).or_default() += bytes;
            });
        }
        for &(from, to, amount) in &self.flows {
            match (of[from as usize], of[to as usize]) {
                (a, b) if a == b => inside += amount,
                (a, b) => *sums.entry(key(a, b)).or_default() += amount,
            }
        }
        if sums.len() > MAX_PAIRS {
            let limit = grouped(MAX_PAIRS as u64);
            return Err(LineError::says(format!("{} pairs of nodes, and the limit is {limit}", sums.len())));
        }
        let weighted = |(key, amount): (u64, f64)| ((key >> 32) as u32, key as u32, amount.min(MAX_WEIGHT));
        let mut pairs: Vec<WeightedPair> = sums.into_iter().map(weighted).collect();
        pairs.sort_unstable_by_key(|&(a, b, _)| (a, b));
        Ok(Nodes { unit: self.unit, nodes, names, pairs, inside })
    }

    /// The node of each rank, and the names of the nodes.
    fn node_of(&self, placement: &Placement) -> Result<(Vec<u32>, Vec<String>), LineError> {
        match placement {
            Placement::Hosts if self.hosts.is_empty() => Ok(((0..self.ranks).collect(), Vec::new())),
            Placement::Hosts => {
                let mut names: Vec<String> = Vec::new();
                let mut known = HashMap::new();
                let mut node = |host: &String| {
                    *known.entry(host.clone()).or_insert_with(|| {
                        names.push(host.clone());
                        names.len() as u32 - 1
                    })
                };
                let of = self.hosts.iter().map(&mut node).collect();
                Ok((of, names))
            }
            Placement::PerNode(0) => Err(LineError::says("0 ranks per node; give at least 1")),
            Placement::PerNode(ranks) => Ok(((0..self.ranks).map(|rank| rank / ranks).collect(), Vec::new())),
            Placement::Listed(nodes) => {
                let of = |rank| {
                    let missing = || {
                        let ranks = self.ranks;
                        LineError::says(format!(
                            "rank {rank} has no node; list a node for each of {ranks} ranks"
                        ))
                    };
                    nodes.get(&rank).copied().ok_or_else(missing)
                };
                (0..self.ranks).map(of).collect::<Result<_, _>>().map(|of| (of, Vec::new()))
            }
        }
    }

    /// Number of nodes that the placement needs.
    ///
    /// # Errors
    /// A rank has no node.
    pub fn node_count(&self, placement: &Placement) -> Result<u32, TraceFault> {
        let (of, _) = self.node_of(placement).map_err(|wrong| wrong.in_file(""))?;
        Ok(of.iter().max().map_or(0, |last| last + 1))
    }

    /// Number of different hosts; 0 if the trace has none.
    pub fn host_count(&self) -> usize {
        self.hosts.iter().collect::<BTreeSet<_>>().len()
    }
}

impl Nodes {
    /// The amount between nodes.
    pub fn total(&self) -> f64 {
        self.pairs.iter().map(|pair| pair.2).sum()
    }

    /// The pairs to keep.
    pub fn keep(&self, threshold: Threshold) -> KeptPairs {
        let least = match threshold {
            Threshold::Amount(least) => (least, usize::MAX),
            Threshold::Share(percent) => self.least_of(percent),
        };
        let (mut pairs, mut equal, mut dropped_amount) = (Vec::new(), least.1, 0.0);
        for &(a, b, amount) in &self.pairs {
            let is_kept = amount > least.0 || amount == least.0 && equal > 0;
            equal -= usize::from(amount == least.0 && equal > 0);
            match is_kept {
                true => pairs.push((a, b, amount)),
                false => dropped_amount += amount,
            }
        }
        KeptPairs { dropped: self.pairs.len() - pairs.len(), pairs, unit: self.unit, dropped_amount }
    }

    /// The smallest amount of the fewest pairs that carry the share, and the number of pairs with just that amount to keep.
    fn least_of(&self, percent: f64) -> (f64, usize) {
        let amounts = self.descending();
        let wanted = self.total() * percent / 100.0;
        let mut sum = 0.0;
        for (index, &amount) in amounts.iter().enumerate() {
            sum += amount;
            // Sums of many amounts are exact to about 15 digits.
            if sum >= wanted * (1.0 - 1e-12) {
                let equal = amounts[..=index].iter().rev().take_while(|&&other| other == amount).count();
                return (amount, equal);
            }
        }
        (0.0, usize::MAX)
    }

    fn descending(&self) -> Vec<f64> {
        let mut amounts: Vec<f64> = self.pairs.iter().map(|pair| pair.2).collect();
        amounts.sort_unstable_by(|a, b| b.total_cmp(a));
        amounts
    }

    /// Up to `points` points of the curve: the number of heaviest pairs, and the percentage of the amount that they carry. The
    /// first is (0, 0), the last has all pairs.
    pub fn curve(&self, points: usize) -> Vec<(usize, f64)> {
        let (amounts, total) = (self.descending(), self.total());
        let step = amounts.len().div_ceil(points.saturating_sub(1).max(1)).max(1);
        let mut curve = vec![(0, 0.0)];
        let mut sum = 0.0;
        for (index, amount) in amounts.iter().enumerate() {
            sum += amount;
            let count = index + 1;
            if count % step == 0 || count == amounts.len() {
                curve.push((count, if count == amounts.len() { 100.0 } else { 100.0 * sum / total }));
            }
        }
        curve
    }
}
