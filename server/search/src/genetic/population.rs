//! A population of wirings, kept small in memory: a wiring's bookkeeping is built anew when it is worked on.

use super::operators::Dna;
use crate::{ledger::Score, problem::Problem, wiring::Genome};
use serde::{Deserialize, Serialize};
use shared::random::Rng;

/// Most PEs looked at for one comparison of two wirings.
const SAMPLED_PES: u32 = 256;
/// Comparisons made to estimate diversity.
const SAMPLED_PAIRS: u32 = 12;

/// One wiring of a population.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Individual {
    /// The switch of every NI.
    pub genome: Genome,
    /// How good it is.
    pub score: Score,
    /// What the greedy heuristic made it from, if it did.
    pub dna: Option<Dna>,
    /// The first pair the heuristic failed at, if it did.
    pub blame: Option<usize>,
}

/// Wirings, best first after [`Population::select`].
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Population {
    members: Vec<Individual>,
}

impl Population {
    /// The wirings.
    pub fn members(&self) -> &[Individual] {
        &self.members
    }

    /// Adds a wiring.
    pub fn add(&mut self, individual: Individual) {
        self.members.push(individual);
    }

    /// Puts a wiring in the place of the worst, unless it is worse itself or there already.
    pub fn replace_worst(&mut self, individual: Individual) {
        self.members.sort_by_key(|m| m.score);
        let known = self.members.iter().any(|m| m.genome == individual.genome);
        if !known
            && let Some(worst) = self.members.last_mut()
            && individual.score <= worst.score
        {
            *worst = individual;
        }
    }

    /// Keeps the best `keep`, of which the last `fudge` change places with random others; the rest goes.
    pub fn select(&mut self, keep: usize, fudge: usize, rng: &mut Rng) {
        self.members.sort_by_key(|m| m.score);
        let others = self.members.len().saturating_sub(keep) as u32;
        for place in keep.saturating_sub(fudge).max(1)..keep {
            if others > 0 && place < self.members.len() {
                self.members.swap(place, keep + rng.below(others) as usize);
            }
        }
        self.members.truncate(keep);
    }

    /// A random one of the first `among`.
    pub fn pick(&self, among: usize, rng: &mut Rng) -> Option<&Individual> {
        rng.pick(&self.members[..among.min(self.members.len())])
    }

    /// Uncovered pairs of each wiring.
    pub fn counts(&self) -> Vec<u64> {
        self.members.iter().map(|m| m.score.uncovered).collect()
    }

    /// How unlike the wirings are: the mean share, 0 to 1, of a PE's connections that another wiring does not have, on a
    /// sample of wirings and PEs.
    pub fn diversity(&self, problem: &Problem, rng: &mut Rng) -> f64 {
        if self.members.len() < 2 {
            return 0.0;
        }
        let (mut unlike, mut all) = (0u64, 0u64);
        for _ in 0..SAMPLED_PAIRS {
            let first = rng.below(self.members.len() as u32);
            let other = (first + 1 + rng.below(self.members.len() as u32 - 1)) % self.members.len() as u32;
            let (a, b) = (&self.members[first as usize].genome, &self.members[other as usize].genome);
            for sample in 0..problem.pes().min(SAMPLED_PES) {
                let pe = if problem.pes() <= SAMPLED_PES { sample } else { rng.below(problem.pes()) };
                let nis = problem.nis_of(pe);
                let theirs = &b[nis.clone()];
                unlike += a[nis.clone()].iter().filter(|s| !theirs.contains(s)).count() as u64;
                all += nis.len() as u64;
            }
        }
        unlike as f64 / all.max(1) as f64
    }
}
