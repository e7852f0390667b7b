//! A spec as written: every field is the text that was typed, empty if it is not given.

use super::{
    MARKET, MARKETS, MAX_DISTANCE, MAX_NAME, MAX_NIS, MAX_PES, MAX_PORTS, MAX_PRICE, MAX_SLACK, MAX_SWITCHES,
    MAX_WEIGHT, MIN_PORTS, PatternForm,
    assumptions::EstimateForm,
    job::{DEFAULT_LIBRARY, MAX_JOBS, MAX_RANKS, MAX_RANKS_PER_PE},
    names::{NODE_PREFIX, SWITCH_PREFIX},
    patterns::{groups::WITHIN, measured::FILE},
};
use crate::form::{Choice, Field, FieldKind, OneOrMore, form};

const PRICE: Field = Field::number("Price", 0.0, MAX_PRICE).hint("–");
const NAME: FieldKind = FieldKind::Syntax("a prefix or a template");

const OBJECTIVES: &[Choice] = &[
    Choice::new("sparse", "Sparse: every requested pair"),
    Choice::new("universal", "Universal: every pair"),
    Choice::new("fractional", "Fractional: as much weight as fits"),
    Choice::new("time", "Time: every requested pair, and the fastest step"),
];

const UPLINKS: &[Choice] = &[
    Choice::new("separate", "Switches of their own"),
    Choice::new("folded", "The last of the widest switches"),
];

const PLACEMENTS: &[Choice] = &[Choice::new("on", "on"), Choice::new("off", "not on")];

const ALGORITHMS: &[Choice] = &[
    WITHIN[0],
    WITHIN[1],
    WITHIN[2],
    WITHIN[3],
    WITHIN[4],
    Choice::new("rail", "By rail: inside the node first"),
];

const DIMENSIONS: &[Choice] = &[
    Choice::new("tp", "Tensor (tp)"),
    Choice::new("cp", "Context (cp)"),
    Choice::new("ep", "Expert (ep)"),
    Choice::new("dp", "Data (dp)"),
    Choice::new("edp", "Data, experts (edp)"),
    Choice::new("pp", "Pipeline (pp)"),
];

const OPERATIONS: &[Choice] = &[
    Choice::new("all-reduce", "All-reduce"),
    Choice::new("gather-scatter", "All-gather and reduce-scatter"),
    Choice::new("all-to-all", "All-to-all"),
    Choice::new("point-to-point", "Point-to-point"),
];

const LIBRARIES: &[Choice] = &[
    Choice::new("nccl", "NCCL"),
    Choice::new("mpi", "MPI (UCX)"),
    Choice::new("any", "Any: all shared switches"),
];

const DEGREE: Field = Field::whole("", 1, MAX_RANKS as u64).or("1");
const COUNT: Field = Field::whole("", 1, 1 << 30);
const JOB: Field = Field::whole("Job", 0, MAX_JOBS as u64 - 1).or("0");

