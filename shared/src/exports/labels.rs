//! Wiring labels to print (LCPC paper, section 3.1): one per node with a patch per NIC in the colour of its cable, or one for each
//! end of a cable. Colour is never the only sign: patches have the switch number, the colour's name, a double triangle for a
//! transparent cable, and bars for a repeated colour.
//!
//! By default `labels` is a page that the browser lays out ([`flowing`]). Everything else is drawn at true size: [`fit`] decides on
//! sizes, the same for all labels; a [`Drawing`](draw::Drawing) holds one page at a time, which [`html`] and [`pdf`] write.
//! Identifiers are never cut: letters shrink down to [`job::LEAST`], or the sheet is refused. Only the design's name is shortened.

mod cable;
mod calibration;
mod draw;
mod fit;
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
        "wiring labels to print: one per node with a colour patch for each NIC, or one for each end of a cable",
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
