//! The results of a hardware search: cells, frontier, cheapest cell.

use super::{Board, Cell, CellState, Frontier, HardwareRequest, cell_spec, mixable, unranked};
use crate::analysis::cost::{CableCounts, Price};

/// Relative difference of costs that counts as none, since sums of prices are not exact.
const SAME: f64 = 1e-9;

impl Board {
    /// The board before anything is tried, with the hardware that each cell stands for.
    pub fn blank(request: &HardwareRequest) -> Board {
        let rows = request.nis_from..=request.nis_to;
        let cell = |nis: u32, model: usize| {
            let Some(column) = request.catalogue.get(model) else {
                return Cell { nis, model, ..Cell::default() };
            };
            let spec = cell_spec(&request.spec, nis, column);
            let mut cell = Cell {
                nis,
                model,
                ports: column.ports,
                usable: spec.usable_by_model(column),
                switches: spec.switch_budget(),
                cables: spec.total_nis(),
                ..Cell::default()
            };
            cell.bill(&Price::of(&spec, &CableCounts::whole(&spec)));
            cell
        };
        let mixes = !mixable(&request.spec, &request.catalogue).is_empty();
        let columns = request.catalogue.len() + usize::from(mixes);
        Board {
            nis_from: request.nis_from,
            nis_to: request.nis_to,
            ports: request.catalogue.iter().map(|m| m.ports).chain(mixes.then_some(0)).collect(),
            cells: rows
                .flat_map(|nis| (0..columns).map(move |model| (nis, model)))
                .map(|(n, m)| cell(n, m))
                .collect(),
            unranked: unranked(&request.spec, &request.catalogue),
            ..Board::default()
        }
    }

    /// The index of a cell.
    pub fn index(&self, nis: u32, column: usize) -> Option<usize> {
        let row = nis.checked_sub(self.nis_from)? as usize;
        (column < self.ports.len() && nis <= self.nis_to).then(|| row * self.ports.len() + column)
    }

    /// `true` if any cell is solved, or any network has a time.
    pub fn any_solved(&self) -> bool {
        let is_timed = |networks: &Frontier| networks.offers.iter().any(|offer| offer.seconds.is_some());
        self.cells.iter().any(|cell| cell.state.is_solved()) || self.networks.as_ref().is_some_and(is_timed)
    }

    /// Finds the frontier, the cheapest cell and the cell with fewest switches anew.
    pub fn rank(&mut self) {
        self.frontier = self.first_solved();
        let solved = || self.cells.iter().enumerate().filter(|(_, cell)| cell.state.is_solved());
        // A cell of one model comes before an equal mix.
        let ties = |cell: &Cell, index| (cell.nis, cell.ports == 0, cell.ports, index);
        let priced = solved().filter_map(|(index, cell)| Some((cell.cost?, ties(cell, index))));
        let cheapest = priced.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.cheapest = cheapest.map(|(_, (.., index))| index);
        let by_switches = solved().map(|(index, cell)| (cell.switches, ties(cell, index)));
        let fewest = by_switches.min().map(|(_, (.., index))| index);
        self.fewest = fewest.filter(|_| self.cheapest.is_none());
    }

    /// `true` if nothing can cost less than the cheapest cell: its cost equals the lower bound.
    pub fn is_proven(&self) -> bool {
        let cheapest = self.cheapest.and_then(|index| self.cells[index].cost);
        self.unranked.is_empty()
            && matches!((cheapest, self.least_cost), (Some(cost), Some(least)) if is_no_less(least, cost))
    }

    /// The best cell by cost, or by the number of switches if no cost is known, and the words for its rank.
    pub fn best(&self) -> Option<(usize, &'static str)> {
        match (self.cheapest, self.is_proven()) {
            (Some(cheapest), true) => Some((cheapest, "cheapest")),
            (Some(cheapest), false) => Some((cheapest, "cheapest found so far")),
            (None, _) => Some((self.fewest?, "fewest switches found so far")),
        }
    }

    /// From the narrowest column on, the solved cell with fewest NIs, if no narrower column has one with as few.
    fn first_solved(&self) -> Vec<usize> {
        let columns: Vec<usize> =
            (0..self.ports.len()).rev().filter(|&column| self.ports[column] > 0).collect();
        let (mut found, mut fewest) = (Vec::new(), u32::MAX);
        for alike in columns.chunk_by(|&a, &b| self.ports[a] == self.ports[b]) {
            let first = |&column: &usize| {
                let rows = (self.nis_from..=self.nis_to).filter_map(|nis| self.index(nis, column));
                rows.into_iter().find(|&index: &usize| self.cells[index].state.is_solved())
            };
            let firsts: Vec<usize> = alike.iter().filter_map(first).collect();
            let Some(least) = firsts.iter().map(|&index| self.cells[index].nis).min() else { continue };
            if least < fewest {
                fewest = least;
                found.extend(firsts.into_iter().filter(|&index| self.cells[index].nis == least));
            }
        }
        found.sort_unstable();
        found
    }

    /// Marks that nothing is being tried any more.
    pub fn settle(&mut self) {
        self.trying.clear();
        self.networks.iter_mut().for_each(Frontier::settle);
        for cell in self.cells.iter_mut().filter(|cell| cell.state == CellState::Trying) {
            cell.state = if cell.attempts > 0 { CellState::Failed } else { CellState::Unknown };
        }
    }
}

impl Cell {
    /// `true` for a mix of models.
    pub fn is_mix(&self) -> bool {
        self.ports == 0
    }

    /// Widths of its switches for people: "24 ports", or "2 x 24 and 3 x 8 ports" for a mix. `ports` are the columns of the board.
    pub fn widths(&self, ports: &[u32]) -> String {
        match (self.is_mix(), self.mix.is_empty()) {
            (false, _) => format!("{} ports", self.ports),
            (true, true) => "mixed models".into(),
            (true, false) => stock_text(ports, &self.mix),
        }
    }

    /// Takes the cost from a bill: all of it or, if the price of a part is unknown, the known part.
    pub fn bill(&mut self, bill: &Price) {
        self.cost = bill.complete();
        self.known_cost = bill.total.filter(|_| self.cost.is_none());
    }
}

/// `true` unless one cost is less than the other.
pub fn is_no_less(cost: f64, other: f64) -> bool {
    cost >= other - SAME * other.abs()
}

/// Switches of each model for people: "2 x 24 and 3 x 8 ports". `ports` are the columns of the board.
pub fn stock_text(ports: &[u32], counts: &[u32]) -> String {
    let models = ports.iter().zip(counts).filter(|(_, count)| **count > 0);
    let models: Vec<String> = models.map(|(ports, count)| format!("{count} x {ports}")).collect();
    format!("{} ports", models.join(" and "))
}
