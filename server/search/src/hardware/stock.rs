//! Bounds on the cost of cells, and the switches to try in order to make cells cheaper.
//!
//! A cell of one model is tried with fewer switches. For a mix of models, the largest mixes come first that cost less than
//! the cheapest cell: if one cannot serve the demand, no part of it can. If one can, but not at a lower price, its parts
//! are tried.

use super::{
    BoardSearch,
    checkpoint::{Fate, Mix},
    exact,
};
use analysis::analysis::{
    bounds::{least_cables, max_paths, quick_refusal},
    cost::{CableCounts, Price},
};
use spec::{cancel::scope, spec::Spec};
use std::cmp::Reverse;
use work::hardware::{CellState, is_no_less, stock_spec};

/// Max mixes of a cell to choose from.
const MAX_MIXES: usize = 1 << 11;

/// Switches to try in a cell, per model of the catalogue, and the failed attempts so far.
pub type Target = (Vec<u32>, u32);

impl BoardSearch<'_> {
    /// Finds the fewest cables of every column by bounds.
    pub(super) fn bound_cables(&mut self) {
        let mut widths: Vec<u32> =
            self.board.cells.iter().take(self.board.ports.len()).map(|c| c.usable).collect();
        let widest = self.mixable.iter().map(|&model| widths[model]).max();
        widths.iter_mut().filter(|width| **width == 0).for_each(|width| *width = widest.unwrap_or(0));
        let (spec, demand) = (&self.request.spec, &self.request.demand);
        self.cables = scope(self.stop, || least_cables(spec, demand, &widths)).unwrap_or_default();
    }

    /// The spec of a row with these switches.
    pub(super) fn stocked(&self, nis: u32, counts: &[u32]) -> Spec {
        stock_spec(&self.request.spec, nis, &self.request.catalogue, counts)
    }

    /// Cost of switches with that many cables; `None` if the price of a part is unknown.
    pub(super) fn cost_of(&self, nis: u32, counts: &[u32], cables: u64) -> Option<f64> {
        let spec = stock_spec(&self.bare, nis, &self.request.catalogue, counts);
        Price::of(&spec, &CableCounts { cables, ..CableCounts::whole(&spec) }).complete()
    }

    /// Returns counts of the models: `switches` of one model.
    pub(super) fn counts(&self, model: usize, switches: u32) -> Vec<u32> {
        let mut counts = vec![0; self.request.catalogue.len()];
        counts[model] = switches;
        counts
    }

    /// Cost of the cheapest cell.
    pub(super) fn cheapest_cost(&self) -> Option<f64> {
        self.board.cheapest.and_then(|index| self.board.cells[index].cost)
    }

    /// Lower bound on the cost of a cell that is not solved yet, or on a cheaper wiring of a solved one. `None` if costs are
    /// unknown.
    pub(super) fn least_cost(&self, index: usize) -> Option<f64> {
        let (cell, record) = (&self.board.cells[index], &self.records[index]);
        let cables = *self.cables.get(cell.model)?;
        if matches!(cell.state, CellState::Refuted | CellState::Stock) {
            return Some(f64::INFINITY);
        }
        if cell.is_mix() {
            if record.settled && !record.unproven {
                return Some(f64::INFINITY);
            }
            let (base, each) = self.prices(cell.nis)?;
            let per_port = |(&model, each): (&usize, &f64)| each / f64::from(self.board.cells[model].usable);
            let rate = self.mixable.iter().zip(&each).map(per_port).fold(f64::INFINITY, f64::min);
            return Some(base + rate * cables as f64);
        }
        let by_ports = cables.div_ceil(u64::from(cell.usable.max(1))).max(1) as u32;
        let least = cell.least.unwrap_or(1).max(by_ports);
        let open = (least..).find(|k| !record.decided.contains(&(*k, true)))?;
        let stock = self.request.catalogue[cell.model].count.unwrap_or(u32::MAX);
        if open > stock {
            return Some(f64::INFINITY);
        }
        self.cost_of(cell.nis, &self.counts(cell.model, open), cables)
    }

    /// Lower bound on the cost of all cells. `None` until it is known, and if a cell may have a wiring but has no price.
    pub(super) fn least_cost_of_all(&self) -> Option<f64> {
        let all: Option<Vec<f64>> = (0..self.board.cells.len()).map(|index| self.least_cost(index)).collect();
        let bounds = all.filter(|_| !self.cables.is_empty())?;
        bounds.into_iter().chain(self.cheapest_cost()).reduce(f64::min)
    }

    /// Cost of a row of mixed models without switches, and of each switch of a model that mixes.
    fn prices(&self, nis: u32) -> Option<(f64, Vec<f64>)> {
        let cables = *self.cables.last()?;
        let base = self.cost_of(nis, &self.counts(0, 0), cables)?;
        let each = self.mixable.iter().map(|&m| Some(self.cost_of(nis, &self.counts(m, 1), cables)? - base));
        Some((base, each.collect::<Option<_>>()?))
    }

    /// The switches to try next in a solved cell of one model; `None` if nothing is left to try.
    pub(super) fn fewer(&mut self, index: usize) -> Option<Target> {
        self.find_least(index);
        let (cell, record) = (&self.board.cells[index], &self.records[index]);
        let (least, now) = (cell.least.unwrap_or(1), cell.switches);
        let is_open = |switches: &u32| record.decided.iter().all(|(decided, _)| decided != switches);
        let saved = 1 + record.more;
        let first = now.saturating_sub(saved).max(least);
        let fewer = (first..now).find(is_open).or_else(|| (least..first).rev().find(is_open));
        if let Some(switches) = fewer {
            return Some((self.counts(cell.model, switches), record.tries));
        }
        // With as many switches or more, fewer cables may be enough.
        let cables = *self.cables.get(cell.model)?;
        let stock = self.request.catalogue[cell.model].count.unwrap_or(u32::MAX);
        let last = u32::try_from(cell.cables).unwrap_or(u32::MAX).min(stock);
        let pays = |switches: u32| match cell.cost {
            Some(cost) => self
                .cost_of(cell.nis, &self.counts(cell.model, switches), cables)
                .is_some_and(|least| !is_no_less(least, cost)),
            None => switches == now && cables < cell.cables,
        };
        let more = (now..=last).take_while(|&switches| pays(switches)).find(is_open)?;
        let counts = self.counts(cell.model, more);
        exact::suits(&self.stocked(cell.nis, &counts), &self.request.demand).then_some((counts, 0))
    }

    /// Finds the fewest switches of a cell that no bound rules out.
    pub(super) fn find_least(&mut self, index: usize) {
        let cell = &self.board.cells[index];
        if cell.least.is_some() {
            return;
        }
        let (nis, model) = (cell.nis, cell.model);
        let (mut low, mut high) = (0, cell.switches);
        self.board.trying = format!("{}: checking bounds", super::cell_name(cell));
        self.report();
        while low + 1 < high {
            let middle = low + (high - low) / 2;
            let spec = self.stocked(nis, &self.counts(model, middle));
            let Ok(refusal) = scope(self.stop, || quick_refusal(&spec, &self.request.demand)) else { return };
            if refusal.is_some() { low = middle } else { high = middle }
        }
        self.board.cells[index].least = Some(high);
    }

    /// The mix of models to try next in a cell; `None` if none is left that could be the cheapest.
    pub(super) fn mixed(&mut self, index: usize) -> Option<Target> {
        let nis = self.board.cells[index].nis;
        let (mixes, all) = self.largest_mixes(nis)?;
        let record = &self.records[index];
        let within = |part: &[u32], whole: &[u32]| part.iter().zip(whole).all(|(part, whole)| part <= whole);
        let mut tried = mixes;
        for mix in record.mixes.iter().filter(|mix| mix.fate == Fate::NoGain) {
            for model in (0..mix.counts.len()).filter(|&model| mix.counts[model] > 0) {
                let mut part = mix.counts.clone();
                part[model] -= 1;
                tried.push(part);
            }
        }
        tried.sort_unstable();
        tried.dedup();
        let is_left = |counts: &Vec<u32>| {
            let done = |mix: &Mix| match mix.fate {
                Fate::Open => false,
                Fate::NoGain => mix.counts == *counts,
                Fate::RuledOut => within(counts, &mix.counts),
            };
            counts.iter().filter(|count| **count > 0).count() > 1 && !record.mixes.iter().any(done)
        };
        tried.retain(is_left);
        let tries = |counts: &[u32]| {
            let more =
                record.mixes.iter().filter(|mix| mix.fate == Fate::Open && within(counts, &mix.counts));
            more.map(|mix| mix.tries).max().unwrap_or(0)
        };
        let key = |counts: &Vec<u32>| {
            let spec = stock_spec(&self.bare, nis, &self.request.catalogue, counts);
            (tries(counts), Reverse(max_paths(&spec)))
        };
        let next = tried.into_iter().min_by_key(key).map(|counts| {
            let tries = tries(&counts);
            (counts, tries)
        });
        self.records[index].unproven |= !all;
        next
    }

    /// The mixes that cost less than the cheapest cell and to which no switch can be added, and `true` if these are all of
    /// them. While no cell is solved, the mix with a port for every NIC on each model. `None` if costs are unknown.
    fn largest_mixes(&self, nis: u32) -> Option<(Vec<Vec<u32>>, bool)> {
        let (base, each) = self.prices(nis)?;
        let all_nis = u64::from(nis) * u64::from(self.request.spec.pes);
        let stock = |model: usize| {
            // A switch without two cables joins nobody.
            let useful = u32::try_from(all_nis / 2).unwrap_or(u32::MAX);
            self.request.catalogue[model].count.unwrap_or(u32::MAX).min(useful)
        };
        let Some(cheapest) = self.cheapest_cost() else {
            let mut counts = self.counts(0, 0);
            for &model in &self.mixable {
                let enough = all_nis.div_ceil(self.board.cells[model].usable.into());
                counts[model] = stock(model).min(u32::try_from(enough).unwrap_or(u32::MAX));
            }
            return Some((vec![counts], false));
        };
        let models: Vec<(usize, f64, u32)> =
            self.mixable.iter().zip(each).map(|(&model, each)| (model, each, stock(model))).collect();
        let mut mixes = Mixes { models, cheapest, counts: self.counts(0, 0), found: Vec::new(), all: true };
        mixes.choose(0, base);
        Some((mixes.found, mixes.all))
    }
}

