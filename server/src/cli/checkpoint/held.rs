//! The checkpoints of a search while it goes on, if it is to have any: what its watcher needs to do about them.

use super::{Checkpoints, ELSE, Far};
use crate::cli::progress::ProgressLine;
use anyhow::{Result, anyhow};

/// A search's checkpoint file, if it has one, and what is still to be told of it.
pub struct Held<'a, F> {
    file: Option<Checkpoints<'a, F>>,
    /// From where the search goes on, until it is told.
    resumed: Option<String>,
}

impl<'a, F: Far> Held<'a, F> {
    /// For a search whose checkpoints go to `file`, if to any.
    pub fn new(file: Option<Checkpoints<'a, F>>) -> Self {
        Held { file, resumed: None }
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

    /// The engine has taken what the file held, which is told once.
    pub fn taken(&mut self, line: &mut ProgressLine) {
        self.resumed.take().into_iter().for_each(|told| line.remark(&told));
    }

    /// Why the search of the spec called `name` cannot go on from the file; `None` if it has none.
    pub fn refused(&self, name: &str, why: &dyn std::fmt::Display) -> Option<anyhow::Error> {
        let file = self.file.as_ref()?;
        Some(anyhow!("{} is of no use for {name}: {why}; {ELSE}", file.name()))
    }

    /// Whether there are checkpoints at all.
    pub fn keeps(&self) -> bool {
        self.file.is_some()
    }

    /// Whether it is time for one.
    pub fn is_due(&self) -> bool {
        self.file.as_ref().is_some_and(Checkpoints::is_due)
    }

    /// Writes one, and tells if that fails.
    pub fn save(&mut self, line: &mut ProgressLine, seconds: f64, far: F, bytes: &[u8]) {
        let failed = self.file.as_mut().and_then(|file| file.save(seconds, far, bytes));
        failed.into_iter().for_each(|told| line.remark(&told));
    }

    /// The search is over. Returns what is to be told, as [`Checkpoints::close`] has it.
    pub fn close(self, done: bool, larger: &str) -> Option<String> {
        self.file?.close(done, larger)
    }
}
