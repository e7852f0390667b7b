//! 1. The request: number of PEs, hardware, patterns to serve.
//!
//! [`SpecForm`] is a spec as typed; [`Spec`] is valid by construction. [`resolve`](crate::resolve) turns the first into
//! the second or lists every fault.

pub mod assumptions;
mod form;
pub mod job;
pub mod link;
pub mod matrix;
pub mod names;
pub mod patterns;
pub mod ports;
mod sets;

pub use crate::form::{
    Fault, Faults,
    toml::{MAX_BYTES as MAX_SPEC_BYTES, MAX_ENTRIES},
};
pub use form::{
    CollectiveForm, JobForm, KeepForm, ModelForm, NamesForm, PeGroupForm, PlacementForm, RackForm, SpecForm,
    StartForm, SwitchForm, UplinkForm,
};
pub use patterns::{
    Parameters, Pattern, PatternForm, PatternKind,
    lattice::{Lattice, Neighbours, Shape},
    measured::Matrix,
};

use crate::form::{Choice, Described, named, record};
use assumptions::EstimateSettings;
use serde::{Deserialize, Serialize};
use sets::{NODES, SWITCHES};
use std::sync::Arc;

/// Max number of PEs (nodes).
pub const MAX_PES: u32 = 1 << 20;
/// Max network interfaces (NIs) per PE.
pub const MAX_NIS: u32 = 64;
/// Min ports of a switch.
pub const MIN_PORTS: u32 = 2;
/// Max ports of a switch.
pub const MAX_PORTS: u32 = 4096;
/// Max patterns in one spec: a pair's patterns are a 32-bit mask.
pub const MAX_PATTERNS: usize = 32;
/// Max pairs of one demand, to limit memory.
pub const MAX_PAIRS: usize = 1 << 25;
/// Max dimensions whose sizes are given one by one.
pub const MAX_DIMS: usize = 6;
/// Max PEs, switches and PE-switch pairs of all placements.
pub const MAX_PLACED: usize = 1 << 22;
/// Max price.
pub const MAX_PRICE: f64 = 1e12;
/// Max metres added to every cable.
pub const MAX_SLACK: f64 = 1000.0;
/// Max metres from the first rack to any other, along or across.
pub const MAX_DISTANCE: f64 = 10_000.0;
/// Max dimensions of a torus or grid without sizes.
pub const MAX_DIMENSIONS: u64 = 4;
/// Max weight of a pair: products and sums of weights stay finite.
pub const MAX_WEIGHT: f64 = 1e18;
/// Default distance between racks in metres.
pub const RACK_PITCH: f64 = 0.6;
/// Default metres added to every cable.
pub const CABLE_SLACK: f64 = 2.0;
/// Max switches of a spec.
pub const MAX_SWITCHES: u32 = 1 << 24;
/// Max characters of a name.
pub const MAX_NAME: usize = 120;

/// Markets that come with the program, by key: prices and speeds of [`compare`](crate::compare).
pub const MARKETS: &[Choice] = &[
    Choice::new("1g", "1G Ethernet (assumed prices)"),
    Choice::new("10g", "10G Ethernet (assumed prices)"),
    Choice::new("25g", "25G Ethernet (assumed prices)"),
    Choice::new("100g", "100G RDMA (assumed prices)"),
    Choice::new("200g", "200G RDMA (assumed prices)"),
    Choice::new(MARKET, "400G RDMA (assumed prices)"),
    Choice::new("800g", "800G RDMA (assumed prices)"),
    Choice::new("1998", "Fast Ethernet, Spring 1998"),
    Choice::new("1999", "Myrinet, November 1999"),
];
/// Default market.
pub const MARKET: &str = "400g";

