//! A spec as written: every field is the text that was typed, empty if it is not given.

use super::{
    MAX_DIMENSIONS, MAX_DISTANCE, MAX_NAME, MAX_NIS, MAX_PES, MAX_PORTS, MAX_PRICE, MAX_SLACK, MAX_SWITCHES,
    MAX_WEIGHT, MIN_PORTS,
};
use crate::form::{Choice, Field, Kind, form};

const PRICE: Field = Field::number("Price", 0.0, MAX_PRICE).hint("–");
const FILE: Field = Field::new("File", Kind::Syntax("the path of a file")).hint("–");

const OBJECTIVES: &[Choice] = &[
    Choice::new("sparse", "Sparse: every requested pair"),
    Choice::new("universal", "Universal: every pair"),
    Choice::new("fractional", "Fractional: as much weight as fits"),
];

const UPLINKS: &[Choice] = &[
    Choice::new("separate", "A switch of its own"),
    Choice::new("folded", "The last of the widest switches"),
];

const PLACEMENTS: &[Choice] = &[Choice::new("on", "on"), Choice::new("off", "not on")];

const FACTORIZATIONS: &[Choice] =
    &[Choice::new("balanced", "Balanced factorization"), Choice::new("all", "All factorizations")];

const NEIGHBOURS: &[Choice] = &[
    Choice::new("nearest", "Nearest: ±1 along an axis"),
    Choice::new("diagonal", "Diagonal: also across corners"),
    Choice::new("power-of-two", "Power of two: ±1, 2, 4 …"),
    Choice::new("axis", "Axis: all along an axis"),
];

form! {
    /// A spec as written.
    pub struct SpecForm {
        /// Name of the machine.
        name: Field::new("Name", Kind::Text { max: MAX_NAME }),
        /// Number of nodes (PEs in the papers).
        pes: Field::whole("Nodes", 1, MAX_PES as u64),
        /// Network interfaces of each node (NIs in the papers), unless there are node groups.
        nis_per_pe: Field::whole("NICs per node", 1, MAX_NIS as u64),
        /// NIC 0 of each node connects only to the switches of plane 0, NIC 1 to those of plane 1, and so on.
        rail: Field::new("Rails", Kind::Flag).or("false"),
        /// Pairs of nodes that must share a switch.
        objective: Field::new("Objective", Kind::Choice(OBJECTIVES)).or("sparse"),
        /// Price of one NIC.
        ni_price: Field { label: "NIC price", ..PRICE },
        /// Price of one cable.
        cable_price: Field { label: "Cable price", ..PRICE },
        /// Price of one metre of cable, added to the price of each cable.
        metre_price: Field { label: "Price per metre", ..PRICE },
        /// Length added to every cable, for the way up and down its racks.
        cable_slack: Field::number("Cable slack", 0.0, MAX_SLACK).unit("m").or("2"),
    }
    tables {
        /// Nodes with different numbers of NICs, in node order.
        pe_group: Vec<PeGroupForm> = "pe_group", "Node group",
        /// The switch catalogue.
        switch: Vec<SwitchForm> = "switch", "Switch model",
        /// Reserved ports of single switches.
        keep: Vec<KeepForm> = "keep", "Port reservation",
        /// The switch that joins all others.
        uplink: Option<UplinkForm> = "uplink", "Uplink switch",
        /// Positions of nodes and switches.
        rack: Vec<RackForm> = "rack", "Rack",
        /// Nodes that must or must not be on a switch.
        placement: Vec<PlacementForm> = "placement", "Placement",
        /// The patterns to serve.
        pattern: Vec<PatternForm> = "pattern", "Pattern",
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
        nis: Field::whole("NICs per node", 1, MAX_NIS as u64),
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
        /// Max number of switches of this model. Empty: as many as the NICs need.
        count: Field::whole("Max count", 1, MAX_SWITCHES as u64).hint("any"),
    }
}

