//! A YAML document as a tree, with the line of each value. JSON is YAML.
//!
//! An alias is the node of its anchor, not a copy, so the memory is proportional to the text.

use crate::cancel::check;
use saphyr_parser::{Event, Parser};
use std::{borrow::Cow, collections::HashMap};

/// Max bytes of memory that a tree takes for each byte of its text.
pub(super) const BYTES_PER_BYTE: u64 = 64;
/// Max lists and maps inside each other.
const MAX_DEPTH: usize = 100;
/// Max maps that a value is merged from, one after another.
const MAX_MERGES: usize = 16;

/// A document.
pub(super) struct Tree<'a> {
    nodes: Vec<(usize, Value<'a>)>,
    /// First byte of each line.
    lines: Vec<usize>,
}

enum Value<'a> {
    Word(Cow<'a, str>),
    List(Vec<u32>),
    Map(Vec<(u32, u32)>),
}

/// A value of a document.
#[derive(Clone, Copy)]
pub(super) struct Item<'t, 'a> {
    tree: &'t Tree<'a>,
    node: u32,
}

/// An error of the syntax: its first byte and a sentence.
pub(super) type SyntaxError = (usize, String);

impl<'a> Tree<'a> {
    /// Reads the first document of a text.
    ///
    /// # Errors
    /// The text is no YAML, or has too many lists and maps inside each other.
    pub fn read(text: &'a str) -> Result<Tree<'a>, SyntaxError> {
        let starts = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        let mut tree = Tree { nodes: Vec::new(), lines: std::iter::once(0).chain(starts).collect() };
        let mut anchors: HashMap<usize, u32> = HashMap::new();
        // Lists and maps that are open, with the key that waits for its value, and their anchor.
        let mut open: Vec<(u32, Option<u32>, usize)> = Vec::new();
        let mut parser = Parser::new_from_str(text);
        loop {
            check();
            let (event, span) = match parser.next_event() {
                None => break,
                Some(Ok(event)) => event,
                Some(Err(error)) => {
                    let at = tree.byte(error.marker().line());
                    return Err((at, format!("is not well-formed YAML or JSON: {}.", error.info())));
                }
            };
            let at = tree.byte(span.start.line());
            let (value, anchor, is_open) = match event {
                Event::DocumentEnd | Event::StreamEnd => break,
                Event::Nothing | Event::StreamStart | Event::DocumentStart(_) => continue,
                Event::SequenceEnd | Event::MappingEnd => {
                    if let Some((node, _, anchor)) = open.pop()
                        && anchor > 0
                    {
                        anchors.insert(anchor, node);
                    }
                    continue;
                }
                Event::Alias(anchor) => {
                    let Some(&node) = anchors.get(&anchor) else {
                        return Err((at, "has an alias inside its own anchor; write the value.".into()));
                    };
                    tree.add(&mut open, node);
                    continue;
                }
                Event::Scalar(word, _, anchor, _) => (Value::Word(word), anchor, false),
                Event::SequenceStart(anchor, _) => (Value::List(Vec::new()), anchor, true),
                Event::MappingStart(anchor, _) => (Value::Map(Vec::new()), anchor, true),
            };
            let node = tree.nodes.len() as u32;
            tree.nodes.push((at, value));
            tree.add(&mut open, node);
            if is_open {
                if open.len() == MAX_DEPTH {
                    let sentence = format!(
                        "has more than {MAX_DEPTH} lists and maps inside each other, which is the limit."
                    );
                    return Err((at, sentence));
                }
                open.push((node, None, anchor));
            } else if anchor > 0 {
                anchors.insert(anchor, node);
            }
        }
        if tree.nodes.is_empty() {
            tree.nodes.push((0, Value::Word("".into())));
        }
        Ok(tree)
    }

    /// First byte of a line.
    fn byte(&self, line: usize) -> usize {
        self.lines.get(line.saturating_sub(1)).or(self.lines.last()).copied().unwrap_or(0)
    }

    /// Adds a node to the list or map that is open.
    fn add(&mut self, open: &mut [(u32, Option<u32>, usize)], node: u32) {
        let Some((parent, key, _)) = open.last_mut() else { return };
        match &mut self.nodes[*parent as usize].1 {
            Value::List(items) => items.push(node),
            Value::Map(entries) => match key.take() {
                None => *key = Some(node),
                Some(key) => entries.push((key, node)),
            },
            Value::Word(_) => {}
        }
    }

    /// The outer value.
    pub fn root(&self) -> Item<'_, 'a> {
        Item { tree: self, node: 0 }
    }
}

impl<'t, 'a> Item<'t, 'a> {
    fn value(self) -> &'t Value<'a> {
        &self.tree.nodes[self.node as usize].1
    }

    fn of(self, node: u32) -> Item<'t, 'a> {
        Item { node, ..self }
    }

    /// First byte of its line.
    pub fn at(self) -> usize {
        self.tree.nodes[self.node as usize].0
    }

    /// The text of a word.
    pub fn word(self) -> Option<&'t str> {
        match self.value() {
            Value::Word(word) => Some(word),
            _ => None,
        }
    }

    /// The values of a list.
    pub fn list(self) -> Option<impl ExactSizeIterator<Item = Item<'t, 'a>> + Clone> {
        match self.value() {
            Value::List(items) => Some(items.iter().map(move |&node| self.of(node))),
            _ => None,
        }
    }

    /// Keys and values of a map.
    pub fn map(self) -> Option<impl Iterator<Item = (Item<'t, 'a>, Item<'t, 'a>)>> {
        match self.value() {
            Value::Map(entries) => {
                Some(entries.iter().map(move |&(key, value)| (self.of(key), self.of(value))))
            }
            _ => None,
        }
    }

    /// The value of a key of a map, or of a map that is merged into it with `<<`.
    pub fn get(self, key: &str) -> Option<Item<'t, 'a>> {
        let mut from = vec![self];
        for _ in 0..MAX_MERGES {
            let item = from.pop()?;
            let Value::Map(entries) = item.value() else { continue };
            let find = |wanted: &str| {
                let found = entries.iter().find(|(key, _)| self.of(*key).word() == Some(wanted));
                found.map(|&(_, value)| self.of(value))
            };
            if let Some(value) = find(key) {
                return Some(value);
            }
            match find("<<") {
                Some(merged) if merged.list().is_some() => {
                    from.extend(merged.list().into_iter().flatten().take(MAX_MERGES))
                }
                merged => from.extend(merged),
            }
        }
        None
    }

    /// The word of a key of a map.
    pub fn word_of(self, key: &str) -> Option<&'t str> {
        self.get(key)?.word()
    }
}
