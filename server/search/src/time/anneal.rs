//! Annealing on the time of a wiring: swaps of two cables, towards a lower time of the busiest channels. On the way, pairs may lose
//! their last common switch, at a price.

use super::clock::{Clock, Loads, in_order, power, root};
use crate::{
    ledger::Ledger,
    problem::NONE,
    wiring::{Genome, Swap, Wiring},
};
use shared::random::Rng;

/// Channels that are looked at for a busy one.
const LOOKS: u32 = 8;
/// Draws for a swap before the attempt is given up.
const DRAWS: u32 = 4;
/// Swaps that are sampled for the first temperature.
const SAMPLED: u32 = 64;
/// Channels whose busiest is found anew for each wiring.
const FEW: usize = 1 << 11;
/// Price of a lost pair, in losses of a usual swap, and the most pairs that a swap may lose.
const PAIR: f64 = 2.0;
const MAX_LOST: i64 = 4;
/// Flow evaluations that count as one more move.
const FLOWS_PER_MOVE: u64 = 8;

/// A wiring with its loads.
pub struct Anneal<'a, 'p> {
    clock: &'a Clock,
    /// The wiring.
    wiring: Wiring<'p>,
    /// The wiring with the last change, in order.
    genome: Genome,
    changed: Option<Swap>,
    loads: Loads,
    /// Bytes of the busiest channel of each phase at the start: the unit of its loads.
    unit: Vec<f64>,
    /// Number of channels in use at the start, per phase.
    used: Vec<f64>,
    /// Sum of the powers of a phase's loads.
    sums: Vec<f64>,
    /// Loads before the last change.
    journal: Vec<(usize, f64)>,
    broken_before: u64,
    sums_before: Vec<f64>,
    energy: f64,
}

impl<'a, 'p> Anneal<'a, 'p> {
    /// A wiring that serves every pair.
    pub fn new(clock: &'a Clock, wiring: Wiring<'p>) -> Anneal<'a, 'p> {
        let loads = clock.loads(wiring.problem, wiring.genome());
        let unit: Vec<f64> = loads.busiest().into_iter().map(|most| most.max(1e-300)).collect();
        let mut anneal = Anneal {
            clock,
            genome: in_order(wiring.problem, wiring.genome()),
            changed: None,
            wiring,
            used: vec![1.0; unit.len()],
            sums: vec![0.0; unit.len()],
            sums_before: vec![0.0; unit.len()],
            unit,
            loads,
            journal: Vec::new(),
            broken_before: 0,
            energy: 0.0,
        };
        let each = anneal.loads.channels();
        for (phase, bytes) in anneal.loads.bytes.chunks(each).enumerate() {
            let unit = anneal.unit[phase];
            anneal.sums[phase] = bytes.iter().map(|bytes| power(bytes / unit)).sum();
            anneal.used[phase] = bytes.iter().filter(|&&bytes| bytes > 0.0).count().max(1) as f64;
        }
        anneal.energy = anneal.now();
        anneal
    }

    fn now(&self) -> f64 {
        let mean = |phase: usize| self.unit[phase] * root(self.sums[phase] / self.used[phase]);
        let busiest: Vec<f64> = (0..self.sums.len()).map(mean).collect();
        self.clock.energy(&busiest)
    }

    /// Does up to `moves` moves from a temperature of `hot` times the usual loss of a swap down to none, and calls `better` with
    /// wirings of less energy than any before that serve every pair. `false` if the ledger stops.
    pub fn run(
        &mut self,
        moves: u64,
        hot: f64,
        rng: &mut Rng,
        ledger: &mut Ledger,
        better: &mut dyn FnMut(&Wiring, &mut Ledger),
    ) -> bool {
        let usual = self.usual_loss(rng);
        let mut least = (u64::MAX, f64::INFINITY);
        self.may_be_best(&mut least);
        let look_every = 256;
        ledger.tally.of = moves;
        for done in 0..moves {
            if done.is_multiple_of(look_every) {
                ledger.tally.done = done;
            }
            let left = 1.0 - done as f64 / moves as f64;
            let temperature = usual * hot * left * left;
            let draw = (f64::from(rng.bits()) + 1.0) / 4_294_967_297.0;
            let limit = -libm::log(draw) * temperature;
            let work = self.attempt(limit, PAIR * usual, rng);
            if self.wiring.cost() == 0 && self.may_be_best(&mut least) {
                better(&self.wiring, ledger);
            }
            if !(ledger.spend_move() && (work == 0 || ledger.spend(work))) {
                return false;
            }
        }
        true
    }

