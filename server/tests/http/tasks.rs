use crate::studio::{SMALL, SMALL_WIRING, Studio, json, json_from, search, simulation};
use axum::{body::Body, http::Request};
use serde_json::{Value, json};
use server::{
    api::Config,
    store::Store,
    tasks::{Limits, Tasks},
    work::Timing,
};
use std::time::Duration;

/// Requests whose computations take minutes, and the least expensive ones that do.
fn heavy() -> Vec<(&'static str, Value)> {
    let spec = |objective: &str| {
        format!("pes = 8192\nnis_per_pe = 8\nobjective = \"{objective}\"\n[[switch]]\nports = 256\n")
    };
    let all_pairs = spec("fractional") + &"[[pattern]]\nkind = \"all-pairs\"\n".repeat(30);
    let table: String = (0..256u32)
        .map(|switch| {
            let first = switch % 32 * 256;
            let members: Vec<String> = (first..first + 256).map(|pe| pe.to_string()).collect();
            format!("{switch}: {}\n", members.join(" "))
        })
        .collect();
    let design = json!({ "spec": spec("universal"), "table": table });
    let job = include_str!("../../../assets/specs/llama405b.toml");
    let of = |kind: &str| {
        let mut body = design.clone();
        body["kind"] = kind.into();
        ("/api/work", body)
    };
    let mut saved = design.clone();
    saved["origin"] = "imported".into();
    vec![
        ("/api/work", simulation(json!({ "fabric": "full:4000" }))),
        ("/api/demand", json!({ "spec": all_pairs })),
        ("/api/work", search(&spec("universal"), json!({}))),
        of("analysis"),
        of("compare"),
        ("/api/work", json!({ "kind": "estimate", "spec": job })),
        ("/api/designs", saved),
        ("/api/exports/losses", design.clone()),
        ("/api/exports/all", design),
    ]
}

/// Asks for one of them, and for its result.
fn request(path: &str, body: &Value) -> Request<Body> {
    let mut request = json(path, serde_json::to_vec(body).unwrap());
    request.headers_mut().insert("prefer", "wait=20".parse().unwrap());
    request
}

#[tokio::test]
async fn a_client_that_leaves_stops_its_computation() {
    let studio = Studio::new();
    for (path, body) in heavy() {
        let (request, path) = (studio.send(request(path, &body)), format!("{path} {}", body["kind"]));
        assert!(tokio::time::timeout(Duration::from_millis(300), request).await.is_err(), "{path} is quick");
        let began = tokio::time::Instant::now();
        let busy = || Some(studio.tasks.load()).filter(|load| load.running + load.waiting > 0);
        while busy().is_some() || studio.tasks.memory.used() > 0 {
            assert!(began.elapsed() < Duration::from_secs(30), "{path} goes on: {:?}", busy());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

#[tokio::test]
async fn one_client_with_330_requests_changes_nothing_for_others() {
    let studio = std::sync::Arc::new(Studio::new());
    let body = heavy().swap_remove(1).1;
    let ask = || {
        let (studio, request) = (studio.clone(), json_from(1, "/api/demand", &body));
        tokio::spawn(async move { studio.answer(request).await })
    };
    let mut held: Vec<_> = (0..330).map(|_| ask()).collect();
    let mut refused = 0;
    // All but its share of 256 places.
    while refused < 202 {
        tokio::time::sleep(Duration::from_millis(1)).await;
        let (ended, left) = held.into_iter().partition(tokio::task::JoinHandle::is_finished);
        held = left;
        for answer in ended {
            let answer = answer.await.unwrap();
            answer.problem(429, "share");
            assert_eq!(answer.header("retry-after"), "5");
            refused += 1;
        }
    }
    let load = studio.tasks.load();
    assert_eq!(load.running + load.waiting, 128, "{load:?}");
    let saved = json!({ "spec": SMALL, "table": SMALL_WIRING, "origin": "" });
    for _ in 0..10 {
        let answer = studio.answer(json_from(2, "/api/designs", &saved)).await;
        assert_eq!(answer.status, 201, "{}", answer.text());
        let answer = studio.answer(json_from(2, "/api/demand", &json!({ "spec": SMALL }))).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let answer = studio.answer(json_from(2, "/api/work", &search(SMALL, json!({})))).await;
        assert_eq!(answer.status, 201, "{}", answer.text());
    }
    held.iter().for_each(tokio::task::JoinHandle::abort);
}

#[tokio::test]
async fn a_computation_that_cannot_fit_is_refused_with_its_figure() {
    let limits = Limits { bytes: 100 << 20, ..Limits::of(2) };
    let store = Store::temporary().unwrap();
    let studio = Studio::of(store, Config::default(), Timing::default(), Tasks::new(limits));
    for (path, body) in heavy() {
        if body["kind"] == "simulation" {
            continue;
        }
        let problem = studio.answer(request(path, &body)).await.problem(422, "memory");
        assert!(
            problem.detail.contains("MiB of memory; the studio has 100 MiB"),
            "{path} {}: {}",
            body["kind"],
            problem.detail
        );
        assert_eq!(studio.tasks.memory.used(), 0);
    }
}
