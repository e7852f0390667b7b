use crate::studio::{
    Answer, SMALL, SMALL_WIRING, Search, Studio, endless, from, hard, hardware, json, json_from, json_with,
    long, search, simulation,
};
use axum::{
    body::Body,
    http::{Request, header},
};
use serde_json::{Value, json};
use server::{api::Config, edit::TokenHash, store::Store};
use shared::api::{DesignView, EDIT_HEADER, ListedWork, OperatorView, WorkKind, WorkState, WorkView};
use std::sync::Arc;

const ADMIN: &str = "the-token-of-the-operator";

async fn list(studio: &Studio) -> Vec<ListedWork> {
    studio.get("/api/operator").await.json::<OperatorView>().work
}

/// Stops work as the operator does, from a list.
async fn stop(studio: &Studio, work: &ListedWork) -> Answer {
    studio.post("/api/operator/stop", &json!({ "id": work.id })).await
}

/// A request for the list from an address, with further headers.
fn asking(address: [u8; 4], headers: &[(&str, &str)]) -> Request<Body> {
    let request = Request::get("/api/operator").extension(from(address));
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    request.body(Body::empty()).unwrap()
}

#[tokio::test]
async fn the_list_is_for_this_machine_and_for_the_operators_token() {
    let config = Config {
        admin_token: Some(TokenHash::of(ADMIN)),
        hosts: vec!["studio.example".into()],
        ..Config::default()
    };
    let studio = Studio::with(Store::temporary().unwrap(), config);
    let local = [127, 0, 0, 1];
    assert_eq!(studio.answer(asking(local, &[])).await.status, 200);
    assert_eq!(studio.answer(asking([10, 0, 0, 1], &[(EDIT_HEADER, ADMIN)])).await.status, 200);
    for refused in [
        asking([10, 0, 0, 1], &[]),
        asking([10, 0, 0, 1], &[(EDIT_HEADER, "the-token-of-the-operatoR")]),
        asking(local, &[("x-forwarded-for", "10.0.0.1")]),
        asking(local, &[("via", "1.1 proxy")]),
        asking(local, &[(header::HOST.as_str(), "studio.example")]),
    ] {
        let problem = studio.answer(refused).await.problem(403, "operator");
        assert!(problem.detail.contains(EDIT_HEADER), "{}", problem.detail);
    }
    let mut stop = json_with(None, "/api/operator/stop", &json!({ "id": "x" }));
    stop.extensions_mut().insert(from([10, 0, 0, 1]));
    studio.answer(stop).await.problem(403, "operator");

    let config = Config { trusted_proxies: vec!["127.0.0.1/32".parse().unwrap()], ..Config::default() };
    let behind = Studio::with(Store::temporary().unwrap(), config);
    behind.answer(asking(local, &[])).await.problem(403, "operator");
    behind.answer(asking(local, &[(EDIT_HEADER, ADMIN)])).await.problem(403, "operator");
}

