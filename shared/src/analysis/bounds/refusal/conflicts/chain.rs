//! A contradiction among the places of PEs, in words: the placements behind it and the steps that lead to it.

use super::{
    Conflict, group_of, named, place_fault, port_faults,
    room::{Clash, Room, Step},
    together::asking,
};
use crate::{spec::Fault, text::ranges, text::shorten};
use std::collections::{BTreeMap, BTreeSet};

/// Most steps that are told one by one.
const MOST_TOLD: usize = 4;

/// The conflict behind a contradiction. `None` if no placement has part in it, so that it is the hardware's alone.
pub(super) fn conflict(room: &Room<'_>, clash: &Clash) -> Option<Conflict> {
    let mut chain = Chain {
        room,
        forced: forced(room),
        placements: BTreeSet::new(),
        steps: BTreeSet::new(),
        open: Vec::new(),
    };
    let now = room.steps.len();
    match clash {
        Clash::Crowded { switch, pes } => pes.iter().for_each(|&pe| chain.held(pe, *switch, now)),
        Clash::Busy { pe, switches } => switches.iter().for_each(|&switch| chain.held(*pe, switch, now)),
        Clash::Apart { pair, switches } => chain.apart(*pair, switches, now),
    }
    while let Some(step) = chain.open.pop() {
        chain.follow(step);
    }
    (!chain.placements.is_empty()).then(|| chain.told(clash))
}

/// The first step that forces a PE onto a switch.
fn forced(room: &Room<'_>) -> BTreeMap<(u32, u32), usize> {
    let mut forced = BTreeMap::new();
    for (index, step) in room.steps.iter().enumerate() {
        let Step::Forced { pair, switches } = step else { continue };
        let (a, b) = room.demand.pair(*pair);
        for &switch in switches {
            forced.entry((a, switch)).or_insert(index);
            forced.entry((b, switch)).or_insert(index);
        }
    }
    forced
}

struct Chain<'a> {
    room: &'a Room<'a>,
    /// The first step that forces a PE onto a switch.
    forced: BTreeMap<(u32, u32), usize>,
    placements: BTreeSet<usize>,
    steps: BTreeSet<usize>,
    /// Steps whose own reasons are not looked for yet.
    open: Vec<usize>,
}

