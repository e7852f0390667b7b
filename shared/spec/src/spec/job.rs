//! A training job: the degrees of its parallelism, the model that it trains, and the collectives between its ranks.

use crate::form::{FormReader, Notation, named, record};
use serde::{Deserialize, Serialize};
use std::{ops::Range, sync::Arc};

/// Max ranks (GPUs) of a job.
pub const MAX_RANKS: u32 = 1 << 20;
/// Max jobs of a spec.
pub const MAX_JOBS: usize = 8;
/// Max ranks of one node.
pub const MAX_RANKS_PER_PE: u32 = 64;

record! {
    /// A training job on the nodes of a spec.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Job {
        /// Tensor-parallel degree.
        pub tp: u32,
        /// Context-parallel degree.
        pub cp: u32,
        /// Expert-parallel degree; it divides `cp * dp`.
        pub ep: u32,
        /// Data-parallel degree.
        pub dp in REST: u32,
        /// Pipeline-parallel degree.
        pub pp: u32,
        /// Ranks (GPUs) of each node.
        pub ranks_per_pe as "ranks_per_node": u32,
        /// All of [`Dimension::ORDER`]; the ranks of the first are next to each other.
        pub order in ORDER: Vec<Dimension>,
        /// Pipeline stages of each rank.
        pub virtual_stages: u32,
        /// The node of each rank; `None` if ranks fill the nodes in order.
        pub nodes: Option<Arc<[u32]>> = None,
        /// The model, if given.
        pub model: Option<Model> = None,
        /// Collectives as written; each replaces the default of its dimension.
        pub collectives: Vec<Collective> = Vec::new(),
        /// Library that connects the nodes; [`DEFAULT_LIBRARY`] if the spec names none.
        pub library: Library,
    }
}

/// Library of a job whose spec names none.
pub const DEFAULT_LIBRARY: Library = Library::Nccl;

/// A communication library. It chooses the NICs, and so the switches, between two nodes; see `analysis::library`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Library {
    /// NCCL with one subnet per switch.
    Nccl,
    /// MPI over UCX with one subnet per switch.
    Mpi,
    /// A library that spreads every transfer evenly over all switches that two nodes share.
    Any,
}

/// A dimension of a job's parallelism.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dimension {
    /// Tensor parallelism.
    Tp,
    /// Context parallelism.
    Cp,
    /// Expert parallelism.
    Ep,
    /// Data parallelism; gradients are also reduced over context parallelism.
    Dp,
    /// Data parallelism of the experts: the ranks that hold the same experts.
    Edp,
    /// Pipeline parallelism.
    Pp,
}

record! {
    /// The shape of a model and its training step.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Model {
        /// Parameters.
        pub parameters: f64,
        /// Layers.
        pub layers: u32,
        /// Hidden size.
        pub hidden: u32,
        /// Parameters that one token uses; the same without experts.
        pub active_parameters or parameters: f64,
        /// Layers with experts.
        pub expert_layers or layers: u32,
        /// Size of all keys of one token, which is that of all values.
        pub kv_hidden or hidden: u32,
        /// Tokens of a sequence.
        pub sequence: u32,
        /// Sequences of a micro-batch.
        pub micro_batch: u32,
        /// Sequences of a step, over all replicas.
        pub global_batch: u32,
        /// Routed experts of a layer; 0 for a dense model.
        pub experts: u32,
        /// Experts that each token is sent to.
        pub top_k: u32,
        /// Max nodes that the router sends a token to; `None` for no limit.
        pub max_expert_nodes: Option<u32>,
        /// Bytes of an activation or a parameter.
        pub bytes_per_element: f64,
        /// Bytes of a gradient.
        pub gradient_bytes: f64,
        /// ZeRO stage, 0 to 3.
        pub zero: u32,
    }
}

record! {
    /// The communication along one dimension.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Collective {
        /// The dimension.
        pub along: Dimension,
        /// The operation.
        pub operation: Operation,
        /// Algorithm; [`Operation::accepts`] it.
        pub algorithm: Algorithm,
        /// Bytes of the operation per rank and step, as [`Operation`] counts them; `None`: from the model.
        pub bytes: Option<f64>,
    }
}

