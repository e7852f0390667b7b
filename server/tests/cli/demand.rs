use crate::program::{folder, kasy0, run};

#[test]
fn kasy0_is_counted() {
    let folder = folder(&[]);
    let ran = run(folder.path(), &["demand".into(), kasy0()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for told in [
        "pairs   1,536",
        "degree  23 to 25",
        "hypercube",
        "torus 16x8, axis",
        "overlap",
        "ports    at least 10: node 15 has 25",
    ] {
        assert!(ran.out.contains(told), "{told}: {}", ran.out);
    }
}

#[test]
fn impossible_hardware_is_refused_after_the_counts() {
    let spec = "nodes = 8\nnics_per_node = 2\nobjective = \"universal\"\n[[switch]]\nports = 6\ncount = 1\n";
    let folder = folder(&[("spec.toml", spec.as_bytes())]);
    let ran = run(folder.path(), &["demand", "spec.toml"]);
    assert!(ran.code == 2 && ran.out.contains("pairs   28\n"), "{ran:?}");
    let told = "crosspoint: spec.toml: this hardware cannot serve the demand\n\
        switch[0].count: 1 is not enough; use at least 3, or wider switches, or fewer patterns.\n\
        Node 0 needs 7 links. Only one of its 2 NICs can be used, since there is one switch. The NIC reaches at most 5 others \
        through a switch with 6 usable ports.";
    assert!(ran.err.starts_with(told), "{}", ran.err);
    assert_eq!(run(folder.path(), &["search", "spec.toml"]).err, ran.err);
}

#[test]
fn pairs_are_listed_in_order() {
    let folder = folder(&[]);
    let ran = run(folder.path(), &["demand".into(), kasy0(), "--pairs".into()]);
    let pairs: Vec<(u32, u32)> = ran
        .out
        .lines()
        .map(|line| {
            let (a, b) = line.split_once(' ').unwrap();
            (a.parse().unwrap(), b.parse().unwrap())
        })
        .collect();
    assert_eq!(pairs.len(), 1536);
    assert!(pairs.is_sorted() && pairs.iter().all(|(a, b)| a < b));
}

#[test]
fn a_matrix_is_read_beside_its_spec() {
    let spec = b"pes = 4\nnis_per_pe = 1\nobjective = \"sparse\"\n[[switch]]\nports = 4\n\
                 [[pattern]]\nkind = \"matrix\"\nfile = \"traffic.csv\"\n";
    let folder = folder(&[("spec.toml", spec), ("traffic.csv", b"0,1,5\n0,2,1\n1,3,2\n")]);
    let elsewhere = tempfile::tempdir().unwrap();
    let path = folder.path().join("spec.toml");
    let ran = run(elsewhere.path(), &["demand".into(), path.clone(), "--pairs".into()]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "0 1\n0 2\n1 3\n"), "{}", ran.err);
    std::fs::remove_file(folder.path().join("traffic.csv")).unwrap();
    let ran = run(elsewhere.path(), &["demand".into(), path]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("traffic.csv"), "{}", ran.err);
}

#[test]
fn a_ragged_matrix_is_refused_with_its_line() {
    let row = |values: usize| vec!["1"; values].join(",") + "\n";
    let short = row(96).repeat(40) + &row(95) + &row(96).repeat(55);
    let cases = [
        (96, short.as_str(), "line 41: has 95 values, and the other lines have 96;"),
        (8, "0,1,2\n1,0\n", "line 2: has 2 values, and the other lines have 3;"),
        (8, "0,1,2\n1,0,3\n2,3,0\n", "line 1: the matrix is 3 x 3, and the spec has 8 nodes;"),
    ];
    for (pes, text, fault) in cases {
        let spec = format!(
            "pes = {pes}\nnis_per_pe = 2\n[[switch]]\nports = 24\n[[pattern]]\nkind = \"matrix\"\nfile = \"m.csv\"\n"
        );
        let folder = folder(&[("spec.toml", spec.as_bytes()), ("m.csv", text.as_bytes())]);
        let ran = run(folder.path(), &["demand".into(), folder.path().join("spec.toml")]);
        assert_eq!((ran.code, ran.err.matches("pattern[0].file: ").count()), (2, 1), "{}", ran.err);
        assert!(ran.err.contains(fault), "{}", ran.err);
        assert!(ran.err.contains("every line of a list is `a b` or `a b weight`"), "{}", ran.err);
    }
}
