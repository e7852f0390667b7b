//! ZBar reads the codes of labels, poppler their places on each sheet, and zebrafy the labels of label printers.

use crate::{python, small};
use anyhow::{Context, Result, ensure};
use e2e::{
    chromium,
    lab::machine::Machine,
    readers::{DESIGN, missing, read_by, run, run_quietly, tool},
    story,
};
use serde_json::Value;
use std::{
    collections::{BTreeSet, HashSet},
    path::{Path, PathBuf},
};

const LINK: &str = "https://studio.example.org/d/AbCd";

#[test]
fn zbar_reads_the_code_of_every_label() {
    story("Chromium, ZBar", missing(&["Chromium", "ZBar", "poppler"]), |dir| {
        let machine = small(dir)?;
        let link = format!("link={LINK}");
        let expected: BTreeSet<String> = (0..8).map(|node| format!("{LINK}/node/{node}")).collect();
        for (format, of) in [("labels-pdf", "pe"), ("labels-pdf", "cable"), ("labels", "pe")] {
            let file = dir.join(if format == "labels" { "labels.html" } else { "labels.pdf" });
            machine.export_to(&file, format, &[&link, &format!("of={of}")])?;
            let pdf = if format == "labels" { printed(&file)? } else { file };
            let (codes, labels) =
                (codes(&pdf, dir)?, if of == "pe" { 8 } else { 2 * machine.cables().len() });
            ensure!(
                codes.iter().cloned().collect::<BTreeSet<_>>() == expected,
                "{format} of {of}: {codes:?}"
            );
            // ZBar lists equal codes of a page once.
            ensure!(of == "cable" || codes.len() == labels, "{format} of {of}: {codes:?}");
        }
        read_by("Chromium", DESIGN, &["labels"])?;
        read_by("ZBar", DESIGN, &["labels", "labels-pdf"])
    });
}

/// A page as Chromium prints it.
fn printed(html: &Path) -> Result<PathBuf> {
    let pdf = html.with_extension("printed.pdf");
    let mut command = std::process::Command::new(chromium::executable()?);
    command.args(["--headless", "--no-sandbox", "--no-pdf-header-footer", "--disable-gpu"]);
    command.arg(format!("--user-data-dir={}", html.with_extension("profile").display()));
    run(command.arg(format!("--print-to-pdf={}", pdf.display())).arg(html))?;
    Ok(pdf)
}

/// The text of each code in a PDF, as printed with 300 dots per inch.
fn codes(pdf: &Path, dir: &Path) -> Result<Vec<String>> {
    let pages = dir.join("pages");
    // An error means that there are none yet.
    let _ = std::fs::remove_dir_all(&pages);
    std::fs::create_dir(&pages)?;
    run(tool("pdftoppm").args(["-gray", "-r", "300"]).arg(pdf).arg(pages.join("page")))?;
    scanned(&crate::all_files(&pages)?)
}

/// The text of each code in pictures. ZBar fails if one has none.
fn scanned(pictures: &[PathBuf]) -> Result<Vec<String>> {
    let said =
        run(tool("zbarimg").args(["--quiet", "--raw", "-Sdisable", "-Sqrcode.enable"]).args(pictures))?;
    Ok(said.lines().map(str::to_owned).collect())
}

