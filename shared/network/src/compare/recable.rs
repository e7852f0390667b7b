//! The cables to move to turn one wiring into another, as a work list.
//!
//! Nodes keep their numbers. Switches are matched: a switch of the old wiring becomes the switch of the new one with which it
//! has most cables in common, over all switches together, so that as few cables as possible move (assignment problem, solved
//! with the Hungarian algorithm). A switch only becomes one of at most as many usable
//! ports, and reserved ports stay free. With more than [`MAX_MATCHED`] switches,
//! pairs are matched greedily, most common cables first, and a few more cables may move. Where both specs have rails, switches
//! stay on their planes. Where the new one has, each NIC goes to the switch of its plane, so a cable only stays in its NIC if
//! that is the NIC of the plane.
//!
//! A direct cable is a switch of two ports in the wiring, and becomes a direct cable with the same node at one end or both. It stays
//! if both ends do. If one end stays, the other moves to another NIC. Otherwise the cable is removed, and may serve as a new one.
//!
//! A move leaves the cable in its NIC and moves its end at the switch. The list goes from switch to switch: each is filled as
//! far as it has free ports, which frees ports elsewhere. Where full switches wait for each other, one cable is unplugged and
//! stays loose until its port is free.

use crate::{
    cancel::check,
    design::{Design, Names, NiTable, plugged},
    spec::Spec,
    text::grouped,
};
use pathfinding::{kuhn_munkres::kuhn_munkres, matrix::Matrix};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    fmt::Write,
};

/// Max switches of a wiring for which the number of moved cables is minimal.
pub const MAX_MATCHED: usize = 400;

/// A wiring with the spec it was made for.
#[derive(Clone, Copy)]
pub struct SpecWiring<'a> {
    /// The spec, which knows the ports of the switches.
    pub spec: &'a Spec,
    /// The wiring.
    pub design: &'a Design,
}

impl SpecWiring<'_> {
    /// Ports of every switch that nodes may use; at least those in use.
    fn ports(&self) -> Vec<u32> {
        let spec = self.spec.grown(self.design.used_switches());
        let mut usable = spec.usable_ports().into_iter();
        let used = self.design.switches().map(|members| members.len() as u32);
        used.map(|used| usable.next().unwrap_or(0).max(used)).collect()
    }

    /// `true` for each switch that is a direct cable.
    fn cables(&self) -> Vec<bool> {
        let mut cables = self.spec.grown(self.design.used_switches()).cables().into_iter();
        let has_both_ends = |members: &[u32]| cables.next().unwrap_or(false) && members.len() == 2;
        self.design.switches().map(has_both_ends).collect()
    }

    /// Each NIC of a node with its switch: by plane under rails, otherwise in order. None for a node outside the design.
    fn nics<'t>(self, table: &'t NiTable, pe: u32) -> impl Iterator<Item = (u32, u32)> + use<'t> {
        let switches = if pe < self.design.pes() { table.of(pe) } else { &[] };
        let planes: Option<Vec<u32>> = switches.iter().map(|&switch| self.spec.plane_of(switch)).collect();
        // A wiring that is on a plane twice breaks the rails.
        let planes = planes.filter(|planes| planes.is_sorted_by(|a, b| a < b));
        let nics = planes.unwrap_or_else(|| (0..switches.len() as u32).collect());
        nics.into_iter().zip(switches.iter().copied())
    }
}

/// Work at one cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Unplug it at one switch and plug it in at another.
    Move,
    /// Unplug it at the switch. Its end stays loose for now.
    Loosen,
    /// Plug in a loose cable.
    Plug,
    /// Remove it.
    Remove,
    /// Add a new one.
    Add,
}

impl Action {
    /// One word for a table.
    pub fn name(self) -> &'static str {
        match self {
            Action::Move => "move",
            Action::Loosen => "loosen",
            Action::Plug => "plug",
            Action::Remove => "remove",
            Action::Add => "add",
        }
    }
}

