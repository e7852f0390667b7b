//! Pages as PDF 1.7 with embedded fonts. Objects are written as they come: one page and all offsets are in memory.

use super::{
    super::{
        DesignPlan, ExportError, WriteResult,
        picture::{self, Canvas},
    },
    draw::{Area, Drawing, Mark},
    faces::{Face, Faces, Subset},
    page::print,
    print_job::{PrintJob, Printer},
};
use miniz_oxide::deflate::compress_to_vec_zlib;
use pdf_writer::{
    Chunk, Content, Filter, Finish, Name, Rect, Ref, Str, TextStr,
    types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap},
};
use std::io;

/// Points in a millimetre.
const POINTS: f64 = 72.0 / 25.4;
/// Pages of one node of the page tree: readers need not read them all to find one.
const BRANCH: usize = 256;
const FASTER_THAN_SMALL: u8 = 3;
/// Level of compression of pictures.
const SMALL: u8 = 6;
/// Width of stems. Only substitutes for a missing font use it.
const STEM: f32 = 80.0;

const CATALOG: i32 = 1;
const INFO: i32 = 2;
const ROOT: i32 = 3;

const IDENTITY: SystemInfo =
    SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// Writes the document.
pub fn render(plan: &DesignPlan, _: u32, out: &mut dyn io::Write) -> WriteResult {
    let faces = Faces::new(&plan.fonts);
    let job = PrintJob::of(plan, &faces)?;
    let mut document = Document::begin(out, &faces)?;
    let title = format!("Labels: {}", job.plan.title());
    document.head(&title, &job.notes.join("; "), false)?;
    print(&job, &mut document)?;
    document.end()
}

/// A document that is being written.
pub struct Document<'a> {
    out: &'a mut dyn io::Write,
    written: u64,
    /// Offset of each object, by number from 1; 0 if not yet written.
    offsets: Vec<u64>,
    /// Nodes of the page tree: number, and how many pages.
    branches: Vec<(i32, i32)>,
    /// Pages of the node that is not complete.
    pages: Vec<i32>,
    /// The number that node will have.
    parent: i32,
    faces: &'a Faces<'a>,
    /// The used part of each font.
    subsets: Vec<Subset>,
    /// Numbers of pictures, named `P0`, `P1` and so on in pages.
    pictures: Vec<i32>,
}

