//! Measured demand: a square matrix of weights, or a list of pairs.
//!
//! Blank lines and everything after `#` are skipped. Fields are separated by commas, semicolons, tabs or blanks, and may be
//! quoted as in CSV. For N PEs:
//! * Lines of more than 3 fields are a **matrix**: N lines of N weights. So are N lines of N fields for N <= 3, and three
//!   lines of three fields with a diagonal of zeros, which are a fault unless N is 3. Labels are skipped: a heading, and a
//!   first column.
//! * Lines of 2 or 3 fields are a **list**: `a b` or `a b weight`. A first line with names of these columns, such as
//!   `from,to,bytes`, is skipped.
//!
//! All lines have the same number of fields. Inline lists alone may leave out single weights, which are then 1.
//!
//! A pair has the larger weight of its two directions and of its repetitions. The diagonal and `a a weight` are
//! skipped; `a a` alone is a fault. Pairs of weight 0 and below the threshold are left out.

pub(crate) use crate::csv::Fields;
use crate::{
    cancel::checked,
    form::{Advice, LineFault, plain_digits, rest, says, shown},
    spec::{MAX_PAIRS, MAX_WEIGHT},
    text::{count, grouped},
};
use std::{cmp::Reverse, collections::BTreeMap, fmt::Write};

/// Max bytes of a text.
pub const MAX_BYTES: usize = 64 << 20;
/// Max faults that are listed; a last one counts the rest.
pub const MAX_FAULTS: usize = 200;

/// Max fields of a line: more than the columns of any matrix.
const MAX_FIELDS: usize = 2 << 20;
/// Names of the columns of a list, in small letters: the sender, the receiver and the weight.
const COLUMNS: [&[&str]; 3] = [
    &["from", "source", "src", "sender", "row", "a", "i"],
    &["to", "target", "destination", "dest", "dst", "receiver", "peer", "column", "col", "b", "j"],
    &["bytes", "weight", "amount", "traffic", "volume", "size", "count", "messages", "connections", "value"],
];
const HEADING: &str = "; a first line may name the columns, such as `from,to` or `from,to,bytes`";
/// Words that names of columns may have before or after them, as in `src_rank`.
const OF_COLUMNS: [&str; 4] = ["rank", "node", "pe", "host"];

const FORMS: &str =
    "a matrix has a line of weights per node, such as `0,2,1`; every line of a list is `a b` or `a b weight`";

/// A pair, lower PE first, with its weight.
pub type WeightedPair = (u32, u32, f64);

/// A pair as one sortable number: the lower PE in the upper half.
pub fn key(a: u32, b: u32) -> u64 {
    u64::from(a.min(b)) << 32 | u64::from(a.max(b))
}

/// Reads a matrix or a list for `pes` PEs; pairs ascend. Errors: every faulty line, in order.
pub fn parse(text: &str, pes: u32, threshold: Option<f64>) -> Result<Vec<WeightedPair>, Vec<LineFault>> {
    read(text, pes, threshold, Reader::matrix_or_list)
}

/// Reads a list for `pes` PEs, whatever it looks like; pairs ascend. Errors: every faulty line, in order.
pub fn parse_list(text: &str, pes: u32, threshold: Option<f64>) -> Result<Vec<WeightedPair>, Vec<LineFault>> {
    read(text, pes, threshold, |reader, fields, lines| reader.list(fields, lines, None))
}

/// Writes a list that [`parse_list`] reads back; weights of 1 are left out.
pub fn write_list(pairs: &[WeightedPair]) -> String {
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
pub(crate) type Line<'a> = (usize, &'a str);