/// One step of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// What to do.
    pub action: Action,
    /// The node.
    pub pe: u32,
    /// NIC of the node.
    pub ni: u32,
    /// Switch and port to unplug it from; ports count from 1. Node and NIC if the cable is direct.
    pub from: Option<(u32, u32)>,
    /// Switch and port to plug it into. Node and NIC if the cable is direct.
    pub to: Option<(u32, u32)>,
    /// `true` if the cable connects the NIC to another NIC.
    pub is_direct: bool,
}

/// The way from one wiring to another. Switches have their old numbers; those to buy follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recabling {
    /// All steps, in order.
    pub steps: Vec<Step>,
    /// Cables that stay.
    pub kept: u64,
    /// Cables that move.
    pub moved: u64,
    /// Cables to add.
    pub added: u64,
    /// Cables to remove.
    pub removed: u64,
    /// For each switch its number in the new wiring; `None` if it is no longer used.
    pub becomes: Vec<Option<u32>>,
    /// Switches of the old wiring; later ones are to be bought.
    pub old_switches: u32,
    /// `true` if no other matching of switches moves fewer cables.
    pub is_minimal: bool,
    names: Names,
    new_names: Names,
    /// `true` for each switch that is a direct cable.
    direct: Vec<bool>,
    /// Direct cables to add, and to remove.
    replaced: (u64, u64),
}

/// Lists the cables to move from `old` to `new`.
pub fn recabling(old: SpecWiring<'_>, new: SpecWiring<'_>) -> Recabling {
    let designs = [old, new].map(|side| plugged(side.spec, side.design));
    let [old, new] =
        [(old.spec, &designs[0]), (new.spec, &designs[1])].map(|(spec, design)| SpecWiring { spec, design });
    let (old_ports, new_ports) = (old.ports(), new.ports());
    let (old_cables, new_cables) = (old.cables(), new.cables());
    let mut common = common(old, new);
    // A direct cable that stays comes before two that keep one end each.
    for (_, ends) in common.iter_mut().filter(|((a, _), ends)| old_cables[*a as usize] && **ends == 2) {
        *ends = 3;
    }
    let rails = old.spec.switches_per_plane().zip(new.spec.switches_per_plane());
    let plane_stays = |a: u32, b: u32| rails.is_none_or(|(old, new)| a / old == b / new);
    let fits = |a: u32, b: u32| {
        let is_alike = old_cables[a as usize] == new_cables[b as usize];
        is_alike && old_ports[a as usize] >= new_ports[b as usize] && plane_stays(a, b)
    };
    let is_minimal = old_ports.len().max(new_ports.len()) <= MAX_MATCHED;
    let sizes = (old_ports.len(), new_ports.len());
    let matched = if is_minimal { best(sizes, &common, fits) } else { greedy(sizes, &common, fits) };
    let mut becomes: Vec<Option<u32>> = matched;
    for (a, place) in (0..).zip(&mut becomes).filter(|(a, _)| old_cables[*a as usize]) {
        *place = place.filter(|&b| common.contains_key(&(a, b)));
    }
    let taken: BTreeSet<u32> = becomes.iter().flatten().copied().collect();
    let bought = (0..sizes.1 as u32)
        .filter(|&switch| !taken.contains(&switch) && !new.design.members(switch).is_empty());
    becomes.extend(bought.map(Some));
    for place in &mut becomes {
        *place = place.filter(|&switch| !new.design.members(switch).is_empty());
    }
    let mut ports = old_ports;
    ports.extend(becomes[sizes.0..].iter().flatten().map(|&switch| new_ports[switch as usize]));
    let bought = becomes[sizes.0..].iter().flatten().map(|&switch| new_cables[switch as usize]);
    let direct: Vec<bool> = old_cables.iter().copied().chain(bought).collect();
    let mut changes = Changes::of(old, new, &becomes, &direct);
    let cables = CableChanges::take(old, &mut changes.list, &direct);
    let cables_stay =
        becomes.iter().zip(&old_cables).filter(|(place, is_cable)| **is_cable && place.is_some());
    let replaced = (cables.added.len() as u64, cables.removed.len() as u64);
    let cables_moved = cables.moved.len() as u64;
    let pes = old.design.pes().max(new.design.pes());
    Recabling {
        kept: changes.kept + cables_stay.count() as u64 - cables_moved,
        moved: changes.count(|change| change.from.is_some() && change.to.is_some()) + cables_moved,
        added: changes.count(|change| change.from.is_none()) + replaced.0,
        removed: changes.count(|change| change.to.is_none()) + replaced.1,
        steps: Work::new(old.design, &ports, changes.list).steps(cables.steps()),
        old_switches: sizes.0 as u32,
        is_minimal,
        names: Names::sized(old.spec, pes, becomes.len() as u32),
        new_names: Names::of(new.spec, new.design),
        becomes,
        direct,
        replaced,
    }
}

