//! Pictures in pixels: rectangles, and the PNG format (W3C Portable Network Graphics, third edition).

use crate::checksum::crc32;
use miniz_oxide::deflate::compress_to_vec_zlib;
use std::io;

/// Red, green, blue.
pub(in crate::exports) type Rgb = [u8; 3];

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
}

/// A colour from `#rrggbb`.
pub(in crate::exports) fn rgb(paint: &str) -> Rgb {
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
/// Errors of the writer.
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
    let crc = crc32(crc32(0, &kind), data);
    out.write_all(&crc.to_be_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

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
