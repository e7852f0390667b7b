//! Published figures, and bounds that are never wrong.

use crate::common::{sparse, spec, wiring};
use proptest::prelude::*;
use shared::{
    analysis::{
        bounds::{advice, furedi_ports, refuse},
        figures::{figures, rows},
        leftout::{left_out, weight_served},
        lengths,
    },
    demand::Demand,
    design::{Design, Verdict, check},
    spec::Spec,
};

const KASY0: &str = include_str!("../../assets/wirings/kasy0.txt");
const KASY0_SPEC: &str = "
name = 'KASY0'
pes = 128
nis_per_pe = 3
cable_price = 2.0
[[switch]]
ports = 24
reserve = 1
price = 95.0
[[pattern]]
kind = 'hypercube'
[[pattern]]
kind = 'bit-reversal'
[[pattern]]
kind = 'ring'
[[pattern]]
kind = 'torus'
dims = [16, 8]
neighbours = 'axis'
[[pattern]]
kind = 'torus'
dims = [8, 4, 4]
neighbours = 'axis'
";
const KLAT2_SPEC: &str =
    "name = 'KLAT2'\npes = 64\nnis_per_pe = 4\nobjective = 'universal'\n[[switch]]\nports = 31\ncount = 9\n";

/// KLAT2's hardware filled in turn: eight switches with 31 PEs, one with 8.
fn klat2() -> Design {
    let cables: Vec<u32> = (0..256).map(|cable| cable % 64).collect();
    Design::from_switches(64, cables.chunks(31).map(<[u32]>::to_vec))
}

#[test]
fn kasy0_has_its_published_figures() {
    let (spec, demand) = spec(KASY0_SPEC);
    let design = wiring(KASY0, 128);
    assert!(check(&spec, &demand, &design).holds());
    let f = figures(&spec, &demand, &design);
    assert_eq!((f.requested, f.covered, f.connected, f.extra), (1536, 1536, 3457, 3457 - 1536));
    assert_eq!((f.switches_used, f.switches_allowed, f.cables), (17, None, 384));
    assert_eq!((f.ports_used, f.ports_free, f.ports_reserved), (384, 17 * 23 - 384, 17));
    assert_eq!(f.cost, Some(17.0 * 95.0 + 384.0 * 2.0));
    assert_eq!(f.unpriced, ["NICs"]);
    assert_eq!(f.paths.iter().map(|p| p.pairs).sum::<u64>(), 128 * 127 / 2);
    assert_eq!(f.coverage, 1.0);
    assert_eq!(f.port_bound.ports, 10);
}

#[test]
fn klat2_has_its_published_figures() {
    let (spec, demand) = spec(KLAT2_SPEC);
    let f = figures(&spec, &demand, &klat2());
    let published = f64::from(31 * 30 * 8 + 8 * 7) / f64::from(64 * 63);
    assert!((f.links_per_pair - published).abs() < 1e-12);
    assert!((f.links_per_pair_bound - published).abs() < 1e-12);
    // At 100 Mb/s, 200 Mb/s in both directions together.
    assert_eq!(format!("{:.3}", f.links_per_pair), "1.859");
    assert_eq!(format!("{:.1}", f.links_per_pair * 200.0), "371.8");
    assert_eq!(format!("{:.1}", f.bisection_links * 0.2), "23.8");
    assert_eq!(format!("{:.1}", f64::from(f.uplink_links) * 0.2), "1.8");
    assert_eq!(f.total_links * 100, 25_600);
    assert_eq!(f.port_bound.ports, 20);
}

#[test]
fn rows_are_complete_and_explained() {
    let (spec, demand) = spec(KASY0_SPEC);
    let rows = rows(&figures(&spec, &demand, &wiring(KASY0, 128)));
    assert_eq!(rows.len(), 29);
    for row in &rows {
        assert!(!row.value.is_empty() && !row.explanation.is_empty() && !row.source.is_empty(), "{row:?}");
    }
    let value = |key: &str| rows.iter().find(|r| r.key == key).map(|r| r.value.as_str()).unwrap();
    assert_eq!(value("requested"), "1,536");
    assert_eq!(value("cost"), "at least 2,383.00");
    assert_eq!(value("coverage"), "100");
    assert_eq!(
        value("ports_standing"),
        "23 ports; at least 10: a search on narrower switches may need up to 13 fewer"
    );
    assert_eq!(
        value("switches_standing"),
        "17 switches; at least 12: a search with fewer switches may need up to 5 fewer"
    );
    let length = rows.iter().find(|r| r.key == "cable_metres").unwrap();
    assert_eq!((length.value.as_str(), length.unit.as_str()), ("no racks given", ""));
}

