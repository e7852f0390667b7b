//! A list of links: a line `a b [speed]` per link, and lines `host NAME...` and `switch NAME...`.
//!
//! Blanks, tabs, commas and semicolons separate words, and `#` starts a comment. A first line such as `source,target` or `src,dst,speed`
//! names the columns; other columns are not read. Names may be quoted as in CSV. Lines of networkx end with attributes in braces.
//! Repeated lines are parallel links.

use super::{
    LinkSpeed, NetworkFile,
    listed::{FileGraph, Role, Rules},
};
use crate::{cancel::checked, csv::Fields, demand::matrix::without_comment, spec::Faults, text::grouped};
use std::borrow::Cow;

/// Max bytes of a line.
const MAX_LINE: usize = 8 << 20;
/// Max bytes of a row with named columns or quotes.
const MAX_ROW: usize = 64 << 10;
/// Names of columns in small letters: the two ends, and the speed.
const ENDS: [&[&str]; 2] = [
    &["source", "src", "from", "node1", "node_a"],
    &["target", "dst", "dest", "destination", "to", "node2", "node_b"],
];
const SPEEDS: [&str; 5] = ["speed", "bandwidth", "capacity", "rate", "weight"];
const EXPECTED: &str = "two nodes and, if known, the speed of their link, `host NAME...` or `switch NAME...`";

/// Reads a list of links.
///
/// # Errors
/// Every line that is none of these, by its number.
pub(super) fn read(name: &str, text: &str) -> Result<NetworkFile, Faults> {
    let mut listed = FileGraph::new(name, text, Rules::WHOLE);
    let mut fields = Fields::default();
    let (mut is_first, mut columns) = (true, None);
    for line in checked(text.split('\n')) {
        let at = listed.at(line);
        if line.len() > MAX_LINE {
            let value = format!("a line of {} bytes", grouped(line.len() as u64));
            listed.fault(at, &value, format!("at most {} bytes", grouped(MAX_LINE as u64)));
            continue;
        }
        let content = without_comment(line).trim();
        if content.is_empty() {
            continue;
        }
        let is_row = content.len() <= MAX_ROW;
        if std::mem::take(&mut is_first) && is_row {
            columns = Columns::of(&fields.of(content));
            if columns.is_some() {
                continue;
            }
        }
        let (content, attributes) =
            match content.strip_suffix('}').and_then(|content| content.split_once('{')) {
                Some((content, attributes)) => (content.trim(), attributes),
                None => (content, ""),
            };
        let given = speed_of(attributes);
        match words(content).next().flatten() {
            Some("host") => read_names(&mut listed, Role::Host, content, at),
            Some("switch") => read_names(&mut listed, Role::Switch, content, at),
            _ if is_row && (columns.is_some() || content.contains('"')) => {
                let cells = fields.of(content);
                let columns = columns.unwrap_or(Columns { ends: [0, 1], speed: Some(2) });
                let cell = |column: usize| cells.get(column).copied().filter(|cell| !cell.is_empty());
                let speed = columns.speed.and_then(cell).or(given);
                let [a, b] = columns.ends.map(|column| cell(column).map(str::to_owned));
                read_link(&mut listed, a.zip(b), speed, content, at);
            }
            _ => {
                let mut words = words(content);
                let (a, b, speed) = (words.next().flatten(), words.next().flatten(), words.next());
                let is_whole = speed != Some(None) && words.next().is_none();
                read_link(&mut listed, a.zip(b).filter(|_| is_whole), speed.flatten().or(given), content, at);
            }
        }
    }
    listed.network()
}

/// Places of the columns.
#[derive(Clone, Copy)]
struct Columns {
    ends: [usize; 2],
    speed: Option<usize>,
}

impl Columns {
    /// The columns of a header, if it names both ends.
    fn of(heads: &[&str]) -> Option<Columns> {
        let heads: Vec<String> = heads.iter().map(|head| head.to_ascii_lowercase()).collect();
        let [from, to] = ENDS.map(|names| heads.iter().position(|head| names.contains(&&**head)));
        let speed = SPEEDS.iter().find_map(|name| heads.iter().position(|head| head.contains(name)));
        Some(Columns { ends: [from?, to?], speed })
    }
}

/// The speed among attributes such as `'speed': 400`.
fn speed_of(attributes: &str) -> Option<&str> {
    fn plain(text: &str) -> &str {
        text.trim_matches(|c: char| c.is_whitespace() || "'\"".contains(c))
    }
    let pairs = || attributes.split(',').filter_map(|pair| pair.split_once(':'));
    SPEEDS.iter().find_map(|name| pairs().find(|(key, _)| plain(key) == *name).map(|(_, value)| plain(value)))
}

/// The words of a line; `None` for an empty cell between commas.
fn words(line: &str) -> impl Iterator<Item = Option<&str>> {
    let line = line.trim_end_matches([',', ';', ' ', '\t']);
    let cells = line.split([',', ';']);
    cells.flat_map(|cell| {
        let empty = cell.trim().is_empty().then_some(None);
        cell.split_whitespace().map(Some).chain(empty)
    })
}

/// Adds the link of a line.
fn read_link<'a, N: Into<Cow<'a, str>>>(
    listed: &mut FileGraph<'a>,
    ends: Option<(N, N)>,
    speed: Option<&str>,
    line: &str,
    at: usize,
) {
    let Some((a, b)) = ends else { return listed.fault(at, line, EXPECTED) };
    let ends = [listed.node(a.into(), at), listed.node(b.into(), at)];
    match speed.map_or(Some(LinkSpeed::Hosts), LinkSpeed::read) {
        Some(speed) => listed.link(ends, speed, at),
        None => listed.fault(at, speed.unwrap_or_default(), LinkSpeed::EXPECTED),
    }
}

/// Reads the names after `host` or `switch`.
fn read_names<'a>(listed: &mut FileGraph<'a>, role: Role, line: &'a str, at: usize) {
    let names = || checked(words(line).skip(1));
    if names().next().is_none() || names().any(|name| name.is_none()) {
        return listed.fault(at, line, EXPECTED);
    }
    for name in names().flatten() {
        let node = listed.node(name.into(), at);
        listed.set_role(node, role, at);
    }
}
