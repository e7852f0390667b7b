//! Pictures in pixels: rectangles, smooth lines, text, and the PNG format (W3C Portable Network Graphics, third edition).

use super::layout::Point;
use miniz_oxide::deflate::compress_to_vec_zlib;
use std::io;

/// Red, green, blue.
pub(super) type Rgb = [u8; 3];

/// An image.
pub(in crate::exports) struct Canvas {
    pub width: usize,
    pub height: usize,
    /// Row by row from the top, three bytes a pixel.
    pub pixels: Vec<u8>,
}

impl Canvas {
    pub fn new(width: usize, height: usize, paper: Rgb) -> Canvas {
        Canvas { width, height, pixels: paper.repeat(width * height) }
    }

    /// The same with at most so many pixels across and down: each pixel is the mean of a square of them.
    #[cfg(feature = "pdf")]
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
    pub(super) fn line(&mut self, from: Point, to: Point, thickness: f64, colour: Rgb) {
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
        let top = y - f64::from(HEIGHT) * scale / 2.0;
        for (place, c) in text.chars().enumerate() {
            let left = x + place as f64 * ADVANCE * scale;
            for (column, bits) in glyph(c).into_iter().enumerate() {
                for row in (0..HEIGHT).filter(|row| bits >> row & 1 == 1) {
                    let (x, y) = (left + column as f64 * scale, top + f64::from(row) * scale);
                    self.fill(x, y, scale, scale, colour);
                }
            }
        }
    }
}

/// The width of a text.
pub(super) fn text_width(text: &str, scale: f64) -> f64 {
    text.chars().count() as f64 * ADVANCE * scale
}

/// A colour from `#rrggbb`.
pub(super) fn rgb(paint: &str) -> Rgb {
    let value = u32::from_str_radix(paint.trim_start_matches('#'), 16).unwrap_or(0);
    [(value >> 16) as u8, (value >> 8) as u8, value as u8]
}

/// Writes an image.
pub(in crate::exports) fn png(canvas: &Canvas, out: &mut dyn io::Write) -> io::Result<()> {
    write_png(&canvas.pixels, (canvas.width, canvas.height), out)
}

/// Writes an image of this width and height from the red, green and blue of its pixels, row by row, as PNG.
///
/// # Errors
/// Those of the writer.
pub fn write_png(pixels: &[u8], (width, height): (usize, usize), out: &mut dyn io::Write) -> io::Result<()> {
    out.write_all(b"\x89PNG\r\n\x1a\n")?;
    let mut header = Vec::with_capacity(13);
    header.extend((width as u32).to_be_bytes());
    header.extend((height as u32).to_be_bytes());
    // 8 bits a channel, RGB; the only compression and filter method there is; not interlaced.
    header.extend([8, 2, 0, 0, 0]);
    chunk(*b"IHDR", &header, out)?;
    let stride = width * 3;
    let mut rows = Vec::with_capacity((stride + 1) * height);
    for row in pixels.chunks_exact(stride) {
        // Filter type 0: bytes as they are.
        rows.push(0);
        rows.extend_from_slice(row);
    }
    chunk(*b"IDAT", &compress_to_vec_zlib(&rows, 6), out)?;
    chunk(*b"IEND", &[], out)
}

fn chunk(kind: [u8; 4], data: &[u8], out: &mut dyn io::Write) -> io::Result<()> {
    out.write_all(&(data.len() as u32).to_be_bytes())?;
    out.write_all(&kind)?;
    out.write_all(data)?;
    let crc = !data.iter().fold(kind.iter().fold(!0, next_crc), next_crc);
    out.write_all(&crc.to_be_bytes())
}

/// A step of CRC-32 (ISO 3309, as annex D of the format has it).
fn next_crc(crc: u32, byte: &u8) -> u32 {
    const TABLE: [u32; 256] = table();
    TABLE[((crc ^ u32::from(*byte)) & 0xff) as usize] ^ (crc >> 8)
}

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut n = 0;
    while n < 256 {
        let mut c = n as u32;
        let mut bit = 0;
        while bit < 8 {
            c = if c & 1 == 1 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 };
            bit += 1;
        }
        table[n] = c;
        n += 1;
    }
    table
}

/// Dots from the top of a character to below its longest descender.
const HEIGHT: u8 = 8;
/// Dots from one character to the next.
const ADVANCE: f64 = 6.0;

