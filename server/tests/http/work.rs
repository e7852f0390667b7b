//! All kinds of work alike: their request, their end, their place in the store.

use crate::studio::{
    Answer, KASY0, SMALL, SMALL_WIRING, Studio, hardware, json_with, long, open_when_free, search, waiting,
};
use serde_json::{Value, json};
use server::{api::Config, store::Store};
use shared::{
    api::{ComputedReport, LibraryView, WorkKind, WorkState, WorkView},
    compare::Comparison,
};
use std::time::Duration;

/// A request of each kind of computation, which takes milliseconds.
fn computations() -> [Value; 4] {
    let job = "pes = 4\nnis_per_pe = 2\n[[switch]]\nports = 4\n[job]\nranks_per_pe = 1\ndp = 4\n\
        [[collective]]\nalong = 'dp'\nbytes = 8e9\n";
    let racked = SMALL.to_owned() + "[[rack]]\npes = 4\nswitches = 1\n";
    [
        json!({ "kind": "compare", "spec": SMALL, "table": SMALL_WIRING, "form": { "fabrics": "hub:4" } }),
        json!({ "kind": "estimate", "spec": job, "form": { "failures": 0 } }),
        json!({ "kind": "placement", "spec": racked, "table": SMALL_WIRING }),
        json!({ "kind": "analysis", "spec": SMALL, "table": SMALL_WIRING }),
    ]
}

/// A request of each kind.
fn kinds() -> Vec<Value> {
    long().into_iter().chain(computations()).collect()
}

fn path(id: &str) -> String {
    format!("/api/work/{id}")
}

#[tokio::test]
async fn blank_texts_are_left_out_and_strange_ids_are_unknown() {
    let studio = Studio::new();
    let body = json!({ "kind": "simulation", "spec": " ", "table": "", "form": { "fabric": "mesh:2x2", "loads": 0.1 } });
    let view: WorkView<Value> = studio.start(&body).await;
    assert_eq!((view.asked.spec, view.asked.table), (None, None));
    assert_eq!(studio.over::<Value>(&view.id).await.state, WorkState::Done);
    let body = json!({ "kind": "simulation", "form": { "fabric": "mesh:2x2", "cycles": 10_000 } });
    let problem = studio.post("/api/work", &body).await.problem(422, "spec");
    assert_eq!((problem.faults[0].path.as_str(), problem.faults[0].value.as_str()), ("ignored", "10000"));
    assert_eq!(studio.get("/api/runs/no%0d%0aX:%20y").await.status, 404);
}

#[tokio::test]
async fn unknown_work_is_not_found_and_none_is_listed() {
    let studio = Studio::new();
    for more in ["", "/events", "/table", "/replay", "/parts/0"] {
        let problem = studio.get(&path(&format!("nobody{more}"))).await.problem(404, "not-found");
        assert!(problem.detail.contains("removes ended work after some time"), "{}", problem.detail);
    }
    for more in ["stop", "continue", "edit-link"] {
        studio.post(&path(&format!("nobody/{more}")), &json!({ "form": {} })).await.problem(404, "not-found");
    }
    for body in kinds() {
        let view: WorkView<Value> = studio.start(&body).await;
        assert_eq!(view.asked.kind.entry().name, body["kind"]);
        for (owner, more, lacks) in [
            (WorkKind::Search, "table", "wiring"),
            (WorkKind::Search, "replay", "replay"),
            (WorkKind::Hardware, "parts/0", "parts"),
        ] {
            let answer = studio.get(&path(&format!("{}/{more}", view.id))).await;
            if view.asked.kind != owner {
                let told = format!("Work of the kind `{}` has no {lacks}.", view.asked.kind.entry().name);
                assert_eq!(answer.problem(404, "not-found").detail, told);
            }
        }
    }
    studio.get("/api/work").await.problem(405, "method");
    studio.shut_down().await;
}

#[tokio::test]
async fn paths_of_earlier_versions_lead_to_the_work() {
    let studio = Studio::new();
    for noun in ["runs", "boards"] {
        let answer = studio.get(&format!("/api/{noun}/abc")).await;
        assert_eq!((answer.status.as_u16(), answer.header("location")), (308, "/api/work/abc"));
    }
    for gone in ["runs", "boards", "simulations", "compare", "estimate", "placement", "analysis"] {
        studio.post(&format!("/api/{gone}"), &json!({ "spec": SMALL })).await.problem(404, "not-found");
    }
}

