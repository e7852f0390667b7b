//! Attempts to make solved cells cheaper, and to mix models.

use super::{
    BoardSearch, cell_name,
    checkpoint::{Fate, Mix},
    effort_spent,
    exact::{self, Decision, MAX_SWITCHES},
};
use analysis::analysis::bounds::quick_refusal;
use spec::{
    cancel::scope,
    design::{Design, check},
    spec::Spec,
};
use std::sync::{Arc, atomic::Ordering::SeqCst};
use work::hardware::{Cell, CellState, crowded, is_no_less, stock_text};

/// The next step of a hardware search.
pub enum Task {
    /// A failed cell is tried again.
    Retry(usize),
    /// A cell is tried with these switches of each model, after that many failed attempts.
    Reduce(usize, Vec<u32>, u32),
}

/// Place in the order of tasks, the first of which is next: failed attempts, `true` if it cannot improve the best, lower
/// bound on the cost.
type Key = (u32, bool, f64);

impl BoardSearch<'_> {
    /// The next step, if there is one and the budget is not used up.
    pub(super) fn next_task(&mut self) -> Option<Task> {
        loop {
            self.budget_for(0)?;
            let retry = self.next_retry().map(|index| (self.retry_key(index), index, false));
            let reduce =
                (0..self.board.cells.len()).filter_map(|index| Some((self.reduce_key(index)?, index, true)));
            let first = retry
                .into_iter()
                .chain(reduce)
                .min_by(|(a, ..), (b, ..)| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
            let (_, index, reduces) = first?;
            if !reduces {
                if self.board.cells[index].least.is_some() {
                    return Some(Task::Retry(index));
                }
                self.find_least(index);
                if self.cancel.load(SeqCst) {
                    return None;
                }
                continue;
            }
            let is_mix = self.board.cells[index].is_mix();
            let target = if is_mix { self.mixed(index) } else { self.fewer(index) };
            if self.cancel.load(SeqCst) {
                return None;
            }
            let record = &mut self.records[index];
            match target {
                None => record.settled = true,
                Some((_, tries)) if tries > record.tries => record.tries = tries,
                Some((counts, tries)) => return Some(Task::Reduce(index, counts, tries)),
            }
            self.rank();
        }
    }

    fn retry_key(&self, index: usize) -> Key {
        let attempts = self.board.cells[index].attempts;
        (attempts, !self.would_save(index), self.least_cost(index).unwrap_or(f64::INFINITY))
    }

    /// Place of a cell among those to make cheaper; `None` if it is not one of them.
    fn reduce_key(&self, index: usize) -> Option<Key> {
        let (cell, record) = (&self.board.cells[index], &self.records[index]);
        let (least, cheapest) = (self.least_cost(index), self.cheapest_cost());
        let saves = match (least, cheapest) {
            (Some(least), Some(cheapest)) => !is_no_less(least, cheapest),
            (Some(_), None) => true,
            (None, _) => self.board.frontier.contains(&index),
        };
        let is_open = if cell.is_mix() { saves } else { cell.state.is_solved() };
        // A cell has many mixes, and each attempt at one counts.
        let level = if cell.is_mix() { record.tries.max((cell.attempts + 1).ilog2()) } else { record.tries };
        let late = u32::from(!saves);
        (is_open && !record.settled).then(|| (level + late, !saves, least.unwrap_or(f64::INFINITY)))
    }

    /// Tries a cell with these switches of each model.
    pub(super) fn reduce(&mut self, index: usize, counts: &[u32], tries: u32) {
        let cell = &self.board.cells[index];
        let (nis, is_mix) = (cell.nis, cell.is_mix());
        let exact_only = !is_mix && counts.iter().sum::<u32>() >= cell.switches;
        self.board.trying = format!("{}: {}", cell_name(cell), stock_text(&self.board.ports, counts));
        self.report();
        let spec = self.stocked(nis, counts);
        if is_mix && tries == 0 {
            let ruled_out = crowded(&spec).is_some()
                || match scope(self.stop, || quick_refusal(&spec, &self.request.demand)) {
                    Ok(refusal) => refusal.is_some(),
                    Err(_) => return,
                };
            if ruled_out {
                self.decide_as(index, counts, Fate::RuledOut, true);
                return;
            }
        }
        let resumes = self.open.as_ref().is_some_and(|open| open.cell == index && open.target == counts);
        if tries == 0 && !resumes && self.try_all(index, counts, &spec) {
            self.rank();
            self.report();
            self.save_if_due();
            return;
        }
        if self.cancel.load(SeqCst) {
            return;
        }
        if exact_only {
            self.decide_as(index, counts, Fate::NoGain, false);
            return;
        }
        self.search_reduced(index, counts, tries, spec);
    }

    /// Decides a failed cell by trying everything on as many switches as can be useful. `false` if that takes too long.
    pub(super) fn decide_failed(&mut self, index: usize) -> bool {
        let cell = &self.board.cells[index];
        let stock = self.request.catalogue[cell.model].count.unwrap_or(u32::MAX);
        // A switch without two cables joins nobody.
        let useful = cell.nis.saturating_mul(self.request.spec.pes) / 2;
        let counts = self.counts(cell.model, useful.min(stock));
        let spec = self.stocked(cell.nis, &counts);
        if useful.min(stock) > MAX_SWITCHES || crowded(&spec).is_some() {
            return false;
        }
        let cancel = self.cancel;
        match exact::decide(&spec, &self.request.demand, spec.total_nis(), &mut || !cancel.load(SeqCst)) {
            Decision::Open => return false,
            Decision::Impossible => {
                let cell = &mut self.board.cells[index];
                (cell.state, cell.note) = (CellState::Refuted, "all wirings tried".into());
            }
            Decision::Wiring(design) => {
                self.record_found(index, "all wirings tried".into(), &spec, design);
            }
        }
        true
    }

    /// Decides by trying everything, with as few cables as save money. `false` if that takes too long.
    fn try_all(&mut self, index: usize, counts: &[u32], spec: &Spec) -> bool {
        let all = spec.total_nis();
        let most = self.most_cables(index, counts).unwrap_or(all).min(all);
        let cancel = self.cancel;
        let decide = |cables| exact::decide(spec, &self.request.demand, cables, &mut || !cancel.load(SeqCst));
        match decide(most) {
            Decision::Open => return false,
            Decision::Wiring(design) => {
                self.log_stock(index, CellState::Solved, 0, counts);
                if !self.improve(index, "all wirings tried".into(), counts, spec, design) {
                    self.decide_as(index, counts, Fate::NoGain, false);
                }
            }
            Decision::Impossible => {
                let impossible = most >= all || matches!(decide(all), Decision::Impossible);
                let fate = if impossible { Fate::RuledOut } else { Fate::NoGain };
                self.decide_as(index, counts, fate, true);
            }
        }
        true
    }

    /// Max cables with which these switches cost less than the cell, or than the cheapest for a mix. `None` without a limit.
    fn most_cables(&self, index: usize, counts: &[u32]) -> Option<u64> {
        let cell = &self.board.cells[index];
        let limit = if cell.is_mix() { self.cheapest_cost() } else { cell.cost };
        let Some(limit) = limit else {
            let same = !cell.is_mix() && counts.iter().sum::<u32>() >= cell.switches;
            return same.then(|| cell.cables.saturating_sub(1));
        };
        let each = self.request.spec.cable_price.filter(|each| *each > 0.0)?;
        let left = limit - self.cost_of(cell.nis, counts, 0)?;
        let most = (left / each).ceil().max(0.0) as u64;
        let is_cheaper = |cables: &u64| {
            self.cost_of(cell.nis, counts, *cables).is_some_and(|cost| !is_no_less(cost, limit))
        };
        (0..=most).rev().find(is_cheaper).or(Some(0))
    }

    fn search_reduced(&mut self, index: usize, counts: &[u32], tries: u32, spec: Spec) {
        let Some(budget) = self.budget_for(tries) else { return };
        let spec = Arc::new(spec);
        let (before, searched) = self.search(index, &spec, budget, counts);
        let seconds = self.board.cells[index].seconds;
        self.board.cells[index] = Cell { seconds, ..before };
        let Ok((outcome, seed)) = searched else {
            self.decide_as(index, counts, Fate::RuledOut, false);
            return;
        };
        self.spent += effort_spent(budget, outcome.uncovered == 0, outcome.progress.moves);
        let checked = scope(self.stop, || check(&spec, &self.request.demand, &outcome.design));
        let Ok(verdict) = checked else { return };
        let note = format!("{}; seed {seed}", outcome.method);
        if verdict.holds() {
            self.log_stock(index, CellState::Solved, 0, counts);
            if !self.improve(index, note, counts, &spec, outcome.design) {
                self.decide_as(index, counts, Fate::NoGain, false);
            }
        } else if !self.cancel.load(SeqCst) {
            self.log_stock(index, CellState::Failed, verdict.uncovered.len() as u64, counts);
            self.record_miss(index, counts, tries);
        } else {
            return;
        }
        self.rank();
        self.report();
        self.save_if_due();
    }

    /// Records a failed attempt with these switches.
    fn record_miss(&mut self, index: usize, counts: &[u32], tries: u32) {
        let record = &mut self.records[index];
        if self.board.cells[index].is_mix() {
            match record.mixes.iter_mut().find(|mix| mix.counts == counts) {
                Some(mix) => mix.tries = tries + 1,
                None => {
                    record.mixes.push(Mix { counts: counts.to_vec(), tries: tries + 1, fate: Fate::Open })
                }
            }
        } else if record.more > 0 {
            record.more = 0;
        } else {
            record.tries = tries + 1;
        }
    }

    /// Records that these switches need no further attempt.
    fn decide_as(&mut self, index: usize, counts: &[u32], fate: Fate, proven: bool) {
        let (cell, record) = (&mut self.board.cells[index], &mut self.records[index]);
        let switches: u32 = counts.iter().sum();
        if cell.is_mix() {
            record.unproven |= !proven;
            record.mixes.retain(|mix| mix.counts != counts);
            record.mixes.push(Mix { counts: counts.to_vec(), tries: 0, fate });
        } else if fate == Fate::RuledOut && proven {
            cell.least = cell.least.max(Some(switches + 1));
        } else {
            record.decided.push((switches, proven));
        }
    }

    /// Records a wiring on these switches if it is better than the wiring of the cell, then wherever else it is better. `true`
    /// if it is better for the cell or is the cheapest of all.
    fn improve(&mut self, index: usize, note: String, counts: &[u32], spec: &Spec, design: Design) -> bool {
        let cheapest = self.cheapest_cost();
        if self.board.cells[index].is_mix() {
            let mixed = self.record_mix(index, CellState::Solved, note, &design);
            // A wiring that needs one model only belongs to another cell.
            self.record_implied(index, mixed.as_ref().unwrap_or(&design));
            return mixed.is_some() || self.cheapest_cost() != cheapest;
        }
        let Some(design) = self.record_solution(index, CellState::Solved, note, spec, design) else {
            return false;
        };
        let record = &mut self.records[index];
        record.more = (2 * record.more + 1).min(counts.iter().sum::<u32>());
        self.record_implied(index, &design);
        true
    }
}
