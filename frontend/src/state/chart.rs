//! The chart of uncovered pairs over time, on a logarithmic scale that has a place for zero.

use shared::api::Sample;

/// A point: seconds and height.
pub type Point = (f64, f64);

/// What is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// The best wiring's uncovered pairs.
    pub best: Vec<Point>,
    /// The population's median.
    pub median: Vec<Point>,
    /// The right end, in seconds.
    pub seconds: f64,
    /// The upper end.
    pub top: f64,
    /// Heights with a label.
    pub marks: Vec<f64>,
}

/// Prepares a chart; `None` while there is nothing to draw.
pub fn chart(history: &[Sample]) -> Option<Chart> {
    let last = history.last()?;
    let most = history.iter().map(|s| s.best.max(s.median)).max().unwrap_or(0).max(1);
    let top = height(most) * 1.05;
    let series = |value: fn(&Sample) -> u64| {
        let point = |s: &Sample| (s.elapsed, height(value(s)));
        // A count holds until the next one is told: steps, not slopes.
        let mut points: Vec<Point> = Vec::with_capacity(2 * history.len());
        for sample in history {
            if let Some(&(_, before)) = points.last() {
                points.push((sample.elapsed, before));
            }
            points.push(point(sample));
        }
        points
    };
    Some(Chart {
        best: series(|s| s.best),
        median: series(|s| s.median),
        seconds: last.elapsed.max(0.01),
        top,
        marks: marks(most),
    })
}

/// Where a count is drawn: the logarithm of one more, so that nothing uncovered is the ground.
pub fn height(count: u64) -> f64 {
    (count as f64 + 1.0).log10()
}

/// The count drawn at a height.
pub fn count_at(height: f64) -> u64 {
    (10f64.powf(height) - 1.0).round().max(0.0) as u64
}

fn marks(most: u64) -> Vec<f64> {
    let powers = (0..12).map(|e| 10u64.pow(e)).take_while(|&p| p <= most);
    let all: Vec<u64> = std::iter::once(0).chain(powers).collect();
    let step = all.len().div_ceil(6);
    all.iter().step_by(step).map(|&c| height(c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_is_the_ground_and_marks_are_counts() {
        let sample =
            |elapsed, best, median| Sample { elapsed, best, median, restarts: 0, islands: Vec::new() };
        let chart = chart(&[sample(0.0, 900, 1200), sample(1.0, 14, 61), sample(2.0, 0, 3)]).unwrap();
        assert_eq!(chart.best.last(), Some(&(2.0, 0.0)));
        assert_eq!(chart.best.len(), 5);
        assert_eq!(chart.marks.iter().map(|&m| count_at(m)).collect::<Vec<_>>(), [0, 1, 10, 100, 1000]);
        assert!(chart.median.iter().all(|p| p.1 <= chart.top));
        assert_eq!(super::chart(&[]), None);
    }

    #[test]
    fn many_powers_are_thinned() {
        assert!(marks(u64::MAX >> 1).len() <= 7);
    }
}
