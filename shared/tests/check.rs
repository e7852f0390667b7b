//! The independent checker finds every planted fault.

use crate::common::{sparse, spec, wiring};
use proptest::prelude::*;
use shared::{
    demand::Demand,
    design::{Breach, Design, check},
    spec::Spec,
};

/// A valid wiring: each switch is full but for one port, each PE has an NI to spare, every pair that meets is requested.
fn valid(seed: &[Vec<u32>]) -> (Spec, Demand, Vec<Vec<u32>>) {
    let switches: Vec<Vec<u32>> = seed
        .iter()
        .map(|s| Vec::from_iter(std::collections::BTreeSet::from_iter(s.iter().copied())))
        .collect();
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for members in &switches {
        for (i, &a) in members.iter().enumerate() {
            pairs.extend(members[i + 1..].iter().map(|&b| (a, b)));
        }
    }
    let ports = switches.iter().map(Vec::len).max().unwrap_or(1).max(1) as u32 + 1;
    let nis =
        (0..12).map(|pe| switches.iter().filter(|s| s.contains(&pe)).count()).max().unwrap_or(0) as u32 + 1;
    pairs.push((0, 1));
    let mut switches = switches;
    // The pair 0-1 makes sure that something is requested.
    if !switches.iter().any(|s| s.contains(&0) && s.contains(&1)) {
        switches.push(vec![0, 1]);
    }
    let (spec, demand) = sparse(12, nis + 1, ports.max(3), switches.len() as u32, &pairs);
    (spec, demand, switches)
}

