//! Dead parts: how they are named, what they take, and which single part is the worst to lose, against a slow recomputation.

use super::machine::{self, Machine};
use crate::common::{sparse, spec, wiring};
use proptest::prelude::*;
use shared::{
    analysis::routing::{
        Damage, Loss, Preload, RemainingRoute, Single, Tally, basic, damage, link_layer, losses, per_ni,
        preload, singles, through,
    },
    demand::Demand,
    design::{Design, Faults, HardwarePart, Names, Node, Path, WorkingDesign},
};

const TABLE: &str = "0: 0 1 2 3\n1: 4 5 6 7\n2: 0 1 4 5\n3: 2 3 6 7\n4: 0 2 7\n5: 1 3 5\n";

#[test]
fn parts_are_read_as_exports_name_them() {
    let faults = Faults::read(" sw03, PE7\nnode005.ni1 sw3 node0.NI2").unwrap();
    assert_eq!((faults.switches.as_slice(), faults.pes.as_slice()), (&[3][..], &[7][..]));
    assert_eq!(faults.nis, [(0, 2), (5, 1)]);
    assert_eq!(faults.to_string(), "sw3 node7 node0.nic2 node5.nic1");
    assert_eq!(Faults::read(&faults.to_string()), Ok(faults));
    assert!(Faults::read(" , ").unwrap().is_empty());
}

#[test]
fn parts_are_found_by_their_names_and_by_number() {
    let text = "pes = 4\nnis_per_pe = 2\nobjective = \"universal\"\n[names]\nnodes = \"node{number+1}\"\nswitches = \"leaf-{number}\"\n\
                interface = \"ib0 ni0\"\n[[switch]]\nports = 4\ncount = 3";
    let names = Names::sized(&spec(text).0, 4, 3);
    let part = |word: &str| names.part(word);
    assert_eq!((part("NODE4"), part("node0")), (Some(HardwarePart::Pe(3)), Some(HardwarePart::Pe(0))));
    assert_eq!(part("pe3"), part("NODE4"), "the older word and the number");
    assert_eq!((part("leaf-2"), part("sw2")), (Some(HardwarePart::Switch(2)), Some(HardwarePart::Switch(2))));
    assert_eq!(
        (part("node4.ib0"), part("node4.nic1")),
        (Some(HardwarePart::Ni(3, 0)), Some(HardwarePart::Ni(3, 1)))
    );
    assert_eq!(part("node4.ni0"), None, "the number of one NIC and the name of another");
    assert_eq!((part("leaf-7"), part("leaf-2.ib0"), part("node4.eth0")), (None, None, None));
    assert_eq!((names.pe_of("node1"), names.pe_of("2"), names.pe_of("leaf-1")), (Some(0), Some(2), None));
    for it in [HardwarePart::Switch(1), HardwarePart::Pe(2), HardwarePart::Ni(3, 0)] {
        assert_eq!(part(&names.word(it)), Some(it));
    }
    assert_eq!(Names::new(8, 2).word(HardwarePart::Ni(5, 1)), "node005.nic1");
}

#[test]
fn everything_that_cannot_be_dead_is_named_with_what_there_is() {
    let message = |text| machine::faults(text, &wiring(TABLE, 8)).unwrap_err().to_string();
    assert_eq!(
        message("sw6 node8 node4.nic2 node9.nic0 sw5"),
        "there is no switch 6; switches are 0 to 5; there is no node 8; nodes are 0 to 7; \
         node 4 has no NIC 2; its NICs are 0 to 1; there is no node 9; nodes are 0 to 7"
    );
    for word in [
        "switch3",
        "sw",
        "sw-1",
        "sw+1",
        "pe",
        "node1.",
        "node1.ni",
        "3",
        "node99999999999",
        "node1.nic1.ni1",
    ] {
        assert!(message(word).contains(&format!("{word:?} is not a switch")), "{word}");
    }
    assert!(message(&"x ".repeat(13)).ends_with("; and 3 more"));
    let one = Design::from_switches(2, [vec![0]]);
    let told = machine::faults("sw1 node1.nic0 node0.nic1", &one).unwrap_err().to_string();
    assert_eq!(
        told,
        "there is no switch 1; the only one is 0; node 0 has no NIC 1; the only one is 0; node 1 has no NIC 0; there are none"
    );
}

