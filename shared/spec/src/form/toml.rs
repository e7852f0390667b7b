//! The TOML language of forms: text to form and back.
//!
//! Reading keeps every value as text, whatever its type, so that a file and the page get the same faults. Faults of the
//! language itself are syntax errors, unknown keys, and lists or tables in place of single values.

use super::{
    Advice, Described, Fault, Faults, Field, FieldKind, Form, Place, Schema, no_such, printable, says, shown,
    split_index,
};
use crate::{
    cancel::checked,
    sorted::by_key,
    text::{closest, grouped, listed},
};
use std::{cell::OnceCell, collections::HashSet, fmt::Write};
use toml::{
    Spanned, Value,
    de::{DeArray, DeTable, DeValue},
};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Key, Table, Value as EditedValue};

/// Max bytes of a text.
pub const MAX_BYTES: usize = 4 << 20;
/// Max entries of a list of tables.
pub const MAX_ENTRIES: usize = 4096;
/// Max values of a text, as [`values_of`] counts them: the parser cannot be interrupted, and reads so many in less than
/// 200 ms. A value takes a hundred times the memory of its letters; [`write()`] puts long lists of pairs into one piece of text.
const MAX_VALUES: usize = 400_000;
/// Values of a list that a key or a table counts as.
const PER_KEY: usize = 4;
/// Max faults for whose keys similar ones are looked up.
const MAX_SUGGESTIONS: usize = 10 * Faults::MAX;
/// Max bytes of memory that a value takes, and a letter.
const BYTES_PER_VALUE: u64 = 208;
const BYTES_PER_LETTER: u64 = 4;
/// Above this size only the first fault of the syntax is listed: the parser's list takes hundreds of bytes per letter.
const MAX_RECOVERED_BYTES: usize = 256 << 10;
const PAIRS_PER_LINE: usize = 8;
/// Longer lists of pairs are written as text, which takes less memory to read.
const MAX_LISTED_PAIRS: usize = 4096;

/// Parses a form from a text called `name` in faults; `values` lists the faults of a form's values.
///
/// # Errors
/// Every fault of the text, in its order: syntax with line and column, unknown keys, lists and tables in place of a value.
/// If only the syntax is whole, the faults of the values follow. A text of more than [`MAX_BYTES`] is not read.
pub fn parse<F: Described>(text: &str, name: &str, values: impl Fn(&F) -> Vec<Fault>) -> Result<F, Faults> {
    if text.len() > MAX_BYTES {
        let (bytes, most) = (grouped(text.len() as u64), grouped(MAX_BYTES as u64));
        let sentence = says(format!("has {bytes} bytes; the limit is {most}."));
        return Err(Fault::new(name, bytes, sentence).into());
    }
    let values_in_all = values_of(text);
    if values_in_all > MAX_VALUES {
        let (count, most) = (grouped(values_in_all as u64), grouped(MAX_VALUES as u64));
        let sentence = format!(
            "has about {count} values, a key or a table counted as {PER_KEY}; the limit is {most}. \
             Write long `pairs` as text, a line each, between three quotes."
        );
        return Err(Fault::new(name, count, says(sentence)).into());
    }
    let (document, errors) = match text.len() > MAX_RECOVERED_BYTES {
        false => DeTable::parse_recoverable(text),
        true => match DeTable::parse(text) {
            Ok(document) => (document, Vec::new()),
            Err(error) => (Spanned::new(0..0, DeTable::new()), vec![error]),
        },
    };
    if errors.len() > 1 && !names_any(text, document.get_ref(), F::SCHEMA) {
        let keys = F::SCHEMA.fields.iter().take(3).map(|field| field.key);
        let sentence = says(format!("is not TOML with keys such as {}.", listed(keys)));
        let first = text.lines().next().unwrap_or_default();
        return Err(Fault::new("line 1, column 1", first, sentence).into());
    }
    let (lines, schema) = (line_starts(text), F::SCHEMA);
    let mut reader = Reader {
        text,
        lines,
        schema,
        faults: Vec::new(),
        meant: Vec::new(),
        odd: Vec::new(),
        is_below: false,
        header: OnceCell::new(),
    };
    let mut form = F::default();
    reader.table(document.get_ref(), "", &mut form);
    reader.syntax(&errors);
    if errors.is_empty() && !reader.faults.is_empty() {
        reader.values(values(&form));
    }
    let lines = std::mem::take(&mut reader.lines);
    let faults = by_key(reader.faults, |&(at, _)| [at as u64, 0]);
    let placed = |(at, mut fault): (usize, Fault)| {
        fault.place = fault.place.or_else(|| place(text, &lines, at));
        fault
    };
    match Faults::of(faults.into_iter().map(placed).collect()) {
        Some(faults) => Err(faults),
        None => Ok(form),
    }
}

