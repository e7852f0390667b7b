//! Breadth-first search through a wiring from one PE: from PEs to their switches, from switches to their PEs.

use crate::design::{Design, WorkingDesign};

pub(super) const FAR: u32 = u32::MAX;

/// Distances from one PE. Each switch is visited once; the next search resets only what this one reached.
#[derive(Clone, Debug)]
pub(super) struct Search {
    /// Switches crossed on the way to each PE.
    distance: Vec<u32>,
    /// For each switch the distance of its nearest PEs, and their span in `near`.
    depth: Vec<u32>,
    span: Vec<(u32, u32)>,
    near: Vec<u32>,
    order: Vec<u32>,
    switches: Vec<u32>,
}

impl Search {
    pub(super) fn new(working: &WorkingDesign) -> Search {
        let (pes, switches) = (working.design().pes() as usize, working.design().switch_count() as usize);
        Search {
            distance: vec![FAR; pes],
            depth: vec![FAR; switches],
            span: vec![(0, 0); switches],
            near: Vec::new(),
            order: Vec::new(),
            switches: Vec::new(),
        }
    }

    pub(super) fn run(&mut self, working: &WorkingDesign, from: u32) {
        self.order.iter().for_each(|&pe| self.distance[pe as usize] = FAR);
        self.switches.iter().for_each(|&switch| self.depth[switch as usize] = FAR);
        self.order.clear();
        self.switches.clear();
        self.near.clear();
        self.distance[from as usize] = 0;
        self.order.push(from);
        let mut at = 0;
        while let Some(&pe) = self.order.get(at) {
            for &switch in working.live().of(pe) {
                if self.depth[switch as usize] == FAR {
                    self.reach(working.design().members(switch), switch, self.distance[pe as usize]);
                }
            }
            at += 1;
        }
    }

    /// Visits a switch from its nearest PEs. All PEs of their distance are known by now, and farther ones by at most one.
    fn reach(&mut self, members: &[u32], switch: u32, depth: u32) {
        self.depth[switch as usize] = depth;
        self.switches.push(switch);
        let first = self.near.len() as u32;
        for &pe in members {
            let distance = &mut self.distance[pe as usize];
            if *distance == depth {
                self.near.push(pe);
            } else if *distance == FAR {
                *distance = depth + 1;
                self.order.push(pe);
            }
        }
        self.span[switch as usize] = (first, self.near.len() as u32);
    }

    /// Switches crossed on the way to a PE; [`FAR`] if it is unreachable.
    pub(super) fn distance(&self, pe: u32) -> u32 {
        self.distance[pe as usize]
    }

    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Reached switches by ascending distance of their nearest PEs, with that distance.
    pub(super) fn switches(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.switches.iter().map(|&switch| (switch, self.depth[switch as usize]))
    }

    /// The PEs of a reached switch that are nearest, ascending.
    pub(super) fn nearest(&self, switch: u32) -> &[u32] {
        let (first, end) = self.span[switch as usize];
        &self.near[first as usize..end as usize]
    }

    /// PEs that share a switch with a reached PE and are one step nearer, once per shared switch.
    pub(super) fn nearer_ones(&self, working: &WorkingDesign, pe: u32) -> impl Iterator<Item = u32> {
        let before = self.distance[pe as usize].wrapping_sub(1);
        let towards = working.live().of(pe).iter().filter(move |&&s| self.depth[s as usize] == before);
        towards.flat_map(move |&switch| self.nearest(switch)).copied()
    }

    /// The one of these with the least key; ties to the lowest.
    pub(super) fn nearer<K: Ord>(
        &self,
        working: &WorkingDesign,
        pe: u32,
        key: impl Fn(u32) -> K,
    ) -> Option<u32> {
        self.nearer_ones(working, pe).min_by_key(|&next| (key(next), next))
    }
}

/// Costs of candidates for routes, by the whole design, so that faults do not change them.
#[derive(Clone, Debug)]
pub(super) struct Costs(Vec<u64>);

impl Costs {
    /// A PE with many neighbours connects many pairs, about the square of their number. To carry no more than others, it must be
    /// chosen for fewer of them.
    pub(super) fn of(design: &Design) -> Costs {
        let mut costs = vec![0u64; design.pes() as usize];
        for members in design.switches() {
            members.iter().for_each(|&pe| costs[pe as usize] += members.len() as u64 - 1);
        }
        costs.iter_mut().for_each(|cost| *cost *= *cost);
        Costs(costs)
    }

    /// Key of a candidate for a pair: a hash times the cost, equal in both directions. The candidate with the lowest key wins.
    pub(super) fn key(&self, a: u32, b: u32, candidate: u32) -> u128 {
        let pair = u64::from(a.min(b)) << 32 | u64::from(a.max(b));
        let drawn = mixed(mixed(pair) ^ u64::from(candidate));
        u128::from(drawn) * u128::from(self.0[candidate as usize])
    }
}

/// The finaliser of SplitMix64, which spreads every bit over all others.
fn mixed(mut bits: u64) -> u64 {
    bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}
