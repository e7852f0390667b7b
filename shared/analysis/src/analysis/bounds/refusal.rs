//! Proofs, before a search starts, that hardware is not enough.

use super::{Bounds, Needs, bounds, cliques::furedi_in_words, furedi_ports, max_paths, quick_bounds};
use crate::{
    demand::Demand,
    form::says,
    resolve::conflicts::{conflicts, nis_path},
    spec::{Fault, Faults, MAX_NIS, MAX_PORTS, Objective, Spec},
    text::{grouped, noun},
};
use serde::{Deserialize, Serialize};

/// Reasons why no wiring can exist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Refusal {
    /// Each broken bound: the field to change, its value, and what is enough.
    pub faults: Vec<Fault>,
    /// The proofs in words, with their numbers.
    pub proof: String,
}

/// Proof that the hardware cannot serve the demand; with a fractional objective, only placements count.
pub fn refuse(spec: &Spec, demand: &Demand) -> Option<Refusal> {
    refusal(spec, demand, bounds)
}

/// [`refuse`] without the bounds that take up to half a second, for many specs in a row.
pub fn quick_refusal(spec: &Spec, demand: &Demand) -> Option<Refusal> {
    refusal(spec, demand, quick_bounds)
}

fn refusal(spec: &Spec, demand: &Demand, bounds: BoundsOf) -> Option<Refusal> {
    let (mut faults, mut proofs) = (Vec::new(), Vec::new());
    let asks = spec.objective != Objective::Fractional && !demand.is_empty() && !spec.serves_over_uplinks();
    let short = if asks { short(spec, demand, bounds) } else { Vec::new() };
    for (fields, proof) in conflicts(spec) {
        faults.extend(fields);
        proofs.push(proof);
    }
    for (field, proof) in short {
        faults.push(field);
        proofs.push(proof);
    }
    (!proofs.is_empty()).then(|| Refusal { faults, proof: proofs.join("\n") })
}

/// Proof in words that no wiring of the hardware covers every pair, whatever the objective.
pub(super) fn shortfall(spec: &Spec, demand: &Demand) -> Option<String> {
    short(spec, demand, bounds).into_iter().next().map(|(_, proof)| proof)
}

/// The bounds that the hardware falls short of.
fn short(spec: &Spec, demand: &Demand, bounds: BoundsOf) -> Vec<Proof> {
    let (needs, widest) = (Needs::of(spec, demand), WidestSwitch::of(spec));
    let mut proofs = Vec::new();
    proofs.extend(degree(spec, demand, &needs, &widest));
    proofs.extend(links(spec, demand, &needs));
    // Counting ports asks for the NIs each PE needs, which a PE out of reach does not have.
    if proofs.is_empty() {
        proofs.extend(ports(spec, &needs, &widest));
        proofs.extend(pairs(spec, &needs, &widest));
        proofs.extend(furedi(spec, &needs, &widest));
    }
    if proofs.is_empty() {
        proofs.extend(unmet(spec, demand, &needs, &widest, bounds));
    }
    proofs
}

type Proof = (Fault, String);

/// [`bounds`] or [`quick_bounds`].
type BoundsOf = fn(&Spec, &Demand) -> Bounds;

/// The model of the switch with the most usable ports, and these ports.
struct WidestSwitch {
    model: usize,
    usable: u32,
    /// Ports that such a switch keeps free.
    kept: u32,
}

impl WidestSwitch {
    fn of(spec: &Spec) -> WidestSwitch {
        let (model, usable) = spec.widest();
        WidestSwitch { model, usable, kept: spec.switches[model].ports.saturating_sub(usable) }
    }

    /// Fault of its ports, of which `enough` usable ones would do, where a number would.
    fn ports(&self, enough: Option<u64>, ways: &str) -> Fault {
        let path = format!("switch[{}].ports", self.model);
        self.widened(too_little(&path, self.usable + self.kept, ways), enough)
    }

    /// A fault with the change to a switch of `enough` usable ports, if there can be one.
    fn widened(&self, fault: Fault, enough: Option<u64>) -> Fault {
        match enough.map(|usable| usable + u64::from(self.kept)).filter(|least| *least <= MAX_PORTS.into()) {
            Some(least) => fault.mended(format!("switch[{}].ports", self.model), least),
            None => fault,
        }
    }
}

/// Fault of a number that is not enough, with the ways to mend it.
fn too_little(path: &str, found: impl ToString, ways: &str) -> Fault {
    let found = found.to_string();
    Fault::new(path, &found, says(format!("{found} is not enough; use {ways}.")))
}