    /// `true` if the wiring may be better than all before, by the devices that the library does not reach and then by the busiest
    /// channels; where these are many, by the energy.
    fn may_be_best(&self, least: &mut (u64, f64)) -> bool {
        let now = match self.loads.bytes.len() {
            0..=FEW => self.clock.energy(&self.loads.busiest()),
            _ => self.energy,
        };
        let broken = self.loads.broken;
        let is_best = broken < least.0 || (broken == least.0 && now < least.1 * (1.0 - 1e-9));
        if is_best {
            *least = (broken, now);
        }
        is_best
    }

    /// Mean loss of sampled swaps that lose.
    fn usual_loss(&mut self, rng: &mut Rng) -> f64 {
        let (mut sum, mut count) = (0.0, 0);
        for _ in 0..SAMPLED {
            let swap = self.propose(rng).filter(|swap| self.wiring.delta(swap, MAX_LOST) <= MAX_LOST);
            if let Some(swap) = swap {
                let before = self.energy;
                self.change(&swap);
                if self.energy > before {
                    (sum, count) = (sum + self.energy - before, count + 1);
                }
                self.revert(before);
            }
        }
        if count > 0 { sum / f64::from(count) } else { 0.0 }
    }

    /// One swap, kept if it loses at most `limit`, with `price` per lost pair; returns more work than a move's.
    fn attempt(&mut self, limit: f64, price: f64, rng: &mut Rng) -> u64 {
        let Some(swap) = (0..DRAWS).find_map(|_| self.propose(rng)) else { return 0 };
        let lost = self.wiring.delta(&swap, MAX_LOST);
        if lost > MAX_LOST {
            return 0;
        }
        let before = self.energy;
        let work = self.change(&swap);
        // Both directions of a pair are broken at once.
        let broken = match self.clock.is_selective() {
            true => (self.loads.broken as f64 - self.broken_before as f64) / 2.0,
            false => 0.0,
        };
        if self.energy - before + (lost as f64).max(broken) * price > limit {
            self.revert(before);
        } else {
            // Loads are those after the swap already.
            self.wiring.apply(&swap);
        }
        work / FLOWS_PER_MOVE
    }

    /// A swap that puts a node with a busy channel on a switch of one of its partners.
    fn propose(&self, rng: &mut Rng) -> Option<Swap> {
        let (problem, wiring) = (self.wiring.problem, &self.wiring);
        let channels = self.loads.channels() as u32;
        let (mut most, mut busy) = (-1.0, 0);
        for _ in 0..LOOKS {
            let phase = rng.below(self.unit.len() as u32);
            let at = (phase * channels + rng.below(channels)) as usize;
            let share = self.loads.bytes[at] / self.unit[phase as usize];
            if share > most {
                (most, busy) = (share, at as u32);
            }
        }
        let ni = busy % problem.nis();
        let node = problem.owner(ni);
        let &flow = rng.pick(self.clock.flows_of(node))?;
        let [a, b] = self.clock.flows[flow as usize].ends;
        let partner = if a == node { b } else { a };
        // One of the two goes to a switch of the other.
        let (goer, stayer) = if rng.chance(500) { (node, partner) } else { (partner, node) };
        let theirs = problem.nis_of(stayer);
        let switch = wiring.switch_of(theirs.start as u32 + rng.below(theirs.len() as u32));
        if switch == NONE || wiring.is_on(goer, switch) {
            return None;
        }
        let ni = problem.ni_for(goer, switch, rng)?;
        let from = wiring.switch_of(ni);
        if from != NONE && wiring.is_on(stayer, from) {
            return None;
        }
        let ports = problem.ports_of(switch);
        let port = ports.start as u32 + rng.below(ports.len() as u32);
        let occupant = wiring.ni_at(port);
        if occupant != NONE {
            let other = problem.owner(occupant);
            if other == stayer || (from != NONE && wiring.is_on(other, from)) {
                return None;
            }
        }
        Some(Swap { ni, switch, port })
    }

