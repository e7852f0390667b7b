//! Placements that contradict each other, the NIs of PEs, the ports of switches, or the cables that may be moved. Each
//! conflict names all its fields.

use crate::{
    design::Design,
    form::says,
    sorted::by_key,
    spec::{Fault, MAX_NIS, Spec},
    text::{ranges, shorten},
};
use std::collections::{BTreeMap, BTreeSet};

/// The fields of a conflict, and its proof in one sentence.
pub type Conflict = (Vec<Fault>, String);

/// Every conflict of the placements, whatever is to be served.
pub fn conflicts(spec: &Spec) -> Vec<Conflict> {
    if spec.placements.is_empty() {
        return Vec::new();
    }
    let placed = PlacementCheck::of(spec);
    let mut conflicts = busy(&placed);
    conflicts.extend(contrary(&placed));
    conflicts.extend(crowded(&placed));
    conflicts.extend(off_rails(&placed));
    conflicts.extend(moved(&placed));
    conflicts
}

/// The distinct faults of the conflicts that [`resolve`](crate::resolve) reports beside others.
pub fn contradictions(spec: &Spec) -> Vec<Fault> {
    if spec.placements.is_empty() {
        return Vec::new();
    }
    let placed = PlacementCheck::of(spec);
    let found = [busy(&placed), contrary(&placed), crowded(&placed), off_rails(&placed)];
    let mut faults: Vec<Fault> = found.into_iter().flatten().flat_map(|(faults, _)| faults).collect();
    let mut seen = BTreeSet::new();
    faults.retain(|fault| seen.insert(fault.to_string()));
    faults
}

/// Path of the number of NIs of a PE group.
pub fn nis_path(spec: &Spec, group: usize) -> String {
    if spec.pe_groups.len() == 1 { "nics_per_node".into() } else { format!("node_group[{group}].nics") }
}

/// A PE that must be on a switch, and which placement says so.
#[derive(Clone, Copy)]
struct Requirement {
    pe: u32,
    switch: u32,
    placement: usize,
}

struct PlacementCheck<'a> {
    spec: &'a Spec,
    usable: Vec<u32>,
    nis: Vec<u32>,
    /// Required places, ascending by PE and switch.
    on: Vec<Requirement>,
    /// PEs with the placements that say where they must not be, ascending.
    off: Vec<(u32, usize)>,
}

impl<'a> PlacementCheck<'a> {
    fn of(spec: &'a Spec) -> PlacementCheck<'a> {
        let (mut on, mut off) = (Vec::new(), Vec::new());
        for (index, placement) in spec.placements.iter().enumerate() {
            if placement.on {
                let places = |&pe: &u32| {
                    let place = move |&switch: &u32| Requirement { pe, switch, placement: index };
                    placement.switches.iter().map(place)
                };
                on.extend(placement.pes.iter().flat_map(places));
            } else {
                off.extend(placement.pes.iter().map(|&pe| (pe, index)));
            }
        }
        // Placements come in order, and equal keys keep it.
        let mut on = by_key(on, |place: &Requirement| [place.pe.into(), place.switch.into()]);
        let off = by_key(off, |&(pe, _)| [pe.into(), 0]);
        let usable = spec.usable_ports();
        on.retain(|place: &Requirement| (place.switch as usize) < usable.len());
        PlacementCheck { spec, usable, nis: spec.nis_per_pe().collect(), on, off }
    }

    fn off_of(&self, pe: u32) -> impl Iterator<Item = usize> + '_ {
        let first = self.off.partition_point(|o| o.0 < pe);
        self.off[first..].iter().take_while(move |o| o.0 == pe).map(|o| o.1)
    }

    fn names(&self, placement: usize, switch: u32) -> bool {
        self.spec.placements[placement].switches.binary_search(&switch).is_ok()
    }
}

/// PEs that must be on more switches than they have NIs; one of each set of placements.
fn busy(placed: &PlacementCheck<'_>) -> Vec<Conflict> {
    let spec = placed.spec;
    let mut found: BTreeMap<BTreeSet<usize>, (u32, Vec<u32>)> = BTreeMap::new();
    for places in placed.on.chunk_by(|a, b| a.pe == b.pe) {
        let (pe, switches) = (places[0].pe, distinct(places.iter().map(|p| p.switch)));
        if switches.len() > placed.nis[pe as usize] as usize {
            found.entry(places.iter().map(|p| p.placement).collect()).or_insert((pe, switches));
        }
    }
    let conflict = |(placements, (pe, switches)): (BTreeSet<usize>, (u32, Vec<u32>))| {
        let has = placed.nis[pe as usize];
        let mut faults =
            on_switches(spec, &placements, &format!("at most {has} switches for node {pe} in all"));
        faults.push(Fault::new(
            nis_path(spec, spec.group_of(pe)),
            has,
            format!("at least {}", switches.len()),
        ));
        let proof = format!(
            "Node {pe} must be on switches {} ({}), which takes {} NICs; it has {has}.",
            ranges(&switches),
            named(&placements),
            switches.len(),
        );
        (faults, proof)
    };
    found.into_iter().map(conflict).collect()
}

