//! Wiring labels to print (LCPC paper, section 3.1): one per node with a patch per NIC in the colour of its cable, or one for each
//! end of a cable, also as a flag. Colour is never the only sign: patches have the switch number, the colour's name, a double triangle for a
//! transparent cable, and bars for a repeated colour.
//!
//! There is one layout, at true size: [`fit`] decides on sizes, the same for all labels; a [`Drawing`](draw::Drawing) holds one
//! page at a time, which [`html`], [`pdf`] and [`zpl`] write. Identifiers are never cut: letters shrink down to [`job::LEAST`], or the sheet is
//! refused. Only the design's name is shortened.

mod cable;
mod calibration;
pub(super) mod draw;
#[cfg(feature = "server")]
pub(super) mod faces;
mod fit;
pub(super) mod font;
mod html;
pub(super) mod job;
mod page;
#[cfg(feature = "server")]
pub(super) mod pdf;
pub(super) mod pe;
mod qr;
mod sheet;
#[cfg(feature = "server")]
mod zpl;

#[cfg(feature = "server")]
pub use faces::check_font;
pub use qr::{QUIET as QUIET_MODULES, Qr};
pub(super) use sheet::{ROLLS, SHEETS, known, rolls, sheets};

use super::{DesignPlan, Format, HTML, Render, Written};
use std::fmt;

#[cfg(feature = "server")]
use pdf::render as render_pdf;
#[cfg(feature = "server")]
use zpl::render as render_zpl;

/// Number of different characters of a design's name that PDF files show as codes, because no font has them.
#[cfg(feature = "server")]
pub(super) fn missing_characters(plan: &DesignPlan) -> usize {
    font::Letters::printable(&faces::Faces::new(&plan.fonts), &plan.title()).1
}

/// Refuses: the browser downloads PDF files from the server.
#[cfg(not(feature = "server"))]
fn render_pdf(_: &DesignPlan, _: u32, _: &mut dyn std::io::Write) -> Written {
    Err(super::ExportError::NoText(PDF.name))
}

/// Refuses: the browser has no fonts.
#[cfg(not(feature = "server"))]
fn render_zpl(_: &DesignPlan, _: u32, _: &mut dyn std::io::Write) -> Written {
    Err(super::ExportError::NoText(ZPL.name))
}

const SETTINGS: &[&str] = &["sheet", "of", "diameter", "palette", "qr", "link", "date"];

/// Labels as a page to print.
pub const FORMAT: Format = Format::new("labels", HTML, Render::Text(render))
    .read_by(&["Chromium", "ZBar 0.23"])
    .purpose("wiring labels to print: one per node with a colour patch for each NIC, or one for each end of a cable")
    .with(SETTINGS);

/// The same labels as a PDF file.
pub const PDF: Format = Format::new("labels-pdf", ("application/pdf", "pdf"), Render::Bytes(render_pdf))
    .read_by(&["ZBar 0.23", "poppler 22.12"])
    .purpose("the same labels as a PDF file at true size")
    .with(SETTINGS);

/// The same labels for label printers.
pub const ZPL: Format = Format::new("labels-zpl", ("application/zpl", "zpl"), Render::Bytes(render_zpl))
    .read_by(&["zebrafy 2.0", "ZBar 0.23"])
    .purpose("the same labels for Zebra label printers, in black: ZPL II with a graphic field per label")
    .with(&["roll", "dpi", "of", "diameter", "palette", "qr", "link", "date"]);

fn render(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    html::render(plan, out)
}