/// Number of cables that can stay for each pair of an old and a new switch, where there are any.
fn common(old: SpecWiring<'_>, new: SpecWiring<'_>) -> HashMap<(u32, u32), u64> {
    let (before, after) = (old.design.nis(), new.design.nis());
    let mut common = HashMap::new();
    for pe in 0..old.design.pes().min(new.design.pes()) {
        check();
        for (from, a) in old.nics(&before, pe) {
            for (to, b) in new.nics(&after, pe) {
                if !new.spec.rail || from == to {
                    *common.entry((a, b)).or_default() += 1;
                }
            }
        }
    }
    common
}

/// The matching with most common cables; among those, one that reuses most switches and renumbers fewest.
fn best(
    (olds, news): (usize, usize),
    common: &HashMap<(u32, u32), u64>,
    fits: impl Fn(u32, u32) -> bool,
) -> Vec<Option<u32>> {
    let side = olds.max(news);
    if side == 0 {
        return Vec::new();
    }
    let may = |row: usize, column: usize| row < olds && column < news && fits(row as u32, column as u32);
    let weights = Matrix::from_fn(side, side, |(row, column)| {
        if !may(row, column) {
            return 0;
        }
        let cables = common.get(&(row as u32, column as u32)).copied().unwrap_or(0);
        cables as i64 * 4 * side as i64 + 2 + i64::from(row == column)
    });
    let (_, chosen) = kuhn_munkres(&weights);
    let of = |(row, column): (usize, usize)| may(row, column).then_some(column as u32);
    chosen.into_iter().enumerate().take(olds).map(of).collect()
}

/// A matching by common cables, most first; then the rest in order.
fn greedy(
    (olds, news): (usize, usize),
    common: &HashMap<(u32, u32), u64>,
    fits: impl Fn(u32, u32) -> bool,
) -> Vec<Option<u32>> {
    let mut pairs: Vec<_> = common.iter().map(|(&(a, b), &cables)| (cables, a, b)).collect();
    pairs.sort_unstable_by_key(|&(cables, a, b)| (std::cmp::Reverse(cables), a != b, a, b));
    let mut matched = vec![None; olds];
    let mut free: BTreeSet<u32> = (0..news as u32).collect();
    for (_, a, b) in pairs {
        if matched[a as usize].is_none() && fits(a, b) && free.remove(&b) {
            matched[a as usize] = Some(b);
        }
    }
    for (a, place) in (0..).zip(&mut matched).filter(|(_, place)| place.is_none()) {
        *place = free.iter().copied().find(|&b| fits(a, b)).inspect(|b| {
            free.remove(b);
        });
    }
    matched
}

/// A NIC whose cable changes, between old switch numbers.
#[derive(Clone, Copy)]
struct Change {
    pe: u32,
    ni: u32,
    from: Option<u32>,
    to: Option<u32>,
}

struct Changes<'a> {
    list: Vec<Change>,
    /// Cables to switches that stay.
    kept: u64,
    /// `true` for each switch that is a direct cable.
    direct: &'a [bool],
}

