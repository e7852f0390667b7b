//! The demand of a training job: its groups of ranks, the bytes that each exchanges per step, and the pairs of nodes.
//!
//! Ranks are laid out as by Megatron-LM (`parallel_state.py`): the dimensions in the job's order, the first fastest. Dense
//! layers use tensor, context, data and pipeline parallelism. Layers with experts split the same ranks into tensor,
//! expert, data and pipeline parallelism, so that the experts' groups lie inside context and data parallelism.

pub use crate::spec::assumptions::Practice;

use super::{
    collective::{self, Transfer},
    key,
};
use crate::{
    cancel::checked,
    spec::{
        Parameters, Pattern, PatternKind,
        job::{Algorithm, Collective, Dimension, Groups, Job, JobPart, Model, Operation},
        matrix::WeightedPair,
    },
};

/// The communication along one dimension of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// Operation, algorithm and bytes; those of the model where the job gives none.
    pub collective: Collective,
    /// Members of each group.
    pub members: u32,
    /// Number of groups.
    pub groups: u32,
    /// The products whose sum is `collective.bytes`; empty if the bytes were given or there is no model.
    pub terms: Vec<Term>,
}

/// A product of named factors.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// What is sent.
    pub about: &'static str,
    /// Factors with their names.
    pub factors: Vec<(&'static str, f64)>,
}

impl Term {
    /// The product.
    pub fn bytes(&self) -> f64 {
        self.factors.iter().map(|(_, factor)| factor).product()
    }
}

/// The dimensions of a job that communicate, in the order of [`Dimension::ALL`].
pub fn shares(job: &Job) -> Vec<Share> {
    shares_with(job, &Practice::default())
}

/// [`shares`] with choices of the framework.
pub fn shares_with(job: &Job, practice: &Practice) -> Vec<Share> {
    let experts = job.ep > 1 || job.model.as_ref().is_some_and(|model| model.experts > 0);
    let used = |&dimension: &Dimension| {
        job.degree(dimension) > 1
            && match dimension {
                Dimension::Ep => job.ep > 1,
                Dimension::Edp => experts,
                _ => true,
            }
    };
    Dimension::ALL.into_iter().filter(used).map(|dimension| share(job, dimension, practice)).collect()
}

fn share(job: &Job, dimension: Dimension, practice: &Practice) -> Share {
    let written = job.collectives.iter().find(|collective| collective.along == dimension);
    let mut collective = written.copied().unwrap_or_else(|| usual(job, dimension));
    let terms = match (&job.model, collective.bytes) {
        (Some(model), None) => terms(job, model, &collective, practice),
        _ => Vec::new(),
    };
    if !terms.is_empty() {
        collective.bytes = Some(terms.iter().map(Term::bytes).sum());
    }
    let members = job.degree(dimension);
    Share { collective, members, groups: job.ranks() / members, terms }
}

/// The collective of a dimension where the spec gives none.
pub fn usual(job: &Job, dimension: Dimension) -> Collective {
    let sharded = job.model.as_ref().is_some_and(|model| model.zero > 0);
    let (operation, algorithm) = match dimension {
        Dimension::Tp => (Operation::AllReduce, Algorithm::Ring),
        Dimension::Cp => (Operation::GatherScatter, Algorithm::Ring),
        Dimension::Ep => (Operation::AllToAll, Algorithm::AllPairs),
        Dimension::Dp | Dimension::Edp if sharded => (Operation::GatherScatter, Algorithm::Ring),
        Dimension::Dp | Dimension::Edp => (Operation::AllReduce, Algorithm::Ring),
        Dimension::Pp if job.virtual_stages > 1 => (Operation::PointToPoint, Algorithm::Ring),
        Dimension::Pp => (Operation::PointToPoint, Algorithm::Neighbours),
    };
    Collective::of(dimension, operation, algorithm)
}

/// A transfer that takes place once per step.
const ONCE: (&str, f64) = ("times", 1.0);

