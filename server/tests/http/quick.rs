use crate::studio::{KASY0, Studio, hard, search};
use serde_json::json;
use server::{api::Config, prepare::Request, store::Store};
use shared::{
    api::{LibraryView, QuickView},
    design::check,
    resolve::NoFiles,
};
use std::time::Duration;

fn studio(quick: Duration) -> Studio {
    Studio::with(Store::temporary().unwrap(), Config { quick, ..Config::default() })
}

#[tokio::test]
async fn a_quick_search_finds_a_valid_wiring_and_keeps_nothing() {
    let studio = studio(Duration::from_secs(10));
    let found: QuickView = studio.post("/api/quick", &search(KASY0, json!({}))).await.json();
    let request = Request::read(KASY0, &mut NoFiles).unwrap();
    let design = request.wiring(&found.table.unwrap()).unwrap();
    assert!(check(&request.spec, &request.demand, &design).holds() && found.solved);
    assert!(!found.method.is_empty() && found.limit == 10.0);
    let library: LibraryView = studio.get("/api/library").await.json();
    assert!(library.items.is_empty(), "the studio keeps it");
}

#[tokio::test]
async fn the_limit_ends_a_search_with_the_best_wiring_until_then() {
    let found: QuickView =
        studio(Duration::from_millis(200)).post("/api/quick", &search(&hard(), json!({}))).await.json();
    assert!(found.table.is_some() && !found.solved, "{found:?}");
}

#[tokio::test]
async fn a_studio_may_turn_quick_searches_off() {
    let found: QuickView = studio(Duration::ZERO).post("/api/quick", &search(KASY0, json!({}))).await.json();
    assert_eq!(found, QuickView::default());
}

#[tokio::test]
async fn an_impossible_spec_has_no_wiring_and_a_faulty_one_its_faults() {
    let studio = studio(Duration::from_secs(10));
    let narrow = search(&KASY0.replace("ports = 24", "ports = 8"), json!({}));
    let found: QuickView = studio.post("/api/quick", &narrow).await.json();
    assert_eq!((found.table, found.limit), (None, 10.0));
    let problem = studio.post("/api/quick", &search("pes = 0", json!({}))).await.problem(422, "spec");
    assert!(problem.faults.iter().any(|fault| fault.path == "pes"), "{:?}", problem.faults);
    let problem =
        studio.post("/api/quick", &search(KASY0, json!({ "seed": "x" }))).await.problem(422, "spec");
    assert_eq!(problem.faults[0].path, "seed");
}
