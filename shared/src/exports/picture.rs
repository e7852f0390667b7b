//! Pictures of the wiring as SVG and PNG: nodes, switches and coloured cables, or the matrix of nodes and switches of machines
//! that are too large for lines.

mod canvas;
mod layout;
mod matrix;
#[cfg(feature = "server")]
mod pen;
#[cfg(feature = "server")]
mod raster;
mod svg;

pub use canvas::write_png;
#[cfg(feature = "server")]
pub(super) use canvas::{Canvas, png};
pub use layout::Rows;
#[cfg(feature = "server")]
pub(super) use {layout::Point, pen::Style};

use super::{DesignPlan, Format, PALETTE, Render, Written};
use crate::text::grouped;
use canvas::Rgb;
use std::{fmt, io};

pub(super) const SVG: Format = Format::new("svg", ("image/svg+xml", "svg"), Render::Text(svg))
    .read_by(&["Chromium"])
    .purpose(
        "picture of the wiring: cables in their colours, or above 1,024 nodes a matrix of nodes and switches",
    )
    .of_any_wiring()
    .with(&[&PALETTE]);

pub(super) const PNG: Format = Format::new("png", ("image/png", "png"), Render::Bytes(pixels))
    .read_by(&["Chromium"])
    .purpose("the same picture in pixels, for slides and documents; a matrix already above 256 nodes")
    .with_fonts()
    .of_any_wiring()
    .with(&[&PALETTE]);

/// Max PEs, cables and switches of a picture with lines. Readers of SVG can enlarge it and search its text.
const MAX_PES: u32 = 1024;
const MAX_CABLES: usize = 8192;
const MAX_SWITCHES: u32 = 256;
/// Max PEs of a picture in pixels with lines. With more, either names or cables are too small to read.
#[cfg(feature = "server")]
const MAX_PES_IN_PIXELS: u32 = 256;

#[cfg(feature = "server")]
const PAPER: Rgb = [0xf4, 0xf6, 0xf8];
#[cfg(feature = "server")]
const INK: Rgb = [0x16, 0x1a, 0x1e];
/// Edge of what is too pale for the paper.
const OUTLINE: Rgb = [0x8a, 0x92, 0x9a];
/// Font size of headings.
const HEADING: f64 = 16.0;

fn svg(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    if has_lines(plan) { svg::wiring(plan, out) } else { matrix::svg(plan, out) }
}

#[cfg(feature = "server")]
fn pixels(plan: &DesignPlan, _: u32, out: &mut dyn io::Write) -> Written {
    Ok(canvas::png(&in_pixels(plan), out)?)
}

/// Refuses: the browser has no fonts, and downloads pictures in pixels from the server.
#[cfg(not(feature = "server"))]
fn pixels(_: &DesignPlan, _: u32, _: &mut dyn io::Write) -> Written {
    Err(super::ExportError::NoText(PNG.name))
}

/// The picture in pixels.
#[cfg(feature = "server")]
pub(super) fn in_pixels(plan: &DesignPlan) -> Canvas {
    let has_lines = plan.pes() <= MAX_PES_IN_PIXELS && has_lines(plan);
    if has_lines { raster::wiring(plan) } else { matrix::canvas(plan) }
}

fn has_lines(plan: &DesignPlan) -> bool {
    let design = &plan.design;
    design.pes() <= MAX_PES && design.cables() <= MAX_CABLES && design.switch_count() <= MAX_SWITCHES
}

/// Heading of a picture.
fn heading(plan: &DesignPlan) -> String {
    let [pes, switches, cables] =
        [plan.pes().into(), plan.design.switch_count().into(), plan.design.cables() as u64].map(grouped);
    format!("{}: {pes} nodes, {switches} switches, {cables} cables", plan.title())
}
