//! Pages for label printers: ZPL II with one graphic field per label, in the dots of the printer (Zebra, "ZPL II Programming Guide").
//!
//! Every mark becomes black dots, so labels need no fonts of the printer and look as in PDF files. QR codes have modules of whole
//! dots. Continuous stock runs along its labels, so they are turned by 90°.

use super::{
    super::{
        DesignPlan, WriteResult,
        picture::{Canvas, Point, Style},
    },
    DPI,
    draw::{Area, CAP, Drawing, Mark, WHITE},
    faces::Faces,
    page::print,
    print_job::{PrintJob, Printer},
    qr::Qr,
};
use std::io;

/// Dots per millimetre of printers with 203 dots per inch, and of those with 300.
const DOTS_203: f64 = 8.0;
const DOTS_300: f64 = 300.0 / 25.4;
/// Dots that are darker are black. Strokes of small letters are about one dot wide and would break at the middle, 128.
const DARK: u8 = 160;

/// Writes the labels.
pub fn render(plan: &DesignPlan, _: u32, out: &mut dyn io::Write) -> WriteResult {
    let faces = Faces::new(&plan.fonts);
    let dots = if plan.settings.get(&DPI) == 300 { DOTS_300 } else { DOTS_203 };
    let job = PrintJob::for_roll(plan, &faces, dots)?;
    let mut labels = Labels { out, faces: &faces, dots, is_continuous: job.layout.tape };
    print(&job, &mut labels)
}

struct Labels<'a> {
    out: &'a mut dyn io::Write,
    faces: &'a Faces<'a>,
    /// Dots per millimetre.
    dots: f64,
    is_continuous: bool,
}

impl Printer for Labels<'_> {
    fn page(&mut self, drawing: &Drawing) -> WriteResult {
        let canvas = self.canvas(drawing);
        let bits = if self.is_continuous { Bits::turned(&canvas) } else { Bits::of(&canvas) };
        // Label printers with a gap sensor find the labels by their gaps.
        let tracking = if self.is_continuous { "^MNN" } else { "" };
        let (width, height) = (bits.width, bits.rows.len());
        let each = width.div_ceil(8);
        let total = each * height;
        write!(self.out, "^XA{tracking}^PW{width}^LL{height}^LH0,0\n^FO0,0^GFA,{total},{total},{each},")?;
        self.out.write_all(bits.compressed().as_bytes())?;
        Ok(self.out.write_all(b"^FS\n^XZ\n")?)
    }
}

impl Labels<'_> {
    fn canvas(&self, drawing: &Drawing) -> Canvas {
        let size = |length: f64| (length * self.dots).round() as usize;
        let mut canvas = Canvas::new(size(drawing.width), size(drawing.height), [255; 3]);
        for mark in &drawing.marks {
            self.draw(&mut canvas, mark);
        }
        canvas
    }

    fn draw(&self, canvas: &mut Canvas, mark: &Mark) {
        let dots = self.dots;
        let point = |(x, y): (f64, f64)| Point { x: x * dots, y: y * dots };
        match mark {
            Mark::Fill { area, ink } => {
                canvas.fill(area.x * dots, area.y * dots, area.w * dots, area.h * dots, black(ink));
            }
            Mark::Edge { area, ink, line } => self.edge(canvas, *area, *line, black(ink)),
            Mark::Line { from, to, line } => {
                canvas.line(point(*from), point(*to), (line * dots).max(1.0), [0; 3]);
            }
            Mark::Triangle { corners, ink } => canvas.triangle(corners.map(point), black(ink)),
            Mark::Text { at, size, bold, ink, text } => {
                let size = size * dots;
                // A baseline between two rows of dots is sharp.
                let middle = (at.1 * dots).round() - CAP / 2.0 * size;
                let style = Style { size, bold: *bold, colour: black(ink) };
                canvas.printable_text(self.faces, text, (at.0 * dots, middle), style);
            }
            Mark::Qr { at, module, code } => self.qr(canvas, *at, *module, code),
            // Only reports have pictures.
            Mark::Picture { .. } => {}
        }
    }

    fn edge(&self, canvas: &mut Canvas, area: Area, line: f64, ink: [u8; 3]) {
        let dot = |length: f64| (length * self.dots).round();
        let line = dot(line).max(1.0);
        let (left, top) = (dot(area.x), dot(area.y));
        let (right, bottom) = (dot(area.x + area.w), dot(area.y + area.h));
        canvas.fill(left, top, right - left, line, ink);
        canvas.fill(left, bottom - line, right - left, line, ink);
        canvas.fill(left, top, line, bottom - top, ink);
        canvas.fill(right - line, top, line, bottom - top, ink);
    }

    /// A code in the middle of its place, with modules of whole dots.
    fn qr(&self, canvas: &mut Canvas, at: (f64, f64), module: f64, code: &Qr) {
        // What a module of four dots lacks of them is an error of rounding.
        let whole = (module * self.dots + 1e-6).floor();
        let smaller = (module * self.dots - whole) * code.side() as f64 / 2.0;
        let (left, top) = ((at.0 * self.dots + smaller).round(), (at.1 * self.dots + smaller).round());
        for (x, y, long) in code.runs() {
            let (x, y) = (left + x as f64 * whole, top + y as f64 * whole);
            canvas.fill(x, y, long as f64 * whole, whole, [0; 3]);
        }
    }
}

