//! Sheets and tapes for labels, in millimetres.
//!
//! Sizes and steps of die-cut labels are those on their packets; the grid is centred on the page. Margins were checked against the
//! templates of gLabels (`avery-iso-templates.xml`, `avery-us-templates.xml`; within 0.4 mm except the sides of 5160, 0.8 mm
//! narrower there) and Label Planet's figures for L7651. Printable widths of tape are those of Brother's raster command reference
//! for the PT-E550W, P750W and P710BT: 50, 70 and 128 dots at 180 per inch on 9, 12 and 24 mm.

use super::draw::Area;
use crate::form::Choice;

/// Something to print on.
#[derive(Debug)]
pub struct Sheet {
    /// As `sheet=` takes it.
    pub name: &'static str,
    /// Description of the sheet.
    pub what: &'static str,
    /// Arrangement of labels.
    pub kind: Arrangement,
}

/// Arrangement of labels on a sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arrangement {
    /// A page of this size, on which labels are as large as their text asks.
    Plain { page: (f64, f64) },
    /// Labels of a label printer, one after the other: each is a page.
    Roll { size: (f64, f64) },
    /// Labels cut beforehand.
    Cut { page: (f64, f64), grid: Grid },
    /// Tape of a width, of which the middle can be printed on. Each label is a page; its length follows from its text.
    Tape { width: f64, printable: f64 },
}

/// Labels in equal steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    pub columns: u32,
    pub rows: u32,
    /// The top left corner of the first.
    pub first: (f64, f64),
    /// From one to the next.
    pub step: (f64, f64),
    /// Size of one label.
    pub size: (f64, f64),
}

const A4: (f64, f64) = (210.0, 297.0);
const LETTER: (f64, f64) = (215.9, 279.4);
const INCH: f64 = 25.4;

/// Every sheet. The first is what holds unless another is chosen.
pub const SHEETS: &[Sheet] = &[
    // Width of A4 and, but for what browsers round, height of Letter.
    plain("paper", "plain paper, A4 or Letter", (A4.0, LETTER.1 - 0.4)),
    plain("a4", "plain A4 paper", A4),
    plain("letter", "plain Letter paper", LETTER),
    cut("l7159", "Avery L7159, 24 labels of 63.5 × 33.9 mm on A4", A4, (3, 8), (63.5, 33.9), (66.0, 33.9)),
    cut("l7160", "Avery L7160, 21 labels of 63.5 × 38.1 mm on A4", A4, (3, 7), (63.5, 38.1), (66.04, 38.1)),
    cut("l7651", "Avery L7651, 65 labels of 38.1 × 21.2 mm on A4", A4, (5, 13), (38.1, 21.2), (40.6, 21.2)),
    inches("5160", "Avery 5160, 30 labels of 2 5/8 × 1 inch on Letter", (3, 10), (2.625, 1.0), (2.75, 1.0)),
    inches("5163", "Avery 5163, 10 labels of 4 × 2 inches on Letter", (2, 5), (4.0, 2.0), (4.1875, 2.0)),
    inches(
        "5167",
        "Avery 5167, 80 labels of 1 3/4 × 1/2 inch on Letter",
        (4, 20),
        (1.75, 0.5),
        (2.0625, 0.5),
    ),
    tape("tape9", "tape of 9 mm", 9.0, 50.0),
    tape("tape12", "tape of 12 mm", 12.0, 70.0),
    tape("tape24", "tape of 24 mm", 24.0, 128.0),
];

/// Everything that label printers print on. The first is what holds unless another is chosen. Sizes are those of Zebra's stock, which
/// are whole quarters of an inch.
pub const ROLLS: &[Sheet] = &[
    roll("51x25", "labels of 2 × 1 inch (51 × 25 mm)", (2.0, 1.0)),
    roll("57x32", "labels of 2.25 × 1.25 inches (57 × 32 mm)", (2.25, 1.25)),
    roll("76x25", "labels of 3 × 1 inch (76 × 25 mm)", (3.0, 1.0)),
    roll("76x51", "labels of 3 × 2 inches (76 × 51 mm)", (3.0, 2.0)),
    roll("102x51", "labels of 4 × 2 inches (102 × 51 mm)", (4.0, 2.0)),
    roll("102x76", "labels of 4 × 3 inches (102 × 76 mm)", (4.0, 3.0)),
    roll("102x152", "labels of 4 × 6 inches (102 × 152 mm)", (4.0, 6.0)),
    Sheet {
        name: "strip25",
        what: "continuous stock of 1 inch (25 mm)",
        kind: Arrangement::Tape { width: INCH, printable: INCH - 2.0 },
    },
];

const fn roll(name: &'static str, what: &'static str, size: (f64, f64)) -> Sheet {
    Sheet { name, what, kind: Arrangement::Roll { size: (size.0 * INCH, size.1 * INCH) } }
}

const fn plain(name: &'static str, what: &'static str, page: (f64, f64)) -> Sheet {
    Sheet { name, what, kind: Arrangement::Plain { page } }
}

const fn cut(
    name: &'static str,
    what: &'static str,
    page: (f64, f64),
    (columns, rows): (u32, u32),
    size: (f64, f64),
    step: (f64, f64),
) -> Sheet {
    let across = (columns - 1) as f64 * step.0 + size.0;
    let down = (rows - 1) as f64 * step.1 + size.1;
    let first = ((page.0 - across) / 2.0, (page.1 - down) / 2.0);
    Sheet { name, what, kind: Arrangement::Cut { page, grid: Grid { columns, rows, first, step, size } } }
}

