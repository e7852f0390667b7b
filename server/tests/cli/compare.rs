use crate::program::{SMALL, folder, kasy0, kasy0_wiring, run};
use shared::compare::Comparison;

#[test]
fn a_wiring_stands_beside_other_networks() {
    let folder = folder(&[]);
    let ran = run(folder.path(), &["compare".into(), kasy0(), kasy0_wiring()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("128 hosts, 1,536 pairs asked for; for sale: "), "{}", ran.out);
    for name in ["This design", "full:128", "host-torus:16x8", "pmesh:16x8"] {
        assert!(ran.out.lines().any(|line| line.starts_with(name)), "{name}: {}", ran.out);
    }
    assert!(ran.out.contains("Myrinet cluster takes other numbers of hosts: 16 or 18 hosts"), "{}", ran.out);
    let ran = run(folder.path(), &["compare".into(), kasy0(), kasy0_wiring(), "--json".into()]);
    let found: Comparison = serde_json::from_str(&ran.out).unwrap();
    let own = found.rows[0].figures.as_ref().unwrap();
    assert_eq!((own.hosts, own.switches, own.cables), (128, 17, 384));
    assert_eq!(own.demand.unwrap().single_switch, 1.0);
    assert_eq!(own.demand.unwrap().latency, Some(180.0));
    assert!(own.bisection.exact, "{:?}", own.bisection);
}

#[test]
fn prices_are_the_specs_a_preset_or_a_file() {
    let market = b"speed = 100\nni = 1\nport = 2\nports = 48\nbackplane = 0.5\n";
    let good = b"name = 'Ours'\nspeed = 100\nni = 1\nport = 2\nports = 48\n";
    let files =
        [("spec.toml", SMALL.as_bytes()), ("bad.toml", market.as_slice()), ("good.toml", good.as_slice())];
    let folder = folder(&files);
    let compare = |more: &[&str]| run(folder.path(), &[&["compare", "spec.toml"], more].concat());
    let listed = compare(&["--prices", "list"]);
    assert!(listed.out.contains("1998  Fast Ethernet, Spring 1998: P-Mesh paper, table 1"), "{}", listed.out);
    assert!(compare(&[]).out.contains("for sale: Gigabit Ethernet, an assumption"));
    assert!(compare(&["--prices", "spec"]).out.contains("for sale: The spec's own hardware"));
    let ours = compare(&["--prices", "good.toml", "--fabric", "switch:4"]);
    assert_eq!(ours.code, 0, "{}", ours.err);
    let line = ours.out.lines().find(|line| line.starts_with("switch:4")).unwrap();
    assert!(line.contains("12+"), "4 NIs and 4 ports; cables have no price: {line}");
    let bad = compare(&["--prices", "bad.toml"]);
    assert_eq!(bad.code, 2);
    assert!(
        bad.err.contains("bad.toml") && bad.err.contains("prices.backplane: 0.5 is not accepted"),
        "{}",
        bad.err
    );
    let none = compare(&["--prices", "2g"]);
    assert!(
        none.code == 2 && none.err.contains("expected spec, 1g, 10g, 25g, 1998, 1999 or a TOML file"),
        "{}",
        none.err
    );
    let kind = compare(&["--fabric", "ring:4"]);
    assert!(kind.code == 2 && kind.err.contains("--fabric: fabric: ring:4 is not accepted"), "{}", kind.err);
}
