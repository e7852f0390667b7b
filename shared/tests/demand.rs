//! The union of patterns, matrices, and the published wiring of KASY0.

use proptest::prelude::*;
use shared::{
    demand::{Building, Demand, matrix},
    design::{Design, IncrementalCheck, check, table},
    resolve,
    spec::Spec,
};

fn spec(text: &str) -> Spec {
    resolve::read(text, &mut resolve::NoFiles).unwrap_or_else(|faults| panic!("{faults}"))
}

fn hardware(pes: u32, rest: &str) -> Spec {
    spec(&format!("pes = {pes}\nnis_per_pe = 4\n{rest}\n[[switch]]\nports = 8\n"))
}

/// Pairs as `a-b weight links patterns`.
fn listed(demand: &Demand) -> String {
    let one = |(i, (a, b)): (usize, (u32, u32))| {
        format!("{a}-{b} {} {} {:b}", demand.weight(i), demand.links(i), demand.patterns_of(i))
    };
    demand.pairs().enumerate().map(one).collect::<Vec<_>>().join(", ")
}

#[test]
fn the_published_wiring_covers_kasy0() {
    let spec = spec(include_str!("../../assets/specs/kasy0.toml"));
    let demand = Demand::build(&spec).unwrap();
    assert_eq!(demand.len(), 1536);
    let design = table::parse(include_str!("../../assets/wirings/kasy0.txt"), 128).unwrap();
    assert!(check(&spec, &demand, &design).holds());
    assert_eq!(design.switch_count(), 17);
    assert_eq!(design.switches().map(<[u32]>::len).max(), Some(23));
    let nis = design.nis();
    let connected = (0..128).flat_map(|a| (a + 1..128).map(move |b| (a, b)));
    assert_eq!(connected.filter(|&(a, b)| nis.shared(a, b).next().is_some()).count(), 3457);
}

#[test]
fn weights_add_up_and_the_most_links_count() {
    let text = "[[pattern]]\nkind = \"ring\"\nweight = 0.5\nlinks = 3\n[[pattern]]\nkind = \"hypercube\"\nweight = 2\n";
    let demand = Demand::build(&hardware(4, text).clone()).unwrap();
    assert_eq!(
        listed(&demand),
        "0-1 2.5 3 11, 0-2 2 1 10, 0-3 0.5 3 1, 1-2 0.5 3 1, 1-3 2 1 10, 2-3 2.5 3 11"
    );
}

#[test]
fn a_universal_demand_has_every_pair() {
    let demand = Demand::build(&hardware(
        4,
        "objective = \"universal\"\n[[pattern]]\nkind = \"ring\"\nweight = 3\nlinks = 2",
    ))
    .unwrap();
    assert_eq!(listed(&demand), "0-1 4 2 1, 0-2 1 1 0, 0-3 4 2 1, 1-2 4 2 1, 1-3 1 1 0, 2-3 4 2 1");
    let most = spec("pes = 8192\nnis_per_pe = 4\nobjective = \"universal\"\n[[switch]]\nports = 48\n");
    assert_eq!(Demand::build(&most).unwrap().len(), 8192 * 8191 / 2);
}

#[test]
fn a_matrix_scales_its_own_weights() {
    let text = "[[pattern]]\nkind = \"matrix\"\nweight = 10\npairs = [[2, 1, 0.5], [0, 3]]\n[[pattern]]\nkind = \"ring\"\n";
    let demand = Demand::build(&hardware(4, text)).unwrap();
    assert_eq!(listed(&demand), "0-1 1 1 10, 0-3 11 1 11, 1-2 6 1 11, 2-3 1 1 10");
}

