//! Annealing on the time of a wiring: swaps of two cables, or of two nodes where cables stay, towards a lower time of the busiest
//! channels. On the way, pairs may lose their last common switch, at a price.

use super::clock::{Clock, Loads, Misses, in_order, power, root};
use crate::{
    ledger::Ledger,
    problem::{NONE, Problem},
    wiring::{Genome, Swap, Wiring},
};
use spec::random::Rng;

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

/// A step of the annealing.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// A swap of two cables.
    Cables(Swap),
    /// Two nodes exchange all of their cables.
    Nodes([u32; 2]),
}

/// Which node has which set of cables. Places have the numbers of the nodes that they belonged to at first.
struct Places {
    /// Places on each switch.
    on: Vec<Vec<u32>>,
    place_of: Vec<u32>,
    node_at: Vec<u32>,
}

/// A wiring with its loads.
pub struct Anneal<'a, 'p> {
    clock: &'a Clock,
    /// The wiring.
    wiring: Wiring<'p>,
    /// The wiring with the last change, in order.
    genome: Genome,
    changed: Option<Change>,
    /// Where cables stay, and nodes are renumbered.
    places: Option<Places>,
    loads: Loads,
    /// Bytes of the busiest channel of each phase at the start: the unit of its loads.
    unit: Vec<f64>,
    /// Number of channels in use at the start, per phase.
    used: Vec<f64>,
    /// Sum of the powers of a phase's loads.
    sums: Vec<f64>,
    /// Loads before the last change.
    journal: Vec<(usize, f64)>,
    misses_before: Misses,
    sums_before: Vec<f64>,
    energy: f64,
}

impl<'a, 'p> Anneal<'a, 'p> {
    /// A wiring that serves every pair. If it `renumbers`, cables stay and nodes change places.
    pub fn new(clock: &'a Clock, wiring: Wiring<'p>, renumbers: bool) -> Anneal<'a, 'p> {
        let loads = clock.loads(wiring.problem, wiring.genome());
        let unit: Vec<f64> = loads.busiest().into_iter().map(|most| most.max(1e-300)).collect();
        let mut anneal = Anneal {
            clock,
            genome: in_order(wiring.problem, wiring.genome()),
            changed: None,
            places: renumbers.then(|| Places::of(wiring.problem, wiring.genome())),
            wiring,
            used: vec![1.0; unit.len()],
            sums: vec![0.0; unit.len()],
            sums_before: vec![0.0; unit.len()],
            unit,
            loads,
            journal: Vec::new(),
            misses_before: Misses::default(),
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
        self.clock.energy(&busiest, &self.loads.misses)
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
            if self.clock.serves_all(&self.wiring) && self.may_be_best(&mut least) {
                match self.places.is_some() {
                    true => {
                        let mut wiring = Wiring::empty(self.wiring.problem);
                        if wiring.load(&self.genome, &mut || ledger.should_continue()) {
                            better(&wiring, ledger);
                        }
                    }
                    false => better(&self.wiring, ledger),
                }
            }
            if !(ledger.spend_moves(1) && (work == 0 || ledger.spend(work))) {
                return false;
            }
        }
        true
    }

    /// `true` if the wiring may be better than all before, by the devices that the library does not reach and then by the busiest
    /// channels; where these are many, by the energy.
    fn may_be_best(&self, least: &mut (u64, f64)) -> bool {
        let now = match self.loads.bytes.len() {
            0..=FEW => self.clock.energy(&self.loads.busiest(), &self.loads.misses),
            _ => self.energy,
        };
        let broken = self.loads.misses.broken;
        let is_best = broken < least.0 || (broken == least.0 && now < least.1 * (1.0 - 1e-9));
        if is_best {
            *least = (broken, now);
        }
        is_best
    }

    /// Mean loss of sampled changes that lose.
    fn usual_loss(&mut self, rng: &mut Rng) -> f64 {
        let (mut sum, mut count) = (0.0, 0);
        for _ in 0..SAMPLED {
            let change = self.propose(rng).filter(|change| self.lost(change) <= MAX_LOST);
            if let Some(change) = change {
                let before = self.energy;
                self.change(change);
                if self.energy > before {
                    (sum, count) = (sum + self.energy - before, count + 1);
                }
                self.revert(before);
            }
        }
        if count > 0 { sum / f64::from(count) } else { 0.0 }
    }

    /// Pairs that a swap of cables loses, at least `MAX_LOST + 1` if more. Where uplink switches serve pairs, none is lost.
    fn lost(&self, change: &Change) -> i64 {
        match change {
            Change::Cables(_) if self.clock.serves_over_uplinks => 0,
            Change::Cables(swap) => self.wiring.delta(swap, MAX_LOST),
            Change::Nodes(_) => 0,
        }
    }

    /// One change, kept if it loses at most `limit`, with `price` per lost pair; returns more work than a move's.
    fn attempt(&mut self, limit: f64, price: f64, rng: &mut Rng) -> u64 {
        let Some(change) = (0..DRAWS).find_map(|_| self.propose(rng)) else { return 0 };
        let lost = self.lost(&change);
        if lost > MAX_LOST {
            return 0;
        }
        let before = self.energy;
        let work = self.change(change);
        // Both directions of a pair are broken at once.
        let broken = match self.clock.is_selective() || self.places.is_some() {
            true => (self.loads.misses.broken as f64 - self.misses_before.broken as f64) / 2.0,
            false => 0.0,
        };
        if self.energy - before + (lost as f64).max(broken) * price > limit {
            self.revert(before);
        } else {
            // Loads are those after the change already.
            match (change, &mut self.places) {
                (Change::Cables(swap), _) => self.wiring.apply(&swap),
                (Change::Nodes(nodes), Some(places)) => places.exchange(nodes),
                (Change::Nodes(_), None) => {}
            }
        }
        work / FLOWS_PER_MOVE
    }

