//! Compares neighbours with the cables of the design.

use super::{
    AmbiguousInterface, Audit, Cable, Extra, MisplacedCable, MissingCable, PortConflict, SeenNeighbour,
    Sheet, Stranger, Uplink,
    direct::{DirectCables, OnSwitch},
    host_of,
};
use crate::design::{Design, Names, NiTable, Node};
use std::collections::{BTreeMap, BTreeSet};

struct FoundCable<'a> {
    pe: u32,
    /// `None` if the interface's name does not give it.
    ni: Option<u32>,
    switch: u32,
    port: Option<u32>,
    /// The switch's name of the port; empty if unknown.
    port_name: &'a str,
    seen: &'a SeenNeighbour,
    interface: &'a str,
}

struct Plan<'a> {
    design: &'a Design,
    nis: NiTable,
    names: &'a Names,
    direct: DirectCables,
}

pub(super) fn compare(design: &Design, names: &Names, uplinks: &[Uplink], sheet: &Sheet) -> Audit {
    let nis = design.nis();
    let direct = DirectCables::of(design, &nis, names);
    let plan = Plan { design, nis, names, direct };
    let cables = (0..design.pes()).map(|pe| plan.cables(pe).count() as u64).sum();
    let mut audit = Audit { cables, ..Audit::default() };
    let (mut found, mut links) = plan.found(sheet, &mut audit.strangers);
    audit.judge_uplinks(uplinks, sheet);
    let is_known = |name: &str| {
        let is_end = |end: &(String, String)| host_of(&end.0) == host_of(name);
        names.find(name).is_some() || uplinks.iter().any(|Uplink { from, to }| is_end(from) || is_end(to))
    };
    let joined = |seen: &mut Stranger| is_known(&seen.host) && is_known(&seen.neighbour);
    audit.joins = audit.strangers.extract_if(.., joined).collect();
    audit.doubled = doubled(&found);
    plan.ambiguous(sheet, (&mut found, &mut links), &mut audit);
    let on_direct = |f: &mut FoundCable| f.ni.is_some_and(|ni| plan.direct.has(f.pe, ni));
    let astray = found.extract_if(.., on_direct);
    let astray = astray.filter_map(|f| Some(OnSwitch { ni: (f.pe, f.ni?), switch: f.switch, port: f.port }));
    let astray: Vec<OnSwitch> = astray.collect();
    // A cable that both ends saw is one; a known port sorts before none.
    found.sort_by_key(|f| (f.pe, f.ni.is_none(), f.ni, f.switch, f.port.is_none(), f.port));
    found.dedup_by(|b, a| a.ni.is_some() && (a.pe, a.ni, a.switch) == (b.pe, b.ni, b.switch));
    let heard = ReportSummary::of(sheet, &found);
    for of_pe in found.chunk_by(|a, b| a.pe == b.pe) {
        plan.judge(of_pe, &heard, &mut audit);
    }
    let silent = (0..design.pes()).filter(|pe| !heard.pes.contains(pe));
    for cable in silent.flat_map(|pe| plan.cables(pe)) {
        let is_seen = sheet.is_complete && heard.spoke.contains(&Node::Switch(cable.switch));
        if is_seen { audit.missing.push(cable.into()) } else { audit.unheard.push(cable) }
    }
    let unseen =
        (0..design.pes()).filter(|pe| heard.spoke.contains(&Node::Pe(*pe)) && !heard.seen.contains(pe));
    for pe in unseen {
        audit.missing.extend(plan.cables(pe).map(MissingCable::from));
    }
    // An ambiguous cable is judged if its other end reported it.
    let unclear: BTreeSet<Cable> = audit.ambiguous.iter().filter_map(|one| one.cable).collect();
    let mut unjudged: BTreeSet<Cable> =
        audit.missing.extract_if(.., |one| unclear.contains(&one.cable)).map(|one| one.cable).collect();
    for one in &mut audit.ambiguous {
        one.cable = one.cable.filter(|cable| plan.direct.has(cable.pe, cable.ni) || unjudged.remove(cable));
    }
    let unlinked = |cable: &mut Cable| sheet.unlinked.contains_key(&(cable.pe, cable.ni));
    audit.missing.extend(audit.unheard.extract_if(.., unlinked).map(MissingCable::from));
    for MissingCable { cable, sees } in &mut audit.missing {
        *sees = sheet.unlinked.get(&(cable.pe, cable.ni)).cloned().flatten();
    }
    plan.direct.judge((&plan.nis, names), &links, astray, sheet, &mut audit);
    plan.go_astray(&mut audit);
    pair_up(&mut audit.wrong);
    audit.wrong.sort_by_key(|wrong| wrong.cable);
    audit.missing.sort_by_key(|missing| missing.cable);
    audit.unheard.sort_unstable();
    audit.extra.sort_by_key(|extra| extra.line);
    audit.strangers.sort_by_key(|stranger| stranger.line);
    audit
}

