//! The matrix of a large machine: PEs to the right, switches down, a dot per cable in the switch's colour. If there are too many, a
//! dot stands for several, and is darker with more cables.

use super::{
    super::{
        DesignPlan,
        labels::font::{Helvetica, Letters},
    },
    HEADING, LABEL, Mark, OUTLINE, Picture,
    canvas::{Canvas, Rgb, rgb},
    layout::{MARGIN, Point, is_pale},
};
use crate::text::grouped;

const EMPTY: Rgb = [255; 3];
const TINT: Rgb = [0xf1, 0xf4, 0xf7];
const GRID: Rgb = [0xd3, 0xd9, 0xdf];
const SEVERAL: Rgb = [0x0b, 0x3c, 0x7d];
/// Edge of a pale dot.
const EDGE: f64 = 3.0;
/// Max dots across and down.
const MOST: (u32, u32) = (2048, 1024);
/// Dots are made larger until the matrix has so many pixels across and down.
const LEAST: (u32, u32) = (2048, 1024);
/// Max height of a dot, for few switches.
const MAX_HEIGHT: u32 = 48;
/// Heights at which each row has room for its name are preferred up to so many rows.
const NAMED_ROWS: u32 = 128;
/// Distance between the middles of two lines of text.
const LINE: f64 = 24.0;
/// Between names and matrix.
const GAP: f64 = 12.0;
/// Above the matrix: heading, legend and names of PEs.
const TOP: f64 = 116.0;
/// Middle of the legend.
const LEGEND: f64 = 66.0;

/// Cables counted by dot.
struct Matrix {
    columns: u32,
    rows: u32,
    /// PEs a column and switches a row.
    per: (u32, u32),
    counts: Vec<u32>,
    /// Width of the widest name of a column.
    widest: f64,
    /// Pixels of a dot.
    dot: (u32, u32),
}

impl Matrix {
    fn of(plan: &DesignPlan) -> Matrix {
        let (pes, switches) = (plan.pes().max(1), plan.design.switch_count().max(1));
        let per = (pes.div_ceil(MOST.0), switches.div_ceil(MOST.1));
        let (columns, rows) = (pes.div_ceil(per.0), switches.div_ceil(per.1));
        let mut counts = vec![0; columns as usize * rows as usize];
        for (switch, members) in (0..).zip(plan.design.switches()) {
            let row = (switch / per.1) as usize * columns as usize;
            for pe in members {
                counts[row + (pe / per.0) as usize] += 1;
            }
        }
        let high = if rows <= NAMED_ROWS { LINE as u32 } else { 1 };
        let dot = (LEAST.0.div_ceil(columns), LEAST.1.div_ceil(rows).clamp(high, MAX_HEIGHT));
        let widest = (0..columns).map(|column| width(&plan.pe_name(column * per.0))).fold(0.0, f64::max);
        Matrix { columns, rows, per, counts, widest, dot }
    }

    fn size(&self) -> (usize, usize) {
        ((self.columns * self.dot.0) as usize, (self.rows * self.dot.1) as usize)
    }