impl Changes<'_> {
    /// By node. If the new spec has rails, each NIC goes to its new switch; otherwise cables take any that is free.
    fn of<'d>(
        old: SpecWiring<'_>,
        new: SpecWiring<'_>,
        becomes: &[Option<u32>],
        direct: &'d [bool],
    ) -> Changes<'d> {
        let mut now = vec![0; new.design.switch_count() as usize];
        for (switch, target) in (0..).zip(becomes) {
            if let Some(target) = target {
                now[*target as usize] = switch;
            }
        }
        let (before, after) = (old.design.nis(), new.design.nis());
        let mut changes = Changes { list: Vec::new(), kept: 0, direct };
        for pe in 0..old.design.pes().max(new.design.pes()) {
            let was: BTreeMap<u32, u32> = old.nics(&before, pe).collect();
            let is: BTreeMap<u32, u32> =
                new.nics(&after, pe).map(|(ni, switch)| (ni, now[switch as usize])).collect();
            if new.spec.rail { changes.by_nic(pe, &was, &is) } else { changes.by_switch(pe, &was, &is) }
        }
        changes
    }

    /// The changes of a node whose every NIC has its switch.
    fn by_nic(&mut self, pe: u32, was: &BTreeMap<u32, u32>, is: &BTreeMap<u32, u32>) {
        let nics: BTreeSet<u32> = was.keys().chain(is.keys()).copied().collect();
        for ni in nics {
            match (was.get(&ni).copied(), is.get(&ni).copied()) {
                (from, to) if from == to => self.keep(from),
                (from, to) => self.list.push(Change { pe, ni, from, to }),
            }
        }
    }

    /// The changes of a node whose switches may be on any NIC.
    fn by_switch(&mut self, pe: u32, was: &BTreeMap<u32, u32>, is: &BTreeMap<u32, u32>) {
        let (old, new): (BTreeSet<u32>, BTreeSet<u32>) =
            (was.values().copied().collect(), is.values().copied().collect());
        let is_direct = |switch: u32| self.direct[switch as usize];
        let mut cables = new.difference(&old).copied().filter(|&switch| is_direct(switch));
        let mut switches = new.difference(&old).copied().filter(|&switch| !is_direct(switch));
        let (mut kept, first) = (0, self.list.len());
        let mut list = std::mem::take(&mut self.list);
        for (&ni, &from) in was {
            if new.contains(&from) {
                kept += u64::from(!is_direct(from));
            } else {
                let to = if is_direct(from) { cables.next() } else { switches.next() };
                list.push(Change { pe, ni, from: Some(from), to });
            }
        }
        let mut come = switches.chain(cables);
        for change in list[first..].iter_mut().filter(|change| change.to.is_none()) {
            change.to = come.next();
        }
        let free = (0..).filter(|ni| !was.contains_key(ni));
        list.extend(free.zip(come).map(|(ni, to)| Change { pe, ni, from: None, to: Some(to) }));
        (self.list, self.kept) = (list, self.kept + kept);
    }

    /// Counts a cable that stays; direct cables are counted once, later.
    fn keep(&mut self, switch: Option<u32>) {
        self.kept += u64::from(switch.is_some_and(|switch| !self.direct[switch as usize]));
    }

    fn count(&self, is_one: impl Fn(&Change) -> bool) -> u64 {
        self.list.iter().filter(|change| is_one(change)).count() as u64
    }
}

/// Node and NIC.
type End = (u32, u32);

/// A direct cable with one end that moves.
#[derive(Clone, Copy)]
struct CableMove {
    stays: End,
    from: End,
    to: End,
}

/// The direct cables that change, each by its ends.
#[derive(Default)]
struct CableChanges {
    moved: Vec<CableMove>,
    removed: Vec<(End, End)>,
    added: Vec<(End, End)>,
}

