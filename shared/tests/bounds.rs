//! Bounds are never wrong, and met where a wiring is optimal.

use crate::common::{exhaustive::solvable, sparse, spec, wiring};
use proptest::prelude::*;
use shared::{
    analysis::{
        bounds::{Bounds, bounds, port_bound, refuse, standing, switch_bound},
        figures::figures,
    },
    demand::Demand,
    design::{Design, check},
};

fn both(text: &str) -> Bounds {
    let (spec, demand) = spec(text);
    bounds(&spec, &demand)
}

fn universal(pes: u32, nis: u32, ports: u32) -> String {
    format!("pes = {pes}\nnis_per_pe = {nis}\nobjective = 'universal'\n[[switch]]\nports = {ports}\n")
}

fn cube(pes: u32, nis: u32, ports: u32) -> String {
    format!("pes = {pes}\nnis_per_pe = {nis}\n[[switch]]\nports = {ports}\n[[pattern]]\nkind = 'hypercube'\n")
}

#[test]
fn a_hypercube_needs_subcubes() {
    for (pes, nis, ports) in [(16, 2, 4), (64, 3, 4), (64, 2, 8), (1 << 12, 3, 16), (1 << 16, 4, 16)] {
        let found = both(&cube(pes, nis, ports));
        assert_eq!(found.ports.ports, ports, "{}", found.ports.reason);
        assert_eq!(found.switches.switches, pes * nis / ports, "{}", found.switches.reason);
        assert!(ports < 8 || found.ports.source.contains("Hart"), "{}", found.ports.source);
    }
}

/// A 4-dimensional cube, two dimensions by each NI: every switch is a square.
#[test]
fn a_wiring_that_meets_its_bounds_is_optimal() {
    let (spec, demand) = spec(&cube(16, 2, 4));
    let low = (0..4).map(|high| (0..4).map(|low| 4 * high + low).collect());
    let high = (0..4).map(|low| (0..4).map(|high| 4 * high + low).collect());
    let design = Design::from_switches(16, low.chain(high));
    let f = figures(&spec, &demand, &design);
    assert_eq!(f.standing.ports.words, "4 ports; at least 4: optimal");
    assert_eq!(f.standing.switches.words, "8 switches; at least 8: optimal");
    assert!(!f.nothing_wasted, "diagonals of the squares meet, too");
    let rest = Design::from_switches(16, design.switches().skip(1).map(<[u32]>::to_vec));
    let verdict = check(&spec, &demand, &rest);
    let standing = standing(&spec, &bounds(&spec, &demand), &rest, &verdict);
    assert!(!standing.ports.optimal && !standing.switches.optimal);
    assert_eq!(
        standing.switches.words,
        "7 switches; at least 8 to serve every pair, which this wiring does not"
    );
}

#[test]
fn a_projective_plane_wastes_nothing() {
    let (spec, demand) = spec(&universal(7, 3, 3));
    let fano = wiring("0: 0 1 3\n1: 1 2 4\n2: 2 3 5\n3: 3 4 6\n4: 0 4 5\n5: 1 5 6\n6: 0 2 6\n", 7);
    let f = figures(&spec, &demand, &fano);
    assert!(f.standing.ports.optimal && f.standing.switches.optimal && f.nothing_wasted, "{f:?}");
}

#[test]
fn a_gap_is_told() {
    let (spec, demand) = spec(&universal(7, 3, 7));
    let f = figures(&spec, &demand, &Design::from_switches(7, [(0..7).collect(), vec![0, 1]]));
    assert_eq!(
        f.standing.ports.words,
        "7 ports; at least 3: a search on narrower switches may need up to 4 fewer"
    );
    assert_eq!(
        f.standing.switches.words,
        "2 switches; at least 1: a search with fewer switches may need up to 1 fewer"
    );
    assert!(!f.standing.switches.optimal);
}