fn read(
    text: &str,
    pes: u32,
    threshold: Option<f64>,
    take: fn(&mut Reader, &mut Fields, &[Line<'_>]),
) -> Result<Vec<WeightedPair>, Vec<LineFault>> {
    if text.len() > MAX_BYTES {
        let (found, expected) =
            (format!("{} bytes", text.len()), format!("at most {} bytes", grouped(MAX_BYTES as u64)));
        return Err(vec![LineFault::new(1, found, expected)]);
    }
    // A line with more fields would take a hundred times its letters.
    let is_wide = |line: &str| line.len() > MAX_FIELDS && line.split(is_separator).nth(MAX_FIELDS).is_some();
    if let Some(index) = checked(text.lines()).position(is_wide) {
        let found = format!("more than {} values", grouped(MAX_FIELDS as u64));
        return Err(vec![LineFault::new(index + 1, "", says(format!("has {found}; {FORMS}.")))]);
    }
    // Spreadsheets and editors may put a byte order mark before the first letter.
    let lines: Vec<Line<'_>> = checked(text.trim_start_matches('\u{feff}').lines())
        .enumerate()
        .map(|(index, raw)| (index + 1, without_comment(raw).trim_end_matches(['\r', ' '])))
        .filter(|(_, line)| !line.trim().is_empty())
        .collect();
    let mut reader = Reader::new(pes);
    take(&mut reader, &mut Fields::default(), &lines);
    reader.finish(threshold)
}

/// The line up to the first `#` outside quotes.
pub fn without_comment(line: &str) -> &str {
    let mut start = 0;
    for (number, part) in line.split('"').enumerate() {
        if number % 2 == 0
            && let Some(at) = part.find('#')
        {
            return &line[..start + at];
        }
        start += part.len() + 1;
    }
    line
}

fn is_separator(c: char) -> bool {
    matches!(c, ',' | ';') || c.is_whitespace()
}

/// `true` if a word is one of the names of a column, such as `src`, `From` or `source_rank`.
fn is_column(word: &str, names: &[&str]) -> bool {
    let word = word.to_ascii_lowercase();
    let mut parts = word.split(['_', '-', ' ']).filter(|part| !OF_COLUMNS.contains(part));
    parts.next().is_some_and(|part| names.contains(&part)) && parts.next().is_none()
}

fn is_number(word: &str) -> bool {
    word.parse::<f64>().is_ok()
}

/// The most frequent number, the first of those that are equally frequent.
fn usual(widths: &[usize]) -> usize {
    let mut votes: BTreeMap<usize, (usize, Reverse<usize>)> = BTreeMap::new();
    for (index, &width) in widths.iter().enumerate() {
        votes.entry(width).or_insert((0, Reverse(index))).0 += 1;
    }
    votes.into_iter().max_by_key(|&(_, votes)| votes).map_or(0, |(width, _)| width)
}

/// The lines of a text that say something, as far as they are known.
#[derive(Clone, Copy)]
pub(crate) struct Sample<'a> {
    /// The lines from the beginning.
    pub(crate) lines: &'a [Line<'a>],
    /// `true` if there are no others.
    pub(crate) is_whole: bool,
    /// Number of PEs, if it is known.
    pub(crate) pes: Option<u32>,
}

/// Arrangement of a text's lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Pairs; `width` is the number of fields of each line, unless each has its own.
    List { heading: bool, width: Option<usize> },
    /// Rows of `width` fields, with a label first or without.
    Matrix { heading: bool, labelled: bool, width: usize },
}

impl Layout {
    /// A matrix, or a list whose lines are alike.
    pub(crate) fn of(fields: &mut Fields, sample: Sample<'_>) -> Layout {
        let lines = sample.lines;
        let widths: Vec<usize> = checked(lines).map(|l| fields.of(l.1).len()).collect();
        let heading = lines.len() > 1 && !fields.of(lines[0].1).into_iter().all(is_number);
        let width = usual(&widths[usize::from(heading)..]);
        let is_square =
            sample.is_whole && widths.len() == width && widths.iter().all(|&other| other == width);
        let is_zero = |(index, line): (usize, &Line<'_>)| {
            fields.of(line.1)[index].parse::<f64>().is_ok_and(|weight| weight == 0.0)
        };
        let is_as_large = is_square && sample.pes.is_some_and(|pes| pes as usize == width);
        // In a list, the third pair would have the weight 0, which nobody writes.
        let is_matrix_of_3 = is_square && width == 3 && lines.iter().enumerate().all(is_zero);
        match width {
            0..=3 if !(is_as_large || is_matrix_of_3) => {
                Layout::list(fields, lines, Some(width).filter(|&width| width > 1))
            }
            _ => Layout::matrix(fields, sample, &widths, width),
        }
    }