const fn inches(
    name: &'static str,
    what: &'static str,
    count: (u32, u32),
    size: (f64, f64),
    step: (f64, f64),
) -> Sheet {
    cut(name, what, LETTER, count, (size.0 * INCH, size.1 * INCH), (step.0 * INCH, step.1 * INCH))
}

const fn tape(name: &'static str, what: &'static str, width: f64, dots: f64) -> Sheet {
    Sheet { name, what, kind: Arrangement::Tape { width, printable: dots / 180.0 * INCH } }
}

/// A list to choose from.
pub fn choices(list: &[Sheet]) -> Vec<Choice> {
    list.iter().map(|sheet| Choice::new(sheet.name, sheet.what)).collect()
}

/// The sheet of a name in a list.
pub fn named(name: &str, list: &'static [Sheet]) -> Option<&'static Sheet> {
    list.iter().find(|sheet| sheet.name == name)
}

impl Sheet {
    /// The least side of a QR code's module that can be read. Sheets: 4 dots at 300 an inch; tape: 4 at 180 (Denso Wave asks for
    /// 4 dots or more).
    pub fn least_module(&self) -> f64 {
        if matches!(self.kind, Arrangement::Tape { .. }) { 4.0 * INCH / 180.0 } else { 4.0 * INCH / 300.0 }
    }
}

impl Grid {
    /// Equal labels that fill an area without gaps.
    pub fn filling(area: Area, columns: u32, rows: u32) -> Grid {
        let size = (area.w / f64::from(columns), area.h / f64::from(rows));
        Grid { columns, rows, first: (area.x, area.y), step: size, size }
    }

    /// From the top of the first row to the bottom of the last.
    pub fn height(&self) -> f64 {
        f64::from(self.rows - 1) * self.step.1 + self.size.1
    }

    /// A label, by column and row.
    pub fn area(&self, (column, row): (u32, u32)) -> Area {
        let x = self.first.0 + f64::from(column) * self.step.0;
        let y = self.first.1 + f64::from(row) * self.step.1;
        Area { x, y, w: self.size.0, h: self.size.1 }
    }

    /// Every label, row by row.
    pub fn cells(&self) -> Vec<Area> {
        let all = (0..self.rows).flat_map(|row| (0..self.columns).map(move |column| (column, row)));
        all.map(|at| self.area(at)).collect()
    }

    /// Labels by two that touch: beside each other, and one below the other in a column that is left over. Of an odd number
    /// of labels the last stays empty.
    pub fn pairs(&self) -> Vec<[Area; 2]> {
        let mut pairs = Vec::new();
        for row in 0..self.rows {
            for column in (0..self.columns / 2).map(|pair| 2 * pair) {
                pairs.push([self.area((column, row)), self.area((column + 1, row))]);
            }
            if self.columns % 2 == 1 && row % 2 == 1 {
                pairs.push([(self.columns - 1, row - 1), (self.columns - 1, row)].map(|at| self.area(at)));
            }
        }
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Margins that makers and gLabels print: left and top, within what paper moves in a printer.
    #[test]
    fn margins_are_those_of_the_templates() {
        let templates = [
            ("l7159", 7.2, 12.9),
            ("l7160", 7.2, 15.15),
            ("l7651", 4.75, 10.7),
            ("5160", 4.76, 12.7),
            ("5163", 3.97, 12.7),
            ("5167", 7.14, 12.7),
        ];
        for (name, left, top) in templates {
            let Arrangement::Cut { page, grid } = named(name, SHEETS).unwrap().kind else { panic!("{name}") };
            assert!(
                (grid.first.0 - left).abs() < 0.06 && (grid.first.1 - top).abs() < 0.06,
                "{name}: {grid:?}"
            );
            let last = grid.area((grid.columns - 1, grid.rows - 1));
            assert!((last.x + last.w + grid.first.0 - page.0).abs() < 1e-9, "{name}");
            assert!((last.y + last.h + grid.first.1 - page.1).abs() < 1e-9, "{name}");
            assert!(grid.step.0 >= grid.size.0 && grid.step.1 >= grid.size.1, "{name}");
        }
    }

    #[test]
    fn pairs_touch_and_take_no_label_twice() {
        for (columns, rows) in [(1, 1), (1, 5), (2, 5), (3, 7), (3, 8), (5, 13), (4, 20)] {
            let grid = Grid::filling(Area { x: 0.0, y: 0.0, w: 1.0, h: 1.0 }, columns, rows);
            let pairs = grid.pairs();
            assert_eq!(pairs.len() as u32, columns * rows / 2, "{columns} × {rows}");
            let mut seen: Vec<Area> = Vec::new();
            for [a, b] in pairs {
                let beside = a.y == b.y && (a.x + a.w - b.x).abs() < 1e-9;
                let below = a.x == b.x && (a.y + a.h - b.y).abs() < 1e-9;
                assert!(beside || below, "{a:?} {b:?}");
                assert!(!seen.contains(&a) && !seen.contains(&b));
                seen.extend([a, b]);
            }
        }
    }
}
