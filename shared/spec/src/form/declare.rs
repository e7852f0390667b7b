//! The declaration of a form.

/// Declares a form: a public struct with a text for each field, and its schema. The doc comment of a field is its help.
///
/// `key as "other.key"` gives a field another key than its name in Rust.
///
/// `table: Vec<RowForm> = "key", "Label of an entry"` declares a list of tables, `Option<RowForm>` a single table,
/// `OneOrMore<RowForm>` a single table or a list. `= "key" was "old", …` also reads tables by an older key.
#[doc(hidden)]
#[macro_export]
macro_rules! declare_form {
    (
        $(#[$meta:meta])*
        pub struct $form:ident {
            $($(#[doc = $help:literal])* $key:ident $(as $name:literal)?: $field:expr,)*
        }
        $(tables {
            $($(#[doc = $about:literal])* $table:ident: $rows:ty = $table_key:literal $(was $table_was:literal)?, $label:literal,)*
        })?
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct $form {
            $($(#[doc = $help])* pub $key: String,)*
            $($($(#[doc = $about])* pub $table: $rows,)*)?
        }

        impl $crate::form::Described for $form {
            const SCHEMA: &'static $crate::form::Schema = &$crate::form::Schema {
                fields: $crate::form::fields!($($(#[doc = $help])* $key $(as $name)?: $field,)*),
                tables: &[$($($crate::form::Table {
                    key: $table_key,
                    was: concat!($($table_was)?),
                    label: $label,
                    single: <$rows as $crate::form::RowsOf>::SINGLE,
                    several: <$rows as $crate::form::RowsOf>::SEVERAL,
                    schema: <<$rows as $crate::form::RowsOf>::Row as $crate::form::Described>::SCHEMA,
                }),*)?],
            };
        }

        impl $crate::form::Form for $form {
            fn schema(&self) -> &'static $crate::form::Schema {
                <Self as $crate::form::Described>::SCHEMA
            }

            fn get(&self, key: &str) -> Option<&str> {
                match key {
                    $($crate::form::fields!(@key $key $($name)?) => Some(&self.$key),)*
                    _ => None,
                }
            }

            fn get_mut(&mut self, key: &str) -> Option<&mut String> {
                match key {
                    $($crate::form::fields!(@key $key $($name)?) => Some(&mut self.$key),)*
                    _ => None,
                }
            }

            fn rows(&self, _table: &str) -> Option<&dyn $crate::form::Rows> {
                $($(if _table == $table_key {
                    return Some(&self.$table);
                })*)?
                None
            }

            fn rows_mut(&mut self, _table: &str) -> Option<&mut dyn $crate::form::Rows> {
                $($(if _table == $table_key {
                    return Some(&mut self.$table);
                })*)?
                None
            }
        }
    };
}

/// The fields of a form, declared as in [`form!`].
#[doc(hidden)]
#[macro_export]
macro_rules! declare_fields {
    (@key $key:ident) => {
        stringify!($key)
    };
    (@key $key:ident $name:literal) => {
        $name
    };
    ($($(#[doc = $help:literal])* $key:ident $(as $name:literal)?: $field:expr,)*) => {
        &[$($crate::form::Field {
            key: $crate::form::fields!(@key $key $($name)?),
            help: concat!($($help),*).trim_ascii(),
            ..$field
        }),*]
    };
}

pub use crate::{declare_fields as fields, declare_form as form};