/// In each group, the PE that asks most of its NIs.
fn degree(spec: &Spec, demand: &Demand, needs: &Needs, widest: &WidestSwitch) -> Vec<Proof> {
    let mut proofs = Vec::new();
    let mut first = 0;
    for (index, group) in spec.pe_groups.iter().enumerate() {
        let last = (first + group.count).min(spec.pes);
        let worst = (first..last).max_by_key(|&pe| (needs.links[pe as usize], std::cmp::Reverse(pe)));
        first = last;
        let Some(pe) = worst else { continue };
        let (links, reach) = (needs.links[pe as usize], needs.reach(group.nis, spec.pes));
        if links <= reach {
            continue;
        }
        let (usable, switches) = (widest.usable, needs.switches());
        // Each NIC of a node needs a switch of its own.
        let plugged = u64::from(group.nis).min(switches);
        let nics = match (group.nis, plugged) {
            (1, _) => "Its NIC reaches".into(),
            (nis, 1) if switches == 1 => {
                format!("Only one of its {nis} NICs can be used, since there is one switch. The NIC reaches")
            }
            (nis, plugged) if plugged < nis.into() => {
                format!(
                    "Only {plugged} of its {nis} NICs can be used, since there are {plugged} switches. Each of these NICs reaches"
                )
            }
            (nis, _) => format!("Each of its {nis} NICs reaches"),
        };
        let proof = format!(
            "Node {pe} needs {links} links. {nics} at most {} others through a switch with {usable} usable {}. That is {reach} in all, fewer than {links}.",
            usable.saturating_sub(1).min(spec.pes - 1),
            noun(usable.into(), "port"),
        );
        let fault = reach_further(spec, demand, needs, (index, links), widest);
        proofs.push((fault, proof));
        if proofs.len() > Faults::MAX {
            break;
        }
    }
    proofs
}

/// Fault of the NIs of a group's PEs, with the changes that give each that many links.
fn reach_further(
    spec: &Spec,
    demand: &Demand,
    needs: &Needs,
    (group, links): (usize, u64),
    widest: &WidestSwitch,
) -> Fault {
    // Where every pair is requested, what no pairwise meeting allows would be refused next.
    let meeting = |nis: u32| if needs.complete { furedi_ports(spec.pes, nis) } else { 0 };
    let meets = |nis: u32| meeting(nis.max(needs.most_nis)) <= widest.usable;
    let nis = enough_nis(spec, group, links).and_then(|first| (first..=MAX_NIS).find(|&nis| meets(nis)));
    let mut ways: Vec<String> = nis.map(|n| format!("at least {n}")).into_iter().collect();
    let ports = links.div_ceil(u64::from(spec.pe_groups[group].nis)) + 1;
    let ports = ports.max(u64::from(meeting(needs.most_nis)));
    let is_wider = ports > u64::from(widest.usable);
    if !is_wider && nis.is_none() {
        let there = needs.switches();
        // Ports of all nodes, on switches that are all as wide as the widest.
        let others = u64::from(widest.usable.saturating_sub(1).max(1));
        let used: u64 = needs.links.iter().map(|links| links.div_ceil(others)).sum();
        let least =
            used.div_ceil(widest.usable.into()).max(quick_bounds(spec, demand).switches.switches.into());
        let reach = u64::from(spec.pes - 1) * there.min(spec.pe_groups[group].nis.into());
        let ways = if reach < links { "fewer patterns" } else { "wider switches, or fewer patterns" };
        return too_few(spec, widest, Some(least.max(there + 1) - there), ways);
    }
    ways.push(match is_wider {
        true => format!("switches with {}", width(ports, widest.kept)),
        false => "more switches, by their `count`".into(),
    });
    ways.push("fewer patterns".into());
    let path = nis_path(spec, group);
    let fault = too_little(&path, spec.pe_groups[group].nis, &ways.join(", or "));
    let fault = nis.into_iter().fold(fault, |fault, nis| fault.mended(&path, nis));
    widest.widened(fault, Some(ports).filter(|_| is_wider))
}

/// Min NIs of a group's PEs that reach that many links, with the switches allowed then.
fn enough_nis(spec: &Spec, group: usize, links: u64) -> Option<u32> {
    let mut changed = spec.clone();
    (spec.pe_groups[group].nis + 1..=MAX_NIS).find(|&more| {
        changed.pe_groups[group].nis = more;
        let (mut left, mut reach) = (u64::from(more), 0);
        for (width, switches) in changed.widths() {
            let used = left.min(switches);
            reach += used * u64::from(width.min(spec.pes).saturating_sub(1));
            left -= used;
        }
        reach >= links
    })
}

fn width(ports: u64, reserve: u32) -> String {
    if reserve == 0 {
        format!("at least {ports} ports")
    } else {
        format!("at least {} ports, {reserve} of them reserved", ports + u64::from(reserve))
    }
}

/// A pair that wants more links than either PE has NIs, or than there are switches.
fn links(spec: &Spec, demand: &Demand, needs: &Needs) -> Vec<Proof> {
    let switches = u32::try_from(needs.switches()).unwrap_or(u32::MAX);
    for (index, (a, b)) in demand.pairs().enumerate() {
        let (wanted, has) = (demand.links(index), needs.nis[a as usize].min(needs.nis[b as usize]));
        if wanted <= has.min(switches) {
            continue;
        }
        let pattern = (0..spec.patterns.len())
            .find(|&p| demand.patterns_of(index) >> p & 1 == 1 && spec.patterns[p].links >= wanted);
        let path = pattern.map_or("pattern".into(), |p| format!("pattern[{p}].links"));
        let proof = format!(
            "Nodes {a} and {b} need {wanted} shared switches; one of them has {has} NICs, and there are {switches} switches."
        );
        let most = has.min(switches);
        let sentence = says(format!("{wanted} is too many; use at most {most}, or more NICs or switches."));
        let fault = Fault::new(&path, wanted, sentence);
        let is_field = pattern.is_some() && most > 0;
        return vec![(if is_field { fault.mended(path, most) } else { fault }, proof)];
    }
    Vec::new()
}

