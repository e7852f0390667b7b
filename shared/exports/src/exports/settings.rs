//! Settings of exports, given as `name=value`.
//!
//! The file of a format declares each setting: its field, and how its text becomes a value. A format lists its settings.

use super::{ExportError, Format};
use crate::{
    form::{Advice, Choice, Field, FieldKind, shown},
    text::{closest, listed},
};
use std::{any::Any, collections::BTreeMap, str::FromStr, sync::Arc};

/// A setting of exports.
pub struct Setting<R: ?Sized = dyn Reader> {
    /// Name, label, default and help.
    pub field: Field,
    /// An older name that is accepted, too; empty for none.
    alias: &'static str,
    /// An older value and the present one; empty for none.
    older: (&'static str, &'static str),
    /// `true` for a list of words separated with spaces or line ends.
    list: bool,
    reader: R,
}

/// A setting with values of a type.
pub type SettingOf<T> = Setting<fn(&str) -> Result<T, Reason>>;

/// What to do about a value, if the setting's description does not say it.
pub type Reason = Option<Advice>;

/// A value of any type.
type Value = Arc<dyn Any + Send + Sync>;

/// Reads the text of a setting.
pub trait Reader: Send + Sync {
    /// Reads a value.
    ///
    /// # Errors
    /// It is not accepted.
    fn read(&self, text: &str) -> Result<Value, Reason>;
}

impl<T: Send + Sync + 'static> Reader for fn(&str) -> Result<T, Reason> {
    fn read(&self, text: &str) -> Result<Value, Reason> {
        Ok(Arc::new(self(text)?))
    }
}

impl Setting<()> {
    pub(super) const fn new(key: &'static str, help: &'static str) -> Setting<()> {
        let field = Field { key, help, ..Field::new("", FieldKind::Lines) };
        Setting { field, alias: "", older: ("", ""), list: false, reader: () }
    }

    pub(super) const fn field(self, field: Field) -> Setting<()> {
        let Field { key, help, .. } = self.field;
        Setting { field: Field { key, help, ..field }, ..self }
    }

    pub(super) const fn syntax(self, label: &'static str, words: &'static str) -> Setting<()> {
        self.field(Field::new(label, FieldKind::Syntax(words)))
    }

    /// A list of words; the description says what separates them.
    pub(super) const fn words(self, label: &'static str, words: &'static str) -> Setting<()> {
        Setting { list: true, ..self.syntax(label, words) }
    }

    pub(super) const fn choice(self, label: &'static str, choices: &'static [Choice]) -> Setting<()> {
        self.field(Field::new(label, FieldKind::Choice(choices)))
    }

    pub(super) const fn or(self, default: &'static str) -> Setting<()> {
        Setting { field: self.field.or(default), ..self }
    }

    pub(super) const fn hint(self, hint: &'static str) -> Setting<()> {
        Setting { field: self.field.hint(hint), ..self }
    }

    pub(super) const fn alias(self, alias: &'static str) -> Setting<()> {
        Setting { alias, ..self }
    }

    pub(super) const fn older(self, value: &'static str, present: &'static str) -> Setting<()> {
        Setting { older: (value, present), ..self }
    }

    /// The setting of a number.
    pub(super) const fn parsed<N: FromStr>(self) -> SettingOf<N> {
        self.read(|text| text.parse().map_err(|_| None))
    }

    /// The setting whose texts a function reads.
    pub(super) const fn read<T>(self, reader: fn(&str) -> Result<T, Reason>) -> SettingOf<T> {
        Setting { field: self.field, alias: self.alias, older: self.older, list: self.list, reader }
    }
}

impl Setting {
    /// `true` if it goes by that name.
    pub fn is(&self, name: &str) -> bool {
        self.field.key == name || !name.is_empty() && self.alias == name
    }

    /// Checks a value.
    ///
    /// # Errors
    /// It is not accepted; the error is a sentence that says what to do.
    pub fn check(&self, value: &str) -> Result<(), String> {
        self.value(value.trim()).map(drop)
    }

    fn value(&self, text: &str) -> Result<Value, String> {
        let text = if !text.is_empty() && text == self.older.0 { self.older.1 } else { text };
        self.field.check(text).map_err(|advice| advice.about(&shown(text)))?;
        self.reader.read(text).map_err(|reason| {
            let advice = reason.unwrap_or_else(|| self.field.kind.expected().into());
            let wrong = self.first_fault(text).filter(|_| self.list);
            let value = shown(wrong.unwrap_or(text));
            // The end of a text with spaces would be read as one of the sentence.
            advice.about(&if value.contains(' ') { format!("{value:?}") } else { value })
        })
    }