record! {
    /// A valid request: only [`resolve`](crate::resolve) makes one.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Spec {
        /// Name for people.
        pub name: String,
        /// Number of PEs, 1 to [`MAX_PES`].
        pub pes as "nodes": u32,
        /// `true` if NI i of a PE connects only to switches of plane i; see [`Spec::plane_of`].
        pub rail: bool,
        /// Kind of network.
        pub objective: Objective,
        /// `true` if nodes pass on traffic of nodes that no switch joins; `None`: unless the jobs' library is NCCL or MPI. See
        /// [`Spec::forwards`].
        pub forwarding: Option<bool>,
        /// Key of its market, one of [`MARKETS`]: speeds and latencies, and prices if the spec has none.
        pub market in MARKETS: &'static str,
        /// Price of one NI, if given.
        pub ni_price as "nic_price": Option<f64>,
        /// Price of one cable, if given.
        pub cable_price: Option<f64>,
        /// Price of a metre of cable, if given.
        pub metre_price: Option<f64>,
        /// Metres added to every cable, for the way up and down its racks.
        pub cable_slack: f64,
        /// PEs with equal numbers of NIs, in PE order; the counts add up to `pes`.
        pub pe_groups: Vec<PeGroup> = Vec::new(),
        /// The switch catalogue, in the order switches are numbered; never empty.
        pub switches: Vec<SwitchModel> = Vec::new(),
        /// Switches of the model without a count beyond those that the NIs need; see [`Spec::grown`].
        pub further: u32 = 0,
        /// Patterns to serve.
        pub patterns: Vec<Pattern> = Vec::new(),
        /// The switches that join all others, if any.
        pub uplink: Option<Uplink> = None,
        /// Reserved ports of single switches, ascending by switch; they replace the model's `reserve`.
        pub kept: Vec<ReservedPorts> = Vec::new(),
        /// PEs that must or must not be on a switch.
        pub placements: Vec<Placement> = Vec::new(),
        /// Racks of PEs and switches; empty if not given.
        pub racks: Vec<Rack> = Vec::new(),
        /// Names of parts.
        pub names: names::NameScheme = names::NameScheme::default(),
        /// The existing wiring.
        pub start: Option<Start> = None,
        /// Training jobs that run at the same time on different nodes; [`Spec::patterns`] ends with their communication.
        pub jobs: Vec<job::Job> = Vec::new(),
        /// Assumptions on the time of the job's step; the defaults without a job.
        pub assumptions: EstimateSettings = EstimateSettings::default(),
    }
}

record! {
    /// Switches that join all others (Dietz and Mattox 2000, section 2): nodes without a shared switch reach each other over
    /// them, and the world outside. How many there are follows: see [`Spec::spine`].
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Uplink {
        /// `true` if the last switch of the widest model is the only uplink switch, with reserved ports for each other switch.
        pub folded as "kind" in UPLINKS: bool,
        /// Cables from each switch; at least 1.
        pub links: u32,
        /// Ports of an uplink switch; `None` for as many as its cables need, and for a folded one.
        pub ports: Option<u32>,
        /// PEs kept ready to stand in for others ("hot spares"), each with one cable to the first uplink switch.
        pub spares: u32,
        /// Price of an uplink switch, unless it is folded.
        pub price: Option<f64>,
    }
}

record! {
    /// Reserved ports of one switch.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ReservedPorts {
        /// The switch.
        pub switch: u32,
        /// Number of its ports.
        pub ports: u32,
    }
}

record! {
    /// PEs that must be, or must not be, on each of some switches.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Placement {
        /// `true` if they must be on them, `false` if they must not.
        pub on as "kind" in PLACEMENTS: bool,
        /// PEs, ascending.
        pub pes as "nodes" in NODES: Vec<u32>,
        /// Switches, ascending.
        pub switches in SWITCHES: Vec<u32>,
    }
}

record! {
    /// Position of a rack, and how many PEs and switches it has. Numbers continue from rack to rack.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Rack {
        /// Number of PEs.
        pub pes as "nodes": u32,
        /// Number of switches.
        pub switches: u32,
        /// Metres along the row of racks.
        pub x: f64,
        /// Metres across.
        pub y: f64,
    }
}

