//! The search for time: of the wirings that serve every pair, the one on which the traffic is done first.
//!
//! It begins once a wiring serves every pair. First come [`rectangles`], which know the structure of a job; then rounds of
//! [`anneal`]ing from the best wiring so far, until some in a row have found nothing better.

pub mod anneal;
pub mod clock;
pub mod rectangles;

use crate::{
    fill::connect_rest,
    genetic::{self, Setup, State},
    ledger::{Elite, Ledger, Score, Stage, Times},
    problem::{NONE, Problem},
    wiring::Wiring,
};
use anneal::Anneal;
use clock::{Clock, in_order};

/// Moves of a round per NI, the fewest and the most.
const MOVES: u64 = 16;
const MIN_MOVES: u64 = 1 << 12;
const MAX_MOVES: u64 = 1 << 15;
/// First temperatures of rounds in turn, in losses of a usual swap.
const HOT: [f64; 6] = [0.02, 1.0, 0.1, 3.0, 0.3, 0.005];
/// Rounds in a row without a better wiring after which the search ends: fewest and most, and rounds times NIs between these.
const PATIENCE: [u32; 2] = [6, 24];
const PATIENCE_NIS: u32 = 98_304;
/// Flows whose evaluation counts as one move.
const FLOWS_PER_MOVE: u64 = 4;

/// Searches until the ledger stops or nothing is left to do: for a wiring that serves every pair, then for time.
pub fn evolve(setup: &Setup, state: &mut State, ledger: &mut Ledger) {
    if let (Some(problem), Some(clock)) = (genetic::evolve(setup, state, ledger), setup.clock) {
        improve(setup, problem, clock, state, ledger);
    }
}

/// Improves the ledger's best wiring until nothing better is found or the ledger stops.
pub fn improve(setup: &Setup, problem: &Problem, clock: &Clock, state: &mut State, ledger: &mut Ledger) {
    let Some(Elite { genome, method, .. }) = ledger.best.clone() else { return };
    let further = genome.iter().filter(|&&switch| switch != NONE).max().map_or(0, |&last| last + 1);
    let problem = &match further.saturating_sub(problem.switches()) {
        0 => problem.clone(),
        further => problem.grown(setup.spec, further),
    };
    ledger.pace(problem);
    let renumbers = setup.spec.renumbers();
    let timed = TimedMoves { problem, clock, renumbers };
    if state.time.round == 0 {
        timed.consider(&genome, &method, ledger);
        if clock.is_selective() && !renumbers {
            timed.consider(&without_lone(problem, &genome), &method, ledger);
        }
        state.time.round = u32::from(renumbers);
    }
    if state.time.round == 0 {
        ledger.enter(Stage::Rectangles, 0);
        let mut found = |genome: Vec<u32>, ledger: &mut Ledger| {
            timed.consider(&genome, "by rectangles of nodes, one per switch", ledger);
        };
        if rectangles::search(problem, setup.spec, clock, &mut state.rng, ledger, &mut found).is_none() {
            return;
        }
        state.time.round = 1;
    }
    loop {
        let cost = ledger.best_score().cost;
        let [least, most] = PATIENCE;
        let patience = match Clock::is_connected(cost) {
            true => (PATIENCE_NIS / problem.nis().max(1)).clamp(least, most),
            false => most,
        };
        if state.time.idle >= patience || Clock::is_least(cost) {
            break;
        }
        if ledger.wants_state() {
            ledger.hand_over(state.save(ledger), false);
        }
        if !ledger.should_continue() {
            return;
        }
        let before = ledger.best_score();
        if !timed.round(state, ledger) {
            return;
        }
        state.time.idle = if ledger.best_score() < before { 0 } else { state.time.idle + 1 };
        state.time.round += 1;
    }
    if ledger.keeps_checkpoints() && ledger.ends_by_itself() {
        ledger.hand_over(state.save(ledger), true);
    }
}

/// The wiring without the last cable of nodes with an odd number of them, which is a device by itself.
fn without_lone(problem: &Problem, genome: &[u32]) -> Vec<u32> {
    let mut without = in_order(problem, genome);
    for node in 0..problem.pes() {
        let nis = &mut without[problem.nis_of(node)];
        let cables = nis.iter().filter(|&&switch| switch != NONE).count();
        if cables > 1 && cables % 2 == 1 {
            nis[cables - 1] = NONE;
        }
    }
    without
}