form! {
    /// A spec as written.
    pub struct SpecForm {
        /// Name of the machine.
        name: Field::new("Name", FieldKind::Text { max: MAX_NAME }).hint("–"),
        /// Number of nodes (PEs in the papers).
        pes as "nodes": Field::whole("Nodes", 1, MAX_PES as u64).was("pes"),
        /// Network interfaces of each node (NIs in the papers). Not with node groups, which have their own.
        nis_per_pe as "nics_per_node": Field::whole("NICs per node", 1, MAX_NIS as u64).was("nis_per_pe"),
        /// NIC 0 of each node connects only to the switches of plane 0, NIC 1 to those of plane 1, and so on.
        rail: Field::new("Rails", FieldKind::Flag).or("false").folded(),
        /// Pairs of nodes that must share a switch. For a job whose bytes are known, the default is `time`.
        objective: Field::new("Objective", FieldKind::Choice(OBJECTIVES)).or("sparse"),
        /// Nodes forward the traffic of pairs without a shared switch. RoCE and InfiniBand NICs can't. Empty: yes, unless the job's
        /// library is NCCL or MPI.
        forwarding: Field::new("Forwarding by nodes", FieldKind::Flag).hint("yes, but no with NCCL and MPI").folded(),
        /// Speeds and latencies of comparisons, and the prices if the spec has none.
        market: Field::new("Market", FieldKind::Choice(MARKETS)).or(MARKET),
        /// Price of one NIC.
        ni_price as "nic_price": Field { label: "NIC price", ..PRICE }.was("ni_price"),
        /// Price of one cable.
        cable_price: Field { label: "Cable price", ..PRICE }.beside("nic_price"),
        /// Price of one metre of cable, added to the price of each cable.
        metre_price: Field { label: "Price per metre", ..PRICE }.folded(),
        /// Length added to every cable, for the way up and down its racks.
        cable_slack: Field::number("Cable slack", 0.0, MAX_SLACK).unit("m").or("2").folded().beside("metre_price"),
    }
    tables {
        /// Nodes with different numbers of NICs, in node order.
        pe_group: Vec<PeGroupForm> = "node_group" was "pe_group", "Node group",
        /// The switch catalogue.
        switch: Vec<SwitchForm> = "switch", "Switch model",
        /// Reserved ports of single switches.
        keep: Vec<KeepForm> = "keep", "Port reservation",
        /// The switches that join all others.
        uplink: Option<UplinkForm> = "uplink", "Uplink switch",
        /// Positions of nodes and switches.
        rack: Vec<RackForm> = "rack", "Rack",
        /// Names of nodes, switches, racks, NICs and ports.
        names: Option<NamesForm> = "names", "Names",
        /// Nodes that must or must not be on a switch.
        placement: Vec<PlacementForm> = "placement", "Placement",
        /// The patterns to serve.
        pattern: Vec<PatternForm> = "pattern", "Pattern",
        /// The training job, or several that run at the same time. Their communication is added to the patterns.
        job: OneOrMore<JobForm> = "job", "Training job",
        /// The model that a job trains; it gives the bytes of each dimension.
        model: OneOrMore<ModelForm> = "model", "Model",
        /// Assumptions on the time of the job's step.
        assumptions: Option<EstimateForm> = "assumptions", "Assumptions",
        /// The communication along one dimension of a job, instead of the usual one.
        collective: Vec<CollectiveForm> = "collective", "Collective",
        /// The existing wiring.
        start: Option<StartForm> = "start", "Existing wiring",
    }
}

form! {
    /// Nodes with the same number of NICs, as written.
    pub struct PeGroupForm {
        /// Number of nodes in the group.
        count: Field::whole("Nodes", 1, MAX_PES as u64),
        /// NICs of each node in the group.
        nis as "nics": Field::whole("NICs per node", 1, MAX_NIS as u64).was("nis"),
    }
}

form! {
    /// A switch model, as written.
    pub struct SwitchForm {
        /// Ports of one switch.
        ports: Field::whole("Ports", MIN_PORTS as u64, MAX_PORTS as u64),
        /// Ports left free on each switch, for example for an uplink.
        reserve: Field::whole("Reserved", 0, MAX_PORTS as u64 - 1).or("0"),
        /// Price of one switch.
        price: PRICE,
        /// Switches in stock. Empty: unlimited; the design has as many as its NICs need.
        count: Field::whole("Max count", 1, MAX_SWITCHES as u64).hint("any"),
    }
}

form! {
    /// Reserved ports of one switch, as written.
    pub struct KeepForm {
        /// Number of the switch.
        switch: Field::whole("Switch", 0, MAX_SWITCHES as u64 - 1),
        /// Ports left free on the switch, instead of the reserved ports of its model.
        ports: Field::whole("Reserved ports", 0, MAX_PORTS as u64 - 1),
    }
}

form! {
    /// The switches that join all others, as written.
    pub struct UplinkForm {
        /// Separate uplink switches, or one of the spec's own switches. With `rail`, each plane has its own uplink switches.
        kind: Field::new("Kind", FieldKind::Choice(UPLINKS)).or("separate"),
        /// Cables from each switch to uplink switches. More cables carry more traffic, but leave fewer ports for nodes.
        links: Field::whole("Cables per switch", 1, MAX_PORTS as u64 - 1).or("1"),
        /// Ports of a separate uplink switch. The cables decide the number of uplink switches, which is at most `links`.
        /// Empty: as many ports as one uplink switch needs.
        ports: Field::whole("Ports", MIN_PORTS as u64, MAX_PORTS as u64).hint("as needed"),
        /// Spare nodes, each with one cable to the first uplink switch.
        spares: Field::whole("Hot spares", 0, MAX_PORTS as u64).or("0"),
        /// Price of one separate uplink switch.
        price: PRICE.beside("ports"),
    }
}

