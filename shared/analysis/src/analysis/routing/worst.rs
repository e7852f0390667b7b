//! The worst single switch and the worst PE to lose (Mattox 2006, section 5.3).
//!
//! A pair loses its path with a switch exactly if it shares no other; one pass over the connected pairs counts that for all
//! switches at once. The cut vertices of the graph of PEs and switches show the pairs that would become unreachable, with routes
//! through other PEs included; one depth-first search finds them (Tarjan).

use crate::{
    analysis::meetings::Meetings,
    cancel::{check, checked},
    demand::Demand,
    design::{Names, Node, WorkingDesign},
    text::{grouped, rounded},
};
use std::cmp::Reverse;

/// Effect of losing one part. Pairs of a lost PE itself count in `requested` and `pairs`, but not as cut off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Single {
    /// The part.
    pub part: Node,
    /// Pairs of other PEs that would become unreachable.
    pub cut_off: u64,
    /// Requested pairs that would lose their last shared switch.
    pub requested: u64,
    /// Weight of these requested pairs.
    pub weight: f64,
    /// All pairs, requested or not, that would lose their last shared switch.
    pub pairs: u64,
    /// All pairs that would share fewer switches, but at least one.
    pub fewer: u64,
}

/// Effect of losing each part, worst first: by pairs cut off, requested weight and pairs, all pairs, pairs with fewer switches.
#[derive(Clone, Debug, PartialEq)]
pub struct Singles {
    /// Every switch with a working cable.
    pub switches: Vec<Single>,
    /// Every PE with a working cable.
    pub pes: Vec<Single>,
}

/// Ranks the working parts. Time grows with the connected pairs, memory with PEs, switches and cables.
pub fn singles(demand: &Demand, working: &WorkingDesign) -> Singles {
    let (pes, switches) = (working.design().pes(), working.design().switch_count());
    let cut_off = CutOff::of(working);
    let none = |part, cut_off| Single { part, cut_off, requested: 0, weight: 0.0, pairs: 0, fewer: 0 };
    let mut singles = Singles {
        switches: (0..switches).map(|s| none(Node::Switch(s), cut_off.pairs(pes + s))).collect(),
        pes: (0..pes).map(|pe| none(Node::Pe(pe), cut_off.pairs(pe))).collect(),
    };
    singles.count_all(working);
    singles.count_requested(demand, working);
    singles.switches.retain(|s| matches!(s.part, Node::Switch(s) if !working.design().members(s).is_empty()));
    singles.pes.retain(|pe| matches!(pe.part, Node::Pe(pe) if !working.live().of(pe).is_empty()));
    rank(&mut singles.switches);
    rank(&mut singles.pes);
    singles
}

fn rank(all: &mut [Single]) {
    all.sort_by(|a, b| {
        let counts = |s: &Single| Reverse((s.requested, s.pairs, s.fewer));
        let weight = b.weight.total_cmp(&a.weight);
        b.cut_off.cmp(&a.cut_off).then(weight).then(counts(a).cmp(&counts(b))).then(a.part.cmp(&b.part))
    });
}

impl Singles {
    fn count_all(&mut self, working: &WorkingDesign) {
        let pes = working.design().pes();
        let mut meetings = Meetings::new(pes);
        for pe in checked(0..pes) {
            meetings.count(working.design(), working.live(), pe, pe + 1, pes);
            for &other in meetings.met_unsorted() {
                self.pes[pe as usize].pairs += 1;
                self.pes[other as usize].pairs += 1;
            }
            for &switch in working.live().of(pe) {
                let members = working.design().members(switch);
                let higher = &members[members.partition_point(|&other| other <= pe)..];
                let single = &mut self.switches[switch as usize];
                let alone = higher.iter().filter(|&&other| meetings.with(other) == 1).count();
                single.pairs += alone as u64;
                single.fewer += (higher.len() - alone) as u64;
            }
        }
    }

    fn count_requested(&mut self, demand: &Demand, working: &WorkingDesign) {
        let pes = working.design().pes();
        for (pair, (a, b)) in demand.pairs().enumerate().filter(|(_, (_, b))| *b < pes) {
            let mut shared = working.live().shared(a, b);
            let Some(switch) = shared.next() else { continue };
            let alone = shared.next().is_none().then(|| &mut self.switches[switch as usize]);
            let mut lose = |single: &mut Single| {
                single.requested += 1;
                single.weight += f64::from(demand.weight(pair));
            };
            alone.into_iter().for_each(&mut lose);
            [a, b].iter().for_each(|&pe| lose(&mut self.pes[pe as usize]));
        }
    }
}

