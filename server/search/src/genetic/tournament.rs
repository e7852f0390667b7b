//! Tournaments: several wirings, annealed at a temperature each, in heats of which the better half goes on.

use super::{Individual, Island, Made, Method, Purpose, Schedule, Stage, crossover, mutation};
use crate::{ledger::Score, wiring::Genome};
use serde::{Deserialize, Serialize};

/// A tournament under way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tournament {
    entrants: Vec<Entrant>,
    /// Entrants still in, best known first.
    running: Vec<usize>,
    /// Next of those to be annealed in this heat.
    next: usize,
    /// Heats over.
    heats: u32,
    /// Moves for each NI in the first heat.
    patience: u64,
}

/// A wiring in a tournament.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entrant {
    /// As it was annealed last, not quenched; none before its first heat.
    genome: Option<Genome>,
    /// In thousandths.
    temperature: u32,
    /// What quenching left uncovered.
    score: Score,
    /// The quenched wiring.
    quenched: Option<Genome>,
}

/// Where the next tournament looks.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Focus {
    /// Temperature in the middle, in thousandths.
    centre: f64,
    /// From one temperature to the next.
    ratio: f64,
    /// The best score so far of a winner.
    best: Score,
}

impl Focus {
    pub(super) fn new(centre: u32, ratio: u32) -> Focus {
        Focus { centre: f64::from(centre), ratio: f64::from(ratio) / 1000.0, best: Score::NONE }
    }

    /// After a tournament: closer to what won, unless it won less than before.
    fn narrow(&mut self, winner: &Entrant) {
        if winner.score <= self.best {
            self.best = winner.score;
            self.centre = f64::from(winner.temperature);
            self.ratio = 1.0 + (self.ratio - 1.0) * 0.7;
        } else {
            self.ratio = 1.0 + (self.ratio - 1.0) * 1.2;
        }
        self.ratio = self.ratio.clamp(1.02, 1.2);
    }
}

