//! Coverage of the best wiring, as the headline, the counters, the verdict and the list of pairs show it.
//!
//! A search reports counts faster than wirings arrive and are checked. All places show the count of the latest report, which is
//! also the last point of the chart, and say if the map shows an earlier wiring.

use super::{
    run::Run,
    words::{count, grouped, percent},
};

/// Difference of two shares that no place shows.
const ALIKE: f64 = 5e-5;

/// The checker's verdict on the wiring on screen, for the spec on screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoverageCounts {
    /// Requested pairs.
    pub requested: u64,
    /// Uncovered pairs.
    pub uncovered: u64,
    /// Covered share of the requested weight, for a fractional objective.
    pub weight: Option<f64>,
}

/// Coverage of the best wiring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coverage {
    /// Requested pairs; `None` before a wiring for the spec on screen is checked.
    pub requested: Option<u64>,
    /// Uncovered pairs.
    pub uncovered: u64,
    /// Covered share of the requested weight, for a fractional objective.
    pub weight: Option<f64>,
    /// `true` if the wiring on screen is an earlier one.
    pub is_ahead: bool,
}

impl Coverage {
    /// Coverage of a search's best wiring, or of the wiring on screen without a search; `None` before there is one.
    pub fn of(run: Option<&Run>, checked: Option<CoverageCounts>) -> Option<Coverage> {
        let requested = checked.map(|checked| checked.requested);
        let Some(run) = run else {
            let CoverageCounts { uncovered, weight, .. } = checked?;
            return Some(Coverage { requested, uncovered, weight, is_ahead: false });
        };
        let progress = run.progress();
        if progress.revision == 0 {
            return None;
        }
        let uncovered = progress.best;
        let known =
            checked.filter(|checked| checked.uncovered == uncovered).and_then(|checked| checked.weight);
        let weight = progress.weight.as_ref().map(|weight| weight.best).or(known);
        let differs = |checked: CoverageCounts| {
            let by_weight = checked.weight.zip(weight).is_some_and(|(one, two)| (one - two).abs() > ALIKE);
            checked.uncovered != uncovered || by_weight
        };
        Some(Coverage { requested, uncovered, weight, is_ahead: checked.is_some_and(differs) })
    }

    /// In words: `3 of 9 requested pairs uncovered`, after the share of the weight for a fractional objective.
    pub fn words(&self, requested: u64) -> String {
        let pairs = count(requested, "requested pair");
        match (self.uncovered, self.weight) {
            (0, _) => format!("all {pairs} covered"),
            (left, Some(share)) => {
                format!("{} of the weight covered, {} of {pairs} uncovered", percent(share), grouped(left))
            }
            (left, None) => format!("{} of {pairs} uncovered", grouped(left)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::connection::Event, *};
    use shared::{
        api::{SearchReport, WorkChange, WorkState, WorkView},
        search::{Progress, Weights},
    };

    fn run(reports: &[Progress]) -> Run {
        let mut run = Run::new(WorkView::default());
        for progress in reports {
            let report = SearchReport { progress: progress.clone(), ..SearchReport::default() };
            let (state, message, queue) = (WorkState::Running, String::new(), None);
            run.apply(Event::Changed(Box::new(WorkChange { state, message, queue, report })));
        }
        run
    }

    fn report(elapsed: f64, revision: u64, best: u64) -> Progress {
        Progress { elapsed, revision, best, ..Progress::default() }
    }

    fn checked(uncovered: u64, weight: Option<f64>) -> Option<CoverageCounts> {
        Some(CoverageCounts { requested: 28_665, uncovered, weight })
    }

    #[test]
    fn all_places_show_the_count_of_the_latest_report() {
        let run = run(&[report(1.0, 3, 4743), report(2.0, 4, 900), report(2.25, 5, 362)]);
        let coverage = Coverage::of(Some(&run), checked(4743, None)).unwrap();
        let chart = run.view.report.history.last().map(|sample| sample.best);
        assert_eq!((coverage.uncovered, chart, coverage.is_ahead), (362, Some(362), true));
        assert_eq!(coverage.words(28_665), "362 of 28,665 requested pairs uncovered");
        let coverage = Coverage::of(Some(&run), checked(362, None)).unwrap();
        assert!(!coverage.is_ahead);
        // A report at the same time counts, too.
        let last = self::run(&[report(2.25, 5, 362), report(2.25, 6, 0)]);
        assert_eq!(last.view.report.history.last().map(|sample| sample.best), Some(0));
    }

    #[test]
    fn without_a_report_nothing_is_known_and_without_a_search_the_checker_counts() {
        assert_eq!(Coverage::of(Some(&run(&[])), checked(5, None)), None);
        assert_eq!(Coverage::of(None, None), None);
        let coverage = Coverage::of(None, checked(5, Some(0.9))).unwrap();
        assert_eq!((coverage.uncovered, coverage.weight, coverage.is_ahead), (5, Some(0.9), false));
    }

    #[test]
    fn a_fractional_objective_is_shown_by_weight() {
        let weight = Some(Weights { best: 0.8458, shown: 0.8, ..Weights::default() });
        let run = run(&[Progress { weight, ..report(1.0, 1, 280) }]);
        let coverage = Coverage::of(Some(&run), checked(280, Some(0.8))).unwrap();
        assert!(coverage.is_ahead, "the same number of pairs, but another weight");
        assert_eq!(
            coverage.words(496),
            "84.58 % of the weight covered, 280 of 496 requested pairs uncovered"
        );
        let coverage = Coverage::of(Some(&run), checked(280, Some(0.84581))).unwrap();
        assert!(!coverage.is_ahead);
    }
}
