//! What to print first: rulers, outlines of the labels, and a patch of each colour with its name.
//!
//! A ruler that is not 100 mm long tells that the printer scales; outlines held against a sheet tell how far it is off; patches are
//! what cables are bought and told apart by.

use super::{
    super::{ExportError, colours::MOST_BARS},
    draw::{Area, Drawing, Font, GREY},
    page::{Printer, margin, strips},
    pe::swatch,
    plan::Plan,
};

/// Length of the rulers, in millimetres.
const RULER: u32 = 100;
const TEXT: Font = Font { size: 2.8, bold: false, ink: super::draw::BLACK };

/// Draws the calibration pages.
pub fn print(plan: &Plan, printer: &mut dyn Printer, drawing: &mut Drawing) -> Result<(), ExportError> {
    if plan.layout.tape {
        return on_tape(plan, printer, drawing);
    }
    drawing.begin(plan.layout.page);
    margin(plan, drawing, "calibration 1 of 2");
    for cell in plan.layout.grid.cells() {
        drawing.edge(cell, GREY, 0.1);
    }
    let middle = (plan.layout.page.0 / 2.0, plan.layout.page.1 / 2.0);
    let half = f64::from(RULER) / 2.0;
    ruler(drawing, (middle.0 - half, middle.1 - half), true);
    ruler(drawing, (middle.0 - half, middle.1 - half), false);
    let lines = [
        format!("{}: {}", plan.sheet.name, plan.sheet.what),
        "Both rulers must be 100 mm long. If they are not,".into(),
        "print without scaling (100 %, actual size).".into(),
        "Grey outlines must meet the labels' edges: hold".into(),
        "this page and a sheet of labels against the light.".into(),
    ];
    let mut at = (middle.0 - half + 10.0, middle.1 - 20.0);
    for line in lines {
        drawing.fill(Area { x: at.0 - 1.0, y: at.1 - 3.0, w: TEXT.width(&line) + 2.0, h: 4.2 }, "#ffffff");
        drawing.text(at, TEXT, line);
        at.1 += 4.2;
    }
    printer.page(drawing)?;
    colours(plan, printer, drawing)
}

/// A ruler with a tick a millimetre, across or down.
fn ruler(drawing: &mut Drawing, (x, y): (f64, f64), across: bool) {
    let turn = |along: f64, aside: f64| if across { (x + along, y + aside) } else { (x + aside, y + along) };
    drawing.line(turn(0.0, 0.0), turn(f64::from(RULER), 0.0), 0.2);
    for mm in 0..=RULER {
        let long = if mm % 10 == 0 {
            4.0
        } else if mm % 5 == 0 {
            3.0
        } else {
            2.0
        };
        drawing.line(turn(mm.into(), 0.0), turn(mm.into(), long), 0.1);
        if mm % 10 == 0 {
            let (x, y) = turn(mm.into(), -1.2);
            let font = Font::regular(2.0);
            let text = mm.to_string();
            let shift = if across { (font.width(&text) / 2.0, 0.0) } else { (font.width(&text), -0.7) };
            drawing.text((x - shift.0, y - shift.1), font, text);
        }
    }
}

/// The page of patches.
fn colours(plan: &Plan, printer: &mut dyn Printer, drawing: &mut Drawing) -> Result<(), ExportError> {
    drawing.begin(plan.layout.page);
    margin(plan, drawing, "calibration 2 of 2");
    let (left, top, wide) = (10.0, 20.0, plan.layout.page.0 - 20.0);
    let columns = 4;
    let size = (wide / f64::from(columns), 24.0);
    let place = |at: u32| {
        let (x, y) = (f64::from(at % columns) * size.0, f64::from(at / columns) * size.1);
        Area { x: left + x, y: top + y, w: size.0 - 4.0, h: size.1 - 9.0 }
    };
    let round = plan.palette.round();
    for at in 0..round {
        sample(plan, drawing, place(at), at);
    }
    // Below, what bars mean, on the first colour.
    let first = round.next_multiple_of(columns);
    for bars in 1..=MOST_BARS {
        sample(plan, drawing, place(first + bars - 1), bars * round);
    }
    let more = first + columns;
    sample(plan, drawing, place(more), (MOST_BARS + 1) * round);
    let mut y = place(more + columns).y + 4.0;
    let bars = "A bar for each time that a colour was used before, and a broad one from the fifth time on: put as many bands of \
                tape on these cables. The number of the switch is on every label, and decides.";
    for text in std::iter::once(bars).chain(plan.notes.iter().map(String::as_str)) {
        for line in TEXT.wrapped(text, wide) {
            drawing.text((left, y), TEXT, line);
            y += 4.2;
        }
        y += 1.5;
    }
    printer.page(drawing)
}

/// A patch, with the colour's name below and what is written on it.
fn sample(plan: &Plan, drawing: &mut Drawing, at: Area, switch: u32) {
    let colour = plan.palette.of(switch);
    swatch(drawing, at, &colour);
    drawing.text((at.x + 1.5, at.y + 6.0), Font::bold(5.0).ink(colour.text()), switch.to_string());
    if colour.transparent {
        drawing.triangles((at.x + 1.5, at.y + 9.0), 2.5, colour.text());
    }
    drawing.text((at.x, at.y + at.h + 3.2), TEXT, colour.name());
}

/// How long a calibration strip of tape is.
pub fn long(plan: &Plan) -> f64 {
    let names = names(plan);
    let patches: f64 = names.iter().map(|name| PATCH + tape_text(plan).width(name) + GAP).sum();
    2.0 * EDGE + f64::from(RULER) + GAP + tape_text(plan).width(&what(plan)) + GAP + patches
}

/// From the end of a strip to the ruler, a patch with the white after it, and between two things.
const EDGE: f64 = 5.0;
const PATCH: f64 = 5.0;
const GAP: f64 = 3.0;

fn tape_text(plan: &Plan) -> Font {
    Font::regular(plan.layout.unit.min(2.4))
}

fn what(plan: &Plan) -> String {
    format!("{}: grey is what can be printed", plan.sheet.what)
}

fn names(plan: &Plan) -> Vec<String> {
    (0..plan.palette.round()).map(|switch| format!("{switch} {}", plan.palette.of(switch).name())).collect()
}

/// A strip with a ruler and patches.
fn on_tape(plan: &Plan, printer: &mut dyn Printer, drawing: &mut Drawing) -> Result<(), ExportError> {
    let (area, (long, high)) = (plan.layout.grid.area((0, 0)), plan.layout.page);
    let font = tape_text(plan);
    let line = high / 2.0 + font.size * 0.36;
    drawing.begin((long, high));
    drawing.edge(Area { x: 1.0, w: long - 2.0, ..area }, GREY, 0.1);
    ruler(drawing, (EDGE, high / 2.0 - 0.6), true);
    let mut x = EDGE + f64::from(RULER) + GAP;
    drawing.text((x, line), font, what(plan));
    x += font.width(&what(plan)) + GAP;
    for (switch, name) in (0..).zip(names(plan)) {
        let colour = plan.palette.of(switch);
        swatch(drawing, Area { x, y: area.y + 0.5, w: PATCH - 1.0, h: area.h - 1.0 }, &colour);
        if colour.transparent {
            drawing.triangles((x + 0.8, high / 2.0 - 0.6), 1.1, colour.text());
        }
        drawing.text((x + PATCH, line), font, &name);
        x += PATCH + font.width(&name) + GAP;
    }
    printer.page(drawing)?;
    strips(plan, printer, drawing, &plan.notes.join(" · "))
}