/// A communication of all members of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Every member ends with the sum. Bytes are those of the vector that each member holds.
    AllReduce,
    /// An all-gather or a reduce-scatter. Bytes are those of the whole vector.
    GatherScatter,
    /// Every member sends a different part to every other. Bytes are those of all parts of one member.
    AllToAll,
    /// Every member sends to the next and to the previous one. Bytes are those sent to one of them.
    PointToPoint,
}

/// The pairs that carry an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// In a circle.
    Ring,
    /// Two binary trees, each for half of the data (Sanders, Speck, Träff: "Two-tree algorithms for full bandwidth
    /// broadcast, reduction and scan", 2009; NCCL).
    Tree,
    /// Members whose positions differ in one bit.
    RecursiveDoubling,
    /// Every member with every other.
    AllPairs,
    /// In a line.
    Neighbours,
    /// Inside the node first, then each local rank with those of the same position on the other nodes.
    Rail,
}

/// Groups of ranks that communicate.
#[derive(Clone, Debug, PartialEq)]
pub struct Groups {
    /// Sizes of a lattice of all ranks; the first dimension varies fastest.
    pub dims: Vec<u32>,
    /// Dimensions that vary inside a group, ascending from 0.
    pub along: Vec<u32>,
    /// Pairs inside a group.
    pub within: Algorithm,
    /// The part of a job that this is; `None` for a pattern, whose ranks are nodes.
    pub part: Option<JobPart>,
}

/// A part of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct JobPart {
    /// The communication.
    pub collective: Collective,
    /// Ranks of each node.
    pub ranks_per_pe: u32,
    /// The node of each rank; `None` if ranks fill the nodes in order.
    pub nodes: Option<Arc<[u32]>>,
    /// Share of the bytes between the last member and the first, for point-to-point transfers in a ring.
    pub closing: f64,
}

named! { Dimension, Library, Operation, Algorithm }

/// A degree that may be left to the ranks. It is 1 until they are known.
const REST: Rest = Rest;
struct Rest;

impl Notation<u32> for Rest {
    fn read(&self, fields: &mut FormReader, key: &str) -> Option<u32> {
        Some(fields.given(key, FormReader::whole)?.unwrap_or(1))
    }

    fn write(&self, degree: &u32) -> String {
        degree.to_string()
    }
}

/// Dimensions joined by `-`. Dimensions of degree 1 may be left out.
const ORDER: Order = Order;
struct Order;

impl Notation<Vec<Dimension>> for Order {
    fn read(&self, fields: &mut FormReader, key: &str) -> Option<Vec<Dimension>> {
        let text = fields.text(key)?;
        let named = |word: &str| Dimension::ORDER.into_iter().find(|dimension| dimension.name() == word);
        let words: Option<Vec<Dimension>> = text.split('-').map(|word| named(word.trim())).collect();
        let repeated = |words: &[Dimension]| (1..words.len()).any(|at| words[..at].contains(&words[at]));
        match words.filter(|words| !repeated(words)) {
            Some(words) => Some(words),
            None => fields.fault(key, "each of tp, cp, ep, dp and pp at most once, such as tp-cp-ep-dp-pp"),
        }
    }

    fn write(&self, order: &Vec<Dimension>) -> String {
        order.iter().map(|dimension| dimension.name()).collect::<Vec<_>>().join("-")
    }
}

impl Dimension {
    /// All dimensions, each once.
    pub const ALL: [Dimension; 6] =
        [Dimension::Tp, Dimension::Cp, Dimension::Ep, Dimension::Dp, Dimension::Edp, Dimension::Pp];
    /// Megatron's default order of ranks, fastest first.
    pub const ORDER: [Dimension; 5] =
        [Dimension::Tp, Dimension::Cp, Dimension::Ep, Dimension::Dp, Dimension::Pp];

    /// Returns the name in a spec.
    pub fn name(self) -> &'static str {
        match self {
            Dimension::Tp => "tp",
            Dimension::Cp => "cp",
            Dimension::Ep => "ep",
            Dimension::Dp => "dp",
            Dimension::Edp => "edp",
            Dimension::Pp => "pp",
        }
    }

    /// Returns the name for people.
    pub fn label(self) -> &'static str {
        match self {
            Dimension::Tp => "Tensor",
            Dimension::Cp => "Context",
            Dimension::Ep => "Expert",
            Dimension::Dp => "Data",
            Dimension::Edp => "Expert data",
            Dimension::Pp => "Pipeline",
        }
    }
}

