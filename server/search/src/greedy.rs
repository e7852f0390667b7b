//! The greedy heuristic for Sparse designs (Mattox 2006, section 3.3), with its crosspoints in heaps.
//!
//! A crosspoint is a PE and an open switch. Its value is the number of the PE's unserved partners on that switch,
//! plus `MUST` for each of them without a free NI. Each step connects the crosspoint with the highest value. A PE's
//! last NI is connected only where the remaining ports can take all the PE still needs. If no crosspoint gains
//! anything, the neediest PE starts on a new switch. Ties go to the lowest PE number or, as in section 3.4, to the
//! pair that a DNA ranks first.
//!
//! Under rails, a PE is at most once on the switches of a plane, and a new switch belongs to the first plane that has one
//! left and for which the neediest PE has a free NI.
//!
//! Departures: only a few switches are open at once, each with a lazy heap, since a scan of all crosspoints is
//! quadratic. There is no closure test, and a failing design is completed, since a repair follows.

use crate::{
    fill::connect_rest,
    genetic::operators::Dna,
    ledger::{Ledger, Score},
    problem::{NONE, Problem},
    wiring::Genome,
};
use spec::cancel::{check, checked};
use std::{cmp::Reverse, collections::BinaryHeap, ops::Range};

/// Added to a crosspoint's value for each partner without another chance.
const MUST: u32 = 1 << 16;
/// Value of a PE that is on the switch.
const MEMBER: u32 = u32::MAX;
/// Steps between two reports of the partial design.
const SHOW_EVERY: u64 = 1 << 14;

/// Result of the heuristic.
pub struct Greedy {
    /// The design; unless stopped early, every NI that can be connected is.
    pub genome: Genome,
    /// If stopped early, the number of uncovered pairs.
    pub stopped_at: Option<u64>,
    /// Number of the first pair that could not be served: a mutation moves it first.
    pub blame: Option<usize>,
}

/// Runs the heuristic with at most `columns` open switches. Stops early if the ledger says so.
pub fn greedy(problem: &Problem, dna: Option<&Dna>, columns: usize, ledger: &mut Ledger) -> Greedy {
    let mut state = State::new(problem, dna, columns);
    let mut step = 0;
    while let Some((column, pe)) = state.best_crosspoint().or_else(|| state.start_neediest()) {
        state.connect(column, pe);
        step += 1;
        ledger.tally.done = step;
        if !ledger.spend(1) {
            return Greedy { genome: state.genome, stopped_at: Some(state.unmet_pairs), blame: None };
        }
        if step % SHOW_EVERY == 0 && problem.counts_pairs() {
            let score = Score { pending_aims: problem.pending_aims, ..Score::uncovered(state.unmet_pairs) };
            ledger.offer(score, &state.genome);
        }
    }
    let blame = state.first_unmet();
    let mut genome = state.genome;
    connect_rest(problem, &mut genome);
    Greedy { genome, stopped_at: None, blame }
}

struct State<'p> {
    problem: &'p Problem,
    rank: Option<Vec<u32>>,
    genome: Genome,
    /// For each PE, the partners it shares no switch with.
    unmet: Vec<u64>,
    unmet_count: Vec<u32>,
    unmet_pairs: u64,
    left: Vec<u32>,
    columns: Vec<Column>,
    spare: Vec<Column>,
    max_columns: usize,
    /// The switches not yet opened: those of each plane under rails, otherwise all.
    unopened: Vec<Range<u32>>,
    /// PEs by (last NI, need), lazily updated.
    needy: BinaryHeap<(bool, u32, Reverse<u32>)>,
}

#[derive(Default)]
struct Column {
    switch: u32,
    free: u32,
    value: Vec<u32>,
    /// PEs with a value other than 0.
    touched: Vec<u32>,
    heap: BinaryHeap<(u32, Reverse<u32>, Reverse<u32>)>,
}

impl Column {
    fn close(&mut self) {
        for pe in self.touched.drain(..) {
            self.value[pe as usize] = 0;
        }
        self.heap.clear();
    }

    fn raise(&mut self, pe: u32, by: u32, rank: u32) {
        let value = &mut self.value[pe as usize];
        if *value == MEMBER {
            return;
        }
        if *value == 0 {
            self.touched.push(pe);
        }
        *value += by;
        self.heap.push((*value, Reverse(rank), Reverse(pe)));
    }

    fn lower(&mut self, pe: u32, by: u32) {
        let value = &mut self.value[pe as usize];
        if *value != MEMBER {
            *value = value.saturating_sub(by);
        }
    }
}