impl CableChanges {
    /// Takes the ends of direct cables out of the list. Cables to switches that share a NIC with one are removed and added.
    fn take(old: SpecWiring<'_>, list: &mut Vec<Change>, direct: &[bool]) -> CableChanges {
        let is_direct = |switch: &u32| direct[*switch as usize];
        let mut ends: BTreeMap<u32, (Vec<End>, Vec<End>)> = BTreeMap::new();
        for change in std::mem::take(list) {
            let Change { pe, ni, from, to } = change;
            match (from.filter(is_direct), to.filter(is_direct)) {
                (None, None) => list.push(change),
                (left, joined) => {
                    if let Some(cable) = left {
                        ends.entry(cable).or_default().0.push((pe, ni));
                    }
                    if let Some(cable) = joined {
                        ends.entry(cable).or_default().1.push((pe, ni));
                    }
                    let from = from.filter(|_| left.is_none());
                    let to = to.filter(|_| joined.is_none());
                    if from.is_some() || to.is_some() {
                        list.push(Change { pe, ni, from, to });
                    }
                }
            }
        }
        let before = old.design.nis();
        let mut changes = CableChanges::default();
        for (cable, ends) in ends {
            match (&ends.0[..], &ends.1[..]) {
                (&[from], &[to]) => {
                    let stays = old.design.members(cable).iter().filter(|&&pe| pe != from.0);
                    let nic = |&pe: &u32| Some((pe, old.nics(&before, pe).find(|nic| nic.1 == cable)?.0));
                    changes.moved.extend(stays.filter_map(nic).map(|stays| CableMove { stays, from, to }));
                }
                (left, joined) => {
                    changes.removed.extend(left.chunks_exact(2).map(|ends| (ends[0], ends[1])));
                    changes.added.extend(joined.chunks_exact(2).map(|ends| (ends[0], ends[1])));
                }
            }
        }
        changes
    }

    /// All steps: cables to remove, then ends that move, then new cables. Each NIC is free when a cable comes.
    fn steps(self) -> Vec<Step> {
        let step = |action, (pe, ni): End, from, to| Step { action, pe, ni, from, to, is_direct: true };
        let mut steps: Vec<Step> =
            self.removed.iter().map(|&(near, far)| step(Action::Remove, near, Some(far), None)).collect();
        let leaves: HashMap<End, usize> = (0..).zip(&self.moved).map(|(at, one)| (one.from, at)).collect();
        let mut is_done = vec![false; self.moved.len()];
        for first in 0..self.moved.len() {
            // Each of these cables waits for the NIC that the next one leaves.
            let (mut chain, mut next) = (Vec::new(), Some(first));
            while let Some(at) = next.filter(|&at| !is_done[at]) {
                is_done[at] = true;
                chain.push(self.moved[at]);
                next = leaves.get(&self.moved[at].to).copied();
            }
            // The last one waits for the first.
            let is_circle = next == Some(first) && !chain.is_empty();
            if is_circle {
                steps.push(step(Action::Loosen, chain[0].stays, Some(chain[0].from), None));
            }
            for (at, one) in chain.into_iter().enumerate().rev() {
                let to = Some(one.to);
                steps.push(match is_circle && at == 0 {
                    true => step(Action::Plug, one.stays, None, to),
                    false => step(Action::Move, one.stays, Some(one.from), to),
                });
            }
        }
        steps.extend(self.added.iter().map(|&(near, far)| step(Action::Add, near, None, Some(far))));
        steps
    }
}

/// The switches during the work.
struct Work {
    changes: Vec<Change>,
    /// Free ports of each switch.
    free: Vec<BTreeSet<u32>>,
    /// Port that each change starts from.
    port: Vec<u32>,
    /// Changes that wait for a port of each switch, in order.
    coming: Vec<VecDeque<usize>>,
    /// Changes that leave each switch, in order.
    going: Vec<VecDeque<usize>>,
    /// Switches that cables wait for.
    waiting: BTreeSet<usize>,
    /// Switches of `waiting` that have a free port.
    ready: BTreeSet<usize>,
    /// `true` for a cable whose old end is unplugged.
    is_out: Vec<bool>,
    steps: Vec<Step>,
}

impl Work {
    fn new(old: &Design, ports: &[u32], changes: Vec<Change>) -> Work {
        let used = |switch: usize| {
            if switch < old.switch_count() as usize { old.members(switch as u32).len() as u32 } else { 0 }
        };
        let free: Vec<BTreeSet<u32>> =
            ports.iter().enumerate().map(|(switch, &all)| (used(switch) + 1..=all).collect()).collect();
        let port = |change: &Change| {
            let from = change.from.map(|from| old.members(from).binary_search(&change.pe));
            from.map_or(0, |at| at.map_or(0, |at| at as u32 + 1))
        };
        let port = changes.iter().map(port).collect();
        let (mut coming, mut going) =
            (vec![VecDeque::new(); ports.len()], vec![VecDeque::new(); ports.len()]);
        for (number, change) in changes.iter().enumerate() {
            if let Some(to) = change.to {
                coming[to as usize].push_back(number);
            }
            if let Some(from) = change.from {
                going[from as usize].push_back(number);
            }
        }
        let is_out = vec![false; changes.len()];
        let waiting: BTreeSet<usize> =
            (0..ports.len()).filter(|&switch| !coming[switch].is_empty()).collect();
        let ready = waiting.iter().copied().filter(|&switch| !free[switch].is_empty()).collect();
        Work { changes, free, port, coming, going, waiting, ready, is_out, steps: Vec::new() }
    }