#[test]
fn nis_keep_their_numbers() {
    let (spec, demand) = sparse(8, 3, 4, 6, &[(0, 1)]);
    let design = wiring(TABLE, 8);
    // PE 0 is on switches 0, 2 and 4; PE 2 on 0, 3 and 4.
    let faults = machine::faults("node0.nic0 sw2", &design).unwrap();
    let routes = basic(&spec, &demand, &design, &faults).unwrap();
    assert_eq!(routes.path(0, 2), Some(Path { switch: 4, ni: 2, other_ni: 2 }));
    assert_eq!(routes.path(2, 0), routes.path(0, 2).map(Path::back));
    assert_eq!(routes.load(0), [0, 0, 2], "PEs 2 and 7, over the last NI");
    let known = per_ni(&routes, 0);
    assert_eq!(known.interfaces, [(1, 2), (2, 4)].as_slice()[1..]);
    assert_eq!(known.hosts.iter().map(|host| host.0).collect::<Vec<_>>(), [2, 7]);
    assert_eq!(per_ni(&routes, 8).hosts, []);
}

#[test]
fn losses_tell_what_is_left() {
    let (_, demand) = sparse(8, 3, 4, 6, &[(0, 1), (0, 3), (4, 7), (6, 7)]);
    let design = wiring(TABLE, 8);
    let through = through(&design, &machine::faults("sw0 sw2 node7", &design).unwrap());
    let mut found = Vec::new();
    losses(&demand, &design, &through, |loss| found.push(loss));
    let loss = |a, b, had, has, left| Loss { pair: (a, b), requested: demand.index_of(a, b), had, has, left };
    assert!(found.contains(&loss(0, 1, 2, 0, RemainingRoute::Through)), "0 2 3 1");
    assert!(found.contains(&loss(1, 3, 2, 1, RemainingRoute::Fewer)));
    assert!(found.contains(&loss(6, 7, 2, 0, RemainingRoute::Dead)));
    let told = damage(&demand, &design, &through);
    assert_eq!(told.requested, Tally { fewer: 0, through: 2, nothing: 0, dead: 2 });
    let words = told.words(demand.len() as u64);
    assert!(words.starts_with("4 of 4 requested pairs lose paths:\n"), "{words}");
    assert!(words.contains("2 have a route through other nodes"), "{words}");
    assert!(words.contains("\n4 more requested pairs have fewer links than required\n"), "{words}");
    assert!(words.ends_with("all working nodes reach each other\n"), "{words}");
}

#[test]
fn what_hangs_on_one_switch_alone_is_cut_off_with_it() {
    // Two rooms of three PEs joined by PE 2 on both switches, and PE 5 on a cable of its own.
    let design = wiring("0: 0 1 2\n1: 2 3 4\n2: 4 5\n", 6);
    let demand = Demand::from_pairs(6, [(0, 1), (3, 4), (2, 3), (0, 5)]);
    let singles = singles(&demand, &WorkingDesign::new(&design, &Faults::default()));
    let brief = |s: &Single| (s.part, s.cut_off, s.requested, s.pairs);
    // Without switch 0, PEs 0 and 1 are alone: 2 x 4 pairs and the pair of both. Without switch 1: 0 1 2 | 3 | 4 5.
    assert_eq!(
        singles.switches.iter().map(brief).collect::<Vec<_>>(),
        [(Node::Switch(1), 3 + 6 + 2, 2, 3), (Node::Switch(0), 9, 1, 3), (Node::Switch(2), 5, 0, 1),]
    );
    assert_eq!(singles.pes[0].part, Node::Pe(2));
    assert_eq!(singles.pes[0].cut_off, 6);
    let words = singles.switches[0].words(&Names::new(design.pes(), design.switch_count()));
    assert_eq!(
        words,
        "sw01: 2 requested pairs (3 of all pairs) would lose their last shared switch; 11 pairs of other nodes would become unreachable"
    );
    let heavy = Single { requested: 1_200, weight: 2_400.5, ..singles.switches[0] };
    let words = heavy.words(&Names::new(design.pes(), design.switch_count()));
    assert!(
        words.starts_with("sw01: 1,200 requested pairs of weight 2,400.5 (3 of all pairs) would"),
        "{words}"
    );
}