/// Nodes whose missing cables count.
struct ReportSummary<'a> {
    spoke: &'a BTreeSet<Node>,
    /// PEs with a cable that was seen.
    seen: BTreeSet<u32>,
    /// PEs that reported or were seen.
    pes: BTreeSet<u32>,
}

impl<'a> ReportSummary<'a> {
    fn of(sheet: &'a Sheet, found: &[FoundCable]) -> ReportSummary<'a> {
        let seen: BTreeSet<u32> = found.iter().map(|f| f.pe).collect();
        let speaking = sheet.spoke.iter().filter_map(|node| match node {
            Node::Pe(pe) => Some(*pe),
            Node::Switch(_) => None,
        });
        let pes = seen.iter().copied().chain(speaking).collect();
        ReportSummary { spoke: &sheet.spoke, seen, pes }
    }
}

impl Plan<'_> {
    fn cable(&self, pe: u32, ni: u32) -> Cable {
        let switch = self.nis.of(pe)[ni as usize];
        let port = self.design.members(switch).partition_point(|&member| member < pe) as u32 + 1;
        Cable { pe, ni, switch, port }
    }

    /// Cables to switches.
    fn cables(&self, pe: u32) -> impl Iterator<Item = Cable> + '_ {
        let nis = (0..self.nis.of(pe).len() as u32).filter(move |&ni| !self.direct.has(pe, ni));
        nis.map(move |ni| self.cable(pe, ni))
    }

    fn ni(&self, name: &str) -> Option<u32> {
        self.names.nic(name)
    }

    /// The port of that name, else the number at the end of it.
    fn port(&self, name: &str) -> Option<u32> {
        self.names.port_of(name.trim()).or_else(|| trailing_number(name))
    }

    /// Every cable to a switch seen, and every link over a direct cable; neighbours outside the design go to `strangers`.
    fn found<'a>(
        &self,
        sheet: &'a Sheet,
        strangers: &mut Vec<Stranger>,
    ) -> (Vec<FoundCable<'a>>, Vec<&'a SeenNeighbour>) {
        let (mut found, mut links) = (Vec::new(), Vec::new());
        let mut peers: BTreeMap<(u32, &str), Vec<&SeenNeighbour>> = BTreeMap::new();
        for seen in &sheet.seen {
            let remote = [&seen.port, &seen.description];
            match (self.names.find(&seen.host), self.names.find(&seen.neighbour)) {
                (Some(Node::Pe(pe)), Some(Node::Switch(switch))) if !self.direct.is_cable(switch) => {
                    let port = remote.into_iter().find_map(|name| self.port(name));
                    let ni = self.ni(&seen.interface);
                    let port_name = if self.port(&seen.port).is_some() { seen.port.trim() } else { "" };
                    found.push(FoundCable {
                        pe,
                        ni,
                        switch,
                        port,
                        port_name,
                        seen,
                        interface: &seen.interface,
                    });
                }
                (Some(Node::Switch(switch)), Some(Node::Pe(pe))) if !self.direct.is_cable(switch) => {
                    let port = self.port(&seen.interface);
                    let ni = remote.into_iter().find_map(|name| self.ni(name));
                    let port_name = seen.interface.trim();
                    found.push(FoundCable { pe, ni, switch, port, port_name, seen, interface: &seen.port });
                }
                (Some(Node::Pe(pe)), Some(Node::Pe(other)))
                    if self.direct.is_link(pe, self.ni(&seen.interface), self.shared(pe, other)) =>
                {
                    links.push(seen);
                }
                (Some(Node::Pe(pe)), Some(Node::Pe(_))) => {
                    peers.entry((pe, &seen.interface)).or_default().push(seen);
                }
                // What hosts elsewhere see elsewhere.
                (None, None) if !sheet.outside.contains(&host_of(&seen.host)) => {}
                _ => strangers.push(Stranger {
                    host: seen.host.clone(),
                    interface: seen.interface.clone(),
                    neighbour: seen.neighbour.clone(),
                    line: seen.line,
                }),
            }
        }
        for ((pe, interface), seen) in peers {
            let ni = self.ni(interface);
            let Some((switch, seen)) = self.switch_of_peers(pe, ni, &seen) else { continue };
            if self.direct.is_cable(switch) {
                links.push(seen);
            } else {
                found.push(FoundCable { pe, ni, switch, port: None, port_name: "", seen, interface });
            }
        }
        (found, links)
    }

    /// The switch that most of the PEs seen on an interface belong on; on a tie the one in the design.
    fn switch_of_peers<'a>(
        &self,
        pe: u32,
        ni: Option<u32>,
        peers: &[&'a SeenNeighbour],
    ) -> Option<(u32, &'a SeenNeighbour)> {
        let mut votes: BTreeMap<u32, (usize, &SeenNeighbour)> = BTreeMap::new();
        for &seen in peers {
            let Some(Node::Pe(other)) = self.names.find(&seen.neighbour) else { continue };
            let theirs = [&seen.port, &seen.description].into_iter().find_map(|name| self.ni(name));
            let theirs = theirs.and_then(|ni| self.nis.of(other).get(ni as usize)).copied();
            if let Some(switch) = theirs.or_else(|| self.only_shared(pe, other)) {
                votes.entry(switch).or_insert((0, seen)).0 += 1;
            }
        }
        let own = ni.and_then(|ni| self.nis.of(pe).get(ni as usize).copied());
        let most = votes.iter().max_by_key(|&(&switch, &(count, _))| (count, Some(switch) == own));
        most.map(|(&switch, &(_, seen))| (switch, seen))
    }

    /// The switch that two PEs share, if it is one.
    fn only_shared(&self, pe: u32, other: u32) -> Option<u32> {
        let mut shared = self.shared(pe, other);
        shared.next().filter(|_| shared.next().is_none())
    }

    fn shared(&self, pe: u32, other: u32) -> impl Iterator<Item = u32> + '_ {
        self.nis.of(pe).iter().copied().filter(move |switch| self.nis.of(other).contains(switch))
    }

    /// Takes neighbours of interfaces that see several from those found and from the strangers. Two PEs on one port are a conflict, and
    /// where switches pass LLDP on, PEs see each other.
    fn ambiguous<'a>(
        &self,
        sheet: &'a Sheet,
        (found, links): (&mut Vec<FoundCable<'a>>, &mut Vec<&'a SeenNeighbour>),
        audit: &mut Audit,
    ) {
        let mut of_interface: BTreeMap<(&str, &str), Vec<&SeenNeighbour>> = BTreeMap::new();
        for seen in &sheet.seen {
            of_interface.entry((&seen.host, &seen.interface)).or_default().push(seen);
        }
        let (mut several, mut open) = (BTreeSet::new(), BTreeSet::new());
        for ((host, interface), seen) in of_interface {
            let mut ends: BTreeMap<(Option<Node>, String), Vec<&SeenNeighbour>> = BTreeMap::new();
            let reporter = self.names.find(host);
            let direct = match (reporter, self.ni(interface)) {
                (Some(Node::Pe(pe)), Some(ni)) if self.direct.has(pe, ni) => Some(self.cable(pe, ni)),
                _ => None,
            };
            // A direct cable has one NIC at its other end.
            let nic_of = |one: &SeenNeighbour| {
                let ni = [&one.port, &one.description].into_iter().find_map(|name| self.ni(name));
                ni.filter(|_| direct.is_some()).map_or(String::new(), |ni| ni.to_string())
            };
            for &one in &seen {
                let node = self.names.find(&one.neighbour);
                let name = if node.is_some() { nic_of(one) } else { host_of(plain_name(&one.neighbour)) };
                ends.entry((node, name)).or_default().push(one);
            }
            let named: BTreeSet<Node> =
                ends.keys().filter(|end| !end.1.is_empty()).filter_map(|end| end.0).collect();
            ends.retain(|(node, name), _| !name.is_empty() || node.is_none_or(|node| !named.contains(&node)));
            let pes = ends.keys().filter(|end| matches!(end.0, Some(Node::Pe(_)))).count();
            let is_passed_on = pes > 0 && !matches!(reporter, Some(Node::Switch(_)));
            let is_elsewhere = reporter.is_none() && ends.keys().all(|end| end.0.is_none());
            let is_usual = pes == ends.len() || is_passed_on || is_elsewhere;
            if ends.len() < 2 || direct.is_none() && is_usual {
                continue;
            }
            let mut firsts: Vec<&SeenNeighbour> = ends.values().map(|of_end| of_end[0]).collect();
            firsts.sort_by_key(|one| one.line);
            let neighbours = firsts.iter().map(|one| match (&*one.neighbour, &*one.port) {
                ("", port) => port.to_owned(),
                (name, "") => name.to_owned(),
                (name, port) => format!("{name} {port}"),
            });
            let is_switch = |end: &&(Option<Node>, String)| matches!(end.0, Some(Node::Switch(_)));
            let mut cable = direct;
            if direct.is_some() {
                open.insert((host, interface));
            } else if let Some(Node::Pe(pe)) = reporter
                && ends.keys().filter(is_switch).count() > 1
                && let Some(ni) = self.ni(interface).filter(|&ni| (ni as usize) < self.nis.of(pe).len())
            {
                cable = Some(self.cable(pe, ni));
                open.insert((host, interface));
            }
            several.insert((host, interface));
            audit.ambiguous.push(AmbiguousInterface {
                host: host.to_owned(),
                interface: interface.to_owned(),
                neighbours: neighbours.collect(),
                line: firsts[0].line,
                cable,
            });
        }
        audit.strangers.retain(|one| !several.contains(&(&*one.host, &*one.interface)));
        found.retain(|one| !open.contains(&(&*one.seen.host, &*one.seen.interface)));
        links.retain(|one| !open.contains(&(&*one.host, &*one.interface)));
        audit.ambiguous.sort_by_key(|one| one.line);
    }

    /// Moves strangers on NICs whose cable is missing to that cable.
    fn go_astray(&self, audit: &mut Audit) {
        for MissingCable { cable, sees } in &mut audit.missing {
            let is_here = |stranger: &Stranger| {
                let node = self.names.find(&stranger.host);
                node == Some(Node::Pe(cable.pe)) && self.ni(&stranger.interface) == Some(cable.ni)
            };
            if let Some(at) = audit.strangers.iter().position(is_here) {
                let Stranger { neighbour, line, .. } = audit.strangers.remove(at);
                *sees = Some((neighbour, line));
            }
        }
    }

    fn judge(&self, found: &[FoundCable], heard: &ReportSummary, audit: &mut Audit) {
        let pe = found[0].pe;
        let (named, nameless): (Vec<&FoundCable>, Vec<&FoundCable>) =
            found.iter().partition(|f| f.ni.is_some());
        let mut nameless = nameless;
        // The other end of a cable that reports it, too, may know an address of the NIC only.
        nameless.retain(|f| !named.iter().any(|other| f.may_be(other)));
        let mut used = vec![false; named.len()];
        for cable in self.cables(pe) {
            let own = |f: &&FoundCable| f.ni == Some(cable.ni);
            let right = named.iter().position(|f| own(f) && f.switch == cable.switch);
            let by_switch = || nameless.iter().position(|f| f.switch == cable.switch);
            if let Some(at) = right {
                used[at] = true;
                audit.is_right(cable, named[at].port);
            } else if let Some(at) = named.iter().position(own) {
                used[at] = true;
                let FoundCable { switch, port, .. } = *named[at];
                audit.wrong.push(MisplacedCable { cable, switch, port, swapped_with: None });
            } else if let Some(at) = by_switch() {
                audit.by_switch += 1;
                audit.is_right(cable, nameless.remove(at).port);
            } else if heard.spoke.contains(&Node::Pe(pe)) || heard.spoke.contains(&Node::Switch(cable.switch))
            {
                audit.missing.push(cable.into());
            } else {
                audit.unheard.push(cable);
            }
        }
        let rest = named.into_iter().zip(used).filter_map(|(f, used)| (!used).then_some(f));
        audit.extra.extend(rest.chain(nameless).map(FoundCable::extra));
    }
}