impl Island<'_, '_, '_> {
    /// The next anneal of the tournament, or a new tournament.
    pub(super) fn compete(&mut self) {
        let Some(tournament) = &mut self.state.tournament else { return self.call_together() };
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
            return self.trade_when_due();
        }
        if let Some(&(_, winner)) = ranked.first() {
            self.crown(winner);
        }
        self.state.tournament = None;
        self.state.round += 1;
        self.trade_when_due();
    }

    fn call_together(&mut self) {
        let (options, focus) = (self.life.options, self.state.focus);
        let count = options.entrants;
        // Islands look between each other's temperatures.
        let offset = f64::from(count - 1) / 2.0 + if self.life.first { 0.25 } else { -0.25 };
        let temperature = |e: u32| focus.centre * libm::pow(focus.ratio, f64::from(e) - offset);
        let entrant = |e: u32| Entrant {
            genome: None,
            temperature: (temperature(e).round() as u32).clamp(20, 5000),
            score: Score::NONE,
            quenched: None,
        };
        let patience = u64::from(options.heat) << self.state.round.min(16);
        self.state.tournament = Some(Tournament {
            entrants: (0..count).map(entrant).collect(),
            running: (0..count as usize).collect(),
            next: 0,
            heats: 0,
            patience,
        });
    }

    /// One heat of one entrant.
    fn anneal(&mut self, number: usize) {
        let Some(tournament) = &self.state.tournament else { return };
        let entrant = &tournament.entrants[number];
        let temperature = entrant.temperature;
        let moves = (tournament.patience << tournament.heats.min(16)) * u64::from(self.problem.nis());
        let made = match entrant.genome.clone() {
            Some(genome) => self.load(&genome).then_some(Made::of(Method::Greedy)),
            None => self.enter(number),
        };
        let Some(made) = made else { return };
        let steps = self.life.options.steps;
        let schedule = Schedule { hot: temperature, cool: temperature, steps, moves };
        self.begin(schedule, Stage::Tournament(temperature), made.method, Purpose::Heat(number));
        self.describe(made);
    }

    /// A wiring for an entrant: some are bred from the best of the population, the others are fresh.
    fn enter(&mut self, number: usize) -> Option<Made> {
        let bred = self.life.options.bred as usize;
        if self.state.round == 0 || number >= bred || self.state.population.members().len() < 2 {
            return self.fresh(false);
        }
        let keep = self.life.options.keep as usize;
        self.state.population.select(keep, self.life.options.fudge as usize, &mut self.state.dice);
        let parent = self.state.population.pick(keep, &mut self.state.dice)?.clone();
        let mate = self.state.population.pick(keep, &mut self.state.dice)?.clone();
        if let (Some(dna), true) = (&parent.dna, self.state.dice.chance(self.life.options.dna)) {
            let child = match mate.dna.filter(|other| other != dna) {
                Some(other) => dna.crossed(&other, &mut self.state.dice),
                None => dna.point_mutated(parent.blame, &mut self.state.dice),
            };
            return self.greedy(Some(child), Method::BredDna);
        }
        if !self.load(&parent.genome) {
            return None;
        }
        let (dice, candidates) = (&mut self.state.dice, self.life.options.candidates);
        let crosses = mate.genome != parent.genome && dice.chance(500);
        let (method, work) = match crosses {
            true => {
                (Method::Crossover, crossover::crossover(&mut self.wiring, &mate.genome, candidates, dice))
            }
            false => (Method::Mutation, mutation::mutate(&mut self.wiring, 8, dice)),
        };
        self.ledger.spend(work);
        Some(Made::of(method))
    }

    /// Writes down what a heat has made of an entrant, and quenches it to judge it.
    pub(super) fn end_heat(&mut self, number: usize, method: Method) {
        let options = self.life.options;
        let moves = u64::from(options.quench) * u64::from(self.problem.nis());
        let Some(tournament) = &mut self.state.tournament else { return };
        let entrant = &mut tournament.entrants[number];
        entrant.genome = Some(self.wiring.genome().clone());
        let hot = entrant.temperature * 4 / 5;
        let cool = options.cool.min(hot) * 3 / 4;
        let schedule = Schedule { hot, cool: cool.max(1), steps: options.steps, moves };
        let stage = Stage::Tournament(entrant.temperature);
        self.begin(schedule, stage, method, Purpose::Quench(number));
    }

    /// Judges an entrant.
    pub(super) fn end_quench(&mut self, number: usize) {
        self.ledger.tally.individuals += 1;
        let score = Score::of(&self.wiring);
        let genome = self.wiring.genome().clone();
        if let Some(tournament) = &mut self.state.tournament {
            let entrant = &mut tournament.entrants[number];
            (entrant.score, entrant.quenched) = (score, Some(genome));
            let counts: Vec<u64> = tournament
                .entrants
                .iter()
                .filter(|entrant| entrant.quenched.is_some())
                .map(|entrant| entrant.score.uncovered)
                .collect();
            let diversity = self.state.population.diversity(self.problem, &mut self.state.dice.clone());
            self.ledger.census(&counts, diversity);
        }
    }

    /// Takes the winner into the population.
    fn crown(&mut self, number: usize) {
        self.ledger.tally.generation += 1;
        let Some(tournament) = &self.state.tournament else { return };
        let winner = &tournament.entrants[number];
        self.state.focus.narrow(winner);
        let Some(genome) = winner.quenched.clone() else { return };
        let individual = Individual { genome, score: winner.score, dna: None, blame: None };
        if self.state.population.members().len() < self.life.size {
            self.state.population.add(individual);
        } else {
            self.state.population.welcome(individual);
        }
        self.census();
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
        let mut focus = Focus::new(440, 1120);
        focus.narrow(&winner(550, 10));
        assert_eq!((focus.centre, focus.best), (550.0, Score::uncovered(10)));
        let narrow = focus.ratio;
        focus.narrow(&winner(300, 20));
        assert_eq!(focus.centre, 550.0, "a worse winner moves nothing");
        assert!(focus.ratio > narrow);
    }
}
