//! The chart of attempts of a hardware search, drawn by plotters as SVG.

use super::ink::{Ink, seconds_label};
use crate::state::board::{Outcome, Tried, money};
use leptos::prelude::*;
use plotters::prelude::*;

/// Width and height in the units of the drawing.
const SIZE: (u32, u32) = (640, 320);

/// Each attempt as a sign, and the cheapest solved one as a line. Signs differ in shape, not only in colour.
#[component]
pub fn TriedChart(
    /// The attempts.
    #[prop(into)]
    tried: Signal<Option<Tried>>,
    /// `true` if the page is dark.
    #[prop(into)]
    dark: Signal<bool>,
) -> impl IntoView {
    let drawing = move || {
        let dark = dark.get();
        tried.with(|t| t.as_ref().and_then(|t| draw(t, dark).ok())).unwrap_or_default()
    };
    let words = move || tried.with(|t| t.as_ref().map(Tried::words)).unwrap_or_default();
    view! { <div class="chart" role="img" aria-label=words inner_html=drawing></div> }
}

fn draw(tried: &Tried, dark: bool) -> Result<String, Box<dyn std::error::Error>> {
    let ink = Ink::of(dark);
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let mut canvas = ChartBuilder::on(&area)
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
        for &(at, outcome) in &tried.marks {
            let plane = canvas.plotting_area();
            match outcome {
                Outcome::Solved => plane.draw(&Circle::new(at, 7, ink.good.filled()))?,
                Outcome::Failed => plane.draw(&Cross::new(at, 6, ink.warn.stroke_width(2)))?,
                Outcome::Refuted => {
                    let square =
                        EmptyElement::at(at) + Rectangle::new([(-6, -6), (6, 6)], ink.bad.stroke_width(2));
                    plane.draw(&square)?;
                }
            }
        }
        area.present()?;
    }
    Ok(svg)
}