/// Under `rail`, PEs that must be on two switches of one plane, or on a plane for which they have no NI; one of each set of
/// placements.
fn off_rails(placed: &PlacementCheck<'_>) -> Vec<Conflict> {
    let spec = placed.spec;
    let Some(each) = spec.switches_per_plane() else { return Vec::new() };
    let mut found: BTreeMap<BTreeSet<usize>, (u32, u32, Vec<u32>)> = BTreeMap::new();
    for places in placed.on.chunk_by(|a, b| (a.pe, a.switch / each) == (b.pe, b.switch / each)) {
        let (pe, plane) = (places[0].pe, places[0].switch / each);
        let switches = distinct(places.iter().map(|p| p.switch));
        if switches.len() > usize::from(plane < placed.nis[pe as usize]) {
            found.entry(places.iter().map(|p| p.placement).collect()).or_insert((pe, plane, switches));
        }
    }
    let conflict = |(placements, (pe, plane, switches)): (BTreeSet<usize>, (u32, u32, Vec<u32>))| {
        let most = match plane < placed.nis[pe as usize] {
            true => "at most one switch",
            false => "no switch",
        };
        let (first, end) = (plane * each, plane * each + each);
        let expected =
            format!("{most} from {first} to {} (plane {plane}) for node {pe}, or `rail = false`", end - 1);
        let faults = on_switches(spec, &placements, &expected);
        let proof = format!(
            "Node {pe} must be on switch{} {} ({}) of plane {plane}, where it may be on {}.",
            if switches.len() == 1 { "" } else { "es" },
            ranges(&switches),
            named(&placements),
            most.trim_start_matches("at most "),
        );
        (faults, proof)
    };
    found.into_iter().map(conflict).collect()
}

/// Switches that more PEs must be on than there are usable ports.
fn crowded(placed: &PlacementCheck<'_>) -> Vec<Conflict> {
    let spec = placed.spec;
    let by_switch = placed.on.iter().map(|p| (p.switch, p.pe, p.placement)).collect();
    let by_switch: Vec<(u32, u32, usize)> = by_key(by_switch, |&(switch, pe, _)| [switch.into(), pe.into()]);
    let mut conflicts = Vec::new();
    for places in by_switch.chunk_by(|a, b| a.0 == b.0) {
        let (switch, pes) = (places[0].0, distinct(places.iter().map(|p| p.1)));
        let usable = placed.usable[switch as usize];
        if pes.len() <= usable as usize {
            continue;
        }
        let placements: BTreeSet<usize> = places.iter().map(|p| p.2).collect();
        let mut faults =
            on_pes(spec, &placements, &format!("at most {usable} nodes on switch {switch} in all"));
        faults.extend(port_faults(spec, switch, pes.len() as u32));
        let proof = format!(
            "Nodes {} must be on switch {switch} ({}): {} nodes for {usable} usable ports.",
            shorten(&ranges(&pes), 80, 77),
            named(&placements),
            pes.len(),
        );
        conflicts.push((faults, proof));
    }
    conflicts
}

/// Fields that decide the usable ports of a switch.
fn port_faults(spec: &Spec, switch: u32, needed: u32) -> Vec<Fault> {
    let mut faults = Vec::new();
    if let Some(model) = spec.model_index(switch) {
        let kept = spec.ports_kept(switch).unwrap_or(0);
        let expected = match kept {
            0 => format!("at least {needed}"),
            kept => format!("at least {}, {kept} of them reserved", needed + kept),
        };
        faults.push(Fault::new(format!("switch[{model}].ports"), spec.switches[model].ports, expected));
    }
    if let Some(kept) = spec.kept.iter().find(|kept| kept.switch == switch) {
        let found = format!("{} ports of switch {switch}", kept.ports);
        let sentence = format!("keeps {found} free; keep fewer, or ports of another switch.");
        faults.push(Fault::new("keep", found, says(sentence)));
    }
    if spec.uplink_switch() == Some(switch) {
        faults.push(Fault::new(
            "uplink.kind",
            "folded",
            says("leaves too few ports; use `separate`, or fewer spares."),
        ));
    }
    faults
}

/// PEs that must be on a switch that they must not be on; one of each two placements.
fn contrary(placed: &PlacementCheck<'_>) -> Vec<Conflict> {
    let mut found: BTreeMap<(usize, usize), (u32, u32)> = BTreeMap::new();
    for places in placed.on.chunk_by(|a, b| a.pe == b.pe) {
        // A PE that must be on more switches than any has NIs has a fault already.
        for place in places.iter().take(MAX_NIS as usize) {
            let off = placed.off_of(place.pe).find(|&off| placed.names(off, place.switch));
            if let Some(off) = off {
                found.entry((place.placement, off)).or_insert((place.pe, place.switch));
            }
        }
    }
    let conflict = |((on, off), (pe, switch)): ((usize, usize), (u32, u32))| {
        let fault = |placement: usize, other: usize| {
            let value = format!("node {pe} with switch {switch}");
            let sentence = format!("contradicts `placement[{other}]` for {value}; change one of them.");
            Fault::new(format!("placement[{placement}]"), value, says(sentence))
        };
        let proof = format!(
            "Node {pe} must be on switch {switch} (placement[{on}]) and must not be on it (placement[{off}])."
        );
        (vec![fault(on, off), fault(off, on)], proof)
    };
    found.into_iter().map(conflict).collect()
}

