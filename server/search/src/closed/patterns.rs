//! Separate patterns: a demand whose patterns, alone or in groups, have closed forms on NIs of their own; finds the
//! cheapest combination.

use super::{Form, Trial, attempt, blocks::Blocks};
use spec::{
    cancel::checked,
    demand::Demand,
    spec::{Objective, PeGroup, Spec, SwitchModel},
};

/// Maximum number of patterns: there are 2^n sets.
const MAX_PATTERNS: usize = 3;

/// Patterns on their own NIs.
#[derive(Clone)]
struct PatternNis {
    nis: u32,
    name: String,
    blocks: Blocks,
}

pub fn offer(trial: &mut Trial<'_>) {
    if !trial.thorough || trial.nis < 2 || trial.spec.objective == Objective::Universal {
        return;
    }
    let patterns = distinct(trial);
    if !(2..=MAX_PATTERNS).contains(&patterns.len()) {
        return;
    }
    let all = (1usize << patterns.len()) - 1;
    let mut best: Vec<Option<PatternNis>> = vec![None; all + 1];
    for set in 1..=all {
        // The cheapest is one form, unless that was tried already, or a combination of two known sets.
        let mut cheapest = if set < all { part(trial, &patterns, set) } else { None };
        for some in (1..set).filter(|some| set & some == *some) {
            if let (Some(a), Some(b)) = (&best[some], &best[set & !some])
                && cheapest.as_ref().is_none_or(|c| a.nis + b.nis < c.nis)
                && a.nis + b.nis <= trial.nis
            {
                cheapest = Some(joined(a, b));
            }
        }
        best[set] = cheapest;
        if !(trial.go_on)() {
            return;
        }
    }
    if let Some(PatternNis { name, blocks, .. }) = best.swap_remove(all) {
        trial.offer(&Form { name, blocks });
    }
}

/// Patterns with a pair that no other pattern requests, without copies of earlier patterns.
fn distinct(trial: &Trial<'_>) -> Vec<usize> {
    let count = trial.spec.patterns.len();
    // Patterns that request every pair of this one.
    let mut within = vec![u32::MAX; count];
    for pair in checked(0..trial.demand.len()) {
        let mask = trial.demand.patterns_of(pair);
        (0..count).filter(|p| mask >> p & 1 == 1).for_each(|p| within[p] &= mask);
    }
    let needless = |p: usize| {
        (0..count).any(|q| q != p && within[p] >> q & 1 == 1 && (within[q] >> p & 1 == 0 || q < p))
    };
    (0..count).filter(|&p| within[p] != u32::MAX && !needless(p)).collect()
}

/// The closed form with the fewest NIs for a set of patterns.
fn part(trial: &mut Trial<'_>, patterns: &[usize], set: usize) -> Option<PatternNis> {
    let chosen = || patterns.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1).map(|(_, &p)| p);
    let mask = chosen().fold(0u32, |mask, p| mask | 1 << p);
    let pairs = checked(trial.demand.pairs()).enumerate();
    let pairs = pairs.filter(|&(pair, _)| trial.demand.patterns_of(pair) & mask != 0).map(|(_, pair)| pair);
    let demand = Demand::from_pairs(trial.spec.pes, pairs);
    let degree = demand.degrees().into_iter().max().unwrap_or(0);
    let widest = trial.widths().first().copied().unwrap_or(0);
    for nis in degree.div_ceil(widest.saturating_sub(1).max(1)).max(1)..trial.nis {
        if let Some((design, form)) = attempt(&alone(trial.spec, nis), &demand, false, trial.go_on) {
            let mut blocks = Blocks::default();
            design.switches().for_each(|members| blocks.push(members.iter().copied()));
            let names: Vec<&str> = chosen().map(|p| trial.spec.patterns[p].kind.name).collect();
            return Some(PatternNis {
                nis,
                name: format!("{} as {form}", names.join(" and ")),
                blocks: blocks.pruned(&demand),
            });
        }
    }
    None
}

/// The spec with fewer NIs and as many switches. Only the parts together can keep to the planes.
fn alone(spec: &Spec, nis: u32) -> Spec {
    let counts = spec.switch_counts();
    let switches = spec.switches.iter().zip(counts);
    let switches = switches.map(|(model, count)| SwitchModel { count: Some(count), ..*model }).collect();
    let pe_groups = vec![PeGroup::of(spec.pes, nis)];
    Spec { pe_groups, switches, rail: false, objective: Objective::Sparse, ..spec.clone() }
}

fn joined(a: &PatternNis, b: &PatternNis) -> PatternNis {
    let mut blocks = a.blocks.clone();
    (0..b.blocks.len()).for_each(|block| blocks.push(b.blocks.of(block).iter().copied()));
    PatternNis { nis: a.nis + b.nis, name: format!("{}; {}", a.name, b.name), blocks }
}
