//! Typed texts to values, every fault collected.

use super::{Advice, Described, Fault, Faults, Field, FieldKind, Form, Record, remove, says, set};
use std::fmt;

/// Collects faults while forms are read.
#[derive(Debug, Default)]
pub struct Reader {
    /// Faults so far, in the order of reading.
    pub faults: Vec<Fault>,
}

impl Reader {
    /// Notes a fault; there is no value then.
    pub fn fault<T>(
        &mut self,
        path: impl Into<String>,
        value: impl ToString,
        advice: impl Into<Advice>,
    ) -> Option<T> {
        self.faults.push(Fault::new(path, value, advice));
        None
    }

    /// The value, if there is no fault. Errors: all faults. Panics if there is neither a value nor a fault.
    pub fn finish<T>(self, value: Option<T>) -> Result<T, Faults> {
        Faults::of(self.faults).map_or_else(|| Ok(value.expect("a fault for a missing value")), Err)
    }

    /// Reads a record of a form, whose paths begin with `prefix`. A faulty field counts as empty after its fault is noted; `None` if it
    /// must not be empty.
    pub fn sound<F: Described, R: Record>(&mut self, form: &F, prefix: &str) -> Option<R> {
        let first = self.faults.len();
        let read = R::read(&mut self.form(form, prefix), "");
        read.or_else(|| {
            let is_faulty =
                |key: &str| self.faults[first..].iter().any(|f| f.path == format!("{prefix}{key}"));
            let mut sound = F::default();
            for key in F::SCHEMA.fields.iter().map(|field| field.key).filter(|key| !is_faulty(key)) {
                set(&mut sound, key, form.get(key).unwrap_or_default().into());
            }
            known(&sound, "")
        })
    }

    /// Reads the fields of a form, whose paths begin with `prefix`, such as `switch[0].`.
    pub fn form<'a>(&'a mut self, form: &'a dyn Form, prefix: impl Into<String>) -> FormReader<'a> {
        let fields = form.schema().fields;
        FormReader { reader: self, form, fields, ranges: Vec::new(), prefix: prefix.into() }
    }
}

/// The value of a field, whose faults are those of another reading.
pub fn known<T: Record>(form: &dyn Form, key: &str) -> Option<T> {
    T::read(&mut Reader::default().form(form, ""), key)
}

/// Reads the fields of one form by their keys.
///
/// Methods return `None` after a fault, and panic if the form has no field of that key and kind.
pub struct FormReader<'a> {
    reader: &'a mut Reader,
    form: &'a dyn Form,
    fields: &'a [Field],
    /// Ranges that depend on other fields, by key.
    ranges: Vec<(&'static str, u64, u64)>,
    prefix: String,
}

impl<'a> FormReader<'a> {
    /// Sets other limits and defaults of the fields.
    pub fn with(self, fields: &'a [Field]) -> Self {
        FormReader { fields, ..self }
    }

    /// Sets the range of a field's whole numbers, which depends on other fields.
    pub fn within(&mut self, key: &'static str, min: u64, max: u64) -> &mut Self {
        self.ranges.push((key, min, max));
        self
    }

    /// The smallest and the largest whole number of a field, if they depend on other fields.
    pub fn range(&self, key: &str) -> Option<(u64, u64)> {
        self.ranges.iter().find(|(known, ..)| *known == key).map(|&(_, min, max)| (min, max))
    }

    /// The reader of all forms.
    pub fn reader(&mut self) -> &mut Reader {
        self.reader
    }

    /// Notes a fault of a field.
    pub fn fault<T>(&mut self, key: &str, advice: impl Into<Advice>) -> Option<T> {
        self.reader.fault(self.path(key), self.typed(key), advice)
    }

    /// Notes a field that must not be given, for a reason such as "`ring` has no `dims`".
    pub fn unwanted<T>(&mut self, key: &str, reason: impl fmt::Display) -> Option<T> {
        self.removable(key, remove(reason))
    }

    /// Notes a field that must not be given with another one.
    pub fn besides<T>(&mut self, key: &str, other: &str) -> Option<T> {
        self.removable(key, says(format!("cannot be given with `{other}`; remove one of them.")))
    }

    /// Notes a fault that removing the field mends.
    fn removable<T>(&mut self, key: &str, advice: Advice) -> Option<T> {
        let fault = Fault::new(self.path(key), self.typed(key), advice);
        self.reader.faults.push(fault.mended(self.path(key), ""));
        None
    }

    /// Notes a fault of a part of a field.
    pub fn fault_of<T>(&mut self, key: &str, value: impl ToString, advice: impl Into<Advice>) -> Option<T> {
        self.reader.fault(self.path(key), value, advice)
    }

    /// The path of a field.
    pub fn path(&self, key: &str) -> String {
        format!("{}{key}", self.prefix)
    }

    /// `true` if the field is not empty.
    pub fn is_given(&self, key: &str) -> bool {
        !self.typed(key).is_empty()
    }

    /// The trimmed text of a field, its default if it is empty.
    pub fn text(&mut self, key: &str) -> Option<String> {
        self.read(key, |field, text| field.check(text).map(|()| text.to_owned()))
    }

    /// A whole number.
    pub fn whole<N: TryFrom<u64>>(&mut self, key: &str) -> Option<N> {
        let range = self.range(key).map(|(min, max)| FieldKind::Whole { min, max });
        self.read(key, |field, text| {
            let field = Field { kind: range.unwrap_or(field.kind), ..*field };
            let whole = field.read_whole(text).map_err(Advice::from)?;
            whole.try_into().map_err(|_| field.kind.expected().into())
        })
    }

    /// A decimal number.
    pub fn number(&mut self, key: &str) -> Option<f64> {
        self.read(key, |field, text| field.read_number(text).map_err(Advice::from))
    }

    /// `true` or `false`.
    pub fn flag(&mut self, key: &str) -> Option<bool> {
        self.choice(key, &[("false", false), ("true", true)])
    }

    /// The value of the word that is chosen. `values` has one for each word of the field.
    pub fn choice<T: Copy>(&mut self, key: &str, values: &[(&str, T)]) -> Option<T> {
        let word = self.text(key)?;
        let value = values.iter().find(|(known, _)| *known == word);
        Some(value.unwrap_or_else(|| panic!("{}: no value for {word}", self.path(key))).1)
    }

    /// Reads a field if it is given: `Some(None)` for an empty one.
    pub fn given<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(&mut Self, &str) -> Option<T>,
    ) -> Option<Option<T>> {
        if self.is_given(key) { read(self, key).map(Some) } else { Some(None) }
    }

    /// Checks every field that is given; for forms made from typed values.
    pub fn check(&mut self) {
        for field in self.form.schema().fields.iter() {
            if let Err(advice) = match self.typed(field.key) {
                "" => Ok(()),
                text => field.check(text),
            } {
                self.fault::<()>(field.key, advice);
            }
        }
    }

    /// The trimmed text of a field.
    pub fn typed(&self, key: &str) -> &'a str {
        self.form.get(key).unwrap_or_else(|| panic!("no field {}", self.path(key))).trim()
    }

    fn read<T>(&mut self, key: &str, read: impl FnOnce(&Field, &str) -> Result<T, Advice>) -> Option<T> {
        let field = self.fields.iter().find(|field| field.key == key)?;
        let text = match self.typed(key) {
            "" => field.default,
            text => text,
        };
        match read(field, text) {
            Ok(value) => Some(value),
            Err(advice) => self.fault(key, advice),
        }
    }
}
