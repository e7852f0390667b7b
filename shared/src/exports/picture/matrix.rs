//! The matrix of a large machine: PEs to the right, switches down, a dot per cable in the switch's colour. If there are too many, a
//! dot stands for several, and is darker with more cables.

use super::{
    super::{DesignPlan, Written},
    canvas::{Canvas, Rgb, png, rgb},
    heading,
    svg::head,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use std::fmt;

const PAPER: Rgb = [0xf4, 0xf6, 0xf8];
const INK: Rgb = [0x16, 0x1a, 0x1e];
const EMPTY: Rgb = [255; 3];
const SEVERAL: Rgb = [0x0b, 0x3c, 0x7d];
/// Max dots across and down.
const MOST: (u32, u32) = (2048, 1024);
/// Dots are made larger until the matrix has so many pixels across and down.
const LEAST: (u32, u32) = (1024, 256);
const LEFT: f64 = 96.0;
const TOP: f64 = 72.0;
const MARGIN: f64 = 24.0;

/// Cables counted by dot.
struct Matrix {
    columns: u32,
    rows: u32,
    /// PEs a column and switches a row.
    per: (u32, u32),
    counts: Vec<u32>,
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
        let dot = (LEAST.0.div_ceil(columns), LEAST.1.div_ceil(rows));
        Matrix { columns, rows, per, counts, dot }
    }

    fn size(&self) -> (usize, usize) {
        ((self.columns * self.dot.0) as usize, (self.rows * self.dot.1) as usize)
    }

    /// The dots alone.
    fn draw(&self, plan: &DesignPlan, canvas: &mut Canvas, left: f64, top: f64) {
        let most = self.counts.iter().copied().max().unwrap_or(0).max(1);
        let (width, height) = (f64::from(self.dot.0), f64::from(self.dot.1));
        canvas.fill(left, top, self.size().0 as f64, self.size().1 as f64, EMPTY);
        for (at, &count) in self.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let (column, row) = (at as u32 % self.columns, at as u32 / self.columns);
            let full = if self.per.1 == 1 { rgb(plan.colour(row).paint) } else { SEVERAL };
            // The faintest dot has a fifth of the colour.
            let share = 0.2 + 0.8 * f64::from(count) / f64::from(most);
            let colour = full.map(|c| (255.0 + (f64::from(c) - 255.0) * share).round() as u8);
            canvas.fill(
                left + f64::from(column) * width,
                top + f64::from(row) * height,
                width,
                height,
                colour,
            );
        }
    }

    /// Meaning of a dot.
    fn legend(&self) -> String {
        match self.per {
            (1, 1) => "each dot is a cable".into(),
            (pes, switches) => {
                format!("each dot is {pes} nodes by {switches} switches; darker dots have more cables")
            }
        }
    }
}

/// The picture in pixels.
pub(super) fn canvas(plan: &DesignPlan) -> Canvas {
    let matrix = Matrix::of(plan);
    let (width, height) = matrix.size();
    let all = (width + (LEFT + MARGIN) as usize, height + (TOP + MARGIN) as usize);
    let mut canvas = Canvas::new(all.0, all.1, PAPER);
    canvas.text(&heading(plan), MARGIN, 20.0, 2.0, INK);
    canvas.text(&matrix.legend(), MARGIN, 42.0, 1.0, INK);
    for label in labels(plan, width as f64, height as f64) {
        canvas.text(&label.text, label.x, label.y, 1.0, INK);
    }
    matrix.draw(plan, &mut canvas, LEFT, TOP);
    canvas
}

/// The picture as SVG, with the dots as an image inside.
pub(super) fn svg(plan: &DesignPlan, out: &mut dyn fmt::Write) -> Written {
    let matrix = Matrix::of(plan);
    let (width, height) = matrix.size();
    head(plan, width as f64 + LEFT + MARGIN, height as f64 + TOP + MARGIN, out)?;
    writeln!(out, "<text x=\"{MARGIN}\" y=\"46\">{}</text>", matrix.legend())?;
    for label in labels(plan, width as f64, height as f64) {
        writeln!(out, "<text x=\"{}\" y=\"{}\">{}</text>", label.x, label.y + 4.0, label.text)?;
    }
    let mut dots = Canvas::new(width, height, EMPTY);
    matrix.draw(plan, &mut dots, 0.0, 0.0);
    let mut image = Vec::new();
    png(&dots, &mut image)?;
    writeln!(
        out,
        "<image x=\"{LEFT}\" y=\"{TOP}\" width=\"{width}\" height=\"{height}\" \
         style=\"image-rendering:pixelated\" href=\"data:image/png;base64,{}\"/>",
        STANDARD.encode(image)
    )?;
    Ok(out.write_str("</svg>\n")?)
}

/// A word beside the matrix; `y` is its middle.
struct Label {
    text: String,
    x: f64,
    y: f64,
}

/// The first and the last PE and switch.
fn labels(plan: &DesignPlan, width: f64, height: f64) -> Vec<Label> {
    let (last_pe, last_switch) = (plan.pes().saturating_sub(1), plan.design.switch_count().saturating_sub(1));
    let label = |text: String, x: f64, y: f64| Label { text, x, y };
    vec![
        label(plan.pe_name(0), LEFT, TOP - 10.0),
        label(plan.pe_name(last_pe), LEFT + width - 60.0, TOP - 10.0),
        label(plan.switch_name(0), MARGIN, TOP + 6.0),
        label(plan.switch_name(last_switch), MARGIN, TOP + height - 6.0),
    ]
}
