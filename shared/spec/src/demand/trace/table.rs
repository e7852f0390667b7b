//! Matrices and lists of pairs as text, in the language of [`matrix`](crate::demand::matrix). Here a row sends to a column, the
//! weights of a repeated pair add up, and the arrangement is settled by the first lines: a file may have gigabytes.
//!
//! The matrices that Open MPI's `profile2mat` writes are such tables.

use super::{
    End, FaultPlace, Format, LineError, MAX_RANKS, Reader, Sums, Traffic, Unit, only,
    pieces::{LineReader, Lines, text},
};
use crate::{
    demand::matrix::{self, Fields, Layout, Sample, without_comment},
    form::{LineFault, says},
};

pub(super) const FORMAT: Format = Format {
    name: "table",
    label: "matrix or list",
    about: "CSV, TSV or spaces: a square matrix, or lines of `a b` or `a b weight`; weights add up",
    empty: super::NO_TRAFFIC,
    detect,
    reader: || Box::<Table>::default(),
};

/// Bytes of lines that settle the arrangement, unless the file has fewer.
const SAMPLE: usize = 64 << 10;

/// `true` if a line of the first two begins with a number, and has others or is one of several.
fn detect(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(&head[..head.len().min(SAMPLE)]).into_owned();
    let lines = text.lines().map(without_comment).filter(|line| !line.trim().is_empty());
    lines.take(2).any(|line| {
        let words: Vec<&str> = line.split([',', ';', '\t', ' ']).filter(|word| !word.is_empty()).collect();
        let is_number = |word: &&str| word.trim_matches('"').trim().parse::<f64>().is_ok();
        words.len() > 1 && (words.iter().all(is_number) || words[1..].iter().all(is_number))
    })
}

struct Table {
    lines: Lines,
    fields: Fields,
    /// The first lines, until the arrangement is settled.
    first: Vec<(u64, String)>,
    first_bytes: usize,
    layout: Option<Layout>,
    reader: matrix::Reader,
    /// Rows of a matrix so far.
    rows: usize,
    /// Number of the last line that says something.
    last_line: u64,
    last_rank: u32,
    sums: Sums,
    files: u32,
}

impl Default for Table {
    fn default() -> Table {
        Table {
            lines: Lines::default(),
            fields: Fields::default(),
            first: Vec::new(),
            first_bytes: 0,
            layout: None,
            reader: matrix::Reader::new(MAX_RANKS),
            rows: 0,
            last_line: 0,
            last_rank: 0,
            sums: Sums::default(),
            files: 0,
        }
    }
}

impl LineReader for Table {
    fn lines(&mut self) -> &mut Lines {
        &mut self.lines
    }

    fn line(&mut self, line: &[u8], number: u64) -> Result<(), LineError> {
        let line = text(line)?;
        let line = without_comment(line).trim_end();
        if line.trim().is_empty() {
            return Ok(());
        }
        self.last_line = number;
        if self.layout.is_some() {
            return self.take(line, number);
        }
        self.first.push((number, line.to_owned()));
        self.first_bytes += line.len();
        match self.first_bytes > SAMPLE && self.first.len() > 3 {
            true => self.settle(false),
            false => Ok(()),
        }
    }
}

impl Table {
    /// Settles the arrangement by the lines so far, and reads them.
    fn settle(&mut self, is_whole: bool) -> Result<(), LineError> {
        let first = std::mem::take(&mut self.first);
        if first.is_empty() {
            return Ok(());
        }
        let lines: Vec<(usize, &str)> =
            first.iter().map(|(number, line)| (*number as usize, &**line)).collect();
        let layout = Layout::of(&mut self.fields, Sample { lines: &lines, is_whole, pes: None });
        if let Layout::Matrix { labelled, width, .. } = layout {
            let columns = width - usize::from(labelled);
            self.reader.pes = columns as u32;
            if columns > MAX_RANKS as usize {
                return Err(LineError::says(format!(
                    "the matrix has {columns} columns, and the limit is {MAX_RANKS}"
                )));
            }
        }
        self.layout = Some(layout);
        first[usize::from(layout.heading())..].iter().try_for_each(|(number, line)| self.take(line, *number))
    }

    fn take(&mut self, line: &str, number: u64) -> Result<(), LineError> {
        let place = FaultPlace::Line(number);
        let at = (number as usize, line);
        match self.layout {
            Some(Layout::Matrix { labelled, width, .. }) => {
                let columns = width - usize::from(labelled);
                if self.rows == columns {
                    let sentence =
                        format!("the matrix has {columns} columns and more rows; give as many rows");
                    return Err(LineError::says(sentence).at(place));
                }
                self.reader.row(&mut self.fields, at, self.rows, labelled, width);
                self.rows += 1;
                self.last_rank = columns as u32 - 1;
            }
            Some(Layout::List { width, .. }) => self.reader.item(&mut self.fields, at, width),
            None => {}
        }
        if let Some(LineFault { message, .. }) = self.reader.faults.first() {
            return Err(LineError::new("", says(message)).at(place));
        }
        for (from, to, weight) in std::mem::take(&mut self.reader.entries) {
            self.last_rank = self.last_rank.max(from.max(to));
            self.sums.add(from, to, weight, End::Sender).map_err(|wrong| wrong.at(place))?;
        }
        Ok(())
    }
}

impl Reader for Table {
    fn begin(&mut self, _file: &str) -> Result<(), LineError> {
        only(&mut self.files, "matrix or list")
    }

    fn feed(&mut self, bytes: &[u8]) -> Result<(), LineError> {
        self.feed_lines(bytes)
    }

    fn end(&mut self) -> Result<(), LineError> {
        self.end_lines()?;
        self.settle(true)?;
        match self.layout {
            Some(Layout::Matrix { .. }) if self.rows != self.reader.pes as usize => {
                let (rows, columns) = (self.rows, self.reader.pes);
                let sentence = format!("the matrix ends after {rows} rows, but has {columns} columns");
                Err(LineError::says(sentence).at(FaultPlace::Line(self.last_line)))
            }
            _ => Ok(()),
        }
    }

    fn finish(self: Box<Self>) -> Result<Traffic, LineError> {
        let ranks = self.last_rank + 1;
        Ok(Traffic { unit: Unit::Weight, ranks, flows: self.sums.into_flows(), ..Traffic::default() })
    }
}
