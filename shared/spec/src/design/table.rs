//! The papers' text table of a wiring: a line `switch: node node node` per switch (Dietz and Mattox 2000, section 2.3).

use super::Design;
use crate::{
    cancel::checked,
    form::{LineFault, rest, says},
    sorted::by_key,
    text::grouped,
};
use std::fmt;

/// Max bytes of memory that [`parse`] takes for each byte of a table. A switch of a line `0:` has 40.
const BYTES_PER_BYTE: u64 = 24;

/// Max bytes of memory that reading this table takes.
pub fn max_bytes(text: &str) -> u64 {
    BYTES_PER_BYTE * text.len() as u64
}

/// Max faults that [`parse`] lists; a last one counts the rest.
pub const MAX_FAULTS: usize = 200;

/// A table with more nodes than this that the spec lacks is of another spec: one fault says so.
const MAX_BEYOND: usize = 8;

/// Writes the table: switches ascending from 0, PEs ascending, a final newline.
pub fn write(design: &Design) -> String {
    let mut text = String::with_capacity(design.cables() * 6);
    // Writing to a string cannot fail.
    let _ = write_to(design, &mut text);
    text
}

/// Writes the same table piece by piece. Errors: the sink's.
pub fn write_to(design: &Design, sink: &mut dyn fmt::Write) -> fmt::Result {
    for (s, members) in design.switches().enumerate() {
        write!(sink, "{s}:")?;
        for pe in members {
            write!(sink, " {pe}")?;
        }
        sink.write_char('\n')?;
    }
    Ok(())
}

/// Reads a table for a machine of `pes` PEs. Blank lines, `#` comments and a byte order mark are passed over, and lines
/// may come in any order, but every switch from 0 to the highest must be there once.
///
/// # Errors
/// Every faulty line, in line order, up to [`MAX_FAULTS`].
pub fn parse(text: &str, pes: u32) -> Result<Design, Vec<LineFault>> {
    let mut report = Report::default();
    let mut switches: Vec<(u32, usize, Vec<u32>)> = Vec::new();
    for (index, raw) in checked(text.trim_start_matches('\u{feff}').lines()).enumerate() {
        report.line = index + 1;
        let content = raw.split('#').next().unwrap_or("").trim();
        if !content.is_empty() {
            report.lines += 1;
            match parse_line(content, pes, &mut report) {
                Some((switch, members)) => switches.push((switch, index + 1, members)),
                None => report.unnumbered = true,
            }
        }
    }
    let switches = by_key(switches, |s| [s.0.into(), s.1 as u64]);
    numbering(&switches, &mut report);
    if switches.is_empty() && report.lines > 1 {
        let sentence = says("is not a wiring table, whose lines are `switch: node node node`.");
        return Err(vec![LineFault::new(1, "", sentence)]);
    }
    if report.faults.is_empty() && report.beyond.is_empty() {
        return Ok(Design::from_switches(pes, switches.into_iter().map(|s| s.2)));
    }
    Err(report.finish(pes))
}

/// Faults so far. Only so many are kept, so that a hostile table ends in a short answer; the rest is counted.
#[derive(Default)]
struct Report {
    faults: Vec<LineFault>,
    line: usize,
    /// Lines that say something.
    lines: usize,
    /// `true` if a line has no switch number.
    unnumbered: bool,
    /// Nodes that the spec lacks: up to [`MAX_BEYOND`] faults, their number, the first line and the highest node.
    beyond: Vec<LineFault>,
    beyond_count: usize,
    highest: u32,
    /// Faults beyond the kept ones, and the line of the first of them.
    more: usize,
    more_from: usize,
}

