//! Cables that `ibnetdiscover` and `iblinkinfo` report, of any number of subnets, one after another.
//!
//! Only records of switches are read: a switch knows all its links. A node is known by the GUID of its port or by its description,
//! such as `node007 mlx5_0` or `node007 HCA-1`; a switch by its GUID or a name in its description. Any other switch is the one that more
//! of its cables belong on than on any other, at least half of them and on no second one as well. The result names these switches.

use super::{Audit, RecognisedSwitch, SeenNeighbour, Sheet, compare};
use crate::{
    design::{Design, Guid, Guids, HardwarePart, Names, Node},
    form::{LineFault, says},
};
use std::collections::{BTreeMap, BTreeSet};

/// Compares the output of `ibnetdiscover` and `iblinkinfo` with a design. NICs have the names of their RDMA devices.
///
/// # Errors
/// A text without any link of a switch.
pub fn audit_infiniband(
    design: &Design,
    names: &Names,
    guids: &Guids,
    text: &str,
) -> Result<Audit, Vec<LineFault>> {
    let switches = switches(names, guids, text);
    if switches.is_empty() {
        let sentence = says("has no switch; give the output of ibnetdiscover or iblinkinfo of each subnet.");
        return Err(vec![LineFault::new(1, "", sentence)]);
    }
    let reader = Reader { design, names, guids };
    let (sheet, recognised) = reader.sheet(&switches);
    Ok(Audit { recognised, ..compare::compare(design, names, &[], &sheet) })
}

/// `true` if a text is the output of `ibnetdiscover` or `iblinkinfo`.
pub fn is_infiniband(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("switchguid=") || matches!(header(line), Some(Some(_))))
}

/// A switch with its links, as reported.
#[derive(Debug, Default)]
struct Switch {
    line: usize,
    description: String,
    links: Vec<Link>,
}

#[derive(Debug)]
struct Link {
    line: usize,
    port: u32,
    /// Description of the other end.
    description: String,
    guids: Vec<Guid>,
}

/// Switches of a text by GUID. If lines begin with the name of a node, lines of several nodes can be mixed.
fn switches(names: &Names, guids: &Guids, text: &str) -> BTreeMap<Guid, Switch> {
    let mut switches: BTreeMap<Guid, Switch> = BTreeMap::new();
    let mut open: BTreeMap<&str, Option<Guid>> = BTreeMap::new();
    for (line, content) in (1..).zip(text.lines()) {
        let prefixed = content.split_once(": ").filter(|(name, _)| names.find(name.trim()).is_some());
        let (host, content) = prefixed.unwrap_or(("", content));
        if let Some(header) = header(content) {
            let guid = header.as_ref().map(|(guid, _)| *guid);
            if let Some((guid, description)) = header {
                switches.entry(guid).or_insert_with(|| Switch { line, description, links: Vec::new() });
            }
            open.insert(host, guid);
        } else if let Some((guid, description, link)) = whole_row(line, content) {
            let is_node = |description: &str| matches!(find(names, description), Some(Node::Pe(_)));
            let is_nic = |guid: &Guid| matches!(guids.owner(*guid), Some(HardwarePart::Ni(..)));
            if !is_node(&description) && !is_nic(&guid) {
                let switch = switches.entry(guid);
                let switch = switch.or_insert_with(|| Switch { line, description, links: Vec::new() });
                switch.links.extend(link);
            }
        } else if let Some(Some(guid)) = open.get(host)
            && let Some(switch) = switches.get_mut(guid)
        {
            switch.links.extend(discovered(line, content).or_else(|| row(line, content)));
        }
    }
    for switch in switches.values_mut() {
        switch.links.sort_by_key(|link| (link.port, link.guids.is_empty(), link.line));
        switch.links.dedup_by(|b, a| b.port == a.port && b.description == a.description);
    }
    switches
}