#[test]
fn coverage_is_not_rounded_up_to_everything() {
    let pairs: Vec<(u32, u32)> = (0..200).flat_map(|a| (a + 1..200).map(move |b| (a, b))).collect();
    let (spec, demand) = sparse(201, 1, 201, 1, &[&pairs[..], &[(0, 200)]].concat());
    let all_but_one = Design::from_switches(201, [(0..200).collect()]);
    let f = figures(&spec, &demand, &all_but_one);
    assert_eq!(f.covered + 1, f.requested);
    assert_eq!(rows(&f).iter().find(|r| r.key == "coverage").unwrap().value, "99.99");
}

#[test]
fn universal_bounds_are_the_published_ones() {
    let cases = [(64, 4, 20), (64, 3, 28), (128, 4, 40), (576, 4, 178), (7, 3, 3), (13, 4, 4), (100, 1, 100)];
    for (pes, nis, ports) in cases {
        assert_eq!(furedi_ports(pes, nis), ports, "{pes} nodes with {nis} NICs");
    }
    // Whole nodes on the lines of a plane: N/(η-1+1/η) alone gives 61 and 281.
    assert_eq!([furedi_ports(256, 5), furedi_ports(2000, 8)], [62, 282]);
}

/// Nodes dealt out to the lines of the Fano plane in every way, up to 10 nodes.
#[test]
fn no_nodes_on_a_plane_need_fewer_ports_than_the_bound() {
    const LINES: [[usize; 3]; 7] =
        [[0, 1, 2], [0, 3, 4], [0, 5, 6], [1, 3, 5], [1, 4, 6], [2, 3, 6], [2, 4, 5]];
    fn least(left: u32, from: usize, ports: [u32; 7]) -> u32 {
        if left == 0 {
            return ports.into_iter().max().unwrap();
        }
        let on = |line: usize| {
            LINES[line].iter().fold(ports, |mut ports, &point| {
                ports[point] += 1;
                ports
            })
        };
        (from..7).map(|line| least(left - 1, line, on(line))).min().unwrap()
    }
    for nodes in 7..=10 {
        let found = least(nodes, 0, [0; 7]);
        assert!(furedi_ports(nodes, 3) <= found.min(nodes.div_ceil(2)), "{nodes} nodes: {found}");
    }
    assert_eq!((least(7, 0, [0; 7]), furedi_ports(7, 3)), (3, 3));
    assert_eq!((least(8, 0, [0; 7]), furedi_ports(8, 3)), (4, 4));
}

#[test]
fn degree_over_the_nis_is_refused_with_its_numbers() {
    let star: Vec<(u32, u32)> = (1..10).map(|b| (0, b)).collect();
    let (spec, demand) = sparse(10, 2, 5, 10, &star);
    let refusal = refuse(&spec, &demand).expect("9 partners, 2 NICs of 4 others each");
    assert_eq!(refusal.faults[0].path, "nics_per_node");
    assert_eq!(refusal.faults[0].value, "2");
    assert!(refusal.faults[0].message.contains("at least 3"), "{}", refusal.faults[0].message);
    assert!(
        refusal.proof.contains("Node 0 needs 9 links") && refusal.proof.contains("8 in all, fewer than 9"),
        "{}",
        refusal.proof
    );
    assert_eq!(refuse(&sparse(9, 2, 5, 10, &star[..8]).0, &sparse(9, 2, 5, 10, &star[..8]).1), None);
}