#[test]
fn zebrafy_and_zbar_read_the_labels_of_label_printers() {
    story("zebrafy, ZBar", missing(&["zebrafy", "ZBar"]), |dir| {
        let machine = small(dir)?;
        let expected: BTreeSet<String> = (0..8).map(|node| format!("{LINK}/node/{node}")).collect();
        let cables = machine.cables().len();
        for (roll, dpi, of, count) in [
            ("76x25", "203", "pe", 8),
            ("102x51", "300", "pe", 8),
            ("102x51", "203", "cable", 2 * cables),
            ("strip25", "300", "flag", cables),
        ] {
            let (file, labels) = (dir.join("labels.zpl"), dir.join(format!("{roll} {dpi} {of}")));
            let choices =
                [format!("link={LINK}"), format!("roll={roll}"), format!("dpi={dpi}"), format!("of={of}")];
            machine.export_to(&file, "labels-zpl", &choices.each_ref().map(String::as_str))?;
            std::fs::create_dir(&labels)?;
            let sizes = run(python("read_zpl.py").arg(&file).arg(&labels))?;
            // Labels before them have notes.
            ensure!(sizes.lines().count() > count, "{choices:?}: {sizes}");
            for line in sizes.lines() {
                let dots: Vec<f64> = line.split(' ').map(str::parse).collect::<Result<_, _>>()?;
                // Rows are of whole bytes.
                ensure!(
                    dots.len() == 4 && dots[2] - dots[0] < 8.0 && dots[1] == dots[3],
                    "{choices:?}: {line}"
                );
                // Inches of the stock; printers of 203 dots per inch have 8 per millimetre.
                let per_inch = if dpi == "300" { 300.0 } else { 203.2 };
                let [wide, high] = [dots[0] / per_inch, dots[1] / per_inch];
                let inches = match roll {
                    "76x25" => (3.0, 1.0),
                    "102x51" => (4.0, 2.0),
                    _ => (1.0, high),
                };
                let off = (wide - inches.0).abs().max((high - inches.1).abs());
                ensure!(off * per_inch <= 0.5, "{choices:?}: {wide} × {high} inches");
            }
            let pictures = crate::all_files(&labels)?;
            let codes = scanned(&pictures[pictures.len() - count..])?;
            ensure!(codes.iter().cloned().collect::<BTreeSet<_>>() == expected, "{choices:?}: {codes:?}");
            // Both halves of the flags at both ends of a cable have one.
            let each = if of == "flag" { 4 } else { 1 };
            ensure!(codes.len() == each * count, "{choices:?}: {} codes", codes.len());
        }
        read_by("zebrafy", DESIGN, &["labels-zpl"])?;
        read_by("ZBar", DESIGN, &["labels-zpl"])
    });
}

#[test]
fn both_sides_of_a_flag_have_its_text() {
    story("poppler", missing(&["poppler"]), |dir| {
        let machine = small(dir)?;
        for (sheet, diameter) in [("tape12", 6.0), ("tape24", 9.5)] {
            let pages =
                words(&machine, dir, (sheet, &["of=flag", "qr=none", &format!("diameter={diameter}")]))?;
            let around = std::f64::consts::PI * diameter;
            let mut flags = 0;
            for ((wide, _), words) in pages {
                // Strips before the flags have notes; a page of a cable has the flags of both its ends.
                if !words.iter().any(|word| word.0 == "to") {
                    continue;
                }
                for middle in [wide / 4.0, wide * 0.75] {
                    let half = |side: f64| {
                        let (from, to) = if side < 0.0 {
                            (middle - wide / 4.0, middle)
                        } else {
                            (middle, middle + wide / 4.0)
                        };
                        words.iter().filter(|word| word.1[0] >= from && word.1[0] < to).collect::<Vec<_>>()
                    };
                    let (left, right) = (half(-1.0), half(1.0));
                    ensure!(left.len() >= 4 && left.len() == right.len(), "{sheet}: {left:?} {right:?}");
                    let step = right[0].1[0] - left[0].1[0];
                    for (one, other) in left.iter().zip(&right) {
                        let shift = [one.1[0] + step, one.1[1], one.1[2] + step, one.1[3]];
                        let off = shift.iter().zip(other.1).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                        ensure!(one.0 == other.0 && off < 0.05, "{sheet}: {one:?} {other:?}");
                    }
                    // No word is on the cable.
                    let near =
                        |word: &&Word| word.1[2] > middle - around / 2.0 && word.1[0] < middle + around / 2.0;
                    ensure!(!words.iter().any(|word| near(&word)), "{sheet}: {words:?}");
                    flags += 1;
                }
            }
            ensure!(flags == 2 * machine.cables().len(), "{sheet}: {flags} flags");
        }
        read_by("poppler", DESIGN, &["labels-pdf"])
    });
}

