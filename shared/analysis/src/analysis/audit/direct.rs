//! Compares direct cables, which join two NIs without a switch, with the design.

use super::{
    Audit, Cable, DirectCable, FarEnd, MisplacedPlug, MissingDirect, SeenNeighbour, Sheet, Stranger, host_of,
};
use crate::design::{Design, Names, NiTable, Node, far_ni, is_direct_cable};
use std::collections::{BTreeMap, BTreeSet};

/// PE and NI.
type Ni = (u32, u32);

/// The direct cables of a design.
pub(super) struct DirectCables {
    /// Switches of the design that are direct cables.
    cables: BTreeSet<u32>,
    /// NIs on direct cables with the NI at the other end; `None` if that end is free.
    far: BTreeMap<Ni, Option<Ni>>,
    /// `true` if all switches are direct cables.
    is_all: bool,
}

/// An NI on a switch of the design.
pub(super) struct OnSwitch {
    pub ni: Ni,
    pub switch: u32,
    pub port: Option<u32>,
}

impl DirectCables {
    pub(super) fn of(design: &Design, nis: &NiTable, names: &Names) -> DirectCables {
        let cables: BTreeSet<u32> =
            (0..design.switch_count()).filter(|&switch| is_direct_cable(names, design, switch)).collect();
        let mut far = BTreeMap::new();
        for pe in 0..design.pes() {
            for (ni, &switch) in (0..).zip(nis.of(pe)).filter(|(_, switch)| cables.contains(switch)) {
                far.insert((pe, ni), far_ni((names, design, nis), pe, switch));
            }
        }
        let is_all = cables.len() == design.switch_count() as usize;
        DirectCables { is_all: is_all && !cables.is_empty(), cables, far }
    }

    /// `true` if a switch is a direct cable.
    pub(super) fn is_cable(&self, switch: u32) -> bool {
        self.cables.contains(&switch)
    }

    /// `true` if an NI is on a direct cable.
    pub(super) fn has(&self, pe: u32, ni: u32) -> bool {
        self.far.contains_key(&(pe, ni))
    }

    /// `true` if a PE sees another one over a direct cable for sure. `both` are the switches that both are on.
    pub(super) fn is_link(&self, pe: u32, ni: Option<u32>, mut both: impl Iterator<Item = u32>) -> bool {
        self.is_all || ni.map_or_else(|| both.any(|on| self.is_cable(on)), |ni| self.has(pe, ni))
    }

