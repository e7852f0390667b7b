//! Pages of labels, one after the other.

use super::{
    super::WriteResult,
    LabelKind,
    cable::{self, Cable},
    calibration,
    draw::{Area, Drawing, GREY},
    pe,
    print_job::{PrintJob, Printer, margin, strips, wrap},
};
use crate::text::grouped;

/// Draws every page. One is held at a time.
pub fn print(job: &PrintJob, printer: &mut dyn Printer) -> WriteResult {
    let mut drawing = Drawing::default();
    match job.of {
        LabelKind::Calibration => calibration::print(job, printer, &mut drawing),
        LabelKind::Pe => {
            said_first(job, printer, &mut drawing)?;
            let cells = job.layout.grid.cells();
            let each = u64::from(job.plan.pes());
            sheets(job, printer, &mut drawing, &cells, (0..job.plan.pes(), each), |drawing, cell, pe| {
                outline(job, drawing, *cell);
                let area = pe::beside_qr(job, drawing, *cell, Some(pe));
                pe::draw(job, drawing, area, pe);
            })
        }
        LabelKind::Cable | LabelKind::Flag => {
            said_first(job, printer, &mut drawing)?;
            let pairs = job.layout.grid.pairs();
            let (plan, uplinks) = (job.plan, Cable::uplinks(job.plan, &job.identifiers));
            let count = (plan.cable_count() + uplinks.len()) as u64;
            let cables = plan.cables().map(|cable| Cable::of(plan, &job.identifiers, cable)).chain(uplinks);
            if job.layout.alone && !job.layout.tape {
                let ends = cables.flat_map(|cable| [(cable.clone(), false), (cable, true)]);
                let cells = job.layout.grid.cells();
                return sheets(
                    job,
                    printer,
                    &mut drawing,
                    &cells,
                    (ends, 2 * count),
                    |drawing, cell, end| {
                        one_end(job, drawing, *cell, (&end.0, end.1));
                    },
                );
            }
            sheets(job, printer, &mut drawing, &pairs, (cables, count), |drawing, pair, cable| {
                both_ends(job, drawing, pair, &cable);
            })
        }
    }
}

/// The labels of both ends of a cable.
fn both_ends(job: &PrintJob, drawing: &mut Drawing, pair: &[Area; 2], cable: &Cable) {
    for (cell, at_switch) in pair.iter().zip([false, true]) {
        one_end(job, drawing, *cell, (cable, at_switch));
    }
    if job.layout.tape {
        let cut = pair[1];
        drawing.line((cut.x, cut.y), (cut.x, cut.y + cut.h), 0.15);
    }
}

/// The label of one end of a cable.
fn one_end(job: &PrintJob, drawing: &mut Drawing, cell: Area, (cable, at_switch): (&Cable, bool)) {
    let (pe, switch) = (&cable.pe, &cable.switch);
    let ends = if at_switch { (switch, pe) } else { (pe, switch) };
    outline(job, drawing, cell);
    for side in sides(job, drawing, cell) {
        let area = pe::beside_qr(job, drawing, side, cable.of);
        cable::draw(job, drawing, area, cable, ends);
    }
}

/// The parts of a label that have its text: all of it, or both halves of a flag, with ticks where the cable lies. Lines of text run
/// away from the cable or towards it, so both halves are upright to readers who turn the flag about the cable.
fn sides(job: &PrintJob, drawing: &mut Drawing, cell: Area) -> Vec<Area> {
    if job.of != LabelKind::Flag {
        return vec![cell];
    }
    let w = (cell.w - wrap(job.plan)) / 2.0;
    let (middle, bottom) = (cell.x + cell.w / 2.0, cell.y + cell.h);
    drawing.line((middle, cell.y), (middle, cell.y + TICK), 0.15);
    drawing.line((middle, bottom - TICK), (middle, bottom), 0.15);
    vec![Area { w, ..cell }, Area { x: cell.x + cell.w - w, w, ..cell }]
}

/// Length of the ticks on flags.
const TICK: f64 = 1.0;

fn outline(job: &PrintJob, drawing: &mut Drawing, cell: Area) {
    if job.layout.outlined {
        drawing.edge(cell, GREY, 0.1);
    }
}

/// Puts one thing after the other into the places of sheets.
fn sheets<P, T>(
    job: &PrintJob,
    printer: &mut dyn Printer,
    drawing: &mut Drawing,
    places: &[P],
    (things, count): (impl Iterator<Item = T>, u64),
    mut draw: impl FnMut(&mut Drawing, &P, T),
) -> WriteResult {
    let each = places.len().max(1);
    let total = count.div_ceil(each as u64);
    let mut sheet = 0;
    let mut things = things.peekable();
    while things.peek().is_some() {
        sheet += 1;
        drawing.begin(job.layout.page);
        margin(job, drawing, &format!("sheet {} of {}", grouped(sheet), grouped(total)));
        for (place, thing) in places.iter().zip(things.by_ref().take(each)) {
            draw(drawing, place, thing);
        }
        printer.page(drawing)?;
    }
    Ok(())
}

/// On tape and in label printers, which have no margins, all that is beside labels is on labels of its own.
fn said_first(job: &PrintJob, printer: &mut dyn Printer, drawing: &mut Drawing) -> WriteResult {
    if !job.layout.alone {
        return Ok(());
    }
    let said = [&job.title, &job.origin].into_iter().chain(&job.notes).chain(&job.more);
    strips(job, printer, drawing, &said.map(String::as_str).collect::<Vec<_>>().join(" · "))
}
