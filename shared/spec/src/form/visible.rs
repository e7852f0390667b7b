//! Texts that other people read have no hidden characters: control characters, characters without width, and those that turn the
//! direction of the text around them.

use super::{Fault, Form};
use crate::text::is_hidden;

/// Kind of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One line, as of a name.
    Line,
    /// Lines, with tabs.
    Lines,
}

/// Checks a text at `path`.
///
/// # Errors
/// The first hidden character, such as `U+202E`.
pub fn check_visible(path: &str, text: &str, layout: Layout) -> Result<(), Fault> {
    let breaks: &[char] = match layout {
        Layout::Line => &[],
        Layout::Lines => &['\n', '\r', '\t'],
    };
    let hidden = |(c, _): &(char, usize)| is_hidden(*c) && !breaks.contains(c);
    let Some((hidden, at)) = text.chars().zip(1..).find(hidden) else { return Ok(()) };
    let expected = match layout {
        Layout::Line => "one line of visible characters, without control and direction characters",
        Layout::Lines => "lines of visible characters, without control and direction characters",
    };
    Err(Fault::new(path, format!("U+{:04X} at character {at}", u32::from(hidden)), expected))
}

/// Checks all texts of a form. Names are one line; other texts may have several.
pub fn check_form(form: &dyn Form, prefix: &str) -> Vec<Fault> {
    let schema = form.schema();
    let texts = schema.fields.iter().filter_map(|field| {
        let layout = if field.key == "name" { Layout::Line } else { Layout::Lines };
        check_visible(&format!("{prefix}{}", field.key), form.get(field.key)?, layout).err()
    });
    let mut faults: Vec<Fault> = texts.collect();
    for table in schema.tables {
        let Some(rows) = form.rows(table.key) else { continue };
        for index in 0..rows.count() {
            let prefix = format!("{prefix}{}.", table.path(index));
            let row = rows.row(table.index(index));
            faults.extend(row.map_or_else(Vec::new, |row| check_form(row, &prefix)));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_named() {
        for hidden in [
            '\0', '\u{7}', '\u{1b}', '\u{7f}', '\u{85}', '\u{9f}', '\u{61c}', '\u{200b}', '\u{200f}',
            '\u{2028}', '\u{202a}', '\u{202e}', '\u{2060}', '\u{2064}', '\u{2066}', '\u{2069}', '\u{feff}',
        ] {
            for layout in [Layout::Line, Layout::Lines] {
                let fault = check_visible("name", &format!("a{hidden}b"), layout).unwrap_err();
                let code = format!("U+{:04X} at character 2", u32::from(hidden));
                assert_eq!((fault.path.as_str(), fault.value), ("name", code));
            }
        }
        for text in ["", "Zürich 北京 💡", "a-b_c/d (x) “y” – z", "\u{a0}"] {
            assert_eq!(check_visible("name", text, Layout::Line), Ok(()));
        }
        assert_eq!(check_visible("note", "a\tb\r\nc", Layout::Lines), Ok(()));
        assert!(check_visible("name", "a\nb", Layout::Line).is_err());
    }
}
