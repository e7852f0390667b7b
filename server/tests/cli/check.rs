use crate::program::{SMALL, folder, kasy0, kasy0_wiring, run};

#[test]
fn kasy0s_published_wiring_holds() {
    let folder = folder(&[]);
    let ran = run(folder.path(), &["check".into(), kasy0(), kasy0_wiring()]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("1,536"), "{}", ran.out);
}

#[test]
fn every_uncovered_pair_and_broken_limit_is_named() {
    let wiring = b"0: 0 1\n1: 0 2 3\n";
    let folder = folder(&[("spec.toml", SMALL.as_bytes()), ("wiring.txt", wiring)]);
    let ran = run(folder.path(), &["check", "spec.toml", "wiring.txt"]);
    assert_eq!(ran.code, 1);
    for told in ["2 of 6", "  1 2\n", "  1 3\n", "PE 0 is on 2 switches", "2 switches; the spec allows 1"] {
        assert!(ran.out.contains(told), "{told}: {}", ran.out);
    }
}

#[test]
fn none_of_many_uncovered_pairs_is_left_out() {
    let spec = SMALL.replace("pes = 4", "pes = 40").replace("ports = 4", "ports = 40");
    let folder = folder(&[("spec.toml", spec.as_bytes()), ("wiring.txt", b"0: 0\n")]);
    let ran = run(folder.path(), &["check", "spec.toml", "wiring.txt"]);
    assert_eq!(ran.code, 1);
    assert_eq!(ran.out.lines().filter(|line| line.starts_with("  ")).count(), 780);
}