impl Audit {
    /// Takes neighbours that are cables to the uplink switch from the strangers.
    fn judge_uplinks(&mut self, uplinks: &[Uplink], sheet: &Sheet) {
        self.uplinks = uplinks.len() as u64;
        for uplink in uplinks {
            let devices = [&uplink.from.0, &uplink.to.0];
            let before = self.strangers.len();
            self.strangers.retain(|Stranger { host, neighbour, .. }| {
                let ends = [host, neighbour].map(|name| host_of(name));
                let is_it = |a: &str, b: &str| ends == [host_of(a), host_of(b)];
                !is_it(devices[0], devices[1]) && !is_it(devices[1], devices[0])
            });
            if self.strangers.len() < before {
                self.right_uplinks += 1;
            } else if devices.iter().any(|name| sheet.outside.contains(&host_of(name))) {
                self.missing_uplinks.push(uplink.clone());
            } else {
                self.unheard_uplinks.push(uplink.clone());
            }
        }
    }

    fn is_right(&mut self, cable: Cable, port: Option<u32>) {
        self.right += 1;
        self.other_port += u64::from(port.is_some_and(|port| port != cable.port));
    }
}

impl From<Cable> for MissingCable {
    fn from(cable: Cable) -> MissingCable {
        MissingCable { cable, sees: None }
    }
}

