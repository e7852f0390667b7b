//! One island's search: a population of wirings, each repaired, bred by the papers' operators.
//!
//! A generation keeps the best, makes some new wirings by crossover, the others by mutation of a wiring or of DNA, and
//! repairs them all. While nothing improves, repairs take longer and longer.

pub mod crossover;
pub mod dna;
pub mod mutation;
pub mod population;

use crate::{
    construct::{fill, greedy, scaled},
    dice::Dice,
    ledger::{Elite, Ledger, Stage},
    options::Options,
    problem::Problem,
    repair::{Schedule, repair},
    wiring::{Genome, Wiring},
};
use dna::Dna;
use population::{Individual, Population};

/// Most pairs for which individuals carry DNA.
pub const MOST_DNA_PAIRS: u64 = 1 << 22;

/// Searches one instance after the other (the first ones being stricter forms of the last) until one is solved, or until
/// the ledger says stop; all but the last get `options.concentrated` million work units.
pub fn evolve(
    problems: &[Problem],
    size: usize,
    options: &Options,
    dice: &mut Dice,
    ledger: &mut Ledger,
    first: bool,
) {
    let mut epoch = 0;
    for (phase, problem) in problems.iter().enumerate() {
        let last = phase + 1 == problems.len();
        let until = if last { u64::MAX } else { options.concentrated_for(problem.nis()) };
        let mut island = Island::new(problem, size, options, dice, ledger, epoch);
        island.first_designs(first, until);
        while island.goes_on(until) {
            island.population.select(island.keep(), options.fudge as usize, island.dice);
            for place in island.keep()..size {
                island.breed(place);
            }
            island.end_generation();
        }
        epoch = island.epoch;
    }
}

struct Island<'a, 'l> {
    problem: &'a Problem,
    size: usize,
    options: &'a Options,
    dice: &'a mut Dice,
    ledger: &'a mut Ledger<'l>,
    wiring: Wiring<'a>,
    population: Population,
    /// Moves for each NI of the next repairs.
    patience: u64,
    best_before: u64,
    epoch: u64,
    next_epoch_at: u64,
}

impl<'a, 'l> Island<'a, 'l> {
    fn new(
        problem: &'a Problem,
        size: usize,
        options: &'a Options,
        dice: &'a mut Dice,
        ledger: &'a mut Ledger<'l>,
        epoch: u64,
    ) -> Self {
        Island {
            wiring: Wiring::empty(problem),
            population: Population::default(),
            patience: options.patience_for(problem.nis()),
            best_before: u64::MAX,
            next_epoch_at: ledger.work() + u64::from(options.epoch) * 1000,
            epoch,
            problem,
            size,
            options,
            dice,
            ledger,
        }
    }

    fn goes_on(&mut self, until: u64) -> bool {
        self.ledger.work() < until && self.ledger.goes_on() && !self.population.members().is_empty()
    }

    fn keep(&self) -> usize {
        (self.options.keep as usize).min(self.size - 1)
    }

    /// The first population. The first island also tries what needs no luck.
    fn first_designs(&mut self, first: bool, until: u64) {
        let complete = self.problem.graph.complete();
        if let Some(best) = self.ledger.best_genome() {
            self.add_as_is(best, "repair");
        }
        if first {
            self.ledger.enter(Stage::Fill, 0);
            let genome = fill::fill(self.problem);
            self.add_as_is(genome, "lowest-numbered-switch fill");
        }
        if complete && self.ledger.goes_on() {
            self.add_scaled();
        }
        let (mut plain, mut brief) = (first, true);
        while self.population.members().len() < self.size
            && self.ledger.work() < until
            && self.ledger.goes_on()
        {
            if complete {
                self.add_scattered();
            } else {
                let with_dna = !plain && self.problem.graph.pairs() <= MOST_DNA_PAIRS;
                let dna = with_dna.then(|| Dna::random(self.problem.graph.pairs() as usize, self.dice));
                // Most instances that can be solved at all need no more than a brief repair.
                let patience = if brief { u64::from(self.options.brief) } else { self.patience };
                self.add_greedy(dna, patience, "greedy, then repair");
                (plain, brief) = (false, false);
            }
        }
        self.census();
    }

    fn add_as_is(&mut self, genome: Genome, method: &'static str) {
        self.ledger.tally.individuals += 1;
        let ledger = &mut *self.ledger;
        if self.wiring.load(&genome, &mut || ledger.goes_on()) {
            self.ledger.consider(self.wiring.uncovered(), self.wiring.genome(), method);
            let genome = self.wiring.genome().clone();
            self.population.add(Individual {
                genome,
                uncovered: self.wiring.uncovered(),
                dna: None,
                blame: None,
            });
        }
    }

    /// A scaled-down design, scaled up; where every port is to be used, with all of them used and then repaired.
    fn add_scaled(&mut self) {
        let Some(mut genome) = scaled::scaled(self.problem, self.options, self.dice, self.ledger) else {
            return;
        };
        let tight = self.problem.ports() <= self.problem.nis();
        if tight {
            fill::seat_rest(self.problem, &mut genome);
        }
        if self.load(&genome) {
            self.repair(Stage::Repair, self.options.warm, self.patience, "scaled-down design");
            self.add(None, None);
        }
    }

