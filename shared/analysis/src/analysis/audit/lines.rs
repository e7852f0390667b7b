//! Neighbours line by line: `lldpctl`'s plain and keyvalue output, and tables of switches.

use super::{Printed, SeenNeighbour, Sheet, Uplink, host_of};
use crate::design::Names;
use std::collections::{BTreeMap, BTreeSet};

/// Max titles in a piece of a heading, and words of a title.
const MAX_TITLES: usize = 16;
/// Max bytes of a title.
const MAX_TITLE: usize = 40;

/// Parser of lines that tracks the reporting node.
pub(super) struct Lines<'a> {
    names: &'a Names,
    /// Hosts at the ends of uplink cables.
    outside: BTreeSet<String>,
    sheet: Sheet,
    host: String,
    /// Process whose lines are read, and the node that the last line of each other process was of.
    process: String,
    hosts: BTreeMap<String, String>,
    /// State per node, since prefixed lines of several nodes may be mixed.
    unfinished: BTreeMap<String, ParserState>,
}

#[derive(Default)]
struct ParserState {
    neighbour: Option<SeenNeighbour>,
    table: Option<Table>,
    /// `true` if the last value is a text, which can have more lines.
    in_text: bool,
    /// `true` if a neighbour or the heading of a table was read.
    is_read: bool,
    /// The first line that was not read.
    unread: Option<(usize, String)>,
}

/// A line without its prefixes, and the node that they name.
pub(super) struct Prefixed<'l> {
    process: &'l str,
    host: Option<&'l str>,
    pub content: &'l str,
}

impl Prefixed<'_> {
    /// `true` if another line has the same prefixes.
    pub fn is_of(&self, other: &Prefixed) -> bool {
        (self.process, self.host) == (other.process, other.host)
    }
}

/// A table with its last row, which may go on in the next lines.
#[derive(Debug, Default)]
struct Table {
    columns: Columns,
    row: Option<Row>,
}

#[derive(Debug)]
struct Row {
    line: usize,
    /// A cell per column.
    cells: Vec<String>,
}

#[derive(Debug, Default)]
struct Columns {
    starts: Vec<usize>,
    local: usize,
    neighbour: usize,
    chassis: Option<usize>,
    port: Option<usize>,
    description: Option<usize>,
}

