//! Cables that `ibnetdiscover` (plain, `-g`, `-p`) and `iblinkinfo` (plain, `-l`) report, of any number of subnets, one after another.
//!
//! A switch knows all its links, so records of adapters count only for links between two adapters and for switches without a record. A
//! node is known by the GUID of its port or by its description, such as `node007 mlx5_0` or `node007 HCA-1`; a switch by its GUID or a
//! name in its description. Any other switch is the one that more of its cables belong on than on any other, at least half of them and
//! on no second one as well. The result names these switches.

use super::{Audit, DegradedLink, Printed, RecognisedSwitch, SeenNeighbour, Sheet, compare, printed};
use crate::{
    design::{Design, Guid, Guids, HardwarePart, Names, Node},
    form::{LineFault, says},
};
use std::collections::{BTreeMap, BTreeSet};

/// Compares the output of `ibnetdiscover` and `iblinkinfo` with a design. NICs have the names of their RDMA devices.
///
/// # Errors
/// A text without any switch or adapter.
pub fn audit_infiniband(
    design: &Design,
    names: &Names,
    guids: &Guids,
    text: &str,
) -> Result<Audit, Vec<LineFault>> {
    let report = Report::read(names, guids, text);
    if report.switches.is_empty() && report.adapters.is_empty() {
        let sentence =
            says("has no switch or adapter; give the output of ibnetdiscover or iblinkinfo of each subnet.");
        return Err(vec![LineFault::new(1, "", sentence)]);
    }
    let mut reader = Reader { design, names, guids, warnings: Vec::new(), degraded: BTreeMap::new() };
    let (sheet, recognised) = reader.sheet(&report);
    let mut audit = Audit { recognised, ..compare::compare(design, names, &[], &sheet) };
    audit.warnings.append(&mut reader.warnings);
    audit.warnings.sort_by_key(|warning| warning.line);
    audit.degraded = reader.degraded.into_values().collect();
    audit.degraded.sort_by_key(|link| link.line);
    Ok(audit)
}

/// `true` if a text is the output of `ibnetdiscover` or `iblinkinfo`.
pub fn is_infiniband(text: &str) -> bool {
    let is_one = |line: &str| {
        let (Printed { content: line, .. }, _) = Printed::of_subnet(line);
        line.starts_with("switchguid=")
            || line.starts_with("caguid=")
            || line.contains(" ==(") && line.contains(")==>")
            || matches!(header(line), Some(Header::Switch(..)))
            || PortReport::of(line).is_some()
    };
    text.lines().any(is_one)
}

/// A switch with its links, as reported.
#[derive(Debug, Default)]
struct Switch {
    line: usize,
    description: String,
    links: Vec<Link>,
}

/// An adapter or a router with its links, as reported.
#[derive(Debug, Default)]
struct Adapter {
    line: usize,
    description: String,
    guids: Vec<Guid>,
    links: Vec<Link>,
}

#[derive(Clone, Debug, Default)]
struct Link {
    line: usize,
    port: u32,
    /// Address of the own end, if known.
    lid: Option<u32>,
    /// GUID of the own port, if known.
    own: Option<Guid>,
    /// Description of the other end.
    description: String,
    /// GUIDs of the other end.
    guids: Vec<Guid>,
    other_port: Option<u32>,
    other_lid: Option<u32>,
    /// `true` if the other end is an adapter, if the line says so.
    is_adapter: Option<bool>,
    /// Width and speed that the link could have, if it has less.
    could: String,
}

/// The first line of a record.
enum Header {
    Switch(Guid, String),
    Adapter(Option<Guid>, String),
}

/// The record that a line belongs to.
#[derive(Clone, Copy)]
enum Open {
    Switch(Guid),
    Adapter(usize),
}

/// All records of a text: switches by GUID.
#[derive(Default)]
struct Report {
    switches: BTreeMap<Guid, Switch>,
    adapters: Vec<Adapter>,
}

