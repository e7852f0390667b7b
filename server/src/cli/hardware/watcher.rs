//! Who watches a search over hardware on the command line: builds are collected, checkpoints written.

use super::{
    super::{
        checkpoint::{Checkpoints, Far, Held},
        progress::ProgressLine,
    },
    text,
};
use anyhow::{Result, anyhow};
use search::hardware::BoardError;
use serde::{Deserialize, Serialize};
use shared::{
    design::Design,
    hardware::{Board, BoardObserver, CellState},
    spec::Spec,
    text::grouped,
};
use std::collections::BTreeMap;

/// A spec with a wiring that serves it.
pub type Build = (Spec, Design);

/// How far a search over hardware has come.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Cells {
    /// Cells that are solved.
    solved: u64,
    /// Attempts at any.
    attempts: u64,
}

impl Far for Cells {
    fn words(&self) -> String {
        format!("{} attempts, {} cells solved", grouped(self.attempts), grouped(self.solved))
    }
}

/// Tells of a search, collects its builds and writes its checkpoints.
pub struct Watcher<'a> {
    line: ProgressLine,
    /// Those that serve every pair, by cell.
    pub builds: BTreeMap<usize, Build>,
    held: Held<'a, Cells>,
    seconds: f64,
    cells: Cells,
}

impl<'a> Watcher<'a> {
    /// For a search whose checkpoints go to `file`, if to any.
    pub fn new(file: Option<Checkpoints<'a, Cells>>) -> Self {
        let (line, builds, cells) = (ProgressLine::new(), BTreeMap::new(), Cells::default());
        Watcher { line, builds, held: Held::new(file), seconds: 0.0, cells }
    }

    /// What the file holds for this search, if it is there.
    ///
    /// # Errors
    /// As of [`Checkpoints::open`].
    pub fn open(&mut self) -> Result<Option<Vec<u8>>> {
        self.held.open()
    }

    /// What the search has refused, of the spec called `name` or of the checkpoint that it was given.
    pub fn refused(&self, name: &str, why: &BoardError) -> anyhow::Error {
        let of_checkpoint = matches!(why, BoardError::Checkpoint { .. });
        let refused = of_checkpoint.then(|| self.held.refused(name, why)).flatten();
        refused.unwrap_or_else(|| anyhow!("{name}: no search over hardware:\n{why}"))
    }

    /// Tells how the board has ended.
    pub fn end(&mut self, board: &Board) {
        self.line.end(&text::progress(board));
    }

    /// The search is over. Returns what is to be told of its checkpoint, which is of no use where no cell is left to try.
    pub fn close(self, board: &Board, cancelled: bool) -> Option<String> {
        let is_left = |state| matches!(state, CellState::Unknown | CellState::Failed);
        let done = !cancelled && !board.cells.iter().any(|cell| is_left(cell.state));
        self.held.close(done, if cancelled { "" } else { " with a larger --seconds or --effort" })
    }
}

impl BoardObserver for Watcher<'_> {
    fn board(&mut self, board: &Board) {
        // Now that the search has taken it.
        self.held.taken(&mut self.line);
        self.line.write(|| text::progress(board));
        let solved = board.cells.iter().filter(|cell| cell.state.is_solved()).count() as u64;
        self.cells = Cells { solved, attempts: board.attempts.len() as u64 };
        self.seconds = board.elapsed;
    }

    fn design(&mut self, cell: usize, spec: &Spec, design: &Design, uncovered: u64) {
        if uncovered == 0 {
            self.builds.insert(cell, (spec.clone(), design.clone()));
        }
    }

    fn keeps_checkpoints(&self) -> bool {
        self.held.keeps()
    }

    fn wants_checkpoint(&mut self) -> bool {
        self.held.is_due()
    }

    fn checkpoint(&mut self, bytes: Vec<u8>) {
        self.held.save(&mut self.line, self.seconds, self.cells.clone(), &bytes);
    }
}
