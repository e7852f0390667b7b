//! The patterns against the figures of Mattox 2006, and against their definitions.

use proptest::prelude::*;
use shared::{
    demand::{
        Demand,
        patterns::{self, factorization},
    },
    form::{Described, toml},
    resolve::{self, NoFiles, resolve},
    spec::{Lattice, Neighbours, Parameters, Pattern, PatternForm, PatternKind, Shape, SpecForm, SwitchForm},
};
use std::collections::BTreeSet;

fn torus(dimensions: u32, all: bool, neighbours: Neighbours) -> PatternKind {
    lattice("torus", Shape::Factorizations { dimensions, all }, neighbours)
}

fn lattice(name: &'static str, shape: Shape, neighbours: Neighbours) -> PatternKind {
    PatternKind { name, parameters: Parameters::Lattice(Lattice { shape, neighbours, weights: Vec::new() }) }
}

fn dims(wrap: bool, dims: &[u32], neighbours: Neighbours) -> PatternKind {
    lattice(if wrap { "torus" } else { "grid" }, Shape::Dims(dims.to_vec()), neighbours)
}

fn count(kind: &PatternKind, pes: u32) -> usize {
    patterns::pairs(kind, pes, "pattern[0]").unwrap().len()
}

fn list(kind: &PatternKind, pes: u32) -> String {
    let keys = patterns::pairs(kind, pes, "pattern[0]").unwrap();
    let texts: Vec<String> = keys.iter().map(|key| format!("{}-{}", key >> 32, *key as u32)).collect();
    texts.join(" ")
}

fn refusal(kind: &PatternKind, pes: u32) -> String {
    patterns::pairs(kind, pes, "pattern[0]").unwrap_err().to_string()
}

fn demand(pes: u32, kinds: &[PatternKind]) -> Demand {
    let text = format!("pes = {pes}\nnis_per_pe = 4\n[[switch]]\nports = 32\n[[pattern]]\nkind = \"ring\"\n");
    let mut spec = resolve::read(&text, &mut NoFiles).unwrap();
    spec.patterns =
        kinds.iter().map(|kind| Pattern { kind: kind.clone(), weight: 1.0, links: 1, extra: 0 }).collect();
    Demand::build(&spec).unwrap()
}

#[test]
fn published_pair_counts_of_all_factorizations() {
    for (pes, published) in
        [(256, [1180, 1528, 1840]), (1024, [5692, 7544, 8816]), (4096, [26748, 39416, 45808])]
    {
        let counts = [2, 3, 4].map(|d| count(&torus(d, true, Neighbours::Nearest), pes));
        assert_eq!(counts, published, "{pes} nodes");
    }
}

#[test]
fn published_pair_counts_of_permutations() {
    assert_eq!(
        [256, 1024, 4096].map(|n| count(&PatternKind::plain("perfect-shuffle"), n)),
        [253, 1021, 4093]
    );
    assert_eq!(count(&PatternKind::plain("bit-reversal"), 256), 120);
}

#[test]
fn kasy0_has_1536_pairs() {
    let kinds = [
        PatternKind::plain("hypercube"),
        PatternKind::plain("bit-reversal"),
        PatternKind::plain("ring"),
        dims(true, &[16, 8], Neighbours::Axis),
        dims(true, &[8, 4, 4], Neighbours::Axis),
    ];
    assert_eq!(demand(128, &kinds).len(), 1536);
}

#[test]
fn at_65536_pes_hypercube_and_torus_make_622592_pairs_of_degree_19() {
    let demand =
        demand(65536, &[PatternKind::plain("hypercube"), dims(true, &[64, 32, 32], Neighbours::Nearest)]);
    assert_eq!(demand.len(), 622_592);
    assert!(demand.degrees().iter().all(|&degree| degree == 19));
}