    fn list(fields: &mut Fields, lines: &[Line<'_>], width: Option<usize>) -> Layout {
        let mut names_columns = |line: &str| {
            let words = fields.of(line);
            (2..=3).contains(&words.len())
                && words.iter().zip(COLUMNS).all(|(word, names)| is_column(word, names))
        };
        let heading = lines.len() > 1 && names_columns(lines[0].1);
        Layout::List { heading, width }
    }

    /// A matrix with that usual number of fields per line, its labels among them.
    fn matrix(fields: &mut Fields, sample: Sample<'_>, widths: &[usize], width: usize) -> Layout {
        let Sample { lines, is_whole, pes } = sample;
        let is_size = |size: usize| pes.is_some_and(|pes| pes as usize == size);
        let words: Vec<bool> = fields.of(lines[0].1).into_iter().map(|word| !is_number(word)).collect();
        let mut begins_with_word = |l: &Line<'_>| fields.of(l.1).first().is_some_and(|word| !is_number(word));
        let labels = lines.len() > 1 && lines[1..].iter().all(&mut begins_with_word);
        let heading = lines.len() > 1
            && (words[1..].iter().all(|&word| word)
                || !is_size(lines.len()) && !labels && words.contains(&true));
        let rows = lines.len() - usize::from(heading);
        let widths_fit = is_size(width - 1) || is_whole && width == rows + 1;
        let labelled = !is_size(width)
            && (labels && (heading || words[0]) || heading && widths[0] == width && widths_fit);
        Layout::Matrix { heading, labelled, width }
    }

    /// `true` if the first line is a heading.
    pub(crate) fn heading(self) -> bool {
        matches!(self, Layout::List { heading: true, .. } | Layout::Matrix { heading: true, .. })
    }
}

pub(crate) struct Reader {
    pub(crate) pes: u32,
    /// PEs and weights, in the order of the text.
    pub(crate) entries: Vec<(u32, u32, f64)>,
    pub(crate) faults: Vec<LineFault>,
    unlisted: usize,
}

impl Reader {
    pub(crate) fn new(pes: u32) -> Reader {
        Reader { pes, entries: Vec::new(), faults: Vec::new(), unlisted: 0 }
    }