#[test]
fn too_few_ports_pairs_and_planes_are_refused() {
    let ring: Vec<(u32, u32)> = (0..12).map(|a| (a, (a + 1) % 12)).collect();
    let (spec_few, demand_few) = sparse(12, 2, 4, 2, &ring);
    let refusal = refuse(&spec_few, &demand_few).expect("12 nodes, 8 ports");
    assert_eq!((refusal.faults[0].path.as_str(), refusal.faults[0].value.as_str()), ("switch[0].count", "2"));

    let universal = |pes: u32, nis: u32, ports: u32| {
        let text = format!(
            "pes = {pes}\nnis_per_pe = {nis}\nobjective = 'universal'\n[[switch]]\nports = {ports}\n"
        );
        let (spec, demand) = spec(&text);
        refuse(&spec, &demand)
    };
    assert!(universal(64, 4, 19).is_some_and(|r| r.proof.contains("Füredi")));
    assert_eq!(universal(64, 4, 20), None);
    assert_eq!(universal(7, 3, 3), None, "the Fano plane");
    assert!(universal(8, 3, 3).is_some());
}

#[test]
fn links_that_no_pair_can_have_are_refused() {
    let text =
        "pes = 8\nnis_per_pe = 2\n[[switch]]\nports = 8\ncount = 1\n[[pattern]]\nkind = 'ring'\nlinks = 2\n";
    let (spec, demand) = spec(text);
    let refusal = refuse(&spec, &demand).expect("2 links, 1 switch");
    assert_eq!(refusal.faults[0].path, "pattern[0].links");
}

#[test]
fn fractional_is_never_refused() {
    let text = "pes = 64\nnis_per_pe = 1\nobjective = 'fractional'\n[[switch]]\nports = 2\n[[pattern]]\nkind = 'hypercube'\n";
    let (spec, demand) = spec(text);
    assert_eq!(refuse(&spec, &demand), None);
    let lines = advice_on(&spec, &demand, &[(0, 1)]);
    let is_proof =
        |line: &String| line.starts_with("Searching longer cannot cover every pair. Node 0 needs 6 links.");
    assert!(lines.iter().any(is_proof), "{lines:?}");
    assert!(!lines.iter().any(|line| line.starts_with("Search longer")), "{lines:?}");
}

/// Advice for a wiring that leaves these pairs uncovered.
fn advice_on(spec: &Spec, demand: &Demand, uncovered: &[(u32, u32)]) -> Vec<String> {
    advice(spec, demand, &Verdict { uncovered: uncovered.to_vec(), ..Verdict::default() })
}

#[test]
fn moved_cables_are_told_of_a_wiring_that_is_there() {
    let told = |start: &str| {
        let (spec, demand) = spec(&format!(
            "pes = 4\nnis_per_pe = 1\n[[switch]]\nports = 2\n[[pattern]]\nkind = 'ring'\n{start}"
        ));
        let rows = rows(&figures(&spec, &demand, &wiring("0: 0 2\n1: 1 3\n", 4)));
        rows.into_iter().find(|row| row.key == "moves").map(|row| row.value)
    };
    let start = |rule: &str| format!("[start]\n{rule}\ntable = \"0: 0 1\\n1: 2 3\\n\"\n");
    assert_eq!(told("").as_deref(), Some("no existing wiring"));
    assert_eq!(told(&start("moves = 3")).as_deref(), Some("2 of 3"));
    assert_eq!(told(&start("renumber = true")).as_deref(), Some("nodes renumbered"));
}

#[test]
fn advice_names_what_holds_the_wiring_that_is_there() {
    let text = |start: &str| {
        format!(
            "pes = 6\nnis_per_pe = 1\n[[switch]]\nports = 2\n[[pattern]]\nkind = 'ring'\n[start]\n{start}\n\
             table = \"0: 0 1\\n1: 2 3\\n2: 4 5\\n\"\n"
        )
    };
    let first = |start: &str, wired: &str| {
        let (spec, demand) = spec(&text(start));
        let verdict = check(&spec, &demand, &wiring(wired, 6));
        advice(&spec, &demand, &verdict).remove(0)
    };
    let (as_it_was, exchanged) = ("0: 0 1\n1: 2 3\n2: 4 5\n", "0: 0 2\n1: 1 3\n2: 4 5\n");
    assert!(first("renumber = true", as_it_was).contains("`renumber` from [start]"));
    let told = first("moves = 3", exchanged);
    assert_eq!(told, "Raise or remove `moves` in [start]: 2 cables moved, and it allows 3.");
    // There is room for one more exchange, and where any number may move nothing holds.
    assert!(!first("moves = 4", exchanged).contains("move"));
    assert!(!first("", exchanged).contains("move"));
}

