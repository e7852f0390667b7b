//! Renumbering: every cable stays, and PE numbers are permuted until the demand is covered.
//!
//! A PE takes over the slot of another with equally many NIs, which is its set of switches. The search is simulated
//! annealing as in [`crate::repair`], with whole PEs instead of NIs, and restarts until the ledger stops.
//!
//! Results: scrambled numbers of 256 PEs with a hypercube and a 16x16 torus on 16-port switches are restored in about
//! a second. KASY0 is not: after 100 million moves, 9 to 20 of its 1,536 pairs stay uncovered. Swaps of whole blocks
//! did not help.

use crate::{
    ledger::{Ledger, Score, Stage},
    permutation::{Permutation, Slots, UnknownSwitch},
    problem::Problem,
    wiring::Genome,
};
use spec::{
    demand::Demand,
    random::Rng,
    spec::{Spec, Start},
};

/// Cooling schedule of a renumbering. Temperatures are in thousandths of [`Permutation::order_temperature`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cooling {
    /// First temperature.
    pub hot: u32,
    /// Last temperature.
    pub cool: u32,
    /// Number of temperatures.
    pub steps: u32,
    /// Moves per PE in the first annealing; later ones take 1, 2, 4, … times as many.
    pub patience: u32,
}

impl Default for Cooling {
    fn default() -> Self {
        Cooling { hot: 1200, cool: 600, steps: 64, patience: 4000 }
    }
}

/// One swap in this many moves is random.
const RARE_EVERY: u32 = 64;
/// Evaluated pairs that count as one more move.
const PAIRS_PER_MOVE: u64 = 64;
/// Name in an outcome.
const METHOD: &str = "renumbering";

/// Searches for a permutation of PE numbers under which the start wiring covers the demand as far as possible.
///
/// # Errors
/// A cable of `start` to a switch that `problem` does not know.
pub fn renumber(
    spec: &Spec,
    demand: &Demand,
    start: &Start,
    problem: &Problem,
    cooling: &Cooling,
    rng: &mut Rng,
    ledger: &mut Ledger,
) -> Result<(), UnknownSwitch> {
    let Some(slots) = Slots::new(spec, start, problem, &mut || ledger.should_continue())? else {
        return Ok(());
    };
    let Some(permutation) = Permutation::new(spec, demand, problem, &slots, &mut || ledger.should_continue())
    else {
        return Ok(());
    };
    let mut search = Search::new(permutation, ledger);
    if search.permutation.is_invariant() {
        return Ok(());
    }
    let moves = u64::from(cooling.patience) * u64::from(spec.pes);
    // First from the given numbers, cold: perhaps little is wrong.
    let cold = Cooling { hot: cooling.cool, ..*cooling };
    let mut go_on = search.anneal(&cold, moves, rng, ledger);
    let mut turn = 1;
    while go_on && search.permutation.shuffle(rng, &mut || ledger.should_continue()) {
        go_on = search.anneal(cooling, moves.saturating_mul(luby(turn)), rng, ledger);
        turn += 1;
    }
    Ok(())
}

/// Lengths of restarts: 1, 1, 2, 1, 1, 2, 4, … Without knowledge of a good length this is optimal up to a logarithmic
/// factor (Luby, Sinclair and Zuckerman, "Optimal speedup of Las Vegas algorithms", 1993).
fn luby(turn: u64) -> u64 {
    let bits = u64::BITS - turn.leading_zeros();
    let whole = (1 << bits) - 1;
    if turn == whole { 1 << (bits - 1) } else { luby(turn - whole / 2) }
}

struct Search<'p> {
    permutation: Permutation<'p>,
    best: (i64, Vec<u32>),
    genome: Genome,
}

impl<'p> Search<'p> {
    fn new(permutation: Permutation<'p>, ledger: &mut Ledger) -> Self {
        let mut search = Search { best: (i64::MAX, Vec::new()), permutation, genome: Genome::new() };
        search.note(ledger);
        search
    }

    fn anneal(&mut self, cooling: &Cooling, moves: u64, rng: &mut Rng, ledger: &mut Ledger) -> bool {
        ledger.enter(Stage::Renumbering, moves);
        let scale = self.permutation.order_temperature();
        let look_every = u64::from(self.permutation.slots().len() as u32 / 4).max(64);
        let mut done = 0;
        for step in 0..cooling.steps {
            let temperature = scale * cooling.temperature(step);
            let end = (u128::from(moves) * u128::from(step + 1) / u128::from(cooling.steps)) as u64;
            while done < end {
                if self.permutation.cost() == 0 || !self.step(temperature, rng, ledger) {
                    self.note(ledger);
                    return false;
                }
                done += 1;
                if done % look_every == 0 {
                    ledger.tally.done = done;
                    self.note(ledger);
                }
            }
        }
        self.note(ledger);
        true
    }

    /// One move; `true` to continue.
    #[inline]
    fn step(&mut self, temperature: f64, rng: &mut Rng, ledger: &mut Ledger) -> bool {
        let draw = rng.bits();
        // The accepted loss is drawn first, so that a certain refusal needs no exact evaluation.
        let limit = (-libm::log((f64::from(draw) + 1.0) / 4_294_967_296.0) * temperature) as i64;
        let swap = match draw % RARE_EVERY {
            0 => self.permutation.propose_any(rng),
            _ => self.permutation.propose(rng),
        };
        let Some(swap) = swap else { return ledger.spend_moves(1) };
        if self.permutation.delta(swap, limit) <= limit {
            self.permutation.apply(swap);
        }
        let more = self.permutation.size(swap) as u64 / PAIRS_PER_MOVE;
        ledger.spend_moves(1) && (more == 0 || ledger.spend(more))
    }

    fn note(&mut self, ledger: &mut Ledger) {
        if self.permutation.cost() < self.best.0 {
            self.best = (self.permutation.cost(), self.permutation.slots().to_vec());
            self.permutation.genome(&self.best.1, &mut self.genome);
            let (cost, uncovered) = (self.permutation.cost() as u64, self.permutation.uncovered());
            // A search for time goes on with a wiring that serves every pair.
            let pending_aims = u32::from(self.permutation.problem.timed);
            ledger.consider(
                Score { pending_aims, cost, ..Score::uncovered(uncovered) },
                &self.genome,
                METHOD,
            );
        }
    }
}

impl Cooling {
    fn temperature(&self, step: u32) -> f64 {
        let (hot, cool) = (f64::from(self.hot), f64::from(self.cool));
        let share = f64::from(step) / f64::from(self.steps.max(2) - 1);
        hot * libm::pow(cool / hot, share) / 1000.0
    }
}
