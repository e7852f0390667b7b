//! State of a run before the studio stopped, shown until the resumed search gets further.
//!
//! A checkpoint is a little older than the last progress that watchers saw. The resumed search repeats the same moves, so
//! its wirings count only once it has evaluated more moves. Even then a worse wiring does not count: watchers also see
//! intermediate wirings of a repair, and which ones depends on timing.

use shared::search::{EndReason, Outcome, Progress};
use std::sync::atomic::{AtomicBool, Ordering};

/// Last known state of an interrupted run.
pub struct Previous {
    progress: Progress,
    /// Text table of the best wiring, if there was one.
    pub table: Option<String>,
    passed: AtomicBool,
}

impl Previous {
    /// Last progress and best wiring.
    pub fn new(progress: Progress, table: Option<String>) -> Previous {
        Previous { progress, table, passed: AtomicBool::new(false) }
    }

    /// `true` once the resumed search is further, so that its wirings count.
    pub fn is_passed(&self) -> bool {
        self.passed.load(Ordering::Relaxed)
    }

    /// Marks the resumed search as further.
    pub fn pass(&self) {
        self.passed.store(true, Ordering::Relaxed);
    }

    /// Compares with the end of the resumed search. It counts if it solved the run or evaluated as many moves.
    pub fn end(&self, outcome: &Outcome) {
        if outcome.ended == EndReason::Solved || outcome.progress.moves >= self.progress.moves {
            self.pass();
        }
    }

    /// Progress of the resumed search merged with the previous one. Revisions continue to count upward. With `by_number`,
    /// a wiring with more uncovered pairs than before does not count.
    pub fn merge(&self, progress: &Progress, by_number: bool) -> Progress {
        let is_better = !by_number || progress.best <= self.progress.best;
        if is_better && progress.moves >= self.progress.moves {
            self.pass();
        }
        let revision = self.progress.revision;
        if self.is_passed() {
            return Progress { revision: revision + progress.revision, ..progress.clone() };
        }
        let best = progress.best.min(self.progress.best);
        let covered = progress.covered.max(self.progress.covered);
        let weight = self.progress.weight.clone().or_else(|| progress.weight.clone());
        let time = self.progress.time.or(progress.time);
        Progress { revision, best, covered, weight, time, ..progress.clone() }
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
        let previous = Previous::new(at(100, 5, 7), None);
        for (moves, best, shown) in [(80, 6, 5), (90, 4, 4), (110, 6, 5)] {
            let merged = previous.merge(&at(moves, best, 6), true);
            assert_eq!((merged.best, merged.revision, previous.is_passed()), (shown, 7, false), "{moves}");
        }
        let merged = previous.merge(&at(120, 5, 7), true);
        assert_eq!((merged.best, merged.revision, previous.is_passed()), (5, 14, true));
        assert_eq!(previous.merge(&at(120, 4, 8), true).revision, 15);
    }

    #[test]
    fn weight_is_not_judged_by_numbers() {
        let previous = Previous::new(at(100, 5, 7), None);
        assert_eq!(previous.merge(&at(100, 6, 8), false).best, 6);
    }

    #[test]
    fn at_the_end_what_came_further_counts() {
        let ended = |ended, moves| {
            let previous = Previous::new(at(100, 5, 7), None);
            let design = shared::design::Design::from_switches(2, [vec![0, 1]]);
            let progress = at(moves, 6, 8);
            previous.end(&Outcome {
                design,
                uncovered: 6,
                moved: None,
                ended,
                method: String::new(),
                progress,
                crashed: 0,
            });
            previous.is_passed()
        };
        assert!(
            !ended(EndReason::Exhausted, 99)
                && ended(EndReason::Exhausted, 100)
                && ended(EndReason::Solved, 1)
        );
    }
}
