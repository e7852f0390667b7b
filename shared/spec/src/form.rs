//! Forms as typed: each field is described once and read alike from TOML, JSON, the command line and the page.
//!
//! [`form!`](crate::form) declares a form: a struct with a text for each field, and the [`Schema`] that describes them.
//! A [`Reader`] turns the texts into values and collects a [`Fault`] for each text that is not accepted.

mod declare;
mod fault;
mod read;
mod record;
pub mod toml;
mod visible;

pub use declare::{fields, form};
pub use fault::{
    Advice, Fault, Faults, LineFault, Mend, Place, lines, message, no_such, of_lines, printable, remove,
    rest, says, shown, unknown,
};
pub use read::{FormReader, Reader, known};
pub use record::{Notation, Record, Written};
pub use record::{named, record, set};
pub use visible::{Layout, check_form, check_visible};

use crate::text::{bound, grouped, listed};
use std::{
    ops::{Deref, DerefMut},
    str::FromStr,
};

/// One field of a form.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Name in files, paths and JSON.
    pub key: &'static str,
    /// Older name, which files may have, too; empty if there is none.
    pub was: &'static str,
    /// Name for people.
    pub label: &'static str,
    /// Unit of the value; empty for a plain number or text.
    pub unit: &'static str,
    /// Values that are accepted.
    pub kind: FieldKind,
    /// Value of an empty field, as typed; empty if there is none.
    pub default: &'static str,
    /// Words in an empty input without a default: what empty means, or an example.
    pub hint: &'static str,
    /// Explanation for people.
    pub help: &'static str,
    /// Key of the field in whose row it stands on a page; empty for a row of its own.
    pub beside: &'static str,
    /// `true` if a page shows the field in a part that is folded while none of its fields is given.
    pub folded: bool,
}

/// Values that a field accepts.
#[derive(Clone, Copy, Debug)]
pub enum FieldKind {
    /// A whole number in plain digits.
    Whole {
        /// Smallest.
        min: u64,
        /// Largest.
        max: u64,
    },
    /// A decimal number.
    Number {
        /// Smallest.
        min: f64,
        /// Largest.
        max: f64,
    },
    /// A line of text without control characters.
    Text {
        /// Longest, in characters.
        max: usize,
    },
    /// Several lines of text.
    Lines,
    /// `true` or `false`.
    Flag,
    /// One of a few words.
    Choice(&'static [Choice]),
    /// One of the entries of a registry.
    Listed(fn() -> Vec<Choice>),
    /// Sizes such as `16x8`; a list of numbers in a file.
    Sizes,
    /// Pairs, a line each; a list of lists in a file.
    Pairs,
    /// Numbers and ranges such as `0-7, 12`; text or a list of numbers in a file.
    Set,
    /// Text with a syntax of its own, which its reader parses; the words describe it.
    Syntax(&'static str),
}

/// A word that a field accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Word in files and JSON.
    pub word: &'static str,
    /// For people.
    pub label: &'static str,
}

impl Choice {
    /// The word of that label.
    pub const fn new(word: &'static str, label: &'static str) -> Choice {
        Choice { word, label }
    }
}

impl Field {
    /// A required field.
    pub const fn new(label: &'static str, kind: FieldKind) -> Field {
        Field {
            key: "",
            was: "",
            label,
            unit: "",
            kind,
            default: "",
            hint: "",
            help: "",
            beside: "",
            folded: false,
        }
    }

    /// A whole number.
    pub const fn whole(label: &'static str, min: u64, max: u64) -> Field {
        Field::new(label, FieldKind::Whole { min, max })
    }

    /// A decimal number.
    pub const fn number(label: &'static str, min: f64, max: f64) -> Field {
        Field::new(label, FieldKind::Number { min, max })
    }

    /// Sets an older name that files may have, too.
    pub const fn was(self, was: &'static str) -> Field {
        Field { was, ..self }
    }

    /// Sets the unit.
    pub const fn unit(self, unit: &'static str) -> Field {
        Field { unit, ..self }
    }

    /// Sets the default.
    pub const fn or(self, default: &'static str) -> Field {
        Field { default, ..self }
    }

    /// Sets the words for an empty input.
    pub const fn hint(self, hint: &'static str) -> Field {
        Field { hint, ..self }
    }

