//! Lines of a spec's text at which its faults are.

use shared::{
    form::{Described, toml},
    spec::{Fault, SpecForm},
    text::capital,
};

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
    let mut faults = faults.to_vec();
    toml::locate(text, SpecForm::SCHEMA, &mut faults);
    for fault in faults {
        let line = fault.place.map_or(1, |place| place.line);
        // The mark itself names the line.
        let words = match fault.path.starts_with("line ") {
            true => capital(&fault.message),
            false => Fault { place: None, ..fault }.to_string(),
        };
        match all.iter_mut().find(|mark| mark.line == line) {
            Some(mark) => mark.words += &format!("\n{words}"),
            None => all.push(Mark { line, words }),
        }
    }
    all.sort_by_key(|mark| mark.line);
    all
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
    use shared::form::Place;

    const SPEC: &str = "# é\nname = \"x\"\npes = 0\nnis_per_pe = 2\n\n[[switch]]\nports = 1\n\n[[switch]]\nports = 8\nreserve = 9\n\n\
                        [[pattern]]\nkind = \"matrix\"\npairs = [\n  [0, 1],\n]\n[[pattern]]\nkind = \"torus\"\ndims = [3, 3]\n\n[job]\ntp = 0\n";

    /// The line of the mark of a fault.
    fn line_of(text: &str, path: &str) -> usize {
        marks(text, &[Fault::new(path, "x", "a value")])[0].line
    }

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
        assert!(marks[0].words.contains("pes: must be a whole number"), "{marks:?}");
    }

    #[test]
    fn a_mark_does_not_repeat_its_line() {
        let of_line =
            |line, path| Fault { place: Some(Place { line, column: 5 }), ..Fault::new(path, "x", "a value") };
        let faults = [of_line(2, "line 2, column 5"), of_line(3, "line 3")];
        let marks = marks("a = 1\nb = x\ny\n", &faults);
        let words: Vec<_> = marks.iter().map(|mark| (mark.line, &*mark.words)).collect();
        assert_eq!(words, [(2, "Must be a value, not `x`."), (3, "Must be a value, not `x`.")]);
    }

    #[test]
    fn cursors_count_as_browsers_do() {
        assert_eq!(span(SPEC, 1), (0, 3));
        assert_eq!(span(SPEC, 2), (4, 14));
        assert_eq!(span(SPEC, 99).0, SPEC.encode_utf16().count() as u32);
    }
}