form! {
    /// Position of some nodes and switches, as written.
    pub struct RackForm {
        /// Nodes in the rack.
        pes as "nodes": Field::whole("Nodes", 0, MAX_PES as u64).was("pes").or("0"),
        /// Switches in the rack.
        switches: Field::whole("Switches", 0, MAX_SWITCHES as u64).or("0"),
        /// Position along the row of racks. Empty: next to the previous rack.
        x: Field::number("Along", -MAX_DISTANCE, MAX_DISTANCE).unit("m").hint("beside the previous rack"),
        /// Position across the row of racks.
        y: Field::number("Across", -MAX_DISTANCE, MAX_DISTANCE).unit("m").or("0"),
    }
}

form! {
    /// Names of parts, as written. A template has placeholders, such as gpu{rack}-{slot:02}.
    pub struct NamesForm {
        /// Host names of nodes: a prefix, or a template with {number}, {rack} and {slot}.
        nodes: Field::new("Nodes", NAME).or(NODE_PREFIX),
        /// Host names of switches: a prefix, or a template with {number}, {rack}, {slot} and {plane}.
        switches: Field::new("Switches", NAME).or(SWITCH_PREFIX),
        /// Names of racks: a template with {row} (a letter), {place} (from 1 in each row) and {number} (from 0).
        racks: Field::new("Racks", NAME).or("{row}{place:02}"),
        /// Host name of a separate uplink switch. If there are several, each name ends with its number.
        uplink: Field::new("Uplink switch", FieldKind::Syntax("a host name")).or("uplink"),
        /// Host names of spare nodes: a prefix, or a template with {number}.
        spares: Field::new("Spares", NAME).or("spare"),
        /// NICs of a node: a prefix, a template with {nic}, or each NIC's name, separated with spaces.
        interface: Field::new("NICs", FieldKind::Syntax("a prefix, a template or a list of names")).or("eth"),
        /// Ports of a switch: a prefix, or a template with {port}, from 1, or {index}, from 0. Empty: swp, or the vendor's
        /// names in a switch's configuration.
        port: Field::new("Ports", NAME).hint("swp, or the vendor's names"),
    }
}

form! {
    /// Nodes that must or must not be on switches, as written.
    pub struct PlacementForm {
        /// Numbers of the nodes, such as 0-7, 12.
        pes as "nodes": Field::new("Nodes", FieldKind::Set).was("pes").hint("0-7, 12"),
        /// Numbers of the switches, such as 0, 3.
        switches: Field::new("Switches", FieldKind::Set).hint("0, 3"),
        /// Rule for the nodes: on each of the switches, or on none of them.
        kind: Field::new("Rule", FieldKind::Choice(PLACEMENTS)).or("on"),
    }
}

form! {
    /// A training job, as written.
    pub struct JobForm {
        /// Share of the nodes that the job runs on. Jobs take nodes in the order of the file. Empty: all nodes that other jobs leave.
        share: Field::number("Share of the nodes", 1e-6, 1.0).hint("the rest"),
        /// Ranks (GPUs) of each node.
        ranks_per_pe as "ranks_per_node": Field::whole("Ranks per node", 1, MAX_RANKS_PER_PE as u64).was("ranks_per_pe").or("8"),
        /// Tensor-parallel degree.
        tp: Field { label: "Tensor (tp)", ..DEGREE },
        /// Context-parallel degree.
        cp: Field { label: "Context (cp)", ..DEGREE },
        /// Expert-parallel degree, inside context and data parallelism.
        ep: Field { label: "Expert (ep)", ..DEGREE },
        /// Data-parallel degree. Empty: as many replicas as the ranks allow.
        dp: Field { label: "Data (dp)", ..DEGREE }.or("").hint("the rest"),
        /// Pipeline-parallel degree.
        pp: Field { label: "Pipeline (pp)", ..DEGREE },
        /// Order in which ranks are numbered, the fastest dimension first. With the default, the ranks of a tensor-parallel group have
        /// consecutive numbers.
        order: Field::new("Rank order", FieldKind::Syntax("tp, cp, ep, dp and pp in any order, joined by -")).or("tp-cp-ep-dp-pp"),
        /// Pipeline stages of each rank.
        virtual_stages: Field { label: "Pipeline stages per rank", ..DEGREE },
        /// Library that chooses the NICs between two nodes.
        library: Field::new("Library", FieldKind::Choice(LIBRARIES)).or(DEFAULT_LIBRARY.name()),
        /// A line `rank node` per rank. Empty: ranks fill the nodes in order. Not with `rank_file`.
        ranks: Field::new("Ranks on nodes", FieldKind::Lines).hint("in order"),
        /// Path of a file with the node of each rank, read only at the command line.
        rank_file: Field { label: "Rank file", ..FILE },
    }
}

