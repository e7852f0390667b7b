//! MatrixMarket: `coordinate` and `array`, of `real`, `integer` or `pattern`, `general` or `symmetric` (Boisvert, Pozo and
//! Remington, "The Matrix Market Exchange Formats", NIST IR 5935, 1996). Row and column 1 are rank 0; a row sends to a column.
//!
//! `symmetric` files have the lower triangle. An entry stands for both directions.

use super::{
    End, Format, LineError, MAX_RANKS, Reader, Sums, Traffic, Unit, only,
    pieces::{LineReader, Lines, text},
};
use crate::{
    spec::MAX_WEIGHT,
    text::{count, grouped, listed},
};

pub(super) const FORMAT: Format = Format {
    name: "matrix-market",
    label: "MatrixMarket",
    about: "coordinate or array files, real, integer or pattern, general or symmetric; weights",
    empty: super::NO_TRAFFIC,
    detect: |head| {
        head.get(..BANNER.len()).is_some_and(|start| start.eq_ignore_ascii_case(BANNER.as_bytes()))
    },
    reader: || Box::<Market>::default(),
};

const BANNER: &str = "%%MatrixMarket";

#[derive(Default)]
struct Market {
    lines: Lines,
    sums: Sums,
    header: Option<Header>,
    size: Option<Size>,
    /// Entries so far.
    read: u64,
    files: u32,
}

#[derive(Clone, Copy)]
struct Header {
    is_array: bool,
    is_pattern: bool,
    is_symmetric: bool,
}

#[derive(Clone, Copy)]
struct Size {
    ranks: u32,
    entries: u64,
}

impl LineReader for Market {
    fn lines(&mut self) -> &mut Lines {
        &mut self.lines
    }

