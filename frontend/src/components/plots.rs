//! Charts and plots as SVG, drawn by plotters.

use crate::state::{
    board::money,
    chart::{Chart as Prepared, Outcome, PreparedChart, chart, words},
    plot::{Axis, FRAME, Name, PLOT, Side, named},
    words::{clock, grouped},
};
use leptos::prelude::*;
use plotters::{
    coord::{
        Shift,
        ranged1d::{KeyPointHint, NoDefaultFormatting, ValueFormatter},
    },
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};
use shared::api::Sample;
use std::ops::Range;

/// Left of the title of the vertical axis.
const MARGIN: i32 = 8;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Fault = Box<dyn std::error::Error>;

/// Width and height of a chart over time, in the units of the drawing.
const CHART: (u32, u32) = (640, 320);

/// Draws an SVG; it is empty after an error of the backend.
fn svg(size: (u32, u32), draw: impl FnOnce(&Area) -> Result<(), Fault>) -> String {
    let mut svg = String::new();
    let drawn = {
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        draw(&area).and_then(|()| Ok(area.present()?))
    };
    drawn.map_or_else(|_| String::new(), |()| svg)
}

/// Best and median of the population, the best of each island, and restarts as marks on the time axis.
#[component]
pub fn Chart(#[prop(into)] history: Signal<Vec<Sample>>, #[prop(into)] dark: Signal<bool>) -> impl IntoView {
    let drawing = move || {
        let chart = history.with(|h| chart(h))?;
        Some(svg(CHART, |area| draw_chart(area, &chart, &Ink::of(dark.get()))))
    };
    let words = move || history.with(|h| words(h));
    view! { <div class="chart" role="img" aria-label=words inner_html=move || drawing().unwrap_or_default()></div> }
}

fn draw_chart(area: &Area, chart: &Prepared, ink: &Ink) -> Result<(), Fault> {
    let mut canvas = ChartBuilder::on(area)
        .margin_top(10)
        .margin_right(28)
        .x_label_area_size(34)
        .y_label_area_size(92)
        .build_cartesian_2d(0.0..chart.seconds, chart.range.0..chart.range.1)?;
    let words = ("sans-serif", 22).into_font().color(&ink.words);
    canvas
        .configure_mesh()
        .disable_mesh()
        .y_labels(0)
        .axis_style(ink.faint)
        .x_labels(5)
        .x_label_formatter(&|seconds| seconds_label(*seconds, chart.seconds))
        .label_style(words.clone())
        .draw()?;
    // Marks are at powers of ten, which even spacing would miss.
    let right = words.pos(Pos::new(HPos::Right, VPos::Center));
    for (mark, label) in &chart.marks {
        let mark = *mark;
        canvas.draw_series(LineSeries::new([(0.0, mark), (chart.seconds, mark)], ink.faint))?;
        let (x, y) = canvas.backend_coord(&(0.0, mark));
        area.draw(&Text::new(label.as_str(), (x - 8, y), right.clone()))?;
    }
    // Short marks: there may be one at each point.
    let (low, top) = chart.range;
    let tick = low + 0.09 * (top - low);
    for &at in &chart.restarts {
        canvas.draw_series(LineSeries::new([(at, low), (at, tick)], ink.warn.stroke_width(2)))?;
    }
    for line in &chart.islands {
        canvas.draw_series(LineSeries::new(line.iter().copied(), ink.island.stroke_width(1)))?;
    }
    canvas.draw_series(LineSeries::new(chart.median.iter().copied(), ink.soft.stroke_width(2)))?;
    canvas.draw_series(LineSeries::new(chart.best.iter().copied(), ink.accent.stroke_width(4)))?;
    Ok(())
}

/// Each attempt as a sign, and the cheapest solved one as a line. Signs differ in shape, not only in colour.
#[component]
pub fn TriedChart(
    #[prop(into)] tried: Signal<Option<PreparedChart>>,
    #[prop(into)] dark: Signal<bool>,
) -> impl IntoView {
    let draw =
        move |tried: &PreparedChart| svg(CHART, |area| draw_attempts(area, tried, &Ink::of(dark.get())));
    let drawing = move || tried.with(|t| t.as_ref().map(draw)).unwrap_or_default();
    let words = move || tried.with(|t| t.as_ref().map(PreparedChart::words)).unwrap_or_default();
    view! { <div class="chart" role="img" aria-label=words inner_html=drawing></div> }
}

