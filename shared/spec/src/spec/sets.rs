//! Sets of PEs or switches, written as numbers and ranges: `0-7, 12`.

use super::{MAX_PES, MAX_PLACED, MAX_SWITCHES};
use crate::{
    form::{FormReader, Notation, plain_digits},
    text::{self, grouped},
};

/// Numbers of nodes.
pub(super) const NODES: Set = Set { what: "node", end: MAX_PES };
/// Numbers of switches.
pub(super) const SWITCHES: Set = Set { what: "switch", end: MAX_SWITCHES };

/// A set of numbers, ascending; at least one.
pub(super) struct Set {
    /// Name of a number.
    what: &'static str,
    /// Number after the last, unless the field has another range.
    end: u32,
}

impl Notation<Vec<u32>> for Set {
    fn read(&self, fields: &mut FormReader, key: &str) -> Option<Vec<u32>> {
        let last = fields.range(key).and_then(|(_, last)| u32::try_from(last).ok());
        read(fields, key, self.what, last.map_or(self.end, |last| last + 1))
    }

    fn write(&self, numbers: &Vec<u32>) -> String {
        text::ranges(numbers)
    }
}

/// The numbers of a set, all below `end`. `what` names one of them.
fn read(fields: &mut FormReader, key: &str, what: &str, end: u32) -> Option<Vec<u32>> {
    let expected = |suffix: &str| {
        format!(
            "{what} numbers and ranges such as `0-7, 12`, from 0 to {}{suffix}",
            grouped(end.saturating_sub(1).into())
        )
    };
    let text = fields.typed(key);
    if text.is_empty() {
        return fields.fault(key, expected(""));
    }
    let (mut ranges, mut wrong) = (Vec::new(), Vec::new());
    let tight = text.split(['-', '–']).map(str::trim).collect::<Vec<_>>().join("-");
    for word in tight.split([',', ';', ' ', '\t', '\n', '\r']).filter(|word| !word.is_empty()) {
        match range(word).filter(|&(first, last)| first <= last && last < end) {
            Some(range) => ranges.push(range),
            None => wrong.push(word),
        }
    }
    if !wrong.is_empty() || ranges.is_empty() {
        let found = if wrong.is_empty() { text.to_string() } else { wrong.join(", ") };
        return fields.fault_of(key, found, expected(", in plain digits, the lower number first"));
    }
    let ranges = merged(ranges);
    let count: u64 = ranges.iter().map(|&(first, last)| u64::from(last - first) + 1).sum();
    if count > MAX_PLACED as u64 {
        return fields.fault_of(
            key,
            format!("{} numbers", grouped(count)),
            format!("at most {}", grouped(MAX_PLACED as u64)),
        );
    }
    Some(ranges.into_iter().flat_map(|(first, last)| first..=last).collect())
}

/// `12` or `0-7`.
fn range(word: &str) -> Option<(u32, u32)> {
    let (first, last) = word.split_once('-').unwrap_or((word, word));
    Some((plain_digits(first)?, plain_digits(last)?))
}

/// Ranges in order, those that overlap or touch as one.
fn merged(mut ranges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    ranges.sort_unstable();
    let mut merged: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
    for (first, last) in ranges {
        match merged.last_mut().filter(|(_, end)| first <= end.saturating_add(1)) {
            Some((_, end)) => *end = last.max(*end),
            None => merged.push((first, last)),
        }
    }
    merged
}
