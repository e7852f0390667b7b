//! Faults of a document: where, what was found, what is expected.

use super::Schema;
use crate::text::shorten;
use serde::{Deserialize, Serialize};
use std::fmt;

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Fault {
    /// Where, as in `pattern[2].dims`; `line 7` where the text could not be read at all.
    pub path: String,
    /// Value found there, shortened; empty if there was none.
    pub value: String,
    /// Accepted values, a noun phrase.
    pub expected: String,
}

impl Fault {
    /// A fault of `value` at `path`.
    pub fn new(path: impl Into<String>, value: impl ToString, expected: impl Into<String>) -> Self {
        // A long value is cut before its characters are looked at, and again once they are escaped.
        let value = shorten(&printable(shorten(&value.to_string(), 80, 77)), 80, 77);
        Fault { path: printable(path.into()), value, expected: expected.into() }
    }
}

/// Faults end up in terminals: what was found must not steer one.
fn printable(text: String) -> String {
    if !text.contains(char::is_control) {
        return text;
    }
    text.chars()
        .flat_map(|c| match c.is_control() {
            true => c.escape_default().collect::<Vec<_>>(),
            false => vec![c],
        })
        .collect()
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value.as_str() {
            "" => write!(f, "{}: missing, expected {}", self.path, self.expected),
            value => write!(f, "{}: got {value}, expected {}", self.path, self.expected),
        }
    }
}

/// Every broken rule of one document; never empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(transparent)]
pub struct Faults(pub Vec<Fault>);

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, fault) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{fault}")?;
        }
        Ok(())
    }
}

impl Faults {
    /// Max faults in a list; a last one counts the rest.
    pub const MAX: usize = 100;

    /// The faults, up to [`Faults::MAX`]. `None` if there are none.
    pub fn of(faults: Vec<Fault>) -> Option<Faults> {
        let count = faults.len();
        Faults::counted(faults, count)
    }

    /// [`Faults::of`] so many faults, of which only the first are kept: at least one more than [`Faults::MAX`], or all.
    pub fn counted(mut faults: Vec<Fault>, count: usize) -> Option<Faults> {
        let more = count.saturating_sub(Self::MAX);
        if let Some(from) = faults.get(Self::MAX).filter(|_| more > 1).map(|f| f.path.clone()) {
            faults.truncate(Self::MAX);
            faults.push(Fault::new(from, format!("this and {more} more faults"), "no faults"));
        }
        Some(faults).filter(|f| !f.is_empty()).map(Faults)
    }
}

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Self {
        Faults(vec![fault])
    }
}

/// Max different expectations in one message.
const MAX_MESSAGES: usize = 4;

/// Message beside the field at a path, whose text is `typed`; `None` if it has no fault.
pub fn message(faults: &[Fault], path: &str, typed: &str) -> Option<String> {
    let mut expected: Vec<(&str, Vec<&str>)> = Vec::new();
    for fault in faults.iter().filter(|fault| fault.path == path) {
        // The text itself is in sight, only parts of it are named.
        let value = Some(&*fault.value).filter(|value| !value.is_empty() && *value != typed.trim());
        match expected.iter_mut().find(|(known, _)| *known == fault.expected) {
            Some((_, values)) => values.extend(value.filter(|value| !values.contains(value))),
            None => expected.push((&fault.expected, value.into_iter().collect())),
        }
    }
    let more = expected.len().saturating_sub(MAX_MESSAGES);
    let sentence = |(expected, values): &(&str, Vec<&str>)| match values[..] {
        [] => format!("Expected {expected}."),
        _ => format!("Expected {expected}; got {}.", values.join(", ")),
    };
    let sentences = expected.iter().take(MAX_MESSAGES).map(sentence);
    let sentences = sentences.chain((more > 0).then(|| format!("And {more} more.")));
    Some(sentences.collect::<Vec<_>>().join(" ")).filter(|text| !text.is_empty())
}

impl Fault {
    /// The same fault with the path in words.
    pub fn labelled(&self, schema: &Schema) -> Fault {
        Fault { path: schema.label(&self.path), ..self.clone() }
    }
}
