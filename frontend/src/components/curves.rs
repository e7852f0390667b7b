//! Curves over two axes, with their numbers at their ends, drawn by plotters as SVG.

use super::{
    axis::{Axis, PLOT, plane},
    ink::Ink,
};
use leptos::prelude::*;
use plotters::{
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

/// Min distance between the numbers at the ends of two curves.
const APART: i32 = 20;

/// A curve of a [`CurvePlot`].
#[derive(Clone, Debug, PartialEq)]
pub struct CurveLine {
    /// Its number, from 1 on. It labels the end of the curve and chooses its colour.
    pub number: u32,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
}

/// A plot of curves. The vertical axis is logarithmic if its values differ by a factor of 20 or more and none is 0.
#[component]
pub fn CurvePlot(
    /// The curves.
    #[prop(into)]
    lines: Signal<Vec<CurveLine>>,
    /// Titles of the axes, horizontal and vertical.
    axes: [&'static str; 2],
    /// `true` if the page is dark.
    #[prop(into)]
    dark: Signal<bool>,
) -> impl IntoView {
    let drawing = move || lines.with(|lines| draw(lines, axes, dark.get()).unwrap_or_default());
    let words = move || {
        let words = |line: &CurveLine| {
            let points = line.points.iter().map(|(x, y)| format!("{x:.3}, {y:.3}"));
            format!("Curve {}: {}", line.number, points.collect::<Vec<_>>().join("; "))
        };
        let curves = lines.with(|lines| lines.iter().map(words).collect::<Vec<_>>().join(". "));
        format!("{} and {}. {curves}", axes[0], axes[1])
    };
    view! { <div class="chart" role="img" aria-label=words inner_html=drawing></div> }
}

fn draw(lines: &[CurveLine], axes: [&str; 2], dark: bool) -> Result<String, Box<dyn std::error::Error>> {
    let ink = Ink::of(dark);
    let points = || lines.iter().flat_map(|line| line.points.iter().copied());
    let both = [Axis::linear(points().map(|point| point.0)), Axis::of(points().map(|point| point.1))];
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, PLOT).into_drawing_area();
        let mut canvas = plane(&area, both, axes, &ink)?;
        let mut ends = Vec::new();
        for line in lines.iter().filter(|line| !line.points.is_empty()) {
            let colour = ink.line(line.number);
            canvas.draw_series(LineSeries::new(line.points.iter().copied(), colour.stroke_width(2)))?;
            canvas.draw_series(line.points.iter().map(|&point| Circle::new(point, 3, colour.filled())))?;
            ends.extend(line.points.last().map(|end| (canvas.backend_coord(end), line.number)));
        }
        for ((x, y), number) in apart(ends) {
            let colour = ink.line(number);
            let style = ("sans-serif", 20).into_font().color(&colour).pos(Pos::new(HPos::Left, VPos::Center));
            area.draw(&Text::new(number.to_string(), (x + 8, y), style))?;
        }
        area.present()?;
    }
    Ok(svg)
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
