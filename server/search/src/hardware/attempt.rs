//! The observer of one attempt: shows its progress on the board.

use super::{
    cell_name,
    checkpoint::{Context, OpenAttempt},
};
use spec::design::Design;
use std::{
    sync::atomic::{AtomicBool, Ordering::SeqCst},
    time::Instant,
};
use work::{
    hardware::{Board, BoardObserver, Cell, stock_text},
    search::{Budget, Observer, Progress},
};

/// Time taken by a hardware search.
#[derive(Clone, Copy)]
pub struct Clock {
    /// Start of this process's part.
    pub began: Instant,
    /// Seconds before a checkpoint.
    pub before: f64,
}

impl Clock {
    /// Seconds in all.
    pub fn elapsed(self) -> f64 {
        self.before + self.began.elapsed().as_secs_f64()
    }
}

/// The observer of one attempt.
pub struct AttemptObserver<'w> {
    pub board: &'w mut Board,
    pub observer: &'w mut dyn BoardObserver,
    pub index: usize,
    /// The cell before the attempt.
    pub before: &'w Cell,
    /// Start of the attempt, in seconds since the search began.
    pub from: f64,
    pub clock: Clock,
    pub cancel: &'w AtomicBool,
    pub context: Context<'w>,
    pub budget: Budget,
    /// The switches tried of each model if the cell is to become cheaper; empty if it is to be solved.
    pub target: &'w [u32],
    /// `true` if earlier results are not in a checkpoint yet.
    pub unsaved: bool,
    /// End of the total time, in seconds since the search began, and the flag that stops the attempt.
    pub cut: Option<(f64, &'w AtomicBool)>,
}

impl AttemptObserver<'_> {
    /// Writes a checkpoint, with the engine's own if given.
    fn write(&mut self, state: Option<Vec<u8>>) {
        let elapsed = if state.is_some() { self.clock.elapsed() } else { self.from };
        let open = state.map(|state| OpenAttempt {
            cell: self.index,
            target: self.target.to_vec(),
            budget: self.budget,
            state,
        });
        let tried = Some((self.index, self.before));
        let bytes = self.context.seal(self.board, tried, elapsed, open);
        self.unsaved = false;
        bytes.into_iter().for_each(|bytes| self.observer.checkpoint(bytes));
    }
}

impl Observer for AttemptObserver<'_> {
    fn progress(&mut self, progress: &Progress) {
        let elapsed = self.clock.elapsed();
        if let Some((end, over)) = self.cut
            && (elapsed >= end || self.cancel.load(SeqCst))
        {
            over.store(true, SeqCst);
        }
        let (cell, before) = (&mut self.board.cells[self.index], self.before);
        cell.seconds = before.seconds + progress.elapsed;
        let again = if !self.target.is_empty() {
            format!(", {}", stock_text(&self.board.ports, self.target))
        } else {
            cell.uncovered = Some(before.uncovered.map_or(progress.best, |known| known.min(progress.best)));
            if cell.attempts > 0 { format!(", attempt {}", cell.attempts + 1) } else { String::new() }
        };
        self.board.trying = format!("{}{again}: {}", cell_name(cell), progress.trying);
        self.board.elapsed = elapsed;
        self.board.revision += 1;
        self.observer.board(self.board);
        if self.unsaved && self.observer.wants_checkpoint() {
            self.write(None);
        }
    }

    /// Wirings are published after the checker has seen them.
    fn better(&mut self, _design: &Design, _uncovered: u64) {}

    fn keeps_checkpoints(&self) -> bool {
        self.observer.keeps_checkpoints()
    }

    fn wants_checkpoint(&mut self) -> bool {
        self.observer.wants_checkpoint()
    }

    fn checkpoint(&mut self, bytes: Vec<u8>) {
        self.write(Some(bytes));
    }
}
