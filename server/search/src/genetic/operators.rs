//! The papers' genetic operators: crossover and mutations of wirings (Dietz and Mattox 2000, section 2.2), and DNA. Switch
//! numbers have no meaning, so crossover first renumbers the other parent's switches to overlap as far as possible.

use crate::{
    moves::{cheapest_port, propose_random},
    problem::{NONE, Problem},
    wiring::{Genome, Swap, Wiring},
};
use serde::{Deserialize, Serialize};
use spec::{
    cancel::{check, checked},
    random::Rng,
};

/// Above this many NIs, switches are not renumbered, to save memory and time.
const MAX_ALIGNED: u32 = 1 << 20;

/// Makes some PEs of `child`, a copy of the first parent, match the second. Returns the number of swaps.
pub fn crossover(child: &mut Wiring, other: &[u32], candidates: u32, rng: &mut Rng) -> u64 {
    let problem = child.problem;
    let aligned = align(problem, child.genome(), other);
    let mut swaps = 0;
    for _ in checked(0..=rng.below(problem.pes() / 2)) {
        let pe = rng.below(problem.pes());
        swaps += match_pe(child, &aligned, pe, candidates, rng);
    }
    swaps
}

/// Gives one PE the other parent's connections where an occupant can take its own.
fn match_pe(child: &mut Wiring, other: &[u32], pe: u32, candidates: u32, rng: &mut Rng) -> u64 {
    let nis = child.problem.nis_of(pe);
    let mut swaps = 0;
    for &switch in &other[nis.clone()] {
        if switch == NONE || child.is_on(pe, switch) || child.problem.ports_of(switch).is_empty() {
            continue;
        }
        let unwanted = |ni: &usize| {
            let ni = *ni as u32;
            child.problem.keeps_rail(ni, switch) && !other[nis.clone()].contains(&child.switch_of(ni))
        };
        let Some(ni) = nis.clone().find(unwanted).map(|ni| ni as u32) else { break };
        let port = cheapest_port(child, switch, child.switch_of(ni), candidates, rng);
        if let Some(swap) = port.map(|port| Swap { ni, switch, port })
            && child.allows(&swap)
        {
            child.apply(&swap);
            swaps += 1;
        }
    }
    swaps
}