#[test]
fn pairs_are_found_by_number_and_by_pes() {
    let demand = Demand::from_pairs(7, [(5, 2), (0, 6), (2, 5), (2, 3)]);
    assert_eq!(demand.pairs().collect::<Vec<_>>(), [(0, 6), (2, 3), (2, 5)]);
    for (index, (a, b)) in demand.pairs().enumerate() {
        assert_eq!(demand.pair(index), (a, b));
        assert_eq!(demand.index_of(b, a), Some(index));
        assert_eq!(demand.patterns_of(index), 1);
    }
    assert_eq!(demand.index_of(0, 5), None);
    assert_eq!(demand.degrees(), [1, 0, 2, 1, 0, 1, 1]);
    assert_eq!(demand.adjacency().of(2), [3, 5]);
    assert_eq!(demand.adjacency().of(6), [0]);
}

/// Parses a text into pairs, or its faults.
fn read(text: &str, pes: u32, threshold: Option<f64>) -> String {
    match matrix::parse(text, pes, threshold) {
        Ok(pairs) => pairs.iter().map(|(a, b, w)| format!("{a}-{b} {w}")).collect::<Vec<_>>().join(", "),
        Err(faults) => faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
    }
}

#[test]
fn square_matrices_in_all_dresses() {
    let pairs = "0-1 2, 0-3 1, 1-2 5";
    for text in [
        "0 2 0 1\n0 0 5 0\n0 3 0 0\n0 0 0 0",
        "# measured\n9,2,0,1\r\n0,9,5,0\r\n\r\n0,3,9,0 # row 2\r\n0,0,0,9\r\n",
        "a,b,c,d\n0,2,0,1\n0,0,5,0\n0,3,0,0\n0,0,0,0\n",
        ",a,b,c,d\nw,0,2,0,1\nx,0,0,5,0\ny,0,3,0,0\nz,0,0,0,0\n",
        "node,0,1,2,3\n0,0,2,0,1\n1,0,0,5,0\n2,0,3,0,0\n3,0,0,0,0\n",
        "w 0 2 0 1\nx 0 0 5 0\ny 0 3 0 0\nz 0 0 0 0\n",
        "\u{feff}0;2;0;1\n0;0;5;0\n0;3;0;0\n0;0;0;0\n",
        "0\t2e0\t0\t1\n0\t0\t5.0\t0\n0\t3\t0\t0\n0\t0\t0\t0",
        "\"node\",\"a, left\",b,c,d\n\"a, left\",\"0\",\"2\",0,1\n\"b #2\",0,0, \"5\",0 # \"x\n\"c\"\"\",0,3,0,0\nd,0,0,0,0\n",
        "\"rack 1; w\" 0 2 0 1\n\"x\" 0 0 5 0\ny 0 3 0 0\nz 0 0 0 \"0\"",
        ",a,b,c,d\r\n0,0;2;0,1\r\n1,0 , 0 , 5 , 0\r\n2,0,3,0,0\r\n3,0,0,0,0",
    ] {
        assert_eq!(read(text, 4, None), pairs, "{text}");
    }
    assert_eq!(read("0 2 0 1\n0 0 5 0\n0 3 0 0\n0 0 0 0", 4, Some(2.0)), "0-1 2, 1-2 5");
}

#[test]
fn lists_with_and_without_weights() {
    assert_eq!(read("0 1 1\n3 2 7.5\n# none\n1 0 4\n", 5, None), "0-1 4, 2-3 7.5");
    assert_eq!(read("\"0\",\"1\",\"10\"\n2,3,4\n4 3 2\n", 5, None), "0-1 10, 2-3 4, 3-4 2");
    let inline = matrix::parse_list("0 1\n3 2 7.5\n# none\n1 0 4\n", 5, None).unwrap();
    assert_eq!(inline, [(0, 1, 4.0), (2, 3, 7.5)], "inline lists leave out weights of 1");
    assert_eq!(read("from,to,bytes\n0,1,10\n1,1,99\n2,1,0\n", 5, None), "0-1 10");
    assert_eq!(read("0;1;10\n2;3;4\n", 5, Some(5.0)), "0-1 10");
    assert_eq!(read("", 5, None), "");
}

