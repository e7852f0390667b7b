//! Wiring labels to print (Dietz and Mattox 2000, section 3.1): one per node with a patch per NIC in the colour of its cable, or
//! one for each end of a cable, also as a flag. Colour is never the only sign: patches have the switch number, the colour's name,
//! a double triangle for a transparent cable, and bars for a repeated colour.
//!
//! There is one layout, at true size: [`fit`] decides on sizes, the same for all labels; a [`Drawing`](draw::Drawing) holds one
//! page at a time, which [`html`], [`pdf`] and [`zpl`] write. Identifiers are never cut: letters shrink down to [`print_job::LEAST`], or the sheet is
//! refused. Only the design's name is shortened.

mod cable;
mod calibration;
pub(super) mod draw;
#[cfg(feature = "server")]
pub(super) mod faces;
mod fit;
pub(super) mod font;
mod html;
mod page;
#[cfg(feature = "server")]
pub(super) mod pdf;
pub(super) mod pe;
pub(super) mod print_job;
mod qr;
mod sheet;
#[cfg(feature = "server")]
mod zpl;

#[cfg(feature = "server")]
pub use faces::check_font;
pub use qr::{QUIET as QUIET_MODULES, Qr};

use super::{Choice, Field, Format, Group, HTML, PALETTE, Render, Setting, SettingOf};
use crate::form::FieldKind;
use sheet::{ROLLS, SHEETS, Sheet, choices, named};

#[cfg(not(feature = "server"))]
use super::{on_server as render_pdf, on_server as render_zpl};
#[cfg(feature = "server")]
use pdf::render as render_pdf;
#[cfg(feature = "server")]
use zpl::render as render_zpl;

/// Number of different characters of a design's name that PDF files show as codes, because no font has them.
#[cfg(feature = "server")]
pub(super) fn missing_characters(plan: &super::DesignPlan) -> usize {
    font::Letters::printable(&faces::Faces::new(&plan.fonts), &plan.title()).1
}

const SHEET: SettingOf<&Sheet> =
    Setting::new("sheet", "paper, die-cut sheet or tape that labels are printed on")
        .field(Field::new("Sheet or tape", FieldKind::Listed(|| choices(SHEETS))))
        .or("paper")
        .read(|text| named(text, SHEETS).ok_or(None));

const ROLL: SettingOf<&Sheet> = Setting::new("roll", "labels or continuous stock in the label printer")
    .field(Field::new("Label stock", FieldKind::Listed(|| choices(ROLLS))))
    .or("51x25")
    .read(|text| named(text, ROLLS).ok_or(None));

const DPI: SettingOf<u32> = Setting::new("dpi", "resolution of the label printer, in dots per inch")
    .choice(
        "Resolution",
        &[
            Choice::new("203", "203 dots per inch (8 per mm)"),
            Choice::new("300", "300 dots per inch (11.8 per mm)"),
        ],
    )
    .or("203")
    .parsed();

/// `true` if each label has a QR code, as far as the link is known.
const QR: SettingOf<bool> =
    Setting::new("qr", "QR code on each label; it opens the node's page and needs the setting link")
        .choice(
            "QR code",
            &[Choice::new("node", "link of the node’s page"), Choice::new("none", "no QR code")],
        )
        .or("node")
        .read(|text| Ok(text == "node"));

pub(super) const LINK: SettingOf<String> = Setting::new(
    "link",
    "link to the saved design, printed on sheets and in QR codes; filled in automatically in the studio",
)
.syntax(
    "Link of the design",
    "an address such as https://studio.example.org/d/ID, up to 120 ASCII characters, without ? and #",
)
.hint("the saved design’s link")
.read(|text| address(text).ok_or(None));

/// Day of the export. Nothing here has a clock.
pub(super) const DATE: SettingOf<String> = Setting::new("date", "date on the sheets; today by default")
    .syntax("Date", "a date such as 2026-11-22")
    .hint("today")
    .read(|text| date(text).ok_or(None));

