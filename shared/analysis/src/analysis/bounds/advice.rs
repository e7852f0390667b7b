//! Advice after a search without full coverage.

use super::{port_bound, refusal::shortfall};
use crate::{
    demand::{Demand, patterns},
    design::{Moves, Verdict},
    spec::{MAX_NIS, MAX_PORTS, Spec, Uplink},
    text::grouped,
};

const COMMON_PORTS: [u32; 12] = [4, 5, 8, 16, 24, 28, 32, 48, 52, 64, 96, 128];

/// Advice for a wiring with this `verdict`, most effective and cheapest first; empty if nothing is uncovered.
pub fn advice(spec: &Spec, demand: &Demand, verdict: &Verdict) -> Vec<String> {
    let uncovered = &verdict.uncovered[..];
    if uncovered.is_empty() {
        return Vec::new();
    }
    let mut lines = held(spec, verdict);
    lines.extend(uplinks(spec));
    let share = uncovered.len() as f64 / demand.len().max(1) as f64;
    let mut hardware = ports(spec, demand);
    hardware.extend(switches(spec));
    hardware.extend(nis(spec, uncovered));
    let (longer, patterns) = (longer(spec, demand, uncovered), patterns(spec, demand, uncovered));
    lines.extend(if share > SEARCHABLE {
        [hardware, patterns, vec![longer]].concat()
    } else {
        [vec![longer], patterns, hardware].concat()
    });
    lines
}

/// Advice on the existing wiring: its renumbering, or a limit with no room for an exchange, which moves two cables.
fn held(spec: &Spec, verdict: &Verdict) -> Vec<String> {
    let Some(start) = &spec.start else { return Vec::new() };
    if start.renumber {
        return vec![
            "Remove `renumber` from [start], so that cables may move. `moves` can limit how many.".into(),
        ];
    }
    let spent =
        |moves: &Moves| moves.allowed.filter(|&most| moves.has + 2 > most.into()).map(|m| (moves.has, m));
    let line = |(has, most): (u64, u32)| {
        format!(
            "Raise or remove `moves` in [start]: {} cables moved, and it allows {}.",
            grouped(has),
            grouped(most.into())
        )
    };
    verdict.moves.as_ref().and_then(spent).map(line).into_iter().collect()
}

/// The smallest uplink that joins all switches, where pairs without a shared switch have no other path.
fn uplinks(spec: &Spec) -> Option<String> {
    let joined = Spec { uplink: Some(Uplink::default()), ..spec.clone() };
    let spine =
        joined.spine().filter(|_| spec.uplink.is_none() && !spec.forwards() && joined.fits_uplink())?;
    let switches = joined.switch_budget() / spine.sets;
    let (each, of_planes) = match spine.sets {
        1 => ("one uplink switch".to_owned(), String::new()),
        sets => (format!("{sets} uplink switches, one per plane,"), " of a plane".to_owned()),
    };
    Some(format!(
        "Nodes do not forward, so pairs that share no switch have no path. `[uplink]` with `links = 1` gives them one: {each} with {} ports \
         and a cable from each of the {} switches{of_planes}, which have a port less for nodes.",
        grouped(switches.into()),
        grouped(switches.into())
    ))
}

/// Share of uncovered pairs up to which searching on is worth most.
const SEARCHABLE: f64 = 0.01;

fn longer(spec: &Spec, demand: &Demand, uncovered: &[(u32, u32)]) -> String {
    if let Some(proof) = shortfall(spec, demand) {
        return format!("Searching longer cannot cover every pair. {proof}");
    }
    let share = 100.0 * uncovered.len() as f64 / demand.len().max(1) as f64;
    format!(
        "Search longer or with another seed: {} of {} pairs {} uncovered ({share:.2} %).",
        grouped(uncovered.len() as u64),
        grouped(demand.len() as u64),
        if uncovered.len() == 1 { "is" } else { "are" },
    )
}

