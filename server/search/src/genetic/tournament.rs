//! Tournaments: wirings annealed at different temperatures, in heats that the better half survives.
//!
//! The first tournament finds the right temperature. Then one new wiring at a time descends slowly through the
//! temperatures around the winner's. After several descents without a better winner the island starts over, with
//! twice the moves.

use super::{Individual, Island, Method, Purpose, Schedule, Stage, WiringOrigin, operators};
use crate::{ledger::Score, wiring::Genome};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tournament {
    entrants: Vec<Entrant>,
    /// Remaining entrants, best first.
    running: Vec<usize>,
    next: usize,
    heats: u32,
    /// Moves per NI in the first heat.
    patience: u64,
    slow: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entrant {
    /// After its last annealing, before the quench; `None` before the first heat.
    genome: Option<Genome>,
    temperature: u32,
    score: Score,
    quenched: Option<Genome>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Focus {
    centre: f64,
    ratio: f64,
    best: Score,
    /// Tournaments since the island started over.
    age: u32,
    /// Tournaments since the winner improved.
    stale: u32,
    restarts: u32,
}

impl Focus {
    pub(super) fn new(centre: u32, ratio: u32) -> Focus {
        Focus {
            centre: f64::from(centre),
            ratio: f64::from(ratio) / 1000.0,
            best: Score::NONE,
            age: 0,
            stale: 0,
            restarts: 0,
        }
    }

    /// Moves closer to a winner that improved; starts over after `max_stale` winners that did not.
    fn narrow(&mut self, winner: &Entrant, max_stale: u32, initial: Focus) {
        self.age += 1;
        if winner.score < self.best {
            self.best = winner.score;
            self.centre = f64::from(winner.temperature);
            self.ratio = (1.0 + (self.ratio - 1.0) * 0.6).max(1.02);
            self.stale = 0;
            return;
        }
        self.stale += 1;
        if self.stale >= max_stale {
            *self = Focus { restarts: self.restarts + 1, ..initial };
        }
    }
}

impl Island<'_, '_, '_> {
    /// Starts the next annealing of the tournament, or a new tournament.
    pub(super) fn step_tournament(&mut self) {
        let Some(tournament) = &mut self.state.tournament else { return self.start_tournament() };
        if let Some(&entrant) = tournament.running.get(tournament.next) {
            tournament.next += 1;
            return self.anneal(entrant);
        }
        let running = std::mem::take(&mut tournament.running);
        let mut ranked: Vec<(Score, usize)> =
            running.into_iter().map(|entrant| (tournament.entrants[entrant].score, entrant)).collect();
        ranked.sort_unstable();
        let stay = ranked.len() / 2;
        tournament.next = 0;
        tournament.heats += 1;
        if stay > 0 {
            tournament.running = ranked.into_iter().take(stay).map(|(_, entrant)| entrant).collect();
            return self.exchange_when_due();
        }
        if let Some(&(_, winner)) = ranked.first() {
            self.record_winner(winner);
        }
        self.state.tournament = None;
        self.state.round += 1;
        self.exchange_when_due();
    }

    fn start_tournament(&mut self) {
        let (options, focus) = (self.setup.options, &self.state.focus);
        let slow = focus.age > 0;
        let count = if slow { 1 } else { options.entrants };
        // Odd and even islands take temperatures between each other's.
        let aside = if self.setup.number.is_multiple_of(2) { 0.25 } else { -0.25 };
        let step = |e: u32| f64::from(e) - f64::from(count - 1) / 2.0 - aside;
        let temperature = |e: u32| focus.centre * libm::pow(focus.ratio, step(e));
        let entrant = |e: u32| Entrant {
            genome: None,
            temperature: (temperature(e).round() as u32).clamp(20, 5000),
            score: Score::NONE,
            quenched: None,
        };
        let (patience, doublings) = match slow {
            true => (options.slow, focus.age - 1 + focus.restarts),
            false => (options.heat, focus.restarts),
        };
        self.state.tournament = Some(Tournament {
            entrants: (0..count).map(entrant).collect(),
            running: (0..count as usize).collect(),
            next: 0,
            heats: 0,
            patience: u64::from(patience) << doublings.min(16),
            slow,
        });
    }

    fn anneal(&mut self, number: usize) {
        let Some(tournament) = &self.state.tournament else { return };
        let entrant = &tournament.entrants[number];
        let temperature = entrant.temperature;
        let moves = (tournament.patience << tournament.heats.min(16)) * u64::from(self.problem.nis());
        // New wirings start above the freezing temperature; later heats start below it, to keep the structure found so far.
        let options = self.setup.options;
        let (above, below) = match entrant.genome {
            None if tournament.slow => (options.slow_descent, options.slow_end),
            None => (options.descent, options.descent_end),
            Some(_) => (options.swing, 2000 - options.swing),
        };
        let built = match entrant.genome.clone() {
            Some(genome) => self.load(&genome).then_some(WiringOrigin::of(Method::Greedy)),
            None => self.new_entrant(number),
        };
        let Some(built) = built else { return };
        let at = |thousandths: u32| (temperature * thousandths / 1000).max(1);
        let schedule = Schedule { hot: at(above), cool: at(below), steps: options.steps, moves };
        self.begin(schedule, Stage::Annealing(temperature), built, Purpose::Heat(number));
    }

    /// A wiring for an entrant: new and bred from the best of the population in turn.
    fn new_entrant(&mut self, number: usize) -> Option<WiringOrigin> {
        let breeds = (self.state.round as usize + number) % 2 == 1 && self.state.round > 0;
        if !breeds || self.state.population.members().len() < 2 {
            return self.construct(false);
        }
        let keep = self.setup.options.keep as usize;
        self.state.population.select(keep, self.setup.options.fudge as usize, &mut self.state.rng);
        let parent = self.state.population.pick(keep, &mut self.state.rng)?.clone();
        let mate = self.state.population.pick(keep, &mut self.state.rng)?.clone();
        if let (Some(dna), true) = (&parent.dna, self.state.rng.chance(self.setup.options.dna)) {
            let child = match mate.dna.filter(|other| other != dna) {
                Some(other) => dna.crossed(&other, &mut self.state.rng),
                None => dna.point_mutated(parent.blame, &mut self.state.rng),
            };
            return self.greedy(Some(child), Method::BredDna);
        }
        if !self.load(&parent.genome) {
            return None;
        }
        let (rng, candidates) = (&mut self.state.rng, self.setup.options.candidates);
        let crosses = mate.genome != parent.genome && rng.chance(500);
        let (method, work) = match crosses {
            true => {
                (Method::Crossover, operators::crossover(&mut self.wiring, &mate.genome, candidates, rng))
            }
            false => (Method::Mutation, operators::mutate(&mut self.wiring, 8, rng)),
        };
        self.ledger.spend(work);
        Some(WiringOrigin::of(method))
    }

    /// Stores the result of a heat, and quenches the wiring to judge it.
    pub(super) fn end_heat(&mut self, number: usize, method: Method) {
        let options = self.setup.options;
        let moves = u64::from(options.quench) * u64::from(self.problem.nis());
        let Some(tournament) = &mut self.state.tournament else { return };
        let entrant = &mut tournament.entrants[number];
        entrant.genome = Some(self.wiring.genome().clone());
        let hot = entrant.temperature * 4 / 5;
        let cool = options.cool.min(hot) * 3 / 4;
        let schedule = Schedule { hot, cool: cool.max(1), steps: options.steps, moves };
        let stage = Stage::Annealing(entrant.temperature);
        self.begin(schedule, stage, WiringOrigin::of(method), Purpose::Quench(number));
    }

    /// Judges an entrant after a quench; `again` after a long one.
    pub(super) fn end_quench(&mut self, number: usize, method: Method, again: bool) {
        let score = Score::of(&self.wiring);
        let options = self.setup.options;
        let near = f64::from(options.near) * self.problem.graph.scale;
        if score.cost as f64 <= near && !again {
            return self.long_quench(number, method);
        }
        self.ledger.tally.individuals += 1;
        let genome = self.wiring.genome().clone();
        let Some(tournament) = &mut self.state.tournament else { return };
        let entrant = &mut tournament.entrants[number];
        (entrant.score, entrant.quenched) = (score, Some(genome));
        let scores: Vec<Score> = tournament
            .entrants
            .iter()
            .filter(|entrant| entrant.quenched.is_some())
            .map(|entrant| entrant.score)
            .collect();
        let diversity = self.state.population.diversity(self.problem, &mut self.state.rng.clone());
        self.ledger.report_population(&scores, diversity);
    }

    /// A longer quench from a lower temperature, for a wiring with few missing links: it may reach none.
    fn long_quench(&mut self, number: usize, method: Method) {
        let options = self.setup.options;
        let Some(tournament) = &self.state.tournament else { return };
        let temperature = tournament.entrants[number].temperature;
        let at = |thousandths: u32| (temperature * thousandths / 1000).max(1);
        let schedule = Schedule {
            hot: at(options.lukewarm),
            cool: at(options.lukewarm * 3 / 4),
            steps: options.steps,
            moves: u64::from(options.again) * u64::from(self.problem.nis()),
        };
        self.begin(
            schedule,
            Stage::Annealing(temperature),
            WiringOrigin::of(method),
            Purpose::LongQuench(number),
        );
    }

    fn record_winner(&mut self, number: usize) {
        self.ledger.tally.generation += 1;
        let Some(tournament) = &self.state.tournament else { return };
        let winner = &tournament.entrants[number];
        let options = self.setup.options;
        self.state.focus.narrow(winner, options.stale, Focus::new(options.centre, options.ratio));
        let Some(genome) = winner.quenched.clone() else { return };
        let individual = Individual { genome, score: winner.score, dna: None, blame: None };
        if self.state.population.members().len() < self.setup.size {
            self.state.population.add(individual);
        } else {
            self.state.population.replace_worst(individual);
        }
        self.report_population();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn winner(temperature: u32, uncovered: u64) -> Entrant {
        Entrant { genome: None, temperature, score: Score::uncovered(uncovered), quenched: None }
    }

    #[test]
    fn the_next_tournament_is_held_where_the_best_was_won() {
        let initial = Focus::new(440, 1120);
        let mut focus = initial.clone();
        focus.narrow(&winner(550, 10), 2, initial.clone());
        assert_eq!((focus.centre, focus.best), (550.0, Score::uncovered(10)));
        assert!(focus.ratio < initial.ratio);
        focus.narrow(&winner(300, 20), 2, initial.clone());
        assert_eq!((focus.centre, focus.restarts), (550.0, 0), "a worse winner moves nothing");
        focus.narrow(&winner(300, 10), 2, initial.clone());
        assert_eq!((focus.centre, focus.restarts), (440.0, 1), "what gets no better ends");
    }
}
