//! Values that are read from fields of a form and written there, by one description.

use super::{Form, FormReader};
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

/// The word of a value.
pub fn word<T: PartialEq>(words: &[(&str, T)], value: &T) -> String {
    words.iter().find(|(_, known)| known == value).map_or_else(String::new, |(word, _)| (*word).into())
}

/// Implements [`Record`] for a struct, in the order in which fields are read:
/// * `field` has the key of its name, or fields of its own if it is a record.
/// * `field as "key"` has another key.
/// * `field in WORDS` has a word for each value.
/// * `field or other` is left out while it equals another field.
#[doc(hidden)]
#[macro_export]
macro_rules! declare_record {
    (@read $fields:ident $key:expr) => {
        $crate::form::Record::read($fields, $key)
    };
    (@read $fields:ident $key:expr, in $words:expr) => {
        $fields.choice($key, &$words)
    };
    (@read $fields:ident $key:expr, or $other:ident) => {
        if $fields.is_given($key) { $crate::form::Record::read($fields, $key) } else { $other }
    };
    (@write $form:ident $key:expr, $own:ident $field:ident) => {
        $crate::form::Record::write(&$own.$field, $form, $key)
    };
    (@write $form:ident $key:expr, $own:ident $field:ident, in $words:expr) => {
        $crate::form::set($form, $key, $crate::form::word(&$words, &$own.$field))
    };
    (@write $form:ident $key:expr, $own:ident $field:ident, or $other:ident) => {
        if $own.$field != $own.$other {
            $crate::form::Record::write(&$own.$field, $form, $key)
        }
    };
    ($record:ident {
        $($field:ident $(as $key:literal)? $(in $words:ident)? $(or $other:ident)?),* $(,)?
    } $(and $($rest:ident),*)?) => {
        impl $crate::form::Record for $record {
            fn read(fields: &mut $crate::form::FormReader, _: &str) -> Option<Self> {
                $(let $field = $crate::form::record!(
                    @read fields $crate::form::fields!(@key $field $($key)?) $(, in $words)? $(, or $other)?
                );)*
                Some($record { $($field: $field?,)* $($($rest: Default::default()),*)? })
            }

            fn write(&self, form: &mut dyn $crate::form::Form, _: &str) {
                $($crate::form::record!(
                    @write form $crate::form::fields!(@key $field $($key)?), self $field $(, in $words)? $(, or $other)?
                );)*
            }
        }
    };
}

pub use crate::declare_record as record;