impl Report {
    /// Reads every line that a tool wrote; other lines, such as messages of the tools, are left out. If lines begin with the name of a
    /// node or the tag of a process, lines of several nodes can be mixed.
    fn read(names: &Names, guids: &Guids, text: &str) -> Report {
        let mut report = Report::default();
        let mut open: BTreeMap<[String; 2], Open> = BTreeMap::new();
        // Adapters of rows that stand alone, by description.
        let mut alone: BTreeMap<String, usize> = BTreeMap::new();
        for (line, content) in printed::lines(text) {
            let (Printed { process, content }, host) = Printed::of_subnet(&content);
            let source = || [process, host].map(str::to_owned);
            if let Some(header) = header(content) {
                open.insert(source(), report.begin(line, header));
            } else if let Some((is_switch, guid, description, link)) = port_report(line, content)
                .or_else(|| whole_row(line, content).map(|(guid, name, link)| (None, guid, name, link)))
            {
                let is_node = |description: &str| matches!(find(names, description), Some(Node::Pe(_)));
                let is_nic = |guid: &Guid| matches!(guids.owner(*guid), Some(HardwarePart::Ni(..)));
                if is_switch.unwrap_or_else(|| !is_node(&description) && !is_nic(&guid)) {
                    let switch = report.switches.entry(guid);
                    let switch = switch.or_insert_with(|| Switch { line, description, links: Vec::new() });
                    switch.links.extend(link);
                } else {
                    let at = *alone.entry(description.clone()).or_insert_with(|| {
                        report.adapters.push(Adapter { line, description, ..Adapter::default() });
                        report.adapters.len() - 1
                    });
                    report.adapters[at].guids.push(guid);
                    report.adapters[at].links.extend(link);
                }
            } else if let Some(open) = open.get(&source()) {
                let Some(link) = discovered(line, content).or_else(|| row(line, content)) else { continue };
                match *open {
                    Open::Switch(guid) => {
                        report.switches.entry(guid).or_default().links.push(link);
                    }
                    Open::Adapter(at) => {
                        report.adapters[at].guids.extend(link.own);
                        report.adapters[at].links.push(link);
                    }
                }
            }
        }
        for switch in report.switches.values_mut() {
            switch.links.sort_by_key(|link| (link.port, link.guids.is_empty(), link.line));
            switch.links.dedup_by(|b, a| {
                let is_same = a.port == b.port && a.description == b.description;
                if is_same && a.could.is_empty() {
                    a.could = std::mem::take(&mut b.could);
                }
                is_same
            });
        }
        report
    }

    fn begin(&mut self, line: usize, header: Header) -> Open {
        match header {
            Header::Switch(guid, description) => {
                let switch = self.switches.entry(guid);
                switch.or_insert_with(|| Switch { line, description, links: Vec::new() });
                Open::Switch(guid)
            }
            Header::Adapter(guid, description) => {
                let guids = guid.into_iter().collect();
                self.adapters.push(Adapter { line, description, guids, links: Vec::new() });
                Open::Adapter(self.adapters.len() - 1)
            }
        }
    }

    /// The adapters at the other ends of adapters' links, by adapter and link. Lines of `iblinkinfo` do not say what the other end is; it
    /// is the adapter nearest in the text whose line has the same two ends the other way round.
    fn direct(&self) -> BTreeMap<(usize, usize), Option<usize>> {
        let mut ends: BTreeMap<[Option<u32>; 4], Vec<usize>> = BTreeMap::new();
        let mut owners: BTreeMap<Guid, usize> = BTreeMap::new();
        for (at, adapter) in self.adapters.iter().enumerate() {
            owners.extend(adapter.guids.iter().map(|guid| (*guid, at)));
            for link in &adapter.links {
                let key = [link.lid, Some(link.port), link.other_lid, link.other_port];
                ends.entry(key).or_default().push(at);
            }
        }
        let mut direct = BTreeMap::new();
        for (at, adapter) in self.adapters.iter().enumerate() {
            for (number, link) in adapter.links.iter().enumerate() {
                let owner = link.guids.iter().find_map(|guid| owners.get(guid)).copied();
                let is_known = link.is_adapter == Some(true) || owner.is_some();
                if is_known {
                    direct.insert((at, number), owner);
                } else if link.is_adapter.is_none() && link.lid.is_some() && link.lid != link.other_lid {
                    let key = [link.other_lid, link.other_port, link.lid, Some(link.port)];
                    let Some(mates) = ends.get(&key) else { continue };
                    let next = mates.partition_point(|&mate| mate < at);
                    let near = [next.checked_sub(1), Some(next)].into_iter().flatten();
                    let mate = near.filter_map(|next| mates.get(next)).min_by_key(|mate| mate.abs_diff(at));
                    direct.insert((at, number), mate.copied());
                }
            }
        }
        direct
    }
}