/// Published geometry of a sheet in millimetres.
struct Published {
    name: &'static str,
    page: (f64, f64),
    columns: usize,
    rows: usize,
    /// Top left corner of the first label.
    first: (f64, f64),
    step: (f64, f64),
    size: (f64, f64),
}

const A4: (f64, f64) = (210.0, 297.0);
const LETTER: (f64, f64) = (215.9, 279.4);
const INCH: f64 = 25.4;

/// Corners of L7159 as Label Planet publishes them for its equivalent, of the others as gLabels does; that of 5160 is Avery's own.
const SHEETS: [Published; 6] = [
    sheet("l7159", A4, (3, 8), (7.2, 12.9), (66.0, 33.9), (63.5, 33.9)),
    sheet("l7160", A4, (3, 7), (7.48, 15.49), (66.04, 38.1), (63.5, 38.1)),
    sheet("l7651", A4, (5, 13), (4.7, 10.9), (40.6, 21.2), (38.1, 21.2)),
    sheet("5160", LETTER, (3, 10), (0.1875 * INCH, 0.5 * INCH), (2.75 * INCH, INCH), (2.625 * INCH, INCH)),
    sheet(
        "5163",
        LETTER,
        (2, 5),
        (0.1625 * INCH, 0.5 * INCH),
        (4.1875 * INCH, 2.0 * INCH),
        (4.0 * INCH, 2.0 * INCH),
    ),
    sheet(
        "5167",
        LETTER,
        (4, 20),
        (0.28125 * INCH, 0.5 * INCH),
        (2.0625 * INCH, 0.5 * INCH),
        (1.75 * INCH, 0.5 * INCH),
    ),
];

const fn sheet(
    name: &'static str,
    page: (f64, f64),
    (columns, rows): (usize, usize),
    first: (f64, f64),
    step: (f64, f64),
    size: (f64, f64),
) -> Published {
    Published { name, page, columns, rows, first, step, size }
}

/// What a printer and a template may be apart, in millimetres.
const TOLERANCE: f64 = 0.4;

#[test]
fn labels_are_where_each_sheet_has_them() {
    story("poppler", missing(&["poppler"]), |dir| {
        let spec = "name = \"Ninety-six\"\npes = 96\nnis_per_pe = 1\n\n[[switch]]\nports = 96\n\n[[pattern]]\nkind = \"ring\"\n";
        let all: Vec<String> = (0..96).map(|pe| pe.to_string()).collect();
        let machine = Machine::wired(dir, spec, &format!("0: {}\n", all.join(" ")))?;
        for sheet in SHEETS {
            let pages = words(&machine, dir, (sheet.name, &[]))?;
            let per_page = sheet.columns * sheet.rows;
            ensure!(pages.len() == 96_usize.div_ceil(per_page), "{}: {} pages", sheet.name, pages.len());
            let mut labels = 0;
            for (page, (size, words)) in pages.iter().enumerate() {
                ensure!(near(*size, sheet.page), "{}: a page of {size:?} mm", sheet.name);
                for word in words {
                    let Some(node) = word.node() else { continue };
                    let at = node - page * per_page;
                    let (column, row) = ((at % sheet.columns) as f64, (at / sheet.columns) as f64);
                    let corner = (sheet.first.0 + column * sheet.step.0, sheet.first.1 + row * sheet.step.1);
                    ensure!(
                        word.is_in(corner, sheet.size),
                        "{}: {word:?} is not on its label at {corner:?}",
                        sheet.name
                    );
                    labels += 1;
                }
            }
            ensure!(labels == 96, "{}: {labels} labels", sheet.name);
        }
        for (tape, width, printable) in
            [("tape9", 9.0, 50.0), ("tape12", 12.0, 70.0), ("tape24", 24.0, 128.0)]
        {
            let pages = words(&machine, dir, (tape, &[]))?;
            let margin = (width - printable / 180.0 * INCH) / 2.0;
            for ((_, height), _) in &pages {
                ensure!((height - width).abs() < 0.1, "{tape}: {height} mm wide");
            }
            // Boxes of words are higher than their ink.
            let ink = ink(&dir.join(format!("{tape}.pdf")), dir)?;
            ensure!(ink.0 >= margin - DOT && ink.1 <= width - margin + DOT, "{tape}: ink from {ink:?} mm");
            let named =
                pages.iter().flat_map(|(_, words)| words).filter(|word| word.node().is_some()).count();
            ensure!(named == 96, "{tape}: {named} labels");
        }
        read_by("poppler", DESIGN, &["labels-pdf"])
    });
}