impl<'a> Document<'a> {
    /// Begins a document.
    pub fn begin(out: &'a mut dyn io::Write, faces: &'a Faces<'a>) -> Result<Document<'a>, ExportError> {
        let mut document = Document {
            out,
            written: 0,
            offsets: vec![0; ROOT as usize],
            branches: Vec::new(),
            pages: Vec::new(),
            parent: 0,
            faces,
            subsets: faces.iter().map(|_| Subset::default()).collect(),
            pictures: Vec::new(),
        };
        // The second line tells that the file is binary.
        document.bytes(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")?;
        Ok(document)
    }

    fn bytes(&mut self, bytes: &[u8]) -> WriteResult {
        self.out.write_all(bytes)?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    /// The number of an object that is yet to be written.
    fn number(&mut self) -> i32 {
        self.offsets.push(0);
        self.offsets.len() as i32
    }

    /// Writes one object.
    fn object(&mut self, number: i32, write: impl FnOnce(&mut Chunk, Ref)) -> WriteResult {
        let mut chunk = Chunk::new();
        write(&mut chunk, Ref::new(number));
        self.offsets[number as usize - 1] = self.written;
        self.bytes(chunk.as_bytes())
    }

    /// Writes title and subject. `scaled` is `true` if readers may fit pages to the paper.
    pub fn head(&mut self, title: &str, subject: &str, scaled: bool) -> WriteResult {
        self.object(CATALOG, |chunk, id| {
            let mut catalog = chunk.indirect(id).dict();
            catalog.pair(Name(b"Type"), Name(b"Catalog")).pair(Name(b"Pages"), Ref::new(ROOT));
            if !scaled {
                catalog.insert(Name(b"ViewerPreferences")).dict().pair(Name(b"PrintScaling"), Name(b"None"));
            }
            catalog.finish();
        })?;
        self.object(INFO, |chunk, id| {
            let mut info = chunk.indirect(id).dict();
            info.pair(Name(b"Title"), TextStr(title));
            info.pair(Name(b"Subject"), TextStr(subject));
            info.pair(Name(b"Creator"), TextStr("Crosspoint"));
        })
    }

    /// Writes the pixels of a picture.
    fn picture(&mut self, canvas: &Canvas) -> WriteResult {
        let number = self.number();
        self.pictures.push(number);
        let packed = compress_to_vec_zlib(&canvas.pixels, SMALL);
        self.object(number, |chunk, id| {
            let mut image = chunk.image_xobject(id, &packed);
            image.width(canvas.width as i32).height(canvas.height as i32);
            image.color_space().device_rgb();
            image.bits_per_component(8).filter(Filter::FlateDecode);
        })
    }

    /// Completes a node of the page tree.
    fn branch(&mut self) -> WriteResult {
        let (number, pages) = (self.parent, std::mem::take(&mut self.pages));
        let count = pages.len() as i32;
        self.branches.push((number, count));
        self.object(number, |chunk, id| {
            let mut node = chunk.pages(id);
            node.parent(Ref::new(ROOT)).count(count).kids(pages.into_iter().map(Ref::new));
        })
    }

    /// Writes the used part of a font, its widths, and what its glyphs stand for. Returns the font's number.
    fn font(&mut self, face: &Face, used: &Subset) -> Result<i32, ExportError> {
        let [font, glyphs, about, program, unicode] = std::array::from_fn(|_| self.number());
        let (name, (data, postscript)) = (face.name_of(used), face.program(used)?);
        let name = Name(name.as_bytes());
        self.object(font, |chunk, id| {
            let mut font = chunk.type0_font(id);
            font.base_font(name).encoding_predefined(Name(b"Identity-H"));
            font.descendant_font(Ref::new(glyphs)).to_unicode(Ref::new(unicode));
        })?;
        self.object(glyphs, |chunk, id| {
            let mut font = chunk.cid_font(id);
            font.base_font(name).system_info(IDENTITY).font_descriptor(Ref::new(about));
            if postscript {
                font.subtype(CidFontType::Type0);
            } else {
                font.subtype(CidFontType::Type2).cid_to_gid_map_predefined(Name(b"Identity"));
            }
            font.widths().consecutive(0, used.glyphs.remapped_gids().map(|glyph| face.advance(glyph) as f32));
        })?;
        self.object(about, |chunk, id| {
            let metrics = &face.metrics;
            let size = |units: f32| face.per_mille(units) as f32;
            let bounds = metrics.bounds.unwrap_or_default();
            let mut about = chunk.font_descriptor(id);
            about.name(name).flags(FontFlags::SYMBOLIC).italic_angle(metrics.italic_angle);
            about.bbox(Rect::new(
                size(bounds.x_min),
                size(bounds.y_min),
                size(bounds.x_max),
                size(bounds.y_max),
            ));
            about.ascent(size(metrics.ascent)).descent(size(metrics.descent));
            about.cap_height(size(metrics.cap_height.unwrap_or(metrics.ascent))).stem_v(STEM);
            if postscript {
                about.font_file3(Ref::new(program));
            } else {
                about.font_file2(Ref::new(program));
            }
        })?;
        let packed = compress_to_vec_zlib(&data, FASTER_THAN_SMALL);
        self.object(program, |chunk, id| {
            let mut stream = chunk.stream(id, &packed);
            stream.filter(Filter::FlateDecode);
            if postscript {
                stream.pair(Name(b"Subtype"), Name(b"CIDFontType0C"));
            } else {
                stream.pair(Name(b"Length1"), data.len() as i32);
            }
        })?;
        let mut map = UnicodeCmap::<u16>::new(Name(b"Custom"), IDENTITY);
        for (number, &c) in (1..).zip(&used.characters) {
            map.pair(number, c);
        }
        self.object(unicode, |chunk, id| {
            chunk.cmap(id, &map.finish()).name(Name(b"Custom")).system_info(IDENTITY);
        })?;
        Ok(font)
    }

    /// Writes fonts and the table of objects.
    pub fn end(mut self) -> WriteResult {
        if !self.pages.is_empty() {
            self.branch()?;
        }
        let mut fonts = Vec::new();
        for (at, (face, subset)) in self.faces.iter().zip(std::mem::take(&mut self.subsets)).enumerate() {
            if !subset.characters.is_empty() {
                fonts.push((resource(at), self.font(face, &subset)?));
            }
        }
        let branches = std::mem::take(&mut self.branches);
        let pictures = std::mem::take(&mut self.pictures);
        self.object(ROOT, |chunk, id| {
            let mut root = chunk.pages(id);
            root.count(branches.iter().map(|branch| branch.1).sum());
            root.kids(branches.iter().map(|branch| Ref::new(branch.0)));
            let mut resources = root.resources();
            let pairs = fonts.iter().map(|(name, font)| (Name(name.as_bytes()), Ref::new(*font)));
            resources.fonts().pairs(pairs);
            let names: Vec<String> = (0..pictures.len()).map(|at| format!("P{at}")).collect();
            let pairs = names.iter().zip(&pictures).map(|(name, at)| (Name(name.as_bytes()), Ref::new(*at)));
            resources.x_objects().pairs(pairs);
        })?;
        let start = self.written;
        let size = self.offsets.len() + 1;
        self.bytes(format!("xref\n0 {size}\n0000000000 65535 f\r\n").as_bytes())?;
        for at in std::mem::take(&mut self.offsets) {
            self.bytes(format!("{at:010} 00000 n\r\n").as_bytes())?;
        }
        let trailer = format!(
            "trailer\n<< /Size {size} /Root {CATALOG} 0 R /Info {INFO} 0 R >>\nstartxref\n{start}\n%%EOF\n"
        );
        self.bytes(trailer.as_bytes())
    }
}

impl Printer for Document<'_> {
    fn page(&mut self, drawing: &Drawing) -> WriteResult {
        if self.pages.is_empty() {
            self.parent = self.number();
        }
        let (page, content, parent) = (self.number(), self.number(), self.parent);
        self.pages.push(page);
        let (wide, high) = (points(drawing.width), points(drawing.height));
        self.object(page, |chunk, id| {
            let mut page = chunk.page(id);
            page.parent(Ref::new(parent))
                .media_box(Rect::new(0.0, 0.0, wide, high))
                .contents(Ref::new(content));
        })?;
        for mark in &drawing.marks {
            if let Mark::Picture { canvas, .. } = mark {
                self.picture(canvas)?;
            }
        }
        let packed = compress_to_vec_zlib(&self.content_of(drawing).finish(), FASTER_THAN_SMALL);
        self.object(content, |chunk, id| {
            chunk.stream(id, &packed).filter(Filter::FlateDecode);
        })?;
        if self.pages.len() == BRANCH { self.branch() } else { Ok(()) }
    }
}

fn points(millimetres: f64) -> f32 {
    (millimetres * POINTS) as f32
}

impl Document<'_> {
    /// A page in millimetres from the top left corner, as everything is drawn.
    fn content_of(&mut self, drawing: &Drawing) -> Content {
        let mut content = Content::with_capacity(drawing.marks.len() * 64);
        let scale = POINTS as f32;
        content.transform([scale, 0.0, 0.0, -scale, 0.0, points(drawing.height)]);
        let is_picture = |mark: &&Mark| matches!(mark, Mark::Picture { .. });
        let mut picture = self.pictures.len() - drawing.marks.iter().filter(is_picture).count();
        for mark in &drawing.marks {
            if let Mark::Picture { area, .. } = mark {
                let [x, y, w, h] = [area.x, area.y + area.h, area.w, -area.h].map(|length| length as f32);
                let name = format!("P{picture}");
                content.save_state().transform([w, 0.0, 0.0, h, x, y]);
                content.x_object(Name(name.as_bytes())).restore_state();
                picture += 1;
            }
            self.draw(&mut content, mark);
        }
        content
    }

    fn draw(&mut self, content: &mut Content, mark: &Mark) {
        let at = |point: &(f64, f64)| (point.0 as f32, point.1 as f32);
        match mark {
            Mark::Fill { area, ink } => {
                fill_ink(content, ink);
                rectangle(content, area);
                content.fill_nonzero();
            }
            Mark::Edge { area, ink, line } => {
                let [r, g, b] = rgb(ink);
                content.set_stroke_rgb(r, g, b).set_line_width(*line as f32);
                rectangle(content, area);
                content.stroke();
            }
            Mark::Line { from, to, line } => {
                let (from, to) = (at(from), at(to));
                content.set_stroke_rgb(0.0, 0.0, 0.0).set_line_width(*line as f32);
                content.move_to(from.0, from.1).line_to(to.0, to.1).stroke();
            }
            Mark::Triangle { corners, ink } => {
                let [a, b, c] = corners.each_ref().map(at);
                fill_ink(content, ink);
                content.move_to(a.0, a.1).line_to(b.0, b.1).line_to(c.0, c.1).close_path().fill_nonzero();
            }
            Mark::Text { at: place, size, bold, ink, text } => {
                let (x, y) = at(place);
                fill_ink(content, ink);
                // Down is up for letters.
                content.begin_text().set_text_matrix([1.0, 0.0, 0.0, -1.0, x, y]);
                let glyphs: Vec<_> = text.chars().filter_map(|c| self.glyph(c, *bold)).collect();
                for run in glyphs.chunk_by(|one, next| one.0 == next.0) {
                    let codes: Vec<u8> = run.iter().flat_map(|glyph| glyph.1.to_be_bytes()).collect();
                    content.set_font(Name(resource(run[0].0).as_bytes()), *size as f32).show(Str(&codes));
                }
                content.end_text();
            }
            Mark::Picture { .. } => {}
            Mark::Qr { at: place, module, code } => {
                let ((x, y), module) = (at(place), *module as f32);
                fill_ink(content, super::draw::BLACK);
                content.save_state().transform([module, 0.0, 0.0, module, x, y]);
                for (x, y, long) in code.runs() {
                    content.rect(x as f32, y as f32, long as f32, 1.0);
                }
                content.fill_nonzero().restore_state();
            }
        }
    }

    /// The font of a character and the glyph's number in its used part.
    fn glyph(&mut self, c: char, bold: bool) -> Option<(usize, u16)> {
        let (at, glyph) = self.faces.glyph(c, bold)?;
        Some((at, self.subsets[at].number(glyph, c)))
    }
}

/// The name of a font in pages.
fn resource(at: usize) -> String {
    format!("F{at}")
}

fn rectangle(content: &mut Content, area: &Area) {
    content.rect(area.x as f32, area.y as f32, area.w as f32, area.h as f32);
}

fn fill_ink(content: &mut Content, ink: &str) {
    let [r, g, b] = rgb(ink);
    content.set_fill_rgb(r, g, b);
}

/// A colour such as `#rrggbb`, each 0 to 1.
fn rgb(ink: &str) -> [f32; 3] {
    picture::rgb(ink).map(|share| f32::from(share) / 255.0)
}