#[test]
fn advice_names_the_pattern_behind_the_uncovered_pairs() {
    let (spec, demand) = spec(KASY0_SPEC);
    let lines = advice_on(&spec, &demand, &[(0, 1), (3, 96)]);
    assert!(lines[0].contains("2 of 1,536 pairs are uncovered"), "{lines:?}");
    assert!(lines.iter().any(|l| l.contains("Remove pattern bit reversal: it requests 1")), "{lines:?}");
    assert!(lines.iter().any(|l| l.contains("28 or 32 ports instead of 24")), "{lines:?}");
    assert!(lines.iter().any(|l| l.contains("4 instead of 3")), "{lines:?}");
    assert!(advice_on(&spec, &demand, &[]).is_empty());
}

#[test]
fn advice_gives_an_ni_to_the_group_that_lacks_it() {
    let (spec, demand) = spec(
        "pes = 8\n[[pe_group]]\ncount = 5\nnis = 4\n[[pe_group]]\ncount = 3\nnis = 1\n[[switch]]\nports = 4\n\
         [[pattern]]\nkind = 'ring'\n",
    );
    let given = |uncovered: &[(u32, u32)]| {
        let mut lines = advice_on(&spec, &demand, uncovered).into_iter();
        lines.find(|line| line.starts_with("Give")).unwrap()
    };
    assert_eq!(given(&[(4, 5)]), "Give each node of pe_group[1] one more NIC (2 instead of 1).");
    assert_eq!(
        given(&[(0, 1), (2, 3), (0, 7)]),
        "Give each node of pe_group[0] one more NIC (5 instead of 4)."
    );
}

#[test]
fn a_machine_of_one_pe_reads_sensibly() {
    let (spec, demand) = spec("pes = 1\nnis_per_pe = 1\nobjective = 'universal'\n[[switch]]\nports = 4\n");
    let rows = rows(&figures(&spec, &demand, &wiring("0: 0\n", 1)));
    let told = |key: &str| {
        let row = rows.iter().find(|row| row.key == key).unwrap();
        format!("{} {}", row.value, row.unit).trim().to_string()
    };
    assert_eq!(
        (told("pes"), told("requested"), told("cables")),
        ("1 node".into(), "0 pairs".into(), "1 cable".into())
    );
    assert_eq!((told("paths"), told("ports_standing")), ("none".into(), "none is needed".into()));
    assert_eq!(told("switches_standing"), "none is needed");
}

#[test]
fn advice_leads_with_hardware_where_much_is_uncovered() {
    let (spec, demand) = spec(KASY0_SPEC);
    let uncovered: Vec<(u32, u32)> = demand.pairs().collect();
    let first = |count: usize| advice_on(&spec, &demand, &uncovered[..count]).remove(0);
    assert!(first(15).starts_with("Search longer"), "{}", first(15));
    assert!(first(16).starts_with("Use switches with"), "{}", first(16));
    let lines = advice_on(&spec, &demand, &uncovered[..16]);
    assert!(lines.last().unwrap().contains("16 of 1,536 pairs are uncovered (1.04 %)"), "{lines:?}");
}

/// Two racks 3 m apart and 1 m across: PEs 0 to 3 and switches 0 and 1 in the first, the rest in the second.
const RACKS: &str = "
pes = 6
nis_per_pe = 2
ni_price = 10.0
cable_price = 1.0
metre_price = 0.5
cable_slack = 2.0
[[switch]]
ports = 8
price = 100.0
count = 3
[[rack]]
pes = 4
switches = 2
[[rack]]
pes = 2
switches = 1
x = 3.0
y = -1.0
[[pattern]]
kind = 'ring'
";

#[test]
fn cables_are_as_long_as_the_way_between_racks() {
    let (spec, demand) = spec(RACKS);
    assert_eq!(lengths::length(&spec, 3, 1), Some(2.0));
    assert_eq!(lengths::length(&spec, 3, 2), Some(6.0));
    assert_eq!(lengths::length(&spec, 4, 2), Some(2.0));
    assert_eq!(lengths::length(&spec, 4, 0), Some(6.0));
    assert_eq!((lengths::length(&spec, 6, 0), lengths::length(&spec, 0, 3)), (None, None));
    let f = figures(&spec, &demand, &wiring("0: 0 1 2 3 4\n1:\n2: 0 3 4 5\n", 6));
    // Four of 2 m and one of 6 m on switch 0, two of 6 m and two of 2 m on switch 2.
    assert_eq!(f.cable_metres, Some(4.0 * 2.0 + 6.0 + 2.0 * 6.0 + 2.0 * 2.0));
    // A third switch and an NI without a cable are paid all the same.
    assert_eq!(f.cost, Some(3.0 * 100.0 + 12.0 * 10.0 + 9.0 * 1.0 + 30.0 * 0.5));
    assert!(f.unpriced.is_empty(), "{:?}", f.unpriced);
}