fn draw_attempts(area: &Area, tried: &PreparedChart, ink: &Ink) -> Result<(), Fault> {
    let mut canvas = ChartBuilder::on(area)
        .margin_top(10)
        .margin_right(28)
        .x_label_area_size(34)
        .y_label_area_size(104)
        .build_cartesian_2d(0.0..tried.seconds * 1.02, tried.range.0..tried.range.1)?;
    canvas
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(ink.faint)
        .axis_style(ink.faint)
        .x_labels(5)
        .y_labels(5)
        .x_label_formatter(&|seconds| seconds_label(*seconds, tried.seconds))
        .y_label_formatter(&|height| money(height.round()))
        .label_style(("sans-serif", 22).into_font().color(&ink.words))
        .draw()?;
    canvas.draw_series(LineSeries::new(tried.lowest.iter().copied(), ink.accent.stroke_width(3)))?;
    let plane = canvas.plotting_area();
    for &(at, outcome) in &tried.marks {
        match outcome {
            Outcome::Solved => plane.draw(&Circle::new(at, 7, ink.good.filled()))?,
            Outcome::Failed => plane.draw(&Cross::new(at, 6, ink.warn.stroke_width(2)))?,
            Outcome::Refuted => {
                let square = Rectangle::new([(-6, -6), (6, 6)], ink.bad.stroke_width(2));
                plane.draw(&(EmptyElement::at(at) + square))?;
            }
        }
    }
    Ok(())
}

/// A plot of curves or points.
#[component]
pub fn Plot<T: PlotItem>(
    items: Signal<Vec<T>>,
    /// Titles of the axes, horizontal and vertical.
    #[prop(into)]
    axes: Signal<[String; 2]>,
    #[prop(into)] dark: Signal<bool>,
) -> impl IntoView {
    let drawing = move || {
        let axes = axes.get();
        let axes = [axes[0].as_str(), axes[1].as_str()];
        items.with(|items| svg(PLOT, |area| T::draw(items, area, axes, &Ink::of(dark.get()))))
    };
    let words = move || {
        let items = items.with(|items| items.iter().map(T::words).collect::<Vec<_>>().join(". "));
        axes.with(|[along, up]| format!("{along} and {up}. {items}"))
    };
    view! { <div class="chart" role="img" aria-label=words inner_html=drawing></div> }
}

/// An item of a [`Plot`].
pub trait PlotItem: Send + Sync + Sized + 'static {
    fn draw(all: &[Self], area: &Area, axes: [&str; 2], ink: &Ink) -> Result<(), Fault>;
    /// The item in words, for screen readers.
    fn words(&self) -> String;
}

/// Min distance between the numbers at the ends of two curves.
const APART: i32 = 20;

/// A curve of a [`Plot`]. The vertical axis is logarithmic if its values differ by a factor of 20 or more and none is 0.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveLine {
    /// Number, from 1 on: labels the end of the curve and chooses the colour. 0 for a line that curves are compared with.
    pub number: u32,
    pub points: Vec<(f64, f64)>,
}

impl PlotItem for CurveLine {
    fn draw(lines: &[CurveLine], area: &Area, axes: [&str; 2], ink: &Ink) -> Result<(), Fault> {
        let points = || lines.iter().flat_map(|line| line.points.iter().copied());
        let both =
            [Axis::linear(points().map(|point| point.0)), Axis::from_zero(points().map(|point| point.1))];
        let mut canvas = plane(area, both, axes, ink)?;
        let mut ends = Vec::new();
        for line in lines.iter().filter(|line| line.number == 0) {
            canvas.draw_series(LineSeries::new(line.points.iter().copied(), ink.soft.stroke_width(1)))?;
        }
        for line in lines.iter().filter(|line| line.number > 0 && !line.points.is_empty()) {
            let colour = ink.line(line.number);
            canvas.draw_series(LineSeries::new(line.points.iter().copied(), colour.stroke_width(2)))?;
            canvas.draw_series(line.points.iter().map(|&point| Circle::new(point, 3, colour.filled())))?;
            ends.extend(line.points.last().map(|end| (canvas.backend_coord(end), line.number)));
        }
        for ((x, y), number) in apart(ends) {
            let font = ("sans-serif", 20).into_font();
            let style = font.color(&ink.line(number)).pos(Pos::new(HPos::Left, VPos::Center));
            area.draw(&Text::new(number.to_string(), (x + 8, y), style))?;
        }
        Ok(())
    }

