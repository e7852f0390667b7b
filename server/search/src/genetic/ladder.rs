//! The ladder: constructions, each annealed for longer than the last, at the temperatures that matter.
//!
//! A rung anneals a new wiring on a grid of temperatures, with so many moves at each. The mean costs at each temperature
//! tell where a slower rung is needed. Down to some temperature, a rung with a quarter of the moves reaches the same
//! costs: the next rung starts just above. Below, the ratio of the two costs grows where wirings take long to settle:
//! there the next rung makes most of its moves. A rung ends once its wiring gains nothing at lower temperatures.
//!
//! The ladder ends after two rungs that reach no lower costs than the ones before: some instances settle in worse wirings
//! if they cool slowly, and [tournaments](super::tournament) find better ones.
//!
//! One range for all instances (0.65 to 0.28) was too cold for all 2D tori with diagonals and too hot for all 3D tori of
//! 729 PEs: there the ladder needs a third and half of the time.

use super::{Island, Purpose, Stage, WiringOrigin};
use crate::{repair::Repair, schedule::Schedule};
use serde::{Deserialize, Serialize};

/// Highest temperature of the grid, in thousandths; each further one is lower by [`RATIO`].
const HIGHEST: f64 = 1300.0;
const RATIO: f64 = 0.95;
/// Number of temperatures: the lowest is 0.136.
const GRID: usize = 45;
/// Temperature of the grid at which rungs start that know nothing: 0.667.
const FIRST: usize = 13;
/// Temperatures above the one at which a slower rung reached lower costs.
const MARGIN: usize = 2;
/// Temperatures within which a wiring has to gain a tenth.
const IDLE: usize = 3;
/// Part of the lowest final cost that a rung has to reach.
const GAIN: f64 = 0.9;
/// Moves per NI and temperature from which on rungs double; shorter ones have four times as many as the last.
const DOUBLING: u64 = 16;
/// Part of the moves that goes where wirings take long to settle.
const MIX: f64 = 0.5;
/// Fewest uncovered pairs of which a ratio is taken.
const LEAST: f64 = 5.0;

/// State of the ladder between two repairs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Ladder {
    /// The rung under way and the last three.
    curves: Vec<Curve>,
    /// Lowest mean cost in uncovered pairs at the end of a rung.
    least: Option<f64>,
    /// Rungs since then.
    idle: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Curve {
    /// Moves per NI and temperature.
    patience: u64,
    /// First temperature.
    from: usize,
    /// Mean cost in uncovered pairs at each temperature so far.
    costs: Vec<f64>,
    /// Share of moves at each temperature of the grid, around 1.
    weights: Vec<f64>,
}

impl Curve {
    /// The next temperature.
    fn at(&self) -> usize {
        self.from + self.costs.len()
    }

    fn cost(&self, at: usize) -> Option<f64> {
        at.checked_sub(self.from).and_then(|at| self.costs.get(at)).copied()
    }
}

fn temperature(at: usize) -> u32 {
    (HIGHEST * libm::pow(RATIO, at as f64)) as u32
}

impl Ladder {
    /// Moves per NI and temperature of the rung under way; 0 before the first.
    fn patience(&self) -> u64 {
        self.curves.last().map_or(0, |curve| curve.patience)
    }

    /// Begins the next rung.
    fn climb(&mut self) {
        // No construction was possible.
        self.idle += u32::from(self.curves.last().is_some_and(|curve| curve.costs.is_empty()));
        let factor = if self.patience() < DOUBLING { 4 } else { 2 };
        let patience = (self.patience() * factor).max(4);
        let (from, weights) = self.next_range();
        self.curves.push(Curve { patience, from, costs: Vec::new(), weights });
        if self.curves.len() > 4 {
            self.curves.remove(0);
        }
    }

    /// First temperature and weights of the next rung, from the last one and one with at most a quarter of its moves.
    fn next_range(&self) -> (usize, Vec<f64>) {
        let even = || vec![1.0; GRID];
        let Some(last) = self.curves.last() else { return (FIRST, even()) };
        let shorter = self.curves.iter().rev().find(|curve| curve.patience * 4 <= last.patience);
        let Some(shorter) = shorter else { return (last.from, last.weights.clone()) };
        let both = |at: usize| Some((shorter.cost(at)?, last.cost(at)?));
        let is_lower = |at: usize| both(at).is_some_and(|(old, new)| old > 1.1 * new && old - new > 2.0);
        // At its first temperature, a rung also gets over its start.
        let from = (0..GRID)
            .find(|&at| is_lower(at) && is_lower(at + 1))
            .map_or(last.from, |at| at.saturating_sub(MARGIN));
        // Growth of the ratio at each temperature.
        let (mut growth, mut most) = ([0.0; GRID], 0.0);
        for (at, growth) in growth.iter_mut().enumerate() {
            let Some((old, new)) = both(at).filter(|&(_, new)| new >= LEAST) else { continue };
            let ratio = libm::log(old / new);
            if ratio > most {
                (*growth, most) = (ratio - most, ratio);
            }
        }
        if most == 0.0 {
            return (from, even());
        }
        let smooth = |at: usize| {
            let around = &growth[at.saturating_sub(2)..(at + 3).min(GRID)];
            around.iter().sum::<f64>() / around.len() as f64
        };
        let smooth: Vec<f64> = (0..GRID).map(smooth).collect();
        let scale = MIX * last.costs.len() as f64 / smooth.iter().sum::<f64>();
        (from, smooth.iter().map(|growth| 1.0 - MIX + scale * growth).collect())
    }

