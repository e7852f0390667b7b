//! Calibration pages: rulers of 100 mm, outlines of the labels, and a patch of each colour with its name.

use super::{
    super::{WriteResult, colours::MAX_BARS},
    draw::{Area, Drawing, Font, GREY},
    pe::{BAR, bars, swatch},
    print_job::{PrintJob, Printer, margin, strips},
};

/// Length of the rulers, in millimetres.
const RULER: u32 = 100;
const TEXT: f64 = 2.8;

/// Draws the calibration pages.
pub fn print(job: &PrintJob, printer: &mut dyn Printer, drawing: &mut Drawing) -> WriteResult {
    if job.layout.tape {
        return on_tape(job, printer, drawing);
    }
    drawing.begin(job.layout.page);
    margin(job, drawing, "calibration 1 of 2");
    for cell in job.layout.grid.cells() {
        drawing.edge(cell, GREY, 0.1);
    }
    let middle = (job.layout.page.0 / 2.0, job.layout.page.1 / 2.0);
    let half = f64::from(RULER) / 2.0;
    ruler(job, drawing, (middle.0 - half, middle.1 - half), true);
    ruler(job, drawing, (middle.0 - half, middle.1 - half), false);
    let lines = [
        format!("{}: {}", job.sheet.name, job.sheet.what),
        "Both rulers must be 100 mm long. If they are not,".into(),
        "print without scaling (100 %, actual size).".into(),
        "Grey outlines must meet the labels' edges: hold".into(),
        "this page and a sheet of labels against the light.".into(),
    ];
    let font = job.regular(TEXT);
    let mut at = (middle.0 - half + 10.0, middle.1 - 20.0);
    for line in lines {
        drawing.fill(Area { x: at.0 - 1.0, y: at.1 - 3.0, w: font.width(&line) + 2.0, h: 4.2 }, "#ffffff");
        drawing.text(at, font, line);
        at.1 += 4.2;
    }
    printer.page(drawing)?;
    colours(job, printer, drawing)
}

/// A ruler with a tick a millimetre, across or down.
fn ruler(job: &PrintJob, drawing: &mut Drawing, (x, y): (f64, f64), across: bool) {
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
            let font = job.regular(2.0);
            let text = mm.to_string();
            let shift = if across { (font.width(&text) / 2.0, 0.0) } else { (font.width(&text), -0.7) };
            drawing.text((x - shift.0, y - shift.1), font, text);
        }
    }
}

/// The page of patches.
fn colours(job: &PrintJob, printer: &mut dyn Printer, drawing: &mut Drawing) -> WriteResult {
    drawing.begin(job.layout.page);
    margin(job, drawing, "calibration 2 of 2");
    let (left, top, wide) = (10.0, 20.0, job.layout.page.0 - 20.0);
    let columns = 4;
    let size = (wide / f64::from(columns), 24.0);
    let place = |at: u32| {
        let (x, y) = (f64::from(at % columns) * size.0, f64::from(at / columns) * size.1);
        Area { x: left + x, y: top + y, w: size.0 - 4.0, h: size.1 - 9.0 }
    };
    let round = job.palette.round();
    for at in 0..round {
        sample(job, drawing, place(at), at);
    }
    // Below, what bars mean, on the first colour.
    let first = round.next_multiple_of(columns);
    for bars in 1..=MAX_BARS {
        sample(job, drawing, place(first + bars - 1), bars * round);
    }
    let more = first + columns;
    sample(job, drawing, place(more), (MAX_BARS + 1) * round);
    let (font, mut y) = (job.regular(TEXT), place(more + columns).y + 4.0);
    let bars = format!(
        "Each bar means one tape band; a broad bar means five or more. If in doubt, use the switch {} on the label.",
        job.plan.names.switch_sign()
    );
    for text in std::iter::once(&*bars).chain(job.notes.iter().map(String::as_str)) {
        for line in font.wrapped(text, wide) {
            drawing.text((left, y), font, line);
            y += 4.2;
        }
        y += 1.5;
    }
    printer.page(drawing)
}

/// A patch, with the colour's name below and what is written on it.
fn sample(job: &PrintJob, drawing: &mut Drawing, at: Area, switch: u32) {
    let colour = job.colour(switch);
    swatch(drawing, at, &colour);
    let mark = mark(job, switch);
    // Names are smaller than numbers, as on labels.
    let bare = at.w - f64::from(bars(&colour)) * BAR.0 - 3.0;
    let size = (bare / job.bold(1.0).width(&mark).max(1.0)).min(5.0);
    drawing.text((at.x + 1.5, at.y + 6.0), job.bold(size).ink(colour.text()), mark);
    if colour.transparent {
        drawing.triangles((at.x + 1.5, at.y + 9.0), 2.5, colour.text());
    }
    drawing.text((at.x, at.y + at.h + 3.2), job.regular(TEXT), colour.name());
}

/// Number of the switch that a patch is for, or its name; empty for none of that name.
fn mark(job: &PrintJob, switch: u32) -> String {
    let names = &job.plan.names;
    let is_there = !names.has_named_switches() || switch < job.plan.design.switch_count();
    if is_there { names.switch_mark(switch) } else { String::new() }
}

/// Length of a calibration strip.
pub fn long(job: &PrintJob) -> f64 {
    let names = names(job);
    let patches: f64 = names.iter().map(|name| PATCH + tape_text(job).width(name) + GAP).sum();
    2.0 * EDGE + f64::from(RULER) + GAP + tape_text(job).width(&what(job)) + GAP + patches
}

/// From the end of a strip to the ruler, a patch with the white after it, and between two things.
const EDGE: f64 = 5.0;
const PATCH: f64 = 5.0;
const GAP: f64 = 3.0;

fn tape_text<'a>(job: &'a PrintJob) -> Font<'a> {
    job.regular(job.layout.unit.min(2.4))
}

fn what(job: &PrintJob) -> String {
    format!("{}: grey is what can be printed", job.sheet.what)
}

fn names(job: &PrintJob) -> Vec<String> {
    let name = |switch| format!("{} {}", mark(job, switch), job.colour(switch).name());
    (0..job.palette.round()).map(|switch| name(switch).trim_start().to_owned()).collect()
}

/// A strip with a ruler and patches.
fn on_tape(job: &PrintJob, printer: &mut dyn Printer, drawing: &mut Drawing) -> WriteResult {
    let (area, (long, high)) = (job.layout.grid.area((0, 0)), job.layout.page);
    let font = tape_text(job);
    let line = high / 2.0 + font.size * 0.36;
    drawing.begin((long, high));
    drawing.edge(Area { x: 1.0, w: long - 2.0, ..area }, GREY, 0.1);
    ruler(job, drawing, (EDGE, high / 2.0 - 0.6), true);
    let mut x = EDGE + f64::from(RULER) + GAP;
    drawing.text((x, line), font, what(job));
    x += font.width(&what(job)) + GAP;
    for (switch, name) in (0..).zip(names(job)) {
        let colour = job.colour(switch);
        swatch(drawing, Area { x, y: area.y + 0.5, w: PATCH - 1.0, h: area.h - 1.0 }, &colour);
        if colour.transparent {
            drawing.triangles((x + 0.8, high / 2.0 - 0.6), 1.1, colour.text());
        }
        drawing.text((x + PATCH, line), font, &name);
        x += PATCH + font.width(&name) + GAP;
    }
    printer.page(drawing)?;
    strips(job, printer, drawing, &job.notes.join(" · "))
}
