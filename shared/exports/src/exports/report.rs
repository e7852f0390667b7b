//! The report: one PDF about a design, for the people who decide and for those who build. Page one has the verdict and the map;
//! then come the spec, the bounds with their proofs, all figures, the bill of materials, other networks, the cables and a label.

#[cfg(feature = "server")]
mod content;
#[cfg(feature = "server")]
mod flow;

use super::{
    Choice, Format, Group, PALETTE, Render, Setting, SettingOf,
    labels::{DATE, LINK},
};

#[cfg(not(feature = "server"))]
use super::on_server as render;
#[cfg(feature = "server")]
use content::render;

/// `true` for Letter instead of A4.
const PAPER: SettingOf<bool> = Setting::new("paper", "paper of the report")
    .choice("Paper", &[Choice::new("a4", "A4"), Choice::new("letter", "Letter")])
    .or("a4")
    .read(|text| Ok(text == "letter"));

pub(super) const FORMAT: Format = Format::new(
    Group::Share,
    "report",
    "Report",
    ("application/pdf", "pdf"),
    Render::Bytes(render),
)
.read_by(&["poppler 22.12"])
.recommended()
.purpose("report to read and print: verdict, map, bounds with proofs, figures, parts, prices, other networks")
.with(&[&PAPER, &PALETTE, &LINK, &DATE])
.with_fonts()
.of_any_wiring()
.all_pairs();