    /// Puts the field in the row of another one on a page.
    pub const fn beside(self, key: &'static str) -> Field {
        Field { beside: key, ..self }
    }

    /// Puts the field in the folded part of a page.
    pub const fn folded(self) -> Field {
        Field { folded: true, ..self }
    }

    /// Words in an empty input.
    pub fn placeholder(&self) -> &'static str {
        if self.default.is_empty() { self.hint } else { self.default }
    }

    /// The default of a number. Panics if the field has no default that is a number.
    pub fn default_number(&self) -> f64 {
        self.read_number(self.default).expect("a default")
    }

    /// Reads a whole number. Errors: the text is not accepted; the error describes accepted values.
    pub fn read_whole(&self, text: &str) -> Result<u64, String> {
        let text = text.trim();
        let inside = |n: &u64| matches!(self.kind, FieldKind::Whole { min, max } if (min..=max).contains(n));
        plain_digits(text).filter(inside).ok_or_else(|| self.kind.expected() + in_digits(text))
    }

    /// Reads a decimal number. Errors: the text is not accepted; the error describes accepted values.
    pub fn read_number(&self, text: &str) -> Result<f64, String> {
        let text = text.trim();
        let decimal = text.bytes().all(|b| b.is_ascii_digit() || b".eE+-".contains(&b));
        let inside = |n: &f64| matches!(self.kind, FieldKind::Number { min, max } if (min..=max).contains(n));
        let number = text.parse().ok().filter(|n| decimal && inside(n));
        // Adding 0 makes a positive zero of -0.
        number.map(|number: f64| number + 0.0).ok_or_else(|| self.kind.expected() + in_digits(text))
    }

    /// Checks a text that is not empty. Errors: the text is not accepted; the error says what to do.
    pub fn check(&self, text: &str) -> Result<(), Advice> {
        match self.kind {
            FieldKind::Whole { .. } => self.read_whole(text).map(|_| ()).map_err(Advice::from),
            FieldKind::Number { .. } => self.read_number(text).map(|_| ()).map_err(Advice::from),
            kind => kind.takes(text).then_some(()).ok_or_else(|| kind.advice(text)),
        }
    }
}

impl FieldKind {
    /// Description of accepted values, a noun phrase.
    pub fn expected(self) -> String {
        match self {
            FieldKind::Whole { min, max } if min == max => format!("{}, the only one", grouped(min)),
            FieldKind::Whole { min, max } => {
                format!("a whole number from {} to {}", grouped(min), grouped(max))
            }
            FieldKind::Number { min, max } => {
                format!("a number from {} to {}", bound(min), bound(max))
            }
            FieldKind::Text { max } => format!("at most {max} characters, none of them a control character"),
            FieldKind::Lines => "lines of text".into(),
            FieldKind::Flag | FieldKind::Choice(_) | FieldKind::Listed(_) => {
                format!("one of {}", listed(self.words().into_iter()))
            }
            FieldKind::Sizes => "sizes such as 16x8, in a file [16, 8]".into(),
            FieldKind::Pairs => "pairs, a line each: `a b` or `a b weight`".into(),
            FieldKind::Set => "numbers and ranges such as `0-7, 12`".into(),
            FieldKind::Syntax(words) => words.into(),
        }
    }

    /// `true` if a list in JSON is accepted.
    pub fn takes_list(self) -> bool {
        matches!(self, FieldKind::Sizes | FieldKind::Pairs | FieldKind::Set | FieldKind::Syntax(_))
    }

    /// `true` if a number is in the range.
    pub fn has(self, number: f64) -> bool {
        match self {
            FieldKind::Whole { min, max } => (min as f64..=max as f64).contains(&number),
            FieldKind::Number { min, max } => (min..=max).contains(&number),
            _ => false,
        }
    }

    /// Words to choose from; empty for other kinds.
    pub fn choices(self) -> Vec<Choice> {
        match self {
            FieldKind::Choice(choices) => choices.to_vec(),
            FieldKind::Listed(choices) => choices(),
            _ => Vec::new(),
        }
    }

