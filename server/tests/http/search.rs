use crate::studio::{
    KASY0, SMALL, SMALL_WIRING, Search, Studio, by_effort, endless, hard, json_from, json_with,
    open_when_free, search,
};
use serde_json::{Value, json};
use server::{
    api::Config,
    store::{Retention, Store},
    work::{
        MAX_QUEUED, MAX_QUEUED_PER_OWNER,
        replay::{MAX_BYTES, MAX_FRAMES},
    },
};
use shared::{
    api::{DesignView, FormTexts, ReplayFrame, ReplayView, SearchReport, WorkChange, WorkState},
    design::{check, table},
};
use std::time::Duration;

async fn start(studio: &Studio, spec: &str, form: Value) -> Search {
    studio.start(&search(spec, form)).await
}

async fn until(studio: &Studio, id: &str, what: impl Fn(&Search) -> bool) -> Search {
    studio.until_work(id, what).await
}

async fn over(studio: &Studio, id: &str) -> Search {
    studio.over(id).await
}

fn search_of(event: &(String, String)) -> Search {
    assert_eq!(event.0, "work");
    serde_json::from_str(&event.1).unwrap()
}

#[tokio::test]
async fn kasy0_is_solved_and_its_wiring_passes_the_checker() {
    let studio = Studio::new();
    let started = start(&studio, KASY0, json!({ "seed": 7, "threads": 1 })).await;
    assert_eq!(
        (started.asked.form.0["seed"].as_str(), started.threads, started.asked.spec()),
        ("7", 1, KASY0)
    );
    let over = over(&studio, &started.id).await;
    assert_eq!(over.state, WorkState::Solved, "{}", over.message);
    assert!(
        !over.report.method.is_empty() && !over.report.history.is_empty() && over.report.progress.best == 0
    );
    let wiring = studio.table(&started.id).await;
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
        let run = start(&studio, &hard(), by_effort(2)).await;
        let over = over(&studio, &run.id).await;
        assert_eq!(over.state, WorkState::Exhausted, "{}", over.message);
        wirings.push(studio.table(&run.id).await.text().to_owned());
    }
    assert_eq!(wirings[0], wirings[1]);
}

#[tokio::test]
async fn events_begin_and_end_with_the_run_for_every_watcher() {
    let studio = Studio::new();
    let run = start(&studio, &hard(), json!({ "budget.seconds": 600.0 })).await;
    let (mut one, mut two) = (studio.events(&run.id).await, studio.events(&run.id).await);
    assert_eq!(search_of(&one.next().await.unwrap()).id, run.id);
    let mut progress = 0;
    while progress < 5 {
        let (event, data) = one.next().await.unwrap();
        if event == "progress" {
            let told: WorkChange<SearchReport> = serde_json::from_str(&data).unwrap();
            assert!(!told.report.progress.trying.is_empty() && told.report.history.is_empty());
            progress += 1;
        }
    }
    let mut late = studio.events(&run.id).await;
    assert_eq!(search_of(&late.next().await.unwrap()).state, WorkState::Running);
    studio.stop::<SearchReport>(&run.id).await;
    for events in [&mut one, &mut two, &mut late] {
        let rest = events.rest().await;
        let last = search_of(rest.last().unwrap());
        assert_eq!(last.state, WorkState::Cancelled, "{}", last.message);
        assert!(!last.report.history.is_empty());
    }
    let after = studio.events(&run.id).await.rest().await;
    assert_eq!(after.len(), 1);
    assert_eq!(search_of(&after[0]).state, WorkState::Cancelled);
}

#[tokio::test]
async fn a_search_goes_on_when_its_watcher_leaves() {
    let studio = Studio::new();
    let run = start(&studio, &hard(), json!({ "budget.seconds": 600.0 })).await;
    let mut events = studio.events(&run.id).await;
    events.next().await.unwrap();
    drop(events);
    let seen = until(&studio, &run.id, |view| view.report.progress.moves > 0).await;
    until(&studio, &run.id, |view| view.report.progress.moves > seen.report.progress.moves).await;
    studio.works.stop(&run.id).unwrap();
    until(&studio, &run.id, |view| view.state == WorkState::Cancelled).await;
}