impl<'a> Lines<'a> {
    pub fn new(names: &'a Names, uplinks: &[Uplink]) -> Lines<'a> {
        let outside = uplinks.iter().flat_map(|Uplink { from, to }| [from, to]).map(|end| host_of(&end.0));
        Lines {
            names,
            outside: outside.collect(),
            sheet: Sheet::default(),
            host: String::new(),
            process: String::new(),
            hosts: BTreeMap::new(),
            unfinished: BTreeMap::new(),
        }
    }

    fn is_known(&self, name: &str) -> bool {
        self.names.find(name).is_some() || self.outside.contains(&host_of(name))
    }

    pub fn host(&self) -> &str {
        &self.host
    }

    fn spoke(&mut self, host: &str) {
        self.sheet.spoke.extend(self.names.find(host));
        self.sheet.outside.extend(Some(host_of(host)).filter(|host| self.outside.contains(host)));
    }

    /// Takes note of a node whose neighbours are known, even if it has none.
    pub fn reports(&mut self, host: &str) {
        self.spoke(host);
        self.unfinished.entry(host.to_owned()).or_default().is_read = true;
    }

    /// Takes the lines that follow as those of a node.
    pub fn resume(&mut self, host: String) {
        self.host = host;
    }

    pub fn push(&mut self, seen: SeenNeighbour) {
        self.sheet.seen.push(seen);
    }

    pub fn finish(mut self) -> Sheet {
        let hosts: Vec<String> = self.unfinished.keys().cloned().collect();
        for host in hosts {
            self.host = host;
            self.end_table();
        }
        self.sheet.seen.extend(self.unfinished.into_values().filter_map(|of_node| of_node.neighbour));
        self.sheet
    }

    /// Nodes of which nothing was read, each with its first line.
    pub fn unread(&self) -> Vec<(usize, String, String)> {
        let unread = self.unfinished.iter().filter(|(host, state)| !state.is_read && self.is_known(host));
        let line = |(host, state): (&String, &ParserState)| {
            state.unread.clone().map(|(line, content)| (line, host.clone(), content))
        };
        unread.filter_map(line).collect()
    }

    /// A line without the node's name that `pdsh`, `grep` and others put before it.
    pub fn prefixed<'l>(&self, line: &'l str) -> Prefixed<'l> {
        let Printed { process, content } = Printed::of(line);
        let is_own = |name: &str, rest: &str| {
            self.is_known(name) || rest.starts_with("lldp.") && !name.contains(char::is_whitespace)
        };
        if !process.is_empty() && self.is_known(process) {
            return Prefixed { process: "", host: Some(process), content };
        }
        if let Some((name, rest)) = content
            .split_once(": ")
            .map(|(name, rest)| (name.trim(), rest))
            .filter(|(name, rest)| is_own(name, rest))
        {
            return Prefixed { process, host: Some(name), content: rest };
        }
        // `grep` prints paths, and numbers of lines with `-n`.
        let of_file = content.split_once(':').filter(|(path, rest)| {
            !rest.is_empty() && !path.is_empty() && !path.contains(char::is_whitespace)
        });
        let of_file = of_file.and_then(|(path, rest)| {
            let numbered = rest.split_once(':').filter(|(number, _)| number.parse::<u32>().is_ok());
            let rest = numbered.map_or(rest, |(_, rest)| rest);
            let file = path.rsplit('/').next().unwrap_or(path);
            let name = self.known(file).or_else(|| is_own(file, rest).then_some(file))?;
            Some(Prefixed { process, host: Some(name), content: rest })
        });
        of_file.unwrap_or(Prefixed { process, host: None, content })
    }

    /// Goes on with the node of a line.
    pub fn enter(&mut self, line: &Prefixed) {
        if self.process != line.process {
            let host = self.hosts.remove(line.process).unwrap_or_default();
            let process = std::mem::replace(&mut self.process, line.process.to_owned());
            self.hosts.insert(process, std::mem::replace(&mut self.host, host));
        }
        if let Some(name) = line.host {
            self.speaks(name, line.content);
        }
    }

    /// Takes a line; the `next` one says whether a name alone on its line begins a row.
    pub fn take(&mut self, line: usize, content: &str, next: &str) {
        let trimmed = content.trim();
        if trimmed.is_empty() {
            self.end_table();
        } else if let Some((path, value)) =
            trimmed.strip_prefix("lldp.").and_then(|rest| rest.split_once('='))
        {
            self.own().in_text = path.ends_with(".descr");
            if let Some((interface, key)) = key(path) {
                self.key_value(line, interface, key, value.trim());
            }
        } else if self.own().in_text && !self.is_heading(trimmed) {
            // More of a description, which may contain any name.
        } else if let Some((label, value)) = labelled(trimmed) {
            self.labelled(line, label, value);
        } else if let Some(columns) = Columns::of(content) {
            self.close();
            self.own().table = Some(Table { columns, row: None });
            self.reports(&self.host.clone());
        } else if self.own().neighbour.is_some() && content.starts_with(char::is_whitespace) {
            // More of the current neighbour, whose description may contain any name.
        } else if !self.row(line, content, next) {
            if let Some(name) = self.heading(trimmed) {
                self.end_table();
                self.own().in_text = false;
                self.speaks(&name, trimmed);
            } else if self.own().unread.is_none()
                && !is_between(trimmed)
                && trimmed.contains(char::is_alphabetic)
                && trimmed.contains(char::is_whitespace)
            {
                self.own().unread = Some((line, trimmed.to_owned()));
            }
        }
    }

    /// Takes the lines that follow as those of a node, which has reported unless its line tells of a failure.
    fn speaks(&mut self, name: &str, said: &str) {
        if self.host != name {
            self.host = name.to_owned();
        }
        if !is_failure(said) {
            self.spoke(name);
        }
    }

    fn own(&mut self) -> &mut ParserState {
        self.unfinished.entry(self.host.clone()).or_default()
    }

    fn end_table(&mut self) {
        let row = self.own().table.take().and_then(|table| table.columns.neighbour(table.row?));
        self.sheet.seen.extend(row.map(|seen| SeenNeighbour { host: self.host.clone(), ..seen }));
    }

    fn close(&mut self) {
        self.end_table();
        let closed = self.own().neighbour.take();
        self.sheet.seen.extend(closed);
    }

    fn begin(&mut self, line: usize, interface: &str) {
        self.close();
        let host = self.host.clone();
        let neighbour =
            Some(SeenNeighbour { line, host, interface: interface.to_owned(), ..SeenNeighbour::default() });
        let state = self.own();
        (state.neighbour, state.table, state.is_read) = (neighbour, None, true);
    }

    fn key_value(&mut self, line: usize, interface: &str, key: &str, value: &str) {
        if key == "via" || self.own().neighbour.as_ref().is_none_or(|seen| seen.interface != interface) {
            self.begin(line, interface);
        }
        let Some(seen) = &mut self.own().neighbour else { return };
        match key {
            "chassis.name" => value.clone_into(&mut seen.neighbour),
            "chassis.mac" | "chassis.local" | "chassis.ip" if seen.neighbour.is_empty() => {
                value.clone_into(&mut seen.neighbour);
            }
            "port.ifname" | "port.local" | "port.mac" => value.clone_into(&mut seen.port),
            "port.descr" => value.clone_into(&mut seen.description),
            _ => {}
        }
    }

    fn labelled(&mut self, line: usize, label: &str, value: &str) {
        if label == "Interface" {
            let name = value.split(',').next().unwrap_or(value).trim();
            return self.begin(line, name);
        }
        let Some(seen) = &mut self.own().neighbour else { return };
        // Identifiers have their kind in front: `ifname swp1`.
        let bare = value.split_once(char::is_whitespace).map_or(value, |(_, rest)| rest.trim());
        match label {
            "SysName" => value.clone_into(&mut seen.neighbour),
            "ChassisID" if seen.neighbour.is_empty() => bare.clone_into(&mut seen.neighbour),
            "PortID" => bare.clone_into(&mut seen.port),
            "PortDescr" => value.clone_into(&mut seen.description),
            _ => {}
        }
    }

    /// Parses a row of the current table, or a further line of its last row; any other line ends the table.
    fn row(&mut self, line: usize, content: &str, next: &str) -> bool {
        let Some(mut table) = self.own().table.take() else { return false };
        let trimmed = content.trim();
        let is_rule =
            trimmed.chars().all(|c| "-=+| \t".contains(c) || ('\u{2500}'..='\u{257f}').contains(&c));
        // The number of rows is the last line of SONiC's and Cisco's tables.
        let is_total = trimmed.to_ascii_lowercase().starts_with("total ");
        let cells =
            if is_rule || is_total || is_between(trimmed) { None } else { table.columns.cells(content) };
        let columns = &table.columns;
        let begins = cells.as_ref().is_some_and(|cells| {
            let filled = cells.iter().filter(|cell| !cell.is_empty()).count();
            !cells[columns.local].is_empty() && filled > 1 || filled == 1 && columns.is_wrapped(content, next)
        });
        let continues = !begins
            && content.starts_with([' ', '\t', '|', '\u{2502}'])
            && table.row.as_ref().zip(cells.as_ref()).is_some_and(|(row, cells)| columns.fits(row, cells));
        match (cells, &mut table.row) {
            (Some(cells), Some(row)) if continues || begins && columns.is_rest(row, &cells) => {
                for (cell, more) in row.cells.iter_mut().zip(cells) {
                    cell.push_str(&more);
                }
            }
            (Some(cells), last) if begins => {
                let done = last.replace(Row { line, cells }).and_then(|row| table.columns.neighbour(row));
                self.sheet.seen.extend(done.map(|seen| SeenNeighbour { host: self.host.clone(), ..seen }));
            }
            _ => {
                self.own().table = Some(table);
                if is_rule && !trimmed.is_empty() {
                    self.end_row();
                    return true;
                }
                self.end_table();
                return is_total;
            }
        }
        self.own().table = Some(table);
        true
    }

    /// Ends the last row of the current table.
    fn end_row(&mut self) {
        let Some(table) = &mut self.own().table else { return };
        let row = table.row.take().and_then(|row| table.columns.neighbour(row));
        self.sheet.seen.extend(row.map(|seen| SeenNeighbour { host: self.host.clone(), ..seen }));
    }

    /// The node named by a line between outputs: a prompt, or a heading with a name of the design.
    fn heading(&self, content: &str) -> Option<String> {
        self.known(content).or_else(|| prompt(content)).map(str::to_owned)
    }

    /// The first name of the design or of an uplink's end.
    fn known<'l>(&self, content: &'l str) -> Option<&'l str> {
        words(content).find(|word| self.is_known(word))
    }

    /// `true` if a line is a heading for sure: a prompt, a name alone, or a heading of Ansible, `tail` or `clush`.
    fn is_heading(&self, content: &str) -> bool {
        let mut words = words(content);
        let is_name = words.next().is_some_and(|word| self.is_known(word)) && words.next().is_none();
        is_name
            || prompt(content).is_some()
            || content.starts_with("==>")
            || content.contains(" | ") && self.known(content).is_some()
    }
}

