//! Checkpoints of a hardware search: all cells with their wirings, and the state of the attempt under way.

use crate::checkpoint::{DAMAGED, LAYOUT, open, seal};
use serde::{Deserialize, Serialize};
use spec::{form::toml, random::fnv1a, resolve::form_of, spec::Faults};
use std::borrow::Cow;
use work::{
    hardware::{Board, Cell, HardwareRequest},
    search::Budget,
};

/// Reasons why a hardware search does not start.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BoardError {
    /// The request is not valid.
    #[error("{0}")]
    Faults(Faults),
    /// The search cannot resume from this checkpoint.
    #[error("the checkpoint {0}")]
    Checkpoint(&'static str),
}

/// Facts about a cell that only the search needs.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct CellRecord {
    /// Uncovered pairs of its best wiring, by the checker.
    pub best: Option<u64>,
    /// `true` if the engine refuses to search it.
    pub refused: bool,
    /// PEs on each switch of the published wiring; kept for checkpoints only.
    pub wiring: Option<Vec<Vec<u32>>>,
    /// Failed attempts to make the solved cell cheaper.
    pub tries: u32,
    /// Switches to save in the next attempt beyond the first, while attempts succeed.
    pub more: u32,
    /// `true` if nothing cheaper is left to try.
    pub settled: bool,
    /// `true` if something was left out without a proof.
    pub unproven: bool,
    /// Numbers of switches with which no wiring is cheaper; `false` if that is not proven.
    pub decided: Vec<(u32, bool)>,
    /// Mixes of models that were tried.
    pub mixes: Vec<Mix>,
}

/// A mix of models that was tried for a cell.
#[derive(Clone, Serialize, Deserialize)]
pub struct Mix {
    /// Switches of each model of the catalogue.
    pub counts: Vec<u32>,
    /// Failed attempts.
    pub tries: u32,
    pub fate: Fate,
}

/// Knowledge about a mix of models.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fate {
    /// No wiring found so far.
    Open,
    /// It serves the demand, but no cheaper wiring uses all of it.
    NoGain,
    /// Neither the mix nor a part of it serves the demand.
    RuledOut,
}

#[derive(Clone, Serialize, Deserialize)]
pub struct OpenAttempt {
    pub cell: usize,
    /// The switches tried of each model if the cell is to become cheaper; empty if it is to be solved.
    pub target: Vec<u32>,
    pub budget: Budget,
    pub state: Vec<u8>,
}

#[derive(Clone, Serialize, Deserialize)]
pub struct CheckpointContent<'a> {
    /// Identifies the search: see [`fingerprint`].
    pub fingerprint: u64,
    pub elapsed: f64,
    pub spent: u64,
    /// All cells, the one under way as it was before the attempt.
    pub board: Cow<'a, Board>,
    pub records: Cow<'a, [CellRecord]>,
    pub open: Option<OpenAttempt>,
}

/// The parts of a checkpoint that do not change during an attempt.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub fingerprint: u64,
    pub spent: u64,
    pub records: &'a [CellRecord],
}

impl Context<'_> {
    /// A checkpoint as bytes. `tried` is the cell under way, as it was before the attempt.
    pub fn seal(
        &self,
        board: &Board,
        tried: Option<(usize, &Cell)>,
        elapsed: f64,
        open: Option<OpenAttempt>,
    ) -> Option<Vec<u8>> {
        let mut board = Cow::Borrowed(board);
        if let Some((index, before)) = tried {
            board.to_mut().cells[index].clone_from(before);
        }
        let Context { fingerprint, spent, records } = *self;
        seal(&CheckpointContent { fingerprint, elapsed, spent, board, records: Cow::Borrowed(records), open })
    }
}

/// Identifies a hardware search by everything but its total time or work.
pub fn fingerprint(request: &HardwareRequest) -> u64 {
    let text = format!(
        "board {} {LAYOUT}\n{}\n{} {} {:?} {:?} {} {} {}",
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
    fnv1a(text.as_bytes())
}

/// Reads a checkpoint.
///
/// # Errors
/// It is damaged, or belongs to another search.
pub fn read(bytes: &[u8], request: &HardwareRequest) -> Result<CheckpointContent<'static>, BoardError> {
    let damaged = BoardError::Checkpoint(DAMAGED);
    let Some(saved) = open::<CheckpointContent<'static>>(bytes) else { return Err(damaged) };
    if saved.fingerprint != fingerprint(request) {
        let why = "belongs to another hardware search: spec, NIC range, switch models, budget per cell, seed, threads and \
                   version must match";
        return Err(BoardError::Checkpoint(why));
    }
    let cells = Board::blank(request).cells.len();
    let intact =
        saved.elapsed.is_finite() && saved.board.cells.len() == cells && saved.records.len() == cells;
    if intact { Ok(saved) } else { Err(damaged) }
}