    /// Every direct cable with two ends, from its lower PE.
    fn all(&self) -> impl Iterator<Item = [Ni; 2]> + '_ {
        self.far.iter().filter_map(|(&near, &far)| Some([near, far?])).filter(|[near, far]| near < far)
    }

    /// Judges the direct cables by the links between two PEs, and by their NIs that are on switches.
    pub(super) fn judge(
        &self,
        (nis, names): (&NiTable, &Names),
        links: &[&SeenNeighbour],
        on_switch: Vec<OnSwitch>,
        sheet: &Sheet,
        audit: &mut Audit,
    ) {
        let mut seen = Sightings::of((nis, names), links);
        for OnSwitch { ni, switch, port } in on_switch {
            seen.of_ni.entry(ni).or_default().push(FarEnd::Port { switch, port });
        }
        let mut wrong = Vec::new();
        let mut silent = Vec::new();
        for ends in self.all() {
            audit.cables += 1;
            let [a, b] = ends;
            let of = |ni: &Ni| seen.of_ni.get(ni).map_or(&[][..], Vec::as_slice);
            let (at_a, at_b) = (of(&a), of(&b));
            if at_a.iter().any(|end| end.is(b)) || at_b.iter().any(|end| end.is(a)) {
                audit.right += 1;
            } else if at_a.is_empty() && at_b.is_empty() {
                silent.push(ends);
            } else if at_a.iter().all(|end| end.may_be(b)) && at_b.iter().all(|end| end.may_be(a)) {
                seen.take_nameless(a.0, b.0);
                audit.right += 1;
                audit.by_node += 1;
            } else {
                for ((ni, far), at) in [((a, b), at_a), ((b, a), at_b)] {
                    let belongs = FarEnd::Nic { pe: far.0, ni: Some(far.1), interface: String::new() };
                    // A NIC by name says more.
                    let named = at.iter().find(|end| !end.may_be(far));
                    if let Some(at) = named.or(at.first()).cloned() {
                        wrong.push(MisplacedPlug { nic: ni, at, belongs, swapped_with: None });
                    } else if sheet.spoke.contains(&Node::Pe(ni.0)) {
                        self.silent(names, [ni, far], sheet, audit);
                    }
                }
            }
        }
        for ends in silent {
            if seen.take_nameless(ends[0].0, ends[1].0) {
                audit.right += 1;
                audit.by_node += 1;
            } else {
                self.silent(names, ends, sheet, audit);
            }
        }
        // NIs of switches that are cabled to other NIs.
        for (&(pe, ni), ends) in seen.of_ni.iter().filter(|(ni, _)| !self.far.contains_key(ni)) {
            let is_it = |cable: &Cable| (cable.pe, cable.ni) == (pe, ni);
            let missing = audit.missing.extract_if(.., |missing| is_it(&missing.cable)).map(|one| one.cable);
            let missing: Vec<Cable> = missing.collect();
            let unheard: Vec<Cable> = audit.unheard.extract_if(.., |cable| is_it(cable)).collect();
            if let Some(Cable { switch, port, .. }) = missing.first().or(unheard.first()).copied() {
                let belongs = FarEnd::Port { switch, port: Some(port) };
                wrong.push(MisplacedPlug { nic: (pe, ni), at: ends[0].clone(), belongs, swapped_with: None });
            }
        }
        audit.misplugged = paired(wrong);
        audit.missing_direct.sort_by_key(|missing| missing.ends);
        let is_free = |ni: &Ni| self.far.get(ni).is_some_and(Option::is_none);
        audit.joins.extend(seen.rest(is_free));
        audit.joins.sort_by_key(|join| join.line);
    }

    /// Takes a cable that no NI sees: it is missing if an end reported, and not judged if an end is ambiguous.
    fn silent(&self, names: &Names, ends: [Ni; 2], sheet: &Sheet, audit: &mut Audit) {
        let mut unclear = audit.ambiguous.iter().filter_map(|one| one.cable);
        if unclear.any(|cable| ends.contains(&(cable.pe, cable.ni))) {
            return;
        }
        let stranger = |ni: &Ni| {
            let is_here = |one: &Stranger| {
                names.find(&one.host) == Some(Node::Pe(ni.0)) && names.nic(&one.interface) == Some(ni.1)
            };
            audit.strangers.iter().position(is_here)
        };
        let turned = |from: usize| if from == 0 { ends } else { [ends[1], ends[0]] };
        if let Some((from, at)) = (0..2).find_map(|from| Some((from, stranger(&ends[from])?))) {
            let Stranger { neighbour, line, .. } = audit.strangers.remove(at);
            audit.missing_direct.push(MissingDirect { ends: turned(from), sees: Some((neighbour, line)) });
            return;
        }
        let has_reported =
            |end: &Ni| sheet.spoke.contains(&Node::Pe(end.0)) || sheet.unlinked.contains_key(end);
        match ends.iter().position(has_reported) {
            Some(from) => {
                let sees = ends.iter().find_map(|end| sheet.unlinked.get(end).cloned().flatten());
                audit.missing_direct.push(MissingDirect { ends: turned(from), sees });
            }
            None => audit.unheard_direct.push(DirectCable { ends }),
        }
    }
}

impl FarEnd {
    /// The NI, if its number is known.
    fn ni(&self) -> Option<Ni> {
        match self {
            FarEnd::Nic { pe, ni, .. } => ni.map(|ni| (*pe, ni)),
            FarEnd::Port { .. } => None,
        }
    }

    fn is(&self, other: Ni) -> bool {
        self.ni() == Some(other)
    }

    /// `true` if it is a NIC of the same PE with an unknown name.
    fn may_be(&self, other: Ni) -> bool {
        matches!(self, FarEnd::Nic { pe, ni: None, .. } if *pe == other.0)
    }

    /// `true` if both are one NI, or ports of one switch.
    fn is_same(&self, other: &FarEnd) -> bool {
        match (self, other) {
            (FarEnd::Port { switch: a, .. }, FarEnd::Port { switch: b, .. }) => a == b,
            _ => self.ni().is_some() && self.ni() == other.ni(),
        }
    }
}

