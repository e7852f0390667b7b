//! Parses pasted text into neighbours.

use super::{SeenNeighbour, Sheet, Uplink, json, lines::Lines, printed};
use crate::{
    design::Names,
    form::{LineFault, rest, says},
};
use std::collections::BTreeMap;

const MAX_FAULTS: usize = 200;
const ACCEPTED: &str = "the output of lldpctl (plain, keyvalue, json) or a table of LLDP or CDP neighbours; for several \
                        nodes, put a line with the name of the node, such as `node007`, before each part";

/// Parses a text line by line; JSON documents may span lines.
pub(super) fn read(text: &str, names: &Names, uplinks: &[Uplink]) -> Result<Sheet, Vec<LineFault>> {
    let mut reader = Lines::new(names, uplinks);
    let mut faults = Vec::new();
    // Lines of several nodes may be mixed, so each has a document of its own.
    let mut documents: BTreeMap<String, Document> = BTreeMap::new();
    let mut last = 1;
    let mut lines = printed::lines(text).peekable();
    while let Some((number, line)) = lines.next() {
        last = number;
        let prefixed = reader.prefixed(&line);
        reader.enter(&prefixed);
        let content = prefixed.content;
        let open = documents.get(reader.host()).is_some_and(Document::is_open);
        if open || opens_json(content) {
            let document = documents.entry(reader.host().to_owned()).or_default();
            if let Some((first, done)) = document.take(number, content) {
                take(&done, first, &mut reader, &mut faults);
            }
            continue;
        }
        let next = lines.peek().map(|(_, next)| reader.prefixed(next));
        let next = next.filter(|next| next.is_of(&prefixed)).map_or("", |next| next.content);
        reader.take(number, content, next);
    }
    let mut warnings = Vec::new();
    for (host, document) in documents {
        let Some((first, whole)) = document.unfinished() else { continue };
        let mut wrong = Vec::new();
        reader.resume(host);
        take(&whole, first, &mut reader, &mut wrong);
        if wrong.is_empty() {
            let sentence = "the JSON document that begins here is cut off; its whole neighbours are read.";
            warnings.push(fault(first, sentence));
        } else {
            faults.push(fault(first, "the JSON document that begins here is incomplete."));
        }
    }
    let mut has_unread = false;
    for (line, host, content) in reader.unread() {
        has_unread = true;
        let sentence = format!(
            "{host} reports no neighbour that can be read; its output is {content:?}; give the output of lldpctl or a table of \
             LLDP or CDP neighbours."
        );
        warnings.push(fault(line, &sentence));
    }
    let mut sheet = reader.finish();
    sheet.warnings.append(&mut warnings);
    sheet.warnings.sort_by_key(|warning| warning.line);
    let nameless = sheet.seen.iter().filter(|seen| seen.host.is_empty());
    faults.extend(nameless.map(|seen| {
        let sentence = format!(
            "a neighbour on {:?} of an unnamed node; put the node's name on a line before it, such as `node007` or \
             `root@node007:~#`.",
            seen.interface
        );
        fault(seen.line, &sentence)
    }));
    // A node may report that it sees no neighbour.
    if faults.is_empty() && sheet.seen.is_empty() && (has_unread || sheet.spoke.is_empty()) {
        faults.push(fault(last, &format!("has no neighbour; give {ACCEPTED}.")));
        faults.append(&mut sheet.warnings);
    }
    if faults.is_empty() {
        limit(&mut sheet.warnings);
        return Ok(sheet);
    }
    faults.sort_by_key(|f| f.line);
    limit(&mut faults);
    Err(faults)
}

/// Leaves the first faults, with the number of the others.
fn limit(faults: &mut Vec<LineFault>) {
    let more = faults.len().saturating_sub(MAX_FAULTS);
    if more > 0 {
        faults.truncate(MAX_FAULTS);
        let line = faults.last().map_or(1, |f| f.line);
        faults.push(fault(line, &rest(more)));
    }
}

/// `true` if a JSON document of lldpctl begins with a line, unlike `[user@host ~]$`, `{master:0}` of Junos or `[sudo] password`.
fn opens_json(content: &str) -> bool {
    let mut bytes = content.bytes().filter(|byte| !byte.is_ascii_whitespace());
    match (bytes.next(), bytes.next()) {
        (Some(b'{'), second) => matches!(second, None | Some(b'"' | b'}')),
        (Some(b'['), second) => matches!(second, None | Some(b'{' | b'[' | b']' | b'"')),
        _ => false,
    }
}

fn take(text: &str, line: usize, reader: &mut Lines, faults: &mut Vec<LineFault>) {
    match json::read(text) {
        Ok(nodes) => {
            for (host, seen) in nodes {
                let host = host.unwrap_or_else(|| reader.host().to_owned());
                reader.reports(&host);
                for seen in seen {
                    reader.push(SeenNeighbour { line, host: host.clone(), ..seen });
                }
            }
        }
        // Faults beyond the limit are only counted.
        Err(_) if faults.len() > MAX_FAULTS => faults.push(LineFault { line, ..LineFault::default() }),
        Err(why) => faults.push(fault(line, &format!("is not a document of lldpctl -f json: {why}."))),
    }
}

fn fault(line: usize, sentence: &str) -> LineFault {
    LineFault::new(line, "", says(crate::text::shorten(sentence, 300, 297)))
}

#[derive(Default)]
struct Document {
    text: String,
    first: usize,
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// Bytes up to the last bracket that closes, outside all of which the document can be cut off.
    whole: usize,
}

impl Document {
    fn is_open(&self) -> bool {
        !self.text.is_empty()
    }

    /// Adds a line; returns the document and its first line once complete.
    fn take(&mut self, line: usize, content: &str) -> Option<(usize, String)> {
        if self.text.is_empty() {
            *self = Document { first: line, ..Document::default() };
        }
        let start = self.text.len() + 1;
        for (end, byte) in (start..).zip(content.bytes()) {
            match (self.in_string, byte) {
                (true, _) if self.escaped => self.escaped = false,
                (true, b'\\') => self.escaped = true,
                (_, b'"') => self.in_string = !self.in_string,
                (false, b'{' | b'[') => self.depth += 1,
                (false, b'}' | b']') => (self.depth, self.whole) = (self.depth.saturating_sub(1), end),
                _ => {}
            }
        }
        self.text.push_str(content);
        self.text.push('\n');
        (self.depth == 0).then(|| (self.first, std::mem::take(&mut self.text)))
    }

    /// First line of a document that is cut off, and its text up to the last element that ends, with all brackets closed.
    fn unfinished(self) -> Option<(usize, String)> {
        let mut whole = self.is_open().then(|| self.text[..self.whole].to_owned())?;
        let mut open = Vec::new();
        let (mut in_string, mut escaped) = (false, false);
        for byte in whole.bytes() {
            match (in_string, byte) {
                (true, _) if escaped => escaped = false,
                (true, b'\\') => escaped = true,
                (_, b'"') => in_string = !in_string,
                (false, b'{') => open.push('}'),
                (false, b'[') => open.push(']'),
                (false, b'}' | b']') => drop(open.pop()),
                _ => {}
            }
        }
        whole.extend(open.into_iter().rev());
        Some((self.first, whole))
    }
}
