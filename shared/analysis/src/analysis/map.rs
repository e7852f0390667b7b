//! The design/solution map (Mattox 2006, section 4.3): a square of PE pairs, requested against delivered.
//!
//! The map is never held as a whole. A [`MapIndex`] prepares what a picture needs, and [`MapIndex::tile`] sums the PE
//! pairs of any window into as many cells as a picture has pixels, working for the visible rows and columns only.
//! Pairs are unordered, so each is found once, from its lower PE, and entered at both of its places.

use super::meetings::Meetings;
use crate::{
    demand::{Demand, patterns},
    design::{Design, NiTable},
    spec::{Objective, Spec},
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

/// Sums over the (row, column) places of one cell. A cell on the diagonal holds both places of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// Requested pairs.
    pub requested: u32,
    /// Requested pairs that share fewer switches than they want.
    pub missing: u32,
    /// Pairs that share a switch without being requested.
    pub extra: u32,
    /// Shared switches of all pairs.
    pub paths: u32,
    /// Weight of the requested pairs, the heaviest pair of the demand being 1; 0 on a map that is not by weight.
    pub weight: f32,
    /// Weight of the missing pairs.
    pub missing_weight: f32,
}

/// A picture's worth of cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// For each entry of `higher`, its pair's share of the largest weight; empty on a map that is not by weight.
    weights: Vec<f32>,
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
            weights: Vec::new(),
            wiring: design.filter(|d| d.pes() == pes).map(|d| (d.clone(), d.nis())),
        };
        index.starts.push(demand.len() as u32);
        (0..pes).for_each(|pe| index.higher.extend(demand.higher_of(pe)));
        index
    }

    /// Prepares the map of a spec: by weight for a fractional objective, else by number of pairs.
    pub fn of(spec: &Spec, demand: &Demand, design: Option<&Design>) -> MapIndex {
        let mut index = MapIndex::new(demand, design);
        if spec.objective == Objective::Fractional {
            let weights = || (0..demand.len()).map(|pair| demand.weight(pair));
            let max = weights().fold(f32::MIN_POSITIVE, f32::max);
            index.weights = weights().map(|weight| weight / max).collect();
        }
        index
    }

    /// Number of PEs, which is the map's width and height.
    pub fn pes(&self) -> u32 {
        self.pes
    }

    /// A requested pair's share of the largest weight; 1 on a map that is not by weight.
    pub fn share(&self, a: u32, b: u32) -> f32 {
        if self.weights.is_empty() {
            return 1.0;
        }
        let own = self.starts[a.min(b) as usize] as usize..self.starts[a.min(b) as usize + 1] as usize;
        let at = self.higher[own.clone()].binary_search(&a.max(b)).ok();
        at.map_or(0.0, |at| self.weights[own.start + at])
    }

    /// `true` if there is a wiring; otherwise missing, extra and paths are empty.
    pub fn has_wiring(&self) -> bool {
        self.wiring.is_some()
    }

    /// Sums the pairs of a window into `pixels` by `pixels` cells: 1 to [`MAX_PIXELS`], at most the window's PEs.
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
        let first = own.start + from;
        let wanted = &self.links[own][from..to];
        let weight = |at: usize| self.weights.get(first + at).copied().unwrap_or(0.0);
        let Some((design, nis)) = &self.wiring else {
            for (at, &other) in partners.iter().enumerate() {
                sums.enter(pe, other, Cell { requested: 1, weight: weight(at), ..Cell::default() });
            }
            return;
        };
        meetings.count(design, nis, pe, low, high);
        for (at, (&other, &wanted)) in partners.iter().zip(wanted).enumerate() {
            let (paths, weight) = (meetings.with(other), weight(at));
            let is_missing = paths < u32::from(wanted);
            let (missing, missing_weight) = if is_missing { (1, weight) } else { (0, 0.0) };
            sums.enter(pe, other, Cell { requested: 1, missing, extra: 0, paths, weight, missing_weight });
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
                cell.weight += what.weight;
                cell.missing_weight += what.missing_weight;
            }
        }
    }
}

// Requested pairs are ink (black on light, near white on dark). Extra pairs are green, deeper with more paths. Missing pairs
// are full red: one among a million must stay visible. A sum is shaded by its density, on a curve that keeps a pair visible.
// By weight, ink and red are as strong as the weight, and a cell turns red by the share of its weight that is missing.

/// Light or dark page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Theme {
    /// Ink on white.
    Light,
    /// Light grey on near black.
    Dark,
}

