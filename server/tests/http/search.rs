use crate::studio::{Events, KASY0, SMALL, SMALL_WIRING, Studio, hard, json_from, json_with, open_when_free};
use serde_json::json;
use server::{
    api::Config,
    jobs::{
        MAX_QUEUED, MAX_QUEUED_PER_OWNER,
        replay::{MAX_BYTES, MAX_FRAMES},
    },
    store::{Retention, Store},
};
use shared::{
    api::{DesignView, ReplayFrame, ReplayView, RunState, RunView},
    design::{check, table},
    search::{Budget, Progress},
};
use std::time::Duration;

async fn start(studio: &Studio, body: serde_json::Value) -> RunView {
    let answer = studio.post("/api/runs", &body).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    let view: RunView = answer.json();
    assert_eq!(answer.header("location"), format!("/api/runs/{}", view.id));
    view
}

async fn view(studio: &Studio, id: &str) -> RunView {
    studio.get(&format!("/api/runs/{id}")).await.json()
}

/// Waits for a condition, for a minute at most.
async fn until(studio: &Studio, id: &str, what: impl Fn(&RunView) -> bool) -> RunView {
    studio.until(&format!("/api/runs/{id}"), what).await
}

async fn events(studio: &Studio, id: &str) -> Events {
    Events::of(studio, &format!("/api/runs/{id}/events")).await
}

fn run_of(event: &(String, String)) -> RunView {
    assert_eq!(event.0, "run");
    serde_json::from_str(&event.1).unwrap()
}

#[tokio::test]
async fn kasy0_is_solved_and_its_wiring_passes_the_checker() {
    let studio = Studio::new();
    let started = start(&studio, json!({ "spec": KASY0, "seed": 7, "threads": 1 })).await;
    assert_eq!((started.seed, started.threads, started.spec.as_str()), (7, 1, KASY0));
    let over = until(&studio, &started.id, |view| view.state.is_over()).await;
    assert_eq!(over.state, RunState::Solved, "{}", over.message);
    assert!(!over.method.is_empty() && !over.history.is_empty() && over.progress.best == 0);
    let wiring = studio.get(&format!("/api/runs/{}/table", started.id)).await;
    assert_eq!(wiring.header("content-type"), "text/plain; charset=utf-8");
    let request = server::prepare::Request::read(KASY0, &mut shared::resolve::NoFiles).unwrap();
    let design = table::parse(wiring.text(), 128).unwrap();
    assert!(check(&request.spec, &request.demand, &design).holds());
}

#[tokio::test]
async fn the_same_seed_and_effort_give_the_same_wiring() {
    let studio = Studio::new();
    let mut wirings = Vec::new();
    for _ in 0..2 {
        let body = json!({ "spec": hard(), "budget": { "effort": 2 }, "seed": 3, "threads": 2 });
        let run = start(&studio, body).await;
        let over = until(&studio, &run.id, |view| view.state.is_over()).await;
        assert_eq!(over.state, RunState::Exhausted, "{}", over.message);
        wirings.push(studio.get(&format!("/api/runs/{}/table", run.id)).await.text().to_owned());
    }
    assert_eq!(wirings[0], wirings[1]);
}

#[tokio::test]
async fn events_begin_and_end_with_the_run_for_every_watcher() {
    let studio = Studio::new();
    let run = start(&studio, json!({ "spec": hard(), "budget": { "seconds": 600.0 } })).await;
    let (mut one, mut two) = (events(&studio, &run.id).await, events(&studio, &run.id).await);
    assert_eq!(run_of(&one.next().await.unwrap()).id, run.id);
    let mut progress = 0;
    while progress < 5 {
        let (event, data) = one.next().await.unwrap();
        if event == "progress" {
            let told: Progress = serde_json::from_str(&data).unwrap();
            assert!(!told.trying.is_empty());
            progress += 1;
        }
    }
    let mut late = events(&studio, &run.id).await;
    assert_eq!(run_of(&late.next().await.unwrap()).state, RunState::Running);
    let stopped = studio.post(&format!("/api/runs/{}/stop", run.id), &json!({})).await;
    assert!(stopped.status.is_success());
    for events in [&mut one, &mut two, &mut late] {
        let rest = events.rest().await;
        let last = run_of(rest.last().unwrap());
        assert_eq!(last.state, RunState::Cancelled, "{}", last.message);
        assert!(!last.history.is_empty());
    }
    let after = events(&studio, &run.id).await.rest().await;
    assert_eq!(after.len(), 1);
    assert_eq!(run_of(&after[0]).state, RunState::Cancelled);
}

