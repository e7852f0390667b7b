//! A list of links: a line `a b [speed]` per link, and lines `host NAME...` and `switch NAME...`.
//!
//! Blanks, tabs, commas and semicolons separate words, and `#` starts a comment. A first line `source,target` or `from,to` is a
//! header. Repeated lines are parallel links.

use super::{
    LinkSpeed, NetworkFile,
    listed::{FileGraph, Role, Rules},
};
use crate::{cancel::checked, spec::Faults, text::grouped};

/// Max bytes of a line.
const MAX_LINE: usize = 8 << 20;
const EXPECTED: &str = "two nodes and, if known, the speed of their link, `host NAME...` or `switch NAME...`";

/// Reads a list of links.
///
/// # Errors
/// Every line that is none of these, by its number.
pub(super) fn read(name: &str, text: &str) -> Result<NetworkFile, Faults> {
    let mut listed = FileGraph::new(name, text, Rules::WHOLE);
    let mut is_first = true;
    for line in checked(text.split('\n')) {
        let at = listed.at(line);
        if line.len() > MAX_LINE {
            let value = format!("a line of {} bytes", grouped(line.len() as u64));
            listed.fault(at, &value, format!("at most {} bytes", grouped(MAX_LINE as u64)));
            continue;
        }
        let content = line.split('#').next().unwrap_or_default().trim();
        if content.is_empty() {
            continue;
        }
        if !(std::mem::take(&mut is_first) && is_header(content)) {
            read_line(&mut listed, content, at);
        }
    }
    listed.network()
}

fn is_header(line: &str) -> bool {
    let mut words = words(line).flatten().map(str::to_ascii_lowercase);
    let ends = [words.next(), words.next()].map(Option::unwrap_or_default);
    [["source", "target"], ["from", "to"]].iter().any(|header| ends == *header)
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

fn read_line<'a>(listed: &mut FileGraph<'a>, line: &'a str, at: usize) {
    let mut given = words(line);
    let first = given.next().flatten();
    let role = match first {
        Some("host") => Some(Role::Host),
        Some("switch") => Some(Role::Switch),
        _ => None,
    };
    if let Some(role) = role {
        return read_names(listed, role, line, at);
    }
    let (second, third, fourth) = (given.next(), given.next(), given.next());
    let (Some(a), Some(Some(b)), None | Some(Some(_)), None) = (first, second, third, fourth) else {
        return listed.fault(at, line, EXPECTED);
    };
    let ends = [listed.node(a.into(), at), listed.node(b.into(), at)];
    match third.flatten() {
        None => listed.link(ends, LinkSpeed::Hosts, at),
        Some(speed) => match LinkSpeed::read(speed) {
            Some(speed) => listed.link(ends, speed, at),
            None => listed.fault(at, speed, LinkSpeed::EXPECTED),
        },
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
