//! The order in which two people plug in cables.
//!
//! Every pair of a rack of PEs and a rack of switches with cables between them is a part, during which both stand still. One
//! person, the outer, passes every rack once. For each of these racks the other, the inner, passes the racks at the far ends of
//! its cables, starting at the nearer end of the row. Racks are passed row by row, every second row backwards. Both choices of
//! the outer are tried, and the one with the shorter walk is taken.
//!
//! In a part, cables go by switch, so one colour is in hand at a time, up and down along the PEs. Without racks every switch is a
//! part, and all direct cables are the last one.

use super::{DesignPlan, plugs::Cable};
use crate::{analysis::lengths::between, spec::Rack};
use std::ops::Range;

/// One cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub pe: u32,
    pub ni: u32,
    pub switch: u32,
}

/// Cables between which nobody walks to another rack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RackStage {
    /// The racks of the PEs and of the switches, by number; none where no racks are known.
    pub racks: Option<(usize, usize)>,
    pub steps: Range<usize>,
}

/// All cables, in order.
pub struct Order {
    pub steps: Vec<Step>,
    pub parts: Vec<RackStage>,
    /// `true` if the person at the PEs passes every rack once.
    pub pes_once: bool,
    /// Metres that the two walk together, and would walk in the order of the cable list; none without racks.
    pub walked: Option<(f64, f64)>,
}

/// Racks of PEs and of switches, by number.
type RackPair = (usize, usize);

impl Order {
    /// Orders the cables of a wiring.
    pub fn of(plan: &DesignPlan) -> Order {
        let racks = &plan.spec.racks;
        let all: Vec<(RackPair, Step)> = cables(plan).map(|step| (stand(plan, &step), step)).collect();
        let known = |&((pe, switch), _): &(RackPair, Step)| pe < racks.len() && switch < racks.len();
        if racks.is_empty() || !all.iter().all(known) {
            return by_switch(plan, all.into_iter().map(|(_, step)| step).collect());
        }
        let stands = |list: &[(RackPair, Step)]| metres(racks, list.iter().map(|one| one.0));
        let list = stands(&all);
        let [pes, switches] = [true, false].map(|pes_once| passes(racks, all.clone(), pes_once));
        let (pes_walk, switches_walk) = (stands(&pes), stands(&switches));
        let pes_once = pes_walk <= switches_walk;
        let (best, walk) = if pes_once { (pes, pes_walk) } else { (switches, switches_walk) };
        let parts = parts(&best, |a, b| a.0 == b.0, |one| Some(one.0));
        let steps = best.into_iter().map(|(_, step)| step).collect();
        Order { steps, parts, pes_once, walked: Some((walk, list)) }
    }
}

fn cables(plan: &DesignPlan) -> impl Iterator<Item = Step> {
    plan.cables().map(|Cable { pe, ni, switch, .. }| Step { pe, ni, switch })
}

/// Racks of both people for a cable; beyond the last rack if there is none.
fn stand(plan: &DesignPlan, step: &Step) -> RackPair {
    let racks = &plan.spec.racks;
    let find = |number: u32, count: fn(&Rack) -> u32| {
        let mut after = 0u64;
        let holds = |rack: &Rack| {
            after += u64::from(count(rack));
            u64::from(number) < after
        };
        racks.iter().position(holds).unwrap_or(racks.len())
    };
    let far = match plan.far_ni(step.pe, step.switch) {
        Some((far, _)) => find(far, |rack| rack.pes),
        None => find(step.switch, |rack| rack.switches),
    };
    (find(step.pe, |rack| rack.pes), far)
}

/// Metres that two people walk in total if they visit these places in order.
fn metres(racks: &[Rack], stands: impl Iterator<Item = RackPair>) -> f64 {
    let mut walked = 0.0;
    let mut last: Option<RackPair> = None;
    for (pe, switch) in stands {
        if let Some(last) = last {
            walked += between(&racks[last.0], &racks[pe]) + between(&racks[last.1], &racks[switch]);
        }
        last = Some((pe, switch));
    }
    walked
}

/// Each rack's place on the way along all rows, every second one backwards.
fn way(racks: &[Rack]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..racks.len()).collect();
    let along = |&a: &usize, &b: &usize| {
        racks[a].y.total_cmp(&racks[b].y).then(racks[a].x.total_cmp(&racks[b].x)).then(a.cmp(&b))
    };
    order.sort_by(along);
    for (row, members) in order.chunk_by_mut(|&a, &b| racks[a].y == racks[b].y).enumerate() {
        if row % 2 == 1 {
            members.reverse();
        }
    }
    let mut place = vec![0; racks.len()];
    for (at, rack) in order.into_iter().enumerate() {
        place[rack] = at;
    }
    place
}

/// Orders cables by passes: of one person, once, and for each rack of the other.
fn passes(racks: &[Rack], mut all: Vec<(RackPair, Step)>, pes_once: bool) -> Vec<(RackPair, Step)> {
    let place = way(racks);
    let outer = |stand: RackPair| if pes_once { stand.0 } else { stand.1 };
    let inner = |stand: RackPair| if pes_once { stand.1 } else { stand.0 };
    all.sort_by_key(|(stand, step)| (place[outer(*stand)], place[inner(*stand)], step.switch, step.pe));
    let mut last: Option<usize> = None;
    for pass in all.chunk_by_mut(|a, b| outer(a.0) == outer(b.0)) {
        let ends = [pass[0], pass[pass.len() - 1]].map(|(stand, _)| inner(stand));
        let far = last.map(|from| ends.map(|end| between(&racks[from], &racks[end])));
        if far.is_some_and(|far| far[1] < far[0]) {
            pass.sort_by_key(|(stand, step)| (usize::MAX - place[inner(*stand)], step.switch, step.pe));
        }
        last = pass.last().map(|(stand, _)| inner(*stand));
        for part in pass.chunk_by_mut(|a, b| a.0 == b.0) {
            up_and_down(part, |one| one.1.switch);
        }
    }
    all
}

