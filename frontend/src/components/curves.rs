//! Curves over two axes, with their numbers at their ends, drawn by plotters as SVG.

use super::{axis::Axis, ink::Ink};
use leptos::prelude::*;
use plotters::{
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

/// Width and height in the units of the drawing.
const SIZE: (u32, u32) = (640, 400);
/// How far apart the numbers at the ends of two curves stand at least.
const APART: i32 = 20;

/// A curve of a [`CurvePlot`].
#[derive(Clone, Debug, PartialEq)]
pub struct CurveLine {
    /// Its number, which stands at its end and chooses its colour; from 1 on.
    pub number: u32,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
}

/// Curves. An axis is logarithmic where its values differ twentyfold or more and none is 0, else it begins at 0.
#[component]
pub fn CurvePlot(
    /// The curves.
    #[prop(into)]
    lines: Signal<Vec<CurveLine>>,
    /// What the axes are, along and up.
    axes: [&'static str; 2],
    /// Whether the page is dark.
    #[prop(into)]
    dark: Signal<bool>,
) -> impl IntoView {
    let drawing = move || lines.with(|lines| draw(lines, axes, dark.get()).unwrap_or_default());
    let words = move || {
        let told = |line: &CurveLine| {
            let points = line.points.iter().map(|(x, y)| format!("{x:.3}, {y:.3}"));
            format!("Curve {}: {}", line.number, points.collect::<Vec<_>>().join("; "))
        };
        let curves = lines.with(|lines| lines.iter().map(told).collect::<Vec<_>>().join(". "));
        format!("{} and {}. {curves}", axes[0], axes[1])
    };
    view! { <div class="chart" role="img" aria-label=words inner_html=drawing></div> }
}

fn draw(lines: &[CurveLine], axes: [&str; 2], dark: bool) -> Result<String, Box<dyn std::error::Error>> {
    let colours = Ink::of(dark);
    let (ink, faint) = (colours.words, colours.faint);
    let points = || lines.iter().flat_map(|line| line.points.iter().copied());
    let (along, up) = (Axis::linear(points().map(|point| point.0)), Axis::of(points().map(|point| point.1)));
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let mut canvas = ChartBuilder::on(&area)
            .margin_top(14)
            .margin_right(40)
            .x_label_area_size(58)
            .y_label_area_size(100)
            .build_cartesian_2d(along, up)?;
        let words = ("sans-serif", 20).into_font().color(&ink);
        canvas
            .configure_mesh()
            .axis_style(faint)
            .bold_line_style(faint)
            .light_line_style(faint.mix(0.0))
            .x_labels(6)
            .y_labels(6)
            .x_desc(axes[0])
            .y_desc(axes[1])
            .label_style(words.clone())
            .draw()?;
        let mut ends = Vec::new();
        for line in lines.iter().filter(|line| !line.points.is_empty()) {
            let colour = colours.line(line.number);
            canvas.draw_series(LineSeries::new(line.points.iter().copied(), colour.stroke_width(2)))?;
            canvas.draw_series(line.points.iter().map(|&point| Circle::new(point, 3, colour.filled())))?;
            ends.extend(line.points.last().map(|end| (canvas.backend_coord(end), line.number)));
        }
        for ((x, y), number) in apart(ends) {
            let colour = colours.line(number);
            let style = words.clone().color(&colour).pos(Pos::new(HPos::Left, VPos::Center));
            area.draw(&Text::new(number.to_string(), (x + 8, y), style))?;
        }
        area.present()?;
    }
    Ok(svg)
}

/// Ends of curves, moved up so that no number stands in another.
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
