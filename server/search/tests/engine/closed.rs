//! Closed forms: each family on many sizes, the published targets that have one, and nothing where there is none. The
//! checker judges all.

use crate::support::spec;
use search::closed::{closed, with_more};
use spec::{
    demand::Demand,
    design::{Design, check},
    spec::{Placement, Spec, Start},
};

const CUBE: &str = "[[pattern]]\nkind = \"hypercube\"\n";

/// The name of the closed form of a spec, accepted by the checker.
fn name_of(spec: &Spec) -> Option<String> {
    let demand = Demand::build(spec).expect("a demand");
    let (design, name) = closed(spec, &demand, &mut || true)?;
    let verdict = check(spec, &demand, &design);
    assert!(verdict.holds(), "{name}: {:?}, {} uncovered", verdict.breaches, verdict.uncovered.len());
    Some(name)
}

fn sparse(pes: u32, nis: u32, ports: u32, patterns: &str) -> Option<String> {
    name_of(&spec(&format!(
        "pes = {pes}\nnis_per_pe = {nis}\nobjective = \"sparse\"\n[[switch]]\nports = {ports}\n{patterns}"
    )))
}

fn universal(pes: u32, nis: u32, switch: &str) -> Option<String> {
    name_of(&spec(&format!(
        "pes = {pes}\nnis_per_pe = {nis}\nobjective = \"universal\"\n[[switch]]\n{switch}\n"
    )))
}

fn torus(dims: &str, neighbours: &str) -> String {
    format!("[[pattern]]\nkind = \"torus\"\ndims = [{dims}]\nneighbours = \"{neighbours}\"\n")
}

#[test]
fn universal_targets_are_planes() {
    let rows = [(64, 4, 20, 3), (64, 3, 28, 2), (128, 4, 40, 3), (256, 5, 62, 4), (576, 4, 178, 3)];
    for (pes, nis, ports, order) in rows {
        let name = universal(pes, nis, &format!("ports = {ports}")).expect("a plane");
        assert!(name.starts_with(&format!("projective plane of order {order} with ")), "{pes} PEs: {name}");
        assert_eq!(universal(pes, nis, &format!("ports = {}", ports - 1)), None, "below the bound");
    }
}

#[test]
fn targets_of_65536_pes_are_unions_of_small_covers() {
    let patterns = CUBE.to_string() + &torus("64, 32, 32", "nearest");
    for (nis, ports) in [(5, 24), (5, 20), (5, 18), (5, 17), (5, 16), (4, 32)] {
        let name = sparse(65_536, nis, ports, &patterns).unwrap_or_default();
        assert!(name.starts_with("unions of small covers: 32 values"), "{nis} NIs, {ports} ports: {name}");
    }
    assert_eq!(sparse(65_536, 3, 64, &patterns).as_deref(), Some("lines of a 32x32x64 torus"));
    assert_eq!(sparse(65_536, 3, 63, &patterns), None);
}

#[test]
fn planes_of_every_order_serve_any_number_of_pes() {
    for order in [2u32, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19] {
        let points = order * order + order + 1;
        for pes in [points, points + 1, 2 * points - 1, 2 * points, 3 * points - order] {
            let ports = pes.div_ceil(points) * (order + 1);
            let name = universal(pes, order + 1, &format!("ports = {ports}\ncount = {points}"));
            assert!(name.is_some(), "order {order}, {pes} PEs");
        }
    }
}

#[test]
fn the_smallest_planes_are_named() {
    for order in [2, 3, 4, 5, 7, 8, 9, 16, 25, 27] {
        let points = order * order + order + 1;
        let name = universal(points, order + 1, &format!("ports = {}", order + 1)).expect("the plane");
        assert_eq!(name, format!("projective plane of order {order} with 1 node per point"));
        if order == 2 {
            continue; // its affine plane is the complete graph of 4 points
        }
        let name = universal(order * order, order + 1, &format!("ports = {order}")).expect("the plane");
        assert_eq!(name, format!("affine plane of order {order} with 1 node per point"));
    }
}

#[test]
fn steiner_systems_need_fewer_ports_than_planes() {
    // Nodes, NICs, ports, and the switches, which have no port to spare.
    let rows = [
        (200, 8, 32, 50, "Steiner system S(2, 4, 25) with 8 nodes per point"),
        (28, 9, 4, 63, "Steiner system S(2, 4, 28) with 1 node per point"),
        (37, 12, 4, 111, "Steiner system S(2, 4, 37) with 1 node per point"),
        (80, 13, 8, 130, "lines of the projective space of order 3 with 2 nodes per point"),
        (41, 10, 5, 82, "Steiner system S(2, 5, 41) with 1 node per point"),
        (45, 11, 5, 99, "Steiner system S(2, 5, 45) with 1 node per point"),
        (65, 16, 5, 208, "Steiner system S(2, 5, 65) with 1 node per point"),
        (66, 13, 6, 143, "Steiner system S(2, 6, 66) with 1 node per point"),
        (15, 7, 3, 35, "lines of the projective space of order 2 with 1 node per point"),
        (27, 13, 3, 117, "lines of the affine space of order 3 with 1 node per point"),
    ];
    for (pes, nis, ports, count, form) in rows {
        let name = universal(pes, nis, &format!("ports = {ports}\ncount = {count}"));
        assert_eq!(name.as_deref(), Some(form), "{pes} nodes");
        assert_eq!(universal(pes + 1, nis, &format!("ports = {ports}\ncount = {count}")), None, "{pes} + 1");
    }
    // Without some of the points.
    assert!(universal(61, 13, "ports = 6\ncount = 143").is_some_and(|name| name.contains("S(2, 6, 66)")));
}

