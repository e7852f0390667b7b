//! Contract of a hardware search: NIs and switches that are enough, and the cheapest of them.
//!
//! The board of the dissertation's section 3.4.5: a row for each number of NIs, a column for each switch model. Feasibility
//! is not monotone in the width, since S = ceil(Nη/ρ) falls as ρ rises: every width is a cell of its own.

mod board;
mod catalogue;
mod request;

pub use catalogue::{catalogue, nis_range};
pub use request::{BoardForm, StartBoard, build_spec, cell_spec, cell_text, crowded, unsuited};

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
    /// Min NIs per PE.
    pub nis_from: u32,
    /// Max NIs per PE.
    pub nis_to: u32,
    /// Switch models, a column each, widest first as [`catalogue()`] has them; a `count` is the stock.
    pub catalogue: Vec<SwitchModel>,
    /// For one attempt at one cell; failed cells beside the frontier are tried again, each time for twice as long.
    pub cell: Budget,
    /// For the whole board; effort is in million moves. An attempt that fails counts in full, one that succeeds as 1: what
    /// was really spent on it depends on which island was faster.
    pub total: Budget,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Islands to search on at once.
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
    /// Solved without a search, since a cell that it contains is (fewer NIs, or a width that divides this one).
    Implied,
    /// Tried without success; nothing is proved.
    Failed,
    /// Provably impossible.
    Refuted,
    /// It takes more switches than are in stock, as a bound proves.
    Stock,
}

impl CellState {
    /// `true` if the cell has a wiring that the checker accepts.
    pub fn is_solved(self) -> bool {
        matches!(self, CellState::Solved | CellState::Implied)
    }
}

/// One number of NIs with one switch model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Cell {
    /// NIs per PE.
    pub nis: u32,
    /// Index of the switch model in the catalogue.
    pub model: usize,
    /// Its ports.
    pub ports: u32,
    /// Its ports that NIs may use.
    pub usable: u32,
    /// Switches: ceil(N * NIs / usable ports), or more if a bound or a construction needs more and stock allows it; for
    /// a solved cell, those of its design.
    pub switches: u32,
    /// Cables: N * NIs; of a cell with a design, those that it has.
    pub cables: u64,
    /// Price of all that with N * NIs interfaces, as far as prices are given: what the figures of its design say. None for
    /// a model without a price where others have one, since it would look cheap.
    pub cost: Option<f64>,
    /// State.
    pub state: CellState,
    /// Uncovered pairs of the best wiring tried.
    pub uncovered: Option<u64>,
    /// Method that solved it, bound that refutes it, or cell that implies it.
    pub note: String,
    /// Seconds spent on it.
    pub seconds: f64,
    /// Times it was tried.
    pub attempts: u32,
}

/// One step of the walk, for the chart of what was tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Attempt {
    /// Seconds since the search began when this attempt ended.
    pub elapsed: f64,
    /// NIs per PE.
    pub nis: u32,
    /// Index of the switch model in the catalogue.
    pub model: usize,
    /// State after the attempt.
    pub state: CellState,
    /// Uncovered pairs left.
    pub uncovered: u64,
}

/// Progress of a hardware search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Board {
    /// Min NIs per PE.
    pub nis_from: u32,
    /// Max NIs per PE.
    pub nis_to: u32,
    /// Ports of each model, in columns: widest first.
    pub ports: Vec<u32>,
    /// All cells, row by row (fewest NIs first), in each the columns' order.
    pub cells: Vec<Cell>,
    /// Attempts, in order.
    pub attempts: Vec<Attempt>,
    /// Cells, by index, that are solved while no solved cell has both fewer or equal NIs and ports.
    pub frontier: Vec<usize>,
    /// The solved cell, by index, that costs least, if prices are given; of equals the one with fewer NIs, then narrower.
    pub cheapest: Option<usize>,
    /// Current step, in words.
    pub trying: String,
    /// Seconds since the search began.
    pub elapsed: f64,
    /// Counts changes.
    pub revision: u64,
}

/// Observer of a hardware search. Called from one thread.
pub trait BoardObserver: Send {
    /// At least four times a second.
    fn board(&mut self, board: &Board);
    /// A cell has a (better) design; `spec` is the one it is for.
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