/// Coverings by blocks: the numbers of the La Jolla repository that the bounds meet, and some that they do not.
#[test]
fn coverings_are_bounded_as_published() {
    let met = [
        (5, 3, 4),
        (6, 3, 6),
        (7, 3, 7),
        (8, 3, 11),
        (9, 3, 12),
        (10, 3, 17),
        (11, 3, 19),
        (13, 3, 26),
        (5, 4, 3),
        (6, 4, 3),
        (7, 4, 5),
        (8, 4, 6),
        (11, 4, 11),
        (12, 4, 12),
        (13, 4, 13),
        (7, 5, 3),
        (8, 5, 4),
        (9, 5, 5),
        (10, 5, 6),
        (11, 5, 7),
        (13, 5, 10),
        (9, 6, 3),
        (10, 6, 4),
        (11, 6, 6),
        (12, 6, 6),
        (13, 6, 7),
        (64, 31, 7),
        (64, 20, 13),
    ];
    for (pes, ports, blocks) in met {
        let found = both(&universal(pes, 12, ports)).switches;
        let unmet = [(9, 4, 8), (10, 4, 9), (12, 5, 9), (13, 5, 10)].contains(&(pes, ports, blocks));
        assert!(
            found.switches == blocks || unmet && found.switches <= blocks,
            "C({pes},{ports},2): {found:?}"
        );
    }
}

#[test]
fn one_ni_drags_all_partners_onto_one_switch() {
    let ring = "pes = 12\nnis_per_pe = 1\n[[switch]]\nports = 12\n[[pattern]]\nkind = 'ring'\n";
    assert_eq!(both(ring).ports.ports, 12);
    let (spec, demand) = spec(
        "pes = 6\n[[pe_group]]\ncount = 2\nnis = 1\n[[pe_group]]\ncount = 4\nnis = 3\n[[switch]]\nports = 6\n\
         [[pattern]]\nkind = 'matrix'\npairs = [[0, 1], [0, 2], [1, 3], [4, 5]]\n",
    );
    let found = port_bound(&spec, &demand);
    assert_eq!(found.ports, 4);
    assert!(found.reason.contains("node 0 has 1 NIC, so it and another with 1 NIC"), "{}", found.reason);
}

#[test]
fn a_ring_is_a_chain_of_switches() {
    let found =
        both("pes = 12\nnis_per_pe = 2\n[[switch]]\nports = 4\n[[pattern]]\nkind = 'ring'\n").switches;
    assert_eq!(found.switches, 4, "{}", found.reason);
}

/// A block of nodes can be dense, but not all blocks of a node.
#[test]
fn paths_of_two_steps_are_counted_for_each_node() {
    let tori: String = [2, 3, 4]
        .map(|dimensions| {
            format!(
                "[[pattern]]\nkind = 'torus'\ndimensions = {dimensions}\nfactorizations = 'balanced'\nneighbours = 'nearest'\n"
            )
        })
        .concat();
    let found = both(&(cube(512, 3, 25) + "[[pattern]]\nkind = 'ring'\n" + &tori));
    assert_eq!(found.ports.ports, 10, "{}", found.ports.reason);
    assert!(found.ports.reason.contains("more paths of two steps than 9-port switches"), "{found:?}");
    assert_eq!(found.switches.switches, 39, "{}", found.switches.reason);
    assert!(found.switches.reason.contains("given the paths of two steps"), "{found:?}");
}

/// Every one of four with every one of four others, beside a circle of 32.
#[test]
fn the_part_that_asks_most_decides() {
    let crossed = (0..4u32).flat_map(|a| (4..8).map(move |b| (a, b)));
    let pairs: Vec<(u32, u32)> = crossed.chain((8..40).map(|a| (a, 8 + (a - 7) % 32))).collect();
    let (spec, demand) = sparse(40, 2, 4, 40, &pairs);
    let found = port_bound(&spec, &demand);
    assert_eq!(found.ports, 4, "{}", found.reason);
    assert!(
        found.reason.starts_with("16 links among 8 nodes with 16 NICs are 1.000 per NIC"),
        "{}",
        found.reason
    );
}

