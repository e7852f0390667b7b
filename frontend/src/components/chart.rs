//! The chart of uncovered pairs over time, drawn by plotters as SVG.

use crate::state::{
    chart::{Chart as Prepared, chart, count_at},
    words::{clock, grouped},
};
use leptos::prelude::*;
use plotters::{
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};
use shared::api::Sample;

/// Width and height in the units of the drawing.
const SIZE: (u32, u32) = (640, 320);

/// Best and median of the population, on a logarithmic scale with a place for zero.
#[component]
pub fn Chart(
    /// The points.
    #[prop(into)]
    history: Signal<Vec<Sample>>,
    /// Whether the page is dark.
    #[prop(into)]
    dark: Signal<bool>,
) -> impl IntoView {
    let drawing = move || {
        let dark = dark.get();
        history.with(|h| chart(h)).and_then(|prepared| draw(&prepared, dark).ok()).unwrap_or_default()
    };
    let words = move || {
        history.with(|h| match h.last() {
            Some(s) => format!(
                "Uncovered pairs over time: after {} the best wiring leaves {}, the median {}.",
                clock(s.elapsed),
                grouped(s.best),
                grouped(s.median)
            ),
            None => "Uncovered pairs over time: nothing yet.".into(),
        })
    };
    view! { <div class="chart" role="img" aria-label=words inner_html=drawing></div> }
}

fn draw(chart: &Prepared, dark: bool) -> Result<String, Box<dyn std::error::Error>> {
    let (ink, faint, accent, median) = match dark {
        false => {
            (RGBColor(70, 74, 80), RGBColor(222, 225, 229), RGBColor(11, 87, 164), RGBColor(130, 136, 144))
        }
        true => {
            (RGBColor(176, 182, 190), RGBColor(52, 57, 63), RGBColor(110, 178, 255), RGBColor(140, 146, 154))
        }
    };
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
        // Marks stand at powers of ten, which no even spacing hits.
        let right = words.pos(Pos::new(HPos::Right, VPos::Center));
        for &mark in &chart.marks {
            canvas.draw_series(LineSeries::new([(0.0, mark), (chart.seconds, mark)], faint))?;
            let (x, y) = canvas.backend_coord(&(0.0, mark));
            area.draw(&Text::new(grouped(count_at(mark)), (x - 8, y), right.clone()))?;
        }
        canvas.draw_series(LineSeries::new(chart.median.iter().copied(), median.stroke_width(2)))?;
        canvas.draw_series(LineSeries::new(chart.best.iter().copied(), accent.stroke_width(4)))?;
        area.present()?;
    }
    Ok(svg)
}

fn seconds_label(seconds: f64, most: f64) -> String {
    match most {
        m if m < 1.0 => format!("{:.0} ms", 1000.0 * seconds),
        m if m < 5.0 => format!("{seconds:.1} s"),
        m if m < 120.0 => format!("{seconds:.0} s"),
        _ => clock(seconds),
    }
}