#[test]
fn three_pes_by_three_numbers_are_a_matrix() {
    assert_eq!(read("0 1 2\n1 0 0\n2 0 0", 3, None), "0-1 1, 0-2 2");
    assert_eq!(read("0 1 2\n1 2 7", 3, None), "0-1 2, 1-2 7", "two lines are a list");
    assert_eq!(read("0 4\n0 0", 2, None), "0-1 4");
    assert_eq!(matrix::parse_list("0 1\n1 0", 2, None).unwrap(), [(0, 1, 1.0)]);
}

#[test]
fn matrix_faults_name_their_lines() {
    let text = "0 1 2 3\n1 0 nan -1\n2 inf 0\n3 x 1e99 0\n0 0 0 0";
    let faults = "line 2: weight \"nan\" is not a number from 0 to 1e18.\nline 2: weight \"-1\" is not a number from 0 to 1e18.\nline 3: has 3 values, and the other lines have 4; FORMS.\nline 4: weight \"x\" is not a number from 0 to 1e18.\nline 4: weight \"1e99\" is not a number from 0 to 1e18.";
    assert_eq!(read_briefly(text, 4), faults);
    let few = "line 1: the matrix is 2 x 4, and the spec has 4 nodes; FORMS.";
    assert_eq!(read_briefly("0 1 2 3\n1 0 1 1", 4), few);
}

/// Parses a text; the explanation of both forms is shortened.
fn read_briefly(text: &str, pes: u32) -> String {
    let forms = "a matrix has a line of weights per node, such as `0,2,1`; every line of a list is `a b` or `a b weight`";
    read(text, pes, None).replace(forms, "FORMS")
}

#[test]
fn a_ragged_text_is_one_fault() {
    let row = vec!["1"; 96].join(",");
    let (whole, short) = (vec![row.as_str(); 95].join("\n"), &row[2..]);
    for (line, text) in [(96, format!("{whole}\n{short}")), (1, format!("{short}\n{whole}"))] {
        let fault = format!("line {line}: has 95 values, and the other lines have 96; FORMS.");
        assert_eq!(read_briefly(&text, 96), fault);
    }
    for pes in [2, 3, 8] {
        let fault = "line 2: has 2 values, and the other lines have 3; FORMS.";
        assert_eq!(read_briefly("0,1,2\n1,0", pes), fault, "{pes} nodes");
    }
    let fault = "line 4: has 4 values, and the other lines have 5; FORMS.";
    assert_eq!(read_briefly(",a,b,c,d\na,0,1,2,3\nb,0,1,2,3\nc,0,1,2\nd,0,1,2,3", 4), fault);
}

#[test]
fn a_matrix_of_another_size_is_one_fault() {
    let size = |text: &str, pes| read_briefly(text, pes);
    let rest = "and the spec has 8 nodes; FORMS.";
    assert_eq!(size("0,1,2\n1,0,3\n2,3,0\n", 8), format!("line 1: the matrix is 3 x 3, {rest}"));
    let labelled = "# traffic\n,a,b,c,d\na,0,1,2,3\nb,1,0,1,2\nc,1,2,0,1\nd,3,2,1,0";
    assert_eq!(size(labelled, 8), format!("line 3: the matrix is 4 x 4, {rest}"));
    assert_eq!(size("0 1 1 1\n1 0 1 1", 8), format!("line 1: the matrix is 2 x 4, {rest}"));
    assert_eq!(read("0 1 5\n2 3 1\n4 5 2", 8, None), "0-1 5, 2-3 1, 4-5 2", "three pairs are a list");
}

#[test]
fn list_faults_name_their_lines() {
    let text = "0 1\n0 9\n+1 2\n3 3\n\n4\n1 2 -3\n1.0 2";
    let faults = "line 2: \"9\" is not a node number (0 to 4).\nline 3: \"+1\" is not a node number (0 to 4).\nline 4: pairs node 3 with itself; name two different nodes.\nline 6: has 1 value, and the other lines have 2; FORMS.\nline 7: has 3 values, and the other lines have 2; FORMS.\nline 8: \"1.0\" is not a node number (0 to 4).";
    assert_eq!(read_briefly(text, 5), faults);
    let inline: Vec<_> =
        matrix::parse_list(text, 5, None).unwrap_err().iter().map(ToString::to_string).collect();
    assert_eq!(inline[3], "line 6: must be `a b` or `a b weight`, not 4.");
    assert_eq!(inline[4], "line 7: weight \"-3\" is not a number from 0 to 1e18.");
}