#[test]
fn complete_graphs_serve_any_number_of_pes() {
    for nis in 2..=6u32 {
        for pes in [nis + 1, 23, 40, 97, 192] {
            let ports = 2 * pes.div_ceil(nis + 1);
            let count = nis * (nis + 1) / 2;
            let name = universal(pes, nis, &format!("ports = {ports}\ncount = {count}")).expect("a form");
            let known = ["complete graph of", "projective plane", "affine plane", "one switch"];
            assert!(known.iter().any(|k| name.starts_with(k)), "{name}");
        }
    }
    let bunyip = universal(96, 3, "ports = 48\ncount = 6").expect("a tetrahedron");
    assert_eq!(bunyip, "complete graph of 4 points with 24 nodes per point");
}

#[test]
fn parts_that_nothing_connects_take_one_ni() {
    assert_eq!(universal(47, 3, "ports = 48").as_deref(), Some("one switch for all connected nodes"));
    let mirrored = sparse(1 << 10, 1, 2, "[[pattern]]\nkind = \"bit-reversal\"\n");
    assert_eq!(mirrored.as_deref(), Some("496 separate parts, each on one switch"));
    assert_eq!(sparse(1 << 10, 1, 8, &torus("8, 128", "axis")), None);
}

#[test]
fn hypercubes_are_subcubes() {
    for dimensions in 4..=14u32 {
        for nis in 2..=5 {
            let ports = 1 << dimensions.div_ceil(nis);
            let name = sparse(1 << dimensions, nis, ports, CUBE).unwrap_or_default();
            assert!(name.starts_with("subcubes of "), "{dimensions} dimensions, {nis} NIs: {name}");
        }
    }
    let name = sparse(1 << 18, 3, 64, CUBE);
    assert_eq!(name.as_deref(), Some("subcubes of 6+6+6 dimensions"));
}

#[test]
fn axes_of_a_torus_are_lines() {
    for dims in ["7, 5, 3", "12, 11, 10", "9, 9", "25, 3, 2"] {
        let sizes: Vec<u32> = dims.split(", ").map(|d| d.parse().expect("a number")).collect();
        let (pes, most) = (sizes.iter().product::<u32>(), sizes.iter().max().copied().expect("a size"));
        let text = format!("ports = {most}\ncount = {pes}");
        let name = name_of(&spec(&format!(
            "pes = {pes}\nnis_per_pe = {}\nobjective = \"sparse\"\n[[switch]]\n{text}\n{}",
            sizes.len(),
            torus(dims, "axis")
        )));
        let name = name.expect("lines");
        assert!(name.starts_with("lines of a "), "{dims}: {name}");
    }
}

#[test]
fn rings_and_tori_of_nearest_neighbours_take_pairs() {
    for pes in [9, 100, 257, 1001, 4096, 65_537] {
        let ring = sparse(pes, 2, 3, "[[pattern]]\nkind = \"ring\"\n");
        assert!(ring.is_some(), "ring of {pes}");
    }
    assert!(sparse(1024, 2, 4, &torus("32, 32", "nearest")).is_some());
    assert!(sparse(5000, 4, 2, &torus("100, 50", "nearest")).is_some());
    assert!(sparse(64 * 64 * 64, 3, 4, &torus("64, 64, 64", "nearest")).is_some());
}

#[test]
fn covers_that_no_rule_gives_are_searched_for() {
    let name = sparse(1728, 5, 10, &torus("12, 12, 12", "power-of-two"));
    assert!(
        name.is_some_and(|name| name.starts_with("unions of small covers: 12 values in sets of 5, 5, 2"))
    );
}

#[test]
fn switches_of_several_widths_and_nis_to_spare_are_no_obstacle() {
    let mixed = "pes = 64\nobjective = \"universal\"\n[[pe_group]]\ncount = 10\nnis = 6\n[[pe_group]]\ncount = 54\n\
        nis = 4\n[[switch]]\nports = 16\ncount = 5\n[[switch]]\nports = 24\nreserve = 3\ncount = 14\n";
    assert!(name_of(&spec(mixed)).expect("a plane").starts_with("projective plane of order 3 with "));
    let cube = "pes = 1024\nnis_per_pe = 4\nobjective = \"sparse\"\n[[switch]]\nports = 12\ncount = 300\n\
        [[switch]]\nports = 9\nreserve = 1\ncount = 512\n";
    assert!(name_of(&spec(&format!("{cube}{CUBE}"))).is_some());
}