/// Dead parts of a wiring from three numbers each.
fn dead(design: &Design, picks: &[(u8, u32, u32)]) -> Faults {
    let nis = design.nis();
    let mut words = String::new();
    for &(kind, one, two) in picks {
        let pe = one % design.pes();
        words += &match kind % 3 {
            0 => format!("sw{} ", one % design.switch_count()),
            1 => format!("pe{pe} "),
            _ => match nis.of(pe).len() as u32 {
                0 => continue,
                has => format!("pe{pe}.ni{} ", two % has),
            },
        };
    }
    machine::faults(&words, design).unwrap()
}

/// Computes the figures by taking one part after the other out and looking at every pair.
fn slow_single(demand: &Demand, design: &Design, faults: &Faults, part: Node) -> Single {
    let before = Machine::new(design, faults);
    let mut more = faults.clone();
    match part {
        Node::Switch(switch) => more.switches.push(switch),
        Node::Pe(pe) => more.pes.push(pe),
    }
    more.switches.sort_unstable();
    more.pes.sort_unstable();
    let after = Machine::new(design, &more);
    let (was, is) = (before.distances(), after.distances());
    let mut single = Single { part, cut_off: 0, requested: 0, weight: 0.0, pairs: 0, fewer: 0 };
    for (a, b) in before.pairs() {
        let (had, has) = (before.shared(a, b).len(), after.shared(a, b).len());
        let asked = demand.index_of(a as u32, b as u32);
        if had > 0 && has == 0 {
            single.pairs += 1;
            single.requested += u64::from(asked.is_some());
            single.weight += asked.map_or(0.0, |pair| f64::from(demand.weight(pair)));
        }
        // A lost PE leaves its pairs with no switch, never with fewer.
        single.fewer += u64::from(has > 0 && has < had);
        let own = part == Node::Pe(a as u32) || part == Node::Pe(b as u32);
        single.cut_off += u64::from(!own && was[a][b].is_some() && is[a][b].is_none());
    }
    single
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn routes_over_what_works_are_those_of_a_slow_search(
        switches in prop::collection::vec(prop::collection::vec(0u32..14, 0..6), 1..9),
        pairs in prop::collection::vec((0u32..14, 0u32..14), 1..30),
        picks in prop::collection::vec((any::<u8>(), any::<u32>(), any::<u32>()), 0..5),
    ) {
        let (spec, _) = spec("pes = 14\nnis_per_pe = 8\n[[switch]]\nports = 14\n[[pattern]]\nkind = 'ring'\n");
        let demand = Demand::from_pairs(14, pairs.into_iter().filter(|(a, b)| a != b));
        let design = Design::from_switches(14, switches);
        let faults = dead(&design, &picks);
        let machine = Machine::new(&design, &faults);
        let routes = basic(&spec, &demand, &design, &faults).unwrap();
        let multi = link_layer(&spec, &demand, &design, &faults).unwrap();
        let far = through(&design, &faults);
        let distances = machine.distances();
        for a in 0..14 {
            let near = multi.neighbours(a as u32);
            prop_assert!(near.is_sorted_by_key(|near| near.pe));
            let loads: Vec<u32> = routes.load(a as u32);
            prop_assert_eq!(loads.len(), machine.nis[a].len());
            prop_assert_eq!(loads.iter().sum::<u32>() as usize, near.len());
            let ahead: Vec<Preload> = preload(&routes, far.routes_from(a as u32).iter().map(|r| (r.dest, r.next)), a as u32);
            prop_assert!(ahead.is_sorted_by_key(|entry| entry.dest));
            prop_assert_eq!(ahead.len(), (0..14).filter(|&b| b != a && distances[a][b].is_some()).count());
            for entry in ahead {
                prop_assert_eq!(routes.path(a as u32, entry.next), Some(entry.path));
                let dest = entry.dest as usize;
                prop_assert_eq!(distances[entry.next as usize][dest], distances[a][dest].map(|d| d - 1));
            }
            for b in 0..14 {
                let path = |switch: usize| Path {
                    switch: switch as u32,
                    ni: machine.ni(a, switch) as u32,
                    other_ni: machine.ni(b, switch) as u32,
                };
                let expected: Vec<Path> = machine.shared(a, b).into_iter().map(path).collect();
                let found: Vec<Path> = multi.paths(a as u32, b as u32).collect();
                prop_assert_eq!(&found, &expected);
                let listed = near.iter().find(|near| near.pe as usize == b).map(|near| near.paths.clone());
                prop_assert_eq!(listed.unwrap_or_default(), found);
                let taken = routes.path(a as u32, b as u32);
                prop_assert_eq!(taken.is_some(), !expected.is_empty());
                prop_assert!(taken.is_none_or(|path| expected.contains(&path)));
                prop_assert_eq!(taken, routes.path(b as u32, a as u32).map(Path::back));
            }
        }
    }

    #[test]
    fn losses_and_the_worst_parts_are_those_of_a_slow_count(
        switches in prop::collection::vec(prop::collection::vec(0u32..10, 0..5), 1..8),
        pairs in prop::collection::vec((0u32..10, 0u32..10), 1..20),
        picks in prop::collection::vec((any::<u8>(), any::<u32>(), any::<u32>()), 0..4),
    ) {
        let demand = Demand::from_pairs(10, pairs.into_iter().filter(|(a, b)| a != b));
        let design = Design::from_switches(10, switches);
        let faults = dead(&design, &picks);
        let (before, after) = (Machine::new(&design, &Faults::default()), Machine::new(&design, &faults));
        let far = through(&design, &faults);
        let distances = after.distances();
        let (mut expected, mut tally) = (Vec::new(), Damage { unreachable: after.unreachable(), ..Damage::default() });
        for (a, b) in before.pairs() {
            let (had, has) = (before.shared(a, b).len() as u32, after.shared(a, b).len() as u32);
            if has == had {
                continue;
            }
            let left = if has > 0 {
                tally.all.fewer += 1;
                RemainingRoute::Fewer
            } else if after.dead[a] || after.dead[b] {
                tally.all.dead += 1;
                RemainingRoute::Dead
            } else if distances[a][b].is_some() {
                tally.all.through += 1;
                RemainingRoute::Through
            } else {
                tally.all.nothing += 1;
                RemainingRoute::Nothing
            };
            let requested = demand.index_of(a as u32, b as u32);
            // One link a pair is wanted.
            tally.unmet += u64::from(requested.is_some() && has == 0);
            expected.push(Loss { pair: (a as u32, b as u32), requested, had, has, left });
        }
        let mut found = Vec::new();
        losses(&demand, &design, &far, |loss| found.push(loss));
        prop_assert_eq!(&found, &expected);
        let asked: Vec<&Loss> = expected.iter().filter(|loss| loss.requested.is_some()).collect();
        let count = |left| asked.iter().filter(|loss| loss.left == left).count() as u64;
        tally.requested = Tally {
            fewer: count(RemainingRoute::Fewer),
            through: count(RemainingRoute::Through),
            nothing: count(RemainingRoute::Nothing),
            dead: count(RemainingRoute::Dead),
        };
        prop_assert_eq!(damage(&demand, &design, &far), tally);

        let singles = singles(&demand, &WorkingDesign::new(&design, &faults));
        for single in singles.switches.iter().chain(&singles.pes) {
            let mut slow = slow_single(&demand, &design, &faults, single.part);
            slow.weight = single.weight;
            prop_assert_eq!(*single, slow);
            prop_assert!((single.weight - single.requested as f64).abs() < 1e-9, "each pair weighs 1");
        }
        let used = design.switch_count() as usize - (0..design.switch_count() as usize)
            .filter(|&s| after.on.iter().all(|row| !row[s])).count();
        prop_assert_eq!(singles.switches.len(), used);
        let key = |s: &Single| std::cmp::Reverse((s.cut_off, s.requested, s.pairs, s.fewer));
        prop_assert!(singles.switches.is_sorted_by_key(key));
        prop_assert!(singles.pes.is_sorted_by_key(key));
    }
}
