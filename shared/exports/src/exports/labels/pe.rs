//! The label of a node: its name and place, and a patch for each NIC in the colour of its cable.

use super::{
    super::colours::Colour,
    draw::{Area, BLACK, CAP, Drawing, Font, GREY, Mark, units},
    print_job::{PAD, PrintJob, Texts, hue, place},
};

/// Between patches.
const GAP: f64 = 0.8;
/// Between a patch's edge and its text.
const INSET: f64 = 0.6;
/// A bar with the colour before it, and the bar.
pub const BAR: (f64, f64) = (1.2, 0.7);
/// The colour beside the text on tape.
const SWATCH: f64 = 3.0;
/// The PE's name, the switch's number and the switch's own name are so many times as high as small letters.
const NAME: f64 = 1.7;
pub const NUMBER: f64 = 2.0;
pub const SWITCH: f64 = 1.2;
/// Depth of letters below their line.
const BELOW: f64 = 0.22;
/// Triangles.
const TRIANGLE: f64 = 0.55;
/// Min letters of a shortened name. A wide letter, such as a Chinese one, counts as two.
const MIN_LETTERS: usize = 7;
/// No patch is larger.
const LARGEST: (f64, f64) = (32.0, 18.0);

/// Room for the bars of a colour, in bars.
pub fn bars(colour: &Colour) -> u32 {
    if colour.is_broad() { 2 } else { colour.bars() }
}

/// `true` if bars or triangles mark a colour.
pub fn is_marked(colour: &Colour) -> bool {
    colour.transparent || bars(colour) > 0
}

/// Size of a patch.
fn patch(texts: &Texts, unit: f64) -> (f64, f64) {
    let first = texts.ni * unit + INSET + texts.number * texts.raised * unit;
    let width = 2.0 * INSET + f64::from(texts.bars) * BAR.0 + first.max(texts.hue * unit);
    let upper = (texts.raised * unit * CAP).max(unit * CAP + 0.3 + TRIANGLE * unit);
    (width, INSET + upper + 0.35 + unit * (CAP + BELOW) + 0.5)
}

/// Height of name and place above the patches.
fn head(unit: f64) -> f64 {
    NAME * unit * (CAP + BELOW) + 0.5
}

/// The fewest rows of patches with which a label fits; none where it does not.
pub fn rows(texts: &Texts, unit: f64, room: (f64, f64)) -> Option<u32> {
    let (patch, nis) = (patch(texts, unit), texts.nis.max(1));
    let named = texts.pe * NAME * unit + if texts.place > 0.0 { unit + texts.place * unit } else { 0.0 };
    let long = |count: u32, one: f64| f64::from(count) * one + f64::from(count - 1) * GAP;
    let fits = |rows: &u32| {
        long(nis.div_ceil(*rows), patch.0) <= room.0 && head(unit) + long(*rows, patch.1) <= room.1
    };
    (1..=nis).find(fits).filter(|_| named <= room.0)
}

/// Rows of patches on tape, and the size of small letters: as many rows as leave letters well legible.
pub fn tape_rows(texts: &Texts, printable: f64) -> (u32, f64) {
    let unit = |rows: u32| {
        let high = (printable - f64::from(rows - 1) * GAP) / f64::from(rows);
        // Two lines of text, the upper one with the number.
        (high - 0.4) / (texts.raised * CAP + 0.2 + CAP + BELOW)
    };
    let rows = (1..=texts.nis.clamp(1, 4)).rev().find(|&rows| unit(rows) >= 2.2).unwrap_or(1);
    (rows, unit(rows))
}

/// Length of a label on tape, without margins.
pub fn long(texts: &Texts, unit: f64, rows: u32) -> f64 {
    let columns = texts.nis.max(1).div_ceil(rows);
    block(texts, unit) + GAP + f64::from(columns) * (tape_patch(texts, unit) + GAP)
}

/// Length of name and place on tape.
fn block(texts: &Texts, unit: f64) -> f64 {
    (NAME * texts.pe).max(texts.place).max(TITLE) * unit
}

/// Room for the design's name on tape, in small letters.
const TITLE: f64 = 6.0;

fn tape_patch(texts: &Texts, unit: f64) -> f64 {
    let first = texts.ni * unit + INSET + texts.number * texts.raised * unit;
    SWATCH + f64::from(texts.bars) * BAR.0 + INSET + first.max(texts.hue * unit) + INSET
}

/// Draws a PE's label. The QR code has its own place.
pub fn draw(job: &PrintJob, drawing: &mut Drawing, area: Area, pe: u32) {
    let unit = job.layout.unit;
    let switches = job.plan.nis.of(pe);
    let (name, stands) = (job.plan.pe_name(pe), place_of(job, pe));
    let bold = job.bold(NAME * unit);
    let small = job.regular(unit);
    let patches = if job.layout.tape {
        let block = block(&job.texts, unit);
        let first = area.y + NAME * unit * CAP + 0.2;
        drawing.text((area.x, first), bold, &name);
        // Below the letters of the name that reach below its line.
        let second = first + (unit * (CAP + BELOW) + 0.4).max(unit * (CAP + NAME * BELOW) + 0.15);
        let title = named(small, &job.title, block);
        drawing.text((area.x, second), small, if stands.is_empty() { title } else { stands });
        let taken = block + GAP;
        Area { x: area.x + taken, w: area.w - taken, ..area }
    } else {
        let line = area.y + NAME * unit * CAP;
        drawing.text((area.x, line), bold, &name);
        let after = area.x + bold.width(&name) + unit;
        drawing.text((after, line), small, &stands);
        let after = after + if stands.is_empty() { 0.0 } else { small.width(&stands) + unit };
        let title = named(small, &job.title, area.x + area.w - after);
        drawing.text_to((area.x + area.w, line), small.ink(GREY), title);
        Area { y: area.y + head(unit), h: area.h - head(unit), ..area }
    };
    if switches.is_empty() {
        drawing.text((patches.x, patches.y + 1.5 * unit), small, "no cable");
    }
    for ((ni, &switch), at) in (0u32..).zip(switches).zip(places(job, patches)) {
        let colour = job.colour(switch);
        if job.layout.tape {
            tape_mark(job, drawing, at, (ni, switch), &colour);
        } else {
            mark(job, drawing, at, (ni, switch), &colour);
        }
    }
}

