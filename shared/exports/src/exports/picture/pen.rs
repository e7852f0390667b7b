//! Smooth lines and text in pixels. Text is drawn with the fonts of PDF files.

use super::{
    super::labels::{draw::CAP, faces::Faces, font::Letters},
    INK,
    canvas::{Canvas, Rgb},
    layout::Point,
};
use ab_glyph_rasterizer::{Point as Dot, Rasterizer, point};
use skrifa::outline::OutlinePen;

/// Room around a text for strokes beyond its width and its line, in font sizes.
const ROOM: f64 = 1.0;

/// Look of a text.
#[derive(Clone, Copy)]
pub(in crate::exports) struct Style {
    /// Font size in pixels.
    pub size: f64,
    pub bold: bool,
    pub colour: Rgb,
}

impl Canvas {
    /// Reduces the canvas to at most `most` pixels across and down: each pixel is the mean of a square.
    pub fn reduced(self, most: usize) -> Canvas {
        let step = self.width.max(self.height).div_ceil(most.max(1));
        if step <= 1 {
            return self;
        }
        let mut small = Canvas::new(self.width.div_ceil(step), self.height.div_ceil(step), [0; 3]);
        for (at, pixel) in small.pixels.chunks_exact_mut(3).enumerate() {
            let (x, y) = (at % small.width * step, at / small.width * step);
            let rows = y..(y + step).min(self.height);
            let (columns, mut sum) = (x..(x + step).min(self.width), [0usize; 3]);
            let count = rows.len() * columns.len();
            for from in
                rows.flat_map(|row| columns.clone().map(move |column| (row * self.width + column) * 3))
            {
                for (sum, value) in sum.iter_mut().zip(&self.pixels[from..from + 3]) {
                    *sum += usize::from(*value);
                }
            }
            pixel.copy_from_slice(&sum.map(|sum| (sum / count) as u8));
        }
        small
    }