/// `other` with its switches renumbered to agree with `model`, by greedy matching.
pub fn align(problem: &Problem, model: &[u32], other: &[u32]) -> Genome {
    if problem.nis() > MAX_ALIGNED {
        return other.to_vec();
    }
    let mut overlaps: Vec<(u32, u32)> = Vec::new();
    for pe in 0..problem.pes() {
        let nis = problem.nis_of(pe);
        for &theirs in other[nis.clone()].iter().filter(|&&s| s != NONE) {
            for &mine in model[nis.clone()].iter().filter(|&&s| s != NONE) {
                if kind(problem, theirs) == kind(problem, mine) {
                    overlaps.push((theirs, mine));
                }
            }
        }
    }
    overlaps.sort_unstable_by(|a, b| {
        check();
        a.cmp(b)
    });
    let mut counted: Vec<(usize, u32, u32)> =
        overlaps.chunk_by(|a, b| a == b).map(|same| (same.len(), same[0].0, same[0].1)).collect();
    counted.sort_unstable_by(|a, b| b.0.cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let names = renumbering(problem, &counted);
    other.iter().map(|&s| if s == NONE { NONE } else { names[s as usize] }).collect()
}

/// The plane and width of a switch. Without rails there is one plane.
fn kind(problem: &Problem, switch: u32) -> (u32, usize) {
    (problem.rail().map_or(0, |rail| rail.plane_of(switch)), problem.ports_of(switch).len())
}

/// A renumbering that keeps planes and widths: along the overlaps, then the rest in order.
fn renumbering(problem: &Problem, overlaps: &[(usize, u32, u32)]) -> Vec<u32> {
    let switches = problem.switches() as usize;
    let (mut names, mut taken) = (vec![NONE; switches], vec![false; switches]);
    for &(_, theirs, mine) in overlaps {
        if names[theirs as usize] == NONE && !taken[mine as usize] {
            names[theirs as usize] = mine;
            taken[mine as usize] = true;
        }
    }
    let by_kind = |s: &u32| (kind(problem, *s), *s);
    let mut nameless: Vec<u32> = (0..switches as u32).filter(|&s| names[s as usize] == NONE).collect();
    let mut free: Vec<u32> = (0..switches as u32).filter(|&s| !taken[s as usize]).collect();
    nameless.sort_by_key(by_kind);
    free.sort_by_key(by_kind);
    for (theirs, mine) in nameless.into_iter().zip(free) {
        names[theirs as usize] = mine;
    }
    names
}

/// Applies one of the two mutations to up to 1/`part` of all places; returns the number of attempts.
pub fn mutate(wiring: &mut Wiring, part: u32, rng: &mut Rng) -> u64 {
    let problem = wiring.problem;
    if rng.chance(500) {
        let times = 1 + rng.below(problem.nis() / part);
        exchange_connections(wiring, times, rng);
        u64::from(times)
    } else {
        let times = 1 + rng.below(problem.pes() / part);
        for _ in checked(0..times) {
            let (a, b) = (rng.below(problem.pes()), rng.below(problem.pes()));
            exchange_pes(wiring, a, b);
        }
        u64::from(times)
    }
}

/// The first mutation: tries random swaps of single connections.
pub fn exchange_connections(wiring: &mut Wiring, times: u32, rng: &mut Rng) {
    for _ in checked(0..times) {
        if let Some(swap) = propose_random(wiring, rng) {
            attempt(wiring, &swap);
        }
    }
}

fn attempt(wiring: &mut Wiring, swap: &Swap) {
    if wiring.allows(swap) {
        wiring.apply(swap);
    }
}

/// The second mutation: two PEs exchange the connections that only one of them has.
pub fn exchange_pes(wiring: &mut Wiring, a: u32, b: u32) {
    let problem = wiring.problem;
    if a == b {
        return;
    }
    let own = |wiring: &Wiring, pe: u32, other: u32| -> Vec<u32> {
        let apart = |ni: &usize| {
            wiring.switch_of(*ni as u32) == NONE || !wiring.is_on(other, wiring.switch_of(*ni as u32))
        };
        problem.nis_of(pe).filter(apart).map(|ni| ni as u32).collect()
    };
    let (ours, theirs) = (own(wiring, a, b), own(wiring, b, a));
    let swaps: Vec<(u32, u32)> = match problem.rail() {
        None => ours.into_iter().zip(theirs).collect(),
        Some(_) => {
            let same = |&x: &u32| Some((x, *theirs.iter().find(|&&y| problem.place(y) == problem.place(x))?));
            ours.iter().filter_map(same).collect()
        }
    };
    for (x, y) in swaps {
        let (from, to) = (wiring.switch_of(x), wiring.switch_of(y));
        if to != NONE {
            attempt(wiring, &Swap { ni: x, switch: to, port: wiring.port_of(y) });
        } else if from != NONE {
            attempt(wiring, &Swap { ni: y, switch: from, port: wiring.port_of(x) });
        }
    }
}

/// DNA of the Sparse search (Mattox 2006, sections 3.4.1 and 3.4.2): an order of all requested pairs, by which the
/// greedy heuristic breaks ties.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dna(Vec<u32>);

impl Dna {
    /// A random order.
    pub fn random(pairs: usize, rng: &mut Rng) -> Dna {
        let mut order: Vec<u32> = (0..pairs as u32).collect();
        rng.shuffle(&mut order);
        Dna(order)
    }

    /// The pairs in order.
    pub fn order(&self) -> &[u32] {
        &self.0
    }

    /// The rank of each pair.
    pub fn ranks(&self) -> Vec<u32> {
        let mut ranks = vec![0; self.0.len()];
        for (rank, &pair) in self.0.iter().enumerate() {
            ranks[pair as usize] = rank as u32;
        }
        ranks
    }

    /// A copy with random swaps of two ranks, in up to half of the order. In one case of four, the first swap moves
    /// `blame`, the pair that failed.
    pub fn point_mutated(&self, blame: Option<usize>, rng: &mut Rng) -> Dna {
        let (mut order, len) = (self.0.clone(), self.0.len() as u32);
        let max = (len / 4).max(1);
        for turn in checked(0..=rng.below(max)) {
            let mut first = rng.below(len) as usize;
            if let Some(pair) = blame.filter(|_| turn == 0 && rng.chance(250)) {
                first = order.iter().position(|&p| p as usize == pair).unwrap_or(first);
            }
            if len > 0 {
                order.swap(first, rng.below(len) as usize);
            }
        }
        Dna(order)
    }

    /// A copy with a block of `other`, up to half of the order, in the same place; the rest keeps its relative order.
    pub fn crossed(&self, other: &Dna, rng: &mut Rng) -> Dna {
        let len = self.0.len();
        let block = rng.below(len as u32 / 2 + 1) as usize;
        let start = rng.below((len - block) as u32 + 1) as usize;
        let taken = &other.0[start..start + block];
        let mut is_taken = vec![false; len];
        taken.iter().for_each(|&pair| is_taken[pair as usize] = true);
        let mut order: Vec<u32> = self.0.iter().copied().filter(|&pair| !is_taken[pair as usize]).collect();
        order.splice(start..start, taken.iter().copied());
        Dna(order)
    }
}