/// The switch of a line that begins a record; `None` inside for a record of something else.
fn header(content: &str) -> Option<Option<(Guid, String)>> {
    if let Some(rest) = content.strip_prefix("Switch: ") {
        let (guid, name) = rest.split_once(' ')?;
        return Some(Guid::parse(guid).map(|guid| (guid, name.trim_end_matches(':').to_owned())));
    }
    if let Some(rest) = content.strip_prefix("Switch\t") {
        let (_, rest) = rest.split_once("\"S-")?;
        let (digits, rest) = rest.split_once('"')?;
        return Some(Guid::of_digits(digits).map(|guid| (guid, quoted(rest))));
    }
    ["CA: ", "Ca\t", "Rt\t", "RT: "].iter().any(|other| content.starts_with(other)).then_some(None)
}

/// The first text in quotes.
fn quoted(text: &str) -> String {
    text.split('"').nth(1).unwrap_or_default().to_owned()
}

/// A link of `ibnetdiscover`: `[1]  "H-0002c90300000010"[1](2c90300000011)  # "node000 mlx5_0" lid 3 4xHDR`.
fn discovered(line: usize, content: &str) -> Option<Link> {
    let (port, rest) = content.strip_prefix('[')?.split_once(']')?;
    let (id, comment) = rest.split_once('#')?;
    let node = quoted(id);
    let digits = node.split_once('-').map(|(_, digits)| digits);
    let port_guid = id.rsplit_once('(').and_then(|(_, end)| end.trim_end().strip_suffix(')'));
    let guids = [port_guid, digits].into_iter().flatten().filter_map(Guid::of_digits).collect();
    Some(Link { line, port: port.parse().ok()?, description: quoted(comment), guids })
}

/// A link of `iblinkinfo` that is up: `2  1[  ] ==( 4X  53.125 Gbps Active/  LinkUp)==>  1  1[  ] "node000 mlx5_0" ( )`.
fn row(line: usize, content: &str) -> Option<Link> {
    let (own, other) = content.split_once("==>")?;
    let port = own.split('[').next()?.split_whitespace().last()?.parse().ok()?;
    let guids: Vec<Guid> = other.split_whitespace().next().and_then(Guid::parse).into_iter().collect();
    let description = quoted(other);
    (!description.is_empty() || !guids.is_empty()).then_some(Link { line, port, description, guids })
}

/// A row of `iblinkinfo -l`, with GUID and description of its own end; no link if it is down.
fn whole_row(line: usize, content: &str) -> Option<(Guid, String, Option<Link>)> {
    let (guid, rest) = content.trim_start().split_once(' ')?;
    let guid = Guid::parse(guid)?;
    let (_, rest) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
    Some((guid, quoted(content).trim().to_owned(), row(line, rest)))
}

/// The node or switch that a description names.
fn find(names: &Names, description: &str) -> Option<Node> {
    let word = |c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c));
    description.split(word).find_map(|word| names.find(word))
}

struct Reader<'a> {
    design: &'a Design,
    names: &'a Names,
    guids: &'a Guids,
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

    /// The links as neighbours, and the switches that are known by their cables alone, or not at all.
    fn sheet(&self, switches: &BTreeMap<Guid, Switch>) -> (Sheet, Vec<RecognisedSwitch>) {
        let mut known: BTreeMap<Guid, u32> =
            switches.iter().filter_map(|(guid, switch)| Some((*guid, self.named(*guid, switch)?))).collect();
        let recognised = self.recognise(switches, &known);
        known.extend(recognised.iter().filter_map(|found| Some((found.guid, found.switch?))));
        let mut sheet = Sheet { is_complete: true, ..Sheet::default() };
        for (guid, of) in switches {
            let Some(&switch) = known.get(guid) else { continue };
            sheet.spoke.insert(Node::Switch(switch));
            for link in &of.links {
                let nic = self.nic(link);
                let neighbour = nic.map_or_else(|| link.description.clone(), |(pe, _)| self.names.pe(pe));
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
        (sheet, recognised)
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
