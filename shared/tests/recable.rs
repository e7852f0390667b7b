//! Work lists from one wiring to another: each step is possible when it comes, the last one leaves the new wiring, and no
//! numbering of switches needs fewer moves.

use crate::common::{sparse, spec, wiring};
use proptest::prelude::*;
use shared::{
    compare::{Action, MAX_MATCHED, Recabling, SpecWiring, recabling},
    design::Design,
    spec::Spec,
};
use std::collections::{BTreeMap, BTreeSet};

fn machine(pes: u32, nis: u32, ports: u32, switches: u32) -> Spec {
    sparse(pes, nis, ports, switches, &[(0, 1)]).0
}

fn of(spec: &Spec, old: &Design, new: &Design) -> Recabling {
    recabling(SpecWiring { spec, design: old }, SpecWiring { spec, design: new })
}

/// Does every step on a model of the machine room, and compares what is there in the end.
fn replay(list: &Recabling, old: &Design, new: &Design, ports: u32) {
    let mut plugged: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for (switch, members) in (0..).zip(old.switches()) {
        plugged.extend(members.iter().zip(1..).map(|(&pe, port)| ((switch, port), pe)));
    }
    let mut loose = BTreeSet::new();
    for step in &list.steps {
        if let Some(from) = step.from {
            assert_eq!(plugged.remove(&from), Some(step.pe), "{step:?}");
        }
        match step.action {
            Action::Loosen => assert!(loose.insert((step.pe, step.ni)), "{step:?}"),
            Action::Plug => assert!(loose.remove(&(step.pe, step.ni)), "{step:?}"),
            Action::Move => assert!(step.from.is_some() && step.to.is_some()),
            Action::Add => assert!(step.from.is_none() && step.to.is_some()),
            Action::Remove => assert!(step.from.is_some() && step.to.is_none()),
        }
        if let Some(to) = step.to {
            assert!((1..=ports).contains(&to.1), "{step:?}");
            assert_eq!(plugged.insert(to, step.pe), None, "{step:?}");
        }
    }
    assert!(loose.is_empty());
    let mut after: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for ((switch, _), pe) in plugged {
        assert!(after.entry(list.becomes[switch as usize].unwrap()).or_default().insert(pe));
    }
    for (switch, members) in (0..).zip(new.switches()) {
        let there = after.remove(&switch).unwrap_or_default();
        assert_eq!(there.into_iter().collect::<Vec<_>>(), members, "{}", list.text());
    }
}

/// Most cables that can stay, over all numberings of the switches.
fn most_kept(old: &Design, new: &Design, from: u32, taken: &mut Vec<u32>) -> usize {
    if from == old.switch_count() {
        return 0;
    }
    let mut most = 0;
    for to in 0..new.switch_count() {
        if taken.contains(&to) {
            continue;
        }
        let kept = old.members(from).iter().filter(|pe| new.members(to).contains(pe)).count();
        taken.push(to);
        most = most.max(kept + most_kept(old, new, from + 1, taken));
        taken.pop();
    }
    most
}

#[test]
fn renumbered_switches_need_no_work() {
    let spec = machine(6, 2, 4, 3);
    let old = wiring("0: 0 1 2 3\n1: 2 3 4 5\n2: 0 1 4 5\n", 6);
    let new = wiring("0: 0 1 4 5\n1: 0 1 2 3\n2: 2 3 4 5\n", 6);
    let list = of(&spec, &old, &new);
    assert_eq!((list.steps.len(), list.kept, list.moved), (0, 12, 0));
    let text = list.text();
    assert!(text.contains("Cables: 0 to move, 0 to add, 0 to remove, 12 stay."), "{text}");
    assert!(text.contains("[ ] sw00 becomes sw01"), "{text}");
    assert_eq!(of(&spec, &old, &old).text().lines().count(), 2);
}

#[test]
fn a_list_reads_like_instructions() {
    let spec = machine(4, 1, 3, 2);
    let old = wiring("0: 0 1 2\n1: 3\n", 4);
    let new = wiring("0: 0 1\n1: 2 3\n", 4);
    let list = of(&spec, &old, &new);
    let text = list.text();
    assert!(text.contains("1 [ ] node002 NIC0: unplug from sw00 port 3, plug into sw01 port 2\n"), "{text}");
    let csv = list.csv();
    assert_eq!(csv.lines().nth(1), Some("1,move,node002,0,sw00,3,sw01,2,sw01,"));
    let columns = csv.lines().next().unwrap().split(',').count();
    assert!(csv.lines().all(|line| line.split(',').count() == columns), "{csv}");
}