impl Chain<'_> {
    fn need(&mut self, step: usize) {
        if self.steps.insert(step) {
            self.open.push(step);
        }
    }

    fn follow(&mut self, index: usize) {
        let room = self.room;
        match &room.steps[index] {
            Step::Full { switch, pes } => pes.iter().for_each(|&pe| self.held(pe, *switch, index)),
            Step::Taken { pe, switches } => switches.iter().for_each(|&s| self.held(*pe, s, index)),
            Step::Forced { pair, switches } => self.apart(*pair, switches, index),
        }
    }

    /// Why a PE must be on a switch, by what came before a step.
    fn held(&mut self, pe: u32, switch: u32, before: usize) {
        let room = self.room;
        if let Some(place) = room.placed.on_of(pe).iter().find(|place| place.switch == switch) {
            self.placements.insert(place.placement);
            return;
        }
        if let Some(&step) = self.forced.get(&(pe, switch)).filter(|&&step| step < before) {
            self.need(step);
        }
    }

    /// Why a pair may share no other switches than these.
    fn apart(&mut self, pair: usize, switches: &[u32], before: usize) {
        let room = self.room;
        let (a, b) = room.demand.pair(pair);
        for switch in (0..room.held.len() as u32).filter(|switch| !switches.contains(switch)) {
            let off = |pe: u32| room.placed.off_of(pe).find(|&off| room.placed.names(off, switch));
            if let Some(placement) = off(a).or_else(|| off(b)) {
                self.placements.insert(placement);
                continue;
            }
            let barred = |pe: u32| {
                let full = room.full[switch as usize].filter(|_| !room.must.has(pe, switch));
                let taken = room.taken[pe as usize];
                [full, taken].into_iter().flatten().filter(|&step| step < before).min()
            };
            let shut = |pe: u32| barred(pe).filter(|_| !room.may.has(pe, switch));
            if let Some(step) = [shut(a), shut(b)].into_iter().flatten().min() {
                self.need(step);
            }
        }
    }

    fn told(&self, clash: &Clash) -> Conflict {
        let (room, spec) = (self.room, self.room.placed.spec);
        let steps: Vec<&Step> = self.steps.iter().map(|&step| &room.steps[step]).collect();
        let mut told: Vec<String> = steps.iter().take(MOST_TOLD).map(|step| self.step(step)).collect();
        if steps.len() > MOST_TOLD {
            told.push(format!("and so on in {} more steps", steps.len() - MOST_TOLD));
        }
        let then = if told.is_empty() { String::new() } else { format!("{}; so ", told.join("; ")) };
        let (end, expected, mut last) = self.end(clash);
        let mut faults: Vec<Fault> =
            self.placements.iter().map(|&i| place_fault(spec, i, &expected)).collect();
        for step in steps.iter().take(MOST_TOLD) {
            if let Step::Full { switch, pes } = step {
                last.extend(port_faults(spec, *switch, pes.len() as u32 + 1));
            }
        }
        for fault in last {
            if faults.iter().all(|known| known.path != fault.path) {
                faults.push(fault);
            }
        }
        (faults, format!("By {}: {then}{end}.", named(&self.placements)))
    }

    fn step(&self, step: &Step) -> String {
        match step {
            Step::Full { switch, pes } if pes.is_empty() => format!("switch {switch} has no port for a PE"),
            Step::Full { switch, pes } => format!("switch {switch} is full with {}", pes_named(pes)),
            Step::Taken { pe, switches } => {
                format!("PE {pe} has no NI left for others than {}", switches_named(switches))
            }
            Step::Forced { pair, switches } => {
                let (a, b) = self.room.demand.pair(*pair);
                format!("PEs {a} and {b}, which are to meet, can do so on {} alone", switches_named(switches))
            }
        }
    }

    /// What cannot be; what the placements should do instead; the other fields that have part in it.
    fn end(&self, clash: &Clash) -> (String, String, Vec<Fault>) {
        let (room, spec) = (self.room, self.room.placed.spec);
        match clash {
            Clash::Crowded { switch, pes } => {
                let usable = room.placed.usable[*switch as usize];
                let end = format!(
                    "{} must be on switch {switch}, {} of them, and {usable} of its ports may be used",
                    pes_named(pes),
                    pes.len()
                );
                let expected = format!("places that ask for at most {usable} PEs on switch {switch}");
                (end, expected, port_faults(spec, *switch, pes.len() as u32))
            }
            Clash::Busy { pe, switches } => {
                let has = room.placed.nis[*pe as usize];
                let end = format!("PE {pe} must be on {}, and it has {has} NIs", switches_named(switches));
                let expected = format!("places that ask PE {pe} to be on at most {has} switches");
                let path = super::super::nis_path(spec, group_of(spec, *pe));
                (end, expected, vec![Fault::new(path, has, format!("at least {}", switches.len()))])
            }
            Clash::Apart { pair, switches } => {
                let ((a, b), wanted) = (room.demand.pair(*pair), room.demand.links(*pair));
                let (fault, by) = asking(spec, room.demand, *pair);
                let links =
                    if wanted == 1 { "a shared switch" } else { &format!("{wanted} shared switches") };
                let left = match &switches[..] {
                    [] => "no switch is left that may hold both".into(),
                    some => format!("only {} may hold both", switches_named(some)),
                };
                let end = format!("PEs {a} and {b} want {links} by {by}, and {left}");
                (end, format!("places that leave PEs {a} and {b} {links}"), vec![fault])
            }
        }
    }
}

pub(super) fn pes_named(pes: &[u32]) -> String {
    let word = if pes.len() == 1 { "PE" } else { "PEs" };
    format!("{word} {}", shorten(&ranges(pes), 80, 77))
}

pub(super) fn switches_named(switches: &[u32]) -> String {
    let word = if switches.len() == 1 { "switch" } else { "switches" };
    format!("{word} {}", shorten(&ranges(switches), 80, 77))
}