/// The record that a line begins. Copies of the output may have spaces for tabs.
fn header(content: &str) -> Option<Header> {
    if let Some(rest) = content.strip_prefix("Switch: ") {
        let (guid, name) = rest.trim_start().split_once(' ')?;
        let name = name.trim_end().trim_end_matches(':').to_owned();
        return Guid::parse(guid).map(|guid| Header::Switch(guid, name));
    }
    if let Some(name) = ["CA: ", "RT: ", "Router: "].iter().find_map(|kind| content.strip_prefix(kind)) {
        return Some(Header::Adapter(None, name.trim_end().trim_end_matches(':').to_owned()));
    }
    let SubnetRecord { kind, id, description } = SubnetRecord::of(content)?;
    let guid = Guid::of_digits(id.split_once('-')?.1)?;
    match kind {
        "Switch" => Some(Header::Switch(guid, description.to_owned())),
        "Ca" | "Rt" | "???" => Some(Header::Adapter(Some(guid), description.to_owned())),
        _ => None,
    }
}

/// A line of `ibnetdiscover` or of a net file of ibsim that begins a record, `Switch 36 "S-0002c903000000a0" # "sw00" base port 0`.
pub struct SubnetRecord<'a> {
    /// `Switch`, `Ca`, `Hca`, `Rt` and so on.
    pub kind: &'a str,
    /// A letter and the GUID, or a name.
    pub id: &'a str,
    /// What the device calls itself; empty if missing.
    pub description: &'a str,
}

impl<'a> SubnetRecord<'a> {
    /// The record that a line begins. Copies of the output may have spaces for tabs.
    pub fn of(line: &'a str) -> Option<SubnetRecord<'a>> {
        let (kind, rest) = line.trim_start().split_once(char::is_whitespace)?;
        let (ports, rest) = rest.split_once('"')?;
        let (id, rest) = rest.split_once('"')?;
        let is_count = ports.trim().is_empty() || ports.trim().parse::<u32>().is_ok();
        let description = rest.split_once('#').map_or("", |(_, comment)| quoted(comment));
        is_count.then_some(SubnetRecord { kind, id, description })
    }
}

/// The first text in quotes.
pub fn quoted(text: &str) -> &str {
    text.split('"').nth(1).unwrap_or_default().trim()
}

/// A line below a record: a link of a switch, `[1]  "H-0002c90300000010"[1](2c90300000011)  # "node000 mlx5_0" lid 3 4xHDR`, or of an
/// adapter, `[1](2c90300000011)  "S-0002c903000000a0"[1]  # lid 3 lmc 0 "sw00" lid 1 4xHDR`. Ports of a chassis have `[ext 2]` behind.
pub struct SubnetLink<'a> {
    /// Own port.
    pub port: &'a str,
    /// GUID of the own port, if the line has it.
    pub own: Option<Guid>,
    /// Id of the other record.
    pub peer: &'a str,
    /// Port of the other record; empty if missing.
    pub peer_port: &'a str,
    /// GUID of the other port, if the line has it.
    pub peer_guid: Option<Guid>,
    /// The text behind `#`.
    pub comment: &'a str,
}

