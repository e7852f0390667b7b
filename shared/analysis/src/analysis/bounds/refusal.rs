//! Proofs, before a search starts, that hardware is not enough.

use super::{Needs, bounds, cliques::furedi_divisor, furedi_ports, max_paths};
use crate::{
    demand::Demand,
    resolve::conflicts::{conflicts, nis_path},
    spec::{Fault, Faults, MAX_NIS, Objective, Spec},
    text::grouped,
};
use serde::{Deserialize, Serialize};

/// Reasons why no wiring can exist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Refusal {
    /// Each broken bound: the field to change, its value, a sufficient value.
    pub faults: Vec<Fault>,
    /// The proofs in words, with their numbers.
    pub proof: String,
}

/// Proof that the hardware cannot serve the demand; with a fractional objective, only placements count.
pub fn refuse(spec: &Spec, demand: &Demand) -> Option<Refusal> {
    let (mut faults, mut proofs) = (Vec::new(), Vec::new());
    let asks = spec.objective != Objective::Fractional && !demand.is_empty() && !spec.serves_over_uplinks();
    let short = if asks { short(spec, demand) } else { Vec::new() };
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

/// The bounds that the hardware falls short of.
fn short(spec: &Spec, demand: &Demand) -> Vec<Proof> {
    let (needs, widest) = (Needs::of(spec, demand), Widest::of(spec));
    let mut proofs = Vec::new();
    proofs.extend(degree(spec, &needs, &widest));
    proofs.extend(links(spec, demand, &needs));
    // Counting ports asks for the NIs each PE needs, which a PE out of reach does not have.
    if proofs.is_empty() {
        proofs.extend(ports(spec, &needs, &widest));
        proofs.extend(pairs(spec, &needs, &widest));
        proofs.extend(furedi(spec, &needs, &widest));
    }
    if proofs.is_empty() {
        proofs.extend(unmet(spec, demand, &needs, &widest));
    }
    proofs
}

type Proof = (Fault, String);

/// The model of the switch with the most usable ports, and these ports.
struct Widest {
    model: usize,
    usable: u32,
    /// Ports that such a switch keeps free.
    kept: u32,
}

impl Widest {
    fn of(spec: &Spec) -> Widest {
        let (model, usable) = spec.widest();
        Widest { model, usable, kept: spec.switches[model].ports.saturating_sub(usable) }
    }

    /// Fault of its ports.
    fn ports(&self, enough: String) -> Fault {
        Fault::new(format!("switch[{}].ports", self.model), self.usable + self.kept, enough)
    }
}

/// In each group, the PE that asks most of its NIs.
fn degree(spec: &Spec, needs: &Needs, widest: &Widest) -> Vec<Proof> {
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
        let usable = widest.usable;
        let proof = format!(
            "Node {pe} needs {links} links. Each of its {} NICs reaches at most {} others through a switch with {usable} usable {}. That is {reach} in total: η(ρ-1) is less than its degree.",
            group.nis,
            usable.saturating_sub(1).min(spec.pes - 1),
            if usable == 1 { "port" } else { "ports" },
        );
        proofs.push((
            Fault::new(nis_path(spec, index), group.nis, reach_further(spec, needs, (index, links), widest)),
            proof,
        ));
        if proofs.len() > Faults::MAX {
            break;
        }
    }
    proofs
}

/// Changes that give each PE of a group that many links, joined by "or".
fn reach_further(spec: &Spec, needs: &Needs, (group, links): (usize, u64), widest: &Widest) -> String {
    // Where every pair is requested, what no pairwise meeting allows would be refused next.
    let meeting = |nis: u32| if needs.complete { furedi_ports(spec.pes, nis) } else { 0 };
    let meets = |nis: u32| meeting(nis.max(needs.most_nis)) <= widest.usable;
    let nis = enough_nis(spec, group, links).and_then(|first| (first..=MAX_NIS).find(|&nis| meets(nis)));
    let mut ways: Vec<String> = nis.map(|n| format!("at least {n}")).into_iter().collect();
    let ports = links.div_ceil(u64::from(spec.pe_groups[group].nis)) + 1;
    let ports = ports.max(u64::from(meeting(needs.most_nis)));
    if ports > u64::from(widest.usable) {
        ways.push(format!("switches with {}", width(ports, widest.kept)));
    } else {
        ways.push("more switches, by their `count`".into());
    }
    ways.push("fewer patterns".into());
    ways.join(", or ")
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
        let enough = format!("at most {}, or more NICs or switches", has.min(switches));
        return vec![(Fault::new(path, wanted, enough), proof)];
    }
    Vec::new()
}

/// Each PE needs NIs for its degree, and each NI a port.
fn ports(spec: &Spec, needs: &Needs, widest: &Widest) -> Option<Proof> {
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
    Some((too_few(spec, widest, |count| format!("at least {}, or wider switches", count + more)), proof))
}

/// Fault of the number of switches: of the widest model's count, or of what limits a model without a count. `enough` gets the
/// count.
fn too_few(spec: &Spec, widest: &Widest, enough: impl FnOnce(u64) -> String) -> Fault {
    if spec.unlimited() == Some(widest.model) {
        let path = if spec.racks.is_empty() { "uplink" } else { "rack" };
        let found = format!("{} switches at most", grouped(spec.max_switches().into()));
        return Fault::new(path, found, "room for more switches, wider switches, or fewer patterns");
    }
    let count = spec.switch_counts().get(widest.model).copied().unwrap_or(0);
    Fault::new(format!("switch[{}].count", widest.model), count, enough(count.into()))
}

/// All switches together, filled as well as can be, make too few pairs.
fn pairs(spec: &Spec, needs: &Needs, widest: &Widest) -> Option<Proof> {
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
    let enough = format!("more ports, {more}more NICs or fewer patterns");
    Some((widest.ports(enough), proof))
}

/// All pairs are requested: intersecting sets of switches.
fn furedi(spec: &Spec, needs: &Needs, widest: &Widest) -> Option<Proof> {
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
        furedi_divisor(needs.most_nis),
    );
    Some((widest.ports(format!("{}{or_nis}", width(u64::from(ports), widest.kept))), proof))
}

/// Hardware that falls short of the best bound on ports, or else on switches.
fn unmet(spec: &Spec, demand: &Demand, needs: &Needs, widest: &Widest) -> Option<Proof> {
    let (bounds, there) = (bounds(spec, demand), needs.switches());
    let usable = widest.usable;
    let (ports, switches) = (bounds.ports, bounds.switches);
    if ports.ports > usable {
        let least = ports.ports.saturating_add(widest.kept);
        let enough = format!("at least {least} ports, or more NICs per node, or fewer patterns");
        let proof = format!(
            "With these NICs, switches need at least {} usable ports; the widest has {usable}. Proof: {} ({}).",
            ports.ports, ports.reason, ports.source
        );
        return Some((widest.ports(enough), proof));
    }
    if u64::from(switches.switches) > there {
        let proof = format!(
            "{} switches are too few. Proof: {} ({}).",
            grouped(there),
            switches.reason,
            switches.source
        );
        let enough = "more switches (a larger `count`), wider switches, or fewer patterns";
        return Some((too_few(spec, widest, |_| enough.into()), proof));
    }
    None
}
