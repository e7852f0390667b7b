//! Trims a wiring to the switches and cables that its pairs need: first whole switches, emptiest first, then single
//! cables. The rest may fit on fewer switches. Greedy, not minimal; small wirings are trimmed in several orders.

use spec::{
    demand::{Adjacency, Demand},
    design::{Design, check},
    random::Rng,
    spec::Spec,
};
use std::{cmp::Reverse, collections::BTreeSet};
use work::hardware::build_spec;

/// Up to this many pairs, partners are listed per PE: faster where switches are wider than degrees.
const MAX_LISTED: usize = 1 << 22;

pub struct TrimResult {
    pub spec: Spec,
    pub design: Design,
}

/// Up to this many requested pairs, several orders are tried.
const MAX_REPEATED: usize = 1 << 16;
/// Orders of switches tried: emptiest first, then random ones.
const ORDERS: u64 = 12;

/// Trims a wiring that serves every pair. Extra links count as needed. `None` if `go_on` says no.
pub fn trim(
    spec: &Spec,
    demand: &Demand,
    design: &Design,
    go_on: &mut dyn FnMut() -> bool,
) -> Option<TrimResult> {
    let left = members(demand, design, go_on)?;
    fewest(spec, demand, Design::from_switches(spec.pes, left))
}

/// Remaining PEs of each switch after a trim: of several orders, those with the fewest switches, then the fewest cables.
pub fn members(demand: &Demand, design: &Design, go_on: &mut dyn FnMut() -> bool) -> Option<Vec<Vec<u32>>> {
    let orders = if demand.len() <= MAX_REPEATED { ORDERS } else { 1 };
    let count = |left: &Vec<Vec<u32>>| {
        let used = left.iter().filter(|members| !members.is_empty()).count();
        (used, left.iter().map(Vec::len).sum::<usize>())
    };
    let mut best: Option<Vec<Vec<u32>>> = None;
    for order in 0..orders {
        let mut rng = (order > 0).then(|| Rng::new(order, 0));
        let left = Trim::new(demand, design).trimmed(rng.as_mut(), go_on)?;
        if best.as_ref().is_none_or(|best| count(&left) < count(best)) {
            best = Some(left);
        }
    }
    best
}

/// The wiring as it is or packed, whichever takes fewer switches. The checker decides.
fn fewest(spec: &Spec, demand: &Demand, left: Design) -> Option<TrimResult> {
    let packed = pack(spec.pes, left.switches(), &spec.usable_ports());
    let builds = std::iter::once(left).chain(packed).map(|design| build(spec, &design));
    let holding = builds.filter(|build| check(&build.spec, demand, &build.design).holds());
    holding.min_by_key(|build| build.spec.switch_budget())
}

/// Drops empty switches, except for a folded uplink switch, which is the last in every spec.
fn build(spec: &Spec, design: &Design) -> TrimResult {
    let folded = spec.uplink_switch();
    let others = design.switches().zip(0..).filter(|(members, s)| !members.is_empty() && folded != Some(*s));
    let mut switches: Vec<Vec<u32>> = others.map(|(members, _)| members.to_vec()).collect();
    switches.extend(
        folded.map(|s| if s < design.switch_count() { design.members(s).to_vec() } else { Vec::new() }),
    );
    // A spec needs a switch.
    let count = switches.len().max(1) as u32;
    TrimResult { spec: build_spec(spec, count), design: Design::from_switches(spec.pes, switches) }
}

struct Trim<'a> {
    demand: &'a Demand,
    partners: Option<Adjacency>,
    /// Number of switches that each pair shares.
    shared: Vec<u32>,
    /// `true` for PEs on the present switch.
    on: Vec<bool>,
    switches: Vec<Vec<u32>>,
}

