//! PEs that are to meet and cannot, for where they may be.
//!
//! PEs with the same placements form a class, so that a question about two PEs is answered once for their classes.

use super::{Conflict, distinct, group_of, on_switches, placed::Placed};
use crate::{
    demand::Demand,
    spec::{Fault, Faults, Spec},
};
use std::collections::{BTreeMap, BTreeSet};

/// Most switches that are looked at for one kind of conflict; what is left then is not proved.
const MOST_WORK: usize = 1 << 26;

/// Switches that PEs may be on.
enum Allowed {
    /// These.
    Only(Vec<u32>),
    /// All but these.
    Except(Vec<u32>),
}

struct Classes {
    /// The class of every PE; 0 for those that may be anywhere.
    of: Vec<u32>,
    allowed: Vec<Allowed>,
    /// The placements that make each class.
    placements: Vec<BTreeSet<usize>>,
    /// Links that PEs of a class can have, by their NIs and the switches they must be on.
    reach: BTreeMap<(u32, u32, Vec<u32>), u64>,
    work: usize,
}

pub(super) fn conflicts(placed: &Placed<'_>, demand: &Demand) -> Vec<Conflict> {
    let mut classes = Classes::of(placed);
    let mut conflicts = out_of_reach(placed, demand, &mut classes);
    classes.work = MOST_WORK;
    conflicts.extend(apart(placed, demand, &mut classes));
    conflicts
}

impl Classes {
    fn of(placed: &Placed<'_>) -> Classes {
        let mut classes = Classes {
            of: vec![0; placed.nis.len()],
            allowed: vec![Allowed::Except(Vec::new())],
            placements: vec![BTreeSet::new()],
            reach: BTreeMap::new(),
            work: MOST_WORK,
        };
        let mut known: BTreeMap<(Vec<usize>, Vec<u32>), u32> = BTreeMap::new();
        let restricted = placed.on.iter().map(|p| p.pe).chain(placed.off.iter().map(|o| o.0));
        for pe in distinct(restricted) {
            let (off, on): (Vec<usize>, _) = (placed.off_of(pe).collect(), placed.on_of(pe));
            let full = distinct(on.iter().map(|p| p.switch));
            let full = if full.len() < placed.nis[pe as usize] as usize { Vec::new() } else { full };
            if off.is_empty() && full.is_empty() {
                continue;
            }
            let key = (off, full);
            if let Some(&class) = known.get(&key) {
                classes.of[pe as usize] = class;
                continue;
            }
            let size = key.0.iter().map(|&i| placed.spec.placements[i].switches.len()).sum::<usize>();
            let Some(left) = classes.work.checked_sub(size + key.1.len()) else { break };
            classes.work = left;
            let class = classes.allowed.len() as u32;
            let because = if key.1.is_empty() {
                key.0.iter().copied().collect()
            } else {
                on.iter().map(|p| p.placement).collect()
            };
            classes.allowed.push(allowed(placed, &key));
            classes.placements.push(because);
            classes.of[pe as usize] = class;
            known.insert(key, class);
        }
        classes
    }

    /// The switches that may hold PEs of both classes, of so many; `None` if it takes too long to tell.
    fn common(&mut self, a: u32, b: u32, switches: usize) -> Option<usize> {
        let (a, b) = (&self.allowed[a as usize], &self.allowed[b as usize]);
        self.work = self.work.checked_sub(a.size() + b.size() + 1)?;
        Some(match (a, b) {
            (Allowed::Only(a), Allowed::Only(b)) => both(a, b),
            (Allowed::Only(only), Allowed::Except(except))
            | (Allowed::Except(except), Allowed::Only(only)) => only.len() - both(only, except),
            (Allowed::Except(a), Allowed::Except(b)) => switches - (a.len() + b.len() - both(a, b)),
        })
    }
}

impl Allowed {
    fn size(&self) -> usize {
        match self {
            Allowed::Only(switches) | Allowed::Except(switches) => switches.len(),
        }
    }