#[tokio::test]
async fn strange_fields_are_faults_with_their_keys() {
    let studio = Studio::new();
    for body in kinds() {
        let mut strange = body.clone();
        strange["form"]["sede"] = 7.into();
        let fault = studio.post("/api/work", &strange).await.problem(422, "spec").faults.swap_remove(0);
        assert_eq!((fault.path.as_str(), fault.value.as_str()), ("form.sede", "7"), "{body}");
        // A field beside the form is a fault of the request.
        let mut beside = body.clone();
        beside["seed"] = 7.into();
        let problem = studio.post("/api/work", &beside).await.problem(400, "request");
        assert!(problem.detail.contains("seed"), "{}", problem.detail);
    }
    let near = studio.post("/api/work", &search(SMALL, json!({ "sede": 7 }))).await.problem(422, "spec");
    assert!(near.detail.contains("seed"), "{}", near.detail);
    let two = search(SMALL, json!({ "a": 1, "b": 2 }));
    assert_eq!(studio.post("/api/work", &two).await.problem(422, "spec").faults.len(), 2);
}

#[tokio::test]
async fn a_kind_that_does_not_exist_is_a_fault_with_all_kinds() {
    let studio = Studio::new();
    for (kind, told) in [
        (json!("dance"), "dance"),
        (json!(7), "7"),
        (json!(["search"]), "[\"search\"]"),
        (Value::Null, "null"),
    ] {
        let problem = studio.post("/api/work", &json!({ "kind": kind })).await.problem(400, "request");
        let fault = &problem.faults[0];
        assert_eq!((fault.path.as_str(), fault.value.as_str()), ("kind", told), "{kind}");
        let kinds = "`search`, `hardware`, `simulation`, `compare`, `estimate`, `placement`, `analysis`";
        let is_word = told.chars().all(char::is_alphabetic);
        let told = if is_word { format!("`{told}`") } else { told.into() };
        assert_eq!(fault.message, format!("must be one of {kinds}, not {told}."));
    }
}

#[tokio::test]
async fn a_list_is_for_fields_that_take_several_values() {
    let studio = Studio::new();
    let sim = |form| json!({ "kind": "simulation", "form": form });
    for (body, field, value) in [
        (search(SMALL, json!({ "seed": [1, 2] })), "form.seed", "[1,2]"),
        (search(SMALL, json!({ "threads": [1] })), "form.threads", "[1]"),
        (search(SMALL, json!({ "budget.unit": [] })), "form.budget.unit", "[]"),
        (sim(json!({ "fabric": "mesh:2x2", "saturate": [true] })), "form.saturate", "[true]"),
    ] {
        let problem = studio.post("/api/work", &body).await.problem(422, "spec");
        let [fault] = &problem.faults[..] else { panic!("{problem:?}") };
        assert_eq!((fault.path.as_str(), fault.value.as_str()), (field, value));
        assert_eq!(fault.message, format!("must be one value, not {value}."));
    }
    let several = json!({ "nis_from": 1, "nis_to": 1, "ports": [4, 6], "total.seconds": 0.1 });
    let view: WorkView<Value> = studio.start(&hardware(SMALL, several)).await;
    assert_eq!(view.asked.form.0["ports"], "4, 6");
    studio.shut_down().await;
}

#[tokio::test]
async fn an_effort_without_its_unit_is_a_fault() {
    let studio = Studio::new();
    for (body, unit) in [
        (search(SMALL, json!({ "budget.effort": 12 })), "budget.unit"),
        (search(SMALL, json!({ "budget.effort": "12 apples" })), "budget.unit"),
        (search(SMALL, json!({ "budget.effort": 12, "budget.seconds": 5 })), "budget.unit"),
        (search(SMALL, json!({ "budget.effort": 12, "budget.unit": "apples" })), "budget.unit"),
        (search(SMALL, json!({ "budget.effort": "12 apples", "budget.unit": "effort" })), "budget.effort"),
        (hardware(SMALL, json!({ "cell.effort": 1 })), "cell.unit"),
        (hardware(SMALL, json!({ "total.effort": "12 apples" })), "total.unit"),
    ] {
        let problem = studio.post("/api/work", &body).await.problem(422, "spec");
        let [fault] = &problem.faults[..] else { panic!("{problem:?}") };
        assert_eq!(fault.path, unit, "{body}");
        assert!(unit == "budget.effort" || fault.message.contains("effort"), "{fault}");
    }
    // With a unit, only the limit in this unit counts.
    let both = json!({ "budget.unit": "effort", "budget.effort": 1, "budget.seconds": 86_400 });
    studio.start::<Value>(&search(SMALL, both)).await;
}

