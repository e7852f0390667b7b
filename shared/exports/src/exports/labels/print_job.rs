//! Labels to print: their layout, the widest texts on them, and the lines beside them.

use super::{
    super::{
        DesignPlan, WriteResult,
        colours::{Colour, MAX_BARS, Palette},
        identifiers::Identifiers,
    },
    DATE, DIAMETER, LINK, LabelKind, OF, QR,
    draw::{BLACK, CAP, Drawing, Font, WHITE},
    font::Letters,
    qr::Codes,
    sheet::{Grid, Sheet},
};
use crate::text::{count, grouped, number};
use std::f64::consts::PI;

/// The least size of letters, in millimetres: 4.5 points. Numbers and names are larger by fixed factors.
pub const LEAST: f64 = 1.6;
/// Between a label's edge and what is on it.
pub const PAD: f64 = 1.2;

/// Labels that can be printed.
pub struct PrintJob<'a> {
    pub plan: &'a DesignPlan,
    pub letters: &'a dyn Letters,
    pub identifiers: Identifiers<'a>,
    pub palette: Palette,
    pub of: LabelKind,
    pub sheet: &'static Sheet,
    /// `true` if the printer has no colours: patches are white and their text is black.
    pub black: bool,
    pub codes: Option<Codes>,
    /// The design's name, as it can be printed.
    pub title: String,
    /// Date, revision and link of the wiring.
    pub origin: String,
    /// Notes above the labels.
    pub notes: Vec<String>,
    /// Notes below them.
    pub more: Vec<String>,
    pub texts: Texts,
    pub layout: Layout,
}

impl PrintJob<'_> {
    pub fn regular(&self, size: f64) -> Font<'_> {
        Font { letters: self.letters, size, bold: false, ink: BLACK }
    }

    pub fn bold(&self, size: f64) -> Font<'_> {
        Font { bold: true, ..self.regular(size) }
    }

    /// The colour of a switch's cables, as it is printed.
    pub fn colour(&self, switch: u32) -> Colour {
        let colour = self.palette.of(switch);
        if self.black { Colour { paint: WHITE, dark_text: true, ..colour } } else { colour }
    }
}

/// Positions of labels on a page, and sizes on them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layout {
    pub page: (f64, f64),
    pub grid: Grid,
    /// Size of small letters, in millimetres; the others are multiples.
    pub unit: f64,
    /// Side of a QR code's module with the code's quiet zone around it; 0 without.
    pub qr: (f64, f64),
    /// Rows of patches on a PE's label; lines of the names on a label of a cable.
    pub rows: u32,
    /// `true` if labels are cut along drawn lines.
    pub outlined: bool,
    /// `true` if each page is a label without room for notes beside it.
    pub alone: bool,
    /// `true` for tape: most printers print it in black only, so text is beside the colour.
    pub tape: bool,
}

/// The widest of what is written on labels, in sizes of its letters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Texts {
    /// Max NIs of a PE.
    pub nis: u32,
    pub pe: f64,
    pub place: f64,
    pub ni: f64,
    /// The switch's number or name, and how many times as high as small letters it is.
    pub number: f64,
    pub raised: f64,
    pub hue: f64,
    pub colour: f64,
    pub near: f64,
    pub far: f64,
    /// Names of both ends in one line; 0 where identifiers are names.
    pub names: f64,
    /// Names of one end and then the other in two lines.
    pub name: f64,
    /// Room for bars on a patch, in bars.
    pub bars: u32,
}

/// Rack position of a PE.
pub fn place(identifiers: &Identifiers, pe: u32) -> String {
    let end = identifiers.pe_end(pe, 0);
    end.rsplit_once(':').map_or(String::new(), |(place, _)| place.to_owned())
}

/// A colour as it is written into its patch, where triangles say that it is transparent.
pub fn hue(colour: &Colour) -> String {
    if colour.round > 1 { format!("{} ×{}", colour.hue, colour.round) } else { colour.hue.into() }
}

