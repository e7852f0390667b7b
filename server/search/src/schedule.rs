//! Temperatures of a repair, and the losses accepted at each. All deciding arithmetic is on integers made by `libm`, which
//! gives the same results everywhere.

use serde::{Deserialize, Serialize};
use spec::random::Rng;

/// Cooling schedule and length of a repair.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    /// First temperature, in thousandths of an uncovered pair.
    pub hot: u32,
    /// Last temperature, in thousandths.
    pub cool: u32,
    /// Number of temperatures.
    pub steps: u32,
    /// Moves in all.
    pub moves: u64,
}

impl Schedule {
    fn steps(&self) -> u64 {
        u64::from(self.steps.max(1))
    }

    /// Moves until the end of a step.
    pub fn end_of(&self, step: u64) -> u64 {
        (u128::from(self.moves) * u128::from(step + 1) / u128::from(self.steps())) as u64
    }

    /// The step that a move belongs to.
    pub fn step_at(&self, done: u64) -> u64 {
        let guess = (u128::from(done) * u128::from(self.steps()) / u128::from(self.moves.max(1))) as u64;
        (guess.saturating_sub(1)..self.steps())
            .find(|&step| self.end_of(step) > done)
            .unwrap_or(self.steps() - 1)
    }

    /// Temperature of a step.
    pub fn temperature(&self, step: u64) -> f64 {
        let (hot, cool) = (f64::from(self.hot), f64::from(self.cool));
        let share = step as f64 / (self.steps().max(2) - 1) as f64;
        hot * libm::pow(cool / hot, share) / 1000.0
    }
}

/// Losses accepted at one temperature.
pub struct Acceptance {
    /// Entry d: chance of accepting a loss of d + 1, in units of 2^-32; where all links count the same.
    table: Option<[u32; 16]>,
    temperature: f64,
}

impl Acceptance {
    /// Losses accepted at a temperature, for an instance of this scale.
    pub fn at(temperature: f64, scale: f64) -> Acceptance {
        let entry = |d: usize| (libm::exp(-(d as f64 + 1.0) / temperature) * 4_294_967_296.0) as u32;
        let table = (scale == 1.0).then(|| std::array::from_fn(entry));
        Acceptance { table, temperature: temperature * scale }
    }

    /// The loss accepted for a random draw.
    #[inline]
    pub fn accepted(&self, draw: u32, rng: &mut Rng) -> i32 {
        match &self.table {
            Some(table) => table.iter().take_while(|&&chance| draw < chance).count() as i32,
            None => (-self.temperature * libm::log((f64::from(rng.bits()) + 1.0) / 4_294_967_297.0)) as i32,
        }
    }
}