/// The last watcher may see work shortly after its end.
async fn until_gone(studio: &Studio, id: &str) {
    for _ in 0..1000 {
        let answer = studio.get(&path(id)).await;
        if answer.status == 404 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("it stays");
}

#[tokio::test]
async fn a_computation_that_ends_in_time_leaves_nothing() {
    let studio = Studio::new();
    for body in computations() {
        let answer = studio.wait(body["kind"].as_str().unwrap(), body.clone()).await;
        assert_eq!((answer.status.as_u16(), answer.header("location")), (200, ""), "{}", answer.text());
        let view: WorkView<ComputedReport<Value>> = answer.json();
        assert_eq!(
            (view.state, view.asked.kind.entry().name),
            (WorkState::Done, body["kind"].as_str().unwrap())
        );
        assert!(view.report.result.is_some() && view.report.stage.is_none());
        until_gone(&studio, &view.id).await;
    }
    assert_eq!(studio.get("/api/library").await.json::<LibraryView>(), LibraryView::default());
    // Other work is kept, and the answer waits for its end as well.
    let answer = studio.wait("search", search(KASY0, json!({}))).await;
    let view: WorkView<Value> = answer.json();
    assert_eq!((answer.status.as_u16(), view.state), (200, WorkState::Solved));
    assert_eq!(studio.view::<Value>(&view.id).await.state, WorkState::Solved);
}

#[tokio::test]
async fn a_request_that_cannot_wait_for_so_long_is_refused() {
    let studio = Studio::new();
    for (prefer, status) in
        [("wait=21", 400), ("wait=x", 400), ("respond-async", 201), ("respond-async, wait=20", 200)]
    {
        let [compare, ..] = computations();
        let mut request = waiting("compare", compare);
        request.headers_mut().insert("prefer", prefer.parse().unwrap());
        let answer = studio.answer(request).await;
        assert_eq!(answer.status.as_u16(), status, "{prefer}: {}", answer.text());
        if status == 400 {
            assert_eq!(answer.problem(400, "request").faults[0].path, "prefer");
        }
    }
}

/// A comparison for so many nodes: of seconds for 512, of minutes for 8,192.
fn heavy(nodes: u32) -> Value {
    let spec = format!("pes = {nodes}\nnis_per_pe = 8\nobjective = \"universal\"\n[[switch]]\nports = 256\n");
    let members = |first: u32| (first..first + 256).map(|pe| format!(" {pe}")).collect::<String>();
    let table: String =
        (0..nodes / 32).map(|switch| format!("{switch}:{}\n", members(switch * 256 % nodes))).collect();
    json!({ "kind": "compare", "spec": spec, "table": table })
}

#[tokio::test]
async fn a_computation_of_a_client_that_does_not_wait_is_kept_and_listed() {
    let studio = Studio::new();
    for body in computations() {
        let view: WorkView<Value> = studio.start(&body).await;
        let over: WorkView<ComputedReport<Value>> = studio.over(&view.id).await;
        assert_eq!(over.state, WorkState::Done, "{}", over.message);
        assert!(over.report.result.is_some() && over.report.stage.is_none());
        let events = studio.events(&view.id).await.rest().await;
        assert_eq!(events.len(), 1);
        assert_eq!(events[0].0, "work");
        assert_eq!(serde_json::from_str::<WorkView<ComputedReport<Value>>>(&events[0].1).unwrap(), over);
        // The last write follows the end.
        let listed = |library: &LibraryView| {
            let item = library.items.iter().find(|item| item.id == view.id).unwrap();
            (item.kind, item.state) == (Some(view.asked.kind), Some(WorkState::Done))
        };
        studio.until("/api/library", listed).await;
        let delete = format!("/api/library/{}/delete", view.id);
        assert_eq!(studio.post(&delete, &json!({})).await.status, 204);
        studio.get(&path(&view.id)).await.problem(404, "not-found");
    }
}

#[tokio::test]
async fn every_kind_of_kept_work_is_in_the_library() {
    let studio = Studio::new();
    let mut started = Vec::new();
    for body in kinds() {
        let view: WorkView<Value> = studio.start(&body).await;
        started.push((view.id, view.asked.kind));
    }
    let library: LibraryView = studio.get("/api/library").await.json();
    let mut listed: Vec<_> = library.items.into_iter().map(|item| (item.id, item.kind.unwrap())).collect();
    listed.sort();
    started.sort();
    assert_eq!((listed, library.total), (started, 7));
    studio.shut_down().await;
}

#[tokio::test]
async fn a_computation_that_fails_later_tells_its_problem() {
    let studio = Studio::new();
    let body = json!({ "kind": "analysis", "spec": SMALL, "table": "0: 0 9\nnonsense\n" });
    let told = studio.wait("analysis", body.clone()).await.problem(422, "table");
    let view: WorkView<Value> = studio.start(&body).await;
    let over: WorkView<Value> = studio.over(&view.id).await;
    assert_eq!((over.state, over.message.as_str()), (WorkState::Failed, told.detail.as_str()));
    assert_eq!(over.problem, Some(told));
    studio.post(&path(&format!("{}/stop", view.id)), &json!({})).await.json::<Value>();
    assert_eq!(studio.view::<Value>(&view.id).await.state, WorkState::Failed);
}

#[tokio::test]
async fn a_long_computation_is_stopped_by_its_right_alone() {
    let studio = Studio::new();
    let view: WorkView<Value> = studio.start(&heavy(8192)).await;
    let stop = path(&format!("{}/stop", view.id));
    for token in [None, Some("the-token-of-another-one")] {
        studio.answer(json_with(token, &stop, &json!({}))).await.problem(403, "edit");
    }
    studio.until_state(&view.id, WorkState::Running).await;
    studio.stop::<Value>(&view.id).await;
    studio.until_state(&view.id, WorkState::Cancelled).await;
    let idle = || studio.tasks.load().running == 0 && studio.tasks.memory.used() == 0;
    for _ in 0..1000 {
        if idle() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("it goes on: {:?}", studio.tasks.load());
}

#[tokio::test]
async fn a_computation_begins_again_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let studio = Studio::with(Store::open(folder.path()).unwrap(), Config::default());
    let view: WorkView<Value> = studio.start(&heavy(512)).await;
    studio.until_state(&view.id, WorkState::Running).await;
    studio.shut_down().await;
    let refused = studio.get(&path(&view.id)).await.problem(503, "busy");
    assert!(refused.detail.contains("whether this work resumes"), "{}", refused.detail);
    drop(studio);

    let next = Studio::with(open_when_free(folder.path()).await, Config::default());
    let known: WorkView<Value> = next.view(&view.id).await;
    assert!(!known.state.is_over() && known.message.is_empty(), "{}", known.message);
    assert_eq!(known.asked, view.asked);
    let over: WorkView<ComputedReport<Comparison>> = next.over(&view.id).await;
    assert_eq!(over.state, WorkState::Done, "{}", over.message);
    assert_eq!(over.report.result.unwrap().hosts, 512);
    assert_eq!(next.view::<Value>(&view.id).await.state, WorkState::Done);
}

#[tokio::test]
async fn a_computation_that_takes_longer_than_its_client_waits_is_kept() {
    let studio = Studio::new();
    let mut request = waiting("compare", heavy(8192));
    request.headers_mut().insert("prefer", "wait=1".parse().unwrap());
    let answer = studio.answer(request).await;
    assert_eq!(answer.status, 201, "{:.300}", answer.text());
    let view: WorkView<Value> = answer.json();
    assert_eq!(answer.header("location"), path(&view.id));
    let library: LibraryView = studio.get("/api/library").await.json();
    assert_eq!(library.items[0].id, view.id);
    studio.stop::<Value>(&view.id).await;
    studio.until_state(&view.id, WorkState::Cancelled).await;
}

#[tokio::test]
async fn only_searches_are_continued() {
    let studio = Studio::new();
    for body in kinds().into_iter().filter(|body| body["kind"] != "search") {
        let view: WorkView<Value> = studio.start(&body).await;
        studio.stop::<Value>(&view.id).await;
        studio.over::<Value>(&view.id).await;
        let more = json!({ "form": { "budget.seconds": 1 } });
        let refused = studio.post(&path(&format!("{}/continue", view.id)), &more).await.problem(422, "spec");
        assert!(["kind", "state"].contains(&refused.faults[0].path.as_str()), "{refused:?}");
    }
}

#[tokio::test]
async fn a_page_leads_to_work_of_every_kind() {
    let studio = Studio::new();
    let is_page = |answer: &Answer| answer.status == 200 || answer.text().contains("make build");
    for body in kinds() {
        let view: WorkView<Value> = studio.start(&body).await;
        for page in [view.asked.kind.page(&view.id), format!("/work/{}", view.id)] {
            assert!(is_page(&studio.get(&page).await), "{page}");
        }
    }
    for page in ["/r/nobody", "/b/nobody", "/work/nobody"] {
        let status = studio.get(page).await.status;
        assert!(status == 404 || status == 503, "{page}: {status}");
    }
    studio.shut_down().await;
}
