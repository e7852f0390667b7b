//! The chart of uncovered pairs over time, drawn by plotters as SVG.

use super::ink::{Ink, seconds_label};
use crate::state::{
    chart::{Chart as Prepared, chart, count_at, words},
    words::grouped,
};
use leptos::prelude::*;
use plotters::{
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};
use shared::api::Sample;

/// Width and height in the units of the drawing.
const SIZE: (u32, u32) = (640, 320);

/// Best and median of the population, the best of each island, and restarts as marks on the time axis.
#[component]
pub fn Chart(
    /// The points.
    #[prop(into)]
    history: Signal<Vec<Sample>>,
    /// `true` if the page is dark.
    #[prop(into)]
    dark: Signal<bool>,
) -> impl IntoView {
    let drawing = move || {
        let dark = dark.get();
        history.with(|h| chart(h)).and_then(|prepared| draw(&prepared, dark).ok()).unwrap_or_default()
    };
    let words = move || history.with(|h| words(h));
    view! { <div class="chart" role="img" aria-label=words inner_html=drawing></div> }
}

fn draw(chart: &Prepared, dark: bool) -> Result<String, Box<dyn std::error::Error>> {
    let Ink { words: ink, faint, accent, soft, island, warn, .. } = Ink::of(dark);
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let mut canvas = ChartBuilder::on(&area)
            .margin_top(10)
            .margin_right(28)
            .x_label_area_size(34)
            .y_label_area_size(92)
            .build_cartesian_2d(0.0..chart.seconds, 0.0..chart.top)?;
        let words = ("sans-serif", 22).into_font().color(&ink);
        canvas
            .configure_mesh()
            .disable_mesh()
            .y_labels(0)
            .axis_style(faint)
            .x_labels(5)
            .x_label_formatter(&|seconds| seconds_label(*seconds, chart.seconds))
            .label_style(words.clone())
            .draw()?;
        // Marks are at powers of ten, which even spacing would miss.
        let right = words.pos(Pos::new(HPos::Right, VPos::Center));
        for &mark in &chart.marks {
            canvas.draw_series(LineSeries::new([(0.0, mark), (chart.seconds, mark)], faint))?;
            let (x, y) = canvas.backend_coord(&(0.0, mark));
            area.draw(&Text::new(grouped(count_at(mark)), (x - 8, y), right.clone()))?;
        }
        // Short marks: there may be one at each point.
        let tick = 0.09 * chart.top;
        for &at in &chart.restarts {
            canvas.draw_series(LineSeries::new([(at, 0.0), (at, tick)], warn.stroke_width(2)))?;
        }
        for line in &chart.islands {
            canvas.draw_series(LineSeries::new(line.iter().copied(), island.stroke_width(1)))?;
        }
        canvas.draw_series(LineSeries::new(chart.median.iter().copied(), soft.stroke_width(2)))?;
        canvas.draw_series(LineSeries::new(chart.best.iter().copied(), accent.stroke_width(4)))?;
        area.present()?;
    }
    Ok(svg)
}
