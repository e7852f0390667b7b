//! The results of a hardware search: cells, frontier, cheapest cell.

use super::{Board, Cell, CellState, HardwareRequest, cell_spec};
use crate::analysis::cost::{Cabled, Price};

impl Board {
    /// The board before anything is tried, with the hardware that each cell stands for.
    pub fn blank(request: &HardwareRequest) -> Board {
        // Where the spec knows what switches cost, one of unknown price is not one for nothing.
        let priced = request.catalogue.iter().chain(&request.spec.switches).any(|m| m.price.is_some());
        let rows = request.nis_from..=request.nis_to;
        let cell = |nis: u32, model: usize| {
            let column = &request.catalogue[model];
            let spec = cell_spec(&request.spec, nis, column);
            let (switches, cables) = (spec.switch_budget(), spec.total_nis());
            let comparable = column.price.is_some() || !priced;
            Cell {
                nis,
                model,
                ports: column.ports,
                usable: spec.usable_by_model(column),
                switches,
                cables,
                cost: Price::of(&spec, &Cabled::whole(&spec)).total.filter(|_| comparable),
                ..Cell::default()
            }
        };
        let columns = 0..request.catalogue.len();
        Board {
            nis_from: request.nis_from,
            nis_to: request.nis_to,
            ports: request.catalogue.iter().map(|m| m.ports).collect(),
            cells: rows
                .flat_map(|nis| columns.clone().map(move |model| (nis, model)))
                .map(|(n, m)| cell(n, m))
                .collect(),
            ..Board::default()
        }
    }

    /// The index of a cell.
    pub fn index(&self, nis: u32, column: usize) -> Option<usize> {
        let row = nis.checked_sub(self.nis_from)? as usize;
        (column < self.ports.len() && nis <= self.nis_to).then(|| row * self.ports.len() + column)
    }

    /// `true` if any cell is solved.
    pub fn any_solved(&self) -> bool {
        self.cells.iter().any(|cell| cell.state.is_solved())
    }

    /// Finds the frontier and the cheapest cell anew.
    pub fn rank(&mut self) {
        self.frontier = self.first_solved();
        let solved = self.cells.iter().enumerate().filter(|(_, cell)| cell.state.is_solved());
        let priced = solved.filter_map(|(index, cell)| Some((cell.cost?, cell.nis, cell.ports, index)));
        let cheaper = |a: &(f64, u32, u32, usize), b: &(f64, u32, u32, usize)| {
            a.0.total_cmp(&b.0).then((a.1, a.2, a.3).cmp(&(b.1, b.2, b.3)))
        };
        self.cheapest = priced.min_by(cheaper).map(|(.., index)| index);
    }

    /// From the narrowest column on, the solved cell with fewest NIs, if no narrower column has one with as few.
    fn first_solved(&self) -> Vec<usize> {
        let columns: Vec<usize> = (0..self.ports.len()).rev().collect();
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
        for cell in self.cells.iter_mut().filter(|cell| cell.state == CellState::Trying) {
            cell.state = if cell.attempts > 0 { CellState::Failed } else { CellState::Unknown };
        }
    }
}