#[test]
fn every_cell_of_the_synergy_tables() {
    use Neighbours::{Nearest, PowerOfTwo};
    let tables = [
        (256, Nearest, TABLE_2_2),
        (1024, Nearest, TABLE_2_3),
        (4096, Nearest, TABLE_2_4),
        (256, PowerOfTwo, TABLE_2_5),
        (1024, PowerOfTwo, TABLE_2_6),
        (4096, PowerOfTwo, TABLE_2_7),
    ];
    let mut cells = 0;
    for (pes, neighbours, table) in tables {
        let mut kinds: Vec<PatternKind> = (1..=4).map(|d| torus(d, false, neighbours)).collect();
        kinds.extend([
            PatternKind::plain("perfect-shuffle"),
            PatternKind::plain("bit-reversal"),
            PatternKind::plain("transpose"),
            PatternKind::plain("hypercube"),
        ]);
        let synergy = demand(pes, &kinds).synergy(kinds.len());
        for (row, line) in table.trim().lines().enumerate() {
            for (column, printed) in line.split_whitespace().enumerate() {
                let share = 100.0 * synergy[row].1[column];
                let printed: f64 = printed.parse().unwrap();
                // Halves are rounded both ways in print.
                let off = (share - printed).abs();
                assert!(
                    off < 0.05 + 1e-9,
                    "{pes} {neighbours:?} row {row} column {column}: {share} {printed}"
                );
                cells += 1;
            }
        }
    }
    assert_eq!(cells, 384);
}

