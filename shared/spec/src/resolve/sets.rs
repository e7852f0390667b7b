//! Sets of PEs or switches, written as numbers and ranges: `0-7, 12`.

use crate::{
    form::{FormReader, plain_digits},
    spec::MAX_PLACED,
    text::grouped,
};

/// The numbers of a set, ascending, all below `end`; at least one. `what` names one of them.
pub(super) fn read(fields: &mut FormReader, key: &str, what: &str, end: u32) -> Option<Vec<u32>> {
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
