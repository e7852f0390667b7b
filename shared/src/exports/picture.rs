//! Pictures of the wiring, as SVG and PNG. Up to [`MOST_PES`] PEs they show PEs, switches and every cable in the colour of its
//! label; of larger machines, where nobody could follow a line, the matrix of PEs and switches.

mod canvas;
mod font;
mod layout;
mod matrix;
mod png;
mod raster;
mod svg;

use super::{Bundle, ExportError, Format, Render};
use std::{fmt, io};

pub(super) const SVG: Format = Format {
    name: "svg",
    purpose: "a picture of the wiring to zoom into: cables in their colours, or a matrix of PEs and switches if it is large",
    media_type: "image/svg+xml",
    extension: "svg",
    per_pe: false,
    settings: &["palette"],
    render: Render::Text(svg),
};

pub(super) const PNG: Format = Format {
    name: "png",
    purpose: "the same picture in pixels, for slides and documents",
    media_type: "image/png",
    extension: "png",
    per_pe: false,
    settings: &["palette"],
    render: Render::Bytes(png),
};

/// Most PEs, cables and switches of a picture with lines.
const MOST_PES: u32 = 1024;
const MOST_CABLES: usize = 8192;
const MOST_SWITCHES: u32 = 256;

fn svg(bundle: &Bundle, _pe: Option<u32>, out: &mut dyn fmt::Write) -> Result<(), ExportError> {
    if has_lines(bundle) { svg::wiring(bundle, out) } else { matrix::svg(bundle, out) }
}

fn png(bundle: &Bundle, _pe: Option<u32>, out: &mut dyn io::Write) -> Result<(), ExportError> {
    let canvas = if has_lines(bundle) { raster::wiring(bundle) } else { matrix::canvas(bundle) };
    Ok(png::write(&canvas, out)?)
}

fn has_lines(bundle: &Bundle) -> bool {
    let design = &bundle.design;
    design.pes() <= MOST_PES && design.cables() <= MOST_CABLES && design.switch_count() <= MOST_SWITCHES
}

/// What stands above a picture.
fn heading(bundle: &Bundle) -> String {
    let (pes, switches, cables) = (bundle.pes(), bundle.design.switch_count(), bundle.design.cables());
    format!("{}: {pes} PEs, {switches} switches, {cables} cables", bundle.title())
}