/// Each PE needs NIs for its degree, and each NI a port.
fn ports(spec: &Spec, needs: &Needs, widest: &WidestSwitch) -> Option<Proof> {
    let needed: u64 = needs.links.iter().map(|&links| needs.nis_for(links)).sum::<Option<u64>>()?;
    let has: u64 = needs.widths.iter().map(|&(w, switches)| u64::from(w.min(spec.pes)) * switches).sum();
    if needed <= has {
        return None;
    }
    let more = (needed - has).div_ceil(u64::from(widest.usable.max(1)));
    let proof = format!(
        "Given their degrees, the nodes need {needed} ports in all; the {} switches have {has} usable ports.",
        needs.switches()
    );
    Some((too_few(spec, widest, Some(more), "wider switches"), proof))
}

/// Fault of the number of switches: of the widest model's count, of which `more` would do, or of what limits a model without a
/// count.
fn too_few(spec: &Spec, widest: &WidestSwitch, more: Option<u64>, ways: &str) -> Fault {
    if spec.unlimited() == Some(widest.model) {
        let path = if spec.racks.is_empty() { "uplink" } else { "rack" };
        let found = format!("{} switches at most", grouped(spec.max_switches().into()));
        return too_little(path, found, "room for more switches, wider switches, or fewer patterns");
    }
    let count = spec.switch_counts().get(widest.model).copied().unwrap_or(0);
    let path = format!("switch[{}].count", widest.model);
    match more.map(|more| u64::from(count) + more) {
        Some(least) => too_little(&path, count, &format!("at least {least}, or {ways}")).mended(&path, least),
        None => too_little(&path, count, ways),
    }
}

/// All switches together, filled as well as can be, make too few pairs.
fn pairs(spec: &Spec, needs: &Needs, widest: &WidestSwitch) -> Option<Proof> {
    let budget = max_paths(spec);
    if needs.total_links <= budget {
        return None;
    }
    let proof = format!(
        "The pairs need {} links. With {}{} NICs, at most {budget} pairs share a switch.",
        needs.total_links,
        spec.switch_limit().map_or(String::new(), |most| format!("{most} switches and ")),
        spec.total_nis(),
    );
    let more = if spec.switch_limit().is_some() { "more switches, " } else { "" };
    let ways = format!("more ports, {more}more NICs or fewer patterns");
    Some((widest.ports(None, &ways), proof))
}

/// All pairs are requested: intersecting sets of switches.
fn furedi(spec: &Spec, needs: &Needs, widest: &WidestSwitch) -> Option<Proof> {
    let usable = widest.usable;
    let ports = furedi_ports(spec.pes, needs.most_nis);
    if !needs.complete || usable >= ports {
        return None;
    }
    let nis = (needs.most_nis..=MAX_NIS).find(|&nis| furedi_ports(spec.pes, nis) <= usable);
    let or_nis = nis.map_or(String::new(), |nis| format!(", or {nis} NICs per node"));
    let proof = format!(
        "All {} nodes with {} NICs each must share switches pairwise. Füredi's bound then requires switches with {ports} usable ports, {}; the widest has {usable}.",
        spec.pes,
        needs.most_nis,
        furedi_in_words(spec.pes, needs.most_nis),
    );
    let ways = format!("{}{or_nis}", width(u64::from(ports), widest.kept));
    let fault = widest.ports(Some(ports.into()), &ways);
    let common = nis.filter(|_| spec.pe_groups.len() == 1);
    Some((common.into_iter().fold(fault, |fault, nis| fault.mended(nis_path(spec, 0), nis)), proof))
}

/// Hardware that falls short of the best bound on ports, or else on switches.
fn unmet(
    spec: &Spec,
    demand: &Demand,
    needs: &Needs,
    widest: &WidestSwitch,
    bounds: BoundsOf,
) -> Option<Proof> {
    let (bounds, there) = (bounds(spec, demand), needs.switches());
    let usable = widest.usable;
    let (ports, switches) = (bounds.ports, bounds.switches);
    if ports.ports > usable {
        let least = ports.ports.saturating_add(widest.kept);
        let ways = format!("at least {least} ports, or more NICs per node, or fewer patterns");
        let proof = format!(
            "With these NICs, switches need at least {} usable ports; the widest has {usable}. Proof: {} ({}).",
            ports.ports, ports.reason, ports.source
        );
        return Some((widest.ports(Some(ports.ports.into()), &ways), proof));
    }
    if u64::from(switches.switches) > there {
        let proof = format!(
            "{} switches are too few. Proof: {} ({}).",
            grouped(there),
            switches.reason,
            switches.source
        );
        let ways = "more switches (a larger `count`), wider switches, or fewer patterns";
        return Some((too_few(spec, widest, None, ways), proof));
    }
    None
}
