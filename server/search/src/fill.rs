//! The first design (Dietz and Mattox 2000, section 2.2): each NI goes to the lowest-numbered switch with a free port that its
//! PE is not on.
//!
//! This rule also ends every search: it connects unused NIs to free ports, which can only add paths.

use crate::{
    problem::{NONE, Problem, Rail, nis_per_pe},
    wiring::{Genome, Swap, Wiring},
};
use spec::{
    cancel::{check, checked},
    spec::Spec,
};
use std::ops::Range;

/// The first design.
pub fn fill(problem: &Problem) -> Genome {
    let mut genome = vec![NONE; problem.nis() as usize];
    connect_rest(problem, &mut genome);
    genome
}

/// Connects unconnected NIs by the same rule, within the instance's rules.
pub fn connect_rest(problem: &Problem, genome: &mut [u32]) {
    let ports: Vec<u32> = (0..problem.switches()).map(|s| problem.ports_of(s).len() as u32).collect();
    let nis = (0..problem.pes()).map(|pe| problem.nis_of(pe));
    let may = |pe, switch| problem.rules().is_none_or(|rules| rules.is_allowed(pe, switch));
    connect(&ports, problem.rail(), nis, &may, genome);
}

/// Connects unused NIs for a spec; `ports` are the ports of useful switches.
pub fn connect_rest_of(spec: &Spec, ports: &[u32], genome: &mut [u32]) {
    let mut end = 0;
    let nis = nis_per_pe(spec).map(|count| {
        end += count as usize;
        end - count as usize..end
    });
    connect(ports, Rail::of(spec).as_ref(), nis, &|_, _| true, genome);
}

fn connect(
    ports: &[u32],
    rail: Option<&Rail>,
    nis: impl Iterator<Item = Range<usize>>,
    may: &dyn Fn(u32, u32) -> bool,
    genome: &mut [u32],
) {
    let switches = ports.len() as u32;
    let mut free: Vec<u32> = ports.iter().copied().chain([u32::MAX]).collect();
    for &switch in genome.iter().filter(|&&s| s != NONE) {
        free[switch as usize] -= 1;
    }
    // For each switch the next one with a free port, with path compression; the last entry is a sentinel.
    let mut next: Vec<u32> = (0..=switches).collect();
    for (pe, nis) in (0..).zip(nis) {
        for (ni, plane) in checked(nis.clone().zip(0..)) {
            if genome[ni] != NONE {
                continue;
            }
            let Range { start, end } = rail.map_or(0..switches, |rail| rail.switches_of(plane));
            let mut switch = open_from(start, &mut next, &free);
            while switch < end && (genome[nis.clone()].contains(&switch) || !may(pe, switch)) {
                switch = open_from(switch + 1, &mut next, &free);
            }
            if switch < end {
                genome[ni] = switch;
                free[switch as usize] -= 1;
            }
        }
    }
}

/// Connects NIs that [`connect_rest`] had to leave, because their PE is on every switch with a free port: another PE
/// moves there and frees its place. Keeps all limits, but may lose links.
pub fn seat_rest(problem: &Problem, genome: &mut [u32]) {
    if problem.rail().is_some() {
        // A PE is on a plane once, so that none had to be left.
        return;
    }
    let mut free: Vec<usize> = (0..problem.switches()).map(|s| problem.ports_of(s).len()).collect();
    genome.iter().filter(|&&s| s != NONE).for_each(|&s| free[s as usize] -= 1);
    for pe in 0..problem.pes() {
        for ni in checked(problem.nis_of(pe)) {
            let Some(open) = (0..problem.switches()).find(|&s| free[s as usize] > 0) else { return };
            if genome[ni] == NONE
                && let Some(other) = stand_in(problem, genome, pe, open)
            {
                genome[ni] = std::mem::replace(&mut genome[other], open);
                free[open as usize] -= 1;
            }
        }
    }
}

/// An NI of another PE that may move to switch `open` and whose switch `pe` is not on.
fn stand_in(problem: &Problem, genome: &[u32], pe: u32, open: u32) -> Option<usize> {
    let own = &genome[problem.nis_of(pe)];
    (0..problem.pes())
        .filter(|&q| !genome[problem.nis_of(q)].contains(&open))
        .find_map(|q| problem.nis_of(q).find(|&ni| genome[ni] != NONE && !own.contains(&genome[ni])))
}

fn open_from(start: u32, next: &mut [u32], free: &[u32]) -> u32 {
    let mut end = start;
    while free[end as usize] == 0 {
        end = if next[end as usize] == end { end + 1 } else { next[end as usize] };
    }
    let mut at = start;
    while at != end {
        let following = if next[at as usize] == at { at + 1 } else { next[at as usize] };
        next[at as usize] = end;
        at = following;
    }
    end
}

/// Limit of candidates examined in all.
const MAX_LOOKS: u64 = 1 << 22;

/// Connects NIs that are idle because their PE is on every switch with a free port: another NI moves there and leaves
/// its place to the idle one. Only where no pair loses a link, so this can only add paths.
pub fn seat_idle(wiring: &mut Wiring) {
    let mut looks = 0;
    for ni in (0..wiring.problem.nis()).filter(|&ni| wiring.switch_of(ni) == NONE).collect::<Vec<u32>>() {
        for switch in checked(0..wiring.problem.switches()) {
            let mut ports = wiring.problem.ports_of(switch).map(|port| port as u32);
            let Some(free) = ports.find(|&port| wiring.ni_at(port) == NONE) else { continue };
            looks += u64::from(wiring.problem.nis());
            if looks > MAX_LOOKS {
                return;
            }
            if let Some(other) = free_stand_in(wiring, ni, switch, free) {
                let (left, port) = (wiring.switch_of(other), wiring.port_of(other));
                wiring.apply(&Swap { ni: other, switch, port: free });
                wiring.apply(&Swap { ni, switch: left, port });
                break;
            }
        }
    }
}

/// An NI that may move to a free port at no loss, and whose switch may take the idle NI.
fn free_stand_in(wiring: &Wiring, idle: u32, switch: u32, free: u32) -> Option<u32> {
    let pe = wiring.problem.owner(idle);
    let may = |switch: u32| {
        wiring.problem.keeps_rail(idle, switch)
            && wiring.problem.rules().is_none_or(|rules| rules.is_allowed(pe, switch))
    };
    (0..wiring.problem.nis()).find(|&ni| {
        check();
        let from = wiring.switch_of(ni);
        from != NONE
            && !wiring.is_on(pe, from)
            && may(from)
            && !wiring.is_on(wiring.problem.owner(ni), switch)
            && wiring.delta(&Swap { ni, switch, port: free }, 0) <= 0
    })
}