    /// Changes the loads as a swap does, and the energy; the wiring stays. Returns the number of flows that were evaluated.
    fn change(&mut self, swap: &Swap) -> u64 {
        let problem = self.wiring.problem;
        let occupant = self.wiring.ni_at(swap.port);
        let (goer, other) = (problem.owner(swap.ni), (occupant != NONE).then(|| problem.owner(occupant)));
        self.journal.clear();
        self.broken_before = self.loads.broken;
        self.sums_before.copy_from_slice(&self.sums);
        let mut genome = std::mem::take(&mut self.genome);
        let work = self.shift(&genome, goer, other, -1.0);
        let from = self.wiring.switch_of(swap.ni);
        let mut exchange = |node: u32, old: u32, new: u32| {
            let nis = &mut genome[problem.nis_of(node)];
            nis.iter_mut().filter(|switch| **switch == old).take(1).for_each(|switch| *switch = new);
            nis.sort_unstable();
        };
        exchange(goer, from, swap.switch);
        if let Some(other) = other {
            exchange(other, swap.switch, from);
        }
        self.shift(&genome, goer, other, 1.0);
        (self.genome, self.changed) = (genome, Some(*swap));
        // What is left of sums that lost everything is rounding.
        self.sums.iter_mut().for_each(|sum| *sum = sum.max(0.0));
        self.energy = self.now();
        2 * work
    }

    /// Adds the flows of two nodes, or takes them away; those between the two once.
    fn shift(&mut self, genome: &[u32], goer: u32, other: Option<u32>, sign: f64) -> u64 {
        let clock = self.clock;
        let mut count = 0;
        for node in [Some(goer), other].into_iter().flatten() {
            for &flow in clock.flows_of(node) {
                let flow = &clock.flows[flow as usize];
                if node != goer && flow.ends.contains(&goer) {
                    continue;
                }
                count += 1;
                let (bytes, journal, sums) = (&mut self.loads.bytes, &mut self.journal, &mut self.sums);
                let (phase, unit) = (flow.phase as usize, self.unit[flow.phase as usize]);
                let broken = clock.spread(self.wiring.problem, genome, flow, &mut |at, more| {
                    let before = bytes[at];
                    journal.push((at, before));
                    let after = (before + sign * more).max(0.0);
                    bytes[at] = after;
                    sums[phase] += power(after / unit) - power(before / unit);
                });
                match sign < 0.0 {
                    true => self.loads.broken -= broken,
                    false => self.loads.broken += broken,
                }
            }
        }
        count
    }

    /// Takes the last change back.
    fn revert(&mut self, energy: f64) {
        while let Some((at, bytes)) = self.journal.pop() {
            self.loads.bytes[at] = bytes;
        }
        self.sums.copy_from_slice(&self.sums_before);
        self.loads.broken = self.broken_before;
        self.energy = energy;
        if let Some(swap) = self.changed.take() {
            let occupant = self.wiring.ni_at(swap.port);
            for ni in [swap.ni, occupant].into_iter().filter(|&ni| ni != NONE) {
                let own = self.wiring.problem.nis_of(self.wiring.problem.owner(ni));
                let nis = &mut self.genome[own.clone()];
                nis.copy_from_slice(&self.wiring.genome()[own]);
                nis.sort_unstable();
            }
        }
    }
}