#[test]
fn documents_are_whole_and_have_their_fonts() {
    story("poppler, fonts", missing(&["poppler"]), |dir| {
        let machine = small(dir)?;
        for format in ["report", "labels-pdf"] {
            let pdf = dir.join(format!("{format}.pdf"));
            machine.export_to(&pdf, format, &[])?;
            // A file that poppler has to repair is a complaint on standard error.
            let text = run_quietly(tool("pdftotext").arg(&pdf).arg("-"))?;
            ensure!(text.contains("Ü \"lab\" #1"), "{format}: {text}");
            let fonts = run_quietly(tool("pdffonts").arg(&pdf))?;
            let lines: Vec<&str> = fonts.lines().skip(2).collect();
            // Embedded, subset, with characters that a search finds.
            let whole = lines.iter().all(|line| line.contains(" yes yes yes "));
            ensure!(whole && !lines.is_empty(), "{format}: {fonts}");
        }
        read_by("poppler", DESIGN, &["report", "labels-pdf"])
    });
}

/// The wiring as a JSON document.
fn wiring(machine: &Machine) -> Result<Value> {
    Ok(serde_json::from_str(&std::fs::read_to_string(machine.export("json", "")?)?)?)
}

/// One of its lists.
fn list<'a>(wiring: &'a Value, name: &'static str) -> Result<&'a Vec<Value>> {
    wiring[name].as_array().context(name)
}

#[test]
fn chromium_prints_every_step_of_the_work_list() {
    story("Chromium, poppler", missing(&["Chromium", "poppler"]), |dir| {
        let machine = small(dir)?;
        let html = dir.join("work.html");
        machine.export_to(&html, "worklist", &[])?;
        let text = run_quietly(tool("pdftotext").arg("-layout").arg(printed(&html)?).arg("-"))?;
        for cable in list(&wiring(&machine)?, "cables")? {
            let number = |key: &str| cable[key].as_u64().with_context(|| key.to_owned());
            let node = format!("node{:03} NIC{}", number("pe")?, number("ni")?);
            let switch = format!("sw{:02} port {}", number("switch")?, number("port")?);
            let steps = text.lines().filter(|line| line.contains(&node) && line.contains(&switch)).count();
            ensure!(steps == 1, "{node} at {switch}: {steps} steps in {text}");
        }
        read_by("Chromium", DESIGN, &["worklist"])
    });
}

#[test]
fn chromium_shows_the_pictures() {
    story("Chromium, poppler", missing(&["Chromium", "poppler"]), |dir| {
        let machine = small(dir)?;
        machine.export_to(&dir.join("picture.png"), "png", &[])?;
        let html = dir.join("picture.html");
        std::fs::write(&html, "<img src=\"picture.png\">")?;
        run(tool("pdfimages").arg(printed(&html)?).arg(dir.join("shown")))?;
        let shown = std::fs::read(dir.join("shown-000.ppm"))?;
        let pixels: HashSet<&[u8]> = shown.rchunks_exact(3).collect();
        for switch in list(&wiring(&machine)?, "switches")? {
            let paint = switch["paint"].as_str().context("a colour")?;
            let colour = u32::from_str_radix(&paint[1..], 16)?.to_be_bytes();
            ensure!(pixels.contains(&colour[1..]), "no pixel is {colour:?}");
        }
        let svg = dir.join("lines.svg");
        machine.export_to(&svg, "svg", &[])?;
        let text = run_quietly(tool("pdftotext").arg(printed(&svg)?).arg("-"))?;
        for part in ["pes", "switches"] {
            for name in list(&wiring(&machine)?, part)?.iter().map(|part| part["name"].as_str()) {
                let name = name.context("a name")?;
                ensure!(text.lines().any(|line| line == name), "no {name} in {text}");
            }
        }
        read_by("Chromium", DESIGN, &["png", "svg"])
    });
}