#[tokio::test]
async fn the_list_names_work_and_nothing_that_opens_it() {
    let studio = Studio::new();
    let spec = hard().replace("KASY0", "Secretive");
    let body = search(&spec, endless());
    let run: Search = studio.start(&body).await;
    studio.until_work(&run.id, |run: &Search| run.report.progress.moves > 0).await;
    let other: Search = studio.answer(json_from(1, "/api/work", &body)).await.json();
    let form = json!({ "nis_from": 3, "nis_to": 3, "ports": "12", "total.seconds": 600.0 });
    let board: WorkView<Value> = studio.start(&hardware(&spec, form)).await;
    let form = json!({ "fabric": "mesh:16x16", "loads": [0.3], "cycles": 20_000_000 });
    let simulation: WorkView<Value> = studio.start(&simulation(form)).await;
    let design = json!({ "spec": SMALL, "table": SMALL_WIRING, "origin": "imported" });
    let design: DesignView = studio.post("/api/designs", &design).await.json();

    let answer = studio.get("/api/operator").await;
    let ids = [&run.id, &other.id, &board.id, &simulation.id, &design.id];
    for secret in ids.into_iter().map(String::as_str).chain(["Secretive", "mesh", crate::studio::TOKEN]) {
        assert!(!answer.text().contains(secret), "{secret}: {}", answer.text());
    }
    let OperatorView { work, budgets } = answer.json();
    let kinds: Vec<_> = work.iter().map(|work| (work.kind, work.running)).collect();
    let [run, board, simulation] = [WorkKind::Search, WorkKind::Hardware, WorkKind::Simulation].map(Some);
    let expected = [(run, true), (run, false), (board, false), (simulation, true)];
    assert_eq!(kinds[0], expected[0]);
    assert!(expected.iter().all(|one| kinds.contains(one)) && kinds.len() == 4, "{kinds:?}");
    let of = |kind, running| work.iter().find(|work| (work.kind, work.running) == (kind, running)).unwrap();
    let first = of(run, true);
    assert!(first.memory > 0 && first.seconds > 0.0 && first.queue.is_none(), "{first:?}");
    assert!((0.0..0.5).contains(&first.share.unwrap()) && first.threads == 2, "{first:?}");
    let second = of(run, false);
    assert!(second.queue.is_some() && second.owner != first.owner, "{second:?}");
    assert_eq!(of(board, false).owner, first.owner);
    assert_eq!(of(simulation, true).owner, first.owner);
    let budget = |name: &str| budgets.iter().find(|budget| budget.name == name).unwrap();
    assert_eq!((budget("search-threads").used, budget("search-threads").max), (2, Some(2)));
    assert!(budget("memory").used >= first.memory && budget("memory").bytes);
    assert!(budget("store").used > 0 && budget("store").max.is_none());
    for name in ["task-threads", "disk", "bodies", "streams", "connections"] {
        assert!(budget(name).max.unwrap() > 0, "{name}");
    }
    studio.shut_down().await;
}

#[tokio::test]
async fn the_operator_stops_what_the_list_names() {
    let studio = Studio::new();
    let mut ids = Vec::new();
    for (client, body) in (1..).zip(long()) {
        let view: WorkView<Value> = studio.answer(json_from(client, "/api/work", &body)).await.json();
        ids.push(view.id);
    }
    let listed = list(&studio).await;
    assert_eq!(listed.len(), 3);
    let unknown = ListedWork { id: "1000".into(), ..listed[0].clone() };
    stop(&studio, &unknown).await.problem(404, "not-found");
    for work in &listed {
        assert_eq!(stop(&studio, work).await.status, 204);
    }
    for id in &ids {
        studio.until_state(id, WorkState::Cancelled).await;
    }
    studio.until("/api/operator", |view: &OperatorView| view.work.is_empty()).await;
    for work in &listed {
        stop(&studio, work).await.problem(404, "not-found");
    }
    let wrong = studio.post("/api/operator/stop", &json!({ "kind": "all", "id": "" })).await;
    assert!(wrong.problem(400, "request").detail.contains("kind"));
}

#[tokio::test]
async fn a_task_is_listed_by_its_route_and_its_client_hears_of_the_stop() {
    let studio = Arc::new(Studio::new());
    let spec = "pes = 8192\nnis_per_pe = 8\nobjective = \"fractional\"\n[[switch]]\nports = 256\n".to_owned()
        + &"[[pattern]]\nkind = \"all-pairs\"\n".repeat(30);
    let body = serde_json::to_vec(&json!({ "spec": spec })).unwrap();
    let asked = studio.clone();
    let request = tokio::spawn(async move { asked.answer(json("/api/demand", body)).await });
    let running = |view: &OperatorView| view.work.iter().any(|work| work.running && work.memory > 0);
    let view: OperatorView = studio.until("/api/operator", running).await;
    let task = &view.work[0];
    assert_eq!((task.kind, task.route.as_str()), (None, "/api/demand"));
    assert_eq!(stop(&studio, task).await.status, 204);
    let problem = request.await.unwrap().problem(503, "busy");
    assert!(problem.detail.contains("stopped this computation"), "{}", problem.detail);
    let none: Value = studio.until("/api/operator", |view: &Value| view["work"] == json!([])).await;
    assert!(none["budgets"].is_array());
}