const OF: SettingOf<LabelKind> = Setting::new("of", "things to label; print the calibration page first")
    .choice(
        "Labels for",
        &[
            Choice::new("node", "nodes"),
            Choice::new("cable", "both ends of each cable"),
            Choice::new("flag", "both ends of each cable, as flags that wrap round it"),
            Choice::new("calibration", "a calibration page"),
        ],
    )
    .or("node")
    .older("pe", "node")
    .read(|text| {
        Ok(match text {
            "node" => LabelKind::Pe,
            "cable" => LabelKind::Cable,
            "flag" => LabelKind::Flag,
            _ => LabelKind::Calibration,
        })
    });

/// Outer diameter of cables, in millimetres.
const DIAMETER: SettingOf<f64> =
    Setting::new("diameter", "outer diameter of cables that flags wrap round, in mm")
        .field(Field::number("Cable diameter", 1.0, 50.0).unit("mm"))
        .or("6")
        .read(|text| text.parse().map(|mm: f64| (mm * 1000.0).round() / 1000.0).map_err(|_| None));

/// Things to label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LabelKind {
    /// Each PE, with all its NIs.
    Pe,
    /// Both ends of each cable.
    Cable,
    /// Both ends of each cable, twice each: a flag wraps round the cable, and its halves stick together back to back.
    Flag,
    /// Nothing: rulers, outlines of the labels and patches of the colours.
    Calibration,
}

impl LabelKind {
    /// `true` if each label is for one end of a cable.
    fn is_of_ends(self) -> bool {
        matches!(self, LabelKind::Cable | LabelKind::Flag)
    }
}

/// The address of a page, without a slash at its end.
fn address(text: &str) -> Option<String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    let plain = |c: char| c.is_ascii_graphic() && !"?#\"<>\\^`{|}".contains(c);
    let fits = text.len() <= 120 && rest.starts_with(|c: char| c != '/') && rest.chars().all(plain);
    fits.then(|| text.trim_end_matches('/').to_owned())
}

/// A date as in ISO 8601: year, month and day.
fn date(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return None };
    let number = |part: &str, digits: usize, most: u32| {
        let plain = part.len() == digits && part.bytes().all(|b| b.is_ascii_digit());
        part.parse().ok().filter(|number: &u32| plain && (1..=most).contains(number))
    };
    let year = number(year, 4, 9999)?;
    let days = match number(month, 2, 12)? {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    number(day, 2, days).map(|_| text.to_owned())
}

const SETTINGS: &[&Setting] = &[&SHEET, &OF, &DIAMETER, &PALETTE, &QR, &LINK, &DATE];

/// Labels as a page to print.
pub const FORMAT: Format = Format::new(
    Group::Rack,
    "labels",
    "Labels, web page",
    HTML,
    Render::Text(html::render),
)
.read_by(&["Chromium", "ZBar 0.23"])
.purpose(
    "wiring labels to print: one per node with a colour patch for each NIC, or one for each end of a cable",
)
.with(SETTINGS);

/// Labels as a PDF file.
pub const PDF: Format = Format::new(
    Group::Rack,
    "labels-pdf",
    "Labels, PDF",
    ("application/pdf", "pdf"),
    Render::Bytes(render_pdf),
)
.read_by(&["ZBar 0.23", "poppler 22.12"])
.recommended()
.purpose("wiring labels as a PDF file at true size")
.with_fonts()
.with(SETTINGS);

/// Labels for label printers.
pub const ZPL: Format = Format::new(
    Group::Rack,
    "labels-zpl",
    "Labels for Zebra printers",
    ("application/zpl", "zpl"),
    Render::Bytes(render_zpl),
)
.read_by(&["zebrafy 2.0", "ZBar 0.23"])
.purpose("wiring labels for Zebra label printers, in black: ZPL II with a graphic field per label")
.with_fonts()
.with(&[&ROLL, &DPI, &OF, &DIAMETER, &PALETTE, &QR, &LINK, &DATE]);