    /// Copies an image, which must fit, to a place.
    pub(super) fn place(&mut self, image: &Canvas, (left, top): (usize, usize)) {
        for (row, pixels) in image.pixels.chunks_exact(3 * image.width).enumerate() {
            let from = 3 * ((top + row) * self.width + left);
            self.pixels[from..from + pixels.len()].copy_from_slice(pixels);
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
    pub(in crate::exports) fn line(&mut self, from: Point, to: Point, thickness: f64, colour: Rgb) {
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

    /// Draws a text with its left edge at `x`; `y` is the middle of its capitals. Characters that no font has appear as codes,
    /// as in `[U+6771]`.
    pub(super) fn text(&mut self, faces: &Faces, text: &str, at: (f64, f64), style: Style) {
        self.printable_text(faces, &faces.printable(text).0, at, style);
    }

    /// Draws a text that is printable already, as [`Letters::printable`] makes it.
    pub(in crate::exports) fn printable_text(
        &mut self,
        faces: &Faces,
        text: &str,
        (x, y): (f64, f64),
        style: Style,
    ) {
        let Style { size, bold, colour } = style;
        let (left, top) = ((x - ROOM * size).floor(), (y - 2.0 * ROOM * size).floor());
        let width = (faces.width(text, bold) + 2.0 * ROOM) * size;
        let mut ink = Rasterizer::new(width.ceil() as usize + 1, (4.0 * ROOM * size).ceil() as usize);
        let (mut at, baseline) = (x - left, y - top + CAP / 2.0 * size);
        for c in text.chars() {
            if let Some((face, glyph)) = faces.glyph(c, bold) {
                faces.outline(face, glyph, size as f32, &mut Pen::new((at, baseline), &mut ink));
            }
            at += faces.width(c.encode_utf8(&mut [0; 4]), bold) * size;
        }
        ink.for_each_pixel_2d(|column, row, share| {
            let (x, y) = (left as i64 + i64::from(column), top as i64 + i64::from(row));
            self.mix(x, y, colour, f64::from(share));
        });
    }

    /// Fills a triangle with smooth edges.
    pub(in crate::exports) fn triangle(&mut self, corners: [Point; 3], colour: Rgb) {
        let span = |values: [f64; 3]| {
            let first = values.into_iter().fold(f64::MAX, f64::min).floor();
            (first, (values.into_iter().fold(f64::MIN, f64::max) - first).ceil() as usize + 1)
        };
        let (left, width) = span(corners.map(|corner| corner.x));
        let (top, height) = span(corners.map(|corner| corner.y));
        let mut ink = Rasterizer::new(width, height);
        let [a, b, c] = corners.map(|corner| point((corner.x - left) as f32, (corner.y - top) as f32));
        for (from, to) in [(a, b), (b, c), (c, a)] {
            ink.draw_line(from, to);
        }
        ink.for_each_pixel_2d(|column, row, share| {
            let (x, y) = (left as i64 + i64::from(column), top as i64 + i64::from(row));
            self.mix(x, y, colour, f64::from(share));
        });
    }

    /// Draws the heading in the upper left corner: smaller if it is too long for the picture.
    pub(super) fn heading(&mut self, faces: &Faces, text: &str, margin: f64, size: f64) {
        let wide = faces.width(&faces.printable(text).0, true);
        let size = size.min((self.width as f64 - 2.0 * margin) / wide.max(1.0));
        self.text(faces, text, (margin, margin), Style { size, bold: true, colour: INK });
    }
}

/// Draws a glyph's outline.
struct Pen<'a> {
    /// Start of the glyph on its baseline.
    origin: Dot,
    /// Width and height of the room, which no outline leaves.
    room: Dot,
    /// Start of the contour.
    first: Dot,
    last: Dot,
    ink: &'a mut Rasterizer,
}

impl<'a> Pen<'a> {
    fn new((x, y): (f64, f64), ink: &'a mut Rasterizer) -> Pen<'a> {
        let (origin, (width, height)) = (point(x as f32, y as f32), ink.dimensions());
        Pen { origin, room: point(width as f32, height as f32), first: origin, last: origin, ink }
    }

    /// A point of the outline, whose `y` counts upwards.
    fn place(&self, x: f32, y: f32) -> Dot {
        point((self.origin.x + x).clamp(0.0, self.room.x), (self.origin.y - y).clamp(0.0, self.room.y))
    }
}

impl OutlinePen for Pen<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        self.close();
        self.last = self.place(x, y);
        self.first = self.last;
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let to = self.place(x, y);
        self.ink.draw_line(std::mem::replace(&mut self.last, to), to);
    }

    fn quad_to(&mut self, cx: f32, cy: f32, x: f32, y: f32) {
        let (control, to) = (self.place(cx, cy), self.place(x, y));
        self.ink.draw_quad(std::mem::replace(&mut self.last, to), control, to);
    }

    fn curve_to(&mut self, ax: f32, ay: f32, bx: f32, by: f32, x: f32, y: f32) {
        let (a, b, to) = (self.place(ax, ay), self.place(bx, by), self.place(x, y));
        self.ink.draw_cubic(std::mem::replace(&mut self.last, to), a, b, to);
    }

    fn close(&mut self) {
        self.ink.draw_line(std::mem::replace(&mut self.last, self.first), self.first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reduced_image_has_the_means_of_its_squares() {
        let mut canvas = Canvas::new(5, 2, [100, 0, 0]);
        canvas.fill(0.0, 0.0, 1.0, 2.0, [0, 0, 200]);
        let small = canvas.reduced(3);
        assert_eq!((small.width, small.height), (3, 1));
        assert_eq!(small.pixels, [50, 0, 100, 100, 0, 0, 100, 0, 0]);
    }

    /// Pixels of a text, `true` where there is ink.
    fn drawn(text: &str) -> Vec<bool> {
        let mut canvas = Canvas::new(200, 40, [255; 3]);
        let style = Style { size: 20.0, bold: false, colour: [0; 3] };
        canvas.text(&Faces::new(&[]), text, (10.0, 20.0), style);
        canvas.pixels.chunks_exact(3).map(|pixel| pixel[0] < 128).collect()
    }

    #[test]
    fn every_letter_of_the_fonts_has_its_own_picture_and_others_are_codes() {
        let letters = ["U", "Ü", "u", "ü", "Ł", "é", "Ж", "Ω", "«", "?"].map(drawn);
        for (i, one) in letters.iter().enumerate() {
            assert!(one.iter().filter(|ink| **ink).count() > 20, "{i}");
            assert!(letters[..i].iter().all(|other| other != one), "{i}");
        }
        assert!(drawn("東") == drawn("[U+6771]"));
        assert!(!drawn(" ").contains(&true));
    }

    #[test]
    fn the_middle_of_capitals_is_where_it_is_wanted() {
        let rows: Vec<usize> =
            drawn("H").chunks(200).enumerate().filter(|row| row.1.contains(&true)).map(|row| row.0).collect();
        let (first, last) = (rows[0], rows[rows.len() - 1]);
        assert!((13..=14).contains(&(last + 1 - first)) && (first + last + 1).abs_diff(40) <= 1, "{rows:?}");
    }
}
