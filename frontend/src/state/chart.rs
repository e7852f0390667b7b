//! The charts over time: uncovered pairs of a search, on a logarithmic scale with room for zero, or the covered weight; and attempts of a hardware search,
//! each at its time and the cost of its hardware.

use super::{
    board::money,
    words::{clock, count, grouped, percent},
};
use shared::{
    api::Sample,
    estimate::duration,
    hardware::{Attempt, Board, CellState},
    search::Weights,
    text::rounded,
};

/// A point: seconds and height.
pub type Point = (f64, f64);

/// Max number of islands with a line of their own; more would hide each other.
const MAX_ISLANDS: usize = 16;

/// The prepared chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// The best wiring's uncovered pairs, or share of the weight.
    pub best: Vec<Point>,
    /// The population's median.
    pub median: Vec<Point>,
    /// Best wiring of each island, if there are several: uncovered pairs, or share of the weight.
    pub islands: Vec<Vec<Point>>,
    /// Times of restarts, in seconds.
    pub restarts: Vec<f64>,
    /// The right end, in seconds.
    pub seconds: f64,
    /// The lower and the upper end.
    pub range: (f64, f64),
    /// Heights with their labels.
    pub marks: Vec<(f64, String)>,
}

/// Prepares the chart; `None` without a sample.
pub fn chart(history: &[Sample]) -> Option<Chart> {
    let last = history.last()?;
    if last.weight.is_some() {
        return Some(chart_of_weight(history, last.elapsed));
    }
    if let Some(time) = last.time {
        return Some(chart_of_time(history, time.bound, last.elapsed));
    }
    let islands = match last.islands.len() {
        0 | 1 => 0,
        several => several.min(MAX_ISLANDS),
    };
    let of_islands = |s: &Sample| s.islands.iter().take(islands).copied().max().unwrap_or(0);
    let max = history.iter().map(|s| s.best.max(s.median).max(of_islands(s))).max().unwrap_or(0).max(1);
    Some(Chart {
        best: steps(history, |s| Some(height(s.best))),
        median: steps(history, |s| Some(height(s.median))),
        islands: (0..islands)
            .map(|i| island(history, |s| Some(height(*s.islands.get(i)?)), f64::min))
            .collect(),
        restarts: restarts(history),
        seconds: last.elapsed.max(0.01),
        range: (0.0, height(max) * 1.05),
        marks: marks(max),
    })
}

/// The chart of covered weight. Its upper end is all of the weight; wirings count from the first on.
fn chart_of_weight(history: &[Sample], seconds: f64) -> Chart {
    let weight = |s: &Sample| s.weight.clone().filter(|weight| weight.best > 0.0);
    let islands = history.last().and_then(weight).map_or(0, |weight| weight.islands.len());
    let islands = if islands > 1 { islands.min(MAX_ISLANDS) } else { 0 };
    let lines = |read: &dyn Fn(Weights) -> Option<f64>| steps(history, |s| weight(s).and_then(read));
    let (best, median) = (lines(&|w| Some(w.best)), lines(&|w| Some(w.median)));
    let of_island =
        |i: usize| move |s: &Sample| weight(s)?.islands.get(i).copied().filter(|&share| share > 0.0);
    let islands: Vec<_> = (0..islands).map(|i| island(history, of_island(i), f64::max)).collect();
    let heights = islands.iter().flatten().chain(&best).chain(&median).map(|point| point.1);
    let least = heights.fold(1.0, f64::min);
    let step =
        [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2].into_iter().find(|step| 1.0 - least <= 5.0 * step);
    let step = step.unwrap_or(0.25);
    let parts = ((1.0 - least) / step).ceil().max(1.0);
    let height = |part: f64| 1.0 - part * step;
    let marks = (0..=parts as u32).map(|part| height(part.into()));
    Chart {
        best,
        median,
        islands,
        restarts: restarts(history),
        seconds: seconds.max(0.01),
        range: (height(parts), 1.0 + 0.05 * parts * step),
        marks: marks.map(|mark| (mark, format!("{} %", rounded(100.0 * mark, 1)))).collect(),
    }
}

/// The chart of the time of a step, from its bound up, from the first wiring on that serves every pair.
fn chart_of_time(history: &[Sample], bound: f64, seconds: f64) -> Chart {
    let best = steps(history, |s| s.time.map(|time| time.best));
    let most = best.iter().map(|point| point.1).fold(bound, f64::max);
    let span = (most - bound).max(0.02 * bound);
    let marks = [0.0, 0.5, 1.0].map(|part| bound + part * span);
    Chart {
        best,
        median: Vec::new(),
        islands: Vec::new(),
        restarts: restarts(history),
        seconds: seconds.max(0.01),
        range: (bound - 0.05 * span, bound + 1.1 * span),
        marks: marks.map(|mark| (mark, duration(mark))).to_vec(),
    }
}