    fn words(self) -> Vec<&'static str> {
        match self {
            FieldKind::Flag => vec!["false", "true"],
            kind => kind.choices().iter().map(|choice| choice.word).collect(),
        }
    }

    fn takes(self, text: &str) -> bool {
        let text = text.trim();
        match self {
            FieldKind::Text { max } => text.chars().count() <= max && !text.contains(char::is_control),
            FieldKind::Flag | FieldKind::Choice(_) | FieldKind::Listed(_) => self.words().contains(&text),
            _ => true,
        }
    }

    /// Advice about a text that is not accepted.
    fn advice(self, text: &str) -> Advice {
        match self {
            FieldKind::Flag | FieldKind::Choice(_) | FieldKind::Listed(_) => {
                unknown(text.trim(), self.words().into_iter())
            }
            kind => kind.expected().into(),
        }
    }
}

/// More words for a number with signs that are not accepted, such as thousands separators.
fn in_digits(text: &str) -> &'static str {
    let odd = |c: char| !c.is_ascii_alphanumeric() && !".-".contains(c);
    if text.contains(char::is_numeric) && text.contains(odd) { ", in plain digits" } else { "" }
}

/// A number of digits only, without sign, point or separators.
pub fn plain_digits<N: FromStr>(text: &str) -> Option<N> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?
}

/// Fields and tables of a form, in the order of a file.
#[derive(Debug)]
pub struct Schema {
    /// Fields.
    pub fields: &'static [Field],
    /// Tables of other forms, after the fields.
    pub tables: &'static [Table],
}

/// A table of forms inside a form.
#[derive(Debug)]
pub struct Table {
    /// Name in files and paths.
    pub key: &'static str,
    /// Older name, which files may have, too; empty if there is none.
    pub was: &'static str,
    /// Name of one entry for people.
    pub label: &'static str,
    /// `true` if a file has the only entry as `[key]` instead of `[[key]]`, and paths have no index of the first one.
    pub single: bool,
    /// `true` if there may be several entries.
    pub several: bool,
    /// The form of an entry.
    pub schema: &'static Schema,
}

impl Table {
    /// Index of an entry in paths; `None` for the first one of a single table.
    pub fn index(&self, at: usize) -> Option<usize> {
        Some(at).filter(|&at| !self.single || at > 0)
    }

    /// Path of an entry.
    pub fn path(&self, at: usize) -> String {
        self.index(at).map_or_else(|| self.key.into(), |at| format!("{}[{at}]", self.key))
    }
}

impl Schema {
    /// The present key for a key or an older name of it; the word itself if the form has neither.
    pub fn key_of<'a>(&self, word: &'a str) -> &'a str {
        let fields = self.fields.iter().map(|field| (field.was, field.key));
        let mut all = fields.chain(self.tables.iter().map(|table| (table.was, table.key)));
        all.find(|(was, _)| *was == word && !word.is_empty()).map_or(word, |(_, key)| key)
    }

    /// `true` if the form has a field or a table of that key or older name.
    pub fn has(&self, word: &str) -> bool {
        let key = self.key_of(word);
        self.field(key).is_some() || self.tables.iter().any(|table| table.key == key)
    }

    /// The field of that key.
    pub fn field(&self, key: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.key == key)
    }

    /// The fields of a page, row by row.
    pub fn rows(&self) -> Vec<Vec<&'static Field>> {
        let first = self.fields.iter().filter(|field| field.beside.is_empty());
        let row = |first: &'static Field| {
            let others = self.fields.iter().filter(|field| field.beside == first.key);
            std::iter::once(first).chain(others).collect()
        };
        first.map(row).collect()
    }

    /// Path of an entry of a table, such as `switch[0]`. Panics if there is no such table.
    pub fn entry(&self, key: &str, at: usize) -> String {
        self.tables.iter().find(|table| table.key == key).unwrap_or_else(|| panic!("no table {key}")).path(at)
    }

    /// The field at a path such as `switch[0].ports`.
    pub fn field_at(&self, path: &str) -> Option<&'static Field> {
        let (table, _, key) = split(path);
        self.field(path).or_else(|| self.table(table)?.field(key))
    }

    /// Words for a path: `pattern[0].kind` is "Pattern 1, kind". A path that leads to no field stays as it is.
    pub fn label(&self, path: &str) -> String {
        if let Some(field) = self.field(path) {
            return field.label.into();
        }
        let (table, index, key) = match split(path) {
            // `switch` or `switch[0]` names a whole table or entry.
            ("", _, whole) => match split_index(whole) {
                (table, index) if self.tables.iter().any(|t| t.key == table) => (table, index, ""),
                _ => ("", None, whole),
            },
            parts => parts,
        };
        let entry = self.tables.iter().find(|t| t.key == table);
        let entry = entry.map(|t| match index {
            Some(index) => format!("{} {}", t.label, index + 1),
            None => t.label.into(),
        });
        let field = self.table(table).and_then(|schema| schema.field(key)).map(|field| field.label);
        match (entry, field) {
            (None, Some(field)) => field.into(),
            (Some(entry), None) if key.is_empty() => entry,
            (Some(entry), Some(field)) => format!("{entry}, {}", lower(field)),
            _ => path.into(),
        }
    }

    fn table(&self, key: &str) -> Option<&Schema> {
        match key {
            "" => Some(self),
            key => self.tables.iter().find(|table| table.key == key).map(|table| table.schema),
        }
    }
}