impl FoundCable<'_> {
    /// `true` if both are on one switch and on no different ports.
    fn may_be(&self, other: &FoundCable) -> bool {
        let ports = [self.port_name, other.port_name];
        self.switch == other.switch && (ports[0] == ports[1] || ports.contains(&""))
    }

    fn extra(&self) -> Extra {
        let interface = self.interface.to_owned();
        Extra { pe: self.pe, interface, switch: self.switch, port: self.port, line: self.seen.line }
    }
}

/// The ports that several NICs report.
fn doubled(found: &[FoundCable]) -> Vec<PortConflict> {
    let mut ports: BTreeMap<(u32, &str), Vec<&FoundCable>> = BTreeMap::new();
    for one in found.iter().filter(|one| !one.port_name.is_empty()) {
        let nics = ports.entry((one.switch, one.port_name)).or_default();
        // Both ends of a cable may report it, each by its own name of the NIC.
        let is_same = |other: &&FoundCable| {
            other.pe == one.pe && (other.ni == one.ni || other.ni.is_none() || one.ni.is_none())
        };
        if !nics.iter().any(is_same) {
            nics.push(one);
        }
    }
    let several = ports.into_iter().filter(|(_, nics)| nics.len() > 1);
    several
        .map(|((switch, port), nics)| PortConflict {
            switch,
            port: port.to_owned(),
            nics: nics.iter().map(|one| (one.pe, one.interface.to_owned())).collect(),
        })
        .collect()
}