impl Library {
    /// All libraries.
    pub const ALL: [Library; 3] = [Library::Nccl, Library::Mpi, Library::Any];

    /// The library of all jobs of a spec; any without a job.
    pub fn of(jobs: &[Job]) -> Library {
        jobs.first().map_or(Library::Any, |job| job.library)
    }

    /// Returns the name in a spec.
    pub const fn name(self) -> &'static str {
        match self {
            Library::Nccl => "nccl",
            Library::Mpi => "mpi",
            Library::Any => "any",
        }
    }

    /// Returns the name for people, at the beginning of a sentence.
    pub fn label(self) -> &'static str {
        match self {
            Library::Nccl => "NCCL",
            Library::Mpi => "MPI (UCX)",
            Library::Any => "A library that uses all shared switches",
        }
    }
}

impl Operation {
    /// All operations.
    pub const ALL: [Operation; 4] =
        [Operation::AllReduce, Operation::GatherScatter, Operation::AllToAll, Operation::PointToPoint];

    /// Returns the name in a spec.
    pub fn name(self) -> &'static str {
        match self {
            Operation::AllReduce => "all-reduce",
            Operation::GatherScatter => "gather-scatter",
            Operation::AllToAll => "all-to-all",
            Operation::PointToPoint => "point-to-point",
        }
    }

    /// The algorithms that can do it.
    pub fn algorithms(self) -> &'static [Algorithm] {
        use Algorithm::{AllPairs, Neighbours, Rail, RecursiveDoubling, Ring, Tree};
        match self {
            Operation::AllReduce => &[Ring, Tree, RecursiveDoubling, AllPairs, Rail],
            Operation::GatherScatter => &[Ring, RecursiveDoubling, AllPairs, Rail],
            Operation::AllToAll => &[AllPairs, Rail],
            Operation::PointToPoint => &[Neighbours, Ring],
        }
    }

    /// `true` if the algorithm can do it.
    pub fn accepts(self, algorithm: Algorithm) -> bool {
        self.algorithms().contains(&algorithm)
    }
}

impl Algorithm {
    /// All algorithms.
    pub const ALL: [Algorithm; 6] = [
        Algorithm::Ring,
        Algorithm::Tree,
        Algorithm::RecursiveDoubling,
        Algorithm::AllPairs,
        Algorithm::Neighbours,
        Algorithm::Rail,
    ];

    /// Returns the name in a spec.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Ring => "ring",
            Algorithm::Tree => "tree",
            Algorithm::RecursiveDoubling => "recursive-doubling",
            Algorithm::AllPairs => "all-pairs",
            Algorithm::Neighbours => "neighbours",
            Algorithm::Rail => "rail",
        }
    }

    /// `true` if the algorithm works with that number of members.
    pub fn fits(self, members: usize) -> bool {
        self != Algorithm::RecursiveDoubling || members.is_power_of_two()
    }
}

impl Collective {
    /// A collective with the bytes of the model.
    pub fn of(along: Dimension, operation: Operation, algorithm: Algorithm) -> Collective {
        Collective { along, operation, algorithm, bytes: None }
    }
}

impl Job {
    /// Number of ranks.
    pub fn ranks(&self) -> u32 {
        self.tp * self.cp * self.dp * self.pp
    }

    /// Members of a group along a dimension.
    pub fn degree(&self, dimension: Dimension) -> u32 {
        match dimension {
            Dimension::Tp => self.tp,
            Dimension::Cp => self.cp,
            Dimension::Ep => self.ep,
            Dimension::Dp => self.cp * self.dp,
            Dimension::Edp => self.cp * self.dp / self.ep,
            Dimension::Pp => self.pp,
        }
    }

    /// Micro-batches of a step on each replica.
    pub fn micro_batches(&self, model: &Model) -> u32 {
        model.global_batch / (model.micro_batch * self.dp)
    }

    /// Number of nodes, where ranks fill their nodes.
    pub fn node_count(&self) -> u32 {
        self.ranks().div_ceil(self.ranks_per_pe)
    }

    /// The nodes, where ranks fill them in order.
    pub fn span(&self) -> Range<u32> {
        let first = self.node_of(0);
        first..first + self.node_count()
    }

    /// The node of a rank.
    pub fn node_of(&self, rank: u32) -> u32 {
        self.nodes.as_ref().map_or(rank / self.ranks_per_pe, |nodes| nodes[rank as usize])
    }
}