impl<'a> SubnetLink<'a> {
    /// The link of a line.
    pub fn of(line: &'a str) -> Option<SubnetLink<'a>> {
        let (port, rest) = line.trim_start().strip_prefix('[')?.split_once(']')?;
        let (before, rest) = rest.split_once('"')?;
        let (peer, rest) = rest.split_once('"')?;
        let (after, comment) = rest.split_once('#').unwrap_or((rest, ""));
        let in_brackets = |text: &str| {
            let (_, text) = text.rsplit_once('(')?;
            Guid::of_digits(text.split_once(')')?.0)
        };
        let peer_port = after.trim_start().strip_prefix('[').and_then(|rest| rest.split_once(']'));
        Some(SubnetLink {
            port: port.trim(),
            own: in_brackets(before),
            peer,
            peer_port: peer_port.map_or("", |(port, _)| port.trim()),
            peer_guid: in_brackets(after),
            comment,
        })
    }
}

/// A link below a record, by the GUIDs of its ends.
fn discovered(line: usize, content: &str) -> Option<Link> {
    let link = SubnetLink::of(content)?;
    let (kind, digits) = link.peer.split_once('-')?;
    Some(Link {
        line,
        port: link.port.parse().ok()?,
        own: link.own,
        description: quoted(link.comment).to_owned(),
        guids: [link.peer_guid, Guid::of_digits(digits)].into_iter().flatten().collect(),
        other_port: link.peer_port.parse().ok(),
        is_adapter: Some(kind != "S"),
        ..Link::default()
    })
}

/// A line of `ibnetdiscover -p`, which is a port with its link if it has one:
/// `SW    2  1 0x0002c903000000a0 4x HDR - CA    5  1 0x0002c90300000011 ( 'sw00' - 'node000 mlx5_0' )`.
pub struct PortReport<'a> {
    /// The port.
    pub own: PortEnd<'a>,
    /// Width and rate, such as `4x` and `HDR`.
    pub speed: [&'a str; 2],
    /// The other end of the link; `None` without a link.
    pub peer: Option<PortEnd<'a>>,
}

/// An end of a link of `ibnetdiscover -p`, as written.
pub struct PortEnd<'a> {
    /// `SW`, `CA`, `RT` or `??`.
    pub kind: &'a str,
    /// Address, a number.
    pub lid: &'a str,
    /// Number of the port.
    pub port: &'a str,
    /// GUID of the port.
    pub guid: &'a str,
    /// What the device calls itself.
    pub description: &'a str,
}

impl<'a> PortReport<'a> {
    /// The port of a line.
    pub fn of(line: &'a str) -> Option<PortReport<'a>> {
        let (head, described) = line.split_once('\'')?;
        let mut words = head.split_whitespace();
        let described = described.rsplit_once('\'').map_or(described, |(names, _)| names);
        let (description, peer_description) = described.split_once("' - '").unwrap_or((described, ""));
        let own = PortEnd::of(&mut words, description)?;
        let mut speed = words.by_ref().take_while(|word| *word != "-");
        let speed = [speed.next().unwrap_or_default(), speed.next().unwrap_or_default()];
        let peer = PortEnd::of(&mut words.skip_while(|word| *word == "-"), peer_description);
        Some(PortReport { own, speed, peer })
    }
}

impl<'a> PortEnd<'a> {
    fn of(words: &mut dyn Iterator<Item = &'a str>, description: &'a str) -> Option<PortEnd<'a>> {
        let kind = words.next().filter(|kind| ["SW", "CA", "RT", "??"].contains(kind))?;
        let mut number = || words.next().filter(|word| word.parse::<u32>().is_ok());
        let (lid, port) = (number()?, number()?);
        let guid = words.next().filter(|word| Guid::parse(word).is_some())?;
        Some(PortEnd { kind, lid, port, guid, description })
    }

    fn is_switch(&self) -> bool {
        self.kind == "SW"
    }
}

/// A port of `ibnetdiscover -p`: `true` for a switch, its GUID, description and link.
fn port_report(line: usize, content: &str) -> Option<(Option<bool>, Guid, String, Option<Link>)> {
    let PortReport { own, peer, .. } = PortReport::of(content)?;
    let guid = Guid::parse(own.guid)?;
    let link = peer.map(|peer| Link {
        line,
        port: own.port.parse().unwrap_or_default(),
        lid: own.lid.parse().ok(),
        own: Some(guid),
        is_adapter: Some(!peer.is_switch()),
        other_lid: peer.lid.parse().ok(),
        other_port: peer.port.parse().ok(),
        guids: Guid::parse(peer.guid).into_iter().collect(),
        description: peer.description.to_owned(),
        could: String::new(),
    });
    Some((Some(own.is_switch()), guid, own.description.to_owned(), link))
}

