//! Specs, text in and text out: what resolves, and what each broken rule is told.

use proptest::prelude::*;
use shared::{
    demand::Demand,
    form::toml,
    resolve::{self, MatrixFiles, NoFiles, form_of, resolve},
    spec::{self, Spec, SpecForm, link},
};

const HARDWARE: &str = "pes = 16\nnis_per_pe = 3\n[[switch]]\nports = 8\n";

/// Every fault of a text, a line each; empty if there is none.
fn faults(text: &str) -> String {
    let spec = resolve::read(text, &mut NoFiles);
    spec.err().map_or_else(String::new, |faults| faults.to_string())
}

fn valid(text: &str) -> Spec {
    resolve::read(text, &mut NoFiles).unwrap_or_else(|faults| panic!("{faults}\n{text}"))
}

fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(faults(text), *expected, "{text}");
    }
}

/// Faults of one pattern on 16 PEs.
fn check_patterns(cases: &[(&str, &str)]) {
    for (pattern, expected) in cases {
        assert_eq!(faults(&format!("{HARDWARE}[[pattern]]\n{pattern}")), *expected, "{pattern}");
    }
}

#[test]
fn defaults() {
    let spec = valid(&format!("{HARDWARE}[[pattern]]\nkind = \"torus\"\ndimensions = 2\n"));
    assert_eq!((spec.name.as_str(), spec.objective), ("", spec::Objective::Sparse));
    assert_eq!((spec.switches[0].reserve, spec.switches[0].count, spec.switches[0].price), (0, None, None));
    assert_eq!((spec.patterns[0].weight, spec.patterns[0].links), (1.0, 1));
    let spec::PatternKind { name, parameters } = &spec.patterns[0].kind;
    let spec::Parameters::Lattice(spec::Lattice { shape, neighbours, .. }) = parameters else { panic!() };
    assert_eq!((*name, *neighbours), ("torus", spec::Neighbours::Nearest));
    assert_eq!(*shape, spec::Shape::Factorizations { dimensions: 2, all: false });
    assert_eq!((spec.switch_counts(), spec.market), (vec![6], spec::MARKET));
}

#[test]
fn a_market_is_one_of_the_list() {
    let with = |market: &str| format!("market = '{market}'\n{HARDWARE}[[pattern]]\nkind = \"ring\"\n");
    for market in spec::MARKETS {
        assert_eq!(valid(&with(market.word)).market, market.word);
    }
    check(&[(
        &with("gigabit"),
        "market: must be one of `1g`, `10g`, `25g`, `100g`, `200g`, `400g`, `800g`, `1998`, `1999`, not `gigabit`.",
    )]);
}

#[test]
fn an_empty_spec_lacks_everything_at_once() {
    check(&[(
        "",
        "nodes: missing; it must be a whole number from 1 to 1,048,576.\n\
         nics_per_node: missing; it must be a whole number from 1 to 64.\n\
         switch: missing; add at least one [[switch]] with its `ports`.\n\
         pattern: missing; add a [[pattern]] or a [job], or set `objective = \"universal\"`.",
    )]);
}

#[test]
fn numbers_out_of_range_and_words_for_numbers() {
    let expected = "nodes: must be a whole number from 1 to 1,048,576";
    let pes = |found: &str| format!("{expected}, not {found}.");
    for written in ["0", "1048577", "-3", "12.5", "99999999999999999999", "1e99", "inf", "true", "1979-05-27"]
    {
        let text =
            format!("pes = {written}\nnis_per_pe = 3\n[[switch]]\nports = 8\n[[pattern]]\nkind = \"ring\"\n");
        let is_word = !written.contains(char::is_numeric);
        let found = if is_word { format!("`{written}`") } else { written.into() };
        assert_eq!(faults(&text), pes(&found));
    }
    let text = "pes = \"many\"\nnis_per_pe = 3\n[[switch]]\nports = 8\n[[pattern]]\nkind = \"ring\"\n";
    assert_eq!(faults(text), pes("`many`"));
    assert_eq!(faults(&text.replace("many", "٣")), format!("{expected}, in plain digits, not `٣`."));
    for (written, more) in [("\"1,024\"", ", in plain digits"), ("\"+5\"", ", in plain digits")] {
        let text =
            format!("pes = {written}\nnis_per_pe = 3\n[[switch]]\nports = 8\n[[pattern]]\nkind = \"ring\"\n");
        assert_eq!(faults(&text), format!("{expected}{more}, not {}.", written.trim_matches('"')));
    }
    assert_eq!(
        valid("pes = 0x10\nnis_per_pe = 1_0\n[[switch]]\nports = 8\n[[pattern]]\nkind=\"ring\"").pes,
        16
    );
}

