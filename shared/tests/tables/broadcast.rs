//! Broadcast trees, by simulating every copy that is sent.

use super::machines::{
    Machine, all, faults, kasy0, klat2, lab, parted, parts, row, scattered, works, written,
};
use crate::common::sparse;
use shared::{
    analysis::routing::{BroadcastTree, broadcast},
    design::Design,
    design::Faults,
};
use std::collections::VecDeque;

/// What one broadcast does.
struct Outcome {
    /// How often each PE takes it for new.
    heard: Vec<u32>,
    /// How many copies each PE sends.
    sent: Vec<u32>,
}

/// Sends copies until nobody does any more. A PE knows no more than its own switches of the tree: `joins`.
fn simulate(design: &Design, faults: &Faults, joins: &[Vec<u32>], root: u32) -> Outcome {
    let none = vec![0; design.pes() as usize];
    let mut outcome = Outcome { heard: none.clone(), sent: none };
    let mut copies: VecDeque<(u32, u32)> = joins[root as usize].iter().map(|&on| (root, on)).collect();
    while let Some((sender, on)) = copies.pop_front() {
        outcome.sent[sender as usize] += 1;
        assert!(works(design, faults, sender, on), "PE {sender} sends on switch {on}");
        assert!(outcome.sent.iter().sum::<u32>() <= design.switch_count(), "a broadcast turns in circles");
        for pe in (0..design.pes()).filter(|&pe| pe != sender && works(design, faults, pe, on)) {
            if joins[pe as usize].contains(&on) {
                outcome.heard[pe as usize] += 1;
                copies.extend(joins[pe as usize].iter().filter(|&&to| to != on).map(|&to| (pe, to)));
            }
        }
    }
    outcome
}

fn joins(tree: &BroadcastTree) -> Vec<Vec<u32>> {
    (0..tree.working().design().pes()).map(|pe| tree.switches_of(pe).to_vec()).collect()
}

#[test]
fn every_pe_hears_every_broadcast_exactly_once() {
    for machine in all() {
        for dead in ["", "sw1 node2 node0.nic0"] {
            let (design, faults) = (&machine.2, faults(dead, &machine.2));
            let tree = broadcast(design, &faults);
            let (joins, parts) = (joins(&tree), parts(design, &faults));
            for root in (0..design.pes()).step_by(1 + design.pes() as usize / 20) {
                let outcome = simulate(design, &faults, &joins, root);
                let reached = |pe: u32| pe != root && parts[pe as usize] == parts[root as usize];
                let expected: Vec<u32> = (0..design.pes()).map(|pe| u32::from(reached(pe))).collect();
                assert_eq!(outcome.heard, expected, "from PE {root}, dead: {dead}");
                spreads_as_simulated(&tree, root, &outcome);
            }
        }
    }
}

/// What the tree says of a broadcast is what happens, in hops that grow by one.
fn spreads_as_simulated(tree: &BroadcastTree, root: u32, outcome: &Outcome) {
    let spread = tree.from(root);
    let mut said = (vec![0; outcome.heard.len()], vec![0; outcome.sent.len()]);
    let mut hop = vec![0; outcome.heard.len()];
    for heard in &spread.heard {
        said.0[heard.pe as usize] += 1;
        hop[heard.pe as usize] = heard.hop;
        assert!(tree.listeners(heard.on).contains(&heard.pe));
    }
    for send in &spread.sends {
        said.1[send.pe as usize] += 1;
        assert_eq!((send.hop, send.from.is_none()), (hop[send.pe as usize] + 1, send.pe == root));
    }
    assert_eq!((&said.0, &said.1), (&outcome.heard, &outcome.sent));
    assert!(
        spread.sends.is_sorted_by_key(|send| send.hop) && spread.heard.is_sorted_by_key(|heard| heard.hop)
    );
}

/// The fewest switches that reach each other and all PEs, by trying all sets of them.
fn fewest(design: &Design) -> u32 {
    let members = |set: u32| (0..design.switch_count()).filter(move |&switch| set >> switch & 1 == 1);
    let good = |set: u32| {
        let kept = members(set).map(|switch| design.members(switch).to_vec());
        let kept = Design::from_switches(design.pes(), kept.collect::<Vec<_>>());
        parts(&kept, &Faults::default()).iter().all(|&lowest| lowest == 0)
    };
    let sets = (1..1 << design.switch_count()).filter(|&set| good(set));
    sets.map(u32::count_ones).min().unwrap()
}