#[test]
fn a_clique_among_others_is_found() {
    let clique = (0..21u32).flat_map(|a| (a + 1..21).map(move |b| (2 * a, 2 * b)));
    let pairs: Vec<(u32, u32)> = clique.chain([(1, 3), (1, 5)]).collect();
    let (spec, demand) = sparse(50, 5, 21, 50, &pairs);
    let found = port_bound(&spec, &demand);
    assert_eq!(found.ports, 5, "{}", found.reason);
    let (spec, demand) = sparse(50, 4, 21, 50, &pairs);
    let found = port_bound(&spec, &demand);
    assert_eq!(found.ports, 7, "{}", found.reason);
    assert!(found.reason.contains("21 of the nodes must share switches pairwise"), "{}", found.reason);
}

/// What a refusal says would do is not refused.
#[test]
fn the_best_bound_refuses_what_the_plain_ones_pass() {
    let refused = |text: &str| {
        let (spec, demand) = spec(text);
        refuse(&spec, &demand).map(|refusal| (refusal.faults[0].clone(), refusal.proof))
    };
    let (fault, proof) = refused(&cube(64, 2, 6)).unwrap();
    assert_eq!((fault.path.as_str(), fault.value.as_str()), ("switch[0].ports", "6"));
    assert!(fault.message.contains("; use at least 8 ports, or more NICs"), "{}", fault.message);
    assert!(proof.contains("hypercube") && proof.contains("the widest has 6"), "{proof}");
    assert_eq!(refused(&cube(64, 2, 8)), None);
    assert_eq!(refused(&cube(64, 3, 6)), None);

    let ring = |count: u32| {
        format!(
            "pes = 12\nnis_per_pe = 2\n[[switch]]\nports = 4\ncount = {count}\n[[pattern]]\nkind = 'ring'\n"
        )
    };
    let (fault, proof) = refused(&ring(3)).unwrap();
    assert_eq!((fault.path.as_str(), fault.value.as_str()), ("switch[0].count", "3"));
    assert!(proof.contains("3 switches are too few"), "{proof}");
    assert_eq!(refused(&ring(4)), None);
}

/// Where nothing would be left over, PEs that all meet are the points of a block design.
#[test]
fn planes_and_designs_that_do_not_exist_are_refused() {
    for (pes, nis, ports, why) in [
        (36, 7, 6, "an affine plane of order 6, which could be completed to a projective one; there is none"),
        (100, 11, 10, "an affine plane of order 10"),
        (196, 15, 14, "an affine plane of order 14"),
        (46, 9, 6, "46 points and 69 blocks of 6"),
        (19, 6, 4, "not a whole number"),
    ] {
        let found = both(&universal(pes, nis, ports)).ports;
        assert_eq!(found.ports, ports + 1, "{}", found.reason);
        assert!(found.reason.contains(why), "{}", found.reason);
        let plenty = universal(pes, nis, ports).replace("ports =", "count = 300\nports =");
        let (spec, demand) = spec(&plenty);
        let refusal = refuse(&spec, &demand).expect(why);
        assert_eq!(refusal.faults[0].path, "switch[0].ports");
        // Counting pairs on switches that are not all full says as much of 19 PEs, and comes first.
        assert!(pes == 19 || refusal.proof.contains(why), "{}", refusal.proof);
    }
    // Every two PEs on two switches: biplanes, of which 22 and 29 points have none.
    let twice =
        |pes: u32, nis: u32| universal(pes, nis, nis) + "[[pattern]]\nkind = 'all-pairs'\nlinks = 2\n";
    for (pes, nis, exists) in [(7, 4, true), (11, 5, true), (16, 6, true), (22, 7, false), (29, 8, false)] {
        let (spec, demand) = spec(&twice(pes, nis));
        let refusal = refuse(&spec, &demand);
        assert_eq!(refusal.is_none(), exists, "{pes}: {refusal:?}");
        assert!(refusal.is_none_or(|r| r.proof.contains("Chowla")));
    }
}