/// Ink of a printer that has black only.
fn black(ink: &str) -> [u8; 3] {
    if ink == WHITE { [255; 3] } else { [0; 3] }
}

/// Dots of a label, row by row; `true` is black.
struct Bits {
    width: usize,
    rows: Vec<Vec<bool>>,
}

impl Bits {
    fn of(canvas: &Canvas) -> Bits {
        let is_black = |pixel: &[u8]| pixel[0] < DARK;
        let row = |row: &[u8]| row.chunks_exact(3).map(is_black).collect();
        Bits { width: canvas.width, rows: canvas.pixels.chunks_exact(3 * canvas.width).map(row).collect() }
    }

    /// Turns the bits by 90° clockwise: the first column, from the bottom up, becomes the first row.
    fn turned(canvas: &Canvas) -> Bits {
        let upright = Bits::of(canvas);
        let row = |column: usize| upright.rows.iter().rev().map(|row| row[column]).collect();
        Bits { width: upright.rows.len(), rows: (0..upright.width).map(row).collect() }
    }

    /// Digits of the graphic field, with the short forms of the guide: `G` to `Y` repeat a digit 1 to 19 times, `g` to `z` 20 to 400
    /// times, a comma ends a row of white dots, and a colon repeats the row above.
    fn compressed(&self) -> String {
        let mut field = String::new();
        let mut above: Option<&Vec<bool>> = None;
        for row in &self.rows {
            if above == Some(row) {
                field.push(':');
                continue;
            }
            above = Some(row);
            let mut digits: Vec<u32> = row
                .chunks(4)
                .map(|four| (0..4).fold(0, |digit, bit| 2 * digit + u32::from(four.get(bit) == Some(&true))))
                .collect();
            digits.resize(2 * self.width.div_ceil(8), 0);
            let end = digits.iter().rposition(|&digit| digit != 0).map_or(0, |last| last + 1);
            for run in digits[..end].chunk_by(|one, next| one == next) {
                push_run(&mut field, run[0], run.len());
            }
            if end < digits.len() {
                field.push(',');
            }
        }
        field
    }
}

/// Writes a digit that many times.
fn push_run(field: &mut String, digit: u32, mut times: usize) {
    let letter = |first: u8, number: usize| char::from(first + number as u8 - 1);
    let digit = char::from_digit(digit, 16).unwrap_or('0').to_ascii_uppercase();
    while times > 0 {
        let now = times.min(419);
        if now / 20 > 0 {
            field.push(letter(b'g', now / 20));
        }
        if !now.is_multiple_of(20) && now > 1 {
            field.push(letter(b'G', now % 20));
        }
        field.push(digit);
        times -= now;
    }
}
