use crate::studio::{KASY0, KASY0_WIRING, SMALL, SMALL_WIRING, Studio};
use serde_json::json;
use shared::api::DesignView;

#[tokio::test]
async fn a_saved_design_comes_back_the_same() {
    let studio = Studio::new();
    let body = json!({ "spec": KASY0, "table": KASY0_WIRING, "origin": "imported" });
    let answer = studio.post("/api/designs", &body).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    let saved: DesignView = answer.json();
    assert_eq!(answer.header("location"), format!("/api/designs/{}", saved.id));
    assert!(saved.verdict.holds() && saved.verdict.requested == 1536);
    assert_eq!((saved.spec.as_str(), saved.origin.as_str()), (KASY0, "imported"));
    assert!(saved.version.starts_with(env!("CARGO_PKG_VERSION")));
    let again: DesignView = studio.get(&format!("/api/designs/{}", saved.id)).await.json();
    assert_eq!(again, saved);
}

#[tokio::test]
async fn a_table_from_elsewhere_is_brought_into_its_normal_form() {
    let studio = Studio::new();
    let body = json!({ "spec": SMALL, "table": "# by hand\n\n0: 3 1 2 0" });
    let saved: DesignView = studio.post("/api/designs", &body).await.json();
    assert_eq!(saved.table, SMALL_WIRING);
}

#[tokio::test]
async fn a_design_that_leaves_pairs_uncovered_is_kept_and_says_so() {
    let studio = Studio::new();
    let saved: DesignView =
        studio.post("/api/designs", &json!({ "spec": SMALL, "table": "0: 0 1 2\n" })).await.json();
    assert_eq!((saved.uncovered, saved.verdict.uncovered.len()), (3, 3));
}

#[tokio::test]
async fn faults_keep_nothing() {
    let studio = Studio::new();
    studio.post("/api/designs", &json!({ "spec": "pes = ", "table": "" })).await.problem(422, "spec");
    studio.post("/api/designs", &json!({ "spec": SMALL, "table": "0: 9" })).await.problem(422, "table");
    let body = json!({ "spec": SMALL, "table": SMALL_WIRING, "origin": "x".repeat(201) });
    let problem = studio.post("/api/designs", &body).await.problem(422, "spec");
    assert_eq!(problem.faults[0].path, "origin");
}

#[tokio::test]
async fn designs_are_neither_listed_nor_changed() {
    let studio = Studio::new();
    studio.get("/api/designs/nobody").await.problem(404, "not-found");
    studio.get("/api/designs/nobody/exports/wiring").await.problem(404, "not-found");
    studio.get("/api/designs").await.problem(405, "method");
    for method in ["PUT", "PATCH", "DELETE"] {
        let request = axum::http::Request::builder().method(method).uri("/api/designs/nobody");
        studio.answer(request.body(axum::body::Body::empty()).unwrap()).await.problem(405, "method");
    }
}