impl Report {
    fn add(&mut self, sentence: impl FnOnce() -> String) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(LineFault::new(self.line, "", says(sentence())));
            return;
        }
        if self.more == 0 {
            self.more_from = self.line;
        }
        self.more += 1;
    }

    fn add_beyond(&mut self, pe: u32, pes: u32) {
        self.beyond_count += 1;
        self.highest = self.highest.max(pe);
        if self.beyond.len() < MAX_BEYOND {
            self.beyond.push(LineFault::new(self.line, "", says(no_node(&pe.to_string(), pes))));
        }
    }

    fn finish(mut self, pes: u32) -> Vec<LineFault> {
        if self.beyond_count > MAX_BEYOND {
            self.beyond.truncate(1);
            let (highest, last) = (grouped(self.highest.into()), grouped(pes.saturating_sub(1).into()));
            for fault in &mut self.beyond {
                fault.message = format!("has nodes up to {highest}; the spec has nodes 0 to {last}.");
            }
        }
        self.faults.splice(0..0, self.beyond);
        self.faults = by_key(self.faults, |f| [f.line as u64, 0]);
        if self.more > 0 {
            let line = self.faults.last().map_or(0, |f| f.line).max(self.more_from);
            self.faults.push(LineFault::new(line, "", says(rest(self.more))));
        }
        self.faults
    }
}

/// A switch and those of its members that can be read; `None` if it is not to be known which switch. Every fault is reported.
fn parse_line(content: &str, pes: u32, report: &mut Report) -> Option<(u32, Vec<u32>)> {
    let Some((head, tail)) = content.split_once(':') else {
        report.add(|| format!("{:?} has no colon; write `switch: node node node`.", shorten(content)));
        return None;
    };
    let switch = head.trim().parse::<u32>().ok().filter(|&s| s < MAX_SWITCHES);
    if head.contains(char::is_alphabetic) {
        report
            .add(|| format!("has names; write numbers, such as `0: 3 5 7`, not {:?}.", shorten(head.trim())));
        return None;
    }
    if switch.is_none() {
        let last = grouped((MAX_SWITCHES - 1).into());
        report.add(|| format!("{:?} is not a switch number (0 to {last}).", shorten(head.trim())));
    }
    let mut members = Vec::new();
    for word in checked(tail.split_whitespace()) {
        match word.parse::<u32>() {
            Ok(pe) if pe < pes => members.push(pe),
            Ok(pe) if word.starts_with(|c: char| c.is_ascii_digit()) => report.add_beyond(pe, pes),
            _ => report.add(|| no_node(word, pes)),
        }
    }
    members.sort_unstable();
    for twice in members.chunk_by(|a, b| a == b).filter(|c| c.len() > 1) {
        let times = twice.len();
        report.add(|| format!("node {} is listed {times} times; list each node once.", twice[0]));
    }
    switch.map(|switch| (switch, members))
}

fn no_node(word: &str, pes: u32) -> String {
    format!("{:?} is not a node number (0 to {}).", shorten(word), pes.saturating_sub(1))
}

const MAX_SWITCHES: u32 = 1 << 26;

/// Every switch from 0 on must be there once. A line that does not tell its switch may be the one that is missing, so that
/// gaps are reported only where all lines tell theirs.
fn numbering(sorted: &[(u32, usize, Vec<u32>)], report: &mut Report) {
    let complete = !report.unnumbered;
    if sorted.is_empty() && complete {
        report.line = report.line.max(1);
        report.add(|| "has no switch; write lines `switch: node node node`.".into());
    }
    let mut expected = 0;
    for (i, &(switch, line, _)) in checked(sorted).enumerate() {
        report.line = line;
        if i > 0 && sorted[i - 1].0 == switch {
            let first = sorted[i - 1].1;
            report.add(|| format!("switch {switch} is on line {first} already; give each switch one line."));
            continue;
        }
        if switch > expected && complete {
            report
                .add(|| format!("switch {expected} is missing before switch {switch}; number without gaps."));
        }
        expected = switch + 1;
    }
}

fn shorten(word: &str) -> String {
    crate::text::shorten(word, 40, 37)
}