/// The columns of a character from the left, the lowest bit on top. What is not ASCII is a question mark.
fn glyph(c: char) -> [u8; 5] {
    let at = (c as usize).wrapping_sub(0x20);
    *GLYPHS.get(at).unwrap_or(&GLYPHS['?' as usize - 0x20])
}

/// From the space to the tilde.
const GLYPHS: [[u8; 5]; 95] = [
    [0x00, 0x00, 0x00, 0x00, 0x00],
    [0x00, 0x00, 0x5f, 0x00, 0x00],
    [0x00, 0x07, 0x00, 0x07, 0x00],
    [0x14, 0x7f, 0x14, 0x7f, 0x14],
    [0x24, 0x2a, 0x7f, 0x2a, 0x12],
    [0x23, 0x13, 0x08, 0x64, 0x62],
    [0x36, 0x49, 0x56, 0x20, 0x50],
    [0x00, 0x08, 0x07, 0x03, 0x00],
    [0x00, 0x1c, 0x22, 0x41, 0x00],
    [0x00, 0x41, 0x22, 0x1c, 0x00],
    [0x2a, 0x1c, 0x7f, 0x1c, 0x2a],
    [0x08, 0x08, 0x3e, 0x08, 0x08],
    [0x00, 0x80, 0x70, 0x30, 0x00],
    [0x08, 0x08, 0x08, 0x08, 0x08],
    [0x00, 0x00, 0x60, 0x60, 0x00],
    [0x20, 0x10, 0x08, 0x04, 0x02],
    [0x3e, 0x51, 0x49, 0x45, 0x3e],
    [0x00, 0x42, 0x7f, 0x40, 0x00],
    [0x72, 0x49, 0x49, 0x49, 0x46],
    [0x21, 0x41, 0x49, 0x4d, 0x33],
    [0x18, 0x14, 0x12, 0x7f, 0x10],
    [0x27, 0x45, 0x45, 0x45, 0x39],
    [0x3c, 0x4a, 0x49, 0x49, 0x31],
    [0x41, 0x21, 0x11, 0x09, 0x07],
    [0x36, 0x49, 0x49, 0x49, 0x36],
    [0x46, 0x49, 0x49, 0x29, 0x1e],
    [0x00, 0x00, 0x14, 0x00, 0x00],
    [0x00, 0x40, 0x34, 0x00, 0x00],
    [0x00, 0x08, 0x14, 0x22, 0x41],
    [0x14, 0x14, 0x14, 0x14, 0x14],
    [0x00, 0x41, 0x22, 0x14, 0x08],
    [0x02, 0x01, 0x59, 0x09, 0x06],
    [0x3e, 0x41, 0x5d, 0x59, 0x4e],
    [0x7c, 0x12, 0x11, 0x12, 0x7c],
    [0x7f, 0x49, 0x49, 0x49, 0x36],
    [0x3e, 0x41, 0x41, 0x41, 0x22],
    [0x7f, 0x41, 0x41, 0x41, 0x3e],
    [0x7f, 0x49, 0x49, 0x49, 0x41],
    [0x7f, 0x09, 0x09, 0x09, 0x01],
    [0x3e, 0x41, 0x41, 0x51, 0x73],
    [0x7f, 0x08, 0x08, 0x08, 0x7f],
    [0x00, 0x41, 0x7f, 0x41, 0x00],
    [0x20, 0x40, 0x41, 0x3f, 0x01],
    [0x7f, 0x08, 0x14, 0x22, 0x41],
    [0x7f, 0x40, 0x40, 0x40, 0x40],
    [0x7f, 0x02, 0x1c, 0x02, 0x7f],
    [0x7f, 0x04, 0x08, 0x10, 0x7f],
    [0x3e, 0x41, 0x41, 0x41, 0x3e],
    [0x7f, 0x09, 0x09, 0x09, 0x06],
    [0x3e, 0x41, 0x51, 0x21, 0x5e],
    [0x7f, 0x09, 0x19, 0x29, 0x46],
    [0x26, 0x49, 0x49, 0x49, 0x32],
    [0x03, 0x01, 0x7f, 0x01, 0x03],
    [0x3f, 0x40, 0x40, 0x40, 0x3f],
    [0x1f, 0x20, 0x40, 0x20, 0x1f],
    [0x3f, 0x40, 0x38, 0x40, 0x3f],
    [0x63, 0x14, 0x08, 0x14, 0x63],
    [0x03, 0x04, 0x78, 0x04, 0x03],
    [0x61, 0x59, 0x49, 0x4d, 0x43],
    [0x00, 0x7f, 0x41, 0x41, 0x41],
    [0x02, 0x04, 0x08, 0x10, 0x20],
    [0x00, 0x41, 0x41, 0x41, 0x7f],
    [0x04, 0x02, 0x01, 0x02, 0x04],
    [0x40, 0x40, 0x40, 0x40, 0x40],
    [0x00, 0x03, 0x07, 0x08, 0x00],
    [0x20, 0x54, 0x54, 0x78, 0x40],
    [0x7f, 0x28, 0x44, 0x44, 0x38],
    [0x38, 0x44, 0x44, 0x44, 0x28],
    [0x38, 0x44, 0x44, 0x28, 0x7f],
    [0x38, 0x54, 0x54, 0x54, 0x18],
    [0x00, 0x08, 0x7e, 0x09, 0x02],
    [0x18, 0xa4, 0xa4, 0x9c, 0x78],
    [0x7f, 0x08, 0x04, 0x04, 0x78],
    [0x00, 0x44, 0x7d, 0x40, 0x00],
    [0x20, 0x40, 0x40, 0x3d, 0x00],
    [0x7f, 0x10, 0x28, 0x44, 0x00],
    [0x00, 0x41, 0x7f, 0x40, 0x00],
    [0x7c, 0x04, 0x78, 0x04, 0x78],
    [0x7c, 0x08, 0x04, 0x04, 0x78],
    [0x38, 0x44, 0x44, 0x44, 0x38],
    [0xfc, 0x18, 0x24, 0x24, 0x18],
    [0x18, 0x24, 0x24, 0x18, 0xfc],
    [0x7c, 0x08, 0x04, 0x04, 0x08],
    [0x48, 0x54, 0x54, 0x54, 0x24],
    [0x04, 0x04, 0x3f, 0x44, 0x24],
    [0x3c, 0x40, 0x40, 0x20, 0x7c],
    [0x1c, 0x20, 0x40, 0x20, 0x1c],
    [0x3c, 0x40, 0x30, 0x40, 0x3c],
    [0x44, 0x28, 0x10, 0x28, 0x44],
    [0x4c, 0x90, 0x90, 0x90, 0x7c],
    [0x44, 0x64, 0x54, 0x4c, 0x44],
    [0x00, 0x08, 0x36, 0x41, 0x00],
    [0x00, 0x00, 0x77, 0x00, 0x00],
    [0x00, 0x41, 0x36, 0x08, 0x00],
    [0x02, 0x01, 0x02, 0x04, 0x02],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "pdf")]
    #[test]
    fn a_reduced_image_has_the_means_of_its_squares() {
        let mut canvas = Canvas::new(5, 2, [100, 0, 0]);
        canvas.fill(0.0, 0.0, 1.0, 2.0, [0, 0, 200]);
        let small = canvas.reduced(3);
        assert_eq!((small.width, small.height), (3, 1));
        assert_eq!(small.pixels, [50, 0, 100, 100, 0, 0, 100, 0, 0]);
    }

    #[test]
    fn an_image_is_written_as_the_format_has_it() {
        let mut canvas = Canvas::new(2, 1, [255, 0, 0]);
        canvas.fill(1.0, 0.0, 1.0, 1.0, [0, 0, 255]);
        let mut bytes = Vec::new();
        png(&canvas, &mut bytes).unwrap();
        assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
        // The last chunk is the same in every PNG file, its checksum included.
        assert_eq!(&bytes[bytes.len() - 12..], [0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82]);
        assert_eq!(&bytes[16..24], [0, 0, 0, 2, 0, 0, 0, 1]);
        let length = u32::from_be_bytes([bytes[33], bytes[34], bytes[35], bytes[36]]) as usize;
        let rows = miniz_oxide::inflate::decompress_to_vec_zlib(&bytes[41..41 + length]).unwrap();
        assert_eq!(rows, [0, 255, 0, 0, 0, 0, 255]);
    }
}