#[test]
fn every_rule_of_the_hardware() {
    check(&[(
        "name = \"a\\u0007b\"\npes = 16\nnis_per_pe = 65\nobjective = \"sparce\"\nni_price = -1\ncable_price = nan\n\
         [[switch]]\nports = 4097\nreserve = 9\nprice = \"cheap\"\n\
         [[switch]]\nports = 8\nreserve = 8\ncount = 0\n\
         [[switch]]\nports = 1\n\
         [[pattern]]\nkind = \"ring\"",
        "name: must be at most 120 characters, none of them a control character, not a\\u{7}b.\nobjective: Unknown `sparce`. Did you mean `sparse`?\nnic_price: must be a number from 0 to 1,000,000,000,000, not -1.\ncable_price: must be a number from 0 to 1,000,000,000,000, not `nan`.\nnics_per_node: must be a whole number from 1 to 64, not 65.\nswitch[0].ports: must be a whole number from 2 to 4,096, not 4097.\nswitch[0].price: must be a number from 0 to 1,000,000,000,000, not `cheap`.\nswitch[1].reserve: must be a whole number from 0 to 7, not 8.\nswitch[1].count: must be a whole number from 1 to 16,777,216, not 0.\nswitch[2].ports: must be a whole number from 2 to 4,096, not 1.",
    )]);
}

#[test]
fn groups_of_pes() {
    let rest = "[[switch]]\nports = 8\n[[pattern]]\nkind = \"ring\"\n";
    let spec = valid(&format!(
        "pes = 10\n[[pe_group]]\ncount = 8\nnis = 2\n[[pe_group]]\ncount = 2\nnis = 6\n{rest}"
    ));
    assert_eq!((spec.nis_of(7), spec.nis_of(8), spec.total_nis()), (2, 6, 28));
    assert_eq!((spec.group_of(7), spec.group_of(8)), (0, 1));
    check(&[
        (
            &format!("pes = 10\nnis_per_pe = 3\n[[pe_group]]\ncount = 8\nnis = 2\n{rest}"),
            "nics_per_node: cannot be given with `node_group`; remove one of them.\nnode_group: the counts add up to 8 nodes, but the spec has 10.",
        ),
        (
            &format!("pes = 10\n[[pe_group]]\ncount = 10\n{rest}"),
            "node_group[0].nics: missing; it must be a whole number from 1 to 64.",
        ),
    ]);
}

#[test]
fn hardware_that_would_exhaust_memory() {
    let rest = "[[pattern]]\nkind = \"ring\"\n";
    check(&[
        (
            &format!("pes = 1048576\nnis_per_pe = 64\n[[switch]]\nports = 2\nreserve = 1\n{rest}"),
            "switch: must be at most 16,777,216 switches in all, not 67,108,864.",
        ),
        (
            &format!("pes = 16\nnis_per_pe = 4\n[[switch]]\nports = 4\ncount = 4000000000\n{rest}"),
            "switch[0].count: must be a whole number from 1 to 16,777,216, not 4000000000.",
        ),
        (
            "pes = 8193\nnis_per_pe = 4\nobjective = \"universal\"\n[[switch]]\nports = 48\n",
            "nodes: must be at most 8,192 nodes for the universal objective, not 8193.",
        ),
    ]);
    let many = "[[switch]]\nports = 4\ncount = 16000000\n".repeat(2);
    assert!(
        faults(&format!("pes = 16\nnis_per_pe = 4\n{many}{rest}"))
            .starts_with("switch: must be at most 16,777,216 switches in all, not 32,000,000.")
    );
}