#[test]
fn full_switches_that_swap_cables_leave_one_loose() {
    let spec = machine(6, 1, 3, 2);
    let (old, new) = (wiring("0: 0 1 2\n1: 3 4 5\n", 6), wiring("0: 0 1 3\n1: 2 4 5\n", 6));
    let list = of(&spec, &old, &new);
    let actions: Vec<_> = list.steps.iter().map(|step| step.action).collect();
    assert_eq!(actions, [Action::Loosen, Action::Move, Action::Plug]);
    assert_eq!(list.moved, 2);
    replay(&list, &old, &new, 3);
    assert!(list.text().contains("leave it loose"));
}

#[test]
fn reserved_ports_stay_free() {
    let text = "pes = 4\nnis_per_pe = 1\n[[switch]]\nports = 3\nreserve = 1\ncount = 2\n[[pattern]]\nkind = \"ring\"\n";
    let (spec, _) = spec(text);
    let (old, new) = (wiring("0: 0 1\n1: 2 3\n", 4), wiring("0: 0 2\n1: 1 3\n", 4));
    let list = of(&spec, &old, &new);
    assert_eq!((list.moved, list.steps[0].action), (2, Action::Loosen));
    replay(&list, &old, &new, 2);
}

#[test]
fn a_switch_only_becomes_one_of_at_most_as_many_ports() {
    let (narrow, wide) = (machine(4, 1, 4, 1), machine(4, 1, 8, 1));
    let design = wiring("0: 0 1 2 3\n", 4);
    let wired = |spec| SpecWiring { spec, design: &design };
    let wider = recabling(wired(&narrow), wired(&wide));
    assert_eq!((wider.moved, wider.becomes.as_slice()), (4, [None, Some(0)].as_slice()));
    assert!(wider.text().contains("Install first: sw01 (new)."), "{}", wider.text());
    assert_eq!(recabling(wired(&wide), wired(&narrow)).moved, 0);
}

#[test]
fn more_switches_than_the_limit_are_matched_greedily() {
    let switches = MAX_MATCHED as u32 + 1;
    let spec = machine(switches, 1, 2, switches);
    let old = Design::from_switches(switches, (0..switches).map(|pe| vec![pe]));
    let new = Design::from_switches(switches, (0..switches).rev().map(|pe| vec![pe]));
    let list = of(&spec, &old, &new);
    assert_eq!((list.moved, list.is_minimal), (0, false));
    assert!(list.text().contains("there may be a shorter list"));
}

fn design(pes: u32, switches: usize, ports: usize) -> impl Strategy<Value = Design> {
    let members = prop::collection::btree_set(0..pes, 0..=ports);
    prop::collection::vec(members, 1..=switches)
        .prop_map(move |all| Design::from_switches(pes, all.into_iter().map(|one| one.into_iter().collect())))
}

proptest! {
    #[test]
    fn every_list_can_be_followed_and_is_minimal(old in design(7, 4, 4), new in design(7, 4, 4)) {
        let spec = machine(7, 4, 4, 4);
        let list = of(&spec, &old, &new);
        replay(&list, &old, &new, 4);
        // With empty switches, both have as many.
        let padded = |one: &Design, other: &Design| {
            let more = other.switch_count().saturating_sub(one.switch_count()) as usize;
            Design::from_switches(7, one.switches().map(<[u32]>::to_vec).chain(std::iter::repeat_n(Vec::new(), more)))
        };
        let most = most_kept(&padded(&old, &new), &padded(&new, &old), 0, &mut Vec::new());
        prop_assert_eq!(list.kept, most as u64);
        prop_assert_eq!(list.kept + list.moved + list.removed, old.cables() as u64);
        prop_assert_eq!(list.kept + list.moved + list.added, new.cables() as u64);
    }
}

/// Under rails, NIs stay on their planes: the switches of one never become those of another, although that would move fewer cables.
#[test]
fn cables_stay_on_their_planes() {
    let mut spec = machine(4, 2, 3, 4);
    spec.rail = true;
    let old = wiring("0: 0 1\n1: 2 3\n2: 0 2\n3: 1 3\n", 4);
    let new = wiring("0: 0 2\n1: 1 3\n2: 0 1\n3: 2 3\n", 4);
    assert_eq!(of(&spec, &old, &new).moved, 4);
    for step in of(&spec, &old, &new).steps {
        let planes = [step.from, step.to].map(|end| end.map(|(switch, _)| switch / 2));
        assert!(planes.iter().flatten().all(|&plane| plane == step.ni), "{step:?}");
    }
    spec.rail = false;
    assert_eq!(of(&spec, &old, &new).moved, 0);
}

