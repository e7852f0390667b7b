//! The scaled-down first phase for Universal designs (LCPC paper, section 2.1).
//!
//! PEs are put in groups that will stay together, and a switch takes k groups. A wiring that connects every two groups
//! connects every two PEs once each group is replaced by its members; the ports and NIs that remain only add paths. For
//! k = 2, 3, ... the small problem is filled and repaired for a short time; its first solution is scaled up. The papers
//! divide PEs and ports by one number; here groups may differ by one PE, so that no number has to divide anything.

use super::fill::{connect_rest, fill};
use crate::{
    dice::Dice,
    graph::Graph,
    ledger::{Ledger, Stage},
    options::Options,
    problem::{NONE, Problem},
    repair::{Schedule, repair},
    wiring::{Genome, Wiring},
};
use shared::demand::Demand;
use std::sync::Arc;

/// Most groups of a scaled-down problem.
const MOST_GROUPS: u32 = 128;

/// A first design from the smallest scaled-down problem that could be solved, if one could.
pub fn scaled(problem: &Problem, options: &Options, dice: &mut Dice, ledger: &mut Ledger) -> Option<Genome> {
    let used = (0..problem.switches()).map(|s| problem.ports_of(s).len() as u32);
    // The widest width that at least enough switches have is hard to choose; the commonest is right for one model.
    let width = commonest(used)?;
    for groups_per_switch in 2..=width / 2 {
        let size = width / groups_per_switch;
        let groups = problem.pes().div_ceil(size);
        if groups > MOST_GROUPS {
            break;
        }
        ledger.enter(Stage::Scaled(groups_per_switch), 0);
        let small = Scaled::new(problem, groups, size, groups_per_switch)?;
        if let Some(genome) = small.solve(options, dice, ledger) {
            return Some(small.scale_up(problem, &genome));
        }
        if !ledger.goes_on() {
            break;
        }
    }
    None
}

fn commonest(widths: impl Iterator<Item = u32>) -> Option<u32> {
    let mut sorted: Vec<u32> = widths.filter(|&w| w > 1).collect();
    sorted.sort_unstable();
    sorted.chunk_by(|a, b| a == b).max_by_key(|same| (same.len(), same[0])).map(|same| same[0])
}

struct Scaled {
    problem: Problem,
    /// Switch of the full problem for each of the small one.
    switches: Vec<u32>,
    groups: u32,
}

impl Scaled {
    fn new(full: &Problem, groups: u32, size: u32, groups_per_switch: u32) -> Option<Scaled> {
        let pairs = (0..groups).flat_map(|a| (a + 1..groups).map(move |b| (a, b)));
        let demand = Demand::from_pairs(groups, pairs);
        let mut nis = vec![u32::MAX; groups as usize];
        for pe in 0..full.pes() {
            let group = &mut nis[group_of(pe, full.pes(), groups) as usize];
            *group = (*group).min(full.nis_of(pe).len() as u32);
        }
        let room = |s: &u32| (full.ports_of(*s).len() as u32 / size).min(groups_per_switch);
        let switches: Vec<u32> = (0..full.switches()).filter(|s| room(s) > 0).collect();
        let ports: Vec<u32> = switches.iter().map(room).collect();
        let graph = Arc::new(Graph::new(&demand, &mut || true)?);
        Some(Scaled { problem: Problem::new(graph, nis.into_iter(), &ports), switches, groups })
    }

    fn solve(&self, options: &Options, dice: &mut Dice, ledger: &mut Ledger) -> Option<Genome> {
        let mut wiring = Wiring::empty(&self.problem);
        wiring.load(&fill(&self.problem), &mut || true);
        let moves = u64::from(self.problem.nis()) * u64::from(options.scaled_patience);
        let schedule = Schedule { hot: options.hot, cool: options.cool, steps: options.steps, moves };
        repair(&mut wiring, &schedule, options, None, dice, ledger);
        (wiring.uncovered() == 0).then(|| wiring.genome().clone())
    }

    fn scale_up(&self, full: &Problem, small: &[u32]) -> Genome {
        let mut genome = vec![NONE; full.nis() as usize];
        for pe in 0..full.pes() {
            let group = self.problem.nis_of(group_of(pe, full.pes(), self.groups));
            for (ni, theirs) in full.nis_of(pe).zip(group) {
                genome[ni] = self.switches.get(small[theirs] as usize).copied().unwrap_or(NONE);
            }
        }
        connect_rest(full, &mut genome);
        genome
    }
}

/// PEs in order, in groups whose sizes differ by at most one.
fn group_of(pe: u32, pes: u32, groups: u32) -> u32 {
    (u64::from(pe) * u64::from(groups) / u64::from(pes)) as u32
}