impl<'p> State<'p> {
    fn new(problem: &'p Problem, dna: Option<&Dna>, max_columns: usize) -> Self {
        let graph = &problem.graph;
        let words = |pe| (0..graph.words(pe)).map(move |w| graph.full(pe, w));
        let left: Vec<u32> = (0..problem.pes()).map(|pe| problem.nis_of(pe).len() as u32).collect();
        let unmet_count: Vec<u32> = (0..problem.pes()).map(|pe| graph.degree(pe) as u32).collect();
        let needy =
            (0..problem.pes()).map(|pe| (left[pe as usize] == 1, unmet_count[pe as usize], Reverse(pe)));
        State {
            problem,
            rank: dna.map(Dna::ranks),
            genome: vec![NONE; problem.nis() as usize],
            unmet: (0..problem.pes()).flat_map(words).collect(),
            needy: needy.collect(),
            unmet_count,
            unmet_pairs: graph.pairs,
            left,
            columns: Vec::new(),
            spare: Vec::new(),
            max_columns,
            unopened: match problem.rail() {
                None => std::iter::once(0..problem.switches()).collect(),
                Some(rail) => (0..rail.planes()).map(|plane| rail.switches_of(plane)).collect(),
            },
        }
    }

    /// The open crosspoint with the highest value, as (column, PE).
    fn best_crosspoint(&mut self) -> Option<(usize, u32)> {
        let mut best = None;
        for column in 0..self.columns.len() {
            if let Some(top) = self.top(column)
                && best.is_none_or(|(b, _)| top > b)
            {
                best = Some((top, column));
            }
        }
        best.map(|((_, _, Reverse(pe)), column)| (column, pe))
    }

    /// The best crosspoint of a column, after dropping outdated entries.
    fn top(&mut self, at: usize) -> Option<(u32, Reverse<u32>, Reverse<u32>)> {
        while let Some(&(value, rank, Reverse(pe))) = self.columns[at].heap.peek() {
            check();
            let now = self.columns[at].value[pe as usize];
            let joins = self.left[pe as usize] > 0 && self.may_join(pe, &self.columns[at]);
            if !joins || now == 0 || now > value {
                self.columns[at].heap.pop();
            } else if now < value {
                self.columns[at].heap.pop();
                self.columns[at].heap.push((now, rank, Reverse(pe)));
            } else if self.would_strand(at, pe, value % MUST) {
                // Unavailable for good, as in Mattox 2006.
                self.columns[at].heap.pop();
            } else {
                return Some((value, rank, Reverse(pe)));
            }
        }
        None
    }

    /// `true` if a PE's last NI would go where its remaining partners find no room.
    fn would_strand(&self, at: usize, pe: u32, gain: u32) -> bool {
        if self.left[pe as usize] != 1 {
            return false;
        }
        let need = self.unmet_count[pe as usize].saturating_sub(gain);
        let around = self.columns.iter().filter(|c| c.value[pe as usize] == MEMBER);
        need > self.columns[at].free - 1 + around.map(|c| c.free).sum::<u32>()
    }

    /// `true` if a PE is not on a column's switch yet and, under rails, has a free NI for it.
    fn may_join(&self, pe: u32, column: &Column) -> bool {
        column.value[pe as usize] != MEMBER
            && self.problem.rail().is_none_or(|rail| self.has_free(pe, rail.plane_of(column.switch)))
    }

    /// `true` if a PE has a free NI for a plane.
    fn has_free(&self, pe: u32, plane: u32) -> bool {
        self.problem.nis_of(pe).nth(plane as usize).is_some_and(|ni| self.genome[ni] == NONE)
    }

    /// The neediest PE and a switch for it to start on.
    fn start_neediest(&mut self) -> Option<(usize, u32)> {
        loop {
            let pe = self.neediest()?;
            let need = self.unmet_count[pe as usize];
            let plane = self.next_plane(pe);
            let room = |c: &Column| self.may_join(pe, c) && c.free > need.min(self.room_on_next(plane) - 1);
            let open = (0..self.columns.len()).rev().find(|&c| room(&self.columns[c]));
            let open = open.or_else(|| self.open_column(plane?));
            let open = open.or_else(|| self.columns.iter().position(|c| self.may_join(pe, c)));
            if open.is_some() || self.problem.rail().is_none() {
                return open.map(|column| (column, pe));
            }
            // The planes of this PE are full. Other PEs may have room on theirs.
            self.needy.pop();
        }
    }

    /// The first plane with an unopened switch that a PE has a free NI for; without rails, all switches.
    fn next_plane(&self, pe: u32) -> Option<usize> {
        if self.problem.rail().is_none() {
            return Some(0);
        }
        let open = |plane: &usize| !self.unopened[*plane].is_empty() && self.has_free(pe, *plane as u32);
        (0..self.unopened.len()).find(open)
    }

    fn room_on_next(&self, plane: Option<usize>) -> u32 {
        let next = plane.and_then(|plane| self.unopened[plane].clone().next());
        next.map_or(1, |switch| (self.problem.ports_of(switch).len() as u32).max(1))
    }