/// The switches that each NIC is on after the steps, in new numbers.
fn by_nic(list: &Recabling, old: &[(u32, u32, u32)]) -> BTreeSet<(u32, u32, u32)> {
    let mut at: BTreeMap<(u32, u32), u32> = old.iter().map(|&(pe, ni, switch)| ((pe, ni), switch)).collect();
    for step in &list.steps {
        if let Some((switch, _)) = step.from {
            assert_eq!(at.remove(&(step.pe, step.ni)), Some(switch), "{step:?}");
        }
        if let Some((switch, _)) = step.to {
            assert_eq!(at.insert((step.pe, step.ni), switch), None, "{step:?}");
        }
    }
    at.into_iter().map(|((pe, ni), switch)| (pe, ni, list.becomes[switch as usize].unwrap())).collect()
}

/// From a free wiring to rails, each NIC gets to its plane, although all cables could stay on their switches.
#[test]
fn a_free_wiring_becomes_one_with_rails() {
    let free = machine(4, 2, 3, 4);
    let mut rails = free.clone();
    rails.rail = true;
    let old = wiring("0: 0 1\n1: 1 2\n2: 2 3\n3: 0 3\n", 4);
    let new = wiring("0: 0 1\n1: 2 3\n2: 0 3\n3: 1 2\n", 4);
    assert_eq!(of(&free, &old, &new).moved, 0);
    let list = recabling(SpecWiring { spec: &free, design: &old }, SpecWiring { spec: &rails, design: &new });
    assert_eq!((list.kept, list.moved, list.added, list.removed), (6, 2, 0, 0));
    replay(&list, &old, &new, 3);
    let was = [(0, 0, 0), (0, 1, 3), (1, 0, 0), (1, 1, 1), (2, 0, 1), (2, 1, 2), (3, 0, 2), (3, 1, 3)];
    let is = [(0, 0, 0), (0, 1, 2), (1, 0, 0), (1, 1, 3), (2, 0, 1), (2, 1, 3), (3, 0, 1), (3, 1, 2)];
    assert_eq!(by_nic(&list, &was), BTreeSet::from(is));
    // A node without a cable in the first plane uses its second NIC.
    let new = wiring("0: 0 1\n1: 2\n2: 0 3\n3: 1 2\n", 4);
    let list = recabling(SpecWiring { spec: &free, design: &old }, SpecWiring { spec: &rails, design: &new });
    replay(&list, &old, &new, 3);
    assert!(by_nic(&list, &was).contains(&(3, 1, 2)), "{}", list.text());
}

const CABLES: &str = "nodes = 6\nnics_per_node = 4\nobjective = \"sparse\"\n[[switch]]\nports = 2\n[[pattern]]\nkind = \"ring\"\n";
const MIXED: &str = "nodes = 6\nnics_per_node = 4\nobjective = \"sparse\"\n[[switch]]\nports = 8\ncount = 1\n\
    [[switch]]\nports = 2\n[[pattern]]\nkind = \"ring\"\n";

#[test]
fn an_end_of_a_direct_cable_moves_while_the_other_stays() {
    let (spec, _) = spec(CABLES);
    let old = wiring("0: 0 1\n1: 2 3\n2: 0 3\n3: 1 2\n", 6);
    let list = of(&spec, &old, &wiring("0: 0 2\n1: 1 3\n2: 0 3\n3: 1 2\n", 6));
    assert_eq!((list.kept, list.moved, list.added, list.removed), (2, 2, 0, 0));
    let text = list.text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines,
        [
            "Cables: 2 to move, 0 to add, 0 to remove, 2 stay.",
            "A direct cable stays in the NIC named first; only its other end moves.",
            "",
            "1 [ ] node000 NIC0: unplug from node001 NIC0, leave it loose",
            "2 [ ] node003 NIC0: unplug from node002 NIC0, plug into node001 NIC0",
            "3 [ ] node000 NIC0: plug the loose end into node002 NIC0",
        ]
    );
    assert_eq!(list.csv().lines().nth(2), Some("2,move,node003,0,node002,NIC0,node001,NIC0,,"));
    let renumbered = of(&spec, &old, &wiring("0: 1 2\n1: 2 3\n2: 0 3\n3: 0 1\n", 6));
    assert_eq!((renumbered.kept, renumbered.steps.len()), (4, 0));
    let text = renumbered.text();
    assert!(
        text.contains("Then relabel direct cables, old number to new:\n[ ] cable00 becomes cable03"),
        "{text}"
    );
}

#[test]
fn a_direct_cable_between_other_nodes_is_removed_and_added() {
    let (spec, _) = spec(MIXED);
    let old = wiring("0: 0 1 2 3 4 5\n1: 0 1\n2: 2 3\n", 6);
    let list = of(&spec, &old, &wiring("0: 0 1 2 3 4 5\n1: 0 1\n2: 4 5\n", 6));
    assert_eq!((list.kept, list.moved, list.added, list.removed), (7, 0, 1, 1));
    let text = list.text();
    for line in [
        "1 [ ] node002 NIC1: unplug from node003 NIC1, remove the cable",
        "2 [ ] node004 NIC1: new cable, plug into node005 NIC1",
        "Removed direct cables can serve as new ones if they are long enough: 0 to make, 0 left over.",
    ] {
        assert!(text.lines().any(|own| own == line), "{line}\n{text}");
    }
    // A node alone on a direct cable has no cable.
    let loose = of(&spec, &old, &wiring("0: 0 1 2 3 4 5\n1: 0\n2: 2 3\n", 6));
    assert_eq!((loose.kept, loose.moved, loose.removed), (7, 0, 1));
}

