//! The chart of attempts: each at its time and the cost of its hardware, and the cheapest solved so far.

use super::words::money;
use crate::state::{
    chart::Point,
    words::{clock, count},
};
use shared::hardware::{Attempt, Board, CellState};

/// The outcome of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A wiring was found.
    Solved,
    /// None was found.
    Failed,
    /// None can exist.
    Refuted,
}

/// The prepared chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// Each attempt: its end, the height of its cell, and its outcome.
    pub marks: Vec<(Point, Outcome)>,
    /// The lowest solved cell over time, in steps.
    pub lowest: Vec<Point>,
    /// The right end, in seconds.
    pub seconds: f64,
    /// The lower and the upper end.
    pub range: (f64, f64),
    /// `true` if heights are prices; else they are ports of all switches together.
    pub priced: bool,
}

/// Prepares the chart; `None` before the first attempt.
pub fn tried(board: &Board) -> Option<Tried> {
    let priced = board.cells.iter().any(|cell| cell.cost.is_some());
    let height = |index: usize| {
        let cell = board.cells.get(index)?;
        if priced { cell.cost } else { Some(f64::from(cell.switches) * f64::from(cell.ports)) }
    };
    let mark = |attempt: &Attempt| {
        let height = height(board.index(attempt.nis, attempt.model)?)?;
        Some(((attempt.elapsed, height), outcome(attempt.state)))
    };
    let marks: Vec<(Point, Outcome)> = board.attempts.iter().filter_map(mark).collect();
    let heights = || marks.iter().map(|((_, height), _)| *height);
    let (low, high) = (heights().reduce(f64::min)?, heights().reduce(f64::max)?);
    let last = marks.last().map_or(0.0, |((at, _), _)| *at);
    let seconds = board.elapsed.max(last).max(0.01);
    // An implied cell may be the cheapest without an attempt of its own.
    let now = match board.cheapest {
        Some(cheapest) => height(cheapest),
        None => board.frontier.iter().filter_map(|&index| height(index)).reduce(f64::min),
    };
    let low = now.map_or(low, |now| low.min(now));
    let margin = (0.06 * (high - low)).max(0.02 * high.abs()).max(0.5);
    let lowest = lowest(&marks, seconds, now);
    Some(Tried { marks, lowest, seconds, range: ((low - margin).max(0.0), high + margin), priced })
}

fn outcome(state: CellState) -> Outcome {
    match state {
        CellState::Solved | CellState::Implied => Outcome::Solved,
        CellState::Refuted | CellState::Stock => Outcome::Refuted,
        CellState::Unknown | CellState::Trying | CellState::Failed => Outcome::Failed,
    }
}

fn lowest(marks: &[(Point, Outcome)], seconds: f64, now: Option<f64>) -> Vec<Point> {
    let mut steps: Vec<Point> = Vec::new();
    let mut step = |at: f64, height: f64| {
        match steps.last().copied() {
            Some((_, before)) if before <= height => return,
            Some((_, before)) => steps.push((at, before)),
            None => {}
        }
        steps.push((at, height));
    };
    for ((at, height), _) in marks.iter().filter(|(_, outcome)| *outcome == Outcome::Solved) {
        step(*at, *height);
    }
    if let Some(now) = now {
        step(seconds, now);
    }
    if let Some((_, height)) = steps.last().copied() {
        steps.push((seconds, height));
    }
    steps
}

impl Tried {
    /// The chart in words, for screen readers.
    pub fn words(&self) -> String {
        let of = |wanted| self.marks.iter().filter(|(_, outcome)| *outcome == wanted).count();
        let mut words = format!(
            "Attempts over time: {} in {}, {} solved, {} failed",
            count(self.marks.len() as u64, "attempt"),
            clock(self.seconds),
            of(Outcome::Solved),
            of(Outcome::Failed),
        );
        if of(Outcome::Refuted) > 0 {
            words += &format!(", {} ruled out", of(Outcome::Refuted));
        }
        match (self.lowest.last(), self.priced) {
            (Some((_, cost)), true) => words += &format!("; the cheapest solved costs {}", money(*cost)),
            (Some((_, ports)), false) => {
                words += &format!("; the smallest solved has {} ports in total", money(*ports));
            }
            (None, _) => words += "; none solved yet",
        }
        words + "."
    }
}

#[cfg(test)]
mod tests {
    use super::{super::sketch, *};

    fn attempt(elapsed: f64, nis: u32, model: usize, state: CellState) -> Attempt {
        Attempt { elapsed, nis, model, state, uncovered: 0 }
    }

    #[test]
    fn the_cheapest_goes_down_in_steps() {
        let mut board = sketch(&[16, 8], &["fs", "sf"], true);
        board.attempts = vec![
            attempt(1.0, 2, 0, CellState::Failed),
            attempt(2.0, 3, 0, CellState::Solved),
            attempt(4.0, 2, 1, CellState::Solved),
            attempt(5.0, 3, 1, CellState::Failed),
        ];
        let chart = tried(&board).unwrap();
        assert_eq!(chart.lowest, [(2.0, 48.0), (4.0, 48.0), (4.0, 16.0), (12.0, 16.0)]);
        assert_eq!(chart.seconds, 12.0);
        assert!(chart.range.0 < 16.0 && chart.range.1 > 48.0);
        assert_eq!(
            chart.words(),
            "Attempts over time: 4 attempts in 00:12, 2 solved, 2 failed; the cheapest solved costs 16."
        );
    }

    #[test]
    fn a_cell_that_follows_may_be_the_cheapest() {
        let mut board = sketch(&[16, 8], &["fi", "sf"], true);
        board.attempts = vec![attempt(2.0, 3, 0, CellState::Solved)];
        assert_eq!(tried(&board).unwrap().lowest, [(2.0, 48.0), (12.0, 48.0), (12.0, 16.0), (12.0, 16.0)]);
    }

    #[test]
    fn without_prices_ports_are_counted_and_without_attempts_nothing() {
        let mut board = sketch(&[16, 8], &["ff"], false);
        assert_eq!(tried(&board), None);
        board.attempts = vec![attempt(2.0, 2, 0, CellState::Failed), attempt(9.0, 7, 3, CellState::Failed)];
        let chart = tried(&board).unwrap();
        assert_eq!((chart.priced, &chart.marks[..]), (false, &[((2.0, 32.0), Outcome::Failed)][..]));
        assert!(chart.words().ends_with("none solved yet."));
    }
}