/// A count holds until the next sample: steps, not slopes.
fn steps(history: &[Sample], mut value: impl FnMut(&Sample) -> Option<f64>) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::with_capacity(2 * history.len());
    for sample in history {
        let Some(value) = value(sample) else { continue };
        if let Some(&(_, before)) = points.last() {
            points.push((sample.elapsed, before));
        }
        points.push((sample.elapsed, value));
    }
    points
}

/// The best of an island so far. The islands of a continued search report anew, at first without a wiring.
fn island(
    history: &[Sample],
    value: impl Fn(&Sample) -> Option<f64>,
    better: fn(f64, f64) -> f64,
) -> Vec<Point> {
    let mut best = None;
    steps(history, |sample| {
        let now = value(sample)?;
        best = Some(best.map_or(now, |before| better(before, now)));
        best
    })
}

/// The times at which the number of restarts grew. A continued search counts from zero until its islands report.
fn restarts(history: &[Sample]) -> Vec<f64> {
    let mut most = 0;
    let grew = |sample: &&Sample| {
        let grows = sample.restarts > most;
        most = most.max(sample.restarts);
        grows
    };
    history.iter().filter(grew).map(|sample| sample.elapsed).collect()
}

/// The chart in words, for screen readers.
pub fn words(history: &[Sample]) -> String {
    let Some(last) = history.last() else { return "Uncovered pairs over time: no samples yet.".into() };
    if let Some(time) = last.time {
        return format!("Time of a step over time: after {} {}.", clock(last.elapsed), time.words());
    }
    let (what, verb, [best, median], islands) = match &last.weight {
        Some(Weights { best, median, islands, .. }) => {
            let islands = islands.iter().map(|&share| percent(share)).collect();
            ("Covered weight", "covers", [percent(*best), percent(*median)], islands)
        }
        None => {
            let islands: Vec<String> = last.islands.iter().map(|&left| grouped(left)).collect();
            ("Uncovered pairs", "leaves", [grouped(last.best), grouped(last.median)], islands)
        }
    };
    let time = clock(last.elapsed);
    let mut words =
        format!("{what} over time: after {time} the best wiring {verb} {best}, the median {median}");
    if islands.len() > 1 {
        words += &format!("; the best of the {} islands {}", islands.len(), islands.join(", "));
    }
    if last.restarts > 0 {
        words += &format!("; {} so far", count(last.restarts, "restart"));
    }
    words + "."
}

/// The height of a count: the logarithm of the count plus one, so that zero is on the axis.
pub fn height(count: u64) -> f64 {
    (count as f64 + 1.0).log10()
}

