//! A run's chart, with up to 600 points.
//!
//! Points have a min distance in time. When the chart is full, one of each two neighbours is removed and the distance doubles.
//! The newest point is always there. Of two neighbours the one with a restart stays.

use shared::{
    api::{Sample, thinned},
    search::Progress,
};

/// Max points.
pub const MAX_POINTS: usize = 600;
/// Initial distance of points in seconds.
const FIRST_DISTANCE: f64 = 0.05;

/// Points in the order of time.
#[derive(Clone, Debug)]
pub struct History {
    settled: Vec<Sample>,
    newest: Option<Sample>,
    distance: f64,
}

impl Default for History {
    fn default() -> Self {
        History { settled: Vec::new(), newest: None, distance: FIRST_DISTANCE }
    }
}

impl History {
    /// A chart that continues after the points up to `elapsed` seconds.
    pub fn until(elapsed: f64, mut points: Vec<Sample>) -> Self {
        points.retain(|point| point.elapsed <= elapsed);
        let span = points.last().map_or(0.0, |last| last.elapsed) - points.first().map_or(0.0, |p| p.elapsed);
        let mean = span / points.len().saturating_sub(1).max(1) as f64;
        let newest = points.pop();
        History { settled: points, newest, distance: mean.max(FIRST_DISTANCE) }
    }

    /// Adds a point for the progress.
    pub fn add(&mut self, progress: &Progress) {
        let sample = Sample::from(progress);
        let far = self.settled.last().is_none_or(|last| sample.elapsed >= last.elapsed + self.distance);
        if !far {
            self.newest = Some(sample);
            return;
        }
        self.settled.push(sample.clone());
        self.newest = None;
        if self.settled.len() >= MAX_POINTS {
            self.settled = thinned(&self.settled);
            // The mean distance is larger if the search reports rarely.
            let span = self.settled.last().map_or(0.0, |l| l.elapsed) - self.settled[0].elapsed;
            self.distance = (span / (self.settled.len() - 1) as f64).max(2.0 * self.distance);
            self.newest = Some(sample);
        }
    }

    /// All points.
    pub fn samples(&self) -> Vec<Sample> {
        self.settled.iter().chain(&self.newest).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(points: u64, step: f64) -> Vec<Sample> {
        let mut history = History::default();
        for i in 0..points {
            history.add(&Progress { elapsed: i as f64 * step, best: points - i, ..Progress::default() });
        }
        history.samples()
    }

    #[test]
    fn a_short_run_keeps_every_point() {
        assert_eq!(after(100, 0.25).len(), 100);
    }

    #[test]
    fn a_day_fits_and_stays_even() {
        let samples = after(345_600, 0.25);
        assert!(samples.len() <= MAX_POINTS && samples.len() >= MAX_POINTS / 2 - 1, "{}", samples.len());
        assert_eq!(samples.last().unwrap().best, 1);
        let gaps: Vec<f64> = samples.windows(2).map(|w| w[1].elapsed - w[0].elapsed).collect();
        let (settled, newest) = gaps.split_at(gaps.len() - 1);
        let (least, most) = settled.iter().fold((f64::MAX, 0.0f64), |(l, m), &g| (g.min(l), g.max(m)));
        assert!(most <= 1.5 * least, "{least} to {most}");
        assert!(newest[0] > 0.0 && newest[0] <= most);
    }

    #[test]
    fn restarts_keep_their_places() {
        let mut history = History::default();
        // The island begins anew at the seconds 101, 202 and 303.
        for second in 0..4 * MAX_POINTS as u64 {
            let restarts = (second / 101).min(3);
            history.add(&Progress { elapsed: second as f64, restarts, ..Progress::default() });
        }
        let samples = history.samples();
        let rises = samples.windows(2).filter(|w| w[1].restarts > w[0].restarts);
        let rises: Vec<f64> = rises.map(|w| w[1].elapsed).collect();
        assert_eq!(rises, [101.0, 202.0, 303.0]);
    }

    #[test]
    fn it_goes_on_where_a_checkpoint_was() {
        let points = after(5000, 0.06);
        let mut history = History::until(150.0, points);
        let before = history.samples().len();
        assert!(history.samples().last().unwrap().elapsed <= 150.0);
        for i in 0..5000 {
            history.add(&Progress { elapsed: 150.0 + f64::from(i) * 0.06, ..Progress::default() });
            assert!(history.samples().len() <= MAX_POINTS);
        }
        let samples = history.samples();
        assert!(samples.is_sorted_by(|a, b| a.elapsed <= b.elapsed));
        assert!(before > 100 && samples.len() > MAX_POINTS / 2 - 1, "{before} {}", samples.len());
        assert!(History::until(1.0, Vec::new()).samples().is_empty());
    }

    #[test]
    fn it_never_exceeds_its_limit_on_the_way() {
        let mut history = History::default();
        for i in 0..5000 {
            history.add(&Progress { elapsed: f64::from(i) * 0.06, ..Progress::default() });
            assert!(history.samples().len() <= MAX_POINTS);
        }
    }
}
