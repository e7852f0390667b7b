//! Fields of lines: CSV with any separator, or words between blanks.

use crate::cancel::check;

/// Separator of the copy of a line that is parsed, which no text has.
const SEPARATOR: u8 = 0x1f;

/// Splitter of lines, with the memory that it uses again for each.
pub struct Fields {
    csv: csv_core::Reader,
    line: String,
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Default for Fields {
    fn default() -> Fields {
        let csv = csv_core::ReaderBuilder::new()
            .delimiter(SEPARATOR)
            .terminator(csv_core::Terminator::Any(b'\n'))
            .build();
        Fields { csv, line: String::new(), text: Vec::new(), ends: Vec::new() }
    }
}

impl Fields {
    /// The fields of a line: between commas, semicolons and tabs where there are any, between blanks otherwise.
    pub fn of(&mut self, line: &str) -> Vec<&str> {
        let separators = [',', ';', '\t'];
        match line.split('"').step_by(2).any(|part| part.contains(separators)) {
            true => self.split(line, |c| separators.contains(&c), false),
            false => self.split(line, char::is_whitespace, true),
        }
    }

    /// The fields of a line between separators.
    pub fn between(&mut self, line: &str, separator: char) -> Vec<&str> {
        self.split(line, |c| c == separator, false)
    }

    /// The fields without the blanks around them. A quote is one of CSV at the start of a field alone.
    fn split(&mut self, line: &str, is_end: impl Fn(char) -> bool, skips_empty: bool) -> Vec<&str> {
        check();
        self.line.clear();
        let (mut is_quoted, mut is_start, mut has_closed) = (false, true, false);
        for c in line.chars() {
            let is_closed = std::mem::take(&mut has_closed);
            match c {
                '"' if is_quoted => (is_quoted, has_closed) = (false, true),
                '"' if is_start || is_closed => is_quoted = true,
                c if is_quoted || !is_start && !is_end(c) => {}
                c if c.is_whitespace() && (skips_empty || !is_end(c)) && is_start => continue,
                c if is_end(c) => {
                    self.line.push(char::from(SEPARATOR));
                    is_start = true;
                    continue;
                }
                _ => {}
            }
            is_start = false;
            self.line.push(c);
        }
        if skips_empty && is_start {
            self.line.pop();
        }
        self.text.resize(self.text.len().max(self.line.len()), 0);
        self.ends.resize(self.ends.len().max(self.line.len() + 1), 0);
        self.csv.reset();
        let line = self.line.as_bytes();
        let (_, _, bytes, first) = self.csv.read_record(line, &mut self.text, &mut self.ends);
        let (_, _, _, rest) = self.csv.read_record(&[], &mut self.text[bytes..], &mut self.ends[first..]);
        let mut start = 0;
        let field = |&end: &usize| {
            let field = std::str::from_utf8(&self.text[start..end]).unwrap_or_default().trim();
            start = end;
            field
        };
        self.ends[..first + rest].iter().map(field).collect()
    }
}
