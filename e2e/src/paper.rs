//! Printed pages and their words.

use crate::to_look_at;
use anyhow::{Context, Result, ensure};
use std::{path::Path, process::Command};

/// A printed document.
pub struct PrintedDocument {
    /// The words of each page, in reading order.
    pub pages: Vec<Vec<String>>,
}

/// Saves a PDF as `target/e2e/NAME.pdf`, with pictures of its pages beside it, and reads its words.
///
/// # Errors
/// If it cannot be saved, or is not a PDF.
pub fn look_at(name: &str, pdf: &[u8]) -> Result<PrintedDocument> {
    let path = to_look_at(&format!("{name}.pdf"))?;
    std::fs::write(&path, pdf)?;
    run(Command::new("pdftoppm").args(["-png", "-r", "60"]).arg(&path).arg(path.with_extension("")))?;
    let text = run(Command::new("pdftotext").arg("-layout").arg(&path).arg("-"))?;
    // Each page ends in a form feed.
    let pages = text.trim_end_matches('\u{c}').split('\u{c}');
    Ok(PrintedDocument {
        pages: pages.map(|page| page.split_whitespace().map(str::to_owned).collect()).collect(),
    })
}

/// Margins of labels on plain paper, in millimetres: left and right, top, bottom.
const MARGINS: (f64, f64, f64) = (8.0, 12.0, 12.0);
/// Dots per millimetre: 300 per inch.
const DOTS: f64 = 300.0 / 25.4;

/// The text of the QR code on each label of a page, from 1, of a PDF that was looked at, row by row, as printed with 300 dots per
/// inch. The labels are in columns and rows on plain paper.
///
/// # Errors
/// If the page cannot be drawn, or a label has no code that can be read.
pub fn codes(name: &str, page: u32, (columns, rows): (usize, usize)) -> Result<Vec<String>> {
    let (path, page) = (to_look_at(&format!("{name}.pdf"))?, page.to_string());
    let picture = path.with_extension("");
    let mut draw = Command::new("pdftoppm");
    draw.args(["-gray", "-singlefile", "-r", "300", "-f", &page, "-l", &page]);
    run(draw.arg(&path).arg(&picture))?;
    let picture = std::fs::read(picture.with_extension("pgm"))?;
    // Magic number, width, height and white, each before a space or a line's end.
    let mut parts = picture.splitn(5, |byte| byte.is_ascii_whitespace());
    let mut number = || -> Result<usize> {
        Ok(std::str::from_utf8(parts.next().context("a number")?)?.trim_start_matches('P').parse()?)
    };
    let (kind, width, height, white) = (number()?, number()?, number()?, number()?);
    ensure!((kind, white) == (5, 255), "P{kind}, white is {white}");
    let pixels = parts.next().context("pixels")?;
    let (side, top, bottom) = MARGINS;
    let wide = (width as f64 - 2.0 * side * DOTS) / columns as f64;
    let high = (height as f64 - (top + bottom) * DOTS) / rows as f64;
    let label = |at: usize| {
        let left = (side * DOTS + (at % columns) as f64 * wide) as usize;
        let above = (top * DOTS + (at / columns) as f64 * high) as usize;
        // The reader finds some small codes only in an enlarged picture.
        let text = [1, 2, 3].into_iter().find_map(|scale| {
            let pixel = |x: usize, y: usize| pixels[(above + y / scale) * width + left + x / scale];
            let (wide, high) = (wide as usize * scale, high as usize * scale);
            let mut image = rqrr::PreparedImage::prepare_from_greyscale(wide, high, pixel);
            let grids = image.detect_grids();
            grids.iter().find_map(|grid| Some(grid.decode().ok()?.1))
        });
        text.with_context(|| format!("no code on label {at}"))
    };
    (0..columns * rows).map(label).collect()
}

impl PrintedDocument {
    /// Number of words on a page that satisfy a condition.
    pub fn count(&self, page: usize, is: impl Fn(&str) -> bool) -> usize {
        self.pages.get(page).map_or(0, |words| words.iter().filter(|word| is(word)).count())
    }
}

/// The size of a PDF's pages, in points.
///
/// # Errors
/// If it is not a PDF.
pub fn size(pdf: &Path) -> Result<String> {
    let told = run(Command::new("pdfinfo").arg(pdf))?;
    told.lines()
        .find_map(|line| line.strip_prefix("Page size:"))
        .map(|size| size.trim().to_owned())
        .context("a size")
}

fn run(command: &mut Command) -> Result<String> {
    let out = command.output().with_context(|| format!("{command:?}; e2e/setup.sh installs it"))?;
    ensure!(out.status.success(), "{command:?}: {}", String::from_utf8_lossy(&out.stderr));
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}
