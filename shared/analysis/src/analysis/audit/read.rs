//! Parses pasted text into neighbours.

use super::{SeenNeighbour, Sheet, Uplink, json, lines::Lines};
use crate::{
    cancel::checked,
    design::Names,
    form::{LineFault, rest, says},
};
use std::collections::BTreeMap;

const MAX_FAULTS: usize = 200;
const ACCEPTED: &str = "the output of lldpctl (plain, keyvalue, json) or a table of LLDP neighbours; for several nodes, \
                        put a line with the name of the node, such as `node007`, before each part";

/// Parses a text line by line; JSON documents may span lines.
pub(super) fn read(text: &str, names: &Names, uplinks: &[Uplink]) -> Result<Sheet, Vec<LineFault>> {
    let mut reader = Lines::new(names, uplinks);
    let mut faults = Vec::new();
    // Lines of several nodes may be mixed, so each has a document of its own.
    let mut documents: BTreeMap<String, Document> = BTreeMap::new();
    let mut count = 0;
    let mut lines = checked(text.trim_start_matches('\u{feff}').lines()).peekable();
    while let Some(line) = lines.next() {
        count += 1;
        let content = reader.without_prefix(line);
        let open = documents.get(reader.host()).is_some_and(Document::is_open);
        if open || opens_json(content) {
            let document = documents.entry(reader.host().to_owned()).or_default();
            if let Some((first, done)) = document.take(count, content) {
                take(&done, first, &mut reader, &mut faults);
            }
            continue;
        }
        // The next line of the same node has the same prefix.
        let prefix = &line[..line.len() - content.len()];
        let next = lines.peek().and_then(|next| next.strip_prefix(prefix)).unwrap_or_default();
        reader.take(count, content, next);
    }
    for first in documents.into_values().filter_map(Document::unfinished) {
        faults.push(fault(first, "the JSON document that begins here is incomplete."));
    }
    let sheet = reader.finish();
    let nameless = sheet.seen.iter().filter(|seen| seen.host.is_empty());
    faults.extend(nameless.map(|seen| {
        let sentence = format!(
            "a neighbour on {:?} of an unnamed node; put the node's name on a line before it, such as `node007` or \
             `root@node007:~#`.",
            seen.interface
        );
        fault(seen.line, &sentence)
    }));
    if faults.is_empty() && sheet.seen.is_empty() && sheet.spoke.is_empty() && sheet.outside.is_empty() {
        faults.push(fault(count.max(1), &format!("has no neighbour; give {ACCEPTED}.")));
    }
    if faults.is_empty() {
        return Ok(sheet);
    }
    faults.sort_by_key(|f| f.line);
    let more = faults.len().saturating_sub(MAX_FAULTS);
    if more > 0 {
        faults.truncate(MAX_FAULTS);
        let line = faults.last().map_or(1, |f| f.line);
        faults.push(fault(line, &rest(more)));
    }
    Err(faults)
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
                reader.spoke(&host);
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
        for byte in content.bytes() {
            match (self.in_string, byte) {
                (true, _) if self.escaped => self.escaped = false,
                (true, b'\\') => self.escaped = true,
                (_, b'"') => self.in_string = !self.in_string,
                (false, b'{' | b'[') => self.depth += 1,
                (false, b'}' | b']') => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        self.text.push_str(content);
        self.text.push('\n');
        (self.depth == 0).then(|| (self.first, std::mem::take(&mut self.text)))
    }

    fn unfinished(self) -> Option<usize> {
        self.is_open().then_some(self.first)
    }
}