/// A label inside a sentence: its first letter is small unless the word is an abbreviation.
fn lower(label: &str) -> String {
    let mut letters = label.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if second.is_lowercase() => first.to_lowercase().chain(letters).collect(),
        _ => label.into(),
    }
}

/// Table, index in it if it is a list, and key.
fn split(path: &str) -> (&str, Option<usize>, &str) {
    let Some((table, key)) = path.split_once('.') else { return ("", None, path) };
    let (table, index) = split_index(table);
    (table, index, key)
}

/// `switch[0]` as table and index.
fn split_index(path: &str) -> (&str, Option<usize>) {
    let index = path.strip_suffix(']').and_then(|path| path.split_once('['));
    match index.map(|(table, index)| (table, plain_digits(index))) {
        Some((table, Some(index))) => (table, Some(index)),
        _ => (path, None),
    }
}

/// A form as typed: a text for each field. Empty text means "not given".
pub trait Form {
    /// Fields and tables.
    fn schema(&self) -> &'static Schema;
    /// The text of a field.
    fn get(&self, key: &str) -> Option<&str>;
    /// The text of a field, to be set.
    fn get_mut(&mut self, key: &str) -> Option<&mut String>;
    /// The entries of a table.
    fn rows(&self, table: &str) -> Option<&dyn Rows>;
    /// The entries of a table, to be changed.
    fn rows_mut(&mut self, table: &str) -> Option<&mut dyn Rows>;

    /// The text at a path such as `switch[0].ports`; `None` if there is no such field.
    fn text_at(&self, path: &str) -> Option<&str> {
        let (table, index, key) = split(path);
        self.get(path).or_else(|| self.rows(table)?.row(index)?.get(key))
    }

    /// The text at a path, to be set.
    fn text_at_mut(&mut self, path: &str) -> Option<&mut String> {
        if self.get(path).is_some() {
            return self.get_mut(path);
        }
        let (table, index, key) = split(path);
        self.rows_mut(table)?.row_mut(index)?.get_mut(key)
    }

    /// Sets every field that has a value of its key; a missing value is empty text.
    fn fill(&mut self, values: &serde_json::Value) {
        for field in self.schema().fields {
            if let (Some(text), Some(value)) = (self.get_mut(field.key), values.get(field.key)) {
                *text = typed(value);
            }
        }
    }

    /// Sets a field; to empty text if the value is its default. Panics if there is no such field.
    fn put(&mut self, key: &str, value: impl Written)
    where
        Self: Sized,
    {
        let default = self.schema().field(key).map_or("", |field| field.default);
        set(self, key, Some(value.written()).filter(|text| text != default).unwrap_or_default());
    }

    /// Clears every field that holds its default.
    fn clear_defaults(&mut self) {
        for field in self.schema().fields {
            if let Some(text) = self.get_mut(field.key).filter(|text| *text == field.default) {
                text.clear();
            }
        }
    }
}

/// A value as people type it.
pub fn typed(value: &serde_json::Value) -> String {
    use serde_json::Value;
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(typed).collect::<Vec<_>>().join(", "),
        // Without the decimal point that JSON gives a whole number.
        Value::Number(number) if number.is_f64() => number.as_f64().unwrap_or_default().to_string(),
        other => other.to_string(),
    }
}

/// A form whose schema is known by its type.
pub trait Described: Form + Default {
    /// Fields and tables.
    const SCHEMA: &'static Schema;

    /// The form of a record.
    fn of(record: &impl Record) -> Self {
        let mut form = Self::default();
        record.write(&mut form, "");
        form
    }

