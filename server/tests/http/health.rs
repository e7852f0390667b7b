use crate::studio::{KASY0, SMALL, Search, Studio, search};
use axum::{body::Body, http::Request};
use server::{api::Config, store::Store};
use std::time::Duration;

#[tokio::test]
async fn a_studio_that_shuts_down_lives_and_is_not_ready() {
    let studio = Studio::new();
    for path in ["/healthz", "/readyz"] {
        assert_eq!((studio.get(path).await.status.as_u16(), studio.get(path).await.text()), (200, "ok\n"));
    }
    studio.shut_down().await;
    assert_eq!(studio.get("/healthz").await.status, 200);
    studio.get("/readyz").await.problem(503, "busy");
}

#[tokio::test]
async fn a_studio_without_its_database_is_not_ready() {
    let folder = tempfile::tempdir().unwrap();
    let studio = Studio::with(Store::open(folder.path()).unwrap(), Config::default());
    std::fs::remove_file(folder.path().join("crosspoint.sqlite")).unwrap();
    studio.get("/readyz").await.problem(503, "busy");
}

#[tokio::test]
async fn frequent_checks_find_a_lost_database() {
    let folder = tempfile::tempdir().unwrap();
    let studio = Studio::with(Store::open(folder.path()).unwrap(), Config::default());
    assert_eq!(studio.get("/readyz").await.status, 200);
    std::fs::remove_file(folder.path().join("crosspoint.sqlite")).unwrap();
    for _ in 0..1000 {
        if studio.get("/readyz").await.status == 503 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("ready without a database");
}

#[tokio::test]
async fn metrics_have_figures_and_no_secrets() {
    let studio = Studio::with(Store::temporary().unwrap(), Config { burst: 4, ..Config::default() });
    let secret = SMALL.replace("Small", "Secretive");
    let run: Search = studio.start(&search(&secret, serde_json::json!({}))).await;
    studio.post("/api/demand", &serde_json::json!({ "spec": KASY0 })).await;
    studio.get("/api/nothing").await.problem(404, "not-found");
    let elsewhere = Request::get("/api/version").header("host", "evil.example").body(Body::empty()).unwrap();
    studio.answer(elsewhere).await.problem(421, "host");
    for _ in 0..5 {
        studio.get("/api/version").await;
    }
    let metrics = studio.get("/metrics").await;
    assert!(metrics.header("content-type").starts_with("application/openmetrics-text"));
    let text = metrics.text();
    let value = |name: &str| -> f64 {
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("crosspoint_{name} ")));
        line.unwrap_or_else(|| panic!("{name}: {text}")).parse().unwrap()
    };
    assert!(value("tasks_ended_total{outcome=\"done\"}") >= 2.0);
    assert_eq!(value("problems_total{kind=\"not-found\"}"), 1.0);
    assert_eq!(value("problems_total{kind=\"host\"}"), 1.0);
    assert!(value("problems_total{kind=\"too-many\"}") >= 1.0);
    assert!(value("store_bytes") > 0.0 && value("memory_limit_bytes") > 0.0);
    assert_eq!((value("bodies_claimed_bytes"), value("streams_limit")), (0.0, 2000.0));
    for name in [
        "tasks_running",
        "tasks_waiting",
        "tasks_oldest_wait_seconds",
        "searches_running",
        "searches_waiting",
        "searches_oldest_wait_seconds",
        "simulations_running",
        "simulations_waiting",
        "simulations_oldest_wait_seconds",
        "disk_claimed_bytes",
        "connections_open",
        "connections_closed_total{reason=\"idle\"}",
        "streams_open",
    ] {
        value(name);
    }
    assert!(!text.contains(&run.id) && !text.contains("Secretive"), "{text}");
    assert!(text.ends_with("# EOF\n"));
}
