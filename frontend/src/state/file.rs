//! Files that a person opens.

use shared::{form::Described, spec::SpecForm, text::other_kind};

/// Bytes at the start of a file by which a binary one is recognised.
const HEAD: usize = 4096;
/// Files that hold a spec, for people.
pub const SPEC: &str = "a spec in TOML, with lines such as `nodes = 8` and `[[switch]]`";

/// The text of a file; `wanted` are the files that are accepted.
///
/// # Errors
/// The file is of another kind, in words.
pub fn text(name: &str, bytes: Vec<u8>, wanted: &str) -> Result<String, String> {
    if let Some(kind) = other_kind(&bytes[..bytes.len().min(HEAD)]) {
        return Err(format!("{name} is {kind}. Choose {wanted}."));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
        format!("{name} is not UTF-8 text (line {line}). Choose {wanted}.")
    })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Accepts the text of a spec, faulty or not: a line has a key or a table of specs, and most tables are those of specs.
///
/// # Errors
/// The text is of another kind, in words.
pub fn check_spec(name: &str, text: &str) -> Result<(), String> {
    let schema = SpecForm::SCHEMA;
    // Files of other programs have names, too.
    let is_known = |path: &str| {
        let key = schema.key_of(path.split('.').next().unwrap_or(path).trim().trim_matches(['"', '\'']));
        let is_field = schema.fields.iter().any(|field| field.key == key && key != "name");
        is_field || schema.tables.iter().any(|table| table.key == key)
    };
    let (mut known, mut others) = (0, 0);
    for line in text.lines() {
        let table = line.trim().trim_start_matches('[');
        // Lines of a list begin with a bracket as well.
        let is_table = line.trim().starts_with('[') && table.starts_with(char::is_alphabetic);
        let key = if is_table { table.split(']').next() } else { line.split_once('=').map(|(key, _)| key) };
        match key.is_some_and(is_known) {
            true => known += 1,
            false => others += usize::from(is_table),
        }
    }
    match known > others {
        true => Ok(()),
        false => Err(format!("{name} is not a spec. Choose {SPEC}.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_files_are_named_by_their_kind() {
        let found = |bytes: &[u8]| text("a.bin", bytes.to_vec(), "a spec").unwrap_err();
        assert_eq!(found(b"\x89PNG\r\n\x1a\n\0\0"), "a.bin is a PNG picture. Choose a spec.");
        assert_eq!(found(b"PK\x03\x04more"), "a.bin is a ZIP archive or an office document. Choose a spec.");
        assert_eq!(found(b"pes = 8\n\0"), "a.bin is a binary file. Choose a spec.");
        assert_eq!(found(b"pes = 8\n\xe9"), "a.bin is not UTF-8 text (line 2). Choose a spec.");
        assert_eq!(text("a.toml", b"\xef\xbb\xbfpes = 8\n".to_vec(), "a spec").unwrap(), "pes = 8\n");
    }

    #[test]
    fn a_text_without_keys_of_specs_is_no_spec() {
        for text in [
            "",
            "hello;world\n1;2\n",
            "# Notes\n= heading =\n",
            "{\"pes\": 8}",
            "0: 0 1\n1: 1 2\n",
            "[package]\nname = \"a\"\n",
        ] {
            let fault = check_spec("notes.txt", text).unwrap_err();
            assert!(fault.starts_with("notes.txt is not a spec. Choose a spec in TOML"), "{fault}");
        }
        for text in [
            "pes = 8",
            "nmae = \"x\"\npes 8\n[[switch]]\nports = 4",
            "\"pes\" = 3",
            "uplink.kind = 'tree'",
            " [job]",
            "[[pattern]]\nkind = \"matrix\"\npairs = [\n    [0, 1], [1, 2],\n    [2, 3],\n]\n",
        ] {
            check_spec("a.toml", text).unwrap_or_else(|fault| panic!("{text}: {fault}"));
        }
    }

    #[test]
    fn every_spec_of_the_gallery_opens() {
        for entry in std::fs::read_dir("../assets/specs").unwrap() {
            let path = entry.unwrap().path();
            let name = path.display().to_string();
            let text = text(&name, std::fs::read(&path).unwrap(), SPEC).unwrap();
            check_spec(&name, &text).unwrap();
        }
    }
}