record! {
    /// An existing wiring, and how much of it may change.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Start {
        /// The PEs of each switch, ascending; below [`Spec::pes`], within the NIs and ports of the spec.
        pub switches: Arc<[Vec<u32>]> = Arc::default(),
        /// Max cables that may move; `None` for no limit. A cable to an idle NI is not a move.
        pub moves: Option<u32>,
        /// `true` if every cable stays and PE numbers are permuted instead.
        pub renumber: bool,
    }
}

record! {
    /// PEs that follow each other and have the same number of NIs.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct PeGroup {
        /// Number of PEs.
        pub count: u32,
        /// NIs of each, 1 to [`MAX_NIS`].
        pub nis as "nics": u32,
    }
}

record! {
    /// One kind of switch that may be bought.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct SwitchModel {
        /// Ports, [`MIN_PORTS`] to [`MAX_PORTS`].
        pub ports: u32,
        /// Ports reserved on each, for example for an uplink; less than `ports`.
        pub reserve: u32,
        /// Price of one, if given.
        pub price: Option<f64>,
        /// Switches in stock. `None`, allowed for one model and for all of a hardware search: stock is unlimited.
        pub count: Option<u32>,
    }
}

/// The words of each choice.
const UPLINKS: [(&str, bool); 2] = [("separate", false), ("folded", true)];
const PLACEMENTS: [(&str, bool); 2] = [("on", true), ("off", false)];

impl Uplink {
    /// Keys of fields that only uplink switches of their own have.
    pub const SEPARATE: [&str; 2] = ["price", "ports"];
}

impl PeGroup {
    /// PEs with that many NIs.
    pub fn of(count: u32, nis: u32) -> PeGroup {
        PeGroup { count, nis }
    }
}

impl Rack {
    /// A rack at the beginning of the row.
    pub fn of(pes: u32, switches: u32) -> Rack {
        Rack { pes, switches, x: 0.0, y: 0.0 }
    }
}

impl Default for Uplink {
    /// The uplink of an empty table.
    fn default() -> Uplink {
        UplinkForm::default().record()
    }
}

impl SwitchModel {
    /// A model with those ports and nothing else said of it.
    pub fn of(ports: u32) -> SwitchModel {
        let least = SwitchForm { ports: MIN_PORTS.to_string(), ..SwitchForm::default() };
        SwitchModel { ports, ..least.record() }
    }

    /// Ports not reserved. [`Spec::usable_of`] also counts uplinks and reservations of single switches.
    pub fn usable(&self) -> u32 {
        self.ports - self.reserve
    }
}

/// The three kinds of flat neighbourhood network (Mattox 2006, section 2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Objective {
    /// Every pair of PEs shares a switch.
    Universal,
    /// Every requested pair shares a switch.
    Sparse,
    /// The most weight of requested pairs that the hardware allows.
    Fractional,
    /// Every requested pair shares a switch, and the traffic is done as soon as possible.
    Time,
}

named! { Objective }

impl Objective {
    /// All objectives.
    pub const ALL: [Objective; 4] =
        [Objective::Sparse, Objective::Universal, Objective::Fractional, Objective::Time];

    /// Returns the name in a spec.
    pub fn name(self) -> &'static str {
        match self {
            Objective::Universal => "universal",
            Objective::Sparse => "sparse",
            Objective::Fractional => "fractional",
            Objective::Time => "time",
        }
    }
}

impl Spec {
    /// `true` if a wiring for one spec is as good for the other: only names, prices, places of parts, the market, settings of the
    /// job, assumptions, or weights without a fractional objective differ. The pairs of a job are among the patterns.
    pub fn has_same_wirings(&self, other: &Spec) -> bool {
        self == other || self.wiring_inputs() == other.wiring_inputs()
    }