/// The largest mixes below a cost.
struct Mixes {
    /// Model, cost of a switch, max switches.
    models: Vec<(usize, f64, u32)>,
    cheapest: f64,
    counts: Vec<u32>,
    found: Vec<Vec<u32>>,
    all: bool,
}

impl Mixes {
    fn is_cheaper(&self, cost: f64) -> bool {
        !is_no_less(cost, self.cheapest)
    }

    /// Chooses the numbers of switches from this model on.
    fn choose(&mut self, at: usize, cost: f64) {
        if !self.is_cheaper(cost) || !self.all {
            return;
        }
        let Some(&(model, each, stock)) = self.models.get(at) else {
            if self.is_largest(cost) {
                self.all = self.found.len() < MAX_MIXES;
                self.found.push(self.counts.clone());
            }
            return;
        };
        let last = at + 1 == self.models.len();
        let most = match each > 0.0 {
            true => ((self.cheapest - cost) / each).min(stock.into()) as u32,
            false => stock,
        };
        for count in (0..=most).rev() {
            let cost = cost + each * f64::from(count);
            if !self.is_cheaper(cost) {
                continue;
            }
            self.counts[model] = count;
            self.choose(at + 1, cost);
            if last || !self.all {
                break;
            }
        }
        self.counts[model] = 0;
    }

    /// `true` if no switch can be added.
    fn is_largest(&self, cost: f64) -> bool {
        self.models
            .iter()
            .all(|&(model, each, stock)| self.counts[model] >= stock || !self.is_cheaper(cost + each))
    }
}