/// Interface and key of `eth0.chassis.name`, if the key matters. Interfaces may have dots.
fn key(path: &str) -> Option<(&str, &str)> {
    let parts = [".chassis.", ".port."].iter().filter_map(|part| path.find(part));
    let at = parts.min().or_else(|| path.strip_suffix(".via").map(str::len))?;
    Some((&path[..at], &path[at + 1..]))
}

/// `SysName:      sw03`, for labels that matter.
fn labelled(content: &str) -> Option<(&str, &str)> {
    let (label, value) = content.split_once(':')?;
    let labels = ["Interface", "ChassisID", "SysName", "PortID", "PortDescr"];
    labels.contains(&label).then_some((label, value.trim()))
}

/// Words that can be names.
fn words(content: &str) -> impl Iterator<Item = &str> {
    let is_end = |c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '-');
    content.split(is_end).filter(|word| word.contains(|c: char| c.is_ascii_alphanumeric()))
}

/// The node of a prompt: `root@node007:~# lldpctl`, `[root@node007 ~]$`, `sw03# show lldp neighbors`.
fn prompt(content: &str) -> Option<&str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-' || c == '_';
    let first = content.trim_start_matches('[');
    let user = first.find(|c| !is_name(c)).filter(|&at| at > 0 && first[at..].starts_with('@'));
    let name = user.map_or(first, |at| &first[at + 1..]);
    let end = name.find(|c| !is_name(c))?;
    let rest = &name[end..];
    let marks = if user.is_some() { &[':', ' ', '#', '$', '>', ']'][..] } else { &['#', '>', '$'][..] };
    (end > 0 && rest.starts_with(marks) && rest.contains(['#', '$', '>'])).then_some(&name[..end])
}