impl Single {
    /// Text such as `sw03: 118 requested pairs of weight 240 (253 of all pairs) would lose their last shared switch, …`. The
    /// weight is left out if it equals the number of pairs.
    pub fn words(&self, names: &Names) -> String {
        let (part, mut requested) = (names.node(self.part), pairs(self.requested, "requested pair"));
        if self.weight.to_bits() != (self.requested as f64).to_bits() {
            requested += &format!(" of weight {}", rounded(self.weight, 1));
        }
        let mut text = format!(
            "{part}: {requested} ({} of all pairs) would lose their last shared switch",
            grouped(self.pairs)
        );
        if self.fewer > 0 {
            text += &format!(", and {} would share fewer", grouped(self.fewer));
        }
        text + &format!("; {} of other nodes would become unreachable", pairs(self.cut_off, "pair"))
    }
}

fn pairs(number: u64, what: &str) -> String {
    match number {
        0 => format!("no {what}"),
        1 => format!("1 {what}"),
        _ => format!("{} {what}s", grouped(number)),
    }
}

/// Depth-first search over PEs (by number) and switches (numbered after them).
struct CutOff {
    pes: u32,
    /// Order of visits, from 1; 0 before the visit.
    met: Vec<u32>,
    /// The earliest vertex that a vertex or its subtree touches.
    low: Vec<u32>,
    /// PEs in its subtree, itself included.
    hanging: Vec<u32>,
    /// PEs that its loss would separate from earlier ones, and the squares of their groups.
    parted: Vec<u32>,
    squares: Vec<u64>,
    whole: Vec<u32>,
}

impl CutOff {
    fn of(working: &WorkingDesign) -> CutOff {
        let (pes, switches) = (working.design().pes(), working.design().switch_count());
        let number = pes as usize + switches as usize;
        let mut cut = CutOff {
            pes,
            met: vec![0; number],
            low: vec![0; number],
            hanging: vec![0; number],
            parted: vec![0; number],
            squares: vec![0; number],
            whole: vec![0; number],
        };
        let (mut clock, mut order) = (0, Vec::new());
        for pe in checked(0..pes) {
            if cut.met[pe as usize] == 0 {
                order.clear();
                cut.search(working, pe, &mut clock, &mut order);
                let whole = cut.hanging[pe as usize];
                order.iter().for_each(|&at| cut.whole[at as usize] = whole);
            }
        }
        cut
    }

    /// Searches from a PE with its own stack, since a chain of PEs may be a million long.
    fn search(&mut self, working: &WorkingDesign, from: u32, clock: &mut u32, order: &mut Vec<u32>) {
        let mut stack: Vec<(u32, u32, usize)> = Vec::new();
        let mut down = Some((from, u32::MAX));
        loop {
            check();
            if let Some((at, above)) = down.take() {
                *clock += 1;
                (self.met[at as usize], self.low[at as usize]) = (*clock, *clock);
                self.hanging[at as usize] = u32::from(at < self.pes);
                order.push(at);
                stack.push((at, above, 0));
            }
            let Some((at, above, next)) = stack.last_mut() else { return };
            let (at, above) = (*at, *above);
            let neighbour = self.neighbour(working, at, *next);
            *next += 1;
            match neighbour {
                Some(to) if self.met[to as usize] == 0 => down = Some((to, at)),
                Some(to) if to != above => {
                    self.low[at as usize] = self.low[at as usize].min(self.met[to as usize]);
                }
                Some(_) => {}
                None => {
                    stack.pop();
                    if above != u32::MAX {
                        self.hand_up(at as usize, above as usize);
                    }
                }
            }
        }
    }

    fn hand_up(&mut self, at: usize, above: usize) {
        let group = self.hanging[at];
        self.hanging[above] += group;
        self.low[above] = self.low[above].min(self.low[at]);
        if self.low[at] >= self.met[above] {
            self.parted[above] += group;
            self.squares[above] += u64::from(group).pow(2);
        }
    }

    fn neighbour(&self, working: &WorkingDesign, at: u32, place: usize) -> Option<u32> {
        match at.checked_sub(self.pes) {
            None => working.live().of(at).get(place).map(|switch| self.pes + switch),
            Some(switch) => working.design().members(switch).get(place).copied(),
        }
    }

    /// Pairs in different groups without a PE or switch.
    fn pairs(&self, at: u32) -> u64 {
        let own = u32::from(at < self.pes);
        let at = at as usize;
        let others = self.whole[at].saturating_sub(own);
        let rest = others.saturating_sub(self.parted[at]);
        (u64::from(others).pow(2) - self.squares[at] - u64::from(rest).pow(2)) / 2
    }
}
