//! Text, tables and pictures that flow over pages.

use super::super::{
    labels::{
        draw::{Area, BLACK, CAP, Drawing, Font, GREY, Mark},
        faces::Faces,
        font::Letters,
    },
    picture::Canvas,
};

/// Margins: left and right, top, bottom.
const SIDE: f64 = 18.0;
const TOP: f64 = 18.0;
const BOTTOM: f64 = 20.0;
/// Sizes of letters.
pub const BODY: f64 = 3.3;
pub const SMALL: f64 = 2.7;
const HEADING: f64 = 5.0;
const TITLE: f64 = 8.0;
/// From line to line, in letters.
const LINE: f64 = 1.35;
/// Between two columns of a table, and above and below its rows.
const GAP: f64 = 3.0;
const PAD: f64 = 0.8;
const RULE: &str = "#bbbbbb";

/// A column of a table.
#[derive(Clone, Copy)]
pub struct Column {
    pub title: &'static str,
    /// Share of the table's width.
    pub share: f64,
    /// `true` if its cells end at the right.
    pub right: bool,
}

impl Column {
    pub const fn left(title: &'static str, share: f64) -> Column {
        Column { title, share, right: false }
    }

    pub const fn right(title: &'static str, share: f64) -> Column {
        Column { title, share, right: true }
    }
}

/// Pages that fill from the top. All are held, since each one says how many there are.
pub struct Flow<'a> {
    faces: &'a Faces<'a>,
    page: (f64, f64),
    done: Vec<Drawing>,
    current: Drawing,
    /// Free from here on.
    y: f64,
}