/// A wiring that breaks the placements with too few cables to be moved: each cable that is where it must not be moves; and
/// where a PE's NIs or a switch's ports do not suffice for what must come, as many move as are in the way.
fn moved(placed: &PlacementCheck<'_>) -> Option<Conflict> {
    let start = placed.spec.start.as_ref()?;
    let allowed = start.moves?;
    let table = Design::from_switches(placed.spec.pes, start.switches.iter().cloned()).nis();
    let mut involved = BTreeSet::new();
    // (PE, switch): cables that must go, and those that must come.
    let (mut go, mut come) = (BTreeSet::new(), BTreeSet::new());
    for &(pe, off) in &placed.off {
        for &switch in table.of(pe).iter().filter(|&&switch| placed.names(off, switch)) {
            involved.insert(off);
            go.insert((pe, switch));
        }
    }
    for place in placed.on.iter().filter(|p| table.of(p.pe).binary_search(&p.switch).is_err()) {
        involved.insert(place.placement);
        come.insert((place.pe, place.switch));
    }
    let mut by_pe = Balance::new(placed.spec.pes as usize);
    let mut by_switch = Balance::new(placed.usable.len().max(start.switches.len()));
    for &(pe, switch) in &go {
        by_pe.go[pe as usize] += 1;
        by_switch.go[switch as usize] += 1;
    }
    for &(pe, switch) in &come {
        by_pe.come[pe as usize] += 1;
        by_switch.come[switch as usize] += 1;
    }
    let used = |pe: u32| table.of(pe).len() as u64;
    let held = |switch: usize| start.switches.get(switch).map_or(0, |members| members.len() as u64);
    let pes = by_pe.least(|pe| (used(pe as u32), placed.nis[pe].into()));
    let ports = |switch: usize| placed.usable.get(switch).map_or(0, |&ports| ports.into());
    let switches = by_switch.least(|switch| (held(switch), ports(switch)));
    let least = pes.max(switches);
    if least <= u64::from(allowed) {
        return None;
    }
    let mut faults = vec![Fault::new("start.moves", allowed, format!("at least {least}"))];
    faults.extend(involved.iter().map(|&i| place_fault(placed.spec, i, allowed)));
    let cables = if least == 1 { "one cable" } else { &format!("{least} cables") };
    let proof = format!(
        "For {}, at least {cables} of the existing wiring must move; start.moves allows {allowed}.",
        named(&involved)
    );
    Some((faults, proof))
}

/// Cables that must go and come, for each PE or each switch.
struct Balance {
    go: Vec<u64>,
    come: Vec<u64>,
}

impl Balance {
    fn new(count: usize) -> Balance {
        Balance { go: vec![0; count], come: vec![0; count] }
    }

    /// Min cables that must go in all; `taken` gives the used and available places of each.
    fn least(&self, taken: impl Fn(usize) -> (u64, u64)) -> u64 {
        let one = |index: usize| {
            let (has, places) = taken(index);
            self.go[index].max((has + self.come[index]).saturating_sub(places).min(has))
        };
        (0..self.go.len()).map(one).sum()
    }
}

fn distinct(numbers: impl Iterator<Item = u32>) -> Vec<u32> {
    numbers.collect::<BTreeSet<u32>>().into_iter().collect()
}

/// `placement[0], placement[2] and placement[3]`.
fn named(placements: &BTreeSet<usize>) -> String {
    let names: Vec<String> = placements.iter().map(|i| format!("placement[{i}]")).collect();
    match &names[..] {
        [] => "the placements".into(),
        [one] => one.clone(),
        [few @ .., last] => format!("{} and {last}", few.join(", ")),
    }
}

fn on_switches(spec: &Spec, placements: &BTreeSet<usize>, expected: &str) -> Vec<Fault> {
    let fault = |&i: &usize| {
        Fault::new(format!("placement[{i}].switches"), ranges(&spec.placements[i].switches), expected)
    };
    placements.iter().map(fault).collect()
}

fn on_pes(spec: &Spec, placements: &BTreeSet<usize>, expected: &str) -> Vec<Fault> {
    let fault =
        |&i: &usize| Fault::new(format!("placement[{i}].nodes"), ranges(&spec.placements[i].pes), expected);
    placements.iter().map(fault).collect()
}

fn place_fault(spec: &Spec, index: usize, allowed: u32) -> Fault {
    let placement = &spec.placements[index];
    let word = if placement.on { "on" } else { "off" };
    let (pes, switches) = (ranges(&placement.pes), ranges(&placement.switches));
    let found = format!("nodes {} {word} switches {}", shorten(&pes, 80, 77), shorten(&switches, 80, 77));
    let sentence =
        format!("{found} needs more moves than `start.moves` allows ({allowed}); change one of them.");
    Fault::new(format!("placement[{index}]"), found, says(sentence))
}
