//! What was known of a run when the studio was stopped, while its search comes there again.
//!
//! A checkpoint is a little older than what a run has last told. Its search takes the same way again, so that until it has
//! evaluated as many moves nothing it finds is news. Nor is it for a while after that, for watchers are also shown wirings
//! that a repair passes on its way, and which of them depends on the clock.

use shared::search::{Ended, Outcome, Progress};
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

    /// Judges how the search has ended: where it was not given the time to come as far again, what was known is better.
    pub fn end(&self, outcome: &Outcome) {
        if outcome.ended == Ended::Solved || outcome.progress.moves >= self.progress.moves {
            self.pass();
        }
    }

    /// How the search stands, with what was known. Its revisions come after those that were told before. Where wirings are
    /// measured by the number of pairs, one that leaves more of them is no news.
    pub fn told(&self, progress: &Progress, by_number: bool) -> Progress {
        let is_news = !by_number || progress.best <= self.progress.best;
        if is_news && progress.moves >= self.progress.moves {
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

    fn at(moves: u64, best: u64, revision: u64) -> Progress {
        Progress { moves, best, revision, ..Progress::default() }
    }

    #[test]
    fn the_best_stays_until_the_search_is_there_again() {
        let known = Known::new(at(100, 5, 7), None);
        for (moves, best, told_best) in [(80, 6, 5), (90, 4, 4), (110, 6, 5)] {
            let told = known.told(&at(moves, best, 6), true);
            assert_eq!((told.best, told.revision, known.is_passed()), (told_best, 7, false), "{moves}");
        }
        let told = known.told(&at(120, 5, 7), true);
        assert_eq!((told.best, told.revision, known.is_passed()), (5, 14, true));
        assert_eq!(known.told(&at(120, 4, 8), true).revision, 15);
    }

    #[test]
    fn weight_is_not_judged_by_numbers() {
        let known = Known::new(at(100, 5, 7), None);
        assert_eq!(known.told(&at(100, 6, 8), false).best, 6);
    }

    #[test]
    fn at_the_end_what_came_further_counts() {
        let ended = |ended, moves| {
            let known = Known::new(at(100, 5, 7), None);
            let design = shared::design::Design::from_switches(2, [vec![0, 1]]);
            let progress = at(moves, 6, 8);
            known.end(&Outcome { design, uncovered: 6, moved: None, ended, method: String::new(), progress });
            known.is_passed()
        };
        assert!(!ended(Ended::Exhausted, 99) && ended(Ended::Exhausted, 100) && ended(Ended::Solved, 1));
    }
}
