//! Colour of a cell.
//!
//! Requested pairs are ink (black on light, near white on dark). Extra pairs are green, deeper with more paths. Missing
//! pairs are full red: one among a million must stay visible. A sum is shaded by its density, on a curve that keeps a
//! single pair visible.

use super::Cell;
use serde::{Deserialize, Serialize};

/// Light or dark page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Theme {
    /// Ink on white.
    Light,
    /// Light grey on near black.
    Dark,
}

/// Half of the map: requested below the diagonal, delivered above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Triangle {
    /// Requested pairs.
    Requested,
    /// Pairs that the wiring connects.
    Delivered,
}

struct Palette {
    paper: [u8; 3],
    ink: [u8; 3],
    /// One path, and many.
    extra: [[u8; 3]; 2],
    missing: [u8; 3],
}

const LIGHT: Palette = Palette {
    paper: [255, 255, 255],
    ink: [17, 17, 17],
    extra: [[118, 200, 137], [9, 84, 36]],
    missing: [208, 16, 32],
};
const DARK: Palette = Palette {
    paper: [18, 20, 23],
    ink: [236, 238, 240],
    extra: [[46, 125, 70], [120, 240, 150]],
    missing: [255, 84, 84],
};

/// Paths from which on green is deepest.
const MANY_PATHS: f32 = 4.0;
/// Shade of the faintest cell that holds a pair.
const FAINTEST: f32 = 0.25;

/// The colour (red, green, blue, opacity) of a cell that sums `places` (row, column) places; see [`super::Tile::places`].
/// Nothing to show is transparent, so that the page's own background shows.
pub fn colour(cell: &Cell, places: u64, theme: Theme, triangle: Triangle) -> [u8; 4] {
    let palette = match theme {
        Theme::Light => &LIGHT,
        Theme::Dark => &DARK,
    };
    let places = places.max(1) as f32;
    let [r, g, b] = match triangle {
        Triangle::Requested if cell.requested > 0 => {
            mix(palette.paper, palette.ink, strength(cell.requested as f32 / places))
        }
        Triangle::Delivered if cell.missing > 0 => palette.missing,
        Triangle::Delivered if cell.paths > 0 => delivered(cell, places, palette),
        _ => return [0, 0, 0, 0],
    };
    [r, g, b, 255]
}

/// Ink for the requested share of what is connected, green for the rest, as strong as both are dense.
fn delivered(cell: &Cell, places: f32, palette: &Palette) -> [u8; 3] {
    let connected = (cell.requested + cell.extra).max(1) as f32;
    let deep = ((cell.paths as f32 / connected - 1.0) / (MANY_PATHS - 1.0)).clamp(0.0, 1.0);
    let green = mix(palette.extra[0], palette.extra[1], deep);
    let hue = mix(green, palette.ink, cell.requested as f32 / connected);
    mix(palette.paper, hue, strength(connected / places))
}

/// From 0 for nothing over [`FAINTEST`] for hardly anything to 1 for everything.
fn strength(density: f32) -> f32 {
    if density <= 0.0 { 0.0 } else { FAINTEST + (1.0 - FAINTEST) * density.min(1.0).sqrt() }
}

fn mix(from: [u8; 3], to: [u8; 3], share: f32) -> [u8; 3] {
    let channel =
        |i: usize| (f32::from(from[i]) + (f32::from(to[i]) - f32::from(from[i])) * share).round() as u8;
    [channel(0), channel(1), channel(2)]
}