    fn words(&self) -> String {
        let points = self.points.iter().map(|(x, y)| format!("{x:.3}, {y:.3}"));
        let name = if self.number == 0 { "Line".into() } else { format!("Curve {}", self.number) };
        format!("{name}: {}", points.collect::<Vec<_>>().join("; "))
    }
}

/// Ends of curves, moved up so that no numbers overlap.
fn apart(mut ends: Vec<((i32, i32), u32)>) -> Vec<((i32, i32), u32)> {
    ends.sort_by_key(|&((_, y), number)| (std::cmp::Reverse(y), number));
    let mut placed: Vec<((i32, i32), u32)> = Vec::with_capacity(ends.len());
    for ((x, mut y), number) in ends {
        while let Some(&((_, near), _)) =
            placed.iter().find(|((at, near), _)| (at - x).abs() < APART && (near - y).abs() < APART)
        {
            y = near - APART;
        }
        placed.push(((x, y), number));
    }
    placed
}

/// A point of a [`Plot`]. An axis is logarithmic if its values differ by a factor of 20 or more and none is 0; otherwise it begins at 0,
/// or near the least value if all are close to each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Label, such as the network's number in a table.
    pub name: String,
    pub x: f64,
    pub y: f64,
    /// `true` for the point that others are compared with.
    pub own: bool,
}

impl PlotItem for Mark {
    fn draw(marks: &[Mark], area: &Area, axes: [&str; 2], ink: &Ink) -> Result<(), Fault> {
        let both = [Axis::of(marks.iter().map(|mark| mark.x)), Axis::of(marks.iter().map(|mark| mark.y))];
        let canvas = plane(area, both, axes, ink)?;
        let words = ("sans-serif", 20).into_font().color(&ink.words);
        // The own one is on top.
        for mark in marks.iter().filter(|mark| !mark.own).chain(marks.iter().filter(|mark| mark.own)) {
            let (at, size) = (canvas.backend_coord(&(mark.x, mark.y)), if mark.own { 8 } else { 5 });
            let style = if mark.own { ink.accent.filled() } else { ink.soft.filled() };
            area.draw(&Circle::new(at, size, style))?;
        }
        let at = marks.iter().map(|mark| (mark.name.as_str(), canvas.backend_coord(&(mark.x, mark.y))));
        for Name { words: name, side, at, from } in named(&at.collect::<Vec<_>>()) {
            if let Some(from) = from {
                area.draw(&PathElement::new([from, at], ink.soft))?;
            }
            area.draw(&Text::new(name, at, words.pos(Pos::new(side_of(side), VPos::Center))))?;
        }
        Ok(())
    }

    fn words(&self) -> String {
        format!("{}: {:.1}, {:.1}", self.name, self.x, self.y)
    }
}

/// A [`Plot`] of the share that the largest items carry, from 0 to 100 %, with one point marked.
#[derive(Clone, Debug, PartialEq)]
pub struct ShareCurve {
    pub points: Vec<(f64, f64)>,
    pub mark: Option<(f64, f64)>,
}

impl PlotItem for ShareCurve {
    fn draw(curves: &[ShareCurve], area: &Area, axes: [&str; 2], ink: &Ink) -> Result<(), Fault> {
        let last = curves.iter().filter_map(|curve| curve.points.last());
        let along = Axis { is_whole: true, ..Axis::linear(last.map(|point| point.0)) };
        let up = Axis { low: 0.0, high: 104.0, logarithmic: false, is_whole: true };
        let mut canvas = plane(area, [along, up], axes, ink)?;
        for ShareCurve { points, mark } in curves {
            canvas.draw_series(LineSeries::new(points.iter().copied(), ink.soft.stroke_width(2)))?;
            if let &Some((x, y)) = mark {
                canvas.draw_series(LineSeries::new([(x, 0.0), (x, y), (0.0, y)], ink.island))?;
                area.draw(&Circle::new(canvas.backend_coord(&(x, y)), 7, ink.accent.filled()))?;
            }
        }
        Ok(())
    }

