//! Renumbering: every cable stays, and PE numbers are permuted until the demand is covered.
//!
//! A PE takes over the slot of another, which is its set of switches. Both must have equally many NIs, so limits stay
//! kept. The search is simulated annealing as in [`crate::repair`], with whole PEs instead of NIs: a PE of an
//! uncovered pair goes to a slot on a switch of its partner, and each swap is evaluated exactly over the partners of
//! the two. Annealing restarts, sometimes for longer, until the ledger stops.
//!
//! Results: scrambled numbers of 256 PEs with a hypercube and a 16x16 torus on 16-port switches are restored in about
//! a second. KASY0 is not: after 100 million moves at the best known temperatures, 9 to 20 of its 1,536 pairs stay
//! uncovered. Swaps of whole blocks did not help.

use crate::{
    graph::Graph,
    ledger::{Ledger, Score, Stage},
    permutation::Permutation,
    problem::{Problem, useful_names},
    wiring::Genome,
};
use shared::{
    demand::Demand,
    random::Rng,
    spec::{Spec, Start},
};
use std::ops::Range;

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

/// Searches for a permutation of PE numbers under which the start wiring covers the demand as far as possible. The
/// ledger records the best wirings, the start first. Ends when nothing is uncovered, when no permutation changes
/// anything, or when the ledger stops.
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
    /// Cost and slots of the best permutation.
    best: (i64, Vec<u32>),
    genome: Genome,
}

impl<'p> Search<'p> {
    fn new(permutation: Permutation<'p>, ledger: &mut Ledger) -> Self {
        let mut search = Search { best: (i64::MAX, Vec::new()), permutation, genome: Genome::new() };
        search.note(ledger);
        search
    }

    /// One annealing; `true` to continue with another.
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
        let Some(swap) = swap else { return ledger.spend_move() };
        if self.permutation.delta(swap, limit) <= limit {
            self.permutation.apply(swap);
        }
        let more = self.permutation.size(swap) as u64 / PAIRS_PER_MOVE;
        ledger.spend_move() && (more == 0 || ledger.spend(more))
    }

    /// Records the permutation if it is the best so far.
    fn note(&mut self, ledger: &mut Ledger) {
        if self.permutation.cost() < self.best.0 {
            self.best = (self.permutation.cost(), self.permutation.slots().to_vec());
            self.permutation.genome(&self.best.1, &mut self.genome);
            let (cost, uncovered) = (self.permutation.cost() as u64, self.permutation.uncovered());
            ledger.consider(Score { pending_aims: 0, cost, uncovered }, &self.genome, METHOD);
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

/// Maximum number of slots with tables: 2 MiB per level.
const MAX_TABLED: usize = 4096;
/// Slots between two calls of `go_on`.
const ASK_EVERY: usize = 64;

/// The start wiring uses a switch that the search leaves out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the wiring that is there uses switch {switch}, which the search leaves out: it looks at no more switches than there are NIs, \
     the widest first, and at none numbered past {farthest}; a wiring on the others is accepted",
    farthest = (1u64 << 20)
)]
pub struct UnknownSwitch {
    /// Number of the switch in the spec.
    pub switch: u32,
}

/// Slots of a start wiring: slot p is the set of switches of PE p.
///
/// The number of switches that two slots share never changes and is needed often. For up to [`MAX_TABLED`] slots it
/// is a table of bits for each level that some pair wants. For more, two short ascending lists are compared, and
/// memory stays linear.
#[derive(Debug)]
pub struct Slots {
    /// Switches of slot p: `switches[starts[p]..starts[p + 1]]`, ascending.
    starts: Vec<usize>,
    switches: Vec<u32>,
    /// Slots on switch s: `members[ends[s]..ends[s + 1]]`.
    ends: Vec<usize>,
    members: Vec<u32>,
    /// For each level from 1 and each slot, a bit for every slot that shares that many switches with it.
    tables: Vec<Vec<u64>>,
    row: usize,
}

