use crate::studio::{KASY0, KASY0_WIRING, SMALL, Studio};
use serde_json::json;
use shared::api::{AnalysisView, MAX_UNCOVERED};

#[tokio::test]
async fn kasy0s_published_wiring_holds_and_connects_its_published_pairs() {
    let body = json!({ "spec": KASY0, "table": KASY0_WIRING });
    let view: AnalysisView = Studio::new().post("/api/analysis", &body).await.json();
    assert!(view.verdict.holds() && view.uncovered == 0 && view.advice.is_empty());
    assert_eq!((view.figures.connected, view.figures.switches_used), (3457, 17));
    assert!(view.rows.iter().any(|row| row.key == "connected" && row.value == "3,457"));
}

#[tokio::test]
async fn uncovered_pairs_and_broken_limits_are_named_with_advice() {
    let body = json!({ "spec": SMALL, "table": "0: 0 1\n1: 0 2 3\n" });
    let view: AnalysisView = Studio::new().post("/api/analysis", &body).await.json();
    assert_eq!(view.verdict.uncovered, [(1, 2), (1, 3)]);
    assert_eq!(view.verdict.breaches.len(), 2, "PE 0 has one NI, and one switch is allowed");
    assert!(!view.advice.is_empty());
}

#[tokio::test]
async fn a_long_list_of_uncovered_pairs_is_cut_but_counted() {
    let spec = SMALL.replace("pes = 4", "pes = 400").replace("ports = 4", "ports = 400");
    let view: AnalysisView =
        Studio::new().post("/api/analysis", &json!({ "spec": spec, "table": "0: 0 1" })).await.json();
    assert_eq!(view.uncovered, 400 * 399 / 2 - 1);
    assert_eq!(view.verdict.uncovered.len(), MAX_UNCOVERED);
}

#[tokio::test]
async fn every_faulty_line_of_a_table_is_told() {
    let body = json!({ "spec": SMALL, "table": "0: 0 9\nnonsense\n" });
    let problem = Studio::new().post("/api/analysis", &body).await.problem(422, "table");
    let lines: Vec<_> = problem.table_faults.iter().map(|fault| fault.line).collect();
    assert_eq!(lines, [1, 2]);
}