/// What planes over fields serve, whole or without some of their points, is not refused.
#[test]
fn planes_that_exist_are_not_refused() {
    for order in [2u32, 3, 4, 5, 7, 8, 9, 11] {
        let affine = (order * order, order + 1, order);
        let projective = (order * order + order + 1, order + 1, order + 1);
        for (pes, nis, ports) in [affine, projective] {
            for pes in pes - order + 1..=pes {
                let (spec, demand) =
                    spec(&universal(pes, nis, ports).replace("ports =", "count = 200\nports ="));
                let refusal = refuse(&spec, &demand);
                assert!(refusal.is_none(), "{pes} nodes, {nis} NICs, {ports} ports: {refusal:?}");
            }
        }
    }
}

#[test]
fn what_is_too_large_to_count_is_told() {
    let (spec, demand) = spec(
        "pes = 8192\nnis_per_pe = 4\n[[switch]]\nports = 64\n[[pattern]]\nkind = 'torus'\ndims = [128, 64]\nneighbours = 'axis'\n",
    );
    let found = port_bound(&spec, &demand);
    assert_eq!(found.ports, 49);
    assert!(found.reason.contains("common partners are not counted"), "{}", found.reason);
}

#[test]
fn nothing_requested_needs_nothing() {
    let (spec, _) = spec(&universal(7, 3, 3));
    let found = bounds(&spec, &Demand::from_pairs(7, []));
    assert_eq!((found.ports.ports, found.switches.switches), (1, 0));
}

/// Groups, models of several widths, every pair or some, hypercubes and rings, one link or two.
fn tiny() -> impl Strategy<Value = String> {
    let hardware = (3u32..9, 1u32..4, 1u32..4, prop::collection::vec((2u32..6, 1u32..5), 1..3));
    (hardware, 0u8..6, any::<u64>()).prop_map(|((pes, some, rest, models), kind, chosen)| {
        let objective = if kind == 0 { "universal" } else { "sparse" };
        let mut text = format!("pes = {pes}\nobjective = '{objective}'\n");
        text += &format!(
            "[[pe_group]]\ncount = 1\nnis = {some}\n[[pe_group]]\ncount = {}\nnis = {rest}\n",
            pes - 1
        );
        for (ports, count) in models {
            text += &format!("[[switch]]\nports = {ports}\ncount = {count}\n");
        }
        let pairs: Vec<String> = (0..pes)
            .flat_map(|a| (a + 1..pes).map(move |b| (a, b)))
            .enumerate()
            .filter(|&(i, (a, b))| match kind {
                1 => (a ^ b).is_power_of_two(),
                2 => a % 2 != b % 2,
                _ => i == 0 || chosen >> i & 1 == 1,
            })
            .map(|(_, (a, b))| format!("[{a}, {b}]"))
            .collect();
        let links = if kind == 5 { 2.min(some).min(rest) } else { 1 };
        text + &format!("[[pattern]]\nkind = 'matrix'\nlinks = {links}\npairs = [{}]\n", pairs.join(", "))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_refusal_or_bound_contradicts_a_wiring_that_exists(text in tiny()) {
        let (spec, demand) = spec(&text);
        if solvable(&spec, &demand) == Some(true) {
            prop_assert_eq!(refuse(&spec, &demand), None);
            let widest = spec.usable_ports().into_iter().max().unwrap();
            let found = bounds(&spec, &demand);
            prop_assert!(found.ports.ports <= widest, "{:?}", found);
            prop_assert!(found.switches.switches <= spec.switch_budget(), "{:?}", found);
            prop_assert_eq!(switch_bound(&spec, &demand), found.switches);
        }
    }
}
