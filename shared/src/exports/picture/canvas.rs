//! Pixels, and what is drawn with them: rectangles, smooth lines, text.

use super::{font, layout::Point};

/// Red, green, blue.
pub(super) type Rgb = [u8; 3];

/// An image.
pub(super) struct Canvas {
    pub width: usize,
    pub height: usize,
    /// Row by row from the top, three bytes a pixel.
    pub pixels: Vec<u8>,
}

impl Canvas {
    pub fn new(width: usize, height: usize, paper: Rgb) -> Canvas {
        Canvas { width, height, pixels: paper.repeat(width * height) }
    }

    /// Fills a rectangle, rounded to whole pixels.
    pub fn fill(&mut self, x: f64, y: f64, width: f64, height: f64, colour: Rgb) {
        let clip = |at: f64, most: usize| (at.round().max(0.0) as usize).min(most);
        let (left, right) = (clip(x, self.width), clip(x + width, self.width));
        for row in clip(y, self.height)..clip(y + height, self.height) {
            let from = (row * self.width + left) * 3;
            for pixel in self.pixels[from..from + (right.max(left) - left) * 3].chunks_exact_mut(3) {
                pixel.copy_from_slice(&colour);
            }
        }
    }

    /// Mixes a colour into a pixel, by its share from 0 to 1; pixels outside are passed over.
    fn mix(&mut self, x: i64, y: i64, colour: Rgb, share: f64) {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return };
        if x >= self.width || y >= self.height || share <= 0.0 {
            return;
        }
        let at = (y * self.width + x) * 3;
        for (old, new) in self.pixels[at..at + 3].iter_mut().zip(colour) {
            let mixed = f64::from(*old) + (f64::from(new) - f64::from(*old)) * share.min(1.0);
            *old = mixed.round() as u8;
        }
    }

    /// A line of some thickness with smooth edges: along the axis it mostly follows, pixel by pixel, as much of each pixel
    /// across as it covers.
    pub fn line(&mut self, from: Point, to: Point, thickness: f64, colour: Rgb) {
        let steep = (to.y - from.y).abs() > (to.x - from.x).abs();
        let turn = |p: Point| if steep { (p.y, p.x) } else { (p.x, p.y) };
        let (mut a, mut b) = (turn(from), turn(to));
        if a.0 > b.0 {
            std::mem::swap(&mut a, &mut b);
        }
        let slope = if b.0 > a.0 { (b.1 - a.1) / (b.0 - a.0) } else { 0.0 };
        let half = thickness / 2.0 * slope.hypot(1.0);
        for along in a.0.round() as i64..(b.0.round() as i64).max(a.0.round() as i64 + 1) {
            let middle = a.1 + slope * (along as f64 + 0.5 - a.0);
            let (first, last) = ((middle - half - 0.5).floor() as i64, (middle + half).floor() as i64);
            for across in first..=last {
                let distance = (across as f64 + 0.5 - middle).abs();
                let share = half + 0.5 - distance;
                let (x, y) = if steep { (across, along) } else { (along, across) };
                self.mix(x, y, colour, share);
            }
        }
    }

    /// Text with its left edge at `x` and its middle at `y`, a dot of the font `scale` pixels wide.
    pub fn text(&mut self, text: &str, x: f64, y: f64, scale: f64, colour: Rgb) {
        let top = y - f64::from(font::HEIGHT) * scale / 2.0;
        for (place, c) in text.chars().enumerate() {
            let left = x + place as f64 * font::ADVANCE * scale;
            for (column, bits) in font::glyph(c).into_iter().enumerate() {
                for row in (0..font::HEIGHT).filter(|row| bits >> row & 1 == 1) {
                    let (x, y) = (left + column as f64 * scale, top + f64::from(row) * scale);
                    self.fill(x, y, scale, scale, colour);
                }
            }
        }
    }
}

/// The width of a text.
pub(super) fn text_width(text: &str, scale: f64) -> f64 {
    text.chars().count() as f64 * font::ADVANCE * scale
}

/// A colour from `#rrggbb`.
pub(super) fn rgb(paint: &str) -> Rgb {
    let value = u32::from_str_radix(paint.trim_start_matches('#'), 16).unwrap_or(0);
    [(value >> 16) as u8, (value >> 8) as u8, value as u8]
}