fn verdict(spec: &Spec, demand: &Demand, switches: &[Vec<u32>]) -> shared::design::Verdict {
    check(spec, demand, &Design::from_switches(12, switches.to_vec()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_planted_fault_is_named(
        seed in prop::collection::vec(prop::collection::vec(0u32..12, 2..6), 1..7),
        pick in any::<prop::sample::Index>(),
    ) {
        let (spec, demand, switches) = valid(&seed);
        prop_assert!(verdict(&spec, &demand, &switches).holds());
        let at = pick.index(switches.len());

        // Too many switches.
        let mut more = switches.clone();
        more.push(vec![0]);
        let found = verdict(&spec, &demand, &more);
        let has = more.len() as u32;
        let breach = Breach::Switches { has, allowed: has - 1 };
        prop_assert!(found.breaches.contains(&breach));

        // Too many PEs on one switch.
        let mut full = switches.clone();
        full[at] = (0..12).collect();
        let found = verdict(&spec, &demand, &full);
        let allowed = spec.usable_ports()[at];
        let breach = Breach::Ports { switch: at as u32, has: 12, allowed };
        prop_assert!(found.breaches.contains(&breach));

        // A PE with more cables than NIs.
        let mut busy = switches.clone();
        let nis = spec.nis_of(3);
        while busy.iter().filter(|s| s.contains(&3)).count() as u32 <= nis {
            busy.push(vec![3]);
        }
        let found = verdict(&spec, &demand, &busy);
        let breach = Breach::Nis { pe: 3, has: nis + 1, allowed: nis };
        prop_assert!(found.breaches.contains(&breach));

        // Another machine.
        let small = check(&spec, &demand, &Design::from_switches(13, switches.clone()));
        prop_assert_eq!(small.breaches, vec![Breach::Pes { has: 13, allowed: 12 }]);

        // A cable pulled: exactly the pairs that met only there are uncovered.
        let mut pulled = switches.clone();
        let pe = pulled[at].remove(0);
        let meet = |a: u32, b: u32| pulled.iter().any(|s| s.contains(&a) && s.contains(&b));
        let lost: Vec<(u32, u32)> = demand.pairs().filter(|&(a, b)| !meet(a, b)).collect();
        let found = verdict(&spec, &demand, &pulled);
        prop_assert!(found.breaches.is_empty());
        prop_assert_eq!(found.uncovered_weight, lost.len() as f64);
        prop_assert!(lost.iter().all(|&(a, b)| a == pe || b == pe));
        prop_assert_eq!(found.uncovered, lost);
    }
}

#[test]
fn a_pair_that_wants_two_links_is_not_served_by_one() {
    let (spec, demand) =
        spec("pes = 4\nnis_per_pe = 2\n[[switch]]\nports = 4\n[[pattern]]\nkind = \"ring\"\nlinks = 2\n");
    let once = check(&spec, &demand, &wiring("0: 0 1 2 3\n1: 0 1 2\n", 4));
    assert_eq!(once.uncovered, [(0, 3), (2, 3)]);
    assert!(check(&spec, &demand, &wiring("0: 0 1 2 3\n1: 0 1 2 3\n", 4)).holds());
}

#[test]
fn reserved_ports_are_not_for_pes() {
    let (spec, demand) =
        spec("pes = 4\nnis_per_pe = 1\n[[switch]]\nports = 4\nreserve = 1\n[[pattern]]\nkind = \"ring\"\n");
    let found = check(&spec, &demand, &wiring("0: 0 1 2 3\n", 4));
    assert_eq!(found.breaches, [Breach::Ports { switch: 0, has: 4, allowed: 3 }]);
    assert_eq!(found.breaches[0].to_string(), "switch 0 has 4 nodes; 3 of its ports are usable");
    let empty_behind = check(&spec, &demand, &wiring("0: 0 1 2\n1: 3\n2:\n3:\n", 4));
    assert!(empty_behind.breaches.is_empty(), "switches without a cable cost nothing");
}

#[test]
fn a_million_pes_on_one_switch_are_judged_at_once() {
    let (spec, demand) =
        spec("pes = 1048576\nnis_per_pe = 1\n[[switch]]\nports = 4096\n[[pattern]]\nkind = \"ring\"\n");
    let found = check(&spec, &demand, &Design::from_switches(1 << 20, [(0..1 << 20).collect()]));
    assert_eq!(found.breaches, [Breach::Ports { switch: 0, has: 1 << 20, allowed: 4096 }]);
}

/// The breaches of a table on 4 PEs with 2 NIs and 3 switches of 4 ports, with what is added to the spec.
fn breaches(added: &str, table: &str) -> String {
    let hardware =
        "pes = 4\nnis_per_pe = 2\n[[switch]]\nports = 4\ncount = 3\n[[pattern]]\nkind = \"ring\"\n";
    let (spec, demand) = spec(&format!("{hardware}{added}"));
    let found = check(&spec, &demand, &wiring(table, 4));
    found.breaches.iter().map(|breach| format!("{breach}; ")).collect()
}

#[test]
fn placements_are_told_place_by_place() {
    let placements = "[[placement]]\npes = \"0-1\"\nswitches = \"0, 2\"\n[[placement]]\npes = 1\nswitches = 2\n\
                      [[placement]]\npes = \"2-3\"\nswitches = \"0-1\"\nkind = \"off\"\n";
    assert_eq!(breaches(placements, "0: 0 1\n1:\n2: 0 1 2 3\n"), "");
    assert_eq!(
        breaches(placements, "0: 0 1 2\n1: 3\n2: 0\n"),
        "node 1 is not on switch 2, where it must be; node 2 is on switch 0, where it must not be; \
         node 3 is on switch 1, where it must not be; "
    );
    assert_eq!(
        breaches(placements, "0:\n"),
        "node 0 is not on switch 0, where it must be; node 0 is not on switch 2, where it must be; \
         node 1 is not on switch 0, where it must be; node 1 is not on switch 2, where it must be; "
    );
}

#[test]
fn cables_that_went_from_where_they_were_are_moves() {
    let start = |moves: u32| format!("[start]\nmoves = {moves}\ntable = '''\n0: 0 1\n1: 1 2\n'''\n");
    // Another cable for an NI that was idle, or for a PE that is new, is no move.
    assert_eq!(breaches(&start(0), "0: 0 1 3\n1: 1 2 3\n2: 0\n"), "");
    assert_eq!(breaches(&start(0), "0: 0 1\n1: 1\n2: 2\n"), "1 cable moved; the limit is 0; ");
    assert_eq!(breaches(&start(1), "0: 0 1\n1: 1\n2: 2\n"), "");
    assert_eq!(breaches(&start(2), "0:\n1:\n2: 0 1\n"), "4 cables moved; the limit is 2; ");
    assert_eq!(breaches(&start(4), "0:\n"), "");
}

#[test]
fn renumbering_keeps_every_cable() {
    let start = "[start]\nrenumber = true\ntable = '''\n0: 0 1\n1: 1 2\n'''\n";
    // The switches' sets are 0, 0+1, 1 and none: whose they are does not matter.
    assert_eq!(breaches(start, "0: 0 1\n1: 1 2\n"), "");
    assert_eq!(breaches(start, "0: 3 2\n1: 3 0\n"), "");
    let other = "the wiring is not the existing one with permuted node numbers; ";
    assert_eq!(breaches(start, "0: 0 1\n1: 2 3\n"), other);
    assert_eq!(breaches(start, "1: 0 1\n0: 1\n"), other);
    assert_eq!(breaches(start, "0: 0 1\n1: 1 2\n2: 3\n"), other);
}

#[test]
fn wished_links_count_beyond_what_is_wanted_and_never_make_a_wiring_fail() {
    let hardware = "pes = 4\nnis_per_pe = 3\nobjective = \"universal\"\n[[switch]]\nports = 4\n";
    let ring = "[[pattern]]\nkind = \"ring\"\nweight = 2\nextra = 2\n";
    let (spec, demand) = spec(&format!("{hardware}{ring}"));
    let judged = |table: &str| {
        let verdict = check(&spec, &demand, &wiring(table, 4));
        (verdict.holds(), verdict.wished, verdict.granted, verdict.requested_weight)
    };
    // Six pairs of weight 1, four of them with 2 more and 2 links wished for.
    assert_eq!(judged("0: 0 1 2 3\n"), (true, 8, 0, 14.0));
    assert_eq!(judged("0: 0 1 2 3\n1: 0 1\n2: 0 2 3\n"), (true, 8, 3, 14.0), "0-2 twice is nobody's wish");
    assert_eq!(judged("0: 0 1 2 3\n1: 0 1 2 3\n2: 0 1 2 3\n"), (true, 8, 8, 14.0));
    assert_eq!(judged("0: 0 1\n1: 0 1\n"), (false, 8, 1, 14.0));
}

#[test]
fn an_uplink_and_ports_kept_leave_fewer_to_pes() {
    let kept = "[[keep]]\nswitch = 1\nports = 3\n";
    assert_eq!(breaches(kept, "0: 0 1 2 3\n1: 0 1\n"), "switch 1 has 2 nodes; 1 of its ports are usable; ");
    let folded = "[uplink]\nkind = \"folded\"\n";
    assert_eq!(
        breaches(folded, "0: 0 1 2 3\n1: 0 1 2\n2: 1 2 3\n"),
        "switch 0 has 4 nodes; 3 of its ports are usable; switch 2 has 3 nodes; 2 of its ports are usable; \
         node 1 is on 3 switches; it has 2 NICs; node 2 is on 3 switches; it has 2 NICs; "
    );
}
