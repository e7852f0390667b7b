//! Measured demand: a square matrix of weights, or a list of pairs.
//!
//! Blank lines and everything after `#` are skipped. Numbers are separated by commas, semicolons, tabs or blanks. For N
//! PEs:
//! * Lines of more than 3 numbers, or for N <= 3 exactly N lines of N numbers, are a **matrix**: N lines of N weights.
//!   Labels are skipped: a heading with a word that is not a number, if N lines follow; and a first column, if each
//!   line has N+1 words and the first is not a number, or the heading has N+1 words.
//! * Everything else is a **list**: `a b` or `a b weight` on each line, weight 1 by default. A first line of words is
//!   skipped.
//!
//! A pair has the larger weight of its two directions and of its repetitions. The diagonal and `a a weight` are
//! skipped; `a a` alone is a fault. Pairs of weight 0 and below the threshold are left out.

use super::key;
use crate::spec::{MAX_PAIRS, MAX_WEIGHT};
use std::fmt::Write;

/// Max bytes of a text.
pub const MAX_BYTES: usize = 64 << 20;
/// Max faults that are listed; a last one counts the rest.
pub const MAX_FAULTS: usize = 200;

/// A pair, lower PE first, with its weight.
pub type Weighted = (u32, u32, f64);

/// Fault of a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, serde::Serialize, serde::Deserialize)]
#[error("line {line}: got {found}, expected {expected}")]
pub struct MatrixFault {
    /// Counted from 1.
    pub line: usize,
    /// Text found there.
    pub found: String,
    /// Values that are accepted.
    pub expected: String,
}

/// Reads a matrix or a list for `pes` PEs; pairs ascend.
///
/// # Errors
/// Every faulty line, in order.
pub fn parse(text: &str, pes: u32, threshold: Option<f64>) -> Result<Vec<Weighted>, Vec<MatrixFault>> {
    read(text, pes, threshold, is_matrix)
}

/// Reads a list for `pes` PEs, whatever it looks like; pairs ascend.
///
/// # Errors
/// Every faulty line, in order.
pub fn parse_list(text: &str, pes: u32, threshold: Option<f64>) -> Result<Vec<Weighted>, Vec<MatrixFault>> {
    read(text, pes, threshold, |_, _| false)
}

/// Writes a list that [`parse_list`] reads back; weights of 1 are left out.
pub fn write_list(pairs: &[Weighted]) -> String {
    let mut text = String::with_capacity(pairs.len() * 10);
    for (index, &(a, b, weight)) in pairs.iter().enumerate() {
        let gap = if index > 0 { "\n" } else { "" };
        let _ = write!(text, "{gap}{a} {b}");
        if weight != 1.0 {
            let _ = write!(text, " {weight}");
        }
    }
    text
}

/// A line that says something, with its number from 1.
type Line<'a> = (usize, &'a str);

