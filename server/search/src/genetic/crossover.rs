//! The closed crossover of the LCPC paper (section 2.2): a child starts as a copy of one parent; then, PE by PE, it is
//! made to match the other parent by exchanging NI connections with whoever has the wanted ones.
//!
//! Switch numbers mean nothing in themselves: the same wiring may come with its switches renumbered. So the other
//! parent's switches are first renumbered to overlap most with the first one's, widest overlaps first, among switches
//! of equal width.

use crate::{
    dice::Dice,
    moves::serve::cheapest_port,
    problem::{NONE, Problem},
    wiring::{Genome, Trade, Wiring},
};

/// Above this many NIs the parents' switches are taken as they are numbered, to save memory and time.
const MOST_ALIGNED: u32 = 1 << 20;

/// Makes some PEs of `child`, a copy of the first parent, match the second. Returns how many trades that took.
pub fn crossover(child: &mut Wiring, other: &[u32], candidates: u32, dice: &mut Dice) -> u64 {
    let problem = child.problem;
    let aligned = align(problem, child.genome(), other);
    let mut trades = 0;
    for _ in 0..=dice.below(problem.pes() / 2) {
        let pe = dice.below(problem.pes());
        trades += match_pe(child, &aligned, pe, candidates, dice);
    }
    trades
}

/// Gives one PE the other parent's connections, as far as anybody there can take its own in exchange.
fn match_pe(child: &mut Wiring, other: &[u32], pe: u32, candidates: u32, dice: &mut Dice) -> u64 {
    let nis = child.problem.nis_of(pe);
    let mut trades = 0;
    for &switch in &other[nis.clone()] {
        if switch == NONE || child.is_on(pe, switch) || child.problem.ports_of(switch).is_empty() {
            continue;
        }
        let unwanted = |ni: &usize| !other[nis.clone()].contains(&child.switch_of(*ni as u32));
        let Some(ni) = nis.clone().find(unwanted).map(|ni| ni as u32) else { break };
        let port = cheapest_port(child, switch, child.switch_of(ni), candidates, dice);
        if let Some(trade) = port.map(|port| Trade { ni, switch, port })
            && child.may(&trade)
        {
            child.apply(&trade);
            trades += 1;
        }
    }
    trades
}

/// `other` with its switches renumbered to agree with `model` as far as a greedy matching can tell.
pub fn align(problem: &Problem, model: &[u32], other: &[u32]) -> Genome {
    if problem.nis() > MOST_ALIGNED {
        return other.to_vec();
    }
    let mut overlaps: Vec<(u32, u32)> = Vec::new();
    for pe in 0..problem.pes() {
        let nis = problem.nis_of(pe);
        for &theirs in other[nis.clone()].iter().filter(|&&s| s != NONE) {
            for &mine in model[nis.clone()].iter().filter(|&&s| s != NONE) {
                if problem.ports_of(theirs).len() == problem.ports_of(mine).len() {
                    overlaps.push((theirs, mine));
                }
            }
        }
    }
    overlaps.sort_unstable();
    let mut counted: Vec<(usize, u32, u32)> =
        overlaps.chunk_by(|a, b| a == b).map(|same| (same.len(), same[0].0, same[0].1)).collect();
    counted.sort_unstable_by(|a, b| b.0.cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let names = renumbering(problem, &counted);
    other.iter().map(|&s| if s == NONE { NONE } else { names[s as usize] }).collect()
}

/// A renumbering that keeps widths: first along the overlaps, then whatever is left in order.
fn renumbering(problem: &Problem, overlaps: &[(usize, u32, u32)]) -> Vec<u32> {
    let switches = problem.switches() as usize;
    let (mut names, mut taken) = (vec![NONE; switches], vec![false; switches]);
    for &(_, theirs, mine) in overlaps {
        if names[theirs as usize] == NONE && !taken[mine as usize] {
            names[theirs as usize] = mine;
            taken[mine as usize] = true;
        }
    }
    let by_width = |s: &u32| (problem.ports_of(*s).len(), *s);
    let mut nameless: Vec<u32> = (0..switches as u32).filter(|&s| names[s as usize] == NONE).collect();
    let mut free: Vec<u32> = (0..switches as u32).filter(|&s| !taken[s as usize]).collect();
    nameless.sort_by_key(by_width);
    free.sort_by_key(by_width);
    for (theirs, mine) in nameless.into_iter().zip(free) {
        names[theirs as usize] = mine;
    }
    names
}
