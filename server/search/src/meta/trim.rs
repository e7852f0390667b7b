//! What a wiring really needs: the switches and cables without which some pair would go short.
//!
//! A search fills every port, since that can only add paths; a buyer need not, and pays for cables that are handed out. First whole switches go whose pairs all meet
//! elsewhere, the emptiest first, then single cables; and what is left may fit on fewer switches than it came on. This is
//! greedy: nothing says that no smaller set would do.

use super::pack::pack;
use shared::{
    demand::{Adjacency, Demand},
    design::{Design, check},
    hardware::build_spec,
    spec::Spec,
};

/// Up to so many pairs the partners of each PE are listed, which is faster where switches are wider than degrees.
const MOST_LISTED: usize = 1 << 22;

/// What is bought for a wiring, and handed out.
pub struct Needed {
    /// The spec with so many switches as the wiring has.
    pub spec: Spec,
    /// The wiring, with the cables that some pair needs.
    pub design: Design,
}

/// What a wiring of a cell that serves every pair needs. Links wished for on top of those wanted count as needed. Where
/// `go_on` says no, all of it does.
pub fn needed(spec: &Spec, demand: &Demand, design: Design, go_on: &mut dyn FnMut() -> bool) -> Needed {
    let lean = Trim::new(demand, &design).trimmed(go_on);
    let least = lean.and_then(|lean| least(spec, demand, Design::from_switches(spec.pes, lean)));
    least.unwrap_or_else(|| Needed { spec: build_spec(spec, spec.switch_budget()), design })
}

/// The wiring as it is or put together, whichever takes fewer switches. The checker has the last word.
fn least(spec: &Spec, demand: &Demand, lean: Design) -> Option<Needed> {
    let packed = pack(spec.pes, lean.switches(), &spec.usable_ports());
    let builds = std::iter::once(lean).chain(packed).map(|design| bought(spec, &design));
    let holding = builds.filter(|build| check(&build.spec, demand, &build.design).holds());
    holding.min_by_key(|build| build.spec.switch_budget())
}

/// The switches with a cable in them, and a folded uplink switch even without: it is the last, as in every spec.
fn bought(spec: &Spec, design: &Design) -> Needed {
    let folded = spec.uplink_switch();
    let others = design.switches().zip(0..).filter(|(members, s)| !members.is_empty() && folded != Some(*s));
    let mut switches: Vec<Vec<u32>> = others.map(|(members, _)| members.to_vec()).collect();
    switches.extend(
        folded.map(|s| if s < design.switch_count() { design.members(s).to_vec() } else { Vec::new() }),
    );
    // A spec without a switch is none.
    let count = switches.len().max(1) as u32;
    Needed { spec: build_spec(spec, count), design: Design::from_switches(spec.pes, switches) }
}

struct Trim<'a> {
    demand: &'a Demand,
    partners: Option<Adjacency>,
    /// Switches that the PEs of each pair share.
    shared: Vec<u32>,
    /// Who is on the switch at hand.
    on: Vec<bool>,
    switches: Vec<Vec<u32>>,
}

impl<'a> Trim<'a> {
    fn new(demand: &'a Demand, design: &Design) -> Trim<'a> {
        Trim {
            demand,
            partners: (demand.len() <= MOST_LISTED).then(|| demand.adjacency()),
            shared: vec![0; demand.len()],
            on: vec![false; design.pes() as usize],
            switches: design.switches().map(<[u32]>::to_vec).collect(),
        }
    }

    /// What is left of each switch; `None` if `go_on` said no.
    fn trimmed(mut self, go_on: &mut dyn FnMut() -> bool) -> Option<Vec<Vec<u32>>> {
        for switch in 0..self.switches.len() {
            self.pairs_of(switch, go_on)?.into_iter().for_each(|pair| self.shared[pair] += 1);
        }
        let mut order: Vec<usize> = (0..self.switches.len()).collect();
        order.sort_by_key(|&switch| self.switches[switch].len());
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

    /// Takes single PEs off a switch.
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

    /// The requested pairs that meet on a switch, each once.
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

    /// The requested partners of a PE among the marked members, with the number of each pair.
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