impl<'a> Flow<'a> {
    pub fn new(faces: &'a Faces<'a>, page: (f64, f64)) -> Flow<'a> {
        let mut flow = Flow { faces, page, done: Vec::new(), current: Drawing::default(), y: TOP };
        flow.current.begin(page);
        flow
    }

    /// Width of the text.
    pub fn width(&self) -> f64 {
        self.page.0 - 2.0 * SIDE
    }

    fn font(&self, size: f64, bold: bool) -> Font<'a> {
        Font { letters: self.faces, size, bold, ink: BLACK }
    }

    /// A text with codes for characters that no font has.
    fn printable(&self, text: &str) -> String {
        self.faces.printable(text).0
    }

    fn bottom(&self) -> f64 {
        self.page.1 - BOTTOM
    }

    /// Begins a page.
    pub fn next_page(&mut self) {
        let mut next = Drawing::default();
        next.begin(self.page);
        self.done.push(std::mem::replace(&mut self.current, next));
        self.y = TOP;
    }

    /// Begins a page unless so much is free.
    fn need(&mut self, height: f64) {
        if self.y + height > self.bottom() && self.y > TOP {
            self.next_page();
        }
    }

    /// Skips a space.
    pub fn space(&mut self, height: f64) {
        self.y += height;
    }

    pub fn title(&mut self, text: &str) {
        self.lines(text, self.font(TITLE, true));
        self.y += 1.5;
    }

    /// A heading, which is never the last line of a page.
    pub fn heading(&mut self, text: &str) {
        self.y += 5.0;
        self.need(HEADING * LINE + 18.0);
        self.lines(text, self.font(HEADING, true));
        self.y += 1.0;
    }

    pub fn paragraph(&mut self, text: &str) {
        self.lines(text, self.font(BODY, false));
        self.y += 1.2;
    }

    pub fn note(&mut self, text: &str) {
        self.lines(text, self.font(SMALL, false).ink("#444444"));
        self.y += 1.0;
    }

    /// A sentence that must not be missed, in a frame.
    pub fn verdict(&mut self, text: &str, ink: &'static str) {
        let font = self.font(BODY * 1.25, true).ink(ink);
        let lines = font.wrapped(&self.printable(text), self.width() - 8.0);
        let height = lines.len() as f64 * font.size * LINE + 4.0;
        self.need(height);
        let area = Area { x: SIDE, y: self.y, w: self.width(), h: height };
        self.current.edge(area, ink, 0.4);
        let mut y = self.y + 2.0;
        for line in lines {
            self.current.text((SIDE + 4.0, y + font.size * (LINE + CAP) / 2.0), font, line);
            y += font.size * LINE;
        }
        self.y += height + 3.0;
    }

    fn lines(&mut self, text: &str, font: Font) {
        for line in font.wrapped(&self.printable(text), self.width()) {
            self.need(font.size * LINE);
            self.current.text((SIDE, self.y + font.size * (LINE + CAP) / 2.0), font, line);
            self.y += font.size * LINE;
        }
    }

    /// A table. Its head is on every page that it reaches; rows are not divided.
    pub fn table(&mut self, columns: &[Column], rows: &[Vec<String>], size: f64) {
        let shares: f64 = columns.iter().map(|column| column.share).sum();
        let room = self.width() - GAP * (columns.len() - 1) as f64;
        let widths: Vec<f64> = columns.iter().map(|column| column.share / shares * room).collect();
        let head: Vec<String> = columns.iter().map(|column| column.title.to_owned()).collect();
        let has_head = head.iter().any(|title| !title.is_empty());
        let cells = |flow: &Flow, row: &[String], bold: bool| -> (Vec<Vec<String>>, f64) {
            let font = flow.font(size, bold);
            let cells: Vec<Vec<String>> = row
                .iter()
                .zip(&widths)
                .map(|(text, room)| font.wrapped(&flow.printable(text), *room))
                .collect();
            let lines = cells.iter().map(Vec::len).max().unwrap_or(1).max(1);
            (cells, lines as f64 * size * LINE + 2.0 * PAD)
        };
        let (head, head_height) = cells(self, &head, true);
        let mut is_headed = !has_head;
        for row in rows {
            let (row, height) = cells(self, row, false);
            let wanted = height + if is_headed { 0.0 } else { head_height };
            if self.y + wanted > self.bottom() && self.y > TOP {
                self.next_page();
                is_headed = !has_head;
            }
            if !is_headed {
                self.row(columns, &widths, &head, (self.font(size, true), head_height));
                is_headed = true;
            }
            self.row(columns, &widths, &row, (self.font(size, false), height));
        }
        self.y += 2.0;
    }

    fn row(
        &mut self,
        columns: &[Column],
        widths: &[f64],
        cells: &[Vec<String>],
        (font, height): (Font, f64),
    ) {
        let mut x = SIDE;
        for ((column, width), lines) in columns.iter().zip(widths).zip(cells) {
            let mut y = self.y + PAD;
            for line in lines {
                let base = y + font.size * (LINE + CAP) / 2.0;
                if column.right {
                    self.current.text_to((x + width, base), font, line);
                } else {
                    self.current.text((x, base), font, line);
                }
                y += font.size * LINE;
            }
            x += width + GAP;
        }
        self.y += height;
        self.current.fill(Area { x: SIDE, y: self.y, w: self.width(), h: 0.15 }, RULE);
    }

    /// A picture under a heading and a note, as large as fits into a width and a height.
    pub fn picture(&mut self, (heading, note): (&str, &str), canvas: Canvas, (width, height): (f64, f64)) {
        let (w, h) = (canvas.width.max(1) as f64, canvas.height.max(1) as f64);
        let scale = (width.min(self.width()) / w).min(height / h);
        let area = Area { x: SIDE, y: 0.0, w: w * scale, h: h * scale };
        self.need(area.h + 2.0 + 25.0);
        self.heading(heading);
        self.note(note);
        let area = Area { y: self.y, ..area };
        self.current.marks.push(Mark::Picture { area, canvas });
        self.current.edge(area, RULE, 0.15);
        self.y += area.h + 2.0;
    }

    /// Room of a size, for something that draws itself.
    pub fn place(&mut self, (w, h): (f64, f64), draw: impl FnOnce(&mut Drawing, Area)) {
        self.need(h + 2.0);
        draw(&mut self.current, Area { x: SIDE, y: self.y, w, h });
        self.y += h + 2.0;
    }

    /// All pages, each with a line of text and its number at the bottom.
    pub fn finish(mut self, footer: &str) -> Vec<Drawing> {
        let current = std::mem::take(&mut self.current);
        self.done.push(current);
        let font = Font { letters: self.faces, size: SMALL, bold: false, ink: GREY };
        let mut pages = std::mem::take(&mut self.done);
        let (count, y) = (pages.len(), self.page.1 - 11.0);
        for (page, number) in pages.iter_mut().zip(1..) {
            let place = format!("page {number} of {count}");
            let room = self.width() - font.width(&place) - 6.0;
            page.text((SIDE, y), font, font.shortened(&self.printable(footer), room));
            page.text_to((self.page.0 - SIDE, y), font, place);
        }
        pages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: (f64, f64) = (210.0, 297.0);

    #[test]
    fn text_stays_inside_the_margins_and_tables_repeat_their_head() {
        let faces = Faces::new(&[]);
        let mut flow = Flow::new(&faces, PAGE);
        flow.title(&"long".repeat(60));
        flow.paragraph(&"words of a paragraph ".repeat(300));
        let columns = [Column::left("Name", 1.0), Column::right("Number", 1.0), Column::left("Text", 3.0)];
        let row = |at: usize| vec!["W".repeat(at % 50), at.to_string(), "some words ".repeat(at % 30)];
        flow.table(&columns, &(0..200).map(row).collect::<Vec<_>>(), BODY);
        flow.verdict(&"a verdict ".repeat(40), BLACK);
        let pages = flow.finish(&"footer".repeat(80));
        let mut numbers = Vec::new();
        for (number, page) in (1..).zip(&pages) {
            let mut has_head = false;
            for mark in &page.marks {
                let Mark::Text { at: (x, y), size, bold, text, .. } = mark else { continue };
                let end = x + faces.width(text, *bold) * size;
                assert!(*x > SIDE - 0.01 && end < PAGE.0 - SIDE + 0.01, "{text}: {x} to {end}");
                assert!(*y > TOP && *y < PAGE.1 - 10.0, "{text}: {y}");
                assert!(*y < PAGE.1 - BOTTOM + 0.01 || *y > PAGE.1 - 12.0, "{text}: {y}");
                has_head |= text == "Number";
                numbers.extend(text.parse::<usize>());
            }
            let last = page.marks.last();
            let is_numbered = |mark: &Mark| matches!(mark, Mark::Text { text, .. } if *text == format!("page {number} of {}", pages.len()));
            assert!(last.is_some_and(is_numbered));
            assert!(has_head || number == 1 || number == pages.len(), "page {number}");
        }
        assert_eq!(numbers, (0..200).collect::<Vec<_>>());
    }

    #[test]
    fn a_heading_stays_with_its_picture() {
        let faces = Faces::new(&[]);
        let mut flow = Flow::new(&faces, PAGE);
        flow.space(150.0);
        flow.picture(("Map", "Of nodes."), Canvas::new(10, 10, [0; 3]), (120.0, 120.0));
        let pages = flow.finish("");
        let is_heading = |mark: &Mark| matches!(mark, Mark::Text { text, .. } if text == "Map");
        assert_eq!(pages.len(), 2);
        assert!(pages[1].marks.iter().any(is_heading) && !pages[0].marks.iter().any(is_heading));
    }
}