/// `true` if a text of this table has at least one key of the form, maybe before a colon.
fn names_any(text: &str, table: &DeTable, schema: &Schema) -> bool {
    table.iter().any(|(key, _)| schema.has(key.get_ref()))
        || text.lines().filter_map(with_colon).any(|(key, _)| schema.has(key))
}

/// Key and value of a line as YAML and JSON have them.
fn with_colon(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let (key, value) = (key.trim().trim_matches('"'), value.trim().trim_end_matches(','));
    let is_key = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_');
    (is_key && !value.is_empty()).then_some((key, value))
}

/// Number of values and near-empty lines of a text by its signs, without parsing it: at least as many as there are.
fn values_of(text: &str) -> usize {
    let mut in_line = 0;
    let weight = |byte: u8| {
        let before = in_line;
        in_line = if byte == b'\n' { 0 } else { before + 1 };
        match byte {
            b'=' | b'{' => PER_KEY,
            b'[' if before == 0 => PER_KEY,
            b'[' | b',' | b'.' => 1,
            // The lines of long `pairs` are longer.
            b'\n' if before < 3 => 1,
            _ => 0,
        }
    };
    text.bytes().map(weight).sum()
}

/// Max bytes of memory that parsing this text takes.
pub fn max_bytes(text: &str) -> u64 {
    let read = text.len() <= MAX_BYTES;
    let values = if read { values_of(text) } else { 0 };
    let values = if values <= MAX_VALUES { values as u64 } else { 0 };
    BYTES_PER_VALUE * values + BYTES_PER_LETTER * text.len().min(MAX_BYTES) as u64
}

struct Reader<'a> {
    text: &'a str,
    lines: Vec<usize>,
    /// Keys at the top of the text.
    schema: &'static Schema,
    faults: Vec<(usize, Fault)>,
    /// Paths of the keys that unknown ones seem to mean.
    meant: Vec<String>,
    /// Tables inside the form that have unknown keys: the beginning of their paths.
    odd: Vec<String>,
    /// `true` if keys of the top stand in a table.
    is_below: bool,
    /// Start and text of the first header of a table.
    header: OnceCell<Option<(usize, &'a str)>>,
}

impl<'a> Reader<'a> {
    fn table(&mut self, table: &DeTable<'a>, prefix: &str, form: &mut dyn Form) {
        let Schema { fields, tables } = form.schema();
        for (key, value) in checked(table) {
            let written = key.get_ref().as_ref();
            let name = form.schema().key_of(written);
            let path = format!("{prefix}{}", shorten(name));
            if name != written && table.contains_key(name) {
                let sentence =
                    format!("is an older word for `{name}`, which is given, too; remove one of them.");
                let fault = Fault::new(format!("{prefix}{written}"), written, says(sentence));
                self.faults.push((key.span().start, fault));
                continue;
            }
            if let Some(field) = fields.iter().find(|field| field.key == name) {
                match (self.value(field.kind, value), form.get_mut(name)) {
                    (Some(text), Some(place)) => *place = text,
                    _ => self.fault(value, &path, in_words(field)),
                }
            } else if let Some(table) = tables.iter().find(|table| table.key == name) {
                match table.single && !(table.several && value.get_ref().is_array()) {
                    true => self.single(value, name, form),
                    false => self.list(value, table, form),
                }
            } else if self.faults.len() > MAX_SUGGESTIONS {
                let sentence = says(format!("Unknown key `{}`.", shown(name)));
                self.faults.push((key.span().start, Fault::new(path, name, sentence)));
            } else {
                let known =
                    || fields.iter().map(|field| field.key).chain(tables.iter().map(|table| table.key));
                let older = fields.iter().map(|field| field.was).chain(tables.iter().map(|table| table.was));
                let older = older.filter(|was| !was.is_empty());
                // A word that is older at the top means the same in a table.
                let top = self.schema.key_of(written);
                let near = known().find(|&key| key == top && top != written);
                let near = near.or_else(|| closest(name, known().chain(older)));
                let near = near.map(|near| form.schema().key_of(near));
                self.meant.extend(near.map(|meant| format!("{prefix}{meant}")));
                self.odd.extend((!prefix.is_empty()).then(|| prefix.to_owned()));
                let is_top = self.schema.field(top).is_some();
                let advice = match near.is_none() && !prefix.is_empty() && is_top {
                    true => {
                        self.is_below = true;
                        let table = self.header(key.span().start);
                        says(format!(
                            "`{written}` belongs at the top of the file; move the line above {table}."
                        ))
                    }
                    false => no_such("key", name, near, known()),
                };
                self.faults.push((key.span().start, Fault::new(path, name, advice)));
            }
        }
    }