#[test]
fn an_uplink_costs_its_switch_and_cables() {
    let wired = |uplink: &str| {
        let (spec, demand) = spec(&format!("{RACKS}[uplink]\n{uplink}"));
        figures(&spec, &demand, &wiring("0: 0 1 2 3 4\n1: 0 3 4 5\n2:\n", 6))
    };
    let separate = wired("kind = 'separate'\nspares = 1\nprice = 70.0\n");
    assert_eq!((separate.uplink_cables, separate.cable_metres), (3, Some(8.0 + 6.0 + 4.0 + 12.0)));
    assert_eq!(separate.cost, Some(300.0 + 70.0 + 13.0 * 10.0 + 12.0 + 15.0));
    assert_eq!(separate.unpriced, ["metres of 3 cables to uplink switches or from spares (not in a rack)"]);
    // The last switch is the uplink: two cables of 6 m lead to it.
    let folded = wired("kind = 'folded'\n");
    assert_eq!((folded.uplink_cables, folded.cable_metres), (2, Some(8.0 + 6.0 + 4.0 + 12.0 + 12.0)));
    assert_eq!(folded.cost, Some(300.0 + 12.0 * 10.0 + 11.0 + 21.0));
}

#[test]
fn what_is_left_out_is_listed_by_weight() {
    let (spec, demand) = spec(
        "pes = 6\nnis_per_pe = 1\nobjective = 'fractional'\n[[switch]]\nports = 3\n[[pattern]]\nkind = 'ring'\nweight = 2\n\
         [[pattern]]\nkind = 'matrix'\npairs = [[0, 1, 0.1], [0, 3, 5], [2, 3, 1]]\n",
    );
    let design = wiring("0: 0 1 2\n1: 3 4 5\n", 6);
    let verdict = check(&spec, &demand, &design);
    let left = left_out(&spec, &demand, &verdict.uncovered, 9);
    let told: Vec<(u32, u32, f32)> = left.iter().map(|l| (l.a, l.b, l.weight)).collect();
    assert_eq!(told, [(0, 3, 5.0), (2, 3, 3.0), (0, 5, 2.0)]);
    assert_eq!(left[1].patterns, ["ring", "matrix of 3 pairs"]);
    assert_eq!(left_out(&spec, &demand, &verdict.uncovered, 2), left[..2]);
    assert!(left_out(&spec, &demand, &verdict.uncovered, 0).is_empty());
    assert!((weight_served(&verdict) - (1.0 - 10.0 / 18.1)).abs() < 1e-6, "{verdict:?}");
}

