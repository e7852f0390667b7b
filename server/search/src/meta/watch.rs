//! What an attempt tells on its way, put on the board.

use super::walk::place;
use shared::{
    design::Design,
    hardware::{Board, BoardObserver},
    search::{Observer, Progress},
};
use std::{
    sync::atomic::{AtomicBool, Ordering::SeqCst},
    time::Instant,
};

/// The observer of one attempt.
pub struct Watch<'w> {
    board: &'w mut Board,
    observer: &'w mut dyn BoardObserver,
    /// Which cell is tried.
    index: usize,
    began: Instant,
    cancel: &'w AtomicBool,
    /// When the whole board's time is up, in seconds since it began, and whom to tell.
    pub cut: Option<(f64, &'w AtomicBool)>,
    /// As the cell was before the attempt.
    seconds: f64,
    uncovered: Option<u64>,
}

impl<'w> Watch<'w> {
    /// Watches an attempt at a cell of a board that began then.
    pub fn new(
        board: &'w mut Board,
        observer: &'w mut dyn BoardObserver,
        index: usize,
        began: Instant,
        cancel: &'w AtomicBool,
    ) -> Watch<'w> {
        let cell = &board.cells[index];
        let (seconds, uncovered) = (cell.seconds, cell.uncovered);
        Watch { board, observer, index, began, cancel, cut: None, seconds, uncovered }
    }
}

impl Observer for Watch<'_> {
    fn progress(&mut self, progress: &Progress) {
        let elapsed = self.began.elapsed().as_secs_f64();
        if let Some((end, over)) = self.cut
            && (elapsed >= end || self.cancel.load(SeqCst))
        {
            over.store(true, SeqCst);
        }
        let cell = &mut self.board.cells[self.index];
        cell.seconds = self.seconds + progress.elapsed;
        cell.uncovered = Some(self.uncovered.map_or(progress.best, |known| known.min(progress.best)));
        let again =
            if cell.attempts > 0 { format!(", attempt {}", cell.attempts + 1) } else { String::new() };
        self.board.trying = format!("{}{again}: {}", place(cell), progress.trying);
        self.board.elapsed = elapsed;
        self.board.revision += 1;
        self.observer.board(self.board);
    }

    /// Wirings are handed on when the checker has seen them.
    fn better(&mut self, _design: &Design, _uncovered: u64) {}
}