#[tokio::test]
async fn a_search_waits_for_its_turn_and_stopping_twice_changes_nothing() {
    let studio = Studio::new();
    let body = search(&hard(), json!({ "budget.seconds": 600.0, "threads": 64 }));
    let (first, second): (Search, Search) = (studio.start(&body).await, studio.start(&body).await);
    until(&studio, &first.id, |view| view.state == WorkState::Running).await;
    let waiting: Search = studio.view(&second.id).await;
    assert_eq!(waiting.state, WorkState::Queued);
    assert!(waiting.report.progress.trying.contains("waiting"));
    let stopped: Search = studio.stop(&second.id).await;
    assert_eq!(stopped.state, WorkState::Cancelled);
    studio.table(&second.id).await.problem(404, "not-found");
    until(&studio, &first.id, |view| view.report.progress.revision > 0).await;
    studio.stop::<SearchReport>(&first.id).await;
    until(&studio, &first.id, |view| view.state == WorkState::Cancelled).await;
    let again: Search = studio.stop(&first.id).await;
    assert_eq!(again.state, WorkState::Cancelled);
    assert!(studio.table(&first.id).await.status.is_success());
}

#[tokio::test]
async fn a_studio_that_stops_keeps_the_best_and_the_next_one_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let studio = Studio::with(Store::open(folder.path()).unwrap(), Config::default());
    let solved = start(&studio, KASY0, json!({ "threads": 2 })).await;
    until(&studio, &solved.id, |view| view.state == WorkState::Solved).await;
    let body = search(&hard(), endless());
    let (running, queued): (Search, Search) = (studio.start(&body).await, studio.start(&body).await);
    until(&studio, &running.id, |view| view.report.progress.revision > 0).await;
    studio.shut_down().await;
    let refused = studio.post("/api/work", &search(KASY0, json!({}))).await;
    refused.problem(503, "busy");
    drop(studio);

    let next = Studio::with(open_when_free(folder.path()).await, Config::default());
    assert_eq!(next.view::<SearchReport>(&solved.id).await.state, WorkState::Solved);
    // The best is there before the search is that far again.
    for run in [&running, &queued] {
        let goes_on: Search = next.view(&run.id).await;
        assert!(matches!(goes_on.state, WorkState::Queued | WorkState::Running), "{goes_on:?}");
    }
    let wiring = next.table(&running.id).await;
    assert!(wiring.status.is_success() && table::parse(wiring.text(), 128).is_ok());
}

#[tokio::test]
async fn what_cannot_be_searched_is_said_before_the_search_starts() {
    let studio = Studio::new();
    let narrow = KASY0.replace("ports = 24", "ports = 5");
    let problem = studio.post("/api/work", &search(&narrow, json!({}))).await.problem(422, "impossible");
    assert!(!problem.faults.is_empty());
    let body = search(KASY0, json!({ "budget.seconds": 1e9, "threads": 65 }));
    let problem = studio.post("/api/work", &body).await.problem(422, "spec");
    let paths: Vec<_> = problem.faults.iter().map(|fault| fault.path.as_str()).collect();
    assert_eq!(paths, ["budget.seconds", "threads"]);
    for form in [json!({ "budget.seconds": 0.0 }), json!({ "budget.seconds": -1.0 }), by_effort(0)] {
        studio.post("/api/work", &search(KASY0, form)).await.problem(422, "spec");
    }
}

#[tokio::test]
async fn a_link_to_a_removed_run_says_so_and_designs_stay() {
    let folder = tempfile::tempdir().unwrap();
    let studio = Studio::with(Store::open(folder.path()).unwrap(), Config::default());
    let run = start(&studio, KASY0, json!({})).await;
    until(&studio, &run.id, |view| view.state == WorkState::Solved).await;
    let design = json!({ "spec": SMALL, "table": SMALL_WIRING, "origin": "imported" });
    let design: DesignView = studio.post("/api/designs", &design).await.json();
    let path = |more: &str| format!("/api/work/{}{more}", run.id);
    assert!(studio.get(&path("")).await.status.is_success());
    drop(studio);
    let store = open_when_free(folder.path()).await;
    let nothing = Retention { days: 0, ..Retention::default() };
    assert_eq!(store.prune(nothing, false).unwrap().words(), "1 search");
    let studio = Studio::with(store, Config::default());
    for more in ["", "/table", "/events"] {
        let problem = studio.get(&path(more)).await.problem(404, "not-found");
        assert!(problem.detail.contains("removes ended work after some time"), "{}", problem.detail);
    }
    assert!(studio.get(&format!("/api/designs/{}", design.id)).await.status.is_success());
}

