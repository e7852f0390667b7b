//! 3. The contract of a search over hardware: which numbers of NIs and which switches are enough, and which cost least.
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

/// Most cells of a board.
pub const MAX_CELLS: usize = 4096;
/// Most NIs in all cells of a board together, since the best wiring of each is kept.
pub const MAX_CELL_NIS: u64 = 1 << 26;

/// What to try, and how hard.
#[derive(Clone, Debug)]
pub struct HardwareRequest {
    /// Everything but the hardware: PEs, patterns, objective, prices. Its NIs and switches are replaced cell by cell.
    pub spec: Arc<Spec>,
    /// The pairs to serve; built from `spec`.
    pub demand: Arc<Demand>,
    /// Fewest NIs a PE.
    pub nis_from: u32,
    /// Most NIs a PE.
    pub nis_to: u32,
    /// Switch models, a column each, widest first as [`catalogue()`] has them; a `count` is the stock.
    pub catalogue: Vec<SwitchModel>,
    /// For one attempt at one cell; failed cells beside the frontier are tried again, each time for twice as long.
    pub cell: Budget,
    /// For the whole board; effort is in million moves. An attempt that fails counts in full, one that succeeds as 1: what
    /// was really spent on it depends on which island was faster.
    pub total: Budget,
    /// Where randomness starts.
    pub seed: u64,
    /// Islands to search on at once.
    pub threads: u32,
}

/// What is known of a cell.
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
    /// Whether there is a wiring that the checker accepts.
    pub fn is_solved(self) -> bool {
        matches!(self, CellState::Solved | CellState::Implied)
    }
}

/// One number of NIs with one switch model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Cell {
    /// NIs a PE.
    pub nis: u32,
    /// Which model of the catalogue.
    pub model: usize,
    /// Its ports.
    pub ports: u32,
    /// Its ports that NIs may use.
    pub usable: u32,
    /// Switches, ceil(N * NIs / usable ports), or more where a bound or a construction asks for more and stock does not
    /// limit them; of a solved cell, those that its design needs: its spec has no more.
    pub switches: u32,
    /// Cables: N * NIs; of a cell with a design, those that it has.
    pub cables: u64,
    /// Price of all that with N * NIs interfaces, as far as prices are given: what the figures of its design say. None for
    /// a model without a price where others have one, since it would look cheap.
    pub cost: Option<f64>,
    /// What is known.
    pub state: CellState,
    /// Uncovered pairs of the best wiring tried.
    pub uncovered: Option<u64>,
    /// How it was solved, which bound refutes it, what implies it: in words.
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
    /// NIs a PE.
    pub nis: u32,
    /// Which model of the catalogue.
    pub model: usize,
    /// What came of it.
    pub state: CellState,
    /// Uncovered pairs left.
    pub uncovered: u64,
}

/// How a search over hardware stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Board {
    /// Fewest NIs a PE.
    pub nis_from: u32,
    /// Most NIs a PE.
    pub nis_to: u32,
    /// Ports of each model, in columns: widest first.
    pub ports: Vec<u32>,
    /// All cells, row by row (fewest NIs first), in each the columns' order.
    pub cells: Vec<Cell>,
    /// What was tried, in order.
    pub attempts: Vec<Attempt>,
    /// Cells, by index, that are solved while no solved cell has both fewer or equal NIs and ports.
    pub frontier: Vec<usize>,
    /// The solved cell, by index, that costs least, if prices are given; of equals the one with fewer NIs, then narrower.
    pub cheapest: Option<usize>,
    /// What is being done, in words.
    pub trying: String,
    /// Seconds since the search began.
    pub elapsed: f64,
    /// Counts changes.
    pub revision: u64,
}

/// Who watches a search over hardware. Called from one thread.
pub trait BoardObserver: Send {
    /// At least four times a second.
    fn board(&mut self, board: &Board);
    /// A cell has a (better) design; `spec` is the one it is for.
    fn design(&mut self, cell: usize, spec: &Spec, design: &Design, uncovered: u64);

    /// Whether it keeps checkpoints at all. All wirings are then held in memory for them.
    fn keeps_checkpoints(&self) -> bool {
        false
    }

    /// Whether a checkpoint is due; asked when an attempt has ended, and while one goes on.
    fn wants_checkpoint(&mut self) -> bool {
        false
    }

    /// Everything that the search goes on from.
    fn checkpoint(&mut self, _bytes: Vec<u8>) {}
}
