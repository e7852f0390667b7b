//! Numbered points over two axes, drawn by plotters as SVG.

use super::ink::Ink;
use leptos::prelude::*;
use plotters::{
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};
use shared::text::grouped;

/// Width and height in the units of the drawing.
const SIZE: (u32, u32) = (640, 400);

/// A point of a [`Scatter`].
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// What it is called beside itself, such as its number in a table.
    pub name: String,
    /// Along.
    pub x: f64,
    /// Up.
    pub y: f64,
    /// Whether it is the one that others are compared with.
    pub own: bool,
}

/// Points, with both axes from zero.
#[component]
pub fn Scatter(
    /// The points.
    #[prop(into)]
    marks: Signal<Vec<Mark>>,
    /// What the axes are, along and up.
    axes: [&'static str; 2],
    /// Whether the page is dark.
    #[prop(into)]
    dark: Signal<bool>,
) -> impl IntoView {
    let drawing = move || marks.with(|marks| draw(marks, axes, dark.get()).unwrap_or_default());
    let words = move || {
        let points = marks.with(|marks| {
            marks.iter().map(|m| format!("{}: {:.1}, {:.1}", m.name, m.x, m.y)).collect::<Vec<_>>().join("; ")
        });
        format!("{} and {}. {points}", axes[0], axes[1])
    };
    view! { <div class="chart" role="img" aria-label=words inner_html=drawing></div> }
}

fn draw(marks: &[Mark], axes: [&str; 2], dark: bool) -> Result<String, Box<dyn std::error::Error>> {
    let Ink { words: ink, faint, accent, soft, .. } = Ink::of(dark);
    let top = |of: fn(&Mark) -> f64| 1.08 * marks.iter().map(of).fold(0.0, f64::max).max(1e-9);
    let (right, top) = (top(|mark| mark.x), top(|mark| mark.y));
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let mut canvas = ChartBuilder::on(&area)
            .margin_top(14)
            .margin_right(32)
            .x_label_area_size(58)
            .y_label_area_size(100)
            .build_cartesian_2d(0.0..right, 0.0..top)?;
        let words = ("sans-serif", 20).into_font().color(&ink);
        canvas
            .configure_mesh()
            .axis_style(faint)
            .bold_line_style(faint)
            .light_line_style(faint.mix(0.0))
            .x_labels(6)
            .y_labels(6)
            .x_label_formatter(&label)
            .y_label_formatter(&label)
            .x_desc(axes[0])
            .y_desc(axes[1])
            .label_style(words.clone())
            .draw()?;
        for mark in marks {
            let (at, size) = (canvas.backend_coord(&(mark.x, mark.y)), if mark.own { 8 } else { 5 });
            let style = if mark.own { accent.filled() } else { soft.filled() };
            area.draw(&Circle::new(at, size, style))?;
        }
        for (number, mark) in marks.iter().enumerate() {
            // Points in one place: their names stand one below the other.
            let near = |other: &&Mark| {
                (other.x - mark.x).abs() < 0.02 * right && (other.y - mark.y).abs() < 0.04 * top
            };
            let before = marks[..number].iter().filter(near).count() as i32;
            let (x, y) = canvas.backend_coord(&(mark.x, mark.y));
            let (side, place) =
                if mark.x > 0.9 * right { (HPos::Right, x - 12) } else { (HPos::Left, x + 12) };
            let style = words.pos(Pos::new(side, VPos::Center));
            area.draw(&Text::new(mark.name.clone(), (place, y + 20 * before), style))?;
        }
        area.present()?;
    }
    Ok(svg)
}

fn label(number: &f64) -> String {
    match *number {
        number if number.fract() == 0.0 || number >= 100.0 => grouped(number.round() as u64),
        number => format!("{number:.1}"),
    }
}
