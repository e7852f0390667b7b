//! Contract of a hardware search: NIs and switches that are enough, and the cheapest of them.
//!
//! The board of Mattox 2006, section 3.4.5: a row for each number of NIs, a column for each switch model. Feasibility
//! is not monotone in the width, since S = ceil(Nη/ρ) falls as ρ rises: every width is a cell of its own.

mod board;
pub mod candidates;
mod catalogue;
mod frontier;
mod request;

pub use board::{is_no_less, stock_text};
pub use catalogue::{catalogue, mixable, nis_range, unranked};
pub use frontier::{
    DESIGN, DesignOption, Frontier, FrontierRequest, Goal, OFFER_COLUMNS, Offer, OfferColumn, OfferState,
    SLOWEST, money, network_offer,
};
pub use request::{
    BoardForm, HardwareSettings, build_spec, cell_spec, cell_text, crowded, stock_spec, unsuited,
};

use crate::{
    demand::Demand,
    design::Design,
    search::Budget,
    spec::{Spec, SwitchModel},
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Max cells of a hardware search.
pub const MAX_CELLS: usize = 4096;
/// Max NIs in all cells together, since the best wiring of each is kept.
pub const MAX_CELL_NIS: u64 = 1 << 26;

/// Request of a hardware search.
#[derive(Clone, Debug)]
pub struct HardwareRequest {
    /// Everything but the hardware: PEs, patterns, objective, prices. Its NIs and switches are replaced cell by cell.
    pub spec: Arc<Spec>,
    /// The pairs to serve; built from `spec`.
    pub demand: Arc<Demand>,
    /// Min NICs per node.
    pub nis_from: u32,
    /// Max NICs per node.
    pub nis_to: u32,
    /// Switch models, one per column, widest first as in [`catalogue()`]; a `count` is the stock.
    pub catalogue: Vec<SwitchModel>,
    /// Limit of one attempt at a cell. Failed attempts are repeated, each time for twice as long.
    pub cell: Budget,
    /// Limit of the whole search; effort is in million moves. A failed attempt counts in full. A successful one counts as 1,
    /// since its real effort depends on which island was faster.
    pub total: Budget,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Islands to search on in parallel.
    pub threads: u32,
}

/// State of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum CellState {
    /// Not tried.
    #[default]
    Unknown,
    /// Being tried.
    Trying,
    /// A design was found that the checker accepts.
    Solved,
    /// Solved without a search: the wiring of a smaller solved cell fits (fewer NICs, or a width that divides this one).
    Implied,
    /// No wiring found; nothing is proved.
    Failed,
    /// Provably impossible.
    Refuted,
    /// Provably needs more switches than are in stock.
    Stock,
}

impl CellState {
    /// `true` if the cell has a wiring that the checker accepts.
    pub fn is_solved(self) -> bool {
        matches!(self, CellState::Solved | CellState::Implied)
    }
}

/// One NIC count with one switch model, or with a mix of models.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Cell {
    /// NICs per node.
    pub nis: u32,
    /// Index of the switch model in the catalogue; past the last one for a mix of models.
    pub model: usize,
    /// Ports per switch; 0 for a mix of models.
    pub ports: u32,
    /// Usable ports per switch; 0 for a mix of models.
    pub usable: u32,
    /// For the wiring of a mix of models, the switches of each model, in the order of the catalogue.
    #[serde(default)]
    pub mix: Vec<u32>,
    /// Switches: ceil(N * NICs / usable ports), or more if a bound or a construction needs more and stock allows it; for
    /// a solved cell, those of its design.
    pub switches: u32,
    /// Cables: N * NICs, or those of the cell's design.
    pub cables: u64,
    /// Price of switches, cables and N * NICs. `None` if the price of a part is unknown.
    pub cost: Option<f64>,
    /// Sum of the known prices if the price of a part is unknown: the cell costs at least as much.
    #[serde(default)]
    pub known_cost: Option<f64>,
    /// Fewest switches that are not proven to be too few, once known.
    #[serde(default)]
    pub least: Option<u32>,
    /// State.
    pub state: CellState,
    /// Uncovered pairs of the best wiring tried.
    pub uncovered: Option<u64>,
    /// Method that solved it, bound that refutes it, or cell that implies it.
    pub note: String,
    /// Seconds spent on it.
    pub seconds: f64,
    /// Number of attempts.
    pub attempts: u32,
}

/// An attempt at a cell, for the chart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Attempt {
    /// Seconds since the search began when this attempt ended.
    pub elapsed: f64,
    /// NICs per node.
    pub nis: u32,
    /// Index of the switch model in the catalogue.
    pub model: usize,
    /// State after the attempt.
    pub state: CellState,
    /// Uncovered pairs left.
    pub uncovered: u64,
    /// Switches tried, or those of the wiring found.
    #[serde(default)]
    pub switches: u32,
    /// Price of the hardware tried, or of the wiring found. `None` if the price of a part is unknown.
    #[serde(default)]
    pub cost: Option<f64>,
}

/// Progress of a hardware search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Board {
    /// Min NICs per node.
    pub nis_from: u32,
    /// Max NICs per node.
    pub nis_to: u32,
    /// Ports of each model, in columns: widest first. The last column is 0 if its cells mix models.
    pub ports: Vec<u32>,
    /// All cells, row by row, fewest NICs first.
    pub cells: Vec<Cell>,
    /// Attempts, in order.
    pub attempts: Vec<Attempt>,
    /// Indices of the Pareto-optimal cells (fewest NICs, fewest ports).
    pub frontier: Vec<usize>,
    /// Index of the cheapest solved cell among those with a known cost. Ties go to fewer NICs, then to narrower switches.
    pub cheapest: Option<usize>,
    /// Proven lower bound on the cost of all cells whose prices are known.
    #[serde(default)]
    pub least_cost: Option<f64>,
    /// Index of the solved cell with fewest switches, then fewest NICs, if no solved cell has a known cost.
    #[serde(default)]
    pub fewest: Option<usize>,
    /// Missing prices, each a sentence that starts with the field. Models without a price are not ranked by cost.
    #[serde(default)]
    pub unranked: Vec<String>,
    /// Offers of a search for the cheapest network; `None` with the goal `pairs`, whose results are the cells.
    #[serde(default)]
    pub networks: Option<Frontier>,
    /// `true` if nothing is left to try.
    #[serde(default)]
    pub complete: bool,
    /// Current step, in words.
    pub trying: String,
    /// Seconds since the search began.
    pub elapsed: f64,
    /// Number of changes.
    pub revision: u64,
}

/// Observer of a hardware search. Called from one thread.
pub trait BoardObserver: Send {
    /// Called at least four times per second.
    fn board(&mut self, board: &Board);
    /// A cell, or an offer, has a (better) design; `spec` is the one it is for.
    fn design(&mut self, cell: usize, spec: &Spec, design: &Design, uncovered: u64);

    /// `true` if it keeps checkpoints. All wirings are then held in memory.
    fn keeps_checkpoints(&self) -> bool {
        false
    }

    /// `true` if a checkpoint is due; called after each attempt and during long ones.
    fn wants_checkpoint(&mut self) -> bool {
        false
    }

    /// Everything that the search resumes from.
    fn checkpoint(&mut self, _bytes: Vec<u8>) {}
}