#[test]
fn factorizations_are_descending_and_complete() {
    let text = |all: Vec<Vec<u32>>| {
        let one = |dims: &Vec<u32>| dims.iter().map(u32::to_string).collect::<Vec<_>>().join("x");
        all.iter().map(one).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(text(factorization::all(512, 3)), "128x2x2 64x4x2 32x8x2 32x4x4 16x16x2 16x8x4 8x8x8");
    assert_eq!(text(factorization::all(12, 2)), "6x2 4x3");
    assert_eq!(text(factorization::all(7, 1)), "7");
    assert_eq!(text(factorization::all(7, 2)), "");
    assert_eq!(text(factorization::all(1, 1)), "");
    let balanced = |pes, d| text(factorization::balanced(pes, d).into_iter().collect());
    assert_eq!([2, 3, 4].map(|d| balanced(256, d)), ["16x16", "8x8x4", "4x4x4x4"]);
    assert_eq!([2, 3, 4].map(|d| balanced(1024, d)), ["32x32", "16x8x8", "8x8x4x4"]);
}

#[test]
fn small_patterns_pair_by_pair() {
    use Neighbours::{Axis, Diagonal, Nearest, PowerOfTwo};
    let cases: &[(PatternKind, u32, &str)] = &[
        (PatternKind::plain("hypercube"), 4, "0-1 0-2 1-3 2-3"),
        (PatternKind::plain("hypercube"), 1, ""),
        (PatternKind::plain("bit-reversal"), 8, "1-4 3-6"),
        (PatternKind::plain("bit-reversal"), 1, ""),
        (PatternKind::plain("perfect-shuffle"), 6, "1-2 1-3 2-4 3-4"),
        (PatternKind::plain("perfect-shuffle"), 2, ""),
        (PatternKind::plain("transpose"), 9, "1-3 2-6 5-7"),
        (PatternKind::plain("ring"), 5, "0-1 0-4 1-2 2-3 3-4"),
        (PatternKind::plain("ring"), 2, "0-1"),
        (PatternKind::plain("ring"), 1, ""),
        (PatternKind::plain("all-pairs"), 4, "0-1 0-2 0-3 1-2 1-3 2-3"),
        (dims(true, &[3, 2], Nearest), 6, "0-1 0-2 0-3 1-2 1-4 2-5 3-4 3-5 4-5"),
        (dims(false, &[3, 2], Nearest), 6, "0-1 0-3 1-2 1-4 2-5 3-4 4-5"),
        (dims(false, &[3, 2], Diagonal), 6, "0-1 0-3 0-4 1-2 1-3 1-4 1-5 2-4 2-5 3-4 4-5"),
        (dims(true, &[3, 1], Nearest), 3, "0-1 0-2 1-2"),
        (dims(true, &[1], Diagonal), 1, ""),
        (dims(true, &[6], PowerOfTwo), 6, "0-1 0-2 0-4 0-5 1-2 1-3 1-5 2-3 2-4 3-4 3-5 4-5"),
        (dims(false, &[6], PowerOfTwo), 6, "0-1 0-2 0-4 1-2 1-3 1-5 2-3 2-4 3-4 3-5 4-5"),
        (dims(false, &[3, 2], Axis), 6, "0-1 0-2 0-3 1-2 1-4 2-5 3-4 3-5 4-5"),
    ];
    for (kind, pes, expected) in cases {
        assert_eq!(list(kind, *pes), *expected, "{kind:?} on {pes}");
    }
}

#[test]
fn diagonal_neighbours_are_8_in_2d_and_26_in_3d() {
    assert_eq!(count(&dims(true, &[4, 4], Neighbours::Diagonal), 16), 16 * 8 / 2);
    assert_eq!(count(&dims(true, &[4, 4, 4], Neighbours::Diagonal), 64), 64 * 26 / 2);
}

#[test]
fn the_shuffle_and_its_inverse_ask_for_the_same_pairs() {
    for pes in [2u32, 4, 6, 10, 64, 100] {
        let image = |p: u32| if p + 1 == pes { p } else { 2 * p % (pes - 1) };
        let pairs: BTreeSet<(u32, u32)> =
            (0..pes).map(|p| (p.min(image(p)), p.max(image(p)))).filter(|(a, b)| a != b).collect();
        let texts: Vec<String> = pairs.iter().map(|(a, b)| format!("{a}-{b}")).collect();
        assert_eq!(list(&PatternKind::plain("perfect-shuffle"), pes), texts.join(" "));
    }
}

#[test]
fn a_number_of_pes_that_is_not_admitted_is_told_which_are() {
    let expected =
        "pattern[0].kind: needs a node count that is a power of 2, such as 64 or 128; 100 is none.";
    assert_eq!(refusal(&PatternKind::plain("hypercube"), 100), expected);
    assert_eq!(refusal(&PatternKind::plain("bit-reversal"), 100), expected);
    assert!(
        refusal(&PatternKind::plain("perfect-shuffle"), 7)
            .ends_with("that is even, such as 6 or 8; 7 is none.")
    );
    assert!(
        refusal(&PatternKind::plain("transpose"), 50)
            .ends_with("a square number, such as 49 or 64; 50 is none.")
    );
    let four = refusal(&torus(4, false, Neighbours::Nearest), 17);
    assert!(
        four.ends_with("a product of 4 factors, each at least 2, such as 16 or 24; 17 is none."),
        "{four}"
    );
    let sizes = refusal(&dims(true, &[16, 9], Neighbours::Nearest), 128);
    assert_eq!(
        sizes,
        "pattern[0].dims: must be sizes whose product is the number of nodes, 128, not 16x9 = 144."
    );
    let overflow = refusal(&dims(true, &[1 << 20, 1 << 20], Neighbours::Nearest), 128);
    assert!(overflow.contains("too many"));
}

#[test]
fn patterns_of_too_many_pairs_are_refused_unseen() {
    let most = 1 << 20;
    for kind in [
        PatternKind::plain("all-pairs"),
        dims(true, &[1024, 1024], Neighbours::Axis),
        torus(4, true, Neighbours::Nearest),
        torus(2, true, Neighbours::Axis),
        torus(4, true, Neighbours::Diagonal),
    ] {
        assert!(refusal(&kind, most).contains("at most 33,554,432 pairs"), "{kind:?}");
    }
}

#[test]
fn every_pattern_is_offered_read_generated_and_written() {
    for entry in patterns::LIST {
        let known = |key: &str| PatternForm::SCHEMA.field(key).is_some();
        assert!(entry.fields().is_none_or(|own| own.keys().all(known)), "{}", entry.name);
        let mut admitted = 0;
        for pes in [4, 5, 6, 9, 16, 64, 100, 256] {
            let mut form = entry.form(pes);
            if entry.name == "matrix" {
                form["pairs"] = "0 1\n1 2 2.5".into();
            }
            let mut written = SpecForm {
                pes: pes.to_string(),
                nis_per_pe: "2".into(),
                pattern: vec![form.clone()],
                ..SpecForm::default()
            };
            written.switch.push(SwitchForm { ports: "8".into(), ..SwitchForm::default() });
            assert_eq!(resolve::parse(&toml::write(&written)).as_ref(), Ok(&written), "{}", entry.name);
            let spec = match resolve(&written, &mut NoFiles) {
                Ok(spec) => spec,
                Err(faults) => {
                    assert!(faults.to_string().contains("such as"), "{}: {faults}", entry.name);
                    continue;
                }
            };
            admitted += 1;
            let pattern = &spec.patterns[0];
            assert_eq!(pattern.kind.name, entry.name);
            assert!(entry.example(pes).is_none_or(|example| example == pattern.kind), "{}", entry.name);
            assert_eq!(patterns::form(pattern), form);
            assert!(patterns::label(pattern).starts_with(entry.label));
            let pairs = patterns::pairs(&pattern.kind, pes, "").unwrap();
            assert_eq!(pairs.len(), Demand::build(&spec).unwrap().len(), "{}", entry.name);
            let all = pes as usize * (pes as usize - 1) / 2;
            assert!(!pairs.is_empty() && (pairs.len() == all || !entry.complete), "{}", entry.name);
        }
        assert!(admitted > 2, "{}", entry.name);
    }
}

fn any_kind() -> impl Strategy<Value = (PatternKind, u32)> {
    let neighbours = prop::sample::select(&Neighbours::ALL[..]);
    (prop::collection::vec(1u32..6, 1..5), any::<bool>(), neighbours).prop_map(|(sizes, wrap, neighbours)| {
        let pes = sizes.iter().product();
        (dims(wrap, &sizes, neighbours), pes)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn lattices_follow_their_definition((kind, pes) in any_kind()) {
        let Parameters::Lattice(Lattice { shape: Shape::Dims(sizes), neighbours, .. }) = &kind.parameters else { unreachable!() };
        let wrap = kind.name == "torus";
        let coordinates = |mut pe: u32| sizes.iter().map(|&m| { let c = pe % m; pe /= m; c }).collect::<Vec<_>>();
        let apart = |a: u32, b: u32, m: u32| if wrap { (a.abs_diff(b)).min(m - a.abs_diff(b)) } else { a.abs_diff(b) };
        let steps = |a: u32, b: u32, m: u32| {
            let straight = a.abs_diff(b);
            straight.is_power_of_two() || wrap && (m - straight).is_power_of_two() && m != straight
        };
        let mut expected = Vec::new();
        for a in 0..pes {
            for b in a + 1..pes {
                let (x, y) = (coordinates(a), coordinates(b));
                let unlike: Vec<usize> = (0..sizes.len()).filter(|&i| x[i] != y[i]).collect();
                let near = unlike.iter().all(|&i| apart(x[i], y[i], sizes[i]) == 1);
                let is = match neighbours {
                    Neighbours::Nearest => unlike.len() == 1 && near,
                    Neighbours::Diagonal => near,
                    Neighbours::Axis => unlike.len() == 1,
                    Neighbours::PowerOfTwo => unlike.len() == 1 && steps(x[unlike[0]], y[unlike[0]], sizes[unlike[0]]),
                };
                if is {
                    expected.push(u64::from(a) << 32 | u64::from(b));
                }
            }
        }
        prop_assert_eq!(patterns::pairs(&kind, pes, "p").unwrap(), expected);
    }

    #[test]
    fn factors_exist_where_there_are_factorizations(pes in 1u32..3000, dimensions in 1u32..5) {
        let all = factorization::all(pes, dimensions);
        prop_assert_eq!(factorization::exists(pes, dimensions), !all.is_empty());
        for dims in &all {
            prop_assert_eq!(dims.iter().product::<u32>(), pes);
            prop_assert!(dims.windows(2).all(|w| w[0] >= w[1]) && dims.iter().all(|&d| d >= 2));
        }
        prop_assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    }
}

const TABLE_2_2: &str = "
    100.0  93.8  87.5  75.0   0.8   0.0   0.0  50.0
     46.9 100.0  43.8  75.0   0.8   0.0   0.0  50.0
     29.2  29.2 100.0  58.3   0.8   1.0   0.0  50.0
     18.8  37.5  43.8 100.0   0.8   0.0   0.0  50.0
      0.8   1.6   2.4   3.2 100.0  11.5   0.0   0.0
      0.0   0.0   6.7   0.0  24.2 100.0   5.0   0.0
      0.0   0.0   0.0   0.0   0.0   5.0 100.0   0.0
     12.5  25.0  37.5  50.0   0.0   0.0   0.0 100.0
";

const TABLE_2_3: &str = "
    100.0  96.9  93.8  87.5   0.2   0.0   0.0  50.0
     48.4 100.0  46.9  43.8   0.2   0.0   0.0  50.0
     31.3  31.3 100.0  29.2   0.2   0.5   0.0  50.0
     21.9  21.9  21.9 100.0   0.2   0.0   0.0  50.0
      0.2   0.4   0.6   0.8 100.0   6.0   0.1   0.0
      0.0   0.0   3.2   0.0  12.3 100.0   5.6   0.0
      0.0   0.0   0.0   0.0   0.2   5.6 100.0   0.0
     10.0  20.0  30.0  40.0   0.0   0.0   0.0 100.0
";

const TABLE_2_4: &str = "
    100.0  98.4  93.8  87.5   0.0   0.0   0.0  50.0
     49.2 100.0  46.9  87.5   0.0   0.0   0.0  50.0
     31.3  31.3 100.0  29.2   0.0   0.0   0.0  50.0
     21.9  43.8  21.9 100.0   0.0   0.0   0.0  50.0
      0.0   0.1   0.1   0.2 100.0   3.1   0.0   0.0
      0.0   0.0   0.0   0.0   6.2 100.0   1.4   0.0
      0.0   0.0   0.0   0.0   0.0   1.4 100.0   0.0
      8.3  16.7  25.0  33.3   0.0   0.0   0.0 100.0
";

const TABLE_2_5: &str = "
    100.0  87.5  76.7  70.0   0.7   0.4   0.0  53.3
     93.8 100.0  76.8  78.6   0.7   0.0   0.0  57.1
     88.5  82.7 100.0  80.8   0.6   0.5   0.0  61.5
     87.5  91.7  87.5 100.0   0.5   0.0   0.0  66.7
      5.5   4.7   4.0   3.2 100.0  11.5   0.0   0.0
      6.7   0.0   6.7   0.0  24.2 100.0   5.0   0.0
      0.0   0.0   0.0   0.0   0.0   5.0 100.0   0.0
    100.0 100.0 100.0 100.0   0.0   0.0   0.0 100.0
";

const TABLE_2_6: &str = "
    100.0  89.8  80.9  73.7   0.2   0.2   0.0  52.6
     94.8 100.0  81.3  73.6   0.2   0.0   0.0  55.6
     90.4  86.0 100.0  75.0   0.2   0.2   0.0  58.8
     87.5  82.8  79.7 100.0   0.1   0.2   0.0  62.5
      1.8   1.6   1.4   1.2 100.0   6.0   0.1   0.0
      3.2   0.0   3.2   3.2  12.3 100.0   5.6   0.0
      0.0   0.0   0.0   0.0   0.2   5.6 100.0   0.0
    100.0 100.0 100.0 100.0   0.0   0.0   0.0 100.0
";

const TABLE_2_7: &str = "
    100.0  91.4  83.7  77.2   0.0   0.1   0.0  52.2
     95.6 100.0  82.4  84.1   0.0   0.0   0.0  54.5
     91.7  86.3 100.0  77.4   0.0   0.1   0.0  57.1
     88.8  92.5  81.3 100.0   0.0   0.0   0.0  60.0
      0.5   0.5   0.4   0.4 100.0   3.1   0.0   0.0
      1.6   0.0   1.6   0.0   6.2 100.0   1.4   0.0
      0.0   0.0   0.0   0.0   0.0   1.4 100.0   0.0
    100.0 100.0 100.0 100.0   0.0   0.0   0.0 100.0
";