/// The design's name, or its beginning if at least [`MIN_LETTERS`] fit.
fn named(font: Font, title: &str, room: f64) -> String {
    let short = font.shortened(title, room);
    let letters = |unit| if font.width(unit) < font.size { 1 } else { 2 };
    let count: usize = units(short.trim_end_matches('…')).map(letters).sum();
    if short == title || count >= MIN_LETTERS { short } else { String::new() }
}

fn place_of(job: &PrintJob, pe: u32) -> String {
    if job.texts.place > 0.0 { place(&job.identifiers, pe) } else { String::new() }
}

/// Places of the patches.
fn places(job: &PrintJob, area: Area) -> impl Iterator<Item = Area> {
    let rows = job.layout.rows.max(1);
    let columns = job.texts.nis.max(1).div_ceil(rows);
    let share = |room: f64, count: u32| (room - f64::from(count - 1) * GAP) / f64::from(count);
    let (w, h) = (share(area.w, columns).min(LARGEST.0), share(area.h, rows).min(LARGEST.1));
    (0..rows).flat_map(move |row| {
        (0..columns).map(move |column| {
            let (x, y) = (area.x + f64::from(column) * (w + GAP), area.y + f64::from(row) * (h + GAP));
            Area { x, y, w, h }
        })
    })
}

/// A patch with its text on it.
fn mark(job: &PrintJob, drawing: &mut Drawing, at: Area, (ni, switch): (u32, u32), colour: &Colour) {
    let unit = job.layout.unit;
    let small = job.regular(unit).ink(colour.text());
    swatch(drawing, at, colour);
    let (left, right) = (at.x + INSET, at.x + at.w - INSET - f64::from(bars(colour)) * BAR.0);
    let top = at.y + INSET;
    drawing.text((left, top + unit * CAP), small, format!("NIC{ni}"));
    let size = job.texts.raised * unit;
    let number = job.bold(size).ink(colour.text());
    drawing.text_to((right, top + size * CAP), number, job.plan.names.switch_mark(switch));
    if colour.transparent {
        drawing.triangles((left, top + unit * CAP + 0.3), TRIANGLE * unit, colour.text());
    }
    drawing.text((left, at.y + at.h - 0.5 - BELOW * unit), small, hue(colour));
}

/// A patch with its text beside it.
fn tape_mark(job: &PrintJob, drawing: &mut Drawing, at: Area, (ni, switch): (u32, u32), colour: &Colour) {
    let unit = job.layout.unit;
    let small = job.regular(unit);
    let wide = SWATCH + f64::from(bars(colour)) * BAR.0;
    if !job.black || is_marked(colour) {
        swatch(drawing, Area { w: wide, ..at }, colour);
    }
    if colour.transparent {
        let high = (SWATCH - 1.0) / 2.1;
        drawing.triangles((at.x + 0.5, at.y + (at.h - high) / 2.0), high, colour.text());
    }
    let left = at.x + wide + INSET;
    let size = job.texts.raised * unit;
    let first = at.y + 0.1 + size * CAP;
    let name = format!("NIC{ni}");
    drawing.text((left, first), small, &name);
    drawing.text(
        (left + small.width(&name) + INSET, first),
        job.bold(size),
        job.plan.names.switch_mark(switch),
    );
    drawing.text((left, at.y + at.h - 0.1 - BELOW * unit), small, hue(colour));
}

/// The colour of a cable, with a bar for each time that it was used before, or a broad one for more often than can be counted.
pub fn swatch(drawing: &mut Drawing, at: Area, colour: &Colour) {
    drawing.fill(at, colour.paint);
    if colour.is_broad() {
        let x = at.x + at.w - 2.0 * BAR.0;
        drawing.fill(Area { x, w: BAR.0 + BAR.1, ..at }, colour.text());
    }
    for bar in 1..=colour.bars() {
        let x = at.x + at.w - f64::from(bar) * BAR.0;
        drawing.fill(Area { x, w: BAR.1, ..at }, colour.text());
    }
    drawing.edge(at, BLACK, 0.15);
}

/// The room on a label that its QR code leaves.
pub fn beside_qr(job: &PrintJob, drawing: &mut Drawing, area: Area, pe: Option<u32>) -> Area {
    let pad = if job.layout.tape {
        Area { x: area.x + PAD, w: area.w - 2.0 * PAD, ..area }
    } else {
        area.inside(PAD)
    };
    let (module, side) = job.layout.qr;
    if let Some(code) = job.codes.as_ref().and_then(|codes| codes.node(pe?)) {
        let quiet = super::qr::QUIET * module;
        let at = (pad.x + pad.w - side + quiet, pad.y + (pad.h - side) / 2.0 + quiet);
        drawing.marks.push(Mark::Qr { at, module, code });
    }
    Area { w: pad.w - side, ..pad }
}