#[test]
fn every_rule_of_a_pattern() {
    check_patterns(&[
        (
            "",
            "pattern[0].kind: missing; it must be one of `hypercube`, `bit-reversal`, `perfect-shuffle`, `transpose`, \
              `ring`, `torus`, `grid`, `groups`, `all-pairs`, `matrix`.",
        ),
        ("kind = \"hypercubes\"", "pattern[0].kind: Unknown `hypercubes`. Did you mean `hypercube`?"),
        (
            "kind = \"ring\"\nweight = 0\nlinks = 4",
            "pattern[0].weight: must be a number from 1e-9 to 1,000,000,000, not 0.\npattern[0].links: must be at most 3, the NICs of a node: each shared switch takes one.",
        ),
        ("kind = \"ring\"\nlinks = 65", "pattern[0].links: must be a whole number from 1 to 64, not 65."),
        (
            "kind = \"hypercube\"\ndims = [4, 4]\nfile = \"x\"",
            "pattern[0].dims: `hypercube` has no `dims`; remove it.\npattern[0].file: `hypercube` has no `file`; remove it.",
        ),
        (
            "kind = \"torus\"",
            "pattern[0].dims: missing; give sizes such as `dims = [16, 8]`, or `dimensions = 2`.",
        ),
        (
            "kind = \"torus\"\ndims = [4, 5]",
            "pattern[0].dims: must be sizes whose product \
              is the number of nodes, 16, not 4x5 = 20.",
        ),
        (
            "kind = \"torus\"\ndims = [4, -4]",
            "pattern[0].dims: must be 1 to 6 sizes such as \
              16x8, each from 1 to 1,048,576, not 4x-4.",
        ),
        (
            "kind = \"grid\"\ndims = [4, 4]\ndimensions = 2\nneighbours = \"axes\"",
            "pattern[0].neighbours: Unknown `axes`. Did you mean `axis`?\npattern[0].dimensions: cannot be given with `dims`; remove one of them.",
        ),
        (
            "kind = \"grid\"\ndimensions = 5\nfactorizations = \"both\"",
            "pattern[0].dimensions: must be a whole number from 1 to 4, not 5.\n\
              pattern[0].factorizations: must be one of `balanced`, `all`, not `both`.",
        ),
    ]);
}

#[test]
fn a_pattern_that_does_not_admit_the_pes_is_told_beside_its_field() {
    let text = "pes = 18\nnis_per_pe = 3\n[[switch]]\nports = 8\n[[pattern]]\nkind = \"hypercube\"\n\
                [[pattern]]\nkind = \"torus\"\ndimensions = 4\n";
    check(&[(
        text,
        "pattern[0].kind: needs a node count that is a power of 2, such as 16 or 32; 18 is none.\npattern[1].dimensions: needs a node count that is a product of 4 factors, each at least 2, such as 16 or 24; 18 is none.",
    )]);
}

#[test]
fn matrices_in_a_spec() {
    check_patterns(&[
        ("kind = \"matrix\"", "pattern[0].pairs: missing; it must be pairs, or a `file` of them."),
        (
            "kind = \"matrix\"\nfile = \"t.csv\"",
            "pattern[0].file: only the command line reads files; give `pairs` instead.",
        ),
        (
            "kind = \"matrix\"\nfile = \"t.csv\"\npairs = [[0, 1]]",
            "pattern[0].file: cannot be given with `pairs`; remove one of them.",
        ),
        (
            "kind = \"matrix\"\npairs = [[0, 1], [3, 16], [4, 5, -1]]",
            "pattern[0].pairs: line 2: \"16\" is not a node number (0 to 15).\npattern[0].pairs: line 3: weight \"-1\" is not a number from 0 to 1e18.",
        ),
        (
            "kind = \"matrix\"\npairs = [[0, 1, 2.5]]\nthreshold = 3",
            "pattern[0].pairs: every pair has the weight 0 or is below `threshold`; lower `threshold`.",
        ),
        (
            "kind = \"matrix\"\npairs = [[0, 1], 7]",
            "pattern[0].pairs: must be a list of pairs [a, b] or [a, b, weight], or the same as lines of text, not [[0, 1], 7]. (line 7)",
        ),
    ]);
    let inline = |pairs: &str| valid(&format!("{HARDWARE}[[pattern]]\nkind = \"matrix\"\npairs = {pairs}\n"));
    assert_eq!(
        inline("[[0, 1], [3, 2, 1.5]]").patterns,
        inline("'''\n0 1\n3 2 1.5 # measured\n'''").patterns
    );
}