    fn neediest(&mut self) -> Option<u32> {
        while let Some((last, need, Reverse(pe))) = self.needy.pop() {
            let (left, now) = (self.left[pe as usize], self.unmet_count[pe as usize]);
            if left == 0 || now == 0 {
                continue;
            }
            if (last, need) == (left == 1, now) {
                self.needy.push((last, need, Reverse(pe)));
                return Some(pe);
            }
            if need > now || last != (left == 1) {
                self.needy.push((left == 1, now, Reverse(pe)));
            }
        }
        None
    }

    fn open_column(&mut self, plane: usize) -> Option<usize> {
        let problem = self.problem;
        let switch = self.unopened[plane].find(|&switch| !problem.ports_of(switch).is_empty())?;
        if self.columns.len() == self.max_columns {
            // The fullest one has least to offer; its free ports are used at the end.
            let fullest = (0..self.columns.len()).min_by_key(|&c| self.columns[c].free)?;
            self.retire(fullest);
        }
        let mut column = self.spare.pop().unwrap_or_default();
        column.value.resize(self.problem.pes() as usize, 0);
        column.switch = switch;
        column.free = problem.ports_of(switch).len() as u32;
        self.columns.push(column);
        Some(self.columns.len() - 1)
    }

    fn retire(&mut self, at: usize) {
        let mut column = self.columns.remove(at);
        column.close();
        self.spare.push(column);
    }

    fn connect(&mut self, at: usize, pe: u32) {
        let p = pe as usize;
        let nis = self.problem.nis_of(pe);
        let switch = self.columns[at].switch;
        let ni = match self.problem.rail() {
            None => nis.end - self.left[p] as usize,
            Some(rail) => nis.start + rail.plane_of(switch) as usize,
        };
        self.genome[ni] = switch;
        self.left[p] -= 1;
        let full = self.left[p] == 0;
        for w in checked(0..self.problem.graph.words(pe)) {
            let mut word = self.unmet[self.problem.graph.first_word(pe) + w];
            while word != 0 {
                let bit = w * 64 + word.trailing_zeros() as usize;
                word &= word - 1;
                self.update_partner(at, pe, bit, full);
            }
        }
        let column = &mut self.columns[at];
        if column.value[p] == 0 {
            column.touched.push(pe);
        }
        column.value[p] = MEMBER;
        column.free -= 1;
        if self.left[p] == 1 && self.unmet_count[p] > 0 {
            self.needy.push((true, self.unmet_count[p], Reverse(pe)));
        }
        if self.columns[at].free == 0 {
            self.retire(at);
        }
    }

    /// Updates values after the connection of `pe`, for one unserved partner.
    fn update_partner(&mut self, at: usize, pe: u32, bit: usize, full: bool) {
        let graph = &self.problem.graph;
        let other = graph.partners(pe)[bit];
        if self.columns[at].value[other as usize] == MEMBER {
            self.meet(pe, bit, other);
            return;
        }
        let rank = self.rank.as_ref().map_or(0, |r| r[graph.pair(pe, bit)]);
        self.columns[at].raise(other, 1 + if full { MUST } else { 0 }, rank);
        if full {
            for column in self.columns.iter_mut().filter(|c| c.value[pe as usize] == MEMBER) {
                column.raise(other, MUST, rank);
            }
        }
    }

    fn meet(&mut self, pe: u32, bit: usize, other: u32) {
        let graph = &self.problem.graph;
        let mirror = graph.mirrors(pe)[bit] as usize;
        self.unmet[graph.first_word(pe) + bit / 64] &= !(1 << (bit % 64));
        self.unmet[graph.first_word(other) + mirror / 64] &= !(1 << (mirror % 64));
        self.unmet_count[pe as usize] -= 1;
        self.unmet_count[other as usize] -= 1;
        self.unmet_pairs -= 1;
        let by = |left: u32| 1 + if left == 0 { MUST } else { 0 };
        for column in &mut self.columns {
            if column.value[pe as usize] == MEMBER {
                column.lower(other, 1);
            }
            if column.value[other as usize] == MEMBER {
                column.lower(pe, by(self.left[other as usize]));
            }
        }
    }

    fn first_unmet(&self) -> Option<usize> {
        let graph = &self.problem.graph;
        let unmet = |pe: u32| {
            (0..graph.words(pe)).find(|&w| self.unmet[graph.first_word(pe) + w] != 0).map(|w| (pe, w))
        };
        let (pe, w) = (0..self.problem.pes()).find_map(unmet)?;
        let bit = self.unmet[graph.first_word(pe) + w].trailing_zeros() as usize;
        Some(graph.pair(pe, w * 64 + bit))
    }
}
