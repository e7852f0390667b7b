//! Who watches a search on the command line: its progress is told, its checkpoints are written.

use super::super::{
    checkpoint::{Checkpoints, ELSE, Far},
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
    file: Option<Checkpoints<'a, Moves>>,
    progress: Progress,
    /// From where the search goes on, until it is told.
    resumed: Option<String>,
}

impl<'a> Keeper<'a> {
    /// For a search whose checkpoints go to `file`, if to any.
    pub fn new(line: &'a mut ProgressLine, file: Option<Checkpoints<'a, Moves>>) -> Self {
        Keeper { line, file, progress: Progress::default(), resumed: None }
    }

    /// What the file holds for this search, if it is there.
    ///
    /// # Errors
    /// As of [`Checkpoints::open`].
    pub fn open(&mut self) -> Result<Option<Vec<u8>>> {
        let held = self.file.as_mut().map(Checkpoints::open).transpose()?.flatten();
        let (bytes, resumed) = held.unzip();
        self.resumed = resumed;
        Ok(bytes)
    }

    /// What the engine has refused, of the spec called `name` or of the checkpoint that it was given.
    pub fn refused(&self, name: &str, why: &SearchError) -> anyhow::Error {
        match (why, &self.file) {
            (SearchError::Checkpoint { .. }, Some(file)) => {
                anyhow!("{} is of no use for {name}: {why}; {ELSE}", file.name())
            }
            _ => anyhow!("{name}: {why}"),
        }
    }

    /// Tells where the search has ended.
    pub fn end(&mut self, last: &[String]) {
        self.line.end(last);
    }

    /// The search is over: what it has found, if it is `done`, is not gone on with. Returns what is to be told.
    pub fn close(self, ended: Ended, done: bool) -> Option<String> {
        let larger = if ended == Ended::Exhausted { " with a larger --seconds or --effort" } else { "" };
        self.file?.close(done, larger)
    }
}

impl Observer for Keeper<'_> {
    fn progress(&mut self, progress: &Progress) {
        // Now that the engine has taken it.
        self.resumed.take().into_iter().for_each(|told| self.line.remark(&told));
        self.progress.clone_from(progress);
        self.line.progress(progress);
    }

    fn better(&mut self, design: &Design, uncovered: u64) {
        self.line.better(design, uncovered);
    }

    fn keeps_checkpoints(&self) -> bool {
        self.file.is_some()
    }

    fn wants_checkpoint(&mut self) -> bool {
        self.file.as_ref().is_some_and(Checkpoints::is_due)
    }

    fn checkpoint(&mut self, bytes: Vec<u8>) {
        let Some(file) = &mut self.file else { return };
        let failed = file.save(self.progress.elapsed, Moves { moves: self.progress.moves }, &bytes);
        failed.into_iter().for_each(|told| self.line.remark(&told));
    }
}