/// `true` for what shells, `pdsh`, Ansible and `lldpctl` write if there is no output.
fn is_failure(said: &str) -> bool {
    const FAILURES: [&str; 12] = [
        "not found",
        "no such file",
        "exited with",
        "unreachable",
        "no route to host",
        "permission denied",
        "connection refused",
        "timed out",
        "could not resolve",
        "unable to connect",
        "unable to open",
        "| failed",
    ];
    let lower = said.to_ascii_lowercase();
    FAILURES.iter().any(|words| lower.contains(words))
}

/// `true` if a line stands between the outputs of two nodes: a prompt, or a heading of Ansible, `tail` or `clush`.
fn is_between(content: &str) -> bool {
    prompt(content).is_some()
        || content.ends_with(">>")
        || content.starts_with("==>")
        || content.ends_with(':')
}

/// Titles of columns in small letters without blanks and signs, the best first: the own port.
const LOCAL: &[&str] = &[
    "localintf",
    "localintrfce",
    "localport",
    "localportid",
    "localinterface",
    "localif",
    "locportid",
    "port",
    "interface",
];
/// Titles of the neighbour's name.
const NEIGHBOUR: &[&str] = &[
    "systemname",
    "sysname",
    "remotesystemname",
    "neighborsystemname",
    "remotehost",
    "remhostname",
    "remotedevice",
    "neighbordevice",
    "neighbordev",
    "neighbordeviceid",
    "deviceid",
    "neighbor",
    "neighbour",
];
const CHASSIS: &[&str] = &["chassisid", "remotechassisid", "remchassisid", "neighborchassisid", "chassis"];
/// Titles of the neighbour's port.
const PORT: &[&str] = &[
    "portid",
    "neighborportid",
    "neighborport",
    "neighborinterface",
    "neighborintf",
    "remoteport",
    "remoteportid",
    "remportid",
    "portinfo",
];
const DESCRIPTION: &[&str] =
    &["remoteportdescr", "portdescr", "portdesc", "portdescription", "neighborportdescription"];
