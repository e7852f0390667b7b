//! The scaled-down first phase for Universal designs (Dietz and Mattox 2000, section 2.1).
//!
//! PEs form groups that stay together, and a switch takes k groups. A wiring that connects every two groups connects
//! every two PEs once each group is replaced by its members; the remaining ports and NIs only add paths. For k = 2,
//! 3, … the small problem is filled and briefly repaired; the first solution is scaled up. The papers divide PEs and
//! ports by one number. Here groups may differ in size: left-over PEs join groups whose switches have left-over
//! ports. Projective planes come out as small problems.

use crate::{
    fill::{connect_rest, fill},
    graph::Graph,
    ledger::{Ledger, Stage},
    options::Options,
    problem::{NONE, Problem, Rail},
    repair::repair,
    schedule::Schedule,
    wiring::{Genome, Wiring},
};
use spec::{demand::Demand, random::Rng};
use std::sync::Arc;

/// Maximum number of groups.
const MAX_GROUPS: u32 = 128;

/// Orders in which left-over PEs are assigned to groups.
const ORDERS: u32 = 64;

/// A first design from the smallest solvable scaled-down problem, if there is one.
pub fn scaled(problem: &Problem, options: &Options, rng: &mut Rng, ledger: &mut Ledger) -> Option<Genome> {
    let width = commonest((0..problem.switches()).map(|s| problem.ports_of(s).len() as u32))?;
    for groups_per_switch in 2..=width / 2 {
        let size = width / groups_per_switch;
        let (few, many) = (problem.pes() / size, problem.pes().div_ceil(size));
        if few > MAX_GROUPS {
            break;
        }
        // Groups that may grow into left-over ports come first: they are fewer, and give the tight designs.
        let grow = (few < many && problem.uniform().is_some()).then_some((few, true));
        for (groups, grow) in grow.into_iter().chain([(many, false)]) {
            if !ledger.should_continue() {
                return None;
            }
            if groups > 1 && may_exist(problem, groups, groups_per_switch) {
                ledger.enter(Stage::Scaled(groups_per_switch), 0);
                let small = ScaledProblem::new(problem, groups, size, groups_per_switch)?;
                let solved = small.solve(options, rng, ledger);
                let sizes = solved.as_ref().and_then(|small_genome| {
                    let even = (0..groups).map(|g| small.even_size(g, problem.pes())).collect();
                    if grow { small.grown(problem, small_genome, size, rng) } else { Some(even) }
                });
                if let (Some(genome), Some(sizes)) = (solved, sizes) {
                    return Some(small.scale_up(problem, &genome, &sizes));
                }
            }
        }
    }
    None
}

/// `true` if the bounds allow every two groups to meet: ports around one group, and Füredi's bound on pairwise
/// intersecting sets (Mattox 2006, section 2.2, gives both for PEs).
fn may_exist(problem: &Problem, groups: u32, groups_per_switch: u32) -> bool {
    let nis = (0..problem.pes()).map(|pe| problem.nis_of(pe).len() as u64).max().unwrap_or(0);
    let (groups, wide) = (u64::from(groups), u64::from(groups_per_switch));
    nis * (wide - 1) >= groups - 1 && wide * (nis * nis - nis + 1) >= groups * nis
}

fn commonest(widths: impl Iterator<Item = u32>) -> Option<u32> {
    let mut sorted: Vec<u32> = widths.filter(|&w| w > 1).collect();
    sorted.sort_unstable();
    sorted.chunk_by(|a, b| a == b).max_by_key(|same| (same.len(), same[0])).map(|same| same[0])
}

struct ScaledProblem {
    problem: Problem,
    /// Switch of the full problem for each small one.
    switches: Vec<u32>,
    groups: u32,
}

impl ScaledProblem {
    fn new(full: &Problem, groups: u32, size: u32, groups_per_switch: u32) -> Option<ScaledProblem> {
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
        let planes = |rail: &Rail| Arc::new(Rail::new(switches.iter().map(|&s| rail.plane_of(s)).collect()));
        let problem = Problem::new(graph, nis.into_iter(), &ports).with_rail(full.rail().map(planes));
        Some(ScaledProblem { problem, switches, groups })
    }

    fn solve(&self, options: &Options, rng: &mut Rng, ledger: &mut Ledger) -> Option<Genome> {
        let mut wiring = Wiring::empty(&self.problem);
        wiring.load(&fill(&self.problem), &mut || true);
        let moves = u64::from(self.problem.nis()) * u64::from(options.scaled_patience);
        let schedule = Schedule { hot: options.hot, cool: options.cool, steps: options.steps, moves };
        repair(&mut wiring, &schedule, options, None, rng, ledger);
        (wiring.uncovered() == 0).then(|| wiring.genome().clone())
    }

    /// Members of a group if sizes are as equal as possible.
    fn even_size(&self, group: u32, pes: u32) -> u32 {
        let start = |g: u32| (u64::from(g) * u64::from(pes)).div_ceil(u64::from(self.groups)) as u32;
        start(group + 1) - start(group)
    }

    /// Sizes of groups with `size` members each that share out the left-over PEs, as far as their switches have
    /// ports. Tries random orders.
    fn grown(&self, full: &Problem, small: &[u32], size: u32, rng: &mut Rng) -> Option<Vec<u32>> {
        let mut order: Vec<u32> = (0..self.groups).collect();
        for _ in 0..ORDERS {
            rng.shuffle(&mut order);
            let mut free: Vec<u32> = self.switches.iter().map(|&s| full.ports_of(s).len() as u32).collect();
            let of = |group: u32| {
                small[self.problem.nis_of(group)].iter().filter(|&&s| s != NONE).map(|&s| s as usize)
            };
            (0..self.groups).flat_map(of).for_each(|s| free[s] -= size);
            let (mut sizes, mut left) = (vec![size; self.groups as usize], full.pes() - size * self.groups);
            let mut changed = true;
            while changed && left > 0 {
                changed = false;
                for &group in &order {
                    if left > 0 && of(group).all(|s| free[s] > 0) {
                        of(group).for_each(|s| free[s] -= 1);
                        sizes[group as usize] += 1;
                        (left, changed) = (left - 1, true);
                    }
                }
            }
            if left == 0 {
                return Some(sizes);
            }
        }
        None
    }

    fn scale_up(&self, full: &Problem, small: &[u32], sizes: &[u32]) -> Genome {
        let mut genome = vec![NONE; full.nis() as usize];
        let members = sizes
            .iter()
            .enumerate()
            .flat_map(|(group, &size)| std::iter::repeat_n(group as u32, size as usize));
        for (pe, group) in (0..full.pes()).zip(members) {
            for (ni, theirs) in full.nis_of(pe).zip(self.problem.nis_of(group)) {
                genome[ni] = self.switches.get(small[theirs] as usize).copied().unwrap_or(NONE);
            }
        }
        connect_rest(full, &mut genome);
        genome
    }
}

/// Consecutive PEs in groups whose sizes differ by at most one.
fn group_of(pe: u32, pes: u32, groups: u32) -> u32 {
    (u64::from(pe) * u64::from(groups) / u64::from(pes)) as u32
}