#[test]
fn few_copies_are_sent() {
    let (mut used, mut needed) = (0, 0);
    for seed in 1..60 {
        let (_, _, design) = scattered(seed, 14, 3, 7);
        if parts(&design, &Faults::default()).iter().any(|&lowest| lowest != 0) {
            continue;
        }
        let tree = broadcast(&design, &Faults::default());
        let switches = (0..7).filter(|&switch| !tree.listeners(switch).is_empty()).count() as u32;
        let least = fewest(&design);
        assert!(switches >= least);
        (used, needed) = (used + switches, needed + least);
    }
    assert!(needed > 100 && used * 100 <= needed * 105, "{used} switches where {needed} would do");
}

/// A cube of 16 x 16 x 16 PEs with a switch for each line of them.
fn cube() -> Machine {
    let (spec, demand) = sparse(4096, 3, 16, 768, &[(0, 1)]);
    let step = [1, 16, 256];
    let line = |axis: usize, at: u32| {
        let (low, high) = (at % step[axis], at / step[axis] * step[axis] * 16);
        (0..16).map(|place| high + low + place * step[axis]).collect::<Vec<u32>>()
    };
    let switches = (0..3).flat_map(|axis| (0..256).map(move |at| line(axis, at)));
    (spec, demand, Design::from_switches(4096, switches))
}

/// Five switches of 23 ports that hang together hold 111 PEs at most, so that KASY0's 128 take six or more; trying all sets
/// shows that they take eight. The cube's first switch and the lines that add 15 PEs each take 273.
#[test]
fn real_machines_need_few_switches_and_spread_the_work() {
    for (machine, switches, hops, load) in [(kasy0(), 9, 3, 1), (klat2(), 3, 3, 1), (cube(), 273, 5, 2)] {
        let (design, faults) = (&machine.2, Faults::default());
        let tree = broadcast(design, &faults);
        let joined = (0..design.switch_count()).filter(|&switch| !tree.listeners(switch).is_empty()).count();
        let most = (0..design.pes()).map(|pe| tree.switches_of(pe).len().max(1) - 1).max();
        let roots = (0..design.pes()).step_by(1 + design.pes() as usize / 200);
        let deepest = roots.filter_map(|root| Some(tree.from(root).heard.last()?.hop)).max();
        assert!(joined <= switches, "{joined} switches");
        assert!(most <= Some(load), "a PE forwards to {most:?} switches");
        assert!(deepest <= Some(hops), "{deepest:?} hops");
    }
}

#[test]
fn multicasts_reach_their_group_and_lead_nowhere_else() {
    for (number, machine) in (0u32..).zip(all()) {
        let (design, faults) = (&machine.2, Faults::default());
        let whole = broadcast(design, &faults);
        for size in [1, 2, 3, 6] {
            let group: Vec<u32> = (0..size).map(|i| (number * 7 + i * i * 3 + i) % design.pes()).collect();
            let tree = whole.pruned(&group);
            let (joins, parts) = (joins(&tree), parts(design, &faults));
            for &root in &group {
                let outcome = simulate(design, &faults, &joins, root);
                for &pe in group.iter().filter(|&&pe| pe != root) {
                    let reached = parts[pe as usize] == parts[root as usize];
                    assert_eq!(outcome.heard[pe as usize], u32::from(reached), "{root} to {pe} of {group:?}");
                }
                assert!(outcome.heard.iter().all(|&times| times <= 1));
            }
            for pe in 0..design.pes() {
                let needed = group.contains(&pe) || joins[pe as usize].len() != 1;
                assert!(needed, "PE {pe} listens for nothing, group {group:?}");
            }
            let ends = (0..design.switch_count()).map(|switch| tree.listeners(switch).len());
            assert!(ends.into_iter().all(|listeners| listeners != 1), "a switch for one PE, group {group:?}");
        }
    }
}

fn csv(machine: Machine, choices: &[&str]) -> Result<String, String> {
    written(machine, "broadcast", None, choices)
}