/// What a refusal says would do, does: each way is taken, and is not refused any more.
#[test]
fn refusals_say_what_would_do() {
    let expected = |hardware: &str| {
        let (spec, demand) = spec(hardware);
        refuse(&spec, &demand).map(|r| r.faults[0].message.clone())
    };
    let four =
        |nis: u32| format!("pes = 4\nnis_per_pe = {nis}\nobjective = 'universal'\n[[switch]]\nports = 2\n");
    assert_eq!(
        expected(&four(1)).unwrap(),
        "1 is not enough; use at least 3, or switches with at least 4 ports, or fewer patterns."
    );
    assert!(expected(&four(2)).is_some() && expected(&four(3)).is_none());

    // 63 partners need 22 ports by their number, and 28 to meet pairwise.
    let all = |nis: u32, ports: u32| {
        format!("pes = 64\nnis_per_pe = {nis}\nobjective = 'universal'\n[[switch]]\nports = {ports}\n")
    };
    assert_eq!(
        expected(&all(3, 20)).unwrap(),
        "3 is not enough; use at least 4, or switches with at least 28 ports, or fewer patterns."
    );
    assert!(expected(&all(3, 27)).is_some());
    assert!(expected(&all(3, 28)).is_none() && expected(&all(4, 20)).is_none());

    let open = |count: &str| {
        format!(
            "pes = 20\nnis_per_pe = 2\nobjective = 'universal'\n[[switch]]\nports = 8\ncount = 10\n[[switch]]\nports = 48\n{count}"
        )
    };
    assert_eq!(expected(&open("")), None, "stock of the wider model is unlimited");
    assert_eq!(expected(&open("count = 1\n")), None);

    let reserve = |ports: u32| {
        format!(
            "pes = 64\nnis_per_pe = 4\n[[switch]]\nports = {ports}\nreserve = 23\n[[pattern]]\nkind = 'ring'\n"
        )
    };
    assert!(
        expected(&reserve(24))
            .unwrap()
            .contains("; use switches with at least 25 ports, 23 of them reserved")
    );
    assert_eq!(expected(&reserve(25)), None);

    let twice = |count: &str| {
        format!(
            "pes = 4\nnis_per_pe = 2\n[[switch]]\nports = 16\n{count}[[pattern]]\nkind = 'ring'\nlinks = 2\n"
        )
    };
    assert_eq!(
        expected(&twice("count = 1\n")).unwrap(),
        "1 is not enough; use at least 2, or fewer patterns."
    );
    assert_eq!(expected(&twice("")), None);
    assert_eq!(expected(&twice("count = 2\n")), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn figures_are_those_of_counting_all_pairs(
        switches in prop::collection::vec(prop::collection::vec(0u32..14, 0..9), 1..8),
        pairs in prop::collection::btree_set((0u32..14, 0u32..14), 1..30),
    ) {
        let pairs: Vec<(u32, u32)> = pairs.into_iter().filter(|(a, b)| a < b).chain([(0, 1)]).collect();
        let (spec, demand) = sparse(14, 8, 14, 8, &pairs);
        let design = Design::from_switches(14, switches);
        let f = figures(&spec, &demand, &design);
        let nis = design.nis();
        let shared = |a, b| nis.shared(a, b).count() as u64;
        let all: Vec<(u32, u32)> = (0..14).flat_map(|a| (a + 1..14).map(move |b| (a, b))).collect();
        let connected = all.iter().filter(|p| shared(p.0, p.1) > 0).count() as u64;
        prop_assert_eq!(f.connected, connected);
        prop_assert_eq!(f.covered, demand.pairs().filter(|p| shared(p.0, p.1) > 0).count() as u64);
        let extra = all.iter().filter(|p| shared(p.0, p.1) > 0 && demand.index_of(p.0, p.1).is_none()).count();
        prop_assert_eq!(f.extra, extra as u64);
        let sum: u64 = all.iter().map(|p| shared(p.0, p.1)).sum();
        prop_assert!((f.links_per_pair - sum as f64 / 91.0).abs() < 1e-12);
        prop_assert_eq!(f.paths.iter().map(|p| u64::from(p.paths) * p.pairs).sum::<u64>(), sum);
        prop_assert!(f.links_per_pair <= f.links_per_pair_bound + 1e-12);
    }
}

/// Two halves that share no switch: pairs across need uplinks, or nodes that forward.
#[test]
fn figures_tell_which_pairs_go_over_uplinks() {
    let text =
        "pes = 8\nnis_per_pe = 1\n[[switch]]\nports = 6\ncount = 2\n[[pattern]]\nkind = \"all-pairs\"\n";
    let design = Design::from_switches(8, [vec![0, 1, 2, 3], vec![4, 5, 6, 7]]);
    let told = |more: &str| {
        let (spec, demand) = spec(&format!("{text}{more}"));
        let found = figures(&spec, &demand, &design);
        (found.over_uplinks, found.need_forwarding, found.oversubscription)
    };
    assert_eq!(told(""), (None, 16, None));
    assert_eq!(told("[uplink]\n"), (Some(16), 0, Some(4.0)));
    assert_eq!(told("[uplink]\nlinks = 2\nports = 2\n"), (Some(16), 0, Some(2.0)));
    let (spec, demand) = spec(&format!("forwarding = false\n{text}"));
    let advice = advice(&spec, &demand, &check(&spec, &demand, &design));
    assert!(advice[0].contains("`links = 1` gives them one: one uplink switch with 2 ports"), "{advice:?}");
}