#[tokio::test]
async fn more_searches_than_may_wait_are_refused() {
    let studio = Studio::new();
    let body = search(&hard(), endless());
    let first: Search = studio.start(&body).await;
    until(&studio, &first.id, |view| view.state == WorkState::Running).await;
    let mut queued = 0;
    // Half of what others leave, so that one more client always finds a place.
    for (client, places) in [(1, 16), (2, 16), (3, 16), (4, 8), (5, 4), (6, 2), (7, 1), (8, 1)] {
        for _ in 0..places.min(MAX_QUEUED_PER_OWNER) {
            assert_eq!(studio.answer(json_from(client, "/api/work", &body)).await.status, 201);
            queued += 1;
        }
        let problem = studio.answer(json_from(client, "/api/work", &body)).await.problem(429, "share");
        assert!(problem.detail.starts_with(&format!("{places} of your computations")), "{}", problem.detail);
    }
    assert_eq!(queued, MAX_QUEUED);
    let problem = studio.post("/api/work", &body).await.problem(503, "busy");
    assert!(problem.detail.contains("64"), "{}", problem.detail);
    studio.shut_down().await;
}

#[tokio::test]
async fn one_clients_queue_lets_others_through_also_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let studio = Studio::with(Store::open(folder.path()).unwrap(), Config::default());
    let long = search(&hard(), endless());
    let running: Search = studio.start(&long).await;
    until(&studio, &running.id, |view| view.state == WorkState::Running).await;
    let mut refused = 0;
    for _ in 0..=MAX_QUEUED_PER_OWNER {
        refused += u32::from(studio.post("/api/work", &long).await.status == 429);
    }
    assert_eq!(refused, 1);
    studio.shut_down().await;
    drop(studio);

    let next = Studio::with(open_when_free(folder.path()).await, Config::default());
    next.post("/api/work", &long).await.problem(429, "share");
    let short = search(KASY0, json!({ "threads": 2 }));
    let other: Search = next.answer(json_from(1, "/api/work", &short)).await.json();
    until(&next, &running.id, |view| view.state == WorkState::Running).await;
    next.works.stop(&running.id).unwrap();
    until(&next, &other.id, |view| view.state == WorkState::Solved).await;
    next.shut_down().await;
}

/// Without a checkpoint the same moves are repeated; with one they are not. Neither changes the wiring.
#[tokio::test]
async fn a_run_that_is_continued_ends_as_if_it_had_never_stopped() {
    for every in [Duration::from_secs(600), Duration::from_millis(20)] {
        let studio = Studio::keeping(Store::temporary().unwrap(), Config::default(), every);
        let run = start(&studio, &hard(), by_effort(2)).await;
        let first = over(&studio, &run.id).await;
        assert_eq!(first.state, WorkState::Exhausted, "{}", first.message);
        let more = json!({ "form": { "budget.unit": "effort", "budget.effort": 3 } });
        let more = studio.post(&format!("/api/work/{}/continue", run.id), &more).await;
        assert_eq!(more.status, 200, "{}", more.text());
        let queued: Search = more.json();
        let FormTexts(form) = &queued.asked.form;
        assert_eq!((form["budget.unit"].as_str(), form["seed"].as_str()), ("effort", "3"));
        let effort = form["budget.effort"].parse().unwrap();
        assert!((5..=6).contains(&effort) && queued.report.progress.best == first.report.progress.best);
        let second = over(&studio, &run.id).await;
        assert!(
            second.report.progress.moves > first.report.progress.moves
                && second.report.progress.best <= first.report.progress.best
        );
        let at_once = start(&studio, &hard(), by_effort(effort)).await;
        over(&studio, &at_once.id).await;
        assert_eq!(studio.table(&run.id).await.text(), studio.table(&at_once.id).await.text());
    }
}