#[tokio::test]
async fn a_search_goes_on_when_its_watcher_leaves() {
    let studio = Studio::new();
    let run = start(&studio, json!({ "spec": hard(), "budget": { "seconds": 600.0 } })).await;
    let mut events = events(&studio, &run.id).await;
    events.next().await.unwrap();
    drop(events);
    let seen = until(&studio, &run.id, |view| view.progress.moves > 0).await;
    until(&studio, &run.id, |view| view.progress.moves > seen.progress.moves).await;
    studio.jobs.stop(&run.id).unwrap();
    until(&studio, &run.id, |view| view.state == RunState::Cancelled).await;
}

#[tokio::test]
async fn a_search_waits_for_its_turn_and_stopping_twice_changes_nothing() {
    let studio = Studio::new();
    let body = json!({ "spec": hard(), "budget": { "seconds": 600.0 }, "threads": 64 });
    let (first, second) = (start(&studio, body.clone()).await, start(&studio, body).await);
    until(&studio, &first.id, |view| view.state == RunState::Running).await;
    let waiting = view(&studio, &second.id).await;
    assert_eq!(waiting.state, RunState::Queued);
    assert!(waiting.progress.trying.contains("waiting"));
    let path = |run: &RunView| format!("/api/runs/{}/stop", run.id);
    let stopped: RunView = studio.post(&path(&second), &json!({})).await.json();
    assert_eq!(stopped.state, RunState::Cancelled);
    studio.get(&format!("/api/runs/{}/table", second.id)).await.problem(404, "not-found");
    until(&studio, &first.id, |view| view.progress.revision > 0).await;
    studio.post(&path(&first), &json!({})).await;
    until(&studio, &first.id, |view| view.state == RunState::Cancelled).await;
    let again: RunView = studio.post(&path(&first), &json!({})).await.json();
    assert_eq!(again.state, RunState::Cancelled);
    assert!(studio.get(&format!("/api/runs/{}/table", first.id)).await.status.is_success());
}

#[tokio::test]
async fn a_studio_that_stops_keeps_the_best_and_the_next_one_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let studio = Studio::with(Store::open(folder.path()).unwrap(), server::api::Config::default());
    let solved = start(&studio, json!({ "spec": KASY0, "threads": 2 })).await;
    until(&studio, &solved.id, |view| view.state == RunState::Solved).await;
    let body = json!({ "spec": hard(), "budget": { "seconds": 600.0 }, "threads": 2 });
    let (running, queued) = (start(&studio, body.clone()).await, start(&studio, body).await);
    until(&studio, &running.id, |view| view.progress.revision > 0).await;
    studio.jobs.shut_down(Duration::from_secs(60));
    let refused = studio.post("/api/runs", &json!({ "spec": KASY0 })).await;
    refused.problem(503, "busy");
    drop(studio);

    let next = Studio::with(open_when_free(folder.path()).await, server::api::Config::default());
    assert_eq!(view(&next, &solved.id).await.state, RunState::Solved);
    // The best is there before the search is that far again.
    for run in [&running, &queued] {
        let goes_on = view(&next, &run.id).await;
        assert!(matches!(goes_on.state, RunState::Queued | RunState::Running), "{goes_on:?}");
    }
    let wiring = next.get(&format!("/api/runs/{}/table", running.id)).await;
    assert!(wiring.status.is_success() && table::parse(wiring.text(), 128).is_ok());
}

#[tokio::test]
async fn what_cannot_be_searched_is_said_before_the_search_starts() {
    let studio = Studio::new();
    let narrow = KASY0.replace("ports = 24", "ports = 5");
    let problem = studio.post("/api/runs", &json!({ "spec": narrow })).await.problem(422, "impossible");
    assert!(!problem.faults.is_empty());
    let body = json!({ "spec": KASY0, "budget": { "seconds": 1e9 }, "threads": 65 });
    let problem = studio.post("/api/runs", &body).await.problem(422, "spec");
    let paths: Vec<_> = problem.faults.iter().map(|fault| fault.path.as_str()).collect();
    assert_eq!(paths, ["budget.seconds", "threads"]);
    for budget in [json!({ "seconds": 0.0 }), json!({ "seconds": -1.0 }), json!({ "effort": 0 })] {
        studio.post("/api/runs", &json!({ "spec": KASY0, "budget": budget })).await.problem(422, "spec");
    }
}

#[tokio::test]
async fn unknown_runs_are_not_found_and_none_are_listed() {
    let studio = Studio::new();
    for path in ["/api/runs/nobody", "/api/runs/nobody/events", "/api/runs/nobody/table"] {
        studio.get(path).await.problem(404, "not-found");
    }
    studio.post("/api/runs/nobody/stop", &json!({})).await.problem(404, "not-found");
    studio.get("/api/runs").await.problem(405, "method");
}

