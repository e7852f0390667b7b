//! Who watches a search on the command line: its progress is told, its checkpoints are written.

use super::super::{
    checkpoint::{Checkpoints, Far, Held},
    progress::ProgressLine,
};
use anyhow::{Result, anyhow};
use search::SearchError;
use serde::{Deserialize, Serialize};
use shared::{
    design::Design,
    search::{Ended, Observer, Progress},
    text::grouped,
};

/// How far a search for a wiring has come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moves {
    /// Evaluated.
    moves: u64,
}

impl Far for Moves {
    fn words(&self) -> String {
        format!("{} moves", grouped(self.moves))
    }
}

/// Tells of a search, and writes its checkpoints.
pub struct Keeper<'a> {
    line: &'a mut ProgressLine,
    held: Held<'a, Moves>,
    progress: Progress,
}

impl<'a> Keeper<'a> {
    /// For a search whose checkpoints go to `file`, if to any.
    pub fn new(line: &'a mut ProgressLine, file: Option<Checkpoints<'a, Moves>>) -> Self {
        Keeper { line, held: Held::new(file), progress: Progress::default() }
    }

    /// What the file holds for this search, if it is there.
    ///
    /// # Errors
    /// As of [`Checkpoints::open`].
    pub fn open(&mut self) -> Result<Option<Vec<u8>>> {
        self.held.open()
    }

    /// What the engine has refused, of the spec called `name` or of the checkpoint that it was given.
    pub fn refused(&self, name: &str, why: &SearchError) -> anyhow::Error {
        let of_checkpoint = matches!(why, SearchError::Checkpoint { .. });
        let refused = of_checkpoint.then(|| self.held.refused(name, why)).flatten();
        refused.unwrap_or_else(|| anyhow!("{name}: {why}"))
    }

    /// Tells where the search has ended.
    pub fn end(&mut self, last: &[String]) {
        self.line.end(last);
    }

    /// The search is over: what it has found, if it is `done`, is not gone on with. Returns what is to be told.
    pub fn close(self, ended: Ended, done: bool) -> Option<String> {
        let larger = if ended == Ended::Exhausted { " with a larger --seconds or --effort" } else { "" };
        self.held.close(done, larger)
    }
}

impl Observer for Keeper<'_> {
    fn progress(&mut self, progress: &Progress) {
        // Now that the engine has taken it.
        self.held.taken(self.line);
        self.progress.clone_from(progress);
        self.line.progress(progress);
    }

    fn better(&mut self, design: &Design, uncovered: u64) {
        self.line.better(design, uncovered);
    }

    fn keeps_checkpoints(&self) -> bool {
        self.held.keeps()
    }

    fn wants_checkpoint(&mut self) -> bool {
        self.held.is_due()
    }

    fn checkpoint(&mut self, bytes: Vec<u8>) {
        let far = Moves { moves: self.progress.moves };
        self.held.save(self.line, self.progress.elapsed, far, &bytes);
    }
}