impl<'a> Trim<'a> {
    fn new(demand: &'a Demand, design: &Design) -> Trim<'a> {
        Trim {
            demand,
            partners: (demand.len() <= MAX_LISTED).then(|| demand.adjacency()),
            shared: vec![0; demand.len()],
            on: vec![false; design.pes() as usize],
            switches: design.switches().map(<[u32]>::to_vec).collect(),
        }
    }

    /// Remaining members of each switch; `None` if `go_on` said no.
    fn trimmed(mut self, rng: Option<&mut Rng>, go_on: &mut dyn FnMut() -> bool) -> Option<Vec<Vec<u32>>> {
        for switch in 0..self.switches.len() {
            self.pairs_of(switch, go_on)?.into_iter().for_each(|pair| self.shared[pair] += 1);
        }
        let mut order: Vec<usize> = (0..self.switches.len()).collect();
        order.sort_by_key(|&switch| self.switches[switch].len());
        if let Some(rng) = rng {
            rng.shuffle(&mut order);
            self.switches.iter_mut().for_each(|members| rng.shuffle(members));
        }
        for &switch in &order {
            let pairs = self.pairs_of(switch, go_on)?;
            if pairs.iter().all(|&pair| self.is_spare(pair)) {
                pairs.into_iter().for_each(|pair| self.shared[pair] -= 1);
                self.switches[switch].clear();
            }
        }
        for switch in order {
            self.unplug(switch, go_on)?;
        }
        Some(self.switches)
    }

    fn unplug(&mut self, switch: usize, go_on: &mut dyn FnMut() -> bool) -> Option<()> {
        let members = std::mem::take(&mut self.switches[switch]);
        self.mark(&members, true);
        for &pe in &members {
            go_on().then_some(())?;
            let pairs = self.pairs_with(pe, &members);
            if pairs.iter().all(|&(_, pair)| self.is_spare(pair)) {
                pairs.into_iter().for_each(|(_, pair)| self.shared[pair] -= 1);
                self.on[pe as usize] = false;
            }
        }
        self.switches[switch] = members.iter().copied().filter(|&pe| self.on[pe as usize]).collect();
        self.mark(&members, false);
        Some(())
    }

    fn is_spare(&self, pair: usize) -> bool {
        self.shared[pair] > self.demand.links(pair) + self.demand.extra(pair)
    }

    fn mark(&mut self, members: &[u32], on: bool) {
        members.iter().for_each(|&pe| self.on[pe as usize] = on);
    }

    /// Requested pairs that share a switch.
    fn pairs_of(&mut self, switch: usize, go_on: &mut dyn FnMut() -> bool) -> Option<Vec<usize>> {
        let members = std::mem::take(&mut self.switches[switch]);
        self.mark(&members, true);
        let mut pairs = Vec::new();
        for &pe in &members {
            go_on().then_some(())?;
            let upward = self.pairs_with(pe, &members).into_iter().filter(|&(other, _)| other > pe);
            pairs.extend(upward.map(|(_, pair)| pair));
        }
        self.mark(&members, false);
        self.switches[switch] = members;
        Some(pairs)
    }

    /// Requested partners of a PE among the marked members, with the number of each pair.
    fn pairs_with(&self, pe: u32, members: &[u32]) -> Vec<(u32, usize)> {
        let here = |other: &u32| self.on[*other as usize];
        match &self.partners {
            Some(all) if all.of(pe).len() <= members.len() => {
                let numbers = all.pair[all.starts[pe as usize] as usize..].iter();
                let both = all.of(pe).iter().zip(numbers).filter(|(other, _)| here(other));
                both.map(|(&other, &pair)| (other, pair as usize)).collect()
            }
            _ => {
                let others = members.iter().filter(|other| **other != pe && here(other));
                others.filter_map(|&other| Some((other, self.demand.index_of(pe, other)?))).collect()
            }
        }
    }
}

/// Packs whole `switches` onto switches with these usable ports; `None` if they do not fit.
///
/// Best fit, decreasing: the fullest come first, each where it leaves least room. k switches of width ρ per switch of
/// width kρ always fit, since a switch is begun only when all begun ones hold k.
pub fn pack<'a>(pes: u32, switches: impl Iterator<Item = &'a [u32]>, ports: &[u32]) -> Option<Design> {
    let mut parts: Vec<&[u32]> = switches.filter(|members| !members.is_empty()).collect();
    parts.sort_by_key(|members| Reverse(members.len()));
    let mut rooms: BTreeSet<(u32, usize)> = ports.iter().copied().zip(0..).collect();
    let mut wide: Vec<Vec<u32>> = Vec::new();
    for members in parts {
        let size = u32::try_from(members.len()).ok()?;
        let room @ (free, switch) = rooms.range((size, 0)..).next().copied()?;
        rooms.remove(&room);
        rooms.insert((free - size, switch));
        wide.resize(wide.len().max(switch + 1), Vec::new());
        wide[switch].extend(members);
    }
    Some(Design::from_switches(pes, wide))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(sizes: &[u32], ports: &[u32]) -> Option<Vec<usize>> {
        let switches: Vec<Vec<u32>> = sizes.iter().map(|&size| (0..size).collect()).collect();
        // Distinct PEs in every part, so that none counts once for two.
        let mut first = 0;
        let apart: Vec<Vec<u32>> = switches
            .iter()
            .map(|members| {
                let moved = members.iter().map(|pe| pe + first).collect();
                first += members.len() as u32;
                moved
            })
            .collect();
        let design = pack(first, apart.iter().map(Vec::as_slice), ports)?;
        Some(design.switches().map(<[u32]>::len).collect())
    }

    #[test]
    fn so_many_narrow_ones_make_a_wide_one() {
        assert_eq!(packed(&[4; 6], &[12, 12]), Some(vec![12, 12]));
        assert_eq!(packed(&[4, 4, 4, 4, 3, 1], &[8, 8, 8]), Some(vec![8, 8, 4]));
        assert_eq!(packed(&[4; 7], &[12, 12]), None);
        assert_eq!(packed(&[5], &[4, 4]), None);
        assert_eq!(packed(&[], &[4]), Some(vec![]));
    }

    #[test]
    fn rooms_of_different_widths_are_used_as_they_fit() {
        assert_eq!(packed(&[7, 3], &[8, 3]), Some(vec![7, 3]));
        assert_eq!(packed(&[3, 7], &[3, 8]), Some(vec![3, 7]));
    }

    #[test]
    fn a_pe_of_two_parts_takes_one_port() {
        let design = pack(3, [&[0, 1][..], &[1, 2]].into_iter(), &[4]).expect("four fit");
        assert_eq!(design.members(0), [0, 1, 2]);
    }
}
