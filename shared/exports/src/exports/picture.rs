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

pub(super) use canvas::Canvas;
pub use canvas::write_png;
#[cfg(feature = "server")]
pub(super) use canvas::{png, rgb};
pub(super) use layout::Point;
pub use layout::Rows;
#[cfg(feature = "server")]
pub(super) use pen::Style;

#[cfg(not(feature = "server"))]
use super::on_server as pixels;
use super::{Colour, DesignPlan, Format, Group, PALETTE, Render, WriteResult};
use crate::text::count;
use canvas::Rgb;
use std::fmt;

pub(super) const SVG: Format = Format::new(
    Group::Share,
    "svg",
    "Picture of the wiring, vector",
    ("image/svg+xml", "svg"),
    Render::Text(svg),
)
.read_by(&["Chromium"])
.purpose(
    "picture of the wiring: cables in their colours, or above 1,024 nodes a matrix of nodes and switches",
)
.of_any_wiring()
.with(&[&PALETTE]);

pub(super) const PNG: Format = Format::new(
    Group::Share,
    "png",
    "Picture of the wiring, pixels",
    ("image/png", "png"),
    Render::Bytes(pixels),
)
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
/// Outline of shapes that are too pale on paper.
const OUTLINE: Rgb = [0x8a, 0x92, 0x9a];
/// Font size of headings.
const HEADING: f64 = 16.0;
/// Font size of labels.
const LABEL: f64 = 20.0;

/// A picture as a list of marks, for SVG and pixels alike. Pixels from the upper left corner; x to the right, y down.
struct Picture {
    width: f64,
    height: f64,
    /// Font size of the heading.
    heading: f64,
    /// Pixels of an image per pixel here.
    #[cfg(feature = "server")]
    scale: f64,
    /// From the lowest to the uppermost.
    marks: Vec<Mark>,
}

/// A mark in a picture.
enum Mark {
    /// The cables of a switch: a curve, or a straight line to an uplink switch, for each.
    Cables { switch: String, colour: Colour, line: Line, paths: Vec<Path> },
    /// A switch: its upper left corner, width and height.
    Switch { area: (Point, f64, f64), name: String, colour: Colour },
    /// Name of a node, from its left end; `y` is the middle of its capitals.
    Name { at: Point, text: String },
    /// A NIC with the number of its switch: its upper left corner.
    Patch { corner: Point, colour: Colour, number: u32 },
    /// A line of a legend, or a name at an axis; as a node's name.
    Label { at: Point, text: String },
    /// An image: its upper left corner.
    Image { at: Point, canvas: Canvas },
}

/// Look of cables.
struct Line {
    thickness: f64,
    /// Thickness of the outline below it, where its colour is too pale for the paper.
    outline: Option<f64>,
    is_dashed: bool,
}

/// A Bézier curve with two control points, or a straight line.
enum Path {
    Curve([Point; 4]),
    Straight([Point; 2]),
}

fn svg(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    svg::write(plan, &if has_lines(plan) { layout::wiring(plan) } else { matrix::matrix(plan) }, out)
}

#[cfg(feature = "server")]
fn pixels(plan: &DesignPlan, _: u32, out: &mut dyn std::io::Write) -> WriteResult {
    Ok(canvas::png(&in_pixels(plan), out)?)
}

/// The picture in pixels.
#[cfg(feature = "server")]
pub(super) fn in_pixels(plan: &DesignPlan) -> Canvas {
    let has_lines = plan.pes() <= MAX_PES_IN_PIXELS && has_lines(plan);
    raster::draw(plan, &if has_lines { layout::wiring(plan) } else { matrix::matrix(plan) })
}

fn has_lines(plan: &DesignPlan) -> bool {
    let design = &plan.design;
    design.pes() <= MAX_PES && design.cables() <= MAX_CABLES && design.switch_count() <= MAX_SWITCHES
}

/// Heading of a picture.
fn heading(plan: &DesignPlan) -> String {
    let cables = count(plan.cable_count() as u64, "cable");
    let all = match plan.has_only_cables() {
        true => cables,
        false => format!("{}, {cables}", count(plan.design.switch_count().into(), "switch")),
    };
    format!("{}: {}, {all}", plan.title(), count(plan.pes().into(), "node"))
}
