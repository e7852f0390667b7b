//! Numbered points over two axes, drawn by plotters as SVG.

use super::{
    axis::{Axis, PLOT, plane},
    ink::Ink,
};
use leptos::prelude::*;
use plotters::{
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

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

/// Points. An axis is logarithmic where its values differ twentyfold or more and none is 0, else it begins at 0.
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
    let ink = Ink::of(dark);
    let both = [Axis::of(marks.iter().map(|mark| mark.x)), Axis::of(marks.iter().map(|mark| mark.y))];
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, PLOT).into_drawing_area();
        let canvas = plane(&area, both, axes, &ink)?;
        let words = ("sans-serif", 20).into_font().color(&ink.words);
        for mark in marks {
            let (at, size) = (canvas.backend_coord(&(mark.x, mark.y)), if mark.own { 8 } else { 5 });
            let style = if mark.own { ink.accent.filled() } else { ink.soft.filled() };
            area.draw(&Circle::new(at, size, style))?;
        }
        let mut names: Vec<(i32, i32)> = Vec::new();
        for mark in marks {
            let (x, mut y) = canvas.backend_coord(&(mark.x, mark.y));
            // Points in one place: their names stand one below the other.
            while names.iter().any(|&(near, at)| (near - x).abs() < 26 && (at - y).abs() < 19) {
                y += 19;
            }
            names.push((x, y));
            let (side, place) =
                if x > PLOT.0 as i32 - 80 { (HPos::Right, x - 12) } else { (HPos::Left, x + 12) };
            area.draw(&Text::new(mark.name.clone(), (place, y), words.pos(Pos::new(side, VPos::Center))))?;
        }
        area.present()?;
    }
    Ok(svg)
}