/// One file, `t.csv`.
struct OneFile(&'static str);

impl MatrixFiles for OneFile {
    fn read(&mut self, path: &str) -> Result<String, String> {
        if path == "t.csv" { Ok(self.0.into()) } else { Err("there is no such file.".into()) }
    }
}

#[test]
fn matrices_from_files() {
    let text = "pes = 4\nnis_per_pe = 3\n[[switch]]\nports = 8\n[[pattern]]\nkind = \"matrix\"\nthreshold = 2\nfile = ";
    let read = |file: &str, text: &'static str| {
        resolve::read(file, &mut OneFile(text)).map(|spec| {
            let demand = Demand::build(&spec).unwrap();
            let pairs: Vec<_> = demand.pairs().collect();
            (pairs, form_of(&spec).pattern[0]["pairs"].clone())
        })
    };
    let found = read(&format!("{text}'t.csv'"), "0,2,0,1\n0,0,5,0\n0,0,0,0\n0,0,0,0\n").unwrap();
    assert_eq!(found, (vec![(0, 1), (1, 2)], "0 1 2\n1 2 5".to_string()));
    let broken = read(&format!("{text}'t.csv'"), "0,2,0,1\n0,0,x,0\n0,0,0,0\n0,0,0,0\n").unwrap_err();
    assert_eq!(broken.to_string(), "pattern[0].file: line 2: weight \"x\" is not a number from 0 to 1e18.");
    assert!(
        read(&format!("{text}'u.csv'"), "")
            .unwrap_err()
            .to_string()
            .ends_with("pattern[0].file: there is no such file.")
    );
}

#[test]
fn lists_too_long() {
    let patterns = "[[pattern]]\nkind = \"ring\"\n".repeat(33);
    check(&[(&format!("{HARDWARE}{patterns}"), "pattern: must be at most 32 patterns, not 33.")]);
    let switches = "[[switch]]\nports = 1\n".repeat(5000);
    assert_eq!(
        faults(&format!("pes = 16\nnis_per_pe = 2\nobjective = 'universal'\n{switches}")),
        "switch: has 5,000 entries; the limit is 4,096. (line 4)"
    );
    let switches = "[[switch]]\nports = 1\ncount = 1\n".repeat(200);
    let text = faults(&format!("pes = 16\nnis_per_pe = 2\n{switches}[[pattern]]\nkind = \"ring\""));
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[9].starts_with("switch[9].ports: must be ") && lines.len() == 12, "{text}");
    assert_eq!(lines[10..], ["and 90 more", "switch[100].ports: this and 100 more errors."]);
}

#[test]
fn the_gallery_is_valid_and_in_its_normal_form_means_the_same() {
    let pairs = [
        (include_str!("../../assets/specs/kasy0.toml"), 1536),
        (include_str!("../../assets/specs/klat2.toml"), 2016),
        (include_str!("../../assets/specs/lab16.toml"), 120),
        (include_str!("../../assets/specs/cables4.toml"), 4),
        (include_str!("../../assets/specs/cables3.toml"), 3),
        (include_str!("../../assets/specs/stencil64.toml"), 192),
        (include_str!("../../assets/specs/shuffles4096.toml"), 36_640),
        (include_str!("../../assets/specs/mixtral64.toml"), 176),
        (include_str!("../../assets/specs/gpt3-175b.toml"), 368),
        (include_str!("../../assets/specs/deepseek-v3.toml"), 1296),
        (include_str!("../../assets/specs/llama405b.toml"), 3968),
        (include_str!("../../assets/specs/llama405b-long.toml"), 17_408),
        (include_str!("../../assets/specs/cube1024.toml"), 0),
        (include_str!("../../assets/specs/bluegene65536.toml"), 622_592),
    ];
    for (text, expected) in pairs {
        assert!(text.starts_with("# ") && text.lines().next().unwrap().ends_with('.'));
        let spec = valid(text);
        assert!(!spec.name.is_empty());
        let demand = Demand::build(&spec).unwrap();
        assert!(demand.len() == expected || expected == 0, "{}: {}", spec.name, demand.len());
        let again = toml::write(&form_of(&spec));
        assert_eq!(valid(&again), spec);
        assert_eq!(toml::write(&form_of(&valid(&again))), again);
        assert_eq!(link::decode(&link::encode(&again)).unwrap(), again);
    }
}

fn price() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        (0u32..100_000).prop_map(|p| p.to_string()),
        (0.0..1e12f64).prop_map(|p| format!("{p:e}"))
    ]
}