/// Links between two PEs.
struct Sightings<'a> {
    /// NIs of the design with the NICs at the other end of their cables; what they see first, and then what others see.
    of_ni: BTreeMap<Ni, Vec<FarEnd>>,
    /// Links between NICs of unknown names, by their PEs: those that the lower PE reports, and those that the other one does.
    nameless: BTreeMap<[u32; 2], [Vec<&'a SeenNeighbour>; 2]>,
    /// Links with NICs that the design has.
    known: Vec<([Option<Ni>; 2], &'a SeenNeighbour)>,
}

impl<'a> Sightings<'a> {
    fn of((nis, names): (&NiTable, &Names), links: &[&'a SeenNeighbour]) -> Sightings<'a> {
        let mut seen = Sightings { of_ni: BTreeMap::new(), nameless: BTreeMap::new(), known: Vec::new() };
        let mut others = Vec::new();
        for &link in links {
            let pes = (names.find(&link.host), names.find(&link.neighbour));
            let (Some(Node::Pe(pe)), Some(Node::Pe(far))) = pes else { continue };
            let remote = [&*link.port, &*link.description];
            let far_ni = remote.into_iter().find_map(|name| names.nic(name));
            let interface = remote.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
            let near = FarEnd::Nic { pe, ni: names.nic(&link.interface), interface: link.interface.clone() };
            let far = FarEnd::Nic { pe: far, ni: far_ni, interface: interface.to_owned() };
            let keys = [&near, &far].map(|end| end.ni().filter(|&(pe, ni)| (ni as usize) < nis.of(pe).len()));
            if near.ni().is_none() && far.ni().is_none() {
                let FarEnd::Nic { pe: other, .. } = far else { continue };
                let reporter = usize::from(pe > other);
                seen.nameless.entry([pe.min(other), pe.max(other)]).or_default()[reporter].push(link);
            } else {
                seen.known.push((keys, link));
            }
            if let Some(key) = keys[0] {
                seen.of_ni.entry(key).or_default().push(far);
            }
            others.extend(keys[1].map(|key| (key, near)));
        }
        for (key, near) in others {
            seen.of_ni.entry(key).or_default().push(near);
        }
        seen
    }

    /// Takes a link between NICs of unknown names from the links of two PEs; `false` if there is none. Both ends may report it.
    fn take_nameless(&mut self, a: u32, b: u32) -> bool {
        let Some(links) = self.nameless.get_mut(&[a.min(b), a.max(b)]) else { return false };
        let before = links[0].len() + links[1].len();
        links.iter_mut().for_each(|links| _ = links.pop());
        before > 0
    }

    /// Links that the design does not have, between NICs of unknown names or beyond the design.
    fn rest(self, is_free: impl Fn(&Ni) -> bool) -> impl Iterator<Item = Stranger> {
        let nameless = self.nameless.into_values().flat_map(|[a, b]| if a.len() < b.len() { b } else { a });
        let is_beyond = move |keys: &[Option<Ni>; 2]| keys.iter().flatten().all(&is_free);
        let known = self.known.into_iter().filter(move |(keys, _)| is_beyond(keys)).map(|(_, link)| link);
        nameless.chain(known).map(|link| Stranger {
            host: link.host.clone(),
            interface: link.interface.clone(),
            neighbour: format!("{} {}", host_of(&link.neighbour), link.port).trim_end().to_owned(),
            line: link.line,
        })
    }
}

/// Finds two plugs that are in each other's place, on one PE first. Such a pair explains what the NICs at the other ends see.
fn paired(mut wrong: Vec<MisplacedPlug>) -> Vec<MisplacedPlug> {
    wrong.sort_by_key(|one| one.nic);
    let index: BTreeMap<Ni, usize> = wrong.iter().enumerate().map(|(at, one)| (one.nic, at)).collect();
    let mut is_done = vec![false; wrong.len()];
    let mut explained = BTreeSet::new();
    for same_pe in [true, false] {
        for at in 0..wrong.len() {
            let one = &wrong[at];
            let of_pe = || index.range((one.nic.0, 0)..=(one.nic.0, u32::MAX)).map(|(_, &other)| other);
            // The NIC that belongs where this one is.
            let other = match (same_pe, &one.at) {
                (true, _) => {
                    of_pe().find(|&other| other != at && !is_done[other] && one.is_swapped(&wrong[other]))
                }
                (false, end) => end.ni().and_then(|ni| {
                    let belongs = wrong[*index.get(&ni)?].belongs.ni()?;
                    let other = *index.get(&belongs)?;
                    (other != at && !is_done[other] && one.is_swapped(&wrong[other])).then_some(other)
                }),
            };
            let Some(other) = other.filter(|_| !is_done[at]) else { continue };
            let nics = [wrong[at].nic, wrong[other].nic];
            for pair in [at, other] {
                is_done[pair] = true;
                let Some(&far) = wrong[pair].at.ni().and_then(|ni| index.get(&ni)) else { continue };
                if far != at && far != other && nics.iter().any(|nic| wrong[far].at.is(*nic)) {
                    is_done[far] = true;
                    explained.insert(far);
                }
            }
            let MisplacedPlug { nic, at: end, .. } = wrong[other].clone();
            wrong[at].swapped_with = Some((nic, end));
            explained.insert(other);
        }
    }
    let all = wrong.into_iter().enumerate();
    all.filter_map(|(at, one)| (!explained.contains(&at)).then_some(one)).collect()
}

impl MisplacedPlug {
    /// `true` if each is where the other one belongs.
    fn is_swapped(&self, other: &MisplacedPlug) -> bool {
        self.at.is_same(&other.belongs) && other.at.is_same(&self.belongs)
    }
}