    /// All steps: cables to remove first, then direct cables, then switch by switch.
    fn steps(mut self, direct: Vec<Step>) -> Vec<Step> {
        for number in 0..self.changes.len() {
            if self.changes[number].to.is_none() {
                self.unplug(number, Action::Remove);
            }
        }
        self.steps.extend(direct);
        let mut at = 0;
        while let Some(switch) = self.next_ready(at) {
            check();
            while let Some(&port) = self.free[switch].first()
                && let Some(number) = self.coming[switch].pop_front()
            {
                self.plug(number, port);
            }
            self.ready.remove(&switch);
            if self.coming[switch].is_empty() {
                self.waiting.remove(&switch);
            }
            at = switch + 1;
        }
        self.steps
    }

    /// The next switch with a free port and a cable that waits for it. Where there is none, one cable is loosened.
    fn next_ready(&mut self, at: usize) -> Option<usize> {
        let next = self.ready.range(at..).next().or(self.ready.first()).copied();
        if next.is_some() {
            return next;
        }
        let full = self.waiting.first().copied()?;
        // It ends with no more cables than ports, so at least one leaves.
        while let Some(number) = self.going[full].pop_front() {
            if !self.is_out[number] {
                self.unplug(number, Action::Loosen);
                return Some(full);
            }
        }
        None
    }

    fn unplug(&mut self, number: usize, action: Action) {
        let Change { pe, ni, from, .. } = self.changes[number];
        let from = from.map(|from| (from, self.port[number]));
        self.steps.push(Step { action, pe, ni, from, to: None, is_direct: false });
        self.release(number);
    }

    fn plug(&mut self, number: usize, port: u32) {
        let Change { pe, ni, from, to } = self.changes[number];
        self.free[to.map_or(0, |to| to as usize)].remove(&port);
        let (action, from) = match from {
            None => (Action::Add, None),
            Some(_) if self.is_out[number] => (Action::Plug, None),
            Some(from) => (Action::Move, Some((from, self.port[number]))),
        };
        self.steps.push(Step { action, pe, ni, from, to: to.map(|to| (to, port)), is_direct: false });
        self.release(number);
    }

    /// Frees the port that a cable leaves, once.
    fn release(&mut self, number: usize) {
        if let Some(from) = self.changes[number].from
            && !std::mem::replace(&mut self.is_out[number], true)
        {
            let from = from as usize;
            self.free[from].insert(self.port[number]);
            if self.waiting.contains(&from) {
                self.ready.insert(from);
            }
        }
    }
}

impl Recabling {
    /// The name of a switch: its old one, marked if it is to be bought.
    fn switch(&self, switch: u32) -> String {
        let new = if switch >= self.old_switches { " (new)" } else { "" };
        format!("{}{new}", self.names.switch(switch))
    }

    /// Such as `12 cables move, 3 are added, 0 are removed, 369 stay.`
    pub fn words(&self) -> String {
        let [moved, added, removed, kept] = [self.moved, self.added, self.removed, self.kept].map(grouped);
        format!("Cables: {moved} to move, {added} to add, {removed} to remove, {kept} stay.")
    }

    /// Switches and direct cables whose number changes, with both. New cables have no old number.
    fn relabelled(&self) -> impl Iterator<Item = (u32, u32)> {
        let changed = |(old, new): (u32, &Option<u32>)| new.filter(|&new| new != old).map(|new| (old, new));
        let all = (0..).zip(&self.becomes).filter_map(changed);
        all.filter(|&(old, _)| old < self.old_switches || !self.is_direct(old))
    }

