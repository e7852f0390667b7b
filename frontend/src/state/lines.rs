//! Lines of a spec's text at which its faults are.

use shared::spec::Fault;

/// Faults of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Line, from 1.
    pub line: usize,
    /// The faults in words, a line each.
    pub words: String,
}

/// The marked lines of a text, ascending.
pub fn marks(text: &str, faults: &[Fault]) -> Vec<Mark> {
    let mut all: Vec<Mark> = Vec::new();
    for fault in faults {
        let (line, mut words) = (line_of(text, &fault.path), fault.to_string());
        // The mark itself names the line.
        if let Some(rest) = words.strip_prefix(&format!("line {line}, ")) {
            words = rest.to_owned();
        }
        match all.iter_mut().find(|mark| mark.line == line) {
            Some(mark) => mark.words += &format!("\n{words}"),
            None => all.push(Mark { line, words }),
        }
    }
    all.sort_by_key(|mark| mark.line);
    all
}

/// The line of a path such as `switch[0].ports` or `line 7, column 2`, from 1: of the key, else of its table, else the first.
pub fn line_of(text: &str, path: &str) -> usize {
    let named = path.strip_prefix("line ").and_then(|rest| rest.split(',').next()?.trim().parse().ok());
    if let Some(line) = named {
        return line;
    }
    let (table, key) = path.split_once('.').map_or((path, ""), |(table, key)| (table, key));
    let (table, index) = match table.trim_end_matches(']').split_once('[') {
        Some((table, index)) => (table, index.parse().unwrap_or(0)),
        None => (table, 0),
    };
    let (mut here, mut seen, mut of_table) = ("", 0, None);
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if let Some(name) = table_of(line) {
            here = name;
            if name == table {
                seen += 1;
                if seen == index + 1 {
                    of_table = Some(number);
                }
            }
            continue;
        }
        let Some(found) = key_of(line) else { continue };
        // A field of the whole spec, a table in one line, or a field of the table.
        let is_whole = here.is_empty() && found == table;
        let is_dotted = here.is_empty() && !key.is_empty() && found == path;
        if is_whole || is_dotted || here == table && seen == index + 1 && found == key {
            return number;
        }
    }
    of_table.unwrap_or(1)
}

/// Name of the table that a line begins.
fn table_of(line: &str) -> Option<&str> {
    let name = line.strip_prefix("[[").or_else(|| line.strip_prefix('['))?.split(']').next()?.trim();
    // Lines of a list begin with a bracket, too.
    name.starts_with(|c: char| c.is_alphabetic() || c == '"').then(|| name.trim_matches(['"', '\'']))
}

/// Key of the value that a line begins.
fn key_of(line: &str) -> Option<&str> {
    let (key, _) = line.split_once('=')?;
    let key = key.trim().trim_matches(['"', '\'']);
    let is_key = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    (!key.is_empty() && key.chars().all(is_key)).then_some(key)
}

/// Byte at which a line begins and ends, for a cursor: in UTF-16 units, as browsers count.
pub fn span(text: &str, line: usize) -> (u32, u32) {
    let length = |text: &str| text.encode_utf16().count() as u32;
    let start: u32 = text.split_inclusive('\n').take(line.saturating_sub(1)).map(length).sum();
    let own = text.lines().nth(line.saturating_sub(1)).map_or(0, length);
    (start, start + own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::draft::Draft;

    const SPEC: &str = "# é\nname = \"x\"\npes = 0\nnis_per_pe = 2\n\n[[switch]]\nports = 1\n\n[[switch]]\nports = 8\nreserve = 9\n\n\
                        [[pattern]]\nkind = \"matrix\"\npairs = [\n  [0, 1],\n]\n[[pattern]]\nkind = \"torus\"\ndims = [3, 3]\n\n[job]\ntp = 0\n";

    #[test]
    fn faults_are_at_their_keys() {
        for (path, line) in [
            ("nodes", 3),
            ("switch[0].ports", 7),
            ("switch[1].reserve", 11),
            ("switch[1].price", 9),
            ("pattern[1].dims", 20),
            ("pattern[0]", 13),
            ("job.tp", 23),
            ("objective", 1),
            ("line 5, column 2", 5),
        ] {
            assert_eq!(line_of(SPEC, path), line, "{path}");
        }
        assert_eq!(line_of("switch = [{ ports = 1 }]\n", "switch[0].ports"), 1);
        assert_eq!(line_of("a = 1\nuplink.kind = 'x'\n", "uplink.kind"), 2);
    }

    #[test]
    fn marks_of_one_line_are_one() {
        let faults =
            Draft::open("pes = 0\nnis_per_pe = 99\n[[switch]]\nports = 1\n").resolve().unwrap_err().0;
        let marks = marks("pes = 0\nnis_per_pe = 99\n[[switch]]\nports = 1\n", &faults);
        assert_eq!(marks.iter().map(|mark| mark.line).collect::<Vec<_>>(), [1, 2, 4]);
        assert!(marks[0].words.contains("nodes: got 0"), "{marks:?}");
    }

    #[test]
    fn a_mark_does_not_repeat_its_line() {
        let faults = [Fault::new("line 2, column 5", "x", "a value"), Fault::new("line 3", "y", "a key")];
        let marks = marks("a = 1\nb = x\ny\n", &faults);
        let words: Vec<_> = marks.iter().map(|mark| (mark.line, &*mark.words)).collect();
        assert_eq!(words, [(2, "column 5: got x, expected a value"), (3, "line 3: got y, expected a key")]);
    }

    #[test]
    fn cursors_count_as_browsers_do() {
        assert_eq!(span(SPEC, 1), (0, 3));
        assert_eq!(span(SPEC, 2), (4, 14));
        assert_eq!(span(SPEC, 99).0, SPEC.encode_utf16().count() as u32);
    }
}