/// A link of `iblinkinfo` that is up: `2  1[  ] ==( 4X  53.125 Gbps Active/  LinkUp)==>  1  1[  ] "node000 mlx5_0" ( )`, with the
/// GUID of the port in front if it is an adapter's, and at the end what the link could have: `(Could be 4X Could be 100.0 Gbps)`.
fn row(line: usize, content: &str) -> Option<Link> {
    let (own, other) = content.split_once("==>")?;
    let mut words = own.split('[').next()?.split_whitespace().rev();
    let port = words.next()?.parse().ok()?;
    let lid = words.next().and_then(|lid| lid.parse().ok());
    let own = words.next().and_then(Guid::parse);
    let guids: Vec<Guid> = other.split_whitespace().next().and_then(Guid::parse).into_iter().collect();
    let (end, rest) = other.split_once('"').unwrap_or((other, ""));
    let mut end = end.split('[').next()?.split_whitespace().rev();
    let [other_port, other_lid] = [end.next(), end.next()].map(|word| word?.parse().ok());
    let (description, rest) = rest.rsplit_once('"').unwrap_or((rest, ""));
    let could = rest.find("Could be").map_or("", |at| &rest[at..]).trim_end();
    let could = could.strip_suffix(')').unwrap_or(could).replace("Could be ", "");
    let could = could.split_whitespace().collect::<Vec<_>>().join(" ");
    let link = Link {
        line,
        port,
        lid,
        own,
        description: description.to_owned(),
        guids,
        other_port,
        other_lid,
        is_adapter: None,
        could,
    };
    (!link.description.is_empty() || !link.guids.is_empty()).then_some(link)
}

/// A row of `iblinkinfo -l`, with GUID and description of its own end; no link if it is down.
fn whole_row(line: usize, content: &str) -> Option<(Guid, String, Option<Link>)> {
    let (guid, rest) = content.trim_start().split_once(' ')?;
    let guid = Guid::parse(guid)?;
    let (_, rest) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
    Some((guid, quoted(content).to_owned(), row(line, rest)))
}

/// The node or switch that a description names.
fn find(names: &Names, description: &str) -> Option<Node> {
    let word = |c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c));
    description.split(word).find_map(|word| names.find(word))
}

/// Description, address and port of an end of a link.
type LinkEnd = (String, Option<u32>, Option<u32>);

struct Reader<'a> {
    design: &'a Design,
    names: &'a Names,
    guids: &'a Guids,
    warnings: Vec<LineFault>,
    /// Links below their width or speed, by their two ends.
    degraded: BTreeMap<[LinkEnd; 2], DegradedLink>,
}