struct TimedMoves<'a> {
    problem: &'a Problem,
    clock: &'a Clock,
    /// `true` if every cable stays and nodes are renumbered.
    renumbers: bool,
}

impl TimedMoves<'_> {
    /// Takes a wiring, with and without its free NIs connected, if it serves every pair.
    fn consider(&self, genome: &[u32], method: &str, ledger: &mut Ledger) {
        let mut filled = genome.to_vec();
        if !self.renumbers {
            connect_rest(self.problem, &mut filled);
        }
        let plain = (filled != genome).then_some(genome);
        for genome in [&filled[..]].into_iter().chain(plain) {
            let mut wiring = Wiring::empty(self.problem);
            if wiring.load(genome, &mut || ledger.should_continue()) {
                self.consider_wiring(&wiring, method, ledger);
            }
        }
    }

    fn consider_wiring(&self, wiring: &Wiring, method: &str, ledger: &mut Ledger) {
        ledger.tally.individuals += 1;
        let most = self.problem.rules().and_then(|rules| rules.max_moved).unwrap_or(u32::MAX);
        if !self.clock.serves_all(wiring) || wiring.moved() > most {
            return;
        }
        let loads = self.clock.loads(self.problem, wiring.genome());
        let cost = self.clock.cost(&loads);
        let mut score = Score { cost, ties: Score::UNTOLD, ..Score::uncovered(0) };
        // Ties are decided only where there are any, since that takes as long as many moves.
        let tied = ledger.best.as_ref().filter(|best| score == Score { ties: Score::UNTOLD, ..best.score });
        if let Some(Elite { genome, score: of_best, .. }) = tied {
            let (genome, mut ties) = (genome.clone(), Some(of_best.ties));
            if genome == *wiring.genome() {
                return;
            }
            if of_best.ties == Score::UNTOLD {
                ties = self.ties(&genome, ledger);
            }
            let (Some(of_best), Some(own)) = (ties, self.ties(wiring.genome(), ledger)) else { return };
            ledger.best.iter_mut().for_each(|best| best.score.ties = of_best);
            score.ties = own;
        }
        if score < ledger.best_score() {
            let seconds = self.clock.seconds(&loads.busiest(), &loads.misses);
            ledger.tally.time = (loads.misses.broken == 0).then(|| Times::of(seconds, self.clock.bound));
        }
        ledger.consider(score, wiring.genome(), method);
    }

    /// What decides between equal times: the [loss](Clock::loss), then the cables and switches to buy. `None` if the ledger stops.
    fn ties(&self, genome: &[u32], ledger: &mut Ledger) -> Option<[u64; 2]> {
        let loss = self.clock.loss(self.problem, genome, |flows| ledger.spend(flows / FLOWS_PER_MOVE))?;
        let mut used: Vec<u32> = genome.iter().copied().filter(|&switch| switch != NONE).collect();
        let cables = used.len() as u64;
        used.sort_unstable();
        used.dedup();
        Some([loss, (used.len() as u64) << 32 | cables])
    }

    /// Anneals the best wiring; `false` if the ledger stops.
    fn round(&self, state: &mut State, ledger: &mut Ledger) -> bool {
        let Some(Elite { genome, method, .. }) = ledger.best.clone() else { return false };
        let mut wiring = Wiring::empty(self.problem);
        if !wiring.load(&genome, &mut || ledger.should_continue()) {
            return false;
        }
        ledger.enter(Stage::Time, 0);
        let moves = (MOVES * u64::from(self.problem.nis())).clamp(MIN_MOVES, MAX_MOVES);
        let hot = HOT[(state.time.round as usize - 1) % HOT.len()];
        let annealed = match method.strip_suffix(ANNEALED) {
            Some(_) => method,
            None => format!("{method}{ANNEALED}"),
        };
        let better =
            &mut |wiring: &Wiring, ledger: &mut Ledger| self.consider_wiring(wiring, &annealed, ledger);
        Anneal::new(self.clock, wiring, self.renumbers).run(moves, hot, &mut state.rng, ledger, better)
    }
}

const ANNEALED: &str = ", then annealed for time";