/// A dot of a tape printer, in millimetres.
const DOT: f64 = INCH / 180.0;

/// Top and bottom of what is printed on the first page, in millimetres.
fn ink(pdf: &Path, dir: &Path) -> Result<(f64, f64)> {
    let picture = dir.join("ink");
    run(tool("pdftoppm").args(["-gray", "-singlefile", "-r", "600"]).arg(pdf).arg(&picture))?;
    let bytes = std::fs::read(picture.with_extension("pgm"))?;
    // Magic number, width, height and white, each before a space or a line's end.
    let mut parts = bytes.splitn(5, |byte| byte.is_ascii_whitespace()).skip(1);
    let width: usize = std::str::from_utf8(parts.next().context("a width")?)?.parse()?;
    let pixels = parts.nth(2).context("pixels")?;
    let printed = |row: &[u8]| row.iter().any(|&grey| grey < 128);
    let rows: Vec<usize> =
        (0..).zip(pixels.chunks(width)).filter(|(_, row)| printed(row)).map(|(at, _)| at).collect();
    let (first, last) = rows.first().zip(rows.last()).context("nothing is printed")?;
    Ok((*first as f64 / 600.0 * INCH, (*last + 1) as f64 / 600.0 * INCH))
}

fn near(a: (f64, f64), b: (f64, f64)) -> bool {
    (a.0 - b.0).abs() < 0.1 && (a.1 - b.1).abs() < 0.1
}

/// A word and its box in millimetres: left, top, right, bottom.
#[derive(Debug)]
struct Word(String, [f64; 4]);

impl Word {
    /// The node that it names.
    fn node(&self) -> Option<usize> {
        self.0.strip_prefix("node")?.parse().ok()
    }

    fn is_in(&self, corner: (f64, f64), size: (f64, f64)) -> bool {
        let [left, top, right, bottom] = self.1;
        let across = left >= corner.0 - TOLERANCE && right <= corner.0 + size.0 + TOLERANCE;
        across && top >= corner.1 - TOLERANCE && bottom <= corner.1 + size.1 + TOLERANCE
    }
}

type Page = ((f64, f64), Vec<Word>);

/// The size and the words of each page of labels on a sheet with further settings, as `pdftotext` finds them.
fn words(machine: &Machine, dir: &Path, (sheet, more): (&str, &[&str])) -> Result<Vec<Page>> {
    let pdf = dir.join(format!("{sheet}.pdf"));
    machine.export_to(&pdf, "labels-pdf", &[&[&*format!("sheet={sheet}")], more].concat())?;
    let text = run(tool("pdftotext").arg("-bbox").arg(&pdf).arg("-"))?;
    let mut pages: Vec<Page> = Vec::new();
    for line in text.lines().map(str::trim_start) {
        // Numbers in quotes, in points.
        let quoted = line.split('"').skip(1).step_by(2);
        let numbers = || quoted.clone().filter_map(|word| Some(word.parse::<f64>().ok()? / 72.0 * INCH));
        if line.starts_with("<page ") {
            let size: Vec<f64> = numbers().collect();
            ensure!(size.len() == 2, "{line}");
            pages.push(((size[0], size[1]), Vec::new()));
        } else if line.starts_with("<word ") {
            let place: Vec<f64> = numbers().collect();
            let place = <[f64; 4]>::try_from(place).ok().with_context(|| line.to_owned())?;
            let word = line.split(['>', '<']).nth(2).with_context(|| line.to_owned())?;
            pages.last_mut().context("a page")?.1.push(Word(word.to_owned(), place));
        }
    }
    Ok(pages)
}