form! {
    /// Reserved ports of one switch, as written.
    pub struct KeepForm {
        /// Number of the switch.
        switch: Field::whole("Switch", 0, MAX_SWITCHES as u64 - 1),
        /// Ports left free on it, instead of the reserved ports of its model.
        ports: Field::whole("Reserved ports", 0, MAX_PORTS as u64 - 1),
    }
}

form! {
    /// The switch that joins all others, as written.
    pub struct UplinkForm {
        /// A switch of its own, or one of the design's switches.
        kind: Field::new("Kind", Kind::Choice(UPLINKS)).or("separate"),
        /// Spare nodes, each with one cable to the uplink switch.
        spares: Field::whole("Hot spares", 0, MAX_PORTS as u64).or("0"),
        /// Price of a separate uplink switch.
        price: PRICE,
    }
}

form! {
    /// Position of some nodes and switches, as written.
    pub struct RackForm {
        /// Nodes in the rack.
        pes: Field::whole("Nodes", 0, MAX_PES as u64).or("0"),
        /// Switches in the rack.
        switches: Field::whole("Switches", 0, MAX_SWITCHES as u64).or("0"),
        /// Position along the row of racks. Empty: next to the rack before.
        x: Field::number("Along", -MAX_DISTANCE, MAX_DISTANCE).unit("m").hint("beside the previous rack"),
        /// Position across the row of racks.
        y: Field::number("Across", -MAX_DISTANCE, MAX_DISTANCE).unit("m").or("0"),
    }
}

form! {
    /// Nodes that must or must not be on switches, as written.
    pub struct PlacementForm {
        /// Numbers of the nodes, such as 0-7, 12.
        pes: Field::new("Nodes", Kind::Set).hint("0-7, 12"),
        /// Numbers of the switches, such as 0, 3.
        switches: Field::new("Switches", Kind::Set).hint("0, 3"),
        /// Rule for the nodes: on each of the switches, or on none of them.
        kind: Field::new("Rule", Kind::Choice(PLACEMENTS)).or("on"),
    }
}

form! {
    /// A pattern, as written.
    pub struct PatternForm {
        /// Name of the pattern in the list of patterns.
        kind: Field::new("Kind", Kind::Syntax("the name of a pattern")),
        /// Sizes of a torus or grid, such as 16x8.
        dims: Field::new("Sizes", Kind::Sizes).hint("16x8"),
        /// Number of dimensions, if no sizes are given.
        dimensions: Field::whole("Dimensions", 1, MAX_DIMENSIONS),
        /// Factorizations of the node count to use, if no sizes are given.
        factorizations: Field::new("Factorizations", Kind::Choice(FACTORIZATIONS)).or("balanced"),
        /// Nodes that count as neighbours on a torus or grid.
        neighbours: Field::new("Neighbours", Kind::Choice(NEIGHBOURS)).or("nearest"),
        /// Importance of each pair.
        weight: Field::number("Weight", 1e-9, 1e9).or("1"),
        /// Shared switches required for each pair.
        links: Field::whole("Links per pair", 1, MAX_NIS as u64).or("1"),
        /// Additional shared switches for each pair, as far as the hardware allows.
        extra: Field::whole("Extra links", 0, MAX_NIS as u64).or("0"),
        /// Path of a matrix file, read only at the command line.
        file: FILE,
        /// Pairs of a matrix, a line each: a b weight.
        pairs: Field::new("Pairs", Kind::Pairs).hint("–"),
        /// Smallest weight of a pair; lighter pairs are left out.
        threshold: Field::number("Min weight", 0.0, MAX_WEIGHT).hint("0"),
    }
}

form! {
    /// The existing wiring, as written.
    pub struct StartForm {
        /// Max number of cables that may move.
        moves: Field::whole("Max moved cables", 0, MAX_PES as u64 * MAX_NIS as u64).hint("no limit"),
        /// Keep every cable and permute node numbers instead.
        renumber: Field::new("Renumber nodes only", Kind::Flag).or("false"),
        /// Path of a table file, read only at the command line.
        file: FILE,
        /// The wiring table, a line per switch: `switch: node node node`.
        table: Field::new("Wiring table", Kind::Lines).hint("–"),
    }
}