    /// One table, `[key]` in the file.
    fn single(&mut self, value: &Spanned<DeValue<'a>>, key: &str, form: &mut dyn Form) {
        let Some(rows) = form.rows_mut(key) else { return };
        match value.get_ref().as_table() {
            Some(table) => self.table(table, &format!("{key}."), rows.add()),
            None => {
                rows.add();
                self.fault(value, key, format!("one table with single brackets, [{key}]"));
            }
        }
    }

    /// A list of tables, `[[key]]` in the file.
    fn list(&mut self, value: &Spanned<DeValue<'a>>, of: &super::Table, form: &mut dyn Form) {
        let key = of.key;
        let Some(rows) = form.rows_mut(key) else { return };
        let Some(items) = value.get_ref().as_array() else {
            rows.add();
            return self.fault(value, key, format!("tables with two brackets, [[{key}]]"));
        };
        if items.len() > MAX_ENTRIES {
            rows.add();
            let (count, most) = (grouped(items.len() as u64), grouped(MAX_ENTRIES as u64));
            let fault = Fault::new(key, &count, says(format!("has {count} entries; the limit is {most}.")));
            return self.faults.push((value.span().start, fault));
        }
        for (index, item) in items.iter().enumerate() {
            let path = of.path(index);
            let row = rows.add();
            match item.get_ref().as_table() {
                Some(table) => self.table(table, &format!("{path}."), row),
                None => self.fault(item, &path, format!("a table, [[{key}]]")),
            }
        }
    }