/// Turns every second run of one switch round.
fn up_and_down<T>(list: &mut [T], switch: impl Fn(&T) -> u32) {
    for (number, run) in list.chunk_by_mut(|a, b| switch(a) == switch(b)).enumerate() {
        if number % 2 == 1 {
            run.reverse();
        }
    }
}

/// Cuts a list into parts where `together` ends.
fn parts<T>(
    all: &[T],
    together: impl Fn(&T, &T) -> bool,
    racks: impl Fn(&T) -> Option<RackPair>,
) -> Vec<RackStage> {
    let mut after = 0;
    let part = |part: &[T]| {
        after += part.len();
        RackStage { racks: racks(&part[0]), steps: after - part.len()..after }
    };
    all.chunk_by(together).map(part).collect()
}

/// The order where no racks are known.
fn by_switch(plan: &DesignPlan, mut steps: Vec<Step>) -> Order {
    let is_direct = |step: &Step| plan.is_cable(step.switch);
    steps.sort_by_key(|step| (is_direct(step), step.switch, step.pe));
    up_and_down(&mut steps, |step| step.switch);
    let parts = parts(&steps, |a, b| a.switch == b.switch || is_direct(a) && is_direct(b), |_| None);
    Order { steps, parts, pes_once: false, walked: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        demand::Demand,
        design::Design,
        resolve::{self, NoFiles},
    };
    use std::sync::Arc;

    /// 24 PEs on 6 switches in a wiring without a pattern, in racks as said.
    fn plan(racks: &str) -> DesignPlan {
        let text = format!(
            "pes = 24\nnis_per_pe = 3\nobjective = \"sparse\"\n[[switch]]\nports = 16\ncount = 6\n[[pattern]]\nkind = \"ring\"\n{racks}"
        );
        let spec = resolve::read(&text, &mut NoFiles).unwrap_or_else(|faults| panic!("{faults}"));
        let demand = Demand::build(&spec).unwrap_or_else(|faults| panic!("{faults}"));
        let on =
            |switch: u32| (0..24).filter(move |pe| (0..3).any(|ni| (pe * (ni + 1) + 2 * ni) % 6 == switch));
        let design = Design::from_switches(24, (0..6).map(|switch| on(switch).collect::<Vec<_>>()));
        DesignPlan::new(Arc::new(spec), text.into(), Arc::new(demand), Arc::new(design), Default::default())
    }

    fn complete(order: &Order, plan: &DesignPlan) {
        let mut steps: Vec<_> = order.steps.iter().map(|step| (step.pe, step.ni, step.switch)).collect();
        steps.sort_unstable();
        let all: Vec<_> = cables(plan).map(|step| (step.pe, step.ni, step.switch)).collect();
        assert_eq!(steps, all);
        let parts: Vec<usize> = order.parts.iter().flat_map(|part| part.steps.clone()).collect();
        assert_eq!(parts, (0..steps.len()).collect::<Vec<_>>());
    }

    #[test]
    fn one_never_walks_back_and_the_other_turns_only_at_the_end_of_a_pass() {
        let racks: String = (0..4)
            .map(|i| format!("[[rack]]\npes = 6\nx = {}\n", i as f64 * 0.6))
            .chain(
                (0..3).map(|i| format!("[[rack]]\npes = 0\nswitches = 2\ny = 2.0\nx = {}\n", i as f64 * 0.6)),
            )
            .collect();
        let plan = plan(&racks);
        let order = Order::of(&plan);
        complete(&order, &plan);
        let stands: Vec<RackPair> = order.parts.iter().map(|part| part.racks.unwrap()).collect();
        let mut once = stands.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), stands.len(), "no part comes twice");
        let place = way(&plan.spec.racks);
        let pick =
            |stand: &RackPair, outer: bool| place[if outer == order.pes_once { stand.0 } else { stand.1 }];
        for pair in stands.windows(2) {
            let moves = [true, false].map(|outer| pick(&pair[0], outer) != pick(&pair[1], outer));
            assert!(pick(&pair[0], true) <= pick(&pair[1], true), "{stands:?}");
            assert_eq!(moves.iter().filter(|moves| **moves).count(), 1, "one walks at a time: {stands:?}");
        }
        for pass in stands.chunk_by(|a, b| pick(a, true) == pick(b, true)) {
            let inner: Vec<usize> = pass.iter().map(|stand| pick(stand, false)).collect();
            assert!(inner.is_sorted() || inner.iter().rev().is_sorted(), "{inner:?}");
        }
        let (here, list) = order.walked.unwrap();
        assert!(here < list / 2.0, "{here} of {list} metres");
        for part in &order.parts {
            let steps = &order.steps[part.steps.clone()];
            assert!(steps.is_sorted_by_key(|step| step.switch), "{steps:?}");
        }
    }

    #[test]
    fn without_racks_switches_follow_and_pes_go_up_and_down() {
        let plan = plan("");
        let order = Order::of(&plan);
        complete(&order, &plan);
        assert_eq!((order.parts.len(), order.walked), (6, None));
        for (number, part) in order.parts.iter().enumerate() {
            let mut pes: Vec<u32> = order.steps[part.steps.clone()].iter().map(|step| step.pe).collect();
            if number % 2 == 1 {
                pes.reverse();
            }
            assert!(pes.is_sorted(), "{number}: {pes:?}");
        }
    }
}
