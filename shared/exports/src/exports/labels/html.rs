//! Pages as HTML: an SVG picture per page, with text that the browser fits into measured lengths.

use super::{
    super::{DesignPlan, WriteResult, escape::markup},
    LabelKind,
    draw::{Area, Drawing, Mark},
    font::{Helvetica, Letters},
    page::print,
    print_job::{PrintJob, Printer},
    qr::Qr,
    sheet::SHEETS,
};
use crate::text::trimmed;
#[cfg(feature = "server")]
use base64::{Engine, engine::general_purpose::STANDARD};
use std::fmt;

const STYLE: &str = include_str!("../assets/sheet.css");

/// Writes the document.
pub fn render(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let job = PrintJob::of(plan, &Helvetica)?;
    let title = markup(&job.title);
    let (wide, high) = job.layout.page;
    // What fits A4 and Letter takes the printer's paper.
    let any = job.sheet.name == SHEETS[0].name;
    let size = if any { String::new() } else { format!("size: {}mm {}mm; ", number(wide), number(high)) };
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Labels: {title}</title>\n<style>\n@page {{ {size}margin: 0; }}\n{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<h1>Labels: {title}</h1>\n<p>For {}. Print at 100 %, without margins and with background colours. Print the \
         calibration page first.</p>\n",
        markup(job.sheet.what)
    )?;
    if job.of == LabelKind::Pe {
        let to = if plan.has_only_cables() { "node with a patch" } else { "switch" };
        writeln!(
            out,
            "<p>Each patch is one NIC, NIC 0 first. Plug in a cable of that colour. Its other end goes to the {to} of that \
             {}.</p>",
            plan.names.switch_sign()
        )?;
    }
    for note in job.notes.iter().chain(&job.more) {
        writeln!(out, "<p class=\"note\">{}.</p>", markup(&capital(note)))?;
    }
    out.write_str("</header>\n<main>\n")?;
    let mut pages = Pages { out, printed: 0 };
    print(&job, &mut pages)?;
    Ok(out.write_str("</main>\n</body>\n</html>\n")?)
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

struct Pages<'a> {
    out: &'a mut dyn fmt::Write,
    printed: u64,
}

impl Printer for Pages<'_> {
    fn page(&mut self, drawing: &Drawing) -> WriteResult {
        self.printed += 1;
        let (wide, high) = (number(drawing.width), number(drawing.height));
        write!(
            self.out,
            "<section class=\"sheet\"><svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{wide}mm\" height=\"{high}mm\" \
             viewBox=\"0 0 {wide} {high}\" role=\"group\" aria-label=\"Sheet {}\">",
            self.printed
        )?;
        for mark in &drawing.marks {
            self.mark(mark)?;
        }
        Ok(self.out.write_str("</svg></section>\n")?)
    }
}

impl Pages<'_> {
    fn mark(&mut self, mark: &Mark) -> fmt::Result {
        let out = &mut *self.out;
        match mark {
            Mark::Fill { area, ink } => write!(out, "<rect {} fill=\"{ink}\"/>", rectangle(area)),
            Mark::Edge { area, ink, line } => {
                write!(
                    out,
                    "<rect {} fill=\"none\" stroke=\"{ink}\" stroke-width=\"{line}\"/>",
                    rectangle(area)
                )
            }
            Mark::Line { from, to, line } => write!(
                out,
                "<path d=\"M{} {}L{} {}\" stroke=\"#000000\" stroke-width=\"{line}\"/>",
                number(from.0),
                number(from.1),
                number(to.0),
                number(to.1)
            ),
            Mark::Triangle { corners: [a, b, c], ink } => write!(
                out,
                "<path d=\"M{} {}L{} {}L{} {}z\" fill=\"{ink}\"/>",
                number(a.0),
                number(a.1),
                number(b.0),
                number(b.1),
                number(c.0),
                number(c.1)
            ),
            Mark::Text { at, size, bold, ink, text } => self.text(*at, (*size, *bold), ink, text),
            #[cfg(feature = "server")]
            Mark::Picture { area, canvas } => {
                let mut file = Vec::new();
                super::super::picture::png(canvas, &mut file).map_err(|_| fmt::Error)?;
                write!(
                    out,
                    "<image {} href=\"data:image/png;base64,{}\"/>",
                    rectangle(area),
                    STANDARD.encode(file)
                )
            }
            Mark::Qr { at, module, code } => self.qr(*at, *module, code),
        }
    }

    fn text(&mut self, at: (f64, f64), (size, bold): (f64, bool), ink: &str, text: &str) -> fmt::Result {
        write!(
            self.out,
            "<text x=\"{}\" y=\"{}\" font-size=\"{}\"",
            number(at.0),
            number(at.1),
            number(size)
        )?;
        if bold {
            self.out.write_str(" font-weight=\"700\"")?;
        }
        if ink != super::draw::BLACK {
            write!(self.out, " fill=\"{ink}\"")?;
        }
        // What Helvetica lacks has been measured as squares, into which narrower scripts are not to be stretched.
        if text.chars().all(|c| Helvetica.advance(c, bold).is_some()) {
            let length = number(Helvetica.width(text, bold) * size);
            write!(self.out, " textLength=\"{length}\" lengthAdjust=\"spacingAndGlyphs\"")?;
        }
        write!(self.out, ">{}</text>", markup(text))
    }

    /// Rows of dark modules as lines one module wide.
    fn qr(&mut self, at: (f64, f64), module: f64, code: &Qr) -> fmt::Result {
        let (x, y, scale) = (number(at.0), number(at.1), format!("{module:.5}"));
        write!(
            self.out,
            "<path class=\"qr\" transform=\"translate({x} {y}) scale({scale})\" stroke=\"#000\" d=\""
        )?;
        let mut pen = None;
        for (x, y, long) in code.runs() {
            match pen {
                Some((end, row)) if row == y => write!(self.out, "m{} 0", x - end)?,
                _ => write!(self.out, "M{x} {y}.5")?,
            }
            write!(self.out, "h{long}")?;
            pen = Some((x + long, y));
        }
        self.out.write_str("\"/>")
    }
}

fn rectangle(area: &Area) -> String {
    let Area { x, y, w, h } = *area;
    format!("x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", number(x), number(y), number(w), number(h))
}

/// Thousandths of a millimetre, without zeros at the end.
fn number(value: f64) -> String {
    trimmed(&format!("{value:.3}")).into()
}