    fn propose(&self, rng: &mut Rng) -> Option<Change> {
        match &self.places {
            Some(places) => self.propose_nodes(places, rng).map(Change::Nodes),
            None => self.propose_cables(rng).map(Change::Cables),
        }
    }

    /// A node with a busy channel, and one of its partners.
    fn busy(&self, rng: &mut Rng) -> Option<[u32; 2]> {
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
        let problem = self.wiring.problem;
        let node = match self.loads.end_of((busy % channels) as usize) {
            Ok(ni) => problem.owner(ni as u32),
            // Of the uplinks of a switch, a node on it.
            Err(switch) => {
                let ports = problem.ports_of(switch as u32);
                let ni = self.wiring.ni_at(ports.start as u32 + rng.below((ports.len() as u32).max(1)));
                if ni == NONE { return None } else { problem.owner(ni) }
            }
        };
        let &flow = rng.pick(self.clock.flows_of(node))?;
        let [a, b] = self.clock.flows[flow as usize].ends;
        Some([node, if a == node { b } else { a }])
    }

    /// A node with a busy channel, or its partner, and a node with as many NIs on a switch of the other.
    fn propose_nodes(&self, places: &Places, rng: &mut Rng) -> Option<[u32; 2]> {
        let problem = self.wiring.problem;
        let [node, partner] = self.busy(rng)?;
        let (goer, stayer) = if rng.chance(500) { (node, partner) } else { (partner, node) };
        let &switch = rng.pick(&self.genome[problem.nis_of(stayer)])?;
        let other = places.node_at[*rng.pick(places.on.get(switch as usize)?)? as usize];
        let fits = problem.nis_of(other).len() == problem.nis_of(goer).len();
        (fits && ![goer, stayer].contains(&other)).then_some([goer, other])
    }

    /// A swap that puts a node with a busy channel on a switch of one of its partners.
    fn propose_cables(&self, rng: &mut Rng) -> Option<Swap> {
        let (problem, wiring) = (self.wiring.problem, &self.wiring);
        let [node, partner] = self.busy(rng)?;
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
    fn change(&mut self, change: Change) -> u64 {
        let problem = self.wiring.problem;
        let (goer, other) = self.nodes_of(change);
        self.journal.clear();
        self.misses_before = self.loads.misses;
        self.sums_before.copy_from_slice(&self.sums);
        let mut genome = std::mem::take(&mut self.genome);
        let work = self.shift(&genome, goer, other, -1.0);
        match change {
            Change::Cables(swap) => {
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
            }
            Change::Nodes(nodes) => exchange(problem, &mut genome, nodes),
        }
        self.shift(&genome, goer, other, 1.0);
        (self.genome, self.changed) = (genome, Some(change));
        // What is left of sums that lost everything is rounding.
        self.sums.iter_mut().for_each(|sum| *sum = sum.max(0.0));
        self.energy = self.now();
        2 * work
    }

    fn nodes_of(&self, change: Change) -> (u32, Option<u32>) {
        match change {
            Change::Cables(swap) => {
                let (problem, occupant) = (self.wiring.problem, self.wiring.ni_at(swap.port));
                (problem.owner(swap.ni), (occupant != NONE).then(|| problem.owner(occupant)))
            }
            Change::Nodes([a, b]) => (a, Some(b)),
        }
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
                let misses = clock.spread(self.wiring.problem, genome, flow, &mut |at, more| {
                    let before = bytes[at];
                    journal.push((at, before));
                    let after = (before + sign * more).max(0.0);
                    bytes[at] = after;
                    sums[phase] += power(after / unit) - power(before / unit);
                });
                self.loads.misses.shift(misses, sign);
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
        self.loads.misses = self.misses_before;
        self.energy = energy;
        let (problem, Some(change)) = (self.wiring.problem, self.changed.take()) else { return };
        match change {
            Change::Cables(_) => {
                let (goer, other) = self.nodes_of(change);
                for node in std::iter::once(goer).chain(other) {
                    let own = problem.nis_of(node);
                    let nis = &mut self.genome[own.clone()];
                    nis.copy_from_slice(&self.wiring.genome()[own]);
                    nis.sort_unstable();
                }
            }
            Change::Nodes(nodes) => exchange(problem, &mut self.genome, nodes),
        }
    }
}

/// Exchanges the cables of two nodes with as many NIs.
fn exchange(problem: &Problem, genome: &mut [u32], nodes: [u32; 2]) {
    let [a, b] = nodes.map(|node| problem.nis_of(node));
    a.zip(b).for_each(|(a, b)| genome.swap(a, b));
}

impl Places {
    fn of(problem: &Problem, genome: &[u32]) -> Places {
        let mut on = vec![Vec::new(); problem.switches() as usize];
        for (ni, &switch) in (0..).zip(genome).filter(|(_, switch)| **switch != NONE) {
            on[switch as usize].push(problem.owner(ni));
        }
        let all: Vec<u32> = (0..problem.pes()).collect();
        Places { on, place_of: all.clone(), node_at: all }
    }

    fn exchange(&mut self, [a, b]: [u32; 2]) {
        self.place_of.swap(a as usize, b as usize);
        [a, b].into_iter().for_each(|node| self.node_at[self.place_of[node as usize] as usize] = node);
    }
}
