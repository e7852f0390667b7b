//! The design/solution map (dissertation, section 4.3): a square of PE pairs, requested against delivered.
//!
//! The map is never held as a whole. A [`MapIndex`] prepares what a picture needs, and [`MapIndex::tile`] sums the PE
//! pairs of any window into as many cells as a picture has pixels, working for the visible rows and columns only.
//! Pairs are unordered, so each is found once, from its lower PE, and entered at both of its places.

mod colour;
mod under;

pub use colour::{Theme, Triangle, colour};
pub use under::{Under, under};

use super::meetings::Meetings;
use crate::{
    demand::Demand,
    design::{Design, NiTable},
};
use serde::{Deserialize, Serialize};

/// A square part of the map: PE columns from `x`, PE rows from `y`. It may reach past the last PE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// The first column.
    pub x: u32,
    /// The first row.
    pub y: u32,
    /// Columns and rows; at least 1.
    pub span: u32,
}

impl Window {
    /// The whole map of a machine.
    pub fn all(pes: u32) -> Window {
        Window { x: 0, y: 0, span: pes.max(1) }
    }
}

/// Sums over the (row, column) places of one cell, a PE with itself left out. A cell on the diagonal holds
/// both places of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// Requested pairs.
    pub requested: u32,
    /// Requested pairs that share fewer switches than they want.
    pub missing: u32,
    /// Pairs that share a switch without being requested.
    pub extra: u32,
    /// Shared switches of all pairs.
    pub paths: u32,
}

/// A picture's worth of cells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tile {
    /// Pairs that it shows.
    pub window: Window,
    /// Cells in a row and in a column: what was asked for, or the window's span where that is less.
    pub pixels: u32,
    /// Row by row. Cell i of a row sums the columns from `x + i·span/pixels`, rounded down, to where the next begins.
    pub cells: Vec<Cell>,
}

impl Tile {
    /// Places (row, column) of the machine that a cell holds, PEs with themselves included: what density refers to.
    pub fn places(&self, column: u32, row: u32, pes: u32) -> u64 {
        let extent = |first: u32, cell: u32| {
            let edge = |i: u32| {
                let at =
                    u64::from(first) + u64::from(i) * u64::from(self.window.span) / u64::from(self.pixels);
                at.min(u64::from(pes))
            };
            edge(cell + 1) - edge(cell)
        };
        extent(self.window.x, column) * extent(self.window.y, row)
    }
}

/// A demand, and a wiring if there is one, prepared for pictures.
#[derive(Clone, Debug)]
pub struct MapIndex {
    pes: u32,
    /// Requested pairs whose lower PE is p: `starts[p]..starts[p + 1]` of `higher` and `links`.
    starts: Vec<u32>,
    higher: Vec<u32>,
    links: Vec<u8>,
    wiring: Option<(Design, NiTable)>,
}

/// Max cells in a row of a tile, to limit memory.
pub const MAX_PIXELS: u32 = 4096;

impl MapIndex {
    /// Prepares a map. It keeps what it needs of both; a wiring for another number of PEs counts as none.
    pub fn new(demand: &Demand, design: Option<&Design>) -> MapIndex {
        let pes = demand.pes();
        let mut index = MapIndex {
            pes,
            starts: (0..pes).map(|pe| demand.first_pair(pe) as u32).collect(),
            higher: Vec::with_capacity(demand.len()),
            links: (0..demand.len()).map(|i| demand.links(i) as u8).collect(),
            wiring: design.filter(|d| d.pes() == pes).map(|d| (d.clone(), d.nis())),
        };
        index.starts.push(demand.len() as u32);
        (0..pes).for_each(|pe| index.higher.extend(demand.higher_of(pe)));
        index
    }

    /// Number of PEs, which is the map's width and height.
    pub fn pes(&self) -> u32 {
        self.pes
    }

    /// `true` if there is a wiring; otherwise missing, extra and paths are empty.
    pub fn has_wiring(&self) -> bool {
        self.wiring.is_some()
    }