    fn is_direct(&self, switch: u32) -> bool {
        self.direct[switch as usize]
    }

    /// How cables move, in sentences.
    fn rules(&self) -> String {
        let has = |is_direct| self.direct.contains(&is_direct);
        let mut rules = Vec::new();
        if has(false) || !has(true) {
            rules.push(
                "Cables stay in their NICs; only the end at the switch moves. Ports count from 1.".into(),
            );
        }
        if has(true) {
            rules.push("A direct cable stays in the NIC named first; only its other end moves.".into());
        }
        let (added, removed) = self.replaced;
        if added > 0 && removed > 0 {
            rules.push(format!(
                "Removed direct cables can serve as new ones if they are long enough: {} to make, {} left over.",
                grouped(added.saturating_sub(removed)),
                grouped(removed.saturating_sub(added))
            ));
        }
        rules.join("\n")
    }

    /// The list as plain text, with a box for each step.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.words());
        if !self.is_minimal {
            text += "With more than 400 switches, there may be a shorter list.\n";
        }
        let _ = writeln!(text, "{}", self.rules());
        let bought = (self.old_switches..self.becomes.len() as u32).filter(|&switch| !self.is_direct(switch));
        let bought: Vec<String> = bought.map(|switch| self.switch(switch)).collect();
        if !bought.is_empty() {
            let _ = writeln!(text, "Install first: {}.", bought.join(", "));
        }
        if !self.steps.is_empty() {
            text.push('\n');
        }
        let digits = self.steps.len().to_string().len();
        for (number, step) in (1..).zip(&self.steps) {
            let end = |(far, number): (u32, u32)| match step.is_direct {
                true => format!("{} NIC{number}", self.names.pe(far)),
                false => format!("{} port {number}", self.switch(far)),
            };
            let (from, to) = (step.from.map(end).unwrap_or_default(), step.to.map(end).unwrap_or_default());
            let work = match step.action {
                Action::Move => format!("unplug from {from}, plug into {to}"),
                Action::Loosen => format!("unplug from {from}, leave it loose"),
                Action::Plug => format!("plug the loose end into {to}"),
                Action::Remove => format!("unplug from {from}, remove the cable"),
                Action::Add => format!("new cable, plug into {to}"),
            };
            let _ = writeln!(text, "{number:digits$} [ ] {} NIC{}: {work}", self.names.pe(step.pe), step.ni);
        }
        let noun = match (
            self.relabelled().any(|(old, _)| self.is_direct(old)),
            self.relabelled().all(|(old, _)| self.is_direct(old)),
        ) {
            (false, _) => "switches",
            (true, false) => "switches and direct cables",
            (true, true) => "direct cables",
        };
        let mut heading = &*format!("\nThen relabel {noun}, old number to new:\n");
        for (old, new) in self.relabelled() {
            let _ =
                writeln!(text, "{heading}[ ] {} becomes {}", self.switch(old), self.new_names.switch(new));
            heading = "";
        }
        text
    }

    /// The list as CSV.
    pub fn csv(&self) -> String {
        let mut text = String::from(
            "step,action,pe,ni,from_switch,from_port,to_switch,to_port,to_switch_becomes,done\n",
        );
        for (number, step) in (1..).zip(&self.steps) {
            let pair = |end: Option<(u32, u32)>| match end {
                None => ",".into(),
                Some((node, nic)) if step.is_direct => format!("{},NIC{nic}", self.names.pe(node)),
                Some((switch, port)) => format!("{},{port}", self.names.switch(switch)),
            };
            let to_switch = step.to.filter(|_| !step.is_direct);
            let becomes = to_switch.and_then(|(switch, _)| self.becomes[switch as usize]);
            let becomes = becomes.map(|new| self.new_names.switch(new)).unwrap_or_default();
            let (action, pe, ni) = (step.action.name(), self.names.pe(step.pe), step.ni);
            let _ = writeln!(
                text,
                "{number},{action},{pe},{ni},{},{},{becomes},",
                pair(step.from),
                pair(step.to)
            );
        }
        text
    }
}