    /// A random wiring, repaired.
    fn add_scattered(&mut self) {
        let genome = fill::fill(self.problem);
        if self.load(&genome) {
            mutation::exchange_connections(&mut self.wiring, 2 * self.problem.nis(), self.dice);
            self.repair(Stage::Repair, self.options.hot, self.patience, "random wiring, then repair");
            self.add(None, None);
        }
    }

    /// A greedy design, repaired.
    fn add_greedy(&mut self, dna: Option<Dna>, patience: u64, method: &'static str) {
        let stage = if dna.is_some() { Stage::GreedyByDna } else { Stage::Greedy };
        self.ledger.enter(stage, u64::from(self.problem.nis()));
        let made = greedy::greedy(self.problem, dna.as_ref(), self.options.columns as usize, self.ledger);
        if let Some(uncovered) = made.stopped_at {
            if self.problem.graph.levels() == 1 {
                self.ledger.consider(uncovered, &made.genome, "greedy, stopped early");
            }
            return;
        }
        if self.load(&made.genome) {
            self.ledger.consider(self.wiring.uncovered(), self.wiring.genome(), "greedy");
            let thorough = patience >= u64::from(self.options.thorough);
            let hot = if thorough { self.options.hot } else { self.options.warm };
            self.repair(Stage::Repair, hot, patience, method);
            self.add(dna, made.blame);
        }
    }

    /// One new wiring for a place of the population.
    fn breed(&mut self, place: usize) {
        if !self.ledger.goes_on() {
            return;
        }
        let keep = self.keep();
        let parent = self.population.pick(keep, self.dice).cloned();
        let Some(parent) = parent else { return };
        if place < keep + self.options.cross as usize && keep > 1 {
            self.cross(&parent);
        } else if let Some(dna) = parent.dna.as_ref().filter(|_| self.dice.chance(self.options.dna)) {
            let mate = self.population.pick(keep, self.dice).and_then(|m| m.dna.clone());
            let child = match mate.filter(|m| m != dna) {
                Some(mate) => dna.crossed(&mate, self.dice),
                None => dna.point_mutated(parent.blame, self.dice),
            };
            self.add_greedy(Some(child), self.patience, "greedy by bred DNA, then repair");
        } else {
            self.mutate(&parent);
        }
    }

    fn cross(&mut self, parent: &Individual) {
        let mate = self.population.pick(self.keep(), self.dice).map(|m| m.genome.clone());
        if let Some(mate) = mate
            && self.load(&parent.genome)
        {
            let trades = crossover::crossover(&mut self.wiring, &mate, self.options.candidates, self.dice);
            self.ledger.spend(trades);
            self.repair(Stage::Crossover, self.options.warm, self.patience, "crossover, then repair");
            self.add(None, None);
        }
    }

    fn mutate(&mut self, parent: &Individual) {
        if self.load(&parent.genome) {
            let exchanges = mutation::mutate(&mut self.wiring, 8, self.dice);
            self.ledger.spend(exchanges);
            self.repair(Stage::Mutation, self.options.hot, self.patience, "mutation, then repair");
            self.add(None, None);
        }
    }

    fn load(&mut self, genome: &[u32]) -> bool {
        let ledger = &mut *self.ledger;
        self.wiring.load(genome, &mut || ledger.goes_on())
    }

    fn repair(&mut self, stage: Stage, hot: u32, patience: u64, method: &'static str) {
        let moves = patience * u64::from(self.problem.nis());
        let cool = self.options.cool.min(hot);
        let schedule = Schedule { hot, cool, steps: self.options.steps, moves };
        self.ledger.enter(stage, moves);
        repair(&mut self.wiring, &schedule, self.options, Some(method), self.dice, self.ledger);
    }

    /// Puts the wiring at hand into the population.
    fn add(&mut self, dna: Option<Dna>, blame: Option<usize>) {
        self.ledger.tally.individuals += 1;
        let genome = self.wiring.genome().clone();
        self.population.add(Individual { genome, uncovered: self.wiring.uncovered(), dna, blame });
        self.census();
    }

    fn census(&mut self) {
        let diversity = self.population.diversity(self.problem, &mut self.dice.clone());
        self.ledger.census(&self.population.counts(), diversity);
    }

    /// Lengthens repairs if nothing got better; exchanges the best with another island when it is time.
    fn end_generation(&mut self) {
        self.ledger.tally.generation += 1;
        if self.ledger.best() >= self.best_before {
            self.patience = (self.patience * 2).min(u64::from(self.options.most_patience));
        }
        self.best_before = self.ledger.best();
        if self.ledger.work() >= self.next_epoch_at && self.ledger.goes_on() {
            self.next_epoch_at = self.ledger.work() + u64::from(self.options.epoch) * 1000;
            if let Some(Elite { genome, uncovered, .. }) = self.ledger.trade(self.epoch) {
                self.population.welcome(Individual { genome, uncovered, dna: None, blame: None });
            }
            self.epoch += 1;
        }
    }
}