    fn has(&self, switch: u32) -> bool {
        match self {
            Allowed::Only(switches) => switches.binary_search(&switch).is_ok(),
            Allowed::Except(switches) => switches.binary_search(&switch).is_err(),
        }
    }
}

/// Where PEs may be that must not be on the switches of some placements, and whose NIs are all taken if switches are named.
fn allowed(placed: &Placed<'_>, (off, full): &(Vec<usize>, Vec<u32>)) -> Allowed {
    if !full.is_empty() {
        return Allowed::Only(full.clone());
    }
    let mut switches: Vec<u32> =
        off.iter().flat_map(|&i| placed.spec.placements[i].switches.iter().copied()).collect();
    switches.retain(|&switch| (switch as usize) < placed.usable.len());
    switches.sort_unstable();
    switches.dedup();
    Allowed::Except(switches)
}

/// How many numbers two ascending lists share.
fn both(a: &[u32], b: &[u32]) -> usize {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    short.iter().filter(|number| long.binary_search(number).is_ok()).count()
}

/// PEs that cannot have as many links as their pairs want on the switches they may be on, though they could anywhere.
fn out_of_reach(placed: &Placed<'_>, demand: &Demand, classes: &mut Classes) -> Vec<Conflict> {
    let mut links = vec![0u64; placed.nis.len()];
    for (index, (a, b)) in demand.pairs().enumerate() {
        links[a as usize] += u64::from(demand.links(index));
        links[b as usize] += u64::from(demand.links(index));
    }
    let mut widest: Vec<u32> = (0..placed.usable.len() as u32).collect();
    widest.sort_unstable_by_key(|&s| std::cmp::Reverse(placed.usable[s as usize]));
    let mut found: BTreeMap<BTreeSet<usize>, (u32, u64)> = BTreeMap::new();
    let restricted = placed.on.iter().map(|p| p.pe).chain(placed.off.iter().map(|o| o.0));
    for pe in distinct(restricted) {
        let wanted = links[pe as usize];
        let Some(reach) = reach(placed, classes, pe, &widest) else { break };
        if wanted <= reach || wanted > reach_anywhere(placed, pe, &widest) {
            continue;
        }
        let mut because: BTreeSet<usize> = placed.on_of(pe).iter().map(|p| p.placement).collect();
        because.extend(placed.off_of(pe));
        found.entry(because).or_insert((pe, reach));
    }
    let conflict = |(placements, (pe, reach)): (BTreeSet<usize>, (u32, u64))| {
        let (wanted, has) = (links[pe as usize], placed.nis[pe as usize]);
        let expected = format!("switches on which the {has} NIs of PE {pe} reach {wanted} others");
        let mut faults = on_switches(placed.spec, &placements, &expected);
        let path = super::super::nis_path(placed.spec, group_of(placed.spec, pe));
        faults.push(Fault::new(path, has, "more, or fewer patterns"));
        let leave = if placements.len() == 1 { "leaves" } else { "leave" };
        let reaches = if has == 1 { "NI reaches" } else { "NIs reach" };
        let proof = format!(
            "PE {pe} wants {wanted} links to others, and on the switches that {} {leave} it its {has} {reaches} at most {reach}.",
            super::named(&placements)
        );
        (faults, proof)
    };
    found.into_iter().take(Faults::MOST).map(conflict).collect()
}

/// Links that a PE can have where it may be; `None` if it takes too long to tell.
fn reach(placed: &Placed<'_>, classes: &mut Classes, pe: u32, widest: &[u32]) -> Option<u64> {
    let on = distinct(placed.on_of(pe).iter().map(|p| p.switch));
    let (class, nis) = (classes.of[pe as usize], placed.nis[pe as usize]);
    let key = (class, nis, on);
    if let Some(&reach) = classes.reach.get(&key) {
        return Some(reach);
    }
    let (on, allowed) = (&key.2, &classes.allowed[class as usize]);
    let mut free = (nis as usize).saturating_sub(on.len());
    let mut reach = on.iter().map(|&switch| others(placed, switch)).sum();
    for &switch in widest {
        if free == 0 {
            break;
        }
        classes.work = classes.work.checked_sub(1)?;
        if allowed.has(switch) && on.binary_search(&switch).is_err() {
            reach += others(placed, switch);
            free -= 1;
        }
    }
    classes.reach.insert(key, reach);
    Some(reach)
}