    /// The repair at the next temperature, for an instance with so many NIs; `None` before the first rung.
    fn schedule(&self, nis: u32) -> Option<Schedule> {
        let curve = self.curves.last()?;
        let moves = (curve.patience as f64 * curve.weights[curve.at()] * f64::from(nis)) as u64;
        let at = temperature(curve.at());
        Some(Schedule { hot: at, cool: at, steps: 1, moves: moves.max(1) })
    }

    /// Records the mean cost at a temperature; `false` if the rung ends with it.
    fn record(&mut self, cost: f64, missing: u64) -> bool {
        let Some(curve) = self.curves.last_mut() else { return false };
        curve.costs.push(cost);
        let hot = curve.costs[0];
        let before = curve.costs.len().checked_sub(IDLE + 1).map(|at| curve.costs[at]);
        let is_idle = cost < 0.1 * hot && before.is_some_and(|before| cost + 0.5 >= 0.9 * before);
        let goes_on = missing > 0 && curve.at() < GRID && !is_idle;
        if !goes_on {
            let gains = self.least.is_none_or(|least| cost < GAIN * least);
            (self.least, self.idle) = if gains { (Some(cost), 0) } else { (self.least, self.idle + 1) };
        }
        goes_on
    }
}

impl Island<'_, '_, '_> {
    /// `true` while slower rungs reach lower costs. Large instances have no tournaments.
    pub(super) fn climbs(&self) -> bool {
        let is_large = u64::from(self.problem.nis()) > u64::from(self.setup.options.large) * 1000;
        is_large || self.state.ladder.idle < self.setup.options.idle_rungs
    }

    /// The first construction and a short repair, or the next rung.
    pub(super) fn climb_ladder(&mut self) {
        let options = self.setup.options;
        self.state.rung += 1;
        let is_first = self.state.rung == 1;
        if !is_first {
            self.state.ladder.climb();
        }
        let Some(built) = self.construct(self.setup.number == 0 && is_first) else { return };
        if is_first {
            let schedule = self.schedule(options.warm, options.brief.into());
            return self.begin(schedule, Stage::Repair, built, Purpose::Member);
        }
        self.anneal_rung(built);
    }

    /// Ends a temperature of a rung; `false` if the rung ends with it.
    pub(super) fn rung_goes_on(&mut self, repair: &Repair) -> bool {
        let cost = repair.mean_cost() / self.problem.graph.scale;
        self.state.ladder.record(cost, self.wiring.cost())
    }

    /// Anneals at the next temperature of a rung.
    pub(super) fn anneal_rung(&mut self, built: WiringOrigin) {
        let Some(schedule) = self.state.ladder.schedule(self.problem.nis()) else { return };
        self.begin(schedule, Stage::Annealing(schedule.hot), built, Purpose::Rung);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(patience: u64, cost: impl Fn(usize) -> f64) -> Curve {
        Curve { patience, from: FIRST, costs: (FIRST..GRID).map(cost).collect(), weights: vec![1.0; GRID] }
    }

    #[test]
    fn a_rung_starts_above_where_a_slower_one_gained_and_stays_longer_there() {
        let equal = |at: usize| 2000.0 / at as f64;
        let slow = |at: usize| if at < 20 { equal(at) } else { equal(at) / 2.0 };
        let ladder = Ladder { curves: vec![curve(16, equal), curve(64, slow)], ..Ladder::default() };
        let (from, weights) = ladder.next_range();
        assert_eq!(from, 20 - MARGIN);
        assert!(weights[20] > 3.0 * weights[30] && weights[30] > 0.0, "{weights:?}");
        // Where a slower rung gains nothing, the next one is as the last.
        let ladder = Ladder { curves: vec![curve(16, equal), curve(64, equal)], ..Ladder::default() };
        assert_eq!(ladder.next_range(), (FIRST, vec![1.0; GRID]));
    }

    #[test]
    fn a_rung_ends_once_its_wiring_gains_nothing() {
        let mut ladder = Ladder::default();
        ladder.climb();
        let costs = [1000.0, 400.0, 90.0, 60.0, 58.0, 57.0, 57.0];
        let ended = costs.iter().position(|&cost| !ladder.record(cost, cost as u64));
        assert_eq!(ended, Some(6));
        ladder.climb();
        assert!(!ladder.record(0.0, 0), "complete");
    }

    #[test]
    fn the_ladder_ends_after_two_rungs_without_a_lower_cost() {
        let mut ladder = Ladder::default();
        let idle = [(20.0, 0), (9.0, 0), (9.0, 1), (7.0, 0), (11.0, 1), (6.9, 2)];
        for (cost, idle) in idle {
            ladder.climb();
            while ladder.record(cost, 1) {}
            assert_eq!(ladder.idle, idle, "{cost}");
        }
    }
}