/// Titles of columns that are not read.
const OTHER: &[&str] = &[
    "holdtime",
    "holdtme",
    "hldtme",
    "ttl",
    "capability",
    "capabilities",
    "platform",
    "parentinterface",
    "speed",
    "mode",
];

fn plain(title: &str) -> String {
    title.to_ascii_lowercase().replace([' ', '-', '.', '_'], "")
}

/// The titles of a heading with their positions. Known titles may have one space between them.
fn titles(content: &str) -> Vec<(usize, &str)> {
    let is_known = |title: &str| {
        let title = if title.len() > MAX_TITLE { return false } else { plain(title) };
        [LOCAL, NEIGHBOUR, CHASSIS, PORT, DESCRIPTION, OTHER].iter().any(|names| names.contains(&&*title))
    };
    split(content)
        .into_iter()
        .flat_map(|(start, piece)| {
            let mut titles = Vec::new();
            let mut rest = piece;
            while !rest.is_empty() && titles.len() < MAX_TITLES {
                // The longest known title first.
                let ends = rest.match_indices(' ').map(|(at, _)| at).take(MAX_TITLES).chain([rest.len()]);
                let Some(end) = ends.filter(|&end| is_known(&rest[..end])).last() else {
                    return vec![(start, piece)];
                };
                titles.push((start + piece.len() - rest.len(), &rest[..end]));
                rest = rest[end..].trim_start();
            }
            if rest.is_empty() { titles } else { vec![(start, piece)] }
        })
        .collect()
}

impl Columns {
    /// The columns of a table's heading, if it is one.
    fn of(content: &str) -> Option<Columns> {
        let titles = titles(content);
        let plain: Vec<String> = titles.iter().map(|(_, title)| plain(title)).collect();
        // The best name of a title first.
        let of = |names: &[&str]| names.iter().find_map(|name| plain.iter().position(|title| title == name));
        Some(Columns {
            starts: titles.iter().map(|title| title.0).collect(),
            local: of(LOCAL)?,
            neighbour: of(NEIGHBOUR)?,
            chassis: of(CHASSIS),
            port: of(PORT),
            description: of(DESCRIPTION),
        })
    }

    /// The cells of a row.
    fn cells(&self, content: &str) -> Option<Vec<String>> {
        let words = self.joined(content);
        let mut cells = vec![String::new(); self.starts.len()];
        let mut next = 0;
        for (at, &(start, text)) in words.iter().enumerate() {
            // A row that fills every column may be shifted by a long word; otherwise the position gives the column.
            let place = self.place(start);
            let column = if words.len() == cells.len() { at } else { place.max(next) };
            // A long cell can reach the next column, with one space or none between them.
            let after = self.starts.get(column + 2).copied().unwrap_or(usize::MAX);
            let is_free = words.get(at + 1).map(|word| word.0 >= after);
            let is_long = |cut: usize| {
                let is_spaced = at > 0 && text.as_bytes().get(cut - 1) == Some(&b' ');
                is_free.unwrap_or(is_spaced) && text.is_char_boundary(cut)
            };
            let cut = self.starts.get(column + 1).and_then(|&from| from.checked_sub(start));
            let cut =
                cut.filter(|&cut| cut > 0 && cut < text.len() && words.len() < cells.len() && is_long(cut));
            match cut {
                Some(cut) if column == place => {
                    cells[column] = text[..cut].trim_end().to_owned();
                    cells[column + 1] = text[cut..].trim_start().to_owned();
                    next = column + 2;
                }
                _ => {
                    *cells.get_mut(column)? = text.to_owned();
                    next = column + 1;
                }
            }
        }
        Some(cells)
    }