/// Half of the map: requested below the diagonal, delivered above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Triangle {
    /// Requested pairs.
    Requested,
    /// Pairs that the wiring connects.
    Delivered,
}

struct Palette {
    paper: [u8; 3],
    ink: [u8; 3],
    /// One path, and many.
    extra: [[u8; 3]; 2],
    missing: [u8; 3],
}

const LIGHT: Palette = Palette {
    paper: [255, 255, 255],
    ink: [17, 17, 17],
    extra: [[118, 200, 137], [9, 84, 36]],
    missing: [208, 16, 32],
};
const DARK: Palette = Palette {
    paper: [18, 20, 23],
    ink: [236, 238, 240],
    extra: [[46, 125, 70], [120, 240, 150]],
    missing: [255, 84, 84],
};

/// Paths from which on green is deepest.
const MANY_PATHS: f32 = 4.0;
/// Shade of the faintest cell that holds a pair.
const FAINTEST: f32 = 0.25;

/// The colour (red, green, blue, opacity) of a cell that sums `places` (row, column) places; see [`Tile::places`].
/// Nothing to show is transparent, so that the page's own background shows.
pub fn colour(cell: &Cell, places: u64, theme: Theme, triangle: Triangle) -> [u8; 4] {
    let palette = match theme {
        Theme::Light => &LIGHT,
        Theme::Dark => &DARK,
    };
    let places = places.max(1) as f32;
    let [r, g, b] = match triangle {
        Triangle::Requested if cell.requested > 0 => {
            let sum = if cell.weight > 0.0 { cell.weight } else { cell.requested as f32 };
            mix(palette.paper, palette.ink, strength(sum / places))
        }
        Triangle::Delivered if cell.weight > 0.0 => {
            let hue = mix(palette.ink, palette.missing, cell.missing_weight / cell.weight);
            mix(palette.paper, hue, strength(cell.weight / places))
        }
        Triangle::Delivered if cell.missing > 0 => palette.missing,
        Triangle::Delivered if cell.paths > 0 => delivered(cell, places, palette),
        _ => return [0, 0, 0, 0],
    };
    [r, g, b, 255]
}

/// Ink for the requested share of what is connected, green for the rest, as strong as both are dense.
fn delivered(cell: &Cell, places: f32, palette: &Palette) -> [u8; 3] {
    let connected = (cell.requested + cell.extra).max(1) as f32;
    let deep = ((cell.paths as f32 / connected - 1.0) / (MANY_PATHS - 1.0)).clamp(0.0, 1.0);
    let green = mix(palette.extra[0], palette.extra[1], deep);
    let hue = mix(green, palette.ink, cell.requested as f32 / connected);
    mix(palette.paper, hue, strength(connected / places))
}

/// From 0 for nothing over [`FAINTEST`] for hardly anything to 1 for everything.
fn strength(density: f32) -> f32 {
    if density <= 0.0 { 0.0 } else { FAINTEST + (1.0 - FAINTEST) * density.min(1.0).sqrt() }
}

fn mix(from: [u8; 3], to: [u8; 3], share: f32) -> [u8; 3] {
    let channel =
        |i: usize| (f32::from(from[i]) + (f32::from(to[i]) - f32::from(from[i])) * share).round() as u8;
    [channel(0), channel(1), channel(2)]
}

/// One pair of PEs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairDetails {
    /// The patterns that ask for the pair, in words; for a universal objective also "universal".
    pub requested_by: Vec<String>,
    /// Required shared switches; 0 if the pair is not requested.
    pub links: u32,
    /// Switches that the two share, ascending.
    pub switches: Vec<u32>,
}

/// The pair of `a` and `b`; empty for a PE with itself or outside the machine. Takes the time of two PEs' partners.
pub fn under(spec: &Spec, demand: &Demand, design: Option<&Design>, a: u32, b: u32) -> PairDetails {
    let mut found = PairDetails::default();
    if a == b || a.max(b) >= demand.pes() {
        return found;
    }
    if let Some(pair) = demand.index_of(a, b) {
        found.links = demand.links(pair);
        found.requested_by = patterns::requesting(spec, demand.patterns_of(pair));
    }
    if let Some(design) = design.filter(|d| a.max(b) < d.pes()) {
        let on = |s: u32, pe: u32| design.members(s).binary_search(&pe).is_ok();
        found.switches = (0..design.switch_count()).filter(|&s| on(s, a) && on(s, b)).collect();
    }
    found
}
