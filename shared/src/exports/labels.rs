//! Wiring labels to print (LCPC paper, section 3.1): one a PE, with a patch for each NI in the colour of the cable that
//! belongs there, or two a cable, one for each end. Colour is never the only sign: each patch carries its switch's number,
//! the colour's name, a double triangle where the cable is transparent and bars where its colour comes again.
//!
//! Unless anything is chosen, `labels` is a page that the browser sets ([`flowing`]). Everything else is drawn at true size:
//! [`job`] decides how large labels and letters are, the same for all labels, or refuses before the first byte; a
//! [`Drawing`](draw::Drawing) holds one page at a time, which [`html`] and [`pdf`] write. Text is measured ([`font`]). What
//! identifies something is never cut: letters shrink down to [`job::LEAST`], and a sheet on which that is too large is
//! refused, with those that would do. Only the design's name is shortened, visibly.

mod cable;
mod calibration;
mod draw;
mod flowing;
mod font;
mod html;
mod job;
mod notes;
mod page;
mod pdf;
mod pe;
mod qr;
mod sheet;

pub(super) use sheet::{sheet, sheets};

use super::{DesignPlan, Format, HTML, Render, Written};
use std::fmt;

const SETTINGS: &[&str] = &["sheet", "palette", "qr", "of"];

/// Labels as a page to print.
pub const FORMAT: Format = Format {
    settings: SETTINGS,
    ..Format::new(
        "labels",
        "wiring labels to print: one a PE, with a colour patch for each NI, or one for each end of a cable",
        HTML,
        Render::Text(render),
    )
};

/// The same labels as a PDF file.
pub const PDF: Format = Format {
    settings: SETTINGS,
    ..Format::new(
        "labels-pdf",
        "the same labels as a PDF file at true size",
        ("application/pdf", "pdf"),
        Render::Bytes(pdf::render),
    )
};

fn render(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    let labels = &plan.settings.labels;
    let unchosen = super::Settings::default().labels;
    if labels.sheet == unchosen.sheet && labels.of == unchosen.of && labels.qr.is_none() {
        return flowing::render(plan, out);
    }
    html::render(plan, out)
}
