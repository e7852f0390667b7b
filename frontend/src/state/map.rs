//! The visible part of the map, and the keyboard's cursor.
//!
//! The map is a square of PEs by PEs; the picture is a square of side 1. A view is the square of the map that fills it.

use shared::analysis::map::Window;

/// Number of PEs across at the closest zoom.
const CLOSEST: f64 = 4.0;

/// The part of the map that fills the picture, in PEs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// PEs of the whole map, in a row.
    pub pes: u32,
    /// The left edge.
    pub x: f64,
    /// The upper edge.
    pub y: f64,
    /// PEs across and down.
    pub span: f64,
    /// The cell (column, row) of the keyboard's cursor.
    pub cursor: Option<(u32, u32)>,
}

/// An action on a view. Places are shares of the picture, 0 to 1 from its upper left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// Shows all of the map.
    Fit,
    /// Zooms around a place.
    Zoom {
        /// Above 1 is closer.
        factor: f64,
        /// The place that stays.
        at: (f64, f64),
    },
    /// Pans by a share of the picture.
    Drag {
        /// To the right.
        dx: f64,
        /// Down.
        dy: f64,
    },
    /// Moves the cursor by cells, and the view after it.
    Step {
        /// To the right.
        dx: i64,
        /// Down.
        dy: i64,
    },
    /// Puts the cursor on a cell and shows it.
    Show {
        /// Column of the pair.
        column: u32,
        /// Row of the pair.
        row: u32,
    },
    /// Removes the cursor.
    Leave,
}

impl View {
    /// All of a map.
    pub fn all(pes: u32) -> View {
        View { pes, x: 0.0, y: 0.0, span: f64::from(pes.max(1)), cursor: None }
    }

    /// Carries out an action.
    pub fn update(&mut self, action: Action) {
        match action {
            Action::Fit => *self = View { cursor: self.cursor, ..View::all(self.pes) },
            Action::Zoom { factor, at } => self.zoom(factor, at),
            Action::Drag { dx, dy } => {
                self.x -= dx * self.span;
                self.y -= dy * self.span;
                self.keep_inside();
            }
            Action::Step { dx, dy } => self.step(dx, dy),
            Action::Show { column, row } => {
                self.cursor = Some((column.min(self.last()), row.min(self.last())));
                self.follow();
            }
            Action::Leave => self.cursor = None,
        }
    }

    /// The cell under a place of the picture; `None` outside the map.
    pub fn cell_at(&self, at: (f64, f64)) -> Option<(u32, u32)> {
        let cell = |from: f64, share: f64| {
            let pe = (from + share * self.span).floor();
            (pe >= 0.0 && pe < f64::from(self.pes)).then_some(pe as u32)
        };
        Some((cell(self.x, at.0)?, cell(self.y, at.1)?))
    }

    /// The place of a cell's upper left corner in the picture.
    pub fn place_of(&self, column: u32, row: u32) -> (f64, f64) {
        ((f64::from(column) - self.x) / self.span, (f64::from(row) - self.y) / self.span)
    }

    /// The visible PEs, cut into `parts` by `parts` squares, so that the work can pause between them. Squares may overlap by a PE if
    /// the window cannot be divided.
    pub fn windows(&self, parts: u32) -> Vec<Window> {
        let (left, top) = (self.x.max(0.0).floor() as u32, self.y.max(0.0).floor() as u32);
        let right = (self.x + self.span).ceil().clamp(0.0, f64::from(self.pes)) as u32;
        let bottom = (self.y + self.span).ceil().clamp(0.0, f64::from(self.pes)) as u32;
        let span = right.saturating_sub(left).max(bottom.saturating_sub(top)).max(1);
        let parts = parts.clamp(1, span);
        let part = span.div_ceil(parts);
        let edge = |i: u32| (u64::from(span) * u64::from(i) / u64::from(parts)) as u32;
        let places = (0..parts).flat_map(|row| (0..parts).map(move |column| (column, row)));
        places.map(|(c, r)| Window { x: left + edge(c), y: top + edge(r), span: part }).collect()
    }

    /// Round numbers of visible nodes on either axis, about `most` of them per axis.
    pub fn ticks(&self, most: f64) -> Vec<u32> {
        let least = (self.span / most.max(1.0)).max(1.0);
        let decade = 10f64.powf(least.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * decade).into_iter().find(|&step| step >= least * 0.999);
        let step = step.unwrap_or(decade * 10.0).max(1.0) as u32;
        let range = |from: f64| {
            let last = (from + self.span).min(f64::from(self.pes)) as u32;
            (from.max(0.0) as u32 / step..=last / step).map(move |i| i * step)
        };
        let mut ticks: Vec<u32> =
            range(self.x).chain(range(self.y)).filter(|&node| node < self.pes).collect();
        ticks.sort_unstable();
        ticks.dedup();
        ticks
    }

    /// `true` if all of the map is visible.
    pub fn is_fit(&self) -> bool {
        self.span >= f64::from(self.pes)
    }

    fn last(&self) -> u32 {
        self.pes.saturating_sub(1)
    }

    fn zoom(&mut self, factor: f64, at: (f64, f64)) {
        if !factor.is_finite() || factor <= 0.0 {
            return;
        }
        let whole = f64::from(self.pes.max(1));
        let span = (self.span / factor).clamp(CLOSEST.min(whole), whole);
        self.x += at.0 * (self.span - span);
        self.y += at.1 * (self.span - span);
        self.span = span;
        self.keep_inside();
    }

