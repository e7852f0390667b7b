//! Checkpoints of a board: what is known of all cells with their wirings, and how far the attempt at hand is.
//!
//! With budgets counted in work, whoever goes on from one comes to the same board as if nothing had happened. What an
//! attempt has found that was cut short is not in it: the attempt is made again, or goes on from its own checkpoint.

use serde::{Deserialize, Serialize};
use shared::{
    form::toml,
    hardware::{Board, Cell, HardwareRequest},
    resolve::form_of,
    search::Budget,
    spec::Faults,
};

/// Why a search over hardware does not begin.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BoardError {
    /// What is asked for is refused.
    #[error("{0}")]
    Faults(Faults),
    /// A checkpoint that this search cannot go on from.
    #[error("the checkpoint {why}")]
    Checkpoint {
        /// What is wrong with it.
        why: &'static str,
    },
}

/// What only the search needs to know of a cell.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct CellRecord {
    /// Uncovered pairs of its best wiring, by the checker.
    pub best: Option<u64>,
    /// What a wiring would cost at least, by the bounds; known once it has failed.
    pub least_cost: Option<f64>,
    /// Whether the engine refuses to search it.
    pub refused_by_engine: bool,
    /// The PEs on each switch of the wiring that was handed out; held for checkpoints only.
    pub wiring: Option<Vec<Vec<u32>>>,
}

/// An attempt that goes on.
#[derive(Serialize, Deserialize)]
pub struct OpenAttempt {
    /// The cell.
    pub cell: usize,
    /// What it may spend from its beginning on.
    pub budget: Budget,
    /// The engine's own checkpoint.
    pub state: Vec<u8>,
}

/// A checkpoint as it is read.
#[derive(Deserialize)]
pub struct Saved {
    fingerprint: u64,
    /// Seconds that the search had taken.
    pub elapsed: f64,
    /// Million moves that were spent.
    pub spent: u64,
    /// All cells, none being tried.
    pub board: Board,
    /// Of each cell.
    pub records: Vec<CellRecord>,
    /// The attempt at hand.
    pub open: Option<OpenAttempt>,
}

/// A checkpoint as it is written: field by field the same.
#[derive(Serialize)]
struct Held<'a> {
    fingerprint: u64,
    elapsed: f64,
    spent: u64,
    board: &'a Board,
    records: &'a [CellRecord],
    open: Option<OpenAttempt>,
}

/// What a checkpoint tells besides the board.
#[derive(Clone, Copy)]
pub struct Keeping<'a> {
    /// Of the search: see [`fingerprint`].
    pub fingerprint: u64,
    /// Million moves that were spent.
    pub spent: u64,
    /// Of each cell.
    pub records: &'a [CellRecord],
}

impl Keeping<'_> {
    /// All of it in bytes, a checksum last. `tried` is the cell at hand as it was before the attempt.
    pub fn sealed(
        &self,
        board: &Board,
        tried: Option<(usize, &Cell)>,
        elapsed: f64,
        open: Option<OpenAttempt>,
    ) -> Option<Vec<u8>> {
        let mut board = board.clone();
        if let Some((index, before)) = tried {
            board.cells[index].clone_from(before);
        }
        let Keeping { fingerprint, spent, records } = *self;
        let held = Held { fingerprint, elapsed, spent, board: &board, records, open };
        let mut bytes = postcard::to_stdvec(&held).ok()?;
        bytes.extend(hash(&bytes).to_le_bytes());
        Some(bytes)
    }
}

/// FNV-1a of all bytes.
fn hash(bytes: &[u8]) -> u64 {
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}

/// What a search over hardware is, but for the time or work that it has in all, in one number (FNV-1a).
pub fn fingerprint(request: &HardwareRequest) -> u64 {
    let text = format!(
        "board {}\n{}\n{} {} {:?} {:?} {} {} {}",
        env!("CARGO_PKG_VERSION"),
        toml::write(&form_of(&request.spec)),
        request.nis_from,
        request.nis_to,
        request.catalogue,
        request.cell,
        request.seed,
        request.threads,
        request.demand.len(),
    );
    hash(text.as_bytes())
}

/// Reads a checkpoint.
///
/// # Errors
/// It is damaged, or of another search.
pub fn read(bytes: &[u8], request: &HardwareRequest) -> Result<Saved, BoardError> {
    let damaged = || BoardError::Checkpoint { why: "cannot be read: it is damaged, or of another version" };
    let (body, sum) = bytes.split_last_chunk::<8>().ok_or_else(damaged)?;
    if hash(body) != u64::from_le_bytes(*sum) {
        return Err(damaged());
    }
    let saved: Saved = postcard::from_bytes(body).map_err(|_| damaged())?;
    if saved.fingerprint != fingerprint(request) {
        let why = "is of another search: spec, NIs, widths, the budget of a cell, seed, threads and version must be as \
                   they were";
        return Err(BoardError::Checkpoint { why });
    }
    let cells = Board::blank(request).cells.len();
    let whole = saved.elapsed.is_finite() && saved.board.cells.len() == cells && saved.records.len() == cells;
    if whole { Ok(saved) } else { Err(damaged()) }
}