    /// The column at a position.
    fn place(&self, start: usize) -> usize {
        self.starts.partition_point(|&from| from <= start).saturating_sub(1)
    }

    /// The words of a row. Those of a description with several spaces are one word: they begin and end in one column, and the row has
    /// more words than columns up to there.
    fn joined<'l>(&self, content: &'l str) -> Vec<(usize, &'l str)> {
        let words = split(content);
        let ends_inside = |start: usize, text: &str| {
            self.starts.get(self.place(start) + 1).is_none_or(|&next| start + text.len() <= next)
        };
        let is_more = |(at, &(start, text)): (usize, &(usize, &str))| {
            at > self.place(start) && ends_inside(start, text)
        };
        if words.len() <= self.starts.len() && !words.iter().enumerate().any(is_more) {
            return words;
        }
        let mut joined: Vec<(usize, &str)> = Vec::new();
        for (start, text) in words {
            match joined.last_mut().filter(|last| self.place(last.0) == self.place(start)) {
                Some(last) if ends_inside(start, text) && !content[last.0..start].contains(is_bar) => {
                    last.1 = &content[last.0..start + text.len()];
                }
                _ => joined.push((start, text)),
            }
        }
        joined
    }

    /// `true` if a line has one cell alone, and the `next` line has the rest of the row.
    fn is_wrapped(&self, content: &str, next: &str) -> bool {
        let first = split(content).first().map_or(0, |word| word.0);
        let rest = split(next).first().map_or(0, |word| word.0);
        let is_name = !content.trim().contains(char::is_whitespace);
        is_name && first < self.starts.get(1).copied().unwrap_or(0) && rest > first && {
            let cells = self.cells(next).unwrap_or_default();
            let filled = |column: usize| cells.get(column).is_some_and(|cell| !cell.is_empty());
            let others = cells.iter().filter(|cell| !cell.is_empty()).count();
            cells.first().is_some_and(String::is_empty)
                && others > 1
                && (filled(self.local) || filled(self.neighbour))
        }
    }

    /// `true` if cells are the rest of a row that has its first cell alone.
    fn is_rest(&self, row: &Row, cells: &[String]) -> bool {
        let (first, others) =
            row.cells.split_first().map_or((true, &[][..]), |(first, rest)| (first.is_empty(), rest));
        !first && others.iter().all(String::is_empty) && cells.first().is_some_and(String::is_empty)
    }

    /// `true` if cells go on with a row: under filled cells of the row, or all after its first cell.
    fn fits(&self, row: &Row, cells: &[String]) -> bool {
        let mut pairs = row.cells.iter().zip(cells);
        self.is_rest(row, cells) || pairs.all(|(cell, more)| more.is_empty() || !cell.is_empty())
    }

    /// The neighbour of a whole row; its chassis if it has no name.
    fn neighbour(&self, row: Row) -> Option<SeenNeighbour> {
        let Row { line, cells } = row;
        let cell = |column: Option<usize>| column.map_or("", |column| &cells[column]).trim().to_owned();
        let (interface, name) = (cell(Some(self.local)), cell(Some(self.neighbour)));
        let neighbour = if name.is_empty() { cell(self.chassis) } else { name };
        let (port, description) = (cell(self.port), cell(self.description));
        let seen =
            SeenNeighbour { line, interface, neighbour, port, description, ..SeenNeighbour::default() };
        (!seen.interface.is_empty()).then_some(seen)
    }
}

fn is_bar(c: char) -> bool {
    c == '|' || c == '\u{2502}' || c == '\u{2503}'
}

/// Words separated by two or more spaces, tabs or bars, with their positions.
fn split(content: &str) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    let mut start = None;
    let mut end = 0;
    for (at, c) in content.char_indices() {
        let gap = c == '\t' || is_bar(c) || (c.is_whitespace() && at > end);
        if gap && let Some(from) = start.take() {
            words.push((from, &content[from..end]));
        }
        if !c.is_whitespace() && !is_bar(c) {
            start.get_or_insert(at);
            end = at + c.len_utf8();
        }
    }
    words.extend(start.map(|from| (from, &content[from..end])));
    words
}