/// Finds pairs of cables that are in each other's place; each cable in one pair at most, on the same PE first.
fn pair_up(wrong: &mut [MisplacedCable]) {
    let mut by_places: BTreeMap<(u32, u32), Vec<usize>> = BTreeMap::new();
    for (at, w) in wrong.iter().enumerate() {
        by_places.entry((w.cable.switch, w.switch)).or_default().push(at);
    }
    for at in 0..wrong.len() {
        let MisplacedCable { cable, switch, swapped_with: None, .. } = wrong[at] else { continue };
        let Some(others) = by_places.get(&(switch, cable.switch)) else { continue };
        let free = |other: &&usize| **other != at && wrong[**other].swapped_with.is_none();
        let same = others.iter().filter(free).find(|other| wrong[**other].cable.pe == cable.pe);
        if let Some(&other) = same.or_else(|| others.iter().find(free)) {
            wrong[at].swapped_with = Some((wrong[other].cable.pe, wrong[other].cable.ni));
            wrong[other].swapped_with = Some((cable.pe, cable.ni));
        }
    }
}

/// A name without the serial number that CDP puts behind it, as in `sw00(FDO1234)`.
fn plain_name(name: &str) -> &str {
    name.split_once('(').map_or(name, |(plain, _)| plain)
}

/// The number at the end of a port's name, such as 5 of `swp5` or `Ethernet1/5`; not of a MAC address.
fn trailing_number(name: &str) -> Option<u32> {
    let name = name.trim();
    let from = name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let is_mac = name.len() == 17 && name.bytes().filter(|b| matches!(b, b':' | b'-')).count() == 5;
    name[from..].parse().ok().filter(|_| !is_mac)
}
