//! What was known of a run when the studio was stopped, while its search comes there again.
//!
//! A checkpoint is a little older than what a run has last told. Its search takes the same way again, so that until it has
//! evaluated as many moves nothing it finds is news.

use shared::search::Progress;
use std::sync::atomic::{AtomicBool, Ordering};

/// A run as it was left behind.
pub struct Known {
    progress: Progress,
    /// The best wiring's text table, if there was one.
    pub table: Option<String>,
    passed: AtomicBool,
}

impl Known {
    /// How it stood, and its best wiring.
    pub fn new(progress: Progress, table: Option<String>) -> Known {
        Known { progress, table, passed: AtomicBool::new(false) }
    }

    /// Whether the search has come further than this, so that its wirings count.
    pub fn is_passed(&self) -> bool {
        self.passed.load(Ordering::Relaxed)
    }

    /// From now on its wirings count.
    pub fn pass(&self) {
        self.passed.store(true, Ordering::Relaxed);
    }

    /// How the search stands, with what was known. Its revisions come after those that were told before.
    pub fn told(&self, progress: &Progress) -> Progress {
        if progress.moves >= self.progress.moves {
            self.pass();
        }
        let revision = self.progress.revision;
        if self.is_passed() {
            return Progress { revision: revision + progress.revision, ..progress.clone() };
        }
        let best = progress.best.min(self.progress.best);
        let covered = progress.covered.max(self.progress.covered);
        Progress { revision, best, covered, ..progress.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_stays_until_the_search_is_there_again() {
        let at = |moves, best, revision| Progress { moves, best, revision, ..Progress::default() };
        let known = Known::new(at(100, 5, 7), None);
        let told = known.told(&at(80, 6, 6));
        assert_eq!((told.best, told.revision, known.is_passed()), (5, 7, false));
        let told = known.told(&at(100, 5, 7));
        assert_eq!((told.best, told.revision, known.is_passed()), (5, 14, true));
        assert_eq!(known.told(&at(120, 4, 8)).revision, 15);
    }
}
