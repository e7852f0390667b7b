//! A page as a list of marks, for HTML and PDF alike. Millimetres from the top left corner.

#[cfg(feature = "server")]
use super::super::picture::Canvas;
use super::{font::Letters, qr::Qr};
use std::rc::Rc;

/// A mark on a page. Colours are `#rrggbb`.
pub enum Mark {
    /// A filled rectangle.
    Fill { area: Area, ink: &'static str },
    /// The edge of a rectangle.
    Edge { area: Area, ink: &'static str, line: f64 },
    /// A straight line.
    Line { from: (f64, f64), to: (f64, f64), line: f64 },
    /// A filled triangle.
    Triangle { corners: [(f64, f64); 3], ink: &'static str },
    /// A line of text from its left end on its baseline.
    Text { at: (f64, f64), size: f64, bold: bool, ink: &'static str, text: String },
    /// A picture.
    #[cfg(feature = "server")]
    Picture { area: Area, canvas: Canvas },
    /// A QR code, from its top left module.
    Qr { at: (f64, f64), module: f64, code: Rc<Qr> },
}

/// A rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    pub x: f64,
    pub y: f64,
    pub w: f64,
    pub h: f64,
}

impl Area {
    /// Shrinks the area by a margin on each side.
    pub fn inside(self, margin: f64) -> Area {
        let (w, h) = (self.w - 2.0 * margin, self.h - 2.0 * margin);
        Area { x: self.x + margin, y: self.y + margin, w, h }
    }
}

pub const BLACK: &str = "#000000";
pub const WHITE: &str = "#ffffff";
pub const GREY: &str = "#777777";
/// The share of a font's size that capitals and digits are high.
pub const CAP: f64 = 0.72;

/// A page that is being drawn.
#[derive(Default)]
pub struct Drawing {
    pub width: f64,
    pub height: f64,
    pub marks: Vec<Mark>,
}

impl Drawing {
    /// Begins an empty page.
    pub fn begin(&mut self, (width, height): (f64, f64)) {
        (self.width, self.height) = (width, height);
        self.marks.clear();
    }

    pub fn fill(&mut self, area: Area, ink: &'static str) {
        self.marks.push(Mark::Fill { area, ink });
    }

    pub fn edge(&mut self, area: Area, ink: &'static str, line: f64) {
        self.marks.push(Mark::Edge { area, ink, line });
    }

    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), line: f64) {
        self.marks.push(Mark::Line { from, to, line });
    }

    pub fn text(&mut self, at: (f64, f64), font: Font, text: impl Into<String>) {
        let (Font { size, bold, ink, .. }, text) = (font, text.into());
        if !text.is_empty() {
            self.marks.push(Mark::Text { at, size, bold, ink, text });
        }
    }

    /// Text that ends at a place.
    pub fn text_to(&mut self, (x, y): (f64, f64), font: Font, text: impl Into<String>) {
        let text = text.into();
        self.text((x - font.width(&text), y), font, text);
    }

    /// Two triangles point to point, as high as they say, which mark a transparent cable (Dietz and Mattox 2000, section 3.1).
    pub fn triangles(&mut self, (x, y): (f64, f64), high: f64, ink: &'static str) {
        for x in [x, x + 1.1 * high] {
            let corners = [(x, y), (x + high, y), (x + high / 2.0, y + high)];
            self.marks.push(Mark::Triangle { corners, ink });
        }
    }
}

/// Parts of a text that are never divided: characters, and codes such as `[U+6771]`.
pub fn units(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let one = rest.chars().next()?.len_utf8();
        let code = rest.strip_prefix("[U+").and_then(|code| code.find(']')).map(|end| end + "[U+]".len());
        let (unit, after) = rest.split_at(code.unwrap_or(one));
        rest = after;
        Some(unit)
    })
}

/// Letters, size and colour of text.
#[derive(Clone, Copy)]
pub struct Font<'a> {
    pub letters: &'a dyn Letters,
    pub size: f64,
    pub bold: bool,
    pub ink: &'static str,
}

impl Font<'_> {
    pub fn ink(self, ink: &'static str) -> Self {
        Font { ink, ..self }
    }

    /// Millimetres of a text.
    pub fn width(self, text: &str) -> f64 {
        self.letters.width(text, self.bold) * self.size
    }

    /// Returns as much of a text as fits, with an ellipsis if some is missing. Empty if not even one of its [`units`] fits.
    pub fn shortened(self, text: &str, room: f64) -> String {
        if self.width(text) <= room {
            return text.into();
        }
        let mut short = String::new();
        let mut left = room - self.width("…");
        for unit in units(text) {
            left -= self.width(unit);
            if left < 0.0 {
                break;
            }
            short += unit;
        }
        let short = short.trim_end();
        if short.is_empty() { String::new() } else { format!("{short}…") }
    }

    /// A text in lines that fit, broken between words, and inside words that are longer than a line.
    pub fn wrapped(self, text: &str, room: f64) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for mut word in text.split_whitespace() {
            while self.width(word) > room {
                let (mut end, mut left) = (0, room);
                for unit in units(word) {
                    left -= self.width(unit);
                    if left < 0.0 && end > 0 {
                        break;
                    }
                    end += unit.len();
                }
                if end == word.len() {
                    break;
                }
                lines.push(word[..end].into());
                word = &word[end..];
            }
            match lines.last_mut() {
                Some(line) if self.width(line) + self.width(" ") + self.width(word) <= room => {
                    line.push(' ');
                    line.push_str(word);
                }
                _ => lines.push(word.into()),
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::{super::font::Helvetica, *};

    #[test]
    fn what_is_shortened_fits_and_shows_it() {
        let font = Font { letters: &Helvetica, size: 2.0, bold: false, ink: BLACK };
        let name = "A cluster with a long name";
        for tenths in 0..600 {
            let room = f64::from(tenths) / 10.0;
            let short = font.shortened(name, room);
            assert!(short.is_empty() || font.width(&short) <= room, "{room}: {short:?}");
            assert!(short.is_empty() || short == name || short.ends_with('…'), "{short:?}");
        }
        assert_eq!(font.wrapped(name, 20.0).join(" "), name);
        assert!(font.wrapped(name, 20.0).iter().all(|line| font.width(line) <= 20.0));
        let pieces = font.wrapped("https://studio.example.org/d/0123456789abcdefghjkmnpqrs", 20.0);
        assert!(pieces.len() > 2 && pieces.iter().all(|line| font.width(line) <= 20.0), "{pieces:?}");
        assert_eq!(font.shortened(name, 60.0), name);
        assert_eq!(font.shortened(name, 0.5), "");
    }

    #[test]
    fn codes_are_whole() {
        let font = Font { letters: &Helvetica, size: 2.0, bold: false, ink: BLACK };
        assert_eq!(units("a[U+6771]é[U").collect::<Vec<_>>(), ["a", "[U+6771]", "é", "[", "U"]);
        let name = "[U+6771][U+4EAC] [U+96C6]";
        for tenths in 0..400 {
            let short = font.shortened(name, f64::from(tenths) / 10.0);
            let whole = short.strip_suffix('…').unwrap_or(&short);
            assert!(whole.is_empty() || whole.ends_with(']') && name.starts_with(whole), "{short:?}");
        }
    }
}