    /// The first word that is not accepted, of a value of several words.
    fn first_fault<'a>(&self, value: &'a str) -> Option<&'a str> {
        let ends: Vec<usize> = value
            .split_whitespace()
            .map(|word| word.as_ptr() as usize - value.as_ptr() as usize + word.len())
            .collect();
        let accepted = ends.partition_point(|&end| self.reader.read(&value[..end]).is_ok());
        let from = accepted.checked_sub(1).map_or(Some(0), |last| ends.get(last).copied())?;
        let word = value[from..].split_whitespace().next()?;
        Some(word.char_indices().nth(80).map_or(word, |(end, _)| &word[..end]))
    }
}

/// Given values of settings, by name.
#[derive(Clone, Debug, Default)]
pub struct Settings(BTreeMap<&'static str, Value>);

impl Settings {
    /// The value of a setting that has a default. Panics if it has none.
    pub(super) fn get<T: Clone + 'static>(&self, setting: &SettingOf<T>) -> T {
        self.given(setting)
            .cloned()
            .unwrap_or_else(|| (setting.reader)(setting.field.default).expect("a default"))
    }

    /// The given value of a setting.
    pub(super) fn given<T: 'static>(&self, setting: &SettingOf<T>) -> Option<&T> {
        self.0.get(setting.field.key)?.downcast_ref()
    }

    /// The given values of a setting that is a list; empty if it is not given.
    pub(super) fn list<T: 'static>(&self, setting: &SettingOf<Vec<T>>) -> &[T] {
        self.given(setting).map_or(&[], Vec::as_slice)
    }

    /// Sets the value of a setting.
    #[must_use]
    pub fn with<T: Send + Sync + 'static>(mut self, setting: &SettingOf<T>, value: T) -> Settings {
        self.0.insert(setting.field.key, Arc::new(value));
        self
    }

    /// Reads settings of a format, each `name=value`.
    ///
    /// # Errors
    /// Every text without `=`, setting that the format does not have, setting given twice, and value that is not accepted.
    pub fn read<'a>(
        format: &Format,
        choices: impl IntoIterator<Item = &'a str>,
    ) -> Result<Settings, ExportError> {
        let mut settings = Settings::default();
        let mut seen: Vec<&str> = Vec::new();
        let mut read = |choice: &'a str| {
            let (name, value) = choice.split_once('=').ok_or("must be name=value.")?;
            let (name, value) = (name.trim(), value.trim());
            let Some(setting) = format.settings.iter().find(|setting| setting.is(name)) else {
                let names = || format.settings.iter().map(|setting| setting.field.key);
                return Err(match (format.settings, closest(name, names())) {
                    ([], _) => format!("{} has no settings.", format.name),
                    (_, Some(near)) => {
                        format!("{} has no such setting. Did you mean `{near}`?", format.name)
                    }
                    _ => {
                        format!("{} has no such setting; its settings are {}.", format.name, listed(names()))
                    }
                });
            };
            if let Some(first) = seen.iter().find(|first| setting.is(first)) {
                return Err(match *first == name {
                    true => "is given twice; give it once.".into(),
                    false => format!("{first} and {name} are the same setting; give one of them."),
                });
            }
            seen.push(name);
            let value = setting.value(value)?;
            settings.0.insert(setting.field.key, value);
            Ok(())
        };
        let fault = |choice: &'a str| {
            let why = read(choice).err()?;
            let name = choice.split_once('=').map_or(choice, |(name, _)| name).trim();
            Some(ExportError::Setting { choice: shown(name), why })
        };
        let faults: Vec<ExportError> = choices.into_iter().filter_map(fault).collect();
        ExportError::of_settings(faults).map_or(Ok(settings), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{DESIGNS, Formats, fabrics},
        *,
    };
    use crate::fabric::kinds::parse;

    #[test]
    fn defaults_are_accepted_and_names_are_of_one_setting_each() {
        let kinds = ["mesh:4x4", "pmesh:4x4"].map(|kind| fabrics(&*parse(kind).unwrap()));
        let mut known = std::collections::BTreeMap::new();
        for format in kinds.into_iter().chain([DESIGNS]).flat_map(Formats::iter) {
            assert_ne!(format.purpose, "", "{}", format.name);
            for setting in format.settings {
                let Field { key, help, default, .. } = setting.field;
                assert_eq!(*known.entry(key).or_insert(help), help, "{key}");
                assert!(default.is_empty() || setting.check(default).is_ok(), "{key}");
            }
        }
    }
}
