//! A population of wirings. Members are genomes only: bookkeeping is rebuilt when a wiring is worked on.

use super::operators::Dna;
use crate::{ledger::Score, problem::Problem, wiring::Genome};
use serde::{Deserialize, Serialize};
use spec::random::Rng;

/// PEs examined per comparison of two wirings.
const SAMPLED_PES: u32 = 256;
/// Comparisons per estimate of diversity.
const SAMPLED_PAIRS: u32 = 12;

/// One wiring of a population.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Individual {
    /// The switch of every NI.
    pub genome: Genome,
    /// Score.
    pub score: Score,
    /// DNA it was made from, if any.
    pub dna: Option<Dna>,
    /// The first pair that the greedy heuristic could not serve, if any.
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

    /// Replaces the worst wiring, unless the new one is worse or known.
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

    /// Keeps the best `keep`, of which the last `fudge` are replaced by random others.
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

    /// Score of each wiring.
    pub fn scores(&self) -> Vec<Score> {
        self.members.iter().map(|m| m.score).collect()
    }

    /// Diversity: mean share, 0 to 1, of a PE's connections that another wiring lacks. A sample of wirings and PEs.
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
