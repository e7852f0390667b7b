use crate::studio::{KASY0, KASY0_WIRING, Search, Studio, from, json, search};
use axum::{body::Body, http::Request};
use server::{api::Config, store::Store, tasks::Limits};
use std::time::Duration;

#[tokio::test]
async fn every_answer_carries_the_headers_that_protect() {
    let studio = Studio::new();
    for path in ["/", "/api/version", "/api/nothing", "/nothing", "/api/work/nobody/events"] {
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
    let run: Search = studio.start(&search(KASY0, serde_json::json!({}))).await;
    let events = accepting(Request::get(format!("/api/work/{}/events", run.id)), Body::empty()).await;
    assert_eq!((events.header("content-type"), events.header("content-encoding")), ("text/event-stream", ""));
}

#[tokio::test]
async fn a_slow_response_is_a_problem() {
    let config = Config { patience: std::time::Duration::ZERO, ..Config::default() };
    let studio = Studio::with(Store::temporary().unwrap(), config);
    // Long enough that no answer can be there at once.
    let spec = "pes = 2048\nnis_per_pe = 2\n[[switch]]\nports = 64\n".to_owned()
        + &"[[pattern]]\nkind = \"all-pairs\"\n".repeat(30);
    studio.post("/api/demand", &serde_json::json!({ "spec": spec })).await.problem(503, "busy");
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
async fn another_sites_page_may_not_start_exports() {
    let studio = Studio::new();
    let saved = serde_json::json!({ "spec": KASY0, "table": KASY0_WIRING, "origin": "" });
    let design: shared::api::DesignView = studio.post("/api/designs", &saved).await.json();
    let path = format!("/api/designs/{}/exports/json", design.id);
    let asking = |more: &[(&str, &str)]| {
        let request = Request::get(&path).header("sec-fetch-site", "cross-site");
        let request = more.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        studio.answer(request.body(Body::empty()).unwrap())
    };
    asking(&[("sec-fetch-mode", "no-cors")]).await.problem(403, "origin");
    asking(&[("sec-fetch-mode", "navigate")]).await.problem(403, "origin");
    let followed = asking(&[("sec-fetch-mode", "navigate"), ("sec-fetch-user", "?1")]).await;
    assert_eq!(followed.status, 200, "a person follows a link");
    let page = Request::get("/").header("sec-fetch-site", "cross-site").body(Body::empty()).unwrap();
    assert_ne!(studio.answer(page).await.status, 403);
}

/// A body of which the last byte never comes.
fn unfinished(bytes: usize) -> Body {
    let chunk = axum::body::Bytes::from(vec![b' '; 1 << 20]);
    let chunks =
        tokio_stream::iter(std::iter::repeat_n(Ok::<_, std::convert::Infallible>(chunk), bytes >> 20));
    Body::from_stream(tokio_stream::StreamExt::chain(chunks, tokio_stream::pending()))
}

#[tokio::test]
async fn unfinished_bodies_stay_within_their_budget() {
    let studio = std::sync::Arc::new(Studio::new());
    let max = Limits::of(2).bodies;
    let from_one = |number: u8| {
        let studio = studio.clone();
        let mut request = json("/api/demand", unfinished(31 << 20));
        request.extensions_mut().insert(from([10, 0, number / 50, 1]));
        tokio::spawn(async move { studio.answer(request).await })
    };
    let mut requests: Vec<_> = (0..100).map(from_one).collect();
    let mut refused = 0;
    while refused < 90 {
        tokio::time::sleep(Duration::from_millis(1)).await;
        assert!(studio.tasks.bodies.used() < max);
        for at in (0..requests.len()).rev() {
            if requests[at].is_finished() {
                let answer = requests.swap_remove(at).await.unwrap();
                answer.problem(503, "busy");
                assert!(!answer.header("retry-after").is_empty());
                refused += 1;
            }
        }
    }
    assert!(studio.tasks.bodies.used() > max / 4);
    let mut small = json("/api/demand", serde_json::json!({ "spec": KASY0 }).to_string());
    small.extensions_mut().insert(from([10, 9, 9, 9]));
    assert!(studio.answer(small).await.status.is_success(), "another client");
    requests.iter().for_each(tokio::task::JoinHandle::abort);
    while studio.tasks.bodies.used() > 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn a_body_must_arrive_in_time() {
    let config = Config { patience: Duration::from_millis(200), ..Config::default() };
    let studio = Studio::with(Store::temporary().unwrap(), config);
    studio.answer(json("/api/demand", unfinished(1 << 20))).await.problem(503, "busy");
    assert_eq!(studio.tasks.bodies.used(), 0);
}

#[tokio::test]
async fn only_a_trusted_proxy_names_the_client() {
    let config = Config {
        burst: 1,
        refill_milliseconds: 60_000,
        trusted_proxies: vec!["10.1.0.0/16".parse().unwrap()],
        ..Config::default()
    };
    let studio = Studio::with(Store::temporary().unwrap(), config);
    let asking = |peer: [u8; 4], forwarded: &'static str| {
        let request = Request::get("/api/version").header("x-forwarded-for", forwarded).extension(from(peer));
        let answer = studio.answer(request.body(Body::empty()).unwrap());
        async { answer.await.status.as_u16() }
    };
    assert_eq!(asking([10, 1, 2, 3], "192.0.2.1").await, 200);
    assert_eq!(
        asking([10, 1, 2, 3], "198.51.100.7, 192.0.2.1").await,
        429,
        "an entry before the last is forged"
    );
    assert_eq!(asking([10, 1, 2, 3], "192.0.2.2:4711").await, 200);
    assert_eq!(asking([10, 1, 2, 3], "2001:db8::1").await, 200);
    assert_eq!(asking([10, 1, 2, 3], "2001:db8::2").await, 429, "the same network");
    assert_eq!(asking([192, 0, 2, 9], "192.0.2.3").await, 200);
    assert_eq!(asking([192, 0, 2, 9], "192.0.2.4").await, 429, "no proxy");
    assert_eq!(asking([10, 1, 2, 3], "nonsense").await, 200, "the proxy itself");
}

#[tokio::test]
async fn a_name_that_was_made_to_point_here_is_refused() {
    let studio = Studio::new();
    let asking = |host: &str| Request::get("/api/version").header("host", host).body(Body::empty()).unwrap();
    studio.answer(asking("evil.example:8080")).await.problem(421, "host");
    for host in ["127.0.0.1:8080", "[::1]:8080", "localhost"] {
        assert!(studio.answer(asking(host)).await.status.is_success(), "{host}");
    }
    let config = Config { hosts: vec!["studio.example".into()], ..Config::default() };
    let local = Studio::with(Store::temporary().unwrap(), config.clone());
    let open = Studio::with(Store::temporary().unwrap(), Config { loopback_only: false, ..config });
    for named in [&local, &open] {
        for host in ["Studio.Example", "studio.example:8080", "localhost:1"] {
            assert!(named.answer(asking(host)).await.status.is_success(), "{host}");
        }
        for host in ["evil.example", "studio.example.evil.example"] {
            let refused = named.answer(asking(host)).await.problem(421, "host");
            assert!(refused.detail.contains("--host"), "{}", refused.detail);
        }
    }
    assert!(open.answer(asking("192.0.2.7:8080")).await.status.is_success());
    local.answer(asking("192.0.2.7:8080")).await.problem(421, "host");
}

#[tokio::test]
async fn who_asks_too_often_is_told_when_to_come_back() {
    let config = Config { burst: 3, refill_milliseconds: 60_000, ..Config::default() };
    let studio = Studio::with(Store::temporary().unwrap(), config);
    for _ in 0..3 {
        assert!(studio.get("/api/version").await.status.is_success());
    }
    let refused = studio.get("/api/version").await;
    refused.problem(429, "too-many");
    assert!(refused.header("retry-after").parse::<u64>().unwrap() >= 1);
    assert_eq!(refused.header("x-content-type-options"), "nosniff");
    assert_ne!(studio.get("/").await.status, 429, "the page itself is not limited");
}