    fn keep_inside(&mut self) {
        let max = (f64::from(self.pes.max(1)) - self.span).max(0.0);
        self.x = self.x.clamp(0.0, max);
        self.y = self.y.clamp(0.0, max);
    }

    fn step(&mut self, dx: i64, dy: i64) {
        let middle = |from: f64| ((from + self.span / 2.0) as u32).min(self.last());
        let (column, row) = self.cursor.unwrap_or((middle(self.x), middle(self.y)));
        let moved = |at: u32, by: i64| (i64::from(at) + by).clamp(0, i64::from(self.last())) as u32;
        self.cursor = Some((moved(column, dx), moved(row, dy)));
        self.follow();
    }

    fn follow(&mut self) {
        let Some((column, row)) = self.cursor else { return };
        let follow = |from: f64, pe: u32| {
            let pe = f64::from(pe);
            if pe < from {
                pe
            } else if pe + 1.0 > from + self.span {
                pe + 1.0 - self.span
            } else {
                from
            }
        };
        (self.x, self.y) = (follow(self.x, column), follow(self.y, row));
        self.keep_inside();
    }
}

/// Number of PEs per key press: one if cells are distinguishable, more if many share a pixel.
pub fn stride(view: &View, pixels: f64) -> i64 {
    (view.span * 4.0 / pixels.max(1.0)).ceil().clamp(1.0, 1e6) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_visible() {
        let mut view = View::all(1000);
        assert_eq!(view.ticks(5.0), [0, 200, 400, 600, 800]);
        view.update(Action::Zoom { factor: 10.0, at: (0.5, 0.5) });
        assert_eq!(view.ticks(5.0), [440, 460, 480, 500, 520, 540]);
        view.update(Action::Zoom { factor: 1e6, at: (0.0, 1.0) });
        let closest = view.ticks(12.0);
        assert!(closest.len() <= 10 && closest.iter().all(|&node| node < 1000), "{closest:?}");
    }

    #[test]
    fn the_place_under_the_pointer_stays_there_while_zooming() {
        let mut view = View::all(1024);
        for (factor, at) in [(2.0, (0.25, 0.75)), (3.0, (0.9, 0.1)), (0.5, (0.5, 0.5))] {
            let before = (view.x + at.0 * view.span, view.y + at.1 * view.span);
            view.update(Action::Zoom { factor, at });
            let after = (view.x + at.0 * view.span, view.y + at.1 * view.span);
            assert!((before.0 - after.0).abs() < 1e-6 && (before.1 - after.1).abs() < 1e-6, "{view:?}");
        }
    }

    #[test]
    fn no_action_leaves_the_map() {
        let mut view = View::all(100);
        let actions = [
            Action::Zoom { factor: 1e9, at: (1.0, 1.0) },
            Action::Drag { dx: -99.0, dy: 99.0 },
            Action::Zoom { factor: f64::NAN, at: (0.0, 0.0) },
            Action::Step { dx: 1 << 40, dy: -5 },
            Action::Show { column: 700, row: 3 },
            Action::Zoom { factor: 1e-9, at: (0.3, 0.3) },
            Action::Zoom { factor: 7.0, at: (0.0, 1.0) },
        ];
        for action in actions {
            view.update(action);
            assert!(view.x >= 0.0 && view.x + view.span <= 100.0 + 1e-9, "{action:?} {view:?}");
            assert!(view.y >= 0.0 && view.y + view.span <= 100.0 + 1e-9, "{action:?} {view:?}");
            assert!(view.cursor.is_none_or(|(c, r)| c < 100 && r < 100));
        }
    }

    #[test]
    fn the_view_follows_the_cursor() {
        let mut view = View::all(64);
        view.update(Action::Zoom { factor: 8.0, at: (0.0, 0.0) });
        view.update(Action::Show { column: 63, row: 20 });
        assert_eq!(view.cell_at((0.999, 0.999)), Some((63, 20)));
        view.update(Action::Step { dx: -63, dy: 1 });
        assert_eq!((view.cursor, view.x), (Some((0, 21)), 0.0));
    }

    #[test]
    fn windows_cover_what_is_seen() {
        for (pes, factor, parts) in [(128, 1.0, 1), (1000, 3.7, 4), (65_536, 1.0, 8), (3, 1.0, 8)] {
            let mut view = View::all(pes);
            view.update(Action::Zoom { factor, at: (0.3, 0.6) });
            let windows = view.windows(parts);
            for share in [0.0, 0.24, 0.5, 0.51, 0.999] {
                let (column, row) = view.cell_at((share, 1.0 - share - 0.001)).unwrap();
                let holds =
                    |w: &Window| (w.x..w.x + w.span).contains(&column) && (w.y..w.y + w.span).contains(&row);
                assert!(windows.iter().any(holds), "{pes} {share}");
            }
        }
    }

    #[test]
    fn cells_and_places_are_each_others_inverse() {
        let mut view = View::all(500);
        view.update(Action::Zoom { factor: 5.0, at: (0.2, 0.9) });
        let (x, y) = view.place_of(90, 400);
        assert_eq!(view.cell_at((x + 0.001, y + 0.001)), Some((90, 400)));
        assert_eq!(View::all(10).cell_at((1.2, 0.5)), None);
        assert_eq!((stride(&View::all(160), 640.0), stride(&View::all(65_536), 640.0)), (1, 410));
    }
}