    fn line(&mut self, line: &[u8], _number: u64) -> Result<(), LineError> {
        let line = text(line)?.trim();
        let Some(header) = self.header else {
            self.header = Some(banner(line)?);
            return Ok(());
        };
        if line.is_empty() || line.starts_with('%') {
            return Ok(());
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(size) = self.size else {
            self.size = Some(sizes(header, &words)?);
            return Ok(());
        };
        if self.read == size.entries {
            let entries = grouped(size.entries);
            return Err(LineError::says(format!("an entry after the last of {entries}; remove it")));
        }
        let (row, column, value) = match header.is_array {
            true => array_entry(header, size, self.read, &words)?,
            false => coordinate_entry(header, size, &words)?,
        };
        self.read += 1;
        self.sums.add(row, column, value, End::Sender)?;
        match header.is_symmetric {
            true => self.sums.add(column, row, value, End::Sender),
            false => Ok(()),
        }
    }
}

fn banner(line: &str) -> Result<Header, LineError> {
    let words: Vec<String> = line.split_whitespace().map(str::to_lowercase).collect();
    let [banner, object, layout, field, symmetry] = words.as_slice() else {
        return Err(LineError::new(
            format!("{line:?}"),
            format!("`{BANNER} matrix coordinate real general`"),
        ));
    };
    let one_of = |word: &String, names: &[&'static str]| match names.iter().position(|name| name == word) {
        Some(index) => Ok(index),
        None => Err(LineError::new(format!("{word:?}"), listed(names.iter().copied()))),
    };
    one_of(banner, &["%%matrixmarket"])?;
    one_of(object, &["matrix"])?;
    let header = Header {
        is_array: one_of(layout, &["coordinate", "array"])? == 1,
        is_pattern: one_of(field, &["real", "integer", "pattern"])? == 2,
        is_symmetric: one_of(symmetry, &["general", "symmetric"])? == 1,
    };
    match header.is_array && header.is_pattern {
        true => Err(LineError::says("an array has no `pattern`; write `real`, `integer` or `coordinate`")),
        false => Ok(header),
    }
}

fn sizes(header: Header, words: &[&str]) -> Result<Size, LineError> {
    let expected = if header.is_array { "`rows columns`" } else { "`rows columns entries`" };
    let wrong = || LineError::new(format!("{:?}", words.join(" ")), expected);
    let numbers: Option<Vec<u64>> = words.iter().map(|word| word.parse().ok()).collect();
    let (rows, columns, entries) = match (header.is_array, numbers.as_deref()) {
        (true, Some(&[rows, columns])) => (rows, columns, None),
        (false, Some(&[rows, columns, entries])) => (rows, columns, Some(entries)),
        _ => return Err(wrong()),
    };
    if rows != columns || rows == 0 || rows > u64::from(MAX_RANKS) {
        let expected = format!("a square matrix of 1 to {} ranks", grouped(MAX_RANKS.into()));
        return Err(LineError::new(format!("{rows} x {columns}"), expected));
    }
    let all = if header.is_symmetric { rows * (rows + 1) / 2 } else { rows * rows };
    Ok(Size { ranks: rows as u32, entries: entries.unwrap_or(all) })
}

fn coordinate_entry(header: Header, size: Size, words: &[&str]) -> Result<(u32, u32, f64), LineError> {
    let place = |word: &str| {
        let number = word.parse::<u32>().ok().filter(|number| (1..=size.ranks).contains(number));
        number.map(|number| number - 1).ok_or_else(|| {
            LineError::new(format!("{word:?}"), format!("a row or column, 1 to {}", size.ranks))
        })
    };
    let (row, column, value) = match words {
        [row, column] if header.is_pattern => (place(row)?, place(column)?, 1.0),
        [row, column, value] if !header.is_pattern => (place(row)?, place(column)?, weight(value)?),
        _ => {
            let expected = if header.is_pattern { "`row column`" } else { "`row column value`" };
            return Err(LineError::new(format!("{:?}", words.join(" ")), expected));
        }
    };
    match header.is_symmetric && row < column {
        true => Err(LineError::says(format!(
            "row {} and column {} are above the diagonal; a symmetric file has only entries below",
            row + 1,
            column + 1
        ))),
        false => Ok((row, column, value)),
    }
}

/// Values come column by column; of a symmetric matrix from the diagonal down.
fn array_entry(header: Header, size: Size, index: u64, words: &[&str]) -> Result<(u32, u32, f64), LineError> {
    let [word] = words else {
        return Err(LineError::new(format!("{:?}", words.join(" ")), "one value"));
    };
    let ranks = u64::from(size.ranks);
    let (row, column) = match header.is_symmetric {
        false => (index % ranks, index / ranks),
        true => {
            // Entries from column c on are those of a triangle of ranks - c rows.
            let after = ranks * (ranks + 1) / 2 - index;
            let mut rows = (((8.0 * after as f64 + 1.0).sqrt() - 1.0) / 2.0).ceil() as u64;
            // Rounding may be off by one.
            while rows * (rows + 1) / 2 < after {
                rows += 1;
            }
            while rows > 0 && rows * (rows - 1) / 2 >= after {
                rows -= 1;
            }
            let column = ranks - rows;
            (column + rows * (rows + 1) / 2 - after, column)
        }
    };
    Ok((row as u32, column as u32, weight(word)?))
}

fn weight(word: &str) -> Result<f64, LineError> {
    let value = word.parse().ok().filter(|value| (0.0..=MAX_WEIGHT).contains(value));
    value.ok_or_else(|| LineError::new(format!("{word:?}"), format!("a value from 0 to {MAX_WEIGHT:e}")))
}

impl Reader for Market {
    fn begin(&mut self, _file: &str) -> Result<(), LineError> {
        only(&mut self.files, "matrix")
    }

    fn feed(&mut self, bytes: &[u8]) -> Result<(), LineError> {
        self.feed_lines(bytes)
    }

    fn end(&mut self) -> Result<(), LineError> {
        let (next, _) = self.end_lines()?;
        let expected = match self.size {
            None => "the size of the matrix is missing".into(),
            Some(size) if self.read < size.entries => format!("it must have {}", grouped(size.entries)),
            Some(_) => return Ok(()),
        };
        Err(LineError::says(format!("the file ends after {}; {expected}", count(self.read, "entry")))
            .at(next))
    }

    fn finish(self: Box<Self>) -> Result<Traffic, LineError> {
        let ranks = self.size.map_or(0, |size| size.ranks);
        Ok(Traffic { unit: Unit::Weight, ranks, flows: self.sums.into_flows(), ..Traffic::default() })
    }
}