    /// A matrix, or a list whose lines are alike.
    fn matrix_or_list(&mut self, fields: &mut Fields, lines: &[Line<'_>]) {
        if lines.is_empty() {
            return;
        }
        match Layout::of(fields, Sample { lines, is_whole: true, pes: Some(self.pes) }) {
            Layout::List { width, .. } => self.list(fields, lines, width),
            Layout::Matrix { heading, labelled, width } => {
                let pes = self.pes as usize;
                let (rows, columns) = (&lines[usize::from(heading)..], width - usize::from(labelled));
                let is_ragged = checked(rows).any(|row| fields.of(row.1).len() != width);
                if !is_ragged && (rows.len() != pes || columns != pes) {
                    let size = format!("the matrix is {} x {columns}", rows.len());
                    let sentence =
                        format!("{size}, and the spec has {}; {FORMS}.", count(pes as u64, "node"));
                    return self.fault(rows[0].0, says(sentence));
                }
                for (row, &line) in checked(rows).enumerate() {
                    self.row(fields, line, row, labelled, width);
                }
            }
        }
    }

    /// A row of a matrix.
    pub(crate) fn row(
        &mut self,
        fields: &mut Fields,
        (line, content): Line<'_>,
        row: usize,
        labelled: bool,
        width: usize,
    ) {
        let words = fields.of(content);
        if words.len() != width {
            return self.ragged(line, words.len(), width);
        }
        for (column, word) in words[usize::from(labelled)..].iter().enumerate() {
            if let Some(weight) = self.weight(line, word)
                && row != column
            {
                self.pair(row as u32, column as u32, weight);
            }
        }
    }

    /// A list; `width` is the number of fields of its lines, unless each has its own.
    fn list(&mut self, fields: &mut Fields, lines: &[Line<'_>], width: Option<usize>) {
        let heading = Layout::list(fields, lines, width).heading();
        for &line in checked(&lines[usize::from(heading)..]) {
            self.item(fields, line, width);
        }
    }

    /// A pair of a list.
    pub(crate) fn item(&mut self, fields: &mut Fields, (line, content): Line<'_>, width: Option<usize>) {
        let words = fields.of(content);
        match width {
            Some(width) if words.len() != width => return self.ragged(line, words.len(), width),
            None if !(2..=3).contains(&words.len()) => {
                let content = shown(shorten(content.trim()));
                return self.fault(line, says(format!("must be `a b` or `a b weight`, not {content}.")));
            }
            _ => {}
        }
        let (a, b) = (self.pe(line, words[0]), self.pe(line, words[1]));
        let weight = words.get(2).map_or(Some(1.0), |word| self.weight(line, word));
        let (Some(a), Some(b), Some(weight)) = (a, b, weight) else { return };
        if a != b {
            self.pair(a, b, weight);
        } else if words.len() == 2 {
            self.fault(line, says(format!("pairs node {a} with itself; name two different nodes.")));
        }
    }

    fn ragged(&mut self, line: usize, found: usize, width: usize) {
        let has = count(found as u64, "value");
        self.fault(line, says(format!("has {has}, and the other lines have {width}; {FORMS}.")));
    }

    fn pe(&mut self, line: usize, word: &str) -> Option<u32> {
        let pe = plain_digits(word).filter(|&pe| pe < self.pes);
        if pe.is_none() {
            let heading = if word.starts_with(char::is_alphabetic) { HEADING } else { "" };
            let last = self.pes.saturating_sub(1);
            let sentence = format!("{:?} is not a node number (0 to {last}{heading}).", shorten(word));
            self.fault(line, says(sentence));
        }
        pe
    }

    fn weight(&mut self, line: usize, word: &str) -> Option<f64> {
        let weight = word.parse().ok().filter(|weight| (0.0..=MAX_WEIGHT).contains(weight));
        if weight.is_none() {
            let sentence = format!("weight {:?} is not a number from 0 to {MAX_WEIGHT:e}.", shorten(word));
            self.fault(line, says(sentence));
        }
        weight
    }

    fn pair(&mut self, a: u32, b: u32, weight: f64) {
        if weight > 0.0 {
            self.entries.push((a, b, weight));
        }
    }

    fn fault(&mut self, line: usize, advice: Advice) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(LineFault::new(line, "", advice));
            return;
        }
        if self.unlisted == 0 {
            self.faults.push(LineFault { line, message: String::new() });
        }
        self.unlisted += 1;
    }

    fn finish(mut self, threshold: Option<f64>) -> Result<Vec<WeightedPair>, Vec<LineFault>> {
        if self.unlisted > 0 {
            self.faults[MAX_FAULTS].message = rest(self.unlisted);
        }
        if !self.faults.is_empty() {
            return Err(self.faults);
        }
        // The largest weight of each pair comes first and stays.
        let mut entries: Vec<(u64, f64)> = self.entries.into_iter().map(|(a, b, w)| (key(a, b), w)).collect();
        entries.sort_unstable_by(|x, y| x.0.cmp(&y.0).then(y.1.total_cmp(&x.1)));
        entries.dedup_by_key(|entry| entry.0);
        entries.retain(|&(_, weight)| threshold.is_none_or(|least| weight >= least));
        if entries.len() > MAX_PAIRS {
            let found = format!("{} pairs", entries.len());
            let expected =
                format!("at most {} pairs; a threshold drops light ones", grouped(MAX_PAIRS as u64));
            return Err(vec![LineFault::new(1, found, expected)]);
        }
        Ok(entries.into_iter().map(|(key, weight)| ((key >> 32) as u32, key as u32, weight)).collect())
    }
}

fn shorten(word: &str) -> String {
    crate::text::shorten(word, 40, 40)
}