/// Where a cable goes: a switch, or a NIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Far {
    Switch(u32),
    Nic((u32, u32)),
}

type Pairs = Vec<(u32, u32)>;

/// Does every step of a list with direct cables, and returns the pairs of each node and switch, and of nodes.
fn replay_cables(list: &Recabling, old: &Design, is_cable: impl Fn(u32) -> bool) -> (Pairs, Pairs) {
    let nis = old.nis();
    let mut plugged: BTreeMap<(u32, u32), Far> = BTreeMap::new();
    for pe in 0..old.pes() {
        for (ni, &switch) in (0..).zip(nis.of(pe)) {
            let far = old.members(switch).iter().find(|&&far| far != pe);
            plugged.insert(
                (pe, ni),
                match is_cable(switch) {
                    false => Far::Switch(switch),
                    true => {
                        let far = *far.unwrap();
                        Far::Nic((far, nis.of(far).binary_search(&switch).unwrap() as u32))
                    }
                },
            );
        }
    }
    let mut loose = BTreeSet::new();
    for step in &list.steps {
        let near = (step.pe, step.ni);
        let far =
            |(number, port)| if step.is_direct { Far::Nic((number, port)) } else { Far::Switch(number) };
        if let Some(from) = step.from {
            assert_eq!(plugged.remove(&near), Some(far(from)), "{step:?}\n{}", list.text());
            assert!(!step.is_direct || plugged.remove(&from) == Some(Far::Nic(near)), "{step:?}");
        }
        match step.action {
            Action::Loosen => assert!(loose.insert(near)),
            Action::Plug => assert!(loose.remove(&near)),
            Action::Move | Action::Add | Action::Remove => assert!(!loose.contains(&near)),
        }
        if let Some(to) = step.to {
            assert_eq!(plugged.insert(near, far(to)), None, "{step:?}");
            assert!(
                !step.is_direct || plugged.insert(to, Far::Nic(near)).is_none(),
                "{step:?}\n{}",
                list.text()
            );
            assert!(!step.is_direct || !loose.contains(&to), "{step:?}");
        }
    }
    assert!(loose.is_empty());
    let (mut switched, mut direct) = (Vec::new(), Vec::new());
    for ((pe, _), far) in plugged {
        match far {
            Far::Switch(switch) => switched.push((list.becomes[switch as usize].unwrap(), pe)),
            Far::Nic((far, _)) if pe < far => direct.push((pe, far)),
            Far::Nic(_) => {}
        }
    }
    switched.sort_unstable();
    direct.sort_unstable();
    (switched, direct)
}

proptest! {
    #[test]
    fn every_list_with_direct_cables_can_be_followed(
        switches in prop::collection::vec(prop::collection::btree_set(0..6u32, 0..=6), 2),
        cables in prop::collection::vec(prop::collection::vec(prop::collection::btree_set(0..6u32, 2), 0..8), 2),
        is_mixed: bool,
    ) {
        let (spec, _) = spec(if is_mixed { MIXED } else { CABLES });
        let design = |at: usize| {
            let switch = is_mixed.then(|| switches[at].iter().copied().collect());
            let cables = cables[at].iter().map(|ends| ends.iter().copied().collect());
            Design::from_switches(6, switch.into_iter().chain(cables))
        };
        let (old, new) = (design(0), design(1));
        let is_cable = |switch: u32| !is_mixed || switch > 0;
        let list = of(&spec, &old, &new);
        let (switched, direct) = replay_cables(&list, &old, is_cable);
        let all = |design: &Design| -> (Pairs, Pairs) {
            let (mut switched, mut direct) = (Vec::new(), Vec::new());
            for (switch, members) in (0..).zip(design.switches()) {
                match is_cable(switch) {
                    true => direct.push((members[0], members[1])),
                    false => switched.extend(members.iter().map(|&pe| (switch, pe))),
                }
            }
            direct.sort_unstable();
            (switched, direct)
        };
        prop_assert_eq!((switched, direct), all(&new));
        let count = |design: &Design| all(design).0.len() as u64 + all(design).1.len() as u64;
        prop_assert_eq!(list.kept + list.moved + list.removed, count(&old), "{}", list.text());
        prop_assert_eq!(list.kept + list.moved + list.added, count(&new), "{}", list.text());
    }
}