#[tokio::test]
async fn a_link_to_a_removed_run_says_so_and_designs_stay() {
    let folder = tempfile::tempdir().unwrap();
    let studio = Studio::with(Store::open(folder.path()).unwrap(), server::api::Config::default());
    let run = start(&studio, json!({ "spec": KASY0 })).await;
    until(&studio, &run.id, |view| view.state == RunState::Solved).await;
    let design = json!({ "spec": SMALL, "table": SMALL_WIRING, "origin": "imported" });
    let design: DesignView = studio.post("/api/designs", &design).await.json();
    let path = |more: &str| format!("/api/runs/{}{more}", run.id);
    assert!(studio.get(&path("")).await.status.is_success());
    drop(studio);
    let store = open_when_free(folder.path()).await;
    let nothing = Retention { days: 0, ..Retention::default() };
    assert_eq!(store.prune(nothing, false).unwrap().runs, 1);
    let studio = Studio::with(store, server::api::Config::default());
    for more in ["", "/table", "/events"] {
        let problem = studio.get(&path(more)).await.problem(404, "not-found");
        assert!(problem.detail.contains("removes ended searches after some time"), "{}", problem.detail);
    }
    assert!(studio.get(&format!("/api/designs/{}", design.id)).await.status.is_success());
}

#[tokio::test]
async fn more_searches_than_may_wait_are_refused() {
    let studio = Studio::new();
    let body = json!({ "spec": hard(), "budget": { "seconds": 600.0 }, "threads": 2 });
    let first = start(&studio, body.clone()).await;
    until(&studio, &first.id, |view| view.state == RunState::Running).await;
    let mut queued = 0;
    // Half of what others leave, so that one more client always finds a place.
    for (client, places) in [(1, 16), (2, 16), (3, 16), (4, 8), (5, 4), (6, 2), (7, 1), (8, 1)] {
        for _ in 0..places.min(MAX_QUEUED_PER_OWNER) {
            assert_eq!(studio.answer(json_from(client, "/api/runs", &body)).await.status, 201);
            queued += 1;
        }
        let problem = studio.answer(json_from(client, "/api/runs", &body)).await.problem(429, "share");
        assert!(problem.detail.starts_with(&format!("{places} of your searches")), "{}", problem.detail);
    }
    assert_eq!(queued, MAX_QUEUED);
    let problem = studio.post("/api/runs", &body).await.problem(503, "busy");
    assert!(problem.detail.contains("64"), "{}", problem.detail);
    studio.jobs.shut_down(Duration::from_secs(60));
}

#[tokio::test]
async fn one_clients_queue_lets_others_through_also_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let studio = Studio::with(Store::open(folder.path()).unwrap(), server::api::Config::default());
    let long = json!({ "spec": hard(), "budget": { "seconds": 600.0 }, "threads": 2 });
    let running = start(&studio, long.clone()).await;
    until(&studio, &running.id, |view| view.state == RunState::Running).await;
    let mut refused = 0;
    for _ in 0..=MAX_QUEUED_PER_OWNER {
        refused += u32::from(studio.post("/api/runs", &long).await.status == 429);
    }
    assert_eq!(refused, 1);
    studio.jobs.shut_down(Duration::from_secs(60));
    drop(studio);

    let next = Studio::with(open_when_free(folder.path()).await, server::api::Config::default());
    next.post("/api/runs", &long).await.problem(429, "share");
    let short = json!({ "spec": KASY0, "threads": 2 });
    let other: RunView = next.answer(json_from(1, "/api/runs", &short)).await.json();
    until(&next, &running.id, |view| view.state == RunState::Running).await;
    next.jobs.stop(&running.id).unwrap();
    until(&next, &other.id, |view| view.state == RunState::Solved).await;
    next.jobs.shut_down(Duration::from_secs(60));
}

/// Without a checkpoint the same moves are repeated; with one they are not. Neither changes the wiring.
#[tokio::test]
async fn a_run_that_is_continued_ends_as_if_it_had_never_stopped() {
    for every in [Duration::from_secs(600), Duration::from_millis(20)] {
        let studio = Studio::keeping(Store::temporary().unwrap(), Config::default(), every);
        let body =
            |effort: u64| json!({ "spec": hard(), "budget": { "effort": effort }, "seed": 3, "threads": 2 });
        let run = start(&studio, body(2)).await;
        let first = until(&studio, &run.id, |view| view.state.is_over()).await;
        assert_eq!(first.state, RunState::Exhausted, "{}", first.message);
        let more = studio
            .post(&format!("/api/runs/{}/continue", run.id), &json!({ "budget": { "effort": 3 } }))
            .await;
        assert_eq!(more.status, 200, "{}", more.text());
        let queued: RunView = more.json();
        let Budget::Effort(effort) = queued.budget else { panic!("{:?}", queued.budget) };
        assert!((5..=6).contains(&effort) && queued.progress.best == first.progress.best);
        let second = until(&studio, &run.id, |view| view.state.is_over()).await;
        assert!(second.progress.moves > first.progress.moves && second.progress.best <= first.progress.best);
        let at_once = start(&studio, body(effort)).await;
        until(&studio, &at_once.id, |view| view.state.is_over()).await;
        let table = async |id: &str| studio.get(&format!("/api/runs/{id}/table")).await.text().to_owned();
        assert_eq!(table(&run.id).await, table(&at_once.id).await);
    }
}