fn pattern() -> impl Strategy<Value = String> {
    let kinds = prop::sample::select(vec![
        "kind = 'hypercube'\n",
        "kind = 'torus'\ndims = [4, 4]\nneighbours = 'axis'\n",
        "kind = 'grid'\ndimensions = 2\nfactorizations = 'all'\n",
        "kind = 'all-pairs'\n",
        "kind = 'matrix'\nthreshold = 0.5\npairs = [[0, 1, 0.75], [9, 3], [4, 15, 1e-3]]\n",
    ]);
    (kinds, 1u32..3, prop_oneof![Just(1.0), 1e-9..1e9f64]).prop_map(|(kind, links, weight)| {
        format!("[[pattern]]\n{kind}links = {links}\nweight = '{weight:e}'\n")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_normal_form_resolves_to_an_equal_spec(
        price in price(),
        counts in prop::collection::vec((1u32..9, 2u32..65), 1..4),
        switches in prop::collection::vec((2u32..4097, 0u32..2, 1u32..50), 1..4),
        patterns in prop::collection::vec(pattern(), 1..4),
    ) {
        let total: u32 = counts.iter().map(|c| c.0).sum::<u32>();
        let mut text = format!("name = 'a \"b\" # c'\npes = 32\nni_price = '{price}'\n");
        for (count, nis) in counts.into_iter().chain([(32 - total, 3)]) {
            text += &format!("[[pe_group]]\ncount = {count}\nnis = {nis}\n");
        }
        for (ports, reserve, count) in switches {
            text += &format!("[[switch]]\nports = {ports}\nreserve = {reserve}\ncount = {count}\n");
        }
        let text = text + &patterns.concat().replace("[4, 4]", "[8, 4]");
        let spec = valid(&text);
        let written = toml::write(&form_of(&spec));
        prop_assert_eq!(valid(&written), spec, "{}", written);
    }

    #[test]
    fn no_form_makes_resolution_panic(words in prop::collection::vec("[-0-9.x ]{0,6}|ring|torus|all|matrix|1e9|é", 24)) {
        let mut form = SpecForm { switch: vec![Default::default()], pattern: vec![Default::default()], ..Default::default() };
        let word = |i: usize| words[i].clone();
        (form.pes, form.nis_per_pe, form.objective, form.ni_price) = (word(0), word(1), word(2), word(3));
        let (switch, pattern) = (&mut form.switch[0], &mut form.pattern[0]);
        (switch.ports, switch.reserve, switch.price, switch.count) = (word(4), word(5), word(6), word(7));
        let keys = ["kind", "dims", "dimensions", "weight", "pairs", "threshold", "links"];
        keys.into_iter().zip(8..).for_each(|(key, at)| pattern[key] = word(at));
        let _ = resolve(&form, &mut NoFiles);
    }
}

#[test]
fn wirings_do_not_depend_on_names_prices_and_places() {
    let text = "name = 'One'\npes = 8\nnis_per_pe = 2\n[[switch]]\nports = 6\n[[pattern]]\nkind = 'ring'\n";
    let read = |text: &str| resolve::read(text, &mut NoFiles).unwrap();
    let one = read(text);
    let same = [
        text.replace("One", "Two"),
        text.replace("ports = 6", "ports = 6\nprice = 90"),
        format!("ni_price = 40\ncable_price = 5\nmetre_price = 1\nmarket = '100g'\n{text}"),
        format!("{text}[names]\nnodes = 'gpu{{number}}'\n[[rack]]\npes = 8\nswitches = 3\n"),
        text.replace("'ring'", "'ring'\nweight = 3"),
    ];
    for text in same {
        let other = read(&text);
        assert!(one != other && one.has_same_wirings(&other), "{text}");
    }
    let others = [
        text.replace("pes = 8", "pes = 9"),
        text.replace("nis_per_pe = 2", "nis_per_pe = 3"),
        text.replace("ports = 6", "ports = 7"),
        text.replace("ports = 6", "ports = 6\ncount = 4"),
        text.replace("ports = 6", "ports = 6\nreserve = 1"),
        text.replace("'ring'", "'hypercube'"),
        text.replace("'ring'", "'ring'\nlinks = 2"),
    ];
    for text in others {
        assert!(!one.has_same_wirings(&read(&text)), "{text}");
    }
    let fractional = |weight: u32| {
        let text = text.replace("'ring'", &format!("'ring'\nweight = {weight}"));
        read(&format!("objective = 'fractional'\n{text}"))
    };
    assert!(!fractional(1).has_same_wirings(&fractional(2)), "weights count for a fractional objective");
    let timed = |objective: &str, assumption: &str| {
        let job = "[job]\nranks_per_pe = 1\n[[collective]]\nalong = 'dp'\nbytes = 8e9\n";
        read(&format!("objective = '{objective}'\n{text}{job}[assumptions]\n{assumption}\n"))
    };
    let rate = "teraflops = 100";
    assert!(timed("sparse", "").has_same_wirings(&timed("sparse", rate)), "pairs do not count with times");
    assert!(!timed("time", "").has_same_wirings(&timed("time", rate)), "steps do");
    assert!(timed("time", "").has_same_wirings(&timed("time", "failures = 0")), "a search tries no failures");
}