/// Notes on the labels of a wiring. `missing` characters of the design's name have no font.
pub fn notes(plan: &DesignPlan, palette: Palette, missing: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if plan.left_out() > 0 {
        notes.push(format!(
            "This wiring leaves {} of {} requested pairs uncovered",
            grouped(plan.left_out() as u64),
            grouped(plan.requested() as u64)
        ));
    }
    let (switches, round, noun) = (plan.design.switch_count(), palette.round(), plan.spec.switch_noun());
    if switches > round {
        let all = round * (MAX_BARS + 1);
        let mut note = format!(
            "{} share {round} colours. The second {noun} of a colour has ×2 and a bar, the third ×3, and so on.",
            count(switches.into(), noun)
        );
        if switches > all {
            note += &format!(
                "; from {noun} {} on, a broad bar marks all, and only the {} tells them apart",
                plan.names.switch_mark(all),
                plan.names.switch_sign()
            );
        }
        notes.push(note);
    }
    if palette.solids() < switches.min(round) {
        notes.push("two triangles mark transparent cables".into());
    }
    if missing > 0 {
        let characters = if missing == 1 { "1 character" } else { &format!("{missing} characters") };
        let have = if missing == 1 { "has" } else { "have" };
        notes.push(format!("{characters} shown as [U+…] {have} no font; --font FILE adds one"));
    }
    notes
}

/// Date, revision and link of a wiring, as far as they are known.
pub fn origin(plan: &DesignPlan) -> String {
    let given = |setting| plan.settings.given(setting).cloned();
    let known = [given(&DATE), Some(format!("wiring {}", plan.revision())), given(&LINK)];
    known.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// Length of a flag round its cable, which stays blank between both halves; 0 for other labels.
pub fn wrap(plan: &DesignPlan) -> f64 {
    if plan.settings.get(&OF) == LabelKind::Flag { PI * plan.settings.get(&DIAMETER) } else { 0.0 }
}

/// Notes on ports and QR codes.
pub fn more(plan: &DesignPlan, of: LabelKind) -> Vec<String> {
    let mut more = Vec::new();
    if of == LabelKind::Pe && !plan.has_only_cables() {
        more.push("the work list names the port of each cable".to_owned());
    }
    if of == LabelKind::Flag {
        let diameter = number(plan.settings.get(&DIAMETER));
        more.push(format!(
            "flags for cables of {diameter} mm: lay the ticks on the cable and stick both halves together"
        ));
    }
    if of != LabelKind::Calibration && plan.ports().any(|ports| ports.usable < ports.all) {
        more.push("leave the last ports of each switch empty (reserved)".into());
    }
    if of != LabelKind::Calibration && plan.settings.get(&QR) && plan.settings.given(&LINK).is_none() {
        more.push("no QR codes: this design has no link yet".into());
    }
    more
}

/// Writes pages.
pub trait Printer {
    /// Writes a page.
    fn page(&mut self, drawing: &Drawing) -> WriteResult;
}

/// Up to two lines above the labels and two below.
pub fn margin(job: &PrintJob, drawing: &mut Drawing, sheet: &str) {
    if job.layout.alone {
        return;
    }
    let (left, top) = job.layout.grid.first;
    let room = job.layout.page.0 - 2.0 * left;
    let font = job.regular(MARGIN_TEXT);
    let title = font.shortened(&job.title, room / 3.0);
    let mut said = vec![title, sheet.to_owned(), "print at 100 %".into()];
    said.extend(job.notes.iter().cloned());
    let above = two_lines(font, &said.join(" · "), room);
    for (line, step) in above.iter().rev().zip(0u32..) {
        drawing.text((left, top - 2.0 - f64::from(step) * MARGIN_TEXT * 1.25), font, line);
    }
    let bottom = top + job.layout.grid.height() + 2.0 + MARGIN_TEXT * CAP;
    // Links are never cut: they are set smaller.
    let size = MARGIN_TEXT * (room / font.width(&job.origin)).min(1.0);
    drawing.text((left, bottom), job.regular(size), &job.origin);
    let more = font.shortened(&job.more.join(" · "), room);
    drawing.text((left, bottom + MARGIN_TEXT * 1.25), font, more);
}

/// A text in up to two lines, the second of which may be shortened.
fn two_lines(font: Font, text: &str, room: f64) -> Vec<String> {
    let lines = font.wrapped(text, room);
    match lines.as_slice() {
        [first, second, third, ..] => {
            vec![first.clone(), font.shortened(&format!("{second} {third}"), room)]
        }
        _ => lines,
    }
}

/// Size of the letters above and below the labels.
const MARGIN_TEXT: f64 = 2.0;

/// Labels with text: on tape as long as others or as the longest word.
pub fn strips(job: &PrintJob, printer: &mut dyn Printer, drawing: &mut Drawing, text: &str) -> WriteResult {
    let font = job.regular(MARGIN_TEXT);
    let (long, high) = job.layout.page;
    let widest = text.split_whitespace().map(|word| font.width(word)).fold(0.0, f64::max);
    let long = if job.layout.tape { long.max(widest + 4.0) } else { long };
    let step = 1.2 * font.size;
    let rows = (job.layout.grid.size.1 / step).floor().max(1.0) as usize;
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