impl Slots {
    /// The slots of a start wiring, with switches numbered as in `problem`. `None` if `go_on` said no.
    ///
    /// # Errors
    /// A cable to a switch that `problem` does not know.
    pub fn new(
        spec: &Spec,
        start: &Start,
        problem: &Problem,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Slots>, UnknownSwitch> {
        let names = useful_names(spec);
        let mut of_place: Vec<(u32, u32)> = Vec::new();
        let (mut ends, mut members) = (vec![0; problem.switches() as usize + 1], Vec::new());
        for (name, pes) in start.switches.iter().enumerate().filter(|(_, pes)| !pes.is_empty()) {
            let known = names.binary_search(&(name as u32)).ok().filter(|&s| s + 1 < ends.len());
            let switch = known.ok_or(UnknownSwitch { switch: name as u32 })?;
            of_place.extend(pes.iter().map(|&pe| (pe, switch as u32)));
            members.extend_from_slice(pes);
            ends[switch + 1] = pes.len();
        }
        running_sum(&mut ends);
        of_place.sort_unstable();
        let mut starts = vec![0; spec.pes as usize + 1];
        of_place.iter().for_each(|&(pe, _)| starts[pe as usize + 1] += 1);
        running_sum(&mut starts);
        let switches = of_place.into_iter().map(|(_, switch)| switch).collect();
        let mut slots = Slots { starts, switches, ends, members, tables: Vec::new(), row: 0 };
        let whole = slots.len() > MAX_TABLED || slots.table(&problem.graph, go_on);
        Ok(whole.then_some(slots))
    }

    /// Fills the tables; `false` if `go_on` said no.
    fn table(&mut self, graph: &Graph, go_on: &mut dyn FnMut() -> bool) -> bool {
        let row = self.len().div_ceil(64);
        let mut tables = vec![vec![0u64; row * self.len()]; graph.levels()];
        for slot in 0..self.len() {
            if slot % ASK_EVERY == 0 && !go_on() {
                return false;
            }
            for &switch in self.switches_of(slot as u32) {
                for &other in self.on_switch(switch) {
                    let (at, bit) = (slot * row + other as usize / 64, 1 << (other % 64));
                    if let Some(table) = tables.iter_mut().find(|table| table[at] & bit == 0) {
                        table[at] |= bit;
                    }
                }
            }
        }
        (self.tables, self.row) = (tables, row);
        true
    }

    /// Number of slots.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// `true` if there is no slot.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The switches of a slot, ascending.
    pub fn switches_of(&self, slot: u32) -> &[u32] {
        &self.switches[range(&self.starts, slot)]
    }

    /// The slots on a switch.
    pub fn on_switch(&self, switch: u32) -> &[u32] {
        &self.members[range(&self.ends, switch)]
    }

    /// Missing links of two slots, out of `wanted` (up to the graph's levels).
    #[inline]
    pub fn missing_links(&self, a: u32, b: u32, wanted: u32) -> u32 {
        if self.row > 0 {
            let (at, bit) = (a as usize * self.row + b as usize / 64, b % 64);
            return self.tables[..wanted as usize]
                .iter()
                .map(|table| u32::from(table[at] >> bit & 1 == 0))
                .sum();
        }
        wanted.saturating_sub(meetings(self.switches_of(a), self.switches_of(b)))
    }
}

/// Number of common values in two ascending lists.
#[inline]
fn meetings(a: &[u32], b: &[u32]) -> u32 {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        common += u32::from(a[i] == b[j]);
        let (left, right) = (a[i] <= b[j], b[j] <= a[i]);
        i += usize::from(left);
        j += usize::from(right);
    }
    common
}

fn range(starts: &[usize], at: u32) -> Range<usize> {
    starts[at as usize]..starts[at as usize + 1]
}

fn running_sum(counts: &mut [usize]) {
    (1..counts.len()).for_each(|i| counts[i] += counts[i - 1]);
}