fn read(
    text: &str,
    pes: u32,
    threshold: Option<f64>,
    is_matrix: fn(&[Line<'_>], u32) -> bool,
) -> Result<Vec<Weighted>, Vec<MatrixFault>> {
    if text.len() > MAX_BYTES {
        let (found, expected) = (format!("{} bytes", text.len()), format!("at most {MAX_BYTES} bytes"));
        return Err(vec![MatrixFault { line: 1, found, expected }]);
    }
    // Spreadsheets and editors may put a byte order mark before the first letter.
    let lines: Vec<Line<'_>> = text
        .trim_start_matches('\u{feff}')
        .lines()
        .enumerate()
        .map(|(index, raw)| (index + 1, raw.split('#').next().unwrap_or("").trim_end_matches(['\r', ' '])))
        .filter(|(_, line)| !line.trim().is_empty())
        .collect();
    let mut reader = Reader { pes, entries: Vec::new(), faults: Vec::new(), unlisted: 0 };
    match is_matrix(&lines, pes) {
        true => reader.matrix(&lines),
        false => reader.list(&lines),
    }
    reader.finish(threshold)
}

/// The words of a line: between separators where there are any, between blanks otherwise.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let separated = line.contains([',', ';', '\t']);
    line.split(move |c: char| if separated { matches!(c, ',' | ';' | '\t') } else { c.is_whitespace() })
        .map(str::trim)
        .filter(move |word| separated || !word.is_empty())
}

fn is_number(word: &str) -> bool {
    word.parse::<f64>().is_ok()
}

fn is_matrix(lines: &[Line<'_>], pes: u32) -> bool {
    let wide = lines.iter().filter(|(_, line)| words(line).nth(3).is_some()).count();
    let square = |lines: &[Line<'_>]| {
        lines.len() == pes as usize && lines.iter().all(|(_, line)| words(line).count() == pes as usize)
    };
    2 * wide > lines.len() || pes <= 3 && square(lines)
}

struct Reader {
    pes: u32,
    entries: Vec<(u64, f64)>,
    faults: Vec<MatrixFault>,
    unlisted: usize,
}

impl Reader {
    fn matrix(&mut self, lines: &[Line<'_>]) {
        let pes = self.pes as usize;
        // With a heading there is one line too many, and a word in it that is no number.
        let heading = lines.len() == pes + 1 && !words(lines[0].1).all(is_number);
        let rows = &lines[usize::from(heading)..];
        let begins_with_word = |l: &Line<'_>| words(l.1).next().is_some_and(|word| !is_number(word));
        let labelled = rows.iter().all(|l| words(l.1).count() == pes + 1)
            && (heading && words(lines[0].1).count() == pes + 1 || rows.iter().all(begins_with_word));
        for (row, &(line, content)) in rows.iter().enumerate() {
            let count = words(content).count() - usize::from(labelled);
            if count != pes || row >= pes {
                let found = if row >= pes { format!("row {}", row + 1) } else { format!("{count} numbers") };
                self.fault(line, found, format!("{pes} rows of {pes} numbers, a matrix of all nodes"));
                continue;
            }
            for (column, word) in words(content).skip(usize::from(labelled)).enumerate() {
                if let Some(weight) = self.weight(line, word)
                    && row != column
                {
                    self.pair(row as u32, column as u32, weight);
                }
            }
        }
        if rows.len() < pes {
            let line = lines.last().map_or(1, |l| l.0);
            self.fault(line, format!("{} rows", rows.len()), format!("{pes} rows, one per node"));
        }
    }

    fn list(&mut self, lines: &[Line<'_>]) {
        let heading = lines.len() > 1
            && words(lines[0].1)
                .all(|word| word.starts_with(|c: char| c.is_alphabetic()) && !is_number(word));
        for &(line, content) in &lines[usize::from(heading)..] {
            let fields: Vec<&str> = words(content).take(5).collect();
            if !(2..=3).contains(&fields.len()) {
                let count = if fields.len() > 4 {
                    "5 words or more".into()
                } else {
                    format!("{} words", fields.len())
                };
                self.fault(line, format!("{count}: {}", shorten(content.trim())), "`a b` or `a b weight`");
                continue;
            }
            let (a, b) = (self.pe(line, fields[0]), self.pe(line, fields[1]));
            let weight = fields.get(2).map_or(Some(1.0), |word| self.weight(line, word));
            let (Some(a), Some(b), Some(weight)) = (a, b, weight) else { continue };
            if a != b {
                self.pair(a, b, weight);
            } else if fields.len() == 2 {
                self.fault(line, format!("node {a} with itself"), "two different nodes");
            }
        }
    }

    fn pe(&mut self, line: usize, word: &str) -> Option<u32> {
        let digits = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
        let pe = word.parse().ok().filter(|&pe: &u32| digits && pe < self.pes);
        if pe.is_none() {
            let expected = format!("a node number, 0 to {}", self.pes.saturating_sub(1));
            self.fault(line, format!("node {:?}", shorten(word)), expected);
        }
        pe
    }

    fn weight(&mut self, line: usize, word: &str) -> Option<f64> {
        let weight = word.parse().ok().filter(|weight| (0.0..=MAX_WEIGHT).contains(weight));
        if weight.is_none() {
            self.fault(
                line,
                format!("weight {:?}", shorten(word)),
                format!("a number from 0 to {MAX_WEIGHT:e}"),
            );
        }
        weight
    }

    fn pair(&mut self, a: u32, b: u32, weight: f64) {
        if weight > 0.0 {
            self.entries.push((key(a, b), weight));
        }
    }

    fn fault(&mut self, line: usize, found: String, expected: impl Into<String>) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(MatrixFault { line, found, expected: expected.into() });
            return;
        }
        if self.unlisted == 0 {
            let expected = "no faults".into();
            self.faults.push(MatrixFault { line, found: String::new(), expected });
        }
        self.unlisted += 1;
    }

    fn finish(mut self, threshold: Option<f64>) -> Result<Vec<Weighted>, Vec<MatrixFault>> {
        if self.unlisted > 0 {
            self.faults[MAX_FAULTS].found = format!("{} more faults", self.unlisted);
        }
        if !self.faults.is_empty() {
            return Err(self.faults);
        }
        // The largest weight of each pair comes first and stays.
        self.entries.sort_unstable_by(|x, y| x.0.cmp(&y.0).then(y.1.total_cmp(&x.1)));
        self.entries.dedup_by_key(|entry| entry.0);
        self.entries.retain(|&(_, weight)| threshold.is_none_or(|least| weight >= least));
        if self.entries.len() > MAX_PAIRS {
            let found = format!("{} pairs", self.entries.len());
            let expected = format!("at most {MAX_PAIRS} pairs; a threshold drops light ones");
            return Err(vec![MatrixFault { line: 1, found, expected }]);
        }
        Ok(self.entries.into_iter().map(|(key, weight)| ((key >> 32) as u32, key as u32, weight)).collect())
    }
}

fn shorten(word: &str) -> String {
    crate::text::shorten(word, 40, 40)
}
