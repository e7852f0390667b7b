//! The TOML language of spec files: text to [`SpecForm`] and back.
//!
//! Reading keeps every value as text, whatever its type, so that a number out of range and a word in place of a number
//! get the same answer from a file as from the browser's form. What cannot be held by a form is a fault here: broken
//! syntax, keys that do not exist, lists and tables where one value belongs.

mod write;

pub use write::write;

use super::{
    Fault, Faults, MAX_ENTRIES, MAX_SPEC_BYTES, SpecForm,
    form::{Fields, Kind},
};
use crate::text::{closest, did_you_mean, listed};
use toml::{
    Spanned,
    de::{DeArray, DeTable, DeValue},
};

/// The tables of a spec, those that there may be many of and those that there may be one of.
const TABLES: [&str; 8] = ["pe_group", "switch", "keep", "uplink", "rack", "placement", "pattern", "start"];

/// Most signs `[`, `{`, `,` and `=` in a text. A parsed value takes a hundred times the memory of its letters; long lists
/// of pairs go into one piece of text instead, as [`write()`] puts them.
const MAX_SIGNS: usize = 1_000_000;

/// Up to this size a broken text is told every fault of its syntax, and of everything else; above it the first, since the
/// parser's own list of them would take hundreds of bytes for each letter.
const MAX_RECOVERED_BYTES: usize = 256 << 10;

/// Parses a spec file; `values` lists the faults of a form's values. [`resolve::parse`](crate::resolve::parse) supplies it.
///
/// # Errors
/// Every fault of the text, in its order: syntax with line and column, unknown keys, lists and tables where one value
/// belongs. Where only the syntax is whole, the faults of the values follow, so that all are told at once. A text of
/// more than [`MAX_SPEC_BYTES`] is not read at all.
pub fn parse(text: &str, values: impl Fn(&SpecForm) -> Vec<Fault>) -> Result<SpecForm, Faults> {
    if text.len() > MAX_SPEC_BYTES {
        let expected = format!("a text of at most {MAX_SPEC_BYTES} bytes");
        return Err(Fault::new("spec", format!("{} bytes", text.len()), expected).into());
    }
    let signs = text.bytes().filter(|b| b"[{,=".contains(b)).count();
    if signs > MAX_SIGNS {
        let expected =
            format!("at most {MAX_SIGNS}; put long `pairs` into text, a line each, between three quotes");
        return Err(Fault::new("spec", format!("{signs} brackets, commas and equals signs"), expected).into());
    }
    let (document, errors) = match text.len() > MAX_RECOVERED_BYTES {
        false => DeTable::parse_recoverable(text),
        true => match DeTable::parse(text) {
            Ok(document) => (document, Vec::new()),
            Err(error) => (Spanned::new(0..0, DeTable::new()), vec![error]),
        },
    };
    let mut reader = Reader { text, lines: line_starts(text), faults: Vec::new(), meant: Vec::new() };
    let form = reader.document(document.get_ref());
    reader.syntax(&errors);
    if errors.is_empty() && !reader.faults.is_empty() {
        reader.values(values(&form));
    }
    reader.faults.sort_by_key(|&(at, _)| at);
    match Faults::of(reader.faults.into_iter().map(|(_, fault)| fault).collect()) {
        Some(faults) => Err(faults),
        None => Ok(form),
    }
}

struct Reader<'a> {
    text: &'a str,
    lines: Vec<usize>,
    /// Each with its place in the text.
    faults: Vec<(usize, Fault)>,
    /// Paths of the keys that unknown ones seem to mean.
    meant: Vec<String>,
}