    /// The dots alone, on rows of which every second one is tinted.
    fn dots(&self, plan: &DesignPlan) -> Canvas {
        let mut canvas = Canvas::new(self.size().0, self.size().1, EMPTY);
        let most = self.counts.iter().copied().max().unwrap_or(0).max(1);
        let (width, height) = (f64::from(self.dot.0), f64::from(self.dot.1));
        for row in 0..self.rows {
            let (y, tint) = (f64::from(row) * height, if row % 2 == 0 { EMPTY } else { TINT });
            canvas.fill(0.0, y, self.size().0 as f64, height, tint);
        }
        for column in self.named_columns() {
            canvas.fill(f64::from(column) * width, 0.0, 1.0, self.size().1 as f64, GRID);
        }
        for (at, &count) in self.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let (column, row) = (at as u32 % self.columns, at as u32 / self.columns);
            let full = if self.per.1 == 1 { rgb(plan.colour(row).paint) } else { SEVERAL };
            // The faintest dot has a fifth of the colour.
            let share = 0.2 + 0.8 * f64::from(count) / f64::from(most);
            let colour = full.map(|c| (255.0 + (f64::from(c) - 255.0) * share).round() as u8);
            let (x, y) = (f64::from(column) * width, f64::from(row) * height);
            let edge = if self.per.1 == 1 && is_pale(plan, row) { EDGE.min(height / 4.0) } else { 0.0 };
            let side = if width > 4.0 * edge { edge } else { 0.0 };
            canvas.fill(x, y, width, height, if edge > 0.0 { OUTLINE } else { colour });
            canvas.fill(x + side, y + edge, width - 2.0 * side, height - 2.0 * edge, colour);
        }
        canvas
    }

    /// Meaning of a dot.
    fn legend(&self) -> String {
        let dots = match self.per {
            (1, 1) => "Each dot is a cable".into(),
            (pes, switches) => {
                let (pes, switches) = (grouped(pes.into()), grouped(switches.into()));
                format!("Each dot is {pes} nodes by {switches} switches; darker dots have more cables")
            }
        };
        format!("Nodes to the right, switches down. {dots}.")
    }

    /// Rows that have room for their names.
    fn named_rows(&self) -> impl Iterator<Item = u32> {
        (0..self.rows).step_by(step(self.dot.1, LINE))
    }

    /// Columns that have room for their names.
    fn named_columns(&self) -> impl Iterator<Item = u32> + use<> {
        (0..self.columns).step_by(step(self.dot.0, self.widest + 2.0 * GAP))
    }

    /// The first switch of a row, and its colour where the row is that of one switch.
    fn row_name(&self, plan: &DesignPlan, row: u32) -> String {
        let name = plan.switch_name(row * self.per.1);
        if self.per.1 == 1 { format!("{name} {}", plan.colour(row).name()) } else { name }
    }

    /// Left edge of the dots.
    fn left(&self, plan: &DesignPlan) -> f64 {
        let widths = self.named_rows().map(|row| width(&self.row_name(plan, row)));
        MARGIN + widths.fold(0.0, f64::max).ceil() + GAP
    }

    /// Names at both axes.
    fn labels(&self, plan: &DesignPlan, left: f64) -> impl Iterator<Item = Mark> {
        let (wide, high) = (f64::from(self.dot.0), f64::from(self.dot.1));
        let rows = self.named_rows().map(move |row| {
            let at = Point { x: MARGIN, y: TOP + (f64::from(row) + 0.5) * high };
            Mark::Label { at, text: self.row_name(plan, row) }
        });
        let columns = self.named_columns().map(move |column| {
            let at = Point { x: left + f64::from(column) * wide, y: TOP - LINE / 2.0 };
            Mark::Label { at, text: plan.pe_name(column * self.per.0) }
        });
        rows.chain(columns)
    }
}

fn width(text: &str) -> f64 {
    Helvetica.width(text, false) * LABEL
}

/// The least power of two whose number of dots has room for a name.
fn step(dot: u32, room: f64) -> usize {
    ((room / f64::from(dot)).ceil() as usize).next_power_of_two()
}

/// The picture, with the dots as an image inside.
pub(super) fn matrix(plan: &DesignPlan) -> Picture {
    let matrix = Matrix::of(plan);
    let (left, dots) = (matrix.left(plan), matrix.dots(plan));
    let (width, height) = (left + dots.width as f64 + MARGIN, TOP + dots.height as f64 + MARGIN);
    let mut marks = vec![Mark::Label { at: Point { x: MARGIN, y: LEGEND }, text: matrix.legend() }];
    marks.extend(matrix.labels(plan, left));
    marks.push(Mark::Image { at: Point { x: left, y: TOP }, canvas: dots });
    Picture {
        width,
        height,
        heading: 2.0 * HEADING,
        #[cfg(feature = "server")]
        scale: 1.0,
        marks,
    }
}
