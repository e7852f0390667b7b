//! Numbered points over two axes, drawn by plotters as SVG.

use super::{
    axis::{Axis, FRAME, PLOT, plane},
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
    /// Its label, such as its number in a table.
    pub name: String,
    /// Horizontal value.
    pub x: f64,
    /// Vertical value.
    pub y: f64,
    /// `true` for the point that others are compared with.
    pub own: bool,
}

/// A plot of points. An axis is logarithmic if its values differ by a factor of 20 or more and none is 0.
#[component]
pub fn Scatter(
    /// The points.
    #[prop(into)]
    marks: Signal<Vec<Mark>>,
    /// Titles of the axes, horizontal and vertical.
    axes: [&'static str; 2],
    /// `true` if the page is dark.
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
        let at = marks.iter().map(|mark| (mark.name.as_str(), canvas.backend_coord(&(mark.x, mark.y))));
        for Name { words: name, side, at } in named(&at.collect::<Vec<_>>()) {
            area.draw(&Text::new(name, at, words.pos(Pos::new(side, VPos::Center))))?;
        }
        area.present()?;
    }
    Ok(svg)
}

/// Points closer than this share a label.
const NEAR: i32 = 7;
/// Distance of a label from its point.
const AWAY: i32 = 13;
/// Width and height of a letter.
const LETTER: (i32, i32) = (12, 18);

/// A label beside its point.
struct Name {
    words: String,
    side: HPos,
    at: (i32, i32),
}

/// Labels of points. Points in one place share a label; a label goes to a side where it hides no point and no other label.
fn named(points: &[(&str, (i32, i32))]) -> Vec<Name> {
    let mut places: Vec<(String, (i32, i32))> = Vec::new();
    for &(name, (x, y)) in points {
        let near = |place: &&mut (String, (i32, i32))| {
            (place.1.0 - x).abs() <= NEAR && (place.1.1 - y).abs() <= NEAR
        };
        match places.iter_mut().find(near) {
            Some(place) => place.0 += &format!(", {name}"),
            None => places.push((name.into(), (x, y))),
        }
    }
    let mut taken: Vec<[i32; 4]> =
        points.iter().map(|&(_, (x, y))| [x - NEAR, y - NEAR, x + NEAR, y + NEAR]).collect();
    let mut names = Vec::with_capacity(places.len());
    for (words, (x, y)) in places {
        let (width, half) = (LETTER.0 * words.len() as i32, LETTER.1 / 2);
        let sides = [
            (HPos::Left, (x + AWAY, y), x + AWAY),
            (HPos::Right, (x - AWAY, y), x - AWAY - width),
            (HPos::Center, (x, y - AWAY - half / 2), x - width / 2),
            (HPos::Center, (x, y + AWAY + half), x - width / 2),
        ];
        let frame = |&(_, (_, y), left): &(HPos, (i32, i32), i32)| [left, y - half, left + width, y + half];
        let free = |side: &&(HPos, (i32, i32), i32)| {
            let [left, top, right, bottom] = frame(side);
            let inside =
                left >= FRAME[0] && right <= PLOT.0 as i32 && top >= 0 && bottom <= PLOT.1 as i32 - FRAME[1];
            inside && taken.iter().all(|o| right < o[0] || o[2] < left || bottom < o[1] || o[3] < top)
        };
        let chosen = sides.iter().find(free).unwrap_or(&sides[0]);
        taken.push(frame(chosen));
        names.push(Name { words, side: chosen.0, at: chosen.1 });
    }
    names
}
