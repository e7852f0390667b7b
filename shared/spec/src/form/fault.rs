//! Errors in a document: where, what is wrong, what to do.

use super::Schema;
use crate::text::{capital, closest, listed, noun, shorten};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt};

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Fault {
    /// Where, as in `pattern[2].dims`; `line 7` where the text could not be read at all.
    pub path: String,
    /// Value found there, shortened; empty if there was none.
    pub value: String,
    /// What is wrong and what to do, in sentences without the path: `must be 1 to 64, not 65.`
    pub message: String,
    /// Place of the value in the text, if there is a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Changes that mend it, the best first; empty if that takes a decision.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mends: Vec<Mend>,
}

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1, in characters.
    pub column: usize,
}

/// A change of a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Mend {
    /// Path of the field.
    pub path: String,
    /// New text of the field; empty to remove the field.
    pub text: String,
}

/// What to do about a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Accepted values, a noun phrase.
    Must(String),
    /// A sentence that says what is wrong and what to do.
    Says(String),
}

/// Advice in a sentence of its own, where "must be …, not …" does not fit.
pub fn says(sentence: impl Into<String>) -> Advice {
    Advice::Says(sentence.into())
}

/// Advice to remove a value, after the reason.
pub fn remove(reason: impl fmt::Display) -> Advice {
    Advice::Says(format!("{reason}; remove it."))
}

/// Advice about a word that is none of a list. The list is left out if a similar word is in it.
pub fn unknown<'a>(word: &str, known: impl Iterator<Item = &'a str> + Clone) -> Advice {
    match closest(word, known.clone()) {
        Some(near) => {
            Advice::Says(format!("Unknown `{}`. Did you mean `{near}`?", shown(shorten(word, 60, 57))))
        }
        None => Advice::Must(format!("one of {}", listed(known))),
    }
}

/// Advice about a word that names none of some things, such as keys: the one that is `near`, else all that are known.
pub fn no_such<'a>(
    what: &str,
    word: &str,
    near: Option<&str>,
    known: impl Iterator<Item = &'a str>,
) -> Advice {
    let hint = match near {
        Some(near) => format!("Did you mean `{near}`?"),
        None => format!("The {} are {}.", noun(2, what), listed(known)),
    };
    Advice::Says(format!("Unknown {what} `{}`. {hint}", shown(word)))
}

/// Message of the last fault of a list that is cut: the number of faults that the list leaves out.
pub fn rest(more: usize) -> String {
    format!("this and {more}{REST}")
}

const REST: &str = " more errors.";

impl Advice {
    /// Sentences about a value; empty text is a missing value.
    pub fn about(self, value: &str) -> String {
        match (self, value) {
            (Advice::Must(expected), "") => format!("missing; it must be {expected}."),
            (Advice::Must(expected), value) => {
                // A word or a sign alone would be read as one of the sentence.
                let is_word = !value.contains(|c: char| c.is_ascii_digit() || c.is_whitespace());
                let value = match is_word && !value.starts_with(['"', '`', '[']) {
                    true => format!("`{value}`"),
                    false => value.to_owned(),
                };
                let (expected, reason) = expected.split_at(reason_of(&expected));
                format!("must be {expected}, not {value}{reason}.")
            }
            (Advice::Says(sentence), _) => sentence,
        }
    }
}

/// Byte at which the reason of an expectation begins: its first colon or semicolon outside of code, else its end.
fn reason_of(expected: &str) -> usize {
    let mut in_code = false;
    let mut ends = expected.char_indices().filter(|&(at, letter)| {
        in_code ^= letter == '`';
        !in_code && ":;".contains(letter) && expected[at + 1..].starts_with(' ')
    });
    ends.next().map_or(expected.len(), |(at, _)| at)
}

impl From<String> for Advice {
    fn from(expected: String) -> Advice {
        Advice::Must(expected)
    }
}

impl From<&str> for Advice {
    fn from(expected: &str) -> Advice {
        Advice::Must(expected.into())
    }
}

/// A value as errors show it: short, and without characters that steer a terminal.
pub fn shown(value: impl ToString) -> String {
    // A long value is cut before its characters are looked at, and again once they are escaped.
    shorten(&printable(shorten(&value.to_string(), 80, 77)), 80, 77)
}