#[test]
fn patterns_may_have_nis_of_their_own() {
    let mirror = "[[pattern]]\nkind = \"bit-reversal\"\n";
    let name = sparse(1024, 4, 16, &format!("{CUBE}{mirror}"));
    let cube = "hypercube as subcubes of 4+4+2 dimensions";
    assert_eq!(name, Some(format!("{cube}; bit-reversal as 496 separate parts, each on one switch")));
    let shuffle = "[[pattern]]\nkind = \"perfect-shuffle\"\n";
    assert!(sparse(1024, 5, 16, &format!("{CUBE}{mirror}{shuffle}{CUBE}")).is_some());
    let ring = "[[pattern]]\nkind = \"ring\"\n";
    assert!(sparse(1 << 16, 6, 16, &format!("{CUBE}{ring}")).is_some());
    assert_eq!(sparse(1024, 3, 16, &format!("{CUBE}{mirror}")), None);
}

#[test]
fn nothing_is_made_of_what_has_no_closed_form() {
    let all = "[[pattern]]\nkind = \"torus\"\ndimensions = 2\nfactorizations = \"all\"\n";
    let shuffle = "[[pattern]]\nkind = \"perfect-shuffle\"\n";
    let ring = "[[pattern]]\nkind = \"ring\"\n";
    assert_eq!(sparse(1024, 4, 6, all), None);
    assert_eq!(sparse(1024, 4, 16, &format!("{CUBE}{shuffle}")), None);
    assert_eq!(sparse(1 << 16, 4, 16, &format!("{CUBE}{ring}{shuffle}")), None);
    assert_eq!(universal(16, 2, "ports = 4"), None);
    assert_eq!(universal(64, 4, "ports = 20\ncount = 12"), None);
    assert_eq!(sparse(64, 2, 7, CUBE), None);
}

/// Planes without some of their points leave ports free on more switches than ceil(Nη/ρ).
#[test]
fn more_switches_than_nis_ask_for_serve_where_nobody_has_counted_them() {
    let machine = |pes: u32, nis: u32, switch: &str| {
        spec(&format!("pes = {pes}\nnis_per_pe = {nis}\nobjective = \"universal\"\n[[switch]]\n{switch}\n"))
    };
    for (pes, nis, ports, few, enough) in [(24, 6, 5, 29, 30), (56, 8, 8, 56, 57), (90, 10, 10, 90, 91)] {
        let spec = machine(pes, nis, &format!("ports = {ports}"));
        let demand = Demand::build(&spec).expect("a demand");
        assert_eq!((spec.switch_budget(), name_of(&spec)), (few, None));
        let more = with_more(&spec, &demand, &mut || true).expect("a plane without a point");
        assert_eq!((more.spec.switches[0].count, more.spec.switch_budget()), (Some(enough), enough));
        assert!(check(&more.spec, &demand, &more.design).holds());
        let words = format!("Search longer: {enough} switches serve every pair");
        assert!(more.words().starts_with(&words), "{}", more.words());
        assert!(name_of(&more.spec).is_some(), "with that count a search takes it");
        // With a count there is no advice to take more, and a stopped search returns nothing.
        let counted = machine(pes, nis, &format!("ports = {ports}\ncount = {few}"));
        assert!(with_more(&counted, &demand, &mut || true).is_none());
        assert!(with_more(&spec, &demand, &mut || false).is_none());
    }
    for (pes, nis, ports) in [(25, 6, 5), (16, 2, 4)] {
        let spec = machine(pes, nis, &format!("ports = {ports}"));
        let demand = Demand::build(&spec).expect("a demand");
        assert!(with_more(&spec, &demand, &mut || true).is_none(), "{pes}");
    }
}

#[test]
fn more_links_than_one_are_for_the_checker_to_see() {
    let twice = |nis| format!("[[pattern]]\nkind = \"ring\"\nlinks = {nis}\n");
    assert_eq!(sparse(64, 2, 2, &twice(2)), None);
    assert!(sparse(64, 2, 2, &twice(1)).is_some());
}

#[test]
fn placements_and_wirings_to_start_from_are_left_to_the_search() {
    let text = "pes = 8\nnis_per_pe = 2\nobjective = \"universal\"\n[[switch]]\nports = 8\n";
    let free = spec(text);
    assert!(name_of(&free).is_some());
    let placed =
        Spec { placements: vec![Placement { pes: vec![0], switches: vec![1], on: true }], ..free.clone() };
    assert_eq!(name_of(&placed), None);
    let start = Start { switches: vec![vec![0, 1]].into(), moves: None, renumber: false };
    assert_eq!(name_of(&Spec { start: Some(start), ..free }), None);
}

#[test]
fn a_caller_who_stops_gets_nothing() {
    let spec =
        spec(&format!("pes = 4096\nnis_per_pe = 4\nobjective = \"sparse\"\n[[switch]]\nports = 8\n{CUBE}"));
    let demand = Demand::build(&spec).expect("a demand");
    assert!(closed(&spec, &demand, &mut || false).is_none());
    let runs = |spec: &Spec| closed(spec, &demand, &mut || true).map(|(design, _)| design);
    let [one, other]: [Option<Design>; 2] = [runs(&spec), runs(&spec)];
    assert_eq!(one, other);
}
