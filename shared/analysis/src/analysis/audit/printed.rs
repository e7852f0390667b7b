//! Lines of a tool as launchers, loggers and pagers print them.

use crate::cancel::checked;
use std::borrow::Cow;

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The lines of a text with their numbers, without escape sequences of a terminal. Lines of a pager alone are left out.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
    let lines = (1..).zip(checked(text.trim_start_matches('\u{feff}').lines()));
    lines.filter_map(|(number, line)| Some((number, without_pager(line)?)))
}

/// The line without `--More--`, which the pager deletes with backspaces, and without escape sequences; `None` if nothing is left.
fn without_pager(line: &str) -> Option<Cow<'_, str>> {
    let line = if line.contains('\x1b') { Cow::Owned(without_escapes(line)) } else { line.into() };
    let mark = [("--More--", ""), ("---(more", ")---")].iter().find_map(|(mark, end)| {
        let (before, rest) = line.split_once(mark)?;
        let at = line.len() - rest.len() + rest.find(end)? + end.len();
        before.trim().is_empty().then_some(at)
    });
    let Some(mark) = mark else { return Some(line) };
    let rest = &line[mark..];
    let rest = rest.rfind(['\x08', '\r']).map_or(rest.trim_start(), |at| &rest[at + 1..]);
    (!rest.trim().is_empty()).then(|| rest.to_owned().into())
}

/// The line without sequences such as `ESC [ 7 m`.
fn without_escapes(line: &str) -> String {
    let mut parts = line.split('\x1b');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| {
        let end = part.strip_prefix('[').and_then(|part| part.find(|c: char| ('@'..='~').contains(&c)));
        all + end.map_or(part, |end| &part[end + 2..])
    })
}

/// A line without the time and the tag of a process that loggers and launchers put before it.
#[derive(Clone, Copy)]
pub struct Printed<'a> {
    /// Tag of the process, such as `1,3` of `[1,3]<stdout>:` and `3` of `3: `; empty if missing.
    pub process: &'a str,
    /// The rest of the line.
    pub content: &'a str,
}

impl<'a> Printed<'a> {
    /// Splits a line.
    pub fn of(line: &'a str) -> Printed<'a> {
        let line = without_time(line);
        let (process, content) = of_mpirun(line).or_else(|| of_srun(line)).unwrap_or(("", line));
        Printed { process, content: without_time(content) }
    }

    /// The line of an InfiniBand tool, with the name of a node or file in front of it, as `pdsh` and `grep` print it; empty if
    /// missing.
    pub fn of_subnet(line: &'a str) -> (Printed<'a>, &'a str) {
        let printed = Printed::of(line);
        let is_name = |name: &str| {
            !name.is_empty()
                && !name.contains(|c: char| c.is_whitespace() || "\"'#=[(<".contains(c))
                && !["Switch", "CA", "RT", "Router"].contains(&name)
        };
        match printed.content.split_once(':').filter(|(name, _)| is_name(name)) {
            Some((name, rest)) => {
                (Printed { content: rest.strip_prefix(' ').unwrap_or(rest), ..printed }, name)
            }
            None => (printed, ""),
        }
    }
}

/// Tag and rest of `[1,3]<stdout>:…`.
fn of_mpirun(line: &str) -> Option<(&str, &str)> {
    let (tag, rest) = line.strip_prefix('[')?.split_once(']')?;
    let (_, rest) = rest.strip_prefix("<std")?.split_once(">:")?;
    Some((tag, rest.strip_prefix(' ').unwrap_or(rest)))
}

/// Tag and rest of `3: …`.
fn of_srun(line: &str) -> Option<(&str, &str)> {
    let (tag, rest) = line.split_once(':')?;
    let tag = tag.trim_start();
    let is_tag = (1..=7).contains(&tag.len()) && tag.bytes().all(|byte| byte.is_ascii_digit());
    let rest = if rest.is_empty() { rest } else { rest.strip_prefix(' ')? };
    is_tag.then_some((tag, rest))
}

/// The line without a time such as `2025-06-01T10:00:00Z`, `[10:00:00.123]` or `Jun 01 10:00:00`.
fn without_time(line: &str) -> &str {
    let inside = line.strip_prefix('[').unwrap_or(line);
    let (mut word, mut rest) = word_of(inside);
    if is_shaped(word, "0000-00-00") {
        (word, rest) = word_of(rest.trim_start());
    } else if MONTHS.contains(&word) {
        let (_, after_day) = word_of(rest.trim_start());
        (word, rest) = word_of(after_day.trim_start());
    }
    let time = word.get(..11).filter(|date| is_shaped(date, "0000-00-00T")).map_or(word, |_| &word[11..]);
    let is_time = time.get(..8).is_some_and(|time| is_shaped(time, "00:00:00"))
        && time[8..].chars().next().is_none_or(|c| ".,Z+-".contains(c));
    if !is_time {
        return line;
    }
    let rest = if inside.len() < line.len() { rest.strip_prefix(']').unwrap_or(rest) } else { rest };
    rest.strip_prefix(' ').unwrap_or(rest)
}

/// The first word, which ends at a blank or a bracket, and the rest.
fn word_of(text: &str) -> (&str, &str) {
    text.split_at(text.find([' ', '\t', ']']).unwrap_or(text.len()))
}

/// `true` if a word has the signs of a shape, in which `0` is any digit.
fn is_shaped(word: &str, shape: &str) -> bool {
    let is_alike = |(a, b): (u8, u8)| if b == b'0' { a.is_ascii_digit() } else { a == b };
    word.len() == shape.len() && word.bytes().zip(shape.bytes()).all(is_alike)
}