#[test]
fn thousands_of_matrix_faults_are_counted() {
    let faults = matrix::parse(&"x y\n".repeat(5000), 5, None).unwrap_err();
    assert_eq!(faults.len(), matrix::MAX_FAULTS + 1);
    assert!(faults.last().unwrap().message.ends_with("more errors."));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn written_lists_read_back(
        entries in prop::collection::btree_map((0u32..40, 0u32..40), prop_oneof![Just(1.0), 1e-9f64..1e9], 0..60)
    ) {
        let pairs: Vec<_> = entries.into_iter().filter(|((a, b), _)| a < b).map(|((a, b), w)| (a, b, w)).collect();
        prop_assert_eq!(matrix::parse_list(&matrix::write_list(&pairs), 40, None).unwrap(), pairs);
    }

    #[test]
    fn no_text_makes_a_matrix_panic(text in "[-0-9a-z.,;#\" \t\r\n]{0,200}", pes in 1u32..6) {
        let _ = matrix::parse(&text, pes, Some(1.0));
        let _ = matrix::parse_list(&text, pes, None);
    }

    #[test]
    fn adjacency_mirrors_the_pairs(pairs in prop::collection::vec((0u32..20, 0u32..20), 0..80)) {
        let pairs: Vec<_> = pairs.into_iter().filter(|(a, b)| a != b).collect();
        let demand = Demand::from_pairs(20, pairs);
        let adjacency = demand.adjacency();
        for pe in 0..20 {
            prop_assert!(adjacency.of(pe).is_sorted());
            prop_assert_eq!(adjacency.of(pe).len() as u32, demand.degrees()[pe as usize]);
            for &other in adjacency.of(pe) {
                prop_assert!(demand.index_of(pe, other).is_some());
            }
        }
    }
}

#[test]
fn the_most_links_that_are_wished_for_count() {
    let text = "[[pattern]]\nkind = \"ring\"\nextra = 1\n[[pattern]]\nkind = \"hypercube\"\nextra = 3\n\
                [[pattern]]\nkind = \"all-pairs\"\nlinks = 2\n";
    let demand = Demand::build(&hardware(4, text)).unwrap();
    let extra = |demand: &Demand| (0..demand.len()).map(|pair| demand.extra(pair)).collect::<Vec<_>>();
    // 0-1, 0-2, 0-3, 1-2, 1-3, 2-3.
    assert_eq!((demand.has_extra(), extra(&demand)), (true, vec![3, 3, 1, 1, 3, 3]));
    let ring = "objective = \"universal\"\n[[pattern]]\nkind = \"ring\"\nextra = 2\n";
    let universal = Demand::build(&hardware(4, ring)).unwrap();
    assert_eq!(extra(&universal), [2, 0, 2, 2, 0, 2]);
    let unwished = Demand::build(&hardware(4, &ring.replace("extra = 2\n", ""))).unwrap();
    assert_eq!((unwished.has_extra(), unwished.extra(0)), (false, 0));
}

#[test]
fn steps_of_any_size_give_the_same_demand_and_verdict() {
    let spec = spec(include_str!("../../assets/specs/kasy0.toml"));
    let demand = Demand::build(&spec).unwrap();
    // A wiring that misses pairs.
    let design = Design::from_switches(128, (0..8).map(|s| (16 * s..16 * s + 16).collect()));
    for pes in [1, 50, 1000] {
        let mut building = Building::new(&spec).unwrap();
        while !building.step(pes).unwrap() {}
        assert_eq!(building.finish(), demand);
        let mut checking = IncrementalCheck::new(&spec, &demand, &design);
        while !checking.step(pes) {}
        assert_eq!(checking.finish(), check(&spec, &demand, &design));
    }
}