/// Bytes of a collective per rank and step, as [`Operation`] counts them.
///
/// With b sequences of s tokens in a micro-batch, m micro-batches, L layers, hidden size h, e bytes per element and g per
/// gradient:
/// * **tp** 4 m L/pp b s/cp h e: an all-reduce after attention and one after the MLP, forward and backward (Shoeybi et al.:
///   "Megatron-LM", 2019, section 3; the same bytes with sequence parallelism, Korthikanti et al. 2022, section 4.2.2).
/// * **cp** 3 m L/pp b s 2 k/tp e, k the size of a token's keys: keys and values are gathered forward and backward,
///   and their gradients are scattered ("The Llama 3 herd of models", 2024, section 3.3.2).
/// * **ep** 4 m L/pp b s/(cp tp) x h e, L counting layers with experts: tokens are dispatched and combined, forward and
///   backward (Lepikhin et al.: "GShard", 2020, section 3.2). x is the number of copies of a token: top-k, and with
///   [`Algorithm::Rail`] the nodes that it is sent to ([`copies_per_node`]). Half of the all-to-alls dispatch tokens and gradients,
///   for which [`Practice`] may have other bytes (DeepSeek-V3 technical report, section 3.3.3).
/// * **dp, edp** (Rajbhandari et al.: "ZeRO", 2020, section 7) with P parameters on the rank: an all-reduce of P g; in
///   stage 1 a reduce-scatter of P g and an all-gather of P e; in stage 2 the scatter, in stage 3 also a gather forward and
///   backward, in every micro-batch. [`Practice`] may scatter once in stage 2. Without ZeRO, a gather and a scatter are those of the all-reduce.
/// * **pp** m v b s/(cp tp) h e per direction, v virtual stages (Narayanan et al.: "Efficient large-scale language model
///   training on GPU clusters", 2021, sections 2.2 and 4.1).
fn terms(job: &Job, model: &Model, collective: &Collective, practice: &Practice) -> Vec<Term> {
    let (tp, cp, pp) = (f64::from(job.tp), f64::from(job.cp), f64::from(job.pp));
    let micro_batches = ("micro-batches", f64::from(job.micro_batches(model)));
    let tokens = f64::from(model.micro_batch) * f64::from(model.sequence);
    let layers = |layers: u32| ("layers per stage", f64::from(layers) / pp);
    let (hidden, element) = (("hidden size", f64::from(model.hidden)), ("bytes", model.bytes_per_element));
    let own = ("tokens per rank", tokens / cp / tp);
    let one = |about, factors: Vec<(&'static str, f64)>| vec![Term { about, factors }];
    let repeats = [if practice.scatters_once { ONCE } else { micro_batches }, micro_batches];
    match collective.along {
        Dimension::Tp => one(
            "activations and their gradients",
            vec![
                ("all-reduces per layer", 4.0),
                micro_batches,
                layers(model.layers),
                ("tokens", tokens / cp),
                hidden,
                element,
            ],
        ),
        Dimension::Cp => one(
            "keys and values",
            vec![
                ("passes", 3.0),
                micro_batches,
                layers(model.layers),
                ("tokens", tokens),
                ("size of keys and values", 2.0 * f64::from(model.kv_hidden) / tp),
                element,
            ],
        ),
        Dimension::Ep => {
            let term = |about, all_to_alls: f64, bytes: f64| Term {
                about,
                factors: vec![
                    ("all-to-alls per layer", all_to_alls),
                    micro_batches,
                    layers(model.expert_layers),
                    own,
                    ("copies per token", copies(job, model, collective.algorithm)),
                    hidden,
                    ("bytes", bytes),
                ],
            };
            match practice.dispatch_bytes {
                None => vec![term("tokens to their experts and back", 4.0, model.bytes_per_element)],
                Some(bytes) => vec![
                    term("tokens to their experts", 2.0, bytes),
                    term("results back", 2.0, model.bytes_per_element),
                ],
            }
        }
        Dimension::Dp => gradients(model, collective.operation, repeats, model.dense_parameters() / tp / pp),
        Dimension::Edp => gradients(
            model,
            collective.operation,
            repeats,
            model.expert_parameters() / tp / pp / f64::from(job.ep),
        ),
        Dimension::Pp => one(
            "activations, and gradients back",
            vec![micro_batches, ("stages per rank", f64::from(job.virtual_stages)), own, hidden, element],
        ),
    }
}

/// Number of operations per step whose bytes a collective counts together; gradients count as one, whatever their buckets.
pub fn calls(job: &Job, collective: &Collective, practice: &Practice) -> f64 {
    let Some(model) = &job.model else { return 1.0 };
    let micro_batches = f64::from(job.micro_batches(model));
    let per_stage = |layers: u32| f64::from(layers) / f64::from(job.pp);
    match collective.along {
        Dimension::Tp => 4.0 * micro_batches * per_stage(model.layers),
        Dimension::Cp => 3.0 * micro_batches * per_stage(model.layers),
        Dimension::Ep => 4.0 * micro_batches * per_stage(model.expert_layers),
        Dimension::Dp | Dimension::Edp if collective.operation == Operation::AllReduce => 1.0,
        Dimension::Dp | Dimension::Edp => match model.zero {
            0 | 1 => 2.0,
            2 if practice.scatters_once => 2.0,
            2 => micro_batches + 1.0,
            _ => 3.0 * micro_batches,
        },
        Dimension::Pp => micro_batches * f64::from(job.virtual_stages),
    }
}

/// Gradients and parameters of data parallelism. `repeats` has the scatters per step of ZeRO 2, and the scatters and gathers of
/// ZeRO 3.
fn gradients(
    model: &Model,
    operation: Operation,
    repeats: [(&'static str, f64); 2],
    parameters: f64,
) -> Vec<Term> {
    let parameters = ("parameters per rank", parameters);
    let gradient = ("bytes per gradient", model.gradient_bytes);
    if operation == Operation::AllReduce {
        return vec![Term { about: "gradients", factors: vec![parameters, gradient] }];
    }
    let [gathers, scatters] = match model.zero {
        0 | 1 => [ONCE, ONCE],
        2 => [ONCE, repeats[0]],
        _ => [repeats[1], repeats[1]],
    };
    let scattered = Term { about: "gradients, scattered", factors: vec![scatters, parameters, gradient] };
    let gathered = match model.zero {
        0 => Term { about: "gradients, gathered", factors: vec![parameters, gradient] },
        stage => {
            let passes = ("gathers", if stage == 3 { 2.0 } else { 1.0 });
            let element = ("bytes per parameter", model.bytes_per_element);
            Term { about: "parameters, gathered", factors: vec![passes, gathers, parameters, element] }
        }
    };
    vec![scattered, gathered]
}

/// Copies of a token that leave its rank.
fn copies(job: &Job, model: &Model, algorithm: Algorithm) -> f64 {
    match algorithm {
        Algorithm::Rail => copies_per_node(job, model),
        _ => f64::from(model.top_k),
    }
}

/// The expected number of nodes that hold an expert of a token, if every expert is as likely as any other, and at most
/// [`Model::max_expert_nodes`]. A group has the nodes that its ranks need in order.
pub fn copies_per_node(job: &Job, model: &Model) -> f64 {
    let nodes = f64::from((job.ep * job.tp).div_ceil(job.ranks_per_pe).max(1));
    let (experts, elsewhere) = (f64::from(model.experts), f64::from(model.experts) * (1.0 - 1.0 / nodes));
    // The chance that none of top-k different experts is on a given node.
    let none: f64 =
        (0..model.top_k).map(f64::from).map(|i| ((elsewhere - i) / (experts - i)).max(0.0)).product();
    let expected = nodes * (1.0 - none);
    model.max_expert_nodes.map_or(expected, |most| expected.min(f64::from(most)))
}

impl Model {
    /// Parameters of the routed experts: a token uses top-k of them and all others.
    pub fn expert_parameters(&self) -> f64 {
        match self.experts {
            0 => 0.0,
            experts if experts == self.top_k => 0.0,
            experts => {
                (self.parameters - self.active_parameters)
                    / (1.0 - f64::from(self.top_k) / f64::from(experts))
            }
        }
    }

    /// All other parameters.
    pub fn dense_parameters(&self) -> f64 {
        self.parameters - self.expert_parameters()
    }
}

/// The first dimension that uses the network with unknown bytes.
pub fn without_bytes(job: &Job) -> Option<Dimension> {
    let silent = shares(job).into_iter().filter(|share| share.collective.bytes.is_none());
    silent
        .map(|share| share.collective)
        .find(|collective| groups(job, *collective).has_pairs())
        .map(|c| c.along)
}

/// A job as patterns, one for each dimension with groups that span nodes. Each pair weighs its bytes per step, or 1 if
/// the bytes are unknown.
pub fn patterns(job: &Job) -> Vec<Pattern> {
    let pattern =
        |groups: Groups| Pattern::of(PatternKind { name: "groups", parameters: Parameters::Groups(groups) });
    let groups = shares(job).into_iter().map(|share| groups(job, share.collective));
    groups.filter(Groups::has_pairs).map(pattern).collect()
}

/// The groups of a collective of the job.
pub fn groups(job: &Job, collective: Collective) -> Groups {
    let (dims, along) = layout(job, collective.along);
    // With v virtual stages per rank, the last stage is followed by the first v - 1 times.
    let closing = match job.virtual_stages {
        stages @ 2.. if collective.along == Dimension::Pp => f64::from(stages - 1) / f64::from(stages),
        _ => 1.0,
    };
    let part = JobPart { collective, ranks_per_pe: job.ranks_per_pe, nodes: job.nodes.clone(), closing };
    Groups { dims, along, within: collective.algorithm, part: Some(part) }
}

/// The lattice of ranks that has the groups of a dimension, and the lattice's dimensions inside a group.
fn layout(job: &Job, dimension: Dimension) -> (Vec<u32>, Vec<u32>) {
    let experts = matches!(dimension, Dimension::Ep | Dimension::Edp);
    let absent = if experts { Dimension::Cp } else { Dimension::Ep };
    let order: Vec<Dimension> = job.order.iter().copied().filter(|&other| other != absent).collect();
    let size = |other: &Dimension| match other {
        Dimension::Dp if experts => job.degree(Dimension::Edp),
        Dimension::Dp => job.dp,
        other => job.degree(*other),
    };
    let inside = |other: Dimension| match dimension {
        Dimension::Dp => matches!(other, Dimension::Dp | Dimension::Cp),
        Dimension::Edp => other == Dimension::Dp,
        dimension => other == dimension,
    };
    let along = (0..).zip(&order).filter(|(_, other)| inside(**other)).map(|(at, _)| at);
    (order.iter().map(size).collect(), along.collect())
}

/// The ranks or nodes below each other in a lattice: the size of each dimension, and the ranks from one to the next.
fn strides(dims: &[u32]) -> impl Iterator<Item = (u32, u32)> + '_ {
    dims.iter().scan(1, |stride, &size| {
        let here = *stride;
        *stride *= size;
        Some((size, here))
    })
}

/// The node of each member of a group, and the switch from each node to the next, if there is only one.
pub type MemberOrder = (Vec<u32>, Vec<Option<u32>>);

impl Groups {
    /// Number of ranks.
    pub fn ranks(&self) -> u32 {
        self.dims.iter().product()
    }

    /// Members of a group.
    pub fn members(&self) -> u32 {
        self.along.iter().map(|&axis| self.dims[axis as usize]).product()
    }

    /// The node of a rank.
    pub fn node_of(&self, rank: u32) -> u32 {
        match &self.part {
            None => rank,
            Some(JobPart { nodes: Some(nodes), .. }) => nodes[rank as usize],
            Some(part) => rank / part.ranks_per_pe,
        }
    }

    /// The ranks of the group that a rank is in, by position.
    pub fn group_of(&self, rank: u32) -> Vec<u32> {
        let inside: u32 = strides(&self.dims)
            .zip(0..)
            .filter(|(_, axis)| self.along.contains(axis))
            .map(|((size, stride), _)| rank / stride % size * stride)
            .sum();
        self.offsets(true).iter().map(|offset| rank - inside + offset).collect()
    }

    /// The sums of all steps along the dimensions inside a group, or along all others; the first dimension is fastest.
    fn offsets(&self, inside: bool) -> Vec<u32> {
        let mut offsets = vec![0];
        for ((size, stride), axis) in strides(&self.dims).zip(0..) {
            if self.along.contains(&axis) == inside {
                let steps = 0..size;
                offsets = steps.flat_map(|step| offsets.iter().map(move |at| at + step * stride)).collect();
            }
        }
        offsets
    }

    /// The nodes of the members of each group that spans nodes; groups with the same nodes are one, with their number.
    pub fn spanning(&self) -> Vec<(Vec<u32>, u32)> {
        let inside = self.offsets(true);
        let nodes = |first: u32| inside.iter().map(|offset| self.node_of(first + offset)).collect();
        let mut groups: Vec<Vec<u32>> = checked(self.offsets(false)).map(nodes).collect();
        groups.retain(|nodes| nodes.iter().any(|node| *node != nodes[0]));
        groups.sort_unstable();
        let mut counted: Vec<(Vec<u32>, u32)> = Vec::new();
        for nodes in groups {
            match counted.last_mut() {
                Some((last, count)) if *last == nodes => *count += 1,
                _ => counted.push((nodes, 1)),
            }
        }
        counted
    }

    /// `true` if a group spans nodes; most often the first does, so that this takes no time.
    pub fn has_pairs(&self) -> bool {
        let inside = self.offsets(true);
        collective::max_pairs(self.within, self.members().into()) > 0
            && self.offsets(false).iter().any(|first| {
                let node = self.node_of(*first);
                inside.iter().any(|offset| self.node_of(first + offset) != node)
            })
    }

    /// `true` if members may take any position: rings and trees of collectives, unlike pipelines.
    pub fn has_free_order(&self) -> bool {
        match self.within {
            Algorithm::Ring => self.operation() != Operation::PointToPoint,
            Algorithm::Rail => self.operation() != Operation::AllToAll,
            Algorithm::Tree => true,
            Algorithm::RecursiveDoubling | Algorithm::AllPairs | Algorithm::Neighbours => false,
        }
    }

    /// Upper limit of the number of pairs.
    pub fn max_pairs(&self) -> u64 {
        let groups = match &self.part {
            None => u64::from(self.ranks() / self.members()),
            Some(_) => self.spanning().len() as u64,
        };
        groups.saturating_mul(collective::max_pairs(self.within, self.members().into()))
    }

    /// Number of pairs, and the sum of their weights; `None` if all groups are inside nodes.
    pub fn on_network(&self) -> Option<(u64, f64)> {
        let pairs = self.pairs();
        (!pairs.is_empty()).then(|| (pairs.len() as u64, pairs.iter().map(|pair| pair.2).sum()))
    }

    /// The transfers of each group that spans nodes, and the messages that follow one another in the group on most nodes. Groups
    /// with the same nodes are one. Without bytes, each operation has 1; if all groups are inside nodes, there is no message.
    pub fn transfers(&self) -> (Vec<Vec<Transfer>>, f64) {
        self.transfers_in(|members| vec![(members.to_vec(), Vec::new())])
    }

    /// Returns transfers with each group's bytes spread evenly over the orders that `orders` gives: the node of each member, and
    /// the switch from each node to the next, if the transfers take only that one.
    pub fn transfers_in(&self, orders: impl Fn(&[u32]) -> Vec<MemberOrder>) -> (Vec<Vec<Transfer>>, f64) {
        let operation = self.operation();
        let bytes = self.part.as_ref().and_then(|part| part.collective.bytes).unwrap_or(1.0);
        let mut most = 0;
        let of = |(mut nodes, count): (Vec<u32>, u32)| {
            let mut transfers = Vec::new();
            let orders = orders(&nodes);
            let volume = bytes * f64::from(count) / orders.len() as f64;
            for (nodes, switches) in orders {
                let mut switches = switches.into_iter();
                collective::transfers(operation, self.within, &nodes, volume, self.closing(), |transfer| {
                    transfers.push(Transfer { switch: switches.next().flatten(), ..transfer });
                });
            }
            nodes.sort_unstable();
            nodes.dedup();
            most = most.max(nodes.len() as u32);
            transfers
        };
        let groups: Vec<Vec<Transfer>> = checked(self.spanning()).map(of).collect();
        let rounds = if most == 0 { 0.0 } else { collective::rounds(operation, self.within, most) };
        (groups, rounds)
    }

    /// The part's operation. Every algorithm has one that it can do, all with the same pairs.
    fn operation(&self) -> Operation {
        self.part.as_ref().map_or_else(|| Operation::of(self.within), |part| part.collective.operation)
    }

    fn closing(&self) -> f64 {
        self.part.as_ref().map_or(1.0, |part| part.closing)
    }

    /// The pairs of nodes, ascending, with their bytes per step; 1 for each pair if the bytes are unknown.
    pub fn pairs(&self) -> Vec<WeightedPair> {
        let (operation, closing) = (self.operation(), self.closing());
        let bytes = self.part.as_ref().and_then(|part| part.collective.bytes);
        let mut pairs: Vec<(u64, f64)> = Vec::new();
        for (nodes, count) in checked(self.spanning()) {
            let volume = bytes.unwrap_or(1.0) * f64::from(count);
            collective::exchange(operation, self.within, &nodes, volume, closing, |a, b, bytes| {
                pairs.push((key(a, b), bytes));
            });
        }
        // Equal keys keep their order, so that their sum is the same everywhere.
        pairs.sort_by_key(|&(key, _)| key);
        pairs.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        let weight = |sum: f64| if bytes.is_some() { sum } else { 1.0 };
        pairs.into_iter().map(|(key, sum)| ((key >> 32) as u32, key as u32, weight(sum))).collect()
    }
}

impl Operation {
    /// An operation that the algorithm can do.
    fn of(algorithm: Algorithm) -> Operation {
        let done = Operation::ALL.into_iter().find(|operation| operation.accepts(algorithm));
        done.expect("an operation for every algorithm")
    }
}
