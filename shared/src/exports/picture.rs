//! Pictures of the wiring, as SVG and PNG. Up to [`MOST_PES`] PEs they show PEs, switches and every cable in the colour of its
//! label; of larger machines, where nobody could follow a line, the matrix of PEs and switches.

mod canvas;
mod layout;
mod matrix;
mod raster;
mod svg;

use super::{DesignPlan, Format, Render, Written};
use std::{fmt, io};

pub(super) const SVG: Format = Format {
    settings: &["palette"],
    ..Format::new(
        "svg",
        "a picture of the wiring to zoom into: cables in their colours, or a matrix of PEs and switches if it is large",
        ("image/svg+xml", "svg"),
        Render::Text(svg),
    )
};

pub(super) const PNG: Format = Format {
    settings: &["palette"],
    ..Format::new(
        "png",
        "the same picture in pixels, for slides and documents",
        ("image/png", "png"),
        Render::Bytes(png),
    )
};

/// Most PEs, cables and switches of a picture with lines.
const MOST_PES: u32 = 1024;
const MOST_CABLES: usize = 8192;
const MOST_SWITCHES: u32 = 256;

fn svg(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    if has_lines(plan) { svg::wiring(plan, out) } else { matrix::svg(plan, out) }
}

fn png(plan: &DesignPlan, _: u32, out: &mut dyn io::Write) -> Written {
    let canvas = if has_lines(plan) { raster::wiring(plan) } else { matrix::canvas(plan) };
    Ok(canvas::png(&canvas, out)?)
}

fn has_lines(plan: &DesignPlan) -> bool {
    let design = &plan.design;
    design.pes() <= MOST_PES && design.cables() <= MOST_CABLES && design.switch_count() <= MOST_SWITCHES
}

/// What stands above a picture.
fn heading(plan: &DesignPlan) -> String {
    let (pes, switches, cables) = (plan.pes(), plan.design.switch_count(), plan.design.cables());
    format!("{}: {pes} PEs, {switches} switches, {cables} cables", plan.title())
}
