use crate::studio::{KASY0, KASY0_WIRING, Studio, json};
use axum::{body::Body, http::Request};
use server::{api::Config, store::Store};

#[tokio::test]
async fn every_answer_carries_the_headers_that_protect() {
    let studio = Studio::new();
    for path in ["/", "/api/version", "/api/nothing", "/nothing", "/api/runs/nobody/events"] {
        let answer = studio.get(path).await;
        let policy = answer.header("content-security-policy");
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'"),
            "{path}: {policy}"
        );
        assert!(!policy.contains("unsafe-inline"), "{path}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(answer.header("referrer-policy"), "no-referrer", "{path}");
        assert_eq!(answer.header("cross-origin-opener-policy"), "same-origin", "{path}");
        assert_eq!(answer.header("cross-origin-resource-policy"), "same-origin", "{path}");
        assert!(!answer.header("permissions-policy").is_empty(), "{path}");
        assert!(!answer.header("x-request-id").is_empty(), "{path}");
    }
}

#[tokio::test]
async fn large_json_is_compressed_and_streams_are_not() {
    let studio = Studio::new();
    let accepting = async |request: axum::http::request::Builder, body: Body| {
        let request = request.header("accept-encoding", "gzip").header("content-type", "application/json");
        studio.answer(request.body(body).unwrap()).await
    };
    let description = accepting(Request::get("/api/openapi.json"), Body::empty()).await;
    assert_eq!((description.header("content-encoding"), &description.body[..2]), ("gzip", &[0x1f, 0x8b][..]));
    let version = accepting(Request::get("/api/version"), Body::empty()).await;
    assert_eq!(version.header("content-encoding"), "", "too small");
    let asked = serde_json::json!({ "spec": KASY0, "table": KASY0_WIRING });
    let export = accepting(Request::post("/api/exports/json"), asked.to_string().into()).await;
    assert_eq!((export.status.as_u16(), export.header("content-encoding")), (200, ""));
    let run: shared::api::RunView =
        studio.post("/api/runs", &serde_json::json!({ "spec": KASY0 })).await.json();
    let events = accepting(Request::get(format!("/api/runs/{}/events", run.id)), Body::empty()).await;
    assert_eq!((events.header("content-type"), events.header("content-encoding")), ("text/event-stream", ""));
}

#[tokio::test]
async fn a_slow_response_is_a_problem() {
    let config = Config { patience: std::time::Duration::ZERO, ..Config::default() };
    let studio = Studio::with(Store::in_memory().unwrap(), config);
    studio.post("/api/demand", &serde_json::json!({ "spec": KASY0 })).await.problem(503, "busy");
}

#[tokio::test]
async fn another_sites_page_may_not_post() {
    let studio = Studio::new();
    let body = serde_json::to_vec(&serde_json::json!({ "spec": KASY0 })).unwrap();
    let mut request = json("/api/demand", body.clone());
    request.headers_mut().insert("origin", "https://evil.example".parse().unwrap());
    studio.answer(request).await.problem(403, "origin");
    let mut request = json("/api/demand", body.clone());
    request.headers_mut().insert("sec-fetch-site", "cross-site".parse().unwrap());
    studio.answer(request).await.problem(403, "origin");
    let mut request = json("/api/demand", body);
    request.headers_mut().insert("origin", "http://localhost:8080".parse().unwrap());
    assert!(studio.answer(request).await.status.is_success());
}

#[tokio::test]
async fn a_name_that_was_made_to_point_here_is_refused() {
    let studio = Studio::new();
    let asking = |host: &str| Request::get("/api/version").header("host", host).body(Body::empty()).unwrap();
    studio.answer(asking("evil.example:8080")).await.problem(421, "host");
    for host in ["127.0.0.1:8080", "[::1]:8080", "localhost"] {
        assert!(studio.answer(asking(host)).await.status.is_success(), "{host}");
    }
    let open = Config { loopback_only: false, ..Config::default() };
    let open = Studio::with(Store::in_memory().unwrap(), open);
    assert!(open.answer(asking("studio.example")).await.status.is_success());
}

#[tokio::test]
async fn who_asks_too_often_is_told_when_to_come_back() {
    let config = Config { burst: 3, refill_milliseconds: 60_000, ..Config::default() };
    let studio = Studio::with(Store::in_memory().unwrap(), config);
    for _ in 0..3 {
        assert!(studio.get("/api/version").await.status.is_success());
    }
    let refused = studio.get("/api/version").await;
    refused.problem(429, "too-many");
    assert!(refused.header("retry-after").parse::<u64>().unwrap() >= 1);
    assert_eq!(refused.header("x-content-type-options"), "nosniff");
    assert_ne!(studio.get("/").await.status, 429, "the page itself is not limited");
}