    /// Sums the pairs of a window into `pixels` by `pixels` cells (1 to [`MAX_PIXELS`]; never more than the window has
    /// PEs). Without a wiring nothing is missing or extra.
    pub fn tile(&self, window: Window, pixels: u32) -> Tile {
        let span = window.span.max(1);
        let window = Window { span, ..window };
        let pixels = pixels.clamp(1, MAX_PIXELS).min(span);
        let mut sums = Sums {
            columns: Axis::new(window.x, span, pixels, self.pes),
            rows: Axis::new(window.y, span, pixels, self.pes),
            cells: vec![Cell::default(); pixels as usize * pixels as usize],
            pixels: pixels as usize,
        };
        let mut meetings = Meetings::new(if self.has_wiring() { self.pes } else { 0 });
        let mut asked = vec![0u8; self.pes as usize];
        let mut pe = sums.columns.first.min(sums.rows.first);
        let end = sums.columns.end.max(sums.rows.end);
        while pe < end {
            let (low, high) = sums.partners(pe);
            if low < high {
                self.add(pe, low, high, &mut sums, &mut meetings, &mut asked);
            }
            pe += 1;
        }
        Tile { window, pixels, cells: sums.cells }
    }

    /// Enters the pairs of `pe` with the PEs from `low` (above `pe`) up to `high`.
    fn add(&self, pe: u32, low: u32, high: u32, sums: &mut Sums, meetings: &mut Meetings, asked: &mut [u8]) {
        let own = self.starts[pe as usize] as usize..self.starts[pe as usize + 1] as usize;
        let partners = &self.higher[own.clone()];
        let from = partners.partition_point(|&p| p < low);
        let to = partners.partition_point(|&p| p < high);
        let partners = &partners[from..to];
        let wanted = &self.links[own][from..to];
        let Some((design, nis)) = &self.wiring else {
            for &other in partners {
                sums.enter(pe, other, Cell { requested: 1, ..Cell::default() });
            }
            return;
        };
        meetings.count(design, nis, pe, low, high);
        for (&other, &wanted) in partners.iter().zip(wanted) {
            let paths = meetings.with(other);
            let missing = u32::from(paths < u32::from(wanted));
            sums.enter(pe, other, Cell { requested: 1, missing, extra: 0, paths });
            asked[other as usize] = 1;
        }
        for &other in meetings.met_unsorted() {
            if asked[other as usize] == 0 {
                let paths = meetings.with(other);
                sums.enter(pe, other, Cell { extra: 1, paths, ..Cell::default() });
            }
        }
        partners.iter().for_each(|&other| asked[other as usize] = 0);
    }
}

/// Cells of the PEs of one side of the window.
struct Axis {
    first: u32,
    end: u32,
    /// The cell of each PE from `first` on.
    cell: Vec<u32>,
}

impl Axis {
    fn new(first: u32, span: u32, pixels: u32, pes: u32) -> Axis {
        let first_inside = first.min(pes);
        let end = first.saturating_add(span).min(pes);
        let (span, pixels) = (u64::from(span), u64::from(pixels));
        let cell = (0..u64::from(end - first_inside)).map(|o| (((o + 1) * pixels - 1) / span) as u32);
        Axis { first: first_inside, end, cell: cell.collect() }
    }

    fn has(&self, pe: u32) -> bool {
        (self.first..self.end).contains(&pe)
    }

    fn cell_of(&self, pe: u32) -> Option<usize> {
        self.has(pe).then(|| self.cell[(pe - self.first) as usize] as usize)
    }
}

struct Sums {
    columns: Axis,
    rows: Axis,
    cells: Vec<Cell>,
    pixels: usize,
}

impl Sums {
    /// The range of higher partners of `pe` that could fall into the window, possibly empty.
    fn partners(&self, pe: u32) -> (u32, u32) {
        let mut range = (u32::MAX, 0);
        for (own, other) in [(&self.rows, &self.columns), (&self.columns, &self.rows)] {
            if own.has(pe) && other.end > pe + 1 && other.end > other.first {
                range = (range.0.min(other.first.max(pe + 1)), range.1.max(other.end));
            }
        }
        range
    }

    /// Adds `what` at (a, b) and (b, a), as far as they are in the window.
    fn enter(&mut self, a: u32, b: u32, what: Cell) {
        for (row, column) in [(a, b), (b, a)] {
            if let (Some(row), Some(column)) = (self.rows.cell_of(row), self.columns.cell_of(column)) {
                let cell = &mut self.cells[row * self.pixels + column];
                cell.requested += what.requested;
                cell.missing += what.missing;
                cell.extra += what.extra;
                cell.paths = cell.paths.saturating_add(what.paths);
            }
        }
    }
}