impl Reader<'_> {
    /// The PE at the other end of a link, and its NIC, if known.
    fn nic(&self, link: &Link) -> Option<(u32, Option<u32>)> {
        let known = link.guids.iter().find_map(|guid| self.guids.owner(*guid));
        if let Some(HardwarePart::Ni(pe, ni)) = known {
            return Some((pe, Some(ni)));
        }
        let Some(Node::Pe(pe)) = find(self.names, &link.description) else { return None };
        let mut words = link.description.split_whitespace();
        // Older drivers count devices from 1.
        let counted = |word: &str| word.strip_prefix("HCA-")?.parse::<u32>().ok()?.checked_sub(1);
        Some((pe, words.find_map(|word| self.names.nic(word).or_else(|| counted(word)))))
    }

    /// A description without the node's name.
    fn without_node(&self, description: &str) -> String {
        let words = description.split_whitespace().filter(|word| find(self.names, word).is_none());
        let rest = words.collect::<Vec<_>>().join(" ");
        if rest.is_empty() { description.to_owned() } else { rest }
    }

    fn named(&self, guid: Guid, switch: &Switch) -> Option<u32> {
        match (self.guids.owner(guid), find(self.names, &switch.description)) {
            (Some(HardwarePart::Switch(switch)), _) | (None, Some(Node::Switch(switch))) => Some(switch),
            _ => None,
        }
    }

    fn warn(&mut self, line: usize, sentence: &str) {
        self.warnings.push(LineFault::new(line, "", says(sentence)));
    }

    /// Takes note of a link that could be wider or faster. Both ends may report it.
    fn degrade(&mut self, description: &str, link: &Link) {
        if link.could.is_empty() {
            return;
        }
        let mut key = [
            (description.to_owned(), link.lid, Some(link.port)),
            (link.description.clone(), link.other_lid, link.other_port),
        ];
        let ends = [(description, Some(link.port)), (&*link.description, link.other_port)];
        let ends =
            ends.map(|(name, port)| port.map_or(name.to_owned(), |port| format!("{name} port {port}")));
        key.sort();
        let degraded = DegradedLink { ends, could: link.could.clone(), line: link.line };
        self.degraded.entry(key).or_insert(degraded);
    }

    /// The links as neighbours, and the switches that are known by their cables alone, or not at all.
    fn sheet(&mut self, report: &Report) -> (Sheet, Vec<RecognisedSwitch>) {
        let switches = &report.switches;
        let mut known: BTreeMap<Guid, u32> =
            switches.iter().filter_map(|(guid, switch)| Some((*guid, self.named(*guid, switch)?))).collect();
        let recognised = self.recognise(switches, &known);
        known.extend(recognised.iter().filter_map(|found| Some((found.guid, found.switch?))));
        let mut sheet = Sheet { is_complete: true, ..Sheet::default() };
        for (guid, of) in switches {
            for link in &of.links {
                self.degrade(&of.description, link);
                if is_loopback(*guid, of, link) {
                    let other = link.other_port.filter(|&other| other >= link.port);
                    if let Some(other) = other {
                        let (port, name) = (link.port, or_guid(&of.description, *guid));
                        self.warn(
                            link.line,
                            &format!("ports {port} and {other} of {name} are cabled to each other."),
                        );
                    }
                }
            }
            let Some(&switch) = known.get(guid) else { continue };
            sheet.spoke.insert(Node::Switch(switch));
            for link in of.links.iter().filter(|link| !is_loopback(*guid, of, link)) {
                let nic = self.nic(link);
                let other = link.guids.iter().find_map(|guid| known.get(guid));
                let neighbour = match (nic, other) {
                    (Some((pe, _)), _) => self.names.pe(pe),
                    (None, Some(&other)) => self.names.switch(other),
                    (None, None) => link.description.clone(),
                };
                // Devices of unknown names are known by their switch alone.
                let device = nic.and_then(|(_, ni)| ni).map(|ni| self.names.interface(ni));
                sheet.seen.push(SeenNeighbour {
                    line: link.line,
                    host: self.names.switch(switch),
                    interface: link.port.to_string(),
                    neighbour,
                    port: device.unwrap_or_else(|| self.without_node(&link.description)),
                    description: String::new(),
                });
            }
        }
        self.adapters(report, &known, &mut sheet);
        (sheet, recognised)
    }

    /// Adds the links of adapters that no switch reports: between two adapters, and to switches without a record.
    fn adapters(&mut self, report: &Report, known: &BTreeMap<Guid, u32>, sheet: &mut Sheet) {
        let reported: BTreeSet<u32> = known.values().copied().collect();
        let (direct, nis) = (report.direct(), self.design.nis());
        for (at, adapter) in report.adapters.iter().enumerate() {
            let as_end = |link: Option<&Link>| Link {
                description: adapter.description.clone(),
                guids: link.and_then(|link| link.own).map_or_else(|| adapter.guids.clone(), |own| vec![own]),
                ..Link::default()
            };
            if adapter.links.is_empty() {
                let own = as_end(None);
                let name = adapter
                    .guids
                    .first()
                    .map_or(own.description.clone(), |guid| or_guid(&own.description, *guid));
                self.warn(adapter.line, &format!("the adapter {name} has no link; check its cable."));
                if let Some((pe, Some(ni))) = self.nic(&own) {
                    sheet.unlinked.insert((pe, ni), None);
                }
            }
            for (number, link) in adapter.links.iter().enumerate() {
                self.degrade(&adapter.description, link);
                let own = self.nic(&as_end(Some(link)));
                let interface = |ni: Option<u32>, end: &str| {
                    ni.map_or_else(|| self.without_node(end), |ni| self.names.interface(ni))
                };
                let seen = |pe: u32, ni: Option<u32>, neighbour: String, port: String| SeenNeighbour {
                    line: link.line,
                    host: self.names.pe(pe),
                    interface: interface(ni, &adapter.description),
                    neighbour,
                    port,
                    description: String::new(),
                };
                let Some(mate) = direct.get(&(at, number)) else {
                    let named = match find(self.names, &link.description) {
                        Some(Node::Switch(switch)) => Some(switch),
                        _ => None,
                    };
                    let by_guid = link.guids.iter().find_map(|guid| match self.guids.owner(*guid) {
                        Some(HardwarePart::Switch(switch)) => Some(switch),
                        _ => None,
                    });
                    let switch = by_guid.or(named).filter(|switch| !reported.contains(switch));
                    if let (Some((pe, ni)), Some(switch)) = (own, switch) {
                        let port = link.other_port.map_or(String::new(), |port| port.to_string());
                        sheet.seen.push(seen(pe, ni, self.names.switch(switch), port));
                    }
                    continue;
                };
                let mut end = link.clone();
                if let Some(mate) = mate.map(|mate| &report.adapters[mate]) {
                    end.guids.extend_from_slice(&mate.guids);
                }
                let other = self.nic(&end).or_else(|| {
                    let description = report.adapters.get((*mate)?)?.description.clone();
                    self.nic(&Link { description, ..Link::default() })
                });
                // A switch of two ports can be a cable.
                let is_cable = |&(pe, ni): &(u32, Option<u32>)| {
                    let nis = nis.of(pe);
                    let on = ni.map_or(nis, |ni| nis.get(ni as usize).map_or(&[], std::slice::from_ref));
                    on.iter().any(|&switch| self.design.members(switch).len() == 2)
                };
                if let (Some((pe, ni)), Some((peer, port))) = (own.filter(is_cable), other) {
                    let port = interface(port, &link.description);
                    sheet.seen.push(seen(pe, ni, self.names.pe(peer), port));
                    continue;
                }
                if let Some((pe, Some(ni))) = own {
                    let sees = Some((link.description.clone(), link.line));
                    sheet.unlinked.insert((pe, ni), sees);
                }
                // Both ends report the cable.
                if mate.is_none_or(|mate| mate >= at) {
                    let (a, b) = (&adapter.description, &link.description);
                    self.warn(
                        link.line,
                        &format!("the adapters {a} and {b} are cabled to each other, without a switch."),
                    );
                }
            }
        }
    }

    /// Finds unnamed switches by their cables; those without a cable of the design are left out.
    fn recognise(
        &self,
        switches: &BTreeMap<Guid, Switch>,
        known: &BTreeMap<Guid, u32>,
    ) -> Vec<RecognisedSwitch> {
        let nis = self.design.nis();
        let taken: BTreeSet<u32> = known.values().copied().collect();
        let unnamed = switches.iter().filter(|(guid, _)| !known.contains_key(guid));
        let mut found = Vec::new();
        let mut votes_of = Vec::new();
        for (&guid, switch) in unnamed {
            let nics: Vec<(u32, Option<u32>)> =
                switch.links.iter().filter_map(|link| self.nic(link)).collect();
            let mut votes: BTreeMap<u32, u32> = BTreeMap::new();
            for &(pe, ni) in &nics {
                let of_pe = nis.of(pe).iter().enumerate();
                let on = of_pe.filter(|(at, _)| ni.is_none_or(|ni| ni as usize == *at)).map(|(_, &on)| on);
                on.filter(|on| !taken.contains(on)).for_each(|on| *votes.entry(on).or_default() += 1);
            }
            if !nics.is_empty() {
                let cables = nics.len() as u32;
                found.push(RecognisedSwitch { guid, switch: None, fits: 0, cables, line: switch.line });
                votes_of.push(votes);
            }
        }
        for at in 0..found.len() {
            let votes = &votes_of[at];
            let Some((&best, &fits)) = votes.iter().max_by_key(|(_, fits)| **fits) else { continue };
            let is_only = votes.iter().all(|(&other, &number)| other == best || number < fits);
            let rivals = votes_of.iter().enumerate().filter(|(other, _)| *other != at);
            let has_rival = rivals.into_iter().any(|(_, votes)| votes.get(&best).is_some_and(|&n| n >= fits));
            if is_only && !has_rival && 2 * fits >= found[at].cables {
                found[at] = RecognisedSwitch { switch: Some(best), fits, ..found[at].clone() };
            }
        }
        found
    }
}

/// `true` if both ends of a switch's link are on this switch.
fn is_loopback(guid: Guid, switch: &Switch, link: &Link) -> bool {
    let is_same = || {
        let is_lid = link.lid.is_some_and(|lid| lid > 0) && link.lid == link.other_lid;
        is_lid && link.description == switch.description
    };
    link.guids.contains(&guid) || link.guids.is_empty() && is_same()
}

/// A description, or the GUID where it is missing.
fn or_guid(description: &str, guid: Guid) -> String {
    if description.is_empty() { guid.to_string() } else { description.to_owned() }
}
