//! Values that are read from fields of a form and written there, by one description.

use super::{Choice, Form, FormReader};
use crate::text::number;

/// A value as the text of a field.
pub trait Written {
    /// The text: plain digits, empty for no value.
    fn written(&self) -> String;
}

/// A value that is read from one or more fields of a form, and written there.
pub trait Record: Sized {
    /// Reads the field of that key, or fields of its own. `None` after a fault.
    fn read(fields: &mut FormReader, key: &str) -> Option<Self>;
    /// Writes the field of that key, or fields of its own, in an empty form.
    fn write(&self, form: &mut dyn Form, key: &str);
}

macro_rules! values {
    ($($value:ty, $read:ident, |$own:ident| $written:expr;)*) => {$(
        impl Written for $value {
            fn written(&self) -> String {
                let $own = self;
                $written
            }
        }

        impl Record for $value {
            fn read(fields: &mut FormReader, key: &str) -> Option<Self> {
                fields.$read(key)
            }

            fn write(&self, form: &mut dyn Form, key: &str) {
                set(form, key, self.written());
            }
        }
    )*};
}

values! {
    u32, whole, |own| own.to_string();
    f64, number, |own| number(*own);
    bool, flag, |own| own.to_string();
    String, text, |own| own.clone();
}

impl Written for &str {
    fn written(&self) -> String {
        (*self).into()
    }
}

impl<T: Written> Written for Option<T> {
    fn written(&self) -> String {
        self.as_ref().map_or_else(String::new, Written::written)
    }
}

impl<T: Record> Record for Option<T> {
    fn read(fields: &mut FormReader, key: &str) -> Option<Self> {
        fields.given(key, T::read)
    }

    fn write(&self, form: &mut dyn Form, key: &str) {
        if let Some(value) = self {
            value.write(form, key);
        }
    }
}

/// Sets a field. Panics if there is no such field.
pub fn set(form: &mut dyn Form, key: &str, text: String) {
    *form.get_mut(key).unwrap_or_else(|| panic!("no field {key}")) = text;
}

/// The texts of a field, where the type of its values does not determine them, such as words to choose from.
pub trait Notation<T> {
    /// Reads the field of that key. `None` after a fault.
    fn read(&self, fields: &mut FormReader, key: &str) -> Option<T>;
    /// The text of a value.
    fn write(&self, value: &T) -> String;
}

/// A word for each value.
impl<T: Copy + PartialEq, const N: usize> Notation<T> for [(&str, T); N] {
    fn read(&self, fields: &mut FormReader, key: &str) -> Option<T> {
        fields.choice(key, self)
    }

    fn write(&self, value: &T) -> String {
        let word = self.iter().find(|(_, known)| known == value);
        word.map_or_else(String::new, |(word, _)| (*word).into())
    }
}

/// Words that are values themselves.
impl Notation<&'static str> for &[Choice] {
    fn read(&self, fields: &mut FormReader, key: &str) -> Option<&'static str> {
        let words: Vec<_> = self.iter().map(|choice| (choice.word, choice.word)).collect();
        fields.choice(key, &words)
    }

    fn write(&self, value: &&'static str) -> String {
        (*value).into()
    }
}

/// Declares structs that are read from the fields of a form and written there, in the order of their fields:
/// * `field: Type` has the key of its name, or fields of its own if its type is a record.
/// * `field as "key": Type` has another key.
/// * `field in NOTATION: Type` is read and written by a [`Notation`].
/// * `field or other: Type` is left out while it equals another field.
/// * `field: Type = value` has that value when it is read, and is not written.
#[doc(hidden)]
#[macro_export]
macro_rules! declare_record {
    (@read $fields:ident $key:expr) => {
        $crate::form::Record::read($fields, $key)
    };
    (@read $fields:ident $key:expr, in $notation:expr) => {
        $crate::form::Notation::read(&$notation, $fields, $key)
    };
    (@read $fields:ident $key:expr, or $other:ident) => {
        if $fields.is_given($key) { $crate::form::Record::read($fields, $key) } else { $other }
    };
    (@read $fields:ident $key:expr, = $value:expr) => {
        Some($value)
    };
    (@write $form:ident $key:expr, $own:ident $field:ident) => {
        $crate::form::Record::write(&$own.$field, $form, $key)
    };
    (@write $form:ident $key:expr, $own:ident $field:ident, in $notation:expr) => {
        $crate::form::set($form, $key, $crate::form::Notation::write(&$notation, &$own.$field))
    };
    (@write $form:ident $key:expr, $own:ident $field:ident, or $other:ident) => {
        if $own.$field != $own.$other {
            $crate::form::Record::write(&$own.$field, $form, $key)
        }
    };
    (@write $form:ident $key:expr, $own:ident $field:ident, = $value:expr) => {};
    ($(
        $(#[$meta:meta])*
        pub struct $record:ident {
            $(
                $(#[$about:meta])*
                pub $field:ident $(as $key:literal)? $(in $notation:ident)? $(or $other:ident)?: $type:ty $(= $value:expr)?
            ),* $(,)?
        }
    )*) => {$(
        $(#[$meta])*
        pub struct $record {
            $($(#[$about])* pub $field: $type,)*
        }

        impl $crate::form::Record for $record {
            fn read(fields: &mut $crate::form::FormReader, _: &str) -> Option<Self> {
                $(let $field: Option<$type> = $crate::form::record!(
                    @read fields $crate::form::fields!(@key $field $($key)?) $(, in $notation)? $(, or $other)? $(, = $value)?
                );)*
                Some($record { $($field: $field?,)* })
            }

            fn write(&self, form: &mut dyn $crate::form::Form, _: &str) {
                $($crate::form::record!(
                    @write form $crate::form::fields!(@key $field $($key)?), self $field
                    $(, in $notation)? $(, or $other)? $(, = $value)?
                );)*
            }
        }
    )*};
}

/// Implements [`Record`] for enums with `ALL` and `name()`: a field has the name of a value.
#[doc(hidden)]
#[macro_export]
macro_rules! declare_named {
    ($($named:ident),*) => {$(
        impl $crate::form::Record for $named {
            fn read(fields: &mut $crate::form::FormReader, key: &str) -> Option<Self> {
                fields.choice(key, &$named::ALL.map(|value| (value.name(), value)))
            }

            fn write(&self, form: &mut dyn $crate::form::Form, key: &str) {
                $crate::form::set(form, key, self.name().into());
            }
        }
    )*};
}

pub use crate::{declare_named as named, declare_record as record};
