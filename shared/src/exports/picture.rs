//! Pictures of the wiring as SVG and PNG: nodes, switches and coloured cables, or the matrix of nodes and switches of machines
//! that are too large for lines.

mod canvas;
mod layout;
mod matrix;
mod raster;
mod svg;

pub use canvas::write_png;
#[cfg(feature = "pdf")]
pub(super) use canvas::{Canvas, png};
pub use layout::Rows;

use super::{DesignPlan, Format, Render, Written};
use std::{fmt, io};

pub(super) const SVG: Format = Format::new("svg", ("image/svg+xml", "svg"), Render::Text(svg))
    .read_by(&["Chromium"])
    .purpose("picture of the wiring: cables in their colours, or for large machines a matrix of nodes and switches")
    .with(&["palette"]);

pub(super) const PNG: Format = Format::new("png", ("image/png", "png"), Render::Bytes(pixels))
    .purpose("the same picture in pixels, for slides and documents")
    .with(&["palette"]);

/// Max PEs, cables and switches of a picture with lines.
const MAX_PES: u32 = 1024;
const MAX_CABLES: usize = 8192;
const MAX_SWITCHES: u32 = 256;

fn svg(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    if has_lines(plan) { svg::wiring(plan, out) } else { matrix::svg(plan, out) }
}

fn pixels(plan: &DesignPlan, _: u32, out: &mut dyn io::Write) -> Written {
    let canvas = if has_lines(plan) { raster::wiring(plan) } else { matrix::canvas(plan) };
    Ok(canvas::png(&canvas, out)?)
}

/// Max PEs of a picture with lines that is legible on a page.
#[cfg(feature = "pdf")]
const MAX_PES_OF_PAGE: u32 = 256;

/// The picture for a page: with lines as long as they are legible there.
#[cfg(feature = "pdf")]
pub(super) fn on_page(plan: &DesignPlan) -> Canvas {
    let has_lines = plan.pes() <= MAX_PES_OF_PAGE && has_lines(plan);
    if has_lines { raster::wiring(plan) } else { matrix::canvas(plan) }
}

fn has_lines(plan: &DesignPlan) -> bool {
    let design = &plan.design;
    design.pes() <= MAX_PES && design.cables() <= MAX_CABLES && design.switch_count() <= MAX_SWITCHES
}

/// Heading of a picture.
fn heading(plan: &DesignPlan) -> String {
    let (pes, switches, cables) = (plan.pes(), plan.design.switch_count(), plan.design.cables());
    format!("{}: {pes} nodes, {switches} switches, {cables} cables", plan.title())
}