    /// The spec without what no wiring depends on.
    fn wiring_inputs(&self) -> Spec {
        let is_timed = self.objective == Objective::Time;
        let mut inputs = Spec {
            name: String::new(),
            market: if is_timed { self.market } else { MARKET },
            forwarding: None,
            ni_price: None,
            cable_price: None,
            metre_price: None,
            cable_slack: CABLE_SLACK,
            racks: Vec::new(),
            names: names::NameScheme::default(),
            jobs: if is_timed { self.jobs.clone() } else { Vec::new() },
            assumptions: if is_timed { self.assumptions.of_wiring() } else { EstimateSettings::default() },
            ..self.clone()
        };
        inputs.switches.iter_mut().for_each(|model| model.price = None);
        inputs.uplink.iter_mut().for_each(|uplink| uplink.price = None);
        if !matches!(self.objective, Objective::Fractional | Objective::Time) {
            for pattern in &mut inputs.patterns {
                pattern.weight = 1.0;
                if let Parameters::Lattice(lattice) = &mut pattern.kind.parameters {
                    lattice.weights.clear();
                }
            }
        }
        inputs
    }

    /// Index of a PE's group; that of the last group for PEs that the spec lacks.
    pub fn group_of(&self, pe: u32) -> usize {
        let ends = self.pe_groups.iter().scan(0, |end, group| {
            *end += group.count;
            Some(*end)
        });
        ends.take_while(|&end| end <= pe).count().min(self.pe_groups.len() - 1)
    }

    /// NIs of a PE.
    pub fn nis_of(&self, pe: u32) -> u32 {
        self.pe_groups[self.group_of(pe)].nis
    }

    /// The patterns that were written, without those of the job.
    pub fn own_patterns(&self) -> &[Pattern] {
        let of_job = |pattern: &&Pattern| matches!(&pattern.kind.parameters, Parameters::Groups(groups) if groups.part.is_some());
        let job = self.patterns.iter().rev().take_while(of_job).count();
        &self.patterns[..self.patterns.len() - job]
    }

    /// `true` if every cable of a start wiring stays, and nodes are renumbered.
    pub fn renumbers(&self) -> bool {
        self.start.as_ref().is_some_and(|start| start.renumber)
    }

    /// The job, if there is only one.
    pub fn only_job(&self) -> Option<&job::Job> {
        if let [job] = &self.jobs[..] { Some(job) } else { None }
    }

    /// Ranks of each node, if all jobs have as many.
    pub fn ranks_per_pe(&self) -> Option<u32> {
        let ranks = self.jobs.first()?.ranks_per_pe;
        self.jobs.iter().all(|job| job.ranks_per_pe == ranks).then_some(ranks)
    }

    /// The library of all jobs; any without a job.
    pub fn library(&self) -> job::Library {
        job::Library::of(&self.jobs)
    }

    /// `true` if a job has a model, so that a step has computing.
    pub fn has_model(&self) -> bool {
        self.jobs.iter().any(|job| job.model.is_some())
    }

    /// `true` if nodes may pass on traffic of nodes that no switch joins.
    pub fn forwards(&self) -> bool {
        self.forwarding.unwrap_or(self.library() == job::Library::Any)
    }

    /// `true` if a pair of nodes without a shared switch counts as served where uplink switches join it: in a search for time. UCX has
    /// no use for uplinks.
    pub fn serves_over_uplinks(&self) -> bool {
        self.objective == Objective::Time && self.uplink.is_some() && self.library() != job::Library::Mpi
    }

    /// NIs of all PEs together.
    pub fn total_nis(&self) -> u64 {
        self.pe_groups.iter().map(|g| u64::from(g.count) * u64::from(g.nis)).sum()
    }

    /// NIs per PE; if PEs have different numbers, the mean, rounded up.
    pub fn mean_nis(&self) -> u32 {
        self.total_nis().div_ceil(self.pes.max(1).into()) as u32
    }
}

/// Text of a spec to begin with: so many nodes, three NICs each, switches with 24 ports, no pattern.
pub fn blank(pes: u32) -> String {
    format!("nodes = {pes}\nnics_per_node = 3\nobjective = \"sparse\"\n\n[[switch]]\nports = 24\n")
}
