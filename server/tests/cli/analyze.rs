use crate::program::{SMALL, folder, kasy0, kasy0_wiring, run};
use shared::api::AnalysisView;

#[test]
fn figures_are_told_as_a_table_and_as_json() {
    let folder = folder(&[]);
    let ran = run(folder.path(), &["analyze".into(), kasy0(), kasy0_wiring()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("3,457"), "{}", ran.out);
    let ran = run(folder.path(), &["analyze".into(), kasy0(), kasy0_wiring(), "--json".into()]);
    let view: AnalysisView = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((view.figures.connected, view.uncovered), (3457, 0));
    let standing = &view.figures.standing;
    assert_eq!((standing.ports.used, standing.ports.bound, standing.ports.optimal), (23, 10, false));
    assert_eq!(
        standing.switches.words,
        "17 switches; at least 12: a search with fewer switches may need up to 5 fewer"
    );
    assert!(
        view.rows.iter().any(|row| row.key == "switches_standing" && row.value == standing.switches.words)
    );
}

#[test]
fn a_wiring_with_holes_is_analysed_with_advice() {
    let folder = folder(&[("spec.toml", SMALL.as_bytes()), ("wiring.txt", b"0: 0 1\n")]);
    let ran = run(folder.path(), &["analyze", "spec.toml", "wiring.txt"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("5 of 6 requested pairs are uncovered"), "{}", ran.out);
    assert!(ran.out.contains("advice: "), "{}", ran.out);
    let ran = run(folder.path(), &["analyze", "spec.toml", "wiring.txt", "--json"]);
    let view: AnalysisView = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(view.left_out.len(), 5);
    assert_eq!((view.left_out[0].a, view.left_out[0].b, view.left_out[0].weight), (0, 2, 1.0));
    assert_eq!(view.left_out[0].patterns, ["universal"]);
}