impl Fault {
    /// A fault of `value` at `path`.
    pub fn new(path: impl Into<String>, value: impl ToString, advice: impl Into<Advice>) -> Self {
        let value = shown(value);
        let message = advice.into().about(&value);
        Fault { path: printable(path.into()), value, message, place: None, mends: Vec::new() }
    }

    /// The same fault with a change that mends it, after those that it has.
    pub fn mended(mut self, path: impl Into<String>, text: impl ToString) -> Fault {
        self.mends.push(Mend { path: path.into(), text: text.to_string() });
        self
    }
}

/// A text without characters that steer a terminal.
pub fn printable(text: String) -> String {
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
        match self.message.starts_with(&format!("Unknown key `{}`", self.path)) {
            true => f.write_str(&self.message)?,
            false => write!(f, "{}: {}", self.path, self.message)?,
        }
        match self.place {
            Some(place) if !self.path.starts_with("line ") => write!(f, " (line {})", place.line),
            _ => Ok(()),
        }
    }
}

/// Max errors of one kind in a list for people.
const MAX_ALIKE: usize = 10;

/// Errors as lines of text. Of each kind, which is the path without its numbers, the first are listed and the rest counted.
pub fn lines<'a>(errors: impl Iterator<Item = (&'a str, String)>) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut kinds: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (path, line) in errors {
        // It is no error of its own, see [`rest`].
        if line.contains(": this and ") && line.ends_with(REST) {
            lines.push(line);
            continue;
        }
        let kind = path.chars().filter(|c| !c.is_ascii_digit()).collect();
        let (count, last) = kinds.entry(kind).or_default();
        *count += 1;
        if *count <= MAX_ALIKE {
            *last = lines.len();
            lines.push(line);
        }
    }
    for (count, last) in kinds.into_values().filter(|(count, _)| *count > MAX_ALIKE) {
        lines[last] += &format!("\nand {} more", count - MAX_ALIKE);
    }
    lines.join("\n")
}

/// Every broken rule of one document; never empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(transparent)]
pub struct Faults(pub Vec<Fault>);

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&lines(self.0.iter().map(|fault| (&*fault.path, fault.to_string()))))
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
            faults.push(Fault::new(from, "", says(rest(more))));
        }
        Some(faults).filter(|f| !f.is_empty()).map(Faults)
    }
}

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Self {
        Faults(vec![fault])
    }
}

/// Max different sentences in one message.
const MAX_MESSAGES: usize = 4;

/// Message beside the field at a path; `None` if it has no fault.
pub fn message(faults: &[Fault], path: &str) -> Option<String> {
    let mut sentences: Vec<String> = Vec::new();
    for fault in faults.iter().filter(|fault| fault.path == path) {
        let sentence = capital(&fault.message);
        if !sentences.contains(&sentence) {
            sentences.push(sentence);
        }
    }
    let more = sentences.len().saturating_sub(MAX_MESSAGES);
    sentences.truncate(MAX_MESSAGES);
    sentences.extend((more > 0).then(|| format!("And {more} more.")));
    Some(sentences.join(" ")).filter(|text| !text.is_empty())
}

impl Fault {
    /// The same fault with the path in words.
    pub fn labelled(&self, schema: &Schema) -> Fault {
        Fault { path: schema.label(&self.path), ..self.clone() }
    }
}

/// A fault in a line of a table or a matrix.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("line {line}: {message}")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LineFault {
    /// Line, from 1.
    pub line: usize,
    /// What is wrong and what to do.
    pub message: String,
}

impl LineFault {
    /// A fault of `found` in a line.
    pub fn new(line: usize, found: impl ToString, advice: impl Into<Advice>) -> LineFault {
        LineFault { line, message: advice.into().about(&shown(found)) }
    }

    /// As a fault of the field that has the text.
    pub fn at(self, path: impl Into<String>) -> Fault {
        Fault::new(path, "", says(self.to_string()))
    }
}

/// Faults of lines as text, as in [`lines`].
pub fn of_lines(faults: &[LineFault]) -> String {
    lines(faults.iter().map(|fault| ("line", fault.to_string())))
}
