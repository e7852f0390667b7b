//! Neighbours line by line: `lldpctl`'s plain and keyvalue output, and tables of switches.

use super::{SeenNeighbour, Sheet, Uplink, host_of};
use crate::design::Names;
use std::collections::{BTreeMap, BTreeSet};

/// Parser of lines that tracks the reporting node.
pub(super) struct Lines<'a> {
    names: &'a Names,
    /// Hosts at the ends of uplink cables.
    outside: BTreeSet<String>,
    sheet: Sheet,
    host: String,
    /// State per node, since prefixed lines of several nodes may be mixed.
    unfinished: BTreeMap<String, ParserState>,
}

#[derive(Default)]
struct ParserState {
    neighbour: Option<SeenNeighbour>,
    table: Option<Columns>,
}

#[derive(Debug, Default)]
struct Columns {
    starts: Vec<usize>,
    local: usize,
    neighbour: usize,
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
            unfinished: BTreeMap::new(),
        }
    }

    fn is_known(&self, name: &str) -> bool {
        self.names.find(name).is_some() || self.outside.contains(&host_of(name))
    }

    pub fn host(&self) -> &str {
        &self.host
    }

    pub fn spoke(&mut self, host: &str) {
        self.sheet.spoke.extend(self.names.find(host));
        self.sheet.outside.extend(Some(host_of(host)).filter(|host| self.outside.contains(host)));
    }

    pub fn push(&mut self, seen: SeenNeighbour) {
        self.sheet.seen.push(seen);
    }

    pub fn finish(mut self) -> Sheet {
        self.sheet.seen.extend(self.unfinished.into_values().filter_map(|of_node| of_node.neighbour));
        self.sheet
    }

    /// The line without the node's name that `pdsh` and others prefix.
    pub fn without_prefix<'l>(&mut self, line: &'l str) -> &'l str {
        if let Some((name, rest)) = line.split_once(": ")
            && (self.is_known(name.trim())
                || rest.starts_with("lldp.") && !name.contains(char::is_whitespace))
        {
            self.speaks(name.trim());
            return rest;
        }
        line
    }

    pub fn take(&mut self, line: usize, content: &str) {
        let trimmed = content.trim();
        if trimmed.is_empty() {
            self.own().table = None;
        } else if let Some((path, value)) =
            trimmed.strip_prefix("lldp.").and_then(|rest| rest.split_once('='))
        {
            if let Some((interface, key)) = key(path) {
                self.key_value(line, interface, key, value.trim());
            }
        } else if let Some((label, value)) = labelled(trimmed) {
            self.labelled(line, label, value);
        } else if let Some(columns) = Columns::of(content) {
            self.close();
            self.own().table = Some(columns);
            self.spoke(&self.host.clone());
        } else if self.own().neighbour.is_some() && content.starts_with(char::is_whitespace) {
            // More of the current neighbour, whose description may contain any name.
        } else if !self.row(line, content)
            && let Some(name) = self.heading(trimmed)
        {
            self.own().table = None;
            self.speaks(&name);
        }
    }

    /// `true` if a line is a shell's or a switch's prompt.
    pub fn is_prompt(&self, content: &str) -> bool {
        prompt(content.trim()).is_some()
    }

    fn speaks(&mut self, name: &str) {
        if self.host != name {
            self.host = name.to_owned();
        }
        self.spoke(name);
    }

    fn own(&mut self) -> &mut ParserState {
        self.unfinished.entry(self.host.clone()).or_default()
    }

    fn close(&mut self) {
        let closed = self.own().neighbour.take();
        self.sheet.seen.extend(closed);
    }

    fn begin(&mut self, line: usize, interface: &str) {
        self.close();
        let host = self.host.clone();
        let neighbour =
            Some(SeenNeighbour { line, host, interface: interface.to_owned(), ..SeenNeighbour::default() });
        *self.own() = ParserState { neighbour, table: None };
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

    /// Parses a row of the current table; any other line ends the table.
    fn row(&mut self, line: usize, content: &str) -> bool {
        let Some(columns) = &self.own().table else { return false };
        if content.trim().bytes().all(|b| b"-=+| ".contains(&b)) {
            return true;
        }
        // The number of rows is the last line of SONiC's and Cisco's tables.
        if content.trim_start().to_ascii_lowercase().starts_with("total entries displayed") {
            self.own().table = None;
            return true;
        }
        let cells = if prompt(content.trim()).is_some() { None } else { columns.cells(content) };
        let Some([interface, neighbour, port, description]) = cells else {
            self.own().table = None;
            return false;
        };
        let host = self.host.clone();
        self.push(SeenNeighbour { line, host, interface, neighbour, port, description });
        true
    }

    /// The node named by a line between outputs: a prompt, or a heading with a name of the design.
    fn heading(&self, content: &str) -> Option<String> {
        let word = |c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '-');
        let known = content.split(word).find(|word| self.is_known(word));
        known.map(str::to_owned).or_else(|| prompt(content).map(str::to_owned))
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

impl Columns {
    /// The columns of a table's heading, if it is one.
    fn of(content: &str) -> Option<Columns> {
        let titles = split(content);
        let lower: Vec<String> = titles.iter().map(|(_, title)| title.to_ascii_lowercase()).collect();
        let find =
            |words: &[&str]| lower.iter().position(|t| words.contains(&t.replace([' ', '-'], "").as_str()));
        Some(Columns {
            starts: titles.iter().map(|title| title.0).collect(),
            local: find(&["localintf", "localport", "localinterface", "localif", "port", "interface"])?,
            neighbour: find(&[
                "deviceid",
                "neighbordeviceid",
                "remotehost",
                "remotedevice",
                "systemname",
                "sysname",
                "neighbor",
                "neighbour",
            ])?,
            port: find(&["portid", "neighborportid", "remoteport", "remoteportid", "portinfo"]),
            description: find(&["remoteportdescr", "portdescr", "portdescription"]),
        })
    }

    /// Local interface, neighbour, port and description of a row.
    fn cells(&self, content: &str) -> Option<[String; 4]> {
        let words = split(content);
        let mut cells = vec![""; self.starts.len()];
        for (i, &(start, text)) in words.iter().enumerate() {
            // A row that fills every column may be shifted by a long word; otherwise the position gives the column.
            let place = self.starts.partition_point(|&from| from <= start).saturating_sub(1);
            let column = if words.len() == cells.len() { i } else { place };
            cells[column] = text;
        }
        let cell = |column: Option<usize>| column.map_or("", |column| cells[column]).to_owned();
        let row =
            [cell(Some(self.local)), cell(Some(self.neighbour)), cell(self.port), cell(self.description)];
        (!row[0].is_empty() && !row[1].is_empty()).then_some(row)
    }
}

/// Words separated by two or more spaces, tabs or bars, with their positions.
fn split(content: &str) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    let mut start = None;
    let mut end = 0;
    for (at, c) in content.char_indices() {
        let gap = c == '\t' || c == '|' || (c.is_whitespace() && at > end);
        if gap && let Some(from) = start.take() {
            words.push((from, &content[from..end]));
        }
        if !c.is_whitespace() && c != '|' {
            start.get_or_insert(at);
            end = at + c.len_utf8();
        }
    }
    words.extend(start.map(|from| (from, &content[from..end])));
    words
}