    /// The form of a record, defaults left out.
    fn short_of(record: &impl Record) -> Self {
        let mut form = Self::of(record);
        form.clear_defaults();
        form
    }

    /// A form with these texts. Panics for a key that it lacks.
    fn with<const N: usize>(texts: [(&str, &str); N]) -> Self {
        let mut form = Self::default();
        texts.into_iter().for_each(|(key, text)| set(&mut form, key, text.into()));
        form
    }

    /// The record of this form. Panics if the form has faults.
    fn record<R: Record>(&self) -> R {
        known(self, "").expect("a form without faults")
    }

    /// The field of that key. Panics if the form has no such field.
    fn field(key: &str) -> &'static Field {
        Self::SCHEMA.field(key).unwrap_or_else(|| panic!("no field {key}"))
    }
}

/// The entries of a table.
pub trait Rows {
    /// Number of entries.
    fn count(&self) -> usize;
    /// An entry: by index in a list, without one in a single table; see [`Table::index`].
    fn row(&self, index: Option<usize>) -> Option<&dyn Form>;
    /// An entry, to be changed.
    fn row_mut(&mut self, index: Option<usize>) -> Option<&mut dyn Form>;
    /// Adds an empty entry, or clears the only one.
    fn add(&mut self) -> &mut dyn Form;
}

/// The type of a table's entries.
pub trait RowsOf: Rows {
    /// The form of an entry.
    type Row: Described;
    /// See [`Table::single`].
    const SINGLE: bool;
    /// See [`Table::several`].
    const SEVERAL: bool;
}

impl<F: Described> RowsOf for Vec<F> {
    type Row = F;
    const SINGLE: bool = false;
    const SEVERAL: bool = true;
}

impl<F: Described> RowsOf for Option<F> {
    type Row = F;
    const SINGLE: bool = true;
    const SEVERAL: bool = false;
}

impl<F: Described> RowsOf for OneOrMore<F> {
    type Row = F;
    const SINGLE: bool = true;
    const SEVERAL: bool = true;
}

/// The entries of a table that most files have once, as `[key]`; a file with several has `[[key]]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OneOrMore<F>(pub Vec<F>);

impl<F> Deref for OneOrMore<F> {
    type Target = Vec<F>;

    fn deref(&self) -> &Vec<F> {
        &self.0
    }
}

impl<F> DerefMut for OneOrMore<F> {
    fn deref_mut(&mut self) -> &mut Vec<F> {
        &mut self.0
    }
}

impl<F> FromIterator<F> for OneOrMore<F> {
    fn from_iter<I: IntoIterator<Item = F>>(entries: I) -> Self {
        OneOrMore(entries.into_iter().collect())
    }
}

impl<F: Described> Rows for OneOrMore<F> {
    fn count(&self) -> usize {
        self.len()
    }

    fn row(&self, index: Option<usize>) -> Option<&dyn Form> {
        self.0.row(Some(index.unwrap_or(0)))
    }

    fn row_mut(&mut self, index: Option<usize>) -> Option<&mut dyn Form> {
        self.0.row_mut(Some(index.unwrap_or(0)))
    }

    fn add(&mut self) -> &mut dyn Form {
        self.0.add()
    }
}

impl<F: Described> Rows for Vec<F> {
    fn count(&self) -> usize {
        self.len()
    }

    fn row(&self, index: Option<usize>) -> Option<&dyn Form> {
        self.get(index?).map(|form| form as &dyn Form)
    }

    fn row_mut(&mut self, index: Option<usize>) -> Option<&mut dyn Form> {
        self.get_mut(index?).map(|form| form as &mut dyn Form)
    }

    fn add(&mut self) -> &mut dyn Form {
        self.push_mut(F::default())
    }
}

impl<F: Described> Rows for Option<F> {
    fn count(&self) -> usize {
        usize::from(self.is_some())
    }

    fn row(&self, index: Option<usize>) -> Option<&dyn Form> {
        self.as_ref().filter(|_| index.is_none()).map(|form| form as &dyn Form)
    }

    fn row_mut(&mut self, index: Option<usize>) -> Option<&mut dyn Form> {
        self.as_mut().filter(|_| index.is_none()).map(|form| form as &mut dyn Form)
    }

    fn add(&mut self) -> &mut dyn Form {
        self.insert(F::default())
    }
}
