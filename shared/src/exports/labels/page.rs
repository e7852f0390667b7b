//! Pages of labels, one after the other.

use super::{
    super::ExportError,
    Of,
    cable::{self, Cable},
    calibration,
    draw::{Area, Drawing, Font, GREY},
    pe,
    plan::Plan,
};
use crate::text::grouped;

/// What pages are written by.
pub trait Printer {
    /// Writes a page.
    fn page(&mut self, drawing: &Drawing) -> Result<(), ExportError>;
}

/// Draws every page. One is held at a time.
pub fn print(plan: &Plan, printer: &mut dyn Printer) -> Result<(), ExportError> {
    let mut drawing = Drawing::default();
    match plan.of {
        Of::Calibration => calibration::print(plan, printer, &mut drawing),
        Of::Pe => {
            said_first(plan, printer, &mut drawing)?;
            let cells = plan.layout.grid.cells();
            let each = u64::from(plan.bundle.pes());
            sheets(plan, printer, &mut drawing, &cells, (0..plan.bundle.pes(), each), |drawing, cell, pe| {
                outline(plan, drawing, *cell);
                let area = pe::beside_qr(plan, drawing, *cell);
                pe::draw(plan, drawing, area, pe);
            })
        }
        Of::Cable => {
            said_first(plan, printer, &mut drawing)?;
            let pairs = plan.layout.grid.pairs();
            let (bundle, count) = (plan.bundle, plan.bundle.design.cables() as u64);
            let cables = (0..bundle.pes())
                .flat_map(|pe| (0u32..).zip(bundle.nis.of(pe)).map(move |(ni, &switch)| (pe, ni, switch)));
            sheets(plan, printer, &mut drawing, &pairs, (cables, count), |drawing, pair, ends| {
                both_ends(plan, drawing, pair, ends);
            })
        }
    }
}

/// The labels of both ends of a cable.
fn both_ends(plan: &Plan, drawing: &mut Drawing, pair: &[Area; 2], ends: (u32, u32, u32)) {
    let cable = Cable::of(plan.bundle, &plan.identifiers, ends);
    for (cell, ends) in pair.iter().zip([(&cable.pe, &cable.switch), (&cable.switch, &cable.pe)]) {
        outline(plan, drawing, *cell);
        let area = pe::beside_qr(plan, drawing, *cell);
        cable::draw(plan, drawing, area, &cable, ends);
    }
    if plan.layout.tape {
        let cut = pair[1];
        drawing.line((cut.x, cut.y), (cut.x, cut.y + cut.h), 0.15);
    }
}

fn outline(plan: &Plan, drawing: &mut Drawing, cell: Area) {
    if plan.layout.outlined {
        drawing.edge(cell, GREY, 0.1);
    }
}

/// Puts one thing after the other into the places of sheets.
fn sheets<P, T>(
    plan: &Plan,
    printer: &mut dyn Printer,
    drawing: &mut Drawing,
    places: &[P],
    (things, count): (impl Iterator<Item = T>, u64),
    mut draw: impl FnMut(&mut Drawing, &P, T),
) -> Result<(), ExportError> {
    let each = places.len().max(1);
    let total = count.div_ceil(each as u64);
    let mut sheet = 0;
    let mut things = things.peekable();
    while things.peek().is_some() {
        sheet += 1;
        drawing.begin(plan.layout.page);
        margin(plan, drawing, &format!("sheet {} of {}", grouped(sheet), grouped(total)));
        for (place, thing) in places.iter().zip(things.by_ref().take(each)) {
            draw(drawing, place, thing);
        }
        printer.page(drawing)?;
    }
    Ok(())
}

/// The lines above the labels: one, or two where notes need them.
pub fn margin(plan: &Plan, drawing: &mut Drawing, sheet: &str) {
    if plan.layout.tape {
        return;
    }
    let (left, top) = plan.layout.grid.first;
    let room = plan.layout.page.0 - 2.0 * left;
    let font = Font::regular(MARGIN_TEXT);
    let title = font.shortened(&plan.title, room / 3.0);
    let mut said = vec![title, sheet.to_owned(), "print at 100 %".into()];
    said.extend(plan.notes.iter().cloned());
    let said = said.join(" · ");
    let lines = font.wrapped(&said, room);
    let lines = match lines.as_slice() {
        [first, second, third, ..] => vec![first.clone(), font.shortened(&format!("{second} {third}"), room)],
        _ => lines,
    };
    for (line, above) in lines.iter().rev().zip(0u32..) {
        drawing.text((left, top - 2.0 - f64::from(above) * MARGIN_TEXT * 1.25), font, line);
    }
}

/// Size of the letters above the labels.
const MARGIN_TEXT: f64 = 2.0;

/// On tape, which has no margins, notes are strips of their own.
fn said_first(plan: &Plan, printer: &mut dyn Printer, drawing: &mut Drawing) -> Result<(), ExportError> {
    if !plan.layout.tape || plan.notes.is_empty() {
        return Ok(());
    }
    let said: Vec<&str> = std::iter::once(&plan.title).chain(&plan.notes).map(String::as_str).collect();
    strips(plan, printer, drawing, &said.join(" · "))
}

/// Strips of tape with text, as long as labels.
pub fn strips(
    plan: &Plan,
    printer: &mut dyn Printer,
    drawing: &mut Drawing,
    text: &str,
) -> Result<(), ExportError> {
    let font = Font::regular(MARGIN_TEXT);
    let (long, high) = plan.layout.page;
    let step = 1.2 * font.size;
    let rows = (plan.layout.grid.size.1 / step).floor().max(1.0) as usize;
    for lines in font.wrapped(text, long - 4.0).chunks(rows) {
        drawing.begin((long, high));
        let mut y = (high - lines.len() as f64 * step) / 2.0 + font.size;
        for line in lines {
            drawing.text((2.0, y), font, line);
            y += step;
        }
        printer.page(drawing)?;
    }
    Ok(())
}