async fn replay(studio: &Studio, id: &str) -> Vec<ReplayFrame> {
    studio.get(&format!("/api/work/{id}/replay")).await.json::<ReplayView>().frames
}

/// The frames of a replay are in order, within the limits, and what they claim to be; the last is the run's wiring.
async fn replay_is_sound(studio: &Studio, run: &Search) -> Vec<ReplayFrame> {
    let frames = replay(studio, &run.id).await;
    assert!(frames.windows(2).all(|w| w[0].progress.elapsed < w[1].progress.elapsed));
    assert!(frames.len() <= MAX_FRAMES + 1);
    assert!(frames.iter().map(|frame| frame.table.len()).sum::<usize>() <= 2 * MAX_BYTES);
    let request = server::prepare::Request::read(run.asked.spec(), &mut shared::resolve::NoFiles).unwrap();
    for frame in &frames {
        let design = table::parse(&frame.table, request.spec.pes).unwrap();
        let verdict = check(&request.spec, &request.demand, &design);
        assert!(verdict.breaches.is_empty());
        assert_eq!(verdict.uncovered.len() as u64, frame.progress.best);
    }
    let wiring = studio.table(&run.id).await;
    let last = frames.last().unwrap();
    assert_eq!((last.table.as_str(), &last.progress), (wiring.text(), &run.report.progress));
    frames
}

#[tokio::test]
async fn a_run_is_replayed_also_after_it_was_continued_until_it_is_deleted() {
    let every = Duration::from_millis(20);
    let studio = Studio::keeping(Store::temporary().unwrap(), Config::default(), every);
    let run = start(&studio, &hard(), endless()).await;
    until(&studio, &run.id, |view| view.report.progress.revision >= 2).await;
    assert!(replay(&studio, &run.id).await.len() > 1, "a running search has a replay, too");
    studio.works.stop(&run.id).unwrap();
    let stopped = until(&studio, &run.id, |view| view.state == WorkState::Cancelled).await;
    let first = replay_is_sound(&studio, &stopped).await;
    assert!(first.len() > 1, "{} frames", first.len());

    let more = json!({ "form": { "budget.seconds": 2.0 } });
    studio.post(&format!("/api/work/{}/continue", run.id), &more).await;
    let over = until(&studio, &run.id, |view| view.state == WorkState::Exhausted).await;
    replay_is_sound(&studio, &over).await;
    let path = format!("/api/library/{}/delete", run.id);
    assert!(studio.post(&path, &json!(null)).await.status.is_success());
    studio.get(&format!("/api/work/{}/replay", run.id)).await.problem(404, "not-found");
}

#[tokio::test]
async fn a_construction_has_one_frame() {
    let studio = Studio::new();
    let run = start(&studio, SMALL, json!({})).await;
    let over = over(&studio, &run.id).await;
    assert_eq!(replay_is_sound(&studio, &over).await.len(), 1);
}

#[tokio::test]
async fn only_its_owner_continues_a_run_that_has_something_left() {
    let studio = Studio::new();
    let solved = start(&studio, SMALL, json!({})).await;
    over(&studio, &solved.id).await;
    let path = format!("/api/work/{}/continue", solved.id);
    let more = json!({ "form": { "budget.seconds": 1.0 } });
    let refused = studio.post(&path, &more).await.problem(422, "spec");
    assert!(
        refused.faults.iter().any(|fault| fault.path == "state" && fault.value == "solved"),
        "{refused:?}"
    );
    let stranger = json_with(Some("another-browsers-token-0000"), &path, &more);
    studio.answer(stranger).await.problem(403, "edit");
    studio.post("/api/work/nothing/continue", &more).await.problem(404, "not-found");
    let wrong = studio.post(&path, &json!({ "form": { "budget.seconds": -1.0 } })).await.problem(422, "spec");
    assert!(wrong.faults.iter().any(|fault| fault.path.starts_with("budget")), "{wrong:?}");
}