fn reach_anywhere(placed: &Placed<'_>, pe: u32, widest: &[u32]) -> u64 {
    widest.iter().take(placed.nis[pe as usize] as usize).map(|&switch| others(placed, switch)).sum()
}

/// The others that a switch brings one PE together with, at most.
fn others(placed: &Placed<'_>, switch: u32) -> u64 {
    u64::from(placed.usable[switch as usize].min(placed.spec.pes).saturating_sub(1))
}

/// Pairs that may share fewer switches than they want; one of each two classes.
fn apart(placed: &Placed<'_>, demand: &Demand, classes: &mut Classes) -> Vec<Conflict> {
    let mut common: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    let mut told = BTreeSet::new();
    let mut conflicts = Vec::new();
    for (index, (a, b)) in demand.pairs().enumerate() {
        let (of_a, of_b) = (classes.of[a as usize], classes.of[b as usize]);
        let (key, wanted) = ((of_a.min(of_b), of_a.max(of_b)), demand.links(index) as usize);
        if key == (0, 0) || wanted > placed.usable.len() {
            continue;
        }
        let may = match common.get(&key) {
            Some(&may) => may,
            None => {
                let Some(may) = classes.common(key.0, key.1, placed.usable.len()) else { break };
                common.insert(key, may);
                may
            }
        };
        if may < wanted && told.insert(key) {
            conflicts.push(parted(placed, demand, classes, index, may));
            if conflicts.len() == Faults::MOST {
                break;
            }
        }
    }
    conflicts
}

/// The conflict of a pair that may share too few switches.
fn parted(placed: &Placed<'_>, demand: &Demand, classes: &Classes, index: usize, may: usize) -> Conflict {
    let (spec, (a, b), wanted) = (placed.spec, demand.pair(index), demand.links(index));
    let of = |pe: u32| &classes.placements[classes.of[pe as usize] as usize];
    let placements: BTreeSet<usize> = of(a).union(of(b)).copied().collect();
    let mut faults =
        on_switches(spec, &placements, &format!("switches that leave {wanted} for both PE {a} and PE {b}"));
    let (fault, asking) = asking(spec, demand, index);
    faults.push(fault);
    let links = if wanted == 1 { "a shared switch".into() } else { format!("{wanted} shared switches") };
    let left = match may {
        0 => "no switch may hold both".to_string(),
        1 => "only one switch may hold both".into(),
        _ => format!("only {may} switches may hold both"),
    };
    let named = super::named(&placements);
    (faults, format!("PEs {a} and {b} want {links} by {asking}, and by {named} {left}."))
}

/// What asks for a pair: the field, and its name in a sentence.
pub(super) fn asking(spec: &Spec, demand: &Demand, index: usize) -> (Fault, String) {
    let ((a, b), wanted) = (demand.pair(index), demand.links(index));
    let asks = |&p: &usize| demand.patterns_of(index) >> p & 1 == 1 && spec.patterns[p].links >= wanted;
    if let Some(p) = (0..spec.patterns.len()).find(asks) {
        let expected = format!("a pattern that does not ask for PEs {a} and {b}");
        return (
            Fault::new(format!("pattern[{p}]"), spec.patterns[p].kind.name(), expected),
            format!("pattern[{p}]"),
        );
    }
    let expected = "`sparse`, with patterns that leave the pair out";
    (Fault::new("objective", "universal", expected), "the universal objective".into())
}
