use crate::studio::{Answer, SMALL, SMALL_WIRING, Studio, from, hard, json, json_from, json_with};
use axum::{
    body::Body,
    http::{Request, header},
};
use serde_json::{Value, json};
use server::{api::Config, edit::TokenHash, store::Store};
use shared::{
    api::{BoardView, DesignView, EDIT_HEADER, JobKind, JobView, OperatorView, RunState, RunView},
    simulation::{SimulationState, SimulationView},
};
use std::{sync::Arc, time::Duration};

const ADMIN: &str = "the-token-of-the-operator";

async fn list(studio: &Studio) -> Vec<JobView> {
    studio.get("/api/operator").await.json::<OperatorView>().jobs
}

/// Stops work as the operator does, from a list.
async fn stop(studio: &Studio, job: &JobView) -> Answer {
    studio.post("/api/operator/stop", &json!({ "kind": job.kind, "id": job.id })).await
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
    let mut stop = json_with(None, "/api/operator/stop", &json!({ "kind": "run", "id": "x" }));
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
    let body = json!({ "spec": spec, "budget": { "seconds": 600.0 }, "threads": 2 });
    let run: RunView = studio.post("/api/runs", &body).await.json();
    studio.until(&format!("/api/runs/{}", run.id), |run: &RunView| run.progress.moves > 0).await;
    let other: RunView = studio.answer(json_from(1, "/api/runs", &body)).await.json();
    let body =
        json!({ "spec": spec, "nis_from": 3, "nis_to": 3, "ports": "12", "total": { "seconds": 600.0 } });
    let board: BoardView = studio.post("/api/boards", &body).await.json();
    let form = json!({ "fabric": "mesh:16x16", "loads": [0.3], "settings": { "cycles": 20_000_000 } });
    let simulation: SimulationView = studio.post("/api/simulations", &json!({ "form": form })).await.json();
    let design = json!({ "spec": SMALL, "table": SMALL_WIRING, "origin": "imported" });
    let design: DesignView = studio.post("/api/designs", &design).await.json();

    let answer = studio.get("/api/operator").await;
    let ids = [&run.id, &other.id, &board.id, &simulation.id, &design.id];
    for secret in ids.into_iter().map(String::as_str).chain(["Secretive", "mesh", crate::studio::TOKEN]) {
        assert!(!answer.text().contains(secret), "{secret}: {}", answer.text());
    }
    let OperatorView { jobs, budgets } = answer.json();
    let kinds: Vec<_> = jobs.iter().map(|job| (job.kind, job.running)).collect();
    let expected =
        [(JobKind::Run, true), (JobKind::Run, false), (JobKind::Board, false), (JobKind::Simulation, true)];
    assert_eq!(kinds[0], expected[0]);
    assert!(expected.iter().all(|one| kinds.contains(one)) && kinds.len() == 4, "{kinds:?}");
    let of = |kind, running| jobs.iter().find(|job| (job.kind, job.running) == (kind, running)).unwrap();
    let first = of(JobKind::Run, true);
    assert!(first.memory > 0 && first.seconds > 0.0 && first.queue.is_none(), "{first:?}");
    assert!((0.0..0.5).contains(&first.share.unwrap()) && first.threads == 2, "{first:?}");
    let second = of(JobKind::Run, false);
    assert!(second.queue.is_some() && second.owner != first.owner, "{second:?}");
    assert_eq!(of(JobKind::Board, false).owner, first.owner);
    assert_eq!(of(JobKind::Simulation, true).owner, first.owner);
    let budget = |name: &str| budgets.iter().find(|budget| budget.name == name).unwrap();
    assert_eq!((budget("search-threads").used, budget("search-threads").max), (2, Some(2)));
    assert!(budget("memory").used >= first.memory && budget("memory").bytes);
    assert!(budget("store").used > 0 && budget("store").max.is_none());
    for name in ["task-threads", "disk", "bodies", "streams", "connections"] {
        assert!(budget(name).max.unwrap() > 0, "{name}");
    }
    studio.jobs.shut_down(Duration::from_secs(60));
}

#[tokio::test]
async fn the_operator_stops_what_the_list_names() {
    let studio = Studio::new();
    let body = json!({ "spec": hard(), "budget": { "seconds": 600.0 }, "threads": 2 });
    let run: RunView = studio.answer(json_from(1, "/api/runs", &body)).await.json();
    let body =
        json!({ "spec": hard(), "nis_from": 3, "nis_to": 3, "ports": "12", "total": { "seconds": 600.0 } });
    let board: BoardView = studio.answer(json_from(2, "/api/boards", &body)).await.json();
    let form = json!({ "fabric": "mesh:16x16", "loads": [0.3], "settings": { "cycles": 20_000_000 } });
    let simulation: SimulationView =
        studio.answer(json_from(3, "/api/simulations", &json!({ "form": form }))).await.json();
    let jobs = list(&studio).await;
    assert_eq!(jobs.len(), 3);
    let mut unknown = jobs[0].clone();
    unknown.kind = JobKind::Task;
    stop(&studio, &unknown).await.problem(404, "not-found");
    for job in &jobs {
        assert_eq!(stop(&studio, job).await.status, 204);
    }
    let path = |noun: &str, id: &str| format!("/api/{noun}/{id}");
    studio.until(&path("runs", &run.id), |run: &RunView| run.state == RunState::Cancelled).await;
    studio.until(&path("boards", &board.id), |board: &BoardView| board.state == RunState::Cancelled).await;
    let cancelled = |view: &SimulationView| view.state == SimulationState::Cancelled;
    studio.until(&path("simulations", &simulation.id), cancelled).await;
    studio.until("/api/operator", |view: &OperatorView| view.jobs.is_empty()).await;
    for job in &jobs {
        stop(&studio, job).await.problem(404, "not-found");
    }
    let wrong = studio.post("/api/operator/stop", &json!({ "kind": "all", "id": "" })).await;
    assert!(wrong.problem(400, "request").detail.contains("`task`"));
}

#[tokio::test]
async fn a_task_is_listed_by_its_route_and_its_client_hears_of_the_stop() {
    let studio = Arc::new(Studio::new());
    let spec = "pes = 8192\nnis_per_pe = 8\nobjective = \"fractional\"\n[[switch]]\nports = 256\n".to_owned()
        + &"[[pattern]]\nkind = \"all-pairs\"\n".repeat(30);
    let body = serde_json::to_vec(&json!({ "spec": spec })).unwrap();
    let asked = studio.clone();
    let request = tokio::spawn(async move { asked.answer(json("/api/demand", body)).await });
    let running = |view: &OperatorView| view.jobs.iter().any(|job| job.running && job.memory > 0);
    let view: OperatorView = studio.until("/api/operator", running).await;
    let task = &view.jobs[0];
    assert_eq!((task.kind, task.route.as_str()), (JobKind::Task, "/api/demand"));
    assert_eq!(stop(&studio, task).await.status, 204);
    let problem = request.await.unwrap().problem(503, "busy");
    assert!(problem.detail.contains("stopped this computation"), "{}", problem.detail);
    let none: Value = studio.until("/api/operator", |view: &Value| view["jobs"] == json!([])).await;
    assert!(none["budgets"].is_array());
}