async fn replay(studio: &Studio, id: &str) -> Vec<ReplayFrame> {
    studio.get(&format!("/api/runs/{id}/replay")).await.json::<ReplayView>().frames
}

/// The frames of a replay are in order, within the limits, and what they claim to be; the last is the run's wiring.
async fn replay_is_sound(studio: &Studio, run: &RunView) -> Vec<ReplayFrame> {
    let frames = replay(studio, &run.id).await;
    assert!(frames.windows(2).all(|w| w[0].progress.elapsed < w[1].progress.elapsed));
    assert!(frames.len() <= MAX_FRAMES + 1);
    assert!(frames.iter().map(|frame| frame.table.len()).sum::<usize>() <= 2 * MAX_BYTES);
    let request = server::prepare::Request::read(&run.spec, &mut shared::resolve::NoFiles).unwrap();
    for frame in &frames {
        let design = table::parse(&frame.table, request.spec.pes).unwrap();
        let verdict = check(&request.spec, &request.demand, &design);
        assert!(verdict.breaches.is_empty());
        assert_eq!(verdict.uncovered.len() as u64, frame.progress.best);
    }
    let wiring = studio.get(&format!("/api/runs/{}/table", run.id)).await;
    let last = frames.last().unwrap();
    assert_eq!((last.table.as_str(), &last.progress), (wiring.text(), &run.progress));
    frames
}

#[tokio::test]
async fn a_run_is_replayed_also_after_it_was_continued_until_it_is_deleted() {
    let every = Duration::from_millis(20);
    let studio = Studio::keeping(Store::temporary().unwrap(), Config::default(), every);
    let run = start(&studio, json!({ "spec": hard(), "budget": { "seconds": 600.0 }, "threads": 2 })).await;
    until(&studio, &run.id, |view| view.progress.revision >= 2).await;
    assert!(replay(&studio, &run.id).await.len() > 1, "a running search has a replay, too");
    studio.jobs.stop(&run.id).unwrap();
    let stopped = until(&studio, &run.id, |view| view.state == RunState::Cancelled).await;
    let first = replay_is_sound(&studio, &stopped).await;
    assert!(first.len() > 1, "{} frames", first.len());

    let more = json!({ "budget": { "seconds": 2.0 } });
    studio.post(&format!("/api/runs/{}/continue", run.id), &more).await;
    let over = until(&studio, &run.id, |view| view.state == RunState::Exhausted).await;
    replay_is_sound(&studio, &over).await;
    let path = format!("/api/library/{}/delete", run.id);
    assert!(studio.post(&path, &json!(null)).await.status.is_success());
    studio.get(&format!("/api/runs/{}/replay", run.id)).await.problem(404, "not-found");
}

#[tokio::test]
async fn a_construction_has_one_frame() {
    let studio = Studio::new();
    let run = start(&studio, json!({ "spec": SMALL })).await;
    let over = until(&studio, &run.id, |view| view.state.is_over()).await;
    assert_eq!(replay_is_sound(&studio, &over).await.len(), 1);
}

#[tokio::test]
async fn only_its_owner_continues_a_run_that_has_something_left() {
    let studio = Studio::new();
    let solved = start(&studio, json!({ "spec": SMALL })).await;
    until(&studio, &solved.id, |view| view.state.is_over()).await;
    let path = format!("/api/runs/{}/continue", solved.id);
    let more = json!({ "budget": { "seconds": 1.0 } });
    let refused = studio.post(&path, &more).await.problem(422, "spec");
    assert!(
        refused.faults.iter().any(|fault| fault.path == "state" && fault.value == "solved"),
        "{refused:?}"
    );
    let stranger = json_with(Some("another-browsers-token-0000"), &path, &more);
    studio.answer(stranger).await.problem(403, "edit");
    studio.post("/api/runs/nothing/continue", &more).await.problem(404, "not-found");
    let wrong = studio.post(&path, &json!({ "budget": { "seconds": -1.0 } })).await.problem(422, "spec");
    assert!(wrong.faults.iter().any(|fault| fault.path.starts_with("budget")), "{wrong:?}");
}
