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
}

#[test]
fn a_wiring_with_holes_is_analysed_with_advice() {
    let folder = folder(&[("spec.toml", SMALL.as_bytes()), ("wiring.txt", b"0: 0 1\n")]);
    let ran = run(folder.path(), &["analyze", "spec.toml", "wiring.txt"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("5 of 6 requested pairs are uncovered"), "{}", ran.out);
    assert!(ran.out.contains("advice: "), "{}", ran.out);
}