    /// The mark, and the points where the share first reaches a half, 90, 99 and 100 %.
    fn words(&self) -> String {
        let reaches = |share: f64| self.points.iter().find(|point| point.1 >= share);
        let points = self.mark.iter().chain([50.0, 90.0, 99.0, 100.0].into_iter().filter_map(reaches));
        points.map(|(x, y)| format!("{}: {y:.2} %", grouped(*x as u64))).collect::<Vec<_>>().join("; ")
    }
}

fn side_of(side: Side) -> HPos {
    match side {
        Side::Left => HPos::Left,
        Side::Right => HPos::Right,
        Side::Center => HPos::Center,
    }
}

/// Draws axes, titles and grid lines, and returns the canvas to draw on.
fn plane<'a>(
    area: &Area<'a>,
    [along, up]: [Axis; 2],
    titles: [&str; 2],
    ink: &Ink,
) -> Result<ChartContext<'a, SVGBackend<'a>, Cartesian2d<Axis, Axis>>, Fault> {
    let (of_x, of_y) = (move |number: &f64| along.label(*number), move |number: &f64| up.label(*number));
    let mut canvas = ChartBuilder::on(area)
        .margin_top(14)
        .margin_left(MARGIN)
        .margin_right(40)
        .x_label_area_size(FRAME[1])
        .y_label_area_size(FRAME[0] - MARGIN)
        .build_cartesian_2d(along, up)?;
    canvas
        .configure_mesh()
        .axis_style(ink.faint)
        .bold_line_style(ink.faint)
        .light_line_style(ink.faint.mix(0.0))
        .x_labels(6)
        .y_labels(6)
        .x_label_formatter(&of_x)
        .y_label_formatter(&of_y)
        .x_desc(titles[0])
        .y_desc(titles[1])
        .label_style(("sans-serif", 20).into_font().color(&ink.words))
        .draw()
        .map_err(|error| error.to_string())?;
    Ok(canvas)
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
            self.decades(hint.max_num_points().min(6))
        } else {
            let mut points = RangedCoord::from(self.low..self.high).key_points(hint);
            points.retain(|point| !self.is_whole || point.fract() == 0.0);
            points
        }
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        self.label(*value)
    }
}

type RangedCoord = plotters::coord::types::RangedCoordf64;

/// Colours of one theme, as in the styles.
pub struct Ink {
    words: RGBColor,
    faint: RGBColor,
    /// The most important line.
    accent: RGBColor,
    /// The line behind it.
    soft: RGBColor,
    /// One of many thin lines.
    island: RGBColor,
    good: RGBColor,
    warn: RGBColor,
    bad: RGBColor,
    lines: [RGBColor; 6],
}

impl Ink {
    /// The colours of the light or the dark theme.
    pub fn of(dark: bool) -> Ink {
        let (single, lines) = match dark {
            false => (
                [0x464a50, 0xdee1e5, 0x0b57a4, 0x828890, 0x789ec8, 0x0b6b34, 0x966200, 0xb00d1c],
                [0x0b57a4, 0xbe5000, 0x007a5c, 0xa83280, 0x706214, 0x6048b4],
            ),
            true => (
                [0xb0b6be, 0x34393f, 0x6eb2ff, 0x8c929a, 0x4a74a4, 0x7fdc9f, 0xf0c36b, 0xff8a8a],
                [0x6eb2ff, 0xffa85c, 0x54d0a8, 0xf092d0, 0xd6c45c, 0xb2a0ff],
            ),
        };
        let [words, faint, accent, soft, island, good, warn, bad] = single.map(rgb);
        Ink { words, faint, accent, soft, island, good, warn, bad, lines: lines.map(rgb) }
    }

    /// The colour of a line by its number, from 1 on.
    pub fn line(&self, number: u32) -> RGBColor {
        self.lines[number.saturating_sub(1) as usize % self.lines.len()]
    }
}

fn rgb(code: u32) -> RGBColor {
    let [_, red, green, blue] = code.to_be_bytes();
    RGBColor(red, green, blue)
}

/// A time on an axis that ends at `end` seconds.
fn seconds_label(seconds: f64, end: f64) -> String {
    match end {
        m if m < 1.0 => format!("{:.0} ms", 1000.0 * seconds),
        m if m < 5.0 => format!("{seconds:.1} s"),
        m if m < 120.0 => format!("{seconds:.0} s"),
        _ => clock(seconds),
    }
}