/// The patterns behind the uncovered pairs, the one with the most first.
fn patterns(spec: &Spec, demand: &Demand, uncovered: &[(u32, u32)]) -> Vec<String> {
    if spec.patterns.len() < 2 {
        return Vec::new();
    }
    let mut counts = vec![(0usize, 0usize); spec.patterns.len()];
    for pair in uncovered.iter().filter_map(|&(a, b)| demand.index_of(a, b)) {
        let mask = demand.patterns_of(pair);
        for (p, count) in counts.iter_mut().enumerate().filter(|(p, _)| mask >> p & 1 == 1) {
            count.0 += 1;
            count.1 += usize::from(mask == 1 << p);
        }
    }
    let mut order: Vec<usize> = (0..counts.len()).filter(|&p| counts[p].0 > 0).collect();
    order.sort_by_key(|&p| (std::cmp::Reverse(counts[p].1), std::cmp::Reverse(counts[p].0), p));
    let line = |&p: &usize| {
        let (asks, alone) = counts[p];
        let label = patterns::label(&spec.patterns[p]);
        format!(
            "Remove pattern {label}: it requests {asks} of the uncovered pairs, {alone} of them without another pattern."
        )
    };
    order.iter().take(3).map(line).collect()
}

/// Wider switches of the model that leaves NIs most ports.
fn ports(spec: &Spec, demand: &Demand) -> Vec<String> {
    let (model, usable) = spec.widest();
    let ports = spec.switches[model].ports;
    if ports >= MAX_PORTS {
        return Vec::new();
    }
    let kept = ports.saturating_sub(usable);
    let needed = (ports + 1).max(port_bound(spec, demand).ports.saturating_add(kept));
    let next: Vec<String> =
        COMMON_PORTS.iter().filter(|&&w| w >= needed).take(2).map(u32::to_string).collect();
    let instead = match spec.is_cable(&spec.switches[model]) {
        true => "direct cables".into(),
        false => ports.to_string(),
    };
    match next.is_empty() {
        true if needed > MAX_PORTS => Vec::new(),
        true => vec![format!("Use switches with {needed} ports instead of {instead}.")],
        false => vec![format!("Use switches with {} ports instead of {instead}.", next.join(" or "))],
    }
}

fn switches(spec: &Spec) -> Vec<String> {
    if spec.max_switches() > spec.switch_budget() {
        return Vec::new();
    }
    let allowed: u64 = spec.usable_ports().iter().map(|&w| u64::from(w)).sum();
    let (ports, nis) = (allowed, spec.total_nis());
    let fixed = spec.switches.iter().enumerate().find(|(_, m)| m.count.is_some());
    match fixed {
        Some((index, model)) if ports < nis => vec![format!(
            "Raise `count` of switch[{index}] ({} ports): {} NICs have no port.",
            model.ports,
            nis - ports
        )],
        _ if ports == nis => vec![format!(
            "Allow one more switch{} ({} now): every port is needed, so the search has no slack.",
            if spec.rail { " in each plane" } else { "" },
            spec.switch_budget()
        )],
        _ => Vec::new(),
    }
}

/// One NI more where it helps most: on the PEs that stand in the way, which of a pair is the one with fewer NIs.
fn nis(spec: &Spec, uncovered: &[(u32, u32)]) -> Vec<String> {
    let mut pairs = vec![0usize; spec.pe_groups.len()];
    for &(a, b) in uncovered {
        let (first, second) = (spec.group_of(a), spec.group_of(b));
        let fewer_nis = spec.pe_groups[second].nis < spec.pe_groups[first].nis;
        pairs[if fewer_nis { second } else { first }] += 1;
    }
    let short = (0..pairs.len()).filter(|&g| spec.pe_groups[g].nis < MAX_NIS);
    let Some(group) = short.max_by_key(|&g| (pairs[g], std::cmp::Reverse(g))) else { return Vec::new() };
    let nis = spec.pe_groups[group].nis;
    let whom =
        if pairs.len() == 1 { "each node".to_string() } else { format!("each node of pe_group[{group}]") };
    vec![format!("Give {whom} one more NIC ({} instead of {nis}).", nis + 1)]
}
