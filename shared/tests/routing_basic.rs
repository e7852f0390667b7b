//! Basic routing: the order rules of Dietz and Mattox 2000 on cases done by hand, and what must always hold.

use crate::common::{sparse, spec, wiring};
use proptest::prelude::*;
use shared::{
    analysis::routing::{RoutingError, basic},
    demand::Demand,
    design::Design,
    design::Faults,
};

#[test]
fn the_least_used_nis_win_and_ties_go_to_the_lowest_switch() {
    let (spec, demand) = sparse(4, 3, 4, 3, &[(0, 1)]);
    let design = wiring("0: 0 1 2\n1: 0 1 3\n2: 2 3\n", 4);
    let routes = basic(&spec, &demand, &design, &Faults::default()).unwrap();
    // 0-1 is the only pair that was asked for, so it comes first though it has two paths.
    assert_eq!(routes.switch_for(0, 1), Some(0));
    assert_eq!(routes.switch_for(1, 0), Some(0));
    assert_eq!(routes.switch_for(0, 2), Some(0));
    assert_eq!(routes.switch_for(2, 3), Some(2));
    assert_eq!(routes.switch_for(9, 1), None);
    assert_eq!(routes.neighbours(3).collect::<Vec<_>>(), [(0, 1), (1, 1), (2, 2)]);
    assert_eq!((routes.load(0), routes.pairs()), (vec![2, 1], 6));
}

#[test]
fn among_equals_fewest_alternatives_come_first() {
    let (spec, demand) = sparse(4, 3, 4, 3, &[(0, 1), (0, 2), (1, 2)]);
    // 0-1 have two paths, 0-2 and 1-2 only switch 0: these go first and push 0-1 to switch 1.
    let design = wiring("0: 0 1 2\n1: 0 1\n2: 3\n", 4);
    let routes = basic(&spec, &demand, &design, &Faults::default()).unwrap();
    assert_eq!(routes.switch_for(0, 1), Some(1));
    assert_eq!(routes.switch_for(0, 3), None);
    assert_eq!(routes.neighbours(3).len(), 0);
}

#[test]
fn heavier_pairs_come_before_lighter_ones() {
    let (spec, demand) = spec(
        "pes = 3\nnis_per_pe = 2\n[[switch]]\nports = 3\ncount = 2\n[[pattern]]\nkind = 'matrix'\npairs = '''\n0 1 1\n0 2 5\n1 2 3\n'''\n",
    );
    let design = wiring("0: 0 1 2\n1: 0 1 2\n", 3);
    let routes = basic(&spec, &demand, &design, &Faults::default()).unwrap();
    assert_eq!(routes.switch_for(0, 2), Some(0), "the heaviest takes the lowest");
    assert_eq!(routes.switch_for(1, 2), Some(1), "then 2's other NI is free");
    assert_eq!(routes.switch_for(0, 1), Some(0), "one path on each NI of both: the lowest");
}

#[test]
fn another_machines_wiring_is_refused() {
    let (spec, demand) = spec("pes = 4\nnis_per_pe = 1\n[[switch]]\nports = 4\n[[pattern]]\nkind = 'ring'\n");
    let found = basic(&spec, &demand, &Design::from_switches(5, [vec![0, 4]]), &Faults::default());
    assert_eq!(found, Err(RoutingError::Pes { design: 5, spec: 4, demand: 4 }));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_connected_pair_has_one_path_on_a_shared_switch(
        switches in prop::collection::vec(prop::collection::vec(0u32..16, 0..9), 1..8),
        pairs in prop::collection::vec((0u32..16, 0u32..16), 1..30),
    ) {
        let (spec, _) = spec("pes = 16\nnis_per_pe = 8\n[[switch]]\nports = 16\n[[pattern]]\nkind = 'ring'\n");
        let demand = Demand::from_pairs(16, pairs.into_iter().filter(|(a, b)| a != b));
        let design = Design::from_switches(16, switches);
        let routes = basic(&spec, &demand, &design, &Faults::default()).unwrap();
        let nis = design.nis();
        for a in 0..16 {
            let near: Vec<(u32, u32)> = routes.neighbours(a).collect();
            prop_assert!(near.is_sorted());
            prop_assert_eq!(routes.load(a).iter().sum::<u32>() as usize, near.len());
            for b in (0..16).filter(|&b| b != a) {
                let shared: Vec<u32> = nis.shared(a, b).collect();
                let path = routes.switch_for(a, b);
                prop_assert_eq!(path, routes.switch_for(b, a));
                prop_assert_eq!(path.is_some(), !shared.is_empty());
                prop_assert!(path.is_none_or(|s| shared.contains(&s)));
                prop_assert_eq!(near.iter().find(|n| n.0 == b).map(|n| n.1), path);
            }
        }
    }
}
