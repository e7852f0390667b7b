//! Fonts of PDF files, which embed them, and of pictures in pixels: Liberation Sans, which has the widths of Helvetica (but for ¯±µ·º÷), then the fonts given with `--font`, in their
//! order. A character is one glyph: there are no ligatures, no joined letters and no marks placed above others.

use super::{super::ExportError, font::Letters};
use crate::random::fnv1a;
use skrifa::{
    FontRef, MetadataProvider, Tag,
    charmap::Charmap,
    instance::{LocationRef, Size},
    metrics::{GlyphMetrics, Metrics},
    outline::{DrawSettings, OutlineGlyphCollection, OutlinePen},
    raw::TableProvider,
    string::StringId,
};
use std::collections::BTreeSet;
use subsetter::{GlyphRemapper, subset};
use unicode_bidi::BidiInfo;

const REGULAR: &[u8] = include_bytes!("../../../../../assets/fonts/LiberationSans-Regular.ttf");
const BOLD: &[u8] = include_bytes!("../../../../../assets/fonts/LiberationSans-Bold.ttf");

/// Checks that a font can be embedded.
///
/// # Errors
/// It cannot; the error says why.
pub fn check_font(data: &[u8]) -> Result<(), String> {
    let font = FontRef::from_index(data, 0).map_err(|error| error.to_string())?;
    if !font.charmap().has_map() {
        return Err("it has no Unicode character map".into());
    }
    font.head().map_err(|error| error.to_string())?;
    subset(data, 0, &GlyphRemapper::new()).map(drop).map_err(|error| error.to_string())
}

/// The fonts of a document: regular, bold, and those for characters that both lack.
pub struct Faces<'a>(Vec<Face<'a>>);

/// A font.
pub struct Face<'a> {
    data: &'a [u8],
    font: FontRef<'a>,
    characters: Charmap<'a>,
    glyphs: GlyphMetrics<'a>,
    outlines: OutlineGlyphCollection<'a>,
    pub metrics: Metrics,
}

impl<'a> Faces<'a> {
    /// The fonts of a document, with further ones that passed [`check_font`].
    pub fn new(more: &'a [Vec<u8>]) -> Faces<'a> {
        let all = [REGULAR, BOLD].into_iter().chain(more.iter().map(Vec::as_slice));
        Faces(all.filter_map(Face::new).collect())
    }

    pub fn iter(&self) -> impl Iterator<Item = &Face<'a>> {
        self.0.iter()
    }

    /// The first font that has a character, by its place, and the glyph.
    pub fn glyph(&self, c: char, bold: bool) -> Option<(usize, u16)> {
        let order = std::iter::once(usize::from(bold)).chain(2..self.0.len());
        order.into_iter().find_map(|at| Some((at, self.0[at].glyph(c)?)))
    }

    /// Draws a glyph of a font at a size in pixels. A damaged outline is drawn as far as it goes.
    pub fn outline(&self, face: usize, glyph: u16, size: f32, pen: &mut impl OutlinePen) {
        if let Some(outline) = self.0[face].outlines.get(glyph.into()) {
            let settings = DrawSettings::unhinted(Size::new(size), LocationRef::default());
            let _ = outline.draw(settings, pen);
        }
    }
}

impl Letters for Faces<'_> {
    fn advance(&self, c: char, bold: bool) -> Option<f64> {
        self.glyph(c, bold).map(|(at, glyph)| self.0[at].advance(glyph))
    }

    /// From left to right as it is seen, with missing characters by number, as in `[U+6771]`.
    fn printable(&self, text: &str) -> (String, usize) {
        let info = BidiInfo::new(text, None);
        let lines = info.paragraphs.iter().map(|line| info.reorder_line(line, line.range.clone()));
        let (mut printable, mut missing) = (String::new(), BTreeSet::new());
        for c in lines.collect::<String>().chars() {
            if self.glyph(c, false).is_some() {
                printable.push(c);
            } else {
                printable += &format!("[U+{:04X}]", u32::from(c));
                missing.insert(c);
            }
        }
        (printable, missing.len())
    }
}