impl<'a> Reader<'a> {
    fn document(&mut self, table: &DeTable<'a>) -> SpecForm {
        let mut form: SpecForm = self.table(table, "", &TABLES);
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "pe_group" => form.pe_group = self.list(value, "pe_group"),
                "switch" => form.switch = self.list(value, "switch"),
                "keep" => form.keep = self.list(value, "keep"),
                "uplink" => form.uplink = Some(self.single(value, "uplink")),
                "rack" => form.rack = self.list(value, "rack"),
                "placement" => form.placement = self.list(value, "placement"),
                "pattern" => form.pattern = self.list(value, "pattern"),
                "start" => form.start = Some(self.single(value, "start")),
                _ => {}
            }
        }
        form
    }

    /// One table, `[key]` in the file.
    fn single<F: Fields>(&mut self, value: &Spanned<DeValue<'a>>, key: &str) -> F {
        match value.get_ref().as_table() {
            Some(table) => self.table(table, &format!("{key}."), &[]),
            None => {
                self.fault(value, key, format!("one table with single brackets, [{key}]"));
                F::default()
            }
        }
    }

    /// A list of tables, `[[key]]` in the file.
    fn list<F: Fields>(&mut self, value: &Spanned<DeValue<'a>>, key: &str) -> Vec<F> {
        let Some(items) = value.get_ref().as_array() else {
            self.fault(value, key, format!("tables with two brackets, [[{key}]]"));
            return vec![F::default()];
        };
        if items.len() > MAX_ENTRIES {
            let fault = Fault::new(key, format!("{} entries", items.len()), format!("at most {MAX_ENTRIES}"));
            self.faults.push((value.span().start, fault));
            return vec![F::default()];
        }
        let mut forms = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let path = format!("{key}[{index}]");
            match item.get_ref().as_table() {
                Some(table) => forms.push(self.table(table, &format!("{path}."), &[])),
                None => {
                    self.fault(item, &path, format!("a table, [[{key}]]"));
                    forms.push(F::default());
                }
            }
        }
        forms
    }

    /// The values of one table; keys in `besides` are read elsewhere.
    fn table<F: Fields>(&mut self, table: &DeTable<'a>, prefix: &str, besides: &[&str]) -> F {
        let mut form = F::default();
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            let path = format!("{prefix}{}", shorten(name));
            if let Some(field) = form.get_mut(name) {
                match self.value(F::kind(name), value) {
                    Some(text) => *field = text,
                    None => self.fault(value, &path, in_words(F::kind(name))),
                }
            } else if !besides.contains(&name) {
                let known = || F::KEYS.iter().chain(besides).copied();
                let expected = format!("one of the keys {}{}", listed(known()), did_you_mean(name, known()));
                self.meant.extend(closest(name, known()).map(|meant| format!("{prefix}{meant}")));
                self.faults.push((key.span().start, Fault::new(path, shorten(name), expected)));
            }
        }
        form
    }

    /// A value as text; `None` for a list or table where none belongs.
    fn value(&self, kind: Kind, value: &Spanned<DeValue<'a>>) -> Option<String> {
        match (kind, value.get_ref()) {
            (Kind::Sizes, DeValue::Array(sizes)) => self.joined(sizes, "x"),
            (Kind::Set, DeValue::Array(numbers)) => self.joined(numbers, ", "),
            (Kind::Pairs, DeValue::Array(pairs)) => {
                let line = |pair: &Spanned<DeValue<'a>>| {
                    pair.get_ref().as_array().and_then(|numbers| self.joined(numbers, " "))
                };
                pairs.iter().map(line).collect::<Option<Vec<_>>>().map(|lines| lines.join("\n"))
            }
            (_, scalar) => self.scalar(scalar, value),
        }
    }

    /// A list of single values as text. One that would not stay one value is refused.
    fn joined(&self, items: &DeArray<'a>, between: &str) -> Option<String> {
        let one = |item: &Spanned<DeValue<'a>>| {
            let text = self.scalar(item.get_ref(), item)?;
            (!text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c == '#' || c == ','))
                .then_some(text)
        };
        items.iter().map(one).collect::<Option<Vec<_>>>().map(|texts| texts.join(between))
    }

    fn scalar(&self, value: &DeValue<'a>, spanned: &Spanned<DeValue<'a>>) -> Option<String> {
        match value {
            DeValue::String(text) => Some(text.to_string()),
            DeValue::Integer(number) => Some(
                i128::from_str_radix(number.as_str(), number.radix())
                    .map_or_else(|_| number.to_string(), |n| n.to_string()),
            ),
            DeValue::Float(number) => Some(number.as_str().to_string()),
            DeValue::Boolean(_) | DeValue::Datetime(_) => Some(self.source(spanned).to_string()),
            DeValue::Array(_) | DeValue::Table(_) => None,
        }
    }

    fn source(&self, value: &Spanned<DeValue<'a>>) -> &'a str {
        self.text.get(value.span()).unwrap_or("")
    }

    fn fault(&mut self, value: &Spanned<DeValue<'a>>, path: &str, expected: impl Into<String>) {
        let what = match value.get_ref() {
            DeValue::Table(_) => "a table",
            DeValue::Array(_) => "a list",
            _ => "a single value",
        };
        let found = match self.source(value) {
            text if text.lines().count() == 1 => shorten(text),
            _ => what.to_string(),
        };
        self.faults.push((value.span().start, Fault::new(path, found, expected)));
    }

    /// Adds the faults of the values, but none that only follows from what was told.
    fn values(&mut self, faults: Vec<Fault>) {
        let follows = |fault: &Fault| {
            // A file is not looked into before the text that names it is whole.
            fault.path.ends_with(".file")
                || fault.value.is_empty() && self.meant.contains(&fault.path)
                || self.faults.iter().any(|(_, told)| {
                    within(&fault.path, &told.path)
                        || fault.value.is_empty() && within(&told.path, &fault.path)
                })
        };
        let more: Vec<Fault> = faults.into_iter().filter(|fault| !follows(fault)).collect();
        self.faults.extend(more.into_iter().map(|fault| (self.text.len(), fault)));
    }

    /// Adds the faults of syntax. What was made of a broken line is no fault of its own.
    fn syntax(&mut self, errors: &[toml::de::Error]) {
        let mut broken: Vec<usize> = Vec::with_capacity(errors.len());
        let mut faults = Vec::with_capacity(errors.len().min(Faults::MOST));
        for error in errors {
            let at = error.span().map_or(0, |span| span.start).min(self.text.len());
            let line = self.lines.partition_point(|&start| start <= at) - 1;
            // One slip can break a line in many ways; the first says enough.
            if broken.last() == Some(&line) {
                continue;
            }
            broken.push(line);
            let start = self.lines[line];
            let column = self.text.get(start..at).map_or(at - start, |before| before.chars().count()) + 1;
            let written = self.text[start..].lines().next().unwrap_or("").trim();
            let path = format!("line {}, column {column}", line + 1);
            faults.push((at, Fault::new(path, shorten(written), format!("TOML ({})", error.message()))));
        }
        broken.sort_unstable();
        let lines = &self.lines;
        let whole = |at: usize| broken.binary_search(&(lines.partition_point(|&s| s <= at) - 1)).is_err();
        self.faults.retain(|&(at, _)| whole(at));
        self.faults.extend(faults);
    }
}

/// Whether a path is another or a part of it, as `switch[0].ports` is of `switch[0]` and of `switch`.
fn within(path: &str, whole: &str) -> bool {
    path.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Where each line starts; the first at 0.
fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

fn in_words(kind: Kind) -> &'static str {
    match kind {
        Kind::Number => "one number",
        Kind::Text => "one piece of text in quotes",
        Kind::Flag => "true or false",
        Kind::Sizes => "a list of sizes such as [16, 8]",
        Kind::Pairs => "a list of pairs [a, b] or [a, b, weight], or the same as lines of text",
        Kind::Set => "numbers and ranges such as \"0-7, 12\", or a list of them",
    }
}

fn shorten(word: &str) -> String {
    crate::text::shorten(word, 60, 60)
}