    /// A value as text; `None` for a list or table where none belongs.
    fn value(&self, kind: FieldKind, value: &Spanned<DeValue<'a>>) -> Option<String> {
        match (kind, value.get_ref()) {
            (FieldKind::Sizes, DeValue::Array(sizes)) => {
                self.joined(sizes, "x").filter(|_| sizes.iter().all(is_numeric))
            }
            (FieldKind::Set, DeValue::Array(numbers)) => self.joined(numbers, ", "),
            (FieldKind::Syntax(_), DeValue::Array(items)) => {
                self.joined(items, ", ").filter(|_| items.iter().all(is_numeric))
            }
            (FieldKind::Pairs, DeValue::Array(pairs)) => {
                let line = |pair: &Spanned<DeValue<'a>>| {
                    pair.get_ref().as_array().and_then(|numbers| self.joined(numbers, " "))
                };
                pairs.iter().map(line).collect::<Option<Vec<_>>>().map(|lines| lines.join("\n"))
            }
            // 48.0 is a whole number.
            (FieldKind::Whole { .. }, DeValue::Float(number)) => {
                let whole = number.as_str().parse().ok().filter(|n: &f64| n.fract() == 0.0 && n.abs() < 1e15);
                Some(whole.map_or_else(|| number.as_str().to_string(), |n| n.to_string()))
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
        checked(items).map(one).collect::<Option<Vec<_>>>().map(|texts| texts.join(between))
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

    /// First header of a table, such as `[[switch]]`, if it is before a byte. Looked for once: a text may have many such keys.
    fn header(&self, before: usize) -> &'a str {
        let first = self.header.get_or_init(|| {
            let mut starts = self.lines.iter().map(|&start| (start, &self.text[start..]));
            let found = starts.find(|(_, rest)| rest.trim_start_matches([' ', '\t']).starts_with('['))?;
            Some((found.0, found.1.lines().next()?.trim()))
        });
        first.filter(|&(start, _)| start < before).map_or("the first table", |(_, header)| header)
    }

    fn source(&self, value: &Spanned<DeValue<'a>>) -> &'a str {
        self.text.get(value.span()).unwrap_or("")
    }

    fn fault(&mut self, value: &Spanned<DeValue<'a>>, path: &str, expected: impl Into<Advice>) {
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

    /// Adds the faults of the values, but none that only follows from another.
    fn values(&mut self, faults: Vec<Fault>) {
        let is_meant = |path: &str| {
            // A missing key may be the unknown one beside it, and at the top one that stands in a table.
            self.meant.iter().any(|meant| meant == path)
                || self.is_below && !path.contains('.')
                || self.odd.iter().any(|table| path.starts_with(&**table))
        };
        let follows = |fault: &Fault| {
            // A file is not looked into before the text that names it is whole.
            fault.path.ends_with(".file")
                || fault.value.is_empty() && is_meant(&fault.path)
                || self.faults.iter().any(|(_, known)| {
                    within(&fault.path, &known.path)
                        || fault.value.is_empty() && within(&known.path, &fault.path)
                })
        };
        let more: Vec<Fault> = faults.into_iter().filter(|fault| !follows(fault)).collect();
        self.faults.extend(more.into_iter().map(|fault| (self.text.len(), fault)));
    }

    /// Adds the faults of syntax. What was made of a broken line is no fault of its own.
    fn syntax(&mut self, errors: &[toml::de::Error]) {
        let mut broken = HashSet::new();
        let mut faults = Vec::with_capacity(errors.len().min(Faults::MAX));
        for error in errors {
            let at = error.span().map_or(0, |span| span.start).min(self.text.len());
            let line = self.lines.partition_point(|&start| start <= at) - 1;
            // One slip can break a line in many ways; the first says enough.
            if !broken.insert(line) {
                continue;
            }
            let start = self.lines[line];
            let column = self.text.get(start..at).map_or(at - start, |before| before.chars().count()) + 1;
            let written = self.text[start..].lines().next().unwrap_or("").trim();
            let path = format!("line {}, column {column}", line + 1);
            let what = crate::text::shorten(&printable(slip(written, error.message())), 200, 197);
            let sentence = says(format!("`{}` is not TOML: {what}.", shown(written)));
            faults.push((at, Fault::new(path, written, sentence)));
        }
        // Without its header, a key stands in a table that it is not meant for.
        let begins =
            |line: usize| self.text[self.lines[line]..].trim_start_matches([' ', '\t']).starts_with('[');
        for header in broken.clone().into_iter().filter(|&line| begins(line)) {
            broken.extend((header + 1..self.lines.len()).take_while(|&line| !begins(line)));
        }
        let lines = &self.lines;
        let whole = |at: usize| !broken.contains(&(lines.partition_point(|&s| s <= at) - 1));
        self.faults.retain(|&(at, _)| whole(at));
        self.faults.extend(faults);
    }
}

/// What is wrong with a line that is not TOML, and what to write if that is known. The message of the parser tells the rest.
fn slip(written: &str, message: &str) -> String {
    let is_open =
        ["invalid basic string", "invalid literal string"].iter().any(|what| message.starts_with(what));
    if written.contains(['“', '”', '„', '‘', '’']) {
        return "it has typographic quotes; write plain ones, \"".into();
    }
    let Some((key, value)) = written.split_once('=').map(|(key, value)| (key.trim(), value.trim())) else {
        return match with_colon(written) {
            Some((key, value)) => format!("write `{key} = {value}`"),
            None if written.starts_with("[[") && message == "duplicate key" => {
                let table = written.trim_matches(['[', ']']);
                format!("`[{table}]` is given, too; write two brackets for each")
            }
            None => message.into(),
        };
    };
    if is_decimal(value) {
        format!("write a decimal point, `{key} = {}`", value.replace(',', "."))
    } else if is_open {
        format!("the quote does not end on this line. Text of several lines needs three, `{key} = \"\"\"`")
    } else if message.starts_with("string values must be quoted") {
        format!("text needs quotes; write `{key} = \"{value}\"`")
    } else {
        message.into()
    }
}

/// `true` for a number with a decimal comma.
fn is_decimal(text: &str) -> bool {
    let parts = text.split_once(',');
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    parts.is_some_and(|(whole, part)| digits(whole) && digits(part))
}

fn is_numeric(value: &Spanned<DeValue>) -> bool {
    matches!(value.get_ref(), DeValue::Integer(_) | DeValue::Float(_))
}

/// `true` if a path is another or a part of it, as `switch[0].ports` is of `switch[0]` and of `switch`.
fn within(path: &str, whole: &str) -> bool {
    path.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Place of a byte in a text; `None` at its end, where faults stand that have no place.
fn place(text: &str, lines: &[usize], at: usize) -> Option<Place> {
    if at >= text.len() {
        return None;
    }
    let line = lines.partition_point(|&start| start <= at);
    let before = text.get(lines[line - 1]..at)?;
    Some(Place { line, column: before.chars().count() + 1 })
}

/// Enters where the fields of faults are in a text that [`parse()`] reads, names them as the text does, and sorts them by place.
/// A missing field is at its table.
pub fn locate(text: &str, schema: &Schema, faults: &mut [Fault]) {
    if text.len() > MAX_RECOVERED_BYTES {
        return;
    }
    let Ok(document) = DeTable::parse(text) else { return };
    let lines = line_starts(text);
    for fault in faults.iter_mut().filter(|fault| fault.place.is_none()) {
        let Some((at, path)) = find(document.get_ref(), schema, &fault.path) else { continue };
        fault.place = place(text, &lines, at);
        fault.path = path;
    }
    faults.sort_by_key(|fault| fault.place.map_or(usize::MAX, |place| place.line));
}

/// Byte of the field at a path such as `switch[0].ports`, else of its table; and the path with the keys that the text has.
fn find(document: &DeTable, schema: &Schema, path: &str) -> Option<(usize, String)> {
    let (entry, key) = path.split_once('.').unwrap_or((path, ""));
    let (table, index) = split_index(entry);
    let (at, written, value) = start(document, schema, table)?;
    let entry_path = entry.replacen(table, written, 1);
    let inner = schema.tables.iter().find(|entry| entry.key == table);
    let entry = match value.get_ref() {
        DeValue::Array(entries) => entries.get(index.unwrap_or(0))?,
        _ => value,
    };
    let (Some(inner), Some(rows)) = (inner, entry.get_ref().as_table()) else {
        return Some((at, entry_path));
    };
    if key.is_empty() {
        return Some((entry.span().start, entry_path));
    }
    let found = start(rows, inner.schema, key);
    let (at, key) = found.map_or((entry.span().start, key), |(at, written, _)| (at, written));
    Some((at, format!("{entry_path}.{key}")))
}

/// Byte and value of a key, as it is written, maybe by its older name.
fn start<'t, 'a>(
    table: &'t DeTable<'a>,
    schema: &Schema,
    key: &str,
) -> Option<(usize, &'t str, &'t Spanned<DeValue<'a>>)> {
    let found = table.iter().find(|(written, _)| schema.key_of(written.get_ref()) == key);
    found.map(|(written, value)| (written.span().start, written.get_ref().as_ref(), value))
}

/// Start of each line; the first at 0.
fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

/// Expected value of a field that got a list or table.
fn in_words(field: &Field) -> &'static str {
    match field.kind {
        FieldKind::Whole { .. } | FieldKind::Number { .. } => "one number",
        FieldKind::Flag => "true or false",
        FieldKind::Sizes => "a list of sizes such as [16, 8]",
        FieldKind::Pairs => "a list of pairs [a, b] or [a, b, weight], or the same as lines of text",
        FieldKind::Set => "numbers and ranges such as \"0-7, 12\", or a list of them",
        _ => "text in quotes",
    }
}

fn shorten(word: &str) -> String {
    crate::text::shorten(word, 60, 60)
}

/// Changes a text so that [`parse()`] reads this form from it. Comments, the order of keys and the spelling of values that stay
/// the same are kept. A faulty or very long text is written anew.
pub fn rewrite<F: Described + PartialEq>(text: &str, form: &F) -> String {
    let fresh = write(form);
    if text.len().max(fresh.len()) > MAX_RECOVERED_BYTES {
        return fresh;
    }
    let (Ok(mut document), Ok(wanted)) = (text.parse::<DocumentMut>(), fresh.parse::<DocumentMut>()) else {
        return fresh;
    };
    rename(document.as_table_mut(), F::SCHEMA);
    merge(document.as_table_mut(), wanted.as_table());
    let kept = document.to_string();
    // A spec is never changed for the sake of its comments.
    if parse::<F>(&kept, "", |_| Vec::new()).is_ok_and(|read| read == *form) { kept } else { fresh }
}

/// Gives older keys of a table their present names, in place.
fn rename(table: &mut Table, schema: &Schema) {
    let keys: Vec<String> = table.iter().map(|(key, _)| key.to_owned()).collect();
    for old in keys {
        let Some((key, mut item)) = table.remove_entry(&old) else { continue };
        let present = schema.key_of(&old);
        if let Some(entry) = schema.tables.iter().find(|entry| entry.key == present) {
            match &mut item {
                Item::Table(table) => rename(table, entry.schema),
                Item::ArrayOfTables(tables) => {
                    tables.iter_mut().for_each(|table| rename(table, entry.schema))
                }
                _ => {}
            }
        }
        let key = match present == old {
            true => key,
            false => Key::new(present).with_leaf_decor(key.leaf_decor().clone()),
        };
        table.insert_formatted(&key, item);
    }
}

/// Changes a table to the wanted content.
fn merge(table: &mut Table, wanted: &Table) {
    table.retain(|key, _| wanted.contains_key(key));
    for (key, wanted) in wanted {
        match (table.get_mut(key), wanted) {
            (Some(Item::Value(value)), Item::Value(wanted)) => {
                if !is_same(value, wanted) {
                    let decor = value.decor().clone();
                    *value = wanted.clone();
                    *value.decor_mut() = decor;
                }
            }
            (Some(Item::Table(table)), Item::Table(wanted)) => merge(table, wanted),
            (Some(Item::ArrayOfTables(entries)), Item::ArrayOfTables(wanted)) => {
                merge_entries(entries, wanted);
            }
            (Some(Item::ArrayOfTables(entries)), Item::Table(wanted)) => {
                merge_entries(entries, &ArrayOfTables::from_iter([wanted.clone()]));
            }
            (Some(item @ Item::Table(_)), Item::ArrayOfTables(wanted)) => {
                if let Ok(table) = std::mem::take(item).into_table() {
                    let mut entries = ArrayOfTables::from_iter([table]);
                    merge_entries(&mut entries, wanted);
                    *item = Item::ArrayOfTables(entries);
                }
            }
            _ => {
                table.insert(key, unplaced(wanted));
            }
        }
    }
}

fn merge_entries(entries: &mut ArrayOfTables, wanted: &ArrayOfTables) {
    // The first entry that differs is the one that was removed.
    while entries.len() > wanted.len() {
        let differs = |at: &usize| match (entries.get(*at), wanted.get(*at)) {
            (Some(entry), Some(wanted)) => !is_same_table(entry, wanted),
            _ => true,
        };
        let at = (0..entries.len()).find(differs).unwrap_or(0);
        entries.remove(at);
    }
    for (at, wanted) in wanted.iter().enumerate() {
        match entries.get_mut(at) {
            Some(entry) => merge(entry, wanted),
            None => entries.push(unplaced_table(wanted)),
        }
    }
}

/// A copy without a position in the text: it comes after what is there.
fn unplaced(item: &Item) -> Item {
    match item {
        Item::Table(table) => Item::Table(unplaced_table(table)),
        Item::ArrayOfTables(entries) => Item::ArrayOfTables(entries.iter().map(unplaced_table).collect()),
        other => other.clone(),
    }
}

fn unplaced_table(table: &Table) -> Table {
    let mut copy = Table::new();
    *copy.decor_mut() = table.decor().clone();
    table.iter().for_each(|(key, item)| _ = copy.insert(key, unplaced(item)));
    copy
}

fn is_same_table(one: &Table, other: &Table) -> bool {
    one.len() == other.len()
        && one.iter().all(|(key, item)| match (item, other.get(key)) {
            (Item::Value(value), Some(Item::Value(other))) => is_same(value, other),
            _ => false,
        })
}

/// `true` for values that mean the same, however they are written.
fn is_same(one: &EditedValue, other: &EditedValue) -> bool {
    match (one, other) {
        (EditedValue::Array(one), EditedValue::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (EditedValue::InlineTable(one), EditedValue::InlineTable(other)) => {
            let same = |(key, value): (&str, &EditedValue)| {
                other.get(key).is_some_and(|other| is_same(value, other))
            };
            one.len() == other.len() && one.iter().all(same)
        }
        (EditedValue::String(one), EditedValue::String(other)) => one.value() == other.value(),
        (EditedValue::Integer(one), EditedValue::Integer(other)) => one.value() == other.value(),
        (EditedValue::Float(one), EditedValue::Float(other)) => one.value() == other.value(),
        (EditedValue::Boolean(one), EditedValue::Boolean(other)) => one.value() == other.value(),
        _ => false,
    }
}

/// Writes a text that [`parse()`] reads back to an equal form. Empty fields are left out.
pub fn write(form: &dyn Form) -> String {
    let mut text = String::new();
    write_fields(&mut text, form);
    for table in form.schema().tables {
        let rows = form.rows(table.key);
        for index in 0..rows.map_or(0, |rows| rows.count()) {
            let Some(row) = rows.and_then(|rows| rows.row(table.index(index))) else { continue };
            let gap = if text.is_empty() { "" } else { "\n" };
            let is_only = table.single && rows.is_some_and(|rows| rows.count() == 1);
            let (open, close) = if is_only { ("[", "]") } else { ("[[", "]]") };
            let _ = writeln!(text, "{gap}{open}{}{close}", table.key);
            write_fields(&mut text, row);
        }
    }
    text
}

fn write_fields(text: &mut String, form: &dyn Form) {
    for field in form.schema().fields {
        if let Some(value) = form.get(field.key).filter(|value| !value.is_empty()) {
            // A bare dot would make a table.
            let quote = if field.key.contains('.') { "\"" } else { "" };
            let _ = writeln!(text, "{quote}{}{quote} = {}", field.key, written(field.kind, value));
        }
    }
}

/// Numbers bare, sizes and pairs as lists, everything else in quotes.
fn written(kind: FieldKind, value: &str) -> String {
    let bare = match kind {
        FieldKind::Sizes => sizes(value),
        FieldKind::Pairs => pairs(value),
        // A bare 48.0 would come back as 48.
        FieldKind::Whole { .. } => {
            Some(value.to_string()).filter(|_| is_number(value) && !value.contains('.'))
        }
        FieldKind::Number { .. } => Some(value.to_string()).filter(|_| is_number(value)),
        FieldKind::Set => Some(value.to_string()).filter(|_| is_whole(value)),
        FieldKind::Flag => Some(value.to_string()).filter(|_| matches!(value, "true" | "false")),
        _ => None,
    };
    bare.unwrap_or_else(|| Value::String(value.to_string()).to_string())
}

/// `16x8` as `[16, 8]`.
fn sizes(value: &str) -> Option<String> {
    let sizes: Vec<&str> = value.split('x').collect();
    sizes.iter().all(|size| is_whole(size)).then(|| format!("[{}]", sizes.join(", ")))
}

/// Lines of `a b` or `a b weight` as a list of lists.
fn pairs(value: &str) -> Option<String> {
    let pair = |line: &str| {
        let numbers: Vec<&str> = line.split(' ').collect();
        let fits = (2..=3).contains(&numbers.len()) && numbers.iter().all(|number| is_number(number));
        fits.then(|| format!("[{}]", numbers.join(", ")))
    };
    if value.split('\n').nth(MAX_LISTED_PAIRS).is_some() {
        return None;
    }
    let pairs: Vec<String> = value.split('\n').map(pair).collect::<Option<_>>()?;
    if pairs.len() <= PAIRS_PER_LINE {
        return Some(format!("[{}]", pairs.join(", ")));
    }
    let lines: Vec<String> =
        pairs.chunks(PAIRS_PER_LINE).map(|line| format!("    {},\n", line.join(", "))).collect();
    Some(format!("[\n{}]", lines.concat()))
}

/// `true` if TOML gives this number back as it is written.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    match digits.split_once('.') {
        // A whole -0 would come back as 0.
        None => is_whole(digits) && text != "-0",
        Some((whole, fraction)) => {
            is_whole(whole) && !fraction.is_empty() && fraction.bytes().all(|b| b.is_ascii_digit())
        }
    }
}

fn is_whole(text: &str) -> bool {
    let digits = !text.is_empty() && text.len() <= 18 && text.bytes().all(|b| b.is_ascii_digit());
    digits && (text == "0" || !text.starts_with('0'))
}