impl<'a> Face<'a> {
    fn new(data: &'a [u8]) -> Option<Face<'a>> {
        let font = FontRef::from_index(data, 0).ok()?;
        let (size, place) = (Size::unscaled(), LocationRef::default());
        let (characters, glyphs) = (font.charmap(), font.glyph_metrics(size, place));
        let (outlines, metrics) = (font.outline_glyphs(), font.metrics(size, place));
        Some(Face { data, font, characters, glyphs, outlines, metrics })
    }

    fn glyph(&self, c: char) -> Option<u16> {
        self.characters.map(c).and_then(|glyph| u16::try_from(glyph.to_u32()).ok())
    }

    /// Width of a glyph, in thousandths of the font size.
    pub fn advance(&self, glyph: u16) -> f64 {
        // Whole, as in HTML: lines break at the same words.
        self.per_mille(self.glyphs.advance_width(glyph.into()).unwrap_or(0.0)).round()
    }

    /// A length in font units, in thousandths of the font size.
    pub fn per_mille(&self, units: f32) -> f64 {
        f64::from(units) * 1000.0 / f64::from(self.metrics.units_per_em)
    }

    /// The name of a subset: a tag of six letters computed from the subset's characters, and the font's PostScript name.
    pub fn name_of(&self, subset: &Subset) -> String {
        let mut hash = fnv1a(subset.characters.iter().collect::<String>().as_bytes());
        let tag: String = std::iter::repeat_with(|| {
            let letter = b'A' + (hash % 26) as u8;
            hash /= 26;
            char::from(letter)
        })
        .take(6)
        .collect();
        let name = self.font.localized_strings(StringId::POSTSCRIPT_NAME).english_or_first();
        let name: String = name.iter().flat_map(|name| name.chars()).filter(char::is_ascii_graphic).collect();
        format!("{tag}+{name}")
    }

    /// The font program of a subset; `true` if its outlines are PostScript's.
    ///
    /// # Errors
    /// The font is damaged.
    pub fn program(&self, used: &Subset) -> Result<(Vec<u8>, bool), ExportError> {
        let damaged = |why: String| ExportError::Setting { choice: self.name_of(used), why };
        let font = subset(self.data, 0, &used.glyphs).map_err(|error| damaged(error.to_string()))?;
        let outlines = FontRef::new(&font).map_err(|error| damaged(error.to_string()))?;
        let postscript = outlines.table_data(Tag::new(b"CFF ")).map(|table| table.as_bytes().to_vec());
        Ok(postscript.map_or((font, false), |table| (table, true)))
    }
}

/// The characters of a font that a document shows.
#[derive(Default)]
pub struct Subset {
    pub glyphs: GlyphRemapper,
    /// Characters of the glyphs from 1 on.
    pub characters: Vec<char>,
}

impl Subset {
    /// The number of a glyph in the subset.
    pub fn number(&mut self, glyph: u16, c: char) -> u16 {
        let number = self.glyphs.remap(glyph);
        if usize::from(number) > self.characters.len() {
            self.characters.push(c);
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::{super::font::Helvetica, *};

    #[test]
    fn letters_are_as_wide_as_in_html() {
        let faces = Faces::new(&[]);
        for c in (' '..='ÿ').filter(|c| !"¯±µº÷".contains(*c)) {
            for bold in [false, true] {
                let Some(width) = Helvetica.advance(c, bold) else { continue };
                let embedded = faces.advance(c, bold).unwrap();
                assert!((width - embedded).abs() < 0.5, "{c:?}: {width}, {embedded}");
            }
        }
    }

    #[test]
    fn text_runs_from_left_to_right_and_missing_characters_are_numbers() {
        let faces = Faces::new(&[]);
        assert_eq!(faces.printable("Αθήνα, Москва, Łódź"), ("Αθήνα, Москва, Łódź".into(), 0));
        assert_eq!(faces.printable("אב 12"), ("12 בא".into(), 0));
        assert_eq!(faces.printable("東京 東"), ("[U+6771][U+4EAC] [U+6771]".into(), 2));
    }

    #[test]
    fn files_that_are_no_fonts_are_refused() {
        assert_eq!(check_font(REGULAR), Ok(()));
        assert!(check_font(b"").is_err() && check_font(&REGULAR[..1000]).is_err());
    }
}
