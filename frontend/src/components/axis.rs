//! Axes of plots, linear or logarithmic.

use super::ink::Ink;
use plotters::{
    coord::{
        Shift,
        ranged1d::{KeyPointHint, NoDefaultFormatting, ValueFormatter},
    },
    prelude::*,
};
use shared::text::grouped;
use std::ops::Range;

/// Width and height of a plot in the units of the drawing.
pub const PLOT: (u32, u32) = (640, 400);

/// Width of the labels of the vertical axis, height of those of the horizontal axis.
pub const FRAME: [i32; 2] = [100, 58];

/// Draws axes, titles and grid lines, and returns the canvas to draw on.
///
/// # Errors
/// Errors of the backend.
pub fn plane<'a>(
    area: &DrawingArea<SVGBackend<'a>, Shift>,
    [along, up]: [Axis; 2],
    titles: [&str; 2],
    ink: &Ink,
) -> Result<ChartContext<'a, SVGBackend<'a>, Cartesian2d<Axis, Axis>>, Box<dyn std::error::Error>> {
    let mut canvas = ChartBuilder::on(area)
        .margin_top(14)
        .margin_right(40)
        .x_label_area_size(FRAME[1])
        .y_label_area_size(FRAME[0])
        .build_cartesian_2d(along, up)?;
    canvas
        .configure_mesh()
        .axis_style(ink.faint)
        .bold_line_style(ink.faint)
        .light_line_style(ink.faint.mix(0.0))
        .x_labels(6)
        .y_labels(6)
        .x_desc(titles[0])
        .y_desc(titles[1])
        .label_style(("sans-serif", 20).into_font().color(&ink.words))
        .draw()
        .map_err(|error| error.to_string())?;
    Ok(canvas)
}

/// The range of an axis.
#[derive(Clone, Copy)]
pub struct Axis {
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl Axis {
    /// Around these values: logarithmic if they differ by a factor of 20 or more and none is 0, else from 0.
    pub fn of(values: impl Iterator<Item = f64> + Clone) -> Axis {
        let (min, max) = (values.clone().fold(f64::MAX, f64::min), values.fold(0.0, f64::max));
        if min > 0.0 && max >= 20.0 * min {
            Axis { low: min / 1.4, high: max * 1.4, logarithmic: true }
        } else {
            Axis::linear(std::iter::once(max))
        }
    }

    /// From 0 to a little above these values.
    pub fn linear(values: impl Iterator<Item = f64>) -> Axis {
        Axis { low: 0.0, high: 1.08 * values.fold(0.0, f64::max).max(1e-9), logarithmic: false }
    }

    /// Numbers that are 1, 2 or 5 times a power of ten, or only the powers if these are many.
    fn decades(&self, max: usize) -> Vec<f64> {
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let of = |digits: &[f64]| -> Vec<f64> {
            let numbers = (first..=last).flat_map(|power| digits.iter().map(move |d| d * 10f64.powi(power)));
            numbers.filter(|number| (self.low..=self.high).contains(number)).collect()
        };
        let fine = of(&[1.0, 2.0, 5.0]);
        if fine.len() <= max { fine } else { of(&[1.0]) }
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        let share = if self.logarithmic {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        from + (f64::from(to - from) * share).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if self.logarithmic {
            self.decades(hint.max_num_points().max(8))
        } else {
            RangedCoord::from(self.low..self.high).key_points(hint)
        }
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        label(value)
    }
}

type RangedCoord = plotters::coord::types::RangedCoordf64;

fn label(number: &f64) -> String {
    match *number {
        number if number.fract() == 0.0 || number >= 100.0 => grouped(number.round() as u64),
        number if number >= 1.0 => format!("{number:.1}"),
        number => format!("{number:.3}").trim_end_matches('0').into(),
    }
}