#[test]
fn the_table_tells_who_forwards_who_hears_and_who_cannot() {
    let expected = "what,hop,pe,from_switch,from_ni,to_switch,to_ni\n\
        sends,1,3,,,1,0\nforwards,2,2,1,1,0,0\nforwards,2,4,1,0,2,1\nforwards,3,6,2,0,3,1\n\
        hears,1,2,1,1,,\nhears,1,4,1,0,,\nhears,2,0,0,0,,\nhears,2,1,0,0,,\nhears,2,5,2,0,,\nhears,2,6,2,0,,\n\
        hears,3,7,3,0,,\nhears,3,8,3,0,,\n";
    assert_eq!(csv(row(), &["root=node3"]).unwrap(), expected);
    let lost = csv(row(), &["root=3", "dead=node4"]).unwrap();
    for pe in 4..9 {
        assert!(lost.contains(&format!("\nunreachable,,{pe},,,,\n")), "{lost}");
    }
    assert_eq!(lost.matches("unreachable").count(), 5);
    let parted = csv(parted(), &[]).unwrap();
    assert_eq!(parted.lines().filter(|line| line.starts_with("unreachable")).count(), 4, "{parted}");
    let group = csv(row(), &["group=node0 5-6"]).unwrap();
    assert!(group.lines().all(|line| line.split(',').nth(5) != Some("3")), "{group}");
    assert_eq!(group.lines().filter(|line| line.starts_with("forwards")).count(), 2, "{group}");
}

#[test]
fn pes_that_cannot_be_meant_are_told() {
    let error = |choices: &[&str]| csv(row(), choices).unwrap_err();
    assert_eq!(error(&["root=9"]), "root=9: there is no node 9; nodes are 0 to 8");
    assert_eq!(
        error(&["root=node2", "dead=node2"]),
        "root=node2: node002 has failed; choose a node that works"
    );
    assert_eq!(error(&["group=0-9"]), "group=0-9: there is no node 9; nodes are 0 to 8");
    for group in ["group=5-2", "group=sw1", "group=1-", "group=99999999999"] {
        assert!(
            error(&[group]).ends_with(" is not a node or a range such as 0-7, the lower node first."),
            "{group}"
        );
    }
    assert!(error(&["root=-1"]).contains("\"-1\" is not a node (such as 0, node7 or node000)"));
}

/// The lists of all PEs, carried out, are a broadcast.
#[test]
fn the_lists_of_pes_make_a_broadcast() {
    for (machine, group) in [(kasy0(), ""), (lab(), ""), (row(), ""), (kasy0(), "3 17 99-101")] {
        let design = machine.2.clone();
        let mut joins = Vec::new();
        for pe in 0..design.pes() {
            let choices = [format!("group={group}"), "interface=port".into()];
            let list =
                written(machine.clone(), "forwarding", Some(pe), &choices.each_ref().map(String::as_str))
                    .unwrap();
            joins.push(listed(&design, pe, &list));
        }
        let outcome = simulate(&design, &Faults::default(), &joins, 0);
        let wanted = |pe: u32| pe != 0 && (group.is_empty() || [3, 17, 99, 100, 101].contains(&pe));
        for pe in (0..design.pes()).filter(|&pe| wanted(pe)) {
            assert_eq!(outcome.heard[pe as usize], 1, "PE {pe} of {}", design.pes());
        }
        assert!(outcome.heard.iter().all(|&times| times <= 1));
    }
}

/// The switches that a list joins a PE to; what it forwards is between all of them.
fn listed(design: &Design, pe: u32, list: &str) -> Vec<u32> {
    let nis = design.nis();
    let switch = |word: &str| nis.of(pe)[word.strip_prefix("port").unwrap().parse::<usize>().unwrap()];
    let mut joined = Vec::new();
    let mut forwards = 0;
    for line in list.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        match words[0] {
            "join" => {
                assert_eq!(words[2], format!("sw{:02}", switch(words[1])));
                joined.push(switch(words[1]));
            }
            "forward" => {
                forwards += 1;
                let mut all: Vec<u32> = words[1..].iter().map(|word| switch(word)).collect();
                all.sort_unstable();
                assert_eq!(all, joined, "{list}");
            }
            other => panic!("{other}"),
        }
    }
    assert_eq!(forwards, if joined.len() > 1 { joined.len() } else { 0 }, "{list}");
    joined
}