fn marks(max: u64) -> Vec<(f64, String)> {
    // With many powers of ten, the mark of 1 would overlap that of 0.
    let first = u32::from(max >= 2000);
    let powers = (first..12).map(|e| 10u64.pow(e)).take_while(|&p| p <= max);
    let all: Vec<u64> = std::iter::once(0).chain(powers).collect();
    let step = all.len().div_ceil(6);
    all.iter().step_by(step).map(|&c| (height(c), grouped(c))).collect()
}

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
pub struct PreparedChart {
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
pub fn tried(board: &Board) -> Option<PreparedChart> {
    let priced = board.cells.iter().any(|cell| cell.cost.is_some());
    let height = |index: usize| {
        let cell = board.cells.get(index)?;
        if priced { cell.cost } else { Some(f64::from(cell.switches) * f64::from(cell.ports)) }
    };
    let mark = |attempt: &Attempt| {
        let cell = board.cells.get(board.index(attempt.nis, attempt.model)?)?;
        // Attempts of earlier versions have the hardware of their cell.
        let switches = if attempt.switches > 0 { attempt.switches } else { cell.switches };
        let ports = f64::from(switches) * f64::from(cell.ports);
        let height = if priced { attempt.cost.or(cell.cost) } else { Some(ports) };
        Some(((attempt.elapsed, height?), outcome(attempt.state)))
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
    Some(PreparedChart { marks, lowest, seconds, range: ((low - margin).max(0.0), high + margin), priced })
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

impl PreparedChart {
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
    use super::{super::board::sketch, *};
    use shared::search::StepTime;

    fn sample(elapsed: f64, best: u64, median: u64) -> Sample {
        Sample { elapsed, best, median, restarts: 0, islands: Vec::new(), weight: None, time: None }
    }

    #[test]
    fn zero_is_the_ground_and_marks_are_counts() {
        let chart = chart(&[sample(0.0, 900, 1200), sample(1.0, 14, 61), sample(2.0, 0, 3)]).unwrap();
        assert_eq!(chart.best.last(), Some(&(2.0, 0.0)));
        assert_eq!(chart.best.len(), 5);
        let marks: Vec<&str> = chart.marks.iter().map(|mark| mark.1.as_str()).collect();
        assert_eq!((marks, chart.marks[4].0), (vec!["0", "1", "10", "100", "1,000"], height(1000)));
        assert!(chart.median.iter().all(|p| p.1 <= chart.range.1));
        assert!(chart.islands.is_empty() && chart.restarts.is_empty());
        assert_eq!(super::chart(&[]), None);
    }

    #[test]
    fn islands_have_a_line_each_and_restarts_a_time() {
        let at = |elapsed, restarts, islands: &[u64]| Sample {
            restarts,
            islands: islands.to_vec(),
            ..sample(elapsed, 5, 9)
        };
        let history = [at(0.0, 0, &[]), at(1.0, 0, &[5, 2000]), at(2.0, 2, &[5, 30]), at(3.0, 2, &[5, 30])];
        let chart = chart(&history).unwrap();
        assert_eq!(chart.islands.len(), 2);
        assert_eq!(chart.islands[1].first(), Some(&(1.0, height(2000))));
        assert!(chart.range.1 > height(2000));
        assert_eq!(chart.restarts, [2.0]);
        assert_eq!(
            words(&history),
            "Uncovered pairs over time: after 00:03 the best wiring leaves 5, the median 9; \
             the best of the 2 islands 5, 30; 2 restarts so far."
        );
        let alone = [at(0.0, 1, &[7])];
        assert_eq!((super::chart(&alone).unwrap().islands.len(), super::restarts(&alone)), (0, vec![0.0]));
    }

    #[test]
    fn a_continued_search_does_not_jump() {
        let at = |elapsed, restarts, islands: &[u64]| Sample {
            restarts,
            islands: islands.to_vec(),
            ..sample(elapsed, 5, 9)
        };
        let history = [at(1.0, 3, &[5, 30]), at(2.0, 0, &[2000, 2000]), at(3.0, 3, &[5, 30])];
        let chart = chart(&history).unwrap();
        assert!(chart.islands[1].iter().all(|point| point.1 == height(30)));
        assert_eq!(chart.restarts, [1.0]);
    }

    #[test]
    fn a_fractional_search_shows_its_weight() {
        let at = |elapsed, best, islands: &[f64]| {
            let weight = Weights { best, shown: best, median: best, islands: islands.to_vec() };
            Sample { weight: Some(weight), ..sample(elapsed, 280, 300) }
        };
        let history =
            [at(0.0, 0.0, &[0.0, 0.0]), at(1.0, 0.8, &[0.8, 0.78]), at(2.0, 0.8458, &[0.8458, 0.7])];
        let chart = chart(&history).unwrap();
        assert_eq!((chart.best.first(), chart.best.last()), (Some(&(1.0, 0.8)), Some(&(2.0, 0.8458))));
        assert!(chart.islands[1].iter().all(|point| point.1 == 0.78));
        let marks: Vec<&str> = chart.marks.iter().map(|mark| mark.1.as_str()).collect();
        assert_eq!(marks, ["100 %", "95 %", "90 %", "85 %", "80 %", "75 %"]);
        assert!(chart.range.0 <= 0.75 + 1e-9 && chart.range.1 > 1.0);
        assert_eq!(
            words(&history),
            "Covered weight over time: after 00:02 the best wiring covers 84.58 %, the median 84.58 %; \
             the best of the 2 islands 84.58 %, 70.00 %."
        );
    }

    #[test]
    fn a_search_for_time_shows_seconds_above_the_bound() {
        let at = |elapsed, best| Sample {
            time: Some(StepTime { best, communication: 1.0, bound: 12.0 }),
            ..sample(elapsed, 0, 0)
        };
        let history = [sample(0.0, 3, 3), at(1.0, 14.0), at(2.0, 12.5)];
        let chart = chart(&history).unwrap();
        assert_eq!(chart.best, [(1.0, 14.0), (2.0, 14.0), (2.0, 12.5)]);
        let marks: Vec<&str> = chart.marks.iter().map(|mark| mark.1.as_str()).collect();
        assert_eq!(marks, ["12.00 s", "13.00 s", "14.00 s"]);
        assert!(chart.range.0 < 12.0 && chart.range.1 > 14.0);
        assert_eq!(words(&history), "Time of a step over time: after 00:02 step 12.50 s, at least 12.00 s.");
    }

    #[test]
    fn many_powers_are_thinned() {
        assert!(marks(u64::MAX >> 1).len() <= 7);
    }

    fn attempt(elapsed: f64, nis: u32, model: usize, state: CellState) -> Attempt {
        Attempt { elapsed, nis, model, state, uncovered: 0, switches: 0, cost: None }
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
    fn an_attempt_stands_at_the_cost_of_its_own_hardware() {
        let mut board = sketch(&[16, 8], &["ss"], true);
        let dear = Attempt { cost: Some(40.0), ..attempt(1.0, 2, 1, CellState::Solved) };
        board.attempts = vec![dear, attempt(4.0, 2, 1, CellState::Solved)];
        let chart = tried(&board).unwrap();
        assert_eq!(chart.lowest, [(1.0, 40.0), (4.0, 40.0), (4.0, 16.0), (12.0, 16.0)]);
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
