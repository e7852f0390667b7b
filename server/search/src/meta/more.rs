//! More switches than give each NI a port, of a model that stock does not limit.

use super::walk::Walk;
use crate::construct::closed::{most, with_more};
use shared::{
    analysis::bounds::refuse,
    analysis::cost::{Cabled, Price},
    hardware::{CellState, build_spec, cell_spec, crowded},
    spec::Spec,
};
use std::sync::atomic::Ordering::SeqCst;

impl Walk<'_> {
    /// The spec of a cell with as many switches as give each NI a port, of a model that stock does not limit.
    fn endless(&self, index: usize) -> Option<Spec> {
        let cell = &self.board.cells[index];
        let model = &self.request.catalogue[cell.model];
        model.count.is_none().then(|| cell_spec(&self.request.spec, cell.nis, model))
    }

    /// Whether a cell whose switches are provably too few can have more: it is solved by construction then, or is to be tried
    /// with as many as no bound rules out.
    pub(super) fn takes_more(&mut self, index: usize) -> bool {
        if self.construct(index) {
            return true;
        }
        let Some(switches) = self.endless(index).and_then(|spec| self.enough(&spec)) else { return false };
        let cell = &mut self.board.cells[index];
        (cell.state, cell.switches) = (CellState::Unknown, switches);
        let spec = self.spec_of(index);
        let cell = &mut self.board.cells[index];
        cell.cost = cell.cost.and_then(|_| Price::of(&spec, &Cabled::whole(&spec)).total);
        self.tell();
        true
    }

    /// Solves a cell by a closed form that takes more switches, if there is one.
    pub(super) fn construct(&mut self, index: usize) -> bool {
        let Some(spec) = self.endless(index) else { return false };
        let cancel = self.cancel;
        let Some(more) = with_more(&spec, &self.request.demand, &mut || !cancel.load(SeqCst)) else {
            return false;
        };
        self.board.cells[index].attempts += 1;
        self.log(index, CellState::Solved, 0);
        let note = format!("by construction: {}", more.name);
        let found = self.solve(index, CellState::Solved, note, &more.spec, more.design);
        self.imply(index, &found);
        true
    }

    /// The fewest switches, more than give each NI a port, that no bound rules out.
    fn enough(&self, spec: &Spec) -> Option<u32> {
        let passes = |count: u32| {
            let spec = build_spec(spec, count);
            crowded(&spec).is_none() && refuse(&spec, &self.request.demand).is_none()
        };
        let (mut low, mut high) = (spec.switch_budget(), most(spec.switch_budget()));
        if !passes(high) {
            return None;
        }
        while low + 1 < high && !self.cancel.load(SeqCst) {
            let middle = low + (high - low) / 2;
            if passes(middle) { high = middle } else { low = middle }
        }
        Some(high)
    }
}