form! {
    /// The shape of a model and of its training step, as written.
    pub struct ModelForm {
        /// Number of the job, from 0.
        job: JOB,
        /// Parameters of the model.
        parameters: Field::number("Parameters", 1.0, 1e18),
        /// Parameters that one token uses, in a model with experts.
        active_parameters: Field::number("Parameters per token", 1.0, 1e18).hint("all"),
        /// Layers of the model.
        layers: Field { label: "Layers", ..COUNT },
        /// Layers with experts.
        expert_layers: Field { label: "Layers with experts", ..COUNT }.hint("all"),
        /// Hidden size.
        hidden: Field { label: "Hidden size", ..COUNT },
        /// KV heads times head size. With grouped-query attention, this is less than the hidden size.
        kv_hidden: Field { label: "Key width", ..COUNT }.hint("hidden size"),
        /// Tokens of a sequence.
        sequence: Field { label: "Sequence length", ..COUNT }.unit("tokens"),
        /// Sequences of a micro-batch.
        micro_batch: Field { label: "Micro-batch", ..COUNT }.unit("sequences").or("1"),
        /// Sequences of a step, over all replicas.
        global_batch: Field { label: "Global batch", ..COUNT }.unit("sequences"),
        /// Routed experts of a layer.
        experts: Field::whole("Experts", 0, 1 << 20).or("0"),
        /// Experts that each token is sent to.
        top_k: Field::whole("Experts per token", 1, 1 << 20).or("1"),
        /// Max nodes that the router sends a token to.
        max_expert_nodes: Field { label: "Max nodes per token", ..COUNT }.hint("no limit"),
        /// Bytes of an activation or a parameter.
        bytes_per_element: Field::number("Bytes per element", 0.1, 16.0).or("2"),
        /// Bytes of a gradient as it is sent.
        gradient_bytes: Field::number("Bytes per gradient", 0.1, 16.0).or("4"),
        /// ZeRO stage: 1 shards optimizer states, 2 gradients, 3 parameters.
        zero: Field::whole("ZeRO stage", 0, 3).or("0"),
    }
}

form! {
    /// The communication along one dimension of a job, as written.
    pub struct CollectiveForm {
        /// Number of the job, from 0.
        job: JOB,
        /// Dimension of the job.
        along: Field::new("Dimension", FieldKind::Choice(DIMENSIONS)),
        /// Operation of each group.
        operation: Field::new("Operation", FieldKind::Choice(OPERATIONS)).hint("usual"),
        /// Algorithm of the operation.
        algorithm: Field::new("Algorithm", FieldKind::Choice(ALGORITHMS)).hint("usual"),
        /// Bytes of the operation per rank and step. Empty: from the model.
        bytes: Field::number("Bytes", 0.0, MAX_WEIGHT).hint("from the model"),
    }
}

form! {
    /// The existing wiring, as written.
    pub struct StartForm {
        /// Max number of cables that may move.
        moves: Field::whole("Max moved cables", 0, MAX_PES as u64 * MAX_NIS as u64).hint("no limit"),
        /// Keep every cable and change only the numbers of nodes. Not with `moves`.
        renumber: Field::new("Renumber nodes only", FieldKind::Flag).or("false").beside("moves"),
        /// Path of a table file, read only at the command line.
        file: FILE,
        /// The wiring table, a line per switch: `switch: node node node`.
        table: Field::new("Wiring table", FieldKind::Lines).hint("–"),
    }
}
